/* SPDX-License-Identifier: MIT
 * Layouts: making and comparing them, and the factored layout that a placement means.
 */
#include "type/table.h"

#include "util/diag.h"

#include <string.h>

/* ---- making --------------------------------------------------------------------------------------------------------*/

const struct tf_dim *const *strides_c_order(tf_ctx *ctx, uint32_t rank, const struct tf_dim *const *shape)
{
    const struct tf_dim **strides = CTX_ARRAY(ctx, const struct tf_dim *, rank);
    const struct tf_dim *stride = dim_const(ctx, 1);
    for (uint32_t i = rank; i-- > 0;) {
        if (!stride)
            return NULL;
        strides[i] = stride;
        stride = i ? dim_mul(ctx, stride, shape[i], NULL) : stride;
    }
    return strides;
}

static int attrs_equal(const struct tf_shard_attr *a, const struct tf_shard_attr *b, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (a[i].kind != b[i].kind)
            return 0;
        if (a[i].kind == TF_ATTR_SPLIT && a[i].axis != b[i].axis)
            return 0;
        if (a[i].kind == TF_ATTR_PARTIAL && a[i].reduction != b[i].reduction && strcmp(a[i].reduction, b[i].reduction))
            return 0;
    }
    return 1;
}

int layout_equal(const struct tf_layout *a, const struct tf_layout *b)
{
    if (a == b)
        return 1;
    if (!a || !b || a->kind != b->kind || a->rank != b->rank)
        return 0;
    if (a->kind == TF_LAYOUT_COMPOSED)
        return a->offset == b->offset && layout_equal(a->outer, b->outer);
    if (!dims_equal(a->shape, b->shape, a->rank) || !dims_equal(a->strides, b->strides, a->rank))
        return 0;
    return a->kind == TF_LAYOUT_PLAIN ||
           (mesh_equal(a->mesh, b->mesh) && attrs_equal(a->attrs, b->attrs, a->mesh->rank));
}

static int same_layout(const void *entry, const void *key)
{
    return layout_equal(entry, key);
}

static uint32_t hash_layout(const struct tf_layout *layout)
{
    uint32_t hash = hash_more(hash_more(5, layout->kind), layout->rank);
    hash = hash_pointer(hash_pointer(hash, layout->outer), layout->offset);
    hash = hash_pointers(hash, (const void *const *)layout->shape, layout->rank);
    if (layout->strides)
        hash = hash_pointers(hash, (const void *const *)layout->strides, layout->rank);
    for (uint32_t i = 0; layout->mesh && i < layout->mesh->rank; i++)
        hash = hash_more(hash, layout->attrs[i].kind * 64u + (uint32_t)layout->attrs[i].axis);
    return hash;
}

static const struct tf_layout *intern_layout(tf_ctx *ctx, struct tf_layout *key)
{
    struct arena *arena = &ctx->arena;
    struct table *table = &type_tables(ctx)->layouts;
    uint32_t hash = hash_layout(key);
    const struct tf_layout *known = table_find(table, hash, key, same_layout);
    if (known)
        return known;
    key->shape = arena_copy(arena, key->shape, key->rank * sizeof(*key->shape));
    key->strides = key->strides ? arena_copy(arena, key->strides, key->rank * sizeof(*key->strides)) : NULL;
    key->attrs = key->mesh ? arena_copy(arena, key->attrs, key->mesh->rank * sizeof(*key->attrs)) : NULL;
    known = arena_copy(arena, key, sizeof(*key));
    table_add(table, arena, hash, known);
    return known;
}

const struct tf_layout *layout_plain(
    tf_ctx *ctx, uint32_t rank, const struct tf_dim *const *shape, const struct tf_dim *const *strides)
{
    struct tf_layout key = {.kind = TF_LAYOUT_PLAIN, .rank = rank, .shape = shape};
    key.strides = strides ? strides : strides_c_order(ctx, rank, shape);
    return intern_layout(ctx, &key);
}

const struct tf_layout *layout_composed(tf_ctx *ctx, const struct tf_dim *offset, const struct tf_layout *outer)
{
    struct tf_layout key = {.kind = TF_LAYOUT_COMPOSED,
        .rank = outer->rank,
        .shape = outer->shape,
        .strides = outer->strides,
        .outer = outer,
        .offset = offset};
    return intern_layout(ctx, &key);
}

const struct tf_layout *layout_shard(tf_ctx *ctx, uint32_t rank, const struct tf_dim *const *shape,
    const struct tf_dim *const *strides, const struct tf_mesh *mesh, const struct tf_shard_attr *attrs)
{
    struct tf_shard_attr clean[TF_MAX_MESH];
    for (uint32_t i = 0; i < mesh->rank; i++) {
        clean[i] = (struct tf_shard_attr){.kind = attrs[i].kind};
        if (attrs[i].kind == TF_ATTR_SPLIT)
            clean[i].axis = attrs[i].axis;
        if (attrs[i].kind == TF_ATTR_PARTIAL)
            clean[i].reduction = ctx_intern(ctx, attrs[i].reduction ? attrs[i].reduction : "sum");
    }
    struct tf_layout key = {
        .kind = TF_LAYOUT_SHARD, .rank = rank, .shape = shape, .strides = strides, .mesh = mesh, .attrs = clean};
    return intern_layout(ctx, &key);
}

const struct tf_layout *shard_of(const struct tf_layout *layout)
{
    if (layout && layout->kind == TF_LAYOUT_COMPOSED)
        layout = layout->outer;
    return layout && layout->kind == TF_LAYOUT_SHARD ? layout : NULL;
}

/* ---- placements ----------------------------------------------------------------------------------------------------*/

/* The positions of a factored layout as they are found. */
struct factored {
    tf_ctx *ctx;
    const struct tf_loc *loc;
    const struct tf_mesh *mesh;
    uint32_t rank;
    const struct tf_dim *shape[TF_MAX_RANK + TF_MAX_MESH];
    struct tf_shard_attr attrs[TF_MAX_MESH];
};

static void add_position(struct factored *f, const struct tf_dim *extent)
{
    f->shape[f->rank++] = extent;
}

static void split_here(struct factored *f, uint32_t mesh_axis)
{
    f->attrs[mesh_axis] = (struct tf_shard_attr){.kind = TF_ATTR_SPLIT, .axis = (int32_t)f->rank};
}

static int refuse_open(const struct factored *f, uint32_t axis, const char *what)
{
    ERROR(f->ctx, f->loc, "placement-open", "axis %u cannot be divided among mesh axes: %s is open", axis, what);
    return TF_E_REFUSED;
}

/* An axis that mesh axes divide: their extents in mesh-axis order, then what is left of it unless that is 1. */
static int factor_axis(struct factored *f, uint32_t axis, const struct tf_dim *extent, uint64_t splits)
{
    int64_t size, parts = 1;
    int is_open = !dim_is_const(extent, &size);
    if (is_open && !(splits & (splits - 1))) {
        split_here(f, (uint32_t)__builtin_ctzll(splits));
        add_position(f, extent);
        return 0;
    }
    if (is_open)
        return refuse_open(f, axis, "its extent");
    for (uint64_t left = splits; left; left &= left - 1) {
        uint32_t mesh_axis = (uint32_t)__builtin_ctzll(left);
        int64_t units;
        if (!dim_is_const(f->mesh->shape[mesh_axis], &units))
            return refuse_open(f, axis, "the mesh axis's extent");
        if (__builtin_mul_overflow(parts, units, &parts))
            parts = INT64_MAX;
        split_here(f, mesh_axis);
        add_position(f, f->mesh->shape[mesh_axis]);
    }
    if (parts < 1 || size % parts) {
        ERROR(f->ctx, f->loc, "placement-divide", "an extent of %lld cannot be divided among %lld units",
            (long long)size, (long long)parts);
        return TF_E_REFUSED;
    }
    if (size / parts != 1)
        add_position(f, dim_const(f->ctx, size / parts));
    return 0;
}

/* attrs name logical axes; positions come out in f. */
static int factor(
    struct factored *f, uint32_t rank, const struct tf_dim *const *shape, const struct tf_shard_attr *attrs)
{
    uint64_t splits[TF_MAX_RANK] = {0};
    for (uint32_t i = 0; i < f->mesh->rank; i++) {
        f->attrs[i] = attrs[i];
        if (attrs[i].kind == TF_ATTR_SPLIT && attrs[i].axis >= 0 && (uint32_t)attrs[i].axis < rank)
            splits[attrs[i].axis] |= (uint64_t)1 << i;
    }
    for (uint32_t axis = 0; axis < rank; axis++) {
        if (!splits[axis])
            add_position(f, shape[axis]);
        else if (factor_axis(f, axis, shape[axis], splits[axis]))
            return TF_E_REFUSED;
    }
    return 0;
}

const struct tf_layout *layout_canonical(tf_ctx *ctx, const struct tf_loc *loc, uint32_t rank,
    const struct tf_dim *const *shape, const struct tf_mesh *mesh, const struct tf_shard_attr *attrs)
{
    struct factored f = {.ctx = ctx, .loc = loc, .mesh = mesh};
    if (factor(&f, rank, shape, attrs))
        return NULL;
    return layout_shard(ctx, f.rank, f.shape, strides_c_order(ctx, f.rank, f.shape), mesh, f.attrs);
}

const struct tf_layout *layout_placed(
    tf_ctx *ctx, const struct tf_loc *loc, const struct tf_mesh *mesh, const struct placed_dim *items, uint32_t n)
{
    const struct tf_dim *shape[TF_MAX_RANK];
    struct tf_shard_attr attrs[TF_MAX_MESH] = {{.kind = TF_ATTR_BROADCAST}};
    if (n > TF_MAX_RANK) {
        ERROR(ctx, loc, "placement-rank", "a placement of %u extents; at most %d are possible", n, TF_MAX_RANK);
        return NULL;
    }
    for (uint32_t i = 0; i < n; i++) {
        shape[i] = items[i].extent;
        for (uint32_t k = 0; k < items[i].n_axes; k++) {
            struct tf_shard_attr *attr = &attrs[items[i].axes[k]];
            if (attr->kind == TF_ATTR_SPLIT) {
                ERROR(ctx, loc, "placement-twice", "mesh axis %u is used twice in one placement", items[i].axes[k]);
                return NULL;
            }
            *attr = (struct tf_shard_attr){.kind = TF_ATTR_SPLIT, .axis = (int32_t)i};
        }
    }
    struct factored f = {.ctx = ctx, .loc = loc, .mesh = mesh};
    return factor(&f, n, shape, attrs) ? NULL : layout_shard(ctx, f.rank, f.shape, NULL, mesh, f.attrs);
}

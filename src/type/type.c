/* SPDX-License-Identifier: MIT
 * Types: making, comparing, binding and measuring them, and what one unit holds of one.
 */
#include "type/table.h"

#include "util/diag.h"

#include <string.h>

/* ---- making and comparing --------------------------------------------------------------------------------------------*/

int type_equal(const struct tf_type *a, const struct tf_type *b)
{
    if (a == b)
        return 1;
    if (!a || !b || a->kind != b->kind || a->rank != b->rank || a->dtype != b->dtype || a->storage != b->storage)
        return 0;
    if (a->kind == TF_TYPE_TENSOR)
        return dims_equal(a->shape, b->shape, a->rank) && layout_equal(a->layout, b->layout);
    for (uint32_t i = 0; i < a->rank; i++)
        if (!type_equal(a->fields[i], b->fields[i]))
            return 0;
    return 1;
}

static int same_type(const void *entry, const void *key)
{
    return type_equal(entry, key);
}

const struct tf_type *type_tensor(tf_ctx *ctx, uint32_t dtype, uint32_t rank, const struct tf_dim *const *shape,
    const struct tf_layout *layout, uint32_t storage)
{
    struct tf_type key = {
        .kind = TF_TYPE_TENSOR, .rank = rank, .dtype = dtype, .storage = storage, .shape = shape, .layout = layout};
    uint32_t hash = hash_pointer(hash_more(hash_more(hash_more(7, dtype), storage), rank), layout);
    hash = hash_pointers(hash, (const void *const *)shape, rank);
    struct table *table = &type_tables(ctx)->types;
    const struct tf_type *known = table_find(table, hash, &key, same_type);
    if (known)
        return known;
    key.shape = arena_copy(&ctx->arena, shape, rank * sizeof(*shape));
    known = arena_copy(&ctx->arena, &key, sizeof(key));
    table_add(table, &ctx->arena, hash, known);
    return known;
}

const struct tf_type *type_tuple(tf_ctx *ctx, uint32_t n, const struct tf_type *const *fields)
{
    struct tf_type key = {.kind = TF_TYPE_TUPLE, .rank = n, .fields = fields};
    uint32_t hash = hash_pointers(hash_more(11, n), (const void *const *)fields, n);
    struct table *table = &type_tables(ctx)->types;
    const struct tf_type *known = table_find(table, hash, &key, same_type);
    if (known)
        return known;
    key.fields = arena_copy(&ctx->arena, fields, n * sizeof(*fields));
    known = arena_copy(&ctx->arena, &key, sizeof(key));
    table_add(table, &ctx->arena, hash, known);
    return known;
}

static int layout_accepts(const struct tf_layout *declared, const struct tf_layout *actual)
{
    if (!declared || declared == actual)
        return 1;
    if (!actual || declared->kind != actual->kind || declared->rank != actual->rank)
        return 0;
    if (declared->kind == TF_LAYOUT_COMPOSED || declared->strides)
        return layout_equal(declared, actual);
    /* open strides accept any */
    struct tf_layout open = *actual;
    open.strides = NULL;
    return layout_equal(declared, &open);
}

int type_accepts(const struct tf_type *declared, const struct tf_type *actual)
{
    if (declared == actual)
        return 1;
    if (declared->kind != actual->kind || declared->rank != actual->rank)
        return 0;
    if (declared->kind == TF_TYPE_TENSOR)
        return declared->dtype == actual->dtype && dims_equal(declared->shape, actual->shape, declared->rank) &&
               (declared->storage == TF_STORAGE_UMAT || declared->storage == actual->storage) &&
               layout_accepts(declared->layout, actual->layout);
    for (uint32_t i = 0; i < declared->rank; i++)
        if (!type_accepts(declared->fields[i], actual->fields[i]))
            return 0;
    return 1;
}

/* ---- binding -------------------------------------------------------------------------------------------------------*/

struct bind {
    tf_ctx *ctx;
    const struct dim_binding *bound;
    size_t n;
    const char **why;
};

/* Binds a row into `to`; *changed is set when one differs. */
static int bind_row(
    const struct bind *b, const struct tf_dim *const *from, uint32_t n, const struct tf_dim **to, int *changed)
{
    for (uint32_t i = 0; i < n; i++) {
        to[i] = from[i]->kind == TF_DIM_CONST ? from[i] : dim_bind(b->ctx, from[i], b->bound, b->n, b->why);
        if (!to[i])
            return -1;
        *changed |= to[i] != from[i];
    }
    return 0;
}

const struct tf_mesh *mesh_bind(
    tf_ctx *ctx, const struct tf_mesh *mesh, const struct dim_binding *bound, size_t n, const char **why)
{
    const struct bind b = {ctx, bound, n, why};
    const struct tf_dim *shape[TF_MAX_MESH], *strides[TF_MAX_MESH];
    struct tf_topology levels[TF_MAX_MESH];
    struct tf_mesh fields = *mesh;
    int changed = 0;
    if (mesh->n_levels > TF_MAX_MESH || bind_row(&b, mesh->shape, mesh->rank, shape, &changed) ||
        (mesh->strides && bind_row(&b, mesh->strides, mesh->rank, strides, &changed)))
        return NULL;
    for (uint32_t i = 0; i < mesh->n_levels; i++) {
        levels[i] = mesh->levels[i];
        if (bind_row(&b, &mesh->levels[i].extent, 1, &levels[i].extent, &changed))
            return NULL;
    }
    if (!changed)
        return mesh;
    fields.shape = shape;
    fields.strides = mesh->strides ? strides : NULL;
    fields.levels = levels;
    fields.base = mesh->base ? mesh_bind(ctx, mesh->base, bound, n, why) : NULL;
    return mesh->base && !fields.base ? NULL : mesh_make(ctx, &fields);
}

static const struct tf_layout *bind_composed(const struct bind *b, const struct tf_layout *layout)
{
    const struct tf_layout *outer = layout_bind(b->ctx, layout->outer, b->bound, b->n, b->why);
    const struct tf_dim *offset = dim_bind(b->ctx, layout->offset, b->bound, b->n, b->why);
    return outer && offset ? layout_composed(b->ctx, offset, outer) : NULL;
}

const struct tf_layout *layout_bind(
    tf_ctx *ctx, const struct tf_layout *layout, const struct dim_binding *bound, size_t n, const char **why)
{
    const struct bind b = {ctx, bound, n, why};
    if (!layout)
        return NULL;
    if (layout->kind == TF_LAYOUT_COMPOSED)
        return bind_composed(&b, layout);
    const struct tf_dim **shape = CTX_ARRAY(ctx, const struct tf_dim *, layout->rank), **strides = NULL;
    const struct tf_mesh *mesh = layout->mesh ? mesh_bind(ctx, layout->mesh, bound, n, why) : NULL;
    int changed = mesh != layout->mesh;
    if ((layout->mesh && !mesh) || bind_row(&b, layout->shape, layout->rank, shape, &changed))
        return NULL;
    if (layout->strides) {
        strides = CTX_ARRAY(ctx, const struct tf_dim *, layout->rank);
        if (bind_row(&b, layout->strides, layout->rank, strides, &changed))
            return NULL;
    }
    if (!changed)
        return layout;
    return mesh ? layout_shard(ctx, layout->rank, shape, strides, mesh, layout->attrs)
                : layout_plain(ctx, layout->rank, shape, strides);
}

static const struct tf_type *bind_tuple(const struct bind *b, const struct tf_type *type)
{
    const struct tf_type **fields = CTX_ARRAY(b->ctx, const struct tf_type *, type->rank);
    for (uint32_t i = 0; i < type->rank; i++) {
        fields[i] = type_bind(b->ctx, type->fields[i], b->bound, b->n, b->why);
        if (!fields[i])
            return NULL;
    }
    return type_tuple(b->ctx, type->rank, fields);
}

const struct tf_type *type_bind(
    tf_ctx *ctx, const struct tf_type *type, const struct dim_binding *bound, size_t n, const char **why)
{
    const struct bind b = {ctx, bound, n, why};
    if (!n)
        return type;
    if (type->kind == TF_TYPE_TUPLE)
        return bind_tuple(&b, type);
    const struct tf_dim *few[TF_MAX_RANK], **shape = few;
    int changed = 0;
    if (type->rank > TF_MAX_RANK)
        shape = CTX_ARRAY(ctx, const struct tf_dim *, type->rank);
    if (bind_row(&b, type->shape, type->rank, shape, &changed))
        return NULL;
    const struct tf_layout *layout = layout_bind(ctx, type->layout, bound, n, why);
    if (type->layout && !layout)
        return NULL;
    return changed || layout != type->layout ? type_tensor(ctx, type->dtype, type->rank, shape, layout, type->storage)
                                             : type;
}

/* ---- one unit's share ------------------------------------------------------------------------------------------------*/

struct local {
    tf_ctx *ctx;
    const struct tf_loc *loc;
    const struct tf_topology *levels;
    uint32_t n, selected;
};

static int refuse_share(const struct local *l, const char *text)
{
    ERROR(l->ctx, l->loc, "local-extent", "one unit's share cannot be told: %s", text);
    return TF_E_REFUSED;
}

/* Whether the units of a mesh axis are told apart at the selected level; -1 after a diagnostic. */
static int divides(const struct local *l, const struct tf_mesh *mesh, uint32_t axis)
{
    const char *name = mesh->levels[mesh->level_of[axis]].name;
    for (uint32_t i = 0; i < l->n; i++)
        if (!strcmp(l->levels[i].name, name))
            return i <= l->selected;
    ERROR(l->ctx, l->loc, "topology-level", "a value is split over level \"%s\", which the module does not declare",
        name);
    return -1;
}

/* Divides one extent among the units of one mesh axis. */
static const struct tf_dim *share(const struct local *l, const struct tf_dim *extent, const struct tf_dim *units)
{
    int64_t size, parts;
    if (extent == units)
        return dim_const(l->ctx, 1);
    if (!dim_is_const(units, &parts) || !dim_is_const(extent, &size)) {
        refuse_share(l, "an extent that is split is open; bind it (--dim)");
        return NULL;
    }
    if (parts < 1 || size % parts) {
        ERROR(l->ctx, l->loc, "local-extent", "an extent of %lld cannot be divided among %lld units", (long long)size,
            (long long)parts);
        return NULL;
    }
    return dim_const(l->ctx, size / parts);
}

/* Divides axis by axis; the axis that a split position belongs to has the position as a factor, so dividing the axis is
 * dividing the position. */
static int divide_axes(const struct local *l, const struct tf_type *type, const struct tf_layout *shard,
    const struct tf_dim **shape, int *changed)
{
    int32_t axis_of[TF_MAX_RANK + TF_MAX_MESH];
    const struct tf_dim *position[TF_MAX_RANK + TF_MAX_MESH];
    if (shard->rank > TF_MAX_RANK + TF_MAX_MESH)
        return refuse_share(l, "its layout has too many positions");
    position_axes(shard, type->rank, type->shape, axis_of);
    memcpy(position, shard->shape, shard->rank * sizeof(*position));
    for (uint32_t i = 0; i < shard->mesh->rank; i++) {
        const struct tf_shard_attr *attr = &shard->attrs[i];
        int on = attr->kind == TF_ATTR_SPLIT ? divides(l, shard->mesh, i) : 0;
        if (on < 0)
            return TF_E_REFUSED;
        if (!on)
            continue;
        if (attr->axis < 0 || (uint32_t)attr->axis >= shard->rank || axis_of[attr->axis] < 0)
            return refuse_share(l, "a split names a position that its layout does not have");
        position[attr->axis] = share(l, position[attr->axis], shard->mesh->shape[i]);
        const struct tf_dim **axis = &shape[axis_of[attr->axis]];
        *axis = position[attr->axis] ? share(l, *axis, shard->mesh->shape[i]) : NULL;
        if (!*axis)
            return TF_E_REFUSED;
        *changed = 1;
    }
    return 0;
}

static const struct tf_type *local_tuple(const struct local *l, const struct tf_type *type)
{
    const struct tf_type **fields = CTX_ARRAY(l->ctx, const struct tf_type *, type->rank);
    for (uint32_t i = 0; i < type->rank; i++) {
        fields[i] = type_local(l->ctx, l->loc, type->fields[i], l->levels, l->n, l->selected);
        if (!fields[i])
            return NULL;
    }
    return type_tuple(l->ctx, type->rank, fields);
}

const struct tf_type *type_local(tf_ctx *ctx, const struct tf_loc *loc, const struct tf_type *type,
    const struct tf_topology *levels, uint32_t n, uint32_t selected)
{
    const struct local l = {ctx, loc, levels, n, selected};
    if (selected >= n)
        return type;
    if (type->kind == TF_TYPE_TUPLE)
        return local_tuple(&l, type);
    const struct tf_layout *shard = shard_of(type->layout);
    if (!shard || type->rank > TF_MAX_RANK)
        return type;
    const struct tf_dim *shape[TF_MAX_RANK];
    int changed = 0;
    if (type->rank)
        memcpy(shape, type->shape, type->rank * sizeof(*shape));
    if (divide_axes(&l, type, shard, shape, &changed))
        return NULL;
    /* a share is no longer laid out over the units: it has no layout, and its own share is itself */
    return type_tensor(ctx, type->dtype, type->rank, shape, NULL, type->storage);
}

/* ---- measuring -----------------------------------------------------------------------------------------------------*/

size_t type_leaves(const struct tf_type *type, const struct tf_type **leaves, size_t room)
{
    if (type->kind == TF_TYPE_TENSOR) {
        if (room)
            leaves[0] = type;
        return 1;
    }
    size_t n = 0;
    for (uint32_t i = 0; i < type->rank; i++)
        n += type_leaves(type->fields[i], n < room ? leaves + n : NULL, n < room ? room - n : 0);
    return n;
}

int type_elements(const struct tf_type *leaf, uint64_t *n)
{
    uint64_t product = 1;
    int empty = 0, overflow = 0;
    for (uint32_t i = 0; i < leaf->rank; i++) {
        int64_t extent;
        if (!dim_is_const(leaf->shape[i], &extent) || extent < 0)
            return TF_E_REFUSED;
        empty |= !extent;
        overflow |= !empty && (__builtin_mul_overflow(product, (uint64_t)extent, &product) || product > INT64_MAX);
    }
    *n = empty ? 0 : product;
    return overflow && !empty ? TF_E_OVERFLOW : TF_OK;
}

int type_bytes(const struct tf_type *leaf, uint64_t *bytes)
{
    uint64_t elements, bits;
    int rc = type_elements(leaf, &elements);
    if (rc)
        return rc;
    if (__builtin_mul_overflow(elements, (uint64_t)dtype_info(leaf->dtype)->bits, &bits)) {
        /* more than 2^61 bytes, but perhaps less than 2^63 */
        unsigned __int128 wide = ((unsigned __int128)elements * dtype_info(leaf->dtype)->bits + 7) / 8;
        if (wide > INT64_MAX)
            return TF_E_OVERFLOW;
        *bytes = (uint64_t)wide;
        return TF_OK;
    }
    *bytes = bits / 8 + (bits % 8 != 0);
    return TF_OK;
}

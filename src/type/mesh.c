/* SPDX-License-Identifier: MIT
 * Meshes: which units of which levels a region runs on.
 */
#include "type/table.h"

#include "util/diag.h"

#include <string.h>

/* ---- making --------------------------------------------------------------------------------------------------------*/

static int names_equal(const char *const *a, const char *const *b, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (a[i] != b[i] && (!a[i] || !b[i] || strcmp(a[i], b[i])))
            return 0;
    return 1;
}

static int levels_equal(const struct tf_topology *a, const struct tf_topology *b, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (a[i].extent != b[i].extent || (a[i].name != b[i].name && strcmp(a[i].name, b[i].name)))
            return 0;
    return 1;
}

int mesh_equal(const struct tf_mesh *a, const struct tf_mesh *b)
{
    if (a == b)
        return 1;
    if (!a || !b || a->rank != b->rank || a->n_levels != b->n_levels || !a->offset != !b->offset)
        return 0;
    if (!dims_equal(a->shape, b->shape, a->rank) || !dims_equal(a->strides, b->strides, a->rank))
        return 0;
    if (a->offset && memcmp(a->offset, b->offset, a->rank * sizeof(*a->offset)) != 0)
        return 0;
    return levels_equal(a->levels, b->levels, a->n_levels) && names_equal(a->names, b->names, a->rank) &&
           (!a->base == !b->base) && (!a->base || mesh_equal(a->base, b->base));
}

static int same_mesh(const void *entry, const void *key)
{
    return mesh_equal(entry, key);
}

/* How many axes from `first` on a level of this extent takes: until they multiply to exactly it, at least one.  The last
 * level takes what is left.  Where no boundary is met, mesh_check says so. */
static uint32_t axes_taken(tf_ctx *ctx, const struct tf_mesh *mesh, uint32_t level, uint32_t first)
{
    if (level + 1 == mesh->n_levels)
        return mesh->rank - first;
    const struct tf_dim *product = dim_const(ctx, 1);
    for (uint32_t axis = first; axis < mesh->rank; axis++) {
        product = product ? dim_mul(ctx, product, mesh->shape[axis], NULL) : NULL;
        if (product == mesh->levels[level].extent)
            return axis + 1 - first;
    }
    return mesh->rank > first ? 1 : 0;
}

static const uint32_t *assign_levels(tf_ctx *ctx, const struct tf_mesh *mesh)
{
    uint32_t *level_of = CTX_ARRAY(ctx, uint32_t, mesh->rank);
    uint32_t axis = 0;
    for (uint32_t level = 0; level < mesh->n_levels; level++)
        for (uint32_t n = axes_taken(ctx, mesh, level, axis); n; n--)
            level_of[axis++] = level;
    return level_of;
}

static uint32_t hash_mesh(const struct tf_mesh *mesh)
{
    uint32_t hash = hash_more(hash_more(3, mesh->rank), mesh->n_levels);
    for (uint32_t i = 0; i < mesh->n_levels; i++)
        hash = hash_pointer(hash, mesh->levels[i].extent);
    hash = hash_pointers(hash, (const void *const *)mesh->shape, mesh->rank);
    return hash_pointers(hash, (const void *const *)mesh->strides, mesh->rank);
}

const struct tf_mesh *mesh_make(tf_ctx *ctx, const struct tf_mesh *fields)
{
    struct tf_mesh key = *fields;
    struct arena *arena = &ctx->arena;
    if (!key.strides)
        key.strides = strides_c_order(ctx, key.rank, key.shape);
    if (!key.names)
        key.names = CTX_ARRAY(ctx, const char *, key.rank);
    uint32_t hash = hash_mesh(&key);
    struct table *table = &type_tables(ctx)->meshes;
    const struct tf_mesh *known = table_find(table, hash, &key, same_mesh);
    if (known)
        return known;
    struct tf_topology *levels = arena_copy(arena, key.levels, key.n_levels * sizeof(*levels));
    for (uint32_t i = 0; i < key.n_levels; i++)
        levels[i].name = ctx_intern(ctx, levels[i].name);
    const char **names = arena_copy(arena, key.names, key.rank * sizeof(*names));
    for (uint32_t i = 0; i < key.rank; i++)
        names[i] = names[i] ? ctx_intern(ctx, names[i]) : NULL;
    key.levels = levels;
    key.names = names;
    key.shape = arena_copy(arena, key.shape, key.rank * sizeof(*key.shape));
    key.strides = key.strides ? arena_copy(arena, key.strides, key.rank * sizeof(*key.strides)) : NULL;
    key.offset = key.offset ? arena_copy(arena, key.offset, key.rank * sizeof(*key.offset)) : NULL;
    key.level_of =
        key.base ? arena_copy(arena, key.base->level_of, key.rank * sizeof(*key.level_of)) : assign_levels(ctx, &key);
    known = arena_copy(arena, &key, sizeof(key));
    table_add(table, arena, hash, known);
    return known;
}

/* ---- nesting -------------------------------------------------------------------------------------------------------*/

static int names_level(const struct tf_mesh *mesh, const char *level)
{
    for (uint32_t i = 0; i < mesh->n_levels; i++)
        if (!strcmp(mesh->levels[i].name, level))
            return 1;
    return 0;
}

/* A level named by both meshes, and one that only the outer names; NULL for none. */
static void compare_levels(
    const struct tf_mesh *outer, const struct tf_mesh *inner, const char **shared, const char **left)
{
    *shared = *left = NULL;
    for (uint32_t i = 0; i < outer->n_levels; i++)
        *(names_level(inner, outer->levels[i].name) ? shared : left) = outer->levels[i].name;
}

/* Units in one position of the outer mesh, all of the inner's levels multiplied. */
static const struct tf_dim *units_below(tf_ctx *ctx, const struct tf_mesh *inner)
{
    const struct tf_dim *units = dim_const(ctx, 1);
    for (uint32_t i = 0; i < inner->n_levels && units; i++)
        units = dim_mul(ctx, units, inner->levels[i].extent, NULL);
    return units;
}

static const struct tf_mesh *unsliced(const struct tf_mesh *mesh)
{
    return mesh->base ? mesh->base : mesh;
}

/* Appends the inner mesh's axes and levels to the outer's. */
static const struct tf_mesh *append(tf_ctx *ctx, const struct tf_mesh *outer, const struct tf_mesh *inner)
{
    const struct tf_dim *shape[TF_MAX_MESH], *strides[TF_MAX_MESH], *below = units_below(ctx, inner);
    const char *names[TF_MAX_MESH];
    int64_t offset[TF_MAX_MESH];
    struct tf_topology *levels = CTX_ARRAY(ctx, struct tf_topology, outer->n_levels + inner->n_levels);
    int failed = !below;
    for (uint32_t i = 0; i < outer->rank + inner->rank && !failed; i++) {
        const struct tf_mesh *part = i < outer->rank ? outer : inner;
        uint32_t axis = i < outer->rank ? i : i - outer->rank;
        shape[i] = part->shape[axis];
        names[i] = part->names[axis];
        offset[i] = part->offset ? part->offset[axis] : 0;
        strides[i] = part == outer ? dim_mul(ctx, part->strides[axis], below, NULL) : part->strides[axis];
        failed = !strides[i];
    }
    if (failed)
        return NULL;
    memcpy(levels, outer->levels, outer->n_levels * sizeof(*levels));
    memcpy(levels + outer->n_levels, inner->levels, inner->n_levels * sizeof(*levels));
    struct tf_mesh fields = {.n_levels = outer->n_levels + inner->n_levels,
        .rank = outer->rank + inner->rank,
        .levels = levels,
        .shape = shape,
        .strides = strides,
        .names = names};
    if (outer->base || inner->base) {
        fields.base = append(ctx, unsliced(outer), unsliced(inner));
        fields.offset = offset;
    }
    return outer->base || inner->base ? (fields.base ? mesh_make(ctx, &fields) : NULL) : mesh_make(ctx, &fields);
}

const struct tf_mesh *mesh_compose(
    tf_ctx *ctx, const struct tf_loc *loc, const struct tf_mesh *outer, const struct tf_mesh *inner)
{
    if (!outer)
        return inner;
    const char *shared, *left;
    compare_levels(outer, inner, &shared, &left);
    if (!left)
        return inner;
    if (shared) {
        ERROR(ctx, loc, "mesh-nesting",
            "this mesh names level \"%s\" again but not \"%s\": a mesh within another either adds levels or names all "
            "that are in force",
            shared, left);
        return NULL;
    }
    if (outer->rank + inner->rank > TF_MAX_MESH) {
        ERROR(ctx, loc, "mesh-nesting", "the meshes in force have %u axes together; at most %d are possible",
            outer->rank + inner->rank, TF_MAX_MESH);
        return NULL;
    }
    const struct tf_mesh *mesh = outer->strides && inner->strides ? append(ctx, outer, inner) : NULL;
    if (!mesh)
        ERROR(ctx, loc, "mesh-nesting", "the units of the meshes in force are too many to count");
    return mesh;
}

/* ---- slices --------------------------------------------------------------------------------------------------------*/

const struct tf_mesh *mesh_slice(
    tf_ctx *ctx, const struct tf_loc *loc, const struct tf_mesh *mesh, const int64_t *from, const int64_t *to)
{
    const struct tf_dim *shape[TF_MAX_MESH];
    if (mesh->base) {
        ERROR(ctx, loc, "mesh-slice", "this mesh is a slice already; slice the whole mesh instead");
        return NULL;
    }
    for (uint32_t i = 0; i < mesh->rank; i++) {
        int64_t extent;
        if (!dim_is_const(mesh->shape[i], &extent)) {
            ERROR(ctx, loc, "mesh-slice", "axis %u of the mesh has an open extent, so it cannot be sliced", i);
            return NULL;
        }
        if (from[i] < 0 || from[i] >= to[i] || to[i] > extent) {
            ERROR(ctx, loc, "mesh-slice", "positions %lld:%lld of mesh axis %u are not a part of its %lld positions",
                (long long)from[i], (long long)to[i], i, (long long)extent);
            return NULL;
        }
        shape[i] = dim_const(ctx, to[i] - from[i]);
    }
    struct tf_mesh fields = *mesh;
    fields.shape = shape;
    fields.base = mesh;
    fields.offset = from;
    return mesh_make(ctx, &fields);
}

/* ---- asking --------------------------------------------------------------------------------------------------------*/

int mesh_axis(const struct tf_mesh *mesh, const char *name, int may_be_letter)
{
    for (uint32_t i = 0; i < mesh->rank; i++)
        if (mesh->names[i] && !strcmp(mesh->names[i], name))
            return (int)i;
    if (may_be_letter && name[0] >= 'x' && name[0] <= 'z' && !name[1] && (uint32_t)(name[0] - 'x') < mesh->rank)
        return name[0] - 'x';
    return -1;
}

static const struct tf_topology *level_named(const struct tf_topology *levels, uint32_t n, const char *name)
{
    for (uint32_t i = 0; i < n; i++)
        if (!strcmp(levels[i].name, name))
            return &levels[i];
    return NULL;
}

static int check_level(
    tf_ctx *ctx, const struct tf_loc *loc, const struct tf_mesh *mesh, uint32_t level, const struct tf_dim *extent)
{
    const struct tf_dim *product = dim_const(ctx, 1);
    uint32_t axes = 0;
    for (uint32_t i = 0; i < mesh->rank; i++) {
        if (mesh->level_of[i] != level)
            continue;
        product = product ? dim_mul(ctx, product, mesh->shape[i], NULL) : NULL;
        axes++;
    }
    if (product == extent && (axes || dim_is(extent, 1)))
        return 0;
    /* what is open may still come out equal; it is asked again when it is bound */
    if (product && (!dim_is_const(product, NULL) || !dim_is_const(extent, NULL)))
        return 0;
    struct buf has = {0}, want = {0};
    if (product)
        dim_print(&has, product);
    dim_print(&want, extent);
    ERROR(ctx, loc, "mesh-extent",
        "the axes of this mesh that belong to level \"%s\" have %s positions together; the level has %s, and a mesh "
        "takes "
        "them all (a slice of the mesh takes fewer)",
        mesh->levels[level].name, product ? buf_text(&has) : "too many", buf_text(&want));
    buf_free(&has);
    buf_free(&want);
    return TF_E_REFUSED;
}

int mesh_check(
    tf_ctx *ctx, const struct tf_loc *loc, const struct tf_mesh *mesh, const struct tf_topology *levels, uint32_t n)
{
    const struct tf_mesh *whole = unsliced(mesh);
    for (uint32_t i = 0; i < whole->n_levels; i++) {
        const struct tf_topology *declared = level_named(levels, n, whole->levels[i].name);
        if (!declared) {
            ERROR(ctx, loc, "topology-level", "level \"%s\" of this mesh is not one that the module declares",
                whole->levels[i].name);
            return TF_E_REFUSED;
        }
        int rc = check_level(ctx, loc, whole, i, declared->extent);
        if (rc)
            return rc;
    }
    return 0;
}

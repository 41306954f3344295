/* SPDX-License-Identifier: MIT
 * Rules that operands have together: shapes that broadcast, one storage, and layouts that suit the mesh in force.
 */
#include "type/type.h"

#include "util/diag.h"

#include <string.h>

int broadcast_shape(const struct tf_type *a, const struct tf_type *b, uint32_t *rank, const struct tf_dim **shape)
{
    uint32_t n = a->rank > b->rank ? a->rank : b->rank;
    for (uint32_t i = 0; i < n; i++) {
        const struct tf_dim *left = i + a->rank >= n ? a->shape[i + a->rank - n] : NULL;
        const struct tf_dim *right = i + b->rank >= n ? b->shape[i + b->rank - n] : NULL;
        if (!left || !right)
            shape[i] = left ? left : right;
        else if (left == right || dim_is(right, 1))
            shape[i] = left;
        else if (dim_is(left, 1))
            shape[i] = right;
        else
            return TF_E_REFUSED;
    }
    *rank = n;
    return TF_OK;
}

int anchor_storage(
    tf_ctx *ctx, const struct tf_call *call, uint32_t n, const struct tf_type *const *types, uint32_t *storage)
{
    uint32_t seen = 0;
    *storage = TF_STORAGE_UMAT;
    for (uint32_t i = 0; i < n; i++) {
        if (types[i]->kind != TF_TYPE_TENSOR || types[i]->storage == TF_STORAGE_UMAT)
            continue;
        seen |= 1u << types[i]->storage;
        *storage = types[i]->storage;
    }
    if (!(seen & (seen - 1)))
        return TF_OK;
    struct buf text = {0};
    for (uint32_t i = 0; i < TF_STORAGE_COUNT; i++)
        if (seen >> i & 1)
            buf_printf(&text, "%s%s", text.n ? ", " : "", storage_name(i));
    ERROR(ctx, &call->loc, "storage-conflict",
        "the operands are in different storages (%s); reshard them into one first", buf_text(&text));
    buf_free(&text);
    return TF_E_REFUSED;
}

/* ---- the mesh in force -----------------------------------------------------------------------------------------------*/

static uint32_t level_index(const struct tf_mesh *mesh, const char *name)
{
    uint32_t i = 0;
    while (i < mesh->n_levels && strcmp(mesh->levels[i].name, name) != 0)
        i++;
    return i;
}

/* Units in one position of a level. */
static const struct tf_dim *units_under(tf_ctx *ctx, const struct tf_mesh *mesh, uint32_t level)
{
    const struct tf_dim *units = dim_const(ctx, 1);
    for (uint32_t i = level + 1; i < mesh->n_levels && units; i++)
        units = dim_mul(ctx, units, mesh->levels[i].extent, NULL);
    return units;
}

/* The next axis of a level from `axis` on that has more than one position; rank when there is none. */
static uint32_t next_axis(const struct tf_mesh *mesh, uint32_t level, uint32_t axis)
{
    while (axis < mesh->rank && (mesh->level_of[axis] != level || dim_is(mesh->shape[axis], 1)))
        axis++;
    return axis;
}

/* Whether both meshes have the same positions at a level: extents, and strides counted in that level's own positions. */
static int same_positions(
    tf_ctx *ctx, const struct tf_mesh *a, uint32_t level_a, const struct tf_mesh *b, uint32_t level_b)
{
    const struct tf_dim *under_a = units_under(ctx, a, level_a), *under_b = units_under(ctx, b, level_b);
    uint32_t i = next_axis(a, level_a, 0), k = next_axis(b, level_b, 0);
    while (i < a->rank && k < b->rank) {
        if (a->shape[i] != b->shape[k] || !under_a || !under_b)
            return 0;
        const struct tf_dim *stride_a = a->strides ? dim_mul(ctx, a->strides[i], under_b, NULL) : NULL;
        const struct tf_dim *stride_b = b->strides ? dim_mul(ctx, b->strides[k], under_a, NULL) : NULL;
        if (stride_a != stride_b)
            return 0;
        i = next_axis(a, level_a, i + 1);
        k = next_axis(b, level_b, k + 1);
    }
    return i == a->rank && k == b->rank;
}

/* Whether every level that the mesh names is in force, with the same positions; else the one that is not. */
static const char *uncovered_level(tf_ctx *ctx, const struct tf_mesh *mesh, const struct tf_mesh *scope)
{
    if (mesh == scope)
        return NULL;
    for (uint32_t i = 0; i < mesh->n_levels; i++) {
        uint32_t in_scope = level_index(scope, mesh->levels[i].name);
        if (in_scope == scope->n_levels || !same_positions(ctx, mesh, i, scope, in_scope))
            return mesh->levels[i].name;
    }
    return NULL;
}

int mesh_in_force(tf_ctx *ctx, const struct tf_mesh *mesh, const struct tf_mesh *scope)
{
    return scope && !uncovered_level(ctx, mesh, scope);
}

static int reaches(uint32_t storage, const struct tf_mesh *mesh, const struct tf_mesh *scope)
{
    return storage == TF_STORAGE_GMEM || storage == TF_STORAGE_SMEM || !scope->n_levels ||
           level_index(mesh, scope->levels[scope->n_levels - 1].name) < mesh->n_levels;
}

int shard_scope_check(tf_ctx *ctx, const struct tf_call *call)
{
    for (uint32_t i = 0; call->scope && i < call->n_args; i++) {
        const struct tf_type *type = call->arg_types[i];
        if (type->kind != TF_TYPE_TENSOR || !type->layout || type->layout->kind != TF_LAYOUT_SHARD)
            continue;
        const char *level = uncovered_level(ctx, type->layout->mesh, call->scope);
        if (level) {
            ERROR(ctx, &call->loc, "scope-finer",
                "operand %u is laid out over positions of level \"%s\" that are not those in force here; use it within "
                "that "
                "mesh, or reshard it first",
                i, level);
            return TF_E_REFUSED;
        }
        if (!reaches(type->storage, type->layout->mesh, call->scope)) {
            ERROR(ctx, &call->loc, "scope-coarser",
                "operand %u is laid out over coarser units and kept in %s, which the units that run here do not reach; "
                "reshard it to smem or gmem first",
                i, storage_name(type->storage));
            return TF_E_REFUSED;
        }
    }
    return TF_OK;
}

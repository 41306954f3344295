/* SPDX-License-Identifier: MIT
 * reshard: the same value elsewhere, or divided otherwise.
 */
#include "placement.h"

#define ATTR_LAYOUT 0u
#define ATTR_STORAGE 1u

static uint32_t target_storage(const struct tf_call *call, const struct tf_type *x)
{
    return ok_has(call, ATTR_STORAGE) ? (uint32_t)call->attrs[ATTR_STORAGE].u.i : x->storage;
}

/* ---- checks --------------------------------------------------------------------------------------------------------*/

/* Product of a row; NULL when it cannot be told. */
static const struct tf_dim *row_product(tf_ctx *ctx, uint32_t n, const struct tf_dim *const *row)
{
    uint64_t known = 1;
    const struct tf_dim *open = NULL;
    for (uint32_t i = 0; i < n; i++) {
        if (row[i]->kind != TF_DIM_CONST)
            open = open ? tf_host->dim_mul(ctx, open, row[i]) : row[i];
        else if (row[i]->value < 0 || ok_mul(known, (uint64_t)row[i]->value, &known) != TF_OK)
            return NULL;
        if (row[i]->kind != TF_DIM_CONST && !open)
            return NULL;
    }
    const struct tf_dim *constant = tf_host->dim_const(ctx, (int64_t)known);
    return open ? tf_host->dim_mul(ctx, open, constant) : constant;
}

/* A placement covers exactly the value.  Extents that are open are asked again when they are bound. */
static int check_extents(
    tf_ctx *ctx, const struct tf_call *call, const struct tf_type *x, const struct tf_layout *layout)
{
    if (layout->rank == x->rank && ok_same_shape(x->rank, x->shape, layout->rank, layout->shape))
        return TF_OK;
    const struct tf_dim *has = row_product(ctx, x->rank, x->shape);
    const struct tf_dim *placed = row_product(ctx, layout->rank, layout->shape);
    if (has == placed || (has && has->kind != TF_DIM_CONST) || (placed && placed->kind != TF_DIM_CONST))
        return TF_OK;
    return OK_REFUSE(ctx, call, "placement-extents",
        "reshard: the placement's extents %s do not multiply to those of x, %s",
        tf_host->shape_text(ctx, layout->shape, layout->rank), tf_host->shape_text(ctx, x->shape, x->rank));
}

static int check_splits(tf_ctx *ctx, const struct tf_call *call, const struct tf_type *placed)
{
    const struct tf_layout *shard = placed->layout ? tf_host->shard_of(placed->layout) : NULL;
    const struct tf_dim *shape[TF_MAX_RANK];
    int32_t axis_of[MAX_POSITIONS];
    if (!shard)
        return TF_OK;
    if (shard->rank > MAX_POSITIONS)
        return OK_REFUSE(ctx, call, "placement-extents", "reshard: a layout of %u positions; at most %d are possible",
            shard->rank, MAX_POSITIONS);
    tf_host->position_axes(shard, placed->rank, placed->shape, axis_of);
    for (uint32_t i = 0; i < shard->mesh->rank; i++) {
        int32_t at = shard->attrs[i].axis;
        if (shard->attrs[i].kind == TF_ATTR_SPLIT && (at < 0 || (uint32_t)at >= shard->rank || axis_of[at] < 0))
            return OK_REFUSE(ctx, call, "placement-split",
                "reshard: mesh axis %u splits position %d of a layout that has %u", i, at, shard->rank);
    }
    return share_shape(ctx, call, placed, shape);
}

/* ---- strides of a placement ------------------------------------------------------------------------------------------
 * A placement says which unit has which part, not where it lies there.  In a storage that units share, the parts lie in
 * one buffer, in C order of the whole.  In one that each unit has of its own, they lie in C order of the unit's part, and
 * going along a split goes to another unit's buffer: stride 0. */

/* How close to one unit a storage is; values that are nowhere yet count as in registers. */
static int level_of(uint32_t storage)
{
    switch (storage) {
    case TF_STORAGE_SMEM:
    case TF_STORAGE_TMEM: return 1;
    case TF_STORAGE_GMEM:
    case TF_STORAGE_HOST: return 2;
    default: return 0;
    }
}

/* Whether a value lies in a buffer for each unit: all its splits have stride 0. */
static int is_per_unit(const struct tf_layout *layout)
{
    int splits = 0;
    if (!layout || layout->kind != TF_LAYOUT_SHARD || !layout->strides)
        return 0;
    for (uint32_t i = 0; i < layout->mesh->rank; i++) {
        if (layout->attrs[i].kind != TF_ATTR_SPLIT)
            continue;
        splits++;
        if (!ok_dim_is(layout->strides[layout->attrs[i].axis], 0))
            return 0;
    }
    return splits > 0;
}

static int wants_per_unit(const struct tf_type *x, uint32_t storage)
{
    uint32_t from = x->storage == TF_STORAGE_UMAT ? TF_STORAGE_RMEM : x->storage;
    if (from == storage)
        return is_per_unit(x->layout);
    return level_of(storage) < 2 && level_of(storage) <= level_of(from);
}

/* What one unit has of each position; split[i] tells the positions that are divided. */
static int unit_positions(
    tf_ctx *ctx, const struct tf_call *call, const struct tf_layout *layout, const struct tf_dim **extent, int *split)
{
    for (uint32_t i = 0; i < layout->rank; i++) {
        extent[i] = layout->shape[i];
        split[i] = 0;
    }
    for (uint32_t i = 0; i < layout->mesh->rank; i++) {
        if (layout->attrs[i].kind != TF_ATTR_SPLIT)
            continue;
        int32_t at = layout->attrs[i].axis;
        split[at] = 1;
        extent[at] = share_of(ctx, call, extent[at], layout->mesh->shape[i]);
        if (!extent[at])
            return TF_E_REFUSED;
    }
    return TF_OK;
}

static const struct tf_layout *with_strides(
    tf_ctx *ctx, const struct tf_call *call, const struct tf_layout *layout, int per_unit)
{
    const struct tf_dim *extent[MAX_POSITIONS], *strides[MAX_POSITIONS], *stride = tf_host->dim_const(ctx, 1);
    const struct tf_dim *zero = tf_host->dim_const(ctx, 0);
    int split[MAX_POSITIONS] = {0};
    if (per_unit && unit_positions(ctx, call, layout, extent, split))
        return NULL;
    for (uint32_t i = layout->rank; i-- > 0;) {
        const struct tf_dim *step = per_unit ? extent[i] : layout->shape[i];
        strides[i] = per_unit && (split[i] || ok_dim_is(step, 1)) ? zero : stride;
        stride = i ? tf_host->dim_mul(ctx, stride, step) : stride;
        if (!stride)
            return NULL;
    }
    return tf_host->layout_shard(ctx, layout->rank, layout->shape, strides, layout->mesh, layout->attrs);
}

/* ---- the operator --------------------------------------------------------------------------------------------------*/

static int infer_reshard(tf_ctx *ctx, const struct tf_call *call, const struct tf_type **result)
{
    int rc = ok_tensors(ctx, call);
    if (rc)
        return rc;
    const struct tf_type *x = ok_arg(call, 0);
    uint32_t storage = target_storage(call, x);
    if (ok_has(call, ATTR_STORAGE) && storage == TF_STORAGE_UMAT)
        return OK_REFUSE(ctx, call, "reshard-umat",
            "reshard: umat is no storage to move a value to; gmem, smem or rmem is expected");
    if (!ok_has(call, ATTR_LAYOUT)) {
        if (storage != x->storage)
            return OK_REFUSE(ctx, call, "reshard-layout",
                "reshard: x moves from %s to %s, so its layout there has to be said (layout=)",
                tf_host->storage(x->storage), tf_host->storage(storage));
        *result = x;
        return TF_OK;
    }
    const struct tf_layout *layout = call->attrs[ATTR_LAYOUT].u.layout;
    rc = check_extents(ctx, call, x, layout);
    if (rc == TF_OK)
        rc = check_splits(ctx, call, tf_host->type_tensor(ctx, x->dtype, x->rank, x->shape, layout, storage));
    if (rc)
        return rc;
    if (layout->kind == TF_LAYOUT_SHARD && !layout->strides)
        layout = with_strides(ctx, call, layout, wants_per_unit(x, storage));
    if (!layout)
        return TF_E_REFUSED;
    *result = tf_host->type_tensor(ctx, x->dtype, x->rank, x->shape, layout, storage);
    return TF_OK;
}

/* Every element stays itself.  Within one storage nothing crosses: a view, also of what other units hold (whoever cares
 * whether a unit's share grew compares the shares). */
static int relate_reshard(tf_ctx *ctx, const struct tf_call *call, struct tf_relation *relation)
{
    const struct tf_type *x = ok_arg(call, 0);
    int rc = tf_host->relation_box(ctx, call, relation, x->rank, x->shape, 1);
    if (rc)
        return rc;
    tf_host->relation_walk(ctx, &relation->in[0], x->rank, 0);
    tf_host->relation_walk(ctx, &relation->out[0], x->rank, 0);
    if (target_storage(call, x) == x->storage) {
        relation->flags = TF_RELATION_VIEW;
        relation->in[0].flow = TF_FLOW_NONE;
        relation->out[0].flow = TF_FLOW_NONE;
    }
    return TF_OK;
}

static const struct tf_input inputs[] = {{.name = "x"}};

static const struct tf_attr_decl attrs[] = {
    {.name = "layout", .kind = TF_ATTR_LAYOUT, .flags = TF_ATTR_OPTIONAL},
    {.name = "storage", .kind = TF_ATTR_STORAGE, .flags = TF_ATTR_OPTIONAL},
};

const struct tf_op op_reshard = {
    .struct_size = sizeof(op_reshard),
    .name = "reshard",
    .summary = "the same value in another storage, or divided otherwise among units",
    .n_inputs = OK_COUNT(inputs),
    .inputs = inputs,
    .n_attrs = OK_COUNT(attrs),
    .attrs = attrs,
    .infer = infer_reshard,
    .relate = relate_reshard,
    .eval = eval_reshard,
    .moves = 1,
    .flags = TF_OP_PLACES | TF_OP_ROWS,
};

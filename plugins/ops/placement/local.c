/* SPDX-License-Identifier: MIT
 * local: what one unit holds of a value, as a value of its own.
 */
#include "placement.h"

const struct tf_dim *share_of(
    tf_ctx *ctx, const struct tf_call *call, const struct tf_dim *extent, const struct tf_dim *units)
{
    if (extent == units)
        return tf_host->dim_const(ctx, 1);
    if (units->kind == TF_DIM_CONST && units->value == 1)
        return extent;
    if (extent->kind == TF_DIM_CONST && units->kind == TF_DIM_CONST &&
        (units->value < 1 || extent->value % units->value != 0)) {
        tf_host->error(ctx, &call->loc, "placement-share", "%s: an extent of %lld cannot be divided among %lld units",
            ok_name(call), (long long)extent->value, (long long)units->value);
        return NULL;
    }
    return tf_host->dim_floordiv(ctx, extent, units);
}

int share_shape(tf_ctx *ctx, const struct tf_call *call, const struct tf_type *type, const struct tf_dim **shape)
{
    const struct tf_layout *shard = tf_host->shard_of(type->layout);
    int32_t axis_of[MAX_POSITIONS];
    for (uint32_t i = 0; i < type->rank; i++)
        shape[i] = type->shape[i];
    tf_host->position_axes(shard, type->rank, type->shape, axis_of);
    for (uint32_t i = 0; i < shard->mesh->rank; i++) {
        const struct tf_shard_attr *attr = &shard->attrs[i];
        if (attr->kind != TF_ATTR_SPLIT)
            continue;
        const struct tf_dim **at = &shape[axis_of[attr->axis]];
        *at = share_of(ctx, call, *at, shard->mesh->shape[i]);
        if (!*at)
            return TF_E_REFUSED;
    }
    return TF_OK;
}

/* Stride of each axis of the share where its positions follow each other evenly; 0: the share has no layout to state. */
static int share_strides(
    tf_ctx *ctx, const struct tf_call *call, const struct tf_type *type, const struct tf_dim **strides)
{
    const struct tf_layout *shard = tf_host->shard_of(type->layout);
    const struct tf_dim *span[TF_MAX_RANK] = {NULL}; /* stride times extent of what is taken of an axis so far */
    int32_t axis_of[MAX_POSITIONS];
    tf_host->position_axes(shard, type->rank, type->shape, axis_of);
    for (uint32_t i = 0; i < type->rank; i++)
        strides[i] = tf_host->dim_const(ctx, 0);
    for (uint32_t i = shard->rank; i-- > 0;) {
        const struct tf_dim *extent = shard->shape[i];
        for (uint32_t k = 0; k < shard->mesh->rank; k++)
            if (shard->attrs[k].kind == TF_ATTR_SPLIT && (uint32_t)shard->attrs[k].axis == i)
                extent = extent ? share_of(ctx, call, extent, shard->mesh->shape[k]) : NULL;
        if (!extent || axis_of[i] < 0)
            return 0;
        if (ok_dim_is(extent, 1))
            continue;
        if (span[axis_of[i]] && span[axis_of[i]] != shard->strides[i])
            return 0;
        if (!span[axis_of[i]])
            strides[axis_of[i]] = shard->strides[i];
        span[axis_of[i]] = tf_host->dim_mul(ctx, shard->strides[i], extent);
        if (!span[axis_of[i]])
            return 0;
    }
    return 1;
}

static int infer_local(tf_ctx *ctx, const struct tf_call *call, const struct tf_type **result)
{
    int rc = ok_tensors(ctx, call);
    if (rc)
        return rc;
    const struct tf_type *x = ok_arg(call, 0);
    const struct tf_layout *shard = tf_host->shard_of(x->layout), *layout = NULL;
    const struct tf_dim *shape[TF_MAX_RANK], *strides[TF_MAX_RANK];
    if (!shard || shard->rank > MAX_POSITIONS)
        return OK_REFUSE(ctx, call, "local-layout",
            "local: x is not laid out over a mesh, so no unit holds a part of it; reshard it first");
    rc = share_shape(ctx, call, x, shape);
    if (rc)
        return rc;
    if (!shard->strides)
        layout = tf_host->layout_plain(ctx, x->rank, shape, NULL);
    else if (share_strides(ctx, call, x, strides))
        layout = tf_host->layout_plain(ctx, x->rank, shape, strides);
    *result = tf_host->type_tensor(ctx, x->dtype, x->rank, shape, layout, x->storage);
    return TF_OK;
}

/* The unit at coordinate 0 of every mesh axis holds the beginning of every axis. */
static int relate_local(tf_ctx *ctx, const struct tf_call *call, struct tf_relation *relation)
{
    const struct tf_type *x = ok_arg(call, 0);
    const struct tf_dim *shape[TF_MAX_RANK];
    int rc = share_shape(ctx, call, x, shape);
    if (rc == TF_OK)
        rc = tf_host->relation_box(ctx, call, relation, x->rank, shape, 1);
    if (rc)
        return rc;
    relation->flags = TF_RELATION_VIEW;
    relation->in[0].flow = TF_FLOW_NONE;
    relation->out[0].flow = TF_FLOW_NONE;
    tf_host->relation_walk(ctx, &relation->in[0], x->rank, 0);
    tf_host->relation_walk(ctx, &relation->out[0], x->rank, 0);
    return TF_OK;
}

static const struct tf_input inputs[] = {{.name = "x"}};

const struct tf_op op_local = {
    .struct_size = sizeof(op_local),
    .name = "local",
    .summary = "what one unit holds of a value that is laid out over a mesh",
    .n_inputs = OK_COUNT(inputs),
    .inputs = inputs,
    .infer = infer_local,
    .relate = relate_local,
    .eval = eval_local,
    .moves = 1,
};

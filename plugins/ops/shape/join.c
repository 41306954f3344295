/* SPDX-License-Identifier: MIT
 * concat and stack: values side by side along an axis that they have, or along a new one.
 */
#include "shape.h"

/* Every operand is a tensor of the first one's dtype. */
static int check_operands(tf_ctx *ctx, const struct tf_call *call)
{
    if (call->n_args == 0)
        return OK_REFUSE(ctx, call, OK_CODE_SHAPE, "%s: no operands; at least one is needed", ok_name(call));
    for (uint32_t i = 0; i < call->n_args; i++) {
        const struct tf_type *type = call->arg_types[i], *first = call->arg_types[0];
        if (type->kind != TF_TYPE_TENSOR)
            return OK_REFUSE(ctx, call, OK_CODE_TUPLE, "%s: operand %u is a tuple of %u values; a tensor is expected",
                ok_name(call), i, type->rank);
        if (type->dtype != first->dtype)
            return OK_REFUSE(ctx, call, OK_CODE_DTYPE, "%s: operand %u has dtype %s, operand 0 has %s", ok_name(call),
                i, ok_dtype_name(type->dtype), ok_dtype_name(first->dtype));
    }
    return TF_OK;
}

/* Shapes agree on every axis but `except` (rank and more: on all). */
static int check_shapes(tf_ctx *ctx, const struct tf_call *call, uint32_t except)
{
    const struct tf_type *first = call->arg_types[0];
    for (uint32_t i = 1; i < call->n_args; i++) {
        const struct tf_type *type = call->arg_types[i];
        int same = type->rank == first->rank;
        for (uint32_t k = 0; same && k < first->rank; k++)
            same = k == except || type->shape[k] == first->shape[k];
        if (!same)
            return OK_REFUSE(ctx, call, OK_CODE_SHAPE, "%s: operand %u has shape %s, operand 0 has %s; they may %s",
                ok_name(call), i, ok_shape_text(ctx, type), ok_shape_text(ctx, first),
                except < first->rank ? "differ along the axis only" : "not differ");
    }
    return TF_OK;
}

/* Where the result is a partial value, each operand must be the same one. */
static int check_partials(tf_ctx *ctx, const struct tf_call *call, const struct tf_layout *result)
{
    for (uint32_t axis = 0; axis < result->mesh->rank; axis++) {
        const struct tf_shard_attr *attr = &result->attrs[axis];
        for (uint32_t i = 0; attr->kind == TF_ATTR_PARTIAL && i < call->n_args; i++) {
            const char *reduction = ok_partial(call->arg_types[i], axis);
            if (!reduction || strcmp(reduction, attr->reduction) != 0)
                return OK_REFUSE(ctx, call, OK_CODE_PARTIAL,
                    "%s: operand %u is not a partial %s over mesh axis %u as others are; reshard first", ok_name(call),
                    i, attr->reduction, axis);
        }
    }
    return TF_OK;
}

/* A layout that was carried over from operand 0 with that operand's extent along the axis: the joined extent goes there, and
 * the strides are made anew.  No split is on the axis. */
static const struct tf_layout *widen_axis(tf_ctx *ctx, const struct tf_call *call, const struct tf_layout *from,
    uint32_t axis, const struct tf_dim *const *joined)
{
    const struct tf_type *first = call->arg_types[0];
    int32_t *axis_of = tf_host->alloc(ctx, (from->rank + 1) * sizeof(*axis_of));
    int32_t *place = tf_host->alloc(ctx, (from->rank + 1) * sizeof(*place));
    const struct tf_dim **shape = tf_host->alloc(ctx, (from->rank + 1) * sizeof(*shape)), **strides;
    struct tf_shard_attr attrs[TF_MAX_MESH];
    uint32_t n = 0;
    tf_host->position_axes(from, first->rank, first->shape, axis_of);
    for (uint32_t i = 0; i < from->rank; i++) {
        int again = i > 0 && axis_of[i] == (int32_t)axis && axis_of[i - 1] == (int32_t)axis;
        place[i] = (int32_t)(again ? n - 1 : n);
        if (!again)
            shape[n++] = axis_of[i] == (int32_t)axis ? joined[axis] : from->shape[i];
    }
    const struct tf_layout *plain = ok_c_order(ctx, n, shape);
    if (!plain || !from->strides || !plain->strides)
        return NULL;
    strides = tf_host->alloc(ctx, (n + 1) * sizeof(*strides));
    for (uint32_t i = 0; i < n; i++)
        strides[i] = ok_dim_is(shape[i], 1) ? tf_host->dim_const(ctx, 0) : plain->strides[i];
    for (uint32_t i = 0; i < from->mesh->rank; i++) {
        attrs[i] = from->attrs[i];
        if (attrs[i].kind == TF_ATTR_SPLIT)
            attrs[i].axis = place[attrs[i].axis];
    }
    return tf_host->layout_shard(ctx, n, shape, strides, from->mesh, attrs);
}

static int is_sharded(const struct tf_call *call)
{
    for (uint32_t i = 0; i < call->n_args; i++)
        if (ok_is_sharded(call->arg_types[i]))
            return 1;
    return 0;
}

/* Shares as the relation carries them over; NULL where nothing is shared out. */
static int joined_shares(tf_ctx *ctx, const struct tf_call *call, uint32_t axis, uint32_t rank,
    const struct tf_dim *const *shape, const struct tf_layout **layout)
{
    struct tf_relation relation = {0};
    *layout = NULL;
    if (!is_sharded(call))
        return TF_OK;
    int rc = call->op->relate(ctx, call, &relation);
    if (rc == TF_OK)
        rc = ok_derive(ctx, call, &relation, rank, shape, 0, 0, 1, layout);
    if (rc || !*layout)
        return rc;
    if (ok_dim_product(ctx, (*layout)->rank, (*layout)->shape) != ok_dim_product(ctx, rank, shape))
        *layout = widen_axis(ctx, call, *layout, axis, shape);
    return *layout ? check_partials(ctx, call, *layout) : TF_E_OVERFLOW;
}

/* The type of the joined value: C order where nothing is shared out.  axis: the one that grew. */
static int join(tf_ctx *ctx, const struct tf_call *call, uint32_t axis, uint32_t rank,
    const struct tf_dim *const *shape, const struct tf_type **result)
{
    const struct tf_layout *layout;
    uint32_t storage;
    int rc = joined_shares(ctx, call, axis, rank, shape, &layout);
    if (rc == TF_OK && !layout && !(layout = ok_c_order(ctx, rank, shape)))
        rc = TF_E_REFUSED;
    if (rc == TF_OK)
        rc = tf_host->anchor(ctx, call, call->n_args, call->arg_types, &storage);
    return rc ? rc : ok_result(ctx, call->arg_types[0]->dtype, rank, shape, layout, storage, result);
}

/* ---- concat --------------------------------------------------------------------------------------------------------*/

static int concat_shape(tf_ctx *ctx, const struct tf_call *call, uint32_t axis, const struct tf_dim **shape)
{
    ok_copy_shape(shape, call->arg_types[0]);
    for (uint32_t i = 1; i < call->n_args; i++) {
        shape[axis] = tf_host->dim_add(ctx, shape[axis], call->arg_types[i]->shape[axis]);
        if (!shape[axis])
            return TF_E_REFUSED;
    }
    return TF_OK;
}

/* Each operand is read on its own run of the axis.  An open extent counts as 0 here: before dimensions are bound only
 * the shape of the relation is asked for. */
static int concat_relate(tf_ctx *ctx, const struct tf_call *call, struct tf_relation *relation)
{
    const struct tf_dim *shape[TF_MAX_RANK];
    uint32_t rank = call->arg_types[0]->rank, axis;
    int64_t offset = 0;
    int rc = ok_attr_axis(ctx, call, 0, rank, &axis);
    if (rc == TF_OK)
        rc = concat_shape(ctx, call, axis, shape);
    if (rc == TF_OK)
        rc = tf_host->relation_box(ctx, call, relation, rank, shape, 1);
    if (rc)
        return rc;
    for (uint32_t i = 0; i < call->n_args; i++) {
        tf_host->relation_walk(ctx, &relation->in[i], rank, 0);
        relation->in[i].axes[axis].offset = -offset;
        offset += call->arg_types[i]->shape[axis]->value; /* the sum fits: concat_shape made it */
    }
    tf_host->relation_walk(ctx, &relation->out[0], rank, 0);
    return TF_OK;
}

/* Along the axis no operand is split. */
static int check_axis_whole(tf_ctx *ctx, const struct tf_call *call, uint32_t axis)
{
    for (uint32_t i = 0; i < call->n_args; i++)
        if (ok_is_split(call->arg_types[i], axis))
            return OK_REFUSE(ctx, call, OK_CODE_SPLIT,
                "concat: operand %u is split over the mesh along axis %u, where the join is; reshard it first", i,
                axis);
    return TF_OK;
}

static int concat_infer(tf_ctx *ctx, const struct tf_call *call, const struct tf_type **result)
{
    const struct tf_dim *shape[TF_MAX_RANK];
    uint32_t axis = 0;
    int rc = check_operands(ctx, call);
    if (rc)
        return rc;
    uint32_t rank = call->arg_types[0]->rank;
    rc = ok_attr_axis(ctx, call, 0, rank, &axis);
    if (rc == TF_OK)
        rc = check_shapes(ctx, call, axis);
    if (rc == TF_OK)
        rc = check_axis_whole(ctx, call, axis);
    if (rc == TF_OK)
        rc = concat_shape(ctx, call, axis, shape);
    return rc ? rc : join(ctx, call, axis, rank, shape, result);
}

/* ---- stack ---------------------------------------------------------------------------------------------------------*/

/* The axis may be one past the operands' last. */
static int stack_axis(tf_ctx *ctx, const struct tf_call *call, uint32_t *axis)
{
    return ok_attr_axis(ctx, call, 0, call->arg_types[0]->rank + 1, axis);
}

static void stack_shape(tf_ctx *ctx, const struct tf_call *call, uint32_t axis, const struct tf_dim **shape)
{
    const struct tf_type *first = call->arg_types[0];
    for (uint32_t i = 0; i <= first->rank; i++)
        shape[i] = i == axis ? tf_host->dim_const(ctx, call->n_args) : first->shape[i - (i > axis)];
}

/* An operand is read whole for its one position of the new axis. */
static int stack_relate(tf_ctx *ctx, const struct tf_call *call, struct tf_relation *relation)
{
    const struct tf_dim *shape[TF_MAX_RANK];
    uint32_t rank = call->arg_types[0]->rank, axis;
    int rc = stack_axis(ctx, call, &axis);
    if (rc)
        return rc;
    stack_shape(ctx, call, axis, shape);
    rc = tf_host->relation_box(ctx, call, relation, rank + 1, shape, 1);
    if (rc)
        return rc;
    for (uint32_t i = 0; i < call->n_args; i++) {
        struct tf_axis *axes = ok_axes(ctx, &relation->in[i], rank);
        for (uint32_t k = 0; k < rank; k++)
            axes[k] = ok_walk_axis(k + (k >= axis));
    }
    tf_host->relation_walk(ctx, &relation->out[0], rank + 1, 0);
    return TF_OK;
}

static int stack_infer(tf_ctx *ctx, const struct tf_call *call, const struct tf_type **result)
{
    const struct tf_dim *shape[TF_MAX_RANK];
    uint32_t axis;
    int rc = check_operands(ctx, call);
    if (rc == TF_OK)
        rc = check_shapes(ctx, call, UINT32_MAX);
    if (rc)
        return rc;
    uint32_t rank = call->arg_types[0]->rank + 1;
    if (rank > TF_MAX_RANK)
        return OK_REFUSE(
            ctx, call, OK_CODE_RANK, "stack: the result would have %u axes; a value has at most %d", rank, TF_MAX_RANK);
    rc = stack_axis(ctx, call, &axis);
    if (rc)
        return rc;
    stack_shape(ctx, call, axis, shape);
    return join(ctx, call, axis, rank, shape, result);
}

/* ---- the operators -------------------------------------------------------------------------------------------------*/

static const struct tf_input inputs[] = {{.name = "inputs", .kind = TF_INPUT_VARIADIC}};
static const struct tf_attr_decl attrs[] = {{.name = "axis", .kind = TF_ATTR_INT, .flags = TF_ATTR_REQUIRED}};
const struct tf_op shape_concat = {.struct_size = sizeof(shape_concat),
    .name = "concat",
    .summary = "values joined along an axis that they have",
    .n_inputs = OK_COUNT(inputs),
    .inputs = inputs,
    .n_attrs = OK_COUNT(attrs),
    .attrs = attrs,
    .infer = concat_infer,
    .relate = concat_relate,
    .eval = shape_eval_concat,
    .flags = TF_OP_ROWS,
    .moves = 1};
const struct tf_op shape_stack = {.struct_size = sizeof(shape_stack),
    .name = "stack",
    .summary = "values joined along a new axis",
    .n_inputs = OK_COUNT(inputs),
    .inputs = inputs,
    .n_attrs = OK_COUNT(attrs),
    .attrs = attrs,
    .infer = stack_infer,
    .relate = stack_relate,
    .eval = shape_eval_stack,
    .moves = 1};

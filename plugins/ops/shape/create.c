/* SPDX-License-Identifier: MIT
 * Values made from nothing or from another's type: zeros, arange, full_like, shape_of, rank.
 */
#include "shape.h"

/* The type that an attribute states; a tensor's. */
static int stated_type(tf_ctx *ctx, const struct tf_call *call, const struct tf_type **type)
{
    const struct tf_val *val = &call->attrs[0];
    if (val->kind != TF_VAL_TYPE || val->u.type->kind != TF_TYPE_TENSOR)
        return OK_REFUSE(ctx, call, OK_CODE_VALUE, "%s: type is not the type of a tensor", ok_name(call));
    *type = val->u.type;
    return TF_OK;
}

/* Nothing is read, each element of the result is reached. */
static int made_relate(tf_ctx *ctx, const struct tf_call *call, struct tf_relation *relation)
{
    const struct tf_type *type;
    int rc = stated_type(ctx, call, &type);
    if (rc == TF_OK)
        rc = tf_host->relation_box(ctx, call, relation, type->rank, type->shape, 1);
    if (rc == TF_OK)
        tf_host->relation_walk(ctx, &relation->out[0], type->rank, 0);
    return rc;
}

static int zeros_infer(tf_ctx *ctx, const struct tf_call *call, const struct tf_type **result)
{
    return stated_type(ctx, call, result);
}

static const struct tf_attr_decl zeros_attrs[] = {{.name = "type", .kind = TF_ATTR_TYPE, .flags = TF_ATTR_REQUIRED}};
const struct tf_op shape_zeros = {.struct_size = sizeof(shape_zeros),
    .name = "zeros",
    .summary = "a value of zeros",
    .n_attrs = OK_COUNT(zeros_attrs),
    .attrs = zeros_attrs,
    .infer = zeros_infer,
    .relate = made_relate,
    .eval = shape_eval_zeros};

/* ---- arange --------------------------------------------------------------------------------------------------------*/

static int arange_infer(tf_ctx *ctx, const struct tf_call *call, const struct tf_type **result)
{
    int rc = stated_type(ctx, call, result);
    if (rc == TF_OK)
        rc = ok_attr_at_least(ctx, call, 2, 1);
    if (rc)
        return rc;
    const struct tf_type *type = *result;
    if (type->rank != 1)
        return OK_REFUSE(
            ctx, call, OK_CODE_RANK, "arange: the type has shape %s; one axis is expected", ok_shape_text(ctx, type));
    if (!ok_is_index_dtype(type->dtype))
        return OK_REFUSE(ctx, call, OK_CODE_OPERAND, "arange: the type has dtype %s; i32 or i64 is expected",
            ok_dtype_name(type->dtype));
    if (!ok_val_dim(ctx, &call->attrs[1]))
        return OK_REFUSE(ctx, call, OK_CODE_VALUE, "arange: start is neither an integer nor a dimension");
    return TF_OK;
}

/* The numbers are made where they are used: nothing is charged for writing them. */
static int arange_relate(tf_ctx *ctx, const struct tf_call *call, struct tf_relation *relation)
{
    int rc = made_relate(ctx, call, relation);
    if (rc == TF_OK)
        relation->out[0].flow = TF_FLOW_NONE;
    return rc;
}

static const struct tf_attr_decl arange_attrs[] = {{.name = "type", .kind = TF_ATTR_TYPE, .flags = TF_ATTR_REQUIRED},
    {.name = "start", .kind = TF_ATTR_DIM, .fallback = {.kind = TF_VAL_INT, .u.i = 0}},
    {.name = "step", .kind = TF_ATTR_INT, .fallback = {.kind = TF_VAL_INT, .u.i = 1}}};
const struct tf_op shape_arange = {.struct_size = sizeof(shape_arange),
    .name = "arange",
    .summary = "start, start + step, ...",
    .n_attrs = OK_COUNT(arange_attrs),
    .attrs = arange_attrs,
    .infer = arange_infer,
    .relate = arange_relate,
    .eval = shape_eval_arange};

/* ---- full_like -----------------------------------------------------------------------------------------------------*/

static int like_infer(tf_ctx *ctx, const struct tf_call *call, const struct tf_type **result)
{
    *result = call->arg_types[0];
    return ok_tensors(ctx, call);
}

static const struct tf_input x_input[] = {{.name = "x", .kind = TF_INPUT_TENSOR}};
static const struct tf_attr_decl like_attrs[] = {{.name = "value", .kind = TF_ATTR_NUMBER, .flags = TF_ATTR_REQUIRED}};
const struct tf_op shape_full_like = {.struct_size = sizeof(shape_full_like),
    .name = "full_like",
    .summary = "one number everywhere, in the type of another value",
    .n_inputs = OK_COUNT(x_input),
    .inputs = x_input,
    .n_attrs = OK_COUNT(like_attrs),
    .attrs = like_attrs,
    .infer = like_infer,
    .relate = ok_relate_elementwise,
    .eval = shape_eval_full_like};

/* ---- what a type knows ---------------------------------------------------------------------------------------------*/

/* The answer is in the type: no element is reached anywhere. */
static int known_relate(tf_ctx *ctx, const struct tf_call *call, struct tf_relation *relation)
{
    int rc = tf_host->relation_box(ctx, call, relation, 0, NULL, 1);
    if (rc)
        return rc;
    relation->flags = TF_RELATION_EMPTY;
    relation->in[0].flow = TF_FLOW_NONE;
    relation->out[0].flow = TF_FLOW_NONE;
    return TF_OK;
}

static int shape_infer(tf_ctx *ctx, const struct tf_call *call, const struct tf_type **result)
{
    int rc = ok_tensors(ctx, call);
    if (rc)
        return rc;
    const struct tf_dim *rank = tf_host->dim_const(ctx, call->arg_types[0]->rank);
    return ok_result(ctx, TF_DTYPE_I64, 1, &rank, NULL, TF_STORAGE_UMAT, result);
}

static int rank_infer(tf_ctx *ctx, const struct tf_call *call, const struct tf_type **result)
{
    int rc = ok_tensors(ctx, call);
    return rc ? rc : ok_result(ctx, TF_DTYPE_I64, 0, NULL, NULL, TF_STORAGE_UMAT, result);
}

const struct tf_op shape_shape_of = {.struct_size = sizeof(shape_shape_of),
    .name = "shape_of",
    .summary = "the extents of a value, as numbers",
    .n_inputs = OK_COUNT(x_input),
    .inputs = x_input,
    .infer = shape_infer,
    .relate = known_relate,
    .eval = shape_eval_shape_of};
const struct tf_op shape_rank = {.struct_size = sizeof(shape_rank),
    .name = "rank",
    .summary = "how many axes a value has, as a number",
    .n_inputs = OK_COUNT(x_input),
    .inputs = x_input,
    .infer = rank_infer,
    .relate = known_relate,
    .eval = shape_eval_rank};

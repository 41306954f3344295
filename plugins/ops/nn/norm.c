/* SPDX-License-Identifier: MIT
 * softmax, rms_norm, layer_norm: each element of a row needs the whole row, so the axes that make up a row may not be
 * divided, and stand twice in the box: where the result is written, and where the row is read.
 */
#include "nn.h"
#include "eval.h"

/* Axes [first, end) of x are one row; parameters stand along them. */
static int relate_rows(
    tf_ctx *ctx, const struct tf_call *call, struct tf_relation *relation, uint32_t first, uint32_t end)
{
    const struct tf_type *x = ok_arg(call, 0);
    const struct tf_dim *extent[2 * TF_MAX_RANK];
    uint32_t rank = x->rank, n = rank;
    for (uint32_t axis = 0; axis < rank; axis++)
        extent[axis] = x->shape[axis];
    for (uint32_t axis = first; axis < end; axis++)
        extent[n++] = x->shape[axis];
    int rc = tf_host->relation_box(ctx, call, relation, n, extent, 1);
    if (rc)
        return rc;
    tf_host->relation_walk(ctx, &relation->in[0], rank, 0);
    for (uint32_t axis = first; axis < end; axis++)
        relation->in[0].axes[axis] = ok_walk_axis(rank + axis - first);
    for (uint32_t i = 1; i < call->n_args; i++)
        tf_host->relation_walk(ctx, &relation->in[i], end - first, first);
    tf_host->relation_walk(ctx, &relation->out[0], rank, 0);
    return TF_OK;
}

/* Complete operands with whole rows and whole parameters. */
static int check_rows(tf_ctx *ctx, const struct tf_call *call, uint32_t first, uint32_t end)
{
    for (uint32_t i = 0; i < call->n_args; i++) {
        const struct tf_type *type = ok_arg(call, i);
        const char *name = call->op->inputs[i].name;
        int rc = ok_reject_partials(ctx, call, name, type, "");
        if (rc == TF_OK)
            rc = i == 0 ? ok_refuse_split(ctx, call, name, type, first, end)
                        : ok_refuse_split(ctx, call, name, type, 0, type->rank);
        if (rc)
            return rc;
    }
    return TF_OK;
}

/* ---- softmax -----------------------------------------------------------------------------------------------------*/

#define SOFTMAX_AXIS 0u

static int infer_softmax(tf_ctx *ctx, const struct tf_call *call, const struct tf_type **result)
{
    uint32_t axis;
    int rc = ok_tensors(ctx, call);
    if (rc == TF_OK)
        rc = ok_axis(ctx, call, "axis", ok_int(call, SOFTMAX_AXIS), ok_arg(call, 0)->rank, &axis);
    if (rc == TF_OK)
        rc = check_rows(ctx, call, axis, axis + 1);
    *result = ok_arg(call, 0);
    return rc;
}

static int relate_softmax(tf_ctx *ctx, const struct tf_call *call, struct tf_relation *relation)
{
    uint32_t axis;
    int rc = ok_axis(ctx, call, "axis", ok_int(call, SOFTMAX_AXIS), ok_arg(call, 0)->rank, &axis);
    return rc ? rc : relate_rows(ctx, call, relation, axis, axis + 1);
}

static int cost_softmax(tf_ctx *ctx, const struct tf_call *call, struct tf_work *work)
{
    (void)ctx;
    return ok_work_elements(work, TF_WORK_VECTOR, call->type->dtype, call->type, 1);
}

/* ---- rms_norm ----------------------------------------------------------------------------------------------------*/

static int infer_rms_norm(tf_ctx *ctx, const struct tf_call *call, const struct tf_type **result)
{
    int rc = ok_tensors(ctx, call);
    if (rc)
        return rc;
    const struct tf_type *x = ok_arg(call, 0), *weight = ok_arg(call, 1);
    if (x->rank < 1)
        return OK_REFUSE(ctx, call, OK_CODE_RANK, "rms_norm: x is a scalar; one axis or more are expected");
    if (weight->rank != 1)
        return OK_REFUSE(ctx, call, OK_CODE_RANK, "rms_norm: weight has shape %s; one axis is expected: %s",
            ok_shape_text(ctx, weight), "reshape it to the last axis of x");
    if (weight->shape[0] != x->shape[x->rank - 1])
        return OK_REFUSE(ctx, call, OK_CODE_SHAPE,
            "rms_norm: weight has shape %s, and the last axis of x %s is another", ok_shape_text(ctx, weight),
            ok_shape_text(ctx, x));
    *result = x;
    return check_rows(ctx, call, x->rank - 1, x->rank);
}

static int relate_rms_norm(tf_ctx *ctx, const struct tf_call *call, struct tf_relation *relation)
{
    uint32_t rank = ok_arg(call, 0)->rank;
    return relate_rows(ctx, call, relation, rank - 1, rank);
}

/* Normalisations work in f32 whatever their operand is. */
static int cost_norm(tf_ctx *ctx, const struct tf_call *call, struct tf_work *work)
{
    (void)ctx;
    return ok_work_elements(work, TF_WORK_VECTOR, TF_DTYPE_F32, ok_arg(call, 0), 8);
}

/* ---- layer_norm --------------------------------------------------------------------------------------------------*/

#define LAYER_AXIS 0u

static int check_layer_dtypes(tf_ctx *ctx, const struct tf_call *call)
{
    uint32_t x = ok_arg(call, 0)->dtype, weight = ok_arg(call, 1)->dtype, bias = ok_arg(call, 2)->dtype;
    if (!ok_is_float(x) || tf_host->dtype(x)->bits < 16)
        return OK_REFUSE(
            ctx, call, OK_CODE_OPERAND, "layer_norm: x is %s; f16, bf16, f32 or f64 is expected", ok_dtype_name(x));
    if (weight != bias)
        return OK_REFUSE(ctx, call, OK_CODE_DTYPE, "layer_norm: weight is %s and bias %s; one dtype is expected",
            ok_dtype_name(weight), ok_dtype_name(bias));
    if (weight != x && !(weight == TF_DTYPE_F32 && tf_host->dtype(x)->bits == 16))
        return OK_REFUSE(ctx, call, OK_CODE_DTYPE, "layer_norm: weight and bias are %s, and x is %s; %s%s is expected",
            ok_dtype_name(weight), ok_dtype_name(x), ok_dtype_name(x), tf_host->dtype(x)->bits == 16 ? " or f32" : "");
    return TF_OK;
}

static int infer_layer_norm(tf_ctx *ctx, const struct tf_call *call, const struct tf_type **result)
{
    uint32_t axis;
    int rc = ok_tensors(ctx, call);
    if (rc == TF_OK)
        rc = ok_axis(ctx, call, "axis", ok_int(call, LAYER_AXIS), ok_arg(call, 0)->rank, &axis);
    if (rc)
        return rc;
    const struct tf_type *x = ok_arg(call, 0);
    for (uint32_t i = 1; i < 3; i++)
        if (!ok_same_shape(ok_arg(call, i)->rank, ok_arg(call, i)->shape, x->rank - axis, x->shape + axis))
            return OK_REFUSE(ctx, call, OK_CODE_SHAPE,
                "layer_norm: %s has shape %s; %s, x's axes from %u on, is expected", call->op->inputs[i].name,
                ok_shape_text(ctx, ok_arg(call, i)), tf_host->shape_text(ctx, x->shape + axis, x->rank - axis), axis);
    *result = x;
    rc = check_layer_dtypes(ctx, call);
    return rc ? rc : check_rows(ctx, call, axis, x->rank);
}

static int relate_layer_norm(tf_ctx *ctx, const struct tf_call *call, struct tf_relation *relation)
{
    uint32_t axis, rank = ok_arg(call, 0)->rank;
    int rc = ok_axis(ctx, call, "axis", ok_int(call, LAYER_AXIS), rank, &axis);
    return rc ? rc : relate_rows(ctx, call, relation, axis, rank);
}

/* ---- what they are -----------------------------------------------------------------------------------------------*/

static const struct tf_input norm_inputs[] = {{.name = "x"}, {.name = "weight"}, {.name = "bias"}};

static const struct tf_attr_decl softmax_attrs[] = {
    {.name = "axis", .kind = TF_ATTR_INT, .flags = TF_ATTR_REQUIRED},
};

static const struct tf_attr_decl rms_norm_attrs[] = {
    {.name = "eps", .kind = TF_ATTR_FLOAT, .fallback = {.kind = TF_VAL_FLOAT, .u.f = 1e-6}},
};

static const struct tf_attr_decl layer_norm_attrs[] = {
    {.name = "axis", .kind = TF_ATTR_INT, .flags = TF_ATTR_REQUIRED},
    {.name = "eps", .kind = TF_ATTR_FLOAT, .flags = TF_ATTR_REQUIRED},
};

const struct tf_op op_softmax = {
    .struct_size = sizeof(op_softmax),
    .name = "softmax",
    .summary = "exponentials along an axis, divided by their sum",
    .n_inputs = 1,
    .inputs = norm_inputs,
    .n_attrs = OK_COUNT(softmax_attrs),
    .attrs = softmax_attrs,
    .infer = infer_softmax,
    .cost = cost_softmax,
    .relate = relate_softmax,
    .eval = eval_softmax,
    .flags = TF_OP_ROWS,
};

const struct tf_op op_rms_norm = {
    .struct_size = sizeof(op_rms_norm),
    .name = "rms_norm",
    .summary = "the last axis divided by its root mean square, times a weight",
    .n_inputs = 2,
    .inputs = norm_inputs,
    .n_attrs = OK_COUNT(rms_norm_attrs),
    .attrs = rms_norm_attrs,
    .infer = infer_rms_norm,
    .cost = cost_norm,
    .relate = relate_rms_norm,
    .eval = eval_rms_norm,
    .flags = TF_OP_ROWS,
};

const struct tf_op op_layer_norm = {
    .struct_size = sizeof(op_layer_norm),
    .name = "layer_norm",
    .summary = "the axes from one on brought to mean 0 and variance 1, times a weight, plus a bias",
    .n_inputs = 3,
    .inputs = norm_inputs,
    .n_attrs = OK_COUNT(layer_norm_attrs),
    .attrs = layer_norm_attrs,
    .infer = infer_layer_norm,
    .cost = cost_norm,
    .relate = relate_layer_norm,
    .eval = eval_layer_norm,
    .flags = TF_OP_ROWS,
};

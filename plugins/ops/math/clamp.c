/* SPDX-License-Identifier: MIT
 * clamp and softplus: results of their operand's type, one flop an element.
 */
#include "elementwise.h"
#include "eval.h"

#include <math.h> /* isnan, isinf: macros, since the plugin links to nothing */

#define ATTR_MIN 0u
#define ATTR_MAX 1u

int cost_per_result(tf_ctx *ctx, const struct tf_call *call, struct tf_work *work)
{
    (void)ctx;
    return ok_work_elements(work, TF_WORK_VECTOR, call->type->dtype, call->type, 1);
}

static int is_whole(double value)
{
    if (isnan(value))
        return 0;
    return isinf(value) || value >= 0x1p53 || value <= -0x1p53 || value == (double)(int64_t)value;
}

/* A bound that is None or past the dtype's range bounds nothing on its side; a fraction has no meaning among integers. */
static int check_bound(tf_ctx *ctx, const struct tf_call *call, uint32_t attr, const struct tf_type *x)
{
    const struct tf_val *bound = &call->attrs[attr];
    if (bound->kind != TF_VAL_FLOAT || ok_is_float(x->dtype))
        return TF_OK;
    double value = bound->u.f;
    if (is_whole(value))
        return TF_OK;
    return OK_REFUSE(ctx, call, "clamp-bound",
        "%s: %s is %s, and x is %s: a whole number is expected, or tf.cast x to a float dtype first", ok_name(call),
        call->op->attrs[attr].name, isnan(value) ? "nan" : tf_host->format(ctx, "%g", value), ok_dtype_name(x->dtype));
}

static int infer_clamp(tf_ctx *ctx, const struct tf_call *call, const struct tf_type **result)
{
    int rc = ok_tensors(ctx, call);
    if (rc)
        return rc;
    const struct tf_type *x = ok_arg(call, 0);
    if (!ok_has(call, ATTR_MIN) && !ok_has(call, ATTR_MAX))
        return OK_REFUSE(
            ctx, call, "clamp-bound", "clamp: neither min_val nor max_val is given; one bound is expected");
    rc = check_bound(ctx, call, ATTR_MIN, x);
    if (rc == TF_OK)
        rc = check_bound(ctx, call, ATTR_MAX, x);
    *result = x;
    return rc ? rc : ok_reject_partials(ctx, call, "x", x, "max min");
}

static int infer_softplus(tf_ctx *ctx, const struct tf_call *call, const struct tf_type **result)
{
    int rc = ok_tensors(ctx, call);
    if (rc == TF_OK)
        rc = ok_refuse_integers(ctx, call, ok_arg(call, 0));
    if (rc)
        return rc;
    *result = ok_arg(call, 0);
    return ok_reject_partials(ctx, call, "x", ok_arg(call, 0), "max min");
}

static const struct tf_input inputs[] = {{.name = "x"}};

static const struct tf_attr_decl clamp_attrs[] = {
    {.name = "min_val", .kind = TF_ATTR_NUMBER, .flags = TF_ATTR_REQUIRED | TF_ATTR_OPTIONAL},
    {.name = "max_val", .kind = TF_ATTR_NUMBER, .flags = TF_ATTR_REQUIRED | TF_ATTR_OPTIONAL},
};

const struct tf_op op_clamp = {
    .struct_size = sizeof(op_clamp),
    .name = "clamp",
    .summary = "the nearest value between two bounds",
    .n_inputs = OK_COUNT(inputs),
    .inputs = inputs,
    .n_attrs = OK_COUNT(clamp_attrs),
    .attrs = clamp_attrs,
    .infer = infer_clamp,
    .cost = cost_per_result,
    .relate = ok_relate_elementwise,
    .eval = eval_clamp,
    .flags = TF_OP_ROWS,
};

const struct tf_op op_softplus = {
    .struct_size = sizeof(op_softplus),
    .name = "softplus",
    .summary = "log(1 + exp(x))",
    .n_inputs = OK_COUNT(inputs),
    .inputs = inputs,
    .infer = infer_softplus,
    .cost = cost_per_result,
    .relate = ok_relate_elementwise,
    .eval = eval_softplus,
    .flags = TF_OP_ROWS,
};

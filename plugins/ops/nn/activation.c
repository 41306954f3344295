/* SPDX-License-Identifier: MIT
 * Activations: results of their operand's type, one flop an element whatever it takes to compute them.
 */
#include "nn.h"
#include "eval.h"

static int infer_like(
    tf_ctx *ctx, const struct tf_call *call, int integers, const char *commutes, const struct tf_type **result)
{
    int rc = ok_tensors(ctx, call);
    if (rc == TF_OK && !integers)
        rc = ok_refuse_integers(ctx, call, ok_arg(call, 0));
    if (rc)
        return rc;
    *result = ok_arg(call, 0);
    return ok_reject_partials(ctx, call, "x", ok_arg(call, 0), commutes);
}

static int infer_relu(tf_ctx *ctx, const struct tf_call *call, const struct tf_type **result)
{
    return infer_like(ctx, call, 1, "max min", result);
}

static int infer_monotone(tf_ctx *ctx, const struct tf_call *call, const struct tf_type **result)
{
    return infer_like(ctx, call, 0, "max min", result);
}

static int infer_gated(tf_ctx *ctx, const struct tf_call *call, const struct tf_type **result)
{
    return infer_like(ctx, call, 0, "", result);
}

static int cost_activation(tf_ctx *ctx, const struct tf_call *call, struct tf_work *work)
{
    (void)ctx;
    return ok_work_elements(work, TF_WORK_VECTOR, call->type->dtype, call->type, 1);
}

static const struct tf_input inputs[] = {{.name = "x"}};

static const char *const gelu_forms[] = {"tanh", "none", NULL};
static const struct tf_attr_decl gelu_attrs[] = {
    {.name = "approximate",
        .kind = TF_ATTR_CHOICE,
        .fallback = {.kind = TF_VAL_STRING, .u.s = "tanh"},
        .choices = gelu_forms},
};

/* X(name, what it computes, inference) */
#define ACTIVATIONS(X)                                                                                                 \
    X(relu, "max(x, 0)", infer_relu)                                                                                   \
    X(silu, "x * sigmoid(x)", infer_gated)                                                                             \
    X(sigmoid, "1 / (1 + exp(-x))", infer_monotone)                                                                    \
    X(tanh, "the hyperbolic tangent", infer_monotone)

#define X(NAME, text, infer_fn)                                                                                        \
    const struct tf_op op_##NAME = {                                                                                   \
        .struct_size = sizeof(op_##NAME),                                                                              \
        .name = #NAME,                                                                                                 \
        .summary = text,                                                                                               \
        .n_inputs = OK_COUNT(inputs),                                                                                  \
        .inputs = inputs,                                                                                              \
        .infer = infer_fn,                                                                                             \
        .cost = cost_activation,                                                                                       \
        .eval = eval_##NAME,                                                                                           \
        .relate = ok_relate_elementwise,                                                                               \
        .flags = TF_OP_ROWS,                                                                                           \
    };
ACTIVATIONS(X)
#undef X

const struct tf_op op_gelu = {
    .struct_size = sizeof(op_gelu),
    .name = "gelu",
    .summary = "x times the normal distribution's share below x, by tanh or exactly",
    .n_inputs = OK_COUNT(inputs),
    .inputs = inputs,
    .n_attrs = OK_COUNT(gelu_attrs),
    .attrs = gelu_attrs,
    .infer = infer_gated,
    .cost = cost_activation,
    .relate = ok_relate_elementwise,
    .eval = eval_gelu,
    .flags = TF_OP_ROWS,
};

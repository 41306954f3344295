/* SPDX-License-Identifier: MIT
 * Values of the activations: each is one function of f64, rounded once.
 */
#include "eval.h"

#define ROOT_HALF 0.70710678118654752440
#define ROOT_TWO_OVER_PI 0.79788456080286535588

#define FUNCTION(name, expression)                                                                                     \
    static void name##_f64(const void *data, size_t n, const double *const *in, double *out)                           \
    {                                                                                                                  \
        const struct tf_math *m = data;                                                                                \
        for (size_t i = 0; i < n; i++) {                                                                               \
            double a = in[0][i];                                                                                       \
            out[i] = expression;                                                                                       \
        }                                                                                                              \
    }
FUNCTION(silu, a / (1 + m->exp(-a)))
FUNCTION(sigmoid, 1 / (1 + m->exp(-a)))
FUNCTION(tanh, m->tanh(a))

/* 1 + tanh cancels where x is far below 0, and what is left is f32's: gelu is defined by its steps, each in f32 (f64 for
 * f64), as kernels compute it. */
struct gelu {
    const struct tf_math *math;
    uint32_t dtype;
};

static void gelu_by_tanh_f64(const void *data, size_t n, const double *const *in, double *out)
{
    const struct gelu *g = data;
    double beta = ek_narrow(g->dtype, ROOT_TWO_OVER_PI), kappa = ek_narrow(g->dtype, 0.044715);
    for (size_t i = 0; i < n; i++) {
        double a = in[0][i], cube = ek_narrow(g->dtype, ek_narrow(g->dtype, a * a) * a);
        double inner = ek_narrow(g->dtype, a + ek_narrow(g->dtype, kappa * cube));
        double share = ek_narrow(g->dtype, 1 + ek_narrow(g->dtype, g->math->tanh(ek_narrow(g->dtype, beta * inner))));
        out[i] = 0.5 * a * share;
    }
}

static void gelu_by_erf_f64(const void *data, size_t n, const double *const *in, double *out)
{
    const struct gelu *g = data;
    double root = ek_narrow(g->dtype, ROOT_HALF);
    for (size_t i = 0; i < n; i++) {
        double a = in[0][i], part = g->math->erf(ek_narrow(g->dtype, a * root));
        out[i] = 0.5 * a * ek_narrow(g->dtype, 1 + ek_narrow(g->dtype, part));
    }
}

static void relu_f64(const void *data, size_t n, const double *const *in, double *out)
{
    (void)data;
    for (size_t i = 0; i < n; i++)
        out[i] = in[0][i] < 0 ? 0 : in[0][i];
}

static void relu_i64(const void *data, size_t n, const int64_t *const *in, int64_t *out)
{
    (void)data;
    for (size_t i = 0; i < n; i++)
        out[i] = in[0][i] < 0 ? 0 : in[0][i];
}

static int map(tf_ctx *ctx, const struct tf_eval *eval, ek_f64_fn *fn, enum activation which)
{
    if (eval->mode == TF_EVAL_BOUND)
        return bound_activation(ctx, eval, which);
    const struct tf_math *math = tf_host->math(ctx);
    return math ? ek_map_f64(eval, math, fn) : TF_E_REFUSED;
}

int eval_relu(tf_ctx *ctx, const struct tf_eval *eval)
{
    if (eval->mode == TF_EVAL_BOUND)
        return bound_activation(ctx, eval, ACTIVATION_RELU);
    return ok_is_float(eval->args[0]->dtype) ? ek_map_f64(eval, NULL, relu_f64) : ek_map_i64(eval, NULL, relu_i64);
}

int eval_silu(tf_ctx *ctx, const struct tf_eval *eval)
{
    return map(ctx, eval, silu_f64, ACTIVATION_SILU);
}

int eval_sigmoid(tf_ctx *ctx, const struct tf_eval *eval)
{
    return map(ctx, eval, sigmoid_f64, ACTIVATION_SIGMOID);
}

int eval_tanh(tf_ctx *ctx, const struct tf_eval *eval)
{
    return map(ctx, eval, tanh_f64, ACTIVATION_TANH);
}

int eval_gelu(tf_ctx *ctx, const struct tf_eval *eval)
{
    struct gelu gelu = {tf_host->math(ctx), ak_held(eval, eval->args[0])};
    if (!gelu.math)
        return TF_E_REFUSED;
    int by_tanh = strcmp(ok_string(eval->call, 0), "tanh") == 0;
    if (eval->mode == TF_EVAL_BOUND)
        return bound_activation(ctx, eval, by_tanh ? ACTIVATION_GELU_BY_TANH : ACTIVATION_GELU_BY_ERF);
    return ek_map_f64(eval, &gelu, by_tanh ? gelu_by_tanh_f64 : gelu_by_erf_f64);
}

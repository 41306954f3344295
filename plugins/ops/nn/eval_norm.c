/* SPDX-License-Identifier: MIT
 * Values of softmax and the normalisations: in f32 step by step (f64 for f64), sums in groups of eight, rounded to the
 * result's dtype at the end.
 */
#include "eval.h"

/* ---- softmax -----------------------------------------------------------------------------------------------------*/

static void softmax_row(const struct tf_math *m, uint32_t dtype, size_t n, double *x)
{
    double most = n ? x[0] : 0;
    for (size_t i = 1; i < n; i++)
        most = x[i] != x[i] || x[i] > most ? x[i] : most;
    for (size_t i = 0; i < n; i++)
        x[i] = ek_narrow(dtype, m->exp(ek_narrow(dtype, x[i] - most)));
    double sum = ek_narrow(dtype, ek_sum_of(dtype, n, x));
    for (size_t i = 0; i < n; i++)
        x[i] = ek_narrow(dtype, x[i] / sum);
}

/* Elements of a row lie `step` from each other. */
static void load_row(
    const struct tf_eval *eval, const struct tf_tensor *t, size_t first, size_t step, size_t n, double *to)
{
    if (step == 1)
        ek_load(eval, t, first, n, to);
    for (size_t i = 0; i < n && step != 1; i++)
        ek_load(eval, t, first + i * step, 1, to + i);
}

static void store_row(const struct tf_eval *e, size_t first, size_t step, size_t n, const double *from)
{
    if (step == 1)
        ek_store(e, e->results[0], first, n, from);
    for (size_t i = 0; i < n && step != 1; i++)
        ek_store(e, e->results[0], first + i * step, 1, from + i);
}

int eval_softmax(tf_ctx *ctx, const struct tf_eval *eval)
{
    const struct tf_tensor *x = eval->args[0];
    const struct tf_math *math = tf_host->math(ctx);
    int64_t written = ok_int(eval->call, 0);
    uint32_t axis = (uint32_t)(written < 0 ? written + (int64_t)x->rank : written);
    size_t n = (size_t)x->extents[axis], step = ek_extent(x, axis + 1, x->rank), outer = ek_extent(x, 0, axis);
    if (eval->mode == TF_EVAL_BOUND && ok_is_float(x->dtype))
        return bound_softmax(ctx, eval, axis);
    int begun = ak_begin(eval);
    if (begun)
        return begun;
    if (!math || !ok_is_float(x->dtype))
        return math ? TF_E_UNSUPPORTED : TF_E_REFUSED;
    double *row = ek_scratch(n, sizeof(double));
    if (!row)
        return TF_E_NOMEM;
    for (size_t o = 0; o < outer; o++)
        for (size_t i = 0; i < step; i++) {
            load_row(eval, x, o * n * step + i, step, n, row);
            softmax_row(math, ak_held(eval, x), n, row);
            store_row(eval, o * n * step + i, step, n, row);
        }
    free(row);
    return TF_OK;
}

/* ---- rms_norm, layer_norm ----------------------------------------------------------------------------------------*/

struct norm {
    const struct tf_math *math;
    uint32_t dtype; /* of x: f64 is computed in f64 */
    size_t n;
    double eps;
    const double *weight, *bias; /* bias NULL: none */
    double *scratch;             /* n */
};

static double mean_of_squares(const struct norm *norm, const double *x)
{
    for (size_t i = 0; i < norm->n; i++)
        norm->scratch[i] = ek_narrow(norm->dtype, x[i] * x[i]);
    return ek_narrow(norm->dtype, ek_sum_of(norm->dtype, norm->n, norm->scratch) / (double)norm->n);
}

static double reciprocal_root(const struct norm *norm, double x)
{
    return ek_narrow(norm->dtype, 1 / norm->math->sqrt(ek_narrow(norm->dtype, x + norm->eps)));
}

static void scale_row(const struct norm *norm, double factor, double *x)
{
    for (size_t i = 0; i < norm->n; i++) {
        x[i] = ek_narrow(norm->dtype, ek_narrow(norm->dtype, x[i] * factor) * norm->weight[i]);
        if (norm->bias)
            x[i] = ek_narrow(norm->dtype, x[i] + norm->bias[i]);
    }
}

static void rms_row(const struct norm *norm, double *x)
{
    scale_row(norm, reciprocal_root(norm, mean_of_squares(norm, x)), x);
}

static void layer_row(const struct norm *norm, double *x)
{
    double mean = ek_narrow(norm->dtype, ek_sum_of(norm->dtype, norm->n, x) / (double)norm->n);
    for (size_t i = 0; i < norm->n; i++)
        x[i] = ek_narrow(norm->dtype, x[i] - mean);
    rms_row(norm, x);
}

/* Rows of n elements; the parameters are of one row. */
static int eval_norm(
    tf_ctx *ctx, const struct tf_eval *eval, size_t n, double eps, void (*compute)(const struct norm *norm, double *x))
{
    const struct tf_tensor *x = eval->args[0];
    size_t rows = n ? ek_count(x) / n : 0;
    struct norm norm = {
        .math = tf_host->math(ctx), .dtype = ak_held(eval, x), .n = n, .eps = ek_narrow(ak_held(eval, x), eps)};
    if (eval->mode == TF_EVAL_BOUND && ok_is_float(x->dtype))
        return bound_norm(ctx, eval, n, eps, compute == layer_row);
    int begun = ak_begin(eval);
    if (begun)
        return begun;
    if (!norm.math || !ok_is_float(x->dtype))
        return norm.math ? TF_E_UNSUPPORTED : TF_E_REFUSED;
    double *buffers = ek_scratch(n, 4 * sizeof(double));
    if (!buffers)
        return TF_E_NOMEM;
    double *row = buffers, *weight = buffers + n, *bias = buffers + 2 * n;
    ek_load(eval, eval->args[1], 0, n, weight);
    if (eval->n_args > 2)
        ek_load(eval, eval->args[2], 0, n, bias);
    norm.weight = weight;
    norm.bias = eval->n_args > 2 ? bias : NULL;
    norm.scratch = buffers + 3 * n;
    for (size_t r = 0; r < rows; r++) {
        ek_load(eval, x, r * n, n, row);
        compute(&norm, row);
        ek_store(eval, eval->results[0], r * n, n, row);
    }
    free(buffers);
    return TF_OK;
}

static double eps_of(const struct tf_call *call, uint32_t attr)
{
    const struct tf_val *val = &call->attrs[attr];
    return val->kind == TF_VAL_FLOAT ? val->u.f : (double)val->u.i;
}

int eval_rms_norm(tf_ctx *ctx, const struct tf_eval *eval)
{
    const struct tf_tensor *x = eval->args[0];
    return eval_norm(ctx, eval, (size_t)x->extents[x->rank - 1], eps_of(eval->call, 0), rms_row);
}

int eval_layer_norm(tf_ctx *ctx, const struct tf_eval *eval)
{
    return eval_norm(ctx, eval, ek_count(eval->args[1]), eps_of(eval->call, 1), layer_row);
}

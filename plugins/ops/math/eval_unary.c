/* SPDX-License-Identifier: MIT
 * Values of unary and softplus.
 */
#include "bound.h"
#include "eval.h"

#define ROW(name, type, expression)                                                                                    \
    static void name(const void *data, size_t n, const type *const *in, type *out)                                     \
    {                                                                                                                  \
        (void)data;                                                                                                    \
        for (size_t i = 0; i < n; i++) {                                                                               \
            type a = in[0][i];                                                                                         \
            out[i] = expression;                                                                                       \
        }                                                                                                              \
    }
ROW(neg_f64, double, -a)
ROW(abs_f64, double, __builtin_fabs(a))
ROW(same_f64, double, a)
ROW(relu_f64, double, a < 0 ? 0 : a)
ROW(square_f64, double, a *a)

ROW(neg_i64, int64_t, (int64_t)(0 - (uint64_t)a))
ROW(abs_i64, int64_t, a < 0 ? (int64_t)(0 - (uint64_t)a) : a)
ROW(same_i64, int64_t, a)
ROW(not_i64, int64_t, !a)
ROW(relu_i64, int64_t, a < 0 ? 0 : a)
ROW(square_i64, int64_t, (int64_t)((uint64_t)a *(uint64_t)a))

/* Those that need the mathematical library: data is its table. */
#define FUNCTION(name, expression)                                                                                     \
    static void name(const void *data, size_t n, const double *const *in, double *out)                                 \
    {                                                                                                                  \
        const struct tf_math *m = data;                                                                                \
        for (size_t i = 0; i < n; i++) {                                                                               \
            double a = in[0][i];                                                                                       \
            out[i] = expression;                                                                                       \
        }                                                                                                              \
    }
FUNCTION(rsqrt_f64, 1 / m->sqrt(a))
FUNCTION(exp_f64, m->exp(a))
FUNCTION(log_f64, m->log(a))
FUNCTION(ceil_f64, m->ceil(a))
FUNCTION(round_f64, m->rint(a))
FUNCTION(exp2_f64, m->exp2(a))
FUNCTION(log2_f64, m->log2(a))
FUNCTION(softplus_f64, a > 20 ? a : m->log1p(m->exp(a)))

/* X(value, of floats, of integers) */
#define FUNCTIONS(X)                                                                                                   \
    X("neg", neg_f64, neg_i64)                                                                                         \
    X("abs", abs_f64, abs_i64)                                                                                         \
    X("rsqrt", rsqrt_f64, NULL)                                                                                        \
    X("cast", same_f64, same_i64)                                                                                      \
    X("not", NULL, not_i64)                                                                                            \
    X("relu", relu_f64, relu_i64)                                                                                      \
    X("square", square_f64, square_i64)                                                                                \
    X("exp", exp_f64, NULL)                                                                                            \
    X("log", log_f64, NULL)                                                                                            \
    X("ceil", ceil_f64, same_i64)                                                                                      \
    X("round", round_f64, same_i64)                                                                                    \
    X("exp2", exp2_f64, NULL)                                                                                          \
    X("log2", log2_f64, NULL)

static const struct {
    const char *kind;
    ek_f64_fn *floats;
    ek_i64_fn *integers;
} functions[] = {
#define X(value, floats, integers) {value, floats, integers},
    FUNCTIONS(X)
#undef X
};

int eval_unary(tf_ctx *ctx, const struct tf_eval *eval)
{
    const char *kind = ok_string(eval->call, 0);
    uint32_t dtype = eval->args[0]->dtype;
    size_t k = 0;
    if (eval->mode == TF_EVAL_BOUND)
        return bound_unary(ctx, eval);
    while (k + 1 < OK_COUNT(functions) && strcmp(functions[k].kind, kind) != 0)
        k++;
    if (!ok_is_float(dtype)) {
        int signs_a_truth =
            dtype == TF_DTYPE_BOOL && (functions[k].integers == neg_i64 || functions[k].integers == abs_i64);
        return functions[k].integers && !signs_a_truth ? ek_map_i64(eval, NULL, functions[k].integers)
                                                       : TF_E_UNSUPPORTED;
    }
    const struct tf_math *math = tf_host->math(ctx);
    if (!math)
        return TF_E_REFUSED;
    return functions[k].floats ? ek_map_f64(eval, math, functions[k].floats) : TF_E_UNSUPPORTED;
}

int eval_softplus(tf_ctx *ctx, const struct tf_eval *eval)
{
    if (eval->mode == TF_EVAL_BOUND)
        return bound_softplus(ctx, eval);
    const struct tf_math *math = tf_host->math(ctx);
    return math ? ek_map_f64(eval, math, softplus_f64) : TF_E_REFUSED;
}

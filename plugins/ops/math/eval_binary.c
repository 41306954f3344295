/* SPDX-License-Identifier: MIT
 * Values of binary: floats in f64, integers and truths in 64 bits.
 */
#include "bound.h"
#include "eval.h"

#define ROW(name, type, expression)                                                                                    \
    static void name(const void *data, size_t n, const type *const *in, type *out)                                     \
    {                                                                                                                  \
        (void)data;                                                                                                    \
        for (size_t i = 0; i < n; i++) {                                                                               \
            type a = in[0][i], b = in[1][i];                                                                           \
            out[i] = expression;                                                                                       \
        }                                                                                                              \
    }

/* NaN is the least and the largest. */
ROW(add_f64, double, a + b)
ROW(sub_f64, double, a - b)
ROW(mul_f64, double, a *b)
ROW(div_f64, double, a / b)
ROW(min_f64, double, a != a ? a : b != b ? b : a < b ? a : b)
ROW(max_f64, double, a != a ? a : b != b ? b : a > b ? a : b)
ROW(eq_f64, double, a == b)
ROW(ne_f64, double, a != b)
ROW(lt_f64, double, a < b)
ROW(le_f64, double, a <= b)
ROW(gt_f64, double, a > b)
ROW(ge_f64, double, a >= b)

#define WRAPPED(expression) (int64_t)(expression)
ROW(add_i64, int64_t, WRAPPED((uint64_t)a + (uint64_t)b))
ROW(sub_i64, int64_t, WRAPPED((uint64_t)a - (uint64_t)b))
ROW(mul_i64, int64_t, WRAPPED((uint64_t)a *(uint64_t)b))
ROW(min_i64, int64_t, a < b ? a : b)
ROW(max_i64, int64_t, a > b ? a : b)
ROW(eq_i64, int64_t, a == b)
ROW(ne_i64, int64_t, a != b)
ROW(lt_i64, int64_t, a < b)
ROW(le_i64, int64_t, a <= b)
ROW(gt_i64, int64_t, a > b)
ROW(ge_i64, int64_t, a >= b)
ROW(and_i64, int64_t, a &&b)
ROW(or_i64, int64_t, a || b)

/* Of the least integer by -1 there is no quotient in 64 bits: it wraps to itself. */
static int64_t quotient(int64_t a, int64_t b)
{
    if (b == -1)
        return (int64_t)(0 - (uint64_t)a);
    return a / b - (a % b != 0 && (a % b < 0) != (b < 0));
}

static int64_t remainder_of(int64_t a, int64_t b)
{
    int64_t r = b == -1 ? 0 : a % b;
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

static void floor_div_i64(const void *data, size_t n, const int64_t *const *in, int64_t *out)
{
    int *by_zero = *(int *const *)data;
    for (size_t i = 0; i < n; i++) {
        *by_zero |= in[1][i] == 0;
        out[i] = in[1][i] ? quotient(in[0][i], in[1][i]) : 0;
    }
}

static void mod_i64(const void *data, size_t n, const int64_t *const *in, int64_t *out)
{
    int *by_zero = *(int *const *)data;
    for (size_t i = 0; i < n; i++) {
        *by_zero |= in[1][i] == 0;
        out[i] = in[1][i] ? remainder_of(in[0][i], in[1][i]) : 0;
    }
}

/* X(value, of floats, of integers and truths, whether of truths) */
#define FUNCTIONS(X)                                                                                                   \
    X("add", add_f64, add_i64, 1)                                                                                      \
    X("sub", sub_f64, sub_i64, 0)                                                                                      \
    X("mul", mul_f64, mul_i64, 1)                                                                                      \
    X("div", div_f64, NULL, 0)                                                                                         \
    X("floor_div", NULL, floor_div_i64, 0)                                                                             \
    X("mod", NULL, mod_i64, 0)                                                                                         \
    X("min", min_f64, min_i64, 1)                                                                                      \
    X("max", max_f64, max_i64, 1)                                                                                      \
    X("eq", eq_f64, eq_i64, 1)                                                                                         \
    X("ne", ne_f64, ne_i64, 1)                                                                                         \
    X("lt", lt_f64, lt_i64, 1)                                                                                         \
    X("le", le_f64, le_i64, 1)                                                                                         \
    X("gt", gt_f64, gt_i64, 1)                                                                                         \
    X("ge", ge_f64, ge_i64, 1)                                                                                         \
    X("and", NULL, and_i64, 1)                                                                                         \
    X("or", NULL, or_i64, 1)

static const struct {
    const char *kind;
    ek_f64_fn *floats;
    ek_i64_fn *integers;
    int truths;
} functions[] = {
#define X(value, floats, integers, truths) {value, floats, integers, truths},
    FUNCTIONS(X)
#undef X
};

int eval_binary(tf_ctx *ctx, const struct tf_eval *eval)
{
    const char *kind = ok_string(eval->call, 0);
    uint32_t dtype = eval->args[0]->dtype;
    size_t k = 0;
    int by_zero = 0, *told = &by_zero;
    if (eval->mode == TF_EVAL_BOUND)
        return bound_binary(eval);
    while (k + 1 < OK_COUNT(functions) && strcmp(functions[k].kind, kind) != 0)
        k++;
    if (ok_is_float(dtype))
        return functions[k].floats ? ek_map_f64(eval, NULL, functions[k].floats) : TF_E_UNSUPPORTED;
    if (!functions[k].integers || (dtype == TF_DTYPE_BOOL && !functions[k].truths))
        return TF_E_UNSUPPORTED;
    int rc = ek_map_i64(eval, &told, functions[k].integers);
    if (by_zero)
        return OK_REFUSE(ctx, eval->call, CODE_ZERO_DIVISOR, "%s: a divisor is 0", ok_name(eval->call));
    return rc;
}

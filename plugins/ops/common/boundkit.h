/* SPDX-License-Identifier: MIT
 * Enclosures: intervals of f64 that hold every legal result.  An f64 operation that is not exact moves its end outwards;
 * a rounding that the program states is applied to the ends, which is exact since rounding is monotone.
 */
#ifndef TF_OPS_COMMON_BOUNDKIT_H
#define TF_OPS_COMMON_BOUNDKIT_H

#include "evalkit.h"

#define BK_INFINITY __builtin_inf()

struct bk {
    double lo, hi;
    uint8_t doubt;
};

static inline struct bk bk_nan(void)
{
    return (struct bk){BK_INFINITY, -BK_INFINITY, TF_DOUBT_MAY_NAN | TF_DOUBT_MUST_NAN};
}

static inline struct bk bk_anything(void)
{
    return (struct bk){-BK_INFINITY, BK_INFINITY, TF_DOUBT_MAY_NAN};
}

static inline int bk_is_point(struct bk x)
{
    return x.lo == x.hi && !x.doubt;
}

static inline int bk_is_nan(struct bk x)
{
    return (x.doubt & TF_DOUBT_MUST_NAN) != 0;
}

static inline struct bk bk_at(const struct tf_tensor *t, size_t i)
{
    return (struct bk){((const double *)t->data)[i], t->bound[i], t->doubt[i]};
}

static inline void bk_put(const struct tf_tensor *t, size_t i, struct bk x)
{
    ((double *)t->data)[i] = x.lo;
    t->bound[i] = x.hi;
    t->doubt[i] = x.doubt;
}

/* ---- outwards -----------------------------------------------------------------------------------------------------*/

/* The next f64 below. */
static inline double bk_below(double x)
{
    int64_t bits;
    if (x != x || x == -BK_INFINITY)
        return x;
    if (x == 0)
        return -0x1p-1074;
    memcpy(&bits, &x, sizeof(bits));
    bits += x > 0 ? -1 : 1;
    memcpy(&x, &bits, sizeof(x));
    return x;
}

static inline double bk_above(double x)
{
    return -bk_below(-x);
}

/* Both ends out by n places of f64, for functions that are within that of the truth. */
static inline struct bk bk_out(struct bk x, int n)
{
    for (; n > 0; n--) {
        x.lo = bk_below(x.lo);
        x.hi = bk_above(x.hi);
    }
    return x;
}

/* a + b, downwards and upwards; the error of an addition is a number of f64 and found exactly. */
static inline double bk_add_error(double a, double b, double sum)
{
    double bb = sum - a;
    return sum - sum == 0 ? (a - (sum - bb)) + (b - bb) : 0;
}

static inline double bk_add_low(double a, double b)
{
    double sum = a + b;
    return bk_add_error(a, b, sum) < 0 ? bk_below(sum) : sum;
}

static inline double bk_add_high(double a, double b)
{
    return -bk_add_low(-a, -b);
}

static inline double bk_mul_low(double a, double b)
{
    double product = a * b;
    if (a == 0 || b == 0)
        return 0; /* an end that is infinite stands for numbers as large as any, not for infinity */
    return product - product == 0 && __builtin_fabs(product) > 0x1p-900 && __builtin_fma(a, b, -product) >= 0
               ? product
               : bk_below(product);
}

static inline double bk_mul_high(double a, double b)
{
    return -bk_mul_low(-a, b);
}

static inline double bk_div_low(double a, double b)
{
    double quotient = a / b;
    if (quotient != quotient)
        return -BK_INFINITY;
    if (quotient - quotient != 0 || __builtin_fabs(a) < 0x1p-900)
        return a == 0 ? quotient : bk_below(quotient);
    double rest = __builtin_fma(-quotient, b, a); /* of the sign of a - quotient b, and exact */
    return rest == 0 || (rest > 0) == (b > 0) ? quotient : bk_below(quotient);
}

static inline double bk_div_high(double a, double b)
{
    return -bk_div_low(-a, b);
}

/* ---- roundings that the program states ----------------------------------------------------------------------------*/

static inline double bk_largest(uint32_t dtype)
{
    switch (dtype) {
    case TF_DTYPE_FP8E4M3: return 448;
    case TF_DTYPE_FP8E5M2: return 57344;
    case TF_DTYPE_F4E2M1: return 6;
    default: return 0x1.fffffep127;
    }
}

static inline double bk_round_end(uint32_t dtype, double x, uint32_t fp8_overflow, uint8_t *doubt)
{
    char element[8];
    double rounded;
    tf_host->store_f64(dtype, 1, &x, element, fp8_overflow);
    tf_host->load_f64(dtype, 1, element, &rounded);
    if (rounded == rounded)
        return rounded;
    *doubt |= TF_DOUBT_MAY_NAN; /* past the largest number of a format whose overflow is NaN */
    return x < 0 ? -bk_largest(dtype) : bk_largest(dtype);
}

static inline struct bk bk_to(uint32_t dtype, struct bk x, uint32_t fp8_overflow)
{
    if (bk_is_nan(x))
        return x;
    if (dtype == TF_DTYPE_F8E8M0 && x.lo < 0) { /* has no sign: magnitudes are rounded */
        double most = -x.lo > x.hi ? -x.lo : x.hi;
        x.lo = x.hi < 0 ? -x.hi : 0;
        x.hi = most;
    }
    uint8_t low = 0, high = 0;
    struct bk out = {
        bk_round_end(dtype, x.lo, fp8_overflow, &low), bk_round_end(dtype, x.hi, fp8_overflow, &high), x.doubt};
    if (low && high && (x.lo > 0) == (x.hi > 0))
        return bk_nan();
    out.doubt |= low | high;
    return out;
}

static inline int bk_is_16(uint32_t dtype)
{
    return dtype != TF_DTYPE_F32 && dtype != TF_DTYPE_F64;
}

/* A result as a legal implementation may round it: to the result's dtype, from a wider intermediate, or to nothing at all
 * where it declares that it keeps intermediates. */
static inline struct bk bk_result(const struct tf_eval *e, struct bk x)
{
    uint32_t dtype = e->results[0]->dtype;
    struct bk out = bk_to(dtype, x, e->fp8_overflow);
    if (e->declared->ftz && dtype == TF_DTYPE_F32) {
        if (out.lo > 0 && out.lo < 0x1p-126)
            out.lo = 0;
        if (out.hi < 0 && out.hi > -0x1p-126)
            out.hi = 0;
    }
    if (!e->declared->wider_intermediates || (e->outputs & 1) || bk_is_nan(out))
        return out;
    return (struct bk){x.lo < out.lo ? x.lo : out.lo, x.hi > out.hi ? x.hi : out.hi, out.doubt};
}

/* The last place of x in the format that functions of the dtype are computed in: f32, or f64 for f64. */
static inline double bk_ulp(uint32_t dtype, double x)
{
    uint64_t bits, exponent;
    memcpy(&bits, &x, sizeof(bits));
    exponent = bits >> 52 & 0x7ff;
    unsigned digits = dtype == TF_DTYPE_F64 ? 52 : 23;
    uint64_t least = dtype == TF_DTYPE_F64 ? 1 : 1023 - 126;
    exponent = exponent < least ? least : exponent;
    if (exponent == 0x7ff)
        return 0;
    if (exponent <= digits)
        return 0x1p-1074;
    bits = (exponent - digits) << 52;
    memcpy(&x, &bits, sizeof(x));
    return x;
}

/* The least number that is ulp last places below one of [lo, hi].  Where the last place grows between the ends, the first
 * number with the larger one may go below what lo does. */
static inline double bk_widened_low(uint32_t dtype, double lo, double hi, double ulp)
{
    uint64_t bits;
    double power;
    if (lo - lo != 0)
        return lo;
    double low = bk_add_low(lo, -ulp * bk_ulp(dtype, lo));
    memcpy(&bits, &lo, sizeof(bits));
    bits = ((bits >> 52) + 1) << 52; /* of a positive number: the next power of two */
    memcpy(&power, &bits, sizeof(power));
    if (lo <= 0 || power > hi || power - power != 0)
        return low;
    double other = bk_add_low(power, -ulp * bk_ulp(dtype, power));
    return other < low ? other : low;
}

/* What a function may be off by, in units in the last place; a half is a correct rounding, which the ends have anyway. */
static inline struct bk bk_widen(const struct tf_eval *e, struct bk x, double ulp)
{
    uint32_t dtype = e->results[0]->dtype;
    if (ulp <= 0.5 || bk_is_nan(x))
        return x;
    double low = bk_widened_low(dtype, x.lo, x.hi, ulp), high = -bk_widened_low(dtype, -x.hi, -x.lo, ulp);
    x.lo = low;
    x.hi = high;
    return x;
}

/* n addends in any order, round to nearest with that many bits: gamma(n) of their magnitudes; negative: refuse. */
static inline double bk_gamma(double n, double u)
{
    return n * u >= 0.5 ? -1 : bk_above(bk_above(n * u / (1 - n * u)));
}

static inline double bk_unit(const char *accumulator)
{
    static const struct {
        const char *name;
        double unit;
    } UNITS[] = {{"f32", 0x1p-24}, {"f64", 0x1p-53}, {"f16", 0x1p-11}, {"bf16", 0x1p-8}};
    for (size_t i = 0; i < sizeof(UNITS) / sizeof(*UNITS); i++)
        if (!strcmp(UNITS[i].name, accumulator))
            return UNITS[i].unit;
    return 0;
}

#define BK_CODE "bound-accumulator"

/* The greatest relative error of n additions of terms that are rounded before, or not; negative after a diagnostic. */
static inline double bk_sum_error(tf_ctx *ctx, const struct tf_eval *e, uint32_t dtype, double n, int rounded)
{
    const struct tf_declared *d = e->declared;
    /* what adds products at once adds nothing else: other sums are taken in f32 */
    double unit = dtype == TF_DTYPE_F64 ? 0x1p-53 : d->fraction_bits ? 0x1p-24 : bk_unit(d->accumulator);
    if (unit == 0) {
        tf_host->error(ctx, &e->call->loc, BK_CODE, "%s: no bound is known for the accumulator %s", e->call->op->name,
            d->accumulator);
        return -1;
    }
    double additions = d->depth && (double)d->depth < n ? (double)d->depth : n;
    double gamma = bk_gamma(additions + (rounded ? 1 : 0), unit);
    if (gamma < 0)
        tf_host->error(ctx, &e->call->loc, BK_CODE, "%s: sums of %.0f terms in %s have no digit that is certain",
            e->call->op->name, n + 1, d->accumulator);
    return gamma;
}

/* Magnitudes that add up to more may pass the accumulator's largest number on the way. */
static inline double bk_sum_limit(const struct tf_eval *e, uint32_t dtype)
{
    if (dtype == TF_DTYPE_F64 || !strcmp(e->declared->accumulator, "f64"))
        return 0x1.fffffffffffffp1023;
    return !strcmp(e->declared->accumulator, "f16") ? 65504 : 0x1.fep127;
}

#endif

/* SPDX-License-Identifier: MIT
 * Arithmetic of enclosures, and the steps inside of an operator that is a formula.  Such an operator rounds each step to
 * f32 (f64 for f64) and the last one to the result's dtype; a candidate that fuses steps, or keeps intermediates, may
 * leave out any of these roundings but the last.
 */
#ifndef TF_OPS_COMMON_BOUNDSTEPS_H
#define TF_OPS_COMMON_BOUNDSTEPS_H

#include "boundkit.h"

#define BK_CODE_OPEN "bound-rows"

/* ---- arithmetic ---------------------------------------------------------------------------------------------------*/

static inline struct bk bk_negated(struct bk a)
{
    return (struct bk){-a.hi, -a.lo, a.doubt};
}

static inline struct bk bk_hull(struct bk a, struct bk b)
{
    if (bk_is_nan(a) && bk_is_nan(b))
        return a;
    if (bk_is_nan(a) || bk_is_nan(b))
        return bk_is_nan(a) ? (struct bk){b.lo, b.hi, b.doubt | TF_DOUBT_MAY_NAN}
                            : (struct bk){a.lo, a.hi, a.doubt | TF_DOUBT_MAY_NAN};
    return (struct bk){a.lo < b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi, a.doubt | b.doubt};
}

static inline struct bk bk_add(struct bk a, struct bk b)
{
    if (bk_is_nan(a) || bk_is_nan(b))
        return bk_nan();
    struct bk out = {bk_add_low(a.lo, b.lo), bk_add_high(a.hi, b.hi), a.doubt | b.doubt};
    int opposite = (a.hi == BK_INFINITY && b.lo == -BK_INFINITY) || (a.lo == -BK_INFINITY && b.hi == BK_INFINITY);
    if (out.lo == out.lo && out.hi == out.hi && !opposite)
        return out;
    return bk_is_point(a) && bk_is_point(b) ? bk_nan() : bk_anything();
}

/* Infinity times zero is NaN; an end at infinity may be infinity itself. */
static inline int bk_may_be_invalid(struct bk a, struct bk b)
{
    int infinite = a.lo == -BK_INFINITY || a.hi == BK_INFINITY, zero = b.lo <= 0 && b.hi >= 0;
    return infinite && zero;
}

static inline struct bk bk_mul(struct bk a, struct bk b)
{
    const double x[] = {a.lo, a.lo, a.hi, a.hi}, y[] = {b.lo, b.hi, b.lo, b.hi};
    struct bk out = {BK_INFINITY, -BK_INFINITY, a.doubt | b.doubt};
    if (bk_is_nan(a) || bk_is_nan(b))
        return bk_nan();
    if (bk_may_be_invalid(a, b) || bk_may_be_invalid(b, a)) {
        if (bk_is_point(a) && bk_is_point(b))
            return bk_nan();
        out.doubt |= TF_DOUBT_MAY_NAN;
    }
    for (int i = 0; i < 4; i++) {
        double low = bk_mul_low(x[i], y[i]), high = bk_mul_high(x[i], y[i]);
        out.lo = low < out.lo ? low : out.lo;
        out.hi = high > out.hi ? high : out.hi;
    }
    return out;
}

static inline struct bk bk_square(struct bk a)
{
    double least = a.lo > 0 ? a.lo : a.hi < 0 ? -a.hi : 0, most = -a.lo > a.hi ? -a.lo : a.hi;
    if (bk_is_nan(a))
        return a;
    return (struct bk){least == 0 ? 0 : bk_mul_low(least, least), bk_mul_high(most, most), a.doubt};
}

static inline struct bk bk_quotient(struct bk a, struct bk b)
{
    const double x[] = {a.lo, a.lo, a.hi, a.hi}, y[] = {b.lo, b.hi, b.lo, b.hi};
    struct bk out = {BK_INFINITY, -BK_INFINITY, a.doubt | b.doubt};
    if (bk_is_nan(a) || bk_is_nan(b))
        return bk_nan();
    if (bk_is_point(a) && bk_is_point(b) && (b.lo == 0 || a.lo - a.lo != 0 || b.lo - b.lo != 0)) {
        double q = a.lo / b.lo; /* as IEEE has it: an infinity, a zero or NaN */
        return q == q ? (struct bk){q, q, 0} : bk_nan();
    }
    if (b.lo <= 0 && b.hi >= 0)
        return bk_anything();
    if ((a.lo == -BK_INFINITY || a.hi == BK_INFINITY) && (b.lo == -BK_INFINITY || b.hi == BK_INFINITY))
        out.doubt |= TF_DOUBT_MAY_NAN;
    for (int i = 0; i < 4; i++) {
        double low = bk_div_low(x[i], y[i]), high = bk_div_high(x[i], y[i]);
        out.lo = low < out.lo ? low : out.lo;
        out.hi = high > out.hi ? high : out.hi;
    }
    return out;
}

/* ---- steps --------------------------------------------------------------------------------------------------------*/

/* The format that an operator on such numbers is computed in. */
static inline uint32_t bk_inner(uint32_t dtype)
{
    return dtype == TF_DTYPE_F64 ? TF_DTYPE_F64 : TF_DTYPE_F32;
}

/* Half a last place of one, there. */
static inline double bk_inner_unit(uint32_t dtype)
{
    return dtype == TF_DTYPE_F64 ? 0x1p-53 : 0x1p-24;
}

static inline int bk_may_skip_roundings(const struct tf_eval *e)
{
    return e->declared->fma || e->declared->wider_intermediates;
}

/* A step that is rounded to f32, or not at all where the candidate may leave that out. */
static inline struct bk bk_step(const struct tf_eval *e, struct bk x)
{
    if (bk_is_nan(x) || e->args[0]->dtype == TF_DTYPE_F64)
        return x;
    struct bk out = {(double)(float)x.lo, (double)(float)x.hi, x.doubt};
    if (e->declared->ftz && out.lo > 0 && out.lo < 0x1p-126)
        out.lo = 0;
    if (e->declared->ftz && out.hi < 0 && out.hi > -0x1p-126)
        out.hi = 0;
    return bk_may_skip_roundings(e) ? bk_hull(x, out) : out;
}

/* A number that the operator states, such as an epsilon. */
static inline struct bk bk_stated(const struct tf_eval *e, double number)
{
    return bk_step(e, (struct bk){number, number, 0});
}

/* bk_result for another result than the first. */
static inline struct bk bk_result_of(const struct tf_eval *e, uint32_t which, struct bk x)
{
    struct tf_eval once = *e;
    once.results = e->results + which;
    once.outputs = e->outputs >> which;
    return bk_is_nan(x) ? x : bk_result(&once, x);
}

/* A quotient, by a division or, where divisions are not exact, by the reciprocal; that of 0 is 0. */
static inline struct bk bk_divided(const struct tf_eval *e, struct bk a, struct bk b)
{
    double ulp = e->declared->ulp[TF_APPROX_DIV];
    struct bk out = bk_quotient(a, b);
    return out.lo == 0 && out.hi == 0 ? out : bk_widen(e, out, ulp > 0.5 ? ulp + 1 : ulp);
}

static inline double bk_share(double x, double share)
{
    return x == 0 || x - x != 0 ? 0 : bk_above(__builtin_fabs(x) * share);
}

/* Out by a share of the magnitude. */
static inline struct bk bk_scaled(struct bk x, double share)
{
    if (bk_is_nan(x) || share <= 0)
        return x;
    return (struct bk){bk_add_low(x.lo, -bk_share(x.lo, share)), bk_add_high(x.hi, bk_share(x.hi, share)), x.doubt};
}

static inline struct bk bk_at_least(struct bk x, double least)
{
    if (!bk_is_nan(x)) {
        x.lo = x.lo > least ? x.lo : least;
        x.hi = x.hi > least ? x.hi : least;
    }
    return x;
}

static inline struct bk bk_at_most(struct bk x, double most)
{
    return bk_is_nan(x) ? x : bk_negated(bk_at_least(bk_negated(x), -most));
}

static inline struct bk bk_exp(const struct tf_eval *e, const struct tf_math *m, struct bk x)
{
    if (bk_is_nan(x))
        return x;
    struct bk out = bk_out((struct bk){m->exp(x.lo), m->exp(x.hi), x.doubt}, 2);
    out = bk_at_least(bk_widen(e, out, e->declared->ulp[TF_APPROX_EXP]), 0);
    if (x.hi == -BK_INFINITY || x.lo == BK_INFINITY) /* at infinity it is exact */
        out.lo = out.hi = x.hi == -BK_INFINITY ? 0 : BK_INFINITY;
    return out;
}

static inline struct bk bk_rsqrt(const struct tf_eval *e, const struct tf_math *m, struct bk x)
{
    if (bk_is_nan(x) || x.hi < 0)
        return bk_nan();
    if (x.lo < 0)
        return bk_anything();
    struct bk out = {x.hi == 0 ? BK_INFINITY : 1 / m->sqrt(x.hi), x.lo == 0 ? BK_INFINITY : 1 / m->sqrt(x.lo), x.doubt};
    if (out.lo == BK_INFINITY || x.lo == BK_INFINITY)
        return out;
    return bk_at_least(bk_widen(e, bk_out(out, 2), e->declared->ulp[TF_APPROX_RSQRT]), 0);
}

/* ---- sums in any order --------------------------------------------------------------------------------------------*/

struct bk_sum {
    double lo, hi, reach;              /* reach: of the magnitudes of what is finite */
    uint8_t doubt, infinite, negative; /* negative: an addend may be */
};

static inline void bk_sum_feed(struct bk_sum *s, struct bk x)
{
    s->doubt |= x.doubt;
    if (bk_is_nan(x))
        return;
    s->lo = bk_add_low(s->lo, x.lo);
    s->hi = bk_add_high(s->hi, x.hi);
    s->negative |= x.lo < 0;
    if (x.lo == x.hi && x.lo - x.lo != 0)
        s->infinite = 1;
    else
        s->reach = bk_add_high(s->reach, -x.lo > x.hi ? -x.lo : x.hi);
}

/* The sum, of which additions lose `lost` of the magnitudes and each of n products `underflow`; limit: past which
 * magnitudes may overflow on the way. */
static inline struct bk bk_sum_take(const struct bk_sum *s, double lost, double underflow, double limit)
{
    int may_overflow = !(s->reach < limit);
    if (s->doubt & TF_DOUBT_MUST_NAN)
        return bk_nan();
    if (may_overflow && s->negative)
        return bk_anything();
    if (s->infinite) /* the infinity among the addends, or NaN of two */
        return s->lo == s->hi ? (struct bk){s->lo, s->hi, s->doubt} : s->lo == s->lo ? bk_anything() : bk_nan();
    double error = s->reach > 0 && lost > 0 ? bk_above(s->reach * lost) : 0;
    error = underflow > 0 ? bk_above(error + underflow) : error;
    struct bk out = {bk_add_low(s->lo, -error), may_overflow ? BK_INFINITY : bk_add_high(s->hi, error), s->doubt};
    return s->negative ? out : bk_at_least(out, 0);
}

#endif

/* SPDX-License-Identifier: MIT
 * Enclosure of softmax: of the largest, of the exponentials, of their sum, of the quotients.  Kernels that keep a running
 * maximum take exponentials and partial sums by what was largest so far, and scale them when it grows: that is legal here,
 * for an exponential once and for a sum as often as RESCALES says.
 */
#include "boundsteps.h"
#include "eval.h"

#define RESCALES 64.0

struct softmax {
    const struct tf_eval *e;
    const struct tf_math *math;
    size_t n, step; /* elements of a row, how far they lie apart */
    double rounded; /* what the difference from the largest element loses */
    double scaled;  /* what one more exponential and the product with it lose */
    double lost;    /* what the sum loses */
    int failed;     /* for want of memory */
};

/* The largest element, each NaN apart; of a row that has NaN or may have it, nothing else is looked at. */
static struct bk largest(const struct softmax *s, size_t first)
{
    struct bk most = {-BK_INFINITY, -BK_INFINITY, 0};
    for (size_t i = 0; i < s->n; i++) {
        struct bk x = bk_at(s->e->args[0], first + i * s->step);
        most.doubt |= x.doubt;
        if (bk_is_nan(x))
            continue;
        most.lo = x.lo > most.lo ? x.lo : most.lo;
        most.hi = x.hi > most.hi ? x.hi : most.hi;
    }
    if (most.doubt & TF_DOUBT_MUST_NAN || most.lo == BK_INFINITY || most.hi == -BK_INFINITY)
        return bk_nan(); /* infinity minus infinity */
    return most.doubt || most.hi == BK_INFINITY || most.lo == -BK_INFINITY ? bk_anything() : most;
}

/* exp(x - most), of which the difference is 0 at most, and may be taken in two parts that are each rounded; and be turned
 * into one of powers of 2 where exponentials are not exact. */
static struct bk exponential(const struct softmax *s, struct bk x, struct bk most)
{
    struct bk difference = bk_at_most(bk_add(x, bk_negated(most)), 0);
    difference = bk_step(s->e, bk_at_most(bk_scaled(difference, s->rounded), 0));
    struct bk out = bk_scaled(bk_exp(s->e, s->math, difference), s->scaled);
    if (difference.hi != -BK_INFINITY && s->e->args[0]->dtype != TF_DTYPE_F64)
        out = bk_add(out, (struct bk){-0x1p-149, 0x1p-149, 0}); /* the product may underflow */
    return bk_step(s->e, bk_at_most(bk_at_least(out, 0), 1));
}

static void row(const struct softmax *s, size_t first, struct bk *parts)
{
    const struct tf_eval *e = s->e;
    struct bk most = largest(s, first);
    struct bk_sum sum = {0};
    int known = !bk_is_nan(most) && !most.doubt;
    for (size_t i = 0; known && i < s->n; i++) {
        parts[i] = exponential(s, bk_at(e->args[0], first + i * s->step), most);
        bk_sum_feed(&sum, parts[i]);
    }
    struct bk total = bk_step(e, bk_sum_take(&sum, s->lost, 0, bk_sum_limit(e, e->args[0]->dtype)));
    for (size_t i = 0; i < s->n; i++) {
        struct bk x = known ? bk_step(e, bk_at_least(bk_divided(e, parts[i], total), 0)) : most;
        bk_put(e->results[0], first + i * s->step, bk_is_nan(x) ? x : bk_result(e, x));
    }
}

static void rows(void *data, size_t first, size_t end)
{
    struct softmax *s = data;
    struct bk *parts = ek_scratch(s->n, sizeof(*parts));
    if (!parts)
        __atomic_store_n(&s->failed, 1, __ATOMIC_RELAXED);
    for (size_t i = first; parts && i < end; i++)
        row(s, i / s->step * s->n * s->step + i % s->step, parts);
    free(parts);
}

int bound_softmax(tf_ctx *ctx, const struct tf_eval *e, uint32_t axis)
{
    const struct tf_tensor *x = e->args[0];
    struct softmax s = {
        .e = e, .math = tf_host->math(ctx), .n = (size_t)x->extents[axis], .step = ek_extent(x, axis + 1, x->rank)};
    double exp = e->declared->ulp[TF_APPROX_EXP], unit = bk_inner_unit(x->dtype);
    double additions = s.n ? (double)s.n - 1 : 0, times = additions < RESCALES ? additions : RESCALES;
    double twice = 2 * (exp > 0.5 ? exp : 0.5) * unit;
    if (!s.math)
        return TF_E_REFUSED;
    s.rounded = bk_above(exp > 0.5 ? 3 * unit : unit);
    s.scaled = bk_above(twice + unit);
    s.lost = bk_sum_error(ctx, e, x->dtype, additions + times, 0);
    if (s.lost < 0)
        return TF_E_REFUSED;
    s.lost = bk_above(s.lost + times * twice * (1 + s.lost));
    size_t count = ek_count(x) && s.n ? ek_count(x) / s.n : 0;
    tf_host->parallel(count, EK_GRAIN / 8 / (s.n + 1) + 1, rows, &s);
    return s.failed ? TF_E_NOMEM : TF_OK;
}

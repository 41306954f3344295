/* SPDX-License-Identifier: MIT
 * Enclosure of reduce.  A sum in any order loses a share of the sum of the magnitudes; a largest element is exact.
 */
#include "bound_reduce.h"

enum { AXES, KEEPDIM, KIND };
enum { MEAN, SUM, ABS_MAX, MAX };

/* The element of the result that each of the source goes into: row-major over what is kept. */
struct walk {
    uint32_t rank;
    size_t extent[TF_MAX_RANK], stride[TF_MAX_RANK], at[TF_MAX_RANK];
    size_t to;
};

static size_t walk_open(struct walk *w, const struct tf_tensor *x, uint64_t axes)
{
    size_t kept = 1;
    *w = (struct walk){.rank = x->rank};
    for (uint32_t axis = x->rank; axis-- > 0;) {
        int is_folded = axes >> axis & 1;
        w->extent[axis] = (size_t)x->extents[axis];
        w->stride[axis] = is_folded ? 0 : kept;
        kept *= is_folded ? 1 : w->extent[axis];
    }
    return kept;
}

static void walk_next(struct walk *w)
{
    for (uint32_t axis = w->rank; axis-- > 0;) {
        w->to += w->stride[axis];
        if (++w->at[axis] < w->extent[axis])
            return;
        w->to -= w->stride[axis] * w->extent[axis];
        w->at[axis] = 0;
    }
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* An addend that is a product may not have been rounded before it was added. */
static struct bk addend(const struct tf_eval *e, size_t i)
{
    const struct tf_tensor *x = e->args[0];
    struct bk v = bk_at(x, i);
    if (!x->raw || x->raw[0] != x->raw[0] || !e->declared->fma || bk_is_nan(v))
        return v;
    v.lo = x->raw[2 * i] < v.lo ? x->raw[2 * i] : v.lo;
    v.hi = larger(x->raw[2 * i + 1], v.hi);
    return v;
}

/* Of a largest element lo, hi and doubt are what they are of a sum. */
static void feed_max(struct bk_sum *s, struct bk v, int of_magnitudes)
{
    s->doubt |= v.doubt;
    if (bk_is_nan(v))
        return;
    if (of_magnitudes)
        v = (struct bk){v.lo > 0 ? v.lo : v.hi < 0 ? -v.hi : 0, larger(-v.lo, v.hi), 0};
    s->lo = larger(s->lo, v.lo);
    s->hi = larger(s->hi, v.hi);
}

static struct bk mean_of(const struct tf_eval *e, struct bk sum, double n)
{
    if (bk_is_nan(sum) || n == 0)
        return bk_nan();
    struct bk out = {bk_div_low(sum.lo, n), bk_div_high(sum.hi, n), sum.doubt};
    return bk_widen(e, out, e->declared->ulp[TF_APPROX_DIV]);
}

static int finish(tf_ctx *ctx, const struct tf_eval *e, const struct bk_sum *states, size_t kept, size_t folded)
{
    int kind = (int)ok_choice(e->call, KIND), is_sum = kind == MEAN || kind == SUM;
    double lost = is_sum && folded > 1 ? bk_sum_error(ctx, e, e->results[0]->dtype, (double)folded - 1, 0) : 0;
    if (lost < 0)
        return TF_E_REFUSED;
    for (size_t i = 0; i < kept; i++) {
        struct bk v = {states[i].lo, states[i].hi, states[i].doubt};
        if (is_sum)
            v = bk_sum_take(&states[i], lost, 0, folded > 1 ? bk_sum_limit(e, e->results[0]->dtype) : BK_INFINITY);
        else if (v.doubt & TF_DOUBT_MUST_NAN)
            v = bk_nan();
        if (kind == MEAN)
            v = mean_of(e, v, (double)folded);
        bk_put(e->results[0], i, bk_is_nan(v) ? v : bk_result(e, v));
    }
    return TF_OK;
}

int reduce_bound_reduce(tf_ctx *ctx, const struct tf_eval *e, uint64_t axes)
{
    int kind = (int)ok_choice(e->call, KIND);
    struct walk w;
    size_t n = ek_count(e->args[0]), kept = walk_open(&w, e->args[0], axes), folded = kept ? n / kept : 0;
    struct bk_sum *states = ek_scratch(kept, sizeof(*states));
    if (!states)
        return TF_E_NOMEM;
    for (size_t i = 0; i < kept; i++)
        states[i] = kind == MAX ? (struct bk_sum){.lo = -BK_INFINITY, .hi = -BK_INFINITY} : (struct bk_sum){0};
    for (size_t i = 0; i < n; i++, walk_next(&w))
        if (kind == MEAN || kind == SUM)
            bk_sum_feed(&states[w.to], addend(e, i));
        else
            feed_max(&states[w.to], bk_at(e->args[0], i), kind == ABS_MAX);
    int rc = finish(ctx, e, states, kept, folded);
    free(states);
    return rc;
}

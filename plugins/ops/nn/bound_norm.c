/* SPDX-License-Identifier: MIT
 * Enclosures of rms_norm and layer_norm, by their steps.  The difference from the mean is taken as if it had nothing to do
 * with the elements that the mean is of: that is wider, and holds what one-pass variances by running means lose too.
 */
#include "boundsteps.h"
#include "eval.h"

struct norm {
    const struct tf_eval *e;
    const struct tf_math *math;
    size_t n;
    struct bk eps;
    int centred;               /* layer_norm */
    double lost, lost_squared; /* by sums of numbers, and of products */
    double underflow, limit;
    int failed; /* for want of memory */
};

/* The sum may be rounded before it is divided, or stay in what it was added in. */
static struct bk mean(const struct norm *p, struct bk sum)
{
    struct bk n = {(double)p->n, (double)p->n, 0};
    return bk_step(p->e, bk_divided(p->e, bk_hull(sum, bk_step(p->e, sum)), n));
}

static void centre(const struct norm *p, struct bk *x)
{
    struct bk_sum sum = {0};
    for (size_t i = 0; i < p->n; i++)
        bk_sum_feed(&sum, x[i]);
    struct bk middle = mean(p, bk_sum_take(&sum, p->lost, 0, p->limit));
    for (size_t i = 0; i < p->n; i++)
        x[i] = bk_step(p->e, bk_add(x[i], bk_negated(middle)));
}

/* One over the root of the mean of the squares. */
static struct bk factor(const struct norm *p, const struct bk *x)
{
    struct bk_sum sum = {0};
    for (size_t i = 0; i < p->n; i++)
        bk_sum_feed(&sum, bk_square(x[i]));
    struct bk squares = bk_at_least(mean(p, bk_sum_take(&sum, p->lost_squared, p->underflow, p->limit)), 0);
    return bk_step(p->e, bk_rsqrt(p->e, p->math, bk_step(p->e, bk_add(squares, p->eps))));
}

static void row(const struct norm *p, size_t first, struct bk *x)
{
    const struct tf_eval *e = p->e;
    for (size_t i = 0; i < p->n; i++)
        x[i] = bk_at(e->args[0], first + i);
    if (p->centred)
        centre(p, x);
    struct bk by = factor(p, x);
    for (size_t i = 0; i < p->n; i++) {
        struct bk y = bk_step(e, bk_mul(bk_step(e, bk_mul(x[i], by)), bk_at(e->args[1], i)));
        if (e->n_args > 2)
            y = bk_step(e, bk_add(y, bk_at(e->args[2], i)));
        bk_put(e->results[0], first + i, bk_is_nan(y) ? y : bk_result(e, y));
    }
}

static void rows(void *data, size_t first, size_t end)
{
    struct norm *p = data;
    struct bk *x = ek_scratch(p->n, sizeof(*x));
    if (!x)
        __atomic_store_n(&p->failed, 1, __ATOMIC_RELAXED);
    for (size_t i = first; x && i < end; i++)
        row(p, i * p->n, x);
    free(x);
}

int bound_norm(tf_ctx *ctx, const struct tf_eval *e, size_t n, double eps, int centred)
{
    uint32_t dtype = e->args[0]->dtype;
    double additions = n ? (double)n - 1 : 0;
    int is_wide = dtype == TF_DTYPE_F64 || !strcmp(e->declared->accumulator, "f64");
    struct norm p = {.e = e,
        .math = tf_host->math(ctx),
        .n = n,
        .eps = bk_stated(e, eps),
        .centred = centred,
        .underflow = is_wide ? 0 : (double)n * (e->declared->ftz ? 0x1p-126 : 0x1p-150),
        .limit = bk_sum_limit(e, dtype)};
    if (!p.math)
        return TF_E_REFUSED;
    p.lost = bk_sum_error(ctx, e, dtype, additions, 0);
    p.lost_squared = p.lost < 0 ? -1 : bk_sum_error(ctx, e, dtype, additions, 1);
    if (p.lost_squared < 0)
        return TF_E_REFUSED;
    tf_host->parallel(n ? ek_count(e->args[0]) / n : 0, EK_GRAIN / 8 / (n + 1) + 1, rows, &p);
    return p.failed ? TF_E_NOMEM : TF_OK;
}

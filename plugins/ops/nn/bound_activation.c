/* SPDX-License-Identifier: MIT
 * Enclosures of the activations.  What has no declared error of its own, and sigmoid besides, may also be computed by its
 * formula, from an exponential and a quotient that have theirs.
 */
#include "boundsteps.h"
#include "eval.h"

#define ROOT_HALF 0.70710678118654752440
#define ROOT_TWO_OVER_PI 0.79788456080286535588

#define SILU_LEAST (-1.2784645427610738) /* where silu turns */
#define EXP_OVERFLOWS (-88.0)            /* below it exp(-x) may be past the largest f32 */

struct task {
    const struct tf_eval *e;
    const struct tf_math *math;
    struct bk (*of)(const struct task *task, struct bk x);
    double ulp;     /* sigmoid, silu */
    int by_formula; /* may be computed by the formula, of these two */
};

static double sigmoid_at(const struct tf_math *m, double x)
{
    return x < 0 ? m->exp(x) / (1 + m->exp(x)) : 1 / (1 + m->exp(-x));
}

static double silu_at(const struct tf_math *m, double x)
{
    return x == -BK_INFINITY ? 0 : x * sigmoid_at(m, x);
}

/* What sigmoid or silu is off by.  An exponential that is taken as a power of 2 loses more far from 0, and where it
 * overflows the formula gives 0. */
static struct bk with_error(const struct task *t, struct bk x, struct bk out)
{
    const struct bk zero = {0, 0, 0};
    if (!t->by_formula)
        return bk_widen(t->e, out, t->ulp);
    out = bk_widen(t->e, out, t->ulp + (x.lo < 0 && x.lo > 2 * EXP_OVERFLOWS ? -2 * x.lo : 0));
    return x.lo < EXP_OVERFLOWS ? bk_hull(out, zero) : out;
}

static struct bk sigmoid(const struct task *t, struct bk x)
{
    struct bk out = bk_out((struct bk){sigmoid_at(t->math, x.lo), sigmoid_at(t->math, x.hi), x.doubt}, 8);
    return bk_at_most(bk_at_least(with_error(t, x, out), 0), 1);
}

/* Falls, then rises; the formula's NaN at minus infinity is what it says: -inf times 0. */
static struct bk silu(const struct task *t, struct bk x)
{
    double at_lo = silu_at(t->math, x.lo), at_hi = silu_at(t->math, x.hi);
    struct bk out = {at_lo < at_hi ? at_lo : at_hi, at_lo < at_hi ? at_hi : at_lo, x.doubt};
    if (x.hi == -BK_INFINITY)
        return bk_nan();
    if (x.lo < SILU_LEAST && x.hi > SILU_LEAST)
        out.lo = silu_at(t->math, SILU_LEAST);
    out.doubt |= x.lo == -BK_INFINITY ? TF_DOUBT_MAY_NAN : 0;
    return with_error(t, x, bk_out(out, 10));
}

static struct bk hyperbolic(const struct task *t, struct bk x)
{
    struct bk out = bk_out((struct bk){t->math->tanh(x.lo), t->math->tanh(x.hi), x.doubt}, 2);
    return bk_at_most(bk_at_least(bk_widen(t->e, out, t->e->declared->ulp[TF_APPROX_TANH]), -1), 1);
}

static struct bk rectified(const struct task *t, struct bk x)
{
    (void)t;
    return bk_at_least(x, 0);
}

/* ---- gelu: by its steps, since 1 + tanh cancels ---------------------------------------------------------------------*/

static struct bk stated(const struct task *t, double number)
{
    return bk_stated(t->e, number);
}

static struct bk times(const struct task *t, struct bk a, struct bk b)
{
    return bk_step(t->e, bk_mul(a, b));
}

/* x / 2 times 1 + part, of which the latter is between 0 and 2. */
static struct bk gated(const struct task *t, struct bk x, struct bk part)
{
    struct bk one = {1, 1, 0}, half = {0.5, 0.5, 0};
    struct bk share = bk_step(t->e, bk_add(one, bk_step(t->e, bk_at_most(bk_at_least(part, -1), 1))));
    return bk_mul(bk_mul(half, x), bk_at_least(share, 0));
}

static struct bk gelu_by_tanh(const struct task *t, struct bk x)
{
    struct bk cube = bk_step(t->e, bk_mul(bk_step(t->e, bk_square(x)), x)), kappa = stated(t, 0.044715);
    struct bk inner = bk_step(t->e, bk_add(x, times(t, kappa, cube)));
    /* the factors of the inner polynomial may be taken in another order */
    double share = bk_may_skip_roundings(t->e) ? 4 * bk_inner_unit(t->e->args[0]->dtype) : 0;
    return gated(t, x, hyperbolic(t, bk_scaled(times(t, stated(t, ROOT_TWO_OVER_PI), inner), share)));
}

static struct bk gelu_by_erf(const struct task *t, struct bk x)
{
    struct bk inner = times(t, x, stated(t, ROOT_HALF));
    struct bk part = bk_out((struct bk){t->math->erf(inner.lo), t->math->erf(inner.hi), inner.doubt}, 2);
    return gated(t, x, bk_widen(t->e, part, t->e->declared->ulp[TF_APPROX_ERF]));
}

/* ---- element by element -------------------------------------------------------------------------------------------*/

static void piece(void *data, size_t first, size_t end)
{
    const struct task *t = data;
    for (size_t i = first; i < end; i++) {
        struct bk x = bk_at(t->e->args[0], i);
        if (!bk_is_nan(x))
            x = t->of(t, x);
        bk_put(t->e->results[0], i, bk_is_nan(x) ? x : bk_result(t->e, x));
    }
}

int bound_activation(tf_ctx *ctx, const struct tf_eval *e, enum activation which)
{
    static struct bk (*const OF[])(const struct task *, struct bk) = {
        rectified, sigmoid, hyperbolic, silu, gelu_by_tanh, gelu_by_erf};
    const double *ulp = e->declared->ulp;
    double itself = ulp[which == ACTIVATION_SIGMOID ? TF_APPROX_SIGMOID : TF_APPROX_OTHER];
    double quotient = 2 * (ulp[TF_APPROX_EXP] + ulp[TF_APPROX_DIV]) + 2; /* of x / (1 + exp(-x)) */
    struct task task = {.e = e, .math = tf_host->math(ctx), .of = OF[which], .by_formula = itself > 0.5};
    task.ulp = task.by_formula && quotient > itself ? quotient : itself;
    if (!task.math)
        return TF_E_REFUSED;
    tf_host->parallel(ek_count(e->args[0]), EK_GRAIN / 8, piece, &task);
    return TF_OK;
}

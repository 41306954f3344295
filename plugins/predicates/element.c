/* SPDX-License-Identifier: MIT
 * Predicates that the worst element decides.  Differences are taken in f32, as the dtypes up to f32 are compared
 * everywhere; f64 outputs in f64.
 */
#include "measure.h"

/* To f32, unless the output is f64; a rounding of the f64 result is the f32 operation's own result. */
static inline double narrowed(double x, int is_wide)
{
    return is_wide ? x : (double)(float)x;
}

struct worst {
    double value; /* NaN wins, then the largest */
    uint64_t index;
};

static inline void worst_take(struct worst *worst, double value, uint64_t index)
{
    if (value > worst->value || (isnan(value) && !isnan(worst->value)))
        *worst = (struct worst){value, index};
}

/* What one element adds to the measure. */
typedef double element_fn(double c, double r, const double *bounds, int is_wide);

static struct worst find_worst(
    const struct tf_tensor *candidate, const struct tf_tensor *reference, const double *bounds, element_fn *measure)
{
    double c[BLOCK], r[BLOCK];
    uint64_t n = element_count(candidate);
    int is_wide = candidate->dtype == TF_DTYPE_F64;
    struct worst worst = {-INFINITY, 0};
    for (uint64_t at = 0; at < n; at += BLOCK) {
        uint32_t m = (uint32_t)(n - at < BLOCK ? n - at : BLOCK);
        load_values(candidate, at, m, c);
        load_values(reference, at, m, r);
        for (uint32_t i = 0; i < m; i++)
            worst_take(&worst, measure(c[i], r[i], bounds, is_wide), at + i);
    }
    return worst;
}

/* |c - r| by the rules for NaN and infinities. */
static double distance(double c, double r, int is_wide)
{
    switch (pair_kind(c, r)) {
    case PAIR_FINITE: return narrowed(fabs(c - r), is_wide);
    case PAIR_SAME_INF: return 0;
    case PAIR_INF: return INFINITY;
    default: return NAN;
    }
}

static double violation(double c, double r, const double *bounds, int is_wide)
{
    double d = distance(c, r, is_wide);
    if (!isfinite(d))
        return d;
    /* equal infinities violate nothing, and must not become infinity minus infinity */
    double magnitude = isfinite(r) ? fabs(r) : 0;
    double share = narrowed(narrowed(bounds[1], is_wide) * magnitude, is_wide);
    double slack = narrowed(narrowed(bounds[0], is_wide) + share, is_wide);
    return narrowed(d - slack, is_wide);
}

int judge_allclose(tf_ctx *ctx, const struct tf_tensor *candidate, const struct tf_tensor *reference,
    const double *bounds, struct tf_judgement *judgement)
{
    (void)ctx;
    if (judge_empty(candidate, "max_violation", judgement))
        return TF_OK;
    struct worst worst = find_worst(candidate, reference, bounds, violation);
    add_value(judgement, "max_violation", worst.value < 0 ? 0 : worst.value);
    decided_by(judgement, worst.index);
    judgement->passed = worst.value <= 0;
    return TF_OK;
}

static double absolute(double c, double r, const double *bounds, int is_wide)
{
    (void)bounds;
    return distance(c, r, is_wide);
}

static double relative(double c, double r, const double *bounds, int is_wide)
{
    (void)bounds;
    double d = distance(c, r, is_wide);
    if (!isfinite(d) || isinf(r))
        return d;
    if (r == 0)
        return d == 0 ? 0 : INFINITY;
    double floor_of_magnitude = narrowed(NEAR_ZERO, is_wide);
    return narrowed(d / (fabs(r) > floor_of_magnitude ? fabs(r) : floor_of_magnitude), is_wide);
}

static int judge_worst(const struct tf_tensor *candidate, const struct tf_tensor *reference, const double *bounds,
    struct tf_judgement *judgement, const char *key, element_fn *measure)
{
    if (judge_empty(candidate, key, judgement))
        return TF_OK;
    struct worst worst = find_worst(candidate, reference, bounds, measure);
    add_value(judgement, key, worst.value);
    decided_by(judgement, worst.index);
    judgement->passed = worst.value <= bounds[0];
    return TF_OK;
}

int judge_max_abs(tf_ctx *ctx, const struct tf_tensor *candidate, const struct tf_tensor *reference,
    const double *bounds, struct tf_judgement *judgement)
{
    (void)ctx;
    return judge_worst(candidate, reference, bounds, judgement, "max_abs", absolute);
}

int judge_max_rel(tf_ctx *ctx, const struct tf_tensor *candidate, const struct tf_tensor *reference,
    const double *bounds, struct tf_judgement *judgement)
{
    (void)ctx;
    return judge_worst(candidate, reference, bounds, judgement, "max_rel", relative);
}

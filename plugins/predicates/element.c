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

static inline void worst_take(struct worst *worst, double value, uint64_t index)
{
    if (value > worst->value || (isnan(value) && !isnan(worst->value)))
        worst->value = value, worst->index = index;
}

/* What one element adds to the measure. */
typedef double element_fn(double c, double r, const double *bounds, int is_wide);

static void take_block(struct worst *worst, const struct tf_judge_block *block, element_fn *measure)
{
    double c[BLOCK], r[BLOCK];
    uint64_t n = element_count(block->candidate);
    int is_wide = block->candidate->dtype == TF_DTYPE_F64;
    if (!worst->n)
        worst->value = -INFINITY;
    worst->n += n;
    for (uint64_t at = 0; at < n; at += BLOCK) {
        uint32_t m = (uint32_t)(n - at < BLOCK ? n - at : BLOCK);
        load_values(block->candidate, at, m, c);
        load_values(block->reference, at, m, r);
        for (uint32_t i = 0; i < m; i++)
            worst_take(worst, measure(c[i], r[i], block->bounds, is_wide), block->first + at + i);
    }
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

int fold_allclose(void *state, const struct tf_judge_block *block)
{
    struct worst *worst = state;
    take_block(worst, block, violation);
    return worst->value <= 0 ? TF_OK : TF_DECIDED;
}

int conclude_allclose(tf_ctx *ctx, const void *state, const double *bounds, struct tf_judgement *judgement)
{
    const struct worst *worst = state;
    (void)ctx, (void)bounds;
    if (judge_empty(worst->n, "max_violation", judgement))
        return TF_OK;
    add_value(judgement, "max_violation", worst->value < 0 ? 0 : worst->value);
    decided_by(judgement, worst->index);
    judgement->passed = worst->value <= 0;
    return TF_OK;
}
JUDGE_WHOLE(allclose, worst)

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

static int conclude_worst(
    const struct worst *worst, const char *key, const double *bounds, struct tf_judgement *judgement)
{
    if (judge_empty(worst->n, key, judgement))
        return TF_OK;
    add_value(judgement, key, worst->value);
    decided_by(judgement, worst->index);
    judgement->passed = worst->value <= bounds[0];
    return TF_OK;
}

#define WORST(name, measure)                                                                                           \
    int fold_##name(void *state, const struct tf_judge_block *block)                                                   \
    {                                                                                                                  \
        struct worst *worst = state;                                                                                   \
        take_block(worst, block, measure);                                                                             \
        return worst->value <= block->bounds[0] ? TF_OK : TF_DECIDED;                                                  \
    }                                                                                                                  \
    int conclude_##name(tf_ctx *ctx, const void *state, const double *bounds, struct tf_judgement *judgement)          \
    {                                                                                                                  \
        (void)ctx;                                                                                                     \
        return conclude_worst(state, #name, bounds, judgement);                                                        \
    }                                                                                                                  \
    JUDGE_WHOLE(name, worst)
WORST(max_abs, absolute)
WORST(max_rel, relative)

/* SPDX-License-Identifier: MIT
 * What the predicates share: elements as numbers, elements as codes, and pairs of them taken apart.
 */
#ifndef MEASURE_H
#define MEASURE_H

#include <tilefoundry/plugin.h>

#include <math.h>

#define NEAR_ZERO 1e-12 /* a norm or a magnitude not above it counts as zero */

#define BIT(NAME) (UINT64_C(1) << TF_DTYPE_##NAME)
#define FLOATS (BIT(F32) | BIT(F16) | BIT(BF16) | BIT(F64) | BIT(FP8E4M3) | BIT(FP8E5M2) | BIT(F8E8M0) | BIT(F4E2M1))
#define WHOLE (BIT(I32) | BIT(I64) | BIT(I8) | BIT(U8) | BIT(BOOL))

typedef int judge_fn(tf_ctx *ctx, const struct tf_tensor *candidate, const struct tf_tensor *reference,
    const double *bounds, struct tf_judgement *judgement);
judge_fn judge_allclose, judge_bias, judge_cosine, judge_equal, judge_gain, judge_grid, judge_max_abs, judge_max_rel,
    judge_nan_inf, judge_rel_l2, judge_ulp;
int judge_derived(tf_ctx *ctx, const struct tf_tensor *candidate, const struct tf_tensor *reference,
    const struct tf_tensor *enclosure, const double *bounds, struct tf_judgement *judgement);

uint64_t element_count(const struct tf_tensor *tensor);

/* Elements at..at+n as doubles; exact for every floating dtype. */
void load_values(const struct tf_tensor *tensor, uint64_t at, uint32_t n, double *values);
/* The same as places on the line of representable values: neighbours differ by 1, both zeros are 0. */
void load_codes(const struct tf_tensor *tensor, uint64_t at, uint32_t n, int64_t *codes);

/* A pair of elements where one is NaN or infinite. */
#define PAIR_FINITE 0u
#define PAIR_SAME_INF 1u /* infinities of one sign: equal */
#define PAIR_INF 2u      /* an infinity against anything else */
#define PAIR_NAN 3u
static inline unsigned pair_kind(double c, double r)
{
    if (isfinite(c) && isfinite(r))
        return PAIR_FINITE;
    if (isnan(c) || isnan(r))
        return PAIR_NAN;
    return c == r ? PAIR_SAME_INF : PAIR_INF;
}

/* Sums over all pairs, in f64.  Same infinities take no part; bad counts pairs that nothing excuses. */
struct sums {
    uint64_t n, bad, nonzero;
    uint64_t first_bad;    /* 1 + its index */
    double cc, rr, cr, dd; /* squares and product, of the difference too; scaled by scale squared */
    double candidate_abs;  /* sum of magnitudes of c where r is 0 */
    double relative;       /* sum of (c - r) sign(r) / |r| where r is not 0 */
    double scale;
};
void sum_pairs(const struct tf_tensor *candidate, const struct tf_tensor *reference, struct sums *sums);

void add_value(struct tf_judgement *judgement, const char *key, double value);
/* Names the element that decided; index counts from 0 in row-major order. */
void decided_by(struct tf_judgement *judgement, uint64_t index);
/* Nothing to compare: says so, fails, and gives 1. */
int judge_empty(const struct tf_tensor *candidate, const char *key, struct tf_judgement *judgement);

#define BLOCK 512u /* elements taken at a time */

#endif

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
typedef int fold_fn(void *state, const struct tf_judge_block *block);
typedef int conclude_fn(tf_ctx *ctx, const void *state, const double *bounds, struct tf_judgement *judgement);
/* X(name) */
#define PREDICATES(X)                                                                                                  \
    X(allclose)                                                                                                        \
    X(bias)                                                                                                            \
    X(cosine)                                                                                                          \
    X(equal)                                                                                                           \
    X(gain)                                                                                                            \
    X(grid)                                                                                                            \
    X(max_abs)                                                                                                         \
    X(max_rel)                                                                                                         \
    X(nan_inf)                                                                                                         \
    X(rel_l2)                                                                                                          \
    X(ulp)
#define X(name)                                                                                                        \
    judge_fn judge_##name;                                                                                             \
    fold_fn fold_##name;                                                                                               \
    conclude_fn conclude_##name;
PREDICATES(X)
#undef X
int judge_derived(tf_ctx *ctx, const struct tf_tensor *candidate, const struct tf_tensor *reference,
    const struct tf_tensor *enclosure, const double *bounds, struct tf_judgement *judgement);
fold_fn fold_derived;
conclude_fn conclude_derived;

/* ---- what is kept -------------------------------------------------------------------------------------------------*/

struct tally {
    uint64_t n;            /* elements */
    uint64_t count, first; /* of those counted; first is one's index */
};
struct nonfinite {
    uint64_t n;
    struct tally nans, infinities;
};
struct worst {
    uint64_t n;
    double value; /* NaN wins, then the largest */
    uint64_t index;
};

#define STEPS 9u /* of the histogram: 0, 1, 2, 3-4, 5-8, ..., more */
struct distances {
    uint64_t n;
    uint64_t largest, index; /* where the largest is */
    uint64_t off;            /* pairs that differ at all */
    uint64_t bad, first_bad; /* NaN on either side, or an infinity against something else */
    uint64_t steps[STEPS];
};

/* Sums over all pairs, in f64.  Same infinities take no part; bad counts pairs that nothing excuses. */
struct sums {
    uint64_t n, bad, nonzero;
    uint64_t first_bad;    /* 1 + its index */
    double cc, rr, cr, dd; /* squares and product, of the difference too; scaled by scale squared */
    double candidate_abs;  /* sum of magnitudes of c where r is 0 */
    double relative;       /* sum of (c - r) sign(r) / |r| where r is not 0 */
    double scale;          /* 0 before the first pair */
};

/* Elements by which enclosures decide. */
struct outcome {
    uint64_t n;
    uint64_t outside, open, hopeless; /* hopeless: the enclosure is wider than the value is large */
    uint64_t worst;
    double distance;   /* of the worst: from the nearer end; infinite for a NaN or an infinity */
    uint64_t legal;    /* other values than the reference's, inside */
    uint64_t first[8]; /* indices of these */
};

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

/* Takes a block of pairs in, or does not: of f64, squares are scaled by what all pairs are. */
int sum_block(struct sums *sums, const struct tf_judge_block *block);
/* The scale for two whole sides. */
double scale_of(const struct tf_tensor *candidate, const struct tf_tensor *reference);

void add_value(struct tf_judgement *judgement, const char *key, double value);
/* Names the element that decided; index counts from 0 in row-major order. */
void decided_by(struct tf_judgement *judgement, uint64_t index);
/* Nothing to compare: says so, fails, and gives 1. */
int judge_empty(uint64_t n, const char *key, struct tf_judgement *judgement);

/* A whole output as one block. */
static inline struct tf_judge_block block_of(
    const struct tf_tensor *candidate, const struct tf_tensor *reference, const double *bounds)
{
    return (struct tf_judge_block){
        .struct_size = sizeof(struct tf_judge_block), .candidate = candidate, .reference = reference, .bounds = bounds};
}
#define JUDGE_WHOLE(name, state_type)                                                                                  \
    int judge_##name(tf_ctx *ctx, const struct tf_tensor *candidate, const struct tf_tensor *reference,                \
        const double *bounds, struct tf_judgement *judgement)                                                          \
    {                                                                                                                  \
        struct state_type state = {0};                                                                                 \
        struct tf_judge_block block = block_of(candidate, reference, bounds);                                          \
        fold_##name(&state, &block);                                                                                   \
        return conclude_##name(ctx, &state, bounds, judgement);                                                        \
    }

#define BLOCK 512u /* elements taken at a time */

#endif

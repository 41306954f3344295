/* SPDX-License-Identifier: MIT
 * Predicates on an output as a whole, all summed in f64: rel_l2, cosine, gain, bias.
 */
#include "measure.h"

/* Pairs that nothing excuses (NaN, an infinity against something else) leave no number to judge. */
static int judge_bad(const struct sums *sums, const char *key, struct tf_judgement *judgement)
{
    if (!sums->bad)
        return 0;
    add_value(judgement, key, NAN);
    decided_by(judgement, sums->first_bad - 1);
    judgement->passed = 0;
    return 1;
}

/* Whether there are sums to judge; if not, the judgement is made. */
static int are_sums(const struct sums *sums, const char *key, struct tf_judgement *judgement)
{
    return !judge_empty(sums->n, key, judgement) && !judge_bad(sums, key, judgement);
}

/* All four keep the same; judge sets the scale of f64 first. */
#define SUMS(name)                                                                                                     \
    int fold_##name(void *state, const struct tf_judge_block *block)                                                   \
    {                                                                                                                  \
        return sum_block(state, block);                                                                                \
    }                                                                                                                  \
    int judge_##name(tf_ctx *ctx, const struct tf_tensor *candidate, const struct tf_tensor *reference,                \
        const double *bounds, struct tf_judgement *judgement)                                                          \
    {                                                                                                                  \
        struct sums sums = {.scale = scale_of(candidate, reference)};                                                  \
        struct tf_judge_block block = block_of(candidate, reference, bounds);                                          \
        sum_block(&sums, &block);                                                                                      \
        return conclude_##name(ctx, &sums, bounds, judgement);                                                         \
    }
SUMS(rel_l2)
SUMS(cosine)
SUMS(gain)
SUMS(bias)

int conclude_rel_l2(tf_ctx *ctx, const void *state, const double *bounds, struct tf_judgement *judgement)
{
    const struct sums s = *(const struct sums *)state;
    const struct tf_math *math = tf_host->math(ctx);
    if (!math)
        return TF_E_REFUSED;
    if (!are_sums(&s, "rel_l2", judgement))
        return TF_OK;
    double distance = math->sqrt(s.dd), norm = math->sqrt(s.rr);
    int is_zero = norm / s.scale <= NEAR_ZERO;
    double value = is_zero ? distance / s.scale : distance / norm;
    add_value(judgement, is_zero ? "absolute_l2" : "rel_l2", value);
    if (is_zero)
        judgement->note = "the reference norm is zero; this is an absolute L2 distance";
    judgement->passed = value <= bounds[0];
    return TF_OK;
}

int conclude_cosine(tf_ctx *ctx, const void *state, const double *bounds, struct tf_judgement *judgement)
{
    const struct sums s = *(const struct sums *)state;
    const struct tf_math *math = tf_host->math(ctx);
    if (!math)
        return TF_E_REFUSED;
    if (!are_sums(&s, "cosine", judgement))
        return TF_OK;
    int candidate_is_zero = math->sqrt(s.cc) / s.scale <= NEAR_ZERO;
    int reference_is_zero = math->sqrt(s.rr) / s.scale <= NEAR_ZERO;
    /* one root of the product, so that equal sides give exactly 1 */
    double value = candidate_is_zero && reference_is_zero   ? 1
                   : candidate_is_zero || reference_is_zero ? 0
                                                            : s.cr / math->sqrt(s.cc * s.rr);
    add_value(judgement, "cosine", value);
    judgement->passed = value >= bounds[0];
    if (candidate_is_zero && reference_is_zero)
        judgement->note = "both sides are entirely zero";
    else if (candidate_is_zero || reference_is_zero) {
        judgement->note = "one side is entirely zero and the other is not";
        judgement->passed = 0;
    }
    return TF_OK;
}

/* A reference of zeros has no gain and no relative error: only zeros agree with it. */
static int judge_zero(const struct sums *sums, const char *key, double neutral, struct tf_judgement *judgement)
{
    if (sums->nonzero)
        return 0;
    judgement->passed = sums->candidate_abs == 0;
    add_value(judgement, key, judgement->passed ? neutral : (double)INFINITY);
    judgement->note =
        judgement->passed ? "both sides are entirely zero" : "the reference is entirely zero and the candidate is not";
    return 1;
}

int conclude_gain(tf_ctx *ctx, const void *state, const double *bounds, struct tf_judgement *judgement)
{
    const struct sums s = *(const struct sums *)state;
    (void)ctx;
    if (!are_sums(&s, "gain", judgement) || judge_zero(&s, "gain", 1, judgement))
        return TF_OK;
    double gain = s.cr / s.rr;
    add_value(judgement, "gain", gain);
    judgement->passed = fabs(gain - 1) <= bounds[0];
    return TF_OK;
}

int conclude_bias(tf_ctx *ctx, const void *state, const double *bounds, struct tf_judgement *judgement)
{
    const struct sums s = *(const struct sums *)state;
    (void)ctx;
    if (!are_sums(&s, "bias", judgement) || judge_zero(&s, "bias", 0, judgement))
        return TF_OK;
    double bias = s.relative / (double)s.nonzero;
    add_value(judgement, "bias", bias);
    judgement->passed = fabs(bias) <= bounds[0];
    return TF_OK;
}

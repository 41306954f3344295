/* SPDX-License-Identifier: MIT
 * Who is right: both sides against the truth, which is the program in real arithmetic without the roundings that it
 * states.  The verdict does not depend on it.
 */
#include "check/check.h"

#include "plugin/numbers.h"
#include "type/type.h"

#include <math.h>
#include <string.h>

/* Places on the line of the dtype's values: neighbours differ by 1, both zeros are 0. */
static int64_t code_at(const struct tensor *tensor, uint64_t index)
{
    const struct tf_dtype_info *info = dtype_info(tensor->pub.dtype);
    size_t width = number_bytes(tensor->pub.dtype);
    uint64_t bits = 0, sign = UINT64_C(1) << (info->bits - 1);
    memcpy(&bits, (const char *)tensor->pub.data + index * width, width);
    if (info->cls != TF_CLASS_FLOAT) {
        int64_t whole;
        number_load_i64(tensor->pub.dtype, 1, (const char *)tensor->pub.data + index * width, &whole);
        return whole;
    }
    if (tensor->pub.dtype == TF_DTYPE_F8E8M0)
        return (int64_t)bits;
    return bits & sign ? -(int64_t)(bits & (sign - 1)) : (int64_t)bits;
}

static uint64_t codes_apart(const struct tensor *a, const struct tensor *b, uint64_t index)
{
    int64_t x = code_at(a, index), y = code_at(b, index);
    return x > y ? (uint64_t)x - (uint64_t)y : (uint64_t)y - (uint64_t)x;
}

/* What an element adds to an error: nothing where both are the same infinity. */
static double difference(double x, double truth)
{
    return x == truth ? 0 : x - truth;
}

/* Keeps the elements where the candidate is off the truth by most, the farthest first. */
static void keep_worst(struct arbiter_finding *finding, double error[], uint64_t index, double away)
{
    size_t at = finding->n_worst;
    if (away == 0)
        return;
    while (at && (away > error[at - 1] || (isnan(away) && !isnan(error[at - 1]))))
        at--;
    if (at == ARBITER_WORST)
        return;
    size_t moved = finding->n_worst < ARBITER_WORST ? finding->n_worst++ - at : ARBITER_WORST - 1 - at;
    memmove(&error[at + 1], &error[at], moved * sizeof(*error));
    memmove(&finding->worst[at + 1], &finding->worst[at], moved * sizeof(*finding->worst));
    error[at] = away;
    finding->worst[at].index = index;
}

struct squares {
    double candidate, reference, truth;
};

static void weigh(struct squares *sums, double c, double r, double t)
{
    double dc = difference(c, t), dr = difference(r, t);
    sums->candidate += dc * dc;
    sums->reference += dr * dr;
    sums->truth += isfinite(t) ? t * t : 0;
}

/* Where one is NaN, the other is nearer. */
static const char *nearer(double candidate, double reference)
{
    if (isnan(candidate) || isnan(reference))
        return isnan(candidate) && isnan(reference) ? "equal" : isnan(candidate) ? "reference" : "candidate";
    return candidate < reference ? "candidate" : reference < candidate ? "reference" : "equal";
}

void arbitrate(tf_ctx *ctx, const struct tensor *candidate, const struct tensor *reference, const struct tensor *truth,
    struct arbiter_finding *finding)
{
    const struct tf_math *math = number_math(ctx);
    double error[ARBITER_WORST + 1];
    struct squares sums = {0, 0, 0};
    *finding = (struct arbiter_finding){0};
    for (uint64_t i = 0; i < candidate->count; i++) {
        double c = element_value(candidate, i), r = element_value(reference, i), t = element_value(truth, i);
        weigh(&sums, c, r, t);
        keep_worst(finding, error, i, fabs(difference(c, t)));
    }
    double norm = math && sums.truth > 0 ? math->sqrt(sums.truth) : 1;
    finding->candidate_error = math ? math->sqrt(sums.candidate) / norm : 0;
    finding->reference_error = math ? math->sqrt(sums.reference) / norm : 0;
    finding->nearer = nearer(finding->candidate_error, finding->reference_error);
    for (size_t i = 0; i < finding->n_worst; i++) {
        struct arbiter_worst *worst = &finding->worst[i];
        worst->where = index_text(ctx, candidate, worst->index);
        worst->candidate = element_value(candidate, worst->index);
        worst->reference = element_value(reference, worst->index);
        worst->truth = element_value(truth, worst->index);
        worst->codes = codes_apart(candidate, reference, worst->index);
    }
}

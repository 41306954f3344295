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
static void keep_worst(struct arbitration *a, uint64_t index, double away, double truth)
{
    size_t at = a->n_worst;
    if (away == 0)
        return;
    while (at && (away > a->error[at - 1] || (isnan(away) && !isnan(a->error[at - 1]))))
        at--;
    if (at == ARBITER_WORST)
        return;
    size_t moved = a->n_worst < ARBITER_WORST ? a->n_worst++ - at : ARBITER_WORST - 1 - at;
    memmove(&a->error[at + 1], &a->error[at], moved * sizeof(*a->error));
    memmove(&a->worst[at + 1], &a->worst[at], moved * sizeof(*a->worst));
    a->error[at] = away;
    a->worst[at] = (struct arbiter_worst){.index = index, .truth = truth};
}

static void weigh(struct arbitration *a, double c, double r, double t)
{
    double dc = difference(c, t), dr = difference(r, t);
    a->candidate += dc * dc;
    a->reference += dr * dr;
    a->truth += isfinite(t) ? t * t : 0;
}

#define BLOCK ((uint64_t)512)

void arbiter_feed(struct arbitration *a, const struct tensor *candidate, const struct tensor *reference, uint64_t first,
    uint64_t n, const struct tf_tensor *truth)
{
    double c[BLOCK], r[BLOCK], t[BLOCK];
    size_t width = number_bytes(candidate->pub.dtype), wide = number_bytes(truth->dtype);
    for (uint64_t at = 0; at < n; at += BLOCK) {
        size_t k = (size_t)(n - at < BLOCK ? n - at : BLOCK);
        number_load_f64(candidate->pub.dtype, k, (const char *)candidate->pub.data + (first + at) * width, c);
        number_load_f64(reference->pub.dtype, k, (const char *)reference->pub.data + (first + at) * width, r);
        number_load_f64(truth->dtype, k, (const char *)truth->data + at * wide, t);
        for (size_t i = 0; i < k; i++) {
            weigh(a, c[i], r[i], t[i]);
            keep_worst(a, first + at + i, fabs(difference(c[i], t[i])), t[i]);
        }
    }
}

/* Where one is NaN, the other is nearer. */
static const char *nearer(double candidate, double reference)
{
    if (isnan(candidate) || isnan(reference))
        return isnan(candidate) && isnan(reference) ? "equal" : isnan(candidate) ? "reference" : "candidate";
    return candidate < reference ? "candidate" : reference < candidate ? "reference" : "equal";
}

void arbiter_end(tf_ctx *ctx, const struct arbitration *a, const struct tensor *candidate,
    const struct tensor *reference, struct arbiter_finding *finding)
{
    const struct tf_math *math = number_math(ctx);
    double norm = math && a->truth > 0 ? math->sqrt(a->truth) : 1;
    *finding = (struct arbiter_finding){.n_worst = a->n_worst};
    finding->candidate_error = math ? math->sqrt(a->candidate) / norm : 0;
    finding->reference_error = math ? math->sqrt(a->reference) / norm : 0;
    finding->nearer = nearer(finding->candidate_error, finding->reference_error);
    for (size_t i = 0; i < a->n_worst; i++) {
        struct arbiter_worst *worst = &finding->worst[i];
        *worst = a->worst[i];
        worst->where = index_text(ctx, candidate, worst->index);
        worst->candidate = element_value(candidate, worst->index);
        worst->reference = element_value(reference, worst->index);
        worst->codes = codes_apart(candidate, reference, worst->index);
    }
}

void arbitrate(tf_ctx *ctx, const struct tensor *candidate, const struct tensor *reference, const struct tensor *truth,
    struct arbiter_finding *finding)
{
    struct arbitration a = {0};
    arbiter_feed(&a, candidate, reference, 0, candidate->count, &truth->pub);
    arbiter_end(ctx, &a, candidate, reference, finding);
}

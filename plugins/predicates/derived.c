/* SPDX-License-Identifier: MIT
 * derived: every element within the enclosure of what a legal implementation can give there.
 */
#include "measure.h"

/* Ends are exact values of the output's dtype, so that being between them is being one of the admissible codes. */
struct enclosures {
    const double *lo, *hi;
    const uint8_t *doubt; /* or NULL: no element can be NaN */
    int is_bool;
};

static int may_be_nan(const struct enclosures *e, uint64_t i)
{
    return e->doubt && e->doubt[i] & (TF_DOUBT_MAY_NAN | TF_DOUBT_MUST_NAN);
}

/* How far a value lies outside: 0 when it does not. */
static double distance_of(const struct enclosures *e, uint64_t i, double value)
{
    if (isnan(value))
        return may_be_nan(e, i) ? 0 : (double)INFINITY;
    if (e->lo[i] <= value && value <= e->hi[i])
        return 0;
    if (!isfinite(value) || !(e->lo[i] <= e->hi[i]))
        return (double)INFINITY; /* no number at all is admissible where NaN must be */
    double distance = value < e->lo[i] ? e->lo[i] - value : value - e->hi[i];
    return distance > 0 ? distance : (double)INFINITY;
}

/* at: the element's index in the whole output.  Whether it lies inside. */
static int weigh(const struct enclosures *e, uint64_t i, uint64_t at, double value, int is_no_bool, struct outcome *o)
{
    double distance = is_no_bool ? (double)INFINITY : distance_of(e, i, value);
    int holds_numbers = e->lo[i] <= e->hi[i];
    o->open += e->lo[i] < e->hi[i] || (holds_numbers && may_be_nan(e, i));
    o->hopeless += holds_numbers && e->hi[i] - e->lo[i] > fabs(value);
    if (distance == 0)
        return 1;
    if (!o->outside++ || distance > o->distance)
        o->distance = distance, o->worst = at;
    return 0;
}

#define N_FIRST (sizeof(((struct outcome *)0)->first) / sizeof(uint64_t))

static void keep_legal(struct outcome *o, uint64_t at)
{
    if (o->legal < N_FIRST)
        o->first[o->legal] = at;
    o->legal++;
}

/* Where the candidate took another of the admissible values than the reference: ties, most of them. */
static const char *legal_text(tf_ctx *ctx, const struct outcome *o)
{
    const char *text = "";
    for (uint64_t i = 0; i < o->legal && i < N_FIRST; i++)
        text = tf_host->format(ctx, "%s%s%llu", text, i ? ", " : "", (unsigned long long)o->first[i]);
    return tf_host->format(ctx, "%llu other values than the reference's are admissible, at elements %s%s",
        (unsigned long long)o->legal, text, o->legal > N_FIRST ? ", ..." : "");
}

#define NO_DIGITS                                                                                                      \
    "no correct digits: for more than half of the elements the enclosure is wider than the value, so legal "           \
    "implementations differ by more than what they compute"

int fold_derived(void *state, const struct tf_judge_block *block)
{
    struct outcome *outcome = state;
    const struct tf_tensor *ends = block->enclosure;
    struct enclosures e = {ends->data, ends->bound, ends->doubt, block->candidate->dtype == TF_DTYPE_BOOL};
    double values[BLOCK], held[BLOCK] = {0};
    const uint8_t *bytes = block->candidate->data;
    uint64_t n = element_count(block->candidate);
    outcome->n += n;
    for (uint64_t at = 0; at < n; at += BLOCK) {
        uint32_t m = (uint32_t)(n - at < BLOCK ? n - at : BLOCK);
        load_values(block->candidate, at, m, values);
        if (block->reference)
            load_values(block->reference, at, m, held);
        for (uint32_t i = 0; i < m; i++)
            if (weigh(&e, at + i, block->first + at + i, values[i], e.is_bool && bytes[at + i] > 1, outcome) &&
                block->reference && values[i] != held[i] && !(isnan(values[i]) && isnan(held[i])))
                keep_legal(outcome, block->first + at + i);
    }
    return outcome->outside ? TF_DECIDED : TF_OK;
}

int conclude_derived(tf_ctx *ctx, const void *state, const double *bounds, struct tf_judgement *judgement)
{
    const struct outcome *outcome = state;
    (void)bounds;
    if (judge_empty(outcome->n, "outside", judgement)) {
        add_value(judgement, "elements", 0);
        add_value(judgement, "open", 0);
        return TF_OK;
    }
    add_value(judgement, "outside", (double)outcome->outside);
    add_value(judgement, "elements", (double)outcome->n);
    add_value(judgement, "open", (double)outcome->open);
    judgement->passed = !outcome->outside;
    if (outcome->outside)
        decided_by(judgement, outcome->worst);
    if (outcome->hopeless > outcome->n / 2)
        judgement->note = NO_DIGITS;
    if (!outcome->outside && outcome->legal && TF_HAS(struct tf_judgement, judgement, detail))
        judgement->detail = legal_text(ctx, outcome);
    return TF_OK;
}

int judge_derived(tf_ctx *ctx, const struct tf_tensor *candidate, const struct tf_tensor *reference,
    const struct tf_tensor *enclosure, const double *bounds, struct tf_judgement *judgement)
{
    struct outcome outcome = {0};
    struct tf_judge_block block = block_of(candidate, reference, bounds);
    block.enclosure = enclosure;
    fold_derived(&outcome, &block);
    return conclude_derived(ctx, &outcome, bounds, judgement);
}

/* SPDX-License-Identifier: MIT
 * Predicates on the codes themselves: equal, ulp, grid, nan_inf.
 */
#include "measure.h"

#include <string.h>

/* ---- equal --------------------------------------------------------------------------------------------------------*/

static int is_float(uint32_t dtype)
{
    return tf_host->dtype(dtype)->cls == TF_CLASS_FLOAT;
}

static void tally_add(struct tally *tally, uint64_t index)
{
    if (!tally->count++)
        tally->first = index;
}

static void floats_differing(struct tally *tally, const struct tf_judge_block *block, uint64_t n)
{
    double c[BLOCK], r[BLOCK];
    for (uint64_t at = 0; at < n; at += BLOCK) {
        uint32_t m = (uint32_t)(n - at < BLOCK ? n - at : BLOCK);
        load_values(block->candidate, at, m, c);
        load_values(block->reference, at, m, r);
        for (uint32_t i = 0; i < m; i++)
            if (!(c[i] == r[i]))
                tally_add(tally, block->first + at + i);
    }
}

/* Whole numbers by their bytes, so that a bool of 2 is no bool of 1. */
static void bytes_differing(struct tally *tally, const struct tf_judge_block *block, uint64_t n)
{
    uint32_t bytes = tf_host->element_bytes(block->candidate->dtype);
    const char *c = block->candidate->data, *r = block->reference->data;
    for (uint64_t i = 0; i < n; i++)
        if (memcmp(c + i * bytes, r + i * bytes, bytes) != 0)
            tally_add(tally, block->first + i);
}

int fold_equal(void *state, const struct tf_judge_block *block)
{
    struct tally *tally = state;
    uint64_t n = element_count(block->candidate);
    tally->n += n;
    if (is_float(block->candidate->dtype))
        floats_differing(tally, block, n);
    else
        bytes_differing(tally, block, n);
    return tally->count ? TF_DECIDED : TF_OK;
}

int conclude_equal(tf_ctx *ctx, const void *state, const double *bounds, struct tf_judgement *judgement)
{
    const struct tally *tally = state;
    (void)ctx, (void)bounds;
    if (judge_empty(tally->n, "mismatched", judgement)) {
        add_value(judgement, "elements", 0);
        return TF_OK;
    }
    add_value(judgement, "mismatched", (double)tally->count);
    add_value(judgement, "elements", (double)tally->n);
    judgement->passed = tally->count == 0;
    if (tally->count)
        decided_by(judgement, tally->first);
    return TF_OK;
}
JUDGE_WHOLE(equal, tally)

/* ---- distance in codes ----------------------------------------------------------------------------------------------*/

static uint32_t step_of(uint64_t distance)
{
    uint32_t step = 0;
    for (uint64_t end = 0; step < STEPS - 1 && distance > end; step++)
        end = end ? end * 2 : 1;
    return step;
}

static void measure_pair(struct distances *d, uint64_t index, unsigned kind, int64_t c, int64_t r)
{
    if (kind == PAIR_NAN || kind == PAIR_INF) {
        d->off++;
        if (!d->bad++)
            d->first_bad = index;
        return;
    }
    /* two codes of opposite sign may be 2^64 apart, so the difference has no sign */
    uint64_t distance = c > r ? (uint64_t)c - (uint64_t)r : (uint64_t)r - (uint64_t)c;
    d->steps[step_of(distance)]++;
    d->off += distance != 0;
    if (distance > d->largest)
        d->largest = distance, d->index = index;
}

static void measure_codes(struct distances *distances, const struct tf_judge_block *block)
{
    double cv[BLOCK], rv[BLOCK];
    int64_t cc[BLOCK], rc[BLOCK];
    uint64_t n = element_count(block->candidate);
    distances->n += n;
    for (uint64_t at = 0; at < n; at += BLOCK) {
        uint32_t m = (uint32_t)(n - at < BLOCK ? n - at : BLOCK);
        load_values(block->candidate, at, m, cv);
        load_values(block->reference, at, m, rv);
        load_codes(block->candidate, at, m, cc);
        load_codes(block->reference, at, m, rc);
        for (uint32_t i = 0; i < m; i++)
            measure_pair(distances, block->first + at + i, pair_kind(cv[i], rv[i]), cc[i], rc[i]);
    }
}

/* A NaN is no number of steps away from anything. */
static double largest_of(const struct distances *d)
{
    return d->bad ? (double)NAN : (double)d->largest;
}

static uint64_t worst_of(const struct distances *d)
{
    return d->bad ? d->first_bad : d->index;
}

static int ulp_holds(const struct distances *d, const double *bounds)
{
    return !d->bad && (double)d->largest <= bounds[0];
}

int fold_ulp(void *state, const struct tf_judge_block *block)
{
    measure_codes(state, block);
    return ulp_holds(state, block->bounds) ? TF_OK : TF_DECIDED;
}

int conclude_ulp(tf_ctx *ctx, const void *state, const double *bounds, struct tf_judgement *judgement)
{
    const struct distances *d = state;
    (void)ctx;
    if (judge_empty(d->n, "max_ulp", judgement))
        return TF_OK;
    add_value(judgement, "max_ulp", largest_of(d));
    decided_by(judgement, worst_of(d));
    judgement->passed = (uint32_t)ulp_holds(d, bounds);
    return TF_OK;
}
JUDGE_WHOLE(ulp, distances)

/* "0: 4090, 1: 5, 3-4: 1" */
static const char *histogram(tf_ctx *ctx, const struct distances *d)
{
    const char *text = "codes apart:";
    uint64_t first = 0, last = 0;
    for (uint32_t i = 0; i < STEPS; i++) {
        if (d->steps[i] && i == STEPS - 1)
            text = tf_host->format(
                ctx, "%s %llu or more: %llu", text, (unsigned long long)first, (unsigned long long)d->steps[i]);
        else if (d->steps[i] && first == last)
            text =
                tf_host->format(ctx, "%s %llu: %llu", text, (unsigned long long)first, (unsigned long long)d->steps[i]);
        else if (d->steps[i])
            text = tf_host->format(ctx, "%s %llu-%llu: %llu", text, (unsigned long long)first, (unsigned long long)last,
                (unsigned long long)d->steps[i]);
        first = last + 1;
        last = last ? last * 2 : 1;
    }
    return d->bad ? tf_host->format(ctx, "%s not comparable: %llu", text, (unsigned long long)d->bad) : text;
}

static int grid_holds(const struct distances *d, const double *bounds)
{
    return !d->bad && (double)d->largest <= bounds[0] && (double)d->off <= bounds[1];
}

int fold_grid(void *state, const struct tf_judge_block *block)
{
    measure_codes(state, block);
    return grid_holds(state, block->bounds) ? TF_OK : TF_DECIDED;
}

int conclude_grid(tf_ctx *ctx, const void *state, const double *bounds, struct tf_judgement *judgement)
{
    const struct distances *d = state;
    if (judge_empty(d->n, "max_codes", judgement)) {
        add_value(judgement, "off", 0);
        return TF_OK;
    }
    add_value(judgement, "max_codes", largest_of(d));
    add_value(judgement, "off", (double)d->off);
    decided_by(judgement, worst_of(d));
    if (TF_HAS(struct tf_judgement, judgement, detail))
        judgement->detail = histogram(ctx, d);
    judgement->passed = (uint32_t)grid_holds(d, bounds);
    return TF_OK;
}
JUDGE_WHOLE(grid, distances)

/* ---- nan_inf --------------------------------------------------------------------------------------------------------*/

int fold_nan_inf(void *state, const struct tf_judge_block *block)
{
    struct nonfinite *found = state;
    double c[BLOCK];
    uint64_t n = element_count(block->candidate);
    found->n += n;
    for (uint64_t at = 0; at < n; at += BLOCK) {
        uint32_t m = (uint32_t)(n - at < BLOCK ? n - at : BLOCK);
        load_values(block->candidate, at, m, c);
        for (uint32_t i = 0; i < m; i++)
            if (!isfinite(c[i]))
                tally_add(isnan(c[i]) ? &found->nans : &found->infinities, block->first + at + i);
    }
    return found->nans.count || found->infinities.count ? TF_DECIDED : TF_OK;
}

int conclude_nan_inf(tf_ctx *ctx, const void *state, const double *bounds, struct tf_judgement *judgement)
{
    const struct nonfinite *found = state;
    (void)ctx, (void)bounds;
    if (judge_empty(found->n, "nan", judgement)) {
        add_value(judgement, "inf", 0);
        return TF_OK;
    }
    add_value(judgement, "nan", (double)found->nans.count);
    add_value(judgement, "inf", (double)found->infinities.count);
    judgement->passed = !found->nans.count && !found->infinities.count;
    if (!judgement->passed)
        decided_by(judgement, found->nans.count ? found->nans.first : found->infinities.first);
    return TF_OK;
}
JUDGE_WHOLE(nan_inf, nonfinite)

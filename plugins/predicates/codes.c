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

struct tally {
    uint64_t count, first; /* first: of those counted */
};

static void tally_add(struct tally *tally, uint64_t index)
{
    if (!tally->count++)
        tally->first = index;
}

static struct tally floats_differing(const struct tf_tensor *candidate, const struct tf_tensor *reference, uint64_t n)
{
    double c[BLOCK], r[BLOCK];
    struct tally tally = {0, 0};
    for (uint64_t at = 0; at < n; at += BLOCK) {
        uint32_t m = (uint32_t)(n - at < BLOCK ? n - at : BLOCK);
        load_values(candidate, at, m, c);
        load_values(reference, at, m, r);
        for (uint32_t i = 0; i < m; i++)
            if (!(c[i] == r[i]))
                tally_add(&tally, at + i);
    }
    return tally;
}

/* Whole numbers by their bytes, so that a bool of 2 is no bool of 1. */
static struct tally bytes_differing(const struct tf_tensor *candidate, const struct tf_tensor *reference, uint64_t n)
{
    uint32_t bytes = tf_host->element_bytes(candidate->dtype);
    const char *c = candidate->data, *r = reference->data;
    struct tally tally = {0, 0};
    for (uint64_t i = 0; i < n; i++)
        if (memcmp(c + i * bytes, r + i * bytes, bytes) != 0)
            tally_add(&tally, i);
    return tally;
}

int judge_equal(tf_ctx *ctx, const struct tf_tensor *candidate, const struct tf_tensor *reference, const double *bounds,
    struct tf_judgement *judgement)
{
    (void)ctx, (void)bounds;
    uint64_t n = element_count(candidate);
    if (judge_empty(candidate, "mismatched", judgement)) {
        add_value(judgement, "elements", 0);
        return TF_OK;
    }
    struct tally tally = is_float(candidate->dtype) ? floats_differing(candidate, reference, n)
                                                    : bytes_differing(candidate, reference, n);
    add_value(judgement, "mismatched", (double)tally.count);
    add_value(judgement, "elements", (double)n);
    judgement->passed = tally.count == 0;
    if (tally.count)
        decided_by(judgement, tally.first);
    return TF_OK;
}

/* ---- distance in codes ----------------------------------------------------------------------------------------------*/

#define STEPS 9u /* of the histogram: 0, 1, 2, 3-4, 5-8, ..., more */

struct distances {
    uint64_t largest, index; /* where the largest is */
    uint64_t off;            /* pairs that differ at all */
    uint64_t bad, first_bad; /* NaN on either side, or an infinity against something else */
    uint64_t steps[STEPS];
};

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

static void measure_codes(
    const struct tf_tensor *candidate, const struct tf_tensor *reference, struct distances *distances)
{
    double cv[BLOCK], rv[BLOCK];
    int64_t cc[BLOCK], rc[BLOCK];
    uint64_t n = element_count(candidate);
    *distances = (struct distances){0};
    for (uint64_t at = 0; at < n; at += BLOCK) {
        uint32_t m = (uint32_t)(n - at < BLOCK ? n - at : BLOCK);
        load_values(candidate, at, m, cv);
        load_values(reference, at, m, rv);
        load_codes(candidate, at, m, cc);
        load_codes(reference, at, m, rc);
        for (uint32_t i = 0; i < m; i++)
            measure_pair(distances, at + i, pair_kind(cv[i], rv[i]), cc[i], rc[i]);
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

int judge_ulp(tf_ctx *ctx, const struct tf_tensor *candidate, const struct tf_tensor *reference, const double *bounds,
    struct tf_judgement *judgement)
{
    struct distances d;
    (void)ctx;
    if (judge_empty(candidate, "max_ulp", judgement))
        return TF_OK;
    measure_codes(candidate, reference, &d);
    add_value(judgement, "max_ulp", largest_of(&d));
    decided_by(judgement, worst_of(&d));
    judgement->passed = !d.bad && (double)d.largest <= bounds[0];
    return TF_OK;
}

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

int judge_grid(tf_ctx *ctx, const struct tf_tensor *candidate, const struct tf_tensor *reference, const double *bounds,
    struct tf_judgement *judgement)
{
    struct distances d;
    if (judge_empty(candidate, "max_codes", judgement)) {
        add_value(judgement, "off", 0);
        return TF_OK;
    }
    measure_codes(candidate, reference, &d);
    add_value(judgement, "max_codes", largest_of(&d));
    add_value(judgement, "off", (double)d.off);
    decided_by(judgement, worst_of(&d));
    if (TF_HAS(struct tf_judgement, judgement, detail))
        judgement->detail = histogram(ctx, &d);
    judgement->passed = !d.bad && (double)d.largest <= bounds[0] && (double)d.off <= bounds[1];
    return TF_OK;
}

/* ---- nan_inf --------------------------------------------------------------------------------------------------------*/

int judge_nan_inf(tf_ctx *ctx, const struct tf_tensor *candidate, const struct tf_tensor *reference,
    const double *bounds, struct tf_judgement *judgement)
{
    double c[BLOCK];
    struct tally nans = {0, 0}, infinities = {0, 0};
    uint64_t n = element_count(candidate);
    (void)ctx, (void)reference, (void)bounds;
    if (judge_empty(candidate, "nan", judgement)) {
        add_value(judgement, "inf", 0);
        return TF_OK;
    }
    for (uint64_t at = 0; at < n; at += BLOCK) {
        uint32_t m = (uint32_t)(n - at < BLOCK ? n - at : BLOCK);
        load_values(candidate, at, m, c);
        for (uint32_t i = 0; i < m; i++)
            if (!isfinite(c[i]))
                tally_add(isnan(c[i]) ? &nans : &infinities, at + i);
    }
    add_value(judgement, "nan", (double)nans.count);
    add_value(judgement, "inf", (double)infinities.count);
    judgement->passed = !nans.count && !infinities.count;
    if (!judgement->passed)
        decided_by(judgement, nans.count ? nans.first : infinities.first);
    return TF_OK;
}

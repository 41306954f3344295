/* SPDX-License-Identifier: MIT */
#include "measure.h"

#include <string.h>

uint64_t element_count(const struct tf_tensor *tensor)
{
    uint64_t n = 1;
    for (uint32_t i = 0; i < tensor->rank; i++)
        n *= (uint64_t)tensor->extents[i];
    return n;
}

static const void *element_at(const struct tf_tensor *tensor, uint64_t at)
{
    return (const char *)tensor->data + at * tf_host->element_bytes(tensor->dtype);
}

void load_values(const struct tf_tensor *tensor, uint64_t at, uint32_t n, double *values)
{
    tf_host->load_f64(tensor->dtype, n, element_at(tensor, at), values);
}

/* ---- codes --------------------------------------------------------------------------------------------------------*/

static uint64_t load_bits(const void *from, uint32_t bytes)
{
    uint8_t b1;
    uint16_t b2;
    uint32_t b4;
    uint64_t b8;
    switch (bytes) {
    case 1: return memcpy(&b1, from, 1), b1;
    case 2: return memcpy(&b2, from, 2), b2;
    case 4: return memcpy(&b4, from, 4), b4;
    default: return memcpy(&b8, from, 8), b8;
    }
}

void load_codes(const struct tf_tensor *tensor, uint64_t at, uint32_t n, int64_t *codes)
{
    uint32_t width = tf_host->dtype(tensor->dtype)->bits, bytes = tf_host->element_bytes(tensor->dtype);
    uint64_t sign = UINT64_C(1) << (width - 1), mask = sign | (sign - 1);
    const char *from = element_at(tensor, at);
    int is_unsigned = tensor->dtype == TF_DTYPE_F8E8M0;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t bits = load_bits(from + (size_t)i * bytes, bytes) & mask;
        if (is_unsigned)
            codes[i] = (int64_t)bits;
        else
            codes[i] = bits & sign ? -(int64_t)(bits & ~sign) : (int64_t)bits;
    }
}

/* ---- sums ---------------------------------------------------------------------------------------------------------*/

/* 2^exponent, of a normal result. */
static double power_of_two(int exponent)
{
    uint64_t bits = (uint64_t)(exponent + 1023) << 52;
    double value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

/* The exponent of a magnitude, that of subnormal ones cut off at -1023. */
static int exponent_of(double magnitude)
{
    uint64_t bits;
    memcpy(&bits, &magnitude, sizeof(bits));
    return (int)(bits >> 52) - 1023;
}

static double largest_of(const struct tf_tensor *tensor, uint64_t n)
{
    double largest = 0, x[BLOCK];
    for (uint64_t at = 0; at < n; at += BLOCK) {
        uint32_t m = (uint32_t)(n - at < BLOCK ? n - at : BLOCK);
        load_values(tensor, at, m, x);
        for (uint32_t i = 0; i < m; i++)
            if (isfinite(x[i]) && fabs(x[i]) > largest)
                largest = fabs(x[i]);
    }
    return largest;
}

/* A power of two that keeps squares of f64 values inside the range; the other dtypes need none. */
double scale_of(const struct tf_tensor *a, const struct tf_tensor *b)
{
    uint64_t n = element_count(a);
    if (a->dtype != TF_DTYPE_F64)
        return 1;
    double largest_a = largest_of(a, n), largest_b = largest_of(b, n);
    int exponent = exponent_of(largest_a > largest_b ? largest_a : largest_b);
    return power_of_two(exponent > 1000 ? -1000 : exponent < -1000 ? 1000 : -exponent);
}

static void sum_pair(struct sums *s, uint64_t index, double c, double r)
{
    unsigned kind = pair_kind(c, r);
    if (kind == PAIR_SAME_INF)
        return;
    if (kind != PAIR_FINITE) {
        s->bad++;
        s->first_bad = s->first_bad ? s->first_bad : index + 1;
        return;
    }
    double cs = c * s->scale, rs = r * s->scale;
    s->cc += cs * cs;
    s->rr += rs * rs;
    s->cr += cs * rs;
    s->dd += (cs - rs) * (cs - rs);
    if (r != 0) {
        s->nonzero++;
        s->relative += (cs - rs) / rs;
    } else {
        s->candidate_abs += fabs(c);
    }
}

int sum_block(struct sums *sums, const struct tf_judge_block *block)
{
    double c[BLOCK], r[BLOCK];
    uint64_t n = element_count(block->candidate);
    if (sums->scale == 0 && block->candidate->dtype == TF_DTYPE_F64)
        return TF_E_UNSUPPORTED;
    sums->scale = sums->scale == 0 ? 1 : sums->scale;
    sums->n += n;
    for (uint64_t at = 0; at < n; at += BLOCK) {
        uint32_t m = (uint32_t)(n - at < BLOCK ? n - at : BLOCK);
        load_values(block->candidate, at, m, c);
        load_values(block->reference, at, m, r);
        for (uint32_t i = 0; i < m; i++)
            sum_pair(sums, block->first + at + i, c[i], r[i]);
    }
    return sums->bad ? TF_DECIDED : TF_OK;
}

/* ---- judgements ---------------------------------------------------------------------------------------------------*/

void add_value(struct tf_judgement *judgement, const char *key, double value)
{
    judgement->keys[judgement->n_values] = key;
    judgement->values[judgement->n_values++] = value;
}

void decided_by(struct tf_judgement *judgement, uint64_t index)
{
    if (TF_HAS(struct tf_judgement, judgement, worst))
        judgement->worst = index + 1;
}

int judge_empty(uint64_t n, const char *key, struct tf_judgement *judgement)
{
    if (n)
        return 0;
    add_value(judgement, key, 0);
    judgement->passed = 0;
    judgement->note = "the output has no elements, so nothing was compared";
    return 1;
}

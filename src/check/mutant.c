/* SPDX-License-Identifier: MIT
 * Proof that a check can fail: wrong candidates made from the reference, each a fault that implementations have.
 *
 * Each maker writes its mutant to `to` and says whether it has one for an output of this shape and dtype.
 */
#include "check/check.h"

#include "plugin/numbers.h"
#include "type/type.h"
#include "util/diag.h"

#include <math.h>
#include <string.h>

#define BLOCK 512u

struct mutation {
    const struct tensor *from;
    char *to;
    size_t width;  /* bytes of an element */
    size_t length; /* of a row: the last extent; 1 for rank 0 */
};

static int is_float(const struct mutation *m)
{
    return dtype_info(m->from->pub.dtype)->cls == TF_CLASS_FLOAT;
}

static const char *source_at(const struct mutation *m, size_t i)
{
    return (const char *)m->from->pub.data + i * m->width;
}

static double value_at(const struct mutation *m, size_t i)
{
    return element_value(m->from, i);
}

static void put_value(const struct mutation *m, size_t i, double value)
{
    number_store_f64(m->from->pub.dtype, 1, &value, m->to + i * m->width, FP8_SATURATE);
}

/* All elements by a factor. */
static void multiply(const struct mutation *m, double factor)
{
    double values[BLOCK];
    for (size_t at = 0; at < m->from->count; at += BLOCK) {
        size_t n = m->from->count - at < BLOCK ? m->from->count - at : BLOCK;
        number_load_f64(m->from->pub.dtype, n, source_at(m, at), values);
        for (size_t i = 0; i < n; i++)
            values[i] *= factor;
        number_store_f64(m->from->pub.dtype, n, values, m->to + at * m->width, FP8_SATURATE);
    }
}

/* ---- gross: nobody would take these for the output ----------------------------------------------------------------*/

static int make_zeros(const struct mutation *m)
{
    memset(m->to, 0, m->from->bytes);
    return 1;
}

static int make_negated(const struct mutation *m)
{
    const struct tf_dtype_info *info = dtype_info(m->from->pub.dtype);
    if (m->from->pub.dtype == TF_DTYPE_F8E8M0 || info->cls == TF_CLASS_UINT)
        return 0;
    if (info->cls == TF_CLASS_FLOAT)
        return multiply(m, -1), 1;
    for (size_t i = 0; i < m->from->count; i++) {
        int64_t whole;
        number_load_i64(m->from->pub.dtype, 1, source_at(m, i), &whole);
        whole = info->cls == TF_CLASS_BOOL ? !whole : (int64_t) - (uint64_t)whole;
        number_store_i64(m->from->pub.dtype, 1, &whole, m->to + i * m->width, FP8_SATURATE);
    }
    return 1;
}

/* Every element is its right neighbour's. */
static int make_shifted(const struct mutation *m)
{
    memcpy(m->to, source_at(m, 1), m->from->bytes - m->width);
    memcpy(m->to + m->from->bytes - m->width, source_at(m, 0), m->width);
    return 1;
}

/* The elements in the order of the transposed matrix, in the output's own shape. */
static int make_transposed(const struct mutation *m)
{
    uint32_t rank = m->from->pub.rank;
    if (rank < 2)
        return 0;
    size_t columns = m->length, rows = (size_t)m->from->extents[rank - 2], size = rows * columns;
    for (size_t at = 0; at < m->from->count; at += size)
        for (size_t r = 0; r < rows; r++)
            for (size_t c = 0; c < columns; c++)
                memcpy(m->to + (at + c * rows + r) * m->width, source_at(m, at + r * columns + c), m->width);
    return 1;
}

/* ---- fine: small faults that a tolerance may rightly have room for ------------------------------------------------*/

static int make_gain(const struct mutation *m)
{
    if (!is_float(m))
        return 0;
    return multiply(m, 1.04), 1;
}

/* The code next to an element's, towards zero (-1) or away from it (+1): codes of a sign follow each other as integers. */
static void step_code(const struct mutation *m, size_t i, int step)
{
    uint64_t bits = 0;
    memcpy(&bits, source_at(m, i), m->width); /* the low bytes: every host that we build on stores them first */
    bits = (uint64_t)((int64_t)bits + step);
    memcpy(m->to + i * m->width, &bits, m->width);
}

/* Every second element cut off instead of rounded: half of all roundings go away from zero. */
static int make_truncated(const struct mutation *m)
{
    if (!is_float(m))
        return 0;
    memcpy(m->to, m->from->pub.data, m->from->bytes);
    for (size_t i = 0; i < m->from->count; i += 2) {
        double value = value_at(m, i);
        if (isfinite(value) && value != 0 && value != ldexp(1, -127))
            step_code(m, i, -1);
    }
    return 1;
}

/* One element in the middle by the smallest step that its dtype has. */
static int make_one_off(const struct mutation *m)
{
    const struct tf_dtype_info *info = dtype_info(m->from->pub.dtype);
    size_t i = m->from->count / 2;
    double stepped;
    memcpy(m->to, m->from->pub.data, m->from->bytes);
    if (info->cls == TF_CLASS_BOOL)
        return m->to[i] = (char)!m->to[i], 1;
    if (is_float(m) && !isfinite(value_at(m, i)))
        return 0;
    step_code(m, i, 1);
    number_load_f64(m->from->pub.dtype, 1, m->to + i * m->width, &stepped);
    if (!isfinite(stepped) || (m->from->pub.dtype == TF_DTYPE_F4E2M1 && fabs(value_at(m, i)) == 6))
        step_code(m, i, -1);
    return 1;
}

/* The last block holds what the one before it does. */
static int make_stale(const struct mutation *m)
{
    size_t block = m->from->count / 2 < 128 ? m->from->count / 2 : 128, at = m->from->count - block;
    memcpy(m->to, m->from->pub.data, m->from->bytes);
    memcpy(m->to + at * m->width, source_at(m, at - block), block * m->width);
    return block != 0;
}

static double row_amax(const struct mutation *m, size_t row)
{
    double amax = 0;
    for (size_t i = row * m->length; i < (row + 1) * m->length; i++) {
        double value = fabs(value_at(m, i));
        amax = isfinite(value) && value > amax ? value : amax;
    }
    return amax;
}

static void scale_row(const struct mutation *m, size_t row, double factor)
{
    for (size_t i = row * m->length; i < (row + 1) * m->length; i++)
        put_value(m, i, value_at(m, i) * factor);
}

/* The first two neighbouring rows that have different scales, each multiplied by the other's. */
static int make_swapped(const struct mutation *m)
{
    if (!is_float(m) || m->from->pub.rank < 2)
        return 0;
    memcpy(m->to, m->from->pub.data, m->from->bytes);
    double amax = row_amax(m, 0), next;
    for (size_t row = 0; (row + 2) * m->length <= m->from->count; row++, amax = next) {
        next = row_amax(m, row + 1);
        if (amax == next || amax == 0 || next == 0)
            continue;
        scale_row(m, row, next / amax);
        scale_row(m, row + 1, amax / next);
        return 1;
    }
    return 0;
}

/* X(maker, name, whether gross) */
#define MUTANTS(X)                                                                                                     \
    X(make_zeros, "zeros", 1)                                                                                          \
    X(make_negated, "negated", 1)                                                                                      \
    X(make_shifted, "shifted", 1)                                                                                      \
    X(make_transposed, "transposed", 1)                                                                                \
    X(make_gain, "gain 1.04", 0)                                                                                       \
    X(make_truncated, "truncated", 0)                                                                                  \
    X(make_one_off, "one element off", 0)                                                                              \
    X(make_stale, "last block stale", 0)                                                                               \
    X(make_swapped, "scales swapped", 0)

static const struct {
    int (*make)(const struct mutation *m);
    const char *name;
    uint32_t is_gross;
} MUTANT[] = {
#define X(make, name, gross) {make, name, gross},
    MUTANTS(X)
#undef X
};
#define N_MUTANTS (sizeof(MUTANT) / sizeof(*MUTANT))

/* ---- against the comparisons --------------------------------------------------------------------------------------*/

/* A mutant with the reference's own values is none: -0 is 0. */
static int differs(const struct tensor *mutant, const struct tensor *reference)
{
    double a[BLOCK], b[BLOCK];
    size_t width = number_bytes(mutant->pub.dtype);
    if (!memcmp(mutant->pub.data, reference->pub.data, reference->bytes))
        return 0;
    if (dtype_info(mutant->pub.dtype)->cls != TF_CLASS_FLOAT)
        return 1;
    for (size_t at = 0; at < mutant->count; at += BLOCK) {
        size_t n = mutant->count - at < BLOCK ? mutant->count - at : BLOCK;
        number_load_f64(mutant->pub.dtype, n, (const char *)mutant->pub.data + at * width, a);
        number_load_f64(mutant->pub.dtype, n, (const char *)reference->pub.data + at * width, b);
        for (size_t i = 0; i < n; i++)
            if (a[i] != b[i])
                return 1;
    }
    return 0;
}

static int try_mutant(tf_ctx *ctx, const struct asked *asked, const struct tensor *mutant,
    const struct tensor *reference, const struct tensor *enclosure, struct mutant_finding *found)
{
    struct tf_judgement judgement;
    for (size_t i = 0; i < asked->comparisons.n && !found->killed_by; i++) {
        const struct comparison *comparison = &asked->comparisons.at[i];
        if (judge(ctx, comparison, &mutant->pub, &reference->pub, enclosure ? &enclosure->pub : NULL, &judgement))
            return CHECK_ERROR;
        if (!judgement.passed)
            found->killed_by = comparison->predicate->name;
    }
    return 0;
}

int run_mutants(tf_ctx *ctx, const struct asked *asked, const struct tensor *reference, const struct tensor *enclosure,
    struct output_finding *finding)
{
    int status = 0;
    if (!reference->count)
        return 0;
    uint32_t rank = reference->pub.rank;
    struct tensor *mutant = tensor_new(ctx, reference->memory, reference->pub.dtype, rank, reference->extents);
    if (!mutant)
        return CHECK_ERROR;
    struct mutation m = {.from = reference,
        .to = mutant->pub.data,
        .width = number_bytes(reference->pub.dtype),
        .length = rank ? (size_t)reference->extents[rank - 1] : 1};
    finding->mutants = CTX_ARRAY(ctx, struct mutant_finding, N_MUTANTS);
    for (size_t i = 0; i < N_MUTANTS && !status; i++) {
        if (!MUTANT[i].make(&m) || !differs(mutant, reference))
            continue;
        struct mutant_finding *found = &finding->mutants[finding->n_mutants++];
        *found = (struct mutant_finding){.name = MUTANT[i].name, .is_gross = MUTANT[i].is_gross};
        status = try_mutant(ctx, asked, mutant, reference, enclosure, found);
    }
    tensor_release(mutant);
    return status;
}

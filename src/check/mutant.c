/* SPDX-License-Identifier: MIT
 * Wrong candidates made from the reference, each a fault that implementations have: any part of one is made when it is
 * needed, so that none is ever whole.
 */
#include "check/mutant.h"

#include "plugin/numbers.h"
#include "type/type.h"

#include <math.h>
#include <string.h>

#define BLOCK 512u

static int is_float(const struct mutation *m)
{
    return dtype_info(m->from->pub.dtype)->cls == TF_CLASS_FLOAT;
}

/* ---- the reference, as it is compared -----------------------------------------------------------------------------*/

static double value_at(const struct mutation *m, size_t i)
{
    double value = element_value(m->from, i);
    return m->beside && isnan(value) && isnan(element_value(m->beside, i)) ? 0 : value;
}

static void get(const struct mutation *m, size_t first, size_t n, char *to)
{
    memcpy(to, (const char *)m->from->pub.data + first * m->width, n * m->width);
    for (size_t i = 0; m->beside && i < n; i++)
        if (isnan(element_value(m->from, first + i)) && isnan(element_value(m->beside, first + i)))
            memset(to + i * m->width, 0, m->width);
}

static void put_value(const struct mutation *m, double value, char *to)
{
    number_store_f64(m->from->pub.dtype, 1, &value, to, FP8_SATURATE);
}

/* All elements by a factor. */
static void multiply(const struct mutation *m, size_t n, char *to, double factor)
{
    double values[BLOCK];
    for (size_t at = 0; at < n; at += BLOCK) {
        size_t k = n - at < BLOCK ? n - at : BLOCK;
        number_load_f64(m->from->pub.dtype, k, to + at * m->width, values);
        for (size_t i = 0; i < k; i++)
            values[i] *= factor;
        number_store_f64(m->from->pub.dtype, k, values, to + at * m->width, FP8_SATURATE);
    }
}

static int always(struct mutation *m)
{
    (void)m;
    return 1;
}

static int of_floats(struct mutation *m)
{
    return is_float(m);
}

/* ---- gross: nobody would take these for the output ----------------------------------------------------------------*/

static void make_zeros(const struct mutation *m, size_t first, size_t n, char *to)
{
    (void)first;
    memset(to, 0, n * m->width);
}

static int of_signs(struct mutation *m)
{
    return m->from->pub.dtype != TF_DTYPE_F8E8M0 && dtype_info(m->from->pub.dtype)->cls != TF_CLASS_UINT;
}

static void make_negated(const struct mutation *m, size_t first, size_t n, char *to)
{
    const struct tf_dtype_info *info = dtype_info(m->from->pub.dtype);
    get(m, first, n, to);
    if (info->cls == TF_CLASS_FLOAT) {
        multiply(m, n, to, -1);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        int64_t whole;
        number_load_i64(m->from->pub.dtype, 1, to + i * m->width, &whole);
        whole = info->cls == TF_CLASS_BOOL ? !whole : (int64_t) - (uint64_t)whole;
        number_store_i64(m->from->pub.dtype, 1, &whole, to + i * m->width, FP8_SATURATE);
    }
}

/* Every element is its right neighbour's. */
static void make_shifted(const struct mutation *m, size_t first, size_t n, char *to)
{
    size_t inner = first + n == m->from->count ? n - 1 : n;
    get(m, first + 1, inner, to);
    if (inner < n)
        get(m, 0, 1, to + inner * m->width);
}

static int of_matrices(struct mutation *m)
{
    return m->from->pub.rank >= 2;
}

/* The elements in the order of the transposed matrix, in the output's own shape. */
static void make_transposed(const struct mutation *m, size_t first, size_t n, char *to)
{
    size_t columns = m->length, rows = (size_t)m->from->extents[m->from->pub.rank - 2], size = rows * columns;
    for (size_t i = 0; i < n; i++) {
        size_t at = (first + i) % size;
        get(m, first + i - at + at % rows * columns + at / rows, 1, to + i * m->width);
    }
}

/* ---- fine: small faults that a tolerance may rightly have room for ------------------------------------------------*/

static void make_gain(const struct mutation *m, size_t first, size_t n, char *to)
{
    get(m, first, n, to);
    multiply(m, n, to, 1.04);
}

/* The code next to an element's, towards zero (-1) or away from it (+1): codes of a sign follow each other as integers. */
static void step_code(const struct mutation *m, int step, char *at)
{
    uint64_t bits = 0;
    memcpy(&bits, at, m->width); /* the low bytes: every host that we build on stores them first */
    bits = (uint64_t)((int64_t)bits + step);
    memcpy(at, &bits, m->width);
}

/* Every second element cut off instead of rounded: half of all roundings go away from zero. */
static void make_truncated(const struct mutation *m, size_t first, size_t n, char *to)
{
    get(m, first, n, to);
    for (size_t i = first % 2; i < n; i += 2) {
        double value;
        number_load_f64(m->from->pub.dtype, 1, to + i * m->width, &value);
        if (isfinite(value) && value != 0 && value != ldexp(1, -127))
            step_code(m, -1, to + i * m->width);
    }
}

static int of_a_middle(struct mutation *m)
{
    m->at = m->from->count / 2;
    return !is_float(m) || isfinite(value_at(m, m->at));
}

/* One element in the middle by the smallest step that its dtype has. */
static void make_one_off(const struct mutation *m, size_t first, size_t n, char *to)
{
    get(m, first, n, to);
    if (m->at < first || m->at >= first + n)
        return;
    char *at = to + (m->at - first) * m->width;
    double before, stepped;
    if (dtype_info(m->from->pub.dtype)->cls == TF_CLASS_BOOL) {
        *at = (char)!*at;
        return;
    }
    number_load_f64(m->from->pub.dtype, 1, at, &before);
    step_code(m, 1, at);
    number_load_f64(m->from->pub.dtype, 1, at, &stepped);
    if (!isfinite(stepped) || (m->from->pub.dtype == TF_DTYPE_F4E2M1 && fabs(before) == 6)) {
        step_code(m, -2, at);
    }
}

static size_t stale_length(const struct mutation *m)
{
    return m->from->count / 2 < 128 ? m->from->count / 2 : 128;
}

static int of_two_blocks(struct mutation *m)
{
    m->at = m->from->count - stale_length(m);
    return stale_length(m) != 0;
}

/* The last block holds what the one before it does. */
static void make_stale(const struct mutation *m, size_t first, size_t n, char *to)
{
    size_t before = first >= m->at ? 0 : m->at - first < n ? m->at - first : n;
    get(m, first, before, to);
    if (before < n)
        get(m, first + before - stale_length(m), n - before, to + before * m->width);
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

/* The first two neighbouring rows that have different scales. */
static int of_scales(struct mutation *m)
{
    if (!is_float(m) || m->from->pub.rank < 2)
        return 0;
    double amax = row_amax(m, 0), next;
    for (size_t row = 0; (row + 2) * m->length <= m->from->count; row++, amax = next) {
        next = row_amax(m, row + 1);
        if (amax == next || amax == 0 || next == 0)
            continue;
        m->at = row * m->length;
        m->factor[0] = next / amax;
        m->factor[1] = amax / next;
        return 1;
    }
    return 0;
}

/* Each of the two multiplied by the other's scale. */
static void make_swapped(const struct mutation *m, size_t first, size_t n, char *to)
{
    get(m, first, n, to);
    for (size_t i = first > m->at ? first : m->at; i < first + n && i < m->at + 2 * m->length; i++)
        put_value(m, value_at(m, i) * m->factor[i >= m->at + m->length], to + (i - first) * m->width);
}

/* X(maker, whether there is one, name, whether gross) */
#define MUTANTS(X)                                                                                                     \
    X(make_zeros, always, "zeros", 1)                                                                                  \
    X(make_negated, of_signs, "negated", 1)                                                                            \
    X(make_shifted, always, "shifted", 1)                                                                              \
    X(make_transposed, of_matrices, "transposed", 1)                                                                   \
    X(make_gain, of_floats, "gain 1.04", 0)                                                                            \
    X(make_truncated, of_floats, "truncated", 0)                                                                       \
    X(make_one_off, of_a_middle, "one element off", 0)                                                                 \
    X(make_stale, of_two_blocks, "last block stale", 0)                                                                \
    X(make_swapped, of_scales, "scales swapped", 0)

static const struct {
    void (*make)(const struct mutation *m, size_t first, size_t n, char *to);
    int (*exists)(struct mutation *m);
    const char *name;
    uint32_t is_gross;
} MUTANT[] = {
#define X(make, exists, name, gross) {make, exists, name, gross},
    MUTANTS(X)
#undef X
};
_Static_assert(sizeof(MUTANT) / sizeof(*MUTANT) == N_MUTANTS, "mutant.h counts them");

int mutation_begin(struct mutation *mutation, size_t which, const struct tensor *reference, const struct tensor *beside)
{
    uint32_t rank = reference->pub.rank;
    *mutation = (struct mutation){.name = MUTANT[which].name,
        .is_gross = MUTANT[which].is_gross,
        .which = which,
        .from = reference,
        .beside = beside,
        .width = number_bytes(reference->pub.dtype),
        .length = rank ? (size_t)reference->extents[rank - 1] : 1};
    return reference->count && MUTANT[which].exists(mutation);
}

void mutation_make(const struct mutation *mutation, size_t first, size_t n, char *to)
{
    MUTANT[mutation->which].make(mutation, first, n, to);
}

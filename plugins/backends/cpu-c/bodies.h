/* SPDX-License-Identifier: MIT
 * What the bodies of operators share.
 */
#ifndef TF_CPU_C_BODIES_H
#define TF_CPU_C_BODIES_H

#include "lower.h"

#include <inttypes.h>

/* Indices of an operand or result: of the rows' axes r0, r1, ..., of the others none yet. */
static inline const char **indices(struct lower *l, uint32_t rank)
{
    return (const char **)(uintptr_t)row_indices(l, rank);
}

/* A loop over each axis of [first, end) that is not in the set; returns how many. */
static inline uint32_t open_axes(
    struct lower *l, const struct tf_type *type, uint32_t first, uint32_t end, uint64_t but, const char **ix)
{
    uint32_t n = 0;
    for (uint32_t i = first; i < end; i++) {
        if (but >> i & 1)
            continue;
        ix[i] = fmt(l, "i%u", i);
        open_brace(l, "for (size_t i%u = 0; i%u < %" PRId64 "; i%u++)", i, i, extent(type, i), i);
        n++;
    }
    return n;
}

static inline void close_axes(struct lower *l, uint32_t n)
{
    while (n--)
        close_brace(l);
}

/* The axes of the set counted by one number, in row-major order. */
static inline void count_axes(
    struct lower *l, const struct tf_type *type, uint64_t set, const char *number, const char **ix)
{
    size_t below = 1;
    uint32_t first = 0;
    while (first < type->rank && !(set >> first & 1))
        first++;
    for (uint32_t i = type->rank; i-- > 0;) {
        if (!(set >> i & 1))
            continue;
        const char *part = below == 1 ? number : fmt(l, "(%s) / %zu", number, below);
        ix[i] = i == first ? part : fmt(l, below == 1 ? "(%s) %% %" PRId64 : "%s %% %" PRId64, part, extent(type, i));
        below *= (size_t)extent(type, i);
    }
}

static inline size_t count_of(const struct tf_type *type, uint64_t set)
{
    size_t n = 1;
    for (uint32_t i = 0; i < type->rank; i++)
        n *= set >> i & 1 ? (size_t)extent(type, i) : 1;
    return n;
}

static inline void put(
    struct lower *l, const struct view *view, const char *const *ix, const char *lane, const char *number)
{
    line(l, "%s[%s] = %s;", view->buffer->name, place_of(l, view, ix), stored(l, view->type->dtype, lane, number));
}

/* What an operator that computes in f32 (f64 for f64) computes in. */
static inline const char *step_type(uint32_t dtype)
{
    return dtype == TF_DTYPE_F64 ? "double" : "float";
}

static inline const struct view *result(struct lower *l, const struct tf_node *node)
{
    return value_of(l, node)->leaf;
}

#endif

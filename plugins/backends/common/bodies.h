/* SPDX-License-Identifier: MIT
 * What the bodies of operators share.
 */
#ifndef TF_BACKENDS_BODIES_H
#define TF_BACKENDS_BODIES_H

#include "lower.h"

#include <inttypes.h>

/* Indices of an operand or result: of the rows' axes r0, r1, ..., of the others none yet. */
static inline const char **indices(struct lower *l, uint32_t rank)
{
    return (const char **)(uintptr_t)row_indices(l, rank);
}

/* The axes of [first, end) that are not in the set, each with its index. */
static inline struct axes axes_but(
    struct lower *l, const struct tf_type *type, uint32_t first, uint32_t end, uint64_t but, const char **ix)
{
    struct axes axes = {0};
    for (uint32_t i = first; i < end; i++) {
        if (but >> i & 1)
            continue;
        axes.name[axes.n] = ix[i] = fmt(l, "i%u", i);
        axes.count[axes.n++] = (size_t)extent(type, i);
    }
    return axes;
}

static inline void add_axis(struct axes *axes, const char *name, size_t count)
{
    axes->name[axes->n] = name;
    axes->count[axes->n++] = count;
}

/* Items over those axes; lanes as in struct dialect. */
static inline struct axes open_items(struct lower *l, const struct tf_type *type, uint32_t first, uint32_t end,
    uint64_t but, const char **ix, size_t lanes)
{
    struct axes axes = axes_but(l, type, first, end, but, ix);
    l->dialect->open_items(l, &axes, lanes);
    return axes;
}

/* A loop that an item's lanes share. */
static inline struct axes open_lanes(struct lower *l, const char *name, size_t n, size_t step)
{
    struct axes axes = {.n = 1, .name = {name}, .count = {n}, .step = step};
    l->dialect->open_lanes(l, &axes);
    return axes;
}

static inline void close_axes(struct lower *l, const struct axes *axes)
{
    l->dialect->close_axes(l, axes);
}

static inline void fold(struct lower *l, const char *kind, const char *type, const char *variable)
{
    if (l->dialect->is_shared)
        l->dialect->fold(l, kind, type, variable);
}

static inline void join(struct lower *l, enum join what)
{
    l->dialect->join(l, what);
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

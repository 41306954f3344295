/* SPDX-License-Identifier: MIT
 * Sets of coordinates: along one axis a list of spans, in several axes a product of them, and unions of such products
 * counted exactly.  What a set costs depends on how many spans it has, never on how many coordinates.
 */
#ifndef MEMORY_SETS_H
#define MEMORY_SETS_H

#include "kit.h"

typedef __int128 coord; /* a start times a stride may pass 64 bits */

/* Memory for one evaluation: taken piece by piece, given back all at once. */
struct pool {
    struct pool_chunk *first, *now;
    size_t used;
};
void *pool_take(struct pool *pool, size_t size);
void pool_reset(struct pool *pool);
void pool_free(struct pool *pool);

struct span { /* lo, lo + step, ...: n coordinates; step >= 1 */
    coord lo, step;
    uint64_t n;
};

struct spans {
    uint32_t n;
    struct span *at;
};

/* One digit of a coordinate: index times stride, extent indices. */
struct digit {
    coord stride;
    uint64_t extent;
};

#define SET_OK 0
#define SET_TOO_MUCH 1 /* more spans or products than are followed */
#define SET_OVERFLOW 2

/* base + every sum of digits, cut to [lo, hi).  The digits are changed. */
int spans_make(struct pool *pool, coord base, uint32_t n, struct digit *digits, coord lo, coord hi, struct spans *set);

/* Coordinates in the union of n products of rank span lists each; product p's list for axis a is at[p][a]. */
int products_count(struct pool *pool, uint32_t rank, uint32_t n, struct spans *const *at, uint64_t *count);

#endif

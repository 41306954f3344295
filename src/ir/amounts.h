/* SPDX-License-Identifier: MIT
 * Shared between amounts.c (one box of iterations, in closed form) and boxes.c (a list of boxes).
 */
#ifndef TF_IR_AMOUNTS_H
#define TF_IR_AMOUNTS_H

#include "ir/relation.h"
#include "util/vec.h"

typedef __int128 wide; /* coordinates: scale times index may pass 64 bits */

/* Where one axis of one boundary goes; terms without effect are dropped. */
struct form {
    uint32_t any, n;
    uint32_t iter[2];
    wide scale[2];
    wide offset;
    int64_t whole, held; /* extents: the value's, and what the asking unit (or the whole) has of it */
};

struct side {             /* one boundary that has axes */
    uint32_t rank, index; /* index: into the caller's elements */
    uint32_t partial;     /* reaches past the value somewhere, and is silent there */
    uint32_t counted;
    struct form axis[TF_MAX_RANK];
};

struct box {
    int64_t lo[RELATION_MAX_ITER], hi[RELATION_MAX_ITER]; /* half-open */
};

struct span { /* lo, lo + step, ...: n coordinates */
    wide lo, step;
    uint64_t n;
};

struct reach {
    tf_ctx *ctx;
    const struct tf_step *step;
    uint32_t n_iter, n_sides;
    struct side *side;
    struct box box;
    VEC(struct box) boxes;
};

int reach_refuse(struct reach *r, const char *why);
int reach_overflow(struct reach *r);

/* The values of scale * d + ... over the box: smallest and largest. */
void form_range(const struct form *form, const struct box *box, wide *lo, wide *hi);
/* Narrows one axis of the box to where the form, of one term that varies, lies in [lo, hi). */
void form_narrow(const struct form *form, uint32_t term, wide lo, wide hi, struct box *box);
/* The form's coordinates over the box within [0, held) as one span; 0 when they are not one. */
int form_span(const struct form *form, const struct box *box, struct span *span);
/* Distinct coordinates in the union of n spans of one step; sorts them. */
uint64_t spans_count(struct span *spans, size_t n);
int product(uint64_t *into, uint64_t by); /* non-zero when it passes 2^63 - 1 */

/* The slow way: restricts and counts by boxes. */
int reach_by_boxes(struct reach *r, uint64_t *elements);

#endif

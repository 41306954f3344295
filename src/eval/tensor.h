/* SPDX-License-Identifier: MIT
 * Values of a program that is run: dense arrays in C order, shared by counting who holds them.
 */
#ifndef TF_EVAL_TENSOR_H
#define TF_EVAL_TENSOR_H

#include "eval/space.h"
#include "util/ctx.h"

struct tensor_memory { /* bytes of elements; zeroed to begin with */
    uint64_t now, peak;
    size_t tensors; /* that there are; with the last one the spare pieces go */
    struct space space;
};

struct tensor {
    struct tf_tensor pub; /* first: the two pointers convert */
    int64_t extents[TF_MAX_RANK];
    size_t count, bytes, room;
    uint32_t holders;
    struct tensor_memory *memory; /* where it is accounted; outlives it */
};

/* Its elements have no value yet.  One holder.  NULL after a diagnostic: too large, or no memory. */
struct tensor *tensor_new(
    tf_ctx *ctx, struct tensor_memory *memory, uint32_t dtype, uint32_t rank, const int64_t *extents);
/* Of a tensor type whose dimensions are bound. */
struct tensor *tensor_of_type(tf_ctx *ctx, struct tensor_memory *memory, const struct tf_type *type);
/* The same, with elements of another dtype in memory than it says: as operators have it in EXACT mode. */
struct tensor *tensor_held_as(tf_ctx *ctx, struct tensor_memory *memory, const struct tf_type *type, uint32_t dtype);
/* Of f64 whatever the type says, with room for upper ends and doubts, and for unrounded products where raw is asked for:
 * as operators have it in BOUND mode.  Doubts are 0, and raw begins with NaN. */
struct tensor *tensor_enclosure(tf_ctx *ctx, struct tensor_memory *memory, const struct tf_type *type, int raw);
/* Of an enclosure's dtype and shape, an enclosure without a value. */
struct tensor *tensor_like(tf_ctx *ctx, struct tensor_memory *memory, const struct tensor *enclosure);
struct tensor *tensor_hold(struct tensor *tensor);
void tensor_release(struct tensor *tensor); /* NULL is allowed */

int tensor_has_type(const struct tensor *tensor, const struct tf_type *type); /* shape and dtype */
const char *tensor_text(tf_ctx *ctx, const struct tensor *tensor);            /* "(2, 7168) bf16" */
/* Square root of the sum of squares, taken in f64; NaN and infinities go through. */
double tensor_norm(tf_ctx *ctx, const struct tensor *tensor);

#endif

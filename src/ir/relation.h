/* SPDX-License-Identifier: MIT
 * Access relations: making them (for operators) and counting what they reach (for analyzers).  The structs are the
 * public ones (tilefoundry/op.h).
 */
#ifndef TF_IR_RELATION_H
#define TF_IR_RELATION_H

#include "type/type.h"

/* An iteration box has no more axes than this; relation_box refuses more. */
#define RELATION_MAX_ITER 32

/* Gives back the memory of all relations: none of them is looked at again. */
void relation_done(tf_ctx *ctx);
/* A box of n_iter axes; a zeroed boundary (whole) for every argument, READ, and for n_out results, WRITE. */
int relation_box(tf_ctx *ctx, const struct tf_call *call, struct tf_relation *relation, uint32_t n_iter,
    const struct tf_dim *const *extent, uint32_t n_out);
/* Gives the boundary rank axes; axis k walks iteration axis first + k. */
void relation_walk(tf_ctx *ctx, struct tf_boundary *boundary, uint32_t rank, uint32_t first);
/* One axis for each of the type's, right-aligned against the box's first `rank` axes; an extent of 1 is read at 0. */
void relation_broadcast(tf_ctx *ctx, struct tf_boundary *boundary, const struct tf_type *type, uint32_t rank,
    const struct tf_dim *const *shape);

/* Distinct elements that one occurrence of the step reaches at each boundary: arguments, then results.
 *
 * unit 0: by the whole program's iterations, on whole types.  unit 1: by one unit's, on its share.  The unit holds the
 * prefix [0, held) of every axis; a boundary that is split lets it perform only the iterations whose coordinate lies in
 * its prefix, and says nothing of iterations whose coordinate lies outside the value (a part of a concat).  What all
 * boundaries let pass is performed, and every boundary is counted on that.  Run-time starts stand at their smallest
 * legal value, 0.  Returns 0, or TF_E_* after a diagnostic that names the call. */
int relation_amounts(tf_ctx *ctx, const struct tf_program *program, const struct tf_step *step,
    const struct tf_relation *relation, int unit, uint64_t *elements);

/* Where that occurrence reaches boundary (arguments, then results): for each of its axes, spans of coordinates before
 * run-time starts are added and before what the value does not have is cut off.  TF_E_UNSUPPORTED, without a diagnostic,
 * when the iterations are not a box. */
int relation_reach(tf_ctx *ctx, const struct tf_program *program, const struct tf_step *step,
    const struct tf_relation *relation, int unit, uint32_t boundary, struct tf_reach_axis *axes);

#endif

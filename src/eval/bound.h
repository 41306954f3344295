/* SPDX-License-Identifier: MIT
 * Enclosures through operators that know nothing of them: what only moves elements, and what is exact.
 */
#ifndef TF_EVAL_BOUND_H
#define TF_EVAL_BOUND_H

#include "eval/tensor.h"

/* Ends of a number as f64 has it: of one that must be NaN, and of an integer that f64 rounds. */
void bound_settle(struct tensor *tensor, size_t i);

/* One call in BOUND mode.  An operator that moves elements is run on lower ends, upper ends and doubts; one without
 * arguments makes points; one of integers alone is run on its points, where they are that; all others are asked for their
 * bound.  TF_E_*. */
int bound_call(tf_ctx *ctx, struct tensor_memory *memory, const struct tf_eval *eval);

#endif

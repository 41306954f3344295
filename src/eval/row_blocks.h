/* SPDX-License-Identifier: MIT
 * Running a plan of rows: the steps one after the other on a block of rows, then on the next.
 */
#ifndef TF_EVAL_ROW_BLOCKS_H
#define TF_EVAL_ROW_BLOCKS_H

#include "eval/rows.h"
#include "eval/run.h"

struct row_blocks {
    tf_ctx *ctx;
    const struct tf_function *function;
    const struct rows_plan *plan;
    const struct bound_request *request; /* BOUND */
    struct tensor_memory *memory;        /* in which the blocks' memory is accounted */
    uint32_t mode, fp8_overflow;
    struct tensor *
        *whole;         /* by leaf of the plan: of those that are not steps', with elements of their own dtype where a
                              sliced one is a parameter; held by the caller */
    struct tensor **to; /* by leaf of the function's result: where it goes, of steps' in DECLARED mode; else NULL */
    uint64_t rows;      /* of a block; row_blocks_begin sets it */
    struct row_slots *slots;
};

/* budget: bytes that a block may take beside the results; rows: those of a block instead, or 0. */
void row_blocks_begin(struct row_blocks *blocks, uint64_t budget, uint64_t rows);
/* All blocks, several at once, into `to`.  0, or TF_E_* without a diagnostic. */
int row_blocks_fill(struct row_blocks *blocks);
/* All blocks in their order, each handed to fn.  0, or TF_E_* after a diagnostic. */
int row_blocks_each(struct row_blocks *blocks, eval_rows_fn *fn, void *data);
void row_blocks_end(struct row_blocks *blocks);

#endif

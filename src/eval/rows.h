/* SPDX-License-Identifier: MIT
 * What of a function can be computed in blocks of rows, so that what lies between its operators stays in the cache, and
 * no value but its results is ever whole.
 *
 * A row is one of n_rows equal parts of a value in the order of its elements, made of whole leading coordinates.  The
 * operators that are computed by rows (steps) are the last ones of the function: each reads rows of other steps' results
 * and of values that were computed before, or such values whole.
 */
#ifndef TF_EVAL_ROWS_H
#define TF_EVAL_ROWS_H

#include "eval/schedule.h"

#define ROWS_NONE UINT32_MAX

/* A tensor of which a block has a part, or which it reads whole. */
struct rows_leaf {
    const struct tf_node *node; /* where it comes from: a step, or a node that is computed before */
    uint32_t leaf;              /* of that node's */
    uint32_t next;              /* the next one of the same node, or ROWS_NONE */
    const struct tf_type *type; /* whole */
    int is_step, is_sliced;     /* a step's is sliced */
    uint64_t elements;          /* of one row; of a whole one, of all */
    uint32_t last;              /* the last step that reads it; its own, where none does */
    uint32_t output;            /* which leaf of the function's result it is, the first if several; ROWS_NONE */
};

struct rows_step {
    const struct tf_node *node;
    uint32_t n_args, n_results, first_result; /* results are consecutive leaves */
    int is_copy;                              /* its one result has the elements of its one argument, in their order */
    uint32_t *args;                           /* leaves, one for each leaf of each argument */
};

struct rows_plan {
    uint64_t n_rows; /* 0: nothing is computed by rows */
    VEC(struct rows_leaf) leaves;
    VEC(struct rows_step) steps; /* in an order in which operands come first */
    uint32_t *first_leaf;        /* by node id */
    uint8_t *is_whole;           /* by node id: something reads it, or a part of it, as a whole */
    uint8_t *is_left;            /* by node id: steps, and what only names their results, are not computed before */
    uint32_t n_outputs;
    uint32_t *outputs; /* by leaf of the function's result: which leaf here */
};

/* schedule: of the function.  The plan has n_rows 0 where rows are no way to compute it. */
void rows_plan_make(
    tf_ctx *ctx, struct rows_plan *plan, const struct tf_function *function, const struct schedule *schedule);
void rows_plan_free(struct rows_plan *plan);

#endif

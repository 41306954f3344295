/* SPDX-License-Identifier: MIT
 * What the parts of running a function share: where it stands, and what each of them does for the others.
 */
#ifndef TF_EVAL_RUNNER_H
#define TF_EVAL_RUNNER_H

#include "eval/rows.h"
#include "eval/run.h"
#include "eval/value.h"

struct runner {
    tf_ctx *ctx;
    struct tensor_memory *memory;
    const struct tf_function *function;
    struct tensor *const *params;
    struct schedule plan;
    struct value *values; /* by node id */
    struct arena scratch; /* of one call */
    uint32_t fp8_overflow, mode;
    const struct bound_request *request; /* BOUND */
    struct tensor **judged;              /* BOUND: by leaf of the result, what was found of it before it was replaced */
    struct rows_plan rows;               /* n_rows 0: everything is computed as a whole */
    struct tensor **whole;               /* by leaf of rows: what blocks read of what was computed before them */
};

/* Before: ctx, memory, function, params and mode are there, and what goes with the mode. */
void runner_begin(struct runner *r);
void runner_finish(struct runner *r);
/* Forgets all that was computed, and that rows are a way. */
void runner_drop(struct runner *r);

struct value *value_of(struct runner *r, const struct tf_node *node);
/* The dtype that elements of a type have in memory, in this mode. */
uint32_t held_dtype(const struct runner *r, const struct tf_type *type);
struct tensor *runner_tensor(struct runner *r, const struct tf_type *type);

/* All of these: 0, or TF_E_* after a diagnostic. */
int run_params(struct runner *r);                               /* params.c: their values */
int run_nodes(struct runner *r, uint32_t block);                /* nodes.c: a block of the schedule */
int run_operator(struct runner *r, const struct tf_node *node); /* operator.c */
int run_loop(struct runner *r, const struct tf_node *loop);     /* loop.c */
int run_const(struct runner *r, const struct tf_node *node);    /* number.c */
int run_number(struct runner *r, const struct tf_node *node, int64_t number);

/* by_rows.c: the end of it by blocks of rows.  *failed: some block could not be computed, and did not say why. */
int run_by_rows(struct runner *r, uint64_t rows, struct eval_result *result, int *failed);

#endif

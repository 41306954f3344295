/* SPDX-License-Identifier: MIT
 * What the parts of one run share: what it is of, and both sides' outputs.
 */
#ifndef TF_CHECK_TRIAL_H
#define TF_CHECK_TRIAL_H

#include "check/run.h"
#include "eval/run.h"

struct trial {
    tf_ctx *ctx;
    const struct check_job *job;
    const struct dim_binding *dims;
    size_t n_dims;
    const struct tf_function *function; /* inlined, its dimensions bound */
    const struct ir_function *inlined;  /* of which it is the public part */
    struct tensor_memory memory;
    struct tensor **params;
    struct leaves candidate, reference;
    struct run_finding *run;
    const char *stated; /* what the candidate itself declares of its arithmetic, or NULL */
    const char *stated_by;
};

/* Those that give a status: 0, CHECK_USAGE or CHECK_ERROR after a diagnostic. */

/* program.c: what is selected, bound to the dimensions that it has; tell: of the others.  NULL after a diagnostic. */
const struct ir_function *trial_inline(struct trial *t, const struct selection *selected, int tell);
/* shown.c */
int trial_show(struct trial *t);
/* candidate.c, reference.c: each fills its side's outputs */
int trial_candidate(struct trial *t);
int trial_reference(struct trial *t);
/* compare.c: the verdict */
int trial_compare(struct trial *t);
/* truth.c */
int trial_arbitrate(struct trial *t);

/* reference.c: outputs by the evaluator */
int trial_evaluate(
    struct trial *t, const struct tf_function *function, struct tensor *const *params, struct leaves *leaves);
int trial_reference_on(void *data, struct tensor *const *args, struct leaves *outputs); /* data: the trial */
/* What was evaluated as outputs; frees the result. */
int trial_keep(struct trial *t, const struct tf_function *function, int refused, struct eval_result *result,
    struct leaves *leaves);
/* "Fused.rms_norm_quant"; below a child the root is not said: "c.f" */
const char *trial_name(struct trial *t, const struct ir_function *function);

/* enclose.c: what candidate and declaration say of the arithmetic */
int trial_declared(struct trial *t, struct tf_declared *declared);
/* What legal implementations can give, in blocks of rows where the program is one of rows, else as one block; in any case
 * into `whole` where that is asked for. */
int trial_enclose(struct trial *t, struct leaves *whole, eval_rows_fn *fn, void *data);
/* The candidate's tensors, by output. */
struct tensor **trial_delivered(struct trial *t);
/* Whole results as one block. */
int trial_hand_on(struct trial *t, const struct leaves *whole, eval_rows_fn *fn, void *data);
/* run.c: the element of an output that row `row` of n_rows begins with */
uint64_t trial_part(const struct trial *t, size_t output, uint64_t row, uint64_t n_rows);

#endif

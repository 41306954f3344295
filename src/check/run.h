/* SPDX-License-Identifier: MIT
 * One run: the candidate's outputs, the reference's, and what the comparisons say of them.
 */
#ifndef TF_CHECK_RUN_H
#define TF_CHECK_RUN_H

#include "check/backend.h"
#include "eval/inputs.h"
#include "front/front.h"

/* What is run is the same for all combinations of --dim. */
struct check_job {
    struct selection selected;
    const char *inputs;      /* as typed; NULL: there are none */
    const char *input_class; /* see run_finding */
    struct input_plan plan;
    const char *const *actual, *const *expected; /* files, of the candidate's and of the reference's outputs */
    size_t n_actual, n_expected;
    const char *twin; /* as typed, or NULL */
    int is_lowered;   /* the candidate is the program itself, lowered as `lowering` says */
    struct lowering_request lowering;
    struct request request;
    struct twin_options twin_options;
    const char *declared; /* what --declare says of the candidate's arithmetic, or NULL */
    int arbiter;          /* also compute the truth, and hold both sides to it */
    const char *explain;  /* as typed: OUTPUT or OUTPUT=I,J; NULL: not asked for */
};

/* front_load for a candidate or a reference, which also says what to do about an implementation in Python. */
int check_load(tf_ctx *ctx, const char *source, struct selection *selection);
/* Whether the job computes anything, and so needs inputs. */
int check_needs_inputs(const struct check_job *job);
/* Inputs are of several classes by --inputs all, and each is a run: how many there are, and the job of one. */
size_t check_classes(const struct check_job *job);
struct check_job check_of_class(tf_ctx *ctx, const struct check_job *job, size_t which);
/* 0 or CHECK_USAGE after a diagnostic.  A run that ends in an error is one whose verdict is ERROR, beside its diagnostic:
 * others can go on.  What `run` points to is in the context's memory. */
int check_run_or_error(
    tf_ctx *ctx, const struct check_job *job, const struct dim_binding *dims, size_t n_dims, struct run_finding *run);

/* Tensor files as outputs: by the names that `eval -o` gives them, else in their order (files.c). */
int leaves_from_files(tf_ctx *ctx, struct tensor_memory *memory, const char *const *files, size_t n,
    const struct leaves *named, struct leaves *leaves);
/* What the files of --inputs files: hold. */
int files_shown(tf_ctx *ctx, const struct input_plan *plan, struct run_finding *run);
void leaves_release(struct leaves *leaves);

#endif

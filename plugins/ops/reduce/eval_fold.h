/* SPDX-License-Identifier: MIT
 * Folding: each element of a result is made from the source's elements along some axes, which are handed over in runs,
 * in row-major order, as numbers of C.  What is made of them is the caller's.
 */
#ifndef TF_OPS_EVAL_FOLD_H
#define TF_OPS_EVAL_FOLD_H

#include "reduce.h"

#include "arraykit.h"

/* As what the source's elements are handed over.  A key is an integer in the order of the values: -0 equals +0, and NaN
 * comes last. */
enum fold_lane { FOLD_F32, FOLD_F64, FOLD_I64, FOLD_KEY };

struct fold {
    tf_ctx *ctx;
    const struct tf_eval *eval;
    enum fold_lane lane;
    size_t count; /* elements that each result is made from; fold_run sets it */
    void *states; /* FOLD_COLUMNS of them: results are made several at a time */
    size_t state_size;
    void (*start)(const struct fold *fold, void *state);
    void (*feed)(const struct fold *fold, void *state, const void *run, size_t n);
    int (*finish)(const struct fold *fold, void *state, size_t at); /* at: of the result, in row-major order */
};

#define FOLD_COLUMNS 64

/* Over the axes of the set, of argument 0. */
int fold_run(struct fold *fold, uint64_t axes);

#endif

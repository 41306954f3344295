/* SPDX-License-Identifier: MIT
 * Running a function: each node computed by its operator's eval, regions and placements looked through, loops as written.
 */
#ifndef TF_EVAL_RUN_H
#define TF_EVAL_RUN_H

#include "eval/tensor.h"
#include "ir/ir.h"

struct eval_result {
    uint32_t n;
    struct tensor **leaves; /* held; the caller releases them with eval_result_free */
};

/* The function is one that ir_inline made; params has a tensor of its type for each parameter.  0, or TF_E_* after a
 * diagnostic. */
int eval_function(tf_ctx *ctx, const struct tf_function *function, struct tensor *const *params,
    struct tensor_memory *memory, uint32_t fp8_overflow, struct eval_result *result);
/* The truth: the same in real arithmetic as far as f64 goes, without the roundings that the program states.  Floats of the
 * result are f64. */
int eval_exact(tf_ctx *ctx, const struct tf_function *function, struct tensor *const *params,
    struct tensor_memory *memory, struct eval_result *result);
void eval_result_free(struct eval_result *result);

#endif

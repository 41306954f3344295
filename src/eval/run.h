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
/* What a candidate is held to. */
struct bound_request {
    const struct tf_declared *declared;
    uint32_t fp8_overflow;
    struct tensor *const *delivered; /* the candidate's leaves in the result's order, each may be NULL; or NULL */
    struct tf_walks *walks;          /* added to, or NULL */
    /* told of each operator when its enclosure is there, and its arguments still are; or NULL */
    void (*watch)(void *watched, const struct tf_node *node, const struct tf_eval *eval);
    void *watched;
};
/* The enclosure of every legal result, element by element (TF_EVAL_BOUND): of the result's tensors, dtype is the declared
 * one, data the lower ends in f64, bound the upper ones.  A result that other nodes use is judged as it is, and stands for
 * its enclosure in them as it was delivered, where that lies inside. */
int eval_bound(tf_ctx *ctx, const struct tf_function *function, struct tensor *const *params,
    struct tensor_memory *memory, const struct bound_request *request, struct eval_result *result);
/* What holds where a candidate declares nothing. */
struct tf_declared declared_default(void);

/* The same in blocks of rows, so that no value of the mode is ever whole: rows [first, end) of each result's n_rows, which
 * are equal parts of its elements.  Not 0 ends it. */
typedef int eval_rows_fn(
    void *data, uint64_t first, uint64_t end, uint64_t n_rows, const struct tf_tensor *const *results);
/* mode: EXACT, or BOUND with a request.  rows: of a block, or 0 for as many as suit.  TF_E_UNSUPPORTED without a diagnostic where the function is not one of rows, what
 * fn gives, or TF_E_* after a diagnostic. */
int eval_rows(tf_ctx *ctx, const struct tf_function *function, struct tensor *const *params,
    struct tensor_memory *memory, uint32_t mode, const struct bound_request *request, uint64_t rows, eval_rows_fn *fn,
    void *data);
/* eval_function with blocks of so many rows wherever rows are a way, or, for 0, with none: for tests. */
int eval_function_by(tf_ctx *ctx, const struct tf_function *function, struct tensor *const *params,
    struct tensor_memory *memory, uint32_t fp8_overflow, uint64_t rows, struct eval_result *result);

/* What an operator is told in BOUND mode; and why one was not computed, which gave no reason. */
void bound_eval_init(struct tf_eval *eval, const struct bound_request *request, const struct tf_function *function,
    const struct tf_node *node);
void eval_explain(tf_ctx *ctx, const struct tf_node *node, const char *plugin, uint32_t mode, int rc);
void eval_result_free(struct eval_result *result);

#endif

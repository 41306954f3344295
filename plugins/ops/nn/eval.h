/* SPDX-License-Identifier: MIT
 * Values of the operators of ops-nn.
 */
#ifndef TF_OPS_NN_EVAL_H
#define TF_OPS_NN_EVAL_H

#include "evalkit.h"

#define CODE_POSITION "position-range"

enum activation {
    ACTIVATION_RELU,
    ACTIVATION_SIGMOID,
    ACTIVATION_TANH,
    ACTIVATION_SILU,
    ACTIVATION_GELU_BY_TANH,
    ACTIVATION_GELU_BY_ERF
};

/* TF_EVAL_BOUND */
int bound_matmul(tf_ctx *ctx, const struct tf_eval *e);
int bound_activation(tf_ctx *ctx, const struct tf_eval *e, enum activation which);
int bound_softmax(tf_ctx *ctx, const struct tf_eval *e, uint32_t axis);
int bound_norm(tf_ctx *ctx, const struct tf_eval *e, size_t n, double eps, int centred);
int bound_conv2d(tf_ctx *ctx, const struct tf_eval *e);
int bound_rope(tf_ctx *ctx, const struct tf_eval *e);

/* Which matrix of an operand the batch-th of the result is made of. */
size_t matmul_matrix_of(const struct tf_tensor *operand, const struct tf_tensor *result, size_t batch);
/* The product in f64, in no stated order; TF_E_UNSUPPORTED where it is left to eval_matmul. */
int matmul_by_blas(const struct tf_eval *e, const double *a, const double *b, double *to);
int eval_matmul(tf_ctx *ctx, const struct tf_eval *eval);
int eval_conv2d(tf_ctx *ctx, const struct tf_eval *eval);
int eval_relu(tf_ctx *ctx, const struct tf_eval *eval);
int eval_silu(tf_ctx *ctx, const struct tf_eval *eval);
int eval_sigmoid(tf_ctx *ctx, const struct tf_eval *eval);
int eval_tanh(tf_ctx *ctx, const struct tf_eval *eval);
int eval_gelu(tf_ctx *ctx, const struct tf_eval *eval);
int eval_softmax(tf_ctx *ctx, const struct tf_eval *eval);
int eval_rms_norm(tf_ctx *ctx, const struct tf_eval *eval);
int eval_layer_norm(tf_ctx *ctx, const struct tf_eval *eval);
/* How an operand of rope is counted: rows by the third axis from the end, of two axes by the first; heads lie between
 * them and the columns. */
struct rope_rows {
    size_t rows, heads;
};
struct rope_rows rope_rows_of(const struct tf_eval *e, uint32_t arg);
/* Number of the row that a position names, in both tables; -1 after a diagnostic. */
int64_t rope_table_row(tf_ctx *ctx, const struct tf_eval *e, size_t position);
int eval_rope(tf_ctx *ctx, const struct tf_eval *eval);

#endif

/* SPDX-License-Identifier: MIT
 * Values of the operators of ops-nn.
 */
#ifndef TF_OPS_NN_EVAL_H
#define TF_OPS_NN_EVAL_H

#include "evalkit.h"

#define CODE_POSITION "position-range"

int bound_matmul(tf_ctx *ctx, const struct tf_eval *e);
/* Which matrix of an operand the batch-th of the result is made of. */
size_t matmul_matrix_of(const struct tf_tensor *operand, const struct tf_tensor *result, size_t batch);
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
int eval_rope(tf_ctx *ctx, const struct tf_eval *eval);

#endif

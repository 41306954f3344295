/* SPDX-License-Identifier: MIT
 * Values of the operators of ops-math.
 */
#ifndef TF_OPS_MATH_EVAL_H
#define TF_OPS_MATH_EVAL_H

#include "evalkit.h"

#define CODE_ZERO_DIVISOR "zero-divisor"

int eval_binary(tf_ctx *ctx, const struct tf_eval *eval);
int eval_unary(tf_ctx *ctx, const struct tf_eval *eval);
int eval_clamp(tf_ctx *ctx, const struct tf_eval *eval);
int eval_softplus(tf_ctx *ctx, const struct tf_eval *eval);
int eval_cast(tf_ctx *ctx, const struct tf_eval *eval);
int eval_where(tf_ctx *ctx, const struct tf_eval *eval);

#endif

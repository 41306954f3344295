/* SPDX-License-Identifier: MIT
 * Enclosures of the operators of ops-math: what TF_EVAL_BOUND asks of those with floats.
 */
#ifndef TF_OPS_MATH_BOUND_H
#define TF_OPS_MATH_BOUND_H

#include "boundsteps.h"

int bound_binary(const struct tf_eval *e);
int bound_unary(tf_ctx *ctx, const struct tf_eval *e);
int bound_softplus(tf_ctx *ctx, const struct tf_eval *e);
int bound_cast(const struct tf_eval *e);
int bound_clamp(const struct tf_eval *e, const double bounds[2]); /* infinite where there is none */
int bound_where(const struct tf_eval *e);

#endif

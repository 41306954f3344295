/* SPDX-License-Identifier: MIT
 * Elementwise operators of the plugin ops-math: one file a family.
 */
#ifndef TF_OPS_MATH_ELEMENTWISE_H
#define TF_OPS_MATH_ELEMENTWISE_H

#include "opkit.h"

extern const struct tf_op op_binary, op_unary, op_clamp, op_softplus, op_cast, op_where;

/* One flop of the result's dtype an element, outside the tensor cores. */
int cost_per_result(tf_ctx *ctx, const struct tf_call *call, struct tf_work *work);

#endif

/* SPDX-License-Identifier: MIT
 * Enclosures of the operators of ops-reduce: what TF_EVAL_BOUND asks of those with floats.
 */
#ifndef TF_OPS_REDUCE_BOUND_REDUCE_H
#define TF_OPS_REDUCE_BOUND_REDUCE_H

#include "boundsteps.h"
#include "reduce.h"

int reduce_bound_reduce(tf_ctx *ctx, const struct tf_eval *e, uint64_t axes); /* over the axes of the set */
int reduce_bound_argmax(const struct tf_eval *e, uint32_t axis);
int reduce_bound_topk(const struct tf_eval *e, uint32_t axis, int largest, int sorted);
int reduce_bound_index_select(tf_ctx *ctx, const struct tf_eval *e, uint32_t axis);
int reduce_bound_index_add(tf_ctx *ctx, const struct tf_eval *e, uint32_t axis);
int reduce_bound_quant(const struct tf_eval *e);

#endif

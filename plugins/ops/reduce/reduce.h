/* SPDX-License-Identifier: MIT
 * The operators of the reduce family, one row for each: what gathers, selects and sums along an axis.
 */
#ifndef TF_OPS_REDUCE_H
#define TF_OPS_REDUCE_H

#include "shapekit.h"

#define OK_CODE_EMPTY "no-axes"
#define OK_CODE_GROUP "group-size"
#define OK_CODE_INDEX "index-range"
#define OK_CODE_NOTHING "empty-axis"

#define REDUCE_OPS(X)                                                                                                  \
    X(reduce)                                                                                                          \
    X(argmax)                                                                                                          \
    X(topk)                                                                                                            \
    X(index_select)                                                                                                    \
    X(index_add)                                                                                                       \
    X(index_copy)                                                                                                      \
    X(quant)

#define X(name) extern const struct tf_op reduce_##name;
REDUCE_OPS(X)
#undef X

#define X(name) int reduce_eval_##name(tf_ctx *ctx, const struct tf_eval *eval);
REDUCE_OPS(X)
#undef X

#endif

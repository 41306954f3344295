/* SPDX-License-Identifier: MIT
 * The operators of the shape family, one row for each: how a value is cut, joined, turned, made.
 */
#ifndef TF_OPS_SHAPE_H
#define TF_OPS_SHAPE_H

#include "shapekit.h"

#define SHAPE_OPS(X)                                                                                                   \
    X(reshape)                                                                                                         \
    X(transpose)                                                                                                       \
    X(concat)                                                                                                          \
    X(stack)                                                                                                           \
    X(split)                                                                                                           \
    X(slice)                                                                                                           \
    X(insert_slice)                                                                                                    \
    X(repeat_interleave)                                                                                               \
    X(tuple_get_item)                                                                                                  \
    X(shape_of)                                                                                                        \
    X(rank)                                                                                                            \
    X(zeros)                                                                                                           \
    X(arange)                                                                                                          \
    X(full_like)                                                                                                       \
    X(cache_update)

#define X(name) extern const struct tf_op shape_##name;
SHAPE_OPS(X)
#undef X

#define X(name) int shape_eval_##name(tf_ctx *ctx, const struct tf_eval *eval);
SHAPE_OPS(X)
#undef X

#endif

/* SPDX-License-Identifier: MIT
 * Operators of the plugin ops-nn: one file a family.
 */
#ifndef TF_OPS_NN_NN_H
#define TF_OPS_NN_NN_H

#include "opkit.h"

extern const struct tf_op op_matmul, op_conv2d;
extern const struct tf_op op_relu, op_silu, op_sigmoid, op_tanh, op_gelu;
extern const struct tf_op op_softmax, op_rms_norm, op_layer_norm, op_rope;

/* A convolution as its call says it, once checked. */
struct conv {
    const struct tf_type *input, *weight, *bias;
    int64_t stride[2], padding[2], dilation[2], groups, kernel[2];
    int64_t outputs_a_group; /* 0 where the output channels are open */
};

/* Which mesh axes may divide what, and that the partial sums of product and bias are the same (conv2d_shard.c). */
int conv_check_shards(tf_ctx *ctx, const struct tf_call *call, const struct conv *conv);

#endif

/* SPDX-License-Identifier: MIT */
#include "boundsteps.h"
#include "nn.h"
#include "eval.h"

static const struct tf_op *const ops[] = {&op_matmul, &op_conv2d, &op_relu, &op_silu, &op_sigmoid, &op_tanh, &op_gelu,
    &op_softmax, &op_rms_norm, &op_layer_norm, &op_rope};

static const struct tf_code codes[] = {
    {BK_CODE, "no bound is known of sums in the accumulator that a candidate declares"},
    {BK_CODE_OPEN, "what picks out rows is not known to a single value, so that there is no bound"},
    {OK_CODE_AXIS, "an axis that the operand does not have"},
    {OK_CODE_DTYPE, "two operands have different dtypes; nothing is promoted"},
    {OK_CODE_INTEGER, "an operator without an integer result is applied to integers or truths"},
    {OK_CODE_OPERAND, "an operand has a dtype that the operator is not for"},
    {OK_CODE_PARTIAL, "an operand still waits for a reduction over the mesh that the operator does not commute with"},
    {OK_CODE_RANK, "an operand has a number of axes that the operator is not for"},
    {OK_CODE_SHAPE, "the shapes of the operands do not go together"},
    {OK_CODE_SPLIT, "an axis that one unit needs whole, or needs alike in two operands, is divided over the mesh"},
    {OK_CODE_TUPLE, "a tuple stands where a tensor is expected"},
    {"conv-attribute", "a stride, padding, dilation or group count of conv2d that it cannot have"},
    {"open-extent", "an extent has to be known here and depends on a DimVar"},
    {CODE_POSITION, "rope is told a position that its tables have no row for"},
    {"product-dtype", "a dtype that a product of the operands cannot be given"},
};

static const struct tf_plugin plugin = {
    TF_PLUGIN_HEAD,
    .name = "ops-nn",
    .version = "1.0",
    .summary = "products, convolution, activations, softmax, normalisations and rotary embedding",
    .n_ops = OK_COUNT(ops),
    .ops = ops,
    .n_codes = OK_COUNT(codes),
    .codes = codes,
};

TF_PLUGIN(plugin);

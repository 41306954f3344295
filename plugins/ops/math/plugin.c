/* SPDX-License-Identifier: MIT */
#include "elementwise.h"
#include "eval.h"

static const struct tf_op *const ops[] = {&op_binary, &op_unary, &op_clamp, &op_softplus, &op_cast, &op_where};

static const struct tf_code codes[] = {
    {"clamp-bound", "bounds of clamp without a meaning: none at all, or for integers a fraction or no number"},
    {OK_CODE_DTYPE, "two operands have different dtypes; nothing is promoted"},
    {OK_CODE_INTEGER, "an operator without an integer result is applied to integers or truths"},
    {OK_CODE_OPERAND, "an operand has a dtype that the operator is not for"},
    {OK_CODE_PARTIAL, "an operand still waits for a reduction over the mesh that the operator does not commute with"},
    {OK_CODE_SHAPE, "the shapes of the operands do not go together"},
    {OK_CODE_TUPLE, "a tuple stands where a tensor is expected"},
    {CODE_ZERO_DIVISOR, "an integer is divided by 0"},
    {"condition-sharding", "the condition of where is divided otherwise than its branches"},
};

static const struct tf_plugin plugin = {
    TF_PLUGIN_HEAD,
    .name = "ops-math",
    .version = "1.0",
    .summary = "elementwise arithmetic, comparisons, functions, conversions and selection",
    .n_ops = OK_COUNT(ops),
    .ops = ops,
    .n_codes = OK_COUNT(codes),
    .codes = codes,
};

TF_PLUGIN(plugin);

/* SPDX-License-Identifier: MIT */
#include "shape.h"

#include "arraykit.h"

static const struct tf_op *const ops[] = {
#define X(name) &shape_##name,
    SHAPE_OPS(X)
#undef X
};

static const struct tf_code codes[] = {
    {OK_CODE_VALUE, "an attribute has a value that the operator does not take"},
    {OK_CODE_AXIS, "an axis is named that the value does not have"},
    {OK_CODE_COUNT, "a reshape asks for another number of elements"},
    {OK_CODE_DTYPE, "operands that must have one dtype have several"},
    {OK_CODE_LAYOUT, "the operand's sharding cannot be said of the result"},
    {OK_CODE_OPERAND, "an operand has a dtype that the operator does not take"},
    {OK_CODE_PARTIAL, "a partial value reaches an operator that it does not pass through"},
    {OK_CODE_PERMUTATION, "a permutation does not name each axis once"},
    {OK_CODE_RANK, "an operand or a result has too many or too few axes"},
    {OK_CODE_SHAPE, "operands do not have shapes that go together"},
    {OK_CODE_SPLIT, "an axis that is needed whole is split over the mesh"},
    {OK_CODE_TUPLE, "a tuple stands where a tensor is expected, or the other way round"},
    {OK_CODE_TUPLE_INDEX, "a tuple has no item of that index"},
    {AK_CODE_VALUE_RANGE, "a number that evaluation comes to does not fit the result's integer dtype"},
    {OK_CODE_WINDOW, "a window does not lie in the value, or its start is not a rank-0 integer for each axis"},
};

static const struct tf_plugin plugin = {TF_PLUGIN_HEAD, .name = "ops-shape", .version = "1.0",
    .summary = "operators that cut, join, turn and make values", .n_ops = OK_COUNT(ops), .ops = ops,
    .n_codes = OK_COUNT(codes), .codes = codes};

TF_PLUGIN(plugin);

/* SPDX-License-Identifier: MIT */
#include "boundsteps.h"
#include "reduce.h"

#include "arraykit.h"

static const struct tf_op *const ops[] = {
#define X(name) &reduce_##name,
    REDUCE_OPS(X)
#undef X
};

static const struct tf_code codes[] = {
    {BK_CODE_OPEN, "what picks out rows is not known to a single value, so that there is no bound"},
    {BK_CODE, "no bound is known of sums in the accumulator that a candidate declares"},
    {OK_CODE_VALUE, "an attribute has a value that the operator does not take"},
    {OK_CODE_AXIS, "an axis is named that the value does not have, or one is named twice"},
    {OK_CODE_DTYPE, "operands that must have one dtype have several"},
    {OK_CODE_GROUP, "a row does not divide into whole groups, or a split cuts one"},
    {OK_CODE_INTEGER, "an operator that needs real numbers is given integers or bool"},
    {OK_CODE_LAYOUT, "the operand's sharding cannot be said of the result"},
    {OK_CODE_INDEX, "evaluation meets a row number that the axis does not have"},
    {OK_CODE_NOTHING, "evaluation seeks the largest of no elements"},
    {OK_CODE_EMPTY, "a reduction names no axis"},
    {OK_CODE_OPERAND, "an operand has a dtype that the operator does not take"},
    {OK_CODE_PARTIAL, "a partial value reaches an operator that it does not pass through"},
    {OK_CODE_RANK, "an operand has too many or too few axes"},
    {OK_CODE_SHAPE, "operands do not have shapes that go together"},
    {OK_CODE_SPLIT, "an axis that is needed whole is split over the mesh"},
    {OK_CODE_TUPLE, "a tuple stands where a tensor is expected"},
    {AK_CODE_VALUE_RANGE, "a number that evaluation comes to does not fit the result's integer dtype"},
};

static const struct tf_plugin plugin = {TF_PLUGIN_HEAD, .name = "ops-reduce", .version = "1.0",
    .summary = "operators that gather, select and sum along an axis", .n_ops = OK_COUNT(ops), .ops = ops,
    .n_codes = OK_COUNT(codes), .codes = codes};

TF_PLUGIN(plugin);

/* SPDX-License-Identifier: MIT */
#include "placement.h"

static const struct tf_op *const ops[] = {&op_reshard, &op_local, &op_meshcoord};

static const struct tf_code codes[] = {
    {"local-layout", "local of a value that is not laid out over a mesh"},
    {"mesh-not-in-force", "a mesh coordinate is asked for outside its mesh"},
    {PLACE_CODE_UNIT, "evaluation meets what only one of several units has"},
    {"placement-extents", "the extents of a placement are not the value's"},
    {"placement-share", "an extent cannot be divided among the units that share it"},
    {"placement-split", "a split names a position that its layout does not have"},
    {"reshard-layout", "reshard changes the storage without saying how the value is laid out there"},
    {"reshard-umat", "reshard into umat, which is no storage"},
    {OK_CODE_AXIS, "a mesh axis that the mesh does not have"},
    {OK_CODE_OPERAND, "an operand has a dtype that the operator is not for"},
    {OK_CODE_RANK, "an operand has a rank that the operator is not for"},
    {OK_CODE_TUPLE, "a tuple stands where a tensor is expected"},
};

static const struct tf_plugin plugin = {
    TF_PLUGIN_HEAD,
    .name = "ops-placement",
    .version = "1.0",
    .summary = "moving values between storages and units, and asking which unit this is",
    .n_ops = OK_COUNT(ops),
    .ops = ops,
    .n_codes = OK_COUNT(codes),
    .codes = codes,
};

TF_PLUGIN(plugin);

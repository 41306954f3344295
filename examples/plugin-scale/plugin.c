/* SPDX-License-Identifier: MIT */
#include "scale.h"

static const struct tf_op *const ops[] = {&op_scale};
static const struct tf_analyzer *const analyzers[] = {&analyzer_census};
static const struct tf_code codes[] = {
    {"scale-operand", "scale is for tensors of floating-point numbers"},
    {"scale-partial", "scale does not commute with the reduction that its operand waits for"},
};

static const struct tf_plugin plugin = {
    TF_PLUGIN_HEAD,
    .name = "plugin-scale",
    .version = "1.0",
    .summary = "an example: the operator scale and the analyzer census",
    .n_ops = 1,
    .ops = ops,
    .n_analyzers = 1,
    .analyzers = analyzers,
    .n_codes = 2,
    .codes = codes,
};

TF_PLUGIN(plugin);

/* SPDX-License-Identifier: MIT
 * cpu-c: the descriptor.
 */
#include "cpu_c.h"

static const char *const targets[] = {"*", NULL};

static const struct tf_backend backend = {
    .struct_size = sizeof(backend),
    .name = "cpu-c",
    .summary = "portable C17 for the processors of this machine",
    .targets = targets,
    .supports = cpu_c_supports,
    .lower = cpu_c_lower,
    .declares = cpu_c_declares,
};
static const struct tf_backend *const backends[] = {&backend};

static const struct tf_code codes[] = {
    {"cpu-c-operator", "the backend cpu-c has no code for this operator, or not for these operands"},
};

static const struct tf_plugin plugin = {
    TF_PLUGIN_HEAD,
    .name = "cpu-c",
    .version = "0.1",
    .summary = "kernels in portable C",
    .n_backends = 1,
    .backends = backends,
    .n_codes = sizeof(codes) / sizeof(*codes),
    .codes = codes,
};

TF_PLUGIN(plugin);

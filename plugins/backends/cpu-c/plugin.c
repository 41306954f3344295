/* SPDX-License-Identifier: MIT
 * cpu-c: the descriptor.
 */
#include "run.h"

static const char *const targets[] = {"*", NULL};

static const struct tf_backend backend = {
    .struct_size = sizeof(backend),
    .name = "cpu-c",
    .summary = "portable C17 for the processors of this machine",
    .targets = targets,
    .supports = cpu_c_supports,
    .lower = cpu_c_lower,
    .compile = cpu_c_compile,
    .launch = cpu_c_launch,
    .time = cpu_c_time,
    .release = cpu_c_release,
    .probe = cpu_c_probe,
    .measure = cpu_c_measure,
    .calibrate = cpu_c_calibrate,
    .declares = cpu_c_declares,
};
static const struct tf_backend *const backends[] = {&backend};

static const struct tf_code codes[] = {
    {CACHE_UNSAFE, "the directory for compiled kernels may be written to by others"},
    {NO_COMPILER, "no C compiler can be run"},
    {NOT_COMPILED, "the C compiler refuses a kernel, or was ended"},
    {NOT_LOADED, "a compiled kernel cannot be loaded"},
    {"cpu-c-operator", "the backend cpu-c has no code for this operator, or not for these operands"},
    {KERNEL_REFUSED, "a kernel gave something other than 0"},
};

static const struct tf_plugin plugin = {
    TF_PLUGIN_HEAD,
    .name = "cpu-c",
    .version = CPU_C_VERSION,
    .summary = "kernels in portable C",
    .n_backends = 1,
    .backends = backends,
    .n_codes = sizeof(codes) / sizeof(*codes),
    .codes = codes,
};

TF_PLUGIN(plugin);

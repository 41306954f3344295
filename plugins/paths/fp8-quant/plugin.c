/* SPDX-License-Identifier: MIT
 * fp8-quant: the descriptor.
 */
#include "quant.h"

static const char *const backends[] = {"cpu-c", NULL};
static const struct tf_path path = {
    .struct_size = sizeof(path),
    .name = "fp8-quant",
    .summary = "rows, blocks or the whole quantised to fp8 by their largest magnitude, codes and scales returned",
    .backends = backends,
    .match = quant_match,
    .eval = quant_eval,
    .lower = quant_lower,
    .declares = quant_declares,
    .why = quant_why,
};
static const struct tf_path *const paths[] = {&path};
static const struct tf_plugin plugin = {
    TF_PLUGIN_HEAD,
    .name = "fp8-quant",
    .version = "1.0",
    .summary = "quantisation to eight-bit floats in one pass",
    .n_paths = 1,
    .paths = paths,
};

TF_PLUGIN(plugin);

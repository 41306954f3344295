/* SPDX-License-Identifier: MIT
 * fused-norm: the descriptor.
 */
#include "rows.h"

static const char *const backends[] = {"cpu-c", "cuda-h200", NULL};
static const struct tf_path path = {
    .struct_size = sizeof(path),
    .name = "fused-norm",
    .summary = "rows brought to root mean square 1, or to mean 0 and variance 1, and quantised or not",
    .backends = backends,
    .match = norm_match,
    .eval = norm_eval,
    .lower = norm_lower,
    .declares = norm_declares,
    .why = norm_why,
};
static const struct tf_path *const paths[] = {&path};
static const struct tf_code codes[] = {{"rows-override", "what $TILEFOUNDRY_ROWS says does not go with the rows"}};
static const struct tf_plugin plugin = {
    TF_PLUGIN_HEAD,
    .name = "fused-norm",
    .version = "1.0",
    .summary = "normalisation of rows in one pass, quantised or not",
    .n_paths = 1,
    .paths = paths,
    .n_codes = sizeof(codes) / sizeof(*codes),
    .codes = codes,
};

TF_PLUGIN(plugin);

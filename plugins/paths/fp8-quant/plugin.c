/* SPDX-License-Identifier: MIT
 * fp8-quant: the descriptor.
 */
#include "quant.h"

#include <string.h>

static int lower(tf_ctx *ctx, void *match, const char *backend, struct tf_artifact *artifact)
{
    return strcmp(backend, "cuda-h200") == 0 ? quant_lower_cuda(ctx, match, artifact)
                                             : quant_lower(ctx, match, backend, artifact);
}

static const char *const backends[] = {"cpu-c", "cuda-h200", NULL};
static const struct tf_path path = {
    .struct_size = sizeof(path),
    .name = "fp8-quant",
    .summary = "rows, blocks or the whole quantised to fp8 by their largest magnitude, codes and scales returned",
    .backends = backends,
    .match = quant_match,
    .eval = quant_eval,
    .lower = lower,
    .declares = quant_declares,
    .why = quant_why,
};
static const struct tf_path *const paths[] = {&path};
static const struct tf_code codes[] = {{"rows-override", "what $TILEFOUNDRY_ROWS says does not go with the rows"}};
static const struct tf_plugin plugin = {
    TF_PLUGIN_HEAD,
    .name = "fp8-quant",
    .version = "1.0",
    .summary = "quantisation to eight-bit floats in one pass",
    .n_paths = 1,
    .paths = paths,
    .n_codes = sizeof(codes) / sizeof(*codes),
    .codes = codes,
};

TF_PLUGIN(plugin);

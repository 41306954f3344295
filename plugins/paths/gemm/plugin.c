/* SPDX-License-Identifier: MIT
 * gemm: the descriptor.
 */
#include "gemm.h"

static const char *const backends[] = {"cpu-c", NULL};
static const struct tf_path gemm = {
    .struct_size = sizeof(gemm),
    .name = "gemm",
    .summary = "a product of matrices and what follows it element by element, summed in f64 as the operators are",
    .backends = backends,
    .match = gemm_match,
    .eval = gemm_eval,
    .lower = gemm_lower,
    .declares = gemm_declares,
    .why = gemm_why,
};
static const struct tf_path gemm_f32 = {
    .struct_size = sizeof(gemm_f32),
    .name = "gemm-f32",
    .summary = "as gemm, with sums of f32 in an order of its own: twice as quick, within what it declares",
    .backends = backends,
    .match = gemm_match,
    .eval = gemm_eval,
    .lower = gemm_lower_f32,
    .declares = gemm_declares_f32,
    .why = gemm_why,
};
static const struct tf_path *const paths[] = {&gemm, &gemm_f32};
static const struct tf_plugin plugin = {
    TF_PLUGIN_HEAD,
    .name = "gemm",
    .version = "1.0",
    .summary = "products of matrices with their scales, biases and activations in one pass",
    .n_paths = 2,
    .paths = paths,
};

TF_PLUGIN(plugin);

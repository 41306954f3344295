/* SPDX-License-Identifier: MIT
 * --explain OUTPUT[=I,J].
 */
#ifndef TF_CHECK_EXPLAIN_H
#define TF_CHECK_EXPLAIN_H

#include "check/check.h"
#include "eval/run.h"

struct explain_request {
    const char *asked; /* as typed */
    const struct tf_function *function;
    struct tensor *const *params;
    struct tensor_memory *memory;
    const struct bound_request *bound;
    const struct leaves *candidate, *reference; /* reference: without leaves where there is none */
};

/* Fills `explained` of the output that is asked for; 0, CHECK_USAGE or CHECK_ERROR after a diagnostic. */
int explain(tf_ctx *ctx, const struct explain_request *request, struct output_finding *outputs);

#endif

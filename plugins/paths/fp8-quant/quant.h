/* SPDX-License-Identifier: MIT
 *
 * Quantisation of groups along the last axis to eight-bit floats: what a match says, and its two halves.
 */
#ifndef FP8_QUANT_H
#define FP8_QUANT_H

#include <tilefoundry/plugin.h>

#include <stddef.h>

/* scale = max(amax * factor or amax / factor, floor); code = clamp(x / scale, -limit, limit). */
struct quant {
    const struct tf_program *program;
    const struct tf_node *x;
    uint32_t codes; /* dtype of the codes */
    int divides;    /* the scale is a quotient */
    int has_floor;
    float factor, floor;
    size_t groups, length;
};

int quant_match(tf_ctx *ctx, const struct tf_program *program, void **match);
int quant_eval(tf_ctx *ctx, void *match, const struct tf_eval *eval);
int quant_lower(tf_ctx *ctx, void *match, const char *backend, struct tf_artifact *artifact);

static inline float quant_limit(const struct quant *q)
{
    return q->codes == TF_DTYPE_FP8E4M3 ? 448.0f : 57344.0f;
}

#endif

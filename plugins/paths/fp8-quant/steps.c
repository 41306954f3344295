/* SPDX-License-Identifier: MIT
 * Steps from the largest magnitude to the scale, as C and CUDA write them alike.
 */
#include "quant.h"

const char *quant_step_text(tf_ctx *ctx, const struct quant_step *step, uint32_t i)
{
    const char *number = pk_f32(ctx, step->number);
    switch (step->kind) {
    case STEP_MUL: return tf_host->format(ctx, "v%u * %s", i, number);
    case STEP_DIV: return tf_host->format(ctx, "v%u / %s", i, number);
    case STEP_FLOOR: return tf_host->format(ctx, "v%u < %s ? %s : v%u", i, number, number, i);
    case STEP_POWER: return tf_host->format(ctx, "(float)exp2(ceil((double)(float)log2((double)v%u)))", i);
    case STEP_BF16: return tf_host->format(ctx, "f32_of_bf16(bf16_of_f32(v%u))", i);
    case STEP_ONE_ZERO: return tf_host->format(ctx, "v%u == 0.0f ? 1.0f : v%u", step->tested, i);
    case STEP_ONE_ELSE: return tf_host->format(ctx, "v%u > 0.0f ? v%u : 1.0f", step->tested, i);
    }
    return "";
}

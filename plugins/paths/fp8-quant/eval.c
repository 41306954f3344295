/* SPDX-License-Identifier: MIT
 *
 * The values of a quantisation, without its operators: one rounding to f32 for each step that is written.
 */
#include "quant.h"

/* NaN is the largest, as in the operators. */
static float amax(const float *x, size_t n)
{
    float most = 0.0f;
    for (size_t i = 0; i < n; i++) {
        float size = x[i] < 0.0f ? -x[i] : x[i];
        if (most == most && (size > most || size != size))
            most = size;
    }
    return most;
}

static float scale_of(const struct quant *q, const float *x)
{
    float most = amax(x, q->length), scale = q->divides ? most / q->factor : most * q->factor;
    return q->has_floor && scale < q->floor ? q->floor : scale;
}

int quant_eval(tf_ctx *ctx, void *match, const struct tf_eval *eval)
{
    const struct quant *q = match;
    if (eval->mode != TF_EVAL_DECLARED || eval->n_args != 1 || eval->n_results != 2)
        return TF_E_UNSUPPORTED;
    float *row = tf_host->alloc(ctx, q->length * sizeof(*row)), limit = quant_limit(q),
          *scales = eval->results[1]->data;
    uint32_t dtype = eval->args[0]->dtype;
    const char *from = eval->args[0]->data;
    char *to = eval->results[0]->data;
    for (size_t g = 0; g < q->groups; g++) {
        tf_host->load_f32(dtype, q->length, from + g * q->length * tf_host->element_bytes(dtype), row);
        scales[g] = scale_of(q, row);
        for (size_t i = 0; i < q->length; i++) {
            float x = row[i] / scales[g];
            row[i] = x > limit ? limit : x < -limit ? -limit : x;
        }
        tf_host->store_f32(q->codes, q->length, row, to + g * q->length, eval->fp8_overflow);
    }
    return TF_OK;
}

/* SPDX-License-Identifier: MIT
 *
 * The values of a quantisation, without its operators: one rounding to f32 for each step that is written.
 */
#include "quant.h"

#define PIECE ((size_t)256)

struct job {
    const struct quant *q;
    const struct tf_tensor *x;
    const struct tf_math *math;
    char *codes, *scales;
    size_t width; /* bytes of an element of x */
    uint32_t fp8_overflow;
};

/* NaN is the largest, as in the operators. */
static float larger(float most, const float *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        float size = x[i] < 0.0f ? -x[i] : x[i];
        most = size > most || size != size ? size : most;
        if (most != most)
            return most;
    }
    return most;
}

static float stepped(const struct job *job, const struct quant_step *step, const float *values, float v)
{
    const struct tf_math *m = job->math;
    uint16_t narrow;
    switch (step->kind) {
    case STEP_MUL: return v * step->number;
    case STEP_DIV: return v / step->number;
    case STEP_FLOOR: return v < step->number ? step->number : v;
    case STEP_POWER: return (float)m->exp2(m->ceil((double)(float)m->log2((double)v)));
    case STEP_ONE_ZERO: return values[step->tested] == 0.0f ? 1.0f : v;
    case STEP_ONE_ELSE: return values[step->tested] > 0.0f ? v : 1.0f;
    case STEP_BF16:
        tf_host->store_f32(TF_DTYPE_BF16, 1, &v, &narrow, 0);
        tf_host->load_f32(TF_DTYPE_BF16, 1, &narrow, &v);
        return v;
    }
    return v;
}

/* The codes of a piece, in place of its numbers. */
static void divide(const struct quant *q, const float *values, float *x, size_t n)
{
    float scale = values[q->n_steps], inverse = q->inverts ? q->numerator / values[q->inverted] : 0;
    float limit = q->clamps ? quant_limit(q->codes) : __builtin_inff();
    for (size_t i = 0; i < n; i++) {
        float quotient = q->inverts ? x[i] * inverse : x[i] / scale;
        x[i] = quotient > limit ? limit : quotient < -limit ? -limit : quotient;
    }
}

/* Visits the pieces of a group: without values, for its largest magnitude; with them, to write its codes. */
static float visit(const struct job *job, size_t group, const float *values)
{
    const struct quant *q = job->q;
    float piece[PIECE], most = 0;
    for (size_t row = 0; row < q->b; row++) {
        size_t start = ((group / q->c * q->b + row) * q->c + group % q->c) * q->d;
        for (size_t i = 0; i < q->d; i += PIECE) {
            size_t n = q->d - i < PIECE ? q->d - i : PIECE;
            tf_host->load_f32(job->x->dtype, n, (const char *)job->x->data + (start + i) * job->width, piece);
            if (!values) {
                most = larger(most, piece, n);
                continue;
            }
            divide(q, values, piece, n);
            tf_host->store_f32(q->codes, n, piece, job->codes + start + i, job->fp8_overflow);
        }
    }
    return most;
}

static void work(void *data, size_t first, size_t end)
{
    const struct job *job = data;
    const struct quant *q = job->q;
    for (size_t group = first; group < end; group++) {
        float values[QUANT_STEPS + 1] = {visit(job, group, NULL)};
        for (uint32_t i = 0; i < q->n_steps; i++)
            values[i + 1] = stepped(job, &q->steps[i], values, values[i]);
        (void)visit(job, group, values);
        tf_host->store_f32(
            q->stored, 1, &values[q->n_steps], job->scales + group * tf_host->element_bytes(q->stored), 0);
    }
}

int quant_eval(tf_ctx *ctx, void *match, const struct tf_eval *eval)
{
    const struct quant *q = match;
    if (eval->mode != TF_EVAL_DECLARED || eval->n_args != 1 || eval->n_results != 2)
        return TF_E_UNSUPPORTED;
    struct job job = {.q = q,
        .x = eval->args[0],
        .math = tf_host->math(ctx),
        .codes = eval->results[q->codes_at]->data,
        .scales = eval->results[q->scale_at]->data,
        .width = tf_host->element_bytes(eval->args[0]->dtype),
        .fp8_overflow = eval->fp8_overflow};
    if (!job.math)
        return TF_E_REFUSED;
    size_t elements = q->b * q->d, grain = elements > 65536 ? 1 : 65536 / elements;
    tf_host->parallel(q->a * q->c, grain, work, &job);
    return TF_OK;
}

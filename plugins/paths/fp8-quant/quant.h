/* SPDX-License-Identifier: MIT
 *
 * Quantisation of groups to eight-bit floats: what a match says, and what is made of it.
 */
#ifndef FP8_QUANT_H
#define FP8_QUANT_H

#include "pathkit.h"

/* What makes of one f32 value the next one, on the way from a group's largest magnitude (value 0) to its scale. */
enum quant_step_kind {
    STEP_MUL,      /* v * number */
    STEP_DIV,      /* v / number */
    STEP_FLOOR,    /* number where v is less; NaN stays */
    STEP_POWER,    /* exp2(ceil(log2(v))), each rounded to f32 */
    STEP_BF16,     /* v as bf16 holds it */
    STEP_ONE_ZERO, /* 1 where value `tested` is 0, else v */
    STEP_ONE_ELSE, /* v where value `tested` is above 0, else (NaN too) 1 */
};

struct quant_step {
    enum quant_step_kind kind;
    uint32_t tested;
    float number;
};

#define QUANT_STEPS 8u

/* The elements of x, in row-major order, are a x b x c x d of them; group (i, k) is the b x d elements [i][..][k][..],
 * and has scale i * c + k.  codes = x / scale, or x * (numerator / value `inverted`), clamped or not, rounded to the
 * dtype. */
struct quant {
    const struct tf_program *program;
    const struct tf_node *x;     /* the parameter */
    uint32_t codes, stored;      /* dtypes of the codes, and of the scales as they are returned */
    uint32_t codes_at, scale_at; /* which results they are */
    size_t a, b, c, d;
    int clamps, inverts;
    uint32_t inverted, n_steps;
    float numerator;
    struct quant_step steps[QUANT_STEPS];
    const char *why; /* why it is none, and where */
    const struct tf_node *at;
};

int quant_match(tf_ctx *ctx, const struct tf_program *program, void **match);
const char *quant_why(tf_ctx *ctx, const struct tf_program *program, const struct tf_loc **loc);
int quant_eval(tf_ctx *ctx, void *match, const struct tf_eval *eval);
int quant_lower(tf_ctx *ctx, void *match, const char *backend, struct tf_artifact *artifact);
int quant_lower_cuda(tf_ctx *ctx, const struct quant *q, struct tf_artifact *artifact);
const char *quant_declares(tf_ctx *ctx, void *match, const char *backend);

/* steps.c: value i + 1 of value i, which is v<i> */
const char *quant_step_text(tf_ctx *ctx, const struct quant_step *step, uint32_t i);

/* match.c and its part chain.c: 1 where it is so; 0 with the first reason kept. */
int quant_not(struct quant *q, const struct tf_node *at, const char *why);
/* What a value is, but for where it lies and its shape; through exact conversions to f32 too. */
const struct tf_node *quant_through(const struct tf_node *node);
const struct tf_node *quant_widened(const struct tf_node *node);
/* The steps from the largest magnitude to the value at top.  values[i] is value i. */
int quant_chain(struct quant *q, const struct tf_node *top, const struct tf_node **values);

static inline float quant_limit(uint32_t codes)
{
    return codes == TF_DTYPE_FP8E4M3 ? 448.0f : 57344.0f;
}

#endif

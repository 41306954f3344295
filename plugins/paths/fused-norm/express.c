/* SPDX-License-Identifier: MIT
 * Steps as expressions of C: in float where that with the one rounding that follows is exact, else in double.
 */
#include "lower.h"

const char *element_type(uint32_t dtype)
{
    switch (dtype) {
    case TF_DTYPE_F32: return "float";
    case TF_DTYPE_BF16:
    case TF_DTYPE_F16: return "uint16_t";
    default: return "uint8_t";
    }
}

static const char *number_text(tf_ctx *ctx, double number)
{
    if (number != number)
        return "NAN";
    if (number - number != 0)
        return number > 0 ? "INFINITY" : "(-INFINITY)";
    if (__builtin_fabs(number) < 1e6 && number == (double)(int64_t)number && (number != 0 || 1 / number > 0))
        return tf_host->format(ctx, number < 0 ? "(%.1ff)" : "%.1ff", number);
    return tf_host->format(ctx, number < 0 || 1 / number < 0 ? "(%af)" : "%af", number);
}

const char *value_text(tf_ctx *ctx, const struct plan *p, uint32_t at)
{
    const struct step *step = &p->rows->steps[at];
    switch (step->span) {
    case SPAN_ONE: return number_text(ctx, step->number);
    case SPAN_LANE:
        if (p->is_made[at])
            return tf_host->format(ctx, "w%u[i]", at);
        if (step->op == STEP_PARAM && step->dtype == TF_DTYPE_F32)
            return tf_host->format(ctx, "in%u[i]", step->param);
        return tf_host->format(ctx, "v%u", at);
    case SPAN_ROW: return tf_host->format(ctx, "s%u", at);
    case SPAN_GROUP: return tf_host->format(ctx, "g%u", at);
    default: return tf_host->format(ctx, "v%u", at);
    }
}

static const char *loaded_text(tf_ctx *ctx, uint32_t dtype, const char *element)
{
    return dtype == TF_DTYPE_F32 ? element
                                 : tf_host->format(ctx, "f32_of_%s(%s)", tf_host->dtype(dtype)->name, element);
}

const char *stored_text(tf_ctx *ctx, uint32_t dtype, const char *value)
{
    return dtype == TF_DTYPE_F32 ? value : tf_host->format(ctx, "%s_of_f32(%s)", tf_host->dtype(dtype)->name, value);
}

/* The number of the dtype that is nearest to a float's, or, where it is not computed in float, a double's. */
static const char *rounded_text(tf_ctx *ctx, const struct plan *p, uint32_t dtype, int is_double, const char *text)
{
    if (dtype == TF_DTYPE_F32 || dtype == TF_DTYPE_BOOL)
        return is_double ? tf_host->format(ctx, "(float)(%s)", text) : text;
    if (is_double)
        text = tf_host->format(ctx, "odd_of_f64(%s)", text);
    if (dtype == TF_DTYPE_BF16)
        return tf_host->format(ctx, p->is_bf16 ? "bf16_nearest(%s)" : "f32_of_bf16(bf16_of_f32(%s))", text);
    const char *name = tf_host->dtype(dtype)->name;
    return tf_host->format(ctx, "f32_of_%s(%s_of_f32(%s))", name, name, text);
}

static const char *const formulas[] = {
    [STEP_SQUARE] = "%1$s * %1$s",
    [STEP_ABS] = "fabsf(%1$s)",
    [STEP_RSQRT] = "1 / sqrt((double)%1$s)",
    [STEP_EXP2] = "exp2((double)%1$s)",
    [STEP_LOG2] = "log2((double)%1$s)",
    [STEP_CEIL] = "ceilf(%1$s)",
    [STEP_ROUND] = "rintf(%1$s)",
    [STEP_ADD] = "%1$s + %2$s",
    [STEP_SUB] = "%1$s - %2$s",
    [STEP_MUL] = "%1$s * %2$s",
    [STEP_DIV] = "%1$s / %2$s",
    [STEP_MIN] = "smaller(%1$s, %2$s)",
    [STEP_MAX] = "larger(%1$s, %2$s)",
    [STEP_EQ] = "(float)(%1$s == %2$s)",
    [STEP_WHERE] = "%1$s != 0 ? %2$s : %3$s",
};

/* Nothing is left over that could be rounded. */
static int is_exact(const struct rows *r, const struct step *step)
{
    if (step->op == STEP_CAST)
        return r->steps[step->in[0]].dtype == step->dtype || step->dtype == TF_DTYPE_F32;
    return step->op == STEP_ABS || step->op == STEP_CEIL || step->op == STEP_ROUND || step->op == STEP_MIN ||
           step->op == STEP_MAX || step->op == STEP_EQ || step->op == STEP_WHERE || step->op == STEP_CLAMP;
}

/* "%1$s" is the first operand. */
static const char *filled(tf_ctx *ctx, const char *formula, const char *const *in)
{
    struct pk_text text = {.ctx = ctx};
    for (; *formula; formula++)
        if (*formula == '%') {
            pk_add(&text, "%s", in[formula[1] - '1']);
            formula += 3;
        } else
            pk_add(&text, "%c", *formula);
    return text.at;
}

static const char *sum_text(tf_ctx *ctx, const struct plan *p, uint32_t at)
{
    const struct step *step = &p->rows->steps[at];
    size_t eights = (p->rows->length + 7) / 8;
    double count = step->op == STEP_MEAN ? (double)p->rows->length : 1;
    if (step->dtype == TF_DTYPE_F32)
        return tf_host->format(ctx, "%s(part%u, %zu, %.1f)",
            p->rows->steps[step->in[0]].roles & (ROLE_SQUARED | ROLE_SPREAD) ? "mean_of_squares" : "mean_of", at,
            eights, count);
    return rounded_text(
        ctx, p, step->dtype, 1, tf_host->format(ctx, "total_of(part%u, %zu) / %.1f", at, eights, count));
}

static const char *clamp_text(tf_ctx *ctx, const struct step *step, const char *x)
{
    if (step->low - step->low == 0)
        x = tf_host->format(ctx, "at_least(%s, %s)", x, number_text(ctx, step->low));
    return step->high - step->high == 0 ? tf_host->format(ctx, "at_most(%s, %s)", x, number_text(ctx, step->high)) : x;
}

const char *compute_text(tf_ctx *ctx, const struct plan *p, uint32_t at)
{
    const struct step *step = &p->rows->steps[at];
    const char *in[3] = {NULL, NULL, NULL}, *text;
    if (step->op == STEP_PARAM)
        return loaded_text(
            ctx, step->dtype, tf_host->format(ctx, step->span == SPAN_LANE ? "in%u[i]" : "x%u[i]", step->param));
    if (step->op == STEP_SUM || step->op == STEP_MEAN)
        return sum_text(ctx, p, at);
    if (step->op >= STEP_SUM)
        return "f32_of_bits(largest[q - t])";
    for (uint32_t i = 0; i < step->n_in; i++)
        in[i] = value_text(ctx, p, step->in[i]);
    text = step->op == STEP_CAST    ? in[0]
           : step->op == STEP_CLAMP ? clamp_text(ctx, step, in[0])
                                    : filled(ctx, formulas[step->op], in);
    if (is_exact(p->rows, step))
        return text;
    if (step->roles & ROLE_CODES)
        return stored_text(ctx, step->dtype, text);
    int is_double = step->op == STEP_RSQRT || step->op == STEP_EXP2 || step->op == STEP_LOG2;
    return rounded_text(ctx, p, step->dtype, is_double, text);
}

/* ---- the same for a device ----------------------------------------------------------------------------------------*/

const char *device_text(tf_ctx *ctx, const struct plan *p, uint32_t at, const char *const *in)
{
    const struct step *step = &p->rows->steps[at];
    if (step->op == STEP_PARAM || step->op >= STEP_SUM || step->op == STEP_RSQRT || step->op == STEP_EXP2 ||
        step->op == STEP_LOG2)
        return NULL;
    if (step->op == STEP_DIV)
        return tf_host->format(ctx, "__fdiv_rn(%s, %s)", in[0], in[1]);
    return step->op == STEP_CAST    ? in[0]
           : step->op == STEP_CLAMP ? clamp_text(ctx, step, in[0])
                                    : filled(ctx, formulas[step->op], in);
}

const char *rounded_step_text(tf_ctx *ctx, const struct plan *p, uint32_t at, const char *const *in)
{
    const struct step *step = &p->rows->steps[at];
    int is_double = step->op == STEP_RSQRT || step->op == STEP_EXP2 || step->op == STEP_LOG2;
    const char *text = device_text(ctx, p, at, in);
    if (!text)
        text = filled(ctx, formulas[step->op], in);
    if (is_exact(p->rows, step))
        return text;
    if (step->dtype == TF_DTYPE_BF16 && !is_double)
        return tf_host->format(ctx, "f32_of_bf16(bf16_of_f32(%s))", text);
    return rounded_text(ctx, p, step->dtype, is_double, text);
}

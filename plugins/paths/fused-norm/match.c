/* SPDX-License-Identifier: MIT
 *
 * Which rows are a normalisation: each step has a role, which its operator and the roles of its operands give by the
 * table below.  A step that no line gives a role is none of a normalisation's.
 */
#include "rows.h"

#include "pathkit.h"

#define ANY_SCALE (ROLE_LARGEST | ROLE_SCALE)

/* What else a line asks of the operands. */
enum asks {
    NOTHING,
    SAME,   /* both are of one input */
    LENGTH, /* the number is the length of a row, as a divisor or as a factor */
    UNIT,   /* the first is the number 1 */
    ROUNDED /* to eight bits */
};

/* What a result is of, as a later line may ask. */
enum of { ITSELF, FIRST, SECOND };

static const struct line {
    enum step_op op;
    uint64_t a, b, gives; /* roles; b 0: no second operand */
    enum asks asks;
    enum of of;
} lines[] = {
    {STEP_ADD, ROLE_INPUT, ROLE_INPUT, ROLE_INPUT, NOTHING, ITSELF},
    {STEP_SUM, ROLE_INPUT, 0, ROLE_TOTAL, NOTHING, FIRST},
    {STEP_DIV, ROLE_TOTAL, ROLE_NUMBER, ROLE_MEAN, LENGTH, FIRST},
    {STEP_MUL, ROLE_TOTAL, ROLE_NUMBER, ROLE_MEAN, LENGTH, FIRST},
    {STEP_MEAN, ROLE_INPUT, 0, ROLE_MEAN, NOTHING, FIRST},
    {STEP_SUB, ROLE_INPUT, ROLE_MEAN, ROLE_CENTERED, SAME, FIRST},
    {STEP_SQUARE, ROLE_INPUT, 0, ROLE_SQUARED, NOTHING, FIRST},
    {STEP_MUL, ROLE_INPUT, ROLE_INPUT, ROLE_SQUARED, SAME, FIRST},
    {STEP_SQUARE, ROLE_CENTERED, 0, ROLE_SPREAD, NOTHING, FIRST},
    {STEP_MUL, ROLE_CENTERED, ROLE_CENTERED, ROLE_SPREAD, SAME, FIRST},
    {STEP_SUM, ROLE_SQUARED, 0, ROLE_SQUARES, NOTHING, FIRST},
    {STEP_SUM, ROLE_SPREAD, 0, ROLE_SPREADS, NOTHING, FIRST},
    {STEP_DIV, ROLE_SQUARES, ROLE_NUMBER, ROLE_POWER, LENGTH, FIRST},
    {STEP_MUL, ROLE_SQUARES, ROLE_NUMBER, ROLE_POWER, LENGTH, FIRST},
    {STEP_DIV, ROLE_SPREADS, ROLE_NUMBER, ROLE_VARIANCE, LENGTH, FIRST},
    {STEP_MUL, ROLE_SPREADS, ROLE_NUMBER, ROLE_VARIANCE, LENGTH, FIRST},
    {STEP_MEAN, ROLE_SQUARED, 0, ROLE_POWER, NOTHING, FIRST},
    {STEP_MEAN, ROLE_SPREAD, 0, ROLE_VARIANCE, NOTHING, FIRST},
    {STEP_SQUARE, ROLE_MEAN, 0, ROLE_SHIFT, NOTHING, FIRST},
    {STEP_MUL, ROLE_MEAN, ROLE_MEAN, ROLE_SHIFT, SAME, FIRST},
    {STEP_SUB, ROLE_POWER, ROLE_SHIFT, ROLE_VARIANCE, SAME, FIRST},
    {STEP_ADD, ROLE_POWER, ROLE_NUMBER, ROLE_POWER, NOTHING, FIRST},
    {STEP_ADD, ROLE_VARIANCE, ROLE_NUMBER, ROLE_VARIANCE, NOTHING, FIRST},
    {STEP_MAX, ROLE_VARIANCE, ROLE_NUMBER, ROLE_VARIANCE, NOTHING, FIRST},
    {STEP_RSQRT, ROLE_POWER, 0, ROLE_INVERSE, NOTHING, FIRST},
    {STEP_RSQRT, ROLE_VARIANCE, 0, ROLE_STEEP, NOTHING, FIRST},
    {STEP_DIV, ROLE_NUMBER, ROLE_INVERSE, ROLE_RMS, UNIT, SECOND},
    {STEP_DIV, ROLE_NUMBER, ROLE_STEEP, ROLE_DEVIATION, UNIT, SECOND},
    {STEP_MUL, ROLE_POWER, ROLE_INVERSE, ROLE_RMS, SAME, FIRST},
    {STEP_MUL, ROLE_VARIANCE, ROLE_STEEP, ROLE_DEVIATION, SAME, FIRST},
    {STEP_MUL, ROLE_INPUT, ROLE_INVERSE, ROLE_NORMED, SAME, ITSELF},
    {STEP_MUL, ROLE_CENTERED, ROLE_STEEP, ROLE_NORMED, SAME, ITSELF},
    {STEP_DIV, ROLE_INPUT, ROLE_RMS, ROLE_NORMED, SAME, ITSELF},
    {STEP_DIV, ROLE_CENTERED, ROLE_DEVIATION, ROLE_NORMED, SAME, ITSELF},
    {STEP_ADD, ROLE_WEIGHT, ROLE_NUMBER, ROLE_WEIGHT, NOTHING, ITSELF},
    {STEP_MUL, ROLE_WEIGHT, ROLE_NUMBER, ROLE_WEIGHT, NOTHING, ITSELF},
    {STEP_MUL, ROLE_NORMED, ROLE_WEIGHT | ROLE_NUMBER, ROLE_NORMED, NOTHING, ITSELF},
    {STEP_ADD, ROLE_NORMED, ROLE_WEIGHT | ROLE_NUMBER, ROLE_NORMED, NOTHING, ITSELF},
    {STEP_DIV, ROLE_NORMED, ROLE_NUMBER, ROLE_NORMED, NOTHING, ITSELF},
    {STEP_CLAMP, ROLE_NORMED, 0, ROLE_NORMED, NOTHING, ITSELF},
    {STEP_CAST, ROLE_NORMED, 0, ROLE_CODES, ROUNDED, FIRST},
    {STEP_ABS, ROLE_NORMED, 0, ROLE_SIZE, NOTHING, FIRST},
    {STEP_LARGEST, ROLE_SIZE, 0, ROLE_LARGEST, NOTHING, FIRST},
    {STEP_ABS_MAX, ROLE_NORMED, 0, ROLE_LARGEST, NOTHING, FIRST},
    {STEP_MUL, ANY_SCALE, ROLE_NUMBER, ROLE_SCALE, NOTHING, FIRST},
    {STEP_DIV, ANY_SCALE, ROLE_NUMBER, ROLE_SCALE, NOTHING, FIRST},
    {STEP_ADD, ANY_SCALE, ROLE_NUMBER, ROLE_SCALE, NOTHING, FIRST},
    {STEP_MAX, ANY_SCALE, ROLE_NUMBER, ROLE_SCALE, NOTHING, FIRST},
    {STEP_MIN, ANY_SCALE, ROLE_NUMBER, ROLE_SCALE, NOTHING, FIRST},
    {STEP_EXP2, ROLE_SCALE, 0, ROLE_SCALE, NOTHING, FIRST},
    {STEP_LOG2, ANY_SCALE, 0, ROLE_SCALE, NOTHING, FIRST},
    {STEP_CEIL, ROLE_SCALE, 0, ROLE_SCALE, NOTHING, FIRST},
    {STEP_ROUND, ROLE_SCALE, 0, ROLE_SCALE, NOTHING, FIRST},
    {STEP_EQ, ANY_SCALE, ROLE_NUMBER, ROLE_ZERO, NOTHING, FIRST},
    {STEP_DIV, ROLE_NUMBER, ANY_SCALE, ROLE_RECIPROCAL, NOTHING, SECOND},
    {STEP_MUL, ROLE_RECIPROCAL, ROLE_NUMBER, ROLE_RECIPROCAL, NOTHING, FIRST},
    {STEP_DIV, ROLE_NORMED, ANY_SCALE, ROLE_QUOTIENT, SAME, FIRST},
    {STEP_MUL, ROLE_NORMED, ROLE_RECIPROCAL, ROLE_QUOTIENT, SAME, FIRST},
    {STEP_CLAMP, ROLE_QUOTIENT, 0, ROLE_QUOTIENT, NOTHING, FIRST},
    {STEP_MIN, ROLE_QUOTIENT, ROLE_NUMBER, ROLE_QUOTIENT, NOTHING, FIRST},
    {STEP_MAX, ROLE_QUOTIENT, ROLE_NUMBER, ROLE_QUOTIENT, NOTHING, FIRST},
    {STEP_CAST, ROLE_QUOTIENT, 0, ROLE_CODES, ROUNDED, FIRST},
};

static int is_narrow(uint32_t dtype)
{
    return dtype == TF_DTYPE_FP8E4M3 || dtype == TF_DTYPE_FP8E5M2;
}

static int is_length(const struct rows *r, const struct step *step, const struct step *number)
{
    double n = (double)r->length;
    return number->number == rows_rounded(number->dtype, step->op == STEP_DIV ? n : 1 / n);
}

static int answers(
    const struct rows *r, const struct line *line, const struct step *step, const struct step *a, const struct step *b)
{
    switch (line->asks) {
    case NOTHING: return 1;
    case SAME: return a->base == b->base;
    case LENGTH: return is_length(r, step, b);
    case UNIT: return a->number == 1;
    case ROUNDED: return is_narrow(step->dtype);
    default: return 0;
    }
}

static int commutes(enum step_op op)
{
    return op == STEP_ADD || op == STEP_MUL || op == STEP_MIN || op == STEP_MAX || op == STEP_EQ;
}

static void give_role(struct rows *r, uint32_t at, const struct line *line)
{
    struct step *step = &r->steps[at];
    const struct step *a = &r->steps[step->in[0]], *b = step->n_in > 1 ? &r->steps[step->in[1]] : NULL;
    for (int turn = 0; turn < (b && commutes(step->op) ? 2 : 1); turn++) {
        const struct step *first = turn ? b : a, *second = turn ? a : b;
        if (!(first->roles & line->a) || (line->b && (!second || !(second->roles & line->b))) ||
            !answers(r, line, step, first, second))
            continue;
        step->roles |= line->gives;
        step->base = line->of == ITSELF ? at : line->of == FIRST ? first->base : second->base;
        return;
    }
}

/* A choice by whether a group is nothing: of two scales, or of a scale and a number. */
static void give_choice(struct rows *r, struct step *step)
{
    const struct step *zero = &r->steps[step->in[0]], *a = &r->steps[step->in[1]], *b = &r->steps[step->in[2]];
    if (!(zero->roles & ROLE_ZERO) || !((a->roles | b->roles) & ANY_SCALE) || !(a->roles & (ANY_SCALE | ROLE_NUMBER)) ||
        !(b->roles & (ANY_SCALE | ROLE_NUMBER)))
        return;
    if ((a->roles & ANY_SCALE && a->base != zero->base) || (b->roles & ANY_SCALE && b->base != zero->base))
        return;
    step->roles = ROLE_SCALE;
    step->base = zero->base;
}

/* Rounding changes what a value is only where it gives codes; scales may be rounded to powers of two. */
static void give_cast(struct rows *r, struct step *step)
{
    const struct step *from = &r->steps[step->in[0]];
    int holds = step->dtype == TF_DTYPE_F32 || step->dtype == TF_DTYPE_BF16 || step->dtype == TF_DTYPE_F16 ||
                (step->dtype == TF_DTYPE_F8E8M0 && from->roles & (ROLE_SCALE | ROLE_RECIPROCAL));
    if (!holds || from->roles & ROLE_CODES)
        return;
    step->roles |= from->roles;
    step->base = from->base;
}

static const char *const role_names[] = {"an input", "a weight", "a number", "a sum", "a mean", "what is centered",
    "squares", "squares of what is centered", "a sum of squares", "a sum of squares of what is centered",
    "a mean of squares", "a mean squared", "a variance", "a reciprocal root", "a reciprocal deviation", "a root",
    "a deviation", "what is normed", "a magnitude", "a largest magnitude", "a scale", "a truth", "a reciprocal scale",
    "what is scaled", "codes"};

static const char *role_name(const struct step *step)
{
    return role_names[__builtin_ctzll(step->roles)];
}

/* 'mul' of an input and a variance */
static const char *strayed_text(const struct rows *r, const struct step *step)
{
    const struct tf_val *kind = pk_attr(step->node, "kind");
    const char *name = kind && kind->kind == TF_VAL_STRING ? kind->u.s : step->node->op->name;
    const char *first = step->n_in ? role_name(&r->steps[step->in[0]]) : "nothing";
    if (step->n_in < 2)
        return tf_host->format(r->ctx, "'%s' of %s is no step of a normalisation", name, first);
    return tf_host->format(r->ctx, "'%s' of %s and %s is no step of a normalisation, or not of the same values", name,
        first, role_name(&r->steps[step->in[1]]));
}

static int judge_step(struct rows *r, uint32_t at)
{
    struct step *step = &r->steps[at];
    step->base = at;
    if (step->op == STEP_NUMBER)
        step->roles = ROLE_NUMBER;
    else if (step->op == STEP_PARAM)
        step->roles =
            (step->span == SPAN_EACH ? ROLE_INPUT : 0) | (step->span == SPAN_LANE || r->count == 1 ? ROLE_WEIGHT : 0);
    else if (step->op == STEP_WHERE)
        give_choice(r, step);
    for (size_t i = 0; step->n_in && step->op != STEP_WHERE && i < sizeof(lines) / sizeof(*lines); i++)
        if (lines[i].op == step->op && (step->n_in > 1) == (lines[i].b != 0))
            give_role(r, at, &lines[i]);
    if (step->op == STEP_CAST)
        give_cast(r, step);
    if (step->roles)
        return TF_OK;
    return rows_refuse(r, step->node, strayed_text(r, step));
}

static int judge_output(struct rows *r, uint32_t at, uint64_t *all)
{
    const struct step *step = &r->steps[at];
    uint64_t may =
        ROLE_NORMED | ROLE_CODES | ANY_SCALE | ROLE_RECIPROCAL | ROLE_MEAN | ROLE_VARIANCE | ROLE_INVERSE | ROLE_STEEP;
    int is_sum = step->roles & ROLE_INPUT && r->steps[step->base].op == STEP_ADD;
    if (step->span == SPAN_LANE || !(step->roles & may || is_sum))
        return rows_refuse(r, step->node, "it gives a value that a normalisation does not give");
    *all |= step->roles;
    return TF_OK;
}

int rows_judge(struct rows *r)
{
    uint64_t all = 0;
    uint32_t largest = 0;
    int status = TF_OK;
    for (uint32_t i = 0; status == TF_OK && i < r->n_steps; i++) {
        status = judge_step(r, i);
        largest += r->steps[i].span == SPAN_GROUP && r->steps[i].op >= STEP_SUM;
    }
    for (uint32_t i = 0; status == TF_OK && i < r->n_outputs; i++)
        status = judge_output(r, r->outputs[i], &all);
    if (status)
        return status;
    if (largest > 1)
        return rows_refuse(r, NULL, "groups are reduced more than once");
    return all & (ROLE_NORMED | ROLE_CODES) ? TF_OK : rows_refuse(r, NULL, "it does not give what is normed");
}

/* ---- the plugin's side --------------------------------------------------------------------------------------------*/

static int read_all(struct rows *r)
{
    int status = rows_read(r);
    if (status == TF_OK)
        status = rows_measure(r);
    return status == TF_OK ? rows_judge(r) : status;
}

int norm_match(tf_ctx *ctx, const struct tf_program *program, void **match)
{
    struct rows *r = tf_host->alloc(ctx, sizeof(*r));
    *r = (struct rows){.ctx = ctx, .program = program};
    *match = r;
    return read_all(r);
}

const char *norm_why(tf_ctx *ctx, const struct tf_program *program, const struct tf_loc **loc)
{
    struct rows r = {.ctx = ctx, .program = program};
    if (read_all(&r) == TF_OK)
        return NULL;
    if (r.loc)
        *loc = r.loc;
    return r.why;
}

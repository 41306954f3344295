/* SPDX-License-Identifier: MIT
 *
 * The values of a normalisation, row by row and without its operators: each step in f32, in double where it is one value
 * for many, and rounded once to its dtype.
 */
#include "rows.h"

#include <stdlib.h>
#include <string.h>

#define GRAIN 8 /* rows that are handed to a processor at once */
#define EIGHT 8

struct work {
    const struct rows *rows;
    const struct tf_eval *eval;
    const struct tf_math *math;
    const float *lanes; /* values of steps that are alike for all rows: by step, of a row's length */
    int has_no_room;
};

/* Of one row. */
struct row {
    const struct work *work;
    size_t at;
    float *each, *spread[3]; /* by step, of a row's length; operands that are repeated */
    double *few;             /* by step: of rows one, of groups all */
};

static size_t groups_of(const struct rows *r)
{
    return r->group ? r->length / r->group : 0;
}

static float *each_of(const struct row *row, uint32_t step)
{
    return row->each + step * row->work->rows->length;
}

static double *few_of(const struct row *row, uint32_t step)
{
    return row->few + step * (groups_of(row->work->rows) + 1);
}

/* ---- elements -----------------------------------------------------------------------------------------------------*/

/* A step's values as they stand beside a row's elements. */
static const float *beside(const struct row *row, uint32_t at, float *room)
{
    const struct rows *r = row->work->rows;
    const struct step *step = &r->steps[at];
    if (step->span == SPAN_EACH)
        return each_of(row, at);
    if (step->span == SPAN_LANE)
        return row->work->lanes + at * r->length;
    for (size_t i = 0; i < r->length; i++)
        room[i] = step->span == SPAN_ONE   ? (float)step->number
                  : step->span == SPAN_ROW ? (float)few_of(row, at)[0]
                                           : (float)few_of(row, at)[i / r->group];
    return room;
}

#define EACH(expression)                                                                                               \
    for (size_t i = 0; i < n; i++)                                                                                     \
    to[i] = (expression)

static float lesser(float a, float b)
{
    return a != a ? a : b != b ? b : a < b ? a : b;
}

static float greater(float a, float b)
{
    return a != a ? a : b != b ? b : a > b ? a : b;
}

static float held_within(float x, float low, float high)
{
    x = x < low ? low : x;
    return x > high ? high : x;
}

static void compute_each(const struct step *step, size_t n, const float *a, const float *b, float *to)
{
    const float low = (float)step->low, high = (float)step->high;
    switch (step->op) {
    case STEP_SQUARE: EACH(a[i] * a[i]); break;
    case STEP_ABS: EACH(__builtin_fabsf(a[i])); break;
    case STEP_CLAMP: EACH(held_within(a[i], low, high)); break;
    case STEP_ADD: EACH(a[i] + b[i]); break;
    case STEP_SUB: EACH(a[i] - b[i]); break;
    case STEP_MUL: EACH(a[i] * b[i]); break;
    case STEP_DIV: EACH(a[i] / b[i]); break;
    case STEP_MIN: EACH(lesser(a[i], b[i])); break;
    case STEP_MAX: EACH(greater(a[i], b[i])); break;
    default: EACH(a[i]); break;
    }
}

/* To the dtype and back, in pieces that need no memory. */
static void round_all(uint32_t dtype, uint32_t fp8_overflow, size_t n, float *x)
{
    float codes[256];
    for (size_t i = 0; dtype != TF_DTYPE_F32 && i < n; i += 256) {
        size_t m = n - i < 256 ? n - i : 256;
        tf_host->store_f32(dtype, m, x + i, codes, fp8_overflow);
        tf_host->load_f32(dtype, m, codes, x + i);
    }
}

static void load_param(const struct work *w, const struct step *step, size_t first, float *to)
{
    const struct tf_tensor *t = w->eval->args[step->param];
    const char *data = t->data;
    tf_host->load_f32(t->dtype, w->rows->length, data + first * tf_host->element_bytes(t->dtype), to);
}

static void step_each(const struct row *row, uint32_t at)
{
    const struct work *w = row->work;
    const struct step *step = &w->rows->steps[at];
    const float *in[3] = {NULL, NULL, NULL};
    float *to = each_of(row, at);
    if (step->op == STEP_PARAM) {
        load_param(w, step, row->at * w->rows->length, to);
        return;
    }
    for (uint32_t i = 0; i < step->n_in; i++)
        in[i] = beside(row, step->in[i], row->spread[i]);
    compute_each(step, w->rows->length, in[0], in[1], to);
    round_all(step->dtype, w->eval->fp8_overflow, w->rows->length, to);
}

/* ---- what is one value for many -----------------------------------------------------------------------------------*/

static double sum_of(const float *x, size_t n)
{
    double total = 0;
    for (size_t first = 0; first < n; first += EIGHT) {
        float part = 0;
        for (size_t i = first; i < n && i < first + EIGHT; i++)
            part += x[i];
        total += (double)part;
    }
    return total;
}

static double largest_of(const float *x, size_t n, int of_magnitudes)
{
    float most = of_magnitudes ? 0 : -__builtin_inff();
    for (size_t i = 0; i < n; i++) {
        float value = of_magnitudes ? __builtin_fabsf(x[i]) : x[i];
        most = value > most || value != value ? value : most;
        if (value != value)
            break;
    }
    return (double)most;
}

static double compute_one(const struct work *w, const struct step *step, double a, double b, double c)
{
    switch (step->op) {
    case STEP_SQUARE: return a * a;
    case STEP_ABS: return __builtin_fabs(a);
    case STEP_RSQRT: return 1 / w->math->sqrt(a);
    case STEP_EXP2: return w->math->exp2(a);
    case STEP_LOG2: return w->math->log2(a);
    case STEP_CEIL: return w->math->ceil(a);
    case STEP_ROUND: return w->math->rint(a);
    case STEP_CLAMP: a = a < step->low ? step->low : a; return a > step->high ? step->high : a;
    case STEP_ADD: return a + b;
    case STEP_SUB: return a - b;
    case STEP_MUL: return a * b;
    case STEP_DIV: return a / b;
    case STEP_MIN: return a != a ? a : b != b ? b : a < b ? a : b;
    case STEP_MAX: return a != a ? a : b != b ? b : a > b ? a : b;
    case STEP_EQ: return a == b;
    case STEP_WHERE: return a != 0 ? b : c;
    default: return a;
    }
}

static double one_of(const struct row *row, uint32_t at, size_t group)
{
    const struct step *step = &row->work->rows->steps[at];
    return step->span == SPAN_ONE ? step->number : few_of(row, at)[step->span == SPAN_GROUP ? group : 0];
}

static double reduce(const struct row *row, const struct step *step, size_t group)
{
    const struct rows *r = row->work->rows;
    const float *x = each_of(row, step->in[0]);
    if (step->op == STEP_SUM)
        return sum_of(x, r->length);
    if (step->op == STEP_MEAN)
        return sum_of(x, r->length) / (double)r->length;
    return largest_of(x + group * r->group, r->group, step->op == STEP_ABS_MAX);
}

static void step_few(const struct row *row, uint32_t at)
{
    const struct rows *r = row->work->rows;
    const struct step *step = &r->steps[at];
    size_t n = step->span == SPAN_GROUP ? groups_of(r) : 1;
    for (size_t k = 0; k < n; k++) {
        double in[3] = {0, 0, 0};
        for (uint32_t i = 0; step->op < STEP_SUM && i < step->n_in; i++)
            in[i] = one_of(row, step->in[i], k);
        double value = step->op >= STEP_SUM ? reduce(row, step, k) : compute_one(row->work, step, in[0], in[1], in[2]);
        few_of(row, at)[k] = step->dtype == TF_DTYPE_BOOL ? value : rows_rounded(step->dtype, value);
    }
}

/* ---- rows ---------------------------------------------------------------------------------------------------------*/

static void store_output(const struct row *row, uint32_t at, const struct tf_tensor *to)
{
    const struct rows *r = row->work->rows;
    enum span span = r->steps[at].span;
    size_t n = span == SPAN_EACH ? r->length : span == SPAN_ROW ? 1 : groups_of(r);
    char *data = (char *)to->data + row->at * n * tf_host->element_bytes(to->dtype);
    uint32_t keep = 1; /* it is a number of the dtype already, infinities too */
    if (span == SPAN_EACH)
        tf_host->store_f32(to->dtype, n, each_of(row, at), data, keep);
    else
        tf_host->store_f64(to->dtype, n, few_of(row, at), data, keep);
}

static void run_row(const struct row *row)
{
    const struct rows *r = row->work->rows;
    for (uint32_t i = 0; i < r->n_steps; i++)
        if (r->steps[i].span == SPAN_EACH)
            step_each(row, i);
        else if (r->steps[i].span == SPAN_ROW || r->steps[i].span == SPAN_GROUP)
            step_few(row, i);
    for (uint32_t i = 0; i < r->n_outputs; i++)
        store_output(row, r->outputs[i], row->work->eval->results[i]);
}

static void run_rows(void *data, size_t first, size_t end)
{
    struct work *w = data;
    size_t n = w->rows->length, steps = w->rows->n_steps;
    struct row row = {.work = w, .each = malloc((steps + 3) * n * sizeof(float))};
    row.few = malloc(steps * (groups_of(w->rows) + 1) * sizeof(double));
    if (!row.each || !row.few)
        __atomic_store_n(&w->has_no_room, 1, __ATOMIC_RELAXED);
    for (size_t i = 0; i < 3; i++)
        row.spread[i] = row.each ? row.each + (steps + i) * n : NULL;
    for (row.at = first; row.each && row.few && row.at < end; row.at++)
        run_row(&row);
    free(row.each);
    free(row.few);
}

/* What is alike for all rows, once. */
static void make_lanes(const struct work *w, float *lanes)
{
    const struct rows *r = w->rows;
    struct row row = {.work = w, .each = lanes};
    float *room[3];
    for (size_t i = 0; i < 3; i++)
        room[i] = row.spread[i] = lanes + (r->n_steps + i) * r->length;
    for (uint32_t at = 0; at < r->n_steps; at++) {
        const struct step *step = &r->steps[at];
        float *to = lanes + at * r->length;
        const float *in[3] = {NULL, NULL, NULL};
        if (step->span != SPAN_LANE)
            continue;
        if (step->op == STEP_PARAM) {
            load_param(w, step, 0, to);
            continue;
        }
        for (uint32_t i = 0; i < step->n_in; i++)
            in[i] = beside(&row, step->in[i], room[i]);
        compute_each(step, r->length, in[0], in[1], to);
        round_all(step->dtype, w->eval->fp8_overflow, r->length, to);
    }
}

int norm_eval(tf_ctx *ctx, void *match, const struct tf_eval *eval)
{
    const struct rows *r = match;
    struct work w = {.rows = r, .eval = eval, .math = tf_host->math(ctx)};
    if (eval->mode != TF_EVAL_DECLARED || eval->n_results != r->n_outputs)
        return TF_E_UNSUPPORTED;
    if (!w.math)
        return TF_E_REFUSED;
    float *lanes = malloc((r->n_steps + 3) * r->length * sizeof(*lanes));
    if (!lanes)
        return TF_E_NOMEM;
    w.lanes = lanes;
    make_lanes(&w, lanes);
    tf_host->parallel(r->count, GRAIN, run_rows, &w);
    free(lanes);
    return w.has_no_room ? TF_E_NOMEM : TF_OK;
}

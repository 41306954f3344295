/* SPDX-License-Identifier: MIT
 *
 * The values of a product and of what follows it, without the operators.  A panel of the right operand's columns is taken
 * at a time, and rows of the left one against it, four together: each sum meets its products in order, in f64, where they
 * are exact.  What follows is computed in f64 and rounded after each operation.
 */
#include "gemm.h"

#include <stdlib.h>
#include <string.h>

#define PANEL ((size_t)32) /* columns */
#define ROWS ((size_t)4)
#define CHUNK ((size_t)512)

struct work;
typedef void apply_fn(const struct work *w, const struct gemm_value *value, const double *const *in, double *out);

struct work {
    const struct gemm *g;
    const struct tf_eval *eval;
    const struct tf_math *math;
    apply_fn *apply[GEMM_VALUES]; /* of operations */
    double *left;                 /* M x K, of a batch */
    float *scales;                /* of all rows of the left operand's tensor, where they are quantised */
    size_t batch;
    int failed; /* for want of memory */
};

/* ---- operands ------------------------------------------------------------------------------------------------------*/

static const char *element(const struct tf_tensor *t, size_t at)
{
    return (const char *)t->data + at * tf_host->element_bytes(t->dtype);
}

/* n numbers that lie `step` from each other, gathered where they are no neighbours. */
static void load(const struct tf_tensor *t, size_t at, size_t step, size_t n, double *to)
{
    if (step == 1) {
        tf_host->load_f64(t->dtype, n, element(t, at), to);
        return;
    }
    for (size_t i = 0; i < n; i++)
        tf_host->load_f64(t->dtype, 1, element(t, at + i * step), to + i);
}

/* The row's scale; NaN is the largest magnitude. */
static float scale_of(const struct gemm_quant *q, const double *row, size_t k)
{
    float scale = 0;
    for (size_t i = 0; i < k; i++) {
        float size = (float)__builtin_fabs(row[i]);
        if (scale == scale && (size > scale || size != size))
            scale = size;
    }
    for (uint32_t i = q->n_steps; i-- > 0;) {
        float number = q->steps[i].number;
        if (strcmp(q->steps[i].kind, "max") == 0)
            scale = scale < number ? number : scale;
        else
            scale = strcmp(q->steps[i].kind, "mul") == 0 ? scale * number : scale / number;
    }
    return scale;
}

static void quantise(const struct work *w, size_t at, double *row)
{
    const struct gemm_quant *q = &w->g->quant;
    size_t k = w->g->k, most = CHUNK;
    float scale = scale_of(q, row, k);
    double codes[CHUNK], limit = (double)gemm_limit(q->codes);
    w->scales[at / k] = scale;
    for (size_t i = 0; i < k; i++) {
        double x = (double)((float)row[i] / scale);
        row[i] = q->is_clamped && x > limit ? limit : q->is_clamped && x < -limit ? -limit : x;
    }
    for (size_t i = 0; i < k; i += most) {
        size_t n = k - i < most ? k - i : most;
        tf_host->store_f64(q->codes, n, row + i, codes, w->eval->fp8_overflow);
        tf_host->load_f64(q->codes, n, codes, row + i);
    }
}

static void load_left(void *data, size_t first, size_t end)
{
    struct work *w = data;
    const struct gemm_operand *o = &w->g->left;
    size_t matrix = gemm_at(&o->matrix, w->batch);
    for (size_t row = first; row < end; row++) {
        size_t at = matrix + row * o->line;
        load(w->eval->args[o->param], at, o->step, w->g->k, w->left + row * w->g->k);
        if (w->g->quantises)
            quantise(w, at, w->left + row * w->g->k);
    }
}

/* Columns of the right operand, those of one k side by side; columns that there are not are 0. */
static void load_panel(const struct work *w, size_t column, size_t n, double *panel)
{
    const struct gemm_operand *o = &w->g->right;
    const struct tf_tensor *t = w->eval->args[o->param];
    size_t at = gemm_at(&o->matrix, w->batch) + column * o->line;
    double run[CHUNK];
    memset(panel, 0, w->g->k * PANEL * sizeof(*panel));
    for (size_t k = 0; o->line == 1 && k < w->g->k; k++)
        load(t, at + k * o->step, 1, n, panel + k * PANEL);
    for (size_t j = 0; o->line != 1 && j < n; j++)
        for (size_t first = 0; first < w->g->k; first += CHUNK) {
            size_t some = w->g->k - first < CHUNK ? w->g->k - first : CHUNK;
            load(t, at + j * o->line + first * o->step, o->step, some, run);
            for (size_t k = 0; k < some; k++)
                panel[(first + k) * PANEL + j] = run[k];
        }
}

/* ---- sums ----------------------------------------------------------------------------------------------------------*/

/* No product of these dtypes needs rounding in f64, so that fusing it with its sum changes nothing. */
typedef double lanes __attribute__((vector_size(64)));
#define HALF (sizeof(lanes) / sizeof(double))
#define BEGIN(r)                                                                                                       \
    const double *row##r = left + ((r) < rows ? (size_t)(r)*k : 0);                                                    \
    lanes x##r = {0}, y##r = {0};
#define STEP(r, fold)                                                                                                  \
    one = row##r[i] - (lanes){0};                                                                                      \
    x##r = fold(one, x, x##r);                                                                                         \
    y##r = fold(one, y, y##r);
#define END(r)                                                                                                         \
    memcpy(sums[r] + first, &x##r, sizeof(x));                                                                         \
    memcpy(sums[r] + first + HALF, &y##r, sizeof(y));
#define SUM(name, how, fold)                                                                                           \
    how static void name(size_t k, size_t rows, const double *left, const double *panel, double(*sums)[PANEL])         \
    {                                                                                                                  \
        for (size_t first = 0; first < PANEL; first += 2 * HALF) {                                                     \
            lanes one, x, y;                                                                                           \
            BEGIN(0) BEGIN(1) BEGIN(2) BEGIN(3) for (size_t i = 0; i < k; i++)                                         \
            {                                                                                                          \
                memcpy(&x, panel + i * PANEL + first, sizeof(x));                                                      \
                memcpy(&y, panel + i * PANEL + first + HALF, sizeof(y));                                               \
                STEP(0, fold) STEP(1, fold) STEP(2, fold) STEP(3, fold)                                                \
            }                                                                                                          \
            END(0) END(1) END(2) END(3)                                                                                \
        }                                                                                                              \
    }
#define APART(x, y, sum) ((sum) + (x) * (y))
SUM(sum_plain, , APART)
#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
SUM(sum_avx2, __attribute__((target("avx2"))), APART)
SUM(sum_avx512, __attribute__((target("avx512f"))), _mm512_fmadd_pd)
#endif

static void sum_rows(size_t k, size_t rows, const double *left, const double *panel, double (*sums)[PANEL])
{
#if defined(__x86_64__) && defined(__GNUC__)
    if (__builtin_cpu_supports("avx512f"))
        sum_avx512(k, rows, left, panel, sums);
    else if (__builtin_cpu_supports("avx2"))
        sum_avx2(k, rows, left, panel, sums);
    else
        sum_plain(k, rows, left, panel, sums);
#else
    sum_plain(k, rows, left, panel, sums);
#endif
}

/* ---- what follows --------------------------------------------------------------------------------------------------*/

#define EACH(name, expression)                                                                                         \
    static void name(const struct work *w, const struct gemm_value *value, const double *const *in, double *out)       \
    {                                                                                                                  \
        (void)w, (void)value;                                                                                          \
        for (size_t j = 0; j < PANEL; j++) {                                                                           \
            double a = in[0][j], b = in[1][j];                                                                         \
            (void)b;                                                                                                   \
            out[j] = expression;                                                                                       \
        }                                                                                                              \
    }
#define F32(x) ((double)(float)(x))
EACH(apply_add, a + b)
EACH(apply_sub, a - b)
EACH(apply_mul, a *b)
EACH(apply_div, a / b)
EACH(apply_min, a != a || b != b ? a + b : b < a ? b : a)
EACH(apply_max, a != a || b != b ? a + b : b > a ? b : a)
EACH(apply_neg, -a)
EACH(apply_abs, __builtin_fabs(a))
EACH(apply_relu, a < 0 ? 0 : a)
EACH(apply_square, a *a)
EACH(apply_cast, a)
EACH(apply_silu, a / (1 + w->math->exp(-a)))
EACH(apply_sigmoid, 1 / (1 + w->math->exp(-a)))
EACH(apply_tanh, w->math->tanh(a))

/* gelu is defined by its steps, each of f32. */
static double turned(const struct work *w, double a)
{
    double cube = F32(F32(a * a) * a), inner = F32(a + F32(F32(0.044715) * cube));
    return w->math->tanh(F32(F32(0.79788456080286535588) * inner));
}
EACH(apply_gelu_tanh, 0.5 * a * F32(1 + F32(turned(w, a))))
EACH(apply_gelu_erf, 0.5 * a * F32(1 + F32(w->math->erf(F32(a * F32(0.70710678118654752440))))))

static int limit(const struct gemm_value *value, uint32_t attr, double *number)
{
    const struct tf_val *val = &value->node->attrs[attr];
    uint64_t room = 0;
    if (val->kind != TF_VAL_FLOAT && val->kind != TF_VAL_INT)
        return 0;
    *number = val->kind == TF_VAL_FLOAT ? val->u.f : (double)val->u.i;
    tf_host->store_f64(value->dtype, 1, number, &room, 0);
    tf_host->load_f64(value->dtype, 1, &room, number);
    return 1;
}

static void apply_clamp(const struct work *w, const struct gemm_value *value, const double *const *in, double *out)
{
    double least = 0, most = 0;
    int has_least = limit(value, 0, &least), has_most = limit(value, 1, &most);
    (void)w;
    for (size_t j = 0; j < PANEL; j++) {
        double x = in[0][j];
        x = has_least && x < least ? least : x;
        out[j] = has_most && x > most ? most : x;
    }
}

static const struct {
    const char *word;
    apply_fn *apply;
} functions[] = {
    {"add", apply_add},
    {"sub", apply_sub},
    {"mul", apply_mul},
    {"div", apply_div},
    {"min", apply_min},
    {"max", apply_max},
    {"neg", apply_neg},
    {"abs", apply_abs},
    {"relu", apply_relu},
    {"square", apply_square},
    {"cast", apply_cast},
    {"silu", apply_silu},
    {"sigmoid", apply_sigmoid},
    {"tanh", apply_tanh},
    {"gelu-tanh", apply_gelu_tanh},
    {"gelu-erf", apply_gelu_erf},
    {"clamp", apply_clamp},
};

static apply_fn *function_of(const struct gemm_value *value)
{
    size_t i = 0;
    while (strcmp(functions[i].word, gemm_word(value->node)) != 0)
        i++;
    return functions[i].apply;
}

/* Numbers that are rounded to the dtype, as they would be in memory. */
static void round_to(const struct work *w, uint32_t dtype, double *x)
{
    double room[PANEL];
    tf_host->store_f64(dtype, PANEL, x, room, w->eval->fp8_overflow);
    tf_host->load_f64(dtype, PANEL, room, x);
}

static void load_value(const struct work *w, const struct gemm_value *value, size_t at, size_t n, double *to)
{
    for (size_t j = 0; value->kind == GEMM_SCALE && j < n; j++)
        to[j] = (double)w->scales[gemm_at(&value->walk, at + j)];
    if (value->kind == GEMM_SCALE)
        return;
    const struct tf_tensor *t = w->eval->args[value->param];
    for (size_t j = 0; j < n; j++)
        tf_host->load_f64(t->dtype, 1, element(t, gemm_at(&value->walk, at + j)), to + j);
}

/* n elements of the result from `at` on, from their sums. */
static void finish(const struct work *w, size_t at, size_t n, const double *sums)
{
    double values[GEMM_VALUES][PANEL];
    const struct gemm *g = w->g;
    memset(values, 0, g->n_values * sizeof(*values));
    for (uint32_t i = 0; i < g->n_values; i++) {
        const struct gemm_value *value = &g->values[i];
        const double *const in[] = {values[value->in[0]], values[value->in[1]]};
        if (value->kind == GEMM_PRODUCT)
            memcpy(values[i], sums, sizeof(values[i]));
        else if (value->kind == GEMM_PARAM || value->kind == GEMM_SCALE)
            load_value(w, value, at, n, values[i]);
        else if (value->kind == GEMM_OPERATION)
            w->apply[i](w, value, in, values[i]);
        for (size_t j = 0; value->kind == GEMM_NUMBER && j < PANEL; j++)
            values[i][j] = value->number;
        if (value->kind == GEMM_PRODUCT || value->kind == GEMM_OPERATION)
            round_to(w, value->dtype, values[i]);
    }
    struct tf_tensor *result = w->eval->results[0];
    tf_host->store_f64(result->dtype, n, values[g->n_values - 1],
        (char *)result->data + at * tf_host->element_bytes(result->dtype), w->eval->fp8_overflow);
}

/* ---- the whole -----------------------------------------------------------------------------------------------------*/

static void panel_rows(const struct work *w, size_t column, size_t n, const double *panel)
{
    const struct gemm *g = w->g;
    double sums[ROWS][PANEL];
    for (size_t row = 0; row < g->m; row += ROWS) {
        size_t rows = g->m - row < ROWS ? g->m - row : ROWS;
        sum_rows(g->k, rows, w->left + row * g->k, panel, sums);
        for (size_t r = 0; r < rows; r++)
            finish(w, (w->batch * g->m + row + r) * g->n + column, n, sums[r]);
    }
}

static void panels(void *data, size_t first, size_t end)
{
    struct work *w = data;
    double *panel = malloc(w->g->k * PANEL * sizeof(*panel));
    if (!panel)
        __atomic_store_n(&w->failed, 1, __ATOMIC_RELAXED);
    for (size_t i = first; panel && i < end; i++) {
        size_t column = i * PANEL, n = w->g->n - column < PANEL ? w->g->n - column : PANEL;
        load_panel(w, column, n, panel);
        panel_rows(w, column, n, panel);
    }
    free(panel);
}

/* Memory of a batch's left operand, and of the scales of all. */
static int has_room(struct work *w)
{
    const struct gemm *g = w->g;
    const struct tf_tensor *left = w->eval->args[g->left.param];
    size_t bytes, elements = 1;
    if (__builtin_mul_overflow(g->m, g->k * sizeof(double), &bytes))
        return 0;
    for (uint32_t i = 0; i < left->rank; i++)
        elements *= (size_t)left->extents[i];
    w->left = malloc(bytes);
    w->scales = malloc((g->quantises ? elements / g->k : 1) * sizeof(float));
    return w->left && w->scales;
}

int gemm_eval(tf_ctx *ctx, void *match, const struct tf_eval *eval)
{
    struct work w = {.g = match, .eval = eval, .math = tf_host->math(ctx)};
    if (eval->mode != TF_EVAL_DECLARED || eval->n_results != 1)
        return TF_E_UNSUPPORTED;
    if (!w.math)
        return TF_E_REFUSED;
    for (uint32_t i = 0; i < w.g->n_values; i++)
        if (w.g->values[i].kind == GEMM_OPERATION)
            w.apply[i] = function_of(&w.g->values[i]);
    w.failed = !has_room(&w);
    for (; w.batch < w.g->batches && !w.failed; w.batch++) {
        tf_host->parallel(w.g->m, 64, load_left, &w);
        tf_host->parallel((w.g->n + PANEL - 1) / PANEL, 1, panels, &w);
    }
    free(w.left);
    free(w.scales);
    return w.failed ? TF_E_NOMEM : TF_OK;
}

/* SPDX-License-Identifier: MIT
 * Enclosure of matmul.  With operands c +- r, an element lies within sum(|c| + r)(|c'| + r') - sum |c||c'| of the sum of
 * the c c', and what the accumulator loses is a share of the first of these sums.  Each is a product in f64, of which the
 * own error is added.  What is unknown of an element opens the row or the column that it is used for, no more.
 */
#include "boundkit.h"
#include "eval.h"

/* What there is along a row of the left operand, or a column of the right one. */
enum {
    LINE_OPEN = 1,     /* an element that is no point */
    LINE_INFINITE = 2, /* an infinity */
    LINE_DOUBT = 4,    /* an element that may be NaN, or infinite, and need not be */
    LINE_NAN = 8,      /* an element that must be NaN */
};

struct split { /* of an operand */
    double *centre, *reach, *magnitude;
    uint8_t *lines; /* LINE_*, of each matrix in turn */
    size_t across;  /* lines of a matrix */
    int open;       /* some element is no point */
};

/* Centre and reach of an element; one that is in doubt has none, since nothing is known of the lines through it. */
static uint8_t split_element(struct split *s, size_t i, struct bk x)
{
    double c = x.lo == x.hi ? x.lo : x.lo / 2 + x.hi / 2;
    double below = bk_add_high(c, -x.lo), above = bk_add_high(x.hi, -c), r = below > above ? below : above;
    int is_open = x.lo != x.hi, in_doubt = x.doubt || (is_open && c - c != 0);
    s->centre[i] = in_doubt ? 0 : c;
    s->magnitude[i] = __builtin_fabs(s->centre[i]);
    s->reach[i] = in_doubt || !is_open ? s->magnitude[i] : bk_add_high(s->magnitude[i], r);
    if (in_doubt)
        return bk_is_nan(x) ? LINE_NAN : LINE_DOUBT;
    return is_open ? LINE_OPEN : c - c != 0 ? LINE_INFINITE : 0;
}

/* along_rows: whether the lines are rows of the matrices as they lie in memory. */
static int split_make(struct split *s, const struct tf_tensor *t, int along_rows)
{
    size_t n = ek_count(t), rows = (size_t)t->extents[t->rank - 2], columns = (size_t)t->extents[t->rank - 1];
    size_t matrices = ek_extent(t, 0, t->rank - 2);
    s->across = along_rows ? rows : columns;
    s->centre = ek_scratch(n, sizeof(double));
    s->reach = ek_scratch(n, sizeof(double));
    s->magnitude = ek_scratch(n, sizeof(double));
    s->lines = ek_scratch(matrices, s->across);
    if (!s->centre || !s->reach || !s->magnitude || !s->lines)
        return TF_E_NOMEM;
    memset(s->lines, 0, matrices * s->across);
    for (size_t i = 0; i < n; i++) {
        size_t row = i / columns, line = along_rows ? row : row / rows * columns + i % columns;
        uint8_t found = split_element(s, i, bk_at(t, i));
        s->lines[line] |= found;
        s->open |= found == LINE_OPEN;
    }
    return TF_OK;
}

static void split_free(struct split *s)
{
    free(s->centre);
    free(s->reach);
    free(s->magnitude);
    free(s->lines);
}

/* The product of two sets of numbers in f64. */
static int product(tf_ctx *ctx, const struct tf_eval *e, double *a, double *b, double *to)
{
    struct tf_tensor lhs = *e->args[0], rhs = *e->args[1], result = *e->results[0];
    const struct tf_tensor *args[] = {&lhs, &rhs};
    struct tf_tensor *results[] = {&result};
    struct tf_eval once = *e;
    lhs.data = a;
    rhs.data = b;
    result.data = to;
    lhs.dtype = rhs.dtype = result.dtype = TF_DTYPE_F64; /* integers too are numbers of f64 here */
    once.mode = TF_EVAL_EXACT;
    once.args = args;
    once.results = results;
    return eval_matmul(ctx, &once);
}

struct sums {
    double *value, *reach, *magnitude; /* magnitude: NULL where all operands are points */
};

/* What a sum may be off by: relative to its reach by the accumulator and by f64, and absolutely by what underflows. */
struct losses {
    double lost, own, underflow, limit;
};

/* An element as its sums tell; some_infinite: there is an infinity in its row or column, but nothing that is open. */
static struct bk enclosed(const struct sums *s, size_t i, const struct losses *l, int some_infinite)
{
    double value = s->value[i], reach = s->reach[i], open = s->magnitude ? reach - s->magnitude[i] : 0;
    double error = bk_above(bk_above((open > 0 ? open : 0) + reach * (l->lost + l->own)) + l->underflow);
    if (value - value != 0 && some_infinite)
        return value == value ? (struct bk){value, value, 0} : bk_nan();
    if (!(reach < l->limit))
        return bk_anything();
    return (struct bk){bk_add_low(value, -error), bk_add_high(value, error), 0};
}

/* By the lines that meet in the element: NaN in one is NaN, and what is unknown in one is unknown. */
static struct bk element(const struct sums *s, size_t i, const struct losses *l, uint8_t row, uint8_t column)
{
    if ((row | column) & LINE_NAN)
        return bk_nan();
    if ((row | column) & LINE_DOUBT || (row & LINE_INFINITE && column & LINE_OPEN) ||
        (row & LINE_OPEN && column & LINE_INFINITE))
        return bk_anything();
    return enclosed(s, i, l, (row | column) & LINE_INFINITE);
}

static void put(
    const struct tf_eval *e, const struct sums *s, const struct losses *l, const struct split *a, const struct split *b)
{
    const struct tf_tensor *result = e->results[0];
    size_t per = a->across * b->across, batches = per ? ek_count(result) / per : 0;
    for (size_t batch = 0, i = 0; batch < batches; batch++) {
        const uint8_t *rows = a->lines + matmul_matrix_of(e->args[0], result, batch) * a->across;
        const uint8_t *columns = b->lines + matmul_matrix_of(e->args[1], result, batch) * b->across;
        for (size_t end = i + per, at = 0; i < end; i++, at++) {
            struct bk x = element(s, i, l, rows[at / b->across], columns[at % b->across]);
            bk_put(result, i, bk_is_nan(x) ? x : bk_result(e, x));
        }
    }
}

static int put_all(tf_ctx *ctx, const struct tf_eval *e, const struct sums *s, size_t terms, const struct split *a,
    const struct split *b)
{
    uint32_t dtype = e->args[0]->dtype;
    const char *accumulator = e->declared->accumulator;
    int is_wide = dtype == TF_DTYPE_F64 || !strcmp(accumulator, "f64");
    /* products of 16 bits are exact in f32 */
    int rounded = !bk_is_16(dtype) || (strcmp(accumulator, "f32") != 0 && !is_wide);
    double n = (double)(terms ? terms : 1);
    struct losses l = {.lost = bk_sum_error(ctx, e, dtype, n - 1, rounded),
        .own = bk_gamma(4 * (n + 2), 0x1p-53),
        .underflow = is_wide ? 0 : n * (e->declared->ftz ? 0x1p-126 : 0x1p-150),
        .limit = terms > 1 ? bk_sum_limit(e, dtype) : BK_INFINITY};
    if (l.lost < 0)
        return TF_E_REFUSED;
    put(e, s, &l, a, b);
    return TF_OK;
}

static int bound_splits(tf_ctx *ctx, const struct tf_eval *e, struct split *a, struct split *b)
{
    const struct tf_tensor *lhs = e->args[0];
    int is_km = strcmp(ok_string(e->call, 0), "KM") == 0, open = a->open || b->open;
    size_t n = ek_count(e->results[0]), terms = (size_t)lhs->extents[lhs->rank - (is_km ? 2 : 1)];
    struct sums s = {
        ek_scratch(n, sizeof(double)), ek_scratch(n, sizeof(double)), open ? ek_scratch(n, sizeof(double)) : NULL};
    int rc = s.value && s.reach && (s.magnitude || !open) ? TF_OK : TF_E_NOMEM;
    if (rc == TF_OK)
        rc = product(ctx, e, a->centre, b->centre, s.value);
    if (rc == TF_OK)
        rc = product(ctx, e, a->reach, b->reach, s.reach);
    if (rc == TF_OK && open)
        rc = product(ctx, e, a->magnitude, b->magnitude, s.magnitude);
    if (rc == TF_OK)
        rc = put_all(ctx, e, &s, terms, a, b);
    free(s.value);
    free(s.reach);
    free(s.magnitude);
    return rc;
}

int bound_matmul(tf_ctx *ctx, const struct tf_eval *e)
{
    struct split a = {0}, b = {0};
    int rc = split_make(&a, e->args[0], strcmp(ok_string(e->call, 0), "KM") != 0);
    if (rc == TF_OK)
        rc = split_make(&b, e->args[1], strcmp(ok_string(e->call, 1), "NK") == 0);
    if (rc == TF_OK)
        rc = bound_splits(ctx, e, &a, &b);
    split_free(&a);
    split_free(&b);
    return rc;
}

/* SPDX-License-Identifier: MIT
 * Enclosure of matmul.  With operands c +- r, an element lies within sum(|c| + r)(|c'| + r') - sum |c||c'| of the sum of
 * the c c', and what the accumulator loses is a share of the first of these sums.  Each is a product in f64, of which the
 * own error is added; bound_walk.c finds what an accumulator loses that cuts off.  What is unknown of an element opens
 * the row or the column that it is used for, no more.
 */
#include "bound_walk.h"
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

/* Whether a number keeps its value with that many fraction bits. */
static int is_short(double x, uint32_t bits)
{
    uint64_t of_f64;
    memcpy(&of_f64, &x, sizeof(of_f64));
    return !(of_f64 << 12 << bits);
}

static double cut_of(double x, uint32_t bits)
{
    double magnitude = __builtin_fabs(x);
    return (magnitude < 0x1p-126 ? 0x1p-126 : magnitude) / (double)(UINT64_C(1) << bits);
}

/* An element as an accumulator takes it that cuts its operands: towards zero, or rounded. */
static struct bk operand(const struct tf_eval *e, struct bk x)
{
    uint32_t bits = e->declared->operand_bits;
    if (!bits || x.doubt || x.lo - x.lo != 0 || x.hi - x.hi != 0 ||
        (x.lo == x.hi && is_short(x.lo, bits) && !(__builtin_fabs(x.lo) < 0x1p-126)))
        return x;
    return (struct bk){bk_add_low(x.lo, -cut_of(x.lo, bits)), bk_add_high(x.hi, cut_of(x.hi, bits)), 0};
}

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
static int split_make(struct split *s, const struct tf_eval *e, const struct tf_tensor *t, int along_rows)
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
        uint8_t found = split_element(s, i, operand(e, bk_at(t, i)));
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
    if (matmul_by_blas(e, a, b, to) == TF_OK)
        return TF_OK;
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
    double *walked; /* instead of lost and what is open: of each element; NULL where the accumulator rounds */
};

/* An element as its sums tell; some_infinite: there is an infinity in its row or column, but nothing that is open. */
static struct bk enclosed(const struct sums *s, size_t i, const struct losses *l, int some_infinite)
{
    double value = s->value[i], reach = s->reach[i], open = s->magnitude ? reach - s->magnitude[i] : 0;
    double lost = l->walked ? l->walked[i] : (open > 0 ? open : 0) + reach * l->lost;
    double error = bk_above(bk_above(lost + reach * l->own) + l->underflow);
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

/* ---- what the accumulator loses -----------------------------------------------------------------------------------*/

static int refuse_operands(tf_ctx *ctx, const struct tf_eval *e, uint32_t dtype)
{
    const char *list = "";
    for (uint32_t i = 0; i < 64; i++)
        if (e->declared->operands >> i & 1)
            list = tf_host->format(ctx, "%s%s%s", list, *list ? ", " : "", tf_host->dtype(i)->name);
    tf_host->error(ctx, &e->call->loc, BK_CODE, "%s: the accumulator %s adds products of %s, and these are of %s",
        e->call->op->name, e->declared->accumulator, list, tf_host->dtype(dtype)->name);
    return TF_E_REFUSED;
}

/* Relative to the magnitudes: in the accumulator, and of the parts of a sum that is split, in f32. */
static double rounding_loses(tf_ctx *ctx, const struct tf_eval *e, uint32_t dtype, double terms, int rounded)
{
    const struct tf_declared *d = e->declared;
    double parts = d->splits > 1 && (double)d->splits < terms && terms < 0x1p22 ? (double)d->splits : 1;
    double length = parts > 1 ? __builtin_ceil(terms / parts) : terms;
    double lost = bk_sum_error(ctx, e, dtype, length - 1, rounded);
    double between = dtype == TF_DTYPE_F64 ? bk_gamma(parts - 1, 0x1p-53) : bk_gamma(parts - 1, 0x1p-24);
    return lost < 0 || parts == 1 ? lost : bk_above(lost + between * (1 + lost));
}

/* Elements of an operand from matrix to matrix, from line to line and along a line. */
static struct walk_side side(const struct split *s, const struct tf_tensor *t, int along_rows)
{
    size_t rows = (size_t)t->extents[t->rank - 2], columns = (size_t)t->extents[t->rank - 1];
    return (struct walk_side){s->centre, s->reach, rows * columns, along_rows ? columns : 1, along_rows ? 1 : columns};
}

static int walking_loses(const struct tf_eval *e, const struct sums *s, size_t terms, const struct split *a,
    const struct split *b, double *to)
{
    struct walk walk = {.eval = e,
        .lhs = side(a, e->args[0], strcmp(ok_string(e->call, 0), "KM") != 0),
        .rhs = side(b, e->args[1], strcmp(ok_string(e->call, 1), "NK") == 0),
        .m = a->across,
        .n = b->across,
        .k = terms,
        .open = a->open || b->open,
        .value = s->value,
        .reach = s->reach,
        .magnitude = s->magnitude,
        .lost = to};
    return walk_all(&walk);
}

static int put_all(tf_ctx *ctx, const struct tf_eval *e, const struct sums *s, size_t terms, const struct split *a,
    const struct split *b)
{
    uint32_t dtype = e->args[0]->dtype;
    const struct tf_declared *d = e->declared;
    int is_wide = dtype == TF_DTYPE_F64 || !strcmp(d->accumulator, "f64"), walks = d->fraction_bits && !is_wide;
    /* products of 16 bits are exact in f32 */
    int rounded = !bk_is_16(dtype) || (strcmp(d->accumulator, "f32") != 0 && !is_wide), rc = TF_OK;
    double n = (double)(terms ? terms : 1);
    struct losses l = {.lost = walks ? 0 : rounding_loses(ctx, e, dtype, n, rounded),
        .own = bk_gamma(4 * (n + 2), 0x1p-53),
        .underflow = is_wide ? 0
                             : n * (d->ftz     ? 0x1p-126
                                       : walks ? 0x1p-148
                                               : 0x1p-150),
        .limit = terms > 1 ? bk_sum_limit(e, dtype) : BK_INFINITY};
    if (l.lost < 0)
        return TF_E_REFUSED;
    if (walks && d->operands && !(d->operands >> dtype & d->operands >> e->args[1]->dtype & 1))
        return refuse_operands(ctx, e, d->operands >> dtype & 1 ? e->args[1]->dtype : dtype);
    if (walks) {
        l.walked = ek_scratch(ek_count(e->results[0]), sizeof(double));
        rc = l.walked ? walking_loses(e, s, terms, a, b, l.walked) : TF_E_NOMEM;
    }
    if (rc == TF_OK)
        put(e, s, &l, a, b);
    free(l.walked);
    return rc;
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
    int rc = split_make(&a, e, e->args[0], strcmp(ok_string(e->call, 0), "KM") != 0);
    if (rc == TF_OK)
        rc = split_make(&b, e, e->args[1], strcmp(ok_string(e->call, 1), "NK") == 0);
    if (rc == TF_OK)
        rc = bound_splits(ctx, e, &a, &b);
    split_free(&a);
    split_free(&b);
    return rc;
}

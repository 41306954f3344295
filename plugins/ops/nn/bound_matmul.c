/* SPDX-License-Identifier: MIT
 * Enclosure of matmul.  With operands c +- r, an element lies within sum(|c| + r)(|c'| + r') - sum |c||c'| of the sum of
 * the c c', and what the accumulator loses is a share of the first of these sums.  Each is a product in f64, of which the
 * own error is added.
 */
#include "boundkit.h"
#include "eval.h"

struct split { /* of an operand */
    double *centre, *reach, *magnitude;
    int open; /* some element is no point */
    int infinite;
    int doubt; /* some element may be NaN, and need not be */
};

static int split_make(struct split *s, const struct tf_tensor *t)
{
    size_t n = ek_count(t);
    s->centre = ek_scratch(n, sizeof(double));
    s->reach = ek_scratch(n, sizeof(double));
    s->magnitude = ek_scratch(n, sizeof(double));
    if (!s->centre || !s->reach || !s->magnitude)
        return TF_E_NOMEM;
    for (size_t i = 0; i < n; i++) {
        struct bk x = bk_at(t, i);
        double c = x.lo == x.hi ? x.lo : x.lo / 2 + x.hi / 2; /* NaN of an element that must be */
        double below = bk_add_high(c, -x.lo), above = bk_add_high(x.hi, -c), r = below > above ? below : above;
        r = x.lo == x.hi ? 0 : r;
        s->centre[i] = c;
        s->magnitude[i] = __builtin_fabs(c);
        s->reach[i] = bk_add_high(s->magnitude[i], r);
        s->infinite |= x.lo == x.hi && c - c != 0;
        s->open |= r != 0 && !bk_is_nan(x);
        s->doubt |= x.doubt == TF_DOUBT_MAY_NAN || (c - c != 0 && r != 0 && !bk_is_nan(x));
    }
    return TF_OK;
}

static void split_free(struct split *s)
{
    free(s->centre);
    free(s->reach);
    free(s->magnitude);
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

static void put(const struct tf_eval *e, const struct sums *s, size_t i, const struct losses *l)
{
    double value = s->value[i], reach = s->reach[i], open = s->magnitude ? reach - s->magnitude[i] : 0;
    double error = bk_above(bk_above((open > 0 ? open : 0) + reach * (l->lost + l->own)) + l->underflow);
    if (value - value == 0 && !(reach < l->limit))
        bk_put(e->results[0], i, bk_anything());
    else if (value - value != 0)
        bk_put(e->results[0], i, value == value ? bk_result(e, (struct bk){value, value, 0}) : bk_nan());
    else
        bk_put(e->results[0], i, bk_result(e, (struct bk){bk_add_low(value, -error), bk_add_high(value, error), 0}));
}

static int put_all(tf_ctx *ctx, const struct tf_eval *e, const struct sums *s, size_t terms)
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
    for (size_t i = 0; i < ek_count(e->results[0]); i++)
        put(e, s, i, &l);
    return TF_OK;
}

static int bound_splits(tf_ctx *ctx, const struct tf_eval *e, struct split *a, struct split *b)
{
    const struct tf_tensor *lhs = e->args[0];
    int is_km = strcmp(ok_string(e->call, 0), "KM") == 0, open = a->open || b->open;
    size_t n = ek_count(e->results[0]), terms = (size_t)lhs->extents[lhs->rank - (is_km ? 2 : 1)];
    int unknown = a->doubt || b->doubt || (a->infinite && b->open) || (b->infinite && a->open);
    struct sums s = {
        ek_scratch(n, sizeof(double)), ek_scratch(n, sizeof(double)), open ? ek_scratch(n, sizeof(double)) : NULL};
    int rc = s.value && s.reach && (s.magnitude || !open) ? TF_OK : TF_E_NOMEM;
    for (size_t i = 0; i < n && rc == TF_OK && unknown; i++)
        bk_put(e->results[0], i, bk_anything());
    if (rc == TF_OK && !unknown) {
        rc = product(ctx, e, a->centre, b->centre, s.value);
        if (rc == TF_OK)
            rc = product(ctx, e, a->reach, b->reach, s.reach);
        if (rc == TF_OK && open)
            rc = product(ctx, e, a->magnitude, b->magnitude, s.magnitude);
        if (rc == TF_OK)
            rc = put_all(ctx, e, &s, terms);
    }
    free(s.value);
    free(s.reach);
    free(s.magnitude);
    return rc;
}

int bound_matmul(tf_ctx *ctx, const struct tf_eval *e)
{
    struct split a = {0}, b = {0};
    int rc = split_make(&a, e->args[0]);
    if (rc == TF_OK)
        rc = split_make(&b, e->args[1]);
    if (rc == TF_OK)
        rc = bound_splits(ctx, e, &a, &b);
    split_free(&a);
    split_free(&b);
    return rc;
}

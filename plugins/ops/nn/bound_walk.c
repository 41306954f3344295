/* SPDX-License-Identifier: MIT
 * One step adds `step` products to the sum so far, c with an error of at most b.  All are aligned to the largest, of
 * magnitude m: what lies below unit = 2^(floor(log2 m) - fraction_bits) is cut off.  A product that is a multiple of unit
 * loses nothing, another at most unit or itself, and so does the sum so far; their sum is cut off at its own unit once
 * more.  The order within a step is free; the order of steps is the accumulator's.
 */
#include "bound_walk.h"

#include "eval.h"

#define MOST_WALKED ((size_t)1 << 26) /* products, about a second of work */
#define LEAST_ROWS ((size_t)64)

/* 2^floor(log2 x) of a positive number; of zero or less than f64's normal ones, their least. */
static double power_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof(bits));
    bits &= UINT64_C(0x7ff) << 52;
    bits = bits ? bits : UINT64_C(1) << 52;
    memcpy(&x, &bits, sizeof(x));
    return x;
}

/* ---- one sum ------------------------------------------------------------------------------------------------------*/

struct line { /* of an operand, k by k */
    const double *centre, *reach;
};
struct sum {
    double value, error;
};

/* How the accumulator works. */
struct kind {
    size_t step;
    double cut; /* unit of a magnitude of 1 */
    int open;
};

/* What the products [first, end) lose at one unit. */
static double products_lose(struct line a, struct line b, size_t first, size_t end, double unit, int open)
{
    double magic = 0x1.8p52 * unit, lost = 0;
    for (size_t i = first; i < end; i++) {
        double p = a.centre[i] * b.centre[i], most = a.reach[i] * b.reach[i];
        lost += !open && (p + magic) - magic == p ? 0 : most < unit ? most : unit;
    }
    return lost;
}

static void one_step(const struct kind *kind, struct line a, struct line b, size_t first, size_t end, struct sum *sum)
{
    double before = __builtin_fabs(sum->value) + sum->error, largest = before, open = 0;
    for (size_t i = first; i < end; i++) {
        double p = a.centre[i] * b.centre[i], most = a.reach[i] * b.reach[i];
        largest = most > largest ? most : largest;
        sum->value += p;
        open += most - __builtin_fabs(p);
    }
    if (largest == 0)
        return;
    double unit = power_of(largest) * kind->cut;
    sum->error += open + products_lose(a, b, first, end, unit, kind->open) + (before < unit ? before : unit);
    sum->error += power_of(__builtin_fabs(sum->value) + sum->error) * kind->cut;
}

static struct sum follow(const struct kind *kind, struct line a, struct line b, size_t first, size_t end)
{
    struct sum sum = {0, 0};
    for (size_t at = first; at < end; at += kind->step)
        one_step(kind, a, b, at, at + kind->step < end ? at + kind->step : end, &sum);
    return sum;
}

/* Sums of parts of a length, added in f32 afterwards: in chunks, and over these in splits. */
static struct sum follow_parts(
    const struct kind *kind, struct line a, struct line b, size_t first, size_t end, size_t length, size_t inner)
{
    struct sum total = {0, 0};
    double magnitude = 0, parts = 0;
    for (size_t at = first; at < end; at += length, parts++) {
        size_t to = end - at < length ? end : at + length;
        struct sum part = inner ? follow_parts(kind, a, b, at, to, inner, 0) : follow(kind, a, b, at, to);
        total.value += part.value;
        total.error += part.error;
        magnitude += __builtin_fabs(part.value) + part.error;
    }
    if (parts > 1)
        total.error += bk_gamma(parts - 1, 0x1p-24) * magnitude;
    return total;
}

/* Products in one part of a sum that is split, whole steps or chunks; 0: it is not split. */
static size_t part_length(const struct tf_declared *d, size_t k)
{
    size_t whole = d->chunk ? d->chunk : d->step, length = d->splits ? (k + d->splits - 1) / d->splits : k;
    return d->splits > 1 && length < k ? (length + whole - 1) / whole * whole : 0;
}

/* f64's own roundings on the way, of which there are a few for each product. */
static double own_error(size_t k, double magnitude)
{
    return bk_gamma(8 * ((double)k + 2), 0x1p-53) * magnitude;
}

/* ---- rows ---------------------------------------------------------------------------------------------------------*/

struct rows { /* of one matrix of the result, of which some are walked */
    const struct walk *walk;
    struct kind kind;
    const uint8_t *drawn;          /* of each row */
    const double *lhs, *lhs_reach; /* first elements */
    const double *centre, *reach;  /* of the right operand: column by column */
    double *lost;                  /* of the matrix's elements */
    const double *magnitude;       /* sums of the greatest magnitudes, likewise */
    size_t part;
    int failed; /* for want of memory */
};

static void walk_row(const struct rows *r, size_t row, double *factors)
{
    const struct walk *w = r->walk;
    const struct tf_declared *d = w->eval->declared;
    size_t outer = r->part ? r->part : d->chunk ? d->chunk : w->k, inner = r->part ? d->chunk : 0;
    for (size_t i = 0; i < w->k; i++) {
        factors[i] = r->lhs[row * w->lhs.line + i * w->lhs.step];
        factors[w->k + i] = r->lhs_reach[row * w->lhs.line + i * w->lhs.step];
    }
    for (size_t column = 0; column < w->n; column++) {
        size_t at = row * w->n + column;
        struct line a = {factors, factors + w->k}, b = {r->centre + column * w->k, r->reach + column * w->k};
        r->lost[at] = follow_parts(&r->kind, a, b, 0, w->k, outer, inner).error + own_error(w->k, r->magnitude[at]);
    }
}

static void walk_piece(void *data, size_t first, size_t end)
{
    struct rows *r = data;
    double *factors = ek_scratch(r->walk->k, 2 * sizeof(*factors));
    if (!factors)
        __atomic_store_n(&r->failed, 1, __ATOMIC_RELAXED);
    for (size_t row = first; factors && row < end; row++)
        if (r->drawn[row])
            walk_row(r, row, factors);
    free(factors);
}

/* Without a look at the products one by one: each loses a unit of the largest that the sum can become on its way. */
static double coarse(const struct walk *w, const struct kind *kind, size_t i, size_t part)
{
    const struct tf_declared *d = w->eval->declared;
    double reach = w->reach[i], open = w->magnitude ? reach - w->magnitude[i] : 0;
    double largest = (reach + __builtin_fabs(w->value[i]) + open) / 2;
    size_t outer = part ? part : d->chunk ? d->chunk : w->k, inner = d->chunk ? d->chunk : outer;
    inner = inner < w->k ? inner : w->k;
    size_t steps = (inner + kind->step - 1) / kind->step;
    double lost = ((double)kind->step + 2) * (double)steps * kind->cut;
    if (outer >= w->k && inner >= w->k)
        return open + lost * largest + own_error(w->k, reach);
    double error = lost * reach;
    for (size_t length = inner, of = outer; length < w->k; length = of, of = w->k)
        if (length < of)
            error += bk_gamma((double)((of + length - 1) / length) - 1, 0x1p-24) * (reach + error);
    return open + error + own_error(w->k, reach);
}

/* The right operand's columns one after another, as rows of the left one meet them. */
static void pack(const struct walk *w, size_t matrix, double *centre, double *reach)
{
    for (size_t column = 0; column < w->n; column++)
        for (size_t i = 0; i < w->k; i++) {
            size_t from = matrix * w->rhs.matrix + column * w->rhs.line + i * w->rhs.step;
            centre[column * w->k + i] = w->rhs.centre[from];
            reach[column * w->k + i] = w->rhs.reach[from];
        }
}

static int walk_matrix(const struct walk *w, size_t batch, const uint8_t *drawn, double *columns)
{
    const struct tf_tensor *const *args = w->eval->args, *result = w->eval->results[0];
    const struct tf_declared *d = w->eval->declared;
    size_t lhs = matmul_matrix_of(args[0], result, batch) * w->lhs.matrix, first = batch * w->m * w->n;
    struct rows r = {.walk = w,
        .kind = {d->step, 1 / (double)(UINT64_C(1) << d->fraction_bits), w->open},
        .drawn = drawn,
        .lhs = w->lhs.centre + lhs,
        .lhs_reach = w->lhs.reach + lhs,
        .centre = columns,
        .reach = columns + w->n * w->k,
        .lost = w->lost + first,
        .magnitude = w->reach + first,
        .part = part_length(d, w->k)};
    size_t work = w->n * w->k + 1;
    pack(w, matmul_matrix_of(args[1], result, batch), columns, columns + w->n * w->k);
    tf_host->parallel(w->m, EK_GRAIN / work + 1, walk_piece, &r);
    for (size_t row = 0; row < w->m; row++)
        for (size_t column = 0; !drawn[row] && column < w->n; column++) {
            size_t i = row * w->n + column;
            r.lost[i] = coarse(w, &r.kind, first + i, r.part);
        }
    return r.failed ? TF_E_NOMEM : TF_OK;
}

/* ---- which rows ---------------------------------------------------------------------------------------------------*/

static uint64_t random_next(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* Marks `wanted` of the rows: as they come, each with the chance that makes the number come out. */
static void draw(uint8_t *drawn, size_t rows, size_t wanted, uint64_t seed)
{
    for (size_t i = 0; i < rows; i++) {
        drawn[i] = random_next(&seed) % (rows - i) < wanted;
        wanted -= drawn[i];
    }
}

static size_t rows_walked(const struct walk *w, size_t rows)
{
    size_t work = w->n * w->k, wanted = work ? MOST_WALKED / work : rows;
    wanted = wanted < LEAST_ROWS ? LEAST_ROWS : wanted;
    return wanted < rows ? wanted : rows;
}

int walk_all(const struct walk *w)
{
    struct tf_walks *walks = w->eval->walks;
    size_t rows = w->m && w->n ? ek_count(w->eval->results[0]) / w->n : 0, wanted = rows_walked(w, rows);
    uint8_t *drawn = ek_scratch(rows, 1);
    double *columns = ek_scratch(w->n * w->k, 2 * sizeof(*columns));
    int rc = drawn && columns ? TF_OK : TF_E_NOMEM;
    if (rc == TF_OK)
        draw(drawn, rows, wanted, walks ? walks->seed : 0);
    for (size_t batch = 0; rc == TF_OK && batch * w->m < rows; batch++)
        rc = walk_matrix(w, batch, drawn + batch * w->m, columns);
    if (walks) {
        walks->rows += rows;
        walks->walked += wanted;
    }
    free(drawn);
    free(columns);
    return rc;
}

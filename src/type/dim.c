/* SPDX-License-Identifier: MIT
 * Dimensions: the normal form and its arithmetic.  What is done with a dimension afterwards is in dim_use.c.
 */
#include "type/dim.h"

#include <stdlib.h>
#include <string.h>

static const char TOO_LARGE_NUMBER[] = "it does not fit 64 bits";
static const char BY_ZERO[] = "it divides by zero";
static const char TOO_LARGE[] = "it has too many parts";

static const struct tf_dim *refuse(const char **why, const char *reason)
{
    if (why)
        *why = reason;
    return NULL;
}

/* ---- order ---------------------------------------------------------------------------------------------------------*/

static int compare_dims(const struct dim *a, const struct dim *b);

static int compare_numbers(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int compare_vars(const struct dim_atom *a, const struct dim_atom *b)
{
    int order = strcmp(a->name, b->name);
    if (!order)
        order = compare_numbers(a->lo, b->lo);
    return order ? order : compare_numbers(a->hi, b->hi);
}

static int compare_atoms(const struct dim_atom *a, const struct dim_atom *b)
{
    if (a == b)
        return 0;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (a->kind == ATOM_VAR)
        return compare_vars(a, b);
    int order = compare_numbers(a->n, b->n);
    for (uint32_t i = 0; !order && i < a->n; i++)
        order = compare_dims(a->sorted[i], b->sorted[i]);
    return order ? order : compare_numbers(a->divisor, b->divisor);
}

static int compare_dims(const struct dim *a, const struct dim *b)
{
    if (a == b)
        return 0;
    for (size_t i = 0; i < a->n && i < b->n; i++) {
        int order = compare_atoms(a->term[i].atom, b->term[i].atom);
        if (!order)
            order = compare_numbers(a->term[i].factor, b->term[i].factor);
        if (order)
            return order;
    }
    if (a->n != b->n)
        return a->n < b->n ? -1 : 1;
    return compare_numbers(a->constant, b->constant);
}

/* ---- interning -----------------------------------------------------------------------------------------------------*/

static int same_dim(const void *entry, const void *key)
{
    const struct dim *a = entry, *b = key;
    if (a->constant != b->constant || a->n != b->n)
        return 0;
    for (size_t i = 0; i < a->n; i++)
        if (a->term[i].factor != b->term[i].factor || a->term[i].atom != b->term[i].atom)
            return 0;
    return 1;
}

static int same_atom(const void *entry, const void *key)
{
    const struct dim_atom *a = entry, *b = key;
    if (a->kind != b->kind || a->n != b->n || a->divisor != b->divisor)
        return 0;
    if (a->kind == ATOM_VAR)
        return a->name == b->name && a->lo == b->lo && a->hi == b->hi;
    return !a->n || !memcmp(a->sorted, b->sorted, a->n * sizeof(*a->sorted));
}

static const struct dim_atom *intern_atom(tf_ctx *ctx, struct dim_atom *key)
{
    struct dim_table *tables = type_tables(ctx);
    uint32_t hash = hash_more(hash_more(key->kind, (uint64_t)key->divisor), (uint64_t)key->lo);
    hash = hash_pointer(hash_more(hash, (uint64_t)key->hi), key->name);
    hash = hash_pointers(hash, (const void *const *)key->sorted, key->n);
    const struct dim_atom *known = table_find(&tables->atoms, hash, key, same_atom);
    if (known)
        return known;
    key->size = 1;
    for (uint32_t i = 0; i < key->n; i++)
        key->size += key->operand[i]->size;
    if (key->n) {
        key->operand = arena_copy(&ctx->arena, key->operand, key->n * sizeof(*key->operand));
        key->sorted = arena_copy(&ctx->arena, key->sorted, key->n * sizeof(*key->sorted));
    }
    known = arena_copy(&ctx->arena, key, sizeof(*key));
    table_add(&tables->atoms, &ctx->arena, hash, known);
    return known;
}

static const struct tf_dim *intern_dim(tf_ctx *ctx, int64_t constant, const struct dim_term *term, size_t n)
{
    struct dim_table *tables = type_tables(ctx);
    struct dim key = {.constant = constant, .n = n, .term = term, .size = 1};
    uint32_t hash = hash_more(17, (uint64_t)constant);
    for (size_t i = 0; i < n; i++)
        hash = hash_pointer(hash_more(hash, (uint64_t)term[i].factor), term[i].atom);
    const struct dim *known = table_find(&tables->dims, hash, &key, same_dim);
    if (known)
        return &known->pub;
    for (size_t i = 0; i < n; i++)
        key.size += term[i].atom->size + (term[i].factor != 1);
    key.pub.kind = n ? TF_DIM_EXPR : TF_DIM_CONST;
    key.pub.value = n ? 0 : constant;
    key.term = n ? arena_copy(&ctx->arena, term, n * sizeof(*term)) : NULL;
    known = arena_copy(&ctx->arena, &key, sizeof(key));
    table_add(&tables->dims, &ctx->arena, hash, known);
    return &known->pub;
}

/* ---- sums ----------------------------------------------------------------------------------------------------------*/

#define FEW_TERMS 12
struct sum {
    int64_t constant;
    size_t n, room;
    struct dim_term *term; /* in order; `few` until there are more */
    struct dim_term few[FEW_TERMS];
};

static void sum_init(struct sum *sum)
{
    sum->constant = 0;
    sum->n = 0;
    sum->room = FEW_TERMS;
    sum->term = sum->few;
}

static void sum_finish(struct sum *sum)
{
    if (sum->term != sum->few)
        free(sum->term);
}

static void sum_open(struct sum *sum, size_t at)
{
    if (sum->n == sum->room) {
        struct dim_term *more = xrealloc(NULL, sum->room * 2 * sizeof(*more));
        memcpy(more, sum->term, sum->n * sizeof(*more));
        sum_finish(sum);
        sum->term = more;
        sum->room *= 2;
    }
    memmove(sum->term + at + 1, sum->term + at, (sum->n - at) * sizeof(*sum->term));
    sum->n++;
}

static void sum_drop(struct sum *sum, size_t at)
{
    sum->n--;
    memmove(sum->term + at, sum->term + at + 1, (sum->n - at) * sizeof(*sum->term));
}

/* Adds factor * atom, looking from term `from` on; returns where to look for the atom after it, or -1 on overflow. */
static ptrdiff_t sum_add_atom(struct sum *sum, const struct dim_atom *atom, int64_t factor, size_t from)
{
    int order = 1;
    size_t at = from;
    while (at < sum->n && (order = compare_atoms(sum->term[at].atom, atom)) < 0)
        at++;
    if (at == sum->n || order) {
        if (!factor)
            return (ptrdiff_t)at;
        sum_open(sum, at);
        sum->term[at] = (struct dim_term){.factor = factor, .atom = atom};
        return (ptrdiff_t)at + 1;
    }
    if (__builtin_add_overflow(sum->term[at].factor, factor, &sum->term[at].factor))
        return -1;
    if (sum->term[at].factor)
        return (ptrdiff_t)at + 1;
    sum_drop(sum, at);
    return (ptrdiff_t)at;
}

/* Adds scale * d; 0, or -1 on overflow. */
static int sum_add(struct sum *sum, const struct dim *d, int64_t scale)
{
    int64_t part;
    if (__builtin_mul_overflow(d->constant, scale, &part) ||
        __builtin_add_overflow(sum->constant, part, &sum->constant))
        return -1;
    ptrdiff_t at = 0;
    for (size_t i = 0; i < d->n; i++) {
        if (__builtin_mul_overflow(d->term[i].factor, scale, &part))
            return -1;
        at = sum_add_atom(sum, d->term[i].atom, part, (size_t)at);
        if (at < 0)
            return -1;
    }
    return 0;
}

static const struct tf_dim *sum_dim(tf_ctx *ctx, const struct sum *sum, const char **why)
{
    uint64_t size = 1;
    for (size_t i = 0; i < sum->n; i++)
        size += sum->term[i].atom->size + 1;
    return size > LARGEST_DIM ? refuse(why, TOO_LARGE) : intern_dim(ctx, sum->constant, sum->term, sum->n);
}

static const struct tf_dim *atom_dim(tf_ctx *ctx, struct dim_atom *key, int64_t factor, const char **why)
{
    uint64_t size = 2;
    for (uint32_t i = 0; i < key->n; i++)
        size += key->operand[i]->size;
    if (size > LARGEST_DIM)
        return refuse(why, TOO_LARGE);
    struct dim_term term = {.factor = factor, .atom = intern_atom(ctx, key)};
    return intern_dim(ctx, 0, &term, 1);
}

/* ---- making --------------------------------------------------------------------------------------------------------*/

const struct tf_dim *dim_const(tf_ctx *ctx, int64_t value)
{
    return intern_dim(ctx, value, NULL, 0);
}

const struct tf_dim *dim_variable(tf_ctx *ctx, const char *name, int64_t lo, int64_t hi)
{
    struct dim_atom key = {.kind = ATOM_VAR, .lo = lo, .hi = hi, .name = ctx_intern(ctx, name)};
    return atom_dim(ctx, &key, 1, NULL);
}

/* a + scale * b */
static const struct tf_dim *add_scaled(
    tf_ctx *ctx, const struct tf_dim *a, const struct tf_dim *b, int64_t scale, const char **why)
{
    struct sum sum;
    sum_init(&sum);
    const struct tf_dim *result = NULL;
    if (sum_add(&sum, dim_of(a), 1) || sum_add(&sum, dim_of(b), scale))
        refuse(why, TOO_LARGE_NUMBER);
    else
        result = sum_dim(ctx, &sum, why);
    sum_finish(&sum);
    return result;
}

const struct tf_dim *dim_add(tf_ctx *ctx, const struct tf_dim *a, const struct tf_dim *b, const char **why)
{
    return add_scaled(ctx, a, b, 1, why);
}

const struct tf_dim *dim_sub(tf_ctx *ctx, const struct tf_dim *a, const struct tf_dim *b, const char **why)
{
    return add_scaled(ctx, a, b, -1, why);
}

static const struct tf_dim *scaled(tf_ctx *ctx, const struct tf_dim *d, int64_t factor, const char **why)
{
    return add_scaled(ctx, dim_const(ctx, 0), d, factor, why);
}

/* ---- products ------------------------------------------------------------------------------------------------------*/

static uint64_t magnitude(int64_t value)
{
    return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

static uint64_t gcd(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* -2^63 has no negative. */
static int can_negate(const struct dim *d, int64_t content)
{
    int least = d->constant == INT64_MIN;
    for (size_t i = 0; i < d->n; i++)
        least |= d->term[i].factor == INT64_MIN;
    return content != -1 || !least;
}

/* Takes the common factor out of an expression, signed so that its first term is positive. */
static const struct dim *primitive(tf_ctx *ctx, const struct dim *d, int64_t *content)
{
    uint64_t common = magnitude(d->constant);
    for (size_t i = 0; i < d->n; i++)
        common = gcd(common, magnitude(d->term[i].factor));
    if (common > INT64_MAX)
        common = 1; /* everything is -2^63: left as it is */
    *content = d->term[0].factor < 0 ? -(int64_t)common : (int64_t)common;
    if (*content == 1 || !can_negate(d, *content)) {
        *content = 1;
        return d;
    }
    struct sum sum;
    sum_init(&sum);
    sum.constant = d->constant / *content;
    ptrdiff_t at = 0;
    for (size_t i = 0; i < d->n && at >= 0; i++)
        at = sum_add_atom(&sum, d->term[i].atom, d->term[i].factor / *content, (size_t)at);
    const struct tf_dim *result = sum_dim(ctx, &sum, NULL);
    sum_finish(&sum);
    return result ? dim_of(result) : d;
}

static void sort_operands(const struct dim **at, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++)
        for (uint32_t j = i; j && compare_dims(at[j], at[j - 1]) < 0; j--) {
            const struct dim *swap = at[j];
            at[j] = at[j - 1];
            at[j - 1] = swap;
        }
}

/* The factors of a product, or the expression itself as one. */
static uint32_t factors(const struct dim *d, const struct dim *const **at, const struct dim *const *self)
{
    int is_product = d->n == 1 && !d->constant && d->term[0].factor == 1 && d->term[0].atom->kind == ATOM_PRODUCT;
    *at = is_product ? d->term[0].atom->operand : self;
    return is_product ? d->term[0].atom->n : 1;
}

#define MAX_FACTORS 64

/* Products of two expressions are not multiplied out: they stay as written, but for constants and order. */
static const struct tf_dim *product(tf_ctx *ctx, const struct dim *a, const struct dim *b, const char **why)
{
    const struct dim *written[MAX_FACTORS], *sorted[MAX_FACTORS], *const *part[2];
    int64_t content[2], factor;
    a = primitive(ctx, a, &content[0]);
    b = primitive(ctx, b, &content[1]);
    if (__builtin_mul_overflow(content[0], content[1], &factor))
        return refuse(why, TOO_LARGE_NUMBER);
    uint32_t n[2] = {factors(a, &part[0], &a), factors(b, &part[1], &b)};
    if (n[0] + n[1] > MAX_FACTORS)
        return refuse(why, TOO_LARGE);
    memcpy(written, part[0], n[0] * sizeof(*written));
    memcpy(written + n[0], part[1], n[1] * sizeof(*written));
    memcpy(sorted, written, (n[0] + n[1]) * sizeof(*written));
    sort_operands(sorted, n[0] + n[1]);
    struct dim_atom key = {.kind = ATOM_PRODUCT, .n = n[0] + n[1], .operand = written, .sorted = sorted};
    return atom_dim(ctx, &key, factor, why);
}

const struct tf_dim *dim_mul(tf_ctx *ctx, const struct tf_dim *a, const struct tf_dim *b, const char **why)
{
    int64_t factor;
    if (dim_is_const(a, &factor))
        return scaled(ctx, b, factor, why);
    if (dim_is_const(b, &factor))
        return scaled(ctx, a, factor, why);
    return product(ctx, dim_of(a), dim_of(b), why);
}

/* ---- division ------------------------------------------------------------------------------------------------------*/

static int64_t floor_quotient(int64_t a, int64_t b)
{
    int64_t q = a / b;
    return q - (a % b != 0 && (a < 0) != (b < 0));
}

/* The quotient q for which *value - q * divisor, which is left in *value, lies in (-divisor / 2, divisor / 2]. */
static int64_t near_quotient(int64_t *value, int64_t divisor)
{
    int64_t q = floor_quotient(*value, divisor), rest = *value % divisor;
    if (rest < 0)
        rest += divisor;
    int up = rest > divisor / 2;
    *value = up ? rest - divisor : rest;
    return q + up;
}

/* num // divisor being worked on: out + num // divisor is what was asked for, all the time. */
struct division {
    struct sum num, out;
    int64_t divisor;
};

/* Moves whole multiples of the divisor out. */
static int division_reduce(struct division *d)
{
    int64_t q = near_quotient(&d->num.constant, d->divisor);
    if (__builtin_add_overflow(d->out.constant, q, &d->out.constant))
        return -1;
    for (size_t i = 0; i < d->num.n;) {
        struct dim_term *term = &d->num.term[i];
        q = near_quotient(&term->factor, d->divisor);
        if (q && sum_add_atom(&d->out, term->atom, q, 0) < 0)
            return -1;
        if (term->factor)
            i++;
        else
            sum_drop(&d->num, i);
    }
    return 0;
}

/* (g * a + k) // (g * c) is (a + k // g) // c. */
static int division_cancel(struct division *d)
{
    uint64_t common = (uint64_t)d->divisor;
    for (size_t i = 0; i < d->num.n; i++)
        common = gcd(common, magnitude(d->num.term[i].factor));
    if (common == 1)
        return 0;
    int64_t g = (int64_t)common;
    for (size_t i = 0; i < d->num.n; i++)
        d->num.term[i].factor /= g;
    d->num.constant = floor_quotient(d->num.constant, g);
    d->divisor /= g;
    return 1;
}

/* (a // m + b) // c is (a + m * b) // (m * c). */
static int division_absorb(struct division *d)
{
    for (size_t i = 0; i < d->num.n; i++) {
        const struct dim_atom *atom = d->num.term[i].atom;
        int64_t divisor;
        if (d->num.term[i].factor != 1 || atom->kind != ATOM_FLOORDIV ||
            __builtin_mul_overflow(d->divisor, atom->divisor, &divisor))
            continue;
        struct sum num;
        sum_init(&num);
        int failed = __builtin_mul_overflow(d->num.constant, atom->divisor, &num.constant) != 0;
        ptrdiff_t at = 0;
        for (size_t k = 0; k < d->num.n && !failed; k++) {
            int64_t factor;
            if (k == i)
                continue;
            failed = __builtin_mul_overflow(d->num.term[k].factor, atom->divisor, &factor) != 0 ||
                     (at = sum_add_atom(&num, d->num.term[k].atom, factor, (size_t)at)) < 0;
        }
        if (failed || sum_add(&num, atom->operand[0], 1)) {
            sum_finish(&num);
            continue;
        }
        sum_finish(&d->num);
        d->num = num;
        if (num.term == num.few)
            d->num.term = d->num.few;
        d->divisor = divisor;
        return 1;
    }
    return 0;
}

static const struct tf_dim *division_result(tf_ctx *ctx, struct division *d, const char **why)
{
    if (!d->num.n) {
        if (__builtin_add_overflow(d->out.constant, floor_quotient(d->num.constant, d->divisor), &d->out.constant))
            return refuse(why, TOO_LARGE_NUMBER);
        return sum_dim(ctx, &d->out, why);
    }
    const struct tf_dim *left = sum_dim(ctx, &d->num, why), *quotient = left, *out = sum_dim(ctx, &d->out, why);
    if (left && d->divisor > 1) {
        const struct dim *operand = dim_of(left);
        struct dim_atom key = {
            .kind = ATOM_FLOORDIV, .n = 1, .operand = &operand, .sorted = &operand, .divisor = d->divisor};
        quotient = atom_dim(ctx, &key, 1, why);
    }
    return quotient && out ? dim_add(ctx, out, quotient, why) : NULL;
}

static const struct tf_dim *divide(tf_ctx *ctx, const struct tf_dim *a, int64_t divisor, const char **why)
{
    struct division d;
    sum_init(&d.num);
    sum_init(&d.out);
    d.divisor = divisor;
    int failed = sum_add(&d.num, dim_of(a), 1);
    do
        failed = failed || division_reduce(&d);
    while (!failed && (division_cancel(&d) || division_absorb(&d)));
    const struct tf_dim *result = failed ? refuse(why, TOO_LARGE_NUMBER) : division_result(ctx, &d, why);
    sum_finish(&d.num);
    sum_finish(&d.out);
    return result;
}

static const struct tf_dim *binary(
    tf_ctx *ctx, uint32_t kind, const struct tf_dim *a, const struct tf_dim *b, const char **why)
{
    const struct dim *written[2] = {dim_of(a), dim_of(b)}, *sorted[2] = {written[0], written[1]};
    if (kind == ATOM_MIN || kind == ATOM_MAX)
        sort_operands(sorted, 2);
    struct dim_atom key = {.kind = kind, .n = 2, .operand = written, .sorted = sorted};
    return atom_dim(ctx, &key, 1, why);
}

const struct tf_dim *dim_floordiv(tf_ctx *ctx, const struct tf_dim *a, const struct tf_dim *b, const char **why)
{
    int64_t divisor;
    if (!dim_is_const(b, &divisor))
        return binary(ctx, ATOM_QUOTIENT, a, b, why);
    if (!divisor)
        return refuse(why, BY_ZERO);
    if (divisor > 0)
        return divide(ctx, a, divisor, why);
    const struct tf_dim *negated = divisor == INT64_MIN ? NULL : scaled(ctx, a, -1, why);
    return negated ? divide(ctx, negated, -divisor, why) : refuse(why, TOO_LARGE_NUMBER);
}

const struct tf_dim *dim_mod(tf_ctx *ctx, const struct tf_dim *a, const struct tf_dim *b, const char **why)
{
    int64_t number, divisor;
    if (!dim_is_const(b, &divisor))
        return binary(ctx, ATOM_REMAINDER, a, b, why);
    if (dim_is_const(a, &number) && divisor > 0)
        return dim_const(ctx, number % divisor + (number % divisor < 0 ? divisor : 0));
    const struct tf_dim *quotient = dim_floordiv(ctx, a, b, why);
    const struct tf_dim *whole = quotient ? dim_mul(ctx, quotient, b, why) : NULL;
    return whole ? dim_sub(ctx, a, whole, why) : NULL;
}

/* ---- the smaller and the larger ------------------------------------------------------------------------------------*/

static const struct tf_dim *choose(tf_ctx *ctx, uint32_t kind, const struct tf_dim *a, const struct tf_dim *b)
{
    int64_t gap, left, right;
    if (dim_is_const(a, &left) && dim_is_const(b, &right))
        return (left <= right) == (kind == ATOM_MIN) ? a : b;
    const struct tf_dim *difference = dim_sub(ctx, a, b, NULL);
    if (!difference || !dim_is_const(difference, &gap))
        return binary(ctx, kind, a, b, NULL);
    return (gap <= 0) == (kind == ATOM_MIN) ? a : b;
}

const struct tf_dim *dim_min(tf_ctx *ctx, const struct tf_dim *a, const struct tf_dim *b)
{
    return choose(ctx, ATOM_MIN, a, b);
}

const struct tf_dim *dim_max(tf_ctx *ctx, const struct tf_dim *a, const struct tf_dim *b)
{
    return choose(ctx, ATOM_MAX, a, b);
}

/* SPDX-License-Identifier: MIT
 * The values of numbers.  Whole numbers of any size keep their digits, base 10.
 */
#include "front/parse.h"

#include "util/buf.h"

#include <stdlib.h>
#include <string.h>

/* Python reads no longer decimal either; it also keeps the conversion below short. */
#define MOST_DIGITS 4300u

static void copy_digits(struct buf *out, const struct parser *p, const struct token *t, uint32_t skip)
{
    for (uint32_t i = skip; i < t->length; i++)
        if (p->text[t->start + i] != '_')
            buf_char(out, p->text[t->start + i]);
}

static unsigned digit_value(char c)
{
    return c <= '9' ? (unsigned)(c - '0') : (unsigned)((c | 32) - 'a') + 10;
}

/* Base 10 from another base: parts of nine digits, the lowest first. */
static void to_decimal(struct buf *out, const char *digits, size_t n, unsigned base)
{
    VEC(uint32_t) part = {0};
    VEC_PUSH(&part, 0);
    for (size_t i = 0; i < n; i++) {
        uint64_t carry = digit_value(digits[i]);
        for (size_t k = 0; k < part.n; k++) {
            uint64_t sum = (uint64_t)part.at[k] * base + carry;
            part.at[k] = (uint32_t)(sum % 1000000000u);
            carry = sum / 1000000000u;
        }
        if (carry)
            VEC_PUSH(&part, (uint32_t)carry);
    }
    buf_printf(out, "%u", part.at[part.n - 1]);
    for (size_t k = part.n - 1; k > 0; k--)
        buf_printf(out, "%09u", part.at[k - 1]);
    VEC_FREE(&part);
}

static void set_int(struct parser *p, struct expr *e, const char *digits)
{
    while (digits[0] == '0' && digits[1])
        digits++;
    e->name = ctx_intern(p->ctx, digits);
    e->fits64 = 1;
    for (const char *c = digits; *c; c++)
        if (__builtin_mul_overflow(e->i, 10, &e->i) || __builtin_add_overflow(e->i, *c - '0', &e->i))
            e->fits64 = 0;
    if (!e->fits64)
        e->i = 0;
}

static int is_float(const char *digits)
{
    return strpbrk(digits, ".eE") != NULL;
}

static void set_value(
    struct parser *p, struct expr *e, const struct token *t, const char *digits, size_t n, unsigned base)
{
    struct buf decimal = {0};
    char last = digits[n - 1];
    if (base == 10 && (last == 'j' || last == 'J')) {
        e->kind = EXPR_OTHER;
        e->name = ctx_intern(p->ctx, "imaginary number");
    } else if (base == 10 && is_float(digits)) {
        e->kind = EXPR_FLOAT;
        e->f = strtod(digits, NULL);
    } else if (n > MOST_DIGITS) {
        fail_at(p, t, "a number of more than %u digits", MOST_DIGITS);
    } else if (base == 10) {
        set_int(p, e, digits);
    } else {
        to_decimal(&decimal, digits, n, base);
        set_int(p, e, buf_text(&decimal));
        buf_free(&decimal);
    }
}

struct expr *parse_number(struct parser *p)
{
    const struct token *t = p->at;
    struct expr *e = expr_new(p, EXPR_INT, t);
    struct buf digits = {0};
    char kind = t->length > 1 ? (char)(p->text[t->start + 1] | 32) : '0';
    unsigned base = p->text[t->start] != '0' ? 10 : kind == 'x' ? 16 : kind == 'o' ? 8 : kind == 'b' ? 2 : 10;
    next(p);
    copy_digits(&digits, p, t, base == 10 ? 0 : 2);
    set_value(p, e, t, digits.at, digits.n, base);
    buf_free(&digits);
    return e;
}

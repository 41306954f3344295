/* SPDX-License-Identifier: MIT */
#include "front/lexer.h"

#include <string.h>

static int is_digit(char c, int base)
{
    if (base == 16)
        return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'f');
    return c >= '0' && c < '0' + base;
}

static int is_word(char c)
{
    return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') || c == '_' || (unsigned char)c >= 0x80;
}

/* Past digits with single underscores between them. */
static uint32_t past_digits(const struct lexer *l, uint32_t at, int base)
{
    while (is_digit(l->text[at], base) || (l->text[at] == '_' && is_digit(l->text[at + 1], base)))
        at++;
    return at;
}

/* `1if x else y` is read as Python reads it: a keyword may follow a number at once. */
static int keyword_follows(const struct lexer *l, uint32_t at)
{
    static const char *const words[] = {"and", "else", "for", "if", "in", "is", "not", "or"};
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
        size_t n = strlen(words[i]);
        if (!strncmp(l->text + at, words[i], n) && !is_word(l->text[at + n]))
            return 1;
    }
    return 0;
}

static void bad_number(struct lexer *l, struct place from, uint32_t at, const char *text)
{
    while (l->at < at)
        lex_char(l);
    struct place place = lex_place(l);
    struct tf_loc loc = lex_loc(l, place);
    lex_error(l, &loc, "syntax", "%s", text);
    while (is_word(l->text[l->at]))
        lex_char(l);
    lex_push(l, TOKEN_ERROR, from);
}

static void finish_number(struct lexer *l, struct place from, uint32_t at, const char *error)
{
    char c = l->text[at];
    if (is_word(c) && !keyword_follows(l, at)) {
        bad_number(l, from, at, error);
        return;
    }
    l->at = at;
    lex_push(l, TOKEN_NUMBER, from);
}

static void based_number(struct lexer *l, struct place from, int base)
{
    static const char *const error[] = {
        [2] = "expected a binary digit", [8] = "expected an octal digit", [16] = "expected a hexadecimal digit"};
    uint32_t at = l->at + 2;
    at += l->text[at] == '_' && is_digit(l->text[at + 1], base);
    if (!is_digit(l->text[at], base)) {
        bad_number(l, from, at, error[base]);
        return;
    }
    finish_number(l, from, past_digits(l, at, base), error[base]);
}

static uint32_t past_exponent(const struct lexer *l, uint32_t at)
{
    if ((l->text[at] | 32) != 'e')
        return at;
    uint32_t digits = at + 1 + (l->text[at + 1] == '+' || l->text[at + 1] == '-');
    return is_digit(l->text[digits], 10) ? past_digits(l, digits, 10) : at;
}

static int all_zero(const char *text, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (text[i] != '0' && text[i] != '_')
            return 0;
    return 1;
}

void lex_number(struct lexer *l)
{
    struct place from = lex_place(l);
    char first = l->text[l->at], kind = (char)(l->text[l->at + 1] | 32);
    if (first == '0' && (kind == 'x' || kind == 'o' || kind == 'b')) {
        based_number(l, from, kind == 'x' ? 16 : kind == 'o' ? 8 : 2);
        return;
    }
    uint32_t at = past_digits(l, l->at, 10), whole = at - l->at;
    if (l->text[at] == '.')
        at = past_digits(l, at + 1, 10);
    at = past_exponent(l, at);
    int imaginary = (l->text[at] | 32) == 'j';
    int is_int = at == l->at + whole && !imaginary;
    if (is_int && first == '0' && !all_zero(l->text + l->at, whole)) {
        bad_number(l, from, l->at, "a decimal number does not start with 0; write 0o for octal digits");
        return;
    }
    finish_number(l, from, at + (uint32_t)imaginary, "expected the end of the number: letters cannot follow at once");
}

/* SPDX-License-Identifier: MIT
 * The values of strings, plain and formatted; adjacent literals become one.
 */
#include "front/parse.h"

#include "util/buf.h"

/* What a text under construction cannot be kept as a C string for. */
#define HAS_NUL 1u
#define HAS_SURROGATE 2u
#define HAS_NAME 4u  /* \N{..}: the names are not known here */
#define HAS_BYTES 8u /* a bytes literal */

struct text {
    struct buf buf;
    unsigned flaws;
};

/* A piece of source: text between quotes, or between the fields of an f-string. */
struct piece {
    const char *at, *end;
    int raw, bytes, braces; /* braces: {{ and }} stand for one */
    const struct token *token;
};

/* ---- escapes ------------------------------------------------------------------------------------------------------*/

static void add_char(struct text *text, uint32_t c)
{
    char out[4];
    size_t n = 0;
    if (c == 0) {
        text->flaws |= HAS_NUL;
    } else if (c >= 0xD800 && c < 0xE000) {
        text->flaws |= HAS_SURROGATE;
    } else if (c < 0x80) {
        out[n++] = (char)c;
    } else if (c < 0x800) {
        out[n++] = (char)(0xC0 | c >> 6);
    } else if (c < 0x10000) {
        out[n++] = (char)(0xE0 | c >> 12);
        out[n++] = (char)(0x80 | (c >> 6 & 0x3F));
    } else {
        out[n++] = (char)(0xF0 | c >> 18);
        out[n++] = (char)(0x80 | (c >> 12 & 0x3F));
        out[n++] = (char)(0x80 | (c >> 6 & 0x3F));
    }
    if (n && c >= 0x80)
        out[n++] = (char)(0x80 | (c & 0x3F));
    buf_add(&text->buf, out, n);
}

static int hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1;
}

/* Exactly n hexadecimal digits after a letter. */
static void hex_escape(struct parser *p, struct text *text, struct piece *piece, int n)
{
    uint32_t c = 0;
    char letter = *piece->at++;
    for (int i = 0; i < n; i++, piece->at++) {
        int digit = piece->at < piece->end ? hex_value(*piece->at) : -1;
        if (digit < 0) {
            fail_at(p, piece->token, "'\\%c' in this string needs %d hexadecimal digits", letter, n);
            return;
        }
        c = c << 4 | (uint32_t)digit;
    }
    if (c > 0x10FFFF)
        fail_at(p, piece->token, "'\\%c%08x' in this string is no character: the largest is 10ffff", letter, c);
    else
        add_char(text, c);
}

static void octal_escape(struct text *text, struct piece *piece)
{
    uint32_t c = 0;
    for (int i = 0; i < 3 && piece->at < piece->end && *piece->at >= '0' && *piece->at <= '7'; i++)
        c = c << 3 | (uint32_t)(*piece->at++ - '0');
    add_char(text, c);
}

static void named_escape(struct parser *p, struct text *text, struct piece *piece)
{
    const char *at = piece->at + 1;
    text->flaws |= HAS_NAME;
    if (at < piece->end && *at == '{')
        while (at < piece->end && *at != '}')
            at++;
    if (at >= piece->end || *at != '}')
        fail_at(p, piece->token, "'\\N' in this string needs a character's name in braces");
    else
        piece->at = at + 1;
}

/* After a backslash.  What no escape starts with stands for itself, with its backslash, as in Python. */
static void escape(struct parser *p, struct text *text, struct piece *piece)
{
    static const char from[] = "abfnrtv\\'\"", to[] = "\a\b\f\n\r\t\v\\'\"";
    char c = *piece->at;
    for (size_t i = 0; from[i]; i++) {
        if (from[i] == c) {
            buf_char(&text->buf, to[i]);
            piece->at++;
            return;
        }
    }
    if (c == '\r' || c == '\n')
        piece->at += c == '\r' && piece->at + 1 < piece->end && piece->at[1] == '\n' ? 2 : 1;
    else if (c >= '0' && c <= '7')
        octal_escape(text, piece);
    else if (c == 'x')
        hex_escape(p, text, piece, 2);
    else if (c == 'u' && !piece->bytes)
        hex_escape(p, text, piece, 4);
    else if (c == 'U' && !piece->bytes)
        hex_escape(p, text, piece, 8);
    else if (c == 'N' && !piece->bytes)
        named_escape(p, text, piece);
    else
        buf_char(&text->buf, '\\');
}

static void decode(struct parser *p, struct text *text, struct piece piece)
{
    while (piece.at < piece.end && !p->failed) {
        char c = *piece.at++;
        if (c == '\\' && !piece.raw && piece.at < piece.end) {
            escape(p, text, &piece);
            continue;
        }
        if (c == '\0')
            text->flaws |= HAS_NUL;
        if (piece.bytes && (unsigned char)c >= 0x80)
            fail_at(p, piece.token, "bytes hold ASCII characters only");
        if (c == '\r') { /* a line end of any kind reads as LF */
            c = '\n';
            piece.at += piece.at < piece.end && *piece.at == '\n';
        }
        if (piece.braces && (c == '{' || c == '}') && piece.at < piece.end && *piece.at == c)
            piece.at++;
        buf_char(&text->buf, c);
    }
}

/* ---- literals -----------------------------------------------------------------------------------------------------*/

/* Prefix and quotes of a STRING or FSTRING_START at `at`. */
static uint32_t read_opening(const char *at, int *raw, int *bytes)
{
    uint32_t n = 0;
    *raw = *bytes = 0;
    for (; at[n] != '"' && at[n] != '\''; n++) {
        *raw |= (at[n] | 32) == 'r';
        *bytes |= (at[n] | 32) == 'b';
    }
    return n;
}

static void decode_string(struct parser *p, struct text *text, const struct token *t)
{
    struct piece piece = {.token = t};
    const char *start = p->text + t->start;
    uint32_t prefix = read_opening(start, &piece.raw, &piece.bytes);
    uint32_t quotes =
        t->length - prefix >= 6 && start[prefix + 1] == start[prefix] && start[prefix + 2] == start[prefix] ? 3 : 1;
    piece.at = start + prefix + quotes;
    piece.end = start + t->length - quotes;
    if (piece.bytes)
        text->flaws |= HAS_BYTES;
    decode(p, text, piece);
}

/* The text so far as an item. */
static void flush(struct parser *p, struct text *text, const struct token *start)
{
    if (!text->buf.n)
        return;
    struct expr *e = expr_new(p, EXPR_STRING, start);
    e->name = ctx_intern_n(p->ctx, buf_text(&text->buf), text->buf.n);
    text->buf.n = 0;
    VEC_PUSH(&p->nodes, e);
}

/* ---- fields -------------------------------------------------------------------------------------------------------*/

/* Past what stands after ! or :, whatever it holds, to the field's end. */
static void parse_format(struct parser *p)
{
    enter(p);
    while (accept(p, TOKEN_FSTRING_MIDDLE) || at(p, TOKEN_LBRACE)) {
        if (!accept(p, TOKEN_LBRACE))
            continue;
        parse_value(p);
        accept(p, TOKEN_EQUAL);
        if (accept(p, TOKEN_EXCLAIM))
            expect(p, TOKEN_NAME);
        if (accept(p, TOKEN_COLON))
            parse_format(p);
        expect(p, TOKEN_RBRACE);
    }
    leave(p);
}

static struct expr *parse_field(struct parser *p)
{
    const struct token *start = p->at;
    next(p);
    enter(p);
    struct expr *value = parse_value(p);
    leave(p);
    const struct token *extra = p->at;
    int shown = accept(p, TOKEN_EQUAL); /* {x=}: the text and the value */
    if (accept(p, TOKEN_EXCLAIM))
        expect(p, TOKEN_NAME);
    if (accept(p, TOKEN_COLON))
        parse_format(p);
    uint32_t end = p->at->start;
    if (!at(p, TOKEN_RBRACE))
        unexpected(p, "'}' after the expression of an f-string's field");
    next(p);
    if (p->failed || (extra->kind == TOKEN_RBRACE && !shown))
        return value;
    struct expr *e = expr_new(p, EXPR_FORMAT, start);
    uint32_t from = extra->start + (shown ? 0 : 1);
    e->left = value;
    e->name = ctx_intern_n(p->ctx, p->text + from, end - from);
    return expr_end(p, e, start);
}

static void parse_fstring(struct parser *p, struct text *text, const struct token *start)
{
    struct piece piece = {.braces = 1};
    read_opening(p->text + p->at->start, &piece.raw, &piece.bytes);
    next(p);
    while (at(p, TOKEN_FSTRING_MIDDLE) || at(p, TOKEN_LBRACE)) {
        const struct token *t = p->at;
        if (at(p, TOKEN_LBRACE)) {
            flush(p, text, start);
            struct expr *field = parse_field(p);
            VEC_PUSH(&p->nodes, field);
            continue;
        }
        next(p);
        piece.token = t;
        piece.at = p->text + t->start;
        piece.end = piece.at + t->length;
        decode(p, text, piece);
    }
    expect(p, TOKEN_FSTRING_END);
}

static const char *flaw_name(unsigned flaws)
{
    if (flaws & HAS_BYTES)
        return "bytes literal";
    if (flaws & HAS_NAME)
        return "string with \\N{...}";
    return flaws & HAS_NUL ? "string with a NUL character" : "string with a surrogate";
}

/* A string without escapes, alone: its text is the source's. */
static struct expr *parse_simple_string(struct parser *p)
{
    const struct token *t = p->at;
    struct expr *e = expr_new(p, EXPR_STRING, t);
    const char *start = p->text + t->start;
    int raw, bytes;
    uint32_t prefix = read_opening(start, &raw, &bytes);
    uint32_t quotes =
        t->length - prefix >= 6 && start[prefix + 1] == start[prefix] && start[prefix + 2] == start[prefix] ? 3 : 1;
    e->name = ctx_intern_n(p->ctx, start + prefix + quotes, t->length - prefix - 2 * quotes);
    next(p);
    return e;
}

static int is_simple(const struct parser *p)
{
    int raw, bytes;
    if (!at(p, TOKEN_STRING) || p->at->escaped || p->at[1].kind == TOKEN_STRING || p->at[1].kind == TOKEN_FSTRING_START)
        return 0;
    read_opening(p->text + p->at->start, &raw, &bytes);
    return !bytes;
}

struct expr *parse_strings(struct parser *p)
{
    if (is_simple(p))
        return parse_simple_string(p);
    const struct token *start = p->at;
    struct expr *e = expr_new(p, EXPR_STRING, start);
    struct text text = {0};
    size_t mark = p->nodes.n;
    while (at(p, TOKEN_STRING) || at(p, TOKEN_FSTRING_START)) {
        if (at(p, TOKEN_FSTRING_START)) {
            e->kind = EXPR_FSTRING;
            parse_fstring(p, &text, start);
            continue;
        }
        const struct token *t = p->at;
        next(p);
        decode_string(p, &text, t);
    }
    if (e->kind == EXPR_FSTRING)
        flush(p, &text, start);
    else
        e->name = ctx_intern_n(p->ctx, buf_text(&text.buf), text.buf.n);
    e->items = nodes_take(p, mark, &e->n_items);
    if (text.flaws) {
        e->kind = EXPR_OTHER;
        e->name = ctx_intern(p->ctx, flaw_name(text.flaws));
    }
    buf_free(&text.buf);
    return expr_end(p, e, start);
}

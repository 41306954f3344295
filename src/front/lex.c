/* SPDX-License-Identifier: MIT */
#include "front/lexer.h"

#include "util/buf.h"

#include <inttypes.h>
#include <string.h>

/* ---- the table ----------------------------------------------------------------------------------------------------*/

static const char *const WHAT[] = {
#define CLASS(name, what) what,
#define KEYWORD(name, text) "'" text "'",
#define PUNCT(name, text) "'" text "'",
#include "front/tokens.def"
#undef CLASS
#undef KEYWORD
#undef PUNCT
};

static const char *const TEXT[] = {
#define CLASS(name, what) NULL,
#define KEYWORD(name, text) text,
#define PUNCT(name, text) text,
#include "front/tokens.def"
#undef CLASS
#undef KEYWORD
#undef PUNCT
};

#define FIRST_KEYWORD ((uint32_t)TOKEN_KW_FALSE)
#define LAST_KEYWORD ((uint32_t)TOKEN_KW_YIELD)

const char *token_what(uint32_t kind)
{
    return WHAT[kind];
}

const char *token_text(uint32_t kind)
{
    return TEXT[kind];
}

size_t token_keywords(const char *const **names)
{
    *names = TEXT + FIRST_KEYWORD;
    return LAST_KEYWORD - FIRST_KEYWORD + 1;
}

struct tf_loc token_loc(const struct token *token, uint32_t file, const char *text)
{
    struct tf_loc loc = {.file = file,
        .line = token->line,
        .column = token->column,
        .end_line = token->line,
        .end_column = token->column};
    const char *at = text + token->start, *end = at + token->length;
    for (; at < end; at++) {
        if (*at == '\n' || (*at == '\r' && !(at + 1 < end && at[1] == '\n'))) {
            loc.end_line++;
            loc.end_column = 1;
        } else if (((unsigned char)*at & 0xC0) != 0x80) {
            loc.end_column++;
        }
    }
    return loc;
}

/* ---- characters ---------------------------------------------------------------------------------------------------*/

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Every byte past ASCII counts: lex_name looks at the whole character. */
static int starts_name(char c)
{
    return ((c | 32) >= 'a' && (c | 32) <= 'z') || c == '_' || (unsigned char)c >= 0x80;
}

uint32_t char_decode(const char *at, size_t room, uint32_t *length)
{
    const unsigned char *b = (const unsigned char *)at;
    uint32_t n = b[0] < 0xC0 ? 1 : b[0] < 0xE0 ? 2 : b[0] < 0xF0 ? 3 : 4;
    *length = 1;
    if (n == 1 || n > room)
        return b[0];
    uint32_t c = b[0] & (0x7Fu >> n);
    for (uint32_t i = 1; i < n; i++) {
        if ((b[i] & 0xC0) != 0x80)
            return b[0];
        c = c << 6 | (b[i] & 0x3Fu);
    }
    *length = n;
    return c;
}

int char_in_name(uint32_t c)
{
    static const uint32_t never[][2] = {{0x80, 0xA9}, {0xAB, 0xB4}, {0xB6, 0xB6}, {0xB8, 0xB9}, {0xBB, 0xBF},
        {0xD7, 0xD7}, {0xF7, 0xF7}, {0x1680, 0x1680}, {0x2000, 0x203E}, {0x2041, 0x2053}, {0x2055, 0x2070},
        {0x20A0, 0x20CF}, {0x2190, 0x2BFF}, {0x2E00, 0x2E7F}, {0x3000, 0x3004}, {0x3008, 0x3020}, {0xD800, 0xF8FF},
        {0xFE10, 0xFE1F}, {0xFE30, 0xFE32}, {0xFEFF, 0xFEFF}, {0xFF01, 0xFF0F}, {0xFF1A, 0xFF20}, {0xFFF0, 0xFFFF},
        {0x1F000, 0x1FAFF}};
    for (size_t i = 0; i < sizeof(never) / sizeof(*never); i++)
        if (c >= never[i][0] && c <= never[i][1])
            return 0;
    return c >= 0x80;
}

/* ---- places and tokens --------------------------------------------------------------------------------------------*/

struct place lex_place(const struct lexer *l)
{
    return (struct place){.at = l->at, .line = l->line, .column = l->at - l->line_start - l->wide + 1};
}

struct tf_loc lex_loc(const struct lexer *l, struct place from)
{
    struct place to = lex_place(l);
    return (struct tf_loc){
        .file = l->file, .line = from.line, .column = from.column, .end_line = to.line, .end_column = to.column};
}

int lex_is_newline(const struct lexer *l, uint32_t at)
{
    return l->text[at] == '\n' || l->text[at] == '\r';
}

void lex_newline(struct lexer *l)
{
    l->at += l->text[l->at] == '\r' && l->text[l->at + 1] == '\n' ? 2 : 1;
    l->line++;
    l->line_start = l->at;
    l->wide = 0;
}

void lex_char(struct lexer *l)
{
    l->wide += ((unsigned char)l->text[l->at] & 0xC0) == 0x80;
    l->at++;
}

static int is_before(const struct tf_loc *a, const struct tf_loc *b)
{
    return a->line < b->line || (a->line == b->line && a->column < b->column);
}

void lex_error(struct lexer *l, const struct tf_loc *loc, const char *code, const char *format, ...)
{
    struct buf text = {0};
    va_list args;
    va_start(args, format);
    buf_vprintf(&text, format, args);
    va_end(args);
    struct lex_error error = {*loc, code, arena_strndup(&l->ctx->arena, buf_text(&text), text.n)};
    buf_free(&text);
    VEC_PUSH(&l->out->errors, error);
    /* only what is open to the end of the file is found late */
    struct lex_error *at = l->out->errors.at;
    for (size_t i = l->out->errors.n - 1; i && is_before(loc, &at[i - 1].loc); i--) {
        at[i] = at[i - 1];
        at[i - 1] = error;
    }
    if (l->out->errors.n >= l->ctx->limits.errors)
        lex_cut(l);
}

void lex_cut(struct lexer *l)
{
    l->stopped = 1;
    l->out->cut = 1; /* finish() drops what was read of the statement */
}

static void limit_tokens(struct lexer *l, struct place from)
{
    struct tf_loc loc = lex_loc(l, from);
    lex_error(l, &loc, "limit", "more than %" PRIu64 " tokens in one file (--limit tokens=N raises this)",
        l->ctx->limits.tokens);
    lex_cut(l);
}

struct token *lex_push(struct lexer *l, uint32_t kind, struct place from)
{
    struct token token = {
        .kind = (uint16_t)kind, .line = from.line, .column = from.column, .start = from.at, .length = l->at - from.at};
    if (l->out->n >= l->ctx->limits.tokens && !l->stopped)
        limit_tokens(l, from);
    VEC_PUSH(l->out, token);
    return &l->out->at[l->out->n - 1];
}

/* ---- brackets -----------------------------------------------------------------------------------------------------*/

static void limit_depth(struct lexer *l, struct place from)
{
    struct tf_loc loc = lex_loc(l, from);
    lex_error(l, &loc, "limit", "more than %" PRIu64 " levels of nesting (--limit depth=N raises this)",
        l->ctx->limits.depth);
    lex_cut(l);
}

void lex_open(struct lexer *l, char open)
{
    struct bracket bracket = {.open = open, .token = l->out->n};
    if (l->brackets.n >= l->ctx->limits.depth)
        limit_depth(l, lex_place(l));
    else
        VEC_PUSH(&l->brackets, bracket);
}

/* A bracket that closes nothing, or another kind: reported, and taken as closing what is open. */
static int close_bracket(struct lexer *l, char close, struct place from)
{
    size_t floor = l->modes.n ? l->modes.at[l->modes.n - 1].brackets + 1 : 0;
    char want = close == ')' ? '(' : close == ']' ? '[' : '{';
    struct tf_loc loc = lex_loc(l, from);
    if (l->brackets.n <= floor) {
        lex_error(l, &loc, "syntax", "'%c' closes nothing", close);
        return 0;
    }
    struct bracket open = l->brackets.at[--l->brackets.n];
    if (open.open == want)
        return 1;
    lex_error(
        l, &loc, "syntax", "'%c' does not close the '%c' of line %u", close, open.open, l->out->at[open.token].line);
    return 0;
}

static void never_closed(struct lexer *l)
{
    struct bracket open = l->brackets.at[l->brackets.n - 1];
    const struct token *token = &l->out->at[open.token];
    struct tf_loc loc = token_loc(token, l->file, l->text);
    lex_error(l, &loc, "syntax", "'%c' is never closed", open.open);
    lex_cut(l);
}

/* ---- the start of a line ------------------------------------------------------------------------------------------*/

static struct indent measure(struct lexer *l)
{
    struct indent indent = {0};
    for (;; l->at++) {
        char c = l->text[l->at];
        if (c == ' ')
            indent.column++, indent.alternative++;
        else if (c == '\t')
            indent.column = indent.column / 8 * 8 + 8, indent.alternative++;
        else if (c == '\f')
            indent = (struct indent){0};
        else
            return indent;
    }
}

static void indent_error(struct lexer *l, const char *text)
{
    struct place from = lex_place(l);
    struct tf_loc loc = lex_loc(l, from);
    lex_error(l, &loc, "syntax", "%s", text);
}

#define TABS "tabs and spaces are mixed so that the depth of this line depends on the width of a tab"

static void dedent(struct lexer *l, struct indent now)
{
    while (l->indents.n > 1 && now.column < l->indents.at[l->indents.n - 1].column) {
        l->indents.n--;
        lex_push(l, TOKEN_DEDENT, lex_place(l));
    }
    struct indent top = l->indents.at[l->indents.n - 1];
    if (now.column != top.column)
        indent_error(l, "this line's indentation matches no line above that it could continue");
    else if (now.alternative != top.alternative)
        indent_error(l, TABS);
}

static void compare_indent(struct lexer *l, struct indent now)
{
    struct indent top = l->indents.at[l->indents.n - 1];
    if (now.column < top.column) {
        dedent(l, now);
        return;
    }
    if (now.column == top.column ? now.alternative != top.alternative : now.alternative <= top.alternative)
        indent_error(l, TABS);
    if (now.column == top.column)
        return;
    if (l->indents.n > l->ctx->limits.depth) {
        l->statement = l->out->n;
        limit_depth(l, lex_place(l));
        return;
    }
    VEC_PUSH(&l->indents, now);
    lex_push(l, TOKEN_INDENT, lex_place(l));
}

static void skip_comment(struct lexer *l)
{
    while (l->at < l->end && !lex_is_newline(l, l->at))
        lex_char(l);
}

static void line_start(struct lexer *l)
{
    struct indent now = measure(l);
    if (l->text[l->at] == '#')
        skip_comment(l);
    if (l->at >= l->end)
        return;
    if (lex_is_newline(l, l->at)) {
        lex_newline(l);
        return;
    }
    l->fresh = 0;
    compare_indent(l, now);
    if (!l->stopped)
        l->statement = l->out->n;
}

/* ---- names and punctuation ----------------------------------------------------------------------------------------*/

static void make_tables(struct lexer *l)
{
    for (int c = 0; c < 128; c++)
        l->word[c] = (uint8_t)(starts_name((char)c) || is_digit((char)c));
    for (uint32_t kind = FIRST_KEYWORD; kind < TOKEN_COUNT; kind++) {
        uint8_t *first = &l->first[(unsigned char)TEXT[kind][0]];
        l->next[kind] = *first;
        *first = (uint8_t)kind;
    }
}

static uint32_t find_keyword(const struct lexer *l, const char *text, uint32_t length)
{
    if (length < 2 || length > 8 || (unsigned char)text[0] >= 128)
        return TOKEN_NAME;
    for (uint32_t kind = l->first[(unsigned char)text[0]]; kind; kind = l->next[kind])
        if (TEXT[kind][1] == text[1] && !strncmp(TEXT[kind], text, length) && !TEXT[kind][length])
            return kind;
    return TOKEN_NAME;
}

static void bad_character(struct lexer *l, uint32_t c, uint32_t length)
{
    struct place from = lex_place(l);
    struct tf_loc loc = lex_loc(l, from);
    if (c < 0x20 || c == 0x7F)
        lex_error(l, &loc, "syntax", "the control character U+%04X cannot stand here", c);
    else
        lex_error(
            l, &loc, "syntax", "the character '%.*s' (U+%04X) cannot stand here", (int)length, l->text + l->at, c);
    for (uint32_t i = 0; i < length; i++)
        lex_char(l);
    lex_push(l, TOKEN_ERROR, from);
}

/* Bytes of the character at hand, none of ASCII, if a name may go on with it; else 0. */
static uint32_t name_char(const struct lexer *l)
{
    uint32_t length = 1;
    if ((unsigned char)l->text[l->at] < 0x80)
        return 0;
    return char_in_name(char_decode(l->text + l->at, l->end - l->at, &length)) ? length : 0;
}

static void lex_name(struct lexer *l)
{
    struct place from = lex_place(l);
    for (uint32_t n = 1; n; l->at += n) {
        while (l->word[(unsigned char)l->text[l->at]])
            l->at++;
        n = name_char(l);
        l->wide += n ? n - 1 : 0;
    }
    uint32_t length = l->at - from.at;
    if (!length) {
        uint32_t c = char_decode(l->text + l->at, l->end - l->at, &length);
        bad_character(l, c, length);
        return;
    }
    uint32_t kind = find_keyword(l, l->text + from.at, length);
    struct token *token = lex_push(l, kind, from);
    if (kind == TOKEN_NAME)
        token->name = ctx_intern_n(l->ctx, l->text + from.at, length);
}

/* The longest token that the text at hand starts with. */
static uint32_t find_punct(const struct lexer *l, const char *text)
{
    uint32_t best = TOKEN_ERROR;
    size_t length = 0;
    if ((unsigned char)text[0] >= 128)
        return best;
    uint32_t only = l->first[(unsigned char)text[0]];
    if (only && !l->next[only])
        return only;
    for (uint32_t kind = l->first[(unsigned char)text[0]]; kind; kind = l->next[kind]) {
        size_t n = strlen(TEXT[kind]);
        if (n > length && !strncmp(TEXT[kind], text, n)) {
            best = kind;
            length = n;
        }
    }
    return best;
}

static void lex_punct(struct lexer *l)
{
    struct place from = lex_place(l);
    char c = l->text[l->at];
    uint32_t kind = find_punct(l, l->text + l->at);
    if (kind == TOKEN_ERROR || kind == TOKEN_EXCLAIM) {
        bad_character(l, (unsigned char)c, 1);
        return;
    }
    if (c == '(' || c == '[' || c == '{')
        lex_open(l, c);
    l->at += (uint32_t)strlen(TEXT[kind]);
    if ((c == ')' || c == ']' || c == '}') && !close_bracket(l, c, from))
        kind = TOKEN_ERROR;
    lex_push(l, kind, from);
}

/* ---- the line -----------------------------------------------------------------------------------------------------*/

static void continue_line(struct lexer *l)
{
    struct place from = lex_place(l);
    l->at++;
    if (l->at < l->end && lex_is_newline(l, l->at)) {
        lex_newline(l);
        if (l->at < l->end)
            return;
    }
    struct tf_loc loc = lex_loc(l, from);
    lex_error(l, &loc, "syntax", "expected the next line after '\\', found %s",
        l->at < l->end ? "more text" : "the end of the file");
    lex_push(l, TOKEN_ERROR, from);
}

static void end_line(struct lexer *l)
{
    struct place from = lex_place(l);
    if (!l->brackets.n) {
        uint32_t last = l->out->n ? l->out->at[l->out->n - 1].kind : TOKEN_NEWLINE;
        if (last != TOKEN_NEWLINE && last != TOKEN_INDENT && last != TOKEN_DEDENT)
            lex_push(l, TOKEN_NEWLINE, from);
        l->fresh = 1;
    }
    if (l->at < l->end)
        lex_newline(l);
}

static void lex_token(struct lexer *l)
{
    char c = l->text[l->at];
    if (c == ' ' || c == '\t' || c == '\f') {
        l->at++;
    } else if (c == '#') {
        skip_comment(l);
    } else if (c == '\n' || c == '\r') {
        end_line(l);
    } else if (c == '\\') {
        continue_line(l);
    } else if (l->modes.n && lex_fstring_field(l)) {
        return;
    } else if (starts_name(c)) {
        if (!lex_string(l, lex_place(l)))
            lex_name(l);
    } else if (is_digit(c) || (c == '.' && is_digit(l->text[l->at + 1]))) {
        lex_number(l);
    } else if (c == '"' || c == '\'') {
        lex_string(l, lex_place(l));
    } else {
        lex_punct(l);
    }
}

static void finish(struct lexer *l)
{
    if (l->brackets.n && !l->stopped)
        never_closed(l);
    if (l->out->cut)
        l->out->n = l->statement;
    if (!l->stopped && !l->fresh)
        end_line(l);
    while (l->indents.n > 1) {
        l->indents.n--;
        lex_push(l, TOKEN_DEDENT, lex_place(l));
    }
    lex_push(l, TOKEN_END, lex_place(l));
    VEC_FREE(&l->brackets);
    VEC_FREE(&l->indents);
    VEC_FREE(&l->modes);
}

void lex_source(tf_ctx *ctx, uint32_t file, struct token_list *tokens)
{
    const struct source *source = source_get(ctx, file);
    struct lexer l = {.ctx = ctx,
        .file = file,
        .text = source->text,
        .end = (uint32_t)source->length,
        .line = 1,
        .fresh = 1,
        .out = tokens};
    struct indent outermost = {0};
    make_tables(&l);
    VEC_PUSH(&l.indents, outermost);
    VEC_RESERVE(tokens, source->length / 4 + 16);
    while (!l.stopped && l.at < l.end) {
        if (l.modes.n && l.modes.at[l.modes.n - 1].kind != MODE_FIELD)
            lex_fstring_text(&l);
        else if (l.fresh)
            line_start(&l);
        else
            lex_token(&l);
    }
    if (!l.stopped && l.modes.n && l.modes.at[l.modes.n - 1].kind != MODE_FIELD)
        lex_fstring_text(&l);
    finish(&l);
}

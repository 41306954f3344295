/* SPDX-License-Identifier: MIT */
#include "front/lexer.h"

#include <string.h>

static int closes(const struct lexer *l, const struct mode *mode)
{
    const char *at = l->text + l->at;
    return at[0] == mode->quote && (!mode->triple || (at[1] == mode->quote && at[2] == mode->quote));
}

static void step(struct lexer *l)
{
    if (lex_is_newline(l, l->at))
        lex_newline(l);
    else
        lex_char(l);
}

/* Past a backslash and what it stands before. */
static void step_escape(struct lexer *l)
{
    l->at++;
    if (l->at < l->end)
        step(l);
}

static void unterminated(struct lexer *l, struct place from, int triple, const char *what)
{
    struct tf_loc loc = lex_loc(l, from);
    lex_error(l, &loc, "syntax", "this %s is not closed before the end of the %s", what, triple ? "file" : "line");
    if (triple)
        lex_cut(l);
    else
        lex_push(l, TOKEN_ERROR, from);
}

/* The f-string at hand cannot go on, nor can those of one line around it: what they opened is closed, and the rest of
 * the line is read as usual. */
static void abandon(struct lexer *l, const char *what)
{
    struct mode mode = l->modes.at[l->modes.n - 1];
    const struct token *start = &l->out->at[mode.token];
    struct place from = {.at = start->start, .line = start->line, .column = start->column};
    size_t token = mode.token;
    while (l->modes.n && (mode.token == token || !l->modes.at[l->modes.n - 1].triple)) {
        mode = l->modes.at[--l->modes.n];
        l->brackets.n = mode.brackets;
        mode.token = l->modes.n ? l->modes.at[l->modes.n - 1].token : 0;
    }
    unterminated(l, from, start->kind == TOKEN_FSTRING_START && l->at >= l->end && mode.triple, what);
}

/* A string of one line that is open at its end has swallowed what would have closed the brackets around it. */
static void open_string(struct lexer *l, struct place from)
{
    if (l->modes.n && !l->modes.at[l->modes.n - 1].triple) {
        abandon(l, "f-string's field");
        return;
    }
    l->brackets.n = l->modes.n ? l->modes.at[l->modes.n - 1].brackets + 1 : 0;
    unterminated(l, from, 0, "string");
}

static void plain_string(struct lexer *l, struct place from, const struct mode *mode)
{
    uint16_t escaped = 0;
    while (l->at < l->end && !closes(l, mode)) {
        if (l->text[l->at] == '\\') {
            escaped = 1;
            step_escape(l);
        } else if (lex_is_newline(l, l->at)) {
            if (!mode->triple)
                break;
            escaped |= l->text[l->at] == '\r';
            lex_newline(l);
        } else {
            escaped |= l->text[l->at] == '\0';
            lex_char(l);
        }
    }
    if (l->at >= l->end || !closes(l, mode)) {
        if (mode->triple)
            unterminated(l, from, 1, "string");
        else
            open_string(l, from);
        return;
    }
    l->at += mode->triple ? 3 : 1;
    lex_push(l, TOKEN_STRING, from)->escaped = escaped;
}

/* The letters before a quote: none, one of b f r u, or r with b or f; each once, small or capital. */
static int read_prefix(const char *at, uint32_t *length, int *is_f, int *is_raw)
{
    uint32_t n = 0, b = 0, f = 0, r = 0, u = 0;
    for (; n < 3 && at[n] != '"' && at[n] != '\''; n++) {
        switch (at[n] | 32) {
        case 'b': b++; break;
        case 'f': f++; break;
        case 'r': r++; break;
        case 'u': u++; break;
        default: return 0;
        }
    }
    if (n > 2 || r > 1 || b + f + u > 1 || (u && r))
        return 0;
    *length = n;
    *is_f = (int)f;
    *is_raw = (int)r;
    return 1;
}

int lex_string(struct lexer *l, struct place from)
{
    uint32_t length;
    int is_f, is_raw;
    if (!read_prefix(l->text + l->at, &length, &is_f, &is_raw))
        return 0;
    const char *quote = l->text + l->at + length;
    struct mode mode = {.kind = MODE_TEXT, .quote = *quote, .raw = (uint8_t)is_raw, .brackets = l->brackets.n};
    mode.triple = quote[1] == *quote && quote[2] == *quote;
    l->at += length + (mode.triple ? 3 : 1);
    if (is_f) {
        mode.token = l->out->n;
        lex_push(l, TOKEN_FSTRING_START, from);
        VEC_PUSH(&l->modes, mode);
    } else {
        plain_string(l, from, &mode);
    }
    return 1;
}

/* ---- f-strings ----------------------------------------------------------------------------------------------------*/

static void open_field(struct lexer *l)
{
    struct mode field = l->modes.at[l->modes.n - 1];
    struct place from = lex_place(l);
    field.kind = MODE_FIELD;
    field.brackets = l->brackets.n;
    l->at++;
    lex_open(l, '{');
    lex_push(l, TOKEN_LBRACE, from);
    VEC_PUSH(&l->modes, field);
}

static void close_field(struct lexer *l)
{
    struct place from = lex_place(l);
    l->at++;
    lex_push(l, TOKEN_RBRACE, from);
    if (l->modes.at[l->modes.n - 1].kind == MODE_FORMAT)
        l->modes.n--;
    l->brackets.n = l->modes.at[--l->modes.n].brackets;
}

/* Past a backslash in an f-string's text: before a brace it stands for itself; \N{..} has braces of its own. */
static void step_text_escape(struct lexer *l, const struct mode *mode)
{
    const char *at = l->text + l->at;
    if (at[1] == '{' || at[1] == '}') {
        l->at++;
        return;
    }
    int named = !mode->raw && at[1] == 'N' && at[2] == '{';
    step_escape(l);
    while (named && l->at < l->end && !lex_is_newline(l, l->at) && l->text[l->at] != '}' && l->text[l->at] != '"')
        lex_char(l);
    if (named && l->text[l->at] == '}')
        l->at++;
}

/* Goes to the end of the text: a field, the closing quote, or where the text cannot go on.  What stands there. */
static char scan_text(struct lexer *l, const struct mode *mode, uint16_t *escaped)
{
    int format = mode->kind == MODE_FORMAT;
    while (l->at < l->end) {
        char c = l->text[l->at];
        if (closes(l, mode))
            return mode->quote;
        if (c == '\\') {
            *escaped = 1;
            step_text_escape(l, mode);
        } else if ((c == '{' || c == '}') && l->text[l->at + 1] == c && !format) {
            *escaped = 1;
            l->at += 2;
        } else if (c == '{' || c == '}') {
            return c;
        } else if (lex_is_newline(l, l->at)) {
            if (!mode->triple)
                return '\n';
            *escaped |= c == '\r';
            lex_newline(l);
        } else {
            *escaped |= c == '\0';
            lex_char(l);
        }
    }
    return '\0';
}

static void end_text(struct lexer *l, const struct mode *mode)
{
    struct place from = lex_place(l);
    l->at += mode->triple ? 3 : 1;
    lex_push(l, TOKEN_FSTRING_END, from);
    l->modes.n--;
}

static void stray_brace(struct lexer *l)
{
    struct place from = lex_place(l);
    struct tf_loc loc = lex_loc(l, from);
    lex_error(l, &loc, "syntax", "a single '}' in an f-string: write '}}' for the character");
    l->at++;
    lex_push(l, TOKEN_ERROR, from);
}

/* The quote that ends the whole, in a field's format: the field is not closed. */
static void quote_in_format(struct lexer *l, const struct mode *mode)
{
    struct place from = lex_place(l);
    struct tf_loc loc = lex_loc(l, from);
    lex_error(l, &loc, "syntax", "expected '}' before the end of the f-string");
    l->at += mode->triple ? 3 : 1;
    while (l->modes.at[l->modes.n - 1].kind != MODE_TEXT || l->modes.at[l->modes.n - 1].token != mode->token)
        l->modes.n--;
    l->brackets.n = l->modes.at[--l->modes.n].brackets;
    lex_push(l, TOKEN_ERROR, from);
}

void lex_fstring_text(struct lexer *l)
{
    struct mode mode = l->modes.at[l->modes.n - 1];
    struct place from = lex_place(l);
    uint16_t escaped = 0;
    char c = scan_text(l, &mode, &escaped);
    if (l->at > from.at)
        lex_push(l, TOKEN_FSTRING_MIDDLE, from)->escaped = escaped;
    if (l->stopped)
        return;
    if (c == '{')
        open_field(l);
    else if (c == '}' && mode.kind == MODE_FORMAT)
        close_field(l);
    else if (c == '}')
        stray_brace(l);
    else if (c == mode.quote && mode.kind == MODE_TEXT)
        end_text(l, &mode);
    else if (c == mode.quote)
        quote_in_format(l, &mode);
    else
        abandon(l, mode.kind == MODE_FORMAT ? "f-string's field" : "f-string");
}

int lex_fstring_field(struct lexer *l)
{
    struct mode *mode = &l->modes.at[l->modes.n - 1];
    char c = l->text[l->at];
    if (l->brackets.n != mode->brackets + 1)
        return 0;
    if (c == '}') {
        close_field(l);
        return 1;
    }
    if (c != ':' && !(c == '!' && l->text[l->at + 1] != '='))
        return 0;
    struct place from = lex_place(l);
    l->at++;
    lex_push(l, c == ':' ? TOKEN_COLON : TOKEN_EXCLAIM, from);
    if (c == ':' && !l->stopped) {
        struct mode format = l->modes.at[l->modes.n - 1];
        format.kind = MODE_FORMAT;
        VEC_PUSH(&l->modes, format);
    }
    return 1;
}

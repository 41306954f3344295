/* SPDX-License-Identifier: MIT
 * What the lexer's files share.
 */
#ifndef TF_FRONT_LEXER_H
#define TF_FRONT_LEXER_H

#include "front/lex.h"
#include "util/diag.h"

/* An f-string is text with fields of ordinary tokens in it; a field may end in a format, which is text again. */
#define MODE_TEXT 0u
#define MODE_FIELD 1u
#define MODE_FORMAT 2u
struct mode {
    uint32_t kind;
    char quote;
    uint8_t triple, raw;
    size_t brackets; /* how many were open when it began */
    size_t token;    /* of its FSTRING_START */
};

struct bracket {
    char open;
    size_t token;
};

struct indent {
    uint32_t column;      /* a tab goes to the next multiple of 8 */
    uint32_t alternative; /* a tab counts 1: the two must agree on every comparison */
};

struct lexer {
    tf_ctx *ctx;
    uint32_t file;
    const char *text;
    uint32_t at, end;
    uint32_t line, line_start;
    uint32_t wide; /* bytes of this line before `at` that continue a character */
    int fresh;     /* at the start of a logical line */
    int stopped;
    size_t statement;   /* first token of the logical line */
    uint8_t word[256];  /* whether a byte goes on with a name; not those of other characters than ASCII */
    uint8_t first[128]; /* the kinds whose text starts with a character, chained by next; 0 ends */
    uint8_t next[TOKEN_COUNT];
    struct token_list *out;
    VEC(struct bracket) brackets;
    VEC(struct indent) indents;
    VEC(struct mode) modes;
};

struct place {
    uint32_t at, line, column;
};

struct place lex_place(const struct lexer *l);
int lex_is_newline(const struct lexer *l, uint32_t at);
void lex_newline(struct lexer *l); /* steps over a line end: LF, CR LF or CR */
void lex_char(struct lexer *l);    /* steps over one character that ends no line */
struct token *lex_push(struct lexer *l, uint32_t kind, struct place from);
struct tf_loc lex_loc(const struct lexer *l, struct place from);
void lex_error(struct lexer *l, const struct tf_loc *loc, const char *code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void lex_open(struct lexer *l, char open);
/* Gives up: the tokens are cut before the statement that is being read. */
void lex_cut(struct lexer *l);

void lex_number(struct lexer *l);                   /* lex_number.c */
int lex_string(struct lexer *l, struct place from); /* lex_string.c; 0 when no string starts after the prefix */
void lex_fstring_text(struct lexer *l);             /* in MODE_TEXT or MODE_FORMAT */
/* In a field: whether the character at hand ends its expression; then it is taken. */
int lex_fstring_field(struct lexer *l);

#endif

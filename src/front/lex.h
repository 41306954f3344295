/* SPDX-License-Identifier: MIT
 * From text to tokens: the lines' indentation becomes INDENT and DEDENT, comments and line breaks in brackets go.
 */
#ifndef TF_FRONT_LEX_H
#define TF_FRONT_LEX_H

#include "util/ctx.h"
#include "util/vec.h"

enum token_kind {
#define CLASS(name, what) TOKEN_##name,
#define KEYWORD(name, text) TOKEN_KW_##name,
#define PUNCT(name, text) TOKEN_##name,
#include "front/tokens.def"
#undef CLASS
#undef KEYWORD
#undef PUNCT
    TOKEN_COUNT
};

struct token { /* kept small: a large file has millions */
    uint16_t kind;
    uint16_t escaped;       /* a STRING or FSTRING_MIDDLE that holds a backslash, a CR, a NUL or a pair of braces */
    uint32_t line, column;  /* from 1, in characters */
    uint32_t start, length; /* its bytes in the source */
    const char *name;       /* of a NAME, interned */
};

struct lex_error { /* kept until the parser is there, so that all errors come in the order of the text */
    struct tf_loc loc;
    const char *code, *text;
};

struct token_list {
    struct token *at;
    size_t n, room;
    VEC(struct lex_error) errors; /* by their places */
    int cut; /* a bracket or string is open to the end of the file: the tokens end before its statement */
};

/* The tokens of a source, ending in END.  What is no token is noted among the errors and stands as ERROR. */
void lex_source(tf_ctx *ctx, uint32_t file, struct token_list *tokens);

/* Its place; the end is one past its last character. */
struct tf_loc token_loc(const struct token *token, uint32_t file, const char *text);
const char *token_what(uint32_t kind); /* "'+'", "a name": as messages name a kind */
const char *token_text(uint32_t kind); /* "+", "if"; NULL for a kind without one text */
/* The keywords, in the table's order. */
size_t token_keywords(const char *const **names);

/* Whether a character other than ASCII may stand in a name.  A short list of what cannot: quotes, dashes, arrows... */
int char_in_name(uint32_t c);
/* The character at `at`, of at most `room` bytes; its length in *length (1 for a byte that starts no character). */
uint32_t char_decode(const char *at, size_t room, uint32_t *length);

#endif

/* SPDX-License-Identifier: MIT
 * What the parser's files share.  The parser goes down the grammar of Python; a function a rule, each returning a node,
 * never NULL.
 *
 * After an error the parser stands on an ERROR token that it cannot leave: every rule ends by itself, nothing more is
 * reported, and the statement loop goes on behind the end of the line.  So no rule looks for failure, and every loop
 * goes on only while it finds a token that it asks for.
 */
#ifndef TF_FRONT_PARSE_H
#define TF_FRONT_PARSE_H

#include "front/ast.h"
#include "front/lex.h"
#include "util/diag.h"

struct parser {
    tf_ctx *ctx;
    uint32_t file;
    const char *text;
    const struct token *at, *last; /* at hand; the last one taken that is text */
    const struct token *cut;       /* the tokens end here because of an error that was reported; else NULL */
    const struct token *failed;    /* where the statement went wrong; else NULL */
    const struct token *ended;     /* the token that ends at `end` */
    struct tf_loc end;
    struct token error[2];
    uint32_t depth, in_function;
    uint64_t statements;
    size_t first_error;
    const struct lex_error *untold, *untold_end; /* the lexer's errors, from the first that was not reported yet */
    int stopped;
    VEC(void *) nodes; /* lists of expressions or statements that are being read, one behind the other */
    VEC(struct keyword) keywords;
    VEC(struct clause) clauses;
    VEC(struct param) params;
    VEC(const char *) programs;  /* names that decorate program functions */
    const char *op[TOKEN_COUNT]; /* interned texts */
};

/* ---- tokens (parse.c) ---------------------------------------------------------------------------------------------*/

void next(struct parser *p);
int accept(struct parser *p, uint32_t kind); /* takes it if it is at hand */
void expect(struct parser *p, uint32_t kind);
/* "expected WHAT, found ..."; the statement fails. */
void unexpected(struct parser *p, const char *what);
/* Another error of a statement's text; the statement fails. */
void fail_at(struct parser *p, const struct token *token, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* An error that the rest of the statement can be read after. */
void complain(struct parser *p, const struct tf_loc *loc, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Reports what the lexer noted before a place; NULL: all of it. */
void tell_lexer(struct parser *p, const struct tf_loc *before);
void enter(struct parser *p); /* one level deeper */
void leave(struct parser *p);

static inline int at(const struct parser *p, uint32_t kind)
{
    return p->at->kind == kind;
}

struct tf_loc loc_of(const struct parser *p, const struct token *token);
struct tf_loc loc_since(struct parser *p, const struct token *start);
const char *op_text(struct parser *p, uint32_t kind);

/* ---- nodes --------------------------------------------------------------------------------------------------------*/

struct expr *expr_new(struct parser *p, enum expr_kind kind, const struct token *start);
/* The node's place goes to the last token taken. */
struct expr *expr_end(struct parser *p, struct expr *e, const struct token *start);
/* Takes the nodes pushed since mark into the arena. */
void *nodes_take(struct parser *p, size_t mark, uint32_t *n);

/* ---- expressions (parse_expr.c, parse_atom.c) ---------------------------------------------------------------------*/

struct expr *parse_expression(struct parser *p);       /* no bare comma, star or := */
struct expr *parse_named(struct parser *p);            /* with := */
struct expr *parse_star_expressions(struct parser *p); /* a, *b: a TUPLE where there is a comma */
struct expr *parse_value(struct parser *p);            /* the same, or a yield */
struct expr *parse_or(struct parser *p);
struct expr *parse_bitwise(struct parser *p);    /* no comparison: what a target or a starred value is */
struct expr *parse_named_list(struct parser *p); /* with := and stars */
struct expr *parse_targets(struct parser *p);    /* of for: up to `in` */
struct expr *parse_star_named(struct parser *p);
struct expr *parse_primary(struct parser *p);
struct expr *parse_atom(struct parser *p);
struct expr *parse_yield(struct parser *p);
void parse_call(struct parser *p, struct expr *call);   /* from the open bracket on: items and keywords */
int parse_clauses(struct parser *p, struct expr *comp); /* for ... in ...; 0 when there is none */
/* Parameters up to `close`, without it; annotations unless it is a lambda's. */
struct param *parse_params(struct parser *p, uint32_t close, uint32_t *n);
/* Whether the tokens at hand can start an expression. */
int starts_expression(const struct parser *p);

struct expr *parse_number(struct parser *p);  /* parse_number.c */
struct expr *parse_strings(struct parser *p); /* parse_string.c */

/* ---- statements (parse_stmt.c, parse_block.c) ---------------------------------------------------------------------*/

struct stmt *stmt_new(struct parser *p, enum stmt_kind kind);
struct stmt *stmt_end(struct parser *p, struct stmt *s, const struct token *start);
struct stmt *parse_simple(struct parser *p);
struct stmt *parse_compound(struct parser *p); /* NULL when none starts at hand */
void parse_statements(struct parser *p);       /* to DEDENT or END; pushes them */
/* After a colon: an indented block or the rest of the line.  what and start name the statement that it belongs to. */
struct stmt **parse_block(struct parser *p, const char *what, const struct token *start, uint32_t *n);
struct stmt *parse_def(
    struct parser *p, const struct token *start, uint32_t n, struct expr **decorators); /* parse_def.c */
void skip_type_params(struct parser *p);                                                /* [T, *Ts] where it stands */
struct stmt *parse_class(struct parser *p, uint32_t n, struct expr **decorators);
struct stmt *parse_decorated(struct parser *p);
void parse_line(struct parser *p); /* simple statements up to the end of the line; pushes them */

#endif

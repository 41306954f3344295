/* SPDX-License-Identifier: MIT
 * The syntax tree of a Python file, as far as programs need it.  Names and strings are interned; positions are the
 * syntax node's, lines and columns from 1, columns in characters; an end is one past the last character.
 *
 * What leans left has no depth limit: BINARY (left), ATTR, CALL and SUBSCRIPT (left), as in a + b + c + ... or a.b.c...
 * So whoever goes over expressions goes down `left` of these by a loop, never by recursion; all else is nested at most
 * as deep as the limit says.
 */
#ifndef TF_FRONT_AST_H
#define TF_FRONT_AST_H

#include "util/ctx.h"

/* clang-format off */
/* X(NAME): expressions.  Which members of `struct expr` each uses stands beside it. */
#define EXPR_KINDS(X)                                                                                                  \
    X(NAME)      /* name */                                                                                            \
    X(INT)       /* name: its digits, base 10; i and fits64 */                                                         \
    X(FLOAT)     /* f */                                                                                               \
    X(STRING)    /* name: decoded text, adjacent literals joined; what no C string can hold is OTHER */                \
    X(FSTRING)   /* items: STRING parts and the expressions of replacement fields; a FORMAT node where a field has a   \
                    conversion or a format */                                                                          \
    X(FORMAT)    /* left: the expression; name: what stands after ! or : */                                            \
    X(TRUE) X(FALSE) X(NONE) X(ELLIPSIS)                                                                               \
    X(ATTR)      /* left, name; where the name stands */                                                               \
    X(CALL)      /* left: callee; items: positional; keywords */                                                       \
    X(SUBSCRIPT) /* left, right: the index, a TUPLE for several */                                                     \
    X(SLICE)     /* left, right, third: lower, upper, step; any may be NULL */                                         \
    X(TUPLE) X(LIST) X(SET) /* items; parenthesised for TUPLE */                                                       \
    X(DICT)      /* items: keys (NULL for **), values: the others */                                                   \
    X(COMP)      /* op: 'l' list, 's' set, 'g' generator, 'd' dict; left: element (key), third: value; clauses */      \
    X(BINARY)    /* op, left, right; op is the token's text: + - * / // % @ ** & | ^ << >> */                          \
    X(UNARY)     /* op: + - ~ not; left */                                                                             \
    X(COMPARE)   /* left, items: the others, ops: one for each */                                                      \
    X(BOOL)      /* op: and, or; items: two or more */                                                                 \
    X(IFEXP)     /* left: condition, right: then, third: else */                                                       \
    X(LAMBDA)    /* right: body; parameters are not kept */                                                            \
    X(STAR)      /* left */                                                                                            \
    X(NAMED)     /* name, right */                                                                                     \
    X(OTHER)     /* await, yield, bytes, imaginary numbers, anything else that Python reads; name: what it is */
/* clang-format on */

enum expr_kind {
#define X(n) EXPR_##n,
    EXPR_KINDS(X)
#undef X
};

struct keyword {
    const char *name; /* NULL: ** */
    struct expr *value;
    struct tf_loc loc;
};

struct clause { /* for target in iter if conditions */
    struct expr *target, *iter;
    uint32_t n_conditions, is_async;
    struct expr **conditions;
};

struct expr {
    enum expr_kind kind;
    uint32_t parenthesised; /* wrapped in its own parentheses */
    struct tf_loc loc;
    uint32_t name_line, name_column; /* of ATTR: the attribute's name; it ends where the node does */
    const char *name, *op;
    union {
        int64_t i; /* INT */
        double f;  /* FLOAT */
    };
    uint32_t fits64;
    uint32_t n_items, n_keywords, n_clauses;
    struct expr *left, *right, *third;
    struct expr **items, **values;
    const char **ops;
    struct keyword *keywords;
    struct clause *clauses;
};

/* clang-format off */
#define STMT_KINDS(X)                                                                                                  \
    X(EXPR)      /* value */                                                                                           \
    X(ASSIGN)    /* targets (more than one when chained), value */                                                     \
    X(AUGMENT)   /* targets[0], op, value */                                                                           \
    X(ANNOTATE)  /* targets[0], annotation, value or NULL */                                                           \
    X(RETURN)    /* value or NULL */                                                                                   \
    X(PASS) X(BREAK) X(CONTINUE)                                                                                       \
    X(IF)        /* value, body, orelse */                                                                             \
    X(WHILE)     /* value, body, orelse */                                                                             \
    X(FOR)       /* targets[0], value, body, orelse */                                                                 \
    X(WITH)      /* items: context, target or NULL; body */                                                            \
    X(DEF)       /* name, params, decorators, annotation (of the return) or NULL, body */                              \
    X(CLASS)     /* name, bases (call-like), decorators, body */                                                       \
    X(IMPORT)    /* imports: module and name bound */                                                                  \
    X(FROM)      /* module, level, imports; a name "*" */                                                              \
    X(OTHER)     /* del, assert, raise, global, nonlocal, try, match, async ...: name is the word; body if it has one */
/* clang-format on */

enum stmt_kind {
#define X(n) STMT_##n,
    STMT_KINDS(X)
#undef X
};

struct import_name {
    const char *name;  /* as imported; dotted for IMPORT */
    const char *bound; /* the name that it binds here */
    struct tf_loc loc;
};

struct with_item {
    struct expr *context, *target;
};

#define PARAM_PLAIN 0u
#define PARAM_STAR 1u    /* *args, or a bare * (name NULL) */
#define PARAM_KEYWORD 2u /* **kwargs */
#define PARAM_SLASH 3u   /* / */
#define PARAM_KWONLY 4u  /* after a star */
struct param {
    const char *name;
    uint32_t kind;
    struct tf_loc loc;
    struct expr *annotation, *fallback;
};

struct stmt {
    enum stmt_kind kind;
    uint32_t is_async;
    uint32_t skipped; /* a DEF whose suite was passed over: no program function */
    struct tf_loc loc;
    const char *name, *op, *module;
    uint32_t level; /* dots of a FROM */
    uint32_t n_targets, n_body, n_orelse, n_items, n_params, n_decorators, n_imports;
    struct expr **targets;
    struct expr *value, *annotation;
    struct stmt **body, **orelse;
    struct with_item *items;
    struct param *params;
    struct expr **decorators;
    struct expr *bases; /* of a CLASS: a CALL expression holding them, or NULL */
    struct import_name *imports;
};

struct ast {
    uint32_t file; /* of its source */
    uint32_t n;
    struct stmt **body;
};

/* parse.c: the text of source `file` (source_add).  Reports every error from which it can go on; NULL when there was one.
 * Suites of functions that no decorator named func, prim_func, specialize or converter (however spelt: the last name of the
 * decorator decides, and of its call) stands on are passed over by their indentation, whatever they hold. */
struct ast *parse_source(tf_ctx *ctx, uint32_t file);

/* source.c: reads a whole file with the limits and checks of the issue (UTF-8, no NUL, BOM dropped, a regular file), and
 * registers it.  0 after a diagnostic. */
uint32_t source_read(tf_ctx *ctx, const char *path);

#endif

/* SPDX-License-Identifier: MIT
 * Operators, from the loosest to the tightest.
 */
#include "front/parse.h"

/* ---- arithmetic ---------------------------------------------------------------------------------------------------*/

#define LOOSEST 1
#define TIGHTEST 6
static int precedence(uint32_t kind)
{
    switch (kind) {
    case TOKEN_VBAR: return 1;
    case TOKEN_CIRCUMFLEX: return 2;
    case TOKEN_AMPER: return 3;
    case TOKEN_LSHIFT:
    case TOKEN_RSHIFT: return 4;
    case TOKEN_PLUS:
    case TOKEN_MINUS: return 5;
    case TOKEN_STAR:
    case TOKEN_SLASH:
    case TOKEN_DOUBLESLASH:
    case TOKEN_PERCENT:
    case TOKEN_AT: return 6;
    default: return 0;
    }
}

static struct expr *parse_power(struct parser *p);

static struct expr *parse_factor(struct parser *p)
{
    const struct token *start = p->at;
    if (!at(p, TOKEN_PLUS) && !at(p, TOKEN_MINUS) && !at(p, TOKEN_TILDE))
        return parse_power(p);
    struct expr *e = expr_new(p, EXPR_UNARY, start);
    e->op = op_text(p, start->kind);
    next(p);
    enter(p);
    e->left = parse_factor(p);
    leave(p);
    return expr_end(p, e, start);
}

static struct expr *parse_power(struct parser *p)
{
    const struct token *start = p->at;
    struct expr *base = parse_primary(p);
    if (!at(p, TOKEN_DOUBLESTAR))
        return base;
    struct expr *e = expr_new(p, EXPR_BINARY, start);
    e->op = op_text(p, TOKEN_DOUBLESTAR);
    e->left = base;
    next(p);
    enter(p);
    e->right = parse_factor(p);
    leave(p);
    return expr_end(p, e, start);
}

/* Operators that bind at least as tight as `least`; a chain leans left and is read by a loop. */
static struct expr *parse_binary(struct parser *p, int least)
{
    const struct token *start = p->at;
    struct expr *left = parse_factor(p);
    for (int level; (level = precedence(p->at->kind)) >= least && level;) {
        struct expr *e = expr_new(p, EXPR_BINARY, start);
        e->op = op_text(p, p->at->kind);
        e->left = left;
        next(p);
        e->right = level == TIGHTEST ? parse_factor(p) : parse_binary(p, level + 1);
        left = expr_end(p, e, start);
    }
    return left;
}

struct expr *parse_bitwise(struct parser *p)
{
    return parse_binary(p, LOOSEST);
}

/* ---- comparisons and logic ----------------------------------------------------------------------------------------*/

/* The comparison at hand, taken; NULL when there is none. */
static const char *take_comparison(struct parser *p)
{
    uint32_t kind = p->at->kind;
    switch (kind) {
    case TOKEN_LESS:
    case TOKEN_GREATER:
    case TOKEN_LESSEQUAL:
    case TOKEN_GREATEREQUAL:
    case TOKEN_EQEQUAL:
    case TOKEN_NOTEQUAL:
    case TOKEN_KW_IN: next(p); return op_text(p, kind);
    case TOKEN_KW_IS: next(p); return accept(p, TOKEN_KW_NOT) ? ctx_intern(p->ctx, "is not") : op_text(p, kind);
    case TOKEN_KW_NOT:
        if (p->at[1].kind != TOKEN_KW_IN)
            return NULL;
        next(p);
        next(p);
        return ctx_intern(p->ctx, "not in");
    default: return NULL;
    }
}

static struct expr *parse_comparison(struct parser *p)
{
    const struct token *start = p->at;
    struct expr *left = parse_bitwise(p);
    const char *op = take_comparison(p);
    if (!op)
        return left;
    struct expr *e = expr_new(p, EXPR_COMPARE, start);
    VEC(const char *) ops = {0};
    size_t mark = p->nodes.n;
    e->left = left;
    for (; op; op = take_comparison(p)) {
        VEC_PUSH(&ops, op);
        struct expr *right = parse_bitwise(p);
        VEC_PUSH(&p->nodes, right);
    }
    e->items = nodes_take(p, mark, &e->n_items);
    e->ops = arena_copy(&p->ctx->arena, ops.at, ops.n * sizeof(*ops.at));
    VEC_FREE(&ops);
    return expr_end(p, e, start);
}

static struct expr *parse_not(struct parser *p)
{
    const struct token *start = p->at;
    if (!at(p, TOKEN_KW_NOT))
        return parse_comparison(p);
    struct expr *e = expr_new(p, EXPR_UNARY, start);
    e->op = op_text(p, TOKEN_KW_NOT);
    next(p);
    enter(p);
    e->left = parse_not(p);
    leave(p);
    return expr_end(p, e, start);
}

static struct expr *parse_bool(struct parser *p, uint32_t word, struct expr *(*part)(struct parser *))
{
    const struct token *start = p->at;
    struct expr *first = part(p);
    if (!at(p, word))
        return first;
    struct expr *e = expr_new(p, EXPR_BOOL, start);
    size_t mark = p->nodes.n;
    e->op = op_text(p, word);
    VEC_PUSH(&p->nodes, first);
    while (accept(p, word)) {
        struct expr *more = part(p);
        VEC_PUSH(&p->nodes, more);
    }
    e->items = nodes_take(p, mark, &e->n_items);
    return expr_end(p, e, start);
}

static struct expr *parse_and(struct parser *p)
{
    return parse_bool(p, TOKEN_KW_AND, parse_not);
}

struct expr *parse_or(struct parser *p)
{
    return parse_bool(p, TOKEN_KW_OR, parse_and);
}

/* ---- whole expressions --------------------------------------------------------------------------------------------*/

static struct expr *parse_lambda(struct parser *p)
{
    const struct token *start = p->at;
    struct expr *e = expr_new(p, EXPR_LAMBDA, start);
    uint32_t n;
    next(p);
    enter(p);
    parse_params(p, TOKEN_COLON, &n);
    expect(p, TOKEN_COLON);
    e->right = parse_expression(p);
    leave(p);
    return expr_end(p, e, start);
}

struct expr *parse_expression(struct parser *p)
{
    const struct token *start = p->at;
    if (at(p, TOKEN_KW_LAMBDA))
        return parse_lambda(p);
    struct expr *then = parse_or(p);
    if (!accept(p, TOKEN_KW_IF))
        return then;
    struct expr *e = expr_new(p, EXPR_IFEXP, start);
    e->right = then;
    enter(p);
    e->left = parse_or(p);
    expect(p, TOKEN_KW_ELSE);
    e->third = parse_expression(p);
    leave(p);
    return expr_end(p, e, start);
}

struct expr *parse_named(struct parser *p)
{
    const struct token *start = p->at;
    if (!at(p, TOKEN_NAME) || p->at[1].kind != TOKEN_WALRUS)
        return parse_expression(p);
    struct expr *e = expr_new(p, EXPR_NAMED, start);
    e->name = start->name;
    next(p);
    next(p);
    e->right = parse_expression(p);
    return expr_end(p, e, start);
}

static struct expr *parse_star(struct parser *p)
{
    const struct token *start = p->at;
    struct expr *e = expr_new(p, EXPR_STAR, start);
    next(p);
    e->left = parse_bitwise(p);
    return expr_end(p, e, start);
}

struct expr *parse_star_named(struct parser *p)
{
    return at(p, TOKEN_STAR) ? parse_star(p) : parse_named(p);
}

static struct expr *parse_star_expression(struct parser *p)
{
    return at(p, TOKEN_STAR) ? parse_star(p) : parse_expression(p);
}

static struct expr *parse_star_target(struct parser *p)
{
    return at(p, TOKEN_STAR) ? parse_star(p) : parse_bitwise(p);
}

/* One of `part`, or a tuple of them where a comma follows. */
static struct expr *parse_list(struct parser *p, struct expr *(*part)(struct parser *))
{
    const struct token *start = p->at;
    struct expr *first = part(p);
    if (!at(p, TOKEN_COMMA))
        return first;
    struct expr *e = expr_new(p, EXPR_TUPLE, start);
    size_t mark = p->nodes.n;
    VEC_PUSH(&p->nodes, first);
    while (accept(p, TOKEN_COMMA) && starts_expression(p)) {
        struct expr *more = part(p);
        VEC_PUSH(&p->nodes, more);
    }
    e->items = nodes_take(p, mark, &e->n_items);
    return expr_end(p, e, start);
}

struct expr *parse_star_expressions(struct parser *p)
{
    return parse_list(p, parse_star_expression);
}

struct expr *parse_named_list(struct parser *p)
{
    return parse_list(p, parse_star_named);
}

struct expr *parse_targets(struct parser *p)
{
    return parse_list(p, parse_star_target);
}

struct expr *parse_value(struct parser *p)
{
    return at(p, TOKEN_KW_YIELD) ? parse_yield(p) : parse_star_expressions(p);
}

struct expr *parse_yield(struct parser *p)
{
    const struct token *start = p->at;
    struct expr *e = expr_new(p, EXPR_OTHER, start);
    e->name = op_text(p, TOKEN_KW_YIELD);
    next(p);
    if (accept(p, TOKEN_KW_FROM))
        e->left = parse_expression(p);
    else if (starts_expression(p))
        e->left = parse_star_expressions(p);
    return expr_end(p, e, start);
}

/* SPDX-License-Identifier: MIT
 * Functions and classes.
 */
#include "front/parse.h"

#include <string.h>

/* ---- parameters ---------------------------------------------------------------------------------------------------*/

struct params {
    uint32_t close;
    int star, keywords, fallback, slash;
    struct param bare; /* a `*` alone that no parameter has followed yet; else no place */
    size_t mark;
};

static void check_bare(struct parser *p, const struct params *all)
{
    if (all->bare.loc.line)
        complain(p, &all->bare.loc, "a parameter must follow the bare '*'");
}

static void check_param(struct parser *p, struct params *all, const struct param *param)
{
    if (all->keywords)
        complain(p, &param->loc, "nothing can follow the '**' parameter");
    for (size_t i = all->mark; param->name && i < p->params.n; i++)
        if (p->params.at[i].name == param->name)
            complain(p, &param->loc, "parameter '%s' is named twice", param->name);
    if (param->kind == PARAM_KEYWORD)
        check_bare(p, all);
    if (param->kind == PARAM_STAR && all->star)
        complain(p, &param->loc, "a second '*' among the parameters");
    if (param->kind == PARAM_SLASH && (all->star || all->slash || p->params.n == all->mark))
        complain(p, &param->loc, "'/' must stand once, after a parameter and before '*'");
    if (param->kind == PARAM_PLAIN && all->fallback && !param->fallback)
        complain(p, &param->loc, "parameter '%s' without a default follows one with a default", param->name);
    all->star |= param->kind == PARAM_STAR;
    all->bare = (struct param){0};
    if (param->kind == PARAM_STAR && !param->name)
        all->bare = *param;
    all->slash |= param->kind == PARAM_SLASH;
    all->keywords |= param->kind == PARAM_KEYWORD;
    all->fallback |= param->kind == PARAM_PLAIN && param->fallback;
}

static void parse_param(struct parser *p, struct params *all)
{
    const struct token *start = p->at;
    struct param param = {.kind = all->star ? PARAM_KWONLY : PARAM_PLAIN};
    if (accept(p, TOKEN_SLASH))
        param.kind = PARAM_SLASH;
    else if (accept(p, TOKEN_DOUBLESTAR))
        param.kind = PARAM_KEYWORD;
    else if (accept(p, TOKEN_STAR))
        param.kind = PARAM_STAR;
    int bare = param.kind == PARAM_SLASH || (param.kind == PARAM_STAR && (at(p, TOKEN_COMMA) || at(p, all->close)));
    if (!bare) {
        start = p->at; /* the place of a starred one is its name's, as in Python's tree */
        param.name = start->name;
        if (!at(p, TOKEN_NAME))
            unexpected(p, param.kind == PARAM_PLAIN ? "a parameter" : "a parameter's name");
        next(p);
    }
    if (param.name && all->close == TOKEN_RPAR && accept(p, TOKEN_COLON))
        param.annotation = parse_star_named(p);
    param.loc = loc_since(p, start);
    if (param.kind != PARAM_STAR && param.kind != PARAM_KEYWORD && param.name && accept(p, TOKEN_EQUAL))
        param.fallback = parse_expression(p);
    check_param(p, all, &param);
    VEC_PUSH(&p->params, param);
}

struct param *parse_params(struct parser *p, uint32_t close, uint32_t *n)
{
    struct params all = {.close = close, .mark = p->params.n};
    while (!at(p, close) && !at(p, TOKEN_ERROR)) {
        parse_param(p, &all);
        if (!accept(p, TOKEN_COMMA))
            break;
    }
    size_t count = p->params.n - all.mark;
    struct param *params = VEC_KEEP(&p->params, &p->ctx->arena, all.mark);
    check_bare(p, &all);
    p->params.n = all.mark;
    *n = (uint32_t)count;
    return params;
}

/* The T of `def f[T](..)`: passed over. */
void skip_type_params(struct parser *p)
{
    int open = 0;
    if (!at(p, TOKEN_LSQB))
        return;
    do {
        open += at(p, TOKEN_LSQB);
        open -= at(p, TOKEN_RSQB);
        next(p);
    } while (open && !at(p, TOKEN_END) && !at(p, TOKEN_ERROR));
}

/* ---- functions ----------------------------------------------------------------------------------------------------*/

static int is_program(const struct parser *p, const struct expr *decorator)
{
    const struct expr *e = decorator->kind == EXPR_CALL ? decorator->left : decorator;
    if (e->kind != EXPR_NAME && e->kind != EXPR_ATTR)
        return 0;
    for (size_t i = 0; i < p->programs.n; i++)
        if (p->programs.at[i] == e->name)
            return 1;
    return 0;
}

/* Past the suite after a colon, whatever it holds. */
static void skip_suite(struct parser *p)
{
    int open = 0;
    if (!at(p, TOKEN_NEWLINE) || p->at[1].kind != TOKEN_INDENT) {
        while (!at(p, TOKEN_NEWLINE) && !at(p, TOKEN_END) && !p->failed)
            p->at++;
        p->last = p->at - 1;
        accept(p, TOKEN_NEWLINE);
        return;
    }
    p->at++;
    do {
        open += at(p, TOKEN_INDENT);
        open -= at(p, TOKEN_DEDENT);
        if (!at(p, TOKEN_INDENT) && !at(p, TOKEN_DEDENT) && !at(p, TOKEN_NEWLINE))
            p->last = p->at;
        p->at++;
    } while (open && !at(p, TOKEN_END));
}

static void parse_suite(struct parser *p, struct stmt *s, const struct token *start)
{
    int program = 0;
    for (uint32_t i = 0; i < s->n_decorators; i++)
        program |= is_program(p, s->decorators[i]);
    if (!program && !(at(p, TOKEN_NEWLINE) && p->at[1].kind != TOKEN_INDENT)) {
        s->skipped = 1;
        skip_suite(p);
        return;
    }
    s->skipped = !program;
    p->in_function++;
    s->body = parse_block(p, "def", start, &s->n_body);
    p->in_function--;
}

struct stmt *parse_def(struct parser *p, const struct token *start, uint32_t n, struct expr **decorators)
{
    const struct token *def = p->at;
    struct stmt *s = stmt_new(p, STMT_DEF);
    s->is_async = def != start;
    s->n_decorators = n;
    s->decorators = decorators;
    next(p);
    s->name = p->at->name;
    if (!at(p, TOKEN_NAME))
        unexpected(p, "the function's name");
    next(p);
    skip_type_params(p);
    expect(p, TOKEN_LPAR);
    enter(p);
    s->params = parse_params(p, TOKEN_RPAR, &s->n_params);
    leave(p);
    if (!accept(p, TOKEN_RPAR))
        unexpected(p, "',' or ')'");
    if (accept(p, TOKEN_ARROW))
        s->annotation = parse_expression(p);
    expect(p, TOKEN_COLON);
    if (!p->failed)
        parse_suite(p, s, def);
    return stmt_end(p, s, start);
}

/* ---- classes ------------------------------------------------------------------------------------------------------*/

struct stmt *parse_class(struct parser *p, uint32_t n, struct expr **decorators)
{
    const struct token *start = p->at;
    struct stmt *s = stmt_new(p, STMT_CLASS);
    uint32_t outside = p->in_function;
    s->n_decorators = n;
    s->decorators = decorators;
    next(p);
    s->name = p->at->name;
    if (!at(p, TOKEN_NAME))
        unexpected(p, "the class's name");
    next(p);
    skip_type_params(p);
    if (at(p, TOKEN_LPAR)) {
        s->bases = expr_new(p, EXPR_CALL, p->at);
        parse_call(p, s->bases);
        expr_end(p, s->bases, start);
    }
    expect(p, TOKEN_COLON);
    p->in_function = 0;
    if (!p->failed)
        s->body = parse_block(p, "class", start, &s->n_body);
    p->in_function = outside;
    return stmt_end(p, s, start);
}

struct stmt *parse_decorated(struct parser *p)
{
    size_t mark = p->nodes.n;
    uint32_t n;
    while (accept(p, TOKEN_AT)) {
        struct expr *decorator = parse_named(p);
        VEC_PUSH(&p->nodes, decorator);
        expect(p, TOKEN_NEWLINE);
    }
    struct expr **decorators = nodes_take(p, mark, &n);
    const struct token *start = p->at;
    if (at(p, TOKEN_KW_CLASS))
        return parse_class(p, n, decorators);
    if (accept(p, TOKEN_KW_ASYNC) && !at(p, TOKEN_KW_DEF))
        unexpected(p, "'def' after 'async'");
    else if (!at(p, TOKEN_KW_DEF))
        unexpected(p, "'def' or 'class' after the decorator");
    return parse_def(p, start, n, decorators);
}

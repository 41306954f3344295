/* SPDX-License-Identifier: MIT
 * Names, literals, brackets, and what follows them: calls, subscripts, attributes.
 */
#include "front/parse.h"

int starts_expression(const struct parser *p)
{
    switch (p->at->kind) {
    case TOKEN_NAME:
    case TOKEN_NUMBER:
    case TOKEN_STRING:
    case TOKEN_FSTRING_START:
    case TOKEN_KW_FALSE:
    case TOKEN_KW_NONE:
    case TOKEN_KW_TRUE:
    case TOKEN_KW_AWAIT:
    case TOKEN_KW_LAMBDA:
    case TOKEN_KW_NOT:
    case TOKEN_LPAR:
    case TOKEN_LSQB:
    case TOKEN_LBRACE:
    case TOKEN_ELLIPSIS:
    case TOKEN_PLUS:
    case TOKEN_MINUS:
    case TOKEN_STAR:
    case TOKEN_TILDE: return 1;
    default: return 0;
    }
}

static struct expr *word(struct parser *p, enum expr_kind kind)
{
    struct expr *e = expr_new(p, kind, p->at);
    e->name = p->at->name;
    next(p);
    return e;
}

/* ---- comprehensions -----------------------------------------------------------------------------------------------*/

static void parse_clause(struct parser *p)
{
    struct clause clause = {.is_async = (uint32_t)accept(p, TOKEN_KW_ASYNC)};
    size_t mark = p->nodes.n;
    expect(p, TOKEN_KW_FOR);
    clause.target = parse_targets(p);
    expect(p, TOKEN_KW_IN);
    clause.iter = parse_or(p);
    while (accept(p, TOKEN_KW_IF)) {
        struct expr *condition = parse_or(p);
        VEC_PUSH(&p->nodes, condition);
    }
    clause.conditions = nodes_take(p, mark, &clause.n_conditions);
    VEC_PUSH(&p->clauses, clause);
}

int parse_clauses(struct parser *p, struct expr *comp)
{
    size_t mark = p->clauses.n;
    while (at(p, TOKEN_KW_FOR) || (at(p, TOKEN_KW_ASYNC) && p->at[1].kind == TOKEN_KW_FOR))
        parse_clause(p);
    size_t n = p->clauses.n - mark;
    if (!n)
        return 0;
    comp->clauses = arena_copy(&p->ctx->arena, p->clauses.at + mark, n * sizeof(*p->clauses.at));
    comp->n_clauses = (uint32_t)n;
    p->clauses.n = mark;
    return 1;
}

static int at_clause(const struct parser *p)
{
    return at(p, TOKEN_KW_FOR) || (at(p, TOKEN_KW_ASYNC) && p->at[1].kind == TOKEN_KW_FOR);
}

static struct expr *parse_comp(struct parser *p, const char *op, struct expr *left, const struct token *start)
{
    struct expr *e = expr_new(p, EXPR_COMP, start);
    struct tf_loc loc = left->loc;
    e->op = ctx_intern(p->ctx, op);
    e->left = left;
    if (left->kind == EXPR_STAR)
        complain(p, &loc, "a comprehension's element cannot be starred");
    parse_clauses(p, e);
    return e;
}

/* ---- brackets -----------------------------------------------------------------------------------------------------*/

/* The bracket's end; a comma would have been good too. */
static void close(struct parser *p, uint32_t kind)
{
    if (accept(p, kind))
        return;
    if (at(p, TOKEN_COMMA))
        unexpected(p, "an expression");
    else
        unexpected(p, arena_format(&p->ctx->arena, "',' or %s", token_what(kind)));
}

/* The rest of a list of items, after the first. */
static void parse_items(struct parser *p, struct expr *e, struct expr *first)
{
    size_t mark = p->nodes.n;
    VEC_PUSH(&p->nodes, first);
    while (accept(p, TOKEN_COMMA) && starts_expression(p)) {
        struct expr *more = parse_star_named(p);
        VEC_PUSH(&p->nodes, more);
    }
    e->items = nodes_take(p, mark, &e->n_items);
}

static struct expr *parse_group_inside(struct parser *p, const struct token *start)
{
    if (at(p, TOKEN_RPAR))
        return expr_new(p, EXPR_TUPLE, start);
    if (at(p, TOKEN_KW_YIELD))
        return parse_yield(p);
    struct expr *first = parse_star_named(p);
    if (at_clause(p))
        return parse_comp(p, "g", first, start);
    if (at(p, TOKEN_COMMA)) {
        struct expr *e = expr_new(p, EXPR_TUPLE, start);
        parse_items(p, e, first);
        return e;
    }
    if (first->kind == EXPR_STAR)
        complain(p, &first->loc, "a starred value cannot stand alone in parentheses");
    return first;
}

static struct expr *parse_group(struct parser *p)
{
    const struct token *start = p->at;
    next(p);
    enter(p);
    struct expr *e = parse_group_inside(p, start);
    leave(p);
    close(p, TOKEN_RPAR);
    /* A tuple's place takes in its parentheses, another expression's does not. */
    int whole = !e->parenthesised && (e->kind == EXPR_COMP || e->kind == EXPR_TUPLE);
    if (whole && e->loc.line == start->line && e->loc.column == start->column)
        expr_end(p, e, start);
    e->parenthesised = 1;
    return e;
}

static struct expr *parse_square(struct parser *p)
{
    const struct token *start = p->at;
    struct expr *e = expr_new(p, EXPR_LIST, start);
    next(p);
    enter(p);
    if (!at(p, TOKEN_RSQB)) {
        struct expr *first = parse_star_named(p);
        if (at_clause(p))
            e = parse_comp(p, "l", first, start);
        else
            parse_items(p, e, first);
    }
    leave(p);
    close(p, TOKEN_RSQB);
    return expr_end(p, e, start);
}

/* One key and value of a dict; `**value` has no key. */
static struct expr *parse_entry(struct parser *p, struct expr *key)
{
    if (!key && accept(p, TOKEN_DOUBLESTAR))
        return parse_bitwise(p);
    expect(p, TOKEN_COLON);
    return parse_expression(p);
}

static struct expr *parse_dict(struct parser *p, struct expr *key, const struct token *start)
{
    struct expr *e = expr_new(p, EXPR_DICT, start);
    size_t mark = p->nodes.n;
    struct expr *value = parse_entry(p, key);
    if (key && at_clause(p)) {
        e = parse_comp(p, "d", key, start);
        e->third = value;
        return e;
    }
    VEC_PUSH(&p->nodes, key);
    VEC_PUSH(&p->nodes, value);
    while (accept(p, TOKEN_COMMA) && (at(p, TOKEN_DOUBLESTAR) || starts_expression(p))) {
        key = at(p, TOKEN_DOUBLESTAR) ? NULL : parse_expression(p);
        value = parse_entry(p, key);
        VEC_PUSH(&p->nodes, key);
        VEC_PUSH(&p->nodes, value);
    }
    uint32_t n;
    void **pairs = nodes_take(p, mark, &n);
    e->n_items = n / 2;
    e->items = CTX_ARRAY(p->ctx, struct expr *, e->n_items);
    e->values = CTX_ARRAY(p->ctx, struct expr *, e->n_items);
    for (uint32_t i = 0; i < e->n_items; i++) {
        e->items[i] = pairs[2 * i];
        e->values[i] = pairs[2 * i + 1];
    }
    return e;
}

static struct expr *parse_brace_inside(struct parser *p, const struct token *start)
{
    if (at(p, TOKEN_RBRACE))
        return expr_new(p, EXPR_DICT, start);
    if (at(p, TOKEN_DOUBLESTAR))
        return parse_dict(p, NULL, start);
    struct expr *first = parse_star_named(p);
    if (at(p, TOKEN_COLON))
        return parse_dict(p, first, start);
    if (at_clause(p))
        return parse_comp(p, "s", first, start);
    struct expr *e = expr_new(p, EXPR_SET, start);
    parse_items(p, e, first);
    return e;
}

static struct expr *parse_brace(struct parser *p)
{
    const struct token *start = p->at;
    next(p);
    enter(p);
    struct expr *e = parse_brace_inside(p, start);
    leave(p);
    close(p, TOKEN_RBRACE);
    return expr_end(p, e, start);
}

struct expr *parse_atom(struct parser *p)
{
    switch (p->at->kind) {
    case TOKEN_NAME: return word(p, EXPR_NAME);
    case TOKEN_NUMBER: return parse_number(p);
    case TOKEN_STRING:
    case TOKEN_FSTRING_START: return parse_strings(p);
    case TOKEN_KW_TRUE: return word(p, EXPR_TRUE);
    case TOKEN_KW_FALSE: return word(p, EXPR_FALSE);
    case TOKEN_KW_NONE: return word(p, EXPR_NONE);
    case TOKEN_ELLIPSIS: return word(p, EXPR_ELLIPSIS);
    case TOKEN_LPAR: return parse_group(p);
    case TOKEN_LSQB: return parse_square(p);
    case TOKEN_LBRACE: return parse_brace(p);
    default: break;
    }
    struct expr *e = expr_new(p, EXPR_OTHER, p->at);
    unexpected(p, "an expression");
    return e;
}

/* ---- calls --------------------------------------------------------------------------------------------------------*/

static void add_keyword(struct parser *p, size_t mark, const char *name)
{
    const struct token *start = p->at;
    struct keyword keyword = {.name = name};
    next(p);
    if (name)
        next(p);
    keyword.value = parse_expression(p);
    keyword.loc = loc_since(p, start);
    for (size_t i = mark; name && i < p->keywords.n; i++)
        if (p->keywords.at[i].name == name)
            complain(p, &keyword.loc, "argument '%s' is given twice", name);
    VEC_PUSH(&p->keywords, keyword);
}

/* `*` in a call takes a whole expression, elsewhere no more than `|` binds. */
static struct expr *parse_star_argument(struct parser *p)
{
    const struct token *start = p->at;
    struct expr *e = expr_new(p, EXPR_STAR, start);
    next(p);
    e->left = parse_expression(p);
    return expr_end(p, e, start);
}

/* Whether one of the keywords since mark is `**`. */
static int has_spread(const struct parser *p, size_t mark)
{
    for (size_t i = mark; i < p->keywords.n; i++)
        if (!p->keywords.at[i].name)
            return 1;
    return 0;
}

static void add_argument(struct parser *p, size_t keywords, size_t items, const struct token *open)
{
    struct expr *e = at(p, TOKEN_STAR) ? parse_star_argument(p) : parse_named(p);
    if (at_clause(p)) {
        e = parse_comp(p, "g", e, open);
        e->parenthesised = 1;
        if (p->nodes.n > items || p->keywords.n > keywords || !at(p, TOKEN_RPAR))
            complain(p, &e->loc, "a generator expression beside other arguments needs parentheses of its own");
        e->loc = loc_since(p, open);
        e->loc.end_line = loc_of(p, p->at).end_line;
        e->loc.end_column = loc_of(p, p->at).end_column;
    } else if (p->keywords.n > keywords && (e->kind != EXPR_STAR || has_spread(p, keywords))) {
        complain(p, &e->loc, "a positional argument follows a keyword argument");
    }
    VEC_PUSH(&p->nodes, e);
}

void parse_call(struct parser *p, struct expr *call)
{
    const struct token *open = p->at;
    size_t items = p->nodes.n, keywords = p->keywords.n;
    next(p);
    enter(p);
    while (at(p, TOKEN_DOUBLESTAR) || starts_expression(p)) {
        if (at(p, TOKEN_DOUBLESTAR))
            add_keyword(p, keywords, NULL);
        else if (at(p, TOKEN_NAME) && p->at[1].kind == TOKEN_EQUAL)
            add_keyword(p, keywords, p->at->name);
        else
            add_argument(p, keywords, items, open);
        if (!accept(p, TOKEN_COMMA))
            break;
    }
    leave(p);
    call->items = nodes_take(p, items, &call->n_items);
    size_t n = p->keywords.n - keywords;
    if (n)
        call->keywords = arena_copy(&p->ctx->arena, p->keywords.at + keywords, n * sizeof(*p->keywords.at));
    call->n_keywords = (uint32_t)n;
    p->keywords.n = keywords;
    close(p, TOKEN_RPAR);
}

/* ---- subscripts ---------------------------------------------------------------------------------------------------*/

static struct expr *parse_slice(struct parser *p)
{
    const struct token *start = p->at;
    struct expr *low = at(p, TOKEN_COLON) ? NULL : parse_star_named(p);
    if (!at(p, TOKEN_COLON))
        return low;
    struct expr *e = expr_new(p, EXPR_SLICE, start);
    e->left = low;
    next(p);
    if (starts_expression(p))
        e->right = parse_expression(p);
    if (accept(p, TOKEN_COLON) && starts_expression(p))
        e->third = parse_expression(p);
    return expr_end(p, e, start);
}

static struct expr *parse_index(struct parser *p)
{
    const struct token *start = p->at;
    struct expr *first = parse_slice(p);
    if (!at(p, TOKEN_COMMA) && first->kind != EXPR_STAR)
        return first;
    struct expr *e = expr_new(p, EXPR_TUPLE, start);
    size_t mark = p->nodes.n;
    VEC_PUSH(&p->nodes, first);
    while (accept(p, TOKEN_COMMA) && (at(p, TOKEN_COLON) || starts_expression(p))) {
        struct expr *more = parse_slice(p);
        VEC_PUSH(&p->nodes, more);
    }
    e->items = nodes_take(p, mark, &e->n_items);
    return expr_end(p, e, start);
}

static struct expr *parse_attribute(struct parser *p, struct expr *left, const struct token *start)
{
    struct expr *e = expr_new(p, EXPR_ATTR, start);
    e->left = left;
    next(p);
    e->name = p->at->name;
    e->name_line = p->at->line;
    e->name_column = p->at->column;
    expect(p, TOKEN_NAME);
    return e;
}

/* A chain leans left and is read by a loop. */
struct expr *parse_primary(struct parser *p)
{
    const struct token *start = p->at;
    if (at(p, TOKEN_KW_AWAIT)) {
        struct expr *e = expr_new(p, EXPR_OTHER, start);
        e->name = op_text(p, TOKEN_KW_AWAIT);
        next(p);
        enter(p);
        e->left = parse_primary(p);
        leave(p);
        return expr_end(p, e, start);
    }
    struct expr *left = parse_atom(p);
    for (;;) {
        struct expr *e = left;
        if (at(p, TOKEN_DOT)) {
            e = parse_attribute(p, left, start);
        } else if (at(p, TOKEN_LPAR)) {
            e = expr_new(p, EXPR_CALL, start);
            e->left = left;
            parse_call(p, e);
        } else if (at(p, TOKEN_LSQB)) {
            e = expr_new(p, EXPR_SUBSCRIPT, start);
            e->left = left;
            next(p);
            enter(p);
            e->right = parse_index(p);
            leave(p);
            close(p, TOKEN_RSQB);
        } else {
            return left;
        }
        left = expr_end(p, e, start);
    }
}

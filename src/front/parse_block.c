/* SPDX-License-Identifier: MIT
 * Statements with suites, lines and blocks, and going on after an error.
 */
#include "front/parse.h"

#include <string.h>

/* ---- lines --------------------------------------------------------------------------------------------------------*/

/* A word at the start of a statement that is nearly a keyword explains what follows it. */
static void end_of_line(struct parser *p, const struct token *start)
{
    const char *const *words;
    size_t n = token_keywords(&words);
    if (at(p, TOKEN_END) || at(p, TOKEN_ERROR) || accept(p, TOKEN_NEWLINE))
        return;
    const char *near = start->kind == TOKEN_NAME ? did_you_mean(start->name, words, n) : NULL;
    if (near)
        fail_at(p, p->at, "expected the end of the statement; did you mean '%s' for '%s'?", near, start->name);
    else
        unexpected(p, "the end of the statement");
}

void parse_line(struct parser *p)
{
    const struct token *start = p->at;
    do {
        start = p->at;
        struct stmt *s = parse_simple(p);
        VEC_PUSH(&p->nodes, s);
    } while (accept(p, TOKEN_SEMI) && !at(p, TOKEN_NEWLINE) && !at(p, TOKEN_END));
    end_of_line(p, start);
}

/* Behind the end of the line that failed. */
static void recover(struct parser *p)
{
    p->at = p->failed;
    p->failed = NULL;
    while (!at(p, TOKEN_NEWLINE) && !at(p, TOKEN_INDENT) && !at(p, TOKEN_DEDENT) && !at(p, TOKEN_END))
        p->at++;
    accept(p, TOKEN_NEWLINE);
}

/* A block that no statement above opened, or whose opening failed: its statements are read all the same. */
static void parse_stray_block(struct parser *p, int report)
{
    if (report)
        fail_at(p, p->at, "this line is indented deeper, but nothing above opens a block");
    p->at = p->failed ? p->failed : p->at;
    p->failed = NULL;
    next(p);
    enter(p);
    parse_statements(p);
    leave(p);
    accept(p, TOKEN_DEDENT);
}

void parse_statements(struct parser *p)
{
    while (!p->stopped && !at(p, TOKEN_DEDENT) && !at(p, TOKEN_END)) {
        size_t nodes = p->nodes.n;
        if (at(p, TOKEN_INDENT)) {
            parse_stray_block(p, 1);
            continue;
        }
        struct stmt *s = parse_compound(p);
        if (s)
            VEC_PUSH(&p->nodes, s);
        else
            parse_line(p);
        if (!p->failed)
            continue;
        p->nodes.n = nodes;
        recover(p);
        if (at(p, TOKEN_INDENT) && !p->stopped)
            parse_stray_block(p, 0);
    }
}

struct stmt **parse_block(struct parser *p, const char *what, const struct token *start, uint32_t *n)
{
    size_t mark = p->nodes.n;
    enter(p);
    if (!accept(p, TOKEN_NEWLINE)) {
        parse_line(p);
    } else if (accept(p, TOKEN_INDENT)) {
        parse_statements(p);
        if (!p->stopped)
            expect(p, TOKEN_DEDENT);
    } else if (!p->cut || p->at < p->cut) {
        struct tf_loc loc = loc_of(p, p->at);
        complain(p, &loc, "expected an indented block after the '%s' of line %u", what, start->line);
    }
    leave(p);
    return nodes_take(p, mark, n);
}

/* ---- conditions and loops -----------------------------------------------------------------------------------------*/

static void expect_colon(struct parser *p, int condition)
{
    if (accept(p, TOKEN_COLON))
        return;
    if (condition && at(p, TOKEN_EQUAL))
        fail_at(p, p->at, "expected ':', found '='; a comparison is written '=='");
    else
        unexpected(p, "':'");
}

static struct stmt **parse_else(struct parser *p, uint32_t *n)
{
    const struct token *start = p->at;
    *n = 0;
    if (!accept(p, TOKEN_KW_ELSE))
        return NULL;
    expect_colon(p, 0);
    return parse_block(p, "else", start, n);
}

/* `elif` is an IF alone in the orelse of the one before. */
static struct stmt *parse_if(struct parser *p)
{
    const struct token *start = p->at;
    struct stmt *s = stmt_new(p, STMT_IF);
    const char *what = token_text(start->kind);
    next(p);
    enter(p);
    s->value = parse_named(p);
    expect_colon(p, 1);
    s->body = parse_block(p, what, start, &s->n_body);
    if (at(p, TOKEN_KW_ELIF)) {
        s->orelse = CTX_NEW(p->ctx, struct stmt *);
        s->orelse[0] = parse_if(p);
        s->n_orelse = 1;
    } else {
        s->orelse = parse_else(p, &s->n_orelse);
    }
    leave(p);
    return stmt_end(p, s, start);
}

static struct stmt *parse_while(struct parser *p)
{
    const struct token *start = p->at;
    struct stmt *s = stmt_new(p, STMT_WHILE);
    next(p);
    s->value = parse_named(p);
    expect_colon(p, 1);
    s->body = parse_block(p, "while", start, &s->n_body);
    s->orelse = parse_else(p, &s->n_orelse);
    return stmt_end(p, s, start);
}

static struct stmt *parse_for(struct parser *p, const struct token *start)
{
    struct stmt *s = stmt_new(p, STMT_FOR);
    next(p);
    s->targets = CTX_NEW(p->ctx, struct expr *);
    s->targets[0] = parse_targets(p);
    s->n_targets = 1;
    expect(p, TOKEN_KW_IN);
    s->value = parse_star_expressions(p);
    expect_colon(p, 0);
    s->body = parse_block(p, "for", start, &s->n_body);
    s->orelse = parse_else(p, &s->n_orelse);
    return stmt_end(p, s, start);
}

/* ---- with ---------------------------------------------------------------------------------------------------------*/

/* Whether the parenthesis at hand holds the whole list of items: `with (a as b, c):`. */
static int has_item_list(const struct parser *p)
{
    const struct token *t = p->at;
    uint32_t open = 0;
    if (!at(p, TOKEN_LPAR) || p->at[1].kind == TOKEN_KW_YIELD)
        return 0;
    for (;; t++) {
        if (t->kind == TOKEN_LPAR || t->kind == TOKEN_LSQB || t->kind == TOKEN_LBRACE)
            open++;
        else if (t->kind == TOKEN_RPAR || t->kind == TOKEN_RSQB || t->kind == TOKEN_RBRACE)
            open--;
        else if (t->kind == TOKEN_NEWLINE || t->kind == TOKEN_END || t->kind == TOKEN_ERROR)
            return 0;
        else if (open == 1 && (t->kind == TOKEN_KW_FOR || t->kind == TOKEN_WALRUS))
            return 0;
        if (!open)
            return t[1].kind == TOKEN_COLON;
    }
}

static void parse_items(struct parser *p, struct stmt *s)
{
    VEC(struct with_item) items = {0};
    int bracket = has_item_list(p);
    if (bracket)
        next(p);
    do {
        struct with_item item = {0};
        if (bracket && at(p, TOKEN_RPAR))
            break;
        item.context = parse_expression(p);
        if (accept(p, TOKEN_KW_AS))
            item.target = parse_bitwise(p);
        VEC_PUSH(&items, item);
    } while (accept(p, TOKEN_COMMA));
    if (bracket)
        expect(p, TOKEN_RPAR);
    s->items = arena_copy(&p->ctx->arena, items.at, items.n * sizeof(*items.at));
    s->n_items = (uint32_t)items.n;
    VEC_FREE(&items);
}

static struct stmt *parse_with(struct parser *p, const struct token *start)
{
    struct stmt *s = stmt_new(p, STMT_WITH);
    next(p);
    parse_items(p, s);
    expect_colon(p, 0);
    s->body = parse_block(p, "with", start, &s->n_body);
    return stmt_end(p, s, start);
}

/* ---- what no program uses -----------------------------------------------------------------------------------------*/

/* Adds a suite's statements to those of the parts before it. */
static void push_block(struct parser *p, const char *what, const struct token *start)
{
    uint32_t n;
    struct stmt **block = parse_block(p, what, start, &n);
    for (uint32_t i = 0; i < n; i++)
        VEC_PUSH(&p->nodes, block[i]);
}

static int parse_handler(struct parser *p)
{
    const struct token *start = p->at;
    if (accept(p, TOKEN_KW_EXCEPT)) {
        accept(p, TOKEN_STAR);
        if (starts_expression(p))
            parse_star_expressions(p);
        if (accept(p, TOKEN_KW_AS))
            expect(p, TOKEN_NAME);
    } else if (!accept(p, TOKEN_KW_ELSE) && !accept(p, TOKEN_KW_FINALLY)) {
        return 0;
    }
    expect_colon(p, 0);
    push_block(p, token_text(start->kind), start);
    return 1;
}

static struct stmt *parse_try(struct parser *p)
{
    const struct token *start = p->at;
    struct stmt *s = stmt_new(p, STMT_OTHER);
    s->name = op_text(p, TOKEN_KW_TRY);
    next(p);
    expect_colon(p, 0);
    s->body = parse_block(p, "try", start, &s->n_body);
    size_t mark = p->nodes.n;
    uint32_t handlers = 0;
    while (parse_handler(p))
        handlers++;
    if (!handlers)
        unexpected(p, "'except' or 'finally' after the block of 'try'");
    s->orelse = nodes_take(p, mark, &s->n_orelse);
    return stmt_end(p, s, start);
}

/* `match` and `case` are names elsewhere: the line must end in a colon, and `case` must follow. */
static int at_match(const struct parser *p)
{
    const struct token *t = p->at;
    if (!at(p, TOKEN_NAME) || strcmp(p->at->name, "match") != 0)
        return 0;
    while (t->kind != TOKEN_NEWLINE && t->kind != TOKEN_END && t->kind != TOKEN_ERROR)
        t++;
    if (t->kind != TOKEN_NEWLINE || t - p->at < 3 || t[-1].kind != TOKEN_COLON || t[1].kind != TOKEN_INDENT)
        return 0;
    return t[2].kind == TOKEN_NAME && !strcmp(t[2].name, "case");
}

/* A pattern is passed over: no part of it is a value. */
static void skip_pattern(struct parser *p)
{
    uint32_t open = 0;
    while (!at(p, TOKEN_NEWLINE) && !at(p, TOKEN_END) && !at(p, TOKEN_ERROR) && (open || !at(p, TOKEN_COLON))) {
        if (at(p, TOKEN_LPAR) || at(p, TOKEN_LSQB) || at(p, TOKEN_LBRACE))
            open++;
        else if (at(p, TOKEN_RPAR) || at(p, TOKEN_RSQB) || at(p, TOKEN_RBRACE))
            open--;
        next(p);
    }
}

static struct stmt *parse_match(struct parser *p)
{
    const struct token *start = p->at;
    struct stmt *s = stmt_new(p, STMT_OTHER);
    s->name = start->name;
    next(p);
    s->value = parse_named_list(p);
    expect(p, TOKEN_COLON);
    expect(p, TOKEN_NEWLINE);
    expect(p, TOKEN_INDENT);
    size_t mark = p->nodes.n;
    enter(p);
    while (at(p, TOKEN_NAME) && !strcmp(p->at->name, "case")) {
        const struct token *label = p->at;
        next(p);
        skip_pattern(p);
        expect_colon(p, 0);
        push_block(p, "case", label);
    }
    leave(p);
    if (!p->stopped && !accept(p, TOKEN_DEDENT))
        unexpected(p, "'case'");
    s->body = nodes_take(p, mark, &s->n_body);
    return stmt_end(p, s, start);
}

/* ---- the choice ---------------------------------------------------------------------------------------------------*/

static struct stmt *parse_async(struct parser *p)
{
    const struct token *start = p->at;
    next(p);
    if (at(p, TOKEN_KW_DEF))
        return parse_def(p, start, 0, NULL);
    struct stmt *s = NULL;
    if (at(p, TOKEN_KW_FOR))
        s = parse_for(p, start);
    else if (at(p, TOKEN_KW_WITH))
        s = parse_with(p, start);
    else
        unexpected(p, "'def', 'for' or 'with' after 'async'");
    if (!s)
        s = stmt_new(p, STMT_OTHER);
    s->name = ctx_intern(p->ctx, s->kind == STMT_FOR ? "async for" : "async with");
    s->kind = STMT_OTHER;
    return s;
}

struct stmt *parse_compound(struct parser *p)
{
    switch (p->at->kind) {
    case TOKEN_KW_IF: return parse_if(p);
    case TOKEN_KW_WHILE: return parse_while(p);
    case TOKEN_KW_FOR: return parse_for(p, p->at);
    case TOKEN_KW_WITH: return parse_with(p, p->at);
    case TOKEN_KW_TRY: return parse_try(p);
    case TOKEN_KW_ASYNC: return parse_async(p);
    case TOKEN_KW_DEF: return parse_def(p, p->at, 0, NULL);
    case TOKEN_KW_CLASS: return parse_class(p, 0, NULL);
    case TOKEN_AT: return parse_decorated(p);
    default: return at_match(p) ? parse_match(p) : NULL;
    }
}

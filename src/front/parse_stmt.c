/* SPDX-License-Identifier: MIT
 * Statements of one line.
 */
#include "front/parse.h"

#include <string.h>

/* ---- assignments --------------------------------------------------------------------------------------------------*/

static const char *target_flaw(const struct expr *e)
{
    switch (e->kind) {
    case EXPR_NAME:
    case EXPR_ATTR:
    case EXPR_SUBSCRIPT:
    case EXPR_TUPLE:
    case EXPR_LIST:
    case EXPR_STAR: return NULL;
    case EXPR_CALL: return "a call";
    case EXPR_COMPARE: return "a comparison";
    case EXPR_TRUE:
    case EXPR_FALSE:
    case EXPR_NONE:
    case EXPR_ELLIPSIS:
    case EXPR_INT:
    case EXPR_FLOAT:
    case EXPR_STRING:
    case EXPR_FSTRING: return "a literal";
    default: return "an expression";
    }
}

/* Only names, attributes, subscripts and tuples or lists of them can be assigned to. */
static void check_target(struct parser *p, const struct expr *e)
{
    const char *flaw = target_flaw(e);
    if (flaw)
        complain(p, &e->loc, "%s cannot be assigned to", flaw);
    enter(p);
    if (e->kind == EXPR_TUPLE || e->kind == EXPR_LIST)
        for (uint32_t i = 0; i < e->n_items; i++)
            check_target(p, e->items[i]);
    else if (e->kind == EXPR_STAR)
        check_target(p, e->left);
    leave(p);
}

static void one_target(struct parser *p, struct stmt *s, struct expr *target)
{
    s->targets = CTX_NEW(p->ctx, struct expr *);
    s->targets[0] = target;
    s->n_targets = 1;
}

/* `esle:` looks like an annotated name without its annotation. */
static void near_keyword(struct parser *p, const struct expr *target)
{
    const char *const *words;
    size_t n = token_keywords(&words);
    const char *near = target->kind == EXPR_NAME && at(p, TOKEN_NEWLINE) ? did_you_mean(target->name, words, n) : NULL;
    if (near)
        fail_at(p, p->at, "expected an expression, found the end of the line; did you mean '%s' for '%s'?", near,
            target->name);
}

static struct stmt *parse_annotated(struct parser *p, struct expr *target, const struct token *start)
{
    struct stmt *s = stmt_new(p, STMT_ANNOTATE);
    if (target->kind != EXPR_NAME && target->kind != EXPR_ATTR && target->kind != EXPR_SUBSCRIPT)
        complain(p, &target->loc, "only a single name, attribute or subscript can be annotated");
    one_target(p, s, target);
    next(p);
    near_keyword(p, target);
    s->annotation = parse_expression(p);
    if (accept(p, TOKEN_EQUAL))
        s->value = parse_value(p);
    return stmt_end(p, s, start);
}

static struct stmt *parse_assign(struct parser *p, struct expr *first, const struct token *start)
{
    struct stmt *s = stmt_new(p, STMT_ASSIGN);
    size_t mark = p->nodes.n;
    s->value = first;
    while (accept(p, TOKEN_EQUAL)) {
        check_target(p, s->value);
        VEC_PUSH(&p->nodes, s->value);
        s->value = parse_value(p);
    }
    s->targets = nodes_take(p, mark, &s->n_targets);
    return stmt_end(p, s, start);
}

/* The operator of `+=` and its kin; 0 for another token. */
static uint32_t augmented(uint32_t kind)
{
    switch (kind) {
    case TOKEN_PLUSEQUAL: return TOKEN_PLUS;
    case TOKEN_MINUSEQUAL: return TOKEN_MINUS;
    case TOKEN_STAREQUAL: return TOKEN_STAR;
    case TOKEN_DOUBLESTAREQUAL: return TOKEN_DOUBLESTAR;
    case TOKEN_SLASHEQUAL: return TOKEN_SLASH;
    case TOKEN_DOUBLESLASHEQUAL: return TOKEN_DOUBLESLASH;
    case TOKEN_PERCENTEQUAL: return TOKEN_PERCENT;
    case TOKEN_ATEQUAL: return TOKEN_AT;
    case TOKEN_AMPEREQUAL: return TOKEN_AMPER;
    case TOKEN_VBAREQUAL: return TOKEN_VBAR;
    case TOKEN_CIRCUMFLEXEQUAL: return TOKEN_CIRCUMFLEX;
    case TOKEN_LSHIFTEQUAL: return TOKEN_LSHIFT;
    case TOKEN_RSHIFTEQUAL: return TOKEN_RSHIFT;
    default: return 0;
    }
}

static struct stmt *parse_augmented(struct parser *p, struct expr *target, const struct token *start)
{
    struct stmt *s = stmt_new(p, STMT_AUGMENT);
    s->op = op_text(p, augmented(p->at->kind));
    if (target->kind != EXPR_NAME && target->kind != EXPR_ATTR && target->kind != EXPR_SUBSCRIPT)
        complain(p, &target->loc, "only a single name, attribute or subscript can stand before '%s'",
            token_text(p->at->kind));
    one_target(p, s, target);
    next(p);
    s->value = parse_value(p);
    return stmt_end(p, s, start);
}

static struct stmt *parse_expression_statement(struct parser *p)
{
    const struct token *start = p->at;
    if (!starts_expression(p) && !at(p, TOKEN_KW_YIELD))
        unexpected(p, "a statement");
    struct expr *first = parse_value(p);
    if (at(p, TOKEN_EQUAL))
        return parse_assign(p, first, start);
    if (at(p, TOKEN_COLON))
        return parse_annotated(p, first, start);
    if (augmented(p->at->kind))
        return parse_augmented(p, first, start);
    struct stmt *s = stmt_new(p, STMT_EXPR);
    s->value = first;
    return stmt_end(p, s, start);
}

/* ---- imports ------------------------------------------------------------------------------------------------------*/

/* a.b.c; *first is the part that `import a.b.c` binds. */
static const char *parse_dotted(struct parser *p, const char **first)
{
    const char *name = p->at->name;
    *first = name;
    expect(p, TOKEN_NAME);
    while (accept(p, TOKEN_DOT)) {
        if (at(p, TOKEN_NAME))
            name = arena_format(&p->ctx->arena, "%s.%s", name, p->at->name);
        expect(p, TOKEN_NAME);
    }
    return name ? ctx_intern(p->ctx, name) : NULL;
}

static void add_import(struct parser *p, struct stmt *s, struct import_name import)
{
    if (p->failed)
        return;
    struct import_name *copy = arena_copy(&p->ctx->arena, &import, sizeof(import));
    VEC_PUSH(&p->nodes, copy);
    for (size_t i = 0; s->kind == STMT_FROM && i < 4; i++) {
        if (p->programs.at[i] == import.name && import.bound != import.name)
            VEC_PUSH(&p->programs, import.bound);
    }
}

static void take_imports(struct parser *p, struct stmt *s, size_t mark)
{
    uint32_t n;
    struct import_name **found = nodes_take(p, mark, &n);
    s->imports = CTX_ARRAY(p->ctx, struct import_name, n);
    s->n_imports = n;
    for (uint32_t i = 0; i < n; i++)
        s->imports[i] = *found[i];
}

static const char *parse_as(struct parser *p, const char *fallback)
{
    if (!accept(p, TOKEN_KW_AS))
        return fallback;
    const char *name = p->at->name;
    expect(p, TOKEN_NAME);
    return name;
}

static struct stmt *parse_import(struct parser *p)
{
    const struct token *start = p->at;
    struct stmt *s = stmt_new(p, STMT_IMPORT);
    size_t mark = p->nodes.n;
    next(p);
    do {
        const struct token *from = p->at;
        struct import_name import;
        import.name = parse_dotted(p, &import.bound);
        import.bound = parse_as(p, import.bound);
        import.loc = loc_since(p, from);
        add_import(p, s, import);
    } while (accept(p, TOKEN_COMMA));
    take_imports(p, s, mark);
    return stmt_end(p, s, start);
}

static void parse_from_names(struct parser *p, struct stmt *s)
{
    const struct token *from = p->at;
    int bracket = accept(p, TOKEN_LPAR);
    if (!bracket && accept(p, TOKEN_STAR)) {
        const char *star = op_text(p, TOKEN_STAR);
        add_import(p, s, (struct import_name){.name = star, .bound = star, .loc = loc_since(p, from)});
        return;
    }
    do {
        if (bracket && at(p, TOKEN_RPAR) && p->at[-1].kind == TOKEN_COMMA)
            break;
        from = p->at;
        const char *name = p->at->name;
        expect(p, TOKEN_NAME);
        const char *bound = parse_as(p, name);
        add_import(p, s, (struct import_name){.name = name, .bound = bound, .loc = loc_since(p, from)});
    } while (accept(p, TOKEN_COMMA));
    if (bracket)
        expect(p, TOKEN_RPAR);
}

static struct stmt *parse_from(struct parser *p)
{
    const struct token *start = p->at;
    struct stmt *s = stmt_new(p, STMT_FROM);
    size_t mark = p->nodes.n;
    const char *first;
    next(p);
    for (; at(p, TOKEN_DOT) || at(p, TOKEN_ELLIPSIS); next(p))
        s->level += at(p, TOKEN_DOT) ? 1 : 3;
    if (!s->level || !at(p, TOKEN_KW_IMPORT))
        s->module = parse_dotted(p, &first);
    expect(p, TOKEN_KW_IMPORT);
    parse_from_names(p, s);
    take_imports(p, s, mark);
    return stmt_end(p, s, start);
}

/* ---- words --------------------------------------------------------------------------------------------------------*/

static struct stmt *parse_word(struct parser *p, enum stmt_kind kind)
{
    const struct token *start = p->at;
    struct stmt *s = stmt_new(p, kind);
    next(p);
    return stmt_end(p, s, start);
}

static struct stmt *parse_return(struct parser *p)
{
    const struct token *start = p->at;
    struct stmt *s = stmt_new(p, STMT_RETURN);
    next(p);
    if (starts_expression(p))
        s->value = parse_star_expressions(p);
    struct tf_loc loc = loc_since(p, start);
    if (!p->in_function)
        complain(p, &loc, "'return' outside a function");
    return stmt_end(p, s, start);
}

/* Statements that no program uses: read, so that what stands around them can be. */
static struct stmt *parse_other(struct parser *p)
{
    const struct token *start = p->at;
    struct stmt *s = stmt_new(p, STMT_OTHER);
    s->name = op_text(p, start->kind);
    next(p);
    switch (start->kind) {
    case TOKEN_KW_DEL: s->value = parse_star_expressions(p); break;
    case TOKEN_KW_ASSERT:
        s->value = parse_expression(p);
        if (accept(p, TOKEN_COMMA))
            parse_expression(p);
        break;
    case TOKEN_KW_RAISE:
        if (starts_expression(p))
            s->value = parse_expression(p);
        if (s->value && accept(p, TOKEN_KW_FROM))
            parse_expression(p);
        break;
    default: /* global, nonlocal */
        do
            expect(p, TOKEN_NAME);
        while (accept(p, TOKEN_COMMA));
    }
    return stmt_end(p, s, start);
}

/* `type X = ..`, where type is an ordinary name otherwise. */
static int at_type_alias(const struct parser *p)
{
    if (!at(p, TOKEN_NAME) || strcmp(p->at->name, "type") != 0 || p->at[1].kind != TOKEN_NAME)
        return 0;
    return p->at[2].kind == TOKEN_EQUAL || p->at[2].kind == TOKEN_LSQB;
}

static struct stmt *parse_type_alias(struct parser *p)
{
    const struct token *start = p->at;
    struct stmt *s = stmt_new(p, STMT_OTHER);
    s->name = start->name;
    next(p);
    expect(p, TOKEN_NAME);
    skip_type_params(p);
    expect(p, TOKEN_EQUAL);
    s->value = parse_expression(p);
    return stmt_end(p, s, start);
}

struct stmt *parse_simple(struct parser *p)
{
    switch (p->at->kind) {
    case TOKEN_KW_PASS: return parse_word(p, STMT_PASS);
    case TOKEN_KW_BREAK: return parse_word(p, STMT_BREAK);
    case TOKEN_KW_CONTINUE: return parse_word(p, STMT_CONTINUE);
    case TOKEN_KW_RETURN: return parse_return(p);
    case TOKEN_KW_IMPORT: return parse_import(p);
    case TOKEN_KW_FROM: return parse_from(p);
    case TOKEN_KW_DEL:
    case TOKEN_KW_ASSERT:
    case TOKEN_KW_RAISE:
    case TOKEN_KW_GLOBAL:
    case TOKEN_KW_NONLOCAL: return parse_other(p);
    default: return at_type_alias(p) ? parse_type_alias(p) : parse_expression_statement(p);
    }
}

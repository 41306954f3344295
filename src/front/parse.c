/* SPDX-License-Identifier: MIT */
#include "front/parse.h"

#include <inttypes.h>
#include <string.h>

/* Deeper nesting than this is refused whatever the limit: a rule's frame is a few hundred bytes, and the stack is 8 MB. */
#define DEEPEST 2000u

/* ---- errors -------------------------------------------------------------------------------------------------------*/

struct tf_loc loc_of(const struct parser *p, const struct token *t)
{
    return token_loc(t, p->file, p->text);
}

static void check_errors(struct parser *p)
{
    if (diag_errors(p->ctx) - p->first_error >= p->ctx->limits.errors)
        p->stopped = 1;
}

void tell_lexer(struct parser *p, const struct tf_loc *before)
{
    for (const struct lex_error *e = p->untold; e != p->untold_end; e = ++p->untold) {
        if (before && (e->loc.line > before->line || (e->loc.line == before->line && e->loc.column > before->column)))
            return;
        ERROR(p->ctx, &e->loc, e->code, "%s", e->text);
        check_errors(p);
    }
}

static void panic(struct parser *p)
{
    if (p->failed)
        return;
    p->failed = p->at;
    p->error[0] =
        (struct token){.kind = TOKEN_ERROR, .line = p->at->line, .column = p->at->column, .start = p->at->start};
    p->error[1] = p->error[0];
    p->at = p->error;
}

static int is_quiet(const struct parser *p, const struct token *token)
{
    return p->failed || token->kind == TOKEN_ERROR || (p->cut && token >= p->cut);
}

void fail_at(struct parser *p, const struct token *token, const char *format, ...)
{
    va_list args;
    struct tf_loc loc = loc_of(p, token);
    if (!is_quiet(p, token)) {
        tell_lexer(p, &loc);
        va_start(args, format);
        diag_v(p->ctx, &loc, DIAG_ERROR, "syntax", format, args);
        va_end(args);
        check_errors(p);
    }
    panic(p);
}

void complain(struct parser *p, const struct tf_loc *loc, const char *format, ...)
{
    va_list args;
    if (p->failed)
        return;
    tell_lexer(p, loc);
    va_start(args, format);
    diag_v(p->ctx, loc, DIAG_ERROR, "syntax", format, args);
    va_end(args);
    check_errors(p);
}

#define LONGEST_FOUND 40u

/* "name 'x'", "'+'", "the end of the line". */
static const char *found_text(const struct parser *p, const struct token *t)
{
    if (t->kind != TOKEN_NAME && t->kind != TOKEN_NUMBER)
        return token_what(t->kind);
    const char *what = t->kind == TOKEN_NAME ? "name" : "number";
    const char *more = t->length > LONGEST_FOUND ? ".." : "";
    uint32_t shown = t->length > LONGEST_FOUND ? LONGEST_FOUND : t->length;
    while (shown < t->length && ((unsigned char)p->text[t->start + shown] & 0xC0) == 0x80)
        shown++;
    return arena_format(&p->ctx->arena, "%s '%.*s%s'", what, (int)shown, p->text + t->start, more);
}

void unexpected(struct parser *p, const char *what)
{
    if (is_quiet(p, p->at)) {
        panic(p);
        return;
    }
    fail_at(p, p->at, "expected %s, found %s", what, found_text(p, p->at));
}

void enter(struct parser *p)
{
    uint64_t deepest = p->ctx->limits.depth < DEEPEST ? p->ctx->limits.depth : DEEPEST;
    if (++p->depth <= deepest || p->failed)
        return;
    struct tf_loc loc = loc_of(p, p->at);
    if (!is_quiet(p, p->at))
        tell_lexer(p, &loc);
    if (!is_quiet(p, p->at))
        ERROR(p->ctx, &loc, "limit", "more than %" PRIu64 " levels of nesting%s", deepest,
            deepest < DEEPEST ? " (--limit depth=N raises this)" : "");
    panic(p);
    p->stopped = 1;
}

void leave(struct parser *p)
{
    p->depth--;
}

/* ---- tokens -------------------------------------------------------------------------------------------------------*/

void next(struct parser *p)
{
    uint32_t kind = p->at->kind;
    if (kind == TOKEN_ERROR || kind == TOKEN_END)
        return;
    if (kind != TOKEN_NEWLINE && kind != TOKEN_INDENT && kind != TOKEN_DEDENT)
        p->last = p->at;
    p->at++;
}

int accept(struct parser *p, uint32_t kind)
{
    if (p->at->kind != kind)
        return 0;
    next(p);
    return 1;
}

void expect(struct parser *p, uint32_t kind)
{
    if (!accept(p, kind))
        unexpected(p, token_what(kind));
}

/* Many nodes end at one token: its end is looked for once. */
struct tf_loc loc_since(struct parser *p, const struct token *start)
{
    if (p->ended != p->last) {
        p->end = loc_of(p, p->last);
        p->ended = p->last;
    }
    struct tf_loc loc = p->end;
    loc.line = start->line;
    loc.column = start->column;
    return loc;
}

const char *op_text(struct parser *p, uint32_t kind)
{
    if (!p->op[kind])
        p->op[kind] = ctx_intern(p->ctx, token_text(kind));
    return p->op[kind];
}

/* ---- nodes --------------------------------------------------------------------------------------------------------*/

struct expr *expr_new(struct parser *p, enum expr_kind kind, const struct token *start)
{
    struct expr *e = CTX_NEW(p->ctx, struct expr);
    e->kind = kind;
    e->loc = loc_of(p, start);
    return e;
}

struct expr *expr_end(struct parser *p, struct expr *e, const struct token *start)
{
    e->loc = loc_since(p, start);
    return e;
}

struct stmt *stmt_new(struct parser *p, enum stmt_kind kind)
{
    struct stmt *s = CTX_NEW(p->ctx, struct stmt);
    s->kind = kind;
    if (++p->statements > p->ctx->limits.statements && !p->failed) {
        struct tf_loc loc = loc_of(p, p->at);
        tell_lexer(p, &loc);
        ERROR(p->ctx, &loc, "limit", "more than %" PRIu64 " statements in one file (--limit statements=N raises this)",
            p->ctx->limits.statements);
        panic(p);
        p->stopped = 1;
    }
    return s;
}

struct stmt *stmt_end(struct parser *p, struct stmt *s, const struct token *start)
{
    s->loc = loc_since(p, start);
    return s;
}

void *nodes_take(struct parser *p, size_t mark, uint32_t *n)
{
    size_t count = p->nodes.n - mark;
    void *items = NULL;
    if (count)
        items = arena_copy(&p->ctx->arena, p->nodes.at + mark, count * sizeof(*p->nodes.at));
    p->nodes.n = mark;
    *n = (uint32_t)count;
    return items;
}

/* ---- the file -----------------------------------------------------------------------------------------------------*/

static void parser_start(struct parser *p, tf_ctx *ctx, uint32_t file, const struct token_list *tokens)
{
    static const char *const programs[] = {"func", "prim_func", "specialize", "converter"};
    *p = (struct parser){.ctx = ctx,
        .file = file,
        .text = source_get(ctx, file)->text,
        .at = tokens->at,
        .last = tokens->at,
        .first_error = diag_errors(ctx),
        .untold = tokens->errors.at,
        .untold_end = tokens->errors.n ? tokens->errors.at + tokens->errors.n : tokens->errors.at};
    for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++)
        VEC_PUSH(&p->programs, ctx_intern(ctx, programs[i]));
    if (!tokens->cut)
        return;
    p->cut = tokens->at + tokens->n - 1;
    while (p->cut > tokens->at && p->cut[-1].kind == TOKEN_DEDENT)
        p->cut--;
}

static void parser_finish(struct parser *p)
{
    VEC_FREE(&p->nodes);
    VEC_FREE(&p->keywords);
    VEC_FREE(&p->clauses);
    VEC_FREE(&p->params);
    VEC_FREE(&p->programs);
}

struct ast *parse_source(tf_ctx *ctx, uint32_t file)
{
    struct token_list tokens = {0};
    struct parser p;
    size_t errors = diag_errors(ctx);
    lex_source(ctx, file, &tokens);
    parser_start(&p, ctx, file, &tokens);
    parse_statements(&p);
    tell_lexer(&p, NULL);
    struct ast *ast = CTX_NEW(ctx, struct ast);
    ast->file = file;
    ast->body = nodes_take(&p, 0, &ast->n);
    parser_finish(&p);
    VEC_FREE(&tokens.errors);
    VEC_FREE(&tokens);
    return diag_errors(ctx) == errors ? ast : NULL;
}

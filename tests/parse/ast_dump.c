/* SPDX-License-Identifier: MIT */
#include "ast_dump.h"

#include <inttypes.h>
#include <string.h>

static const char *const EXPR_NAMES[] = {
#define X(n) #n,
    EXPR_KINDS(X)
#undef X
};

static const char *const STMT_NAMES[] = {
#define X(n) #n,
    STMT_KINDS(X)
#undef X
};

struct dump {
    struct buf *out;
    int places;
    unsigned depth;
};

static void dump_expr(struct dump *d, const struct expr *e);

static void dump_place(struct dump *d, const struct tf_loc *loc)
{
    if (d->places)
        buf_printf(d->out, "@%u:%u-%u:%u", loc->line, loc->column, loc->end_line, loc->end_column);
}

static void dump_text(struct dump *d, const char *text)
{
    buf_str(d->out, " '");
    for (; *text; text++) {
        if (*text == '\'' || *text == '\\' || (unsigned char)*text < 0x20)
            buf_printf(d->out, "\\x%02x", (unsigned)(unsigned char)*text);
        else
            buf_char(d->out, *text);
    }
    buf_char(d->out, '\'');
}

/* A part of an expression; "-" where there is none. */
static void dump_part(struct dump *d, const struct expr *e)
{
    buf_char(d->out, ' ');
    if (e)
        dump_expr(d, e);
    else
        buf_char(d->out, '-');
}

static void dump_parts(struct dump *d, struct expr *const *items, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        dump_part(d, items[i]);
}

static void dump_clauses(struct dump *d, const struct expr *e)
{
    for (uint32_t i = 0; i < e->n_clauses; i++) {
        const struct clause *c = &e->clauses[i];
        buf_str(d->out, c->is_async ? " (async-for" : " (for");
        dump_part(d, c->target);
        dump_part(d, c->iter);
        dump_parts(d, c->conditions, c->n_conditions);
        buf_char(d->out, ')');
    }
}

static void dump_keywords(struct dump *d, const struct expr *e)
{
    for (uint32_t i = 0; i < e->n_keywords; i++) {
        buf_printf(d->out, " %s", e->keywords[i].name ? e->keywords[i].name : "**");
        dump_place(d, &e->keywords[i].loc);
        buf_char(d->out, '=');
        dump_expr(d, e->keywords[i].value);
    }
}

static void dump_members(struct dump *d, const struct expr *e)
{
    switch (e->kind) {
    case EXPR_INT: buf_printf(d->out, " %s%s", e->name, e->fits64 ? "" : " big"); break;
    case EXPR_FLOAT: buf_printf(d->out, " %.17g", e->f); break;
    case EXPR_STRING: dump_text(d, e->name); break;
    case EXPR_SLICE:
        dump_part(d, e->left);
        dump_part(d, e->right);
        dump_part(d, e->third);
        break;
    case EXPR_DICT:
        for (uint32_t i = 0; i < e->n_items; i++) {
            dump_part(d, e->items[i]);
            buf_char(d->out, ':');
            dump_part(d, e->values[i]);
        }
        break;
    case EXPR_COMPARE:
        dump_part(d, e->left);
        for (uint32_t i = 0; i < e->n_items; i++) {
            buf_printf(d->out, " %s", e->ops[i]);
            dump_part(d, e->items[i]);
        }
        break;
    case EXPR_FORMAT:
        dump_part(d, e->left);
        dump_text(d, e->name);
        break;
    default:
        if (e->op)
            buf_printf(d->out, " %s", e->op);
        if (e->name)
            buf_printf(d->out, " %s", e->name);
        if (e->left)
            dump_part(d, e->left);
        if (e->right)
            dump_part(d, e->right);
        if (e->third)
            dump_part(d, e->third);
        dump_parts(d, e->items, e->n_items);
        dump_keywords(d, e);
        dump_clauses(d, e);
    }
}

static void dump_expr(struct dump *d, const struct expr *e)
{
    buf_printf(d->out, "(%s", EXPR_NAMES[e->kind]);
    dump_place(d, &e->loc);
    dump_members(d, e);
    buf_char(d->out, ')');
}

/* ---- statements ----------------------------------------------------------------------------------------------------*/

static void dump_block(struct dump *d, struct stmt *const *body, uint32_t n);

static void dump_params(struct dump *d, const struct stmt *s)
{
    static const char *const mark[] = {"", "*", "**", "/", "kw "};
    for (uint32_t i = 0; i < s->n_params; i++) {
        const struct param *param = &s->params[i];
        buf_printf(d->out, " %s%s", mark[param->kind], param->name ? param->name : "");
        if (param->name)
            dump_place(d, &param->loc);
        if (param->annotation) {
            buf_char(d->out, ':');
            dump_expr(d, param->annotation);
        }
        if (param->fallback) {
            buf_char(d->out, '=');
            dump_expr(d, param->fallback);
        }
    }
}

static void dump_head(struct dump *d, const struct stmt *s)
{
    if (s->op)
        buf_printf(d->out, " %s", s->op);
    if (s->name)
        buf_printf(d->out, " %s", s->name);
    if (s->level)
        buf_printf(d->out, " level %u", s->level);
    if (s->module)
        buf_printf(d->out, " %s", s->module);
    for (uint32_t i = 0; i < s->n_imports; i++) {
        buf_printf(d->out, " %s as %s", s->imports[i].name, s->imports[i].bound);
        dump_place(d, &s->imports[i].loc);
    }
    dump_params(d, s);
    dump_parts(d, s->targets, s->n_targets);
    for (uint32_t i = 0; i < s->n_items; i++) {
        dump_part(d, s->items[i].context);
        buf_str(d->out, " as");
        dump_part(d, s->items[i].target);
    }
    if (s->annotation) {
        buf_str(d->out, " :");
        dump_part(d, s->annotation);
    }
    if (s->bases) { /* their place is the bracket's, which Python's tree has not */
        dump_parts(d, s->bases->items, s->bases->n_items);
        dump_keywords(d, s->bases);
    }
    if (s->value)
        dump_part(d, s->value);
}

static void dump_stmt(struct dump *d, const struct stmt *s)
{
    for (uint32_t i = 0; i < s->n_decorators; i++) {
        buf_printf(d->out, "%*s@", (int)(d->depth * 2), "");
        dump_expr(d, s->decorators[i]);
        buf_char(d->out, '\n');
    }
    buf_printf(d->out, "%*s%s", (int)(d->depth * 2), "", STMT_NAMES[s->kind]);
    dump_place(d, &s->loc);
    if (s->is_async)
        buf_str(d->out, " async");
    if (s->skipped)
        buf_str(d->out, " skipped");
    dump_head(d, s);
    buf_char(d->out, '\n');
    dump_block(d, s->body, s->n_body);
    if (s->n_orelse) {
        buf_printf(d->out, "%*selse\n", (int)(d->depth * 2), "");
        dump_block(d, s->orelse, s->n_orelse);
    }
}

static void dump_block(struct dump *d, struct stmt *const *body, uint32_t n)
{
    d->depth++;
    for (uint32_t i = 0; i < n; i++)
        dump_stmt(d, body[i]);
    d->depth--;
}

void ast_dump(struct buf *out, const struct ast *ast, int places)
{
    struct dump d = {.out = out, .places = places};
    for (uint32_t i = 0; i < ast->n; i++)
        dump_stmt(&d, ast->body[i]);
}

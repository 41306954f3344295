/* SPDX-License-Identifier: MIT
 * Names that statements and expressions read.  A stack of its own: an expression may lean left without limit.
 */
#include "front/lower.h"

#include "util/vec.h"

struct pending {
    const struct expr **at;
    size_t n, room;
};

static void push(struct pending *p, const struct expr *e)
{
    if (e)
        VEC_PUSH(p, e);
}

static void push_parts(struct pending *p, const struct expr *e)
{
    push(p, e->left);
    push(p, e->right);
    push(p, e->third);
    for (uint32_t i = 0; i < e->n_items; i++)
        push(p, e->items[i]);
    for (uint32_t i = 0; e->values && i < e->n_items; i++)
        push(p, e->values[i]);
    for (uint32_t i = 0; i < e->n_keywords; i++)
        push(p, e->keywords[i].value);
    for (uint32_t i = 0; i < e->n_clauses; i++) {
        push(p, e->clauses[i].iter);
        for (uint32_t k = 0; k < e->clauses[i].n_conditions; k++)
            push(p, e->clauses[i].conditions[k]);
    }
}

void names_read_expr(const struct expr *e, name_use_fn use, void *data)
{
    struct pending p = {0};
    push(&p, e);
    while (p.n) {
        e = p.at[--p.n];
        if (e->kind == EXPR_NAME)
            use(data, e->name);
        else
            push_parts(&p, e);
    }
    VEC_FREE(&p);
}

/* Targets are written, not read; their subscripts and attributes would be, but those targets are refused. */
void names_read(const struct stmt *s, name_use_fn use, void *data)
{
    names_read_expr(s->value, use, data);
    names_read_expr(s->annotation, use, data);
    for (uint32_t i = 0; i < s->n_items; i++)
        names_read_expr(s->items[i].context, use, data);
    for (uint32_t i = 0; i < s->n_body; i++)
        names_read(s->body[i], use, data);
    for (uint32_t i = 0; i < s->n_orelse; i++)
        names_read(s->orelse[i], use, data);
}

/* SPDX-License-Identifier: MIT
 * What a region captures and nothing in it reads: in which order it is reached decides the order of lines, and the text
 * must give that order again when it is read back.
 *
 * Of these values those that no other is made of are followed first, in the order of the author's lines; they bring the
 * others with them, and are each the last line of what they bring.  So the lines are in the order in which their values
 * are followed, and so are those that are read back.
 */
#include "ir/printer.h"

#include <stdlib.h>

/* Searches of all regions together: past that, lines may change their order when they are read back. */
#define STEPS_PER_NODE 16u

struct capture {
    const struct tf_node *value; /* as the region lists it */
    const struct tf_node *origin;
    const struct ir_function *function;
    uint32_t place;
    uint32_t below; /* another one is made of it */
};

/* ---- the author's order -------------------------------------------------------------------------------------------*/

static uint32_t depth_of(const struct ir_function *f, uint32_t site)
{
    uint32_t depth = 0;
    for (; site != IR_NO_SITE; site = f->sites[site].outer)
        depth++;
    return depth;
}

static int by_place(const struct tf_loc *a, const struct tf_loc *b)
{
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    return (a->column > b->column) - (a->column < b->column);
}

/* Where the two stand in the innermost function that both came in with. */
static int by_line(const struct ir_function *f, const struct tf_node *a, const struct tf_node *b)
{
    uint32_t x = f->n_sites ? f->site_of[a->id] : IR_NO_SITE, y = f->n_sites ? f->site_of[b->id] : IR_NO_SITE;
    uint32_t m = depth_of(f, x), n = depth_of(f, y);
    const struct tf_loc *at = &a->loc, *to = &b->loc;
    for (; m > n; m--, x = f->sites[x].outer)
        at = &f->sites[x].loc;
    for (; n > m; n--, y = f->sites[y].outer)
        to = &f->sites[y].loc;
    for (; x != y; x = f->sites[x].outer, y = f->sites[y].outer) {
        at = &f->sites[x].loc;
        to = &f->sites[y].loc;
    }
    return by_place(at, to);
}

static int by_turn(const void *a, const void *b)
{
    const struct capture *x = a, *y = b;
    if (x->below != y->below)
        return x->below < y->below ? -1 : 1;
    int order = by_line(x->function, x->origin, y->origin);
    return order ? order : (x->place > y->place) - (x->place < y->place);
}

/* ---- which are made of which --------------------------------------------------------------------------------------*/

/* Follows what was not reached yet; all that is found below something is marked so. */
static void search(struct printer *p, const struct tf_node *from, uint32_t mark)
{
    VEC(const struct tf_node *) stack = {0};
    VEC_PUSH(&stack, from);
    while (stack.n && p->plan.searched < STEPS_PER_NODE * (uint64_t)p->plan.n_items) {
        const struct tf_node *node = stack.at[--stack.n];
        const struct item at = {.node = node};
        if (item_of(p, node)->seen == mark)
            continue;
        item_of(p, node)->seen = mark;
        for (uint32_t i = 0; i < count_parts(node); i++) {
            const struct tf_node *part = part_at(&at, i);
            p->plan.searched++;
            if (!part || item_of(p, part)->node)
                continue;
            item_of(p, part)->below = mark;
            VEC_PUSH(&stack, part);
        }
    }
    VEC_FREE(&stack);
}

void order_unread(struct printer *p, struct item *region)
{
    const struct tf_node *node = region->node;
    struct capture *captures = ARENA_ARRAY(&p->ctx->arena, struct capture, node->n_in);
    uint32_t mark = node->id + 1, fresh = 0;
    for (uint32_t i = 0; i < node->n_in; i++) {
        captures[i] = (struct capture){node->in[i], origin(node->in[i]), p->function, i, 1};
        fresh += !item_of(p, captures[i].origin)->node;
    }
    for (uint32_t i = 0; fresh > 1 && i < node->n_in; i++)
        if (!item_of(p, captures[i].origin)->node)
            search(p, captures[i].origin, mark);
    for (uint32_t i = 0; i < node->n_in; i++)
        captures[i].below = item_of(p, captures[i].origin)->below == mark;
    if (fresh > 1)
        qsort(captures, node->n_in, sizeof(*captures), by_turn);
    region->unread = ARENA_ARRAY(&p->ctx->arena, const struct tf_node *, node->n_in);
    for (uint32_t i = 0; i < node->n_in; i++)
        region->unread[i] = captures[i].value;
}

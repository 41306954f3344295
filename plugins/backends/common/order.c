/* SPDX-License-Identifier: MIT
 * Which node is computed where: operands before what uses them, and each node in the block of the innermost loop that its
 * value varies in.
 */
#include "lower.h"

struct frame {
    const struct tf_node *node;
    uint32_t next, opened; /* the next source; whether the loop's block is open */
};

struct walk {
    struct lower *l;
    struct frame *stack;
    size_t n, room;
    uint32_t *open; /* blocks of the loops around */
    size_t n_open, room_open, room_blocks;
    uint8_t *seen; /* 1 under way, 2 placed */
};

/* Sources of a node before its loop is opened, then what stands inside. */
static uint32_t outside(const struct tf_node *node)
{
    switch (node->kind) {
    case TF_NODE_LOOP: return node->n_in + 3;
    case TF_NODE_REGION:
    case TF_NODE_RPARAM: return 1;
    default: return node->n_in;
    }
}

static uint32_t inside(const struct tf_node *node)
{
    return node->kind == TF_NODE_LOOP ? node->loop->n_carries + 1 : 0;
}

static const struct tf_node *source(const struct tf_node *node, uint32_t i)
{
    switch (node->kind) {
    case TF_NODE_LOOP:
        if (i < node->n_in)
            return node->in[i];
        if (i < node->n_in + 3)
            return node->loop->bound_value[i - node->n_in];
        i -= node->n_in + 3;
        return i < node->loop->n_carries ? node->loop->yields[i] : node->loop->body;
    case TF_NODE_REGION: return node->region->body;
    case TF_NODE_RPARAM: return node->owner->in[node->index];
    default: return node->in[i];
    }
}

static uint32_t deeper(const struct lower *l, uint32_t a, uint32_t b)
{
    return l->blocks[a].depth >= l->blocks[b].depth ? a : b;
}

/* What a block uses from outside, it and the loops between wait for. */
static void note_use(struct lower *l, uint32_t block, uint32_t from)
{
    for (; l->blocks[block].depth > l->blocks[from].depth; block = l->blocks[block].outer)
        l->blocks[block].needs = deeper(l, l->blocks[block].needs, from);
}

static void open_block(struct walk *w, const struct tf_node *loop)
{
    struct lower *l = w->l;
    uint32_t outer = w->n_open ? w->open[w->n_open - 1] : 0;
    l->blocks = grown(l, l->blocks, l->n_blocks, &w->room_blocks, sizeof(*l->blocks));
    l->blocks[l->n_blocks] = (struct block){.loop = loop, .outer = outer, .depth = (uint32_t)w->n_open};
    w->open = grown(l, w->open, w->n_open, &w->room_open, sizeof(*w->open));
    w->open[w->n_open++] = l->n_blocks;
    if (loop)
        l->block_of[loop->id] = l->n_blocks;
    l->n_blocks++;
}

static uint32_t home_of(struct lower *l, const struct tf_node *node)
{
    if (node->kind == TF_NODE_LOOPVAR || node->kind == TF_NODE_CARRY)
        return l->block_of[node->owner->id];
    uint32_t home = node->kind == TF_NODE_LOOP ? l->blocks[l->block_of[node->id]].needs : 0;
    for (uint32_t i = 0; i < outside(node); i++)
        if (source(node, i))
            home = deeper(l, home, l->home[source(node, i)->id]);
    return home;
}

static void place(struct walk *w, const struct tf_node *node)
{
    struct lower *l = w->l;
    if (node->kind == TF_NODE_LOOP) {
        for (uint32_t i = 0; i < inside(node); i++)
            note_use(l, l->block_of[node->id], l->home[source(node, outside(node) + i)->id]);
        w->n_open--;
    }
    uint32_t home = home_of(l, node);
    struct block *block = &l->blocks[home];
    l->home[node->id] = home;
    block->nodes = grown(l, block->nodes, block->n, &block->room, sizeof(const struct tf_node *));
    block->nodes[block->n++] = node;
    for (uint32_t i = 0; i < outside(node); i++)
        if (source(node, i))
            note_use(l, home, l->home[source(node, i)->id]);
    if (node->kind == TF_NODE_LOOP)
        l->blocks[l->block_of[node->id]].outer = home;
}

static void push(struct walk *w, const struct tf_node *node)
{
    if (!node || w->seen[node->id])
        return;
    w->seen[node->id] = 1;
    w->stack = grown(w->l, w->stack, w->n, &w->room, sizeof(*w->stack));
    w->stack[w->n++] = (struct frame){.node = node};
}

static void walk_from(struct walk *w, const struct tf_node *node)
{
    push(w, node);
    while (w->n) {
        struct frame *top = &w->stack[w->n - 1];
        uint32_t before = outside(top->node), all = before + inside(top->node);
        if (top->next == before && all > before && !top->opened) {
            top->opened = 1;
            open_block(w, top->node);
        }
        if (top->next < all) {
            push(w, source(top->node, top->next++));
        } else {
            const struct tf_node *done = top->node;
            w->n--;
            place(w, done);
        }
    }
}

/* By node id, the nodes that have it among their sources. */
static void find_users(struct lower *l)
{
    uint32_t n = l->function->n_nodes;
    size_t *count = tf_host->alloc(l->ctx, (n + 1) * sizeof(*count));
    l->users = tf_host->alloc(l->ctx, (n + 1) * sizeof(*l->users));
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t id = 0; pass && id < n; id++) {
            l->users[id] = tf_host->alloc(l->ctx, (count[id] + 1) * sizeof(const struct tf_node *));
            count[id] = 0;
        }
        for (uint32_t b = 0; b < l->n_blocks; b++)
            for (size_t i = 0; i < l->blocks[b].n; i++) {
                const struct tf_node *node = l->blocks[b].nodes[i];
                for (uint32_t k = 0; k < outside(node) + inside(node); k++) {
                    const struct tf_node *from = source(node, k);
                    if (from && pass)
                        l->users[from->id][count[from->id]++] = node;
                    else if (from)
                        count[from->id]++;
                }
            }
    }
}

void order_make(struct lower *l)
{
    uint32_t n = l->function->n_nodes;
    struct walk w = {.l = l, .seen = tf_host->alloc(l->ctx, n + 1)};
    l->home = tf_host->alloc(l->ctx, (n + 1) * sizeof(*l->home));
    l->block_of = tf_host->alloc(l->ctx, (n + 1) * sizeof(*l->block_of));
    open_block(&w, NULL);
    for (uint32_t i = 0; i < l->function->n_params; i++)
        walk_from(&w, l->function->params[i]);
    walk_from(&w, l->function->body);
    find_users(l);
}

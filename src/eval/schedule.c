/* SPDX-License-Identifier: MIT */
#include "eval/schedule.h"

#include <string.h>

struct maker {
    struct schedule *plan;
    VEC(uint32_t) open; /* blocks of the loops around the walk, the function's first */
    VEC(struct schedule_block) blocks;
    uint32_t *needs; /* by block: the deepest outer block that something in it comes from */
    const struct tf_node **by_id;
};

static uint32_t *ids(uint32_t n, uint32_t value)
{
    uint32_t *array = xrealloc(NULL, ((size_t)n + 1) * sizeof(*array));
    for (uint32_t i = 0; i <= n; i++)
        array[i] = value;
    return array;
}

/* What of a node's operands has to be there first: its inputs, or, of one that stands for another, that other. */
uint32_t schedule_sources(const struct tf_node *node)
{
    switch (node->kind) {
    case TF_NODE_LOOP: return node->n_in + 3;
    case TF_NODE_REGION: return 1;
    case TF_NODE_RPARAM: return 1;
    default: return node->n_in;
    }
}

const struct tf_node *schedule_source(const struct tf_node *node, uint32_t i)
{
    switch (node->kind) {
    case TF_NODE_LOOP: return i < node->n_in ? node->in[i] : node->loop->bound_value[i - node->n_in];
    case TF_NODE_REGION: return node->region->body;
    case TF_NODE_RPARAM: return node->owner->in[node->index];
    default: return node->in[i];
    }
}

static uint32_t deeper(const struct maker *m, uint32_t a, uint32_t b)
{
    return m->blocks.at[a].depth >= m->blocks.at[b].depth ? a : b;
}

/* An operand used in a block other than its own makes the loop wait for it. */
static void note_use(struct maker *m, uint32_t block, uint32_t from)
{
    while (m->blocks.at[block].depth > m->blocks.at[from].depth) {
        m->needs[block] = deeper(m, m->needs[block], from);
        block = m->blocks.at[block].outer; /* still the loop around it: settled when the loop node is placed */
    }
}

static uint32_t open_block(struct maker *m, const struct tf_node *loop)
{
    uint32_t index = (uint32_t)m->blocks.n, outer = m->open.n ? m->open.at[m->open.n - 1] : 0;
    struct schedule_block block = {.loop = loop, .outer = outer, .depth = (uint32_t)m->open.n};
    VEC_PUSH(&m->blocks, block);
    VEC_PUSH(&m->open, index);
    return index;
}

static int enter(void *data, const struct tf_node *owner)
{
    struct maker *m = data;
    if (owner->kind == TF_NODE_LOOP)
        m->plan->block_of[owner->id] = open_block(m, owner);
    return 0;
}

static int leave(void *data, const struct tf_node *owner)
{
    struct maker *m = data;
    if (owner->kind != TF_NODE_LOOP)
        return 0;
    uint32_t block = m->plan->block_of[owner->id];
    for (uint32_t i = 0; i < owner->loop->n_carries; i++)
        note_use(m, block, m->plan->home[owner->loop->yields[i]->id]);
    note_use(m, block, m->plan->home[owner->loop->body->id]);
    m->open.n--;
    return 0;
}

static uint32_t home_of(struct maker *m, const struct tf_node *node)
{
    if (node->kind == TF_NODE_LOOPVAR || node->kind == TF_NODE_CARRY)
        return m->plan->block_of[node->owner->id];
    uint32_t home = node->kind == TF_NODE_LOOP ? m->needs[m->plan->block_of[node->id]] : SCHEDULE_FUNCTION;
    for (uint32_t i = 0, n = schedule_sources(node); i < n; i++) {
        const struct tf_node *from = schedule_source(node, i);
        if (from)
            home = deeper(m, home, m->plan->home[from->id]);
    }
    return home;
}

static int visit(void *data, const struct tf_node *node)
{
    struct maker *m = data;
    uint32_t home = home_of(m, node);
    struct schedule_block *block = &m->blocks.at[home];
    m->plan->home[node->id] = home;
    m->plan->position[node->id] = (uint32_t)block->nodes.n;
    m->by_id[node->id] = node;
    VEC_PUSH(&block->nodes, node);
    for (uint32_t i = 0, n = schedule_sources(node); i < n; i++)
        if (schedule_source(node, i))
            note_use(m, home, m->plan->home[schedule_source(node, i)->id]);
    if (node->kind == TF_NODE_LOOP)
        m->blocks.at[m->plan->block_of[node->id]].outer = home;
    return 0;
}

/* ---- until when ---------------------------------------------------------------------------------------------------*/

/* The node of the operand's own block in which a use by `node` lies: the node itself, or a loop around it. */
static const struct tf_node *use_in_home(const struct schedule *plan, const struct tf_node *node, uint32_t home)
{
    uint32_t block = plan->home[node->id];
    while (block != home && plan->blocks[block].loop) {
        node = plan->blocks[block].loop;
        block = plan->home[node->id];
    }
    return node;
}

static void extend(
    const struct schedule *plan, uint32_t *last, const struct tf_node *operand, const struct tf_node *user)
{
    const struct tf_node *use = use_in_home(plan, user, plan->home[operand->id]);
    if (last[operand->id] == SCHEDULE_NONE || plan->position[last[operand->id]] < plan->position[use->id])
        last[operand->id] = use->id;
}

/* The inside of a loop holds what it yields, and what is computed before it, to the end of the loop. */
static void extend_by_loop(const struct schedule *plan, uint32_t *last, const struct tf_node *loop)
{
    uint32_t inside = plan->block_of[loop->id];
    for (uint32_t i = 0; i <= loop->loop->n_carries; i++) {
        const struct tf_node *value = i ? loop->loop->yields[i - 1] : loop->loop->body;
        if (plan->home[value->id] != inside)
            extend(plan, last, value, loop);
    }
}

#define HELD (SCHEDULE_NONE - 1)
static void find_last_uses(
    struct schedule *plan, const struct tf_function *function, const struct tf_node *const *by_id)
{
    uint32_t *last = ids(function->n_nodes, SCHEDULE_NONE);
    for (uint32_t id = 0; id < function->n_nodes; id++) {
        const struct tf_node *node = by_id[id];
        if (!node)
            continue;
        for (uint32_t i = 0, n = schedule_sources(node); i < n; i++)
            if (schedule_source(node, i))
                extend(plan, last, schedule_source(node, i), node);
        if (node->kind == TF_NODE_LOOP)
            extend_by_loop(plan, last, node);
    }
    /* what the function, or a loop's trip, ends in is held to the end of the block */
    last[function->body->id] = HELD;
    for (uint32_t b = 1; b < plan->n_blocks; b++) {
        const struct tf_node *loop = plan->blocks[b].loop;
        for (uint32_t i = 0; i <= loop->loop->n_carries; i++) {
            const struct tf_node *value = i ? loop->loop->yields[i - 1] : loop->loop->body;
            if (plan->home[value->id] == b)
                last[value->id] = HELD;
        }
    }
    for (uint32_t id = 0; id < function->n_nodes; id++)
        if (by_id[id] && last[id] < HELD) {
            plan->next[id] = plan->dies[last[id]];
            plan->dies[last[id]] = id;
        }
    free(last);
}

void schedule_make(struct schedule *plan, const struct tf_function *function)
{
    uint32_t n = function->n_nodes;
    struct maker m = {.plan = plan};
    struct walk walk = {.data = &m, .visit = visit, .enter = enter, .leave = leave};
    *plan = (struct schedule){.home = ids(n, 0),
        .block_of = ids(n, 0),
        .position = ids(n, 0),
        .dies = ids(n, SCHEDULE_NONE),
        .next = ids(n, SCHEDULE_NONE)};
    m.needs = ids(n, SCHEDULE_FUNCTION);
    m.by_id = xrealloc(NULL, ((size_t)n + 1) * sizeof(*m.by_id));
    memset(m.by_id, 0, ((size_t)n + 1) * sizeof(*m.by_id));
    open_block(&m, NULL);
    walk_function(NULL, function, &walk);
    plan->blocks = m.blocks.at;
    plan->n_blocks = (uint32_t)m.blocks.n;
    find_last_uses(plan, function, m.by_id);
    VEC_FREE(&m.open);
    free(m.needs);
    free(m.by_id);
}

void schedule_free(struct schedule *plan)
{
    for (uint32_t i = 0; i < plan->n_blocks; i++)
        VEC_FREE(&plan->blocks[i].nodes);
    free(plan->blocks);
    free(plan->home);
    free(plan->block_of);
    free(plan->position);
    free(plan->dies);
    free(plan->next);
}

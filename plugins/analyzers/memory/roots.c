/* SPDX-License-Identifier: MIT
 * On which buffers every value stands.  A view stands on its source's; a carried value on its initial value's; a loop's
 * result on the yielded value's; a region's parameters and results on what they are outside and inside.
 *
 * Values may be chained a hundred thousand long, so nothing here recurses along them: a stack holds what waits.
 */
#include "memory.h"

struct stack {
    const struct tf_node **at;
    size_t n, room;
};

static struct roots nothing = {ROOT_NONE, 0, NULL};

static void push(struct memory *m, struct stack *stack, const struct tf_node *node)
{
    if (stack->n == stack->room) {
        size_t room = stack->room ? 2 * stack->room : 64;
        const struct tf_node **at = tf_host->alloc(m->ctx, room * sizeof(*at));
        if (stack->n)
            memcpy(at, stack->at, stack->n * sizeof(*at));
        stack->at = at;
        stack->room = room;
    }
    stack->at[stack->n++] = node;
}

/* ---- loops around a step -------------------------------------------------------------------------------------------*/

int loop_within(const struct tf_program *program, uint32_t loop, uint32_t around)
{
    for (; loop != TF_NO_LOOP; loop = program->loops[loop].parent)
        if (loop == around)
            return 1;
    return 0;
}

/* ---- views ---------------------------------------------------------------------------------------------------------*/

static uint64_t bytes_of(const struct tf_type *type)
{
    uint64_t n = 1;
    for (uint32_t a = 0; a < type->rank; a++)
        n *= (uint64_t)type->shape[a]->value; /* amounts were counted already: it fits */
    return leaf_bytes(type, n);
}

/* A view gives no buffer of its own, unless values are placed so that a unit ends up with more of one than it had: that is
 * a gather. */
int is_view(const struct tf_call *unit, const struct tf_relation *relation)
{
    if (!(relation->flags & TF_RELATION_VIEW) || unit->n_args == 0)
        return 0;
    const struct tf_type *from = unit->arg_types[0], *to = unit->type;
    if (from->kind != TF_TYPE_TENSOR || to->kind != TF_TYPE_TENSOR)
        return 1;
    return from->storage == to->storage && (!(unit->op->flags & TF_OP_PLACES) || bytes_of(to) <= bytes_of(from));
}

/* ---- one value -----------------------------------------------------------------------------------------------------*/

static struct roots *new_root(struct memory *m, uint32_t position)
{
    struct roots *roots = tf_host->alloc(m->ctx, sizeof(*roots));
    roots->root = position;
    return roots;
}

static struct roots *field_of(struct roots *roots, uint32_t index)
{
    if (roots->root != ROOT_NONE)
        return roots; /* several results of one call: one buffer */
    return index < roots->n ? roots->field[index] : &nothing;
}

/* The values that this one stands on, in order; 0 when it stands on itself. */
static uint32_t sources(
    const struct memory *m, const struct tf_node *node, const struct tf_node *const **list, const struct tf_node **one)
{
    const struct tf_program *program = m->program;
    *list = one;
    switch (node->kind) {
    case TF_NODE_CALL:
        *one = node->in[0];
        return program->step_of[node->id] != TF_NO_POSITION && !m->is_root[program->step_of[node->id]];
    case TF_NODE_TUPLE: *list = node->in; return node->n_in;
    case TF_NODE_REGION: *one = node->region->body; return 1;
    case TF_NODE_RPARAM:
    case TF_NODE_CARRY: *one = node->owner->in[node->index]; return 1;
    case TF_NODE_LOOP:
        if (node->loop->n_carries == 0) {
            *one = node->loop->body;
            return *one != NULL;
        }
        *list = program->loops[program->loop_of[node->id]].trips ? node->loop->yields : node->in;
        return node->loop->n_carries;
    default: return 0;
    }
}

static struct roots *make_tuple(struct memory *m, const struct tf_node *const *items, uint32_t n)
{
    struct roots *roots = new_root(m, ROOT_NONE);
    roots->n = n;
    roots->field = tf_host->alloc(m->ctx, n * sizeof(*roots->field));
    for (uint32_t i = 0; i < n; i++)
        roots->field[i] = m->roots[items[i]->id];
    return roots;
}

static struct roots *make(struct memory *m, const struct tf_node *node, const struct tf_node *const *from, uint32_t n)
{
    uint32_t position = m->program->step_of[node->id];
    if (node->kind == TF_NODE_TUPLE || (node->kind == TF_NODE_LOOP && node->loop->n_carries > 1))
        return make_tuple(m, from, n);
    if (n == 0)
        return (node->kind == TF_NODE_CALL || node->kind == TF_NODE_PARAM) && position != TF_NO_POSITION
                   ? new_root(m, position)
                   : &nothing;
    struct roots *source = m->roots[from[0]->id];
    int is_item = node->kind == TF_NODE_CALL && (node->op->flags & TF_OP_ITEM);
    return is_item ? field_of(source, (uint32_t)node->attrs[0].u.i) : source;
}

static void resolve(struct memory *m, struct stack *stack, const struct tf_node *node)
{
    if (!m->roots[node->id])
        push(m, stack, node);
    while (stack->n) {
        const struct tf_node *top = stack->at[stack->n - 1], *one;
        const struct tf_node *const *from;
        uint32_t n = m->roots[top->id] ? 0 : sources(m, top, &from, &one);
        size_t before = stack->n;
        for (uint32_t i = 0; i < n; i++)
            if (!m->roots[from[i]->id])
                push(m, stack, from[i]);
        if (stack->n > before)
            continue;
        if (!m->roots[top->id])
            m->roots[top->id] = make(m, top, from, n);
        stack->n--;
    }
}

const struct roots *roots_of(const struct memory *m, const struct tf_node *node)
{
    return m->roots[node->id] ? m->roots[node->id] : &nothing;
}

void roots_list(const struct roots *roots, struct root_list *list)
{
    if (roots->root == ROOT_NONE) {
        for (uint32_t i = 0; i < roots->n; i++)
            roots_list(roots->field[i], list);
        return;
    }
    for (uint32_t i = 0; i < list->n; i++)
        if (list->at[i] == roots->root)
            return;
    if (list->n == list->room) {
        list->room = list->room ? 2 * list->room : 16;
        uint32_t *at = realloc(list->at, list->room * sizeof(*at));
        if (!at)
            abort();
        list->at = at;
    }
    list->at[list->n++] = roots->root;
}

/* ---- all values ----------------------------------------------------------------------------------------------------*/

int memory_roots(struct memory *m)
{
    const struct tf_program *program = m->program;
    struct stack stack = {0};
    m->roots = tf_host->alloc(m->ctx, program->function->n_nodes * sizeof(*m->roots));
    for (uint32_t i = 0; i < program->n_steps; i++) {
        const struct tf_step *step = &program->steps[i];
        resolve(m, &stack, step->node);
        for (uint32_t k = 0; k < step->node->n_in; k++)
            resolve(m, &stack, step->node->in[k]);
    }
    for (uint32_t i = 0; i < program->n_loops; i++) {
        const struct tf_node *loop = program->loops[i].node;
        for (uint32_t k = 0; k < loop->loop->n_carries; k++) {
            resolve(m, &stack, loop->loop->yields[k]);
            resolve(m, &stack, loop->loop->carries[k]);
        }
    }
    resolve(m, &stack, program->function->body);
    return TF_OK;
}

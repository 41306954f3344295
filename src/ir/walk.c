/* SPDX-License-Identifier: MIT
 * Going over a graph in visit order, with a stack of its own: a chain may be longer than the machine's stack is deep.
 */
#include "ir/ir.h"

#include "util/vec.h"

#include <string.h>

struct walk_frame {
    const struct tf_node *node;
    uint32_t next; /* its operand or inner value that comes next */
};

void walker_init(struct walker *walker, const struct tf_function *function)
{
    size_t words = ((size_t)function->n_nodes + 63) / 64;
    *walker = (struct walker){0};
    walker->seen = xrealloc(NULL, words * sizeof(uint64_t));
    memset(walker->seen, 0, words * sizeof(uint64_t));
    if (function->body)
        VEC_PUSH(&walker->stack, ((struct walk_frame){.node = function->body}));
}

void walker_finish(struct walker *walker)
{
    free(walker->seen);
    walker->seen = NULL;
    VEC_FREE(&walker->stack);
}

static int first_time(struct walker *walker, const struct tf_node *node)
{
    uint64_t bit = UINT64_C(1) << (node->id % 64);
    uint64_t *word = &walker->seen[node->id / 64];
    int fresh = !(*word & bit);
    *word |= bit;
    return fresh;
}

/* What comes before a node's inside: operands, then the run-time bounds of a loop. */
static uint32_t count_outer(const struct tf_node *node)
{
    return node->n_in + (node->kind == TF_NODE_LOOP ? 3 : 0);
}

static const struct tf_node *outer_value(const struct tf_node *node, uint32_t i)
{
    return i < node->n_in ? node->in[i] : node->loop->bound_value[i - node->n_in];
}

/* The inside: a region's value; the value of a loop's body, then what it yields. */
static uint32_t count_inner(const struct tf_node *node)
{
    return node->kind == TF_NODE_REGION ? 1 : node->kind == TF_NODE_LOOP ? 1 + node->loop->n_carries : 0;
}

static const struct tf_node *inner_value(const struct tf_node *node, uint32_t i)
{
    return node->kind == TF_NODE_REGION ? node->region->body : i == 0 ? node->loop->body : node->loop->yields[i - 1];
}

static void push(struct walker *walker, const struct tf_node *node)
{
    if (node && first_time(walker, node))
        VEC_PUSH(&walker->stack, ((struct walk_frame){.node = node}));
}

unsigned walker_next(struct walker *walker, const struct tf_node **node)
{
    while (walker->stack.n) {
        struct walk_frame *top = &walker->stack.at[walker->stack.n - 1];
        const struct tf_node *at = *node = top->node;
        uint32_t outer = count_outer(at), inner = count_inner(at), i = top->next++;
        if (inner && i == outer && walker->skip && walker->skip(walker->data, at))
            top->next += inner + 1;
        else if (i < outer)
            push(walker, outer_value(at, i));
        else if (inner && i == outer)
            return WALK_ENTER;
        else if (inner && i <= outer + inner)
            push(walker, inner_value(at, i - outer - 1));
        else if (inner && i == outer + inner + 1)
            return WALK_LEAVE;
        else {
            walker->stack.n--;
            return WALK_VISIT;
        }
    }
    *node = NULL;
    return WALK_END;
}

int walk_function(tf_ctx *ctx, const struct tf_function *function, const struct walk *walk)
{
    (void)ctx;
    struct walker walker;
    const struct tf_node *node;
    int rc = 0;
    walker_init(&walker, function);
    for (unsigned event; !rc && (event = walker_next(&walker, &node)) != WALK_END;) {
        int (*call)(void *, const struct tf_node *) = event == WALK_VISIT   ? walk->visit
                                                      : event == WALK_ENTER ? walk->enter
                                                                            : walk->leave;
        if (call)
            rc = call(walk->data, node);
    }
    walker_finish(&walker);
    return rc;
}

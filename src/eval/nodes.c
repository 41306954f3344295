/* SPDX-License-Identifier: MIT
 * Nodes in the order of the schedule, each let go when the last one that reads it was computed.
 */
#include "eval/origin.h"
#include "eval/points.h"
#include "eval/runner.h"
#include "util/diag.h"
#include "util/progress.h"

/* ---- what only names the values of others -------------------------------------------------------------------------*/

static void copy_node(struct runner *r, const struct tf_node *node, const struct tf_node *from)
{
    value_share(value_of(r, node), value_of(r, from), 0, value_of(r, from)->n);
}

static int make_tuple(struct runner *r, const struct tf_node *node)
{
    struct tensor **to = value_room(value_of(r, node), leaf_count(node->type));
    for (uint32_t i = 0; i < node->n_in; i++)
        for (uint32_t k = 0; k < value_of(r, node->in[i])->n; k++)
            *to++ = tensor_hold(value_leaves(value_of(r, node->in[i]))[k]);
    return TF_OK;
}

static int take_item(struct runner *r, const struct tf_node *node)
{
    const struct tf_type *tuple = node->in[0]->type;
    uint32_t first = 0, index = (uint32_t)node->attrs[0].u.i;
    for (uint32_t i = 0; i < index; i++)
        first += leaf_count(tuple->fields[i]);
    value_share(value_of(r, node), value_of(r, node->in[0]), first, leaf_count(tuple->fields[index]));
    return TF_OK;
}

static int run_node(struct runner *r, const struct tf_node *node)
{
    switch (node->kind) {
    case TF_NODE_CONST: return run_const(r, node);
    case TF_NODE_CALL: return node->op->flags & TF_OP_ITEM ? take_item(r, node) : run_operator(r, node);
    case TF_NODE_TUPLE: return make_tuple(r, node);
    case TF_NODE_REGION: return copy_node(r, node, node->region->body), TF_OK;
    case TF_NODE_RPARAM: return copy_node(r, node, node->owner->in[node->index]), TF_OK;
    case TF_NODE_LOOP: return run_loop(r, node);
    case TF_NODE_PARAM:
    case TF_NODE_LOOPVAR:
    case TF_NODE_CARRY: return TF_OK; /* set as the function, or the trip, began */
    default: ERROR(r->ctx, &node->loc, "internal", "a call was left in an inlined function"); return TF_E_INTERNAL;
    }
}

/* ---- values that a candidate delivered ----------------------------------------------------------------------------*/

/* A leaf of the result as the candidate has it, for what follows: inside its enclosure it is a point. */
static struct tensor *as_delivered(struct runner *r, const struct tensor *found, const struct tensor *given)
{
    struct tensor *to = tensor_like(r->ctx, r->memory, found);
    if (!to)
        return NULL;
    points_deliver(&to->pub, to->count, &found->pub, given->pub.data);
    return to;
}

/* What the function returns of this node is used further on as it was delivered. */
static int take_delivered(struct runner *r, const struct tf_node *node)
{
    uint32_t n = r->request->delivered ? leaf_count(r->function->body->type) : 0;
    for (uint32_t i = 0; i < n; i++) {
        const struct tensor *given = r->request->delivered[i];
        uint32_t leaf = i;
        if (!given || value_origin(r->function->body, &leaf) != node || node->kind != TF_NODE_CALL)
            continue;
        struct tensor **at = &value_leaves(value_of(r, node))[leaf];
        if (given->pub.dtype != (*at)->pub.dtype || given->count != (*at)->count)
            continue;
        struct tensor *to = as_delivered(r, *at, given);
        if (!to)
            return TF_E_NOMEM;
        r->judged[i] = *at;
        *at = to;
    }
    return TF_OK;
}

/* ---- a block ------------------------------------------------------------------------------------------------------*/

/* What blocks are going to read of this node. */
static void keep_whole(struct runner *r, const struct tf_node *node)
{
    for (uint32_t i = r->rows.first_leaf[node->id]; i != ROWS_NONE; i = r->rows.leaves.at[i].next)
        if (!r->rows.leaves.at[i].is_step && !r->whole[i])
            r->whole[i] = tensor_hold(value_leaves(value_of(r, node))[r->rows.leaves.at[i].leaf]);
}

int run_nodes(struct runner *r, uint32_t block)
{
    const struct schedule_block *b = &r->plan.blocks[block];
    for (size_t i = 0; i < b->nodes.n; i++) {
        const struct tf_node *node = b->nodes.at[i];
        if (r->rows.n_rows && block == SCHEDULE_FUNCTION && r->rows.is_left[node->id])
            continue;
        if (block == SCHEDULE_FUNCTION)
            progress_tell(r->ctx, "evaluating", i, b->nodes.n);
        int rc = run_node(r, node);
        if (rc == TF_OK && r->rows.n_rows)
            keep_whole(r, node);
        if (rc == TF_OK && r->request && block == SCHEDULE_FUNCTION)
            rc = take_delivered(r, node);
        if (rc)
            return rc;
        for (uint32_t id = r->plan.dies[node->id]; id != SCHEDULE_NONE; id = r->plan.next[id])
            value_drop(&r->values[id]);
    }
    return TF_OK;
}

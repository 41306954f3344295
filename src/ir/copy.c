/* SPDX-License-Identifier: MIT */
#include "ir/copy.h"

#include "util/diag.h"

#include <stdlib.h>
#include <string.h>

struct copy_frame *copy_open(
    struct copier *copier, const struct tf_loc *loc, const struct ir_function *from, struct ir_builder *b)
{
    uint32_t *open = ptr_map_put(&copier->active, from, 0);
    if (*open) {
        ERROR(copier->ctx, loc, "call-cycle", "'%s' is called while it runs: a function cannot call itself",
            from->pub.name);
        return NULL;
    }
    *open = 1;
    struct copy_frame *frame = CTX_NEW(copier->ctx, struct copy_frame);
    frame->outer = copier->top;
    frame->from = from;
    frame->b = b;
    frame->site = IR_NO_SITE;
    frame->env = xrealloc(NULL, from->pub.n_nodes * sizeof(*frame->env));
    walker_init(&frame->walker, &from->pub);
    copier->top = frame;
    return frame;
}

static void frame_close(struct copier *copier)
{
    struct copy_frame *frame = copier->top;
    *ptr_map_put(&copier->active, frame->from, 0) = 0;
    walker_finish(&frame->walker);
    free(frame->env);
    frame->env = NULL;
    copier->top = frame->outer;
}

void copy_finish(struct copier *copier)
{
    while (copier->top)
        frame_close(copier);
    ptr_map_free(&copier->active);
    free(copier->scratch);
    copier->scratch = NULL;
}

struct copies copy_values(
    struct copier *copier, const struct copy_frame *frame, const struct tf_node *const *nodes, uint32_t n)
{
    if (copier->n_scratch <= 3 * (size_t)n) {
        copier->n_scratch = 6 * ((size_t)n + 4);
        copier->scratch = xrealloc(copier->scratch, copier->n_scratch * sizeof(*copier->scratch));
    }
    struct copies out = {
        .nodes = (const struct tf_node **)copier->scratch,
        .types = (const struct tf_type **)(copier->scratch + n),
        .given = (const struct tf_type **)(copier->scratch + 2 * (size_t)n),
    };
    for (uint32_t i = 0; i < n; i++) {
        const struct copied *value = &frame->env[nodes[i]->id];
        out.nodes[i] = value->node;
        out.types[i] = value->type;
        out.given[i] = value->given;
        out.differ |= value->type != value->given;
    }
    return out;
}

/* What where(..) says of the value. */
static int wish(struct copier *copier, const struct tf_node *node, struct tf_node *copy)
{
    if (!node->where)
        return TF_OK;
    copy->where = bind_where(copier->binding, &node->loc, node->where);
    return copy->where ? TF_OK : TF_E_REFUSED;
}

/* Keeps the copy, with the author's name and wishes for it. */
static int keep(struct copier *copier, struct copy_frame *frame, const struct tf_node *node, struct tf_node *copy,
    const struct tf_type *given)
{
    if (!copy)
        return TF_E_REFUSED;
    copy->name = node->name;
    if (wish(copier, node, copy))
        return TF_E_REFUSED;
    frame->env[node->id] = (struct copied){copy, copy->type, given ? given : copy->type};
    return TF_OK;
}

static int copy_call(struct copier *copier, struct copy_frame *frame, const struct tf_node *node)
{
    const struct copies args = copy_values(copier, frame, node->in, node->n_in);
    const struct tf_val *attrs = bind_attrs(copier->binding, node);
    const struct tf_type *given = NULL;
    if (!attrs && node->n_attrs)
        return TF_E_REFUSED;
    struct tf_node *copy =
        call_make(frame->b, &node->loc, node->name, node->op, args.nodes, args.types, node->n_in, attrs);
    if (copy && args.differ) {
        given = call_type(frame->b, &node->loc, node->name, node->op, args.nodes, args.given, node->n_in, attrs);
        if (!given)
            return TF_E_REFUSED;
    }
    return keep(copier, frame, node, copy, given);
}

static int copy_tuple(struct copier *copier, struct copy_frame *frame, const struct tf_node *node)
{
    const struct copies items = copy_values(copier, frame, node->in, node->n_in);
    const struct tf_type *given = items.differ ? type_tuple(copier->ctx, node->n_in, items.given) : NULL;
    return keep(copier, frame, node, tuple_make(frame->b, &node->loc, items.nodes, items.types, node->n_in), given);
}

/* A constant may be a dimension: the start of x[N - 3 : N]. */
static int copy_const(struct copier *copier, struct copy_frame *frame, const struct tf_node *node)
{
    struct tf_val val = *node->val;
    if (!bind_value(copier->binding, &node->loc, &val))
        return TF_E_REFUSED;
    return keep(copier, frame, node, ir_const(frame->b, &node->loc, &val), NULL);
}

static int visit(struct copier *copier, struct copy_frame *frame, const struct tf_node *node)
{
    switch (node->kind) {
    case TF_NODE_CONST: return copy_const(copier, frame, node);
    case TF_NODE_CALL: return copy_call(copier, frame, node);
    case TF_NODE_TUPLE: return copy_tuple(copier, frame, node);
    case TF_NODE_FCALL: return copier->call(copier, frame, node);
    default: return TF_OK; /* parameters stand for what they were given; regions and loops were closed as they ended */
    }
}

/* The copy of a region or loop is written to until it is closed. */
static struct tf_node *opened(const struct copy_frame *frame, const struct tf_node *node)
{
    return frame->b->nodes.at[frame->env[node->id].node->id];
}

/* A region sees what it captures as its function does: what a call gives does not reach through. */
static int enter_region(struct copier *copier, struct copy_frame *frame, const struct tf_node *node)
{
    const struct tf_mesh *mesh = bind_mesh(copier->binding, &node->loc, node->region->mesh);
    struct tf_node *region = mesh ? ir_region_open(frame->b, &node->loc, mesh, node->region->name) : NULL;
    if (keep(copier, frame, node, region, NULL))
        return TF_E_REFUSED;
    for (uint32_t i = 0; i < node->n_in; i++) {
        const struct tf_node *param = node->region->params[i];
        const struct copied *outer = &frame->env[node->in[i]->id];
        const struct tf_type *type = frame->types ? param->type : outer->type;
        struct tf_node *copy = capture_make(frame->b, region, outer->node, type, param->name);
        if (!copy || wish(copier, param, copy))
            return TF_E_REFUSED;
        frame->env[param->id] = (struct copied){copy, type, type};
    }
    return TF_OK;
}

static int bind_bounds(
    struct copier *copier, const struct copy_frame *frame, const struct tf_node *node, struct tf_loop *bounds)
{
    const struct tf_loop *from = node->loop;
    *bounds = (struct tf_loop){.is_tile = from->is_tile};
    const struct tf_dim *const of[3] = {from->start, from->extent, from->step};
    const struct tf_dim **to[3] = {&bounds->start, &bounds->extent, &bounds->step};
    for (int i = 0; i < 3; i++) {
        if (from->bound_value[i])
            bounds->bound_value[i] = frame->env[from->bound_value[i]->id].node;
        if (of[i] && !(*to[i] = bind_dim(copier->binding, &node->loc, of[i])))
            return TF_E_REFUSED;
    }
    return TF_OK;
}

static int enter_loop(struct copier *copier, struct copy_frame *frame, const struct tf_node *node)
{
    struct tf_loop bounds;
    if (bind_bounds(copier, frame, node, &bounds))
        return TF_E_REFUSED;
    struct tf_node *loop = ir_loop_open(frame->b, &node->loc, node->loop->var->name, &bounds);
    if (keep(copier, frame, node, loop, NULL))
        return TF_E_REFUSED;
    const struct tf_node *var = loop->loop->var;
    frame->env[node->loop->var->id] = (struct copied){var, var->type, var->type};
    for (uint32_t i = 0; i < node->loop->n_carries; i++) {
        const struct tf_node *carry = node->loop->carries[i];
        const struct copied *initial = &frame->env[node->in[i]->id];
        struct tf_node *copy = carry_make(frame->b, loop, carry->name, initial->node, initial->type);
        if (!copy || wish(copier, carry, copy))
            return TF_E_REFUSED;
        frame->env[carry->id] = (struct copied){copy, initial->type, initial->given};
    }
    return TF_OK;
}

static int enter(struct copier *copier, struct copy_frame *frame, const struct tf_node *node)
{
    return node->kind == TF_NODE_REGION ? enter_region(copier, frame, node) : enter_loop(copier, frame, node);
}

static int leave_region(struct copy_frame *frame, const struct tf_node *node)
{
    const struct copied *body = &frame->env[node->region->body->id];
    struct tf_node *region = opened(frame, node);
    int rc = region_end(frame->b, region, body->node, body->type);
    frame->env[node->id] = (struct copied){region, body->type, body->given};
    return rc;
}

static int leave_loop(struct copier *copier, struct copy_frame *frame, const struct tf_node *node)
{
    const struct tf_loop *loop = node->loop;
    struct tf_node *copy = opened(frame, node);
    const struct copied *body = &frame->env[loop->body->id];
    const struct copies yields = copy_values(copier, frame, loop->yields, loop->n_carries);
    int rc = loop_end(frame->b, copy, yields.nodes, yields.types, body->node, body->type);
    const struct copies carries = copy_values(copier, frame, loop->carries, loop->n_carries);
    const struct tf_type *given = loop->n_carries == 0   ? body->given
                                  : loop->n_carries == 1 ? carries.given[0]
                                                         : type_tuple(copier->ctx, loop->n_carries, carries.given);
    frame->env[node->id] = (struct copied){copy, copy->type, given};
    return rc;
}

static int leave(struct copier *copier, struct copy_frame *frame, const struct tf_node *node)
{
    return node->kind == TF_NODE_REGION ? leave_region(frame, node) : leave_loop(copier, frame, node);
}

/* The frame's value is handed on after it was closed, so that what takes it may open another. */
static int finish(struct copier *copier, struct copy_frame *frame)
{
    const struct copied value = frame->env[frame->from->pub.body->id];
    frame_close(copier);
    return copier->done(copier, frame, &value);
}

static int step(struct copier *copier, struct copy_frame *frame)
{
    const struct tf_node *node;
    int rc = TF_OK;
    switch (walker_next(&frame->walker, &node)) {
    case WALK_VISIT: rc = visit(copier, frame, node); break;
    case WALK_ENTER: rc = enter(copier, frame, node); break;
    case WALK_LEAVE: rc = leave(copier, frame, node); break;
    default: return finish(copier, frame);
    }
    if (copier->stepped)
        copier->stepped(copier, frame);
    return rc;
}

int copy_run(struct copier *copier)
{
    int rc = TF_OK;
    while (!rc && copier->top)
        rc = step(copier, copier->top);
    return rc;
}

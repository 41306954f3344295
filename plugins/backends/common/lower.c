/* SPDX-License-Identifier: MIT
 * The statements of a program, block by block, and where its values lie.
 */
#include "lower.h"

#include <inttypes.h>

/* ---- what can be lowered -------------------------------------------------------------------------------------------*/

static int is_known(const struct tf_node *node)
{
    static const char *const views[] = {
        "tuple_get_item", "reshape", "reshard", "transpose", "split", "slice", "zeros", "rank", "full_like", NULL};
    for (const char *const *op = views; *op; op++)
        if (is_op(node, *op))
            return 1;
    return is_elementwise(node) || body_of(node) != NULL;
}

const char *lower_obstacle(const struct tf_node *node)
{
    if (node->kind != TF_NODE_CALL)
        return NULL;
    if (is_op(node, "meshcoord"))
        return "it asks which unit it runs on, and the code runs as one";
    if (is_op(node, "local")) {
        const struct tf_layout *shard = tf_host->shard_of(node->in[0]->type->layout);
        for (uint32_t i = 0; shard && i < shard->mesh->rank; i++)
            if (shard->attrs[i].kind == TF_ATTR_SPLIT)
                return "it takes one unit's part of a divided value, and the code runs as one";
        return NULL;
    }
    return is_known(node) ? NULL : "the backend has no code for this operator on these operands";
}

static int check_calls(struct lower *l)
{
    for (uint32_t i = 0; i < l->program->n_steps; i++) {
        const struct tf_node *node = l->program->steps[i].node;
        const char *why = lower_obstacle(node);
        if (!why)
            continue;
        tf_host->error(l->ctx, &node->loc, l->dialect->code, "%s cannot be lowered: %s", node->op->name, why);
        return TF_E_REFUSED;
    }
    return TF_OK;
}

/* ---- loops ---------------------------------------------------------------------------------------------------------*/

static void lower_block(struct lower *l, uint32_t block);

static const char *bound(struct lower *l, const struct tf_node *loop, uint32_t which)
{
    const struct tf_dim *dims[] = {loop->loop->start, loop->loop->extent, loop->loop->step};
    const struct tf_node *value = loop->loop->bound_value[which];
    const char *none[TF_MAX_RANK] = {NULL};
    if (!value)
        return fmt(l, "INT64_C(%" PRId64 ")", dims[which]->value);
    return element(l, value_of(l, value)->leaf, none);
}

static struct value fresh_like(struct lower *l, const struct tf_node *node, const struct value *like)
{
    struct value made = {.n = like->n, .leaf = tf_host->alloc(l->ctx, (like->n + 1) * sizeof(*made.leaf))};
    for (uint32_t k = 0; k < like->n; k++)
        made.leaf[k] = new_view(l, node, like->leaf[k].type, node->name ? node->name : "carried");
    return made;
}

static void copy_value(struct lower *l, const struct value *to, const struct value *from)
{
    for (uint32_t k = 0; k < to->n; k++)
        if (to->leaf[k].buffer != from->leaf[k].buffer || !is_dense(&from->leaf[k]) || from->leaf[k].offset)
            copy_view(l, &to->leaf[k], &from->leaf[k]);
}

/* What the loop's trips hand on must not be overwritten before all of it is read. */
static struct value apart(
    struct lower *l, const struct tf_node *loop, const struct value *from, const struct value *carried)
{
    struct value safe = {.n = from->n, .leaf = tf_host->alloc(l->ctx, (from->n + 1) * sizeof(*safe.leaf))};
    for (uint32_t k = 0; k < from->n; k++) {
        safe.leaf[k] = from->leaf[k];
        for (uint32_t i = 0; i < loop->loop->n_carries; i++)
            for (uint32_t j = 0; j < carried[i].n; j++)
                if (from->leaf[k].buffer && from->leaf[k].buffer == carried[i].leaf[j].buffer) {
                    safe.leaf[k] = new_view(l, loop, from->leaf[k].type, "kept");
                    copy_view(l, &safe.leaf[k], &from->leaf[k]);
                    i = loop->loop->n_carries - 1;
                    break;
                }
    }
    return safe;
}

static void hand_on(struct lower *l, const struct tf_node *loop, const struct value *carried)
{
    uint32_t n = loop->loop->n_carries;
    struct value *next = tf_host->alloc(l->ctx, (n + 1) * sizeof(*next));
    for (uint32_t i = 0; i < n; i++) {
        const struct value *from = value_of(l, loop->loop->yields[i]);
        next[i] = loop->loop->yields[i] == loop->loop->carries[i] ? carried[i] : apart(l, loop, from, carried);
    }
    for (uint32_t i = 0; i < n; i++)
        copy_value(l, &carried[i], &next[i]);
}

/* What is used inside is held to the loop's end, as the next trip uses it again. */
static void extend_lives(struct lower *l, size_t began)
{
    for (size_t i = 0; i < l->n_buffers; i++) {
        struct buffer *buffer = l->buffers[i];
        if (buffer->first < began && buffer->last >= began)
            buffer->last = l->time;
    }
}

static void value_set(struct lower *l, const struct tf_node *node, const struct value *parts, uint32_t n)
{
    struct value *value = value_of(l, node);
    uint32_t at = 0;
    for (uint32_t i = 0; i < n; i++)
        at += parts[i].n;
    *value = (struct value){.n = at, .leaf = tf_host->alloc(l->ctx, (at + 1) * sizeof(*value->leaf))};
    at = 0;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < parts[i].n; k++)
            value->leaf[at++] = parts[i].leaf[k];
}

static void add_room(struct lower *l, const struct tf_node *node, const struct tf_type *type, struct value *room)
{
    for (uint32_t i = 0; type->kind == TF_TYPE_TUPLE && i < type->rank; i++)
        add_room(l, node, type->fields[i], room);
    if (type->kind == TF_TYPE_TENSOR)
        room->leaf[room->n++] = new_view(l, node, type, node->name ? node->name : "last");
}

static uint32_t leaf_count(const struct tf_type *type)
{
    uint32_t n = type->kind == TF_TYPE_TENSOR;
    for (uint32_t i = 0; type->kind == TF_TYPE_TUPLE && i < type->rank; i++)
        n += leaf_count(type->fields[i]);
    return n;
}

static void lower_loop(struct lower *l, const struct tf_node *loop)
{
    uint32_t n = loop->loop->n_carries;
    struct value *carried = tf_host->alloc(l->ctx, (n + 1) * sizeof(*carried));
    const char *var = fmt(l, "at_%u", loop->id), *start, *end, *step;
    flush(l);
    l->time++;
    for (uint32_t i = 0; i < n; i++) {
        carried[i] = fresh_like(l, loop->loop->carries[i], value_of(l, loop->in[i]));
        for (uint32_t k = 0; k < carried[i].n; k++)
            copy_view(l, &carried[i].leaf[k], &value_of(l, loop->in[i])->leaf[k]);
        value_set(l, loop->loop->carries[i], &carried[i], 1);
    }
    struct value last = {.leaf = tf_host->alloc(l->ctx, (leaf_count(loop->loop->body->type) + 1) * sizeof(*last.leaf))};
    if (!n)
        add_room(l, loop, loop->loop->body->type, &last);
    l->time++;
    start = bound(l, loop, 0);
    end = bound(l, loop, 1);
    step = bound(l, loop, 2);
    if (loop->loop->bound_value[0] || loop->loop->bound_value[1] || loop->loop->bound_value[2]) {
        open_brace(l, n ? "if (%s <= 0)" : "if (%s <= 0 || %s >= %s)", step, start, end);
        fail(l, l->dialect->leave, "no such loop");
    }
    size_t began = l->time;
    text_add(l, &l->body, "\n");
    line(l, "%s", comment_text(l, loop) + 1);
    open_brace(l, "for (int64_t %s = %s; %s < %s; %s += %s)", var, start, var, end, var, step);
    struct view view = {.type = loop->loop->var->type, .number = var};
    value_set(l, loop->loop->var, &(struct value){1, &view}, 1);
    lower_block(l, l->block_of[loop->id]);
    flush(l);
    if (n)
        hand_on(l, loop, carried);
    else
        copy_value(l, &last, value_of(l, loop->loop->body));
    join_all(l);
    l->time++;
    close_brace(l);
    extend_lives(l, began);
    l->is_read |= loop->loop->bound_value[0] || loop->loop->bound_value[1] || loop->loop->bound_value[2];
    value_set(l, loop, n ? carried : &last, n ? n : 1);
}

/* ---- nodes ---------------------------------------------------------------------------------------------------------*/

/* One that keeps its operand's bits is no number, which might lose some. */
static int is_number(const struct tf_node *node)
{
    return is_elementwise(node) && node->type->rank == 0 && !copies_codes(node);
}

#define LONGEST_LITERAL 100 /* characters of an operand */

/* A number of its own, where it stands; of literals it is one of them. */
static void lower_number(struct lower *l, const struct tf_node *node)
{
    const char *in[3] = {NULL}, *none[TF_MAX_RANK] = {NULL}, *lane;
    uint32_t dtype = node->type->dtype;
    int is_literal = 1;
    for (uint32_t i = 0; i < node->n_in && i < 3; i++) {
        const struct view *view = arg(l, node, i);
        if (view->buffer && l->n_members && view->buffer->group == l->groups)
            flush(l);
        in[i] = element(l, view, none);
        l->is_read |= view->buffer != NULL;
        is_literal &= view->is_literal && strlen(in[i]) < LONGEST_LITERAL;
    }
    const char *number = compute(l, node, in, &lane), *name = fmt(l, "%s_s%u", node->op->name, node->id);
    const char *code = stored(l, dtype, lane, number);
    if (!is_real(dtype))
        code = dtype == TF_DTYPE_I64 ? number : fmt(l, "(int64_t)(%s)", code);
    else if (strcmp(lane_of(dtype), c_type(dtype)) != 0)
        code = loaded(l, dtype, fmt(l, "(%s)", code));
    struct view view = {
        .type = node->type, .number = is_literal ? fmt(l, "(%s)", code) : name, .is_literal = is_literal};
    if (!is_literal)
        line(l, "const %s %s = %s;%s", lane_of(dtype), name, code, comment_text(l, node));
    value_set(l, node, &(struct value){1, &view}, 1);
}

static void lower_node(struct lower *l, const struct tf_node *node)
{
    if (node->kind == TF_NODE_PARAM || node->kind == TF_NODE_LOOPVAR || node->kind == TF_NODE_CARRY)
        return;
    l->time++;
    if (node->kind == TF_NODE_LOOP)
        lower_loop(l, node);
    else if (is_number(node))
        lower_number(l, node);
    else if (lower_view(l, node) || is_known(node))
        (void)join_group(l, node);
}

static void lower_block(struct lower *l, uint32_t block)
{
    for (size_t i = 0; i < l->blocks[block].n; i++)
        lower_node(l, l->blocks[block].nodes[i]);
}

/* ---- results and memory --------------------------------------------------------------------------------------------*/

/* All of a buffer, as it lies. */
static int is_whole(const struct view *view)
{
    return is_dense(view) && !view->offset && view->type->dtype == view->buffer->dtype &&
           span(view->type, 0, view->type->rank) == view->buffer->count;
}

/* A result that nothing else is made of lies where the caller wants it; others are copied there. */
static void place_results(struct lower *l)
{
    const struct value *body = value_of(l, l->function->body);
    for (uint32_t k = 0; k < body->n; k++) {
        const struct view *leaf = &body->leaf[k];
        if (is_whole(leaf) && leaf->buffer->place == PLACE_ARENA) {
            leaf->buffer->place = PLACE_RESULT;
            leaf->buffer->index = k;
            continue;
        }
        struct view to = new_view(l, NULL, leaf->type, "result");
        to.buffer->place = PLACE_RESULT;
        to.buffer->index = k;
        copy_view(l, &to, leaf);
    }
}

/* First fit over the lives: a buffer lies behind every one that is held with it and lies in its way. */
static void lay_out(struct lower *l)
{
    size_t n = 0;
    struct buffer **placed = tf_host->alloc(l->ctx, (l->n_buffers + 1) * sizeof(struct buffer *));
    for (size_t i = 0; i < l->n_buffers; i++) {
        struct buffer *b = l->buffers[i];
        size_t bytes = (b->count * tf_host->element_bytes(b->dtype) + 63) / 64 * 64, to = n;
        if (b->place != PLACE_ARENA)
            continue;
        b->at = 0;
        for (size_t k = 0; k < n; k++) { /* placed is in the order of at */
            const struct buffer *o = placed[k];
            size_t end = o->at + (o->count * tf_host->element_bytes(o->dtype) + 63) / 64 * 64;
            if (o->last < b->first || b->last < o->first || end <= b->at)
                continue;
            if (o->at >= b->at + bytes)
                break;
            b->at = end;
        }
        for (; to && placed[to - 1]->at > b->at; to--)
            placed[to] = placed[to - 1];
        placed[to] = b;
        n++;
        l->arena = b->at + bytes > l->arena ? b->at + bytes : l->arena;
    }
}

/* A window's start that is no number of the program's text. */
static int is_computed(const struct tf_node *start)
{
    if (start->kind == TF_NODE_TUPLE) {
        for (uint32_t i = 0; i < start->n_in; i++)
            if (start->in[i]->kind != TF_NODE_CONST)
                return 1;
        return 0;
    }
    return start->kind != TF_NODE_CONST;
}

/* What lower_number makes no variable of. */
static int is_of_literals(const struct tf_node *node)
{
    for (uint32_t i = 0; i < node->n_in; i++)
        if (node->in[i]->kind != TF_NODE_CONST)
            return 0;
    return 1;
}

int is_straight(const struct tf_program *program)
{
    for (uint32_t i = 0; i < program->n_steps; i++) {
        const struct tf_node *node = program->steps[i].node;
        if (node->kind != TF_NODE_CALL)
            continue;
        if (program->steps[i].loop != TF_NO_LOOP || (is_number(node) && !is_of_literals(node)))
            return 0;
        for (uint32_t k = 1; is_op(node, "slice") && k < node->n_in; k++)
            if (is_computed(node->in[k]))
                return 0;
    }
    return program->n_loops == 0;
}

/* ---- the whole -----------------------------------------------------------------------------------------------------*/

static void take_params(struct lower *l)
{
    for (uint32_t i = 0; i < l->function->n_params; i++) {
        const struct tf_node *param = l->function->params[i];
        struct value *value = value_of(l, param);
        *value = (struct value){.n = 1, .leaf = tf_host->alloc(l->ctx, sizeof(*value->leaf))};
        *value->leaf = new_view(l, param, param->type, param->name ? param->name : "arg");
        value->leaf->buffer->place = PLACE_ARG;
        value->leaf->buffer->index = i;
    }
}

/* Whether the author says of any value that it is to be kept nearer than in gmem. */
static int is_placed(const struct tf_program *program)
{
    for (uint32_t i = 0; i < program->n_steps; i++) {
        const struct tf_type *type = program->steps[i].node->type;
        if (type->kind == TF_TYPE_TENSOR && (type->storage == TF_STORAGE_RMEM || type->storage == TF_STORAGE_SMEM))
            return 1;
    }
    return 0;
}

int lower_body(struct lower *l)
{
    l->function = l->program->function;
    uint32_t n = l->function->n_nodes + 1;
    int rc = check_calls(l);
    if (rc)
        return rc;
    l->values = tf_host->alloc(l->ctx, n * sizeof(*l->values));
    l->group_of = tf_host->alloc(l->ctx, n * sizeof(*l->group_of));
    l->cluster_of = tf_host->alloc(l->ctx, n * sizeof(*l->cluster_of));
    l->is_widened = tf_host->alloc(l->ctx, n);
    order_make(l);
    take_params(l);
    l->is_placed = is_placed(l->program);
    lower_block(l, 0);
    flush(l);
    l->time++;
    place_results(l);
    lay_out(l);
    return TF_OK;
}

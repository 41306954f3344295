/* SPDX-License-Identifier: MIT
 * Slow, and as plain as can be: nothing here is shared with the analyzer that it judges.
 */
#include "analysis/oracle.h"

#include "target/target.h"
#include "type/type.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#define MAX_COORDS 8

struct world {
    tf_ctx *ctx;
    const struct tf_program *program;
    int unit;
    int64_t *trip;             /* by loop: the value of its variable */
    int64_t coord[MAX_COORDS]; /* mesh coordinates, in the order in which they were met */
    const struct tf_mesh *mesh[MAX_COORDS];
    uint32_t axis[MAX_COORDS], n_coords;
    struct tf_relation *relation; /* by step */
    unsigned char **seen;         /* by root position: one byte an element, leaves after each other */
    int is_data;
};

/* ---- types ---------------------------------------------------------------------------------------------------------*/

static const struct tf_type *local(const struct world *w, const struct tf_type *type)
{
    struct tf_loc nowhere = {0};
    const struct tf_program *p = w->program;
    return w->unit ? type_local(w->ctx, &nowhere, type, p->levels, p->n_levels, p->selected) : type;
}

static int64_t elements(const struct tf_type *type)
{
    int64_t n = type->kind == TF_TYPE_TENSOR;
    for (uint32_t i = 0; i < type->rank; i++)
        n = type->kind == TF_TYPE_TENSOR ? n * type->shape[i]->value : n + elements(type->fields[i]);
    return n;
}

/* Where the field begins among the elements of a tuple. */
static int64_t field_start(const struct tf_type *type, uint32_t field)
{
    int64_t at = 0;
    for (uint32_t i = 0; i < field; i++)
        at += elements(type->fields[i]);
    return at;
}

/* ---- scalars -------------------------------------------------------------------------------------------------------*/

static int64_t mesh_coord(struct world *w, const struct tf_mesh *mesh, uint32_t axis)
{
    uint32_t i = 0;
    if (w->unit)
        return 0;
    while (i < w->n_coords && (w->mesh[i] != mesh || w->axis[i] != axis))
        i++;
    ck_assert_uint_lt(i, MAX_COORDS);
    if (i == w->n_coords) {
        w->mesh[i] = mesh;
        w->axis[i] = axis;
        w->coord[i] = 0;
        w->n_coords++;
    }
    return w->coord[i];
}

static int64_t floor_of(int64_t a, int64_t b)
{
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static int64_t scalar(struct world *w, const struct tf_node *node)
{
    int64_t x, y;
    switch (node->kind) {
    case TF_NODE_CONST: return node->val->u.i;
    case TF_NODE_LOOPVAR: return w->trip[w->program->loop_of[node->owner->id]];
    case TF_NODE_RPARAM: return scalar(w, node->owner->in[node->index]);
    case TF_NODE_REGION: return scalar(w, node->region->body);
    case TF_NODE_CALL: break;
    default: w->is_data = 1; return 0;
    }
    const char *kind = node->n_attrs && node->attrs[0].kind == TF_VAL_STRING ? node->attrs[0].u.s : "";
    if (!strcmp(node->op->name, "meshcoord"))
        return mesh_coord(w, node->attrs[0].u.mesh, (uint32_t)scalar(w, node->in[0]));
    if (!strcmp(node->op->name, "unary") && !strcmp(kind, "neg"))
        return -scalar(w, node->in[0]);
    if (strcmp(node->op->name, "binary")) {
        w->is_data = 1;
        return 0;
    }
    x = scalar(w, node->in[0]);
    y = scalar(w, node->in[1]);
    if (!strcmp(kind, "add"))
        return x + y;
    if (!strcmp(kind, "sub"))
        return x - y;
    if (!strcmp(kind, "mul"))
        return x * y;
    if (!strcmp(kind, "floor_div"))
        return floor_of(x, y);
    if (!strcmp(kind, "mod"))
        return x - y * floor_of(x, y);
    ck_abort_msg("arithmetic %s", kind);
}

/* ---- from an element of a value to one of a root -------------------------------------------------------------------*/

static int64_t axis_at(struct world *w, const struct tf_axis *axis, const int64_t *iteration)
{
    int64_t c = axis->offset + (axis->moved ? scalar(w, axis->moved) : 0);
    for (int t = 0; t < 2; t++)
        if (axis->iter[t] >= 0)
            c += axis->scale[t] * iteration[axis->iter[t]];
    return c;
}

static void unflatten(int64_t flat, const struct tf_type *type, int64_t *at)
{
    for (uint32_t a = type->rank; a-- > 0;) {
        at[a] = flat % type->shape[a]->value;
        flat /= type->shape[a]->value;
    }
}

static int64_t flatten(const struct tf_type *type, const int64_t *at)
{
    int64_t flat = 0;
    for (uint32_t a = 0; a < type->rank; a++) {
        if (at[a] < 0 || at[a] >= type->shape[a]->value)
            return -1;
        flat = flat * type->shape[a]->value + at[a];
    }
    return flat;
}

/* The element of the view's source that a flat element of the view is; -1 when there is none. */
static int64_t through(struct world *w, const struct tf_step *step, int64_t flat)
{
    const struct tf_relation *r = &w->relation[step->position];
    const struct tf_type *to = local(w, step->node->type), *from = local(w, step->node->in[0]->type);
    int64_t at[TF_MAX_RANK], source[TF_MAX_RANK], iteration[32] = {0};
    if (r->flags & TF_RELATION_RELABEL)
        return flat;
    unflatten(flat, to, at);
    for (uint32_t a = 0; a < to->rank; a++)
        if (r->out[0].axes[a].iter[0] >= 0)
            iteration[r->out[0].axes[a].iter[0]] = at[a];
    for (uint32_t a = 0; a < from->rank; a++)
        source[a] = axis_at(w, &r->in[0].axes[a], iteration);
    return flatten(from, source);
}

static int is_view(struct world *w, const struct tf_step *step)
{
    const struct tf_relation *r = &w->relation[step->position];
    if (!(r->flags & TF_RELATION_VIEW))
        return 0;
    if (step->node->op->flags & TF_OP_ITEM)
        return 1;
    const struct tf_type *from = step->unit->arg_types[0], *to = step->unit->type;
    return from->storage == to->storage && elements(to) <= elements(from);
}

/* Marks one element (flat, leaves of a tuple after each other) of what the value stands on. */
static void mark(struct world *w, const struct tf_node *node, int64_t flat)
{
    const struct tf_program *p = w->program;
    while (flat >= 0) {
        uint32_t index;
        switch (node->kind) {
        case TF_NODE_RPARAM:
        case TF_NODE_CARRY: node = node->owner->in[node->index]; continue;
        case TF_NODE_REGION: node = node->region->body; continue;
        case TF_NODE_LOOP:
            index = p->loop_of[node->id];
            ck_assert_msg(p->loops[index].trips && node->loop->n_carries == 1, "a loop's result that is not followed");
            w->trip[index] = p->loops[index].start + p->loops[index].step * ((int64_t)p->loops[index].trips - 1);
            node = node->loop->yields[0];
            continue;
        default: break;
        }
        index = p->step_of[node->id];
        ck_assert_uint_ne(index, TF_NO_POSITION);
        if (node->kind == TF_NODE_CALL && is_view(w, &p->steps[index])) {
            if (node->op->flags & TF_OP_ITEM)
                flat += field_start(local(w, node->in[0]->type), (uint32_t)node->attrs[0].u.i);
            else
                flat = through(w, &p->steps[index], flat);
            node = node->in[0];
            continue;
        }
        int64_t room = elements(node->type);
        if (!w->seen[index])
            w->seen[index] = calloc((size_t)room + 1, 1);
        ck_assert_int_lt(flat, room);
        w->seen[index][flat] = 1;
        return;
    }
}

/* ---- one occurrence of a call --------------------------------------------------------------------------------------*/

static const struct tf_type *leaf_type(const struct tf_type *type, uint32_t leaf)
{
    return type->kind == TF_TYPE_TENSOR ? type : type->fields[leaf];
}

static int allowed(struct world *w, const struct tf_boundary *b, const struct tf_type *whole,
    const struct tf_type *held, const int64_t *iteration)
{
    int mine = 1;
    for (uint32_t a = 0; b->axes && a < b->rank; a++) {
        if (b->axes[a].kind == TF_AXIS_ANY)
            continue;
        struct tf_axis still = b->axes[a];
        still.moved = NULL;
        int64_t c = axis_at(w, &still, iteration);
        if (c < 0 || c >= whole->shape[a]->value)
            return 1;
        mine &= c < held->shape[a]->value;
    }
    return mine;
}

static int performed(struct world *w, const struct tf_step *step, const int64_t *iteration)
{
    const struct tf_relation *r = &w->relation[step->position];
    for (uint32_t i = 0; i < r->n_in && w->unit; i++)
        if (!allowed(w, &r->in[i], step->whole->arg_types[i], step->unit->arg_types[i], iteration))
            return 0;
    for (uint32_t i = 0; i < r->n_out && w->unit; i++)
        if (!allowed(w, &r->out[i], leaf_type(step->whole->type, i), leaf_type(step->unit->type, i), iteration))
            return 0;
    return 1;
}

static void reach(struct world *w, const struct tf_boundary *b, const struct tf_type *type, const struct tf_node *node,
    int64_t base, const int64_t *iteration, uint32_t axis, int64_t *at)
{
    if (axis == b->rank) {
        int64_t flat = flatten(type, at);
        if (flat >= 0)
            mark(w, node, base + flat);
        return;
    }
    if (b->axes[axis].kind != TF_AXIS_ANY) {
        at[axis] = axis_at(w, &b->axes[axis], iteration);
        reach(w, b, type, node, base, iteration, axis + 1, at);
        return;
    }
    for (at[axis] = 0; at[axis] < type->shape[axis]->value; at[axis]++)
        reach(w, b, type, node, base, iteration, axis + 1, at);
}

static void reach_whole(struct world *w, const struct tf_node *node)
{
    if (node->kind == TF_NODE_TUPLE) {
        for (uint32_t i = 0; i < node->n_in; i++)
            reach_whole(w, node->in[i]);
        return;
    }
    if (node->type->kind == TF_TYPE_TENSOR && node->type->storage == TF_STORAGE_UMAT)
        return;
    int64_t n = elements(local(w, node->type));
    for (int64_t i = 0; i < n; i++)
        mark(w, node, i);
}

static void reach_boundary(struct world *w, const struct tf_boundary *b, const struct tf_type *type,
    const struct tf_node *node, int64_t base, const int64_t *iteration)
{
    int64_t at[TF_MAX_RANK];
    if (b->flow == TF_FLOW_NONE || (type->kind == TF_TYPE_TENSOR && type->storage == TF_STORAGE_UMAT))
        return;
    if (b->axes)
        reach(w, b, type, node, base, iteration, 0, at);
    else
        reach_whole(w, node);
}

static void occur(struct world *w, const struct tf_step *step)
{
    const struct tf_relation *r = &w->relation[step->position];
    const struct tf_call *call = w->unit ? step->unit : step->whole;
    int64_t iteration[32] = {0};
    for (uint32_t k = 0; k < r->n_iter; k++)
        if (r->extent[k]->value == 0)
            return;
    for (;;) {
        if (performed(w, step, iteration)) {
            for (uint32_t i = 0; i < r->n_in; i++)
                reach_boundary(w, &r->in[i], call->arg_types[i], call->args[i], 0, iteration);
            for (uint32_t i = 0; i < r->n_out; i++)
                reach_boundary(w, &r->out[i], leaf_type(call->type, i), step->node,
                    call->type->kind == TF_TYPE_TUPLE ? field_start(call->type, i) : 0, iteration);
        }
        uint32_t k = 0;
        while (k < r->n_iter && ++iteration[k] == r->extent[k]->value)
            iteration[k++] = 0;
        if (k == r->n_iter)
            return;
    }
}

/* ---- one trip ------------------------------------------------------------------------------------------------------*/

static int within(const struct tf_program *p, uint32_t loop, uint32_t around)
{
    while (loop != TF_NO_LOOP && loop != around)
        loop = p->loops[loop].parent;
    return loop == around;
}

/* All values of the loops from `at` outward to `top`, then the call; mesh coordinates inside, as they are met. */
static void go_through(struct world *w, const struct tf_step *step, uint32_t at, uint32_t top)
{
    const struct tf_prog_loop *loop = at == TF_NO_LOOP ? NULL : &w->program->loops[at];
    if (at == top || !loop) {
        for (uint32_t i = 0; i < w->n_coords; i++)
            w->coord[i] = 0;
        for (;;) {
            occur(w, step);
            uint32_t i = 0;
            while (i < w->n_coords && ++w->coord[i] == w->mesh[i]->shape[w->axis[i]]->value)
                w->coord[i++] = 0;
            if (i == w->n_coords)
                return;
        }
    }
    for (uint64_t t = 0; t < loop->trips; t++) {
        w->trip[at] = loop->start + loop->step * (int64_t)t;
        go_through(w, step, loop->parent, top);
    }
}

static void one_trip(struct world *w, uint32_t index, uint64_t trip)
{
    const struct tf_program *p = w->program;
    for (uint32_t i = 0; i < p->n_steps; i++) {
        const struct tf_step *step = &p->steps[i];
        if (step->node->kind != TF_NODE_CALL || !step->runs || !within(p, step->loop, index) ||
            !tf_varies_in(p, step->node, index))
            continue;
        for (uint32_t l = 0; l < p->n_loops; l++)
            w->trip[l] = p->loops[l].start;
        w->trip[index] = p->loops[index].start + p->loops[index].step * (int64_t)trip;
        go_through(w, step, step->loop, index);
    }
}

/* ---- rows ----------------------------------------------------------------------------------------------------------*/

/* Bytes of a root at a level that are marked, and the marks taken away. */
static uint64_t take(struct world *w, uint32_t root, uint32_t level)
{
    const struct tf_type *type = w->program->steps[root].node->type, *own = local(w, type);
    uint32_t leaves = type->kind == TF_TYPE_TUPLE ? type->rank : 1;
    uint64_t bytes = 0;
    for (uint32_t leaf = 0; leaf < leaves; leaf++) {
        const struct tf_type *one = leaf_type(own, leaf);
        int64_t from = type->kind == TF_TYPE_TUPLE ? field_start(own, leaf) : 0, n = 0;
        if (one->storage != level)
            continue;
        for (int64_t i = from; i < from + elements(one); i++) {
            n += w->seen[root][i];
            w->seen[root][i] = 0;
        }
        bytes += ((uint64_t)n * dtype_info(one->dtype)->bits + 7) / 8;
    }
    return bytes;
}

static struct oracle_row *row_of(struct oracle_row *rows, uint32_t *n, uint32_t root, uint32_t level)
{
    for (uint32_t i = 0; i < *n; i++)
        if (rows[i].root == root && rows[i].level == level)
            return &rows[i];
    rows[*n] = (struct oracle_row){.root = root, .level = level};
    return &rows[(*n)++];
}

static void add_rows(struct world *w, int is_device, struct oracle_row *rows, uint32_t *n)
{
    for (uint32_t root = 0; root < w->program->n_steps; root++)
        for (uint32_t level = 0; w->seen[root] && level < TF_STORAGE_COUNT; level++) {
            uint64_t bytes = take(w, root, level), capacity;
            if (!bytes || target_memory(w->program->target, level, &capacity) != TF_OK)
                continue;
            struct oracle_row *row = row_of(rows, n, root, level);
            if (is_device) {
                row->device = bytes;
                continue;
            }
            row->repeated += bytes;
            row->bytes = bytes > row->bytes ? bytes : row->bytes;
        }
}

uint32_t oracle_loop(
    tf_ctx *ctx, const struct tf_program *program, uint32_t loop, struct oracle_row *rows, uint32_t room)
{
    struct world w = {.ctx = ctx, .program = program};
    uint32_t n = 0;
    w.trip = calloc(program->n_loops + 1, sizeof(*w.trip));
    w.seen = calloc(program->n_steps, sizeof(*w.seen));
    w.relation = calloc(program->n_steps, sizeof(*w.relation));
    for (uint32_t i = 0; i < program->n_steps; i++)
        if (program->steps[i].node->kind == TF_NODE_CALL)
            ck_assert_int_eq(program->steps[i].node->op->relate(ctx, program->steps[i].whole, &w.relation[i]), TF_OK);
    for (uint64_t t = 0; t < program->loops[loop].trips; t++) {
        w.unit = 1;
        one_trip(&w, loop, t);
        add_rows(&w, 0, rows, &n);
    }
    for (uint64_t t = 0; t < program->loops[loop].trips; t++) {
        w.unit = 0;
        one_trip(&w, loop, t);
    }
    add_rows(&w, 1, rows, &n);
    ck_assert_uint_le(n, room);
    for (uint32_t i = 0; i < program->n_steps; i++)
        free(w.seen[i]);
    free(w.seen);
    free(w.relation);
    free(w.trip);
    return w.is_data ? UINT32_MAX : n;
}

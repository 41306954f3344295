/* SPDX-License-Identifier: MIT
 * How a value's sharding follows from its operands'.  The relation of a call says which iteration axis each logical axis
 * of a boundary walks; a split goes with it from the operand to the result.  Nothing here knows an operator.
 */
#include "type/table.h"

#include "util/diag.h"

#include <string.h>

/* ---- positions and logical axes --------------------------------------------------------------------------------------*/

/* One position for an axis of extent 1, if there is one to take. */
static uint32_t take_single(const struct tf_layout *layout, uint32_t at)
{
    return at < layout->rank && (dim_is(layout->shape[at], 1) || !dim_is_const(layout->shape[at], NULL));
}

/* Positions until their product reaches the extent; 0 is reached by a position of 0. */
static uint32_t take_product(const struct tf_layout *layout, uint32_t at, int64_t extent)
{
    uint32_t n = 0;
    for (int64_t product = 1, position; at + n < layout->rank && (extent ? product < extent : product != 0); n++)
        if (dim_is_const(layout->shape[at + n], &position) && __builtin_mul_overflow(product, position, &product))
            product = INT64_MAX;
    return n;
}

void position_axes(const struct tf_layout *layout, uint32_t rank, const struct tf_dim *const *shape, int32_t *axis_of)
{
    uint32_t at = 0;
    for (uint32_t axis = 0; axis < rank && at < layout->rank; axis++) {
        int64_t extent;
        uint32_t n;
        if (!dim_is_const(shape[axis], &extent))
            n = layout->shape[at] == shape[axis] ? 1 : layout->rank - at;
        else
            n = extent == 1 ? take_single(layout, at) : take_product(layout, at, extent);
        while (n--)
            axis_of[at++] = (int32_t)axis;
    }
    /* extents of 1 after the last axis was reached */
    while (at < layout->rank)
        axis_of[at++] = (int32_t)rank - 1;
}

#define MAX_POSITIONS (TF_MAX_RANK + TF_MAX_MESH)

uint64_t split_mask(const struct tf_type *type, uint32_t axis)
{
    const struct tf_layout *shard = type->kind == TF_TYPE_TENSOR ? shard_of(type->layout) : NULL;
    int32_t axis_of[MAX_POSITIONS];
    uint64_t mask = 0;
    if (!shard || shard->rank > MAX_POSITIONS)
        return 0;
    position_axes(shard, type->rank, type->shape, axis_of);
    for (uint32_t i = 0; i < shard->mesh->rank; i++) {
        const struct tf_shard_attr *attr = &shard->attrs[i];
        if (attr->kind == TF_ATTR_SPLIT && (uint32_t)attr->axis < shard->rank && axis_of[attr->axis] == (int32_t)axis)
            mask |= (uint64_t)1 << i;
    }
    return mask;
}

/* ---- accesses ------------------------------------------------------------------------------------------------------*/

#define AT_ZERO 0 /* always the same coordinate */
#define ALONG 1   /* exactly the coordinate of one iteration axis */
#define OTHERWISE 2

struct access {
    int kind;
    uint32_t iter; /* of ALONG */
};

/* An iteration axis of extent 1 has one coordinate, so walking it is standing still. */
static struct access access_of(const struct tf_relation *relation, const struct tf_axis *axis)
{
    struct access found = {.kind = AT_ZERO};
    uint32_t terms = 0;
    if (axis->kind == TF_AXIS_ANY)
        return (struct access){.kind = OTHERWISE};
    for (int k = 0; k < 2; k++) {
        if (axis->iter[k] < 0 || !axis->scale[k] || dim_is(relation->extent[axis->iter[k]], 1))
            continue;
        found.kind = axis->scale[k] == 1 && !terms ? ALONG : OTHERWISE;
        found.iter = (uint32_t)axis->iter[k];
        terms++;
    }
    if (axis->moved || (terms && axis->offset))
        found.kind = OTHERWISE;
    return found;
}

/* The same, but an axis that stands still at its own iteration axis of extent 1 walks that one: so the factors of a layout
 * keep their places. */
static struct access traced_access(const struct tf_relation *relation, const struct tf_axis *axes, uint32_t index)
{
    struct access found = access_of(relation, &axes[index]);
    if (found.kind == AT_ZERO && !axes[index].offset && index < relation->n_iter && dim_is(relation->extent[index], 1))
        return (struct access){.kind = ALONG, .iter = index};
    return found;
}

/* ---- deriving ------------------------------------------------------------------------------------------------------*/

struct derive {
    tf_ctx *ctx;
    const struct tf_call *call;
    const struct tf_relation *relation;
    const struct tf_derive *how;
    const struct tf_boundary *out;
    uint32_t rank;
    const struct tf_dim *const *shape;
    const struct tf_mesh *mesh;
    int32_t *out_of;                         /* result axis that walks an iteration axis; -1: none */
    uint64_t *used;                          /* bit set: iteration axes that the result depends on at all */
    struct tf_shard_attr attrs[TF_MAX_MESH]; /* splits name logical axes of the result */
};

static int in_set(uint64_t set, uint32_t bit)
{
    return bit < 64 && (set >> bit & 1);
}

static const char *operand_name(const struct derive *d, uint32_t arg)
{
    const struct tf_op *op = d->call->op;
    if (op && arg < op->n_inputs && op->inputs[arg].kind != TF_INPUT_VARIADIC && op->inputs[arg].name)
        return op->inputs[arg].name;
    return arena_format(&d->ctx->arena, "operand %u", arg);
}

static const char *axis_name(const struct derive *d, const struct tf_mesh *mesh, uint32_t axis)
{
    return mesh->names[axis] ? mesh->names[axis] : arena_format(&d->ctx->arena, "%u", axis);
}

static const char *attr_text(const struct derive *d, const struct tf_shard_attr *attr)
{
    if (attr->kind == TF_ATTR_SPLIT)
        return arena_format(&d->ctx->arena, "splits axis %d", attr->axis);
    if (attr->kind == TF_ATTR_PARTIAL)
        return arena_format(&d->ctx->arena, "holds a partial %s", attr->reduction);
    return "replicates";
}

static int same_attr(const struct tf_shard_attr *a, const struct tf_shard_attr *b)
{
    return a->kind == b->kind && (a->kind != TF_ATTR_SPLIT || a->axis == b->axis) &&
           (a->kind != TF_ATTR_PARTIAL || !strcmp(a->reduction, b->reduction));
}

static int set_attr(struct derive *d, uint32_t arg, uint32_t mesh_axis, const struct tf_shard_attr *attr)
{
    struct tf_shard_attr *held = &d->attrs[mesh_axis];
    if (held->kind != TF_ATTR_BROADCAST && !same_attr(held, attr)) {
        ERROR(d->ctx, &d->call->loc, "shard-conflict",
            "on mesh axis %s, %s asks for a result that %s, another operand for one that %s",
            axis_name(d, d->mesh, mesh_axis), operand_name(d, arg), attr_text(d, attr), attr_text(d, held));
        return TF_E_REFUSED;
    }
    *held = *attr;
    return 0;
}

static int refuse_access(struct derive *d, uint32_t arg, const struct tf_mesh *mesh, uint32_t mesh_axis)
{
    ERROR(d->ctx, &d->call->loc, "shard-access",
        "mesh axis %s splits an axis of %s that is not read coordinate by coordinate; reshard it first",
        axis_name(d, mesh, mesh_axis), operand_name(d, arg));
    return TF_E_REFUSED;
}

/* What a split of an operand's axis becomes in the result. */
static int carry_split(
    struct derive *d, uint32_t arg, uint32_t mesh_axis, const struct tf_mesh *mesh, struct access access)
{
    struct tf_shard_attr attr = {.kind = TF_ATTR_BROADCAST};
    if (access.kind == AT_ZERO)
        return 0;
    if (access.kind == OTHERWISE)
        return refuse_access(d, arg, mesh, mesh_axis);
    if (in_set(d->how->complete_axes, access.iter))
        return set_attr(d, arg, mesh_axis, &attr);
    if (d->out_of[access.iter] >= 0)
        attr = (struct tf_shard_attr){.kind = TF_ATTR_SPLIT, .axis = d->out_of[access.iter]};
    else if (in_set(d->used[access.iter / 64], access.iter % 64))
        return refuse_access(d, arg, mesh, mesh_axis);
    else if (in_set(d->how->partial_axes, access.iter))
        attr = (struct tf_shard_attr){.kind = TF_ATTR_PARTIAL, .reduction = "sum"};
    return set_attr(d, arg, mesh_axis, &attr);
}

static int merge_operand(struct derive *d, uint32_t arg)
{
    const struct tf_type *type = d->call->arg_types[arg];
    const struct tf_layout *shard = shard_of(type->layout);
    const struct tf_boundary *in = &d->relation->in[arg];
    int32_t axis_of[MAX_POSITIONS];
    position_axes(shard, type->rank, type->shape, axis_of);
    for (uint32_t i = 0; i < shard->mesh->rank; i++) {
        const struct tf_shard_attr *attr = &shard->attrs[i];
        int rc = 0;
        if (attr->kind == TF_ATTR_BROADCAST)
            continue;
        if (i >= d->mesh->rank)
            return refuse_access(d, arg, shard->mesh, i);
        if (attr->kind == TF_ATTR_PARTIAL) {
            rc = set_attr(d, arg, i, attr);
        } else {
            int32_t axis = (uint32_t)attr->axis < shard->rank ? axis_of[attr->axis] : -1;
            struct access access = {.kind = OTHERWISE};
            if (axis >= 0 && in->axes && (uint32_t)axis < in->rank)
                access = access_of(d->relation, &in->axes[axis]);
            rc = carry_split(d, arg, i, shard->mesh, access);
        }
        if (rc)
            return rc;
    }
    return 0;
}

/* ---- carrying a factorisation ----------------------------------------------------------------------------------------
 * A layout's factors and strides go over to the result as they are when every factor is followed exactly. */

struct carried {
    const struct tf_layout *from;
    uint32_t iter_of[MAX_POSITIONS]; /* of each position of from */
    uint32_t rank;
    const struct tf_dim *shape[MAX_POSITIONS + TF_MAX_RANK];
    int32_t source[MAX_POSITIONS + TF_MAX_RANK]; /* position that one comes from; -1: a new extent of 1 */
    int32_t place[MAX_POSITIONS];                /* where a position went; -1: nowhere */
};

/* Which iteration axis each position of the operand's layout walks; 0 when one is not followed exactly. */
static int trace_positions(const struct derive *d, uint32_t arg, struct carried *c)
{
    const struct tf_type *type = d->call->arg_types[arg];
    const struct tf_boundary *in = &d->relation->in[arg];
    int32_t axis_of[MAX_POSITIONS];
    position_axes(c->from, type->rank, type->shape, axis_of);
    for (uint32_t i = 0; i < c->from->rank; i++) {
        if (axis_of[i] < 0 || !in->axes || (uint32_t)axis_of[i] >= in->rank)
            return 0;
        struct access access = traced_access(d->relation, in->axes, (uint32_t)axis_of[i]);
        if (access.kind != ALONG)
            return 0;
        c->iter_of[i] = access.iter;
    }
    return 1;
}

/* The result axis that a position belongs to: its own, or the last for one that is reduced away; -1 when there is none. */
static int32_t axis_of_position(const struct derive *d, const int32_t *out_of, uint32_t iter)
{
    if (out_of[iter] >= 0)
        return out_of[iter];
    return in_set(d->how->complete_axes, iter) && d->rank ? (int32_t)d->rank - 1 : -1;
}

static int place_positions(const struct derive *d, const int32_t *out_of, struct carried *c)
{
    for (uint32_t i = 0; i < c->from->rank; i++)
        if (axis_of_position(d, out_of, c->iter_of[i]) < 0 && !in_set(d->how->complete_axes, c->iter_of[i]))
            return 0;
    for (uint32_t axis = 0; axis < d->rank; axis++) {
        uint32_t before = c->rank;
        for (uint32_t i = 0; i < c->from->rank; i++) {
            if (axis_of_position(d, out_of, c->iter_of[i]) != (int32_t)axis)
                continue;
            int reduced = in_set(d->how->complete_axes, c->iter_of[i]);
            c->place[i] = (int32_t)c->rank;
            c->shape[c->rank] = reduced ? dim_const(d->ctx, 1) : c->from->shape[i];
            c->source[c->rank++] = reduced ? -1 : (int32_t)i;
        }
        if (c->rank == before) {
            c->shape[c->rank] = dim_const(d->ctx, 1);
            c->source[c->rank++] = -1;
        }
    }
    return c->rank <= MAX_POSITIONS;
}

/* Whether every axis of the result is walked by some position. */
static int covers_result(const struct derive *d, const int32_t *out_of, const struct carried *c)
{
    for (uint32_t iter = 0; iter < d->relation->n_iter; iter++) {
        uint32_t i = 0;
        while (out_of[iter] >= 0 && i < c->from->rank && c->iter_of[i] != iter)
            i++;
        if (out_of[iter] >= 0 && i == c->from->rank)
            return 0;
    }
    return 1;
}

static const struct tf_dim *const *carried_strides(const struct derive *d, const struct carried *c)
{
    const struct tf_dim **strides = CTX_ARRAY(d->ctx, const struct tf_dim *, c->rank);
    const struct tf_dim *const *fresh = d->how->fresh_strides ? strides_c_order(d->ctx, c->rank, c->shape) : NULL;
    const struct tf_dim *zero = dim_const(d->ctx, 0);
    if (d->how->fresh_strides ? !fresh : !c->from->strides)
        return NULL;
    for (uint32_t i = 0; i < c->rank; i++) {
        if (fresh)
            strides[i] = dim_is(c->shape[i], 1) ? zero : fresh[i];
        else
            strides[i] = c->source[i] < 0 ? zero : c->from->strides[c->source[i]];
    }
    return strides;
}

/* Whether the carried attributes say of the logical axes what was derived. */
static int agrees(const struct derive *d, const struct tf_layout *layout)
{
    int32_t axis_of[MAX_POSITIONS];
    position_axes(layout, d->rank, d->shape, axis_of);
    for (uint32_t i = 0; i < d->mesh->rank; i++) {
        struct tf_shard_attr attr = layout->attrs[i];
        if (attr.kind == TF_ATTR_SPLIT)
            attr.axis = axis_of[attr.axis];
        if (!same_attr(&attr, &d->attrs[i]))
            return 0;
    }
    return 1;
}

/* The operand's own layout, carried over; NULL when it cannot be. */
static const struct tf_layout *carry_layout(const struct derive *d, const int32_t *out_of, uint32_t arg)
{
    struct carried c = {.from = shard_of(d->call->arg_types[arg]->layout)};
    struct tf_shard_attr attrs[TF_MAX_MESH] = {{.kind = TF_ATTR_BROADCAST}};
    memset(c.place, -1, sizeof(c.place));
    if (!trace_positions(d, arg, &c) || !covers_result(d, out_of, &c) || !place_positions(d, out_of, &c))
        return NULL;
    for (uint32_t i = 0; i < c.from->mesh->rank && i < d->mesh->rank; i++) {
        struct tf_shard_attr attr = c.from->attrs[i];
        if (attr.kind == TF_ATTR_PARTIAL)
            attrs[i] = attr;
        if (attr.kind != TF_ATTR_SPLIT || (uint32_t)attr.axis >= c.from->rank || c.place[attr.axis] < 0 ||
            c.source[c.place[attr.axis]] < 0)
            continue;
        attrs[i] = (struct tf_shard_attr){.kind = TF_ATTR_SPLIT, .axis = c.place[attr.axis]};
    }
    const struct tf_layout *layout = layout_shard(d->ctx, c.rank, c.shape, carried_strides(d, &c), d->mesh, attrs);
    return agrees(d, layout) ? layout : NULL;
}

static int is_sharded(const struct tf_type *type)
{
    const struct tf_layout *shard = type->kind == TF_TYPE_TENSOR ? shard_of(type->layout) : NULL;
    for (uint32_t i = 0; shard && i < shard->mesh->rank; i++)
        if (shard->attrs[i].kind != TF_ATTR_BROADCAST)
            return 1;
    return 0;
}

static int check_positions(tf_ctx *ctx, const struct tf_call *call, const struct tf_layout *shard)
{
    if (shard->rank <= MAX_POSITIONS)
        return 0;
    ERROR(ctx, &call->loc, "layout-positions", "an operand's layout has %u positions; at most %d are followed",
        shard->rank, MAX_POSITIONS);
    return TF_E_REFUSED;
}

/* The one layout that all operands which can carry theirs agree on; NULL: none, or they differ. */
static const struct tf_layout *carried_by_all(const struct derive *d)
{
    int32_t *out_of = CTX_ARRAY(d->ctx, int32_t, d->relation->n_iter);
    const struct tf_layout *agreed = NULL;
    memset(out_of, -1, d->relation->n_iter * sizeof(*out_of));
    for (uint32_t axis = 0; axis < d->rank; axis++) {
        struct access access = traced_access(d->relation, d->out->axes, axis);
        if (access.kind == ALONG)
            out_of[access.iter] = (int32_t)axis;
    }
    for (uint32_t i = 0; i < d->call->n_args; i++) {
        const struct tf_layout *layout = is_sharded(d->call->arg_types[i]) ? carry_layout(d, out_of, i) : NULL;
        if (layout && agreed && !layout_equal(layout, agreed))
            return NULL;
        agreed = layout ? layout : agreed;
    }
    return agreed;
}

static void note_result_axes(struct derive *d)
{
    d->out_of = CTX_ARRAY(d->ctx, int32_t, d->relation->n_iter);
    d->used = CTX_ARRAY(d->ctx, uint64_t, d->relation->n_iter / 64 + 1);
    memset(d->out_of, -1, d->relation->n_iter * sizeof(*d->out_of));
    for (uint32_t axis = 0; axis < d->rank; axis++) {
        const struct tf_axis *at = &d->out->axes[axis];
        struct access access = traced_access(d->relation, d->out->axes, axis);
        if (access.kind == ALONG)
            d->out_of[access.iter] = (int32_t)axis;
        for (int k = 0; k < 2; k++)
            if (at->kind == TF_AXIS_WALK && at->iter[k] >= 0)
                d->used[at->iter[k] / 64] |= (uint64_t)1 << (at->iter[k] % 64);
    }
}

int shard_derive(tf_ctx *ctx, const struct tf_call *call, const struct tf_relation *relation, uint32_t rank,
    const struct tf_dim *const *shape, const struct tf_derive *how, const struct tf_layout **layout)
{
    struct derive d = {.ctx = ctx, .call = call, .relation = relation, .how = how, .rank = rank, .shape = shape};
    *layout = NULL;
    for (uint32_t i = 0; i < call->n_args; i++) {
        const struct tf_layout *shard = is_sharded(call->arg_types[i]) ? shard_of(call->arg_types[i]->layout) : NULL;
        if (shard && check_positions(ctx, call, shard))
            return TF_E_REFUSED;
        d.mesh = shard && !d.mesh ? shard->mesh : d.mesh;
    }
    if (!d.mesh)
        return TF_OK;
    d.out = &relation->out[how->out];
    if (rank && (!d.out->axes || d.out->rank != rank))
        return TF_E_INTERNAL;
    note_result_axes(&d);
    for (uint32_t i = 0; i < call->n_args; i++) {
        int rc = is_sharded(call->arg_types[i]) ? merge_operand(&d, i) : 0;
        if (rc)
            return rc;
    }
    *layout = carried_by_all(&d);
    if (!*layout)
        *layout = layout_canonical(ctx, &call->loc, rank, shape, d.mesh, d.attrs);
    return *layout ? TF_OK : TF_E_REFUSED;
}

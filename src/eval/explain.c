/* SPDX-License-Identifier: MIT
 * First, backwards, what an element reads of every value before it, by the operators' relations: a box of each.  Then the
 * function is enclosed again, and each operator on the way is run once more without any freedom of its own: the
 * difference is what it added.
 */
#include "eval/explain.h"

#include "eval/bound.h"
#include "eval/origin.h"
#include "eval/schedule.h"
#include "ir/call.h"
#include "ir/relation.h"
#include "util/diag.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of one leaf of a node: coordinates [lo, hi) on each axis. */
struct part {
    int is_read;
    int has_own;  /* one element alone is read somewhere: what the explained one goes through itself */
    uint64_t own; /* in C order */
    int64_t lo[TF_MAX_RANK], hi[TF_MAX_RANK];
};

struct tracer {
    tf_ctx *ctx;
    struct tensor_memory *memory;
    const struct tf_function *function;
    struct schedule plan;
    struct part **parts; /* by node id: one for each leaf; NULL: nothing is read of it */
    size_t *step_of;     /* by node id: 1 + its step */
    struct explanation *explanation;
};

/* ---- what is read -------------------------------------------------------------------------------------------------*/

static const struct tf_type *leaf_type(struct tracer *t, const struct tf_node *node, uint32_t leaf)
{
    uint32_t n = leaf_count(node->type);
    const struct tf_type **types = CTX_ARRAY(t->ctx, const struct tf_type *, n);
    type_leaves(node->type, types, n);
    return types[leaf];
}

static struct part whole_of(const struct tf_type *type)
{
    struct part part = {.is_read = 1};
    for (uint32_t i = 0; i < type->rank; i++)
        part.hi[i] = type->shape[i]->value;
    return part;
}

static void keep_own(struct part *to, const struct part *part, const struct tf_type *type)
{
    uint64_t own = 0;
    int is_one = !to->has_own;
    for (uint32_t i = 0; i < type->rank; i++) {
        is_one &= part->hi[i] - part->lo[i] == 1;
        own = own * (uint64_t)type->shape[i]->value + (uint64_t)part->lo[i];
    }
    if (!is_one)
        return;
    to->has_own = 1;
    to->own = own;
}

/* Reads a part of what gives the node this leaf, beside what is read of that already. */
static void read_part(struct tracer *t, const struct tf_node *node, uint32_t leaf, const struct part *part)
{
    node = value_origin(node, &leaf);
    struct part **parts = &t->parts[node->id];
    if (!*parts)
        *parts = CTX_ARRAY(t->ctx, struct part, leaf_count(node->type));
    struct part *to = &(*parts)[leaf];
    const struct tf_type *type = leaf_type(t, node, leaf);
    keep_own(to, part, type);
    if (!to->is_read) {
        memcpy(to->lo, part->lo, sizeof(to->lo));
        memcpy(to->hi, part->hi, sizeof(to->hi));
        to->is_read = 1;
        return;
    }
    for (uint32_t i = 0; i < type->rank; i++) {
        to->lo[i] = part->lo[i] < to->lo[i] ? part->lo[i] : to->lo[i];
        to->hi[i] = part->hi[i] > to->hi[i] ? part->hi[i] : to->hi[i];
    }
}

static void read_whole(struct tracer *t, const struct tf_node *node)
{
    for (uint32_t i = 0; i < leaf_count(node->type); i++) {
        struct part part = whole_of(leaf_type(t, node, i));
        read_part(t, node, i, &part);
    }
}

static void read_sources(struct tracer *t, const struct tf_node *node)
{
    for (uint32_t i = 0; i < schedule_sources(node); i++)
        if (schedule_source(node, i))
            read_whole(t, schedule_source(node, i));
}

/* ---- through a call -----------------------------------------------------------------------------------------------*/

struct span {
    int64_t lo, hi; /* [lo, hi) */
};

static int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

/* Iterations that reach a part of a result, where one axis of the box moves along one of the result. */
static void narrow(const struct tf_boundary *out, const struct part *part, struct span *iterations)
{
    for (uint32_t i = 0; out->axes && i < out->rank; i++) {
        const struct tf_axis *axis = &out->axes[i];
        if (axis->kind != TF_AXIS_WALK || axis->iter[0] < 0 || axis->iter[1] >= 0 || axis->scale[0] < 1 || axis->moved)
            continue;
        struct span *span = &iterations[axis->iter[0]];
        int64_t lo = -floor_div(-(part->lo[i] - axis->offset), axis->scale[0]);
        int64_t hi = floor_div(part->hi[i] - 1 - axis->offset, axis->scale[0]) + 1;
        span->lo = lo > span->lo ? lo : span->lo;
        span->hi = hi < span->hi ? hi : span->hi;
    }
}

/* Coordinates that iterations reach on an axis of an operand. */
static struct span reached(const struct tf_axis *axis, const struct span *iterations, int64_t extent)
{
    struct span at = {axis->offset, axis->offset + 1};
    if (axis->kind != TF_AXIS_WALK || axis->moved)
        return (struct span){0, extent};
    for (int k = 0; k < 2; k++) {
        if (axis->iter[k] < 0)
            continue;
        int64_t first = axis->scale[k] * iterations[axis->iter[k]].lo;
        int64_t last = axis->scale[k] * (iterations[axis->iter[k]].hi - 1);
        at.lo += first < last ? first : last;
        at.hi += first < last ? last : first;
    }
    return (struct span){at.lo < 0 ? 0 : at.lo, at.hi > extent ? extent : at.hi};
}

static void read_operand(
    struct tracer *t, const struct tf_node *arg, const struct tf_boundary *in, const struct span *iterations)
{
    struct part part = {.is_read = 1};
    if (in->flow == TF_FLOW_NONE && !in->axes)
        return;
    if (!in->axes || arg->type->kind != TF_TYPE_TENSOR) {
        read_whole(t, arg);
        return;
    }
    for (uint32_t i = 0; i < in->rank; i++) {
        struct span span = reached(&in->axes[i], iterations, arg->type->shape[i]->value);
        part.lo[i] = span.lo;
        part.hi[i] = span.hi;
        if (span.lo >= span.hi)
            return; /* nothing of this operand comes here */
    }
    read_part(t, arg, 0, &part);
}

/* The same elements in another shape: of one element, one. */
static void read_relabelled(struct tracer *t, const struct tf_node *node, const struct part *part)
{
    const struct tf_type *to = node->type, *from = node->in[0]->type;
    struct part read = whole_of(from);
    uint64_t index = 0;
    int is_one = 1;
    for (uint32_t i = 0; i < to->rank; i++) {
        is_one &= part->hi[i] - part->lo[i] == 1;
        index = index * (uint64_t)to->shape[i]->value + (uint64_t)part->lo[i];
    }
    for (uint32_t i = from->rank; is_one && i-- > 0; index /= (uint64_t)from->shape[i]->value) {
        read.lo[i] = (int64_t)(index % (uint64_t)from->shape[i]->value);
        read.hi[i] = read.lo[i] + 1;
    }
    read_part(t, node->in[0], 0, &read);
}

static int relate(struct tracer *t, const struct tf_node *node, struct tf_relation *relation)
{
    struct tf_call call = call_whole(&t->ctx->arena, node);
    size_t mark = diag_mark(t->ctx);
    int rc = node->op->relate ? node->op->relate(t->ctx, &call, relation) : TF_E_UNSUPPORTED;
    diag_drop(t->ctx, mark);
    return rc == TF_OK && relation->n_in == node->n_in && relation->n_out == leaf_count(node->type) &&
           relation->n_iter <= RELATION_MAX_ITER && !(relation->flags & (TF_RELATION_EMPTY | TF_RELATION_INPLACE));
}

static void read_through(struct tracer *t, const struct tf_node *node, const struct tf_relation *relation,
    uint32_t leaf, const struct part *part)
{
    struct span iterations[RELATION_MAX_ITER];
    if (relation->flags & TF_RELATION_RELABEL && node->n_in == 1) {
        read_relabelled(t, node, part);
        return;
    }
    for (uint32_t k = 0; k < relation->n_iter; k++)
        iterations[k] = (struct span){0, relation->extent[k]->value};
    narrow(&relation->out[leaf], part, iterations);
    for (uint32_t i = 0; i < node->n_in; i++)
        read_operand(t, node->in[i], &relation->in[i], iterations);
}

/* The element alone that the explained one goes through. */
static struct part own_part(const struct part *part, const struct tf_type *type)
{
    struct part own = {.is_read = 1};
    uint64_t index = part->own;
    for (uint32_t i = type->rank; i-- > 0; index /= (uint64_t)type->shape[i]->value) {
        own.lo[i] = (int64_t)(index % (uint64_t)type->shape[i]->value);
        own.hi[i] = own.lo[i] + 1;
    }
    return own;
}

static void trace_node(struct tracer *t, const struct tf_node *node)
{
    struct tf_relation relation = {0};
    int is_known = node->kind == TF_NODE_CALL && !(node->op->flags & TF_OP_ITEM) && relate(t, node, &relation);
    if (!is_known)
        read_sources(t, node);
    for (uint32_t leaf = 0; is_known && leaf < leaf_count(node->type); leaf++) {
        const struct part *part = &t->parts[node->id][leaf];
        if (!part->is_read)
            continue;
        if (part->has_own) {
            struct part own = own_part(part, leaf_type(t, node, leaf));
            read_through(t, node, &relation, leaf, &own);
        }
        read_through(t, node, &relation, leaf, part);
    }
    relation_done(t->ctx);
}

/* Inside of a loop everything counts: an element of one trip may come from any of the one before. */
static void trace_loop(struct tracer *t, const struct tf_node *loop)
{
    for (uint32_t b = 0; b < t->plan.n_blocks; b++) {
        uint32_t at = b;
        while (at != SCHEDULE_FUNCTION && t->plan.blocks[at].loop != loop)
            at = t->plan.blocks[at].outer;
        for (size_t i = 0; at != SCHEDULE_FUNCTION && i < t->plan.blocks[b].nodes.n; i++) {
            read_whole(t, t->plan.blocks[b].nodes.at[i]);
            read_sources(t, t->plan.blocks[b].nodes.at[i]);
        }
    }
    read_sources(t, loop);
}

static void trace(struct tracer *t, uint32_t leaf, uint64_t index)
{
    const struct tf_node *body = t->function->body;
    struct part part = own_part(&(struct part){.own = index}, leaf_type(t, body, leaf));
    read_part(t, body, leaf, &part);
    const struct schedule_block *block = &t->plan.blocks[SCHEDULE_FUNCTION];
    for (size_t i = block->nodes.n; i-- > 0;) {
        const struct tf_node *node = block->nodes.at[i];
        if (!t->parts[node->id] || is_naming(node))
            continue;
        if (node->kind == TF_NODE_LOOP)
            trace_loop(t, node);
        else
            trace_node(t, node);
    }
}

/* ---- what each operator added -------------------------------------------------------------------------------------*/

static double width_at(const struct tf_tensor *t, uint64_t i)
{
    double width = t->bound[i] - ((const double *)t->data)[i];
    return width > 0 ? width : 0; /* what must be NaN has none */
}

/* The first of the widest elements in a part. */
static uint64_t widest(const struct tf_tensor *t, const struct part *part, uint64_t *elements)
{
    int64_t at[TF_MAX_RANK];
    uint64_t best = 0, n = 0;
    double width = -1;
    memcpy(at, part->lo, sizeof(at));
    for (int more = 1; more; n++) {
        uint64_t index = 0;
        for (uint32_t i = 0; i < t->rank; i++)
            index = index * (uint64_t)t->extents[i] + (uint64_t)at[i];
        if (width_at(t, index) > width)
            width = width_at(t, index), best = index;
        uint32_t axis = t->rank;
        while (axis-- > 0 && ++at[axis] == part->hi[axis])
            at[axis] = part->lo[axis];
        more = axis != UINT32_MAX;
    }
    *elements = n;
    return best;
}

/* The same call without any freedom: as if it were computed in f64 and rounded as the program says. */
static double width_without(struct tracer *t, const struct tf_eval *eval, uint32_t leaf, uint64_t index)
{
    struct tf_declared none = {.struct_size = sizeof(none), .accumulator = "f64"};
    struct tensor **results = CTX_ARRAY(t->ctx, struct tensor *, eval->n_results);
    struct tf_eval once = *eval;
    size_t mark = diag_mark(t->ctx);
    int rc = TF_OK;
    for (uint32_t i = 0; i < TF_APPROX_COUNT; i++)
        none.ulp[i] = 0.5;
    for (uint32_t i = 0; i < eval->n_results; i++)
        if (!(results[i] = tensor_enclosure(t->ctx, t->memory, leaf_type(t, eval->call->node, i), 0)))
            rc = TF_E_NOMEM;
    once.results = (struct tf_tensor *const *)results;
    once.declared = &none;
    once.accumulator = none.accumulator;
    once.walks = NULL;
    if (rc == TF_OK)
        rc = bound_call(t->ctx, t->memory, &once);
    diag_drop(t->ctx, mark);
    double width = rc == TF_OK ? width_at(&results[leaf]->pub, index) : (double)NAN;
    for (uint32_t i = 0; i < eval->n_results; i++)
        tensor_release(results[i]);
    return width;
}

static void keep(struct tracer *t, const struct explained_step *found)
{
    size_t *at = &t->step_of[found->node->id];
    if (!*at) {
        VEC_PUSH(&t->explanation->steps, *found);
        *at = t->explanation->steps.n;
        return;
    }
    struct explained_step *kept = &t->explanation->steps.at[*at - 1];
    uint64_t trips = kept->trips + 1;
    if (found->hi - found->lo > kept->hi - kept->lo)
        *kept = *found;
    kept->trips = trips;
}

static void look_at(struct tracer *t, const struct tf_eval *eval, struct explained_step *found)
{
    const struct tf_tensor *result = eval->results[found->leaf];
    found->lo = ((const double *)result->data)[found->index];
    found->hi = result->bound[found->index];
    found->doubt = result->doubt[found->index];
    if (found->lo == found->hi && !found->doubt)
        return;
    double without = width_without(t, eval, found->leaf, found->index), width = width_at(result, found->index);
    found->added = width - without > 0 || isnan(without) ? width - without : 0;
}

static int is_single(const struct explained_step *found)
{
    return found->lo == found->hi && !found->doubt;
}

/* The element's own value, and the widest of what else it rests on. */
static void watch(void *data, const struct tf_node *node, const struct tf_eval *eval)
{
    struct tracer *t = data;
    for (uint32_t leaf = 0; t->parts[node->id] && leaf < eval->n_results; leaf++) {
        const struct part *part = &t->parts[node->id][leaf];
        if (!part->is_read)
            continue;
        struct explained_step found = {.node = node, .leaf = leaf, .trips = 1}, own = found;
        found.index = widest(eval->results[leaf], part, &found.elements);
        own.index = part->own;
        own.elements = 1;
        look_at(t, eval, &found);
        if (is_single(&found)) {
            t->explanation->single += !t->step_of[node->id];
            continue;
        }
        if (part->has_own && found.index != own.index)
            look_at(t, eval, &own);
        if (part->has_own && found.index != own.index && !is_single(&own))
            VEC_PUSH(&t->explanation->steps, own);
        keep(t, &found);
    }
}

int explain_element(tf_ctx *ctx, const struct tf_function *function, struct tensor *const *params,
    struct tensor_memory *memory, const struct bound_request *request, uint32_t leaf, uint64_t index,
    struct explanation *explanation)
{
    struct tracer t = {.ctx = ctx, .memory = memory, .function = function, .explanation = explanation};
    struct bound_request watched = *request;
    struct eval_result result = {0};
    t.parts = CTX_ARRAY(ctx, struct part *, function->n_nodes + 1);
    t.step_of = CTX_ARRAY(ctx, size_t, function->n_nodes + 1);
    *explanation = (struct explanation){0};
    schedule_make(&t.plan, function);
    trace(&t, leaf, index);
    schedule_free(&t.plan);
    watched.watch = watch;
    watched.watched = &t;
    watched.walks = NULL;
    int rc = eval_bound(ctx, function, params, memory, &watched, &result);
    eval_result_free(&result);
    return rc;
}

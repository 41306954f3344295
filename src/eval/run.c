/* SPDX-License-Identifier: MIT */
#include "eval/run.h"

#include "eval/bound.h"
#include "eval/origin.h"
#include "eval/points.h"
#include "eval/row_blocks.h"
#include "eval/schedule.h"
#include "plugin/numbers.h"
#include "plugin/registry.h"
#include "util/diag.h"
#include "util/progress.h"

#include <inttypes.h>
#include <string.h>

/* What a node came to: its leaves, each held once. */
struct value {
    uint32_t n;
    struct tensor *one, **many; /* many where n is not 1 */
};

struct runner {
    tf_ctx *ctx;
    struct tensor_memory *memory;
    const struct tf_function *function;
    struct tensor *const *params;
    struct schedule plan;
    struct value *values; /* by node id */
    struct arena scratch; /* of one call */
    uint32_t fp8_overflow, mode;
    const struct bound_request *request; /* BOUND */
    struct tensor **judged;              /* BOUND: by leaf of the result, what was found of it before it was replaced */
    struct rows_plan rows;               /* n_rows 0: everything is computed as a whole */
    struct tensor **whole;               /* by leaf of rows: what blocks read of what was computed before them */
};

/* ---- values -------------------------------------------------------------------------------------------------------*/

static struct tensor **leaves(struct value *value)
{
    return value->n == 1 ? &value->one : value->many;
}

static void value_drop(struct value *value)
{
    for (uint32_t i = 0; i < value->n; i++)
        tensor_release(leaves(value)[i]);
    free(value->many);
    *value = (struct value){0};
}

/* Room for n leaves, all NULL. */
static struct tensor **value_room(struct value *value, uint32_t n)
{
    value_drop(value);
    value->n = n;
    if (n != 1) {
        value->many = xrealloc(NULL, (n ? n : 1) * sizeof(*value->many));
        memset(value->many, 0, n * sizeof(*value->many));
    }
    return leaves(value);
}

static void value_share(struct value *value, struct value *from, uint32_t first, uint32_t n)
{
    struct tensor **to = value_room(value, n);
    for (uint32_t i = 0; i < n; i++)
        to[i] = tensor_hold(leaves(from)[first + i]);
}

static struct value *value_of(struct runner *r, const struct tf_node *node)
{
    return &r->values[node->id];
}

static void copy_node(struct runner *r, const struct tf_node *node, const struct tf_node *from)
{
    value_share(value_of(r, node), value_of(r, from), 0, value_of(r, from)->n);
}

static int make_tuple(struct runner *r, const struct tf_node *node)
{
    struct tensor **to = value_room(value_of(r, node), leaf_count(node->type));
    for (uint32_t i = 0; i < node->n_in; i++)
        for (uint32_t k = 0; k < value_of(r, node->in[i])->n; k++)
            *to++ = tensor_hold(leaves(value_of(r, node->in[i]))[k]);
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

/* ---- numbers written in the program -------------------------------------------------------------------------------*/

static int fits(uint32_t dtype, int64_t number)
{
    const struct tf_dtype_info *info = dtype_info(dtype);
    if (info->cls == TF_CLASS_FLOAT || info->bits == 64)
        return 1;
    if (info->cls == TF_CLASS_INT)
        return number >= -(INT64_C(1) << (info->bits - 1)) && number < INT64_C(1) << (info->bits - 1);
    return number >= 0 && number < INT64_C(1) << info->bits;
}

static uint32_t held_dtype(const struct runner *r, const struct tf_type *type)
{
    int is_float = dtype_info(type->dtype)->cls == TF_CLASS_FLOAT;
    return r->mode == TF_EVAL_EXACT && is_float ? TF_DTYPE_F64 : type->dtype;
}

static struct tensor *new_tensor(struct runner *r, const struct tf_type *type)
{
    if (r->mode == TF_EVAL_BOUND)
        return tensor_enclosure(r->ctx, r->memory, type, r->request->declared->fma && type->dtype == TF_DTYPE_F32);
    return tensor_held_as(r->ctx, r->memory, type, held_dtype(r, type));
}

/* A single number, in memory as its dtype has it. */
static int set_element(struct runner *r, const struct tf_node *node, const void *element)
{
    struct tensor **to = value_room(value_of(r, node), 1);
    *to = new_tensor(r, node->type);
    if (!*to)
        return TF_E_NOMEM;
    if (r->mode == TF_EVAL_BOUND)
        points_set(&(*to)->pub, 1, element);
    else
        memcpy((*to)->pub.data, element, number_bytes(held_dtype(r, node->type)));
    return TF_OK;
}

static int set_number(struct runner *r, const struct tf_node *node, int64_t number)
{
    char element[8];
    number_store_i64(held_dtype(r, node->type), 1, &number, element, r->fp8_overflow);
    return set_element(r, node, element);
}

static int make_const(struct runner *r, const struct tf_node *node)
{
    const struct tf_val *val = node->val;
    char element[8];
    if (val->kind == TF_VAL_FLOAT) {
        number_store_f64(held_dtype(r, node->type), 1, &val->u.f, element, r->fp8_overflow);
        return set_element(r, node, element);
    }
    if (fits(node->type->dtype, val->u.i))
        return set_number(r, node, val->u.i);
    ERROR(r->ctx, &node->loc, "constant-range", "%" PRId64 " is no %s", val->u.i, dtype_info(node->type->dtype)->name);
    return TF_E_REFUSED;
}

/* ---- operators ----------------------------------------------------------------------------------------------------*/

static void gather_args(struct runner *r, const struct tf_node *node, struct tf_eval *eval)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < node->n_in; i++)
        n += value_of(r, node->in[i])->n;
    const struct tf_tensor **args = ARENA_ARRAY(&r->scratch, const struct tf_tensor *, n);
    eval->args = args;
    eval->n_args = n;
    for (uint32_t i = 0; i < node->n_in; i++)
        for (uint32_t k = 0; k < value_of(r, node->in[i])->n; k++)
            *args++ = &leaves(value_of(r, node->in[i]))[k]->pub;
}

static const struct tf_call *call_of(struct runner *r, const struct tf_node *node)
{
    struct tf_call *call = ARENA_NEW(&r->scratch, struct tf_call);
    const struct tf_type **types = ARENA_ARRAY(&r->scratch, const struct tf_type *, node->n_in);
    for (uint32_t i = 0; i < node->n_in; i++)
        types[i] = node->in[i]->type;
    *call = (struct tf_call){
        .struct_size = sizeof(*call),
        .node = node,
        .op = node->op,
        .n_args = node->n_in,
        .n_attrs = node->n_attrs,
        .args = node->in,
        .arg_types = types,
        .attrs = node->attrs,
        .type = node->type,
        .scope = node->scope,
        .loc = node->loc,
        .name = node->name,
    };
    return call;
}

static int make_leaves(struct runner *r, const struct tf_type *type, struct tensor ***to)
{
    if (type->kind == TF_TYPE_TENSOR)
        return (*(*to)++ = new_tensor(r, type)) ? TF_OK : TF_E_NOMEM;
    int rc = TF_OK;
    for (uint32_t i = 0; i < type->rank && rc == TF_OK; i++)
        rc = make_leaves(r, type->fields[i], to);
    return rc;
}

static int make_results(struct runner *r, const struct tf_node *node, struct tf_eval *eval)
{
    struct value *value = value_of(r, node);
    struct tensor **to = value_room(value, leaf_count(node->type));
    int rc = make_leaves(r, node->type, &to);
    struct tf_tensor **results = ARENA_ARRAY(&r->scratch, struct tf_tensor *, value->n);
    for (uint32_t i = 0; rc == TF_OK && i < value->n; i++)
        results[i] = &leaves(value)[i]->pub;
    eval->results = results;
    eval->n_results = value->n;
    return rc;
}

/* A callback that refuses explains itself; one that does not is named here. */
void eval_explain(tf_ctx *ctx, const struct tf_node *node, const char *plugin, uint32_t mode, int rc)
{
    int unsupported = rc == TF_E_UNSUPPORTED, no_memory = rc == TF_E_NOMEM;
    ERROR(ctx, &node->loc,
        unsupported ? "no-evaluation"
        : no_memory ? "tensor-size"
                    : "plugin-fault",
        "%s cannot be evaluated here: %s (plugin %s)", node->op->name,
        unsupported && mode == TF_EVAL_BOUND ? "its plugin states no bound of its error"
        : unsupported                        ? "its plugin does not compute it for these operands"
        : no_memory                          ? "no memory was left"
                                             : "it gave no reason",
        plugin ? plugin : "unknown");
}

void bound_eval_init(struct tf_eval *eval, const struct bound_request *request, const struct tf_function *function,
    const struct tf_node *node)
{
    eval->declared = request->declared;
    eval->accumulator = request->declared->accumulator;
    eval->outputs = outputs_of(function, node);
    eval->walks = request->walks;
}

static int call_operator(struct runner *r, const struct tf_node *node)
{
    struct tf_eval eval = {.struct_size = sizeof(eval), .mode = r->mode, .fp8_overflow = r->fp8_overflow};
    if (r->request)
        bound_eval_init(&eval, r->request, r->function, node);
    const struct plugin *owner = registry_owner(r->ctx, node->op);
    const char *plugin = owner ? owner->descriptor.name : NULL;
    if (!node->op->eval)
        return eval_explain(r->ctx, node, plugin, r->mode, TF_E_UNSUPPORTED), TF_E_UNSUPPORTED;
    r->ctx->at = &node->loc;
    eval.call = call_of(r, node);
    gather_args(r, node, &eval);
    int rc = make_results(r, node, &eval);
    size_t before = diag_errors(r->ctx);
    if (rc == TF_OK) {
        r->ctx->plugin = plugin;
        rc = r->mode == TF_EVAL_BOUND ? bound_call(r->ctx, r->memory, &eval) : node->op->eval(r->ctx, &eval);
        r->ctx->plugin = NULL;
        if (rc && diag_errors(r->ctx) == before)
            eval_explain(r->ctx, node, plugin, r->mode, rc);
    }
    if (rc == TF_OK && r->request && r->request->watch)
        r->request->watch(r->request->watched, node, &eval);
    r->ctx->at = NULL;
    arena_reset(&r->scratch);
    return rc || diag_errors(r->ctx) != before ? TF_E_REFUSED : TF_OK;
}

/* ---- loops --------------------------------------------------------------------------------------------------------*/

static int run_block(struct runner *r, uint32_t block);

/* 0 where it is one number. */
static int loop_bound(struct runner *r, const struct tf_node *loop, uint32_t which, int64_t *number)
{
    const struct tf_loop *l = loop->loop;
    const struct tf_dim *dims[] = {l->start, l->extent, l->step};
    const struct tf_node *value = l->bound_value[which];
    if (!value) {
        *number = dims[which]->value;
        return TF_OK;
    }
    const struct tensor *tensor = value_of(r, value)->one;
    if (r->mode == TF_EVAL_BOUND && *(const double *)tensor->pub.data != *tensor->pub.bound) {
        ERROR(r->ctx, &loop->loc, "bound-open", "a legal implementation may take more than one count of trips here");
        return TF_E_REFUSED;
    }
    number_load_i64(r->mode == TF_EVAL_BOUND ? TF_DTYPE_F64 : tensor->pub.dtype, 1, tensor->pub.data, number);
    return TF_OK;
}

/* What a trip leaves: the values of the next trip's carries, or, of a loop that carries nothing, its value. */
static void keep_trip(struct runner *r, const struct tf_node *loop, struct value *kept, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        struct value *from = value_of(r, loop->loop->n_carries ? loop->loop->yields[i] : loop->loop->body);
        value_share(&kept[i], from, 0, from->n);
    }
}

static void drop_block(struct runner *r, uint32_t block)
{
    const struct schedule_block *b = &r->plan.blocks[block];
    for (size_t i = 0; i < b->nodes.n; i++)
        value_drop(value_of(r, b->nodes.at[i]));
}

static int run_trip(struct runner *r, const struct tf_node *loop, int64_t at, struct value *kept, uint32_t n)
{
    uint32_t block = r->plan.block_of[loop->id];
    for (uint32_t i = 0; i < loop->loop->n_carries; i++)
        value_share(value_of(r, loop->loop->carries[i]), &kept[i], 0, kept[i].n);
    for (uint32_t i = 0; i < n; i++)
        value_drop(&kept[i]);
    int rc = set_number(r, loop->loop->var, at);
    if (rc == TF_OK)
        rc = run_block(r, block);
    if (rc == TF_OK)
        keep_trip(r, loop, kept, n);
    drop_block(r, block);
    value_drop(value_of(r, loop->loop->var));
    for (uint32_t i = 0; i < loop->loop->n_carries; i++)
        value_drop(value_of(r, loop->loop->carries[i]));
    return rc;
}

static int run_trips(struct runner *r, const struct tf_node *loop, struct value *kept, uint32_t n)
{
    int64_t start, extent, step;
    if (loop_bound(r, loop, 0, &start) || loop_bound(r, loop, 1, &extent) || loop_bound(r, loop, 2, &step))
        return TF_E_REFUSED;
    if (step <= 0) {
        ERROR(r->ctx, &loop->loc, "loop-step", "the step of this loop is %" PRId64 "; it has to be positive", step);
        return TF_E_REFUSED;
    }
    if (start >= extent && !loop->loop->n_carries) {
        ERROR(r->ctx, &loop->loc, "no-trips", "this loop carries nothing and has no trips, so that it has no value");
        return TF_E_REFUSED;
    }
    int rc = TF_OK;
    for (int64_t at = start; rc == TF_OK && at < extent;) {
        rc = run_trip(r, loop, at, kept, n);
        if (__builtin_add_overflow(at, step, &at))
            break;
    }
    return rc;
}

static int run_loop(struct runner *r, const struct tf_node *loop)
{
    uint32_t n = loop->loop->n_carries ? loop->loop->n_carries : 1;
    struct value *kept = xrealloc(NULL, n * sizeof(*kept));
    memset(kept, 0, n * sizeof(*kept));
    for (uint32_t i = 0; i < loop->loop->n_carries; i++)
        value_share(&kept[i], value_of(r, loop->in[i]), 0, value_of(r, loop->in[i])->n);
    int rc = run_trips(r, loop, kept, n);
    if (rc == TF_OK) {
        struct tensor **to = value_room(value_of(r, loop), leaf_count(loop->type));
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t k = 0; k < kept[i].n; k++)
                *to++ = tensor_hold(leaves(&kept[i])[k]);
    }
    for (uint32_t i = 0; i < n; i++)
        value_drop(&kept[i]);
    free(kept);
    return rc;
}

/* ---- the function -------------------------------------------------------------------------------------------------*/

/* A parameter's tensor, or in EXACT and BOUND mode its elements in f64. */
static struct tensor *param_value(struct runner *r, uint32_t i)
{
    const struct tf_type *type = r->function->params[i]->type;
    uint32_t held = held_dtype(r, type);
    if (r->mode == TF_EVAL_BOUND) {
        struct tensor *points = new_tensor(r, type);
        if (points)
            points_set(&points->pub, points->count, r->params[i]->pub.data);
        return points;
    }
    if (held == type->dtype)
        return tensor_hold(r->params[i]);
    struct tensor *wide = new_tensor(r, type);
    if (wide)
        number_load_f64(type->dtype, wide->count, r->params[i]->pub.data, wide->pub.data);
    return wide;
}

/* Blocks load what they read of a parameter themselves: it is wanted whole where something else reads it, too. */
static int take_params(struct runner *r)
{
    for (uint32_t i = 0; i < r->function->n_params; i++) {
        if (r->rows.n_rows && r->mode != TF_EVAL_DECLARED && !r->rows.is_whole[r->function->params[i]->id])
            continue;
        struct tensor **to = value_room(value_of(r, r->function->params[i]), 1);
        *to = param_value(r, i);
        if (!*to)
            return TF_E_NOMEM;
    }
    return TF_OK;
}

static int run_node(struct runner *r, const struct tf_node *node)
{
    switch (node->kind) {
    case TF_NODE_CONST: return make_const(r, node);
    case TF_NODE_CALL: return node->op->flags & TF_OP_ITEM ? take_item(r, node) : call_operator(r, node);
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
        struct tensor **at = &leaves(value_of(r, node))[leaf];
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

/* What blocks are going to read of this node. */
static void keep_whole(struct runner *r, const struct tf_node *node)
{
    for (uint32_t i = r->rows.first_leaf[node->id]; i != ROWS_NONE; i = r->rows.leaves.at[i].next)
        if (!r->rows.leaves.at[i].is_step && !r->whole[i])
            r->whole[i] = tensor_hold(leaves(value_of(r, node))[r->rows.leaves.at[i].leaf]);
}

static int run_block(struct runner *r, uint32_t block)
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

static void keep_result(struct runner *r, struct eval_result *result)
{
    struct value *body = value_of(r, r->function->body);
    result->n = body->n;
    result->leaves = xrealloc(NULL, (body->n ? body->n : 1) * sizeof(*result->leaves));
    for (uint32_t i = 0; i < body->n; i++)
        result->leaves[i] = tensor_hold(r->judged && r->judged[i] ? r->judged[i] : leaves(body)[i]);
}

/* What was held in f64 says so from now on. */
static void name_held_dtypes(const struct runner *r, struct eval_result *result)
{
    for (uint32_t i = 0; r->mode == TF_EVAL_EXACT && i < result->n; i++)
        if (dtype_info(result->leaves[i]->pub.dtype)->cls == TF_CLASS_FLOAT)
            result->leaves[i]->pub.dtype = TF_DTYPE_F64;
}

/* ---- the end of it in blocks of rows ------------------------------------------------------------------------------*/

/* Bytes of a block: of what stays in the cache, and of what is handed on. */
#define CACHED ((uint64_t)1 << 20)
#define HANDED_ON ((uint64_t)1 << 26)
#define LEAST_RESULT ((uint64_t)1 << 21) /* bytes, below which a value may as well be whole */

/* Parameters as they are given: blocks look at their rows. */
static void keep_params(struct runner *r)
{
    for (uint32_t p = 0; p < r->function->n_params; p++) {
        uint32_t i = r->rows.first_leaf[r->function->params[p]->id];
        for (; i != ROWS_NONE; i = r->rows.leaves.at[i].next)
            if (!r->whole[i])
                r->whole[i] = r->rows.leaves.at[i].is_sliced ? tensor_hold(r->params[p])
                                                             : tensor_hold(value_of(r, r->function->params[p])->one);
    }
}

static int run_before(struct runner *r)
{
    r->whole = xrealloc(NULL, (r->rows.leaves.n + 1) * sizeof(*r->whole));
    memset(r->whole, 0, (r->rows.leaves.n + 1) * sizeof(*r->whole));
    int rc = take_params(r);
    if (rc == TF_OK)
        keep_params(r);
    return rc ? rc : run_block(r, SCHEDULE_FUNCTION);
}

/* The result, whose rows are still to be computed. */
static int make_result(struct runner *r, struct eval_result *result)
{
    uint32_t n = r->rows.n_outputs;
    result->leaves = xrealloc(NULL, (n ? n : 1) * sizeof(*result->leaves));
    for (result->n = 0; result->n < n; result->n++) {
        uint32_t i = result->n, at = r->rows.outputs[i];
        const struct rows_leaf *leaf = &r->rows.leaves.at[at];
        struct tensor *tensor = !leaf->is_step      ? tensor_hold(r->whole[at])
                                : leaf->output != i ? tensor_hold(result->leaves[leaf->output])
                                                    : new_tensor(r, leaf->type);
        if (!tensor)
            return TF_E_NOMEM;
        result->leaves[i] = tensor;
    }
    return TF_OK;
}

static struct row_blocks blocks_of(struct runner *r)
{
    return (struct row_blocks){.ctx = r->ctx,
        .function = r->function,
        .plan = &r->rows,
        .request = r->request,
        .memory = r->memory,
        .mode = r->mode,
        .fp8_overflow = r->fp8_overflow,
        .whole = r->whole};
}

/* *failed: some block could not be computed, and did not say why. */
static int run_by_rows(struct runner *r, uint64_t rows, struct eval_result *result, int *failed)
{
    int rc = run_before(r);
    if (rc == TF_OK)
        rc = make_result(r, result);
    if (rc)
        return rc;
    struct row_blocks blocks = blocks_of(r);
    blocks.to = result->leaves;
    row_blocks_begin(&blocks, CACHED, rows);
    rc = row_blocks_fill(&blocks);
    row_blocks_end(&blocks);
    *failed = rc != TF_OK;
    return rc;
}

static int run_whole(struct runner *r, struct eval_result *result)
{
    int rc = take_params(r);
    if (rc == TF_OK)
        rc = run_block(r, SCHEDULE_FUNCTION);
    if (rc == TF_OK)
        keep_result(r, result);
    return rc;
}

static void drop_values(struct runner *r)
{
    for (uint32_t id = 0; id < r->function->n_nodes; id++)
        value_drop(&r->values[id]);
    for (size_t i = 0; r->whole && i < r->rows.leaves.n; i++)
        tensor_release(r->whole[i]);
    free(r->whole);
    r->whole = NULL;
    rows_plan_free(&r->rows);
}

/* Which element it was, a block cannot say: what fails in one is done again as a whole. */
static int run_either(struct runner *r, uint64_t rows, struct eval_result *result)
{
    int failed = 0;
    if (!r->rows.n_rows)
        return run_whole(r, result);
    int rc = run_by_rows(r, rows, result, &failed);
    if (rc)
        eval_result_free(result);
    if (!failed)
        return rc;
    drop_values(r);
    return run_whole(r, result);
}

static void begin(struct runner *r)
{
    size_t size = ((size_t)r->function->n_nodes + 1) * sizeof(*r->values);
    arena_init(&r->scratch);
    r->values = xrealloc(NULL, size);
    memset(r->values, 0, size);
    schedule_make(&r->plan, r->function);
}

static void finish(struct runner *r)
{
    drop_values(r);
    schedule_free(&r->plan);
    free(r->values);
    arena_finish(&r->scratch);
}

static uint64_t result_bytes(const struct tf_function *function)
{
    uint32_t n = leaf_count(function->body->type);
    const struct tf_type **types = xrealloc(NULL, (n ? n : 1) * sizeof(*types));
    uint64_t bytes = 0, elements;
    type_leaves(function->body->type, types, n);
    for (uint32_t i = 0; i < n; i++)
        if (!type_elements(types[i], &elements))
            bytes += elements * number_bytes(types[i]->dtype);
    free(types);
    return bytes;
}

#define BY_SIZE UINT64_MAX /* rows: as many as suit, where there is much to compute; 0: none */

static int run(struct runner *r, uint64_t rows, struct eval_result *result)
{
    *result = (struct eval_result){0};
    begin(r);
    if (rows == BY_SIZE ? result_bytes(r->function) >= LEAST_RESULT : rows)
        rows_plan_make(r->ctx, &r->rows, r->function, &r->plan);
    int rc = run_either(r, rows == BY_SIZE ? 0 : rows, result);
    finish(r);
    name_held_dtypes(r, result);
    return rc;
}

int eval_function(tf_ctx *ctx, const struct tf_function *function, struct tensor *const *params,
    struct tensor_memory *memory, uint32_t fp8_overflow, struct eval_result *result)
{
    struct runner r = {.ctx = ctx,
        .memory = memory,
        .function = function,
        .params = params,
        .fp8_overflow = fp8_overflow,
        .mode = TF_EVAL_DECLARED};
    return run(&r, BY_SIZE, result);
}

int eval_function_by(tf_ctx *ctx, const struct tf_function *function, struct tensor *const *params,
    struct tensor_memory *memory, uint32_t fp8_overflow, uint64_t rows, struct eval_result *result)
{
    struct runner r = {.ctx = ctx,
        .memory = memory,
        .function = function,
        .params = params,
        .fp8_overflow = fp8_overflow,
        .mode = TF_EVAL_DECLARED};
    return run(&r, rows, result);
}

int eval_exact(tf_ctx *ctx, const struct tf_function *function, struct tensor *const *params,
    struct tensor_memory *memory, struct eval_result *result)
{
    struct runner r = {.ctx = ctx, .memory = memory, .function = function, .params = params, .mode = TF_EVAL_EXACT};
    return run(&r, 0, result);
}

/* Every leaf of the result is a step's, and nothing is lost where rows of a value are looked at. */
static int suits(const struct runner *r)
{
    for (uint32_t i = 0; i < r->rows.n_outputs; i++)
        if (!r->rows.leaves.at[r->rows.outputs[i]].is_step)
            return 0;
    for (size_t i = 0; r->whole && i < r->rows.leaves.n; i++)
        if (r->whole[i] && r->rows.leaves.at[i].is_sliced && r->whole[i]->pub.raw &&
            r->whole[i]->pub.raw[0] == r->whole[i]->pub.raw[0])
            return 0;
    return r->rows.n_rows != 0;
}

int eval_rows(tf_ctx *ctx, const struct tf_function *function, struct tensor *const *params,
    struct tensor_memory *memory, uint32_t mode, const struct bound_request *request, uint64_t rows, eval_rows_fn *fn,
    void *data)
{
    struct runner r = {
        .ctx = ctx, .memory = memory, .function = function, .params = params, .mode = mode, .request = request};
    r.fp8_overflow = request ? request->fp8_overflow : 0;
    begin(&r);
    rows_plan_make(ctx, &r.rows, function, &r.plan);
    int rc = suits(&r) ? run_before(&r) : TF_E_UNSUPPORTED;
    if (rc == TF_OK && !suits(&r))
        rc = TF_E_UNSUPPORTED;
    if (rc == TF_OK) {
        struct row_blocks blocks = blocks_of(&r);
        row_blocks_begin(&blocks, HANDED_ON, rows);
        rc = row_blocks_each(&blocks, fn, data);
        row_blocks_end(&blocks);
    }
    finish(&r);
    return rc;
}

struct tf_declared declared_default(void)
{
    struct tf_declared declared = {.struct_size = sizeof(declared), .accumulator = "f32", .fma = 1};
    for (uint32_t i = 0; i < TF_APPROX_COUNT; i++)
        declared.ulp[i] = 3;
    declared.ulp[TF_APPROX_DIV] = 2.5; /* div.full of NVIDIA comes to 2.11 */
    declared.ulp[TF_APPROX_SQRT] = 1;
    return declared;
}

int eval_bound(tf_ctx *ctx, const struct tf_function *function, struct tensor *const *params,
    struct tensor_memory *memory, const struct bound_request *request, struct eval_result *result)
{
    struct runner r = {.ctx = ctx,
        .memory = memory,
        .function = function,
        .params = params,
        .fp8_overflow = request->fp8_overflow,
        .mode = TF_EVAL_BOUND,
        .request = request};
    uint32_t n = leaf_count(function->body->type);
    r.judged = xrealloc(NULL, (n ? n : 1) * sizeof(*r.judged));
    memset(r.judged, 0, (n ? n : 1) * sizeof(*r.judged));
    int rc = run(&r, 0, result);
    for (uint32_t i = 0; i < n; i++)
        tensor_release(r.judged[i]);
    free(r.judged);
    return rc;
}

void eval_result_free(struct eval_result *result)
{
    for (uint32_t i = 0; i < result->n; i++)
        tensor_release(result->leaves[i]);
    free(result->leaves);
    *result = (struct eval_result){0};
}

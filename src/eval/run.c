/* SPDX-License-Identifier: MIT */
#include "eval/run.h"

#include "eval/schedule.h"
#include "plugin/numbers.h"
#include "plugin/registry.h"
#include "util/diag.h"

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
};

/* ---- values -------------------------------------------------------------------------------------------------------*/

static uint32_t leaf_count(const struct tf_type *type)
{
    return (uint32_t)type_leaves(type, NULL, 0);
}

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
    return tensor_held_as(r->ctx, r->memory, type, held_dtype(r, type));
}

static int set_number(struct runner *r, const struct tf_node *node, int64_t number)
{
    struct tensor **to = value_room(value_of(r, node), 1);
    *to = new_tensor(r, node->type);
    if (!*to)
        return TF_E_NOMEM;
    number_store_i64(held_dtype(r, node->type), 1, &number, (*to)->pub.data, r->fp8_overflow);
    return TF_OK;
}

static int make_const(struct runner *r, const struct tf_node *node)
{
    const struct tf_val *val = node->val;
    if (val->kind == TF_VAL_FLOAT) {
        int rc = set_number(r, node, 0);
        if (rc == TF_OK)
            number_store_f64(
                held_dtype(r, node->type), 1, &val->u.f, value_of(r, node)->one->pub.data, r->fp8_overflow);
        return rc;
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
static int explain(struct runner *r, const struct tf_node *node, const char *plugin, int rc)
{
    int unsupported = rc == TF_E_UNSUPPORTED, no_memory = rc == TF_E_NOMEM;
    ERROR(r->ctx, &node->loc,
        unsupported ? "no-evaluation"
        : no_memory ? "tensor-size"
                    : "plugin-fault",
        "%s cannot be evaluated here: %s (plugin %s)", node->op->name,
        unsupported ? "its plugin does not compute it for these operands"
        : no_memory ? "no memory was left"
                    : "it gave no reason",
        plugin ? plugin : "unknown");
    return rc;
}

static int call_operator(struct runner *r, const struct tf_node *node)
{
    struct tf_eval eval = {.struct_size = sizeof(eval), .mode = r->mode, .fp8_overflow = r->fp8_overflow};
    const struct plugin *owner = registry_owner(r->ctx, node->op);
    const char *plugin = owner ? owner->descriptor.name : NULL;
    if (!node->op->eval)
        return explain(r, node, plugin, TF_E_UNSUPPORTED);
    r->ctx->at = &node->loc;
    eval.call = call_of(r, node);
    gather_args(r, node, &eval);
    int rc = make_results(r, node, &eval);
    size_t before = diag_errors(r->ctx);
    if (rc == TF_OK) {
        r->ctx->plugin = plugin;
        rc = node->op->eval(r->ctx, &eval);
        r->ctx->plugin = NULL;
        if (rc && diag_errors(r->ctx) == before)
            explain(r, node, plugin, rc);
    }
    r->ctx->at = NULL;
    arena_reset(&r->scratch);
    return rc || diag_errors(r->ctx) != before ? TF_E_REFUSED : TF_OK;
}

/* ---- loops --------------------------------------------------------------------------------------------------------*/

static int run_block(struct runner *r, uint32_t block);

static int64_t loop_bound(struct runner *r, const struct tf_node *loop, uint32_t which)
{
    const struct tf_loop *l = loop->loop;
    const struct tf_dim *dims[] = {l->start, l->extent, l->step};
    const struct tf_node *value = l->bound_value[which];
    if (!value)
        return dims[which]->value;
    int64_t number;
    const struct tensor *tensor = value_of(r, value)->one;
    number_load_i64(tensor->pub.dtype, 1, tensor->pub.data, &number);
    return number;
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
    int64_t start = loop_bound(r, loop, 0), extent = loop_bound(r, loop, 1), step = loop_bound(r, loop, 2);
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

/* A parameter's tensor, or in EXACT mode its elements in f64. */
static struct tensor *param_value(struct runner *r, uint32_t i)
{
    const struct tf_type *type = r->function->params[i]->type;
    uint32_t held = held_dtype(r, type);
    if (held == type->dtype)
        return tensor_hold(r->params[i]);
    struct tensor *wide = new_tensor(r, type);
    if (wide)
        number_load_f64(type->dtype, wide->count, r->params[i]->pub.data, wide->pub.data);
    return wide;
}

static int take_params(struct runner *r)
{
    for (uint32_t i = 0; i < r->function->n_params; i++) {
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

static int run_block(struct runner *r, uint32_t block)
{
    const struct schedule_block *b = &r->plan.blocks[block];
    for (size_t i = 0; i < b->nodes.n; i++) {
        const struct tf_node *node = b->nodes.at[i];
        int rc = run_node(r, node);
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
        result->leaves[i] = tensor_hold(leaves(body)[i]);
}

/* What was held in f64 says so from now on. */
static void name_held_dtypes(const struct runner *r, struct eval_result *result)
{
    for (uint32_t i = 0; r->mode == TF_EVAL_EXACT && i < result->n; i++)
        if (dtype_info(result->leaves[i]->pub.dtype)->cls == TF_CLASS_FLOAT)
            result->leaves[i]->pub.dtype = TF_DTYPE_F64;
}

static int run(struct runner *r, struct eval_result *result)
{
    size_t size = ((size_t)r->function->n_nodes + 1) * sizeof(*r->values);
    arena_init(&r->scratch);
    r->values = xrealloc(NULL, size);
    memset(r->values, 0, size);
    schedule_make(&r->plan, r->function);
    *result = (struct eval_result){0};
    int rc = take_params(r);
    if (rc == TF_OK)
        rc = run_block(r, SCHEDULE_FUNCTION);
    if (rc == TF_OK)
        keep_result(r, result);
    for (uint32_t id = 0; id < r->function->n_nodes; id++)
        value_drop(&r->values[id]);
    name_held_dtypes(r, result);
    schedule_free(&r->plan);
    free(r->values);
    arena_finish(&r->scratch);
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
    return run(&r, result);
}

int eval_exact(tf_ctx *ctx, const struct tf_function *function, struct tensor *const *params,
    struct tensor_memory *memory, struct eval_result *result)
{
    struct runner r = {.ctx = ctx, .memory = memory, .function = function, .params = params, .mode = TF_EVAL_EXACT};
    return run(&r, result);
}

void eval_result_free(struct eval_result *result)
{
    for (uint32_t i = 0; i < result->n; i++)
        tensor_release(result->leaves[i]);
    free(result->leaves);
    *result = (struct eval_result){0};
}

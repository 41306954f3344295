/* SPDX-License-Identifier: MIT
 * Making nodes.  A node exists only with its type: what cannot be typed is refused here.
 */
#include "ir/build.h"

#include "ir/grow.h"
#include "ir/relation.h"
#include "plugin/registry.h"
#include "util/diag.h"
#include "util/vec.h"

#include <inttypes.h>
#include <string.h>

void builder_init(struct ir_builder *b, tf_ctx *ctx, struct ir_function *function)
{
    *b = (struct ir_builder){.ctx = ctx, .function = function};
}

void builder_finish(struct ir_builder *b)
{
    b->function->pub.n_nodes = (uint32_t)b->nodes.n;
    VEC_FREE(&b->nodes);
}

/* ---- limits --------------------------------------------------------------------------------------------------------*/

struct tf_node *node_new(struct ir_builder *b, const struct tf_loc *loc, uint32_t kind)
{
    uint64_t limit = b->ctx->limits.nodes < UINT32_MAX ? b->ctx->limits.nodes : UINT32_MAX - 1;
    if (b->nodes.n >= limit) {
        if (!b->refused)
            ERROR(b->ctx, loc, "limit", "function '%s' has more than %" PRIu64 " values (--limit nodes=N raises it)",
                b->function->pub.name, limit);
        b->refused = 1;
        return NULL;
    }
    struct tf_node *node = CTX_NEW(b->ctx, struct tf_node);
    node->kind = kind;
    node->id = (uint32_t)b->nodes.n;
    node->scope = b->scope;
    if (loc)
        node->loc = *loc;
    VEC_PUSH(&b->nodes, node);
    return node;
}

/* Leaves of a type, counted up to one more than `most`; *deep is set when tuples nest deeper than `depth`. */
static uint64_t count_leaves(const struct tf_type *type, uint64_t most, uint64_t depth, int *deep)
{
    if (type->kind != TF_TYPE_TUPLE)
        return 1;
    if (depth == 0) {
        *deep = 1;
        return 0;
    }
    uint64_t n = 0;
    for (uint32_t i = 0; i < type->rank && n <= most && !*deep; i++)
        n += count_leaves(type->fields[i], most - n, depth - 1, deep);
    return n;
}

static int ranks_fit(struct ir_builder *b, const struct tf_loc *loc, const struct tf_type *type)
{
    uint64_t most = b->ctx->limits.rank < TF_MAX_RANK ? b->ctx->limits.rank : TF_MAX_RANK;
    if (type->kind == TF_TYPE_TUPLE) {
        for (uint32_t i = 0; i < type->rank; i++)
            if (!ranks_fit(b, loc, type->fields[i]))
                return 0;
        return 1;
    }
    if (type->rank <= most)
        return 1;
    ERROR(b->ctx, loc, "limit",
        "a value of %" PRIu32 " axes; at most %" PRIu64 " are allowed (--limit rank=N, up to %d)", type->rank, most,
        TF_MAX_RANK);
    return 0;
}

int type_fits(struct ir_builder *b, const struct tf_loc *loc, const struct tf_type *type)
{
    int deep = 0;
    if (type->kind == TF_TYPE_TUPLE) {
        if (count_leaves(type, b->ctx->limits.elements, b->ctx->limits.depth, &deep) > b->ctx->limits.elements) {
            ERROR(b->ctx, loc, "limit", "a tuple of more than %" PRIu64 " tensors (--limit elements=N raises it)",
                b->ctx->limits.elements);
            return 0;
        }
        if (deep) {
            ERROR(b->ctx, loc, "limit", "tuples nest more than %" PRIu64 " deep (--limit depth=N raises it)",
                b->ctx->limits.depth);
            return 0;
        }
    }
    return ranks_fit(b, loc, type);
}

/* ---- leaves --------------------------------------------------------------------------------------------------------*/

struct tf_node *ir_param(
    struct ir_builder *b, const struct tf_loc *loc, const char *name, const struct tf_type *type, int is_weight)
{
    struct tf_function *f = &b->function->pub;
    struct tf_node *node = type_fits(b, loc, type) ? node_new(b, loc, TF_NODE_PARAM) : NULL;
    if (!node)
        return NULL;
    node->name = name;
    node->type = type;
    node->is_weight = is_weight != 0;
    node->index = f->n_params;
    f->params = pointers_grown(b->ctx, f->params, f->n_params, node);
    f->n_params++;
    return node;
}

struct tf_node *ir_const(struct ir_builder *b, const struct tf_loc *loc, const struct tf_val *val)
{
    struct tf_node *node = node_new(b, loc, TF_NODE_CONST);
    if (!node)
        return NULL;
    uint32_t dtype = val->kind == TF_VAL_BOOL                             ? TF_DTYPE_BOOL
                     : val->kind == TF_VAL_INT || val->kind == TF_VAL_DIM ? TF_DTYPE_I64
                                                                          : TF_DTYPE_F32;
    node->val = arena_copy(&b->ctx->arena, val, sizeof(*val));
    node->type = type_tensor(b->ctx, dtype, 0, NULL, NULL, TF_STORAGE_UMAT);
    return node;
}

static const struct tf_type **types_of(struct ir_builder *b, const struct tf_node *const *nodes, uint32_t n)
{
    const struct tf_type **types = CTX_ARRAY(b->ctx, const struct tf_type *, n);
    for (uint32_t i = 0; i < n; i++)
        types[i] = nodes[i]->type;
    return types;
}

struct tf_node *tuple_make(struct ir_builder *b, const struct tf_loc *loc, const struct tf_node *const *items,
    const struct tf_type *const *types, uint32_t n)
{
    const struct tf_type *type = type_tuple(b->ctx, n, types);
    struct tf_node *node = type_fits(b, loc, type) ? node_new(b, loc, TF_NODE_TUPLE) : NULL;
    if (!node)
        return NULL;
    node->type = type;
    node_operands(b, node, items, n);
    return node;
}

struct tf_node *ir_tuple(struct ir_builder *b, const struct tf_loc *loc, const struct tf_node *const *items, uint32_t n)
{
    return tuple_make(b, loc, items, types_of(b, items, n), n);
}

void node_operands(struct ir_builder *b, struct tf_node *node, const struct tf_node *const *in, uint32_t n)
{
    node->n_in = n;
    node->in = arena_copy(&b->ctx->arena, in, n * sizeof(*in));
}

/* ---- operator calls ------------------------------------------------------------------------------------------------*/

static const char *plugin_of(struct ir_builder *b, const struct tf_op *op)
{
    if (b->op != op) {
        const struct plugin *plugin = b->ctx->registry ? registry_owner(b->ctx, op) : NULL;
        b->op = op;
        b->plugin = plugin ? plugin->descriptor.name : NULL;
    }
    return b->plugin;
}

/* A callback that refuses explains itself; one that does not is named here. */
static void explain(tf_ctx *ctx, const struct tf_call *call, const char *plugin, int rc)
{
    const char *why = rc == TF_E_OVERFLOW      ? "a count passes 2^63 - 1"
                      : rc == TF_E_UNSUPPORTED ? "these arguments are not supported"
                      : rc == TF_E_NOMEM       ? "no memory was left"
                      : rc == TF_OK            ? "it gave no type"
                                               : "it gave no reason";
    const char *code = rc == TF_E_OVERFLOW ? "overflow" : rc == TF_E_UNSUPPORTED ? "unsupported" : "plugin-fault";
    ERROR(ctx, &call->loc, code, "%s is refused: %s (plugin %s)", call->op->name, why, plugin ? plugin : "unknown");
}

static const struct tf_type *infer(struct ir_builder *b, const struct tf_call *call)
{
    const struct tf_type *type = NULL;
    const char *outer = b->ctx->plugin;
    size_t before = diag_errors(b->ctx);
    b->ctx->plugin = plugin_of(b, call->op);
    b->ctx->at = &call->loc;
    int rc = call->op->infer(b->ctx, call, &type);
    relation_done(b->ctx);
    if (diag_errors(b->ctx) == before && (rc || !type))
        explain(b->ctx, call, b->ctx->plugin, rc);
    b->ctx->plugin = outer;
    b->ctx->at = NULL;
    return diag_errors(b->ctx) == before && type_fits(b, &call->loc, type) ? type : NULL;
}

static int scope_allows(struct ir_builder *b, const struct tf_call *call)
{
    return !b->scope || (call->op->flags & TF_OP_PLACES) || shard_scope_check(b->ctx, call) == TF_OK;
}

/* What the declaration says of the operands, so that callbacks may rely on it. */
static int operands_allowed(struct ir_builder *b, const struct tf_call *call)
{
    const struct tf_op *op = call->op;
    int spread = op->n_inputs == 1 && op->inputs[0].kind == TF_INPUT_VARIADIC;
    if (!spread && call->n_args != op->n_inputs) {
        ERROR(b->ctx, &call->loc, "operand-count", "%s takes %zu operand%s, not %" PRIu32, op->name, op->n_inputs,
            op->n_inputs == 1 ? "" : "s", call->n_args);
        return 0;
    }
    for (uint32_t i = 0; i < call->n_args; i++) {
        uint32_t kind = spread ? TF_INPUT_TENSOR : op->inputs[i].kind;
        int is_tuple = call->arg_types[i]->kind == TF_TYPE_TUPLE;
        if ((kind == TF_INPUT_TENSOR && is_tuple) || (kind == TF_INPUT_TUPLE && !is_tuple)) {
            ERROR(b->ctx, &call->loc, "operand-kind", "operand %" PRIu32 " of %s is %s; %s is expected", i + 1,
                op->name, type_text(b->ctx, call->arg_types[i]), is_tuple ? "one tensor" : "a tuple");
            return 0;
        }
    }
    return 1;
}

const struct tf_type *call_type(struct ir_builder *b, const struct tf_loc *loc, const char *name,
    const struct tf_op *op, const struct tf_node *const *args, const struct tf_type *const *types, uint32_t n_args,
    const struct tf_val *attrs)
{
    const struct tf_call call = {
        .struct_size = sizeof(call),
        .op = op,
        .n_args = n_args,
        .n_attrs = (uint32_t)op->n_attrs,
        .args = args,
        .arg_types = types,
        .attrs = attrs,
        .scope = b->scope,
        .loc = loc ? *loc : (struct tf_loc){0},
        .name = name,
    };
    return operands_allowed(b, &call) && scope_allows(b, &call) ? infer(b, &call) : NULL;
}

struct tf_node *call_make(struct ir_builder *b, const struct tf_loc *loc, const char *name, const struct tf_op *op,
    const struct tf_node *const *args, const struct tf_type *const *types, uint32_t n_args, const struct tf_val *attrs)
{
    const struct tf_type *type = call_type(b, loc, name, op, args, types, n_args, attrs);
    struct tf_node *node = type ? node_new(b, loc, TF_NODE_CALL) : NULL;
    if (!node)
        return NULL;
    node->name = name;
    node->op = op;
    node->type = type;
    node->n_attrs = (uint32_t)op->n_attrs;
    node->attrs = arena_copy(&b->ctx->arena, attrs, op->n_attrs * sizeof(*attrs));
    node_operands(b, node, args, n_args);
    return node;
}

struct tf_node *ir_call(struct ir_builder *b, const struct tf_loc *loc, const char *name, const struct tf_op *op,
    const struct tf_node *const *args, uint32_t n_args, const struct tf_val *attrs)
{
    const struct tf_type *few[8]; /* callbacks keep no pointer to them */
    if (n_args > 8)
        return call_make(b, loc, name, op, args, types_of(b, args, n_args), n_args, attrs);
    for (uint32_t i = 0; i < n_args; i++)
        few[i] = args[i]->type;
    return call_make(b, loc, name, op, args, few, n_args, attrs);
}

/* ---- function calls ------------------------------------------------------------------------------------------------*/

int call_gives_weights(const struct ir_function *caller, const struct ir_function *callee)
{
    return !(
        callee->owner && callee->owner != caller->owner && caller->owner && callee->owner->parent == caller->owner);
}

static uint32_t count_expected(const struct ir_function *callee, int with_weights)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < callee->pub.n_params; i++)
        n += with_weights || !callee->pub.params[i]->is_weight;
    return n;
}

static int count_matches(
    struct ir_builder *b, const struct tf_loc *loc, const struct ir_function *callee, int with_weights, uint32_t n_args)
{
    uint32_t want = count_expected(callee, with_weights);
    if (want == n_args)
        return 1;
    ERROR(b->ctx, loc, "argument-count", "'%s' takes %" PRIu32 " argument%s%s, not %" PRIu32, callee->pub.name, want,
        want == 1 ? "" : "s", with_weights ? "" : " (weights come from its own module)", n_args);
    return 0;
}

/* Each argument suits its parameter.  types gets the type of every parameter in this call; *differs, whether one of
 * them is not the declared one. */
static int arguments_match(struct ir_builder *b, const struct tf_loc *loc, const struct ir_function *callee,
    int with_weights, const struct tf_node *const *args, const struct tf_type **types, int *differs)
{
    uint32_t next = 0;
    for (uint32_t i = 0; i < callee->pub.n_params; i++) {
        const struct tf_node *param = callee->pub.params[i];
        types[i] = param->type;
        if (param->is_weight && !with_weights)
            continue;
        const struct tf_type *given = args[next++]->type;
        if (!type_accepts(param->type, given)) {
            ERROR(b->ctx, loc, "argument-type", "argument %" PRIu32 " of '%s' is %s; parameter '%s' is declared %s",
                next, callee->pub.name, type_text(b->ctx, given), param->name, type_text(b->ctx, param->type));
            return 0;
        }
        types[i] = given;
        *differs |= !type_equal(param->type, given);
    }
    return 1;
}

static int arguments_in_scope(
    struct ir_builder *b, const struct tf_loc *loc, const struct tf_node *const *args, uint32_t n_args)
{
    if (!b->scope)
        return 1;
    const struct tf_call call = {
        .struct_size = sizeof(call),
        .n_args = n_args,
        .args = args,
        .arg_types = types_of(b, args, n_args),
        .scope = b->scope,
        .loc = loc ? *loc : (struct tf_loc){0},
    };
    return shard_scope_check(b->ctx, &call) == TF_OK;
}

struct tf_node *ir_fcall(struct ir_builder *b, const struct tf_loc *loc, const char *name,
    const struct ir_function *callee, const struct tf_node *const *args, uint32_t n_args)
{
    int with_weights = call_gives_weights(b->function, callee);
    int differs = 0;
    const struct tf_type **types = CTX_ARRAY(b->ctx, const struct tf_type *, callee->pub.n_params);
    if (!count_matches(b, loc, callee, with_weights, n_args) ||
        !arguments_match(b, loc, callee, with_weights, args, types, &differs))
        return NULL;
    if (!arguments_in_scope(b, loc, args, n_args))
        return NULL;
    const struct tf_type *type = callee->pub.result;
    if (differs && callee->pub.body && !callee->n_variants)
        type = instance_result(b->ctx, loc, callee, types);
    struct tf_node *node = type ? node_new(b, loc, TF_NODE_FCALL) : NULL;
    if (!node)
        return NULL;
    node->name = name;
    node->callee = &callee->pub;
    node->type = type;
    node_operands(b, node, args, n_args);
    return node;
}

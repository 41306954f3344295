/* SPDX-License-Identifier: MIT
 * A call of an operator: what its eval is told, and what it did.
 */
#include "eval/bound.h"
#include "eval/origin.h"
#include "eval/runner.h"
#include "ir/call.h"
#include "plugin/registry.h"
#include "util/diag.h"

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
            *args++ = &value_leaves(value_of(r, node->in[i]))[k]->pub;
}

static int make_leaves(struct runner *r, const struct tf_type *type, struct tensor ***to)
{
    if (type->kind == TF_TYPE_TENSOR)
        return (*(*to)++ = runner_tensor(r, type)) ? TF_OK : TF_E_NOMEM;
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
        results[i] = &value_leaves(value)[i]->pub;
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

/* Its results, and what it said when there are none. */
static int compute(struct runner *r, const struct tf_node *node, const char *plugin, struct tf_eval *eval)
{
    size_t before = diag_errors(r->ctx);
    r->ctx->plugin = plugin;
    int rc = r->mode == TF_EVAL_BOUND ? bound_call(r->ctx, r->memory, eval) : node->op->eval(r->ctx, eval);
    r->ctx->plugin = NULL;
    if (rc && diag_errors(r->ctx) == before)
        eval_explain(r->ctx, node, plugin, r->mode, rc);
    if (rc == TF_OK && r->request && r->request->watch)
        r->request->watch(r->request->watched, node, eval);
    return rc || diag_errors(r->ctx) != before ? TF_E_REFUSED : TF_OK;
}

int run_operator(struct runner *r, const struct tf_node *node)
{
    struct tf_call call = call_whole(&r->scratch, node);
    struct tf_eval eval = {
        .struct_size = sizeof(eval), .call = &call, .mode = r->mode, .fp8_overflow = r->fp8_overflow};
    const struct plugin *owner = registry_owner(r->ctx, node->op);
    const char *plugin = owner ? owner->descriptor.name : NULL;
    if (r->request)
        bound_eval_init(&eval, r->request, r->function, node);
    if (!node->op->eval)
        return eval_explain(r->ctx, node, plugin, r->mode, TF_E_UNSUPPORTED), TF_E_UNSUPPORTED;
    r->ctx->at = &node->loc;
    gather_args(r, node, &eval);
    int rc = make_results(r, node, &eval);
    if (rc == TF_OK)
        rc = compute(r, node, plugin, &eval);
    r->ctx->at = NULL;
    arena_reset(&r->scratch);
    return rc ? TF_E_REFUSED : TF_OK;
}

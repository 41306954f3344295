/* SPDX-License-Identifier: MIT
 * The selected function alone: dimensions bound, variants chosen, callees copied in at each call, types inferred anew.
 */
#include "ir/copy.h"

#include "ir/weights.h"
#include "util/diag.h"
#include "util/vec.h"

#include <string.h>

struct inlining {
    tf_ctx *ctx;
    struct binding binding;
    struct copier copier;
    struct ir_builder builder;
    struct weights weights;
    const struct tf_node *body; /* the result's */
    VEC(struct ir_site) sites;
    VEC(uint32_t) site_of;
};

/* ---- the module that holds the result ------------------------------------------------------------------------------*/

static int bind_levels(struct inlining *in, const struct ir_module *module, struct ir_module *view)
{
    const struct tf_topology *levels;
    module_levels(module, &levels, &view->n_levels);
    view->has_levels = 1;
    view->levels = CTX_ARRAY(in->ctx, struct tf_topology, view->n_levels);
    for (uint32_t i = 0; i < view->n_levels; i++) {
        view->levels[i].name = levels[i].name;
        view->levels[i].extent = bind_dim(&in->binding, &module->loc, levels[i].extent);
        if (!view->levels[i].extent)
            return TF_E_REFUSED;
    }
    return TF_OK;
}

/* A module of one function that states all that the selected one has from those around it. */
static struct ir_module *view_make(struct inlining *in, const struct ir_module *module, struct ir_function *function)
{
    struct ir_module *view = CTX_NEW(in->ctx, struct ir_module);
    const struct ir_module *from = module;
    while (from->parent && !from->target && !from->target_path)
        from = from->parent;
    view->name = module->name;
    view->entry = function->pub.name;
    view->target = from->target;
    view->target_path = from->target_path;
    view->loc = module->loc;
    view->n_functions = 1;
    view->functions = CTX_NEW(in->ctx, struct ir_function *);
    view->functions[0] = function;
    return bind_levels(in, module, view) ? NULL : view;
}

/* ---- calls ---------------------------------------------------------------------------------------------------------*/

/* The module that a frame's function stands in; a free function works for the one that called it. */
static const struct ir_module *owner_of(const struct copy_frame *frame)
{
    while (frame && !frame->from->owner)
        frame = frame->outer;
    return frame ? frame->from->owner : NULL;
}

static int same_levels(const struct ir_module *a, const struct ir_module *b)
{
    const struct tf_topology *x, *y;
    uint32_t n, m;
    module_levels(a, &x, &n);
    module_levels(b, &y, &m);
    for (uint32_t i = 0; n == m && i < n; i++)
        if (strcmp(x[i].name, y[i].name) || x[i].extent != y[i].extent)
            return 0;
    return n == m;
}

/* A call stays in its module or goes to a child of it, and both run on one hierarchy. */
static int owners_agree(
    struct inlining *in, const struct copy_frame *frame, const struct tf_loc *loc, const struct ir_function *callee)
{
    const struct ir_module *from = owner_of(frame), *to = callee->owner;
    if (!to || !from || to == from)
        return 1;
    if (to->parent != from) {
        ERROR(in->ctx, loc, "hierarchy", "'%s' belongs to module '%s', which is not a child of '%s'", callee->pub.name,
            to->name, from->name);
        return 0;
    }
    if (!same_levels(from, to)) {
        ERROR(in->ctx, loc, "hierarchy", "module '%s' declares other topologies than '%s', which calls it", to->name,
            from->name);
        return 0;
    }
    return 1;
}

static const struct ir_function *body_of(
    struct inlining *in, const struct tf_loc *loc, const struct ir_function *callee)
{
    const struct ir_function *chosen = bind_variant(&in->binding, loc, callee);
    if (chosen && !chosen->pub.body) {
        ERROR(
            in->ctx, loc, "no-body", "'%s' has no body: it states what others may do and cannot run", chosen->pub.name);
        return NULL;
    }
    return chosen;
}

/* What the caller gives for parameter i of the callee. */
static struct copied argument(struct inlining *in, const struct copy_frame *frame, const struct tf_node *call,
    const struct ir_function *callee, uint32_t i, uint32_t *next)
{
    const struct tf_node *param = callee->pub.params[i];
    if (!param->is_weight || call_gives_weights(frame->from, callee))
        return frame->env[call->in[(*next)++]->id];
    const struct tf_node *weight = weights_node(&in->weights, callee, param);
    return (struct copied){weight, weight->type, weight->type};
}

/* Within the callee the value has the declared type. */
static int give(struct inlining *in, struct copy_frame *inner, const struct tf_node *param, const struct tf_node *own,
    const struct copied *value)
{
    const struct tf_loc *loc = &inner->call->loc;
    const struct tf_type *declared = bind_type(&in->binding, &param->loc, param->type);
    if (!declared)
        return TF_E_REFUSED;
    if (!type_accepts(declared, value->type)) {
        ERROR(in->ctx, loc, "argument-type", "'%s' is given %s; parameter '%s' is declared %s",
            inner->call->callee->name, type_text(in->ctx, value->type), param->name, type_text(in->ctx, declared));
        return TF_E_REFUSED;
    }
    inner->as_declared &= value->type == declared;
    inner->as_given &= value->type == value->given;
    inner->env[own->id] = (struct copied){value->node, declared, value->given};
    return TF_OK;
}

static uint32_t add_site(
    struct inlining *in, const struct copy_frame *frame, const struct tf_node *call, const struct ir_function *callee)
{
    struct ir_site site = {.callee = callee, .loc = call->loc, .name = call->name, .outer = frame->site};
    VEC_PUSH(&in->sites, site);
    return (uint32_t)in->sites.n - 1;
}

static int copy_in(struct copier *copier, struct copy_frame *frame, const struct tf_node *call)
{
    struct inlining *in = copier->data;
    const struct ir_function *callee = (const struct ir_function *)call->callee;
    const struct ir_function *body =
        owners_agree(in, frame, &call->loc, callee) ? body_of(in, &call->loc, callee) : NULL;
    struct copy_frame *inner = body ? copy_open(copier, &call->loc, body, &in->builder) : NULL;
    if (!inner)
        return TF_E_REFUSED;
    inner->call = call;
    inner->site = add_site(in, frame, call, body);
    inner->as_declared = inner->as_given = 1;
    uint32_t next = 0;
    for (uint32_t i = 0; i < callee->pub.n_params; i++) {
        const struct copied value = argument(in, frame, call, callee, i, &next);
        if (give(in, inner, callee->pub.params[i], body->pub.params[i], &value))
            return TF_E_REFUSED;
    }
    return TF_OK;
}

/* What the caller sees of the result follows from what it sees of the arguments. */
static int copied_in(struct copier *copier, struct copy_frame *frame, const struct copied *value)
{
    struct inlining *in = copier->data;
    const struct tf_node *call = frame->call;
    if (!call) {
        in->body = value->node;
        return TF_OK;
    }
    const struct tf_type *type = frame->as_declared ? value->type
                                 : frame->as_given  ? value->given
                                                    : bind_type(&in->binding, &call->loc, call->type);
    copier->top->env[call->id] = (struct copied){value->node, type, value->given};
    return type ? TF_OK : TF_E_REFUSED;
}

static void note_site(struct copier *copier, struct copy_frame *frame)
{
    struct inlining *in = copier->data;
    while (in->site_of.n < in->builder.nodes.n)
        VEC_PUSH(&in->site_of, frame->site);
}

/* ---- the function --------------------------------------------------------------------------------------------------*/

static int start(struct inlining *in, const struct ir_function *function, const struct ir_function *body)
{
    struct copy_frame *frame = copy_open(&in->copier, &function->pub.loc, body, &in->builder);
    if (!frame)
        return TF_E_REFUSED;
    for (uint32_t i = 0; i < body->pub.n_params; i++) {
        const struct tf_node *param = body->pub.params[i];
        const struct tf_type *type = bind_type(&in->binding, &param->loc, param->type);
        struct tf_node *copy =
            type ? ir_param(&in->builder, &param->loc, param->name, type, (int)param->is_weight) : NULL;
        if (!copy)
            return TF_E_REFUSED;
        frame->env[param->id] = (struct copied){copy, type, type};
    }
    return TF_OK;
}

static int inline_into(struct inlining *in, const struct ir_module *module, const struct ir_function *function)
{
    if (bind_check(&in->binding, module, function))
        return TF_E_REFUSED;
    const struct ir_function *body = body_of(in, &function->pub.loc, function);
    struct ir_function *result = in->builder.function;
    if (!body || !(result->owner = view_make(in, module, result)))
        return TF_E_REFUSED;
    int rc = start(in, function, body);
    if (!rc)
        rc = weights_add(&in->weights, &in->builder, module, body);
    note_site(&in->copier, in->copier.top ? in->copier.top : &(struct copy_frame){.site = IR_NO_SITE});
    return rc ? rc : copy_run(&in->copier);
}

static void keep_result(struct inlining *in)
{
    struct ir_function *result = in->builder.function;
    result->pub.body = in->body;
    result->pub.result = in->body->type;
    result->n_sites = (uint32_t)in->sites.n;
    result->sites = arena_copy(&in->ctx->arena, in->sites.at, in->sites.n * sizeof(*in->sites.at));
    result->site_of = arena_copy(&in->ctx->arena, in->site_of.at, in->site_of.n * sizeof(*in->site_of.at));
}

struct ir_function *ir_inline(tf_ctx *ctx, const struct ir_module *module, const struct ir_function *function,
    const struct dim_binding *bound, size_t n)
{
    struct inlining in = {.ctx = ctx, .binding = {ctx, bound, n}};
    struct ir_function *result = CTX_NEW(ctx, struct ir_function);
    result->pub.name = function->pub.name;
    result->pub.module = function->pub.module;
    result->pub.loc = function->pub.loc;
    result->doc = function->doc;
    builder_init(&in.builder, ctx, result);
    in.copier = (struct copier){
        .ctx = ctx, .binding = &in.binding, .call = copy_in, .done = copied_in, .stepped = note_site, .data = &in};
    in.weights = (struct weights){.ctx = ctx, .binding = &in.binding};
    int rc = inline_into(&in, module, function);
    if (!rc)
        keep_result(&in);
    copy_finish(&in.copier);
    builder_finish(&in.builder);
    weights_finish(&in.weights);
    VEC_FREE(&in.sites);
    VEC_FREE(&in.site_of);
    return rc ? NULL : result;
}

/* SPDX-License-Identifier: MIT
 * The selected function alone: dimensions bound, variants chosen, callees copied in at each call, types inferred anew.
 */
#include "ir/copy.h"

#include "ir/parts.h"
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
    int apart;             /* a callee was met that has to stay a function where the program is written */
    struct parting *parts; /* the pass that keeps those so; else NULL */
    int any_levels;        /* a callee's hierarchy may be another: values do not depend on it */
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
    if (!in->any_levels && !same_levels(from, to)) {
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
    if (in->parts)
        weight = part_import(frame->part, weight);
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
    inner->as_stated &= type_equal(value->type, declared) != 0;
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

/* What a loop leaves that carries nothing has no name: only a function that ends in it can give it. */
static int ends_in_bare_loop(const struct ir_function *body)
{
    const struct tf_node *value = body->pub.body;
    while (value->kind == TF_NODE_REGION)
        value = value->region->body;
    return value->kind == TF_NODE_LOOP && value->loop->n_carries == 0;
}

/* Whether the callee has to stay a function where the program is written; in the pass that does it, it does. */
static int part_off(struct inlining *in, struct copy_frame *inner)
{
    if (inner->as_stated && !ends_in_bare_loop(inner->from))
        return TF_OK;
    in->apart = 1;
    return in->parts ? part_open(in->parts, inner) : TF_OK;
}

static int copy_in(struct copier *copier, struct copy_frame *frame, const struct tf_node *call)
{
    struct inlining *in = copier->data;
    const struct ir_function *callee = (const struct ir_function *)call->callee;
    const struct ir_function *body =
        owners_agree(in, frame, &call->loc, callee) ? body_of(in, &call->loc, callee) : NULL;
    struct copy_frame *inner = body ? copy_open(copier, &call->loc, body, frame->b) : NULL;
    if (!inner)
        return TF_E_REFUSED;
    inner->call = call;
    inner->site = add_site(in, frame, call, body);
    inner->as_declared = inner->as_given = inner->as_stated = 1;
    inner->part = frame->part;
    uint32_t next = 0;
    for (uint32_t i = 0; i < callee->pub.n_params; i++) {
        const struct copied value = argument(in, frame, call, callee, i, &next);
        if (!value.node || give(in, inner, callee->pub.params[i], body->pub.params[i], &value))
            return TF_E_REFUSED;
    }
    return part_off(in, inner);
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
    const struct tf_node *node = value->node;
    if (type && frame->part != copier->top->part)
        node = part_close(in->parts, frame, node, type);
    copier->top->env[call->id] = (struct copied){node, type, value->given};
    return type && node ? TF_OK : TF_E_REFUSED;
}

static void note_site(struct copier *copier, struct copy_frame *frame)
{
    struct inlining *in = copier->data;
    if (in->parts) {
        part_note(in->parts, frame->part, frame->site);
        return;
    }
    while (in->site_of.n < in->builder.nodes.n)
        VEC_PUSH(&in->site_of, frame->site);
}

/* ---- the function --------------------------------------------------------------------------------------------------*/

static int start(struct inlining *in, const struct ir_function *function, const struct ir_function *body)
{
    struct copy_frame *frame = copy_open(&in->copier, &function->pub.loc, body, &in->builder);
    if (!frame)
        return TF_E_REFUSED;
    frame->part = in->parts ? parting_main(in->parts, &in->builder) : NULL;
    for (uint32_t i = 0; i < body->pub.n_params; i++) {
        const struct tf_node *param = body->pub.params[i];
        const struct tf_type *type = bind_type(&in->binding, &param->loc, param->type);
        struct tf_node *copy =
            type ? ir_param(&in->builder, &param->loc, param->name, type, (int)param->is_weight) : NULL;
        if (!copy)
            return TF_E_REFUSED;
        if (param->where && !(copy->where = bind_where(&in->binding, &param->loc, param->where)))
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
    if (!rc)
        note_site(&in->copier, in->copier.top);
    return rc ? rc : copy_run(&in->copier);
}

static void keep_body(struct inlining *in)
{
    struct ir_function *result = in->builder.function;
    result->pub.body = in->body;
    result->pub.result = in->body->type;
}

static void keep_sites(struct inlining *in)
{
    struct ir_function *result = in->builder.function;
    result->n_sites = (uint32_t)in->sites.n;
    result->sites = arena_copy(&in->ctx->arena, in->sites.at, in->sites.n * sizeof(*in->sites.at));
    result->site_of = arena_copy(&in->ctx->arena, in->site_of.at, in->site_of.n * sizeof(*in->site_of.at));
}

static void open_result(struct inlining *in, const struct ir_function *function)
{
    struct ir_function *result = CTX_NEW(in->ctx, struct ir_function);
    result->pub.name = function->pub.name;
    result->pub.module = function->pub.module;
    result->pub.loc = function->pub.loc;
    result->doc = function->doc;
    builder_init(&in->builder, in->ctx, result);
    in->copier = (struct copier){
        .ctx = in->ctx, .binding = &in->binding, .call = copy_in, .done = copied_in, .stepped = note_site, .data = in};
    in->weights = (struct weights){.ctx = in->ctx, .binding = &in->binding};
}

static void finish(struct inlining *in)
{
    copy_finish(&in->copier);
    builder_finish(&in->builder);
    weights_finish(&in->weights);
    VEC_FREE(&in->sites);
    VEC_FREE(&in->site_of);
}

/* The same once more, into parts.  It was allowed before: what is said about it was said. */
static void make_parts(const struct inlining *whole, const struct ir_module *module, const struct ir_function *function)
{
    struct parting parts = {.ctx = whole->ctx};
    struct inlining in = {
        .ctx = whole->ctx, .binding = whole->binding, .parts = &parts, .any_levels = whole->any_levels};
    size_t said = diag_mark(whole->ctx);
    open_result(&in, function);
    int rc = inline_into(&in, module, function);
    if (!rc)
        keep_body(&in);
    finish(&in);
    if (!rc)
        parting_keep(&parts, in.builder.function, &whole->builder);
    parting_finish(&parts);
    diag_drop(whole->ctx, said);
}

static struct ir_function *inline_whole(
    struct inlining *in, const struct ir_module *module, const struct ir_function *function)
{
    open_result(in, function);
    struct ir_function *result = in->builder.function;
    int rc = inline_into(in, module, function);
    if (!rc) {
        keep_body(in);
        keep_sites(in);
    }
    if (!rc && in->apart)
        make_parts(in, module, function);
    finish(in);
    return rc ? NULL : result;
}

struct ir_function *ir_inline(tf_ctx *ctx, const struct ir_module *module, const struct ir_function *function,
    const struct dim_binding *bound, size_t n)
{
    struct inlining in = {.ctx = ctx, .binding = {ctx, bound, n}};
    return inline_whole(&in, module, function);
}

struct ir_function *ir_inline_values(tf_ctx *ctx, const struct ir_module *module, const struct ir_function *function,
    const struct dim_binding *bound, size_t n)
{
    struct inlining in = {.ctx = ctx, .binding = {ctx, bound, n}, .any_levels = 1};
    return inline_whole(&in, module, function);
}

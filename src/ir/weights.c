/* SPDX-License-Identifier: MIT */
#include "ir/weights.h"

#include "ir/build.h"
#include "util/diag.h"
#include "util/vec.h"

#include <string.h>

#define NONE UINT32_MAX

void weights_finish(struct weights *weights)
{
    ptr_map_free(&weights->first);
    ptr_map_free(&weights->taken);
    VEC_FREE(&weights->list);
}

static struct weight *find(const struct weights *weights, const struct ir_module *owner, const char *name)
{
    const uint32_t *first = ptr_map_get(&weights->first, owner);
    for (uint32_t i = first ? *first : NONE; i != NONE; i = weights->list.at[i].next)
        if (!strcmp(weights->list.at[i].declared->name, name))
            return &weights->list.at[i];
    return NULL;
}

const struct tf_node *weights_node(
    const struct weights *weights, const struct ir_function *callee, const struct tf_node *param)
{
    return find(weights, callee->owner, param->name)->node;
}

/* ---- what is needed ------------------------------------------------------------------------------------------------*/

static int need(struct weights *weights, const struct ir_module *owner, const struct tf_node *param)
{
    const struct tf_type *type = bind_type(weights->binding, &param->loc, param->type);
    const struct weight *known = find(weights, owner, param->name);
    if (!type)
        return TF_E_REFUSED;
    if (known && !type_equal(known->type, type)) {
        ERROR(weights->ctx, &param->loc, "weight-type", "weight '%s' of module '%s' is %s here and %s elsewhere",
            param->name, owner->name, type_text(weights->ctx, type), type_text(weights->ctx, known->type));
        return TF_E_REFUSED;
    }
    if (known)
        return TF_OK;
    uint32_t *first = ptr_map_put(&weights->first, owner, NONE);
    struct weight fresh = {.owner = owner, .declared = param, .type = type, .next = *first};
    *first = (uint32_t)weights->list.n;
    VEC_PUSH(&weights->list, fresh);
    return TF_OK;
}

struct reach {
    struct weights *weights;
    const struct ir_function *caller;
    VEC(const struct ir_function *) functions;
    struct ptr_map known;
};

static int reach_call(void *data, const struct tf_node *node)
{
    struct reach *reach = data;
    if (node->kind != TF_NODE_FCALL)
        return TF_OK;
    const struct ir_function *callee = (const struct ir_function *)node->callee;
    const struct ir_function *body = bind_variant(reach->weights->binding, &node->loc, callee);
    if (!body)
        return TF_E_REFUSED;
    int rc = TF_OK;
    for (uint32_t i = 0; !rc && i < callee->pub.n_params && !call_gives_weights(reach->caller, callee); i++)
        if (callee->pub.params[i]->is_weight)
            rc = need(reach->weights, callee->owner, callee->pub.params[i]);
    uint32_t *known = ptr_map_put(&reach->known, body, 0);
    if (!*known) {
        *known = 1;
        VEC_PUSH(&reach->functions, body);
    }
    return rc;
}

static int reach_all(struct weights *weights, const struct ir_function *function)
{
    struct reach reach = {.weights = weights};
    const struct walk walk = {&reach, reach_call, NULL, NULL};
    int rc = TF_OK;
    VEC_PUSH(&reach.functions, function);
    for (size_t i = 0; !rc && i < reach.functions.n; i++) {
        reach.caller = reach.functions.at[i];
        rc = walk_function(weights->ctx, &reach.caller->pub, &walk);
    }
    VEC_FREE(&reach.functions);
    ptr_map_free(&reach.known);
    return rc;
}

/* ---- the parameters ------------------------------------------------------------------------------------------------*/

static const char *free_name(struct weights *weights, const char *wanted)
{
    const char *name = ctx_intern(weights->ctx, wanted);
    for (unsigned suffix = 2; ptr_map_get(&weights->taken, name); suffix++)
        name = ctx_intern(weights->ctx, arena_format(&weights->ctx->arena, "%s_%u", wanted, suffix));
    ptr_map_put(&weights->taken, name, 0);
    return name;
}

static int add_param(struct weights *weights, struct ir_builder *b, const char *prefix, struct weight *weight)
{
    const char *name = weight->declared->name;
    if (*prefix)
        name = arena_format(&weights->ctx->arena, "%s_%s", prefix, name);
    name = free_name(weights, name);
    weight->node = ir_param(b, &weight->declared->loc, name, weight->type, 1);
    return weight->node ? TF_OK : TF_E_REFUSED;
}

static int add_params_of(
    struct weights *weights, struct ir_builder *b, const char *prefix, const struct ir_module *module)
{
    int rc = TF_OK;
    for (uint32_t i = 0; i < module->n_functions; i++)
        for (uint32_t k = 0; !rc && k < module->functions[i]->pub.n_params; k++) {
            const struct tf_node *param = module->functions[i]->pub.params[k];
            struct weight *weight = param->is_weight ? find(weights, module, param->name) : NULL;
            if (weight && !weight->node)
                rc = add_param(weights, b, prefix, weight);
        }
    for (uint32_t i = 0; !rc && i < module->n_children; i++) {
        const struct ir_module *child = module->children[i];
        const char *path = *prefix ? arena_format(&weights->ctx->arena, "%s_%s", prefix, child->name) : child->name;
        rc = add_params_of(weights, b, path, child);
    }
    return rc;
}

int weights_add(
    struct weights *weights, struct ir_builder *b, const struct ir_module *module, const struct ir_function *function)
{
    int rc = reach_all(weights, function);
    for (uint32_t i = 0; i < b->function->pub.n_params; i++)
        ptr_map_put(&weights->taken, ctx_intern(weights->ctx, b->function->pub.params[i]->name), 0);
    if (!rc)
        rc = add_params_of(weights, b, "", module);
    for (size_t i = 0; !rc && i < weights->list.n; i++)
        if (!weights->list.at[i].node) /* of a module outside the selected one: the call will be refused */
            rc = add_param(weights, b, weights->list.at[i].owner->name, &weights->list.at[i]);
    return rc;
}

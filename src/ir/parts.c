/* SPDX-License-Identifier: MIT */
#include "ir/parts.h"

#include <string.h>

struct part *parting_main(struct parting *parts, struct ir_builder *b)
{
    parts->main.b = b;
    return &parts->main;
}

/* ---- one part ------------------------------------------------------------------------------------------------------*/

int part_open(struct parting *parts, struct copy_frame *frame)
{
    const struct ir_function *from = frame->from;
    struct part *part = CTX_NEW(parts->ctx, struct part);
    struct ir_function *function = CTX_NEW(parts->ctx, struct ir_function);
    function->pub.name = from->pub.name;
    function->pub.module = "";
    function->pub.loc = from->pub.loc;
    builder_init(&part->own, parts->ctx, function);
    part->own.scope = frame->b->scope;
    part->outer = frame->part;
    part->b = frame->b = &part->own;
    frame->part = parts->last = part;
    for (uint32_t i = 0; i < from->pub.n_params; i++) {
        const struct tf_node *param = from->pub.params[i];
        struct copied *value = &frame->env[param->id];
        VEC_PUSH(&part->args, value->node);
        value->node = ir_param(part->b, &param->loc, param->name, value->type, 0);
        if (!value->node)
            return TF_E_REFUSED;
    }
    return TF_OK;
}

const struct tf_node *part_import(struct part *part, const struct tf_node *param)
{
    if (!part->outer)
        return param;
    const struct tf_function *f = &part->b->function->pub;
    for (size_t i = 0; i < part->imports.n; i++)
        if (part->imports.at[i] == param)
            return f->params[part->args.n + i];
    VEC_PUSH(&part->imports, param);
    return ir_param(part->b, &param->loc, param->name, param->type, 0);
}

static struct tf_node *call_part(struct part *part, const struct tf_node *call, const struct tf_type *type)
{
    struct part *outer = part->outer;
    for (size_t i = 0; i < part->imports.n; i++) {
        const struct tf_node *arg = part_import(outer, part->imports.at[i]);
        if (!arg)
            return NULL;
        VEC_PUSH(&part->args, arg);
    }
    struct tf_node *node = node_new(outer->b, &call->loc, TF_NODE_FCALL);
    if (!node)
        return NULL;
    node->name = call->name;
    node->type = type;
    node->callee = &part->b->function->pub;
    node_operands(outer->b, node, part->args.at, (uint32_t)part->args.n);
    return node;
}

/* Parts are opened and closed in turn, like the calls that they are of. */
static void part_finish(struct parting *parts, struct part *part)
{
    builder_finish(&part->own);
    VEC_FREE(&part->args);
    VEC_FREE(&part->imports);
    parts->last = part->outer;
}

const struct tf_node *part_close(
    struct parting *parts, const struct copy_frame *frame, const struct tf_node *value, const struct tf_type *type)
{
    struct part *part = frame->part;
    struct ir_function *function = part->b->function;
    function->pub.body = value;
    function->pub.result = value->type;
    VEC_PUSH(&parts->functions, function);
    struct tf_node *node = call_part(part, frame->call, type);
    part_finish(parts, part);
    return node;
}

/* ---- which node is which -------------------------------------------------------------------------------------------*/

/* The whole function has no calls, and its parameters are there before all else. */
static int is_counted(const struct tf_node *node)
{
    return node->kind != TF_NODE_PARAM && node->kind != TF_NODE_FCALL;
}

void part_note(struct parting *parts, struct part *part)
{
    for (; part->noted < part->b->nodes.n; part->noted++) {
        const struct tf_node *node = part->b->nodes.at[part->noted];
        struct made made = {part->b->function, node->id};
        if (is_counted(node))
            VEC_PUSH(&parts->made, made);
    }
}

/* Both passes make the same nodes in one order. */
static int match_nodes(struct parting *parts, const struct ir_builder *whole)
{
    size_t k = 0;
    for (size_t i = 0; i < parts->functions.n; i++) {
        struct ir_function *f = parts->functions.at[i];
        f->node_of = CTX_ARRAY(parts->ctx, const struct tf_node *, f->pub.n_nodes);
        f->whole = whole->function;
    }
    for (size_t i = 0; i < whole->nodes.n; i++) {
        const struct tf_node *node = whole->nodes.at[i];
        if (!is_counted(node))
            continue;
        if (k == parts->made.n)
            return 0;
        const struct made *made = &parts->made.at[k++];
        ((const struct tf_node **)(uintptr_t)made->function->node_of)[made->id] = node;
    }
    return k == parts->made.n;
}

/* ---- which parts are called, and what they are called ---------------------------------------------------------------*/

static int note_callee(void *data, const struct tf_node *node)
{
    if (node->kind == TF_NODE_FCALL)
        *ptr_map_put(data, node->callee, 1) = 1;
    return 0;
}

/* Callers come after what they call. */
static void drop_uncalled(struct parting *parts)
{
    struct ptr_map called = {0};
    const struct walk walk = {&called, note_callee, NULL, NULL};
    size_t n = parts->functions.n, kept = n;
    ptr_map_put(&called, parts->functions.at[n - 1], 1);
    for (size_t i = n; i-- > 0;) {
        struct ir_function *f = parts->functions.at[i];
        if (!ptr_map_get(&called, &f->pub))
            continue;
        walk_function(parts->ctx, &f->pub, &walk);
        parts->functions.at[--kept] = f;
    }
    memmove(parts->functions.at, parts->functions.at + kept, (n - kept) * sizeof(*parts->functions.at));
    parts->functions.n = n - kept;
    ptr_map_free(&called);
}

static const char *free_name(tf_ctx *ctx, struct ptr_map *taken, const char *wanted)
{
    const char *base = ctx_intern(ctx, wanted), *name = base;
    uint32_t *known = ptr_map_put(taken, base, 0), n = *known;
    while (n && *ptr_map_put(taken, name, 0))
        name = ctx_intern(ctx, arena_format(&ctx->arena, "%s_%u", wanted, ++n));
    *ptr_map_put(taken, base, 1) = n ? n : 1;
    *ptr_map_put(taken, name, 1) = 1;
    return name;
}

/* No parameter hides a part that its function calls. */
static void name_parts(struct parting *parts, const struct ir_module *owner)
{
    struct ptr_map taken = {0};
    size_t n = parts->functions.n;
    for (size_t i = 0; i < n; i++) {
        const struct tf_function *f = &parts->functions.at[i]->pub;
        for (uint32_t k = 0; k < f->n_params; k++)
            *ptr_map_put(&taken, ctx_intern(parts->ctx, f->params[k]->name), 1) = 1;
    }
    *ptr_map_put(&taken, ctx_intern(parts->ctx, owner->name), 1) = 1;
    *ptr_map_put(&taken, ctx_intern(parts->ctx, parts->functions.at[n - 1]->pub.name), 1) = 1;
    for (size_t i = 0; i + 1 < n; i++) {
        struct tf_function *f = &parts->functions.at[i]->pub;
        f->name = free_name(parts->ctx, &taken, f->name);
    }
    ptr_map_free(&taken);
}

void parting_keep(struct parting *parts, struct ir_function *selected, const struct ir_builder *whole)
{
    VEC_PUSH(&parts->functions, selected);
    if (!match_nodes(parts, whole))
        return;
    drop_uncalled(parts);
    name_parts(parts, whole->function->owner);
    struct ir_parts *kept = CTX_NEW(parts->ctx, struct ir_parts);
    kept->n = (uint32_t)parts->functions.n;
    kept->at = arena_copy(&parts->ctx->arena, parts->functions.at, parts->functions.n * sizeof(*parts->functions.at));
    whole->function->parts = kept;
}

void parting_finish(struct parting *parts)
{
    while (parts->last && parts->last->outer)
        part_finish(parts, parts->last);
    VEC_FREE(&parts->made);
    VEC_FREE(&parts->functions);
}

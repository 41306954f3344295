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

void part_note(struct parting *parts, struct part *part, uint32_t site)
{
    for (; part->noted < part->b->nodes.n; part->noted++) {
        struct made made = {part->b->function, part->b->nodes.at[part->noted], site};
        VEC_PUSH(&parts->made, made);
    }
}

static void open_tables(struct parting *parts, const struct ir_function *whole)
{
    for (size_t i = 0; i < parts->functions.n; i++) {
        struct ir_function *f = parts->functions.at[i];
        f->whole = whole;
        f->n_sites = whole->n_sites;
        f->sites = whole->sites;
        f->node_of = CTX_ARRAY(parts->ctx, const struct tf_node *, f->pub.n_nodes);
        f->site_of = CTX_ARRAY(parts->ctx, uint32_t, f->pub.n_nodes);
        memset(f->site_of, 0xFF, f->pub.n_nodes * sizeof(*f->site_of));
    }
}

/* The whole function has no calls, and its parameters are there before all else. */
static int is_counted(const struct tf_node *node)
{
    return node->kind != TF_NODE_PARAM && node->kind != TF_NODE_FCALL;
}

/* Both passes make the same nodes in one order. */
static int match_nodes(struct parting *parts, const struct ir_builder *whole)
{
    size_t k = 0;
    open_tables(parts, whole->function);
    for (size_t i = 0; i < parts->made.n; i++) {
        const struct made *made = &parts->made.at[i];
        made->function->site_of[made->node->id] = made->site;
        if (!is_counted(made->node))
            continue;
        while (k < whole->nodes.n && !is_counted(whole->nodes.at[k]))
            k++;
        if (k == whole->nodes.n)
            return 0;
        made->function->node_of[made->node->id] = whole->nodes.at[k++];
    }
    return k == whole->nodes.n;
}

/* ---- the whole -----------------------------------------------------------------------------------------------------*/

void parting_keep(struct parting *parts, struct ir_function *selected, const struct ir_builder *whole)
{
    VEC_PUSH(&parts->functions, selected);
    if (!match_nodes(parts, whole))
        return;
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

/* SPDX-License-Identifier: MIT
 * Pairs of nodes are followed from the results.  A node is paired once, so that sharing must agree.
 */
#include "hir_equal.h"

#include <string.h>

struct equal {
    tf_ctx *ctx;
    const struct tf_node **pair, **back; /* by id */
    const char *why;
};

static int fail(struct equal *e, const struct tf_node *a, const struct tf_node *b, const char *what)
{
    if (!e->why)
        e->why = arena_format(&e->ctx->arena, "%s: kind %u%s%s of line %u, and kind %u%s%s of line %u", what, a->kind,
            a->op ? " " : "", a->op ? a->op->name : "", a->loc.line, b->kind, b->op ? " " : "",
            b->op ? b->op->name : "", b->loc.line);
    return 0;
}

static int vals_equal(const struct tf_val *a, const struct tf_val *b)
{
    if (a->kind != b->kind)
        return 0;
    switch (a->kind) {
    case TF_VAL_NONE: return 1;
    case TF_VAL_FLOAT: return !memcmp(&a->u.f, &b->u.f, sizeof(double));
    case TF_VAL_STRING: return !strcmp(a->u.s, b->u.s);
    case TF_VAL_DIM: return a->u.dim == b->u.dim;
    case TF_VAL_TYPE: return type_equal(a->u.type, b->u.type);
    case TF_VAL_LAYOUT: return layout_equal(a->u.layout, b->u.layout);
    case TF_VAL_MESH: return mesh_equal(a->u.mesh, b->u.mesh);
    case TF_VAL_TUPLE:
        if (a->count != b->count)
            return 0;
        for (uint32_t i = 0; i < a->count; i++)
            if (!vals_equal(&a->u.items[i], &b->u.items[i]))
                return 0;
        return 1;
    default: return a->u.i == b->u.i;
    }
}

static int nodes_equal(struct equal *e, const struct tf_node *a, const struct tf_node *b);

static int both_equal(struct equal *e, const struct tf_node *a, const struct tf_node *b)
{
    return a && b ? nodes_equal(e, a, b) : !a && !b;
}

static int operands_equal(struct equal *e, const struct tf_node *a, const struct tf_node *b)
{
    if (a->n_in != b->n_in)
        return fail(e, a, b, "numbers of operands");
    for (uint32_t i = 0; i < a->n_in; i++)
        if (!nodes_equal(e, a->in[i], b->in[i]))
            return 0;
    return 1;
}

static int calls_equal(struct equal *e, const struct tf_node *a, const struct tf_node *b)
{
    if (a->op != b->op || a->n_attrs != b->n_attrs)
        return fail(e, a, b, "operators");
    for (uint32_t i = 0; i < a->n_attrs; i++)
        if (!vals_equal(&a->attrs[i], &b->attrs[i]))
            return fail(e, a, b, arena_format(&e->ctx->arena, "attribute %s", a->op->attrs[i].name));
    return operands_equal(e, a, b);
}

static int loops_equal(struct equal *e, const struct tf_node *a, const struct tf_node *b)
{
    const struct tf_loop *x = a->loop, *y = b->loop;
    if (x->n_carries != y->n_carries || x->is_tile != y->is_tile || x->start != y->start || x->extent != y->extent ||
        x->step != y->step)
        return fail(e, a, b, "loop headers");
    if (!operands_equal(e, a, b))
        return 0;
    for (uint32_t i = 0; i < 3; i++)
        if (!both_equal(e, x->bound_value[i], y->bound_value[i]))
            return fail(e, a, b, "loop bounds");
    if (!nodes_equal(e, x->body, y->body))
        return 0;
    for (uint32_t i = 0; i < x->n_carries; i++)
        if (!nodes_equal(e, x->yields[i], y->yields[i]))
            return 0;
    return 1;
}

static int regions_equal(struct equal *e, const struct tf_node *a, const struct tf_node *b)
{
    if (!mesh_equal(a->region->mesh, b->region->mesh) || !mesh_equal(a->region->scope, b->region->scope))
        return fail(e, a, b, "meshes");
    return nodes_equal(e, a->region->body, b->region->body);
}

static int owners_equal(struct equal *e, const struct tf_node *a, const struct tf_node *b)
{
    if (e->pair[a->owner->id] != b->owner)
        return fail(e, a, b, "owners");
    if (a->kind == TF_NODE_RPARAM)
        return nodes_equal(e, a->owner->in[a->index], b->owner->in[b->index]);
    return a->index == b->index || fail(e, a, b, "indices");
}

static int axes_equal(const struct tf_where_axis *a, const struct tf_where_axis *b, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (a[i].extent != b[i].extent || !a[i].level != !b[i].level || !a[i].reduction != !b[i].reduction ||
            (a[i].level && strcmp(a[i].level, b[i].level)) ||
            (a[i].reduction && strcmp(a[i].reduction, b[i].reduction)))
            return 0;
    return 1;
}

static int wheres_equal(const struct tf_where *a, const struct tf_where *b)
{
    if (!a || !b)
        return a == b;
    return mesh_equal(a->mesh, b->mesh) && a->has_storage == b->has_storage && a->storage == b->storage &&
           a->n_axes == b->n_axes && a->n_bindings == b->n_bindings && axes_equal(a->axes, b->axes, a->n_axes) &&
           axes_equal(a->bindings, b->bindings, a->n_bindings);
}

static int contents_equal(struct equal *e, const struct tf_node *a, const struct tf_node *b)
{
    switch (a->kind) {
    case TF_NODE_PARAM: return a->index == b->index || fail(e, a, b, "parameters");
    case TF_NODE_CONST: return vals_equal(a->val, b->val) || fail(e, a, b, "numbers");
    case TF_NODE_CALL: return calls_equal(e, a, b);
    case TF_NODE_TUPLE: return operands_equal(e, a, b);
    case TF_NODE_FCALL:
        if (strcmp(a->callee->name, b->callee->name) || strcmp(a->callee->module, b->callee->module))
            return fail(e, a, b, "callees");
        return operands_equal(e, a, b);
    case TF_NODE_REGION: return regions_equal(e, a, b);
    case TF_NODE_LOOP: return loops_equal(e, a, b);
    default: return owners_equal(e, a, b);
    }
}

static int nodes_equal(struct equal *e, const struct tf_node *a, const struct tf_node *b)
{
    if (e->pair[a->id] || e->back[b->id])
        return (e->pair[a->id] == b && e->back[b->id] == a) || fail(e, a, b, "sharing");
    e->pair[a->id] = b;
    e->back[b->id] = a;
    if (a->kind != b->kind || !type_equal(a->type, b->type))
        return fail(e, a, b, a->kind != b->kind ? "kinds" : "types");
    if (!wheres_equal(a->where, b->where))
        return fail(e, a, b, "where(..)");
    return contents_equal(e, a, b);
}

const char *hir_differs(tf_ctx *ctx, const struct ir_function *a, const struct ir_function *b)
{
    struct equal e = {.ctx = ctx};
    if (strcmp(a->pub.name, b->pub.name) || a->pub.n_params != b->pub.n_params || !a->pub.body != !b->pub.body)
        return "signatures";
    for (uint32_t i = 0; i < a->pub.n_params; i++) {
        const struct tf_node *x = a->pub.params[i], *y = b->pub.params[i];
        if (strcmp(x->name, y->name) || !type_equal(x->type, y->type) || x->is_weight != y->is_weight)
            return arena_format(&ctx->arena, "parameter %s", x->name);
    }
    if (a->doc != b->doc && (!a->doc || !b->doc || strcmp(a->doc, b->doc)))
        return "docstrings";
    if (!a->pub.body)
        return type_equal(a->pub.result, b->pub.result) ? NULL : "results of prototypes";
    e.pair = CTX_ARRAY(ctx, const struct tf_node *, a->pub.n_nodes + 1);
    e.back = CTX_ARRAY(ctx, const struct tf_node *, b->pub.n_nodes + 1);
    nodes_equal(&e, a->pub.body, b->pub.body);
    return e.why;
}

static const char *functions_differ(tf_ctx *ctx, const struct ir_function *a, const struct ir_function *b)
{
    const char *why = hir_differs(ctx, a, b);
    if (!why && (a->n_variants != b->n_variants || a->n_converters != b->n_converters || !mesh_equal(a->mesh, b->mesh)))
        why = "variants, converters or mesh";
    for (uint32_t i = 0; !why && i < a->n_variants; i++) {
        const struct ir_variant *x = &a->variants[i], *y = &b->variants[i];
        if (strcmp(x->dim, y->dim) || x->lo != y->lo || x->hi != y->hi)
            why = "ranges of variants";
        else
            why = hir_differs(ctx, (const struct ir_function *)x->function, (const struct ir_function *)y->function);
    }
    for (uint32_t i = 0; !why && i < a->n_converters; i++)
        why = strcmp(a->converters[i].weight, b->converters[i].weight)
                  ? "weights of converters"
                  : hir_differs(ctx, (const struct ir_function *)a->converters[i].function,
                        (const struct ir_function *)b->converters[i].function);
    return why ? arena_format(&ctx->arena, "%s: %s", a->pub.name, why) : NULL;
}

static int texts_equal(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

const char *hir_modules_differ(tf_ctx *ctx, const struct ir_module *a, const struct ir_module *b)
{
    if (!texts_equal(a->name, b->name) || !texts_equal(a->entry, b->entry) || !texts_equal(a->target, b->target) ||
        a->has_levels != b->has_levels || a->n_levels != b->n_levels || a->n_functions != b->n_functions ||
        a->n_children != b->n_children)
        return "modules";
    for (uint32_t i = 0; i < a->n_levels; i++)
        if (strcmp(a->levels[i].name, b->levels[i].name) || a->levels[i].extent != b->levels[i].extent)
            return "levels";
    for (uint32_t i = 0; i < a->n_children; i++) {
        const char *why = hir_modules_differ(ctx, a->children[i], b->children[i]);
        if (why)
            return arena_format(&ctx->arena, "%s.%s", a->name, why);
    }
    for (uint32_t i = 0; i < a->n_functions; i++) {
        const char *why = functions_differ(ctx, a->functions[i], b->functions[i]);
        if (why)
            return arena_format(&ctx->arena, "%s.%s", a->name, why);
    }
    return NULL;
}

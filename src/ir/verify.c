/* SPDX-License-Identifier: MIT
 * What holds of every program once it is built.  Graphs that break the rules of hir.h are faults of the builder's caller
 * ("internal"); the rest is the author's to mend.
 */
#include "ir/bind.h"
#include "ir/ptr_map.h"
#include "util/diag.h"
#include "util/vec.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- one graph -----------------------------------------------------------------------------------------------------*/

struct graph {
    tf_ctx *ctx;
    const struct tf_function *function;
    uint8_t *open;               /* by node id: a region or loop that is being gone through */
    const struct tf_node **home; /* by node id: the region that it stands in */
    VEC(const struct tf_node *) regions;
};

static int broken(const struct graph *g, const struct tf_node *node, const char *what)
{
    ERROR(g->ctx, &node->loc, "internal", "function '%s', value %" PRIu32 ": %s", g->function->name, node->id, what);
    return TF_E_INTERNAL;
}

static const struct tf_node *region_in_force(const struct graph *g)
{
    return g->regions.n ? g->regions.at[g->regions.n - 1] : NULL;
}

static int is_bound(const struct tf_node *node)
{
    return node->kind == TF_NODE_RPARAM || node->kind == TF_NODE_LOOPVAR || node->kind == TF_NODE_CARRY;
}

/* A value is used in the region that it stands in, and what a region or loop binds only inside it. */
static int check_use(const struct graph *g, const struct tf_node *user, const struct tf_node *value)
{
    if (!value)
        return broken(g, user, "an operand is missing");
    if (is_bound(value) && !g->open[value->owner->id])
        return broken(g, user, "uses what a region or loop binds outside of it");
    if (g->home[value->id] != region_in_force(g))
        return broken(g, user, "uses a value of another region, which was not captured");
    return TF_OK;
}

static int check_shape_of(const struct graph *g, const struct tf_node *node)
{
    switch (node->kind) {
    case TF_NODE_CONST: return node->val ? TF_OK : broken(g, node, "a constant without a value");
    case TF_NODE_CALL:
        return node->op && node->n_attrs == node->op->n_attrs ? TF_OK : broken(g, node, "a call without its operator");
    case TF_NODE_TUPLE:
        return node->type->kind == TF_TYPE_TUPLE && node->type->rank == node->n_in
                   ? TF_OK
                   : broken(g, node, "a tuple of another type");
    case TF_NODE_FCALL: return node->callee ? TF_OK : broken(g, node, "a call without a function");
    case TF_NODE_REGION: return node->region->scope ? TF_OK : broken(g, node, "a region without a mesh");
    case TF_NODE_LOOP:
        return node->n_in == node->loop->n_carries ? TF_OK : broken(g, node, "a loop without all initial values");
    default: return node->kind <= TF_NODE_CARRY ? TF_OK : broken(g, node, "an unknown kind");
    }
}

static int visit(void *data, const struct tf_node *node)
{
    struct graph *g = data;
    if (node->id >= g->function->n_nodes)
        return broken(g, node, "its id is out of range");
    if (!node->type)
        return broken(g, node, "it has no type");
    g->home[node->id] = region_in_force(g);
    int rc = check_shape_of(g, node);
    if (!rc && is_bound(node) && !g->open[node->owner->id])
        return broken(g, node, "it is reached outside of what binds it");
    for (uint32_t i = 0; !rc && i < node->n_in; i++)
        rc = check_use(g, node, node->in[i]);
    return rc;
}

static int enter(void *data, const struct tf_node *owner)
{
    struct graph *g = data;
    g->open[owner->id] = 1;
    if (owner->kind == TF_NODE_REGION)
        VEC_PUSH(&g->regions, owner);
    return TF_OK;
}

static int leave(void *data, const struct tf_node *owner)
{
    struct graph *g = data;
    int rc = TF_OK;
    if (owner->kind == TF_NODE_REGION) {
        rc = check_use(g, owner, owner->region->body);
        g->regions.n--;
    } else {
        rc = check_use(g, owner, owner->loop->body);
        for (uint32_t i = 0; !rc && i < owner->loop->n_carries; i++)
            rc = check_use(g, owner, owner->loop->yields[i]);
    }
    g->open[owner->id] = 0;
    return rc;
}

static int check_graph(tf_ctx *ctx, const struct tf_function *function)
{
    struct graph g = {.ctx = ctx, .function = function};
    const struct walk walk = {&g, visit, enter, leave};
    g.open = xrealloc(NULL, function->n_nodes);
    g.home = xrealloc(NULL, function->n_nodes * sizeof(*g.home));
    if (function->n_nodes) {
        memset(g.open, 0, function->n_nodes);
        memset(g.home, 0, function->n_nodes * sizeof(*g.home));
    }
    int rc = walk_function(ctx, function, &walk);
    free(g.open);
    free(g.home);
    VEC_FREE(&g.regions);
    return rc;
}

/* ---- calls that come back to where they started ---------------------------------------------------------------------*/

#define OPEN 1u
#define DONE 2u

struct call_frame {
    const struct tf_function *function;
    struct walker walker;
};

struct calls {
    tf_ctx *ctx;
    struct ptr_map state;
    VEC(struct call_frame) stack;
};

static int follow(struct calls *c, const struct tf_loc *loc, const struct tf_function *function)
{
    uint32_t *state = ptr_map_put(&c->state, function, 0);
    if (*state == OPEN) {
        ERROR(c->ctx, loc, "call-cycle", "'%s' is called while it runs: a function cannot call itself", function->name);
        return TF_E_REFUSED;
    }
    if (*state == DONE)
        return TF_OK;
    *state = OPEN;
    struct call_frame frame = {.function = function};
    walker_init(&frame.walker, function);
    VEC_PUSH(&c->stack, frame);
    return TF_OK;
}

static int follow_variants(struct calls *c, const struct tf_node *call)
{
    const struct ir_function *callee = (const struct ir_function *)call->callee;
    int rc = follow(c, &call->loc, &callee->pub);
    for (uint32_t i = 0; !rc && i < callee->n_variants; i++)
        rc = follow(c, &call->loc, callee->variants[i].function);
    return rc;
}

static void frame_end(struct calls *c)
{
    struct call_frame *top = &c->stack.at[c->stack.n - 1];
    *ptr_map_put(&c->state, top->function, 0) = DONE;
    walker_finish(&top->walker);
    c->stack.n--;
}

static int check_calls(struct calls *c, const struct tf_function *function)
{
    int rc = follow(c, &function->loc, function);
    while (!rc && c->stack.n) {
        const struct tf_node *node;
        unsigned event = walker_next(&c->stack.at[c->stack.n - 1].walker, &node);
        if (event == WALK_END)
            frame_end(c);
        else if (event == WALK_VISIT && node->kind == TF_NODE_FCALL)
            rc = follow_variants(c, node);
    }
    while (c->stack.n)
        frame_end(c);
    return rc;
}

/* ---- variants ------------------------------------------------------------------------------------------------------*/

static int by_range(const void *a, const void *b)
{
    const struct ir_variant *const *x = a, *const *y = b;
    return ((*x)->lo > (*y)->lo) - ((*x)->lo < (*y)->lo);
}

static int ranges_cover(tf_ctx *ctx, const struct ir_function *base, const struct dim_var *var)
{
    const struct ir_variant **sorted = CTX_ARRAY(ctx, const struct ir_variant *, base->n_variants);
    for (uint32_t i = 0; i < base->n_variants; i++)
        sorted[i] = &base->variants[i];
    qsort(sorted, base->n_variants, sizeof(*sorted), by_range);
    int64_t reached = var->lo;
    for (uint32_t i = 0; i <= base->n_variants; i++) {
        int64_t lo = i < base->n_variants ? sorted[i]->lo : var->hi;
        if (lo != reached) {
            const struct tf_function *at = i < base->n_variants ? sorted[i]->function : &base->pub;
            ERROR(ctx, &at->loc, "variant-range",
                "the variants of '%s' %s at %s=%" PRId64 "; together they must cover [%" PRId64 ", %" PRId64 ") once",
                base->pub.name, lo > reached ? "leave a gap" : "overlap", var->name, lo > reached ? reached : lo,
                var->lo, var->hi);
            return 0;
        }
        reached = i < base->n_variants ? sorted[i]->hi : lo;
    }
    return 1;
}

static int same_signature(tf_ctx *ctx, const struct ir_function *base, const struct ir_variant *variant)
{
    const struct tf_function *f = variant->function;
    int same = f->n_params == base->pub.n_params;
    for (uint32_t i = 0; same && i < f->n_params; i++)
        same = type_equal(f->params[i]->type, base->pub.params[i]->type) &&
               f->params[i]->is_weight == base->pub.params[i]->is_weight;
    if (!same) {
        ERROR(ctx, &f->loc, "variant-signature", "variant '%s' does not take the parameters of '%s'", variant->label,
            base->pub.name);
        return 0;
    }
    if (!f->body || !base->declared || type_accepts(base->declared, f->result))
        return 1;
    ERROR(ctx, &f->loc, "variant-signature", "variant '%s' gives %s; '%s' is declared to give %s", variant->label,
        type_text(ctx, f->result), base->pub.name, type_text(ctx, base->declared));
    return 0;
}

static int find_param_var(tf_ctx *ctx, const struct ir_function *base, const char *name, struct dim_var *var)
{
    size_t n = param_dimensions(ctx, base, NULL, 0);
    struct dim_var *vars = CTX_ARRAY(ctx, struct dim_var, n);
    param_dimensions(ctx, base, vars, n);
    for (size_t i = 0; i < n; i++)
        if (!strcmp(vars[i].name, name)) {
            *var = vars[i];
            return 1;
        }
    return 0;
}

static int check_variants(tf_ctx *ctx, const struct ir_function *base)
{
    struct dim_var var = {0};
    int fine = 1;
    for (uint32_t i = 0; i < base->n_variants; i++) {
        const struct ir_variant *variant = &base->variants[i];
        if (!find_param_var(ctx, base, variant->dim, &var) || strcmp(variant->dim, base->variants[0].dim)) {
            ERROR(ctx, &variant->function->loc, "variant-dimension",
                "variant '%s' is chosen by '%s', which is not the one open dimension of the parameters of '%s' that "
                "its variants "
                "share",
                variant->label, variant->dim, base->pub.name);
            return TF_E_REFUSED;
        }
        fine &= same_signature(ctx, base, variant);
    }
    if (base->n_variants && fine)
        fine = ranges_cover(ctx, base, &var);
    return fine ? TF_OK : TF_E_REFUSED;
}

/* ---- modules -------------------------------------------------------------------------------------------------------*/

static int by_name(const void *a, const void *b)
{
    const struct tf_node *const *x = a, *const *y = b;
    int order = strcmp((*x)->name, (*y)->name);
    return order ? order : ((*x)->loc.line > (*y)->loc.line) - ((*x)->loc.line < (*y)->loc.line);
}

/* A weight of a module is one tensor, whichever function reads it. */
static int check_weights(tf_ctx *ctx, const struct ir_module *module)
{
    VEC(const struct tf_node *) weights = {0};
    int rc = TF_OK;
    for (uint32_t i = 0; i < module->n_functions; i++)
        for (uint32_t k = 0; k < module->functions[i]->pub.n_params; k++)
            if (module->functions[i]->pub.params[k]->is_weight)
                VEC_PUSH(&weights, module->functions[i]->pub.params[k]);
    if (weights.n)
        qsort(weights.at, weights.n, sizeof(*weights.at), by_name);
    for (size_t i = 1; i < weights.n; i++) {
        const struct tf_node *a = weights.at[i - 1], *b = weights.at[i];
        if (strcmp(a->name, b->name) || type_equal(a->type, b->type))
            continue;
        ERROR(ctx, &b->loc, "weight-type", "weight '%s' of module '%s' is %s here and %s elsewhere", b->name,
            module->name, type_text(ctx, b->type), type_text(ctx, a->type));
        rc = TF_E_REFUSED;
    }
    VEC_FREE(&weights);
    return rc;
}

static int check_function(struct calls *c, const struct ir_function *function)
{
    int rc = check_graph(c->ctx, &function->pub);
    if (!rc)
        rc = check_variants(c->ctx, function);
    for (uint32_t i = 0; !rc && i < function->n_variants; i++)
        rc = check_graph(c->ctx, function->variants[i].function);
    for (uint32_t i = 0; !rc && i < function->n_converters; i++)
        rc = check_graph(c->ctx, function->converters[i].function);
    if (!rc)
        rc = check_calls(c, &function->pub);
    for (uint32_t i = 0; !rc && i < function->n_variants; i++)
        rc = check_calls(c, function->variants[i].function);
    return rc;
}

static int check_module(struct calls *c, const struct ir_module *module)
{
    int rc = check_weights(c->ctx, module);
    for (uint32_t i = 0; i < module->n_functions; i++) {
        int one = check_function(c, module->functions[i]);
        rc = rc ? rc : one;
    }
    for (uint32_t i = 0; i < module->n_children; i++) {
        int one = check_module(c, module->children[i]);
        rc = rc ? rc : one;
    }
    return rc;
}

int ir_verify(tf_ctx *ctx, const struct ir_module *module)
{
    struct calls calls = {.ctx = ctx};
    int rc = check_module(&calls, module);
    VEC_FREE(&calls.stack);
    ptr_map_free(&calls.state);
    return rc;
}

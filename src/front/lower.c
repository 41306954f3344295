/* SPDX-License-Identifier: MIT
 * What the evaluator and the readers of types ask of the function that is being lowered.
 */
#include "front/lower.h"

#include "util/diag.h"

#include <string.h>

struct eval lower_eval(struct lower *l)
{
    return (struct eval){.front = l->front, .env = l->f->env, .at = l->f->at, .lower = l};
}

const struct value *lower_static_name(struct lower *l, const struct expr *e)
{
    const struct value *v = local_lookup(l, e->name);
    if (v)
        return v;
    return l->module ? scope_lookup(l->module, e->name) : NULL;
}

static const struct value *const_value(tf_ctx *ctx, const struct tf_val *val)
{
    switch (val->kind) {
    case TF_VAL_BOOL: return value_bool(val->u.i != 0);
    case TF_VAL_INT: return value_int(ctx, val->u.i);
    case TF_VAL_FLOAT: return value_float(ctx, val->u.f);
    case TF_VAL_DIM: return value_dim(ctx, val->u.dim);
    default: return NULL;
    }
}

/* The value behind captures and behind items of written tuples: a, b = 1, 2 makes constants. */
static const struct tf_node *constant_behind(const struct tf_node *node)
{
    for (;;) {
        if (node->kind == TF_NODE_RPARAM) {
            node = node->owner->in[node->index];
        } else if (node->kind == TF_NODE_CALL && (node->op->flags & TF_OP_ITEM) && node->in[0]->kind == TF_NODE_TUPLE) {
            node = node->in[0]->in[node->attrs[0].u.i];
        } else {
            return node;
        }
    }
}

const struct value *lower_static(struct eval *ev, const struct value *v)
{
    tf_ctx *ctx = ev->front->ctx;
    if (v->kind != VALUE_NODE)
        return v;
    const struct tf_node *node = constant_behind(v->u.node);
    const struct value *known = node->kind == TF_NODE_CONST ? const_value(ctx, node->val) : NULL;
    if (known || node->kind != TF_NODE_TUPLE)
        return known ? known : v;
    const struct value **items = CTX_ARRAY(ctx, const struct value *, node->n_in + 1);
    for (uint32_t i = 0; i < node->n_in; i++) {
        struct value item = {.kind = VALUE_NODE, .u.node = node->in[i]};
        const struct tf_node *in = constant_behind(item.u.node);
        if (in->kind != TF_NODE_CONST || !(items[i] = const_value(ctx, in->val)))
            return v;
    }
    return value_items(ctx, VALUE_TUPLE, items, node->n_in);
}

const struct value *const *lower_open_meshes(const struct lower *l, uint32_t *n)
{
    *n = l ? (uint32_t)l->n_regions : 0;
    return l ? l->meshes : NULL;
}

/* ---- meshes ------------------------------------------------------------------------------------------------------*/

static const struct tf_topology *declared_level(const struct lower *l, const char *name)
{
    for (uint32_t i = 0; i < l->n_levels; i++)
        if (strcmp(l->levels[i].name, name) == 0)
            return &l->levels[i];
    return NULL;
}

static int undeclared(struct eval *ev, const struct tf_loc *loc, const char *level)
{
    const struct lower *l = ev->lower;
    struct buf list = {0};
    for (uint32_t i = 0; i < l->n_levels; i++)
        buf_printf(&list, "%s%s", i ? ", " : "", l->levels[i].name);
    if (l->n_levels)
        eval_fail(
            ev, loc, "topology-level", "the module declares no level '%s'; it declares %s", level, buf_text(&list));
    else
        eval_fail(ev, loc, "topology-level",
            "no level '%s' is declared here: topologies=(Topology(\"%s\", N),) states it", level, level);
    buf_free(&list);
    return 0;
}

static int resolve_levels(struct eval *ev, struct tf_mesh *fields, const struct tf_loc *loc)
{
    struct tf_topology *levels = CTX_ARRAY(ev->front->ctx, struct tf_topology, fields->n_levels + 1);
    for (uint32_t i = 0; i < fields->n_levels; i++) {
        levels[i] = fields->levels[i];
        if (levels[i].extent)
            continue;
        const struct tf_topology *known = declared_level(ev->lower, levels[i].name);
        if (!known)
            return undeclared(ev, loc, levels[i].name);
        levels[i] = *known;
    }
    fields->levels = levels;
    return 1;
}

/* R11 holds wherever a mesh is used.  A slice has fewer units by intent; a free function is checked where it is called. */
static int mesh_suits(struct eval *ev, struct mesh_value *m, const struct tf_loc *loc)
{
    struct lower *l = ev->lower;
    if (m->checked || !l || !l->fn->owner || m->mesh->base)
        return 1;
    m->checked = 1;
    if (mesh_check(l->ctx, loc, m->mesh, l->levels, l->n_levels) == TF_OK)
        return 1;
    eval_fail(ev, loc, "mesh", "the mesh does not suit its levels");
    ev->fail.reported = 1;
    return 0;
}

const struct value *lower_mesh_value(struct eval *ev, const struct value *v, const struct tf_loc *loc)
{
    struct mesh_value *m = v->u.mesh;
    if (m->mesh)
        return mesh_suits(ev, m, loc) ? v : NULL;
    if (!ev->lower)
        return eval_fail(ev, loc, "mesh", "a mesh whose levels are only named has a meaning inside a function only");
    struct mesh_value *made = CTX_NEW(ev->front->ctx, struct mesh_value);
    *made = *m;
    if (!resolve_levels(ev, &made->fields, loc))
        return NULL;
    made->mesh = mesh_make(ev->front->ctx, &made->fields);
    if (!made->mesh)
        return eval_fail(ev, loc, "mesh", "the mesh cannot be made");
    struct value *resolved = value_new(ev->front->ctx, VALUE_MESH);
    resolved->u.mesh = made;
    return mesh_suits(ev, made, loc) ? resolved : NULL;
}

/* ---- captures ----------------------------------------------------------------------------------------------------*/

const struct tf_node *lower_here(struct lower *l, const struct value *v, const char *name)
{
    const struct tf_node *node = v->u.node;
    for (size_t k = v->level; node && k < l->n_regions; k++)
        node = ir_region_capture(&l->b, l->regions[k], node, name ? name : node->name);
    return node;
}

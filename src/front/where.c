/* SPDX-License-Identifier: MIT
 * where(layout=.., mesh=.., storage=..) as an annotation: a wish about where a value is, checked for its form and kept.
 */
#include "front/lower.h"

#include "front/types.h"
#include "util/diag.h"

#include <string.h>

static int refuse(struct lower *l, const struct expr *e, const char *text)
{
    ERROR(l->ctx, &e->loc, "where", "%s", text);
    return 0;
}

/* A symbolic name: of a level, as a word. */
static const char *level_name(struct lower *l, const struct expr *e)
{
    if (e->kind == EXPR_NAME || e->kind == EXPR_STRING)
        return e->name;
    return e->kind == EXPR_ATTR ? expr_text(l->ctx, e) : NULL;
}

/* What is read so far; a level is bound once. */
struct reading {
    struct lower *l;
    const struct expr *where; /* the call */
    struct tf_where *out;
    const char *name[TF_MAX_MESH];
    uint32_t n;
};

static int bind_level(struct reading *r, const struct expr *e, struct tf_where_axis *axis)
{
    const char *name = level_name(r->l, e);
    if (!name)
        return refuse(r->l, r->where, "a level in where(layout=..) is named by a word");
    for (uint32_t i = 0; i < r->n; i++)
        if (strcmp(r->name[i], name) == 0)
            return refuse(r->l, r->where, "a level is bound more than once in where(layout=..)");
    if (r->n == TF_MAX_MESH)
        return refuse(r->l, r->where, "where(layout=..) binds more levels than any mesh has");
    axis->level = r->name[r->n++] = name;
    return 1;
}

static int read_extent(struct reading *r, const struct expr *e, struct tf_where_axis *axis)
{
    struct eval ev = lower_eval(r->l);
    axis->extent = dim_read(&ev, e);
    if (!axis->extent)
        eval_report(&ev);
    return axis->extent != NULL;
}

static int read_axis(struct reading *r, const struct expr *e, struct tf_where_axis *axis)
{
    if (e->kind == EXPR_NAME && strcmp(e->name, "_") == 0)
        return 1;
    if (e->kind == EXPR_BINARY && strcmp(e->op, "@") == 0)
        return read_extent(r, e->left, axis) && bind_level(r, e->right, axis);
    return read_extent(r, e, axis);
}

static int is_reduction(const struct expr *e)
{
    if (e->kind != EXPR_CALL || e->left->kind != EXPR_NAME || e->n_keywords)
        return 0;
    if (strcmp(e->left->name, "B") == 0)
        return e->n_items == 0;
    return strcmp(e->left->name, "P") == 0 && e->n_items == 1 && e->items[0]->kind == EXPR_STRING;
}

static int read_bindings(struct reading *r, const struct expr *set)
{
    if (set->kind != EXPR_SET)
        return refuse(r->l, r->where,
            "what follows the dimensions in where(layout=..) is a set, {level @ B(), level @ P(\"sum\")}");
    struct tf_where_axis *bindings = CTX_ARRAY(r->l->ctx, struct tf_where_axis, set->n_items);
    for (uint32_t i = 0; i < set->n_items; i++) {
        const struct expr *item = set->items[i];
        if (item->kind != EXPR_BINARY || strcmp(item->op, "@") != 0 || !is_reduction(item->right))
            return refuse(r->l, r->where, "a binding in where(layout=..) is level @ B() or level @ P(\"sum\")");
        if (!bind_level(r, item->left, &bindings[i]))
            return 0;
        bindings[i].reduction = item->right->n_items ? item->right->items[0]->name : NULL;
    }
    r->out->n_bindings = set->n_items;
    r->out->bindings = bindings;
    return 1;
}

static int read_layout(struct reading *r, const struct expr *e)
{
    const struct expr *dims = e;
    if (e->kind != EXPR_TUPLE)
        return refuse(r->l, r->where, "layout in where(..) is a tuple");
    if (e->n_items && e->items[0]->kind == EXPR_TUPLE) {
        dims = e->items[0];
        if (e->n_items > 2)
            return refuse(r->l, r->where, "where(layout=..) takes one set of bindings");
    }
    if (dims->n_items == 0)
        return refuse(r->l, r->where, "layout in where(..) is empty");
    struct tf_where_axis *axes = CTX_ARRAY(r->l->ctx, struct tf_where_axis, dims->n_items);
    for (uint32_t i = 0; i < dims->n_items; i++)
        if (!read_axis(r, dims->items[i], &axes[i]))
            return 0;
    r->out->n_axes = dims->n_items;
    r->out->axes = axes;
    return dims == e || e->n_items < 2 || read_bindings(r, e->items[1]);
}

static int read_mesh(struct reading *r, const struct expr *e)
{
    struct eval ev = lower_eval(r->l);
    const struct value *v = eval_expr(&ev, e);
    if (v && v->kind != VALUE_MESH)
        v = eval_fail(&ev, &e->loc, "where", "mesh in where(..) is a Mesh, not %s", value_kind_text(v->kind));
    if (v)
        v = lower_mesh_value(&ev, v, &e->loc);
    if (!v)
        eval_report(&ev);
    else
        r->out->mesh = v->u.mesh->mesh;
    return v != NULL;
}

static int read_storage(struct reading *r, const struct expr *e)
{
    struct eval ev = lower_eval(r->l);
    r->out->has_storage = 1;
    int read = storage_read(&ev, e, &r->out->storage);
    if (!read)
        eval_report(&ev);
    return read;
}

static int read_field(struct reading *r, const struct keyword *key)
{
    if (!key->name)
        return refuse(r->l, r->where, "** is not expanded in where(..)");
    if (strcmp(key->name, "layout") == 0)
        return read_layout(r, key->value);
    if (strcmp(key->name, "mesh") == 0)
        return read_mesh(r, key->value);
    if (strcmp(key->name, "storage") == 0)
        return read_storage(r, key->value);
    ERROR(r->l->ctx, &r->where->loc, "where", "where(..) has no field '%s'; there are layout, mesh and storage",
        key->name);
    return 0;
}

static int names_twice(const struct expr *e, uint32_t i)
{
    for (uint32_t k = 0; k < i; k++)
        if (e->keywords[i].name && e->keywords[k].name && strcmp(e->keywords[i].name, e->keywords[k].name) == 0)
            return 1;
    return 0;
}

const struct tf_where *where_read(struct lower *l, const struct expr *e)
{
    struct reading r = {.l = l, .where = e, .out = CTX_NEW(l->ctx, struct tf_where)};
    int fits = e->n_items       ? refuse(l, e, "where(..) takes keywords only")
               : !e->n_keywords ? refuse(l, e, "where(..) says nothing: give layout=, mesh= or storage=")
                                : 1;
    for (uint32_t i = 0; fits && i < e->n_keywords; i++)
        fits = names_twice(e, i) ? refuse(l, e, "where(..) names a field twice") : read_field(&r, &e->keywords[i]);
    return fits ? r.out : NULL;
}

/* SPDX-License-Identifier: MIT
 * where(layout=.., mesh=.., storage=..) as an annotation: a wish about where a value is, checked for its form.
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

/* Levels that the layout binds so far; one is bound once. */
struct bound_levels {
    const char *name[TF_MAX_MESH];
    uint32_t n;
};

static int bind_level(struct lower *l, const struct expr *where, const struct expr *e, struct bound_levels *bound)
{
    const char *name = level_name(l, e);
    if (!name)
        return refuse(l, where, "a level in where(layout=..) is named by a word");
    for (uint32_t i = 0; i < bound->n; i++)
        if (strcmp(bound->name[i], name) == 0)
            return refuse(l, where, "a level is bound more than once in where(layout=..)");
    if (bound->n == TF_MAX_MESH)
        return refuse(l, where, "where(layout=..) binds more levels than any mesh has");
    bound->name[bound->n++] = name;
    return 1;
}

static int check_extent(struct lower *l, const struct expr *e)
{
    struct eval ev = lower_eval(l);
    const struct tf_dim *dim = dim_read(&ev, e);
    if (!dim)
        eval_report(&ev);
    return dim != NULL;
}

static int check_dim(struct lower *l, const struct expr *where, const struct expr *e, struct bound_levels *bound)
{
    if (e->kind == EXPR_NAME && strcmp(e->name, "_") == 0)
        return 1;
    if (e->kind == EXPR_BINARY && strcmp(e->op, "@") == 0)
        return check_extent(l, e->left) && bind_level(l, where, e->right, bound);
    return check_extent(l, e);
}

static int is_reduction(const struct expr *e)
{
    if (e->kind != EXPR_CALL || e->left->kind != EXPR_NAME || e->n_keywords)
        return 0;
    if (strcmp(e->left->name, "B") == 0)
        return e->n_items == 0;
    return strcmp(e->left->name, "P") == 0 && e->n_items == 1 && e->items[0]->kind == EXPR_STRING;
}

static int check_bindings(struct lower *l, const struct expr *where, const struct expr *set, struct bound_levels *bound)
{
    if (set->kind != EXPR_SET)
        return refuse(
            l, where, "what follows the dimensions in where(layout=..) is a set, {level @ B(), level @ P(\"sum\")}");
    for (uint32_t i = 0; i < set->n_items; i++) {
        const struct expr *item = set->items[i];
        if (item->kind != EXPR_BINARY || strcmp(item->op, "@") != 0 || !is_reduction(item->right))
            return refuse(l, where, "a binding in where(layout=..) is level @ B() or level @ P(\"sum\")");
        if (!bind_level(l, where, item->left, bound))
            return 0;
    }
    return 1;
}

static int check_layout(struct lower *l, const struct expr *where, const struct expr *e)
{
    struct bound_levels bound = {0};
    const struct expr *dims = e;
    if (e->kind != EXPR_TUPLE)
        return refuse(l, where, "layout in where(..) is a tuple");
    if (e->n_items && e->items[0]->kind == EXPR_TUPLE) {
        dims = e->items[0];
        if (e->n_items > 2)
            return refuse(l, where, "where(layout=..) takes one set of bindings");
    }
    if (dims->n_items == 0)
        return refuse(l, where, "layout in where(..) is empty");
    for (uint32_t i = 0; i < dims->n_items; i++)
        if (!check_dim(l, where, dims->items[i], &bound))
            return 0;
    return dims == e || e->n_items < 2 || check_bindings(l, where, e->items[1], &bound);
}

static int check_mesh(struct lower *l, const struct expr *e)
{
    struct eval ev = lower_eval(l);
    const struct value *v = eval_expr(&ev, e);
    if (v && v->kind != VALUE_MESH)
        v = eval_fail(&ev, &e->loc, "where", "mesh in where(..) is a Mesh, not %s", value_kind_text(v->kind));
    if (!v)
        eval_report(&ev);
    return v != NULL;
}

static int check_storage(struct lower *l, const struct expr *e)
{
    struct eval ev = lower_eval(l);
    uint32_t storage;
    int read = storage_read(&ev, e, &storage);
    if (!read)
        eval_report(&ev);
    return read;
}

int where_check(struct lower *l, const struct expr *e)
{
    if (e->n_items)
        return refuse(l, e, "where(..) takes keywords only");
    if (!e->n_keywords)
        return refuse(l, e, "where(..) says nothing: give layout=, mesh= or storage=");
    for (uint32_t i = 0; i < e->n_keywords; i++) {
        const struct keyword *key = &e->keywords[i];
        for (uint32_t k = 0; k < i; k++)
            if (key->name && e->keywords[k].name && strcmp(key->name, e->keywords[k].name) == 0)
                return refuse(l, e, "where(..) names a field twice");
        int fits = !key->name                          ? 0
                   : strcmp(key->name, "layout") == 0  ? check_layout(l, e, key->value)
                   : strcmp(key->name, "mesh") == 0    ? check_mesh(l, key->value)
                   : strcmp(key->name, "storage") == 0 ? check_storage(l, key->value)
                                                       : -1;
        if (!key->name)
            return refuse(l, e, "** is not expanded in where(..)");
        if (fits < 0)
            ERROR(
                l->ctx, &e->loc, "where", "where(..) has no field '%s'; there are layout, mesh and storage", key->name);
        if (fits <= 0)
            return 0;
    }
    return 1;
}

/* SPDX-License-Identifier: MIT
 * `with mesh as m:` (language.md 6.3): a node of the program with what it captures, and what escapes from it.
 */
#include "front/lower.h"

#include "front/region.h"
#include "util/diag.h"

#include <stdlib.h>
#include <string.h>

/* ---- captures ----------------------------------------------------------------------------------------------------*/

/* Names that the suite reads and does not bind, each once. */
struct reads {
    struct lower *l;
    struct name_map bound; /* how many of the suites around bind the name */
    struct name_map found;
    const char **names;
    size_t n, room;
};

static void note_read(void *data, const char *name)
{
    struct reads *r = data;
    if (name_map_get(&r->bound, name))
        return;
    uint32_t *found = name_map_put(r->l->ctx, &r->found, name);
    if (*found)
        return;
    *found = 1;
    r->names = front_grow(r->l->ctx, r->names, r->n, &r->room, sizeof(*r->names));
    r->names[r->n++] = name;
}

static void bind_name(struct reads *r, const struct expr *target, uint32_t by)
{
    if (target->kind == EXPR_NAME)
        *name_map_put(r->l->ctx, &r->bound, target->name) += by;
    if (target->kind == EXPR_TUPLE)
        for (uint32_t i = 0; i < target->n_items; i++)
            bind_name(r, target->items[i], by);
}

/* by: 1 to bind, -1 (modulo 2^32) to take it back. */
static void bind_suite(struct reads *r, struct stmt *const *body, uint32_t n, uint32_t by)
{
    for (uint32_t i = 0; i < n; i++)
        if (body[i]->kind == STMT_ASSIGN || body[i]->kind == STMT_ANNOTATE || body[i]->kind == STMT_AUGMENT)
            for (uint32_t k = 0; k < body[i]->n_targets; k++)
                bind_name(r, body[i]->targets[k], by);
}

static void read_suite(struct reads *r, struct stmt *const *body, uint32_t n);

static void read_with(struct reads *r, const struct stmt *s)
{
    for (uint32_t i = 0; i < s->n_items; i++)
        names_read_expr(s->items[i].context, note_read, r);
    for (uint32_t i = 0; i < s->n_items; i++)
        if (s->items[i].target)
            bind_name(r, s->items[i].target, 1);
    bind_suite(r, s->body, s->n_body, 1);
    read_suite(r, s->body, s->n_body);
    bind_suite(r, s->body, s->n_body, UINT32_MAX);
    for (uint32_t i = 0; i < s->n_items; i++)
        if (s->items[i].target)
            bind_name(r, s->items[i].target, UINT32_MAX);
}

static void read_suite(struct reads *r, struct stmt *const *body, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const struct stmt *s = body[i];
        if (s->kind == STMT_WITH) {
            read_with(r, s);
        } else if (s->kind == STMT_FOR) {
            names_read_expr(s->value, note_read, r);
            read_suite(r, s->body, s->n_body);
        } else {
            names_read(s, note_read, r);
        }
    }
}

static int by_name(const void *a, const void *b)
{
    const char *const *x = a, *const *y = b;
    return strcmp(*x, *y);
}

/* Names in the order in which they are captured.  What a suite reads and assigns as well is captured when it is read. */
static const char **find_captures(struct lower *l, const struct stmt *s, size_t *n)
{
    struct reads r = {.l = l};
    bind_suite(&r, s->body, s->n_body, 1);
    read_suite(&r, s->body, s->n_body);
    if (r.n > 1)
        qsort(r.names, r.n, sizeof(*r.names), by_name);
    *n = r.n;
    return r.names;
}

static void capture(struct lower *l, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct value *v = local_lookup(l, names[i]);
        if (v && v->kind == VALUE_NODE && v->level < l->n_regions)
            lower_here(l, v, names[i]);
    }
}

/* ---- opening -----------------------------------------------------------------------------------------------------*/

static const struct value *read_mesh(struct lower *l, const struct stmt *s)
{
    if (s->is_async || s->n_items != 1 || !s->items[0].target || s->items[0].target->kind != EXPR_NAME) {
        ERROR(l->ctx, &s->loc, "with", "'with' opens exactly one mesh, under a name: with MESH as m:");
        return NULL;
    }
    const struct expr *e = s->items[0].context;
    struct eval ev = lower_eval(l);
    const struct value *v = eval_expr(&ev, e);
    if (v && v->kind != VALUE_MESH)
        v = eval_fail(&ev, &e->loc, "mesh", "'with' opens a Mesh, and this is %s", value_kind_text(v->kind));
    if (v)
        v = lower_mesh_value(&ev, v, &e->loc);
    if (!v)
        eval_report(&ev);
    return v;
}

int region_push(struct lower *l, struct tf_node *region, const struct value *mesh, const char *name)
{
    l->regions = front_grow(l->ctx, l->regions, l->n_regions, &l->room_regions, sizeof(*l->regions));
    l->meshes = front_grow(l->ctx, l->meshes, l->n_regions, &l->room_meshes, sizeof(*l->meshes));
    l->regions[l->n_regions] = region;
    l->meshes[l->n_regions++] = mesh;
    locals_push(l);
    local_define(l, name, mesh);
    return 1;
}

/* ---- closing -----------------------------------------------------------------------------------------------------*/

struct results {
    const struct tf_node **nodes;
    const char **names; /* NULL for the suite's own value */
    size_t n, room_nodes, room_names;
    int refused;
};

static void add_result(struct lower *l, struct results *r, const char *name, const struct tf_node *node)
{
    r->nodes = front_grow(l->ctx, r->nodes, r->n, &r->room_nodes, sizeof(*r->nodes));
    r->names = front_grow(l->ctx, r->names, r->n, &r->room_names, sizeof(*r->names));
    r->nodes[r->n] = node;
    r->names[r->n++] = name;
}

/* What escapes: names of the suite's own frame that later statements read. */
static void collect_escapes(struct lower *l, const struct stmt *s, const struct name_map *escaping, struct results *r)
{
    struct locals *locals = &l->locals;
    size_t first = locals->n;
    while (first && locals->at[first - 1].frame == locals->frame)
        first--;
    for (size_t i = first; i < locals->n; i++) {
        const char *name = locals->at[i].name;
        const struct value *v = locals->at[i].value;
        if (!name_map_get(escaping, name))
            continue;
        if (v->kind != VALUE_NODE && v->kind != VALUE_POISON)
            ERROR(l->ctx, &s->loc, "region", "'%s' is read after this 'with' and is %s, not a value that it computes",
                name, value_kind_text(v->kind));
        const struct tf_node *node = v->kind == VALUE_NODE ? lower_here(l, v, name) : NULL;
        r->refused |= node == NULL;
        add_result(l, r, name, node);
    }
}

static const struct tf_node *close_body(struct lower *l, const struct stmt *s, const struct results *r)
{
    if (r->n == 1)
        return r->nodes[0];
    if (r->n == 0) /* nothing reads it: the region is not part of the program, but its scope has to end */
        return lower_number(l, &s->loc, &value_false);
    return ir_tuple(&l->b, &s->loc, r->nodes, (uint32_t)r->n);
}

static void poison(struct lower *l, const struct results *r)
{
    for (size_t i = 0; i < r->n; i++)
        if (r->names[i])
            local_define(l, r->names[i], &value_poison);
}

static const struct tf_node *bind_results(
    struct lower *l, const struct stmt *s, struct tf_node *region, const struct results *r)
{
    const struct tf_node *value = NULL;
    if (r->n == 1) {
        if (!r->names[0])
            return region;
        region->name = r->names[0];
        local_define(l, r->names[0], node_value(l, region));
        return NULL;
    }
    for (size_t i = 0; i < r->n; i++) {
        struct sugar_attr attr = {"index", {.kind = TF_VAL_INT, .u.i = (int64_t)i}};
        const struct tf_node *from = region;
        const struct tf_node *item = sugar_call(l, &s->loc, r->names[i], sugar_op("[i]", 1), &from, 1, &attr, 1);
        if (r->names[i])
            local_define(l, r->names[i], node_value(l, item));
        else
            value = item;
    }
    return value;
}

const struct tf_node *region_pop(struct lower *l, const struct stmt *s, struct tf_node *region,
    const struct name_map *escaping, const struct tf_node *value, int want)
{
    struct results r = {0};
    struct local *dropped;
    collect_escapes(l, s, escaping, &r);
    if (want) {
        add_result(l, &r, NULL, value);
        r.refused |= value == NULL;
    }
    const struct tf_node *body = r.refused ? lower_number(l, &s->loc, &value_false) : close_body(l, s, &r);
    locals_pop(l, &dropped);
    l->n_regions--;
    if (!body || ir_region_close(&l->b, region, body) != TF_OK || r.refused) {
        poison(l, &r);
        return NULL;
    }
    return bind_results(l, s, region, &r);
}

static void poison_escaping(struct lower *l, const struct stmt *s, const struct name_map *escaping)
{
    for (uint32_t i = 0; i < s->n_body; i++)
        for (uint32_t k = 0; k < s->body[i]->n_targets; k++) {
            const struct expr *target = s->body[i]->targets[k];
            if (target->kind == EXPR_NAME && name_map_get(escaping, target->name))
                local_define(l, target->name, &value_poison);
            for (uint32_t j = 0; target->kind == EXPR_TUPLE && j < target->n_items; j++)
                if (target->items[j]->kind == EXPR_NAME && name_map_get(escaping, target->items[j]->name))
                    local_define(l, target->items[j]->name, &value_poison);
        }
}

const struct tf_node *lower_region(struct lower *l, const struct stmt *s, const struct name_map *escaping, int want)
{
    size_t n_names;
    const struct value *mesh = read_mesh(l, s);
    struct tf_node *region = NULL;
    if (mesh) {
        mesh->u.mesh->checked = 1;
        region = ir_region_open(&l->b, &s->loc, mesh->u.mesh->mesh, s->items[0].target->name);
    }
    if (!region) {
        poison_escaping(l, s, escaping);
        return NULL;
    }
    const char **names = find_captures(l, s, &n_names);
    region_push(l, region, mesh, s->items[0].target->name);
    capture(l, names, n_names);
    const struct tf_node *value = lower_block(l, s->body, s->n_body, want);
    return region_pop(l, s, region, escaping, value, want);
}

/* SPDX-License-Identifier: MIT
 * Layout slots: placement sugar, plain and explicit layouts (language.md 6.2).
 */
#include "front/types.h"

#include "front/lower.h"

#include <inttypes.h>
#include <string.h>

int is_placed(const struct expr *e)
{
    if (e->kind != EXPR_TUPLE)
        return 0;
    for (uint32_t i = 0; i < e->n_items; i++)
        if (e->items[i]->kind == EXPR_BINARY && strcmp(e->items[i]->op, "@") == 0)
            return 1;
    return 0;
}

/* The meshes that a placed tuple names, and which axis of which each mention means. */
struct mention {
    const struct value *mesh; /* resolved */
    uint32_t axis, item;
};
struct placed {
    struct mention mentions[TF_MAX_MESH * 2];
    uint32_t n;
    const struct value *meshes[TF_MAX_MESH]; /* distinct, outermost first once ordered */
    uint32_t n_meshes;
    uint32_t first[TF_MAX_MESH]; /* index of a mesh's first axis in the composed one */
};

static int note_axis(struct eval *ev, struct placed *p, const struct expr *e, uint32_t item)
{
    const struct expr *base = e->kind == EXPR_ATTR ? e->left : e;
    if (base->kind != EXPR_NAME) {
        eval_fail(ev, &e->loc, "placement", "what stands after @ is a mesh axis, m.axis, or a mesh of one axis");
        return 0;
    }
    struct eval quiet = *ev;
    const struct value *mesh = eval_expr(&quiet, base);
    if (!mesh || mesh->kind != VALUE_MESH) {
        eval_fail(ev, &e->loc, "placement", "'%s' is not a mesh that is in force or known here", base->name);
        return 0;
    }
    if (!(mesh = lower_mesh_value(ev, mesh, &e->loc)))
        return 0;
    int axis = e->kind == EXPR_ATTR            ? mesh_axis(mesh->u.mesh->mesh, e->name, 0)
               : mesh->u.mesh->mesh->rank == 1 ? 0
                                               : -1;
    if (axis < 0 && e->kind == EXPR_ATTR)
        eval_fail(ev, &e->loc, "placement", "mesh '%s' has no axis '%s'", base->name, e->name);
    else if (axis < 0)
        eval_fail(ev, &e->loc, "placement", "mesh '%s' has %u axes: say which one, as in %s.axis", base->name,
            mesh->u.mesh->mesh->rank, base->name);
    else if (p->n == sizeof p->mentions / sizeof *p->mentions)
        eval_fail(ev, &e->loc, "placement", "more mesh axes than any mesh has");
    if (ev->fail.code)
        return 0;
    p->mentions[p->n++] = (struct mention){mesh, (uint32_t)axis, item};
    return 1;
}

/* extent @ axes @ axes ...: notes the axes, gives the extent. */
static const struct expr *note_item(struct eval *ev, struct placed *p, const struct expr *e, uint32_t item)
{
    const struct expr *axes[TF_MAX_MESH];
    uint32_t n = 0;
    while (e->kind == EXPR_BINARY && strcmp(e->op, "@") == 0) {
        if (n == TF_MAX_MESH) {
            eval_fail(ev, &e->loc, "placement", "more mesh axes than any mesh has");
            return NULL;
        }
        axes[n++] = e->right;
        e = e->left;
    }
    while (n) {
        const struct expr *a = axes[--n];
        uint32_t many = a->kind == EXPR_TUPLE ? a->n_items : 1;
        for (uint32_t i = 0; i < many; i++)
            if (!note_axis(ev, p, a->kind == EXPR_TUPLE ? a->items[i] : a, item))
                return NULL;
    }
    return e;
}

static int add_mesh(struct placed *p, const struct value *mesh)
{
    for (uint32_t i = 0; i < p->n_meshes; i++)
        if (p->meshes[i]->u.mesh->mesh == mesh->u.mesh->mesh)
            return 1;
    if (p->n_meshes == TF_MAX_MESH)
        return 0;
    p->meshes[p->n_meshes++] = mesh;
    return 1;
}

/* Open meshes outermost first; meshes outside any `with` as they are mentioned. */
static void order_meshes(struct eval *ev, struct placed *p)
{
    uint32_t n_open = 0, inactive = 0;
    const struct value *const *open = lower_open_meshes(ev->lower, &n_open);
    for (uint32_t i = 0; i < p->n; i++) {
        uint32_t k = 0;
        while (k < n_open && open[k]->u.mesh->mesh != p->mentions[i].mesh->u.mesh->mesh)
            k++;
        inactive |= k == n_open;
    }
    for (uint32_t k = 0; !inactive && k < n_open; k++)
        for (uint32_t i = 0; i < p->n; i++)
            if (open[k]->u.mesh->mesh == p->mentions[i].mesh->u.mesh->mesh)
                add_mesh(p, open[k]);
    for (uint32_t i = 0; inactive && i < p->n; i++)
        add_mesh(p, p->mentions[i].mesh);
}

static const char *shared_level(const struct placed *p)
{
    for (uint32_t i = 0; i < p->n_meshes; i++)
        for (uint32_t k = 0; k < i; k++) {
            const struct tf_mesh *a = p->meshes[i]->u.mesh->mesh, *b = p->meshes[k]->u.mesh->mesh;
            for (uint32_t x = 0; x < a->n_levels; x++)
                for (uint32_t y = 0; y < b->n_levels; y++)
                    if (strcmp(a->levels[x].name, b->levels[y].name) == 0)
                        return a->levels[x].name;
        }
    return NULL;
}

/* One mesh out of all that are named. */
static const struct tf_mesh *join_meshes(struct eval *ev, const struct tf_loc *loc, struct placed *p)
{
    order_meshes(ev, p);
    const char *twice = shared_level(p);
    if (twice) {
        eval_fail(
            ev, loc, "placement", "two of these meshes name level '%s', and a layout can split a level once", twice);
        return NULL;
    }
    const struct tf_mesh *mesh = NULL;
    uint32_t at = 0;
    for (uint32_t i = 0; i < p->n_meshes; i++) {
        const struct tf_mesh *next = p->meshes[i]->u.mesh->mesh;
        p->first[i] = at;
        at += next->rank;
        mesh = mesh ? mesh_compose(ev->front->ctx, loc, mesh, next) : next;
        if (!mesh) {
            eval_fail(ev, loc, "placement", "these meshes do not go together");
            ev->fail.reported = 1;
            return NULL;
        }
    }
    return mesh;
}

static uint32_t composed_axis(const struct placed *p, const struct mention *m)
{
    uint32_t i = 0;
    while (p->meshes[i]->u.mesh->mesh != m->mesh->u.mesh->mesh)
        i++;
    return p->first[i] + m->axis;
}

static int fill_axes(struct eval *ev, const struct tf_loc *loc, const struct placed *p, struct placed_dim *items)
{
    uint32_t used[TF_MAX_MESH] = {0};
    for (uint32_t i = 0; i < p->n; i++) {
        uint32_t axis = composed_axis(p, &p->mentions[i]);
        struct placed_dim *item = &items[p->mentions[i].item];
        if (axis >= TF_MAX_MESH || used[axis]++) {
            eval_fail(ev, loc, "placement", "a mesh axis is named more than once in this placement");
            return 0;
        }
        item->axes[item->n_axes++] = axis;
    }
    return 1;
}

const struct tf_layout *placed_read(struct eval *ev, const struct expr *e, const struct tf_dim **shape)
{
    struct placed *p = CTX_NEW(ev->front->ctx, struct placed);
    struct placed_dim *items = CTX_ARRAY(ev->front->ctx, struct placed_dim, e->n_items + 1);
    for (uint32_t i = 0; i < e->n_items; i++) {
        const struct expr *extent = note_item(ev, p, e->items[i], i);
        if (!extent || !(shape[i] = dim_read(ev, extent)))
            return NULL;
        items[i].extent = shape[i];
        items[i].loc = e->items[i]->loc;
    }
    const struct tf_mesh *mesh = join_meshes(ev, &e->loc, p);
    if (!mesh || !fill_axes(ev, &e->loc, p, items))
        return NULL;
    const struct tf_layout *layout = layout_placed(ev->front->ctx, &e->loc, mesh, items, e->n_items);
    if (!layout) {
        eval_fail(ev, &e->loc, "placement", "the placement is refused");
        ev->fail.reported = 1;
    }
    return layout;
}

static const struct tf_dim *const *dims_read(struct eval *ev, const struct expr *e)
{
    const struct tf_dim **dims = CTX_ARRAY(ev->front->ctx, const struct tf_dim *, e->n_items + 1);
    for (uint32_t i = 0; i < e->n_items; i++)
        if (!(dims[i] = dim_read(ev, e->items[i])))
            return NULL;
    return dims;
}

/* ((dims), (strides)): plain, or split where the dims are placed. */
static const struct tf_layout *explicit_read(struct eval *ev, const struct expr *e)
{
    tf_ctx *ctx = ev->front->ctx;
    const struct expr *dims = e->items[0];
    const struct tf_dim *const *strides = dims_read(ev, e->items[1]), *const * shape;
    uint32_t rank = dims->n_items;
    const struct tf_layout *placed = NULL;
    if (!strides)
        return NULL;
    if (is_placed(dims)) {
        const struct tf_dim **written = CTX_ARRAY(ctx, const struct tf_dim *, rank + 1);
        if (!(placed = placed_read(ev, dims, written)))
            return NULL;
        rank = placed->rank;
        shape = placed->shape;
    } else if (!(shape = dims_read(ev, dims))) {
        return NULL;
    }
    if (rank != e->items[1]->n_items) {
        eval_fail(ev, &e->loc, "layout", "%u strides for a layout of %u positions", e->items[1]->n_items, rank);
        return NULL;
    }
    return placed ? layout_shard(ctx, rank, shape, strides, placed->mesh, placed->attrs)
                  : layout_plain(ctx, rank, shape, strides);
}

/* (4, 8): in C order; inside a `with`, held whole by every unit of the innermost mesh. */
static const struct tf_layout *dims_layout(struct eval *ev, const struct expr *e)
{
    tf_ctx *ctx = ev->front->ctx;
    uint32_t n_open = 0;
    const struct value *const *open = lower_open_meshes(ev->lower, &n_open);
    const struct tf_dim *const *shape = dims_read(ev, e);
    if (!shape || n_open == 0)
        return shape ? layout_plain(ctx, e->n_items, shape, NULL) : NULL;
    const struct tf_mesh *mesh = open[n_open - 1]->u.mesh->mesh;
    struct tf_shard_attr *attrs = CTX_ARRAY(ctx, struct tf_shard_attr, mesh->rank + 1);
    return layout_shard(ctx, e->n_items, shape, strides_c_order(ctx, e->n_items, shape), mesh, attrs);
}

const struct tf_layout *layout_read(struct eval *ev, const struct expr *e, int *none)
{
    *none = e->kind == EXPR_NONE;
    if (*none)
        return NULL;
    if (e->kind == EXPR_TUPLE) {
        if (e->n_items > TF_MAX_RANK * 2) {
            eval_fail(ev, &e->loc, "limit", "a layout of more than %d positions", TF_MAX_RANK * 2);
            return NULL;
        }
        if (e->n_items == 2 && e->items[0]->kind == EXPR_TUPLE && e->items[1]->kind == EXPR_TUPLE)
            return explicit_read(ev, e);
        if (is_placed(e)) {
            const struct tf_dim **shape = CTX_ARRAY(ev->front->ctx, const struct tf_dim *, e->n_items + 1);
            return placed_read(ev, e, shape);
        }
        return dims_layout(ev, e);
    }
    const struct value *v = eval_expr(ev, e);
    if (!v)
        return NULL;
    if (v->kind == VALUE_NONE) {
        *none = 1;
        return NULL;
    }
    if (v->kind == VALUE_LAYOUT)
        return layout_finished(ev->front->ctx, v->u.layout);
    eval_fail(ev, &e->loc, "layout", "a layout is expected here, not %s", value_kind_text(v->kind));
    return NULL;
}

/* SPDX-License-Identifier: MIT
 * Mesh(...), Layout(...), ShardLayout(...) as calls.
 */
#include "front/host.h"

#include "front/lower.h"

#include <inttypes.h>
#include <string.h>

/* A tuple of dimensions, into the context's memory. */
static const struct tf_dim *const *read_dims(
    struct eval *ev, const struct tf_loc *loc, const struct value *v, const char *what, uint32_t *n)
{
    if (!value_is_sequence(v)) {
        eval_fail(ev, loc, "layout", "%s must be a tuple of dimensions, not %s", what, value_kind_text(v->kind));
        return NULL;
    }
    const struct tf_dim **dims = CTX_ARRAY(ev->front->ctx, const struct tf_dim *, v->n + 1);
    for (uint32_t i = 0; i < v->n; i++)
        if (!(dims[i] = value_as_dim(ev->front->ctx, v->u.items[i]))) {
            eval_fail(ev, loc, "layout", "item %u of %s must be a dimension, not %s", i, what,
                value_kind_text(v->u.items[i]->kind));
            return NULL;
        }
    *n = v->n;
    return dims;
}

/* ((dims), (strides)) */
static int is_pair(const struct value *v)
{
    return value_is_sequence(v) && v->n == 2 && value_is_sequence(v->u.items[0]) && value_is_sequence(v->u.items[1]);
}

static const struct value *layout_value(struct eval *ev, const struct tf_layout *layout)
{
    struct value *v = value_new(ev->front->ctx, VALUE_LAYOUT);
    v->u.layout = layout;
    return v;
}

/* Strides that are not written stay open until the layout is used: layout_finished. */
static const struct value *plain_layout(
    struct eval *ev, const struct tf_loc *loc, const struct value *shape, const struct value *strides)
{
    tf_ctx *ctx = ev->front->ctx;
    uint32_t n, n_strides;
    const struct tf_dim *const *dims = read_dims(ev, loc, shape, "the shape of a layout", &n), *const *steps = NULL;
    if (!dims)
        return NULL;
    if (strides && strides->kind != VALUE_NONE) {
        if (!(steps = read_dims(ev, loc, strides, "the strides of a layout", &n_strides)))
            return NULL;
        if (n_strides != n)
            return eval_fail(ev, loc, "layout", "%u strides for %u dimensions", n_strides, n);
    }
    if (steps)
        return layout_value(ev, layout_plain(ctx, n, dims, steps));
    struct tf_layout *open = CTX_NEW(ctx, struct tf_layout);
    *open = (struct tf_layout){.kind = TF_LAYOUT_PLAIN, .rank = n, .shape = dims};
    return layout_value(ev, open);
}

const struct value *call_layout(struct eval *ev, const struct arguments *args)
{
    static const char *const names[] = {"shape", "strides", NULL};
    if (!arguments_check(ev, args, "Layout", 1, 2, names))
        return NULL;
    return plain_layout(ev, &args->call->loc, argument(args, 0, "shape"), argument(args, 1, "strides"));
}

static const struct tf_shard_attr *read_attrs(
    struct eval *ev, const struct tf_loc *loc, const struct value *v, const struct tf_mesh *mesh, uint32_t rank)
{
    if (!value_is_sequence(v) || v->n != mesh->rank) {
        eval_fail(ev, loc, "layout", "attrs must be a tuple with one of S(), B(), P() for each of the %u mesh axes",
            mesh->rank);
        return NULL;
    }
    struct tf_shard_attr *attrs = CTX_ARRAY(ev->front->ctx, struct tf_shard_attr, v->n + 1);
    for (uint32_t i = 0; i < v->n; i++) {
        if (v->u.items[i]->kind != VALUE_SPLIT) {
            eval_fail(ev, loc, "layout", "item %u of attrs must be S(), B() or P(), not %s", i,
                value_kind_text(v->u.items[i]->kind));
            return NULL;
        }
        attrs[i] = v->u.items[i]->u.shard;
        if (attrs[i].kind == TF_ATTR_SPLIT && (uint32_t)attrs[i].axis >= rank) {
            eval_fail(ev, loc, "layout", "S(%d) names no position of a layout of %u", attrs[i].axis, rank);
            return NULL;
        }
    }
    return attrs;
}

const struct value *call_shard_layout(struct eval *ev, const struct arguments *args)
{
    static const char *const names[] = {"layout", "attrs", "mesh", NULL};
    if (!arguments_check(ev, args, "ShardLayout", 3, 3, names))
        return NULL;
    const struct tf_loc *loc = &args->call->loc;
    const struct value *layout = argument(args, 0, "layout"), *mesh = argument(args, 2, "mesh");
    if (value_is_sequence(layout) && !(layout = plain_layout(ev, loc, layout, NULL)))
        return NULL;
    if (layout->kind != VALUE_LAYOUT || layout->u.layout->kind != TF_LAYOUT_PLAIN)
        return eval_fail(ev, loc, "layout", "layout must be a Layout, not %s", value_kind_text(layout->kind));
    if (mesh->kind != VALUE_MESH)
        return eval_fail(ev, loc, "layout", "mesh must be a Mesh, not %s", value_kind_text(mesh->kind));
    if (!mesh->u.mesh->mesh) {
        mesh = ev->lower ? lower_mesh_value(ev, mesh, loc) : NULL;
        if (!mesh)
            return eval_fail(
                ev, loc, "layout", "the mesh of a ShardLayout outside functions states its levels as Topology values");
    }
    const struct tf_mesh *m = mesh->u.mesh->mesh;
    const struct tf_layout *plain = layout->u.layout;
    const struct tf_shard_attr *attrs = read_attrs(ev, loc, argument(args, 1, "attrs"), m, plain->rank);
    if (!attrs)
        return NULL;
    return layout_value(ev, layout_shard(ev->front->ctx, plain->rank, plain->shape, plain->strides, m, attrs));
}

/* ---- meshes ------------------------------------------------------------------------------------------------------*/

static struct tf_topology *read_levels(struct eval *ev, const struct tf_loc *loc, const struct value *v, uint32_t *n)
{
    if (!value_is_sequence(v) || v->n == 0) {
        eval_fail(ev, loc, "mesh", "the levels of a Mesh are a tuple of names or of Topology values");
        return NULL;
    }
    struct tf_topology *levels = CTX_ARRAY(ev->front->ctx, struct tf_topology, v->n);
    enum value_kind kind = v->u.items[0]->kind;
    for (uint32_t i = 0; i < v->n; i++) {
        const struct value *item = v->u.items[i];
        if (item->kind != kind || (kind != VALUE_STRING && kind != VALUE_TOPOLOGY)) {
            eval_fail(ev, loc, "mesh", "the levels of a Mesh are all names or all Topology values");
            return NULL;
        }
        levels[i] = kind == VALUE_TOPOLOGY ? *item->u.topology
                                           : (struct tf_topology){.name = ctx_intern(ev->front->ctx, item->u.s)};
        for (uint32_t k = 0; k < i; k++)
            if (levels[k].name == levels[i].name) {
                eval_fail(ev, loc, "mesh", "the Mesh names level '%s' twice", levels[i].name);
                return NULL;
            }
    }
    *n = v->n;
    return levels;
}

static int read_mesh_layout(struct eval *ev, const struct tf_loc *loc, const struct value *v, struct tf_mesh *fields)
{
    uint32_t n, n_strides;
    if (v->kind == VALUE_LAYOUT && v->u.layout->kind == TF_LAYOUT_PLAIN) {
        fields->rank = v->u.layout->rank;
        fields->shape = v->u.layout->shape;
        fields->strides = v->u.layout->strides;
    } else {
        int pair = is_pair(v);
        fields->shape = read_dims(ev, loc, pair ? v->u.items[0] : v, "the layout of a Mesh", &n);
        fields->rank = n;
        if (!fields->shape)
            return 0;
        if (pair && !(fields->strides = read_dims(ev, loc, v->u.items[1], "the strides of a Mesh", &n_strides)))
            return 0;
        if (pair && n_strides != n) {
            eval_fail(ev, loc, "mesh", "%u strides for %u axes", n_strides, n);
            return 0;
        }
    }
    if (fields->rank == 0 || fields->rank > TF_MAX_MESH) {
        eval_fail(ev, loc, "mesh", "a Mesh has from 1 to %d axes, not %u", TF_MAX_MESH, fields->rank);
        return 0;
    }
    for (uint32_t i = 0; i < fields->rank; i++)
        if (fields->shape[i]->kind == TF_DIM_CONST && fields->shape[i]->value < 1) {
            eval_fail(ev, loc, "mesh", "axis %u of the Mesh has extent %" PRId64, i, fields->shape[i]->value);
            return 0;
        }
    return 1;
}

static int read_names(struct eval *ev, const struct tf_loc *loc, const struct value *v, struct tf_mesh *fields)
{
    const char **names = CTX_ARRAY(ev->front->ctx, const char *, fields->rank + 1);
    fields->names = names;
    if (!v)
        return 1;
    if (!value_is_sequence(v)) {
        eval_fail(ev, loc, "mesh", "the names of a Mesh are a tuple of strings, not %s", value_kind_text(v->kind));
        return 0;
    }
    for (uint32_t i = 0; i < v->n; i++) {
        if (v->u.items[i]->kind != VALUE_STRING) {
            eval_fail(ev, loc, "mesh", "the names of a Mesh are strings, not %s", value_kind_text(v->u.items[i]->kind));
            return 0;
        }
        if (i < fields->rank)
            names[i] = v->u.items[i]->u.s[0] ? ctx_intern(ev->front->ctx, v->u.items[i]->u.s) : NULL;
    }
    return 1;
}

const struct value *call_mesh(struct eval *ev, const struct arguments *args)
{
    static const char *const names[] = {"topologies", "layout", "names", NULL};
    const struct tf_loc *loc = &args->call->loc;
    struct tf_mesh fields = {0};
    if (!arguments_check(ev, args, "Mesh", 2, 3, names))
        return NULL;
    struct tf_topology *levels = read_levels(ev, loc, argument(args, 0, "topologies"), &fields.n_levels);
    if (!levels || !read_mesh_layout(ev, loc, argument(args, 1, "layout"), &fields) ||
        !read_names(ev, loc, argument(args, 2, "names"), &fields))
        return NULL;
    fields.levels = levels;
    struct mesh_value *m = CTX_NEW(ev->front->ctx, struct mesh_value);
    *m = (struct mesh_value){.fields = fields, .loc = *loc};
    if (levels[0].extent)
        m->mesh = mesh_make(ev->front->ctx, &fields);
    struct value *v = value_new(ev->front->ctx, VALUE_MESH);
    v->u.mesh = m;
    return v;
}

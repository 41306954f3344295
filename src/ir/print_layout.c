/* SPDX-License-Identifier: MIT
 * Meshes, and layouts: as placement sugar where it reads back as the same layout, else in full.
 */
#include "ir/printer.h"

#include "util/diag.h"

#include <string.h>

/* ---- meshes -------------------------------------------------------------------------------------------------------*/

void print_topologies(struct printer *p, const struct tf_topology *levels, uint32_t n)
{
    buf_char(&p->out, '(');
    for (uint32_t i = 0; i < n; i++) {
        use(p, USE_TOPOLOGY);
        buf_printf(&p->out, "%sTopology(", i ? ", " : "");
        print_string(p, levels[i].name);
        buf_str(&p->out, ", ");
        print_dim(p, levels[i].extent);
        buf_char(&p->out, ')');
    }
    buf_str(&p->out, n == 1 ? ",)" : ")");
}

static int is_c_order(
    struct printer *p, const struct tf_dim *const *strides, const struct tf_dim *const *shape, uint32_t n)
{
    const struct tf_dim *const *usual = strides ? strides_c_order(p->ctx, n, shape) : NULL;
    return !strides || (usual && !memcmp(strides, usual, n * sizeof(*usual)));
}

static void print_axis_names(struct printer *p, const struct tf_mesh *mesh)
{
    uint32_t n = mesh->rank;
    while (n && !mesh->names[n - 1])
        n--;
    if (!n)
        return;
    buf_str(&p->out, ", names=(");
    for (uint32_t i = 0; i < n; i++) {
        buf_str(&p->out, i ? ", " : "");
        print_string(p, mesh->names[i] ? mesh->names[i] : "");
    }
    buf_str(&p->out, n == 1 ? ",)" : ")");
}

static void print_whole(struct printer *p, const struct tf_mesh *mesh)
{
    int plain = is_c_order(p, mesh->strides, mesh->shape, mesh->rank);
    use(p, USE_MESH);
    buf_str(&p->out, "Mesh(");
    print_topologies(p, mesh->levels, mesh->n_levels);
    buf_str(&p->out, plain ? ", layout=" : ", layout=(");
    print_dims(p, mesh->shape, mesh->rank);
    if (!plain) {
        buf_str(&p->out, ", ");
        print_dims(p, mesh->strides, mesh->rank);
        buf_char(&p->out, ')');
    }
    print_axis_names(p, mesh);
    buf_char(&p->out, ')');
}

void print_mesh(struct printer *p, const struct tf_mesh *mesh)
{
    print_whole(p, mesh->base ? mesh->base : mesh);
    for (uint32_t i = 0; mesh->base && i < mesh->rank; i++)
        buf_printf(&p->out, "%s%lld:%lld", i ? ", " : "[", (long long)mesh->offset[i],
            (long long)(mesh->offset[i] + mesh->shape[i]->value));
    buf_str(&p->out, mesh->base ? "]" : "");
}

/* The text that `print` adds, taken off the output again. */
#define TAKE_TEXT(p, call, text)                                                                                       \
    do {                                                                                                               \
        size_t from_ = (p)->out.n;                                                                                     \
        call;                                                                                                          \
        (text) = arena_strndup(&(p)->ctx->arena, (p)->out.at + from_, (p)->out.n - from_);                             \
        (p)->out.n = from_;                                                                                            \
        (p)->out.at[from_] = '\0';                                                                                     \
    } while (0)

const char *mesh_constant(struct printer *p, const struct tf_mesh *mesh)
{
    const char *text;
    TAKE_TEXT(p, print_mesh(p, mesh), text);
    return constant_named(p, 'M', text);
}

const char *open_mesh(const struct printer *p, const struct tf_mesh *mesh)
{
    for (size_t i = p->plan.frames.n; i-- > 0;) {
        const char *name = p->plan.frames.at[i].name;
        int hidden = 0;
        for (size_t k = i + 1; k < p->plan.frames.n; k++)
            hidden |= !strcmp(p->plan.frames.at[k].name, name);
        if (!hidden && mesh_equal(p->plan.frames.at[i].mesh, mesh))
            return name;
    }
    return NULL;
}

/* ---- placement sugar ----------------------------------------------------------------------------------------------*/

struct part { /* a mesh that the sugar names, and which axes of the layout's mesh are its */
    const char *name;
    const struct tf_mesh *mesh;
    uint32_t first;
};
struct parts {
    struct part at[TF_MAX_MESH];
    uint32_t n;
};

static int is_split(const struct tf_layout *layout, uint32_t axis)
{
    return layout->attrs[axis].kind == TF_ATTR_SPLIT;
}

/* An axis can be said: it has a name, the only one of its mesh, or its mesh has no other axis. */
static int has_word(const struct tf_mesh *mesh, uint32_t axis)
{
    if (!mesh->names[axis])
        return mesh->rank == 1;
    return mesh_axis(mesh, mesh->names[axis], 0) == (int)axis;
}

/* Every position is split by at most one axis, and then as large as it (or open, when the sugar leaves it whole). */
static int positions_fit(const struct tf_layout *layout)
{
    uint64_t seen = 0;
    uint32_t splits = 0;
    for (uint32_t axis = 0; axis < layout->mesh->rank; axis++) {
        const struct tf_shard_attr *attr = &layout->attrs[axis];
        if (attr->kind == TF_ATTR_PARTIAL)
            return 0;
        if (attr->kind != TF_ATTR_SPLIT)
            continue;
        uint32_t at = (uint32_t)attr->axis;
        if (at >= layout->rank || at >= 64 || (seen >> at & 1))
            return 0;
        seen |= UINT64_C(1) << at;
        splits++;
        if (layout->shape[at] != layout->mesh->shape[axis] && layout->shape[at]->kind == TF_DIM_CONST)
            return 0;
    }
    return splits > 0;
}

/* Each mesh of the sugar is there because an axis of it is named. */
static int all_named(const struct tf_layout *layout, const struct parts *parts)
{
    for (uint32_t i = 0; i < parts->n; i++) {
        int named = 0;
        for (uint32_t axis = 0; axis < parts->at[i].mesh->rank; axis++) {
            if (!is_split(layout, parts->at[i].first + axis))
                continue;
            named = 1;
            if (!has_word(parts->at[i].mesh, axis))
                return 0;
        }
        if (!named)
            return 0;
    }
    return 1;
}

static int add_part(struct parts *parts, const char *name, const struct tf_mesh *mesh)
{
    uint32_t first = parts->n ? parts->at[parts->n - 1].first + parts->at[parts->n - 1].mesh->rank : 0;
    if (parts->n == TF_MAX_MESH)
        return 0;
    parts->at[parts->n++] = (struct part){name, mesh, first};
    return 1;
}

static int levels_match(const struct tf_mesh *whole, uint32_t from, const struct tf_mesh *part)
{
    if (from + part->n_levels > whole->n_levels)
        return 0;
    for (uint32_t i = 0; i < part->n_levels; i++)
        if (strcmp(whole->levels[from + i].name, part->levels[i].name))
            return 0;
    return 1;
}

/* Open meshes whose composition the mesh is, outermost first. */
static int find_open_parts(struct printer *p, const struct tf_mesh *mesh, struct parts *parts)
{
    const struct tf_mesh *whole = NULL;
    uint32_t level = 0;
    size_t mark = diag_mark(p->ctx);
    parts->n = 0;
    for (size_t i = 0; i < p->plan.frames.n; i++) {
        const struct frame *frame = &p->plan.frames.at[i];
        if (!levels_match(mesh, level, frame->mesh) || open_mesh(p, frame->mesh) != frame->name)
            continue;
        whole = mesh_compose(p->ctx, NULL, whole, frame->mesh);
        level += frame->mesh->n_levels;
        if (!whole || !add_part(parts, frame->name, frame->mesh))
            break;
    }
    diag_drop(p->ctx, mark);
    return whole && mesh_equal(whole, mesh);
}

static int find_parts(struct printer *p, const struct tf_layout *layout, struct parts *parts)
{
    const char *name = open_mesh(p, layout->mesh);
    *parts = (struct parts){.n = 0};
    if (!name && find_open_parts(p, layout->mesh, parts) && all_named(layout, parts))
        return 1;
    *parts = (struct parts){.n = 0};
    add_part(parts, name ? name : "", layout->mesh);
    if (!all_named(layout, parts))
        return 0;
    if (!name)
        parts->at[0].name = mesh_constant(p, layout->mesh);
    return 1;
}

static void print_axis(struct printer *p, const struct parts *parts, uint32_t axis)
{
    uint32_t i = parts->n - 1;
    while (parts->at[i].first > axis)
        i--;
    const char *name = parts->at[i].mesh->names[axis - parts->at[i].first];
    buf_printf(&p->out, " @ %s%s%s", parts->at[i].name, name ? "." : "", name ? name : "");
}

static void print_position(struct printer *p, const struct tf_layout *layout, const struct parts *parts, uint32_t at)
{
    for (uint32_t axis = 0; axis < layout->mesh->rank; axis++) {
        if (!is_split(layout, axis) || (uint32_t)layout->attrs[axis].axis != at)
            continue;
        int nested = layout->shape[at]->kind != TF_DIM_CONST;
        buf_str(&p->out, nested ? "(" : "");
        print_dim(p, layout->shape[at]);
        buf_str(&p->out, nested ? ")" : "");
        print_axis(p, parts, axis);
        return;
    }
    print_dim(p, layout->shape[at]);
}

static int print_sugar(struct printer *p, const struct tf_layout *layout)
{
    struct parts parts;
    if (layout->strides || !positions_fit(layout) || !find_parts(p, layout, &parts))
        return 0;
    buf_char(&p->out, '(');
    for (uint32_t i = 0; i < layout->rank; i++) {
        buf_str(&p->out, i ? ", " : "");
        print_position(p, layout, &parts, i);
    }
    buf_str(&p->out, layout->rank == 1 ? ",)" : ")");
    return 1;
}

/* `(4, 8)` in a region: held whole by every unit of the innermost mesh, in C order. */
static int print_whole_dims(struct printer *p, const struct tf_layout *layout)
{
    size_t n = p->plan.frames.n;
    if (!n || !layout->strides || !mesh_equal(p->plan.frames.at[n - 1].mesh, layout->mesh) ||
        !is_c_order(p, layout->strides, layout->shape, layout->rank))
        return 0;
    for (uint32_t axis = 0; axis < layout->mesh->rank; axis++)
        if (layout->attrs[axis].kind != TF_ATTR_BROADCAST)
            return 0;
    print_dims(p, layout->shape, layout->rank);
    return 1;
}

/* ---- in full ------------------------------------------------------------------------------------------------------*/

static void print_plain(struct printer *p, const struct tf_layout *layout)
{
    use(p, USE_LAYOUT);
    buf_str(&p->out, "Layout(");
    print_dims(p, layout->shape, layout->rank);
    buf_str(&p->out, ", ");
    if (layout->strides)
        print_dims(p, layout->strides, layout->rank);
    else
        buf_str(&p->out, "None");
    buf_char(&p->out, ')');
}

static void print_attr(struct printer *p, const struct tf_shard_attr *attr)
{
    use(p, attr->kind == TF_ATTR_SPLIT ? USE_S : attr->kind == TF_ATTR_PARTIAL ? USE_P : USE_B);
    if (attr->kind == TF_ATTR_SPLIT)
        buf_printf(&p->out, "S(%d)", attr->axis);
    else if (attr->kind == TF_ATTR_PARTIAL)
        buf_printf(&p->out, "P(\"%s\")", attr->reduction);
    else
        buf_str(&p->out, "B()");
}

static void print_shard(struct printer *p, const struct tf_layout *layout)
{
    const char *open = open_mesh(p, layout->mesh);
    uint32_t n = layout->mesh->rank;
    use(p, USE_SHARD_LAYOUT);
    buf_str(&p->out, "ShardLayout(layout=");
    print_plain(p, layout);
    buf_str(&p->out, ", attrs=(");
    for (uint32_t i = 0; i < n; i++) {
        buf_str(&p->out, i ? ", " : "");
        print_attr(p, &layout->attrs[i]);
    }
    buf_str(&p->out, n == 1 ? ",), mesh=" : "), mesh=");
    buf_str(&p->out, open ? open : mesh_constant(p, layout->mesh));
    buf_char(&p->out, ')');
}

/* Above the modules no mesh of a function is open. */
static void print_in_full(struct printer *p, const struct tf_layout *layout)
{
    if (layout->kind == TF_LAYOUT_SHARD)
        print_shard(p, layout);
    else if (layout->kind == TF_LAYOUT_PLAIN)
        print_plain(p, layout);
    else
        layout_print(&p->out, layout);
}

void print_layout(struct printer *p, const struct tf_layout *layout, int signature)
{
    const char *text;
    int shard = layout->kind == TF_LAYOUT_SHARD;
    if (shard && print_sugar(p, layout)) {
        p->placed_signature |= signature;
        return;
    }
    if (shard && !signature && print_whole_dims(p, layout))
        return;
    if (!signature) {
        print_in_full(p, layout);
        return;
    }
    size_t frames = p->plan.frames.n;
    p->plan.frames.n = 0;
    TAKE_TEXT(p, print_in_full(p, layout), text);
    p->plan.frames.n = frames;
    buf_str(&p->out, constant_named(p, 'L', text));
}

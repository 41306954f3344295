/* SPDX-License-Identifier: MIT
 * Texts of types, layouts and meshes.
 */
#include "type/table.h"

#include <inttypes.h>
#include <string.h>

static void close_tuple(struct buf *out, uint32_t n)
{
    buf_str(out, n == 1 ? ",)" : ")");
}

void shape_print(struct buf *out, const struct tf_dim *const *shape, uint32_t rank)
{
    buf_char(out, '(');
    for (uint32_t i = 0; i < rank; i++) {
        buf_str(out, i ? ", " : "");
        dim_print(out, shape[i]);
    }
    close_tuple(out, rank);
}

/* Whether a stride is that of the axis after it times that axis's extent. */
static int steps_over(const struct tf_dim *stride, const struct tf_dim *next, const struct tf_dim *extent)
{
    int64_t from, by, is, product;
    if (dim_is(next, 1))
        return stride == extent;
    return dim_is_const(stride, &is) && dim_is_const(next, &from) && dim_is_const(extent, &by) &&
           !__builtin_mul_overflow(from, by, &product) && product == is;
}

/* Whether strides are those of C order over the shape.  Of open ones that is told only where nothing has to be
 * multiplied; others count as stated. */
static int is_c_order(const struct tf_dim *const *shape, const struct tf_dim *const *strides, uint32_t rank)
{
    for (uint32_t i = rank; i-- > 0;)
        if (i + 1 == rank ? !dim_is(strides[i], 1) : !steps_over(strides[i], strides[i + 1], shape[i + 1]))
            return 0;
    return 1;
}

/* ---- meshes --------------------------------------------------------------------------------------------------------*/

static void print_names(struct buf *out, const struct tf_mesh *mesh)
{
    uint32_t n = mesh->rank;
    while (n && !mesh->names[n - 1])
        n--;
    if (!n)
        return;
    buf_str(out, ", names=(");
    for (uint32_t i = 0; i < n; i++) {
        buf_str(out, i ? ", " : "");
        buf_printf(out, mesh->names[i] ? "\"%s\"" : "None", mesh->names[i]);
    }
    close_tuple(out, n);
}

static void print_whole_mesh(struct buf *out, const struct tf_mesh *mesh)
{
    buf_str(out, "Mesh((");
    for (uint32_t i = 0; i < mesh->n_levels; i++) {
        buf_printf(out, "%sTopology(\"%s\", ", i ? ", " : "", mesh->levels[i].name);
        dim_print(out, mesh->levels[i].extent);
        buf_char(out, ')');
    }
    close_tuple(out, mesh->n_levels);
    buf_str(out, ", layout=");
    int plain = !mesh->strides || is_c_order(mesh->shape, mesh->strides, mesh->rank);
    buf_str(out, plain ? "" : "(");
    shape_print(out, mesh->shape, mesh->rank);
    if (!plain) {
        buf_str(out, ", ");
        shape_print(out, mesh->strides, mesh->rank);
        buf_char(out, ')');
    }
    print_names(out, mesh);
    buf_char(out, ')');
}

void mesh_print(struct buf *out, const struct tf_mesh *mesh)
{
    print_whole_mesh(out, mesh->base ? mesh->base : mesh);
    for (uint32_t i = 0; mesh->base && i < mesh->rank; i++)
        buf_printf(
            out, "%s%" PRId64 ":%" PRId64, i ? ", " : "[", mesh->offset[i], mesh->offset[i] + mesh->shape[i]->value);
    buf_str(out, mesh->base ? "]" : "");
}

/* ---- layouts -------------------------------------------------------------------------------------------------------*/

static void print_plain(struct buf *out, const struct tf_layout *layout)
{
    buf_str(out, "Layout(");
    shape_print(out, layout->shape, layout->rank);
    buf_str(out, ", ");
    if (layout->strides)
        shape_print(out, layout->strides, layout->rank);
    else
        buf_str(out, "None");
    buf_char(out, ')');
}

static void print_shard(struct buf *out, const struct tf_layout *layout)
{
    buf_str(out, "ShardLayout(layout=");
    print_plain(out, layout);
    buf_str(out, ", attrs=(");
    for (uint32_t i = 0; i < layout->mesh->rank; i++) {
        const struct tf_shard_attr *attr = &layout->attrs[i];
        buf_str(out, i ? ", " : "");
        if (attr->kind == TF_ATTR_SPLIT)
            buf_printf(out, "S(%d)", attr->axis);
        else if (attr->kind == TF_ATTR_PARTIAL)
            buf_printf(out, "P(\"%s\")", attr->reduction);
        else
            buf_str(out, "B()");
    }
    close_tuple(out, layout->mesh->rank);
    buf_str(out, ", mesh=");
    mesh_print(out, layout->mesh);
    buf_char(out, ')');
}

void layout_print(struct buf *out, const struct tf_layout *layout)
{
    if (layout->kind == TF_LAYOUT_PLAIN) {
        print_plain(out, layout);
    } else if (layout->kind == TF_LAYOUT_SHARD) {
        print_shard(out, layout);
    } else {
        buf_str(out, "ComposedLayout(inner=None, offset=");
        dim_print(out, layout->offset);
        buf_str(out, ", outer=");
        layout_print(out, layout->outer);
        buf_char(out, ')');
    }
}

/* ---- type texts ----------------------------------------------------------------------------------------------------*/

struct text {
    struct buf *out;
    mesh_name_fn mesh_name;
    void *data;
};

/* Whether every mesh axis that does something here has a name to write it by, and every split a position. */
static int has_sugar(const struct tf_layout *layout)
{
    for (uint32_t i = 0; i < layout->mesh->rank; i++) {
        const struct tf_shard_attr *attr = &layout->attrs[i];
        if (attr->kind != TF_ATTR_BROADCAST && !layout->mesh->names[i])
            return 0;
        if (attr->kind == TF_ATTR_SPLIT && (attr->axis < 0 || (uint32_t)attr->axis >= layout->rank))
            return 0;
    }
    return 1;
}

static void print_axis(const struct text *t, const struct tf_layout *layout, const char *mesh, uint32_t axis)
{
    buf_printf(t->out, "%s%s%s", mesh ? mesh : "", mesh ? "." : "", layout->mesh->names[axis]);
}

/* `4 @ m.c`, `(N + 1) @ m.c`, or the extent alone. */
static void print_placed(const struct text *t, const struct tf_layout *layout, const char *mesh, uint32_t position)
{
    const struct tf_dim *extent = layout->shape[position];
    int split = 0;
    for (uint32_t i = 0; i < layout->mesh->rank; i++)
        split |= layout->attrs[i].kind == TF_ATTR_SPLIT && (uint32_t)layout->attrs[i].axis == position;
    struct buf text = {0};
    dim_print(&text, extent);
    int nested = split && strchr(buf_text(&text), ' ') && extent->kind == TF_DIM_EXPR;
    buf_printf(t->out, nested ? "(%s)" : "%s", buf_text(&text));
    buf_free(&text);
    for (uint32_t i = 0; split && i < layout->mesh->rank; i++) {
        if (layout->attrs[i].kind != TF_ATTR_SPLIT || (uint32_t)layout->attrs[i].axis != position)
            continue;
        buf_str(t->out, " @ ");
        print_axis(t, layout, mesh, i);
    }
}

/* `{m.k @ P("sum")}`; returns whether there were any. */
static int print_partials(const struct text *t, const struct tf_layout *layout, const char *mesh)
{
    int n = 0;
    for (uint32_t i = 0; i < layout->mesh->rank; i++) {
        if (layout->attrs[i].kind != TF_ATTR_PARTIAL)
            continue;
        buf_str(t->out, n++ ? ", " : ", {");
        print_axis(t, layout, mesh, i);
        buf_printf(t->out, " @ P(\"%s\")", layout->attrs[i].reduction);
    }
    buf_str(t->out, n ? "}" : "");
    return n;
}

static void print_sugar(const struct text *t, const struct tf_layout *layout, const char *mesh)
{
    int strided = layout->strides && !is_c_order(layout->shape, layout->strides, layout->rank), partial = 0;
    for (uint32_t i = 0; i < layout->mesh->rank; i++)
        partial |= layout->attrs[i].kind == TF_ATTR_PARTIAL;
    buf_str(t->out, strided || partial ? "((" : "(");
    for (uint32_t i = 0; i < layout->rank; i++) {
        buf_str(t->out, i ? ", " : "");
        print_placed(t, layout, mesh, i);
    }
    close_tuple(t->out, layout->rank);
    if (strided) {
        buf_str(t->out, ", ");
        shape_print(t->out, layout->strides, layout->rank);
    }
    print_partials(t, layout, mesh);
    buf_str(t->out, strided || partial ? ")" : "");
}

static void print_tensor(const struct text *t, const struct tf_type *type)
{
    buf_str(t->out, "Tensor[");
    shape_print(t->out, type->shape, type->rank);
    buf_printf(t->out, ", \"%s\"", dtype_info(type->dtype)->name);
    if (type->layout && type->layout->kind == TF_LAYOUT_SHARD) {
        const char *mesh = t->mesh_name ? t->mesh_name(t->data, type->layout->mesh) : NULL;
        buf_str(t->out, ", ");
        if ((mesh || !t->mesh_name) && has_sugar(type->layout))
            print_sugar(t, type->layout, mesh);
        else
            print_shard(t->out, type->layout);
    }
    if (type->storage != TF_STORAGE_GMEM)
        buf_printf(t->out, ", \"%s\"", storage_name(type->storage));
    buf_char(t->out, ']');
}

static void print_type(const struct text *t, const struct tf_type *type)
{
    if (type->kind == TF_TYPE_TENSOR) {
        print_tensor(t, type);
        return;
    }
    buf_str(t->out, "Tuple[");
    for (uint32_t i = 0; i < type->rank; i++) {
        buf_str(t->out, i ? ", " : "");
        print_type(t, type->fields[i]);
    }
    buf_char(t->out, ']');
}

void type_print(struct buf *out, const struct tf_type *type, mesh_name_fn mesh_name, void *data)
{
    const struct text t = {out, mesh_name, data};
    print_type(&t, type);
}

static const char *kept(tf_ctx *ctx, struct buf *text)
{
    const char *copy = arena_strndup(&ctx->arena, buf_text(text), text->n);
    buf_free(text);
    return copy;
}

const char *type_text(tf_ctx *ctx, const struct tf_type *type)
{
    struct buf text = {0};
    type_print(&text, type, NULL, NULL);
    return kept(ctx, &text);
}

const char *shape_text(tf_ctx *ctx, const struct tf_dim *const *shape, uint32_t rank)
{
    struct buf text = {0};
    shape_print(&text, shape, rank);
    return kept(ctx, &text);
}

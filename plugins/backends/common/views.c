/* SPDX-License-Identifier: MIT
 * Values as ways of counting the elements of a buffer: what only turns, cuts or renames costs nothing.
 */
#include "lower.h"

#include <inttypes.h>

int64_t extent(const struct tf_type *type, uint32_t axis)
{
    return type->shape[axis]->value;
}

size_t span(const struct tf_type *type, uint32_t first, uint32_t end)
{
    size_t n = 1;
    for (uint32_t i = first; i < end; i++)
        n *= (size_t)extent(type, i);
    return n;
}

struct value *value_of(struct lower *l, const struct tf_node *node)
{
    return &l->values[node->id];
}

struct view *arg(struct lower *l, const struct tf_node *node, uint32_t i)
{
    return value_of(l, node->in[i])->leaf;
}

static void set_strides(struct view *view)
{
    size_t stride = 1;
    for (uint32_t i = view->type->rank; i-- > 0; stride *= (size_t)extent(view->type, i))
        view->stride[i] = stride;
}

int is_dense(const struct view *view)
{
    size_t stride = 1;
    if (!view->buffer)
        return 0;
    for (uint32_t i = view->type->rank; i-- > 0; stride *= (size_t)extent(view->type, i))
        if (view->stride[i] != stride && extent(view->type, i) != 1)
            return 0;
    return 1;
}

void hold(struct lower *l, const struct view *view)
{
    if (view->buffer)
        view->buffer->last = l->time;
}

/* ---- buffers -------------------------------------------------------------------------------------------------------*/

static const char *c_name(struct lower *l, const char *name, uint32_t id)
{
    const char *made = fmt(l, "%s%s_%u", *name >= '0' && *name <= '9' ? "v" : *name == '_' ? "v" : "", name, id);
    char *text = tf_host->alloc(l->ctx, strlen(made) + 1);
    for (size_t i = 0; made[i]; i++) {
        char c = made[i];
        int plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
        text[i] = plain ? c : i ? '_' : 'v';
    }
    return text;
}

struct view new_view(struct lower *l, const struct tf_node *node, const struct tf_type *type, const char *name)
{
    struct view view = {.type = type};
    struct buffer *buffer = tf_host->alloc(l->ctx, sizeof(*buffer));
    *buffer = (struct buffer){.name = c_name(l, name, (uint32_t)l->n_buffers),
        .dtype = type->dtype,
        .place = PLACE_ARENA,
        .count = span(type, 0, type->rank),
        .first = l->time,
        .last = l->time,
        .of = node};
    l->buffers = grown(l, l->buffers, l->n_buffers, &l->room_buffers, sizeof(*l->buffers));
    l->buffers[l->n_buffers++] = buffer;
    view.buffer = buffer;
    set_strides(&view);
    return view;
}

struct view new_array(struct lower *l, uint32_t dtype, size_t n, const char *name)
{
    const struct tf_dim *length = tf_host->dim_const(l->ctx, (int64_t)(n ? n : 1));
    return new_view(l, NULL, tf_host->type_tensor(l->ctx, dtype, 1, &length, NULL, TF_STORAGE_GMEM), name);
}

static void add_leaves(struct lower *l, const struct tf_node *node, const struct tf_type *type, struct value *value)
{
    if (type->kind == TF_TYPE_TENSOR) {
        size_t room = value->n;
        const char *name = node->name ? node->name : node->op ? node->op->name : "v";
        struct view *leaf = tf_host->alloc(l->ctx, (room + 1) * sizeof(*leaf));
        if (room)
            memcpy(leaf, value->leaf, room * sizeof(*leaf));
        leaf[value->n++] = new_view(l, node, type, name);
        value->leaf = leaf;
        return;
    }
    for (uint32_t i = 0; i < type->rank; i++)
        add_leaves(l, node, type->fields[i], value);
}

struct value *fresh(struct lower *l, const struct tf_node *node)
{
    struct value *value = value_of(l, node);
    *value = (struct value){0};
    add_leaves(l, node, node->type, value);
    return value;
}

/* ---- elements ------------------------------------------------------------------------------------------------------*/

const char *place_of(struct lower *l, const struct view *view, const char *const *ix)
{
    const char *text = view->offset ? view->offset : "";
    uint32_t first = view->buffer->place == PLACE_ROW ? l->rows : 0;
    hold(l, view);
    for (uint32_t i = first; i < view->type->rank; i++) {
        if (!ix[i] || strcmp(ix[i], "0") == 0 || !view->stride[i] || extent(view->type, i) == 1)
            continue;
        int plain = strcspn(ix[i], " ") == strlen(ix[i]);
        const char *term =
            view->stride[i] == 1 ? ix[i] : fmt(l, plain ? "%s * %zu" : "(%s) * %zu", ix[i], view->stride[i]);
        text = *text ? fmt(l, "%s + %s", text, term) : term;
    }
    return *text ? text : "0";
}

const char *element(struct lower *l, const struct view *view, const char *const *ix)
{
    if (view->number)
        return view->number;
    return loaded(l, view->buffer->dtype, fmt(l, "%s[%s]", view->buffer->name, place_of(l, view, ix)));
}

const char *item_code(struct lower *l, const struct view *view, const char *const *ix)
{
    uint32_t dtype = view->type->dtype;
    if (view->number || view->buffer->dtype != dtype)
        return stored(l, dtype, lane_of(dtype), element(l, view, ix));
    return fmt(l, "%s[%s]", view->buffer->name, place_of(l, view, ix));
}

/* ---- copies --------------------------------------------------------------------------------------------------------*/

/* Both as rows of one length, if they are dense. */
static struct axes copy_axes(struct lower *l, const struct view *to, const struct view *from, const char **ix)
{
    struct axes axes = {.is_flat = 1};
    uint32_t rank = to->type->rank;
    if (l->dialect->is_shared && rank && is_dense(to) && is_dense(from)) {
        uint32_t last = rank - 1; /* whose neighbours lie side by side */
        while (last && extent(to->type, last) == 1)
            last--;
        ix[last] = axes.name[axes.n] = "i0";
        axes.count[axes.n++] = span(to->type, 0, rank);
        return axes;
    }
    for (uint32_t i = 0; i < rank; i++) {
        ix[i] = axes.name[i] = fmt(l, "i%u", i);
        axes.count[axes.n++] = (size_t)extent(to->type, i);
    }
    return axes;
}

static void copy_items(struct lower *l, const struct view *to, const struct view *from)
{
    const char *ix[TF_MAX_RANK] = {NULL};
    struct axes axes = copy_axes(l, to, from, ix);
    l->dialect->open_items(l, &axes, 0);
    line(l, "%s[%s] = %s;", to->buffer->name, place_of(l, to, ix), item_code(l, from, ix));
    l->dialect->close_axes(l, &axes);
}

void copy_view(struct lower *l, const struct view *to, const struct view *from)
{
    const char *none[TF_MAX_RANK] = {NULL};
    uint32_t rank = to->type->rank, before = l->rows, inside = l->in_nest;
    struct nest nest = {.type = to->type, .turns = 1, .work = 1};
    l->rows = 0;
    hold(l, to);
    if (!inside)
        open_nest(l, &nest);
    if (!l->dialect->is_shared && is_dense(from) && is_dense(to) && from->buffer->dtype == to->buffer->dtype)
        line(l, "memcpy(%s + %s, %s + %s, %zu * sizeof(*%s));", to->buffer->name, place_of(l, to, none),
            from->buffer->name, place_of(l, from, none), span(to->type, 0, rank), to->buffer->name);
    else
        copy_items(l, to, from);
    if (inside)
        l->dialect->join(l, JOIN_STEP);
    else
        close_nest(l, &nest);
    l->rows = before;
}

struct view dense(struct lower *l, const struct tf_node *node, const struct view *view)
{
    if (is_dense(view))
        return *view;
    struct view copy = new_view(l, node, view->type, "copy");
    copy_view(l, &copy, view);
    return copy;
}

/* ---- nodes that are views ------------------------------------------------------------------------------------------*/

static int share(struct lower *l, const struct tf_node *node, const struct value *from, uint32_t first, uint32_t n)
{
    struct value *value = value_of(l, node);
    value->n = n;
    value->leaf = tf_host->alloc(l->ctx, (n ? n : 1) * sizeof(*value->leaf));
    if (n)
        memcpy(value->leaf, from->leaf + first, n * sizeof(*value->leaf));
    return 1;
}

static uint32_t leaves_of(const struct tf_type *type)
{
    uint32_t n = 0;
    if (type->kind == TF_TYPE_TENSOR)
        return 1;
    for (uint32_t i = 0; i < type->rank; i++)
        n += leaves_of(type->fields[i]);
    return n;
}

static int make_tuple(struct lower *l, const struct tf_node *node)
{
    struct value *value = value_of(l, node);
    uint32_t n = 0;
    for (uint32_t i = 0; i < node->n_in; i++)
        n += value_of(l, node->in[i])->n;
    *value = (struct value){.n = n, .leaf = tf_host->alloc(l->ctx, (n ? n : 1) * sizeof(*value->leaf))};
    n = 0;
    for (uint32_t i = 0; i < node->n_in; i++)
        for (uint32_t k = 0; k < value_of(l, node->in[i])->n; k++)
            value->leaf[n++] = value_of(l, node->in[i])->leaf[k];
    return 1;
}

static int take_item(struct lower *l, const struct tf_node *node)
{
    uint32_t first = 0, item = (uint32_t)number_of(&node->attrs[0]);
    for (uint32_t i = 0; i < item; i++)
        first += leaves_of(node->in[0]->type->fields[i]);
    return share(l, node, value_of(l, node->in[0]), first, leaves_of(node->type));
}

static int set_number(struct lower *l, const struct tf_node *node, const char *number)
{
    struct view view = {.type = node->type, .number = number, .is_literal = 1};
    return share(l, node, &(struct value){1, &view}, 0, 1);
}

static void settle(struct lower *l, const struct view *view)
{
    if (view->buffer && view->buffer->group == l->groups && l->n_members)
        flush(l);
}

/* The same elements in the same order, as another type. */
static int retype(struct lower *l, const struct tf_node *node)
{
    struct view view = *arg(l, node, 0);
    if (!view.number && !is_dense(&view)) {
        flush(l);
        view = dense(l, node, &view);
    }
    view.type = node->type;
    if (!view.number)
        set_strides(&view);
    return share(l, node, &(struct value){1, &view}, 0, 1);
}

/* A view that differs in its type alone. */
static int same(struct lower *l, const struct tf_node *node)
{
    struct view view = *arg(l, node, 0);
    if (is_boundary(l, &view))
        settle(l, &view);
    view.type = node->type;
    return share(l, node, &(struct value){1, &view}, 0, 1);
}

static int transpose(struct lower *l, const struct tf_node *node)
{
    struct view view = *arg(l, node, 0), from = view;
    settle(l, &view);
    view.type = node->type;
    for (uint32_t i = 0; i < node->type->rank; i++)
        view.stride[i] = from.stride[axis_of(&node->attrs[0].u.items[i], from.type->rank)];
    return share(l, node, &(struct value){1, &view}, 0, 1);
}

static int split(struct lower *l, const struct tf_node *node)
{
    const struct view *from = arg(l, node, 0);
    uint32_t axis = axis_of(&node->attrs[0], from->type->rank), n = leaves_of(node->type);
    struct value value = {.n = n, .leaf = tf_host->alloc(l->ctx, (n + 1) * sizeof(*value.leaf))};
    settle(l, from);
    for (uint32_t i = 0; i < n; i++) {
        struct view *leaf = &value.leaf[i];
        *leaf = *from;
        leaf->type = node->type->fields[i];
        size_t moved = i * (size_t)extent(leaf->type, axis) * leaf->stride[axis];
        if (moved && !leaf->number)
            leaf->offset = from->offset ? fmt(l, "%s + %zu", from->offset, moved) : fmt(l, "%zu", moved);
    }
    return share(l, node, &value, 0, n);
}

/* Where the window begins on an axis, as C; it is held to the axis where that is not known before. */
static const char *window_start(struct lower *l, const struct tf_node *node, uint32_t axis, const struct view *start)
{
    const struct tf_val *moves = &node->attrs[2];
    const char *none[TF_MAX_RANK] = {NULL};
    int64_t size = extent(node->type, axis), step = number_of(&node->attrs[1].u.items[axis]);
    int64_t most = extent(arg(l, node, 0)->type, axis) - (size ? (size - 1) * step + 1 : 0);
    int64_t move = moves->kind == TF_VAL_TUPLE ? number_of(&moves->u.items[axis]) : 0;
    const char *text = element(l, start, none);
    l->is_read |= start->buffer != NULL;
    if (move)
        text = fmt(l, "%s + %" PRId64, text, move);
    const char *name = fmt(l, "start_%u_%u", node->id, axis);
    if (start->number && strncmp(start->number, "INT64_C(", 8) == 0 && !move)
        return text;
    line(l, "const int64_t %s = %s;", name, text);
    open_brace(l, "if (%s < 0 || %s > %" PRId64 ")", name, name, most);
    fail(l, l->dialect->leave, "the window lies outside");
    return name;
}

static int slice(struct lower *l, const struct tf_node *node)
{
    const struct view *from = arg(l, node, 0), *starts = arg(l, node, 1);
    struct view view = *from;
    flush(l);
    view.type = node->type;
    for (uint32_t i = 0; i < node->type->rank; i++) {
        const char *start = window_start(l, node, i, node->n_in == 2 ? &starts[i] : arg(l, node, 1 + i));
        view.stride[i] = from->stride[i] * (size_t)number_of(&node->attrs[1].u.items[i]);
        if (view.number || strcmp(start, "INT64_C(0)") == 0)
            continue;
        const char *term = fmt(l, "(size_t)%s * %zu", start, from->stride[i]);
        view.offset = view.offset ? fmt(l, "%s + %s", view.offset, term) : term;
    }
    return share(l, node, &(struct value){1, &view}, 0, 1);
}

static int zeros(struct lower *l, const struct tf_node *node)
{
    uint64_t code = 0;
    double number;
    tf_host->load_f64(node->type->dtype, 1, &code, &number);
    return set_number(l, node, literal(l, lane_of(node->type->dtype), number));
}

static int shape_number(struct lower *l, const struct tf_node *node)
{
    struct tf_val val = {.kind = TF_VAL_INT, .u.i = arg(l, node, 0)->type->rank};
    return set_number(l, node, constant(l, node->type->dtype, &val));
}

/* ---- casts ---------------------------------------------------------------------------------------------------------*/

static int is_passed_on(const struct tf_node *node)
{
    const char *const ops[] = {"reshape", "reshard", "transpose", "split", "tuple_get_item", NULL};
    for (const char *const *op = ops; *op; op++)
        if (is_op(node, *op))
            return 1;
    return node->kind == TF_NODE_RPARAM;
}

#define MOST_VIEWS 4 /* between a cast and who reads it */

/* Whether each of its elements is read about once: by elements of other values, and along rows. */
static int is_read_once(const struct lower *l, const struct tf_node *node, uint32_t depth)
{
    const char *const rows[] = {"reduce", "softmax", "rms_norm", "layer_norm", "quant", "argmax", NULL};
    if (depth == MOST_VIEWS || node == l->function->body || !*l->users[node->id])
        return 0;
    for (const struct tf_node *const *user = l->users[node->id]; *user; user++) {
        int is_row = 0;
        for (const char *const *op = rows; *op; op++)
            is_row |= is_op(*user, *op) && (*user)->in[0] == node;
        if (is_passed_on(*user) ? !is_read_once(l, *user, depth + 1) : !is_row && !is_elementwise(*user))
            return 0;
    }
    return 1;
}

/* To f32, which every narrower float is exactly: the operand is read in its stead, and no copy is made. */
static int widen(struct lower *l, const struct tf_node *node)
{
    if (!is_op(node, "cast") || node->type->dtype != TF_DTYPE_F32 || !node->type->rank)
        return 0;
    const struct tf_node *from = node->in[0];
    uint32_t dtype = from->type->dtype;
    struct view view = *arg(l, node, 0);
    if (!is_real(dtype) || dtype == TF_DTYPE_F64 || view.number || l->home[node->id] != l->home[from->id] ||
        !is_read_once(l, node, 0))
        return 0;
    view.type = node->type;
    l->is_widened[node->id] = 1;
    return share(l, node, &(struct value){1, &view}, 0, 1);
}

static int lower_call_view(struct lower *l, const struct tf_node *node)
{
    static const struct {
        const char *op;
        int (*view)(struct lower *l, const struct tf_node *node);
    } views[] = {{"tuple_get_item", take_item}, {"reshape", retype}, {"reshard", same}, {"local", same},
        {"transpose", transpose}, {"split", split}, {"slice", slice}, {"zeros", zeros}, {"rank", shape_number}};
    for (size_t i = 0; i < sizeof(views) / sizeof(*views); i++)
        if (is_op(node, views[i].op))
            return views[i].view(l, node);
    if (widen(l, node))
        return 1;
    if (is_op(node, "full_like"))
        return set_number(l, node, constant(l, node->type->dtype, &node->attrs[0]));
    return 0;
}

int lower_view(struct lower *l, const struct tf_node *node)
{
    switch (node->kind) {
    case TF_NODE_CONST: return set_number(l, node, constant(l, node->type->dtype, node->val));
    case TF_NODE_TUPLE: return make_tuple(l, node);
    case TF_NODE_REGION: return share(l, node, value_of(l, node->region->body), 0, value_of(l, node->region->body)->n);
    case TF_NODE_RPARAM: {
        const struct value *from = value_of(l, node->owner->in[node->index]);
        return share(l, node, from, 0, from->n);
    }
    case TF_NODE_CALL: return lower_call_view(l, node);
    default: return 0;
    }
}

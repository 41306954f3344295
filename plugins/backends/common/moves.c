/* SPDX-License-Identifier: MIT
 * What moves elements about: joining, repeating, writing windows and rows that data names.
 */
#include "bodies.h"

#define ALL UINT64_MAX

/* One element as it lies in memory, from one value to another. */
static void move_item(struct lower *l, const struct view *to, const char *const *to_ix, const struct view *from,
    const char *const *from_ix)
{
    line(l, "%s[%s] = %s;", to->buffer->name, place_of(l, to, to_ix), item_code(l, from, from_ix));
}

static const char *plus(struct lower *l, const char *index, const char *moved)
{
    return index ? fmt(l, "%s + %s", index, moved) : moved;
}

/* ---- concat, stack, repeat_interleave, arange, shape_of ------------------------------------------------------------*/

static void emit_concat(struct lower *l, const struct tf_node *node)
{
    const struct view *to = result(l, node);
    uint32_t axis = axis_of(&node->attrs[0], node->type->rank);
    size_t at = 0;
    for (uint32_t i = 0; i < node->n_in; i++)
        for (uint32_t k = 0; k < value_of(l, node->in[i])->n; k++) {
            const struct view *part = &value_of(l, node->in[i])->leaf[k];
            const char **from = indices(l, part->type->rank), **into = indices(l, part->type->rank);
            struct axes items = open_items(l, part->type, 0, part->type->rank, 0, from, 0);
            memcpy(into, from, part->type->rank * sizeof(*into));
            into[axis] = at ? fmt(l, "%s + %zu", from[axis], at) : from[axis];
            move_item(l, to, into, part, from);
            close_axes(l, &items);
            at += (size_t)extent(part->type, axis);
        }
}

static void emit_stack(struct lower *l, const struct tf_node *node)
{
    const struct view *to = result(l, node);
    uint32_t axis = axis_of(&node->attrs[0], node->type->rank);
    size_t at = 0;
    for (uint32_t i = 0; i < node->n_in; i++)
        for (uint32_t k = 0; k < value_of(l, node->in[i])->n; k++, at++) {
            const struct view *part = &value_of(l, node->in[i])->leaf[k];
            const char **from = indices(l, part->type->rank), **into = indices(l, part->type->rank + 1);
            struct axes items = open_items(l, part->type, 0, part->type->rank, 0, from, 0);
            for (uint32_t a = 0; a < node->type->rank; a++)
                into[a] = a == axis ? fmt(l, "%zu", at) : from[a - (a > axis)];
            move_item(l, to, into, part, from);
            close_axes(l, &items);
        }
}

static void emit_repeat(struct lower *l, const struct tf_node *node)
{
    uint32_t axis = axis_of(&node->attrs[1], node->type->rank);
    const char **into = indices(l, node->type->rank), **from = indices(l, node->type->rank);
    struct axes items = open_items(l, node->type, 0, node->type->rank, 0, into, 0);
    memcpy(from, into, node->type->rank * sizeof(*from));
    from[axis] = fmt(l, "(%s / %" PRId64 ")", into[axis], number_of(&node->attrs[0]));
    move_item(l, result(l, node), into, arg(l, node, 0), from);
    close_axes(l, &items);
}

static void emit_arange(struct lower *l, const struct tf_node *node)
{
    const char **ix = indices(l, 1);
    struct axes items = open_items(l, node->type, 0, node->type->rank, 0, ix, 0);
    put(l, result(l, node), ix, "int64_t",
        fmt(l, "%" PRId64 " + (int64_t)%s * %" PRId64, number_of(&node->attrs[1]), ix[0], number_of(&node->attrs[2])));
    close_axes(l, &items);
}

static void emit_shape_of(struct lower *l, const struct tf_node *node)
{
    const struct tf_type *type = node->in[0]->type;
    for (uint32_t i = 0; i < type->rank; i++) {
        const char *ix[TF_MAX_RANK] = {fmt(l, "%u", i)};
        put(l, result(l, node), ix, "int64_t", fmt(l, "INT64_C(%" PRId64 ")", extent(type, i)));
    }
}

/* ---- windows -------------------------------------------------------------------------------------------------------*/

static const char *scalar(struct lower *l, const struct view *view)
{
    const char *none[TF_MAX_RANK] = {NULL};
    return element(l, view, none);
}

static void emit_insert_slice(struct lower *l, const struct tf_node *node)
{
    const struct view *to = result(l, node), *update = arg(l, node, 1), *starts = arg(l, node, 2);
    const char *start[TF_MAX_RANK];
    copy_view(l, to, arg(l, node, 0));
    open_brace(l, "%s", "");
    for (uint32_t i = 0; i < node->type->rank; i++) {
        start[i] = fmt(l, "at%u", i);
        line(l, "const int64_t at%u = %s;", i, scalar(l, node->n_in == 3 ? &starts[i] : arg(l, node, 2 + i)));
        open_brace(l, "if (at%u < 0 || at%u > %" PRId64 ")", i, i, extent(node->type, i) - extent(update->type, i));
        fail(l, l->dialect->leave, "the window lies outside");
    }
    const char **from = indices(l, node->type->rank), **into = indices(l, node->type->rank);
    struct axes items = open_items(l, update->type, 0, update->type->rank, 0, from, 0);
    for (uint32_t i = 0; i < node->type->rank; i++)
        into[i] = plus(l, from[i], fmt(l, "(size_t)%s", start[i]));
    /* an axis of one element is written where the window lies as well */
    move_item(l, to, into, update, from);
    close_axes(l, &items);
    close_brace(l);
}

static void emit_cache_update(struct lower *l, const struct tf_node *node)
{
    const struct view *to = result(l, node), *cache = arg(l, node, 0), *rows = arg(l, node, 3);
    const char **from = indices(l, node->type->rank), **into = indices(l, node->type->rank);
    copy_view(l, to, cache);
    open_brace(l, "%s", "");
    line(l, "const int64_t at = %s, n = %s;", scalar(l, arg(l, node, 1)), scalar(l, arg(l, node, 2)));
    open_brace(l, "if (n < 1 || n > %" PRId64 " || at < 0 || at > %" PRId64 " - n)", extent(rows->type, 1),
        extent(node->type, 1));
    fail(l, l->dialect->leave, "the rows lie outside");
    struct axes items = open_items(l, node->type, 0, node->type->rank, 2, from, 0);
    from[1] = "k";
    open_brace(l, "for (size_t k = 0; k < (size_t)n; k++)");
    memcpy(into, from, node->type->rank * sizeof(*into));
    into[1] = "k + (size_t)at";
    move_item(l, to, into, rows, from);
    close_brace(l);
    close_axes(l, &items);
    close_brace(l);
}

/* ---- rows that an index names --------------------------------------------------------------------------------------*/

/* The row that the k-th of the index names. */
static void write_row(struct lower *l, const struct view *index, int64_t rows)
{
    const char *ix[TF_MAX_RANK] = {NULL};
    count_axes(l, index->type, (UINT64_C(1) << index->type->rank) - 1, "k", ix);
    line(l, "const int64_t row = %s;", element(l, index, ix));
    open_brace(l, "if (row < 0 || row >= %" PRId64 ")", rows);
    fail(l, l->dialect->skip, "the index names no row");
}

static void emit_index_select(struct lower *l, const struct tf_node *node)
{
    const struct view *x = arg(l, node, 0), *to = result(l, node), *index = arg(l, node, 1);
    uint32_t axis = axis_of(&node->attrs[0], x->type->rank);
    const char **from = indices(l, x->type->rank), **into = indices(l, x->type->rank);
    struct axes items = {0}, lanes = axes_but(l, x->type, 0, x->type->rank, UINT64_C(1) << axis, from);
    size_t each = count_of(x->type, ~(UINT64_C(1) << axis));
    add_axis(&items, "k", span(index->type, 0, index->type->rank));
    l->dialect->open_items(l, &items, each ? each : 1);
    write_row(l, index, extent(x->type, axis));
    l->dialect->open_lanes(l, &lanes);
    memcpy(into, from, x->type->rank * sizeof(*into));
    from[axis] = "(size_t)row";
    into[axis] = "k";
    move_item(l, to, into, x, from);
    close_axes(l, &lanes);
    close_axes(l, &items);
}

/* One that is named twice is written twice, in the index's order. */
static void emit_index_write(struct lower *l, const struct tf_node *node)
{
    const struct view *to = result(l, node), *from = arg(l, node, 2), *index = arg(l, node, 1);
    uint32_t axis = axis_of(&node->attrs[0], node->type->rank), dtype = node->type->dtype;
    const char **source = indices(l, node->type->rank), **into = indices(l, node->type->rank);
    copy_view(l, to, arg(l, node, 0));
    open_brace(l, "for (size_t k = 0; k < %zu; k++)", span(index->type, 0, index->type->rank));
    write_row(l, index, extent(node->type, axis));
    struct axes items = open_items(l, node->type, 0, node->type->rank, UINT64_C(1) << axis, source, 0);
    memcpy(into, source, node->type->rank * sizeof(*into));
    source[axis] = "k";
    into[axis] = "(size_t)row";
    if (is_op(node, "index_copy")) {
        move_item(l, to, into, from, source);
    } else {
        const char *a = element(l, to, into), *b = element(l, from, source);
        int real = is_real(dtype);
        const char *widen = real && dtype != TF_DTYPE_F64 ? "(double)" : "";
        put(l, to, into, real ? "double" : "int64_t",
            real ? fmt(l, "%s%s + %s%s", widen, a, widen, b) : fmt(l, "(int64_t)((uint64_t)%s + (uint64_t)%s)", a, b));
    }
    close_axes(l, &items);
    close_brace(l);
}

const struct body move_bodies[] = {
    {"concat", NULL, ALL, emit_concat},
    {"stack", NULL, ALL, emit_stack},
    {"repeat_interleave", NULL, ALL, emit_repeat},
    {"arange", NULL, ALL, emit_arange},
    {"shape_of", NULL, ALL, emit_shape_of},
    {"insert_slice", NULL, ALL, emit_insert_slice},
    {"cache_update", NULL, ALL, emit_cache_update},
    {"index_select", NULL, ALL, emit_index_select},
    {"index_add", NULL, ALL, emit_index_write},
    {"index_copy", NULL, ALL, emit_index_write},
    {NULL, NULL, 0, NULL},
};

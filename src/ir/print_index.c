/* SPDX-License-Identifier: MIT
 * A slice as a subscript, where reading the subscript gives the same slice.
 */
#include "ir/printer.h"

#include <string.h>

struct window { /* one axis of a slice */
    const struct tf_node *start;
    const struct tf_dim *size, *length; /* length: from the first element to one past the last */
    int64_t step;
    int64_t move; /* known distance that the window of a loop is moved by */
};

static const struct tf_dim *dim_of(struct printer *p, const struct tf_val *val)
{
    if (val->kind == TF_VAL_INT)
        return dim_const(p->ctx, val->u.i);
    return val->kind == TF_VAL_DIM ? val->u.dim : NULL;
}

/* The tuple that an attribute is, when it has n items. */
static const struct tf_val *tuple_attr(const struct tf_node *node, const char *name, uint32_t n)
{
    for (uint32_t i = 0; i < node->n_attrs; i++)
        if (!strcmp(node->op->attrs[i].name, name))
            return node->attrs[i].kind == TF_VAL_TUPLE && node->attrs[i].count == n ? node->attrs[i].u.items : NULL;
    return NULL;
}

/* NULL where it cannot be written: a step over an open number of elements. */
static const struct tf_dim *length_of(struct printer *p, const struct window *w)
{
    int64_t size, length;
    if (w->step == 1)
        return w->size;
    if (!dim_is_const(w->size, &size) || size < 1 || __builtin_mul_overflow(size - 1, w->step, &length) ||
        length == INT64_MAX)
        return NULL;
    return dim_const(p->ctx, length + 1);
}

static int is_tile_variable(const struct tf_node *node)
{
    return node->kind == TF_NODE_LOOPVAR && node->owner->loop->is_tile;
}

/* The whole window of a tile loop, which its variable stands for. */
static int is_loop_window(const struct window *w)
{
    return is_tile_variable(w->start) && w->step == 1 && w->size == w->start->owner->loop->step;
}

static const struct tf_dim *const_start(struct printer *p, const struct tf_node *start)
{
    return start->kind == TF_NODE_CONST ? dim_of(p, start->val) : NULL;
}

/* Whether a subscript reads this start back as the value that it is: a number is made anew for each subscript, so one
 * that something else reads too is none; nor is one that a region captured. */
static int start_fits(struct printer *p, const struct window *w)
{
    const struct tf_node *from = origin(w->start);
    const char *why;
    if (w->start->kind == TF_NODE_CONST) {
        const struct tf_dim *start = const_start(p, w->start);
        int64_t number;
        if (!start || item_of(p, w->start)->form != FORM_INLINE || (dim_is_const(start, &number) && number < 0))
            return 0;
        return dim_add(p->ctx, start, w->length, &why) != NULL;
    }
    if (is_tile_variable(from))
        return is_loop_window(w);
    return from->kind != TF_NODE_CONST && from->kind != TF_NODE_TUPLE;
}

static int read_windows(struct printer *p, const struct tf_node *slice, struct window *windows)
{
    const struct tf_node *starts = slice->in[1];
    uint32_t rank = slice->in[0]->type->rank;
    const struct tf_val *sizes = tuple_attr(slice, "sizes", rank), *steps = tuple_attr(slice, "strides", rank);
    const struct tf_val *moves = tuple_attr(slice, "moves", rank);
    if (!rank || rank > TF_MAX_RANK || !sizes || !steps || starts->kind != TF_NODE_TUPLE || starts->n_in != rank ||
        item_of(p, starts)->form != FORM_INLINE)
        return 0;
    for (uint32_t i = 0; i < rank; i++) {
        struct window *w = &windows[i];
        *w = (struct window){.start = starts->in[i], .size = dim_of(p, &sizes[i]), .step = steps[i].u.i};
        w->move = moves && moves[i].kind == TF_VAL_INT ? moves[i].u.i : 0;
        if ((w->move && !is_loop_window(w)) || !w->size || steps[i].kind != TF_VAL_INT ||
            !(w->length = length_of(p, w)) || !start_fits(p, w))
            return 0;
    }
    return 1;
}

int can_index(struct printer *p, const struct tf_node *slice)
{
    struct window windows[TF_MAX_RANK];
    return slice->n_in == 2 && read_windows(p, slice, windows);
}

/* ---- axes that an index drops -------------------------------------------------------------------------------------*/

/* A bit for each axis that is not in the reshape's shape; 0 when that is not all that it does. */
static uint32_t dropped_axes(struct printer *p, const struct tf_node *reshape, const struct window *w, uint32_t rank)
{
    const struct tf_val *kept = NULL;
    uint32_t n = reshape->type->rank, next = 0, dropped = 0;
    if (n < rank)
        kept = tuple_attr(reshape, "new_shape", n);
    for (uint32_t i = 0; kept && i < rank; i++) {
        if (next < n && dim_of(p, &kept[next]) == w[i].size)
            next++;
        else if (dim_is(w[i].size, 1) && w[i].step == 1 && !is_loop_window(&w[i]))
            dropped |= 1u << i;
        else
            return 0;
    }
    return kept && next == n ? dropped : 0;
}

int index_drops(struct printer *p, const struct tf_node *reshape, int of_slice)
{
    struct window windows[TF_MAX_RANK];
    const struct tf_node *slice = reshape->in[0];
    if (!of_slice || reshape->n_in != 1 || item_of(p, slice)->uses != 1 || item_of(p, slice)->form != FORM_LINE)
        return 0;
    if (slice->name && slice->name != reshape->name && (!reshape->name || strcmp(slice->name, reshape->name)))
        return 0;
    return slice->n_in == 2 && read_windows(p, slice, windows) &&
           dropped_axes(p, reshape, windows, slice->in[0]->type->rank);
}

/* ---- printing -----------------------------------------------------------------------------------------------------*/

/* Both ends, with room around the colon where an end is more than a number. */
static void print_ends(struct printer *p, const struct tf_dim *from, const struct tf_dim *to)
{
    int open = from->kind != TF_DIM_CONST || to->kind != TF_DIM_CONST;
    print_dim(p, from);
    buf_str(&p->out, open ? " : " : ":");
    print_dim(p, to);
}

static void print_moved(struct printer *p, const struct window *w)
{
    const char *name = name_of(p, w->start);
    int nested = w->length->kind != TF_DIM_CONST;
    buf_printf(&p->out, "%s : %s + %s", name, name, nested ? "(" : "");
    print_dim(p, w->length);
    buf_str(&p->out, nested ? ")" : "");
}

static void print_loop_window(struct printer *p, const struct window *w)
{
    buf_str(&p->out, name_of(p, w->start));
    if (w->move)
        buf_printf(&p->out, " %c %llu", w->move < 0 ? '-' : '+',
            w->move < 0 ? 0 - (unsigned long long)w->move : (unsigned long long)w->move);
}

static void print_window(struct printer *p, const struct window *w, const struct tf_dim *extent, int dropped)
{
    const struct tf_dim *from = const_start(p, w->start);
    const char *why;
    if (is_loop_window(w) || (dropped && !from))
        print_loop_window(p, w);
    else if (dropped)
        print_dim(p, from);
    else if (from && dim_is(from, 0) && w->size == extent && w->step == 1)
        buf_char(&p->out, ':');
    else if (from)
        print_ends(p, from, dim_add(p->ctx, from, w->length, &why));
    else
        print_moved(p, w);
    if (w->step != 1)
        buf_printf(&p->out, "%s%lld", from ? ":" : " : ", (long long)w->step);
}

void print_index(struct printer *p, const struct tf_node *slice, const struct tf_node *reshape)
{
    struct window windows[TF_MAX_RANK];
    const struct tf_type *x = slice->in[0]->type;
    if (!read_windows(p, slice, windows))
        return;
    uint32_t dropped = reshape ? dropped_axes(p, reshape, windows, x->rank) : 0;
    print_operand(p, slice->in[0]);
    buf_char(&p->out, '[');
    for (uint32_t i = 0; i < x->rank; i++) {
        buf_str(&p->out, i ? ", " : "");
        print_window(p, &windows[i], x->shape[i], (int)(dropped >> i & 1));
    }
    buf_char(&p->out, ']');
}

/* SPDX-License-Identifier: MIT
 * x[...]: of tuples an item, of tensors one slice and, where an index drops an axis, a reshape (language.md section 10).
 */
#include "front/endpoint.h"

#include "util/diag.h"

#include <inttypes.h>
#include <string.h>

struct axis_part {
    const struct tf_node *start;
    const struct tf_dim *size;
    int64_t stride;
    int64_t move; /* of a loop's window, by a literal */
    uint32_t dropped;
};

static int refuse(struct lower *l, const struct tf_loc *loc, const char *text)
{
    ERROR(l->ctx, loc, "subscript", "%s", text);
    return 0;
}

/* ---- one index ---------------------------------------------------------------------------------------------------*/

/* A negative number counts from the end. */
static int from_end(struct lower *l, struct endpoint *p, const struct tf_dim *extent)
{
    int64_t number;
    const char *why;
    if (p->n || !dim_is_const(p->constant, &number) || number >= 0)
        return 1;
    p->constant = dim_add(l->ctx, p->constant, extent, &why);
    return p->constant != NULL;
}

/* The first and last value of a loop's variable, where the bounds are known and there is a trip. */
static int loop_range(const struct tf_loop *loop, int64_t *first, int64_t *end, int64_t *last)
{
    int64_t step;
    if (!loop->start || !loop->extent || !loop->step || !dim_is_const(loop->start, first) ||
        !dim_is_const(loop->extent, end) || !dim_is_const(loop->step, &step) || step < 1 || *end <= *first)
        return 0;
    *last = *first + (*end - 1 - *first) / step * step;
    return 1;
}

/* R7 for windows: a moved one stays within the axis as far as the loop's own range goes; an unmoved one begins in it
 * (the last may reach past the end, where nothing is read). */
static int window_inside(
    struct lower *l, const struct tf_loc *loc, const struct endpoint *p, const struct tf_dim *extent)
{
    int64_t first, end, last, move, size;
    if (p->n != 1 || p->term[0].factor != 1 || !dim_is_const(p->constant, &move) || !dim_is_const(extent, &size) ||
        !loop_range(p->window->loop->loop, &first, &end, &last))
        return 1;
    if (move == 0 && last < size)
        return 1;
    if (move == 0) {
        ERROR(l->ctx, loc, "window-range",
            "the window of the last trip begins at %" PRId64 ", and the axis has %" PRId64 " elements", last, size);
        return 0;
    }
    __int128 low = (__int128)first + move, high = (__int128)end + move;
    if (low >= 0 && high <= size)
        return 1;
    ERROR(l->ctx, loc, "window-range",
        "this window goes over [%" PRId64 ", %" PRId64 ") of an axis of %" PRId64 " elements in the course of the loop",
        (int64_t)low, (int64_t)high, size);
    return 0;
}

static int read_window(
    struct lower *l, const struct expr *e, struct endpoint *p, const struct tf_dim *extent, struct axis_part *part)
{
    if (!window_inside(l, &e->loc, p, extent))
        return 0;
    part->size = p->window->size;
    if (p->n == 1 && p->term[0].factor == 1 && dim_is_const(p->constant, &part->move))
        p->constant = dim_const(l->ctx, 0); /* the slice moves it: nothing is computed (R9) */
    part->start = endpoint_node(l, &e->loc, p);
    return part->start != NULL;
}

static int read_index(
    struct lower *l, const struct expr *e, const struct tf_dim *extent, uint32_t axis, struct axis_part *part)
{
    struct endpoint p;
    int64_t at, size;
    if (!endpoint_read(l, e, &p))
        return 0;
    part->stride = 1;
    if (p.window)
        return read_window(l, e, &p, extent, part);
    int64_t written = p.n == 0 && p.constant->kind == TF_DIM_CONST ? p.constant->value : 0;
    if (!from_end(l, &p, extent))
        return refuse(l, &e->loc, "the index cannot be computed");
    if (p.n == 0 && dim_is_const(p.constant, &at) && dim_is_const(extent, &size) && (at < 0 || at >= size)) {
        ERROR(l->ctx, &e->loc, "subscript-range",
            "index %" PRId64 " is outside axis %u, which has %" PRId64 " elements", written, axis, size);
        return 0;
    }
    part->size = dim_const(l->ctx, 1);
    part->dropped = 1;
    part->start = endpoint_node(l, &e->loc, &p);
    return part->start != NULL;
}

/* ---- one slice ---------------------------------------------------------------------------------------------------*/

static int read_bound(struct lower *l, const struct expr *e, const struct tf_dim *fallback, const struct tf_dim *extent,
    struct endpoint *p)
{
    if (!e || e->kind == EXPR_NONE) {
        *p = (struct endpoint){.constant = fallback};
        return 1;
    }
    if (!endpoint_read(l, e, p))
        return 0;
    if (p->window)
        return refuse(l, &e->loc,
            "a tile loop's variable is a window already and cannot bound a slice: write x[:, i], or "
            "take its start as a number first, base = i + 0");
    return from_end(l, p, extent) || refuse(l, &e->loc, "the bound cannot be computed");
}

static int read_step(struct lower *l, const struct expr *e, int64_t *step)
{
    struct endpoint p;
    *step = 1;
    if (!e || e->kind == EXPR_NONE)
        return 1;
    if (!endpoint_read(l, e, &p))
        return 0;
    if (p.n || p.window || !dim_is_const(p.constant, step))
        return refuse(l, &e->loc, "the step of a slice must be a known int");
    return *step >= 1 || refuse(l, &e->loc, "the step of a slice must be 1 or more");
}

/* R7: what is known to lie outside the axis, or to go backwards, is refused. */
static int slice_inside(struct lower *l, const struct tf_loc *loc, const struct endpoint *from,
    const struct tf_dim *distance, const struct tf_dim *extent, uint32_t axis)
{
    int64_t length, begin = 0, size;
    int known = dim_is_const(distance, &length);
    if (known && length < 0) {
        ERROR(l->ctx, loc, "subscript-range", "the slice of axis %u ends before it begins", axis);
        return 0;
    }
    if (!known || !dim_is_const(extent, &size) || (from->n == 0 && !dim_is_const(from->constant, &begin)))
        return 1;
    if (begin >= 0 && (__int128)begin + length <= size)
        return 1;
    if (from->n)
        ERROR(l->ctx, loc, "subscript-range",
            "a slice of %" PRId64 " elements is longer than axis %u, which has %" PRId64, length, axis, size);
    else
        ERROR(l->ctx, loc, "subscript-range",
            "the slice [%" PRId64 ", %" PRId64 ") reaches outside axis %u, which has %" PRId64 " elements", begin,
            (int64_t)((__int128)begin + length), axis, size);
    return 0;
}

static int read_slice(
    struct lower *l, const struct expr *e, const struct tf_dim *extent, uint32_t axis, struct axis_part *part)
{
    struct endpoint from, to;
    const struct tf_dim *distance;
    const char *why;
    if (!read_bound(l, e->left, dim_const(l->ctx, 0), extent, &from) || !read_bound(l, e->right, extent, extent, &to) ||
        !read_step(l, e->third, &part->stride))
        return 0;
    if (!endpoint_distance(l, &from, &to, &distance))
        return refuse(l, &e->loc,
            "how long the slice is must be known: both ends come from the same value, as in base : base + K");
    if (!slice_inside(l, &e->loc, &from, distance, extent, axis))
        return 0;
    part->size = distance;
    if (part->stride != 1) {
        const struct tf_dim *step = dim_const(l->ctx, part->stride);
        part->size = dim_add(l->ctx, distance, dim_const(l->ctx, part->stride - 1), &why);
        part->size = part->size ? dim_floordiv(l->ctx, part->size, step, &why) : NULL;
    }
    if (!part->size)
        return refuse(l, &e->loc, "the length of the slice does not fit in 64 bits");
    part->start = endpoint_node(l, &e->loc, &from);
    return part->start != NULL;
}

/* ---- the whole ---------------------------------------------------------------------------------------------------*/

static struct tf_val dims_val(struct lower *l, const struct tf_dim *const *dims, uint32_t n)
{
    struct tf_val *items = CTX_ARRAY(l->ctx, struct tf_val, n + 1);
    for (uint32_t i = 0; i < n; i++)
        items[i] = dims[i]->kind == TF_DIM_CONST ? (struct tf_val){.kind = TF_VAL_INT, .u.i = dims[i]->value}
                                                 : (struct tf_val){.kind = TF_VAL_DIM, .u.dim = dims[i]};
    return (struct tf_val){.kind = TF_VAL_TUPLE, .count = n, .u.items = items};
}

static const struct tf_node *make_slice(struct lower *l, const struct expr *e, const struct tf_node *owner,
    const struct axis_part *parts, uint32_t n, const char *name)
{
    const struct tf_node *starts[TF_MAX_RANK] = {0};
    const struct tf_dim *sizes[TF_MAX_RANK] = {0}, *strides[TF_MAX_RANK] = {0}, *moves[TF_MAX_RANK] = {0};
    int is_moved = 0;
    for (uint32_t i = 0; i < n; i++) {
        starts[i] = parts[i].start;
        sizes[i] = parts[i].size;
        strides[i] = dim_const(l->ctx, parts[i].stride);
        moves[i] = dim_const(l->ctx, parts[i].move);
        is_moved |= parts[i].move != 0;
    }
    const struct tf_node *args[2] = {owner, ir_tuple(&l->b, &e->loc, starts, n)};
    struct sugar_attr attrs[3] = {{"sizes", dims_val(l, sizes, n)}, {"strides", dims_val(l, strides, n)}};
    uint32_t n_attrs = 2;
    if (is_moved)
        attrs[n_attrs++] = (struct sugar_attr){"moves", dims_val(l, moves, n)};
    return args[1] ? sugar_call(l, &e->loc, name, sugar_op("[:]", 1), args, 2, attrs, n_attrs) : NULL;
}

static const struct tf_node *drop_axes(struct lower *l, const struct expr *e, const struct tf_node *sliced,
    const struct axis_part *parts, uint32_t n, const char *name)
{
    const struct tf_dim *kept[TF_MAX_RANK];
    uint32_t rank = 0;
    for (uint32_t i = 0; i < n; i++)
        if (!parts[i].dropped)
            kept[rank++] = sliced->type->shape[i];
    if (rank == n)
        return sliced;
    struct sugar_attr attr = {"new_shape", dims_val(l, kept, rank)};
    return sugar_call(l, &e->loc, name, sugar_op("[.]", 1), &sliced, 1, &attr, 1);
}

static const struct tf_node *tuple_item(
    struct lower *l, const struct expr *e, const struct tf_node *owner, const char *name)
{
    struct eval ev = lower_eval(l);
    const struct value *v = eval_expr(&ev, e->right);
    uint32_t n = owner->type->rank;
    if (v)
        v = lower_static(&ev, v);
    if (!v || v->kind != VALUE_INT) {
        if (!v && !ev.fail.reported && e->right->kind == EXPR_NAME)
            eval_report(&ev);
        else if (v || !ev.fail.reported)
            refuse(l, &e->loc, "an item of a tuple is taken by a known int");
        return NULL;
    }
    int64_t i = v->u.i < 0 ? v->u.i + n : v->u.i;
    if (i < 0 || i >= n) {
        ERROR(l->ctx, &e->loc, "subscript-range", "item %" PRId64 " of a tuple of %u", v->u.i, n);
        return NULL;
    }
    struct sugar_attr attr = {"index", {.kind = TF_VAL_INT, .u.i = i}};
    return sugar_call(l, &e->loc, name, sugar_op("[i]", 1), &owner, 1, &attr, 1);
}

const struct tf_node *lower_subscript(
    struct lower *l, const struct expr *e, const struct tf_node *owner, const char *name)
{
    struct axis_part parts[TF_MAX_RANK] = {0};
    const struct expr *one[1] = {e->right};
    int many = e->right->kind == EXPR_TUPLE;
    uint32_t n = many ? e->right->n_items : 1;
    if (owner->type->kind == TF_TYPE_TUPLE)
        return tuple_item(l, e, owner, name);
    if (n != owner->type->rank || n > TF_MAX_RANK) {
        ERROR(l->ctx, &e->loc, "subscript-rank", "%u ind%s for a value of %u ax%s %s", n, n == 1 ? "ex" : "ices",
            owner->type->rank, owner->type->rank == 1 ? "is" : "es",
            shape_text(l->ctx, owner->type->shape, owner->type->rank));
        return NULL;
    }
    int read = 1;
    for (uint32_t i = 0; i < n && read; i++) {
        const struct expr *index = many ? e->right->items[i] : one[0];
        const struct tf_dim *extent = owner->type->shape[i];
        read = index->kind == EXPR_SLICE ? read_slice(l, index, extent, i, &parts[i])
                                         : read_index(l, index, extent, i, &parts[i]);
    }
    const struct tf_node *sliced = read ? make_slice(l, e, owner, parts, n, name) : NULL;
    return sliced ? drop_axes(l, e, sliced, parts, n, name) : NULL;
}

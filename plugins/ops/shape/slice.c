/* SPDX-License-Identifier: MIT */
#include "shape.h"

/* The window as the call states it. */
struct window {
    uint32_t rank;
    const struct tf_node *start[TF_MAX_RANK];
    const struct tf_dim *size[TF_MAX_RANK];
    int64_t step[TF_MAX_RANK];
    int64_t at[TF_MAX_RANK];   /* the start where it is a number */
    uint64_t fixed;            /* axes whose start is one */
    int64_t move[TF_MAX_RANK]; /* known distance that a start is moved by */
};

/* Whether a start may come from the variable of a tile loop, whose last window may overhang.  Looks through the index
 * arithmetic of a page, not through whole programs: what it does not see counts as such a start. */
static int may_overhang(const struct tf_node *start)
{
    const struct tf_node *open[32];
    uint32_t n = 1, looked = 0;
    open[0] = start;
    while (looked < n) {
        const struct tf_node *node = open[looked++];
        if (node->kind == TF_NODE_LOOPVAR || node->kind == TF_NODE_RPARAM || node->n_in > OK_COUNT(open) - n)
            return 1;
        for (uint32_t i = 0; i < node->n_in; i++)
            open[n++] = node->in[i];
    }
    return 0;
}

static int refuse_window(tf_ctx *ctx, const struct tf_call *call, const struct window *w, uint32_t axis)
{
    const struct tf_dim *extent = call->arg_types[0]->shape[axis];
    if (w->fixed >> axis & 1)
        return OK_REFUSE(ctx, call, OK_CODE_WINDOW,
            "slice: axis %u has extent %s; a window of %s from %lld with step %lld passes its end", axis,
            ok_dim_text(ctx, extent), ok_dim_text(ctx, w->size[axis]), (long long)w->at[axis],
            (long long)w->step[axis]);
    return OK_REFUSE(ctx, call, OK_CODE_WINDOW,
        "slice: axis %u has extent %s; a window of %s with step %lld does not fit, wherever it starts", axis,
        ok_dim_text(ctx, extent), ok_dim_text(ctx, w->size[axis]), (long long)w->step[axis]);
}

/* Where the window ends: past its last element, or, of an empty one, where it starts.  NULL after a diagnostic. */
static const struct tf_dim *window_end(tf_ctx *ctx, const struct window *w, uint32_t axis)
{
    const struct tf_dim *one = tf_host->dim_const(ctx, 1), *step = tf_host->dim_const(ctx, w->step[axis]);
    const struct tf_dim *start = tf_host->dim_const(ctx, w->fixed >> axis & 1 ? w->at[axis] : 0);
    if (ok_dim_is(w->size[axis], 0))
        return start;
    const struct tf_dim *last = tf_host->dim_sub(ctx, w->size[axis], one);
    last = last ? tf_host->dim_mul(ctx, last, step) : NULL;
    last = last ? tf_host->dim_add(ctx, last, start) : NULL;
    return last ? tf_host->dim_add(ctx, last, one) : NULL;
}

/* The window lies inside the axis, as far as that can be told before it runs. */
static int check_axis(tf_ctx *ctx, const struct tf_call *call, const struct window *w, uint32_t axis)
{
    const struct tf_dim *size = w->size[axis];
    int is_fixed = (w->fixed >> axis & 1) != 0;
    if (ok_is_const(size) && size->value < 0)
        return OK_REFUSE(ctx, call, OK_CODE_WINDOW, "slice: the window of axis %u has the negative size %lld", axis,
            (long long)size->value);
    if (is_fixed && w->at[axis] < 0)
        return OK_REFUSE(ctx, call, OK_CODE_WINDOW, "slice: the window of axis %u starts at %lld; it must be 0 or more",
            axis, (long long)w->at[axis]);
    if (!is_fixed && may_overhang(w->start[axis]))
        return TF_OK;
    const struct tf_dim *end = window_end(ctx, w, axis);
    const struct tf_dim *left = end ? tf_host->dim_sub(ctx, call->arg_types[0]->shape[axis], end) : NULL;
    if (!left)
        return TF_E_REFUSED;
    return ok_is_const(left) && left->value < 0 ? refuse_window(ctx, call, w, axis) : TF_OK;
}

static int read_steps(tf_ctx *ctx, const struct tf_call *call, struct window *w)
{
    const struct tf_val *val = &call->attrs[1];
    if (val->kind != TF_VAL_TUPLE || val->count != w->rank)
        return OK_REFUSE(ctx, call, OK_CODE_RANK, "slice: strides has %u items; %s has %u axes",
            val->kind == TF_VAL_TUPLE ? val->count : 0, ok_shape_text(ctx, call->arg_types[0]), w->rank);
    for (uint32_t i = 0; i < w->rank; i++) {
        const struct tf_val *item = &val->u.items[i];
        if (item->kind != TF_VAL_INT || item->u.i <= 0)
            return OK_REFUSE(ctx, call, OK_CODE_WINDOW, "slice: the step of axis %u must be an integer from 1 on", i);
        w->step[i] = item->u.i;
    }
    return TF_OK;
}

/* Distances by which windows of loops are moved: x[:, i + 8] computes nothing when it runs. */
static int read_moves(tf_ctx *ctx, const struct tf_call *call, struct window *w)
{
    const struct tf_val *val = &call->attrs[2];
    if (val->kind == TF_VAL_NONE)
        return TF_OK;
    if (val->count != w->rank)
        return OK_REFUSE(ctx, call, OK_CODE_RANK, "slice: moves has %u items; %s has %u axes", val->count,
            ok_shape_text(ctx, call->arg_types[0]), w->rank);
    for (uint32_t i = 0; i < w->rank; i++) {
        const struct tf_val *item = &val->u.items[i];
        if (item->kind != TF_VAL_INT || (item->u.i && (w->fixed >> i & 1)))
            return OK_REFUSE(ctx, call, OK_CODE_WINDOW,
                "slice: axis %u is moved by a known integer where its start is a value, and by 0 elsewhere", i);
        w->move[i] = item->u.i;
    }
    return TF_OK;
}

static int read_window(tf_ctx *ctx, const struct tf_call *call, struct window *w)
{
    const struct tf_type *x = call->arg_types[0];
    uint32_t n;
    *w = (struct window){.rank = x->rank};
    int rc = ok_window_starts(ctx, call, 1, x->rank, w->start);
    if (rc == TF_OK)
        rc = ok_attr_dims(ctx, call, 0, &n, w->size);
    if (rc == TF_OK && n != x->rank)
        rc = OK_REFUSE(
            ctx, call, OK_CODE_RANK, "slice: sizes has %u items; %s has %u axes", n, ok_shape_text(ctx, x), x->rank);
    if (rc == TF_OK)
        rc = read_steps(ctx, call, w);
    for (uint32_t i = 0; rc == TF_OK && i < x->rank; i++)
        if (tf_host->value_int(w->start[i], &w->at[i]) == TF_OK)
            w->fixed |= (uint64_t)1 << i;
    return rc == TF_OK ? read_moves(ctx, call, w) : rc;
}

/* ---- layouts -------------------------------------------------------------------------------------------------------*/

static int is_narrow(const struct tf_type *x, const struct window *w, uint32_t axis)
{
    return !(w->fixed >> axis & 1) || w->at[axis] != 0 || w->size[axis] != x->shape[axis] || w->step[axis] != 1;
}

/* Start times stride, added to the offset. */
static const struct tf_dim *add_offset(
    tf_ctx *ctx, const struct tf_dim *offset, int64_t start, const struct tf_dim *stride)
{
    const struct tf_dim *moved = tf_host->dim_mul(ctx, tf_host->dim_const(ctx, start), stride);
    return moved ? tf_host->dim_add(ctx, offset, moved) : NULL;
}

/* The one layout position of an axis that a window narrows; none when it is split or takes several. */
static int narrow_position(tf_ctx *ctx, const struct tf_call *call, const struct tf_layout *shard,
    const int32_t *axis_of, uint32_t axis, uint32_t *position)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < shard->rank; i++) {
        if (axis_of[i] != (int32_t)axis)
            continue;
        *position = i;
        found++;
    }
    if (found != 1)
        return OK_REFUSE(ctx, call, OK_CODE_LAYOUT,
            "slice: axis %u takes %u positions of the layout of x, so a window of it cannot be said there; reshard x "
            "first",
            axis, found);
    return TF_OK;
}

/* Shares stay as they are where every split axis is taken whole. */
static int sharded_window(tf_ctx *ctx, const struct tf_call *call, const struct window *w,
    const struct tf_layout *shard, const struct tf_dim *offset, const struct tf_layout **layout)
{
    const struct tf_type *x = call->arg_types[0];
    size_t room = shard->rank + 1;
    int32_t *axis_of = tf_host->alloc(ctx, room * sizeof(*axis_of));
    const struct tf_dim **shape = tf_host->alloc(ctx, room * sizeof(*shape));
    const struct tf_dim **strides = tf_host->alloc(ctx, room * sizeof(*strides));
    int has_offset = shard->strides != NULL;
    tf_host->position_axes(shard, x->rank, x->shape, axis_of);
    for (uint32_t i = 0; i < shard->rank; i++) {
        shape[i] = shard->shape[i];
        strides[i] = shard->strides ? shard->strides[i] : NULL;
    }
    for (uint32_t axis = 0; axis < x->rank; axis++) {
        uint32_t at = 0;
        if (!is_narrow(x, w, axis))
            continue;
        int rc = ok_refuse_split(ctx, call, "x", x, axis, axis + 1);
        if (rc == TF_OK)
            rc = narrow_position(ctx, call, shard, axis_of, axis, &at);
        if (rc)
            return rc;
        shape[at] = w->size[axis];
        if (shard->strides)
            strides[at] = tf_host->dim_mul(ctx, strides[at], tf_host->dim_const(ctx, w->step[axis]));
        has_offset = has_offset && (w->fixed >> axis & 1);
        if (has_offset)
            offset = add_offset(ctx, offset, w->at[axis], shard->strides[at]);
        if ((shard->strides && !strides[at]) || !offset)
            return TF_E_REFUSED;
    }
    *layout =
        tf_host->layout_shard(ctx, shard->rank, shape, shard->strides ? strides : NULL, shard->mesh, shard->attrs);
    if (*layout && has_offset && !ok_dim_is(offset, 0))
        *layout = tf_host->layout_composed(ctx, offset, *layout);
    return *layout ? TF_OK : TF_E_REFUSED;
}

/* A plain layout of known strides is read from an offset on; of others nothing is left. */
static int plain_window(tf_ctx *ctx, const struct window *w, const struct tf_layout *plain, const struct tf_dim *offset,
    const struct tf_layout **layout)
{
    const struct tf_dim *strides[TF_MAX_RANK];
    uint64_t all = ((uint64_t)1 << w->rank) - 1;
    *layout = NULL;
    if (!plain->strides || plain->rank != w->rank || w->fixed != all)
        return TF_OK;
    for (uint32_t i = 0; offset && i < w->rank; i++) {
        offset = add_offset(ctx, offset, w->at[i], plain->strides[i]);
        strides[i] = tf_host->dim_mul(ctx, plain->strides[i], tf_host->dim_const(ctx, w->step[i]));
        if (!strides[i])
            return TF_E_REFUSED;
    }
    const struct tf_layout *outer = offset ? tf_host->layout_plain(ctx, w->rank, w->size, strides) : NULL;
    *layout = outer ? tf_host->layout_composed(ctx, offset, outer) : NULL;
    return *layout ? TF_OK : TF_E_REFUSED;
}

static int window_layout(
    tf_ctx *ctx, const struct tf_call *call, const struct window *w, const struct tf_layout **layout)
{
    const struct tf_layout *source = call->arg_types[0]->layout;
    const struct tf_dim *offset = tf_host->dim_const(ctx, 0);
    *layout = NULL;
    if (source && source->kind == TF_LAYOUT_COMPOSED) {
        offset = source->offset;
        source = source->outer;
    }
    if (!source)
        return TF_OK;
    return source->kind == TF_LAYOUT_SHARD ? sharded_window(ctx, call, w, source, offset, layout)
                                           : plain_window(ctx, w, source, offset, layout);
}

/* ---- the operator --------------------------------------------------------------------------------------------------*/

static int infer(tf_ctx *ctx, const struct tf_call *call, const struct tf_type **result)
{
    const struct tf_type *x = call->arg_types[0];
    const struct tf_layout *layout;
    struct window w;
    int rc = ok_tensors(ctx, call);
    if (rc == TF_OK)
        rc = read_window(ctx, call, &w);
    if (rc)
        return rc;
    for (uint32_t i = 0; rc == TF_OK && i < w.rank; i++)
        rc = check_axis(ctx, call, &w, i);
    if (rc == TF_OK)
        rc = window_layout(ctx, call, &w, &layout);
    return rc ? rc : ok_result(ctx, x->dtype, w.rank, w.size, layout, x->storage, result);
}

/* The source is addressed where the window lies; only the starts are read. */
static int relate(tf_ctx *ctx, const struct tf_call *call, struct tf_relation *relation)
{
    struct window w;
    int rc = read_window(ctx, call, &w);
    if (rc == TF_OK)
        rc = tf_host->relation_box(ctx, call, relation, w.rank, w.size, 1);
    if (rc)
        return rc;
    ok_set_view(relation, 0);
    tf_host->relation_walk(ctx, &relation->in[0], w.rank, 0);
    tf_host->relation_walk(ctx, &relation->out[0], w.rank, 0);
    for (uint32_t i = 0; i < w.rank; i++) {
        relation->in[0].axes[i].scale[0] = w.step[i];
        ok_axis_start(&relation->in[0].axes[i], w.start[i]);
        relation->in[0].axes[i].offset += w.move[i];
    }
    return TF_OK;
}

static const struct tf_input inputs[] = {
    {.name = "x", .kind = TF_INPUT_TENSOR}, {.name = "starts", .kind = TF_INPUT_VALUES}};
static const struct tf_attr_decl attrs[] = {{.name = "sizes", .kind = TF_ATTR_TUPLE, .flags = TF_ATTR_REQUIRED},
    {.name = "strides", .kind = TF_ATTR_TUPLE, .flags = TF_ATTR_REQUIRED},
    {.name = "moves", .kind = TF_ATTR_TUPLE, .flags = TF_ATTR_OPTIONAL}};
const struct tf_op shape_slice = {.struct_size = sizeof(shape_slice),
    .name = "slice",
    .summary = "a window of a value, as x[a:b] writes it",
    .n_inputs = OK_COUNT(inputs),
    .inputs = inputs,
    .n_attrs = OK_COUNT(attrs),
    .attrs = attrs,
    .infer = infer,
    .relate = relate,
    .eval = shape_eval_slice,
    .flags = TF_OP_ROWS,
    .moves = 1};

/* SPDX-License-Identifier: MIT */
#include "ir/carry.h"

#include "util/diag.h"

static int same_shape(const struct tf_type *a, const struct tf_type *b)
{
    if (a->rank != b->rank)
        return 0;
    for (uint32_t i = 0; i < a->rank; i++)
        if (a->shape[i] != b->shape[i])
            return 0;
    return 1;
}

/* Whether every unit holds the whole value. */
static int is_replicated(const struct tf_layout *shard)
{
    if (shard)
        for (uint32_t i = 0; i < shard->mesh->rank; i++)
            if (shard->attrs[i].kind != TF_ATTR_BROADCAST)
                return 0;
    return 1;
}

/* Where a split stands: its logical axis, and how many elements lie between two of its parts. */
struct split_place {
    int32_t axis;
    const struct tf_dim *apart; /* NULL on overflow: then nothing is equal to it */
};

static struct split_place split_place(
    tf_ctx *ctx, const struct tf_layout *shard, const int32_t *axis_of, int32_t position)
{
    const char *why;
    struct split_place place = {axis_of[position], dim_const(ctx, 1)};
    for (uint32_t i = (uint32_t)position + 1; i < shard->rank && place.apart; i++)
        if (axis_of[i] == place.axis)
            place.apart = dim_mul(ctx, place.apart, shard->shape[i], &why);
    return place;
}

static int same_attr(tf_ctx *ctx, const struct tf_layout *a, const struct tf_layout *b, const int32_t *axis_a,
    const int32_t *axis_b, uint32_t mesh_axis)
{
    const struct tf_shard_attr *x = &a->attrs[mesh_axis], *y = &b->attrs[mesh_axis];
    if (x->kind != y->kind)
        return 0;
    if (x->kind == TF_ATTR_PARTIAL)
        return ctx_intern(ctx, x->reduction) == ctx_intern(ctx, y->reduction);
    if (x->kind != TF_ATTR_SPLIT)
        return 1;
    struct split_place p = split_place(ctx, a, axis_a, x->axis), q = split_place(ctx, b, axis_b, y->axis);
    return p.axis == q.axis && p.apart && p.apart == q.apart;
}

static int same_split(tf_ctx *ctx, const struct tf_type *a, const struct tf_type *b)
{
    const struct tf_layout *x = shard_of(a->layout), *y = shard_of(b->layout);
    if (is_replicated(x) || is_replicated(y))
        return is_replicated(x) && is_replicated(y);
    if (!mesh_equal(x->mesh, y->mesh))
        return 0;
    int32_t *axis_x = CTX_ARRAY(ctx, int32_t, x->rank), *axis_y = CTX_ARRAY(ctx, int32_t, y->rank);
    position_axes(x, a->rank, a->shape, axis_x);
    position_axes(y, b->rank, b->shape, axis_y);
    for (uint32_t i = 0; i < x->mesh->rank; i++)
        if (!same_attr(ctx, x, y, axis_x, axis_y, i))
            return 0;
    return 1;
}

/* What differs, as a word for the message; NULL when the yield fits. */
static const char *difference(tf_ctx *ctx, const struct tf_type *carry, const struct tf_type *yield)
{
    if (carry->kind != yield->kind)
        return "kind";
    if (carry->kind == TF_TYPE_TUPLE) {
        const char *what = carry->rank == yield->rank ? NULL : "number of fields";
        for (uint32_t i = 0; i < carry->rank && !what; i++)
            what = difference(ctx, carry->fields[i], yield->fields[i]);
        return what;
    }
    return !same_shape(carry, yield)          ? "shape"
           : carry->dtype != yield->dtype     ? "dtype"
           : carry->storage != yield->storage ? "storage"
           : !same_split(ctx, carry, yield)   ? "split"
                                              : NULL;
}

int carry_allows(tf_ctx *ctx, const struct tf_node *carry, const struct tf_type *yield, const struct tf_loc *loc)
{
    if (carry->type == yield || type_equal(carry->type, yield))
        return 1;
    const char *what = difference(ctx, carry->type, yield);
    if (!what)
        return 1;
    ERROR(ctx, loc, "carry-type", "'%s' enters the loop as %s and leaves a trip as %s: a carried value keeps its %s",
        carry->name ? carry->name : "value", type_text(ctx, carry->type), type_text(ctx, yield), what);
    return 0;
}

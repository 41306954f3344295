/* SPDX-License-Identifier: MIT */
#include "shape.h"

/* The permutation, negative entries counted from the end, each axis named once. */
static int read_perm(tf_ctx *ctx, const struct tf_call *call, uint32_t *perm)
{
    const struct tf_val *val = &call->attrs[0];
    uint32_t rank = call->arg_types[0]->rank;
    uint64_t seen = 0;
    if (val->kind != TF_VAL_TUPLE || val->count != rank)
        return OK_REFUSE(ctx, call, OK_CODE_PERMUTATION, "transpose: perm has %u entries for %u axes",
            val->kind == TF_VAL_TUPLE ? val->count : 0, rank);
    for (uint32_t i = 0; i < rank; i++) {
        const struct tf_val *item = &val->u.items[i];
        int64_t axis = item->kind == TF_VAL_INT ? item->u.i : INT64_MAX;
        if (axis < 0 && axis >= -(int64_t)rank)
            axis += rank;
        if (axis < 0 || axis >= rank)
            return OK_REFUSE(
                ctx, call, OK_CODE_PERMUTATION, "transpose: entry %u of perm names none of the %u axes", i, rank);
        if (seen >> axis & 1)
            return OK_REFUSE(ctx, call, OK_CODE_PERMUTATION, "transpose: perm names axis %lld twice", (long long)axis);
        seen |= (uint64_t)1 << axis;
        perm[i] = (uint32_t)axis;
    }
    return TF_OK;
}

/* Iterates over the source; the permutation happens on the way out. */
static int relate(tf_ctx *ctx, const struct tf_call *call, struct tf_relation *relation)
{
    const struct tf_type *x = call->arg_types[0];
    uint32_t perm[TF_MAX_RANK];
    int rc = read_perm(ctx, call, perm);
    if (rc == TF_OK)
        rc = tf_host->relation_box(ctx, call, relation, x->rank, x->shape, 1);
    if (rc)
        return rc;
    tf_host->relation_walk(ctx, &relation->in[0], x->rank, 0);
    struct tf_axis *out = ok_axes(ctx, &relation->out[0], x->rank);
    for (uint32_t i = 0; i < x->rank; i++)
        out[i] = ok_walk_axis(perm[i]);
    return TF_OK;
}

static const struct tf_layout *permute(tf_ctx *ctx, const struct tf_layout *plain, uint32_t rank, const uint32_t *perm)
{
    const struct tf_dim *shape[TF_MAX_RANK], *strides[TF_MAX_RANK];
    if (plain->kind != TF_LAYOUT_PLAIN || plain->rank != rank)
        return NULL;
    for (uint32_t i = 0; i < rank; i++) {
        shape[i] = plain->shape[perm[i]];
        strides[i] = plain->strides ? plain->strides[perm[i]] : NULL;
    }
    return tf_host->layout_plain(ctx, rank, shape, plain->strides ? strides : NULL);
}

static int is_identity(uint32_t rank, const uint32_t *perm)
{
    for (uint32_t i = 0; i < rank; i++)
        if (perm[i] != i)
            return 0;
    return 1;
}

/* Shares turn with their axes.  A replicated value is laid out anew; of a window into one nothing is left. */
static int turned_shares(tf_ctx *ctx, const struct tf_call *call, const struct tf_layout *shard, const uint32_t *perm,
    const struct tf_dim *const *shape, const struct tf_layout **layout)
{
    const struct tf_type *x = call->arg_types[0];
    struct tf_relation relation = {0};
    int rc = relate(ctx, call, &relation);
    if (rc == TF_OK)
        rc = ok_derive(ctx, call, &relation, x->rank, shape, 0, 0, 0, layout);
    if (rc || *layout)
        return rc;
    if (is_identity(x->rank, perm))
        *layout = x->layout;
    else if (x->layout == shard && !(*layout = ok_replicated(ctx, call, shard, x->rank, shape)))
        return TF_E_REFUSED;
    return TF_OK;
}

static int turned_layout(tf_ctx *ctx, const struct tf_call *call, const uint32_t *perm,
    const struct tf_dim *const *shape, const struct tf_layout **layout)
{
    const struct tf_type *x = call->arg_types[0];
    *layout = NULL;
    if (ok_shard(x))
        return turned_shares(ctx, call, ok_shard(x), perm, shape, layout);
    if (x->layout && x->layout->kind == TF_LAYOUT_COMPOSED) {
        const struct tf_layout *outer = permute(ctx, x->layout->outer, x->rank, perm);
        *layout = outer ? tf_host->layout_composed(ctx, x->layout->offset, outer) : NULL;
    } else if (x->layout) {
        *layout = permute(ctx, x->layout, x->rank, perm);
    }
    return TF_OK;
}

static int infer(tf_ctx *ctx, const struct tf_call *call, const struct tf_type **result)
{
    const struct tf_type *x = call->arg_types[0];
    const struct tf_dim *shape[TF_MAX_RANK];
    const struct tf_layout *layout;
    uint32_t perm[TF_MAX_RANK];
    int rc = ok_tensors(ctx, call);
    if (rc == TF_OK)
        rc = read_perm(ctx, call, perm);
    if (rc)
        return rc;
    for (uint32_t i = 0; i < x->rank; i++)
        shape[i] = x->shape[perm[i]];
    rc = turned_layout(ctx, call, perm, shape, &layout);
    return rc ? rc : ok_result(ctx, x->dtype, x->rank, shape, layout, x->storage, result);
}

static const struct tf_input inputs[] = {{.name = "x", .kind = TF_INPUT_TENSOR}};
static const struct tf_attr_decl attrs[] = {{.name = "perm", .kind = TF_ATTR_TUPLE, .flags = TF_ATTR_REQUIRED}};
const struct tf_op shape_transpose = {.struct_size = sizeof(shape_transpose),
    .name = "transpose",
    .summary = "the axes in another order",
    .n_inputs = OK_COUNT(inputs),
    .inputs = inputs,
    .n_attrs = OK_COUNT(attrs),
    .attrs = attrs,
    .infer = infer,
    .relate = relate,
    .eval = shape_eval_transpose,
    .flags = TF_OP_ROWS,
    .moves = 1};

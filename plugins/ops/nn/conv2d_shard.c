/* SPDX-License-Identifier: MIT
 * conv2d over a mesh: a division of what is summed leaves a partial sum, and the bias has to be a part of the same one.
 */
#include "nn.h"

static uint64_t split_mask(const struct tf_type *type, uint32_t axis)
{
    return ok_is_sharded(type) ? tf_host->split_mask(type, axis) : 0;
}

static uint64_t partial_mask(const struct tf_type *type)
{
    uint64_t mask = 0;
    for (uint32_t axis = 0; axis < ok_mesh_rank(type); axis++)
        if (ok_partial(type, axis))
            mask |= UINT64_C(1) << axis;
    return mask;
}

static uint32_t lowest(uint64_t mask)
{
    return (uint32_t)__builtin_ctzll(mask);
}

static const struct tf_mesh *mesh_of(const struct tf_type *type)
{
    return tf_host->shard_of(type->layout)->mesh;
}

static int same_mesh(const struct tf_type *a, const struct tf_type *b)
{
    if (!ok_is_sharded(a) || !ok_is_sharded(b))
        return 0;
    const struct tf_mesh *x = mesh_of(a), *y = mesh_of(b);
    if (x == y)
        return 1;
    int same = x->rank == y->rank && x->n_levels == y->n_levels;
    for (uint32_t axis = 0; same && axis < x->rank; axis++)
        same = x->shape[axis] == y->shape[axis] && x->level_of[axis] == y->level_of[axis];
    for (uint32_t level = 0; same && level < x->n_levels; level++)
        same = strcmp(x->levels[level].name, y->levels[level].name) == 0;
    return same;
}

/* What is summed: the channels, divided alike in both operands, and the taps. */
static int check_contraction(tf_ctx *ctx, const struct tf_call *call, const struct conv *conv, uint64_t *summed)
{
    uint64_t in = split_mask(conv->input, 1), channels = split_mask(conv->weight, 1);
    *summed = channels | split_mask(conv->weight, 2) | split_mask(conv->weight, 3);
    if (in == channels)
        return TF_OK;
    uint32_t axis = lowest(in ^ channels);
    const struct tf_type *divided = in >> axis & 1 ? conv->input : conv->weight;
    return OK_REFUSE(ctx, call, OK_CODE_SPLIT,
        "conv2d: mesh axis %s divides the input channels of %s only; reshard one of input and weight",
        ok_mesh_axis(ctx, divided, axis), divided == conv->input ? "input" : "weight");
}

static int check_bias(tf_ctx *ctx, const struct tf_call *call, const struct conv *conv, uint64_t partial)
{
    const struct tf_type *sharded = ok_is_sharded(conv->input) ? conv->input : conv->weight;
    for (uint32_t axis = 0; axis < TF_MAX_MESH; axis++) {
        const char *reduction = ok_partial(conv->bias, axis);
        int wanted = (partial >> axis & 1) != 0;
        if (wanted && (!reduction || strcmp(reduction, "sum") != 0 || !same_mesh(conv->bias, sharded)))
            return OK_REFUSE(ctx, call, OK_CODE_PARTIAL,
                "conv2d: the product is a partial sum over mesh axis %s, and bias is not; reshard the operands so that "
                "it is complete, or bias as a partial sum",
                ok_mesh_axis(ctx, sharded, axis));
        if (reduction && !wanted)
            return OK_REFUSE(ctx, call, OK_CODE_PARTIAL,
                "conv2d: bias is a partial %s over mesh axis %s, and the product is complete; reshard bias", reduction,
                ok_mesh_axis(ctx, conv->bias, axis));
    }
    return TF_OK;
}

/* How many parts an axis is divided into. */
static int64_t parts_of(const struct tf_type *type, uint64_t mask)
{
    int64_t parts = 1;
    for (; mask; mask &= mask - 1) {
        const struct tf_dim *extent = mesh_of(type)->shape[lowest(mask)];
        if (extent->kind != TF_DIM_CONST || extent->value < 1 || __builtin_mul_overflow(parts, extent->value, &parts))
            return 0;
    }
    return parts;
}

/* A share of the output channels holds whole groups or a part of one: else units would need different amounts. */
static int check_groups(tf_ctx *ctx, const struct tf_call *call, const struct conv *conv)
{
    if (conv->groups == 1)
        return TF_OK;
    const struct tf_type *const types[] = {conv->weight, conv->bias};
    for (uint32_t i = 0; i < 2; i++) {
        uint64_t mask = split_mask(types[i], 0);
        int64_t parts = mask ? parts_of(types[i], mask) : 1;
        int64_t held = parts > 0 ? conv->outputs_a_group * conv->groups / parts : 0;
        if (held == 0 || (conv->outputs_a_group % held && held % conv->outputs_a_group))
            return OK_REFUSE(ctx, call, OK_CODE_SPLIT,
                "conv2d: %s divides the output channels into %lld parts, which cut across the groups of %lld; reshard "
                "it so that each part holds whole groups or a part of one",
                call->op->inputs[i + 1].name, (long long)parts, (long long)conv->outputs_a_group);
    }
    return TF_OK;
}

int conv_check_shards(tf_ctx *ctx, const struct tf_call *call, const struct conv *conv)
{
    uint64_t partial = 0;
    if (!ok_is_sharded(conv->input) && !ok_is_sharded(conv->weight) && !ok_is_sharded(conv->bias))
        return TF_OK;
    const struct ok_operand operands[] = {{"input", conv->input}, {"weight", conv->weight}};
    int rc = ok_check_partials(ctx, call, 2, operands, "sum", "", 0);
    if (rc == TF_OK)
        rc = check_contraction(ctx, call, conv, &partial);
    if (rc)
        return rc;
    partial |= partial_mask(conv->input) | partial_mask(conv->weight);
    rc = check_bias(ctx, call, conv, partial);
    return rc ? rc : check_groups(ctx, call, conv);
}

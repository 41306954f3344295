/* SPDX-License-Identifier: MIT */
#include "ir/relation.h"

#include "util/diag.h"

int relation_box(tf_ctx *ctx, const struct tf_call *call, struct tf_relation *relation, uint32_t n_iter,
    const struct tf_dim *const *extent, uint32_t n_out)
{
    if (n_iter > RELATION_MAX_ITER) {
        ERROR(ctx, &call->loc, "limit", "%s goes over %u axes; %d is the most that its accesses can be stated on",
            call->op->name, n_iter, RELATION_MAX_ITER);
        return TF_E_REFUSED;
    }
    *relation = (struct tf_relation){.n_iter = n_iter, .n_in = call->n_args, .n_out = n_out};
    relation->extent = ARENA_ARRAY(&ctx->relations, const struct tf_dim *, n_iter);
    for (uint32_t k = 0; k < n_iter; k++)
        relation->extent[k] = extent[k];
    relation->in = ARENA_ARRAY(&ctx->relations, struct tf_boundary, (size_t)call->n_args + n_out);
    relation->out = relation->in + call->n_args;
    for (uint32_t i = 0; i < call->n_args; i++)
        relation->in[i].flow = TF_FLOW_READ;
    for (uint32_t i = 0; i < n_out; i++)
        relation->out[i].flow = TF_FLOW_WRITE;
    return TF_OK;
}

void relation_done(tf_ctx *ctx)
{
    arena_reset(&ctx->relations);
}

static void make_axes(tf_ctx *ctx, struct tf_boundary *boundary, uint32_t rank)
{
    boundary->rank = rank;
    boundary->axes =
        ARENA_ARRAY(&ctx->relations, struct tf_axis, rank); /* not NULL for rank 0: a scalar's one element */
    for (uint32_t k = 0; k < rank; k++)
        boundary->axes[k] = (struct tf_axis){.kind = TF_AXIS_WALK, .iter = {-1, -1}};
}

void relation_walk(tf_ctx *ctx, struct tf_boundary *boundary, uint32_t rank, uint32_t first)
{
    make_axes(ctx, boundary, rank);
    for (uint32_t k = 0; k < rank; k++) {
        boundary->axes[k].iter[0] = (int32_t)(first + k);
        boundary->axes[k].scale[0] = 1;
    }
}

void relation_broadcast(tf_ctx *ctx, struct tf_boundary *boundary, const struct tf_type *type, uint32_t rank,
    const struct tf_dim *const *shape)
{
    (void)shape; /* the box's own extents: an axis either has them or is 1 */
    make_axes(ctx, boundary, type->rank);
    for (uint32_t k = 0; k < type->rank; k++) {
        const struct tf_dim *extent = type->shape[k];
        if (extent->kind == TF_DIM_CONST && extent->value == 1)
            continue;
        boundary->axes[k].iter[0] = (int32_t)(rank - type->rank + k);
        boundary->axes[k].scale[0] = 1;
    }
}

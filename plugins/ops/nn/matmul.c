/* SPDX-License-Identifier: MIT
 * matmul: batched matrix product; the layouts say which of an operand's last two axes is summed.
 */
#include "nn.h"
#include "eval.h"

#define ATTR_A_LAYOUT 0u
#define ATTR_B_LAYOUT 1u
#define ATTR_OUT_DTYPE 2u

/* Axes of the operands: M and K of lhs, N and K of rhs. */
struct axes {
    uint32_t m, k, n, k_rhs;
};

static struct axes axes_of(const struct tf_call *call)
{
    uint32_t a = ok_arg(call, 0)->rank, b = ok_arg(call, 1)->rank;
    int a_last_m = strcmp(ok_string(call, ATTR_A_LAYOUT), "KM") == 0;
    int b_last_k = strcmp(ok_string(call, ATTR_B_LAYOUT), "NK") == 0;
    return (struct axes){
        .m = a_last_m ? a - 1 : a - 2,
        .k = a_last_m ? a - 2 : a - 1,
        .n = b_last_k ? b - 2 : b - 1,
        .k_rhs = b_last_k ? b - 1 : b - 2,
    };
}

/* batch + (M, N); not 0 when the batches do not broadcast. */
static int result_shape(const struct tf_call *call, uint32_t *rank, const struct tf_dim **shape)
{
    const struct tf_type *lhs = ok_arg(call, 0), *rhs = ok_arg(call, 1);
    struct axes axes = axes_of(call);
    uint32_t batch;
    int rc = ok_broadcast(lhs->rank - 2, lhs->shape, rhs->rank - 2, rhs->shape, &batch, shape);
    if (rc)
        return rc;
    shape[batch] = lhs->shape[axes.m];
    shape[batch + 1] = rhs->shape[axes.n];
    *rank = batch + 2;
    return TF_OK;
}

static int check_matmul(tf_ctx *ctx, const struct tf_call *call)
{
    int rc = ok_tensors(ctx, call);
    if (rc)
        return rc;
    const struct tf_type *lhs = ok_arg(call, 0), *rhs = ok_arg(call, 1);
    if (lhs->dtype != rhs->dtype)
        return OK_REFUSE(ctx, call, OK_CODE_DTYPE,
            "matmul: the operands are %s and %s; nothing is promoted: convert one, as in tf.cast(OPERAND, \"%s\")",
            ok_dtype_name(lhs->dtype), ok_dtype_name(rhs->dtype), ok_dtype_name(lhs->dtype));
    if (lhs->rank < 2 || rhs->rank < 2)
        return OK_REFUSE(ctx, call, OK_CODE_RANK,
            "matmul: the operands have shapes %s and %s; two axes or more are expected of each",
            ok_shape_text(ctx, lhs), ok_shape_text(ctx, rhs));
    struct axes axes = axes_of(call);
    if (lhs->shape[axes.k] != rhs->shape[axes.k_rhs])
        return OK_REFUSE(ctx, call, OK_CODE_SHAPE,
            "matmul: K is axis %u of %s in lhs (%s) and axis %u of %s in rhs (%s), and the two extents differ", axes.k,
            ok_shape_text(ctx, lhs), ok_string(call, ATTR_A_LAYOUT), axes.k_rhs, ok_shape_text(ctx, rhs),
            ok_string(call, ATTR_B_LAYOUT));
    uint64_t split = ok_is_sharded(lhs) ? tf_host->split_mask(lhs, axes.k) : 0;
    uint64_t split_rhs = ok_is_sharded(rhs) ? tf_host->split_mask(rhs, axes.k_rhs) : 0;
    if (split != split_rhs)
        return OK_REFUSE(ctx, call, OK_CODE_SPLIT,
            "matmul: K has to be divided over the same mesh axes in both operands; reshard one of them");
    const struct ok_operand operands[] = {{"lhs", lhs}, {"rhs", rhs}};
    return ok_check_partials(ctx, call, 2, operands, "sum", "", 0);
}

/* Batch axes against the result's; an operand's own two axes as they are. */
static void relate_operand(tf_ctx *ctx, struct tf_boundary *boundary, const struct tf_type *type, uint32_t kept,
    uint32_t kept_iter, uint32_t summed, uint32_t rank, const struct tf_dim *const *shape)
{
    struct tf_axis *axes = ok_axes(ctx, boundary, type->rank);
    uint32_t shift = rank - type->rank;
    for (uint32_t axis = 0; axis < type->rank; axis++) {
        if (axis == summed)
            axes[axis] = ok_dim_is(type->shape[axis], 1) ? ok_fixed_axis(0) : ok_walk_axis(rank);
        else if (axis == kept)
            axes[axis] = ok_walk_axis(kept_iter);
        else if (ok_dim_is(type->shape[axis], 1) && !ok_dim_is(shape[axis + shift], 1))
            axes[axis] = ok_fixed_axis(0);
        else
            axes[axis] = ok_walk_axis(axis + shift);
    }
}

/* The box is the result's axes and K, which the result is summed over. */
static int relate_matmul(tf_ctx *ctx, const struct tf_call *call, struct tf_relation *relation)
{
    const struct tf_type *lhs = ok_arg(call, 0), *rhs = ok_arg(call, 1);
    const struct tf_dim *extent[TF_MAX_RANK + 1];
    struct axes axes = axes_of(call);
    uint32_t rank;
    if (result_shape(call, &rank, extent))
        return TF_E_INTERNAL; /* inference has refused it */
    extent[rank] = lhs->shape[axes.k];
    int rc = tf_host->relation_box(ctx, call, relation, rank + 1, extent, 1);
    if (rc)
        return rc;
    relate_operand(ctx, &relation->in[0], lhs, axes.m, rank - 2, axes.k, rank, extent);
    relate_operand(ctx, &relation->in[1], rhs, axes.n, rank - 1, axes.k_rhs, rank, extent);
    tf_host->relation_walk(ctx, &relation->out[0], rank, 0);
    return TF_OK;
}

static int derive_layout(tf_ctx *ctx, const struct tf_call *call, uint32_t rank, const struct tf_dim *const *shape,
    const struct tf_layout **layout)
{
    const struct tf_type *lhs = ok_arg(call, 0);
    *layout = NULL;
    if (ok_is_sharded(lhs) || ok_is_sharded(ok_arg(call, 1))) {
        struct tf_relation relation = {0};
        int rc = relate_matmul(ctx, call, &relation);
        if (rc == TF_OK)
            rc = ok_derive(ctx, call, &relation, rank, shape, UINT64_C(1) << rank, 0, 0, layout);
        if (rc || *layout)
            return rc;
    }
    if (!lhs->layout)
        return TF_OK;
    const struct tf_layout *shard = tf_host->shard_of(lhs->layout);
    *layout = shard ? ok_replicated(ctx, call, shard, rank, shape) : tf_host->layout_plain(ctx, rank, shape, NULL);
    return *layout ? TF_OK : TF_E_REFUSED;
}

/* The product's dtype: the operands', unless another is asked for. */
static int product_dtype(tf_ctx *ctx, const struct tf_call *call, uint32_t *dtype)
{
    uint32_t operand = ok_arg(call, 0)->dtype;
    *dtype = ok_has(call, ATTR_OUT_DTYPE) ? ok_dtype(call, ATTR_OUT_DTYPE) : operand;
    if (*dtype == operand || ok_is_float(*dtype) || (ok_is_integer(operand) && ok_is_integer(*dtype)))
        return TF_OK;
    return OK_REFUSE(ctx, call, "product-dtype", "matmul: out_dtype is %s, and a product of %s operands is not; %s",
        ok_dtype_name(*dtype), ok_dtype_name(operand), "leave it out, name a float dtype, or tf.cast the result");
}

static int infer_matmul(tf_ctx *ctx, const struct tf_call *call, const struct tf_type **result)
{
    const struct tf_dim *shape[TF_MAX_RANK + 1];
    const struct tf_layout *layout;
    uint32_t rank, dtype, storage;
    int rc = check_matmul(ctx, call);
    if (rc)
        return rc;
    const struct tf_type *lhs = ok_arg(call, 0), *rhs = ok_arg(call, 1);
    if (result_shape(call, &rank, shape))
        return OK_REFUSE(ctx, call, OK_CODE_SHAPE,
            "matmul: the axes before the last two of %s and %s do not broadcast: aligned at the right, extents must "
            "be equal or 1",
            ok_shape_text(ctx, lhs), ok_shape_text(ctx, rhs));
    rc = product_dtype(ctx, call, &dtype);
    if (rc == TF_OK)
        rc = derive_layout(ctx, call, rank, shape, &layout);
    if (rc == TF_OK)
        rc = tf_host->anchor(ctx, call, 2, call->arg_types, &storage);
    if (rc)
        return rc;
    *result = ok_like(ctx, lhs, dtype, rank, shape, layout, storage);
    return TF_OK;
}

/* A multiplication and an addition for each element of the result and each of K; by the dtype that is multiplied. */
static int cost_matmul(tf_ctx *ctx, const struct tf_call *call, struct tf_work *work)
{
    (void)ctx;
    const struct tf_type *lhs = ok_arg(call, 0);
    const struct tf_dim *k = lhs->shape[axes_of(call).k];
    uint64_t each;
    int rc = ok_mul(2, (uint64_t)k->value, &each);
    return rc ? rc : ok_work_elements(work, TF_WORK_TENSOR, lhs->dtype, call->type, each);
}

static const struct tf_input inputs[] = {{.name = "lhs"}, {.name = "rhs"}};

static const char *const a_layouts[] = {"MK", "KM", NULL};
static const char *const b_layouts[] = {"NK", "KN", NULL};

static const struct tf_attr_decl attrs[] = {
    {.name = "a_layout",
        .kind = TF_ATTR_CHOICE,
        .fallback = {.kind = TF_VAL_STRING, .u.s = "MK"},
        .choices = a_layouts},
    {.name = "b_layout",
        .kind = TF_ATTR_CHOICE,
        .fallback = {.kind = TF_VAL_STRING, .u.s = "KN"},
        .choices = b_layouts},
    {.name = "out_dtype", .kind = TF_ATTR_DTYPE, .flags = TF_ATTR_OPTIONAL},
};

const struct tf_op op_matmul = {
    .struct_size = sizeof(op_matmul),
    .name = "matmul",
    .summary = "batched matrix product",
    .n_inputs = OK_COUNT(inputs),
    .inputs = inputs,
    .n_attrs = OK_COUNT(attrs),
    .attrs = attrs,
    .infer = infer_matmul,
    .cost = cost_matmul,
    .relate = relate_matmul,
    .eval = eval_matmul,
};

/* SPDX-License-Identifier: MIT */
#include "reduce.h"

enum { K, AXIS, LARGEST, SORTED }; /* the attributes */

static int read_topk(tf_ctx *ctx, const struct tf_call *call, uint32_t *axis, const struct tf_dim **k)
{
    const struct tf_type *x = call->arg_types[0];
    if (x->rank == 0)
        return OK_REFUSE(ctx, call, OK_CODE_RANK, "topk: x has no axes; at least one is needed");
    int rc = ok_attr_axis(ctx, call, AXIS, x->rank, axis);
    if (rc)
        return rc;
    *k = ok_val_dim(ctx, &call->attrs[K]);
    if (!*k)
        return OK_REFUSE(ctx, call, OK_CODE_VALUE, "topk: k is neither an integer nor a dimension");
    if (ok_is_const(*k) && (*k)->value < 0)
        return OK_REFUSE(ctx, call, OK_CODE_VALUE, "topk: k is %lld; it must be 0 or more", (long long)(*k)->value);
    const struct tf_dim *left = tf_host->dim_sub(ctx, x->shape[*axis], *k);
    if (!left)
        return TF_E_REFUSED;
    if (ok_is_const(left) && left->value < 0)
        return OK_REFUSE(ctx, call, OK_CODE_VALUE, "topk: k is %s, and axis %u has extent %s", ok_dim_text(ctx, *k),
            *axis, ok_dim_text(ctx, x->shape[*axis]));
    return TF_OK;
}

/* Iterates over the kept positions and, innermost, over the row that each is chosen from. */
static int relate(tf_ctx *ctx, const struct tf_call *call, struct tf_relation *relation)
{
    const struct tf_type *x = call->arg_types[0];
    const struct tf_dim *box[TF_MAX_RANK + 1], *k;
    uint32_t axis;
    int rc = read_topk(ctx, call, &axis, &k);
    if (rc)
        return rc;
    ok_copy_shape(box, x);
    box[axis] = k;
    box[x->rank] = x->shape[axis];
    rc = tf_host->relation_box(ctx, call, relation, x->rank + 1, box, 2);
    if (rc)
        return rc;
    tf_host->relation_walk(ctx, &relation->in[0], x->rank, 0);
    relation->in[0].axes[axis] = ok_walk_axis(x->rank);
    tf_host->relation_walk(ctx, &relation->out[0], x->rank, 0);
    tf_host->relation_walk(ctx, &relation->out[1], x->rank, 0);
    return TF_OK;
}

static int infer(tf_ctx *ctx, const struct tf_call *call, const struct tf_type **result)
{
    const struct tf_type *x = call->arg_types[0], *fields[2];
    const struct tf_dim *shape[TF_MAX_RANK], *k;
    const struct tf_layout *layout;
    struct tf_relation relation = {0};
    uint32_t axis;
    int rc = ok_tensors(ctx, call);
    if (rc == TF_OK)
        rc = read_topk(ctx, call, &axis, &k);
    if (rc)
        return rc;
    rc = ok_refuse_split(ctx, call, "x", x, axis, axis + 1);
    if (rc == TF_OK)
        rc = ok_reject_partials(ctx, call, "x", x, "");
    if (rc == TF_OK)
        rc = relate(ctx, call, &relation);
    if (rc)
        return rc;
    ok_copy_shape(shape, x);
    shape[axis] = k;
    rc = ok_result_layout(ctx, call, x, &relation, 0, x->rank, shape, &layout);
    if (rc == TF_OK)
        rc = ok_result(ctx, x->dtype, x->rank, shape, layout, x->storage, &fields[0]);
    if (rc == TF_OK)
        rc = ok_result(ctx, TF_DTYPE_I64, x->rank, shape, layout, x->storage, &fields[1]);
    return rc ? rc : ok_result_tuple(ctx, 2, fields, result);
}

static int cost(tf_ctx *ctx, const struct tf_call *call, struct tf_work *work)
{
    (void)ctx;
    const struct tf_type *x = call->arg_types[0];
    return ok_work_elements(work, TF_WORK_VECTOR, x->dtype, x, 1);
}

static const struct tf_input inputs[] = {{.name = "x", .kind = TF_INPUT_TENSOR}};
static const struct tf_attr_decl attrs[] = {[K] = {.name = "k", .kind = TF_ATTR_DIM, .flags = TF_ATTR_REQUIRED},
    [AXIS] = {.name = "axis", .kind = TF_ATTR_INT, .fallback = {.kind = TF_VAL_INT, .u.i = -1}},
    [LARGEST] = {.name = "largest", .kind = TF_ATTR_BOOL, .fallback = {.kind = TF_VAL_BOOL, .u.i = 1}},
    [SORTED] = {.name = "sorted", .kind = TF_ATTR_BOOL, .fallback = {.kind = TF_VAL_BOOL, .u.i = 1}}};
const struct tf_op reduce_topk = {.struct_size = sizeof(reduce_topk),
    .name = "topk",
    .summary = "the k largest along an axis, and where they are",
    .n_inputs = OK_COUNT(inputs),
    .inputs = inputs,
    .n_attrs = OK_COUNT(attrs),
    .attrs = attrs,
    .infer = infer,
    .cost = cost,
    .relate = relate,
    .eval = reduce_eval_topk,
    .flags = TF_OP_ROWS};

/* SPDX-License-Identifier: MIT */
#include "shape.h"

static int read_repeat(tf_ctx *ctx, const struct tf_call *call, uint32_t *axis, int64_t *repeats)
{
    int rc = ok_attr_at_least(ctx, call, 0, 0);
    if (rc == TF_OK)
        rc = ok_attr_axis(ctx, call, 1, call->arg_types[0]->rank, axis);
    *repeats = rc ? 0 : ok_int(call, 0);
    return rc;
}

static int infer(tf_ctx *ctx, const struct tf_call *call, const struct tf_type **result)
{
    const struct tf_type *x = call->arg_types[0];
    const struct tf_dim *shape[TF_MAX_RANK];
    int64_t repeats;
    uint32_t axis;
    int rc = ok_tensors(ctx, call);
    if (rc == TF_OK)
        rc = read_repeat(ctx, call, &axis, &repeats);
    if (rc)
        return rc;
    if (ok_is_distributed(ok_shard(x)))
        return OK_REFUSE(ctx, call, OK_CODE_LAYOUT,
            "repeat_interleave: the shares of %s cannot be said of the result; reshard to a replicated layout first",
            tf_host->type_text(ctx, x));
    ok_copy_shape(shape, x);
    shape[axis] = tf_host->dim_mul(ctx, x->shape[axis], tf_host->dim_const(ctx, repeats));
    return shape[axis] ? ok_result(ctx, x->dtype, x->rank, shape, NULL, x->storage, result) : TF_E_REFUSED;
}

/* Iterates over the source and, innermost, over the repeats: an element is read once and written to each. */
static int relate(tf_ctx *ctx, const struct tf_call *call, struct tf_relation *relation)
{
    const struct tf_type *x = call->arg_types[0];
    const struct tf_dim *box[TF_MAX_RANK + 1];
    int64_t repeats;
    uint32_t axis;
    int rc = read_repeat(ctx, call, &axis, &repeats);
    if (rc)
        return rc;
    ok_copy_shape(box, x);
    box[x->rank] = tf_host->dim_const(ctx, repeats);
    rc = tf_host->relation_box(ctx, call, relation, x->rank + 1, box, 1);
    if (rc)
        return rc;
    tf_host->relation_walk(ctx, &relation->in[0], x->rank, 0);
    tf_host->relation_walk(ctx, &relation->out[0], x->rank, 0);
    struct tf_axis *out = &relation->out[0].axes[axis];
    out->scale[0] = repeats;
    out->iter[1] = (int32_t)x->rank;
    out->scale[1] = 1;
    return TF_OK;
}

static const struct tf_input inputs[] = {{.name = "x", .kind = TF_INPUT_TENSOR}};
static const struct tf_attr_decl attrs[] = {{.name = "repeats", .kind = TF_ATTR_INT, .flags = TF_ATTR_REQUIRED},
    {.name = "axis", .kind = TF_ATTR_INT, .flags = TF_ATTR_REQUIRED}};
const struct tf_op shape_repeat_interleave = {.struct_size = sizeof(shape_repeat_interleave),
    .name = "repeat_interleave",
    .summary = "each element several times along an axis",
    .n_inputs = OK_COUNT(inputs),
    .inputs = inputs,
    .n_attrs = OK_COUNT(attrs),
    .attrs = attrs,
    .infer = infer,
    .relate = relate,
    .eval = shape_eval_repeat_interleave,
    .moves = 1};

/* SPDX-License-Identifier: MIT */
#include "reduce.h"

enum { SCHEME, GROUP, TARGET_DTYPE }; /* the attributes */

/* The group size, and how many groups the last axis has. */
static int read_groups(tf_ctx *ctx, const struct tf_call *call, const struct tf_dim **groups)
{
    const struct tf_type *x = call->arg_types[0];
    if (x->rank == 0)
        return OK_REFUSE(ctx, call, OK_CODE_RANK, "quant: x has no axes; at least one is needed");
    int rc = ok_attr_at_least(ctx, call, GROUP, 1);
    if (rc)
        return rc;
    int64_t group = ok_int(call, GROUP);
    const struct tf_dim *last = x->shape[x->rank - 1];
    if (ok_is_const(last) && last->value % group != 0)
        return OK_REFUSE(ctx, call, OK_CODE_GROUP, "quant: the last axis of %s is no multiple of group %lld",
            ok_shape_text(ctx, x), (long long)group);
    *groups = tf_host->dim_floordiv(ctx, last, tf_host->dim_const(ctx, group));
    return *groups ? TF_OK : TF_E_REFUSED;
}

/* A unit's shares of the last axis begin and end at multiples of what lies right of each split position. */
static int cuts_group(tf_ctx *ctx, const struct tf_type *x, int64_t group)
{
    const struct tf_layout *shard = ok_shard(x);
    int32_t *axis_of = tf_host->alloc(ctx, (shard->rank + 1) * sizeof(*axis_of));
    uint64_t inner = 1; /* elements right of the position */
    tf_host->position_axes(shard, x->rank, x->shape, axis_of);
    for (uint32_t at = shard->rank; at-- > 0;) {
        const struct tf_dim *extent = shard->shape[at];
        uint64_t shares = 1;
        if (axis_of[at] != (int32_t)x->rank - 1)
            continue;
        for (uint32_t i = 0; i < shard->mesh->rank; i++) {
            if (shard->attrs[i].kind != TF_ATTR_SPLIT || shard->attrs[i].axis != (int32_t)at)
                continue;
            if (!ok_is_const(shard->mesh->shape[i]) || !ok_is_const(extent) ||
                ok_mul(shares, (uint64_t)shard->mesh->shape[i]->value, &shares))
                return 1;
        }
        if (shares == 0 || !ok_is_const(extent))
            return shares != 1;
        if (shares > 1 &&
            ((uint64_t)extent->value % shares != 0 || (uint64_t)extent->value / shares * inner % (uint64_t)group != 0))
            return 1;
        inner *= (uint64_t)extent->value; /* no more than the axis's own extent */
    }
    return 0;
}

static int result_layout(
    tf_ctx *ctx, const struct tf_call *call, const struct tf_dim *const *shape, const struct tf_layout **layout)
{
    const struct tf_type *x = call->arg_types[0];
    struct tf_shard_attr attrs[TF_MAX_MESH];
    *layout = NULL;
    if (!x->layout || ok_all_broadcast(x->layout))
        return TF_OK;
    if (x->layout->kind == TF_LAYOUT_SHARD) {
        ok_logical_attrs(ctx, x, attrs);
        *layout = tf_host->layout_canonical(ctx, &call->loc, x->rank, shape, x->layout->mesh, attrs);
    } else {
        *layout = ok_c_order(ctx, x->rank, shape);
    }
    return *layout ? TF_OK : TF_E_REFUSED;
}

static int check(tf_ctx *ctx, const struct tf_call *call)
{
    const struct tf_type *x = call->arg_types[0];
    int64_t group = ok_int(call, GROUP);
    if (ok_dtype(call, TARGET_DTYPE) != TF_DTYPE_FP8E4M3)
        return OK_REFUSE(ctx, call, OK_CODE_VALUE, "quant: target_dtype is %s; fp8e4m3 is expected",
            ok_dtype_name(ok_dtype(call, TARGET_DTYPE)));
    int rc = ok_reject_partials(ctx, call, "x", x, "");
    if (rc == TF_OK && x->layout && x->layout->kind == TF_LAYOUT_SHARD && cuts_group(ctx, x, group))
        rc = OK_REFUSE(ctx, call, OK_CODE_GROUP,
            "quant: the split of the last axis of x cuts groups of %lld; reshard x so that each unit holds whole ones",
            (long long)group);
    return rc;
}

static int infer(tf_ctx *ctx, const struct tf_call *call, const struct tf_type **result)
{
    const struct tf_type *x = call->arg_types[0], *fields[2];
    const struct tf_dim *shape[TF_MAX_RANK], *groups;
    const struct tf_layout *layout;
    int rc = ok_tensors(ctx, call);
    if (rc == TF_OK)
        rc = read_groups(ctx, call, &groups);
    if (rc == TF_OK)
        rc = check(ctx, call);
    if (rc)
        return rc;
    rc = result_layout(ctx, call, x->shape, &layout);
    if (rc == TF_OK)
        rc = ok_result(ctx, TF_DTYPE_FP8E4M3, x->rank, x->shape, layout, x->storage, &fields[0]);
    if (rc)
        return rc;
    ok_copy_shape(shape, x);
    shape[x->rank - 1] = groups;
    rc = result_layout(ctx, call, shape, &layout);
    if (rc == TF_OK)
        rc = ok_result(ctx, TF_DTYPE_F32, x->rank, shape, layout, x->storage, &fields[1]);
    return rc ? rc : ok_result_tuple(ctx, 2, fields, result);
}

static int cost(tf_ctx *ctx, const struct tf_call *call, struct tf_work *work)
{
    (void)ctx;
    return ok_work_elements(work, TF_WORK_VECTOR, TF_DTYPE_F32, call->arg_types[0], 4);
}

/* Iterates over groups and, innermost, within one: elements one for one, a scale for each group. */
static int relate(tf_ctx *ctx, const struct tf_call *call, struct tf_relation *relation)
{
    const struct tf_type *x = call->arg_types[0];
    const struct tf_dim *box[TF_MAX_RANK + 1], *groups;
    int rc = read_groups(ctx, call, &groups);
    if (rc)
        return rc;
    ok_copy_shape(box, x);
    box[x->rank - 1] = groups;
    box[x->rank] = tf_host->dim_const(ctx, ok_int(call, GROUP));
    rc = tf_host->relation_box(ctx, call, relation, x->rank + 1, box, 2);
    if (rc)
        return rc;
    struct tf_boundary *whole[] = {&relation->in[0], &relation->out[0]};
    for (uint32_t i = 0; i < OK_COUNT(whole); i++) {
        tf_host->relation_walk(ctx, whole[i], x->rank, 0);
        struct tf_axis *last = &whole[i]->axes[x->rank - 1];
        last->scale[0] = ok_int(call, GROUP);
        last->iter[1] = (int32_t)x->rank;
        last->scale[1] = 1;
    }
    tf_host->relation_walk(ctx, &relation->out[1], x->rank, 0);
    return TF_OK;
}

static const char *const schemes[] = {"per_token_group", NULL};
static const struct tf_input inputs[] = {{.name = "x", .kind = TF_INPUT_TENSOR}};
static const struct tf_attr_decl attrs[] = {[SCHEME] = {.name = "scheme",
                                                .kind = TF_ATTR_CHOICE,
                                                .fallback = {.kind = TF_VAL_STRING, .u.s = "per_token_group"},
                                                .choices = schemes},
    [GROUP] = {.name = "group", .kind = TF_ATTR_INT, .fallback = {.kind = TF_VAL_INT, .u.i = 128}},
    [TARGET_DTYPE] = {
        .name = "target_dtype", .kind = TF_ATTR_DTYPE, .fallback = {.kind = TF_VAL_DTYPE, .u.i = TF_DTYPE_FP8E4M3}}};
const struct tf_op reduce_quant = {.struct_size = sizeof(reduce_quant),
    .name = "quant",
    .summary = "fp8 numbers and one f32 scale for each group of the last axis",
    .n_inputs = OK_COUNT(inputs),
    .inputs = inputs,
    .n_attrs = OK_COUNT(attrs),
    .attrs = attrs,
    .infer = infer,
    .cost = cost,
    .relate = relate,
    .eval = reduce_eval_quant,
    .flags = TF_OP_ROWS};

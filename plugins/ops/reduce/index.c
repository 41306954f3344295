/* SPDX-License-Identifier: MIT
 * index_select, index_add, index_copy: whole rows named by a list of numbers.  Which rows those are is data, so every
 * row that the axis has counts as reached.
 */
#include "reduce.h"

static int check_index(tf_ctx *ctx, const struct tf_call *call, uint32_t arg, int takes_i32)
{
    const struct tf_type *index = call->arg_types[arg];
    if (index->rank != 1)
        return OK_REFUSE(ctx, call, OK_CODE_RANK, "%s: index has shape %s; one axis is expected", ok_name(call),
            ok_shape_text(ctx, index));
    if (index->dtype != TF_DTYPE_I64 && !(takes_i32 && index->dtype == TF_DTYPE_I32))
        return OK_REFUSE(ctx, call, OK_CODE_OPERAND, "%s: index has dtype %s; %s is expected", ok_name(call),
            ok_dtype_name(index->dtype), takes_i32 ? "i32 or i64" : "i64");
    return TF_OK;
}

/* ---- index_select --------------------------------------------------------------------------------------------------*/

/* The rows that a unit holds, or, where rows are what is split, what it has of the chosen ones: the rest is summed in. */
static int select_layout(tf_ctx *ctx, const struct tf_call *call, uint32_t axis, const struct tf_dim *const *shape,
    const struct tf_layout **layout)
{
    const struct tf_type *x = call->arg_types[0];
    const struct tf_layout *shard = ok_shard(x);
    const struct tf_dim *strides[TF_MAX_RANK];
    struct tf_shard_attr attrs[TF_MAX_MESH];
    uint32_t splits = 0, here = 0;
    *layout = x->layout && !shard ? ok_c_order(ctx, x->rank, shape) : NULL;
    if (!shard || (x->layout != shard && ok_all_broadcast(shard))) /* a window into a replicated value leaves nothing */
        return TF_OK;
    ok_logical_attrs(ctx, x, attrs);
    for (uint32_t i = 0; i < shard->mesh->rank; i++) {
        if (attrs[i].kind != TF_ATTR_SPLIT)
            continue;
        splits++;
        if ((uint32_t)attrs[i].axis != axis)
            continue;
        here++;
        attrs[i] = (struct tf_shard_attr){.kind = TF_ATTR_PARTIAL, .reduction = tf_host->intern(ctx, "sum")};
    }
    if (here && splits > 1)
        return OK_REFUSE(ctx, call, OK_CODE_LAYOUT,
            "index_select: axis %u and others of x are split over the mesh; reshard x so that one is", axis);
    const struct tf_dim *stride = tf_host->dim_const(ctx, 1); /* the first axis is the innermost */
    for (uint32_t i = 0; stride && i < x->rank; i++) {
        strides[i] = stride;
        stride = tf_host->dim_mul(ctx, stride, shape[i]);
    }
    *layout = stride ? tf_host->layout_shard(ctx, x->rank, shape, strides, shard->mesh, attrs) : NULL;
    return *layout ? TF_OK : TF_E_REFUSED;
}

static int select_infer(tf_ctx *ctx, const struct tf_call *call, const struct tf_type **result)
{
    const struct tf_type *x = call->arg_types[0], *index = call->arg_types[1];
    const struct tf_dim *shape[TF_MAX_RANK];
    const struct tf_layout *layout;
    uint32_t axis;
    int rc = ok_tensors(ctx, call);
    if (rc == TF_OK)
        rc = check_index(ctx, call, 1, 1);
    if (rc == TF_OK)
        rc = ok_attr_axis(ctx, call, 0, x->rank, &axis);
    if (rc)
        return rc;
    ok_copy_shape(shape, x);
    shape[axis] = index->shape[0];
    rc = select_layout(ctx, call, axis, shape, &layout);
    return rc ? rc : ok_result(ctx, x->dtype, x->rank, shape, layout, x->storage, result);
}

/* Iterates over the result. */
static int select_relate(tf_ctx *ctx, const struct tf_call *call, struct tf_relation *relation)
{
    const struct tf_type *x = call->arg_types[0];
    const struct tf_dim *shape[TF_MAX_RANK];
    uint32_t axis;
    int rc = ok_attr_axis(ctx, call, 0, x->rank, &axis);
    if (rc)
        return rc;
    ok_copy_shape(shape, x);
    shape[axis] = call->arg_types[1]->shape[0];
    rc = tf_host->relation_box(ctx, call, relation, x->rank, shape, 1);
    if (rc)
        return rc;
    tf_host->relation_walk(ctx, &relation->in[0], x->rank, 0);
    relation->in[0].axes[axis] = ok_any_axis();
    ok_axes(ctx, &relation->in[1], 1)[0] = ok_walk_axis(axis);
    tf_host->relation_walk(ctx, &relation->out[0], x->rank, 0);
    return TF_OK;
}

static const struct tf_attr_decl dim_attr[] = {
    {.name = "dim", .kind = TF_ATTR_INT, .fallback = {.kind = TF_VAL_INT, .u.i = 0}}};
static const struct tf_input select_inputs[] = {
    {.name = "x", .kind = TF_INPUT_TENSOR}, {.name = "index", .kind = TF_INPUT_TENSOR}};
const struct tf_op reduce_index_select = {.struct_size = sizeof(reduce_index_select),
    .name = "index_select",
    .summary = "rows chosen by number",
    .n_inputs = OK_COUNT(select_inputs),
    .inputs = select_inputs,
    .n_attrs = OK_COUNT(dim_attr),
    .attrs = dim_attr,
    .infer = select_infer,
    .relate = select_relate,
    .eval = reduce_eval_index_select};

/* ---- index_add, index_copy -----------------------------------------------------------------------------------------*/

enum { DST, INDEX, SRC }; /* the operands of both */

static int check_rows(tf_ctx *ctx, const struct tf_call *call, uint32_t axis)
{
    const struct tf_type *dst = call->arg_types[DST], *index = call->arg_types[INDEX], *src = call->arg_types[SRC];
    for (uint32_t i = 0; i < dst->rank; i++)
        if (i != axis && dst->shape[i] != src->shape[i])
            return OK_REFUSE(ctx, call, OK_CODE_SHAPE, "%s: src %s and dst %s differ on axis %u", ok_name(call),
                ok_shape_text(ctx, src), ok_shape_text(ctx, dst), i);
    if (index->shape[0] != src->shape[axis])
        return OK_REFUSE(ctx, call, OK_CODE_SHAPE, "%s: index has %s numbers, and src %s has %s rows on axis %u",
            ok_name(call), ok_dim_text(ctx, index->shape[0]), ok_shape_text(ctx, src),
            ok_dim_text(ctx, src->shape[axis]), axis);
    return TF_OK;
}

/* Which rows a unit would write is data, so no operand may be shared out. */
static int check_whole(tf_ctx *ctx, const struct tf_call *call)
{
    for (uint32_t i = DST; i <= SRC; i++) {
        const char *name = call->op->inputs[i].name;
        const struct tf_type *type = call->arg_types[i];
        int rc = ok_reject_partials(ctx, call, name, type, "");
        if (rc == TF_OK)
            rc = ok_refuse_split(ctx, call, name, type, 0, type->rank);
        if (rc)
            return rc;
    }
    return TF_OK;
}

static int write_infer(tf_ctx *ctx, const struct tf_call *call, int takes_i32, const struct tf_type **result)
{
    const struct tf_type *dst = call->arg_types[DST], *src = call->arg_types[SRC];
    uint32_t axis = 0;
    int rc = ok_tensors(ctx, call);
    if (rc == TF_OK)
        rc = check_index(ctx, call, INDEX, takes_i32);
    if (rc)
        return rc;
    if (dst->rank != src->rank)
        return OK_REFUSE(ctx, call, OK_CODE_RANK, "%s: src %s and dst %s differ in rank", ok_name(call),
            ok_shape_text(ctx, src), ok_shape_text(ctx, dst));
    if (dst->dtype != src->dtype)
        return OK_REFUSE(ctx, call, OK_CODE_DTYPE, "%s: dst has dtype %s, src has %s", ok_name(call),
            ok_dtype_name(dst->dtype), ok_dtype_name(src->dtype));
    rc = ok_attr_axis(ctx, call, 0, dst->rank, &axis);
    if (rc == TF_OK)
        rc = check_rows(ctx, call, axis);
    if (rc == TF_OK)
        rc = check_whole(ctx, call);
    *result = dst;
    return rc;
}

/* Iterates over the destination; along the axis everything is reached: rows that are replaced and rows that are kept. */
static int write_relate(tf_ctx *ctx, const struct tf_call *call, uint32_t dst_flow, struct tf_relation *relation)
{
    const struct tf_type *dst = call->arg_types[DST];
    uint32_t axis;
    int rc = ok_attr_axis(ctx, call, 0, dst->rank, &axis);
    if (rc == TF_OK)
        rc = tf_host->relation_box(ctx, call, relation, dst->rank, dst->shape, 1);
    if (rc)
        return rc;
    struct tf_boundary *rows[] = {&relation->in[DST], &relation->in[SRC], &relation->out[0]};
    for (uint32_t i = 0; i < OK_COUNT(rows); i++) {
        tf_host->relation_walk(ctx, rows[i], dst->rank, 0);
        rows[i]->axes[axis] = ok_any_axis();
    }
    ok_axes(ctx, &relation->in[INDEX], 1)[0] = ok_any_axis();
    relation->in[DST].flow = dst_flow;
    return TF_OK;
}

static int add_infer(tf_ctx *ctx, const struct tf_call *call, const struct tf_type **result)
{
    return write_infer(ctx, call, 1, result);
}

static int add_cost(tf_ctx *ctx, const struct tf_call *call, struct tf_work *work)
{
    (void)ctx;
    const struct tf_type *src = call->arg_types[SRC];
    return ok_work_elements(work, TF_WORK_VECTOR, src->dtype, src, 1);
}

static int add_relate(tf_ctx *ctx, const struct tf_call *call, struct tf_relation *relation)
{
    return write_relate(ctx, call, TF_FLOW_READ, relation);
}

static int copy_infer(tf_ctx *ctx, const struct tf_call *call, const struct tf_type **result)
{
    return write_infer(ctx, call, 0, result);
}

static int copy_relate(tf_ctx *ctx, const struct tf_call *call, struct tf_relation *relation)
{
    return write_relate(ctx, call, TF_FLOW_NONE, relation);
}

static const struct tf_input write_inputs[] = {[DST] = {.name = "dst", .kind = TF_INPUT_TENSOR},
    [INDEX] = {.name = "index", .kind = TF_INPUT_TENSOR},
    [SRC] = {.name = "src", .kind = TF_INPUT_TENSOR}};
const struct tf_op reduce_index_add = {.struct_size = sizeof(reduce_index_add),
    .name = "index_add",
    .summary = "rows added to where numbers say",
    .n_inputs = OK_COUNT(write_inputs),
    .inputs = write_inputs,
    .n_attrs = OK_COUNT(dim_attr),
    .attrs = dim_attr,
    .infer = add_infer,
    .cost = add_cost,
    .relate = add_relate,
    .eval = reduce_eval_index_add};
const struct tf_op reduce_index_copy = {.struct_size = sizeof(reduce_index_copy),
    .name = "index_copy",
    .summary = "rows replaced where numbers say",
    .n_inputs = OK_COUNT(write_inputs),
    .inputs = write_inputs,
    .n_attrs = OK_COUNT(dim_attr),
    .attrs = dim_attr,
    .infer = copy_infer,
    .relate = copy_relate,
    .eval = reduce_eval_index_copy,
    .moves = 1 << DST | 1 << SRC};

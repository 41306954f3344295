/* SPDX-License-Identifier: MIT
 * reduce and argmax: every source element feeds one of the result's.
 */
#include "reduce.h"

enum { AXES, KEEPDIM, KIND };     /* the attributes of reduce */
enum { MEAN, SUM, ABS_MAX, MAX }; /* the choices of KIND, in their order */

/* The named axes as a bit set. */
static int read_axes(tf_ctx *ctx, const struct tf_call *call, uint64_t *axes)
{
    const struct tf_val *val = &call->attrs[AXES];
    uint32_t rank = call->arg_types[0]->rank;
    *axes = 0;
    if (val->kind != TF_VAL_TUPLE)
        return OK_REFUSE(ctx, call, OK_CODE_VALUE, "reduce: axes is not a tuple; a lone axis is written (axis,)");
    if (val->count == 0)
        return OK_REFUSE(ctx, call, OK_CODE_EMPTY, "reduce: axes is empty; name the axes to reduce over");
    for (uint32_t i = 0; i < val->count; i++) {
        const struct tf_val *item = &val->u.items[i];
        uint32_t axis = 0;
        if (item->kind != TF_VAL_INT)
            return OK_REFUSE(ctx, call, OK_CODE_VALUE, "reduce: item %u of axes is not an integer", i);
        int rc = ok_axis(ctx, call, "axis", item->u.i, rank, &axis);
        if (rc)
            return rc;
        if (*axes >> axis & 1)
            return OK_REFUSE(ctx, call, OK_CODE_AXIS, "reduce: axes names axis %u twice", axis);
        *axes |= (uint64_t)1 << axis;
    }
    return TF_OK;
}

/* A mean of whole numbers is none, and a count of truths needs a dtype that can hold it. */
static int check_dtype(tf_ctx *ctx, const struct tf_call *call, uint32_t kind)
{
    uint32_t dtype = call->arg_types[0]->dtype;
    if (kind == MEAN && !ok_is_float(dtype))
        return OK_REFUSE(ctx, call, OK_CODE_INTEGER,
            "reduce: the mean of %s is not of that dtype; cast to a float dtype first, or take kind \"sum\"",
            ok_dtype_name(dtype));
    if (kind == SUM && dtype == TF_DTYPE_BOOL)
        return OK_REFUSE(ctx, call, OK_CODE_INTEGER,
            "reduce: a sum of bool does not fit bool; cast to i32 or i64 first, or take kind \"max\" for any");
    return TF_OK;
}

/* Iterates over the source, the named axes collapsing on the way out. */
static int collapse(tf_ctx *ctx, const struct tf_call *call, uint64_t axes, int keepdim, struct tf_relation *relation)
{
    const struct tf_type *x = call->arg_types[0];
    uint32_t kept = 0;
    int rc = tf_host->relation_box(ctx, call, relation, x->rank, x->shape, 1);
    if (rc)
        return rc;
    tf_host->relation_walk(ctx, &relation->in[0], x->rank, 0);
    for (uint32_t i = 0; i < x->rank; i++)
        kept += keepdim || !(axes >> i & 1);
    struct tf_axis *out = ok_axes(ctx, &relation->out[0], kept);
    for (uint32_t i = 0; i < x->rank; i++)
        if (!(axes >> i & 1))
            *out++ = ok_walk_axis(i);
        else if (keepdim)
            *out++ = ok_fixed_axis(0);
    return TF_OK;
}

static uint32_t collapsed_shape(
    tf_ctx *ctx, const struct tf_type *x, uint64_t axes, int keepdim, const struct tf_dim **shape)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < x->rank; i++)
        if (!(axes >> i & 1))
            shape[n++] = x->shape[i];
        else if (keepdim)
            shape[n++] = tf_host->dim_const(ctx, 1);
    return n;
}

static int collapsed(
    tf_ctx *ctx, const struct tf_call *call, uint64_t axes, int keepdim, uint32_t dtype, const struct tf_type **result)
{
    const struct tf_type *x = call->arg_types[0];
    const struct tf_dim *shape[TF_MAX_RANK];
    const struct tf_layout *layout;
    struct tf_relation relation = {0};
    uint32_t rank = collapsed_shape(ctx, x, axes, keepdim, shape);
    int rc = collapse(ctx, call, axes, keepdim, &relation);
    if (rc == TF_OK)
        rc = ok_result_layout(ctx, call, x, &relation, axes, rank, shape, &layout);
    return rc ? rc : ok_result(ctx, dtype, rank, shape, layout, x->storage, result);
}

/* ---- reduce --------------------------------------------------------------------------------------------------------*/

static int reduce_infer(tf_ctx *ctx, const struct tf_call *call, const struct tf_type **result)
{
    static const char *const commutes[] = {[MEAN] = "sum", [SUM] = "sum", [ABS_MAX] = "", [MAX] = "max"};
    const struct tf_type *x = call->arg_types[0];
    uint32_t kind = ok_choice(call, KIND);
    uint64_t axes = 0;
    int rc = ok_tensors(ctx, call);
    if (rc == TF_OK)
        rc = read_axes(ctx, call, &axes);
    if (rc == TF_OK)
        rc = check_dtype(ctx, call, kind);
    if (rc == TF_OK)
        rc = ok_reject_partials(ctx, call, "x", x, commutes[kind]);
    return rc ? rc : collapsed(ctx, call, axes, ok_bool(call, KEEPDIM), x->dtype, result);
}

static int reduce_cost(tf_ctx *ctx, const struct tf_call *call, struct tf_work *work)
{
    (void)ctx;
    const struct tf_type *x = call->arg_types[0];
    return ok_work_elements(work, TF_WORK_VECTOR, x->dtype, x, 1);
}

static int reduce_relate(tf_ctx *ctx, const struct tf_call *call, struct tf_relation *relation)
{
    uint64_t axes;
    int rc = read_axes(ctx, call, &axes);
    return rc ? rc : collapse(ctx, call, axes, ok_bool(call, KEEPDIM), relation);
}

static const char *const kinds[] = {[MEAN] = "mean", [SUM] = "sum", [ABS_MAX] = "abs_max", [MAX] = "max", NULL};
static const struct tf_input inputs[] = {{.name = "x", .kind = TF_INPUT_TENSOR}};
static const struct tf_attr_decl reduce_attrs[] = {
    [AXES] = {.name = "axes", .kind = TF_ATTR_TUPLE, .flags = TF_ATTR_REQUIRED},
    [KEEPDIM] = {.name = "keepdim", .kind = TF_ATTR_BOOL, .fallback = {.kind = TF_VAL_BOOL, .u.i = 1}},
    [KIND] = {.name = "kind",
        .kind = TF_ATTR_CHOICE,
        .fallback = {.kind = TF_VAL_STRING, .u.s = "mean"},
        .choices = kinds,
        .enumeration = "ReduceKind"}};
const struct tf_op reduce_reduce = {.struct_size = sizeof(reduce_reduce),
    .name = "reduce",
    .summary = "mean, sum, largest or largest magnitude over axes",
    .n_inputs = OK_COUNT(inputs),
    .inputs = inputs,
    .n_attrs = OK_COUNT(reduce_attrs),
    .attrs = reduce_attrs,
    .infer = reduce_infer,
    .cost = reduce_cost,
    .relate = reduce_relate,
    .eval = reduce_eval_reduce,
    .flags = TF_OP_ROWS};

/* ---- argmax --------------------------------------------------------------------------------------------------------*/

static int argmax_axis(tf_ctx *ctx, const struct tf_call *call, uint32_t *axis)
{
    if (call->arg_types[0]->rank == 0)
        return OK_REFUSE(ctx, call, OK_CODE_RANK, "argmax: x has no axes; at least one is needed");
    return ok_attr_axis(ctx, call, 0, call->arg_types[0]->rank, axis);
}

static int argmax_infer(tf_ctx *ctx, const struct tf_call *call, const struct tf_type **result)
{
    const struct tf_type *x = call->arg_types[0];
    uint32_t axis;
    int rc = ok_tensors(ctx, call);
    if (rc == TF_OK)
        rc = argmax_axis(ctx, call, &axis);
    if (rc)
        return rc;
    rc = ok_refuse_split(ctx, call, "x", x, axis, axis + 1);
    if (rc == TF_OK)
        rc = ok_reject_partials(ctx, call, "x", x, "");
    return rc ? rc : collapsed(ctx, call, (uint64_t)1 << axis, 0, TF_DTYPE_I64, result);
}

static int argmax_relate(tf_ctx *ctx, const struct tf_call *call, struct tf_relation *relation)
{
    uint32_t axis;
    int rc = argmax_axis(ctx, call, &axis);
    return rc ? rc : collapse(ctx, call, (uint64_t)1 << axis, 0, relation);
}

static const struct tf_attr_decl argmax_attrs[] = {
    {.name = "axis", .kind = TF_ATTR_INT, .fallback = {.kind = TF_VAL_INT, .u.i = -1}}};
const struct tf_op reduce_argmax = {.struct_size = sizeof(reduce_argmax),
    .name = "argmax",
    .summary = "where the largest is along an axis",
    .n_inputs = OK_COUNT(inputs),
    .inputs = inputs,
    .n_attrs = OK_COUNT(argmax_attrs),
    .attrs = argmax_attrs,
    .infer = argmax_infer,
    .relate = argmax_relate,
    .eval = reduce_eval_argmax,
    .flags = TF_OP_ROWS};

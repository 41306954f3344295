/* SPDX-License-Identifier: MIT
 * What the operators that move values about share, beyond opkit.h: tuples of dimensions among the attributes, windows,
 * and the layouts of results whose shape is not their operand's.
 */
#ifndef TF_OPS_COMMON_SHAPEKIT_H
#define TF_OPS_COMMON_SHAPEKIT_H

#include "opkit.h"

#define OK_CODE_VALUE "attribute-value"
#define OK_CODE_COUNT "element-count"
#define OK_CODE_LAYOUT "shard-layout"
#define OK_CODE_PERMUTATION "permutation"
#define OK_CODE_TUPLE_INDEX "tuple-index"
#define OK_CODE_WINDOW "window"

/* ---- dimensions --------------------------------------------------------------------------------------------------*/

static inline int ok_is_const(const struct tf_dim *dim)
{
    return dim->kind == TF_DIM_CONST;
}

/* The dimension that a value of an attribute is, or NULL when it is none. */
static inline const struct tf_dim *ok_val_dim(tf_ctx *ctx, const struct tf_val *val)
{
    if (val->kind == TF_VAL_INT)
        return tf_host->dim_const(ctx, val->u.i);
    return val->kind == TF_VAL_DIM ? val->u.dim : NULL;
}

/* An attribute that is a tuple of dimensions: how many into *n, which into dims[TF_MAX_RANK]. */
static inline int ok_attr_dims(
    tf_ctx *ctx, const struct tf_call *call, uint32_t attr, uint32_t *n, const struct tf_dim **dims)
{
    const char *what = call->op->attrs[attr].name;
    const struct tf_val *val = &call->attrs[attr];
    if (val->kind != TF_VAL_TUPLE)
        return OK_REFUSE(ctx, call, OK_CODE_VALUE, "%s: %s is not a tuple of dimensions", ok_name(call), what);
    if (val->count > TF_MAX_RANK)
        return OK_REFUSE(ctx, call, OK_CODE_RANK, "%s: %s has %u items; a value has at most %d axes", ok_name(call),
            what, val->count, TF_MAX_RANK);
    for (uint32_t i = 0; i < val->count; i++) {
        dims[i] = ok_val_dim(ctx, &val->u.items[i]);
        if (!dims[i])
            return OK_REFUSE(ctx, call, OK_CODE_VALUE, "%s: item %u of %s is not a dimension", ok_name(call), i, what);
    }
    *n = val->count;
    return TF_OK;
}

/* Product of extents; an extent of 0 makes it 0 however large the others are.  NULL after a diagnostic. */
static inline const struct tf_dim *ok_dim_product(tf_ctx *ctx, uint32_t n, const struct tf_dim *const *dims)
{
    const struct tf_dim *product = tf_host->dim_const(ctx, 1);
    for (uint32_t i = 0; i < n; i++)
        if (ok_dim_is(dims[i], 0))
            return dims[i];
    for (uint32_t i = 0; product && i < n; i++)
        product = tf_host->dim_mul(ctx, product, dims[i]);
    return product;
}

/* A dimension for a message. */
static inline const char *ok_dim_text(tf_ctx *ctx, const struct tf_dim *dim)
{
    const char *tuple = tf_host->shape_text(ctx, &dim, 1); /* (D,) */
    size_t length = strlen(tuple);
    return length > 3 ? tf_host->format(ctx, "%.*s", (int)(length - 3), tuple + 1) : tuple;
}

/* An attribute that must be an int from `least` on. */
static inline int ok_attr_at_least(tf_ctx *ctx, const struct tf_call *call, uint32_t attr, int64_t least)
{
    const struct tf_val *val = &call->attrs[attr];
    const char *what = call->op->attrs[attr].name;
    if (val->kind != TF_VAL_INT)
        return OK_REFUSE(ctx, call, OK_CODE_VALUE, "%s: %s is not an integer", ok_name(call), what);
    if (val->u.i < least)
        return OK_REFUSE(ctx, call, OK_CODE_VALUE, "%s: %s is %lld; it must be at least %lld", ok_name(call), what,
            (long long)val->u.i, (long long)least);
    return TF_OK;
}

/* The axis that an attribute names, negative from the end. */
static inline int ok_attr_axis(tf_ctx *ctx, const struct tf_call *call, uint32_t attr, uint32_t rank, uint32_t *axis)
{
    if (call->attrs[attr].kind != TF_VAL_INT)
        return OK_REFUSE(
            ctx, call, OK_CODE_VALUE, "%s: %s is not an integer", ok_name(call), call->op->attrs[attr].name);
    return ok_axis(ctx, call, call->op->attrs[attr].name, ok_int(call, attr), rank, axis);
}

static inline void ok_copy_shape(const struct tf_dim **to, const struct tf_type *from)
{
    for (uint32_t i = 0; i < from->rank; i++)
        to[i] = from->shape[i];
}

/* The shape without one axis, or with another extent there. */
static inline void ok_drop_axis(const struct tf_dim **to, const struct tf_type *from, uint32_t axis)
{
    for (uint32_t i = 0, k = 0; i < from->rank; i++)
        if (i != axis)
            to[k++] = from->shape[i];
}

/* ---- windows -----------------------------------------------------------------------------------------------------*/

static inline int ok_is_index_dtype(uint32_t dtype)
{
    return dtype == TF_DTYPE_I32 || dtype == TF_DTYPE_I64;
}

/* One start of a window, or an offset: a rank-0 integer. */
static inline int ok_check_start(
    tf_ctx *ctx, const struct tf_call *call, uint32_t arg, uint32_t axis, const struct tf_type *type)
{
    if (type->kind != TF_TYPE_TENSOR || type->rank != 0 || !ok_is_index_dtype(type->dtype))
        return OK_REFUSE(ctx, call, OK_CODE_WINDOW, "%s: of %s, axis %u has %s; an i32 or i64 of rank 0 is expected",
            ok_name(call), call->op->inputs[arg].name, axis, tf_host->type_text(ctx, type));
    return TF_OK;
}

/* The starts of a window of `rank` axes, from argument `arg`, a tuple: each checked, its node into starts. */
static inline int ok_window_starts(
    tf_ctx *ctx, const struct tf_call *call, uint32_t arg, uint32_t rank, const struct tf_node **starts)
{
    const char *what = call->op->inputs[arg].name;
    const struct tf_type *type = call->arg_types[arg];
    if (type->kind != TF_TYPE_TUPLE || type->rank != rank)
        return OK_REFUSE(ctx, call, OK_CODE_WINDOW, "%s: %s must be a tuple of %u integers, one for each axis",
            ok_name(call), what, rank);
    for (uint32_t i = 0; i < rank; i++) {
        starts[i] = tf_host->value_item(call->args[arg], i);
        if (!starts[i])
            return OK_REFUSE(ctx, call, OK_CODE_WINDOW, "%s: %s must be written as a tuple", ok_name(call), what);
        int rc = ok_check_start(ctx, call, arg, i, type->fields[i]);
        if (rc)
            return rc;
    }
    return TF_OK;
}

/* Where an axis of a boundary stands whose coordinates begin at `start`: a number where it is known. */
static inline void ok_axis_start(struct tf_axis *axis, const struct tf_node *start)
{
    int64_t number;
    if (tf_host->value_int(start, &number) == TF_OK)
        axis->offset = number;
    else
        axis->moved = start;
}

/* ---- layouts -----------------------------------------------------------------------------------------------------*/

static inline const struct tf_layout *ok_shard(const struct tf_type *type)
{
    return type->layout ? tf_host->shard_of(type->layout) : NULL;
}

/* Splits or partial values: something that units do not all hold alike. */
static inline int ok_is_distributed(const struct tf_layout *shard)
{
    return shard && !ok_all_broadcast(shard);
}

static inline const struct tf_layout *ok_c_order(tf_ctx *ctx, uint32_t rank, const struct tf_dim *const *shape)
{
    return tf_host->layout_plain(ctx, rank, shape, NULL);
}

static inline int ok_is_c_order(tf_ctx *ctx, const struct tf_layout *plain)
{
    return !plain->strides || tf_host->layout_equal(plain, ok_c_order(ctx, plain->rank, plain->shape));
}

/* What each mesh axis does, in logical axes rather than layout positions; into attrs[mesh->rank]. */
static inline void ok_logical_attrs(tf_ctx *ctx, const struct tf_type *type, struct tf_shard_attr *attrs)
{
    const struct tf_layout *shard = ok_shard(type);
    int32_t *axis_of = tf_host->alloc(ctx, (shard->rank + 1) * sizeof(*axis_of));
    tf_host->position_axes(shard, type->rank, type->shape, axis_of);
    for (uint32_t i = 0; i < shard->mesh->rank; i++) {
        attrs[i] = shard->attrs[i];
        if (attrs[i].kind == TF_ATTR_SPLIT && attrs[i].axis >= 0 && (uint32_t)attrs[i].axis < shard->rank)
            attrs[i].axis = axis_of[attrs[i].axis];
    }
}

/* Layout of a result that is computed from x through the relation, with strides of its own: none where x has none, C order
 * where x is not sharded, replicated where x is replicated, else what the relation carries over. */
static inline int ok_result_layout(tf_ctx *ctx, const struct tf_call *call, const struct tf_type *x,
    const struct tf_relation *relation, uint64_t complete_axes, uint32_t rank, const struct tf_dim *const *shape,
    const struct tf_layout **layout)
{
    const struct tf_layout *shard = ok_shard(x);
    *layout = NULL;
    if (!x->layout)
        return TF_OK;
    if (!shard) {
        *layout = ok_c_order(ctx, rank, shape);
        return *layout ? TF_OK : TF_E_REFUSED;
    }
    int rc = ok_derive(ctx, call, relation, rank, shape, 0, complete_axes, 1, layout);
    if (rc || *layout)
        return rc;
    *layout = ok_replicated(ctx, call, shard, rank, shape);
    return *layout ? TF_OK : TF_E_REFUSED;
}

/* The result type, or the refusal that making it ended in. */
static inline int ok_result(tf_ctx *ctx, uint32_t dtype, uint32_t rank, const struct tf_dim *const *shape,
    const struct tf_layout *layout, uint32_t storage, const struct tf_type **result)
{
    *result = tf_host->type_tensor(ctx, dtype, rank, shape, layout, storage);
    return *result ? TF_OK : TF_E_REFUSED;
}

static inline int ok_result_tuple(
    tf_ctx *ctx, uint32_t n, const struct tf_type *const *fields, const struct tf_type **result)
{
    *result = tf_host->type_tuple(ctx, n, fields);
    return *result ? TF_OK : TF_E_REFUSED;
}

/* ---- relations ---------------------------------------------------------------------------------------------------*/

/* A view: what argument 0 and the result hold is addressed and does not cross. */
static inline void ok_set_view(struct tf_relation *relation, uint32_t flags)
{
    relation->flags = TF_RELATION_VIEW | flags;
    relation->in[0].flow = TF_FLOW_NONE;
    relation->out[0].flow = TF_FLOW_NONE;
}

#endif

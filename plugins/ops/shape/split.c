/* SPDX-License-Identifier: MIT
 * split, and tuple_get_item, which takes one part of it.
 */
#include "shape.h"

#define MAX_PARTS (1 << 20)

/* The axis and the extent of one part. */
static int read_split(tf_ctx *ctx, const struct tf_call *call, uint32_t *axis, const struct tf_dim **part)
{
    const struct tf_type *x = call->arg_types[0];
    int rc = ok_attr_axis(ctx, call, 0, x->rank, axis);
    if (rc == TF_OK)
        rc = ok_attr_at_least(ctx, call, 1, 1);
    if (rc)
        return rc;
    int64_t parts = ok_int(call, 1);
    const struct tf_dim *extent = x->shape[*axis];
    if (parts > MAX_PARTS)
        return OK_REFUSE(
            ctx, call, OK_CODE_VALUE, "split: num_splits is %lld; it must be at most %d", (long long)parts, MAX_PARTS);
    if (ok_is_const(extent) && extent->value % parts != 0)
        return OK_REFUSE(ctx, call, OK_CODE_SHAPE, "split: axis %u has extent %lld, which %lld parts do not divide",
            *axis, (long long)extent->value, (long long)parts);
    *part = tf_host->dim_floordiv(ctx, extent, tf_host->dim_const(ctx, parts));
    return *part ? TF_OK : TF_E_REFUSED;
}

/* Iterates over the source; each part is written on its own run of the axis. */
static int split_relate(tf_ctx *ctx, const struct tf_call *call, struct tf_relation *relation)
{
    const struct tf_type *x = call->arg_types[0];
    const struct tf_dim *part;
    uint32_t axis;
    int rc = read_split(ctx, call, &axis, &part);
    if (rc == TF_OK)
        rc = tf_host->relation_box(ctx, call, relation, x->rank, x->shape, (uint32_t)ok_int(call, 1));
    if (rc)
        return rc;
    tf_host->relation_walk(ctx, &relation->in[0], x->rank, 0);
    for (uint32_t i = 0; i < relation->n_out; i++) {
        tf_host->relation_walk(ctx, &relation->out[i], x->rank, 0);
        relation->out[i].axes[axis].offset = -(int64_t)i * part->value;
    }
    return TF_OK;
}

static int part_layout(
    tf_ctx *ctx, const struct tf_call *call, const struct tf_dim *const *shape, const struct tf_layout **layout)
{
    const struct tf_type *x = call->arg_types[0];
    struct tf_shard_attr attrs[TF_MAX_MESH];
    *layout = NULL;
    if (!x->layout)
        return TF_OK;
    if (x->layout->kind == TF_LAYOUT_SHARD) {
        ok_logical_attrs(ctx, x, attrs);
        *layout = tf_host->layout_canonical(ctx, &call->loc, x->rank, shape, x->layout->mesh, attrs);
    } else {
        *layout = ok_c_order(ctx, x->rank, shape);
    }
    return *layout ? TF_OK : TF_E_REFUSED;
}

/* Whether more than one unit divides the axis. */
static int is_shared_out(const struct tf_type *x, uint32_t axis)
{
    const struct tf_layout *shard = ok_shard(x);
    uint64_t mask = shard ? tf_host->split_mask(x, axis) : 0;
    for (uint32_t i = 0; mask >> i; i++)
        if ((mask >> i & 1) && !ok_dim_is(shard->mesh->shape[i], 1))
            return 1;
    return 0;
}

static int split_infer(tf_ctx *ctx, const struct tf_call *call, const struct tf_type **result)
{
    const struct tf_dim *shape[TF_MAX_RANK], *part;
    const struct tf_layout *layout;
    uint32_t axis;
    int rc = ok_tensors(ctx, call);
    if (rc == TF_OK)
        rc = read_split(ctx, call, &axis, &part);
    if (rc)
        return rc;
    const struct tf_type *x = call->arg_types[0];
    if (is_shared_out(x, axis))
        return OK_REFUSE(ctx, call, OK_CODE_SPLIT,
            "split: axis %u of x is split over the mesh, so which part a unit holds is not known; reshard x first",
            axis);
    ok_copy_shape(shape, x);
    shape[axis] = part;
    rc = part_layout(ctx, call, shape, &layout);
    if (rc)
        return rc;
    uint32_t n = (uint32_t)ok_int(call, 1);
    const struct tf_type **fields = tf_host->alloc(ctx, n * sizeof(*fields)), *field;
    rc = ok_result(ctx, x->dtype, x->rank, shape, layout, x->storage, &field);
    if (rc)
        return rc;
    for (uint32_t i = 0; i < n; i++)
        fields[i] = field;
    return ok_result_tuple(ctx, n, fields, result);
}

static const struct tf_input split_inputs[] = {{.name = "x", .kind = TF_INPUT_TENSOR}};
static const struct tf_attr_decl split_attrs[] = {{.name = "axis", .kind = TF_ATTR_INT, .flags = TF_ATTR_REQUIRED},
    {.name = "num_splits", .kind = TF_ATTR_INT, .flags = TF_ATTR_REQUIRED}};
const struct tf_op shape_split = {.struct_size = sizeof(shape_split),
    .name = "split",
    .summary = "a value cut into equal parts along an axis",
    .n_inputs = OK_COUNT(split_inputs),
    .inputs = split_inputs,
    .n_attrs = OK_COUNT(split_attrs),
    .attrs = split_attrs,
    .infer = split_infer,
    .relate = split_relate,
    .eval = shape_eval_split,
    .moves = 1};

/* ---- tuple_get_item ------------------------------------------------------------------------------------------------*/

static int item_infer(tf_ctx *ctx, const struct tf_call *call, const struct tf_type **result)
{
    const struct tf_type *tuple = call->arg_types[0];
    if (tuple->kind != TF_TYPE_TUPLE)
        return OK_REFUSE(ctx, call, OK_CODE_TUPLE, "tuple_get_item: the operand is %s; a tuple is expected",
            tf_host->type_text(ctx, tuple));
    int64_t index = call->attrs[0].kind == TF_VAL_INT ? ok_int(call, 0) : -1;
    if (index < 0 || index >= tuple->rank)
        return OK_REFUSE(ctx, call, OK_CODE_TUPLE_INDEX, "tuple_get_item: index %lld is out of range for %u items",
            (long long)index, tuple->rank);
    *result = tuple->fields[index];
    return TF_OK;
}

static uint32_t count_leaves(const struct tf_type *type)
{
    uint32_t n = 0;
    if (type->kind == TF_TYPE_TENSOR)
        return 1;
    for (uint32_t i = 0; i < type->rank; i++)
        n += count_leaves(type->fields[i]);
    return n;
}

static int item_relate(tf_ctx *ctx, const struct tf_call *call, struct tf_relation *relation)
{
    const struct tf_type *item;
    int rc = item_infer(ctx, call, &item);
    if (rc)
        return rc;
    uint32_t rank = item->kind == TF_TYPE_TENSOR ? item->rank : 0;
    rc = tf_host->relation_box(ctx, call, relation, rank, item->shape, count_leaves(item));
    if (rc)
        return rc;
    ok_set_view(relation, 0);
    for (uint32_t i = 0; i < relation->n_out; i++)
        relation->out[i].flow = TF_FLOW_NONE;
    if (item->kind == TF_TYPE_TENSOR)
        tf_host->relation_walk(ctx, &relation->out[0], rank, 0);
    return TF_OK;
}

static const struct tf_input item_inputs[] = {{.name = "tuple_value", .kind = TF_INPUT_TUPLE}};
static const struct tf_attr_decl item_attrs[] = {{.name = "index", .kind = TF_ATTR_INT, .flags = TF_ATTR_REQUIRED}};
const struct tf_op shape_tuple_get_item = {.struct_size = sizeof(shape_tuple_get_item),
    .name = "tuple_get_item",
    .summary = "one item of a tuple",
    .n_inputs = OK_COUNT(item_inputs),
    .inputs = item_inputs,
    .n_attrs = OK_COUNT(item_attrs),
    .attrs = item_attrs,
    .infer = item_infer,
    .relate = item_relate,
    .eval = shape_eval_tuple_get_item,
    .flags = TF_OP_ITEM};

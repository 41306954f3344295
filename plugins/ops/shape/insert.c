/* SPDX-License-Identifier: MIT
 * insert_slice and cache_update: a value with a window of it written over.
 */
#include "shape.h"

/* The written part waits for the same reductions as what it is written into. */
static int check_partials(tf_ctx *ctx, const struct tf_call *call, uint32_t dst, uint32_t part)
{
    const struct tf_type *into = call->arg_types[dst], *from = call->arg_types[part];
    uint32_t n = ok_mesh_rank(into) > ok_mesh_rank(from) ? ok_mesh_rank(into) : ok_mesh_rank(from);
    for (uint32_t axis = 0; axis < n; axis++) {
        const char *a = ok_partial(into, axis), *b = ok_partial(from, axis);
        if ((a || b) && !(a && b && strcmp(a, b) == 0))
            return OK_REFUSE(ctx, call, OK_CODE_PARTIAL,
                "%s: %s is a partial %s over mesh axis %u and %s is not; reshard one of them first", ok_name(call),
                call->op->inputs[a ? dst : part].name, a ? a : b, axis, call->op->inputs[a ? part : dst].name);
    }
    return TF_OK;
}

static int check_dtypes(tf_ctx *ctx, const struct tf_call *call, uint32_t dst, uint32_t part)
{
    const struct tf_type *into = call->arg_types[dst], *from = call->arg_types[part];
    if (into->dtype == from->dtype)
        return TF_OK;
    return OK_REFUSE(ctx, call, OK_CODE_DTYPE, "%s: %s has dtype %s, %s has %s", ok_name(call),
        call->op->inputs[dst].name, ok_dtype_name(into->dtype), call->op->inputs[part].name,
        ok_dtype_name(from->dtype));
}

/* ---- insert_slice --------------------------------------------------------------------------------------------------*/

/* Offsets are a tuple, or, of a value of rank 1, a lone integer. */
static int read_offsets(tf_ctx *ctx, const struct tf_call *call, const struct tf_node **offsets)
{
    const struct tf_type *dst = call->arg_types[0], *type = call->arg_types[2];
    if (type->kind == TF_TYPE_TUPLE)
        return ok_window_starts(ctx, call, 2, dst->rank, offsets);
    if (dst->rank != 1)
        return OK_REFUSE(ctx, call, OK_CODE_WINDOW,
            "insert_slice: one offset is given for %u axes; write a tuple with one for each", dst->rank);
    offsets[0] = call->args[2];
    return ok_check_start(ctx, call, 2, 0, type);
}

static int check_extent(tf_ctx *ctx, const struct tf_call *call, uint32_t axis, const struct tf_node *offset)
{
    const struct tf_dim *have = call->arg_types[0]->shape[axis], *asked = call->arg_types[1]->shape[axis];
    const struct tf_dim *left = tf_host->dim_sub(ctx, have, asked);
    int64_t at = 0;
    int is_fixed = tf_host->value_int(offset, &at) == TF_OK;
    if (is_fixed && at < 0)
        return OK_REFUSE(ctx, call, OK_CODE_WINDOW,
            "insert_slice: the offset for axis %u is %lld; it must be 0 or more", axis, (long long)at);
    if (left && is_fixed)
        left = tf_host->dim_sub(ctx, left, tf_host->dim_const(ctx, at));
    if (!left)
        return TF_E_REFUSED;
    if (ok_is_const(left) && left->value < 0)
        return OK_REFUSE(ctx, call, OK_CODE_WINDOW,
            "insert_slice: axis %u of dst has extent %s; %s from %lld on pass its end", axis, ok_dim_text(ctx, have),
            ok_dim_text(ctx, asked), (long long)at);
    return TF_OK;
}

static int insert_infer(tf_ctx *ctx, const struct tf_call *call, const struct tf_type **result)
{
    const struct tf_node *offsets[TF_MAX_RANK];
    const struct tf_type *dst = call->arg_types[0], *update = call->arg_types[1];
    int rc = ok_tensors(ctx, call);
    if (rc)
        return rc;
    if (dst->rank != update->rank)
        return OK_REFUSE(ctx, call, OK_CODE_RANK, "insert_slice: update %s and dst %s differ in rank",
            ok_shape_text(ctx, update), ok_shape_text(ctx, dst));
    rc = check_dtypes(ctx, call, 0, 1);
    if (rc == TF_OK)
        rc = check_partials(ctx, call, 0, 1);
    if (rc == TF_OK)
        rc = read_offsets(ctx, call, offsets);
    for (uint32_t i = 0; rc == TF_OK && i < dst->rank; i++)
        rc = check_extent(ctx, call, i, offsets[i]);
    *result = dst;
    return rc;
}

/* Iterates over the update; dst is kept, and written only where the update lands. */
static int insert_relate(tf_ctx *ctx, const struct tf_call *call, struct tf_relation *relation)
{
    const struct tf_node *offsets[TF_MAX_RANK];
    const struct tf_type *update = call->arg_types[1];
    int rc = read_offsets(ctx, call, offsets);
    if (rc == TF_OK)
        rc = tf_host->relation_box(ctx, call, relation, update->rank, update->shape, 1);
    if (rc)
        return rc;
    relation->flags = TF_RELATION_INPLACE;
    relation->in[0].flow = TF_FLOW_NONE;
    tf_host->relation_walk(ctx, &relation->in[0], update->rank, 0);
    tf_host->relation_walk(ctx, &relation->in[1], update->rank, 0);
    tf_host->relation_walk(ctx, &relation->out[0], update->rank, 0);
    for (uint32_t i = 0; i < update->rank; i++) {
        ok_axis_start(&relation->in[0].axes[i], offsets[i]);
        ok_axis_start(&relation->out[0].axes[i], offsets[i]);
    }
    return TF_OK;
}

static const struct tf_input insert_inputs[] = {{.name = "dst", .kind = TF_INPUT_TENSOR},
    {.name = "update", .kind = TF_INPUT_TENSOR}, {.name = "offsets", .kind = TF_INPUT_VALUES}};
const struct tf_op shape_insert_slice = {.struct_size = sizeof(shape_insert_slice),
    .name = "insert_slice",
    .summary = "a value with a window of it replaced",
    .n_inputs = OK_COUNT(insert_inputs),
    .inputs = insert_inputs,
    .infer = insert_infer,
    .relate = insert_relate,
    .eval = shape_eval_insert_slice,
    .moves = 3};

/* ---- cache_update --------------------------------------------------------------------------------------------------*/

enum { CACHE, CUR_POS, COUNT, NEW }; /* the operands */
enum { ROWS = 1, CACHE_RANK = 4 };   /* the axis that grows, of [batch, rows, heads, width] */

static int check_scalar(tf_ctx *ctx, const struct tf_call *call, uint32_t arg)
{
    const struct tf_type *type = call->arg_types[arg];
    int is_scalar = type->dtype == TF_DTYPE_I32;
    for (uint32_t i = 0; i < type->rank; i++)
        is_scalar = is_scalar && ok_dim_is(type->shape[i], 1);
    if (is_scalar)
        return TF_OK;
    return OK_REFUSE(ctx, call, OK_CODE_OPERAND, "cache_update: %s is %s; one i32 is expected",
        call->op->inputs[arg].name, tf_host->type_text(ctx, type));
}

static int check_cache_shapes(tf_ctx *ctx, const struct tf_call *call)
{
    const struct tf_type *cache = call->arg_types[CACHE], *rows = call->arg_types[NEW];
    if (cache->rank != CACHE_RANK || rows->rank != CACHE_RANK)
        return OK_REFUSE(ctx, call, OK_CODE_RANK,
            "cache_update: cache %s and new %s must have the axes [batch, rows, heads, width]",
            ok_shape_text(ctx, cache), ok_shape_text(ctx, rows));
    for (uint32_t i = 0; i < CACHE_RANK; i++)
        if (i != ROWS && cache->shape[i] != rows->shape[i])
            return OK_REFUSE(ctx, call, OK_CODE_SHAPE, "cache_update: cache %s and new %s differ on axis %u",
                ok_shape_text(ctx, cache), ok_shape_text(ctx, rows), i);
    const struct tf_dim *left = tf_host->dim_sub(ctx, cache->shape[ROWS], rows->shape[ROWS]);
    if (!left)
        return TF_E_REFUSED;
    if (ok_is_const(left) && left->value < 0)
        return OK_REFUSE(ctx, call, OK_CODE_SHAPE, "cache_update: new has %s rows, and the cache takes %s",
            ok_dim_text(ctx, rows->shape[ROWS]), ok_dim_text(ctx, cache->shape[ROWS]));
    return TF_OK;
}

static int is_divided(const struct tf_type *type, uint32_t axis)
{
    const struct tf_layout *shard = ok_shard(type);
    uint64_t mask = shard ? tf_host->split_mask(type, axis) : 0;
    for (uint32_t i = 0; mask >> i; i++)
        if ((mask >> i & 1) && !ok_dim_is(shard->mesh->shape[i], 1))
            return 1;
    return 0;
}

/* Rows are named by number, so no unit may hold only some; every other axis is divided on both sides or on neither. */
static int check_cache_shares(tf_ctx *ctx, const struct tf_call *call)
{
    const struct tf_type *cache = call->arg_types[CACHE], *rows = call->arg_types[NEW];
    for (uint32_t i = 0; i < CACHE_RANK; i++) {
        int held = is_divided(cache, i), given = is_divided(rows, i);
        if (i == ROWS ? held || given : held != given)
            return OK_REFUSE(ctx, call, OK_CODE_SPLIT,
                i == ROWS
                    ? "cache_update: the rows (axis %u) are split over the mesh; reshard them first"
                    : "cache_update: axis %u is split over the mesh in one of cache and new; give both one layout",
                i);
    }
    return TF_OK;
}

static int cache_infer(tf_ctx *ctx, const struct tf_call *call, const struct tf_type **result)
{
    int rc = ok_tensors(ctx, call);
    if (rc == TF_OK)
        rc = check_dtypes(ctx, call, CACHE, NEW);
    if (rc == TF_OK)
        rc = check_partials(ctx, call, CACHE, NEW);
    if (rc == TF_OK)
        rc = check_cache_shapes(ctx, call);
    if (rc == TF_OK)
        rc = check_scalar(ctx, call, CUR_POS);
    if (rc == TF_OK)
        rc = check_scalar(ctx, call, COUNT);
    if (rc == TF_OK)
        rc = check_cache_shares(ctx, call);
    *result = call->arg_types[CACHE];
    return rc;
}

/* How many rows are written is a value; the smallest legal one, 1, is what is charged. */
static int cache_relate(tf_ctx *ctx, const struct tf_call *call, struct tf_relation *relation)
{
    const struct tf_type *cache = call->arg_types[CACHE], *rows = call->arg_types[NEW];
    const struct tf_dim *box[CACHE_RANK];
    ok_copy_shape(box, cache);
    box[ROWS] = tf_host->dim_const(ctx, ok_dim_is(rows->shape[ROWS], 0) ? 0 : 1);
    int rc = tf_host->relation_box(ctx, call, relation, CACHE_RANK, box, 1);
    if (rc)
        return rc;
    relation->flags = TF_RELATION_INPLACE;
    relation->in[CACHE].flow = TF_FLOW_NONE;
    tf_host->relation_walk(ctx, &relation->in[CACHE], CACHE_RANK, 0);
    tf_host->relation_walk(ctx, &relation->in[NEW], CACHE_RANK, 0);
    tf_host->relation_walk(ctx, &relation->out[0], CACHE_RANK, 0);
    ok_axis_start(&relation->in[CACHE].axes[ROWS], call->args[CUR_POS]);
    ok_axis_start(&relation->out[0].axes[ROWS], call->args[CUR_POS]);
    return TF_OK;
}

static const struct tf_input cache_inputs[] = {{.name = "cache", .kind = TF_INPUT_TENSOR},
    {.name = "cur_pos", .kind = TF_INPUT_TENSOR}, {.name = "s", .kind = TF_INPUT_TENSOR},
    {.name = "new", .kind = TF_INPUT_TENSOR}};
const struct tf_op shape_cache_update = {.struct_size = sizeof(shape_cache_update),
    .name = "cache_update",
    .summary = "a cache with new rows written from a position on",
    .n_inputs = OK_COUNT(cache_inputs),
    .inputs = cache_inputs,
    .infer = cache_infer,
    .relate = cache_relate,
    .eval = shape_eval_cache_update,
    .moves = 1 | 8};

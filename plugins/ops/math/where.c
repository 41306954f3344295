/* SPDX-License-Identifier: MIT
 * where: one of two values by a truth, all three broadcast against each other.
 */
#include "elementwise.h"
#include "eval.h"

static int result_shape(const struct tf_call *call, uint32_t *rank, const struct tf_dim **shape)
{
    const struct tf_type *const *t = call->arg_types;
    int rc = ok_broadcast(t[0]->rank, t[0]->shape, t[1]->rank, t[1]->shape, rank, shape);
    return rc ? rc : ok_broadcast(*rank, shape, t[2]->rank, t[2]->shape, rank, shape);
}

static int relate_where(tf_ctx *ctx, const struct tf_call *call, struct tf_relation *relation)
{
    const struct tf_dim *shape[TF_MAX_RANK];
    uint32_t rank;
    if (result_shape(call, &rank, shape))
        return TF_E_INTERNAL; /* inference has refused it */
    int rc = tf_host->relation_box(ctx, call, relation, rank, shape, 1);
    if (rc)
        return rc;
    for (uint32_t i = 0; i < call->n_args; i++)
        tf_host->relation_broadcast(ctx, &relation->in[i], ok_arg(call, i), rank, shape);
    tf_host->relation_walk(ctx, &relation->out[0], rank, 0);
    return TF_OK;
}

static int check_where(tf_ctx *ctx, const struct tf_call *call)
{
    static const char *const names[] = {"condition", "input", "other"};
    int rc = ok_tensors(ctx, call);
    if (rc)
        return rc;
    uint32_t truth = ok_arg(call, 0)->dtype, a = ok_arg(call, 1)->dtype, b = ok_arg(call, 2)->dtype;
    if (truth != TF_DTYPE_BOOL)
        return OK_REFUSE(ctx, call, OK_CODE_OPERAND, "where: condition is %s; bool is expected: compare it first",
            ok_dtype_name(truth));
    if (a != b)
        return OK_REFUSE(ctx, call, OK_CODE_DTYPE,
            "where: the branches are %s and %s; nothing is promoted: convert one, as in tf.cast(OPERAND, \"%s\")",
            ok_dtype_name(a), ok_dtype_name(b), ok_dtype_name(a));
    for (uint32_t i = 0; i < 3 && rc == TF_OK; i++)
        rc = ok_reject_partials(ctx, call, names[i], ok_arg(call, i), "");
    return rc;
}

static int derive_where(tf_ctx *ctx, const struct tf_call *call, const struct tf_type *condition, uint32_t rank,
    const struct tf_dim *const *shape, const struct tf_layout **layout)
{
    const struct tf_type *types[] = {condition, ok_arg(call, 1), ok_arg(call, 2)};
    struct tf_call with = *call;
    struct tf_relation relation = {0};
    with.arg_types = types;
    int rc = relate_where(ctx, &with, &relation);
    return rc ? rc : ok_derive(ctx, &with, &relation, rank, shape, 0, 0, 0, layout);
}

/* Whether two layouts of one shape divide its axes alike; how they factor or stride them is no matter here. */
static int divides_alike(
    tf_ctx *ctx, const struct tf_layout *a, const struct tf_layout *b, uint32_t rank, const struct tf_dim *const *shape)
{
    const struct tf_type *x = tf_host->type_tensor(ctx, TF_DTYPE_BOOL, rank, shape, a, TF_STORAGE_GMEM);
    const struct tf_type *y = tf_host->type_tensor(ctx, TF_DTYPE_BOOL, rank, shape, b, TF_STORAGE_GMEM);
    for (uint32_t axis = 0; axis < rank; axis++)
        if ((ok_is_sharded(x) ? tf_host->split_mask(x, axis) : 0) !=
            (ok_is_sharded(y) ? tf_host->split_mask(y, axis) : 0))
            return 0;
    return 1;
}

/* The branches decide; a condition that is divided must be divided as their broadcast is. */
static int derive_layout(tf_ctx *ctx, const struct tf_call *call, uint32_t rank, const struct tf_dim *const *shape,
    const struct tf_layout **layout)
{
    const struct tf_type *condition = ok_arg(call, 0), *a = ok_arg(call, 1), *b = ok_arg(call, 2);
    const struct tf_layout *combined = NULL;
    *layout = NULL;
    if (ok_is_sharded(a) || ok_is_sharded(b)) {
        struct tf_type whole = *condition;
        whole.layout = NULL;
        int rc = derive_where(ctx, call, &whole, rank, shape, layout);
        if (rc)
            return rc;
    }
    if (!*layout)
        *layout = ok_merge_layout(ctx, call, a->layout, b->layout, rank, shape);
    if (!ok_is_sharded(condition) || ok_all_broadcast(tf_host->shard_of(condition->layout)))
        return TF_OK;
    int rc = derive_where(ctx, call, condition, rank, shape, &combined);
    if (rc)
        return rc;
    if (!divides_alike(ctx, combined, *layout, rank, shape))
        return OK_REFUSE(ctx, call, "condition-sharding",
            "where: condition is divided over the mesh otherwise than the branches; reshard it as they are");
    return TF_OK;
}

static int infer_where(tf_ctx *ctx, const struct tf_call *call, const struct tf_type **result)
{
    int rc = check_where(ctx, call);
    if (rc)
        return rc;
    const struct tf_type *a = ok_arg(call, 1);
    const struct tf_dim *shape[TF_MAX_RANK];
    const struct tf_layout *layout;
    uint32_t rank, storage;
    if (result_shape(call, &rank, shape))
        return OK_REFUSE(ctx, call, OK_CODE_SHAPE,
            "where: shapes %s, %s and %s do not broadcast: aligned at the last axis, extents must be equal or 1",
            ok_shape_text(ctx, ok_arg(call, 0)), ok_shape_text(ctx, a), ok_shape_text(ctx, ok_arg(call, 2)));
    rc = derive_layout(ctx, call, rank, shape, &layout);
    if (rc == TF_OK)
        rc = tf_host->anchor(ctx, call, 2, call->arg_types + 1, &storage);
    if (rc)
        return rc;
    layout = ok_fill_layout(ctx, layout, storage, rank, shape);
    *result = ok_like(ctx, a, a->dtype, rank, shape, layout, storage);
    return TF_OK;
}

static int cost_where(tf_ctx *ctx, const struct tf_call *call, struct tf_work *work)
{
    (void)ctx;
    return ok_work_elements(work, TF_WORK_SERVICE, TF_SERVICE_SELECT, call->type, 1);
}

static const struct tf_input inputs[] = {{.name = "condition"}, {.name = "input"}, {.name = "other"}};

const struct tf_op op_where = {
    .struct_size = sizeof(op_where),
    .name = "where",
    .summary = "input where the condition holds, other elsewhere",
    .n_inputs = OK_COUNT(inputs),
    .inputs = inputs,
    .infer = infer_where,
    .cost = cost_where,
    .relate = relate_where,
    .eval = eval_where,
    .flags = TF_OP_ROWS,
};

/* SPDX-License-Identifier: MIT
 * rope: rotary position embedding of queries and keys, by rows of two tables that pos_ids names.
 */
#include "nn.h"
#include "eval.h"

#define Q 0u
#define K 1u
#define COS 2u
#define SIN 3u
#define POS 4u

static const struct tf_dim *last_extent(const struct tf_type *type)
{
    return type->shape[type->rank - 1];
}

/* Heads of even width, the same in q and k, no wider than the tables. */
static int check_widths(tf_ctx *ctx, const struct tf_call *call)
{
    const struct tf_dim *q = last_extent(ok_arg(call, Q)), *k = last_extent(ok_arg(call, K));
    for (uint32_t i = Q; i <= K; i++) {
        const struct tf_dim *width = last_extent(ok_arg(call, i));
        if (width->kind == TF_DIM_CONST && width->value % 2 != 0)
            return OK_REFUSE(ctx, call, OK_CODE_SHAPE, "rope: the last axis of %s has %lld; an even extent is expected",
                call->op->inputs[i].name, (long long)width->value);
    }
    if (q->kind == TF_DIM_CONST && k->kind == TF_DIM_CONST && q != k)
        return OK_REFUSE(ctx, call, OK_CODE_SHAPE, "rope: the last axis of q has %lld and that of k %lld; %s",
            (long long)q->value, (long long)k->value, "they are expected to be equal");
    for (uint32_t i = COS; i <= SIN; i++) {
        const struct tf_dim *width = last_extent(ok_arg(call, i));
        if (q->kind == TF_DIM_CONST && width->kind == TF_DIM_CONST && width->value < q->value)
            return OK_REFUSE(ctx, call, OK_CODE_SHAPE, "rope: %s has %lld columns, and the heads are %lld wide",
                call->op->inputs[i].name, (long long)width->value, (long long)q->value);
    }
    return TF_OK;
}

/* Axis of a value that counts its rows: (..., rows, heads, width); a value of fewer axes begins with them. */
static const struct tf_dim *rows_of(const struct tf_type *type)
{
    return type->rank < 2 ? NULL : type->shape[type->rank >= 3 ? type->rank - 3 : 0];
}

static int check_rows(tf_ctx *ctx, const struct tf_call *call)
{
    uint64_t positions = 0;
    for (uint32_t axis = 0; axis < ok_arg(call, POS)->rank; axis++)
        if (ok_arg(call, POS)->shape[axis]->kind != TF_DIM_CONST)
            return TF_OK;
    int rc = ok_count(ok_arg(call, POS), &positions);
    if (rc)
        return rc;
    for (uint32_t i = Q; i <= K; i++) {
        const struct tf_dim *rows = rows_of(ok_arg(call, i));
        if (rows && rows->kind == TF_DIM_CONST && rows->value > 0 && positions < (uint64_t)rows->value)
            return OK_REFUSE(ctx, call, OK_CODE_SHAPE, "rope: pos_ids names %llu positions, and %s has %lld rows",
                (unsigned long long)positions, call->op->inputs[i].name, (long long)rows->value);
    }
    return TF_OK;
}

static int check_partials(tf_ctx *ctx, const struct tf_call *call)
{
    for (uint32_t i = Q; i <= K; i++) {
        const char *name = call->op->inputs[i].name;
        const struct ok_operand operands[] = {
            {name, ok_arg(call, i)}, {"cos_cache", ok_arg(call, COS)}, {"sin_cache", ok_arg(call, SIN)}};
        int rc = ok_check_partials(ctx, call, OK_COUNT(operands), operands, "sum", "", 1);
        if (rc)
            return rc;
    }
    return ok_reject_partials(ctx, call, "pos_ids", ok_arg(call, POS), "");
}

static int infer_rope(tf_ctx *ctx, const struct tf_call *call, const struct tf_type **result)
{
    int rc = ok_tensors(ctx, call);
    if (rc)
        return rc;
    for (uint32_t i = Q; i <= SIN; i++)
        if (ok_arg(call, i)->rank < 1)
            return OK_REFUSE(ctx, call, OK_CODE_RANK, "rope: %s is a scalar; one axis or more are expected",
                call->op->inputs[i].name);
    rc = check_widths(ctx, call);
    if (rc == TF_OK)
        rc = check_rows(ctx, call);
    if (rc == TF_OK)
        rc = check_partials(ctx, call);
    if (rc)
        return rc;
    const struct tf_type *fields[] = {ok_arg(call, Q), ok_arg(call, K)};
    *result = tf_host->type_tuple(ctx, 2, fields);
    return TF_OK;
}

/* The iteration axes that the columns of k and of the tables walk; q's walk its own last one. */
struct columns {
    uint32_t k, tables, n_iter;
};

static uint64_t column_mask(const struct tf_call *call, uint32_t arg)
{
    const struct tf_type *type = ok_arg(call, arg);
    return ok_is_sharded(type) ? tf_host->split_mask(type, type->rank - 1) : 0;
}

/* One axis for all where q and k divide their columns alike.  Tables that are not divided themselves are read in all
 * their columns when q and k have different rows or heads; else in those of the operand that holds more of them. */
static struct columns columns_of(const struct tf_call *call)
{
    const struct tf_type *q = ok_arg(call, Q), *k = ok_arg(call, K);
    uint64_t of_q = column_mask(call, Q), of_k = column_mask(call, K);
    uint32_t shared = q->rank - 1, own = q->rank + k->rank - 1;
    int alike = last_extent(q) == last_extent(k) && of_q == of_k;
    if ((of_q | of_k) && !(column_mask(call, COS) | column_mask(call, SIN)) &&
        !ok_same_shape(q->rank, q->shape, k->rank, k->shape))
        return (struct columns){.k = own, .tables = own + 1, .n_iter = own + 2};
    if (alike)
        return (struct columns){.k = shared, .tables = shared, .n_iter = own};
    return (struct columns){.k = own, .tables = of_k & ~of_q ? shared : own, .n_iter = own + 1};
}

/* The box is q's axes, k's, and the columns; any row of the tables may be named. */
static int relate_rope(tf_ctx *ctx, const struct tf_call *call, struct tf_relation *relation)
{
    const struct tf_type *q = ok_arg(call, Q), *k = ok_arg(call, K);
    const struct tf_dim *extent[2 * TF_MAX_RANK + 1];
    struct columns columns = columns_of(call);
    for (uint32_t axis = 0; axis < q->rank; axis++)
        extent[axis] = q->shape[axis];
    for (uint32_t axis = 0; axis < k->rank; axis++)
        extent[q->rank + axis] = k->shape[axis];
    extent[q->rank + k->rank] = last_extent(q);
    int rc = tf_host->relation_box(ctx, call, relation, columns.n_iter, extent, 2);
    if (rc)
        return rc;
    struct tf_boundary *const of_q[] = {&relation->in[Q], &relation->out[Q]};
    struct tf_boundary *const of_k[] = {&relation->in[K], &relation->out[K]};
    for (uint32_t side = 0; side < 2; side++) {
        tf_host->relation_walk(ctx, of_q[side], q->rank, 0);
        tf_host->relation_walk(ctx, of_k[side], k->rank, q->rank);
        of_k[side]->axes[k->rank - 1] = ok_walk_axis(columns.k);
    }
    for (uint32_t i = COS; i <= POS; i++) {
        uint32_t rank = ok_arg(call, i)->rank;
        struct tf_axis *axes = ok_axes(ctx, &relation->in[i], rank);
        for (uint32_t axis = 0; axis < rank; axis++)
            axes[axis] = i != POS && axis + 1 == rank ? ok_walk_axis(columns.tables) : ok_any_axis();
    }
    return TF_OK;
}

/* Two products and their sum for each rotated element. */
static int cost_rope(tf_ctx *ctx, const struct tf_call *call, struct tf_work *work)
{
    (void)ctx;
    uint64_t q, k, n;
    int rc = ok_count(ok_arg(call, Q), &q);
    if (rc == TF_OK)
        rc = ok_count(ok_arg(call, K), &k);
    if (rc == TF_OK)
        rc = ok_mul(q + k, 3, &n); /* both are below 2^63 */
    return rc ? rc : ok_work(work, TF_WORK_VECTOR, ok_arg(call, Q)->dtype, n);
}

static const struct tf_input inputs[] = {
    {.name = "q"}, {.name = "k"}, {.name = "cos_cache"}, {.name = "sin_cache"}, {.name = "pos_ids"}};

const struct tf_op op_rope = {
    .struct_size = sizeof(op_rope),
    .name = "rope",
    .summary = "rotary position embedding of queries and keys",
    .n_inputs = OK_COUNT(inputs),
    .inputs = inputs,
    .infer = infer_rope,
    .cost = cost_rope,
    .relate = relate_rope,
    .eval = eval_rope,
};

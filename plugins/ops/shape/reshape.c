/* SPDX-License-Identifier: MIT */
#include "shape.h"

/* ---- the shape -----------------------------------------------------------------------------------------------------*/

static int refuse_count(tf_ctx *ctx, const struct tf_call *call, uint32_t n, const struct tf_dim *const *shape,
    const struct tf_dim *have, const struct tf_dim *asked)
{
    const struct tf_type *x = call->arg_types[0];
    return OK_REFUSE(ctx, call, OK_CODE_COUNT, "reshape: %s has %s elements, and %s takes %s", ok_shape_text(ctx, x),
        ok_dim_text(ctx, have), tf_host->shape_text(ctx, shape, n), ok_dim_text(ctx, asked));
}

/* The extent that an authored -1 stands for: what the others leave. */
static int resolve_rest(tf_ctx *ctx, const struct tf_call *call, uint32_t n, const struct tf_dim **shape, uint32_t at,
    const struct tf_dim *have)
{
    const struct tf_dim *minus = shape[at];
    shape[at] = tf_host->dim_const(ctx, 1);
    const struct tf_dim *others = ok_dim_product(ctx, n, shape);
    shape[at] = minus;
    if (!others)
        return TF_E_REFUSED;
    if (ok_dim_is(others, 0))
        return OK_REFUSE(ctx, call, OK_CODE_COUNT,
            "reshape: -1 beside an extent of 0 in %s could stand for any extent; write it out",
            tf_host->shape_text(ctx, shape, n));
    if (ok_is_const(have) && ok_is_const(others) && have->value % others->value != 0)
        return OK_REFUSE(ctx, call, OK_CODE_COUNT,
            "reshape: the %lld elements of %s are no multiple of the %lld that %s fixes", (long long)have->value,
            ok_shape_text(ctx, call->arg_types[0]), (long long)others->value, tf_host->shape_text(ctx, shape, n));
    shape[at] = tf_host->dim_floordiv(ctx, have, others);
    return shape[at] ? TF_OK : TF_E_REFUSED;
}

/* The new shape, its -1 worked out.  Counts that depend on open dimensions are compared once those are bound. */
static int new_shape(tf_ctx *ctx, const struct tf_call *call, uint32_t *n, const struct tf_dim **shape)
{
    const struct tf_type *x = call->arg_types[0];
    uint32_t rest = UINT32_MAX;
    int rc = ok_attr_dims(ctx, call, 0, n, shape);
    if (rc)
        return rc;
    for (uint32_t i = 0; i < *n; i++) {
        if (!ok_is_const(shape[i]) || shape[i]->value >= 0)
            continue;
        if (shape[i]->value != -1 || rest != UINT32_MAX)
            return OK_REFUSE(ctx, call, OK_CODE_VALUE,
                "reshape: %s has %s; extents are 0 or more, and one may be -1 for what the others leave",
                tf_host->shape_text(ctx, shape, *n), shape[i]->value == -1 ? "several -1" : "a negative extent");
        rest = i;
    }
    const struct tf_dim *have = ok_dim_product(ctx, x->rank, x->shape);
    if (!have)
        return TF_E_REFUSED;
    if (rest != UINT32_MAX)
        return resolve_rest(ctx, call, *n, shape, rest, have);
    const struct tf_dim *asked = ok_dim_product(ctx, *n, shape);
    if (!asked)
        return TF_E_REFUSED;
    if (have != asked && ok_is_const(have) && ok_is_const(asked))
        return refuse_count(ctx, call, *n, shape, have, asked);
    return TF_OK;
}

/* ---- the sharding --------------------------------------------------------------------------------------------------*/

/* Layout positions go over in order: each new axis takes what makes up its extent, whole where it can.  A position that
 * is cut leaves its inner part for the next axis; a split one may be cut only where whole shares fall. */
struct piece {
    const struct tf_dim *size, *stride;
    int32_t old; /* position that it is, or the outer part of; -1 */
};

struct carry {
    tf_ctx *ctx;
    const struct tf_layout *from;
    const int64_t *shares; /* by position: the units that divide it, 0 where nobody does */
    int32_t *new_of;       /* by position: where it went; -1 */
    uint32_t next;
    int has_pending;
    struct piece pending;
    uint32_t n;
    struct piece *out;
};

static void emit(struct carry *c, struct piece piece)
{
    if (piece.old >= 0)
        c->new_of[piece.old] = (int32_t)c->n;
    c->out[c->n++] = piece;
}

/* Passes over extents of 1; a split among one unit is kept, as a position of 1. */
static void skip_ones(struct carry *c)
{
    for (; c->next < c->from->rank && ok_dim_is(c->from->shape[c->next], 1); c->next++)
        if (c->shares[c->next])
            emit(c, (struct piece){c->from->shape[c->next], tf_host->dim_const(c->ctx, 0), (int32_t)c->next});
}

static int take(struct carry *c, struct piece *piece)
{
    if (c->has_pending) {
        *piece = c->pending;
        c->has_pending = 0;
        return 1;
    }
    skip_ones(c);
    if (c->next >= c->from->rank)
        return 0;
    const struct tf_dim *stride = c->from->strides ? c->from->strides[c->next] : tf_host->dim_const(c->ctx, 0);
    *piece = (struct piece){c->from->shape[c->next], stride, (int32_t)c->next};
    c->next++;
    return 1;
}

static const struct tf_dim *scale(struct carry *c, const struct tf_dim *stride, int64_t by)
{
    return tf_host->dim_mul(c->ctx, stride, tf_host->dim_const(c->ctx, by));
}

/* Cuts a piece after its outer `needed`; the inner part waits for the next axis. */
static int cut(struct carry *c, struct piece piece, int64_t needed)
{
    int64_t shares = piece.old >= 0 ? c->shares[piece.old] : 0;
    if (piece.size->value % needed != 0 || (shares && needed % shares != 0))
        return 0;
    int64_t inner = piece.size->value / needed;
    const struct tf_dim *stride = scale(c, piece.stride, inner);
    if (stride && shares && needed != shares) {
        const struct tf_dim *outer = scale(c, stride, needed / shares);
        if (!outer)
            return 0;
        emit(c, (struct piece){tf_host->dim_const(c->ctx, shares), outer, piece.old});
        emit(c, (struct piece){tf_host->dim_const(c->ctx, needed / shares), stride, -1});
    } else if (stride) {
        emit(c, (struct piece){tf_host->dim_const(c->ctx, needed), stride, piece.old});
    } else {
        return 0;
    }
    c->pending = (struct piece){tf_host->dim_const(c->ctx, inner), piece.stride, -1};
    c->has_pending = 1;
    return 1;
}

static int carry_axis(struct carry *c, const struct tf_dim *extent)
{
    struct piece piece;
    if (ok_dim_is(extent, 1)) {
        emit(c, (struct piece){extent, tf_host->dim_const(c->ctx, 0), -1});
        return 1;
    }
    if (!ok_is_const(extent)) { /* an open extent goes over whole or not at all */
        if (!take(c, &piece) || piece.size != extent)
            return 0;
        emit(c, piece);
        return 1;
    }
    for (int64_t product = 1; product < extent->value;) {
        if (!take(c, &piece) || !ok_is_const(piece.size) || piece.size->value <= 0)
            return 0;
        if (piece.size->value <= extent->value / product) {
            emit(c, piece);
            product *= piece.size->value;
        } else {
            return extent->value % product == 0 && cut(c, piece, extent->value / product);
        }
    }
    return 1;
}

static int count_shares(const struct tf_layout *shard, int64_t *shares)
{
    for (uint32_t i = 0; i < shard->mesh->rank; i++) {
        const struct tf_shard_attr *attr = &shard->attrs[i];
        if (attr->kind != TF_ATTR_SPLIT)
            continue;
        if (attr->axis < 0 || (uint32_t)attr->axis >= shard->rank || !ok_is_const(shard->mesh->shape[i]))
            return 0;
        int64_t *at = &shares[attr->axis];
        if (__builtin_mul_overflow(*at ? *at : 1, shard->mesh->shape[i]->value, at))
            return 0;
    }
    return 1;
}

static const struct tf_layout *carried_layout(struct carry *c)
{
    const struct tf_dim **shape = tf_host->alloc(c->ctx, (c->n + 1) * sizeof(*shape));
    const struct tf_dim **strides = tf_host->alloc(c->ctx, (c->n + 1) * sizeof(*strides));
    struct tf_shard_attr attrs[TF_MAX_MESH];
    for (uint32_t i = 0; i < c->n; i++) {
        shape[i] = c->out[i].size;
        strides[i] = c->out[i].stride;
    }
    for (uint32_t i = 0; i < c->from->mesh->rank; i++) {
        attrs[i] = c->from->attrs[i];
        if (attrs[i].kind != TF_ATTR_SPLIT)
            continue;
        attrs[i].axis = c->new_of[attrs[i].axis];
        if (attrs[i].axis < 0)
            return NULL;
    }
    return tf_host->layout_shard(c->ctx, c->n, shape, c->from->strides ? strides : NULL, c->from->mesh, attrs);
}

/* The same shares under the new axes; NULL when they cannot be said there. */
static const struct tf_layout *carry_shards(
    tf_ctx *ctx, const struct tf_layout *shard, uint32_t rank, const struct tf_dim *const *shape)
{
    size_t room = 2 * (size_t)shard->rank + rank + 1;
    int64_t *shares = tf_host->alloc(ctx, (shard->rank + 1) * sizeof(*shares));
    struct carry c = {.ctx = ctx,
        .from = shard,
        .shares = shares,
        .new_of = tf_host->alloc(ctx, (shard->rank + 1) * sizeof(*c.new_of)),
        .out = tf_host->alloc(ctx, room * sizeof(*c.out))};
    if (!count_shares(shard, shares))
        return NULL;
    for (uint32_t i = 0; i < shard->rank; i++)
        c.new_of[i] = -1;
    for (uint32_t i = 0; i < rank; i++)
        if (!carry_axis(&c, shape[i]))
            return NULL;
    if (rank)
        skip_ones(&c);
    else
        while (c.next < shard->rank && ok_dim_is(shard->shape[c.next], 1))
            c.next++;
    return c.has_pending || c.next < shard->rank ? NULL : carried_layout(&c);
}

/* A plain source in C order stays in C order; any other loses its strides. */
static const struct tf_layout *carry_plain(
    tf_ctx *ctx, const struct tf_layout *layout, uint32_t rank, const struct tf_dim *const *shape)
{
    const struct tf_layout *plain = layout->kind == TF_LAYOUT_COMPOSED ? layout->outer : layout;
    if (plain->kind != TF_LAYOUT_PLAIN || !ok_is_c_order(ctx, plain))
        return NULL;
    const struct tf_layout *made = ok_c_order(ctx, rank, shape);
    return made && plain != layout ? tf_host->layout_composed(ctx, layout->offset, made) : made;
}

static int infer(tf_ctx *ctx, const struct tf_call *call, const struct tf_type **result)
{
    const struct tf_dim *shape[TF_MAX_RANK];
    const struct tf_layout *layout = NULL;
    uint32_t rank;
    int rc = ok_tensors(ctx, call);
    if (rc == TF_OK)
        rc = new_shape(ctx, call, &rank, shape);
    if (rc)
        return rc;
    const struct tf_type *x = call->arg_types[0];
    int is_shard = x->layout && x->layout->kind == TF_LAYOUT_SHARD;
    int is_distributed = is_shard && ok_is_distributed(x->layout);
    if (x->storage == TF_STORAGE_UMAT && rank == 0 && !is_distributed)
        return ok_result(ctx, x->dtype, 0, NULL, NULL, TF_STORAGE_UMAT, result);
    if (is_shard)
        layout = carry_shards(ctx, x->layout, rank, shape);
    else if (x->layout)
        layout = carry_plain(ctx, x->layout, rank, shape);
    if (is_distributed && !layout)
        return OK_REFUSE(ctx, call, OK_CODE_LAYOUT,
            "reshape: the shares of %s do not fall on the axes of %s; reshard to a replicated layout first",
            tf_host->type_text(ctx, x), tf_host->shape_text(ctx, shape, rank));
    return ok_result(ctx, x->dtype, rank, shape, layout, x->storage, result);
}

static int relate(tf_ctx *ctx, const struct tf_call *call, struct tf_relation *relation)
{
    const struct tf_dim *shape[TF_MAX_RANK];
    uint32_t rank;
    int rc = new_shape(ctx, call, &rank, shape);
    if (rc == TF_OK)
        rc = tf_host->relation_box(ctx, call, relation, rank, shape, 1);
    if (rc == TF_OK)
        ok_set_view(relation, TF_RELATION_RELABEL);
    return rc;
}

static const struct tf_input inputs[] = {{.name = "x", .kind = TF_INPUT_TENSOR}};
static const struct tf_attr_decl attrs[] = {{.name = "new_shape", .kind = TF_ATTR_TUPLE, .flags = TF_ATTR_REQUIRED}};
const struct tf_op shape_reshape = {.struct_size = sizeof(shape_reshape),
    .name = "reshape",
    .summary = "the same elements in the same order under other axes",
    .n_inputs = OK_COUNT(inputs),
    .inputs = inputs,
    .n_attrs = OK_COUNT(attrs),
    .attrs = attrs,
    .infer = infer,
    .relate = relate,
    .eval = shape_eval_reshape,
    .flags = TF_OP_ROWS,
    .moves = 1};

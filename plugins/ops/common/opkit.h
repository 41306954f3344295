/* SPDX-License-Identifier: MIT
 * What the operator families share: reading a call, refusing it, and the rules that hold for more than one operator.
 * Header only; each plugin stays a shared object that links to nothing.
 */
#ifndef TF_OPS_COMMON_OPKIT_H
#define TF_OPS_COMMON_OPKIT_H

#include <tilefoundry/plugin.h>

#include <string.h>

#define OK_COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Refuses the call: `return OK_REFUSE(ctx, call, "code", "%s: ...", ok_name(call));`. */
#define OK_REFUSE(ctx, call, code, ...) (tf_host->error((ctx), &(call)->loc, (code), __VA_ARGS__), TF_E_REFUSED)

/* Codes that several families use, with one meaning everywhere. */
#define OK_CODE_AXIS "axis-range"
#define OK_CODE_DTYPE "dtype-mismatch"
#define OK_CODE_INTEGER "integer-operand"
#define OK_CODE_OPERAND "operand-dtype"
#define OK_CODE_PARTIAL "partial-operand"
#define OK_CODE_RANK "operand-rank"
#define OK_CODE_SHAPE "shape-mismatch"
#define OK_CODE_SPLIT "split-axis"
#define OK_CODE_TUPLE "tuple-operand"

/* ---- reading a call ----------------------------------------------------------------------------------------------*/

/* What the author wrote: the alias that stands for the settled kind, else the operator's own name. */
static inline const char *ok_name(const struct tf_call *call)
{
    const struct tf_op *op = call->op;
    for (size_t i = 0; i < op->n_aliases; i++) {
        const struct tf_alias *alias = &op->aliases[i];
        for (size_t k = 0; k < op->n_attrs && k < call->n_attrs; k++) {
            const struct tf_val *val = &call->attrs[k];
            if (strcmp(op->attrs[k].name, alias->attr) == 0 && val->kind == TF_VAL_STRING &&
                strcmp(val->u.s, alias->value) == 0)
                return alias->name;
        }
    }
    return op->name;
}

static inline const struct tf_type *ok_arg(const struct tf_call *call, uint32_t i)
{
    return call->arg_types[i];
}

static inline int ok_has(const struct tf_call *call, uint32_t attr)
{
    return attr < call->n_attrs && call->attrs[attr].kind != TF_VAL_NONE;
}

static inline int64_t ok_int(const struct tf_call *call, uint32_t attr)
{
    return call->attrs[attr].u.i;
}

static inline int ok_bool(const struct tf_call *call, uint32_t attr)
{
    return call->attrs[attr].u.i != 0;
}

static inline const char *ok_string(const struct tf_call *call, uint32_t attr)
{
    return call->attrs[attr].u.s;
}

static inline uint32_t ok_dtype(const struct tf_call *call, uint32_t attr)
{
    return (uint32_t)call->attrs[attr].u.i;
}

/* Where the value of a CHOICE attribute stands among its choices. */
static inline uint32_t ok_choice(const struct tf_call *call, uint32_t attr)
{
    const char *const *choices = call->op->attrs[attr].choices;
    uint32_t i = 0;
    while (choices[i] && strcmp(choices[i], call->attrs[attr].u.s) != 0)
        i++;
    return i;
}

/* A tensor type, `like` itself where it is that already: long programs share their types. */
static inline const struct tf_type *ok_like(tf_ctx *ctx, const struct tf_type *like, uint32_t dtype, uint32_t rank,
    const struct tf_dim *const *shape, const struct tf_layout *layout, uint32_t storage)
{
    if (like->dtype == dtype && like->storage == storage && like->layout == layout && like->rank == rank &&
        (rank == 0 || memcmp(like->shape, shape, rank * sizeof(*shape)) == 0))
        return like;
    return tf_host->type_tensor(ctx, dtype, rank, shape, layout, storage);
}

/* Every operand that the signature calls a tensor is one. */
static inline int ok_tensors(tf_ctx *ctx, const struct tf_call *call)
{
    for (uint32_t i = 0; i < call->n_args && i < call->op->n_inputs; i++) {
        const struct tf_input *input = &call->op->inputs[i];
        if (input->kind == TF_INPUT_TENSOR && call->arg_types[i]->kind != TF_TYPE_TENSOR)
            return OK_REFUSE(ctx, call, OK_CODE_TUPLE, "%s: %s is a tuple of %u values; a tensor is expected",
                ok_name(call), input->name, call->arg_types[i]->rank);
    }
    return TF_OK;
}

/* ---- dtypes ------------------------------------------------------------------------------------------------------*/

static inline const char *ok_dtype_name(uint32_t dtype)
{
    return tf_host->dtype(dtype)->name;
}

static inline int ok_is_float(uint32_t dtype)
{
    return tf_host->dtype(dtype)->cls == TF_CLASS_FLOAT;
}

static inline int ok_is_integer(uint32_t dtype)
{
    uint32_t cls = tf_host->dtype(dtype)->cls;
    return cls == TF_CLASS_INT || cls == TF_CLASS_UINT;
}

/* For functions whose value is no integer even where their operand is. */
static inline int ok_refuse_integers(tf_ctx *ctx, const struct tf_call *call, const struct tf_type *x)
{
    if (ok_is_float(x->dtype))
        return TF_OK;
    return OK_REFUSE(ctx, call, OK_CODE_INTEGER,
        "%s: x is %s, and its %s is not; use tf.cast(x, \"f32\") before it, and tf.cast after it if integers are meant",
        ok_name(call), tf_host->dtype(x->dtype)->name, ok_name(call));
}

/* ---- shapes ------------------------------------------------------------------------------------------------------*/

/* Equal dimensions of one context are one pointer. */
static inline int ok_dim_is(const struct tf_dim *dim, int64_t value)
{
    return dim->kind == TF_DIM_CONST && dim->value == value;
}

static inline int ok_same_shape(
    uint32_t rank_a, const struct tf_dim *const *a, uint32_t rank_b, const struct tf_dim *const *b)
{
    if (rank_a != rank_b)
        return 0;
    for (uint32_t i = 0; i < rank_a; i++)
        if (a[i] != b[i])
            return 0;
    return 1;
}

static inline const char *ok_shape_text(tf_ctx *ctx, const struct tf_type *type)
{
    return tf_host->shape_text(ctx, type->shape, type->rank);
}

/* Broadcast of two shapes, right-aligned; out may be either of them.  Not 0: they do not go together. */
static inline int ok_broadcast(uint32_t rank_a, const struct tf_dim *const *a, uint32_t rank_b,
    const struct tf_dim *const *b, uint32_t *rank, const struct tf_dim **out)
{
    uint32_t n = rank_a > rank_b ? rank_a : rank_b;
    const struct tf_dim *both[TF_MAX_RANK];
    for (uint32_t i = 0; i < n; i++) { /* i counts from the last axis */
        const struct tf_dim *x = i < rank_a ? a[rank_a - 1 - i] : NULL;
        const struct tf_dim *y = i < rank_b ? b[rank_b - 1 - i] : NULL;
        const struct tf_dim *z;
        if (!x || !y || x == y)
            z = x ? x : y;
        else if (ok_dim_is(x, 1))
            z = y;
        else if (ok_dim_is(y, 1))
            z = x;
        else
            return TF_E_REFUSED;
        both[n - 1 - i] = z;
    }
    for (uint32_t i = 0; i < n; i++)
        out[i] = both[i];
    *rank = n;
    return TF_OK;
}

/* An axis as written, negative from the end, to [0, rank). */
static inline int ok_axis(
    tf_ctx *ctx, const struct tf_call *call, const char *what, int64_t written, uint32_t rank, uint32_t *axis)
{
    int64_t at = written < 0 && written >= -(int64_t)rank ? written + (int64_t)rank : written;
    if (at < 0 || at >= (int64_t)rank)
        return OK_REFUSE(ctx, call, OK_CODE_AXIS, "%s: %s %lld is out of range for rank %u", ok_name(call), what,
            (long long)written, rank);
    *axis = (uint32_t)at;
    return TF_OK;
}

/* ---- counts ------------------------------------------------------------------------------------------------------*/

static inline int ok_mul(uint64_t a, uint64_t b, uint64_t *product)
{
    return __builtin_mul_overflow(a, b, product) || *product > INT64_MAX ? TF_E_OVERFLOW : TF_OK;
}

/* Elements of one tensor of constant extents. */
static inline int ok_count(const struct tf_type *type, uint64_t *n)
{
    uint64_t product = 1;
    int over = 0;
    for (uint32_t i = 0; i < type->rank; i++) {
        const struct tf_dim *extent = type->shape[i];
        if (extent->kind != TF_DIM_CONST || extent->value < 0)
            return TF_E_INTERNAL;
        if (extent->value == 0) { /* however large the others are */
            *n = 0;
            return TF_OK;
        }
        over |= ok_mul(product, (uint64_t)extent->value, &product) != TF_OK;
    }
    *n = product;
    return over ? TF_E_OVERFLOW : TF_OK;
}

/* Adds work; amounts are of one unit and one occurrence. */
static inline int ok_work(struct tf_work *work, uint32_t pipe, uint32_t key, uint64_t amount)
{
    if (work->n >= TF_MAX_WORK)
        return TF_E_INTERNAL;
    work->item[work->n++] = (struct tf_work_item){.pipe = pipe, .key = key, .amount = amount};
    return TF_OK;
}

/* `each` for every element of a tensor. */
static inline int ok_work_elements(
    struct tf_work *work, uint32_t pipe, uint32_t key, const struct tf_type *type, uint64_t each)
{
    uint64_t n;
    int rc = ok_count(type, &n);
    if (rc == TF_OK)
        rc = ok_mul(n, each, &n);
    return rc == TF_OK ? ok_work(work, pipe, key, n) : rc;
}

/* ---- sharding ----------------------------------------------------------------------------------------------------*/

static inline int ok_is_sharded(const struct tf_type *type)
{
    return type->layout && tf_host->shard_of(type->layout) != NULL;
}

/* Whether an axis is divided among units; the mesh axes that do it are tf_host->split_mask's. */
static inline int ok_is_split(const struct tf_type *type, uint32_t axis)
{
    return ok_is_sharded(type) && tf_host->split_mask(type, axis) != 0;
}

/* No axis from first on is divided among units: `what` it is that needs them whole ("softmax's axis"). */
static inline int ok_refuse_split(
    tf_ctx *ctx, const struct tf_call *call, const char *name, const struct tf_type *type, uint32_t first, uint32_t end)
{
    for (uint32_t axis = first; axis < end; axis++)
        if (ok_is_split(type, axis))
            return OK_REFUSE(ctx, call, OK_CODE_SPLIT,
                "%s: axis %u of %s is split over the mesh, and one unit needs it whole; reshard %s first",
                ok_name(call), axis, name, name);
    return TF_OK;
}

/* The reduction that a type still waits for on a mesh axis, or NULL. */
static inline const char *ok_partial(const struct tf_type *type, uint32_t mesh_axis)
{
    const struct tf_layout *shard = type->layout ? tf_host->shard_of(type->layout) : NULL;
    if (!shard || mesh_axis >= shard->mesh->rank || shard->attrs[mesh_axis].kind != TF_ATTR_PARTIAL)
        return NULL;
    return shard->attrs[mesh_axis].reduction;
}

static inline uint32_t ok_mesh_rank(const struct tf_type *type)
{
    const struct tf_layout *shard = type->layout ? tf_host->shard_of(type->layout) : NULL;
    return shard ? shard->mesh->rank : 0;
}

/* A mesh axis for people: its name, else its number. */
static inline const char *ok_mesh_axis(tf_ctx *ctx, const struct tf_type *type, uint32_t mesh_axis)
{
    const struct tf_mesh *mesh = tf_host->shard_of(type->layout)->mesh;
    const char *name = mesh->names ? mesh->names[mesh_axis] : NULL;
    return name ? name : tf_host->format(ctx, "%u", mesh_axis);
}

/* Whether a reduction is one of a list such as "max min". */
static inline int ok_reduction_in(const char *reduction, const char *list)
{
    size_t length = strlen(reduction);
    for (const char *at = list; (at = strstr(at, reduction)) != NULL; at += length)
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return 1;
    return 0;
}

/* A partial sum (max, min) may pass only through what commutes with it; `commutes` lists those, "" for none. */
static inline int ok_reject_partials(
    tf_ctx *ctx, const struct tf_call *call, const char *name, const struct tf_type *type, const char *commutes)
{
    uint32_t n = ok_mesh_rank(type);
    for (uint32_t axis = 0; axis < n; axis++) {
        const char *reduction = ok_partial(type, axis);
        if (reduction && !ok_reduction_in(reduction, commutes))
            return OK_REFUSE(ctx, call, OK_CODE_PARTIAL,
                "%s: %s is a partial %s over mesh axis %s, which this operator does not commute with; reshard it to "
                "its complete value first",
                ok_name(call), name, reduction, ok_mesh_axis(ctx, type, axis));
    }
    return TF_OK;
}

/* The operands of a product or sum, as far as their partial state goes. */
struct ok_operand {
    const char *name;
    const struct tf_type *type;
};

static inline int ok_is_replicated(const struct tf_type *type, uint32_t mesh_axis)
{
    const struct tf_layout *shard = type->layout ? tf_host->shard_of(type->layout) : NULL;
    return !shard || mesh_axis >= shard->mesh->rank || shard->attrs[mesh_axis].kind == TF_ATTR_BROADCAST;
}

/* The operands that are partial over one mesh axis. */
struct ok_partials {
    const struct ok_operand *first, *last;
    const char *reduction; /* the first one's */
    uint32_t n, alike;     /* how many; whether all wait for the same reduction */
};

static inline struct ok_partials ok_find_partials(uint32_t n, const struct ok_operand *operands, uint32_t axis)
{
    struct ok_partials found = {.alike = 1};
    for (uint32_t i = 0; i < n; i++) {
        const char *reduction = ok_partial(operands[i].type, axis);
        if (!reduction)
            continue;
        if (!found.first) {
            found.first = &operands[i];
            found.reduction = reduction;
        }
        found.last = &operands[i];
        found.alike = found.alike && strcmp(found.reduction, reduction) == 0;
        found.n++;
    }
    return found;
}

static inline int ok_check_partial_axis(tf_ctx *ctx, const struct tf_call *call, uint32_t n,
    const struct ok_operand *operands, uint32_t axis, const char *allowed, const char *jointly)
{
    struct ok_partials found = ok_find_partials(n, operands, axis);
    if (found.n == 0 || (found.n > 1 && found.alike && ok_reduction_in(found.reduction, jointly)))
        return TF_OK;
    if (found.n > 1)
        return OK_REFUSE(ctx, call, OK_CODE_PARTIAL,
            "%s: %s and %s are both partial over mesh axis %s, and that does not commute here; reshard them first",
            ok_name(call), found.first->name, found.last->name, ok_mesh_axis(ctx, found.first->type, axis));
    if (!ok_reduction_in(found.reduction, allowed))
        return ok_reject_partials(ctx, call, found.first->name, found.first->type, allowed);
    for (uint32_t i = 0; i < n; i++)
        if (&operands[i] != found.first && !ok_is_replicated(operands[i].type, axis))
            return OK_REFUSE(ctx, call, OK_CODE_PARTIAL,
                "%s: %s is a partial %s over mesh axis %s, but %s is divided over that axis; reshard %s first",
                ok_name(call), found.first->name, found.reduction, ok_mesh_axis(ctx, found.first->type, axis),
                operands[i].name, operands[i].name);
    return TF_OK;
}

/* Only the first operand's partial state can become the result's. */
static inline int ok_check_anchor(
    tf_ctx *ctx, const struct tf_call *call, uint32_t n, const struct ok_operand *operands, uint32_t axis)
{
    for (uint32_t i = 1; i < n; i++)
        if (ok_partial(operands[i].type, axis))
            return OK_REFUSE(ctx, call, OK_CODE_PARTIAL,
                "%s: %s is a partial %s over mesh axis %s, which the result cannot keep; reshard it first",
                ok_name(call), operands[i].name, ok_partial(operands[i].type, axis),
                ok_mesh_axis(ctx, operands[i].type, axis));
    return TF_OK;
}

/* On each mesh axis one operand may be partial, with a reduction of `allowed`, beside operands that every unit holds
 * alike; several may when all wait for the same reduction of `jointly`.  anchored: only the first may. */
static inline int ok_check_partials(tf_ctx *ctx, const struct tf_call *call, uint32_t n,
    const struct ok_operand *operands, const char *allowed, const char *jointly, int anchored)
{
    uint32_t axes = 0;
    int rc = TF_OK;
    for (uint32_t i = 0; i < n; i++)
        if (ok_mesh_rank(operands[i].type) > axes)
            axes = ok_mesh_rank(operands[i].type);
    for (uint32_t axis = 0; axis < axes && rc == TF_OK; axis++) {
        if (anchored)
            rc = ok_check_anchor(ctx, call, n, operands, axis);
        if (rc == TF_OK)
            rc = ok_check_partial_axis(ctx, call, n, operands, axis, allowed, jointly);
    }
    return rc;
}

/* ---- layouts -----------------------------------------------------------------------------------------------------*/

static inline int ok_all_broadcast(const struct tf_layout *layout)
{
    if (!layout || layout->kind != TF_LAYOUT_SHARD)
        return 0;
    for (uint32_t i = 0; i < layout->mesh->rank; i++)
        if (layout->attrs[i].kind != TF_ATTR_BROADCAST)
            return 0;
    return 1;
}

/* A replicated layout of another shape on the same mesh. */
static inline const struct tf_layout *ok_replicated(tf_ctx *ctx, const struct tf_call *call,
    const struct tf_layout *like, uint32_t rank, const struct tf_dim *const *shape)
{
    return tf_host->layout_canonical(ctx, &call->loc, rank, shape, like->mesh, like->attrs);
}

/* What is left of a layout when the value has this shape: a replicated one is made anew, a plain one must fit. */
static inline const struct tf_layout *ok_refit(tf_ctx *ctx, const struct tf_call *call, const struct tf_layout *layout,
    uint32_t rank, const struct tf_dim *const *shape)
{
    if (ok_all_broadcast(layout))
        return ok_replicated(ctx, call, layout, rank, shape);
    if (layout->kind == TF_LAYOUT_PLAIN && !ok_same_shape(layout->rank, layout->shape, rank, shape))
        return NULL;
    return layout;
}

/* Layout of an elementwise result whose operands no axis divides: the operands' where they agree or only one has one;
 * a replicated one before a plain one; none where two plain ones differ. */
static inline const struct tf_layout *ok_merge_layout(tf_ctx *ctx, const struct tf_call *call,
    const struct tf_layout *a, const struct tf_layout *b, uint32_t rank, const struct tf_dim *const *shape)
{
    if (a && tf_host->shard_of(a))
        a = tf_host->shard_of(a);
    if (b && tf_host->shard_of(b))
        b = tf_host->shard_of(b);
    if (!a || !b || tf_host->layout_equal(a, b))
        return a || b ? ok_refit(ctx, call, a ? a : b, rank, shape) : NULL;
    if (ok_all_broadcast(a))
        return ok_replicated(ctx, call, a, rank, shape);
    if (ok_all_broadcast(b))
        return ok_replicated(ctx, call, b, rank, shape);
    return NULL;
}

/* A value in registers or shared memory always has a layout: C order where nothing else was said. */
static inline const struct tf_layout *ok_fill_layout(
    tf_ctx *ctx, const struct tf_layout *layout, uint32_t storage, uint32_t rank, const struct tf_dim *const *shape)
{
    if (layout || rank == 0 || (storage != TF_STORAGE_RMEM && storage != TF_STORAGE_SMEM))
        return layout;
    return tf_host->layout_plain(ctx, rank, shape, NULL);
}

/* ---- relations ---------------------------------------------------------------------------------------------------*/

/* Each operand is read where the result is written. */
static inline int ok_relate_elementwise(tf_ctx *ctx, const struct tf_call *call, struct tf_relation *relation)
{
    const struct tf_type *x = call->arg_types[0];
    int rc = tf_host->relation_box(ctx, call, relation, x->rank, x->shape, 1);
    if (rc)
        return rc;
    for (uint32_t i = 0; i < call->n_args; i++)
        tf_host->relation_walk(ctx, &relation->in[i], x->rank, 0);
    tf_host->relation_walk(ctx, &relation->out[0], x->rank, 0);
    return TF_OK;
}

/* One axis of a boundary reads iteration axis `iter`. */
static inline struct tf_axis ok_walk_axis(uint32_t iter)
{
    return (struct tf_axis){.kind = TF_AXIS_WALK, .iter = {(int32_t)iter, -1}, .scale = {1, 0}};
}

/* Every coordinate of the axis. */
static inline struct tf_axis ok_any_axis(void)
{
    return (struct tf_axis){.kind = TF_AXIS_ANY, .iter = {-1, -1}};
}

/* Only one coordinate. */
static inline struct tf_axis ok_fixed_axis(int64_t at)
{
    return (struct tf_axis){.kind = TF_AXIS_WALK, .iter = {-1, -1}, .offset = at};
}

/* rank axes for a boundary, to be filled in by hand. */
static inline struct tf_axis *ok_axes(tf_ctx *ctx, struct tf_boundary *boundary, uint32_t rank)
{
    boundary->rank = rank;
    boundary->axes = tf_host->alloc(ctx, (rank ? rank : 1) * sizeof(*boundary->axes));
    return boundary->axes;
}

/* Layout of result `out` from the operands' sharding; *layout stays NULL when none is sharded. */
static inline int ok_derive(tf_ctx *ctx, const struct tf_call *call, const struct tf_relation *relation, uint32_t rank,
    const struct tf_dim *const *shape, uint64_t partial_axes, uint64_t complete_axes, uint32_t fresh_strides,
    const struct tf_layout **layout)
{
    struct tf_derive how = {.struct_size = sizeof(how),
        .partial_axes = partial_axes,
        .complete_axes = complete_axes,
        .fresh_strides = fresh_strides};
    return tf_host->shard_derive(ctx, call, relation, rank, shape, &how, layout);
}

#endif

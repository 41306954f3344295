/* SPDX-License-Identifier: MIT
 * binary: arithmetic, comparisons and logic on two operands, broadcast against each other.
 */
#include "elementwise.h"
#include "eval.h"

#define CLASS_ARITHMETIC 0u
#define CLASS_DIVIDE 1u /* a quotient is no integer */
#define CLASS_WHOLE 2u  /* of integers only */
#define CLASS_COMPARE 3u
#define CLASS_LOGIC 4u

/* X(NAME, value, class, partial reductions that pass beside a replicated operand, and in both) */
#define KINDS(X)                                                                                                       \
    X(ADD, "add", CLASS_ARITHMETIC, "max min", "sum")                                                                  \
    X(SUB, "sub", CLASS_ARITHMETIC, "", "")                                                                            \
    X(MUL, "mul", CLASS_ARITHMETIC, "sum", "")                                                                         \
    X(DIV, "div", CLASS_DIVIDE, "", "")                                                                                \
    X(FLOOR_DIV, "floor_div", CLASS_WHOLE, "", "")                                                                     \
    X(MOD, "mod", CLASS_WHOLE, "", "")                                                                                 \
    X(MIN, "min", CLASS_ARITHMETIC, "", "")                                                                            \
    X(MAX, "max", CLASS_ARITHMETIC, "", "")                                                                            \
    X(EQ, "eq", CLASS_COMPARE, "", "")                                                                                 \
    X(NE, "ne", CLASS_COMPARE, "", "")                                                                                 \
    X(LT, "lt", CLASS_COMPARE, "", "")                                                                                 \
    X(LE, "le", CLASS_COMPARE, "", "")                                                                                 \
    X(GT, "gt", CLASS_COMPARE, "", "")                                                                                 \
    X(GE, "ge", CLASS_COMPARE, "", "")                                                                                 \
    X(AND, "and", CLASS_LOGIC, "", "")                                                                                 \
    X(OR, "or", CLASS_LOGIC, "", "")

struct kind {
    uint32_t class;
    const char *beside, *jointly;
};

static const struct kind kinds[] = {
#define X(NAME, value, class, beside, jointly) {class, beside, jointly},
    KINDS(X)
#undef X
};

static const char *const kind_names[] = {
#define X(NAME, value, class, beside, jointly) value,
    KINDS(X)
#undef X
        NULL};

static const struct kind *kind_of(const struct tf_call *call)
{
    return &kinds[ok_choice(call, 0)];
}

static int gives_truth(const struct kind *kind)
{
    return kind->class == CLASS_COMPARE || kind->class == CLASS_LOGIC;
}

static int check_dtypes(tf_ctx *ctx, const struct tf_call *call, const struct kind *kind)
{
    uint32_t lhs = ok_arg(call, 0)->dtype, rhs = ok_arg(call, 1)->dtype;
    if (lhs != rhs)
        return OK_REFUSE(ctx, call, OK_CODE_DTYPE,
            "%s: the operands are %s and %s; nothing is promoted, and a written number is f32 or i64: convert one, as "
            "in tf.cast(OPERAND, \"%s\")",
            ok_name(call), ok_dtype_name(lhs), ok_dtype_name(rhs), ok_dtype_name(lhs));
    if (kind->class == CLASS_LOGIC && lhs != TF_DTYPE_BOOL)
        return OK_REFUSE(ctx, call, OK_CODE_OPERAND, "%s: the operands are %s; bool is expected: compare them first",
            ok_name(call), ok_dtype_name(lhs));
    if (kind->class == CLASS_WHOLE && !ok_is_integer(lhs))
        return OK_REFUSE(ctx, call, OK_CODE_OPERAND, "%s: the operands are %s; an integer dtype is expected",
            ok_name(call), ok_dtype_name(lhs));
    if (kind->class == CLASS_DIVIDE && !ok_is_float(lhs))
        return OK_REFUSE(ctx, call, OK_CODE_INTEGER,
            "%s: the operands are %s, and a quotient of them is not; use floor_div (//), or tf.cast both to a float "
            "dtype first",
            ok_name(call), ok_dtype_name(lhs));
    return TF_OK;
}

static int relate_binary(tf_ctx *ctx, const struct tf_call *call, struct tf_relation *relation)
{
    const struct tf_type *lhs = ok_arg(call, 0), *rhs = ok_arg(call, 1);
    const struct tf_dim *shape[TF_MAX_RANK];
    uint32_t rank;
    if (ok_broadcast(lhs->rank, lhs->shape, rhs->rank, rhs->shape, &rank, shape))
        return TF_E_INTERNAL; /* inference has refused it */
    int rc = tf_host->relation_box(ctx, call, relation, rank, shape, 1);
    if (rc)
        return rc;
    tf_host->relation_broadcast(ctx, &relation->in[0], lhs, rank, shape);
    tf_host->relation_broadcast(ctx, &relation->in[1], rhs, rank, shape);
    tf_host->relation_walk(ctx, &relation->out[0], rank, 0);
    return TF_OK;
}

static int derive_layout(tf_ctx *ctx, const struct tf_call *call, uint32_t rank, const struct tf_dim *const *shape,
    const struct tf_layout **layout)
{
    const struct tf_type *lhs = ok_arg(call, 0), *rhs = ok_arg(call, 1);
    *layout = NULL;
    if (ok_is_sharded(lhs) || ok_is_sharded(rhs)) {
        struct tf_relation relation = {0};
        int rc = relate_binary(ctx, call, &relation);
        if (rc == TF_OK)
            rc = ok_derive(ctx, call, &relation, rank, shape, 0, 0, 0, layout);
        if (rc)
            return rc;
    }
    if (!*layout)
        *layout = ok_merge_layout(ctx, call, lhs->layout, rhs->layout, rank, shape);
    return TF_OK;
}

static int infer_binary(tf_ctx *ctx, const struct tf_call *call, const struct tf_type **result)
{
    const struct kind *kind = kind_of(call);
    int rc = ok_tensors(ctx, call);
    if (rc == TF_OK)
        rc = check_dtypes(ctx, call, kind);
    if (rc)
        return rc;
    const struct tf_type *lhs = ok_arg(call, 0), *rhs = ok_arg(call, 1);
    const struct ok_operand operands[] = {{"lhs", lhs}, {"rhs", rhs}};
    rc = ok_check_partials(ctx, call, 2, operands, kind->beside, kind->jointly, 0);
    if (rc)
        return rc;
    const struct tf_dim *shape[TF_MAX_RANK];
    uint32_t rank, storage;
    if (ok_broadcast(lhs->rank, lhs->shape, rhs->rank, rhs->shape, &rank, shape))
        return OK_REFUSE(ctx, call, OK_CODE_SHAPE,
            "%s: shapes %s and %s do not broadcast: aligned at the last axis, extents must be equal or 1",
            ok_name(call), ok_shape_text(ctx, lhs), ok_shape_text(ctx, rhs));
    const struct tf_layout *layout;
    rc = derive_layout(ctx, call, rank, shape, &layout);
    if (rc == TF_OK)
        rc = tf_host->anchor(ctx, call, 2, call->arg_types, &storage);
    if (rc)
        return rc;
    layout = ok_fill_layout(ctx, layout, storage, rank, shape);
    *result = ok_like(ctx, lhs, gives_truth(kind) ? TF_DTYPE_BOOL : lhs->dtype, rank, shape, layout, storage);
    return TF_OK;
}

/* Comparing and combining truths is a predicate; integers have a service of their own; the rest are flops. */
static int cost_binary(tf_ctx *ctx, const struct tf_call *call, struct tf_work *work)
{
    (void)ctx;
    const struct tf_type *out = call->type;
    if (gives_truth(kind_of(call)))
        return ok_work_elements(work, TF_WORK_SERVICE, TF_SERVICE_PREDICATE, out, 1);
    if (ok_is_integer(out->dtype))
        return ok_work_elements(work, TF_WORK_SERVICE, TF_SERVICE_INTEGER, out, 1);
    return ok_work_elements(work, TF_WORK_VECTOR, out->dtype, out, 1);
}

static const struct tf_input inputs[] = {{.name = "lhs"}, {.name = "rhs"}};

static const struct tf_attr_decl attrs[] = {
    {.name = "kind",
        .kind = TF_ATTR_CHOICE,
        .flags = TF_ATTR_REQUIRED,
        .choices = kind_names,
        .enumeration = "BinaryKind"},
};

static const struct tf_alias aliases[] = {
    {"add", "kind", "add"},
    {"sub", "kind", "sub"},
    {"mul", "kind", "mul"},
    {"div", "kind", "div"},
    {"floor_div", "kind", "floor_div"},
    {"mod", "kind", "mod"},
    {"min", "kind", "min"},
    {"max", "kind", "max"},
    {"minimum", "kind", "min"},
    {"maximum", "kind", "max"},
    {"cmp_eq", "kind", "eq"},
    {"cmp_ne", "kind", "ne"},
    {"cmp_lt", "kind", "lt"},
    {"cmp_le", "kind", "le"},
    {"cmp_gt", "kind", "gt"},
    {"cmp_ge", "kind", "ge"},
    {"logical_and", "kind", "and"},
    {"logical_or", "kind", "or"},
};

const struct tf_op op_binary = {
    .struct_size = sizeof(op_binary),
    .name = "binary",
    .summary = "arithmetic, comparison or logic of two operands, element by element, broadcast",
    .n_inputs = OK_COUNT(inputs),
    .inputs = inputs,
    .n_attrs = OK_COUNT(attrs),
    .attrs = attrs,
    .n_aliases = OK_COUNT(aliases),
    .aliases = aliases,
    .infer = infer_binary,
    .cost = cost_binary,
    .relate = relate_binary,
    .eval = eval_binary,
    .flags = TF_OP_ROWS,
};

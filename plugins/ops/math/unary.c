/* SPDX-License-Identifier: MIT
 * unary: functions of one operand; the result has its type.
 */
#include "elementwise.h"
#include "eval.h"

#define CLASS_ARITHMETIC 0u
#define CLASS_LOGIC 1u   /* of truths */
#define CLASS_SPECIAL 2u /* the special-function unit's */

/* X(NAME, value, class, partial reductions that pass) */
#define KINDS(X)                                                                                                       \
    X(NEG, "neg", CLASS_ARITHMETIC, "sum")                                                                             \
    X(ABS, "abs", CLASS_ARITHMETIC, "")                                                                                \
    X(RSQRT, "rsqrt", CLASS_SPECIAL, "")                                                                               \
    X(CAST, "cast", CLASS_ARITHMETIC, "")                                                                              \
    X(NOT, "not", CLASS_LOGIC, "")                                                                                     \
    X(RELU, "relu", CLASS_ARITHMETIC, "max min")                                                                       \
    X(SQUARE, "square", CLASS_ARITHMETIC, "")                                                                          \
    X(EXP, "exp", CLASS_SPECIAL, "max min")                                                                            \
    X(LOG, "log", CLASS_SPECIAL, "max min")                                                                            \
    X(CEIL, "ceil", CLASS_ARITHMETIC, "max min")                                                                       \
    X(ROUND, "round", CLASS_ARITHMETIC, "max min")                                                                     \
    X(EXP2, "exp2", CLASS_SPECIAL, "max min")                                                                          \
    X(LOG2, "log2", CLASS_SPECIAL, "max min")

struct kind {
    uint32_t class;
    const char *commutes;
};

static const struct kind kinds[] = {
#define X(NAME, value, class, commutes) {class, commutes},
    KINDS(X)
#undef X
};

static const char *const kind_names[] = {
#define X(NAME, value, class, commutes) value,
    KINDS(X)
#undef X
        NULL};

static const struct kind *kind_of(const struct tf_call *call)
{
    return &kinds[ok_choice(call, 0)];
}

static int infer_unary(tf_ctx *ctx, const struct tf_call *call, const struct tf_type **result)
{
    const struct kind *kind = kind_of(call);
    int rc = ok_tensors(ctx, call);
    if (rc)
        return rc;
    const struct tf_type *x = ok_arg(call, 0);
    if (kind->class == CLASS_LOGIC && x->dtype != TF_DTYPE_BOOL)
        return OK_REFUSE(ctx, call, OK_CODE_OPERAND, "%s: x is %s; bool is expected: compare it first", ok_name(call),
            ok_dtype_name(x->dtype));
    if (kind->class == CLASS_SPECIAL) {
        rc = ok_refuse_integers(ctx, call, x);
        if (rc)
            return rc;
    }
    *result = x;
    return ok_reject_partials(ctx, call, "x", x, kind->commutes);
}

static int cost_unary(tf_ctx *ctx, const struct tf_call *call, struct tf_work *work)
{
    (void)ctx;
    const struct tf_type *out = call->type;
    uint32_t class = kind_of(call)->class;
    if (class == CLASS_SPECIAL)
        return ok_work_elements(work, TF_WORK_SERVICE, TF_SERVICE_SPECIAL, out, 1);
    if (class == CLASS_LOGIC)
        return ok_work_elements(work, TF_WORK_SERVICE, TF_SERVICE_PREDICATE, out, 1);
    if (ok_is_integer(out->dtype))
        return ok_work_elements(work, TF_WORK_SERVICE, TF_SERVICE_INTEGER, out, 1);
    return ok_work_elements(work, TF_WORK_VECTOR, out->dtype, out, 1);
}

static const struct tf_input inputs[] = {{.name = "x"}};

static const struct tf_attr_decl attrs[] = {
    {.name = "kind",
        .kind = TF_ATTR_CHOICE,
        .flags = TF_ATTR_REQUIRED,
        .choices = kind_names,
        .enumeration = "UnaryKind"},
};

static const struct tf_alias aliases[] = {
    {"neg", "kind", "neg"},
    {"abs", "kind", "abs"},
    {"logical_not", "kind", "not"},
    {"rsqrt", "kind", "rsqrt"},
    {"exp", "kind", "exp"},
    {"log", "kind", "log"},
    {"square", "kind", "square"},
    {"ceil", "kind", "ceil"},
    {"round", "kind", "round"},
    {"exp2", "kind", "exp2"},
    {"log2", "kind", "log2"},
};

const struct tf_op op_unary = {
    .struct_size = sizeof(op_unary),
    .name = "unary",
    .summary = "a function of one operand, element by element",
    .n_inputs = OK_COUNT(inputs),
    .inputs = inputs,
    .n_attrs = OK_COUNT(attrs),
    .attrs = attrs,
    .n_aliases = OK_COUNT(aliases),
    .aliases = aliases,
    .infer = infer_unary,
    .cost = cost_unary,
    .relate = ok_relate_elementwise,
    .eval = eval_unary,
    .flags = TF_OP_ROWS,
};

/* SPDX-License-Identifier: MIT
 *
 * Which programs are a quantisation.  Every step is a group's elements in order, so that regions, placement and changes
 * of shape are looked through; what remains has to be exactly the steps of the formula.
 */
#include "quant.h"

#include "pathkit.h"

static const struct tf_node *seen_through(const struct tf_node *node)
{
    return pk_through(node, PK_SHAPES);
}

static int of_constant(const struct tf_node *node, const char *kind, const struct tf_node **rest, float *value)
{
    if (!pk_with_constant(node, kind, rest, value))
        return 0;
    *rest = seen_through(*rest);
    return 1;
}

static int extent(const struct tf_type *type, uint32_t axis, int64_t *value)
{
    const struct tf_dim *dim = axis < type->rank ? type->shape[axis] : NULL;
    *value = dim ? dim->value : 0;
    return dim && dim->kind == TF_DIM_CONST && dim->value > 0;
}

/* Groups are rows of what is divided, and each has one scale. */
static int groups(struct quant *q, const struct tf_type *x, const struct tf_type *scale)
{
    int64_t n, m;
    q->groups = 1;
    if (x->kind != TF_TYPE_TENSOR || !x->rank || x->rank != scale->rank)
        return 0;
    for (uint32_t i = 0; i + 1 < x->rank; i++) {
        if (!extent(x, i, &n) || !extent(scale, i, &m) || n != m)
            return 0;
        q->groups *= (size_t)n;
    }
    if (!extent(x, x->rank - 1, &n) || !extent(scale, x->rank - 1, &m) || m != 1)
        return 0;
    q->length = (size_t)n;
    return 1;
}

static int reduces_last(const struct quant *q, const struct tf_node *node)
{
    const struct tf_val *axes = pk_is_kind(node, "reduce", "abs_max") ? pk_attr(node, "axes") : NULL;
    if (!axes || axes->kind != TF_VAL_TUPLE || axes->count != 1 || axes->u.items[0].kind != TF_VAL_INT)
        return 0;
    const struct tf_type *type = node->in[0]->type;
    int64_t axis = axes->u.items[0].u.i, n;
    return (axis == -1 || axis == (int64_t)type->rank - 1) && extent(type, type->rank - 1, &n) &&
           (size_t)n == q->length && type->dtype == TF_DTYPE_F32;
}

static int is_scale(struct quant *q, const struct tf_node *node, const struct tf_node *x)
{
    const struct tf_node *rest = node;
    q->has_floor = of_constant(node, "max", &rest, &q->floor);
    if (!of_constant(rest, "mul", &node, &q->factor)) {
        q->divides = 1;
        if (!of_constant(rest, "div", &node, &q->factor))
            return 0;
    }
    return reduces_last(q, node) && seen_through(node->in[0]) == x;
}

static int is_input(struct quant *q, const struct tf_node *node)
{
    q->x = pk_is_op(node, "cast") && node->type->dtype == TF_DTYPE_F32 ? seen_through(node->in[0]) : node;
    uint32_t dtype = q->x->type->dtype;
    return q->x->kind == TF_NODE_PARAM && q->program->function->n_params == 1 &&
           (dtype == TF_DTYPE_F32 || dtype == TF_DTYPE_BF16);
}

static int is_quant(struct quant *q, const struct tf_node *codes, const struct tf_node *scale)
{
    double low, high;
    if (!pk_is_op(codes, "cast"))
        return 0;
    q->codes = codes->type->dtype;
    const struct tf_node *clamp = seen_through(codes->in[0]);
    if ((q->codes != TF_DTYPE_FP8E4M3 && q->codes != TF_DTYPE_FP8E5M2) || !pk_is_op(clamp, "clamp") ||
        !pk_number(pk_attr(clamp, "min_val"), &low) || !pk_number(pk_attr(clamp, "max_val"), &high) ||
        high != (double)quant_limit(q) || low != -high)
        return 0;
    const struct tf_node *quotient = seen_through(clamp->in[0]);
    if (!pk_is_kind(quotient, "binary", "div") || quotient->type->dtype != TF_DTYPE_F32)
        return 0;
    const struct tf_node *x = seen_through(quotient->in[0]);
    return groups(q, quotient->in[0]->type, quotient->in[1]->type) && seen_through(quotient->in[1]) == scale &&
           is_scale(q, scale, x) && is_input(q, x);
}

int quant_match(tf_ctx *ctx, const struct tf_program *program, void **match)
{
    const struct tf_node *body = program->function->body ? seen_through(program->function->body) : NULL;
    if (!body || body->kind != TF_NODE_TUPLE || body->n_in != 2)
        return TF_E_UNSUPPORTED;
    struct quant *q = tf_host->alloc(ctx, sizeof(*q));
    q->program = program;
    if (!is_quant(q, seen_through(body->in[0]), seen_through(body->in[1])))
        return TF_E_UNSUPPORTED;
    *match = q;
    return TF_OK;
}

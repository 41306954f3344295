/* SPDX-License-Identifier: MIT
 *
 * Which programs are a quantisation.  A group's elements stay in their order, so that regions, placement and changes of
 * shape are looked through; what remains has to be exactly the steps of one of the forms.
 */
#include "quant.h"

int quant_not(struct quant *q, const struct tf_node *at, const char *why)
{
    if (!q->why) {
        q->why = why;
        q->at = at;
    }
    return 0;
}

const struct tf_node *quant_through(const struct tf_node *node)
{
    return pk_through(node, PK_SHAPES);
}

const struct tf_node *quant_widened(const struct tf_node *node)
{
    for (;;) {
        node = quant_through(node);
        if (!pk_is_op(node, "cast") || !pk_is_tensor(node, TF_DTYPE_F32))
            return node;
        const struct tf_node *from = quant_through(node->in[0]);
        uint32_t dtype = from->type->kind == TF_TYPE_TENSOR ? from->type->dtype : TF_DTYPE_COUNT;
        if (dtype != TF_DTYPE_F32 && dtype != TF_DTYPE_BF16 && dtype != TF_DTYPE_F16)
            return node;
        if (dtype != TF_DTYPE_F32 && pk_is_op(from, "cast")) /* it has lost digits */
            return node;
        node = from;
    }
}

/* ---- groups -------------------------------------------------------------------------------------------------------*/

/* Extents of a shape whose axes of the set are reduced, as a, b, c, d of struct quant. */
static int read_groups(const struct tf_type *type, uint32_t reduced, size_t *groups)
{
    size_t n, all;
    uint32_t at = 0;
    for (uint32_t i = 0; i < 4; i++)
        groups[i] = 1;
    if (!pk_elements(type, &all))
        return 0;
    for (uint32_t i = 0; i < type->rank; i++) {
        if (!pk_extent(type, i, &n) || n == 1)
            continue;
        at += (at & 1) != (reduced >> i & 1);
        if (at > 3)
            return 0;
        groups[at] *= n;
    }
    if (groups[2] == 1 && groups[3] == 1) { /* rows of what lies together */
        groups[3] = groups[1];
        groups[1] = 1;
    }
    return groups[1] == 1 || groups[3] > 1;
}

/* Of a value and what it is divided by, whose axes of extent 1 serve all of the value's. */
static int groups_of_division(const struct tf_type *x, const struct tf_type *by, size_t *groups)
{
    uint32_t reduced = 0;
    if (x->kind != TF_TYPE_TENSOR || by->kind != TF_TYPE_TENSOR || by->rank > x->rank)
        return 0;
    for (uint32_t i = 0; i < x->rank; i++) {
        size_t n, m = 1;
        uint32_t missing = x->rank - by->rank;
        if (!pk_extent(x, i, &n) || (i >= missing && !pk_extent(by, i - missing, &m)) || (m != 1 && m != n))
            return 0;
        reduced |= (uint32_t)(m == 1) << i;
    }
    return read_groups(x, reduced, groups);
}

static int take_groups(struct quant *q, const size_t *groups, const struct tf_node *at, int is_known)
{
    if (!is_known)
        return quant_not(q, at, "its groups are not runs of the last axis, blocks, or the whole");
    q->a = groups[0];
    q->b = groups[1];
    q->c = groups[2];
    q->d = groups[3];
    return 1;
}

/* ---- the input ----------------------------------------------------------------------------------------------------*/

static int is_input(struct quant *q, const struct tf_node *node)
{
    const struct tf_function *f = q->program->function;
    q->x = quant_widened(node);
    uint32_t dtype = q->x->type->kind == TF_TYPE_TENSOR ? q->x->type->dtype : TF_DTYPE_COUNT;
    if (q->x->kind != TF_NODE_PARAM)
        return quant_not(q, q->x, "what is quantised is not a parameter as it comes");
    if (f->n_params != 1)
        return quant_not(q, q->x, "it has other parameters beside what is quantised");
    if (dtype != TF_DTYPE_F32 && dtype != TF_DTYPE_BF16 && dtype != TF_DTYPE_F16)
        return quant_not(q, q->x, "what is quantised is not f32, bf16 or f16");
    return 1;
}

/* reduce(abs_max), or the reduce(max) of absolute values */
static int is_largest(struct quant *q, const struct tf_node *node)
{
    const struct tf_node *of = quant_widened(node->in[0]);
    size_t groups[4];
    if (!pk_attr_is(node, "kind", "abs_max")) {
        if (!pk_attr_is(node, "kind", "max") || !pk_is_kind(of, "unary", "abs"))
            return quant_not(q, node, "this is no largest magnitude");
        of = quant_widened(of->in[0]);
    }
    const struct tf_type *type = node->in[0]->type;
    uint32_t axes = pk_axes(node, type->rank);
    if (of != q->x)
        return quant_not(q, node, "the largest magnitude is of another value than what is quantised");
    if (!axes || !read_groups(type, axes, groups) || groups[0] != q->a || groups[1] != q->b || groups[2] != q->c ||
        groups[3] != q->d)
        return quant_not(q, node, "the groups that the largest magnitudes are of are not those that are divided");
    return 1;
}

/* ---- composed operators -------------------------------------------------------------------------------------------*/

static int is_bounds(const struct quant *q, double low, double high)
{
    return high == (double)quant_limit(q->codes) && low == -high;
}

/* A value between the codes' largest numbers, by clamp or by min and max; *rest is what is clamped. */
static int is_clamped(const struct quant *q, const struct tf_node *node, const struct tf_node **rest)
{
    double low, high;
    float bound[2];
    if (pk_is_op(node, "clamp")) {
        *rest = node->in[0];
        return pk_number(pk_attr(node, "min_val"), &low) && pk_number(pk_attr(node, "max_val"), &high) &&
               is_bounds(q, low, high);
    }
    for (int first = 0; first < 2; first++) {
        const struct tf_node *inner;
        if (pk_with_constant(node, first ? "max" : "min", &inner, &bound[first]) &&
            pk_with_constant(quant_through(inner), first ? "min" : "max", rest, &bound[!first]))
            return is_bounds(q, (double)bound[1], (double)bound[0]);
    }
    return 0;
}

/* x / scale, x * (1 / scale) or x * (limit / largest): *x, and *by what divides. */
static int is_quotient(struct quant *q, const struct tf_node *node, const struct tf_node **x, const struct tf_node **by)
{
    size_t groups[4];
    if (!pk_is_tensor(node, TF_DTYPE_F32) || (!pk_is_kind(node, "binary", "div") && !pk_is_kind(node, "binary", "mul")))
        return quant_not(
            q, node, "the codes are not of a quotient in f32, clamped to the codes' largest number or not");
    q->inverts = pk_is_kind(node, "binary", "mul");
    uint32_t second = 1;
    const struct tf_node *inverse = quant_through(node->in[1]);
    if (q->inverts && !(pk_is_kind(inverse, "binary", "div") && pk_constant(inverse->in[0], &q->numerator))) {
        second = 0;
        inverse = quant_through(node->in[0]);
        if (!pk_is_kind(inverse, "binary", "div") || !pk_constant(inverse->in[0], &q->numerator))
            return quant_not(q, node, "the factor is not one over a scale");
    }
    *x = node->in[1 - second];
    *by = quant_through(q->inverts ? inverse->in[1] : node->in[1]);
    int is_known = groups_of_division((*x)->type, node->in[second]->type, groups);
    return take_groups(q, groups, node, is_known);
}

/* What divides is the scale; its inverse may be the limit's over what the factor is applied to. */
static int is_divisor(struct quant *q, const struct tf_node *by, const struct tf_node *const *values)
{
    uint32_t at = 0, factor = 0;
    while (at <= q->n_steps && values[at] != by && quant_widened(by) != values[at])
        at++;
    while (q->steps[factor].kind != STEP_MUL && q->steps[factor].kind != STEP_DIV)
        factor++;
    q->inverted = at;
    if (at == q->n_steps && (!q->inverts || q->numerator == 1.0f))
        return 1;
    if (q->inverts && at <= factor && q->numerator == quant_limit(q->codes))
        return 1;
    return quant_not(q, by, "what divides is not the scale that is returned");
}

static int is_composed(struct quant *q, const struct tf_node *codes, const struct tf_node *scale)
{
    const struct tf_node *x, *by, *values[QUANT_STEPS + 1], *top = scale, *node = quant_through(codes->in[0]);
    q->clamps = is_clamped(q, node, &x);
    if (!is_quotient(q, q->clamps ? quant_through(x) : node, &x, &by))
        return 0;
    if (q->stored == TF_DTYPE_BF16) {
        int divides = pk_is_op(by, "cast") && pk_is_tensor(by, TF_DTYPE_F32) && quant_through(by->in[0]) == scale;
        top = divides ? by : quant_through(scale->in[0]);
    }
    return is_input(q, x) && quant_chain(q, top, values) && is_largest(q, values[0]) && is_divisor(q, by, values);
}

/* ---- the operator -------------------------------------------------------------------------------------------------*/

/* Item 0 and item 1 of one quant; the scale perhaps rounded. */
static int is_operator(struct quant *q, const struct tf_node *codes, const struct tf_node *scale)
{
    uint32_t first, second;
    const struct tf_node *from = q->stored == TF_DTYPE_BF16 ? quant_through(scale->in[0]) : scale;
    const struct tf_node *call = pk_item_of(codes, &first);
    return call && pk_is_op(call, "quant") && call == pk_item_of(from, &second) && first == 0 && second == 1;
}

/* Of the operator: scale = largest / limit, 1 where that is 0; clamped quotients. */
static int take_operator(struct quant *q, const struct tf_node *call)
{
    const struct tf_type *type = call->in[0]->type;
    const struct tf_val *group = pk_attr(call, "group");
    size_t n;
    if (!pk_attr_is(call, "scheme", "per_token_group") || !group || group->kind != TF_VAL_INT || group->u.i < 1 ||
        !pk_elements(type, &n) || n % (size_t)group->u.i != 0)
        return quant_not(q, call, "its groups are not known");
    size_t groups[4] = {n / (size_t)group->u.i, 1, 1, (size_t)group->u.i};
    q->codes = TF_DTYPE_FP8E4M3;
    q->clamps = 1;
    q->n_steps = 2;
    q->steps[0] = (struct quant_step){.kind = STEP_DIV, .number = quant_limit(q->codes)};
    q->steps[1] = (struct quant_step){.kind = STEP_ONE_ZERO, .tested = 1};
    return take_groups(q, groups, call, 1) && is_input(q, call->in[0]);
}

/* ---- the function -------------------------------------------------------------------------------------------------*/

static int is_code(const struct tf_node *node)
{
    return pk_is_tensor(node, TF_DTYPE_FP8E4M3) || pk_is_tensor(node, TF_DTYPE_FP8E5M2);
}

static int takes_pair(struct quant *q, const struct tf_node *tuple)
{
    const struct tf_node *codes = quant_through(tuple->in[0]), *scale = quant_through(tuple->in[1]);
    if (!is_code(codes)) {
        const struct tf_node *other = codes;
        codes = scale;
        scale = other;
        q->codes_at = 1;
    }
    q->scale_at = 1 - q->codes_at;
    q->codes = codes->type->dtype;
    q->stored = scale->type->dtype;
    if (!is_code(codes) || scale->type->kind != TF_TYPE_TENSOR)
        return quant_not(q, codes, "neither result is fp8e4m3 or fp8e5m2");
    if (q->stored != TF_DTYPE_F32 && (q->stored != TF_DTYPE_BF16 || !pk_is_op(scale, "cast")))
        return quant_not(q, scale, "the scales are not f32, nor f32 rounded to bf16");
    if (is_operator(q, codes, scale))
        return take_operator(q, pk_item_of(codes, &(uint32_t){0}));
    return pk_is_op(codes, "cast") ? is_composed(q, codes, scale)
                                   : quant_not(q, codes, "the codes are not what a cast gives");
}

static int is_quantisation(struct quant *q)
{
    const struct tf_node *body = q->program->function->body;
    body = body ? pk_through(body, PK_PLACES) : NULL;
    if (pk_is_op(body, "quant")) {
        q->scale_at = 1;
        q->stored = TF_DTYPE_F32;
        return take_operator(q, body);
    }
    if (!body || body->kind != TF_NODE_TUPLE || body->n_in != 2)
        return quant_not(q, body, "it does not return two tensors, codes and scales");
    return takes_pair(q, body);
}

int quant_match(tf_ctx *ctx, const struct tf_program *program, void **match)
{
    struct quant *q = tf_host->alloc(ctx, sizeof(*q));
    q->program = program;
    if (!is_quantisation(q))
        return TF_E_UNSUPPORTED;
    *match = q;
    return TF_OK;
}

const char *quant_why(tf_ctx *ctx, const struct tf_program *program, const struct tf_loc **loc)
{
    struct quant q = {.program = program};
    (void)ctx;
    if (is_quantisation(&q))
        return NULL;
    if (q.at && q.at->loc.line)
        *loc = &q.at->loc;
    return q.why;
}

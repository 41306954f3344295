/* SPDX-License-Identifier: MIT */
#include "front/endpoint.h"

#include "util/diag.h"
#include "util/vec.h"

#include <string.h>

static int is_known(const struct endpoint *p)
{
    return p->n == 0;
}

static int known_int(const struct endpoint *p, int64_t *number)
{
    return is_known(p) && dim_is_const(p->constant, number);
}

static int from_dim(struct lower *l, struct endpoint *out, const struct tf_dim *dim)
{
    (void)l;
    *out = (struct endpoint){.constant = dim};
    return 1;
}

static int from_node(struct lower *l, struct endpoint *out, const struct tf_node *node)
{
    *out = (struct endpoint){.constant = dim_const(l->ctx, 0), .n = 1};
    out->term[0].node = node;
    out->term[0].factor = 1;
    return node != NULL;
}

static int no_index(struct lower *l, const struct tf_loc *loc, const char *what)
{
    ERROR(l->ctx, loc, "subscript", "%s is not an index: ints, dimensions, integer values and windows are", what);
    return 0;
}

static int from_value(struct lower *l, const struct expr *e, const struct value *v, struct endpoint *out)
{
    struct eval ev = lower_eval(l);
    const struct value *known = lower_static(&ev, v);
    const struct tf_dim *dim = value_as_dim(l->ctx, known);
    if (dim)
        return from_dim(l, out, dim);
    switch (known->kind) {
    case VALUE_POISON: return 0;
    case VALUE_NODE: return from_node(l, out, lower_here(l, known, e->kind == EXPR_NAME ? e->name : NULL));
    case VALUE_WINDOW:
        if (!from_node(l, out, lower_here(l, known, NULL)))
            return 0;
        out->window = known->window;
        return 1;
    case VALUE_OPAQUE: opaque_report(l->front, &e->loc, expr_text(l->ctx, e), known); return 0;
    default: return no_index(l, &e->loc, value_kind_text(known->kind));
    }
}

static int from_static(struct lower *l, const struct expr *e, struct endpoint *out)
{
    struct eval ev = lower_eval(l);
    const struct value *v = eval_expr(&ev, e);
    if (v)
        return from_value(l, e, v, out);
    eval_report(&ev);
    return 0;
}

/* Anything else that is a value of the program. */
static int from_expression(struct lower *l, const struct expr *e, struct endpoint *out)
{
    return from_node(l, out, lower_expr(l, e, NULL));
}

static int read_name(struct lower *l, const struct expr *e, struct endpoint *out)
{
    const struct value *v = local_lookup(l, e->name);
    return v ? from_value(l, e, v, out) : from_static(l, e, out);
}

static int read_negative(struct lower *l, const struct expr *e, struct endpoint *out)
{
    struct endpoint inner;
    const char *why;
    if (!endpoint_read(l, e->left, &inner))
        return 0;
    if (is_known(&inner)) {
        const struct tf_dim *dim = dim_sub(l->ctx, dim_const(l->ctx, 0), inner.constant, &why);
        if (dim)
            return from_dim(l, out, dim);
        ERROR(l->ctx, &e->loc, "arithmetic", "%s", why);
        return 0;
    }
    const struct tf_node *node = endpoint_node(l, &e->loc, &inner);
    return node && from_node(l, out, sugar_call(l, &e->loc, NULL, sugar_op("-", 1), &node, 1, NULL, 0));
}

static int read_leaf(struct lower *l, const struct expr *e, struct endpoint *out)
{
    switch (e->kind) {
    case EXPR_NAME: return read_name(l, e, out);
    case EXPR_INT: return from_static(l, e, out);
    case EXPR_TRUE:
    case EXPR_FALSE: return no_index(l, &e->loc, "a bool");
    case EXPR_FLOAT: return no_index(l, &e->loc, "a float");
    case EXPR_STRING:
    case EXPR_FSTRING: return no_index(l, &e->loc, "a string");
    case EXPR_ELLIPSIS: return no_index(l, &e->loc, "...");
    case EXPR_NONE: return no_index(l, &e->loc, "None");
    case EXPR_UNARY:
        if (e->op[0] == '-')
            return read_negative(l, e, out);
        return e->op[0] == '+' ? endpoint_read(l, e->left, out) : from_expression(l, e, out);
    case EXPR_ATTR: {
        const struct value *v = e->left->kind == EXPR_NAME ? local_lookup(l, e->left->name) : NULL;
        if (v && v->kind == VALUE_MESH)
            return from_expression(l, e, out);
        return from_static(l, e, out);
    }
    case EXPR_CALL: return is_expression_form(l, e) ? from_expression(l, e, out) : from_static(l, e, out);
    case EXPR_SUBSCRIPT:
        if (e->left->kind == EXPR_NAME && !local_lookup(l, e->left->name))
            return from_static(l, e, out); /* of a host tuple or dict */
        return from_expression(l, e, out);
    default: return from_expression(l, e, out);
    }
}

/* ---- arithmetic --------------------------------------------------------------------------------------------------*/

/* a + sign * b into a; 0 when there is no room or a factor overflows. */
static int add_terms(struct endpoint *a, const struct endpoint *b, int64_t sign)
{
    for (uint32_t i = 0; i < b->n; i++) {
        int64_t factor;
        uint32_t k = 0;
        if (__builtin_mul_overflow(b->term[i].factor, sign, &factor))
            return 0;
        while (k < a->n && a->term[k].node != b->term[i].node)
            k++;
        if (k == ENDPOINT_TERMS)
            return 0;
        if (k == a->n) {
            a->term[a->n].node = b->term[i].node;
            a->term[a->n++].factor = factor;
        } else if (__builtin_add_overflow(a->term[k].factor, factor, &a->term[k].factor)) {
            return 0;
        }
    }
    uint32_t kept = 0;
    for (uint32_t k = 0; k < a->n; k++)
        if (a->term[k].factor)
            a->term[kept++] = a->term[k];
    a->n = kept;
    return 1;
}

static int scale_terms(struct endpoint *a, int64_t factor)
{
    for (uint32_t k = 0; k < a->n; k++)
        if (__builtin_mul_overflow(a->term[k].factor, factor, &a->term[k].factor))
            return 0;
    if (factor == 0)
        a->n = 0;
    return 1;
}

/* What no sum can say is left to the program. */
static int combine_by_program(
    struct lower *l, const struct expr *e, const struct endpoint *a, const struct endpoint *b, struct endpoint *out)
{
    const struct tf_node *args[2] = {endpoint_node(l, &e->loc, a), NULL};
    args[1] = args[0] ? endpoint_node(l, &e->loc, b) : NULL;
    return args[1] && from_node(l, out, sugar_call(l, &e->loc, NULL, sugar_op(e->op, 2), args, 2, NULL, 0));
}

static const struct tf_dim *combine_dims(
    tf_ctx *ctx, const char *op, const struct tf_dim *a, const struct tf_dim *b, const char **why)
{
    if (strcmp(op, "//") == 0)
        return dim_floordiv(ctx, a, b, why);
    switch (op[0]) {
    case '+': return dim_add(ctx, a, b, why);
    case '-': return dim_sub(ctx, a, b, why);
    case '*': return dim_mul(ctx, a, b, why);
    default: return dim_mod(ctx, a, b, why);
    }
}

static int combine_constants(
    struct lower *l, const struct expr *e, const struct endpoint *a, const struct endpoint *b, struct endpoint *out)
{
    const char *why = "the arithmetic has no result";
    const struct tf_dim *dim = combine_dims(l->ctx, e->op, a->constant, b->constant, &why);
    if (!dim)
        ERROR(l->ctx, &e->loc, "arithmetic", "%s", why);
    else
        out->constant = dim;
    return dim != NULL;
}

static int combine(
    struct lower *l, const struct expr *e, const struct endpoint *a, const struct endpoint *b, struct endpoint *out)
{
    const struct window_value *window = a->window ? a->window : b->window;
    int64_t factor;
    struct endpoint sum = *a;
    if ((a->window && b->window) || (b->window && e->op[0] == '-')) {
        ERROR(l->ctx, &e->loc, "subscript", "a window is moved by + or - a distance: i + C, C + i, i - C");
        return 0;
    }
    if (is_known(a) && is_known(b)) {
        *out = *a;
        return combine_constants(l, e, a, b, out);
    }
    if (e->op[0] == '+' || e->op[0] == '-') {
        if (!add_terms(&sum, b, e->op[0] == '+' ? 1 : -1))
            return combine_by_program(l, e, a, b, out);
        *out = sum;
        out->window = window;
        return combine_constants(l, e, a, b, out);
    }
    if (strcmp(e->op, "*") == 0 && (known_int(a, &factor) || known_int(b, &factor))) {
        sum = known_int(b, &factor) ? *a : *b;
        if (!scale_terms(&sum, factor))
            return combine_by_program(l, e, a, b, out);
        *out = sum;
        out->window = window;
        return combine_constants(l, e, a, b, out);
    }
    if (!combine_by_program(l, e, a, b, out))
        return 0;
    out->window = window;
    return 1;
}

static int is_sum(const struct expr *e)
{
    return e->kind == EXPR_BINARY && (strcmp(e->op, "+") == 0 || strcmp(e->op, "-") == 0 || strcmp(e->op, "*") == 0 ||
                                         strcmp(e->op, "//") == 0 || strcmp(e->op, "%") == 0);
}

int endpoint_read(struct lower *l, const struct expr *e, struct endpoint *out)
{
    VEC(const struct expr *) spine = {0};
    struct endpoint left, right;
    for (; is_sum(e); e = e->left)
        VEC_PUSH(&spine, e);
    int going = read_leaf(l, e, &left);
    while (going && spine.n) {
        e = spine.at[--spine.n];
        struct endpoint both = left;
        going = endpoint_read(l, e->right, &right) && combine(l, e, &left, &right, &both);
        left = both;
    }
    VEC_FREE(&spine);
    *out = left;
    return going;
}

int endpoint_distance(
    struct lower *l, const struct endpoint *from, const struct endpoint *to, const struct tf_dim **distance)
{
    struct endpoint sum = *to;
    const char *why;
    if (!add_terms(&sum, from, -1) || sum.n)
        return 0;
    *distance = dim_sub(l->ctx, to->constant, from->constant, &why);
    return *distance != NULL;
}

/* ---- back to the program -----------------------------------------------------------------------------------------*/

static const struct tf_node *constant_node(struct lower *l, const struct tf_loc *loc, const struct tf_dim *dim)
{
    return lower_number(l, loc, value_dim(l->ctx, dim));
}

static const struct tf_node *apply(
    struct lower *l, const struct tf_loc *loc, const char *symbol, const struct tf_node *a, const struct tf_node *b)
{
    const struct tf_node *args[2] = {a, b};
    return a && b ? sugar_call(l, loc, NULL, sugar_op(symbol, 2), args, 2, NULL, 0) : NULL;
}

static const struct tf_node *add_constant(
    struct lower *l, const struct tf_loc *loc, const struct tf_node *node, const struct tf_dim *dim)
{
    int64_t number;
    if (dim_is(dim, 0))
        return node;
    if (dim_is_const(dim, &number) && number < 0 && number != INT64_MIN)
        return apply(l, loc, "-", node, constant_node(l, loc, dim_const(l->ctx, -number)));
    return apply(l, loc, "+", node, constant_node(l, loc, dim));
}

const struct tf_node *endpoint_node(struct lower *l, const struct tf_loc *loc, const struct endpoint *p)
{
    const struct tf_node *sum = NULL;
    if (is_known(p))
        return constant_node(l, loc, p->constant);
    for (uint32_t i = 0; i < p->n; i++) {
        const struct tf_node *term = p->term[i].node;
        if (p->term[i].factor != 1)
            term = apply(l, loc, "*", term, constant_node(l, loc, dim_const(l->ctx, p->term[i].factor)));
        sum = i ? apply(l, loc, "+", sum, term) : term;
    }
    return sum ? add_constant(l, loc, sum, p->constant) : NULL;
}

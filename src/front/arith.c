/* SPDX-License-Identifier: MIT
 * Python's arithmetic on host values: ints of 64 bits with a refusal on overflow, floats, dimensions, sequences.
 */
#include "front/host.h"

#include "front/lower.h"
#include "front/mathlib.h"

#include <inttypes.h>
#include <string.h>

static const struct value *overflow(struct eval *ev, const struct tf_loc *loc, const char *op)
{
    return eval_fail(ev, loc, "overflow", "the result of '%s' does not fit in 64 bits", op);
}

static const struct value *zero(struct eval *ev, const struct tf_loc *loc)
{
    return eval_fail(ev, loc, "arithmetic", "division by zero");
}

static const struct value *by_library(struct eval *ev, const struct tf_loc *loc, const char *name, double a, double b)
{
    double result;
    if (!math_two(name, a, b, &result))
        return eval_fail(ev, loc, "arithmetic", "the mathematics library has no '%s'", name);
    return value_float(ev->front->ctx, result);
}

static const struct value *int_power(struct eval *ev, const struct tf_loc *loc, int64_t a, int64_t b)
{
    if (b < 0)
        return a == 0 ? zero(ev, loc) : by_library(ev, loc, "pow", (double)a, (double)b);
    int64_t result = 1;
    while (b) {
        if ((b & 1) && __builtin_mul_overflow(result, a, &result))
            return overflow(ev, loc, "**");
        b >>= 1;
        if (b && __builtin_mul_overflow(a, a, &a))
            return overflow(ev, loc, "**");
    }
    return value_int(ev->front->ctx, result);
}

/* Quotient rounded down, as Python's //. */
static int64_t floor_quotient(int64_t a, int64_t b)
{
    int64_t q = a / b;
    return (a % b != 0 && (a < 0) != (b < 0)) ? q - 1 : q;
}

static const struct value *int_divide(struct eval *ev, const struct tf_loc *loc, const char *op, int64_t a, int64_t b)
{
    if (b == 0)
        return zero(ev, loc);
    if (strcmp(op, "/") == 0)
        return value_float(ev->front->ctx, (double)a / (double)b);
    if (b == -1) { /* INT64_MIN / -1 overflows */
        int64_t negated;
        if (op[0] == '%')
            return value_int(ev->front->ctx, 0);
        return __builtin_sub_overflow((int64_t)0, a, &negated) ? overflow(ev, loc, op)
                                                               : value_int(ev->front->ctx, negated);
    }
    int64_t q = floor_quotient(a, b);
    return value_int(ev->front->ctx, op[0] == '%' ? a - q * b : q);
}

static const struct value *int_shift(struct eval *ev, const struct tf_loc *loc, const char *op, int64_t a, int64_t b)
{
    if (b < 0)
        return eval_fail(ev, loc, "arithmetic", "negative shift count");
    if (op[0] == '>')
        return value_int(ev->front->ctx, b > 63 ? (a < 0 ? -1 : 0) : a >> b);
    int64_t result;
    if (a == 0)
        return value_int(ev->front->ctx, 0);
    if (b > 62 || __builtin_mul_overflow(a, (int64_t)1 << b, &result))
        return overflow(ev, loc, op);
    return value_int(ev->front->ctx, result);
}

static const struct value *int_binary(struct eval *ev, const struct tf_loc *loc, const char *op, int64_t a, int64_t b)
{
    tf_ctx *ctx = ev->front->ctx;
    int64_t result;
    if (strcmp(op, "**") == 0)
        return int_power(ev, loc, a, b);
    if (strcmp(op, "<<") == 0 || strcmp(op, ">>") == 0)
        return int_shift(ev, loc, op, a, b);
    switch (op[0]) {
    case '+': return __builtin_add_overflow(a, b, &result) ? overflow(ev, loc, op) : value_int(ctx, result);
    case '-': return __builtin_sub_overflow(a, b, &result) ? overflow(ev, loc, op) : value_int(ctx, result);
    case '*': return __builtin_mul_overflow(a, b, &result) ? overflow(ev, loc, op) : value_int(ctx, result);
    case '/':
    case '%': return int_divide(ev, loc, op, a, b);
    case '&': return value_int(ctx, a & b);
    case '|': return value_int(ctx, a | b);
    case '^': return value_int(ctx, a ^ b);
    default: break;
    }
    return eval_fail(ev, loc, "arithmetic", "'%s' is not an operator on numbers", op);
}

/* Doubles from 2^52 on have no fraction. */
double double_floor(double f)
{
    if (!(f > -4503599627370496.0 && f < 4503599627370496.0))
        return f;
    double whole = (double)(int64_t)f;
    return whole > f ? whole - 1.0 : whole;
}

static const struct value *float_binary(struct eval *ev, const struct tf_loc *loc, const char *op, double a, double b)
{
    tf_ctx *ctx = ev->front->ctx;
    if (strcmp(op, "**") == 0)
        return by_library(ev, loc, "pow", a, b);
    if ((op[0] == '/' || op[0] == '%') && b == 0.0)
        return zero(ev, loc);
    if (strcmp(op, "//") == 0)
        return value_float(ctx, double_floor(a / b));
    switch (op[0]) {
    case '+': return value_float(ctx, a + b);
    case '-': return value_float(ctx, a - b);
    case '*': return value_float(ctx, a * b);
    case '/': return value_float(ctx, a / b);
    case '%': {
        double r;
        if (!math_two("fmod", a, b, &r))
            break;
        return value_float(ctx, r != 0.0 && (r < 0.0) != (b < 0.0) ? r + b : r);
    }
    default: break;
    }
    return eval_fail(ev, loc, "arithmetic", "'%s' is not an operator on floats", op);
}

static const struct value *dim_binary(
    struct eval *ev, const struct tf_loc *loc, const char *op, const struct value *left, const struct value *right)
{
    tf_ctx *ctx = ev->front->ctx;
    const struct tf_dim *a = value_as_dim(ctx, left), *b = value_as_dim(ctx, right), *result = NULL;
    const char *why = NULL;
    if (!a || !b)
        return eval_fail(ev, loc, "arithmetic", "a dimension goes together with ints and dimensions only, not with %s",
            value_kind_text(a ? right->kind : left->kind));
    if (strcmp(op, "+") == 0)
        result = dim_add(ctx, a, b, &why);
    else if (strcmp(op, "-") == 0)
        result = dim_sub(ctx, a, b, &why);
    else if (strcmp(op, "*") == 0)
        result = dim_mul(ctx, a, b, &why);
    else if (strcmp(op, "//") == 0)
        result = dim_floordiv(ctx, a, b, &why);
    else if (strcmp(op, "%") == 0)
        result = dim_mod(ctx, a, b, &why);
    else
        return eval_fail(ev, loc, "arithmetic", "'%s' is not an operator on dimensions; there are + - * // %%", op);
    if (!result)
        return eval_fail(ev, loc, "arithmetic", "%s", why ? why : "the dimension cannot be computed");
    return value_dim(ctx, result);
}

static const struct value *sequence_join(struct eval *ev, const struct value *a, const struct value *b)
{
    tf_ctx *ctx = ev->front->ctx;
    const struct value **items = CTX_ARRAY(ctx, const struct value *, (size_t)a->n + b->n + 1);
    if (a->n)
        memcpy(items, a->u.items, a->n * sizeof(*items));
    if (b->n)
        memcpy(items + a->n, b->u.items, b->n * sizeof(*items));
    struct value *v = value_new(ctx, a->kind);
    v->n = a->n + b->n;
    v->u.items = items;
    return v;
}

static const struct value *sequence_repeat(struct eval *ev, const struct tf_loc *loc, const struct value *a, int64_t n)
{
    tf_ctx *ctx = ev->front->ctx;
    uint64_t total;
    if (n < 0)
        n = 0;
    if (__builtin_mul_overflow((uint64_t)n, (uint64_t)a->n, &total))
        total = UINT64_MAX;
    if (!eval_size(ev, loc, total))
        return NULL;
    const struct value **items = CTX_ARRAY(ctx, const struct value *, total + 1);
    for (uint64_t i = 0; i < total; i++)
        items[i] = a->u.items[i % a->n];
    struct value *v = value_new(ctx, a->kind);
    v->n = (uint32_t)total;
    v->u.items = items;
    return v;
}

static const struct value *string_repeat(struct eval *ev, const struct tf_loc *loc, const char *s, int64_t n)
{
    tf_ctx *ctx = ev->front->ctx;
    uint64_t total;
    if (n < 0)
        n = 0;
    if (__builtin_mul_overflow((uint64_t)n, (uint64_t)strlen(s), &total))
        total = UINT64_MAX;
    if (!eval_size(ev, loc, total))
        return NULL;
    struct buf out = {0};
    for (int64_t i = 0; i < n; i++)
        buf_str(&out, s);
    const struct value *v = value_string(ctx, ctx_intern(ctx, buf_text(&out)));
    buf_free(&out);
    return v;
}

/* + and * where a string, tuple or list takes part; NULL without a failure when none does. */
static const struct value *sequence_binary(
    struct eval *ev, const struct tf_loc *loc, const char *op, const struct value *a, const struct value *b)
{
    if (strcmp(op, "+") == 0 && a->kind == VALUE_STRING && b->kind == VALUE_STRING) {
        tf_ctx *ctx = ev->front->ctx;
        struct buf out = {0};
        if (!eval_size(ev, loc, (uint64_t)strlen(a->u.s) + strlen(b->u.s)))
            return NULL;
        buf_str(&out, a->u.s);
        buf_str(&out, b->u.s);
        const struct value *v = value_string(ctx, ctx_intern(ctx, buf_text(&out)));
        buf_free(&out);
        return v;
    }
    if (strcmp(op, "+") == 0 && value_is_sequence(a) && a->kind == b->kind) {
        return eval_size(ev, loc, (uint64_t)a->n + b->n) ? sequence_join(ev, a, b) : NULL;
    }
    if (strcmp(op, "*") != 0)
        return NULL;
    const struct value *n = a->kind == VALUE_INT ? a : b, *s = n == a ? b : a;
    if (n->kind != VALUE_INT)
        return NULL;
    if (s->kind == VALUE_STRING)
        return string_repeat(ev, loc, s->u.s, n->u.i);
    return value_is_sequence(s) ? sequence_repeat(ev, loc, s, n->u.i) : NULL;
}

const struct value *eval_binary(
    struct eval *ev, const struct tf_loc *loc, const char *op, const struct value *a, const struct value *b)
{
    if (a->kind == VALUE_DIM || b->kind == VALUE_DIM)
        return dim_binary(ev, loc, op, a, b);
    if (value_is_number(a) && value_is_number(b)) {
        if (a->kind == VALUE_FLOAT || b->kind == VALUE_FLOAT)
            return float_binary(ev, loc, op, value_number(a), value_number(b));
        return int_binary(ev, loc, op, a->u.i, b->u.i);
    }
    const struct value *v = sequence_binary(ev, loc, op, a, b);
    if (v)
        return v;
    if (a->kind == VALUE_NODE || b->kind == VALUE_NODE)
        return eval_fail(ev, loc, "not-static", "'%s' on a value of the program is not known before it runs", op);
    return eval_fail(ev, loc, "arithmetic", "'%s' does not go between %s and %s", op, value_kind_text(a->kind),
        value_kind_text(b->kind));
}

const struct value *eval_unary(struct eval *ev, const struct tf_loc *loc, const char *op, const struct value *a)
{
    int64_t negated;
    if (strcmp(op, "not") == 0)
        return value_bool(!value_truth(a));
    if (value_is_number(a) && a->kind != VALUE_FLOAT) {
        if (op[0] == '+')
            return value_int(ev->front->ctx, a->u.i);
        if (op[0] == '~')
            return value_int(ev->front->ctx, ~a->u.i);
        if (__builtin_sub_overflow((int64_t)0, a->u.i, &negated))
            return overflow(ev, loc, op);
        return value_int(ev->front->ctx, negated);
    }
    if (a->kind == VALUE_FLOAT && op[0] != '~')
        return value_float(ev->front->ctx, op[0] == '-' ? -a->u.f : a->u.f);
    return eval_fail(ev, loc, "arithmetic", "'%s' does not go before %s", op, value_kind_text(a->kind));
}

/* ---- comparing ---------------------------------------------------------------------------------------------------*/

static int contains(const struct value *in, const struct value *v)
{
    if (in->kind == VALUE_STRING)
        return v->kind == VALUE_STRING && strstr(in->u.s, v->u.s) != NULL;
    uint32_t step = in->kind == VALUE_DICT ? 2 : 1;
    for (uint32_t i = 0; i < in->n; i += step)
        if (value_equal(in->u.items[i], v))
            return 1;
    return 0;
}

/* Order of a and b: -1, 0, 1, or 2 when they have none. */
static int order_of(const struct value *a, const struct value *b)
{
    if (value_is_number(a) && value_is_number(b)) {
        if (a->kind != VALUE_FLOAT && b->kind != VALUE_FLOAT)
            return a->u.i < b->u.i ? -1 : a->u.i > b->u.i;
        double x = value_number(a), y = value_number(b);
        return x < y ? -1 : x > y ? 1 : x == y ? 0 : 2;
    }
    if (a->kind == VALUE_STRING && b->kind == VALUE_STRING) {
        int c = strcmp(a->u.s, b->u.s);
        return c < 0 ? -1 : c > 0;
    }
    return 2;
}

const struct value *eval_compare(
    struct eval *ev, const struct tf_loc *loc, const char *op, const struct value *a, const struct value *b)
{
    if (strcmp(op, "==") == 0 || strcmp(op, "!=") == 0)
        return value_bool(value_equal(a, b) == (op[0] == '='));
    if (strcmp(op, "is") == 0 || strcmp(op, "is not") == 0)
        return value_bool((a->kind == b->kind && value_equal(a, b)) == (op[2] == '\0'));
    if (strcmp(op, "in") == 0 || strcmp(op, "not in") == 0)
        return value_bool(contains(b, a) == (op[0] == 'i'));
    int order = order_of(a, b);
    if (order == 2)
        return eval_fail(
            ev, loc, "arithmetic", "%s and %s have no order", value_kind_text(a->kind), value_kind_text(b->kind));
    if (op[0] == '<')
        return value_bool(op[1] ? order <= 0 : order < 0);
    return value_bool(op[1] ? order >= 0 : order > 0);
}

/* ---- subscripts --------------------------------------------------------------------------------------------------*/

/* A slice endpoint within [0, n], as Python clamps it for a positive step. */
static int64_t clamp_end(const struct value *v, int64_t n, int64_t fallback)
{
    if (!v || v->kind == VALUE_NONE)
        return fallback;
    int64_t i = v->u.i < 0 ? v->u.i + n : v->u.i;
    return i < 0 ? 0 : i > n ? n : i;
}

static int plain_slice(const struct value *slice)
{
    for (int i = 0; i < 3; i++) {
        const struct value *v = slice->u.items[i];
        if (v && v->kind != VALUE_INT && v->kind != VALUE_NONE)
            return 0;
    }
    const struct value *step = slice->u.items[2];
    return !step || step->kind == VALUE_NONE || step->u.i > 0;
}

static const struct value *sliced(
    struct eval *ev, const struct expr *e, const struct value *owner, const struct value *slice)
{
    if (!plain_slice(slice))
        return eval_fail(ev, &e->loc, "arithmetic", "a slice of a host value takes ints and a positive step");
    int64_t from = clamp_end(slice->u.items[0], owner->n, 0), to = clamp_end(slice->u.items[1], owner->n, owner->n);
    int64_t step = slice->u.items[2] && slice->u.items[2]->kind == VALUE_INT ? slice->u.items[2]->u.i : 1;
    if (!eval_size(ev, &e->loc, owner->n))
        return NULL;
    const struct value **items = CTX_ARRAY(ev->front->ctx, const struct value *, (size_t)owner->n + 1);
    uint32_t n = 0;
    for (int64_t i = from; i < to; i += step)
        items[n++] = owner->u.items[i];
    return value_items(ev->front->ctx, owner->kind, items, n);
}

static const struct value *looked_up(
    struct eval *ev, const struct expr *e, const struct value *dict, const struct value *key)
{
    for (uint32_t i = dict->n; i >= 2; i -= 2)
        if (value_equal(dict->u.items[i - 2], key))
            return dict->u.items[i - 1];
    return eval_fail(ev, &e->loc, "arithmetic", "the dict has no key %s", value_text(ev->front->ctx, key));
}

/* m[a:b, c]: unit-step parts of a mesh's axes. */
static const struct value *mesh_part(
    struct eval *ev, const struct expr *e, const struct value *owner, const struct value *index)
{
    const struct tf_mesh *mesh = owner->u.mesh->mesh;
    int64_t from[TF_MAX_MESH], to[TF_MAX_MESH];
    const struct value *one[1] = {index};
    uint32_t n = index->kind == VALUE_TUPLE ? index->n : 1;
    const struct value *const *parts = index->kind == VALUE_TUPLE ? index->u.items : one;
    if (!mesh)
        return eval_fail(ev, &e->loc, "mesh", "a mesh whose levels are only named can be sliced inside a function");
    if (n > mesh->rank)
        return eval_fail(ev, &e->loc, "mesh", "the mesh has %u axes, the slice names %u", mesh->rank, n);
    for (uint32_t k = 0; k < mesh->rank; k++) {
        int64_t extent;
        if (!dim_is_const(mesh->shape[k], &extent))
            return eval_fail(ev, &e->loc, "mesh", "a mesh axis of open extent cannot be sliced");
        from[k] = 0;
        to[k] = extent;
        if (k >= n)
            continue;
        if (parts[k]->kind == VALUE_INT) {
            from[k] = parts[k]->u.i < 0 ? parts[k]->u.i + extent : parts[k]->u.i;
            to[k] = from[k] + 1;
        } else if (parts[k]->kind == VALUE_SLICE && plain_slice(parts[k]) &&
                   !(parts[k]->u.items[2] && parts[k]->u.items[2]->kind == VALUE_INT &&
                       parts[k]->u.items[2]->u.i != 1)) {
            from[k] = clamp_end(parts[k]->u.items[0], extent, 0);
            to[k] = clamp_end(parts[k]->u.items[1], extent, extent);
        } else {
            return eval_fail(ev, &e->loc, "mesh", "a mesh is sliced by ints and unit-step slices");
        }
        if (from[k] < 0 || to[k] > extent || from[k] >= to[k])
            return eval_fail(ev, &e->loc, "mesh",
                "axis %u of the mesh has %" PRId64 " positions; this part is empty or past its end", k, extent);
    }
    const struct tf_mesh *part = mesh_slice(ev->front->ctx, &e->loc, mesh, from, to);
    if (!part) {
        eval_fail(ev, &e->loc, "mesh", "the mesh cannot be sliced");
        ev->fail.reported = 1;
        return NULL;
    }
    struct mesh_value *m = CTX_NEW(ev->front->ctx, struct mesh_value);
    *m = (struct mesh_value){.fields = *part, .mesh = part, .loc = e->loc, .checked = 1};
    struct value *v = value_new(ev->front->ctx, VALUE_MESH);
    v->u.mesh = m;
    return v;
}

const struct value *eval_subscript(struct eval *ev, const struct expr *e, const struct value *owner)
{
    const struct value *index = eval_expr(ev, e->right);
    if (!index)
        return NULL;
    if (owner->kind == VALUE_MESH) {
        if (ev->lower && !owner->u.mesh->mesh)
            owner = lower_mesh_value(ev, owner, &e->loc);
        return owner ? mesh_part(ev, e, owner, index) : NULL;
    }
    if (owner->kind == VALUE_DICT)
        return looked_up(ev, e, owner, index);
    if (!value_is_sequence(owner))
        return eval_fail(ev, &e->loc, "arithmetic", "%s has no items", value_kind_text(owner->kind));
    if (index->kind == VALUE_SLICE)
        return sliced(ev, e, owner, index);
    if (index->kind != VALUE_INT)
        return eval_fail(ev, &e->loc, "arithmetic", "%s is not an index", value_kind_text(index->kind));
    int64_t i = index->u.i < 0 ? index->u.i + owner->n : index->u.i;
    if (i < 0 || i >= owner->n)
        return eval_fail(ev, &e->loc, "arithmetic", "index %" PRId64 " is outside the %u items", index->u.i, owner->n);
    return owner->u.items[i];
}

/* SPDX-License-Identifier: MIT
 * Calls that can be known before the program runs: the language's constructors, and a little of Python's own.
 */
#include "front/host.h"

#include "front/mathlib.h"
#include "front/module.h"
#include "util/diag.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- arguments ---------------------------------------------------------------------------------------------------*/

const struct value *argument(const struct arguments *args, uint32_t position, const char *name)
{
    if (position < args->n)
        return args->values[position];
    for (uint32_t i = 0; name && i < args->n_named; i++)
        if (strcmp(args->names[args->n + i], name) == 0)
            return args->values[args->n + i];
    return NULL;
}

static int slot_of(const char *const *names, const char *name)
{
    for (int i = 0; names[i]; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return -1;
}

int arguments_check(struct eval *ev, const struct arguments *args, const char *what, uint32_t at_least,
    uint32_t at_most, const char *const *names)
{
    if (args->n > at_most) {
        eval_fail(
            ev, &args->call->loc, "call-arguments", "%s takes at most %u arguments, not %u", what, at_most, args->n);
        return 0;
    }
    for (uint32_t i = args->n; i < args->n + args->n_named; i++) {
        int slot = slot_of(names, args->names[i]);
        if (slot < 0)
            eval_fail(ev, &args->locs[i], "call-arguments", "%s has no argument '%s'", what, args->names[i]);
        else if ((uint32_t)slot < args->n)
            eval_fail(ev, &args->locs[i], "call-arguments", "%s is given '%s' twice", what, args->names[i]);
        else
            continue;
        return 0;
    }
    for (uint32_t i = args->n; i < at_least; i++)
        if (!argument(args, i, names[i])) {
            eval_fail(ev, &args->call->loc, "call-arguments", "%s needs '%s'", what, names[i]);
            return 0;
        }
    return 1;
}

static int read_arguments(struct eval *ev, const struct expr *e, struct arguments *args)
{
    tf_ctx *ctx = ev->front->ctx;
    uint32_t total = e->n_items + e->n_keywords;
    const struct value **values = CTX_ARRAY(ctx, const struct value *, total + 1);
    const char **names = CTX_ARRAY(ctx, const char *, total + 1);
    struct tf_loc *locs = CTX_ARRAY(ctx, struct tf_loc, total + 1);
    for (uint32_t i = 0; i < e->n_items; i++) {
        if (e->items[i]->kind == EXPR_STAR) {
            eval_fail(ev, &e->items[i]->loc, "not-static", "* in a call is not evaluated");
            return 0;
        }
        locs[i] = e->items[i]->loc;
        if (!(values[i] = eval_expr(ev, e->items[i])))
            return 0;
    }
    for (uint32_t i = 0; i < e->n_keywords; i++) {
        if (!e->keywords[i].name) {
            eval_fail(ev, &e->keywords[i].loc, "not-static", "** in a call is not evaluated");
            return 0;
        }
        names[e->n_items + i] = e->keywords[i].name;
        locs[e->n_items + i] = e->keywords[i].loc;
        if (!(values[e->n_items + i] = eval_expr(ev, e->keywords[i].value)))
            return 0;
    }
    *args = (struct arguments){e, e->n_items, e->n_keywords, values, names, locs};
    return 1;
}

/* ---- dimensions --------------------------------------------------------------------------------------------------*/

static const struct value *wrong(
    struct eval *ev, const struct arguments *args, const char *what, const char *wants, const struct value *got)
{
    return eval_fail(
        ev, &args->call->loc, "call-arguments", "%s must be %s, not %s", what, wants, value_kind_text(got->kind));
}

static const struct value *call_dim_var(struct eval *ev, const struct arguments *args)
{
    static const char *const names[] = {"name", "lo", "hi", NULL};
    if (!arguments_check(ev, args, "DimVar", 3, 3, names))
        return NULL;
    const struct value *name = argument(args, 0, "name"), *lo = argument(args, 1, "lo"), *hi = argument(args, 2, "hi");
    if (name->kind != VALUE_STRING)
        return wrong(ev, args, "the name of a DimVar", "a string", name);
    if (lo->kind != VALUE_INT || hi->kind != VALUE_INT)
        return wrong(ev, args, "a bound of a DimVar", "an int", lo->kind != VALUE_INT ? lo : hi);
    if (lo->u.i >= hi->u.i)
        return eval_fail(ev, &args->call->loc, "dimension",
            "the range [%" PRId64 ", %" PRId64 ") of DimVar '%s' is empty", lo->u.i, hi->u.i, name->u.s);
    const char *text = ctx_intern(ev->front->ctx, name->u.s);
    return value_dim(ev->front->ctx, dim_variable(ev->front->ctx, text, lo->u.i, hi->u.i));
}

static const struct value *call_dim_two(struct eval *ev, const struct arguments *args, uint32_t which)
{
    tf_ctx *ctx = ev->front->ctx;
    static const char *const names[] = {"a", "b", NULL};
    const char *what = which == BUILTIN_CEILDIV ? "ceildiv" : which == BUILTIN_DIM_MIN ? "dim_min" : "dim_max";
    if (!arguments_check(ev, args, what, 2, 2, names))
        return NULL;
    const struct tf_dim *d[2], *result = NULL;
    for (uint32_t i = 0; i < 2; i++)
        if (!(d[i] = value_as_dim(ctx, argument(args, i, names[i]))))
            return wrong(ev, args, "an argument here", "an int or a dimension", argument(args, i, names[i]));
    const char *why = "the dimension cannot be computed";
    if (which == BUILTIN_DIM_MIN)
        result = dim_min(ctx, d[0], d[1]);
    else if (which == BUILTIN_DIM_MAX)
        result = dim_max(ctx, d[0], d[1]);
    else if ((result = dim_add(ctx, d[0], d[1], &why)) && (result = dim_sub(ctx, result, dim_const(ctx, 1), &why)))
        result = dim_floordiv(ctx, result, d[1], &why);
    return result ? value_dim(ctx, result) : eval_fail(ev, &args->call->loc, "arithmetic", "%s", why);
}

static const struct value *call_pattern(struct eval *ev, const struct arguments *args)
{
    static const char *const names[] = {"name", "lo", "hi", NULL};
    if (!arguments_check(ev, args, "DimVarRangePat", 3, 3, names))
        return NULL;
    const struct value *name = argument(args, 0, "name"), *lo = argument(args, 1, "lo"), *hi = argument(args, 2, "hi");
    if (name->kind != VALUE_STRING)
        return wrong(ev, args, "the name in a DimVarRangePat", "a string", name);
    if (lo->kind != VALUE_INT || hi->kind != VALUE_INT)
        return wrong(ev, args, "a bound of a DimVarRangePat", "an int", lo->kind != VALUE_INT ? lo : hi);
    if (lo->u.i >= hi->u.i)
        return eval_fail(
            ev, &args->call->loc, "variant", "the range [%" PRId64 ", %" PRId64 ") is empty", lo->u.i, hi->u.i);
    struct pattern_value *p = CTX_NEW(ev->front->ctx, struct pattern_value);
    *p = (struct pattern_value){ctx_intern(ev->front->ctx, name->u.s), lo->u.i, hi->u.i};
    struct value *v = value_new(ev->front->ctx, VALUE_PATTERN);
    v->u.pattern = p;
    return v;
}

/* ---- machines ----------------------------------------------------------------------------------------------------*/

static const struct value *call_topology(struct eval *ev, const struct arguments *args)
{
    static const char *const names[] = {"name", "size", NULL};
    if (!arguments_check(ev, args, "Topology", 2, 2, names))
        return NULL;
    const struct value *name = argument(args, 0, "name"), *size = argument(args, 1, "size");
    const struct tf_dim *extent = value_as_dim(ev->front->ctx, size);
    int64_t number;
    if (name->kind != VALUE_STRING)
        return wrong(ev, args, "the name of a Topology", "a string", name);
    if (!extent)
        return wrong(ev, args, "the extent of a Topology", "an int", size);
    if (dim_is_const(extent, &number) && number < 1)
        return eval_fail(ev, &args->call->loc, "topology", "level '%s' has extent %" PRId64 "; it must be 1 or more",
            name->u.s, number);
    struct tf_topology *t = CTX_NEW(ev->front->ctx, struct tf_topology);
    *t = (struct tf_topology){ctx_intern(ev->front->ctx, name->u.s), extent};
    struct value *v = value_new(ev->front->ctx, VALUE_TOPOLOGY);
    v->u.topology = t;
    return v;
}

static const struct value *call_target(struct eval *ev, const struct arguments *args, uint32_t which)
{
    static const char *const names[] = {"device", NULL};
    static const char *const fallback[] = {"nvidia.h200_sxm", "cpu", "apple.m2_pro"};
    if (!arguments_check(ev, args, "a target", which == BUILTIN_CUDA_TARGET ? 1 : 0, 1, names))
        return NULL;
    const struct value *id = argument(args, 0, "device");
    if (id && id->kind != VALUE_STRING)
        return wrong(ev, args, "the id of a target", "a string", id);
    struct value *v = value_new(ev->front->ctx, VALUE_TARGET);
    v->u.s = id ? ctx_intern(ev->front->ctx, id->u.s) : fallback[which - BUILTIN_CUDA_TARGET];
    return v;
}

static const struct value *call_placement(struct eval *ev, const struct arguments *args, uint32_t which)
{
    static const char *const names[] = {"axis", NULL};
    static const char *const reductions[] = {"reduction", NULL};
    struct value *v = value_new(ev->front->ctx, VALUE_SPLIT);
    const struct value *arg;
    switch (which) {
    case BUILTIN_BROADCAST:
        if (!arguments_check(ev, args, "B", 0, 0, names))
            return NULL;
        v->u.shard = (struct tf_shard_attr){.kind = TF_ATTR_BROADCAST};
        return v;
    case BUILTIN_SPLIT:
        if (!arguments_check(ev, args, "S", 1, 1, names))
            return NULL;
        arg = argument(args, 0, "axis");
        if (arg->kind != VALUE_INT || arg->u.i < 0 || arg->u.i > INT32_MAX)
            return wrong(ev, args, "the position in S()", "an int from 0 on", arg);
        v->u.shard = (struct tf_shard_attr){.kind = TF_ATTR_SPLIT, .axis = (int32_t)arg->u.i};
        return v;
    default: break;
    }
    if (!arguments_check(ev, args, "P", 0, 1, reductions))
        return NULL;
    arg = argument(args, 0, "reduction");
    if (arg && arg->kind != VALUE_STRING)
        return wrong(ev, args, "the reduction in P()", "a string", arg);
    v->u.shard = (struct tf_shard_attr){
        .kind = TF_ATTR_PARTIAL, .reduction = arg ? ctx_intern(ev->front->ctx, arg->u.s) : "sum"};
    return v;
}

/* ---- Python's own ------------------------------------------------------------------------------------------------*/

static const struct value *python_range(struct eval *ev, const struct arguments *args)
{
    int64_t bound[3] = {0, 0, 1};
    tf_ctx *ctx = ev->front->ctx;
    if (args->n < 1 || args->n > 3 || args->n_named)
        return eval_fail(ev, &args->call->loc, "call-arguments", "range takes one to three ints");
    for (uint32_t i = 0; i < args->n; i++) {
        if (args->values[i]->kind != VALUE_INT)
            return wrong(ev, args, "an argument of range", "an int", args->values[i]);
        bound[args->n == 1 ? 1 : i] = args->values[i]->u.i;
    }
    if (bound[2] == 0)
        return eval_fail(ev, &args->call->loc, "arithmetic", "the step of range is 0");
    __int128 span = bound[2] > 0 ? (__int128)bound[1] - bound[0] : (__int128)bound[0] - bound[1];
    __int128 step = bound[2] > 0 ? bound[2] : -(__int128)bound[2];
    __int128 n = span > 0 ? (span + step - 1) / step : 0;
    if (!eval_size(ev, &args->call->loc, n > INT64_MAX ? UINT64_MAX : (uint64_t)n))
        return NULL;
    const struct value **items = CTX_ARRAY(ctx, const struct value *, (size_t)n + 1);
    for (int64_t i = 0; i < (int64_t)n; i++)
        items[i] = value_int(ctx, (int64_t)(bound[0] + (__int128)i * bound[2]));
    return value_items(ctx, VALUE_TUPLE, items, (uint32_t)n);
}

/* enumerate(xs), zip(xs, ys, ...): tuples side by side. */
static const struct value *python_zip(struct eval *ev, const struct arguments *args, int counted)
{
    tf_ctx *ctx = ev->front->ctx;
    uint32_t n = UINT32_MAX;
    const struct value *lists[8];
    if (args->n < 1 || args->n > 8 || args->n_named || (counted && args->n > 2))
        return eval_fail(ev, &args->call->loc, "call-arguments", "these arguments are not evaluated");
    int64_t first = counted && args->n == 2 && args->values[1]->kind == VALUE_INT ? args->values[1]->u.i : 0;
    uint32_t n_lists = counted ? 1 : args->n;
    for (uint32_t i = 0; i < n_lists; i++) {
        if (!(lists[i] = eval_iterate(ev, &args->call->loc, args->values[i])))
            return NULL;
        n = lists[i]->n < n ? lists[i]->n : n;
    }
    if (!eval_size(ev, &args->call->loc, n))
        return NULL;
    const struct value **rows = CTX_ARRAY(ctx, const struct value *, n + 1);
    for (uint32_t k = 0; k < n; k++) {
        const struct value *row[9];
        uint32_t width = 0;
        if (counted)
            row[width++] = value_int(ctx, first + k);
        for (uint32_t i = 0; i < n_lists; i++)
            row[width++] = lists[i]->u.items[k];
        rows[k] = value_items(ctx, VALUE_TUPLE, row, width);
    }
    return value_items(ctx, VALUE_TUPLE, rows, n);
}

static const struct value *python_collection(struct eval *ev, const struct arguments *args, uint32_t which)
{
    tf_ctx *ctx = ev->front->ctx;
    if (args->n > 1 || (args->n_named && which != BUILTIN_PY_DICT))
        return eval_fail(ev, &args->call->loc, "call-arguments", "one thing to go through is expected");
    if (which == BUILTIN_PY_DICT) {
        if (args->n == 1 && args->values[0]->kind == VALUE_DICT && !args->n_named)
            return args->values[0];
        if (args->n)
            return eval_fail(ev, &args->call->loc, "not-static", "this dict is not evaluated");
        const struct value **items = CTX_ARRAY(ctx, const struct value *, 2 * (size_t)args->n_named + 1);
        for (uint32_t i = 0; i < args->n_named; i++) {
            items[2 * i] = value_string(ctx, args->names[i]);
            items[2 * i + 1] = args->values[i];
        }
        return value_items(ctx, VALUE_DICT, items, 2 * args->n_named);
    }
    const struct value *from =
        args->n ? eval_iterate(ev, &args->call->loc, args->values[0]) : value_items(ctx, VALUE_TUPLE, NULL, 0);
    if (!from || !eval_size(ev, &args->call->loc, from->n))
        return NULL;
    if (which == BUILTIN_PY_SET || which == BUILTIN_PY_FROZENSET)
        return eval_set(ev, &args->call->loc, from);
    if (which != BUILTIN_PY_REVERSED)
        return value_items(ctx, which == BUILTIN_PY_LIST ? VALUE_LIST : VALUE_TUPLE, from->u.items, from->n);
    const struct value **items = CTX_ARRAY(ctx, const struct value *, from->n + 1);
    for (uint32_t i = 0; i < from->n; i++)
        items[i] = from->u.items[from->n - 1 - i];
    return value_items(ctx, VALUE_TUPLE, items, from->n);
}

static const struct value *python_sorted(struct eval *ev, const struct arguments *args)
{
    if (args->n != 1 || args->n_named)
        return eval_fail(ev, &args->call->loc, "not-static", "sorted with a key is not evaluated");
    const struct value *from = eval_iterate(ev, &args->call->loc, args->values[0]);
    if (!from)
        return NULL;
    if (from->n > 4096)
        return eval_fail(ev, &args->call->loc, "limit", "more than 4096 items are not sorted here");
    const struct value **items = CTX_ARRAY(ev->front->ctx, const struct value *, from->n + 1);
    for (uint32_t i = 0; i < from->n; i++) {
        uint32_t k = i;
        for (; k > 0; k--) {
            const struct value *less = eval_compare(ev, &args->call->loc, "<", from->u.items[i], items[k - 1]);
            if (!less)
                return NULL;
            if (!less->u.i)
                break;
            items[k] = items[k - 1];
        }
        items[k] = from->u.items[i];
    }
    return value_items(ev->front->ctx, VALUE_LIST, items, from->n);
}

/* sum, math.prod, min, max over one iterable or over the arguments. */
static const struct value *python_fold(struct eval *ev, const struct arguments *args, uint32_t which)
{
    struct value many = {.kind = VALUE_TUPLE, .n = args->n, .u.items = args->values};
    const struct value *from = args->n == 1 ? eval_iterate(ev, &args->call->loc, args->values[0]) : &many;
    int is_order = which == BUILTIN_PY_MIN || which == BUILTIN_PY_MAX;
    if (!from)
        return NULL;
    if (args->n_named || args->n == 0 || (is_order && from->n == 0) || (!is_order && args->n != 1))
        return eval_fail(ev, &args->call->loc, "call-arguments", "these arguments are not evaluated");
    const struct value *acc = is_order ? from->u.items[0] : value_int(ev->front->ctx, which == BUILTIN_MATH_PROD);
    for (uint32_t i = is_order ? 1 : 0; acc && i < from->n; i++) {
        const struct value *item = from->u.items[i];
        if (is_order) {
            const struct value *wins =
                eval_compare(ev, &args->call->loc, which == BUILTIN_PY_MIN ? "<" : ">", item, acc);
            acc = wins ? (wins->u.i ? item : acc) : NULL;
        } else {
            acc = eval_binary(ev, &args->call->loc, which == BUILTIN_MATH_PROD ? "*" : "+", acc, item);
        }
    }
    return acc;
}

static const struct value *float_to_int(struct eval *ev, const struct arguments *args, double f)
{
    if (!(f > -9223372036854775808.0 && f < 9223372036854775808.0))
        return eval_fail(ev, &args->call->loc, "overflow", "the number does not fit in 64 bits");
    return value_int(ev->front->ctx, (int64_t)f);
}

static const struct value *float_of_text(struct eval *ev, const struct arguments *args, const char *text)
{
    char *end;
    double f = strtod(text, &end);
    if (end == text || *end)
        return eval_fail(ev, &args->call->loc, "arithmetic", "'%s' is not a number", text);
    return value_float(ev->front->ctx, f);
}

static double round_half_even(double f)
{
    double down = double_floor(f), rest = f - down;
    if (rest != 0.5)
        return rest < 0.5 ? down : down + 1.0;
    return double_floor(down / 2.0) * 2.0 == down ? down : down + 1.0;
}

static const struct value *python_convert(struct eval *ev, const struct arguments *args, uint32_t which)
{
    tf_ctx *ctx = ev->front->ctx;
    if (args->n != 1 || args->n_named)
        return eval_fail(ev, &args->call->loc, "call-arguments", "one argument is expected");
    const struct value *v = args->values[0];
    switch (which) {
    case BUILTIN_PY_BOOL: return value_bool(value_truth(v));
    case BUILTIN_PY_STR: return value_string(ctx, value_text(ctx, v));
    case BUILTIN_PY_LEN:
        if (v->kind == VALUE_STRING)
            return value_int(ctx, (int64_t)strlen(v->u.s));
        if (value_is_sequence(v) || v->kind == VALUE_SET || v->kind == VALUE_DICT)
            return value_int(ctx, v->kind == VALUE_DICT ? v->n / 2 : v->n);
        return wrong(ev, args, "the argument of len", "a sequence", v);
    case BUILTIN_PY_FLOAT:
        if (v->kind == VALUE_STRING)
            return float_of_text(ev, args, v->u.s);
        break;
    default: break;
    }
    if (!value_is_number(v))
        return wrong(ev, args, "the argument", "a number", v);
    if (which == BUILTIN_PY_FLOAT)
        return value_float(ctx, value_number(v));
    if (which == BUILTIN_PY_ABS)
        return v->kind == VALUE_FLOAT ? value_float(ctx, v->u.f < 0 ? -v->u.f : v->u.f)
               : v->u.i < 0           ? eval_unary(ev, &args->call->loc, "-", v)
                                      : value_int(ctx, v->u.i);
    if (v->kind != VALUE_FLOAT)
        return value_int(ctx, v->u.i);
    return float_to_int(ev, args, which == BUILTIN_PY_ROUND ? round_half_even(v->u.f) : v->u.f);
}

static const struct value *math_gcd(struct eval *ev, const struct arguments *args)
{
    uint64_t g = 0;
    for (uint32_t i = 0; i < args->n; i++) {
        if (args->values[i]->kind != VALUE_INT)
            return wrong(ev, args, "an argument of gcd", "an int", args->values[i]);
        int64_t signed_item = args->values[i]->u.i;
        uint64_t b = signed_item < 0 ? 0 - (uint64_t)signed_item : (uint64_t)signed_item;
        while (b) {
            uint64_t r = g % b;
            g = b;
            b = r;
        }
    }
    return g > INT64_MAX ? eval_fail(ev, &args->call->loc, "overflow", "the result does not fit in 64 bits")
                         : value_int(ev->front->ctx, (int64_t)g);
}

/* Functions of one number that the library has under Python's name; lowest: where they begin to be defined. */
static const struct {
    uint32_t builtin;
    const char *name;
    double lowest;
    int above; /* lowest itself is left out */
} plain_math[] = {
    {BUILTIN_MATH_SQRT, "sqrt", 0, 0},
    {BUILTIN_MATH_EXP, "exp", -HUGE_VAL, 0},
    {BUILTIN_MATH_LOG, "log", 0, 1},
    {BUILTIN_MATH_LOG2, "log2", 0, 1},
    {BUILTIN_MATH_SIN, "sin", -HUGE_VAL, 0},
    {BUILTIN_MATH_COS, "cos", -HUGE_VAL, 0},
    {BUILTIN_MATH_TANH, "tanh", -HUGE_VAL, 0},
};

static const struct value *undefined_there(struct eval *ev, const struct arguments *args)
{
    return eval_fail(ev, &args->call->loc, "arithmetic", "the function is not defined there");
}

static const struct value *math_of_one(struct eval *ev, const struct arguments *args, uint32_t which, double x)
{
    double f;
    for (size_t i = 0; i < sizeof plain_math / sizeof *plain_math; i++) {
        if (plain_math[i].builtin != which)
            continue;
        if (x < plain_math[i].lowest || (plain_math[i].above && x <= plain_math[i].lowest) ||
            !math_one(plain_math[i].name, x, &f))
            return undefined_there(ev, args);
        return value_float(ev->front->ctx, f);
    }
    switch (which) {
    case BUILTIN_MATH_CEIL: return float_to_int(ev, args, -double_floor(-x));
    case BUILTIN_MATH_FLOOR: return float_to_int(ev, args, double_floor(x));
    case BUILTIN_MATH_ISQRT:
        return x >= 0 && math_one("sqrt", x, &f) ? float_to_int(ev, args, double_floor(f)) : undefined_there(ev, args);
    default: return undefined_there(ev, args);
    }
}

static const struct value *math_of_two(
    struct eval *ev, const struct arguments *args, uint32_t which, double x, double y)
{
    double f, g;
    if (which == BUILTIN_MATH_POW && math_two("pow", x, y, &f))
        return value_float(ev->front->ctx, f);
    if (which == BUILTIN_MATH_LOG && x > 0 && y > 0 && y != 1.0 && math_one("log", x, &f) && math_one("log", y, &g))
        return value_float(ev->front->ctx, f / g);
    return undefined_there(ev, args);
}

static const struct value *call_math(struct eval *ev, const struct arguments *args, uint32_t which)
{
    if (which == BUILTIN_MATH_GCD)
        return math_gcd(ev, args);
    if (which == BUILTIN_MATH_PROD)
        return python_fold(ev, args, which);
    if (args->n_named || args->n < 1 || args->n > 2)
        return eval_fail(ev, &args->call->loc, "call-arguments", "one number is expected");
    for (uint32_t i = 0; i < args->n; i++)
        if (!value_is_number(args->values[i]))
            return wrong(ev, args, "the argument", "a number", args->values[i]);
    double x = value_number(args->values[0]);
    return args->n == 2 ? math_of_two(ev, args, which, x, value_number(args->values[1]))
                        : math_of_one(ev, args, which, x);
}

static const struct value *call_dict(struct eval *ev, const struct arguments *args, const struct value *callee)
{
    const struct value *d = callee->self;
    tf_ctx *ctx = ev->front->ctx;
    if (callee->builtin == BUILTIN_METHOD_GET) {
        if (args->n < 1 || args->n > 2)
            return eval_fail(ev, &args->call->loc, "call-arguments", "get takes a key and a default");
        for (uint32_t i = d->n; i >= 2; i -= 2)
            if (value_equal(d->u.items[i - 2], args->values[0]))
                return d->u.items[i - 1];
        return args->n == 2 ? args->values[1] : &value_none;
    }
    const struct value **items = CTX_ARRAY(ctx, const struct value *, d->n / 2 + 1);
    for (uint32_t i = 0; i < d->n; i += 2)
        items[i / 2] = callee->builtin == BUILTIN_METHOD_KEYS     ? d->u.items[i]
                       : callee->builtin == BUILTIN_METHOD_VALUES ? d->u.items[i + 1]
                                                                  : value_items(ctx, VALUE_TUPLE, d->u.items + i, 2);
    return value_items(ctx, VALUE_TUPLE, items, d->n / 2);
}

static const struct value *call_from_name(struct eval *ev, const struct arguments *args)
{
    uint32_t number;
    if (args->n != 1 || args->values[0]->kind != VALUE_STRING || dtype_find(args->values[0]->u.s, &number) != 0)
        return eval_fail(ev, &args->call->loc, "dtype", "the name of a dtype is expected");
    return library_value(ev->front, dtype_info(number)->name);
}

/* ---- choosing ----------------------------------------------------------------------------------------------------*/

static const struct value *call_builtin(struct eval *ev, const struct arguments *args, const struct value *callee)
{
    uint32_t which = callee->builtin;
    switch (which) {
    case BUILTIN_DIM_VAR: return call_dim_var(ev, args);
    case BUILTIN_RANGE_PATTERN: return call_pattern(ev, args);
    case BUILTIN_CEILDIV:
    case BUILTIN_DIM_MIN:
    case BUILTIN_DIM_MAX: return call_dim_two(ev, args, which);
    case BUILTIN_MESH: return call_mesh(ev, args);
    case BUILTIN_TOPOLOGY: return call_topology(ev, args);
    case BUILTIN_LAYOUT: return call_layout(ev, args);
    case BUILTIN_SHARD_LAYOUT: return call_shard_layout(ev, args);
    case BUILTIN_SPLIT:
    case BUILTIN_BROADCAST:
    case BUILTIN_PARTIAL: return call_placement(ev, args, which);
    case BUILTIN_CUDA_TARGET:
    case BUILTIN_CPU_TARGET:
    case BUILTIN_AMX_TARGET: return call_target(ev, args, which);
    case BUILTIN_REPLACE: return module_replaced(ev, args);
    case BUILTIN_RENAMED:
    case BUILTIN_LOOKUP:
    case BUILTIN_ENTRY_FUNCTION: return module_method(ev, args, callee);
    case BUILTIN_FROM_NAME: return call_from_name(ev, args);
    case BUILTIN_METHOD_ITEMS:
    case BUILTIN_METHOD_KEYS:
    case BUILTIN_METHOD_VALUES:
    case BUILTIN_METHOD_GET: return call_dict(ev, args, callee);
    case BUILTIN_PY_RANGE: return python_range(ev, args);
    case BUILTIN_PY_ENUMERATE: return python_zip(ev, args, 1);
    case BUILTIN_PY_ZIP: return python_zip(ev, args, 0);
    case BUILTIN_PY_TUPLE:
    case BUILTIN_PY_LIST:
    case BUILTIN_PY_DICT:
    case BUILTIN_PY_SET:
    case BUILTIN_PY_FROZENSET:
    case BUILTIN_PY_REVERSED: return python_collection(ev, args, which);
    case BUILTIN_PY_SORTED: return python_sorted(ev, args);
    case BUILTIN_PY_SUM:
    case BUILTIN_PY_MIN:
    case BUILTIN_PY_MAX: return python_fold(ev, args, which);
    case BUILTIN_PY_INT:
    case BUILTIN_PY_FLOAT:
    case BUILTIN_PY_BOOL:
    case BUILTIN_PY_STR:
    case BUILTIN_PY_LEN:
    case BUILTIN_PY_ABS:
    case BUILTIN_PY_ROUND: return python_convert(ev, args, which);
    default: break;
    }
    if (which >= BUILTIN_MATH_SQRT)
        return call_math(ev, args, which);
    return eval_fail(ev, &args->call->loc, "not-static", "a call of '%s' is not known before the program runs",
        expr_text(ev->front->ctx, args->call->left));
}

const struct value *eval_call(struct eval *ev, const struct expr *e, const struct value *callee)
{
    struct arguments args;
    if (callee->kind != VALUE_BUILTIN)
        return eval_fail(ev, &e->loc, "not-static", "a call of '%s' is not known before the program runs",
            expr_text(ev->front->ctx, e->left));
    return read_arguments(ev, e, &args) ? call_builtin(ev, &args, callee) : NULL;
}

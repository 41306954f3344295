/* SPDX-License-Identifier: MIT */
#include "front/host.h"

#include "front/lower.h"
#include "front/module.h"
#include "front/types.h"
#include "plugin/registry.h"
#include "util/diag.h"
#include "util/vec.h"

#include <inttypes.h>
#include <string.h>

const struct value *eval_fail(struct eval *ev, const struct tf_loc *loc, const char *code, const char *format, ...)
{
    if (ev->fail.code)
        return NULL; /* the first reason is the one to tell */
    struct buf text = {0};
    va_list args;
    va_start(args, format);
    buf_vprintf(&text, format, args);
    va_end(args);
    ev->fail = (struct failure){
        .loc = *loc,
        .code = code,
        .text = arena_strndup(&ev->front->ctx->arena, buf_text(&text), strlen(buf_text(&text))),
    };
    buf_free(&text);
    return NULL;
}

void eval_report(struct eval *ev)
{
    if (ev->fail.code && !ev->fail.reported)
        ERROR(ev->front->ctx, &ev->fail.loc, ev->fail.code, "%s", ev->fail.text);
    ev->fail.reported = 1;
}

/* The parts of a dotted name, last first, as far as they are shown. */
const char *expr_text(tf_ctx *ctx, const struct expr *e)
{
    const char *part[8];
    size_t n = 0;
    struct buf out = {0};
    for (; e->kind == EXPR_ATTR && n < sizeof part / sizeof *part; e = e->left)
        part[n++] = e->name;
    buf_str(&out, e->kind == EXPR_NAME ? e->name : e->kind == EXPR_ATTR ? ".." : "(..)");
    while (n)
        buf_printf(&out, ".%s", part[--n]);
    const char *text = ctx_intern(ctx, buf_text(&out));
    buf_free(&out);
    return text;
}

/* ---- names -------------------------------------------------------------------------------------------------------*/

static const struct value *star_value(struct eval *ev, const char *name)
{
    const struct env *file = env_file(ev->env);
    const struct value *v = NULL;
    if (file->star_library)
        v = library_value(ev->front, name);
    if (!v && file->star_operators)
        v = library_op(ev->front, name);
    return v;
}

static const struct value *undefined(struct eval *ev, const struct expr *e)
{
    const char *near = env_suggest(ev->front, ev->env, e->name);
    if (near)
        return eval_fail(ev, &e->loc, "undefined-name", "'%s' is not defined here; did you mean '%s'?", e->name, near);
    return eval_fail(ev, &e->loc, "undefined-name", "'%s' is not defined here", e->name);
}

static const struct value *known(struct eval *ev, const struct expr *e, const struct value *v)
{
    if (v->kind == VALUE_POISON) {
        eval_fail(ev, &e->loc, "undefined-name", "'%s' was refused", e->name);
        ev->fail.reported = 1; /* where it was made */
        return NULL;
    }
    if (v->kind != VALUE_OPAQUE)
        return v;
    eval_fail(ev, &e->loc, "undefined-name", "the value of '%s' is not known%s%s", e->name, v->u.s ? ": " : "",
        v->u.s ? v->u.s : "");
    ev->fail.root = v->u.s; /* a name made of this one is not known for the same reason */
    ev->fail.root_loc = *v->where;
    return NULL;
}

static const struct value *eval_name(struct eval *ev, const struct expr *e)
{
    const struct value *v = ev->locals ? env_find(ev->locals, e->name, HOST_END) : NULL;
    if (!v && ev->lower)
        v = lower_static_name(ev->lower, e);
    if (!v && ev->lower)
        v = env_find_from_function(ev->env, e->name, ev->at);
    else if (!v)
        v = env_find(ev->env, e->name, ev->at);
    if (!v)
        v = star_value(ev, e->name);
    if (!v && !ev->lower)
        v = library_python(ev->front, e->name);
    if (!v)
        return undefined(ev, e);
    v = known(ev, e, v);
    return v && ev->lower ? lower_static(ev, v) : v;
}

/* ---- attributes --------------------------------------------------------------------------------------------------*/

static const struct value *method(struct eval *ev, const struct value *self, uint32_t builtin)
{
    struct value *v = value_new(ev->front->ctx, VALUE_BUILTIN);
    v->builtin = builtin;
    v->self = self;
    return v;
}

static const struct value *no_attribute(struct eval *ev, const struct value *owner, const struct expr *e)
{
    return eval_fail(ev, &e->loc, "attribute", "%s has no attribute '%s'", value_kind_text(owner->kind), e->name);
}

static const struct value *library_attribute(struct eval *ev, const struct value *owner, const struct expr *e)
{
    const struct value *v = NULL;
    switch (owner->u.i) {
    case LIBRARY_MATH: v = library_math(ev->front, e->name); break;
    case LIBRARY_OPERATORS: v = library_op(ev->front, e->name); break;
    case LIBRARY_DATACLASSES: v = strcmp(e->name, "replace") == 0 ? method(ev, NULL, BUILTIN_REPLACE) : NULL; break;
    default: break;
    }
    if (!v && owner->u.i != LIBRARY_MATH && owner->u.i != LIBRARY_DATACLASSES)
        v = library_value(ev->front, e->name);
    if (v)
        return v;
    if (owner->u.i == LIBRARY_OPERATORS) {
        const char *const *names;
        size_t n = registry_names(ev->front->ctx, "op", &names);
        const char *near = did_you_mean(e->name, names, n);
        if (near)
            return eval_fail(
                ev, &e->loc, "undefined-name", "there is no operator '%s'; did you mean '%s'?", e->name, near);
        return eval_fail(ev, &e->loc, "undefined-name", "there is no operator '%s'", e->name);
    }
    return eval_fail(ev, &e->loc, "undefined-name", "'%s' has no '%s' that is known here",
        expr_text(ev->front->ctx, e->left), e->name);
}

static const struct value *enum_attribute(struct eval *ev, const struct value *owner, const struct expr *e)
{
    const char *member = registry_enum_member(ev->front->ctx, owner->u.s, e->name);
    if (!member)
        return eval_fail(ev, &e->loc, "attribute", "%s has no member '%s'", owner->u.s, e->name);
    struct value *v = value_new(ev->front->ctx, VALUE_STRING);
    v->u.s = member;
    v->enumeration = owner->u.s;
    return v;
}

static const struct value *builtin_attribute(struct eval *ev, const struct value *owner, const struct expr *e)
{
    uint32_t number;
    if (owner->builtin == BUILTIN_DTYPE) {
        if (dtype_find(e->name, &number) == 0 || strcmp(e->name, "from_name") == 0)
            return strcmp(e->name, "from_name") == 0 ? method(ev, NULL, BUILTIN_FROM_NAME)
                                                     : library_value(ev->front, e->name);
    } else if (owner->builtin == BUILTIN_STORAGE) {
        for (number = 0; number < TF_STORAGE_COUNT; number++)
            if (strcasecmp(storage_name(number), e->name) == 0)
                return library_value(ev->front, storage_name(number));
    }
    return no_attribute(ev, owner, e);
}

static const struct value *dict_method(struct eval *ev, const struct value *owner, const struct expr *e)
{
    static const struct {
        const char *name;
        uint32_t builtin;
    } methods[] = {{"items", BUILTIN_METHOD_ITEMS}, {"keys", BUILTIN_METHOD_KEYS}, {"values", BUILTIN_METHOD_VALUES},
        {"get", BUILTIN_METHOD_GET}};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (strcmp(methods[i].name, e->name) == 0)
            return method(ev, owner, methods[i].builtin);
    return no_attribute(ev, owner, e);
}

static const struct value *function_attribute(struct eval *ev, const struct value *owner, const struct expr *e)
{
    if (strcmp(e->name, "specialize") == 0)
        return method(ev, owner, BUILTIN_SPECIALIZE);
    if (strcmp(e->name, "converter") == 0)
        return method(ev, owner, BUILTIN_CONVERTER);
    return no_attribute(ev, owner, e);
}

const struct value *eval_attribute(struct eval *ev, const struct value *owner, const struct expr *e)
{
    const struct value *v;
    switch (owner->kind) {
    case VALUE_LIBRARY: return library_attribute(ev, owner, e);
    case VALUE_ENUM: return enum_attribute(ev, owner, e);
    case VALUE_BUILTIN: return builtin_attribute(ev, owner, e);
    case VALUE_DICT: return dict_method(ev, owner, e);
    case VALUE_FUNCTION: return function_attribute(ev, owner, e);
    case VALUE_MODULE: return module_attribute(ev, owner, e);
    case VALUE_SPACE:
        v = env_here(owner->u.space, e->name, HOST_END);
        return v ? known(ev, e, v) : no_attribute(ev, owner, e);
    case VALUE_STRING:
        if (owner->enumeration && strcmp(e->name, "value") == 0)
            return value_string(ev->front->ctx, owner->u.s);
        return no_attribute(ev, owner, e);
    case VALUE_TOPOLOGY:
        if (strcmp(e->name, "name") == 0)
            return value_string(ev->front->ctx, owner->u.topology->name);
        if (strcmp(e->name, "size") == 0 || strcmp(e->name, "extent") == 0)
            return value_dim(ev->front->ctx, owner->u.topology->extent);
        return no_attribute(ev, owner, e);
    default: return no_attribute(ev, owner, e);
    }
}

/* ---- the rest ----------------------------------------------------------------------------------------------------*/

static const struct value *eval_items(struct eval *ev, const struct expr *e, enum value_kind kind)
{
    const struct value **items = CTX_ARRAY(ev->front->ctx, const struct value *, e->n_items ? e->n_items : 1);
    for (uint32_t i = 0; i < e->n_items; i++)
        if (!(items[i] = eval_expr(ev, e->items[i])))
            return NULL;
    struct value *v = value_new(ev->front->ctx, kind);
    v->n = e->n_items;
    v->u.items = items;
    return kind == VALUE_SET ? eval_set(ev, &e->loc, v) : v;
}

static const struct value *eval_dict(struct eval *ev, const struct expr *e)
{
    const struct value **items = CTX_ARRAY(ev->front->ctx, const struct value *, 2 * (size_t)e->n_items + 1);
    for (uint32_t i = 0; i < e->n_items; i++) {
        if (!e->items[i])
            return eval_fail(ev, &e->loc, "not-static", "a dict with ** is not known before the program runs");
        if (!(items[2 * i] = eval_expr(ev, e->items[i])) || !(items[2 * i + 1] = eval_expr(ev, e->values[i])))
            return NULL;
    }
    struct value *v = value_new(ev->front->ctx, VALUE_DICT);
    v->n = 2 * e->n_items;
    v->u.items = items;
    return v;
}

static const struct value *eval_format(struct eval *ev, const struct expr *e)
{
    struct buf text = {0};
    for (uint32_t i = 0; i < e->n_items; i++) {
        const struct expr *part = e->items[i];
        if (part->kind == EXPR_FORMAT) {
            buf_free(&text);
            return eval_fail(ev, &part->loc, "not-static", "a format or conversion in an f-string is not evaluated");
        }
        const struct value *v = eval_expr(ev, part);
        if (!v) {
            buf_free(&text);
            return NULL;
        }
        value_print(&text, v);
    }
    const struct value *v = value_string(ev->front->ctx, ctx_intern(ev->front->ctx, buf_text(&text)));
    buf_free(&text);
    return v;
}

static const struct value *eval_comparison(struct eval *ev, const struct expr *e)
{
    const struct value *left = eval_expr(ev, e->left), *result = &value_true;
    for (uint32_t i = 0; left && i < e->n_items; i++) {
        const struct value *right = eval_expr(ev, e->items[i]);
        if (!right)
            return NULL;
        result = eval_compare(ev, &e->loc, e->ops[i], left, right);
        if (!result || !value_truth(result))
            return result;
        left = right;
    }
    return left ? result : NULL;
}

static const struct value *eval_logic(struct eval *ev, const struct expr *e)
{
    int stop_at = strcmp(e->op, "or") == 0;
    const struct value *v = NULL;
    for (uint32_t i = 0; i < e->n_items; i++) {
        v = eval_expr(ev, e->items[i]);
        if (!v || value_truth(v) == stop_at)
            return v;
    }
    return v;
}

static const struct value *eval_conditional(struct eval *ev, const struct expr *e)
{
    const struct value *condition = eval_expr(ev, e->left);
    if (!condition)
        return NULL;
    return eval_expr(ev, value_truth(condition) ? e->right : e->third);
}

static const struct value *eval_two(struct eval *ev, const struct expr *e, const struct value *a)
{
    const struct value *b = eval_expr(ev, e->right);
    return b ? eval_binary(ev, &e->loc, e->op, a, b) : NULL;
}

static const struct value *eval_one(struct eval *ev, const struct expr *e)
{
    const struct value *a = eval_expr(ev, e->left);
    return a ? eval_unary(ev, &e->loc, e->op, a) : NULL;
}

static const struct value *eval_slice(struct eval *ev, const struct expr *e)
{
    const struct expr *part[3] = {e->left, e->right, e->third};
    const struct value *items[3] = {NULL, NULL, NULL};
    for (int i = 0; i < 3; i++)
        if (part[i] && !(items[i] = eval_expr(ev, part[i])))
            return NULL;
    return value_items(ev->front->ctx, VALUE_SLICE, items, 3);
}

/* Tensor[...] and tuple[...] at the host level give types; all else is indexing. */
static const struct value *eval_indexed(struct eval *ev, const struct expr *e, const struct value *owner)
{
    if (owner->kind != VALUE_BUILTIN)
        return eval_subscript(ev, e, owner);
    const struct tf_type *type = type_read(ev, e, NULL);
    if (!type)
        return NULL;
    struct value *v = value_new(ev->front->ctx, VALUE_TYPE);
    v->u.type = type;
    return v;
}

static const struct value *eval_int(struct eval *ev, const struct expr *e)
{
    if (!e->fits64)
        return eval_fail(ev, &e->loc, "overflow", "the integer %.40s%s does not fit in 64 bits", e->name,
            strlen(e->name) > 40 ? "..." : "");
    return value_int(ev->front->ctx, e->i);
}

static int count_step(struct eval *ev, const struct expr *e)
{
    uint64_t limit = ev->front->ctx->limits.steps;
    if (++ev->front->steps <= limit)
        return 1;
    eval_fail(
        ev, &e->loc, "limit", "more than %" PRIu64 " steps of static evaluation; --limit steps=N allows more", limit);
    return 0;
}

int eval_size(struct eval *ev, const struct tf_loc *loc, uint64_t n)
{
    const struct limits *limits = &ev->front->ctx->limits;
    if (n > limits->elements)
        eval_fail(ev, loc, "limit", "more than %" PRIu64 " elements; --limit elements=N allows more", limits->elements);
    else if ((ev->front->steps += n) > limits->steps)
        eval_fail(ev, loc, "limit", "more than %" PRIu64 " steps of static evaluation; --limit steps=N allows more",
            limits->steps);
    else
        return 1;
    return 0;
}

/* What does not lean left. */
static const struct value *eval_leaf(struct eval *ev, const struct expr *e)
{
    tf_ctx *ctx = ev->front->ctx;
    if (!count_step(ev, e))
        return NULL;
    switch (e->kind) {
    case EXPR_NAME: return eval_name(ev, e);
    case EXPR_INT: return eval_int(ev, e);
    case EXPR_FLOAT: return value_float(ctx, e->f);
    case EXPR_STRING: return value_string(ctx, e->name);
    case EXPR_FSTRING: return eval_format(ev, e);
    case EXPR_TRUE: return &value_true;
    case EXPR_FALSE: return &value_false;
    case EXPR_NONE: return &value_none;
    case EXPR_SLICE: return eval_slice(ev, e);
    case EXPR_TUPLE: return eval_items(ev, e, VALUE_TUPLE);
    case EXPR_LIST: return eval_items(ev, e, VALUE_LIST);
    case EXPR_SET: return eval_items(ev, e, VALUE_SET);
    case EXPR_DICT: return eval_dict(ev, e);
    case EXPR_COMP: return eval_comprehension(ev, e);
    case EXPR_UNARY: return eval_one(ev, e);
    case EXPR_COMPARE: return eval_comparison(ev, e);
    case EXPR_BOOL: return eval_logic(ev, e);
    case EXPR_IFEXP: return eval_conditional(ev, e);
    case EXPR_LAMBDA: {
        struct value *v = value_new(ctx, VALUE_DEF);
        v->u.s = "lambda";
        return v;
    }
    default: break;
    }
    return eval_fail(ev, &e->loc, "not-static", "this expression is not known before the program runs");
}

static const struct value *eval_step(struct eval *ev, const struct expr *e, const struct value *left)
{
    if (!count_step(ev, e))
        return NULL;
    switch (e->kind) {
    case EXPR_ATTR: return eval_attribute(ev, left, e);
    case EXPR_CALL: return eval_call(ev, e, left);
    case EXPR_SUBSCRIPT: return eval_indexed(ev, e, left);
    default: return eval_two(ev, e, left);
    }
}

static int leans_left(const struct expr *e)
{
    return e->kind == EXPR_ATTR || e->kind == EXPR_CALL || e->kind == EXPR_SUBSCRIPT || e->kind == EXPR_BINARY;
}

/* What leans left may be very long (a + b + c + ...), so it is gone down by a loop. */
const struct value *eval_expr(struct eval *ev, const struct expr *e)
{
    VEC(const struct expr *) spine = {0};
    for (; leans_left(e); e = e->left)
        VEC_PUSH(&spine, e);
    const struct value *v = eval_leaf(ev, e);
    while (v && spine.n)
        v = eval_step(ev, spine.at[--spine.n], v);
    VEC_FREE(&spine);
    return v;
}

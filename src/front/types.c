/* SPDX-License-Identifier: MIT */
#include "front/types.h"

#include "front/lower.h"
#include "util/diag.h"

#include <inttypes.h>
#include <string.h>

/* ---- words -------------------------------------------------------------------------------------------------------*/

static int unknown_word(
    struct eval *ev, const struct tf_loc *loc, const char *what, const char *word, const char *const *names, size_t n)
{
    const char *near = did_you_mean(word, names, n);
    struct buf list = {0};
    for (size_t i = 0; i < n; i++)
        buf_printf(&list, "%s%s", i ? ", " : "", names[i]);
    if (near)
        eval_fail(ev, loc, what, "there is no %s '%s'; did you mean '%s'?", what, word, near);
    else
        eval_fail(ev, loc, what, "there is no %s '%s'; there are %s", what, word, buf_text(&list));
    buf_free(&list);
    return 0;
}

static int dtype_word(struct eval *ev, const struct tf_loc *loc, const char *word, uint32_t *dtype)
{
    const char *names[TF_DTYPE_COUNT];
    if (dtype_find(word, dtype) == 0)
        return 1;
    for (uint32_t i = 0; i < TF_DTYPE_COUNT; i++)
        names[i] = dtype_info(i)->name;
    return unknown_word(ev, loc, "dtype", word, names, TF_DTYPE_COUNT);
}

static int storage_word(struct eval *ev, const struct tf_loc *loc, const char *word, uint32_t *storage)
{
    const char *names[TF_STORAGE_COUNT];
    if (storage_find(word, storage) == 0)
        return 1;
    for (uint32_t i = 0; i < TF_STORAGE_COUNT; i++)
        names[i] = storage_name(i);
    return unknown_word(ev, loc, "storage", word, names, TF_STORAGE_COUNT);
}

/* A bare word of the language needs no import, unless the program gave the name another meaning. */
static const struct value *word_or_value(struct eval *ev, const struct expr *e, int is_word)
{
    if (e->kind != EXPR_NAME || !is_word)
        return eval_expr(ev, e);
    struct eval quiet = *ev;
    const struct value *v = eval_expr(&quiet, e);
    return v ? v : library_value(ev->front, e->name);
}

int dtype_read(struct eval *ev, const struct expr *e, uint32_t *dtype)
{
    if (e->kind == EXPR_STRING)
        return dtype_word(ev, &e->loc, e->name, dtype);
    const struct value *v = word_or_value(ev, e, e->kind == EXPR_NAME && dtype_find(e->name, dtype) == 0);
    if (!v)
        return 0;
    if (v->kind == VALUE_STRING)
        return dtype_word(ev, &e->loc, v->u.s, dtype);
    *dtype = (uint32_t)v->u.i;
    if (v->kind != VALUE_DTYPE)
        eval_fail(ev, &e->loc, "dtype", "a dtype is expected here, not %s", value_kind_text(v->kind));
    return v->kind == VALUE_DTYPE;
}

int storage_read(struct eval *ev, const struct expr *e, uint32_t *storage)
{
    if (e->kind == EXPR_STRING)
        return storage_word(ev, &e->loc, e->name, storage);
    const struct value *v = word_or_value(ev, e, e->kind == EXPR_NAME && storage_find(e->name, storage) == 0);
    if (!v)
        return 0;
    if (v->kind == VALUE_STRING)
        return storage_word(ev, &e->loc, v->u.s, storage);
    *storage = (uint32_t)v->u.i;
    if (v->kind != VALUE_STORAGE)
        eval_fail(ev, &e->loc, "storage", "a storage is expected here, not %s", value_kind_text(v->kind));
    return v->kind == VALUE_STORAGE;
}

/* ---- shapes ------------------------------------------------------------------------------------------------------*/

static const struct tf_dim *dim_checked(struct eval *ev, const struct tf_loc *loc, const struct value *v)
{
    const struct tf_dim *d = value_as_dim(ev->front->ctx, v);
    if (!d)
        eval_fail(ev, loc, "shape", "a dimension is an int or made of DimVars, not %s", value_kind_text(v->kind));
    else if (d->kind == TF_DIM_CONST && d->value < 0) {
        eval_fail(ev, loc, "shape", "a dimension cannot be negative, and this is %" PRId64, d->value);
        return NULL;
    }
    return d;
}

/* What a dimension may be written as.  The host level evaluates more; here it would hide a mistake. */
static int dim_form(struct eval *ev, const struct expr *e)
{
    static const char *const OPERATORS[] = {"+", "-", "*", "//", "%"};
    int fits = e->kind == EXPR_INT || e->kind == EXPR_NAME || e->kind == EXPR_ATTR;
    if (e->kind == EXPR_BINARY)
        for (size_t i = 0; i < sizeof(OPERATORS) / sizeof(*OPERATORS); i++)
            if (strcmp(e->op, OPERATORS[i]) == 0)
                return dim_form(ev, e->left) && dim_form(ev, e->right);
    if (e->kind == EXPR_CALL && !e->n_keywords) {
        fits = 1;
        for (uint32_t i = 0; i < e->n_items; i++)
            if (!dim_form(ev, e->items[i]))
                return 0;
    }
    /* a number that is no dimension is told by its value */
    if (!fits && e->kind != EXPR_FLOAT && e->kind != EXPR_STRING && e->kind != EXPR_TRUE && e->kind != EXPR_FALSE &&
        !(e->kind == EXPR_UNARY && strcmp(e->op, "-") == 0 && e->left->kind == EXPR_INT)) {
        eval_fail(ev, &e->loc, "shape",
            "a dimension is written as a number, a name, a call, or + - * // %% of those: give it a name before the "
            "function");
        return 0;
    }
    return 1;
}

const struct tf_dim *dim_read(struct eval *ev, const struct expr *e)
{
    const struct value *v = dim_form(ev, e) ? eval_expr(ev, e) : NULL;
    return v ? dim_checked(ev, &e->loc, lower_static(ev, v)) : NULL;
}

static int rank_fits(struct eval *ev, const struct tf_loc *loc, uint32_t n)
{
    uint64_t most = ev->front->ctx->limits.rank < TF_MAX_RANK ? ev->front->ctx->limits.rank : TF_MAX_RANK;
    if (n > most)
        eval_fail(ev, loc, "limit",
            "%u axes, and at most %" PRIu64 " are allowed; --limit rank=N, up to %d, allows more", n, most,
            TF_MAX_RANK);
    return n <= most;
}

/* A tuple of dimensions, or something whose value is one. */
static const struct tf_dim **shape_read(struct eval *ev, const struct expr *e, uint32_t *n)
{
    if (e->kind == EXPR_TUPLE) {
        if (!rank_fits(ev, &e->loc, e->n_items))
            return NULL;
        const struct tf_dim **shape = CTX_ARRAY(ev->front->ctx, const struct tf_dim *, e->n_items + 1);
        for (uint32_t i = 0; i < e->n_items; i++)
            if (!(shape[i] = dim_read(ev, e->items[i])))
                return NULL;
        *n = e->n_items;
        return shape;
    }
    const struct value *v = NULL;
    if (e->kind != EXPR_NAME && e->kind != EXPR_ATTR)
        eval_fail(ev, &e->loc, "shape", "a shape is a tuple of dimensions, such as (4, 8) or (4,), or a name of one");
    else
        v = eval_expr(ev, e);
    if (v)
        v = lower_static(ev, v);
    if (!v || !value_is_sequence(v)) {
        if (v)
            eval_fail(ev, &e->loc, "shape", "a shape is a tuple of dimensions, such as (4, 8) or (4,), not %s",
                value_kind_text(v->kind));
        return NULL;
    }
    if (!rank_fits(ev, &e->loc, v->n))
        return NULL;
    const struct tf_dim **shape = CTX_ARRAY(ev->front->ctx, const struct tf_dim *, v->n + 1);
    for (uint32_t i = 0; i < v->n; i++)
        if (!(shape[i] = dim_checked(ev, &e->loc, v->u.items[i])))
            return NULL;
    *n = v->n;
    return shape;
}

/* ---- Tensor[...] -------------------------------------------------------------------------------------------------*/

/* Whether the third of three slots is a layout, by what it is; a storage otherwise. */
static int slot_is_layout(struct eval *ev, const struct expr *e)
{
    uint32_t storage;
    if (e->kind == EXPR_NONE || e->kind == EXPR_TUPLE || e->kind == EXPR_CALL)
        return 1;
    if (e->kind != EXPR_NAME && e->kind != EXPR_ATTR)
        return 0;
    if (e->kind == EXPR_NAME && storage_find(e->name, &storage) == 0)
        return 0;
    struct eval quiet = *ev;
    const struct value *v = eval_expr(&quiet, e);
    return v && v->kind == VALUE_LAYOUT;
}

static const struct tf_type *tensor_read(struct eval *ev, const struct expr *e)
{
    const struct expr *slots = e->right;
    uint32_t rank = 0, dtype = 0, storage = TF_STORAGE_GMEM, n = slots->kind == EXPR_TUPLE ? slots->n_items : 1;
    const struct tf_dim **shape;
    const struct tf_layout *layout = NULL;
    int none = 0;
    if (slots->kind != EXPR_TUPLE || n < 2 || n > 4) {
        eval_fail(ev, &e->loc, "type", "Tensor[shape, dtype] with an optional layout and storage is expected");
        return NULL;
    }
    int has_layout = n == 4 || (n == 3 && slot_is_layout(ev, slots->items[2]));
    if (!has_layout && is_placed(slots->items[0])) {
        rank = slots->items[0]->n_items;
        if (!rank_fits(ev, &slots->items[0]->loc, rank))
            return NULL;
        shape = CTX_ARRAY(ev->front->ctx, const struct tf_dim *, rank + 1);
        if (!(layout = placed_read(ev, slots->items[0], shape)))
            return NULL;
    } else if (!(shape = shape_read(ev, slots->items[0], &rank))) {
        return NULL;
    }
    if (!dtype_read(ev, slots->items[1], &dtype))
        return NULL;
    if (has_layout && !(layout = layout_read(ev, slots->items[2], &none)) && !none)
        return NULL;
    if (n == (has_layout ? 4u : 3u) && !storage_read(ev, slots->items[n - 1], &storage))
        return NULL;
    return type_tensor(ev->front->ctx, dtype, rank, shape, layout, storage);
}

static const struct tf_type *tuple_read(struct eval *ev, const struct expr *e)
{
    const struct expr *one[1] = {e->right};
    int many = e->right->kind == EXPR_TUPLE;
    uint32_t n = many ? e->right->n_items : 1;
    const struct tf_type **fields = CTX_ARRAY(ev->front->ctx, const struct tf_type *, n + 1);
    for (uint32_t i = 0; i < n; i++)
        if (!(fields[i] = type_read(ev, many ? e->right->items[i] : one[0], NULL)))
            return NULL;
    return type_tuple(ev->front->ctx, n, fields);
}

/* The head of a subscript as a builtin's number; Python's tuple and bare Tensor need no import of ours. */
static uint32_t head_of(struct eval *ev, const struct expr *e)
{
    const struct expr *head = e->left;
    if (head->kind == EXPR_NAME && strcmp(head->name, "tuple") == 0)
        return BUILTIN_PY_TUPLE;
    if (head->kind != EXPR_NAME && head->kind != EXPR_ATTR)
        return BUILTIN_NOTHING;
    struct eval quiet = *ev;
    const struct value *v = eval_expr(&quiet, head);
    if (v)
        return v->kind == VALUE_BUILTIN ? v->builtin : BUILTIN_NOTHING;
    v = library_value(ev->front, head->name);
    return v && v->kind == VALUE_BUILTIN ? v->builtin : BUILTIN_NOTHING;
}

const struct tf_type *type_read(struct eval *ev, const struct expr *e, uint32_t *is_weight)
{
    if (e->kind == EXPR_SUBSCRIPT) {
        uint32_t head = head_of(ev, e);
        if (is_weight)
            *is_weight = head == BUILTIN_CONST_TENSOR;
        if (head == BUILTIN_TENSOR || head == BUILTIN_CONST_TENSOR)
            return tensor_read(ev, e);
        if (head == BUILTIN_PY_TUPLE)
            return tuple_read(ev, e);
    }
    if (e->kind == EXPR_NAME || e->kind == EXPR_ATTR) {
        const struct value *v = eval_expr(ev, e);
        if (!v || v->kind == VALUE_TYPE)
            return v ? v->u.type : NULL;
        eval_fail(ev, &e->loc, "type", "a type is expected here, and '%s' is %s", expr_text(ev->front->ctx, e),
            value_kind_text(v->kind));
        return NULL;
    }
    eval_fail(
        ev, &e->loc, "type", "a type is expected here: Tensor[...], ConstTensor[...], tuple[...] or the name of one");
    return NULL;
}

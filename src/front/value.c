/* SPDX-License-Identifier: MIT */
#include "front/value.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const struct value value_none = {.kind = VALUE_NONE};
const struct value value_true = {.kind = VALUE_BOOL, .u.i = 1};
const struct value value_false = {.kind = VALUE_BOOL, .u.i = 0};
const struct value value_poison = {.kind = VALUE_POISON};

const char *value_kind_text(enum value_kind kind)
{
    static const char *const text[] = {
#define X(name, words) words,
        VALUE_KINDS(X)
#undef X
    };
    return text[kind];
}

struct value *value_new(tf_ctx *ctx, enum value_kind kind)
{
    struct value *v = CTX_NEW(ctx, struct value);
    v->kind = kind;
    return v;
}

const struct value *value_bool(int truth)
{
    return truth ? &value_true : &value_false;
}

const struct value *value_int(tf_ctx *ctx, int64_t i)
{
    struct value *v = value_new(ctx, VALUE_INT);
    v->u.i = i;
    return v;
}

const struct value *value_float(tf_ctx *ctx, double f)
{
    struct value *v = value_new(ctx, VALUE_FLOAT);
    v->u.f = f;
    return v;
}

const struct value *value_string(tf_ctx *ctx, const char *s)
{
    struct value *v = value_new(ctx, VALUE_STRING);
    v->u.s = s;
    return v;
}

const struct value *value_dim(tf_ctx *ctx, const struct tf_dim *dim)
{
    int64_t number;
    if (dim_is_const(dim, &number))
        return value_int(ctx, number);
    struct value *v = value_new(ctx, VALUE_DIM);
    v->u.dim = dim;
    return v;
}

const struct value *value_items(tf_ctx *ctx, enum value_kind kind, const struct value *const *items, uint32_t n)
{
    struct value *v = value_new(ctx, kind);
    v->n = n;
    if (n)
        v->u.items = arena_copy(&ctx->arena, items, n * sizeof(*items));
    return v;
}

int value_is_number(const struct value *v)
{
    return v->kind == VALUE_BOOL || v->kind == VALUE_INT || v->kind == VALUE_FLOAT;
}

int value_is_sequence(const struct value *v)
{
    return v->kind == VALUE_TUPLE || v->kind == VALUE_LIST;
}

double value_number(const struct value *v)
{
    return v->kind == VALUE_FLOAT ? v->u.f : (double)v->u.i;
}

int value_truth(const struct value *v)
{
    switch (v->kind) {
    case VALUE_NONE: return 0;
    case VALUE_BOOL:
    case VALUE_INT: return v->u.i != 0;
    case VALUE_FLOAT: return v->u.f != 0.0;
    case VALUE_STRING: return v->u.s[0] != '\0';
    case VALUE_TUPLE:
    case VALUE_LIST:
    case VALUE_SET:
    case VALUE_DICT: return v->n != 0;
    default: return 1;
    }
}

static int items_equal(const struct value *a, const struct value *b)
{
    if (a->n != b->n)
        return 0;
    for (uint32_t i = 0; i < a->n; i++)
        if (!value_equal(a->u.items[i], b->u.items[i]))
            return 0;
    return 1;
}

int value_equal(const struct value *a, const struct value *b)
{
    if (a == b)
        return 1;
    if (!a || !b)
        return 0;
    if (value_is_number(a) && value_is_number(b)) {
        if (a->kind == VALUE_FLOAT || b->kind == VALUE_FLOAT)
            return value_number(a) == value_number(b);
        return a->u.i == b->u.i;
    }
    if (a->kind != b->kind)
        return 0;
    switch (a->kind) {
    case VALUE_NONE: return 1;
    case VALUE_DTYPE:
    case VALUE_STORAGE: return a->u.i == b->u.i;
    case VALUE_STRING: return strcmp(a->u.s, b->u.s) == 0;
    case VALUE_DIM: return a->u.dim == b->u.dim;
    case VALUE_TYPE: return type_equal(a->u.type, b->u.type);
    case VALUE_TUPLE:
    case VALUE_LIST:
    case VALUE_SET:
    case VALUE_DICT: return items_equal(a, b);
    case VALUE_MODULE: return a->u.module == b->u.module;
    case VALUE_FUNCTION: return a->u.function == b->u.function;
    default: return 0;
    }
}

const struct tf_dim *value_as_dim(tf_ctx *ctx, const struct value *v)
{
    if (v->kind == VALUE_INT)
        return dim_const(ctx, v->u.i);
    return v->kind == VALUE_DIM ? v->u.dim : NULL;
}

const struct tf_layout *layout_finished(tf_ctx *ctx, const struct tf_layout *layout)
{
    if (layout->kind != TF_LAYOUT_PLAIN || layout->strides)
        return layout;
    return layout_plain(ctx, layout->rank, layout->shape, NULL);
}

static int tuple_as_val(tf_ctx *ctx, const struct value *v, struct tf_val *val)
{
    struct tf_val *items = CTX_ARRAY(ctx, struct tf_val, v->n ? v->n : 1);
    for (uint32_t i = 0; i < v->n; i++)
        if (!value_as_val(ctx, v->u.items[i], &items[i]))
            return 0;
    *val = (struct tf_val){.kind = TF_VAL_TUPLE, .count = v->n, .u.items = items};
    return 1;
}

int value_as_val(tf_ctx *ctx, const struct value *v, struct tf_val *val)
{
    *val = (struct tf_val){0};
    switch (v->kind) {
    case VALUE_NONE: val->kind = TF_VAL_NONE; return 1;
    case VALUE_BOOL:
        val->kind = TF_VAL_BOOL;
        val->u.i = v->u.i;
        return 1;
    case VALUE_INT:
        val->kind = TF_VAL_INT;
        val->u.i = v->u.i;
        return 1;
    case VALUE_FLOAT:
        val->kind = TF_VAL_FLOAT;
        val->u.f = v->u.f;
        return 1;
    case VALUE_STRING:
        val->kind = TF_VAL_STRING;
        val->u.s = ctx_intern(ctx, v->u.s);
        return 1;
    case VALUE_DTYPE:
        val->kind = TF_VAL_DTYPE;
        val->u.i = v->u.i;
        return 1;
    case VALUE_STORAGE:
        val->kind = TF_VAL_STORAGE;
        val->u.i = v->u.i;
        return 1;
    case VALUE_DIM:
        val->kind = TF_VAL_DIM;
        val->u.dim = v->u.dim;
        return 1;
    case VALUE_TYPE:
        val->kind = TF_VAL_TYPE;
        val->u.type = v->u.type;
        return 1;
    case VALUE_LAYOUT:
        val->kind = TF_VAL_LAYOUT;
        val->u.layout = layout_finished(ctx, v->u.layout);
        return 1;
    case VALUE_MESH:
        val->kind = TF_VAL_MESH;
        val->u.mesh = v->u.mesh->mesh;
        return v->u.mesh->mesh != NULL;
    case VALUE_TUPLE:
    case VALUE_LIST: return tuple_as_val(ctx, v, val);
    default: return 0;
    }
}

/* The shortest decimal text that reads back as f, with Python's spelling. */
static void print_float(struct buf *out, double f)
{
    char text[40];
    if (isnan(f)) {
        buf_str(out, "nan");
        return;
    }
    if (isinf(f)) {
        buf_str(out, f < 0 ? "-inf" : "inf");
        return;
    }
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, f);
        double back = 0;
        sscanf(text, "%lf", &back);
        if (back == f)
            break;
    }
    buf_str(out, text);
    if (!strpbrk(text, ".e"))
        buf_str(out, ".0");
}

static void print_items(struct buf *out, const struct value *v, char open, char close)
{
    buf_char(out, open);
    for (uint32_t i = 0; i < v->n; i++) {
        if (i)
            buf_str(out, ", ");
        if (v->u.items[i]->kind == VALUE_STRING)
            buf_printf(out, "'%s'", v->u.items[i]->u.s);
        else
            value_print(out, v->u.items[i]);
    }
    if (v->kind == VALUE_TUPLE && v->n == 1)
        buf_char(out, ',');
    buf_char(out, close);
}

void value_print(struct buf *out, const struct value *v)
{
    switch (v->kind) {
    case VALUE_NONE: buf_str(out, "None"); break;
    case VALUE_BOOL: buf_str(out, v->u.i ? "True" : "False"); break;
    case VALUE_INT: buf_printf(out, "%" PRId64, v->u.i); break;
    case VALUE_FLOAT: print_float(out, v->u.f); break;
    case VALUE_STRING: buf_str(out, v->u.s); break;
    case VALUE_DTYPE: buf_str(out, dtype_info((uint32_t)v->u.i)->name); break;
    case VALUE_STORAGE: buf_str(out, storage_name((uint32_t)v->u.i)); break;
    case VALUE_DIM: dim_print(out, v->u.dim); break;
    case VALUE_TYPE: type_print(out, v->u.type, NULL, NULL); break;
    case VALUE_TUPLE: print_items(out, v, '(', ')'); break;
    case VALUE_LIST: print_items(out, v, '[', ']'); break;
    default: buf_str(out, value_kind_text(v->kind)); break;
    }
}

const char *value_text(tf_ctx *ctx, const struct value *v)
{
    struct buf out = {0};
    value_print(&out, v);
    const char *text = ctx_intern(ctx, buf_text(&out));
    buf_free(&out);
    return text;
}

/* SPDX-License-Identifier: MIT
 * Attributes of an operator's call: by position after the inputs or by keyword, read as their declared kind says.
 */
#include "front/lower.h"

#include "front/types.h"
#include "plugin/registry.h"
#include "util/diag.h"

#include <ctype.h>
#include <string.h>

static int wrong_value(struct lower *l, const struct expr *call, const struct op_value *op,
    const struct tf_attr_decl *d, const char *wants, const struct value *v)
{
    ERROR(l->ctx, &call->loc, "attribute-value", "attribute '%s' of %s must be %s, not %s", d->name, op->name, wants,
        v->kind == VALUE_STRING ? arena_format(&l->ctx->arena, "'%s'", v->u.s)
        : value_is_number(v)    ? value_text(l->ctx, v)
                                : value_kind_text(v->kind));
    return 0;
}

static int refuse_choice(struct lower *l, const struct expr *call, const struct op_value *op,
    const struct tf_attr_decl *d, const struct value *v)
{
    struct buf list = {0};
    size_t n = 0;
    for (; d->choices && d->choices[n]; n++)
        buf_printf(&list, "%s\"%s\"", n ? ", " : "", d->choices[n]);
    const char *near = v->kind == VALUE_STRING && n ? did_you_mean(v->u.s, d->choices, n) : NULL;
    const char *wants = arena_format(&l->ctx->arena, "one of %s", buf_text(&list));
    buf_free(&list);
    if (!near)
        return wrong_value(l, call, op, d, wants, v);
    ERROR(l->ctx, &call->loc, "attribute-value", "attribute '%s' of %s must be %s, not '%s'; did you mean '%s'?",
        d->name, op->name, wants, v->u.s, near);
    return 0;
}

static int choose(struct lower *l, const struct expr *call, const struct op_value *op, const struct tf_attr_decl *d,
    const struct value *v, struct tf_val *val)
{
    if (v->kind == VALUE_STRING && v->enumeration && (!d->enumeration || strcmp(v->enumeration, d->enumeration) != 0)) {
        ERROR(l->ctx, &call->loc, "attribute-value", "attribute '%s' of %s does not take members of %s%s%s", d->name,
            op->name, v->enumeration, d->enumeration ? ", only of " : "", d->enumeration ? d->enumeration : "");
        return 0;
    }
    for (size_t n = 0; v->kind == VALUE_STRING && d->choices && d->choices[n]; n++)
        if (strcmp(v->u.s, d->choices[n]) == 0) {
            *val = (struct tf_val){.kind = TF_VAL_STRING, .u.s = ctx_intern(l->ctx, v->u.s)};
            return 1;
        }
    return refuse_choice(l, call, op, d, v);
}

static int tuple_fits(const struct value *v)
{
    if (!value_is_sequence(v))
        return 0;
    for (uint32_t i = 0; i < v->n; i++)
        if (v->u.items[i]->kind != VALUE_INT && v->u.items[i]->kind != VALUE_DIM)
            return 0;
    return 1;
}

/* NULL where v suits the kind, else what was wanted. */
static const char *unsuitable(uint32_t kind, const struct value *v)
{
    switch (kind) {
    case TF_ATTR_INT: return v->kind == VALUE_INT || v->kind == VALUE_BOOL ? NULL : "an int";
    case TF_ATTR_FLOAT: return v->kind == VALUE_FLOAT || v->kind == VALUE_INT ? NULL : "a float";
    case TF_ATTR_NUMBER: return value_is_number(v) ? NULL : "a number";
    case TF_ATTR_BOOL: return v->kind == VALUE_BOOL ? NULL : "True or False";
    case TF_ATTR_STRING: return v->kind == VALUE_STRING ? NULL : "a string";
    case TF_ATTR_TUPLE: return tuple_fits(v) ? NULL : "a tuple of ints and dimensions, such as (0, 1) or (-1,)";
    case TF_ATTR_DIM: return v->kind == VALUE_INT || v->kind == VALUE_DIM ? NULL : "an int or a dimension";
    case TF_ATTR_MESH: return v->kind == VALUE_MESH ? NULL : "a Mesh";
    default: return NULL;
    }
}

static int read_plain(struct lower *l, const struct expr *call, const struct op_value *op, const struct tf_attr_decl *d,
    const struct expr *e, struct tf_val *val)
{
    struct eval ev = lower_eval(l);
    const struct value *v = eval_expr(&ev, e);
    if (v)
        v = lower_static(&ev, v);
    if (v && v->kind == VALUE_MESH)
        v = lower_mesh_value(&ev, v, &e->loc);
    if (!v) {
        eval_report(&ev);
        return 0;
    }
    if (v->kind == VALUE_NODE || v->kind == VALUE_WINDOW) {
        ERROR(l->ctx, &e->loc, "not-static", "attribute '%s' of %s must be known before the program runs", d->name,
            op->name);
        return 0;
    }
    if (v->kind == VALUE_NONE && (d->flags & TF_ATTR_OPTIONAL)) {
        *val = (struct tf_val){0};
        return 1;
    }
    if (d->kind == TF_ATTR_CHOICE)
        return choose(l, call, op, d, v, val);
    const char *wants = unsuitable(d->kind, v);
    if (wants)
        return wrong_value(l, call, op, d, wants, v);
    if (!value_as_val(l->ctx, v, val))
        return wrong_value(l, call, op, d, "a value that an attribute can have", v);
    if (d->kind == TF_ATTR_FLOAT && val->kind == TF_VAL_INT)
        *val = (struct tf_val){.kind = TF_VAL_FLOAT, .u.f = (double)v->u.i};
    return 1;
}

/* Kinds with a notation of their own. */
static int read_slot(struct lower *l, const struct tf_attr_decl *d, const struct expr *e, struct tf_val *val)
{
    struct eval ev = lower_eval(l);
    uint32_t number = 0;
    int none = 0, read = 0;
    *val = (struct tf_val){0};
    if (e->kind == EXPR_NONE && (d->flags & TF_ATTR_OPTIONAL))
        return 1;
    switch (d->kind) {
    case TF_ATTR_DTYPE:
        read = dtype_read(&ev, e, &number);
        *val = (struct tf_val){.kind = TF_VAL_DTYPE, .u.i = number};
        break;
    case TF_ATTR_STORAGE:
        read = storage_read(&ev, e, &number);
        *val = (struct tf_val){.kind = TF_VAL_STORAGE, .u.i = number};
        break;
    case TF_ATTR_TYPE:
        *val = (struct tf_val){.kind = TF_VAL_TYPE, .u.type = type_read(&ev, e, NULL)};
        read = val->u.type != NULL;
        break;
    default:
        *val = (struct tf_val){.kind = TF_VAL_LAYOUT, .u.layout = layout_read(&ev, e, &none)};
        read = none || val->u.layout;
        if (none)
            *val = (struct tf_val){0};
        break;
    }
    if (!read)
        eval_report(&ev);
    return read;
}

static int read_attribute(struct lower *l, const struct expr *call, const struct op_value *op, size_t which,
    const struct expr *e, struct tf_val *val)
{
    const struct tf_attr_decl *d = &op->op->attrs[which];
    if (d->kind == TF_ATTR_DTYPE || d->kind == TF_ATTR_STORAGE || d->kind == TF_ATTR_TYPE || d->kind == TF_ATTR_LAYOUT)
        return read_slot(l, d, e, val);
    return read_plain(l, call, op, d, e, val);
}

/* An alias has settled one attribute: it is no longer there to bind. */
static int is_settled(const struct op_value *op, size_t which)
{
    return op->alias && strcmp(op->alias->attr, op->op->attrs[which].name) == 0;
}

static size_t nth_attribute(const struct op_value *op, uint32_t n)
{
    for (size_t k = 0; k < op->op->n_attrs; k++)
        if (!is_settled(op, k) && n-- == 0)
            return k;
    return op->op->n_attrs;
}

static size_t find_attribute(
    struct lower *l, const struct tf_loc *call_loc, const struct op_value *op, const struct keyword *key)
{
    struct buf list = {0};
    const char *names[64];
    size_t n = 0;
    for (size_t k = 0; k < op->op->n_attrs; k++) {
        if (is_settled(op, k))
            continue;
        if (strcmp(op->op->attrs[k].name, key->name) == 0) {
            buf_free(&list);
            return k;
        }
        buf_printf(&list, "%s%s", n ? ", " : "", op->op->attrs[k].name);
        if (n < sizeof names / sizeof *names)
            names[n++] = op->op->attrs[k].name;
    }
    const char *near = n ? did_you_mean(key->name, names, n) : NULL;
    for (size_t i = 0; i < op->op->n_inputs; i++)
        if (strcmp(op->op->inputs[i].name, key->name) == 0) {
            ERROR(l->ctx, call_loc, "attribute-unknown", "'%s' is an input of %s: inputs are given by position",
                key->name, op->name);
            buf_free(&list);
            return op->op->n_attrs;
        }
    if (near)
        ERROR(l->ctx, call_loc, "attribute-unknown", "%s has no attribute '%s'; did you mean '%s'?", op->name,
            key->name, near);
    else
        ERROR(l->ctx, call_loc, "attribute-unknown", "%s has no attribute '%s'; its attributes are: %s", op->name,
            key->name, n ? buf_text(&list) : "none");
    buf_free(&list);
    return op->op->n_attrs;
}

static int bind_positions(
    struct lower *l, const struct expr *e, const struct op_value *op, struct tf_val *attrs, uint64_t *bound)
{
    uint32_t n_inputs = (uint32_t)op->op->n_inputs;
    for (uint32_t i = n_inputs; i < e->n_items; i++) {
        size_t k = nth_attribute(op, i - n_inputs);
        if (k == op->op->n_attrs) {
            uint32_t most = n_inputs + (uint32_t)op->op->n_attrs - (op->alias != NULL);
            ERROR(l->ctx, &e->loc, "operator-arity", "%s takes at most %u arguments by position, not %u", op->name,
                most, e->n_items);
            return 0;
        }
        if (!read_attribute(l, e, op, k, e->items[i], &attrs[k]))
            return 0;
        *bound |= UINT64_C(1) << (k & 63);
    }
    return 1;
}

static int bind_keywords(
    struct lower *l, const struct expr *e, const struct op_value *op, struct tf_val *attrs, uint64_t *bound)
{
    for (uint32_t i = 0; i < e->n_keywords; i++) {
        const struct keyword *key = &e->keywords[i];
        if (!key->name) {
            ERROR(l->ctx, &e->loc, "attribute-unknown", "** is not expanded in the call of an operator");
            return 0;
        }
        size_t k = find_attribute(l, &e->loc, op, key);
        if (k == op->op->n_attrs)
            return 0;
        if (*bound & UINT64_C(1) << (k & 63)) {
            ERROR(l->ctx, &e->loc, "attribute-duplicate", "attribute '%s' of %s is given twice", key->name, op->name);
            return 0;
        }
        if (!read_attribute(l, e, op, k, key->value, &attrs[k]))
            return 0;
        *bound |= UINT64_C(1) << (k & 63);
    }
    return 1;
}

struct tf_val *bind_attributes(struct lower *l, const struct expr *e, const struct op_value *op, struct tf_val *attrs)
{
    uint64_t bound = 0;
    if (!bind_positions(l, e, op, attrs, &bound) || !bind_keywords(l, e, op, attrs, &bound))
        return NULL;
    for (size_t k = 0; k < op->op->n_attrs; k++) {
        const struct tf_attr_decl *d = &op->op->attrs[k];
        if ((d->flags & TF_ATTR_REQUIRED) && !is_settled(op, k) && !(bound & UINT64_C(1) << (k & 63))) {
            ERROR(l->ctx, &e->loc, "attribute-missing", "%s needs attribute '%s'", op->name, d->name);
            return NULL;
        }
    }
    return attrs;
}

/* SPDX-License-Identifier: MIT
 * Numbers, dimensions, types, layouts and meshes as the language writes them.
 */
#include "ir/printer.h"

#include "util/diag.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers ------------------------------------------------------------------------------------------------------*/

/* The shortest decimal that reads back as the same double, with a point or an exponent. */
static const char *float_text(struct printer *p, double f)
{
    char text[40];
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, sizeof(text), "%.*g", digits, f);
        if (strtod(text, NULL) == f)
            break;
    }
    return arena_format(&p->ctx->arena, "%s%s", text, strpbrk(text, ".e") ? "" : ".0");
}

static const char *any_float_text(struct printer *p, double f)
{
    if (isnan(f))
        return "float(\"nan\")";
    if (isinf(f))
        return f < 0 ? "float(\"-inf\")" : "float(\"inf\")";
    return float_text(p, f);
}

/* A minus before a number would read as the operator, and an infinity has no literal. */
int number_is_literal(const struct tf_val *val)
{
    return val->kind == TF_VAL_FLOAT ? isfinite(val->u.f) && !signbit(val->u.f)
                                     : val->kind != TF_VAL_INT || val->u.i >= 0;
}

static const char *number_text(struct printer *p, const struct tf_val *val)
{
    struct buf text = {0};
    const char *result;
    switch (val->kind) {
    case TF_VAL_BOOL: return val->u.i ? "True" : "False";
    case TF_VAL_FLOAT: return any_float_text(p, val->u.f);
    case TF_VAL_DIM:
        note_dims(p, val->u.dim);
        dim_print(&text, val->u.dim);
        result = arena_strndup(&p->ctx->arena, buf_text(&text), text.n);
        buf_free(&text);
        return result;
    default:
        if (val->u.i == INT64_MIN)
            return "-9223372036854775807 - 1";
        return arena_format(&p->ctx->arena, "%" PRId64, val->u.i);
    }
}

void print_number(struct printer *p, const struct tf_val *val)
{
    const char *text = number_text(p, val);
    buf_str(&p->out, number_is_literal(val) ? text : constant_named(p, 'K', text));
}

void print_string(struct printer *p, const char *text)
{
    buf_char(&p->out, '"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            buf_printf(&p->out, "\\%c", *text);
        else if (*text == '\n')
            buf_str(&p->out, "\\n");
        else if ((unsigned char)*text < 0x20 || *text == 0x7F)
            buf_printf(&p->out, "\\x%02x", (unsigned)*text);
        else
            buf_char(&p->out, *text);
    }
    buf_char(&p->out, '"');
}

/* ---- dimensions ---------------------------------------------------------------------------------------------------*/

#define MOST_VARIABLES 64
void note_dims(struct printer *p, const struct tf_dim *dim)
{
    struct dim_var vars[MOST_VARIABLES];
    if (dim->kind == TF_DIM_CONST)
        return;
    size_t n = dim_variables(dim, vars, MOST_VARIABLES);
    for (size_t i = 0; i < n && i < MOST_VARIABLES; i++) {
        size_t k = 0;
        while (k < p->dims.n && strcmp(p->dims.at[k].name, vars[i].name))
            k++;
        if (k < p->dims.n)
            continue;
        VEC_PUSH(&p->dims, vars[i]);
        name_reserve(p, vars[i].name, NAME_NEEDED);
    }
}

void print_dim(struct printer *p, const struct tf_dim *dim)
{
    size_t from = p->out.n;
    note_dims(p, dim);
    dim_print(&p->out, dim);
    if (dim->kind == TF_DIM_CONST)
        return;
    if (strstr(buf_text(&p->out) + from, "dim_min("))
        use(p, USE_DIM_MIN);
    if (strstr(buf_text(&p->out) + from, "dim_max("))
        use(p, USE_DIM_MAX);
}

void print_dims(struct printer *p, const struct tf_dim *const *dims, uint32_t n)
{
    buf_char(&p->out, '(');
    for (uint32_t i = 0; i < n; i++) {
        buf_str(&p->out, i ? ", " : "");
        print_dim(p, dims[i]);
    }
    buf_str(&p->out, n == 1 ? ",)" : ")");
}

/* ---- types --------------------------------------------------------------------------------------------------------*/

static void print_tensor(struct printer *p, const struct tf_type *type, const char *head, int signature)
{
    use(p, strcmp(head, "Tensor") ? USE_CONST_TENSOR : USE_TENSOR);
    buf_printf(&p->out, "%s[", head);
    print_dims(p, type->shape, type->rank);
    buf_printf(&p->out, ", \"%s\"", dtype_info(type->dtype)->name);
    if (type->layout) {
        buf_str(&p->out, ", ");
        print_layout(p, type->layout, signature);
    }
    if (type->storage != TF_STORAGE_GMEM)
        buf_printf(&p->out, ", \"%s\"", storage_name(type->storage));
    buf_char(&p->out, ']');
}

void print_type(struct printer *p, const struct tf_type *type, const char *head, int signature)
{
    if (type->kind == TF_TYPE_TENSOR) {
        print_tensor(p, type, head, signature);
        return;
    }
    buf_str(&p->out, "tuple[");
    for (uint32_t i = 0; i < type->rank; i++) {
        buf_str(&p->out, i ? ", " : "");
        print_type(p, type->fields[i], "Tensor", signature);
    }
    buf_char(&p->out, ']');
}

/* ---- attributes ---------------------------------------------------------------------------------------------------*/

static void print_items(struct printer *p, const struct tf_val *val)
{
    buf_char(&p->out, '(');
    for (uint32_t i = 0; i < val->count; i++) {
        buf_str(&p->out, i ? ", " : "");
        print_value(p, &val->u.items[i]);
    }
    buf_str(&p->out, val->count == 1 ? ",)" : ")");
}

/* An attribute is known before the program runs: a minus is part of a number there. */
static void print_known(struct printer *p, const struct tf_val *val)
{
    const char *text = number_text(p, val);
    int finite = val->kind != TF_VAL_FLOAT || isfinite(val->u.f);
    buf_str(&p->out, finite ? text : constant_named(p, 'K', text));
}

void print_value(struct printer *p, const struct tf_val *val)
{
    switch (val->kind) {
    case TF_VAL_NONE: buf_str(&p->out, "None"); break;
    case TF_VAL_STRING: print_string(p, val->u.s); break;
    case TF_VAL_DTYPE: buf_printf(&p->out, "\"%s\"", dtype_info((uint32_t)val->u.i)->name); break;
    case TF_VAL_STORAGE: buf_printf(&p->out, "\"%s\"", storage_name((uint32_t)val->u.i)); break;
    case TF_VAL_DIM: print_dim(p, val->u.dim); break;
    case TF_VAL_TUPLE: print_items(p, val); break;
    case TF_VAL_TYPE: print_type(p, val->u.type, "Tensor", 0); break;
    case TF_VAL_LAYOUT: print_layout(p, val->u.layout, 0); break;
    case TF_VAL_MESH: {
        const char *open = open_mesh(p, val->u.mesh);
        buf_str(&p->out, open ? open : mesh_constant(p, val->u.mesh));
        break;
    }
    default: print_known(p, val); break;
    }
}

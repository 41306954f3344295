/* SPDX-License-Identifier: MIT */
#include "ir/bind.h"

#include "util/diag.h"

#include <inttypes.h>
#include <string.h>

static void report_no_value(const struct binding *b, const struct tf_loc *loc, const char *why)
{
    ERROR(b->ctx, loc, "dimension-arithmetic", "a dimension here cannot be computed from the extents given: %s",
        why ? why : "it has no value");
}

const struct tf_dim *bind_dim(const struct binding *b, const struct tf_loc *loc, const struct tf_dim *dim)
{
    const char *why = NULL;
    const struct tf_dim *bound = b->n ? dim_bind(b->ctx, dim, b->at, b->n, &why) : dim;
    if (!bound)
        report_no_value(b, loc, why);
    return bound;
}

const struct tf_type *bind_type(const struct binding *b, const struct tf_loc *loc, const struct tf_type *type)
{
    const char *why = NULL;
    const struct tf_type *bound = b->n ? type_bind(b->ctx, type, b->at, b->n, &why) : type;
    if (!bound)
        report_no_value(b, loc, why);
    return bound;
}

const struct tf_mesh *bind_mesh(const struct binding *b, const struct tf_loc *loc, const struct tf_mesh *mesh)
{
    const char *why = NULL;
    const struct tf_mesh *bound = b->n ? mesh_bind(b->ctx, mesh, b->at, b->n, &why) : mesh;
    if (!bound)
        report_no_value(b, loc, why);
    return bound;
}

static const struct tf_layout *bind_layout(
    const struct binding *b, const struct tf_loc *loc, const struct tf_layout *layout)
{
    const char *why = NULL;
    const struct tf_layout *bound = b->n ? layout_bind(b->ctx, layout, b->at, b->n, &why) : layout;
    if (!bound)
        report_no_value(b, loc, why);
    return bound;
}

/* ---- attributes ----------------------------------------------------------------------------------------------------*/

static int bind_items(const struct binding *b, const struct tf_loc *loc, struct tf_val *val)
{
    struct tf_val *items = arena_copy(&b->ctx->arena, val->u.items, val->count * sizeof(*items));
    for (uint32_t i = 0; i < val->count; i++)
        if (!bind_value(b, loc, &items[i]))
            return 0;
    val->u.items = items;
    return 1;
}

static int bind_dim_value(const struct binding *b, const struct tf_loc *loc, struct tf_val *val)
{
    const struct tf_dim *dim = bind_dim(b, loc, val->u.dim);
    if (!dim)
        return 0;
    if (dim->kind == TF_DIM_CONST)
        *val = (struct tf_val){.kind = TF_VAL_INT, .u.i = dim->value};
    else
        val->u.dim = dim;
    return 1;
}

int bind_value(const struct binding *b, const struct tf_loc *loc, struct tf_val *val)
{
    switch (val->kind) {
    case TF_VAL_DIM: return bind_dim_value(b, loc, val);
    case TF_VAL_TUPLE: return bind_items(b, loc, val);
    case TF_VAL_TYPE: return (val->u.type = bind_type(b, loc, val->u.type)) != NULL;
    case TF_VAL_LAYOUT: return (val->u.layout = bind_layout(b, loc, val->u.layout)) != NULL;
    case TF_VAL_MESH: return (val->u.mesh = bind_mesh(b, loc, val->u.mesh)) != NULL;
    default: return 1;
    }
}

static int may_be_open(const struct tf_val *val)
{
    return val->kind == TF_VAL_DIM || val->kind == TF_VAL_TUPLE || val->kind == TF_VAL_TYPE ||
           val->kind == TF_VAL_LAYOUT || val->kind == TF_VAL_MESH;
}

const struct tf_val *bind_attrs(const struct binding *b, const struct tf_node *call)
{
    struct tf_val *attrs = NULL;
    for (uint32_t i = 0; b->n && i < call->n_attrs; i++) {
        if (!may_be_open(&call->attrs[i]))
            continue;
        if (!attrs)
            attrs = arena_copy(&b->ctx->arena, call->attrs, call->n_attrs * sizeof(*attrs));
        if (!bind_value(b, &call->loc, &attrs[i]))
            return NULL;
    }
    return attrs ? attrs : call->attrs;
}

const struct tf_where *bind_where(const struct binding *b, const struct tf_loc *loc, const struct tf_where *where)
{
    struct tf_where *bound = arena_copy(&b->ctx->arena, where, sizeof(*where));
    struct tf_where_axis *axes = arena_copy(&b->ctx->arena, where->axes, where->n_axes * sizeof(*axes));
    bound->axes = axes;
    if (where->mesh && !(bound->mesh = bind_mesh(b, loc, where->mesh)))
        return NULL;
    for (uint32_t i = 0; i < where->n_axes; i++)
        if (axes[i].extent && !(axes[i].extent = bind_dim(b, loc, axes[i].extent)))
            return NULL;
    return bound;
}

/* ---- variants ------------------------------------------------------------------------------------------------------*/

static const struct dim_binding *bound_as(const struct binding *b, const char *name)
{
    for (size_t i = 0; i < b->n; i++)
        if (!strcmp(b->at[i].name, name))
            return &b->at[i];
    return NULL;
}

static void report_no_variant(const struct binding *b, const struct tf_loc *loc, const struct ir_function *function)
{
    struct buf covered = {0};
    const char *dim = function->variants[0].dim;
    const struct dim_binding *value = bound_as(b, dim);
    for (uint32_t i = 0; i < function->n_variants; i++)
        buf_printf(&covered, "%s%s in [%" PRId64 ", %" PRId64 ")", i ? "; " : "", function->variants[i].dim,
            function->variants[i].lo, function->variants[i].hi);
    if (value)
        ERROR(b->ctx, loc, "variant-missing", "'%s' has no variant that covers %s=%" PRId64 "; its variants cover %s",
            function->pub.name, dim, value->value, buf_text(&covered));
    else
        ERROR(b->ctx, loc, "variant-missing",
            "'%s' chooses its variant by '%s', which has no extent; its variants cover %s", function->pub.name, dim,
            buf_text(&covered));
    buf_free(&covered);
}

const struct ir_function *bind_variant(
    const struct binding *b, const struct tf_loc *loc, const struct ir_function *function)
{
    if (!function->n_variants)
        return function;
    for (uint32_t i = 0; i < function->n_variants; i++) {
        const struct ir_variant *variant = &function->variants[i];
        const struct dim_binding *value = bound_as(b, variant->dim);
        if (value && variant->lo <= value->value && value->value < variant->hi)
            return (const struct ir_function *)variant->function;
    }
    report_no_variant(b, loc, function);
    return NULL;
}

/* ---- what the user gave --------------------------------------------------------------------------------------------*/

static void report_unknown(
    const struct binding *b, const char *name, const struct ir_function *function, const struct dim_var *vars, size_t n)
{
    struct buf stated = {0};
    const char **names = CTX_ARRAY(b->ctx, const char *, n);
    for (size_t i = 0; i < n; i++) {
        names[i] = vars[i].name;
        buf_printf(&stated, "%s%s", i ? ", " : "", vars[i].name);
    }
    const char *near = did_you_mean(name, names, n);
    if (!n)
        ERROR(b->ctx, NULL, "dimension-unknown", "'%s' has no dimension named '%s': it has no open dimension",
            function->pub.name, name);
    else if (near)
        ERROR(b->ctx, NULL, "dimension-unknown", "'%s' has no dimension named '%s'; did you mean '%s'? (it states %s)",
            function->pub.name, name, near, buf_text(&stated));
    else
        ERROR(b->ctx, NULL, "dimension-unknown", "'%s' has no dimension named '%s'; it states %s", function->pub.name,
            name, buf_text(&stated));
    buf_free(&stated);
}

static int check_name(const struct binding *b, const struct dim_binding *given, const struct ir_function *function,
    const struct dim_var *vars, size_t n)
{
    int known = 0, fits = 1;
    for (size_t i = 0; i < n; i++) {
        if (strcmp(vars[i].name, given->name))
            continue;
        known = 1;
        if (given->value >= vars[i].lo && given->value < vars[i].hi)
            continue;
        fits = 0;
        ERROR(b->ctx, NULL, "dimension-range",
            "dimension '%s' is declared over [%" PRId64 ", %" PRId64 ") and cannot be %" PRId64, given->name,
            vars[i].lo, vars[i].hi, given->value);
    }
    if (!known)
        report_unknown(b, given->name, function, vars, n);
    return known && fits;
}

/* Extents worth trying: both ends, next to the first, and the middle. */
static void suggest(struct buf *out, const struct dim_var *var)
{
    int64_t last = var->hi - 1, middle = var->lo + (var->hi - var->lo) / 2;
    const int64_t extents[] = {var->lo, var->lo < last ? var->lo + 1 : var->lo, middle, last};
    int64_t shown = var->lo - 1;
    for (size_t i = 0; i < sizeof(extents) / sizeof(*extents); i++) {
        if (extents[i] <= shown)
            continue;
        buf_printf(out, "%s%" PRId64, i ? ", " : "", extents[i]);
        shown = extents[i];
    }
}

static int check_all_bound(
    const struct binding *b, const struct ir_function *function, const struct dim_var *vars, size_t n)
{
    struct buf open = {0};
    for (size_t i = 0; i < n; i++) {
        if (bound_as(b, vars[i].name))
            continue;
        buf_printf(&open, "%s%s is declared as [%" PRId64 ", %" PRId64 "); bind it with --dim %s=EXTENT (try ",
            open.n ? "; " : "", vars[i].name, vars[i].lo, vars[i].hi, vars[i].name);
        suggest(&open, &vars[i]);
        buf_char(&open, ')');
    }
    if (open.n)
        ERROR(b->ctx, &function->pub.loc, "dimension-unbound",
            "the analysis needs an extent for every open dimension: %s", buf_text(&open));
    int all = open.n == 0;
    buf_free(&open);
    return all;
}

int bind_check(const struct binding *b, const struct ir_module *module, const struct ir_function *function)
{
    size_t n = program_dimensions(b->ctx, module, function, NULL, 0);
    struct dim_var *vars = CTX_ARRAY(b->ctx, struct dim_var, n);
    program_dimensions(b->ctx, module, function, vars, n);
    int fine = 1;
    for (size_t i = 0; i < b->n; i++)
        fine &= check_name(b, &b->at[i], function, vars, n);
    return fine && check_all_bound(b, function, vars, n) ? TF_OK : TF_E_REFUSED;
}

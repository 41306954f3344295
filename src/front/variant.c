/* SPDX-License-Identifier: MIT
 * Variants and converters: what they may be, and joining them to their base.
 */
#include "front/module.h"
#include "util/diag.h"

#include <inttypes.h>
#include <string.h>

static int refuse(tf_ctx *ctx, const struct tf_loc *loc, const char *code, const char *text)
{
    ERROR(ctx, loc, code, "%s", text);
    return TF_E_REFUSED;
}

/* Arrays without a size of their own grow at powers of two. */
static void *room_for_one(tf_ctx *ctx, void *old, uint32_t n, size_t size)
{
    if (n && (n & (n - 1)))
        return old;
    void *more = arena_array(&ctx->arena, n ? 2 * (size_t)n : 1, size);
    if (n)
        memcpy(more, old, n * size);
    return more;
}

/* The one argument of .specialize(..) or .converter(..). */
static const struct value *read_key(struct front *front, const struct function_value *f)
{
    struct eval ev = {.front = front, .env = f->env, .at = f->at};
    const struct expr *d = f->decorator;
    const struct value *v = NULL;
    if (d->kind != EXPR_CALL || d->n_items + d->n_keywords != 1)
        eval_fail(
            &ev, &d->loc, f->role == ROLE_VARIANT ? "variant" : "converter", "exactly one argument is expected here");
    else
        v = eval_expr(&ev, d->n_items ? d->items[0] : d->keywords[0].value);
    if (!v)
        eval_report(&ev);
    return v;
}

/* ---- variants ----------------------------------------------------------------------------------------------------*/

static int signatures_equal(const struct tf_function *a, const struct tf_function *b)
{
    if (a->n_params != b->n_params)
        return 0;
    for (uint32_t i = 0; i < a->n_params; i++)
        if (!type_equal(a->params[i]->type, b->params[i]->type) || a->params[i]->is_weight != b->params[i]->is_weight)
            return 0;
    return 1;
}

static int uses_dim(const struct tf_type *type, const char *name, struct dim_var *range)
{
    if (type->kind == TF_TYPE_TUPLE) {
        for (uint32_t i = 0; i < type->rank; i++)
            if (uses_dim(type->fields[i], name, range))
                return 1;
        return 0;
    }
    for (uint32_t axis = 0; axis < type->rank; axis++) {
        struct dim_var found[16];
        size_t n = dim_variables(type->shape[axis], found, 16);
        for (size_t i = 0; i < n && i < 16; i++)
            if (strcmp(found[i].name, name) == 0) {
                *range = found[i];
                return 1;
            }
    }
    return 0;
}

static int pattern_fits(
    tf_ctx *ctx, const struct tf_loc *loc, const struct ir_function *base, const struct pattern_value *p)
{
    struct dim_var range;
    uint32_t i = 0;
    while (i < base->pub.n_params && !uses_dim(base->pub.params[i]->type, p->dim, &range))
        i++;
    if (i == base->pub.n_params) {
        ERROR(ctx, loc, "variant", "no parameter of '%s' has the dimension '%s'", base->pub.name, p->dim);
        return 0;
    }
    if (p->lo < range.lo || p->hi > range.hi) {
        ERROR(ctx, loc, "variant",
            "[%" PRId64 ", %" PRId64 ") is outside the range of '%s', which is [%" PRId64 ", %" PRId64 ")", p->lo,
            p->hi, p->dim, range.lo, range.hi);
        return 0;
    }
    for (i = 0; i < base->n_variants; i++) {
        const struct ir_variant *v = &base->variants[i];
        if (strcmp(v->dim, p->dim) != 0) {
            ERROR(ctx, loc, "variant", "the variants of '%s' choose by one dimension: '%s', not '%s'", base->pub.name,
                v->dim, p->dim);
            return 0;
        }
        if (v->lo == p->lo && v->hi == p->hi) {
            ERROR(ctx, loc, "variant", "'%s' has a variant for [%" PRId64 ", %" PRId64 ") already", base->pub.name,
                p->lo, p->hi);
            return 0;
        }
    }
    return 1;
}

static int attach_variant(struct front *front, struct function_value *f, struct ir_function *base)
{
    tf_ctx *ctx = front->ctx;
    const struct tf_loc *loc = &f->def->loc;
    const struct value *key = read_key(front, f);
    if (!key)
        return TF_E_REFUSED;
    if (key->kind != VALUE_PATTERN) {
        ERROR(ctx, &f->decorator->loc, "variant", "specialize takes a DimVarRangePat, not %s",
            value_kind_text(key->kind));
        return TF_E_REFUSED;
    }
    if (!base->is_prototype)
        return refuse(ctx, loc, "variant", "a function with variants has no body of its own: 'pass' stands there");
    if (!signatures_equal(&base->pub, &f->ir->pub))
        return refuse(ctx, loc, "variant", "a variant has the same parameter types as its base");
    if (!pattern_fits(ctx, &f->decorator->loc, base, key->u.pattern))
        return TF_E_REFUSED;
    if (!type_accepts(base->declared, f->ir->pub.result)) {
        ERROR(ctx, loc, "return-type", "'%s' says that it returns %s, and this variant returns %s", base->pub.name,
            type_text(ctx, base->declared), type_text(ctx, f->ir->pub.result));
        return TF_E_REFUSED;
    }
    base->variants = room_for_one(ctx, base->variants, base->n_variants, sizeof(*base->variants));
    base->variants[base->n_variants++] =
        (struct ir_variant){&f->ir->pub, f->def->name, key->u.pattern->dim, key->u.pattern->lo, key->u.pattern->hi};
    f->ir->pub.name = base->pub.name;
    return TF_OK;
}

/* ---- converters --------------------------------------------------------------------------------------------------*/

static const struct tf_node *parameter(const struct ir_function *base, const char *name)
{
    for (uint32_t i = 0; i < base->pub.n_params; i++)
        if (strcmp(base->pub.params[i]->name, name) == 0)
            return base->pub.params[i];
    return NULL;
}

static int attach_converter(struct front *front, struct function_value *f, struct ir_function *base)
{
    tf_ctx *ctx = front->ctx;
    const struct tf_loc *loc = &f->decorator->loc;
    const struct value *key = read_key(front, f);
    if (!key)
        return TF_E_REFUSED;
    if (key->kind != VALUE_STRING)
        return refuse(ctx, loc, "converter", "converter takes the name of a weight, a string");
    const struct tf_node *param = parameter(base, key->u.s);
    if (!param || !param->is_weight) {
        ERROR(ctx, loc, "converter", param ? "parameter '%s' of '%s' is no ConstTensor" : "'%s' is no weight of '%s'",
            key->u.s, base->pub.name);
        return TF_E_REFUSED;
    }
    for (uint32_t i = 0; i < base->n_converters; i++)
        if (strcmp(base->converters[i].weight, key->u.s) == 0) {
            ERROR(ctx, loc, "converter", "weight '%s' of '%s' has a converter already", key->u.s, base->pub.name);
            return TF_E_REFUSED;
        }
    base->converters = room_for_one(ctx, base->converters, base->n_converters, sizeof(*base->converters));
    base->converters[base->n_converters++] = (struct ir_converter){&f->ir->pub, ctx_intern(ctx, key->u.s)};
    return TF_OK;
}

int function_attach(struct front *front, struct function_value *f)
{
    struct ir_function *base = f->base->ir;
    if (!base || f->base->state != BUILD_DONE)
        return TF_E_REFUSED; /* told where the base was refused */
    return f->role == ROLE_VARIANT ? attach_variant(front, f, base) : attach_converter(front, f, base);
}

/* SPDX-License-Identifier: MIT
 * Modules and functions of the program as values of the host level: recipes until something asks for them.
 */
#include "front/module.h"

#include "util/diag.h"

#include <string.h>

const struct value *module_recipe(struct front *front, struct env *env, const struct stmt *s, const struct expr *call)
{
    struct module_value *m = CTX_NEW(front->ctx, struct module_value);
    *m = (struct module_value){.def = s, .call = call, .env = env, .at = env->clock, .name = s->name};
    struct value *v = value_new(front->ctx, VALUE_MODULE);
    v->u.module = m;
    return v;
}

static int has_keyword(const struct expr *call, const char *name)
{
    for (uint32_t i = 0; call && i < call->n_keywords; i++)
        if (call->keywords[i].name && strcmp(call->keywords[i].name, name) == 0)
            return 1;
    return 0;
}

static void declare(struct front *front, struct env *env, struct function_value *f)
{
    env->declared = front_grow(front->ctx, env->declared, env->n_declared, &env->room_declared, sizeof(*env->declared));
    env->declared[env->n_declared++] = f;
    if (!f->base || env->is_class)
        return;
    struct function_value *base = f->base;
    base->attached =
        front_grow(front->ctx, base->attached, base->n_attached, &base->room_attached, sizeof(*base->attached));
    base->attached[base->n_attached++] = f;
}

static int role_of(const struct value *decorator, uint32_t *role)
{
    switch (decorator->builtin) {
    case BUILTIN_FUNC: *role = ROLE_ROOT; return 1;
    case BUILTIN_PRIM_FUNC: *role = ROLE_PRIM; return 1;
    case BUILTIN_SPECIALIZE: *role = ROLE_VARIANT; return 1;
    case BUILTIN_CONVERTER: *role = ROLE_CONVERTER; return 1;
    default: return 0;
    }
}

const struct value *function_recipe(
    struct front *front, struct env *env, const struct stmt *s, const struct expr *decorator)
{
    struct eval ev = {.front = front, .env = env, .at = env->clock};
    const struct expr *call = decorator->kind == EXPR_CALL ? decorator : NULL;
    const struct value *d = eval_expr(&ev, call ? call->left : decorator);
    uint32_t role;
    if (!d || d->kind != VALUE_BUILTIN || !role_of(d, &role))
        return NULL;
    if (role == ROLE_ROOT && (has_keyword(call, "target") || has_keyword(call, "topologies")))
        return module_recipe(front, env, s, call);
    struct function_value *f = CTX_NEW(front->ctx, struct function_value);
    *f = (struct function_value){.def = s, .decorator = decorator, .env = env, .at = env->clock, .role = role};
    if (d->self)
        f->base = d->self->u.function;
    declare(front, env, f);
    struct value *v = value_new(front->ctx, role == ROLE_PRIM ? VALUE_DEF : VALUE_FUNCTION);
    if (role == ROLE_PRIM)
        v->u.s = s->name;
    else
        v->u.function = f;
    return v;
}

static int attach_all(struct front *front, struct function_value *f)
{
    int whole = 1;
    for (size_t i = 0; i < f->n_attached; i++) {
        struct function_value *part = f->attached[i];
        part->ir = CTX_NEW(front->ctx, struct ir_function);
        part->state = BUILD_NOW;
        int made = function_lower(front, part, NULL, part->ir) == TF_OK && function_attach(front, part) == TF_OK;
        part->state = made ? BUILD_DONE : BUILD_FAILED;
        whole &= made;
    }
    return whole;
}

/* A function of a Module that had not been built when the file named it. */
static struct ir_function *force_member(struct front *front, struct function_value *f)
{
    struct ir_module *m = module_force(front, f->of);
    const char *name = f->member ? f->member : m ? m->entry : NULL;
    f->ir = name ? module_function(m, name) : NULL;
    if (m && !f->ir)
        ERROR(front->ctx, &m->loc, "module-call",
            f->member ? "Module '%s' has no function '%s'" : "Module '%s' states no entry%.0s", m->name,
            f->member ? f->member : "");
    f->state = f->ir ? BUILD_DONE : BUILD_FAILED;
    return f->ir;
}

struct ir_function *function_force(struct front *front, struct function_value *f)
{
    if (f->state == BUILD_DONE)
        return f->ir;
    if (f->state == BUILD_NOW || (f->state == BUILD_FAILED && f->generation == front->generation))
        return NULL;
    f->generation = front->generation;
    if (f->of)
        return force_member(front, f);
    f->state = BUILD_NOW;
    f->ir = CTX_NEW(front->ctx, struct ir_function);
    int made = function_lower(front, f, NULL, f->ir) == TF_OK;
    f->state = made ? BUILD_DONE : BUILD_FAILED;
    if (made && !attach_all(front, f))
        f->state = BUILD_FAILED;
    return f->state == BUILD_DONE ? f->ir : NULL;
}

/* ---- on Module values ----------------------------------------------------------------------------------------------*/

static const struct value *bound_method(struct eval *ev, const struct value *self, uint32_t builtin)
{
    struct value *v = value_new(ev->front->ctx, VALUE_BUILTIN);
    v->builtin = builtin;
    v->self = self;
    return v;
}

static const struct value *refused(struct eval *ev, const struct tf_loc *loc)
{
    eval_fail(ev, loc, "module-member", "the Module was refused");
    ev->fail.reported = 1;
    return NULL;
}

/* A file that only names a Module's function, as many do for later use, does not get the Module built by that. */
static const struct value *deferred(struct eval *ev, struct module_value *of, const char *name)
{
    struct function_value *f = CTX_NEW(ev->front->ctx, struct function_value);
    *f = (struct function_value){.of = of, .member = name, .env = of->env};
    struct value *v = value_new(ev->front->ctx, VALUE_FUNCTION);
    v->u.function = f;
    return v;
}

static const struct value *member(
    struct eval *ev, const struct value *owner, const char *name, const struct tf_loc *loc)
{
    struct ir_module *m = module_force(ev->front, owner->u.module);
    if (!m)
        return refused(ev, loc);
    struct ir_function *f = module_function(m, name);
    if (f)
        return function_of(ev->front, f);
    struct ir_module *child = module_child(m, name);
    if (child)
        return child_value(ev->front, child);
    return eval_fail(ev, loc, "attribute", "Module '%s' has no function and no child '%s'", m->name, name);
}

const struct value *module_attribute(struct eval *ev, const struct value *owner, const struct expr *e)
{
    if (strcmp(e->name, "renamed") == 0)
        return bound_method(ev, owner, BUILTIN_RENAMED);
    if (strcmp(e->name, "lookup") == 0)
        return bound_method(ev, owner, BUILTIN_LOOKUP);
    if (strcmp(e->name, "entry_function") == 0)
        return bound_method(ev, owner, BUILTIN_ENTRY_FUNCTION);
    if (strcmp(e->name, "name") == 0)
        return value_string(ev->front->ctx, owner->u.module->name);
    return member(ev, owner, e->name, &e->loc);
}

static struct module_value *copied(struct eval *ev, const struct value *from)
{
    struct module_value *m = CTX_NEW(ev->front->ctx, struct module_value);
    *m = *from->u.module;
    m->built = NULL;
    m->is_child = 0;
    m->state = BUILD_NOT;
    return m;
}

static const struct value *module_of(struct eval *ev, struct module_value *m)
{
    struct value *v = value_new(ev->front->ctx, VALUE_MODULE);
    v->u.module = m;
    return v;
}

/* dataclasses.replace(X, target=.., entry=.., topologies=.., name=..) */
const struct value *module_replaced(struct eval *ev, const struct arguments *args)
{
    if (args->n != 1 || args->values[0]->kind != VALUE_MODULE || !args->values[0]->u.module->def)
        return eval_fail(
            ev, &args->call->loc, "not-static", "replace is known for Modules only: replace(M, target=..)");
    struct module_value *m = copied(ev, args->values[0]);
    for (uint32_t i = args->n; i < args->n + args->n_named; i++) {
        const char *name = args->names[i];
        const struct value *v = args->values[i];
        if (strcmp(name, "target") == 0)
            m->target = v;
        else if (strcmp(name, "entry") == 0)
            m->entry = v;
        else if (strcmp(name, "topologies") == 0)
            m->levels = v;
        else if (strcmp(name, "name") == 0 && v->kind == VALUE_STRING)
            m->name = ctx_intern(ev->front->ctx, v->u.s);
        else
            return eval_fail(ev, &args->locs[i], "call-arguments", "replace does not change '%s' of a Module", name);
    }
    return module_of(ev, m);
}

const struct value *module_method(struct eval *ev, const struct arguments *args, const struct value *callee)
{
    const struct value *self = callee->self;
    if (callee->builtin == BUILTIN_ENTRY_FUNCTION)
        return deferred(ev, self->u.module, NULL);
    if (args->n != 1 || args->n_named || args->values[0]->kind != VALUE_STRING)
        return eval_fail(ev, &args->call->loc, "call-arguments", "a name is expected here, a string");
    const char *name = ctx_intern(ev->front->ctx, args->values[0]->u.s);
    if (callee->builtin == BUILTIN_LOOKUP)
        return deferred(ev, self->u.module, name);
    if (!self->u.module->def)
        return eval_fail(ev, &args->call->loc, "not-static", "this Module cannot be renamed");
    struct module_value *m = copied(ev, self);
    m->name = name;
    return module_of(ev, m);
}

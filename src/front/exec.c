/* SPDX-License-Identifier: MIT
 * Statements of the host level.  What cannot be evaluated binds opaque values; nothing here is an error of the program
 * until something needs the name.
 */
#include "front/host.h"

#include "front/module.h"
#include "util/diag.h"

#include <string.h>

static void run_statement(struct front *front, struct env *env, const struct stmt *s);

static const struct value *opaque(struct front *front, const struct tf_loc *loc, const char *why)
{
    struct value *v = value_new(front->ctx, VALUE_OPAQUE);
    v->u.s = why;
    v->where = arena_copy(&front->ctx->arena, loc, sizeof(*loc));
    return v;
}

static struct eval eval_at(struct front *front, struct env *env)
{
    return (struct eval){.front = front, .env = env, .at = env->clock};
}

/* Evaluates, and keeps the reason where that fails: diagnostics that were issued on the way are taken back. */
static const struct value *tolerant(struct front *front, struct env *env, const struct expr *e)
{
    struct eval ev = eval_at(front, env);
    size_t mark = diag_mark(front->ctx);
    const struct value *v = eval_expr(&ev, e);
    if (v)
        return v;
    diag_drop(front->ctx, mark);
    front->generation++;
    struct value *o = value_new(front->ctx, VALUE_OPAQUE);
    o->u.s = ev.fail.root ? ev.fail.root : ev.fail.text;
    o->where = arena_copy(&front->ctx->arena, ev.fail.root ? &ev.fail.root_loc : &ev.fail.loc, sizeof(struct tf_loc));
    return o;
}

void opaque_report(struct front *front, const struct tf_loc *loc, const char *name, const struct value *o)
{
    ERROR(front->ctx, loc, "undefined-name", "the value of '%s' is not known", name);
    if (o->u.s)
        diag(front->ctx, o->where, DIAG_NOTE, "undefined-name", "%s", o->u.s);
}

/* ---- assignments -------------------------------------------------------------------------------------------------*/

static void bind_opaque(struct front *front, struct env *env, const struct expr *target, const struct value *o)
{
    if (target->kind == EXPR_NAME)
        env_bind(front, env, target->name, o, env->clock);
    if (target->kind == EXPR_STAR)
        bind_opaque(front, env, target->left, o);
    if (target->kind == EXPR_TUPLE || target->kind == EXPR_LIST)
        for (uint32_t i = 0; i < target->n_items; i++)
            bind_opaque(front, env, target->items[i], o);
}

/* d[key] = value: a new dict under the same name. */
static void bind_item(struct front *front, struct env *env, const struct expr *target, const struct value *v)
{
    tf_ctx *ctx = front->ctx;
    if (target->left->kind != EXPR_NAME)
        return;
    const struct value *d = env_here(env, target->left->name, env->clock);
    struct eval ev = eval_at(front, env);
    const struct value *key = d && d->kind == VALUE_DICT ? eval_expr(&ev, target->right) : NULL;
    if (!key || d->n >= 4096) { /* each item copies the dict */
        if (d)
            env_bind(
                front, env, target->left->name, opaque(front, &target->loc, "an item of it was assigned"), env->clock);
        return;
    }
    const struct value **items = CTX_ARRAY(ctx, const struct value *, (size_t)d->n + 2);
    memcpy(items, d->u.items, d->n * sizeof(*items));
    items[d->n] = key;
    items[d->n + 1] = v;
    env_bind(front, env, target->left->name, value_items(ctx, VALUE_DICT, items, d->n + 2), env->clock);
}

static void bind_target(struct front *front, struct env *env, const struct expr *target, const struct value *v)
{
    if (v->kind == VALUE_OPAQUE) {
        bind_opaque(front, env, target, v);
    } else if (target->kind == EXPR_NAME) {
        env_bind(front, env, target->name, v, env->clock);
    } else if (target->kind == EXPR_SUBSCRIPT) {
        bind_item(front, env, target, v);
    } else if ((target->kind == EXPR_TUPLE || target->kind == EXPR_LIST) && value_is_sequence(v) &&
               v->n == target->n_items) {
        for (uint32_t i = 0; i < v->n; i++)
            bind_target(front, env, target->items[i], v->u.items[i]);
    } else {
        bind_opaque(front, env, target, opaque(front, &target->loc, "its value cannot be taken apart like this"));
    }
}

static void run_augment(struct front *front, struct env *env, const struct stmt *s)
{
    struct expr sum = {.kind = EXPR_BINARY, .loc = s->loc, .left = s->targets[0], .right = s->value};
    char op[4];
    size_t n = strlen(s->op);
    if (n < 1 || n >= sizeof op + 1 || s->targets[0]->kind != EXPR_NAME)
        return;
    if (s->op[n - 1] == '=')
        n--;
    memcpy(op, s->op, n);
    op[n] = '\0';
    sum.op = op;
    const struct value *v = tolerant(front, env, &sum);
    if (v->kind == VALUE_OPAQUE)
        v = opaque(front, &s->loc, v->u.s);
    env_bind(front, env, s->targets[0]->name, v, env->clock);
}

/* ---- imports -----------------------------------------------------------------------------------------------------*/

static int is_standard(const char *module)
{
    static const char *const names[] = {"__future__", "typing", "functools", "pathlib", "re", "os", "sys", "json",
        "itertools", "collections", "enum", "abc", "operator", "argparse", "time", "random", "contextlib", "torch",
        "numpy"};
    size_t n = strcspn(module, ".");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == n && strncmp(names[i], module, n) == 0)
            return 1;
    return 0;
}

static const struct value *known_package(struct front *front, const char *module)
{
    if (library_is_package(module))
        return library_package(front, module);
    if (strcmp(module, "math") == 0)
        return library_of(front, LIBRARY_MATH);
    if (strcmp(module, "dataclasses") == 0)
        return library_of(front, LIBRARY_DATACLASSES);
    return NULL;
}

/* The file of a sibling module, NULL when there is none or it cannot be used; a cycle is an error at once, since neither
 * file has a meaning then. */
static struct host_file *sibling(struct front *front, struct env *env, const char *module, const struct tf_loc *loc)
{
    int missing;
    struct host_file *from = env_file(env)->file;
    struct host_file *file = from && !is_standard(module) ? host_sibling(front, from, module, &missing) : NULL;
    if (file && file->is_loading) {
        ERROR(front->ctx, loc, "import-cycle",
            "'%s' is being imported already: files that import each other have no order", module);
        return NULL;
    }
    return file;
}

static const char *missing_reason(struct front *front, const char *module)
{
    return arena_format(&front->ctx->arena, "it comes from '%s', which is not read here", module);
}

static const struct value *twin_space(struct front *front, struct env *env, const struct value *twin_of)
{
    struct value *v = value_new(front->ctx, VALUE_SPACE);
    v->u.space = env;
    v->twin_of = twin_of;
    return v;
}

static const struct value *space_of(struct front *front, struct env *env)
{
    return twin_space(front, env, NULL);
}

static void run_import(struct front *front, struct env *env, const struct stmt *s)
{
    for (uint32_t i = 0; i < s->n_imports; i++) {
        const struct import_name *name = &s->imports[i];
        /* `import a.b` binds a, `import a.b as c` binds the inner one. */
        const char *dot = strchr(name->name, '.');
        int whole = !dot || strncmp(name->bound, name->name, (size_t)(dot - name->name)) != 0 ||
                    name->bound[dot - name->name] != '\0';
        const char *module = whole ? name->name : name->bound;
        const struct value *v = known_package(front, module);
        if (!v) {
            struct host_file *file = sibling(front, env, module, &name->loc);
            v = file ? space_of(front, file->env) : opaque(front, &name->loc, missing_reason(front, module));
        }
        env_bind(front, env, name->bound, v, env->clock);
    }
}

static void import_all(struct front *front, struct env *env, const struct host_file *file)
{
    const struct env *from = file->env;
    for (size_t i = 0; i < from->n; i++) {
        const char *name = from->bindings[i].name;
        if (name[0] != '_' && env_here(from, name, HOST_END) == from->bindings[i].value)
            env_bind(front, env, name, from->bindings[i].value, env->clock);
    }
    env->star_library |= from->star_library;
    env->star_operators |= from->star_operators;
}

static const struct value *from_package(struct front *front, const char *module, const struct import_name *name)
{
    const struct value *package = library_package(front, module);
    const struct value *v = package->u.i == LIBRARY_OPERATORS ? library_op(front, name->name) : NULL;
    if (!v)
        v = library_value(front, name->name);
    if (!v)
        v = opaque(front, &name->loc,
            arena_format(&front->ctx->arena, "'%s' has no '%s' that is known here", module, name->name));
    return v;
}

static const struct value *from_module(
    struct front *front, const struct stmt *s, const struct host_file *file, const struct import_name *name)
{
    const struct value *v = NULL;
    if (library_is_package(s->module) && s->level == 0)
        return from_package(front, s->module, name);
    if (strcmp(s->module, "math") == 0)
        v = library_math(front, name->name);
    else if (strcmp(s->module, "dataclasses") == 0 && strcmp(name->name, "replace") == 0) {
        struct value *replace = value_new(front->ctx, VALUE_BUILTIN);
        replace->builtin = BUILTIN_REPLACE;
        v = replace;
    } else if (file) {
        v = env_here(file->env, name->name, HOST_END);
        if (!v && (file->env->star_library || file->env->star_operators))
            v = file->env->star_operators ? library_op(front, name->name) : library_value(front, name->name);
        if (!v)
            return opaque(
                front, &name->loc, arena_format(&front->ctx->arena, "'%s' has no '%s'", s->module, name->name));
    }
    return v ? v : opaque(front, &name->loc, missing_reason(front, s->module));
}

static void run_from(struct front *front, struct env *env, const struct stmt *s)
{
    const char *module = s->module ? s->module : "";
    struct stmt named = *s;
    named.module = module;
    if (strcmp(module, "__future__") == 0)
        return;
    int known = (s->level == 0 && library_is_package(module)) || strcmp(module, "math") == 0 ||
                strcmp(module, "dataclasses") == 0;
    struct host_file *file = known || !module[0] ? NULL : sibling(front, env, module, &s->loc);
    for (uint32_t i = 0; i < s->n_imports; i++) {
        const struct import_name *name = &s->imports[i];
        if (strcmp(name->name, "*") != 0) {
            env_bind(front, env, name->bound, from_module(front, &named, file, name), env->clock);
        } else if (file) {
            import_all(front, env, file);
        } else if (known && library_is_package(module)) {
            if (library_package(front, module)->u.i == LIBRARY_OPERATORS)
                env->star_operators = 1;
            else
                env->star_library = 1;
        }
    }
}

/* ---- definitions -------------------------------------------------------------------------------------------------*/

int decorator_builtin(struct eval *ev, const struct expr *d, uint32_t *builtin, const struct expr **call)
{
    *call = d->kind == EXPR_CALL ? d : NULL;
    const struct value *v = eval_expr(ev, *call ? d->left : d);
    if (!v || v->kind != VALUE_BUILTIN)
        return 0;
    *builtin = v->builtin;
    return 1;
}

/* The Module that @runtime_module(MODULE) names. */
static const struct value *implemented(struct eval *ev, const struct expr *call)
{
    const struct value *v = call && call->n_items == 1 ? eval_expr(ev, call->items[0]) : NULL;
    return v && v->kind == VALUE_MODULE ? v : NULL;
}

static void run_class(struct front *front, struct env *env, const struct stmt *s)
{
    uint32_t builtin;
    const struct expr *call;
    const struct value *twin_of = NULL;
    for (uint32_t i = 0; i < s->n_decorators; i++) {
        struct eval ev = eval_at(front, env);
        if (!decorator_builtin(&ev, s->decorators[i], &builtin, &call))
            continue;
        if (builtin == BUILTIN_MODULE) {
            env_bind(front, env, s->name, module_recipe(front, env, s, call), env->clock);
            return;
        }
        if (builtin == BUILTIN_RUNTIME_MODULE)
            twin_of = implemented(&ev, call);
    }
    struct env *body = env_new(front, env, env->clock, env->file);
    body->is_class = 1;
    env_bind(front, env, s->name, twin_space(front, body, twin_of), env->clock);
    host_run(front, body, s->body, s->n_body);
}

static void run_def(struct front *front, struct env *env, const struct stmt *s)
{
    const struct value *v = NULL;
    for (uint32_t i = 0; i < s->n_decorators && !v; i++)
        v = function_recipe(front, env, s, s->decorators[i]);
    if (!v) {
        struct value *def = value_new(front->ctx, VALUE_DEF);
        def->u.s = s->name;
        v = def;
    }
    env_bind(front, env, s->name, v, env->clock);
}

/* ---- the rest ----------------------------------------------------------------------------------------------------*/

static void run_body(struct front *front, struct env *env, struct stmt *const *body, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        env->loc = body[i]->loc;
        run_statement(front, env, body[i]);
        env->clock++;
    }
}

/* A condition that is not known: names of both branches are bound, those of the first last, since it is what the
 * ordinary case reads. */
static void run_if(struct front *front, struct env *env, const struct stmt *s)
{
    const struct value *condition = tolerant(front, env, s->value);
    int known = condition->kind != VALUE_OPAQUE;
    if (!known || !value_truth(condition))
        run_body(front, env, s->orelse, s->n_orelse);
    if (!known || value_truth(condition))
        run_body(front, env, s->body, s->n_body);
}

static void forget_targets(struct front *front, struct env *env, const struct stmt *s)
{
    const struct value *o = opaque(front, &s->loc, "a statement of the host level that is not executed binds it");
    for (uint32_t i = 0; i < s->n_targets; i++)
        bind_opaque(front, env, s->targets[i], o);
    for (uint32_t i = 0; i < s->n_items; i++)
        if (s->items[i].target)
            bind_opaque(front, env, s->items[i].target, o);
    for (uint32_t i = 0; i < s->n_body; i++)
        forget_targets(front, env, s->body[i]);
    for (uint32_t i = 0; i < s->n_orelse; i++)
        forget_targets(front, env, s->orelse[i]);
}

static void run_statement(struct front *front, struct env *env, const struct stmt *s)
{
    switch (s->kind) {
    case STMT_ASSIGN: {
        const struct value *v = tolerant(front, env, s->value);
        for (uint32_t i = 0; i < s->n_targets; i++)
            bind_target(front, env, s->targets[i], v);
        break;
    }
    case STMT_ANNOTATE:
        if (s->value)
            bind_target(front, env, s->targets[0], tolerant(front, env, s->value));
        break;
    case STMT_AUGMENT: run_augment(front, env, s); break;
    case STMT_IMPORT: run_import(front, env, s); break;
    case STMT_FROM: run_from(front, env, s); break;
    case STMT_CLASS: run_class(front, env, s); break;
    case STMT_DEF: run_def(front, env, s); break;
    case STMT_IF: run_if(front, env, s); break;
    case STMT_WITH:
    case STMT_OTHER: run_body(front, env, s->body, s->n_body); break;
    case STMT_FOR:
    case STMT_WHILE: forget_targets(front, env, s); break;
    default: break;
    }
}

void host_run(struct front *front, struct env *env, struct stmt *const *body, uint32_t n)
{
    run_body(front, env, body, n);
}

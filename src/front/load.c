/* SPDX-License-Identifier: MIT
 * SOURCE: FILE.py[:Module[.child]...[.function]], split at the first colon.
 */
#include "front/front.h"

#include "front/module.h"
#include "front/prepare.h"
#include "util/diag.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- choosing ----------------------------------------------------------------------------------------------------*/

/* Distinct Modules bound at module level: names sorted, a value under several names once. */
struct found {
    const char **names;
    const struct value **values;
    size_t n, room_names, room_values;
    size_t n_functions;
};

static void note_module(struct front *front, struct found *f, const char *name, const struct value *v)
{
    if (v->kind == VALUE_FUNCTION)
        f->n_functions++;
    if (v->kind != VALUE_MODULE)
        return;
    for (size_t i = 0; i < f->n; i++)
        if (f->values[i]->u.module == v->u.module)
            return;
    f->names = front_grow(front->ctx, f->names, f->n, &f->room_names, sizeof(*f->names));
    f->values = front_grow(front->ctx, f->values, f->n, &f->room_values, sizeof(*f->values));
    f->names[f->n] = name;
    f->values[f->n++] = v;
}

static void find_modules(struct front *front, const struct env *env, struct found *f)
{
    for (size_t i = 0; i < env->n; i++)
        if (!env->bindings[i].previous)
            note_module(front, f, env->bindings[i].name, env_here(env, env->bindings[i].name, HOST_END));
}

static int by_name(const void *a, const void *b)
{
    const char *const *x = a, *const *y = b;
    return strcmp(*x, *y);
}

static const struct value *only_module(struct front *front, const struct host_file *file)
{
    struct tf_loc loc = loc_file(file->file);
    struct found f = {0};
    find_modules(front, file->env, &f);
    if (f.n == 1)
        return f.values[0];
    if (f.n == 0) {
        ERROR(front->ctx, &loc, "selector",
            f.n_functions ? "the file defines functions but no Module; a function in a @module class can be selected"
                          : "the file defines no Module");
        return NULL;
    }
    struct buf list = {0};
    qsort(f.names, f.n, sizeof(*f.names), by_name);
    for (size_t i = 0; i < f.n && i < 20; i++)
        buf_printf(&list, "%s%s", i ? ", " : "", f.names[i]);
    ERROR(front->ctx, &loc, "selector", "the file defines several Modules (%s%s); add ':Module'", buf_text(&list),
        f.n > 20 ? ", ..." : "");
    buf_free(&list);
    return NULL;
}

/* A class that implements a Module stands for it where implementations are asked for. */
static const struct value *twin_module(
    struct front *front, const struct tf_loc *loc, const char *name, const struct value *v, struct selection *out)
{
    if (out->is_twin)
        return v->twin_of;
    ERROR(front->ctx, loc, "selector",
        "'%s' implements a Module in Python and is none; name the Module that it implements", name);
    return NULL;
}

static const struct value *named_module(
    struct front *front, const struct host_file *file, const char *name, struct selection *out)
{
    struct tf_loc loc = loc_file(file->file);
    const struct value *v = env_here(file->env, name, HOST_END);
    if (!v) {
        struct found f = {0};
        find_modules(front, file->env, &f);
        const char *near = f.n ? did_you_mean(name, f.names, f.n) : NULL;
        ERROR(front->ctx, &loc, "selector",
            near ? "the file does not define '%s'; did you mean '%s'?" : "the file does not define '%s'%.0s", name,
            near ? near : "");
        return NULL;
    }
    if (v->kind == VALUE_SPACE && v->twin_of)
        return twin_module(front, &loc, name, v, out);
    out->is_twin = 0;
    if (v->kind == VALUE_MODULE)
        return v;
    if (v->kind == VALUE_OPAQUE)
        opaque_report(front, &env_binding(file->env, name, HOST_END)->loc, name, v);
    else
        ERROR(front->ctx, &loc, "selector", "'%s' is %s, not a Module%s", name, value_kind_text(v->kind),
            v->kind == VALUE_FUNCTION ? "; put the function into a @module class" : "");
    return NULL;
}

/* The parts of the selector: at least one, none empty. */
static int split_selector(tf_ctx *ctx, const struct tf_loc *loc, const char *selector, const char ***parts, size_t *n)
{
    size_t room = 0;
    *parts = NULL;
    *n = 0;
    if (!*selector) {
        ERROR(ctx, loc, "selector", "nothing follows the ':' of the source");
        return 0;
    }
    for (const char *p = selector;; p++) {
        size_t length = strcspn(p, ".");
        if (length == 0) {
            ERROR(ctx, loc, "selector", "selector '%s' has an empty part", selector);
            return 0;
        }
        *parts = front_grow(ctx, *parts, *n, &room, sizeof(**parts));
        (*parts)[(*n)++] = ctx_intern_n(ctx, p, length);
        p += length;
        if (!*p)
            return 1;
    }
}

static int not_found(tf_ctx *ctx, const struct tf_loc *loc, const struct ir_module *m, const char *name, int is_last)
{
    size_t n = 0;
    const char **names = CTX_ARRAY(ctx, const char *, (size_t)m->n_children + m->n_functions + 1);
    for (uint32_t i = 0; i < m->n_children; i++)
        names[n++] = m->children[i]->name;
    for (uint32_t i = 0; is_last && i < m->n_functions; i++)
        names[n++] = m->functions[i]->pub.name;
    const char *near = n ? did_you_mean(name, names, n) : NULL;
    ERROR(ctx, loc, "selector", "Module '%s' has no child%s '%s'%s%s%s", m->name, is_last ? " and no function" : "",
        name, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    return 0;
}

static int walk_selector(
    struct front *front, const struct tf_loc *loc, const char *const *parts, size_t n, struct selection *out)
{
    for (size_t i = 1; i < n; i++) {
        struct ir_module *child = module_child(out->module, parts[i]);
        struct ir_function *function = i + 1 == n ? module_function(out->module, parts[i]) : NULL;
        if (!child && !function)
            return not_found(front->ctx, loc, out->module, parts[i], i + 1 == n);
        if (child)
            out->module = child;
        else
            out->function = function;
    }
    if (!out->function && out->module->entry)
        out->function = module_function(out->module, out->module->entry);
    return 1;
}

/* ---- loading -----------------------------------------------------------------------------------------------------*/

static struct ir_program *program_of(struct front *front, const struct host_file *file, struct ir_module *root)
{
    struct ir_program *program = CTX_NEW(front->ctx, struct ir_program);
    program->file = file->file;
    program->n_modules = 1;
    program->modules = CTX_NEW(front->ctx, struct ir_module *);
    program->modules[0] = root;
    return program;
}

/* Where the steps ran out, nothing after that was evaluated: what is missing would be told with a wrong reason. */
static int steps_left(struct front *front, const struct tf_loc *loc)
{
    if (front->steps <= front->ctx->limits.steps)
        return 1;
    ERROR(front->ctx, loc, "limit",
        "the file takes more than %" PRIu64 " steps of static evaluation; --limit steps=N allows more",
        front->ctx->limits.steps);
    return 0;
}

static int load(struct front *front, const struct host_file *file, const char *selector, struct selection *out)
{
    struct tf_loc loc = loc_file(file->file);
    const char **parts = NULL;
    size_t n = 0;
    if (selector && !split_selector(front->ctx, &loc, selector, &parts, &n))
        return TF_E_REFUSED;
    if (!steps_left(front, &loc))
        return TF_E_REFUSED;
    const struct value *v = selector ? named_module(front, file, parts[0], out) : only_module(front, file);
    if (!v)
        return TF_E_REFUSED;
    prepare_functions(front, v->u.module);
    struct ir_module *root = module_force(front, v->u.module);
    if (!root)
        return TF_E_REFUSED;
    out->program = program_of(front, file, root);
    out->module = root;
    out->selector = selector;
    if (!walk_selector(front, &loc, parts, n, out))
        return TF_E_REFUSED;
    return ir_verify(front->ctx, root);
}

static int load_source(tf_ctx *ctx, const char *source, struct selection *selection)
{
    size_t errors = diag_errors(ctx);
    const char *colon = strchr(source, ':');
    const char *path = colon ? ctx_intern_n(ctx, source, (size_t)(colon - source)) : source;
    struct front *front = CTX_NEW(ctx, struct front);
    front->ctx = ctx;
    struct host_file *file = host_open(front, path);
    if (!file || !file->ast)
        return TF_E_REFUSED;
    int rc = load(front, file, colon ? colon + 1 : NULL, selection);
    if (rc != TF_OK && diag_errors(ctx) == errors) {
        struct tf_loc loc = loc_file(file->file);
        ERROR(ctx, &loc, "internal", "the program was refused without a reason");
    }
    return rc == TF_OK && diag_errors(ctx) != errors ? TF_E_REFUSED : rc;
}

int front_load(tf_ctx *ctx, const char *source, struct selection *selection)
{
    *selection = (struct selection){0};
    return load_source(ctx, source, selection);
}

int front_load_twin(tf_ctx *ctx, const char *source, struct selection *selection)
{
    *selection = (struct selection){.is_twin = strchr(source, ':') != NULL};
    return load_source(ctx, source, selection);
}

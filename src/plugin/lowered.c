/* SPDX-License-Identifier: MIT */
#include "plugin/lowered.h"

#include "plugin/registry.h"
#include "util/buf.h"
#include "util/diag.h"

#include <string.h>

static int is_listed(const char *const *list, const char *name)
{
    while (list && *list && strcmp(*list, name) != 0)
        list++;
    return list && *list;
}

/* "none of that kind is loaded", or "there are a, b" */
static const char *names_text(tf_ctx *ctx, const char *kind)
{
    const char *const *names;
    struct buf list = {0};
    size_t n = registry_names(ctx, kind, &names);
    for (size_t i = 0; i < n; i++)
        buf_printf(&list, "%s%s", i ? ", " : "there are ", names[i]);
    const char *text = n ? arena_strndup(&ctx->arena, buf_text(&list), list.n) : "there are none";
    buf_free(&list);
    return text;
}

/* ---- the backend --------------------------------------------------------------------------------------------------*/

/* One that --plugin named stands before those that are only there. */
static const struct tf_backend *explicit_backend(tf_ctx *ctx)
{
    const struct plugin *const *plugins;
    size_t n = registry_plugins(ctx, &plugins);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; plugins[i]->is_explicit && k < plugins[i]->descriptor.n_backends; k++)
            if (plugins[i]->descriptor.backends[k]->lower)
                return plugins[i]->descriptor.backends[k];
    return NULL;
}

static const struct tf_backend *default_backend(tf_ctx *ctx)
{
    const char *const *names;
    size_t n = registry_names(ctx, "backend", &names);
    for (size_t i = 0; i < n; i++) {
        const struct tf_backend *backend = registry_backend(ctx, names[i]);
        if (backend && backend->lower && is_listed(backend->targets, "*"))
            return backend;
    }
    ERROR(ctx, NULL, "backend-missing",
        "no backend on the plugin path generates code for any target; --backend names one");
    return NULL;
}

static const struct tf_backend *find_backend(tf_ctx *ctx, const char *name)
{
    if (!name) {
        const struct tf_backend *backend = explicit_backend(ctx);
        return backend ? backend : default_backend(ctx);
    }
    const struct tf_backend *backend = registry_backend(ctx, name);
    if (!backend)
        ERROR(ctx, NULL, "backend-missing", "no backend is named %s: %s", name, names_text(ctx, "backend"));
    else if (!backend->lower)
        ERROR(ctx, NULL, "backend-missing", "backend %s generates no code", name);
    return backend && backend->lower ? backend : NULL;
}

/* All the calls that it has no code for. */
static int calls_supported(tf_ctx *ctx, const struct tf_program *program, const struct tf_backend *backend)
{
    int refused = 0;
    for (uint32_t i = 0; backend->supports && i < program->n_steps; i++) {
        const struct tf_step *step = &program->steps[i];
        const char *why = NULL;
        if (step->node->kind != TF_NODE_CALL || backend->supports(ctx, program, step, &why) == TF_OK)
            continue;
        refused = 1;
        ERROR(ctx, &step->node->loc, "backend-refuses", "backend %s has no code for '%s': %s", backend->name,
            step->node->op->name, why ? why : "it does not say why");
    }
    return refused ? TF_E_REFUSED : TF_OK;
}

/* ---- paths --------------------------------------------------------------------------------------------------------*/

/* A status that a plugin gave without a word is told in its stead. */
static int explained(tf_ctx *ctx, int status, size_t errors, const char *kind, const char *name, const char *what)
{
    if (status && diag_errors(ctx) == errors)
        ERROR(ctx, NULL, status == TF_E_UNSUPPORTED ? "backend-refuses" : "plugin-fault", "%s %s %s", kind, name, what);
    return status;
}

/* What the program is not, told of the place where it departs. */
static void tell_refusal(
    tf_ctx *ctx, uint32_t severity, const struct tf_program *program, const struct tf_path *path, const char *name)
{
    const struct tf_loc *loc = &program->function->loc;
    const char *why = path->why ? path->why(ctx, program, &loc) : NULL;
    const char *otherwise = path->summary ? path->summary : "it does not say what that is";
    diag(ctx, loc, severity, "path-refuses", "'%s' is not what path %s does: %s", program->function->name, name,
        why ? why : otherwise);
}

int path_find(
    tf_ctx *ctx, const struct tf_program *program, const char *name, const struct tf_path **path, void **match)
{
    size_t errors = diag_errors(ctx);
    *path = registry_path(ctx, name);
    *match = NULL;
    if (!*path || !(*path)->match) {
        ERROR(ctx, NULL, "path-missing", "no path is named %s: %s", name, names_text(ctx, "path"));
        return TF_E_REFUSED;
    }
    int status = (*path)->match(ctx, program, match);
    if (status && diag_errors(ctx) == errors)
        tell_refusal(ctx, DIAG_ERROR, program, *path, name);
    return status;
}

static int lower_demanded(tf_ctx *ctx, const struct tf_program *program, const char *name, struct lowered *lowered)
{
    size_t errors = diag_errors(ctx);
    int status = path_find(ctx, program, name, &lowered->path, &lowered->match);
    if (status)
        return status;
    if (!lowered->path->lower || !is_listed(lowered->path->backends, lowered->backend->name)) {
        ERROR(ctx, NULL, "path-missing", "path %s generates no code for backend %s", name, lowered->backend->name);
        return TF_E_REFUSED;
    }
    status = lowered->path->lower(ctx, lowered->match, lowered->backend->name, &lowered->artifact);
    return explained(ctx, status, errors, "path", name, "has no code for this program");
}

/* TF_OK, TF_E_UNSUPPORTED when no path does the program, or another status after a diagnostic. */
static int lower_by_paths(tf_ctx *ctx, const struct tf_program *program, struct lowered *lowered)
{
    const char *const *names;
    size_t n = registry_names(ctx, "path", &names), errors = diag_errors(ctx);
    for (size_t i = 0; i < n; i++) {
        const struct tf_path *path = registry_path(ctx, names[i]);
        void *match = NULL;
        if (!path || !path->match || !path->lower || !is_listed(path->backends, lowered->backend->name))
            continue;
        int status = path->match(ctx, program, &match);
        if (!status)
            status = path->lower(ctx, match, lowered->backend->name, &lowered->artifact);
        if (status == TF_E_UNSUPPORTED && diag_errors(ctx) == errors) {
            if (ctx->verbose > 0)
                tell_refusal(ctx, DIAG_NOTE, program, path, names[i]);
            continue;
        }
        lowered->path = path;
        lowered->match = match;
        return explained(ctx, status, errors, "path", names[i], "failed without saying why");
    }
    return TF_E_UNSUPPORTED;
}

/* ---- both ---------------------------------------------------------------------------------------------------------*/

static int lower_by_backend(tf_ctx *ctx, const struct tf_program *program, struct lowered *lowered)
{
    size_t errors = diag_errors(ctx);
    int status = calls_supported(ctx, program, lowered->backend);
    if (status)
        return status;
    status = lowered->backend->lower(ctx, program, &lowered->artifact);
    return explained(ctx, status, errors, "backend", lowered->backend->name, "has no code for this program");
}

static int is_whole(tf_ctx *ctx, const struct lowered *lowered)
{
    const struct tf_artifact *artifact = &lowered->artifact;
    if (artifact->text && artifact->length && artifact->entry)
        return TF_OK;
    ERROR(ctx, NULL, "plugin-fault", "%s %s gave no text, or no name of a function", lowered->path ? "path" : "backend",
        lowered->path ? lowered->path->name : lowered->backend->name);
    return TF_E_INTERNAL;
}

int lower_program(
    tf_ctx *ctx, const struct tf_program *program, const struct lowering_request *request, struct lowered *lowered)
{
    int status = TF_E_UNSUPPORTED, wants_path = request->path && strcmp(request->path, NO_PATH) != 0;
    *lowered = (struct lowered){
        .backend = find_backend(ctx, request->backend), .artifact = {.struct_size = sizeof(struct tf_artifact)}};
    lowered->artifact.fp8_overflow = request->fp8_overflow;
    if (!lowered->backend)
        return TF_E_REFUSED;
    if (wants_path)
        status = lower_demanded(ctx, program, request->path, lowered);
    else if (!request->path)
        status = lower_by_paths(ctx, program, lowered);
    if (status == TF_E_UNSUPPORTED && !wants_path)
        status = lower_by_backend(ctx, program, lowered);
    return status ? status : is_whole(ctx, lowered);
}

const char *lowered_declares(tf_ctx *ctx, const struct tf_program *program, const struct lowered *lowered)
{
    const struct tf_path *path = lowered->path;
    const struct tf_backend *backend = lowered->backend;
    if (path)
        return path->declares ? path->declares(ctx, lowered->match, backend->name) : NULL;
    return backend->declares ? backend->declares(ctx, program) : NULL;
}

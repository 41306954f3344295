/* SPDX-License-Identifier: MIT */
#include "check/backend.h"

#include "util/diag.h"

#include <string.h>

/* The one that is being checked: a twin is told apart from others by nothing but its functions. */
static const struct tf_backend *backend;
static void *module;

static const struct tf_tensor **list_of(tf_ctx *ctx, const struct tf_tensor *const *tensors, size_t n)
{
    const struct tf_tensor **list = CTX_ARRAY(ctx, const struct tf_tensor *, n + 1);
    if (n)
        memcpy(list, tensors, n * sizeof(*list));
    return list;
}

static int run(tf_ctx *ctx, void *twin, const struct tf_tensor *const *args, size_t n_args,
    struct tf_tensor *const *results, size_t n_results)
{
    (void)twin;
    struct tf_tensor **to = CTX_ARRAY(ctx, struct tf_tensor *, n_results + 1);
    if (n_results)
        memcpy(to, results, n_results * sizeof(*to));
    return backend->launch(ctx, module, list_of(ctx, args, n_args), to);
}

static const struct tf_twin TWIN = {.struct_size = sizeof(TWIN), .name = "backend", .run = run};

const struct tf_twin *backend_twin(void)
{
    return &TWIN;
}

int backend_open(
    tf_ctx *ctx, const struct tf_program *program, const struct lowering_request *request, struct lowered *lowered)
{
    size_t errors = diag_errors(ctx);
    if (lower_program(ctx, program, request, lowered))
        return CHECK_ERROR;
    if (!lowered->backend->compile || !lowered->backend->launch) {
        ERROR(ctx, NULL, "backend-missing", "backend %s generates code and does not run it", lowered->backend->name);
        return CHECK_ERROR;
    }
    int status = lowered->backend->compile(ctx, &lowered->artifact, &module);
    if (status && diag_errors(ctx) == errors)
        ERROR(
            ctx, NULL, "plugin-fault", "backend %s cannot compile this, and does not say why", lowered->backend->name);
    backend = status ? NULL : lowered->backend;
    return status ? CHECK_ERROR : 0;
}

void backend_close(tf_ctx *ctx)
{
    if (backend && backend->release)
        backend->release(ctx, module);
    backend = NULL;
}

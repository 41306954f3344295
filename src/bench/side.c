/* SPDX-License-Identifier: MIT */
#include "bench/bench.h"

#include "plugin/launches.h"
#include "util/diag.h"

#include <string.h>

/* ---- a lowered program --------------------------------------------------------------------------------------------*/

int side_open_lowered(
    tf_ctx *ctx, const struct tf_program *program, const struct lowering_request *request, struct side *side)
{
    struct lowered lowered;
    size_t errors = diag_errors(ctx);
    if (lower_program(ctx, program, request, &lowered))
        return TF_E_REFUSED;
    const struct tf_backend *backend = lowered.backend;
    if (!backend->compile || !backend->measure) {
        ERROR(ctx, NULL, "backend-missing", "backend %s generates code and does not measure it", backend->name);
        return TF_E_UNSUPPORTED;
    }
    int status = backend->compile(ctx, &lowered.artifact, &side->module);
    if (status && diag_errors(ctx) == errors)
        ERROR(ctx, NULL, "plugin-fault", "backend %s cannot compile this, and does not say why", backend->name);
    side->backend = status ? NULL : backend;
    side->declared = lowered_declares(ctx, program, &lowered);
    side->label =
        lowered.path ? arena_format(&ctx->arena, "%s, path %s", backend->name, lowered.path->name) : backend->name;
    return status;
}

/* ---- a twin -------------------------------------------------------------------------------------------------------*/

int side_open_twin(tf_ctx *ctx, const struct tf_twin *twin, const char *source, struct side *side)
{
    size_t errors = diag_errors(ctx);
    int status = twin->open ? twin->open(ctx, source, &side->opened) : TF_OK;
    if (status && diag_errors(ctx) == errors)
        ERROR(ctx, NULL, "plugin-fault", "twin %s cannot open %s, and does not say why", twin->name, source);
    if (status)
        return status;
    side->twin = twin;
    side->label = source;
    side->declared = twin->declares ? twin->declares(ctx, side->opened) : NULL;
    return TF_OK;
}

static size_t count(const void *const *list)
{
    size_t n = 0;
    while (list[n])
        n++;
    return n;
}

static int launch_twin(tf_ctx *ctx, void *data, const struct tf_tensor *const *args, struct tf_tensor *const *results)
{
    const struct side *side = data;
    return side->twin->run(
        ctx, side->opened, args, count((const void *const *)args), results, count((const void *const *)results));
}

/* ---- both ---------------------------------------------------------------------------------------------------------*/

static int measure(tf_ctx *ctx, struct side *side, const struct tf_tensor *const *args,
    struct tf_tensor *const *results, struct tf_timing *timing)
{
    if (side->backend)
        return side->backend->measure(ctx, side->module, args, results, timing);
    if (!side->twin->measure)
        return launches_time(ctx, launch_twin, side, args, results, timing);
    return side->twin->measure(ctx, side->opened, args, count((const void *const *)args), results,
        count((const void *const *)results), timing);
}

int side_measure(tf_ctx *ctx, struct side *side, const struct tf_tensor *const *args, struct tf_tensor *const *results,
    struct tf_timing *timing)
{
    size_t errors = diag_errors(ctx);
    int status = measure(ctx, side, args, results, timing);
    if (status && diag_errors(ctx) == errors)
        ERROR(ctx, NULL, "plugin-fault", "%s cannot be measured, and does not say why", side->label);
    for (uint32_t i = 0; !status && i < timing->n_samples; i++)
        if (!(timing->ns[i] > 0)) {
            ERROR(ctx, NULL, "plugin-fault", "%s: launch %u took %g ns", side->label, i, timing->ns[i]);
            status = TF_E_INTERNAL;
        }
    return status;
}

void side_close(tf_ctx *ctx, struct side *side)
{
    if (side->backend && side->backend->release)
        side->backend->release(ctx, side->module);
    if (side->twin && side->twin->close)
        side->twin->close(ctx, side->opened);
    for (size_t i = 0; side->results && side->results[i]; i++)
        tensor_release(side->results[i]);
    *side = (struct side){0};
}

/* SPDX-License-Identifier: MIT
 *
 * Source to a cubin, by NVRTC.  No device is needed for that.
 */
#include "cuda.h"

#include <string.h>

static const char *const options[] = {
    "--gpu-architecture=sm_90a", "--std=c++17", "--fmad=false", "--ptxas-options=-v", "--extra-device-vectorization"};

/* What the compiler says only as information, and means that the code is not what was written. */
static const char *const faults[] = {"C7508", "C7510", "serialized", "warning"};

static const char *log_of(tf_ctx *ctx, const struct nvrtc *nvrtc, nvrtc_program program)
{
    size_t bytes = 0;
    if (nvrtc->log_size(program, &bytes) || !bytes)
        return "";
    char *log = tf_host->alloc(ctx, bytes + 1);
    nvrtc->log(program, log);
    return log;
}

static int take_cubin(tf_ctx *ctx, const struct nvrtc *nvrtc, nvrtc_program program, struct compiled *compiled)
{
    size_t bytes = 0;
    if (nvrtc->cubin_size(program, &bytes) || !bytes)
        return TF_E_REFUSED;
    char *cubin = tf_host->alloc(ctx, bytes);
    if (nvrtc->cubin(program, cubin))
        return TF_E_REFUSED;
    compiled->cubin = cubin;
    compiled->length = bytes;
    return TF_OK;
}

static const char *obstacle(tf_ctx *ctx, const char *log)
{
    for (size_t i = 0; i < sizeof(faults) / sizeof(*faults); i++) {
        const char *at = strstr(log, faults[i]);
        const char *line = at;
        while (line && line > log && line[-1] != '\n')
            line--;
        if (at)
            return tf_host->format(ctx, "%.*s", (int)strcspn(line, "\n"), line);
    }
    return NULL;
}

int compile_source(tf_ctx *ctx, const char *text, struct compiled *compiled)
{
    const struct nvrtc *nvrtc;
    nvrtc_program program;
    const char *why = nvrtc_open(ctx, &nvrtc);
    if (why) {
        tf_host->error(ctx, NULL, NO_NVRTC, "%s", why);
        return TF_E_REFUSED;
    }
    if (nvrtc->create(&program, text, "kernel.cu", 0, NULL, NULL)) {
        tf_host->error(ctx, NULL, NOT_COMPILED, "NVRTC takes no program");
        return TF_E_REFUSED;
    }
    int failed = nvrtc->compile(program, (int)(sizeof(options) / sizeof(*options)), options);
    compiled->log = log_of(ctx, nvrtc, program);
    if (!failed)
        failed = take_cubin(ctx, nvrtc, program, compiled);
    nvrtc->destroy(&program);
    why = failed ? compiled->log : obstacle(ctx, compiled->log);
    if (why)
        tf_host->error(ctx, NULL, NOT_COMPILED, "NVRTC on the generated source: %s", why);
    return why ? TF_E_REFUSED : TF_OK;
}

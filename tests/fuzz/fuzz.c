/* SPDX-License-Identifier: MIT */
#include "fuzz/fuzz.h"

#include "plugin/registry.h"
#include "util/diag.h"
#include "util/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static int file = -1;

tf_ctx *fuzz_ctx(void)
{
    tf_ctx *ctx = ctx_create();
    ctx->limits.depth = 60;
    ctx->limits.tokens = 200000;
    ctx->limits.bytes = 1 << 20;
    ctx->limits.statements = 20000;
    ctx->limits.nodes = 20000;
    ctx->limits.elements = 2000;
    ctx->limits.steps = 100000;
    registry_create(ctx);
    return ctx;
}

/* Every diagnostic is rendered too: places and carets are code like any other. */
void fuzz_done(tf_ctx *ctx)
{
    FILE *nowhere = fopen("/dev/null", "w");
    if (!nowhere)
        abort();
    diag_flush(ctx, nowhere, 1);
    fclose(nowhere);
    registry_destroy(ctx->registry);
    ctx_destroy(ctx);
}

const char *fuzz_file(const uint8_t *data, size_t size)
{
    static char path[64];
    file = memfd_create("input", MFD_CLOEXEC);
    if (file < 0 || write_all(file, (const char *)data, size))
        abort();
    snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
    return path;
}

void fuzz_file_close(void)
{
    close(file);
    file = -1;
}

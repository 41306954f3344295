/* SPDX-License-Identifier: MIT */
#include "util/progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define QUIET 1.0 /* seconds */
#define TERMINAL_PAUSE 0.1
#define LINE_PAUSE 2.0

struct progress {
    int is_terminal, is_shown;
    double began, last; /* seconds */
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

void progress_start(tf_ctx *ctx, int always)
{
    int is_terminal = isatty(STDERR_FILENO);
    if ((!is_terminal && !always) || ctx->verbose < 0)
        return;
    ctx->progress = CTX_NEW(ctx, struct progress);
    *ctx->progress = (struct progress){.is_terminal = is_terminal, .began = now()};
}

void progress_tell(tf_ctx *ctx, const char *what, uint64_t done, uint64_t total)
{
    struct progress *p = ctx->progress;
    double time = p ? now() : 0;
    if (!p || time - p->began < QUIET || time - p->last < (p->is_terminal ? TERMINAL_PAUSE : LINE_PAUSE))
        return;
    int percent = (int)(total ? 100 * ((double)done / (double)total) : 0);
    p->last = time;
    p->is_shown = 1;
    fprintf(stderr, p->is_terminal ? "\r\033[K%s: %d %%" : "%s: %d %%\n", what, percent);
    fflush(stderr);
}

void progress_end(tf_ctx *ctx)
{
    if (ctx->progress && ctx->progress->is_terminal && ctx->progress->is_shown)
        fputs("\r\033[K", stderr);
    ctx->progress = NULL;
}

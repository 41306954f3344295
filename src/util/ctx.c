/* SPDX-License-Identifier: MIT */
#include "util/ctx.h"

#include <stdlib.h>

tf_ctx *ctx_create(void)
{
    tf_ctx *ctx = xrealloc(NULL, sizeof(*ctx));
    *ctx = (tf_ctx){0};
    arena_init(&ctx->arena);
    arena_init(&ctx->relations);
    intern_init(&ctx->names, &ctx->arena);
    ctx->limits = (struct limits){
#define X(name, fallback, what) .name = (fallback),
        TF_LIMITS(X)
#undef X
    };
    return ctx;
}

void ctx_destroy(tf_ctx *ctx)
{
    if (!ctx)
        return;
    intern_finish(&ctx->names);
    arena_finish(&ctx->relations);
    arena_finish(&ctx->arena);
    free(ctx);
}

const char *ctx_intern(tf_ctx *ctx, const char *text)
{
    return intern(&ctx->names, text);
}

const char *ctx_intern_n(tf_ctx *ctx, const char *text, size_t length)
{
    return intern_n(&ctx->names, text, length);
}

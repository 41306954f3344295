/* SPDX-License-Identifier: MIT
 * What unit tests of evaluation and checks begin and end with: a context with our plugins, and what it has to say.
 */
#ifndef TF_TESTS_CONTEXT_H
#define TF_TESTS_CONTEXT_H

#include "eval/tensor.h"
#include "plugin/registry.h"
#include "util/diag.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

static tf_ctx *ctx;
static struct tensor_memory memory; /* all of it is given back at the end of a test */

/* Plugins come from the build alone; `math` is what operators are given of functions of real numbers. */
static inline void begin_context(const struct tf_math *math)
{
    const char *build = getenv("TF_BUILD");
    ctx = ctx_create();
    ctx->math = math;
    registry_only_added_paths(ctx);
    ck_assert_int_eq(registry_add_path(ctx, arena_format(&ctx->arena, "%s/plugins/.libs", build ? build : ".")), 0);
}

static inline void end_context(void)
{
    ck_assert_uint_eq(memory.now, 0);
    registry_destroy(ctx->registry);
    ctx_destroy(ctx);
}

/* What was said since the last time. */
static inline const char *told(void)
{
    char *text = NULL;
    size_t length = 0;
    FILE *to = open_memstream(&text, &length);
    diag_flush(ctx, to, 0);
    fclose(to);
    const char *kept = ctx_intern(ctx, text);
    free(text);
    return kept;
}

#endif

/* SPDX-License-Identifier: MIT */
#include "plugin/numbers.h"
#include "util/place.h"

const struct tf_math *number_math(tf_ctx *ctx)
{
    if (!ctx->math)
        ctx->math = module_symbol(ctx, "math", "tilefoundry_math");
    return ctx->math;
}

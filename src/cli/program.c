/* SPDX-License-Identifier: MIT
 * What every command that reads a program shares.
 */
#include "cli/cli.h"

#include "ir/ir.h"
#include "target/target.h"
#include "util/diag.h"
#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

int add_dim(tf_ctx *ctx, struct dim_bindings *bound, const char *text)
{
    const char *equals = strchr(text, '=');
    int64_t value;
    if (!equals || equals == text || !equals[1])
        return usage_error(ctx, "--dim takes NAME=EXTENT, got '%s'", text);
    const char *name = ctx_intern_n(ctx, text, (size_t)(equals - text));
    if (strchr(equals, ','))
        return usage_error(ctx, "--dim %s takes one EXTENT at a time, got '%s'", name, equals + 1);
    const char *digits = equals + 1 + (equals[1] == '-');
    if (parse_count(digits, &value))
        return usage_error(ctx, "--dim %s: the extent must be an integer, got '%s'", name, equals + 1);
    for (size_t i = 0; i < bound->n; i++)
        if (bound->at[i].name == name)
            return usage_error(ctx, "--dim %s was given twice", name);
    struct dim_binding binding = {.name = name, .value = digits == equals + 1 ? value : -value};
    VEC_PUSH(bound, binding);
    return 0;
}

const struct tf_target *program_target(tf_ctx *ctx, const struct ir_module *module)
{
    if (ctx->cli->target)
        return target_open(ctx, NULL, ctx->cli->target);
    const struct ir_module *owner = module;
    while (owner && !owner->target && !owner->target_path)
        owner = owner->parent;
    if (owner)
        return target_open(ctx, &owner->loc, owner->target_path ? owner->target_path : owner->target);
    ERROR(ctx, &module->loc, "no-target",
        "Module '%s' and its owners declare no target; state one in @module(target=..) of the outermost, or by "
        "--target",
        module->name);
    return NULL;
}

void turn_cache_off(void)
{
    setenv("TILEFOUNDRY_NO_CACHE", "1", 1);
}

int refuse_no_entry(tf_ctx *ctx, const struct ir_module *module)
{
    ERROR(ctx, &module->loc, "no-entry", "Module '%s' declares no entry; select one of its functions with :%s.NAME",
        module->name, module->name);
    return EXIT_FAILED;
}

/* SPDX-License-Identifier: MIT
 * A program file, through parsing, lowering and every analysis, and printed.
 */
#include "fuzz/fuzz.h"

#include "front/front.h"
#include "ir/bind.h"
#include "plugin/registry.h"
#include "report/report.h"
#include "target/target.h"
#include "util/diag.h"

static struct ir_module *shown_as(
    tf_ctx *ctx, const struct ir_module *module, struct ir_function *inlined, const struct tf_target *target)
{
    struct ir_module *shown = CTX_NEW(ctx, struct ir_module);
    const struct tf_topology *levels;
    uint32_t n;
    module_levels(module, &levels, &n);
    *shown = (struct ir_module){.name = module->name,
        .entry = inlined->pub.name,
        .target = target->id,
        .has_levels = n != 0,
        .n_levels = n,
        .n_functions = 1};
    shown->levels = arena_copy(&ctx->arena, levels, n * sizeof(*levels));
    shown->functions = arena_copy(&ctx->arena, &inlined, sizeof(inlined));
    inlined->owner = shown;
    return shown;
}

static void report(tf_ctx *ctx, const struct ir_module *module, struct ir_function *inlined,
    const struct tf_target *target, const char *const *families, size_t n)
{
    const struct tf_program *program = ir_program_make(ctx, module, inlined, target, NULL);
    struct report_options options = {.operands = 1, .requested = families, .n_requested = n};
    struct buf out = {0};
    if (!program)
        return;
    ctx->program = program;
    report_create(ctx, &options);
    if (!report_run(ctx, program))
        report_text(ctx, &out, shown_as(ctx, module, inlined, target));
    report_finish(ctx);
    ctx->report = NULL;
    buf_free(&out);
}

static void analyse(tf_ctx *ctx, const struct ir_module *module, const struct ir_function *function)
{
    struct dim_var vars[8];
    struct dim_binding bound[8];
    const char *const *families;
    size_t n = program_dimensions(ctx, module, function, vars, 8),
           n_families = registry_names(ctx, "analyzer", &families);
    const char *id = module_target(module);
    const struct tf_target *target = target_open(ctx, NULL, id ? id : "nvidia.h200_sxm");
    if (n > 8 || !target)
        return;
    for (size_t i = 0; i < n; i++)
        bound[i] = (struct dim_binding){vars[i].name, vars[i].lo};
    struct ir_function *inlined = ir_inline(ctx, module, function, bound, n);
    if (!inlined)
        return;
    report(ctx, module, inlined, target, families, n_families);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tf_ctx *ctx = fuzz_ctx();
    struct selection selected;
    struct buf out = {0};
    if (size < 1 << 16 && !front_load(ctx, fuzz_file(data, size), &selected) && selected.module) {
        if (selected.function)
            analyse(ctx, selected.module, selected.function);
        ir_print_module(ctx, &out, selected.module, NULL);
    }
    if (size < 1 << 16)
        fuzz_file_close();
    buf_free(&out);
    fuzz_done(ctx);
    return 0;
}

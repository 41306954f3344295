/* SPDX-License-Identifier: MIT */
#include "bench/bench.h"

#include "ir/ir.h"
#include "plugin/registry.h"
#include "report/report.h"
#include "util/diag.h"

/* One analyzer after those that it requires. */
static int ask(
    tf_ctx *ctx, const struct tf_program *program, const struct tf_analyzer *analyzer, struct tf_figures *figures)
{
    const struct report_options options = {.requested = &analyzer->name, .n_requested = 1};
    report_create(ctx, &options);
    int status = report_run(ctx, program);
    if (!status)
        analyzer->figures(ctx, program, figures);
    report_finish(ctx);
    return status;
}

static void ask_all(tf_ctx *ctx, const struct tf_program *program, struct tf_figures *figures, const char **why)
{
    const char *const *names;
    size_t n = registry_names(ctx, "analyzer", &names);
    for (size_t i = 0; i < n; i++) {
        const struct tf_analyzer *analyzer = registry_analyzer(ctx, names[i]);
        size_t mark = diag_mark(ctx);
        const char *code;
        if (analyzer && analyzer->figures && ask(ctx, program, analyzer, figures) && !*why)
            *why = diag_first_error(ctx, mark, &code);
        diag_drop(ctx, mark);
    }
}

struct tf_figures figures_of(tf_ctx *ctx, const struct bench_job *job, const char **why)
{
    struct tf_figures figures = {sizeof(figures), -1, -1, -1, -1};
    const struct selection *selected = &job->selected;
    size_t mark = diag_mark(ctx);
    const char *code;
    *why = job->target ? NULL : "no target is stated: --target names one, or a document";
    if (*why)
        return figures;
    struct ir_function *inlined = ir_inline(ctx, selected->module, selected->function, job->dims, job->n_dims);
    const struct tf_program *program =
        inlined ? ir_program_make(ctx, selected->module, inlined, job->target, NULL) : NULL;
    if (program)
        ask_all(ctx, program, &figures, why);
    else
        *why = diag_first_error(ctx, mark, &code);
    diag_drop(ctx, mark);
    return figures;
}

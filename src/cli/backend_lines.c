/* SPDX-License-Identifier: MIT
 * The `# backend` lines of a report: what a backend named by --plugin could lower of the program, and what not, and
 * why.
 */
#include "cli/cli.h"

#include "report/report.h"

#include <string.h>

static int serves(const struct tf_backend *backend, const char *target)
{
    for (const char *const *id = backend->targets; id && *id; id++)
        if (!strcmp(*id, target) || !strcmp(*id, "*"))
            return 1;
    return 0;
}

static const char *served(tf_ctx *ctx, const struct tf_backend *backend)
{
    struct buf list = {0};
    for (const char *const *id = backend->targets; id && *id; id++)
        buf_printf(&list, "%s%s", list.n ? "," : "", *id);
    const char *text = arena_strndup(&ctx->arena, buf_text(&list), list.n);
    buf_free(&list);
    return text;
}

static void refuse_line(tf_ctx *ctx, const struct tf_backend *backend, const struct tf_node *node, const char *why)
{
    const char *name = node->name ? node->name : node->op->name;
    report_extra_line(ctx, arena_format(&ctx->arena, "backend name=%s refuses=%s:%u op=%s why=\"%s\"", backend->name,
                               name, node->loc.line, node->op->name, why ? why : "it does not say"));
}

void backend_lines(tf_ctx *ctx, const struct tf_program *program, const struct tf_backend *backend, const char *target)
{
    uint32_t calls = 0, lowered = 0;
    if (!serves(backend, target)) {
        report_extra_line(ctx, arena_format(&ctx->arena, "backend name=%s serves=%s why=\"it does not serve %s\"",
                                   backend->name, served(ctx, backend), target));
        return;
    }
    if (!backend->supports) {
        report_extra_line(
            ctx, arena_format(&ctx->arena, "backend name=%s why=\"it does not say what it can lower\"", backend->name));
        return;
    }
    const char **why = CTX_ARRAY(ctx, const char *, program->n_steps);
    char *refused = CTX_ARRAY(ctx, char, program->n_steps);
    for (uint32_t i = 0; i < program->n_steps; i++) {
        const struct tf_step *step = &program->steps[i];
        if (step->node->kind != TF_NODE_CALL)
            continue;
        calls++;
        refused[i] = backend->supports(ctx, program, step, &why[i]) != TF_OK;
        lowered += !refused[i];
    }
    report_extra_line(ctx, arena_format(&ctx->arena, "backend name=%s lowers=%u/%u", backend->name, lowered, calls));
    for (uint32_t i = 0; i < program->n_steps; i++)
        if (refused[i])
            refuse_line(ctx, backend, program->steps[i].node, why[i]);
}

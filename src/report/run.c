/* SPDX-License-Identifier: MIT
 * Running analyzers: what is asked for and all that it requires, each once, what is required first.
 */
#include "plugin/registry.h"
#include "report/store.h"
#include "util/diag.h"

#include <string.h>

struct report *report_create(tf_ctx *ctx, const struct report_options *options)
{
    struct report *report = CTX_NEW(ctx, struct report);
    report->ctx = ctx;
    report->options = *options;
    arena_init(&report->scratch);
    ctx->report = report;
    return report;
}

void report_finish(tf_ctx *ctx)
{
    struct report *report = ctx->report;
    if (!report)
        return;
    VEC_FREE(&report->families);
    buf_free(&report->text);
    buf_free(&report->open_text);
    arena_finish(&report->scratch);
    ctx->report = NULL;
}

static int is_requested(const struct report *report, const char *name)
{
    for (size_t i = 0; i < report->options.n_requested; i++)
        if (strcmp(report->options.requested[i], name) == 0)
            return 1;
    return 0;
}

static int is_listed(const struct report *report, const char *name)
{
    for (size_t i = 0; i < report->families.n; i++)
        if (strcmp(report->families.at[i]->name, name) == 0)
            return 1;
    return 0;
}

static struct family *family_new(struct report *report, const struct tf_analyzer *analyzer)
{
    struct family *family = CTX_NEW(report->ctx, struct family);
    const struct plugin *owner = registry_owner(report->ctx, analyzer);
    family->name = analyzer->name;
    family->order = analyzer->order;
    family->is_wanted = (uint32_t)is_requested(report, analyzer->name);
    family->analyzer = analyzer;
    family->plugin = owner ? owner->descriptor.name : NULL;
    family->version = owner ? owner->descriptor.version : NULL;
    return family;
}

static int unknown_family(struct report *report, const char *name, const char *asker)
{
    struct tf_loc nowhere = {0};
    ERROR(report->ctx, &nowhere, "analysis-unknown", "no plugin provides the analysis %s%s%s", name,
        asker ? ", which is required by " : "", asker ? asker : "");
    return TF_E_REFUSED;
}

/* Lists the family after what it requires.  A family that requires itself is found by the depth. */
static int list_family(struct report *report, const char *name, const char *asker, unsigned depth)
{
    if (is_listed(report, name))
        return TF_OK;
    const struct tf_analyzer *analyzer = registry_analyzer(report->ctx, name);
    if (!analyzer)
        return unknown_family(report, name, asker);
    if (depth > 64) {
        struct tf_loc nowhere = {0};
        ERROR(report->ctx, &nowhere, "analysis-cycle", "the analysis %s requires itself", name);
        return TF_E_REFUSED;
    }
    for (size_t i = 0; analyzer->requires && analyzer->requires[i]; i++) {
        int rc = list_family(report, analyzer->requires[i], name, depth + 1);
        if (rc)
            return rc;
    }
    if (!is_listed(report, name))
        VEC_PUSH(&report->families, family_new(report, analyzer));
    return TF_OK;
}

static int run_family(struct report *report, const struct family *family)
{
    tf_ctx *ctx = report->ctx;
    size_t errors = diag_errors(ctx);
    const char *before = ctx->plugin;
    ctx->plugin = family->plugin;
    int rc = family->analyzer->run(ctx, report->program);
    ctx->plugin = before;
    report_seal(report);
    if (rc && diag_errors(ctx) == errors) {
        struct tf_loc nowhere = {0};
        ERROR(ctx, &nowhere, rc == TF_E_OVERFLOW ? "overflow" : "analysis-failed",
            rc == TF_E_OVERFLOW ? "%s: a count passes 2^63 - 1" : "the analysis %s failed without a reason",
            family->name);
    }
    if (!rc && (report->failed || diag_errors(ctx) != errors))
        rc = TF_E_REFUSED;
    return rc;
}

/* Families are taken in their order, whatever order they were asked for in, and each once. */
static int sort_requested(struct report *report)
{
    const char **sorted = CTX_ARRAY(report->ctx, const char *, report->options.n_requested);
    uint32_t *orders = CTX_ARRAY(report->ctx, uint32_t, report->options.n_requested);
    size_t n = 0;
    for (size_t i = 0; i < report->options.n_requested; i++) {
        const char *name = report->options.requested[i];
        const struct tf_analyzer *analyzer = registry_analyzer(report->ctx, name);
        if (!analyzer)
            return unknown_family(report, name, NULL);
        size_t at = 0;
        while (at < n && strcmp(sorted[at], name))
            at++;
        if (at < n)
            continue;
        for (at = n++; at > 0 && orders[at - 1] > analyzer->order; at--) {
            sorted[at] = sorted[at - 1];
            orders[at] = orders[at - 1];
        }
        sorted[at] = name;
        orders[at] = analyzer->order;
    }
    report->options.requested = sorted;
    report->options.n_requested = n;
    return TF_OK;
}

int report_run(tf_ctx *ctx, const struct tf_program *program)
{
    struct report *report = ctx->report;
    report->program = ctx->program = program;
    report->calls = CTX_ARRAY(ctx, struct sealed *, program->n_steps);
    report->loops = CTX_ARRAY(ctx, struct tf_record *, program->n_loops);
    int rc = sort_requested(report);
    for (size_t i = 0; i < report->options.n_requested && !rc; i++)
        rc = list_family(report, report->options.requested[i], NULL, 0);
    for (size_t i = 0; i < report->families.n && !rc; i++)
        rc = run_family(report, report->families.at[i]);
    return rc;
}

struct family *const *report_sorted(struct report *report)
{
    size_t n = report->families.n;
    struct family **sorted = CTX_ARRAY(report->ctx, struct family *, n);
    for (size_t i = 0; i < n; i++) {
        size_t at = i;
        for (; at > 0 && sorted[at - 1]->order > report->families.at[i]->order; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = report->families.at[i];
    }
    return sorted;
}

/* SPDX-License-Identifier: MIT
 * --census: how many calls a program has, and how often they run.
 */
#include "scale.h"

static int run(tf_ctx *ctx, const struct tf_program *program)
{
    uint64_t calls = 0, runs = 0;
    for (uint32_t i = 0; i < program->n_steps; i++) {
        const struct tf_step *step = &program->steps[i];
        if (step->node->kind != TF_NODE_CALL)
            continue;
        if (step->runs > INT64_MAX - runs)
            return TF_E_OVERFLOW;
        calls++;
        runs += step->runs;
        struct tf_record *record = tf_host->record(ctx, "census", "census", TF_SCOPE_CALL, i);
        tf_host->record_text(record, "runs", tf_host->format(ctx, "%llu", (unsigned long long)step->runs));
        tf_host->json_uint(tf_host->record_json(record), "runs", step->runs);
    }
    struct tf_record *whole = tf_host->record(ctx, "census", "census", TF_SCOPE_FUNCTION, 0);
    tf_host->json_uint(tf_host->record_json(whole), "calls", calls);
    tf_host->json_uint(tf_host->record_json(whole), "runs", runs);
    tf_host->line(ctx, "census", "census calls=%llu runs=%llu", (unsigned long long)calls, (unsigned long long)runs);
    return TF_OK;
}

const struct tf_analyzer analyzer_census = {
    .struct_size = sizeof(analyzer_census),
    .name = "census",
    .summary = "how many calls there are, and how often they run",
    .order = 1000,
    .run = run,
};

/* SPDX-License-Identifier: MIT
 * roofline: the shortest time that the device needs for each call's work and gmem traffic, and for the function's.
 */
#include "rates.h"

#define FAMILY "roofline"

struct run {
    tf_ctx *ctx;
    const struct tf_program *program;
    struct prices prices;
    uint64_t bandwidth;
    struct text text;
    uint32_t json;
    struct bill bill;
};

/* ---- unrated work --------------------------------------------------------------------------------------------------*/

/* Entries of the bill that have no rate, by pipe and then by name. */
static uint32_t unrated(const struct bill *bill, uint32_t *index)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < bill->n; i++) {
        const struct price *price = &bill->entry[i].price;
        if (price->rate || !bill->entry[i].amount)
            continue;
        uint32_t at = n++;
        for (; at > 0; at--) {
            const struct price *before = &bill->entry[index[at - 1]].price;
            if (before->pipe < price->pipe ||
                (before->pipe == price->pipe && strcmp(kind_name(before->kind), kind_name(price->kind)) < 0))
                break;
            index[at] = index[at - 1];
        }
        index[at] = i;
    }
    return n;
}

static const char *text_unrated(struct run *run, const uint32_t *index, uint32_t n)
{
    struct text *text = &run->text;
    text_clear(text);
    for (uint32_t i = 0; i < n; i++) {
        const struct price *price = &run->bill.entry[index[i]].price;
        text_add(text, i ? "," : "");
        text_add(text, kit_pipes[price->pipe]);
        text_add(text, ":");
        text_add(text, kind_name(price->kind));
    }
    return text->at;
}

static void json_unrated(struct run *run, struct tf_json *in, const uint32_t *index, uint32_t n)
{
    struct tf_json *map = tf_host->json_object(in, "unrated");
    for (uint32_t i = 0; i < n; i++) {
        const struct price *price = &run->bill.entry[index[i]].price;
        struct tf_json *pipe = tf_host->json_object(map, kit_pipes[price->pipe]);
        tf_host->json_uint(pipe, kind_name(price->kind), run->bill.entry[index[i]].amount);
    }
}

/* ---- records -------------------------------------------------------------------------------------------------------*/

static const char *bound_by(const struct bound *bound, int has_unrated)
{
    if (bound->ideal_ns && bound->compute_ns == bound->memory_ns)
        return "balanced";
    if (bound->compute_ns > bound->memory_ns)
        return "compute";
    if (has_unrated)
        return "unrated"; /* what has no rate might well decide */
    return bound->ideal_ns ? "memory" : "none";
}

static void put_json(struct run *run, struct tf_record *record, const struct bound *bound, const char *by,
    const uint32_t *index, uint32_t n)
{
    struct tf_json *json = tf_host->record_json(record);
    tf_host->json_uint(json, "compute_ns", bound->compute_ns);
    tf_host->json_uint(json, "memory_ns", bound->memory_ns);
    tf_host->json_uint(json, "ideal_ns", bound->ideal_ns);
    tf_host->json_text(json, "bound_by", by);
    if (strcmp(by, "compute") == 0)
        tf_host->json_text(json, "pipe", kit_pipes[bound->pipe]);
    if (n)
        json_unrated(run, json, index, n);
}

static void put_text(struct run *run, struct tf_record *record, const struct bound *bound, const char *by,
    const uint32_t *index, uint32_t n)
{
    if (bound->ideal_ns) {
        text_clear(&run->text);
        text_number(&run->text, bound->ideal_ns);
        tf_host->record_text(record, "ideal-ns", run->text.at);
    }
    if (strcmp(by, "none") != 0)
        tf_host->record_text(record, "bound-by", by);
    if (n)
        tf_host->record_text(record, "unrated", text_unrated(run, index, n));
}

static void put_line(struct run *run, const struct bound *bound, const char *by, const uint32_t *index, uint32_t n)
{
    const char *ideal =
        bound->ideal_ns ? tf_host->format(run->ctx, " ideal-ns=%llu", (unsigned long long)bound->ideal_ns) : "";
    const char *word = strcmp(by, "none") ? tf_host->format(run->ctx, " bound-by=%s", by) : "";
    tf_host->line(
        run->ctx, FAMILY, FAMILY "%s%s%s%s", ideal, word, n ? " unrated=" : "", n ? text_unrated(run, index, n) : "");
}

static void record_call(struct run *run, uint32_t position, const struct bound *bound)
{
    uint32_t index[N_PIPES * N_KINDS], n = unrated(&run->bill, index);
    const char *by = bound_by(bound, n != 0);
    struct tf_record *record = tf_host->record(run->ctx, FAMILY, FAMILY, TF_SCOPE_CALL, position);
    put_text(run, record, bound, by, index, n);
    if (run->json)
        put_json(run, record, bound, by, index, n);
}

static void record_function(struct run *run, const struct bound *bound)
{
    uint32_t index[N_PIPES * N_KINDS], n = unrated(&run->bill, index);
    const char *by = bound_by(bound, n != 0);
    put_line(run, bound, by, index, n);
    struct tf_record *record = tf_host->record(run->ctx, FAMILY, FAMILY, TF_SCOPE_FUNCTION, 0);
    if (run->json)
        put_json(run, record, bound, by, index, n);
}

/* ---- the run -------------------------------------------------------------------------------------------------------*/

static int bound_call(
    struct run *run, const struct tf_step *step, const struct tf_call_work *work, const struct tf_call_traffic *traffic)
{
    struct bound bound;
    uint64_t bytes = 0;
    run->bill.n = 0;
    if (bill_call(&run->bill, &run->prices, work, work->units, 1) || gmem_bytes(traffic->whole, 1, &bytes))
        return count_overflow(run->ctx, run->program, step, "operations and bytes");
    if (bill_bound(&run->bill, bytes, run->bandwidth, &bound))
        return count_overflow(run->ctx, run->program, step, "nanoseconds");
    record_call(run, step->position, &bound);
    return TF_OK;
}

static int run_roofline(tf_ctx *ctx, const struct tf_program *program)
{
    struct run run = {.ctx = ctx, .program = program, .text = {.ctx = ctx}};
    const struct tf_call_work *work = tf_host->published(ctx, "compute-cost");
    const struct tf_call_traffic *traffic = tf_host->published(ctx, "memory");
    struct bound bound;
    int rc = need_bandwidth(ctx, program, FAMILY, &run.bandwidth);
    if (rc || !tf_host->wants(ctx, FAMILY))
        return rc;
    run.json = (uint32_t)tf_host->wants_json(ctx);
    find_prices(program->target, &run.prices);
    for (uint32_t i = 0; i < program->n_steps && !rc; i++)
        if (kit_is_call(&program->steps[i]))
            rc = bound_call(&run, &program->steps[i], &work[i], &traffic[i]);
    if (!rc)
        rc = function_bound(ctx, program, &run.prices, run.bandwidth, &run.bill, &bound);
    if (!rc)
        record_function(&run, &bound);
    return rc;
}

static void give_figures(tf_ctx *ctx, const struct tf_program *program, struct tf_figures *figures)
{
    struct prices prices;
    struct bill bill;
    struct bound bound;
    uint64_t bandwidth;
    find_prices(program->target, &prices);
    if (tf_host->target_bandwidth(program->target, TF_STORAGE_GMEM, &bandwidth) == TF_OK &&
        !function_bound(ctx, program, &prices, bandwidth, &bill, &bound))
        figures->ideal_ns = (double)bound.ideal_ns;
}

static const char *const requires_families[] = {"compute-cost", "memory", NULL};
static const struct tf_analyzer roofline = {
    .struct_size = sizeof(roofline),
    .name = FAMILY,
    .summary = "the shortest time that the device's rates allow",
    .order = 30,
    .requires = requires_families,
    .run = run_roofline,
    .figures = give_figures,
};

static const struct tf_analyzer *const analyzers[] = {&roofline};
static const struct tf_code codes[] = {
    {"overflow", "a count passes 2^63 - 1"},
    {"target-facts", "the target states no facts that the analysis needs"},
};
static const struct tf_plugin plugin = {
    TF_PLUGIN_HEAD,
    .name = "roofline",
    .version = "1.0",
    .summary = "bounds a program's time by the device's rates",
    .n_analyzers = 1,
    .analyzers = analyzers,
    .n_codes = sizeof(codes) / sizeof(*codes),
    .codes = codes,
};
TF_PLUGIN(plugin);

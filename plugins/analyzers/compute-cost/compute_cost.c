/* SPDX-License-Identifier: MIT
 * compute-cost: the work that each call asks for, by dtype and by service, for one unit and for all; the function's is
 * the sum over calls of record times runs.
 */
#include "kit.h"

#define FAMILY "compute-cost"

/* Counts by key, with the keys that occurred; a key may count nothing. */
struct tally {
    uint64_t seen;
    uint64_t whole[TF_DTYPE_COUNT], unit[TF_DTYPE_COUNT];
};

struct tallies {
    struct tally flops, service;
};

struct run {
    tf_ctx *ctx;
    const struct tf_program *program;
    struct tf_call_work *work;
    struct tallies total;
    struct text text;
    uint32_t dtype_order[TF_DTYPE_COUNT];
    const char *dtype_name[TF_DTYPE_COUNT];
    uint32_t n_calls, wanted, json;
};

/* ---- counting ------------------------------------------------------------------------------------------------------*/

static int check_work(struct run *run, const struct tf_step *step, const struct tf_work *work)
{
    for (uint32_t i = 0; i < work->n && i < TF_MAX_WORK; i++) {
        const struct tf_work_item *item = &work->item[i];
        uint32_t keys = item->pipe == TF_WORK_SERVICE ? TF_SERVICE_COUNT : TF_DTYPE_COUNT;
        if (item->pipe > TF_WORK_SERVICE || item->key >= keys)
            break;
        if (i + 1 == work->n)
            return TF_OK;
    }
    if (work->n == 0)
        return TF_OK;
    tf_host->error(run->ctx, &step->node->loc, "work-malformed", "the operator %s states work of a kind that is none",
        step->node->op->name);
    return TF_E_INTERNAL;
}

static int add_work(struct tallies *tallies, const struct tf_call_work *work, uint64_t runs)
{
    int over = 0;
    for (uint32_t i = 0; i < work->unit.n; i++) {
        const struct tf_work_item *item = &work->unit.item[i];
        struct tally *tally = item->pipe == TF_WORK_SERVICE ? &tallies->service : &tallies->flops;
        uint64_t whole = 0;
        tally->seen |= (uint64_t)1 << item->key;
        over |= count_add(&whole, item->amount, work->units);
        over |= count_add(&tally->whole[item->key], whole, runs);
        over |= count_add(&tally->unit[item->key], item->amount, runs);
    }
    return over;
}

/* ---- records -------------------------------------------------------------------------------------------------------*/

static void text_tally(
    struct run *run, const struct tally *tally, uint32_t n, const uint32_t *order, const char *const *names)
{
    struct text *text = &run->text;
    text_clear(text);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t key = order[i];
        if (!(tally->seen >> key & 1))
            continue;
        if (text->n)
            text_add(text, ",");
        text_add(text, names[key]);
        text_add(text, ":");
        text_number(text, tally->whole[key]);
        text_add(text, "@");
        text_number(text, tally->unit[key]);
    }
}

static const uint32_t service_order[TF_SERVICE_COUNT] = {0, 1, 2, 3}; /* their names are in order */

static const char *text_flops(struct run *run, const struct tallies *tallies)
{
    text_tally(run, &tallies->flops, TF_DTYPE_COUNT, run->dtype_order, run->dtype_name);
    return run->text.at;
}

static const char *text_service(struct run *run, const struct tallies *tallies)
{
    text_tally(run, &tallies->service, TF_SERVICE_COUNT, service_order, kit_services);
    return run->text.at;
}

static void json_tally(
    struct tf_json *in, const char *key, uint64_t seen, const uint64_t *counts, uint32_t n, const char *const *names)
{
    struct tf_json *map = tf_host->json_object(in, key);
    for (uint32_t i = 0; i < n; i++)
        if (seen >> i & 1)
            tf_host->json_uint(map, names[i], counts[i]);
}

static void json_tallies(const struct run *run, struct tf_json *in, const struct tallies *t)
{
    json_tally(in, "flops", t->flops.seen, t->flops.whole, TF_DTYPE_COUNT, run->dtype_name);
    json_tally(in, "flops_per_unit", t->flops.seen, t->flops.unit, TF_DTYPE_COUNT, run->dtype_name);
    json_tally(in, "service", t->service.seen, t->service.whole, TF_SERVICE_COUNT, kit_services);
    json_tally(in, "service_per_unit", t->service.seen, t->service.unit, TF_SERVICE_COUNT, kit_services);
}

static void record_call(struct run *run, const struct tf_step *step)
{
    struct tallies one = {0};
    add_work(&one, &run->work[step->position], 1);
    struct tf_record *record = tf_host->record(run->ctx, FAMILY, FAMILY, TF_SCOPE_CALL, step->position);
    if (one.flops.seen)
        tf_host->record_text(record, "flops", text_flops(run, &one));
    if (one.service.seen)
        tf_host->record_text(record, "service", text_service(run, &one));
    if (run->json)
        json_tallies(run, tf_host->record_json(record), &one);
}

static int count_call(struct run *run, const struct tf_step *step)
{
    const struct tf_op *op = step->node->op;
    struct tf_call_work *work = &run->work[step->position];
    work->units = step->units;
    int rc = op->cost ? op->cost(run->ctx, step->unit, &work->unit) : TF_OK;
    if (rc == TF_E_OVERFLOW)
        return count_overflow(run->ctx, run->program, step, "operations");
    if (!rc)
        rc = check_work(run, step, &work->unit);
    if (rc)
        return rc;
    run->n_calls++;
    if (add_work(&run->total, work, step->runs))
        return count_overflow(run->ctx, run->program, step, "operations");
    if (run->wanted)
        record_call(run, step);
    return TF_OK;
}

static void record_function(struct run *run)
{
    tf_ctx *ctx = run->ctx;
    if (run->n_calls) { /* a body without calls asks for nothing and has no record */
        struct text line = {.ctx = ctx};
        text_clear(&line);
        if (run->total.flops.seen) {
            text_add(&line, " flops=");
            text_add(&line, text_flops(run, &run->total));
        }
        if (run->total.service.seen) {
            text_add(&line, " service=");
            text_add(&line, text_service(run, &run->total));
        }
        tf_host->line(ctx, FAMILY, FAMILY "%s", line.at);
        struct tf_record *record = tf_host->record(ctx, FAMILY, FAMILY, TF_SCOPE_FUNCTION, 0);
        if (run->json)
            json_tallies(run, tf_host->record_json(record), &run->total);
    }
    if (run->json && (run->n_calls || tf_host->wants(ctx, "memory") || tf_host->wants(ctx, "roofline"))) {
        struct tf_json *totals = tf_host->record_json(tf_host->record(ctx, FAMILY, "totals", TF_SCOPE_REPORT, 0));
        json_tally(totals, "flops", run->total.flops.seen, run->total.flops.whole, TF_DTYPE_COUNT, run->dtype_name);
        tf_host->json_object(totals, "traffic"); /* memory fills it where it runs */
    }
}

static int run_compute_cost(tf_ctx *ctx, const struct tf_program *program)
{
    struct run run = {.ctx = ctx, .program = program, .text = {.ctx = ctx}};
    run.wanted = (uint32_t)tf_host->wants(ctx, FAMILY);
    run.json = (uint32_t)tf_host->wants_json(ctx);
    run.work = tf_host->alloc(ctx, program->n_steps * sizeof(*run.work));
    for (uint32_t d = 0; d < TF_DTYPE_COUNT; d++)
        run.dtype_name[d] = tf_host->dtype(d)->name;
    sort_names(TF_DTYPE_COUNT, run.dtype_name, run.dtype_order);
    for (uint32_t i = 0; i < program->n_steps; i++) {
        int rc = kit_is_call(&program->steps[i]) ? count_call(&run, &program->steps[i]) : TF_OK;
        if (rc)
            return rc;
    }
    tf_host->publish(ctx, FAMILY, run.work);
    if (run.wanted || tf_host->wants(ctx, "memory") || tf_host->wants(ctx, "roofline"))
        record_function(&run);
    return TF_OK;
}

static void give_figures(tf_ctx *ctx, const struct tf_program *program, struct tf_figures *figures)
{
    const struct tf_call_work *work = tf_host->published(ctx, FAMILY);
    figures->flops = 0;
    for (uint32_t i = 0; i < program->n_steps; i++)
        for (uint32_t k = 0; kit_is_call(&program->steps[i]) && k < work[i].unit.n; k++)
            if (work[i].unit.item[k].pipe != TF_WORK_SERVICE)
                figures->flops +=
                    (double)work[i].unit.item[k].amount * (double)work[i].units * (double)program->steps[i].runs;
}

/* ---- the plugin ----------------------------------------------------------------------------------------------------*/

static const struct tf_analyzer compute_cost = {
    .struct_size = sizeof(compute_cost),
    .name = FAMILY,
    .summary = "operations by dtype and by service",
    .order = 10,
    .run = run_compute_cost,
    .figures = give_figures,
};

static const struct tf_analyzer *const analyzers[] = {&compute_cost};
static const struct tf_code codes[] = {
    {"overflow", "a count passes 2^63 - 1"},
    {"work-malformed", "an operator states work on a pipe or for a key that does not exist"},
};
static const struct tf_plugin plugin = {
    TF_PLUGIN_HEAD,
    .name = "compute-cost",
    .version = "1.0",
    .summary = "counts the operations of a program",
    .n_analyzers = 1,
    .analyzers = analyzers,
    .n_codes = sizeof(codes) / sizeof(*codes),
    .codes = codes,
};
TF_PLUGIN(plugin);

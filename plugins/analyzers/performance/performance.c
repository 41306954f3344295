/* SPDX-License-Identifier: MIT
 * performance: when each call runs on one unit, one after another, and what that predicts for the function.
 *
 * A call that does not vary in a loop around it is hoisted to just before the outermost such loop, and repeats there
 * back to back for loops inside that one in which it still varies.  A loop's body takes one period a trip; what follows
 * a loop starts at its end.
 */
#include "rates.h"

#include <stdio.h>

#define FAMILY "performance"

/* What stands in a scope, in order: a call, or a loop that has ended. */
struct item {
    uint32_t is_loop, index; /* position of the call; the loop */
    uint64_t times;          /* of a call: how often it runs back to back */
    uint32_t is_repeated;    /* hoisted before a loop in which, or in loops inside which, it varies */
    struct item *next;
};

struct scope {
    struct item *first, *last;
    uint64_t period; /* of one pass */
    uint64_t start;  /* of the first pass */
};

struct run {
    tf_ctx *ctx;
    const struct tf_program *program;
    const struct tf_call_work *work;
    const struct tf_call_traffic *traffic;
    struct prices device, unit;
    uint64_t units, bandwidth;
    const char *level;
    uint64_t *duration;    /* by position */
    struct scope *scopes;  /* by loop; the function's is the last */
    struct item **item_of; /* by position */
    struct text text;
    uint32_t json;
};

/* ---- what one unit can do ------------------------------------------------------------------------------------------*/

static int refuse(struct run *run, const char *why)
{
    tf_host->error(run->ctx, &run->program->function->loc, "no-unit", "performance: %s", why);
    return TF_E_REFUSED;
}

static int check_level(struct run *run)
{
    const struct tf_program *program = run->program;
    tf_ctx *ctx = run->ctx;
    run->units = tf_host->target_units(program->target, &run->level);
    if (run->units == 0) {
        tf_host->error(ctx, &program->function->loc, "target-facts",
            "performance: the target %s states neither how many units run side by side nor what one of them does",
            tf_host->target_id(program->target));
        return TF_E_REFUSED;
    }
    if (program->selected >= program->n_levels)
        return refuse(run, "the module declares no topology level, so there is no unit to state a rate for");
    const char *selected = program->levels[program->selected].name;
    if (strcmp(selected, run->level) == 0)
        return TF_OK;
    return refuse(run,
        tf_host->format(ctx, "the level %s is selected, but the target states what one %s does", selected, run->level));
}

/* Rates of one unit: the device's divided, rounded down. */
static void divide_rates(struct run *run)
{
    find_prices(run->program->target, &run->device);
    run->unit = run->device;
    for (uint32_t pipe = 0; pipe <= TF_WORK_SERVICE; pipe++)
        for (uint32_t key = 0; key < TF_DTYPE_COUNT; key++)
            run->unit.of[pipe][key].rate /= run->units;
}

/* ---- durations -----------------------------------------------------------------------------------------------------*/

static int refuse_unrated(struct run *run, const struct tf_step *step, const struct price *price)
{
    tf_host->error(run->ctx, &step->node->loc, "unrated",
        "performance: %s does %s work on the %s pipe, for which the target %s states no rate", call_word(step->node),
        kind_name(price->kind), kit_pipes[price->pipe], tf_host->target_id(run->program->target));
    return TF_E_REFUSED;
}

/* The time of one occurrence on one unit: its work on all pipes, kind after kind, or its gmem bytes if they take longer. */
static int price_call(struct run *run, const struct tf_step *step)
{
    struct bill bill = {.n = 0};
    uint64_t bytes = 0, compute = 0, unit_bandwidth = run->bandwidth / run->units;
    uint32_t i = step->position;
    if (bill_call(&bill, &run->unit, &run->work[i], 1, 1) || gmem_bytes(run->traffic[i].unit, 1, &bytes))
        return count_overflow(run->ctx, run->program, step, "operations and bytes");
    for (uint32_t e = 0; e < bill.n; e++) {
        if (bill.entry[e].amount == 0)
            continue;
        if (bill.entry[e].price.rate == 0)
            return refuse_unrated(run, step, &bill.entry[e].price);
        uint64_t one = nanoseconds(bill.entry[e].amount, bill.entry[e].price.rate);
        if (one == UINT64_MAX || count_add(&compute, one, 1))
            return count_overflow(run->ctx, run->program, step, "nanoseconds");
    }
    uint64_t memory = bytes ? nanoseconds(bytes, unit_bandwidth ? unit_bandwidth : 1) : 0;
    run->duration[i] = compute > memory ? compute : memory;
    return run->duration[i] == UINT64_MAX ? count_overflow(run->ctx, run->program, step, "nanoseconds") : TF_OK;
}

/* ---- placing -------------------------------------------------------------------------------------------------------*/

static struct scope *scope_of(struct run *run, uint32_t loop)
{
    return &run->scopes[loop == TF_NO_LOOP ? run->program->n_loops : loop];
}

static struct item *append(struct run *run, struct scope *scope, uint32_t is_loop, uint32_t index)
{
    struct item *item = tf_host->alloc(run->ctx, sizeof(*item));
    item->is_loop = is_loop;
    item->index = index;
    item->times = 1;
    if (scope->last)
        scope->last->next = item;
    else
        scope->first = item;
    scope->last = item;
    return item;
}

/* The loop that the call stays in: the one around the outermost loop that it does not vary in. */
static uint32_t home_of(const struct run *run, const struct tf_step *step)
{
    const struct tf_program *program = run->program;
    uint32_t home = step->loop;
    for (uint32_t loop = step->loop; loop != TF_NO_LOOP; loop = program->loops[loop].parent)
        if (!tf_varies_in(program, step->node, loop))
            home = program->loops[loop].parent;
    return home;
}

static int place_call(struct run *run, const struct tf_step *step)
{
    const struct tf_program *program = run->program;
    uint32_t home = home_of(run, step);
    struct item *item = append(run, scope_of(run, home), 0, step->position);
    for (uint32_t loop = step->loop; loop != home; loop = program->loops[loop].parent) {
        if (!tf_varies_in(program, step->node, loop))
            continue;
        item->is_repeated = 1;
        if (__builtin_mul_overflow(item->times, program->loops[loop].trips, &item->times))
            return count_overflow(run->ctx, program, step, "trips");
    }
    run->item_of[step->position] = item;
    return TF_OK;
}

/* Loops that end before this step: each takes its place in the scope around it. */
static uint32_t place_loops(struct run *run, uint32_t next, uint32_t position)
{
    const struct tf_program *program = run->program;
    while (next < program->n_loops &&
           (program->loops[next].end_position == TF_NO_POSITION || program->loops[next].end_position < position)) {
        append(run, scope_of(run, program->loops[next].parent), 1, next);
        next++;
    }
    return next;
}

static int place_all(struct run *run)
{
    const struct tf_program *program = run->program;
    uint32_t next = 0;
    int rc = TF_OK;
    for (uint32_t i = 0; i < program->n_steps && !rc; i++) {
        const struct tf_step *step = &program->steps[i];
        next = place_loops(run, next, i);
        if (!kit_is_call(step) || step->runs == 0)
            continue;
        rc = price_call(run, step);
        if (!rc && run->duration[i])
            rc = place_call(run, step);
    }
    place_loops(run, next, program->n_steps);
    return rc;
}

/* ---- times ---------------------------------------------------------------------------------------------------------*/

static int add_item(struct run *run, const struct item *item, uint64_t *time)
{
    if (item->is_loop)
        return count_add(time, run->scopes[item->index].period, run->program->loops[item->index].trips);
    return count_add(time, run->duration[item->index], item->times);
}

/* Loops come innermost first, so what a period is made of is known before it. */
static int find_periods(struct run *run)
{
    for (uint32_t s = 0; s <= run->program->n_loops; s++)
        for (const struct item *item = run->scopes[s].first; item; item = item->next)
            if (add_item(run, item, &run->scopes[s].period))
                return count_overflow(run->ctx, run->program, NULL, "nanoseconds");
    return TF_OK;
}

static void record_row(struct run *run, uint32_t position, uint64_t start)
{
    const struct tf_step *step = &run->program->steps[position];
    uint64_t end = start + run->duration[position], stride = 0;
    if (run->item_of[position]->is_repeated)
        stride = run->duration[position];
    else if (step->inner != TF_NO_LOOP)
        stride = run->scopes[step->inner].period;
    struct tf_record *record = tf_host->record(run->ctx, FAMILY, FAMILY, TF_SCOPE_CALL, position);
    char text[128];
    if (step->runs > 1)
        snprintf(text, sizeof(text), "[%llut+%llu,%llut+%llu)*%llu", (unsigned long long)stride,
            (unsigned long long)start, (unsigned long long)stride, (unsigned long long)end,
            (unsigned long long)step->runs);
    else
        snprintf(text, sizeof(text), "[%llu,%llu)", (unsigned long long)start, (unsigned long long)end);
    tf_host->record_text(record, NULL, text);
    if (!run->json)
        return;
    struct tf_json *timeline = tf_host->json_object(tf_host->record_json(record), "timeline");
    tf_host->json_uint(timeline, "start_ns", start);
    tf_host->json_uint(timeline, "end_ns", end);
    tf_host->json_uint(timeline, "trips", step->runs);
    tf_host->json_uint(timeline, "stride_ns", stride);
}

/* Starts of the first passes, from the function inward: a loop's is known when the scope around it is gone through. */
static void find_starts(struct run *run)
{
    for (uint32_t s = run->program->n_loops + 1; s-- > 0;) {
        uint64_t now = run->scopes[s].start;
        for (const struct item *item = run->scopes[s].first; item; item = item->next) {
            if (item->is_loop)
                run->scopes[item->index].start = now;
            else
                record_row(run, item->index, now);
            add_item(run, item, &now); /* the whole was summed without overflow */
        }
    }
}

/* ---- the function --------------------------------------------------------------------------------------------------*/

static int record_function(struct run *run)
{
    const struct tf_program *program = run->program;
    struct bill bill;
    struct bound bound;
    uint64_t waves = 1, predicted = 0;
    for (uint32_t i = 0; i < program->n_levels; i++)
        if (strcmp(program->levels[i].name, run->level) == 0)
            waves = ((uint64_t)program->levels[i].extent->value + run->units - 1) / run->units;
    int rc = function_bound(run->ctx, program, &run->device, run->bandwidth, &bill, &bound);
    if (rc)
        return rc;
    if (count_add(&predicted, run->scopes[program->n_loops].period, waves))
        return count_overflow(run->ctx, program, NULL, "nanoseconds");
    if (bound.ideal_ns > predicted)
        predicted = bound.ideal_ns;
    uint64_t *told = tf_host->alloc(run->ctx, sizeof(*told));
    *told = predicted;
    tf_host->publish(run->ctx, FAMILY, told);
    tf_host->line(run->ctx, FAMILY, FAMILY " root=%s::%s%s waves=%llu", program->module, program->function->name,
        predicted ? tf_host->format(run->ctx, " predicted-ns=%llu", (unsigned long long)predicted) : "",
        (unsigned long long)waves);
    struct tf_record *record = tf_host->record(run->ctx, FAMILY, FAMILY, TF_SCOPE_FUNCTION, 0);
    if (!run->json)
        return TF_OK;
    struct tf_json *json = tf_host->record_json(record), *timeline = tf_host->json_object(json, "timeline");
    tf_host->json_uint(timeline, "start_ns", 0);
    tf_host->json_uint(timeline, "end_ns", predicted);
    tf_host->json_uint(timeline, "trips", 1);
    tf_host->json_uint(timeline, "stride_ns", 0);
    tf_host->json_uint(json, "predicted_ns", predicted);
    tf_host->json_uint(json, "waves", waves);
    return TF_OK;
}

static int run_performance(tf_ctx *ctx, const struct tf_program *program)
{
    struct run run = {.ctx = ctx, .program = program, .text = {.ctx = ctx}};
    run.work = tf_host->published(ctx, "compute-cost");
    run.traffic = tf_host->published(ctx, "memory");
    run.json = (uint32_t)tf_host->wants_json(ctx);
    int rc = check_level(&run);
    if (!rc)
        rc = need_bandwidth(ctx, program, FAMILY, &run.bandwidth);
    if (rc)
        return rc;
    run.duration = tf_host->alloc(ctx, program->n_steps * sizeof(*run.duration));
    run.item_of = tf_host->alloc(ctx, program->n_steps * sizeof(*run.item_of));
    run.scopes = tf_host->alloc(ctx, ((size_t)program->n_loops + 1) * sizeof(*run.scopes));
    divide_rates(&run);
    rc = place_all(&run);
    if (!rc)
        rc = find_periods(&run);
    if (rc)
        return rc;
    find_starts(&run);
    return record_function(&run);
}

static void give_figures(tf_ctx *ctx, const struct tf_program *program, struct tf_figures *figures)
{
    const uint64_t *predicted = tf_host->published(ctx, FAMILY);
    (void)program;
    figures->predicted_ns = (double)*predicted;
}

static const char *const requires_families[] = {"compute-cost", "memory", NULL};
static const struct tf_analyzer performance = {
    .struct_size = sizeof(performance),
    .name = FAMILY,
    .summary = "when each call runs on one unit, and the time predicted",
    .order = 40,
    .requires = requires_families,
    .run = run_performance,
    .figures = give_figures,
};

static const struct tf_analyzer *const analyzers[] = {&performance};
static const struct tf_code codes[] = {
    {"no-unit", "no topology level is selected, or one that the target states no unit's rates for"},
    {"overflow", "a count passes 2^63 - 1"},
    {"target-facts", "the target states no facts that the analysis needs"},
    {"unrated", "a call does work for which the target states no rate"},
};
static const struct tf_plugin plugin = {
    TF_PLUGIN_HEAD,
    .name = "performance",
    .version = "1.0",
    .summary = "predicts a program's time from a timeline of its calls",
    .n_analyzers = 1,
    .analyzers = analyzers,
    .n_codes = sizeof(codes) / sizeof(*codes),
    .codes = codes,
};
TF_PLUGIN(plugin);

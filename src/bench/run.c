/* SPDX-License-Identifier: MIT
 * One run: implementations opened, measured in turn, each held to what the program computes, and what their times mean.
 */
#include "bench/bench.h"

#include "check/run.h"
#include "eval/run.h"
#include "ir/ir.h"
#include "target/target.h"
#include "type/type.h"
#include "util/diag.h"

#include <string.h>

#define ROUNDS 8u              /* in which sides take turns, where there are several */
#define COPY_EXCEEDED 2.0      /* reading alone may be that much faster than copying */
#define MEASURED_EXCEEDED 1.25 /* and what moves bytes that much faster than on the day when a rate was measured */

struct session {
    tf_ctx *ctx;
    const struct bench_job *job;
    struct bench_finding *finding;
    const struct tf_function *function;
    const struct tf_program *program;
    struct tensor_memory memory;
    struct tensor **params;
    const struct tf_tensor **args; /* the same, ended by NULL */
    struct side *sides;
    struct truth truth;
    struct eval_result reference;
};

/* ---- sides --------------------------------------------------------------------------------------------------------*/

static int make_results(struct session *s, struct side *side)
{
    const struct tf_type *type = s->function->body->type;
    size_t n = type_leaves(type, NULL, 0);
    const struct tf_type **types = CTX_ARRAY(s->ctx, const struct tf_type *, n);
    type_leaves(type, types, n);
    side->results = CTX_ARRAY(s->ctx, struct tensor *, n + 1);
    for (size_t i = 0; i < n; i++)
        if (!(side->results[i] = tensor_of_type(s->ctx, &s->memory, types[i])))
            return TF_E_NOMEM;
    s->truth.n = n;
    return TF_OK;
}

static int same_interface(struct session *s, const struct tf_function *other, const char *source)
{
    int is_same = other->n_params == s->function->n_params && other->body->type == s->function->body->type;
    for (uint32_t i = 0; is_same && i < other->n_params; i++)
        is_same = tensor_has_type(s->params[i], other->params[i]->type);
    if (is_same)
        return TF_OK;
    ERROR(s->ctx, &other->loc, "check-mismatch", "'%s' takes or gives something else than '%s'", source,
        s->function->name);
    return TF_E_REFUSED;
}

/* Another program, lowered as the first is. */
static int open_program(struct session *s, const char *source, struct side *side)
{
    struct selection selected;
    if (check_load(s->ctx, source, &selected))
        return TF_E_REFUSED;
    if (!selected.function) {
        ERROR(s->ctx, &selected.module->loc, "no-entry", "Module '%s' declares no entry; select one of its functions",
            selected.module->name);
        return TF_E_REFUSED;
    }
    const struct ir_function *inlined =
        ir_inline_values(s->ctx, selected.module, selected.function, s->job->dims, s->job->n_dims);
    if (!inlined || same_interface(s, &inlined->pub, source))
        return TF_E_REFUSED;
    const struct tf_program *program = ir_program_values(s->ctx, selected.module, inlined);
    const struct lowering_request request = {
        .backend = s->job->lowering.backend, .fp8_overflow = s->job->lowering.fp8_overflow};
    int status = program ? side_open_lowered(s->ctx, program, &request, side) : TF_E_REFUSED;
    if (!status)
        side->label = arena_format(&s->ctx->arena, "%s by %s", source, side->label);
    return status;
}

static int open_other(struct session *s, const char *against, struct side *side)
{
    const struct tf_twin *twin = twin_of(s->ctx, against);
    const struct lowering_request request = {.backend = s->job->lowering.backend,
        .path = against + strlen("path:"),
        .fp8_overflow = s->job->lowering.fp8_overflow};
    if (!strncmp(against, "path:", strlen("path:")))
        return side_open_lowered(s->ctx, s->program, &request, side);
    return twin ? side_open_twin(s->ctx, twin, against, side) : open_program(s, against, side);
}

static int open_sides(struct session *s)
{
    for (size_t i = 0; i < s->finding->n_sides; i++) {
        int status = i ? open_other(s, s->job->against[i - 1], &s->sides[i])
                       : side_open_lowered(s->ctx, s->program, &s->job->lowering, &s->sides[i]);
        if (!status)
            status = make_results(s, &s->sides[i]);
        if (status)
            return status;
        s->finding->sides[i].label = s->sides[i].label;
    }
    return TF_OK;
}

/* ---- rounds -------------------------------------------------------------------------------------------------------*/

/* The samples of one round are a part of all: as even as they can be. */
static uint32_t share(uint32_t samples, uint32_t rounds, uint32_t round)
{
    return samples / rounds + (round < samples % rounds);
}

static int measure_side(struct session *s, size_t i, uint32_t round)
{
    struct side_finding *found = &s->finding->sides[i];
    struct tf_timing *timing = CTX_NEW(s->ctx, struct tf_timing);
    *timing = (struct tf_timing){.struct_size = sizeof(*timing),
        .n_samples = share(s->job->samples, s->finding->rounds, round),
        .warm = (uint32_t)s->job->warm,
        .ns = found->ns + found->n,
        .copy_bytes_per_second = i || round ? -1 : 0};
    struct tf_tensor **results = CTX_ARRAY(s->ctx, struct tf_tensor *, s->truth.n + 1);
    for (size_t k = 0; k < s->truth.n; k++)
        results[k] = &s->sides[i].results[k]->pub;
    int status = side_measure(s->ctx, &s->sides[i], s->args, results, timing);
    found->timing = timing;
    found->n += timing->n_samples;
    if (!i && !round && timing->copy_bytes_per_second > 0)
        s->finding->copy = timing->copy_bytes_per_second;
    return status;
}

static int evaluate_truth(struct session *s)
{
    if (s->job->no_check)
        return TF_OK;
    int status = eval_function(s->ctx, s->function, s->params, &s->memory, s->job->plan.fp8_overflow, &s->reference);
    s->truth.function = s->function;
    s->truth.module = s->job->selected.module;
    s->truth.params = s->params;
    s->truth.memory = &s->memory;
    s->truth.fp8_overflow = s->job->plan.fp8_overflow;
    s->truth.seed = s->job->plan.seed;
    s->truth.reference = s->reference.leaves;
    return status;
}

/* All sides once, in turn; the first round's results are looked at before more time is spent. */
static int run_round(struct session *s, uint32_t round)
{
    for (size_t i = 0; i < s->finding->n_sides; i++) {
        int status = measure_side(s, i, round);
        if (!status && !round && !s->job->no_check)
            status = agree(s->ctx, &s->truth, &s->sides[i], &s->finding->sides[i].agreement);
        if (status)
            return status;
    }
    return TF_OK;
}

static void compare_rounds(struct session *s)
{
    const struct side_finding *first = &s->finding->sides[0];
    double *ratios = CTX_ARRAY(s->ctx, double, s->finding->rounds);
    for (size_t i = 0; i < s->finding->n_sides; i++) {
        struct side_finding *side = &s->finding->sides[i];
        uint32_t at = 0;
        for (uint32_t round = 0; round < s->finding->rounds; round++) {
            uint32_t n = share(s->job->samples, s->finding->rounds, round);
            double own = spread_of(s->ctx, side->ns + at, n).median;
            ratios[round] = own / spread_of(s->ctx, first->ns + at, n).median;
            at += n;
        }
        side->time = spread_of(s->ctx, side->ns, side->n);
        side->ratio = spread_of(s->ctx, ratios, s->finding->rounds);
    }
}

/* ---- what the time means ------------------------------------------------------------------------------------------*/

/* What the document states of the memory that holds arguments; more where that was measured, which a better day exceeds.
 * 0: nothing. */
static double stated_rate(const struct tf_target *target)
{
    uint64_t stated = 0;
    int is_measured = 0;
    if (!target || target_bandwidth(target, TF_STORAGE_GMEM, &stated) != TF_OK)
        return 0;
    for (uint32_t i = 0; i < target->n_facts; i++) {
        const struct target_fact *fact = &target->facts[i];
        is_measured |= fact->is_number && fact->number == stated && !strcmp(fact->unit, "byte/s") &&
                       !strcmp(fact->origin, "measured");
    }
    return (double)stated * (is_measured ? MEASURED_EXCEEDED : 1);
}

/* The rate that nothing exceeds which really moves the bytes: from the copy, which is of this run, and from what the
 * document states, which may be of another machine.  0: nothing is known. */
static double most_rate(const struct session *s)
{
    double copy = s->finding->copy, stated = stated_rate(s->job->target), twice = COPY_EXCEEDED * copy;
    if (stated > 0 && stated < copy)
        stated = copy;
    return twice <= 0 ? stated : stated > 0 && stated < twice ? stated : twice;
}

/* As analyze rounds times. */
static double whole_above(double ns)
{
    double whole = (double)(uint64_t)ns;
    return whole < ns ? whole + 1 : whole;
}

static void judge_time(struct session *s)
{
    struct bench_finding *f = s->finding;
    double rate = f->warm ? 0 : most_rate(s), launch = f->sides[0].timing->floor_ns;
    f->floor_ns = rate > 0 ? whole_above(f->needed / rate * 1e9) : 0;
    f->floor_ns = launch > f->floor_ns ? launch : f->floor_ns;
    f->is_implausible = f->sides[0].time.median < f->floor_ns;
}

/* ---- the whole ----------------------------------------------------------------------------------------------------*/

static int measure_all(struct session *s)
{
    int status = inputs_make(s->ctx, s->function, &s->job->plan, &s->memory, s->params);
    for (uint32_t i = 0; !status && i < s->function->n_params; i++)
        s->args[i] = &s->params[i]->pub;
    if (!status)
        status = open_sides(s);
    if (!status)
        status = evaluate_truth(s);
    for (uint32_t round = 0; round < s->finding->rounds && !status; round++)
        status = run_round(s, round);
    if (status)
        return status;
    compare_rounds(s);
    judge_time(s);
    return TF_OK;
}

static void describe(tf_ctx *ctx, const struct bench_job *job, struct bench_finding *f)
{
    uint32_t rounds = job->samples < ROUNDS ? job->samples : ROUNDS;
    *f = (struct bench_finding){.inputs = job->inputs,
        .seed = job->plan.inputs == INPUT_RANDOM ? (int64_t)job->plan.seed : -1,
        .warm = job->warm,
        .rounds = job->n_against ? rounds : 1,
        .n_sides = job->n_against + 1,
        .target = job->target ? job->target->id : NULL};
    f->sides = CTX_ARRAY(ctx, struct side_finding, f->n_sides);
    for (size_t i = 0; i < f->n_sides; i++)
        f->sides[i].ns = CTX_ARRAY(ctx, double, job->samples);
}

int bench_run(tf_ctx *ctx, const struct bench_job *job, struct bench_finding *finding)
{
    struct session s = {.ctx = ctx, .job = job, .finding = finding};
    describe(ctx, job, finding);
    const struct ir_function *inlined =
        ir_inline_values(ctx, job->selected.module, job->selected.function, job->dims, job->n_dims);
    s.program = inlined ? ir_program_values(ctx, job->selected.module, inlined) : NULL;
    if (!s.program)
        return TF_E_REFUSED;
    s.function = &inlined->pub;
    s.params = CTX_ARRAY(ctx, struct tensor *, s.function->n_params);
    s.args = CTX_ARRAY(ctx, const struct tf_tensor *, s.function->n_params + 1);
    s.sides = CTX_ARRAY(ctx, struct side, finding->n_sides);
    finding->needed = needed_bytes(ctx, s.program);
    finding->figures = figures_of(ctx, job, &finding->unanalysed);
    int status = measure_all(&s);
    for (size_t i = 0; i < finding->n_sides; i++)
        side_close(ctx, &s.sides[i]);
    eval_result_free(&s.reference);
    inputs_free(s.function, s.params);
    return status;
}

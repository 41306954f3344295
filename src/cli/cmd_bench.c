/* SPDX-License-Identifier: MIT
 * `tilefoundry bench`: how long a program's kernel takes.
 */
#include "cli/cli.h"

#include "bench/bench.h"
#include "cli/input_options.h"
#include "ir/ir.h"
#include "target/target.h"
#include "util/vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLES 30
#define MOST_SAMPLES 100000

struct request {
    struct bench_job job;
    const char *json;
    struct dim_bindings bound;
    VEC(const char *) against;
};

static int print_help(tf_ctx *ctx)
{
    (void)ctx;
    puts(
        "usage: tilefoundry bench SOURCE [OPTION]...\n"
        "\n"
        "Measures the kernel of a program: what a backend, or a fused path, makes of it.  What it computes is held to\n"
        "the program first.  Exit status 1 where that differs, and where the time is IMPLAUSIBLE.\n"
        "SOURCE is FILE.py[:Module[.child]...[.function]].\n"
        "\n"
        "options:\n" LOWERING_OPTIONS_HELP "\n"
        "  --against OTHER      measure OTHER in turn with it: path:NAME, path:none, another program, LIB.so[:F], or\n"
        "                       FILE.py:T of a class under @runtime_module; may be repeated\n"
        "  --samples N          launches that are timed (default: 30); --repeat is the same\n"
        "  --warm               launch on the same buffers (default: on others, past what caches hold)\n"
        "  --no-check           do not look at what it computes\n"
        "  --no-cache           compile anew, and keep nothing that is compiled\n" INPUT_OPTIONS_HELP "\n"
        "  --dim NAME=EXTENT    bind an open dimension; may be repeated\n"
        "  --json PATH          the report as JSON, and no text; - is stdout\n"
        "  -h, --help           print this help");
    return EXIT_OK;
}

/* ---- arguments ----------------------------------------------------------------------------------------------------*/

static int read_samples(tf_ctx *ctx, struct request *r, const char *name, const char *value)
{
    int64_t n;
    if (parse_count(value, &n) || n < 1 || n > MOST_SAMPLES)
        return usage_error(ctx, "%s takes a number from 1 to %d, got '%s'", name, MOST_SAMPLES, value);
    r->job.samples = (uint32_t)n;
    return 0;
}

static int read_flag(tf_ctx *ctx, struct args *args, struct request *r)
{
    if (!strcmp(args->name, "--warm"))
        r->job.warm = 1;
    else if (!strcmp(args->name, "--no-check"))
        r->job.no_check = 1;
    else
        turn_cache_off();
    return args_no_value(ctx, args);
}

static int read_valued(tf_ctx *ctx, struct request *r, const char *name, const char *value)
{
    if (!strcmp(name, "--dim"))
        return add_dim(ctx, &r->bound, value);
    if (!strcmp(name, "--samples") || !strcmp(name, "--repeat"))
        return read_samples(ctx, r, name, value);
    if (is_input_option(name)) {
        r->job.inputs = !strcmp(name, "--inputs") ? value : r->job.inputs;
        return read_input_option(ctx, &r->job.plan, name, value);
    }
    if (!strcmp(name, "--against"))
        VEC_PUSH(&r->against, value);
    else if (!strcmp(name, "--json"))
        r->json = value;
    else if (!strcmp(name, "--path"))
        r->job.lowering.path = value;
    else
        r->job.lowering.backend = value;
    return 0;
}

static int is_one_of(const char *name, const char *const *names, size_t n)
{
    size_t i = 0;
    while (i < n && strcmp(names[i], name) != 0)
        i++;
    return i < n;
}

static int read_option(tf_ctx *ctx, struct args *args, void *request)
{
    static const char *const KNOWN[] = {"--warm", "--no-check", "--no-cache", "--backend", "--path", "--against",
        "--samples", "--repeat", "--dim", "--json", "--inputs", "--weights", "--draw", "--seed", "--fp8-overflow",
        "--help"};
    enum { N = sizeof(KNOWN) / sizeof(*KNOWN), N_FLAGS = 3 };
    if (is_one_of(args->name, KNOWN, N_FLAGS))
        return read_flag(ctx, args, request);
    if (!is_one_of(args->name, KNOWN, N - 1))
        return usage_unknown(ctx, args, KNOWN, N);
    const char *value = args_value(ctx, args);
    return value ? read_valued(ctx, request, args->name, value) : EXIT_USAGE;
}

/* -1 to go on, else the exit status. */
static int read_arguments(tf_ctx *ctx, int argc, char **argv, struct request *r)
{
    const struct args_of_source of = {.help = print_help, .option = read_option, .source = &r->job.source};
    int status = args_read(ctx, argc, argv, &of, r);
    if (status >= 0)
        return status;
    if (r->job.plan.inputs == INPUT_ALL)
        return usage_error(ctx, "--inputs all is for check; one run takes adversarial:CLASS");
    if (r->job.plan.inputs == INPUT_DEFAULT) {
        r->job.plan.inputs = INPUT_RANDOM;
        r->job.inputs = "random";
    }
    return -1;
}

/* ---- the pipeline -------------------------------------------------------------------------------------------------*/

static int is_stated(const tf_ctx *ctx, const struct ir_module *module)
{
    while (module && !module->target && !module->target_path)
        module = module->parent;
    return ctx->cli->target || module;
}

static int load(tf_ctx *ctx, struct request *r)
{
    struct selection *selected = &r->job.selected;
    if (front_load(ctx, r->job.source, selected))
        return EXIT_FAILED;
    if (!selected->function)
        return refuse_no_entry(ctx, selected->module);
    if (input_plan_draws(&r->job.plan) && input_plan_threads(ctx, &r->job.plan, selected->module))
        return EXIT_FAILED;
    if (is_stated(ctx, selected->module) && !(r->job.target = program_target(ctx, selected->module)))
        return EXIT_FAILED;
    r->job.dims = r->bound.at;
    r->job.n_dims = r->bound.n;
    r->job.against = r->against.at;
    r->job.n_against = r->against.n;
    return EXIT_OK;
}

static int load_and_measure(tf_ctx *ctx, struct request *r)
{
    struct bench_finding finding;
    struct buf out = {0};
    int status = load(ctx, r);
    if (status)
        return status;
    if ((status = bench_apart(ctx)) >= 0)
        return status;
    r->job.lowering.fp8_overflow = r->job.plan.fp8_overflow;
    int kept = bench_mute();
    int refused = bench_run(ctx, &r->job, &finding);
    bench_unmute(kept);
    if (refused)
        return EXIT_FAILED;
    if (r->json)
        bench_json(&out, &r->job, &finding);
    else
        bench_text(&out, &r->job, &finding);
    status = put_output(ctx, r->json, buf_text(&out), out.n);
    buf_free(&out);
    return status || !finding.is_implausible ? status : EXIT_FAILED;
}

int cmd_bench(tf_ctx *ctx, int argc, char **argv)
{
    struct request r = {.job.samples = SAMPLES};
    int status = read_arguments(ctx, argc, argv, &r);
    if (status < 0)
        status = load_and_measure(ctx, &r);
    VEC_FREE(&r.against);
    VEC_FREE(&r.job.plan.files);
    VEC_FREE(&r.job.plan.draws);
    VEC_FREE(&r.bound);
    return status;
}

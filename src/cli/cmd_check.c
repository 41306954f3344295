/* SPDX-License-Identifier: MIT
 * `tilefoundry check`: whether an implementation computes what a program says.
 */
#include "cli/cli.h"

#include "check/declare.h"
#include "check/run.h"
#include "cli/input_options.h"
#include "plugin/registry.h"
#include "util/diag.h"
#include "util/progress.h"
#include "util/vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TIMEOUT 60 /* seconds that a twin has for each of its runs */

struct values { /* of one --dim */
    const char *name;
    VEC(int64_t) at;
};

struct check_request {
    const char *source, *json, *device;
    struct check_job job;
    VEC(struct values) dims;
    VEC(const char *) actual, expected;
    int allow_vacuous, shows_progress;
};

/* ---- help ---------------------------------------------------------------------------------------------------------*/

/* A paragraph, indented and wrapped. */
static void print_wrapped(const char *text, int indent)
{
    int column = 0;
    while (*text) {
        int length = (int)strcspn(text, " ");
        if (!column || column + 1 + length > 100)
            column = printf("%s%*s%.*s", column ? "\n" : "", indent, "", length, text);
        else
            column += printf(" %.*s", length, text);
        text += length + (int)strspn(text + length, " ");
    }
    puts("");
}

static void print_predicate(const struct tf_predicate *predicate)
{
    printf("\n  %s", predicate->name);
    for (size_t i = 0; i < predicate->n_bounds; i++)
        printf(" --%s X", predicate->bounds[i].name);
    printf("\n      %s\n", predicate->summary);
    for (size_t i = 0; i < predicate->n_bounds; i++)
        printf("      --%-7s %s\n", predicate->bounds[i].name, predicate->bounds[i].summary);
    if (predicate->guidance)
        print_wrapped(predicate->guidance, 6);
}

static int print_help(tf_ctx *ctx)
{
    const char *const *names;
    size_t n = registry_names(ctx, "predicate", &names);
    puts(
        "usage: tilefoundry check SOURCE --inputs HOW [--twin TWIN | --actual FILES] [--expected FILE]...\n"
        "                         {--out OUTPUT {--fn F [BOUND]...}...}... [OPTION]...\n"
        "\n"
        "Holds an implementation to a program, output by output, and says PASS, FAIL, VACUOUS (the comparisons accept\n"
        "a wrong candidate too), NONDETERMINISTIC or ERROR (nothing could be judged).  The reference is the program\n"
        "SOURCE, evaluated.\n"
        "SOURCE is FILE.py[:Module[.child]...[.function]].\n"
        "\n"
        "the candidate (default: the program itself, for --expected):\n"
        "  --twin LIB.so[:F]    a function in a shared object, see <tilefoundry/twin.h>\n"
        "  --twin FILE.py:T     a class under @runtime_module, run by Python; as SOURCE it implies its program\n"
        "  --twin FILE.py[:M]   another program of the language\n" LOWERING_OPTIONS_HELP "\n"
        "  --actual A,B         tensor files that hold the outputs: .safetensors, .npy, .raw; may be repeated\n"
        "  --expected FILE      tensor files to compare with instead of the reference; may be repeated\n"
        "\n"
        "what is compared, in order:\n"
        "  --out OUTPUT         output, or output[0], output[1], ... of a tuple\n"
        "  --fn F               how the output before it is compared; may be repeated\n"
        "  --atol X ...         a bound of the comparison before it; no bound has a default");
    puts("\noptions:");
    puts(INPUT_OPTIONS_HELP);
    puts("  --inputs all         a run for random inputs and for each adversarial class\n"
         "  --dim NAME=V[,V...]  bind an open dimension; every combination is a run\n"
         "  --nan-equal          NaN on both sides is agreement (default: NaN in the reference is an error)\n"
         "  --strict             the verdict is VACUOUS too when a small fault passes\n"
         "  --allow-vacuous      exit 0 on VACUOUS\n"
         "  --declare NAME=VALUE what the candidate's arithmetic is, for derived; may be repeated\n"
         "  --explain OUTPUT[=I,J] how the interval of one element came about; without =I,J of the worst\n"
         "  --arbiter            also the error of both sides against the program in real arithmetic\n"
         "  --repeat N           run the twin N times and compare its outputs bit for bit\n"
         "  --timeout SECONDS    that the twin has for each run (default: 60)\n"
         "  --device cpu|cuda    where a twin in Python computes (default: cuda where torch has one, else cpu)\n"
         "  --no-cache           with a backend: compile anew, and keep nothing that is compiled\n"
         "  --progress           how far long work is, on stderr (default: where that is a terminal)\n"
         "  --json PATH          the report as JSON, and no text; - is stdout\n"
         "  -h, --help           print this help\n"
         "\n"
         "comparisons:");
    for (size_t i = 0; i < n; i++) {
        const struct tf_predicate *predicate = registry_predicate(ctx, names[i]);
        if (predicate)
            print_predicate(predicate);
    }
    return EXIT_OK;
}

/* ---- arguments ----------------------------------------------------------------------------------------------------*/

/* One extent of NAME=V,V,V; the text after it, or NULL after a usage error. */
static const char *read_extent(tf_ctx *ctx, struct values *values, const char *text)
{
    size_t length = strcspn(text, ",");
    const char *word = ctx_intern_n(ctx, text, length);
    int is_negative = *word == '-';
    int64_t extent;
    if (parse_count(word + is_negative, &extent))
        return usage_error(ctx, "--dim %s: every extent must be an integer, got '%s'", values->name, word), NULL;
    VEC_PUSH(&values->at, is_negative ? -extent : extent);
    return text + length;
}

static int add_dims(tf_ctx *ctx, struct check_request *r, const char *text)
{
    const char *equals = strchr(text, '='), *at;
    if (!equals || equals == text || !equals[1])
        return usage_error(ctx, "--dim takes NAME=EXTENT[,EXTENT...], got '%s'", text);
    struct values values = {.name = ctx_intern_n(ctx, text, (size_t)(equals - text))};
    for (size_t i = 0; i < r->dims.n; i++)
        if (r->dims.at[i].name == values.name)
            return usage_error(ctx, "--dim %s was given twice; list its extents as %s=V,V", values.name, values.name);
    for (at = read_extent(ctx, &values, equals + 1); at && *at; at = read_extent(ctx, &values, at + 1))
        continue;
    VEC_PUSH(&r->dims, values);
    return at ? 0 : EXIT_USAGE;
}

static int add_files(tf_ctx *ctx, struct check_request *r, const char *text)
{
    for (size_t n; *text; text += n + (text[n] == ',')) {
        n = strcspn(text, ",");
        if (n)
            VEC_PUSH(&r->actual, ctx_intern_n(ctx, text, n));
    }
    return r->actual.n ? 0 : usage_error(ctx, "--actual takes the names of files");
}

#define MOST 1000000

static int read_number(tf_ctx *ctx, const char *name, const char *value, int64_t least, int64_t *number)
{
    if (parse_count(value, number) || *number < least || *number > MOST)
        return usage_error(ctx, "%s takes a number from %d to %d, got '%s'", name, (int)least, MOST, value);
    return 0;
}

static int read_twin_number(tf_ctx *ctx, struct check_request *r, const char *name, const char *value)
{
    int64_t number = 0;
    int is_timeout = !strcmp(name, "--timeout");
    int status = read_number(ctx, name, value, is_timeout ? 1 : 2, &number);
    if (is_timeout)
        r->job.twin_options.timeout = (unsigned)number;
    else
        r->job.twin_options.repeats = (uint32_t)number;
    return status;
}

/* Where a twin computes that can do so in several places; its plugin reads it. */
static int set_device(tf_ctx *ctx, struct check_request *r, const char *value)
{
    r->device = value;
    if (strcmp(value, "cpu") != 0 && strcmp(value, "cuda") != 0)
        return usage_error(ctx, "--device takes cpu or cuda, got '%s'", value);
    return setenv("TILEFOUNDRY_DEVICE", value, 1) ? usage_error(ctx, "--device: no memory was left") : 0;
}

/* Options that have a value and are not bounds. */
static int read_valued(tf_ctx *ctx, struct check_request *r, const char *name, const char *value)
{
    if (!strcmp(name, "--out"))
        return request_output(ctx, &r->job.request, value);
    if (!strcmp(name, "--fn"))
        return request_comparison(ctx, &r->job.request, value);
    if (!strcmp(name, "--explain")) {
        if (r->job.explain)
            return usage_error(ctx, "--explain is given twice: one element is explained in a run");
        r->job.explain = value;
        return 0;
    }
    if (!strcmp(name, "--declare")) {
        struct tf_declared tried = {.struct_size = sizeof(tried)};
        const char *before = r->job.declared ? r->job.declared : "";
        r->job.declared = arena_format(&ctx->arena, "%s %s", before, value);
        return declare(ctx, &tried, "--declare", value);
    }
    if (!strcmp(name, "--dim"))
        return add_dims(ctx, r, value);
    if (!strcmp(name, "--actual"))
        return add_files(ctx, r, value);
    if (!strcmp(name, "--backend") || !strcmp(name, "--path")) {
        *(!strcmp(name, "--path") ? &r->job.lowering.path : &r->job.lowering.backend) = value;
        r->job.is_lowered = 1;
        return 0;
    }
    if (!strcmp(name, "--device"))
        return set_device(ctx, r, value);
    if (!strcmp(name, "--timeout") || !strcmp(name, "--repeat"))
        return read_twin_number(ctx, r, name, value);
    if (!strcmp(name, "--expected"))
        VEC_PUSH(&r->expected, value);
    else if (!strcmp(name, "--json"))
        r->json = value;
    else
        r->job.twin = value;
    return 0;
}

static int read_flag(tf_ctx *ctx, struct args *args, struct check_request *r)
{
    if (!strcmp(args->name, "--no-cache"))
        turn_cache_off();
    else if (!strcmp(args->name, "--nan-equal"))
        r->job.request.nan_equal = 1;
    else if (!strcmp(args->name, "--strict"))
        r->job.request.strict = 1;
    else if (!strcmp(args->name, "--arbiter"))
        r->job.arbiter = 1;
    else if (!strcmp(args->name, "--progress"))
        r->shows_progress = 1;
    else
        r->allow_vacuous = 1;
    return args_no_value(ctx, args);
}

static int is_one_of(const char *name, const char *const *names)
{
    while (*names && strcmp(*names, name) != 0)
        names++;
    return *names != NULL;
}

static int read_option(tf_ctx *ctx, struct args *args, void *request)
{
    struct check_request *r = request;
    static const char *const FLAGS[] = {
        "--no-cache", "--nan-equal", "--strict", "--allow-vacuous", "--arbiter", "--progress", NULL};
    static const char *const VALUED[] = {"--out", "--fn", "--dim", "--twin", "--actual", "--expected", "--json",
        "--repeat", "--timeout", "--device", "--declare", "--explain", "--backend", "--path", NULL};
    static const char *const KNOWN[] = {"--out", "--fn", "--dim", "--twin", "--actual", "--expected", "--json",
        "--repeat", "--timeout", "--device", "--declare", "--explain", "--backend", "--path", "--nan-equal", "--strict",
        "--allow-vacuous", "--arbiter", "--progress", "--inputs", "--weights", "--draw", "--seed", "--fp8-overflow",
        "--atol", "--rtol", "--max", "--min", "--budget", "--no-cache", "--help"};
    const char *name = args->name, *value;
    if (is_one_of(name, FLAGS))
        return read_flag(ctx, args, r);
    int is_valued = is_one_of(name, VALUED), is_input = is_input_option(name);
    if (!is_valued && !is_input && (strncmp(name, "--", 2) || !bound_exists(ctx, name + 2)))
        return usage_unknown(ctx, args, KNOWN, sizeof(KNOWN) / sizeof(*KNOWN));
    if (!(value = args_value(ctx, args)))
        return EXIT_USAGE;
    if (is_input && !strcmp(name, "--inputs"))
        r->job.inputs = value;
    return is_valued  ? read_valued(ctx, r, name, value)
           : is_input ? read_input_option(ctx, &r->job.plan, name, value)
                      : request_bound(ctx, &r->job.request, name + 2, value);
}

static int suits(tf_ctx *ctx, struct check_request *r)
{
    struct check_job *job = &r->job;
    int status = request_finish(ctx, &job->request);
    job->actual = r->actual.at;
    job->n_actual = r->actual.n;
    job->expected = r->expected.at;
    job->n_expected = r->expected.n;
    if (status)
        return status;
    if (job->twin && job->n_actual)
        return usage_error(ctx, "--twin and --actual are two candidates: give one");
    if (job->is_lowered && (job->twin || job->n_actual))
        return usage_error(ctx, "--backend or --path, and --twin or --actual, are two candidates: give one");
    if (!job->twin && !job->n_actual && !job->is_lowered && twin_of(ctx, r->source))
        job->twin = r->source; /* the program that it implements is the reference */
    const struct tf_twin *twin = job->twin ? twin_of(ctx, job->twin) : NULL;
    if (r->device && strcmp(r->device, "cpu") != 0 && !(twin && twin->takes_device))
        return usage_error(ctx, "--device %s: what is checked here computes on the cpu alone", r->device);
    if (!job->inputs && check_needs_inputs(job))
        return usage_error(ctx, "--inputs is needed: random, zeros, files:A,B or tensors:X");
    if (check_classes(job) > 1 && (job->n_actual || job->n_expected))
        return usage_error(ctx, "--inputs all is a run for each class, and files hold the outputs of one");
    if (request_encloses(&job->request) && !job->inputs)
        return usage_error(ctx, "a bound that is computed comes from the program, so it needs --inputs");
    if (job->explain && !job->inputs)
        return usage_error(ctx, "--explain shows how a bound is computed from the program, so it needs --inputs");
    if (job->arbiter && !job->inputs)
        return usage_error(ctx, "--arbiter computes the truth, so it needs --inputs");
    if (job->arbiter && !job->n_actual && !job->twin && !job->is_lowered && !job->n_expected)
        return usage_error(
            ctx, "--arbiter is between two sides, and there is one: give --twin, --actual or --expected");
    if (job->twin_options.repeats && !twin && !job->is_lowered)
        return usage_error(ctx, "--repeat is for a --twin that runs more than once, such as LIB.so");
    return 0;
}

/* -1 to go on, else the exit status. */
static int read_arguments(tf_ctx *ctx, int argc, char **argv, struct check_request *r)
{
    const struct args_of_source of = {.help = print_help, .option = read_option, .source = &r->source};
    int status = args_read(ctx, argc, argv, &of, r);
    if (status >= 0)
        return status;
    status = suits(ctx, r);
    return status ? status : -1;
}

/* ---- runs ---------------------------------------------------------------------------------------------------------*/

/* How many combinations of extents there are; 0 after a diagnostic. */
static size_t count_runs(tf_ctx *ctx, const struct check_request *r)
{
    size_t n = 1;
    for (size_t i = 0; i < r->dims.n; i++)
        if (__builtin_mul_overflow(n, r->dims.at[i].at.n, &n) || n > ctx->limits.elements) {
            usage_error(ctx, "--dim: more than %llu combinations of extents", (unsigned long long)ctx->limits.elements);
            return 0;
        }
    return n;
}

/* The index-th combination; the last dimension changes from one to the next. */
static struct dim_binding *combination(tf_ctx *ctx, const struct check_request *r, size_t index)
{
    struct dim_binding *bound = CTX_ARRAY(ctx, struct dim_binding, r->dims.n);
    for (size_t i = r->dims.n; i-- > 0; index /= r->dims.at[i].at.n)
        bound[i] =
            (struct dim_binding){.name = r->dims.at[i].name, .value = r->dims.at[i].at.at[index % r->dims.at[i].at.n]};
    return bound;
}

static int exit_status(const struct check_request *r, enum verdict verdict)
{
    return verdict == VERDICT_PASS || (verdict == VERDICT_VACUOUS && r->allow_vacuous) ? EXIT_OK : EXIT_FAILED;
}

static int report(tf_ctx *ctx, const struct check_request *r, const struct run_finding *runs, size_t n)
{
    struct buf out = {0};
    int status;
    if (r->json)
        check_json(ctx, &out, r->source, runs, n);
    else
        check_text(ctx, &out, r->source, runs, n);
    status = put_output(ctx, r->json, buf_text(&out), out.n);
    buf_free(&out);
    return status ? status : exit_status(r, worst_verdict(runs, n));
}

static int load(tf_ctx *ctx, struct check_request *r)
{
    struct selection *selected = &r->job.selected;
    if (check_load(ctx, r->source, selected))
        return EXIT_FAILED;
    if (!selected->function)
        return refuse_no_entry(ctx, selected->module);
    return r->job.inputs && input_plan_draws(&r->job.plan) ? input_plan_threads(ctx, &r->job.plan, selected->module)
                                                           : 0;
}

static int load_and_check(tf_ctx *ctx, struct check_request *r)
{
    size_t n = count_runs(ctx, r), classes = check_classes(&r->job);
    if (!n)
        return EXIT_USAGE;
    int status = load(ctx, r);
    n *= classes;
    struct run_finding *runs = CTX_ARRAY(ctx, struct run_finding, n);
    progress_start(ctx, r->shows_progress);
    for (size_t i = 0; i < n && !status; i++) {
        if (n > 1 && ctx->verbose > 0)
            fprintf(stderr, "tilefoundry check: run %zu of %zu\n", i + 1, n);
        struct check_job job = check_of_class(ctx, &r->job, i % classes);
        status = check_run_or_error(ctx, &job, combination(ctx, r, i / classes), r->dims.n, &runs[i]);
    }
    progress_end(ctx);
    if (!status && !r->json && check_came_to_nothing(runs, n))
        status = EXIT_FAILED;
    return status ? status : report(ctx, r, runs, n);
}

int cmd_check(tf_ctx *ctx, int argc, char **argv)
{
    struct check_request r = {.job.twin_options.timeout = TIMEOUT};
    int status = read_arguments(ctx, argc, argv, &r);
    if (status < 0)
        status = load_and_check(ctx, &r);
    request_free(&r.job.request);
    for (size_t i = 0; i < r.dims.n; i++)
        VEC_FREE(&r.dims.at[i].at);
    VEC_FREE(&r.dims);
    VEC_FREE(&r.actual);
    VEC_FREE(&r.expected);
    VEC_FREE(&r.job.plan.files);
    VEC_FREE(&r.job.plan.draws);
    return status;
}

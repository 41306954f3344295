/* SPDX-License-Identifier: MIT
 * A backend whose clock is the environment: what BENCH_NS lists, over and over.  Its kernels add their arguments, which
 * is right for a program that does; BENCH_FAULT makes them wrong, silent or fatal.
 */
#include <tilefoundry/plugin.h>

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int supports(tf_ctx *ctx, const struct tf_program *program, const struct tf_step *step, const char **why)
{
    (void)ctx, (void)program, (void)step, (void)why;
    return TF_OK;
}

static int lower(tf_ctx *ctx, const struct tf_program *program, struct tf_artifact *artifact)
{
    (void)ctx, (void)program;
    artifact->text = "add";
    artifact->length = 3;
    artifact->suffix = ".txt";
    artifact->entry = "add";
    return TF_OK;
}

static int compile(tf_ctx *ctx, const struct tf_artifact *artifact, void **module)
{
    (void)ctx, (void)artifact;
    *module = NULL;
    return TF_OK;
}

static double number(const char *name, double otherwise)
{
    const char *text = getenv(name);
    return text ? atof(text) : otherwise;
}

static int has_fault(const char *fault)
{
    const char *text = getenv("BENCH_FAULT");
    return text && !strcmp(text, fault);
}

static int add(tf_ctx *ctx, void *module, const struct tf_tensor *const *args, struct tf_tensor *const *results)
{
    float *to = results[0]->data;
    const float *a = args[0]->data, *b = args[1]->data;
    (void)ctx, (void)module;
    for (int64_t i = 0; i < results[0]->extents[0]; i++)
        to[i] = a[i] + b[i];
    if (has_fault("wrong"))
        to[3] += 1;
    if (has_fault("crash")) {
        signal(SIGSEGV, SIG_DFL); /* a sanitizer has a word to say otherwise */
        raise(SIGSEGV);
    }
    if (has_fault("hang"))
        pause();
    return TF_OK;
}

static int measure(tf_ctx *ctx, void *module, const struct tf_tensor *const *args, struct tf_tensor *const *results,
    struct tf_timing *timing)
{
    const char *list = getenv("BENCH_NS"), *at = list;
    if (has_fault("silent"))
        return TF_E_REFUSED;
    for (uint32_t i = 0; i < timing->n_samples; i++) {
        char *end;
        timing->ns[i] = at ? strtod(at, &end) : 100;
        at = at && *end ? end + 1 : list;
    }
    timing->rotated_bytes = timing->warm ? 0 : 1000000;
    timing->floor_ns = number("BENCH_FLOOR", 0);
    if (timing->copy_bytes_per_second == 0)
        timing->copy_bytes_per_second = number("BENCH_COPY", 0);
    timing->conditions = "a clock that is told the time";
    return add(ctx, module, args, results);
}

static int calibrate(tf_ctx *ctx, const struct tf_calibration *to)
{
    static const char *const global[] = {"level", "gmem", "kind", "explicit", "scope", "device", "capacity",
        "memory.dram.capacity", "bandwidth", "memory.dram.bandwidth", NULL};
    static const char *const cache[] = {
        "level", "l2", "kind", "implicit", "scope", "device", "caches", "gmem", "capacity", "memory.l2.capacity", NULL};
    static const char *const rate[] = {"pipe", "vector", "dtype", "f32", "fact", "throughput.f32", NULL};
    if (has_fault("silent"))
        return TF_E_REFUSED;
    to->head(to, "fake.machine", "cpu", NULL, "A machine of <twelve> & no more");
    if (has_fault("document"))
        to->fact(to, "memory.dram.capacity", "4096", "furlong", NULL);
    else
        to->fact(to, "memory.dram.capacity", "1073741824", "byte", NULL);
    to->fact(to, "memory.dram.bandwidth", "10000000000", "byte/s", "copies of \"all\" sizes, best of 5 < 6");
    to->fact(to, "memory.l2.capacity", "65536", "byte", NULL);
    to->fact(to, "throughput.f32", "2000000000", "flop/s", "one thread");
    to->model(to, "memory", global);
    to->model(to, "memory", cache);
    to->model(to, "rate", rate);
    (void)ctx;
    return TF_OK;
}

static const char *const targets[] = {"*", NULL};
static const struct tf_backend fake = {.struct_size = sizeof(fake),
    .name = "fake",
    .summary = "adds",
    .targets = targets,
    .supports = supports,
    .lower = lower,
    .compile = compile,
    .launch = add,
    .measure = measure,
    .calibrate = calibrate};
static const struct tf_backend mute = {.struct_size = sizeof(mute),
    .name = "mute",
    .summary = "adds, and cannot be measured",
    .targets = targets,
    .supports = supports,
    .lower = lower,
    .compile = compile,
    .launch = add};
static const struct tf_backend *const backends[] = {&fake, &mute};

static const struct tf_plugin plugin = {
    TF_PLUGIN_HEAD,
    .name = "bench-fake",
    .version = "1",
    .summary = "a clock that is told the time",
    .n_backends = 2,
    .backends = backends,
};
TF_PLUGIN(plugin);

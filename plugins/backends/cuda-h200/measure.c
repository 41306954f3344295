/* SPDX-License-Identifier: MIT
 *
 * How long a program takes: a graph that holds a launch for each of several sets of buffers, which together are larger
 * than the L2 cache, replayed; a sample is the time of a replay over its launches.  Beside it, in the same run: what a
 * launch of nothing takes, and how fast a kernel copies as many bytes.
 */
#include "cuda.h"

#include <string.h>

#define SPAN_OF_L2 4u /* times the L2 cache that the sets reach */
#define MOST_SETS 64u
#define MOST_LARGE_SETS 16u
#define LARGE (16u << 20) /* bytes of a set from which 16 are enough */
#define KEPT (64u << 10)  /* a smaller argument is the same in all sets, as a gain or a scale is */
#define WARM_UPS 3

static const char PROBE[] =
    "//@ launch nothing grid 1 1 1 block 32 1 1 shared 0 cluster 1 overlap 0 with a0\n"
    "//@ launch copy grid 1056 1 1 block 512 1 1 shared 0 cluster 1 overlap 0 with a0 r0\n"
    "extern \"C\" __global__ void nothing(const void *a) {}\n"
    "extern \"C\" __global__ void __launch_bounds__(512) copy(const uint4 *from, uint4 *to)\n{\n"
    "    const size_t n = from[0].x | (size_t)from[0].y << 32;\n"
    "    const size_t step = (size_t)gridDim.x * blockDim.x;\n"
    "    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += 4 * step) {\n"
    "        uint4 x[4];\n"
    "#pragma unroll\n"
    "        for (int k = 0; k < 4; k++)\n"
    "            if (i + k * step < n)\n                x[k] = from[i + k * step];\n"
    "#pragma unroll\n"
    "        for (int k = 0; k < 4; k++)\n"
    "            if (i + k * step < n)\n                to[i + k * step] = x[k];\n"
    "    }\n}\n";

/* ---- sets of buffers ----------------------------------------------------------------------------------------------*/

struct sets {
    tf_ctx *ctx;
    const struct cuda *cuda;
    size_t n_args, n_results, n_scratch, n, count; /* n: buffers of a set */
    cu_address *at;                                /* count times n; what is kept is in the first set only */
    const size_t *bytes;
    const uint8_t *is_kept;
};

static size_t set_bytes(const struct sets *s)
{
    size_t sum = 0;
    for (size_t i = 0; i < s->n_args + s->n_results; i++)
        sum += s->bytes[i];
    return sum;
}

static size_t sets_wanted(const struct sets *s)
{
    int l2 = 0;
    size_t bytes = set_bytes(s), most = bytes > LARGE ? MOST_LARGE_SETS : MOST_SETS;
    s->cuda->driver.device_attribute(&l2, CU_L2_BYTES, s->cuda->device);
    size_t wanted = bytes ? (SPAN_OF_L2 * (size_t)l2 + bytes - 1) / bytes : 1;
    return wanted < 2 ? 2 : wanted > most ? most : wanted;
}

static const char *make_sets(struct sets *s, const struct tf_tensor *const *args)
{
    const struct cuda_driver *driver = &s->cuda->driver;
    for (size_t k = 0; k < s->count; k++)
        for (size_t i = 0; i < s->n; i++) {
            cu_address *at = &s->at[k * s->n + i];
            cu_result error = 0;
            if (k && s->is_kept[i])
                *at = s->at[i];
            else
                error = driver->memory_alloc(at, s->bytes[i] ? s->bytes[i] : 16);
            if (!error && i < s->n_args && s->bytes[i] && !(k && s->is_kept[i]))
                error = k ? driver->copy_across(*at, s->at[i], s->bytes[i])
                          : driver->copy_in(*at, args[i]->data, s->bytes[i]);
            if (error)
                return tf_host->format(s->ctx, "%zu sets of %zu bytes are not to be had: %s", s->count, set_bytes(s),
                    cuda_error(driver, error));
        }
    return NULL;
}

static void free_sets(struct sets *s)
{
    if (!s->at)
        return;
    for (size_t k = 0; k < s->count; k++)
        for (size_t i = 0; i < s->n; i++)
            if (s->at[k * s->n + i] && !(k && s->is_kept[i]))
                s->cuda->driver.memory_free(s->at[k * s->n + i]);
}

/* ---- replays ------------------------------------------------------------------------------------------------------*/

struct replay {
    tf_ctx *ctx;
    const struct cuda *cuda;
    cu_stream stream;
    cu_graph graph;
    cu_graph_exec exec;
    cu_event from, until;
};

static const char *told(tf_ctx *ctx, const struct cuda *cuda, cu_result error)
{
    return error ? tf_host->format(ctx, "the device does not measure: %s", cuda_error(&cuda->driver, error)) : NULL;
}

static const char *record(struct replay *r, const struct kernel_module *m, const struct sets *s)
{
    const struct cuda_driver *driver = &r->cuda->driver;
    const char *why = told(r->ctx, r->cuda, driver->stream_create(&r->stream, 1));
    if (!why)
        why = told(r->ctx, r->cuda, driver->capture_begin(r->stream, 2));
    if (why)
        return why;
    for (size_t k = 0; k < s->count && !why; k++) {
        const cu_address *at = s->at + k * s->n;
        const struct addresses addresses = {at, at + s->n_args, at + s->n_args + s->n_results};
        why = plan_launch(r->ctx, r->cuda, m, &addresses, r->stream);
    }
    cu_result error = driver->capture_end(r->stream, &r->graph);
    if (!why && !error)
        error = driver->graph_instantiate(&r->exec, r->graph, 0);
    return why ? why : told(r->ctx, r->cuda, error);
}

/* Nanoseconds of one replay. */
static cu_result replay_once(struct replay *r, double *nanoseconds)
{
    const struct cuda_driver *driver = &r->cuda->driver;
    float milliseconds = 0;
    cu_result error = driver->event_record(r->from, r->stream);
    error = error ? error : driver->graph_launch(r->exec, r->stream);
    error = error ? error : driver->event_record(r->until, r->stream);
    error = error ? error : driver->event_synchronize(r->until);
    error = error ? error : driver->event_elapsed(&milliseconds, r->from, r->until);
    *nanoseconds = (double)milliseconds * 1e6;
    return error;
}

static const char *replays(struct replay *r, size_t launches, uint32_t n, double *samples)
{
    const struct cuda_driver *driver = &r->cuda->driver;
    double ns;
    cu_result error = driver->event_create(&r->from, 0);
    error = error ? error : driver->event_create(&r->until, 0);
    for (int i = 0; i < WARM_UPS && !error; i++)
        error = replay_once(r, &ns);
    for (uint32_t i = 0; i < n && !error; i++) {
        error = replay_once(r, &ns);
        samples[i] = ns / (double)launches;
    }
    return told(r->ctx, r->cuda, error);
}

static void end_replay(struct replay *r)
{
    const struct cuda_driver *driver = &r->cuda->driver;
    if (r->from)
        driver->event_destroy(r->from);
    if (r->until)
        driver->event_destroy(r->until);
    if (r->exec)
        driver->graph_exec_destroy(r->exec);
    if (r->graph)
        driver->graph_destroy(r->graph);
    if (r->stream)
        driver->stream_destroy(r->stream);
}

static const char *measure_sets(
    const struct sets *s, const struct kernel_module *m, size_t launches, uint32_t n, double *samples)
{
    struct replay r = {.ctx = s->ctx, .cuda = s->cuda};
    const char *why = record(&r, m, s);
    if (!why)
        why = replays(&r, launches, n, samples);
    end_replay(&r);
    return why;
}

/* ---- beside it ----------------------------------------------------------------------------------------------------*/

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *samples, uint32_t n)
{
    qsort(samples, n, sizeof(*samples), by_value);
    return samples[n / 2];
}

/* One of the two kernels of PROBE on its own. */
static const char *probe_one(struct sets *s, const struct kernel_module *probe, uint32_t which, double *nanoseconds)
{
    double samples[15];
    struct kernel_module one = *probe;
    one.plan.n_launches = 1;
    one.plan.launches += which;
    one.functions += which;
    const char *why = measure_sets(s, &one, s->count, 15, samples);
    *nanoseconds = why ? 0 : median(samples, 15);
    return why;
}

/* The count of vectors is the first number of what is copied. */
static const char *probe_sets(struct sets *s, size_t bytes)
{
    uint64_t vectors = bytes / 16;
    for (size_t k = 0; k < s->count; k++)
        for (size_t i = 0; i < 2; i++)
            if (s->cuda->driver.memory_alloc(&s->at[2 * k + i], bytes < 16 ? 16 : bytes))
                return "there is no room on the device for a copy to compare with";
    for (size_t k = 0; k < s->count; k++) {
        if (s->cuda->driver.memory_set(s->at[2 * k], (unsigned char)(0x51 + 29 * k), bytes < 16 ? 16 : bytes) ||
            s->cuda->driver.copy_in(s->at[2 * k], &vectors, sizeof(vectors)))
            return "the device takes no data for a copy";
    }
    return NULL;
}

/* half: bytes that are read, and as many are written. */
const char *measure_machine(tf_ctx *ctx, const struct cuda *cuda, size_t half, double *launch_ns, double *copy_ns)
{
    static const uint8_t kept[2];
    const size_t sizes[2] = {half, half};
    struct kernel_module *probe = tf_host->alloc(ctx, sizeof(*probe));
    struct sets s = {.ctx = ctx, .cuda = cuda, .n_args = 1, .n_results = 1, .n = 2, .bytes = sizes, .is_kept = kept};
    s.count = sets_wanted(&s);
    s.at = tf_host->alloc(ctx, 2 * s.count * sizeof(*s.at));
    if (plan_read(ctx, PROBE, &probe->plan) || compile_source(ctx, PROBE, &probe->compiled))
        return "the kernels to compare with are not compiled";
    const char *why = module_load(ctx, cuda, probe);
    if (!why)
        why = probe_sets(&s, half);
    if (!why)
        why = probe_one(&s, probe, 0, launch_ns);
    if (!why)
        why = probe_one(&s, probe, 1, copy_ns);
    free_sets(&s);
    if (probe->loaded)
        cuda->driver.module_unload(probe->loaded);
    return why;
}

const char *clocks_text(tf_ctx *ctx)
{
    const struct nvml *nvml = nvml_open();
    nvml_device device;
    unsigned sm = 0, memory = 0, power = 0, limit = 0, celsius = 0;
    char driver[96] = "unknown";
    if (!nvml || nvml->device(0, &device))
        return NULL;
    nvml->driver(driver, sizeof(driver));
    nvml->clock(device, NVML_CLOCK_SM, &sm);
    nvml->clock(device, NVML_CLOCK_MEMORY, &memory);
    nvml->power(device, &power);
    nvml->power_limit(device, &limit);
    nvml->temperature(device, 0, &celsius);
    return tf_host->format(ctx, "SM %u MHz, memory %u MHz, %u of %u W, %u C, driver %s", sm, memory, power / 1000,
        limit / 1000, celsius, driver);
}

/* ---- the whole ----------------------------------------------------------------------------------------------------*/

static void size_sets(struct sets *s, const struct kernel_module *m, const struct tf_tensor *const *args,
    const struct tf_tensor *const *results)
{
    s->n_args = tensor_count(args);
    s->n_results = tensor_count(results);
    s->n_scratch = m->plan.n_scratch;
    s->n = s->n_args + s->n_results + s->n_scratch;
    size_t *bytes = tf_host->alloc(s->ctx, (s->n + 1) * sizeof(*bytes));
    uint8_t *kept = tf_host->alloc(s->ctx, s->n + 1);
    for (size_t i = 0; i < s->n; i++) {
        size_t scratch = s->n_args + s->n_results;
        bytes[i] = i < s->n_args ? tensor_bytes(args[i])
                   : i < scratch ? tensor_bytes(results[i - s->n_args])
                                 : m->plan.scratch[i - scratch].bytes;
        kept[i] = i >= scratch || (i < s->n_args && bytes[i] < KEPT);
    }
    s->bytes = bytes;
    s->is_kept = kept;
}

/* One launch on each set, so that the results of the first are there to be looked at. */
static const char *take_results(const struct sets *s, struct tf_tensor *const *results)
{
    for (size_t i = 0; i < s->n_results; i++)
        if (s->bytes[s->n_args + i] &&
            s->cuda->driver.copy_out(results[i]->data, s->at[s->n_args + i], s->bytes[s->n_args + i]))
            return "the results cannot be copied from the device";
    return NULL;
}

static const char *measure_module(struct sets *s, struct kernel_module *m, const struct tf_tensor *const *args,
    struct tf_tensor *const *results, struct tf_timing *timing)
{
    const char *why = module_load(s->ctx, s->cuda, m);
    size_sets(s, m, args, (const struct tf_tensor *const *)results);
    if (!why)
        why = plan_obstacle(&m->plan, s->n_args, s->n_results);
    if (why)
        return why;
    s->count = timing->warm ? 1 : sets_wanted(s);
    s->at = tf_host->alloc(s->ctx, (s->count * s->n + 1) * sizeof(*s->at));
    timing->rotated_bytes = timing->warm ? 0 : s->count * set_bytes(s);
    why = make_sets(s, args);
    if (!why)
        why = measure_sets(s, m, s->count, timing->n_samples, timing->ns);
    return why ? why : take_results(s, results);
}

/* A copy of as many bytes has half of them to read. */
static const char *measure_beside(struct sets *s, struct tf_timing *timing)
{
    size_t half = set_bytes(s) / 2 / 16 * 16;
    double copy_ns = 0;
    if (timing->copy_bytes_per_second > 0 && timing->floor_ns > 0)
        return NULL;
    const char *why = measure_machine(s->ctx, s->cuda, half, &timing->floor_ns, &copy_ns);
    if (!why && copy_ns > 0 && half)
        timing->copy_bytes_per_second = 2e9 * (double)half / copy_ns;
    return why;
}

int cuda_measure(tf_ctx *ctx, void *module, const struct tf_tensor *const *args, struct tf_tensor *const *results,
    struct tf_timing *timing)
{
    struct sets s = {.ctx = ctx};
    const char *why = cuda_open(ctx, &s.cuda), *code = why ? NO_DEVICE : KERNEL_FAULT;
    if (!why) {
        why = measure_module(&s, module, args, results, timing);
        free_sets(&s);
    }
    if (!why)
        why = measure_beside(&s, timing);
    if (!why)
        timing->conditions = clocks_text(ctx);
    else
        tf_host->error(ctx, NULL, code, "%s", why);
    return why ? TF_E_REFUSED : TF_OK;
}

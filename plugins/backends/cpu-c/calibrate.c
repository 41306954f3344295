/* SPDX-License-Identifier: MIT
 * cpu-c: what this machine does at best with code of the compiler that kernels are compiled by.
 */
#include "run.h"

#include <ctype.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define TRIES 5
#define LONG_ENOUGH 1e7 /* nanoseconds of one try */
#define FMA_LANES 16    /* chains a thread, so that none waits for itself */
#define PART_OF_MEMORY 8

enum { COPY, READ, FMA_F32, FMA_F64, CALL, PARALLEL };

/* args[0] holds what to do, how much (bytes, or fused operations a lane) and how often. */
static const char SOURCE[] =
    "#include <stdint.h>\n"
    "#include <string.h>\n"
    "#if defined(__clang__)\n"
    "#pragma clang fp contract(fast)\n"
    "#elif defined(__GNUC__)\n"
    "#pragma GCC optimize(\"fp-contract=fast\")\n"
    "#endif\n"
    "typedef float floats __attribute__((vector_size(64)));\n"
    "typedef double doubles __attribute__((vector_size(64)));\n"
    "static void copy(char *to, const char *from, int64_t n)\n"
    "{\n"
    "    const int64_t piece = 1 << 16;\n"
    "    #pragma omp parallel for schedule(static) if (n > piece)\n"
    "    for (int64_t i = 0; i < (n + piece - 1) / piece; i++)\n"
    "        memcpy(to + i * piece, from + i * piece, (size_t)(n - i * piece < piece ? n - i * piece : piece));\n"
    "}\n"
    "static uint64_t add_up(const uint64_t *from, int64_t n)\n"
    "{\n"
    "    uint64_t sum = 0;\n"
    "    #pragma omp parallel for simd schedule(static) reduction(+ : sum) if (parallel : n > 8192)\n"
    "    for (int64_t i = 0; i < n; i++)\n"
    "        sum += from[i];\n"
    "    return sum;\n"
    "}\n"
    "#define FMA(name, vector, number) \\\n"
    "    static double name(int64_t n, number by) \\\n"
    "    { \\\n"
    "        double sum = 0; \\\n"
    "        _Pragma(\"omp parallel reduction(+ : sum)\") \\\n"
    "        { \\\n"
    "            vector a = {0}, b = {0}, c = {0}, d = {0}, e = {0}, f = {0}, g = {0}, h = {0}; \\\n"
    "            vector i = {0}, j = {0}, k = {0}, l = {0}, m = {0}, o = {0}, p = {0}, q = {0}; \\\n"
    "            const vector one = (vector){0} + 1, x = one * by; \\\n"
    "            for (int64_t t = 0; t < n; t++) { \\\n"
    "                a = a * x + one; b = b * x + one; c = c * x + one; d = d * x + one; \\\n"
    "                e = e * x + one; f = f * x + one; g = g * x + one; h = h * x + one; \\\n"
    "                i = i * x + one; j = j * x + one; k = k * x + one; l = l * x + one; \\\n"
    "                m = m * x + one; o = o * x + one; p = p * x + one; q = q * x + one; \\\n"
    "            } \\\n"
    "            a += b + c + d + e + f + g + h + i + j + k + l + m + o + p + q; \\\n"
    "            sum += (double)a[0] + (double)a[1]; \\\n"
    "        } \\\n"
    "        return sum; \\\n"
    "    }\n"
    "FMA(fma_f32, floats, float)\n"
    "FMA(fma_f64, doubles, double)\n"
    "int tilefoundry_calibrate(const void *const *args, void *const *results);\n"
    "int tilefoundry_calibrate(const void *const *args, void *const *results)\n"
    "{\n"
    "    const int64_t *asked = args[0];\n"
    "    double *given = results[0];\n"
    "    for (int64_t i = 0; i < asked[2]; i++) {\n"
    "        if (asked[0] == 0)\n"
    "            copy(results[1], args[1], asked[1]);\n"
    "        else if (asked[0] == 1)\n"
    "            *given += (double)add_up(args[1], asked[1] / 8);\n"
    "        else if (asked[0] == 2)\n"
    "            *given += fma_f32(asked[1], 0.5f);\n"
    "        else if (asked[0] == 3)\n"
    "            *given += fma_f64(asked[1], 0.5);\n"
    "        else if (asked[0] == 5) {\n"
    "            #pragma omp parallel\n"
    "            __asm__ volatile(\"\");\n"
    "        }\n"
    "    }\n"
    "    return 0;\n"
    "}\n";

struct bench {
    tf_ctx *ctx;
    const struct tf_calibration *to;
    void *module;
    char *from, *into;
    size_t most; /* bytes that each holds */
    int threads;
    int status;
};

/* ---- measuring ----------------------------------------------------------------------------------------------------*/

static double now(void)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (double)at.tv_sec * 1e9 + (double)at.tv_nsec;
}

/* Nanoseconds of `repeats` times. */
static double run(struct bench *b, int what, int64_t amount, int64_t repeats)
{
    static const int64_t one = 1;
    int64_t asked[3] = {what, amount, repeats}, three = 3, bytes = (int64_t)b->most;
    double given = 0;
    const struct tf_tensor request = {sizeof(request), TF_DTYPE_I64, 1, &three, asked, NULL, NULL, NULL, NULL};
    const struct tf_tensor from = {sizeof(from), TF_DTYPE_U8, 1, &bytes, b->from, NULL, NULL, NULL, NULL};
    struct tf_tensor answer = {sizeof(answer), TF_DTYPE_F64, 1, &one, &given, NULL, NULL, NULL, NULL};
    struct tf_tensor into = {sizeof(into), TF_DTYPE_U8, 1, &bytes, b->into, NULL, NULL, NULL, NULL};
    const struct tf_tensor *const args[] = {&request, &from, NULL};
    struct tf_tensor *const results[] = {&answer, &into, NULL};
    double start = now();
    if (cpu_c_launch(b->ctx, b->module, args, results))
        b->status = TF_E_REFUSED;
    return now() - start;
}

/* The least time of one, among tries that are long enough for the clock and for threads to wake up. */
static double best(struct bench *b, int what, int64_t amount)
{
    int64_t repeats = 1;
    double least = 0;
    while (run(b, what, amount, repeats) < LONG_ENOUGH && repeats < (int64_t)1 << 30 && !b->status)
        repeats *= 2;
    for (int i = 0; i < TRIES && !b->status; i++) {
        double ns = run(b, what, amount, repeats) / (double)repeats;
        least = !i || ns < least ? ns : least;
    }
    return least > 0 ? least : 1;
}

/* ---- facts --------------------------------------------------------------------------------------------------------*/

static void state(struct bench *b, const char *path, double value, const char *unit, const char *conditions)
{
    b->to->fact(b->to, path, tf_host->format(b->ctx, "%.0f", value), unit, conditions);
}

static const char *on_threads(struct bench *b, const char *what)
{
    return tf_host->format(b->ctx, "%s, %d thread%s, best of %d", what, b->threads, b->threads == 1 ? "" : "s", TRIES);
}

static double measure_copies(struct bench *b)
{
    double rate = 0;
    for (size_t bytes = 1 << 14; !b->status; bytes *= 16) {
        size_t n = bytes < b->most ? bytes : b->most;
        rate = 2e9 * (double)n / best(b, COPY, (int64_t)n);
        state(b, tf_host->format(b->ctx, "memory.copy.of_%zu", n), rate, "byte/s",
            on_threads(b, "read and written counted alike, on the same memory"));
        if (n == b->most)
            break;
    }
    return rate;
}

static void measure_memory(struct bench *b)
{
    double copy = measure_copies(b), read = 1e9 * (double)b->most / best(b, READ, (int64_t)b->most);
    state(b, "memory.dram.read", read, "byte/s", on_threads(b, tf_host->format(b->ctx, "%zu bytes added up", b->most)));
    state(b, "memory.dram.bandwidth", copy > read ? copy : read, "byte/s",
        on_threads(b, tf_host->format(b->ctx, "%s %zu bytes", copy > read ? "copying" : "reading", b->most)));
}

static void measure_work(struct bench *b)
{
    const int64_t n = 1 << 20; /* milliseconds: threads that wait for each other do not count */
    double all = 2.0 * FMA_LANES * (double)n * b->threads;
    const char *how = on_threads(b, "a product and a sum fused, in registers");
    state(b, "throughput.fma.f32", all * 16 / best(b, FMA_F32, n) * 1e9, "flop/s", how);
    state(b, "throughput.fma.f64", all * 8 / best(b, FMA_F64, n) * 1e9, "flop/s", how);
    double call = best(b, CALL, 0);
    state(b, "latency.parallel", best(b, PARALLEL, 0) - call, "ns", on_threads(b, "an empty parallel region"));
}

static void state_sizes(struct bench *b)
{
    static const struct {
        const char *path;
        int name;
    } CACHES[] = {{"memory.l1d.capacity", _SC_LEVEL1_DCACHE_SIZE}, {"memory.l2.capacity", _SC_LEVEL2_CACHE_SIZE},
        {"memory.l3.capacity", _SC_LEVEL3_CACHE_SIZE}};
    double pages = (double)sysconf(_SC_PHYS_PAGES), page = (double)sysconf(_SC_PAGESIZE);
    state(b, "compute.thread_count", b->threads, "count", "processors that this process may use");
    for (size_t i = 0; i < sizeof(CACHES) / sizeof(*CACHES); i++)
        if (sysconf(CACHES[i].name) > 0)
            state(b, CACHES[i].path, (double)sysconf(CACHES[i].name), "byte", "as the system says");
    state(b, "memory.dram.capacity", pages * page, "byte", "as the system says");
}

/* The last cache is what all processors share. */
static void state_model(struct bench *b)
{
    static const char *const level[] = {"name", "thread", NULL};
    static const char *const units[] = {"level", "thread", "fact", "compute.thread_count", NULL};
    static const char *const host[] = {
        "level", "host", "kind", "explicit", "scope", "device", "capacity", "memory.dram.capacity", NULL};
    static const char *const global[] = {"level", "gmem", "kind", "explicit", "scope", "device", "capacity",
        "memory.dram.capacity", "bandwidth", "memory.dram.bandwidth", NULL};
    static const char *const cache[] = {
        "level", "l3", "kind", "implicit", "scope", "device", "caches", "gmem", "capacity", "memory.l3.capacity", NULL};
    static const char *const f32[] = {"pipe", "vector", "dtype", "f32", "fact", "throughput.fma.f32", NULL};
    static const char *const f64[] = {"pipe", "vector", "dtype", "f64", "fact", "throughput.fma.f64", NULL};
    b->to->model(b->to, "level", level);
    b->to->model(b->to, "units", units);
    b->to->model(b->to, "memory", host);
    b->to->model(b->to, "memory", global);
    if (sysconf(_SC_LEVEL3_CACHE_SIZE) > 0)
        b->to->model(b->to, "memory", cache);
    b->to->model(b->to, "rate", f32);
    b->to->model(b->to, "rate", f64);
}

/* "cpu.intel_r_xeon_r_processor" */
static const char *identity(tf_ctx *ctx, const char *name)
{
    char id[60] = "cpu";
    size_t n = 3;
    int is_apart = 1;
    for (; *name && n + 3 < sizeof(id); name++) {
        int c = tolower((unsigned char)*name);
        if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))) {
            is_apart = 1;
            continue;
        }
        if (is_apart) {
            id[n] = n == 3 ? '.' : '_';
            n++;
        }
        id[n++] = (char)c;
        is_apart = 0;
    }
    id[n] = '\0';
    return tf_host->format(ctx, "%s", id);
}

/* ---- the whole ----------------------------------------------------------------------------------------------------*/

static int have_memory(struct bench *b)
{
    long last = sysconf(_SC_LEVEL3_CACHE_SIZE), pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    size_t wanted = last > 0 ? 2 * (size_t)last : (size_t)256 << 20;
    size_t allowed = pages > 0 && page > 0 ? (size_t)pages / PART_OF_MEMORY * (size_t)page : wanted;
    b->most = wanted < allowed ? wanted : allowed;
    b->from = malloc(b->most);
    b->into = malloc(b->most);
    if (!b->from || !b->into) {
        tf_host->error(b->ctx, NULL, KERNEL_REFUSED, "%zu bytes to copy, twice, cannot be had", b->most);
        return TF_E_NOMEM;
    }
    memset(b->from, 1, b->most);
    memset(b->into, 2, b->most);
    return TF_OK;
}

static int measure_all(struct bench *b)
{
    const char *name = cpu_text(b->ctx, "model name");
    name = name && *name ? name : "processor of unknown name";
    b->to->head(b->to, identity(b->ctx, name), "cpu", NULL, name);
    b->to->fact(b->to, "identity.name", name, "name", NULL);
    state_sizes(b);
    measure_memory(b);
    measure_work(b);
    state_model(b);
    return b->status;
}

int cpu_c_calibrate(tf_ctx *ctx, const struct tf_calibration *to)
{
    const struct tf_artifact artifact = {.struct_size = sizeof(artifact),
        .text = SOURCE,
        .length = sizeof(SOURCE) - 1,
        .suffix = ".c",
        .entry = "tilefoundry_calibrate"};
    struct bench b = {.ctx = ctx, .to = to, .threads = cpu_threads()};
    int status = cpu_c_compile(ctx, &artifact, &b.module);
    if (!status)
        status = have_memory(&b);
    if (!status)
        status = measure_all(&b);
    free(b.from);
    free(b.into);
    return status;
}

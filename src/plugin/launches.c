/* SPDX-License-Identifier: MIT
 * Cold launches: each finds its arguments and results in memory that nobody has touched for longer than the caches
 * remember.  There are as many sets of them as exceed the last cache twice; where launches are fewer than that takes, one
 * set for each, and a walk over other memory before the first.
 */
#include "plugin/launches.h"

#include "plugin/numbers.h"
#include "util/diag.h"
#include "util/parallel.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define PAGE ((size_t)4096)
#define CACHE_UNKNOWN ((size_t)64 << 20) /* where the system does not say */
#define PART_OF_MEMORY 8                 /* that sets may take: an eighth */
#define COPIES 9
#define COPY_GRAIN ((size_t)1 << 18)
#define UNWRITTEN 0xff

struct set { /* all arguments and results once */
    const struct tf_tensor **args;
    struct tf_tensor **results;
    char *memory;
};

struct rotation {
    tf_ctx *ctx;
    const struct tf_tensor *const *args;
    struct tf_tensor *const *results;
    struct tf_timing *timing;
    size_t each, n_sets, mapped; /* bytes of a set, sets, bytes of all */
    int exceeds;                 /* the caches, when all sets are gone through */
    char *map;
    struct set *sets;
};

/* ---- memory -------------------------------------------------------------------------------------------------------*/

static size_t last_cache(void)
{
    long l3 = sysconf(_SC_LEVEL3_CACHE_SIZE), l2 = sysconf(_SC_LEVEL2_CACHE_SIZE);
    long last = l3 > l2 ? l3 : l2;
    return last > 0 ? (size_t)last : CACHE_UNKNOWN;
}

static size_t memory_allowed(void)
{
    long pages = sysconf(_SC_PHYS_PAGES);
    return pages > 0 ? (size_t)pages * (PAGE / PART_OF_MEMORY) : SIZE_MAX;
}

static size_t bytes_of(const struct tf_tensor *tensor)
{
    size_t n = number_bytes(tensor->dtype);
    for (uint32_t i = 0; i < tensor->rank; i++)
        n *= (size_t)tensor->extents[i];
    return n;
}

static size_t room_of(const struct tf_tensor *tensor)
{
    return (bytes_of(tensor) + PAGE - 1) / PAGE * PAGE;
}

static size_t count(const struct tf_tensor *const *list)
{
    size_t n = 0;
    while (list[n])
        n++;
    return n;
}

static size_t room_of_all(const struct tf_tensor *const *list)
{
    size_t room = 0;
    for (; *list; list++)
        room += room_of(*list);
    return room;
}

static const struct tf_tensor *const *outputs(const struct rotation *r)
{
    return (const struct tf_tensor *const *)r->results;
}

static void count_sets(struct rotation *r)
{
    size_t cache = last_cache(), launches = (size_t)r->timing->n_samples + 1;
    r->each = room_of_all(r->args) + room_of_all(outputs(r));
    r->each = r->each ? r->each : PAGE;
    size_t enough = 2 * cache / r->each + 2, most = memory_allowed() / r->each;
    r->n_sets = r->timing->warm ? 1 : enough < launches ? enough : launches;
    if (r->n_sets > most)
        r->n_sets = most < 2 && !r->timing->warm ? 2 : most < 1 ? 1 : most;
    r->exceeds = r->n_sets >= enough;
    r->mapped = r->n_sets * r->each;
}

/* ---- sets ---------------------------------------------------------------------------------------------------------*/

static struct tf_tensor *place(struct rotation *r, const struct tf_tensor *of, char **at)
{
    struct tf_tensor *tensor = arena_copy(&r->ctx->arena, of, sizeof(*of));
    tensor->data = *at;
    *at += room_of(of);
    return tensor;
}

static void make_set(struct rotation *r, struct set *set, char *at)
{
    size_t n = count(r->args), n_results = count(outputs(r));
    set->memory = at;
    set->args = CTX_ARRAY(r->ctx, const struct tf_tensor *, n + 1);
    set->results = CTX_ARRAY(r->ctx, struct tf_tensor *, n_results + 1);
    for (size_t i = 0; i < n; i++) {
        struct tf_tensor *own = place(r, r->args[i], &at);
        if (bytes_of(own))
            memcpy(own->data, r->args[i]->data, bytes_of(own));
        set->args[i] = own;
    }
    for (size_t i = 0; i < n_results; i++) {
        set->results[i] = place(r, r->results[i], &at);
        memset(set->results[i]->data, UNWRITTEN, room_of(set->results[i]));
    }
}

static int make_sets(struct rotation *r)
{
    count_sets(r);
    r->map = mmap(NULL, r->mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (r->map == MAP_FAILED) {
        ERROR(r->ctx, NULL, "out-of-memory", "%zu bytes for launches to go around in cannot be had: %s", r->mapped,
            strerror(errno));
        return TF_E_NOMEM;
    }
    r->sets = CTX_ARRAY(r->ctx, struct set, r->n_sets);
    for (size_t i = 0; i < r->n_sets; i++)
        make_set(r, &r->sets[i], r->map + i * r->each);
    return TF_OK;
}

/* Other memory takes the sets' place in the caches. */
static void evict(size_t bytes)
{
    char *other = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (other == MAP_FAILED)
        return;
    memset(other, 1, bytes);
    munmap(other, bytes);
}

/* ---- launches -----------------------------------------------------------------------------------------------------*/

static double now(void)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (double)at.tv_sec * 1e9 + (double)at.tv_nsec;
}

static int nothing(tf_ctx *ctx, void *data, const struct tf_tensor *const *args, struct tf_tensor *const *results)
{
    (void)ctx, (void)data, (void)args, (void)results;
    return TF_OK;
}

static int time_one(const struct rotation *r, launch_fn *launch, void *data, const struct set *set, double *ns)
{
    double from = now();
    int status = launch(r->ctx, data, set->args, set->results);
    *ns = now() - from;
    if (*ns <= 0)
        *ns = 1; /* less than the clock can tell */
    return status;
}

/* The least of what a launch costs that does nothing. */
static double find_floor(const struct rotation *r)
{
    launch_fn *volatile launch = nothing; /* called for as it is, not inlined */
    double least = 1e9, ns;
    for (int i = 0; i < 100; i++) {
        time_one(r, launch, NULL, &r->sets[0], &ns);
        least = ns < least ? ns : least;
    }
    return least;
}

/* The last set is for warming up, where there are several. */
static int run_all(struct rotation *r, launch_fn *launch, void *data)
{
    struct tf_timing *timing = r->timing;
    const struct set *last = &r->sets[r->n_sets - 1];
    double ns;
    if (!timing->warm && !r->exceeds)
        evict(last_cache());
    int status = time_one(r, launch, data, last, &ns);
    for (uint32_t i = 0; i < timing->n_samples && !status; i++)
        status = time_one(r, launch, data, last = &r->sets[i % r->n_sets], &timing->ns[i]);
    for (size_t i = 0; r->results[i] && !status; i++)
        if (bytes_of(r->results[i]))
            memcpy(r->results[i]->data, last->results[i]->data, bytes_of(r->results[i]));
    return status;
}

/* ---- a copy -------------------------------------------------------------------------------------------------------*/

struct copying {
    char *to;
    const char *from;
};

static void copy_part(void *data, size_t first, size_t end)
{
    const struct copying *copying = data;
    memcpy(copying->to + first, copying->from + first, end - first);
}

static int less(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Half of a set to its other half, set after set, by all processors or by one, whatever is faster. */
static double copy_rate(struct rotation *r)
{
    size_t half = (room_of_all(r->args) + room_of_all(outputs(r))) / 2;
    double rate = 0, ns[COPIES];
    if (!r->timing->warm && !r->exceeds)
        evict(last_cache());
    for (int alone = 0; alone < 2 && half; alone++) {
        for (size_t i = 0; i < COPIES; i++) {
            char *set = r->sets[i % r->n_sets].memory;
            struct copying copying = {set, set + half};
            double from = now();
            parallel_for(half, alone ? half : COPY_GRAIN, copy_part, &copying);
            ns[i] = now() - from;
        }
        qsort(ns, COPIES, sizeof(*ns), less);
        double found = ns[COPIES / 2] > 0 ? 2e9 * (double)half / ns[COPIES / 2] : 0;
        rate = found > rate ? found : rate;
    }
    return rate;
}

int launches_time(tf_ctx *ctx, launch_fn *launch, void *data, const struct tf_tensor *const *args,
    struct tf_tensor *const *results, struct tf_timing *timing)
{
    struct rotation r = {.ctx = ctx, .args = args, .results = results, .timing = timing};
    int status = make_sets(&r);
    if (status)
        return status;
    timing->floor_ns = find_floor(&r);
    timing->rotated_bytes = timing->warm ? 0 : r.mapped;
    status = run_all(&r, launch, data);
    if (!status && timing->copy_bytes_per_second == 0)
        timing->copy_bytes_per_second = copy_rate(&r);
    munmap(r.map, r.mapped);
    return status;
}

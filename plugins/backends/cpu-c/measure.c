/* SPDX-License-Identifier: MIT
 * cpu-c: what is measured of a kernel is the host's to do; what it ran on is told here.
 */
#include "run.h"

#include <sched.h>
#include <stdlib.h>

int cpu_threads(void)
{
    cpu_set_t set;
    const char *wanted = getenv("OMP_NUM_THREADS");
    int n = wanted ? atoi(wanted) : 0;
    return n > 0 ? n : sched_getaffinity(0, sizeof(set), &set) ? 1 : CPU_COUNT(&set);
}

static int launch(tf_ctx *ctx, void *data, const struct tf_tensor *const *args, struct tf_tensor *const *results)
{
    return cpu_c_launch(ctx, data, args, results);
}

int cpu_c_measure(tf_ctx *ctx, void *module, const struct tf_tensor *const *args, struct tf_tensor *const *results,
    struct tf_timing *timing)
{
    const char *name = cpu_text(ctx, "model name"), *clock = cpu_text(ctx, "cpu MHz");
    int n = cpu_threads();
    timing->conditions = tf_host->format(ctx, "%s, %d thread%s%s%s%s", name ? name : "processor of unknown name", n,
        n == 1 ? "" : "s", clock ? ", " : "", clock ? clock : "", clock ? " MHz" : "");
    return tf_host->time_launches(ctx, launch, module, args, results, timing);
}

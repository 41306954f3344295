/* SPDX-License-Identifier: MIT */
#include "bench/bench.h"

#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Between two neighbours in proportion. */
static double quantile(const double *sorted, size_t n, double at)
{
    double place = at * (double)(n - 1);
    size_t below = (size_t)place;
    size_t above = below + 1 < n ? below + 1 : below;
    return sorted[below] + (place - (double)below) * (sorted[above] - sorted[below]);
}

struct spread spread_of(tf_ctx *ctx, const double *values, size_t n)
{
    double *sorted = arena_copy(&ctx->arena, values, n * sizeof(*values));
    qsort(sorted, n, sizeof(*sorted), compare);
    return (struct spread){.least = sorted[0],
        .low = quantile(sorted, n, 0.25),
        .median = quantile(sorted, n, 0.5),
        .high = quantile(sorted, n, 0.75)};
}

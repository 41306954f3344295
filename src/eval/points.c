/* SPDX-License-Identifier: MIT */
#include "eval/points.h"

#include "eval/bound.h"
#include "plugin/numbers.h"

#include <string.h>

void points_set(struct tf_tensor *to, size_t n, const void *elements)
{
    number_load_f64(to->dtype, n, elements, to->data);
    memcpy(to->bound, to->data, n * sizeof(double));
    for (size_t i = 0; i < n; i++)
        bound_settle((struct tensor *)to, i); /* of which it looks at the public part */
}

void points_deliver(struct tf_tensor *to, size_t n, const struct tf_tensor *found, const void *elements)
{
    points_set(to, n, elements);
    double *lo = to->data;
    const double *found_lo = found->data;
    for (size_t i = 0; i < n; i++) {
        if (!to->doubt[i] && lo[i] >= found_lo[i] && lo[i] <= found->bound[i])
            continue;
        lo[i] = found_lo[i];
        to->bound[i] = found->bound[i];
        to->doubt[i] = found->doubt[i];
    }
    if (found->raw)
        memcpy(to->raw, found->raw, 2 * n * sizeof(double));
}

/* SPDX-License-Identifier: MIT
 * Timing what runs on this machine's processors, launch by launch: the host table's time_launches.
 */
#ifndef TF_PLUGIN_LAUNCHES_H
#define TF_PLUGIN_LAUNCHES_H

#include "util/ctx.h"

typedef int launch_fn(tf_ctx *ctx, void *data, const struct tf_tensor *const *args, struct tf_tensor *const *results);

/* Fills all of `timing`, and `results` with what the last launch computed.  The lists end with NULL.  0, what a launch
 * gave, or TF_E_* after a diagnostic. */
int launches_time(tf_ctx *ctx, launch_fn *launch, void *data, const struct tf_tensor *const *args,
    struct tf_tensor *const *results, struct tf_timing *timing);

#endif

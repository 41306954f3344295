/* SPDX-License-Identifier: MIT
 * How far long work has come, on standard error: nothing in the first second, and never in a report.
 */
#ifndef TF_UTIL_PROGRESS_H
#define TF_UTIL_PROGRESS_H

#include "util/ctx.h"

/* Begins to show it: on a terminal in one line that is written over, elsewhere, where `always` is set, in lines. */
void progress_start(tf_ctx *ctx, int always);
/* "WHAT: 40 %", of the thread that began it.  Cheap, and nothing before progress_start. */
void progress_tell(tf_ctx *ctx, const char *what, uint64_t done, uint64_t total);
/* Leaves no trace on a terminal. */
void progress_end(tf_ctx *ctx);

#endif

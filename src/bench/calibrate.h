/* SPDX-License-Identifier: MIT */
#ifndef TF_BENCH_CALIBRATE_H
#define TF_BENCH_CALIBRATE_H

#include "util/buf.h"
#include "util/ctx.h"

/* Has the backend of that name measure this machine; text: the target document, valid.  0, or TF_E_* after a
 * diagnostic. */
int calibrate(tf_ctx *ctx, const char *name, struct buf *text);

#endif

/* SPDX-License-Identifier: MIT
 * What a candidate declares of its arithmetic: the text of --declare, of a twin and of a backend.
 */
#ifndef TF_CHECK_DECLARE_H
#define TF_CHECK_DECLARE_H

#include "check/check.h"

/* Reads "NAME=VALUE NAME=VALUE ..." over what is there; by: who wrote it, for diagnostics.  0, or CHECK_USAGE. */
int declare(tf_ctx *ctx, struct tf_declared *to, const char *by, const char *text);
/* The whole declaration, as it could be written. */
const char *declared_text(tf_ctx *ctx, const struct tf_declared *declared);

#endif

/* SPDX-License-Identifier: MIT
 * What a candidate declares of its arithmetic: the text of --declare, of a twin and of a backend.
 */
#ifndef TF_CHECK_DECLARE_H
#define TF_CHECK_DECLARE_H

#include "check/check.h"
#include "ir/ir.h"

/* Reads "NAME=VALUE NAME=VALUE ..." over what is there; by: who wrote it, for diagnostics.  0, or CHECK_USAGE. */
int declare(tf_ctx *ctx, struct tf_declared *to, const char *by, const char *text);
const char *declared_name(uint32_t approximation); /* "rsqrt" of TF_APPROX_RSQRT */
/* Holds what is declared to what the module's target states of it, and takes the accumulator's figures from there
 * (hardware.c).  0, CHECK_USAGE, or CHECK_ERROR. */
int declare_facts(tf_ctx *ctx, struct tf_declared *to, const char *by, const struct ir_module *module);
/* The whole declaration, as it could be written. */
const char *declared_text(tf_ctx *ctx, const struct tf_declared *declared);

#endif

/* SPDX-License-Identifier: MIT
 * cpu-c: portable C for this machine's processors.  Source is made in emit.c, and compiled and run in run.c.
 */
#ifndef TF_CPU_C_H
#define TF_CPU_C_H

#include <tilefoundry/plugin.h>

int cpu_c_supports(tf_ctx *ctx, const struct tf_program *program, const struct tf_step *step, const char **why);
/* Source that exports one function,
 *     int ENTRY(const void *const *args, void *const *results);
 * args are the parameters in declared order, results the tensor leaves from left to right; dense, in C order, elements as
 * in struct tf_tensor.  It returns 0; 1 where memory is short; 2 where an index, a window or a divisor among the data is
 * out of range. */
int cpu_c_lower(tf_ctx *ctx, const struct tf_program *program, struct tf_artifact *artifact);
const char *cpu_c_declares(tf_ctx *ctx, const struct tf_program *program);

#endif

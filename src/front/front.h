/* SPDX-License-Identifier: MIT
 * The front end: from a file to a typed program.
 */
#ifndef TF_FRONT_FRONT_H
#define TF_FRONT_FRONT_H

#include "ir/ir.h"

/* `FILE.py[:Module[.child]...[.function]]` taken apart and loaded (load.c): siblings are parsed, never executed. */
struct selection {
    struct ir_program *program;
    struct ir_module *module;
    struct ir_function *function; /* entry, or the one the selector ends in; NULL when the module has no entry */
    const char *selector;         /* as typed after the colon, or NULL */
};
int front_load(tf_ctx *ctx, const char *source, struct selection *selection); /* 0, or TF_E_* after diagnostics */

#endif

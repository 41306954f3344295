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
    int is_twin;                  /* the selector names a class that implements the module in Python */
};
int front_load(tf_ctx *ctx, const char *source, struct selection *selection); /* 0, or TF_E_* after diagnostics */
/* Likewise; the selector may begin with a class under @runtime_module(MODULE), which stands for that Module. */
int front_load_twin(tf_ctx *ctx, const char *source, struct selection *selection);

#endif

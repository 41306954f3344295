/* SPDX-License-Identifier: MIT
 * From a program to the source of a kernel: by a fused path that knows the whole program, else by the backend.
 */
#ifndef TF_PLUGIN_LOWERED_H
#define TF_PLUGIN_LOWERED_H

#include "util/ctx.h"

/* As `path` below: the backend's own code, whatever paths there are. */
#define NO_PATH "none"

struct lowering_request {
    const char *backend;   /* NULL: one that --plugin loaded, else the first that serves any target */
    const char *path;      /* NULL: the first, by name, that the program is; NO_PATH; or the name of one */
    uint32_t fp8_overflow; /* of tf_artifact */
};

struct lowered {
    const struct tf_backend *backend;
    const struct tf_path *path; /* NULL: the backend's own code */
    void *match;                /* what the path found */
    struct tf_artifact artifact;
};

/* The program is of ir_program_values, or of ir_program_make.  What one call is refused for is told before anything is
 * generated.  0, or TF_E_* after a diagnostic. */
int lower_program(
    tf_ctx *ctx, const struct tf_program *program, const struct lowering_request *request, struct lowered *lowered);

/* The path of that name, with what it found in the program; 0, or TF_E_* after a diagnostic. */
int path_find(
    tf_ctx *ctx, const struct tf_program *program, const char *name, const struct tf_path **path, void **match);

/* What the code declares of its arithmetic, or NULL. */
const char *lowered_declares(tf_ctx *ctx, const struct tf_program *program, const struct lowered *lowered);

#endif

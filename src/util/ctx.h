/* SPDX-License-Identifier: MIT
 * The context of one run.  There are no globals: everything hangs here.
 */
#ifndef TF_UTIL_CTX_H
#define TF_UTIL_CTX_H

#define TF_HOST_SIDE
#include <tilefoundry/plugin.h>

#include "util/arena.h"
#include "util/intern.h"

/* Limits: X(name, default, what it counts).  Each is an option `--limit NAME=N`. */
#define TF_LIMITS(X)                                                                                                   \
    X(depth, 200, "nesting of expressions and of statements")                                                          \
    X(tokens, 20000000, "tokens of one source file")                                                                   \
    X(bytes, 268435456, "bytes of one source file")                                                                    \
    X(statements, 2000000, "statements of one source file")                                                            \
    X(nodes, 4000000, "values of one function with its callees inlined")                                               \
    X(rank, 16, "axes of one value")                                                                                   \
    X(elements, 1000000, "elements of one tuple, list or comprehension")                                               \
    X(files, 256, "source files of one program")                                                                       \
    X(steps, 10000000, "steps of static evaluation")                                                                   \
    X(errors, 20, "errors that are shown before the program gives up")

struct limits {
#define X(name, fallback, what) uint64_t name;
    TF_LIMITS(X)
#undef X
};

struct dim_table;  /* type/dim.c */
struct cli;        /* cli/cli.h */
struct registry;   /* plugin/registry.h */
struct report;     /* report/report.h */
struct diag_state; /* diag.c */
struct progress;   /* progress.c */

struct tf_ctx {
    struct arena arena;     /* lives as long as the context */
    struct arena relations; /* of access relations: given back when who asked for one is done with it */
    struct intern names;
    struct limits limits;
    struct diag_state *diag;
    struct dim_table *dims;
    struct registry *registry;
    struct report *report;
    struct cli *cli;
    const struct tf_program *program;
    const struct tf_math *math; /* once a run evaluates (plugin/numbers.h) */
    const char *plugin;         /* name of the plugin whose callback runs, for diagnostics; or NULL */
    const struct tf_loc *at;    /* of the call whose callback runs, or NULL */
    int verbose;                /* -1 quiet, 0, 1 verbose */
    struct progress *progress;  /* where it is shown, else NULL */
};

tf_ctx *ctx_create(void);
void ctx_destroy(tf_ctx *ctx); /* accepts NULL */

const char *ctx_intern(tf_ctx *ctx, const char *text);
const char *ctx_intern_n(tf_ctx *ctx, const char *text, size_t length);
#define CTX_NEW(ctx, type) ARENA_NEW(&(ctx)->arena, type)
#define CTX_ARRAY(ctx, type, n) ARENA_ARRAY(&(ctx)->arena, type, n)

#endif

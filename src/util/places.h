/* SPDX-License-Identifier: MIT
 * Where the program's own files are: installed, installed below a DESTDIR, or in a build tree.
 */
#ifndef TF_UTIL_PLACES_H
#define TF_UTIL_PLACES_H

#include "util/ctx.h"

struct places {
    const char *plugins;  /* NAME.so and plugins.index */
    const char *modules;  /* parts of the program that are opened when used */
    const char *targets;  /* ID.xml */
    const char *compiled; /* ID.tfc, made from the documents */
    const char *schemas;  /* target.rng */
    const char *data;     /* examples and pages */
    int is_build_tree;
};

/* Found once, from where the running program lies.  Never NULL. */
const struct places *places_get(tf_ctx *ctx);
/* Those of the build tree at `directory`, for unit tests, which lie elsewhere in it; 0 when it is none. */
int places_use_build_tree(tf_ctx *ctx, const char *directory);

/* Opens NAME.so in `modules` and gives its symbol; NULL after a diagnostic.  Never closed. */
void *module_symbol(tf_ctx *ctx, const char *name, const char *symbol);

#endif

/* SPDX-License-Identifier: MIT
 * Where the program's own files are.  A program in its build tree has a file tilefoundry.buildtree beside it, with
 * lines KEY=DIRECTORY.  An installed one finds them from where it runs, so that an installation under DESTDIR, or one
 * that was moved, works in place; last comes what was configured.
 */
#ifndef TF_UTIL_PLACE_H
#define TF_UTIL_PLACE_H

#include "util/ctx.h"

/* X(NAME, key in tilefoundry.buildtree, configured directory) */
#define TF_PLACES(X)                                                                                                   \
    X(PLUGINS, "plugins", PLUGINDIR)                                                                                   \
    X(MODULES, "modules", MODULEDIR)                                                                                   \
    X(TARGETS, "targets", TARGETDIR)                                                                                   \
    X(COMPILED, "compiled", TARGETDIR)                                                                                 \
    X(SCHEMAS, "schemas", SCHEMADIR)                                                                                   \
    X(DATA, "data", DATADIR)

enum place {
#define X(NAME, key, configured) PLACE_##NAME,
    TF_PLACES(X)
#undef X
};

/* A directory, in the context's memory; it need not exist. */
const char *place_dir(tf_ctx *ctx, enum place place);

/* Opens NAME.so among the modules and gives its symbol; NULL after a diagnostic.  Never closed. */
void *module_symbol(tf_ctx *ctx, const char *name, const char *symbol);

#endif

/* SPDX-License-Identifier: MIT
 * Inside the plugin host: from a file to a checked copy of its descriptor.
 */
#ifndef TF_PLUGIN_MODULE_H
#define TF_PLUGIN_MODULE_H

#include "plugin/registry.h"
#include "util/diag.h"

#include <sys/stat.h>

/* X(KIND, text, member of tf_plugin, element type, last member that every version of it has) */
#define PLUGIN_KINDS(X)                                                                                                \
    X(OP, "op", ops, struct tf_op, infer)                                                                              \
    X(ANALYZER, "analyzer", analyzers, struct tf_analyzer, run)                                                        \
    X(BACKEND, "backend", backends, struct tf_backend, supports)                                                       \
    X(PATH, "path", paths, struct tf_path, match)                                                                      \
    X(PREDICATE, "predicate", predicates, struct tf_predicate, judge)                                                  \
    X(TWIN, "twin", twins, struct tf_twin, run)

enum plugin_kind {
#define X(KIND, ...) KIND_##KIND,
    PLUGIN_KINDS(X)
#undef X
        KIND_PLUGIN, /* the plugin's own name */
    KIND_ENUM,       /* an enumeration that an attribute of some operator has */
    KIND_COUNT
};
const char *kind_text(enum plugin_kind kind);
int kind_find(const char *text, enum plugin_kind *kind); /* 0 when found */

/* What every element struct begins with. */
struct element {
    uint64_t struct_size;
    const char *name, *summary;
};
/* The copied elements of one kind, in the order of the descriptor. */
size_t plugin_count(const struct plugin *plugin, enum plugin_kind kind);
const struct element *plugin_element(const struct plugin *plugin, enum plugin_kind kind, size_t index);

/* ---- search.c -----------------------------------------------------------------------------------------------------*/

/* Letters of a plugin's, analyzer's, backend's name: a-z, digits, "-", a letter first. */
int name_is_plain(const char *name);
/* Letters of an operator's or input's name: those of an identifier of the language. */
int name_is_identifier(const char *name);
const char *path_base(const char *path);
int path_is_module(const char *path); /* ends in .so */

/* A directory that is searched: 0, or TF_E_REFUSED after a diagnostic.  `origin` says who named it. */
int search_check_directory(tf_ctx *ctx, uint32_t severity, const char *directory, const char *origin);
/* A file that is about to be opened: a regular file that not everybody may write. */
int search_check_file(tf_ctx *ctx, uint32_t severity, const char *file, struct stat *status);
/* The modules of a directory, sorted; base names in the context's memory. */
size_t search_list(tf_ctx *ctx, const char *directory, const char *const **names);

/* ---- load.c, check.c ----------------------------------------------------------------------------------------------*/

/* Opens the file and copies its descriptor; nothing is registered and start has not run. */
int module_open(tf_ctx *ctx, uint32_t severity, const char *file, struct plugin *plugin);
/* The part of it after the entry has answered; raw may be NULL.  The fuzzer's door. */
int descriptor_check(
    tf_ctx *ctx, uint32_t severity, const char *file, const struct tf_plugin *raw, struct plugin *plugin);
/* Runs the plugin's start, if it has one: 0, or PLUGIN_START_REFUSED after a diagnostic. */
int module_start(tf_ctx *ctx, uint32_t severity, const struct plugin *plugin);

/* ---- index.c ------------------------------------------------------------------------------------------------------*/

#define INDEX_FILE "plugins.index"

struct index_name {
    enum plugin_kind kind;
    uint32_t is_alias;
    const char *name;
};
struct index_module {
    const char *file; /* base name */
    int64_t mtime, size;
    size_t n;
    const struct index_name *names;
};
/* What DIRECTORY's index says, sorted by file; 0 modules when there is none or it is not in the form of this version.
 */
size_t index_read(tf_ctx *ctx, const char *directory, const struct index_module **modules);
int index_write(tf_ctx *ctx, const char *directory, const struct plugin *const *plugins, size_t n);

#endif

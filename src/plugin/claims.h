/* SPDX-License-Identifier: MIT
 * What is known of names: each (kind, name) with the module file that provides it, opened or not.
 */
#ifndef TF_PLUGIN_CLAIMS_H
#define TF_PLUGIN_CLAIMS_H

#include "plugin/module.h"

/* A file on the paths. */
enum file_state {
    FILE_LISTED, /* an index says what it provides; not opened */
    FILE_LOADED,
    FILE_DEAD /* stale, hidden behind another of its name, or broken: what the table says of it does not count */
};
struct module_file {
    const char *path, *base;
    int64_t mtime, size; /* as its index has them */
    enum file_state state;
    uint32_t was_refused; /* opened once and found broken */
};

struct entry {
    enum plugin_kind kind;
    uint32_t hash;
    const char *name;
    struct module_file *file;
    const void *element; /* the copied struct, or the attribute of a KIND_ENUM; NULL: not opened yet */
    const struct tf_alias *alias;
    struct entry *also; /* more of the same kind and name: several operators may share an enumeration */
};

struct claims {
    struct entry **slot; /* open addressing, a power of two */
    size_t n, room;
};

/* First of the chain, dead ones included; NULL when the name was never heard of. */
struct entry *claims_find(const struct claims *table, enum plugin_kind kind, const char *name);
/* The first whose file counts. */
struct entry *claims_find_live(const struct claims *table, enum plugin_kind kind, const char *name);
struct entry *claims_add(
    struct claims *table, tf_ctx *ctx, enum plugin_kind kind, const char *name, struct module_file *file);
void claims_finish(struct claims *table);

#endif

/* SPDX-License-Identifier: MIT
 * Plugins: finding, loading, and what they provide, by kind and name.
 */
#ifndef TF_PLUGIN_REGISTRY_H
#define TF_PLUGIN_REGISTRY_H

#include "util/ctx.h"

/* One loaded plugin.  The descriptor is a copy into the host's full-size struct; the element structs are copies too.
 * struct_size members keep what the plugin said, so that listings can show it. */
struct plugin {
    struct tf_plugin descriptor;
    const char *file;
    uint64_t device, inode; /* the same file is loaded once */
    uint32_t is_explicit;   /* named by --plugin */
    uint32_t _reserved;
    const char *elements, *elements_end; /* the block that holds all the copied elements */
};

/* The exit status of a run whose --plugin refused to start (no device, no licence): told from other failures, so that a
 * caller can go on without the plugin.  registry_load returns it. */
#define PLUGIN_START_REFUSED 3

/* Paths come first to last: --plugin-path, $TILEFOUNDRY_PLUGIN_PATH, the installed (or build-tree) directory. */
struct registry *registry_create(tf_ctx *ctx); /* also becomes ctx->registry */
void registry_destroy(struct registry *registry);
/* Before anything is asked or loaded.  Checks: a directory, not world-writable. */
int registry_add_path(tf_ctx *ctx, const char *directory);
/* Only the paths that registry_add_path gave: neither the environment's nor the installed directory. */
void registry_only_added_paths(tf_ctx *ctx);

/* --plugin NAME|PATH.  0, PLUGIN_START_REFUSED, or TF_E_* after a diagnostic that names what failed and how to mend it.
 */
int registry_load(tf_ctx *ctx, const char *name);
/* The loaded plugin of that name or path, or NULL. */
const struct plugin *registry_plugin(tf_ctx *ctx, const char *name);
/* Everything that the paths hold, for `plugin list`; broken ones are warnings. */
int registry_load_all(tf_ctx *ctx);

/* What a name stands for; loads the plugin that provides it (through the index, else by scanning).  NULL: nobody. */
const struct tf_op *registry_op(tf_ctx *ctx, const char *name, const struct tf_alias **alias);
const struct tf_analyzer *registry_analyzer(tf_ctx *ctx, const char *name);
const struct tf_backend *registry_backend(tf_ctx *ctx, const char *name);
const struct tf_predicate *registry_predicate(tf_ctx *ctx, const char *name);
const struct tf_twin *registry_twin(tf_ctx *ctx, const char *name);
const struct tf_path *registry_path(tf_ctx *ctx, const char *name);

/* All the names of a kind that plugins on the paths provide (from the index where it is current), sorted.  kind is one
 * of "op", "analyzer", "backend", "path", "predicate", "twin", "plugin".  Names of operators include their aliases. */
size_t registry_names(tf_ctx *ctx, const char *kind, const char *const **names);
/* Whether there is that name, without loading what the index knows. */
int registry_provides(tf_ctx *ctx, const char *kind, const char *name);
/* Member names of an enumeration of some op ("ReduceKind"), as an attribute of a host object would be looked up.  The
 * value string of the member, or NULL. */
const char *registry_enum_member(tf_ctx *ctx, const char *enumeration, const char *member);

size_t registry_plugins(tf_ctx *ctx, const struct plugin *const **plugins);
/* Which plugin a struct came from, for "plugin" keys and messages.  NULL for what no plugin gave. */
const struct plugin *registry_owner(tf_ctx *ctx, const void *element);

/* Writes DIR/plugins.index: what each plugin in DIR provides, so that a run opens only the ones that it needs. */
int registry_write_index(tf_ctx *ctx, const char *directory);

extern const struct tf_host host_table; /* host.c */

#endif

/* SPDX-License-Identifier: MIT
 * Target documents as typed facts.  A document is XML, validated by RELAX NG; a compiled form beside it (keyed by the
 * document's content) saves loading an XML parser.
 */
#ifndef TF_TARGET_TARGET_H
#define TF_TARGET_TARGET_H

#include "util/ctx.h"

struct target_fact {
    const char *path;                                /* "memory.hbm.bandwidth" */
    const char *value;                               /* as written; NULL: unavailable */
    const char *unit, *origin, *source, *conditions; /* NULL where not stated */
    uint64_t number;
    uint32_t is_number, line;
};

struct target_level { /* of the machine: cta, thread; coarse to fine */
    const char *name;
    uint64_t limit; /* 0: none */
};

struct target_memory {
    const char *name;
    const char *scope, *owner; /* device, cta, ...; owner NULL where not stated */
    const char *caches;        /* the level that it caches, or NULL */
    uint64_t capacity;         /* bytes; 0: not stated */
    uint64_t bandwidth;        /* B/s; 0: not stated */
    uint32_t is_explicit;      /* programs place values there */
    uint32_t line;
};

struct target_rate {
    uint32_t pipe, key;  /* TF_WORK_*, and a dtype or a service */
    uint64_t per_second; /* of the whole device */
};

struct tf_target {
    const char *id;           /* nvidia.h200_sxm */
    const char *family;       /* cuda, amx, cpu: the constructor that a program names it by */
    const char *title;        /* for people, or NULL */
    const char *kind;         /* device or architecture */
    const char *architecture; /* id of the architecture document, or NULL */
    const char *path;         /* the document's file */
    const char *digest;       /* SHA-256 of the document, hex */
    const char *architecture_path, *architecture_digest; /* NULL where there is none */
    const char *units_level;                             /* level whose units run side by side, or NULL */
    uint64_t units;                                      /* how many; 0: not stated */
    uint32_t n_facts, n_architecture_facts;              /* the architecture's stand first */
    uint32_t n_levels, n_memories, n_rates;
    const struct target_fact *facts; /* each part sorted by path */
    const struct target_level *levels;
    const struct target_memory *memories; /* in the order of the documents */
    const struct target_rate *rates;
};

/* By id (or by path: something with a slash or ending in .xml).  NULL after a diagnostic at loc. */
const struct tf_target *target_open(tf_ctx *ctx, const struct tf_loc *loc, const char *id);
const struct target_fact *target_fact(const struct tf_target *target, const char *path); /* NULL: not stated */
int target_int(const struct tf_target *target, const char *path, uint64_t *value);
int target_text(const struct tf_target *target, const char *path, const char **value);
/* R5: device-wide rate for (pipe, key) in work a second; *priced is the pipe that the work is priced on (a matmul in a
 * dtype without a tensor rate is vector work; integer-like flops go to the integer service: TF_WORK_SERVICE).
 * TF_E_UNSUPPORTED: unrated. */
int target_rate(const struct tf_target *target, uint32_t pipe, uint32_t key, uint64_t *per_second, uint32_t *priced);
/* Explicit memory level by storage: its capacity. */
int target_memory(const struct tf_target *target, uint32_t storage, uint64_t *capacity);
uint64_t target_units(const struct tf_target *target, const char **level); /* parallel units and their level; 0: none */
const struct target_memory *target_memory_named(const struct tf_target *target, const char *name); /* NULL: none */

/* As the host table's functions of these names: bandwidth of an explicit level; the index-th implicit cache that serves
 * as much of the machine as the explicit level behind it. */
int target_bandwidth(const struct tf_target *target, uint32_t storage, uint64_t *bytes_per_second);
int target_cache(const struct tf_target *target, uint32_t index, struct tf_cache *cache);

/* Ids of the documents of one kind ("device") that can be opened, sorted. */
size_t target_ids(tf_ctx *ctx, const char *kind, const char *const **ids);
/* The file of a document by id, or NULL; is_added tells whether it is one of the user's own. */
const char *target_find(tf_ctx *ctx, const char *id, int *is_added);
/* The user's own directory of documents, or NULL when there is no home. */
const char *target_user_dir(tf_ctx *ctx);
/* Reads one document alone, without its architecture and without the compiled form: full validation. */
struct tf_target *target_read(tf_ctx *ctx, const char *path);
/* Writes the compiled form of `document` to `path`. */
int target_compile(tf_ctx *ctx, const char *document, const char *path);

#endif

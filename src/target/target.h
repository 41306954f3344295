/* SPDX-License-Identifier: MIT
 * Target documents as typed facts.  A document is XML, validated by RELAX NG; a compiled form beside it (keyed by the
 * document's content) saves loading an XML parser.
 */
#ifndef TF_TARGET_TARGET_H
#define TF_TARGET_TARGET_H

#include "util/ctx.h"

struct target_fact {
    const char *path; /* "memory.hbm.bandwidth" */
    const char *value; /* as written; NULL: unavailable */
    const char *unit, *origin, *source, *conditions; /* NULL where not stated */
    uint64_t number;
    uint32_t is_number, line;
};

struct target_level { /* of the machine: cta, thread; coarse to fine */
    const char *name;
    uint64_t limit; /* 0: none */
};

struct tf_target {
    const char *id;     /* nvidia.h200_sxm */
    const char *family; /* cuda, amx, cpu: the constructor that a program names it by */
    const char *path;   /* the document's file */
    const char *digest; /* SHA-256 of the document, hex */
    uint32_t n_facts, n_levels;
    const struct target_fact *facts; /* sorted by path; architecture and device together */
    const struct target_level *levels;
};

/* By id (or by path: something with a slash or ending in .xml).  NULL after a diagnostic at loc. */
const struct tf_target *target_open(tf_ctx *ctx, const struct tf_loc *loc, const char *id);
const struct target_fact *target_fact(const struct tf_target *target, const char *path); /* NULL: not stated */
int target_int(const struct tf_target *target, const char *path, uint64_t *value);
int target_text(const struct tf_target *target, const char *path, const char **value);
/* R5: device-wide rate for (pipe, key) in work a second; *priced is the pipe that the work is priced on (a matmul in a dtype
 * without a tensor rate is vector work; integer-like flops go to the integer service: TF_WORK_SERVICE).
 * TF_E_UNSUPPORTED: unrated. */
int target_rate(const struct tf_target *target, uint32_t pipe, uint32_t key, uint64_t *per_second, uint32_t *priced);
/* Explicit memory level by storage: its capacity. */
int target_memory(const struct tf_target *target, uint32_t storage, uint64_t *capacity);
uint64_t target_units(const struct tf_target *target, const char **level); /* parallel units and their level; 0: none */

/* Ids that can be opened, sorted. */
size_t target_ids(tf_ctx *ctx, const char *const **ids);

#endif

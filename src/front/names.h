/* SPDX-License-Identifier: MIT
 * A map from interned names to numbers, in the context's arena.
 */
#ifndef TF_FRONT_NAMES_H
#define TF_FRONT_NAMES_H

#include "util/ctx.h"

struct name_map {
    const char **key; /* open addressing, a power of two */
    uint32_t *value;
    size_t n, room;
};

/* Where the number of name is kept; made as 0 when it is not there yet. */
uint32_t *name_map_put(tf_ctx *ctx, struct name_map *map, const char *name);
/* The number, or 0. */
uint32_t name_map_get(const struct name_map *map, const char *name);

#endif

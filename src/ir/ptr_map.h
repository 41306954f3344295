/* SPDX-License-Identifier: MIT
 * From pointers to numbers: open addressing, never shrinks.  Zeroed is empty.
 */
#ifndef TF_IR_PTR_MAP_H
#define TF_IR_PTR_MAP_H

#include "util/arena.h"

#include <stdint.h>

struct ptr_slot {
    const void *key; /* NULL: free */
    uint32_t value;
};

struct ptr_map {
    struct ptr_slot *slot;
    size_t n, room;      /* room: a power of two, or 0 */
    struct arena *arena; /* where it lives; NULL: on its own, until ptr_map_free */
};

void ptr_map_free(struct ptr_map *map);
/* The value kept for key, made as `fresh` when there was none. */
uint32_t *ptr_map_put(struct ptr_map *map, const void *key, uint32_t fresh);
const uint32_t *ptr_map_get(const struct ptr_map *map, const void *key); /* NULL: none */

#endif

/* SPDX-License-Identifier: MIT
 * Names kept once: equal names are one pointer.
 */
#ifndef TF_UTIL_INTERN_H
#define TF_UTIL_INTERN_H

#include "util/arena.h"

#include <stdint.h>

struct intern {
    struct arena *arena;
    const char **slot; /* open addressing, a power of two */
    uint32_t *hash;
    size_t n, room;
};

void intern_init(struct intern *table, struct arena *arena);
void intern_finish(struct intern *table);
const char *intern_n(struct intern *table, const char *text, size_t length);
const char *intern(struct intern *table, const char *text);

uint32_t hash_bytes(const void *bytes, size_t length, uint32_t seed); /* FNV-1a */

#endif

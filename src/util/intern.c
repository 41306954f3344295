/* SPDX-License-Identifier: MIT */
#include "util/intern.h"

#include <stdlib.h>
#include <string.h>

uint32_t hash_bytes(const void *bytes, size_t length, uint32_t seed)
{
    const unsigned char *at = bytes;
    uint32_t hash = seed ^ 2166136261u;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ at[i]) * 16777619u;
    return hash;
}

void intern_init(struct intern *table, struct arena *arena)
{
    *table = (struct intern){.arena = arena};
}

void intern_finish(struct intern *table)
{
    free(table->slot);
    free(table->hash);
    *table = (struct intern){0};
}

static void rehash(struct intern *table)
{
    size_t room = table->room ? table->room * 2 : 256;
    const char **slot = xrealloc(NULL, room * sizeof(*slot));
    uint32_t *hash = xrealloc(NULL, room * sizeof(*hash));
    memset(slot, 0, room * sizeof(*slot));
    for (size_t i = 0; i < table->room; i++) {
        if (!table->slot[i])
            continue;
        size_t at = table->hash[i] & (room - 1);
        while (slot[at])
            at = (at + 1) & (room - 1);
        slot[at] = table->slot[i];
        hash[at] = table->hash[i];
    }
    free(table->slot);
    free(table->hash);
    table->slot = slot;
    table->hash = hash;
    table->room = room;
}

const char *intern_n(struct intern *table, const char *text, size_t length)
{
    if (table->n * 4 >= table->room * 3)
        rehash(table);
    uint32_t hash = hash_bytes(text, length, 0);
    size_t at = hash & (table->room - 1);
    for (; table->slot[at]; at = (at + 1) & (table->room - 1))
        if (table->hash[at] == hash && !strncmp(table->slot[at], text, length) && !table->slot[at][length])
            return table->slot[at];
    table->slot[at] = arena_strndup(table->arena, text, length);
    table->hash[at] = hash;
    table->n++;
    return table->slot[at];
}

const char *intern(struct intern *table, const char *text)
{
    return intern_n(table, text, strlen(text));
}

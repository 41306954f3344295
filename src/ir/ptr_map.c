/* SPDX-License-Identifier: MIT */
#include "ir/ptr_map.h"

#include <stdlib.h>
#include <string.h>

void ptr_map_free(struct ptr_map *map)
{
    if (!map->arena)
        free(map->slot);
    *map = (struct ptr_map){.arena = map->arena};
}

static size_t hash_pointer(const void *key)
{
    uint64_t h = (uint64_t)(uintptr_t)key >> 4;
    return (size_t)((h * UINT64_C(0x9E3779B97F4A7C15)) >> 20);
}

static struct ptr_slot *find(const struct ptr_map *map, const void *key)
{
    size_t i = hash_pointer(key) & (map->room - 1);
    while (map->slot[i].key && map->slot[i].key != key)
        i = (i + 1) & (map->room - 1);
    return &map->slot[i];
}

static void widen(struct ptr_map *map)
{
    struct ptr_map old = *map;
    map->room = old.room ? old.room * 2 : 16;
    size_t size = map->room * sizeof(*map->slot);
    map->slot = map->arena ? arena_alloc(map->arena, size) : xrealloc(NULL, size);
    memset(map->slot, 0, size);
    for (size_t i = 0; i < old.room; i++)
        if (old.slot[i].key)
            *find(map, old.slot[i].key) = old.slot[i];
    ptr_map_free(&old);
}

uint32_t *ptr_map_put(struct ptr_map *map, const void *key, uint32_t fresh)
{
    if (map->n * 4 >= map->room * 3)
        widen(map);
    struct ptr_slot *slot = find(map, key);
    if (!slot->key) {
        *slot = (struct ptr_slot){key, fresh};
        map->n++;
    }
    return &slot->value;
}

const uint32_t *ptr_map_get(const struct ptr_map *map, const void *key)
{
    if (!map->room)
        return NULL;
    const struct ptr_slot *slot = find(map, key);
    return slot->key ? &slot->value : NULL;
}

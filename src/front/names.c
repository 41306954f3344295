/* SPDX-License-Identifier: MIT */
#include "front/names.h"

#include <string.h>

/* Names are interned, so their addresses tell them apart. */
static size_t slot_of(const char *const *key, size_t room, const char *name)
{
    uint64_t h = (uint64_t)(uintptr_t)name * UINT64_C(0x9e3779b97f4a7c15);
    size_t at = (size_t)(h >> 32) & (room - 1);
    while (key[at] && key[at] != name)
        at = (at + 1) & (room - 1);
    return at;
}

static void enlarge(tf_ctx *ctx, struct name_map *map)
{
    size_t room = map->room ? map->room * 2 : 16;
    const char **key = CTX_ARRAY(ctx, const char *, room);
    uint32_t *value = CTX_ARRAY(ctx, uint32_t, room);
    for (size_t i = 0; i < map->room; i++) {
        if (!map->key[i])
            continue;
        size_t at = slot_of(key, room, map->key[i]);
        key[at] = map->key[i];
        value[at] = map->value[i];
    }
    map->key = key;
    map->value = value;
    map->room = room;
}

uint32_t *name_map_put(tf_ctx *ctx, struct name_map *map, const char *name)
{
    if (map->n * 2 >= map->room)
        enlarge(ctx, map);
    size_t at = slot_of(map->key, map->room, name);
    if (!map->key[at]) {
        map->key[at] = name;
        map->n++;
    }
    return &map->value[at];
}

uint32_t name_map_get(const struct name_map *map, const char *name)
{
    if (!map->room)
        return 0;
    size_t at = slot_of(map->key, map->room, name);
    return map->key[at] ? map->value[at] : 0;
}

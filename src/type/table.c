/* SPDX-License-Identifier: MIT */
#include "type/table.h"

#define FIRST_ROOM ((size_t)64)

struct dim_table *type_tables(tf_ctx *ctx)
{
    if (!ctx->dims)
        ctx->dims = CTX_NEW(ctx, struct dim_table);
    return ctx->dims;
}

const void *table_find(
    const struct table *table, uint32_t hash, const void *key, int (*same)(const void *entry, const void *key))
{
    if (!table->room)
        return NULL;
    size_t mask = table->room - 1;
    for (size_t at = hash & mask; table->entry[at]; at = (at + 1) & mask)
        if (table->hash[at] == hash && same(table->entry[at], key))
            return table->entry[at];
    return NULL;
}

static void put(struct table *table, uint32_t hash, const void *entry)
{
    size_t mask = table->room - 1, at = hash & mask;
    while (table->entry[at])
        at = (at + 1) & mask;
    table->entry[at] = entry;
    table->hash[at] = hash;
}

static void grow(struct table *table, struct arena *arena)
{
    struct table old = *table;
    table->room = old.room ? old.room * 2 : FIRST_ROOM;
    table->entry = ARENA_ARRAY(arena, const void *, table->room);
    table->hash = ARENA_ARRAY(arena, uint32_t, table->room);
    for (size_t i = 0; i < old.room; i++)
        if (old.entry[i])
            put(table, old.hash[i], old.entry[i]);
}

void table_add(struct table *table, struct arena *arena, uint32_t hash, const void *entry)
{
    if (table->n * 4 >= table->room * 3)
        grow(table, arena);
    put(table, hash, entry);
    table->n++;
}

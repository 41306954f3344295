/* SPDX-License-Identifier: MIT */
#include "plugin/claims.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 512u

static uint32_t hash_name(enum plugin_kind kind, const char *name)
{
    return hash_bytes(name, strlen(name), (uint32_t)kind + 1);
}

static struct entry **slot_of(const struct claims *table, enum plugin_kind kind, uint32_t hash, const char *name)
{
    size_t mask = table->room - 1, at = hash & mask;
    for (;; at = (at + 1) & mask) {
        struct entry *entry = table->slot[at];
        if (!entry || (entry->hash == hash && entry->kind == kind && !strcmp(entry->name, name)))
            return &table->slot[at];
    }
}

static void grow(struct claims *table)
{
    struct claims wider = {.n = table->n, .room = table->room ? table->room * 2 : FIRST_ROOM};
    wider.slot = xrealloc(NULL, wider.room * sizeof(*wider.slot));
    memset(wider.slot, 0, wider.room * sizeof(*wider.slot));
    for (size_t i = 0; i < table->room; i++) {
        struct entry *entry = table->slot[i];
        if (entry)
            *slot_of(&wider, entry->kind, entry->hash, entry->name) = entry;
    }
    free(table->slot);
    *table = wider;
}

struct entry *claims_find(const struct claims *table, enum plugin_kind kind, const char *name)
{
    return table->room ? *slot_of(table, kind, hash_name(kind, name), name) : NULL;
}

struct entry *claims_find_live(const struct claims *table, enum plugin_kind kind, const char *name)
{
    struct entry *entry = claims_find(table, kind, name);
    while (entry && entry->file->state == FILE_DEAD)
        entry = entry->also;
    return entry;
}

struct entry *claims_add(
    struct claims *table, tf_ctx *ctx, enum plugin_kind kind, const char *name, struct module_file *file)
{
    if (table->n * 2 >= table->room)
        grow(table);
    struct entry *entry = CTX_NEW(ctx, struct entry);
    *entry = (struct entry){.kind = kind, .hash = hash_name(kind, name), .name = name, .file = file};
    struct entry **slot = slot_of(table, kind, entry->hash, name);
    if (!*slot) {
        *slot = entry;
        table->n++;
        return entry;
    }
    struct entry *last = *slot;
    while (last->also)
        last = last->also;
    last->also = entry;
    return entry;
}

void claims_finish(struct claims *table)
{
    free(table->slot);
    *table = (struct claims){0};
}

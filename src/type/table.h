/* SPDX-License-Identifier: MIT
 * Private to src/type: what makes equal dimensions, meshes, layouts and types one pointer.  Everything lies in the
 * context's arena; a table grows by doubling, so what it leaves behind is never more than what it holds.
 */
#ifndef TF_TYPE_TABLE_H
#define TF_TYPE_TABLE_H

#include "type/type.h"

struct table {
    const void **entry; /* open addressing, a power of two; NULL: free */
    uint32_t *hash;
    size_t n, room;
};

/* Everything that this layer keeps in the context (ctx->dims). */
struct dim_table {
    struct table dims, atoms, meshes, layouts, types;
};

struct dim_table *type_tables(tf_ctx *ctx);
const void *table_find(
    const struct table *table, uint32_t hash, const void *key, int (*same)(const void *entry, const void *key));
void table_add(struct table *table, struct arena *arena, uint32_t hash, const void *entry);

static inline uint32_t hash_more(uint32_t hash, uint64_t value)
{
    uint64_t mixed = (hash ^ value) * 0x9E3779B97F4A7C15u;
    return (uint32_t)(mixed >> 32) ^ (uint32_t)mixed;
}
static inline uint32_t hash_pointer(uint32_t hash, const void *pointer)
{
    return hash_more(hash, (uint64_t)(uintptr_t)pointer);
}
static inline uint32_t hash_pointers(uint32_t hash, const void *const *at, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        hash = hash_pointer(hash, at[i]);
    return hash;
}

/* Dimensions are interned, so a row of them is compared by pointer.  Two rows may be absent together. */
static inline int dims_equal(const struct tf_dim *const *a, const struct tf_dim *const *b, uint32_t n)
{
    if (a == b || n == 0)
        return 1;
    if (!a || !b)
        return 0;
    for (uint32_t i = 0; i < n; i++)
        if (a[i] != b[i])
            return 0;
    return 1;
}

#endif

/* SPDX-License-Identifier: MIT
 * Memory by lifetime: blocks handed out from an arena are zeroed and freed all at once.
 * When the system has no memory left the program says so and exits 1: nothing above can do better.
 */
#ifndef TF_UTIL_ARENA_H
#define TF_UTIL_ARENA_H

#include <stddef.h>

struct arena_chunk;
struct arena {
    struct arena_chunk *chunk; /* newest first */
    char *next, *end;
    size_t total; /* bytes taken from the system */
};

void arena_init(struct arena *arena);
void arena_finish(struct arena *arena); /* frees everything; the arena may be used again */
void arena_reset(struct arena *arena);  /* gives back all blocks and keeps some room for new ones */

void *arena_alloc(struct arena *arena, size_t size);
void *arena_copy(struct arena *arena, const void *from, size_t size);
char *arena_strndup(struct arena *arena, const char *text, size_t length);
char *arena_format(struct arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));

#define ARENA_NEW(arena, type) ((type *)arena_alloc((arena), sizeof(type)))
#define ARENA_ARRAY(arena, type, n) ((type *)arena_array((arena), (n), sizeof(type)))
void *arena_array(struct arena *arena, size_t n, size_t size);

/* malloc and realloc that do not fail; for what outgrows arenas (vec.h, buf.h). */
void *xrealloc(void *old, size_t size);

#endif

/* SPDX-License-Identifier: MIT */
#include "util/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_CHUNK ((size_t)32 << 10)
#define LARGEST_CHUNK ((size_t)4 << 20)
#define ALIGN ((size_t)16)

struct arena_chunk {
    struct arena_chunk *older;
    size_t size;
};

static _Noreturn void no_memory(size_t size)
{
    fprintf(stderr, "tilefoundry: error: out of memory (%zu bytes more were needed) [out-of-memory]\n", size);
    exit(1);
}

void *xrealloc(void *old, size_t size)
{
    void *block = realloc(old, size ? size : 1);
    if (!block)
        no_memory(size);
    return block;
}

void arena_init(struct arena *arena)
{
    *arena = (struct arena){0};
}

void arena_finish(struct arena *arena)
{
    while (arena->chunk) {
        struct arena_chunk *older = arena->chunk->older;
        free(arena->chunk);
        arena->chunk = older;
    }
    arena_init(arena);
}

void arena_reset(struct arena *arena)
{
    struct arena_chunk *newest = arena->chunk;
    if (!newest)
        return;
    while (newest->older) {
        struct arena_chunk *older = newest->older;
        newest->older = older->older;
        arena->total -= older->size;
        free(older);
    }
    arena->next = (char *)newest + ((sizeof(struct arena_chunk) + ALIGN - 1) & ~(ALIGN - 1));
}

/* Chunks double, so that a small run takes little and a large one few calls. */
static void grow(struct arena *arena, size_t size)
{
    size_t head = (sizeof(struct arena_chunk) + ALIGN - 1) & ~(ALIGN - 1);
    size_t want = arena->chunk ? arena->chunk->size * 2 : FIRST_CHUNK;
    if (want > LARGEST_CHUNK)
        want = LARGEST_CHUNK;
    if (size > SIZE_MAX - head - ALIGN)
        no_memory(size);
    if (want < size + head)
        want = size + head;
    struct arena_chunk *chunk = xrealloc(NULL, want);
    chunk->older = arena->chunk;
    chunk->size = want;
    arena->chunk = chunk;
    arena->next = (char *)chunk + head;
    arena->end = (char *)chunk + want;
    arena->total += want;
}

void *arena_alloc(struct arena *arena, size_t size)
{
    if (size > SIZE_MAX - ALIGN)
        no_memory(size);
    size = (size + ALIGN - 1) & ~(ALIGN - 1);
    if (size == 0)
        size = ALIGN;
    if ((size_t)(arena->end - arena->next) < size)
        grow(arena, size);
    void *block = arena->next;
    arena->next += size;
    return memset(block, 0, size);
}

void *arena_array(struct arena *arena, size_t n, size_t size)
{
    if (size && n > SIZE_MAX / size)
        no_memory(SIZE_MAX);
    return arena_alloc(arena, n * size);
}

void *arena_copy(struct arena *arena, const void *from, size_t size)
{
    void *block = arena_alloc(arena, size);
    return size ? memcpy(block, from, size) : block;
}

char *arena_strndup(struct arena *arena, const char *text, size_t length)
{
    char *copy = arena_alloc(arena, length + 1);
    if (length)
        memcpy(copy, text, length);
    return copy;
}

char *arena_format(struct arena *arena, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length < 0)
        return arena_strndup(arena, "", 0);
    char *text = arena_alloc(arena, (size_t)length + 1);
    va_start(args, format);
    vsnprintf(text, (size_t)length + 1, format, args);
    va_end(args);
    return text;
}

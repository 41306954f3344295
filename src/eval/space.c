/* SPDX-License-Identifier: MIT */
#include "eval/space.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#define PAGE ((size_t)1 << 21) /* a large one; smaller pieces are the C library's */

static size_t room_of(size_t bytes)
{
    if (bytes < PAGE)
        return bytes ? bytes : 1;
    return bytes > SIZE_MAX - PAGE ? 0 : (bytes + PAGE - 1) & ~(PAGE - 1);
}

/* A spare that holds so many bytes and not twice as many. */
static struct space_piece *fitting(struct space *space, size_t room)
{
    struct space_piece *best = NULL;
    for (size_t i = 0; i < SPACE_SPARES; i++) {
        struct space_piece *p = &space->spare[i];
        if (p->at && p->room >= room && p->room / 2 <= room && (!best || p->room < best->room))
            best = p;
    }
    return best;
}

static void *take_new(size_t room)
{
    void *at = room < PAGE ? malloc(room) : aligned_alloc(PAGE, room);
#ifdef MADV_HUGEPAGE
    if (at && room >= PAGE)
        (void)madvise(at, room, MADV_HUGEPAGE); /* advice: small pages do as well */
#endif
    return at;
}

void *space_take(struct space *space, size_t bytes, size_t *room)
{
    *room = room_of(bytes);
    struct space_piece *piece = *room < PAGE ? NULL : fitting(space, *room);
    if (!piece)
        return *room ? take_new(*room) : NULL;
    void *at = piece->at;
    *room = piece->room;
    *piece = (struct space_piece){0};
    return at;
}

/* The place for one more spare: an empty one, else that of the smallest, which is freed. */
static struct space_piece *place_for(struct space *space)
{
    struct space_piece *least = &space->spare[0];
    for (size_t i = 0; i < SPACE_SPARES; i++)
        if (space->spare[i].room < least->room)
            least = &space->spare[i];
    free(least->at);
    return least;
}

void space_give(struct space *space, void *at, size_t room)
{
    if (room < PAGE)
        free(at);
    else
        *place_for(space) = (struct space_piece){at, room};
}

void space_trim(struct space *space)
{
    for (size_t i = 0; i < SPACE_SPARES; i++) {
        free(space->spare[i].at);
        space->spare[i] = (struct space_piece){0};
    }
}

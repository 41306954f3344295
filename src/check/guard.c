/* SPDX-License-Identifier: MIT */
#include "check/twin.h"

#include "util/diag.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ALIGNMENT 64u
#define CANARY_BYTES 256u /* at least, before the data */

int guarded_make(tf_ctx *ctx, struct guarded *guarded, size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), inside = 0;
    size_t padded = bytes + (ALIGNMENT - bytes % ALIGNMENT) % ALIGNMENT;
    int over = __builtin_add_overflow(padded, CANARY_BYTES + page - 1, &inside) || inside > SIZE_MAX - 2 * page;
    inside -= inside % page;
    *guarded = (struct guarded){.mapped = inside + 2 * page, .bytes = bytes};
    guarded->map =
        over ? MAP_FAILED : mmap(NULL, guarded->mapped, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (guarded->map == MAP_FAILED) {
        guarded->map = NULL;
        ERROR(
            ctx, NULL, "tensor-size", "%zu bytes cannot be had for a twin: %s", bytes, strerror(over ? ENOMEM : errno));
        return CHECK_ERROR;
    }
    mprotect(guarded->map, page, PROT_NONE);
    mprotect(guarded->map + page + inside, page, PROT_NONE);
    guarded->first = guarded->map + page;
    guarded->end = guarded->first + inside;
    guarded->data = guarded->end - padded;
    memset(guarded->first, CANARY, (size_t)(guarded->data - guarded->first));
    memset(guarded->data + bytes, CANARY, padded - bytes);
    return 0;
}

void guarded_free(struct guarded *guarded)
{
    if (guarded->map)
        munmap(guarded->map, guarded->mapped);
    guarded->map = NULL;
}

static int is_canary(const char *from, const char *to)
{
    while (from < to && (unsigned char)*from == CANARY)
        from++;
    return from == to;
}

int guarded_is_intact(const struct guarded *guarded)
{
    return is_canary(guarded->first, guarded->data) && is_canary(guarded->data + guarded->bytes, guarded->end);
}

int guarded_holds(const struct guarded *guarded, const void *address, int64_t *past)
{
    uintptr_t at = (uintptr_t)address, map = (uintptr_t)guarded->map;
    if (at < map || at >= map + guarded->mapped)
        return 0;
    *past = (int64_t)(at - (uintptr_t)(guarded->data + guarded->bytes));
    if (at < (uintptr_t)guarded->data)
        *past = -(int64_t)((uintptr_t)guarded->data - at);
    return 1;
}

/* SPDX-License-Identifier: MIT
 *
 * Buffers of the device whose ends are guarded: behind the last byte lies an address range that nothing is mapped to.
 */
#include "cuda.h"

#include <string.h>

#define ALIGNMENT 16u /* of the buffer's start: what vector and bulk accesses ask for */
#define PATTERN 0xa5
#define WATCHED 4096u /* bytes before a buffer that hold the pattern */

static struct cu_memory on_device(const struct cuda *cuda)
{
    return (struct cu_memory){.type = 1, .location = {1, cuda->device}};
}

static cu_result map_pages(const struct cuda *cuda, struct guarded *b)
{
    struct cu_memory memory = on_device(cuda);
    struct cu_access access = {{1, cuda->device}, 3};
    cu_result error = cuda->driver.pages_create(&b->pages, b->mapped, &memory, 0);
    if (error) {
        b->pages = 0;
        return error;
    }
    error = cuda->driver.range_map(b->base, b->mapped, 0, b->pages, 0);
    return error ? error : cuda->driver.range_access(b->base, b->mapped, &access, 1);
}

const char *guarded_make(tf_ctx *ctx, const struct cuda *cuda, size_t bytes, struct guarded *b)
{
    size_t page = 0, room = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    struct cu_memory memory = on_device(cuda);
    memset(b, 0, sizeof(*b));
    cu_result error = cuda->driver.granularity(&page, &memory, 0);
    if (!error && page) {
        b->bytes = bytes;
        b->mapped = (room + WATCHED + page - 1) / page * page;
        b->reserved = b->mapped + page;
        error = cuda->driver.range_reserve(&b->base, b->reserved, 0, 0, 0);
    }
    if (!error)
        error = map_pages(cuda, b);
    b->address = b->base + b->mapped - room;
    if (!error)
        error = cuda->driver.memory_set(b->base, PATTERN, b->mapped);
    if (!error)
        return NULL;
    return tf_host->format(
        ctx, "%zu bytes of device memory are not to be had: %s", bytes, cuda_error(&cuda->driver, error));
}

static int holds_pattern(const unsigned char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (bytes[i] != PATTERN)
            return 0;
    return 1;
}

int guarded_intact(tf_ctx *ctx, const struct cuda *cuda, const struct guarded *b)
{
    cu_address end = b->base + b->mapped, last = b->address + b->bytes;
    unsigned char *before = tf_host->alloc(ctx, WATCHED), behind[ALIGNMENT];
    if (cuda->driver.copy_out(before, b->address - WATCHED, WATCHED) ||
        (end > last && cuda->driver.copy_out(behind, last, (size_t)(end - last))))
        return 0;
    return holds_pattern(before, WATCHED) && holds_pattern(behind, (size_t)(end - last));
}

void guarded_free(const struct cuda *cuda, struct guarded *b)
{
    if (b->pages) {
        cuda->driver.range_unmap(b->base, b->mapped);
        cuda->driver.pages_release(b->pages);
    }
    if (b->base)
        cuda->driver.range_free(b->base, b->reserved);
    memset(b, 0, sizeof(*b));
}

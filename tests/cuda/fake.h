/* SPDX-License-Identifier: MIT
 *
 * What the files of cuda-h200 want of the host, enough of it to read plans and to compile without the rest.
 */
#ifndef TF_TESTS_CUDA_FAKE_H
#define TF_TESTS_CUDA_FAKE_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../plugins/backends/cuda-h200/cuda.h"

struct block {
    struct block *next;
    _Alignas(16) char bytes[];
};
static struct block *blocks;
static char diagnostic[8192]; /* the last one; "": none */
static char diagnosed[64];    /* its code */

static void *fake_alloc(tf_ctx *ctx, size_t size)
{
    struct block *b = calloc(1, sizeof(*b) + size);
    (void)ctx;
    if (!b)
        abort();
    b->next = blocks;
    blocks = b;
    return b->bytes;
}

static const char *fake_intern(tf_ctx *ctx, const char *text)
{
    size_t n = strlen(text) + 1;
    return memcpy(fake_alloc(ctx, n), text, n);
}

static const char *fake_format(tf_ctx *ctx, const char *format, ...)
{
    va_list list, again;
    va_start(list, format);
    va_copy(again, list);
    size_t n = (size_t)vsnprintf(NULL, 0, format, list) + 1;
    char *text = fake_alloc(ctx, n);
    vsnprintf(text, n, format, again);
    va_end(again);
    va_end(list);
    return text;
}

static void fake_error(tf_ctx *ctx, const struct tf_loc *loc, const char *code, const char *format, ...)
{
    va_list list;
    (void)ctx;
    (void)loc;
    va_start(list, format);
    vsnprintf(diagnostic, sizeof(diagnostic), format, list);
    va_end(list);
    snprintf(diagnosed, sizeof(diagnosed), "%s", code);
}

static inline void fake_forget(void)
{
    while (blocks) {
        struct block *next = blocks->next;
        free(blocks);
        blocks = next;
    }
    diagnostic[0] = diagnosed[0] = 0;
}

static const struct tf_host fake_host = {
    .struct_size = sizeof(fake_host),
    .error = fake_error,
    .alloc = fake_alloc,
    .intern = fake_intern,
    .format = fake_format,
};
const struct tf_host *tf_host = &fake_host;

#endif

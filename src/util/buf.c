/* SPDX-License-Identifier: MIT */
#include "util/buf.h"

#include "util/arena.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void buf_free(struct buf *buf)
{
    free(buf->at);
    *buf = (struct buf){0};
}

static void reserve(struct buf *buf, size_t more)
{
    if (buf->room - buf->n > more)
        return;
    size_t room = buf->room ? buf->room : 64;
    while (room - buf->n <= more)
        room *= 2;
    buf->at = xrealloc(buf->at, room);
    buf->room = room;
}

void buf_add(struct buf *buf, const char *text, size_t length)
{
    reserve(buf, length);
    if (length)
        memcpy(buf->at + buf->n, text, length);
    buf->n += length;
    buf->at[buf->n] = '\0';
}

void buf_str(struct buf *buf, const char *text)
{
    buf_add(buf, text, strlen(text));
}

void buf_char(struct buf *buf, char c)
{
    buf_add(buf, &c, 1);
}

void buf_vprintf(struct buf *buf, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    reserve(buf, 80);
    int length = vsnprintf(buf->at + buf->n, buf->room - buf->n, format, args);
    if (length >= 0 && (size_t)length >= buf->room - buf->n) {
        reserve(buf, (size_t)length + 1);
        vsnprintf(buf->at + buf->n, buf->room - buf->n, format, again);
    }
    va_end(again);
    if (length >= 0)
        buf->n += (size_t)length;
}

void buf_printf(struct buf *buf, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    buf_vprintf(buf, format, args);
    va_end(args);
}

const char *buf_text(const struct buf *buf)
{
    return buf->at ? buf->at : "";
}

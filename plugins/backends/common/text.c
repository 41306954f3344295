/* SPDX-License-Identifier: MIT
 * Text that grows.  It lies in the context's memory, as what is made of it does.
 */
#include "lower.h"

#include <stdio.h>

void *grown(struct lower *l, void *array, size_t n, size_t *room, size_t size)
{
    if (n < *room)
        return array;
    size_t next = *room ? 2 * *room : 16;
    void *fresh_room = tf_host->alloc(l->ctx, next * size);
    if (*room)
        memcpy(fresh_room, array, *room * size);
    *room = next;
    return fresh_room;
}

static void text_add_list(struct lower *l, struct text *text, const char *format, va_list list)
{
    va_list again;
    va_copy(again, list);
    int n = vsnprintf(NULL, 0, format, again);
    va_end(again);
    size_t need = text->n + (size_t)(n < 0 ? 0 : n) + 1;
    if (need > text->room) {
        size_t room = 2 * need + 256;
        char *at = tf_host->alloc(l->ctx, room);
        if (text->n)
            memcpy(at, text->at, text->n);
        text->at = at;
        text->room = room;
    }
    (void)vsnprintf(text->at + text->n, text->room - text->n, format, list);
    text->n = need - 1;
}

void text_add(struct lower *l, struct text *text, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    text_add_list(l, text, format, list);
    va_end(list);
}

static void begin_line(struct lower *l)
{
    text_add(l, &l->body, "%*s", (int)(4 * l->indent), "");
}

void line(struct lower *l, const char *format, ...)
{
    va_list list;
    begin_line(l);
    va_start(list, format);
    text_add_list(l, &l->body, format, list);
    va_end(list);
    text_add(l, &l->body, "\n");
}

void open_brace(struct lower *l, const char *format, ...)
{
    va_list list;
    begin_line(l);
    size_t before = l->body.n;
    va_start(list, format);
    text_add_list(l, &l->body, format, list);
    va_end(list);
    text_add(l, &l->body, l->body.n > before ? " {\n" : "{\n");
    l->indent++;
}

void close_brace(struct lower *l)
{
    l->indent--;
    line(l, "}");
}

void fail(struct lower *l, const char *statement, const char *why)
{
    line(l, "status = 2; /* %s */", why);
    line(l, "%s", statement);
    close_brace(l);
    l->may_fail = 1;
}

const char *fmt(struct lower *l, const char *format, ...)
{
    struct text text = {0};
    va_list list;
    va_start(list, format);
    text_add_list(l, &text, format, list);
    va_end(list);
    return text.at;
}

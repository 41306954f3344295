/* SPDX-License-Identifier: MIT
 * A string that is being built.  Always NUL-terminated once anything was added.
 */
#ifndef TF_UTIL_BUF_H
#define TF_UTIL_BUF_H

#include <stdarg.h>
#include <stddef.h>

struct buf {
    char *at;
    size_t n, room;
};

void buf_free(struct buf *buf);
void buf_add(struct buf *buf, const char *text, size_t length);
void buf_str(struct buf *buf, const char *text);
void buf_char(struct buf *buf, char c);
void buf_printf(struct buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));
void buf_vprintf(struct buf *buf, const char *format, va_list args) __attribute__((format(printf, 2, 0)));
const char *buf_text(const struct buf *buf); /* "" when nothing was added */

#endif

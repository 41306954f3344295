/* SPDX-License-Identifier: MIT
 * Whole files: read within a limit, written so that a reader sees the old or the new one and never a part.
 */
#ifndef TF_UTIL_FILE_H
#define TF_UTIL_FILE_H

#include "util/ctx.h"

struct file_text {
    const char *text; /* in the context's arena, NUL-terminated */
    size_t length;
};

/* A regular file of at most `limit` bytes.  0, or TF_E_REFUSED after a diagnostic. */
int file_read(tf_ctx *ctx, const char *path, size_t limit, struct file_text *file);

/* Writes a temporary file beside `path`, then renames it; an existing file keeps its permissions.  What is not a
 * regular file (/dev/stdout, a FIFO) is written to directly.  0, or TF_E_REFUSED after a diagnostic; nothing is left
 * behind. */
int file_write(tf_ctx *ctx, const char *path, const char *text, size_t length);

/* Writes all of it to a descriptor; 0, or -1 with errno. */
int write_all(int fd, const char *text, size_t length);

/* Removes the temporary file that is being written, if one is: for a signal handler. */
void file_abandon(void);

#endif

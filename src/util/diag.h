/* SPDX-License-Identifier: MIT
 * Sources and diagnostics.  A diagnostic is kept in the context and rendered at the end (or at once by the sink), as
 *     FILE:LINE:COL: error: text [code]
 * with the source line and a caret below.
 */
#ifndef TF_UTIL_DIAG_H
#define TF_UTIL_DIAG_H

#include "util/ctx.h"

#include <stdarg.h>
#include <stdio.h>

#define DIAG_NOTE 0u
#define DIAG_WARNING 1u
#define DIAG_ERROR 2u

struct source {
    const char *path; /* as the user named it */
    const char *text; /* whole, NUL-terminated */
    size_t length;
    const uint32_t *line_start; /* n_lines offsets */
    uint32_t n_lines;
};

/* Registers a text; path and text must outlive the context.  Returns its index for tf_loc.file (from 1). */
uint32_t source_add(tf_ctx *ctx, const char *path, const char *text, size_t length);
const struct source *source_get(const tf_ctx *ctx, uint32_t file);

/* Where a whole file is meant rather than a place in it. */
struct tf_loc loc_file(uint32_t file);

void diag(tf_ctx *ctx, const struct tf_loc *loc, uint32_t severity, const char *code, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
void diag_v(tf_ctx *ctx, const struct tf_loc *loc, uint32_t severity, const char *code, const char *format,
    va_list args) __attribute__((format(printf, 5, 0)));
#define ERROR(ctx, loc, code, ...) diag((ctx), (loc), DIAG_ERROR, (code), __VA_ARGS__)

/* How many errors there have been so far: a pass compares before and after. */
size_t diag_errors(const tf_ctx *ctx);
/* Drops everything reported since mark (a count from diag_mark): for speculative work. */
size_t diag_mark(const tf_ctx *ctx);
void diag_drop(tf_ctx *ctx, size_t mark);
/* Text of the first error since mark, and its code; NULL when there is none. */
const char *diag_first_error(const tf_ctx *ctx, size_t mark, const char **code);

/* Writes all diagnostics, in the order of files, lines and columns, each once; returns the number of errors.  What stands
 * in no file comes first, and a note stays below what it explains. */
size_t diag_flush(tf_ctx *ctx, FILE *to, int color);

/* The name among n that is nearest to `name` by edit distance, or NULL when none is near enough to suggest. */
const char *did_you_mean(const char *name, const char *const *names, size_t n);

#endif

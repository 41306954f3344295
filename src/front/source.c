/* SPDX-License-Identifier: MIT */
#include "front/ast.h"
#include "front/lex.h"
#include "util/diag.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *kind_of_file(mode_t mode)
{
    if (S_ISDIR(mode))
        return "a directory";
    if (S_ISFIFO(mode))
        return "a pipe";
    if (S_ISSOCK(mode))
        return "a socket";
    return "a device";
}

/* Opening must not wait for a pipe's writer, hence O_NONBLOCK; it means nothing for a regular file. */
static int open_regular(tf_ctx *ctx, const char *path, struct stat *status)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0 || fstat(fd, status)) {
        int why = errno;
        if (fd >= 0)
            close(fd);
        /* A socket cannot be opened: say what it is instead. */
        if (why == ENXIO && !stat(path, status))
            ERROR(ctx, NULL, "io", "'%s' is %s, not a file of text", path, kind_of_file(status->st_mode));
        else
            ERROR(ctx, NULL, "io", "cannot read '%s': %s", path, strerror(why));
        return -1;
    }
    if (S_ISREG(status->st_mode))
        return fd;
    ERROR(ctx, NULL, "io", "'%s' is %s, not a file of text", path, kind_of_file(status->st_mode));
    close(fd);
    return -1;
}

/* The whole of fd, NUL-terminated; the file may be longer than it said.  NULL after a diagnostic. */
static char *read_all(tf_ctx *ctx, const char *path, int fd, size_t size, size_t *length)
{
    size_t room = size + 1, n = 0;
    char *text = arena_alloc(&ctx->arena, room + 1);
    for (;;) {
        if (n > ctx->limits.bytes) {
            ERROR(ctx, NULL, "limit", "'%s' is longer than %" PRIu64 " bytes (--limit bytes=N raises this)", path,
                ctx->limits.bytes);
            return NULL;
        }
        if (n == room) {
            char *more = arena_alloc(&ctx->arena, room * 2 + 1);
            memcpy(more, text, n);
            text = more;
            room *= 2;
        }
        ssize_t got = read(fd, text + n, room - n);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            ERROR(ctx, NULL, "io", "cannot read '%s': %s", path, strerror(errno));
            return NULL;
        }
        if (got == 0)
            break;
        n += (size_t)got;
    }
    text[n] = '\0';
    *length = n;
    return text;
}

/* Length of the well-formed character at `at`, 0 when there is none. */
static size_t well_formed(const unsigned char *at, size_t room)
{
    size_t n = at[0] < 0xC2 ? 0 : at[0] < 0xE0 ? 2 : at[0] < 0xF0 ? 3 : at[0] < 0xF5 ? 4 : 0;
    if (!n || n > room)
        return 0;
    for (size_t i = 1; i < n; i++)
        if ((at[i] & 0xC0) != 0x80)
            return 0;
    if (at[0] == 0xE0 && at[1] < 0xA0) /* overlong */
        return 0;
    if (at[0] == 0xED && at[1] > 0x9F) /* a surrogate */
        return 0;
    if (at[0] == 0xF0 && at[1] < 0x90)
        return 0;
    if (at[0] == 0xF4 && at[1] > 0x8F)
        return 0;
    return n;
}

/* Offset of the first byte that belongs to no character, or length. */
static size_t first_bad_byte(const char *text, size_t length)
{
    size_t i = 0;
    while (i < length) {
        uint64_t word;
        if (length - i >= sizeof(word)) {
            memcpy(&word, text + i, sizeof(word));
            if (!(word & UINT64_C(0x8080808080808080))) {
                i += sizeof(word);
                continue;
            }
        }
        if ((unsigned char)text[i] < 0x80) {
            i++;
            continue;
        }
        size_t step = well_formed((const unsigned char *)text + i, length - i);
        if (!step)
            return i;
        i += step;
    }
    return length;
}

static struct tf_loc place_of(tf_ctx *ctx, uint32_t file, size_t offset)
{
    const struct source *source = source_get(ctx, file);
    uint32_t low = 0, high = source->n_lines;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (source->line_start[middle] <= offset)
            low = middle;
        else
            high = middle;
    }
    uint32_t column = 1;
    for (size_t i = source->line_start[low]; i < offset; i++)
        column += ((unsigned char)source->text[i] & 0xC0) != 0x80;
    return (struct tf_loc){
        .file = file, .line = low + 1, .column = column, .end_line = low + 1, .end_column = column + 1};
}

static int check_text(tf_ctx *ctx, uint32_t file)
{
    const struct source *source = source_get(ctx, file);
    const char *nul = memchr(source->text, 0, source->length);
    size_t bad = first_bad_byte(source->text, source->length);
    if (nul && (size_t)(nul - source->text) < bad) {
        struct tf_loc loc = place_of(ctx, file, (size_t)(nul - source->text));
        ERROR(ctx, &loc, "encoding", "a NUL byte: this is not a file of text");
        return 0;
    }
    if (bad < source->length) {
        struct tf_loc loc = place_of(ctx, file, bad);
        ERROR(ctx, &loc, "encoding", "byte 0x%02X is not UTF-8", (unsigned)(unsigned char)source->text[bad]);
        return 0;
    }
    return 1;
}

uint32_t source_read(tf_ctx *ctx, const char *path)
{
    struct stat status;
    size_t length;
    if (ctx->limits.files <= UINT32_MAX && source_get(ctx, (uint32_t)ctx->limits.files)) {
        ERROR(ctx, NULL, "limit", "'%s': more than %" PRIu64 " source files (--limit files=N raises this)", path,
            ctx->limits.files);
        return 0;
    }
    int fd = open_regular(ctx, path, &status);
    if (fd < 0)
        return 0;
    /* Offsets are kept in 32 bits. */
    if (ctx->limits.bytes > UINT32_MAX - 16)
        ctx->limits.bytes = UINT32_MAX - 16;
    size_t size = (size_t)status.st_size;
    char *text = read_all(ctx, path, fd, size > ctx->limits.bytes ? 0 : size, &length);
    close(fd);
    if (!text)
        return 0;
    size_t bom = length >= 3 && !memcmp(text, "\xEF\xBB\xBF", 3) ? 3 : 0;
    uint32_t file = source_add(ctx, ctx_intern(ctx, path), text + bom, length - bom);
    return check_text(ctx, file) ? file : 0;
}

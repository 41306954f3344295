/* SPDX-License-Identifier: MIT */
#include "util/file.h"

#include "util/diag.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char unfinished[4096]; /* path of the temporary file, for file_abandon */

int file_read(tf_ctx *ctx, const char *path, size_t limit, struct file_text *file)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat st;
    if (fd < 0 || fstat(fd, &st)) {
        ERROR(ctx, NULL, "io", "%s: cannot be read: %s", path, strerror(errno));
        if (fd >= 0)
            close(fd);
        return TF_E_REFUSED;
    }
    if (!S_ISREG(st.st_mode)) {
        ERROR(ctx, NULL, "io", "%s: %s, expected a regular file", path,
            S_ISDIR(st.st_mode) ? "is a directory" : "is no regular file");
        close(fd);
        return TF_E_REFUSED;
    }
    if ((uint64_t)st.st_size > limit) {
        ERROR(ctx, NULL, "limit", "%s: has %lld bytes, more than the %zu that are read", path, (long long)st.st_size,
            limit);
        close(fd);
        return TF_E_REFUSED;
    }
    size_t size = (size_t)st.st_size, n = 0;
    char *text = arena_alloc(&ctx->arena, size + 1);
    while (n < size) {
        ssize_t got = read(fd, text + n, size - n);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            ERROR(ctx, NULL, "io", "%s: cannot be read: %s", path, strerror(errno));
            close(fd);
            return TF_E_REFUSED;
        }
        if (got == 0)
            break;
        n += (size_t)got;
    }
    close(fd);
    text[n] = '\0';
    *file = (struct file_text){text, n};
    return TF_OK;
}

int write_all(int fd, const char *text, size_t length)
{
    while (length) {
        ssize_t put = write(fd, text, length);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return -1;
        text += put;
        length -= (size_t)put;
    }
    return 0;
}

static int refuse(tf_ctx *ctx, const char *path, int error)
{
    ERROR(ctx, NULL, "io", "%s: cannot be written: %s", path, strerror(error));
    return TF_E_REFUSED;
}

void file_abandon(void)
{
    if (*unfinished)
        unlink(unfinished);
}

static int write_directly(tf_ctx *ctx, const char *path, const char *text, size_t length)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return refuse(ctx, path, errno);
    int failed = write_all(fd, text, length), error = errno;
    if (close(fd) && !failed)
        failed = -1, error = errno;
    return failed ? refuse(ctx, path, error) : TF_OK;
}

/* A name that stands for something open or for a device: there is no "beside" it. */
static int is_special(const char *path)
{
    return !strncmp(path, "/dev/", 5) || !strncmp(path, "/proc/", 6);
}

int file_write(tf_ctx *ctx, const char *path, const char *text, size_t length)
{
    struct stat st;
    if (is_special(path))
        return write_directly(ctx, path, text, length);
    /* a link stays a link: what it leads to is replaced */
    if (!lstat(path, &st) && S_ISLNK(st.st_mode)) {
        char *real = realpath(path, NULL);
        if (real)
            path = ctx_intern(ctx, real);
        free(real);
    }
    int exists = stat(path, &st) == 0;
    if (exists && S_ISDIR(st.st_mode))
        return refuse(ctx, path, EISDIR);
    if (exists && !S_ISREG(st.st_mode))
        return write_directly(ctx, path, text, length);
    if (!*path)
        return refuse(ctx, path, ENOENT);
    if (strlen(path) + sizeof(".XXXXXX") > sizeof(unfinished))
        return refuse(ctx, path, ENAMETOOLONG);
    char name[sizeof(unfinished)];
    snprintf(name, sizeof(name), "%s.XXXXXX", path);
    int fd = mkostemp(name, O_CLOEXEC);
    if (fd < 0)
        return refuse(ctx, path, errno);
    memcpy(unfinished, name, sizeof(name));
    mode_t mask = umask(0);
    umask(mask);
    int failed = write_all(fd, text, length) || fchmod(fd, exists ? st.st_mode & 07777 : 0666 & ~mask);
    int error = errno;
    if (close(fd) && !failed)
        failed = 1, error = errno;
    if (!failed && rename(name, path))
        failed = 1, error = errno;
    if (failed)
        unlink(name);
    *unfinished = '\0';
    return failed ? refuse(ctx, path, error) : TF_OK;
}

/* SPDX-License-Identifier: MIT
 * Which files may be plugins.  Opening one runs its code, so what anybody could have put there is refused.
 */
#include "plugin/module.h"

#include "util/vec.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <string.h>

const char *path_base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

int path_is_module(const char *path)
{
    size_t length = strlen(path);
    return length > 3 && !strcmp(path + length - 3, ".so") && path[0] != '.';
}

int search_check_directory(tf_ctx *ctx, uint32_t severity, const char *directory, const char *origin)
{
    struct stat status;
    const char *code = "plugin-path";
    if (stat(directory, &status)) {
        diag(ctx, NULL, severity, code, "plugin directory %s (%s): %s", directory, origin, strerror(errno));
        return TF_E_REFUSED;
    }
    if (!S_ISDIR(status.st_mode)) {
        diag(ctx, NULL, severity, code, "plugin directory %s (%s): not a directory", directory, origin);
        return TF_E_REFUSED;
    }
    if (status.st_mode & S_IWOTH) {
        diag(ctx, NULL, severity, "plugin-unsafe",
            "plugin directory %s (%s): everybody may write to it (mode %04o), so anybody could have put a plugin "
            "there: "
            "chmod o-w it or name another",
            directory, origin, status.st_mode & 07777u);
        return TF_E_REFUSED;
    }
    return TF_OK;
}

/* In a directory that everybody may write to, only the sticky bit keeps others from putting another file in a file's
 * place. */
static int directory_is_safe(const char *file)
{
    char directory[PATH_MAX];
    struct stat status;
    size_t length = (size_t)(path_base(file) - file);
    if (length == 0 || length >= sizeof(directory))
        return 1;
    memcpy(directory, file, length);
    directory[length] = '\0';
    return stat(directory, &status) || !(status.st_mode & S_IWOTH) || (status.st_mode & S_ISVTX);
}

int search_check_file(tf_ctx *ctx, uint32_t severity, const char *file, struct stat *status)
{
    if (stat(file, status)) {
        diag(ctx, NULL, severity, "plugin-not-found", "plugin %s: %s", file, strerror(errno));
        return TF_E_REFUSED;
    }
    if (!S_ISREG(status->st_mode)) {
        diag(ctx, NULL, severity, "plugin-not-file", "plugin %s: is %s, not a shared object: name the file itself",
            file, S_ISDIR(status->st_mode) ? "a directory" : "no regular file");
        return TF_E_REFUSED;
    }
    if (status->st_mode & S_IWOTH) {
        diag(ctx, NULL, severity, "plugin-unsafe",
            "plugin %s: everybody may write to it (mode %04o), so its code could be anybody's: chmod o-w it", file,
            status->st_mode & 07777u);
        return TF_E_REFUSED;
    }
    if (!directory_is_safe(file)) {
        diag(ctx, NULL, severity, "plugin-unsafe",
            "plugin %s: everybody may write to its directory, so its code could be anybody's: chmod o-w the directory",
            file);
        return TF_E_REFUSED;
    }
    return TF_OK;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

size_t search_list(tf_ctx *ctx, const char *directory, const char *const **names)
{
    VEC(const char *) found = {0};
    DIR *dir = opendir(directory);
    *names = NULL;
    if (!dir)
        return 0;
    for (struct dirent *entry; (entry = readdir(dir));)
        if (path_is_module(entry->d_name))
            VEC_PUSH(&found, ctx_intern(ctx, entry->d_name));
    closedir(dir);
    if (found.n) {
        qsort(found.at, found.n, sizeof(*found.at), by_text);
        *names = arena_copy(&ctx->arena, found.at, found.n * sizeof(*found.at));
    }
    size_t n = found.n;
    VEC_FREE(&found);
    return n;
}

/* SPDX-License-Identifier: MIT
 * Where compiled kernels are kept: one file for each source, compiler, flags, version of this plugin and processor.
 */
#include "run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

const char *cpu_text(tf_ctx *ctx, const char *key)
{
    static char line[8192];
    FILE *file = fopen("/proc/cpuinfo", "re");
    const char *found = NULL;
    size_t n = strlen(key);
    while (file && !found && fgets(line, sizeof(line), file)) {
        char *value = strncmp(line, key, n) ? NULL : strchr(line, ':');
        if (value && strspn(line + n, " \t") == (size_t)(value - line) - n) {
            line[strcspn(line, "\n")] = '\0';
            found = tf_host->format(ctx, "%s", value + 1 + strspn(value + 1, " \t"));
        }
    }
    if (file)
        fclose(file);
    return found;
}

/* What -march=native depends on. */
static const char *processor(tf_ctx *ctx)
{
    struct utsname system = {.machine = ""};
    const char *name = cpu_text(ctx, "model name"), *flags = cpu_text(ctx, "flags"), *more = cpu_text(ctx, "Features");
    uname(&system);
    return tf_host->format(ctx, "%s/%s/%s/%s", system.machine, name ? name : "", flags ? flags : "", more ? more : "");
}

static int make_directory(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        int refused = mkdir(path, 0700) && errno != EEXIST;
        *slash = '/';
        if (refused)
            return -1;
    }
    return mkdir(path, 0700) && errno != EEXIST ? -1 : 0;
}

/* Code is run out of it, so it must be ours alone to write to. */
static const char *directory(tf_ctx *ctx)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    struct stat status;
    char path[4096];
    int is_cache = cache && *cache == '/';
    if (!is_cache && (!home || *home != '/'))
        return NULL;
    int n = snprintf(
        path, sizeof(path), "%s%s", is_cache ? cache : home, is_cache ? "/tilefoundry" : "/.cache/tilefoundry");
    if (n < 0 || (size_t)n >= sizeof(path) || make_directory(path) || lstat(path, &status))
        return NULL;
    if (S_ISDIR(status.st_mode) && status.st_uid == geteuid() && !(status.st_mode & 022))
        return access(path, W_OK) ? NULL : tf_host->format(ctx, "%s", path);
    tf_host->warn(
        ctx, NULL, CACHE_UNSAFE, "%s is not a directory that you alone may write to: kernels are not kept", path);
    return NULL;
}

static const char *joined(tf_ctx *ctx, const struct words *words)
{
    const char *text = "";
    for (size_t i = 0; i < words->n; i++)
        text = tf_host->format(ctx, "%s%s\n", text, words->at[i]);
    return text;
}

const char *cache_file(tf_ctx *ctx, const struct compiler *compiler, const struct tf_artifact *artifact)
{
    const char *off = getenv("TILEFOUNDRY_NO_CACHE");
    const char *path = off && *off ? NULL : directory(ctx);
    const char *texts[] = {joined(ctx, &compiler->command), joined(ctx, &compiler->flags), compiler->identity,
        CPU_C_VERSION, processor(ctx), artifact->entry};
    enum { N = sizeof(texts) / sizeof(*texts) };
    struct piece pieces[N + 1] = {{artifact->text, artifact->length}};
    for (size_t i = 0; i < N; i++)
        pieces[i + 1] = (struct piece){texts[i], strlen(texts[i])};
    return path ? tf_host->format(ctx, "%s/%s.so", path, digest_text(ctx, pieces, N + 1)) : NULL;
}

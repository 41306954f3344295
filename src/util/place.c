/* SPDX-License-Identifier: MIT */
#include "util/place.h"

#include "util/diag.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A build outside of make, such as a unit test's, has no configured directories. */
#ifndef PLUGINDIR
#define BINDIR "/usr/local/bin"
#define PLUGINDIR "/usr/local/lib/tilefoundry/plugins"
#define MODULEDIR "/usr/local/lib/tilefoundry/modules"
#define TARGETDIR "/usr/local/share/tilefoundry/targets"
#define SCHEMADIR "/usr/local/share/tilefoundry/schemas"
#define DATADIR "/usr/local/share/tilefoundry"
#endif

static const struct {
    const char *key, *configured;
} PLACES[] = {
#define X(NAME, key, configured) {key, configured},
    TF_PLACES(X)
#undef X
};

/* Directory of the running program, or "" when the system does not say. */
static void program_directory(char *at, size_t room)
{
    ssize_t length = readlink("/proc/self/exe", at, room - 1);
    if (length < 0)
        length = 0;
    at[length] = '\0';
    char *slash = strrchr(at, '/');
    *(slash ? slash : at) = '\0';
}

static FILE *open_build_list(const char *bin)
{
    char path[PATH_MAX + 32];
    if (!*bin)
        return NULL;
    snprintf(path, sizeof(path), "%s/tilefoundry.buildtree", bin);
    FILE *list = fopen(path, "re");
    size_t length = strlen(bin);
    /* libtool keeps the real program in .libs, one folder below */
    if (!list && length > 6 && !strcmp(bin + length - 6, "/.libs")) {
        snprintf(path, sizeof(path), "%.*s/tilefoundry.buildtree", (int)(length - 6), bin);
        list = fopen(path, "re");
    }
    return list;
}

static const char *from_build_tree(tf_ctx *ctx, const char *bin, const char *key)
{
    FILE *list = open_build_list(bin);
    if (!list)
        return NULL;
    char line[PATH_MAX + 32];
    const char *found = NULL;
    size_t n = strlen(key);
    while (!found && fgets(line, sizeof(line), list)) {
        line[strcspn(line, "\n")] = '\0';
        if (!strncmp(line, key, n) && line[n] == '=')
            found = ctx_intern(ctx, line + n + 1);
    }
    fclose(list);
    return found;
}

/* The way from the configured bindir to the configured directory, taken from where the program is. */
static const char *from_program(tf_ctx *ctx, const char *bin, const char *configured)
{
    const char *from = BINDIR, *to = configured;
    size_t common = 0;
    for (size_t i = 0; from[i] && from[i] == to[i]; i++)
        if (from[i] == '/')
            common = i + 1;
    char path[PATH_MAX];
    size_t n = strlen(bin);
    if (!n || n >= sizeof(path))
        return NULL;
    memcpy(path, bin, n + 1);
    /* one folder up for each that bindir has beyond the common part */
    for (const char *c = from + common; *c; c += strspn(c, "/")) {
        c += strcspn(c, "/");
        char *slash = strrchr(path, '/');
        if (!slash)
            return NULL;
        *slash = '\0';
    }
    return arena_format(&ctx->arena, "%s/%s", path, to + common);
}

const char *place_dir(tf_ctx *ctx, enum place place)
{
    char bin[PATH_MAX];
    struct stat status;
    program_directory(bin, sizeof(bin));
    const char *dir = from_build_tree(ctx, bin, PLACES[place].key);
    if (dir)
        return dir;
    dir = from_program(ctx, bin, PLACES[place].configured);
    return dir && !stat(dir, &status) && S_ISDIR(status.st_mode) ? dir : PLACES[place].configured;
}

void *module_symbol(tf_ctx *ctx, const char *name, const char *symbol)
{
    const char *path = arena_format(&ctx->arena, "%s/%s.so", place_dir(ctx, PLACE_MODULES), name);
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *found = handle ? dlsym(handle, symbol) : NULL;
    if (!found)
        ERROR(ctx, NULL, "module", "a part of the program cannot be opened: %s", dlerror());
    return found;
}

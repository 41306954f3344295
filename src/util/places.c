/* SPDX-License-Identifier: MIT */
#include "util/places.h"

#include "util/diag.h"
#include "util/file.h"

#include <dlfcn.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#define BUILD_TREE_FILE "tilefoundry.buildtree"

/* The value of `key=` in the build tree's file, or NULL. */
static const char *setting(tf_ctx *ctx, const char *text, const char *key)
{
    size_t length = strlen(key);
    for (const char *line = text; line && *line; line = strchr(line, '\n'), line += line != NULL) {
        if (strncmp(line, key, length) || line[length] != '=')
            continue;
        const char *value = line + length + 1;
        return arena_strndup(&ctx->arena, value, strcspn(value, "\n"));
    }
    return NULL;
}

int places_use_build_tree(tf_ctx *ctx, const char *directory)
{
    const char *path = arena_format(&ctx->arena, "%s/" BUILD_TREE_FILE, directory);
    if (access(path, R_OK))
        return 0;
    struct file_text file;
    if (file_read(ctx, path, 65536, &file))
        return 0;
    struct places *p = CTX_NEW(ctx, struct places);
    *p = (struct places){
        .plugins = setting(ctx, file.text, "plugins"),
        .modules = setting(ctx, file.text, "modules"),
        .targets = setting(ctx, file.text, "targets"),
        .compiled = setting(ctx, file.text, "compiled"),
        .schemas = setting(ctx, file.text, "schemas"),
        .data = setting(ctx, file.text, "data"),
        .is_build_tree = 1,
    };
    if (!p->plugins || !p->modules || !p->targets || !p->compiled || !p->schemas || !p->data)
        return 0;
    ctx->places = p;
    return 1;
}

/* What stands before the configured directory of programs in the running one's: a DESTDIR, usually nothing. */
static const char *destdir(tf_ctx *ctx, const char *directory)
{
    size_t length = strlen(directory), tail = strlen(BINDIR);
    if (length < tail || strcmp(directory + length - tail, BINDIR))
        return "";
    return arena_strndup(&ctx->arena, directory, length - tail);
}

const struct places *places_get(tf_ctx *ctx)
{
    if (ctx->places)
        return ctx->places;
    char self[PATH_MAX] = "";
    ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
    char *slash = length > 0 ? strrchr(self, '/') : NULL;
    if (slash)
        *slash = '\0';
    if (slash && places_use_build_tree(ctx, self))
        return ctx->places;
    const char *root = slash ? destdir(ctx, self) : "";
    struct places *p = CTX_NEW(ctx, struct places);
    *p = (struct places){
        .plugins = arena_format(&ctx->arena, "%s%s", root, PLUGINDIR),
        .modules = arena_format(&ctx->arena, "%s%s", root, MODULEDIR),
        .targets = arena_format(&ctx->arena, "%s%s", root, TARGETDIR),
        .compiled = arena_format(&ctx->arena, "%s%s", root, TARGETDIR),
        .schemas = arena_format(&ctx->arena, "%s%s", root, SCHEMADIR),
        .data = arena_format(&ctx->arena, "%s%s", root, DATADIR),
    };
    return ctx->places = p;
}

void *module_symbol(tf_ctx *ctx, const char *name, const char *symbol)
{
    const char *path = arena_format(&ctx->arena, "%s/%s.so", places_get(ctx)->modules, name);
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *found = handle ? dlsym(handle, symbol) : NULL;
    if (!found)
        ERROR(ctx, NULL, "module", "a part of the program cannot be opened: %s", dlerror());
    return found;
}

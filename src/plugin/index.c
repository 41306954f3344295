/* SPDX-License-Identifier: MIT
 * plugins.index: what the plugins of one directory provide, so that a run opens only those that it needs.
 *
 *     tilefoundry-plugin-index 1
 *     file elementwise.so 1764527000 45678
 *     plugin elementwise
 *     op binary
 *     alias add
 *     enum BinaryKind
 *
 * A `file` line gives the time of the last change (seconds since 1970) and the size in bytes; the lines up to the next
 * one are what it provides.  A file that has changed since is looked at afresh, so a stale index costs time and nothing
 * else.
 */
#include "plugin/module.h"

#include "util/buf.h"
#include "util/file.h"
#include "util/vec.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#define FIRST_LINE "tilefoundry-plugin-index 1"
#define LARGEST_INDEX (16 << 20)

/* ---- reading ------------------------------------------------------------------------------------------------------*/

static char *read_text(tf_ctx *ctx, const char *directory)
{
    char path[PATH_MAX];
    struct stat status;
    char *text = NULL;
    if (snprintf(path, sizeof(path), "%s/" INDEX_FILE, directory) >= (int)sizeof(path))
        return NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return NULL;
    if (!fstat(fd, &status) && S_ISREG(status.st_mode) && status.st_size <= LARGEST_INDEX) {
        size_t size = (size_t)status.st_size;
        text = arena_alloc(&ctx->arena, size + 1);
        if (read(fd, text, size) != (ssize_t)size)
            text = NULL;
    }
    close(fd);
    return text;
}

/* The next line of *text, ended by NUL in place; NULL when there is none. */
static char *next_line(char **text)
{
    char *line = *text;
    if (!*line)
        return NULL;
    char *end = line + strcspn(line, "\n");
    *text = *end ? end + 1 : end;
    *end = '\0';
    return line;
}

struct index_lines {
    VEC(struct index_module) modules;
    VEC(struct index_name) names;
    VEC(size_t) first; /* of each module: where its names begin */
};

static int read_file_line(struct index_lines *lines, char *rest)
{
    char *space = strchr(rest, ' ');
    long long mtime, size;
    if (!space || sscanf(space, "%lld %lld", &mtime, &size) != 2)
        return TF_E_REFUSED;
    *space = '\0';
    if (strchr(rest, '/') || !path_is_module(rest))
        return TF_E_REFUSED;
    VEC_PUSH(&lines->modules, ((struct index_module){.file = rest, .mtime = mtime, .size = size}));
    VEC_PUSH(&lines->first, lines->names.n);
    return TF_OK;
}

static int read_name_line(struct index_lines *lines, char *word, char *rest)
{
    struct index_name name = {.name = rest};
    if (!lines->modules.n)
        return TF_E_REFUSED;
    if (!strcmp(word, "alias")) {
        name.kind = KIND_OP;
        name.is_alias = 1;
    } else if (kind_find(word, &name.kind)) {
        return TF_E_REFUSED;
    }
    VEC_PUSH(&lines->names, name);
    return TF_OK;
}

static int read_lines(struct index_lines *lines, char *text)
{
    char *line = next_line(&text);
    if (!line || strcmp(line, FIRST_LINE))
        return TF_E_REFUSED;
    while ((line = next_line(&text))) {
        char *rest = strchr(line, ' ');
        if (!rest || !rest[1])
            return TF_E_REFUSED;
        *rest++ = '\0';
        int rc = !strcmp(line, "file") ? read_file_line(lines, rest) : read_name_line(lines, line, rest);
        if (rc)
            return rc;
    }
    return TF_OK;
}

size_t index_read(tf_ctx *ctx, const char *directory, const struct index_module **modules)
{
    struct index_lines lines = {0};
    char *text = read_text(ctx, directory);
    size_t n = 0;
    *modules = NULL;
    if (text && !read_lines(&lines, text) && lines.modules.n) {
        n = lines.modules.n;
        const struct index_name *names = arena_copy(&ctx->arena, lines.names.at, lines.names.n * sizeof(*names));
        for (size_t i = 0; i < n; i++) {
            lines.modules.at[i].names = names + lines.first.at[i];
            lines.modules.at[i].n = (i + 1 < n ? lines.first.at[i + 1] : lines.names.n) - lines.first.at[i];
        }
        *modules = arena_copy(&ctx->arena, lines.modules.at, n * sizeof(**modules));
    }
    VEC_FREE(&lines.modules);
    VEC_FREE(&lines.names);
    VEC_FREE(&lines.first);
    return n;
}

/* ---- writing ------------------------------------------------------------------------------------------------------*/

static void put_op(struct buf *out, const struct tf_op *op)
{
    buf_printf(out, "op %s\n", op->name);
    for (size_t i = 0; i < op->n_aliases; i++)
        buf_printf(out, "alias %s\n", op->aliases[i].name);
    for (size_t i = 0; i < op->n_attrs; i++)
        if (op->attrs[i].kind == TF_ATTR_CHOICE && op->attrs[i].enumeration)
            buf_printf(out, "enum %s\n", op->attrs[i].enumeration);
}

static int put_plugin(tf_ctx *ctx, struct buf *out, const struct plugin *plugin)
{
    struct stat status;
    if (stat(plugin->file, &status)) {
        ERROR(ctx, NULL, "io", "plugin %s: %s", plugin->file, strerror(errno));
        return TF_E_REFUSED;
    }
    buf_printf(out, "file %s %lld %lld\nplugin %s\n", path_base(plugin->file), (long long)status.st_mtime,
        (long long)status.st_size, plugin->descriptor.name);
    for (enum plugin_kind kind = 0; kind < KIND_PLUGIN; kind++)
        for (size_t i = 0; i < plugin_count(plugin, kind); i++) {
            const struct element *element = plugin_element(plugin, kind, i);
            if (kind == KIND_OP)
                put_op(out, (const struct tf_op *)element);
            else
                buf_printf(out, "%s %s\n", kind_text(kind), element->name);
        }
    return TF_OK;
}

int index_write(tf_ctx *ctx, const char *directory, const struct plugin *const *plugins, size_t n)
{
    struct buf text = {0};
    int rc = TF_OK;
    buf_str(&text, FIRST_LINE "\n");
    for (size_t i = 0; !rc && i < n; i++)
        rc = put_plugin(ctx, &text, plugins[i]);
    if (!rc)
        rc = file_write(ctx, arena_format(&ctx->arena, "%s/" INDEX_FILE, directory), buf_text(&text), text.n);
    buf_free(&text);
    return rc;
}

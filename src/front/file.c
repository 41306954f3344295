/* SPDX-License-Identifier: MIT
 * Source files of a program: each is read and parsed once.
 */
#include "front/host.h"

#include "util/diag.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

static const char *directory_of(tf_ctx *ctx, const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? ctx_intern_n(ctx, path, (size_t)(slash - path) + 1) : "";
}

struct host_file *host_open(struct front *front, const char *path)
{
    tf_ctx *ctx = front->ctx;
    path = ctx_intern(ctx, path);
    for (size_t i = 0; i < front->n_files; i++)
        if (front->files[i]->path == path)
            return front->files[i];
    if (front->n_files >= ctx->limits.files) {
        struct tf_loc nowhere = {0};
        ERROR(ctx, &nowhere, "limit", "the program has more than %" PRIu64 " source files; --limit files=N allows more",
            ctx->limits.files);
        return NULL;
    }
    uint32_t number = source_read(ctx, path);
    if (!number)
        return NULL;
    struct host_file *file = CTX_NEW(ctx, struct host_file);
    file->file = number;
    file->path = path;
    file->directory = directory_of(ctx, path);
    file->ast = parse_source(ctx, number);
    file->env = env_new(front, NULL, 0, file);
    front->files = front_grow(ctx, front->files, front->n_files, &front->room_files, sizeof(*front->files));
    front->files[front->n_files++] = file;
    if (!file->ast)
        return file;
    file->is_loading = 1;
    host_run(front, file->env, file->ast->body, file->ast->n);
    file->is_loading = 0;
    return file;
}

static int is_file(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* `import a.b` beside the importing file: a/b.py or a/b/__init__.py.  *missing is set when there is no such file. */
struct host_file *host_sibling(struct front *front, const struct host_file *from, const char *module, int *missing)
{
    struct buf path = {0};
    struct host_file *file = NULL;
    buf_str(&path, from->directory);
    size_t start = path.n;
    buf_str(&path, module);
    for (size_t i = start; i < path.n; i++)
        if (path.at[i] == '.')
            path.at[i] = '/';
    size_t stem = path.n;
    buf_str(&path, ".py");
    if (!is_file(buf_text(&path))) {
        path.n = stem;
        buf_str(&path, "/__init__.py");
    }
    *missing = !is_file(buf_text(&path));
    if (!*missing)
        file = host_open(front, buf_text(&path));
    buf_free(&path);
    return file;
}

/* SPDX-License-Identifier: MIT
 * Finding documents: the user's own directory, then the installed one.
 */
#include "target/document.h"

#include "util/buf.h"
#include "util/diag.h"
#include "util/file.h"
#include "util/place.h"
#include "util/vec.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SUFFIX ".xml"
#define COMPILED ".tfc"

const char *target_user_dir(tf_ctx *ctx)
{
    const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    if (data && *data == '/')
        return arena_format(&ctx->arena, "%s/tilefoundry/targets", data);
    return home && *home == '/' ? arena_format(&ctx->arena, "%s/.local/share/tilefoundry/targets", home) : NULL;
}

static int id_is_plain(const char *id)
{
    for (const char *c = id; *c; c++)
        if (!((*c >= 'a' && *c <= 'z') || (*c >= '0' && *c <= '9') || strchr("._-", *c)))
            return 0;
    return *id && *id != '.';
}

const char *target_find(tf_ctx *ctx, const char *id, int *is_added)
{
    const char *own = target_user_dir(ctx);
    if (!id_is_plain(id))
        return NULL;
    const char *dirs[] = {place_dir(ctx, PLACE_TARGETS), own};
    for (int i = 0; i < 2; i++) {
        const char *path = dirs[i] ? arena_format(&ctx->arena, "%s/%s" SUFFIX, dirs[i], id) : NULL;
        if (!path || access(path, F_OK))
            continue;
        if (is_added)
            *is_added = i == 1;
        return path;
    }
    return NULL;
}

/* ---- listing ------------------------------------------------------------------------------------------------------*/

typedef VEC(const char *) name_list;

static void list_directory(tf_ctx *ctx, const char *path, name_list *ids)
{
    DIR *dir = path ? opendir(path) : NULL;
    if (!dir)
        return;
    for (struct dirent *entry; (entry = readdir(dir));) {
        size_t length = strlen(entry->d_name), tail = strlen(SUFFIX);
        if (length > tail && *entry->d_name != '.' && !strcmp(entry->d_name + length - tail, SUFFIX))
            VEC_PUSH(ids, ctx_intern_n(ctx, entry->d_name, length - tail));
    }
    closedir(dir);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Reads a document through its compiled form where there is one. */
static struct document *read_document(tf_ctx *ctx, const char *path);

size_t target_ids(tf_ctx *ctx, const char *kind, const char *const **ids)
{
    name_list found = {0};
    size_t n = 0;
    list_directory(ctx, place_dir(ctx, PLACE_TARGETS), &found);
    list_directory(ctx, target_user_dir(ctx), &found);
    if (found.n)
        qsort(found.at, found.n, sizeof(*found.at), by_name);
    for (size_t i = 0; i < found.n; i++) {
        if (n && found.at[n - 1] == found.at[i])
            continue;
        size_t mark = diag_mark(ctx);
        const char *path = target_find(ctx, found.at[i], NULL);
        struct document *d = path ? read_document(ctx, path) : NULL;
        diag_drop(ctx, mark);
        if (d && !strcmp(d->kind, kind))
            found.at[n++] = found.at[i];
    }
    *ids = arena_copy(&ctx->arena, found.at, n * sizeof(*found.at));
    VEC_FREE(&found);
    return n;
}

/* ---- opening ------------------------------------------------------------------------------------------------------*/

/* Where the compiled form of a document lies: beside it, or in the build tree's own folder. */
static const char *compiled_path(tf_ctx *ctx, const char *path)
{
    const char *slash = strrchr(path, '/'), *targets = place_dir(ctx, PLACE_TARGETS);
    size_t directory = slash ? (size_t)(slash - path) : 0, stem = strlen(path) - strlen(SUFFIX);
    if (slash && strlen(targets) == directory && !strncmp(path, targets, directory))
        return arena_format(
            &ctx->arena, "%s/%.*s" COMPILED, place_dir(ctx, PLACE_COMPILED), (int)(stem - directory - 1), slash + 1);
    return arena_format(&ctx->arena, "%.*s" COMPILED, (int)stem, path);
}

static struct document *read_document(tf_ctx *ctx, const char *path)
{
    size_t length = strlen(path), tail = strlen(SUFFIX), mark = diag_mark(ctx);
    struct file_text text, compiled;
    struct document *d = NULL;
    if (length > tail && !strcmp(path + length - tail, SUFFIX)) {
        const char *beside = compiled_path(ctx, path);
        if (!access(beside, R_OK) && !file_read(ctx, beside, 2 * DOCUMENT_BYTES, &compiled) &&
            !file_read(ctx, path, DOCUMENT_BYTES, &text))
            /* the arena's copy is ours to cut into fields */
            d = document_from_compiled(
                ctx, path, text.text, text.length, (char *)(uintptr_t)compiled.text, compiled.length);
        diag_drop(ctx, mark);
    }
    return d ? d : document_read(ctx, path);
}

static struct tf_target *join_with_architecture(tf_ctx *ctx, struct document *device)
{
    struct document *architecture = NULL;
    if (device->architecture) {
        const char *path = target_find(ctx, device->architecture, NULL);
        if (!path) {
            document_error(ctx, device, 1, "target-architecture", "needs the architecture '%s'; add its document first",
                device->architecture);
            return NULL;
        }
        architecture = read_document(ctx, path);
        if (!architecture)
            return NULL;
    }
    return document_join(ctx, device, architecture);
}

static void unknown(tf_ctx *ctx, const struct tf_loc *loc, const char *id)
{
    const char *const *ids;
    size_t n = target_ids(ctx, "device", &ids);
    struct buf list = {0};
    for (size_t i = 0; i < n; i++)
        buf_printf(&list, "%s%s", i ? ", " : "", ids[i]);
    const char *near = did_you_mean(id, ids, n);
    ERROR(ctx, loc, "target-unknown", "unknown target '%s'; available: %s%s%s%s", id, buf_text(&list),
        near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
    buf_free(&list);
}

const struct tf_target *target_open(tf_ctx *ctx, const struct tf_loc *loc, const char *id)
{
    size_t length = strlen(id), tail = strlen(SUFFIX);
    int is_path = strchr(id, '/') || (length > tail && !strcmp(id + length - tail, SUFFIX));
    const char *path = is_path ? id : target_find(ctx, id, NULL);
    if (!path) {
        unknown(ctx, loc, id);
        return NULL;
    }
    struct document *device = read_document(ctx, path);
    if (!device)
        return NULL;
    if (strcmp(device->kind, "device")) {
        ERROR(ctx, loc, "target-kind", "'%s' is an architecture; a target is a device", device->id);
        return NULL;
    }
    if (!is_path && strcmp(device->id, id)) {
        ERROR(ctx, loc, "target-kind", "%s: declares the id '%s', expected '%s' as the file is called", path,
            device->id, id);
        return NULL;
    }
    return join_with_architecture(ctx, device);
}

struct tf_target *target_read(tf_ctx *ctx, const char *path)
{
    struct document *d = document_read(ctx, path);
    if (!d)
        return NULL;
    if (!strcmp(d->kind, "device"))
        return join_with_architecture(ctx, d);
    /* an architecture's model may read facts of the device that is joined to it */
    struct tf_target *t = CTX_NEW(ctx, struct tf_target);
    *t = (struct tf_target){.id = d->id,
        .family = d->family,
        .title = d->title,
        .kind = d->kind,
        .path = d->path,
        .digest = d->digest,
        .n_facts = d->n_facts,
        .facts = d->facts};
    return t;
}

int target_compile(tf_ctx *ctx, const char *document, const char *path)
{
    struct file_text text;
    struct document *d = document_read(ctx, document);
    if (!d || file_read(ctx, document, DOCUMENT_BYTES, &text))
        return TF_E_REFUSED;
    const char *compiled = document_compiled(ctx, d, text.text, text.length);
    return file_write(ctx, path, compiled, strlen(compiled));
}

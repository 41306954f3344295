/* SPDX-License-Identifier: MIT */
#include "eval/files.h"

#include "plugin/numbers.h"
#include "type/type.h"
#include "util/buf.h"
#include "util/diag.h"
#include "util/file.h"
#include "util/place.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define INDEX_NAME "model.safetensors.index.json"
#define MAX_INDEX ((size_t)256 << 20)

/* ---- what the forms share -----------------------------------------------------------------------------------------*/

int file_refuse(tf_ctx *ctx, const char *path, const char *format, ...)
{
    struct buf text = {0};
    va_list args;
    va_start(args, format);
    buf_vprintf(&text, format, args);
    va_end(args);
    ERROR(ctx, NULL, "tensor-file", "%s: %s", path, buf_text(&text));
    buf_free(&text);
    return TF_E_REFUSED;
}

int file_bytes(const struct open_file *from, uint64_t offset, size_t n, void *to)
{
    char *at = to;
    while (n) {
        ssize_t got = pread(from->fd, at, n, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            ERROR(from->ctx, NULL, "io", "%s: cannot be read: %s", from->path, strerror(errno));
            return TF_E_REFUSED;
        }
        if (got == 0)
            return REFUSE_FILE(from, "ends at byte %" PRIu64 ", earlier than it began with", offset);
        at += got;
        offset += (uint64_t)got;
        n -= (size_t)got;
    }
    return TF_OK;
}

int shape_bytes(uint32_t dtype, uint32_t rank, const int64_t *extents, uint64_t *bytes)
{
    int over = 0;
    *bytes = number_bytes(dtype);
    for (uint32_t i = 0; i < rank; i++)
        if (extents[i] == 0)
            return *bytes = 0, 0;
    for (uint32_t i = 0; i < rank; i++)
        over |= __builtin_mul_overflow(*bytes, (uint64_t)extents[i], bytes);
    return over;
}

int shape_from_json(const struct json_item *list, uint32_t *rank, int64_t *extents)
{
    if (list->kind != JSON_LIST || list->count > TF_MAX_RANK)
        return -1;
    *rank = 0;
    for (const struct json_item *item = list->first; item; item = item->next) {
        if (item->kind != JSON_NUMBER || item->number < 0)
            return -1;
        extents[(*rank)++] = item->number;
    }
    return 0;
}

static void *from_arena(void *data, size_t size)
{
    return arena_alloc(data, size);
}

const struct json_item *json_parse(const struct open_file *from, const char *text, size_t length)
{
    char why[256];
    const struct json_reader *reader = module_symbol(from->ctx, "header", JSON_READER_SYMBOL);
    if (!reader)
        return NULL;
    const struct json_item *item = reader->read(text, length, from_arena, &from->ctx->arena, why, sizeof(why));
    if (!item)
        REFUSE_FILE(from, "its JSON cannot be read: %s", why);
    return item;
}

const struct json_item *json_get(const struct json_item *map, const char *key)
{
    for (const struct json_item *item = map->kind == JSON_MAP ? map->first : NULL; item; item = item->next)
        if (!strcmp(item->key, key))
            return item;
    return NULL;
}

uint32_t dtype_named(const char *name)
{
    uint32_t dtype = 0;
    while (dtype < TF_DTYPE_COUNT && strcmp(dtype_info(dtype)->name, name))
        dtype++;
    return dtype;
}

/* ---- opening ------------------------------------------------------------------------------------------------------*/

static int ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && !strcmp(text + n - m, end);
}

static int refuse_pickle(tf_ctx *ctx, const char *path)
{
    return file_refuse(ctx, path,
        "is a pickle, which runs code when it is read; convert it in Python: "
        "safetensors.torch.save_file(torch.load(PATH, weights_only=True), \"x.safetensors\")");
}

/* One regular file, of the form that its name ends in. */
static int open_one(tf_ctx *ctx, const char *path, struct tensor_file *file)
{
    static const struct {
        const char *end;
        int (*open)(const struct open_file *from, struct tensor_file *file);
    } FORMS[] = {{".safetensors", safetensors_open}, {".npy", npy_open}, {".raw", raw_open}};
    size_t form = 0;
    if (ends_with(path, ".pt") || ends_with(path, ".pth") || ends_with(path, ".ckpt") || ends_with(path, ".pkl"))
        return refuse_pickle(ctx, path);
    while (form < 3 && !ends_with(path, FORMS[form].end))
        form++;
    if (form == 3)
        return file_refuse(ctx, path, "its name ends in none of .safetensors, .npy and .raw");
    struct stat st;
    struct open_file from = {.ctx = ctx, .path = path, .fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)};
    if (from.fd < 0 || fstat(from.fd, &st)) {
        ERROR(ctx, NULL, "io", "%s: cannot be read: %s", path, strerror(errno));
        if (from.fd >= 0)
            close(from.fd);
        return TF_E_REFUSED;
    }
    from.size = (uint64_t)st.st_size;
    int rc = S_ISREG(st.st_mode) ? FORMS[form].open(&from, file) : file_refuse(ctx, path, "is no regular file");
    close(from.fd);
    return rc;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct file_tensor *)a)->name, ((const struct file_tensor *)b)->name);
}

static int sort_by_name(tf_ctx *ctx, struct tensor_file *file)
{
    if (file->tensors.n && file->tensors.at[0].name)
        qsort(file->tensors.at, file->tensors.n, sizeof(*file->tensors.at), by_name);
    for (size_t i = 1; i < file->tensors.n; i++)
        if (!by_name(&file->tensors.at[i - 1], &file->tensors.at[i]))
            return file_refuse(ctx, file->path, "has tensor '%s' in %s and in %s", file->tensors.at[i].name,
                file->tensors.at[i - 1].path, file->tensors.at[i].path);
    return TF_OK;
}

static const char *inside(tf_ctx *ctx, const char *directory, const char *name)
{
    return arena_format(&ctx->arena, "%s/%s", directory, name);
}

static int text_order(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

typedef VEC(const char *) names;

/* The files that an index names, each once; its promises about which tensor lies where are kept by looking. */
static int names_from_index(tf_ctx *ctx, const char *path, names *list)
{
    struct file_text text;
    struct open_file from = {.ctx = ctx, .path = path};
    if (file_read(ctx, path, MAX_INDEX, &text))
        return TF_E_REFUSED;
    const struct json_item *index = json_parse(&from, text.text, text.length);
    if (!index)
        return TF_E_REFUSED;
    const struct json_item *map = json_get(index, "weight_map");
    if (!map || map->kind != JSON_MAP)
        return REFUSE_FILE(&from, "has no \"weight_map\" from tensors to files");
    for (const struct json_item *item = map->first; item; item = item->next) {
        if (item->kind != JSON_TEXT || strchr(item->text, '/') || !*item->text)
            return REFUSE_FILE(&from, "tensor '%s' is not mapped to the name of a file beside it", item->key);
        VEC_PUSH(list, ctx_intern(ctx, item->text));
    }
    return TF_OK;
}

static int names_from_directory(tf_ctx *ctx, const char *directory, names *list)
{
    DIR *dir = opendir(directory);
    if (!dir) {
        ERROR(ctx, NULL, "io", "%s: cannot be read: %s", directory, strerror(errno));
        return TF_E_REFUSED;
    }
    for (struct dirent *entry; (entry = readdir(dir));)
        if (ends_with(entry->d_name, ".safetensors"))
            VEC_PUSH(list, ctx_intern(ctx, entry->d_name));
    closedir(dir);
    return list->n ? TF_OK : file_refuse(ctx, directory, "has no .safetensors file");
}

static int open_directory(tf_ctx *ctx, const char *directory, struct tensor_file *file)
{
    names list = {0};
    const char *index = inside(ctx, directory, INDEX_NAME);
    int rc = access(index, F_OK) ? names_from_directory(ctx, directory, &list) : names_from_index(ctx, index, &list);
    if (list.n)
        qsort(list.at, list.n, sizeof(*list.at), text_order);
    for (size_t i = 0; i < list.n && rc == TF_OK; i++)
        if (i == 0 || list.at[i] != list.at[i - 1])
            rc = open_one(ctx, inside(ctx, directory, list.at[i]), file);
    VEC_FREE(&list);
    return rc;
}

int tensor_file_open(tf_ctx *ctx, const char *path, struct tensor_file *file)
{
    struct stat st;
    *file = (struct tensor_file){.path = path};
    int is_directory = !stat(path, &st) && S_ISDIR(st.st_mode);
    int rc = is_directory ? open_directory(ctx, path, file) : open_one(ctx, path, file);
    return rc ? rc : sort_by_name(ctx, file);
}

void tensor_file_close(struct tensor_file *file)
{
    VEC_FREE(&file->tensors);
}

const struct file_tensor *tensor_file_find(const struct tensor_file *file, const char *name)
{
    size_t low = 0, high = file->tensors.n;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = file->tensors.at[middle].name ? strcmp(file->tensors.at[middle].name, name) : 1;
        if (order == 0)
            return &file->tensors.at[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

/* ---- elements -----------------------------------------------------------------------------------------------------*/

/* Whatever byte says true in the file is 1 in memory. */
static void settle_truths(struct tensor *tensor)
{
    uint8_t *data = tensor->pub.data;
    for (size_t i = 0; tensor->pub.dtype == TF_DTYPE_BOOL && i < tensor->count; i++)
        data[i] = data[i] != 0;
}

/* Codes of four bits, of which the last half of the room holds two a byte: they are taken apart in place. */
static void unpack(struct tensor *tensor)
{
    uint8_t *codes = tensor->pub.data;
    const uint8_t *pairs = codes + tensor->count / 2;
    for (size_t i = 0; i < tensor->count / 2; i++) {
        uint8_t pair = pairs[i];
        codes[2 * i] = pair & 0xf;
        codes[2 * i + 1] = pair >> 4;
    }
}

struct tensor *tensor_file_read(tf_ctx *ctx, struct tensor_memory *memory, const struct file_tensor *from)
{
    struct open_file file = {.ctx = ctx, .path = from->path, .fd = open(from->path, O_RDONLY | O_CLOEXEC)};
    if (file.fd < 0) {
        ERROR(ctx, NULL, "io", "%s: cannot be read: %s", from->path, strerror(errno));
        return NULL;
    }
    struct tensor *tensor = tensor_new(ctx, memory, from->dtype, from->rank, from->extents);
    size_t at = tensor && from->is_packed ? tensor->bytes - (size_t)from->bytes : 0;
    if (tensor && file_bytes(&file, from->offset, (size_t)from->bytes, (char *)tensor->pub.data + at)) {
        tensor_release(tensor);
        tensor = NULL;
    }
    close(file.fd);
    if (tensor && from->is_packed)
        unpack(tensor);
    if (tensor)
        settle_truths(tensor);
    return tensor;
}

int tensors_write_directory(tf_ctx *ctx, const char *directory, const struct named_tensor *tensors, size_t n)
{
    if (mkdir(directory, 0777) && errno != EEXIST) {
        ERROR(ctx, NULL, "io", "%s: cannot be made: %s", directory, strerror(errno));
        return TF_E_REFUSED;
    }
    int rc = TF_OK;
    for (size_t i = 0; i < n && rc == TF_OK; i++) {
        const char *path = inside(ctx, directory, tensors[i].name);
        rc = npy_write(ctx, arena_format(&ctx->arena, "%s.npy", path), tensors[i].tensor);
        if (rc == TF_E_UNSUPPORTED)
            rc = raw_write(ctx, arena_format(&ctx->arena, "%s.raw", path), tensors[i].tensor);
    }
    return rc;
}

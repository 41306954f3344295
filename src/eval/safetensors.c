/* SPDX-License-Identifier: MIT
 * .safetensors: eight bytes with the length of a JSON header, the header, then the elements.
 */
#include "eval/files.h"

#include "plugin/numbers.h"
#include "util/buf.h"
#include "util/diag.h"
#include "util/file.h"

#include <inttypes.h>
#include <string.h>

#define MAX_HEADER (UINT64_C(100) << 20) /* what other readers take */

/* X(NAME, the word of the form).  f4e2m1 is packed there, two elements a byte, the first in the low half. */
#define WORDS(X)                                                                                                       \
    X(F64, "F64")                                                                                                      \
    X(F32, "F32")                                                                                                      \
    X(F16, "F16")                                                                                                      \
    X(BF16, "BF16")                                                                                                    \
    X(FP8E4M3, "F8_E4M3")                                                                                              \
    X(FP8E5M2, "F8_E5M2")                                                                                              \
    X(F8E8M0, "F8_E8M0")                                                                                               \
    X(F4E2M1, "F4")                                                                                                    \
    X(I64, "I64")                                                                                                      \
    X(I32, "I32")                                                                                                      \
    X(I8, "I8")                                                                                                        \
    X(U8, "U8")                                                                                                        \
    X(BOOL, "BOOL")

static const struct {
    uint32_t dtype;
    const char *word;
} WORDS_OF[] = {
#define X(NAME, word) {TF_DTYPE_##NAME, word},
    WORDS(X)
#undef X
};
#define N_WORDS (sizeof(WORDS_OF) / sizeof(*WORDS_OF))

static const char *word_of(uint32_t dtype)
{
    for (size_t i = 0; i < N_WORDS; i++)
        if (WORDS_OF[i].dtype == dtype)
            return WORDS_OF[i].word;
    return NULL;
}

static uint32_t dtype_of(const char *word)
{
    for (size_t i = 0; i < N_WORDS; i++)
        if (!strcmp(WORDS_OF[i].word, word))
            return WORDS_OF[i].dtype;
    return TF_DTYPE_COUNT;
}

/* ---- reading ------------------------------------------------------------------------------------------------------*/

/* The number of two whole ones that a list has; not 0 when it is something else. */
static int read_offsets(const struct json_item *list, uint64_t *begin, uint64_t *end)
{
    if (!list || list->kind != JSON_LIST || list->count != 2)
        return -1;
    const struct json_item *first = list->first, *second = first->next;
    if (first->kind != JSON_NUMBER || second->kind != JSON_NUMBER || first->number < 0 ||
        second->number < first->number)
        return -1;
    *begin = (uint64_t)first->number;
    *end = (uint64_t)second->number;
    return 0;
}

static int read_entry(
    const struct open_file *from, const struct json_item *entry, uint64_t data, struct tensor_file *file)
{
    struct file_tensor tensor = {.name = entry->key, .path = from->path};
    const struct json_item *dtype = json_get(entry, "dtype"), *shape = json_get(entry, "shape");
    uint64_t begin, end, bytes;
    if (!dtype || dtype->kind != JSON_TEXT)
        return REFUSE_FILE(from, "tensor '%s' has no dtype", entry->key);
    tensor.dtype = dtype_of(dtype->text);
    if (tensor.dtype == TF_DTYPE_COUNT)
        return REFUSE_FILE(from, "tensor '%s' has dtype '%s', which is not read", entry->key, dtype->text);
    if (!shape || shape_from_json(shape, &tensor.rank, tensor.extents))
        return REFUSE_FILE(from, "tensor '%s': its shape is no list of at most %d extents", entry->key, TF_MAX_RANK);
    if (read_offsets(json_get(entry, "data_offsets"), &begin, &end))
        return REFUSE_FILE(from, "tensor '%s': its data_offsets are no begin and end", entry->key);
    if (shape_bytes(tensor.dtype, tensor.rank, tensor.extents, &bytes))
        return REFUSE_FILE(from, "tensor '%s': its shape is larger than any memory", entry->key);
    tensor.is_packed = tensor.dtype == TF_DTYPE_F4E2M1;
    if (tensor.is_packed && bytes % 2)
        return REFUSE_FILE(from, "tensor '%s' has an odd number of elements, and F4 has two in a byte", entry->key);
    bytes /= tensor.is_packed ? 2 : 1;
    if (end > from->size - data)
        return REFUSE_FILE(from, "tensor '%s' ends at byte %" PRIu64 " of the elements, and the file has %" PRIu64,
            entry->key, end, from->size - data);
    if (bytes != end - begin)
        return REFUSE_FILE(from, "tensor '%s': %" PRIu64 " bytes are its shape's, and its data_offsets give %" PRIu64,
            entry->key, bytes, end - begin);
    tensor.offset = data + begin;
    tensor.bytes = bytes;
    VEC_PUSH(&file->tensors, tensor);
    return TF_OK;
}

static int by_offset(const void *a, const void *b)
{
    const struct file_tensor *x = a, *y = b;
    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    return x->bytes < y->bytes ? -1 : x->bytes > y->bytes;
}

/* Tensors follow each other without a gap, to the end of the file. */
static int check_cover(const struct open_file *from, struct tensor_file *file, size_t first, uint64_t data)
{
    size_t n = file->tensors.n - first;
    struct file_tensor *tensors = n ? file->tensors.at + first : NULL;
    if (n)
        qsort(tensors, n, sizeof(*tensors), by_offset);
    for (size_t i = 0; i < n; i++) {
        if (tensors[i].offset != data)
            return REFUSE_FILE(from, "tensor '%s' begins at byte %" PRIu64 " of the file, %s", tensors[i].name,
                tensors[i].offset, tensors[i].offset < data ? "inside another" : "after bytes that are no tensor's");
        data += tensors[i].bytes;
    }
    return data == from->size ? TF_OK
                              : REFUSE_FILE(from, "the last %" PRIu64 " bytes are no tensor's", from->size - data);
}

int safetensors_open(const struct open_file *from, struct tensor_file *file)
{
    unsigned char prefix[8];
    uint64_t length = 0;
    if (from->size < sizeof(prefix))
        return REFUSE_FILE(from, "has %" PRIu64 " bytes, less than the length of a header takes", from->size);
    if (file_bytes(from, 0, sizeof(prefix), prefix))
        return TF_E_REFUSED;
    for (int i = 7; i >= 0; i--)
        length = length << 8 | prefix[i];
    if (length > MAX_HEADER || length > from->size - sizeof(prefix))
        return REFUSE_FILE(from, "says that its header has %" PRIu64 " bytes; the file has %" PRIu64 " after them",
            length, from->size - (uint64_t)sizeof(prefix));
    char *text = arena_alloc(&from->ctx->arena, (size_t)length + 1);
    if (file_bytes(from, sizeof(prefix), (size_t)length, text))
        return TF_E_REFUSED;
    const struct json_item *header = json_parse(from, text, (size_t)length);
    if (!header)
        return TF_E_REFUSED;
    size_t first = file->tensors.n;
    if (header->kind != JSON_MAP)
        return REFUSE_FILE(from, "its header is no JSON object");
    for (const struct json_item *entry = header->first; entry; entry = entry->next)
        if (strcmp(entry->key, "__metadata__") && read_entry(from, entry, sizeof(prefix) + length, file))
            return TF_E_REFUSED;
    return check_cover(from, file, first, sizeof(prefix) + length);
}

/* ---- writing ------------------------------------------------------------------------------------------------------*/

static uint64_t bytes_written(const struct tensor *tensor)
{
    return tensor->pub.dtype == TF_DTYPE_F4E2M1 ? tensor->bytes / 2 : tensor->bytes;
}

static void put_elements(struct buf *file, const struct tensor *tensor)
{
    const uint8_t *codes = tensor->pub.data;
    if (tensor->pub.dtype != TF_DTYPE_F4E2M1) {
        buf_add(file, tensor->pub.data, tensor->bytes);
        return;
    }
    for (size_t i = 0; i + 1 < tensor->count; i += 2)
        buf_char(file, (char)(codes[i] | codes[i + 1] << 4));
}

static int write_header(tf_ctx *ctx, struct buf *header, const struct named_tensor *tensors, size_t n)
{
    uint64_t at = 0;
    buf_char(header, '{');
    for (size_t i = 0; i < n; i++) {
        const struct tensor *tensor = tensors[i].tensor;
        const char *word = word_of(tensor->pub.dtype);
        if (!word || (tensor->pub.dtype == TF_DTYPE_F4E2M1 && tensor->count % 2)) {
            ERROR(ctx, NULL, "output-form", "a .safetensors file has no place for '%s', %s; name a directory instead",
                tensors[i].name, tensor_text(ctx, tensor));
            return TF_E_REFUSED;
        }
        buf_printf(header, "%s\"%s\":{\"dtype\":\"%s\",\"shape\":[", i ? "," : "", tensors[i].name, word);
        for (uint32_t k = 0; k < tensor->pub.rank; k++)
            buf_printf(header, "%s%" PRId64, k ? "," : "", tensor->extents[k]);
        buf_printf(header, "],\"data_offsets\":[%" PRIu64 ",%" PRIu64 "]}", at, at + bytes_written(tensor));
        at += bytes_written(tensor);
    }
    buf_char(header, '}');
    while (header->n % 8)
        buf_char(header, ' ');
    return TF_OK;
}

int safetensors_write(tf_ctx *ctx, const char *path, const struct named_tensor *tensors, size_t n)
{
    struct buf header = {0}, file = {0};
    int rc = write_header(ctx, &header, tensors, n);
    if (rc == TF_OK) {
        for (unsigned i = 0; i < 8; i++)
            buf_char(&file, (char)((uint64_t)header.n >> (8 * i)));
        buf_add(&file, header.at, header.n);
        for (size_t i = 0; i < n; i++)
            if (tensors[i].tensor->bytes)
                put_elements(&file, tensors[i].tensor);
        rc = file_write(ctx, path, file.at, file.n);
    }
    buf_free(&header);
    buf_free(&file);
    return rc;
}

/* SPDX-License-Identifier: MIT
 * .npy: a magic word, a version, a Python dict with dtype, order and shape, then the elements.
 */
#include "eval/files.h"

#include "plugin/numbers.h"
#include "util/buf.h"
#include "util/file.h"

#include <inttypes.h>
#include <string.h>

#define MAGIC "\x93NUMPY"
#define MAX_HEADER 65536

static const struct {
    uint32_t dtype;
    const char *word;
} WORDS_OF[] = {
    {TF_DTYPE_F64, "<f8"},
    {TF_DTYPE_F32, "<f4"},
    {TF_DTYPE_F16, "<f2"},
    {TF_DTYPE_I64, "<i8"},
    {TF_DTYPE_I32, "<i4"},
    {TF_DTYPE_I8, "|i1"},
    {TF_DTYPE_U8, "|u1"},
    {TF_DTYPE_BOOL, "|b1"},
};
#define N_WORDS (sizeof(WORDS_OF) / sizeof(*WORDS_OF))

/* ---- the dict -----------------------------------------------------------------------------------------------------*/

struct cursor {
    const char *at;
};

static void skip_space(struct cursor *c)
{
    c->at += strspn(c->at, " \t\n\r");
}

static int accept(struct cursor *c, const char *text)
{
    skip_space(c);
    if (strncmp(c->at, text, strlen(text)))
        return 0;
    c->at += strlen(text);
    return 1;
}

/* 'text' or "text", without escapes. */
static int quoted(struct cursor *c, char *to, size_t room)
{
    skip_space(c);
    char quote = *c->at;
    if (quote != '\'' && quote != '"')
        return -1;
    size_t n = strcspn(c->at + 1, quote == '\'' ? "'" : "\"");
    if (!c->at[n + 1] || n >= room)
        return -1;
    memcpy(to, c->at + 1, n);
    to[n] = '\0';
    c->at += n + 2;
    return 0;
}

static int extents(struct cursor *c, struct file_tensor *tensor)
{
    if (!accept(c, "("))
        return -1;
    while (!accept(c, ")")) {
        skip_space(c);
        if (*c->at < '0' || *c->at > '9' || tensor->rank == TF_MAX_RANK)
            return -1;
        int64_t value = 0;
        for (; *c->at >= '0' && *c->at <= '9'; c->at++)
            if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, *c->at - '0', &value))
                return -1;
        tensor->extents[tensor->rank++] = value;
        if (!accept(c, ",") && (skip_space(c), *c->at != ')'))
            return -1;
    }
    return 0;
}

static int read_dict(const struct open_file *from, const char *text, struct file_tensor *tensor)
{
    struct cursor c = {text};
    char key[32], word[32] = "";
    int has_shape = 0, is_fortran = 0, well = accept(&c, "{");
    while (well && !accept(&c, "}")) {
        well = !quoted(&c, key, sizeof(key)) && accept(&c, ":");
        if (well && !strcmp(key, "descr"))
            well = !quoted(&c, word, sizeof(word));
        else if (well && !strcmp(key, "fortran_order"))
            well = accept(&c, "False") || (is_fortran = accept(&c, "True"));
        else if (well && !strcmp(key, "shape") && !has_shape)
            well = has_shape = !extents(&c, tensor);
        else
            well = 0;
        accept(&c, ",");
    }
    if (!well || !has_shape)
        return REFUSE_FILE(
            from, "its header is not descr, fortran_order and shape, with a shape of at most %d extents", TF_MAX_RANK);
    if (is_fortran && tensor->rank > 1)
        return REFUSE_FILE(from, "is in Fortran order; save numpy.ascontiguousarray(x)");
    tensor->dtype = TF_DTYPE_COUNT;
    for (size_t i = 0; i < N_WORDS; i++)
        if (!strcmp(WORDS_OF[i].word, word))
            tensor->dtype = WORDS_OF[i].dtype;
    if (tensor->dtype == TF_DTYPE_COUNT)
        return REFUSE_FILE(from, "has dtype '%s', which is not read; a .safetensors file holds every dtype", word);
    return TF_OK;
}

int npy_open(const struct open_file *from, struct tensor_file *file)
{
    unsigned char head[12];
    if (from->size < sizeof(head) || file_bytes(from, 0, sizeof(head), head) || memcmp(head, MAGIC, 6))
        return REFUSE_FILE(from, "is no .npy file");
    unsigned wide = head[6] > 1; /* from version 2 on the length has four bytes */
    uint64_t length = (uint64_t)head[8] | (uint64_t)head[9] << 8, begin = wide ? 12 : 10, bytes;
    if (wide)
        length |= (uint64_t)head[10] << 16 | (uint64_t)head[11] << 24;
    if (head[6] < 1 || head[6] > 3)
        return REFUSE_FILE(from, "is of version %u of .npy, which is not read", head[6]);
    if (length > MAX_HEADER || length > from->size - begin)
        return REFUSE_FILE(
            from, "says that its header has %" PRIu64 " bytes; the file has %" PRIu64, length, from->size - begin);
    char *text = arena_alloc(&from->ctx->arena, (size_t)length + 1);
    struct file_tensor tensor = {.path = from->path};
    if (file_bytes(from, begin, (size_t)length, text) || read_dict(from, text, &tensor))
        return TF_E_REFUSED;
    tensor.offset = begin + length;
    if (shape_bytes(tensor.dtype, tensor.rank, tensor.extents, &bytes) || bytes != from->size - tensor.offset)
        return REFUSE_FILE(
            from, "has %" PRIu64 " bytes of elements, and its shape has another number", from->size - tensor.offset);
    tensor.bytes = bytes;
    VEC_PUSH(&file->tensors, tensor);
    return TF_OK;
}

int npy_write(tf_ctx *ctx, const char *path, const struct tensor *tensor)
{
    const char *word = NULL;
    for (size_t i = 0; i < N_WORDS; i++)
        if (WORDS_OF[i].dtype == tensor->pub.dtype)
            word = WORDS_OF[i].word;
    if (!word)
        return TF_E_UNSUPPORTED;
    struct buf header = {0}, file = {0};
    buf_printf(&header, "{'descr': '%s', 'fortran_order': False, 'shape': (", word);
    for (uint32_t i = 0; i < tensor->pub.rank; i++)
        buf_printf(&header, "%" PRId64 "%s", tensor->extents[i], i + 1 < tensor->pub.rank ? ", " : "");
    buf_str(&header, tensor->pub.rank == 1 ? ",), }" : "), }");
    while ((10 + header.n + 1) % 64)
        buf_char(&header, ' ');
    buf_char(&header, '\n');
    buf_add(&file, MAGIC "\x01\x00", 8);
    buf_char(&file, (char)(header.n & 0xff));
    buf_char(&file, (char)(header.n >> 8));
    buf_add(&file, header.at, header.n);
    if (tensor->bytes)
        buf_add(&file, tensor->pub.data, tensor->bytes);
    int rc = file_write(ctx, path, file.at, file.n);
    buf_free(&header);
    buf_free(&file);
    return rc;
}

/* SPDX-License-Identifier: MIT
 * NAME.raw: elements alone; NAME.raw.json beside it says {"dtype": "bf16", "shape": [2, 7168]}.
 */
#include "eval/files.h"

#include "plugin/numbers.h"
#include "type/type.h"
#include "util/buf.h"
#include "util/file.h"

#include <inttypes.h>

int raw_open(const struct open_file *from, struct tensor_file *file)
{
    struct file_text text;
    struct open_file sidecar = *from;
    struct file_tensor tensor = {.path = from->path, .bytes = from->size};
    uint64_t bytes;
    sidecar.path = arena_format(&from->ctx->arena, "%s.json", from->path);
    if (file_read(from->ctx, sidecar.path, 1 << 20, &text))
        return TF_E_REFUSED;
    const struct json_item *map = json_parse(&sidecar, text.text, text.length);
    if (!map)
        return TF_E_REFUSED;
    const struct json_item *dtype = json_get(map, "dtype"), *shape = json_get(map, "shape");
    tensor.dtype = dtype && dtype->kind == JSON_TEXT ? dtype_named(dtype->text) : TF_DTYPE_COUNT;
    if (tensor.dtype == TF_DTYPE_COUNT)
        return REFUSE_FILE(&sidecar, "\"dtype\" is not the name of one");
    if (!shape || shape_from_json(shape, &tensor.rank, tensor.extents))
        return REFUSE_FILE(&sidecar, "\"shape\" is no list of at most %d extents", TF_MAX_RANK);
    if (shape_bytes(tensor.dtype, tensor.rank, tensor.extents, &bytes) || bytes != from->size)
        return REFUSE_FILE(from, "has %" PRIu64 " bytes, and the shape in %s another number", from->size, sidecar.path);
    VEC_PUSH(&file->tensors, tensor);
    return TF_OK;
}

int raw_write(tf_ctx *ctx, const char *path, const struct tensor *tensor)
{
    struct buf text = {0};
    buf_printf(&text, "{\"dtype\": \"%s\", \"shape\": [", dtype_info(tensor->pub.dtype)->name);
    for (uint32_t i = 0; i < tensor->pub.rank; i++)
        buf_printf(&text, "%s%" PRId64, i ? ", " : "", tensor->extents[i]);
    buf_str(&text, "]}\n");
    int rc = file_write(ctx, path, tensor->pub.data, tensor->bytes);
    if (rc == TF_OK)
        rc = file_write(ctx, arena_format(&ctx->arena, "%s.json", path), text.at, text.n);
    buf_free(&text);
    return rc;
}

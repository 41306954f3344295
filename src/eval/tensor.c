/* SPDX-License-Identifier: MIT */
#include "eval/tensor.h"

#include "plugin/numbers.h"
#include "type/type.h"
#include "util/buf.h"
#include "util/diag.h"

#include <inttypes.h>
#include <stdlib.h>

static const char *shape_of(tf_ctx *ctx, uint32_t rank, const int64_t *extents)
{
    struct buf text = {0};
    buf_char(&text, '(');
    for (uint32_t i = 0; i < rank; i++)
        buf_printf(&text, "%s%" PRId64, i ? ", " : "", extents[i]);
    buf_str(&text, rank == 1 ? ",)" : ")");
    const char *kept = ctx_intern(ctx, buf_text(&text));
    buf_free(&text);
    return kept;
}

/* Elements and bytes; not 0 when they pass what can be addressed. */
static int measure(uint32_t dtype, uint32_t rank, const int64_t *extents, size_t *count, size_t *bytes)
{
    int over = 0;
    *count = 1;
    for (uint32_t i = 0; i < rank; i++)
        if (extents[i] == 0)
            return *count = *bytes = 0, 0;
    for (uint32_t i = 0; i < rank; i++)
        over |= __builtin_mul_overflow(*count, (uint64_t)extents[i], count);
    over |= __builtin_mul_overflow(*count, number_bytes(dtype), bytes);
    return over || *bytes > PTRDIFF_MAX;
}

/* Its bytes became more than they were. */
static void account(struct tensor *tensor, size_t were)
{
    struct tensor_memory *memory = tensor->memory;
    memory->now += tensor->bytes - were;
    if (memory->peak < memory->now)
        memory->peak = memory->now;
}

struct tensor *tensor_new(
    tf_ctx *ctx, struct tensor_memory *memory, uint32_t dtype, uint32_t rank, const int64_t *extents)
{
    size_t count, bytes, room;
    struct tensor *tensor = NULL;
    if (!measure(dtype, rank, extents, &count, &bytes))
        tensor = calloc(1, sizeof(*tensor));
    void *data = tensor ? space_take(&memory->space, bytes, &room) : NULL;
    if (!data) {
        free(tensor);
        ERROR(ctx, ctx->at, "tensor-size", "a value of shape %s and dtype %s is too large to be held",
            shape_of(ctx, rank, extents), dtype_info(dtype)->name);
        return NULL;
    }
    for (uint32_t i = 0; i < rank; i++)
        tensor->extents[i] = extents[i];
    tensor->pub = (struct tf_tensor){
        .struct_size = sizeof(tensor->pub), .dtype = dtype, .rank = rank, .extents = tensor->extents, .data = data};
    tensor->count = count;
    tensor->bytes = bytes;
    tensor->room = room;
    tensor->holders = 1;
    tensor->memory = memory;
    memory->tensors++;
    account(tensor, 0);
    return tensor;
}

struct tensor *tensor_held_as(tf_ctx *ctx, struct tensor_memory *memory, const struct tf_type *type, uint32_t dtype)
{
    int64_t extents[TF_MAX_RANK];
    for (uint32_t i = 0; i < type->rank; i++)
        extents[i] = type->shape[i]->value;
    struct tensor *tensor = tensor_new(ctx, memory, dtype, type->rank, extents);
    if (tensor)
        tensor->pub.dtype = type->dtype;
    return tensor;
}

/* Room beside the elements; 0 when there is none. */
static int add_ends(struct tensor *tensor, int raw)
{
    size_t n = tensor->count ? tensor->count : 1, size = sizeof(double);
    tensor->pub.bound = malloc(n * size);
    tensor->pub.doubt = calloc(n, 1);
    tensor->pub.raw = raw ? malloc(2 * n * size) : NULL;
    if (!tensor->pub.bound || !tensor->pub.doubt || (raw && !tensor->pub.raw))
        return 0;
    if (raw)
        tensor->pub.raw[0] = __builtin_nan("");
    size_t bytes = n * (size + 1) + (raw ? 2 * n * size : 0);
    tensor->bytes += bytes;
    account(tensor, tensor->bytes - bytes);
    return 1;
}

static struct tensor *with_ends(tf_ctx *ctx, struct tensor *tensor, int raw)
{
    if (!tensor || add_ends(tensor, raw))
        return tensor;
    ERROR(ctx, ctx->at, "tensor-size", "no memory was left for bounds of a value of shape %s",
        shape_of(ctx, tensor->pub.rank, tensor->extents));
    tensor_release(tensor);
    return NULL;
}

struct tensor *tensor_enclosure(tf_ctx *ctx, struct tensor_memory *memory, const struct tf_type *type, int raw)
{
    return with_ends(ctx, tensor_held_as(ctx, memory, type, TF_DTYPE_F64), raw);
}

struct tensor *tensor_like(tf_ctx *ctx, struct tensor_memory *memory, const struct tensor *enclosure)
{
    struct tensor *to = tensor_new(ctx, memory, TF_DTYPE_F64, enclosure->pub.rank, enclosure->extents);
    if (to)
        to->pub.dtype = enclosure->pub.dtype;
    return with_ends(ctx, to, enclosure->pub.raw != NULL);
}

struct tensor *tensor_of_type(tf_ctx *ctx, struct tensor_memory *memory, const struct tf_type *type)
{
    return tensor_held_as(ctx, memory, type, type->dtype);
}

struct tensor *tensor_hold(struct tensor *tensor)
{
    tensor->holders++;
    return tensor;
}

void tensor_release(struct tensor *tensor)
{
    if (!tensor || --tensor->holders)
        return;
    struct tensor_memory *memory = tensor->memory;
    memory->now -= tensor->bytes;
    space_give(&memory->space, tensor->pub.data, tensor->room);
    free(tensor->pub.bound);
    free(tensor->pub.doubt);
    free(tensor->pub.raw);
    free(tensor);
    if (--memory->tensors == 0)
        space_trim(&memory->space);
}

int tensor_has_type(const struct tensor *tensor, const struct tf_type *type)
{
    if (tensor->pub.dtype != type->dtype || tensor->pub.rank != type->rank)
        return 0;
    for (uint32_t i = 0; i < type->rank; i++)
        if (tensor->extents[i] != type->shape[i]->value)
            return 0;
    return 1;
}

const char *tensor_text(tf_ctx *ctx, const struct tensor *tensor)
{
    return arena_format(
        &ctx->arena, "%s %s", shape_of(ctx, tensor->pub.rank, tensor->extents), dtype_info(tensor->pub.dtype)->name);
}

double tensor_norm(tf_ctx *ctx, const struct tensor *tensor)
{
    enum { BLOCK = 512 };
    double block[BLOCK], sum = 0;
    const struct tf_math *math = number_math(ctx);
    size_t width = number_bytes(tensor->pub.dtype);
    for (size_t at = 0; at < tensor->count; at += BLOCK) {
        size_t n = tensor->count - at < BLOCK ? tensor->count - at : BLOCK;
        number_load_f64(tensor->pub.dtype, n, (const char *)tensor->pub.data + at * width, block);
        for (size_t i = 0; i < n; i++)
            sum += block[i] * block[i];
    }
    return math ? math->sqrt(sum) : 0;
}

/* SPDX-License-Identifier: MIT
 * What evaluation shares among the operators that move values about: elements as they lie in memory, and boxes of them
 * copied from one array to another.
 */
#ifndef TF_OPS_COMMON_ARRAYKIT_H
#define TF_OPS_COMMON_ARRAYKIT_H

#include "opkit.h"

#define AK_CODE_VALUE_RANGE "value-range"

/* ---- a call that is evaluated --------------------------------------------------------------------------------------*/

/* What computes has no enclosure unless its own code for that mode gives one; what moves elements, or makes them of
 * nothing, is right as it is.  Low words are zero where an operator does not say otherwise. */
static inline int ak_begin(const struct tf_eval *eval)
{
    if (eval->mode == TF_EVAL_BOUND && eval->n_args && !eval->call->op->moves)
        return TF_E_UNSUPPORTED;
    for (uint32_t i = 0; i < eval->n_results; i++) {
        const struct tf_tensor *result = eval->results[i];
        size_t n = 1;
        for (uint32_t k = 0; k < result->rank; k++)
            n *= (size_t)result->extents[k];
        if (result->low)
            memset(result->low, 0, n * sizeof(*result->low));
    }
    return TF_OK;
}

/* The dtype that elements have in memory: truth is computed in f64, and integers are what they are. */
static inline uint32_t ak_held(const struct tf_eval *eval, const struct tf_tensor *tensor)
{
    if (eval->mode == TF_EVAL_BOUND)
        return TF_DTYPE_F64; /* ends of enclosures are, of whatever dtype */
    return eval->mode == TF_EVAL_EXACT && ok_is_float(tensor->dtype) ? TF_DTYPE_F64 : tensor->dtype;
}

static inline size_t ak_width(const struct tf_eval *eval, const struct tf_tensor *tensor)
{
    return tf_host->element_bytes(ak_held(eval, tensor));
}

static inline void *ak_at(const struct tf_eval *eval, const struct tf_tensor *tensor, size_t at)
{
    return (char *)tensor->data + at * ak_width(eval, tensor);
}

/* Elements of the axes from `first` up to `end`. */
static inline size_t ak_span(const struct tf_tensor *tensor, uint32_t first, uint32_t end)
{
    size_t n = 1;
    for (uint32_t i = first; i < end; i++)
        n *= (size_t)tensor->extents[i];
    return n;
}

static inline size_t ak_count(const struct tf_tensor *tensor)
{
    return ak_span(tensor, 0, tensor->rank);
}

static inline int64_t ak_load_int(const struct tf_eval *eval, const struct tf_tensor *tensor, size_t at)
{
    int64_t number;
    tf_host->load_i64(ak_held(eval, tensor), 1, ak_at(eval, tensor, at), &number);
    return number;
}

static inline void ak_store_int(const struct tf_eval *eval, const struct tf_tensor *tensor, size_t at, int64_t number)
{
    tf_host->store_i64(ak_held(eval, tensor), 1, &number, ak_at(eval, tensor, at), eval->fp8_overflow);
}

static inline void ak_store_real(const struct tf_eval *eval, const struct tf_tensor *tensor, size_t at, double number)
{
    tf_host->store_f64(ak_held(eval, tensor), 1, &number, ak_at(eval, tensor, at), eval->fp8_overflow);
}

/* An integer of an attribute; inference has seen to it that it is one. */
static inline int64_t ak_number(const struct tf_val *val)
{
    return val->kind == TF_VAL_DIM ? val->u.dim->value : val->u.i;
}

/* An axis that an attribute names, negative from the end; inference has checked it. */
static inline uint32_t ak_axis(const struct tf_val *val, uint32_t rank)
{
    int64_t axis = ak_number(val);
    return (uint32_t)(axis < 0 ? axis + (int64_t)rank : axis);
}

/* ---- what integer dtypes hold --------------------------------------------------------------------------------------*/

static inline __int128 ak_least_int(uint32_t dtype)
{
    const struct tf_dtype_info *info = tf_host->dtype(dtype);
    return info->cls == TF_CLASS_INT ? -((__int128)1 << (info->bits - 1)) : 0;
}

static inline __int128 ak_largest_int(uint32_t dtype)
{
    const struct tf_dtype_info *info = tf_host->dtype(dtype);
    return ((__int128)1 << (info->bits - (info->cls == TF_CLASS_INT))) - 1;
}

static inline int ak_int_fits(uint32_t dtype, __int128 number)
{
    return number >= ak_least_int(dtype) && number <= ak_largest_int(dtype);
}

/* [1, 3]: the coordinates of an element by its place in row-major order. */
static inline const char *ak_place(tf_ctx *ctx, const struct tf_tensor *tensor, size_t at)
{
    const char *text = "";
    for (uint32_t i = tensor->rank; i-- > 0;) {
        size_t extent = (size_t)tensor->extents[i];
        text = tf_host->format(ctx, *text ? "%zu, %s" : "%zu%s", at % extent, text);
        at /= extent;
    }
    return tf_host->format(ctx, "[%s]", text);
}

/* ---- boxes ---------------------------------------------------------------------------------------------------------*/

#define AK_MAX_AXES (TF_MAX_RANK + 1)

/* A box of elements, outermost axis first, and the distance in elements to the next one along each axis. */
struct ak_box {
    uint32_t rank;
    size_t extent[AK_MAX_AXES], to[AK_MAX_AXES], from[AK_MAX_AXES];
};

/* Axes that are walked as one are made one. */
static inline void ak_box_axis(struct ak_box *box, size_t extent, size_t to, size_t from)
{
    uint32_t last = box->rank - 1;
    if (extent == 1)
        return;
    if (box->rank && box->to[last] == extent * to && box->from[last] == extent * from) {
        box->extent[last] *= extent;
        box->to[last] = to;
        box->from[last] = from;
        return;
    }
    box->extent[box->rank] = extent;
    box->to[box->rank] = to;
    box->from[box->rank] = from;
    box->rank++;
}

#define AK_TILE 32
#define AK_TILE_COPY(width)                                                                                            \
    case width:                                                                                                        \
        for (size_t i = 0; i < rows; i++)                                                                              \
            for (size_t k = 0; k < columns; k++)                                                                       \
                memcpy(to + (i * to_row + k * to_column) * (width), from + (i * from_row + k * from_column) * (width), \
                    (width));                                                                                          \
        break;

static inline void ak_copy_tile(size_t rows, size_t to_row, size_t from_row, size_t columns, size_t to_column,
    size_t from_column, size_t width, char *to, const char *from)
{
    switch (width) {
        AK_TILE_COPY(1)
        AK_TILE_COPY(2)
        AK_TILE_COPY(4)
        AK_TILE_COPY(8)
    default: break; /* no dtype has another width */
    }
}

/* Two axes; in tiles, so that turning them does not leave the cache at each element. */
static inline void ak_copy_plane(size_t rows, size_t to_row, size_t from_row, size_t columns, size_t to_column,
    size_t from_column, size_t width, char *to, const char *from)
{
    if (to_column == 1 && from_column == 1) {
        for (size_t i = 0; i < rows; i++)
            memcpy(to + i * to_row * width, from + i * from_row * width, columns * width);
        return;
    }
    for (size_t i = 0; i < rows; i += AK_TILE)
        for (size_t k = 0; k < columns; k += AK_TILE)
            ak_copy_tile(rows - i < AK_TILE ? rows - i : AK_TILE, to_row, from_row,
                columns - k < AK_TILE ? columns - k : AK_TILE, to_column, from_column, width,
                to + (i * to_row + k * to_column) * width, from + (i * from_row + k * from_column) * width);
}

/* The arrays do not overlap. */
static inline void ak_copy(const struct ak_box *box, size_t width, char *to, const char *from)
{
    uint32_t n = box->rank;
    size_t rows = n > 1 ? box->extent[n - 2] : 1, columns = n ? box->extent[n - 1] : 1;
    size_t to_row = n > 1 ? box->to[n - 2] : 0, from_row = n > 1 ? box->from[n - 2] : 0;
    size_t to_column = n ? box->to[n - 1] : 1, from_column = n ? box->from[n - 1] : 1, planes = 1;
    for (uint32_t i = 0; i + 2 < n; i++)
        planes *= box->extent[i];
    for (size_t plane = 0; rows && columns && plane < planes; plane++) {
        size_t to_at = 0, from_at = 0, rest = plane;
        for (uint32_t i = n - 2; n > 2 && i-- > 0; rest /= box->extent[i]) {
            to_at += rest % box->extent[i] * box->to[i];
            from_at += rest % box->extent[i] * box->from[i];
        }
        ak_copy_plane(
            rows, to_row, from_row, columns, to_column, from_column, width, to + to_at * width, from + from_at * width);
    }
}

/* A box from one value, from its element from_at on, into another. */
static inline void ak_move(const struct tf_eval *eval, const struct ak_box *box, const struct tf_tensor *to,
    size_t to_at, const struct tf_tensor *from, size_t from_at)
{
    ak_copy(box, ak_width(eval, to), ak_at(eval, to, to_at), ak_at(eval, from, from_at));
    if (to->low && from->low)
        ak_copy(box, sizeof(*to->low), (char *)(to->low + to_at), (const char *)(from->low + from_at));
}

/* All elements, in row-major order. */
static inline void ak_move_all(const struct tf_eval *eval, const struct tf_tensor *to, const struct tf_tensor *from)
{
    struct ak_box box = {0};
    ak_box_axis(&box, ak_count(from), 1, 1);
    ak_move(eval, &box, to, 0, from, 0);
}

#endif

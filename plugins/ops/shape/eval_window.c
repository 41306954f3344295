/* SPDX-License-Identifier: MIT
 * Evaluation of windows: slice, insert_slice, cache_update.  Where a window lies may be known only now.
 */
#include "shape.h"

#include "arraykit.h"

/* ---- slice ---------------------------------------------------------------------------------------------------------*/

/* Where the window of one axis begins, once it lies inside the axis. */
static int window_start(tf_ctx *ctx, const struct tf_eval *eval, uint32_t axis, int64_t step, size_t *at)
{
    const struct tf_val *moves = &eval->call->attrs[2];
    int64_t extent = eval->args[0]->extents[axis], size = eval->results[0]->extents[axis];
    __int128 start = ak_load_int(eval, eval->args[1 + axis], 0);
    if (moves->kind == TF_VAL_TUPLE)
        start += ak_number(&moves->u.items[axis]);
    __int128 end = size ? start + (__int128)(size - 1) * step + 1 : start;
    if (start < 0 || end > extent)
        return OK_REFUSE(ctx, eval->call, OK_CODE_WINDOW,
            "slice: axis %u has extent %lld; a window of %lld from %lld with step %lld does not lie in it", axis,
            (long long)extent, (long long)size, (long long)start, (long long)step);
    *at = (size_t)start;
    return TF_OK;
}

int shape_eval_slice(tf_ctx *ctx, const struct tf_eval *eval)
{
    const struct tf_tensor *x = eval->args[0], *result = eval->results[0];
    struct ak_box box = {0};
    size_t first = 0;
    int rc = ak_begin(eval);
    for (uint32_t i = 0; rc == TF_OK && i < x->rank; i++) {
        int64_t step = ak_number(&eval->call->attrs[1].u.items[i]);
        size_t row = ak_span(x, i + 1, x->rank), at = 0;
        rc = window_start(ctx, eval, i, step, &at);
        first += at * row;
        ak_box_axis(&box, (size_t)result->extents[i], ak_span(result, i + 1, x->rank), (size_t)step * row);
    }
    if (rc == TF_OK && ak_count(result))
        ak_move(eval, &box, result, 0, x, first);
    return rc;
}

/* ---- insert_slice --------------------------------------------------------------------------------------------------*/

int shape_eval_insert_slice(tf_ctx *ctx, const struct tf_eval *eval)
{
    const struct tf_tensor *dst = eval->args[0], *update = eval->args[1], *result = eval->results[0];
    struct ak_box box = {0};
    size_t first = 0;
    int rc = ak_begin(eval);
    for (uint32_t i = 0; rc == TF_OK && i < dst->rank; i++) {
        int64_t at = ak_load_int(eval, eval->args[2 + i], 0), size = update->extents[i];
        if (at < 0 || at > dst->extents[i] - size)
            return OK_REFUSE(ctx, eval->call, OK_CODE_WINDOW,
                "insert_slice: axis %u of dst has extent %lld; %lld from %lld on do not lie in it", i,
                (long long)dst->extents[i], (long long)size, (long long)at);
        first += (size_t)at * ak_span(dst, i + 1, dst->rank);
        ak_box_axis(&box, (size_t)size, ak_span(dst, i + 1, dst->rank), ak_span(update, i + 1, dst->rank));
    }
    if (rc)
        return rc;
    ak_move_all(eval, result, dst);
    if (ak_count(update))
        ak_move(eval, &box, result, first, update, 0);
    return TF_OK;
}

/* ---- cache_update --------------------------------------------------------------------------------------------------*/

enum { CACHE, CUR_POS, COUNT, NEW }; /* the operands */
enum { ROWS = 1 };                   /* of [batch, rows, heads, width] */

static int check_rows(tf_ctx *ctx, const struct tf_eval *eval, int64_t at, int64_t n)
{
    int64_t capacity = eval->args[CACHE]->extents[ROWS], given = eval->args[NEW]->extents[ROWS];
    if (n < 1 || n > given)
        return OK_REFUSE(ctx, eval->call, OK_CODE_WINDOW,
            "cache_update: s is %lld; new has %lld rows, and from 1 to %lld can be written", (long long)n,
            (long long)given, (long long)given);
    if (at < 0 || at > capacity - n)
        return OK_REFUSE(ctx, eval->call, OK_CODE_WINDOW,
            "cache_update: %lld rows from cur_pos %lld on do not lie in a cache of %lld rows", (long long)n,
            (long long)at, (long long)capacity);
    return TF_OK;
}

int shape_eval_cache_update(tf_ctx *ctx, const struct tf_eval *eval)
{
    const struct tf_tensor *cache = eval->args[CACHE], *rows = eval->args[NEW], *result = eval->results[0];
    int rc = ak_begin(eval);
    if (rc)
        return rc;
    int64_t at = ak_load_int(eval, eval->args[CUR_POS], 0), n = ak_load_int(eval, eval->args[COUNT], 0);
    rc = check_rows(ctx, eval, at, n);
    if (rc)
        return rc;
    size_t row = ak_span(cache, ROWS + 1, cache->rank);
    struct ak_box box = {0};
    ak_box_axis(&box, (size_t)cache->extents[0], ak_span(cache, ROWS, cache->rank), ak_span(rows, ROWS, rows->rank));
    ak_box_axis(&box, (size_t)n * row, 1, 1);
    ak_move_all(eval, result, cache);
    ak_move(eval, &box, result, (size_t)at * row, rows, 0);
    return TF_OK;
}

/* SPDX-License-Identifier: MIT
 * Evaluation of index_select, index_add, index_copy.  Rows are named by data: each number is held to the axis.
 */
#include "bound_reduce.h"
#include "eval_fold.h"

/* The row that number `i` of the index names among `extent`. */
static int read_row(tf_ctx *ctx, const struct tf_eval *eval, size_t i, int64_t extent, size_t *row)
{
    int64_t number = ak_load_int(eval, eval->args[1], i);
    if (number < 0 || number >= extent)
        return OK_REFUSE(ctx, eval->call, OK_CODE_INDEX, "%s: index[%zu] is %lld; the axis has %lld rows",
            ok_name(eval->call), i, (long long)number, (long long)extent);
    *row = (size_t)number;
    return TF_OK;
}

/* One row of an axis: its pieces lie apart as the arrays' extents on the axis say. */
static void move_row(const struct tf_eval *eval, uint32_t axis, const struct tf_tensor *to, size_t to_row,
    const struct tf_tensor *from, size_t from_row)
{
    size_t piece = ak_span(to, axis + 1, to->rank);
    struct ak_box box = {0};
    ak_box_axis(&box, ak_span(to, 0, axis), ak_span(to, axis, to->rank), ak_span(from, axis, from->rank));
    ak_box_axis(&box, piece, 1, 1);
    ak_move(eval, &box, to, to_row * piece, from, from_row * piece);
}

int reduce_eval_index_select(tf_ctx *ctx, const struct tf_eval *eval)
{
    const struct tf_tensor *x = eval->args[0], *result = eval->results[0];
    uint32_t axis = ak_axis(&eval->call->attrs[0], x->rank);
    size_t n = ak_count(eval->args[1]), row;
    if (eval->mode == TF_EVAL_BOUND)
        return reduce_bound_index_select(ctx, eval, axis);
    int rc = ak_begin(eval);
    for (size_t i = 0; rc == TF_OK && i < n; i++) {
        rc = read_row(ctx, eval, i, x->extents[axis], &row);
        if (rc == TF_OK)
            move_row(eval, axis, result, i, x, row);
    }
    return rc;
}

/* ---- writing rows --------------------------------------------------------------------------------------------------*/

enum { DST, INDEX, SRC }; /* the operands of both */

/* Of a row that is named twice the last one stays. */
int reduce_eval_index_copy(tf_ctx *ctx, const struct tf_eval *eval)
{
    const struct tf_tensor *dst = eval->args[DST], *result = eval->results[0];
    uint32_t axis = ak_axis(&eval->call->attrs[0], dst->rank);
    size_t n = ak_count(eval->args[INDEX]), row;
    int rc = ak_begin(eval);
    if (rc == TF_OK)
        ak_move_all(eval, result, dst);
    for (size_t i = 0; rc == TF_OK && i < n; i++) {
        rc = read_row(ctx, eval, i, dst->extents[axis], &row);
        if (rc == TF_OK)
            move_row(eval, axis, result, row, eval->args[SRC], i);
    }
    return rc;
}

#define BLOCK 128u

/* n elements that lie in a row: each sum is rounded to the dtype, integers wrap, of bool it is "or". */
static void add_run(const struct tf_eval *eval, const struct tf_tensor *to, size_t to_at, const struct tf_tensor *from,
    size_t from_at, size_t n)
{
    uint32_t held = ak_held(eval, to);
    void *into = ak_at(eval, to, to_at);
    const void *added = ak_at(eval, from, from_at);
    double a[BLOCK], b[BLOCK];
    int64_t p[BLOCK], q[BLOCK];
    if (ok_is_float(held)) {
        tf_host->load_f64(held, n, into, a);
        tf_host->load_f64(held, n, added, b);
        for (size_t i = 0; i < n; i++) /* f64 is wide enough for the one rounding to be right in every narrower dtype */
            a[i] += b[i];
        tf_host->store_f64(held, n, a, into, eval->fp8_overflow);
        return;
    }
    tf_host->load_i64(held, n, into, p);
    tf_host->load_i64(held, n, added, q);
    for (size_t i = 0; i < n; i++)
        p[i] = (int64_t)((uint64_t)p[i] + (uint64_t)q[i]);
    tf_host->store_i64(held, n, p, into, eval->fp8_overflow);
}

static void add_row(const struct tf_eval *eval, uint32_t axis, size_t to_row, size_t from_row)
{
    const struct tf_tensor *to = eval->results[0], *from = eval->args[SRC];
    size_t piece = ak_span(to, axis + 1, to->rank), pieces = ak_span(to, 0, axis);
    size_t to_step = ak_span(to, axis, to->rank), from_step = ak_span(from, axis, from->rank);
    for (size_t k = 0; k < pieces; k++)
        for (size_t i = 0; i < piece; i += BLOCK)
            add_run(eval, to, k * to_step + to_row * piece + i, from, k * from_step + from_row * piece + i,
                piece - i < BLOCK ? piece - i : BLOCK);
}

/* In the order of the index: a row that is named twice is rounded twice. */
int reduce_eval_index_add(tf_ctx *ctx, const struct tf_eval *eval)
{
    const struct tf_tensor *dst = eval->args[DST];
    uint32_t axis = ak_axis(&eval->call->attrs[0], dst->rank);
    size_t n = ak_count(eval->args[INDEX]), row;
    if (eval->mode == TF_EVAL_BOUND)
        return ok_is_float(dst->dtype) ? reduce_bound_index_add(ctx, eval, axis) : TF_E_UNSUPPORTED;
    int rc = ak_begin(eval);
    if (rc == TF_OK)
        ak_move_all(eval, eval->results[0], dst);
    for (size_t i = 0; rc == TF_OK && i < n; i++) {
        rc = read_row(ctx, eval, i, dst->extents[axis], &row);
        if (rc == TF_OK)
            add_row(eval, axis, row, i);
    }
    return rc;
}

/* SPDX-License-Identifier: MIT
 * Enclosures of index_select and index_add.  What is selected by an index that is open is anything between all the rows
 * that it may name.  Of index_add a row that is named once is a sum of two; one that is named more often is a sum in any order,
 * each addition rounded to the dtype, or the whole once.
 */
#include "bound_reduce.h"

/* ---- index_select -------------------------------------------------------------------------------------------------*/

struct rows {
    size_t first, last;
};

/* The rows that number `i` of the index may name; one that is outside of the axis cannot be. */
static int named_rows(tf_ctx *ctx, const struct tf_eval *e, size_t i, size_t extent, struct rows *rows)
{
    struct bk at = bk_at(e->args[1], i);
    if (at.hi < 0 || at.lo >= (double)extent)
        return OK_REFUSE(
            ctx, e->call, OK_CODE_INDEX, "index_select: index[%zu] is %.0f; the axis has %zu rows", i, at.lo, extent);
    rows->first = at.lo > 0 ? (size_t)at.lo : 0;
    rows->last = at.hi < (double)extent ? (size_t)at.hi : extent - 1;
    return TF_OK;
}

static struct bk hull_of_rows(const struct tf_tensor *x, const struct rows *rows, size_t first, size_t step)
{
    struct bk all = bk_at(x, first + rows->first * step);
    for (size_t row = rows->first + 1; row <= rows->last; row++)
        all = bk_hull(all, bk_at(x, first + row * step));
    return all;
}

int reduce_bound_index_select(tf_ctx *ctx, const struct tf_eval *e, uint32_t axis)
{
    const struct tf_tensor *x = e->args[0];
    size_t extent = (size_t)x->extents[axis], step = ek_extent(x, axis + 1, x->rank), outer = ek_extent(x, 0, axis);
    size_t n = ek_count(e->args[1]);
    struct rows rows;
    for (size_t k = 0; k < n; k++) {
        int rc = named_rows(ctx, e, k, extent, &rows);
        if (rc)
            return rc;
        for (size_t o = 0; o < outer; o++)
            for (size_t i = 0; i < step; i++)
                bk_put(e->results[0], (o * n + k) * step + i, hull_of_rows(x, &rows, o * extent * step + i, step));
    }
    return TF_OK;
}

/* ---- index_add ----------------------------------------------------------------------------------------------------*/

enum { DST, INDEX, SRC };

/* Half a last place of 1; 0 of a format that has no digits to speak of. */
static double unit_of(uint32_t dtype)
{
    switch (dtype) {
    case TF_DTYPE_F64: return 0x1p-53;
    case TF_DTYPE_F32: return 0x1p-24;
    case TF_DTYPE_F16: return 0x1p-11;
    case TF_DTYPE_BF16: return 0x1p-8;
    case TF_DTYPE_FP8E4M3: return 0x1p-4;
    case TF_DTYPE_FP8E5M2: return 0x1p-3;
    default: return 0;
    }
}

static double limit_of(uint32_t dtype)
{
    switch (dtype) {
    case TF_DTYPE_F64: return 0x1.fffffffffffffp1023;
    case TF_DTYPE_F16: return 65504;
    case TF_DTYPE_BF16: return 0x1.fep127;
    default: return bk_largest(dtype);
    }
}

struct adding {
    const struct tf_eval *e;
    size_t extent, step; /* of the axis */
    uint64_t *times;     /* extent: how often each row is named */
    struct bk_sum *sums; /* of each element of dst */
};

static int read_index(tf_ctx *ctx, const struct adding *a, size_t i, size_t *row)
{
    struct bk at = bk_at(a->e->args[INDEX], i);
    if (!bk_is_point(at))
        return OK_REFUSE(ctx, a->e->call, BK_CODE_OPEN,
            "index_add: index[%zu] is not known to a single value here, and where a row is added depends on it", i);
    if (at.lo < 0 || at.lo >= (double)a->extent)
        return OK_REFUSE(ctx, a->e->call, OK_CODE_INDEX, "index_add: index[%zu] is %.0f; the axis has %zu rows", i,
            at.lo, a->extent);
    *row = (size_t)at.lo;
    return TF_OK;
}

static void add_row(const struct adding *a, size_t row, size_t from)
{
    const struct tf_tensor *dst = a->e->args[DST], *src = a->e->args[SRC];
    size_t given = ek_count(a->e->args[INDEX]), outer = ek_count(dst) / a->extent / a->step;
    a->times[row]++;
    for (size_t o = 0; o < outer; o++)
        for (size_t i = 0; i < a->step; i++)
            bk_sum_feed(&a->sums[(o * a->extent + row) * a->step + i], bk_at(src, (o * given + from) * a->step + i));
}

/* What is lost by the additions of the row that is named most often, and all those below; negative after a diagnostic. */
static double lost_by(tf_ctx *ctx, const struct adding *a, double times)
{
    uint32_t dtype = a->e->args[DST]->dtype;
    double unit = unit_of(dtype), gamma = unit > 0 ? bk_gamma(times, unit) : -1;
    if (times > 1 && gamma < 0)
        (void)OK_REFUSE(ctx, a->e->call, BK_CODE, "index_add: sums of %.0f terms in %s have no digit that is certain",
            times + 1, ok_dtype_name(dtype));
    return times > 1 ? gamma : 0;
}

static int finish(tf_ctx *ctx, const struct adding *a)
{
    const struct tf_tensor *result = a->e->results[0];
    double limit = limit_of(result->dtype);
    for (size_t row = 0; row < a->extent; row++)
        if (lost_by(ctx, a, (double)a->times[row]) < 0)
            return TF_E_REFUSED;
    for (size_t i = 0; i < ek_count(result); i++) {
        size_t row = i / a->step % a->extent;
        double lost = lost_by(ctx, a, (double)a->times[row]);
        struct bk x = bk_sum_take(&a->sums[i], lost, 0, a->times[row] > 1 ? limit : BK_INFINITY);
        bk_put(result, i, !a->times[row] ? bk_at(a->e->args[DST], i) : bk_is_nan(x) ? x : bk_result(a->e, x));
    }
    return TF_OK;
}

static int run(tf_ctx *ctx, const struct adding *a)
{
    size_t n = ek_count(a->e->args[DST]), row = 0;
    memset(a->times, 0, a->extent * sizeof(*a->times));
    memset(a->sums, 0, n * sizeof(*a->sums));
    for (size_t i = 0; i < n; i++)
        bk_sum_feed(&a->sums[i], bk_at(a->e->args[DST], i));
    for (size_t i = 0; i < ek_count(a->e->args[INDEX]); i++) {
        int rc = read_index(ctx, a, i, &row);
        if (rc)
            return rc;
        if (n)
            add_row(a, row, i);
    }
    return finish(ctx, a);
}

int reduce_bound_index_add(tf_ctx *ctx, const struct tf_eval *e, uint32_t axis)
{
    const struct tf_tensor *dst = e->args[DST];
    struct adding a = {.e = e, .extent = (size_t)dst->extents[axis], .step = ek_extent(dst, axis + 1, dst->rank)};
    a.times = ek_scratch(a.extent, sizeof(*a.times));
    a.sums = ek_scratch(ek_count(dst), sizeof(*a.sums));
    int rc = a.times && a.sums ? run(ctx, &a) : TF_E_NOMEM;
    free(a.times);
    free(a.sums);
    return rc;
}

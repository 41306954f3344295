/* SPDX-License-Identifier: MIT
 * What the evaluations of operators share: numbers in and out of tensors, rows of operands that broadcast, sums.
 *
 * Floats are computed in f64 and rounded once when they are stored.  For + - * / and the square root of f32 and narrower
 * numbers that is the correctly rounded result: f64 has more than twice their digits.  Integers are computed in 64 bits
 * and wrap when they are stored.
 */
#ifndef TF_OPS_COMMON_EVALKIT_H
#define TF_OPS_COMMON_EVALKIT_H

#include "arraykit.h"

#include <stdlib.h>

#define EK_BLOCK ((size_t)512)
#define EK_MAX_OPERANDS 3

static inline size_t ek_count(const struct tf_tensor *t)
{
    size_t n = 1;
    for (uint32_t i = 0; i < t->rank; i++)
        n *= (size_t)t->extents[i];
    return n;
}

/* Elements of axes [first, end). */
static inline size_t ek_extent(const struct tf_tensor *t, uint32_t first, uint32_t end)
{
    size_t n = 1;
    for (uint32_t i = first; i < end; i++)
        n *= (size_t)t->extents[i];
    return n;
}

static inline void ek_load(const struct tf_eval *e, const struct tf_tensor *t, size_t at, size_t n, double *to)
{
    tf_host->load_f64(ak_held(e, t), n, ak_at(e, t, at), to);
}

static inline void ek_load_i64(const struct tf_eval *e, const struct tf_tensor *t, size_t at, size_t n, int64_t *to)
{
    tf_host->load_i64(ak_held(e, t), n, ak_at(e, t, at), to);
}

static inline void ek_store(const struct tf_eval *e, const struct tf_tensor *t, size_t at, size_t n, const double *from)
{
    tf_host->store_f64(ak_held(e, t), n, from, ak_at(e, t, at), e->fp8_overflow);
}

static inline void ek_store_i64(
    const struct tf_eval *e, const struct tf_tensor *t, size_t at, size_t n, const int64_t *from)
{
    tf_host->store_i64(ak_held(e, t), n, from, ak_at(e, t, at), e->fp8_overflow);
}

/* The first operand's elements as the result's, where shape and dtype are the same or only the shape differs. */
static inline int ek_copy(const struct tf_eval *e)
{
    memcpy(e->results[0]->data, e->args[0]->data, ek_count(e->args[0]) * ak_width(e, e->args[0]));
    return ak_begin(e);
}

/* Scratch that a callback frees; never NULL for want of elements. */
static inline void *ek_scratch(size_t n, size_t size)
{
    size_t bytes;
    return __builtin_mul_overflow(n, size, &bytes) ? NULL : malloc(bytes ? bytes : 1);
}

/* ---- rows that broadcast -----------------------------------------------------------------------------------------*/

/* Runs of the result's elements along which every operand stands still or goes on by one. */
struct ek_rows {
    uint32_t rank, n_operands;
    size_t extent[TF_MAX_RANK], at[TF_MAX_RANK];
    size_t stride[EK_MAX_OPERANDS][TF_MAX_RANK]; /* of operands, in elements, 0 where they are broadcast */
    size_t done, total;
    /* the run: n elements of the result from `result`, of operand k from offset[k] */
    size_t n, result, offset[EK_MAX_OPERANDS];
};

static inline int ek_moves(const struct ek_rows *rows, uint32_t operand)
{
    return rows->stride[operand][rows->rank - 1] != 0;
}

/* Whether the axis can be joined to the one that was added before it: every operand walks over both as over one. */
static inline int ek_joins(const struct ek_rows *rows, size_t extent, const size_t *stride)
{
    uint32_t last = rows->rank - 1;
    for (uint32_t k = 0; k < rows->n_operands; k++)
        if (rows->stride[k][last] != stride[k] * extent)
            return 0;
    return 1;
}

static inline void ek_rows_init(struct ek_rows *rows, const struct tf_eval *e)
{
    const struct tf_tensor *result = e->results[0];
    memset(rows, 0, sizeof(*rows));
    rows->n_operands = e->n_args;
    rows->total = ek_count(result);
    for (uint32_t axis = 0; axis < result->rank; axis++) {
        size_t extent = (size_t)result->extents[axis], stride[EK_MAX_OPERANDS];
        if (extent == 1)
            continue;
        for (uint32_t k = 0; k < e->n_args; k++) {
            const struct tf_tensor *t = e->args[k];
            int own = (int)axis - (int)(result->rank - t->rank);
            stride[k] = own < 0 || t->extents[own] == 1 ? 0 : ek_extent(t, (uint32_t)own + 1, t->rank);
        }
        if (rows->rank && ek_joins(rows, extent, stride))
            rows->extent[rows->rank - 1] *= extent;
        else
            rows->extent[rows->rank++] = extent;
        for (uint32_t k = 0; k < e->n_args; k++)
            rows->stride[k][rows->rank - 1] = stride[k];
    }
    if (!rows->rank)
        rows->extent[rows->rank++] = 1;
}

/* The runs of the result's elements [first, end) alone. */
static inline void ek_rows_seek(struct ek_rows *rows, size_t first, size_t end)
{
    rows->done = first;
    rows->total = end;
    for (uint32_t axis = rows->rank; axis-- > 1; first /= rows->extent[axis])
        rows->at[axis] = first % rows->extent[axis];
    rows->at[0] = first;
}

/* The next run, of EK_BLOCK elements at most; 0 when there is none. */
static inline int ek_rows_next(struct ek_rows *rows)
{
    if (rows->done == rows->total)
        return 0;
    uint32_t last = rows->rank - 1;
    size_t left = rows->extent[last] - rows->at[last];
    rows->n = left < EK_BLOCK ? left : EK_BLOCK;
    if (rows->n > rows->total - rows->done)
        rows->n = rows->total - rows->done;
    rows->result = rows->done;
    for (uint32_t k = 0; k < rows->n_operands; k++) {
        rows->offset[k] = 0;
        for (uint32_t axis = 0; axis < rows->rank; axis++)
            rows->offset[k] += rows->at[axis] * rows->stride[k][axis];
    }
    rows->done += rows->n;
    rows->at[last] += rows->n;
    for (uint32_t axis = last; axis > 0 && rows->at[axis] == rows->extent[axis]; axis--) {
        rows->at[axis] = 0;
        rows->at[axis - 1]++;
    }
    return 1;
}

/* ---- element by element ------------------------------------------------------------------------------------------*/

typedef void ek_f64_fn(const void *data, size_t n, const double *const *in, double *out);
typedef void ek_i64_fn(const void *data, size_t n, const int64_t *const *in, int64_t *out);

/* Loads a run of an operand; one that stands still is read once and repeated. */
#define EK_RUN(name, type, load)                                                                                       \
    static inline void name(                                                                                           \
        const struct tf_eval *e, const struct tf_tensor *t, size_t offset, int moves, size_t n, type *to)              \
    {                                                                                                                  \
        load(e, t, offset, moves ? n : 1, to);                                                                         \
        for (size_t i = 1; !moves && i < n; i++)                                                                       \
            to[i] = to[0];                                                                                             \
    }
EK_RUN(ek_run_f64, double, ek_load)
EK_RUN(ek_run_i64, int64_t, ek_load_i64)

/* Elements that one processor takes at a time: below that, handing them out costs more than they do. */
#define EK_GRAIN ((size_t)1 << 16)

struct ek_mapping {
    const struct tf_eval *e;
    const struct ek_rows *rows;
    const void *data;
    ek_f64_fn *f64;
    ek_i64_fn *i64;
};

#define EK_MAP(name, type, fn_type, member, run, store)                                                                \
    static inline void name##_piece(void *data, size_t first, size_t end)                                              \
    {                                                                                                                  \
        const struct ek_mapping *m = data;                                                                             \
        const struct tf_eval *e = m->e;                                                                                \
        type in[EK_MAX_OPERANDS][EK_BLOCK], out[EK_BLOCK];                                                             \
        const type *const operands[EK_MAX_OPERANDS] = {in[0], in[1], in[2]};                                           \
        struct ek_rows rows = *m->rows;                                                                                \
        ek_rows_seek(&rows, first, end);                                                                               \
        while (ek_rows_next(&rows)) {                                                                                  \
            for (uint32_t k = 0; k < e->n_args; k++)                                                                   \
                run(e, e->args[k], rows.offset[k], ek_moves(&rows, k), rows.n, in[k]);                                 \
            m->member(m->data, rows.n, operands, out);                                                                 \
            store(e, e->results[0], rows.result, rows.n, out);                                                         \
        }                                                                                                              \
    }                                                                                                                  \
    static inline int name(const struct tf_eval *e, const void *data, fn_type *fn)                                     \
    {                                                                                                                  \
        struct ek_rows rows;                                                                                           \
        struct ek_mapping mapping = {.e = e, .rows = &rows, .data = data, .member = fn};                               \
        int rc = ak_begin(e);                                                                                          \
        ek_rows_init(&rows, e);                                                                                        \
        if (rc == TF_OK)                                                                                               \
            tf_host->parallel(rows.total, EK_GRAIN, name##_piece, &mapping);                                           \
        return rc;                                                                                                     \
    }
EK_MAP(ek_map_f64, double, ek_f64_fn, f64, ek_run_f64, ek_store)
EK_MAP(ek_map_i64, int64_t, ek_i64_fn, i64, ek_run_i64, ek_store_i64)

/* ---- sums --------------------------------------------------------------------------------------------------------*/

/* What sums add in: f32, but f64 for f64. */
static inline double ek_narrow(uint32_t dtype, double x)
{
    return dtype == TF_DTYPE_F64 ? x : (double)(float)x;
}

/* A sum that comes in pieces: aligned groups of eight added left to right in f32 (f64 for f64), groups folded in f64. */
struct ek_sum {
    double folded, group;
    uint32_t in_group, wide;
};

static inline void ek_sum_add(struct ek_sum *sum, double x)
{
    if (sum->in_group == 0)
        sum->group = x;
    else if (sum->wide)
        sum->group += x;
    else
        sum->group = (double)((float)sum->group + (float)x);
    if (++sum->in_group == 8) {
        sum->folded += sum->group;
        sum->in_group = 0;
    }
}

static inline double ek_sum_value(const struct ek_sum *sum)
{
    return sum->in_group ? sum->folded + sum->group : sum->folded;
}

static inline double ek_sum_of(uint32_t dtype, size_t n, const double *x)
{
    struct ek_sum sum = {.wide = dtype == TF_DTYPE_F64};
    for (size_t i = 0; i < n; i++)
        ek_sum_add(&sum, x[i]);
    return ek_sum_value(&sum);
}

#endif

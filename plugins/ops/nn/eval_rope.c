/* SPDX-License-Identifier: MIT
 * Values of rope: in f32 (f64 for f64) each product and the sum rounded, then the result's dtype.
 */
#include "eval.h"

enum { Q, K, COS, SIN, POS };

int64_t rope_table_row(tf_ctx *ctx, const struct tf_eval *e, size_t position)
{
    int64_t row = 0;
    if (position < ek_count(e->args[POS]))
        ek_load_i64(e, e->args[POS], position, 1, &row);
    for (uint32_t table = COS; table <= SIN; table++) {
        const struct tf_tensor *t = e->args[table];
        int64_t rows = (int64_t)ek_extent(t, 0, t->rank - 1);
        if (row >= 0 && row < rows)
            continue;
        (void)OK_REFUSE(ctx, e->call, CODE_POSITION, "rope: pos_ids[%zu] is %lld, and %s has %lld rows", position,
            (long long)row, table == COS ? "cos_cache" : "sin_cache", (long long)rows);
        return -1;
    }
    return row;
}

static void load_columns(const struct tf_eval *e, const struct tf_tensor *table, int64_t row, size_t n, double *to)
{
    ek_load(e, table, (size_t)row * (size_t)table->extents[table->rank - 1], n, to);
}

static void rotate(uint32_t dtype, size_t n, const double *x, const double *cosines, const double *sines, double *out)
{
    size_t half = n / 2;
    for (size_t i = 0; i < n; i++) {
        double partner = i < half ? -x[i + half] : x[i - half];
        out[i] = ek_narrow(dtype, ek_narrow(dtype, x[i] * cosines[i]) + ek_narrow(dtype, partner * sines[i]));
    }
}

struct rope_rows rope_rows_of(const struct tf_eval *e, uint32_t arg)
{
    const struct tf_tensor *x = e->args[arg];
    return (struct rope_rows){.rows = x->rank < 2 ? 1 : (size_t)x->extents[x->rank >= 3 ? x->rank - 3 : 0],
        .heads = x->rank >= 3 ? (size_t)x->extents[x->rank - 2] : 1};
}

static int rotate_all(tf_ctx *ctx, const struct tf_eval *e, uint32_t arg, double *scratch)
{
    const struct tf_tensor *x = e->args[arg];
    struct rope_rows rows = rope_rows_of(e, arg);
    size_t n = (size_t)x->extents[x->rank - 1];
    size_t total = n ? ek_count(x) / n : 0;
    double *cosines = scratch, *sines = scratch + n, *in = scratch + 2 * n, *out = scratch + 3 * n;
    for (size_t i = 0; i < total; i++) {
        if (i % rows.heads == 0) {
            int64_t row = rope_table_row(ctx, e, i / rows.heads % rows.rows);
            if (row < 0)
                return TF_E_REFUSED;
            load_columns(e, e->args[COS], row, n, cosines);
            load_columns(e, e->args[SIN], row, n, sines);
        }
        ek_load(e, x, i * n, n, in);
        rotate(ak_held(e, x), n, in, cosines, sines, out);
        ek_store(e, e->results[arg], i * n, n, out);
    }
    return TF_OK;
}

int eval_rope(tf_ctx *ctx, const struct tf_eval *eval)
{
    if (eval->mode == TF_EVAL_BOUND && ok_is_float(eval->args[Q]->dtype) && ok_is_float(eval->args[K]->dtype))
        return bound_rope(ctx, eval);
    int begun = ak_begin(eval);
    if (begun)
        return begun;
    int rc = TF_OK;
    for (uint32_t arg = Q; arg <= K && rc == TF_OK; arg++) {
        const struct tf_tensor *x = eval->args[arg];
        if (!ok_is_float(x->dtype))
            return TF_E_UNSUPPORTED;
        double *scratch = ek_scratch((size_t)x->extents[x->rank - 1], 4 * sizeof(double));
        rc = scratch ? rotate_all(ctx, eval, arg, scratch) : TF_E_NOMEM;
        free(scratch);
    }
    return rc;
}

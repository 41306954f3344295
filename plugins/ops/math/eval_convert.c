/* SPDX-License-Identifier: MIT
 * Values of cast, clamp and where.
 */
#include "bound.h"
#include "eval.h"

static void same_f64(const void *data, size_t n, const double *const *in, double *out)
{
    (void)data;
    memcpy(out, in[0], n * sizeof(*out));
}

static void same_i64(const void *data, size_t n, const int64_t *const *in, int64_t *out)
{
    (void)data;
    memcpy(out, in[0], n * sizeof(*out));
}

int eval_cast(tf_ctx *ctx, const struct tf_eval *eval)
{
    (void)ctx;
    if (eval->mode == TF_EVAL_BOUND)
        return bound_cast(eval);
    if (ak_held(eval, eval->args[0]) == ak_held(eval, eval->results[0]))
        return ek_copy(eval);
    return ok_is_float(eval->args[0]->dtype) ? ek_map_f64(eval, NULL, same_f64) : ek_map_i64(eval, NULL, same_i64);
}

/* ---- clamp -------------------------------------------------------------------------------------------------------*/

struct f64_bounds {
    double least, most;
    int has_least, has_most;
};

struct i64_bounds {
    int64_t least, most;
};

/* NaN stays; where the bounds cross, the upper one is the answer. */
static void clamp_f64(const void *data, size_t n, const double *const *in, double *out)
{
    const struct f64_bounds *bounds = data;
    for (size_t i = 0; i < n; i++) {
        double a = in[0][i];
        a = bounds->has_least && a < bounds->least ? bounds->least : a;
        out[i] = bounds->has_most && a > bounds->most ? bounds->most : a;
    }
}

static void clamp_i64(const void *data, size_t n, const int64_t *const *in, int64_t *out)
{
    const struct i64_bounds *bounds = data;
    for (size_t i = 0; i < n; i++) {
        int64_t a = in[0][i] < bounds->least ? bounds->least : in[0][i];
        out[i] = a > bounds->most ? bounds->most : a;
    }
}

static double number_of(const struct tf_val *val)
{
    return val->kind == TF_VAL_FLOAT ? val->u.f : (double)val->u.i;
}

/* A bound as a number of the operand's dtype. */
static double rounded_bound(const struct tf_eval *eval, const struct tf_val *val)
{
    double number = number_of(val);
    char narrow[8];
    uint32_t dtype = eval->mode == TF_EVAL_BOUND ? eval->args[0]->dtype : ak_held(eval, eval->args[0]);
    tf_host->store_f64(dtype, 1, &number, narrow, eval->fp8_overflow);
    tf_host->load_f64(dtype, 1, narrow, &number);
    return number;
}

/* Least and most numbers of an integer dtype. */
static struct i64_bounds range_of(uint32_t dtype)
{
    const struct tf_dtype_info *info = tf_host->dtype(dtype);
    if (info->cls != TF_CLASS_INT)
        return (struct i64_bounds){0, (INT64_C(1) << info->bits) - 1};
    int64_t most = (int64_t)((UINT64_C(1) << (info->bits - 1)) - 1);
    return (struct i64_bounds){-most - 1, most};
}

/* A bound outside the dtype's range bounds nothing. */
static void integer_bound(const struct tf_val *val, struct i64_bounds range, int64_t *bound)
{
    if (val->kind == TF_VAL_NONE)
        return;
    if (val->kind == TF_VAL_FLOAT && !(val->u.f >= -0x1p63 && val->u.f < 0x1p63))
        return;
    int64_t number = val->kind == TF_VAL_FLOAT ? (int64_t)val->u.f : val->u.i;
    if (number >= range.least && number <= range.most)
        *bound = number;
}

int eval_clamp(tf_ctx *ctx, const struct tf_eval *eval)
{
    (void)ctx;
    const struct tf_val *least = &eval->call->attrs[0], *most = &eval->call->attrs[1];
    if (!ok_is_float(eval->args[0]->dtype)) {
        struct i64_bounds range = range_of(eval->args[0]->dtype), bounds = range;
        integer_bound(least, range, &bounds.least);
        integer_bound(most, range, &bounds.most);
        if (eval->mode == TF_EVAL_BOUND)
            return bound_clamp(eval, (const double[2]){(double)bounds.least, (double)bounds.most});
        return ek_map_i64(eval, &bounds, clamp_i64);
    }
    struct f64_bounds bounds = {.has_least = least->kind != TF_VAL_NONE, .has_most = most->kind != TF_VAL_NONE};
    if (bounds.has_least)
        bounds.least = rounded_bound(eval, least);
    if (bounds.has_most)
        bounds.most = rounded_bound(eval, most);
    if (eval->mode == TF_EVAL_BOUND)
        return bound_clamp(eval, (const double[2]){bounds.has_least ? bounds.least : -BK_INFINITY,
                                     bounds.has_most ? bounds.most : BK_INFINITY});
    return ek_map_f64(eval, &bounds, clamp_f64);
}

/* ---- where -------------------------------------------------------------------------------------------------------*/

/* Elements are moved as they are, whatever their dtype. */
int eval_where(tf_ctx *ctx, const struct tf_eval *eval)
{
    (void)ctx;
    if (eval->mode == TF_EVAL_BOUND)
        return bound_where(eval);
    size_t width = ak_width(eval, eval->results[0]);
    struct ek_rows rows;
    int begun = ak_begin(eval);
    if (begun)
        return begun;
    ek_rows_init(&rows, eval);
    while (ek_rows_next(&rows)) {
        const char *from[] = {ak_at(eval, eval->args[0], rows.offset[0]), ak_at(eval, eval->args[1], rows.offset[1]),
            ak_at(eval, eval->args[2], rows.offset[2])};
        size_t step[] = {
            (size_t)ek_moves(&rows, 0), width * (size_t)ek_moves(&rows, 1), width * (size_t)ek_moves(&rows, 2)};
        char *to = ak_at(eval, eval->results[0], rows.result);
        for (size_t i = 0; i < rows.n; i++) {
            uint32_t k = from[0][i * step[0]] ? 1 : 2;
            memcpy(to + i * width, from[k] + i * step[k], width);
        }
    }
    return TF_OK;
}

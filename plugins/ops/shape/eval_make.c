/* SPDX-License-Identifier: MIT
 * Evaluation of values made from nothing or from another's type.
 */
#include "shape.h"

#include "boundkit.h"

/* What follows from a type alone is a point in every mode. */
static int begin(const struct tf_eval *eval)
{
    return eval->mode == TF_EVAL_BOUND ? TF_OK : ak_begin(eval);
}

/* The elements that were stored as f64, as points of the result's dtype. */
static int finish(const struct tf_eval *eval)
{
    const struct tf_tensor *result = eval->results[0];
    double *numbers = result->data;
    for (size_t i = 0; eval->mode == TF_EVAL_BOUND && i < ak_count(result); i++) {
        struct bk x = {numbers[i], numbers[i], 0};
        if (ok_is_float(result->dtype))
            x = bk_to(result->dtype, x, eval->fp8_overflow);
        else if (__builtin_fabs(x.lo) > 0x1p53) /* f64 may have rounded it */
            x = (struct bk){x.lo - 0x1p10, x.hi + 0x1p10, 0};
        bk_put(result, i, x.lo == x.lo ? x : bk_nan());
    }
    return TF_OK;
}

/* The number 0 is made of zero bytes in every dtype that has it; f8e8m0 has it not, and its nearest is code 0. */
int shape_eval_zeros(tf_ctx *ctx, const struct tf_eval *eval)
{
    (void)ctx;
    const struct tf_tensor *result = eval->results[0];
    int rc = ak_begin(eval);
    if (rc == TF_OK)
        memset(result->data, 0, ak_count(result) * ak_width(eval, result));
    return rc;
}

int shape_eval_arange(tf_ctx *ctx, const struct tf_eval *eval)
{
    const struct tf_tensor *result = eval->results[0];
    int64_t start = ak_number(&eval->call->attrs[1]), step = ak_number(&eval->call->attrs[2]);
    size_t n = ak_count(result);
    __int128 last = n ? start + (__int128)(n - 1) * step : start;
    int rc = ak_begin(eval);
    if (rc)
        return rc;
    if (n && (!ak_int_fits(result->dtype, start) || !ak_int_fits(result->dtype, last)))
        return OK_REFUSE(ctx, eval->call, AK_CODE_VALUE_RANGE,
            "arange: %zu numbers from %lld with step %lld do not all fit %s", n, (long long)start, (long long)step,
            ok_dtype_name(result->dtype));
    for (size_t i = 0; i < n; i++)
        ak_store_int(eval, result, i, start + (int64_t)i * step);
    return TF_OK;
}

/* ---- full_like -----------------------------------------------------------------------------------------------------*/

/* The integer that a number becomes, towards 0; 0 where it does not fit. */
static int to_integer(const struct tf_val *val, uint32_t dtype, int64_t *number)
{
    int is_real = val->kind == TF_VAL_FLOAT;
    if (is_real && !(val->u.f >= -0x1p63 && val->u.f < 0x1p63))
        return 0;
    *number = is_real ? (int64_t)val->u.f : val->u.i;
    return ak_int_fits(dtype, *number);
}

static const char *number_text(tf_ctx *ctx, const struct tf_val *val)
{
    return val->kind == TF_VAL_FLOAT ? tf_host->format(ctx, "%g", val->u.f)
                                     : tf_host->format(ctx, "%lld", (long long)val->u.i);
}

/* The first element: the number, converted once. */
static int store_number(tf_ctx *ctx, const struct tf_eval *eval, const struct tf_val *val)
{
    const struct tf_tensor *result = eval->results[0];
    int64_t number = val->u.i;
    if (tf_host->dtype(result->dtype)->cls == TF_CLASS_BOOL)
        number = val->kind == TF_VAL_FLOAT ? val->u.f != 0 : val->u.i != 0;
    else if (ok_is_integer(result->dtype) && !to_integer(val, result->dtype, &number))
        return OK_REFUSE(ctx, eval->call, AK_CODE_VALUE_RANGE, "full_like: %s does not fit %s", number_text(ctx, val),
            ok_dtype_name(result->dtype));
    if (ok_is_float(result->dtype) && val->kind == TF_VAL_FLOAT)
        ak_store_real(eval, result, 0, val->u.f);
    else
        ak_store_int(eval, result, 0, number);
    return TF_OK;
}

int shape_eval_full_like(tf_ctx *ctx, const struct tf_eval *eval)
{
    const struct tf_tensor *result = eval->results[0];
    size_t n = ak_count(result);
    struct ak_box box = {0};
    int rc = begin(eval);
    if (rc == TF_OK && n)
        rc = store_number(ctx, eval, &eval->call->attrs[0]);
    if (rc || n < 2)
        return rc ? rc : finish(eval);
    ak_box_axis(&box, n - 1, 1, 0);
    ak_copy(&box, ak_width(eval, result), ak_at(eval, result, 1), result->data);
    return finish(eval);
}

/* ---- what a type knows ---------------------------------------------------------------------------------------------*/

int shape_eval_shape_of(tf_ctx *ctx, const struct tf_eval *eval)
{
    (void)ctx;
    int rc = begin(eval);
    for (uint32_t i = 0; rc == TF_OK && i < eval->args[0]->rank; i++)
        ak_store_int(eval, eval->results[0], i, eval->args[0]->extents[i]);
    return rc ? rc : finish(eval);
}

int shape_eval_rank(tf_ctx *ctx, const struct tf_eval *eval)
{
    (void)ctx;
    int rc = begin(eval);
    if (rc == TF_OK)
        ak_store_int(eval, eval->results[0], 0, eval->args[0]->rank);
    return rc ? rc : finish(eval);
}

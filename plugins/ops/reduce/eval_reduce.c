/* SPDX-License-Identifier: MIT
 * Evaluation of reduce.  The order of a sum is part of what the operator says, so that a kernel can agree with it bit for
 * bit: groups of eight elements, aligned in the row-major order of what is reduced, added left to right in f32 (f64 for
 * f64); the groups added in order in f64; a mean divides there; one rounding.  A sum begins at +0.  The exact value has no
 * order: it is summed with twice the digits of f64.
 */
#include "bound_reduce.h"
#include "eval_fold.h"

enum { AXES, KEEPDIM, KIND };     /* the attributes */
enum { MEAN, SUM, ABS_MAX, MAX }; /* the choices of KIND, in their order */

#define GROUP 8u

/* ---- sums of real numbers ------------------------------------------------------------------------------------------*/

struct real_sum {
    double total, group; /* group: of the first `filled` elements of a group */
    size_t filled;
};

static void start_real_sum(const struct fold *fold, void *state)
{
    (void)fold;
    *(struct real_sum *)state = (struct real_sum){0};
}

#define FEED_SUM(name, type)                                                                                           \
    static void name(const struct fold *fold, void *state, const void *data, size_t n)                                 \
    {                                                                                                                  \
        struct real_sum *sum = state;                                                                                  \
        const type *run = data;                                                                                        \
        (void)fold;                                                                                                    \
        for (size_t i = 0; i < n;) {                                                                                   \
            type group = (type)sum->group;                                                                             \
            if (sum->filled == 0 && n - i >= GROUP) {                                                                  \
                for (size_t k = 0; k < GROUP; k++, i++)                                                                \
                    group += run[i];                                                                                   \
                sum->total += (double)group;                                                                           \
                continue;                                                                                              \
            }                                                                                                          \
            sum->group = (double)(group + run[i++]);                                                                   \
            if (++sum->filled == GROUP) {                                                                              \
                sum->total += sum->group;                                                                              \
                sum->group = 0;                                                                                        \
                sum->filled = 0;                                                                                       \
            }                                                                                                          \
        }                                                                                                              \
    }
FEED_SUM(feed_sum_f32, float)
FEED_SUM(feed_sum_f64, double)

/* What an addition loses is kept beside the total, as the group that is still open. */
static void feed_sum_exact(const struct fold *fold, void *state, const void *data, size_t n)
{
    struct real_sum *sum = state;
    const double *run = data;
    (void)fold;
    for (size_t i = 0; i < n; i++) {
        double next = sum->total + run[i], added = next - sum->total;
        if (next - next == 0) /* finite */
            sum->group += (sum->total - (next - added)) + (run[i] - added);
        sum->total = next;
    }
    sum->filled = 1;
}

static int finish_sum(const struct fold *fold, void *state, size_t at)
{
    const struct real_sum *sum = state;
    ak_store_real(fold->eval, fold->eval->results[0], at, sum->filled ? sum->total + sum->group : sum->total);
    return TF_OK;
}

static int finish_mean(const struct fold *fold, void *state, size_t at)
{
    const struct real_sum *sum = state;
    double total = sum->filled ? sum->total + sum->group : sum->total;
    ak_store_real(fold->eval, fold->eval->results[0], at, total / (double)fold->count);
    return TF_OK;
}

/* ---- largest of real numbers: NaN where there is one, and of two equal ones the first ------------------------------*/

/* What is less than or equal to everything that the dtype holds. */
static double least_real(uint32_t dtype)
{
    switch (dtype) {
    case TF_DTYPE_FP8E4M3: return -448;
    case TF_DTYPE_F4E2M1: return -6;
    case TF_DTYPE_F8E8M0: return 0x1p-127;
    default: return -__builtin_inf();
    }
}

static void start_max(const struct fold *fold, void *state)
{
    *(double *)state = least_real(fold->eval->args[0]->dtype);
}

static void start_abs_max(const struct fold *fold, void *state)
{
    (void)fold;
    *(double *)state = 0;
}

#define LARGER(a, b) ((b) > (a) || (b) != (b) ? (b) : (a))

/* Lanes side by side break the chain from each element to the next. */
#define FEED_MAX(name, type, OF)                                                                                       \
    static void name(const struct fold *fold, void *state, const void *data, size_t n)                                 \
    {                                                                                                                  \
        const type *run = data;                                                                                        \
        double *largest = state;                                                                                       \
        type lane[GROUP];                                                                                              \
        size_t i = 0;                                                                                                  \
        (void)fold;                                                                                                    \
        for (size_t k = 0; k < GROUP; k++)                                                                             \
            lane[k] = (type)*largest;                                                                                  \
        for (; n - i >= GROUP; i += GROUP)                                                                             \
            for (size_t k = 0; k < GROUP; k++)                                                                         \
                lane[k] = LARGER(lane[k], OF(run[i + k]));                                                             \
        for (size_t k = 0; i < n; i++, k++)                                                                            \
            lane[k] = LARGER(lane[k], OF(run[i]));                                                                     \
        for (size_t k = 1; k < GROUP; k++)                                                                             \
            lane[0] = LARGER(lane[0], lane[k]);                                                                        \
        *largest = (double)lane[0];                                                                                    \
    }
#define ITSELF(x) (x)
FEED_MAX(feed_max_f32, float, ITSELF)
FEED_MAX(feed_max_f64, double, ITSELF)
FEED_MAX(feed_abs_max_f32, float, __builtin_fabsf)
FEED_MAX(feed_abs_max_f64, double, __builtin_fabs)

/* What the dtype held it holds again, infinities too: nothing saturates. */
static int finish_real(const struct fold *fold, void *state, size_t at)
{
    const struct tf_tensor *result = fold->eval->results[0];
    tf_host->store_f64(ak_held(fold->eval, result), 1, state, ak_at(fold->eval, result, at), 1);
    return TF_OK;
}

/* ---- integers ------------------------------------------------------------------------------------------------------*/

static void start_int(const struct fold *fold, void *state)
{
    (void)fold;
    *(__int128 *)state = 0;
}

static void start_max_int(const struct fold *fold, void *state)
{
    *(__int128 *)state = ak_least_int(fold->eval->args[0]->dtype);
}

static void feed_sum_int(const struct fold *fold, void *state, const void *data, size_t n)
{
    const int64_t *run = data;
    __int128 *sum = state;
    (void)fold;
    for (size_t i = 0; i < n; i++)
        *sum += run[i];
}

static void feed_max_int(const struct fold *fold, void *state, const void *data, size_t n)
{
    const int64_t *run = data;
    __int128 *largest = state;
    (void)fold;
    for (size_t i = 0; i < n; i++)
        *largest = run[i] > *largest ? run[i] : *largest;
}

static void feed_abs_max_int(const struct fold *fold, void *state, const void *data, size_t n)
{
    const int64_t *run = data;
    __int128 *largest = state;
    (void)fold;
    for (size_t i = 0; i < n; i++) {
        __int128 magnitude = run[i] < 0 ? -(__int128)run[i] : run[i];
        *largest = magnitude > *largest ? magnitude : *largest;
    }
}

static int finish_int(const struct fold *fold, void *state, size_t at)
{
    const struct tf_tensor *result = fold->eval->results[0];
    __int128 number = *(__int128 *)state;
    if (!ak_int_fits(result->dtype, number))
        return OK_REFUSE(fold->ctx, fold->eval->call, AK_CODE_VALUE_RANGE,
            "reduce: the %s for element %s of the result does not fit %s; cast to a wider dtype first",
            ok_string(fold->eval->call, KIND), ak_place(fold->ctx, result, at), ok_dtype_name(result->dtype));
    ak_store_int(fold->eval, result, at, (int64_t)number);
    return TF_OK;
}

/* ---- reduce --------------------------------------------------------------------------------------------------------*/

union state {
    struct real_sum sum;
    double largest;
    __int128 number;
};

struct kind {
    void (*start)(const struct fold *fold, void *state);
    void (*feed[3])(const struct fold *fold, void *state, const void *run, size_t n); /* by lane */
    int (*finish)(const struct fold *fold, void *state, size_t at);
};
static const struct kind real_kinds[] = {[MEAN] = {start_real_sum, {feed_sum_f32, feed_sum_f64}, finish_mean},
    [SUM] = {start_real_sum, {feed_sum_f32, feed_sum_f64}, finish_sum},
    [ABS_MAX] = {start_abs_max, {feed_abs_max_f32, feed_abs_max_f64}, finish_real},
    [MAX] = {start_max, {feed_max_f32, feed_max_f64}, finish_real}};
static const struct kind int_kinds[] = {[SUM] = {start_int, {[FOLD_I64] = feed_sum_int}, finish_int},
    [ABS_MAX] = {start_int, {[FOLD_I64] = feed_abs_max_int}, finish_int},
    [MAX] = {start_max_int, {[FOLD_I64] = feed_max_int}, finish_int}};

int reduce_eval_reduce(tf_ctx *ctx, const struct tf_eval *eval)
{
    const struct tf_tensor *x = eval->args[0];
    const struct tf_val *named = &eval->call->attrs[AXES];
    int is_real = ok_is_float(x->dtype);
    const struct kind *kind = &(is_real ? real_kinds : int_kinds)[ok_choice(eval->call, KIND)];
    enum fold_lane real = ak_held(eval, x) == TF_DTYPE_F64 ? FOLD_F64 : FOLD_F32, lane = is_real ? real : FOLD_I64;
    union state states[FOLD_COLUMNS];
    struct fold fold = {.ctx = ctx,
        .eval = eval,
        .lane = lane,
        .states = states,
        .state_size = sizeof(*states),
        .start = kind->start,
        .feed = kind->feed[lane],
        .finish = kind->finish};
    uint64_t axes = 0;
    for (uint32_t i = 0; i < named->count; i++)
        axes |= (uint64_t)1 << ak_axis(&named->u.items[i], x->rank);
    if (eval->mode == TF_EVAL_BOUND)
        return is_real ? reduce_bound_reduce(ctx, eval, axes) : TF_E_UNSUPPORTED;
    int rc = ak_begin(eval);
    if (eval->mode == TF_EVAL_EXACT && kind->start == start_real_sum)
        fold.feed = feed_sum_exact;
    return rc ? rc : fold_run(&fold, axes);
}

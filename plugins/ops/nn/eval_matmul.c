/* SPDX-License-Identifier: MIT
 * Values of matmul: for each element the products in ascending k, exact, folded in f64 and rounded once; integers wrap.
 */
#include "eval.h"

#define COLUMNS ((size_t)64) /* of the right operand, that are gone through at a time */
#define ROWS ((size_t)4)     /* of the left operand, for which they are */

/* One product of the batch: M x K by K x N, elements of K at `step_k` from each other. */
struct product {
    const struct tf_eval *eval;
    size_t m, n, k;
    size_t lhs_row, lhs_step, rhs_column, rhs_step;
    size_t lhs, rhs, result; /* first elements */
    void *left, *right;      /* scratch: M x K of the left operand, K x COLUMNS of the right one */
};

/* Adds row by row of the right operand, so that each sum meets its products in order. */
#define MULTIPLY(name, type, load, store, fold)                                                                        \
    static void name##_left(const struct product *p)                                                                   \
    {                                                                                                                  \
        type *left = p->left;                                                                                          \
        for (size_t m = 0; m < p->m; m++)                                                                              \
            if (p->lhs_step == 1)                                                                                      \
                load(p->eval, p->eval->args[0], p->lhs + m * p->lhs_row, p->k, left + m * p->k);                       \
            else                                                                                                       \
                for (size_t k = 0; k < p->k; k++)                                                                      \
                    load(                                                                                              \
                        p->eval, p->eval->args[0], p->lhs + m * p->lhs_row + k * p->lhs_step, 1, left + m * p->k + k); \
    }                                                                                                                  \
    static void name##_right(const struct product *p, size_t first, size_t n)                                          \
    {                                                                                                                  \
        type *right = p->right, run[EK_BLOCK];                                                                         \
        if (p->rhs_column == 1)                                                                                        \
            for (size_t k = 0; k < p->k; k++)                                                                          \
                load(p->eval, p->eval->args[1], p->rhs + k * p->rhs_step + first, n, right + k * COLUMNS);             \
        for (size_t column = 0; column < n && p->rhs_column != 1; column++)                                            \
            for (size_t at = 0; at < p->k; at += EK_BLOCK) {                                                           \
                size_t length = p->k - at < EK_BLOCK ? p->k - at : EK_BLOCK;                                           \
                load(p->eval, p->eval->args[1], p->rhs + (first + column) * p->rhs_column + at, length, run);          \
                for (size_t i = 0; i < length; i++)                                                                    \
                    right[(at + i) * COLUMNS + column] = run[i];                                                       \
            }                                                                                                          \
    }                                                                                                                  \
    /* Whole blocks have a length that the compiler knows. */                                                          \
    static void name##_row(type *restrict sum, type a, const type *restrict right, size_t n)                           \
    {                                                                                                                  \
        if (n == COLUMNS)                                                                                              \
            for (size_t i = 0; i < COLUMNS; i++)                                                                       \
                sum[i] = fold(sum[i], a, right[i]);                                                                    \
        else                                                                                                           \
            for (size_t i = 0; i < n; i++)                                                                             \
                sum[i] = fold(sum[i], a, right[i]);                                                                    \
    }                                                                                                                  \
    static void name##_block(const struct product *p, size_t m, size_t rows, size_t first, size_t n)                   \
    {                                                                                                                  \
        const type *left = p->left, *right = p->right;                                                                 \
        type sum[ROWS][COLUMNS];                                                                                       \
        memset(sum, 0, sizeof(sum));                                                                                   \
        for (size_t k = 0; k < p->k; k++)                                                                              \
            for (size_t r = 0; r < rows; r++)                                                                          \
                name##_row(sum[r], left[(m + r) * p->k + k], right + k * COLUMNS, n);                                  \
        for (size_t r = 0; r < rows; r++)                                                                              \
            store(p->eval, p->eval->results[0], p->result + (m + r) * p->n + first, n, sum[r]);                        \
    }                                                                                                                  \
    static void name(const struct product *p)                                                                          \
    {                                                                                                                  \
        name##_left(p);                                                                                                \
        for (size_t first = 0; first < p->n; first += COLUMNS) {                                                       \
            size_t n = p->n - first < COLUMNS ? p->n - first : COLUMNS;                                                \
            name##_right(p, first, n);                                                                                 \
            for (size_t m = 0; m < p->m; m += ROWS)                                                                    \
                name##_block(p, m, p->m - m < ROWS ? p->m - m : ROWS, first, n);                                       \
        }                                                                                                              \
    }
#define FOLD_F64(sum, a, b) ((sum) + (a) * (b))
#define FOLD_I64(sum, a, b) ((int64_t)((uint64_t)(sum) + (uint64_t)(a) * (uint64_t)(b)))
MULTIPLY(multiply_f64, double, ek_load, ek_store, FOLD_F64)
MULTIPLY(multiply_i64, int64_t, ek_load_i64, ek_store_i64, FOLD_I64)

/* Integers into a float dtype are rounded once as well. */
static void multiply(const struct product *p)
{
    if (ok_is_float(p->eval->args[0]->dtype))
        multiply_f64(p);
    else
        multiply_i64(p);
}

/* Which matrix of an operand the batch-th of the result is made of. */
static size_t matrix_of(const struct tf_tensor *operand, const struct tf_tensor *result, size_t batch)
{
    size_t index = 0, size = 1;
    for (uint32_t axis = result->rank - 2; axis-- > 0;) {
        size_t at = batch % (size_t)result->extents[axis];
        batch /= (size_t)result->extents[axis];
        int own = (int)axis - (int)(result->rank - operand->rank);
        if (own < 0)
            continue;
        index += operand->extents[own] == 1 ? 0 : at * size;
        size *= (size_t)operand->extents[own];
    }
    return index;
}

int eval_matmul(tf_ctx *ctx, const struct tf_eval *eval)
{
    (void)ctx;
    const struct tf_tensor *lhs = eval->args[0], *rhs = eval->args[1], *result = eval->results[0];
    int is_km = strcmp(ok_string(eval->call, 0), "KM") == 0, is_nk = strcmp(ok_string(eval->call, 1), "NK") == 0;
    struct product p = {.eval = eval,
        .m = (size_t)result->extents[result->rank - 2],
        .n = (size_t)result->extents[result->rank - 1],
        .k = (size_t)lhs->extents[lhs->rank - (is_km ? 2 : 1)]};
    int begun = ak_begin(eval);
    if (begun)
        return begun;
    p.lhs_row = is_km ? 1 : p.k;
    p.lhs_step = is_km ? p.m : 1;
    p.rhs_column = is_nk ? p.k : 1;
    p.rhs_step = is_nk ? 1 : p.n;
    if (p.m == 0 || p.n == 0)
        return TF_OK;
    p.left = ek_scratch(p.m, p.k * sizeof(double));
    p.right = ek_scratch(COLUMNS, p.k * sizeof(double));
    size_t batches = ek_extent(result, 0, result->rank - 2);
    for (size_t batch = 0; p.left && p.right && batch < batches; batch++) {
        p.lhs = matrix_of(lhs, result, batch) * p.m * p.k;
        p.rhs = matrix_of(rhs, result, batch) * p.k * p.n;
        p.result = batch * p.m * p.n;
        multiply(&p);
    }
    int rc = p.left && p.right ? TF_OK : TF_E_NOMEM;
    free(p.left);
    free(p.right);
    return rc;
}

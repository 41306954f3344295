/* SPDX-License-Identifier: MIT
 * Values of matmul: for each element the products in ascending k, exact, folded in f64 and rounded once; integers wrap.
 */
#include "eval.h"
#include "multiply.h"

#define COLUMNS MULTIPLY_COLUMNS /* of a panel of the right operand */
#define PANELS ((size_t)2)       /* that are gone through for the same rows of the left one, while caches hold them */
#define SMALL ((size_t)1 << 20)  /* products that are not worth sharing among processors */

/* One product of the batch: M x K by K x N, elements of K at a step from each other. */
struct product {
    const struct tf_eval *eval;
    size_t m, n, k;
    size_t lhs_row, lhs_step, rhs_column, rhs_step;
    size_t lhs, rhs, result; /* first elements */
    void *left;              /* scratch: M x K of the left operand */
    int exact;               /* whether a product of two elements needs no rounding in f64 */
    int failed;              /* for want of memory */
    /* how its pieces are shared out: among processors, unless other products are */
    void (*share)(size_t n, size_t grain, void (*work)(void *data, size_t first, size_t end), void *data);
};

/* Panels lie with the elements of one k side by side; columns that the operand does not have are zero. */
#define PACK(name, type, load)                                                                                         \
    static void name##_left(void *data, size_t first, size_t end)                                                      \
    {                                                                                                                  \
        const struct product *p = data;                                                                                \
        type *left = p->left;                                                                                          \
        for (size_t m = first; m < end; m++)                                                                           \
            if (p->lhs_step == 1)                                                                                      \
                load(p->eval, p->eval->args[0], p->lhs + m * p->lhs_row, p->k, left + m * p->k);                       \
            else                                                                                                       \
                for (size_t k = 0; k < p->k; k++)                                                                      \
                    load(                                                                                              \
                        p->eval, p->eval->args[0], p->lhs + m * p->lhs_row + k * p->lhs_step, 1, left + m * p->k + k); \
    }                                                                                                                  \
    static void name##_across(const struct product *p, size_t first, size_t n, type *right)                            \
    {                                                                                                                  \
        type run[EK_BLOCK];                                                                                            \
        for (size_t column = 0; column < n; column++)                                                                  \
            for (size_t at = 0; at < p->k; at += EK_BLOCK) {                                                           \
                size_t length = p->k - at < EK_BLOCK ? p->k - at : EK_BLOCK;                                           \
                load(p->eval, p->eval->args[1], p->rhs + (first + column) * p->rhs_column + at, length, run);          \
                for (size_t i = 0; i < length; i++)                                                                    \
                    right[(at + i) * COLUMNS + column] = run[i];                                                       \
            }                                                                                                          \
    }                                                                                                                  \
    static void name##_panel(const struct product *p, size_t first, size_t n, type *right)                             \
    {                                                                                                                  \
        if (n < COLUMNS)                                                                                               \
            memset(right, 0, p->k *COLUMNS * sizeof(*right));                                                          \
        if (p->rhs_column != 1)                                                                                        \
            name##_across(p, first, n, right);                                                                         \
        else                                                                                                           \
            for (size_t k = 0; k < p->k; k++)                                                                          \
                load(p->eval, p->eval->args[1], p->rhs + k * p->rhs_step + first, n, right + k * COLUMNS);             \
    }
PACK(pack_f64, double, ek_load)
PACK(pack_i64, int64_t, ek_load_i64)

static void block_f64(const struct product *p, size_t m, size_t rows, size_t first, size_t n, const void *right)
{
    double sums[MULTIPLY_ROWS][COLUMNS];
    multiply_panel(p->k, rows, (const double *)p->left + m * p->k, right, p->exact, sums);
    for (size_t r = 0; r < rows; r++)
        ek_store(p->eval, p->eval->results[0], p->result + (m + r) * p->n + first, n, sums[r]);
}

static void block_i64(const struct product *p, size_t m, size_t rows, size_t first, size_t n, const void *panel)
{
    uint64_t sums[MULTIPLY_ROWS][COLUMNS] = {{0}};
    const int64_t *left = (const int64_t *)p->left + m * p->k, *right = panel;
    for (size_t k = 0; k < p->k; k++)
        for (size_t r = 0; r < rows; r++)
            for (size_t c = 0; c < COLUMNS; c++)
                sums[r][c] += (uint64_t)left[r * p->k + k] * (uint64_t)right[k * COLUMNS + c];
    for (size_t r = 0; r < rows; r++)
        ek_store_i64(p->eval, p->eval->results[0], p->result + (m + r) * p->n + first, n, (const int64_t *)sums[r]);
}

static size_t at_most(size_t n, size_t most)
{
    return n < most ? n : most;
}

/* All rows by the columns [first, end), a few panels at most. */
#define MULTIPLY(name, type, pack, block)                                                                              \
    static void name##_columns(const struct product *p, size_t first, size_t end, type *panels)                        \
    {                                                                                                                  \
        size_t size = p->k * COLUMNS;                                                                                  \
        for (size_t at = first, i = 0; at < end; at += COLUMNS, i++)                                                   \
            pack##_panel(p, at, at_most(end - at, COLUMNS), panels + i * size);                                        \
        for (size_t m = 0; m < p->m; m += MULTIPLY_ROWS)                                                               \
            for (size_t at = first, i = 0; at < end; at += COLUMNS, i++)                                               \
                block(p, m, at_most(p->m - m, MULTIPLY_ROWS), at, at_most(end - at, COLUMNS), panels + i * size);      \
    }                                                                                                                  \
    static void name##_piece(void *data, size_t first, size_t end)                                                     \
    {                                                                                                                  \
        struct product *p = data;                                                                                      \
        type *panels = ek_scratch(PANELS * COLUMNS * sizeof(*panels), p->k);                                           \
        if (!panels)                                                                                                   \
            __atomic_store_n(&p->failed, 1, __ATOMIC_RELAXED);                                                         \
        for (size_t at = first; panels && at < end; at += PANELS * COLUMNS)                                            \
            name##_columns(p, at, at_most(end, at + PANELS * COLUMNS), panels);                                        \
        free(panels);                                                                                                  \
    }                                                                                                                  \
    static void name(struct product *p)                                                                                \
    {                                                                                                                  \
        size_t row = p->k ? p->k : 1, column = row > SMALL / p->m ? 1 : SMALL / p->m / row;                            \
        size_t grain = (column / (PANELS * COLUMNS) + 1) * PANELS * COLUMNS;                                           \
        p->share(p->m, EK_GRAIN / row + 1, pack##_left, p);                                                            \
        p->share(p->n, grain, name##_piece, p);                                                                        \
    }
MULTIPLY(multiply_f64, double, pack_f64, block_f64)
MULTIPLY(multiply_i64, int64_t, pack_i64, block_i64)

/* Integers into a float dtype are rounded once as well. */
static void multiply(struct product *p)
{
    if (ok_is_float(p->eval->args[0]->dtype))
        multiply_f64(p);
    else
        multiply_i64(p);
}

size_t matmul_matrix_of(const struct tf_tensor *operand, const struct tf_tensor *result, size_t batch)
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

static void in_turn(size_t n, size_t grain, void (*work)(void *data, size_t first, size_t end), void *data)
{
    (void)grain;
    work(data, 0, n);
}

/* Some batches, one after the other. */
static void multiply_batches(void *data, size_t first, size_t end)
{
    struct product *whole = data, p = *whole;
    const struct tf_tensor *const *args = p.eval->args, *result = p.eval->results[0];
    p.left = ek_scratch(p.m, p.k * sizeof(double));
    p.failed = !p.left;
    for (size_t batch = first; !p.failed && batch < end; batch++) {
        p.lhs = matmul_matrix_of(args[0], result, batch) * p.m * p.k;
        p.rhs = matmul_matrix_of(args[1], result, batch) * p.k * p.n;
        p.result = batch * p.m * p.n;
        multiply(&p);
    }
    if (p.failed)
        __atomic_store_n(&whole->failed, 1, __ATOMIC_RELAXED);
    free(p.left);
}

/* Processors share a product, or, where one is too small for that, the batches. */
static void multiply_all(struct product *p, size_t batches)
{
    double work = (double)p->m * (double)p->n * (double)(p->k ? p->k : 1);
    int is_small = batches > 1 && work <= (double)SMALL;
    p->share = is_small ? in_turn : tf_host->parallel;
    if (is_small)
        tf_host->parallel(batches, (size_t)((double)SMALL / work), multiply_batches, p);
    else
        multiply_batches(p, 0, batches);
}

int eval_matmul(tf_ctx *ctx, const struct tf_eval *eval)
{
    if (eval->mode == TF_EVAL_BOUND && (ok_is_float(eval->args[0]->dtype) || ok_is_float(eval->results[0]->dtype)))
        return bound_matmul(ctx, eval);
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
    p.exact = ak_held(eval, lhs) != TF_DTYPE_F64 && ak_held(eval, rhs) != TF_DTYPE_F64;
    multiply_all(&p, ek_extent(result, 0, result->rank - 2));
    return p.failed ? TF_E_NOMEM : TF_OK;
}

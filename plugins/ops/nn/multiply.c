/* SPDX-License-Identifier: MIT */
#include "multiply.h"

#include <string.h>

/* Each sum meets its products in order; the loop that the compiler may take in any order is the one over columns. */
static void multiply_plain(
    size_t k, size_t rows, const double *left, const double *right, double sums[MULTIPLY_ROWS][MULTIPLY_COLUMNS])
{
    memset(sums, 0, rows * sizeof(*sums));
    for (size_t i = 0; i < k; i++)
        for (size_t r = 0; r < rows; r++)
            for (size_t c = 0; c < MULTIPLY_COLUMNS; c++)
                sums[r][c] += left[r * k + i] * right[i * MULTIPLY_COLUMNS + c];
}

#ifdef __x86_64__
#include <immintrin.h>

/* Six rows by four vectors: all sums stay in registers.  Written out, since no compiler keeps an array there by itself. */
#define EACH_ROW(X, fold) X(0, fold) X(1, fold) X(2, fold) X(3, fold) X(4, fold) X(5, fold)
#define BEGIN(r, fold)                                                                                                 \
    const double *left##r = left + ((size_t)r < rows ? (size_t)r : 0) * k;                                             \
    __m512d a##r = _mm512_setzero_pd(), b##r = a##r, c##r = a##r, d##r = a##r;
#define STEP(r, fold)                                                                                                  \
    x = _mm512_set1_pd(left##r[i]);                                                                                    \
    a##r = fold(x, a, a##r);                                                                                           \
    b##r = fold(x, b, b##r);                                                                                           \
    c##r = fold(x, c, c##r);                                                                                           \
    d##r = fold(x, d, d##r);
#define END(r, fold)                                                                                                   \
    if ((size_t)r < rows) {                                                                                            \
        _mm512_storeu_pd(sums[r], a##r);                                                                               \
        _mm512_storeu_pd(sums[r] + 8, b##r);                                                                           \
        _mm512_storeu_pd(sums[r] + 16, c##r);                                                                          \
        _mm512_storeu_pd(sums[r] + 24, d##r);                                                                          \
    }
#define MULTIPLY_WIDE(name, fold)                                                                                      \
    __attribute__((target("avx512f"))) static void name(                                                               \
        size_t k, size_t rows, const double *left, const double *right, double sums[MULTIPLY_ROWS][MULTIPLY_COLUMNS])  \
    {                                                                                                                  \
        EACH_ROW(BEGIN, fold)                                                                                          \
        for (size_t i = 0; i < k; i++, right += MULTIPLY_COLUMNS) {                                                    \
            __m512d x, a = _mm512_loadu_pd(right), b = _mm512_loadu_pd(right + 8);                                     \
            __m512d c = _mm512_loadu_pd(right + 16), d = _mm512_loadu_pd(right + 24);                                  \
            EACH_ROW(STEP, fold)                                                                                       \
        }                                                                                                              \
        EACH_ROW(END, fold)                                                                                            \
    }
#define FUSED(x, y, sum) _mm512_fmadd_pd(x, y, sum)
#define APART(x, y, sum) _mm512_add_pd(_mm512_mul_pd(x, y), sum)
MULTIPLY_WIDE(multiply_fused, FUSED)
MULTIPLY_WIDE(multiply_apart, APART)
#endif

void multiply_panel(size_t k, size_t rows, const double *left, const double *right, int exact,
    double sums[MULTIPLY_ROWS][MULTIPLY_COLUMNS])
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512f")) {
        (exact ? multiply_fused : multiply_apart)(k, rows, left, right, sums);
        return;
    }
#endif
    (void)exact;
    multiply_plain(k, rows, left, right, sums);
}

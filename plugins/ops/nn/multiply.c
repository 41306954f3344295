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

/* Six rows by a few vectors: all sums stay in registers.  Written out, since no compiler keeps an array there by itself. */
#define EACH_ROW(X, fold) X(0, fold) X(1, fold) X(2, fold) X(3, fold) X(4, fold) X(5, fold)
#define ROW_OF(r) (left + ((size_t)r < rows ? (size_t)r : 0) * k)

/* AVX-512: the panel's four vectors of eight at once. */
#define BEGIN_512(r, fold)                                                                                             \
    const double *left##r = ROW_OF(r);                                                                                 \
    __m512d a##r = _mm512_setzero_pd(), b##r = a##r, c##r = a##r, d##r = a##r;
#define STEP_512(r, fold)                                                                                              \
    x = _mm512_set1_pd(left##r[i]);                                                                                    \
    a##r = fold(x, a, a##r);                                                                                           \
    b##r = fold(x, b, b##r);                                                                                           \
    c##r = fold(x, c, c##r);                                                                                           \
    d##r = fold(x, d, d##r);
#define END_512(r, fold)                                                                                               \
    if ((size_t)r < rows) {                                                                                            \
        _mm512_storeu_pd(sums[r], a##r);                                                                               \
        _mm512_storeu_pd(sums[r] + 8, b##r);                                                                           \
        _mm512_storeu_pd(sums[r] + 16, c##r);                                                                          \
        _mm512_storeu_pd(sums[r] + 24, d##r);                                                                          \
    }
#define MULTIPLY_512(name, fold)                                                                                       \
    __attribute__((target("avx512f"))) static void name(                                                               \
        size_t k, size_t rows, const double *left, const double *right, double sums[MULTIPLY_ROWS][MULTIPLY_COLUMNS])  \
    {                                                                                                                  \
        EACH_ROW(BEGIN_512, fold)                                                                                      \
        for (size_t i = 0; i < k; i++, right += MULTIPLY_COLUMNS) {                                                    \
            __m512d x, a = _mm512_loadu_pd(right), b = _mm512_loadu_pd(right + 8);                                     \
            __m512d c = _mm512_loadu_pd(right + 16), d = _mm512_loadu_pd(right + 24);                                  \
            EACH_ROW(STEP_512, fold)                                                                                   \
        }                                                                                                              \
        EACH_ROW(END_512, fold)                                                                                        \
    }
#define FUSED_512(x, y, sum) _mm512_fmadd_pd(x, y, sum)
#define APART_512(x, y, sum) _mm512_add_pd(_mm512_mul_pd(x, y), sum)
MULTIPLY_512(multiply_512_fused, FUSED_512)
MULTIPLY_512(multiply_512_apart, APART_512)

/* AVX2 has half the registers of half the length: two vectors of four, and the panel in four goes. */
#define COLUMNS_256 ((size_t)8)
#define BEGIN_256(r, fold)                                                                                             \
    const double *left##r = ROW_OF(r);                                                                                 \
    __m256d a##r = _mm256_setzero_pd(), b##r = a##r;
#define STEP_256(r, fold)                                                                                              \
    x = _mm256_broadcast_sd(left##r + i);                                                                              \
    a##r = fold(x, a, a##r);                                                                                           \
    b##r = fold(x, b, b##r);
#define END_256(r, fold)                                                                                               \
    if ((size_t)r < rows) {                                                                                            \
        _mm256_storeu_pd(sums[r] + first, a##r);                                                                       \
        _mm256_storeu_pd(sums[r] + first + 4, b##r);                                                                   \
    }
#define MULTIPLY_256(name, fold)                                                                                       \
    __attribute__((target("avx2,fma"))) static void name##_columns(size_t k, size_t rows, const double *left,          \
        const double *right, size_t first, double sums[MULTIPLY_ROWS][MULTIPLY_COLUMNS])                               \
    {                                                                                                                  \
        EACH_ROW(BEGIN_256, fold)                                                                                      \
        right += first;                                                                                                \
        for (size_t i = 0; i < k; i++, right += MULTIPLY_COLUMNS) {                                                    \
            __m256d x, a = _mm256_loadu_pd(right), b = _mm256_loadu_pd(right + 4);                                     \
            EACH_ROW(STEP_256, fold)                                                                                   \
        }                                                                                                              \
        EACH_ROW(END_256, fold)                                                                                        \
    }                                                                                                                  \
    static void name(                                                                                                  \
        size_t k, size_t rows, const double *left, const double *right, double sums[MULTIPLY_ROWS][MULTIPLY_COLUMNS])  \
    {                                                                                                                  \
        for (size_t first = 0; first < MULTIPLY_COLUMNS; first += COLUMNS_256)                                         \
            name##_columns(k, rows, left, right, first, sums);                                                         \
    }
#define FUSED_256(x, y, sum) _mm256_fmadd_pd(x, y, sum)
#define APART_256(x, y, sum) _mm256_add_pd(_mm256_mul_pd(x, y), sum)
MULTIPLY_256(multiply_256_fused, FUSED_256)
MULTIPLY_256(multiply_256_apart, APART_256)
#endif

multiply_fn *multiply_with(enum multiply_means means, int exact)
{
    (void)exact;
#ifdef __x86_64__
    if (means == MULTIPLY_AVX512)
        return __builtin_cpu_supports("avx512f") ? exact ? multiply_512_fused : multiply_512_apart : NULL;
    if (means == MULTIPLY_AVX2)
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")
                   ? exact ? multiply_256_fused : multiply_256_apart
                   : NULL;
#endif
    return means == MULTIPLY_PLAIN ? multiply_plain : NULL;
}

void multiply_panel(size_t k, size_t rows, const double *left, const double *right, int exact,
    double sums[MULTIPLY_ROWS][MULTIPLY_COLUMNS])
{
    multiply_fn *best = NULL;
    for (enum multiply_means means = 0; !best; means++)
        best = multiply_with(means, exact);
    best(k, rows, left, right, sums);
}

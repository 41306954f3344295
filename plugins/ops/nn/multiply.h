/* SPDX-License-Identifier: MIT
 * Sums of products in f64: a few rows of a left operand by a panel of columns of a right one.
 */
#ifndef TF_OPS_NN_MULTIPLY_H
#define TF_OPS_NN_MULTIPLY_H

#include <stddef.h>

#define MULTIPLY_COLUMNS ((size_t)32) /* of a panel */
#define MULTIPLY_ROWS ((size_t)6)     /* that are gone through together */

/* sums[r][c], for `rows` rows at most MULTIPLY_ROWS: the sum from 0 over ascending i < k of left[r * k + i] *
 * right[i * MULTIPLY_COLUMNS + c], each product and each sum rounded to f64.  `exact`: no product needs rounding, so that
 * fusing it with its sum changes nothing. */
void multiply_panel(size_t k, size_t rows, const double *left, const double *right, int exact,
    double sums[MULTIPLY_ROWS][MULTIPLY_COLUMNS]);

/* The ways in which it is done, the quickest first; all give the same bits. */
enum multiply_means { MULTIPLY_AVX512, MULTIPLY_AVX2, MULTIPLY_PLAIN, MULTIPLY_MEANS };
typedef void multiply_fn(
    size_t k, size_t rows, const double *left, const double *right, double sums[MULTIPLY_ROWS][MULTIPLY_COLUMNS]);

/* multiply_panel done so; NULL where this processor cannot. */
multiply_fn *multiply_with(enum multiply_means means, int exact);

#endif

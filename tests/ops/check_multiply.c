/* SPDX-License-Identifier: MIT
 * Every way of summing products that this processor has gives the bits of the plain loop.
 */
#include "../../plugins/ops/nn/multiply.h"

#include <check.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_K = 131 };

/* digits: 53 of which products need rounding, 24 of which they do not. */
static double draw(uint64_t *state, int digits)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    uint64_t bits = (*state ^ *state >> 29) >> (64 - digits) | UINT64_C(1) << (digits - 1);
    return ldexp(*state >> 7 & 1 ? -(double)bits : (double)bits, (int)(*state >> 9) % 40 - 20 - digits);
}

static void fill(double *to, size_t n, uint64_t seed, int digits)
{
    for (size_t i = 0; i < n; i++)
        to[i] = draw(&seed, digits);
    if (n > 40)
        to[17] = 0.0, to[29] = -0.0;
    if (seed & 2 && n > 700)
        to[n / 2] = INFINITY, to[n / 3] = NAN;
}

static void compare(enum multiply_means means, size_t k, size_t rows, int exact)
{
    static double left[MULTIPLY_ROWS * MOST_K], right[MULTIPLY_COLUMNS * MOST_K];
    double wanted[MULTIPLY_ROWS][MULTIPLY_COLUMNS], got[MULTIPLY_ROWS][MULTIPLY_COLUMNS];
    multiply_fn *way = multiply_with(means, exact);
    if (!way)
        return;
    fill(left, rows * k, k * 8 + rows, exact ? 24 : 53);
    fill(right, k * MULTIPLY_COLUMNS, k * 8 + rows + 1, exact ? 24 : 53);
    memset(got, 1, sizeof(got));
    memset(wanted, 1, sizeof(wanted));
    multiply_with(MULTIPLY_PLAIN, exact)(k, rows, left, right, wanted);
    way(k, rows, left, right, got);
    for (size_t r = 0; r < MULTIPLY_ROWS; r++)
        for (size_t c = 0; c < MULTIPLY_COLUMNS; c++)
            ck_assert_msg(memcmp(&got[r][c], &wanted[r][c], sizeof(double)) == 0 ||
                              (r < rows && isnan(got[r][c]) && isnan(wanted[r][c])),
                "means %d, k %zu, rows %zu, exact %d: [%zu][%zu] is %a, not %a", (int)means, k, rows, exact, r, c,
                got[r][c], wanted[r][c]);
}

START_TEST(same_bits)
{
    for (enum multiply_means means = 0; means < MULTIPLY_MEANS; means++)
        for (size_t k = 0; k <= MOST_K; k += k < 10 ? 1 : 11)
            for (size_t rows = 1; rows <= MULTIPLY_ROWS; rows++)
                for (int exact = 0; exact < 2; exact++)
                    compare(means, k, rows, exact);
}
END_TEST

/* A product of which the rounding shows: (1 + 2^-30)^2 - 1 - 2^-29 is 2^-60, or 0 where it was rounded. */
START_TEST(rounds_unless_exact)
{
    double left[2] = {1, 1 + 0x1p-30}, right[2 * MULTIPLY_COLUMNS] = {0};
    double sums[MULTIPLY_ROWS][MULTIPLY_COLUMNS];
    right[0] = -1 - 0x1p-29;
    right[MULTIPLY_COLUMNS] = 1 + 0x1p-30;
    for (enum multiply_means means = 0; means < MULTIPLY_MEANS; means++) {
        if (!multiply_with(means, 0))
            continue;
        multiply_with(means, 0)(2, 1, left, right, sums);
        ck_assert(sums[0][0] == 0);
    }
    multiply_panel(2, 1, left, right, 0, sums);
    ck_assert(sums[0][0] == 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("multiply");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, same_bits);
    tcase_add_test(tests, rounds_unless_exact);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}

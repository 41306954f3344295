/* SPDX-License-Identifier: MIT
 * The ends of enclosures move outwards by enough: sums, products and quotients against a format with more digits, and
 * declared errors against numbers drawn from inside, those at powers of two among them.
 */
#include <tilefoundry/plugin.h>

#include "../../plugins/ops/common/boundkit.h"

#include <check.h>
#include <math.h>

const struct tf_host *tf_host;

enum { ROUNDS = 200000 };

/* Signs, digits and magnitudes between 2^-6 and 2^6. */
static double draw(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    uint64_t bits = *state ^ *state >> 29;
    double significand = 1 + (double)(bits >> 12) * 0x1p-52;
    return ldexp(bits & 1 ? -significand : significand, (int)(bits >> 1) % 12 - 6);
}

START_TEST(arithmetic)
{
    uint64_t state = 1;
    for (int i = 0; i < ROUNDS; i++) {
        double a = draw(&state), b = draw(&state);
        long double sum = (long double)a + b, product = (long double)a * b, quotient = (long double)a / b;
        ck_assert(bk_add_low(a, b) <= sum && sum <= bk_add_high(a, b));
        ck_assert(bk_mul_low(a, b) <= product && product <= bk_mul_high(a, b));
        ck_assert(bk_div_low(a, b) <= quotient && quotient <= bk_div_high(a, b));
    }
}
END_TEST

START_TEST(exact_results_stay_points)
{
    ck_assert(bk_add_low(1.5, 2.25) == 3.75 && bk_add_high(1.5, 2.25) == 3.75);
    ck_assert(bk_mul_low(1.5, -2.25) == -3.375 && bk_mul_high(1.5, -2.25) == -3.375);
    ck_assert(bk_div_low(-7, 4) == -1.75 && bk_div_high(-7, 4) == -1.75);
}
END_TEST

static void check_inside(double lo, double hi, double x)
{
    double step = 3 * bk_ulp(TF_DTYPE_F32, x);
    ck_assert(bk_widened_low(TF_DTYPE_F32, lo, hi, 3) <= x - step);
    ck_assert(-bk_widened_low(TF_DTYPE_F32, -hi, -lo, 3) >= x + step);
}

START_TEST(declared_errors)
{
    uint64_t state = 2;
    for (int i = 0; i < ROUNDS; i++) {
        double lo = draw(&state), hi = lo + fabs(lo * draw(&state)) / 64;
        check_inside(lo, hi, lo);
        check_inside(lo, hi, hi);
        check_inside(lo, hi, lo + (hi - lo) / 2);
    }
    check_inside(bk_below(1), bk_above(1), 1);
    check_inside(-bk_above(1), -bk_below(1), -1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("ends of enclosures");
    TCase *tcase = tcase_create("ends");
    tcase_add_test(tcase, arithmetic);
    tcase_add_test(tcase, exact_results_stay_points);
    tcase_add_test(tcase, declared_errors);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

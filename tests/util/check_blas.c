/* SPDX-License-Identifier: MIT
 * The CBLAS library, where there is one: both operands turned and not; and none where none is named.
 */
#include "util/blas.h"

#include <check.h>
#include <stdlib.h>

enum { M = 5, N = 7, K = 11 };

/* Whole numbers, so that every order of a sum gives the same. */
static double left(size_t m, size_t k)
{
    return (double)(m * 3 + k * k % 7) - 8;
}

static double right(size_t k, size_t n)
{
    return (double)(k * 5 % 9 + n * n) - 6;
}

static void compare(const struct tf_blas *blas, uint32_t a_turned, uint32_t b_turned)
{
    double a[M * K], b[K * N], c[M * N];
    for (size_t k = 0; k < K; k++) {
        for (size_t m = 0; m < M; m++)
            a[a_turned ? k * M + m : m * K + k] = left(m, k);
        for (size_t n = 0; n < N; n++)
            b[b_turned ? n * K + k : k * N + n] = right(k, n);
    }
    for (size_t i = 0; i < M * N; i++)
        c[i] = __builtin_nan(""); /* what was there is not looked at */
    ck_assert_int_eq(blas->product_f64(M, N, K, a, a_turned, b, b_turned, c), TF_OK);
    for (size_t i = 0; i < M * N; i++) {
        double sum = 0;
        for (size_t k = 0; k < K; k++)
            sum += left(i / N, k) * right(k, i % N);
        ck_assert_msg(c[i] == sum, "[%zu] turned %u %u: %g, not %g", i, a_turned, b_turned, c[i], sum);
    }
}

START_TEST(products)
{
    const struct tf_blas *blas = blas_open();
    for (uint32_t turned = 0; blas && turned < 4; turned++)
        compare(blas, turned & 1, turned >> 1);
    ck_assert(blas == blas_open());
}
END_TEST

START_TEST(extents)
{
    const struct tf_blas *blas = blas_open();
    double x = 1;
    if (!blas)
        return;
    ck_assert_int_eq(blas->product_f64((size_t)1 << 31, 1, 1, &x, 0, &x, 0, &x), TF_E_UNSUPPORTED);
    ck_assert_int_eq(blas->product_f64(1, 1, 0, &x, 0, &x, 0, &x), TF_E_UNSUPPORTED);
}
END_TEST

START_TEST(none)
{
    static const char *const names[] = {"", "libthat-is-not-there.so", "libm.so.6"};
    setenv("TILEFOUNDRY_BLAS", names[_i], 1);
    ck_assert_ptr_null(blas_open());
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("blas");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, products);
    tcase_add_test(tests, extents);
    tcase_add_loop_test(tests, none, 0, 3);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}

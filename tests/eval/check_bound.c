/* SPDX-License-Identifier: MIT
 * Enclosures: what legal implementations give lies in them, what wrong ones give does not, and where nothing is free they
 * are single values.
 */
#include "eval/enclosed.h"

#define FILE_OF "bound.py:Bound"

/* ---- other orders -------------------------------------------------------------------------------------------------*/

enum { N = 512, R = 4, WAYS = 60 };

static void hold_orders(const char *name, int squares, int divides)
{
    struct subject s;
    struct tf_declared declared = declared_default();
    size_t wrong = 0;
    open_subject(&s, FILE_OF, name);
    run_subject(&s, &declared);
    ck_assert_uint_eq(count_open(&s, 0), R);
    const float *x = floats(s.params[0]);
    for (int way = 0; way < WAYS; way++)
        for (size_t row = 0; row < R; row++) {
            float sum = summed(N, x + row * N, squares ? x + row * N : NULL), value = divides ? sum / N : sum;
            ck_assert_msg(holds(s.bound.leaves[0], row, (double)value), "%s: %a", name, (double)value);
            wrong += (size_t)holds(s.bound.leaves[0], row, (double)value * 1.04) +
                     (size_t)holds(s.bound.leaves[0], row, (double)-value) + (size_t)holds(s.bound.leaves[0], row, 0);
        }
    ck_assert_uint_eq(wrong, 0);
    close_subject(&s);
}

START_TEST(sums_in_any_order_are_inside)
{
    hold_orders("total", 0, 0);
    hold_orders("mean", 0, 1);
    hold_orders("squares", 1, 0);
}
END_TEST

static void hold_products(const char *name)
{
    struct subject s;
    struct tf_declared declared = declared_default();
    open_subject(&s, FILE_OF, name);
    run_subject(&s, &declared);
    count_open(&s, 0);
    const float *x = floats(s.params[0]), *w = floats(s.params[1]);
    uint32_t dtype = s.declared.leaves[0]->pub.dtype;
    for (int way = 0; way < WAYS; way++)
        for (size_t i = 0; i < R * 3; i++) {
            float column[N], sum;
            char element[8];
            double value;
            for (size_t k = 0; k < N; k++)
                column[k] = w[k * 3 + i % 3];
            sum = summed(N, x + i / 3 * N, column);
            number_store_f32(dtype, 1, &sum, element, 0);
            number_load_f64(dtype, 1, element, &value);
            ck_assert_msg(holds(s.bound.leaves[0], i, value), "%s[%zu]: %a", name, i, value);
            ck_assert(!holds(s.bound.leaves[0], i, -value));
        }
    close_subject(&s);
}

START_TEST(products_in_any_order_are_inside)
{
    hold_products("product");
    hold_products("narrow");
}
END_TEST

/* ---- sharpness ----------------------------------------------------------------------------------------------------*/

static struct tf_declared exact(void)
{
    struct tf_declared declared = declared_default();
    for (uint32_t i = 0; i < TF_APPROX_COUNT; i++)
        declared.ulp[i] = 0.5;
    declared.fma = 0;
    return declared;
}

START_TEST(what_is_not_free_is_a_point)
{
    static const char *const NAMES[] = {"points", "largest", "curves", "chain"};
    struct tf_declared declared = exact();
    for (size_t i = 0; i < sizeof(NAMES) / sizeof(*NAMES); i++) {
        struct subject s;
        open_subject(&s, FILE_OF, NAMES[i]);
        run_subject(&s, &declared);
        for (uint32_t leaf = 0; leaf < s.declared.n; leaf++)
            ck_assert_msg(count_open(&s, leaf) == 0, "%s, leaf %u", NAMES[i], leaf);
        close_subject(&s);
    }
}
END_TEST

START_TEST(fma_is_one_rounding_or_two)
{
    struct subject s;
    struct tf_declared declared = declared_default();
    size_t apart = 0;
    open_subject(&s, FILE_OF, "chain");
    run_subject(&s, &declared);
    ck_assert_uint_gt(count_open(&s, 0), 0);
    const float *a = floats(s.params[0]), *b = floats(s.params[1]), *c = floats(s.params[2]);
    for (size_t i = 0; i < s.params[0]->count; i++) {
        float fused = fmaf(a[i], b[i], c[i]), product = a[i] * b[i], plain = product + c[i];
        ck_assert(holds(s.bound.leaves[0], i, (double)fused) && holds(s.bound.leaves[0], i, (double)plain));
        apart += fused != plain;
    }
    ck_assert_uint_eq(apart, count_open(&s, 0));
    close_subject(&s);
}
END_TEST

START_TEST(approximations_are_as_declared)
{
    struct subject s;
    struct tf_declared declared = declared_default();
    open_subject(&s, FILE_OF, "curves");
    run_subject(&s, &declared);
    const struct tensor *bound = s.bound.leaves[0];
    for (size_t i = 0; i < bound->count; i++) {
        float value = ((const float *)s.declared.leaves[0]->pub.data)[i], next = value, far = value;
        for (int k = 0; k < 2; k++)
            next = nextafterf(next, INFINITY);
        for (int k = 0; k < 5; k++)
            far = nextafterf(far, INFINITY);
        ck_assert(holds(bound, i, (double)next));
        ck_assert(!holds(bound, i, (double)far));
    }
    close_subject(&s);
}
END_TEST

/* x r lies on both sides of a tie of bf16, and n / scale on one of e4m3: 136 is between 128 and 144. */
START_TEST(codes_are_those_that_ends_round_to)
{
    struct subject s;
    struct tf_declared declared = declared_default();
    open_subject(&s, FILE_OF, "codes");
    float r = 0.533203125f, given = 1 / (r * r);
    ((float *)s.params[0]->pub.data)[0] = given;
    ((float *)s.params[1]->pub.data)[0] = 2;
    ((float *)s.params[2]->pub.data)[0] = 0x1p-7f;
    declared.ulp[TF_APPROX_DIV] = 0.5;
    declared.ulp[TF_APPROX_RSQRT] = 2;
    run_subject(&s, &declared);
    count_open(&s, 0);
    ck_assert_double_eq(((const double *)s.bound.leaves[0]->pub.data)[0], 128);
    ck_assert_double_eq(s.bound.leaves[0]->pub.bound[0], 144);
    close_subject(&s);
}
END_TEST

START_TEST(what_was_delivered_is_a_point_further_on)
{
    struct subject s;
    struct tf_declared declared = declared_default();
    struct tensor *delivered[2] = {NULL, NULL};
    open_subject(&s, FILE_OF, "delivered");
    run_subject(&s, &declared);
    ck_assert_uint_eq(count_open(&s, 0), R);
    ck_assert_uint_eq(count_open(&s, 1), R);
    delivered[0] = tensor_hold(s.declared.leaves[0]);
    ck_assert_int_eq(find_bound(&s, &declared, delivered), 0);
    ck_assert_uint_eq(count_open(&s, 0), R); /* judged as it was found */
    ck_assert_uint_eq(count_open(&s, 1), 0);
    ((float *)delivered[0]->pub.data)[0] *= 1.5f; /* outside: no excuse for what follows */
    ck_assert_int_eq(find_bound(&s, &declared, delivered), 0);
    ck_assert_int_eq(is_open(s.bound.leaves[1], 0), 1);
    ck_assert_int_eq(is_open(s.bound.leaves[1], 1), 0);
    tensor_release(delivered[0]);
    close_subject(&s);
}
END_TEST

/* ---- the ends of the accumulator's range ---------------------------------------------------------------------------*/

START_TEST(sums_may_overflow_and_products_underflow)
{
    struct subject s;
    struct tf_declared declared = declared_default();
    static const float PAST[] = {3e38f, 3e38f, -3e38f, 0};
    open_subject(&s, FILE_OF, "total");
    memcpy(s.params[0]->pub.data, PAST, sizeof(PAST));
    run_subject(&s, &declared);
    count_open(&s, 0); /* ours is inf, in another order it is 3e38 */
    ck_assert(holds(s.bound.leaves[0], 0, (double)INFINITY) && holds(s.bound.leaves[0], 0, (double)3e38f));
    close_subject(&s);
    open_subject(&s, FILE_OF, "product");
    for (size_t i = 0; i < N; i++)
        ((float *)s.params[0]->pub.data)[i] = 0x1p-77f;
    for (size_t i = 0; i < N * 3; i++)
        ((float *)s.params[1]->pub.data)[i] = i < 192 ? 0x1p-77f : 0;
    run_subject(&s, &declared);
    count_open(&s, 0);
    ck_assert(holds(s.bound.leaves[0], 0, 0) && !holds(s.bound.leaves[0], 0, 0x1p-130));
    close_subject(&s);
}
END_TEST

/* ---- what may be no number ------------------------------------------------------------------------------------------*/

/* The row of x that an element of the result is made of. */
static size_t by_three(size_t i)
{
    return i / 3;
}

static size_t by_column(size_t i)
{
    return i % R;
}

static size_t by_pair(size_t i)
{
    return i / 6 * 2 + i % 2;
}

/* The sum of row 2, which everything in it is divided by, may be 0. */
static void hold_lines(const char *name, size_t (*row_behind)(size_t i))
{
    static const float CANCELS[] = {1e8f, 1, -1e8f};
    struct subject s;
    struct tf_declared declared = declared_default();
    open_subject(&s, FILE_OF, name);
    float *row = (float *)s.params[0]->pub.data + 2 * N;
    memset(row, 0, N * sizeof(*row));
    memcpy(row, CANCELS, sizeof(CANCELS));
    run_subject(&s, &declared);
    count_open(&s, 0);
    for (size_t i = 0; i < R * 3; i++)
        ck_assert_int_eq(s.bound.leaves[0]->pub.doubt[i] != 0, row_behind(i) == 2);
    row[-1] = NAN; /* of row 1: what it reaches must be NaN, another's doubt or not */
    run_subject(&s, &declared);
    count_open(&s, 0);
    for (size_t i = 0; i < R * 3; i++)
        ck_assert_int_eq((s.bound.leaves[0]->pub.doubt[i] & TF_DOUBT_MUST_NAN) != 0, row_behind(i) == 1);
    close_subject(&s);
}

START_TEST(a_doubt_reaches_its_row_or_column)
{
    hold_lines("shares", by_three);
    hold_lines("across", by_column);
    hold_lines("upright", by_three);
    hold_lines("matrices", by_three);
    hold_lines("turned", by_pair);
}
END_TEST

START_TEST(infinities_meet_what_is_open)
{
    struct subject s;
    struct tf_declared declared = declared_default();
    open_subject(&s, FILE_OF, "shares");
    ((float *)s.params[1]->pub.data)[4] = INFINITY; /* of column 1; x over its sum is open everywhere */
    run_subject(&s, &declared);
    count_open(&s, 0);
    for (size_t i = 0; i < R * 3; i++)
        ck_assert_int_eq(s.bound.leaves[0]->pub.doubt[i] != 0, i % 3 == 1);
    close_subject(&s);
    open_subject(&s, FILE_OF, "across");
    ((float *)s.params[1]->pub.data)[N] = -INFINITY; /* of row 1 of the left operand here */
    run_subject(&s, &declared);
    count_open(&s, 0);
    for (size_t i = 0; i < R * 3; i++)
        ck_assert_int_eq(s.bound.leaves[0]->pub.doubt[i] != 0, i / R == 1);
    close_subject(&s);
    open_subject(&s, FILE_OF, "product");
    ((float *)s.params[1]->pub.data)[4] = INFINITY; /* points alone: the infinity of that sign */
    run_subject(&s, &declared);
    count_open(&s, 0);
    ck_assert(!is_open(s.bound.leaves[0], 1) && !holds(s.bound.leaves[0], 1, 0));
    close_subject(&s);
}
END_TEST

START_TEST(infinities_of_both_signs_are_no_number)
{
    struct subject s;
    struct tf_declared declared = declared_default();
    open_subject(&s, FILE_OF, "total");
    ((float *)s.params[0]->pub.data)[3] = INFINITY;
    run_subject(&s, &declared);
    ck_assert(holds(s.bound.leaves[0], 0, (double)INFINITY) && !holds(s.bound.leaves[0], 0, 1));
    ((float *)s.params[0]->pub.data)[5] = -INFINITY;
    eval_result_free(&s.declared);
    run_subject(&s, &declared);
    ck_assert(holds(s.bound.leaves[0], 0, (double)NAN) && !holds(s.bound.leaves[0], 0, 1));
    close_subject(&s);
}
END_TEST

/* ---- refusals -----------------------------------------------------------------------------------------------------*/

static void refused(const char *name, const char *accumulator, const char *words)
{
    struct subject s;
    struct tf_declared declared = declared_default();
    declared.accumulator = accumulator;
    open_subject(&s, FILE_OF, name);
    ck_assert_int_ne(find_bound(&s, &declared, NULL), 0);
    const char *text = told();
    ck_assert_msg(strstr(text, words) != NULL, "%s", text);
    close_subject(&s);
}

START_TEST(what_has_no_bound_is_refused)
{
    refused("total", "abacus", "no bound is known for the accumulator abacus");
    refused("total", "bf16", "sums of 512 terms in bf16 have no digit that is certain");
    refused("product", "bf16", "have no digit that is certain");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("bound");
    TCase *all = tcase_create("bound");
    tcase_add_checked_fixture(all, set_up, end_context);
    tcase_add_test(all, sums_in_any_order_are_inside);
    tcase_add_test(all, products_in_any_order_are_inside);
    tcase_add_test(all, what_is_not_free_is_a_point);
    tcase_add_test(all, fma_is_one_rounding_or_two);
    tcase_add_test(all, approximations_are_as_declared);
    tcase_add_test(all, codes_are_those_that_ends_round_to);
    tcase_add_test(all, what_was_delivered_is_a_point_further_on);
    tcase_add_test(all, sums_may_overflow_and_products_underflow);
    tcase_add_test(all, a_doubt_reaches_its_row_or_column);
    tcase_add_test(all, infinities_meet_what_is_open);
    tcase_add_test(all, infinities_of_both_signs_are_no_number);
    tcase_add_test(all, what_has_no_bound_is_refused);
    suite_add_tcase(suite, all);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

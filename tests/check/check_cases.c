/* SPDX-License-Identifier: MIT
 * Faults that have been let through elsewhere, and correct results that have been refused: what the comparisons say.
 */
#include "check/check.h"
#include "context.h"
#include "plugin/numbers.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void set_up(void)
{
    static const struct tf_math math = {.struct_size = sizeof(math), .sqrt = sqrt};
    begin_context(&math);
}

/* ---- making outputs -----------------------------------------------------------------------------------------------*/

typedef double element_of(size_t i);

static struct leaf make(uint32_t dtype, int64_t rows, int64_t columns, element_of *value)
{
    int64_t extents[] = {rows, columns};
    struct leaf leaf = {"output", tensor_new(ctx, &memory, dtype, 2, extents)};
    ck_assert_ptr_nonnull(leaf.tensor);
    size_t width = number_bytes(dtype);
    for (size_t i = 0; i < leaf.tensor->count; i++) {
        double x = value(i);
        number_store_f64(dtype, 1, &x, (char *)leaf.tensor->pub.data + i * width, FP8_SATURATE);
    }
    return leaf;
}

/* A normal variable of no great quality, the same for the same index. */
static double normal(size_t i)
{
    uint64_t x = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
    double sum = -6;
    for (int k = 0; k < 12; k++) {
        x ^= x >> 31;
        x *= UINT64_C(0xbf58476d1ce4e5b9);
        sum += (double)(x >> 11) * 0x1p-53;
    }
    return sum;
}

static double zero(size_t i)
{
    return (void)i, 0;
}

static double one(size_t i)
{
    return (void)i, 1;
}

/* ---- asking -------------------------------------------------------------------------------------------------------*/

static struct output_finding found;

/* One comparison with at most two bounds, by the names that it has. */
static enum verdict ask(const char *name, double first, double second, struct leaf candidate, struct leaf reference)
{
    const struct tf_predicate *predicate = registry_predicate(ctx, name);
    double bounds[] = {first, second};
    struct comparison comparison = {.predicate = predicate, .bounds = bounds};
    struct asked asked = {.path = "output", .comparisons = {.at = &comparison, .n = 1}};
    struct request request = {0};
    ck_assert_int_eq(judge_output(ctx, &request, &asked, &candidate, &reference, NULL, &found), 0);
    return found.verdict;
}

static double figure(size_t i)
{
    return found.findings[0].judgement.values[i];
}

static void release(struct leaf candidate, struct leaf reference)
{
    tensor_release(candidate.tensor);
    tensor_release(reference.tensor);
}

/* ---- narrow outputs -----------------------------------------------------------------------------------------------*/

static double at_the_tie_low(size_t i)
{
    return i == 1000 || i == 2000000 ? 288 : normal(i) * 100;
}

static double at_the_tie_high(size_t i)
{
    return i == 1000 || i == 2000000 ? 320 : normal(i) * 100;
}

/* Correct kernels differ by a code at a tie: equal refuses them, a budget by count does not. */
START_TEST(ties)
{
    struct leaf c = make(TF_DTYPE_FP8E4M3, 2048, 1027, at_the_tie_low);
    struct leaf r = make(TF_DTYPE_FP8E4M3, 2048, 1027, at_the_tie_high);
    ck_assert_int_eq(ask("equal", 0, 0, c, r), VERDICT_FAIL);
    ck_assert_double_eq(figure(0), 2);
    ck_assert_int_eq(ask("grid", 1, 2, c, r), VERDICT_PASS);
    ck_assert_int_eq(ask("grid", 1, 1, c, r), VERDICT_FAIL);
    ck_assert_str_eq(found.findings[0].judgement.detail, "codes apart: 0: 2103294 1: 2");
    release(c, r);
}
END_TEST

/* ---- bounds that nothing can miss ---------------------------------------------------------------------------------*/

static double in_three(size_t i)
{
    return fmod(normal(i) * 2, 3);
}

START_TEST(wide_bounds)
{
    struct leaf r = make(TF_DTYPE_FP8E4M3, 64, 64, in_three);
    ck_assert_int_eq(ask("allclose", 16, 0, r, r), VERDICT_VACUOUS);
    ck_assert_int_eq(ask("allclose", 0, 1, r, r), VERDICT_VACUOUS);
    ck_assert_int_eq(ask("allclose", 0.0625, 0.0625, r, r), VERDICT_PASS);
    tensor_release(r.tensor);
}
END_TEST

static double probability(size_t i)
{
    return exp(normal(i) / 10) / 16384;
}

/* Zeros are within 1e-2 of a softmax over many. */
START_TEST(small_outputs)
{
    struct leaf r = make(TF_DTYPE_F32, 64, 16384, probability), zeros = make(TF_DTYPE_F32, 64, 16384, zero);
    ck_assert_int_eq(ask("allclose", 1e-2, 0, zeros, r), VERDICT_VACUOUS);
    ck_assert(found.largest < 1e-2);
    ck_assert_int_eq(ask("allclose", 1e-6, 1e-3, zeros, r), VERDICT_FAIL);
    release(zeros, r);
}
END_TEST

/* ---- roundings ----------------------------------------------------------------------------------------------------*/

static double next_bf16(size_t i)
{
    return (void)i, 1.0078125;
}

static double between(size_t i)
{
    return (void)i, 1 + 0x1p-8;
}

/* One rounding to bf16 is at most 2^-8; two results that were rounded independently may be a step apart. */
START_TEST(roundings)
{
    struct leaf exact = make(TF_DTYPE_F32, 4, 4, between), rounded = make(TF_DTYPE_F32, 4, 4, one);
    struct leaf low = make(TF_DTYPE_BF16, 4, 4, one), high = make(TF_DTYPE_BF16, 4, 4, next_bf16);
    ask("max_rel", 0x1p-8, 0, rounded, exact);
    ck_assert_uint_eq(found.findings[0].judgement.passed, 1);
    ck_assert_double_eq_tol(figure(0), 3.89e-3, 1e-5);
    ask("max_rel", 1.95e-3, 0, rounded, exact);
    ck_assert_uint_eq(found.findings[0].judgement.passed, 0);
    ask("max_rel", 0x1p-7, 0, high, low);
    ck_assert_uint_eq(found.findings[0].judgement.passed, 1);
    ask("ulp", 1, 0, high, low);
    ck_assert_uint_eq(found.findings[0].judgement.passed, 1);
    ask("max_rel", 0x1p-8, 0, high, low);
    ck_assert_uint_eq(found.findings[0].judgement.passed, 0);
    release(exact, rounded);
    release(low, high);
}
END_TEST

static double cut_off(size_t i)
{
    float value = (float)normal(i);
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    bits &= 0xffff0000;
    memcpy(&value, &bits, sizeof(value));
    return (double)value;
}

/* Cutting off instead of rounding shrinks everything: no element is far off, the mean is. */
START_TEST(truncation)
{
    struct leaf exact = make(TF_DTYPE_F32, 1024, 1024, normal), cut = make(TF_DTYPE_F32, 1024, 1024, cut_off);
    struct leaf narrow = make(TF_DTYPE_BF16, 1024, 1024, normal), rounded;
    int64_t extents[] = {1024, 1024};
    rounded = (struct leaf){"output", tensor_new(ctx, &memory, TF_DTYPE_F32, 2, extents)};
    number_load_f32(TF_DTYPE_BF16, narrow.tensor->count, narrow.tensor->pub.data, rounded.tensor->pub.data);
    ask("bias", 1e-4, 0, cut, exact);
    ck_assert_uint_eq(found.findings[0].judgement.passed, 0);
    ck_assert_double_eq_tol(figure(0), -2.8e-3, 1e-4);
    ask("bias", 1e-4, 0, rounded, exact);
    ck_assert_uint_eq(found.findings[0].judgement.passed, 1);
    release(exact, cut);
    release(narrow, rounded);
}
END_TEST

static double step_or_nan(size_t i)
{
    return i == 5 ? (double)NAN : i == 3 ? normal(i) + 1 : normal(i);
}

/* Rounding is nearer to the truth than cutting off, and anything is nearer than NaN. */
START_TEST(truth)
{
    struct leaf exact = make(TF_DTYPE_F64, 16, 16, normal), rounded = make(TF_DTYPE_BF16, 16, 16, normal);
    struct leaf cut = make(TF_DTYPE_BF16, 16, 16, cut_off), broken = make(TF_DTYPE_BF16, 16, 16, step_or_nan);
    struct arbiter_finding arbiter;
    arbitrate(ctx, cut.tensor, rounded.tensor, exact.tensor, &arbiter);
    ck_assert_str_eq(arbiter.nearer, "reference");
    ck_assert(arbiter.candidate_error > arbiter.reference_error && arbiter.candidate_error < 0x1p-7);
    ck_assert_uint_eq(arbiter.n_worst, ARBITER_WORST);
    ck_assert_uint_eq(arbiter.worst[0].codes, 1);
    for (size_t i = 1; i < ARBITER_WORST; i++)
        ck_assert(fabs(arbiter.worst[i - 1].candidate - arbiter.worst[i - 1].truth) >=
                  fabs(arbiter.worst[i].candidate - arbiter.worst[i].truth));
    arbitrate(ctx, rounded.tensor, cut.tensor, exact.tensor, &arbiter);
    ck_assert_str_eq(arbiter.nearer, "candidate");
    arbitrate(ctx, broken.tensor, cut.tensor, exact.tensor, &arbiter);
    ck_assert_str_eq(arbiter.nearer, "reference");
    ck_assert_str_eq(arbiter.worst[0].where, "[0,5]");
    ck_assert_str_eq(arbiter.worst[1].where, "[0,3]");
    arbitrate(ctx, exact.tensor, exact.tensor, exact.tensor, &arbiter);
    ck_assert_str_eq(arbiter.nearer, "equal");
    ck_assert_uint_eq(arbiter.n_worst, 0);
    release(exact, rounded);
    release(cut, broken);
}
END_TEST

/* ---- what aggregates do not see -----------------------------------------------------------------------------------*/

static double with_gain(size_t i)
{
    return normal(i) * 1.04;
}

START_TEST(gains)
{
    struct leaf c = make(TF_DTYPE_F32, 256, 256, with_gain), r = make(TF_DTYPE_F32, 256, 256, normal);
    ck_assert_int_eq(ask("cosine", 0.9999, 0, c, r), VERDICT_PASS);
    ck_assert_int_eq(ask("gain", 0.01, 0, c, r), VERDICT_FAIL);
    ck_assert_double_eq_tol(figure(0), 1.04, 1e-6);
    ck_assert_int_eq(ask("rel_l2", 1.66e-3, 0, c, r), VERDICT_FAIL);
    release(c, r);
}
END_TEST

static double one_bad(size_t i)
{
    return i == 777777 ? 2 : 1;
}

START_TEST(one_bad_element)
{
    struct leaf c = make(TF_DTYPE_F32, 1024, 1024, one_bad), r = make(TF_DTYPE_F32, 1024, 1024, one);
    ask("rel_l2", 1.66e-3, 0, c, r);
    ck_assert_uint_eq(found.findings[0].judgement.passed, 1);
    ck_assert_double_eq_tol(figure(0), 9.8e-4, 1e-5);
    ask("allclose", 1e-3, 1e-3, c, r);
    ck_assert_uint_eq(found.findings[0].judgement.passed, 0);
    ck_assert_str_eq(found.findings[0].where, "[759,561]");
    ck_assert_double_eq(found.findings[0].candidate, 2);
    release(c, r);
}
END_TEST

/* ---- zeros, infinities, NaN ---------------------------------------------------------------------------------------*/

static double masked(size_t i)
{
    return i % 4 == 3 ? -HUGE_VAL : (double)i + 1;
}

static double spoiled(size_t i)
{
    return i == 6 ? HUGE_VAL : i % 4 == 3 ? -HUGE_VAL : (double)i + 1;
}

static double holed(size_t i)
{
    return i == 6 ? (double)NAN : (double)i + 1;
}

START_TEST(special_values)
{
    static const char *const NAMES[] = {"allclose", "rel_l2", "max_abs", "max_rel"};
    struct leaf zeros = make(TF_DTYPE_F32, 4, 4, zero), rows = make(TF_DTYPE_F32, 4, 4, masked);
    struct leaf bad = make(TF_DTYPE_F32, 4, 4, spoiled), nan = make(TF_DTYPE_F32, 4, 4, holed);
    for (size_t i = 0; i < sizeof(NAMES) / sizeof(*NAMES); i++) {
        ask(NAMES[i], 1e-3, 1e-3, zeros, zeros);
        ck_assert_msg(found.findings[0].judgement.passed, "%s: zeros against zeros", NAMES[i]);
        ask(NAMES[i], 1e-3, 1e-3, rows, rows);
        ck_assert_msg(found.findings[0].judgement.passed, "%s: equal infinities", NAMES[i]);
        ask(NAMES[i], 1e9, 1e9, bad, rows);
        ck_assert_msg(!found.findings[0].judgement.passed, "%s: an infinity against a number", NAMES[i]);
        ask(NAMES[i], 1e9, 1e9, nan, rows);
        ck_assert_msg(!found.findings[0].judgement.passed, "%s: NaN in the candidate", NAMES[i]);
    }
    release(zeros, rows);
    release(bad, nan);
}
END_TEST

static double one_and_more(size_t i)
{
    return (void)i, 1.1;
}

/* rtol is a share of the reference, so sides may not be swapped. */
START_TEST(sides_matter)
{
    struct leaf a = make(TF_DTYPE_F32, 1, 1, one), b = make(TF_DTYPE_F32, 1, 1, one_and_more);
    ask("allclose", 0, 0.095, a, b);
    ck_assert_uint_eq(found.findings[0].judgement.passed, 1);
    ask("allclose", 0, 0.095, b, a);
    ck_assert_uint_eq(found.findings[0].judgement.passed, 0);
    release(a, b);
}
END_TEST

/* ---- faults that are plain, in every dtype ------------------------------------------------------------------------*/

static double varied(size_t i)
{
    return (i % 5 == 4 ? -1 : 1) * (double)(1 + i % 7) * (i < 32 ? 0.5 : 1);
}

/* Every mutant of every floating dtype and of many shapes is found by equal. */
START_TEST(mutants_of_all)
{
    static const uint32_t DTYPES[] = {TF_DTYPE_F32, TF_DTYPE_F16, TF_DTYPE_BF16, TF_DTYPE_FP8E4M3, TF_DTYPE_FP8E5M2,
        TF_DTYPE_F64, TF_DTYPE_F4E2M1, TF_DTYPE_F8E8M0, TF_DTYPE_I32, TF_DTYPE_I64, TF_DTYPE_I8};
    static const int64_t SHAPES[][2] = {{1, 2}, {2, 1}, {3, 5}, {8, 8}, {7, 33}, {1, 300}, {300, 3}};
    size_t tried = 0;
    for (size_t d = 0; d < sizeof(DTYPES) / sizeof(*DTYPES); d++)
        for (size_t s = 0; s < sizeof(SHAPES) / sizeof(*SHAPES); s++) {
            struct leaf r = make(DTYPES[d], SHAPES[s][0], SHAPES[s][1], varied);
            ck_assert_int_eq(ask("equal", 0, 0, r, r), VERDICT_PASS);
            for (size_t i = 0; i < found.n_mutants; i++)
                ck_assert_msg(found.mutants[i].killed_by != NULL, "dtype %u, shape %zu: %s lives", DTYPES[d], s,
                    found.mutants[i].name);
            tried += found.n_mutants;
            tensor_release(r.tensor);
        }
    ck_assert_uint_ge(tried, 400);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cases");
    TCase *tests = tcase_create("cases");
    tcase_add_checked_fixture(tests, set_up, end_context);
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, ties);
    tcase_add_test(tests, wide_bounds);
    tcase_add_test(tests, small_outputs);
    tcase_add_test(tests, roundings);
    tcase_add_test(tests, truncation);
    tcase_add_test(tests, truth);
    tcase_add_test(tests, gains);
    tcase_add_test(tests, one_bad_element);
    tcase_add_test(tests, special_values);
    tcase_add_test(tests, sides_matter);
    tcase_add_test(tests, mutants_of_all);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}

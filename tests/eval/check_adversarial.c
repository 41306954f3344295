/* SPDX-License-Identifier: MIT
 * What each class of adversarial inputs is for, as a property of the numbers drawn.
 */
#include "eval/draw_adversarial.h"
#include "plugin/numbers.h"
#include "type/type.h"

#include <check.h>
#include <math.h>
#include <string.h>

enum { ROWS = 8, WIDTH = 512, GROUP = 128, GROUPS = WIDTH / GROUP };

extern const struct tf_math tilefoundry_math;
static tf_ctx *ctx;
static struct tensor_memory memory;
static double numbers[ROWS * WIDTH];

static void setup(void)
{
    ctx = ctx_create();
    ctx->math = &tilefoundry_math; /* a test is not where the program's modules are */
}

static void teardown(void)
{
    ck_assert_uint_eq(memory.now, 0);
    ctx_destroy(ctx);
}

/* Into `numbers`. */
static const double *draw(const char *how, uint32_t dtype, uint32_t rounded_to, uint64_t seed)
{
    struct generator g = {.seed = seed};
    struct draw asked;
    ck_assert(!draw_parse(how, &asked));
    asked.rounded_to = rounded_to;
    struct tensor *tensor = tensor_new(ctx, &memory, dtype, 2, (const int64_t[]){ROWS, WIDTH});
    ck_assert_int_eq(draw_fill(ctx, &g, &asked, tensor, FP8_SATURATE), TF_OK);
    number_load_f64(dtype, tensor->count, tensor->pub.data, numbers);
    tensor_release(tensor);
    return numbers;
}

static double amax(const double *group)
{
    double most = 0;
    for (int i = 0; i < GROUP; i++)
        most = fmax(most, fabs(group[i]));
    return most;
}

static int is_tie(double x, uint32_t dtype)
{
    double below, above;
    uint64_t code = 0;
    x = fabs(x);
    number_store_f64(dtype, 1, &x, &code, FP8_SATURATE);
    number_load_f64(dtype, 1, &code, &below);
    code += below > x ? UINT64_MAX : 1;
    number_load_f64(dtype, 1, &code, &above);
    return below + above == 2 * x;
}

/* Every group's largest becomes the largest code, and of those whose scale is exact all others lie between two codes. */
START_TEST(ties_lie_between_codes)
{
    int exact = 0;
    const double *x = draw("adversarial:ties", TF_DTYPE_BF16, TF_DTYPE_FP8E4M3, 0);
    for (int g = 0; g < ROWS * GROUPS; g++)
        for (int i = 0; i < GROUP; i++)
            exact += is_tie(x[g * GROUP + i] / (amax(x + g * GROUP) / 448), TF_DTYPE_FP8E4M3);
    ck_assert_int_eq(exact, ROWS * GROUPS * (GROUP - 1));
    x = draw("adversarial:ties", TF_DTYPE_F32, TF_DTYPE_BF16, 0);
    for (int i = 0; i < ROWS * WIDTH; i++)
        ck_assert_msg(is_tie(x[i], TF_DTYPE_BF16), "%a", x[i]);
}
END_TEST

/* Of fp8 there is not one boundary that is left out. */
START_TEST(ties_are_at_every_boundary)
{
    int seen[127] = {0}, n = 0;
    const double *x = draw("adversarial:ties", TF_DTYPE_BF16, TF_DTYPE_FP8E4M3, 0);
    for (int i = 0; i < ROWS * WIDTH; i++) {
        double y = fabs(x[i]) / (amax(x + i / GROUP * GROUP) / 448) * (1 - 1e-9);
        uint64_t code = 0;
        number_store_f64(TF_DTYPE_FP8E4M3, 1, &y, &code, FP8_SATURATE);
        seen[code] = 1;
    }
    for (int i = 0; i < 126; i++)
        n += seen[i];
    ck_assert_int_eq(n, 126);
}
END_TEST

START_TEST(scales_of_f32_tell_division_from_a_reciprocal)
{
    int different = 0;
    const double *x = draw("adversarial:ties", TF_DTYPE_F32, TF_DTYPE_FP8E4M3, 0);
    for (int i = 0; i < ROWS * WIDTH; i++) {
        float scale = (float)amax(x + i / GROUP * GROUP) / 448;
        float values[2] = {(float)x[i] / scale, (float)x[i] * (1 / scale)};
        uint8_t codes[2];
        number_store_f32(TF_DTYPE_FP8E4M3, 2, values, codes, FP8_SATURATE);
        different += codes[0] != codes[1];
    }
    ck_assert_int_gt(different, ROWS * WIDTH / 50);
}
END_TEST

START_TEST(groups_of_zeros)
{
    int zero = 0, negative = 0;
    const double *x = draw("adversarial:zero-groups", TF_DTYPE_BF16, TF_DTYPE_FP8E4M3, 0);
    for (int g = 0; g < ROWS * GROUPS; g++) {
        zero += amax(x + g * GROUP) == 0;
        negative += amax(x + g * GROUP) == 0 && signbit(x[g * GROUP]);
    }
    ck_assert_int_eq(zero, ROWS * GROUPS / 2);
    ck_assert_int_eq(negative, ROWS * GROUPS / 4);
}
END_TEST

START_TEST(scales_that_underflow)
{
    int none = 0, tiny = 0;
    const double *x = draw("adversarial:tiny-groups", TF_DTYPE_F32, TF_DTYPE_FP8E4M3, 0);
    for (int g = 0; g < ROWS * GROUPS; g++) {
        none += amax(x + g * GROUP) > 0 && (float)amax(x + g * GROUP) / 448 == 0;
        tiny += amax(x + g * GROUP) < 1e-8;
    }
    ck_assert_int_ge(none, ROWS * GROUPS / 4);
    ck_assert_int_eq(tiny, ROWS * GROUPS);
}
END_TEST

static void expect_nonfinite(const char *how, int place)
{
    int nans = 0, above = 0, below = 0, finite = 0;
    const double *x = draw(how, TF_DTYPE_F16, TF_DTYPE_F16, 0);
    for (int i = 0; i < ROWS * WIDTH; i++) {
        ck_assert(isfinite(x[i]) || i % GROUP == place);
        nans += isnan(x[i]);
        above += x[i] == (double)INFINITY;
        below += x[i] == (double)-INFINITY;
    }
    for (int i = 0; i < ROWS; i++) {
        int all = 1;
        for (int k = 0; k < WIDTH; k++)
            all &= isfinite(x[i * WIDTH + k]) != 0;
        finite += all;
    }
    ck_assert(nans && above && below);
    ck_assert_int_eq(finite, ROWS / 4);
}

START_TEST(nonfinite_numbers_have_their_place)
{
    expect_nonfinite("adversarial:nonfinite-first", 0);
    expect_nonfinite("adversarial:nonfinite-middle", GROUP / 2);
    expect_nonfinite("adversarial:nonfinite-last", GROUP - 1);
}
END_TEST

START_TEST(outliers_stand_alone)
{
    int n = 0;
    const double *x = draw("adversarial:outliers", TF_DTYPE_F32, TF_DTYPE_FP8E4M3, 0);
    for (int i = 0; i < ROWS * WIDTH; i++)
        n += fabs(x[i]) >= 1000;
    ck_assert_int_eq(n, ROWS * GROUPS / 2);
}
END_TEST

START_TEST(magnitudes_differ_by_group_and_row)
{
    const double *x = draw("adversarial:magnitudes", TF_DTYPE_F32, TF_DTYPE_FP8E4M3, 0);
    for (int g = 0; g < ROWS * GROUPS; g++) {
        double here = amax(x + g * GROUP);
        if ((g + 1) % GROUPS)
            ck_assert_double_gt(fabs(log2(here / amax(x + (g + 1) * GROUP))), 0.9);
        if (g + GROUPS < ROWS * GROUPS)
            ck_assert_double_gt(fabs(log2(here / amax(x + (g + GROUPS) * GROUP))), 0.1);
    }
}
END_TEST

/* Nothing of the large numbers is left of a sum. */
START_TEST(sums_cancel)
{
    const double *x = draw("adversarial:cancelling", TF_DTYPE_F32, TF_DTYPE_F32, 0);
    for (int g = 0; g < ROWS * GROUPS; g++) {
        double sum = 0, all = 0;
        for (int i = 0; i < GROUP; i++) {
            sum += x[g * GROUP + i];
            all += fabs(x[g * GROUP + i]);
        }
        ck_assert_double_lt(fabs(sum), 1e-6 * all);
        ck_assert_double_gt(fabs(sum), 0);
    }
}
END_TEST

START_TEST(the_largest_of_the_dtype)
{
    static const double LARGEST[] = {65504, 0x1.fep127, 448};
    static const uint32_t DTYPES[] = {TF_DTYPE_F16, TF_DTYPE_BF16, TF_DTYPE_FP8E4M3};
    for (int k = 0; k < 3; k++) {
        int n = 0;
        const double *x = draw("adversarial:largest-finite", DTYPES[k], TF_DTYPE_F32, 0);
        for (int i = 0; i < ROWS * WIDTH; i++)
            n += fabs(x[i]) == LARGEST[k];
        ck_assert_int_eq(n, ROWS * WIDTH / 2);
    }
}
END_TEST

START_TEST(a_seed_is_one_tensor)
{
    static double first[ROWS * WIDTH];
#define X(NAME, text, nan) "adversarial:" text,
    static const char *const NAMES[] = {ADVERSARIAL_CLASSES(X) "adversarial"};
#undef X
    const char *name = NAMES[_i];
    memcpy(first, draw(name, TF_DTYPE_F32, TF_DTYPE_FP8E4M3, 5), sizeof(first));
    ck_assert_mem_eq(first, draw(name, TF_DTYPE_F32, TF_DTYPE_FP8E4M3, 5), sizeof(first));
    ck_assert(memcmp(first, draw(name, TF_DTYPE_F32, TF_DTYPE_FP8E4M3, 6), sizeof(first)) != 0);
}
END_TEST

START_TEST(names)
{
    uint32_t which;
    ck_assert(!adversarial_parse("adversarial", &which) && which == ADVERSARIAL_COUNT);
    ck_assert(!adversarial_parse("adversarial:outliers", &which) && which == ADVERSARIAL_OUTLIERS);
    ck_assert(adversarial_parse("adversarial:", &which));
    ck_assert(adversarial_parse("adversarial:tie", &which));
    ck_assert(adversarial_parse("adversary", &which));
    ck_assert(adversarial_parse("adversarials", &which));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("adversarial");
    TCase *tests = tcase_create("classes");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, ties_lie_between_codes);
    tcase_add_test(tests, ties_are_at_every_boundary);
    tcase_add_test(tests, scales_of_f32_tell_division_from_a_reciprocal);
    tcase_add_test(tests, groups_of_zeros);
    tcase_add_test(tests, scales_that_underflow);
    tcase_add_test(tests, nonfinite_numbers_have_their_place);
    tcase_add_test(tests, outliers_stand_alone);
    tcase_add_test(tests, magnitudes_differ_by_group_and_row);
    tcase_add_test(tests, sums_cancel);
    tcase_add_test(tests, the_largest_of_the_dtype);
    tcase_add_loop_test(tests, a_seed_is_one_tensor, 0, ADVERSARIAL_COUNT + 1);
    tcase_add_test(tests, names);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}

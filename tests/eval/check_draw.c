/* SPDX-License-Identifier: MIT
 * Draws against numbers that an H200 (132 multiprocessors of 2048 threads) gave for one generator, seeded 0, in this
 * order: integers and truths to the bit, normals to the last places that its approximate sine and cosine leave.
 */
#include "eval/draw.h"
#include "type/type.h"

#include <check.h>
#include <math.h>
#include <string.h>

#define H200_THREADS (132u * 2048u)

extern const struct tf_math tilefoundry_math;
static tf_ctx *ctx;
static struct tensor_memory memory;

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

static struct tensor *drawn(struct generator *g, const char *how, uint32_t dtype, int64_t n)
{
    struct draw draw = {.kind = DRAW_DEFAULT};
    ck_assert(!how || !draw_parse(how, &draw));
    struct tensor *tensor = tensor_new(ctx, &memory, dtype, 1, &n);
    ck_assert_int_eq(draw_fill(ctx, g, &draw, tensor, 0), TF_OK);
    return tensor;
}

static void expect_normals(struct generator *g, int64_t n, const double *first, double last)
{
    struct tensor *tensor = drawn(g, NULL, TF_DTYPE_F32, n);
    const float *x = tensor->pub.data;
    for (int i = 0; i < 4 && i < n; i++)
        ck_assert_msg(
            fabs((double)x[i] - first[i]) <= 3e-6 * fabs(first[i]), "%d: %a, not %a", i, (double)x[i], first[i]);
    ck_assert_double_le(fabs((double)x[n - 1] - last), 3e-6 * fabs(last));
    tensor_release(tensor);
}

START_TEST(one_generator_goes_on)
{
    struct generator g = {.threads = H200_THREADS};
    expect_normals(&g, 2 * 7168, (const double[]){-0x1.d96d5ap-1, -0x1.b38d7p-2, -0x1.52698ap+1, 0x1.2956280p-3},
        1.2608060836791992);
    ck_assert_uint_eq(g.offset, 4);
    expect_normals(
        &g, 7168, (const double[]){0x1.7254dp-3, -0x1.1ac23p-1, 0x1.d8fe1p-1, -0x1.784e0cp-1}, -0.025318508967757225);
    ck_assert_uint_eq(g.offset, 8);
    expect_normals(
        &g, 168, (const double[]){0x1.45a4fap+1, -0x1.6ec548p-1, -0x1.f935b4p-2, 0x1.0380d2p-3}, 1.2974368333816528);
    struct tensor *one = drawn(&g, NULL, TF_DTYPE_I64, 1);
    ck_assert_int_eq(*(int64_t *)one->pub.data, 1);
    ck_assert_uint_eq(g.offset, 16);
    tensor_release(one);
    /* more than the device's threads make in one pass: cosines, the other words, later counters */
    expect_normals(&g, 4096 * 1024, (const double[]){-0x1.61738cp-2, 0x1.4131a6p-1, 0x1.24a0c2p-1, -0x1.24512cp-2},
        0.160993754863739);
    ck_assert_uint_eq(g.offset, 32);
    struct tensor *truths = drawn(&g, NULL, TF_DTYPE_BOOL, 33);
    ck_assert_mem_eq(truths->pub.data, ((const uint8_t[]){0, 1, 0, 1}), 4);
    ck_assert_uint_eq(((const uint8_t *)truths->pub.data)[32], 1);
    tensor_release(truths);
    tensor_release(drawn(&g, NULL, TF_DTYPE_BF16, 0)); /* takes nothing */
    ck_assert_uint_eq(g.offset, 36);
}
END_TEST

START_TEST(a_later_place_is_found_at_once)
{
    struct generator g = {.threads = H200_THREADS, .offset = 1188};
    struct tensor *tensor = drawn(&g, NULL, TF_DTYPE_I32, 5000);
    const int32_t *x = tensor->pub.data;
    ck_assert_mem_eq(x, ((const int32_t[]){4, 2, 1, 5}), 16);
    ck_assert_int_eq(x[4999], 5);
    ck_assert_uint_eq(g.offset, 1192);
    tensor_release(tensor);
    expect_normals(&g, 1, (const double[]){0x1.e0e3ep-1}, 0.9392385482788086);
}
END_TEST

START_TEST(drawn_numbers_are_converted)
{
    struct generator g = {.threads = H200_THREADS, .offset = 1196};
    struct tensor *codes = drawn(&g, NULL, TF_DTYPE_FP8E4M3, 64), *powers = drawn(&g, NULL, TF_DTYPE_F8E8M0, 64);
    /* -0.559, -0.186, 0.270, 1.805; then -0.919, -0.286, -0.805, -1.918, of which the signs are dropped */
    ck_assert_mem_eq(codes->pub.data, ((const uint8_t[]){0xb1, 0xa4, 0x29, 0x3e}), 4);
    ck_assert_mem_eq(powers->pub.data, ((const uint8_t[]){127, 125, 127, 128}), 4);
    tensor_release(codes);
    tensor_release(powers);
}
END_TEST

START_TEST(other_draws)
{
    struct generator g = {.threads = H200_THREADS}, same = g;
    struct tensor *u = drawn(&g, "uniform(-2,3)", TF_DTYPE_F32, 10000),
                  *i = drawn(&same, "int(-3,4)", TF_DTYPE_I32, 10000);
    double sum = 0;
    int seen[7] = {0};
    for (int k = 0; k < 10000; k++) {
        float x = ((const float *)u->pub.data)[k];
        int32_t n = ((const int32_t *)i->pub.data)[k];
        ck_assert(x >= -2 && x < 3 && n >= -3 && n < 4);
        sum += (double)x;
        seen[n + 3]++;
    }
    ck_assert_double_le(fabs(sum / 10000 - 0.5), 0.06);
    for (int k = 0; k < 7; k++)
        ck_assert_int_gt(seen[k], 1200);
    ck_assert_uint_eq(g.offset, same.offset);
    struct tensor *c = drawn(&g, "const(1.5)", TF_DTYPE_BF16, 3);
    ck_assert_mem_eq(c->pub.data, ((const uint16_t[]){0x3fc0, 0x3fc0, 0x3fc0}), 6);
    ck_assert_uint_eq(g.offset, same.offset); /* a constant takes nothing */
    tensor_release(u);
    tensor_release(i);
    tensor_release(c);
}
END_TEST

START_TEST(another_seed_is_another_stream)
{
    struct generator g = {.threads = H200_THREADS}, other = {.seed = UINT64_C(1) << 32, .threads = H200_THREADS};
    struct tensor *a = drawn(&g, NULL, TF_DTYPE_F32, 64), *b = drawn(&other, NULL, TF_DTYPE_F32, 64);
    ck_assert_int_ne(memcmp(a->pub.data, b->pub.data, 256), 0);
    tensor_release(a);
    tensor_release(b);
}
END_TEST

START_TEST(what_is_no_draw)
{
    static const char *const WRONG[] = {"", "norm", "normal()", "uniform", "uniform(1)", "uniform(1,1)", "uniform(2,1)",
        "uniform(0,1) ", "int(0.5,2)", "int(3,3)", "int(0,4294967297)", "int(nan,2)", "const()", "const(x)",
        "const(1,2)"};
    struct draw draw;
    for (size_t i = 0; i < sizeof(WRONG) / sizeof(*WRONG); i++)
        ck_assert_msg(draw_parse(WRONG[i], &draw), "'%s' was read", WRONG[i]);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("draw");
    TCase *tests = tcase_create("draw");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, one_generator_goes_on);
    tcase_add_test(tests, a_later_place_is_found_at_once);
    tcase_add_test(tests, drawn_numbers_are_converted);
    tcase_add_test(tests, other_draws);
    tcase_add_test(tests, another_seed_is_another_stream);
    tcase_add_test(tests, what_is_no_draw);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}

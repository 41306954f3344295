/* SPDX-License-Identifier: MIT
 * Conversions of every dtype, against a reference that looks for the nearest code instead of computing it.
 */
#include "plugin/numbers.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t NARROW[] = {
    TF_DTYPE_F16, TF_DTYPE_BF16, TF_DTYPE_FP8E4M3, TF_DTYPE_FP8E5M2, TF_DTYPE_F4E2M1, TF_DTYPE_F8E8M0};
#define N_NARROW ((int)(sizeof(NARROW) / sizeof(*NARROW)))

static uint32_t bits_of(uint32_t dtype)
{
    return dtype == TF_DTYPE_F4E2M1 ? 4 : 8 * number_bytes(dtype);
}

static double decoded(uint32_t dtype, uint32_t code)
{
    uint16_t wide = (uint16_t)code;
    uint8_t byte = (uint8_t)code;
    double value;
    number_load_f64(dtype, 1, number_bytes(dtype) == 2 ? (void *)&wide : (void *)&byte, &value);
    return value;
}

static uint32_t code_at(uint32_t dtype, const void *at)
{
    uint16_t wide;
    if (number_bytes(dtype) == 1)
        return *(const uint8_t *)at;
    memcpy(&wide, at, sizeof(wide));
    return wide;
}

static uint32_t encoded(uint32_t dtype, double x, uint32_t overflow)
{
    uint16_t out = 0;
    number_store_f64(dtype, 1, &x, &out, overflow);
    return code_at(dtype, &out);
}

static uint32_t encoded_f32(uint32_t dtype, float x, uint32_t overflow)
{
    uint16_t out = 0;
    number_store_f32(dtype, 1, &x, &out, overflow);
    return code_at(dtype, &out);
}

/* What a code stands for, from the meaning of its fields. */
static double meaning(uint32_t dtype, uint32_t code)
{
    static const struct {
        uint32_t dtype;
        int e, m, bias, has_infinity;
    } FORMATS[] = {{TF_DTYPE_F16, 5, 10, 15, 1}, {TF_DTYPE_BF16, 8, 7, 127, 1}, {TF_DTYPE_FP8E4M3, 4, 3, 7, 0},
        {TF_DTYPE_FP8E5M2, 5, 2, 15, 1}, {TF_DTYPE_F4E2M1, 2, 1, 1, 0}};
    if (dtype == TF_DTYPE_F8E8M0)
        return code == 255 ? (double)NAN : ldexp(1, (int)code - 127);
    size_t k = 0;
    while (FORMATS[k].dtype != dtype)
        k++;
    int e = FORMATS[k].e, m = FORMATS[k].m;
    int exponent = (int)(code >> m) & ((1 << e) - 1), fraction = (int)code & ((1 << m) - 1);
    double sign = code >> (e + m) & 1 ? -1 : 1;
    if (FORMATS[k].has_infinity && exponent == (1 << e) - 1)
        return fraction ? (double)NAN : sign * (double)INFINITY;
    if (dtype == TF_DTYPE_FP8E4M3 && (code & 0x7f) == 0x7f)
        return (double)NAN;
    return sign * (exponent ? ldexp(ldexp(1, m) + fraction, exponent - FORMATS[k].bias - m)
                            : ldexp(fraction, 1 - FORMATS[k].bias - m));
}

START_TEST(every_code_means_what_its_fields_say)
{
    uint32_t dtype = NARROW[_i];
    for (uint32_t code = 0; code < 1u << bits_of(dtype); code++) {
        double value = decoded(dtype, code), right = meaning(dtype, code);
        ck_assert(isnan(right) ? isnan(value) : value == right);
        ck_assert_int_eq(signbit(value) != 0, signbit(right) != 0 || (isnan(right) && signbit(value)));
    }
}
END_TEST

START_TEST(every_code_comes_back)
{
    uint32_t dtype = NARROW[_i];
    for (uint32_t code = 0; code < 1u << bits_of(dtype); code++) {
        double value = decoded(dtype, code);
        if (isnan(value) || (isinf(value) && number_bytes(dtype) == 1)) /* a saturating fp8 has no way to infinity */
            continue;
        ck_assert_uint_eq(encoded(dtype, value, FP8_SATURATE), code);
        ck_assert_uint_eq(encoded(dtype, value, FP8_NAN), code);
        ck_assert_uint_eq(encoded_f32(dtype, (float)value, FP8_SATURATE), code);
    }
    if (dtype != TF_DTYPE_F4E2M1)
        ck_assert(isnan(decoded(dtype, encoded(dtype, (double)NAN, FP8_SATURATE))));
}
END_TEST

/* The finite code, without a sign, that is nearest, the even one of two; past the largest as a next step of the same size. */
static uint32_t nearest(uint32_t dtype, double x)
{
    uint32_t low = 0, high = (1u << (bits_of(dtype) - 1)) - 1;
    double magnitude = fabs(x);
    while (!isfinite(meaning(dtype, high)))
        high--;
    uint32_t top = high;
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        if (meaning(dtype, middle) <= magnitude)
            low = middle;
        else
            high = middle;
    }
    double below = meaning(dtype, low), above = meaning(dtype, high);
    if (magnitude > above) { /* one step more, if the format had it */
        double step = above - below;
        int goes_on = magnitude - above > step / 2 || (magnitude - above == step / 2 && top % 2 == 1);
        return goes_on ? top + 1 : top;
    }
    double to_low = magnitude - below, to_high = above - magnitude;
    return to_low < to_high || (to_low == to_high && low % 2 == 0) ? low : high;
}

static double some_number(uint32_t dtype, int i)
{
    double any = ldexp(1 + rand() / (double)RAND_MAX, rand() % 60 - 30) * (rand() % 2 ? 1 : -1);
    if (i % 4 == 0)
        return any;
    uint32_t code = (uint32_t)rand() % (1u << (bits_of(dtype) - 1));
    double at = meaning(dtype, code), next = meaning(dtype, code + 1);
    if (!isfinite(at) || !isfinite(next))
        return any;
    double middle = (at + next) / 2; /* a tie, or just beside it */
    return i % 4 == 1 ? middle : i % 4 == 2 ? nextafter(middle, 1e300) : nextafter(middle, -1e300);
}

START_TEST(numbers_go_to_the_nearest_code)
{
    uint32_t dtype = NARROW[_i];
    if (dtype == TF_DTYPE_F8E8M0)
        return; /* its ties go up: below */
    srand(7);
    for (int i = 0; i < 400000; i++) {
        double x = some_number(dtype, i);
        uint32_t right = nearest(dtype, x), limit = dtype == TF_DTYPE_FP8E4M3   ? 0x7e
                                                    : dtype == TF_DTYPE_FP8E5M2 ? 0x7b
                                                    : dtype == TF_DTYPE_F4E2M1  ? 7
                                                                                : UINT32_MAX;
        right = (right > limit ? limit : right) | (signbit(x) ? 1u << (bits_of(dtype) - 1) : 0);
        ck_assert_msg(encoded(dtype, x, FP8_SATURATE) == right, "%a: %x, right is %x", x, encoded(dtype, x, 0), right);
        float narrow = (float)x;
        ck_assert_uint_eq(encoded_f32(dtype, narrow, FP8_SATURATE), encoded(dtype, (double)narrow, FP8_SATURATE));
    }
}
END_TEST

static void expect_codes(uint32_t dtype, uint32_t overflow, size_t n, const double *x, const uint8_t *codes)
{
    for (size_t i = 0; i < n; i++) {
        ck_assert_msg(encoded(dtype, x[i], overflow) == codes[i], "%a: %02x, not %02x", x[i],
            encoded(dtype, x[i], overflow), codes[i]);
        ck_assert_uint_eq(encoded_f32(dtype, (float)x[i], overflow), codes[i]);
    }
}

START_TEST(e4m3_overflows_as_told)
{
    const double x[] = {448, 464, 464.00003, 465, 480, 1000, -1000, (double)INFINITY, (double)NAN};
    expect_codes(
        TF_DTYPE_FP8E4M3, FP8_SATURATE, 9, x, (const uint8_t[]){0x7e, 0x7e, 0x7e, 0x7e, 0x7e, 0x7e, 0xfe, 0x7e, 0x7f});
    expect_codes(
        TF_DTYPE_FP8E4M3, FP8_NAN, 9, x, (const uint8_t[]){0x7e, 0x7e, 0x7f, 0x7f, 0x7f, 0x7f, 0xff, 0x7f, 0x7f});
}
END_TEST

START_TEST(fp8_ties_go_to_even)
{
    expect_codes(TF_DTYPE_FP8E4M3, FP8_SATURATE, 6, (const double[]){4.25, 4.75, 17, 19, 248, 304},
        (const uint8_t[]){0x48, 0x4a, 0x58, 0x5a, 0x78, 0x7a});
    expect_codes(TF_DTYPE_FP8E5M2, FP8_SATURATE, 2, (const double[]){1.125, 1.625}, (const uint8_t[]){0x3c, 0x3e});
    expect_codes(TF_DTYPE_FP8E4M3, FP8_SATURATE, 3, (const double[]){0x1p-10, 0x1.8p-9, -0x1p-10},
        (const uint8_t[]){0x00, 0x02, 0x80});
}
END_TEST

START_TEST(e5m2_overflows_as_told)
{
    const double x[] = {57344, 61439, 61440, 65504, 1e6, (double)INFINITY};
    expect_codes(TF_DTYPE_FP8E5M2, FP8_SATURATE, 6, x, (const uint8_t[]){0x7b, 0x7b, 0x7b, 0x7b, 0x7b, 0x7b});
    expect_codes(TF_DTYPE_FP8E5M2, FP8_NAN, 6, x, (const uint8_t[]){0x7b, 0x7b, 0x7c, 0x7c, 0x7c, 0x7c});
}
END_TEST

START_TEST(e8m0_drops_the_sign_and_rounds_ties_up)
{
    const double x[] = {1, -1, 1.49, 1.5, -3, 0, 0x1p-127, 0x1.8p-127, 0x1p-140, 3.4e38, (double)INFINITY, (double)NAN};
    expect_codes(
        TF_DTYPE_F8E8M0, FP8_SATURATE, 12, x, (const uint8_t[]){127, 127, 127, 128, 129, 0, 0, 1, 0, 255, 255, 255});
}
END_TEST

START_TEST(sixteen_bits_overflow_to_infinity)
{
    ck_assert_uint_eq(encoded(TF_DTYPE_F16, 65519, 0), 0x7bff);
    ck_assert_uint_eq(encoded(TF_DTYPE_F16, 65520, 0), 0x7c00);
    ck_assert_uint_eq(encoded(TF_DTYPE_BF16, -1e39, 0), 0xff80);
    ck_assert_uint_eq(encoded_f32(TF_DTYPE_BF16, 3.4e38f, 0), 0x7f80);
}
END_TEST

START_TEST(floats_are_truncated_to_integers)
{
    const double x[] = {1.9, -1.9, 2147483647.0, 2147483648.0, -2147483648.9, (double)NAN, (double)INFINITY};
    const int32_t right[] = {1, -1, INT32_MAX, INT32_MIN, INT32_MIN, INT32_MIN, INT32_MIN};
    int32_t out[7];
    number_store_f64(TF_DTYPE_I32, 7, x, out, 0);
    ck_assert_mem_eq(out, right, sizeof(right));
    const double edges[] = {-0.9, 255.9, 256, -1, 127.9, -128.9};
    uint8_t unsigned_out[6];
    int8_t signed_out[6];
    number_store_f64(TF_DTYPE_U8, 6, edges, unsigned_out, 0);
    ck_assert_mem_eq(unsigned_out, ((const uint8_t[]){0, 255, 0, 0, 127, 0}), 6);
    number_store_f64(TF_DTYPE_I8, 6, edges, signed_out, 0);
    ck_assert_mem_eq(signed_out, ((const int8_t[]){0, -128, -128, -1, 127, -128}), 6);
    const double far[] = {0x1p63, -0x1p63, 0x1.fffffffffffffp62};
    int64_t wide[3];
    number_store_f64(TF_DTYPE_I64, 3, far, wide, 0);
    ck_assert_mem_eq(wide, ((const int64_t[]){INT64_MIN, INT64_MIN, 0x7ffffffffffffc00}), sizeof(wide));
    uint8_t truths[3];
    number_store_f64(TF_DTYPE_BOOL, 3, ((const double[]){(double)NAN, -0.0, 1e-300}), truths, 0);
    ck_assert_mem_eq(truths, ((const uint8_t[]){1, 0, 1}), 3);
}
END_TEST

START_TEST(integers_round_once)
{
    /* the 1 at the end makes it no tie, and a float would lose it */
    int64_t x[] = {
        (INT64_C(1) << 62) + (INT64_C(1) << 54) + 1, (INT64_C(1) << 62) + (INT64_C(1) << 54), 449, INT64_MIN};
    uint16_t out[4];
    number_store_i64(TF_DTYPE_BF16, 4, x, out, 0);
    ck_assert_uint_eq(out[0], 0x5e81);
    ck_assert_uint_eq(out[1], 0x5e80);
    ck_assert_uint_eq(out[2], 0x43e0);
    ck_assert_uint_eq(out[3], 0xdf00);
    uint8_t codes[4];
    number_store_i64(TF_DTYPE_FP8E4M3, 4, x, codes, FP8_SATURATE);
    ck_assert_mem_eq(codes, ((const uint8_t[]){0x7e, 0x7e, 0x7e, 0xfe}), 4);
    int32_t wrapped;
    number_store_i64(TF_DTYPE_I32, 1, &(int64_t){(INT64_C(1) << 33) + 5}, &wrapped, 0);
    ck_assert_int_eq(wrapped, 5);
    int64_t back;
    number_load_i64(TF_DTYPE_F32, 1, &(float){-7.75f}, &back);
    ck_assert_int_eq(back, -7);
}
END_TEST

START_TEST(long_arrays_are_as_single_numbers)
{
    enum { N = 331 };
    float x[N], back[N];
    uint8_t codes[2 * N];
    srand(3);
    for (int k = 0; k < N_NARROW; k++) {
        for (int i = 0; i < N; i++)
            x[i] = ldexpf((float)rand() / (float)RAND_MAX - 0.5f, rand() % 20 - 10);
        number_store_f32(NARROW[k], N, x, codes, 0);
        number_load_f32(NARROW[k], N, codes, back);
        for (int i = 0; i < N; i++) {
            uint32_t code = encoded_f32(NARROW[k], x[i], 0);
            ck_assert_uint_eq(code_at(NARROW[k], codes + (size_t)i * number_bytes(NARROW[k])), code);
            ck_assert(back[i] == (float)decoded(NARROW[k], code));
        }
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("convert");
    TCase *tests = tcase_create("convert");
    tcase_set_timeout(tests, 60);
    tcase_add_loop_test(tests, every_code_means_what_its_fields_say, 0, N_NARROW);
    tcase_add_loop_test(tests, every_code_comes_back, 0, N_NARROW);
    tcase_add_loop_test(tests, numbers_go_to_the_nearest_code, 0, N_NARROW);
    tcase_add_test(tests, e4m3_overflows_as_told);
    tcase_add_test(tests, fp8_ties_go_to_even);
    tcase_add_test(tests, e5m2_overflows_as_told);
    tcase_add_test(tests, e8m0_drops_the_sign_and_rounds_ties_up);
    tcase_add_test(tests, sixteen_bits_overflow_to_infinity);
    tcase_add_test(tests, floats_are_truncated_to_integers);
    tcase_add_test(tests, integers_round_once);
    tcase_add_test(tests, long_arrays_are_as_single_numbers);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}

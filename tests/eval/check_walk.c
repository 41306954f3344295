/* SPDX-License-Identifier: MIT
 * Products whose accumulator adds several at once and cuts off: what such machines give lies inside, and nothing wider.
 */
#include "enclosed.h"

enum { M = 3, N = 2 };

/* As the target's facts make it; tests/check/declared.sh holds the reading of those. */
static struct tf_declared with(const char *accumulator, uint32_t splits)
{
    struct tf_declared declared = declared_default();
    declared.accumulator = accumulator;
    declared.splits = splits;
    if (strstr(accumulator, "e4m3")) {
        declared.fraction_bits = 13;
        declared.step = 32;
        declared.chunk = strstr(accumulator, "+promote128") ? 128 : 0;
        declared.operands = UINT64_C(1) << TF_DTYPE_FP8E4M3 | UINT64_C(1) << TF_DTYPE_FP8E5M2;
    } else if (!strcmp(accumulator, "tensor-core")) {
        declared.fraction_bits = 23;
        declared.step = 16;
    } else if (!strcmp(accumulator, "tf32")) {
        declared.fraction_bits = 23;
        declared.step = 8;
        declared.operand_bits = 10;
    }
    return declared;
}

static void store(struct tensor *t, size_t i, float value)
{
    number_store_f32(t->pub.dtype, 1, &value, (char *)t->pub.data + i * number_bytes(t->pub.dtype), 0);
}

static double width(const struct tensor *bound, size_t i)
{
    return bound->pub.bound[i] - low_end(bound, i);
}

/* ---- one product of 448 squared, and ones -------------------------------------------------------------------------*/

static void open_ones(struct subject *s, const char *name)
{
    open_subject(s, "walk.py:Walk", name);
    for (uint32_t p = 0; p < 2; p++)
        for (size_t i = 0; i < s->params[p]->count; i++)
            store(s->params[p], i, 1);
    size_t k = s->params[0]->count / M;
    for (size_t i = 0; i < M; i++)
        store(s->params[0], i * k, 448);
    for (size_t i = 0; i < N; i++)
        store(s->params[1], i, 448);
}

/* name: of the function; half: what the sum may be off by, as it is worked by hand */
static void hold_ones(const char *name, const char *accumulator, double exact, double half, double given, int is_inside)
{
    struct subject s;
    struct tf_declared declared = with(accumulator, 0);
    open_ones(&s, name);
    run_subject(&s, &declared);
    const struct tensor *bound = s.bound.leaves[0];
    ck_assert_double_eq(element(s.declared.leaves[0], 0), exact);
    ck_assert_msg(fabs(width(bound, 0) / 2 - half) <= 0.02, "%s: +- %.17g", accumulator, width(bound, 0) / 2);
    ck_assert(holds(bound, 0, given) == is_inside);
    close_subject(&s);
}

START_TEST(figures_worked_by_hand)
{
    hold_ones("short", "wgmma-e4m3", 200831, 239, 200704, 1);
    hold_ones("short", "wgmma-e4m3+promote128", 200831, 239, 200704, 1);
    hold_ones("short", "f32", 200831, 1.52, 200704, 0);
    /* of 32 steps; those of 128 lose 239, 128, 128 ... where all addends are ones, and f32 adds some of 2.4e-3 */
    hold_ones("long", "f32", 204799, 50, 200704, 0);
}
END_TEST

/* 32 chunks of 16 ones lose 2^(4-23) each, and f32 31 of 2^-24 of all. */
START_TEST(chunks_are_added_in_f32)
{
    struct subject s;
    struct tf_declared declared = with("tensor-core", 0);
    declared.chunk = 16;
    open_subject(&s, "walk.py:Walk", "half");
    for (uint32_t p = 0; p < 2; p++)
        for (size_t i = 0; i < s.params[p]->count; i++)
            store(s.params[p], i, 1);
    run_subject(&s, &declared);
    ck_assert_double_eq_tol(width(s.bound.leaves[0], 0) / 2, 0x1p-14 + 31 * 0x1p-24 * 512, 0x1p-14);
    close_subject(&s);
}
END_TEST

/* What the device gave. */
START_TEST(a_device_is_inside)
{
    static const struct {
        const char *accumulator;
        double given;
    } SEEN[] = {{"wgmma-e4m3", 200704}, {"wgmma-e4m3+promote128", 204672}};
    for (size_t i = 0; i < 2; i++) {
        struct subject s;
        struct tf_declared declared = with(SEEN[i].accumulator, 0);
        open_ones(&s, "long");
        run_subject(&s, &declared);
        ck_assert(holds(s.bound.leaves[0], 0, SEEN[i].given));
        ck_assert(!holds(s.bound.leaves[0], 0, 204799 * 1.06));
        close_subject(&s);
    }
}
END_TEST

START_TEST(as_bf16_all_of_them_are_one_number)
{
    static const char *const ALL[] = {"wgmma-e4m3", "wgmma-e4m3+promote128", "f32", "f64"};
    for (size_t i = 0; i < 4; i++) {
        struct subject s;
        struct tf_declared declared = with(ALL[i], 0);
        open_ones(&s, "rounded");
        run_subject(&s, &declared);
        ck_assert_uint_eq(count_open(&s, 0), 0);
        ck_assert_double_eq(low_end(s.bound.leaves[0], 0), 200704);
        close_subject(&s);
    }
}
END_TEST

/* ---- machines -----------------------------------------------------------------------------------------------------*/

static double cut(double x, double largest, uint32_t bits)
{
    double unit = ldexp(1, ilogb(largest) - (int)bits);
    return trunc(x / unit) * unit;
}

/* One instruction: all of its addends are aligned to the largest. */
static double instruction(const struct tf_declared *d, const double *products, size_t n, double sum)
{
    double largest = fabs(sum), total = 0;
    for (size_t i = 0; i < n; i++)
        largest = fmax(largest, fabs(products[i]));
    if (largest == 0)
        return 0;
    for (size_t i = 0; i < n; i++)
        total += cut(products[i], largest, d->fraction_bits);
    total += cut(sum, largest, d->fraction_bits);
    return total == 0 ? 0 : cut(total, total, d->fraction_bits);
}

static float cut_operand(const struct tf_declared *d, float x)
{
    return d->operand_bits && x != 0 ? (float)cut((double)x, (double)x, d->operand_bits) : x;
}

/* A row by a column, as the machine that is declared multiplies them: a to c elements apart. */
static float machine(
    const struct tf_declared *d, const float *a, size_t a_step, const float *b, size_t b_step, size_t k)
{
    double products[64], sum = 0;
    float chunks = 0, all = 0;
    size_t parts = d->splits ? d->splits : 1, whole = d->chunk ? d->chunk : d->step;
    size_t part = ((k + parts - 1) / parts + whole - 1) / whole * whole;
    for (size_t at = 0; at < k; at += d->step) {
        size_t n = k - at < d->step ? k - at : d->step;
        for (size_t i = 0; i < n; i++)
            products[i] = (double)cut_operand(d, a[(at + i) * a_step]) * (double)cut_operand(d, b[(at + i) * b_step]);
        sum = instruction(d, products, n, sum);
        int ends_part = (at + n) % part == 0 || at + n == k;
        if ((d->chunk && (at + n) % d->chunk == 0) || ends_part)
            chunks += (float)sum, sum = 0;
        if (ends_part)
            all += chunks, chunks = 0;
    }
    return all;
}

static void hold_machine(const char *name, const char *declaration, uint32_t splits, int turned)
{
    struct subject s;
    struct tf_declared declared = with(declaration, splits);
    open_subject(&s, "walk.py:Walk", name);
    run_subject(&s, &declared);
    const float *x = floats(s.params[0]), *w = floats(s.params[1]);
    const struct tensor *bound = s.bound.leaves[0];
    size_t k = s.params[0]->count / M;
    for (size_t i = 0; i < M * N; i++) {
        const float *a = turned ? x + i / N : x + i / N * k, *b = turned ? w + i % N * k : w + i % N;
        double given = (double)machine(&declared, a, turned ? M : 1, b, turned ? 1 : N, k);
        ck_assert_msg(holds(bound, i, given), "%s[%zu], %s: %a is outside of [%a, %a]", name, i, declaration, given,
            low_end(bound, i), bound->pub.bound[i]);
        ck_assert(holds(bound, i, element(s.declared.leaves[0], i)));
        ck_assert_msg(
            !holds(bound, i, -given) && !holds(bound, i, 0), "%s[%zu], %s: anything passes", name, i, declaration);
    }
    close_subject(&s);
}

START_TEST(machines_are_inside)
{
    hold_machine("short", "wgmma-e4m3", 0, 0);
    hold_machine("long", "wgmma-e4m3", 0, 0);
    hold_machine("long", "wgmma-e4m3+promote128", 0, 0);
    hold_machine("long", "wgmma-e4m3+promote128", 3, 0);
    hold_machine("long", "wgmma-e4m3", 5, 0);
    hold_machine("half", "tensor-core", 0, 0);
    hold_machine("half", "tensor-core", 4, 0);
    hold_machine("turned", "tensor-core", 0, 1);
    hold_machine("single", "tf32", 0, 0);
}
END_TEST

/* Each assumption narrows or widens as it should. */
START_TEST(what_is_declared_decides)
{
    static const char *const FROM_NARROW[] = {"f64", "wgmma-e4m3+promote128", "wgmma-e4m3"};
    double before = -1;
    for (size_t i = 0; i < 3; i++) {
        struct subject s;
        struct tf_declared declared = with(FROM_NARROW[i], 0);
        open_subject(&s, "walk.py:Walk", "long");
        run_subject(&s, &declared);
        double now = width(s.bound.leaves[0], 0);
        ck_assert_msg(now > before, "%s: %g after %g", FROM_NARROW[i], now, before);
        before = now;
        close_subject(&s);
    }
}
END_TEST

/* Operands that are no single numbers: every one of them is inside. */
START_TEST(open_operands_widen)
{
    struct subject s;
    struct tf_declared declared = with("tensor-core", 0), sharp = declared;
    open_subject(&s, "walk.py:Walk", "open");
    for (uint32_t i = 0; i < TF_APPROX_COUNT; i++)
        sharp.ulp[i] = 0.5;
    declared.ulp[TF_APPROX_RSQRT] = 1 << 17;
    run_subject(&s, &sharp);
    count_open(&s, 0);
    double narrow = width(s.bound.leaves[0], 0);
    run_subject(&s, &declared);
    count_open(&s, 0);
    ck_assert_double_gt(width(s.bound.leaves[0], 0), 2 * narrow);
    close_subject(&s);
}
END_TEST

/* Past 2^26 products only some rows are walked, and the coarser form is what the others have. */
START_TEST(many_rows_are_drawn)
{
    struct subject s;
    struct tf_declared declared = with("wgmma-e4m3", 0);
    struct tf_walks walks = {.struct_size = sizeof(walks), .seed = 5};
    struct bound_request request = {.declared = &declared, .walks = &walks};
    size_t fine = 0, coarse = 0;
    open_subject(&s, "walk.py:Walk", "many");
    for (size_t i = 0; i < s.params[0]->count; i++)
        store(s.params[0], i, i % 128 ? 1 : 448);
    for (size_t i = 0; i < s.params[1]->count; i++)
        store(s.params[1], i, i < 512 ? 448 : 1);
    ck_assert_int_eq(eval_bound(ctx, s.function, s.params, &memory, &request, &s.bound), 0);
    for (size_t row = 0; row < 1100; row++) {
        double half = width(s.bound.leaves[0], row * 512 + 7) / 2;
        fine += fabs(half - 239) < 0.02;
        coarse += fabs(half - 3334.1) < 0.1;
    }
    ck_assert_uint_eq(fine, 1024);
    ck_assert_uint_eq(coarse, 76);
    ck_assert_uint_eq(walks.rows, 1100);
    ck_assert_uint_eq(walks.walked, 1024);
    close_subject(&s);
}
END_TEST

/* What is no product is added in f32. */
START_TEST(other_sums_are_in_f32)
{
    struct subject s;
    struct tf_declared declared = with("wgmma-e4m3", 0);
    open_subject(&s, "walk.py:Walk", "scaled");
    run_subject(&s, &declared);
    count_open(&s, 0);
    close_subject(&s);
}
END_TEST

/* ---- refusals -----------------------------------------------------------------------------------------------------*/

START_TEST(operands_are_those_that_it_multiplies)
{
    struct subject s;
    struct tf_declared declared = with("wgmma-e4m3", 0);
    open_subject(&s, "walk.py:Walk", "half");
    ck_assert_int_ne(find_bound(&s, &declared, NULL), 0);
    const char *said = told();
    ck_assert_msg(strstr(said, "matmul: the accumulator wgmma-e4m3 adds products of fp8e4m3, fp8e5m2, and these are of "
                               "bf16 [bound-accumulator]"),
        "%s", said);
    close_subject(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("walk");
    TCase *all = tcase_create("walk");
    tcase_set_timeout(all, 60);
    tcase_add_checked_fixture(all, set_up, end_context);
    tcase_add_test(all, figures_worked_by_hand);
    tcase_add_test(all, chunks_are_added_in_f32);
    tcase_add_test(all, a_device_is_inside);
    tcase_add_test(all, as_bf16_all_of_them_are_one_number);
    tcase_add_test(all, machines_are_inside);
    tcase_add_test(all, what_is_declared_decides);
    tcase_add_test(all, open_operands_widen);
    tcase_add_test(all, many_rows_are_drawn);
    tcase_add_test(all, other_sums_are_in_f32);
    tcase_add_test(all, operands_are_those_that_it_multiplies);
    suite_add_tcase(suite, all);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

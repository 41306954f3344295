/* SPDX-License-Identifier: MIT
 * Enclosures: what legal implementations give lies in them, what wrong ones give does not, and where nothing is free they
 * are single values.
 */
#include "eval/draw.h"
#include "eval/run.h"
#include "front/front.h"
#include "plugin/numbers.h"
#include "plugin/registry.h"
#include "type/type.h"
#include "util/diag.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static tf_ctx *ctx;
static struct tensor_memory memory;
extern const struct tf_math tilefoundry_math;

static void set_up(void)
{
    const char *build = getenv("TF_BUILD");
    ctx = ctx_create();
    ctx->math = &tilefoundry_math;
    registry_only_added_paths(ctx);
    ck_assert_int_eq(registry_add_path(ctx, arena_format(&ctx->arena, "%s/plugins/.libs", build ? build : ".")), 0);
}

static void tear_down(void)
{
    ck_assert_uint_eq(memory.now, 0);
    registry_destroy(ctx->registry);
    ctx_destroy(ctx);
}

#define MOST_PARAMS 3
struct subject {
    const struct tf_function *function;
    struct tensor *params[MOST_PARAMS];
    struct eval_result declared, bound;
};

static const struct tf_function *function_named(const char *name)
{
    struct selection selected;
    const char *source = getenv("TF_SRC");
    source = arena_format(&ctx->arena, "%s/tests/eval/bound.py:Bound.%s", source ? source : ".", name);
    ck_assert_int_eq(front_load(ctx, source, &selected), 0);
    const struct ir_function *inlined = ir_inline_values(ctx, selected.module, selected.function, NULL, 0);
    ck_assert_ptr_nonnull(inlined);
    return &inlined->pub;
}

static void open_subject(struct subject *s, const char *name)
{
    struct generator generator = {.seed = 7, .threads = 270336};
    struct draw draw = {.kind = DRAW_NORMAL};
    *s = (struct subject){.function = function_named(name)};
    for (uint32_t i = 0; i < s->function->n_params; i++) {
        s->params[i] = tensor_of_type(ctx, &memory, s->function->params[i]->type);
        ck_assert_int_eq(draw_fill(ctx, &generator, &draw, s->params[i], 0), 0);
    }
}

static int find_bound(struct subject *s, const struct tf_declared *declared, struct tensor *const *delivered)
{
    struct bound_request request = {.declared = declared, .delivered = delivered};
    eval_result_free(&s->bound);
    return eval_bound(ctx, s->function, s->params, &memory, &request, &s->bound);
}

static void run_subject(struct subject *s, const struct tf_declared *declared)
{
    ck_assert_int_eq(eval_function(ctx, s->function, s->params, &memory, 0, &s->declared), 0);
    ck_assert_int_eq(find_bound(s, declared, NULL), 0);
}

static void close_subject(struct subject *s)
{
    for (uint32_t i = 0; i < MOST_PARAMS; i++)
        tensor_release(s->params[i]);
    eval_result_free(&s->declared);
    eval_result_free(&s->bound);
}

static int holds(const struct tensor *bound, size_t i, double value)
{
    if (value != value)
        return bound->pub.doubt[i] != 0;
    return ((const double *)bound->pub.data)[i] <= value && value <= bound->pub.bound[i];
}

static int is_open(const struct tensor *bound, size_t i)
{
    return ((const double *)bound->pub.data)[i] != bound->pub.bound[i];
}

/* What the evaluator gives is a legal result; how many elements have more than one. */
static size_t count_open(const struct subject *s, uint32_t leaf)
{
    const struct tensor *value = s->declared.leaves[leaf], *bound = s->bound.leaves[leaf];
    size_t open = 0;
    for (size_t i = 0; i < value->count; i++) {
        double number;
        number_load_f64(
            value->pub.dtype, 1, (const char *)value->pub.data + i * number_bytes(value->pub.dtype), &number);
        ck_assert_msg(holds(bound, i, number), "leaf %u, element %zu: %a is outside of [%a, %a]", leaf, i, number,
            ((const double *)bound->pub.data)[i], bound->pub.bound[i]);
        open += (size_t)is_open(bound, i);
    }
    return open;
}

/* ---- other orders -------------------------------------------------------------------------------------------------*/

static uint32_t random_state = 1;

static uint32_t random_below(uint32_t n)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % n;
}

enum { N = 512, R = 4, WAYS = 60 };

static void shuffle(size_t *order)
{
    for (size_t i = 0; i < N; i++)
        order[i] = i;
    for (size_t i = N; i-- > 1;) {
        size_t k = random_below((uint32_t)i + 1), kept = order[i];
        order[i] = order[k];
        order[k] = kept;
    }
}

/* The sum of a[i] * b[i] as some legal kernel takes it: any order, in 1 to 64 parts, with FMA or a product that is
 * rounded, in f32 or wider. */
static float summed(const float *a, const float *b)
{
    size_t order[N], parts = (size_t)1 << random_below(7), with_fma = random_below(2), wide = random_below(3) == 0;
    double part[64] = {0};
    shuffle(order);
    for (size_t i = 0; i < N; i++) {
        double *to = &part[i % parts];
        float x = a[order[i]], y = b[order[i]];
        if (wide)
            *to += (double)x * (double)y;
        else
            *to = (double)(with_fma ? fmaf(x, y, (float)*to) : (float)*to + (float)(x * y));
    }
    for (size_t width = parts; width > 1; width /= 2)
        for (size_t i = 0; i < width / 2; i++)
            part[i] = wide ? part[i] + part[i + width / 2] : (double)((float)part[i] + (float)part[i + width / 2]);
    return (float)part[0];
}

static const float *floats(const struct tensor *t)
{
    float *to = CTX_ARRAY(ctx, float, t->count);
    number_load_f32(t->pub.dtype, t->count, t->pub.data, to);
    return to;
}

static void hold_orders(const char *name, int squares, int divides)
{
    struct subject s;
    struct tf_declared declared = declared_default();
    float ones[N];
    size_t wrong = 0;
    for (size_t i = 0; i < N; i++)
        ones[i] = 1;
    open_subject(&s, name);
    run_subject(&s, &declared);
    ck_assert_uint_eq(count_open(&s, 0), R);
    const float *x = floats(s.params[0]);
    for (int way = 0; way < WAYS; way++)
        for (size_t row = 0; row < R; row++) {
            float sum = summed(x + row * N, squares ? x + row * N : ones), value = divides ? sum / N : sum;
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
    open_subject(&s, name);
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
            sum = summed(x + i / 3 * N, column);
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
        open_subject(&s, NAMES[i]);
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
    open_subject(&s, "chain");
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
    open_subject(&s, "curves");
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
    open_subject(&s, "codes");
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
    open_subject(&s, "delivered");
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
    open_subject(&s, "total");
    memcpy(s.params[0]->pub.data, PAST, sizeof(PAST));
    run_subject(&s, &declared);
    count_open(&s, 0); /* ours is inf, in another order it is 3e38 */
    ck_assert(holds(s.bound.leaves[0], 0, (double)INFINITY) && holds(s.bound.leaves[0], 0, (double)3e38f));
    close_subject(&s);
    open_subject(&s, "product");
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

START_TEST(infinities_of_both_signs_are_no_number)
{
    struct subject s;
    struct tf_declared declared = declared_default();
    open_subject(&s, "total");
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

static const char *told(void)
{
    char *text = NULL;
    size_t length = 0;
    FILE *to = open_memstream(&text, &length);
    diag_flush(ctx, to, 0);
    fclose(to);
    const char *kept = ctx_intern(ctx, text);
    free(text);
    return kept;
}

static void refused(const char *name, const char *accumulator, const char *words)
{
    struct subject s;
    struct tf_declared declared = declared_default();
    declared.accumulator = accumulator;
    open_subject(&s, name);
    ck_assert_int_ne(find_bound(&s, &declared, NULL), 0);
    const char *text = told();
    ck_assert_msg(strstr(text, words) != NULL, "%s", text);
    close_subject(&s);
}

START_TEST(what_has_no_bound_is_refused)
{
    refused("activation", "f32", "its plugin states no bound of its error");
    refused("total", "abacus", "no bound is known for the accumulator abacus");
    refused("total", "bf16", "sums of 512 terms in bf16 have no digit that is certain");
    refused("product", "bf16", "have no digit that is certain");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("bound");
    TCase *all = tcase_create("bound");
    tcase_add_checked_fixture(all, set_up, tear_down);
    tcase_add_test(all, sums_in_any_order_are_inside);
    tcase_add_test(all, products_in_any_order_are_inside);
    tcase_add_test(all, what_is_not_free_is_a_point);
    tcase_add_test(all, fma_is_one_rounding_or_two);
    tcase_add_test(all, approximations_are_as_declared);
    tcase_add_test(all, codes_are_those_that_ends_round_to);
    tcase_add_test(all, what_was_delivered_is_a_point_further_on);
    tcase_add_test(all, sums_may_overflow_and_products_underflow);
    tcase_add_test(all, infinities_of_both_signs_are_no_number);
    tcase_add_test(all, what_has_no_bound_is_refused);
    suite_add_tcase(suite, all);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

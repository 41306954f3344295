/* SPDX-License-Identifier: MIT
 * In blocks of rows, of however many, a function is what it is as a whole.
 */
#include "eval/enclosed.h"

#define FILE_OF "rows.py:Rows"

static const char *const BY_ROWS[] = {
    "chain", "line", "norm_quant", "merged", "split", "fields", "turned", "placed", "fused"};
static const char *const IN_PART[] = {"after_product", "column_means", "loops", "mixed", "columns", "total",
    "down_columns", "largest_of_columns", "one_row"};
#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static void hold_same(const char *name, const struct eval_result *a, const struct eval_result *b)
{
    ck_assert_uint_eq(a->n, b->n);
    for (uint32_t i = 0; i < a->n; i++) {
        ck_assert_uint_eq(a->leaves[i]->bytes, b->leaves[i]->bytes);
        ck_assert_msg(
            !memcmp(a->leaves[i]->pub.data, b->leaves[i]->pub.data, a->leaves[i]->bytes), "%s, leaf %u", name, i);
    }
}

static void hold_declared(const char *name)
{
    struct subject s;
    struct eval_result whole, rows;
    open_subject(&s, FILE_OF, name);
    ck_assert_int_eq(eval_function_by(ctx, s.function, s.params, &memory, 0, 0, &whole), 0);
    for (uint64_t n = 1; n < 6; n++) {
        ck_assert_int_eq(eval_function_by(ctx, s.function, s.params, &memory, 0, n, &rows), 0);
        hold_same(name, &whole, &rows);
        eval_result_free(&rows);
    }
    eval_result_free(&whole);
    close_subject(&s);
}

START_TEST(blocks_give_the_same_values)
{
    for (size_t i = 0; i < COUNT(BY_ROWS); i++)
        hold_declared(BY_ROWS[i]);
    for (size_t i = 0; i < COUNT(IN_PART); i++)
        hold_declared(IN_PART[i]);
}
END_TEST

/* ---- blocks that are handed on ------------------------------------------------------------------------------------*/

struct held {
    const char *name;
    const struct eval_result *whole;
    uint64_t done;
};

/* A block is where it belongs in the whole. */
static int hold_block(void *data, uint64_t first, uint64_t end, uint64_t n_rows, const struct tf_tensor *const *results)
{
    struct held *h = data;
    ck_assert_uint_eq(first, h->done);
    h->done = end;
    for (uint32_t i = 0; i < h->whole->n; i++) {
        const struct tensor *whole = h->whole->leaves[i];
        size_t row = whole->count / n_rows, n = (size_t)(end - first) * row, at = (size_t)first * row;
        size_t width = whole->pub.bound ? sizeof(double) : number_bytes(results[i]->dtype);
        ck_assert_uint_eq(results[i]->dtype, whole->pub.dtype);
        ck_assert_msg(!memcmp(results[i]->data, (const char *)whole->pub.data + at * width, n * width), "%s", h->name);
        if (!whole->pub.bound)
            continue;
        ck_assert_msg(!memcmp(results[i]->bound, whole->pub.bound + at, n * sizeof(double)), "%s", h->name);
        ck_assert_msg(!memcmp(results[i]->doubt, whole->pub.doubt + at, n), "%s", h->name);
    }
    return 0;
}

static int run_rows(struct subject *s, uint32_t mode, const struct bound_request *request, struct held *held)
{
    return eval_rows(ctx, s->function, s->params, &memory, mode, request, 2, hold_block, held);
}

START_TEST(truth_is_handed_on)
{
    for (size_t i = 0; i < COUNT(BY_ROWS); i++) {
        struct subject s;
        struct eval_result whole;
        struct held held = {.name = BY_ROWS[i], .whole = &whole};
        open_subject(&s, FILE_OF, BY_ROWS[i]);
        ck_assert_int_eq(eval_exact(ctx, s.function, s.params, &memory, &whole), 0);
        ck_assert_int_eq(run_rows(&s, TF_EVAL_EXACT, NULL, &held), 0);
        ck_assert_uint_gt(held.done, 0);
        eval_result_free(&whole);
        close_subject(&s);
    }
}
END_TEST

static int has_enclosures(const char *name)
{
    return strcmp(name, "merged") != 0 && strcmp(name, "fields") != 0; /* until softmax, topk and quant have them */
}

START_TEST(enclosures_are_handed_on)
{
    struct tf_declared declared = declared_default();
    for (size_t i = 0; i < COUNT(BY_ROWS); i++) {
        struct subject s;
        if (!has_enclosures(BY_ROWS[i]))
            continue;
        open_subject(&s, FILE_OF, BY_ROWS[i]);
        run_subject(&s, &declared);
        for (int delivered = 0; delivered < 2; delivered++) {
            struct bound_request request = {.declared = &declared, .delivered = delivered ? s.declared.leaves : NULL};
            struct held held = {.name = BY_ROWS[i], .whole = &s.bound};
            ck_assert_int_eq(find_bound(&s, &declared, request.delivered), 0);
            ck_assert_int_eq(run_rows(&s, TF_EVAL_BOUND, &request, &held), 0);
            ck_assert_uint_gt(held.done, 0);
        }
        close_subject(&s);
    }
}
END_TEST

START_TEST(what_is_not_of_rows_is_refused)
{
    for (size_t i = 0; i < COUNT(IN_PART); i++) {
        struct subject s;
        struct held held = {.name = IN_PART[i]};
        int is_last = !strcmp(IN_PART[i], "after_product") || !strcmp(IN_PART[i], "column_means") ||
                      !strcmp(IN_PART[i], "loops"); /* their last operators are */
        struct eval_result whole = {0};
        open_subject(&s, FILE_OF, IN_PART[i]);
        ck_assert_int_eq(eval_exact(ctx, s.function, s.params, &memory, &whole), 0);
        held.whole = &whole;
        int rc = run_rows(&s, TF_EVAL_EXACT, NULL, &held);
        ck_assert_msg(rc == (is_last ? TF_OK : TF_E_UNSUPPORTED), "%s: %d", IN_PART[i], rc);
        ck_assert_str_eq(told(), "");
        eval_result_free(&whole);
        close_subject(&s);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("rows");
    TCase *cases = tcase_create("rows");
    tcase_add_checked_fixture(cases, set_up, end_context);
    tcase_add_test(cases, blocks_give_the_same_values);
    tcase_add_test(cases, truth_is_handed_on);
    tcase_add_test(cases, enclosures_are_handed_on);
    tcase_add_test(cases, what_is_not_of_rows_is_refused);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}

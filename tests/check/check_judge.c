/* SPDX-License-Identifier: MIT
 * The question on the command line, the verdict on an output, and wrong candidates: which there are, and what finds each.
 */
#include "check/check.h"
#include "context.h"
#include "plugin/numbers.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void set_up(void)
{
    static const struct tf_math math = {.struct_size = sizeof(math), .sqrt = sqrt};
    begin_context(&math);
}

/* Words as on the command line: "--out output --fn allclose --atol 1". */
static int ask(struct request *request, const char *line)
{
    char *copy = arena_strndup(&ctx->arena, line, strlen(line)), *rest = NULL;
    int status = 0;
    *request = (struct request){0};
    for (char *word = strtok_r(copy, " ", &rest); word && !status; word = strtok_r(NULL, " ", &rest)) {
        const char *value = strtok_r(NULL, " ", &rest);
        if (!strcmp(word, "--out"))
            status = request_output(ctx, request, value);
        else if (!strcmp(word, "--fn"))
            status = request_comparison(ctx, request, value);
        else
            status = request_bound(ctx, request, word + 2, value);
    }
    return status ? status : request_finish(ctx, request);
}

START_TEST(questions)
{
    static const struct {
        const char *line, *told; /* told: NULL where the question is one */
    } ROWS[] = {
        {"--out output --fn equal", NULL},
        {"--out output[0] --fn allclose --rtol 1e-3 --atol -1 --fn equal --out output[1] --fn rel_l2 --max nan", NULL},
        {"--out output --fn equal --fn equal", NULL},
        {"", "error: nothing is compared: every output needs --out OUTPUT and at least one --fn after it, as in --out "
             "output --fn equal [check-output]"},
        {"--out a --fn equal --out a --fn equal", "--out a is given twice: name all its comparisons after one"},
        {"--fn equal", "--fn equal comes before any --out: name the output first [check-comparison]"},
        {"--atol 1", "--atol comes before any --fn: name the comparison that it bounds first [check-bound]"},
        {"--out output --atol 1", "--atol comes before any --fn"},
        {"--out output", "--out output has no --fn after it: name what it is compared by, such as --fn equal"},
        {"--out a --out b --fn equal", "--out a has no --fn after it"},
        {"--out a --fn allclose --atol 1", "--fn allclose needs --rtol: no bound has a default"},
        {"--out a --fn allclose", "--fn allclose needs --atol, --rtol: no bound has a default"},
        {"--out a --fn max_abs --fn equal", "--fn max_abs needs --max"},
        {"--out a --fn max_abs --min 1", "--fn max_abs takes --max, not --min"},
        {"--out a --fn equal --min 1", "--fn equal takes no bound, so no --min"},
        {"--out a --fn max_abs --max 1 --max 1", "--max is given twice for one --fn max_abs"},
        {"--out a --fn max_abs --max x1", "--max takes a number, got 'x1'"},
        {"--out a --fn max_asb --max 1", "there is no comparison max_asb: did you mean max_abs?"},
        {"--out a --fn zzzzzzzzzzz",
            "there is no comparison zzzzzzzzzzz; there are allclose, bias, cosine, derived, equal"},
    };
    for (size_t i = 0; i < sizeof(ROWS) / sizeof(*ROWS); i++) {
        struct request request;
        ck_assert_int_eq(ask(&request, ROWS[i].line), ROWS[i].told ? CHECK_USAGE : 0);
        const char *text = told();
        ck_assert_msg(ROWS[i].told ? strstr(text, ROWS[i].told) != NULL : !*text, "%s: %s", ROWS[i].line, text);
        request_free(&request);
    }
    ck_assert(bound_exists(ctx, "budget") && bound_exists(ctx, "min") && !bound_exists(ctx, "least"));
}
END_TEST

static struct leaf make(uint32_t dtype, int64_t rows, int64_t columns, const double *values)
{
    int64_t extents[] = {rows, columns};
    struct leaf leaf = {"output", tensor_new(ctx, &memory, dtype, 2, extents)};
    ck_assert_ptr_nonnull(leaf.tensor);
    number_store_f64(dtype, leaf.tensor->count, values, leaf.tensor->pub.data, FP8_NAN);
    return leaf;
}

/* The verdict on a candidate of 2 x 3, or the status when there is none. */
static struct output_finding found;
static int verdict_of(
    const char *line, uint32_t nan_equal, uint32_t dtype, const double *candidate, const double *reference)
{
    struct request request;
    struct leaf c = make(dtype, 2, 3, candidate), r = make(dtype, 2, 3, reference);
    ck_assert_int_eq(ask(&request, line), 0);
    request.nan_equal = nan_equal;
    int status = judge_output(ctx, &request, &request.outputs.at[0], &c, &r, NULL, &found);
    tensor_release(c.tensor);
    tensor_release(r.tensor);
    request_free(&request);
    return status;
}

static const double VALUES[] = {1, -2, 3, 40, 50, -60};

static const char *killer(const char *mutant)
{
    for (size_t i = 0; i < found.n_mutants; i++)
        if (!strcmp(found.mutants[i].name, mutant))
            return found.mutants[i].killed_by ? found.mutants[i].killed_by : "nothing";
    return "absent";
}

START_TEST(mutants_die)
{
    ck_assert_int_eq(verdict_of("--out output --fn equal", 0, TF_DTYPE_F32, VALUES, VALUES), 0);
    ck_assert_int_eq(found.verdict, VERDICT_PASS);
    ck_assert_uint_eq(found.n_mutants, 9);
    for (size_t i = 0; i < found.n_mutants; i++)
        ck_assert_msg(found.mutants[i].killed_by != NULL, "%s lives", found.mutants[i].name);
    ck_assert_int_eq(verdict_of("--out output --fn equal", 0, TF_DTYPE_FP8E4M3, VALUES, VALUES), 0);
    ck_assert_uint_eq(found.n_mutants, 9);
    ck_assert_int_eq(verdict_of("--out output --fn equal", 0, TF_DTYPE_I32, VALUES, VALUES), 0);
    ck_assert_str_eq(killer("negated"), "equal");
    ck_assert_str_eq(killer("gain 1.04"), "absent");
    ck_assert_str_eq(killer("one element off"), "equal");
}
END_TEST

START_TEST(mutants_live)
{
    /* a bound above everything accepts everything */
    ck_assert_int_eq(verdict_of("--out output --fn allclose --atol 200 --rtol 0", 0, TF_DTYPE_F32, VALUES, VALUES), 0);
    ck_assert_int_eq(found.verdict, VERDICT_VACUOUS);
    ck_assert_str_eq(killer("zeros"), "nothing");
    ck_assert_double_eq(found.largest, 60);
    /* cosine sees no gain, which is fine: the verdict stands */
    ck_assert_int_eq(verdict_of("--out output --fn cosine --min 0.999", 0, TF_DTYPE_F32, VALUES, VALUES), 0);
    ck_assert_int_eq(found.verdict, VERDICT_PASS);
    ck_assert_str_eq(killer("gain 1.04"), "nothing");
    ck_assert_str_eq(killer("negated"), "cosine");
    /* two comparisons find what one does not */
    ck_assert_int_eq(
        verdict_of("--out output --fn cosine --min 0.999 --fn gain --max 0.01", 0, TF_DTYPE_F32, VALUES, VALUES), 0);
    ck_assert_str_eq(killer("gain 1.04"), "gain");
    /* looking at the candidate alone accepts zeros */
    ck_assert_int_eq(verdict_of("--out output --fn nan_inf", 0, TF_DTYPE_F32, VALUES, VALUES), 0);
    ck_assert_int_eq(found.verdict, VERDICT_VACUOUS);
}
END_TEST

START_TEST(mutants_absent)
{
    static const double SAME[] = {0, 0, 0, 0, 0, 0}, ONES[] = {1, 1, 1, 1, 1, 1};
    ck_assert_int_eq(verdict_of("--out output --fn equal", 0, TF_DTYPE_F32, SAME, SAME), 0);
    ck_assert_int_eq(found.verdict, VERDICT_PASS);
    ck_assert_str_eq(killer("zeros"), "absent");
    ck_assert_str_eq(killer("negated"), "absent");
    ck_assert_str_eq(killer("one element off"), "equal");
    ck_assert_int_eq(verdict_of("--out output --fn equal", 0, TF_DTYPE_F8E8M0, ONES, ONES), 0);
    ck_assert_str_eq(killer("negated"), "absent");
    ck_assert_str_eq(killer("shifted"), "absent");
    ck_assert_str_eq(killer("scales swapped"), "absent");
    ck_assert_str_eq(killer("zeros"), "equal");
}
END_TEST

START_TEST(failures)
{
    static const double OTHER[] = {1, -2, 3, 40, 50, -61};
    ck_assert_int_eq(verdict_of("--out output --fn equal", 0, TF_DTYPE_F32, OTHER, VALUES), 0);
    ck_assert_int_eq(found.verdict, VERDICT_FAIL);
    ck_assert_uint_eq(found.findings[0].judgement.worst, 6);
    /* a failure is not also vacuous */
    ck_assert_int_eq(verdict_of("--out output --fn equal --fn nan_inf", 0, TF_DTYPE_F32, OTHER, VALUES), 0);
    ck_assert_int_eq(found.verdict, VERDICT_FAIL);
}
END_TEST

START_TEST(nans)
{
    const double nan = (double)NAN;
    const double holed[] = {1, nan, 3, 40, 50, -60}, filled[] = {1, 9, 3, 40, 50, -60};
    ck_assert_int_eq(verdict_of("--out output --fn equal", 0, TF_DTYPE_F32, holed, holed), CHECK_USAGE);
    ck_assert_ptr_nonnull(strstr(told(), "output[0,1]: the reference is NaN there, so nothing can be held to it"));
    ck_assert_int_eq(verdict_of("--out output --fn equal", 1, TF_DTYPE_F32, holed, holed), 0);
    ck_assert_int_eq(found.verdict, VERDICT_PASS);
    ck_assert_int_eq(verdict_of("--out output --fn allclose --atol 1 --rtol 0", 1, TF_DTYPE_BF16, holed, holed), 0);
    ck_assert_int_eq(found.verdict, VERDICT_PASS);
    ck_assert_int_eq(verdict_of("--out output --fn equal", 1, TF_DTYPE_F32, filled, holed), 0);
    ck_assert_int_eq(found.verdict, VERDICT_FAIL);
    ck_assert_int_eq(verdict_of("--out output --fn max_abs --max 1e9", 1, TF_DTYPE_F32, holed, filled), 0);
    ck_assert_int_eq(found.verdict, VERDICT_FAIL);
    /* what looks at the candidate alone sees its NaN */
    ck_assert_int_eq(verdict_of("--out output --fn nan_inf", 1, TF_DTYPE_F32, holed, holed), 0);
    ck_assert_int_eq(found.verdict, VERDICT_FAIL);
}
END_TEST

START_TEST(empty)
{
    struct request request;
    struct leaf c = make(TF_DTYPE_F32, 0, 3, VALUES);
    ck_assert_int_eq(ask(&request, "--out output --fn equal --fn nan_inf"), 0);
    ck_assert_int_eq(judge_output(ctx, &request, &request.outputs.at[0], &c, &c, NULL, &found), 0);
    ck_assert_int_eq(found.verdict, VERDICT_FAIL);
    ck_assert_str_eq(found.findings[1].judgement.note, "the output has no elements, so nothing was compared");
    ck_assert_uint_eq(found.n_mutants, 0);
    tensor_release(c.tensor);
    request_free(&request);
}
END_TEST

START_TEST(sides)
{
    struct request request;
    struct leaf f = make(TF_DTYPE_F32, 2, 3, VALUES), i = make(TF_DTYPE_I32, 2, 3, VALUES),
                t = make(TF_DTYPE_F32, 3, 2, VALUES);
    struct leaves of_f = {1, &f}, of_i = {1, &i}, of_t = {1, &t}, none = {0};
    ck_assert_int_eq(leaves_agree(ctx, &of_f, &of_f), 0);
    ck_assert_int_eq(leaves_agree(ctx, &of_f, &of_i), CHECK_ERROR);
    ck_assert_ptr_nonnull(strstr(told(), "output: the candidate is (2, 3) f32, the reference (2, 3) i32"));
    ck_assert_int_eq(leaves_agree(ctx, &of_t, &of_f), CHECK_ERROR);
    ck_assert_ptr_nonnull(strstr(told(), "output: the candidate is (3, 2) f32, the reference (2, 3) f32"));
    ck_assert_int_eq(leaves_agree(ctx, &none, &of_f), CHECK_ERROR);
    ck_assert_ptr_nonnull(strstr(told(), "the candidate gives 0 outputs, the reference 1"));
    ck_assert_int_eq(ask(&request, "--out output --fn rel_l2 --max 1"), 0);
    ck_assert_int_eq(request_suits(ctx, &request, &of_f, 1), 0);
    ck_assert_int_eq(request_suits(ctx, &request, &of_f, 0), CHECK_USAGE);
    ck_assert_ptr_nonnull(strstr(told(), "output: rel_l2 needs a reference, and there is none"));
    ck_assert_int_eq(request_suits(ctx, &request, &of_i, 1), CHECK_USAGE);
    ck_assert_ptr_nonnull(strstr(told(), "output is i32, of which rel_l2 says nothing: compare it by derived, equal"));
    request_free(&request);
    ck_assert_int_eq(ask(&request, "--out x --fn equal"), 0);
    ck_assert_int_eq(request_suits(ctx, &request, &of_f, 1), CHECK_USAGE);
    ck_assert_ptr_nonnull(strstr(told(), "there is no output x: this run gives output"));
    request_free(&request);
    struct leaf both[] = {f, t};
    struct leaves of_both = {2, both};
    both[1].path = "other";
    ck_assert_int_eq(ask(&request, "--out output --fn equal"), 0);
    ck_assert_int_eq(request_suits(ctx, &request, &of_both, 1), CHECK_USAGE);
    ck_assert_ptr_nonnull(strstr(told(), "nothing is compared of other: every output needs --out"));
    request_free(&request);
    tensor_release(f.tensor);
    tensor_release(i.tensor);
    tensor_release(t.tensor);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("judge");
    TCase *tests = tcase_create("judge");
    tcase_add_checked_fixture(tests, set_up, end_context);
    tcase_add_test(tests, questions);
    tcase_add_test(tests, mutants_die);
    tcase_add_test(tests, mutants_live);
    tcase_add_test(tests, mutants_absent);
    tcase_add_test(tests, failures);
    tcase_add_test(tests, nans);
    tcase_add_test(tests, empty);
    tcase_add_test(tests, sides);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}

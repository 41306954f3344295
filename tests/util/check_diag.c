/* SPDX-License-Identifier: MIT
 * In which order diagnostics are told.
 */
#include "util/diag.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static tf_ctx *ctx;
static struct tf_loc first, second;

static void setup(void)
{
    static const char text[] = "a = 1\nb = 2\nc = 3\n";
    ctx = ctx_create();
    first = loc_file(source_add(ctx, "first.py", text, strlen(text)));
    second = loc_file(source_add(ctx, "second.py", text, strlen(text)));
}

static void teardown(void)
{
    ctx_destroy(ctx);
}

static const struct tf_loc *at(struct tf_loc *loc, uint32_t line, uint32_t column)
{
    loc->line = line;
    loc->column = column;
    return loc;
}

/* The texts that are told, without places, source lines and codes, one a line. */
static void expect(const char *want, size_t errors)
{
    char *told = NULL, got[512] = "";
    size_t n = 0;
    FILE *to = open_memstream(&told, &n);
    ck_assert_uint_eq(diag_flush(ctx, to, 0), errors);
    fclose(to);
    for (char *line = strtok(told, "\n"); line; line = strtok(NULL, "\n")) {
        char *end = strstr(line, " [test]"), *start = end ? strstr(line, ": ") : NULL;
        if (!start)
            continue;
        *end = '\0';
        strcat(strcat(got, strstr(start + 2, ": ") + 2), " ");
    }
    ck_assert_str_eq(got, want);
    free(told);
}

START_TEST(test_places)
{
    ERROR(ctx, at(&second, 1, 1), "test", "f");
    ERROR(ctx, at(&first, 2, 5), "test", "e");
    ERROR(ctx, at(&first, 2, 1), "test", "d");
    ERROR(ctx, at(&first, 1, 3), "test", "c");
    ERROR(ctx, NULL, "test", "a");
    ERROR(ctx, NULL, "test", "b");
    expect("a b c d e f ", 6);
}
END_TEST

START_TEST(test_one_place)
{
    ERROR(ctx, at(&first, 2, 1), "test", "b");
    ERROR(ctx, at(&first, 1, 1), "test", "z");
    diag(ctx, at(&first, 1, 1), DIAG_WARNING, "test", "y");
    ERROR(ctx, at(&first, 2, 1), "test", "a");
    expect("z y b a ", 3);
}
END_TEST

START_TEST(test_notes)
{
    ERROR(ctx, at(&first, 3, 1), "test", "late");
    diag(ctx, at(&first, 1, 1), DIAG_NOTE, "test", "because");
    ERROR(ctx, at(&first, 2, 1), "test", "early");
    expect("early late because ", 2);
}
END_TEST

START_TEST(test_once)
{
    ERROR(ctx, at(&first, 3, 1), "test", "twice");
    ERROR(ctx, at(&first, 2, 1), "test", "between");
    ERROR(ctx, at(&first, 3, 1), "test", "twice");
    expect("between twice ", 2);
    expect("", 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("diag");
    TCase *tcase = tcase_create("diag");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, test_places);
    tcase_add_test(tcase, test_one_place);
    tcase_add_test(tcase, test_notes);
    tcase_add_test(tcase, test_once);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* SPDX-License-Identifier: MIT */
#include "support.h"

/* What is written, and its normal form; NULL: the same as written. */
static const char *const FORMS[][2] = {
    {"N - N", "0"},
    {"N + N", "2 * N"},
    {"(N + 3) // 4 * 4", "4 * ((N - 1) // 4) + 4"},
    {"N % 3", "N - 3 * (N // 3)"},
    {"N * M", NULL},
    {"N * M - M * N", "0"},
    {"(N + 1) * (M + 2)", NULL},
    {"2 * N * (3 * M)", "6 * N * M"},
    {"(M - N) * N + (N - M) * N", "0"},
    {"N * M * N", NULL},
    {"N * (M * N) - N * M * N", "0"},
    {"N // M", NULL},
    {"N % M", NULL},
    {"N // N", NULL},
    {"2 // N", NULL},
    {"(2 * N) // 2", "N"},
    {"(2 * N + 1) // 2", "N"},
    {"(4 * N + 6) // 8", "(N + 1) // 2"},
    {"(N + 8) // 4", "N // 4 + 2"},
    {"N // 2 // 3 + 1", "N // 6 + 1"},
    {"(N // 2 + M) // 3", "(2 * M + N) // 6"},
    {"0 - N", NULL},
    {"1 - N", NULL},
    {"0 - N - 1", NULL},
    {"N - M", "N - M"},
    {"N + M", "M + N"},
    {"3 * M + 2 * N + 5", NULL},
    {"100 - 2 * N", NULL},
    {"N * 0", "0"},
    {"N // 1", "N"},
    {"N % 1", "0"},
    {"(0 - N) // 4", NULL},
    {"N // (0 - 4)", "(0 - N) // 4"},
    {"N % (0 - 4)", "N + 4 * ((0 - N) // 4)"},
    {"(N - 1) // 4 * 4 + 4", "4 * ((N - 1) // 4) + 4"},
    {"(N + 4 - 1) // 4", "(N - 1) // 4 + 1"},
    {"4 * (N // 4) + N % 4", "N"},
    {"N // 4 + N % 4", "N - 3 * (N // 4)"},
    {"N % 4 % 2", "N - 2 * (N // 2)"},
    {"N % 4 // 2", "N // 2 - 2 * (N // 4)"},
    {"N * N // 2", "(N * N) // 2"},
    {"(6 * N + 3 * M) // 3", "M + 2 * N"},
    {"(N * 4 + M) // 4", "N + M // 4"},
    {"(3 * N) // 2", "N + N // 2"},
    {"(3 * N) // 4", "N + (0 - N) // 4"},
    {"(5 * N) // 8", "N + (0 - 3 * N) // 8"},
    {"(0 - 3 * N) // 4", "N // 4 - N"},
    {"(N - 4 * (N // 4)) // 4", "0"},
    {"N // 2 * 2 // 2", "N // 2"},
    {"N // 3 - N // 3", "0"},
    {"(N // 3) * M", NULL},
    {"dim_min(N, 8)", NULL},
    {"dim_min(8, N) - dim_min(N, 8)", "0"},
    {"dim_min(N, N)", "N"},
    {"dim_max(N, N + 1)", "N + 1"},
    {"dim_min(N, N - 1)", "N - 1"},
    {"dim_min(3, 8)", "3"},
    {"dim_max(3, 8)", "8"},
    {"dim_max(dim_min(N, 8), 2)", NULL},
    {"dim_min(N, 8) // 2", NULL},
    {"3 * dim_min(N * 2, M + 1)", "3 * dim_min(2 * N, M + 1)"},
    {"7 // 2", "3"},
    {"(0 - 7) // 2", "-4"},
    {"N % M * (0 - 6 // M)", "0 - (N % M) * (6 // M)"},
    {"dim_min(N, 0 - 6) + N % (M - M - 6)", "N + dim_min(N, 0 - 6) + 6 * ((0 - N) // 6)"},
    {"(0 - 7) % 3", "2"},
    {"7 % (0 - 3)", "-2"},
    {"0 * 5", "0"},
};
#define N_FORMS (sizeof(FORMS) / sizeof(*FORMS))

START_TEST(normal_forms_print_and_read_back)
{
    for (size_t i = 0; i < N_FORMS; i++) {
        const struct tf_dim *d = dim(FORMS[i][0]);
        ck_assert_msg(d != NULL, "%s is refused", FORMS[i][0]);
        const char *text = dim_text(d);
        ck_assert_str_eq(text, FORMS[i][1] ? FORMS[i][1] : FORMS[i][0]);
        ck_assert_msg(text[0] == '-' || dim(text) == d, "%s reads back as another", text);
    }
}
END_TEST

/* The value of a dimension with N and M bound, against Python's arithmetic on what was written. */
static void check_value(const char *text, int64_t n, int64_t m)
{
    struct reader r = {.at = text, .n = n, .m = m};
    struct both result = read_sum(&r);
    struct dim_binding bound[] = {{"N", n}, {"M", m}};
    const char *why = NULL;
    int64_t value = 0;
    if (!result.dim)
        return;
    const struct tf_dim *d = dim_bind(ctx, result.dim, bound, 2, &why);
    if (!d) /* N // M may divide by zero */
        return;
    ck_assert_msg(dim_is_const(d, &value), "%s: still open", text);
    ck_assert_msg(value == result.number, "%s with N=%lld, M=%lld: %lld, not %lld", text, (long long)n, (long long)m,
        (long long)value, (long long)result.number);
}

START_TEST(binding_gives_the_value)
{
    for (size_t i = 0; i < N_FORMS; i++)
        for (int64_t n = 1; n < 30; n++)
            check_value(FORMS[i][0], n, 1 + n * 7 % 11);
}
END_TEST

static uint32_t seed = 12345;
static uint32_t draw(uint32_t n)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % n;
}

static void write_random(struct buf *out, int depth)
{
    static const char *const ops[] = {" + ", " - ", " * ", " // ", " % "};
    uint32_t kind = draw(depth > 0 ? 10 : 3);
    if (kind < 2) {
        buf_char(out, kind ? 'N' : 'M');
    } else if (kind == 2) {
        buf_printf(out, "%u", draw(13));
    } else if (kind == 3) {
        buf_str(out, draw(2) ? "dim_min(" : "dim_max(");
        write_random(out, depth - 1);
        buf_str(out, ", ");
        write_random(out, depth - 1);
        buf_char(out, ')');
    } else {
        buf_char(out, '(');
        write_random(out, depth - 1);
        buf_str(out, ops[draw(5)]);
        write_random(out, depth - 1);
        buf_char(out, ')');
    }
}

START_TEST(random_expressions_keep_their_value_and_read_back)
{
    for (int i = 0; i < 8000; i++) {
        struct buf text = {0};
        write_random(&text, 4);
        const struct tf_dim *d = dim(buf_text(&text));
        for (int k = 0; d && k < 4; k++)
            check_value(buf_text(&text), 1 + draw(64), 1 + draw(64));
        const char *printed = d ? dim_text(d) : "-";
        ck_assert_msg(printed[0] == '-' || dim(printed) == d, "%s prints %s", buf_text(&text), printed);
        buf_free(&text);
    }
}
END_TEST

START_TEST(equal_dimensions_are_one_pointer)
{
    ck_assert_ptr_eq(dim("N + 2 * M"), dim("M + N + M"));
    ck_assert_ptr_ne(dim("N"), dim("M"));
    ck_assert_ptr_ne(dim_variable(ctx, "N", 1, 65), dim_variable(ctx, "N", 1, 66));
    ck_assert_ptr_eq(dim_variable(ctx, "N", 1, 65), dim_variable(ctx, "N", 1, 65));
    for (int64_t i = 0; i < 5000; i++)
        ck_assert_int_eq(dim_const(ctx, i)->value, i);
    for (int64_t i = 0; i < 5000; i++)
        ck_assert_ptr_eq(dim_const(ctx, i), dim_add(ctx, dim_const(ctx, i - 1), dim_const(ctx, 1), NULL));
}
END_TEST

static void assert_why(const struct tf_dim *d, const char **why, const char *part)
{
    ck_assert_ptr_null(d);
    ck_assert_ptr_nonnull(*why);
    ck_assert_msg(strstr(*why, part) != NULL, "%s", *why);
    *why = NULL;
}

START_TEST(what_does_not_fit_is_refused)
{
    const struct tf_dim *most = dim_const(ctx, INT64_MAX), *least = dim_const(ctx, INT64_MIN);
    const struct tf_dim *one = dim_const(ctx, 1), *zero = dim_const(ctx, 0), *n = dim("N");
    const char *why = NULL;
    assert_why(dim_add(ctx, most, one, &why), &why, "64 bits");
    assert_why(dim_sub(ctx, least, one, &why), &why, "64 bits");
    assert_why(dim_mul(ctx, most, dim_const(ctx, 2), &why), &why, "64 bits");
    assert_why(dim_mul(ctx, dim_mul(ctx, n, most, &why), dim_const(ctx, 2), &why), &why, "64 bits");
    assert_why(dim_floordiv(ctx, n, zero, &why), &why, "zero");
    assert_why(dim_mod(ctx, n, zero, &why), &why, "zero");
    assert_why(dim_floordiv(ctx, one, zero, &why), &why, "zero");
    assert_why(dim_floordiv(ctx, least, dim_const(ctx, -1), &why), &why, "64 bits");
    struct dim_binding none = {"N", 0};
    assert_why(dim_bind(ctx, dim("5 // N"), &none, 1, &why), &why, "zero");
    ck_assert_int_eq(dim_floordiv(ctx, least, dim_const(ctx, 3), &why)->value, INT64_MIN / 3 - 1);
    ck_assert_int_eq(dim_mod(ctx, least, dim_const(ctx, 3), &why)->value, 1);
    ck_assert_ptr_eq(dim_floordiv(ctx, least, one, &why), least);
    ck_assert_ptr_eq(dim_min(ctx, least, most), least);
    ck_assert_ptr_eq(dim_max(ctx, least, most), most);
    ck_assert_str_eq(dim_text(dim_add(ctx, least, n, &why)), "N - 9223372036854775808");
    ck_assert_ptr_nonnull(dim_mul(ctx, dim_mul(ctx, least, n, &why), n, &why));
}
END_TEST

/* Each step writes the whole twice: 2^n parts, were there no limit. */
START_TEST(an_expression_that_grows_without_end_is_refused)
{
    const struct tf_dim *d = dim("N"), *m = dim("M");
    const char *why = NULL;
    int steps = 0;
    while (d && steps++ < 100) {
        const struct tf_dim *left = dim_floordiv(ctx, d, m, &why), *right = dim_mod(ctx, d, m, &why);
        d = left && right ? dim_min(ctx, left, right) : NULL;
    }
    ck_assert_ptr_null(d);
    ck_assert_int_lt(steps, 20);
    d = dim("N");
    for (steps = 0; d && steps < 100000; steps++) {
        const struct tf_dim *product = dim_mul(ctx, d, m, &why);
        d = product ? dim_min(ctx, product, dim_const(ctx, steps)) : NULL;
    }
    ck_assert_ptr_null(d);
}
END_TEST

START_TEST(variables_come_once_in_order)
{
    struct dim_var vars[4];
    ck_assert_uint_eq(dim_variables(dim("M // 3 + N * M + dim_min(N, 2)"), vars, 4), 2);
    ck_assert_uint_eq(dim_variables(dim("N - M"), vars, 1), 2);
    ck_assert_str_eq(vars[0].name, "M");
    ck_assert_int_eq(vars[0].lo, 1);
    ck_assert_int_eq(vars[0].hi, 65);
    ck_assert_uint_eq(dim_variables(dim("7"), vars, 4), 0);
}
END_TEST

START_TEST(what_is_not_bound_stays)
{
    struct dim_binding n = {"N", 6};
    const char *why = NULL;
    ck_assert_str_eq(dim_text(dim_bind(ctx, dim("(N + 3) // 4 * M + N"), &n, 1, &why)), "2 * M + 6");
    ck_assert_ptr_eq(dim_bind(ctx, dim("M + 1"), &n, 1, &why), dim("M + 1"));
    ck_assert_ptr_eq(dim_bind(ctx, dim("N"), NULL, 0, &why), dim("N"));
}
END_TEST

START_TEST(dtypes_and_storages_have_names)
{
    uint32_t n;
    for (uint32_t i = 0; i < TF_DTYPE_COUNT; i++) {
        ck_assert_int_eq(dtype_find(dtype_info(i)->name, &n), 0);
        ck_assert_uint_eq(n, i);
    }
    for (uint32_t i = 0; i < TF_STORAGE_COUNT; i++) {
        ck_assert_int_eq(storage_find(storage_name(i), &n), 0);
        ck_assert_uint_eq(n, i);
    }
    ck_assert_int_ne(dtype_find("F32", &n), 0);
    ck_assert_int_ne(storage_find("", &n), 0);
    ck_assert_ptr_null(dtype_info(TF_DTYPE_COUNT));
    ck_assert_uint_eq(dtype_info(TF_DTYPE_BOOL)->bits, 1);
}
END_TEST

RUN("dim", normal_forms_print_and_read_back, binding_gives_the_value, random_expressions_keep_their_value_and_read_back,
    equal_dimensions_are_one_pointer, what_does_not_fit_is_refused, an_expression_that_grows_without_end_is_refused,
    variables_come_once_in_order, what_is_not_bound_stays, dtypes_and_storages_have_names)

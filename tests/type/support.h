/* SPDX-License-Identifier: MIT
 * What the tests of types share: short ways to write dimensions, meshes, layouts and types, and to ask what was refused.
 */
#ifndef TF_TESTS_TYPE_SUPPORT_H
#define TF_TESTS_TYPE_SUPPORT_H

#include "type/type.h"
#include "util/diag.h"

#include <check.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static tf_ctx *ctx;

static inline void setup(void)
{
    ctx = ctx_create();
}

static inline void teardown(void)
{
    ctx_destroy(ctx);
    ctx = NULL;
}

/* ---- expressions -----------------------------------------------------------------------------------------------------
 * `N + 3 // 4` read twice over: as a dimension, and as the number that Python would make of it with N and M given. */

struct both {
    const struct tf_dim *dim; /* NULL: refused; why says it */
    int64_t number;
};

struct reader {
    const char *at, *why;
    int64_t n, m;
};

static inline struct both read_sum(struct reader *r);

static inline void skip_space(struct reader *r)
{
    while (isspace((unsigned char)*r->at))
        r->at++;
}

static inline int skip_word(struct reader *r, const char *word)
{
    skip_space(r);
    size_t length = strlen(word);
    if (strncmp(r->at, word, length) != 0)
        return 0;
    r->at += length;
    return 1;
}

static inline int64_t floor_of(int64_t a, int64_t b)
{
    int64_t q = a / b;
    return q - (a % b != 0 && (a < 0) != (b < 0));
}

static inline struct both read_call(struct reader *r, int is_min)
{
    struct both a = read_sum(r), b = {0};
    ck_assert(skip_word(r, ","));
    b = read_sum(r);
    ck_assert(skip_word(r, ")"));
    struct both result = {NULL, (a.number < b.number) == is_min ? a.number : b.number};
    if (a.dim && b.dim)
        result.dim = is_min ? dim_min(ctx, a.dim, b.dim) : dim_max(ctx, a.dim, b.dim);
    return result;
}

static inline struct both read_atom(struct reader *r)
{
    struct both result;
    if (skip_word(r, "dim_min("))
        return read_call(r, 1);
    if (skip_word(r, "dim_max("))
        return read_call(r, 0);
    if (skip_word(r, "(")) {
        result = read_sum(r);
        ck_assert(skip_word(r, ")"));
        return result;
    }
    if (isdigit((unsigned char)*r->at)) {
        result.number = strtoll(r->at, (char **)(uintptr_t)&r->at, 10);
        result.dim = dim_const(ctx, result.number);
        return result;
    }
    char name[2] = {*r->at++, '\0'};
    ck_assert_msg(isupper((unsigned char)name[0]), "unreadable: %s", r->at - 1);
    result.number = name[0] == 'N' ? r->n : r->m;
    result.dim = dim_variable(ctx, name, 1, 65);
    return result;
}

static inline struct both apply(struct reader *r, char op, struct both a, struct both b)
{
    struct both result = {NULL, 0};
    if (a.dim && b.dim)
        result.dim = op == '*'   ? dim_mul(ctx, a.dim, b.dim, &r->why)
                     : op == '/' ? dim_floordiv(ctx, a.dim, b.dim, &r->why)
                     : op == '%' ? dim_mod(ctx, a.dim, b.dim, &r->why)
                     : op == '+' ? dim_add(ctx, a.dim, b.dim, &r->why)
                                 : dim_sub(ctx, a.dim, b.dim, &r->why);
    switch (op) {
    case '*': __builtin_mul_overflow(a.number, b.number, &result.number); break;
    case '/': result.number = b.number ? floor_of(a.number, b.number) : 0; break;
    case '%': result.number = b.number ? a.number - b.number * floor_of(a.number, b.number) : 0; break;
    case '+': __builtin_add_overflow(a.number, b.number, &result.number); break;
    default: __builtin_sub_overflow(a.number, b.number, &result.number);
    }
    return result;
}

static inline struct both read_product(struct reader *r)
{
    struct both left = read_atom(r);
    for (;;) {
        char op = skip_word(r, "*") ? '*' : skip_word(r, "//") ? '/' : skip_word(r, "%") ? '%' : '\0';
        if (!op)
            return left;
        left = apply(r, op, left, read_atom(r));
    }
}

static inline struct both read_sum(struct reader *r)
{
    struct both left = read_product(r);
    for (;;) {
        char op = skip_word(r, "+") ? '+' : skip_word(r, "-") ? '-' : '\0';
        if (!op)
            return left;
        left = apply(r, op, left, read_product(r));
    }
}

static inline const struct tf_dim *dim(const char *text)
{
    struct reader r = {.at = text};
    return read_sum(&r).dim;
}

static inline const char *dim_text(const struct tf_dim *d)
{
    struct buf text = {0};
    dim_print(&text, d);
    const char *kept = arena_strndup(&ctx->arena, buf_text(&text), text.n);
    buf_free(&text);
    return kept;
}

/* ---- rows, meshes, layouts, types --------------------------------------------------------------------------------------*/

#define ROW 40
struct row {
    uint32_t n;
    const struct tf_dim *at[ROW];
    int split[ROW]; /* mesh axes, a bit each */
};

/* "4@0 2@1 8 N": expressions without spaces; @k: split by mesh axis k. */
static inline struct row row(const char *text)
{
    struct row result = {0};
    struct reader r = {.at = text};
    for (skip_space(&r); *r.at && *r.at != '|'; skip_space(&r)) {
        result.at[result.n] = read_atom(&r).dim;
        while (skip_word(&r, "@"))
            result.split[result.n] |= 1 << (*r.at++ - '0');
        result.n++;
    }
    return result;
}

/* mesh("cta=8 thread=32", "4=r 2=c 32=t") */
static inline const struct tf_mesh *mesh(const char *levels, const char *axes)
{
    struct tf_topology level[4];
    const struct tf_dim *shape[TF_MAX_MESH];
    const char *names[TF_MAX_MESH];
    struct tf_mesh fields = {.levels = level, .shape = shape, .names = names};
    for (const char *at = levels; *at; at += strspn(at, " ")) {
        size_t name = strcspn(at, "=");
        struct reader r = {.at = at + name + 1};
        level[fields.n_levels++] =
            (struct tf_topology){.name = ctx_intern_n(ctx, at, name), .extent = read_atom(&r).dim};
        at = r.at;
    }
    for (const char *at = axes; *at; at += strspn(at, " ")) {
        struct reader r = {.at = at};
        shape[fields.rank] = read_atom(&r).dim;
        size_t length = *r.at == '=' ? strcspn(r.at + 1, " ") : 0;
        names[fields.rank++] = length ? ctx_intern_n(ctx, r.at + 1, length) : NULL;
        at = r.at + (*r.at == '=') + length;
    }
    return mesh_make(ctx, &fields);
}

/* layout(m, "4@0 2 8 | 0 8 1 | 1:sum"): positions, strides if stated, partial sums by mesh axis */
static inline const struct tf_layout *layout(const struct tf_mesh *on, const char *text)
{
    struct row positions = row(text), strides = {0};
    struct tf_shard_attr attrs[TF_MAX_MESH] = {{0}};
    const char *second = strchr(text, '|'), *third = second ? strchr(second + 1, '|') : NULL;
    if (second)
        strides = row(second + 1);
    for (uint32_t i = 0; i < positions.n; i++)
        for (int axis = 0; axis < TF_MAX_MESH; axis++)
            if (positions.split[i] >> axis & 1)
                attrs[axis] = (struct tf_shard_attr){.kind = TF_ATTR_SPLIT, .axis = (int32_t)i};
    if (third) {
        third += 1 + strspn(third + 1, " ");
        attrs[*third - '0'] = (struct tf_shard_attr){.kind = TF_ATTR_PARTIAL, .reduction = third + 2};
    }
    if (!on)
        return layout_plain(ctx, positions.n, positions.at, strides.n ? strides.at : NULL);
    return layout_shard(ctx, positions.n, positions.at, strides.n ? strides.at : NULL, on, attrs);
}

/* C order strides stated */
static inline const struct tf_layout *stated(const struct tf_layout *open)
{
    return layout_shard(
        ctx, open->rank, open->shape, strides_c_order(ctx, open->rank, open->shape), open->mesh, open->attrs);
}

static inline const struct tf_type *type(
    const char *dtype, const char *shape, const struct tf_layout *with, const char *storage)
{
    struct row extents = row(shape);
    uint32_t d, s;
    ck_assert_int_eq(dtype_find(dtype, &d), 0);
    ck_assert_int_eq(storage_find(storage, &s), 0);
    return type_tensor(ctx, d, extents.n, extents.at, with, s);
}

/* ---- refusals ------------------------------------------------------------------------------------------------------*/

/* That exactly one error was reported since the last look, with this code; forgets it. */
static inline void assert_refused(const char *code)
{
    char *text = NULL, want[80];
    size_t length = 0;
    FILE *to = open_memstream(&text, &length);
    ck_assert_uint_eq(diag_errors(ctx), 1);
    diag_flush(ctx, to, 0);
    fclose(to);
    snprintf(want, sizeof(want), "[%s]", code);
    ck_assert_msg(strstr(text, want) != NULL, "expected %s, not: %s", want, text);
    free(text);
    diag_drop(ctx, 0);
}

/* ---- running -------------------------------------------------------------------------------------------------------*/

static inline int run_tests(const char *name, const TTest *const *tests, size_t n)
{
    Suite *suite = suite_create(name);
    TCase *tcase = tcase_create(name);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_set_timeout(tcase, 60);
    for (size_t i = 0; i < n; i++)
        tcase_add_test(tcase, tests[i]);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#define RUN(name, ...)                                                                                                 \
    int main(void)                                                                                                     \
    {                                                                                                                  \
        const TTest *const tests[] = {__VA_ARGS__};                                                                    \
        return run_tests(name, tests, sizeof(tests) / sizeof(*tests));                                                 \
    }

#endif

/* SPDX-License-Identifier: MIT
 * The host level: what statements of a file bind, by the text of the value or by the reason why there is none.
 */
#include "front/front.h"
#include "front/host.h"
#include "plugin/registry.h"
#include "util/diag.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static tf_ctx *ctx;
static struct front front;

static void setup(void)
{
    ctx = ctx_create();
    front = (struct front){.ctx = ctx};
}

static void teardown(void)
{
    ctx_destroy(ctx);
}

static struct env *run(const char *text)
{
    uint32_t file = source_add(ctx, "case.py", text, strlen(text));
    struct ast *ast = parse_source(ctx, file);
    ck_assert_ptr_nonnull(ast);
    struct host_file *host = CTX_NEW(ctx, struct host_file);
    host->file = file;
    host->directory = "";
    host->env = env_new(&front, NULL, 0, host);
    host_run(&front, host->env, ast->body, ast->n);
    return host->env;
}

static const char *value_of(const struct env *env, const char *name)
{
    const struct value *v = env_here(env, ctx_intern(ctx, name), HOST_END);
    if (!v)
        return "(nothing)";
    if (v->kind == VALUE_OPAQUE)
        return arena_format(&ctx->arena, "! %s", v->u.s ? v->u.s : "");
    return value_text(ctx, v);
}

/* { statements, the value of v } */
static const char *const known[][2] = {
    {"v = 2 + 3 * 4", "14"},
    {"v = 7 // 2", "3"},
    {"v = -7 // 2", "-4"},
    {"v = 7 % -3", "-2"},
    {"v = -7 % 3", "2"},
    {"v = 7 / 2", "3.5"},
    {"v = 2 ** 10", "1024"},
    {"v = 2 ** -1", "0.5"},
    {"v = 2.0 ** 0.5 > 1.41", "True"},
    {"v = 7.5 // 2", "3.0"},
    {"v = -7.5 % 2", "0.5"},
    {"v = 1e-6", "1e-06"},
    {"v = 1.0 / 448.0", "0.002232142857142857"},
    {"v = -(-9223372036854775807 - 1) // 2", "! the result of '-' does not fit in 64 bits"},
    {"v = 9223372036854775807", "9223372036854775807"},
    {"v = 9223372036854775807 + 1", "! the result of '+' does not fit in 64 bits"},
    {"v = 2 ** 63", "! the result of '**' does not fit in 64 bits"},
    {"v = 3037000500 * 3037000500", "! the result of '*' does not fit in 64 bits"},
    {"v = 99999999999999999999", "! the integer 99999999999999999999 does not fit in 64 bits"},
    {"v = 1 // 0", "! division by zero"},
    {"v = 1 % 0", "! division by zero"},
    {"v = 1.0 / 0", "! division by zero"},
    {"v = 6 & 3 | 8 ^ 1", "11"},
    {"v = 1 << 5 >> 2", "8"},
    {"v = 1 << 70", "! the result of '<<' does not fit in 64 bits"},
    {"v = ~5", "-6"},
    {"v = not 0", "True"},
    {"v = 1 < 2 < 3 != 4", "True"},
    {"v = 3 in (1, 2, 3)", "True"},
    {"v = 'a' not in {'b': 1}", "True"},
    {"v = None is None", "True"},
    {"v = 0 or 'x'", "x"},
    {"v = 1 and ()", "()"},
    {"v = 5 if () else 6", "6"},
    {"v = True + True", "2"},
    {"v = (1, 2) + (3,)", "(1, 2, 3)"},
    {"v = (0,) * 3", "(0, 0, 0)"},
    {"v = 'ab' * 2 + 'c'", "ababc"},
    {"v = [1, 2, 3][-1]", "3"},
    {"v = (1, 2, 3, 4)[1:3]", "(2, 3)"},
    {"v = (1, 2)[2]", "! index 2 is outside the 2 items"},
    {"v = {'a': 1, 'b': 2}['b']", "2"},
    {"v = {'a': 1}['c']", "! the dict has no key c"},
    {"d = {}\nd['k'] = 3\nv = d['k']", "3"},
    {"n = 3\nv = f'layer{n}'", "layer3"},
    {"a, b = 1, 2\nv = a - b", "-1"},
    {"(a, b), c = (1, 2), 3\nv = a + b + c", "6"},
    {"a = b = 4\nv = a * b", "16"},
    {"v = 1\nv += 5", "6"},
    {"v: int = 4", "4"},
    {"v = tuple(i * i for i in range(4))", "(0, 1, 4, 9)"},
    {"v = [i for i in range(10, 0, -3)]", "[10, 7, 4, 1]"},
    {"v = [a + b for a, b in enumerate((5, 6))]", "[5, 7]"},
    {"v = [i + j for i in range(2) for j in range(2) if i != j]", "[1, 1]"},
    {"v = len({i % 3 for i in range(9)}) + len({1, 1, 2})", "5"},
    {"v = sum([1, 2, 3]) + max(4, 5) - min([7, 6])", "5"},
    {"v = sorted((3, 1, 2))", "[1, 2, 3]"},
    {"v = int(3.9) + int(-3.9)", "0"},
    {"v = round(2.5) + round(3.5)", "6"},
    {"v = list(zip((1, 2), (3, 4)))[1]", "(2, 4)"},
    {"v = dict(a=1).get('b', 9)", "9"},
    {"v = [k for k in {'a': 1, 'b': 2}]", "['a', 'b']"},
    {"import math\nv = 1.0 / math.sqrt(64)", "0.125"},
    {"import math\nv = math.ceil(2.1) + math.floor(-2.1)", "0"},
    {"from math import gcd, prod\nv = gcd(12, 18) + prod((2, 3))", "12"},
    {"import math\nv = math.log(0)", "! the function is not defined there"},
    {"class cfg:\n    rows = 4\n    cols = rows * 2\nv = cfg.cols", "8"},
    {"class cfg:\n    rows = 4\nv = cfg.colls", "! a namespace has no attribute 'colls'"},
    {"from tilefoundry.dsl import DimVar\nN = DimVar('N', 1, 65)\nv = N - N", "0"},
    {"from tilefoundry.dsl import DimVar, ceildiv\nN = DimVar('N', 1, 65)\nv = ceildiv(N, 4) * 4",
        "4 * ((N - 1) // 4) + 4"},
    {"from tilefoundry.dsl import DimVar\nN = DimVar('N', 1, 65)\nv = N / 2",
        "! '/' is not an operator on dimensions; there are + - * // %"},
    {"from tilefoundry.dsl import DimVar\nN = DimVar('N', 1, 65)\nv = N * 0.5",
        "! a dimension goes together with ints and dimensions only, not with a float"},
    {"from tilefoundry.dsl import DimVar\nv = DimVar('N', 5, 5)", "! the range [5, 5) of DimVar 'N' is empty"},
    {"from tilefoundry.dsl import DimVar\nv = DimVar('N', 5)", "! DimVar needs 'hi'"},
    {"from tilefoundry.dsl import Topology\nv = Topology('cta', 0)",
        "! level 'cta' has extent 0; it must be 1 or more"},
    {"from tilefoundry.ir.types import DType\nv = DType.bf16", "bf16"},
    {"from tilefoundry.dsl.storage import smem\nv = smem", "smem"},
    {"from tilefoundry.dsl import *\nv = ceildiv(7, 2)", "4"},
    {"import tilefoundry.dsl as d\nv = d.ceildiv(7, 2)", "4"},
    {"import torch\nv = torch.zeros(3)", "! it comes from 'torch', which is not read here"},
    {"from pathlib import Path\nv = 3", "3"},
    {"v = undefined_name", "! 'undefined_name' is not defined here"},
    {"width = 3\nv = widht", "! 'widht' is not defined here; did you mean 'width'?"},
    {"if 1 > 2:\n    v = 3\nelse:\n    v = 4", "4"},
    {"if unknown:\n    v = 3\nelse:\n    v = 4", "3"},
    {"try:\n    v = 3\nexcept ImportError:\n    pass", "3"},
    {"for v in range(3):\n    pass", "! a statement of the host level that is not executed binds it"},
    {"def f():\n    return 3\nv = f()", "! a call of 'f' is not known before the program runs"},
    {"v = (lambda x: x)(3)", "! a call of '(..)' is not known before the program runs"},
    {"v = range(10 ** 9)", "! more than 1000000 elements; --limit elements=N allows more"},
    {"a = b\nc = a + 1\nv = c * 2", "! 'b' is not defined here"},
    {"v = 'ab' * 10 ** 9", "! more than 1000000 elements; --limit elements=N allows more"},
    {"v = (0,) * 10 ** 9", "! more than 1000000 elements; --limit elements=N allows more"},
};

START_TEST(values)
{
    struct env *env = run(known[_i][0]);
    ck_assert_msg(strcmp(value_of(env, "v"), known[_i][1]) == 0, "%s\n  gives %s\n  expected %s", known[_i][0],
        value_of(env, "v"), known[_i][1]);
    ck_assert_uint_eq(diag_errors(ctx), 0); /* the host level refuses nothing by itself */
}
END_TEST

/* A name is read as it is bound at that place, not as it is bound last. */
START_TEST(rebinding)
{
    struct env *env = run("n = 1\na = n\nn = 2\nb = n\n");
    ck_assert_str_eq(value_of(env, "a"), "1");
    ck_assert_str_eq(value_of(env, "b"), "2");
    const char *n = ctx_intern(ctx, "n");
    ck_assert_int_eq(env_here(env, n, 2)->u.i, 1);
    ck_assert_int_eq(env_here(env, n, HOST_END)->u.i, 2);
    ck_assert_ptr_null(env_here(env, n, 0));
}
END_TEST

START_TEST(step_limit)
{
    ctx->limits.steps = 100;
    struct env *env = run("v = [i * j for i in range(50) for j in range(50)]");
    ck_assert_str_eq(value_of(env, "v"), "! more than 100 steps of static evaluation; --limit steps=N allows more");
}
END_TEST

START_TEST(element_limit)
{
    ctx->limits.elements = 8;
    struct env *env = run("v = [i for i in (1, 2, 3) for j in (1, 2, 3)]");
    ck_assert_str_eq(value_of(env, "v"), "! more than 8 elements; --limit elements=N allows more");
}
END_TEST

/* What leans left has no depth: a long sum must not become deep calls. */
START_TEST(long_sum)
{
    struct buf text = {0};
    buf_str(&text, "v = 0");
    for (int i = 0; i < 200000; i++)
        buf_str(&text, " + 1");
    char *copy = arena_strndup(&ctx->arena, buf_text(&text), text.n);
    buf_free(&text);
    ck_assert_str_eq(value_of(run(copy), "v"), "200000");
}
END_TEST

/* Without the plugins that ship, syntax that means an operator says which one is missing. */
START_TEST(no_operators)
{
    const char *source = getenv("TF_SRC");
    struct selection selection;
    char *text = NULL;
    size_t length;
    registry_create(ctx);
    registry_only_added_paths(ctx);
    const char *path = arena_format(&ctx->arena, "%s/tests/lower/accept/returns.py:M", source ? source : ".");
    ck_assert_int_ne(front_load(ctx, path, &selection), 0);
    FILE *to = open_memstream(&text, &length);
    diag_flush(ctx, to, 0);
    fclose(to);
    ck_assert_msg(
        strstr(text, "no plugin provides the operator 'add', which this form means [operator-missing]") != NULL, "%s",
        text);
    free(text);
    registry_destroy(ctx->registry);
}
END_TEST

START_TEST(name_map)
{
    struct name_map map = {0};
    ck_assert_uint_eq(name_map_get(&map, ctx_intern(ctx, "a")), 0);
    for (int i = 0; i < 1000; i++)
        *name_map_put(ctx, &map, ctx_intern(ctx, arena_format(&ctx->arena, "n%d", i))) = (uint32_t)i + 1;
    for (int i = 0; i < 1000; i++)
        ck_assert_uint_eq(name_map_get(&map, ctx_intern(ctx, arena_format(&ctx->arena, "n%d", i))), (uint32_t)i + 1);
    ck_assert_uint_eq(name_map_get(&map, ctx_intern(ctx, "other")), 0);
    ck_assert_uint_eq(map.n, 1000);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("static");
    TCase *tc = tcase_create("host level");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_loop_test(tc, values, 0, sizeof known / sizeof *known);
    tcase_add_test(tc, rebinding);
    tcase_add_test(tc, step_limit);
    tcase_add_test(tc, element_limit);
    tcase_add_test(tc, long_sum);
    tcase_add_test(tc, name_map);
    tcase_add_test(tc, no_operators);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_set_fork_status(runner, CK_NOFORK);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}

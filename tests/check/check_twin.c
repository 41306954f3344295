/* SPDX-License-Identifier: MIT
 * Twins that do what they must not, in their own process: what is told of each, and that nothing of them is left.
 */
#include "check/twin.h"
#include "plugin/numbers.h"
#include "plugin/registry.h"
#include "util/diag.h"

#include <check.h>
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define N 10

static tf_ctx *ctx;
static struct tensor_memory memory;
static struct tensor *x;
static struct leaf output;
static struct leaves outputs = {1, &output};
static int references; /* asked for */

static const char *build(void)
{
    return getenv("TF_BUILD") ? getenv("TF_BUILD") : ".";
}

static void set_up(void)
{
    static const struct tf_math math = {.struct_size = sizeof(math), .sqrt = sqrt};
    int64_t extents[] = {N};
    ctx = ctx_create();
    ctx->math = &math;
    registry_only_added_paths(ctx);
    ck_assert_int_eq(registry_add_path(ctx, arena_format(&ctx->arena, "%s/plugins/.libs", build())), 0);
    x = tensor_new(ctx, &memory, TF_DTYPE_F32, 1, extents);
    output = (struct leaf){"output", tensor_new(ctx, &memory, TF_DTYPE_F32, 1, extents)};
    for (int i = 0; i < N; i++)
        ((float *)x->pub.data)[i] = (float)i + 1;
    references = 0;
}

static void tear_down(void)
{
    tensor_release(x);
    tensor_release(output.tensor);
    ck_assert_uint_eq(memory.now, 0);
    registry_destroy(ctx->registry);
    ctx_destroy(ctx);
    /* a process that was left would be a child, or keep its group */
    ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
    ck_assert_int_eq(errno, ECHILD);
}

static int reference(void *data, struct tensor *const *args, struct leaves *to)
{
    (void)data;
    references++;
    *to = (struct leaves){1, CTX_NEW(ctx, struct leaf)};
    to->at[0] = (struct leaf){"output", tensor_new(ctx, &memory, TF_DTYPE_F32, 1, args[0]->extents)};
    for (int i = 0; i < N; i++)
        ((float *)to->at[0].tensor->pub.data)[i] = 2 * ((float *)args[0]->pub.data)[i];
    return 0;
}

static int run(const char *function, uint32_t repeats, struct twin_finding *finding)
{
    const char *source =
        arena_format(&ctx->arena, "%s/tests/check/.libs/twins.so%s%s", build(), *function ? ":" : "", function);
    const struct tf_twin *twin = twin_of(ctx, source);
    struct twin_arg arg = {"x", x};
    /* nothing but waiting for one that hangs may come near the end of time */
    struct twin_options options = {.timeout = strcmp(function, "hangs") ? 60 : 1, .repeats = repeats};
    ck_assert_ptr_nonnull(twin);
    return twin_run(ctx, twin, source, &arg, 1, &outputs, &options, reference, NULL, finding);
}

static float output_at(int i)
{
    return ((float *)output.tensor->pub.data)[i];
}

/* The one diagnostic, as it is shown. */
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

START_TEST(right)
{
    struct twin_finding found;
    ck_assert_int_eq(run("", 0, &found), 0);
    for (int i = 0; i < N; i++)
        ck_assert_float_eq(output_at(i), 2 * ((float)i + 1));
    ck_assert_ptr_null(found.memory.note[0]);
    ck_assert_uint_eq(found.memory.unwritten + found.memory.canaries + found.memory.inputs_changed, 0);
    ck_assert_uint_eq(found.memory.stale + found.repeats + found.different, 0);
    ck_assert_int_eq(references, 0);
    ck_assert_int_eq(run("", 5, &found), 0);
    ck_assert_uint_eq(found.repeats, 5);
    ck_assert_uint_eq(found.different, 0);
    ck_assert_int_eq(run("prints", 0, &found), 0);
    ck_assert_int_eq(run("forks", 0, &found), 0);
    ck_assert_int_eq(run("daemons", 0, &found), 0);
}
END_TEST

START_TEST(memory_faults)
{
    static const struct {
        const char *function, *note;
        uint64_t unwritten;
        uint32_t canaries, changed, stale;
    } ROWS[] = {
        {"silent", "output: 10 of 10 elements were never written", 10, 0, 0, 0},
        {"unfinished", "output: 3 of 10 elements were never written", 3, 0, 0, 0},
        {"past_the_end", "bytes around output were written", 0, 1, 0, 0},
        {"before_the_start", "bytes around output were written", 0, 1, 0, 0},
        {"clears_inputs", "argument x was changed", 0, 0, 1, 0},
        {"keeps_answers", "other inputs in the same memory gave the same answer: it was kept from an earlier run", 0, 0,
            0, 1},
    };
    struct twin_finding found;
    ck_assert_int_eq(run(ROWS[_i].function, 0, &found), 0);
    ck_assert_str_eq(found.memory.note[0], ROWS[_i].note);
    ck_assert_uint_eq(found.memory.unwritten, ROWS[_i].unwritten);
    ck_assert_uint_eq(found.memory.canaries, ROWS[_i].canaries);
    ck_assert_uint_eq(found.memory.inputs_changed, ROWS[_i].changed);
    ck_assert_uint_eq(found.memory.stale, ROWS[_i].stale);
}
END_TEST

/* An answer that may be the same is not stale: the reference is asked. */
START_TEST(constant_inputs)
{
    struct twin_finding found;
    for (int i = 0; i < N; i++)
        ((float *)x->pub.data)[i] = 3;
    ck_assert_int_eq(run("keeps_answers", 0, &found), 0);
    ck_assert_uint_eq(found.memory.stale, 0);
    ck_assert_int_eq(references, 0);
}
END_TEST

START_TEST(other_bits)
{
    struct twin_finding found;
    ck_assert_int_eq(run("varies", 9, &found), 0);
    ck_assert_uint_eq(found.repeats, 9);
    ck_assert_uint_eq(found.different, 3);
}
END_TEST

START_TEST(ends)
{
    static const struct {
        const char *function, *text, *code;
    } ROWS[] = {
        {"far_past_the_end", "the twin went outside of output: ", "[twin-bounds]"},
        {"reads_past_the_end", "the twin went outside of argument x: ", "[twin-bounds]"},
        {"crashes", "the twin was ended by signal 4 (Illegal instruction)", "[twin-crash]"},
        {"follows_nothing", "the twin crashed: address 0x8 is not its memory", "[twin-crash]"},
        {"exits", "the twin ended its process with status 0 instead of returning", "[twin-crash]"},
        {"hangs", "the twin did not come back within 1 s; --timeout SECONDS gives it more", "[twin-timeout]"},
        {"refuses", "the twin gave 7: rows must be a multiple of 16, got 10", "[twin-refused]"},
        {"missing", "has no function missing", "[twin-open]"},
    };
    struct twin_finding found;
    ck_assert_int_eq(run(ROWS[_i].function, 0, &found), CHECK_ERROR);
    const char *text = told();
    ck_assert_msg(strstr(text, ROWS[_i].text) && strstr(text, ROWS[_i].code), "%s: %s", ROWS[_i].function, text);
}
END_TEST

START_TEST(not_there)
{
    struct twin_finding found;
    struct twin_arg arg = {"x", x};
    struct twin_options options = {.timeout = 60};
    ck_assert_ptr_null(twin_of(ctx, "x.py:Fast"));
    ck_assert_ptr_null(twin_of(ctx, ".so"));
    const struct tf_twin *twin = twin_of(ctx, "no-such.so:f");
    ck_assert_ptr_nonnull(twin);
    ck_assert_int_eq(twin_run(ctx, twin, "no-such.so:f", &arg, 1, &outputs, &options, NULL, NULL, &found), CHECK_ERROR);
    ck_assert_ptr_nonnull(strstr(told(), "./no-such.so cannot be loaded"));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("twin");
    TCase *tests = tcase_create("twin");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, right);
    tcase_add_loop_test(tests, memory_faults, 0, 6);
    tcase_add_test(tests, constant_inputs);
    tcase_add_test(tests, other_bits);
    tcase_add_loop_test(tests, ends, 0, 8);
    tcase_add_test(tests, not_there);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}

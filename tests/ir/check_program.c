/* SPDX-License-Identifier: MIT
 * Positions, loops, how often each step runs (the examples of the rule among them), units and shares.
 */
#include "fake.h"

static struct fixture x;

static void setup(void)
{
    fixture_begin(&x);
    fixture_levels(&x, "cta", 4);
    fixture_function(&x, "f");
}

static void teardown(void)
{
    fixture_end(&x);
}

/* A value that reads others, of whatever types: x[i, k]. */
static struct tf_node *reads(
    const char *name, const struct tf_node *a, const struct tf_node *b, const struct tf_node *c)
{
    const struct tf_node *args[] = {a, b, c};
    return ir_call(&x.b, NULL, name, &fake_many, args, c ? 3 : 2, NULL);
}

static void close_loop(struct tf_node *loop, const struct tf_node *yield)
{
    ck_assert_msg(ir_loop_close(&x.b, loop, &yield, yield) == TF_OK, "%s", reported(&x));
}

static uint64_t runs(const struct tf_program *p, const char *name)
{
    return step_named(p, name)->runs;
}

START_TEST(an_add_carried_through_two_loops)
{
    const struct tf_node *a = param(&x, "x", tensor(&x, 4, 8)), *z = param(&x, "z", tensor(&x, 4, 8));
    struct tf_node *outer = loop_range(&x, "i", 0, 3, 1);
    const struct tf_node *acc = ir_loop_carry(&x.b, outer, "acc", z);
    struct tf_node *inner = loop_range(&x, "j", 0, 5, 1);
    const struct tf_node *acc2 = ir_loop_carry(&x.b, inner, "acc", acc);
    close_loop(inner, add(&x, "sum", acc2, a));
    close_loop(outer, inner);
    const struct tf_program *p = program(&x, fixture_return(&x, outer));
    ck_assert_uint_eq(runs(p, "sum"), 15);
    ck_assert_uint_eq(p->n_loops, 2);
    ck_assert_str_eq(p->loops[0].name, "j");
    ck_assert_uint_eq(p->loops[0].trips, 5);
    ck_assert_uint_eq(p->loops[0].parent, 1);
    ck_assert_uint_eq(p->loops[0].depth, 1);
    ck_assert_uint_eq(p->loops[1].parent, TF_NO_LOOP);
    ck_assert_uint_eq(step_named(p, "sum")->loop, 0);
    ck_assert_uint_eq(step_named(p, "sum")->inner, 0);
}
END_TEST

/* for i: b = z; for k: b = exp(b) + x[i, k] -- what exp sees in later trips varies in i; exp(w[k]) varies in k alone. */
START_TEST(what_is_yielded_varies_too)
{
    const struct tf_node *a = param(&x, "x", tensor(&x, 4, 8)), *z = param(&x, "z", tensor(&x, 4, 8));
    const struct tf_node *w = param(&x, "w", tensor(&x, 4, 8));
    struct tf_node *outer = loop_range(&x, "i", 0, 3, 1);
    struct tf_node *inner = loop_range(&x, "k", 0, 5, 1);
    const struct tf_node *b = ir_loop_carry(&x.b, inner, "b", z);
    const struct tf_node *exp = same(&x, "exp", b);
    const struct tf_node *window = reads("window", a, outer->loop->var, inner->loop->var);
    const struct tf_node *weight = same(&x, "weight", reads("row", w, inner->loop->var, NULL));
    const struct tf_node *sum = add(&x, "sum", add(&x, "part", exp, window), weight);
    close_loop(inner, sum);
    close_loop(outer, inner);
    const struct tf_program *p = program(&x, fixture_return(&x, outer));
    ck_assert_uint_eq(runs(p, "exp"), 15);
    ck_assert_uint_eq(runs(p, "sum"), 15);
    ck_assert_uint_eq(runs(p, "weight"), 5);
    ck_assert_uint_eq(step_named(p, "weight")->inner, 0);
    ck_assert_int_ne(tf_varies_in(p, step_named(p, "exp")->node, 1), 0);
    ck_assert_int_eq(tf_varies_in(p, step_named(p, "weight")->node, 1), 0);
}
END_TEST

START_TEST(what_varies_in_nothing_runs_once)
{
    const struct tf_node *g = param(&x, "g", tensor(&x, 4, 8));
    struct tf_node *loop = loop_range(&x, "i", 2, 11, 4);
    const struct tf_node *acc = ir_loop_carry(&x.b, loop, "acc", g);
    const struct tf_node *heavy = same(&x, "heavy", g);
    close_loop(loop, add(&x, "sum", acc, heavy));
    const struct tf_program *p = program(&x, fixture_return(&x, same(&x, "end", loop)));
    ck_assert_uint_eq(p->loops[0].trips, 3);
    ck_assert_int_eq(p->loops[0].start, 2);
    ck_assert_uint_eq(runs(p, "heavy"), 1);
    ck_assert_uint_eq(runs(p, "sum"), 3);
    ck_assert_uint_eq(runs(p, "end"), 1);
    ck_assert_uint_eq(p->loops[0].first_position, 1);
    ck_assert_uint_eq(p->loops[0].end_position, 2);
    ck_assert_uint_eq(step_named(p, "heavy")->loop, 0);
    ck_assert_uint_eq(step_named(p, "heavy")->inner, TF_NO_LOOP);
}
END_TEST

START_TEST(no_trips_no_runs)
{
    const struct tf_node *g = param(&x, "g", tensor(&x, 4, 8)), *shared = same(&x, "shared", g);
    struct tf_node *loop = loop_range(&x, "i", 4, 1, 1);
    const struct tf_node *acc = ir_loop_carry(&x.b, loop, "acc", g);
    const struct tf_node *only = same(&x, "only", g);
    close_loop(loop, add(&x, "sum", add(&x, "part", acc, only), shared));
    const struct tf_program *p = program(&x, fixture_return(&x, add(&x, "end", loop, shared)));
    ck_assert_uint_eq(p->loops[0].trips, 0);
    ck_assert_uint_eq(runs(p, "only"), 0);
    ck_assert_uint_eq(runs(p, "sum"), 0);
    ck_assert_uint_eq(runs(p, "shared"), 1);
    ck_assert_uint_eq(runs(p, "end"), 1);
    ck_assert_uint_eq(step_named(p, "only")->position, 1);
}
END_TEST

/* An item of a loop's result varies as that item does. */
START_TEST(items_vary_on_their_own)
{
    const struct tf_node *w = param(&x, "w", tensor(&x, 4, 8));
    struct tf_node *outer = loop_range(&x, "i", 0, 3, 1);
    const struct tf_node *acc = ir_loop_carry(&x.b, outer, "acc", w);
    const struct tf_node *window = reads("window", w, outer->loop->var, NULL);
    struct tf_node *inner = loop_range(&x, "k", 0, 5, 1);
    const struct tf_node *p0 = ir_loop_carry(&x.b, inner, "p", window), *q0 = ir_loop_carry(&x.b, inner, "q", w);
    const struct tf_node *yields[] = {same(&x, "next_p", p0), same(&x, "next_q", q0)};
    ir_loop_close(&x.b, inner, yields, yields[1]);
    const struct tf_node *first = same(&x, "first", call(&x, &fake_item, inner, 0));
    const struct tf_node *second = same(&x, "second", call(&x, &fake_item, inner, 1));
    const struct tf_node *pair[] = {first, second};
    const struct tf_node *again = ir_tuple(&x.b, NULL, pair, 2);
    const struct tf_node *third = same(&x, "third", call(&x, &fake_item, again, 1));
    close_loop(outer, add(&x, "sum", acc, add(&x, "part", first, third)));
    const struct tf_program *p = program(&x, fixture_return(&x, outer));
    ck_assert_uint_eq(runs(p, "next_p"), 15);
    ck_assert_uint_eq(runs(p, "next_q"), 5);
    ck_assert_uint_eq(runs(p, "first"), 3);
    ck_assert_uint_eq(runs(p, "second"), 1);
    ck_assert_uint_eq(runs(p, "third"), 1);
}
END_TEST

/* What one loop gave does not vary in the next one beside it. */
START_TEST(loops_side_by_side_are_apart)
{
    const struct tf_node *w = param(&x, "w", tensor(&x, 4, 8));
    struct tf_node *outer = loop_range(&x, "i", 0, 3, 1);
    const struct tf_node *acc = ir_loop_carry(&x.b, outer, "acc", w);
    struct tf_node *first = loop_range(&x, "j", 0, 5, 1);
    const struct tf_node *b = ir_loop_carry(&x.b, first, "b", acc);
    close_loop(first, same(&x, "in_first", b));
    struct tf_node *second = loop_range(&x, "k", 0, 7, 1);
    const struct tf_node *c = ir_loop_carry(&x.b, second, "c", acc);
    close_loop(second, add(&x, "in_second", c, same(&x, "between", first)));
    close_loop(outer, second);
    const struct tf_program *p = program(&x, fixture_return(&x, outer));
    ck_assert_uint_eq(runs(p, "in_first"), 15);
    ck_assert_uint_eq(runs(p, "in_second"), 21);
    ck_assert_uint_eq(runs(p, "between"), 3);
    ck_assert_str_eq(p->loops[0].name, "j");
    ck_assert_str_eq(p->loops[step_named(p, "between")->loop].name, "k");
    ck_assert_str_eq(p->loops[step_named(p, "between")->inner].name, "i");
}
END_TEST

/* A ring of carried values: what enters one of them reaches all, in time. */
START_TEST(rings_of_carries_settle)
{
    enum { N = 60 };
    const struct tf_node *w = param(&x, "w", tensor(&x, 4, 8)), *carry[N], *yield[N];
    struct tf_node *outer = loop_range(&x, "i", 0, 3, 1);
    const struct tf_node *acc = ir_loop_carry(&x.b, outer, "acc", w);
    const struct tf_node *window = reads("window", w, outer->loop->var, NULL);
    struct tf_node *inner = loop_range(&x, "k", 0, 5, 1);
    for (int i = 0; i < N; i++)
        carry[i] = ir_loop_carry(&x.b, inner, "c", w);
    const struct tf_node *watched = same(&x, "watched", carry[0]);
    for (int i = 0; i < N; i++)
        yield[i] = i + 1 < N ? carry[i + 1] : window;
    ir_loop_close(&x.b, inner, yield, watched);
    close_loop(outer, add(&x, "sum", acc, call(&x, &fake_item, inner, 0)));
    const struct tf_program *p = program(&x, fixture_return(&x, outer));
    ck_assert_uint_eq(runs(p, "watched"), 15);
}
END_TEST

/* A region's parameter varies as what it captures: a function that holds a mesh, called in a loop. */
START_TEST(regions_in_loops_run_each_trip)
{
    const struct tf_node *p0 = param(&x, "p", tensor(&x, 4, 8));
    struct tf_node *region = ir_region_open(&x.b, NULL, mesh_of(&x, "cta", 4), "m");
    const struct tf_node *inside = same(&x, "inside", ir_region_capture(&x.b, region, p0, "p"));
    ir_region_close(&x.b, region, inside);
    struct ir_function *g = fixture_return(&x, region);
    fixture_function(&x, "h");
    const struct tf_node *w = param(&x, "w", tensor(&x, 4, 8));
    struct tf_node *loop = loop_range(&x, "i", 0, 3, 1);
    const struct tf_node *acc = ir_loop_carry(&x.b, loop, "acc", w);
    const struct tf_node *window = reads("window", w, loop->loop->var, NULL);
    const struct tf_node *result = ir_fcall(&x.b, NULL, "y", g, &window, 1);
    close_loop(loop, add(&x, "sum", acc, result));
    const struct tf_program *p = program(&x, fixture_return(&x, loop));
    ck_assert_uint_eq(runs(p, "inside"), 3);
    ck_assert_uint_eq(step_named(p, "inside")->units, 4);
    ck_assert_uint_eq(step_named(p, "sum")->units, 1);
}
END_TEST

START_TEST(positions_are_parameters_then_calls_and_constants)
{
    const struct tf_val half = {.kind = TF_VAL_FLOAT, .u.f = 0.5};
    const struct tf_node *unread = param(&x, "unread", tensor(&x, 4, 8)), *a = param(&x, "a", tensor(&x, 4, 8));
    const struct tf_node *pair[] = {add(&x, "sum", a, ir_const(&x.b, NULL, &half)), a};
    const struct tf_node *tuple = ir_tuple(&x.b, NULL, pair, 2);
    const struct tf_program *p = program(&x, fixture_return(&x, tuple));
    ck_assert_uint_eq(p->n_steps, 4);
    ck_assert_uint_eq(p->steps[0].node->kind, TF_NODE_PARAM);
    ck_assert_str_eq(p->steps[0].node->name, unread->name);
    ck_assert_uint_eq(p->steps[2].node->kind, TF_NODE_CONST);
    ck_assert_uint_eq(p->steps[3].node->kind, TF_NODE_CALL);
    ck_assert_uint_eq(p->step_of[p->steps[3].node->id], 3);
    ck_assert_uint_eq(p->step_of[p->function->body->id], TF_NO_POSITION);
    for (uint32_t i = 0; i < p->n_steps; i++)
        ck_assert_uint_eq(p->steps[i].position, i);
}
END_TEST

START_TEST(a_unit_sees_its_share)
{
    const struct tf_type *type = tensor(&x, 8, 8);
    const struct tf_node *a = param(&x, "a", type);
    struct tf_node *region = ir_region_open(&x.b, NULL, mesh_of(&x, "cta", 4), "m");
    const struct tf_node *p0 = ir_region_capture(&x.b, region, a, "a");
    const struct tf_node *placed = place(&x, p0, split_rows(&x, region->region->mesh, type), TF_STORAGE_SMEM);
    const struct tf_node *used = same(&x, "used", placed);
    ir_region_close(&x.b, region, used);
    const struct tf_program *p = program(&x, fixture_return(&x, region));
    const struct tf_step *step = step_named(p, "used");
    ck_assert_int_eq(step->whole->type->shape[0]->value, 8);
    ck_assert_int_eq(step->unit->type->shape[0]->value, 2);
    ck_assert_int_eq(step->unit->arg_types[0]->shape[0]->value, 2);
    ck_assert_ptr_eq(step->unit->node, step->node);
    ck_assert_ptr_eq(step_named(p, "placed")->unit->arg_types[0], p->steps[0].node->type);
}
END_TEST

START_TEST(runs_that_pass_64_bits_are_refused)
{
    const struct tf_node *a = param(&x, "a", tensor(&x, 4, 8)), *value = a;
    struct tf_node *loops[3];
    for (int i = 0; i < 3; i++) {
        loops[i] = loop_range(&x, "i", 0, INT64_MAX, 1);
        value = ir_loop_carry(&x.b, loops[i], "acc", value);
    }
    value = same(&x, "inside", value);
    for (int i = 3; i-- > 0;) {
        close_loop(loops[i], value);
        value = loops[i];
    }
    struct ir_function *f = inlined(&x, fixture_return(&x, value));
    ck_assert_ptr_null(ir_program_make(x.ctx, x.module, f, &fake_target, NULL));
    expect_error(&x, "overflow");
}
END_TEST

static void expect_refused_loop(int64_t start, int64_t step, const char *code)
{
    const struct tf_node *a = param(&x, "a", tensor(&x, 4, 8));
    struct tf_node *loop = loop_range(&x, "i", start, 8, step);
    close_loop(loop, ir_loop_carry(&x.b, loop, "acc", a));
    struct ir_function *f = inlined(&x, fixture_return(&x, loop));
    ck_assert_ptr_null(ir_program_make(x.ctx, x.module, f, &fake_target, NULL));
    expect_error(&x, code);
}

START_TEST(steps_are_positive)
{
    expect_refused_loop(0, 0, "loop-step");
    fixture_function(&x, "g");
    expect_refused_loop(0, -1, "loop-step");
}
END_TEST

START_TEST(bounds_are_numbers)
{
    const struct tf_node *a = param(&x, "a", tensor(&x, 4, 8));
    const struct tf_val four = {.kind = TF_VAL_INT, .u.i = 4};
    const struct tf_node *count = same(&x, "count", ir_const(&x.b, NULL, &four));
    struct tf_loop bounds = {
        .start = dim_const(x.ctx, 0), .step = dim_const(x.ctx, 1), .bound_value = {NULL, count, NULL}};
    struct tf_node *loop = ir_loop_open(&x.b, NULL, "i", &bounds);
    close_loop(loop, ir_loop_carry(&x.b, loop, "acc", a));
    struct ir_function *f = inlined(&x, fixture_return(&x, loop));
    ck_assert_ptr_null(ir_program_make(x.ctx, x.module, f, &fake_target, NULL));
    expect_text(&x, "loop-bound", "'count'");
}
END_TEST

static void expect_level(const char *level, const char *code, const char *part)
{
    struct ir_function *f = inlined(&x, x.module->functions[0]);
    ck_assert_ptr_null(ir_program_make(x.ctx, x.module, f, &fake_target, level));
    expect_text(&x, code, part);
}

START_TEST(levels_are_declared_and_the_targets)
{
    fixture_return(&x, param(&x, "a", tensor(&x, 4, 8)));
    const struct tf_program *p = program(&x, x.module->functions[0]);
    ck_assert_uint_eq(p->n_levels, 1);
    ck_assert_uint_eq(p->selected, 0);
    expect_level("ctas", "topology-level", "did you mean 'cta'");
    fixture_levels(&x, "thread", 1025);
    expect_level(NULL, "topology-extent", "1 to 1024");
    x.module->n_levels = 0;
    fixture_levels(&x, "warp", 4);
    expect_level(NULL, "topology-level", "it has 'cta', 'thread'");
    x.module->n_levels = 0;
    fixture_levels(&x, "cta", 0);
    expect_level(NULL, "topology-extent", "positive");
    x.module->n_levels = 0;
    p = program(&x, x.module->functions[0]);
    ck_assert_uint_eq(p->selected, p->n_levels);
}
END_TEST

START_TEST(long_chains_need_no_stack)
{
    const struct tf_node *v = param(&x, "a", tensor(&x, 4, 8));
    for (int i = 0; i < 100000; i++)
        v = same(&x, NULL, v);
    struct tf_node *loop = loop_range(&x, "i", 0, 3, 1);
    const struct tf_node *acc = ir_loop_carry(&x.b, loop, "acc", v), *w = acc;
    for (int i = 0; i < 100000; i++)
        w = same(&x, NULL, w);
    close_loop(loop, w);
    struct ir_function *f = fixture_return(&x, same(&x, "end", loop));
    ck_assert_int_eq(ir_verify(x.ctx, x.module), TF_OK);
    const struct tf_program *p = program(&x, f);
    ck_assert_uint_eq(p->n_steps, 200002);
    ck_assert_uint_eq(p->steps[200000].runs, 3);
}
END_TEST

Suite *program_suite(void)
{
    Suite *suite = suite_create("program");
    TCase *tcase = tcase_create("program");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, an_add_carried_through_two_loops);
    tcase_add_test(tcase, what_is_yielded_varies_too);
    tcase_add_test(tcase, what_varies_in_nothing_runs_once);
    tcase_add_test(tcase, no_trips_no_runs);
    tcase_add_test(tcase, items_vary_on_their_own);
    tcase_add_test(tcase, loops_side_by_side_are_apart);
    tcase_add_test(tcase, rings_of_carries_settle);
    tcase_add_test(tcase, regions_in_loops_run_each_trip);
    tcase_add_test(tcase, positions_are_parameters_then_calls_and_constants);
    tcase_add_test(tcase, a_unit_sees_its_share);
    tcase_add_test(tcase, runs_that_pass_64_bits_are_refused);
    tcase_add_test(tcase, steps_are_positive);
    tcase_add_test(tcase, bounds_are_numbers);
    tcase_add_test(tcase, levels_are_declared_and_the_targets);
    tcase_add_test(tcase, long_chains_need_no_stack);
    suite_add_tcase(suite, tcase);
    return suite;
}

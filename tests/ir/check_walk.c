/* SPDX-License-Identifier: MIT
 * The order in which values are visited.
 */
#include "fake.h"

static struct fixture x;
static struct buf seen;

static void setup(void)
{
    fixture_begin(&x);
    fixture_function(&x, "f");
}

static void teardown(void)
{
    buf_free(&seen);
    fixture_end(&x);
}

static int note(void *data, const struct tf_node *node)
{
    (void)data;
    buf_printf(&seen, "%s ", node->name ? node->name : node->kind == TF_NODE_CONST ? "#" : "?");
    return 0;
}

static int note_enter(void *data, const struct tf_node *node)
{
    (void)data;
    (void)node;
    buf_str(&seen, "( ");
    return 0;
}

static int note_leave(void *data, const struct tf_node *node)
{
    (void)data;
    (void)node;
    buf_str(&seen, ") ");
    return 0;
}

static void expect_order(const char *order)
{
    const struct walk walk = {NULL, note, note_enter, note_leave};
    ck_assert_int_eq(walk_function(x.ctx, &x.f->pub, &walk), 0);
    ck_assert_str_eq(buf_text(&seen), order);
}

START_TEST(operands_from_left_to_right_and_each_once)
{
    const struct tf_node *a = param(&x, "a", tensor(&x, 4, 8)), *b = param(&x, "b", tensor(&x, 4, 8));
    const struct tf_node *second = same(&x, "second", b), *first = same(&x, "first", a);
    const struct tf_node *both = add(&x, "both", first, second);
    same(&x, "dead", a);
    fixture_return(&x, add(&x, "end", both, first));
    expect_order("a first b second both end ");
}
END_TEST

START_TEST(captures_before_the_inside_of_a_region)
{
    fixture_levels(&x, "cta", 4);
    const struct tf_node *a = param(&x, "a", tensor(&x, 4, 8));
    const struct tf_node *before = same(&x, "before", a), *late = same(&x, "late", a);
    struct tf_node *region = ir_region_open(&x.b, NULL, mesh_of(&x, "cta", 4), "m");
    const struct tf_node *p = ir_region_capture(&x.b, region, before, "p");
    ir_region_capture(&x.b, region, late, "unread");
    ir_region_close(&x.b, region, same(&x, "inside", p));
    region->name = "region";
    fixture_return(&x, region);
    expect_order("a before late ( p inside ) region ");
}
END_TEST

/* What was written before the loop, but is first reached from inside it, is visited there. */
START_TEST(initial_values_then_body_then_yields)
{
    const struct tf_node *a = param(&x, "a", tensor(&x, 4, 8));
    const struct tf_node *outside = same(&x, "outside", a), *initial = same(&x, "initial", a);
    struct tf_node *loop = loop_range(&x, "i", 0, 4, 1);
    const struct tf_node *acc = ir_loop_carry(&x.b, loop, "acc", initial);
    const struct tf_node *yield = same(&x, "yield", acc), *body = add(&x, "body", acc, outside);
    ir_loop_close(&x.b, loop, &yield, body);
    loop->name = "loop";
    fixture_return(&x, add(&x, "end", loop, outside));
    expect_order("a initial ( acc outside body yield ) loop end ");
}
END_TEST

static unsigned skip_all(void *data, const struct tf_node *owner)
{
    (void)data;
    (void)owner;
    return 1;
}

START_TEST(insides_can_be_left_out)
{
    const struct tf_node *a = param(&x, "a", tensor(&x, 4, 8)), *node;
    struct tf_node *loop = loop_range(&x, "i", 0, 4, 1);
    const struct tf_node *acc = ir_loop_carry(&x.b, loop, "acc", a), *yield = same(&x, "yield", acc);
    ir_loop_close(&x.b, loop, &yield, yield);
    fixture_return(&x, loop);
    struct walker walker;
    walker_init(&walker, &x.f->pub);
    walker.skip = skip_all;
    ck_assert_uint_eq(walker_next(&walker, &node), WALK_VISIT);
    ck_assert_ptr_eq(node, a);
    ck_assert_uint_eq(walker_next(&walker, &node), WALK_VISIT);
    ck_assert_ptr_eq(node, loop);
    ck_assert_uint_eq(walker_next(&walker, &node), WALK_END);
    walker_finish(&walker);
}
END_TEST

static int stop_at(void *data, const struct tf_node *node)
{
    return node == data ? 42 : 0;
}

START_TEST(a_callback_stops_the_walk)
{
    const struct tf_node *a = param(&x, "a", tensor(&x, 4, 8)), *b = same(&x, "b", a);
    fixture_return(&x, same(&x, "c", b));
    const struct walk walk = {(void *)(uintptr_t)b, stop_at, NULL, NULL};
    ck_assert_int_eq(walk_function(x.ctx, &x.f->pub, &walk), 42);
}
END_TEST

Suite *walk_suite(void)
{
    Suite *suite = suite_create("walk");
    TCase *tcase = tcase_create("walk");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, operands_from_left_to_right_and_each_once);
    tcase_add_test(tcase, captures_before_the_inside_of_a_region);
    tcase_add_test(tcase, initial_values_then_body_then_yields);
    tcase_add_test(tcase, insides_can_be_left_out);
    tcase_add_test(tcase, a_callback_stops_the_walk);
    suite_add_tcase(suite, tcase);
    return suite;
}

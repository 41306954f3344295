/* SPDX-License-Identifier: MIT
 * Making nodes: types, limits, and what is refused.
 */
#include "fake.h"

static struct fixture x;

static void setup(void)
{
    fixture_begin(&x);
    fixture_function(&x, "f");
}

static void teardown(void)
{
    builder_finish(&x.b);
    fixture_end(&x);
}

START_TEST(constants_have_their_types)
{
    const struct tf_val vals[] = {
        {.kind = TF_VAL_BOOL, .u.i = 1}, {.kind = TF_VAL_INT, .u.i = 7}, {.kind = TF_VAL_FLOAT, .u.f = 0.5}};
    const uint32_t dtypes[] = {TF_DTYPE_BOOL, TF_DTYPE_I64, TF_DTYPE_F32};
    struct ir_builder again;
    builder_init(&again, x.ctx, CTX_NEW(x.ctx, struct ir_function));
    for (uint32_t i = 0; i < 3; i++) {
        const struct tf_node *node = ir_const(&x.b, NULL, &vals[i]);
        ck_assert_uint_eq(node->type->dtype, dtypes[i]);
        ck_assert_uint_eq(node->type->rank, 0);
        ck_assert_uint_eq(node->type->storage, TF_STORAGE_UMAT);
        ck_assert_uint_eq(node->id, i);
        ck_assert_ptr_eq(ir_const(&again, NULL, &vals[i])->type, node->type);
    }
    builder_finish(&again);
}
END_TEST

START_TEST(silent_refusals_are_named)
{
    const struct tf_node *a = param(&x, "a", tensor(&x, 4, 8));
    ck_assert_ptr_null(call(&x, &fake_mute, a, TF_E_REFUSED));
    expect_error(&x, "plugin-fault");
    ck_assert_ptr_null(call(&x, &fake_mute, a, TF_E_OVERFLOW));
    expect_error(&x, "overflow");
    ck_assert_ptr_null(call(&x, &fake_mute, a, TF_E_UNSUPPORTED));
    expect_error(&x, "unsupported");
    ck_assert_ptr_null(call(&x, &fake_mute, a, TF_OK));
    expect_text(&x, "plugin-fault", "mute is refused: it gave no type");
}
END_TEST

START_TEST(operands_are_counted_and_of_the_kind_asked)
{
    const struct tf_node *a = param(&x, "a", tensor(&x, 4, 8));
    const struct tf_node *pair = call(&x, &fake_pair, a, 0);
    ck_assert_ptr_null(same(&x, NULL, pair));
    expect_error(&x, "operand-kind");
    ck_assert_ptr_null(call(&x, &fake_item, a, 0));
    expect_error(&x, "operand-kind");
    ck_assert_ptr_null(ir_call(&x.b, NULL, NULL, &fake_add, &a, 1, NULL));
    expect_error(&x, "operand-count");
    const struct tf_node *three[] = {a, a, a};
    ck_assert_ptr_nonnull(ir_call(&x.b, NULL, NULL, &fake_many, three, 3, NULL));
}
END_TEST

START_TEST(limits_of_nodes_rank_and_tuples)
{
    const struct tf_node *a = param(&x, "a", tensor(&x, 4, 8));
    ck_assert_ptr_null(call(&x, &fake_deep, a, 17));
    expect_error(&x, "limit");
    x.ctx->limits.depth = 3;
    const struct tf_node *t = a;
    int deep = 0;
    while (t && deep++ < 10)
        t = ir_tuple(&x.b, NULL, &t, 1);
    ck_assert_int_eq(deep, 4);
    x.ctx->limits.depth = 200;
    x.ctx->limits.elements = 1000;
    t = a;
    for (deep = 0; t && deep < 40; deep++) {
        const struct tf_node *two[] = {t, t};
        t = ir_tuple(&x.b, NULL, two, 2);
    }
    ck_assert_int_eq(deep, 10);
    x.ctx->limits.nodes = x.b.nodes.n + 1;
    ck_assert_ptr_nonnull(same(&x, NULL, a));
    ck_assert_ptr_null(same(&x, NULL, a));
    expect_text(&x, "limit", "--limit nodes=N");
}
END_TEST

START_TEST(calls_need_what_parameters_ask)
{
    struct ir_function *g = x.f;
    param(&x, "p", tensor(&x, 4, 8));
    fixture_return(&x, same(&x, "r", g->pub.params[0]));
    fixture_function(&x, "h");
    const struct tf_node *good = param(&x, "a", tensor(&x, 4, 8)), *bad = param(&x, "b", tensor(&x, 8, 8));
    const struct tf_node *both[] = {good, good};
    ck_assert_ptr_nonnull(ir_fcall(&x.b, NULL, "y", g, &good, 1));
    ck_assert_ptr_null(ir_fcall(&x.b, NULL, "y", g, &bad, 1));
    expect_error(&x, "argument-type");
    ck_assert_ptr_null(ir_fcall(&x.b, NULL, "y", g, both, 2));
    expect_error(&x, "argument-count");
}
END_TEST

/* A parameter without a layout takes any, and the result has the layout that follows; through two calls. */
START_TEST(results_follow_the_arguments_layout)
{
    const struct tf_type *type = tensor(&x, 4, 8);
    struct ir_function *inner = x.f;
    fixture_return(&x, same(&x, "r", param(&x, "p", type)));
    struct ir_function *outer = fixture_function(&x, "outer");
    const struct tf_node *p = param(&x, "p", type);
    fixture_return(&x, ir_fcall(&x.b, NULL, "r", inner, &p, 1));
    fixture_function(&x, "h");
    const struct tf_layout *layout = split_rows(&x, mesh_of(&x, "cta", 4), type);
    const struct tf_node *placed = place(&x, param(&x, "a", type), layout, TF_STORAGE_GMEM);
    const struct tf_node *y = ir_fcall(&x.b, NULL, "y", outer, &placed, 1);
    ck_assert_msg(y != NULL, "%s", reported(&x));
    ck_assert_int_ne(layout_equal(y->type->layout, layout), 0);
    ck_assert_ptr_null(outer->pub.result->layout);
    ck_assert_ptr_nonnull(outer->instances);
    ck_assert_ptr_nonnull(inner->instances);
}
END_TEST

START_TEST(regions_capture_each_value_once)
{
    fixture_levels(&x, "cta", 4);
    const struct tf_node *a = param(&x, "a", tensor(&x, 4, 8));
    struct tf_node *region = ir_region_open(&x.b, NULL, mesh_of(&x, "cta", 4), "m");
    const struct tf_node *inside = ir_region_capture(&x.b, region, a, "a");
    ck_assert_ptr_eq(ir_region_capture(&x.b, region, a, "a"), inside);
    const struct tf_node *v = same(&x, "v", inside);
    ck_assert_ptr_eq(v->scope, region->region->scope);
    ir_region_close(&x.b, region, v);
    ck_assert_uint_eq(region->n_in, 1);
    ck_assert_ptr_eq(region->type, v->type);
    ck_assert_ptr_null(x.b.scope);
}
END_TEST

START_TEST(regions_need_the_declared_extent)
{
    fixture_levels(&x, "cta", 4);
    ck_assert_ptr_null(ir_region_open(&x.b, NULL, mesh_of(&x, "cta", 8), "m"));
    expect_error(&x, "mesh-extent");
    ck_assert_ptr_null(ir_region_open(&x.b, NULL, mesh_of(&x, "thread", 8), "m"));
    expect_error(&x, "topology-level");
}
END_TEST

static int yield_refused(const struct tf_node *initial, const struct tf_node *next)
{
    struct tf_node *loop = loop_range(&x, "i", 0, 4, 1);
    const struct tf_node *carry = ir_loop_carry(&x.b, loop, "acc", initial);
    ck_assert_ptr_eq(carry->type, initial->type);
    int rc = ir_loop_close(&x.b, loop, &next, next);
    ck_assert_ptr_eq(loop->type, initial->type);
    return rc != TF_OK;
}

START_TEST(carries_keep_their_type)
{
    const struct tf_type *type = tensor(&x, 4, 8);
    const struct tf_mesh *mesh = mesh_of(&x, "cta", 4);
    const struct tf_node *a = param(&x, "a", type), *wide = param(&x, "b", tensor(&x, 4, 4));
    const struct tf_shard_attr all = {.kind = TF_ATTR_BROADCAST};
    const struct tf_node *split = place(&x, a, split_rows(&x, mesh, type), TF_STORAGE_GMEM);
    const struct tf_node *whole =
        place(&x, a, layout_canonical(x.ctx, NULL, 2, type->shape, mesh, &all), TF_STORAGE_GMEM);
    const struct tf_node *plain = place(&x, a, layout_plain(x.ctx, 2, type->shape, NULL), TF_STORAGE_GMEM);
    ck_assert(!yield_refused(a, a));
    ck_assert(!yield_refused(a, whole));
    ck_assert(!yield_refused(a, plain));
    ck_assert(!yield_refused(split, split));
    ck_assert(yield_refused(a, wide));
    ck_assert(yield_refused(a, split));
    ck_assert(yield_refused(split, whole));
    ck_assert(yield_refused(a, place(&x, a, NULL, TF_STORAGE_SMEM)));
    expect_error(&x, "carry-type");
}
END_TEST

/* The same units get the same rows, however the rest is factored. */
START_TEST(carries_look_at_the_split_not_at_its_spelling)
{
    const struct tf_type *type = tensor(&x, 8, 8);
    const struct tf_mesh *mesh = mesh_of(&x, "cta", 4);
    const struct tf_dim *d2 = dim_const(x.ctx, 2), *d4 = dim_const(x.ctx, 4), *d8 = dim_const(x.ctx, 8);
    const struct tf_dim *finer[] = {d4, d2, d2, d4}, *inner[] = {d2, d4, d8};
    const struct tf_shard_attr first = {.kind = TF_ATTR_SPLIT, .axis = 0}, second = {.kind = TF_ATTR_SPLIT, .axis = 1};
    const struct tf_node *a = param(&x, "a", type);
    const struct tf_node *rows = place(&x, a, split_rows(&x, mesh, type), TF_STORAGE_GMEM);
    const struct tf_node *spelt = place(&x, a, layout_shard(x.ctx, 4, finer, NULL, mesh, &first), TF_STORAGE_GMEM);
    const struct tf_node *strided = place(&x, a, layout_shard(x.ctx, 3, inner, NULL, mesh, &second), TF_STORAGE_GMEM);
    ck_assert(!yield_refused(rows, spelt));
    ck_assert(yield_refused(rows, strided));
}
END_TEST

START_TEST(nesting_has_a_limit)
{
    x.ctx->limits.depth = 2;
    ck_assert_ptr_nonnull(loop_range(&x, "i", 0, 4, 1));
    ck_assert_ptr_nonnull(loop_range(&x, "j", 0, 4, 1));
    ck_assert_ptr_null(loop_range(&x, "k", 0, 4, 1));
    expect_error(&x, "limit");
}
END_TEST

Suite *build_suite(void)
{
    Suite *suite = suite_create("build");
    TCase *tcase = tcase_create("build");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, constants_have_their_types);
    tcase_add_test(tcase, silent_refusals_are_named);
    tcase_add_test(tcase, operands_are_counted_and_of_the_kind_asked);
    tcase_add_test(tcase, limits_of_nodes_rank_and_tuples);
    tcase_add_test(tcase, calls_need_what_parameters_ask);
    tcase_add_test(tcase, results_follow_the_arguments_layout);
    tcase_add_test(tcase, regions_capture_each_value_once);
    tcase_add_test(tcase, regions_need_the_declared_extent);
    tcase_add_test(tcase, carries_keep_their_type);
    tcase_add_test(tcase, carries_look_at_the_split_not_at_its_spelling);
    tcase_add_test(tcase, nesting_has_a_limit);
    suite_add_tcase(suite, tcase);
    return suite;
}

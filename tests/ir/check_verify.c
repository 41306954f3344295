/* SPDX-License-Identifier: MIT
 * What every program must keep to.
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
    fixture_end(&x);
}

static void expect_refused(const char *code)
{
    ck_assert_int_ne(ir_verify(x.ctx, x.module), TF_OK);
    expect_error(&x, code);
}

START_TEST(carried_values_stay_in_their_loop)
{
    struct tf_node *loop = loop_range(&x, "i", 0, 4, 1);
    const struct tf_node *acc = ir_loop_carry(&x.b, loop, "acc", param(&x, "a", tensor(&x, 4, 8)));
    const struct tf_node *next = same(&x, "next", acc);
    ir_loop_close(&x.b, loop, &next, next);
    fixture_return(&x, add(&x, "end", loop, acc));
    expect_refused("internal");
}
END_TEST

START_TEST(regions_read_what_they_captured)
{
    fixture_levels(&x, "cta", 4);
    const struct tf_node *a = param(&x, "a", tensor(&x, 4, 8)), *b = same(&x, "b", a);
    struct tf_node *region = ir_region_open(&x.b, NULL, mesh_of(&x, "cta", 4), "m");
    const struct tf_node *p = ir_region_capture(&x.b, region, a, "a");
    ir_region_close(&x.b, region, add(&x, "inside", p, b));
    fixture_return(&x, add(&x, "end", b, region));
    expect_refused("internal");
}
END_TEST

START_TEST(a_weight_has_one_type_in_its_module)
{
    fixture_return(&x, ir_param(&x.b, NULL, "w", tensor(&x, 4, 8), 1));
    fixture_function(&x, "g");
    fixture_return(&x, ir_param(&x.b, NULL, "w", tensor(&x, 4, 8), 1));
    ck_assert_int_eq(ir_verify(x.ctx, x.module), TF_OK);
    fixture_function(&x, "h");
    fixture_return(&x, ir_param(&x.b, NULL, "w", tensor(&x, 8, 8), 1));
    expect_refused("weight-type");
}
END_TEST

static const struct tf_type *open_rows(const char *name)
{
    const struct tf_dim *shape[] = {dim_variable(x.ctx, ctx_intern(x.ctx, name), 1, 65), dim_const(x.ctx, 8)};
    return type_tensor(x.ctx, TF_DTYPE_F32, 2, shape, NULL, TF_STORAGE_GMEM);
}

static struct ir_variant variant(const char *name, const char *dim, int64_t lo, int64_t hi)
{
    fixture_function(&x, name);
    struct ir_function *f = fixture_return(&x, param(&x, "p", open_rows("N")));
    x.module->n_functions--;
    return (struct ir_variant){&f->pub, name, dim, lo, hi};
}

static struct ir_function *base_of_two(struct ir_variant first, struct ir_variant second)
{
    struct ir_function *base = fixture_function(&x, "base");
    param(&x, "p", open_rows("N"));
    base->is_prototype = 1;
    base->declared = base->pub.result = open_rows("N");
    fixture_return(&x, NULL);
    base->variants = CTX_ARRAY(x.ctx, struct ir_variant, 2);
    base->variants[0] = first;
    base->variants[1] = second;
    base->n_variants = 2;
    return base;
}

static void expect_range(const char *part)
{
    ck_assert_int_ne(ir_verify(x.ctx, x.module), TF_OK);
    expect_text(&x, "variant-range", part);
}

START_TEST(variants_cover_the_range_once)
{
    struct ir_function *base = base_of_two(variant("b", "N", 33, 65), variant("a", "N", 1, 33));
    ck_assert_int_eq(ir_verify(x.ctx, x.module), TF_OK);
    base->variants[0].lo = 34;
    expect_range("leave a gap at N=33");
    base->variants[0].lo = 32;
    expect_range("overlap at N=32");
    base->variants[0].lo = 33;
    base->variants[0].hi = 64;
    expect_range("leave a gap at N=64");
}
END_TEST

START_TEST(variants_are_chosen_by_one_dimension)
{
    base_of_two(variant("b", "M", 33, 65), variant("a", "M", 1, 33));
    expect_refused("variant-dimension");
}
END_TEST

START_TEST(variants_take_and_give_the_same)
{
    struct ir_function *base = base_of_two(variant("b", "N", 33, 65), variant("a", "N", 1, 33));
    base->declared = open_rows("K");
    expect_refused("variant-signature");
    base->declared = open_rows("N");
    ck_assert_int_eq(ir_verify(x.ctx, x.module), TF_OK);
    fixture_function(&x, "c");
    fixture_return(&x, param(&x, "p", tensor(&x, 4, 8)));
    base->variants[0].function = &x.f->pub;
    expect_refused("variant-signature");
}
END_TEST

START_TEST(cycles_through_several_functions)
{
    const struct tf_type *type = tensor(&x, 4, 8);
    struct ir_function *f = x.f;
    f->pub.result = type;
    const struct tf_node *p = param(&x, "p", type);
    struct tf_node *back = ir_fcall(&x.b, NULL, "y", f, &p, 1);
    fixture_return(&x, back);
    struct ir_function *g = fixture_function(&x, "g");
    p = param(&x, "p", type);
    fixture_return(&x, ir_fcall(&x.b, NULL, "y", f, &p, 1));
    back->callee = &g->pub;
    expect_refused("call-cycle");
}
END_TEST

Suite *verify_suite(void)
{
    Suite *suite = suite_create("verify");
    TCase *tcase = tcase_create("verify");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, carried_values_stay_in_their_loop);
    tcase_add_test(tcase, regions_read_what_they_captured);
    tcase_add_test(tcase, a_weight_has_one_type_in_its_module);
    tcase_add_test(tcase, variants_cover_the_range_once);
    tcase_add_test(tcase, variants_are_chosen_by_one_dimension);
    tcase_add_test(tcase, variants_take_and_give_the_same);
    tcase_add_test(tcase, cycles_through_several_functions);
    suite_add_tcase(suite, tcase);
    return suite;
}

/* SPDX-License-Identifier: MIT
 * Callees copied in, dimensions bound, variants chosen, weights of children made parameters.
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

static const struct tf_type *open_rows(const char *name, int64_t lo, int64_t hi)
{
    const struct tf_dim *shape[] = {dim_variable(x.ctx, ctx_intern(x.ctx, name), lo, hi), dim_const(x.ctx, 8)};
    return type_tensor(x.ctx, TF_DTYPE_F32, 2, shape, NULL, TF_STORAGE_GMEM);
}

static struct ir_function *bound(const struct ir_function *f, const char *name, int64_t value)
{
    const struct dim_binding binding = {name, value};
    return ir_inline(x.ctx, x.module, f, &binding, 1);
}

START_TEST(each_call_gets_its_own_copy)
{
    struct ir_function *g = x.f;
    fixture_return(&x, same(&x, "r", param(&x, "p", tensor(&x, 4, 8))));
    fixture_function(&x, "h");
    const struct tf_node *a = param(&x, "a", tensor(&x, 4, 8));
    const struct tf_node *once = ir_fcall(&x.b, NULL, "once", g, &a, 1);
    const struct tf_node *twice = ir_fcall(&x.b, NULL, "twice", g, &once, 1);
    struct ir_function *r = inlined(&x, fixture_return(&x, twice));
    ck_assert_uint_eq(r->pub.n_nodes, 3);
    ck_assert_str_eq(r->pub.body->name, "r");
    ck_assert_uint_eq(r->pub.body->in[0]->kind, TF_NODE_CALL);
    ck_assert_ptr_eq(r->pub.body->in[0]->in[0], r->pub.params[0]);
    ck_assert_uint_eq(r->n_sites, 2);
    ck_assert_str_eq(r->sites[r->site_of[r->pub.body->id]].name, "twice");
    ck_assert_ptr_eq(r->sites[0].callee, g);
    ck_assert_uint_eq(r->sites[0].outer, IR_NO_SITE);
    ck_assert_uint_eq(r->site_of[r->pub.params[0]->id], IR_NO_SITE);
}
END_TEST

START_TEST(sites_know_the_site_around_them)
{
    struct ir_function *g = x.f;
    fixture_return(&x, same(&x, "r", param(&x, "p", tensor(&x, 4, 8))));
    struct ir_function *m = fixture_function(&x, "m");
    const struct tf_node *p = param(&x, "p", tensor(&x, 4, 8));
    fixture_return(&x, ir_fcall(&x.b, NULL, "inner", g, &p, 1));
    fixture_function(&x, "h");
    const struct tf_node *a = param(&x, "a", tensor(&x, 4, 8));
    struct ir_function *r = inlined(&x, fixture_return(&x, ir_fcall(&x.b, NULL, "outer", m, &a, 1)));
    const struct ir_site *site = &r->sites[r->site_of[r->pub.body->id]];
    ck_assert_str_eq(site->name, "inner");
    ck_assert_str_eq(r->sites[site->outer].name, "outer");
}
END_TEST

/* A callee sees what its parameter declares, the caller the result of what it gave; both have to be allowed. */
START_TEST(callees_see_what_they_declare)
{
    fixture_levels(&x, "cta", 4);
    const struct tf_type *type = tensor(&x, 4, 8);
    struct ir_function *g = x.f;
    fixture_return(&x, same(&x, "within", param(&x, "p", type)));
    fixture_function(&x, "h");
    struct tf_node *region = ir_region_open(&x.b, NULL, mesh_of(&x, "cta", 4), "m");
    const struct tf_node *p = ir_region_capture(&x.b, region, param(&x, "a", type), "a");
    const struct tf_node *placed = place(&x, p, split_rows(&x, region->region->mesh, type), TF_STORAGE_GMEM);
    const struct tf_node *y = ir_fcall(&x.b, NULL, "y", g, &placed, 1);
    ir_region_close(&x.b, region, same(&x, "after", y));
    const struct tf_program *p0 = program(&x, fixture_return(&x, region));
    const struct tf_step *within = step_named(p0, "within"), *after = step_named(p0, "after");
    ck_assert_ptr_null(within->node->type->layout);
    ck_assert_ptr_nonnull(within->whole->arg_types[0]->layout);
    ck_assert_int_eq(within->unit->arg_types[0]->shape[0]->value, 1);
    ck_assert_int_eq(within->unit->type->shape[0]->value, 4);
    ck_assert_ptr_nonnull(after->node->type->layout);
    ck_assert_ptr_eq(after->node->in[0], within->node);
}
END_TEST

/* What a call gives does not reach into the regions of the callee, whose meshes may be others. */
START_TEST(regions_of_callees_see_what_they_declare)
{
    fixture_levels(&x, "cta", 4);
    fixture_levels(&x, "thread", 8);
    const struct tf_type *type = tensor(&x, 4, 8);
    struct ir_function *g = x.f;
    const struct tf_node *p = param(&x, "p", type);
    struct tf_node *region = ir_region_open(&x.b, NULL, mesh_of(&x, "thread", 8), "t");
    const struct tf_node *q = ir_region_capture(&x.b, region, p, "q");
    ir_region_close(&x.b, region, same(&x, "within", q));
    fixture_return(&x, region);
    fixture_function(&x, "h");
    const struct tf_node *placed =
        place(&x, param(&x, "a", type), split_rows(&x, mesh_of(&x, "cta", 4), type), TF_STORAGE_GMEM);
    const struct tf_node *y = ir_fcall(&x.b, NULL, "y", g, &placed, 1);
    ck_assert_msg(y != NULL, "%s", reported(&x));
    const struct tf_program *p0 = program(&x, fixture_return(&x, y));
    ck_assert_ptr_null(step_named(p0, "within")->whole->arg_types[0]->layout);
}
END_TEST

/* Dead values are not copied; loops and regions are, with what they carry and capture. */
START_TEST(suites_are_copied_whole)
{
    fixture_levels(&x, "cta", 4);
    const struct tf_node *a = param(&x, "a", tensor(&x, 4, 8));
    same(&x, "dead", a);
    struct tf_node *region = ir_region_open(&x.b, NULL, mesh_of(&x, "cta", 4), "m");
    const struct tf_node *p = ir_region_capture(&x.b, region, a, "a");
    struct tf_node *loop = loop_range(&x, "i", 1, 9, 2);
    const struct tf_node *acc = ir_loop_carry(&x.b, loop, "acc", p), *next = same(&x, "next", acc);
    ir_loop_close(&x.b, loop, &next, next);
    ir_region_close(&x.b, region, loop);
    struct ir_function *r = inlined(&x, fixture_return(&x, region));
    const struct tf_node *copy = r->pub.body;
    ck_assert_uint_eq(copy->kind, TF_NODE_REGION);
    ck_assert_str_eq(copy->region->name, "m");
    ck_assert_uint_eq(copy->n_in, 1);
    ck_assert_uint_eq(copy->region->body->kind, TF_NODE_LOOP);
    ck_assert_int_eq(copy->region->body->loop->step->value, 2);
    ck_assert_str_eq(copy->region->body->loop->carries[0]->name, "acc");
    ck_assert_str_eq(copy->region->body->loop->var->name, "i");
    ck_assert_uint_eq(r->pub.n_nodes, 7);
    x.module->functions[0] = r;
    ck_assert_msg(ir_verify(x.ctx, x.module) == TF_OK, "%s", reported(&x));
}
END_TEST

START_TEST(types_follow_the_extents)
{
    struct ir_function *f = x.f;
    const struct tf_node *a = param(&x, "a", open_rows("N", 1, 65));
    struct tf_val type = {.kind = TF_VAL_TYPE, .u.type = a->type};
    const struct tf_node *filled = ir_call(&x.b, NULL, "filled", &fake_fill, NULL, 0, &type);
    fixture_return(&x, add(&x, "sum", filled, a));
    struct ir_function *r = bound(f, "N", 12);
    ck_assert_msg(r != NULL, "%s", reported(&x));
    ck_assert_int_eq(r->pub.params[0]->type->shape[0]->value, 12);
    ck_assert_int_eq(r->pub.result->shape[0]->value, 12);
    ck_assert_int_eq(r->pub.body->in[0]->attrs[0].u.type->shape[0]->value, 12);
    ck_assert_uint_eq(f->pub.result->shape[0]->kind, TF_DIM_EXPR);
}
END_TEST

START_TEST(extents_are_asked_and_checked)
{
    struct ir_function *f = x.f;
    fixture_return(&x, param(&x, "a", open_rows("ROWS", 1, 4096)));
    ck_assert_ptr_null(ir_inline(x.ctx, x.module, f, NULL, 0));
    expect_text(&x, "dimension-unbound",
        "ROWS is declared as [1, 4096); bind it with --dim ROWS=EXTENT (try 1, 2, 2048, 4095)");
    ck_assert_ptr_null(bound(f, "ROW", 5));
    expect_text(&x, "dimension-unknown", "did you mean 'ROWS'");
    ck_assert_ptr_null(bound(f, "ROWS", 4096));
    expect_error(&x, "dimension-range");
    ck_assert_ptr_null(bound(f, "ROWS", 0));
    ck_assert_ptr_nonnull(bound(f, "ROWS", 4095));
    fixture_function(&x, "closed");
    ck_assert_ptr_null(bound(fixture_return(&x, param(&x, "a", tensor(&x, 4, 8))), "N", 5));
    expect_text(&x, "dimension-unknown", "it has no open dimension");
}
END_TEST

START_TEST(extents_that_cannot_be_computed)
{
    const char *why;
    struct ir_function *f = x.f;
    const struct tf_dim *n = dim_variable(x.ctx, ctx_intern(x.ctx, "N"), 0, INT64_MAX);
    const struct tf_dim *parts[] = {dim_floordiv(x.ctx, dim_const(x.ctx, 8), n, &why), dim_mul(x.ctx, n, n, &why)};
    const struct tf_type *type = type_tensor(x.ctx, TF_DTYPE_F32, 2, parts, NULL, TF_STORAGE_GMEM);
    fixture_return(&x, param(&x, "a", type));
    ck_assert_ptr_null(bound(f, "N", 0));
    expect_error(&x, "dimension-arithmetic");
    ck_assert_ptr_null(bound(f, "N", INT64_MAX - 1));
    expect_error(&x, "dimension-arithmetic");
    ck_assert_ptr_nonnull(bound(f, "N", 3));
}
END_TEST

/* A dimension that only a callee states is open too. */
START_TEST(extents_of_callees_are_asked)
{
    struct ir_function *g = x.f;
    struct tf_val type = {.kind = TF_VAL_TYPE, .u.type = open_rows("N", 1, 65)};
    fixture_return(&x, ir_call(&x.b, NULL, "filled", &fake_fill, NULL, 0, &type));
    fixture_function(&x, "h");
    struct ir_function *h = fixture_return(&x, ir_fcall(&x.b, NULL, "y", g, NULL, 0));
    struct dim_var var;
    ck_assert_uint_eq(ir_dimensions(x.ctx, h, &var, 1), 1);
    ck_assert_str_eq(var.name, "N");
    ck_assert_ptr_null(ir_inline(x.ctx, x.module, h, NULL, 0));
    expect_error(&x, "dimension-unbound");
    ck_assert_int_eq(bound(h, "N", 7)->pub.result->shape[0]->value, 7);
}
END_TEST

static struct ir_function *variant(const char *name, int copies)
{
    fixture_function(&x, name);
    const struct tf_node *v = param(&x, "p", open_rows("N", 1, 65));
    for (int i = 0; i < copies; i++)
        v = same(&x, name, v);
    struct ir_function *f = fixture_return(&x, v);
    x.module->n_functions--;
    return f;
}

static struct ir_function *with_variants(int64_t middle, int64_t again)
{
    struct ir_function *base = x.f;
    param(&x, "p", open_rows("N", 1, 65));
    base->is_prototype = 1;
    base->declared = base->pub.result = open_rows("N", 1, 65);
    fixture_return(&x, NULL);
    base->n_variants = 2;
    base->variants = CTX_ARRAY(x.ctx, struct ir_variant, 2);
    base->variants[0] = (struct ir_variant){&variant("large", 2)->pub, "large", "N", again, 65};
    base->variants[1] = (struct ir_variant){&variant("small", 1)->pub, "small", "N", 1, middle};
    return base;
}

START_TEST(variants_are_chosen_by_extent)
{
    struct ir_function *base = with_variants(33, 33);
    fixture_function(&x, "h");
    const struct tf_node *a = param(&x, "a", open_rows("N", 1, 65));
    struct ir_function *h = fixture_return(&x, ir_fcall(&x.b, NULL, "y", base, &a, 1));
    ck_assert_ptr_eq(h->pub.result, base->pub.result);
    ck_assert_str_eq(bound(h, "N", 32)->pub.body->name, "small");
    ck_assert_str_eq(bound(h, "N", 33)->pub.body->name, "large");
    ck_assert_str_eq(bound(base, "N", 40)->pub.body->name, "large");
    ck_assert_str_eq(bound(base, "N", 40)->pub.name, "f");
    ck_assert_int_eq(ir_verify(x.ctx, x.module), TF_OK);
    struct ir_variant large = base->variants[0];
    base->variants[0] = base->variants[1];
    base->variants[1] = large;
    ck_assert_str_eq(bound(h, "N", 32)->pub.body->name, "small");
    ck_assert_str_eq(bound(h, "N", 33)->pub.body->name, "large");
    base->variants[1].hi = 60;
    ck_assert_ptr_null(bound(h, "N", 64));
    expect_error(&x, "variant-missing");
}
END_TEST

START_TEST(prototypes_cannot_run)
{
    struct ir_function *g = x.f;
    param(&x, "p", tensor(&x, 4, 8));
    g->is_prototype = 1;
    g->pub.result = tensor(&x, 4, 8);
    fixture_return(&x, NULL);
    fixture_function(&x, "h");
    const struct tf_node *a = param(&x, "a", tensor(&x, 4, 8));
    struct ir_function *h = fixture_return(&x, ir_fcall(&x.b, NULL, "y", g, &a, 1));
    ck_assert_ptr_null(ir_inline(x.ctx, x.module, h, NULL, 0));
    expect_error(&x, "no-body");
}
END_TEST

/* Child.go(x; w), called by Root.step twice and by Root.other; Child itself calls Leaf.go(x; v, w). */
START_TEST(weights_of_children_become_parameters)
{
    struct ir_module *root = x.module, *child = fixture_child(&x, "Child"), *leaf;
    x.module = child;
    leaf = CTX_NEW(x.ctx, struct ir_module);
    leaf->name = "Leaf";
    leaf->parent = child;
    child->children = CTX_NEW(x.ctx, struct ir_module *);
    child->children[child->n_children++] = leaf;

    x.module = leaf;
    struct ir_function *bottom = fixture_function(&x, "go");
    const struct tf_node *p = param(&x, "x", tensor(&x, 4, 8));
    const struct tf_node *v = ir_param(&x.b, NULL, "v", tensor(&x, 4, 8), 1);
    const struct tf_node *w = ir_param(&x.b, NULL, "w", tensor(&x, 4, 8), 1);
    fixture_return(&x, add(&x, "bottom", add(&x, NULL, p, w), v));

    x.module = child;
    struct ir_function *middle = fixture_function(&x, "go");
    p = param(&x, "x", tensor(&x, 4, 8));
    w = ir_param(&x.b, NULL, "w", tensor(&x, 4, 8), 1);
    const struct tf_node *y = ir_fcall(&x.b, NULL, "y", bottom, &p, 1);
    fixture_return(&x, add(&x, "middle", y, w));
    fixture_function(&x, "unreached");
    ir_param(&x.b, NULL, "other", tensor(&x, 4, 8), 1);
    fixture_return(&x, ir_param(&x.b, NULL, "w", tensor(&x, 4, 8), 1));

    x.module = root;
    struct ir_function *step = fixture_function(&x, "step");
    const struct tf_node *a = param(&x, "Child_w", tensor(&x, 4, 8));
    const struct tf_node *once = ir_fcall(&x.b, NULL, "once", middle, &a, 1);
    fixture_return(&x, ir_fcall(&x.b, NULL, "twice", middle, &once, 1));
    struct ir_function *r = inlined(&x, step);
    const char *names[] = {"Child_w", "Child_w_2", "Child_Leaf_v", "Child_Leaf_w"};
    ck_assert_uint_eq(r->pub.n_params, 4);
    for (uint32_t i = 0; i < 4; i++) {
        ck_assert_str_eq(r->pub.params[i]->name, names[i]);
        ck_assert_uint_eq(r->pub.params[i]->is_weight, i > 0);
    }
    ck_assert_ptr_eq(r->pub.body->in[1], r->pub.params[1]);
    ck_assert_int_eq(ir_verify(x.ctx, root), TF_OK);
}
END_TEST

START_TEST(calls_reach_children_of_the_same_hierarchy)
{
    struct ir_module *root = x.module, *child = fixture_child(&x, "Child");
    const struct tf_type *type = tensor(&x, 4, 8);
    x.module = child;
    struct ir_function *go = fixture_function(&x, "go");
    fixture_return(&x, same(&x, "r", param(&x, "x", type)));
    x.module = root;
    struct ir_function *step = fixture_function(&x, "step");
    const struct tf_node *a = param(&x, "a", type);
    fixture_return(&x, ir_fcall(&x.b, NULL, "y", go, &a, 1));
    fixture_levels(&x, "cta", 4);
    ck_assert_ptr_nonnull(inlined(&x, step));
    x.module = child;
    fixture_levels(&x, "cta", 8);
    x.module = root;
    ck_assert_ptr_null(ir_inline(x.ctx, root, step, NULL, 0));
    expect_error(&x, "hierarchy");
    child->has_levels = 0;
    child->parent = NULL;
    ck_assert_ptr_null(ir_inline(x.ctx, root, step, NULL, 0));
    expect_text(&x, "hierarchy", "not a child");
}
END_TEST

START_TEST(the_result_has_a_module_that_states_everything)
{
    fixture_levels(&x, "cta", 4);
    x.module->target = "fake";
    x.module = fixture_child(&x, "Child");
    fixture_function(&x, "go");
    struct ir_function *r = inlined(&x, fixture_return(&x, param(&x, "a", tensor(&x, 4, 8))));
    ck_assert_str_eq(r->owner->target, "fake");
    ck_assert_str_eq(r->owner->name, "Child");
    ck_assert_str_eq(r->owner->entry, "go");
    ck_assert_uint_eq(r->owner->n_levels, 1);
    ck_assert_ptr_null(r->owner->parent);
    ck_assert_ptr_eq(r->owner->functions[0], r);
}
END_TEST

START_TEST(ten_thousand_functions_call_one_another)
{
    const struct tf_type *type = tensor(&x, 4, 8);
    struct ir_function *f = x.f;
    fixture_return(&x, same(&x, "r", param(&x, "p", type)));
    for (int i = 0; i < 10000; i++) {
        struct ir_function *callee = f;
        f = fixture_function(&x, "g");
        const struct tf_node *p = param(&x, "p", type);
        const struct tf_node *y = ir_fcall(&x.b, NULL, "y", callee, &p, 1);
        fixture_return(&x, same(&x, "r", y));
    }
    ck_assert_uint_eq(inlined(&x, f)->pub.n_nodes, 10002);
    ck_assert_int_eq(ir_verify(x.ctx, x.module), TF_OK);

    /* and typed for another layout, from the first to the last */
    fixture_function(&x, "h");
    const struct tf_node *placed =
        place(&x, param(&x, "a", type), split_rows(&x, mesh_of(&x, "cta", 4), type), TF_STORAGE_GMEM);
    const struct tf_node *y = ir_fcall(&x.b, NULL, "y", f, &placed, 1);
    ck_assert_ptr_nonnull(y->type->layout);
    fixture_return(&x, y);
}
END_TEST

START_TEST(growth_is_limited)
{
    const struct tf_type *type = tensor(&x, 4, 8);
    struct ir_function *f = x.f;
    fixture_return(&x, same(&x, "r", param(&x, "p", type)));
    for (int i = 0; i < 64; i++) {
        struct ir_function *callee = f;
        f = fixture_function(&x, "g");
        const struct tf_node *p = param(&x, "p", type);
        const struct tf_node *once = ir_fcall(&x.b, NULL, "once", callee, &p, 1);
        fixture_return(&x, ir_fcall(&x.b, NULL, "twice", callee, &once, 1));
    }
    x.ctx->limits.nodes = 1000;
    ck_assert_ptr_null(ir_inline(x.ctx, x.module, f, NULL, 0));
    expect_error(&x, "limit");
}
END_TEST

START_TEST(a_function_cannot_call_itself)
{
    struct ir_function *f = x.f;
    f->pub.result = tensor(&x, 4, 8);
    const struct tf_node *p = param(&x, "p", tensor(&x, 4, 8));
    fixture_return(&x, ir_fcall(&x.b, NULL, "y", f, &p, 1));
    ck_assert_ptr_null(ir_inline(x.ctx, x.module, f, NULL, 0));
    expect_error(&x, "call-cycle");
    ck_assert_int_ne(ir_verify(x.ctx, x.module), TF_OK);
}
END_TEST

Suite *inline_suite(void)
{
    Suite *suite = suite_create("inline");
    TCase *tcase = tcase_create("inline");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, each_call_gets_its_own_copy);
    tcase_add_test(tcase, sites_know_the_site_around_them);
    tcase_add_test(tcase, callees_see_what_they_declare);
    tcase_add_test(tcase, regions_of_callees_see_what_they_declare);
    tcase_add_test(tcase, suites_are_copied_whole);
    tcase_add_test(tcase, types_follow_the_extents);
    tcase_add_test(tcase, extents_are_asked_and_checked);
    tcase_add_test(tcase, extents_that_cannot_be_computed);
    tcase_add_test(tcase, extents_of_callees_are_asked);
    tcase_add_test(tcase, variants_are_chosen_by_extent);
    tcase_add_test(tcase, prototypes_cannot_run);
    tcase_add_test(tcase, weights_of_children_become_parameters);
    tcase_add_test(tcase, calls_reach_children_of_the_same_hierarchy);
    tcase_add_test(tcase, the_result_has_a_module_that_states_everything);
    tcase_add_test(tcase, ten_thousand_functions_call_one_another);
    tcase_add_test(tcase, growth_is_limited);
    tcase_add_test(tcase, a_function_cannot_call_itself);
    suite_add_tcase(suite, tcase);
    return suite;
}

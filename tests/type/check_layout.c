/* SPDX-License-Identifier: MIT */
#include "support.h"

static const struct tf_loc here = {.line = 1, .column = 1};

static const char *layout_text(const struct tf_layout *l)
{
    struct buf text = {0};
    layout_print(&text, l);
    const char *kept = arena_strndup(&ctx->arena, buf_text(&text), text.n);
    buf_free(&text);
    return kept;
}

START_TEST(c_order)
{
    struct row r = row("2 3 4");
    const struct tf_dim *const *strides = strides_c_order(ctx, 3, r.at);
    ck_assert_int_eq(strides[0]->value, 12);
    ck_assert_int_eq(strides[1]->value, 4);
    ck_assert_int_eq(strides[2]->value, 1);
    struct row huge = row("4 4611686018427387904 4");
    ck_assert_ptr_null(strides_c_order(ctx, 3, huge.at));
    ck_assert_ptr_nonnull(strides_c_order(ctx, 0, NULL));
    struct row open = row("2 N 4");
    ck_assert_str_eq(dim_text(strides_c_order(ctx, 3, open.at)[0]), "4 * N");
}
END_TEST

START_TEST(equal_layouts_are_one)
{
    const struct tf_mesh *m = mesh("cta=4", "4=c");
    ck_assert_ptr_eq(layout(NULL, "4 8"), layout(NULL, "4 8 | 8 1"));
    ck_assert_ptr_ne(layout(NULL, "4 8"), layout(NULL, "4 8 | 1 4"));
    ck_assert_ptr_eq(layout(m, "4@0 8 | 0 1"), layout(m, "4@0 8 | 0 1"));
    ck_assert(!layout_equal(layout(m, "4@0 8"), layout(m, "4@0 8 | 8 1")));
    ck_assert(!layout_equal(layout(m, "4@0 8"), layout(m, "4 8")));
    ck_assert(!layout_equal(layout(m, "4 8"), layout(NULL, "4 8")));
    ck_assert(!layout_equal(layout(m, "4 8"), NULL));
    ck_assert(!layout_equal(layout(m, "8 | 1 | 0:sum"), layout(m, "8 | 1 | 0:max")));
    ck_assert(layout_equal(NULL, NULL));
}
END_TEST

START_TEST(a_shard_is_seen_through_an_offset)
{
    const struct tf_layout *shard = layout(mesh("cta=4", "4=c"), "4@0 8");
    const struct tf_layout *seen = layout_composed(ctx, dim("8"), shard);
    ck_assert_ptr_eq(shard_of(shard), shard);
    ck_assert_ptr_eq(shard_of(seen), shard);
    ck_assert_ptr_null(shard_of(layout(NULL, "4 8")));
    ck_assert_ptr_null(shard_of(NULL));
    ck_assert_ptr_eq(seen, layout_composed(ctx, dim("8"), shard));
    ck_assert_ptr_ne(seen, layout_composed(ctx, dim("9"), shard));
}
END_TEST

/* "2@0 64@1@2": logical extents, each with the mesh axes that are written after it */
static const struct tf_layout *placed(const struct tf_mesh *m, const char *text)
{
    struct row r = row(text);
    struct placed_dim items[ROW] = {{0}};
    for (uint32_t i = 0; i < r.n; i++) {
        items[i].extent = r.at[i];
        for (uint32_t axis = 0; axis < TF_MAX_MESH; axis++)
            if (r.split[i] >> axis & 1)
                items[i].axes[items[i].n_axes++] = axis;
    }
    return layout_placed(ctx, &here, m, items, r.n);
}

START_TEST(a_placement_factors_its_extents)
{
    const struct tf_mesh *m = mesh("thread=256", "2=x 4=y 32=t"), *c = mesh("cta=4", "4=c");
    ck_assert_ptr_eq(placed(m, "2@0 56@1 128@2"), layout(m, "2@0 4@1 14 32@2 4"));
    ck_assert_ptr_eq(placed(c, "4@0 8"), layout(c, "4@0 8"));
    ck_assert_ptr_eq(placed(c, "8@0 8"), layout(c, "4@0 2 8"));
    ck_assert_ptr_eq(placed(c, "8 4@0 2"), layout(c, "8 4@0 2"));
    ck_assert_ptr_eq(placed(m, "256@1@2 5"), layout(m, "4@1 32@2 2 5"));
}
END_TEST

START_TEST(several_axes_come_in_mesh_order)
{
    const struct tf_mesh *m = mesh("cta=8", "4=r 2=c");
    const struct placed_dim there = {.extent = dim("64"), .n_axes = 2, .axes = {0, 1}};
    const struct placed_dim back = {.extent = dim("64"), .n_axes = 2, .axes = {1, 0}};
    ck_assert_ptr_eq(layout_placed(ctx, &here, m, &there, 1), layout(m, "4@0 2@1 8"));
    ck_assert_ptr_eq(layout_placed(ctx, &here, m, &back, 1), layout(m, "4@0 2@1 8"));
    const struct placed_dim exact = {.extent = dim("8"), .n_axes = 2, .axes = {1, 0}};
    ck_assert_ptr_eq(layout_placed(ctx, &here, m, &exact, 1), layout(m, "4@0 2@1"));
}
END_TEST

START_TEST(an_open_extent_stays_whole)
{
    const struct tf_mesh *m = mesh("cta=4", "4=c"), *two = mesh("cta=4", "2=a 2=b");
    ck_assert_ptr_eq(placed(m, "N@0 8"), layout(m, "N@0 8"));
    const struct placed_dim both = {.extent = dim("N"), .n_axes = 2, .axes = {0, 1}};
    ck_assert_ptr_null(layout_placed(ctx, &here, two, &both, 1));
    assert_refused("placement-open");
    ck_assert_ptr_null(placed(mesh("cta=N", "N=c"), "8@0"));
    assert_refused("placement-open");
}
END_TEST

START_TEST(wrong_placements_are_refused)
{
    const struct tf_mesh *m = mesh("cta=4", "4=c");
    ck_assert_ptr_null(placed(m, "30@0 8"));
    assert_refused("placement-divide");
    const struct placed_dim twice[] = {{.extent = dim("8"), .n_axes = 1}, {.extent = dim("8"), .n_axes = 1}};
    ck_assert_ptr_null(layout_placed(ctx, &here, m, twice, 2));
    assert_refused("placement-twice");
    const struct placed_dim doubled = {.extent = dim("16"), .n_axes = 2};
    ck_assert_ptr_null(layout_placed(ctx, &here, m, &doubled, 1));
    assert_refused("placement-twice");
    ck_assert_ptr_null(placed(m, "1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1"));
    assert_refused("placement-rank");
    const struct tf_mesh *huge = mesh("cta=9", "4611686018427387904 4611686018427387904");
    const struct placed_dim past = {.extent = dim("8"), .n_axes = 2, .axes = {0, 1}};
    ck_assert_ptr_null(layout_placed(ctx, &here, huge, &past, 1));
    assert_refused("placement-divide");
}
END_TEST

START_TEST(canonical_layouts_state_c_order)
{
    const struct tf_mesh *m = mesh("cta=8", "4=r 2=c");
    struct row shape = row("16 6");
    struct tf_shard_attr attrs[] = {{.kind = TF_ATTR_SPLIT, .axis = 0}, {.kind = TF_ATTR_SPLIT, .axis = 1}};
    ck_assert_ptr_eq(layout_canonical(ctx, &here, 2, shape.at, m, attrs), layout(m, "4@0 4 2@1 3 | 24 6 3 1"));
    attrs[1] = (struct tf_shard_attr){.kind = TF_ATTR_PARTIAL, .reduction = "sum"};
    ck_assert_ptr_eq(layout_canonical(ctx, &here, 2, shape.at, m, attrs), layout(m, "4@0 4 6 | 24 6 1 | 1:sum"));
    attrs[0] = attrs[1] = (struct tf_shard_attr){.kind = TF_ATTR_BROADCAST};
    ck_assert_ptr_eq(layout_canonical(ctx, &here, 2, shape.at, m, attrs), layout(m, "16 6 | 6 1"));
}
END_TEST

START_TEST(bound_layouts)
{
    const struct tf_mesh *m = mesh("cta=4", "4=c");
    const struct dim_binding bound[] = {{"N", 64}};
    const char *why = NULL;
    ck_assert_ptr_eq(layout_bind(ctx, layout(m, "N@0 8 | (8*N) 1"), bound, 1, &why), layout(m, "64@0 8 | 512 1"));
    ck_assert_ptr_eq(layout_bind(ctx, layout(NULL, "N 8"), bound, 1, &why), layout(NULL, "64 8"));
    ck_assert_ptr_eq(layout_bind(ctx, layout_composed(ctx, dim("N"), layout(m, "N 8")), bound, 1, &why),
        layout_composed(ctx, dim("64"), layout(m, "64 8")));
    ck_assert_ptr_null(layout_bind(ctx, NULL, bound, 1, &why));
    ck_assert_ptr_null(why);
}
END_TEST

START_TEST(texts)
{
    const struct tf_mesh *m = mesh("cta=4", "4=c");
    ck_assert_str_eq(layout_text(layout(NULL, "4 8")), "Layout((4, 8), (8, 1))");
    ck_assert_str_eq(layout_text(layout(m, "4@0 8")),
        "ShardLayout(layout=Layout((4, 8), None), attrs=(S(0),), mesh=Mesh((Topology(\"cta\", 4),), layout=(4,), "
        "names=(\"c\",)))");
    ck_assert_str_eq(layout_text(layout_composed(ctx, dim("8"), layout(NULL, "4"))),
        "ComposedLayout(inner=None, offset=8, outer=Layout((4,), (1,)))");
}
END_TEST

RUN("layout", c_order, equal_layouts_are_one, a_shard_is_seen_through_an_offset, a_placement_factors_its_extents,
    several_axes_come_in_mesh_order, an_open_extent_stays_whole, wrong_placements_are_refused,
    canonical_layouts_state_c_order, bound_layouts, texts)

/* SPDX-License-Identifier: MIT */
#include "support.h"

static const struct tf_loc here = {.line = 1, .column = 1};

static const char *mesh_text(const struct tf_mesh *m)
{
    struct buf text = {0};
    mesh_print(&text, m);
    const char *kept = arena_strndup(&ctx->arena, buf_text(&text), text.n);
    buf_free(&text);
    return kept;
}

static void assert_levels(const struct tf_mesh *m, const char *levels)
{
    ck_assert_uint_eq(m->rank, strlen(levels));
    for (uint32_t i = 0; i < m->rank; i++)
        ck_assert_msg(m->level_of[i] == (uint32_t)(levels[i] - '0'), "axis %u is of level %u", i, m->level_of[i]);
}

START_TEST(axes_belong_to_levels_from_left_to_right)
{
    assert_levels(mesh("cta=8 thread=32", "4=r 2=c 32=t"), "001");
    assert_levels(mesh("cta=1 thread=32", "1=c 32=t"), "01");
    assert_levels(mesh("cta=4 thread=32", "4=c 1=u 32=t"), "011");
    assert_levels(mesh("cta=4 thread=1", "4=c 1=t"), "01");
    assert_levels(mesh("cta=4", "1=u 4=c 1=v"), "000");
    assert_levels(mesh("cta=4 thread=8", "4=c 8=t 1=v"), "011");
    assert_levels(mesh("cta=N thread=32", "N=c 32=t"), "01");
    assert_levels(mesh("cta=8 thread=4 core=2", "2 4 4 2"), "0012");
}
END_TEST

START_TEST(equal_meshes_are_one)
{
    const struct tf_mesh *m = mesh("cta=4", "2=a 2=b");
    ck_assert_ptr_eq(m, mesh("cta=4", "2=a 2=b"));
    ck_assert(!mesh_equal(m, mesh("cta=4", "2=a 2=c")));
    ck_assert(!mesh_equal(m, mesh("cta=4", "4=a")));
    ck_assert(!mesh_equal(m, mesh("thread=4", "2=a 2=b")));
    ck_assert(!mesh_equal(m, mesh("cta=8", "2=a 2=b")));
    ck_assert(!mesh_equal(m, NULL));
    ck_assert(mesh_equal(NULL, NULL));
}
END_TEST

START_TEST(axes_are_found_by_name_then_by_letter)
{
    const struct tf_mesh *m = mesh("cta=8", "2=a 2 2=x");
    ck_assert_int_eq(mesh_axis(m, "a", 0), 0);
    ck_assert_int_eq(mesh_axis(m, "x", 0), 2);
    ck_assert_int_eq(mesh_axis(m, "x", 1), 2);
    ck_assert_int_eq(mesh_axis(m, "y", 1), 1);
    ck_assert_int_eq(mesh_axis(m, "y", 0), -1);
    ck_assert_int_eq(mesh_axis(m, "q", 1), -1);
    ck_assert_int_eq(mesh_axis(mesh("cta=2", "2"), "y", 1), -1);
}
END_TEST

START_TEST(a_mesh_within_another_adds_levels)
{
    const struct tf_mesh *outer = mesh("cta=8", "4=r 2=c"), *inner = mesh("thread=32", "32=t");
    const struct tf_mesh *both = mesh_compose(ctx, &here, outer, inner);
    ck_assert_ptr_eq(mesh_compose(ctx, &here, NULL, inner), inner);
    ck_assert_ptr_eq(both, mesh("cta=8 thread=32", "4=r 2=c 32=t"));
    ck_assert_int_eq(both->strides[0]->value, 64);
    ck_assert_int_eq(both->strides[1]->value, 32);
    ck_assert_int_eq(both->strides[2]->value, 1);
    /* naming all the levels that are in force replaces them */
    const struct tf_mesh *again = mesh("cta=8", "2=x 4=y");
    ck_assert_ptr_eq(mesh_compose(ctx, &here, outer, again), again);
    ck_assert_ptr_eq(mesh_compose(ctx, &here, outer, both), both);
    ck_assert_ptr_null(mesh_compose(ctx, &here, both, again));
    assert_refused("mesh-nesting");
}
END_TEST

START_TEST(meshes_that_are_too_much_are_refused)
{
    const struct tf_mesh *nine = mesh("cta=512", "2 2 2 2 2 2 2 2 2"), *more = mesh("thread=256", "2 2 2 2 2 2 2 2");
    ck_assert_ptr_null(mesh_compose(ctx, &here, nine, more));
    assert_refused("mesh-nesting");
    const struct tf_mesh *huge = mesh("cta=4611686018427387904", "4611686018427387904 1");
    ck_assert_ptr_null(mesh_compose(ctx, &here, mesh("core=16", "2 8"), huge));
    assert_refused("mesh-nesting");
}
END_TEST

START_TEST(slices_keep_their_base)
{
    const struct tf_mesh *m = mesh("cta=8", "4=r 2=c");
    const int64_t from[] = {1, 0}, to[] = {3, 2}, none[] = {1, 2}, past[] = {5, 2};
    const struct tf_mesh *part = mesh_slice(ctx, &here, m, from, to);
    ck_assert_ptr_eq(part->base, m);
    ck_assert_int_eq(part->shape[0]->value, 2);
    ck_assert_int_eq(part->offset[0], 1);
    ck_assert_int_eq(part->strides[0]->value, 2);
    ck_assert_ptr_eq(part, mesh_slice(ctx, &here, m, from, to));
    ck_assert(!mesh_equal(part, m));
    ck_assert_str_eq(mesh_text(part), "Mesh((Topology(\"cta\", 8),), layout=(4, 2), names=(\"r\", \"c\"))[1:3, 0:2]");
    ck_assert_ptr_null(mesh_slice(ctx, &here, part, from, to));
    assert_refused("mesh-slice");
    ck_assert_ptr_null(mesh_slice(ctx, &here, m, from, none));
    assert_refused("mesh-slice");
    ck_assert_ptr_null(mesh_slice(ctx, &here, m, from, past));
    assert_refused("mesh-slice");
    ck_assert_ptr_null(mesh_slice(ctx, &here, mesh("cta=N", "N"), from, to));
    assert_refused("mesh-slice");
    /* what a slice and another mesh make is a slice of what the whole ones make */
    const struct tf_mesh *both = mesh_compose(ctx, &here, part, mesh("thread=32", "32=t"));
    ck_assert_ptr_eq(both->base, mesh("cta=8 thread=32", "4=r 2=c 32=t"));
    ck_assert_int_eq(both->offset[0], 1);
    ck_assert_int_eq(both->offset[2], 0);
    assert_levels(both, "001");
}
END_TEST

START_TEST(a_mesh_takes_exactly_its_levels)
{
    const struct tf_topology levels[] = {{"cta", dim("8")}, {"thread", dim("32")}}, open[] = {{"cta", dim("N")}};
    ck_assert_int_eq(mesh_check(ctx, &here, mesh("cta=8", "4 2"), levels, 2), 0);
    ck_assert_int_eq(mesh_check(ctx, &here, mesh("cta=8 thread=32", "8 4 8"), levels, 2), 0);
    ck_assert_int_eq(mesh_check(ctx, &here, mesh("cta=8 thread=32", "8 1 32"), levels, 2), 0);
    ck_assert_int_ne(mesh_check(ctx, &here, mesh("cta=8", "4"), levels, 2), 0);
    assert_refused("mesh-extent");
    ck_assert_int_ne(mesh_check(ctx, &here, mesh("cta=16", "16"), levels, 2), 0);
    assert_refused("mesh-extent");
    ck_assert_int_ne(mesh_check(ctx, &here, mesh("cta=8 thread=32", "16 16"), levels, 2), 0);
    assert_refused("mesh-extent");
    ck_assert_int_ne(mesh_check(ctx, &here, mesh("warp=8", "8"), levels, 2), 0);
    assert_refused("topology-level");
    ck_assert_int_eq(mesh_check(ctx, &here, mesh("cta=N", "N"), open, 1), 0);
    const int64_t from[] = {0, 0}, to[] = {2, 2};
    ck_assert_int_eq(mesh_check(ctx, &here, mesh_slice(ctx, &here, mesh("cta=8", "4 2"), from, to), levels, 2), 0);
}
END_TEST

START_TEST(texts)
{
    ck_assert_str_eq(mesh_text(mesh("cta=4", "4=c")), "Mesh((Topology(\"cta\", 4),), layout=(4,), names=(\"c\",))");
    ck_assert_str_eq(mesh_text(mesh("cta=4", "2 2")), "Mesh((Topology(\"cta\", 4),), layout=(2, 2))");
    ck_assert_str_eq(mesh_text(mesh("cta=4 thread=N", "4=c N")),
        "Mesh((Topology(\"cta\", 4), Topology(\"thread\", N)), layout=(4, N), names=(\"c\",))");
    struct row shape = row("2 2"), strides = row("1 2");
    struct tf_mesh fields = *mesh("cta=4", "2=a 2=b");
    fields.shape = shape.at;
    fields.strides = strides.at;
    ck_assert_str_eq(mesh_text(mesh_make(ctx, &fields)),
        "Mesh((Topology(\"cta\", 4),), layout=((2, 2), (1, 2)), names=(\"a\", \"b\"))");
}
END_TEST

START_TEST(bound_meshes)
{
    const struct dim_binding bound[] = {{"N", 8}};
    const char *why = NULL;
    ck_assert_ptr_eq(
        mesh_bind(ctx, mesh("cta=N thread=4", "N=c 4=t"), bound, 1, &why), mesh("cta=8 thread=4", "8=c 4=t"));
    const struct tf_mesh *m = mesh("cta=8", "8");
    ck_assert_ptr_eq(mesh_bind(ctx, m, bound, 1, &why), m);
}
END_TEST

RUN("mesh", axes_belong_to_levels_from_left_to_right, equal_meshes_are_one, axes_are_found_by_name_then_by_letter,
    a_mesh_within_another_adds_levels, meshes_that_are_too_much_are_refused, slices_keep_their_base,
    a_mesh_takes_exactly_its_levels, texts, bound_meshes)

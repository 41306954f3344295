/* SPDX-License-Identifier: MIT */
#include "support.h"

START_TEST(plain_types)
{
    ck_assert_str_eq(type_text(ctx, type("f32", "4 8", NULL, "gmem")), "Tensor[(4, 8), \"f32\"]");
    ck_assert_str_eq(type_text(ctx, type("bf16", "4", NULL, "smem")), "Tensor[(4,), \"bf16\", \"smem\"]");
    ck_assert_str_eq(type_text(ctx, type("i64", "", NULL, "umat")), "Tensor[(), \"i64\", \"umat\"]");
    ck_assert_str_eq(type_text(ctx, type("f32", "(N+1) 8", NULL, "gmem")), "Tensor[(N + 1, 8), \"f32\"]");
    ck_assert_str_eq(
        type_text(ctx, type("f32", "4 8", layout(NULL, "4 8"), "smem")), "Tensor[(4, 8), \"f32\", \"smem\"]");
    const struct tf_type *fields[] = {type("f32", "4", NULL, "gmem"), type("i64", "4", NULL, "smem")};
    ck_assert_str_eq(
        type_text(ctx, type_tuple(ctx, 2, fields)), "Tuple[Tensor[(4,), \"f32\"], Tensor[(4,), \"i64\", \"smem\"]]");
    ck_assert_str_eq(type_text(ctx, type_tuple(ctx, 1, fields)), "Tuple[Tensor[(4,), \"f32\"]]");
}
END_TEST

/* What a layout adds to the text of a type. */
static const char *sugar(const struct tf_mesh *m, const char *shape, const char *positions)
{
    const char *text = type_text(ctx, type("f32", shape, layout(m, positions), "gmem"));
    const char *from = strstr(text, "\"f32\", ") + 7;
    return arena_strndup(&ctx->arena, from, strlen(from) - 1);
}

START_TEST(placements)
{
    const struct tf_mesh *m = mesh("cta=4", "4=c"), *k = mesh("cta=8", "4=k 2=r");
    ck_assert_str_eq(sugar(m, "4 8", "4@0 8"), "(4 @ c, 8)");
    ck_assert_str_eq(sugar(m, "4 8", "4@0 8 | 8 1"), "(4 @ c, 8)");
    ck_assert_str_eq(sugar(m, "4 8", "4@0 8 | 0 1"), "((4 @ c, 8), (0, 1))");
    ck_assert_str_eq(sugar(m, "8", "4@0 2 1 | 2 1 0"), "((4 @ c, 2, 1), (2, 1, 0))");
    ck_assert_str_eq(sugar(m, "8", "4@0 2 1 | 2 1 1"), "(4 @ c, 2, 1)");
    ck_assert_str_eq(sugar(m, "4", "4@0"), "(4 @ c,)");
    ck_assert_str_eq(sugar(m, "4 8", "4 8 | 8 1"), "(4, 8)");
    ck_assert_str_eq(sugar(m, "4", "4"), "(4,)");
    ck_assert_str_eq(sugar(m, "4 8", "4 8 | 0 1"), "((4, 8), (0, 1))");
    ck_assert_str_eq(sugar(m, "", " | "), "()");
    ck_assert_str_eq(sugar(k, "16 24", "16 24 | 24 1 | 0:sum"), "((16, 24), {k @ P(\"sum\")})");
    ck_assert_str_eq(sugar(k, "6 16", "6 16 | 1 6 | 0:max"), "((6, 16), (1, 6), {k @ P(\"max\")})");
    ck_assert_str_eq(sugar(k, "32 96", "32 2@1 48 | 96 48 1 | 0:sum"), "((32, 2 @ r, 48), {k @ P(\"sum\")})");
    ck_assert_str_eq(sugar(k, "64", "64@0@1"), "(64 @ k @ r,)");
    ck_assert_str_eq(sugar(m, "N 8", "N@0 8"), "(N @ c, 8)");
    ck_assert_str_eq(sugar(m, "(N+1) 8", "(N+1)@0 8"), "((N + 1) @ c, 8)");
}
END_TEST

START_TEST(what_sugar_cannot_say)
{
    const struct tf_mesh *unnamed = mesh("cta=4", "4");
    ck_assert_str_eq(sugar(unnamed, "4 8", "4@0 8"),
        "ShardLayout(layout=Layout((4, 8), None), attrs=(S(0),), mesh=Mesh((Topology(\"cta\", 4),), layout=(4,)))");
    ck_assert_str_eq(sugar(unnamed, "4 8", "4 8 | 8 1"), "(4, 8)");
}
END_TEST

static const char *names(void *data, const struct tf_mesh *m)
{
    return m == data ? "grid" : NULL;
}

START_TEST(meshes_have_the_names_that_the_asker_gives)
{
    const struct tf_mesh *m = mesh("cta=4", "4=c"), *k = mesh("cta=8", "4=k 2=r");
    struct buf text = {0};
    type_print(&text, type("f32", "4 8", layout(m, "4@0 8"), "smem"), names, (void *)(uintptr_t)m);
    ck_assert_str_eq(buf_text(&text), "Tensor[(4, 8), \"f32\", (4 @ grid.c, 8), \"smem\"]");
    text.n = 0;
    type_print(&text, type("f32", "8", layout(k, "8 | 1 | 0:sum"), "gmem"), names, (void *)(uintptr_t)k);
    ck_assert_str_eq(buf_text(&text), "Tensor[(8,), \"f32\", ((8,), {grid.k @ P(\"sum\")})]");
    text.n = 0;
    type_print(&text, type("f32", "8", layout(k, "8 | 1"), "gmem"), names, NULL);
    ck_assert_str_eq(buf_text(&text), "Tensor[(8,), \"f32\", ShardLayout(layout=Layout((8,), (1,)), attrs=(B(), B()), "
                                      "mesh=Mesh((Topology(\"cta\", 8),), "
                                      "layout=(4, 2), names=(\"k\", \"r\")))]");
    buf_free(&text);
}
END_TEST

RUN("print", plain_types, placements, what_sugar_cannot_say, meshes_have_the_names_that_the_asker_gives)

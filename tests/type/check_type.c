/* SPDX-License-Identifier: MIT */
#include "support.h"

static const struct tf_loc here = {.line = 1, .column = 1};

static const struct tf_type *pair(const struct tf_type *a, const struct tf_type *b)
{
    const struct tf_type *fields[] = {a, b};
    return type_tuple(ctx, 2, fields);
}

START_TEST(equal_types_are_one)
{
    const struct tf_type *x = type("f32", "4 8", NULL, "gmem");
    ck_assert_ptr_eq(x, type("f32", "4 8", NULL, "gmem"));
    ck_assert(!type_equal(x, type("f16", "4 8", NULL, "gmem")));
    ck_assert(!type_equal(x, type("f32", "4 8", NULL, "smem")));
    ck_assert(!type_equal(x, type("f32", "8 4", NULL, "gmem")));
    ck_assert(!type_equal(x, type("f32", "4 8", layout(NULL, "4 8"), "gmem")));
    ck_assert_ptr_eq(pair(x, x), pair(x, x));
    ck_assert(!type_equal(pair(x, x), x));
    ck_assert(!type_equal(pair(x, pair(x, x)), pair(pair(x, x), x)));
}
END_TEST

START_TEST(a_missing_layout_accepts_any)
{
    const struct tf_mesh *m = mesh("cta=4", "4=c");
    const struct tf_type *bare = type("f32", "8 6", NULL, "smem");
    const struct tf_type *open = type("f32", "8 6", layout(m, "4@0 2 6"), "smem");
    const struct tf_type *strided = type("f32", "8 6", layout(m, "4@0 2 6 | 0 6 1"), "smem");
    const struct tf_type *other = type("f32", "8 6", layout(m, "8 2@0 3"), "smem");
    ck_assert(type_accepts(bare, strided));
    ck_assert(!type_accepts(strided, bare));
    ck_assert(type_accepts(open, strided));
    ck_assert(!type_accepts(strided, open));
    ck_assert(!type_accepts(open, other));
    ck_assert(!type_accepts(bare, type("f32", "8 6", NULL, "gmem")));
    ck_assert(type_accepts(type("f32", "8 6", NULL, "umat"), bare));
    ck_assert(!type_accepts(bare, type("f32", "6 8", NULL, "smem")));
    ck_assert(!type_accepts(bare, pair(bare, bare)));
    ck_assert(type_accepts(pair(bare, bare), pair(strided, bare)));
    ck_assert(!type_accepts(pair(bare, open), pair(strided, bare)));
}
END_TEST

START_TEST(binding)
{
    const struct tf_mesh *m = mesh("cta=4", "4=c");
    const struct dim_binding bound[] = {{"N", 64}};
    const char *why = NULL;
    const struct tf_type *x = type("f32", "N 8", layout(m, "N@0 8 | 8 1"), "smem"),
                         *fixed = type("f32", "4", NULL, "gmem");
    ck_assert_ptr_eq(type_bind(ctx, x, bound, 1, &why), type("f32", "64 8", layout(m, "64@0 8 | 8 1"), "smem"));
    ck_assert_ptr_eq(type_bind(ctx, fixed, bound, 1, &why), fixed);
    ck_assert_ptr_eq(type_bind(ctx, pair(x, fixed), bound, 1, &why), pair(type_bind(ctx, x, bound, 1, &why), fixed));
    const struct dim_binding large[] = {{"N", INT64_MAX}};
    ck_assert_ptr_null(type_bind(ctx, type("f32", "(2*N)", NULL, "gmem"), large, 1, &why));
    ck_assert_ptr_nonnull(why);
}
END_TEST

static const char *local(const struct tf_type *t, uint32_t selected)
{
    const struct tf_topology levels[] = {{"cta", dim("8")}, {"thread", dim("32")}};
    const struct tf_type *l = type_local(ctx, &here, t, levels, 2, selected);
    return l ? type_text(ctx, l) : NULL;
}

START_TEST(a_unit_holds_its_share)
{
    const struct tf_mesh *m = mesh("cta=8 thread=32", "4=r 2=c 32=t");
    const struct tf_type *x = type("f32", "16 256", layout(m, "4@0 4 2@1 32@2 4 | 0 4 0 0 1"), "rmem");
    ck_assert_str_eq(local(x, 0), "Tensor[(4, 128), \"f32\", \"rmem\"]");
    ck_assert_str_eq(local(x, 1), "Tensor[(4, 4), \"f32\", \"rmem\"]");
    ck_assert_str_eq(local(x, 2), type_text(ctx, x));
    const struct tf_type *joint = type("f32", "64 6", layout(m, "4@0 2@1 8 6"), "rmem");
    ck_assert_str_eq(local(joint, 0), "Tensor[(8, 6), \"f32\", \"rmem\"]");
    const struct tf_type *partial = type("f32", "8 6", layout(m, "8 6 | 6 1 | 0:sum"), "smem");
    ck_assert_str_eq(local(partial, 1), "Tensor[(8, 6), \"f32\", \"smem\"]");
    const struct tf_type *plain = type("f32", "8 6", layout(NULL, "8 6"), "smem");
    ck_assert_str_eq(local(plain, 0), type_text(ctx, plain));
    ck_assert_str_eq(
        local(pair(x, plain), 1), "Tuple[Tensor[(4, 4), \"f32\", \"rmem\"], Tensor[(8, 6), \"f32\", \"smem\"]]");
    /* what was open stays one position, and is divided when it is bound */
    const struct tf_type *whole = type("f32", "64 6", layout(mesh("cta=8", "8=c"), "64@0 6"), "gmem");
    ck_assert_str_eq(local(whole, 0), "Tensor[(8, 6), \"f32\"]");
    const struct tf_type *seen =
        type("f32", "8 6", layout_composed(ctx, dim("4"), layout(mesh("cta=8", "8=c"), "8@0 6")), "gmem");
    ck_assert_str_eq(local(seen, 0), "Tensor[(1, 6), \"f32\"]");
    /* a replicated value whose layout counts its elements otherwise */
    const struct tf_type *other = type("f32", "16 3", layout(mesh("cta=8", "8=c"), "8 6 | 6 1"), "gmem");
    ck_assert_str_eq(local(other, 0), "Tensor[(16, 3), \"f32\"]");
}
END_TEST

START_TEST(shares_that_cannot_be_told_are_refused)
{
    const struct tf_mesh *m = mesh("cta=8", "8=c");
    ck_assert_ptr_null(local(type("f32", "N 6", layout(m, "N@0 6"), "gmem"), 0));
    assert_refused("local-extent");
    ck_assert_ptr_null(local(type("f32", "12 6", layout(m, "12@0 6"), "gmem"), 0));
    assert_refused("local-extent");
    ck_assert_ptr_null(local(type("f32", "8 6", layout(mesh("warp=8", "8=w"), "8@0 6"), "gmem"), 0));
    assert_refused("topology-level");
    struct row r = row("8 6");
    struct tf_shard_attr wild = {.kind = TF_ATTR_SPLIT, .axis = 7};
    ck_assert_ptr_null(local(type("f32", "8 6", layout_shard(ctx, 2, r.at, NULL, m, &wild), "gmem"), 0));
    assert_refused("local-extent");
    /* equal extents need not be known */
    ck_assert_str_eq(
        local(type("f32", "N 6", layout(mesh("cta=N", "N=c"), "N@0 6"), "gmem"), 0), "Tensor[(1, 6), \"f32\"]");
}
END_TEST

START_TEST(leaves_come_in_order)
{
    const struct tf_type *a = type("f32", "4", NULL, "gmem"), *b = type("f16", "4", NULL, "gmem"), *leaves[3];
    ck_assert_uint_eq(type_leaves(pair(pair(a, b), a), leaves, 3), 3);
    ck_assert_ptr_eq(leaves[0], a);
    ck_assert_ptr_eq(leaves[1], b);
    ck_assert_ptr_eq(leaves[2], a);
    leaves[1] = NULL;
    ck_assert_uint_eq(type_leaves(pair(pair(b, a), a), leaves, 1), 3);
    ck_assert_ptr_eq(leaves[0], b);
    ck_assert_ptr_null(leaves[1]);
    ck_assert_uint_eq(type_leaves(type_tuple(ctx, 0, NULL), leaves, 3), 0);
}
END_TEST

START_TEST(counts_are_exact)
{
    uint64_t n = 0;
    ck_assert_int_eq(type_elements(type("f32", "4 8 2", NULL, "gmem"), &n), 0);
    ck_assert_uint_eq(n, 64);
    ck_assert_int_eq(type_elements(type("f32", "", NULL, "gmem"), &n), 0);
    ck_assert_uint_eq(n, 1);
    ck_assert_int_eq(type_elements(type("f32", "9223372036854775807 2 0", NULL, "gmem"), &n), 0);
    ck_assert_uint_eq(n, 0);
    ck_assert_int_eq(type_elements(type("f32", "0 9223372036854775807 2", NULL, "gmem"), &n), 0);
    ck_assert_uint_eq(n, 0);
    ck_assert_int_eq(type_elements(type("f32", "9223372036854775807", NULL, "gmem"), &n), 0);
    ck_assert_uint_eq(n, INT64_MAX);
    ck_assert_int_eq(type_elements(type("f32", "4611686018427387904 2", NULL, "gmem"), &n), TF_E_OVERFLOW);
    ck_assert_int_eq(type_elements(type("f32", "4611686018427387904 4 3", NULL, "gmem"), &n), TF_E_OVERFLOW);
    ck_assert_int_eq(type_elements(type("f32", "N 4", NULL, "gmem"), &n), TF_E_REFUSED);
    ck_assert_int_eq(type_elements(type("f32", "(0-4) 4", NULL, "gmem"), &n), TF_E_REFUSED);
    ck_assert_int_eq(type_bytes(type("bool", "9", NULL, "gmem"), &n), 0);
    ck_assert_uint_eq(n, 2);
    ck_assert_int_eq(type_bytes(type("f4e2m1", "3 5", NULL, "gmem"), &n), 0);
    ck_assert_uint_eq(n, 8);
    ck_assert_int_eq(type_bytes(type("f64", "1152921504606846975", NULL, "gmem"), &n), 0);
    ck_assert_uint_eq(n, 9223372036854775800u);
    ck_assert_int_eq(type_bytes(type("bool", "9223372036854775807", NULL, "gmem"), &n), 0);
    ck_assert_uint_eq(n, 1152921504606846976u);
    ck_assert_int_eq(type_bytes(type("f64", "1152921504606846976", NULL, "gmem"), &n), TF_E_OVERFLOW);
}
END_TEST

RUN("type", equal_types_are_one, a_missing_layout_accepts_any, binding, a_unit_holds_its_share,
    shares_that_cannot_be_told_are_refused, leaves_come_in_order, counts_are_exact)

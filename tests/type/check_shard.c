/* SPDX-License-Identifier: MIT */
#include "support.h"

#include "ir/relation.h"

/* ---- positions -----------------------------------------------------------------------------------------------------*/

/* The logical axis of each position, one character each; '-' for none. */
static const char *axes(const char *positions, const char *shape)
{
    const struct tf_layout *l = layout(NULL, positions);
    struct row logical = row(shape);
    int32_t axis_of[ROW];
    char *text = CTX_ARRAY(ctx, char, ROW);
    position_axes(l, logical.n, logical.at, axis_of);
    for (uint32_t i = 0; i < l->rank; i++)
        text[i] = axis_of[i] < 0 ? '-' : (char)('0' + axis_of[i]);
    return text;
}

START_TEST(positions_belong_to_axes)
{
    ck_assert_str_eq(axes("2 4 14 32 4", "2 7168"), "01111");
    ck_assert_str_eq(axes("4 2 4", "4 8"), "011");
    ck_assert_str_eq(axes("1 4 2", "1 8"), "011");
    ck_assert_str_eq(axes("4 2", "1 8"), "11");
    ck_assert_str_eq(axes("2 1 1", "2 1"), "011");
    ck_assert_str_eq(axes("2 1 1", "2"), "000");
    ck_assert_str_eq(axes("1 1", ""), "--");
    ck_assert_str_eq(axes("N 4 2", "N 8"), "011");
    ck_assert_str_eq(axes("4 N", "N 8"), "00");
    ck_assert_str_eq(axes("0 4", "0 4"), "01");
    ck_assert_str_eq(axes("4611686018427387904 4611686018427387904 2", "4611686018427387904 2"), "011");
}
END_TEST

START_TEST(masks_tell_which_mesh_axes_split)
{
    const struct tf_mesh *m = mesh("thread=256", "2=x 4=y 32=t");
    const struct tf_type *t = type("f32", "2 7168", layout(m, "2@0 4@1 14 32@2 4"), "rmem");
    ck_assert_uint_eq(split_mask(t, 0), 1);
    ck_assert_uint_eq(split_mask(t, 1), 6);
    ck_assert_uint_eq(split_mask(t, 2), 0);
    ck_assert_uint_eq(split_mask(type("f32", "2 8", NULL, "gmem"), 0), 0);
    ck_assert_uint_eq(split_mask(type("f32", "2 8", layout(NULL, "2 8"), "gmem"), 0), 0);
}
END_TEST

/* ---- deriving --------------------------------------------------------------------------------------------------------*/

static const struct tf_op op = {.struct_size = sizeof(op), .name = "op"};

static struct tf_call call_of(uint32_t n, const struct tf_type *const *args)
{
    return (struct tf_call){.struct_size = sizeof(struct tf_call), .op = &op, .n_args = n, .arg_types = args};
}

/* What a result of this shape gets, as the text of an smem type; NULL: refused. */
static const char *derived(
    const struct tf_call *call, const struct tf_relation *relation, const char *shape, struct tf_derive how)
{
    struct row result = row(shape);
    const struct tf_layout *l = NULL;
    how.struct_size = sizeof(how);
    if (shard_derive(ctx, call, relation, result.n, result.at, &how, &l))
        return NULL;
    return type_text(ctx, type("f32", shape, l, "smem"));
}

/* An elementwise operator of any number of operands that broadcast. */
static const char *elementwise(const char *shape, uint32_t n, const struct tf_type *const *args)
{
    struct tf_call call = call_of(n, args);
    struct tf_relation relation = {0};
    struct row box = row(shape);
    relation_box(ctx, &call, &relation, box.n, box.at, 1);
    for (uint32_t i = 0; i < n; i++)
        relation_broadcast(ctx, &relation.in[i], args[i], box.n, box.at);
    relation_walk(ctx, &relation.out[0], box.n, 0);
    return derived(&call, &relation, shape, (struct tf_derive){0});
}

START_TEST(elementwise_keeps_the_factors_and_strides)
{
    const struct tf_mesh *m = mesh("cta=4", "4=c");
    const struct tf_type *x = type("f32", "8 6", layout(m, "4@0 2 6 | 0 6 1"), "smem");
    const struct tf_type *same[] = {x, x}, *plain[] = {x, type("f32", "8 6", NULL, "smem")};
    const char *kept = "Tensor[(8, 6), \"f32\", ((4 @ c, 2, 6), (0, 6, 1)), \"smem\"]";
    ck_assert_str_eq(elementwise("8 6", 1, same), kept);
    ck_assert_str_eq(elementwise("8 6", 2, same), kept);
    ck_assert_str_eq(elementwise("8 6", 2, plain), kept);
    ck_assert_str_eq(elementwise("8 6", 1, &plain[1]), "Tensor[(8, 6), \"f32\", \"smem\"]");
    const struct tf_type *all[] = {type("f32", "8 6", layout(m, "8 6 | 6 1"), "smem")};
    ck_assert_str_eq(elementwise("8 6", 1, all), "Tensor[(8, 6), \"f32\", \"smem\"]");
}
END_TEST

START_TEST(operands_with_other_factors_give_the_canonical_layout)
{
    const struct tf_mesh *m = mesh("cta=4", "4=c");
    const struct tf_type *args[] = {type("f32", "8 6", layout(m, "4@0 2 6 | 0 6 1"), "smem"),
        type("f32", "8 6", layout(m, "4@0 2 6 | 0 1 2"), "smem")};
    ck_assert_str_eq(elementwise("8 6", 2, args), "Tensor[(8, 6), \"f32\", (4 @ c, 2, 6), \"smem\"]");
    /* a row that is broadcast over a split column leaves the column's layout alone */
    const struct tf_type *mixed[] = {args[0], type("f32", "1 6", layout(m, "1 6 | 0 1"), "smem")};
    ck_assert_str_eq(elementwise("8 6", 2, mixed), "Tensor[(8, 6), \"f32\", ((4 @ c, 2, 6), (0, 6, 1)), \"smem\"]");
    /* an axis that no position of the operand walks */
    const struct tf_type *row_only[] = {type("f32", "6", layout(mesh("cta=2", "2=c"), "2@0 3 | 0 1"), "smem")};
    ck_assert_str_eq(elementwise("1 6", 1, row_only), "Tensor[(1, 6), \"f32\", (1, 2 @ c, 3), \"smem\"]");
    const struct tf_type *rows[] = {type("f32", "6", layout(m, "2@0 3 | 0 1"), "smem"), args[0]};
    ck_assert_ptr_null(elementwise("8 6", 2, rows));
    assert_refused("shard-conflict");
}
END_TEST

START_TEST(a_mesh_axis_of_one_unit_splits_nothing)
{
    const struct tf_mesh *m = mesh("cta=4", "1=u 4=c");
    const struct tf_type *x[] = {type("f32", "1 8", layout(m, "1@0 4@1 2 | 0 0 1"), "smem")};
    struct tf_call call = call_of(1, x);
    struct tf_relation relation = {0};
    relation_box(ctx, &call, &relation, 2, x[0]->shape, 1);
    relation_walk(ctx, &relation.in[0], 2, 0);
    relation_walk(ctx, &relation.out[0], 2, 0);
    const char *canonical = "Tensor[(1, 8), \"f32\", (1, 4 @ c, 2), \"smem\"]";
    ck_assert_str_eq(derived(&call, &relation, "1 8", (struct tf_derive){0}), canonical);
    ck_assert_str_eq(elementwise("1 8", 1, x), canonical);
}
END_TEST

START_TEST(partials_go_on)
{
    const struct tf_mesh *m = mesh("cta=8", "4=k 2=r");
    const struct tf_type *x[] = {type("f32", "8 6", layout(m, "2@1 4 6 | 24 6 1 | 0:sum"), "smem"),
        type("f32", "8 6", layout(m, "2@1 4 6 | 24 6 1 | 0:max"), "smem"),
        type("f32", "8 6", layout(m, "8 4@0 2"), "smem")};
    ck_assert_str_eq(elementwise("8 6", 1, x), "Tensor[(8, 6), \"f32\", ((2 @ r, 4, 6), {k @ P(\"sum\")}), \"smem\"]");
    ck_assert_ptr_null(elementwise("8 6", 2, x));
    assert_refused("shard-conflict");
}
END_TEST

static struct tf_axis walk(int32_t iter)
{
    return (struct tf_axis){.iter = {iter, -1}, .scale = {1, 0}};
}

static void set_axes(struct tf_boundary *boundary, uint32_t n, const struct tf_axis *from)
{
    boundary->rank = n;
    boundary->axes = arena_copy(&ctx->arena, from, n * sizeof(*from));
}

/* (m, k) x (k, n) */
static const char *matmul(const struct tf_type *lhs, const struct tf_type *rhs, const char *box, const char *result)
{
    const struct tf_type *args[] = {lhs, rhs};
    struct tf_call call = call_of(2, args);
    struct tf_relation relation = {0};
    struct row extents = row(box);
    const struct tf_axis left[] = {walk(0), walk(2)}, right[] = {walk(2), walk(1)}, out[] = {walk(0), walk(1)};
    relation_box(ctx, &call, &relation, 3, extents.at, 1);
    set_axes(&relation.in[0], 2, left);
    set_axes(&relation.in[1], 2, right);
    set_axes(&relation.out[0], 2, out);
    return derived(&call, &relation, result, (struct tf_derive){.partial_axes = 4});
}

START_TEST(a_product_keeps_rows_and_columns_and_sums_partially)
{
    const struct tf_mesh *m = mesh("cta=8", "4=r 2=c");
    const struct tf_type *rows = type("bf16", "16 32", layout(m, "4@0 4 32 | 0 32 1"), "smem");
    const struct tf_type *columns = type("bf16", "32 24", layout(m, "32 2@1 12 | 12 0 1"), "smem");
    ck_assert_str_eq(
        matmul(rows, columns, "16 24 32", "16 24"), "Tensor[(16, 24), \"f32\", (4 @ r, 4, 2 @ c, 12), \"smem\"]");
    const struct tf_type *left = type("bf16", "16 32", layout(m, "16 4@0 8 | 8 0 1"), "smem");
    const struct tf_type *right = type("bf16", "32 24", layout(m, "4@0 8 2@1 12 | 0 12 0 1"), "smem");
    ck_assert_str_eq(matmul(left, right, "16 24 32", "16 24"),
        "Tensor[(16, 24), \"f32\", ((16, 2 @ c, 12), {r @ P(\"sum\")}), \"smem\"]");
}
END_TEST

/* Reduces axis 1 of a matrix, or of a cube. */
static const char *reduction(const struct tf_type *x, int keep, const char *result)
{
    struct tf_call call = call_of(1, &x);
    struct tf_relation relation = {0};
    struct tf_axis out[TF_MAX_RANK];
    uint32_t n = 0;
    relation_box(ctx, &call, &relation, x->rank, x->shape, 1);
    relation_walk(ctx, &relation.in[0], x->rank, 0);
    for (uint32_t i = 0; i < x->rank; i++)
        if (i != 1 || keep)
            out[n++] = i == 1 ? (struct tf_axis){.iter = {-1, -1}} : walk((int32_t)i);
    set_axes(&relation.out[0], n, out);
    return derived(&call, &relation, result, (struct tf_derive){.complete_axes = 2, .fresh_strides = 1});
}

START_TEST(a_reduction_leaves_factors_of_one)
{
    const struct tf_mesh *m = mesh("thread=256", "2=x 4=y 32=t");
    const struct tf_layout *l = layout(m, "2@0 4@1 14 32@2 4 | 0 0 4 0 1");
    ck_assert_str_eq(reduction(type("f32", "2 7168", l, "smem"), 1, "2 1"),
        "Tensor[(2, 1), \"f32\", ((2 @ x, 1, 1, 1, 1), (1, 0, 0, 0, 0)), \"smem\"]");
    ck_assert_str_eq(reduction(type("f32", "2 7168", l, "smem"), 0, "2"),
        "Tensor[(2,), \"f32\", ((2 @ x, 1, 1, 1, 1), (1, 0, 0, 0, 0)), \"smem\"]");
    const struct tf_mesh *c = mesh("cta=4", "4=c");
    ck_assert_str_eq(reduction(type("f32", "8 6 16", layout(c, "4@0 2 6 16"), "smem"), 1, "8 1 16"),
        "Tensor[(8, 1, 16), \"f32\", ((4 @ c, 2, 1, 1, 16), (32, 16, 0, 0, 1)), \"smem\"]");
}
END_TEST

START_TEST(a_split_that_cannot_be_followed_is_refused)
{
    const struct tf_mesh *m = mesh("cta=4", "4=c");
    const struct tf_type *x = type("f32", "8 6", layout(m, "4@0 2 6"), "smem");
    struct tf_call call = call_of(1, &x);
    struct tf_relation relation = {0};
    const struct tf_derive how = {0};
    relation_box(ctx, &call, &relation, 2, x->shape, 1);
    relation_walk(ctx, &relation.out[0], 2, 0);
    struct tf_axis kinds[] = {{.kind = TF_AXIS_ANY}, {.iter = {0, -1}, .scale = {2, 0}},
        {.iter = {0, 1}, .scale = {1, 1}}, {.iter = {0, -1}, .scale = {1, 0}, .offset = 3}};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
        const struct tf_axis in[] = {kinds[i], walk(1)};
        set_axes(&relation.in[0], 2, in);
        ck_assert_ptr_null(derived(&call, &relation, "8 6", how));
        assert_refused("shard-access");
    }
    const struct tf_axis still[] = {{.iter = {-1, -1}}, walk(1)};
    set_axes(&relation.in[0], 2, still);
    ck_assert_str_eq(derived(&call, &relation, "8 6", how), "Tensor[(8, 6), \"f32\", (8, 6), \"smem\"]");
    const struct tf_type *many = type("f32", "4",
        layout(mesh("cta=4", "4=c"), "4@0 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1"), "smem");
    call = call_of(1, &many);
    ck_assert_ptr_null(derived(&call, &relation, "8 6", how));
    assert_refused("layout-positions");
    call = call_of(1, &x);
    /* an operand read whole */
    relation.in[0] = (struct tf_boundary){.flow = TF_FLOW_READ};
    ck_assert_ptr_null(derived(&call, &relation, "8 6", how));
    assert_refused("shard-access");
}
END_TEST

/* ---- operands together -----------------------------------------------------------------------------------------------*/

START_TEST(shapes_broadcast_from_the_right)
{
    const struct tf_dim *shape[TF_MAX_RANK];
    uint32_t rank;
    const struct tf_type *a = type("f32", "4 1 6", NULL, "gmem"), *b = type("f32", "5 6", NULL, "gmem");
    ck_assert_int_eq(broadcast_shape(a, b, &rank, shape), 0);
    ck_assert_str_eq(shape_text(ctx, shape, rank), "(4, 5, 6)");
    ck_assert_int_eq(broadcast_shape(b, a, &rank, shape), 0);
    ck_assert_str_eq(shape_text(ctx, shape, rank), "(4, 5, 6)");
    ck_assert_int_eq(broadcast_shape(b, type("f32", "", NULL, "umat"), &rank, shape), 0);
    ck_assert_str_eq(shape_text(ctx, shape, rank), "(5, 6)");
    ck_assert_int_eq(broadcast_shape(b, type("f32", "N 6", NULL, "umat"), &rank, shape), TF_E_REFUSED);
    ck_assert_int_eq(broadcast_shape(b, type("f32", "4 6", NULL, "umat"), &rank, shape), TF_E_REFUSED);
}
END_TEST

START_TEST(one_storage_for_all)
{
    const struct tf_type *umat = type("f32", "", NULL, "umat"), *smem = type("f32", "4", NULL, "smem");
    const struct tf_type *some[] = {umat, smem, smem}, *none[] = {umat, umat};
    const struct tf_type *mixed[] = {smem, umat, type("f32", "4", NULL, "rmem")};
    struct tf_call call = call_of(3, some);
    uint32_t storage;
    ck_assert_int_eq(anchor_storage(ctx, &call, 3, some, &storage), 0);
    ck_assert_uint_eq(storage, TF_STORAGE_SMEM);
    ck_assert_int_eq(anchor_storage(ctx, &call, 2, none, &storage), 0);
    ck_assert_uint_eq(storage, TF_STORAGE_UMAT);
    ck_assert_int_ne(anchor_storage(ctx, &call, 3, mixed, &storage), 0);
    assert_refused("storage-conflict");
}
END_TEST

static int in_scope(const struct tf_type *x, const struct tf_mesh *scope)
{
    struct tf_call call = call_of(1, &x);
    call.scope = scope;
    return shard_scope_check(ctx, &call);
}

START_TEST(operands_suit_the_mesh_in_force)
{
    const struct tf_mesh *cta = mesh("cta=4", "4=c"), *thread = mesh("thread=32", "32=t");
    const struct tf_loc here = {.line = 1};
    const struct tf_mesh *both = mesh_compose(ctx, &here, cta, thread);
    const struct tf_type *x = type("f32", "8 6", layout(cta, "4@0 2 6"), "smem");
    const struct tf_type *held = type("f32", "8 6", layout(cta, "4@0 2 6"), "rmem");
    const struct tf_type *fine = type("f32", "8 32", layout(both, "4@0 2 32@1"), "rmem");
    ck_assert_int_eq(in_scope(x, NULL), 0);
    ck_assert_int_eq(in_scope(x, cta), 0);
    ck_assert_int_eq(in_scope(x, both), 0);
    ck_assert_int_eq(in_scope(held, cta), 0);
    ck_assert_int_eq(in_scope(fine, both), 0);
    ck_assert_int_eq(in_scope(type("f32", "8 6", NULL, "rmem"), both), 0);
    ck_assert_int_ne(in_scope(held, both), 0);
    assert_refused("scope-coarser");
    ck_assert_int_ne(in_scope(fine, cta), 0);
    assert_refused("scope-finer");
    ck_assert_int_ne(in_scope(x, thread), 0);
    assert_refused("scope-finer");
    ck_assert_int_ne(in_scope(x, mesh("cta=4", "2=a 2=b")), 0);
    assert_refused("scope-finer");
    /* names and extents of 1 make no other positions */
    ck_assert_int_eq(in_scope(x, mesh("cta=4", "1=u 4=z")), 0);
    struct tf_mesh other = *mesh("cta=4", "2=a 2=b");
    struct row strides = row("1 2");
    other.strides = strides.at;
    ck_assert_int_eq(mesh_in_force(ctx, mesh("cta=4", "2=a 2=b"), mesh_make(ctx, &other)), 0);
    const int64_t from[] = {0}, to[] = {2};
    const struct tf_mesh *part = mesh_slice(ctx, &here, cta, from, to);
    ck_assert_int_ne(in_scope(x, part), 0);
    assert_refused("scope-finer");
    ck_assert_int_eq(in_scope(type("f32", "8 6", layout(part, "2@0 4 6"), "smem"), part), 0);
    ck_assert_int_eq(mesh_in_force(ctx, cta, both), 1);
    ck_assert_int_eq(mesh_in_force(ctx, both, cta), 0);
    ck_assert_int_eq(mesh_in_force(ctx, cta, NULL), 0);
}
END_TEST

RUN("shard", positions_belong_to_axes, masks_tell_which_mesh_axes_split, elementwise_keeps_the_factors_and_strides,
    operands_with_other_factors_give_the_canonical_layout, a_mesh_axis_of_one_unit_splits_nothing, partials_go_on,
    a_product_keeps_rows_and_columns_and_sums_partially, a_reduction_leaves_factors_of_one,
    a_split_that_cannot_be_followed_is_refused, shapes_broadcast_from_the_right, one_storage_for_all,
    operands_suit_the_mesh_in_force)

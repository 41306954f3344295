/* SPDX-License-Identifier: MIT
 * The placement operators, with a host table of the few functions that they call.
 */
#include "support.h"

#include "ir/relation.h"

/* ---- the host --------------------------------------------------------------------------------------------------------*/

static void host_error(tf_ctx *c, const struct tf_loc *loc, const char *code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    diag_v(c, loc, DIAG_ERROR, code, format, args);
    va_end(args);
}

static const struct tf_dim *host_mul(tf_ctx *c, const struct tf_dim *a, const struct tf_dim *b)
{
    const struct tf_dim *d = dim_mul(c, a, b, NULL);
    if (!d)
        host_error(c, NULL, "dimension-arithmetic", "too large");
    return d;
}

static const struct tf_dim *host_floordiv(tf_ctx *c, const struct tf_dim *a, const struct tf_dim *b)
{
    return dim_floordiv(c, a, b, NULL);
}

static int host_value_int(const struct tf_node *value, int64_t *number)
{
    *number = value->val->u.i;
    return TF_OK;
}

static const struct tf_host host = {
    .struct_size = sizeof(host),
    .error = host_error,
    .dtype = dtype_info,
    .storage = storage_name,
    .shape_text = shape_text,
    .dim_const = dim_const,
    .dim_mul = host_mul,
    .dim_floordiv = host_floordiv,
    .type_tensor = type_tensor,
    .layout_plain = layout_plain,
    .layout_shard = layout_shard,
    .shard_of = shard_of,
    .position_axes = position_axes,
    .value_int = host_value_int,
    .relation_box = relation_box,
    .relation_walk = relation_walk,
    .mesh_in_force = mesh_in_force,
};

const struct tf_plugin *tilefoundry_plugin_v1(const struct tf_host *table);
extern const struct tf_op op_reshard, op_local, op_meshcoord;

/* ---- asking ----------------------------------------------------------------------------------------------------------*/

static struct tf_call call_of(const struct tf_op *op, const struct tf_type *const *x, const struct tf_val *attrs)
{
    return (struct tf_call){.struct_size = sizeof(struct tf_call),
        .op = op,
        .n_args = 1,
        .n_attrs = (uint32_t)op->n_attrs,
        .arg_types = x,
        .attrs = attrs};
}

static const char *inferred(struct tf_call *call)
{
    const struct tf_type *result = NULL;
    ck_assert_str_eq(tilefoundry_plugin_v1(&host)->name, "ops-placement");
    if (call->op->infer(ctx, call, &result))
        return NULL;
    return type_text(ctx, result);
}

static void reshard_attrs(struct tf_val *attrs, const struct tf_layout *to, const char *storage)
{
    uint32_t s;
    attrs[0] = attrs[1] = (struct tf_val){.kind = TF_VAL_NONE};
    if (to)
        attrs[0] = (struct tf_val){.kind = TF_VAL_LAYOUT, .u.layout = to};
    if (storage && !storage_find(storage, &s))
        attrs[1] = (struct tf_val){.kind = TF_VAL_STORAGE, .u.i = s};
}

static const char *resharded(const struct tf_type *x, const struct tf_layout *to, const char *storage)
{
    struct tf_val attrs[2];
    reshard_attrs(attrs, to, storage);
    struct tf_call call = call_of(&op_reshard, &x, attrs);
    return inferred(&call);
}

/* ---- reshard -----------------------------------------------------------------------------------------------------------*/

START_TEST(open_strides_depend_on_where_the_value_goes)
{
    const struct tf_mesh *m = mesh("thread=256", "2=x 4=y 32=t"), *c = mesh("cta=4", "4=c");
    const struct tf_type *gmem = type("bf16", "2 7168", NULL, "gmem"), *tile = type("f32", "8 256", NULL, "gmem");
    ck_assert_str_eq(resharded(gmem, layout(m, "2@0 4@1 14 32@2 4"), "rmem"),
        "Tensor[(2, 7168), \"bf16\", ((2 @ x, 4 @ y, 14, 32 @ t, 4), (0, 0, 4, 0, 1)), \"rmem\"]");
    ck_assert_str_eq(resharded(tile, layout(c, "4@0 2 256"), "smem"),
        "Tensor[(8, 256), \"f32\", ((4 @ c, 2, 256), (0, 256, 1)), \"smem\"]");
    /* up: one buffer for all */
    const struct tf_type *rmem = type("f32", "8 256", layout(c, "4@0 2 256 | 0 256 1"), "rmem");
    ck_assert_str_eq(
        resharded(rmem, layout(c, "4@0 2 256"), "smem"), "Tensor[(8, 256), \"f32\", (4 @ c, 2, 256), \"smem\"]");
    ck_assert_str_eq(resharded(rmem, layout(c, "4@0 2 256"), "gmem"), "Tensor[(8, 256), \"f32\", (4 @ c, 2, 256)]");
    ck_assert_str_eq(resharded(gmem, layout(m, "2 7168"), "gmem"), "Tensor[(2, 7168), \"bf16\", (2, 7168)]");
    /* registers to registers, shared memory to tensor memory: each unit its own */
    ck_assert_str_eq(
        resharded(type("f32", "8 256", layout(c, "4@0 2 256 | 512 256 1"), "smem"), layout(c, "4@0 2 256"), "tmem"),
        "Tensor[(8, 256), \"f32\", ((4 @ c, 2, 256), (0, 256, 1)), \"tmem\"]");
    ck_assert_str_eq(
        resharded(tile, layout(c, "4@0 2 256"), "host"), "Tensor[(8, 256), \"f32\", (4 @ c, 2, 256), \"host\"]");
    ck_assert_str_eq(resharded(type("f32", "4 1", NULL, "umat"), layout(c, "4@0 1"), "rmem"),
        "Tensor[(4, 1), \"f32\", (4 @ c, 1), \"rmem\"]");
}
END_TEST

START_TEST(within_a_storage_the_form_is_kept)
{
    const struct tf_mesh *c = mesh("cta=4", "4=c");
    const struct tf_type *own = type("f32", "8 64", layout(c, "4@0 2 64 | 0 64 1"), "smem");
    const struct tf_type *shared = type("f32", "8 64", layout(c, "4@0 2 64 | 128 64 1"), "smem");
    ck_assert_str_eq(resharded(own, layout(c, "8 4@0 16"), "smem"),
        "Tensor[(8, 64), \"f32\", ((8, 4 @ c, 16), (16, 0, 1)), \"smem\"]");
    ck_assert_str_eq(resharded(own, layout(c, "8 4@0 16"), NULL),
        "Tensor[(8, 64), \"f32\", ((8, 4 @ c, 16), (16, 0, 1)), \"smem\"]");
    ck_assert_str_eq(
        resharded(shared, layout(c, "8 4@0 16"), "smem"), "Tensor[(8, 64), \"f32\", (8, 4 @ c, 16), \"smem\"]");
    ck_assert_str_eq(resharded(own, NULL, NULL), type_text(ctx, own));
    ck_assert_str_eq(resharded(own, NULL, "smem"), type_text(ctx, own));
}
END_TEST

START_TEST(stated_layouts_are_taken_as_they_are)
{
    const struct tf_mesh *c = mesh("cta=4", "4=c");
    const struct tf_type *x = type("f32", "8 64", NULL, "gmem");
    ck_assert_str_eq(resharded(x, layout(c, "4@0 2 64 | 0 1 2"), "smem"),
        "Tensor[(8, 64), \"f32\", ((4 @ c, 2, 64), (0, 1, 2)), \"smem\"]");
    ck_assert_str_eq(resharded(x, layout(NULL, "8 64 | 1 8"), "smem"), "Tensor[(8, 64), \"f32\", \"smem\"]");
    /* only the product must be the value's */
    ck_assert_str_eq(resharded(x, layout(c, "4@0 2 8 8"), "smem"),
        "Tensor[(8, 64), \"f32\", ((4 @ c, 2, 8, 8), (0, 64, 8, 1)), \"smem\"]");
    ck_assert_str_eq(resharded(x, layout(c, "16 32 | 32 1"), "smem"), "Tensor[(8, 64), \"f32\", (16, 32), \"smem\"]");
    const struct tf_type *open = type("f32", "N 8", NULL, "gmem");
    ck_assert_str_eq(
        resharded(open, layout(c, "N@0 8"), "smem"), "Tensor[(N, 8), \"f32\", ((N @ c, 8), (0, 1)), \"smem\"]");
    ck_assert_str_eq(resharded(open, layout(c, "N@0 8"), "gmem"), "Tensor[(N, 8), \"f32\", (N @ c, 8)]");
}
END_TEST

START_TEST(wrong_reshards_are_refused)
{
    const struct tf_mesh *c = mesh("cta=4", "4=c");
    const struct tf_type *x = type("f32", "8 64", NULL, "gmem");
    ck_assert_ptr_null(resharded(x, NULL, "smem"));
    assert_refused("reshard-layout");
    ck_assert_ptr_null(resharded(x, layout(c, "4@0 2 64"), "umat"));
    assert_refused("reshard-umat");
    ck_assert_ptr_null(resharded(x, layout(c, "4@0 64"), "smem"));
    assert_refused("placement-extents");
    ck_assert_ptr_null(resharded(x, layout(NULL, "8 32"), "smem"));
    assert_refused("placement-extents");
    ck_assert_ptr_null(resharded(x, layout(c, "4611686018427387904 4611686018427387904"), "smem"));
    assert_refused("placement-extents");
    ck_assert_ptr_null(resharded(x, layout(mesh("cta=16", "16=c"), "16@0 32"), "smem"));
    assert_refused("placement-share");
    const struct tf_shard_attr wild = {.kind = TF_ATTR_SPLIT, .axis = 9};
    ck_assert_ptr_null(resharded(x, layout_shard(ctx, 2, x->shape, NULL, c, &wild), "smem"));
    assert_refused("placement-split");
    const struct tf_type *two[] = {x, x};
    ck_assert_ptr_null(resharded(type_tuple(ctx, 2, two), layout(c, "8 64"), "smem"));
    assert_refused("tuple-operand");
}
END_TEST

static struct tf_relation related(const struct tf_type *x, const struct tf_layout *to, const char *storage)
{
    struct tf_val attrs[2];
    struct tf_relation relation = {0};
    reshard_attrs(attrs, to, storage);
    struct tf_call call = call_of(&op_reshard, &x, attrs);
    tilefoundry_plugin_v1(&host);
    ck_assert_int_eq(op_reshard.relate(ctx, &call, &relation), 0);
    return relation;
}

START_TEST(only_another_storage_moves_bytes)
{
    const struct tf_layout *to = layout(mesh("cta=4", "4=c"), "4@0 2 64");
    const struct tf_type *x = type("f32", "8 64", NULL, "gmem");
    struct tf_relation r = related(x, to, "smem");
    ck_assert_uint_eq(r.flags, 0);
    ck_assert_uint_eq(r.in[0].flow, TF_FLOW_READ);
    ck_assert_uint_eq(r.out[0].flow, TF_FLOW_WRITE);
    ck_assert_uint_eq(r.in[0].rank, 2);
    ck_assert_int_eq(r.in[0].axes[1].iter[0], 1);
    r = related(x, to, "gmem");
    ck_assert_uint_eq(r.flags, TF_RELATION_VIEW);
    ck_assert_uint_eq(r.in[0].flow, TF_FLOW_NONE);
    ck_assert_uint_eq(r.out[0].flow, TF_FLOW_NONE);
    r = related(x, NULL, NULL);
    ck_assert_uint_eq(r.flags, TF_RELATION_VIEW);
}
END_TEST

/* ---- local -------------------------------------------------------------------------------------------------------------*/

static const char *local_of(const struct tf_type *x, const struct tf_layout **has)
{
    struct tf_call call = call_of(&op_local, &x, NULL);
    const struct tf_type *result = NULL;
    tilefoundry_plugin_v1(&host);
    if (op_local.infer(ctx, &call, &result))
        return NULL;
    if (has)
        *has = result->layout;
    return type_text(ctx, result);
}

START_TEST(local_is_one_units_share)
{
    const struct tf_mesh *m = mesh("cta=8", "4=r 2=c");
    const struct tf_layout *has;
    ck_assert_str_eq(local_of(type("f32", "32 16", layout(m, "4@0 8 16 | 0 16 1"), "smem"), &has),
        "Tensor[(8, 16), \"f32\", \"smem\"]");
    ck_assert_ptr_eq(has, layout(NULL, "8 16 | 16 1"));
    ck_assert_str_eq(local_of(type("f32", "64 6", layout(m, "4@0 2@1 8 6 | 0 0 6 1"), "rmem"), NULL),
        "Tensor[(8, 6), \"f32\", \"rmem\"]");
    ck_assert_str_eq(
        local_of(type("f32", "32 16", layout(m, "4@0 8 2@1 8"), "smem"), &has), "Tensor[(8, 8), \"f32\", \"smem\"]");
    ck_assert_ptr_eq(has, layout(NULL, "8 8"));
    ck_assert_str_eq(local_of(type("f32", "4 6", layout(m, "4@0 6 | 6 1"), "gmem"), &has), "Tensor[(1, 6), \"f32\"]");
    ck_assert_ptr_eq(has, layout(NULL, "1 6 | 0 1"));
    /* an axis in two pieces that lie apart has no stride of its own; one in pieces that follow each other has */
    local_of(type("f32", "32 16", layout(m, "2 4@0 4 16 | 640 0 16 1"), "smem"), &has);
    ck_assert_ptr_null(has);
    local_of(type("f32", "32 16", layout(m, "2 4@0 4 16 | 64 0 16 1"), "smem"), &has);
    ck_assert_ptr_eq(has, layout(NULL, "8 16 | 16 1"));
    ck_assert_str_eq(local_of(type("f32", "N 6", layout(m, "N@0 6"), "gmem"), NULL), "Tensor[(N // 4, 6), \"f32\"]");
    ck_assert_ptr_null(local_of(type("f32", "4 6", NULL, "gmem"), NULL));
    assert_refused("local-layout");
    ck_assert_ptr_null(local_of(type("f32", "4 6", layout(NULL, "4 6"), "gmem"), NULL));
    assert_refused("local-layout");
}
END_TEST

START_TEST(local_is_a_view)
{
    const struct tf_mesh *m = mesh("cta=8", "4=r 2=c");
    const struct tf_type *x = type("f32", "32 16", layout(m, "4@0 8 16 | 0 16 1"), "smem");
    struct tf_call call = call_of(&op_local, &x, NULL);
    struct tf_relation r = {0};
    tilefoundry_plugin_v1(&host);
    ck_assert_int_eq(op_local.relate(ctx, &call, &r), 0);
    ck_assert_uint_eq(r.flags, TF_RELATION_VIEW);
    ck_assert_uint_eq(r.in[0].flow, TF_FLOW_NONE);
    ck_assert_int_eq(r.extent[0]->value, 8);
    ck_assert_int_eq(r.extent[1]->value, 16);
}
END_TEST

/* ---- meshcoord -----------------------------------------------------------------------------------------------------------*/

static const char *coordinate(const struct tf_mesh *of, int64_t axis, const struct tf_mesh *scope, const char *dtype)
{
    const struct tf_val number = {.kind = TF_VAL_INT, .u.i = axis}, attr = {.kind = TF_VAL_MESH, .u.mesh = of};
    const struct tf_node node = {.kind = TF_NODE_CONST, .val = &number}, *args[] = {&node};
    const struct tf_type *x = type(dtype, "", NULL, "umat");
    struct tf_call call = call_of(&op_meshcoord, &x, &attr);
    call.args = args;
    call.scope = scope;
    return inferred(&call);
}

START_TEST(a_unit_knows_its_coordinate)
{
    const struct tf_mesh *c = mesh("cta=8", "4=r 2=c"), *both = mesh("cta=8 thread=32", "4=r 2=c 32=t");
    ck_assert_str_eq(coordinate(c, 1, c, "i64"), "Tensor[(), \"i64\", \"rmem\"]");
    ck_assert_str_eq(coordinate(c, 0, both, "i64"), "Tensor[(), \"i64\", \"rmem\"]");
    ck_assert_ptr_null(coordinate(c, 0, NULL, "i64"));
    assert_refused("mesh-not-in-force");
    ck_assert_ptr_null(coordinate(both, 0, c, "i64"));
    assert_refused("mesh-not-in-force");
    ck_assert_ptr_null(coordinate(c, 2, c, "i64"));
    assert_refused("axis-range");
    ck_assert_ptr_null(coordinate(c, -1, c, "i64"));
    assert_refused("axis-range");
    ck_assert_ptr_null(coordinate(c, 0, c, "f32"));
    assert_refused("operand-dtype");
}
END_TEST

RUN("placement", open_strides_depend_on_where_the_value_goes, within_a_storage_the_form_is_kept,
    stated_layouts_are_taken_as_they_are, wrong_reshards_are_refused, only_another_storage_moves_bytes,
    local_is_one_units_share, local_is_a_view, a_unit_knows_its_coordinate)

/* SPDX-License-Identifier: MIT
 * What the operators of the shape family make of values, and how placements are evaluated.
 */
#include "eval_bench.h"

#include "type/type.h"

static const struct eval_row rows[] = {
    /* the bits of what is moved stay: signs of zero, NaN, infinities, subnormals */
    {"reshape", {"2,3 f32: 1 -0 nan inf -inf 0x1p-149"}, {LIST(NUMBER(3), NUMBER(-1))},
        .result = "3,2 f32: 1 -0 nan inf -inf 1.40129846e-45", .inexact = 1},
    {"reshape", {"2,3 bool: 1 0 1 1 0 1"}, {LIST(NUMBER(6))}, .result = "6 bool: 1 0 1 1 0 1"},
    {"reshape", {"1 i64: 9223372036854775807"}, {LIST(NUMBER(1), NUMBER(1))}, .result = "1,1 i64: 9223372036854775807"},
    {"reshape", {"() fp8e4m3: 448"}, {LIST(NUMBER(1))}, .result = "1 fp8e4m3: 448"},
    {"reshape", {"0,3 f16:"}, {LIST(NUMBER(3), NUMBER(0))}, .result = "3,0 f16:"},

    {"transpose", {"2,3 f32: 1 2 3 4 5 6"}, {LIST(NUMBER(1), NUMBER(0))}, .result = "3,2 f32: 1 4 2 5 3 6"},
    {"transpose", {"2,2,2 i8: 0 1 2 3 4 5 6 7"}, {LIST(NUMBER(-1), NUMBER(0), NUMBER(1))},
        .result = "2,2,2 i8: 0 2 4 6 1 3 5 7"},
    {"transpose", {"2,1,3 i32: 0 1 2 3 4 5"}, {LIST(NUMBER(1), NUMBER(2), NUMBER(0))},
        .result = "1,3,2 i32: 0 3 1 4 2 5"},
    {"transpose", {"2,2,2,2 u8: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15"},
        {LIST(NUMBER(3), NUMBER(1), NUMBER(2), NUMBER(0))},
        .result = "2,2,2,2 u8: 0 8 2 10 4 12 6 14 1 9 3 11 5 13 7 15"},
    {"transpose", {"2,2,2,2 u8: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15"},
        {LIST(NUMBER(3), NUMBER(2), NUMBER(1), NUMBER(0))},
        .result = "2,2,2,2 u8: 0 8 4 12 2 10 6 14 1 9 5 13 3 11 7 15"},
    {"transpose", {"2,2 f64: 1 -0 nan 3"}, {LIST(NUMBER(0), NUMBER(1))}, .result = "2,2 f64: 1 -0 nan 3"},
    {"transpose", {"2,0 f64:"}, {LIST(NUMBER(1), NUMBER(0))}, .result = "0,2 f64:"},
    {"transpose", {"() f64: 5"}, {{.kind = TF_VAL_TUPLE}}, .result = "() f64: 5"},

    {"concat", {"1,2 f32: 1 2", "2,2 f32: 3 4 5 -0"}, {NUMBER(0)}, .result = "3,2 f32: 1 2 3 4 5 -0"},
    {"concat", {"2,1 bf16: 1 2", "2,2 bf16: 3 4 5 6", "2,0 bf16:"}, {NUMBER(-1)}, .result = "2,3 bf16: 1 3 4 2 5 6"},
    {"concat", {"3 i32: 1 2 3"}, {NUMBER(0)}, .result = "3 i32: 1 2 3"},
    {"concat", {"2,0 f32:", "2,0 f32:"}, {NUMBER(0)}, .result = "4,0 f32:"},

    {"stack", {"2 f32: 1 2", "2 f32: nan 4"}, {NUMBER(0)}, .result = "2,2 f32: 1 2 nan 4"},
    {"stack", {"2 f32: 1 2", "2 f32: 3 4", "2 f32: 5 6"}, {NUMBER(-1)}, .result = "2,3 f32: 1 3 5 2 4 6"},
    {"stack", {"2,2 i8: 1 2 3 4", "2,2 i8: 5 6 7 8"}, {NUMBER(1)}, .result = "2,2,2 i8: 1 2 5 6 3 4 7 8"},
    {"stack", {"() bool: 1", "() bool: 0"}, {NUMBER(0)}, .result = "2 bool: 1 0"},

    {"split", {"2,4 f32: 1 2 3 4 5 6 7 -0"}, {NUMBER(1), NUMBER(2)}, .result = "2,2 f32: 1 2 5 6; 2,2 f32: 3 4 7 -0"},
    {"split", {"4 i32: 1 2 3 4"}, {NUMBER(-1), NUMBER(4)}, .result = "1 i32: 1; 1 i32: 2; 1 i32: 3; 1 i32: 4"},
    {"split", {"2,0 f32:"}, {NUMBER(1), NUMBER(2)}, .result = "2,0 f32:; 2,0 f32:"},

    {"tuple_get_item", {"(2 f32: 1 2;1 i32: 7;() bool: 1)"}, {NUMBER(1)}, .result = "1 i32: 7"},

    {"repeat_interleave", {"2,2 f32: 1 2 nan 4"}, {NUMBER(2), NUMBER(0)}, .result = "4,2 f32: 1 2 1 2 nan 4 nan 4"},
    {"repeat_interleave", {"2,2 f16: 1 2 -0 4"}, {NUMBER(3), NUMBER(-1)},
        .result = "2,6 f16: 1 1 1 2 2 2 -0 -0 -0 4 4 4"},
    {"repeat_interleave", {"3 i64: 1 2 3"}, {NUMBER(0), NUMBER(0)}, .result = "0 i64:"},

    /* windows */
    {"slice", {"3,4 f32: 0 1 2 3 4 5 6 7 8 9 10 11", "(() i64: 1;() i32: 0)"},
        {LIST(NUMBER(2), NUMBER(2)), LIST(NUMBER(1), NUMBER(3))}, .result = "2,2 f32: 4 7 8 11"},
    {"slice", {"6 f32: 0 1 2 3 4 5", "(() i64: 1)"}, {LIST(NUMBER(3)), LIST(NUMBER(2))}, .result = "3 f32: 1 3 5"},
    {"slice", {"6 f32: 0 1 2 3 4 5", "(() i64: 5)"}, {LIST(NUMBER(2)), LIST(NUMBER(1)), LIST(NUMBER(-1))},
        .result = "2 f32: 4 5"},
    {"slice", {"6 f32: 0 1 2 3 4 5", "(() i64: 6)"}, {LIST(NUMBER(0)), LIST(NUMBER(3))}, .result = "0 f32:"},
    {"slice", {"2,6 i32: 0 1 2 3 4 5 6 7 8 9 10 11", "(() i64: 0;() i64: 2)"},
        {LIST(NUMBER(2), NUMBER(4)), LIST(NUMBER(1), NUMBER(1))}, .result = "2,4 i32: 2 3 4 5 8 9 10 11"},
    {"slice", {"() f32: 7", "( )"}, {{.kind = TF_VAL_TUPLE}, {.kind = TF_VAL_TUPLE}}, .result = "() f32: 7"},
    {"slice", {"6 f32: 0", "(() i64: 4)"}, {LIST(NUMBER(3)), LIST(NUMBER(1))},
        .result = "window: slice: axis 0 has extent 6; a window of 3 from 4 with step 1 does not lie in it"},
    {"slice", {"2,6 f32: 0", "(() i64: 0;() i64: 2)"}, {LIST(NUMBER(2), NUMBER(3)), LIST(NUMBER(1), NUMBER(2))},
        .result = "window: slice: axis 1 has extent 6; a window of 3 from 2 with step 2 does not lie in it"},
    {"slice", {"6 f32: 0", "(() i64: -1)"}, {LIST(NUMBER(1)), LIST(NUMBER(1))},
        .result = "window: slice: axis 0 has extent 6; a window of 1 from -1 with step 1 does not lie in it"},
    {"slice", {"6 f32: 0", "(() i64: 7)"}, {LIST(NUMBER(0)), LIST(NUMBER(1))},
        .result = "window: slice: axis 0 has extent 6; a window of 0 from 7 with step 1 does not lie in it"},
    {"slice", {"6 f32: 0", "(() i64: 2)"}, {LIST(NUMBER(1)), LIST(NUMBER(1)), LIST(NUMBER(-3))},
        .result = "window: slice: axis 0 has extent 6; a window of 1 from -1 with step 1 does not lie in it"},
    {"slice", {"6 f32: 0", "(() i64: 9223372036854775807)"}, {LIST(NUMBER(2)), LIST(NUMBER(1))},
        .result = "window: slice: axis 0 has extent 6; a window of 2 from 9223372036854775807 with step 1 does not lie "
                  "in it"},

    {"insert_slice", {"3,3 f32: 0", "2,1 f32: nan -0", "(() i64: 1;() i32: 2)"}, {NONE},
        .result = "3,3 f32: 0 0 0 0 0 nan 0 0 -0"},
    {"insert_slice", {"4 i32: 1 2 3 4", "2 i32: 8 9", "() i64: 1"}, {NONE}, .result = "4 i32: 1 8 9 4"},
    {"insert_slice", {"4 i32: 1 2 3 4", "0 i32:", "() i64: 4"}, {NONE}, .result = "4 i32: 1 2 3 4"},
    {"insert_slice", {"2,2 bool: 1 0 1 0", "2,2 bool: 0 1 0 1", "(() i64: 0;() i64: 0)"}, {NONE},
        .result = "2,2 bool: 0 1 0 1"},
    {"insert_slice", {"4 i32: 1", "2 i32: 8 9", "() i64: 3"}, {NONE},
        .result = "window: insert_slice: axis 0 of dst has extent 4; 2 from 3 on do not lie in it"},
    {"insert_slice", {"2,4 i32: 1", "2,2 i32: 8 9", "(() i64: 0;() i64: -1)"}, {NONE},
        .result = "window: insert_slice: axis 1 of dst has extent 4; 2 from -1 on do not lie in it"},

    {"cache_update", {"2,3,1,2 bf16: 0", "() i32: 1", "1 i32: 1", "2,2,1,2 bf16: 1 2 3 4 5 6 7 8"}, {NONE},
        .result = "2,3,1,2 bf16: 0 0 1 2 0 0 0 0 5 6 0 0"},
    {"cache_update", {"1,3,2,1 f32: 9", "() i32: 1", "() i32: 2", "1,2,2,1 f32: -0 nan 3 4"}, {NONE},
        .result = "1,3,2,1 f32: 9 9 -0 nan 3 4"},
    {"cache_update", {"1,3,1,1 f32: 9", "() i32: 0", "() i32: 0", "1,2,1,1 f32: 1 2"}, {NONE},
        .result = "window: cache_update: s is 0; new has 2 rows, and from 1 to 2 can be written"},
    {"cache_update", {"1,3,1,1 f32: 9", "() i32: 0", "() i32: 3", "1,2,1,1 f32: 1 2"}, {NONE},
        .result = "window: cache_update: s is 3; new has 2 rows, and from 1 to 2 can be written"},
    {"cache_update", {"1,3,1,1 f32: 9", "() i32: 2", "() i32: 2", "1,2,1,1 f32: 1 2"}, {NONE},
        .result = "window: cache_update: 2 rows from cur_pos 2 on do not lie in a cache of 3 rows"},
    {"cache_update", {"1,3,1,1 f32: 9", "() i32: -1", "() i32: 1", "1,2,1,1 f32: 1 2"}, {NONE},
        .result = "window: cache_update: 1 rows from cur_pos -1 on do not lie in a cache of 3 rows"},

    /* values made */
    {"zeros", {NULL}, {TYPE("2,2 f16")}, .result = "2,2 f16: 0 0 0 0"},
    {"zeros", {NULL}, {TYPE("3 bool")}, .result = "3 bool: 0 0 0"},
    {"zeros", {NULL}, {TYPE("0,2 f32")}, .result = "0,2 f32:"},
    {"zeros", {NULL}, {TYPE("1 f8e8m0")}, .result = "1 f8e8m0: 5.87747175e-39", .inexact = 1},
    {"arange", {NULL}, {TYPE("4 i32"), NUMBER(-3), NUMBER(2)}, .result = "4 i32: -3 -1 1 3"},
    {"arange", {NULL}, {TYPE("1 i64"), NUMBER(INT64_MAX), NUMBER(1)}, .result = "1 i64: 9223372036854775807"},
    {"arange", {NULL}, {TYPE("0 i32"), NUMBER(INT64_MAX), NUMBER(1)}, .result = "0 i32:"},
    {"arange", {NULL}, {TYPE("3 i32"), NUMBER(2147483646), NUMBER(1)},
        .result = "value-range: arange: 3 numbers from 2147483646 with step 1 do not all fit i32"},
    {"arange", {NULL}, {TYPE("2 i64"), NUMBER(INT64_MAX), NUMBER(1)},
        .result = "value-range: arange: 2 numbers from 9223372036854775807 with step 1 do not all fit i64"},
    {"full_like", {"2,2 f32: 9"}, {REAL(-0.0)}, .result = "2,2 f32: -0 -0 -0 -0"},
    {"full_like", {"3 bf16: 9"}, {REAL(0.1)}, .result = "3 bf16: 0.100097656 0.100097656 0.100097656", .inexact = 1},
    {"full_like", {"1 f32: 9"}, {REAL(1e40)}, .result = "1 f32: inf", .inexact = 1},
    {"full_like", {"1 f32: 9"}, {NUMBER(16777217)}, .result = "1 f32: 16777216", .inexact = 1},
    {"full_like", {"2 fp8e4m3: 9"}, {REAL(1e6)}, .result = "2 fp8e4m3: 448 448", .inexact = 1},
    {"full_like", {"2 fp8e4m3: 9"}, {REAL(1e6)}, .result = "2 fp8e4m3: nan nan", .fp8_overflow = 1, .inexact = 1},
    {"full_like", {"2 i32: 9"}, {REAL(-1.7)}, .result = "2 i32: -1 -1"},
    {"full_like", {"2 u8: 9"}, {NUMBER(255)}, .result = "2 u8: 255 255"},
    {"full_like", {"1 i64: 9"}, {REAL(-0x1p63)}, .result = "1 i64: -9223372036854775808"},
    {"full_like", {"2 bool: 0"}, {REAL(NAN)}, .result = "2 bool: 1 1"},
    {"full_like", {"2 bool: 1"}, {TRUTH(0)}, .result = "2 bool: 0 0"},
    {"full_like", {"() i32: 9"}, {TRUTH(1)}, .result = "() i32: 1"},
    {"full_like", {"0 i8: 9"}, {NUMBER(300)}, .result = "0 i8:"},
    {"full_like", {"1 i8: 9"}, {NUMBER(-129)}, .result = "value-range: full_like: -129 does not fit i8"},
    {"full_like", {"1 u8: 9"}, {REAL(256.5)}, .result = "value-range: full_like: 256.5 does not fit u8"},
    {"full_like", {"1 i32: 9"}, {REAL(NAN)}, .result = "value-range: full_like: nan does not fit i32"},
    {"full_like", {"1 i64: 9"}, {REAL(0x1p63)}, .result = "value-range: full_like: 9.22337e+18 does not fit i64"},
    {"shape_of", {"2,0,5 f32:"}, {NONE}, .result = "3 i64: 2 0 5"},
    {"shape_of", {"() f32: 1"}, {NONE}, .result = "0 i64:"},
    {"rank", {"2,0,5 f32:"}, {NONE}, .result = "() i64: 3"},

    {"reshard", {"2,2 f32: 1 -0 nan 4"}, {NONE, NONE}, .result = "2,2 f32: 1 -0 nan 4"},
};

START_TEST(declared)
{
    check_row(&rows[_i], TF_EVAL_DECLARED, rows[_i].result);
}
END_TEST

START_TEST(exact)
{
    if (!rows[_i].inexact)
        check_row(&rows[_i], TF_EVAL_EXACT, rows[_i].result);
}
END_TEST

static const struct eval_row turn = {"transpose", {"2,2 f32: 1 2 3 4"}, {LIST(NUMBER(1), NUMBER(0))}, .result = NULL};

/* Longer than the tiles that a plane is turned in, at every width of an element. */
START_TEST(large_transposes)
{
    static const char *const dtypes[] = {"u8", "f16", "i32", "i64"};
    enum { ROWS = 67, COLUMNS = 45 };
    struct eval_bench bench;
    struct buf spec = {0}, out = {0}, expected = {0};
    buf_printf(&spec, "%d,%d %s:", ROWS, COLUMNS, dtypes[_i]);
    buf_printf(&expected, "%d,%d %s:", COLUMNS, ROWS, dtypes[_i]);
    for (int i = 0; i < ROWS * COLUMNS; i++)
        buf_printf(&spec, " %d", i % 251);
    for (int column = 0; column < COLUMNS; column++)
        for (int row = 0; row < ROWS; row++)
            buf_printf(&expected, " %d", (row * COLUMNS + column) % 251);
    const struct eval_row row = {"transpose", {buf_text(&spec)}, {LIST(NUMBER(1), NUMBER(0))}, .result = NULL};
    bench_open(&bench, TF_EVAL_DECLARED);
    evaluate(&bench, &row, &out);
    ck_assert_str_eq(buf_text(&out), buf_text(&expected));
    bench_close(&bench);
    buf_free(&spec);
    buf_free(&out);
    buf_free(&expected);
}
END_TEST

/* Low words of an exact value go where its elements go; an operator that makes none leaves zeros. */
START_TEST(low_words)
{
    static const double given[] = {0.5, 0.25, 0.125, 0.0625}, turned[] = {0.5, 0.125, 0.25, 0.0625};
    double low[4], result[4] = {9, 9, 9, 9};
    const struct tf_type *types[1];
    struct eval_bench bench;
    bench_open(&bench, TF_EVAL_EXACT);
    const struct tf_node *node = make_call(&bench, &turn);
    make_results(&bench, node->type);
    types[0] = node->in[0]->type;
    struct tf_tensor x = *bench.args[0], *const results[] = {bench.results[0]};
    const struct tf_tensor *const args[] = {&x};
    struct tf_call call = {.struct_size = sizeof(call),
        .node = node,
        .op = node->op,
        .n_args = 1,
        .n_attrs = node->n_attrs,
        .args = node->in,
        .arg_types = types,
        .attrs = node->attrs,
        .type = node->type};
    struct tf_eval eval = {.struct_size = sizeof(eval),
        .call = &call,
        .args = args,
        .n_args = 1,
        .results = results,
        .n_results = 1,
        .mode = TF_EVAL_EXACT};
    memcpy(low, given, sizeof(low));
    bench.results[0]->low = result;
    x.low = low;
    ck_assert_int_eq(node->op->eval(bench.ctx, &eval), TF_OK);
    ck_assert_mem_eq(result, turned, sizeof(turned));
    x.low = NULL;
    ck_assert_int_eq(node->op->eval(bench.ctx, &eval), TF_OK);
    for (int i = 0; i < 4; i++)
        ck_assert_double_eq(result[i], 0);
    bench_close(&bench);
}
END_TEST

/* ---- placed values -------------------------------------------------------------------------------------------------*/

struct placed_row {
    const char *op;
    uint32_t attr; /* what the mesh's axis does with axis 0 of x */
    const char *result;
};

static const struct placed_row placed_rows[] = {
    {"local", TF_ATTR_BROADCAST, "4 f32: 1 -0 nan 4"},
    {"local", TF_ATTR_SPLIT,
        "needs-units: local: x is split over the mesh, and a program is evaluated as one, not as "
        "its units"},
    {"reshard", TF_ATTR_SPLIT, "4 f32: 1 -0 nan 4"},
    {"meshcoord", TF_ATTR_SPLIT,
        "needs-units: meshcoord: a program is evaluated as one, not as its units, so there is "
        "no coordinate"},
};

/* Four elements, placed over two units. */
static const struct tf_type *placed_type(tf_ctx *ctx, uint32_t attr)
{
    const struct tf_dim *two = dim_const(ctx, 2), *one = dim_const(ctx, 1), *four = dim_const(ctx, 4);
    const struct tf_topology level = {.name = ctx_intern(ctx, "cta"), .extent = two};
    const char *name = NULL;
    struct tf_mesh fields = {
        .n_levels = 1, .rank = 1, .levels = &level, .shape = &two, .strides = &one, .names = &name};
    struct tf_shard_attr split = {.kind = attr, .axis = 0};
    struct tf_loc loc = {0};
    const struct tf_mesh *mesh = mesh_make(ctx, &fields);
    const struct tf_layout *layout = layout_canonical(ctx, &loc, 1, &four, mesh, &split);
    return type_tensor(ctx, TF_DTYPE_F32, 1, &four, layout, TF_STORAGE_GMEM);
}

START_TEST(placed)
{
    const struct placed_row *row = &placed_rows[_i];
    struct eval_bench bench;
    struct buf out = {0};
    const char *numbers = ": 1 -0 nan 4";
    bench_open(&bench, TF_EVAL_DECLARED);
    const struct tf_type *type = placed_type(bench.ctx, row->attr);
    struct tf_tensor *x = tensor_make(&bench, type);
    read_numbers(&bench, &numbers, x);
    bench.args[bench.n_args++] = x;
    make_results(&bench, type);
    struct tf_call call = {.struct_size = sizeof(call),
        .op = registry_op(bench.ctx, row->op, NULL),
        .n_args = 1,
        .arg_types = &type,
        .type = type};
    run_call(&bench, &call, 0, &out);
    ck_assert_str_eq(buf_text(&out), row->result);
    buf_free(&out);
    bench_close(&bench);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("operators");
    tcase_add_loop_test(tcase, declared, 0, (int)(sizeof(rows) / sizeof(*rows)));
    tcase_add_loop_test(tcase, exact, 0, (int)(sizeof(rows) / sizeof(*rows)));
    tcase_add_loop_test(tcase, large_transposes, 0, 4);
    tcase_add_test(tcase, low_words);
    tcase_add_loop_test(tcase, placed, 0, (int)(sizeof(placed_rows) / sizeof(*placed_rows)));
    return run_suite("evaluation of shapes", tcase);
}

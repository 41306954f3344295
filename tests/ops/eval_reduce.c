/* SPDX-License-Identifier: MIT
 * What the operators of the reduce family make of values: order and rounding of sums, NaN, ties, empty axes, ranges.
 */
#include "eval_bench.h"

#define OVER(...) LIST(__VA_ARGS__), TRUTH(0)
#define KEEP(...) LIST(__VA_ARGS__), TRUTH(1)
#define QUANT(group) TEXT("per_token_group"), NUMBER(group), DTYPE(FP8E4M3)

static const struct eval_row rows[] = {
    /* sums: groups of eight in f32, groups in f64, one rounding */
    {"reduce", {"2,3 f32: 1 2 3 4 5 6"}, {OVER(NUMBER(1)), TEXT("sum")}, .result = "2 f32: 6 15"},
    {"reduce", {"2,3 f32: 1 2 3 4 5 6"}, {KEEP(NUMBER(-2)), TEXT("sum")}, .result = "1,3 f32: 5 7 9"},
    {"reduce", {"2,3 f32: 1 2 3 4 5 6"}, {OVER(NUMBER(0), NUMBER(1)), TEXT("sum")}, .result = "() f32: 21"},
    {"reduce", {"2,2,3 f64: 1 2 3 4 5 6 7 8 9 10 11 12"}, {OVER(NUMBER(2), NUMBER(0)), TEXT("sum")},
        .result = "2 f64: 30 48"},
    {"reduce", {"2,1,2 f32: 1 2 3 4"}, {KEEP(NUMBER(1)), TEXT("mean")}, .result = "2,1,2 f32: 1 2 3 4"},
    /* within a group f32 loses what is small; between groups nothing is lost; each sum starts anew */
    {"reduce", {"8 f32: 16777216 1 1 1 1 1 1 1"}, {OVER(NUMBER(0)), TEXT("sum")}, .result = "() f32: 16777216",
        .inexact = 1},
    {"reduce", {"16 f32: 16777216 0 0 0 0 0 0 0 1 1 0 0 0 0 0 0"}, {OVER(NUMBER(0)), TEXT("sum")},
        .result = "() f32: 16777218"},
    {"reduce", {"9 f32: 1 0 0 0 0 0 0 0 16777216"}, {OVER(NUMBER(0)), TEXT("sum")}, .result = "() f32: 16777216",
        .inexact = 1},
    {"reduce", {"10 f32: 16777216 1 0 0 0 0 0 0 -16777216 1"}, {OVER(NUMBER(0)), TEXT("sum")}, .result = "() f32: 1",
        .inexact = 1},
    /* the same along an axis that does not lie in a row, and over several: groups follow the row-major order */
    {"reduce", {"9,2 f32: 16777216 1 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 16777216"}, {OVER(NUMBER(0)), TEXT("sum")},
        .result = "2 f32: 16777216 16777216", .inexact = 1},
    {"reduce", {"3,1,3 f32: 16777216 0 0 0 0 0 0 0 3"}, {OVER(NUMBER(0), NUMBER(2)), TEXT("sum")},
        .result = "1 f32: 16777220", .inexact = 1},
    {"reduce", {"2,2,4 f32: 16777216 0 0 0 5 5 5 5 1 1 1 1 7 7 7 7"}, {OVER(NUMBER(0), NUMBER(2)), TEXT("sum")},
        .result = "2 f32: 16777216 48", .inexact = 1},
    {"reduce", {"2,2,12 f64: 1"}, {OVER(NUMBER(0), NUMBER(2)), TEXT("sum")}, .result = "2 f64: 24 24"},
    {"reduce", {"3 bf16: 256 1 1"}, {OVER(NUMBER(0)), TEXT("sum")}, .result = "() bf16: 258"},
    {"reduce", {"2 bf16: 256 1"}, {OVER(NUMBER(0)), TEXT("sum")}, .result = "() bf16: 256", .inexact = 1},
    {"reduce", {"3 f16: 65504 65504 -65504"}, {OVER(NUMBER(0)), TEXT("sum")}, .result = "() f16: 65504"},
    {"reduce", {"2 f16: 65504 65504"}, {OVER(NUMBER(0)), TEXT("sum")}, .result = "() f16: inf", .inexact = 1},
    {"reduce", {"2 fp8e4m3: 448 448"}, {OVER(NUMBER(0)), TEXT("sum")}, .result = "() fp8e4m3: 448", .inexact = 1},
    {"reduce", {"2 fp8e4m3: 448 448"}, {OVER(NUMBER(0)), TEXT("sum")}, .result = "() fp8e4m3: nan", .fp8_overflow = 1,
        .inexact = 1},
    {"reduce", {"2 f64: 9007199254740992 1"}, {OVER(NUMBER(0)), TEXT("sum")}, .result = "() f64: 9007199254740992"},
    {"reduce", {"3 f64: 9007199254740992 1 1"}, {OVER(NUMBER(0)), TEXT("sum")}, .result = "() f64: 9007199254740992",
        .inexact = 1},
    {"reduce", {"3 f32: inf -inf 1"}, {OVER(NUMBER(0)), TEXT("sum")}, .result = "() f32: nan"},
    {"reduce", {"3,2 f32: 1 nan 2 2 3 3"}, {OVER(NUMBER(0)), TEXT("sum")}, .result = "2 f32: 6 nan"},
    {"reduce", {"2 f32: -0 -0"}, {OVER(NUMBER(0)), TEXT("sum")}, .result = "() f32: 0"},
    {"reduce", {"2,0 f32:"}, {OVER(NUMBER(1)), TEXT("sum")}, .result = "2 f32: 0 0"},
    {"reduce", {"0,2 f32:"}, {OVER(NUMBER(1)), TEXT("sum")}, .result = "0 f32:"},

    /* means: the division in f64 */
    {"reduce", {"3 f32: 1 2 4"}, {OVER(NUMBER(0)), TEXT("mean")}, .result = "() f32: 2.33333325", .inexact = 1},
    {"reduce", {"3 bf16: 1 2 4"}, {OVER(NUMBER(0)), TEXT("mean")}, .result = "() bf16: 2.328125", .inexact = 1},
    {"reduce", {"1,0 f16:"}, {KEEP(NUMBER(1)), TEXT("mean")}, .result = "1,1 f16: nan"},
    {"reduce", {"4 f16: 65504"}, {OVER(NUMBER(0)), TEXT("mean")}, .result = "() f16: 65504"},

    /* largest, and largest magnitude */
    {"reduce", {"2,3 f32: 1 -3 2 -4 -5 -6"}, {OVER(NUMBER(1)), TEXT("max")}, .result = "2 f32: 2 -4"},
    {"reduce", {"2,3 f32: 1 -3 2 -4 -5 -6"}, {OVER(NUMBER(1)), TEXT("abs_max")}, .result = "2 f32: 3 6"},
    {"reduce", {"11,1 bf16: 1 2 3 4 5 6 7 8 9 nan 11"}, {OVER(NUMBER(0)), TEXT("max")}, .result = "1 bf16: nan"},
    {"reduce", {"11 bf16: nan 2 3 4 5 6 7 8 9 10 11"}, {OVER(NUMBER(0)), TEXT("abs_max")}, .result = "() bf16: nan"},
    {"reduce", {"2 f32: -inf -0"}, {OVER(NUMBER(0)), TEXT("abs_max")}, .result = "() f32: inf"},
    {"reduce", {"1 f32: -0"}, {OVER(NUMBER(0)), TEXT("abs_max")}, .result = "() f32: 0"},
    {"reduce", {"3 f64: -1 -0x1p-1074 -2"}, {OVER(NUMBER(0)), TEXT("max")},
        .result = "() f64: -4.9406564584124654e-324"},
    {"reduce", {"2,0 f32:"}, {OVER(NUMBER(1)), TEXT("max")}, .result = "2 f32: -inf -inf"},
    {"reduce", {"1,0 fp8e4m3:"}, {OVER(NUMBER(1)), TEXT("max")}, .result = "1 fp8e4m3: -448"},
    {"reduce", {"1,0 f8e8m0:"}, {OVER(NUMBER(1)), TEXT("max")}, .result = "1 f8e8m0: 5.87747175e-39", .inexact = 1},
    {"reduce", {"1,0 fp8e5m2:"}, {OVER(NUMBER(1)), TEXT("max")}, .result = "1 fp8e5m2: -inf"},
    {"reduce", {"2 fp8e5m2: 1 -inf"}, {OVER(NUMBER(0)), TEXT("abs_max")}, .result = "() fp8e5m2: inf"},
    {"reduce", {"1,0 bf16:"}, {OVER(NUMBER(1)), TEXT("abs_max")}, .result = "1 bf16: 0"},
    {"reduce", {"2 f8e8m0: 0x1p-127 0x1p100"}, {OVER(NUMBER(0)), TEXT("max")}, .result = "() f8e8m0: 1.2676506e+30",
        .inexact = 1},

    /* integers keep their dtype; what does not fit is told by its place */
    {"reduce", {"2,2 i32: 2147483647 -1 1 2"}, {OVER(NUMBER(1)), TEXT("sum")}, .result = "2 i32: 2147483646 3"},
    {"reduce", {"3 i64: 9223372036854775807 1 -2"}, {OVER(NUMBER(0)), TEXT("sum")},
        .result = "() i64: 9223372036854775806"},
    {"reduce", {"2,2,2 i32: 1 2 3 4 5 6 2147483647 1"}, {KEEP(NUMBER(2)), TEXT("sum")},
        .result = "value-range: reduce: the sum for element [1, 1, 0] of the result does not fit i32; cast to a wider "
                  "dtype first"},
    {"reduce", {"2,2,2 i32: 1 2 3 4 2147483647 6 7 8"}, {OVER(NUMBER(2)), TEXT("sum")},
        .result = "value-range: reduce: the sum for element [1, 0] of the result does not fit i32; cast to a wider "
                  "dtype first"},
    {"reduce", {"2 u8: 200 56"}, {OVER(NUMBER(0)), TEXT("sum")},
        .result =
            "value-range: reduce: the sum for element [] of the result does not fit u8; cast to a wider dtype first"},
    {"reduce", {"2 i64: -9223372036854775808 -1"}, {KEEP(NUMBER(0)), TEXT("sum")},
        .result =
            "value-range: reduce: the sum for element [0] of the result does not fit i64; cast to a wider dtype first"},
    {"reduce", {"0,2 i32:"}, {OVER(NUMBER(0)), TEXT("sum")}, .result = "2 i32: 0 0"},
    {"reduce", {"2,2 i32: -5 -7 3 -9"}, {OVER(NUMBER(0)), TEXT("max")}, .result = "2 i32: 3 -7"},
    {"reduce", {"2,2 i8: -5 -7 3 -128"}, {OVER(NUMBER(1)), TEXT("abs_max")},
        .result = "value-range: reduce: the abs_max for element [1] of the result does not fit i8; cast to a wider "
                  "dtype first"},
    {"reduce", {"2,2 i64: -5 -7 3 -9223372036854775807"}, {OVER(NUMBER(1)), TEXT("abs_max")},
        .result = "2 i64: 7 9223372036854775807"},
    {"reduce", {"0,1 i8:"}, {OVER(NUMBER(0)), TEXT("max")}, .result = "1 i8: -128"},
    {"reduce", {"0,1 u8:"}, {OVER(NUMBER(0)), TEXT("max")}, .result = "1 u8: 0"},
    {"reduce", {"0,1 i8:"}, {OVER(NUMBER(0)), TEXT("abs_max")}, .result = "1 i8: 0"},
    {"reduce", {"2,2 bool: 0 1 0 0"}, {OVER(NUMBER(1)), TEXT("max")}, .result = "2 bool: 1 0"},
    {"reduce", {"0,1 bool:"}, {OVER(NUMBER(0)), TEXT("max")}, .result = "1 bool: 0"},

    /* argmax: the first of equal ones; NaN wins; -0 is no less than 0 */
    {"argmax", {"2,3 f32: 1 3 3 -0 0 -1"}, {NUMBER(-1)}, .result = "2 i64: 1 0"},
    {"argmax", {"3,2 f32: 1 nan 5 nan 5 inf"}, {NUMBER(0)}, .result = "2 i64: 1 0"},
    {"argmax", {"3 f32: -inf -inf -inf"}, {NUMBER(0)}, .result = "() i64: 0"},
    {"argmax", {"3 i64: -9223372036854775808 9223372036854775806 9223372036854775807"}, {NUMBER(0)},
        .result = "() i64: 2"},
    {"argmax", {"4 bool: 0 1 0 1"}, {NUMBER(0)}, .result = "() i64: 1"},
    {"argmax", {"3 fp8e4m3: -1 -2 -0.5"}, {NUMBER(0)}, .result = "() i64: 2"},
    {"argmax", {"0,3 f32:"}, {NUMBER(1)}, .result = "0 i64:"},
    {"argmax", {"0,0 f32:"}, {NUMBER(1)}, .result = "0 i64:"},
    {"argmax", {"3,0 f32:"}, {NUMBER(1)},
        .result = "empty-axis: argmax: axis 1 of x has no elements, so none is the largest"},

    /* topk: NaN counts as largest, equal ones in the order of their indices, bits as they are */
    {"topk", {"5 f32: 1 3 2 3 -1"}, {NUMBER(3), NUMBER(0), TRUTH(1), TRUTH(1)}, .result = "3 f32: 3 3 2; 3 i64: 1 3 2"},
    {"topk", {"5 f32: 1 3 2 3 -1"}, {NUMBER(3), NUMBER(0), TRUTH(0), TRUTH(1)},
        .result = "3 f32: -1 1 2; 3 i64: 4 0 2"},
    {"topk", {"5 f32: 1 nan inf nan -inf"}, {NUMBER(5), NUMBER(0), TRUTH(1), TRUTH(1)},
        .result = "5 f32: nan nan inf 1 -inf; 5 i64: 1 3 2 0 4"},
    {"topk", {"5 f32: 1 nan inf nan -inf"}, {NUMBER(5), NUMBER(0), TRUTH(0), TRUTH(1)},
        .result = "5 f32: -inf 1 inf nan nan; 5 i64: 4 0 2 1 3"},
    {"topk", {"4 f16: -0 0 -0 0"}, {NUMBER(4), NUMBER(-1), TRUTH(1), TRUTH(1)},
        .result = "4 f16: -0 0 -0 0; 4 i64: 0 1 2 3"},
    {"topk", {"3,2 bf16: 1 6 5 2 3 4"}, {NUMBER(2), NUMBER(0), TRUTH(1), TRUTH(0)},
        .result = "2,2 bf16: 5 6 3 4; 2,2 i64: 1 0 2 2"},
    {"topk", {"2,3,2 i32: 1 2 3 4 5 6 12 11 10 9 8 7"}, {NUMBER(2), NUMBER(1), TRUTH(1), TRUTH(1)},
        .result = "2,2,2 i32: 5 6 3 4 12 11 10 9; 2,2,2 i64: 2 2 1 1 0 0 1 1"},
    {"topk", {"2 i64: -9223372036854775808 9223372036854775807"}, {NUMBER(1), NUMBER(0), TRUTH(0), TRUTH(1)},
        .result = "1 i64: -9223372036854775808; 1 i64: 0"},
    {"topk", {"2,2 f32: 1 2 3 4"}, {NUMBER(0), NUMBER(1), TRUTH(1), TRUTH(1)}, .result = "2,0 f32:; 2,0 i64:"},
    {"topk", {"0,2 f32:"}, {NUMBER(1), NUMBER(1), TRUTH(1), TRUTH(1)}, .result = "0,1 f32:; 0,1 i64:"},

    /* rows by number */
    {"index_select", {"3,2 f32: 1 2 nan -0 5 6", "4 i64: 1 0 1 2"}, {NUMBER(0)},
        .result = "4,2 f32: nan -0 1 2 nan -0 5 6"},
    {"index_select", {"2,3 i8: 1 2 3 4 5 6", "2 i32: 2 0"}, {NUMBER(-1)}, .result = "2,2 i8: 3 1 6 4"},
    {"index_select", {"2,2,2 f16: 1 2 3 4 5 6 7 8", "1 i32: 1"}, {NUMBER(1)}, .result = "2,1,2 f16: 3 4 7 8"},
    {"index_select", {"3,2 f32: 1", "0 i64:"}, {NUMBER(0)}, .result = "0,2 f32:"},
    {"index_select", {"3,2 f32: 1", "2 i64: 0 3"}, {NUMBER(0)},
        .result = "index-range: index_select: index[1] is 3; the axis has 3 rows"},
    {"index_select", {"3,2 f32: 1", "2 i32: -1 0"}, {NUMBER(0)},
        .result = "index-range: index_select: index[0] is -1; the axis has 3 rows"},
    {"index_select", {"0 f32:", "1 i32: 0"}, {NUMBER(0)},
        .result = "index-range: index_select: index[0] is 0; the axis has 0 rows"},

    {"index_add", {"2,2 f32: 1 2 3 4", "3 i64: 1 0 1", "3,2 f32: 10 20 30 40 50 nan"}, {NUMBER(0)},
        .result = "2,2 f32: 31 42 63 nan"},
    /* each time rounded, in the order of the index */
    {"index_add", {"2 bf16: 256 0", "3 i64: 0 0 1", "3 bf16: 1 1 2"}, {NUMBER(0)}, .result = "2 bf16: 256 2",
        .inexact = 1},
    {"index_add", {"1 f32: 0", "3 i32: 0 0 0", "3 f32: 16777216 1 -16777216"}, {NUMBER(0)}, .result = "1 f32: 0",
        .inexact = 1},
    {"index_add", {"2,2 f16: 1 2 3 4", "2 i32: 1 1", "2,2 f16: 10 20 30 40"}, {NUMBER(1)},
        .result = "2,2 f16: 1 32 3 74"},
    {"index_add", {"1 fp8e4m3: 448", "1 i32: 0", "1 fp8e4m3: 448"}, {NUMBER(0)}, .result = "1 fp8e4m3: 448",
        .inexact = 1},
    {"index_add", {"1 fp8e4m3: 448", "1 i32: 0", "1 fp8e4m3: 448"}, {NUMBER(0)}, .result = "1 fp8e4m3: nan",
        .fp8_overflow = 1, .inexact = 1},
    {"index_add", {"2 i32: 2147483647 5", "2 i32: 0 1", "2 i32: 1 -6"}, {NUMBER(0)}, .result = "2 i32: -2147483648 -1"},
    {"index_add", {"2 bool: 1 0", "3 i32: 0 1 1", "3 bool: 1 0 1"}, {NUMBER(0)}, .result = "2 bool: 1 1"},
    {"index_add", {"2 f32: -0 1", "0 i64:", "0 f32:"}, {NUMBER(0)}, .result = "2 f32: -0 1"},
    {"index_add", {"2 f32: 1", "1 i64: 2", "1 f32: 1"}, {NUMBER(0)},
        .result = "index-range: index_add: index[0] is 2; the axis has 2 rows"},

    {"index_copy", {"3,2 f32: 1 2 3 4 5 6", "2 i64: 2 0", "2,2 f32: -0 nan 9 8"}, {NUMBER(0)},
        .result = "3,2 f32: 9 8 3 4 -0 nan"},
    {"index_copy", {"2,3 i32: 1 2 3 4 5 6", "1 i64: 1", "2,1 i32: 8 9"}, {NUMBER(1)}, .result = "2,3 i32: 1 8 3 4 9 6"},
    {"index_copy", {"2 f32: 1 2", "2 i64: 0 0", "2 f32: 7 8"}, {NUMBER(0)}, .result = "2 f32: 8 2"},
    {"index_copy", {"2 f32: 1", "1 i64: -1", "1 f32: 1"}, {NUMBER(0)},
        .result = "index-range: index_copy: index[0] is -1; the axis has 2 rows"},

    /* quant: absmax / 448, a division each; groups that would have no scale have 1; NaN and infinities as they come */
    {"quant", {"1,4 bf16: 1 0 0 0"}, {QUANT(2)}, .result = "1,4 fp8e4m3: 448 0 0 0; 1,2 f32: 0.00223214296 1",
        .inexact = 1},
    {"quant", {"4 f32: 448 -448 200 1"}, {QUANT(4)}, .result = "4 fp8e4m3: 448 -448 192 1; 1 f32: 1", .inexact = 1},
    {"quant", {"2 f32: 0 -0"}, {QUANT(2)}, .result = "2 fp8e4m3: 0 -0; 1 f32: 1"},
    {"quant", {"2 f32: 0x1p-149 0"}, {QUANT(2)}, .result = "2 fp8e4m3: 0 0; 1 f32: 1", .inexact = 1},
    {"quant", {"2 f32: 0x1p-140 -0x1p-141"}, {QUANT(2)}, .result = "2 fp8e4m3: 448 -256; 1 f32: 1.40129846e-45",
        .inexact = 1},
    {"quant", {"3 f32: 1 nan 2"}, {QUANT(3)}, .result = "3 fp8e4m3: nan nan nan; 1 f32: nan"},
    {"quant", {"3 f32: 1 -inf 2"}, {QUANT(3)}, .result = "3 fp8e4m3: 0 nan 0; 1 f32: inf"},
    /* a division and no product with the reciprocal: one code apart here */
    {"quant", {"2 f32: 4.594118595123291 0.019868535920977592"}, {QUANT(2)},
        .result = "2 fp8e4m3: 448 1.875; 1 f32: 0.0102547286", .inexact = 1},
    {"quant", {"2,2 f32: 2 1 4 1"}, {QUANT(1)},
        .result = "2,2 fp8e4m3: 448 448 448 448; 2,2 f32: "
                  "0.00446428591 0.00223214296 0.00892857183 0.00223214296",
        .inexact = 1},
    {"quant", {"0,4 f16:"}, {QUANT(2)}, .result = "0,4 fp8e4m3:; 0,2 f32:"},
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

/* ---- rounded nowhere -----------------------------------------------------------------------------------------------*/

static const struct eval_row truths[] = {
    {"reduce", {"8 f32: 16777216 1 1 1 1 1 1 1"}, {OVER(NUMBER(0)), TEXT("sum")}, .result = "() f32: 16777223"},
    {"reduce", {"3 bf16: 1 2 4"}, {OVER(NUMBER(0)), TEXT("mean")}, .result = "() bf16: 2.3333333333333335"},
    {"reduce", {"2,2 f32: 1 0x1p100 3 -0x1p100"}, {OVER(NUMBER(1), NUMBER(0)), TEXT("sum")}, .result = "() f32: 4"},
    {"reduce", {"4 f32: 1 0x1p100 3 -0x1p100"}, {OVER(NUMBER(0)), TEXT("mean")}, .result = "() f32: 1"},
    {"reduce", {"3 f64: 1e308 1e308 1"}, {OVER(NUMBER(0)), TEXT("sum")}, .result = "() f64: inf"},
    {"reduce", {"2 fp8e4m3: 448 448"}, {OVER(NUMBER(0)), TEXT("sum")}, .result = "() fp8e4m3: 896"},
    {"index_add", {"2 bf16: 256 0", "3 i64: 0 0 1", "3 bf16: 1 1 2"}, {NUMBER(0)}, .result = "2 bf16: 258 2"},
    {"quant", {"4 f32: 448 -448 201 1"}, {QUANT(4)}, .result = "4 fp8e4m3: 448 -448 201 1; 1 f32: 1"},
    {"full_like", {"1 bf16: 9"}, {REAL(0.1)}, .result = "1 bf16: 0.10000000000000001"},
};

START_TEST(truth)
{
    check_row(&truths[_i], TF_EVAL_EXACT, truths[_i].result);
}
END_TEST

/* ---- longer than what is handed over at once -----------------------------------------------------------------------*/

/* Element i of the flat source. */
static int element(int i)
{
    return i * 7919 % 4099 - 2000;
}

static void write_source(struct buf *spec, const char *shape, int n)
{
    buf_printf(spec, "%s f64:", shape);
    for (int i = 0; i < n; i++)
        buf_printf(spec, " %d", element(i));
}

START_TEST(long_runs)
{
    enum { ROWS = 137, COLUMNS = 700 };
    struct eval_bench bench;
    struct buf spec = {0}, out = {0}, expected = {0};
    int over_rows = _i & 1, largest = _i & 2, results = over_rows ? COLUMNS : ROWS;
    write_source(&spec, "137,700", ROWS * COLUMNS);
    buf_printf(&expected, "%d f64:", results);
    for (int i = 0; i < results; i++) {
        int sum = 0, most = -10000;
        for (int k = 0; k < (over_rows ? ROWS : COLUMNS); k++) {
            int value = over_rows ? element(k * COLUMNS + i) : element(i * COLUMNS + k);
            sum += value;
            most = value > most ? value : most;
        }
        buf_printf(&expected, " %d", largest ? most : sum);
    }
    const struct eval_row row = {
        "reduce", {buf_text(&spec)}, {OVER(NUMBER(!over_rows)), TEXT(largest ? "max" : "sum")}, .result = NULL};
    bench_open(&bench, TF_EVAL_DECLARED);
    evaluate(&bench, &row, &out);
    ck_assert_str_eq(buf_text(&out), buf_text(&expected));
    bench_close(&bench);
    buf_free(&spec);
    buf_free(&out);
    buf_free(&expected);
}
END_TEST

/* All of an axis in order: each value not larger than the one before, and where its index says. */
START_TEST(sorted_whole)
{
    enum { N = 1000 };
    struct eval_bench bench;
    struct buf spec = {0}, out = {0};
    write_source(&spec, "1000", N);
    const struct eval_row row = {"topk", {buf_text(&spec)}, {NUMBER(N), NUMBER(0), TRUTH(1), TRUTH(1)}, .result = NULL};
    bench_open(&bench, TF_EVAL_DECLARED);
    evaluate(&bench, &row, &out);
    const double *values = bench.results[0]->data;
    const int64_t *indices = bench.results[1]->data;
    for (int i = 0; i < N; i++) {
        ck_assert_double_eq(values[i], element((int)indices[i]));
        ck_assert(i == 0 || values[i] < values[i - 1] || (values[i] == values[i - 1] && indices[i] > indices[i - 1]));
    }
    bench_close(&bench);
    buf_free(&spec);
    buf_free(&out);
}
END_TEST

/* A group longer than what is computed at once, whose largest magnitude is its last element. */
START_TEST(long_group)
{
    enum { N = 601 };
    struct eval_bench bench;
    struct buf spec = {0}, out = {0};
    buf_printf(&spec, "2,%d f32:", N);
    for (int i = 0; i < N; i++)
        buf_printf(&spec, " %d", i == N - 1 ? -896 : i % 14);
    const struct eval_row row = {"quant", {buf_text(&spec)}, {QUANT(N)}, .result = NULL};
    bench_open(&bench, TF_EVAL_DECLARED);
    evaluate(&bench, &row, &out);
    const float *scales = bench.results[1]->data;
    for (int i = 0; i < 2 * N; i++) {
        double code, expected = i % N == N - 1 ? -448 : i % N % 14 / 2.0;
        number_load_f64(TF_DTYPE_FP8E4M3, 1, (const char *)bench.results[0]->data + i, &code);
        ck_assert_double_eq(code, expected);
    }
    ck_assert_float_eq(scales[0], 2);
    ck_assert_float_eq(scales[1], 2);
    bench_close(&bench);
    buf_free(&spec);
    buf_free(&out);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("operators");
    tcase_add_loop_test(tcase, declared, 0, (int)(sizeof(rows) / sizeof(*rows)));
    tcase_add_loop_test(tcase, exact, 0, (int)(sizeof(rows) / sizeof(*rows)));
    tcase_add_loop_test(tcase, truth, 0, (int)(sizeof(truths) / sizeof(*truths)));
    tcase_add_loop_test(tcase, long_runs, 0, 4);
    tcase_add_test(tcase, sorted_whole);
    tcase_add_test(tcase, long_group);
    return run_suite("evaluation of reductions", tcase);
}

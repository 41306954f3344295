/* SPDX-License-Identifier: MIT
 * What the moving and gathering operators say they reach, each relation written out and held to its text; and the plain
 * layouts that they leave.
 *
 * A relation reads  FLAGS (ITERATION BOX) IN, IN > OUT, OUT  with boundaries `r` read, `w` written, `-` addressed, and for
 * each axis where iteration d0, d1, ... goes; `+v` a run-time start, `*` any coordinate, `all` the value whole.
 */
#include "ir/ir.h"
#include "plugin/registry.h"
#include "util/diag.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#define INT(n)                                                                                                         \
    {                                                                                                                  \
        .kind = TF_VAL_INT, .u.i = (n)                                                                                 \
    }
#define YES(n)                                                                                                         \
    {                                                                                                                  \
        .kind = TF_VAL_BOOL, .u.i = (n)                                                                                \
    }
#define TEXT(t)                                                                                                        \
    {                                                                                                                  \
        .kind = TF_VAL_STRING, .u.s = (t)                                                                              \
    }
#define DTYPE(d)                                                                                                       \
    {                                                                                                                  \
        .kind = TF_VAL_DTYPE, .u.i = TF_DTYPE_##d                                                                      \
    }
#define LIST(n, ...)                                                                                                   \
    {                                                                                                                  \
        .kind = TF_VAL_TUPLE, .count = (n), .u.items = (const struct tf_val[])                                         \
        {                                                                                                              \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }

#define MAX_ATTRS 4
struct row {
    const char *op;
    const char *args; /* "f32:4,6" a tensor; "(1,p)" a tuple of numbers and of scalar parameters */
    struct tf_val attrs[MAX_ATTRS];
    const char *relation;
};

static const struct row rows[] = {
    {"reshape", "f32:4,6", {LIST(2, INT(3), INT(-1))}, "view relabel (3, 8) -all > -all"},
    {"transpose", "f32:2,3,4", {LIST(3, INT(-1), INT(0), INT(1))}, "(2, 3, 4) r[d0, d1, d2] > w[d2, d0, d1]"},
    {"concat", "f32:2,3 f32:4,3 f32:1,3", {INT(-2)}, "(7, 3) r[d0, d1], r[d0-2, d1], r[d0-6, d1] > w[d0, d1]"},
    {"stack", "f32:2,3 f32:2,3", {INT(1)}, "(2, 2, 3) r[d0, d2], r[d0, d2] > w[d0, d1, d2]"},
    {"split", "f32:4,6", {INT(1), INT(3)}, "(4, 6) r[d0, d1] > w[d0, d1], w[d0, d1-2], w[d0, d1-4]"},
    {"slice", "f32:4,9 (1,p)", {LIST(2, INT(2), INT(3)), LIST(2, INT(2), INT(3))},
        "view (2, 3) -[2*d0+1, 3*d1+v], rall > -[d0, d1]"},
    {"slice", "f32:4,9 (0,p)", {LIST(2, INT(4), INT(2)), LIST(2, INT(1), INT(1)), LIST(2, INT(0), INT(-3))},
        "view (4, 2) -[d0, d1-3+v], rall > -[d0, d1]"},
    {"insert_slice", "f32:5,6 f32:2,3 (p,2)", {INT(0)},
        "inplace (2, 3) -[d0+v, d1+2], r[d0, d1], rall > w[d0+v, d1+2]"},
    {"insert_slice", "i32:9 i32:4 p", {INT(0)}, "inplace (4,) -[d0+v], r[d0], rall > w[d0+v]"},
    {"cache_update", "bf16:2,8,3,4 i32: i32:1 bf16:2,5,3,4", {INT(0)},
        "inplace (2, 1, 3, 4) -[d0, d1+v, d2, d3], rall, rall, r[d0, d1, d2, d3] > w[d0, d1+v, d2, d3]"},
    {"cache_update", "bf16:2,8,3,4 i32: i32:1 bf16:2,0,3,4", {INT(0)},
        "inplace (2, 0, 3, 4) -[d0, d1+v, d2, d3], rall, rall, r[d0, d1, d2, d3] > w[d0, d1+v, d2, d3]"},
    {"repeat_interleave", "f32:3,8", {INT(4), INT(0)}, "(3, 8, 4) r[d0, d1] > w[4*d0+d2, d1]"},
    {"shape_of", "f32:3,8", {INT(0)}, "empty () -all > -all"},
    {"rank", "f32:3,8", {INT(0)}, "empty () -all > -all"},
    {"full_like", "f32:3,8", {INT(0)}, "(3, 8) r[d0, d1] > w[d0, d1]"},
    {"reduce", "f32:2,3,4", {LIST(2, INT(-1), INT(0)), YES(1), TEXT("sum")}, "(2, 3, 4) r[d0, d1, d2] > w[0, d1, 0]"},
    {"reduce", "f32:2,3,4", {LIST(2, INT(2), INT(0)), YES(0), TEXT("max")}, "(2, 3, 4) r[d0, d1, d2] > w[d1]"},
    {"argmax", "f32:2,3", {INT(-1)}, "(2, 3) r[d0, d1] > w[d0]"},
    {"topk", "f32:5,7", {INT(2), INT(0), YES(1), YES(1)}, "(2, 7, 5) r[d2, d1] > w[d0, d1], w[d0, d1]"},
    {"index_select", "f32:6,8 i64:3", {INT(0)}, "(3, 8) r[*, d1], r[d0] > w[d0, d1]"},
    {"index_select", "f32:6,8 i32:3", {INT(-1)}, "(6, 3) r[d0, *], r[d1] > w[d0, d1]"},
    {"index_add", "f32:6,8 i64:3 f32:3,8", {INT(0)}, "(6, 8) r[*, d1], r[*], r[*, d1] > w[*, d1]"},
    {"index_copy", "f32:6,8 i64:3 f32:3,8", {INT(0)}, "(6, 8) -[*, d1], r[*], r[*, d1] > w[*, d1]"},
    {"quant", "bf16:2,64", {TEXT("per_token_group"), INT(16), DTYPE(FP8E4M3)},
        "(2, 4, 16) r[d0, 16*d1+d2] > w[d0, 16*d1+d2], w[d0, d1]"},
};

/* ---- making a call ---------------------------------------------------------------------------------------------------*/

struct bench {
    tf_ctx *ctx;
    struct ir_function function;
    struct ir_builder b;
};

static struct bench bench_open(void)
{
    struct bench bench = {.ctx = ctx_create()};
    char path[4096];
    const char *build = getenv("TF_BUILD");
    snprintf(path, sizeof(path), "%s/plugins/.libs", build ? build : ".");
    bench.ctx->registry = registry_create(bench.ctx);
    ck_assert_int_eq(registry_add_path(bench.ctx, path), 0);
    return bench;
}

static void bench_close(struct bench *bench)
{
    builder_finish(&bench->b);
    registry_destroy(bench->ctx->registry);
    bench->ctx->registry = NULL;
    ctx_destroy(bench->ctx);
}

static const struct tf_node *make_tensor(struct bench *bench, const char *spec)
{
    const struct tf_dim *shape[TF_MAX_RANK];
    const char *at = strchr(spec, ':') + 1;
    char name[16] = {0};
    uint32_t dtype, rank = 0;
    memcpy(name, spec, (size_t)(at - spec - 1));
    ck_assert_int_eq(dtype_find(name, &dtype), 0);
    for (; *at >= '0' && *at <= '9'; at += *at == ',')
        shape[rank++] = dim_const(bench->ctx, strtol(at, (char **)&at, 10));
    const struct tf_type *type = type_tensor(bench->ctx, dtype, rank, shape, NULL, TF_STORAGE_GMEM);
    return ir_param(&bench->b, NULL, "x", type, 0);
}

static const struct tf_node *make_number(struct bench *bench, const char **spec)
{
    struct tf_val val = {.kind = TF_VAL_INT};
    if (**spec == 'p') {
        (*spec)++;
        return ir_param(&bench->b, NULL, "p", type_tensor(bench->ctx, TF_DTYPE_I64, 0, NULL, NULL, TF_STORAGE_GMEM), 0);
    }
    val.u.i = strtol(*spec, (char **)spec, 10);
    return ir_const(&bench->b, NULL, &val);
}

static const struct tf_node *make_arg(struct bench *bench, const char *spec)
{
    const struct tf_node *items[TF_MAX_RANK];
    uint32_t n = 0;
    if (*spec == 'p')
        return make_number(bench, &spec);
    if (*spec != '(')
        return make_tensor(bench, spec);
    for (spec++; *spec != ')'; spec += *spec == ',')
        items[n++] = make_number(bench, &spec);
    return ir_tuple(&bench->b, NULL, items, n);
}

static const struct tf_node *make_call(struct bench *bench, const struct row *row)
{
    const struct tf_node *args[8];
    uint32_t n = 0;
    char *save = NULL, *specs = strdup(row->args);
    builder_init(&bench->b, bench->ctx, &bench->function);
    for (char *spec = strtok_r(specs, " ", &save); spec; spec = strtok_r(NULL, " ", &save))
        args[n++] = make_arg(bench, spec);
    free(specs);
    const struct tf_op *op = registry_op(bench->ctx, row->op, NULL);
    ck_assert_msg(op, "no plugin provides %s", row->op);
    const struct tf_node *call = ir_call(&bench->b, NULL, NULL, op, args, n, row->attrs);
    ck_assert_msg(call, "%s of %s is refused", row->op, row->args);
    return call;
}

/* ---- writing a relation out --------------------------------------------------------------------------------------------*/

static void write_axis(struct buf *out, const struct tf_axis *axis)
{
    int written = 0;
    if (axis->kind == TF_AXIS_ANY) {
        buf_str(out, "*");
        return;
    }
    for (int k = 0; k < 2; k++) {
        if (axis->iter[k] < 0)
            continue;
        buf_str(out, written ? "+" : "");
        if (axis->scale[k] != 1)
            buf_printf(out, "%lld*", (long long)axis->scale[k]);
        buf_printf(out, "d%d", axis->iter[k]);
        written = 1;
    }
    if (axis->offset || !written)
        buf_printf(out, written ? "%+lld" : "%lld", (long long)axis->offset);
    if (axis->moved)
        buf_str(out, "+v");
}

static void write_boundary(struct buf *out, const struct tf_boundary *boundary)
{
    buf_str(out, boundary->flow == TF_FLOW_READ ? "r" : boundary->flow == TF_FLOW_WRITE ? "w" : "-");
    if (!boundary->axes) {
        buf_str(out, "all");
        return;
    }
    buf_str(out, "[");
    for (uint32_t i = 0; i < boundary->rank; i++) {
        buf_str(out, i ? ", " : "");
        write_axis(out, &boundary->axes[i]);
    }
    buf_str(out, "]");
}

static void write_relation(struct buf *out, const struct tf_relation *relation)
{
    static const char *const flags[] = {"empty ", "view ", "relabel ", "inplace "};
    for (uint32_t i = 0; i < 4; i++)
        buf_str(out, relation->flags >> i & 1 ? flags[i] : "");
    shape_print(out, relation->extent, relation->n_iter);
    for (uint32_t i = 0; i < relation->n_in; i++) {
        buf_str(out, i ? ", " : " ");
        write_boundary(out, &relation->in[i]);
    }
    for (uint32_t i = 0; i < relation->n_out; i++) {
        buf_str(out, i ? ", " : " > ");
        write_boundary(out, &relation->out[i]);
    }
}

START_TEST(relations)
{
    const struct row *row = &rows[_i];
    struct bench bench = bench_open();
    struct buf out = {0};
    struct tf_relation relation = {0};
    const struct tf_type *types[8];
    const struct tf_node *node = make_call(&bench, row);
    for (uint32_t i = 0; i < node->n_in; i++)
        types[i] = node->in[i]->type;
    struct tf_call call = {.struct_size = sizeof(call),
        .node = node,
        .op = node->op,
        .n_args = node->n_in,
        .n_attrs = node->n_attrs,
        .args = node->in,
        .arg_types = types,
        .attrs = node->attrs,
        .type = node->type};
    ck_assert_int_eq(node->op->relate(bench.ctx, &call, &relation), TF_OK);
    write_relation(&out, &relation);
    ck_assert_str_eq(buf_text(&out), row->relation);
    buf_free(&out);
    bench_close(&bench);
}
END_TEST

/* ---- plain layouts -----------------------------------------------------------------------------------------------------
 * Nothing prints them, so they are held here: "4,6/6,1" is a source of that shape with those strides. */

struct plain_row {
    const char *op, *source;
    struct tf_val attrs[MAX_ATTRS];
    const char *starts; /* of a slice, or NULL */
    const char *layout;
};

static const struct plain_row plain_rows[] = {
    {"reshape", "4,6/6,1", {LIST(2, INT(3), INT(8))}, NULL, "Layout((3, 8), (8, 1))"},
    {"reshape", "4,6/1,4", {LIST(2, INT(3), INT(8))}, NULL, NULL},
    {"transpose", "4,6/6,1", {LIST(2, INT(1), INT(0))}, NULL, "Layout((6, 4), (1, 6))"},
    {"slice", "4,6/6,1", {LIST(2, INT(2), INT(2)), LIST(2, INT(1), INT(3))}, "(1,2)",
        "ComposedLayout(8, Layout((2, 2), (6, 3)))"},
    {"slice", "4,6/6,1", {LIST(2, INT(2), INT(2)), LIST(2, INT(1), INT(3))}, "(p,2)", NULL},
    {"reduce", "4,6/1,4", {LIST(1, INT(0)), YES(1), TEXT("sum")}, NULL, "Layout((1, 6), (6, 1))"},
    {"argmax", "4,6/1,4", {INT(0)}, NULL, "Layout((6,), (1,))"},
    {"repeat_interleave", "4,6/6,1", {INT(2), INT(0)}, NULL, NULL},
    {"full_like", "4,6/1,4", {INT(0)}, NULL, "Layout((4, 6), (1, 4))"},
};

static uint32_t read_dims(tf_ctx *ctx, const char **at, const struct tf_dim **dims)
{
    uint32_t n = 0;
    for (; **at >= '0' && **at <= '9'; *at += **at == ',')
        dims[n++] = dim_const(ctx, strtol(*at, (char **)at, 10));
    return n;
}

static const struct tf_node *make_plain(struct bench *bench, const char *at)
{
    const struct tf_dim *shape[TF_MAX_RANK], *strides[TF_MAX_RANK];
    uint32_t rank = read_dims(bench->ctx, &at, shape);
    at++;
    ck_assert_uint_eq(read_dims(bench->ctx, &at, strides), rank);
    const struct tf_layout *layout = layout_plain(bench->ctx, rank, shape, strides);
    const struct tf_type *type = type_tensor(bench->ctx, TF_DTYPE_F32, rank, shape, layout, TF_STORAGE_GMEM);
    return ir_param(&bench->b, NULL, "x", type, 0);
}

static const char *plain_text(const struct tf_layout *layout, struct buf *out)
{
    if (layout->kind == TF_LAYOUT_COMPOSED) {
        buf_printf(out, "ComposedLayout(%lld, ", (long long)layout->offset->value);
        layout_print(out, layout->outer);
        buf_str(out, ")");
    } else {
        layout_print(out, layout);
    }
    return buf_text(out);
}

START_TEST(plain_layouts)
{
    const struct plain_row *row = &plain_rows[_i];
    struct bench bench = bench_open();
    struct buf out = {0};
    const struct tf_node *args[2];
    builder_init(&bench.b, bench.ctx, &bench.function);
    args[0] = make_plain(&bench, row->source);
    if (row->starts)
        args[1] = make_arg(&bench, row->starts);
    const struct tf_op *op = registry_op(bench.ctx, row->op, NULL);
    const struct tf_node *call = ir_call(&bench.b, NULL, NULL, op, args, row->starts ? 2 : 1, row->attrs);
    ck_assert_msg(call, "%s of %s is refused", row->op, row->source);
    if (row->layout)
        ck_assert_str_eq(call->type->layout ? plain_text(call->type->layout, &out) : "none", row->layout);
    else
        ck_assert_ptr_null(call->type->layout);
    buf_free(&out);
    bench_close(&bench);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("relations");
    TCase *tcase = tcase_create("operators");
    tcase_add_loop_test(tcase, relations, 0, (int)(sizeof(rows) / sizeof(*rows)));
    tcase_add_loop_test(tcase, plain_layouts, 0, (int)(sizeof(plain_rows) / sizeof(*plain_rows)));
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

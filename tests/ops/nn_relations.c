/* SPDX-License-Identifier: MIT
 * What operators say of one call, asked through the real host: the result's type, the work, and which coordinates each
 * boundary reaches.  Totals of whole programs stand in the .cases files; here are the relations themselves.
 */
#include "ir/ir.h"
#include "plugin/registry.h"
#include "util/diag.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ARGS 5

struct arg {
    uint32_t dtype, rank;
    int64_t extent[5];
};

struct row {
    const char *op;
    struct arg arg[MAX_ARGS];
    struct tf_val attr[4];
    const char *type, *work, *relation;
};

#define F32 TF_DTYPE_F32
#define BF16 TF_DTYPE_BF16
#define BOOL TF_DTYPE_BOOL
#define I32 TF_DTYPE_I32
#define T(dtype, rank, ...)                                                                                            \
    {                                                                                                                  \
        dtype, rank,                                                                                                   \
        {                                                                                                              \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }
#define SCALAR(dtype)                                                                                                  \
    {                                                                                                                  \
        dtype, 0,                                                                                                      \
        {                                                                                                              \
            0                                                                                                          \
        }                                                                                                              \
    }
#define INT(n)                                                                                                         \
    {                                                                                                                  \
        .kind = TF_VAL_INT, .u.i = (n)                                                                                 \
    }
#define FLOAT(x)                                                                                                       \
    {                                                                                                                  \
        .kind = TF_VAL_FLOAT, .u.f = (x)                                                                               \
    }
#define TEXT(text)                                                                                                     \
    {                                                                                                                  \
        .kind = TF_VAL_STRING, .u.s = (text)                                                                           \
    }
#define PAIR(list)                                                                                                     \
    {                                                                                                                  \
        .kind = TF_VAL_TUPLE, .count = 2, .u.items = (list)                                                            \
    }
#define NONE                                                                                                           \
    {                                                                                                                  \
        .kind = TF_VAL_NONE                                                                                            \
    }

static const struct tf_val ones[] = {INT(1), INT(1)}, steps[] = {INT(2), INT(3)}, zeros[] = {INT(0), INT(0)};

static const struct row rows[] = {
    {"binary", {T(F32, 2, 4, 8), T(F32, 1, 8)}, {TEXT("add")}, "Tensor[(4, 8), \"f32\"]", "vector:f32:32",
        "(4, 8): [d0, d1] [d1] -> [d0, d1]"},
    {"binary", {T(F32, 2, 4, 1), T(F32, 3, 3, 1, 8)}, {TEXT("lt")}, "Tensor[(3, 4, 8), \"bool\"]",
        "service:predicate:96", "(3, 4, 8): [d1, 0] [d0, 0, d2] -> [d0, d1, d2]"},
    {"binary", {T(I32, 1, 5), SCALAR(I32)}, {TEXT("mod")}, "Tensor[(5,), \"i32\"]", "service:integer:5",
        "(5,): [d0] [] -> [d0]"},
    {"unary", {T(BF16, 2, 4, 8)}, {TEXT("exp")}, "Tensor[(4, 8), \"bf16\"]", "service:special:32",
        "(4, 8): [d0, d1] -> [d0, d1]"},
    {"cast", {T(F32, 2, 4, 8)}, {{.kind = TF_VAL_DTYPE, .u.i = TF_DTYPE_FP8E4M3}}, "Tensor[(4, 8), \"fp8e4m3\"]",
        "vector:fp8e4m3:32", "(4, 8): [d0, d1] -> [d0, d1]"},
    {"where", {T(BOOL, 2, 4, 1), T(F32, 1, 8), SCALAR(F32)}, {NONE}, "Tensor[(4, 8), \"f32\"]", "service:select:32",
        "(4, 8): [d0, 0] [d1] [] -> [d0, d1]"},
    {"matmul", {T(BF16, 2, 4, 16), T(BF16, 2, 16, 8)}, {TEXT("MK"), TEXT("KN"), NONE}, "Tensor[(4, 8), \"bf16\"]",
        "tensor:bf16:1024", "(4, 8, 16): [d0, d2] [d2, d1] -> [d0, d1]"},
    {"matmul", {T(BF16, 2, 16, 4), T(BF16, 2, 8, 16)}, {TEXT("KM"), TEXT("NK"), NONE}, "Tensor[(4, 8), \"bf16\"]",
        "tensor:bf16:1024", "(4, 8, 16): [d2, d0] [d1, d2] -> [d0, d1]"},
    {"matmul", {T(F32, 4, 2, 1, 4, 16), T(F32, 3, 5, 16, 8)}, {TEXT("MK"), TEXT("KN"), NONE},
        "Tensor[(2, 5, 4, 8), \"f32\"]", "tensor:f32:10240",
        "(2, 5, 4, 8, 16): [d0, 0, d2, d4] [d1, d4, d3] -> [d0, d1, d2, d3]"},
    {"conv2d", {T(F32, 4, 1, 3, 9, 9), T(F32, 4, 4, 3, 3, 1), T(F32, 1, 4)},
        {PAIR(steps), PAIR(ones), PAIR(ones), INT(1)}, "Tensor[(1, 4, 5, 4), \"f32\"]", "tensor:f32:1440",
        "(1, 4, 5, 4, 3, 3, 1): [d0, d4, 2d2+d5-1, 3d3-1] [d1, d4, d5, d6] [d1] -> [d0, d1, d2, d3]"},
    {"conv2d", {T(F32, 4, 1, 6, 4, 4), T(F32, 4, 4, 3, 2, 2), T(F32, 1, 4)},
        {PAIR(ones), PAIR(zeros), PAIR(steps), INT(2)}, "Tensor[(1, 4, 2, 1), \"f32\"]", "tensor:f32:192",
        "(1, 2, 2, 2, 1, 3, 2, 2): [d0, 3d1+d5, d3+2d6, d4+3d7] [2d1+d2, d5, d6, d7] [2d1+d2] -> "
        "[d0, 2d1+d2, d3, d4]"},
    {"softmax", {T(F32, 3, 3, 4, 5)}, {INT(1)}, "Tensor[(3, 4, 5), \"f32\"]", "vector:f32:60",
        "(3, 4, 5, 4): [d0, d3, d2] -> [d0, d1, d2]"},
    {"rms_norm", {T(BF16, 2, 4, 8), T(F32, 1, 8)}, {FLOAT(1e-6)}, "Tensor[(4, 8), \"bf16\"]", "vector:f32:256",
        "(4, 8, 8): [d0, d2] [d1] -> [d0, d1]"},
    {"layer_norm", {T(F32, 3, 4, 3, 8), T(F32, 2, 3, 8), T(F32, 2, 3, 8)}, {INT(-2), FLOAT(1e-5)},
        "Tensor[(4, 3, 8), \"f32\"]", "vector:f32:768",
        "(4, 3, 8, 3, 8): [d0, d3, d4] [d1, d2] [d1, d2] -> [d0, d1, d2]"},
    {"rope", {T(BF16, 4, 1, 2, 4, 8), T(BF16, 4, 1, 2, 2, 8), T(F32, 2, 16, 8), T(F32, 2, 16, 8), T(I32, 2, 1, 2)},
        {NONE}, "Tuple[Tensor[(1, 2, 4, 8), \"bf16\"], Tensor[(1, 2, 2, 8), \"bf16\"]]", "vector:bf16:288",
        "(1, 2, 4, 8, 1, 2, 2): [d0, d1, d2, d3] [d4, d5, d6, d3] [*, d3] [*, d3] [*, *] -> "
        "[d0, d1, d2, d3] [d4, d5, d6, d3]"},
};

/* ---- text of what was said ---------------------------------------------------------------------------------------- */

static void print_axis(struct buf *out, const struct tf_axis *axis)
{
    size_t before = out->n;
    if (axis->kind == TF_AXIS_ANY) {
        buf_str(out, "*");
        return;
    }
    for (int k = 0; k < 2; k++) {
        if (axis->iter[k] < 0 || !axis->scale[k])
            continue;
        if (out->n > before)
            buf_str(out, "+");
        if (axis->scale[k] != 1)
            buf_printf(out, "%lld", (long long)axis->scale[k]);
        buf_printf(out, "d%d", (int)axis->iter[k]);
    }
    if (axis->offset || out->n == before)
        buf_printf(out, out->n > before ? "%+lld" : "%lld", (long long)axis->offset);
}

static void print_boundary(struct buf *out, const struct tf_boundary *boundary)
{
    buf_str(out, " [");
    for (uint32_t i = 0; i < boundary->rank; i++) {
        buf_str(out, i ? ", " : "");
        print_axis(out, &boundary->axes[i]);
    }
    buf_str(out, "]");
}

static void print_relation(struct buf *out, const struct tf_relation *relation)
{
    shape_print(out, relation->extent, relation->n_iter);
    buf_str(out, ":");
    for (uint32_t i = 0; i < relation->n_in; i++)
        print_boundary(out, &relation->in[i]);
    buf_str(out, " ->");
    for (uint32_t i = 0; i < relation->n_out; i++)
        print_boundary(out, &relation->out[i]);
}

static void print_work(struct buf *out, const struct tf_work *work)
{
    static const char *const pipes[] = {"vector", "tensor", "service"};
    static const char *const services[] = {"integer", "predicate", "select", "special"};
    for (uint32_t i = 0; i < work->n; i++) {
        const struct tf_work_item *item = &work->item[i];
        buf_printf(out, "%s%s:%s:%llu", i ? " " : "", pipes[item->pipe],
            item->pipe == TF_WORK_SERVICE ? services[item->key] : dtype_info(item->key)->name,
            (unsigned long long)item->amount);
    }
}

/* ---- asking ------------------------------------------------------------------------------------------------------- */

static const struct tf_type *type_of(tf_ctx *ctx, const struct arg *arg)
{
    const struct tf_dim *shape[5];
    for (uint32_t i = 0; i < arg->rank; i++)
        shape[i] = dim_const(ctx, arg->extent[i]);
    return type_tensor(ctx, arg->dtype, arg->rank, shape, NULL, TF_STORAGE_GMEM);
}

static tf_ctx *open_context(void)
{
    char path[4096];
    const char *build = getenv("TF_BUILD");
    tf_ctx *ctx = ctx_create();
    snprintf(path, sizeof(path), "%s/plugins/.libs", build ? build : ".");
    ck_assert_ptr_nonnull(registry_create(ctx));
    registry_only_added_paths(ctx);
    ck_assert_int_eq(registry_add_path(ctx, path), 0);
    return ctx;
}

static void close_context(tf_ctx *ctx)
{
    ck_assert_uint_eq(diag_flush(ctx, stderr, 0), 0);
    registry_destroy(ctx->registry);
    ctx_destroy(ctx);
}

START_TEST(says)
{
    const struct row *row = &rows[_i];
    tf_ctx *ctx = open_context();
    const struct tf_op *op = registry_op(ctx, row->op, NULL);
    const struct tf_type *types[MAX_ARGS], *result = NULL;
    struct tf_relation relation = {0};
    struct tf_work work = {0};
    struct buf type = {0}, amount = {0}, access = {0};
    ck_assert_ptr_nonnull(op);
    struct tf_call call = {.struct_size = sizeof(call),
        .op = op,
        .n_args = (uint32_t)op->n_inputs,
        .n_attrs = (uint32_t)op->n_attrs,
        .arg_types = types,
        .attrs = row->attr,
        .loc = {.line = 1, .column = 1}};
    for (uint32_t i = 0; i < call.n_args; i++)
        types[i] = type_of(ctx, &row->arg[i]);
    ck_assert_int_eq(op->infer(ctx, &call, &result), TF_OK);
    type_print(&type, result, NULL, NULL);
    ck_assert_str_eq(buf_text(&type), row->type);
    ck_assert_int_eq(op->relate(ctx, &call, &relation), TF_OK);
    print_relation(&access, &relation);
    ck_assert_str_eq(buf_text(&access), row->relation);
    call.type = result;
    ck_assert_int_eq(op->cost(ctx, &call, &work), TF_OK);
    print_work(&amount, &work);
    ck_assert_str_eq(buf_text(&amount), row->work);
    buf_free(&type);
    buf_free(&amount);
    buf_free(&access);
    close_context(ctx);
}
END_TEST

/* Equal types are one type: a long chain of one shape does not make a type a call. */
START_TEST(shares_types)
{
    tf_ctx *ctx = open_context();
    const struct tf_op *op = registry_op(ctx, "binary", NULL);
    struct tf_val kind = TEXT("add");
    struct arg arg = T(F32, 2, 4, 8);
    const struct tf_type *x = type_of(ctx, &arg), *types[] = {x, x}, *result = NULL;
    struct tf_call call = {
        .struct_size = sizeof(call), .op = op, .n_args = 2, .n_attrs = 1, .arg_types = types, .attrs = &kind};
    ck_assert_int_eq(op->infer(ctx, &call, &result), TF_OK);
    ck_assert_ptr_eq(result, x);
    close_context(ctx);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("operators");
    TCase *tcase = tcase_create("calls");
    tcase_add_loop_test(tcase, says, 0, (int)(sizeof(rows) / sizeof(*rows)));
    tcase_add_test(tcase, shares_types);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}

/* SPDX-License-Identifier: MIT
 * A bench for evaluations: a call is made from texts, given tensors written as texts, and its results are texts again.
 *
 * A tensor is SHAPE DTYPE: NUMBERS, as "2,3 f32: 1 -0 nan inf 0x1p-149 7"; the shape of rank 0 is "()".  Too few numbers
 * are repeated from the first on.
 */
#ifndef TF_TESTS_OPS_EVAL_BENCH_H
#define TF_TESTS_OPS_EVAL_BENCH_H

#include "ir/ir.h"
#include "plugin/numbers.h"
#include "plugin/registry.h"
#include "util/diag.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER(n)                                                                                                      \
    {                                                                                                                  \
        .kind = TF_VAL_INT, .u.i = (n)                                                                                 \
    }
#define REAL(x)                                                                                                        \
    {                                                                                                                  \
        .kind = TF_VAL_FLOAT, .u.f = (x)                                                                               \
    }
#define TRUTH(n)                                                                                                       \
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
#define NONE                                                                                                           \
    {                                                                                                                  \
        .kind = TF_VAL_NONE                                                                                            \
    }
#define LIST(...)                                                                                                      \
    {                                                                                                                  \
        .kind = TF_VAL_TUPLE, .count = sizeof((struct tf_val[]){__VA_ARGS__}) / sizeof(struct tf_val),                 \
        .u.items = (const struct tf_val[])                                                                             \
        {                                                                                                              \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }
#define TYPE(spec)                                                                                                     \
    {                                                                                                                  \
        .kind = TF_VAL_TYPE, .u.s = (spec)                                                                             \
    } /* replaced by the type that the text says */

#define MAX_ARGS 6
#define MAX_ATTRS 4
struct eval_row {
    const char *op;
    const char *args[MAX_ARGS]; /* "(...; ...)" is a tuple, "( )" one of nothing */
    struct tf_val attrs[MAX_ATTRS];
    const char *result; /* results split by "; ", or the diagnostic: "CODE: TEXT" */
    uint32_t fp8_overflow;
    uint32_t inexact; /* the exact value is another, or none */
};

struct eval_bench {
    tf_ctx *ctx;
    struct ir_function function;
    struct ir_builder b;
    uint32_t mode;
    const struct tf_tensor *args[64];
    struct tf_tensor *results[64];
    uint32_t n_args, n_results;
};

static void bench_open(struct eval_bench *bench, uint32_t mode)
{
    char path[4096];
    const char *build = getenv("TF_BUILD");
    *bench = (struct eval_bench){.ctx = ctx_create(), .mode = mode};
    snprintf(path, sizeof(path), "%s/plugins/.libs", build ? build : ".");
    bench->ctx->registry = registry_create(bench->ctx);
    ck_assert_int_eq(registry_add_path(bench->ctx, path), 0);
    builder_init(&bench->b, bench->ctx, &bench->function);
}

static void tensor_drop(const struct tf_tensor *tensor)
{
    free(tensor->data);
    free((int64_t *)(uintptr_t)tensor->extents);
    free((struct tf_tensor *)(uintptr_t)tensor);
}

static void bench_close(struct eval_bench *bench)
{
    for (uint32_t i = 0; i < bench->n_args; i++)
        tensor_drop(bench->args[i]);
    for (uint32_t i = 0; i < bench->n_results; i++)
        tensor_drop(bench->results[i]);
    builder_finish(&bench->b);
    registry_destroy(bench->ctx->registry);
    bench->ctx->registry = NULL;
    ctx_destroy(bench->ctx);
}

/* ---- tensors in ----------------------------------------------------------------------------------------------------*/

static uint32_t held(const struct eval_bench *bench, uint32_t dtype)
{
    int is_float = dtype_info(dtype)->cls == TF_CLASS_FLOAT;
    return bench->mode == TF_EVAL_EXACT && is_float ? TF_DTYPE_F64 : dtype;
}

static size_t tensor_count(const struct tf_tensor *tensor)
{
    size_t n = 1;
    for (uint32_t i = 0; i < tensor->rank; i++)
        n *= (size_t)tensor->extents[i];
    return n;
}

/* Its memory is as large as it has to be, so that a sanitizer sees what passes its end. */
static struct tf_tensor *tensor_make(const struct eval_bench *bench, const struct tf_type *type)
{
    struct tf_tensor *tensor = calloc(1, sizeof(*tensor));
    int64_t *extents = calloc(TF_MAX_RANK, sizeof(*extents));
    for (uint32_t i = 0; i < type->rank; i++)
        extents[i] = type->shape[i]->value;
    *tensor = (struct tf_tensor){
        .struct_size = sizeof(*tensor), .dtype = type->dtype, .rank = type->rank, .extents = extents};
    size_t bytes = tensor_count(tensor) * number_bytes(held(bench, type->dtype));
    tensor->data = malloc(bytes ? bytes : 1);
    memset(tensor->data, 0xa5, bytes);
    return tensor;
}

static const struct tf_type *read_type(struct eval_bench *bench, const char **at)
{
    const struct tf_dim *shape[TF_MAX_RANK];
    uint32_t rank = 0, dtype;
    char name[16];
    int length = 0;
    *at += strspn(*at, " ");
    if (strncmp(*at, "()", 2) == 0)
        *at += 2;
    for (; **at >= '0' && **at <= '9'; *at += **at == ',')
        shape[rank++] = dim_const(bench->ctx, strtol(*at, (char **)(uintptr_t)at, 10));
    ck_assert_int_eq(sscanf(*at, " %15[a-z0-9]%n", name, &length), 1);
    *at += length;
    ck_assert_int_eq(dtype_find(name, &dtype), 0);
    return type_tensor(bench->ctx, dtype, rank, shape, NULL, TF_STORAGE_GMEM);
}

/* Integers are read as such: not all of i64 are numbers of f64. */
static void read_number(const char **at, uint32_t dtype, void *to)
{
    char word[64] = {0};
    *at += strspn(*at, " ");
    size_t length = strcspn(*at, " ;)");
    ck_assert_uint_lt(length, sizeof(word));
    memcpy(word, *at, length);
    *at += length;
    int64_t integer = strtoll(word, NULL, 10);
    double real = strtod(word, NULL);
    if (strspn(word, "-0123456789") == length && integer != 0)
        number_store_i64(dtype, 1, &integer, to, FP8_NAN);
    else
        number_store_f64(dtype, 1, &real, to, FP8_NAN);
}

static void read_numbers(struct eval_bench *bench, const char **at, struct tf_tensor *tensor)
{
    uint32_t dtype = held(bench, tensor->dtype), width = number_bytes(dtype);
    size_t n = tensor_count(tensor), i = 0;
    char one[8], *data = tensor->data;
    for (*at += **at == ':'; **at && **at != ';' && **at != ')'; i++, *at += strspn(*at, " ")) {
        read_number(at, dtype, one);
        if (i < n)
            memcpy(data + i * width, one, width);
    }
    for (size_t given = i; i < n && given; i++)
        memcpy(data + i * width, data + i % given * width, width);
}

static const struct tf_node *read_leaf(struct eval_bench *bench, const char **at)
{
    const struct tf_type *type = read_type(bench, at);
    struct tf_tensor *tensor = tensor_make(bench, type);
    read_numbers(bench, at, tensor);
    bench->args[bench->n_args++] = tensor;
    return ir_param(&bench->b, NULL, "x", type, 0);
}

static const struct tf_node *read_arg(struct eval_bench *bench, const char *at)
{
    const struct tf_node *items[TF_MAX_RANK];
    uint32_t n = 0;
    if (*at != '(' || at[1] == ')')
        return read_leaf(bench, &at);
    for (at++, at += strspn(at, " "); *at != ')'; at += *at == ';')
        items[n++] = read_leaf(bench, &at);
    return ir_tuple(&bench->b, NULL, items, n);
}

/* ---- results out ---------------------------------------------------------------------------------------------------*/

static void write_number(struct buf *out, uint32_t dtype, uint32_t cls, const void *from)
{
    int64_t integer;
    double real;
    number_load_i64(dtype, 1, from, &integer);
    number_load_f64(dtype, 1, from, &real);
    if (cls != TF_CLASS_FLOAT)
        buf_printf(out, "%lld", (long long)integer);
    else if (isnan(real))
        buf_str(out, "nan");
    else
        buf_printf(out, dtype == TF_DTYPE_F64 ? "%.17g" : "%.9g", real);
}

static void write_tensor(struct eval_bench *bench, struct buf *out, const struct tf_tensor *tensor)
{
    uint32_t dtype = held(bench, tensor->dtype), width = number_bytes(dtype);
    const struct tf_dtype_info *info = dtype_info(tensor->dtype);
    for (uint32_t i = 0; i < tensor->rank; i++)
        buf_printf(out, "%s%lld", i ? "," : "", (long long)tensor->extents[i]);
    buf_printf(out, "%s %s:", tensor->rank ? "" : "()", info->name);
    for (size_t i = 0; i < tensor_count(tensor); i++) {
        buf_char(out, ' ');
        write_number(out, dtype, info->cls, (const char *)tensor->data + i * width);
    }
}

/* The first line of what was reported: "error: TEXT [CODE]" becomes "CODE: TEXT". */
static void write_diagnostic(struct eval_bench *bench, struct buf *out)
{
    char *text = NULL;
    size_t length = 0;
    FILE *to = open_memstream(&text, &length);
    diag_flush(bench->ctx, to, 0);
    fclose(to);
    char *begin = strstr(text, "error: "), *code = begin ? strstr(begin, " [") : NULL;
    for (char *next = code; next && (next = strstr(next + 1, " [")) && next < strchr(begin, '\n');)
        code = next;
    ck_assert_msg(code != NULL, "no diagnostic: %s", text);
    *code = 0;
    *strchr(code + 1, ']') = 0;
    buf_printf(out, "%s: %s", code + 2, begin + strlen("error: "));
    free(text);
}

/* ---- a row ---------------------------------------------------------------------------------------------------------*/

static void make_results(struct eval_bench *bench, const struct tf_type *type)
{
    if (type->kind == TF_TYPE_TENSOR)
        bench->results[bench->n_results++] = tensor_make(bench, type);
    for (uint32_t i = 0; type->kind == TF_TYPE_TUPLE && i < type->rank; i++)
        make_results(bench, type->fields[i]);
}

static const struct tf_node *make_call(struct eval_bench *bench, const struct eval_row *row)
{
    const struct tf_node *args[MAX_ARGS];
    struct tf_val attrs[MAX_ATTRS];
    uint32_t n = 0;
    const struct tf_op *op = registry_op(bench->ctx, row->op, NULL);
    ck_assert_msg(op && op->eval, "no plugin evaluates %s", row->op);
    for (; n < MAX_ARGS && row->args[n]; n++)
        args[n] = read_arg(bench, row->args[n]);
    memcpy(attrs, row->attrs, sizeof(attrs));
    for (size_t i = 0; i < op->n_attrs; i++)
        if (attrs[i].kind == TF_VAL_TYPE) {
            const char *at = attrs[i].u.s;
            attrs[i].u.type = read_type(bench, &at);
        }
    const struct tf_node *node = ir_call(&bench->b, NULL, NULL, op, args, n, attrs);
    ck_assert_msg(node, "%s of %s is refused", row->op, row->args[0] ? row->args[0] : "nothing");
    return node;
}

/* What the operator makes of the bench's tensors: its results, its diagnostic, or "unsupported". */
static void run_call(struct eval_bench *bench, const struct tf_call *call, uint32_t fp8_overflow, struct buf *out)
{
    struct tf_eval eval = {.struct_size = sizeof(eval),
        .call = call,
        .args = bench->args,
        .n_args = bench->n_args,
        .results = bench->results,
        .n_results = bench->n_results,
        .mode = bench->mode,
        .fp8_overflow = fp8_overflow};
    int rc = call->op->eval(bench->ctx, &eval);
    if (rc == TF_E_REFUSED)
        write_diagnostic(bench, out);
    else if (rc)
        buf_str(out, rc == TF_E_UNSUPPORTED ? "unsupported" : "failed");
    for (uint32_t i = 0; rc == TF_OK && i < bench->n_results; i++) {
        buf_str(out, i ? "; " : "");
        write_tensor(bench, out, bench->results[i]);
    }
}

static void evaluate(struct eval_bench *bench, const struct eval_row *row, struct buf *out)
{
    const struct tf_type *types[MAX_ARGS];
    const struct tf_node *node = make_call(bench, row);
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
    make_results(bench, node->type);
    run_call(bench, &call, row->fp8_overflow, out);
}

static void check_row(const struct eval_row *row, uint32_t mode, const char *expected)
{
    struct eval_bench bench;
    struct buf out = {0};
    bench_open(&bench, mode);
    evaluate(&bench, row, &out);
    ck_assert_msg(strcmp(buf_text(&out), expected) == 0, "%s of %s gives\n  %s\nand not\n  %s", row->op,
        row->args[0] ? row->args[0] : "nothing", buf_text(&out), expected);
    buf_free(&out);
    bench_close(&bench);
}

static int run_suite(const char *name, TCase *tcase)
{
    Suite *suite = suite_create(name);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif

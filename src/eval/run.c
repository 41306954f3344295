/* SPDX-License-Identifier: MIT */
#include "eval/origin.h"
#include "eval/runner.h"
#include "plugin/numbers.h"
#include "type/type.h"

#include <string.h>

#define LEAST_RESULT ((uint64_t)1 << 21) /* bytes, below which a value may as well be whole */

static void keep_result(struct runner *r, struct eval_result *result)
{
    struct value *body = value_of(r, r->function->body);
    result->n = body->n;
    result->leaves = xrealloc(NULL, (body->n ? body->n : 1) * sizeof(*result->leaves));
    for (uint32_t i = 0; i < body->n; i++)
        result->leaves[i] = tensor_hold(r->judged && r->judged[i] ? r->judged[i] : value_leaves(body)[i]);
}

/* What was held in f64 says so from now on. */
static void name_held_dtypes(const struct runner *r, struct eval_result *result)
{
    for (uint32_t i = 0; r->mode == TF_EVAL_EXACT && i < result->n; i++)
        if (dtype_info(result->leaves[i]->pub.dtype)->cls == TF_CLASS_FLOAT)
            result->leaves[i]->pub.dtype = TF_DTYPE_F64;
}

static int run_whole(struct runner *r, struct eval_result *result)
{
    int rc = run_params(r);
    if (rc == TF_OK)
        rc = run_nodes(r, SCHEDULE_FUNCTION);
    if (rc == TF_OK)
        keep_result(r, result);
    return rc;
}

/* Which element it was, a block cannot say: what fails in one is done again as a whole. */
static int run_either(struct runner *r, uint64_t rows, struct eval_result *result)
{
    int failed = 0;
    if (!r->rows.n_rows)
        return run_whole(r, result);
    int rc = run_by_rows(r, rows, result, &failed);
    if (rc)
        eval_result_free(result);
    if (!failed)
        return rc;
    runner_drop(r);
    return run_whole(r, result);
}

static uint64_t result_bytes(const struct tf_function *function)
{
    uint32_t n = leaf_count(function->body->type);
    const struct tf_type **types = xrealloc(NULL, (n ? n : 1) * sizeof(*types));
    uint64_t bytes = 0, elements;
    type_leaves(function->body->type, types, n);
    for (uint32_t i = 0; i < n; i++)
        if (!type_elements(types[i], &elements))
            bytes += elements * number_bytes(types[i]->dtype);
    free(types);
    return bytes;
}

#define BY_SIZE UINT64_MAX /* rows: as many as suit, where there is much to compute; 0: none */

static int run(struct runner *r, uint64_t rows, struct eval_result *result)
{
    *result = (struct eval_result){0};
    runner_begin(r);
    if (rows == BY_SIZE ? result_bytes(r->function) >= LEAST_RESULT : rows)
        rows_plan_make(r->ctx, &r->rows, r->function, &r->plan);
    int rc = run_either(r, rows == BY_SIZE ? 0 : rows, result);
    runner_finish(r);
    name_held_dtypes(r, result);
    return rc;
}

int eval_function_by(tf_ctx *ctx, const struct tf_function *function, struct tensor *const *params,
    struct tensor_memory *memory, uint32_t fp8_overflow, uint64_t rows, struct eval_result *result)
{
    struct runner r = {.ctx = ctx,
        .memory = memory,
        .function = function,
        .params = params,
        .fp8_overflow = fp8_overflow,
        .mode = TF_EVAL_DECLARED};
    return run(&r, rows, result);
}

int eval_function(tf_ctx *ctx, const struct tf_function *function, struct tensor *const *params,
    struct tensor_memory *memory, uint32_t fp8_overflow, struct eval_result *result)
{
    return eval_function_by(ctx, function, params, memory, fp8_overflow, BY_SIZE, result);
}

int eval_exact(tf_ctx *ctx, const struct tf_function *function, struct tensor *const *params,
    struct tensor_memory *memory, struct eval_result *result)
{
    struct runner r = {.ctx = ctx, .memory = memory, .function = function, .params = params, .mode = TF_EVAL_EXACT};
    return run(&r, 0, result);
}

struct tf_declared declared_default(void)
{
    struct tf_declared declared = {.struct_size = sizeof(declared), .accumulator = "f32", .fma = 1};
    for (uint32_t i = 0; i < TF_APPROX_COUNT; i++)
        declared.ulp[i] = 3;
    declared.ulp[TF_APPROX_DIV] = 2.5; /* div.full of NVIDIA comes to 2.11 */
    declared.ulp[TF_APPROX_SQRT] = 1;
    return declared;
}

int eval_bound(tf_ctx *ctx, const struct tf_function *function, struct tensor *const *params,
    struct tensor_memory *memory, const struct bound_request *request, struct eval_result *result)
{
    struct runner r = {.ctx = ctx,
        .memory = memory,
        .function = function,
        .params = params,
        .fp8_overflow = request->fp8_overflow,
        .mode = TF_EVAL_BOUND,
        .request = request};
    uint32_t n = leaf_count(function->body->type);
    r.judged = xrealloc(NULL, (n ? n : 1) * sizeof(*r.judged));
    memset(r.judged, 0, (n ? n : 1) * sizeof(*r.judged));
    int rc = run(&r, 0, result);
    for (uint32_t i = 0; i < n; i++)
        tensor_release(r.judged[i]);
    free(r.judged);
    return rc;
}

void eval_result_free(struct eval_result *result)
{
    for (uint32_t i = 0; i < result->n; i++)
        tensor_release(result->leaves[i]);
    free(result->leaves);
    *result = (struct eval_result){0};
}

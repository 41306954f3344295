/* SPDX-License-Identifier: MIT
 * The end of a function in blocks of rows.
 */
#include "eval/origin.h"
#include "eval/row_blocks.h"
#include "eval/runner.h"

#include <string.h>

/* Bytes of a block: of what stays in the cache, and of what is handed on. */
#define CACHED ((uint64_t)1 << 20)
#define HANDED_ON ((uint64_t)1 << 26)

/* Parameters as they are given: blocks look at their rows. */
static void keep_params(struct runner *r)
{
    for (uint32_t p = 0; p < r->function->n_params; p++) {
        uint32_t i = r->rows.first_leaf[r->function->params[p]->id];
        for (; i != ROWS_NONE; i = r->rows.leaves.at[i].next)
            if (!r->whole[i])
                r->whole[i] = r->rows.leaves.at[i].is_sliced ? tensor_hold(r->params[p])
                                                             : tensor_hold(value_of(r, r->function->params[p])->one);
    }
}

/* All that comes before the blocks. */
static int run_before(struct runner *r)
{
    r->whole = xrealloc(NULL, (r->rows.leaves.n + 1) * sizeof(*r->whole));
    memset(r->whole, 0, (r->rows.leaves.n + 1) * sizeof(*r->whole));
    int rc = run_params(r);
    if (rc == TF_OK)
        keep_params(r);
    return rc ? rc : run_nodes(r, SCHEDULE_FUNCTION);
}

/* The result, whose rows are still to be computed. */
static int make_result(struct runner *r, struct eval_result *result)
{
    uint32_t n = r->rows.n_outputs;
    result->leaves = xrealloc(NULL, (n ? n : 1) * sizeof(*result->leaves));
    for (result->n = 0; result->n < n; result->n++) {
        uint32_t i = result->n, at = r->rows.outputs[i];
        const struct rows_leaf *leaf = &r->rows.leaves.at[at];
        struct tensor *tensor = !leaf->is_step      ? tensor_hold(r->whole[at])
                                : leaf->output != i ? tensor_hold(result->leaves[leaf->output])
                                                    : runner_tensor(r, leaf->type);
        if (!tensor)
            return TF_E_NOMEM;
        result->leaves[i] = tensor;
    }
    return TF_OK;
}

static struct row_blocks blocks_of(struct runner *r)
{
    return (struct row_blocks){.ctx = r->ctx,
        .function = r->function,
        .plan = &r->rows,
        .request = r->request,
        .memory = r->memory,
        .mode = r->mode,
        .fp8_overflow = r->fp8_overflow,
        .whole = r->whole};
}

int run_by_rows(struct runner *r, uint64_t rows, struct eval_result *result, int *failed)
{
    int rc = run_before(r);
    if (rc == TF_OK)
        rc = make_result(r, result);
    if (rc)
        return rc;
    struct row_blocks blocks = blocks_of(r);
    blocks.to = result->leaves;
    row_blocks_begin(&blocks, CACHED, rows);
    rc = row_blocks_fill(&blocks);
    row_blocks_end(&blocks);
    *failed = rc != TF_OK;
    return rc;
}

/* Every leaf of the result is a step's, and nothing is lost where rows of a value are looked at. */
static int suits(const struct runner *r)
{
    for (uint32_t i = 0; i < r->rows.n_outputs; i++)
        if (!r->rows.leaves.at[r->rows.outputs[i]].is_step)
            return 0;
    for (size_t i = 0; r->whole && i < r->rows.leaves.n; i++)
        if (r->whole[i] && r->rows.leaves.at[i].is_sliced && r->whole[i]->pub.raw &&
            r->whole[i]->pub.raw[0] == r->whole[i]->pub.raw[0])
            return 0;
    return r->rows.n_rows != 0;
}

static int hand_on(struct runner *r, uint64_t rows, eval_rows_fn *fn, void *data)
{
    struct row_blocks blocks = blocks_of(r);
    row_blocks_begin(&blocks, HANDED_ON, rows);
    int rc = row_blocks_each(&blocks, fn, data);
    row_blocks_end(&blocks);
    return rc;
}

int eval_rows(tf_ctx *ctx, const struct tf_function *function, struct tensor *const *params,
    struct tensor_memory *memory, uint32_t mode, const struct bound_request *request, uint64_t rows, eval_rows_fn *fn,
    void *data)
{
    struct runner r = {
        .ctx = ctx, .memory = memory, .function = function, .params = params, .mode = mode, .request = request};
    r.fp8_overflow = request ? request->fp8_overflow : 0;
    runner_begin(&r);
    rows_plan_make(ctx, &r.rows, function, &r.plan);
    int rc = suits(&r) ? run_before(&r) : TF_E_UNSUPPORTED;
    if (rc == TF_OK)
        rc = suits(&r) ? hand_on(&r, rows, fn, data) : TF_E_UNSUPPORTED;
    runner_finish(&r);
    return rc;
}

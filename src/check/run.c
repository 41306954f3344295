/* SPDX-License-Identifier: MIT
 * One run, from the program to the verdict.
 */
#include "check/explain.h"
#include "check/trial.h"
#include "util/diag.h"

uint64_t trial_part(const struct trial *t, size_t output, uint64_t row, uint64_t n_rows)
{
    return t->candidate.at[output].tensor->count / n_rows * row;
}

static int explain_asked(struct trial *t)
{
    struct tf_declared declared = declared_default();
    int status = trial_declared(t, &declared);
    const struct bound_request bound = {
        .declared = &declared, .fp8_overflow = t->job->plan.fp8_overflow, .delivered = trial_delivered(t)};
    const struct explain_request request = {.asked = t->job->explain,
        .function = t->function,
        .params = t->params,
        .memory = &t->memory,
        .bound = &bound,
        .candidate = &t->candidate,
        .reference = &t->reference};
    return status ? status : explain(t->ctx, &request, t->run->outputs);
}

static int run_and_compare(struct trial *t)
{
    if (trial_show(t))
        return CHECK_ERROR;
    if (t->job->inputs && inputs_make(t->ctx, t->function, &t->job->plan, &t->memory, t->params))
        return CHECK_ERROR;
    int status = trial_candidate(t);
    if (!status)
        status = trial_reference(t);
    if (!status)
        status = trial_compare(t);
    if (!status && t->job->explain)
        status = explain_asked(t);
    return status || !t->job->arbiter || !t->run->has_reference ? status : trial_arbitrate(t);
}

static int check_run(
    tf_ctx *ctx, const struct check_job *job, const struct dim_binding *dims, size_t n_dims, struct run_finding *run)
{
    struct trial t = {.ctx = ctx, .job = job, .dims = dims, .n_dims = n_dims, .run = run};
    *run = (struct run_finding){.dims = dims, .n_dims = n_dims};
    const struct ir_function *inlined = trial_inline(&t, &job->selected, 1);
    if (!inlined)
        return CHECK_ERROR;
    t.inlined = inlined;
    t.function = &inlined->pub;
    t.params = CTX_ARRAY(ctx, struct tensor *, t.function->n_params);
    int status = run_and_compare(&t);
    leaves_release(&t.candidate);
    leaves_release(&t.reference);
    inputs_free(t.function, t.params);
    return status;
}

int check_run_or_error(
    tf_ctx *ctx, const struct check_job *job, const struct dim_binding *dims, size_t n_dims, struct run_finding *run)
{
    size_t mark = diag_mark(ctx);
    int status = check_run(ctx, job, dims, n_dims, run);
    if (status != CHECK_ERROR)
        return status;
    run->verdict = VERDICT_ERROR;
    run->error = diag_first_error(ctx, mark, &run->error_code);
    run->outputs = NULL; /* what was found of some is no finding */
    run->n_outputs = 0;
    return 0;
}

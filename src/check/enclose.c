/* SPDX-License-Identifier: MIT
 * What legal implementations can give, by what the candidate declares of its arithmetic.
 */
#include "check/declare.h"
#include "check/trial.h"

static int take_declaration(struct trial *t, struct tf_declared *declared, const char *by, const char *text)
{
    int status = declare(t->ctx, declared, by, text);
    return status ? status : declare_facts(t->ctx, declared, by, t->job->selected.module);
}

int trial_declared(struct trial *t, struct tf_declared *declared)
{
    int status = t->stated ? take_declaration(t, declared, t->stated_by, t->stated) : 0;
    if (status)
        return CHECK_ERROR; /* it is the candidate that is wrong, not the question */
    if (t->job->declared && (status = take_declaration(t, declared, "--declare", t->job->declared)))
        return status;
    t->run->candidate_declared = declared_text(t->ctx, declared);
    return 0;
}

int trial_hand_on(struct trial *t, const struct leaves *whole, eval_rows_fn *fn, void *data)
{
    const struct tf_tensor **list = CTX_ARRAY(t->ctx, const struct tf_tensor *, whole->n);
    for (size_t i = 0; i < whole->n; i++)
        list[i] = &whole->at[i].tensor->pub;
    return fn(data, 0, 1, 1, list) ? CHECK_ERROR : 0;
}

struct tensor **trial_delivered(struct trial *t)
{
    struct tensor **delivered = CTX_ARRAY(t->ctx, struct tensor *, t->candidate.n);
    for (size_t i = 0; i < t->candidate.n; i++)
        delivered[i] = t->candidate.at[i].tensor;
    return delivered;
}

static void begin_walks(struct trial *t)
{
    t->run->walks = (struct tf_walks){.struct_size = sizeof(t->run->walks), .seed = t->job->plan.seed};
}

static int enclose_whole(
    struct trial *t, const struct bound_request *request, struct leaves *whole, eval_rows_fn *fn, void *data)
{
    struct eval_result result = {0};
    begin_walks(t);
    int rc = eval_bound(t->ctx, t->function, t->params, &t->memory, request, &result);
    int status = trial_keep(t, t->function, rc, &result, whole);
    return status ? status : trial_hand_on(t, whole, fn, data);
}

int trial_enclose(struct trial *t, struct leaves *whole, eval_rows_fn *fn, void *data)
{
    struct tf_declared declared = declared_default();
    struct leaves kept = {0};
    int status = trial_declared(t, &declared);
    if (status)
        return status;
    const struct bound_request request = {.declared = &declared,
        .fp8_overflow = t->job->plan.fp8_overflow,
        .delivered = trial_delivered(t),
        .walks = &t->run->walks};
    if (whole)
        return enclose_whole(t, &request, whole, fn, data);
    begin_walks(t);
    int rc = eval_rows(t->ctx, t->function, t->params, &t->memory, TF_EVAL_BOUND, &request, 0, fn, data);
    if (rc != TF_E_UNSUPPORTED)
        return rc ? CHECK_ERROR : 0;
    status = enclose_whole(t, &request, &kept, fn, data);
    leaves_release(&kept);
    return status;
}

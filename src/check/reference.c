/* SPDX-License-Identifier: MIT
 * What the candidate is held to, and the evaluator that gives it.
 */
#include "check/trial.h"

int trial_keep(
    struct trial *t, const struct tf_function *function, int refused, struct eval_result *result, struct leaves *leaves)
{
    struct leaves outputs = leaves_of_type(t->ctx, function->body->type);
    for (uint32_t i = 0; !refused && i < result->n && i < outputs.n; i++)
        outputs.at[i].tensor = tensor_hold(result->leaves[i]);
    eval_result_free(result);
    if (refused)
        return CHECK_ERROR;
    *leaves = outputs;
    return 0;
}

int trial_evaluate(
    struct trial *t, const struct tf_function *function, struct tensor *const *params, struct leaves *leaves)
{
    struct eval_result result = {0};
    int refused = eval_function(t->ctx, function, params, &t->memory, t->job->plan.fp8_overflow, &result);
    return trial_keep(t, function, refused, &result, leaves);
}

int trial_reference_on(void *data, struct tensor *const *args, struct leaves *outputs)
{
    struct trial *t = data;
    return trial_evaluate(t, t->function, args, outputs);
}

const char *trial_name(struct trial *t, const struct ir_function *function)
{
    const char *module = function->owner ? function->owner->name : t->job->selected.module->name;
    const struct ir_module *owner = function->owner ? function->owner->parent : NULL;
    for (; owner && owner->parent; owner = owner->parent)
        module = arena_format(&t->ctx->arena, "%s.%s", owner->name, module);
    return arena_format(&t->ctx->arena, "%s.%s", module, function->pub.name);
}

int trial_reference(struct trial *t)
{
    const struct check_job *job = t->job;
    const struct leaves named = leaves_of_type(t->ctx, t->function->body->type);
    if (job->n_expected) {
        for (size_t i = 0; i < job->n_expected; i++)
            t->run->reference =
                i ? arena_format(&t->ctx->arena, "%s, %s", t->run->reference, job->expected[i]) : job->expected[i];
        t->run->has_reference = 1;
        return leaves_from_files(t->ctx, &t->memory, job->expected, job->n_expected, &named, &t->reference);
    }
    if (!job->n_actual && !job->twin && !job->is_lowered) {
        t->run->reference = "none — the candidate alone";
        return 0;
    }
    t->run->reference = arena_format(&t->ctx->arena, "evaluator on %s", trial_name(t, job->selected.function));
    t->run->has_reference = 1;
    return trial_evaluate(t, t->function, t->params, &t->reference);
}

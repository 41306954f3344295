/* SPDX-License-Identifier: MIT
 * Classes of inputs: each is a run of its own.
 */
#include "check/run.h"
#include "eval/draw_adversarial.h"

int check_needs_inputs(const struct check_job *job)
{
    return !job->n_actual || !job->n_expected;
}

size_t check_classes(const struct check_job *job)
{
    return job->plan.inputs == INPUT_ALL ? 1 + ADVERSARIAL_COUNT : 1;
}

/* Where NaN follows from what is given, NaN on both sides is agreement. */
static int makes_nan(const struct input_plan *plan)
{
    int found = plan->inputs == INPUT_ADVERSARIAL && adversarial_makes_nan(plan->adversary);
    for (size_t i = 0; i < plan->draws.n; i++) {
        const struct draw *draw = &plan->draws.at[i].draw;
        found |= draw->kind == DRAW_ADVERSARIAL && adversarial_makes_nan(draw->adversary);
    }
    return found;
}

struct check_job check_of_class(tf_ctx *ctx, const struct check_job *job, size_t which)
{
    struct check_job one = *job;
    if (job->plan.inputs == INPUT_ALL) {
        one.plan.inputs = which ? INPUT_ADVERSARIAL : INPUT_RANDOM;
        one.plan.adversary = which ? (uint32_t)which - 1 : 0;
        one.input_class = which ? adversarial_name(one.plan.adversary) : "random";
        one.inputs = which ? arena_format(&ctx->arena, "adversarial:%s", one.input_class) : "random";
    } else if (job->plan.inputs == INPUT_ADVERSARIAL) {
        one.input_class = adversarial_name(job->plan.adversary);
    }
    one.request.nan_equal |= (uint32_t)makes_nan(&one.plan);
    return one;
}

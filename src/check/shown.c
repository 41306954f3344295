/* SPDX-License-Identifier: MIT
 * What the report says of the inputs.
 */
#include "check/trial.h"

#include <inttypes.h>
#include <string.h>

static void show_dtypes(struct trial *t)
{
    const struct tf_function *function = t->function;
    const char **names = CTX_ARRAY(t->ctx, const char *, function->n_params);
    size_t n = 0;
    for (uint32_t i = 0; i < function->n_params; i++)
        if (!function->params[i]->is_weight)
            names[n++] = dtype_info(function->params[i]->type->dtype)->name;
    t->run->actual = t->run->declared = names;
    t->run->n_actual = t->run->n_declared = n;
}

/* "M$1_64" of the variant that the dimensions select. */
static void show_variant(struct trial *t)
{
    const struct ir_function *function = t->job->selected.function;
    for (uint32_t i = 0; i < function->n_variants; i++) {
        const struct ir_variant *variant = &function->variants[i];
        for (size_t k = 0; k < t->n_dims; k++) {
            if (strcmp(t->dims[k].name, variant->dim) != 0 || t->dims[k].value < variant->lo ||
                t->dims[k].value >= variant->hi)
                continue;
            struct variant_shown *shown = CTX_NEW(t->ctx, struct variant_shown);
            *shown = (struct variant_shown){.label = variant->label,
                .dim = variant->dim,
                .lo = variant->lo,
                .hi = variant->hi,
                .signature =
                    arena_format(&t->ctx->arena, "%s$%" PRId64 "_%" PRId64, variant->dim, variant->lo, variant->hi)};
            t->run->variant = shown;
            return;
        }
    }
}

int trial_show(struct trial *t)
{
    struct run_finding *run = t->run;
    const struct input_plan *plan = &t->job->plan;
    run->inputs = t->job->inputs;
    run->input_class = t->job->input_class;
    run->seed = -1;
    if (!t->job->inputs)
        return 0;
    if (plan->inputs == INPUT_FILES)
        return files_shown(t->ctx, plan, run);
    show_dtypes(t);
    if (plan->inputs == INPUT_RANDOM || plan->inputs == INPUT_ADVERSARIAL) {
        run->seed = (int64_t)plan->seed;
        show_variant(t);
    }
    return 0;
}

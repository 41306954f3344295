/* SPDX-License-Identifier: MIT
 * What is checked: files, the program lowered, an implementation from outside, another program, or the evaluator.
 */
#include "check/trial.h"
#include "plugin/registry.h"
#include "util/diag.h"

/* Tensors for outputs that somebody else fills. */
static int make_outputs(struct trial *t)
{
    struct leaves outputs = leaves_of_type(t->ctx, t->function->body->type);
    const struct tf_type **types = CTX_ARRAY(t->ctx, const struct tf_type *, outputs.n);
    type_leaves(t->function->body->type, types, outputs.n);
    for (size_t i = 0; i < outputs.n; i++)
        outputs.at[i].tensor = tensor_of_type(t->ctx, &t->memory, types[i]);
    t->candidate = outputs;
    for (size_t i = 0; i < outputs.n; i++)
        if (!outputs.at[i].tensor)
            return CHECK_ERROR;
    return 0;
}

static int run_twin(struct trial *t, const struct tf_twin *twin, const char *source)
{
    struct twin_arg *args = CTX_ARRAY(t->ctx, struct twin_arg, t->function->n_params);
    struct twin_finding finding = {0};
    const struct plugin *owner = registry_owner(t->ctx, twin);
    for (uint32_t i = 0; i < t->function->n_params; i++)
        args[i] = (struct twin_arg){t->function->params[i]->name, t->params[i]};
    if (make_outputs(t))
        return CHECK_ERROR;
    int status = twin_run(t->ctx, twin, source, args, t->function->n_params, &t->candidate, &t->job->twin_options,
        trial_reference_on, t, &finding);
    t->run->candidate_kind = twin->name;
    t->run->candidate_plugin = owner ? owner->descriptor.name : NULL;
    t->run->memory = arena_copy(&t->ctx->arena, &finding.memory, sizeof(finding.memory));
    t->run->repeats = finding.repeats;
    if (finding.declared) {
        t->stated = finding.declared;
        t->stated_by = arena_format(&t->ctx->arena, "what %s declares", source);
    }
    t->run->different = finding.different;
    return status;
}

/* The program itself, through a backend. */
static int run_lowered(struct trial *t)
{
    struct lowered lowered;
    const struct tf_program *program = ir_program_values(t->ctx, t->job->selected.module, t->inlined);
    struct lowering_request request = t->job->lowering;
    request.fp8_overflow = t->job->plan.fp8_overflow;
    if (!program || backend_open(t->ctx, program, &request, &lowered))
        return CHECK_ERROR;
    const char *name = lowered.backend->name;
    t->stated = lowered_declares(t->ctx, program, &lowered);
    t->stated_by = arena_format(&t->ctx->arena, "what %s declares", lowered.backend->name);
    if (lowered.path)
        name = arena_format(&t->ctx->arena, "%s, path %s", name, lowered.path->name);
    int status = run_twin(t, backend_twin(), name);
    const struct plugin *owner =
        lowered.path ? registry_owner(t->ctx, lowered.path) : registry_owner(t->ctx, lowered.backend);
    t->run->candidate_name = name;
    t->run->candidate_plugin = owner ? owner->descriptor.name : NULL;
    backend_close(t->ctx);
    return status;
}

static int params_agree(struct trial *t, const struct tf_function *other, const char *name)
{
    const struct tf_function *function = t->function;
    if (other->n_params != function->n_params) {
        ERROR(t->ctx, &other->loc, "check-mismatch", "'%s' has %u parameters, weights among them, and '%s' %u", name,
            other->n_params, function->name, function->n_params);
        return CHECK_ERROR;
    }
    for (uint32_t i = 0; i < other->n_params; i++) {
        if (tensor_has_type(t->params[i], other->params[i]->type))
            continue;
        ERROR(t->ctx, &other->params[i]->loc, "check-mismatch", "'%s' takes %s as '%s', and '%s' has it as %s", name,
            type_text(t->ctx, other->params[i]->type), other->params[i]->name, function->name,
            tensor_text(t->ctx, t->params[i]));
        return CHECK_ERROR;
    }
    return 0;
}

/* Another program of the language: what of its dimensions are stated is bound as in the first. */
static int run_program(struct trial *t)
{
    struct selection selected;
    if (check_load(t->ctx, t->job->twin, &selected))
        return CHECK_ERROR;
    if (!selected.function) {
        ERROR(t->ctx, &selected.module->loc, "no-entry",
            "Module '%s' declares no entry; select one of its functions with :%s.NAME", selected.module->name,
            selected.module->name);
        return CHECK_ERROR;
    }
    const struct ir_function *inlined = trial_inline(t, &selected, 0);
    if (!inlined || params_agree(t, &inlined->pub, t->job->twin))
        return CHECK_ERROR;
    t->run->candidate_kind = "program";
    return trial_evaluate(t, &inlined->pub, t->params, &t->candidate);
}

int trial_candidate(struct trial *t)
{
    const struct check_job *job = t->job;
    const struct leaves named = leaves_of_type(t->ctx, t->function->body->type);
    t->run->candidate_name = job->twin;
    if (job->n_actual) {
        t->run->candidate_kind = "files";
        for (size_t i = 0; i < job->n_actual; i++)
            t->run->candidate_name =
                i ? arena_format(&t->ctx->arena, "%s, %s", t->run->candidate_name, job->actual[i]) : job->actual[i];
        return leaves_from_files(t->ctx, &t->memory, job->actual, job->n_actual, &named, &t->candidate);
    }
    if (job->is_lowered)
        return run_lowered(t);
    if (job->twin) {
        const struct tf_twin *twin = twin_of(t->ctx, job->twin);
        return twin ? run_twin(t, twin, job->twin) : run_program(t);
    }
    t->run->candidate_kind = "evaluator";
    t->run->candidate_name = trial_name(t, job->selected.function);
    return trial_evaluate(t, t->function, t->params, &t->candidate);
}

/* SPDX-License-Identifier: MIT */
#include "check/run.h"

#include "check/declare.h"
#include "check/explain.h"
#include "check/judging.h"
#include "eval/draw_adversarial.h"
#include "eval/run.h"
#include "plugin/registry.h"
#include "type/type.h"
#include "util/diag.h"
#include "util/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct session {
    tf_ctx *ctx;
    const struct check_job *job;
    const struct dim_binding *dims;
    size_t n_dims;
    const struct tf_function *function; /* inlined, its dimensions bound */
    const struct ir_function *inlined;  /* of which it is the public part */
    struct tensor_memory memory;
    struct tensor **params;
    struct leaves candidate, reference;
    struct run_finding *run;
    const char *stated; /* what the candidate itself declares of its arithmetic, or NULL */
    const char *stated_by;
};

int check_needs_inputs(const struct check_job *job)
{
    return !job->n_actual || !job->n_expected;
}

/* ---- programs -----------------------------------------------------------------------------------------------------*/

/* Whether a file has implementations that Python runs, which the decorator tells. */
static int holds_python_twins(tf_ctx *ctx, const char *source)
{
    const char *path = ctx_intern_n(ctx, source, strcspn(source, ":"));
    FILE *file = fopen(path, "re");
    char line[512];
    int found = 0;
    while (file && !found && fgets(line, sizeof(line), file))
        found = !strncmp(line, "@runtime_module", 15);
    if (file)
        fclose(file);
    return found;
}

int check_load(tf_ctx *ctx, const char *source, struct selection *selection)
{
    int refused = front_load_twin(ctx, source, selection);
    if (refused && holds_python_twins(ctx, source))
        diag(ctx, NULL, DIAG_NOTE, "selector",
            "%s holds implementations in Python: the name of such a class after ':' selects one", source);
    return refused;
}

/* ---- classes of inputs --------------------------------------------------------------------------------------------*/

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

/* ---- dimensions ---------------------------------------------------------------------------------------------------*/

/* The extents of the dimensions that the function has; the others have no effect on values, which is told of SOURCE's. */
static const struct dim_binding *known_dims(struct session *s, const struct ir_function *function, int tell, size_t *n)
{
    size_t n_vars = ir_dimensions(s->ctx, function, NULL, 0);
    struct dim_var *vars = CTX_ARRAY(s->ctx, struct dim_var, n_vars);
    struct dim_binding *known = CTX_ARRAY(s->ctx, struct dim_binding, s->n_dims);
    ir_dimensions(s->ctx, function, vars, n_vars);
    *n = 0;
    for (size_t i = 0; i < s->n_dims; i++) {
        size_t k = 0;
        while (k < n_vars && strcmp(vars[k].name, s->dims[i].name) != 0)
            k++;
        if (k < n_vars)
            known[(*n)++] = s->dims[i];
        else if (tell)
            diag(s->ctx, NULL, DIAG_WARNING, "dimension-unknown",
                "'%s' has no dimension named '%s'; --dim %s is left out", function->pub.name, s->dims[i].name,
                s->dims[i].name);
    }
    return known;
}

static const struct ir_function *inline_bound(struct session *s, const struct selection *selected, int tell)
{
    size_t n;
    const struct dim_binding *dims = known_dims(s, selected->function, tell, &n);
    return ir_inline_values(s->ctx, selected->module, selected->function, dims, n);
}

/* ---- the evaluator ------------------------------------------------------------------------------------------------*/

static int keep_leaves(struct session *s, const struct tf_function *function, int refused, struct eval_result *result,
    struct leaves *leaves)
{
    struct leaves outputs = leaves_of_type(s->ctx, function->body->type);
    for (uint32_t i = 0; !refused && i < result->n && i < outputs.n; i++)
        outputs.at[i].tensor = tensor_hold(result->leaves[i]);
    eval_result_free(result);
    if (refused)
        return CHECK_ERROR;
    *leaves = outputs;
    return 0;
}

static int evaluate(
    struct session *s, const struct tf_function *function, struct tensor *const *params, struct leaves *leaves)
{
    struct eval_result result = {0};
    int refused = eval_function(s->ctx, function, params, &s->memory, s->job->plan.fp8_overflow, &result);
    return keep_leaves(s, function, refused, &result, leaves);
}

static int reference_on(void *data, struct tensor *const *args, struct leaves *outputs)
{
    struct session *s = data;
    return evaluate(s, s->function, args, outputs);
}

/* "Fused.rms_norm_quant"; below a child the root is not said: "c.f" */
static const char *function_name(struct session *s, const struct ir_function *function)
{
    const char *module = function->owner ? function->owner->name : s->job->selected.module->name;
    const struct ir_module *owner = function->owner ? function->owner->parent : NULL;
    for (; owner && owner->parent; owner = owner->parent)
        module = arena_format(&s->ctx->arena, "%s.%s", owner->name, module);
    return arena_format(&s->ctx->arena, "%s.%s", module, function->pub.name);
}

/* ---- candidates ---------------------------------------------------------------------------------------------------*/

/* Tensors for outputs that somebody else fills. */
static int make_outputs(struct session *s)
{
    struct leaves outputs = leaves_of_type(s->ctx, s->function->body->type);
    const struct tf_type **types = CTX_ARRAY(s->ctx, const struct tf_type *, outputs.n);
    type_leaves(s->function->body->type, types, outputs.n);
    for (size_t i = 0; i < outputs.n; i++)
        outputs.at[i].tensor = tensor_of_type(s->ctx, &s->memory, types[i]);
    s->candidate = outputs;
    for (size_t i = 0; i < outputs.n; i++)
        if (!outputs.at[i].tensor)
            return CHECK_ERROR;
    return 0;
}

static int run_twin(struct session *s, const struct tf_twin *twin, const char *source)
{
    struct twin_arg *args = CTX_ARRAY(s->ctx, struct twin_arg, s->function->n_params);
    struct twin_finding finding = {0};
    const struct plugin *owner = registry_owner(s->ctx, twin);
    for (uint32_t i = 0; i < s->function->n_params; i++)
        args[i] = (struct twin_arg){s->function->params[i]->name, s->params[i]};
    if (make_outputs(s))
        return CHECK_ERROR;
    int status = twin_run(s->ctx, twin, source, args, s->function->n_params, &s->candidate, &s->job->twin_options,
        reference_on, s, &finding);
    s->run->candidate_kind = twin->name;
    s->run->candidate_plugin = owner ? owner->descriptor.name : NULL;
    s->run->memory = arena_copy(&s->ctx->arena, &finding.memory, sizeof(finding.memory));
    s->run->repeats = finding.repeats;
    if (finding.declared) {
        s->stated = finding.declared;
        s->stated_by = arena_format(&s->ctx->arena, "what %s declares", source);
    }
    s->run->different = finding.different;
    return status;
}

/* The program itself, through a backend. */
static int run_lowered(struct session *s)
{
    struct lowered lowered;
    const struct tf_program *program = ir_program_values(s->ctx, s->job->selected.module, s->inlined);
    struct lowering_request request = s->job->lowering;
    request.fp8_overflow = s->job->plan.fp8_overflow;
    if (!program || backend_open(s->ctx, program, &request, &lowered))
        return CHECK_ERROR;
    const char *name = lowered.backend->name;
    s->stated = lowered_declares(s->ctx, program, &lowered);
    s->stated_by = arena_format(&s->ctx->arena, "what %s declares", lowered.backend->name);
    if (lowered.path)
        name = arena_format(&s->ctx->arena, "%s, path %s", name, lowered.path->name);
    int status = run_twin(s, backend_twin(), name);
    const struct plugin *owner =
        lowered.path ? registry_owner(s->ctx, lowered.path) : registry_owner(s->ctx, lowered.backend);
    s->run->candidate_name = name;
    s->run->candidate_plugin = owner ? owner->descriptor.name : NULL;
    backend_close(s->ctx);
    return status;
}

static int params_agree(struct session *s, const struct tf_function *other, const char *name)
{
    const struct tf_function *function = s->function;
    if (other->n_params != function->n_params) {
        ERROR(s->ctx, &other->loc, "check-mismatch", "'%s' has %u parameters, weights among them, and '%s' %u", name,
            other->n_params, function->name, function->n_params);
        return CHECK_ERROR;
    }
    for (uint32_t i = 0; i < other->n_params; i++) {
        if (tensor_has_type(s->params[i], other->params[i]->type))
            continue;
        ERROR(s->ctx, &other->params[i]->loc, "check-mismatch", "'%s' takes %s as '%s', and '%s' has it as %s", name,
            type_text(s->ctx, other->params[i]->type), other->params[i]->name, function->name,
            tensor_text(s->ctx, s->params[i]));
        return CHECK_ERROR;
    }
    return 0;
}

/* Another program of the language: what of its dimensions are stated is bound as in the first. */
static int run_program(struct session *s)
{
    struct selection selected;
    if (check_load(s->ctx, s->job->twin, &selected))
        return CHECK_ERROR;
    if (!selected.function) {
        ERROR(s->ctx, &selected.module->loc, "no-entry",
            "Module '%s' declares no entry; select one of its functions with :%s.NAME", selected.module->name,
            selected.module->name);
        return CHECK_ERROR;
    }
    const struct ir_function *inlined = inline_bound(s, &selected, 0);
    if (!inlined || params_agree(s, &inlined->pub, s->job->twin))
        return CHECK_ERROR;
    s->run->candidate_kind = "program";
    return evaluate(s, &inlined->pub, s->params, &s->candidate);
}

static int run_candidate(struct session *s)
{
    const struct check_job *job = s->job;
    const struct leaves named = leaves_of_type(s->ctx, s->function->body->type);
    s->run->candidate_name = job->twin;
    if (job->n_actual) {
        s->run->candidate_kind = "files";
        for (size_t i = 0; i < job->n_actual; i++)
            s->run->candidate_name =
                i ? arena_format(&s->ctx->arena, "%s, %s", s->run->candidate_name, job->actual[i]) : job->actual[i];
        return leaves_from_files(s->ctx, &s->memory, job->actual, job->n_actual, &named, &s->candidate);
    }
    if (job->is_lowered)
        return run_lowered(s);
    if (job->twin) {
        const struct tf_twin *twin = twin_of(s->ctx, job->twin);
        return twin ? run_twin(s, twin, job->twin) : run_program(s);
    }
    s->run->candidate_kind = "evaluator";
    s->run->candidate_name = function_name(s, job->selected.function);
    return evaluate(s, s->function, s->params, &s->candidate);
}

/* ---- the reference ------------------------------------------------------------------------------------------------*/

static int run_reference(struct session *s)
{
    const struct check_job *job = s->job;
    const struct leaves named = leaves_of_type(s->ctx, s->function->body->type);
    if (job->n_expected) {
        for (size_t i = 0; i < job->n_expected; i++)
            s->run->reference =
                i ? arena_format(&s->ctx->arena, "%s, %s", s->run->reference, job->expected[i]) : job->expected[i];
        s->run->has_reference = 1;
        return leaves_from_files(s->ctx, &s->memory, job->expected, job->n_expected, &named, &s->reference);
    }
    if (!job->n_actual && !job->twin && !job->is_lowered) {
        s->run->reference = "none — the candidate alone";
        return 0;
    }
    s->run->reference = arena_format(&s->ctx->arena, "evaluator on %s", function_name(s, job->selected.function));
    s->run->has_reference = 1;
    return evaluate(s, s->function, s->params, &s->reference);
}

/* ---- what the report says of the inputs ---------------------------------------------------------------------------*/

static void show_dtypes(struct session *s)
{
    const struct tf_function *function = s->function;
    const char **names = CTX_ARRAY(s->ctx, const char *, function->n_params);
    size_t n = 0;
    for (uint32_t i = 0; i < function->n_params; i++)
        if (!function->params[i]->is_weight)
            names[n++] = dtype_info(function->params[i]->type->dtype)->name;
    s->run->actual = s->run->declared = names;
    s->run->n_actual = s->run->n_declared = n;
}

/* "M$1_64" of the variant that the dimensions select. */
static void show_variant(struct session *s)
{
    const struct ir_function *function = s->job->selected.function;
    for (uint32_t i = 0; i < function->n_variants; i++) {
        const struct ir_variant *variant = &function->variants[i];
        for (size_t k = 0; k < s->n_dims; k++) {
            if (strcmp(s->dims[k].name, variant->dim) != 0 || s->dims[k].value < variant->lo ||
                s->dims[k].value >= variant->hi)
                continue;
            struct variant_shown *shown = CTX_NEW(s->ctx, struct variant_shown);
            *shown = (struct variant_shown){.label = variant->label,
                .dim = variant->dim,
                .lo = variant->lo,
                .hi = variant->hi,
                .signature =
                    arena_format(&s->ctx->arena, "%s$%" PRId64 "_%" PRId64, variant->dim, variant->lo, variant->hi)};
            s->run->variant = shown;
            return;
        }
    }
}

static int show_inputs(struct session *s)
{
    struct run_finding *run = s->run;
    const struct input_plan *plan = &s->job->plan;
    run->inputs = s->job->inputs;
    run->input_class = s->job->input_class;
    run->seed = -1;
    if (!s->job->inputs)
        return 0;
    if (plan->inputs == INPUT_FILES)
        return files_shown(s->ctx, plan, run);
    show_dtypes(s);
    if (plan->inputs == INPUT_RANDOM || plan->inputs == INPUT_ADVERSARIAL) {
        run->seed = (int64_t)plan->seed;
        show_variant(s);
    }
    return 0;
}

/* ---- the comparisons ----------------------------------------------------------------------------------------------*/

static const struct asked *asked_of(const struct request *request, const char *path)
{
    size_t i = 0;
    while (strcmp(request->outputs.at[i].path, path) != 0)
        i++; /* request_suits has seen to it that there is one */
    return &request->outputs.at[i];
}

static int take_declaration(struct session *s, struct tf_declared *declared, const char *by, const char *text)
{
    int status = declare(s->ctx, declared, by, text);
    return status ? status : declare_facts(s->ctx, declared, by, s->job->selected.module);
}

/* What candidate and declaration say of the arithmetic. */
static int read_declarations(struct session *s, struct tf_declared *declared)
{
    int status = s->stated ? take_declaration(s, declared, s->stated_by, s->stated) : 0;
    if (status)
        return CHECK_ERROR; /* it is the candidate that is wrong, not the question */
    if (s->job->declared && (status = take_declaration(s, declared, "--declare", s->job->declared)))
        return status;
    s->run->candidate_declared = declared_text(s->ctx, declared);
    return 0;
}

/* Whole results as one block. */
static int hand_on(struct session *s, const struct leaves *whole, eval_rows_fn *fn, void *data)
{
    const struct tf_tensor **list = CTX_ARRAY(s->ctx, const struct tf_tensor *, whole->n);
    for (size_t i = 0; i < whole->n; i++)
        list[i] = &whole->at[i].tensor->pub;
    return fn(data, 0, 1, 1, list) ? CHECK_ERROR : 0;
}

/* What legal implementations can give, in blocks of rows where the program is one of rows, else as one block; in any case
 * into `whole` where that is asked for. */
static int enclose(struct session *s, struct leaves *whole, eval_rows_fn *fn, void *data)
{
    struct tf_declared declared = declared_default();
    struct tensor **delivered = CTX_ARRAY(s->ctx, struct tensor *, s->candidate.n);
    struct eval_result result = {0};
    struct leaves kept = {0};
    int status = read_declarations(s, &declared), rc = TF_E_UNSUPPORTED;
    if (status)
        return status;
    for (size_t i = 0; i < s->candidate.n; i++)
        delivered[i] = s->candidate.at[i].tensor;
    struct tf_walks *walks = &s->run->walks;
    *walks = (struct tf_walks){.struct_size = sizeof(*walks), .seed = s->job->plan.seed};
    const struct bound_request request = {
        .declared = &declared, .fp8_overflow = s->job->plan.fp8_overflow, .delivered = delivered, .walks = walks};
    if (!whole)
        rc = eval_rows(s->ctx, s->function, s->params, &s->memory, TF_EVAL_BOUND, &request, 0, fn, data);
    if (rc != TF_E_UNSUPPORTED)
        return rc ? CHECK_ERROR : 0;
    *walks = (struct tf_walks){.struct_size = sizeof(*walks), .seed = s->job->plan.seed};
    rc = eval_bound(s->ctx, s->function, s->params, &s->memory, &request, &result);
    status = keep_leaves(s, s->function, rc, &result, &kept);
    if (!status)
        status = hand_on(s, &kept, fn, data);
    if (whole)
        *whole = kept;
    else
        leaves_release(&kept);
    return status;
}

/* ---- blocks of what the outputs are held to -----------------------------------------------------------------------*/

struct comparing {
    struct session *s;
    struct judging **judgings;  /* by output, or NULL */
    struct excusing *excusings; /* by output */
    struct arbitration *arbitrations;
    struct judged_by *by;
};

/* Elements of an output that rows [first, end) of n_rows are. */
static uint64_t part(const struct comparing *c, size_t output, uint64_t row, uint64_t n_rows)
{
    return c->s->candidate.at[output].tensor->count / n_rows * row;
}

static int take_enclosures(
    void *data, uint64_t first, uint64_t end, uint64_t n_rows, const struct tf_tensor *const *results)
{
    struct comparing *c = data;
    progress_tell(c->s->ctx, "enclosing", first, n_rows);
    for (size_t i = 0; i < c->s->candidate.n; i++) {
        uint64_t at = part(c, i, first, n_rows), n = part(c, i, end, n_rows) - at;
        if (c->judgings)
            judging_feed(c->judgings[i], at, n, results[i]);
        if (c->s->run->has_reference)
            excuse_feed(
                &c->excusings[i], c->s->candidate.at[i].tensor, c->s->reference.at[i].tensor, at, n, results[i]);
    }
    return 0;
}

static int take_truth(void *data, uint64_t first, uint64_t end, uint64_t n_rows, const struct tf_tensor *const *results)
{
    struct comparing *c = data;
    progress_tell(c->s->ctx, "computing the truth", first, n_rows);
    for (size_t i = 0; i < c->s->candidate.n; i++) {
        uint64_t at = part(c, i, first, n_rows), n = part(c, i, end, n_rows) - at;
        arbiter_feed(
            &c->arbitrations[i], c->s->candidate.at[i].tensor, c->s->reference.at[i].tensor, at, n, results[i]);
    }
    return 0;
}

static struct comparing comparing_of(struct session *s)
{
    size_t n = s->candidate.n;
    return (struct comparing){.s = s,
        .excusings = CTX_ARRAY(s->ctx, struct excusing, n),
        .arbitrations = CTX_ARRAY(s->ctx, struct arbitration, n),
        .by = CTX_ARRAY(s->ctx, struct judged_by, n)};
}

#define MOST_EXCUSED ((size_t)1 << 26) /* elements that are worth a second look */

/* Nobody asked for enclosures, and something differs: whether it is legal is worth knowing.  What has none stays as it is. */
static void look_for_excuse(struct session *s)
{
    struct run_finding *run = s->run;
    const char *declared = run->candidate_declared;
    struct comparing c = comparing_of(s);
    size_t elements = 0, failed = 0, mark = diag_mark(s->ctx);
    for (size_t i = 0; i < run->n_outputs; i++) {
        elements += s->candidate.at[i].tensor->count;
        failed += run->outputs[i].verdict == VERDICT_FAIL;
    }
    if (!failed || elements > MOST_EXCUSED || !run->has_reference || s->job->n_expected || !s->job->inputs)
        return;
    if (!enclose(s, NULL, take_enclosures, &c))
        for (size_t i = 0; i < run->n_outputs; i++)
            excuse_end(&c.excusings[i], &run->outputs[i]);
    diag_drop(s->ctx, mark);
    run->candidate_declared = declared;
}

/* Whether something that judges by enclosures wants them whole. */
static int wants_whole(const struct request *request)
{
    for (size_t i = 0; i < request->outputs.n; i++)
        for (size_t k = 0; k < request->outputs.at[i].comparisons.n; k++) {
            const struct tf_predicate *predicate = request->outputs.at[i].comparisons.at[k].predicate;
            if (predicate->judge_enclosed && !judging_folds(predicate, 1))
                return 1;
        }
    return 0;
}

static int feed_enclosed(struct session *s, struct comparing *c, struct leaves *whole)
{
    int is_whole = wants_whole(&s->job->request);
    int status = enclose(s, is_whole ? whole : NULL, take_enclosures, c);
    for (size_t i = 0; i < whole->n; i++)
        c->by[i].enclosure = whole->at[i].tensor;
    for (size_t i = 0; i < s->run->n_outputs; i++)
        s->run->outputs[i].walks = &s->run->walks;
    return status;
}

#define FED ((uint64_t)1 << 23) /* elements, after which it is said how far the comparison is */

static int feed(struct session *s, struct comparing *c, struct leaves *whole)
{
    if (request_encloses(&s->job->request))
        return feed_enclosed(s, c, whole);
    for (size_t i = 0; i < s->candidate.n; i++) {
        uint64_t count = s->candidate.at[i].tensor->count;
        const char *what = arena_format(&s->ctx->arena, "comparing %s", s->candidate.at[i].path);
        for (uint64_t at = 0; at < count; at += FED) {
            progress_tell(s->ctx, what, at, count);
            judging_feed(c->judgings[i], at, count - at < FED ? count - at : FED, NULL);
        }
    }
    return 0;
}

static int judge_outputs(struct session *s)
{
    struct run_finding *run = s->run;
    struct leaves whole = {0};
    struct comparing c = comparing_of(s);
    int encloses = request_encloses(&s->job->request), status = 0;
    size_t begun = 0;
    c.judgings = CTX_ARRAY(s->ctx, struct judging *, run->n_outputs);
    for (; begun < run->n_outputs && !status; begun++)
        status = judging_begin(s->ctx, &s->job->request, asked_of(&s->job->request, s->candidate.at[begun].path),
            &s->candidate.at[begun], run->has_reference ? &s->reference.at[begun] : NULL,
            encloses ? &c.by[begun] : NULL, &run->outputs[begun], &c.judgings[begun]);
    if (!status)
        status = feed(s, &c, &whole);
    for (size_t i = 0; i < begun; i++)
        status = judging_end(c.judgings[i], status);
    for (size_t i = 0; !status && encloses && run->has_reference && i < run->n_outputs; i++)
        excuse_end(&c.excusings[i], &run->outputs[i]);
    leaves_release(&whole);
    return status;
}

static int compare(struct session *s)
{
    struct run_finding *run = s->run;
    int status = request_suits(s->ctx, &s->job->request, &s->candidate, run->has_reference);
    if (!status && run->has_reference)
        status = leaves_agree(s->ctx, &s->candidate, &s->reference);
    if (status)
        return status;
    run->n_outputs = s->candidate.n;
    run->outputs = CTX_ARRAY(s->ctx, struct output_finding, run->n_outputs);
    status = judge_outputs(s);
    if (!status && !request_encloses(&s->job->request))
        look_for_excuse(s);
    run->verdict = run_verdict(run);
    return status;
}

static int explain_asked(struct session *s)
{
    struct tf_declared declared = declared_default();
    struct tensor **delivered = CTX_ARRAY(s->ctx, struct tensor *, s->candidate.n);
    int status = read_declarations(s, &declared);
    for (size_t i = 0; i < s->candidate.n; i++)
        delivered[i] = s->candidate.at[i].tensor;
    const struct bound_request bound = {
        .declared = &declared, .fp8_overflow = s->job->plan.fp8_overflow, .delivered = delivered};
    const struct explain_request request = {.asked = s->job->explain,
        .function = s->function,
        .params = s->params,
        .memory = &s->memory,
        .bound = &bound,
        .candidate = &s->candidate,
        .reference = &s->reference};
    return status ? status : explain(s->ctx, &request, s->run->outputs);
}

static int find_truth(struct session *s, struct comparing *c)
{
    struct eval_result result = {0};
    struct leaves truth = {0};
    int rc = eval_rows(s->ctx, s->function, s->params, &s->memory, TF_EVAL_EXACT, NULL, 0, take_truth, c);
    if (rc != TF_E_UNSUPPORTED)
        return rc ? CHECK_ERROR : 0;
    rc = eval_exact(s->ctx, s->function, s->params, &s->memory, &result);
    int status = keep_leaves(s, s->function, rc, &result, &truth);
    if (!status)
        status = hand_on(s, &truth, take_truth, c);
    leaves_release(&truth);
    return status;
}

static int ask_arbiter(struct session *s)
{
    struct comparing c = comparing_of(s);
    int status = find_truth(s, &c);
    for (size_t i = 0; i < s->run->n_outputs && !status; i++) {
        s->run->outputs[i].arbiter = CTX_NEW(s->ctx, struct arbiter_finding);
        arbiter_end(s->ctx, &c.arbitrations[i], s->candidate.at[i].tensor, s->reference.at[i].tensor,
            s->run->outputs[i].arbiter);
    }
    return status;
}

static int run_and_compare(struct session *s)
{
    if (show_inputs(s))
        return CHECK_ERROR;
    if (s->job->inputs && inputs_make(s->ctx, s->function, &s->job->plan, &s->memory, s->params))
        return CHECK_ERROR;
    int status = run_candidate(s);
    if (!status)
        status = run_reference(s);
    if (!status)
        status = compare(s);
    if (!status && s->job->explain)
        status = explain_asked(s);
    return status || !s->job->arbiter || !s->run->has_reference ? status : ask_arbiter(s);
}

int check_run(
    tf_ctx *ctx, const struct check_job *job, const struct dim_binding *dims, size_t n_dims, struct run_finding *run)
{
    struct session s = {.ctx = ctx, .job = job, .dims = dims, .n_dims = n_dims, .run = run};
    *run = (struct run_finding){.dims = dims, .n_dims = n_dims};
    const struct ir_function *inlined = inline_bound(&s, &job->selected, 1);
    if (!inlined)
        return CHECK_ERROR;
    s.inlined = inlined;
    s.function = &inlined->pub;
    s.params = CTX_ARRAY(ctx, struct tensor *, s.function->n_params);
    int status = run_and_compare(&s);
    leaves_release(&s.candidate);
    leaves_release(&s.reference);
    inputs_free(s.function, s.params);
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

/* SPDX-License-Identifier: MIT
 * One output held to all that was asked of it.
 */
#include "check/check.h"

#include "plugin/numbers.h"
#include "plugin/registry.h"
#include "type/type.h"
#include "util/diag.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

const char *verdict_text(enum verdict verdict)
{
    static const char *const TEXTS[] = {
#define X(NAME) #NAME,
        VERDICTS(X)
#undef X
    };
    return TEXTS[verdict];
}

const char *index_text(tf_ctx *ctx, const struct tensor *tensor, uint64_t index)
{
    uint64_t at[TF_MAX_RANK];
    const char *text = "[";
    for (uint32_t i = tensor->pub.rank; i-- > 0; index /= (uint64_t)tensor->extents[i])
        at[i] = index % (uint64_t)tensor->extents[i];
    for (uint32_t i = 0; i < tensor->pub.rank; i++)
        text = arena_format(&ctx->arena, "%s%s%" PRIu64, text, i ? "," : "", at[i]);
    return arena_format(&ctx->arena, "%s]", text);
}

double element_value(const struct tensor *tensor, uint64_t index)
{
    double value;
    const char *at = (const char *)tensor->pub.data + index * number_bytes(tensor->pub.dtype);
    number_load_f64(tensor->pub.dtype, 1, at, &value);
    return value;
}

int judge(tf_ctx *ctx, const struct comparison *comparison, const struct tf_tensor *candidate,
    const struct tf_tensor *reference, const struct tf_tensor *enclosure, struct tf_judgement *judgement)
{
    const struct tf_predicate *predicate = comparison->predicate;
    const struct tf_tensor *held = predicate->needs_reference ? reference : NULL;
    const struct plugin *owner = registry_owner(ctx, predicate);
    const char *before = ctx->plugin;
    size_t errors = diag_errors(ctx);
    *judgement = (struct tf_judgement){.struct_size = sizeof(*judgement)};
    ctx->plugin = owner ? owner->descriptor.name : NULL;
    int status = TF_E_UNSUPPORTED;
    if (predicate->judge_enclosed && enclosure)
        status = predicate->judge_enclosed(ctx, candidate, held, enclosure, comparison->bounds, judgement);
    else if (predicate->judge)
        status = predicate->judge(ctx, candidate, held, comparison->bounds, judgement);
    ctx->plugin = before;
    if (judgement->n_values > sizeof(judgement->values) / sizeof(*judgement->values))
        judgement->n_values = 0, status = TF_E_INTERNAL;
    if (!status)
        return 0;
    if (diag_errors(ctx) == errors)
        ERROR(ctx, NULL, "check-comparison", "%s failed without a reason", predicate->name);
    return CHECK_ERROR;
}

/* ---- NaN in the reference -----------------------------------------------------------------------------------------*/

#define BLOCK 512u

/* The element that is the first NaN, or the count. */
static uint64_t first_nan(const struct tensor *tensor)
{
    double values[BLOCK];
    size_t width = number_bytes(tensor->pub.dtype);
    if (dtype_info(tensor->pub.dtype)->cls != TF_CLASS_FLOAT)
        return tensor->count;
    for (size_t at = 0; at < tensor->count; at += BLOCK) {
        size_t n = tensor->count - at < BLOCK ? tensor->count - at : BLOCK;
        number_load_f64(tensor->pub.dtype, n, (const char *)tensor->pub.data + at * width, values);
        for (size_t i = 0; i < n; i++)
            if (isnan(values[i]))
                return at + i;
    }
    return tensor->count;
}

static struct tensor *copy_tensor(tf_ctx *ctx, const struct tensor *tensor)
{
    struct tensor *copy = tensor_new(ctx, tensor->memory, tensor->pub.dtype, tensor->pub.rank, tensor->extents);
    if (copy)
        memcpy(copy->pub.data, tensor->pub.data, tensor->bytes);
    return copy;
}

/* Where both are NaN, both become the code 0: they agree, and weigh nothing in a sum. */
static void drop_nans(struct tensor *candidate, struct tensor *reference, struct tensor *enclosure)
{
    size_t width = number_bytes(candidate->pub.dtype);
    for (size_t i = 0; i < candidate->count; i++)
        if (isnan(element_value(candidate, i)) && isnan(element_value(reference, i))) {
            memset((char *)candidate->pub.data + i * width, 0, width);
            memset((char *)reference->pub.data + i * width, 0, width);
            if (enclosure) {
                ((double *)enclosure->pub.data)[i] = enclosure->pub.bound[i] = 0;
                enclosure->pub.doubt[i] = 0;
            }
        }
}

/* ---- one output ---------------------------------------------------------------------------------------------------*/

static double largest_magnitude(const struct tensor *tensor)
{
    double values[BLOCK], largest = 0;
    size_t width = number_bytes(tensor->pub.dtype);
    for (size_t at = 0; at < tensor->count; at += BLOCK) {
        size_t n = tensor->count - at < BLOCK ? tensor->count - at : BLOCK;
        number_load_f64(tensor->pub.dtype, n, (const char *)tensor->pub.data + at * width, values);
        for (size_t i = 0; i < n; i++)
            largest = fabs(values[i]) > largest ? fabs(values[i]) : largest;
    }
    return largest;
}

/* An output without elements never passes, whatever a predicate thinks of it. */
static void fail_empty(struct tf_judgement *judgement)
{
    judgement->passed = 0;
    judgement->note = "the output has no elements, so nothing was compared";
}

/* Keeps what the report says of the element that decided, as the tensors do not live as long. */
static void name_element(tf_ctx *ctx, const struct tensor *candidate, const struct tensor *reference,
    const struct tensor *enclosure, struct finding *found)
{
    uint64_t at = found->judgement.worst - 1;
    if (found->judgement.passed || at >= candidate->count)
        return;
    found->where = index_text(ctx, candidate, at);
    found->candidate = element_value(candidate, at);
    found->reference = reference ? element_value(reference, at) : 0;
    found->has_enclosure = enclosure && found->asked->predicate->judge_enclosed;
    if (!found->has_enclosure)
        return;
    found->lo = ((const double *)enclosure->pub.data)[at];
    found->hi = enclosure->pub.bound[at];
}

static int judge_all(tf_ctx *ctx, const struct asked *asked, const struct tensor *candidate,
    const struct tensor *original, const struct tensor *reference, const struct tensor *enclosure,
    struct output_finding *finding)
{
    for (size_t i = 0; i < asked->comparisons.n; i++) {
        const struct comparison *comparison = &asked->comparisons.at[i];
        struct finding *found = &finding->findings[i];
        /* a judge of the candidate alone sees its NaNs */
        const struct tensor *side = comparison->predicate->needs_reference ? candidate : original;
        found->asked = comparison;
        if (judge(ctx, comparison, &side->pub, reference ? &reference->pub : NULL, enclosure ? &enclosure->pub : NULL,
                &found->judgement))
            return CHECK_ERROR;
        if (!candidate->count)
            fail_empty(&found->judgement);
        if (!found->judgement.passed)
            finding->verdict = VERDICT_FAIL;
        name_element(ctx, original, reference, enclosure, found);
    }
    return 0;
}

static void weigh_mutants(const struct request *request, struct output_finding *finding)
{
    for (size_t i = 0; i < finding->n_mutants; i++)
        if (!finding->mutants[i].killed_by && (finding->mutants[i].is_gross || request->strict) &&
            finding->verdict < VERDICT_VACUOUS)
            finding->verdict = VERDICT_VACUOUS;
}

static int judge_sides(tf_ctx *ctx, const struct request *request, const struct asked *asked,
    const struct tensor *candidate, const struct tensor *original, const struct tensor *reference,
    const struct tensor *enclosure, struct output_finding *finding)
{
    int status = judge_all(ctx, asked, candidate, original, reference, enclosure, finding);
    if (!status && reference)
        status = run_mutants(ctx, asked, reference, enclosure, finding);
    weigh_mutants(request, finding);
    return status;
}

int judge_output(tf_ctx *ctx, const struct request *request, const struct asked *asked, const struct leaf *candidate,
    const struct leaf *reference, struct tensor *enclosure, struct output_finding *finding)
{
    const struct tensor *tensor = candidate->tensor;
    *finding = (struct output_finding){.path = candidate->path,
        .shape = {tensor->pub.dtype, tensor->pub.rank,
            arena_copy(&ctx->arena, tensor->extents, tensor->pub.rank * sizeof(*tensor->extents))},
        .elements = tensor->count,
        .has_reference = reference != NULL,
        .n_findings = asked->comparisons.n,
        .findings = CTX_ARRAY(ctx, struct finding, asked->comparisons.n)};
    if (!reference)
        return judge_sides(ctx, request, asked, candidate->tensor, candidate->tensor, NULL, NULL, finding);
    finding->norm = tensor_norm(ctx, reference->tensor);
    finding->largest = largest_magnitude(reference->tensor);
    uint64_t nan = first_nan(reference->tensor);
    if (nan == reference->tensor->count)
        return judge_sides(
            ctx, request, asked, candidate->tensor, candidate->tensor, reference->tensor, enclosure, finding);
    if (!request->nan_equal) {
        ERROR(ctx, NULL, "check-nan",
            "%s%s: the reference is NaN there, so nothing can be held to it; --nan-equal lets NaN agree with NaN",
            reference->path, index_text(ctx, reference->tensor, nan));
        return CHECK_USAGE;
    }
    struct tensor *c = copy_tensor(ctx, candidate->tensor), *r = copy_tensor(ctx, reference->tensor);
    int status = CHECK_ERROR;
    if (c && r) {
        drop_nans(c, r, enclosure);
        status = judge_sides(ctx, request, asked, c, candidate->tensor, r, enclosure, finding);
    }
    tensor_release(c);
    tensor_release(r);
    return status;
}

enum verdict run_verdict(const struct run_finding *run)
{
    enum verdict worst = run->different ? VERDICT_NONDETERMINISTIC : VERDICT_PASS;
    const struct memory_finding *memory = run->memory;
    for (size_t i = 0; i < run->n_outputs; i++)
        worst = run->outputs[i].verdict > worst ? run->outputs[i].verdict : worst;
    if (!run->n_outputs ||
        (memory && (memory->unwritten || memory->canaries || memory->inputs_changed || memory->stale)))
        worst = VERDICT_FAIL;
    return worst;
}

int check_came_to_nothing(const struct run_finding *runs, size_t n)
{
    size_t errors = 0;
    for (size_t i = 0; i < n; i++)
        errors += runs[i].verdict == VERDICT_ERROR;
    return n && errors == n;
}

enum verdict worst_verdict(const struct run_finding *runs, size_t n)
{
    enum verdict worst = n ? VERDICT_PASS : VERDICT_FAIL;
    for (size_t i = 0; i < n; i++)
        worst = runs[i].verdict > worst ? runs[i].verdict : worst;
    return worst;
}

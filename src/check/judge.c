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

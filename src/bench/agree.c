/* SPDX-License-Identifier: MIT
 * A wrong kernel's time is worth nothing.  Equal bits are the cheap test, and a sound one; where bits differ, what
 * legal implementations can give decides, which takes the evaluator longer.
 */
#include "bench/bench.h"

#include "check/check.h"
#include "check/declare.h"
#include "eval/run.h"
#include "plugin/registry.h"
#include "util/diag.h"

#include <string.h>

static int is_equal(const struct truth *truth, const struct side *side)
{
    for (size_t i = 0; i < truth->n; i++)
        if (truth->reference[i]->bytes &&
            memcmp(truth->reference[i]->pub.data, side->results[i]->pub.data, truth->reference[i]->bytes) != 0)
            return 0;
    return 1;
}

/* One that needs no bound of the user's. */
static int computes_bound(const struct tf_predicate *predicate)
{
    return predicate && predicate->judge_enclosed && !predicate->n_bounds;
}

static int refuse(tf_ctx *ctx, const struct truth *truth, const struct side *side, const char *why)
{
    ERROR(ctx, NULL, "bench-wrong",
        "%s does not compute what '%s' says: %s, so its time is worth nothing; tilefoundry check tells more, and "
        "--no-check measures it all the same",
        side->label, truth->function->name, why);
    return TF_E_REFUSED;
}

static int judge_leaf(tf_ctx *ctx, const struct truth *truth, const struct side *side,
    const struct tf_predicate *predicate, size_t i, const struct tensor *enclosure)
{
    const struct comparison comparison = {.predicate = predicate};
    struct tf_judgement judgement = {.struct_size = sizeof(judgement)};
    const struct tf_tensor *candidate = &side->results[i]->pub;
    if (judge(ctx, &comparison, candidate, &truth->reference[i]->pub, &enclosure->pub, &judgement))
        return TF_E_REFUSED;
    if (judgement.passed)
        return TF_OK;
    const char *where = judgement.worst ? index_text(ctx, side->results[i], judgement.worst - 1) : "somewhere";
    return refuse(
        ctx, truth, side, arena_format(&ctx->arena, "%s refuses output %zu at %s", predicate->name, i, where));
}

static int judge_all(tf_ctx *ctx, const struct truth *truth, const struct side *side,
    const struct eval_result *enclosures, const char **agreement)
{
    const char *const *names;
    size_t n = registry_names(ctx, "predicate", &names);
    for (size_t k = 0; k < n; k++) {
        const struct tf_predicate *predicate = registry_predicate(ctx, names[k]);
        for (size_t i = 0; computes_bound(predicate) && i < truth->n; i++)
            if (judge_leaf(ctx, truth, side, predicate, i, enclosures->leaves[i]))
                return TF_E_REFUSED;
        if (computes_bound(predicate))
            *agreement =
                *agreement ? arena_format(&ctx->arena, "%s, %s", *agreement, predicate->name) : predicate->name;
    }
    return *agreement ? TF_OK
                      : refuse(ctx, truth, side, "its bits differ, and no comparison is there that computes a bound");
}

int agree(tf_ctx *ctx, const struct truth *truth, const struct side *side, const char **agreement)
{
    struct tf_declared declared = declared_default();
    struct eval_result enclosures = {0};
    *agreement = NULL;
    if (is_equal(truth, side))
        return *agreement = "the same bits", TF_OK;
    if (side->declared && (declare(ctx, &declared, side->label, side->declared) ||
                              declare_facts(ctx, &declared, side->label, truth->module)))
        return TF_E_REFUSED;
    struct tensor **delivered = CTX_ARRAY(ctx, struct tensor *, truth->n);
    memcpy(delivered, side->results, truth->n * sizeof(*delivered));
    struct tf_walks walks = {.struct_size = sizeof(walks), .seed = truth->seed};
    const struct bound_request request = {
        .declared = &declared, .fp8_overflow = truth->fp8_overflow, .delivered = delivered, .walks = &walks};
    int status = eval_bound(ctx, truth->function, truth->params, truth->memory, &request, &enclosures);
    if (!status)
        status = judge_all(ctx, truth, side, &enclosures, agreement);
    eval_result_free(&enclosures);
    return status;
}

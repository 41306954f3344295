/* SPDX-License-Identifier: MIT
 * --explain: how the enclosure of one element came about, in words and numbers that do not need the tensors any more.
 */
#include "check/explain.h"

#include "eval/explain.h"
#include "eval/origin.h"
#include "util/diag.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int refuse(tf_ctx *ctx, const char *asked, const char *why)
{
    ERROR(ctx, NULL, "check-explain", "--explain %s: %s", asked, why);
    return CHECK_USAGE;
}

/* ---- which element ------------------------------------------------------------------------------------------------*/

static int find_output(tf_ctx *ctx, const char *asked, const struct leaves *outputs, size_t *which)
{
    size_t length = strcspn(asked, "=");
    const char *list = "";
    for (size_t i = 0; i < outputs->n; i++) {
        if (strlen(outputs->at[i].path) == length && !strncmp(outputs->at[i].path, asked, length))
            return *which = i, 0;
        list = arena_format(&ctx->arena, "%s%s%s", list, i ? ", " : "", outputs->at[i].path);
    }
    return refuse(ctx, asked, arena_format(&ctx->arena, "there is no such output; there are %s", list));
}

/* "3,17" as the number of an element. */
static int read_index(tf_ctx *ctx, const char *asked, const char *text, const struct tensor *tensor, uint64_t *index)
{
    uint32_t axis = 0;
    *index = 0;
    for (int more = 1; more; axis++) {
        char *end;
        long long at = strtoll(text, &end, 10);
        if (end == text || (*end && *end != ','))
            return refuse(ctx, asked, "an element is OUTPUT=I,J, with a number for each axis");
        if (axis < tensor->pub.rank && (at < 0 || at >= tensor->extents[axis]))
            return refuse(ctx, asked,
                arena_format(
                    &ctx->arena, "axis %u has %" PRId64 " elements, counted from 0", axis, tensor->extents[axis]));
        if (axis < tensor->pub.rank)
            *index = *index * (uint64_t)tensor->extents[axis] + (uint64_t)at;
        more = *end == ',';
        text = end + more;
    }
    return axis == tensor->pub.rank
               ? 0
               : refuse(ctx, asked, arena_format(&ctx->arena, "the output has %u axes", tensor->pub.rank));
}

/* The element that is farthest outside, or, where none is, the one with the widest enclosure. */
static uint64_t worst_of(const struct tensor *candidate, const struct tensor *enclosure)
{
    uint64_t worst = 0;
    double most = -1;
    int is_outside = 0;
    for (size_t i = 0; i < candidate->count; i++) {
        double value = element_value(candidate, i), lo = ((const double *)enclosure->pub.data)[i];
        double hi = enclosure->pub.bound[i], width = hi - lo > 0 ? hi - lo : 0;
        double outside = isnan(value) ? (enclosure->pub.doubt[i] ? 0 : (double)INFINITY)
                         : value < lo ? lo - value
                         : value > hi ? value - hi
                                      : 0;
        if ((outside > 0) < is_outside || (outside > 0 ? outside : width) <= ((outside > 0) == is_outside ? most : -1))
            continue;
        is_outside = outside > 0;
        most = is_outside ? outside : width;
        worst = i;
    }
    return worst;
}

/* ---- in words -----------------------------------------------------------------------------------------------------*/

static const char *place_of(tf_ctx *ctx, const struct tf_node *node)
{
    const struct source *source = source_get(ctx, node->loc.file);
    const char *slash = source ? strrchr(source->path, '/') : NULL;
    return source ? arena_format(&ctx->arena, "%s:%u", slash ? slash + 1 : source->path, node->loc.line) : "";
}

static const char *index_in(tf_ctx *ctx, const struct tf_type *type, uint64_t index)
{
    uint64_t at[TF_MAX_RANK];
    const char *text = "[";
    for (uint32_t i = type->rank; i-- > 0; index /= (uint64_t)type->shape[i]->value)
        at[i] = index % (uint64_t)type->shape[i]->value;
    for (uint32_t i = 0; i < type->rank; i++)
        text = arena_format(&ctx->arena, "%s%s%" PRIu64, text, i ? "," : "", at[i]);
    return arena_format(&ctx->arena, "%s]", text);
}

static struct explained_line line_of(tf_ctx *ctx, const struct explained_step *step)
{
    uint32_t n = leaf_count(step->node->type);
    const struct tf_type **types = CTX_ARRAY(ctx, const struct tf_type *, n);
    type_leaves(step->node->type, types, n);
    return (struct explained_line){.operation = call_word(step->node),
        .place = place_of(ctx, step->node),
        .where = index_in(ctx, types[step->leaf], step->index),
        .elements = step->elements,
        .trips = step->trips,
        .lo = step->lo,
        .hi = step->hi,
        .added = step->added,
        .may_be_nan = step->doubt != 0};
}

static struct explained *keep(tf_ctx *ctx, const struct explanation *explanation)
{
    struct explained *explained = CTX_NEW(ctx, struct explained);
    explained->single = explanation->single;
    explained->n = explanation->steps.n;
    explained->lines = CTX_ARRAY(ctx, struct explained_line, explanation->steps.n);
    for (size_t i = 0; i < explanation->steps.n; i++)
        explained->lines[i] = line_of(ctx, &explanation->steps.at[i]);
    return explained;
}

/* ---- all of it ----------------------------------------------------------------------------------------------------*/

static int explain_one(tf_ctx *ctx, const struct explain_request *r, size_t which, const struct tensor *enclosure,
    uint64_t index, struct explained **to)
{
    struct explanation explanation;
    const struct tensor *candidate = r->candidate->at[which].tensor;
    const struct tensor *reference = r->reference->n ? r->reference->at[which].tensor : NULL;
    int rc = explain_element(ctx, r->function, r->params, r->memory, r->bound, (uint32_t)which, index, &explanation);
    if (rc == TF_OK) {
        *to = keep(ctx, &explanation);
        (*to)->where = index_text(ctx, candidate, index);
        (*to)->candidate = element_value(candidate, index);
        (*to)->has_reference = reference != NULL;
        (*to)->reference = reference ? element_value(reference, index) : 0;
        (*to)->lo = ((const double *)enclosure->pub.data)[index];
        (*to)->hi = enclosure->pub.bound[index];
    }
    VEC_FREE(&explanation.steps);
    return rc == TF_OK ? 0 : CHECK_ERROR;
}

int explain(tf_ctx *ctx, const struct explain_request *r, struct output_finding *outputs)
{
    struct eval_result result = {0};
    const char *equals = strchr(r->asked, '=');
    size_t which = 0;
    uint64_t index = 0;
    int status = find_output(ctx, r->asked, r->candidate, &which);
    const struct tensor *candidate = status ? NULL : r->candidate->at[which].tensor;
    if (!status && !candidate->count)
        return refuse(ctx, r->asked, "the output has no elements");
    if (!status && equals)
        status = read_index(ctx, r->asked, equals + 1, candidate, &index);
    if (status)
        return status;
    if (eval_bound(ctx, r->function, r->params, r->memory, r->bound, &result))
        return eval_result_free(&result), CHECK_ERROR;
    if (!equals)
        index = worst_of(candidate, result.leaves[which]);
    status = explain_one(ctx, r, which, result.leaves[which], index, &outputs[which].explained);
    eval_result_free(&result);
    return status;
}

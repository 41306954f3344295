/* SPDX-License-Identifier: MIT
 * The outputs of a run: their paths, and whether what was asked can be answered.
 */
#include "check/check.h"

#include "plugin/registry.h"
#include "type/type.h"
#include "util/diag.h"

#include <string.h>

/* ---- paths --------------------------------------------------------------------------------------------------------*/

static size_t count_leaves(const struct tf_type *type)
{
    if (type->kind == TF_TYPE_TENSOR)
        return 1;
    size_t n = 0;
    for (uint32_t i = 0; i < type->rank; i++)
        n += count_leaves(type->fields[i]);
    return n;
}

/* Tuples nest no deeper than the program is written, which the parser limits. */
static struct leaf *name_leaves(tf_ctx *ctx, const struct tf_type *type, const char *path, struct leaf *to)
{
    if (type->kind == TF_TYPE_TENSOR)
        return to->path = path, to + 1;
    for (uint32_t i = 0; i < type->rank; i++)
        to = name_leaves(ctx, type->fields[i], arena_format(&ctx->arena, "%s[%u]", path, i), to);
    return to;
}

struct leaves leaves_of_type(tf_ctx *ctx, const struct tf_type *type)
{
    struct leaves leaves = {.n = count_leaves(type)};
    leaves.at = CTX_ARRAY(ctx, struct leaf, leaves.n);
    name_leaves(ctx, type, "output", leaves.at);
    return leaves;
}

/* ---- the question -------------------------------------------------------------------------------------------------*/

static const char *paths_text(tf_ctx *ctx, const struct leaves *outputs)
{
    struct buf text = {0};
    for (size_t i = 0; i < outputs->n; i++)
        buf_printf(&text, "%s%s", i ? ", " : "", outputs->at[i].path);
    const char *kept = ctx_intern(ctx, buf_text(&text));
    buf_free(&text);
    return kept;
}

static const struct leaf *find_leaf(const struct leaves *outputs, const char *path)
{
    for (size_t i = 0; i < outputs->n; i++)
        if (!strcmp(outputs->at[i].path, path))
            return &outputs->at[i];
    return NULL;
}

/* Names of the predicates that take a dtype, or (reference: 0) that need no reference. */
static const char *names_where(tf_ctx *ctx, uint32_t dtype, int reference)
{
    const char *const *names;
    const char *text = "";
    size_t n = registry_names(ctx, "predicate", &names);
    for (size_t i = 0; i < n; i++) {
        const struct tf_predicate *predicate = registry_predicate(ctx, names[i]);
        if (predicate && (reference ? predicate->dtypes >> dtype & 1 : !predicate->needs_reference))
            text = arena_format(&ctx->arena, "%s%s%s", text, *text ? ", " : "", names[i]);
    }
    return *text ? text : "nothing";
}

static int comparison_suits(
    tf_ctx *ctx, const struct comparison *comparison, const struct leaf *output, int has_reference)
{
    const struct tf_predicate *predicate = comparison->predicate;
    uint32_t dtype = output->tensor->pub.dtype;
    if (!has_reference && predicate->needs_reference) {
        ERROR(ctx, NULL, "check-reference",
            "%s: %s needs a reference, and there is none: give --expected FILE, or a candidate by --actual or --twin; "
            "without one there is %s",
            output->path, predicate->name, names_where(ctx, dtype, 0));
        return CHECK_USAGE;
    }
    if (predicate->dtypes >> dtype & 1)
        return 0;
    ERROR(ctx, NULL, "check-dtype", "%s is %s, of which %s says nothing: compare it by %s", output->path,
        dtype_info(dtype)->name, predicate->name, names_where(ctx, dtype, 1));
    return CHECK_USAGE;
}

static const struct asked *find_asked(const struct request *request, const char *path)
{
    for (size_t i = 0; i < request->outputs.n; i++)
        if (!strcmp(request->outputs.at[i].path, path))
            return &request->outputs.at[i];
    return NULL;
}

int request_suits(tf_ctx *ctx, const struct request *request, const struct leaves *outputs, int has_reference)
{
    for (size_t i = 0; i < request->outputs.n; i++)
        if (!find_leaf(outputs, request->outputs.at[i].path)) {
            ERROR(ctx, NULL, "check-output", "there is no output %s: this run gives %s", request->outputs.at[i].path,
                paths_text(ctx, outputs));
            return CHECK_USAGE;
        }
    for (size_t i = 0; i < outputs->n; i++) {
        const struct asked *asked = find_asked(request, outputs->at[i].path);
        if (!asked) {
            ERROR(ctx, NULL, "check-output",
                "nothing is compared of %s: every output needs --out and at least one --fn", outputs->at[i].path);
            return CHECK_USAGE;
        }
        for (size_t k = 0; k < asked->comparisons.n; k++) {
            int status = comparison_suits(ctx, &asked->comparisons.at[k], &outputs->at[i], has_reference);
            if (status)
                return status;
        }
    }
    return 0;
}

/* ---- the two sides ------------------------------------------------------------------------------------------------*/

static int same_shape(const struct tensor *a, const struct tensor *b)
{
    if (a->pub.rank != b->pub.rank || a->pub.dtype != b->pub.dtype)
        return 0;
    for (uint32_t i = 0; i < a->pub.rank; i++)
        if (a->extents[i] != b->extents[i])
            return 0;
    return 1;
}

int leaves_agree(tf_ctx *ctx, const struct leaves *candidate, const struct leaves *reference)
{
    if (candidate->n != reference->n) {
        ERROR(ctx, NULL, "check-mismatch", "the candidate gives %zu output%s, the reference %zu: %s and %s",
            candidate->n, candidate->n == 1 ? "" : "s", reference->n, paths_text(ctx, candidate),
            paths_text(ctx, reference));
        return CHECK_ERROR;
    }
    for (size_t i = 0; i < candidate->n; i++) {
        const struct tensor *c = candidate->at[i].tensor, *r = reference->at[i].tensor;
        if (same_shape(c, r))
            continue;
        ERROR(ctx, NULL, "check-mismatch", "%s: the candidate is %s, the reference %s", candidate->at[i].path,
            tensor_text(ctx, c), tensor_text(ctx, r));
        return CHECK_ERROR;
    }
    return 0;
}

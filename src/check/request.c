/* SPDX-License-Identifier: MIT
 * The comparisons that the command line asks for.  Order carries meaning there: a bound belongs to the comparison before
 * it, a comparison to the output before it.
 */
#include "check/check.h"

#include "plugin/registry.h"
#include "util/diag.h"

#include <stdlib.h>
#include <string.h>

static struct asked *last_output(const struct request *request)
{
    return request->outputs.n ? &request->outputs.at[request->outputs.n - 1] : NULL;
}

static struct comparison *last_comparison(const struct request *request)
{
    struct asked *output = last_output(request);
    return output && output->comparisons.n ? &output->comparisons.at[output->comparisons.n - 1] : NULL;
}

/* "--max", "--atol, --rtol"; only: bit set of those that are listed */
static const char *bounds_text(tf_ctx *ctx, const struct tf_predicate *predicate, uint64_t only)
{
    const char *text = "";
    for (size_t i = 0; i < predicate->n_bounds; i++)
        if (only >> i & 1)
            text = arena_format(&ctx->arena, "%s%s--%s", text, *text ? ", " : "", predicate->bounds[i].name);
    return text;
}

static int finish_comparison(tf_ctx *ctx, const struct comparison *comparison)
{
    const struct tf_predicate *predicate = comparison->predicate;
    uint64_t missing = ~comparison->stated & ((UINT64_C(1) << predicate->n_bounds) - 1);
    if (!missing)
        return 0;
    ERROR(ctx, NULL, "check-bound", "--fn %s needs %s: no bound has a default", predicate->name,
        bounds_text(ctx, predicate, missing));
    return CHECK_USAGE;
}

/* What can be said once the next output or comparison begins, or the command line ends. */
static int finish_last(tf_ctx *ctx, const struct request *request, int ends_output)
{
    const struct asked *output = last_output(request);
    const struct comparison *comparison = last_comparison(request);
    if (comparison && finish_comparison(ctx, comparison))
        return CHECK_USAGE;
    if (!output || comparison || !ends_output)
        return 0;
    ERROR(ctx, NULL, "check-comparison",
        "--out %s has no --fn after it: name what it is compared by, such as --fn equal", output->path);
    return CHECK_USAGE;
}

int request_output(tf_ctx *ctx, struct request *request, const char *path)
{
    if (finish_last(ctx, request, 1))
        return CHECK_USAGE;
    for (size_t i = 0; i < request->outputs.n; i++)
        if (!strcmp(request->outputs.at[i].path, path)) {
            ERROR(ctx, NULL, "check-output", "--out %s is given twice: name all its comparisons after one", path);
            return CHECK_USAGE;
        }
    struct asked asked = {.path = path};
    VEC_PUSH(&request->outputs, asked);
    return 0;
}

static int unknown_predicate(tf_ctx *ctx, const char *name)
{
    const char *const *names;
    size_t n = registry_names(ctx, "predicate", &names);
    const char *near = did_you_mean(name, names, n), *list = "";
    for (size_t i = 0; i < n; i++)
        list = arena_format(&ctx->arena, "%s%s%s", list, i ? ", " : "", names[i]);
    if (near)
        ERROR(ctx, NULL, "check-comparison", "there is no comparison %s: did you mean %s?", name, near);
    else
        ERROR(ctx, NULL, "check-comparison", "there is no comparison %s; there are %s", name, n ? list : "none");
    return CHECK_USAGE;
}

int request_comparison(tf_ctx *ctx, struct request *request, const char *name)
{
    struct asked *output = last_output(request);
    if (finish_last(ctx, request, 0))
        return CHECK_USAGE;
    if (!output) {
        ERROR(ctx, NULL, "check-comparison", "--fn %s comes before any --out: name the output first", name);
        return CHECK_USAGE;
    }
    const struct tf_predicate *predicate = registry_predicate(ctx, name);
    if (!predicate)
        return unknown_predicate(ctx, name);
    if (predicate->n_bounds > 63) {
        ERROR(ctx, NULL, "check-comparison", "%s takes %zu bounds, and at most 63 can be stated", name,
            predicate->n_bounds);
        return CHECK_USAGE;
    }
    struct comparison comparison = {.predicate = predicate, .bounds = CTX_ARRAY(ctx, double, predicate->n_bounds)};
    VEC_PUSH(&output->comparisons, comparison);
    return 0;
}

static int wrong_bound(tf_ctx *ctx, const struct tf_predicate *predicate, const char *bound)
{
    if (predicate->n_bounds)
        ERROR(ctx, NULL, "check-bound", "--fn %s takes %s, not --%s", predicate->name,
            bounds_text(ctx, predicate, UINT64_MAX), bound);
    else
        ERROR(ctx, NULL, "check-bound", "--fn %s takes no bound, so no --%s", predicate->name, bound);
    return CHECK_USAGE;
}

int request_bound(tf_ctx *ctx, struct request *request, const char *bound, const char *value)
{
    struct comparison *comparison = last_comparison(request);
    char *end;
    size_t i = 0;
    if (!comparison) {
        ERROR(ctx, NULL, "check-bound", "--%s comes before any --fn: name the comparison that it bounds first", bound);
        return CHECK_USAGE;
    }
    const struct tf_predicate *predicate = comparison->predicate;
    while (i < predicate->n_bounds && strcmp(predicate->bounds[i].name, bound) != 0)
        i++;
    if (i == predicate->n_bounds)
        return wrong_bound(ctx, predicate, bound);
    if (comparison->stated >> i & 1) {
        ERROR(ctx, NULL, "check-bound", "--%s is given twice for one --fn %s", bound, predicate->name);
        return CHECK_USAGE;
    }
    comparison->bounds[i] = strtod(value, &end);
    if (end == value || *end) {
        ERROR(ctx, NULL, "check-bound", "--%s takes a number, got '%s'", bound, value);
        return CHECK_USAGE;
    }
    comparison->stated |= UINT64_C(1) << i;
    return 0;
}

int request_finish(tf_ctx *ctx, const struct request *request)
{
    if (!request->outputs.n) {
        ERROR(ctx, NULL, "check-output",
            "nothing is compared: every output needs --out OUTPUT and at least one --fn after it, as in --out output "
            "--fn equal");
        return CHECK_USAGE;
    }
    return finish_last(ctx, request, 1);
}

int request_encloses(const struct request *request)
{
    for (size_t i = 0; i < request->outputs.n; i++)
        for (size_t k = 0; k < request->outputs.at[i].comparisons.n; k++)
            if (request->outputs.at[i].comparisons.at[k].predicate->judge_enclosed)
                return 1;
    return 0;
}

int bound_exists(tf_ctx *ctx, const char *bound)
{
    const char *const *names;
    size_t n = registry_names(ctx, "predicate", &names);
    for (size_t i = 0; i < n; i++) {
        const struct tf_predicate *predicate = registry_predicate(ctx, names[i]);
        for (size_t k = 0; predicate && k < predicate->n_bounds; k++)
            if (!strcmp(predicate->bounds[k].name, bound))
                return 1;
    }
    return 0;
}

void request_free(struct request *request)
{
    for (size_t i = 0; i < request->outputs.n; i++)
        VEC_FREE(&request->outputs.at[i].comparisons);
    VEC_FREE(&request->outputs);
}

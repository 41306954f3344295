/* SPDX-License-Identifier: MIT
 * A candidate from outside is not trusted with anything: what it was given is looked at again afterwards, what it did
 * not write is known by two patterns, and an answer that it kept by the change of its inputs.
 */
#include "check/twin.h"

#include "plugin/numbers.h"
#include "plugin/registry.h"
#include "util/diag.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define POISON_FIRST 0xff
#define POISON_SECOND 0xa5

const struct tf_twin *twin_of(tf_ctx *ctx, const char *source)
{
    const char *const *names;
    size_t n = registry_names(ctx, "twin", &names);
    for (size_t i = 0; i < n; i++) {
        const struct tf_twin *twin = registry_twin(ctx, names[i]);
        if (twin && twin->claims(ctx, source) == TF_OK)
            return twin;
    }
    return NULL;
}

/* ---- memory -------------------------------------------------------------------------------------------------------*/

struct watch {
    tf_ctx *ctx;
    const struct twin_arg *args;
    const struct leaves *outputs;
    size_t n_args, n_results;
    struct guarded *memory;   /* of arguments, then of results */
    struct tf_tensor *views;  /* likewise */
    struct tf_tensor **lists; /* pointers to them */
    struct twin_finding *finding;
    size_t n_notes;
};

static struct guarded *result_memory(const struct watch *w, size_t i)
{
    return &w->memory[w->n_args + i];
}

static int add_view(struct watch *w, size_t i, const struct tensor *tensor)
{
    if (guarded_make(w->ctx, &w->memory[i], tensor->bytes))
        return CHECK_ERROR;
    w->views[i] = tensor->pub;
    w->views[i].data = w->memory[i].data;
    w->lists[i] = &w->views[i];
    return 0;
}

static int watch_open(struct watch *w)
{
    size_t n = w->n_args + w->n_results;
    w->memory = CTX_ARRAY(w->ctx, struct guarded, n);
    w->views = CTX_ARRAY(w->ctx, struct tf_tensor, n);
    w->lists = CTX_ARRAY(w->ctx, struct tf_tensor *, n);
    for (size_t i = 0; i < n; i++)
        if (add_view(w, i, i < w->n_args ? w->args[i].tensor : w->outputs->at[i - w->n_args].tensor))
            return CHECK_ERROR;
    return 0;
}

static void watch_close(struct watch *w)
{
    for (size_t i = 0; i < w->n_args + w->n_results; i++)
        guarded_free(&w->memory[i]);
}

/* "argument x", "output[0]" */
static const char *memory_name(const struct watch *w, size_t i)
{
    if (i < w->n_args)
        return arena_format(&w->ctx->arena, "argument %s", w->args[i].name);
    return w->outputs->at[i - w->n_args].path;
}

static void note(struct watch *w, const char *text)
{
    const char **notes = w->finding->memory.note;
    if (w->n_notes < 4)
        notes[w->n_notes++] = text;
}

static void fill(const struct watch *w, struct tensor *const *args, int poison)
{
    for (size_t i = 0; i < w->n_args; i++)
        memcpy(w->memory[i].data, args[i]->pub.data, args[i]->bytes);
    for (size_t i = 0; i < w->n_results; i++)
        memset(result_memory(w, i)->data, poison, result_memory(w, i)->bytes);
}

/* After a run: what it was not to touch. */
static void look_around(struct watch *w, struct tensor *const *args)
{
    struct memory_finding *found = &w->finding->memory;
    for (size_t i = 0; i < w->n_args + w->n_results; i++) {
        if (!guarded_is_intact(&w->memory[i]) && !found->canaries) {
            found->canaries = 1;
            note(w, arena_format(&w->ctx->arena, "bytes around %s were written", memory_name(w, i)));
        }
        if (i < w->n_args && !found->inputs_changed &&
            memcmp(w->memory[i].data, args[i]->pub.data, args[i]->bytes) != 0) {
            found->inputs_changed = 1;
            note(w, arena_format(&w->ctx->arena, "%s was changed", memory_name(w, i)));
        }
    }
}

/* ---- runs ---------------------------------------------------------------------------------------------------------*/

static int tell_fault(const struct watch *w, const struct child *child, const void *fault)
{
    for (size_t i = 0; i < w->n_args + w->n_results; i++) {
        int64_t past;
        if (!guarded_holds(&w->memory[i], fault, &past))
            continue;
        ERROR(w->ctx, NULL, "twin-bounds", "%s: the twin went outside of %s: %" PRId64 " bytes %s it", child->source,
            memory_name(w, i), past < 0 ? -past : past + 1, past < 0 ? "before" : "past the end of");
        return CHECK_ERROR;
    }
    ERROR(w->ctx, NULL, "twin-crash", "%s: the twin crashed: address %p is not its memory", child->source, fault);
    return CHECK_ERROR;
}

static int run_once(struct watch *w, struct child *child, struct tensor *const *args, int poison)
{
    const void *fault;
    fill(w, args, poison);
    int status = child_run(w->ctx, child, &fault);
    if (fault)
        return tell_fault(w, child, fault);
    if (!status)
        look_around(w, args);
    return status;
}

static void keep_outputs(const struct watch *w)
{
    for (size_t i = 0; i < w->n_results; i++)
        memcpy(w->outputs->at[i].tensor->pub.data, result_memory(w, i)->data, result_memory(w, i)->bytes);
}

static int is_pattern(const char *at, size_t width, int byte)
{
    for (size_t i = 0; i < width; i++)
        if ((unsigned char)at[i] != byte)
            return 0;
    return 1;
}

/* Elements that show one pattern after the first run and the other after the second; the rest is compared. */
static int count_unwritten(struct watch *w)
{
    uint64_t unwritten = 0;
    int differs = 0;
    for (size_t i = 0; i < w->n_results; i++) {
        const struct tensor *kept = w->outputs->at[i].tensor;
        const char *first = kept->pub.data, *second = result_memory(w, i)->data;
        size_t width = number_bytes(kept->pub.dtype);
        uint64_t here = 0;
        if (!memcmp(first, second, kept->bytes))
            continue;
        for (size_t at = 0; at < kept->bytes; at += width) {
            if (is_pattern(first + at, width, POISON_FIRST) && is_pattern(second + at, width, POISON_SECOND))
                here++;
            else if (memcmp(first + at, second + at, width) != 0)
                differs = 1;
        }
        if (here)
            note(w, arena_format(&w->ctx->arena, "%s: %" PRIu64 " of %zu elements were never written",
                        w->outputs->at[i].path, here, kept->count));
        unwritten += here;
    }
    w->finding->memory.unwritten = unwritten;
    return differs;
}

static int outputs_same(const struct watch *w)
{
    for (size_t i = 0; i < w->n_results; i++)
        if (memcmp(w->outputs->at[i].tensor->pub.data, result_memory(w, i)->data, result_memory(w, i)->bytes) != 0)
            return 0;
    return 1;
}

/* At least one run more than the first, with the other pattern; with --repeat as many as it says. */
static int run_again(struct watch *w, struct child *child, struct tensor *const *args, uint32_t repeats)
{
    uint32_t different = 0;
    for (uint32_t i = 1; i < (repeats > 2 ? repeats : 2); i++) {
        if (run_once(w, child, args, POISON_SECOND))
            return CHECK_ERROR;
        if (i == 1)
            different += (uint32_t)count_unwritten(w);
        else if (!w->finding->memory.unwritten)
            different += !outputs_same(w);
    }
    w->finding->repeats = repeats;
    w->finding->different = repeats ? different : 0;
    return 0;
}

/* ---- answers that were kept ---------------------------------------------------------------------------------------*/

/* The elements in reverse order: other contents of the same kind, and indices stay in range. */
static struct tensor *reversed(tf_ctx *ctx, const struct tensor *from)
{
    struct tensor *to = tensor_new(ctx, from->memory, from->pub.dtype, from->pub.rank, from->extents);
    size_t width = number_bytes(from->pub.dtype);
    for (size_t i = 0; to && i < from->count; i++)
        memcpy((char *)to->pub.data + (from->count - 1 - i) * width, (const char *)from->pub.data + i * width, width);
    return to;
}

/* Of two NaNs no bit counts: which of them arithmetic gives is nobody's word. */
static int values_differ(const struct tensor *a, const struct tensor *b)
{
    double x[64], y[64];
    size_t width = number_bytes(a->pub.dtype);
    if (a->bytes != b->bytes || dtype_info(a->pub.dtype)->cls != TF_CLASS_FLOAT)
        return a->bytes != b->bytes || memcmp(a->pub.data, b->pub.data, a->bytes) != 0;
    for (size_t i = 0; i < a->count; i += 64) {
        size_t n = a->count - i < 64 ? a->count - i : 64;
        number_load_f64(a->pub.dtype, n, (const char *)a->pub.data + i * width, x);
        number_load_f64(b->pub.dtype, n, (const char *)b->pub.data + i * width, y);
        for (size_t k = 0; k < n; k++)
            if (memcmp(&x[k], &y[k], sizeof(*x)) != 0 && (x[k] == x[k] || y[k] == y[k]))
                return 1;
    }
    return 0;
}

static int references_differ(const struct leaves *a, const struct leaves *b)
{
    for (size_t i = 0; i < a->n && i < b->n; i++)
        if (values_differ(a->at[i].tensor, b->at[i].tensor))
            return 1;
    return 0;
}

static void release_leaves(struct leaves *leaves)
{
    for (size_t i = 0; i < leaves->n; i++)
        tensor_release(leaves->at[i].tensor);
    leaves->n = 0;
}

/* Only an answer that did not change is looked into: the reference says whether it had to. */
static int find_stale(struct watch *w, struct child *child, struct tensor *const *args, struct tensor *const *others,
    reference_fn *reference, void *data)
{
    struct leaves before = {0}, after = {0};
    int status = run_once(w, child, others, POISON_SECOND);
    if (status || !outputs_same(w))
        return status;
    if (reference(data, args, &before) || reference(data, others, &after))
        status = CHECK_ERROR;
    else if (references_differ(&before, &after)) {
        w->finding->memory.stale = 1;
        note(w, "other inputs in the same memory gave the same answer: it was kept from an earlier run");
    }
    release_leaves(&before);
    release_leaves(&after);
    return status;
}

static int run_changed(
    struct watch *w, struct child *child, struct tensor *const *args, reference_fn *reference, void *data)
{
    struct tensor **others = CTX_ARRAY(w->ctx, struct tensor *, w->n_args);
    int changed = 0, status = 0;
    for (size_t i = 0; i < w->n_args && !status; i++) {
        others[i] = reversed(w->ctx, args[i]);
        status = others[i] ? 0 : CHECK_ERROR;
        changed |= !status && memcmp(others[i]->pub.data, args[i]->pub.data, args[i]->bytes) != 0;
    }
    if (!status && changed && !w->finding->memory.unwritten)
        status = find_stale(w, child, args, others, reference, data);
    for (size_t i = 0; i < w->n_args; i++)
        tensor_release(others[i]);
    return status;
}

/* ---- all of it ----------------------------------------------------------------------------------------------------*/

static int run_all(
    struct watch *w, struct child *child, const struct twin_options *options, reference_fn *reference, void *data)
{
    struct tensor **args = CTX_ARRAY(w->ctx, struct tensor *, w->n_args);
    for (size_t i = 0; i < w->n_args; i++)
        args[i] = w->args[i].tensor;
    int status = run_once(w, child, args, POISON_FIRST);
    if (status)
        return status;
    keep_outputs(w);
    status = run_again(w, child, args, options->repeats);
    return status || !reference ? status : run_changed(w, child, args, reference, data);
}

int twin_run(tf_ctx *ctx, const struct tf_twin *twin, const char *source, const struct twin_arg *args, size_t n_args,
    const struct leaves *outputs, const struct twin_options *options, reference_fn *reference, void *data,
    struct twin_finding *finding)
{
    struct watch w = {
        .ctx = ctx, .args = args, .n_args = n_args, .outputs = outputs, .n_results = outputs->n, .finding = finding};
    struct child child = {.to = -1, .from = -1};
    *finding = (struct twin_finding){0};
    int status = watch_open(&w);
    if (!status) {
        struct child_work work = {.twin = twin,
            .source = source,
            .args = (const struct tf_tensor *const *)w.lists,
            .results = w.lists + n_args,
            .n_args = n_args,
            .n_results = outputs->n};
        status = child_start(ctx, &child, &work, options->timeout);
    }
    finding->declared = child.declared;
    if (!status)
        status = run_all(&w, &child, options, reference, data);
    child_stop(&child);
    watch_close(&w);
    return status;
}

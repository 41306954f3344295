/* SPDX-License-Identifier: MIT
 * One output, and wrong candidates made from its reference, held to all that was asked of it: block by block, so that
 * nothing is copied whole, and several comparisons at once.
 */
#include "check/judging.h"

#include "check/mutant.h"
#include "plugin/numbers.h"
#include "plugin/registry.h"
#include "type/type.h"
#include "util/diag.h"
#include "util/parallel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK 4096u /* elements that are made and compared at a time */

/* One candidate, the given one or a mutant, and the comparisons [first, end) of it. */
struct trial {
    struct judging *owner;
    const struct mutation *mutation; /* NULL: the given one */
    size_t first, end;
    size_t limit;      /* comparisons from here on are of no interest: the one at it says FAIL, unless it is end */
    int differs;       /* from the reference, as far as is known */
    int rc;            /* of a comparison that could not be made */
    void **states;     /* by comparison, NULL: it judges whole outputs */
    char *made, *held; /* elements of the candidate and of the reference, where they are not as they lie in memory */
    double *ends[2];
    uint8_t *doubts;
};

struct judging {
    tf_ctx *ctx;
    const struct request *request;
    const struct asked *asked;
    const struct tensor *candidate, *reference; /* reference: NULL where there is none */
    const struct judged_by *by;                 /* NULL: nothing asks for enclosures */
    int drops;                                  /* NaN on both sides is taken for 0 */
    size_t width;
    struct output_finding *finding;
    struct mutation mutations[N_MUTANTS];
    struct trial *trials;
    size_t n_trials, n_given; /* those of the given candidate come first, one for each comparison */
    /* the blocks that are being taken in */
    uint64_t at, n;
    const struct tf_tensor *ends;
};

/* ---- the reference ------------------------------------------------------------------------------------------------*/

struct measured {
    double squares, largest;
    uint64_t nan; /* the first one, or the count */
};

static struct measured measure(const struct tensor *tensor)
{
    enum { BLOCK = 512 };
    double values[BLOCK];
    struct measured found = {.nan = tensor->count};
    size_t width = number_bytes(tensor->pub.dtype);
    int is_float = dtype_info(tensor->pub.dtype)->cls == TF_CLASS_FLOAT;
    for (size_t at = 0; at < tensor->count; at += BLOCK) {
        size_t n = tensor->count - at < BLOCK ? tensor->count - at : BLOCK;
        number_load_f64(tensor->pub.dtype, n, (const char *)tensor->pub.data + at * width, values);
        for (size_t i = 0; i < n; i++) {
            found.squares += values[i] * values[i];
            found.largest = fabs(values[i]) > found.largest ? fabs(values[i]) : found.largest;
        }
        for (size_t i = 0; is_float && found.nan == tensor->count && i < n; i++)
            if (isnan(values[i]))
                found.nan = at + i;
    }
    return found;
}

static int look_at_reference(struct judging *j, const struct leaf *reference)
{
    const struct tf_math *math = number_math(j->ctx);
    struct measured found = measure(reference->tensor);
    j->finding->norm = math ? math->sqrt(found.squares) : 0;
    j->finding->largest = found.largest;
    if (found.nan == reference->tensor->count)
        return 0;
    j->drops = 1;
    if (j->request->nan_equal)
        return 0;
    ERROR(j->ctx, NULL, "check-nan",
        "%s%s: the reference is NaN there, so nothing can be held to it; --nan-equal lets NaN agree with NaN",
        reference->path, index_text(j->ctx, reference->tensor, found.nan));
    return CHECK_USAGE;
}

/* ---- trials -------------------------------------------------------------------------------------------------------*/

int judging_folds(const struct tf_predicate *predicate, int encloses)
{
    return TF_HAS(struct tf_predicate, predicate, conclude) && predicate->fold &&
           (!predicate->judge_enclosed || encloses);
}

static void add_trial(struct judging *j, const struct mutation *mutation, size_t first, size_t end)
{
    struct trial *trial = &j->trials[j->n_trials++];
    *trial = (struct trial){.owner = j, .mutation = mutation, .first = first, .end = end, .limit = end};
    trial->states = CTX_ARRAY(j->ctx, void *, j->asked->comparisons.n);
    for (size_t i = first; i < end; i++) {
        const struct tf_predicate *predicate = j->asked->comparisons.at[i].predicate;
        if (judging_folds(predicate, j->by != NULL))
            trial->states[i] = arena_alloc(&j->ctx->arena, predicate->state_bytes);
    }
}

static void add_trials(struct judging *j)
{
    size_t n = j->asked->comparisons.n;
    j->trials = CTX_ARRAY(j->ctx, struct trial, n + N_MUTANTS);
    for (size_t i = 0; i < n; i++)
        add_trial(j, NULL, i, i + 1);
    j->n_given = n;
    for (size_t i = 0; j->reference && i < N_MUTANTS; i++)
        if (mutation_begin(&j->mutations[i], i, j->reference, j->drops ? j->candidate : NULL))
            add_trial(j, &j->mutations[i], 0, n);
}

int judging_begin(tf_ctx *ctx, const struct request *request, const struct asked *asked, const struct leaf *candidate,
    const struct leaf *reference, const struct judged_by *by, struct output_finding *finding, struct judging **judging)
{
    const struct tensor *tensor = candidate->tensor;
    struct judging *j = *judging = CTX_NEW(ctx, struct judging);
    *j = (struct judging){.ctx = ctx,
        .request = request,
        .asked = asked,
        .candidate = tensor,
        .reference = reference ? reference->tensor : NULL,
        .by = by,
        .width = number_bytes(tensor->pub.dtype),
        .finding = finding};
    *finding = (struct output_finding){.path = candidate->path,
        .shape = {tensor->pub.dtype, tensor->pub.rank,
            arena_copy(&ctx->arena, tensor->extents, tensor->pub.rank * sizeof(*tensor->extents))},
        .elements = tensor->count,
        .has_reference = reference != NULL,
        .n_findings = asked->comparisons.n,
        .findings = CTX_ARRAY(ctx, struct finding, asked->comparisons.n)};
    int status = reference ? look_at_reference(j, reference) : 0;
    if (!status)
        add_trials(j);
    return status;
}

/* ---- a chunk ------------------------------------------------------------------------------------------------------*/

static int make_room(struct trial *t)
{
    if (t->made)
        return 0;
    t->made = malloc(CHUNK * sizeof(double));
    t->held = malloc(CHUNK * sizeof(double));
    t->ends[0] = malloc(CHUNK * sizeof(double));
    t->ends[1] = malloc(CHUNK * sizeof(double));
    t->doubts = malloc(CHUNK);
    return t->made && t->held && t->ends[0] && t->ends[1] && t->doubts ? 0 : TF_E_NOMEM;
}

static void drop_room(struct trial *t)
{
    free(t->made);
    free(t->held);
    free(t->ends[0]);
    free(t->ends[1]);
    free(t->doubts);
}

static void *element_of(const struct judging *j, const struct tensor *tensor, uint64_t at)
{
    return (char *)tensor->pub.data + at * j->width;
}

static int is_dropped(const struct judging *j, uint64_t at)
{
    return isnan(element_value(j->reference, at)) && isnan(element_value(j->candidate, at));
}

/* Elements of one side, with bytes of 0 where both are NaN. */
static void copy_dropped(const struct judging *j, const struct tensor *from, uint64_t at, size_t n, char *to)
{
    memcpy(to, element_of(j, from, at), n * j->width);
    for (size_t i = 0; i < n; i++)
        if (is_dropped(j, at + i))
            memset(to + i * j->width, 0, j->width);
}

static void *candidate_chunk(struct trial *t, uint64_t at, size_t n)
{
    struct judging *j = t->owner;
    if (t->mutation)
        mutation_make(t->mutation, at, n, t->made);
    else if (j->drops && j->asked->comparisons.at[t->first].predicate->needs_reference)
        copy_dropped(j, j->candidate, at, n, t->made);
    else
        return element_of(j, j->candidate, at); /* a judge of the candidate alone sees its NaNs */
    return t->made;
}

static void *reference_chunk(struct trial *t, uint64_t at, size_t n)
{
    struct judging *j = t->owner;
    if (!j->drops)
        return element_of(j, j->reference, at);
    copy_dropped(j, j->reference, at, n, t->held);
    return t->held;
}

/* What bytes of 0 stand for: 0, but for f8e8m0, which has none. */
static double dropped_value(const struct judging *j)
{
    static const char bytes[8];
    double value;
    number_load_f64(j->reference->pub.dtype, 1, bytes, &value);
    return value;
}

static void enclosure_chunk(struct trial *t, uint64_t at, size_t n, struct tf_tensor *to)
{
    struct judging *j = t->owner;
    size_t from = (size_t)(at - j->at);
    to->data = (double *)j->ends->data + from;
    to->bound = j->ends->bound + from;
    to->doubt = j->ends->doubt + from;
    if (!j->drops)
        return;
    to->data = memcpy(t->ends[0], to->data, n * sizeof(double));
    to->bound = memcpy(t->ends[1], to->bound, n * sizeof(double));
    to->doubt = memcpy(t->doubts, to->doubt, n);
    for (size_t i = 0; i < n; i++)
        if (is_dropped(j, at + i)) {
            t->ends[0][i] = t->ends[1][i] = dropped_value(j);
            t->doubts[i] = 0;
        }
}

/* A mutant with the reference's own values is none: -0 is 0. */
static int differ(const struct judging *j, size_t n, const void *mutant, const void *reference)
{
    double a[CHUNK], b[CHUNK];
    if (!memcmp(mutant, reference, n * j->width))
        return 0;
    if (dtype_info(j->reference->pub.dtype)->cls != TF_CLASS_FLOAT)
        return 1;
    number_load_f64(j->reference->pub.dtype, n, mutant, a);
    number_load_f64(j->reference->pub.dtype, n, reference, b);
    for (size_t i = 0; i < n; i++)
        if (a[i] != b[i])
            return 1;
    return 0;
}

static void fold(struct trial *t, size_t i, const struct tf_judge_block *sides)
{
    const struct comparison *comparison = &t->owner->asked->comparisons.at[i];
    struct tf_judge_block block = *sides;
    block.bounds = comparison->bounds;
    if (!comparison->predicate->needs_reference)
        block.reference = NULL;
    int rc = comparison->predicate->fold(t->states[i], &block);
    if (rc == TF_DECIDED && t->mutation)
        t->limit = i;
    else if (rc == TF_E_UNSUPPORTED && block.first == 0)
        t->states[i] = NULL;
    else if (rc < 0)
        t->rc = rc;
}

static void take_chunk(struct trial *t, uint64_t at, size_t n)
{
    struct judging *j = t->owner;
    int64_t extent = (int64_t)n;
    struct tf_tensor c = {.struct_size = sizeof(c), .dtype = j->candidate->pub.dtype, .rank = 1, .extents = &extent};
    struct tf_tensor r = c, e = c;
    c.data = candidate_chunk(t, at, n);
    if (j->reference)
        r.data = reference_chunk(t, at, n);
    if (j->ends)
        enclosure_chunk(t, at, n, &e);
    const struct tf_judge_block sides = {.struct_size = sizeof(sides),
        .candidate = &c,
        .reference = j->reference ? &r : NULL,
        .enclosure = j->ends ? &e : NULL,
        .first = at};
    if (t->mutation && !t->differs)
        t->differs = differ(j, n, c.data, r.data);
    for (size_t i = t->first; i < t->limit; i++)
        if (t->states[i])
            fold(t, i, &sides);
}

/* Of a mutant that is found, and is known to be one, the rest does not matter. */
static int is_done(const struct trial *t)
{
    return t->rc || (t->mutation && t->differs && t->limit == t->first);
}

static void run_trials(void *data, size_t first, size_t end)
{
    struct judging *j = data;
    for (size_t i = first; i < end; i++) {
        struct trial *t = &j->trials[i];
        if (make_room(t))
            t->rc = TF_E_NOMEM;
        for (uint64_t at = j->at; at < j->at + j->n && !is_done(t); at += CHUNK)
            take_chunk(t, at, (size_t)(j->at + j->n - at < CHUNK ? j->at + j->n - at : CHUNK));
    }
}

/* ---- what the report says of the element that decided -------------------------------------------------------------*/

static int conclude(struct judging *j, const struct trial *t, size_t i, struct tf_judgement *judgement)
{
    const struct comparison *comparison = &j->asked->comparisons.at[i];
    const struct plugin *owner = registry_owner(j->ctx, comparison->predicate);
    const char *before = j->ctx->plugin;
    size_t errors = diag_errors(j->ctx);
    *judgement = (struct tf_judgement){.struct_size = sizeof(*judgement)};
    j->ctx->plugin = owner ? owner->descriptor.name : NULL;
    int status = t->rc ? t->rc : comparison->predicate->conclude(j->ctx, t->states[i], comparison->bounds, judgement);
    j->ctx->plugin = before;
    if (judgement->n_values > sizeof(judgement->values) / sizeof(*judgement->values))
        judgement->n_values = 0, status = TF_E_INTERNAL;
    if (status && diag_errors(j->ctx) == errors)
        ERROR(j->ctx, NULL, "check-comparison", "%s failed without a reason", comparison->predicate->name);
    return status ? CHECK_ERROR : 0;
}

/* Enclosures that come with the blocks do not stay: that of the worst element so far is kept. */
static void keep_ends(struct judging *j)
{
    struct tf_judgement judgement;
    for (size_t i = 0; i < j->n_given; i++) {
        if (!j->ends || !j->asked->comparisons.at[i].predicate->judge_enclosed || !j->trials[i].states[i] ||
            conclude(j, &j->trials[i], i, &judgement))
            continue;
        uint64_t at = judgement.worst - 1;
        if (!judgement.worst || at < j->at || at >= j->at + j->n)
            continue;
        j->finding->findings[i].lo = ((const double *)j->ends->data)[at - j->at];
        j->finding->findings[i].hi = j->ends->bound[at - j->at];
    }
}

void judging_feed(struct judging *j, uint64_t first, uint64_t n, const struct tf_tensor *enclosure)
{
    j->at = first;
    j->n = n;
    j->ends = enclosure;
    parallel_for(j->n_trials, 1, run_trials, j);
    keep_ends(j);
}

static struct tensor *whole_enclosure(const struct judging *j)
{
    return j->by ? j->by->enclosure : NULL;
}

static void name_element(struct judging *j, struct finding *found)
{
    uint64_t at = found->judgement.worst - 1;
    if (found->judgement.passed || at >= j->candidate->count)
        return;
    found->where = index_text(j->ctx, j->candidate, at);
    found->candidate = element_value(j->candidate, at);
    found->reference = j->reference ? element_value(j->reference, at) : 0;
    if (j->drops && is_dropped(j, at))
        found->reference = 0;
    found->has_enclosure = j->by && found->asked->predicate->judge_enclosed;
    if (!found->has_enclosure || !whole_enclosure(j))
        return;
    found->lo = ((const double *)whole_enclosure(j)->pub.data)[at];
    found->hi = whole_enclosure(j)->pub.bound[at];
}

/* ---- comparisons of whole outputs ---------------------------------------------------------------------------------*/

static struct tensor *copy_of(struct judging *j, const struct tensor *from, const struct mutation *mutation)
{
    struct tensor *copy = tensor_new(j->ctx, from->memory, from->pub.dtype, from->pub.rank, from->extents);
    for (size_t at = 0; copy && at < copy->count; at += CHUNK) {
        size_t n = copy->count - at < CHUNK ? copy->count - at : CHUNK;
        char *to = element_of(j, copy, at);
        if (mutation)
            mutation_make(mutation, at, n, to);
        else
            copy_dropped(j, from, at, n, to);
    }
    return copy;
}

/* For good: nothing looks at what is dropped any more. */
static void drop_from_enclosure(struct judging *j)
{
    struct tensor *enclosure = whole_enclosure(j);
    for (size_t i = 0; enclosure && j->drops && i < j->candidate->count; i++)
        if (is_dropped(j, i)) {
            ((double *)enclosure->pub.data)[i] = enclosure->pub.bound[i] = 0;
            enclosure->pub.doubt[i] = 0;
        }
}

static int judge_whole(struct judging *j, const struct trial *t, size_t i, struct tf_judgement *judgement)
{
    const struct comparison *comparison = &j->asked->comparisons.at[i];
    int drops = j->drops && comparison->predicate->needs_reference;
    struct tensor *c = t->mutation || drops ? copy_of(j, t->mutation ? j->reference : j->candidate, t->mutation) : NULL;
    struct tensor *r = j->drops ? copy_of(j, j->reference, NULL) : NULL;
    int status = CHECK_ERROR;
    drop_from_enclosure(j);
    if ((c || !(t->mutation || drops)) && (r || !j->drops))
        status = judge(j->ctx, comparison, c ? &c->pub : &j->candidate->pub,
            r              ? &r->pub
            : j->reference ? &j->reference->pub
                           : NULL,
            whole_enclosure(j) ? &whole_enclosure(j)->pub : NULL, judgement);
    tensor_release(c);
    tensor_release(r);
    return status;
}

static int judge_one(struct judging *j, const struct trial *t, size_t i, struct tf_judgement *judgement)
{
    return t->states[i] ? conclude(j, t, i, judgement) : judge_whole(j, t, i, judgement);
}

/* ---- the verdict --------------------------------------------------------------------------------------------------*/

/* An output without elements never passes, whatever a predicate thinks of it. */
static void fail_empty(struct tf_judgement *judgement)
{
    judgement->passed = 0;
    judgement->note = "the output has no elements, so nothing was compared";
}

static int judge_given(struct judging *j)
{
    for (size_t i = 0; i < j->n_given; i++) {
        struct finding *found = &j->finding->findings[i];
        found->asked = &j->asked->comparisons.at[i];
        if (judge_one(j, &j->trials[i], i, &found->judgement))
            return CHECK_ERROR;
        if (!j->candidate->count)
            fail_empty(&found->judgement);
        if (!found->judgement.passed)
            j->finding->verdict = VERDICT_FAIL;
        name_element(j, found);
    }
    return 0;
}

static int find_killer(struct judging *j, const struct trial *t, struct mutant_finding *found)
{
    struct tf_judgement judgement = {.passed = 1};
    for (size_t i = t->first; i < t->limit && judgement.passed; i++) {
        if (judge_one(j, t, i, &judgement))
            return CHECK_ERROR;
        if (!judgement.passed)
            found->killed_by = j->asked->comparisons.at[i].predicate->name;
    }
    if (judgement.passed && t->limit < t->end)
        found->killed_by = j->asked->comparisons.at[t->limit].predicate->name;
    return 0;
}

static int judge_mutants(struct judging *j)
{
    struct output_finding *finding = j->finding;
    int status = 0;
    finding->mutants = CTX_ARRAY(j->ctx, struct mutant_finding, N_MUTANTS);
    for (size_t i = j->n_given; i < j->n_trials && !status; i++) {
        const struct trial *t = &j->trials[i];
        if (!t->differs && !t->rc)
            continue;
        struct mutant_finding *found = &finding->mutants[finding->n_mutants++];
        *found = (struct mutant_finding){.name = t->mutation->name, .is_gross = t->mutation->is_gross};
        status = find_killer(j, t, found);
        if (!found->killed_by && (found->is_gross || j->request->strict) && finding->verdict < VERDICT_VACUOUS)
            finding->verdict = VERDICT_VACUOUS;
    }
    return status;
}

int judging_end(struct judging *j, int status)
{
    if (!status)
        status = judge_given(j);
    if (!status && j->reference)
        status = judge_mutants(j);
    for (size_t i = 0; i < j->n_trials; i++)
        drop_room(&j->trials[i]);
    return status;
}

int judge_output(tf_ctx *ctx, const struct request *request, const struct asked *asked, const struct leaf *candidate,
    const struct leaf *reference, struct tensor *enclosure, struct output_finding *finding)
{
    const struct judged_by by = {enclosure};
    struct judging *j;
    int status = judging_begin(ctx, request, asked, candidate, reference, enclosure ? &by : NULL, finding, &j);
    if (!status)
        judging_feed(j, 0, candidate->tensor->count, enclosure ? &enclosure->pub : NULL);
    return judging_end(j, status);
}

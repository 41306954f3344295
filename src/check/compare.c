/* SPDX-License-Identifier: MIT
 * The outputs judged as they are enclosed, and what of a failure is legal.
 */
#include "check/judging.h"
#include "check/trial.h"
#include "util/diag.h"
#include "util/progress.h"

#include <string.h>

struct comparing {
    struct trial *t;
    struct judging **judgings;  /* by output, or NULL */
    struct excusing *excusings; /* by output */
    struct judged_by *by;
};

static int take_enclosures(
    void *data, uint64_t first, uint64_t end, uint64_t n_rows, const struct tf_tensor *const *results)
{
    struct comparing *c = data;
    progress_tell(c->t->ctx, "enclosing", first, n_rows);
    for (size_t i = 0; i < c->t->candidate.n; i++) {
        uint64_t at = trial_part(c->t, i, first, n_rows), n = trial_part(c->t, i, end, n_rows) - at;
        if (c->judgings)
            judging_feed(c->judgings[i], at, n, results[i]);
        if (c->t->run->has_reference)
            excuse_feed(
                &c->excusings[i], c->t->candidate.at[i].tensor, c->t->reference.at[i].tensor, at, n, results[i]);
    }
    return 0;
}

static struct comparing comparing_of(struct trial *t)
{
    size_t n = t->candidate.n;
    return (struct comparing){
        .t = t, .excusings = CTX_ARRAY(t->ctx, struct excusing, n), .by = CTX_ARRAY(t->ctx, struct judged_by, n)};
}

/* ---- what differs and is legal ------------------------------------------------------------------------------------*/

#define MOST_EXCUSED ((size_t)1 << 26) /* elements that are worth a second look */

/* Nobody asked for enclosures, and something differs: whether it is legal is worth knowing.  What has none stays as it is. */
static void look_for_excuse(struct trial *t)
{
    struct run_finding *run = t->run;
    const char *declared = run->candidate_declared;
    struct comparing c = comparing_of(t);
    size_t elements = 0, failed = 0, mark = diag_mark(t->ctx);
    for (size_t i = 0; i < run->n_outputs; i++) {
        elements += t->candidate.at[i].tensor->count;
        failed += run->outputs[i].verdict == VERDICT_FAIL;
    }
    if (!failed || elements > MOST_EXCUSED || !run->has_reference || t->job->n_expected || !t->job->inputs)
        return;
    if (!trial_enclose(t, NULL, take_enclosures, &c))
        for (size_t i = 0; i < run->n_outputs; i++)
            excuse_end(&c.excusings[i], &run->outputs[i]);
    diag_drop(t->ctx, mark);
    run->candidate_declared = declared;
}

/* ---- judging ------------------------------------------------------------------------------------------------------*/

static const struct asked *asked_of(const struct request *request, const char *path)
{
    size_t i = 0;
    while (strcmp(request->outputs.at[i].path, path) != 0)
        i++; /* request_suits has seen to it that there is one */
    return &request->outputs.at[i];
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

static int feed_enclosed(struct trial *t, struct comparing *c, struct leaves *whole)
{
    int is_whole = wants_whole(&t->job->request);
    int status = trial_enclose(t, is_whole ? whole : NULL, take_enclosures, c);
    for (size_t i = 0; i < whole->n; i++)
        c->by[i].enclosure = whole->at[i].tensor;
    for (size_t i = 0; i < t->run->n_outputs; i++)
        t->run->outputs[i].walks = &t->run->walks;
    return status;
}

#define FED ((uint64_t)1 << 23) /* elements, after which it is said how far the comparison is */

static int feed(struct trial *t, struct comparing *c, struct leaves *whole)
{
    if (request_encloses(&t->job->request))
        return feed_enclosed(t, c, whole);
    for (size_t i = 0; i < t->candidate.n; i++) {
        uint64_t count = t->candidate.at[i].tensor->count;
        const char *what = arena_format(&t->ctx->arena, "comparing %s", t->candidate.at[i].path);
        for (uint64_t at = 0; at < count; at += FED) {
            progress_tell(t->ctx, what, at, count);
            judging_feed(c->judgings[i], at, count - at < FED ? count - at : FED, NULL);
        }
    }
    return 0;
}

static int judge_outputs(struct trial *t)
{
    struct run_finding *run = t->run;
    struct leaves whole = {0};
    struct comparing c = comparing_of(t);
    int encloses = request_encloses(&t->job->request), status = 0;
    size_t begun = 0;
    c.judgings = CTX_ARRAY(t->ctx, struct judging *, run->n_outputs);
    for (; begun < run->n_outputs && !status; begun++)
        status = judging_begin(t->ctx, &t->job->request, asked_of(&t->job->request, t->candidate.at[begun].path),
            &t->candidate.at[begun], run->has_reference ? &t->reference.at[begun] : NULL,
            encloses ? &c.by[begun] : NULL, &run->outputs[begun], &c.judgings[begun]);
    if (!status)
        status = feed(t, &c, &whole);
    for (size_t i = 0; i < begun; i++)
        status = judging_end(c.judgings[i], status);
    for (size_t i = 0; !status && encloses && run->has_reference && i < run->n_outputs; i++)
        excuse_end(&c.excusings[i], &run->outputs[i]);
    leaves_release(&whole);
    return status;
}

int trial_compare(struct trial *t)
{
    struct run_finding *run = t->run;
    int status = request_suits(t->ctx, &t->job->request, &t->candidate, run->has_reference);
    if (!status && run->has_reference)
        status = leaves_agree(t->ctx, &t->candidate, &t->reference);
    if (status)
        return status;
    run->n_outputs = t->candidate.n;
    run->outputs = CTX_ARRAY(t->ctx, struct output_finding, run->n_outputs);
    status = judge_outputs(t);
    if (!status && !request_encloses(&t->job->request))
        look_for_excuse(t);
    run->verdict = run_verdict(run);
    return status;
}

/* SPDX-License-Identifier: MIT
 * Both sides held to the truth.
 */
#include "check/trial.h"
#include "util/progress.h"

struct truth {
    struct trial *t;
    struct arbitration *arbitrations; /* by output */
};

static int take_truth(void *data, uint64_t first, uint64_t end, uint64_t n_rows, const struct tf_tensor *const *results)
{
    struct truth *truth = data;
    progress_tell(truth->t->ctx, "computing the truth", first, n_rows);
    for (size_t i = 0; i < truth->t->candidate.n; i++) {
        uint64_t at = trial_part(truth->t, i, first, n_rows), n = trial_part(truth->t, i, end, n_rows) - at;
        arbiter_feed(&truth->arbitrations[i], truth->t->candidate.at[i].tensor, truth->t->reference.at[i].tensor, at, n,
            results[i]);
    }
    return 0;
}

static int find_truth(struct trial *t, struct truth *truth)
{
    struct eval_result result = {0};
    struct leaves whole = {0};
    int rc = eval_rows(t->ctx, t->function, t->params, &t->memory, TF_EVAL_EXACT, NULL, 0, take_truth, truth);
    if (rc != TF_E_UNSUPPORTED)
        return rc ? CHECK_ERROR : 0;
    rc = eval_exact(t->ctx, t->function, t->params, &t->memory, &result);
    int status = trial_keep(t, t->function, rc, &result, &whole);
    if (!status)
        status = trial_hand_on(t, &whole, take_truth, truth);
    leaves_release(&whole);
    return status;
}

int trial_arbitrate(struct trial *t)
{
    struct truth truth = {.t = t, .arbitrations = CTX_ARRAY(t->ctx, struct arbitration, t->candidate.n)};
    int status = find_truth(t, &truth);
    for (size_t i = 0; i < t->run->n_outputs && !status; i++) {
        t->run->outputs[i].arbiter = CTX_NEW(t->ctx, struct arbiter_finding);
        arbiter_end(t->ctx, &truth.arbitrations[i], t->candidate.at[i].tensor, t->reference.at[i].tensor,
            t->run->outputs[i].arbiter);
    }
    return status;
}

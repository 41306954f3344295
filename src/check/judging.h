/* SPDX-License-Identifier: MIT
 * Judging an output while it comes: what is compared lies in memory, what it is enclosed by comes block by block.
 */
#ifndef TF_CHECK_JUDGING_H
#define TF_CHECK_JUDGING_H

#include "check/check.h"

struct judging;

struct judged_by {            /* enclosures */
    struct tensor *enclosure; /* whole, by the end; NULL: they come with the blocks alone */
};

/* by: NULL where nothing asks for enclosures, else it outlives the judging.  0, or CHECK_USAGE (NaN in the reference) after a diagnostic; judging_end has
 * to follow in any case. */
int judging_begin(tf_ctx *ctx, const struct request *request, const struct asked *asked, const struct leaf *candidate,
    const struct leaf *reference, const struct judged_by *by, struct output_finding *finding, struct judging **judging);
/* The next n elements, from `first`; all of them in the end.  enclosure: of these. */
void judging_feed(struct judging *judging, uint64_t first, uint64_t n, const struct tf_tensor *enclosure);
/* Fills the finding, unless status, which it gives, is not 0 already.  0, or CHECK_ERROR after a diagnostic. */
int judging_end(struct judging *judging, int status);

/* Whether a predicate judges block by block. */
int judging_folds(const struct tf_predicate *predicate, int encloses);

#endif

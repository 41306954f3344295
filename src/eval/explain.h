/* SPDX-License-Identifier: MIT
 * How the enclosure of one element of a result came about: the operators that it goes through, and what each added.
 */
#ifndef TF_EVAL_EXPLAIN_H
#define TF_EVAL_EXPLAIN_H

#include "eval/run.h"
#include "util/vec.h"

/* An operator's result: the element that the explained one goes through, or the widest of all that it rests on. */
struct explained_step {
    const struct tf_node *node;
    uint32_t leaf;     /* of the node's */
    uint64_t elements; /* in the box */
    uint64_t index;    /* of the one that is shown, in C order */
    double lo, hi;
    uint8_t doubt;
    double added;   /* to the width, by the operator's own freedom; NaN where that cannot be told */
    uint64_t trips; /* how often it was computed */
};
struct explanation {
    uint64_t single; /* operators on the way that gave a single value each time */
    VEC(struct explained_step) steps;
};

/* Of the index-th element of a leaf of the result.  The request is eval_bound's.  0, or TF_E_* after a diagnostic. */
int explain_element(tf_ctx *ctx, const struct tf_function *function, struct tensor *const *params,
    struct tensor_memory *memory, const struct bound_request *request, uint32_t leaf, uint64_t index,
    struct explanation *explanation);

#endif

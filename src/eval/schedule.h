/* SPDX-License-Identifier: MIT
 * In which order a function's nodes are computed, and until when each is held.
 *
 * A node's home is the innermost loop that its value varies in: what does not vary in a loop is computed before it, once.
 * Each loop, and the function, has a block: its nodes in an order in which operands come first.
 */
#ifndef TF_EVAL_SCHEDULE_H
#define TF_EVAL_SCHEDULE_H

#include "ir/ir.h"
#include "util/vec.h"

#define SCHEDULE_FUNCTION 0u /* the block of the function itself */

struct schedule_block {
    const struct tf_node *loop; /* NULL for the function's */
    uint32_t outer;             /* block that the loop node stands in */
    uint32_t depth;
    VEC(const struct tf_node *) nodes;
};

struct schedule {
    uint32_t n_blocks;
    struct schedule_block *blocks;
    uint32_t *home;     /* by node id: its block */
    uint32_t *block_of; /* by node id, of LOOP nodes: the block of its inside */
    uint32_t *position; /* by node id: where it stands in its home's nodes */
    /* By node id: the first of the nodes that are let go once it was computed, and of each the next; or SCHEDULE_NONE.  What
     * a block's end lets go is not listed. */
    uint32_t *dies, *next;
};
#define SCHEDULE_NONE UINT32_MAX

void schedule_make(struct schedule *plan, const struct tf_function *function);
void schedule_free(struct schedule *plan);

/* What has to be there before a node: its inputs, a loop's computed bounds (NULL where one is not), or what it stands
 * for. */
uint32_t schedule_sources(const struct tf_node *node);
const struct tf_node *schedule_source(const struct tf_node *node, uint32_t i);

#endif

/* SPDX-License-Identifier: MIT
 * Where a value comes from: regions, captures, tuples and their items only name it.
 */
#ifndef TF_EVAL_ORIGIN_H
#define TF_EVAL_ORIGIN_H

#include "ir/ir.h"

uint32_t leaf_count(const struct tf_type *type);
/* Whether a node only names the values of others. */
int is_naming(const struct tf_node *node);
/* The node that gives `node` this leaf, and which of its own leaves that is: what only names values is looked through,
 * loops are not. */
const struct tf_node *value_origin(const struct tf_node *node, uint32_t *leaf);
/* Bit set over the function's result: the leaves, of the first 64, that come from this node. */
uint64_t outputs_of(const struct tf_function *function, const struct tf_node *node);

#endif

/* SPDX-License-Identifier: MIT
 * A call as an operator's callbacks are told of it.
 */
#ifndef TF_IR_CALL_H
#define TF_IR_CALL_H

#include "ir/ir.h"

/* Of the node as a whole, not of one unit's share.  The types of its operands are in the arena. */
struct tf_call call_whole(struct arena *arena, const struct tf_node *node);

#endif

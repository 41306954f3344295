/* SPDX-License-Identifier: MIT
 * What a loop may carry.
 */
#ifndef TF_IR_CARRY_H
#define TF_IR_CARRY_H

#include "ir/ir.h"

/* Whether `yield` may become the carried value of the next trip: the loop has its initial value's type, so shape,
 * dtype, storage and split must be that one's; strides may differ, and no layout from all-broadcast.  Says so when not.
 */
int carry_allows(tf_ctx *ctx, const struct tf_node *loop, const struct tf_node *carry, const struct tf_node *yield);

#endif

/* SPDX-License-Identifier: MIT
 * What a loop may carry.
 */
#ifndef TF_IR_CARRY_H
#define TF_IR_CARRY_H

#include "ir/ir.h"

/* Whether a value of type `yield` may become the carried value of the next trip: the loop has its initial value's type, so
 * shape, dtype, storage and split must be that one's; strides may differ, and no layout from all-broadcast.  Says so at
 * loc when not. */
int carry_allows(tf_ctx *ctx, const struct tf_node *carry, const struct tf_type *yield, const struct tf_loc *loc);

#endif

/* SPDX-License-Identifier: MIT
 * What the files that build HIR share among themselves.
 */
#ifndef TF_IR_BUILD_H
#define TF_IR_BUILD_H

#include "ir/ir.h"

/* A node of the function, in the scope in force; NULL after a diagnostic when the limit of nodes is passed. */
struct tf_node *node_new(struct ir_builder *b, const struct tf_loc *loc, uint32_t kind);
void node_operands(struct ir_builder *b, struct tf_node *node, const struct tf_node *const *in, uint32_t n);
/* Whether ranks, leaves and nesting keep to the limits; says so when not. */
int type_fits(struct ir_builder *b, const struct tf_loc *loc, const struct tf_type *type);

/* Whether a call passes weights too: all do but those of a child module's function, which has its own. */
int call_gives_weights(const struct ir_function *caller, const struct ir_function *callee);

/* instance.c: the result of callee with parameters of these types instead of the declared ones; kept, so that a
 * function is typed once for each combination.  NULL after a diagnostic. */
const struct tf_type *instance_result(
    tf_ctx *ctx, const struct tf_loc *loc, const struct ir_function *callee, const struct tf_type *const *types);
/* The kept result, or NULL when there is none yet. */
const struct tf_type *instance_known(const struct ir_function *callee, const struct tf_type *const *types);

#endif

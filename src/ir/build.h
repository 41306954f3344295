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

/* The same as ir_call, ir_tuple, ir_region_capture, ir_region_close, ir_loop_carry and ir_loop_close, where what a node
 * gives is to be seen as another type than its own: inside a function, an argument is what the parameter declares. */
struct tf_node *call_make(struct ir_builder *b, const struct tf_loc *loc, const char *name, const struct tf_op *op,
    const struct tf_node *const *args, const struct tf_type *const *types, uint32_t n_args, const struct tf_val *attrs);
struct tf_node *tuple_make(struct ir_builder *b, const struct tf_loc *loc, const struct tf_node *const *items,
    const struct tf_type *const *types, uint32_t n);
struct tf_node *capture_make(struct ir_builder *b, struct tf_node *region, const struct tf_node *outer,
    const struct tf_type *type, const char *name);
int region_end(struct ir_builder *b, struct tf_node *region, const struct tf_node *body, const struct tf_type *type);
struct tf_node *carry_make(struct ir_builder *b, struct tf_node *loop, const char *name, const struct tf_node *initial,
    const struct tf_type *type);
int loop_end(struct ir_builder *b, struct tf_node *loop, const struct tf_node *const *yields,
    const struct tf_type *const *types, const struct tf_node *body, const struct tf_type *body_type);
/* The type alone that a call would have. */
const struct tf_type *call_type(struct ir_builder *b, const struct tf_loc *loc, const char *name,
    const struct tf_op *op, const struct tf_node *const *args, const struct tf_type *const *types, uint32_t n_args,
    const struct tf_val *attrs);

/* Whether a call passes weights too: all do but those of a child module's function, which has its own. */
int call_gives_weights(const struct ir_function *caller, const struct ir_function *callee);

/* instance.c: the result of callee with parameters of these types instead of the declared ones; kept, so that a
 * function is typed once for each combination.  NULL after a diagnostic. */
const struct tf_type *instance_result(
    tf_ctx *ctx, const struct tf_loc *loc, const struct ir_function *callee, const struct tf_type *const *types);
/* The kept result, or NULL when there is none yet. */
const struct tf_type *instance_known(const struct ir_function *callee, const struct tf_type *const *types);

#endif

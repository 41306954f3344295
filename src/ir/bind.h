/* SPDX-License-Identifier: MIT
 * Putting numbers for open dimensions, wherever a node states one.
 */
#ifndef TF_IR_BIND_H
#define TF_IR_BIND_H

#include "ir/ir.h"

struct binding {
    tf_ctx *ctx;
    const struct dim_binding *at;
    size_t n;
};

/* Each gives NULL after a diagnostic at loc when a bound dimension overflows or divides by zero. */
const struct tf_dim *bind_dim(const struct binding *b, const struct tf_loc *loc, const struct tf_dim *dim);
const struct tf_type *bind_type(const struct binding *b, const struct tf_loc *loc, const struct tf_type *type);
const struct tf_mesh *bind_mesh(const struct binding *b, const struct tf_loc *loc, const struct tf_mesh *mesh);
const struct tf_val *bind_attrs(const struct binding *b, const struct tf_node *call);
const struct tf_where *bind_where(const struct binding *b, const struct tf_loc *loc, const struct tf_where *where);
int bind_value(const struct binding *b, const struct tf_loc *loc, struct tf_val *val); /* in place; 0 after one */

/* The variant of `function` that the binding selects; itself when it has none.  NULL after a diagnostic at loc. */
const struct ir_function *bind_variant(
    const struct binding *b, const struct tf_loc *loc, const struct ir_function *function);

/* dims.c: the open dimensions of a function, of all that it calls and of the module's levels, in order of appearance; at
 * most room are stored; returns how many there are. */
size_t program_dimensions(
    tf_ctx *ctx, const struct ir_module *module, const struct ir_function *function, struct dim_var *vars, size_t room);
/* The same, of the types of its parameters alone. */
size_t param_dimensions(tf_ctx *ctx, const struct ir_function *function, struct dim_var *vars, size_t room);
/* Checks --dim against what the program states: names, ranges, nothing left open.  0, or TF_E_REFUSED after diagnostics. */
int bind_check(const struct binding *b, const struct ir_module *module, const struct ir_function *function);

#endif

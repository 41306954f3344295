/* SPDX-License-Identifier: MIT
 * The machine's levels that a program declares, against those that the target has.
 */
#ifndef TF_IR_LEVELS_H
#define TF_IR_LEVELS_H

#include "ir/ir.h"

/* Whether the target has every declared level, with an extent that it allows.  0, or TF_E_REFUSED after diagnostics. */
int levels_check(tf_ctx *ctx, const struct ir_module *module, const struct tf_target *target);
/* The index of the level named (the coarsest when name is NULL; n when none is declared); n_levels + 1 after a diagnostic. */
uint32_t levels_select(tf_ctx *ctx, const struct ir_module *module, const char *name);
/* How many units of the selected level or coarser ones run what stands in this scope. */
int levels_units(tf_ctx *ctx, const struct tf_loc *loc, const struct ir_module *module, uint32_t selected,
    const struct tf_mesh *scope, uint64_t *units);

/* storages.c: whether every value lies in memory that the target has; a target that states no memory has any.  0, or
 * TF_E_REFUSED after a diagnostic. */
int storages_check(tf_ctx *ctx, const struct tf_function *function, const struct tf_target *target);

#endif

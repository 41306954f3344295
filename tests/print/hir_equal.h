/* SPDX-License-Identifier: MIT */
#ifndef TF_TESTS_HIR_EQUAL_H
#define TF_TESTS_HIR_EQUAL_H

#include "ir/ir.h"

/* Whether two functions or modules are the same program: functions, parameters, types, kinds of nodes, operators,
 * attributes, sharing, loops with their carries in order, regions with what their bodies read (their captures as a set).
 * Names of values and places are not compared.  NULL when equal, else what differs. */
const char *hir_differs(tf_ctx *ctx, const struct ir_function *a, const struct ir_function *b);
const char *hir_modules_differ(tf_ctx *ctx, const struct ir_module *a, const struct ir_module *b);

#endif

/* SPDX-License-Identifier: MIT
 * What a loop reaches, found by going through every iteration, trip and unit and marking elements.
 */
#ifndef TF_TESTS_ANALYSIS_ORACLE_H
#define TF_TESTS_ANALYSIS_ORACLE_H

#include "ir/ir.h"

struct oracle_row {
    uint32_t root, level; /* position; storage */
    uint64_t bytes, device, repeated;
};

/* Rows of one loop, in the order of roots and levels; at most room.  UINT32_MAX when a start is data. */
uint32_t oracle_loop(
    tf_ctx *ctx, const struct tf_program *program, uint32_t loop, struct oracle_row *rows, uint32_t room);

#endif

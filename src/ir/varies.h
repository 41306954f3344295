/* SPDX-License-Identifier: MIT
 * In which loops each value varies (rule R1): the least fixed point over carried values.
 */
#ifndef TF_IR_VARIES_H
#define TF_IR_VARIES_H

#include "ir/ir.h"

/* What is known of the loops before: by node id, the loop around its first visit, and for LOOP nodes their own index. */
struct varies_input {
    const struct tf_function *function;
    const struct tf_prog_loop *loops;
    uint32_t n_loops;
    const uint32_t *loop_around;
    const uint32_t *loop_of;
};

/* By node id: loops, innermost first, ended by TF_NO_LOOP; in the context's memory. */
const uint32_t *const *varies_find(tf_ctx *ctx, const struct varies_input *input);

#endif

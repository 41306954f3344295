/* SPDX-License-Identifier: MIT
 * What a node of a running function came to: its leaves, each held once.
 */
#ifndef TF_EVAL_VALUE_H
#define TF_EVAL_VALUE_H

#include "eval/tensor.h"

struct value {
    uint32_t n;
    struct tensor *one, **many; /* many where n is not 1 */
};

struct tensor **value_leaves(struct value *value);
void value_drop(struct value *value);
/* Room for n leaves, all NULL. */
struct tensor **value_room(struct value *value, uint32_t n);
/* Leaves [first, first + n) of another. */
void value_share(struct value *value, struct value *from, uint32_t first, uint32_t n);

#endif

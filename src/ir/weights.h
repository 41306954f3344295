/* SPDX-License-Identifier: MIT
 * Weights of child modules that a function reaches by calls: each becomes one parameter of the inlined function.
 */
#ifndef TF_IR_WEIGHTS_H
#define TF_IR_WEIGHTS_H

#include "ir/bind.h"
#include "ir/ptr_map.h"

struct weight {
    const struct ir_module *owner;
    const struct tf_node *declared; /* where it was met first */
    const struct tf_type *type;
    struct tf_node *node;
    uint32_t next; /* of the same owner; UINT32_MAX: none */
};

struct weights {
    tf_ctx *ctx;
    const struct binding *binding;
    struct ptr_map first; /* owner -> its first weight */
    struct ptr_map taken; /* names of parameters */
    struct {
        struct weight *at;
        size_t n, room;
    } list;
};

/* Finds what `function` needs and adds the parameters to b, in the order of the modules and of their functions; named by
 * the path from `module`, Child_w. */
int weights_add(
    struct weights *weights, struct ir_builder *b, const struct ir_module *module, const struct ir_function *function);
const struct tf_node *weights_node(
    const struct weights *weights, const struct ir_function *callee, const struct tf_node *param);
void weights_finish(struct weights *weights);

#endif

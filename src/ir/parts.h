/* SPDX-License-Identifier: MIT
 * Copying callees into functions of their own instead of into the caller: the pass of ir_inline that makes ir_parts.
 */
#ifndef TF_IR_PARTS_H
#define TF_IR_PARTS_H

#include "ir/copy.h"
#include "util/vec.h"

/* A function that is being made, one for a call. */
struct part {
    struct part *outer; /* the caller's; NULL for the selected function's own */
    struct ir_builder *b;
    struct ir_builder own;
    size_t noted;                     /* nodes of b */
    VEC(const struct tf_node *) args; /* of its declared parameters, in the caller */
    VEC(const struct tf_node *)
    imports; /* parameters of the selected function that became its own, after the declared */
};

struct made { /* a node of a part */
    struct ir_function *function;
    const struct tf_node *node;
    uint32_t site; /* the call that it was copied in with */
};

struct parting {
    tf_ctx *ctx;
    struct part main, *last;             /* last: opened, and not closed */
    VEC(struct made) made;               /* in the order in which the whole function's nodes are made */
    VEC(struct ir_function *) functions; /* in the order in which they ended */
};

struct part *parting_main(struct parting *parts, struct ir_builder *b);
/* The frame goes into a part of its own: its parameters become those of a function.  TF_OK, or TF_E_* after a
 * diagnostic. */
int part_open(struct parting *parts, struct copy_frame *frame);
/* The call of the frame's part in the part around it; `type` is what the caller sees. */
const struct tf_node *part_close(
    struct parting *parts, const struct copy_frame *frame, const struct tf_node *value, const struct tf_type *type);
/* A parameter of the selected function, as the part has it; NULL after a diagnostic. */
const struct tf_node *part_import(struct part *part, const struct tf_node *param);
/* Takes note of the nodes that were made since, for this site. */
void part_note(struct parting *parts, struct part *part, uint32_t site);
/* Keeps the parts with the whole function, that `whole` builds. */
void parting_keep(struct parting *parts, struct ir_function *selected, const struct ir_builder *whole);
void parting_finish(struct parting *parts);

#endif

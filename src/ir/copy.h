/* SPDX-License-Identifier: MIT
 * Copying function bodies node by node through a builder, so that types are inferred anew.  Two passes do it: inlining
 * (calls are copied in, dimensions bound) and typing a function for other argument types than the declared ones.  Calls
 * have a stack of frames of their own: ten thousand functions may call one another in a row.
 */
#ifndef TF_IR_COPY_H
#define TF_IR_COPY_H

#include "ir/bind.h"
#include "ir/build.h"
#include "ir/ptr_map.h"

/* What stands for a value of the function that is copied.  A function sees its parameters as they are declared, and all
 * types in it follow from that; what a call really gives may be laid out otherwise, and has to be allowed as well. */
struct copied {
    const struct tf_node *node;
    const struct tf_type *type;  /* as the function sees it */
    const struct tf_type *given; /* as it follows from what the call gives */
};

struct copy_frame {
    struct copy_frame *outer;
    const struct ir_function *from;
    struct ir_builder *b;
    struct walker walker;
    struct copied *env;           /* by node id of `from`; written before it is read */
    const struct tf_node *call;   /* what waits for this frame in the outer one, or NULL */
    const struct tf_type **types; /* of the parameters, when the function is only typed (instance.c); else NULL */
    uint32_t as_declared,
        as_given;       /* whether the caller sees all arguments as the parameters are; as they really are */
    uint32_t as_stated; /* the same as as_declared, of types that are equal */
    uint32_t site;
    struct part *part; /* that it is copied into, where there are parts (parts.c); else NULL */
};

struct copier {
    tf_ctx *ctx;
    const struct binding *binding;
    struct copy_frame *top;
    struct ptr_map active; /* function -> 1 while one of its frames is open */
    const void **scratch;  /* of copy_values */
    size_t n_scratch;
    /* What a call becomes: an opened frame, or a node in the frame's env.  TF_OK, or TF_E_* after a diagnostic. */
    int (*call)(struct copier *copier, struct copy_frame *frame, const struct tf_node *node);
    /* A frame came to its end with this value. */
    int (*done)(struct copier *copier, struct copy_frame *frame, const struct copied *value);
    /* After each step, for those who keep a note of every node; or NULL. */
    void (*stepped)(struct copier *copier, struct copy_frame *frame);
    void *data;
};

/* Opens a frame for `from` in builder b.  Its parameters' copies are to be put into env by the caller.  NULL after a
 * diagnostic at loc when the function is open already. */
struct copy_frame *copy_open(
    struct copier *copier, const struct tf_loc *loc, const struct ir_function *from, struct ir_builder *b);
/* Runs until no frame is left, or something is refused. */
int copy_run(struct copier *copier);
void copy_finish(struct copier *copier);

/* The copies of n nodes, with their types; good until the next call. */
struct copies {
    const struct tf_node **nodes;
    const struct tf_type **types, **given;
    uint32_t differ; /* whether something given is not what the function sees */
};
struct copies copy_values(
    struct copier *copier, const struct copy_frame *frame, const struct tf_node *const *nodes, uint32_t n);

#endif

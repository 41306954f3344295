/* SPDX-License-Identifier: MIT
 * What a function's parameters are given: drawn, zeros, or from files.
 */
#ifndef TF_EVAL_INPUTS_H
#define TF_EVAL_INPUTS_H

#include "eval/draw.h"
#include "ir/ir.h"
#include "util/vec.h"

enum input_source {
    INPUT_DEFAULT, /* of weights: from the file that has the inputs, else drawn */
    INPUT_RANDOM,
    INPUT_ZEROS,
    INPUT_FILES,   /* one file for each parameter that is no weight, in order */
    INPUT_TENSORS, /* by name from one file or directory */
    INPUT_ADVERSARIAL,
    INPUT_ALL /* random, and every adversarial class: for who runs a function more than once */
};

struct named_draw {
    const char *name; /* of a parameter */
    const char *text; /* as written */
    struct draw draw;
};

struct input_plan {
    enum input_source inputs, weights;
    uint32_t adversary;                     /* of INPUT_ADVERSARIAL: the class */
    const char *inputs_path, *weights_path; /* of INPUT_TENSORS */
    VEC(const char *) files;
    VEC(struct named_draw) draws;
    uint64_t seed, threads; /* of both generators: one draws inputs, the other weights */
    uint32_t fp8_overflow;
};

/* "random", "zeros", "files:A,B", "tensors:X", "adversarial[:CLASS]" and "all", of weights "random", "zeros", "tensors:X" and
 * "ckpt:DIR"; not 0 when it is none. */
int input_source_parse(tf_ctx *ctx, struct input_plan *plan, const char *text, int of_weights);

/* A tensor for each parameter, of its type; 0, or TF_E_* after a diagnostic.  inputs_free in either case. */
int inputs_make(tf_ctx *ctx, const struct tf_function *function, const struct input_plan *plan,
    struct tensor_memory *memory, struct tensor **params);
void inputs_free(const struct tf_function *function, struct tensor **params);

#endif

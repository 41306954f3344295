/* SPDX-License-Identifier: MIT
 * A catalogue of inputs that wrong implementations get through random ones with.  A class fills the groups of each row,
 * a group being what one scale belongs to.
 */
#ifndef TF_EVAL_DRAW_ADVERSARIAL_H
#define TF_EVAL_DRAW_ADVERSARIAL_H

#include "eval/draw.h"
#include "ir/ir.h"

/* X(NAME, "name", whether NaN, infinities or 0/0 follow from it) */
#define ADVERSARIAL_CLASSES(X)                                                                                         \
    X(TIES, "ties", 0)                                                                                                 \
    X(ZERO_GROUPS, "zero-groups", 1)                                                                                   \
    X(TINY_GROUPS, "tiny-groups", 1)                                                                                   \
    X(NONFINITE_FIRST, "nonfinite-first", 1)                                                                           \
    X(NONFINITE_MIDDLE, "nonfinite-middle", 1)                                                                         \
    X(NONFINITE_LAST, "nonfinite-last", 1)                                                                             \
    X(OUTLIERS, "outliers", 0)                                                                                         \
    X(MAGNITUDES, "magnitudes", 0)                                                                                     \
    X(CANCELLING, "cancelling", 0)                                                                                     \
    X(LARGEST_FINITE, "largest-finite", 1)

enum adversarial_class {
#define X(NAME, text, nan) ADVERSARIAL_##NAME,
    ADVERSARIAL_CLASSES(X)
#undef X
        ADVERSARIAL_COUNT /* as a class: all of them in turn, from group to group */
};

#define ADVERSARIAL_GROUP 128 /* elements, where no output of the program has a scale's shape */

const char *adversarial_name(uint32_t which); /* "adversarial" of ADVERSARIAL_COUNT */
int adversarial_makes_nan(uint32_t which);
/* "adversarial" or "adversarial:CLASS"; not 0 when it is neither. */
int adversarial_parse(const char *text, uint32_t *which);

/* What a parameter's draw needs to know of the function: how many elements share a scale, and which dtype is rounded to. */
void adversarial_suit(const struct tf_function *function, const struct tf_type *param, struct draw *draw);

/* Of a floating dtype, with elements. */
int adversarial_fill(
    tf_ctx *ctx, struct generator *generator, const struct draw *draw, struct tensor *tensor, uint32_t fp8_overflow);

#endif

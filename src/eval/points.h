/* SPDX-License-Identifier: MIT
 * Enclosures that are single numbers: of what is given, and of what a candidate delivered.
 */
#ifndef TF_EVAL_POINTS_H
#define TF_EVAL_POINTS_H

#include "eval/tensor.h"

/* n elements of the tensor's dtype as enclosures that are points.  Doubts of `to` are 0 before. */
void points_set(struct tf_tensor *to, size_t n, const void *elements);
/* n elements as they were delivered: points where they lie inside of what was found, and that elsewhere. */
void points_deliver(struct tf_tensor *to, size_t n, const struct tf_tensor *found, const void *elements);

#endif

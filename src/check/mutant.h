/* SPDX-License-Identifier: MIT
 * Proof that a check can fail: wrong candidates made from the reference.
 */
#ifndef TF_CHECK_MUTANT_H
#define TF_CHECK_MUTANT_H

#include "check/check.h"

#define N_MUTANTS 9

struct mutation {
    const char *name;
    uint32_t is_gross;
    size_t which;
    const struct tensor *from;   /* the reference */
    const struct tensor *beside; /* the candidate, where NaN on both sides is taken for 0; else NULL */
    size_t width;                /* bytes of an element */
    size_t length;               /* of a row: the last extent; 1 for rank 0 */
    size_t at;                   /* the element that it is about, or where that begins */
    double factor[2];
};

/* Whether there is a mutant of this kind of such an output. */
int mutation_begin(
    struct mutation *mutation, size_t which, const struct tensor *reference, const struct tensor *beside);
/* Its elements [first, first + n).  Safe on several threads. */
void mutation_make(const struct mutation *mutation, size_t first, size_t n, char *to);

#endif

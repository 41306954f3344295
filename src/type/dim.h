/* SPDX-License-Identifier: MIT
 * Private to src/type: what a dimension is made of.
 *
 * A dimension is constant + the sum of factor * atom, its terms in the order of compare_atoms, no factor 0.  That order
 * looks at contents only, never at addresses or at which was made first, so that a program printed and read again gets
 * the same text.
 */
#ifndef TF_TYPE_DIM_H
#define TF_TYPE_DIM_H

#include "type/table.h"

#define ATOM_VAR 0u       /* name, lo, hi */
#define ATOM_PRODUCT 1u   /* operands: two or more, none a constant, none with a common factor */
#define ATOM_MIN 2u       /* two operands */
#define ATOM_MAX 3u       /* two operands */
#define ATOM_FLOORDIV 4u  /* operand // divisor, divisor > 1 */
#define ATOM_QUOTIENT 5u  /* operand // operand that is no constant */
#define ATOM_REMAINDER 6u /* operand % operand that is no constant */

struct dim;
struct dim_atom {
    uint32_t kind, n;
    int64_t divisor, lo, hi;
    const char *name;
    const struct dim *const *operand; /* as the author wrote them */
    const struct dim *const *sorted;  /* the same where order does not matter: what is compared */
    uint64_t size;
};

struct dim_term {
    int64_t factor;
    const struct dim_atom *atom;
};

struct dim {
    struct tf_dim pub; /* first: the two pointers convert */
    int64_t constant;
    uint64_t size; /* parts of the written-out expression: bounds every walk over it */
    size_t n;
    const struct dim_term *term;
};

/* No dimension has more parts than this: a tree that large is a mistake, and walks over it recurse. */
#define LARGEST_DIM 4096

static inline const struct dim *dim_of(const struct tf_dim *d)
{
    return (const struct dim *)(const void *)d;
}

#endif

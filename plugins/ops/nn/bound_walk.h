/* SPDX-License-Identifier: MIT
 * What an accumulator loses that adds several products at once and cuts off what lies far below the largest of them.
 */
#ifndef TF_OPS_NN_BOUND_WALK_H
#define TF_OPS_NN_BOUND_WALK_H

#include "boundkit.h"

/* One operand: the products' factors, element by element as the tensor has them. */
struct walk_side {
    const double *centre, *reach; /* reach: greatest magnitude, >= |centre| */
    size_t matrix, line, step;    /* elements from matrix to matrix, from line to line, from k to k */
};

struct walk {
    const struct tf_eval *eval;
    struct walk_side lhs, rhs;
    size_t m, n, k; /* of one matrix */
    int open;       /* some factor is no single number */
    const double *value, *reach,
        *magnitude; /* of each element: sums of products; magnitude: NULL where nothing is open */
    double *lost;   /* filled: how far each sum may be off, open factors included */
};

/* TF_OK, or TF_E_NOMEM.  Past some number of products only rows that are drawn are walked, and the others have a coarser
 * bound. */
int walk_all(const struct walk *walk);

#endif

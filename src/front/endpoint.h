/* SPDX-License-Identifier: MIT
 * Starts and ends of subscripts as sums: what is known of them decides sizes, what is not becomes a start that the
 * program computes.
 */
#ifndef TF_FRONT_ENDPOINT_H
#define TF_FRONT_ENDPOINT_H

#include "front/lower.h"

#define ENDPOINT_TERMS 8

struct endpoint {
    const struct tf_dim *constant;
    uint32_t n;
    struct {
        const struct tf_node *node;
        int64_t factor;
    } term[ENDPOINT_TERMS];
    const struct window_value *window; /* it is this window, moved; its variable is among the terms */
};

/* 1, or 0 after a diagnostic. */
int endpoint_read(struct lower *l, const struct expr *e, struct endpoint *out);
/* to - from where no term is left over; 0 without a diagnostic when some is, or on overflow. */
int endpoint_distance(
    struct lower *l, const struct endpoint *from, const struct endpoint *to, const struct tf_dim **distance);
/* The node that has the value; NULL after a diagnostic. */
const struct tf_node *endpoint_node(struct lower *l, const struct tf_loc *loc, const struct endpoint *p);

#endif

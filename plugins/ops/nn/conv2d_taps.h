/* SPDX-License-Identifier: MIT
 * Which elements of the input the taps of a convolution's window reach.
 */
#ifndef TF_OPS_NN_CONV2D_TAPS_H
#define TF_OPS_NN_CONV2D_TAPS_H

#include "evalkit.h"

struct taps {
    size_t channels, height, width;     /* of the input */
    size_t each, rows, columns, groups; /* of the weight: input channels of a group, taps */
    int64_t stride[2], padding[2], dilation[2];
};

static inline void taps_pair(const struct tf_call *call, uint32_t attr, int64_t pair[2])
{
    pair[0] = call->attrs[attr].u.items[0].u.i;
    pair[1] = call->attrs[attr].u.items[1].u.i;
}

static inline struct taps taps_of(const struct tf_eval *e)
{
    const struct tf_tensor *input = e->args[0], *weight = e->args[1];
    struct taps t = {.channels = (size_t)input->extents[1],
        .height = (size_t)input->extents[2],
        .width = (size_t)input->extents[3],
        .each = (size_t)weight->extents[1],
        .rows = (size_t)weight->extents[2],
        .columns = (size_t)weight->extents[3],
        .groups = (size_t)ok_int(e->call, 3)};
    taps_pair(e->call, 0, t.stride);
    taps_pair(e->call, 1, t.padding);
    taps_pair(e->call, 2, t.dilation);
    return t;
}

/* Where in the group's channels tap (r, k) of the window at (y, x) lies; 0: in the padding. */
static inline int taps_reach(const struct taps *t, size_t channel, size_t y, size_t r, size_t x, size_t k, size_t *at)
{
    int64_t row = (int64_t)y * t->stride[0] - t->padding[0] + (int64_t)r * t->dilation[0];
    int64_t column = (int64_t)x * t->stride[1] - t->padding[1] + (int64_t)k * t->dilation[1];
    *at = (channel * t->height + (size_t)row) * t->width + (size_t)column;
    return row >= 0 && row < (int64_t)t->height && column >= 0 && column < (int64_t)t->width;
}

#endif

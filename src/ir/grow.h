/* SPDX-License-Identifier: MIT
 * Arrays of pointers that grow within the context's arena, as members of what they belong to.
 */
#ifndef TF_IR_GROW_H
#define TF_IR_GROW_H

#include "util/ctx.h"

#include <string.h>

/* The array with item appended.  n is how many it holds; its room is the power of two that n fits in, at least 4. */
static inline const void *pointers_grown(tf_ctx *ctx, const void *array, uint32_t n, const void *item)
{
    const void **out;
    memcpy(&out, &array, sizeof(out));
    if (n == 0 || (n >= 4 && (n & (n - 1)) == 0)) {
        out = CTX_ARRAY(ctx, const void *, n ? (size_t)n * 2 : 4);
        if (n)
            memcpy(out, array, n * sizeof(*out));
    }
    out[n] = item;
    return out;
}

#endif

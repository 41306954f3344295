/* SPDX-License-Identifier: MIT */
#include "eval/value.h"

#include "util/arena.h"

#include <stdlib.h>
#include <string.h>

struct tensor **value_leaves(struct value *value)
{
    return value->n == 1 ? &value->one : value->many;
}

void value_drop(struct value *value)
{
    for (uint32_t i = 0; i < value->n; i++)
        tensor_release(value_leaves(value)[i]);
    free(value->many);
    *value = (struct value){0};
}

struct tensor **value_room(struct value *value, uint32_t n)
{
    value_drop(value);
    value->n = n;
    if (n != 1) {
        value->many = xrealloc(NULL, (n ? n : 1) * sizeof(*value->many));
        memset(value->many, 0, n * sizeof(*value->many));
    }
    return value_leaves(value);
}

void value_share(struct value *value, struct value *from, uint32_t first, uint32_t n)
{
    struct tensor **to = value_room(value, n);
    for (uint32_t i = 0; i < n; i++)
        to[i] = tensor_hold(value_leaves(from)[first + i]);
}

/* SPDX-License-Identifier: MIT */
#include "ir/call.h"

struct tf_call call_whole(struct arena *arena, const struct tf_node *node)
{
    const struct tf_type **types = ARENA_ARRAY(arena, const struct tf_type *, node->n_in);
    for (uint32_t i = 0; i < node->n_in; i++)
        types[i] = node->in[i]->type;
    return (struct tf_call){.struct_size = sizeof(struct tf_call),
        .node = node,
        .op = node->op,
        .n_args = node->n_in,
        .n_attrs = node->n_attrs,
        .args = node->in,
        .arg_types = types,
        .attrs = node->attrs,
        .type = node->type,
        .scope = node->scope,
        .loc = node->loc,
        .name = node->name};
}

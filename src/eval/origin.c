/* SPDX-License-Identifier: MIT */
#include "eval/origin.h"

uint32_t leaf_count(const struct tf_type *type)
{
    return (uint32_t)type_leaves(type, NULL, 0);
}

int is_naming(const struct tf_node *node)
{
    return node->kind == TF_NODE_REGION || node->kind == TF_NODE_RPARAM || node->kind == TF_NODE_TUPLE ||
           (node->kind == TF_NODE_CALL && node->op->flags & TF_OP_ITEM);
}

const struct tf_node *value_origin(const struct tf_node *node, uint32_t *leaf)
{
    for (;;) {
        uint32_t i = 0;
        if (node->kind == TF_NODE_REGION)
            node = node->region->body;
        else if (node->kind == TF_NODE_RPARAM)
            node = node->owner->in[node->index];
        else if (node->kind == TF_NODE_TUPLE) {
            for (; *leaf >= leaf_count(node->in[i]->type); i++)
                *leaf -= leaf_count(node->in[i]->type);
            node = node->in[i];
        } else if (node->kind == TF_NODE_CALL && node->op->flags & TF_OP_ITEM) {
            for (; i < (uint32_t)node->attrs[0].u.i; i++)
                *leaf += leaf_count(node->in[0]->type->fields[i]);
            node = node->in[0];
        } else
            return node;
    }
}

uint64_t outputs_of(const struct tf_function *function, const struct tf_node *node)
{
    uint64_t outputs = 0;
    uint32_t n = leaf_count(function->body->type);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t leaf = i;
        if (value_origin(function->body, &leaf) == node && leaf < 64)
            outputs |= UINT64_C(1) << leaf;
    }
    return outputs;
}

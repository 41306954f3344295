/* SPDX-License-Identifier: MIT
 * Where values lie, against the memory that the target has.
 */
#include "ir/levels.h"

#include "target/target.h"
#include "util/diag.h"

#include <string.h>

struct checking {
    tf_ctx *ctx;
    const struct tf_target *target;
    uint64_t allowed; /* bit set of storages */
    int refused;
};

static uint64_t storages_of(const struct tf_target *target)
{
    uint64_t allowed = UINT64_C(1) << TF_STORAGE_UMAT, capacity;
    for (uint32_t storage = 0; storage < TF_STORAGE_COUNT; storage++)
        if (target_memory(target, storage, &capacity) == TF_OK)
            allowed |= UINT64_C(1) << storage;
    return allowed;
}

static void refuse(struct checking *c, const struct tf_node *node, uint32_t storage)
{
    struct buf has = {0};
    for (uint32_t i = 0; i < TF_STORAGE_COUNT; i++)
        if (c->allowed & UINT64_C(1) << i)
            buf_printf(&has, "%s%s", has.n ? ", " : "", storage_name(i));
    ERROR(c->ctx, &node->loc, "storage-level", "target %s has no storage %s; it has %s", c->target->id,
        storage_name(storage), buf_text(&has));
    buf_free(&has);
    c->refused = 1;
}

static int visit(void *data, const struct tf_node *node)
{
    struct checking *c = data;
    const struct tf_type *few[8], **leaves = few;
    size_t n = type_leaves(node->type, few, 8);
    if (n > 8) {
        leaves = CTX_ARRAY(c->ctx, const struct tf_type *, n);
        type_leaves(node->type, leaves, n);
    }
    /* a result may be handed to the host; an argument is where the device can reach it */
    uint64_t allowed = c->allowed | (node->kind == TF_NODE_PARAM ? 0 : UINT64_C(1) << TF_STORAGE_HOST);
    for (size_t i = 0; i < n; i++)
        if (!(allowed & UINT64_C(1) << leaves[i]->storage)) {
            refuse(c, node, leaves[i]->storage);
            return TF_E_REFUSED; /* what follows from it says nothing new */
        }
    return 0;
}

int storages_check(tf_ctx *ctx, const struct tf_function *function, const struct tf_target *target)
{
    struct checking c = {.ctx = ctx, .target = target, .allowed = storages_of(target)};
    struct walk walk = {.data = &c, .visit = visit};
    int has_levels = 0;
    for (uint32_t i = 0; i < target->n_memories; i++)
        has_levels |= target->memories[i].is_explicit != 0;
    if (!has_levels)
        return TF_OK;
    for (uint32_t i = 0; i < function->n_params && !c.refused; i++)
        visit(&c, function->params[i]);
    if (function->body && !c.refused)
        walk_function(ctx, function, &walk);
    return c.refused ? TF_E_REFUSED : TF_OK;
}

/* SPDX-License-Identifier: MIT
 * The parts of a function as they are printed: in the order in which they are called, each after what it calls, under
 * their callees' names.
 */
#include "ir/printer.h"

struct visit {
    struct ir_function *part;
    VEC(struct ir_function *) calls;
    size_t next;
};

/* ---- order --------------------------------------------------------------------------------------------------------*/

static void find_calls(struct printer *p, struct visit *visit)
{
    p->function = visit->part;
    plan_order(p, &visit->part->pub);
    for (size_t i = 0; i < p->plan.order.n; i++) {
        const struct tf_node *node = p->plan.item[p->plan.order.at[i]].node;
        if (node->kind == TF_NODE_FCALL)
            VEC_PUSH(&visit->calls, (struct ir_function *)(uintptr_t)node->callee);
    }
    plan_free(&p->plan);
}

/* Each part is called in one place.  One that gives only what nothing reads is not called at all, and left out. */
static void order(struct printer *p, struct ir_parts *parts)
{
    VEC(struct visit) stack = {0};
    struct visit first = {.part = parts->at[parts->n - 1]};
    uint32_t n = 0;
    find_calls(p, &first);
    VEC_PUSH(&stack, first);
    while (stack.n) {
        struct visit *top = &stack.at[stack.n - 1];
        if (top->next < top->calls.n) {
            struct visit inner = {.part = top->calls.at[top->next++]};
            find_calls(p, &inner);
            VEC_PUSH(&stack, inner);
            continue;
        }
        parts->at[n++] = top->part;
        VEC_FREE(&top->calls);
        stack.n--;
    }
    parts->n = n;
    VEC_FREE(&stack);
}

/* ---- names --------------------------------------------------------------------------------------------------------*/

static const char *free_name(tf_ctx *ctx, struct ptr_map *taken, const char *wanted)
{
    const char *base = ctx_intern(ctx, wanted), *name = base;
    uint32_t n = *ptr_map_put(taken, base, 0);
    while (*ptr_map_put(taken, name, 0))
        name = ctx_intern(ctx, arena_format(&ctx->arena, "%s_%u", wanted, ++n));
    *ptr_map_put(taken, base, 1) = n ? n : 1;
    *ptr_map_put(taken, name, 1) = 1;
    return name;
}

static void take(tf_ctx *ctx, struct ptr_map *taken, const char *name)
{
    ptr_map_put(taken, ctx_intern(ctx, name), 1);
}

/* No parameter hides a part that its function calls. */
static void name_parts(tf_ctx *ctx, const struct ir_parts *parts, const struct ir_module *owner)
{
    struct ptr_map taken = {0};
    take(ctx, &taken, owner->name);
    take(ctx, &taken, parts->at[parts->n - 1]->pub.name);
    for (uint32_t i = 0; i < parts->n; i++)
        for (uint32_t k = 0; k < parts->at[i]->pub.n_params; k++)
            take(ctx, &taken, parts->at[i]->pub.params[k]->name);
    for (uint32_t i = 0; i + 1 < parts->n; i++)
        parts->at[i]->pub.name = free_name(ctx, &taken, parts->at[i]->pub.name);
    ptr_map_free(&taken);
}

void parts_order(struct printer *p, const struct ir_function *f, const struct ir_module *owner)
{
    if (f->parts->is_ordered)
        return;
    order(p, f->parts);
    name_parts(p->ctx, f->parts, owner);
    f->parts->is_ordered = 1;
}

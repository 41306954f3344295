/* SPDX-License-Identifier: MIT
 * What a file has to hold: the module, and the free functions and other modules that its functions call, callees first.
 * Calls may chain as long as the program is, so the search keeps its own stack.
 */
#include "ir/printer.h"

#include <string.h>

struct visit {
    struct unit unit;
    VEC(struct unit) calls;
    size_t next;
};

struct search {
    struct printer *p;
    struct ptr_map seen;
    VEC(struct visit) stack;
    struct visit *now;
};

/* ---- names and dimensions -----------------------------------------------------------------------------------------*/

/* K0, L12, M3: what constants are called where no value is. */
static void note_author(struct printer *p, const char *name)
{
    if (!name || !strchr("KLM", name[0]) || !name[0] || !name[1] || name[1 + strspn(name + 1, "0123456789")])
        return;
    ptr_map_put(&p->authors, ctx_intern(p->ctx, name), 1);
}

static void note_type(struct printer *p, const struct tf_type *type)
{
    for (uint32_t i = 0; i < type->rank; i++) {
        if (type->kind == TF_TYPE_TUPLE)
            note_type(p, type->fields[i]);
        else
            note_dims(p, type->shape[i]);
    }
}

static void note_node(struct printer *p, const struct tf_node *node)
{
    note_author(p, node->name);
    note_type(p, node->type);
    if (node->kind == TF_NODE_REGION)
        note_author(p, node->region->name);
    if (node->kind != TF_NODE_LOOP)
        return;
    note_author(p, node->loop->var->name);
    for (uint32_t i = 0; i < node->loop->n_carries; i++)
        note_author(p, node->loop->carries[i]->name);
}

/* ---- calls --------------------------------------------------------------------------------------------------------*/

static const struct ir_module *root_of(const struct ir_module *module)
{
    while (module->parent)
        module = module->parent;
    return module;
}

static void note_callee(struct search *s, const struct tf_function *callee)
{
    const struct ir_function *f = (const struct ir_function *)callee;
    struct unit unit = {0};
    if (f->whole) /* a part stands beside the one that calls it */
        return;
    if (f->owner)
        unit.root = root_of(f->owner);
    else
        unit.free = f;
    if (!unit.root || unit.root != s->now->unit.root)
        VEC_PUSH(&s->now->calls, unit);
}

static void scan(struct search *s, const struct ir_function *f)
{
    struct walker walker;
    const struct tf_node *node;
    for (uint32_t i = 0; i < f->pub.n_params; i++)
        note_node(s->p, f->pub.params[i]);
    if (f->pub.result)
        note_type(s->p, f->pub.result);
    walker_init(&walker, &f->pub);
    for (unsigned event; (event = walker_next(&walker, &node)) != WALK_END;) {
        if (event != WALK_VISIT)
            continue;
        note_node(s->p, node);
        if (node->kind == TF_NODE_FCALL)
            note_callee(s, node->callee);
    }
    walker_finish(&walker);
    for (uint32_t i = 0; i < f->n_variants; i++)
        scan(s, (const struct ir_function *)f->variants[i].function);
    for (uint32_t i = 0; i < f->n_converters; i++)
        scan(s, (const struct ir_function *)f->converters[i].function);
}

static void scan_parts(struct search *s, const struct ir_module *module, const struct ir_function *f)
{
    if (f->parts)
        parts_order(s->p, f, module);
    for (uint32_t i = 0; f->parts && i < f->parts->n; i++) {
        name_reserve(s->p, f->parts->at[i]->pub.name, NAME_KNOWN);
        scan(s, f->parts->at[i]);
    }
}

static void scan_module(struct search *s, const struct ir_module *module)
{
    name_reserve(s->p, module->name, NAME_KNOWN);
    for (uint32_t i = 0; i < module->n_children; i++)
        scan_module(s, module->children[i]);
    for (uint32_t i = 0; i < module->n_functions; i++) {
        name_reserve(s->p, module->functions[i]->pub.name, NAME_KNOWN);
        scan(s, module->functions[i]);
        scan_parts(s, module, module->functions[i]);
    }
}

/* ---- the search ---------------------------------------------------------------------------------------------------*/

static void push(struct search *s, struct unit unit)
{
    const void *key = unit.root ? (const void *)unit.root : (const void *)unit.free;
    if (ptr_map_get(&s->seen, key))
        return;
    ptr_map_put(&s->seen, key, 1);
    struct visit visit = {.unit = unit};
    VEC_PUSH(&s->stack, visit);
    s->now = &s->stack.at[s->stack.n - 1];
    if (unit.root) {
        scan_module(s, unit.root);
    } else {
        name_reserve(s->p, unit.free->pub.name, NAME_KNOWN);
        scan(s, unit.free);
    }
}

void gather_units(struct printer *p, const struct ir_module *module)
{
    struct search s = {.p = p};
    push(&s, (struct unit){.root = module});
    while (s.stack.n) {
        struct visit *top = &s.stack.at[s.stack.n - 1];
        if (top->next < top->calls.n) {
            push(&s, top->calls.at[top->next++]);
            continue;
        }
        VEC_PUSH(&p->units, top->unit);
        VEC_FREE(&top->calls);
        s.stack.n--;
    }
    VEC_FREE(&s.stack);
    ptr_map_free(&s.seen);
}

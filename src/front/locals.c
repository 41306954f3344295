/* SPDX-License-Identifier: MIT */
#include "front/lower.h"

void local_define(struct lower *l, const char *name, const struct value *value)
{
    struct locals *s = &l->locals;
    uint32_t *index = name_map_put(l->ctx, &s->map, name);
    if (*index && s->at[*index - 1].frame == s->frame) {
        s->at[*index - 1].value = value;
        return;
    }
    s->at = front_grow(l->ctx, s->at, s->n, &s->room, sizeof(*s->at));
    s->at[s->n++] = (struct local){.name = name, .value = value, .previous = *index, .frame = s->frame};
    *index = (uint32_t)s->n;
}

const struct value *local_lookup(const struct lower *l, const char *name)
{
    uint32_t index = name_map_get(&l->locals.map, name);
    return index ? l->locals.at[index - 1].value : NULL;
}

void locals_push(struct lower *l)
{
    l->locals.frame++;
}

/* The frame's names are out of force at once; the array stays readable until the next definition. */
size_t locals_pop(struct lower *l, struct local **first)
{
    struct locals *s = &l->locals;
    size_t end = s->n;
    while (s->n && s->at[s->n - 1].frame == s->frame) {
        s->n--;
        *name_map_put(l->ctx, &s->map, s->at[s->n].name) = s->at[s->n].previous;
    }
    s->frame--;
    *first = s->at + s->n;
    return end - s->n;
}

const struct value *node_value(struct lower *l, const struct tf_node *node)
{
    if (!node)
        return &value_poison;
    struct value *v = value_new(l->ctx, VALUE_NODE);
    v->u.node = node;
    v->level = (uint32_t)l->n_regions;
    return v;
}

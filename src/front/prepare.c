/* SPDX-License-Identifier: MIT */
#include "front/prepare.h"

#include "front/lower.h"

#include <stdlib.h>

/* A definition whose names are looked at. */
struct work {
    const struct stmt *def;
    const struct env *env;
    uint32_t at;
};

/* What the root reaches by the names that are read, found without making any of it. */
struct reached {
    struct front *front;
    struct work *work;
    struct function_value **functions;
    size_t n_work, room_work, n, room;
    size_t next;          /* the work at hand */
    struct name_map seen; /* by address */
};

/* The value's own address tells it apart; names and values never share one. */
static int is_new(struct reached *r, const void *value)
{
    uint32_t *seen = name_map_put(r->front->ctx, &r->seen, value);
    return !(*seen)++;
}

static void add_work(struct reached *r, const struct stmt *def, const struct env *env, uint32_t at)
{
    r->work = front_grow(r->front->ctx, r->work, r->n_work, &r->room_work, sizeof(*r->work));
    r->work[r->n_work++] = (struct work){def, env, at};
}

static void note_name(void *data, const char *name)
{
    struct reached *r = data;
    const struct work *work = &r->work[r->next];
    const struct value *v = env_find(work->env, name, work->at);
    if (v && v->kind == VALUE_MODULE && v->u.module->def && is_new(r, v->u.module))
        add_work(r, v->u.module->def, v->u.module->env, v->u.module->at);
    if (!v || v->kind != VALUE_FUNCTION || !v->u.function->def || v->u.function->env->is_class ||
        !is_new(r, v->u.function))
        return;
    r->functions = front_grow(r->front->ctx, r->functions, r->n, &r->room, sizeof(*r->functions));
    r->functions[r->n++] = v->u.function;
    add_work(r, v->u.function->def, v->u.function->env, v->u.function->at);
}

/* As the files run: an imported file comes before the one that imports it. */
static int in_order(const void *a, const void *b)
{
    const struct function_value *const *x = a, *const *y = b;
    uint32_t f = (*x)->env->file->file, g = (*y)->env->file->file;
    if (f != g)
        return f > g ? -1 : 1;
    return (*x)->at < (*y)->at ? -1 : (*x)->at > (*y)->at;
}

void prepare_functions(struct front *front, const struct module_value *root)
{
    struct reached r = {.front = front};
    add_work(&r, root->def, root->env, root->at);
    for (; r.next < r.n_work; r.next++)
        names_read(r.work[r.next].def, note_name, &r);
    if (r.n > 1)
        qsort(r.functions, r.n, sizeof(*r.functions), in_order);
    for (size_t i = 0; i < r.n; i++)
        function_force(front, r.functions[i]);
}

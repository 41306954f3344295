/* SPDX-License-Identifier: MIT */
#include "eval/runner.h"
#include "type/type.h"

#include <string.h>

struct value *value_of(struct runner *r, const struct tf_node *node)
{
    return &r->values[node->id];
}

uint32_t held_dtype(const struct runner *r, const struct tf_type *type)
{
    int is_float = dtype_info(type->dtype)->cls == TF_CLASS_FLOAT;
    return r->mode == TF_EVAL_EXACT && is_float ? TF_DTYPE_F64 : type->dtype;
}

struct tensor *runner_tensor(struct runner *r, const struct tf_type *type)
{
    if (r->mode == TF_EVAL_BOUND)
        return tensor_enclosure(r->ctx, r->memory, type, r->request->declared->fma && type->dtype == TF_DTYPE_F32);
    return tensor_held_as(r->ctx, r->memory, type, held_dtype(r, type));
}

void runner_drop(struct runner *r)
{
    for (uint32_t id = 0; id < r->function->n_nodes; id++)
        value_drop(&r->values[id]);
    for (size_t i = 0; r->whole && i < r->rows.leaves.n; i++)
        tensor_release(r->whole[i]);
    free(r->whole);
    r->whole = NULL;
    rows_plan_free(&r->rows);
}

void runner_begin(struct runner *r)
{
    size_t size = ((size_t)r->function->n_nodes + 1) * sizeof(*r->values);
    arena_init(&r->scratch);
    r->values = xrealloc(NULL, size);
    memset(r->values, 0, size);
    schedule_make(&r->plan, r->function);
}

void runner_finish(struct runner *r)
{
    runner_drop(r);
    schedule_free(&r->plan);
    free(r->values);
    arena_finish(&r->scratch);
}

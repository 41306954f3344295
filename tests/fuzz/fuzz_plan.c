/* SPDX-License-Identifier: MIT
 * The plan in a source for cuda-h200: any text.  What is accepted names nothing that is not there.
 */
#include "fuzz/fuzz.h"

#include "cuda/fake.h"

static void must(int holds)
{
    if (!holds)
        abort();
}

static void hold_reference(const struct plan *plan, enum parameter_kind kind, uint32_t index)
{
    switch (kind) {
    case PARAMETER_SCRATCH: must(index < plan->n_scratch); break;
    case PARAMETER_MAP: must(index < plan->n_maps); break;
    default: must(index < UINT32_MAX); break;
    }
}

static void hold_map(const struct plan *plan, const struct map *m)
{
    must(*m->name && m->rank >= 1 && m->rank <= 5 && m->of != PARAMETER_MAP);
    must(m->swizzle >= 0 && m->swizzle <= 3 && m->promotion >= 0 && m->promotion <= 3);
    hold_reference(plan, m->of, m->index);
}

static void hold_launch(const struct plan *plan, const struct launch *l)
{
    must(*l->kernel && l->n_parameters <= MAX_PARAMETERS && l->cluster <= 16);
    for (int i = 0; i < 3; i++)
        must(l->grid[i] <= INT32_MAX && l->block[i] <= 1024);
    for (uint32_t i = 0; i < l->n_parameters; i++)
        hold_reference(plan, l->parameters[i].kind, l->parameters[i].index);
}

static void hold(const struct plan *plan)
{
    must(plan->n_launches > 0);
    for (uint32_t i = 0; i < plan->n_scratch; i++)
        must(*plan->scratch[i].name != 0);
    for (uint32_t i = 0; i < plan->n_maps; i++)
        hold_map(plan, &plan->maps[i]);
    for (uint32_t i = 0; i < plan->n_launches; i++)
        hold_launch(plan, &plan->launches[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct plan plan;
    char *text = malloc(size + 1); /* of exactly this size, so that a read past the end is seen */
    must(text != NULL);
    if (size)
        memcpy(text, data, size);
    text[size] = 0;
    if (plan_read(NULL, text, &plan))
        must(*diagnostic && strcmp(diagnosed, BAD_PLAN) == 0);
    else
        hold(&plan);
    fake_forget();
    free(text);
    return 0;
}

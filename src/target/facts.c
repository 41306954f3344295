/* SPDX-License-Identifier: MIT
 * What analyses ask of a target.
 */
#include "target/target.h"

#include "type/type.h"

#include <string.h>

static const struct target_fact *search(const struct target_fact *facts, uint32_t n, const char *path)
{
    uint32_t low = 0, high = n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = strcmp(facts[middle].path, path);
        if (!order)
            return &facts[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

/* A device's fact stands before one of its architecture. */
const struct target_fact *target_fact(const struct tf_target *target, const char *path)
{
    uint32_t n = target->n_architecture_facts;
    const struct target_fact *own = search(target->facts + n, target->n_facts - n, path);
    return own ? own : search(target->facts, n, path);
}

int target_int(const struct tf_target *target, const char *path, uint64_t *value)
{
    const struct target_fact *fact = target_fact(target, path);
    if (!fact || !fact->value || !fact->is_number)
        return TF_E_UNSUPPORTED;
    *value = fact->number;
    return TF_OK;
}

int target_text(const struct tf_target *target, const char *path, const char **value)
{
    const struct target_fact *fact = target_fact(target, path);
    if (!fact || !fact->value)
        return TF_E_UNSUPPORTED;
    *value = fact->value;
    return TF_OK;
}

static int rate_of(const struct tf_target *target, uint32_t pipe, uint32_t key, uint64_t *per_second)
{
    for (uint32_t i = 0; i < target->n_rates; i++)
        if (target->rates[i].pipe == pipe && target->rates[i].key == key) {
            *per_second = target->rates[i].per_second;
            return TF_OK;
        }
    return TF_E_UNSUPPORTED;
}

int target_rate(const struct tf_target *target, uint32_t pipe, uint32_t key, uint64_t *per_second, uint32_t *priced)
{
    *priced = pipe;
    if (pipe == TF_WORK_SERVICE)
        return rate_of(target, pipe, key, per_second);
    if (pipe == TF_WORK_TENSOR && rate_of(target, pipe, key, per_second) == TF_OK)
        return TF_OK;
    if (dtype_info(key)->cls != TF_CLASS_FLOAT) {
        *priced = TF_WORK_SERVICE;
        return rate_of(target, TF_WORK_SERVICE, TF_SERVICE_INTEGER, per_second);
    }
    *priced = TF_WORK_VECTOR;
    return rate_of(target, TF_WORK_VECTOR, key, per_second);
}

const struct target_memory *target_memory_named(const struct tf_target *target, const char *name)
{
    for (uint32_t i = 0; i < target->n_memories; i++)
        if (!strcmp(target->memories[i].name, name))
            return &target->memories[i];
    return NULL;
}

int target_memory(const struct tf_target *target, uint32_t storage, uint64_t *capacity)
{
    const struct target_memory *memory = target_memory_named(target, storage_name(storage));
    if (!memory || !memory->is_explicit)
        return TF_E_UNSUPPORTED;
    *capacity = memory->capacity;
    return TF_OK;
}

uint64_t target_units(const struct tf_target *target, const char **level)
{
    *level = target->units_level;
    return target->units;
}

int target_bandwidth(const struct tf_target *target, uint32_t storage, uint64_t *bytes_per_second)
{
    const struct target_memory *memory = target_memory_named(target, storage_name(storage));
    if (!memory || !memory->is_explicit || !memory->bandwidth)
        return TF_E_UNSUPPORTED;
    *bytes_per_second = memory->bandwidth;
    return TF_OK;
}

int target_cache(const struct tf_target *target, uint32_t index, struct tf_cache *cache)
{
    for (uint32_t i = 0; i < target->n_memories; i++) {
        const struct target_memory *m = &target->memories[i];
        const struct target_memory *behind =
            m->is_explicit || !m->caches ? NULL : target_memory_named(target, m->caches);
        uint32_t storage;
        if (!behind || !behind->is_explicit || strcmp(behind->scope, m->scope) || storage_find(behind->name, &storage))
            continue;
        if (index--)
            continue;
        *cache = (struct tf_cache){
            .name = m->name, .backing = storage, .is_stated = m->capacity != 0, .capacity = m->capacity};
        return TF_OK;
    }
    return TF_E_UNSUPPORTED;
}

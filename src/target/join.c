/* SPDX-License-Identifier: MIT
 * From documents to a target: the model's rows looked up in the facts of device and architecture.
 */
#include "target/document.h"

#include "type/type.h"
#include "util/diag.h"
#include "util/vec.h"

#include <string.h>

static const char *const SERVICE[TF_SERVICE_COUNT] = {
    [TF_SERVICE_INTEGER] = "integer",
    [TF_SERVICE_PREDICATE] = "predicate",
    [TF_SERVICE_SELECT] = "select",
    [TF_SERVICE_SPECIAL] = "special",
};

int work_key(const char *pipe, const char *name, uint32_t *key)
{
    if (strcmp(pipe, "service"))
        return dtype_find(name, key);
    for (*key = 0; *key < TF_SERVICE_COUNT; ++*key)
        if (!strcmp(SERVICE[*key], name))
            return 0;
    return -1;
}

struct joining {
    tf_ctx *ctx;
    struct tf_target *target;
    VEC(struct target_level) levels;
    VEC(struct target_memory) memories;
    VEC(struct target_rate) rates;
    int failed;
};

#define REFUSE(j, document, ...) (document_error((j)->ctx, (document), __VA_ARGS__), (void)((j)->failed = 1))

/* The number of a fact that a row reads: 0 with nothing said when the row names none or it is unavailable. */
static uint64_t number(struct joining *j, struct document *document, const struct model_row *row, const char *path,
    const char *const *units)
{
    if (!path)
        return 0;
    const struct target_fact *fact = target_fact(j->target, path);
    if (!fact) {
        REFUSE(j, document, row->line, "target-fact", "no fact '%s' is stated in %s%s%s", path, j->target->id,
            j->target->architecture ? " or " : "", j->target->architecture ? j->target->architecture : "");
        return 0;
    }
    if (!fact->value)
        return 0;
    for (const char *const *unit = units; *unit; unit++)
        if (!strcmp(*unit, fact->unit))
            return fact->number;
    REFUSE(j, document, row->line, "target-unit", "fact '%s' is stated in %s, expected %s", path, fact->unit, units[0]);
    return 0;
}

static const char *const BYTES[] = {"byte", "register", NULL};
static const char *const BANDWIDTH[] = {"byte/s", NULL};
static const char *const COUNTS[] = {"count", "thread", NULL};
static const char *const FLOPS[] = {"flop/s", NULL};
static const char *const OPS[] = {"op/s", NULL};

static void join_memory(struct joining *j, struct document *document, const struct model_row *row)
{
    uint32_t storage;
    if (row->is_explicit && (storage_find(row->name, &storage) || storage == TF_STORAGE_UMAT))
        REFUSE(j, document, row->line, "target-name", "explicit memory '%s' is no storage of the language", row->name);
    uint64_t capacity = number(j, document, row, row->fact, BYTES);
    if (__builtin_mul_overflow(capacity, row->scale, &capacity))
        REFUSE(j, document, row->line, "target-value", "the capacity of '%s' passes 2^64", row->name);
    /* a store that the architecture says it lacks is no level */
    if (row->is_explicit && row->fact && !capacity)
        return;
    VEC_PUSH(&j->memories, ((struct target_memory){
                               .name = row->name,
                               .scope = row->scope,
                               .owner = row->owner,
                               .caches = row->caches,
                               .capacity = capacity,
                               .bandwidth = number(j, document, row, row->bandwidth, BANDWIDTH),
                               .is_explicit = row->is_explicit,
                               .line = row->line,
                           }));
}

static void join_rate(struct joining *j, struct document *document, const struct model_row *row)
{
    uint32_t key = 0;
    int service = !strcmp(row->pipe, "service");
    uint64_t rate = number(j, document, row, row->fact, service ? OPS : FLOPS);
    if (!rate || work_key(row->pipe, row->name, &key))
        return;
    if (row->per_unit && !j->target->units) {
        REFUSE(j, document, row->line, "target-fact", "a rate per unit needs a <units> row before it");
        return;
    }
    if (row->per_unit && __builtin_mul_overflow(rate, j->target->units, &rate)) {
        REFUSE(j, document, row->line, "target-value", "the device-wide rate of '%s' passes 2^64", row->name);
        return;
    }
    uint32_t pipe = service ? TF_WORK_SERVICE : !strcmp(row->pipe, "tensor") ? TF_WORK_TENSOR : TF_WORK_VECTOR;
    VEC_PUSH(&j->rates, ((struct target_rate){.pipe = pipe, .key = key, .per_second = rate}));
}

static void join_row(struct joining *j, struct document *document, const struct model_row *row)
{
    if (!strcmp(row->what, "level")) {
        struct target_level level = {.name = row->name, .limit = number(j, document, row, row->fact, COUNTS)};
        VEC_PUSH(&j->levels, level);
    } else if (!strcmp(row->what, "units")) {
        j->target->units_level = row->name;
        j->target->units = number(j, document, row, row->fact, COUNTS);
    } else if (!strcmp(row->what, "memory")) {
        join_memory(j, document, row);
    } else {
        join_rate(j, document, row);
    }
}

static void join_facts(struct joining *j, struct document *device, struct document *architecture)
{
    uint32_t n = architecture ? architecture->n_facts : 0;
    struct target_fact *facts = CTX_ARRAY(j->ctx, struct target_fact, n + device->n_facts);
    if (n)
        memcpy(facts, architecture->facts, n * sizeof(*facts));
    if (device->n_facts)
        memcpy(facts + n, device->facts, device->n_facts * sizeof(*facts));
    j->target->facts = facts;
    j->target->n_architecture_facts = n;
    j->target->n_facts = n + device->n_facts;
}

struct tf_target *document_join(tf_ctx *ctx, struct document *device, struct document *architecture)
{
    struct joining j = {.ctx = ctx, .target = CTX_NEW(ctx, struct tf_target)};
    *j.target = (struct tf_target){
        .id = device->id,
        .family = device->family,
        .title = device->title,
        .kind = device->kind,
        .architecture = device->architecture,
        .path = device->path,
        .digest = device->digest,
        .architecture_path = architecture ? architecture->path : NULL,
        .architecture_digest = architecture ? architecture->digest : NULL,
    };
    if (architecture && (strcmp(architecture->kind, "architecture") || architecture->family != device->family))
        REFUSE(&j, device, 1, "target-architecture", "'%s' is no architecture of the family %s", architecture->id,
            device->family);
    join_facts(&j, device, architecture);
    for (uint32_t i = 0; architecture && i < architecture->n_rows; i++)
        join_row(&j, architecture, &architecture->rows[i]);
    for (uint32_t i = 0; i < device->n_rows; i++)
        join_row(&j, device, &device->rows[i]);
    struct tf_target *t = j.target;
    t->n_levels = (uint32_t)j.levels.n;
    t->n_memories = (uint32_t)j.memories.n;
    t->n_rates = (uint32_t)j.rates.n;
    t->levels = arena_copy(&ctx->arena, j.levels.at, j.levels.n * sizeof(*j.levels.at));
    t->memories = arena_copy(&ctx->arena, j.memories.at, j.memories.n * sizeof(*j.memories.at));
    t->rates = arena_copy(&ctx->arena, j.rates.at, j.rates.n * sizeof(*j.rates.at));
    VEC_FREE(&j.levels);
    VEC_FREE(&j.memories);
    VEC_FREE(&j.rates);
    return j.failed ? NULL : t;
}

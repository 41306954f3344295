/* SPDX-License-Identifier: MIT */
#include "ir/levels.h"

#include "target/target.h"
#include "util/diag.h"

#include <inttypes.h>
#include <string.h>

static const struct target_level *level_of_target(const struct tf_target *target, const char *name)
{
    for (uint32_t i = 0; i < target->n_levels; i++)
        if (!strcmp(target->levels[i].name, name))
            return &target->levels[i];
    return NULL;
}

static void list_names(struct buf *out, const struct tf_topology *levels, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        buf_printf(out, "%s'%s'", i ? ", " : "", levels[i].name);
}

static void report_level(tf_ctx *ctx, const struct tf_loc *loc, const char *name, const struct tf_target *target)
{
    struct buf has = {0};
    for (uint32_t i = 0; i < target->n_levels; i++)
        buf_printf(&has, "%s'%s'", i ? ", " : "", target->levels[i].name);
    if (has.n)
        ERROR(ctx, loc, "topology-level", "target %s has no level '%s'; it has %s", target->id, name, buf_text(&has));
    else
        ERROR(
            ctx, loc, "topology-level", "target %s has no levels, so none can be declared ('%s' is)", target->id, name);
    buf_free(&has);
}

static int extent_allowed(tf_ctx *ctx, const struct tf_loc *loc, const struct tf_topology *level, uint64_t limit)
{
    int64_t extent;
    if (!dim_is_const(level->extent, &extent)) {
        ERROR(ctx, loc, "topology-extent", "the extent of level '%s' is still open", level->name);
        return 0;
    }
    if (extent > 0 && (!limit || (uint64_t)extent <= limit))
        return 1;
    if (limit)
        ERROR(ctx, loc, "topology-extent", "level '%s' has extent %" PRId64 "; the target allows 1 to %" PRIu64,
            level->name, extent, limit);
    else
        ERROR(
            ctx, loc, "topology-extent", "level '%s' has extent %" PRId64 "; it must be positive", level->name, extent);
    return 0;
}

int levels_check(tf_ctx *ctx, const struct ir_module *module, const struct tf_target *target)
{
    const struct tf_topology *levels;
    uint32_t n;
    int fine = 1;
    module_levels(module, &levels, &n);
    for (uint32_t i = 0; i < n; i++) {
        const struct target_level *level = level_of_target(target, levels[i].name);
        if (!level)
            report_level(ctx, &module->loc, levels[i].name, target);
        fine &= level && extent_allowed(ctx, &module->loc, &levels[i], level->limit);
    }
    return fine ? TF_OK : TF_E_REFUSED;
}

static uint32_t level_index(const struct tf_topology *levels, uint32_t n, const char *name)
{
    uint32_t i = 0;
    while (i < n && strcmp(levels[i].name, name))
        i++;
    return i;
}

static void report_selected(
    tf_ctx *ctx, const struct ir_module *module, const struct tf_topology *levels, uint32_t n, const char *name)
{
    struct buf declared = {0};
    const char **names = CTX_ARRAY(ctx, const char *, n);
    for (uint32_t i = 0; i < n; i++)
        names[i] = levels[i].name;
    list_names(&declared, levels, n);
    const char *near = did_you_mean(name, names, n);
    if (!n)
        ERROR(ctx, NULL, "topology-level", "module '%s' declares no topology, so '%s' cannot be selected", module->name,
            name);
    else if (near)
        ERROR(ctx, NULL, "topology-level", "module '%s' declares no topology '%s'; did you mean '%s'? (it declares %s)",
            module->name, name, near, buf_text(&declared));
    else
        ERROR(ctx, NULL, "topology-level", "module '%s' declares no topology '%s'; it declares %s", module->name, name,
            buf_text(&declared));
    buf_free(&declared);
}

uint32_t levels_select(tf_ctx *ctx, const struct ir_module *module, const char *name)
{
    const struct tf_topology *levels;
    uint32_t n;
    module_levels(module, &levels, &n);
    if (!name)
        return 0; /* which is n where none is declared */
    uint32_t index = level_index(levels, n, name);
    if (index < n)
        return index;
    report_selected(ctx, module, levels, n, name);
    return n + 1;
}

int levels_units(tf_ctx *ctx, const struct tf_loc *loc, const struct ir_module *module, uint32_t selected,
    const struct tf_mesh *scope, uint64_t *units)
{
    const struct tf_topology *levels;
    uint32_t n;
    module_levels(module, &levels, &n);
    *units = 1;
    for (uint32_t axis = 0; scope && selected < n && axis < scope->rank; axis++) {
        int64_t extent;
        if (level_index(levels, n, scope->levels[scope->level_of[axis]].name) > selected)
            continue;
        if (!dim_is_const(scope->shape[axis], &extent) || extent < 0 ||
            __builtin_mul_overflow(*units, (uint64_t)extent, units)) {
            ERROR(ctx, loc, "overflow", "the units that run this cannot be counted");
            return TF_E_OVERFLOW;
        }
    }
    return TF_OK;
}

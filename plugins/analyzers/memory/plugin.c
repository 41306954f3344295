/* SPDX-License-Identifier: MIT
 * memory: what calls move at every level, how long buffers live and what that makes at the peak, what loops reach.
 */
#include "memory.h"

/* A target that states no memory at all has no answer here. */
static int check_target(tf_ctx *ctx, const struct tf_program *program)
{
    uint64_t capacity;
    for (uint32_t i = 0; i < N_LEVELS; i++)
        if (tf_host->target_level(program->target, level_order[i], &capacity) == TF_OK)
            return TF_OK;
    tf_host->error(ctx, &program->function->loc, "target-facts",
        "memory: the target %s states no memory levels (facts memory.*), so nothing says what fits where",
        tf_host->target_id(program->target));
    return TF_E_REFUSED;
}

static int run_memory(tf_ctx *ctx, const struct tf_program *program)
{
    struct memory m = {.ctx = ctx, .program = program, .text = {.ctx = ctx}};
    m.wanted = (uint32_t)tf_host->wants(ctx, FAMILY);
    m.json = (uint32_t)tf_host->wants_json(ctx);
    int rc = check_target(ctx, program);
    if (!rc)
        rc = memory_traffic(&m);
    if (rc)
        return rc;
    tf_host->publish(ctx, FAMILY, m.traffic);
    rc = memory_roots(&m);
    if (!rc)
        rc = memory_lifetimes(&m);
    if (!rc && m.wanted && program->n_loops)
        rc = memory_footprints(&m);
    return rc;
}

static void give_figures(tf_ctx *ctx, const struct tf_program *program, struct tf_figures *figures)
{
    const struct tf_call_traffic *traffic = tf_host->published(ctx, FAMILY);
    figures->bytes = 0;
    for (uint32_t i = 0; i < program->n_steps; i++) {
        const struct tf_bytes *gmem = &traffic[i].whole[TF_STORAGE_GMEM];
        figures->bytes += ((double)gmem->read + (double)gmem->written) * (double)program->steps[i].runs;
    }
}

static const struct tf_analyzer memory = {
    .struct_size = sizeof(memory),
    .name = FAMILY,
    .summary = "bytes at every level, peak footprint, what loops reach",
    .order = 20,
    .run = run_memory,
    .figures = give_figures,
};

static const struct tf_analyzer *const analyzers[] = {&memory};
static const struct tf_code codes[] = {
    {"amounts-unknown", "how much a call moves cannot be established"},
    {"capacity", "one value needs more bytes than the target states for its level"},
    {"overflow", "a count passes 2^63 - 1"},
    {"target-facts", "the target states no facts that the analysis needs"},
};
static const struct tf_plugin plugin = {
    TF_PLUGIN_HEAD,
    .name = "memory",
    .version = "1.0",
    .summary = "counts the bytes that a program moves and holds",
    .n_analyzers = 1,
    .analyzers = analyzers,
    .n_codes = sizeof(codes) / sizeof(*codes),
    .codes = codes,
};
TF_PLUGIN(plugin);

/* SPDX-License-Identifier: MIT
 * Operators and analyzers that do not do their part, for the refusals that tell so.
 */
#include <tilefoundry/plugin.h>

static const struct tf_input inputs[] = {{.name = "x", .kind = TF_INPUT_TENSOR}};

static int infer(tf_ctx *ctx, const struct tf_call *call, const struct tf_type **result)
{
    (void)ctx;
    *result = call->arg_types[0];
    return TF_OK;
}

/* A relation that leaves the operand out. */
static int relate_less(tf_ctx *ctx, const struct tf_call *call, struct tf_relation *relation)
{
    int rc = tf_host->relation_box(ctx, call, relation, call->type->rank, call->type->shape, 1);
    relation->n_in = 0;
    return rc;
}

/* A relation of fewer axes than the values have. */
static int relate_flat(tf_ctx *ctx, const struct tf_call *call, struct tf_relation *relation)
{
    int rc = tf_host->relation_box(ctx, call, relation, call->type->rank, call->type->shape, 1);
    if (!rc)
        tf_host->relation_walk(ctx, &relation->in[0], call->type->rank - 1, 0);
    return rc;
}

static int relate(tf_ctx *ctx, const struct tf_call *call, struct tf_relation *relation)
{
    return tf_host->relation_box(ctx, call, relation, call->type->rank, call->type->shape, 1);
}

static int cost_on_no_pipe(tf_ctx *ctx, const struct tf_call *call, struct tf_work *work)
{
    (void)ctx;
    (void)call;
    *work = (struct tf_work){.n = 1, .item = {{.pipe = 9, .key = 0, .amount = 1}}};
    return TF_OK;
}

static int cost_too_large(tf_ctx *ctx, const struct tf_call *call, struct tf_work *work)
{
    (void)ctx;
    (void)call;
    (void)work;
    return TF_E_OVERFLOW;
}

#define OP(id, word, ...)                                                                                              \
    static const struct tf_op id = {.struct_size = sizeof(struct tf_op),                                               \
        .name = word,                                                                                                  \
        .summary = "an odd operator",                                                                                  \
        .n_inputs = 1,                                                                                                 \
        .inputs = inputs,                                                                                              \
        .infer = infer,                                                                                                \
        __VA_ARGS__}
OP(mute, "odd_mute", .cost = NULL);
OP(less, "odd_less", .relate = relate_less);
OP(flat, "odd_flat", .relate = relate_flat);
OP(pipe, "odd_pipe", .relate = relate, .cost = cost_on_no_pipe);
OP(large, "odd_large", .relate = relate, .cost = cost_too_large);
static const struct tf_op *const ops[] = {&mute, &less, &flat, &pipe, &large};

static int run_silent(tf_ctx *ctx, const struct tf_program *program)
{
    (void)ctx;
    (void)program;
    return TF_E_INTERNAL;
}

static int run_large(tf_ctx *ctx, const struct tf_program *program)
{
    (void)ctx;
    (void)program;
    return TF_E_OVERFLOW;
}

/* Records of every scope, through every helper. */
static int run_full(tf_ctx *ctx, const struct tf_program *program)
{
    tf_host->line(ctx, "odd-full", "odd-full steps=%u", program->n_steps);
    tf_host->advisory(ctx, "odd-full", "nothing is wrong");
    struct tf_record *record = tf_host->record(ctx, "odd-full", "odd-full", TF_SCOPE_FUNCTION, 0);
    struct tf_json *json = tf_host->record_json(record), *list = tf_host->json_array(json, "list");
    tf_host->json_int(list, NULL, -9223372036854775807 - 1);
    tf_host->json_uint(list, NULL, 9223372036854775807u);
    tf_host->json_text(list, NULL, "a \"quoted\"\n\ttext");
    tf_host->json_text(list, NULL, NULL);
    tf_host->json_bool(list, NULL, 1);
    tf_host->json_null(list, NULL);
    tf_host->json_object(list, NULL);
    tf_host->json_array(list, NULL);
    for (uint32_t i = 0; i < program->n_steps; i++) {
        if (program->steps[i].node->kind != TF_NODE_CALL)
            continue;
        record = tf_host->record(ctx, "odd-full", "odd-full", TF_SCOPE_CALL, i);
        tf_host->record_text(record, NULL, "here");
        tf_host->record_operands(record, "operands", "none");
        tf_host->json_uint(tf_host->record_json(record), "position", i);
    }
    tf_host->json_text(tf_host->record_json(tf_host->record(ctx, "odd-full", "odd", TF_SCOPE_REPORT, 0)), "a", "b");
    tf_host->json_text(tf_host->record_json(tf_host->record(ctx, "odd-full", "odd", TF_SCOPE_REPORT, 0)), "c", "d");
    return TF_OK;
}

static const char *const needs_nobody[] = {"odd-nobody", NULL};
static const char *const needs_b[] = {"odd-b", NULL};
static const char *const needs_a[] = {"odd-a", NULL};
#define ANALYZER(id, word, ...)                                                                                        \
    static const struct tf_analyzer id = {.struct_size = sizeof(struct tf_analyzer),                                   \
        .name = word,                                                                                                  \
        .summary = "an odd analyzer",                                                                                  \
        .order = 90,                                                                                                   \
        __VA_ARGS__}
ANALYZER(alone, "odd-alone", .requires = needs_nobody, .run = run_silent);
ANALYZER(a, "odd-a", .requires = needs_b, .run = run_silent);
ANALYZER(b, "odd-b", .requires = needs_a, .run = run_silent);
ANALYZER(silent, "odd-silent", .run = run_silent);
ANALYZER(over, "odd-over", .run = run_large);
ANALYZER(full, "odd-full", .run = run_full);
static const struct tf_analyzer *const analyzers[] = {&alone, &a, &b, &silent, &over, &full};

static const struct tf_plugin plugin = {
    TF_PLUGIN_HEAD,
    .name = "odd",
    .version = "0.1",
    .summary = "does not do its part",
    .n_ops = sizeof(ops) / sizeof(*ops),
    .ops = ops,
    .n_analyzers = sizeof(analyzers) / sizeof(*analyzers),
    .analyzers = analyzers,
};
TF_PLUGIN(plugin);

/* SPDX-License-Identifier: MIT
 * A fused path for the tests: functions of one parameter and one result of as many bytes, which it hands through.
 */
#include <tilefoundry/plugin.h>

#include <string.h>

static int match(tf_ctx *ctx, const struct tf_program *program, void **found)
{
    (void)ctx;
    const struct tf_function *function = program->function;
    *found = (void *)(uintptr_t)function;
    return function->n_params == 1 && function->body->type == function->params[0]->type ? TF_OK : TF_E_UNSUPPORTED;
}

static size_t bytes_of(const struct tf_tensor *tensor)
{
    size_t n = tf_host->element_bytes(tensor->dtype);
    for (uint32_t i = 0; i < tensor->rank; i++)
        n *= (size_t)tensor->extents[i];
    return n;
}

static int evaluate(tf_ctx *ctx, void *found, const struct tf_eval *eval)
{
    (void)ctx, (void)found;
    memcpy(eval->results[0]->data, eval->args[0]->data, bytes_of(eval->args[0]));
    return TF_OK;
}

static int lower(tf_ctx *ctx, void *found, const char *backend, struct tf_artifact *artifact)
{
    const struct tf_function *function = found;
    artifact->text = tf_host->format(ctx, "/* %s of %s for %s */\n", "hand-through", function->name, backend);
    artifact->length = strlen(artifact->text);
    artifact->suffix = ".c";
    artifact->entry = "none";
    return TF_OK;
}

static const char *const BACKENDS[] = {"cpu-c", NULL};
static const struct tf_path PATH = {
    .struct_size = sizeof(PATH),
    .name = "hand-through",
    .summary = "one tensor, unchanged",
    .backends = BACKENDS,
    .match = match,
    .eval = evaluate,
    .lower = lower,
};
static const struct tf_path *const PATHS[] = {&PATH};
static const struct tf_plugin PLUGIN = {
    TF_PLUGIN_HEAD, .name = "paths", .version = "1.0", .summary = "a path for the tests", .n_paths = 1, .paths = PATHS};
TF_PLUGIN(PLUGIN);

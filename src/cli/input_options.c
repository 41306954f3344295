/* SPDX-License-Identifier: MIT */
#include "cli/input_options.h"

#include "plugin/numbers.h"
#include "target/target.h"
#include "util/vec.h"

#include <string.h>

#define THREADS_A_UNIT 2048u /* resident on one multiprocessor, where the target does not say otherwise */

static int add_draw(tf_ctx *ctx, struct input_plan *plan, const char *text)
{
    const char *equals = strchr(text, '=');
    struct named_draw named;
    if (!equals || equals == text)
        return usage_error(ctx, "--draw takes PARAM=DRAW, got '%s'", text);
    named.name = ctx_intern_n(ctx, text, (size_t)(equals - text));
    named.text = equals + 1;
    if (draw_parse(named.text, &named.draw))
        return usage_error(ctx,
            "--draw %s: expected normal, uniform(A,B), int(A,B), const(V) or adversarial[:CLASS], got '%s'", named.name,
            named.text);
    VEC_PUSH(&plan->draws, named);
    return 0;
}

static int set_seed(tf_ctx *ctx, struct input_plan *plan, const char *text)
{
    int64_t seed;
    if (parse_count(text, &seed))
        return usage_error(ctx, "--seed takes an integer from 0 on, got '%s'", text);
    plan->seed = (uint64_t)seed;
    return 0;
}

static int set_overflow(tf_ctx *ctx, struct input_plan *plan, const char *text)
{
    if (strcmp(text, "nan") && strcmp(text, "saturate"))
        return usage_error(ctx, "--fp8-overflow takes saturate or nan, got '%s'", text);
    plan->fp8_overflow = strcmp(text, "nan") ? FP8_SATURATE : FP8_NAN;
    return 0;
}

int is_input_option(const char *name)
{
    static const char *const NAMES[] = {"--inputs", "--weights", "--seed", "--draw", "--fp8-overflow"};
    for (size_t i = 0; i < sizeof(NAMES) / sizeof(*NAMES); i++)
        if (!strcmp(NAMES[i], name))
            return 1;
    return 0;
}

int read_input_option(tf_ctx *ctx, struct input_plan *plan, const char *name, const char *value)
{
    if (!strcmp(name, "--seed"))
        return set_seed(ctx, plan, value);
    if (!strcmp(name, "--draw"))
        return add_draw(ctx, plan, value);
    if (!strcmp(name, "--fp8-overflow"))
        return set_overflow(ctx, plan, value);
    int of_weights = !strcmp(name, "--weights");
    if (!input_source_parse(ctx, plan, value, of_weights))
        return 0;
    return usage_error(
        ctx, "%s takes random, zeros, %s or tensors:X, got '%s'", name, of_weights ? "ckpt:DIR" : "files:A,B", value);
}

int input_plan_draws(const struct input_plan *plan)
{
    return plan->inputs == INPUT_RANDOM || plan->inputs >= INPUT_ADVERSARIAL || plan->weights == INPUT_RANDOM ||
           plan->draws.n || (plan->weights == INPUT_DEFAULT && plan->inputs != INPUT_TENSORS);
}

int input_plan_threads(tf_ctx *ctx, struct input_plan *plan, const struct ir_module *module)
{
    const struct tf_target *target = program_target(ctx, module);
    uint64_t each = THREADS_A_UNIT;
    const char *level;
    if (!target)
        return EXIT_FAILED;
    target_int(target, "compute.max_threads_per_sm", &each);
    if (__builtin_mul_overflow(target_units(target, &level), each / 256 * 256, &plan->threads))
        plan->threads = 0;
    return EXIT_OK;
}

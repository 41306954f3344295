/* SPDX-License-Identifier: MIT
 * Options that say what a function's parameters are given, for the commands that run functions.
 */
#ifndef TF_CLI_INPUT_OPTIONS_H
#define TF_CLI_INPUT_OPTIONS_H

#include "cli/cli.h"

#include "eval/inputs.h"

#define INPUT_OPTIONS_HELP                                                                                             \
    "  --inputs HOW         random, zeros, files:A,B (one a parameter, in order), tensors:X (by name)\n"               \
    "                       or adversarial[:CLASS], see tilefoundry-eval(1)\n"                                         \
    "  --weights HOW        random, zeros, ckpt:DIR or tensors:X (default: the file of --inputs tensors:, else "       \
    "random)\n"                                                                                                        \
    "  --seed N             of both generators, of inputs and of weights (default: 0)\n"                               \
    "  --draw PARAM=DRAW    normal, uniform(A,B), int(A,B), const(V) or adversarial[:CLASS]; may be repeated\n"        \
    "  --fp8-overflow HOW   saturate (default) or nan: what fp8 makes of numbers past its largest"

int is_input_option(const char *name);
/* 0, or EXIT_USAGE. */
int read_input_option(tf_ctx *ctx, struct input_plan *plan, const char *name, const char *value);
int input_plan_draws(const struct input_plan *plan); /* whether anything is drawn */
/* How many threads the target runs at once, which the stream of random numbers depends on; 0, or EXIT_FAILED. */
int input_plan_threads(tf_ctx *ctx, struct input_plan *plan, const struct ir_module *module);

#endif

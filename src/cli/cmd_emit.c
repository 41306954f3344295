/* SPDX-License-Identifier: MIT
 * `tilefoundry emit`: the source of a kernel that does what a program says.
 */
#include "cli/cli.h"

#include "front/front.h"
#include "ir/ir.h"
#include "plugin/lowered.h"
#include "util/diag.h"
#include "util/vec.h"

#include <stdio.h>
#include <string.h>

struct request {
    const char *source, *out;
    struct lowering_request how;
    struct dim_bindings bound;
};

static int print_help(tf_ctx *ctx)
{
    (void)ctx;
    puts("usage: tilefoundry emit SOURCE [OPTION]... [-o FILE]\n"
         "\n"
         "Writes the source of a kernel that does what a program says: of a fused path that knows it, else of the\n"
         "backend.  SOURCE is FILE.py[:Module[.child]...[.function]].\n"
         "\n"
         "options:\n" LOWERING_OPTIONS_HELP "\n"
         "  --dim NAME=EXTENT    bind an open dimension; may be repeated\n"
         "  -o FILE              default: stdout\n"
         "  -h, --help           print this help");
    return EXIT_OK;
}

/* ---- arguments ----------------------------------------------------------------------------------------------------*/

static int read_option(tf_ctx *ctx, struct args *args, void *request)
{
    struct request *r = request;
    static const char *const KNOWN[] = {"--backend", "--path", "--dim", "-o", "--help"};
    const char *name = args->name, *value;
    int is_dim = !strcmp(name, "--dim"), is_out = !strcmp(name, "-o"), is_path = !strcmp(name, "--path");
    if (!is_dim && !is_out && !is_path && strcmp(name, "--backend") != 0)
        return usage_unknown(ctx, args, KNOWN, sizeof(KNOWN) / sizeof(*KNOWN));
    if (!(value = args_value(ctx, args)))
        return EXIT_USAGE;
    if (is_dim)
        return add_dim(ctx, &r->bound, value);
    *(is_out ? &r->out : is_path ? &r->how.path : &r->how.backend) = value;
    return 0;
}

/* -1 to go on, else the exit status. */
static int read_arguments(tf_ctx *ctx, int argc, char **argv, struct request *r)
{
    const struct args_of_source of = {.help = print_help, .option = read_option, .source = &r->source};
    return args_read(ctx, argc, argv, &of, r);
}

/* ---- the pipeline -------------------------------------------------------------------------------------------------*/

static int load_and_emit(tf_ctx *ctx, const struct request *r)
{
    struct selection selected;
    struct lowered lowered;
    if (front_load(ctx, r->source, &selected))
        return EXIT_FAILED;
    if (!selected.function)
        return refuse_no_entry(ctx, selected.module);
    const struct ir_function *inlined =
        ir_inline_values(ctx, selected.module, selected.function, r->bound.at, r->bound.n);
    const struct tf_program *program = inlined ? ir_program_values(ctx, selected.module, inlined) : NULL;
    if (!program || lower_program(ctx, program, &r->how, &lowered))
        return EXIT_FAILED;
    return put_output(ctx, r->out, lowered.artifact.text, lowered.artifact.length);
}

int cmd_emit(tf_ctx *ctx, int argc, char **argv)
{
    struct request r = {0};
    int status = read_arguments(ctx, argc, argv, &r);
    if (status < 0)
        status = load_and_emit(ctx, &r);
    VEC_FREE(&r.bound);
    return status;
}

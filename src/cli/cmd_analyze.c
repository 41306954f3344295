/* SPDX-License-Identifier: MIT
 * `tilefoundry analyze`: from a program file to a priced report.
 */
#include "cli/cli.h"

#include "front/front.h"
#include "ir/bind.h"
#include "ir/levels.h"
#include "plugin/registry.h"
#include "report/report.h"
#include "target/target.h"
#include "util/diag.h"
#include "util/vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct request {
    const char *source, *out, *level;
    int json, operands;
    VEC(const char *) families;
    struct dim_bindings bound;
};

static int print_help(tf_ctx *ctx)
{
    const char *const *names;
    size_t n = registry_names(ctx, "analyzer", &names);
    puts("usage: tilefoundry analyze SOURCE [OUT] [OPTION]...\n"
         "\n"
         "Prices a program and writes the report, then the annotated program, to OUT (default: stdout).\n"
         "SOURCE is FILE.py[:Module[.child]...[.function]].  Without an analysis, checks the program and prints it "
         "typed.\n"
         "\n"
         "analyses:");
    for (size_t i = 0; i < n; i++) {
        const struct tf_analyzer *analyzer = registry_analyzer(ctx, names[i]);
        printf("  --%-18s %s\n", names[i], analyzer && analyzer->summary ? analyzer->summary : "");
    }
    puts("\n"
         "options:\n"
         "  --dim NAME=EXTENT    bind an open dimension; may be repeated\n"
         "  --topology LEVEL     the level whose unit the per-unit figures describe (default: the coarsest declared)\n"
         "  --operands           also print what each operand moved\n"
         "  --json               the report as JSON; needs an analysis\n"
         "  -h, --help           print this help");
    return EXIT_OK;
}

/* ---- arguments ----------------------------------------------------------------------------------------------------*/

static int is_family(tf_ctx *ctx, const char *name)
{
    return registry_provides(ctx, "analyzer", name);
}

static int unknown_option(tf_ctx *ctx, struct args *args)
{
    const char *const *names;
    size_t n = registry_names(ctx, "analyzer", &names);
    static const char *const OWN[] = {"--dim", "--topology", "--operands", "--json", "--help"};
    VEC(const char *) known = {0};
    for (size_t i = 0; i < sizeof(OWN) / sizeof(*OWN); i++)
        VEC_PUSH(&known, OWN[i]);
    for (size_t i = 0; i < n; i++)
        VEC_PUSH(&known, arena_format(&ctx->arena, "--%s", names[i]));
    int status = usage_unknown(ctx, args, known.at, known.n);
    VEC_FREE(&known);
    return status;
}

static int read_option(tf_ctx *ctx, struct args *args, void *request)
{
    struct request *r = request;
    const char *name = args->name;
    if (!strcmp(name, "--dim") || !strcmp(name, "--topology")) {
        const char *value = args_value(ctx, args);
        if (!value)
            return EXIT_USAGE;
        if (!strcmp(name, "--dim"))
            return add_dim(ctx, &r->bound, value);
        r->level = value;
        return 0;
    }
    int is_flag = !strcmp(name, "--json") || !strcmp(name, "--operands");
    if (!is_flag && (strncmp(name, "--", 2) || !is_family(ctx, name + 2)))
        return unknown_option(ctx, args);
    if (args_no_value(ctx, args))
        return EXIT_USAGE;
    if (!strcmp(name, "--json"))
        r->json = 1;
    else if (!strcmp(name, "--operands"))
        r->operands = 1;
    else
        VEC_PUSH(&r->families, ctx_intern(ctx, name + 2));
    return 0;
}

/* -1 to go on, else the exit status. */
static int read_arguments(tf_ctx *ctx, int argc, char **argv, struct request *r)
{
    const struct args_of_source of = {.help = print_help, .option = read_option, .source = &r->source, .out = &r->out};
    int status = args_read(ctx, argc, argv, &of, r);
    if (status >= 0)
        return status;
    if (r->json && !r->families.n)
        return usage_error(ctx, "--json needs an analysis, such as --compute-cost");
    return -1;
}

/* ---- the pipeline -------------------------------------------------------------------------------------------------*/

/* The module that the annotated program shows: ir_inline made it for the analysed function alone, with levels bound. */
static struct ir_module *module_of(struct ir_function *inlined, const struct tf_target *target)
{
    inlined->owner->target = target->id;
    return inlined->owner;
}

/* `# backend` lines: what each --plugin backend could lower, and what not, and why. */
static void note_backends(tf_ctx *ctx, const struct tf_program *program, const char *target)
{
    const struct plugin *const *plugins;
    size_t n = registry_plugins(ctx, &plugins);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; plugins[i]->is_explicit && k < plugins[i]->descriptor.n_backends; k++)
            backend_lines(ctx, program, plugins[i]->descriptor.backends[k], target);
}

static int analyse(
    tf_ctx *ctx, struct request *r, const struct selection *selected, const struct tf_target *target, struct buf *out)
{
    struct ir_function *inlined = ir_inline(ctx, selected->module, selected->function, r->bound.at, r->bound.n);
    if (!inlined || storages_check(ctx, &inlined->pub, target))
        return EXIT_FAILED;
    const struct tf_program *program = ir_program_make(ctx, selected->module, inlined, target, r->level);
    if (!program)
        return EXIT_FAILED;
    ctx->program = program;
    struct report_options options = {
        .json = r->json, .operands = r->operands, .requested = r->families.at, .n_requested = r->families.n};
    report_create(ctx, &options);
    struct ir_module *shown = module_of(inlined, target);
    int status = EXIT_OK;
    if (report_run(ctx, program)) {
        status = EXIT_FAILED;
    } else {
        note_backends(ctx, program, target->id);
        if (!r->json)
            report_text(ctx, out, shown);
        else if (report_json(ctx, out, shown))
            status = EXIT_FAILED;
    }
    report_finish(ctx);
    return status;
}

static int load_and_analyse(tf_ctx *ctx, struct request *r, struct buf *out)
{
    struct selection selected;
    if (front_load(ctx, r->source, &selected))
        return EXIT_FAILED;
    const struct tf_target *target = program_target(ctx, selected.module);
    if (!target)
        return EXIT_FAILED;
    if (!selected.function)
        return refuse_no_entry(ctx, selected.module);
    if (r->families.n)
        return analyse(ctx, r, &selected, target, out);
    struct binding binding = {ctx, r->bound.at, r->bound.n};
    if (levels_check(ctx, selected.module, target) || storages_check(ctx, &selected.function->pub, target) ||
        (r->bound.n && bind_check(&binding, selected.module, selected.function)))
        return EXIT_FAILED;
    const struct ir_module *root = selected.module;
    while (root->parent)
        root = root->parent;
    ir_print_module(ctx, out, root, NULL);
    return EXIT_OK;
}

int cmd_analyze(tf_ctx *ctx, int argc, char **argv)
{
    struct request r = {0};
    struct buf out = {0};
    int status = read_arguments(ctx, argc, argv, &r);
    if (status < 0)
        status = load_and_analyse(ctx, &r, &out);
    if (status == EXIT_OK && out.n && !diag_errors(ctx))
        status = put_output(ctx, r.out, buf_text(&out), out.n);
    buf_free(&out);
    VEC_FREE(&r.families);
    VEC_FREE(&r.bound);
    return status;
}

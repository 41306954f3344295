/* SPDX-License-Identifier: MIT
 * tilefoundry: global options, then a command.
 */
#include "config.h"

#include "cli/cli.h"
#include "check/twin.h"
#include "plugin/registry.h"
#include "util/diag.h"
#include "util/file.h"
#include "util/vec.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct command COMMANDS[] = {
    {"analyze", "what a program costs: flops, traffic, bounds, time", cmd_analyze},
    {"eval", "the values that a program computes, from inputs drawn or read", cmd_eval},
    {"check", "whether an implementation computes what a program says", cmd_check},
    {"bench", "how long a kernel takes, and what that means", cmd_bench},
    {"emit", "the source of a kernel that does what a program says", cmd_emit},
    {"target", "list, show, validate, add or remove target documents", cmd_target},
    {"plugin", "list plugins, or show what one provides", cmd_plugin},
};
#define N_COMMANDS (sizeof(COMMANDS) / sizeof(*COMMANDS))

static const char *const OPTIONS[] = {
    "--help", "--version", "--plugin", "--plugin-path", "--target", "--limit", "--quiet", "--verbose"};

static void print_help(void)
{
    puts("usage: tilefoundry [OPTION]... COMMAND ...\n"
         "\n"
         "Says what a GPU kernel's step costs before any kernel exists.\n"
         "\n"
         "options:\n"
         "  --plugin NAME|PATH   load a plugin (a backend, operators, analyzers); may be repeated\n"
         "  --plugin-path DIR    look for plugins in DIR first; may be repeated\n"
         "  --target ID|FILE     price for this target instead of the program's own\n"
         "  --limit NAME=N       raise or lower a limit on the input; see tilefoundry(1)\n"
         "  --quiet, --verbose   fewer, or more, messages\n"
         "  --version            print the version\n"
         "  -h, --help           print this help\n"
         "\n"
         "commands:");
    for (size_t i = 0; i < N_COMMANDS; i++)
        printf("  %-20s %s\n", COMMANDS[i].name, COMMANDS[i].summary);
    puts("\n`tilefoundry COMMAND --help` says more.");
}

static int set_limit(tf_ctx *ctx, const char *text)
{
    static const struct {
        const char *name;
        size_t offset;
    } LIMITS[] = {
#define X(name, fallback, what) {#name, offsetof(struct limits, name)},
        TF_LIMITS(X)
#undef X
    };
    const char *names[sizeof(LIMITS) / sizeof(*LIMITS)];
    const char *equals = strchr(text, '=');
    int64_t value;
    if (!equals || parse_count(equals + 1, &value) || value < 1)
        return usage_error(ctx, "--limit takes NAME=N with N at least 1, got '%s'", text);
    const char *name = ctx_intern_n(ctx, text, (size_t)(equals - text));
    for (size_t i = 0; i < sizeof(LIMITS) / sizeof(*LIMITS); i++) {
        names[i] = LIMITS[i].name;
        if (!strcmp(name, LIMITS[i].name)) {
            memcpy((char *)&ctx->limits + LIMITS[i].offset, &(uint64_t){(uint64_t)value}, sizeof(uint64_t));
            return 0;
        }
    }
    const char *near = did_you_mean(name, names, sizeof(names) / sizeof(*names));
    return usage_error(
        ctx, "unknown limit '%s'%s%s%s", name, near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "");
}

typedef VEC(const char *) words;

/* Global options up to the command; -1 to go on, else the exit status. */
static int read_options(tf_ctx *ctx, struct args *args, words *paths, words *plugins)
{
    for (int kind; (kind = args_next(ctx, args)) == ARG_OPTION;) {
        const char *name = args->name, *value = NULL;
        if (!strcmp(name, "-h") || !strcmp(name, "--help"))
            return print_help(), EXIT_OK;
        if (!strcmp(name, "--version"))
            return puts(PACKAGE_STRING), EXIT_OK;
        if (!strcmp(name, "--quiet") || !strcmp(name, "--verbose")) {
            ctx->verbose = !strcmp(name, "--verbose") ? 1 : -1;
            if (args_no_value(ctx, args))
                return EXIT_USAGE;
            continue;
        }
        if (strcmp(name, "--plugin") && strcmp(name, "--plugin-path") && strcmp(name, "--target") &&
            strcmp(name, "--limit"))
            return usage_unknown(ctx, args, OPTIONS, sizeof(OPTIONS) / sizeof(*OPTIONS));
        if (!(value = args_value(ctx, args)))
            return EXIT_USAGE;
        if (!strcmp(name, "--plugin"))
            VEC_PUSH(plugins, value);
        else if (!strcmp(name, "--plugin-path"))
            VEC_PUSH(paths, value);
        else if (!strcmp(name, "--target"))
            ctx->cli->target = value;
        else if (set_limit(ctx, value))
            return EXIT_USAGE;
    }
    return -1;
}

static const struct command *find_command(tf_ctx *ctx, const char *name)
{
    const char *names[N_COMMANDS];
    for (size_t i = 0; i < N_COMMANDS; i++) {
        names[i] = COMMANDS[i].name;
        if (!strcmp(name, COMMANDS[i].name))
            return &COMMANDS[i];
    }
    const char *near = did_you_mean(name, names, N_COMMANDS);
    usage_error(
        ctx, "unknown command '%s'%s%s%s", name, near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "");
    return NULL;
}

static int run(tf_ctx *ctx, int argc, char **argv)
{
    struct args args = {.argc = argc, .at = 1, .argv = argv};
    words paths = {0}, plugins = {0};
    int status = read_options(ctx, &args, &paths, &plugins);
    const struct command *command = NULL;
    if (status < 0 && !args.word)
        print_help(), status = EXIT_OK;
    if (status < 0 && !(command = find_command(ctx, args.word)))
        status = EXIT_USAGE;
    if (status < 0) {
        ctx->registry = registry_create(ctx);
        for (size_t i = 0; i < paths.n && status < 0; i++)
            if (registry_add_path(ctx, paths.at[i]))
                status = EXIT_FAILED;
        for (size_t i = 0; i < plugins.n && status < 0; i++) {
            int refused = registry_load(ctx, plugins.at[i]);
            if (refused)
                status = refused == PLUGIN_START_REFUSED ? EXIT_PLUGIN : EXIT_FAILED;
        }
    }
    if (status < 0) {
        ctx->cli->command = command->name;
        ctx->cli->plugins = plugins.at;
        ctx->cli->n_plugins = plugins.n;
        status = command->run(ctx, argc - args.at + 1, argv + args.at - 1);
    }
    VEC_FREE(&paths);
    VEC_FREE(&plugins);
    return status;
}

/* A report that is being written must not leave its temporary file behind. */
static void on_signal(int signal_number)
{
    file_abandon();
    child_abandon();
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

int main(int argc, char **argv)
{
    signal(SIGINT, on_signal);
    signal(SIGTERM, on_signal);
    signal(SIGHUP, on_signal);
    signal(SIGXFSZ, SIG_IGN); /* a file past its limit is a write that fails, and is told and tidied up as such */
    const char *term = getenv("TERM"), *no_color = getenv("NO_COLOR");
    struct cli cli = {.color = isatty(STDERR_FILENO) && term && strcmp(term, "dumb") && !(no_color && *no_color)};
    tf_ctx *ctx = ctx_create();
    ctx->cli = &cli;
    int status = run(ctx, argc, argv);
    if (diag_flush(ctx, stderr, cli.color) && status == EXIT_OK)
        status = EXIT_FAILED;
    if (fflush(stdout) || ferror(stdout)) {
        fputs("tilefoundry: error: stdout: cannot be written [io]\n", stderr);
        status = status ? status : EXIT_FAILED;
    }
    registry_destroy(ctx->registry);
    ctx_destroy(ctx);
    return status;
}

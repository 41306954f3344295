/* SPDX-License-Identifier: MIT */
#include "cli/cli.h"

#include "util/diag.h"
#include "util/file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int args_next(tf_ctx *ctx, struct args *args)
{
    args->name = args->word = NULL;
    if (args->at >= args->argc)
        return ARG_END;
    const char *arg = args->argv[args->at++];
    if (!args->only_words && !strcmp(arg, "--")) {
        args->only_words = 1;
        return args_next(ctx, args);
    }
    if (args->only_words || *arg != '-' || !arg[1]) {
        args->word = arg;
        return ARG_WORD;
    }
    const char *equals = arg[1] == '-' ? strchr(arg, '=') : NULL;
    args->name = equals ? ctx_intern_n(ctx, arg, (size_t)(equals - arg)) : arg;
    args->word = equals ? equals + 1 : NULL;
    return ARG_OPTION;
}

const char *args_value(tf_ctx *ctx, struct args *args)
{
    if (args->word)
        return args->word;
    if (args->at < args->argc)
        return args->word = args->argv[args->at++];
    usage_error(ctx, "%s needs a value", args->name);
    return NULL;
}

int args_no_value(tf_ctx *ctx, const struct args *args)
{
    return args->word ? usage_error(ctx, "%s takes no value", args->name) : 0;
}

static int is_help(const char *name)
{
    return !strcmp(name, "--help") || !strcmp(name, "-h");
}

static int read_word(tf_ctx *ctx, const struct args_of_source *of, const char *word)
{
    const char **into = !*of->source ? of->source : of->out;
    if (!into || *into)
        return usage_error(ctx, "unexpected argument '%s' after SOURCE%s", word, of->out ? " and OUT" : "");
    *into = word;
    return 0;
}

int args_read(tf_ctx *ctx, int argc, char **argv, const struct args_of_source *of, void *request)
{
    struct args args = {.argc = argc, .at = 1, .argv = argv};
    for (int kind; (kind = args_next(ctx, &args)) != ARG_END;) {
        if (kind == ARG_OPTION && is_help(args.name))
            return of->help(ctx);
        int status = kind == ARG_OPTION ? of->option(ctx, &args, request) : read_word(ctx, of, args.word);
        if (status)
            return status;
    }
    return *of->source ? -1 : usage_error(ctx, "expected SOURCE, FILE.py[:Module[.child]...[.function]]");
}

int usage_error(const tf_ctx *ctx, const char *format, ...)
{
    va_list args;
    int has_command = ctx->cli && ctx->cli->command;
    fprintf(stderr, "tilefoundry%s%s: error: ", has_command ? " " : "", has_command ? ctx->cli->command : "");
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fprintf(stderr, "; see tilefoundry%s%s --help\n", has_command ? " " : "", has_command ? ctx->cli->command : "");
    return EXIT_USAGE;
}

int usage_unknown(tf_ctx *ctx, const struct args *args, const char *const *known, size_t n)
{
    const char *near = did_you_mean(args->name, known, n);
    if (near)
        return usage_error(ctx, "unknown option %s, did you mean %s?", args->name, near);
    return usage_error(ctx, "unknown option %s", args->name);
}

int parse_count(const char *text, int64_t *value)
{
    char *end;
    if (*text < '0' || *text > '9')
        return -1;
    errno = 0;
    *value = strtoll(text, &end, 10);
    return errno || *end ? -1 : 0;
}

static int is_stdout(const char *path)
{
    static const char *const NAMES[] = {"-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"};
    for (size_t i = 0; i < sizeof(NAMES) / sizeof(*NAMES); i++)
        if (!strcmp(path, NAMES[i]))
            return 1;
    return 0;
}

int put_output(tf_ctx *ctx, const char *path, const char *text, size_t length)
{
    if (path && !is_stdout(path))
        return file_write(ctx, path, text, length) ? EXIT_FAILED : EXIT_OK;
    if (write_all(STDOUT_FILENO, text, length)) {
        ERROR(ctx, NULL, "io", "stdout: cannot be written: %s", strerror(errno));
        return EXIT_FAILED;
    }
    return EXIT_OK;
}

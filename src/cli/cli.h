/* SPDX-License-Identifier: MIT
 * The command line: one file a command, and what they share.
 */
#ifndef TF_CLI_CLI_H
#define TF_CLI_CLI_H

#include "type/type.h"
#include "util/buf.h"
#include "util/ctx.h"

#define EXIT_OK 0
#define EXIT_FAILED 1
#define EXIT_USAGE 2
#define EXIT_PLUGIN 3 /* a plugin could not be started */

/* Options that stand before the command. */
struct cli {
    const char *target;         /* --target, or NULL */
    const char *command;        /* "analyze": begins its messages */
    const char *const *plugins; /* --plugin, as typed */
    size_t n_plugins;
    int color;
};

struct command {
    const char *name;
    const char *summary;
    int (*run)(tf_ctx *ctx, int argc, char **argv); /* argv[0] is the command's name */
};

int cmd_analyze(tf_ctx *ctx, int argc, char **argv);
int cmd_bench(tf_ctx *ctx, int argc, char **argv);
int cmd_check(tf_ctx *ctx, int argc, char **argv);
int cmd_emit(tf_ctx *ctx, int argc, char **argv);
int cmd_eval(tf_ctx *ctx, int argc, char **argv);
int cmd_plugin(tf_ctx *ctx, int argc, char **argv);
int cmd_target(tf_ctx *ctx, int argc, char **argv);

/* ---- arguments (args.c) -------------------------------------------------------------------------------------------*/

#define ARG_END 0
#define ARG_OPTION 1
#define ARG_WORD 2

struct args {
    int argc, at;
    char **argv;
    int only_words;   /* after `--` */
    const char *name; /* of an option, with its dashes, without what follows = */
    const char *word; /* a word; what follows the = of an option, or NULL */
};

int args_next(tf_ctx *ctx, struct args *args);
/* The option's value, from after its = or the next argument; NULL after a usage error when there is none. */
const char *args_value(tf_ctx *ctx, struct args *args);
/* Refuses a value given to an option that takes none. */
int args_no_value(tf_ctx *ctx, const struct args *args);

/* A command whose words are SOURCE and, for some, OUT. */
struct args_of_source {
    int (*help)(tf_ctx *ctx);                                     /* gives the exit status */
    int (*option)(tf_ctx *ctx, struct args *args, void *request); /* 0, or the exit status */
    const char **source, **out;                                   /* where the words go; out NULL: it takes none */
};
/* Reads all of the arguments: -1 to go on, with SOURCE given, else the exit status. */
int args_read(tf_ctx *ctx, int argc, char **argv, const struct args_of_source *of, void *request);

/* `tilefoundry COMMAND: error: TEXT` on stderr; gives EXIT_USAGE. */
int usage_error(const tf_ctx *ctx, const char *format, ...) __attribute__((format(printf, 2, 3)));
int usage_unknown(tf_ctx *ctx, const struct args *args, const char *const *known, size_t n);

/* A non-negative decimal integer below 2^63; 0 when it is one. */
int parse_count(const char *text, int64_t *value);

/* ---- programs (program.c) ----------------------------------------------------------------------------------------*/

struct dim_bindings {
    struct dim_binding *at;
    size_t n, room;
};
struct ir_module;
struct tf_target;

/* --dim NAME=EXTENT: 0, or EXIT_USAGE. */
int add_dim(tf_ctx *ctx, struct dim_bindings *bound, const char *text);
/* --target, or what the module or the nearest of its owners states; NULL after a diagnostic. */
const struct tf_target *program_target(tf_ctx *ctx, const struct ir_module *module);
/* Options that struct lowering_request is filled by. */
#define LOWERING_OPTIONS_HELP                                                                                          \
    "  --backend NAME       what generates the code (default: one that --plugin names, else one for any target)\n"     \
    "  --path NAME|none     this fused path, or none (default: the first that the program is)"
/* --no-cache: a backend keeps nothing that it compiles, and takes nothing that it kept; it looks at
 * $TILEFOUNDRY_NO_CACHE for that. */
void turn_cache_off(void);
/* Of a module that was selected without a function and has no entry; gives EXIT_FAILED. */
int refuse_no_entry(tf_ctx *ctx, const struct ir_module *module);

/* ---- output -------------------------------------------------------------------------------------------------------*/

/* backend_lines.c: into the report of ctx. */
void backend_lines(tf_ctx *ctx, const struct tf_program *program, const struct tf_backend *backend, const char *target);

/* Writes the whole text to a file, or to stdout for NULL and "-"; EXIT_OK or EXIT_FAILED after a diagnostic. */
int put_output(tf_ctx *ctx, const char *path, const char *text, size_t length);

#endif

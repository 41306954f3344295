/* SPDX-License-Identifier: MIT
 * `tilefoundry target`: list, show, validate, add, remove, calibrate.
 */
#include "cli/cli.h"

#include "bench/calibrate.h"
#include "target/target.h"
#include "type/type.h"
#include "util/diag.h"
#include "util/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DOCUMENT_LIMIT ((size_t)1 << 20)

static void print_help(void)
{
    puts("usage: tilefoundry target list\n"
         "       tilefoundry target show ID|FILE.xml\n"
         "       tilefoundry target validate FILE.xml...\n"
         "       tilefoundry target add FILE.xml\n"
         "       tilefoundry target remove ID\n"
         "       tilefoundry target calibrate --backend NAME [-o FILE.xml]\n"
         "\n"
         "Target documents: what a machine can hold and how fast it is, with where each figure comes from.\n"
         "\n"
         "commands:\n"
         "  list       the targets that programs may name\n"
         "  show       every fact of one, with unit, origin, conditions and source\n"
         "  validate   check documents against the schema and the rules that it cannot say\n"
         "  add        keep a checked copy of a document among your own\n"
         "  remove     drop one of your own\n"
         "  calibrate  measure this machine, and write what was found as a document\n"
         "\n"
         "options of calibrate:\n"
         "  --backend NAME  what measures\n"
         "  -o FILE.xml     default: stdout");
}

/* ---- list ---------------------------------------------------------------------------------------------------------*/

/* How a program names it: CudaTarget("nvidia.h200_sxm"). */
static const char *constructor(tf_ctx *ctx, const struct tf_target *target)
{
    if (!strcmp(target->id, target->family))
        return arena_format(&ctx->arena, "%c%sTarget()", target->family[0] - 'a' + 'A', target->family + 1);
    return arena_format(
        &ctx->arena, "%c%sTarget(\"%s\")", target->family[0] - 'a' + 'A', target->family + 1, target->id);
}

static int list(tf_ctx *ctx)
{
    const char *const *ids;
    size_t n = target_ids(ctx, "device", &ids);
    const char **names = CTX_ARRAY(ctx, const char *, n);
    int *added = CTX_ARRAY(ctx, int, n), widest = 0, any = 0;
    for (size_t i = 0; i < n; i++) {
        const struct tf_target *target = target_open(ctx, NULL, ids[i]);
        names[i] = target ? constructor(ctx, target) : NULL;
        target_find(ctx, ids[i], &added[i]);
        any |= added[i];
        if (names[i] && (int)strlen(names[i]) > widest)
            widest = (int)strlen(names[i]);
    }
    printf("Available targets:\n\n");
    for (size_t i = 0; i < n; i++)
        if (names[i])
            printf("  %-*s  identity: %s%s\n", widest, names[i], ids[i], added[i] ? "   added" : "");
    if (any) {
        printf("\nAdded to this environment:\n");
        for (size_t i = 0; i < n; i++)
            if (added[i])
                printf("  document  %-28s %s\n", ids[i], target_find(ctx, ids[i], NULL));
    }
    printf("\nWhat one of them states, and where each number came from:\n  tilefoundry target show %s\n",
        n ? ids[n - 1] : "ID");
    return EXIT_OK;
}

/* ---- show ---------------------------------------------------------------------------------------------------------*/

static void put_fact(struct buf *out, const struct target_fact *f)
{
    if (!f->value)
        buf_printf(out, "  %s: unavailable\n", f->path);
    else
        buf_printf(out, "  %s: %s%s%s [%s]\n", f->path, f->value, strcmp(f->unit, "name") ? " " : "",
            strcmp(f->unit, "name") ? f->unit : "", f->origin);
    if (f->conditions)
        buf_printf(out, "    conditions: %s\n", f->conditions);
    if (f->source)
        buf_printf(out, "    source: %s\n", f->source);
}

static void put_model(struct buf *out, const struct tf_target *t)
{
    static const char *const PIPE[] = {"vector", "tensor", "service"};
    static const char *const SERVICE[] = {"integer", "predicate", "select", "special"};
    buf_str(out, "model:\n");
    for (uint32_t i = 0; i < t->n_levels; i++) {
        buf_printf(out, "  level %s", t->levels[i].name);
        if (t->levels[i].limit)
            buf_printf(out, ": at most %llu", (unsigned long long)t->levels[i].limit);
        buf_char(out, '\n');
    }
    if (t->units)
        buf_printf(out, "  units: %llu at level %s\n", (unsigned long long)t->units, t->units_level);
    for (uint32_t i = 0; i < t->n_memories; i++) {
        const struct target_memory *m = &t->memories[i];
        buf_printf(out, "  memory %s: %s", m->name, m->is_explicit ? "explicit" : "implicit");
        if (m->capacity)
            buf_printf(out, ", %llu byte", (unsigned long long)m->capacity);
        if (m->bandwidth)
            buf_printf(out, ", %llu byte/s", (unsigned long long)m->bandwidth);
        buf_printf(out, ", scope %s%s%s%s%s\n", m->scope, m->owner ? ", owner " : "", m->owner ? m->owner : "",
            m->caches ? ", caches " : "", m->caches ? m->caches : "");
    }
    for (uint32_t i = 0; i < t->n_rates; i++) {
        const struct target_rate *r = &t->rates[i];
        buf_printf(out, "  rate %s %s: %llu %s by the whole device\n", PIPE[r->pipe],
            r->pipe == TF_WORK_SERVICE ? SERVICE[r->key] : dtype_info(r->key)->name, (unsigned long long)r->per_second,
            r->pipe == TF_WORK_SERVICE ? "op/s" : "flop/s");
    }
}

static int show(tf_ctx *ctx, const char *id)
{
    const struct tf_target *t = target_open(ctx, NULL, id);
    if (!t)
        return EXIT_FAILED;
    struct buf out = {0};
    if (t->architecture_digest)
        buf_printf(&out, "architecture: %s\n  digest: %s\n", t->architecture, t->architecture_digest);
    buf_printf(&out, "device: %s\n  digest: %s\n", t->id, t->digest ? t->digest : "");
    if (t->n_facts)
        buf_str(&out, "facts:\n");
    else
        buf_str(&out, "facts: unavailable\n");
    for (uint32_t i = 0; i < t->n_facts; i++)
        put_fact(&out, &t->facts[i]);
    if (t->n_levels || t->units || t->n_memories || t->n_rates)
        put_model(&out, t);
    int status = put_output(ctx, NULL, buf_text(&out), out.n);
    buf_free(&out);
    return status;
}

/* ---- validate -----------------------------------------------------------------------------------------------------*/

static int validate(tf_ctx *ctx, int n, char **paths)
{
    int status = EXIT_OK;
    struct buf out = {0};
    for (int i = 0; i < n; i++) {
        const struct tf_target *t = target_read(ctx, paths[i]);
        if (!t) {
            status = EXIT_FAILED;
            continue;
        }
        buf_printf(
            &out, "%s: valid: %s %s, %u facts\n", paths[i], t->kind, t->id, t->n_facts - t->n_architecture_facts);
    }
    if (status == EXIT_OK)
        status = put_output(ctx, NULL, buf_text(&out), out.n);
    buf_free(&out);
    return status;
}

/* ---- add and remove -----------------------------------------------------------------------------------------------*/

static int make_directories(tf_ctx *ctx, const char *path)
{
    char *each = arena_strndup(&ctx->arena, path, strlen(path));
    for (char *slash = strchr(each + 1, '/');; slash = strchr(slash + 1, '/')) {
        if (slash)
            *slash = '\0';
        if (mkdir(each, 0777) && errno != EEXIST) {
            ERROR(ctx, NULL, "io", "%s: cannot be made: %s", each, strerror(errno));
            return TF_E_REFUSED;
        }
        if (!slash)
            return TF_OK;
        *slash = '/';
    }
}

static int add(tf_ctx *ctx, const char *path)
{
    const struct tf_target *t = target_read(ctx, path);
    const char *own = target_user_dir(ctx);
    if (!t)
        return EXIT_FAILED;
    if (!own) {
        ERROR(ctx, NULL, "target-home", "neither XDG_DATA_HOME nor HOME names a directory to keep documents in");
        return EXIT_FAILED;
    }
    int is_added = 0;
    const char *other = target_find(ctx, t->id, &is_added);
    if (other && !is_added) {
        ERROR(ctx, NULL, "target-exists", "target '%s' is shipped with the program; give your document another id",
            t->id);
        return EXIT_FAILED;
    }
    struct file_text text;
    const char *kept = arena_format(&ctx->arena, "%s/%s.xml", own, t->id);
    const char *compiled = arena_format(&ctx->arena, "%s/%s.tfc", own, t->id);
    if (make_directories(ctx, own) || file_read(ctx, path, DOCUMENT_LIMIT, &text) ||
        file_write(ctx, kept, text.text, text.length) || target_compile(ctx, kept, compiled))
        return EXIT_FAILED;
    if (!strcmp(t->kind, "device"))
        printf("added  document  %-28s -> %s\n", t->id, constructor(ctx, t));
    else
        printf("added  document  %-28s -> architecture, no target of its own\n", t->id);
    return EXIT_OK;
}

static int drop(tf_ctx *ctx, const char *id)
{
    int is_added = 0;
    const char *path = target_find(ctx, id, &is_added);
    if (!path || !is_added) {
        ERROR(ctx, NULL, "target-unknown", "no document of yours is called '%s'%s", id,
            path ? "; it is shipped with the program" : "");
        return EXIT_FAILED;
    }
    const char *compiled = arena_format(&ctx->arena, "%.*s.tfc", (int)(strlen(path) - strlen(".xml")), path);
    if (unlink(path)) {
        ERROR(ctx, NULL, "io", "%s: cannot be removed: %s", path, strerror(errno));
        return EXIT_FAILED;
    }
    unlink(compiled); /* it may never have been made */
    printf("removed  document  %s\n", id);
    return EXIT_OK;
}

/* ---- calibrate ----------------------------------------------------------------------------------------------------*/

struct options { /* of calibrate */
    const char *backend, *out;
};

static int calibrate_machine(tf_ctx *ctx, const struct options *options)
{
    struct buf text = {0};
    if (!options->backend)
        return usage_error(ctx, "calibrate needs --backend NAME");
    int status =
        calibrate(ctx, options->backend, &text) ? EXIT_FAILED : put_output(ctx, options->out, buf_text(&text), text.n);
    buf_free(&text);
    return status;
}

/* ---- the command --------------------------------------------------------------------------------------------------*/

static int read_option(tf_ctx *ctx, struct args *args, struct options *options)
{
    static const char *const OPTIONS[] = {"--help", "--backend", "-o"};
    int is_out = !strcmp(args->name, "-o");
    if (!is_out && strcmp(args->name, "--backend") != 0)
        return usage_unknown(ctx, args, OPTIONS, sizeof(OPTIONS) / sizeof(*OPTIONS));
    const char *value = args_value(ctx, args);
    *(is_out ? &options->out : &options->backend) = value;
    return value ? 0 : EXIT_USAGE;
}

int cmd_target(tf_ctx *ctx, int argc, char **argv)
{
    struct options options = {0};
    struct args args = {.argc = argc, .at = 1, .argv = argv};
    char **words = CTX_ARRAY(ctx, char *, (size_t)argc);
    int n = 0;
    for (int kind; (kind = args_next(ctx, &args)) != ARG_END;) {
        if (kind == ARG_WORD)
            words[n++] = argv[args.at - 1];
        else if (!strcmp(args.name, "--help") || !strcmp(args.name, "-h"))
            return print_help(), EXIT_OK;
        else if (read_option(ctx, &args, &options))
            return EXIT_USAGE;
    }
    if (!n)
        return print_help(), EXIT_OK;
    const char *what = words[0];
    if (!strcmp(what, "calibrate"))
        return n == 1 ? calibrate_machine(ctx, &options) : usage_error(ctx, "calibrate takes no words");
    if (options.backend || options.out)
        return usage_error(ctx, "--backend and -o are of calibrate");
    if (!strcmp(what, "list"))
        return n == 1 ? list(ctx) : usage_error(ctx, "list takes no arguments");
    if (!strcmp(what, "validate"))
        return n > 1 ? validate(ctx, n - 1, words + 1) : usage_error(ctx, "validate takes FILE.xml");
    /* the build makes compiled forms with it */
    if (!strcmp(what, "compile"))
        return n != 3                                    ? usage_error(ctx, "compile takes FILE.xml OUT")
               : target_compile(ctx, words[1], words[2]) ? EXIT_FAILED
                                                         : EXIT_OK;
    if (!strcmp(what, "show"))
        return n == 2 ? show(ctx, words[1]) : usage_error(ctx, "show takes ID or FILE.xml");
    if (!strcmp(what, "add"))
        return n == 2 ? add(ctx, words[1]) : usage_error(ctx, "add takes FILE.xml");
    if (!strcmp(what, "remove"))
        return n == 2 ? drop(ctx, words[1]) : usage_error(ctx, "remove takes ID");
    return usage_error(ctx, "unknown command '%s', expected list, show, validate, add, remove or calibrate", what);
}

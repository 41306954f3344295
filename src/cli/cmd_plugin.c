/* SPDX-License-Identifier: MIT
 * tilefoundry plugin: what plugins there are, and what one provides.
 */
#include "cli/cli.h"
#include "cli/starter.h"
#include "plugin/module.h"
#include "plugin/registry.h"
#include "util/diag.h"

#include <stdio.h>
#include <string.h>

static const char HELP[] = "usage: tilefoundry [--plugin-path DIR]... plugin list\n"
                           "       tilefoundry [--plugin-path DIR]... plugin show NAME|PATH\n"
                           "       tilefoundry plugin new DIR\n"
                           "\n"
                           "  list   every plugin on the plugin path: its version, what it provides, its file;\n"
                           "         one that cannot be loaded is a warning\n"
                           "  show   one plugin: its interface version, each thing that it provides with the\n"
                           "         callbacks that it has, its diagnostic codes\n"
                           "  new    a folder with a starter plugin and its makefile\n"
                           "\n"
                           "  -h, --help   print this help\n";

/* Callbacks that an element may lack: X(kind, name in the struct's own words, struct, member). */
#define OPTIONAL_CALLBACKS(X)                                                                                          \
    X(OP, struct tf_op, cost)                                                                                          \
    X(OP, struct tf_op, relate)                                                                                        \
    X(OP, struct tf_op, eval)                                                                                          \
    X(BACKEND, struct tf_backend, lower)                                                                               \
    X(BACKEND, struct tf_backend, compile)                                                                             \
    X(BACKEND, struct tf_backend, launch)                                                                              \
    X(BACKEND, struct tf_backend, time)                                                                                \
    X(BACKEND, struct tf_backend, release)                                                                             \
    X(BACKEND, struct tf_backend, probe)                                                                               \
    X(BACKEND, struct tf_backend, measure)                                                                             \
    X(BACKEND, struct tf_backend, calibrate)                                                                           \
    X(PATH, struct tf_path, eval)                                                                                      \
    X(PATH, struct tf_path, lower)                                                                                     \
    X(PATH, struct tf_path, declares)                                                                                  \
    X(PATH, struct tf_path, why)                                                                                       \
    X(TWIN, struct tf_twin, open)                                                                                      \
    X(TWIN, struct tf_twin, close)                                                                                     \
    X(TWIN, struct tf_twin, measure)

static const struct {
    enum plugin_kind kind;
    const char *name;
    size_t offset;
} CALLBACKS[] = {
#define X(KIND, type, member) {KIND_##KIND, #member, offsetof(type, member)},
    OPTIONAL_CALLBACKS(X)
#undef X
};

static int has_callback(const struct element *element, size_t offset)
{
    void (*callback)(void);
    memcpy(&callback, (const char *)element + offset, sizeof(callback));
    return callback != NULL;
}

/* ---- list ---------------------------------------------------------------------------------------------------------*/

/* "3 ops, 1 analyzer" */
static const char *provides(tf_ctx *ctx, const struct plugin *plugin)
{
    struct buf text = {0};
    for (enum plugin_kind kind = 0; kind < KIND_PLUGIN; kind++) {
        size_t n = plugin_count(plugin, kind);
        if (n)
            buf_printf(&text, "%s%zu %s%s", text.n ? ", " : "", n, kind_text(kind), n == 1 ? "" : "s");
    }
    const char *kept = ctx_intern(ctx, text.n ? buf_text(&text) : "nothing");
    buf_free(&text);
    return kept;
}

static void widen(int *width, const char *text)
{
    int length = (int)strlen(text);
    if (length > *width)
        *width = length;
}

static int list(tf_ctx *ctx)
{
    const struct plugin *const *plugins;
    struct buf out = {0};
    int name = 4, version = 7, what = 8;
    registry_load_all(ctx);
    size_t n = registry_plugins(ctx, &plugins);
    for (size_t i = 0; i < n; i++) {
        widen(&name, plugins[i]->descriptor.name);
        widen(&version, plugins[i]->descriptor.version);
        widen(&what, provides(ctx, plugins[i]));
    }
    if (n)
        buf_printf(&out, "%-*s  %-*s  %-*s  %s\n", name, "NAME", version, "VERSION", what, "PROVIDES", "FILE");
    for (size_t i = 0; i < n; i++)
        buf_printf(&out, "%-*s  %-*s  %-*s  %s\n", name, plugins[i]->descriptor.name, version,
            plugins[i]->descriptor.version, what, provides(ctx, plugins[i]), plugins[i]->file);
    int status = put_output(ctx, NULL, buf_text(&out), out.n);
    buf_free(&out);
    return status;
}

/* ---- show ---------------------------------------------------------------------------------------------------------*/

static void show_callbacks(struct buf *out, enum plugin_kind kind, const struct element *element)
{
    for (int present = 1; present >= 0; present--) {
        int any = 0;
        for (size_t i = 0; i < sizeof(CALLBACKS) / sizeof(*CALLBACKS); i++)
            if (CALLBACKS[i].kind == kind && has_callback(element, CALLBACKS[i].offset) == present)
                buf_printf(out, "%s%s", any++ ? " " : present ? "    has: " : "    has not: ", CALLBACKS[i].name);
        if (any)
            buf_char(out, '\n');
    }
}

static void show_words(struct buf *out, const char *label, const char *const *words)
{
    if (!words || !*words)
        return;
    buf_printf(out, "    %s:", label);
    for (; *words; words++)
        buf_printf(out, " %s", *words);
    buf_char(out, '\n');
}

static void show_op(struct buf *out, const struct tf_op *op)
{
    if (op->n_inputs)
        buf_str(out, "    inputs:");
    for (size_t i = 0; i < op->n_inputs; i++)
        buf_printf(out, " %s", op->inputs[i].name);
    if (op->n_attrs)
        buf_printf(out, "%s    attributes:", op->n_inputs ? "\n" : "");
    for (size_t i = 0; i < op->n_attrs; i++)
        buf_printf(out, " %s", op->attrs[i].name);
    if (op->n_aliases)
        buf_printf(out, "%s    aliases:", op->n_inputs || op->n_attrs ? "\n" : "");
    for (size_t i = 0; i < op->n_aliases; i++)
        buf_printf(out, " %s", op->aliases[i].name);
    if (op->n_inputs || op->n_attrs || op->n_aliases)
        buf_char(out, '\n');
}

static void show_element(struct buf *out, enum plugin_kind kind, const struct element *element)
{
    buf_printf(out, "%s %s: %s\n", kind_text(kind), element->name, element->summary);
    if (kind == KIND_OP)
        show_op(out, (const struct tf_op *)element);
    if (kind == KIND_ANALYZER)
        show_words(out, "requires", ((const struct tf_analyzer *)element)->requires);
    if (kind == KIND_BACKEND) {
        show_words(out, "targets", ((const struct tf_backend *)element)->targets);
        show_words(out, "needs", ((const struct tf_backend *)element)->needs);
    }
    if (kind == KIND_PATH)
        show_words(out, "backends", ((const struct tf_path *)element)->backends);
    show_callbacks(out, kind, element);
}

static void show_plugin(struct buf *out, const struct plugin *plugin)
{
    const struct tf_plugin *d = &plugin->descriptor;
    buf_printf(out, "%s %s: %s\n", d->name, d->version, d->summary);
    buf_printf(out, "file: %s\n", plugin->file);
    buf_printf(out, "abi: %u.%u, descriptor of %u bytes; this tilefoundry has %u.%u and %zu bytes\n", d->abi_major,
        d->abi_minor, d->struct_size, TF_ABI_MAJOR, TF_ABI_MINOR, sizeof(*d));
    buf_printf(out, "start: %s\n", d->start ? "yes" : "no");
    for (enum plugin_kind kind = 0; kind < KIND_PLUGIN; kind++)
        for (size_t i = 0; i < plugin_count(plugin, kind); i++)
            show_element(out, kind, plugin_element(plugin, kind, i));
    for (size_t i = 0; i < d->n_codes; i++)
        buf_printf(out, "code %s: %s\n", d->codes[i].code, d->codes[i].meaning);
}

static int show(tf_ctx *ctx, const char *name)
{
    int refused = registry_load(ctx, name);
    const struct plugin *plugin = refused ? NULL : registry_plugin(ctx, name);
    if (!plugin)
        return refused == PLUGIN_START_REFUSED ? EXIT_PLUGIN : EXIT_FAILED;
    struct buf out = {0};
    show_plugin(&out, plugin);
    int status = put_output(ctx, NULL, buf_text(&out), out.n);
    buf_free(&out);
    return status;
}

/* ---- the command --------------------------------------------------------------------------------------------------*/

/* What there is to say after `plugin`, and how many words follow.  index is for makefiles, not for people. */
static const struct {
    const char *name;
    size_t n_words;
    const char *expected;
} VERBS[] = {{"list", 0, "plugin list"}, {"show", 1, "plugin show NAME|PATH"}, {"new", 1, "plugin new DIR"},
    {"index", 1, "plugin index DIR"}};
#define N_VERBS (sizeof(VERBS) / sizeof(*VERBS))

static int run_verb(tf_ctx *ctx, const char *const *words, size_t n)
{
    size_t verb = 0;
    while (verb < N_VERBS && strcmp(VERBS[verb].name, words[0]))
        verb++;
    if (verb == N_VERBS)
        return usage_error(ctx, "expected list, show or new, got '%s'", words[0]);
    if (n - 1 != VERBS[verb].n_words)
        return usage_error(ctx, "expected %s, got %zu words after %s", VERBS[verb].expected, n - 1, words[0]);
    switch (verb) {
    case 0: return list(ctx);
    case 1: return show(ctx, words[1]);
    case 2: return starter_write(ctx, words[1]) ? EXIT_FAILED : EXIT_OK;
    default: return registry_write_index(ctx, words[1]) ? EXIT_FAILED : EXIT_OK;
    }
}

int cmd_plugin(tf_ctx *ctx, int argc, char **argv)
{
    static const char *const OPTIONS[] = {"--help"};
    struct args args = {.argc = argc, .at = 1, .argv = argv};
    const char *words[3];
    size_t n = 0;
    for (int kind; (kind = args_next(ctx, &args)) != ARG_END;) {
        if (kind == ARG_OPTION && (!strcmp(args.name, "-h") || !strcmp(args.name, "--help")))
            return put_output(ctx, NULL, HELP, strlen(HELP));
        if (kind == ARG_OPTION)
            return usage_unknown(ctx, &args, OPTIONS, 1);
        if (n == sizeof(words) / sizeof(*words))
            return usage_error(ctx, "expected list, show NAME or new DIR, got '%s' too", args.word);
        words[n++] = args.word;
    }
    return n ? run_verb(ctx, words, n) : put_output(ctx, NULL, HELP, strlen(HELP));
}

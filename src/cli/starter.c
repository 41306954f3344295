/* SPDX-License-Identifier: MIT */
#include "cli/starter.h"

#include "plugin/module.h"
#include "util/buf.h"
#include "util/file.h"

#include <errno.h>
#include <string.h>

/* @plugin@ is the folder's name, @op@ the same as an identifier. */
static const char PLUGIN_C[] =
    "/* @plugin@: a plugin of tilefoundry; tilefoundry-plugin(3) says what can be added. */\n"
    "#include <tilefoundry/plugin.h>\n"
    "\n"
    "/* tf.@op@(x): the value itself.  Its type is the operand's. */\n"
    "static int infer(tf_ctx *ctx, const struct tf_call *call, const struct tf_type **result)\n"
    "{\n"
    "    const struct tf_type *x = call->arg_types[0];\n"
    "    if (x->kind != TF_TYPE_TENSOR) {\n"
    "        tf_host->error(ctx, &call->loc, \"@plugin@-operand\", \"@op@: x is %s; a tensor is expected\",\n"
    "            tf_host->type_text(ctx, x));\n"
    "        return TF_E_REFUSED;\n"
    "    }\n"
    "    *result = x;\n"
    "    return TF_OK;\n"
    "}\n"
    "\n"
    "/* Element i of the result is element i of x: each is read once and written once. */\n"
    "static int relate(tf_ctx *ctx, const struct tf_call *call, struct tf_relation *relation)\n"
    "{\n"
    "    const struct tf_type *x = call->arg_types[0];\n"
    "    int rc = tf_host->relation_box(ctx, call, relation, x->rank, x->shape, 1);\n"
    "    if (rc != TF_OK)\n"
    "        return rc;\n"
    "    tf_host->relation_walk(ctx, &relation->in[0], x->rank, 0);\n"
    "    tf_host->relation_walk(ctx, &relation->out[0], x->rank, 0);\n"
    "    return TF_OK;\n"
    "}\n"
    "\n"
    "static const struct tf_input inputs[] = {{.name = \"x\", .kind = TF_INPUT_TENSOR}};\n"
    "static const struct tf_op op = {\n"
    "    .struct_size = sizeof(op),\n"
    "    .name = \"@op@\",\n"
    "    .summary = \"the value itself\",\n"
    "    .n_inputs = 1,\n"
    "    .inputs = inputs,\n"
    "    .infer = infer,\n"
    "    .relate = relate,\n"
    "};\n"
    "\n"
    "static const struct tf_op *const ops[] = {&op};\n"
    "static const struct tf_code codes[] = {{\"@plugin@-operand\", \"@op@ is for tensors\"}};\n"
    "static const struct tf_plugin plugin = {\n"
    "    TF_PLUGIN_HEAD,\n"
    "    .name = \"@plugin@\",\n"
    "    .version = \"0.1\",\n"
    "    .summary = \"say here what it adds\",\n"
    "    .n_ops = 1,\n"
    "    .ops = ops,\n"
    "    .n_codes = 1,\n"
    "    .codes = codes,\n"
    "};\n"
    "\n"
    "TF_PLUGIN(plugin);\n";

static const char MAKEFILE[] =
    "PKG_CONFIG = pkg-config\n"
    "INSTALL = install\n"
    "CFLAGS = -O2 -Wall -Wextra\n"
    "module_cflags = -std=c11 -fPIC -fvisibility=hidden $$($(PKG_CONFIG) --cflags tilefoundry)\n"
    "\n"
    "@plugin@.so: plugin.c\n"
    "\t$(CC) $(module_cflags) $(CFLAGS) -shared -Wl,-z,defs $(LDFLAGS) -o $@ plugin.c\n"
    "\n"
    "install: @plugin@.so\n"
    "\t$(INSTALL) -d $(DESTDIR)$$($(PKG_CONFIG) --variable=plugindir tilefoundry)\n"
    "\t$(INSTALL) -m 755 @plugin@.so $(DESTDIR)$$($(PKG_CONFIG) --variable=plugindir tilefoundry)\n"
    "\n"
    "clean:\n"
    "\trm -f @plugin@.so\n"
    "\n"
    ".PHONY: install clean\n";

static void fill(struct buf *out, const char *template, const char *plugin, const char *op)
{
    for (const char *c = template; *c;) {
        if (!strncmp(c, "@plugin@", 8)) {
            buf_str(out, plugin);
            c += 8;
        } else if (!strncmp(c, "@op@", 4)) {
            buf_str(out, op);
            c += 4;
        } else {
            buf_char(out, *c++);
        }
    }
}

static int write_filled(tf_ctx *ctx, const char *folder, const char *name, const char *template, const char *plugin)
{
    struct buf text = {0};
    char *op = arena_strndup(&ctx->arena, plugin, strlen(plugin));
    for (char *c = op; *c; c++)
        if (*c == '-')
            *c = '_';
    fill(&text, template, plugin, op);
    int rc = file_write(ctx, arena_format(&ctx->arena, "%s/%s", folder, name), buf_text(&text), text.n);
    buf_free(&text);
    return rc;
}

int starter_write(tf_ctx *ctx, const char *folder)
{
    size_t length = strlen(folder);
    while (length > 1 && folder[length - 1] == '/')
        length--;
    folder = ctx_intern_n(ctx, folder, length);
    const char *plugin = path_base(folder);
    if (!name_is_plain(plugin)) {
        ERROR(ctx, NULL, "plugin-name",
            "a plugin cannot be named \"%s\": a name is of a-z, 0-9 and -, and begins with a "
            "letter",
            plugin);
        return TF_E_REFUSED;
    }
    if (mkdir(folder, 0777)) {
        ERROR(ctx, NULL, "io", "%s: cannot be made: %s", folder, strerror(errno));
        return TF_E_REFUSED;
    }
    int rc = write_filled(ctx, folder, "plugin.c", PLUGIN_C, plugin);
    return rc ? rc : write_filled(ctx, folder, "Makefile", MAKEFILE, plugin);
}

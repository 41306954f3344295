/* SPDX-License-Identifier: MIT
 * From a file to a descriptor.  A module that was opened stays open: what it handed out lives until the program exits.
 */
#include "plugin/module.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

typedef const struct tf_plugin *entry_fn(const struct tf_host *host);

static int is_shared_object(const char *file)
{
    unsigned char head[EI_NIDENT + 2];
    uint16_t type = ET_NONE;
    int fd = open(file, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, head, sizeof(head));
    if (fd >= 0)
        close(fd);
    if (n == (ssize_t)sizeof(head))
        memcpy(&type, head + EI_NIDENT, sizeof(type));
    return type == ET_DYN && !memcmp(head, ELFMAG, SELFMAG);
}

/* Some reasons of the loader begin with the file's name, which the message has already. */
static const char *without_file(const char *reason, const char *file)
{
    size_t length = strlen(file);
    if (!strncmp(reason, file, length) && !strncmp(reason + length, ": ", 2))
        return reason + length + 2;
    return reason;
}

/* What the loader says of files that it has no word for ("invalid ELF header") helps nobody. */
static int refuse_file(tf_ctx *ctx, uint32_t severity, const char *file)
{
    const char *said = dlerror();
    const char *reason = without_file(said ? said : "the loader gives no reason", file);
    const char *advice = strstr(reason, "undefined symbol")
                             ? ": a plugin gets from tilefoundry what is in the host table, and brings everything else"
                             : "";
    if (!access(file, R_OK) && !is_shared_object(file))
        diag(ctx, NULL, severity, "plugin-format",
            "plugin %s: is not a shared object: build it with -shared -fPIC, or name the .so and not its source", file);
    else
        diag(ctx, NULL, severity, "plugin-open", "plugin %s: cannot be opened: %s%s", file, reason, advice);
    return TF_E_REFUSED;
}

static int refuse_entry(tf_ctx *ctx, uint32_t severity, const char *file, void *handle)
{
    for (int major = 0; major <= 9; major++) {
        char symbol[32];
        snprintf(symbol, sizeof(symbol), "tilefoundry_plugin_v%d", major);
        if (major == TF_ABI_MAJOR || !dlsym(handle, symbol))
            continue;
        diag(ctx, NULL, severity, "plugin-abi",
            "plugin %s: was built for plugin ABI %d, and this tilefoundry has plugin ABI %d: build it again with the "
            "headers of this one",
            file, major, TF_ABI_MAJOR);
        return TF_E_REFUSED;
    }
    diag(ctx, NULL, severity, "plugin-entry",
        "plugin %s: has no symbol %s: it is no plugin of tilefoundry, or it does not say TF_PLUGIN(descriptor)", file,
        TF_PLUGIN_ENTRY_NAME);
    return TF_E_REFUSED;
}

int module_open(tf_ctx *ctx, uint32_t severity, const char *file, struct plugin *plugin)
{
    struct stat status;
    if (search_check_file(ctx, severity, file, &status))
        return TF_E_REFUSED;
    void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return refuse_file(ctx, severity, file);
    entry_fn *entry;
    void *symbol = dlsym(handle, TF_PLUGIN_ENTRY_NAME);
    if (!symbol)
        return refuse_entry(ctx, severity, file, handle);
    memcpy(&entry, &symbol, sizeof(entry)); /* ISO C converts no object pointer to a function's */
    int rc = descriptor_check(ctx, severity, file, entry(&host_table), plugin);
    plugin->device = status.st_dev;
    plugin->inode = status.st_ino;
    return rc;
}

int module_start(tf_ctx *ctx, uint32_t severity, const struct plugin *plugin)
{
    if (!plugin->descriptor.start)
        return TF_OK;
    const char *outer = ctx->plugin;
    size_t mark = diag_mark(ctx);
    ctx->plugin = plugin->descriptor.name;
    int rc = plugin->descriptor.start(ctx);
    ctx->plugin = outer;
    if (rc == TF_OK)
        return TF_OK;
    /* of a plugin that is only looked at, the refusal is worth a line and no more */
    if (severity != DIAG_ERROR)
        diag_drop(ctx, mark);
    diag(ctx, NULL, severity, "plugin-start",
        "plugin %s: %s %s refused to start (status %d); nothing that it provides is available", plugin->file,
        plugin->descriptor.name, plugin->descriptor.version, rc);
    return PLUGIN_START_REFUSED;
}

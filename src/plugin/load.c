/* SPDX-License-Identifier: MIT
 * From a file to a descriptor.  A module that was opened stays open: what it handed out lives until the program exits.
 */
#include "plugin/module.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

typedef const struct tf_plugin *entry_fn(const struct tf_host *host);

/* The loader's own words for such files ("invalid ELF header", "only ET_DYN and ET_EXEC can be loaded") help nobody. */
static int check_format(tf_ctx *ctx, uint32_t severity, const char *file)
{
    unsigned char head[EI_NIDENT + 2];
    int fd = open(file, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, head, sizeof(head));
    int error = errno;
    if (fd >= 0)
        close(fd);
    if (n < 0) {
        diag(ctx, NULL, severity, "plugin-open", "plugin %s: %s", file, strerror(error));
        return TF_E_REFUSED;
    }
    uint16_t type = ET_NONE;
    if (n == (ssize_t)sizeof(head))
        memcpy(&type, head + EI_NIDENT, sizeof(type));
    if (n < SELFMAG || memcmp(head, ELFMAG, SELFMAG) || type != ET_DYN) {
        diag(ctx, NULL, severity, "plugin-format",
            "plugin %s: is not a shared object: build it with -shared -fPIC, or name the .so and not its source", file);
        return TF_E_REFUSED;
    }
    return TF_OK;
}

/* Some reasons of the loader begin with the file's name, which the message has already. */
static const char *loader_reason(const char *file)
{
    const char *reason = dlerror();
    size_t length = strlen(file);
    if (!reason)
        return "the loader gives no reason";
    if (!strncmp(reason, file, length) && !strncmp(reason + length, ": ", 2))
        reason += length + 2;
    return reason;
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
    if (search_check_file(ctx, severity, file, &status) || check_format(ctx, severity, file))
        return TF_E_REFUSED;
    void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        const char *reason = loader_reason(file);
        diag(ctx, NULL, severity, "plugin-open", "plugin %s: cannot be opened: %s%s", file, reason,
            strstr(reason, "undefined symbol")
                ? ": a plugin gets from tilefoundry what is in the host table, and brings "
                  "everything else"
                : "");
        return TF_E_REFUSED;
    }
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

/* SPDX-License-Identifier: MIT
 * shared-object: implementations in C, as <tilefoundry/twin.h> says.  The host calls open and run in a process that may
 * die, so nothing here defends itself against what it loads.
 */
#include <tilefoundry/twin.h>

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define NO_TWIN "twin-open"
#define REFUSED "twin-refused"

/* The colon before the function's name, or the end. */
static const char *path_end(const char *source)
{
    const char *colon = strrchr(source, ':');
    return colon && !strchr(colon, '/') ? colon : source + strlen(source);
}

static int so_claims(tf_ctx *ctx, const char *source)
{
    (void)ctx;
    const char *end = path_end(source);
    return end - source > 3 && !memcmp(end - 3, ".so", 3) ? TF_OK : TF_E_UNSUPPORTED;
}

struct twin {
    void *function;
    const char *declares; /* in the library, or NULL */
};

static int so_open(tf_ctx *ctx, const char *source, void **twin)
{
    const char *end = path_end(source), *name = *end ? end + 1 : TF_TWIN_NAME;
    /* without a slash the loader would look in its own directories */
    const char *path = tf_host->format(
        ctx, "%s%.*s", memchr(source, '/', (size_t)(end - source)) ? "" : "./", (int)(end - source), source);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        tf_host->error(ctx, NULL, NO_TWIN, "%s cannot be loaded: %s", path, dlerror());
        return TF_E_REFUSED;
    }
    struct twin *opened = tf_host->alloc(ctx, sizeof(*opened));
    opened->function = dlsym(library, name);
    opened->declares = dlsym(library, TF_TWIN_DECLARES_NAME);
    *twin = opened;
    if (opened->function)
        return TF_OK;
    tf_host->error(ctx, NULL, NO_TWIN, "%s has no function %s: export one, or name another after a colon", path, name);
    return TF_E_REFUSED;
}

static int so_run(tf_ctx *ctx, void *twin, const struct tf_tensor *const *args, size_t n_args,
    struct tf_tensor *const *results, size_t n_results)
{
    char message[256] = "";
    tf_twin_function *function;
    struct tf_twin_call call = {.struct_size = sizeof(call),
        .n_args = (uint32_t)n_args,
        .n_results = (uint32_t)n_results,
        .args = args,
        .results = (const struct tf_tensor *const *)results,
        .message = message,
        .message_room = sizeof(message)};
    memcpy(&function, &((const struct twin *)twin)->function,
        sizeof(function)); /* ISO C has no cast from an object's pointer to a function's */
    int status = function(&call);
    message[sizeof(message) - 1] = '\0';
    if (!status)
        return TF_OK;
    tf_host->error(ctx, NULL, REFUSED, "the twin gave %d%s%s", status, *message ? ": " : "", message);
    return TF_E_REFUSED;
}

static const char *so_declares(tf_ctx *ctx, void *twin)
{
    (void)ctx;
    return ((const struct twin *)twin)->declares;
}

static void so_close(tf_ctx *ctx, void *twin)
{
    (void)ctx, (void)twin; /* the process ends */
}

static const struct tf_twin TWIN = {
    .struct_size = sizeof(TWIN),
    .name = "shared-object",
    .summary = "a function in a shared object: LIB.so, LIB.so:FUNCTION",
    .claims = so_claims,
    .open = so_open,
    .run = so_run,
    .close = so_close,
    .declares = so_declares,
};
static const struct tf_twin *const TWINS[] = {&TWIN};

static const struct tf_code CODES[] = {
    {NO_TWIN, "a shared object cannot be loaded, or has no such function"},
    {REFUSED, "a function of a shared object gave something other than 0"},
};

static const struct tf_plugin PLUGIN = {
    TF_PLUGIN_HEAD,
    .name = "shared-object",
    .version = "1.0",
    .summary = "runs implementations in C",
    .n_twins = 1,
    .twins = TWINS,
    .n_codes = sizeof(CODES) / sizeof(*CODES),
    .codes = CODES,
};
TF_PLUGIN(PLUGIN);

/* SPDX-License-Identifier: MIT
 * Compiled kernels: loaded, called, timed.
 */
#include "run.h"

#include <dlfcn.h>
#include <sys/stat.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef int kernel_function(const void *const *args, void *const *results);

struct module {
    void *library;
    kernel_function *call;
};

struct loading {
    struct module *module;
    const char *entry, *error;
};

/* ---- loading ------------------------------------------------------------------------------------------------------*/

static int load(void *data, const char *file)
{
    struct loading *l = data;
    /* never unloaded: what a kernel brings in, such as threads of OpenMP, has memory that only it knows */
    l->module->library = dlopen(file, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    void *symbol = l->module->library ? dlsym(l->module->library, l->entry) : NULL;
    memcpy(&l->module->call, &symbol, sizeof(symbol)); /* ISO C has no cast from an object's pointer to a function's */
    if (!symbol)
        l->error = dlerror();
    return symbol ? TF_OK : TF_E_REFUSED;
}

/* What was kept, if it is ours and can be loaded. */
static int load_kept(struct loading *l, const char *kept)
{
    struct stat status;
    if (!kept || lstat(kept, &status) || !S_ISREG(status.st_mode) || status.st_uid != geteuid())
        return TF_E_UNSUPPORTED;
    return load(l, kept);
}

int cpu_c_compile(tf_ctx *ctx, const struct tf_artifact *artifact, void **module)
{
    struct compiler compiler;
    struct loading l = {.module = tf_host->alloc(ctx, sizeof(*l.module)), .entry = artifact->entry};
    int status =
        compiler_find(ctx, &compiler, TF_HAS(struct tf_artifact, artifact, fp8_overflow) ? artifact->fp8_overflow : 0);
    if (status)
        return status;
    const char *kept = cache_file(ctx, &compiler, artifact);
    *module = l.module;
    if (load_kept(&l, kept) == TF_OK)
        return TF_OK;
    l.error = NULL;
    status = compile_text(ctx, &compiler, artifact, kept, load, &l);
    if (l.error)
        tf_host->error(ctx, NULL, NOT_LOADED, "the compiled kernel cannot be loaded: %s", l.error);
    return status;
}

void cpu_c_release(tf_ctx *ctx, void *module)
{
    struct module *m = module;
    (void)ctx;
    if (m && m->library)
        dlclose(m->library);
    if (m)
        m->library = NULL;
}

/* ---- running ------------------------------------------------------------------------------------------------------*/

static size_t count(const struct tf_tensor *const *list)
{
    size_t n = 0;
    while (list[n])
        n++;
    return n;
}

static int call(tf_ctx *ctx, const struct module *m, const void *const *args, void *const *results)
{
    int gave = m->call(args, results);
    if (!gave)
        return TF_OK;
    tf_host->error(ctx, NULL, KERNEL_REFUSED, "the kernel gave %d: %s", gave,
        gave == 1   ? "there is not enough memory for it"
        : gave == 2 ? "an index, a window or a divisor among the data is out of range"
                    : "it does not say what that means");
    return TF_E_REFUSED;
}

static void pointers(const struct tf_tensor *const *list, const void **to)
{
    for (size_t i = 0; list[i]; i++)
        to[i] = list[i]->data;
}

static int call_repeatedly(tf_ctx *ctx, const struct module *m, const struct tf_tensor *const *args,
    struct tf_tensor *const *results, uint32_t repeats, double *nanoseconds)
{
    const struct tf_tensor *const *outputs = (const struct tf_tensor *const *)results;
    const void **in = tf_host->alloc(ctx, (count(args) + 1) * sizeof(*in));
    const void **out = tf_host->alloc(ctx, (count(outputs) + 1) * sizeof(*out));
    void **to = tf_host->alloc(ctx, (count(outputs) + 1) * sizeof(*to));
    struct timespec from, until;
    int status = TF_OK;
    pointers(args, in);
    pointers(outputs, out);
    memcpy(to, out, (count(outputs) + 1) * sizeof(*to));
    clock_gettime(CLOCK_MONOTONIC, &from);
    for (uint32_t i = 0; i < repeats && !status; i++)
        status = call(ctx, m, in, to);
    clock_gettime(CLOCK_MONOTONIC, &until);
    *nanoseconds = ((double)(until.tv_sec - from.tv_sec) * 1e9 + (double)(until.tv_nsec - from.tv_nsec)) / repeats;
    return status;
}

int cpu_c_launch(tf_ctx *ctx, void *module, const struct tf_tensor *const *args, struct tf_tensor *const *results)
{
    double nanoseconds;
    return call_repeatedly(ctx, module, args, results, 1, &nanoseconds);
}

int cpu_c_time(tf_ctx *ctx, void *module, const struct tf_tensor *const *args, struct tf_tensor *const *results,
    uint32_t repeats, double *nanoseconds)
{
    return call_repeatedly(ctx, module, args, results, repeats ? repeats : 1, nanoseconds);
}

/* ---- what there is ------------------------------------------------------------------------------------------------*/

int cpu_c_probe(tf_ctx *ctx, const char **text)
{
    struct compiler compiler;
    const char *name = cpu_text(ctx, "model name");
    if (compiler_find(ctx, &compiler, 0)) {
        *text = "no C compiler runs";
        return TF_E_UNSUPPORTED;
    }
    *text = tf_host->format(ctx, "%ld processors, %s\n%.*s", sysconf(_SC_NPROCESSORS_ONLN),
        name ? name : "of unknown name", (int)strcspn(compiler.identity, "\n"), compiler.identity);
    return TF_OK;
}

/* SPDX-License-Identifier: MIT
 *
 * The libraries, opened when they are first needed; what is missing is said by name, with what works all the same.
 */
#include "cuda.h"

#include <dlfcn.h>
#include <string.h>

/* What every refusal ends with. */
#define STILL "; `analyze` and `emit` work without it"

/* ---- symbols ------------------------------------------------------------------------------------------------------*/

struct symbol {
    const char *name;
    size_t offset;
};

/* The first of them that opens. */
static void *open_first(const char *const *names)
{
    void *library = NULL;
    for (; *names && !library; names++)
        library = dlopen(*names, RTLD_NOW | RTLD_LOCAL);
    return library;
}

/* The first symbol that the library lacks; NULL: all are there. */
static const char *resolve(void *library, const struct symbol *symbols, size_t n, void *table)
{
    for (size_t i = 0; i < n; i++) {
        void *at = dlsym(library, symbols[i].name);
        if (!at)
            return symbols[i].name;
        memcpy((char *)table + symbols[i].offset, &at, sizeof(at));
    }
    return NULL;
}

/* ---- the driver ---------------------------------------------------------------------------------------------------*/

static const struct symbol driver_symbols[] = {
#define X(member, symbol, parameters) {#symbol, offsetof(struct cuda_driver, member)},
    CUDA_DRIVER_FUNCTIONS(X)
#undef X
};

static const char *open_driver(tf_ctx *ctx, struct cuda_driver *driver)
{
    static const char *const names[] = {"libcuda.so.1", NULL};
    void *library = open_first(names);
    if (!library)
        return "no NVIDIA driver is installed (libcuda.so.1 is not found)" STILL;
    const char *missing = resolve(library, driver_symbols, sizeof(driver_symbols) / sizeof(*driver_symbols), driver);
    return missing ? tf_host->format(ctx, "the NVIDIA driver is too old: it has no %s" STILL, missing) : NULL;
}

static const char *capability_obstacle(tf_ctx *ctx, const struct cuda_driver *driver, cu_device device)
{
    int major = 0, minor = 0;
    char name[128] = "the device";
    driver->device_name(name, sizeof(name), device);
    driver->device_attribute(&major, CU_CAPABILITY_MAJOR, device);
    driver->device_attribute(&minor, CU_CAPABILITY_MINOR, device);
    if (major == 9 && minor == 0)
        return NULL;
    return tf_host->format(
        ctx, "%s has compute capability %d.%d, and the code is for 9.0 (sm_90a)" STILL, name, major, minor);
}

static const char *find_device(tf_ctx *ctx, const struct cuda_driver *driver, cu_device *device)
{
    int count = 0;
    cu_result error = driver->init(0);
    if (!error)
        error = driver->device_count(&count);
    if (error && error != CU_NO_DEVICE)
        return tf_host->format(ctx, "the NVIDIA driver does not start: %s" STILL, cuda_error(driver, error));
    if (!count || driver->device_get(device, 0))
        return "the NVIDIA driver finds no device" STILL;
    return capability_obstacle(ctx, driver, *device);
}

const char *cuda_error(const struct cuda_driver *driver, cu_result error)
{
    const char *text = NULL;
    driver->error_text(error, &text);
    return text ? text : "an error without a name";
}

static struct cuda the_one;

int cuda_is_open(void)
{
    return the_one.context != NULL;
}

const char *cuda_open(tf_ctx *ctx, const struct cuda **cuda)
{
    if (!the_one.context) {
        const char *why = open_driver(ctx, &the_one.driver);
        if (!why)
            why = find_device(ctx, &the_one.driver, &the_one.device);
        if (why)
            return why;
        cu_result error = the_one.driver.context_retain(&the_one.context, the_one.device);
        if (error) {
            the_one.context = NULL;
            return tf_host->format(ctx, "the device gives no context: %s" STILL, cuda_error(&the_one.driver, error));
        }
    }
    the_one.driver.context_set(the_one.context);
    *cuda = &the_one;
    return NULL;
}

/* ---- NVRTC --------------------------------------------------------------------------------------------------------*/

static const struct symbol nvrtc_symbols[] = {
#define X(member, symbol, parameters) {#symbol, offsetof(struct nvrtc, member)},
    NVRTC_FUNCTIONS(X)
#undef X
};

/* As the loader finds it, or where toolkits are put. */
static const char *const nvrtc_names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so",
    "/usr/local/cuda/lib64/libnvrtc.so.13", "/usr/local/cuda/lib64/libnvrtc.so.12", "/usr/local/cuda/lib64/libnvrtc.so",
    "/usr/local/cuda/lib/libnvrtc.so", NULL};

const char *nvrtc_open(tf_ctx *ctx, const struct nvrtc **nvrtc)
{
    static struct nvrtc opened;
    const char *wanted = getenv("TILEFOUNDRY_NVRTC");
    const char *const only[] = {wanted, NULL};
    if (!opened.compile) {
        void *library = open_first(wanted && *wanted ? only : nvrtc_names);
        if (!library)
            return "NVRTC, which compiles the kernels, is not found (libnvrtc.so; TILEFOUNDRY_NVRTC names it)" STILL;
        const char *missing = resolve(library, nvrtc_symbols, sizeof(nvrtc_symbols) / sizeof(*nvrtc_symbols), &opened);
        if (missing) {
            opened.compile = NULL;
            return tf_host->format(ctx, "NVRTC is too old: it has no %s" STILL, missing);
        }
    }
    *nvrtc = &opened;
    return NULL;
}

/* ---- NVML ---------------------------------------------------------------------------------------------------------*/

static const struct symbol nvml_symbols[] = {
#define X(member, symbol, parameters) {#symbol, offsetof(struct nvml, member)},
    NVML_FUNCTIONS(X)
#undef X
};

const struct nvml *nvml_open(void)
{
    static struct nvml opened;
    static int failed;
    static const char *const names[] = {"libnvidia-ml.so.1", NULL};
    if (!opened.init && !failed) {
        void *library = open_first(names);
        failed = !library || resolve(library, nvml_symbols, sizeof(nvml_symbols) / sizeof(*nvml_symbols), &opened) ||
                 opened.init();
    }
    return failed ? NULL : &opened;
}

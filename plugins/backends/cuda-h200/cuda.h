/* SPDX-License-Identifier: MIT
 *
 * cuda-h200: its parts, from source text to code that has run.
 */
#ifndef TF_CUDA_H200_H
#define TF_CUDA_H200_H

#include "cuda_api.h"

#include <stdlib.h>
#include <tilefoundry/plugin.h>

#define CUDA_VERSION_TEXT "0.2"

#define NO_DEVICE "cuda-device"
#define NO_NVRTC "cuda-nvrtc"
#define NOT_COMPILED "cuda-compile"
#define BAD_PLAN "cuda-plan"
#define NOT_LAUNCHED "cuda-launch"
#define KERNEL_FAULT "cuda-fault"
#define KERNEL_STRAYS "cuda-canary"
#define NO_ROOM "cuda-memory"

/* ---- libraries ----------------------------------------------------------------------------------------------------*/

struct cuda {
    struct cuda_driver driver;
    cu_device device;
    cu_context context;
};

/* NULL with *cuda set and its context current, or the reason why there is none. */
const char *cuda_open(tf_ctx *ctx, const struct cuda **cuda);
int cuda_is_open(void); /* in this process */
const char *nvrtc_open(tf_ctx *ctx, const struct nvrtc **nvrtc);
const struct nvml *nvml_open(void); /* NULL: there is none */
const char *cuda_error(const struct cuda_driver *driver, cu_result error);

/* ---- the plan of a source: what is launched, and with what ---------------------------------------------------------*/

#define PLAN_MARK "//@ "
#define MAX_LAUNCHES 4096
#define MAX_PARAMETERS 128

struct scratch {
    const char *name;
    size_t bytes;
};

/* A parameter: the address of an argument, a result or scratch memory, or a tensor map over one of them. */
enum parameter_kind { PARAMETER_ARGUMENT, PARAMETER_RESULT, PARAMETER_SCRATCH, PARAMETER_MAP };

struct map {
    const char *name;
    enum parameter_kind of;
    uint32_t index, rank;
    int dtype, swizzle, promotion;
    uint64_t offset, extents[5], strides[4]; /* strides in bytes, of axes 1 and on */
    uint32_t box[5];
};

struct parameter {
    enum parameter_kind kind;
    uint32_t index;
};

struct launch {
    const char *kernel;
    unsigned grid[3], block[3], shared, cluster;
    int overlaps; /* may begin before the one before it has ended */
    uint32_t n_parameters;
    const struct parameter *parameters;
};

struct plan {
    uint32_t n_scratch, n_maps, n_launches;
    struct scratch *scratch;
    struct map *maps;
    struct launch *launches;
};

/* Reads the lines of a source that begin with PLAN_MARK (see plan.c); TF_OK, or TF_E_REFUSED after a diagnostic. */
int plan_read(tf_ctx *ctx, const char *text, struct plan *plan);

/* ---- code ---------------------------------------------------------------------------------------------------------*/

struct compiled {
    const char *cubin;
    size_t length;
    const char *log; /* of the compiler */
};

/* TF_OK, or TF_E_REFUSED after a diagnostic that quotes the compiler. */
int compile_source(tf_ctx *ctx, const char *text, struct compiled *compiled);

struct kernel_module {
    struct plan plan;
    struct compiled compiled;
    cu_module loaded; /* once it was launched */
    cu_function *functions;
};

/* Loads it into the current context; NULL, or what is wrong. */
const char *module_load(tf_ctx *ctx, const struct cuda *cuda, struct kernel_module *module);

/* ---- memory of the device -----------------------------------------------------------------------------------------*/

/* A buffer that ends where mapped memory ends, so that an access past its end faults; what lies before it and between
 * its last byte and the end holds a pattern. */
struct guarded {
    cu_address base, address;
    cu_allocation pages;
    size_t reserved, mapped, bytes;
};

const char *guarded_make(tf_ctx *ctx, const struct cuda *cuda, size_t bytes, struct guarded *buffer);
int guarded_intact(tf_ctx *ctx, const struct cuda *cuda, const struct guarded *buffer);
void guarded_free(const struct cuda *cuda, struct guarded *buffer);

/* ---- running ------------------------------------------------------------------------------------------------------*/

/* Addresses that a plan's parameters stand for. */
struct addresses {
    const cu_address *args, *results, *scratch;
};

/* Puts every launch of the plan into the stream; NULL, or what is wrong. */
const char *plan_launch(tf_ctx *ctx, const struct cuda *cuda, const struct kernel_module *module,
    const struct addresses *at, cu_stream stream);

size_t tensor_bytes(const struct tf_tensor *tensor);
size_t tensor_count(const struct tf_tensor *const *list); /* up to NULL */
/* What the plan names and a program of so many arguments and results does not have, or NULL. */
const char *plan_obstacle(const struct plan *plan, size_t n_args, size_t n_results);

/* What a launch of nothing takes, and a kernel that reads `half` bytes and writes as many. */
const char *measure_machine(tf_ctx *ctx, const struct cuda *cuda, size_t half, double *launch_ns, double *copy_ns);
const char *clocks_text(tf_ctx *ctx); /* NULL: NVML does not answer */

int cuda_compile(tf_ctx *ctx, const struct tf_artifact *artifact, void **module);
int cuda_launch(tf_ctx *ctx, void *module, const struct tf_tensor *const *args, struct tf_tensor *const *results);
void cuda_release(tf_ctx *ctx, void *module);
int cuda_probe(tf_ctx *ctx, const char **text);
int cuda_measure(tf_ctx *ctx, void *module, const struct tf_tensor *const *args, struct tf_tensor *const *results,
    struct tf_timing *timing);

#endif

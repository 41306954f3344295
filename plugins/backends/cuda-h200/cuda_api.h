/* SPDX-License-Identifier: MIT
 *
 * What this plugin uses of the CUDA Driver API, NVRTC and NVML, declared here, so that it builds where no toolkit is.
 * tests/cuda/held.c holds the declarations to the toolkit's headers where there are some.
 */
#ifndef TF_CUDA_API_H
#define TF_CUDA_API_H

#include <stddef.h>
#include <stdint.h>

/* ---- the driver: types --------------------------------------------------------------------------------------------*/

typedef int cu_result; /* 0: success */
typedef int cu_enum;   /* an enumeration of the headers */
typedef int cu_device;
typedef unsigned long long cu_address;
typedef unsigned long long cu_allocation;
typedef struct cu_context_ *cu_context;
typedef struct cu_module_ *cu_module;
typedef struct cu_function_ *cu_function;
typedef struct cu_stream_ *cu_stream;
typedef struct cu_event_ *cu_event;
typedef struct cu_graph_ *cu_graph;
typedef struct cu_graph_exec_ *cu_graph_exec;
typedef struct cu_graph_node_ *cu_graph_node;

#define CU_OUT_OF_MEMORY 2
#define CU_NO_DEVICE 100
#define CU_ILLEGAL_ADDRESS 700
#define CU_MISALIGNED_ADDRESS 716
#define CU_LAUNCH_FAILED 719

enum cu_attribute {
    CU_MAX_GRID_X = 5,
    CU_MAX_GRID_Y = 6,
    CU_SM_COUNT = 16,
    CU_L2_BYTES = 38,
    CU_CAPABILITY_MAJOR = 75,
    CU_CAPABILITY_MINOR = 76,
    CU_SHARED_OPTIN = 97,
    CU_VIRTUAL_MEMORY = 102,
};

enum cu_function_attribute {
    CU_FUNCTION_THREADS = 0,
    CU_FUNCTION_SHARED = 1,
    CU_FUNCTION_LOCAL = 3,
    CU_FUNCTION_REGISTERS = 4,
    CU_FUNCTION_DYNAMIC_SHARED = 8,
    CU_FUNCTION_WIDE_CLUSTER = 14,
};

#define CU_LAUNCH_CLUSTER 4
#define CU_LAUNCH_OVERLAP 6

struct cu_launch_attribute {
    int id;
    char pad[4];
    union {
        char room[64];
        struct {
            unsigned x, y, z;
        } cluster;
        int overlap;
    } value;
};

struct cu_launch {
    unsigned grid[3], block[3], shared_bytes;
    cu_stream stream;
    struct cu_launch_attribute *attributes;
    unsigned n_attributes;
};

struct cu_location {
    int type, id; /* type 1: a device */
};

struct cu_memory {
    int type, handles; /* type 1: pinned on the device */
    struct cu_location location;
    void *security;
    struct {
        unsigned char compression, direct;
        unsigned short usage;
        unsigned char reserved[4];
    } flags;
};

struct cu_access {
    struct cu_location location;
    int flags; /* 3: read and write */
};

struct cu_tensor_map {
    _Alignas(64) uint64_t opaque[16];
};

/* ---- the driver: functions, by the symbols of the versions declared here ------------------------------------------*/

#define CUDA_DRIVER_FUNCTIONS(X)                                                                                       \
    X(init, cuInit, (unsigned flags))                                                                                  \
    X(driver_version, cuDriverGetVersion, (int *version))                                                              \
    X(error_name, cuGetErrorName, (cu_result error, const char **name))                                                \
    X(error_text, cuGetErrorString, (cu_result error, const char **text))                                              \
    X(device_count, cuDeviceGetCount, (int *count))                                                                    \
    X(device_get, cuDeviceGet, (cu_device * device, int ordinal))                                                      \
    X(device_name, cuDeviceGetName, (char *name, int length, cu_device device))                                        \
    X(device_attribute, cuDeviceGetAttribute, (int *value, cu_enum attribute, cu_device device))                       \
    X(context_retain, cuDevicePrimaryCtxRetain, (cu_context * context, cu_device device))                              \
    X(context_release, cuDevicePrimaryCtxRelease_v2, (cu_device device))                                               \
    X(context_set, cuCtxSetCurrent, (cu_context context))                                                              \
    X(context_synchronize, cuCtxSynchronize, (void))                                                                   \
    X(module_load, cuModuleLoadData, (cu_module * module, const void *image))                                          \
    X(module_unload, cuModuleUnload, (cu_module module))                                                               \
    X(module_function, cuModuleGetFunction, (cu_function * function, cu_module module, const char *name))              \
    X(function_attribute, cuFuncGetAttribute, (int *value, cu_enum attribute, cu_function function))                   \
    X(function_set, cuFuncSetAttribute, (cu_function function, cu_enum attribute, int value))                          \
    X(launch, cuLaunchKernelEx,                                                                                        \
        (const struct cu_launch *launch, cu_function function, void **parameters, void **extra))                       \
    X(memory_info, cuMemGetInfo_v2, (size_t * available, size_t * total))                                              \
    X(memory_alloc, cuMemAlloc_v2, (cu_address * address, size_t bytes))                                               \
    X(memory_free, cuMemFree_v2, (cu_address address))                                                                 \
    X(memory_set, cuMemsetD8_v2, (cu_address address, unsigned char value, size_t bytes))                              \
    X(copy_in, cuMemcpyHtoD_v2, (cu_address to, const void *from, size_t bytes))                                       \
    X(copy_out, cuMemcpyDtoH_v2, (void *to, cu_address from, size_t bytes))                                            \
    X(copy_across, cuMemcpyDtoD_v2, (cu_address to, cu_address from, size_t bytes))                                    \
    X(granularity, cuMemGetAllocationGranularity, (size_t * bytes, const struct cu_memory *memory, cu_enum option))    \
    X(range_reserve, cuMemAddressReserve,                                                                              \
        (cu_address * address, size_t bytes, size_t alignment, cu_address wanted, unsigned long long flags))           \
    X(range_free, cuMemAddressFree, (cu_address address, size_t bytes))                                                \
    X(pages_create, cuMemCreate,                                                                                       \
        (cu_allocation * pages, size_t bytes, const struct cu_memory *memory, unsigned long long flags))               \
    X(pages_release, cuMemRelease, (cu_allocation pages))                                                              \
    X(range_map, cuMemMap,                                                                                             \
        (cu_address address, size_t bytes, size_t offset, cu_allocation pages, unsigned long long flags))              \
    X(range_unmap, cuMemUnmap, (cu_address address, size_t bytes))                                                     \
    X(range_access, cuMemSetAccess, (cu_address address, size_t bytes, const struct cu_access *access, size_t count))  \
    X(stream_create, cuStreamCreate, (cu_stream * stream, unsigned flags))                                             \
    X(stream_destroy, cuStreamDestroy_v2, (cu_stream stream))                                                          \
    X(stream_synchronize, cuStreamSynchronize, (cu_stream stream))                                                     \
    X(capture_begin, cuStreamBeginCapture_v2, (cu_stream stream, cu_enum mode))                                        \
    X(capture_end, cuStreamEndCapture, (cu_stream stream, cu_graph * graph))                                           \
    X(graph_instantiate, cuGraphInstantiateWithFlags,                                                                  \
        (cu_graph_exec * exec, cu_graph graph, unsigned long long flags))                                              \
    X(graph_launch, cuGraphLaunch, (cu_graph_exec exec, cu_stream stream))                                             \
    X(graph_exec_destroy, cuGraphExecDestroy, (cu_graph_exec exec))                                                    \
    X(graph_destroy, cuGraphDestroy, (cu_graph graph))                                                                 \
    X(event_create, cuEventCreate, (cu_event * event, unsigned flags))                                                 \
    X(event_record, cuEventRecord, (cu_event event, cu_stream stream))                                                 \
    X(event_synchronize, cuEventSynchronize, (cu_event event))                                                         \
    X(event_elapsed, cuEventElapsedTime, (float *milliseconds, cu_event from, cu_event until))                         \
    X(event_destroy, cuEventDestroy_v2, (cu_event event))                                                              \
    X(tensor_map, cuTensorMapEncodeTiled,                                                                              \
        (struct cu_tensor_map * map, cu_enum dtype, uint32_t rank, void *address, const uint64_t *extents,             \
            const uint64_t *strides, const uint32_t *box, const uint32_t *steps, cu_enum interleave, cu_enum swizzle,  \
            cu_enum promotion, cu_enum fill))

struct cuda_driver {
#define X(member, symbol, parameters) cu_result(*member) parameters;
    CUDA_DRIVER_FUNCTIONS(X)
#undef X
};

/* ---- NVRTC --------------------------------------------------------------------------------------------------------*/

typedef struct nvrtc_program_ *nvrtc_program;

#define NVRTC_FUNCTIONS(X)                                                                                             \
    X(version, nvrtcVersion, (int *major, int *minor))                                                                 \
    X(create, nvrtcCreateProgram,                                                                                      \
        (nvrtc_program * program, const char *source, const char *name, int n_headers, const char *const *headers,     \
            const char *const *header_names))                                                                          \
    X(destroy, nvrtcDestroyProgram, (nvrtc_program * program))                                                         \
    X(compile, nvrtcCompileProgram, (nvrtc_program program, int n_options, const char *const *options))                \
    X(log_size, nvrtcGetProgramLogSize, (nvrtc_program program, size_t * bytes))                                       \
    X(log, nvrtcGetProgramLog, (nvrtc_program program, char *log))                                                     \
    X(cubin_size, nvrtcGetCUBINSize, (nvrtc_program program, size_t * bytes))                                          \
    X(cubin, nvrtcGetCUBIN, (nvrtc_program program, char *cubin))

struct nvrtc {
#define X(member, symbol, parameters) int(*member) parameters;
    NVRTC_FUNCTIONS(X)
#undef X
};

/* ---- NVML ---------------------------------------------------------------------------------------------------------*/

typedef struct nvml_device_ *nvml_device;

#define NVML_CLOCK_SM 1
#define NVML_CLOCK_MEMORY 2

#define NVML_FUNCTIONS(X)                                                                                              \
    X(init, nvmlInit_v2, (void))                                                                                       \
    X(shutdown, nvmlShutdown, (void))                                                                                  \
    X(driver, nvmlSystemGetDriverVersion, (char *version, unsigned length))                                            \
    X(device, nvmlDeviceGetHandleByIndex_v2, (unsigned index, nvml_device *device))                                    \
    X(clock, nvmlDeviceGetClockInfo, (nvml_device device, cu_enum clock, unsigned *megahertz))                         \
    X(power, nvmlDeviceGetPowerUsage, (nvml_device device, unsigned *milliwatts))                                      \
    X(power_limit, nvmlDeviceGetEnforcedPowerLimit, (nvml_device device, unsigned *milliwatts))                        \
    X(temperature, nvmlDeviceGetTemperature, (nvml_device device, cu_enum sensor, unsigned *celsius))

struct nvml {
#define X(member, symbol, parameters) int(*member) parameters;
    NVML_FUNCTIONS(X)
#undef X
};

#endif

/* SPDX-License-Identifier: MIT
 *
 * Holds what plugins/backends/cuda-h200/cuda_api.h declares to the headers of a toolkit.  That this file compiles is the
 * test; there is nothing to run.
 */
#ifdef WITH_CUDA_HEADERS
/* Before ours, which has a macro of the same name as one of its constants. */
#if __has_include(<nvml.h>)
#define HAS_NVML 1
#include <nvml.h>
enum { THEIR_CLOCK_SM = NVML_CLOCK_SM, THEIR_CLOCK_MEMORY = NVML_CLOCK_MEM };
#endif

#include "../../plugins/backends/cuda-h200/cuda_api.h"

#include <cuda.h>
#include <nvrtc.h>

#define SAME_SIZE(ours, theirs) _Static_assert(sizeof(ours) == sizeof(theirs), #ours " has the size of " #theirs)
#define SAME_NUMBER(ours, theirs) _Static_assert((int)(ours) == (int)(theirs), #ours " is " #theirs)
#define SAME_PLACE(ours, member, theirs, their_member)                                                                 \
    _Static_assert(offsetof(ours, member) == offsetof(theirs, their_member) &&                                         \
                       sizeof(((ours *)0)->member) == sizeof(((theirs *)0)->their_member),                             \
        #ours "." #member " is " #theirs "." #their_member)

/* ---- types --------------------------------------------------------------------------------------------------------*/

SAME_SIZE(cu_result, CUresult);
SAME_SIZE(cu_enum, CUdevice_attribute);
SAME_SIZE(cu_device, CUdevice);
SAME_SIZE(cu_address, CUdeviceptr);
SAME_SIZE(cu_allocation, CUmemGenericAllocationHandle);
SAME_SIZE(cu_context, CUcontext);
SAME_SIZE(cu_module, CUmodule);
SAME_SIZE(cu_function, CUfunction);
SAME_SIZE(cu_stream, CUstream);
SAME_SIZE(cu_event, CUevent);
SAME_SIZE(cu_graph, CUgraph);
SAME_SIZE(cu_graph_exec, CUgraphExec);
SAME_SIZE(cu_graph_node, CUgraphNode);
SAME_SIZE(nvrtc_program, nvrtcProgram);

SAME_SIZE(struct cu_launch_attribute, CUlaunchAttribute);
SAME_PLACE(struct cu_launch_attribute, id, CUlaunchAttribute, id);
SAME_PLACE(struct cu_launch_attribute, value, CUlaunchAttribute, value);
SAME_PLACE(struct cu_launch_attribute, value.cluster.x, CUlaunchAttribute, value.clusterDim.x);
SAME_PLACE(struct cu_launch_attribute, value.cluster.y, CUlaunchAttribute, value.clusterDim.y);
SAME_PLACE(struct cu_launch_attribute, value.cluster.z, CUlaunchAttribute, value.clusterDim.z);
SAME_PLACE(struct cu_launch_attribute, value.overlap, CUlaunchAttribute, value.programmaticStreamSerializationAllowed);

SAME_SIZE(struct cu_launch, CUlaunchConfig);
SAME_PLACE(struct cu_launch, grid[0], CUlaunchConfig, gridDimX);
SAME_PLACE(struct cu_launch, grid[1], CUlaunchConfig, gridDimY);
SAME_PLACE(struct cu_launch, grid[2], CUlaunchConfig, gridDimZ);
SAME_PLACE(struct cu_launch, block[0], CUlaunchConfig, blockDimX);
SAME_PLACE(struct cu_launch, block[1], CUlaunchConfig, blockDimY);
SAME_PLACE(struct cu_launch, block[2], CUlaunchConfig, blockDimZ);
SAME_PLACE(struct cu_launch, shared_bytes, CUlaunchConfig, sharedMemBytes);
SAME_PLACE(struct cu_launch, stream, CUlaunchConfig, hStream);
SAME_PLACE(struct cu_launch, attributes, CUlaunchConfig, attrs);
SAME_PLACE(struct cu_launch, n_attributes, CUlaunchConfig, numAttrs);

SAME_SIZE(struct cu_location, CUmemLocation);
SAME_PLACE(struct cu_location, type, CUmemLocation, type);
SAME_PLACE(struct cu_location, id, CUmemLocation, id);

SAME_SIZE(struct cu_memory, CUmemAllocationProp);
SAME_PLACE(struct cu_memory, type, CUmemAllocationProp, type);
SAME_PLACE(struct cu_memory, handles, CUmemAllocationProp, requestedHandleTypes);
SAME_PLACE(struct cu_memory, location, CUmemAllocationProp, location);
SAME_PLACE(struct cu_memory, security, CUmemAllocationProp, win32HandleMetaData);
SAME_PLACE(struct cu_memory, flags, CUmemAllocationProp, allocFlags);
SAME_PLACE(struct cu_memory, flags.compression, CUmemAllocationProp, allocFlags.compressionType);
SAME_PLACE(struct cu_memory, flags.direct, CUmemAllocationProp, allocFlags.gpuDirectRDMACapable);
SAME_PLACE(struct cu_memory, flags.usage, CUmemAllocationProp, allocFlags.usage);
SAME_PLACE(struct cu_memory, flags.reserved, CUmemAllocationProp, allocFlags.reserved);

SAME_SIZE(struct cu_access, CUmemAccessDesc);
SAME_PLACE(struct cu_access, location, CUmemAccessDesc, location);
SAME_PLACE(struct cu_access, flags, CUmemAccessDesc, flags);

SAME_SIZE(struct cu_tensor_map, CUtensorMap);
/* What cuTensorMapEncodeTiled asks for; the headers of version 13 give the type more. */
_Static_assert(
    _Alignof(struct cu_tensor_map) == 64 && _Alignof(CUtensorMap) % 64 == 0, "a tensor map begins at 64 bytes");

/* ---- numbers, those that are written as such too (memory.c, measure.c, plan.c, run.c) -----------------------------*/

SAME_NUMBER(0, CUDA_SUCCESS);
SAME_NUMBER(CU_OUT_OF_MEMORY, CUDA_ERROR_OUT_OF_MEMORY);
SAME_NUMBER(CU_NO_DEVICE, CUDA_ERROR_NO_DEVICE);
SAME_NUMBER(CU_ILLEGAL_ADDRESS, CUDA_ERROR_ILLEGAL_ADDRESS);
SAME_NUMBER(CU_MISALIGNED_ADDRESS, CUDA_ERROR_MISALIGNED_ADDRESS);
SAME_NUMBER(CU_LAUNCH_FAILED, CUDA_ERROR_LAUNCH_FAILED);
SAME_NUMBER(CU_MAX_GRID_X, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X);
SAME_NUMBER(CU_MAX_GRID_Y, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y);
SAME_NUMBER(CU_SM_COUNT, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
SAME_NUMBER(CU_L2_BYTES, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
SAME_NUMBER(CU_CAPABILITY_MAJOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
SAME_NUMBER(CU_CAPABILITY_MINOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
SAME_NUMBER(CU_SHARED_OPTIN, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
SAME_NUMBER(CU_VIRTUAL_MEMORY, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED);
SAME_NUMBER(CU_FUNCTION_THREADS, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
SAME_NUMBER(CU_FUNCTION_SHARED, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
SAME_NUMBER(CU_FUNCTION_LOCAL, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
SAME_NUMBER(CU_FUNCTION_REGISTERS, CU_FUNC_ATTRIBUTE_NUM_REGS);
SAME_NUMBER(CU_FUNCTION_DYNAMIC_SHARED, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
SAME_NUMBER(CU_FUNCTION_WIDE_CLUSTER, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED);
SAME_NUMBER(CU_LAUNCH_CLUSTER, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
SAME_NUMBER(CU_LAUNCH_OVERLAP, CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION);
SAME_NUMBER(1, CU_MEM_ALLOCATION_TYPE_PINNED);
SAME_NUMBER(1, CU_MEM_LOCATION_TYPE_DEVICE);
SAME_NUMBER(3, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
SAME_NUMBER(0, CU_MEM_ALLOC_GRANULARITY_MINIMUM);
SAME_NUMBER(0, CU_TENSOR_MAP_DATA_TYPE_UINT8);
SAME_NUMBER(6, CU_TENSOR_MAP_DATA_TYPE_FLOAT16);
SAME_NUMBER(7, CU_TENSOR_MAP_DATA_TYPE_FLOAT32);
SAME_NUMBER(9, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16);
SAME_NUMBER(0, CU_TENSOR_MAP_INTERLEAVE_NONE);
SAME_NUMBER(0, CU_TENSOR_MAP_SWIZZLE_NONE);
SAME_NUMBER(1, CU_TENSOR_MAP_SWIZZLE_32B);
SAME_NUMBER(2, CU_TENSOR_MAP_SWIZZLE_64B);
SAME_NUMBER(3, CU_TENSOR_MAP_SWIZZLE_128B);
SAME_NUMBER(1, CU_TENSOR_MAP_L2_PROMOTION_L2_64B);
SAME_NUMBER(2, CU_TENSOR_MAP_L2_PROMOTION_L2_128B);
SAME_NUMBER(3, CU_TENSOR_MAP_L2_PROMOTION_L2_256B);
SAME_NUMBER(0, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
SAME_NUMBER(1, CU_STREAM_NON_BLOCKING);
SAME_NUMBER(2, CU_STREAM_CAPTURE_MODE_RELAXED);
SAME_NUMBER(0, CU_EVENT_DEFAULT);
SAME_NUMBER(0, NVRTC_SUCCESS);

/* ---- functions: the parameters as declared, with the headers' names of their types; an enumeration without negative
 * values is compatible with unsigned -------------------------------------------------------------------------------*/

#define cu_result CUresult
#define cu_enum unsigned
#define cu_context CUcontext
#define cu_module CUmodule
#define cu_function CUfunction
#define cu_stream CUstream
#define cu_event CUevent
#define cu_graph CUgraph
#define cu_graph_exec CUgraphExec
#define cu_launch CUlaunchConfig_st
#define cu_memory CUmemAllocationProp_st
#define cu_access CUmemAccessDesc_st
#define cu_tensor_map CUtensorMap_st
#define nvrtc_program nvrtcProgram

#define DRIVER(member, symbol, parameters)                                                                             \
    _Static_assert(                                                                                                    \
        __builtin_types_compatible_p(CUresult parameters, __typeof__(symbol)), "cuda.h has another " #symbol);
CUDA_DRIVER_FUNCTIONS(DRIVER)

#define COMPILER(member, symbol, parameters)                                                                           \
    _Static_assert(                                                                                                    \
        __builtin_types_compatible_p(nvrtcResult parameters, __typeof__(symbol)), "nvrtc.h has another " #symbol);
NVRTC_FUNCTIONS(COMPILER)

#ifdef HAS_NVML
SAME_SIZE(nvml_device, nvmlDevice_t);
SAME_NUMBER(NVML_CLOCK_SM, THEIR_CLOCK_SM);
SAME_NUMBER(NVML_CLOCK_MEMORY, THEIR_CLOCK_MEMORY);
SAME_NUMBER(0, NVML_TEMPERATURE_GPU);
#define nvml_device nvmlDevice_t
#define MANAGEMENT(member, symbol, parameters)                                                                         \
    _Static_assert(                                                                                                    \
        __builtin_types_compatible_p(nvmlReturn_t parameters, __typeof__(symbol)), "nvml.h has another " #symbol);
NVML_FUNCTIONS(MANAGEMENT)
#endif

int main(void)
{
    return 0;
}

#else
#include <stdio.h>

int main(void)
{
    puts("SKIP: no CUDA toolkit's headers (configure --with-cuda=DIR)");
    return 77;
}
#endif

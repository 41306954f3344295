/* SPDX-License-Identifier: MIT
 * cuda-h200: what kernels for the NVIDIA H200 can be made of.  It says for each call whether it can be lowered, makes
 * their source, compiles, runs and measures it; CUDA is opened when that is asked for, and not needed to build.
 */
#include "cuda.h"
#include "dialect.h"

#include <string.h>

#define TARGET "nvidia.h200_sxm"

/* ---- values -------------------------------------------------------------------------------------------------------*/

/* Storages that a kernel of this machine cannot use, with the reason. */
static const char *storage_obstacle(uint32_t storage)
{
    switch (storage) {
    case TF_STORAGE_HOST: return "it uses host memory, which a kernel does not reach: reshard to gmem first";
    case TF_STORAGE_TMEM: return "it uses tmem, and sm_90 has no tensor memory: keep the value in rmem or smem";
    default: return NULL;
    }
}

static const char *type_obstacle(const struct tf_type *type, uint32_t depth)
{
    if (type->kind == TF_TYPE_TENSOR)
        return storage_obstacle(type->storage);
    for (uint32_t i = 0; i < type->rank && depth < TF_MAX_RANK; i++) {
        const char *why = type_obstacle(type->fields[i], depth + 1);
        if (why)
            return why;
    }
    return NULL;
}

static const char *values_obstacle(const struct tf_call *call)
{
    for (uint32_t i = 0; i < call->n_args; i++) {
        const char *why = type_obstacle(call->arg_types[i], 0);
        if (why)
            return why;
    }
    return type_obstacle(call->type, 0);
}

/* ---- work ---------------------------------------------------------------------------------------------------------*/

/* sm_90 keeps these as data and scale factors; no instruction of it computes in them. */
static const char *dtype_obstacle(uint32_t dtype)
{
    switch (dtype) {
    case TF_DTYPE_F4E2M1: return "it computes in f4e2m1, which sm_90 only stores: cast to fp8e4m3 or bf16 first";
    case TF_DTYPE_F8E8M0: return "it computes in f8e8m0, which sm_90 only stores: cast to bf16 or f32 first";
    default: return NULL;
    }
}

static const char *work_obstacle(tf_ctx *ctx, const struct tf_call *call)
{
    struct tf_work work;
    memset(&work, 0, sizeof(work));
    if (!call->op->cost ||
        strcmp(call->op->name, "cast") == 0) /* a conversion is not done by an instruction of the dtype */
        return NULL;
    if (call->op->cost(ctx, call, &work) != TF_OK)
        return "its work cannot be counted";
    for (uint32_t i = 0; i < work.n; i++) {
        const char *why = work.item[i].pipe == TF_WORK_SERVICE ? NULL : dtype_obstacle(work.item[i].key);
        if (why && work.item[i].amount)
            return why;
    }
    return NULL;
}

/* ---- units --------------------------------------------------------------------------------------------------------*/

#define MOST_THREADS 1024 /* of one CTA */

static const char *mesh_obstacle(const struct tf_mesh *mesh)
{
    for (uint32_t i = 0; mesh && i < mesh->n_levels; i++) {
        const struct tf_topology *level = &mesh->levels[i];
        if (strcmp(level->name, "cta") != 0 && strcmp(level->name, "thread") != 0)
            return "it runs on a level that is neither cta nor thread";
        if (strcmp(level->name, "thread") == 0 && level->extent->kind == TF_DIM_CONST &&
            level->extent->value > MOST_THREADS)
            return "it runs on more than 1024 threads, and a CTA of sm_90 has no more";
    }
    return NULL;
}

static int supports(tf_ctx *ctx, const struct tf_program *program, const struct tf_step *step, const char **why)
{
    (void)program;
    *why = lower_obstacle(step->node);
    if (*why || step->node->kind != TF_NODE_CALL)
        return *why ? TF_E_UNSUPPORTED : TF_OK;
    if (!step->node->op->relate)
        *why = "its access is not described, so no kernel can be made of it";
    if (!*why)
        *why = values_obstacle(step->whole);
    if (!*why)
        *why = mesh_obstacle(step->whole->scope);
    if (!*why)
        *why = work_obstacle(ctx, step->unit);
    return *why ? TF_E_UNSUPPORTED : TF_OK;
}

/* ---- the plugin ---------------------------------------------------------------------------------------------------*/

static const char *const targets[] = {TARGET, NULL};
static const char *const needs[] = {
    "compute.sm_count", "instruction.capabilities", "instruction.compute_dtypes", "memory.shared.per_cta", NULL};

static const struct tf_backend backend = {
    .struct_size = sizeof(backend),
    .name = "cuda-h200",
    .summary = "CUDA C++ for the NVIDIA H200",
    .targets = targets,
    .needs = needs,
    .supports = supports,
    .lower = cuda_lower,
    .compile = cuda_compile,
    .launch = cuda_launch,
    .release = cuda_release,
    .probe = cuda_probe,
    .measure = cuda_measure,
};
static const struct tf_backend *const backends[] = {&backend};

static const struct tf_code codes[] = {
    {KERNEL_STRAYS, "a kernel writes beside its buffers"},
    {NOT_COMPILED, "NVRTC refuses a generated source, or says that it is not compiled as it is written"},
    {NO_DEVICE, "there is no device that runs the kernels; what works without one is said"},
    {KERNEL_FAULT, "a kernel fails, or reads or writes outside of its buffers"},
    {NOT_LAUNCHED, "the device does not take a kernel, or it needs more than a CTA has"},
    {NO_ROOM, "the device has too little memory"},
    {NO_NVRTC, "NVRTC, which compiles the kernels, is not found"},
    {"cuda-operator", "the backend cuda-h200 has no code for this operator, or not for these operands"},
    {BAD_PLAN, "a generated source does not say what to launch, or says it wrongly"},
};

static const struct tf_plugin plugin = {
    TF_PLUGIN_HEAD,
    .name = "cuda-h200",
    .version = CUDA_VERSION_TEXT,
    .summary = "kernels in CUDA C++ for the NVIDIA H200",
    .n_backends = 1,
    .backends = backends,
    .n_codes = sizeof(codes) / sizeof(*codes),
    .codes = codes,
};

TF_PLUGIN(plugin);

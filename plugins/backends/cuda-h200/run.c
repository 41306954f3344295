/* SPDX-License-Identifier: MIT
 *
 * A compiled source, run once on the device, in guarded buffers.  The device is opened by the process that launches, so
 * that a kernel which faults spoils that process's context only; `check` launches in a process of its own.
 */
#include "cuda.h"

#include <string.h>

/* ---- loading ------------------------------------------------------------------------------------------------------*/

/* Asks for the shared memory and the cluster that the launch wants; NULL, or why that is refused. */
static const char *prepare(tf_ctx *ctx, const struct cuda *cuda, const struct launch *l, cu_function function)
{
    int shared = 0, fixed = 0;
    cuda->driver.device_attribute(&shared, CU_SHARED_OPTIN, cuda->device);
    cuda->driver.function_attribute(&fixed, CU_FUNCTION_SHARED, function);
    if ((int)l->shared + fixed > shared)
        return tf_host->format(ctx, "kernel %s needs %d bytes of shared memory, and a CTA of this device has %d",
            l->kernel, (int)l->shared + fixed, shared);
    if (l->shared && cuda->driver.function_set(function, CU_FUNCTION_DYNAMIC_SHARED, (int)l->shared))
        return tf_host->format(ctx, "kernel %s is not given %u bytes of shared memory", l->kernel, l->shared);
    if (l->cluster > 8 && cuda->driver.function_set(function, CU_FUNCTION_WIDE_CLUSTER, 1))
        return tf_host->format(ctx, "kernel %s is not given a cluster of %u", l->kernel, l->cluster);
    return NULL;
}

static const char *find_function(tf_ctx *ctx, const struct cuda *cuda, struct kernel_module *m, uint32_t i)
{
    const struct launch *l = &m->plan.launches[i];
    for (uint32_t k = 0; k < i; k++)
        if (strcmp(m->plan.launches[k].kernel, l->kernel) == 0) {
            m->functions[i] = m->functions[k];
            return l->shared <= m->plan.launches[k].shared ? NULL : prepare(ctx, cuda, l, m->functions[i]);
        }
    if (cuda->driver.module_function(&m->functions[i], m->loaded, l->kernel))
        return tf_host->format(ctx, "the compiled source has no kernel %s", l->kernel);
    return prepare(ctx, cuda, l, m->functions[i]);
}

const char *module_load(tf_ctx *ctx, const struct cuda *cuda, struct kernel_module *m)
{
    const char *why = NULL;
    if (m->loaded)
        return NULL;
    cu_result error = cuda->driver.module_load(&m->loaded, m->compiled.cubin);
    if (error)
        return tf_host->format(ctx, "the device does not load the code: %s", cuda_error(&cuda->driver, error));
    m->functions = tf_host->alloc(ctx, m->plan.n_launches * sizeof(*m->functions));
    for (uint32_t i = 0; i < m->plan.n_launches && !why; i++)
        why = find_function(ctx, cuda, m, i);
    return why;
}

/* ---- launching ----------------------------------------------------------------------------------------------------*/

static cu_address address_of(const struct addresses *at, enum parameter_kind kind, uint32_t index)
{
    return kind == PARAMETER_ARGUMENT ? at->args[index]
           : kind == PARAMETER_RESULT ? at->results[index]
                                      : at->scratch[index];
}

static const char *make_map(
    tf_ctx *ctx, const struct cuda *cuda, const struct map *m, const struct addresses *at, struct cu_tensor_map *map)
{
    static const uint32_t steps[5] = {1, 1, 1, 1, 1};
    cu_address address = address_of(at, m->of, m->index) + m->offset;
    cu_result error = cuda->driver.tensor_map(map, m->dtype, m->rank, (void *)(uintptr_t)address, m->extents,
        m->strides, m->box, steps, 0, m->swizzle, m->promotion, 0);
    return error
               ? tf_host->format(ctx, "the driver refuses tensor map %s: %s", m->name, cuda_error(&cuda->driver, error))
               : NULL;
}

static const char *launch_one(tf_ctx *ctx, const struct cuda *cuda, const struct launch *l, cu_function function,
    const struct addresses *at, struct cu_tensor_map *maps, cu_stream stream)
{
    cu_address values[MAX_PARAMETERS];
    void *parameters[MAX_PARAMETERS];
    struct cu_launch_attribute attributes[2];
    struct cu_launch launch = {{l->grid[0], l->grid[1], l->grid[2]}, {l->block[0], l->block[1], l->block[2]}, l->shared,
        stream, attributes, 0};
    memset(attributes, 0, sizeof(attributes));
    for (uint32_t i = 0; i < l->n_parameters; i++) {
        const struct parameter *p = &l->parameters[i];
        parameters[i] = p->kind == PARAMETER_MAP ? (void *)&maps[p->index] : (void *)&values[i];
        if (p->kind != PARAMETER_MAP)
            values[i] = address_of(at, p->kind, p->index);
    }
    if (l->cluster > 1) {
        attributes[launch.n_attributes].id = CU_LAUNCH_CLUSTER;
        attributes[launch.n_attributes].value.cluster.x = l->cluster;
        attributes[launch.n_attributes].value.cluster.y = attributes[launch.n_attributes].value.cluster.z = 1;
        launch.n_attributes++;
    }
    if (l->overlaps) {
        attributes[launch.n_attributes].id = CU_LAUNCH_OVERLAP;
        attributes[launch.n_attributes++].value.overlap = 1;
    }
    if (!l->grid[0] || !l->grid[1] || !l->grid[2])
        return NULL; /* nothing to do, which the driver would take for a mistake */
    cu_result error = cuda->driver.launch(&launch, function, parameters, NULL);
    return error ? tf_host->format(ctx, "kernel %s is not launched: %s", l->kernel, cuda_error(&cuda->driver, error))
                 : NULL;
}

const char *plan_launch(
    tf_ctx *ctx, const struct cuda *cuda, const struct kernel_module *m, const struct addresses *at, cu_stream stream)
{
    struct cu_tensor_map *maps = NULL;
    const char *why = NULL;
    if (m->plan.n_maps) {
        char *room = tf_host->alloc(ctx, (m->plan.n_maps + 1) * sizeof(*maps));
        maps = (void *)(room + (64 - (uintptr_t)room % 64) % 64);
    }
    for (uint32_t i = 0; i < m->plan.n_maps && !why; i++)
        why = make_map(ctx, cuda, &m->plan.maps[i], at, &maps[i]);
    for (uint32_t i = 0; i < m->plan.n_launches && !why; i++)
        why = launch_one(ctx, cuda, &m->plan.launches[i], m->functions[i], at, maps, stream);
    return why;
}

/* ---- once, guarded ------------------------------------------------------------------------------------------------*/

size_t tensor_bytes(const struct tf_tensor *tensor)
{
    size_t n = tf_host->element_bytes(tensor->dtype);
    for (uint32_t i = 0; i < tensor->rank; i++)
        n *= (size_t)tensor->extents[i];
    return n;
}

size_t tensor_count(const struct tf_tensor *const *list)
{
    size_t n = 0;
    while (list[n])
        n++;
    return n;
}

struct run {
    tf_ctx *ctx;
    const struct cuda *cuda;
    struct kernel_module *module;
    const struct tf_tensor *const *args;
    struct tf_tensor *const *results;
    size_t n_args, n_results, n; /* n: buffers in all, in the order arguments, results, scratch */
    struct guarded *buffers;
    cu_address *addresses;
};

static struct tf_tensor const *tensor_at(const struct run *r, size_t i)
{
    return i < r->n_args ? r->args[i] : i < r->n_args + r->n_results ? r->results[i - r->n_args] : NULL;
}

static const char *fill(struct run *r, size_t i)
{
    const struct tf_tensor *tensor = tensor_at(r, i);
    size_t bytes = tensor ? tensor_bytes(tensor) : r->module->plan.scratch[i - r->n_args - r->n_results].bytes;
    const char *why = guarded_make(r->ctx, r->cuda, bytes, &r->buffers[i]);
    r->addresses[i] = r->buffers[i].address;
    /* results too: what the kernel leaves unwritten comes back as it was */
    if (!why && tensor && bytes && r->cuda->driver.copy_in(r->addresses[i], tensor->data, bytes))
        why = "a tensor cannot be copied to the device";
    return why;
}

const char *plan_obstacle(const struct plan *plan, size_t n_args, size_t n_results)
{
    for (uint32_t i = 0; i < plan->n_launches; i++)
        for (uint32_t k = 0; k < plan->launches[i].n_parameters; k++) {
            const struct parameter *p = &plan->launches[i].parameters[k];
            if ((p->kind == PARAMETER_ARGUMENT && p->index >= n_args) ||
                (p->kind == PARAMETER_RESULT && p->index >= n_results))
                return "the plan of the generated source names an argument or a result that the program does not have";
        }
    for (uint32_t i = 0; i < plan->n_maps; i++)
        if ((plan->maps[i].of == PARAMETER_ARGUMENT && plan->maps[i].index >= n_args) ||
            (plan->maps[i].of == PARAMETER_RESULT && plan->maps[i].index >= n_results))
            return "a tensor map of the generated source is over what the program does not have";
    return NULL;
}

static const char *fault_text(struct run *r, cu_result error)
{
    switch (error) {
    case CU_ILLEGAL_ADDRESS: return "the kernel reads or writes outside of its buffers";
    case CU_MISALIGNED_ADDRESS: return "the kernel reads or writes at an address that its access is not aligned to";
    case CU_LAUNCH_FAILED:
        return "the kernel ends itself, as it does where an index, a window or a divisor among the data is out of "
               "range";
    default: return tf_host->format(r->ctx, "the kernel fails: %s", cuda_error(&r->cuda->driver, error));
    }
}

static const char *buffer_name(struct run *r, size_t i)
{
    return i < r->n_args                  ? tf_host->format(r->ctx, "argument %zu", i)
           : i < r->n_args + r->n_results ? tf_host->format(r->ctx, "result %zu", i - r->n_args)
                                          : tf_host->format(r->ctx, "scratch %zu", i - r->n_args - r->n_results);
}

/* Arguments come back too: one that was changed shows. */
static int take_back(struct run *r)
{
    for (size_t i = 0; i < r->n; i++) {
        const struct tf_tensor *tensor = tensor_at(r, i);
        size_t bytes = tensor ? tensor_bytes(tensor) : 0;
        if (!guarded_intact(r->ctx, r->cuda, &r->buffers[i])) {
            tf_host->error(r->ctx, NULL, KERNEL_STRAYS, "the kernel writes beside %s", buffer_name(r, i));
            return TF_E_REFUSED;
        }
        if (bytes && r->cuda->driver.copy_out(tensor->data, r->addresses[i], bytes)) {
            tf_host->error(r->ctx, NULL, KERNEL_FAULT, "%s cannot be copied from the device", buffer_name(r, i));
            return TF_E_REFUSED;
        }
    }
    return TF_OK;
}

static int run_once(struct run *r)
{
    const struct addresses at = {r->addresses, r->addresses + r->n_args, r->addresses + r->n_args + r->n_results};
    const char *why = module_load(r->ctx, r->cuda, r->module), *code = NOT_LAUNCHED;
    if (!why)
        why = plan_obstacle(&r->module->plan, r->n_args, r->n_results);
    for (size_t i = 0; i < r->n && !why; i++) {
        why = fill(r, i);
        code = why ? NO_ROOM : code;
    }
    if (!why)
        why = plan_launch(r->ctx, r->cuda, r->module, &at, NULL);
    cu_result error = why ? 0 : r->cuda->driver.context_synchronize();
    if (error) {
        why = fault_text(r, error);
        code = KERNEL_FAULT;
    }
    if (why)
        tf_host->error(r->ctx, NULL, code, "%s", why);
    return why ? TF_E_REFUSED : take_back(r);
}

int cuda_launch(tf_ctx *ctx, void *module, const struct tf_tensor *const *args, struct tf_tensor *const *results)
{
    struct run r = {.ctx = ctx,
        .module = module,
        .args = args,
        .results = results,
        .n_args = tensor_count(args),
        .n_results = tensor_count((const struct tf_tensor *const *)results)};
    const char *why = cuda_open(ctx, &r.cuda);
    if (why) {
        tf_host->error(ctx, NULL, NO_DEVICE, "%s", why);
        return TF_E_REFUSED;
    }
    r.n = r.n_args + r.n_results + r.module->plan.n_scratch;
    r.buffers = tf_host->alloc(ctx, (r.n + 1) * sizeof(*r.buffers));
    r.addresses = tf_host->alloc(ctx, (r.n + 1) * sizeof(*r.addresses));
    int status = run_once(&r);
    for (size_t i = 0; i < r.n; i++)
        guarded_free(r.cuda, &r.buffers[i]);
    return status;
}

/* ---- the module ---------------------------------------------------------------------------------------------------*/

static const char *source_of(tf_ctx *ctx, const struct tf_artifact *artifact)
{
    int overflows = TF_HAS(struct tf_artifact, artifact, fp8_overflow) && artifact->fp8_overflow;
    return overflows ? tf_host->format(ctx, "#define FP8_OVERFLOW 1\n%s", artifact->text) : artifact->text;
}

int cuda_compile(tf_ctx *ctx, const struct tf_artifact *artifact, void **module)
{
    struct kernel_module *m = tf_host->alloc(ctx, sizeof(*m));
    int status = plan_read(ctx, artifact->text, &m->plan);
    if (!status)
        status = compile_source(ctx, source_of(ctx, artifact), &m->compiled);
    *module = m;
    return status;
}

int cuda_probe(tf_ctx *ctx, const char **text)
{
    const struct cuda *cuda;
    int units = 0, l2 = 0, version = 0;
    char name[128] = "";
    const char *clocks;
    *text = cuda_open(ctx, &cuda);
    if (*text)
        return TF_E_UNSUPPORTED;
    cuda->driver.device_name(name, sizeof(name), cuda->device);
    cuda->driver.device_attribute(&units, CU_SM_COUNT, cuda->device);
    cuda->driver.device_attribute(&l2, CU_L2_BYTES, cuda->device);
    cuda->driver.driver_version(&version);
    clocks = clocks_text(ctx);
    *text = tf_host->format(ctx, "%s, %d SMs, %d bytes of L2, CUDA %d.%d\n%s", name, units, l2, version / 1000,
        version % 1000 / 10, clocks ? clocks : "NVML does not answer");
    return TF_OK;
}

void cuda_release(tf_ctx *ctx, void *module)
{
    struct kernel_module *m = module;
    const struct cuda *cuda;
    if (m && m->loaded && !cuda_open(ctx, &cuda))
        cuda->driver.module_unload(m->loaded);
    if (m)
        m->loaded = NULL;
}

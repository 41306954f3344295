/* SPDX-License-Identifier: MIT
 *
 * The file of CUDA C++ that a program becomes: its head, the plan of its launches, what its text calls, and the kernels.
 *
 * The plan is in comments, so that the file says all that is needed to run it:
 *     //@ scratch NAME bytes N
 *     //@ launch KERNEL grid X Y Z block X Y Z shared N cluster N overlap 0|1 with PARAMETER..
 * A parameter is a0, a1, ... (an argument), r0, r1, ... (a result) or the name of scratch memory.
 */
#include "dialect.h"

#define H200_UNITS 132u

/* ---- what the text takes for granted -------------------------------------------------------------------------------*/

static const char *const prelude =
    "#ifdef __CUDACC_RTC__\n"
    "typedef signed char int8_t;\ntypedef unsigned char uint8_t;\ntypedef short int16_t;\ntypedef unsigned short "
    "uint16_t;\n"
    "typedef int int32_t;\ntypedef unsigned int uint32_t;\ntypedef long long int64_t;\n"
    "typedef unsigned long long uint64_t;\n"
    "#define INT64_C(x) x##LL\n#define UINT64_C(x) x##ULL\n#define UINT32_C(x) x##U\n"
    "#define INT8_MIN (-128)\n#define INT32_MIN (-2147483647 - 1)\n#define INT64_MAX 9223372036854775807LL\n"
    "#define INT64_MIN (-INT64_MAX - 1)\n#define SIZE_MAX 18446744073709551615ULL\n"
    "#else\n#include <math.h>\n#include <stdint.h>\n#include <string.h>\n#endif\n"
    "#undef NAN\n#undef INFINITY\n"
    "#define NAN __int_as_float(0x7fc00000)\n#define INFINITY __int_as_float(0x7f800000)\n"
    "#pragma nv_diag_suppress 39, 177, 186, 550\n\n"
    "/* 1: what passes the largest number of an eight-bit float becomes infinite, or NaN. */\n"
    "#ifndef FP8_OVERFLOW\n#define FP8_OVERFLOW 0\n#endif\n";

static const char *const folds =
    "\nstruct sum {\n"
    "    __device__ double operator()(double x, double y) const { return x + y; }\n"
    "    __device__ double none(double) const { return 0; }\n};\n"
    "\n/* NaN is the largest. */\nstruct larger {\n"
    "    template <class T> __device__ T operator()(T x, T y) const { return y > x || y != y ? y : x; }\n"
    "    template <class T> __device__ T none(T x) const { return x; }\n};\n"
    "\n/* Every lane has the first one's result: of +0 and -0 they may have chosen otherwise. */\n"
    "template <class T, class F> static __device__ __forceinline__ T fold_warp(T x, F f)\n{\n"
    "    for (int far = 16; far; far /= 2)\n        x = f(x, __shfl_xor_sync(0xffffffffu, x, far));\n"
    "    return __shfl_sync(0xffffffffu, x, 0);\n}\n"
    "\ntemplate <class T, class F> static __device__ __forceinline__ T fold_block(T x, F f)\n{\n"
    "    __shared__ T part[32];\n    const unsigned lane = threadIdx.x % 32;\n    x = fold_warp(x, f);\n"
    "    if (lane == 0)\n        part[threadIdx.x / 32] = x;\n    __syncthreads();\n"
    "    x = fold_warp(lane < blockDim.x / 32 ? part[lane] : f.none(part[0]), f);\n    __syncthreads();\n"
    "    return x;\n}\n";

static const char *const grid_barrier =
    "\n/* All blocks run at once.  The last one to come lets the others go. */\n"
    "__device__ unsigned barrier_came, barrier_turn;\n"
    "static __device__ void grid_barrier()\n{\n    __syncthreads();\n    if (threadIdx.x == 0) {\n"
    "        const unsigned turn = *(volatile unsigned *)&barrier_turn;\n        __threadfence();\n"
    "        if (atomicAdd(&barrier_came, 1u) == gridDim.x - 1) {\n            barrier_came = 0;\n"
    "            __threadfence();\n            atomicAdd(&barrier_turn, 1u);\n        }\n"
    "        while (*(volatile unsigned *)&barrier_turn == turn)\n            continue;\n        __threadfence();\n    "
    "}\n"
    "    __syncthreads();\n}\n";

/* ---- the plan ------------------------------------------------------------------------------------------------------*/

static const char *reference(struct lower *l, const struct buffer *b)
{
    return fmt(l, "%c%zu", b->place == PLACE_ARG ? 'a' : 'r', b->index);
}

static int uses_arena(const struct cuda_kernel *k)
{
    for (size_t i = 0; i < k->n_used; i++)
        if (k->used[i]->place == PLACE_ARENA)
            return 1;
    return 0;
}

/* Of another kernel's own: nothing else writes there while it runs.  Where all is one kernel, what it wrote is read again. */
static const char *parameter_name(struct lower *l, const struct buffer *b)
{
    int is_alone = own_text(l)->is_apart || b->place == PLACE_ARG;
    return fmt(l, "const %s%s_p", is_alone ? "__restrict__ " : "", b->name);
}

/* Arguments and results that the kernel uses, then its working memory: as parameters, or as the plan has them. */
static void add_parameters(struct lower *l, const struct cuda_kernel *k, int declared)
{
    struct text *out = &own_text(l)->out;
    const char *between = declared ? "" : " ";
    for (size_t i = 0; i < k->n_used; i++) {
        const struct buffer *b = k->used[i];
        if (b->place > PLACE_RESULT)
            continue;
        if (declared)
            text_add(l, out, "%s%s%s *%s", between, b->place == PLACE_ARG ? "const " : "", c_type(b->dtype),
                parameter_name(l, b));
        else
            text_add(l, out, "%s%s", between, reference(l, b));
        between = declared ? ", " : " ";
    }
    if (uses_arena(k)) {
        text_add(l, out, declared ? "%sunsigned char *const arena" : "%sarena", between);
        between = declared ? ", " : " ";
    }
    if (k->spilled)
        text_add(l, out, declared ? "%sunsigned char *const spill" : "%sspill", between);
}

static void add_plan(struct lower *l, const char *entry)
{
    struct cuda_text *t = own_text(l);
    size_t spilled = 0;
    for (size_t i = 0; i < t->n_kernels; i++)
        if (t->kernels[i].spilled * t->kernels[i].blocks > spilled)
            spilled = t->kernels[i].spilled * t->kernels[i].blocks;
    if (l->arena)
        text_add(l, &t->out, "//@ scratch arena bytes %zu\n", l->arena);
    if (spilled)
        text_add(l, &t->out, "//@ scratch spill bytes %zu\n", spilled);
    for (size_t i = 0; i < t->n_kernels; i++) {
        const struct cuda_kernel *k = &t->kernels[i];
        text_add(l, &t->out, "//@ launch %s_%zu grid %u 1 1 block %u 1 1 shared %zu cluster 0 overlap 0 with", entry, i,
            k->blocks, k->threads, k->shared);
        add_parameters(l, k, 0);
        text_add(l, &t->out, "\n");
    }
}

/* ---- the file ------------------------------------------------------------------------------------------------------*/

static void add_head(struct lower *l)
{
    const struct tf_function *f = l->function;
    struct text *out = &own_text(l)->out;
    text_add(
        l, out, "/* %s%s%s: made by tilefoundry, backend cuda-h200.\n *\n", f->module, *f->module ? "." : "", f->name);
    describe_values(l, out);
    text_add(l, out, " *\n");
    describe_work(l, out);
    text_add(l, out,
        " * Dense, in C order, from a multiple of 16 bytes on; a bool is a byte, an f4e2m1 the low four bits of one.\n"
        " * Where an index, a window or a divisor among the data is out of range, the kernel traps.  Working memory:\n"
        " * %zu bytes.\n"
        " *\n * What is launched, in this order:\n */\n",
        l->arena);
}

/* All memory begins at a multiple of 16 bytes. */
static void add_pointer(struct lower *l, const struct buffer *b)
{
    struct text *out = &own_text(l)->out;
    const char *type = fmt(l, "%s%s *", b->place == PLACE_ARG ? "const " : "", c_type(b->dtype));
    if (b->place <= PLACE_RESULT)
        text_add(l, out, "    %sconst %s = (%s)__builtin_assume_aligned(%s_p, 16);\n", type, b->name, type, b->name);
    else if (b->place == PLACE_ARENA)
        text_add(
            l, out, "    %sconst %s = (%s)__builtin_assume_aligned(arena + %zu, 16);\n", type, b->name, type, b->at);
}

static void add_kernel(struct lower *l, const char *entry, size_t which)
{
    struct cuda_text *t = own_text(l);
    const struct cuda_kernel *k = &t->kernels[which];
    text_add(l, &t->out, "\nextern \"C\" __global__ void __launch_bounds__(%u) %s_%zu(", k->threads, entry, which);
    add_parameters(l, k, 1);
    text_add(l, &t->out, ")\n{\n    int status = 0;\n");
    if (k->shared)
        text_add(l, &t->out, "    extern __shared__ __align__(16) unsigned char shared[];\n");
    if (k->spilled)
        text_add(l, &t->out, "    const size_t SPILL = %zu;\n", k->spilled);
    for (size_t i = 0; i < k->n_used; i++)
        add_pointer(l, k->used[i]);
    text_add(l, &t->out, "%s    if (status)\n        __trap();\n}\n", k->body.n ? k->body.at : "");
}

static void add_helpers(struct lower *l)
{
    struct cuda_text *t = own_text(l);
    struct text all = {0};
    for (size_t i = 0; i < t->n_kernels; i++)
        if (t->kernels[i].body.n)
            text_add(l, &all, "%s", t->kernels[i].body.at);
    text_add(l, &t->out, "\n%s%s", prelude, folds);
    if (!t->is_apart)
        text_add(l, &t->out, "%s", grid_barrier);
    helpers_add(l, &t->out, &all);
}

int cuda_lower(tf_ctx *ctx, const struct tf_program *program, struct tf_artifact *artifact)
{
    struct cuda_text mine = {.units = H200_UNITS};
    struct lower l = {.ctx = ctx, .dialect = &cuda_dialect, .own = &mine, .program = program, .indent = 1};
    cuda_kernels_begin(&l);
    int status = lower_body(&l);
    if (status)
        return status;
    cuda_kernels_end(&l);
    const char *entry = entry_name(&l);
    add_head(&l);
    add_plan(&l, entry);
    add_helpers(&l);
    for (size_t i = 0; i < mine.n_kernels; i++)
        add_kernel(&l, entry, i);
    artifact->entry = fmt(&l, "%s_0", entry);
    artifact->suffix = ".cu";
    artifact->text = mine.out.at;
    artifact->length = mine.out.n;
    return TF_OK;
}

/* SPDX-License-Identifier: MIT
 * The dialect of C17, and the file: its head, what it declares, and one function.
 */
#include "cpu_c.h"

#include "../common/lower.h"

#include <inttypes.h>

#define PARALLEL_FROM ((size_t)1 << 14)  /* elements below which threads are not worth their start */
#define MOST_ROW_BYTES ((size_t)1 << 18) /* that a thread's stack has room for */

/* ---- loops ---------------------------------------------------------------------------------------------------------*/

struct own {
    int is_parallel; /* the nest's outermost loop is shared among threads */
    struct text out;
};

static struct own *own(struct lower *l)
{
    return l->own;
}

/* What may find fault with the data sets one `status`; a row that is too long for a thread's stack is in the arena. */
static void open_loops(struct lower *l, const struct nest *nest)
{
    l->is_serial = nest->may_fail || nest->scratch > MOST_ROW_BYTES;
    own(l)->is_parallel = nest->work >= PARALLEL_FROM && !l->is_serial;
    text_add(l, &l->body, "\n");
    if (nest->axes && own(l)->is_parallel)
        line(l, "PARALLEL_FOR(%u)", nest->axes);
    for (uint32_t i = 0; i < nest->axes; i++)
        open_brace(l, "for (size_t r%u = 0; r%u < %" PRId64 "; r%u++)", i, i, extent(nest->type, i), i);
}

static void close_loops(struct lower *l, const struct nest *nest)
{
    for (uint32_t i = 0; i < nest->axes; i++)
        close_brace(l);
}

static void open_for(struct lower *l, const char *name, size_t n, size_t step)
{
    if (step > 1)
        open_brace(l, "for (size_t %s = 0; %s < %zu; %s += %zu)", name, name, n, name, step);
    else
        open_brace(l, "for (size_t %s = 0; %s < %zu; %s++)", name, name, n, name);
}

static void open_axes(struct lower *l, struct axes *axes, size_t lanes)
{
    int parallel = axes->is_flat && !l->rows && own(l)->is_parallel;
    (void)lanes;
    for (uint32_t i = 0; i < axes->n; i++) {
        int is_last = i + 1 == axes->n;
        if (parallel && !i)
            line(l, is_last ? "PARALLEL_FOR_SIMD" : "PARALLEL_FOR(1)");
        else if (axes->is_flat && is_last && !l->is_serial)
            line(l, "SIMD");
        open_for(l, axes->name[i], axes->count[i], is_last ? axes->step : 1);
    }
    axes->opened = axes->n;
    if (axes->n || !axes->is_flat)
        return;
    open_brace(l, "%s", "");
    axes->opened = 1;
}

static void open_lane_loops(struct lower *l, struct axes *axes)
{
    open_axes(l, axes, 0);
}

static void close_for(struct lower *l, const struct axes *axes)
{
    for (uint32_t i = 0; i < axes->opened; i++)
        close_brace(l);
}

static void open_block(struct lower *l)
{
    open_brace(l, "%s", "");
}

static void no_fold(struct lower *l, const char *kind, const char *type, const char *variable)
{
    (void)l;
    (void)kind;
    (void)type;
    (void)variable;
}

static void no_join(struct lower *l, enum join what)
{
    (void)l;
    (void)what;
}

static void declare_row(struct lower *l, const struct buffer *buffer, size_t n)
{
    line(l, "%s %s[%zu];", c_type(buffer->dtype), buffer->name, n);
    if (!buffer->is_stored) /* a leaf that nobody asks for */
        line(l, "(void)%s;", buffer->name);
}

/* On the stack, or, where a row is long and the loops are therefore not shared among threads, in the arena. */
static const char *declare_scratch(struct lower *l, const char *type, const char *name, size_t n)
{
    uint32_t dtype = *type == 'f' ? TF_DTYPE_F32 : *type == 'd' ? TF_DTYPE_F64 : TF_DTYPE_I64;
    if (l->is_serial)
        return new_array(l, dtype, n, name).buffer->name;
    line(l, "%s %s[%zu];", type, name, n);
    return name;
}

static const struct dialect c17 = {
    .name = "cpu-c",
    .code = "cpu-c-operator",
    .function = "static inline",
    .leave = "goto done;",
    .skip = "goto done;",
    .open_nest = open_loops,
    .close_nest = close_loops,
    .open_items = open_axes,
    .open_lanes = open_lane_loops,
    .close_axes = close_for,
    .open_once = open_block,
    .fold = no_fold,
    .join = no_join,
    .row = declare_row,
    .scratch = declare_scratch,
};

/* ---- the file ------------------------------------------------------------------------------------------------------*/

static void describe(struct lower *l, struct text *out, const char *entry)
{
    const struct tf_function *f = l->function;
    text_add(l, out, "/* %s%s%s: made by tilefoundry, backend cpu-c.\n *\n", f->module, *f->module ? "." : "", f->name);
    text_add(l, out, " *     int %s(const void *const *args, void *const *results);\n *\n", entry);
    describe_values(l, out);
    text_add(l, out, " *\n");
    describe_work(l, out);
    text_add(l, out,
        " * Dense, in C order; a bool is a byte, an f4e2m1 the low four bits of one.  Returns 0; 1 where memory "
        "is\n"
        " * short; 2 where an index, a window or a divisor among the data is out of range.\n"
        " * Working memory: %zu bytes.\n *\n"
        " *     cc -std=c17 -O3 -march=native -ffp-contract=off -fopenmp -shared -fPIC -o %s.so FILE.c -lm\n */\n",
        l->arena, entry);
}

static void add_headers(struct lower *l, struct text *out)
{
    text_add(l, out,
        "#include <math.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <stdlib.h>\n"
        "#include <string.h>\n\n"
        "#ifdef __clang__\n#pragma STDC FP_CONTRACT OFF\n#elif defined(__GNUC__)\n"
        "#pragma GCC optimize(\"fp-contract=off\")\n#ifdef __AVX512BW__\n"
        "#pragma GCC target(\"prefer-vector-width=512\")\n#endif\n#endif\n\n"
        "/* 1: what passes the largest number of an eight-bit float becomes infinite, or NaN. */\n"
        "#ifndef FP8_OVERFLOW\n#define FP8_OVERFLOW 0\n#endif\n\n"
        "#define PRAGMA(text) _Pragma(#text)\n#ifdef _OPENMP\n"
        "#define PARALLEL_FOR(n) PRAGMA(omp parallel for collapse(n))\n"
        "#define PARALLEL_FOR_SIMD PRAGMA(omp parallel for simd)\n#define SIMD PRAGMA(omp simd)\n"
        "#else\n#define PARALLEL_FOR(n)\n#define PARALLEL_FOR_SIMD\n#define SIMD\n#endif\n");
}

static int has_arena(const struct lower *l)
{
    for (size_t i = 0; i < l->n_buffers; i++)
        if (l->buffers[i]->place == PLACE_ARENA)
            return 1;
    return 0;
}

static void declare_buffer(struct lower *l, struct text *out, const struct buffer *b)
{
    const char *type = c_type(b->dtype);
    if (b->place == PLACE_ARG)
        text_add(l, out, "    const %s *const %s = args[%zu];\n", type, b->name, b->index);
    else if (b->place == PLACE_RESULT)
        text_add(l, out, "    %s *const %s = results[%zu];\n", type, b->name, b->index);
    else if (b->place == PLACE_ARENA)
        text_add(l, out, "    %s *const %s = (%s *)(void *)(arena + %zu);\n", type, b->name, type, b->at);
}

static void declare(struct lower *l, struct text *out)
{
    if (has_arena(l))
        text_add(l, out, "    unsigned char *const arena = malloc(%zu);\n    if (!arena)\n        return 1;\n",
            l->arena ? l->arena : 1);
    for (size_t i = 0; i < l->n_buffers; i++)
        declare_buffer(l, out, l->buffers[i]);
    for (size_t i = 0; i < l->n_buffers; i++)
        if (l->buffers[i]->place < PLACE_ROW)
            text_add(l, out, "    (void)%s;\n", l->buffers[i]->name);
}

static void write_file(struct lower *l, struct text *out, const char *entry)
{
    describe(l, out, entry);
    add_headers(l, out);
    helpers_add(l, out, &l->body);
    text_add(l, out, "\nint %s(const void *const *args, void *const *results);\n", entry);
    text_add(l, out, "int %s(const void *const *args, void *const *results)\n{\n    int status = 0;\n", entry);
    text_add(l, out, "    (void)args;\n    (void)results;\n");
    declare(l, out);
    text_add(l, out, "%s", l->body.n ? l->body.at : "");
    if (l->may_fail)
        text_add(l, out, "done:\n");
    text_add(l, out, "%s    return status;\n}\n", has_arena(l) ? "    free(arena);\n" : "");
}

int cpu_c_lower(tf_ctx *ctx, const struct tf_program *program, struct tf_artifact *artifact)
{
    struct own mine = {0};
    struct lower l = {.ctx = ctx, .dialect = &c17, .own = &mine, .program = program, .indent = 1};
    int status = lower_body(&l);
    if (status)
        return status;
    artifact->entry = entry_name(&l);
    write_file(&l, &mine.out, artifact->entry);
    artifact->suffix = ".c";
    artifact->text = mine.out.at;
    artifact->length = mine.out.n;
    return TF_OK;
}

int cpu_c_supports(tf_ctx *ctx, const struct tf_program *program, const struct tf_step *step, const char **why)
{
    (void)ctx;
    (void)program;
    *why = lower_obstacle(step->node);
    return *why ? TF_E_UNSUPPORTED : TF_OK;
}

const char *cpu_c_declares(tf_ctx *ctx, const struct tf_program *program)
{
    (void)ctx;
    (void)program;
    /* a sum passes through at most seven additions in f32; those in f64 that follow lose less than one more would */
    return "accumulator=f32 depth=8 div=0.5 sqrt=0.5 rsqrt=0.5 exp=0.5 exp2=0.5 log=0.5 log2=0.5 tanh=0.5 sigmoid=0.5 "
           "erf=0.5 "
           "fma=no";
}

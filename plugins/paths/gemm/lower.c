/* SPDX-License-Identifier: MIT
 *
 * The kernel of a product for cpu-c: what differs from program to program is written here, before the blocks and tiles of
 * kernel.inc.  Sums are f64, in ascending order, as the operators say; or f32, twice as quick, which is declared.
 */
#include "gemm.h"
#include "kernel.h"

#include "cpuparts.h"

struct lowering {
    tf_ctx *ctx;
    const struct gemm *g;
    const char *entry;
    int is_f32; /* the sums */
    struct pk_text body;
};

/* ---- the head ------------------------------------------------------------------------------------------------------*/

static void add_head(const struct lowering *l, struct pk_text *text)
{
    const struct tf_function *f = l->g->program->function;
    pk_add(text, "/* %s: made by tilefoundry, path gemm%s.\n *\n", l->entry, l->is_f32 ? "-f32" : "");
    for (uint32_t i = 0; i < f->n_params; i++)
        pk_add(text, " * args[%u]     %s: %s\n", i, f->params[i]->name ? f->params[i]->name : "",
            pk_type(l->ctx, f->params[i]->type));
    pk_add(text, " * results[0]  %s\n *\n", pk_type(l->ctx, f->body->type));
    pk_add(text, " * All are dense and in C order.  Returns 0, or 1 where there is not enough memory.\n");
    pk_add(text, " * Each sum of products is %s.\n *\n",
        l->is_f32 ? "of f32, each product fused with its addition where the machine can"
                  : "folded in f64 from the first product to the last, and rounded once");
    pk_add(text,
        " *     cc -std=c17 -O3 -march=native -ffp-contract=off -fopenmp -shared -fPIC -o FILE.so FILE.c -lm\n */\n");
}

/* Enough tasks for many processors, but none so small that its operands are laid out for little. */
static void add_sizes(struct lowering *l)
{
    const struct gemm *g = l->g;
    size_t rows = g->m < 2048 ? g->m : 2048, width = (g->n + 31) / 32 * 32;
    width = width < 256 ? width : 256;
    while ((g->m + rows - 1) / rows * ((g->n + width - 1) / width) < 16 && (rows > 512 || width > 64))
        if (rows > 512)
            rows = (rows + 1) / 2;
        else
            width = (width + 63) / 64 * 32;
    int many = g->batches >= 8 && (double)g->m * (double)g->n * (double)g->k < 0x1p24;
    pk_add(&l->body,
        "\n#define BATCHES ((size_t)%zu)\n#define M ((size_t)%zu)\n#define N ((size_t)%zu)\n#define K ((size_t)%zu)\n",
        g->batches, g->m, g->n, g->k);
    pk_add(&l->body,
        "\n#define TASK_ROWS ((size_t)%zu) /* what one processor takes at a time */\n#define WIDTH ((size_t)%zu)\n",
        rows, width);
    pk_add(&l->body, "#define BATCHES_IN_PARALLEL %d\n", many);
    pk_add(&l->body, "\ntypedef %s sum_t;\n", l->is_f32 ? "float" : "double");
}

/* ---- operands ------------------------------------------------------------------------------------------------------*/

/* An index of a box as an index of what lies there: nothing is divided along axes that stand still. */
static const char *walk_text(tf_ctx *ctx, const struct gemm_walk *walk, uint32_t first, uint32_t end, const char *index)
{
    const char *text = NULL;
    size_t inner = 1, whole = 1;
    for (uint32_t axis = first; axis < end; axis++)
        whole *= walk->extent[axis];
    for (uint32_t axis = end; axis-- > first; inner *= walk->extent[axis]) {
        size_t extent = walk->extent[axis], stride = walk->stride[axis];
        if (stride == 0 || extent == 1)
            continue;
        const char *at = inner == 1 ? index : tf_host->format(ctx, "%s / %zu", index, inner);
        if (inner * extent != whole)
            at = tf_host->format(ctx, "%s %% %zu", at, extent);
        if (stride != 1)
            at = tf_host->format(ctx, "%s * %zu", at, stride);
        text = text ? tf_host->format(ctx, "%s + %s", at, text) : at;
    }
    return text;
}

static void add_operand(struct lowering *l, const struct gemm_operand *operand, const char *name, const char *upper)
{
    const char *matrix = walk_text(l->ctx, &operand->matrix, 0, operand->matrix.rank, "batch");
    pk_add(&l->body, "\n/* The %s operand: args[%s], its lines %s_LINE elements apart, along K %s_STEP. */\n", name,
        upper, upper, upper);
    pk_add(&l->body, "#define %s %u\n#define %s_LINE ((size_t)%zu)\n#define %s_STEP ((size_t)%zu)\n", upper,
        operand->param, upper, operand->line, upper, operand->step);
    pk_add(&l->body, "typedef %s %s_t;\n\n", cp_type(operand->dtype), name);
    pk_add(&l->body, "static inline size_t %s_matrix(size_t batch)\n{\n", name);
    pk_add(&l->body, matrix ? "    return %s;\n}\n" : "    (void)batch;\n    return 0;\n}\n", matrix);
}

static const char *clamped(tf_ctx *ctx, const char *text, const char *least, const char *most)
{
    if (least)
        text = tf_host->format(ctx, "(%s < %s ? %s : %s)", text, least, least, text);
    return most ? tf_host->format(ctx, "(%s > %s ? %s : %s)", text, most, most, text) : text;
}

/* What is summed of an element of the left operand, and of one of the right. */
static void add_numbers(struct lowering *l)
{
    const struct gemm *g = l->g;
    const char *wide = l->is_f32 ? "" : "(double)", *left = cp_number(l->ctx, g->left.dtype, "x"), *limit;
    pk_add(&l->body, "\nstatic inline sum_t left_number(left_t x, float scale)\n{\n");
    if (g->quantises) {
        limit = pk_f32(l->ctx, gemm_limit(g->quant.codes));
        pk_add(&l->body, "    const float quotient = %s / scale;\n", left);
        left = g->quant.is_clamped ? clamped(l->ctx, "quotient", tf_host->format(l->ctx, "-%s", limit), limit)
                                   : "quotient";
        left = cp_number(l->ctx, g->quant.codes, cp_element(l->ctx, g->quant.codes, left));
    } else {
        pk_add(&l->body, "    (void)scale;\n");
    }
    pk_add(&l->body, "    return %s%s;\n}\n", wide, left);
    pk_add(&l->body, "\nstatic inline sum_t right_number(right_t x)\n{\n    return %s%s;\n}\n", wide,
        cp_number(l->ctx, g->right.dtype, "x"));
}

/* A row's scale from its largest magnitude. */
static void add_scale(struct lowering *l)
{
    const struct gemm_quant *q = &l->g->quant;
    uint32_t dtype = l->g->left.dtype;
    const char *row = "(const left_t *)args[LEFT] + row * K", *f32 = tf_host->dtype(dtype)->name;
    if (dtype == TF_DTYPE_F32)
        pk_add(&l->body, "        float scale = f32_of_bits(largest_32(%s, K));\n", row);
    else
        pk_add(&l->body, "        float scale = f32_of_%s(largest_16(%s, K));\n", f32, row);
    for (uint32_t i = q->n_steps; i-- > 0;) {
        const char *number = pk_f32(l->ctx, q->steps[i].number);
        if (strcmp(q->steps[i].kind, "max") == 0)
            pk_add(&l->body, "        scale = scale < %s ? %s : scale;\n", number, number);
        else
            pk_add(&l->body, "        scale = scale %s %s;\n", *q->steps[i].kind == 'm' ? "*" : "/", number);
    }
}

static void add_scales(struct lowering *l)
{
    const struct gemm *g = l->g;
    size_t rows = 1;
    pk_elements(g->program->function->params[g->left.param]->type, &rows);
    pk_add(&l->body, "\n#define QUANTISES %d\n#define SCALES ((size_t)%zu)\n", g->quantises, rows / g->k);
    if (!g->quantises) {
        pk_add(&l->body, "#define find_scales(args, scales) ((void)(args), (void)(scales))\n");
        return;
    }
    pk_add(&l->body, "\n/* Rows of the left operand become codes by scales of their own. */\n"
                     "static void find_scales(const void *const *args, float *scales)\n{\n"
                     "#pragma omp parallel for\n    for (size_t row = 0; row < SCALES; row++) {\n");
    add_scale(l);
    pk_add(&l->body, "        scales[row] = scale;\n    }\n}\n");
}

/* ---- what follows the product --------------------------------------------------------------------------------------*/

/* The C of each word, of float operands; `wide`: it is a double, not yet rounded. */
static const struct rule {
    const char *word, *text;
    int wide;
} rules[] = {
    {"add", "$0 + $1", 0},
    {"sub", "$0 - $1", 0},
    {"mul", "$0 * $1", 0},
    {"div", "$0 / $1", 0},
    {"min", "$0 != $0 ? $0 : $1 != $1 ? $1 : $0 < $1 ? $0 : $1", 0},
    {"max", "$0 != $0 ? $0 : $1 != $1 ? $1 : $0 > $1 ? $0 : $1", 0},
    {"neg", "-$0", 0},
    {"abs", "fabsf($0)", 0},
    {"relu", "$0 < 0 ? 0 : $0", 0},
    {"square", "$0 * $0", 0},
    {"cast", "$0", 0},
    {"silu", "silu($0)", 1},
    {"sigmoid", "sigmoid($0)", 1},
    {"tanh", "tanh((double)$0)", 1},
    {"gelu-tanh", "gelu_by_tanh($0)", 1},
    {"gelu-erf", "gelu_by_erf($0)", 1},
    {"clamp", NULL, 0},
};

static const struct cp_part functions[] = {
    {"silu", "static inline double silu(float x)\n{\n    return (double)x / (1 + exp(-(double)x));\n}\n"},
    {"sigmoid", "static inline double sigmoid(float x)\n{\n    return 1 / (1 + exp(-(double)x));\n}\n"},
    {"gelu_by_tanh", "/* Its steps are of f32, each. */\nstatic inline double gelu_by_tanh(float x)\n{\n"
                     "    const float cube = x * x * x, inner = x + 0.044715f * cube;\n"
                     "    const float turned = (float)tanh((double)(0.79788456080286535588f * inner));\n"
                     "    return 0.5 * (double)x * (double)(1 + turned);\n}\n"},
    {"gelu_by_erf", "static inline double gelu_by_erf(float x)\n{\n"
                    "    const float part = (float)erf((double)(x * 0.70710678118654752440f));\n"
                    "    return 0.5 * (double)x * (double)(1 + part);\n}\n"},
    {"odd_f32", "/* A float that rounds on as the double does: of the two around it, the one whose last bit is 1. */\n"
                "static inline float odd_f32(double x)\n{\n"
                "    const float near = (float)x;\n    const uint32_t bits = bits_of_f32(near);\n"
                "    const int32_t aside = fabs(x) > fabs((double)near) ? 1 : -1;\n"
                "    const int is_exact = (double)near == x || x != x;\n"
                "    return f32_of_bits(is_exact || (bits & 1) ? bits : bits + (uint32_t)aside);\n}\n"},
};

static const char *filled(tf_ctx *ctx, const char *rule, const uint32_t *in)
{
    struct pk_text text = {.ctx = ctx};
    for (; *rule; rule++)
        if (*rule == '$')
            pk_add(&text, "v%u", in[*++rule - '0']);
        else
            pk_add(&text, "%c", *rule);
    return text.at;
}

/* A number of the dtype, for C. */
static const char *number_text(tf_ctx *ctx, uint32_t dtype, double number)
{
    uint64_t room = 0;
    tf_host->store_f64(dtype, 1, &number, &room, 0);
    tf_host->load_f64(dtype, 1, &room, &number);
    if (number != number)
        return "NAN";
    if (number - number != 0)
        return number > 0 ? "INFINITY" : "-INFINITY";
    return pk_f32(ctx, (float)number);
}

static const char *clamp_text(tf_ctx *ctx, const struct gemm_value *value)
{
    double bound;
    const char *ends[2] = {NULL};
    for (uint32_t i = 0; i < 2; i++)
        if (pk_number(pk_attr(value->node, i ? "max_val" : "min_val"), &bound))
            ends[i] = number_text(ctx, value->dtype, bound);
    return clamped(ctx, tf_host->format(ctx, "v%u", value->in[0]), ends[0], ends[1]);
}

static const struct rule *rule_of(const struct tf_node *node)
{
    const char *word = gemm_word(node);
    size_t i = 0;
    while (strcmp(rules[i].word, word) != 0)
        i++;
    return &rules[i];
}

/* Rounded to the dtype, as the float that is the same number.  The result's own rounding is that of its storing. */
static const char *rounded(const struct lowering *l, uint32_t which, const char *number, int wide)
{
    uint32_t dtype = l->g->values[which].dtype;
    if (dtype == TF_DTYPE_F32)
        return wide ? tf_host->format(l->ctx, "(float)%s", number) : number;
    if (wide)
        number = tf_host->format(l->ctx, "odd_f32(%s)", number);
    if (which == l->g->n_values - 1)
        return number;
    return cp_number(l->ctx, dtype, cp_element(l->ctx, dtype, number));
}

static const char *value_text(const struct lowering *l, uint32_t which)
{
    const struct gemm_value *value = &l->g->values[which];
    const char *at;
    switch (value->kind) {
    case GEMM_PRODUCT: return rounded(l, which, "sums[j]", !l->is_f32);
    case GEMM_NUMBER: return number_text(l->ctx, value->dtype, value->number);
    case GEMM_PARAM:
    case GEMM_SCALE:
        at = walk_text(l->ctx, &value->walk, gemm_columns(&value->walk, l->g->n), value->walk.rank, "(column + j)");
        at = at && strcmp(at, "(column + j)") == 0 ? "column + j" : at;
        return cp_number(l->ctx, value->dtype, tf_host->format(l->ctx, "p%u[%s]", which, at ? at : "0"));
    default: break;
    }
    const struct rule *rule = rule_of(value->node);
    const char *text = rule->text ? filled(l->ctx, rule->text, value->in) : clamp_text(l->ctx, value);
    return rounded(l, which, text, rule->wide);
}

/* Where a row of a parameter begins. */
static void add_row(struct lowering *l, uint32_t which)
{
    const struct gemm_value *value = &l->g->values[which];
    const char *type = cp_type(value->dtype), *row;
    row = walk_text(l->ctx, &value->walk, 0, gemm_columns(&value->walk, l->g->n), "row");
    if (value->kind == GEMM_SCALE)
        pk_add(&l->body, "    const float *const p%u = scales", which);
    else
        pk_add(&l->body, "    const %s *const p%u = (const %s *)args[%u]", type, which, type, value->param);
    pk_add(&l->body, row ? " + %s;\n" : ";\n", row);
}

/* Then the loop is no vectors', and is not said to be. */
static int calls_library(const struct gemm *g)
{
    for (uint32_t i = 0; i < g->n_values; i++)
        if (g->values[i].kind == GEMM_OPERATION && rule_of(g->values[i].node)->wide)
            return 1;
    return 0;
}

static void add_finish(struct lowering *l)
{
    const struct gemm *g = l->g;
    uint32_t last = g->n_values - 1, dtype = g->values[last].dtype;
    const char *type = cp_type(dtype), *result = tf_host->format(l->ctx, "v%u", last);
    pk_add(&l->body, "\n/* Columns of a row of the result, from their sums. */\n"
                     "static void finish(const void *const *args, void *const *results, const float *scales, size_t "
                     "row, size_t column, size_t "
                     "columns, const sum_t *sums)\n{\n");
    for (uint32_t i = 0; i < g->n_values; i++)
        if (g->values[i].kind == GEMM_PARAM || g->values[i].kind == GEMM_SCALE)
            add_row(l, i);
    pk_add(&l->body, "    %s *const to = (%s *)results[0] + row * N + column;\n    (void)args, (void)scales;\n", type,
        type);
    pk_add(&l->body, "%s    for (size_t j = 0; j < columns; j++) {\n", calls_library(g) ? "" : "#pragma omp simd\n");
    for (uint32_t i = 0; i < g->n_values; i++)
        pk_add(&l->body, "        const float v%u = %s;\n", i, value_text(l, i));
    pk_add(&l->body, "        to[j] = %s;\n    }\n}\n\n", cp_element(l->ctx, dtype, result));
}

/* ---- the whole -----------------------------------------------------------------------------------------------------*/

static void add_functions(struct pk_text *text, const char *body)
{
    for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++)
        if (cp_calls(body, functions[i].name))
            pk_add(text, "\n%s", functions[i].text);
}

static int lower(tf_ctx *ctx, const struct gemm *g, int is_f32, struct tf_artifact *artifact)
{
    struct lowering l = {
        .ctx = ctx, .g = g, .entry = pk_entry(ctx, g->program), .is_f32 = is_f32, .body = {.ctx = ctx}};
    struct pk_text text = {.ctx = ctx}, own = {.ctx = ctx};
    add_sizes(&l);
    add_operand(&l, &g->left, "left", "LEFT");
    add_operand(&l, &g->right, "right", "RIGHT");
    add_numbers(&l);
    add_scales(&l);
    add_finish(&l);
    add_head(&l, &text);
    pk_add(&text, "%s", CP_HEAD);
    pk_add(&own, "\n");
    add_functions(&own, l.body.at);
    cp_add(&text, tf_host->format(ctx, "%s%s", l.body.at, own.at));
    pk_add(&text, "%s%s%s", own.at, l.body.at, gemm_kernel);
    pk_add(&text,
        "\nint %s(const void *const *args, void *const *results);\n"
        "int %s(const void *const *args, void *const *results)\n{\n    return multiply_all(args, results);\n}\n",
        l.entry, l.entry);
    return pk_finish(&text, l.entry, artifact);
}

int gemm_lower(tf_ctx *ctx, void *match, const char *backend, struct tf_artifact *artifact)
{
    return strcmp(backend, "cpu-c") == 0 ? lower(ctx, match, 0, artifact) : TF_E_UNSUPPORTED;
}

int gemm_lower_f32(tf_ctx *ctx, void *match, const char *backend, struct tf_artifact *artifact)
{
    return strcmp(backend, "cpu-c") == 0 ? lower(ctx, match, 1, artifact) : TF_E_UNSUPPORTED;
}

/* ---- what it declares ----------------------------------------------------------------------------------------------*/

#define ROUNDED_ONCE " div=0.5 sqrt=0.5 rsqrt=0.5 exp=0.5 exp2=0.5 log=0.5 log2=0.5 tanh=0.5 sigmoid=0.5 erf=0.5"

const char *gemm_declares(tf_ctx *ctx, void *match, const char *backend)
{
    (void)ctx;
    (void)match;
    return strcmp(backend, "cpu-c") == 0 ? "accumulator=f64 fma=no" ROUNDED_ONCE : NULL;
}

const char *gemm_declares_f32(tf_ctx *ctx, void *match, const char *backend)
{
    (void)ctx;
    (void)match;
    return strcmp(backend, "cpu-c") == 0 ? "accumulator=f32 fma=no" ROUNDED_ONCE : NULL;
}

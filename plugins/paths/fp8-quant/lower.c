/* SPDX-License-Identifier: MIT
 *
 * The kernel of a quantisation for cpu-c: each group is read once for its largest and once, in cache, for its codes;
 * the loops have no branch, so that compilers vectorise them.
 */
#include "quant.h"

#include <string.h>

static const char HEAD[] =
    "/* %s: made by tilefoundry, path fp8-quant.\n *\n"
    " * args[0]     %s: %zu groups of %zu\n * results[0]  %s codes\n * results[1]  f32, a scale for each group\n *\n"
    " * Dense, in C order.  Returns 0.\n *\n"
    " *     cc -std=c17 -O3 -march=native -ffp-contract=off -fopenmp -shared -fPIC -o FILE.so FILE.c\n */\n"
    "#include <stddef.h>\n#include <stdint.h>\n#include <string.h>\n\n"
    "static inline uint32_t bits_of(float x)\n{\n    uint32_t bits;\n    memcpy(&bits, &x, sizeof(bits));\n"
    "    return bits;\n}\n\n"
    "static inline float of_bits(uint32_t bits)\n{\n    float x;\n    memcpy(&x, &bits, sizeof(x));\n    return "
    "x;\n}\n\n";

/* A normal code is the float's bits rounded where they are cut; a subnormal one falls out of an addition that rounds. */
static const char ENCODE[] = "/* The code of a number within the format's range, to nearest even. */\n"
                             "static inline uint8_t encode(float x)\n{\n"
                             "    const uint32_t size = bits_of(x) & 0x7fffffffu, cut = %uu;\n"
                             "    const uint32_t even = size + ((1u << (cut - 1)) - 1) + (size >> cut & 1);\n"
                             "    const uint32_t normal = (even >> cut) - (%uu << (23 - cut));\n"
                             "    const float step = of_bits(%uu << 23);\n"
                             "    const uint32_t small = bits_of(of_bits(size) + step) - bits_of(step);\n"
                             "    uint32_t code = size < %uu << 23 ? small : normal;\n"
                             "    code = size > 0x7f800000u ? 0x7fu : code;\n"
                             "    return (uint8_t)(code | bits_of(x) >> 31 << 7);\n}\n\n";

static const char BODY[] =
    "int %s(const void *const *args, void *const *results);\n"
    "int %s(const void *const *args, void *const *results)\n{\n"
    "    const %s *const in = args[0];\n    uint8_t *const codes = results[0];\n    float *const scales = results[1];\n"
    "#pragma omp parallel for\n"
    "    for (size_t g = 0; g < %zu; g++) {\n"
    "        const %s *const x = in + g * %zu;\n        uint32_t most = 0; /* sizes order as their bits do, NaN last "
    "*/\n"
    "#pragma omp simd reduction(max : most)\n"
    "        for (size_t i = 0; i < %zu; i++) {\n            const uint32_t size = %s & 0x7fffffffu;\n"
    "            most = size > most ? size : most;\n        }\n"
    "        float scale = of_bits(most) %s %af;\n%s"
    "        scales[g] = scale;\n"
    "#pragma omp simd\n"
    "        for (size_t i = 0; i < %zu; i++) {\n            float q = of_bits(%s) / scale;\n"
    "            q = q < -%af ? -%af : q;\n            q = q > %af ? %af : q;\n"
    "            codes[g * %zu + i] = encode(q);\n        }\n    }\n    return 0;\n}\n";

static const char *entry_name(tf_ctx *ctx, const struct tf_program *program)
{
    const struct tf_function *f = program->function;
    const char *text = tf_host->format(ctx, "%s%s%s", f->module, *f->module ? "_" : "", f->name);
    size_t n = strlen(text) + 1;
    char *name = tf_host->alloc(ctx, n);
    for (size_t i = 0; i < n; i++)
        name[i] = text[i] == '.' ? '_' : text[i];
    return name;
}

static const char *encoder(tf_ctx *ctx, const struct quant *q)
{
    unsigned fraction = q->codes == TF_DTYPE_FP8E4M3 ? 3 : 2, bias = q->codes == TF_DTYPE_FP8E4M3 ? 7 : 15;
    return tf_host->format(ctx, ENCODE, 23 - fraction, 127 - bias, 127 + 23 + 1 - bias - fraction, 128 - bias);
}

static const char *body(tf_ctx *ctx, const struct quant *q, const char *name)
{
    int narrow = q->x->type->dtype == TF_DTYPE_BF16;
    const char *word = narrow ? "uint16_t" : "float", *bits = narrow ? "((uint32_t)x[i] << 16)" : "bits_of(x[i])";
    double limit = (double)quant_limit(q), floor = (double)q->floor;
    const char *least =
        q->has_floor ? tf_host->format(ctx, "        scale = scale < %af ? %af : scale;\n", floor, floor) : "";
    return tf_host->format(ctx, BODY, name, name, word, q->groups, word, q->length, q->length, bits,
        q->divides ? "/" : "*", (double)q->factor, least, q->length, bits, limit, limit, limit, limit, q->length);
}

int quant_lower(tf_ctx *ctx, void *match, const char *backend, struct tf_artifact *artifact)
{
    const struct quant *q = match;
    if (strcmp(backend, "cpu-c") != 0)
        return TF_E_UNSUPPORTED;
    const char *name = entry_name(ctx, q->program);
    const char *head = tf_host->format(
        ctx, HEAD, name, tf_host->dtype(q->x->type->dtype)->name, q->groups, q->length, tf_host->dtype(q->codes)->name);
    artifact->text = tf_host->format(ctx, "%s%s%s", head, encoder(ctx, q), body(ctx, q, name));
    artifact->length = strlen(artifact->text);
    artifact->suffix = ".c";
    artifact->entry = name;
    return TF_OK;
}

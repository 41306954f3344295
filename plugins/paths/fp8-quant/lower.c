/* SPDX-License-Identifier: MIT
 *
 * The kernel of a quantisation for cpu-c.  Each group is read once for its largest magnitude and once, in cache, for
 * its codes; the next one is asked for meanwhile, so that the processor computes while memory answers.
 */
#include "quant.h"

#include "cpuparts.h"

#define WIDE ((size_t)1 << 17) /* elements of a group that is shared out among processors */

/* What one kernel is made of. */
struct kernel {
    tf_ctx *ctx;
    const struct quant *q;
    const char *entry, *type, *codes, *stored; /* of C: the name, and the elements' types */
    size_t width;                              /* bytes of an element of x */
    struct pk_text body;
};

static int is_wide(const struct quant *q)
{
    return q->b == 1 && q->d >= WIDE && q->a * q->c < 16;
}

/* ---- from the largest magnitude to what divides -------------------------------------------------------------------*/

static void add_steps(struct kernel *k, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        pk_add(&k->body, "    const float v%u = %s;\n", i + 1, quant_step_text(k->ctx, &k->q->steps[i], i));
}

static void add_scale(struct kernel *k)
{
    const struct quant *q = k->q;
    pk_add(&k->body,
        "\n/* The scale of a group whose largest magnitude is v0. */\nstatic inline float scale_of(float v0)\n{\n");
    add_steps(k, q->n_steps);
    pk_add(&k->body, "    return v%u;\n}\n", q->n_steps);
    if (!q->inverts)
        return;
    pk_add(&k->body, "\n/* What the group is multiplied by. */\nstatic inline float inverse_of(float v0)\n{\n");
    add_steps(k, q->inverted);
    pk_add(&k->body, "    return %s / v%u;\n}\n", pk_f32(k->ctx, q->numerator), q->inverted);
}

/* ---- codes of what lies together ----------------------------------------------------------------------------------*/

/* A size past it has its code: what is clamped, and what a conversion saturates, is the largest number. */
static const char *limit_text(const struct quant *q)
{
    if (q->codes == TF_DTYPE_FP8E4M3)
        return q->clamps ? "448.0f" : "FP8_OVERFLOW ? 480.0f : 448.0f";
    return q->clamps ? "57344.0f" : "FP8_OVERFLOW ? 65536.0f : 57344.0f";
}

/* %1 type, %2 what divides or multiplies, %3 the limit, %4 elements of 64 bytes, %5 the plain loop, %6 a quotient,
 * %7 the codes' dtype. */
static const char RUN[] =
    "\n#define PIECE ((size_t)512)\n"
    "\n/* The codes of n numbers that lie together.  What lies `ahead` bytes further on is asked for. */\n"
    "static inline void quantise(\n    const %1$s *restrict x, size_t n, float %2$s, int is_plain, uint8_t *restrict "
    "codes, size_t ahead)\n{\n"
    "    const float limit = %3$s;\n"
    "    for (size_t i = 0; i < n; i += PIECE) {\n"
    "        const size_t end = n - i < PIECE ? n : i + PIECE;\n"
    "        size_t done = i;\n"
    "        for (size_t k = i; k < end; k += %4$zu)\n"
    "            PREFETCH((uintptr_t)(x + k) + ahead);\n"
    "%5$s"
    "        OMP(simd)\n"
    "        for (size_t k = done; k < end; k++) { /* a quotient may be NaN, whose code is 0x7f */\n"
    "            const float exact = %6$s;\n"
    "            const uint8_t code = %7$s_of_number(exact, limit);\n"
    "            codes[k] = (uint8_t)(exact != exact ? code | 0x7f : code);\n"
    "        }\n"
    "    }\n}\n";

/* %1 the codes' dtype, %2 and %3 quotients of the sizes `low` and `high`, %4 and %5 those in f32, %6 the reciprocal. */
static const char PAIRS[] = "        if (is_plain) { /* two numbers at a time, in whole words */\n"
                            "            const size_t pairs = (end - i) / 2;\n"
                            "%6$s"
                            "            OMP(simd)\n"
                            "            for (size_t k = 0; k < pairs; k++) {\n"
                            "                uint32_t both;\n"
                            "                memcpy(&both, x + i + 2 * k, sizeof(both));\n"
                            "                const float low = %4$s, high = %5$s;\n"
                            "                const uint32_t first = %1$s_of_size(%2$s);\n"
                            "                const uint32_t second = %1$s_of_size(%3$s);\n"
                            "                const uint32_t signs = (both >> 8 & 0x80u) | (both >> 16 & 0x8000u);\n"
                            "                const uint16_t code = (uint16_t)(first | second << 8 | signs);\n"
                            "                memcpy(codes + i + 2 * k, &code, sizeof(code));\n"
                            "            }\n"
                            "            done += 2 * pairs;\n"
                            "        }\n";

/* %1 the codes' dtype, %2 the quotient of `size`, %3 the reciprocal. */
static const char SINGLES[] = "        if (is_plain) {\n"
                              "%3$s"
                              "            OMP(simd)\n"
                              "            for (size_t k = i; k < end; k++) {\n"
                              "                const float size = fabsf(x[k]);\n"
                              "                const uint32_t sign = bits_of_f32(x[k]) >> 24 & 0x80u;\n"
                              "                codes[k] = (uint8_t)(%1$s_of_size(%2$s) | sign);\n"
                              "            }\n"
                              "            done = end;\n"
                              "        }\n";

/* Of a number that is not negative and finite, in a group that is plain. */
static const char *quotient_text(const struct kernel *k, const char *number)
{
    if (k->q->inverts)
        return tf_host->format(k->ctx, "%s * inverse", number);
    return tf_host->format(k->ctx, "%s(%s, scale, reciprocal)", k->width == 2 ? "quotient_16" : "quotient", number);
}

static const char *plain_text(const struct kernel *k)
{
    const char *reciprocal = k->q->inverts ? "" : "            const float reciprocal = 1.0f / scale;\n";
    uint32_t dtype = k->q->x->type->dtype;
    if (dtype == TF_DTYPE_F32)
        return tf_host->format(k->ctx, SINGLES, k->codes, quotient_text(k, "size"), reciprocal);
    int is_bf16 = dtype == TF_DTYPE_BF16;
    const char *low = is_bf16 ? "f32_of_bits((both & 0x7fffu) << 16)" : "f32_of_f16_size(both & 0x7fffu)";
    const char *high = is_bf16 ? "f32_of_bits(both & 0x7fff0000u)" : "f32_of_f16_size(both >> 16 & 0x7fffu)";
    return tf_host->format(
        k->ctx, PAIRS, k->codes, quotient_text(k, "low"), quotient_text(k, "high"), low, high, reciprocal);
}

static const char ORDER[] =
    "\n#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__\n#define LOW_FIRST 1\n"
    "#else\n#define LOW_FIRST 0\n#endif\n";

static void add_run(struct kernel *k)
{
    const struct quant *q = k->q;
    if (k->width == 2)
        pk_add(&k->body, "%s", ORDER);
    const char *by = q->inverts ? "inverse" : "scale";
    const char *number = cp_number(k->ctx, q->x->type->dtype, "x[k]");
    const char *quotient = tf_host->format(k->ctx, "%s %s %s", number, q->inverts ? "*" : "/", by);
    pk_add(&k->body, RUN, k->type, by, limit_text(q), 64 / k->width, plain_text(k), quotient, k->codes);
}

/* ---- groups -------------------------------------------------------------------------------------------------------*/

static const char *largest_name(const struct kernel *k)
{
    return k->width == 2 ? "largest_16" : "largest_32";
}

/* Between the largest magnitude and the codes of group `group`. */
static void add_middle(struct kernel *k, const char *indent, const char *group)
{
    const struct quant *q = k->q;
    const char *number =
        k->width == 2 ? cp_number(k->ctx, q->x->type->dtype, "(uint16_t)largest") : "f32_of_bits(largest)";
    const char *scale = q->stored == TF_DTYPE_BF16 ? "bf16_of_f32(scale)" : "scale";
    const char *within = q->codes == TF_DTYPE_FP8E4M3 ? "460.0f" : "60000.0f"; /* not halfway past the largest */
    const char *range = q->inverts ? "inverse > 0.0f && inverse < INFINITY && most * inverse < %s"
                                   : "scale > 0x1p-80f && scale < 0x1p100f && most < %s * scale";
    pk_add(&k->body, "%sconst float most = %s, scale = scale_of(most);\n", indent, number);
    if (q->inverts)
        pk_add(&k->body, "%sconst float inverse = inverse_of(most);\n", indent);
    pk_add(&k->body, "%sconst int is_plain = %s", indent, k->width == 2 ? "LOW_FIRST && " : "");
    pk_add(&k->body, range, within);
    pk_add(&k->body, ";\n");
    pk_add(&k->body, "%sscales[%s] = %s;\n", indent, group, scale);
}

static void add_rows(struct kernel *k)
{
    const struct quant *q = k->q;
    size_t groups = q->a * q->c, bytes = q->d * k->width;
    pk_add(&k->body, "    OMP(parallel for)\n    for (size_t g = 0; g < %zu; g++) {\n", groups);
    pk_add(&k->body, "        const %s *const x = in + g * %zu;\n", k->type, q->d);
    pk_add(&k->body, "        const uint32_t largest = %s(x, %zu);\n", largest_name(k), q->d);
    add_middle(k, "        ", "g");
    pk_add(&k->body, "        quantise(x, %zu, %s, is_plain, codes + g * %zu, %zu);\n    }\n", q->d,
        q->inverts ? "inverse" : "scale", q->d, bytes < 4096 ? (size_t)4096 : bytes);
}

static void add_blocks(struct kernel *k)
{
    const struct quant *q = k->q;
    size_t stride = q->c * q->d;
    pk_add(&k->body,
        "    OMP(parallel for collapse(2))\n    for (size_t i = 0; i < %zu; i++) {\n"
        "        for (size_t j = 0; j < %zu; j++) {\n",
        q->a, q->c);
    pk_add(&k->body, "            const size_t start = i * %zu + j * %zu;\n", q->b * stride, q->d);
    pk_add(&k->body, "            uint32_t largest = 0;\n            for (size_t row = 0; row < %zu; row++) {\n", q->b);
    pk_add(&k->body, "                const uint32_t found = %s(in + start + row * %zu, %zu);\n", largest_name(k),
        stride, q->d);
    pk_add(&k->body, "                largest = found > largest ? found : largest;\n            }\n");
    add_middle(k, "            ", tf_host->format(k->ctx, "i * %zu + j", q->c));
    pk_add(&k->body, "            for (size_t row = 0; row < %zu; row++) {\n", q->b);
    pk_add(&k->body, "                const size_t at = start + row * %zu;\n", stride);
    pk_add(&k->body, "                quantise(in + at, %zu, %s, is_plain, codes + at, %zu);\n", q->d,
        q->inverts ? "inverse" : "scale", q->d * k->width);
    pk_add(&k->body, "            }\n        }\n    }\n");
}

/* Groups one after the other, each by all processors. */
static void add_wide(struct kernel *k)
{
    const struct quant *q = k->q;
    pk_add(&k->body, "    for (size_t g = 0; g < %zu; g++) {\n", q->a * q->c);
    pk_add(&k->body, "        const size_t n = %zu, share = 65536;\n", q->d);
    pk_add(&k->body, "        const %s *const x = in + g * n;\n        uint32_t largest = 0;\n", k->type);
    pk_add(&k->body, "        OMP(parallel for reduction(max : largest))\n");
    pk_add(&k->body, "        for (size_t i = 0; i < n; i += share) {\n");
    pk_add(&k->body, "            const uint32_t found = %s(x + i, n - i < share ? n - i : share);\n", largest_name(k));
    pk_add(&k->body, "            largest = found > largest ? found : largest;\n        }\n");
    add_middle(k, "        ", "g");
    pk_add(&k->body, "        OMP(parallel for)\n        for (size_t i = 0; i < n; i += share)\n");
    pk_add(&k->body,
        "            quantise(x + i, n - i < share ? n - i : share, %s, is_plain, codes + g * n + i, 4096);\n    }\n",
        q->inverts ? "inverse" : "scale");
}

static void add_function(struct kernel *k)
{
    const struct quant *q = k->q;
    pk_add(&k->body, "\nint %s(const void *const *args, void *const *results);\n", k->entry);
    pk_add(&k->body, "int %s(const void *const *args, void *const *results)\n{\n", k->entry);
    pk_add(
        &k->body, "    const %s *const in = args[0];\n    uint8_t *const codes = results[%u];\n", k->type, q->codes_at);
    pk_add(&k->body, "    %s *const scales = results[%u];\n", k->stored, q->scale_at);
    (q->b > 1 ? add_blocks : is_wide(q) ? add_wide : add_rows)(k);
    pk_add(&k->body, "    return 0;\n}\n");
}

/* ---- the file -----------------------------------------------------------------------------------------------------*/

static const char *group_text(tf_ctx *ctx, const struct quant *q)
{
    if (q->b > 1)
        return tf_host->format(ctx, "%zu x %zu blocks of %zu x %zu", q->a, q->c, q->b, q->d);
    return tf_host->format(ctx, "%zu groups of %zu", q->a * q->c, q->d);
}

static void describe(const struct kernel *k, struct pk_text *out)
{
    const struct quant *q = k->q;
    size_t elements = q->a * q->b * q->c * q->d, scale = q->stored == TF_DTYPE_BF16 ? 2 : 4;
    const struct tf_function *f = q->program->function;
    pk_add(out, "/* %s%s%s: made by tilefoundry, path fp8-quant.\n *\n", f->module, *f->module ? "." : "", f->name);
    pk_add(out, " *     int %s(const void *const *args, void *const *results);\n *\n", k->entry);
    pk_add(out, " * args[0]     %s: %s, %s\n", q->x->name ? q->x->name : "x", pk_type(k->ctx, q->x->type),
        group_text(k->ctx, q));
    for (uint32_t i = 0; i < 2; i++)
        pk_add(out, " * results[%u]  %s %s\n", i, tf_host->dtype(i == q->codes_at ? q->codes : q->stored)->name,
            i == q->codes_at ? "codes" : "scales, one for each group");
    pk_add(out, " *\n * Dense, in C order.  Returns 0.  %zu bytes are read and %zu written.\n *\n", elements * k->width,
        elements + q->a * q->c * scale);
    pk_add(out,
        " *     cc -std=c17 -O3 -march=native -ffp-contract=off -fopenmp -shared -fPIC -o %s.so FILE.c -lm\n */\n",
        k->entry);
}

int quant_lower(tf_ctx *ctx, void *match, const char *backend, struct tf_artifact *artifact)
{
    const struct quant *q = match;
    struct pk_text out = {.ctx = ctx};
    struct kernel k = {.ctx = ctx,
        .q = q,
        .entry = pk_entry(ctx, q->program),
        .type = cp_type(q->x->type->dtype),
        .codes = tf_host->dtype(q->codes)->name,
        .stored = cp_type(q->stored),
        .width = tf_host->element_bytes(q->x->type->dtype),
        .body = {.ctx = ctx}};
    if (strcmp(backend, "cpu-c") != 0)
        return TF_E_UNSUPPORTED;
    add_scale(&k);
    add_run(&k);
    add_function(&k);
    describe(&k, &out);
    pk_add(&out, "%s", CP_HEAD);
    cp_add(&out, k.body.at);
    pk_add(&out, "%s", k.body.at);
    return pk_finish(&out, k.entry, artifact);
}

const char *quant_declares(tf_ctx *ctx, void *match, const char *backend)
{
    (void)ctx;
    (void)match;
    (void)backend;
    return "div=0.5 exp2=0.5 log2=0.5 fma=no";
}

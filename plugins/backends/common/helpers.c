/* SPDX-License-Identifier: MIT
 * Functions that the made code calls.  Those that it names, and those that they name, go before it.  Conversions of f32
 * are the parts that paths use too.
 */
#include "../../paths/common/cpuparts.h"
#include "lower.h"

static const struct cp_part helpers[] = {
    {"MULTIPLY_ADD",
        "/* x * y + z; one operation where that is fast, else a product whose rounding does not matter. */\n"
        "#if defined(FP_FAST_FMAF) || defined(__FMA__)\n#define MULTIPLY_ADD(x, y, z) fmaf(x, y, z)\n"
        "#else\n#define MULTIPLY_ADD(x, y, z) ((x) * (y) + (z))\n#endif\n"},
    {"bits_of_f64", "static inline uint64_t bits_of_f64(double x)\n{\n    uint64_t bits;\n"
                    "    memcpy(&bits, &x, sizeof(bits));\n    return bits;\n}\n"},
    {"f64_of_bits", "static inline double f64_of_bits(uint64_t bits)\n{\n    double x;\n"
                    "    memcpy(&x, &bits, sizeof(x));\n    return x;\n}\n"},
    {"narrow_f32", "/* A float in e exponent and m fraction bits, to nearest even; past the largest code: top. */\n"
                   "static inline uint32_t narrow_f32(float x, unsigned e, unsigned m, unsigned bias, uint32_t top, "
                   "uint32_t nan)\n{\n"
                   "    const uint32_t bits = bits_of_f32(x), size = bits & UINT32_C(0x7fffffff);\n"
                   "    const unsigned cut = 23 - m;\n"
                   "    const uint32_t even = size + ((UINT32_C(1) << (cut - 1)) - 1) + (size >> cut & 1);\n"
                   "    const uint32_t normal = (even >> cut) - ((127 - bias) << m);\n"
                   "    const float step = f32_of_bits((127 + 23 + 1 - bias - m) << 23);\n"
                   "    const uint32_t small = bits_of_f32(f32_of_bits(size) + step) - bits_of_f32(step);\n"
                   "    uint32_t code = size < (127 + 1 - bias) << 23 ? small : normal;\n"
                   "    code = code > top ? top : code;\n    code = size > UINT32_C(0x7f800000) ? nan : code;\n"
                   "    return code | bits >> 31 << (e + m);\n}\n"},
    {"narrow_f64", "static inline uint32_t narrow_f64(double x, unsigned e, unsigned m, unsigned bias, uint32_t top, "
                   "uint32_t nan)\n{\n"
                   "    const uint64_t bits = bits_of_f64(x), size = bits & UINT64_C(0x7fffffffffffffff);\n"
                   "    const unsigned cut = 52 - m;\n"
                   "    const uint64_t even = size + ((UINT64_C(1) << (cut - 1)) - 1) + (size >> cut & 1);\n"
                   "    const uint64_t normal = (even >> cut) - ((uint64_t)(1023 - bias) << m);\n"
                   "    const double step = f64_of_bits((uint64_t)(1023 + 52 + 1 - bias - m) << 52);\n"
                   "    const uint64_t small = bits_of_f64(f64_of_bits(size) + step) - bits_of_f64(step);\n"
                   "    uint64_t code = size < (uint64_t)(1023 + 1 - bias) << 52 ? small : normal;\n"
                   "    code = code > top ? top : code;\n    code = size > UINT64_C(0x7ff0000000000000) ? nan : code;\n"
                   "    return (uint32_t)code | (uint32_t)(bits >> 63) << (e + m);\n}\n"},
    {"widen", "/* The float of a code: its bits at a float's places, multiplied to a float's bias, which is exact. */\n"
              "static inline float widen(uint32_t code, unsigned e, unsigned m, unsigned bias, int has_inf)\n{\n"
              "    const uint32_t size = code & ((UINT32_C(1) << (e + m)) - 1), bits = size << (23 - m);\n"
              "    const float x = f32_of_bits(bits) * f32_of_bits((127 + 127 - bias) << 23);\n"
              "    uint32_t out = has_inf && size >> m == (UINT32_C(1) << e) - 1 ? bits | UINT32_C(0x7f800000) : "
              "bits_of_f32(x);\n"
              "    out = bias == 7 && size == 0x7f ? UINT32_C(0x7fc00000) : out;\n"
              "    return f32_of_bits(out | (code >> (e + m) & 1) << 31);\n}\n"},
#define NARROW_F32(dtype, type, e, m, bias, top, past, nan)                                                            \
    {                                                                                                                  \
        dtype "_of_f32", "static inline " type " " dtype "_of_f32(float x)\n{\n    return (" type ")narrow_f32(x, " e  \
                         ", " m ", " bias ", FP8_OVERFLOW ? " past " : " top ", " nan ");\n}\n"                        \
    }
#define NARROW(dtype, type, e, m, bias, top, past, nan)                                                                \
    {dtype "_of_f64", "static inline " type " " dtype "_of_f64(double x)\n{\n    return (" type ")narrow_f64(x, " e    \
                      ", " m ", " bias ", FP8_OVERFLOW ? " past " : " top ", " nan ");\n}\n"},                         \
    {                                                                                                                  \
        dtype "_of_i64",                                                                                               \
            "static inline " type " " dtype "_of_i64(int64_t x)\n{\n    return " dtype "_of_f64(sticky_f64(x));\n}\n"  \
    }
    NARROW("f16", "uint16_t", "5", "10", "15", "0x7c00", "0x7c00", "0x7e00"),
    NARROW("bf16", "uint16_t", "8", "7", "127", "0x7f80", "0x7f80", "0x7fc0"),
    NARROW("fp8e4m3", "uint8_t", "4", "3", "7", "0x7e", "0x7f", "0x7f"),
    NARROW("fp8e5m2", "uint8_t", "5", "2", "15", "0x7b", "0x7c", "0x7f"),
    NARROW("f4e2m1", "uint8_t", "2", "1", "1", "7", "7", "7"),
    NARROW_F32("f4e2m1", "uint8_t", "2", "1", "1", "7", "7", "7"),
    {"f32_of_f4e2m1", "static inline float f32_of_f4e2m1(uint8_t x)\n{\n    return widen(x, 2, 1, 1, 0);\n}\n"},
    {"fp8e5m2_kept_of_f32", "/* One that is a code already, infinities too. */\n"
                            "static inline uint8_t fp8e5m2_kept_of_f32(float x)\n{\n"
                            "    return (uint8_t)narrow_f32(x, 5, 2, 15, 0x7c, 0x7f);\n}\n"},
    {"f8e8m0_of_f64", "static inline uint8_t f8e8m0_of_f64(double x)\n{\n"
                      "    const uint64_t size = bits_of_f64(x) & UINT64_C(0x7fffffffffffffff);\n"
                      "    int64_t e = (int64_t)(size >> 52) - (1023 - 127) + (int64_t)(size >> 51 & 1);\n"
                      "    e = size <= bits_of_f64(0x1p-127) ? 0 : size < bits_of_f64(0x1p-126) ? 1 : e;\n"
                      "    return (uint8_t)(e > 255 ? 255 : e);\n}\n"},
    {"f8e8m0_of_f32", "static inline uint8_t f8e8m0_of_f32(float x)\n{\n    return f8e8m0_of_f64((double)x);\n}\n"},
    {"f8e8m0_of_i64",
        "static inline uint8_t f8e8m0_of_i64(int64_t x)\n{\n    return f8e8m0_of_f64(sticky_f64(x));\n}\n"},
    {"f32_of_f8e8m0", "static inline float f32_of_f8e8m0(uint8_t x)\n{\n"
                      "    const uint32_t bits = x == 0 ? UINT32_C(0x00400000) : (uint32_t)x << 23;\n"
                      "    return f32_of_bits(x == 255 ? UINT32_C(0x7fc00000) : bits);\n}\n"},
    {"sticky_f64", "/* A double that rounds on as the integer does: what does not fit is left as an odd last bit. */\n"
                   "static inline double sticky_f64(int64_t x)\n{\n"
                   "    uint64_t size = x < 0 ? 0 - (uint64_t)x : (uint64_t)x, lost = 0;\n"
                   "    while ((size | lost) >> 53 > lost)\n        lost = 2 * lost + 1;\n"
                   "    size = (size & ~lost) | (size & lost ? lost + 1 : 0);\n"
                   "    return x < 0 ? -(double)size : (double)size;\n}\n"},
    {"i8_of_f64", "static inline int8_t i8_of_f64(double x)\n{\n"
                  "    return x > -129.0 && x < 128.0 ? (int8_t)x : INT8_MIN;\n}\n"},
    {"i32_of_f64", "static inline int32_t i32_of_f64(double x)\n{\n"
                   "    return x > -2147483649.0 && x < 2147483648.0 ? (int32_t)x : INT32_MIN;\n}\n"},
    {"i64_of_f64", "static inline int64_t i64_of_f64(double x)\n{\n"
                   "    return x >= -0x1p63 && x < 0x1p63 ? (int64_t)x : INT64_MIN;\n}\n"},
    {"u8_of_f64", "static inline uint8_t u8_of_f64(double x)\n{\n"
                  "    return x > -1.0 && x < 256.0 ? (uint8_t)x : 0;\n}\n"},
    {"bool_of_f64", "static inline uint8_t bool_of_f64(double x)\n{\n    return x != 0;\n}\n"},
    {"absolute_f32", "static inline float absolute_f32(float x)\n{\n    return fabsf(x);\n}\n"},
    {"absolute_f64", "static inline double absolute_f64(double x)\n{\n    return fabs(x);\n}\n"},
    {"gelu_by_tanh_f32", "static inline double gelu_by_tanh_f32(float x)\n{\n"
                         "    const float beta = 0x1.988454p-1f, kappa = 0.044715f, cube = x * x * x;\n"
                         "    const float inner = x + kappa * cube;\n"
                         "    return 0.5 * (double)x * (double)(1 + (float)tanh((double)(beta * inner)));\n}\n"},
    {"gelu_by_tanh_f64", "static inline double gelu_by_tanh_f64(double x)\n{\n"
                         "    const double cube = x * x * x, inner = x + 0.044715 * cube;\n"
                         "    return 0.5 * x * (1 + tanh(0.79788456080286535588 * inner));\n}\n"},
    {"gelu_by_erf_f32",
        "static inline double gelu_by_erf_f32(float x)\n{\n"
        "    return 0.5 * (double)x * (double)(1 + (float)erf((double)(x * (float)0.70710678118654752440)));\n}\n"},
    {"gelu_by_erf_f64", "static inline double gelu_by_erf_f64(double x)\n{\n"
                        "    return 0.5 * x * (1 + erf(x * 0.70710678118654752440));\n}\n"},
#define LANES(suffix, type, fabs)                                                                                      \
    {"at_least_" suffix,                                                                                               \
        "static inline " type " at_least_" suffix "(" type " x, " type " y)\n{\n    return x < y ? y : x;\n}\n"},      \
        {"at_most_" suffix,                                                                                            \
            "static inline " type " at_most_" suffix "(" type " x, " type " y)\n{\n    return x > y ? y : x;\n}\n"},   \
        {"larger_" suffix, "/* NaN is the largest. */\nstatic inline " type " larger_" suffix "(" type " x, " type     \
                           " y)\n{\n    return y > x || y != y ? y : x;\n}\n"},                                        \
    {                                                                                                                  \
        "larger_abs_" suffix, "static inline " type " larger_abs_" suffix "(" type " x, " type                         \
                              " y)\n{\n    return larger_" suffix "(x, " fabs "(y));\n}\n"                             \
    }
    LANES("f32", "float", "fabsf"),
    LANES("f64", "double", "fabs"),
    LANES("i64", "int64_t", ""),
    {"int_quotient", "static inline int64_t int_quotient(int64_t a, int64_t b, int *status)\n{\n"
                     "    if (b == 0) {\n        *status = 2;\n        return 0;\n    }\n"
                     "    if (b == -1)\n        return (int64_t)(0 - (uint64_t)a);\n"
                     "    return a / b - (a % b != 0 && (a % b < 0) != (b < 0));\n}\n"},
    {"int_remainder", "static inline int64_t int_remainder(int64_t a, int64_t b, int *status)\n{\n"
                      "    if (b == 0) {\n        *status = 2;\n        return 0;\n    }\n"
                      "    const int64_t r = b == -1 ? 0 : a % b;\n"
                      "    return r != 0 && (r < 0) != (b < 0) ? r + b : r;\n}\n"},
    {"key_of", "/* An integer in the order of the numbers: -0 equals +0, and NaN comes last. */\n"
               "static inline int64_t key_of(double x)\n{\n"
               "    const double y = x + 0.0;\n    int64_t bits;\n    memcpy(&bits, &y, sizeof(bits));\n"
               "    return y != y ? INT64_MAX : bits < 0 ? bits ^ INT64_MAX : bits;\n}\n"},
};

/* "static inline" is what the dialect says instead. */
static void add_definition(struct lower *l, struct text *out, const char *text)
{
    static const char mark[] = "static inline ";
    text_add(l, out, "\n");
    for (const char *at; (at = strstr(text, mark)) != NULL; text = at + sizeof(mark) - 1)
        text_add(l, out, "%.*s%s ", (int)(at - text), text, l->dialect->function);
    text_add(l, out, "%s", text);
}

/* Ours after those that are shared. */
static const struct cp_part *all_helpers(struct lower *l, size_t *n)
{
    const size_t own = sizeof(helpers) / sizeof(*helpers);
    const struct cp_part *shared = cp_parts(n);
    struct cp_part *all = tf_host->alloc(l->ctx, (*n + own) * sizeof(*all));
    memcpy(all, shared, *n * sizeof(*all));
    memcpy(all + *n, helpers, sizeof(helpers));
    *n += own;
    return all;
}

struct helpers {
    const struct cp_part *at;
    size_t n;
    uint8_t *done;
    struct text *out;
};

/* A helper's text, after those of what it calls; each once. */
static void add_helper(struct lower *l, struct helpers *all, size_t which)
{
    if (all->done[which])
        return;
    all->done[which] = 1;
    for (size_t i = 0; i < all->n; i++)
        if (i != which && cp_calls(all->at[which].text, all->at[i].name))
            add_helper(l, all, i);
    add_definition(l, all->out, all->at[which].text);
}

void helpers_add(struct lower *l, struct text *out, const struct text *body)
{
    struct helpers all = {.out = out};
    all.at = all_helpers(l, &all.n);
    all.done = tf_host->alloc(l->ctx, all.n);
    for (size_t i = 0; body->n && i < all.n; i++)
        if (cp_calls(body->at, all.at[i].name))
            add_helper(l, &all, i);
}

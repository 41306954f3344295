/* SPDX-License-Identifier: MIT
 *
 * Pieces of C for kernels of cpu-c: conversions between f32 and narrow floats, and largest magnitudes, all without a
 * branch, so that compilers make vectors of the loops that call them.  A path writes its body and has what that names
 * put before it.  Each conversion gives the bits that the evaluator gives, for every number, infinity and NaN.
 */
#ifndef TF_PATHS_COMMON_CPUPARTS_H
#define TF_PATHS_COMMON_CPUPARTS_H

#include "pathkit.h"

/* The head of a source, after its comment.  OMP(parallel for) is a pragma where OpenMP is there.  A loop that runs on
 * through memory asks for what follows by PREFETCH(address), which need not be the address of anything. */
#define CP_HEAD                                                                                                        \
    "#include <math.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <stdlib.h>\n#include <string.h>\n\n"        \
    "#ifdef __clang__\n#pragma STDC FP_CONTRACT OFF\n#elif defined(__GNUC__)\n"                                        \
    "#pragma GCC optimize(\"fp-contract=off\")\n#ifdef __AVX512BW__\n"                                                 \
    "#pragma GCC target(\"prefer-vector-width=512\")\n#endif\n#endif\n\n"                                              \
    "#define PRAGMA(text) _Pragma(#text)\n#ifdef _OPENMP\n#define OMP(text) PRAGMA(omp text)\n#else\n"                 \
    "#define OMP(text)\n#endif\n\n"                                                                                    \
    "/* x * y + z; one operation where that is fast, else a product whose rounding does not matter. */\n"              \
    "#if defined(FP_FAST_FMAF) || defined(__FMA__)\n#define FAST_FMA 1\n"                                              \
    "#define MULTIPLY_ADD(x, y, z) fmaf(x, y, z)\n#else\n#define FAST_FMA 0\n"                                         \
    "#define MULTIPLY_ADD(x, y, z) ((x) * (y) + (z))\n#endif\n\n"                                                      \
    "#ifdef __GNUC__\n#define PREFETCH(at) __builtin_prefetch((const void *)(at))\n#else\n"                            \
    "#define PREFETCH(at) ((void)(at))\n#endif\n\n"                                                                    \
    "/* 1: what passes the largest number of an eight-bit float becomes infinite, or NaN. */\n"                        \
    "#ifndef FP8_OVERFLOW\n#define FP8_OVERFLOW 0\n#endif\n"

struct cp_part {
    const char *name, *text;
};

/* What a part names stands before it. */
static inline const struct cp_part *cp_parts(size_t *n)
{
    static const struct cp_part parts[] = {
        {"bits_of_f32", "static inline uint32_t bits_of_f32(float x)\n"
                        "{\n"
                        "    uint32_t bits;\n"
                        "    memcpy(&bits, &x, sizeof(bits));\n"
                        "    return bits;\n"
                        "}\n"},
        {"f32_of_bits", "static inline float f32_of_bits(uint32_t bits)\n"
                        "{\n"
                        "    float x;\n"
                        "    memcpy(&x, &bits, sizeof(x));\n"
                        "    return x;\n"
                        "}\n"},
        {"f32_of_bf16", "static inline float f32_of_bf16(uint16_t x)\n"
                        "{\n"
                        "    return f32_of_bits((uint32_t)x << 16);\n"
                        "}\n"},
        {"bf16_of_f32", "static inline uint16_t bf16_of_f32(float x)\n"
                        "{\n"
                        "    const uint32_t bits = bits_of_f32(x), size = bits & 0x7fffffffu;\n"
                        "    const uint32_t even = (bits + 0x7fffu + (bits >> 16 & 1)) >> 16;\n"
                        "    const uint32_t nan = (bits >> 16 & 0x8000u) | 0x7fc0u;\n"
                        "    return (uint16_t)(size > 0x7f800000u ? nan : even);\n"
                        "}\n"},
        {"f32_of_f16_size",
            "/* Of a finite number's bits but its sign.  Subnormal numbers by a subtraction, as arithmetic\n"
            " * with subnormal floats is slow. */\n"
            "static inline float f32_of_f16_size(uint32_t size)\n"
            "{\n"
            "    const uint32_t bits = size << 13;\n"
            "    const uint32_t small = bits_of_f32(f32_of_bits(bits + (113u << 23)) - 0x1p-14f);\n"
            "    return f32_of_bits(size < 0x400u ? small : bits + (112u << 23));\n"
            "}\n"},
        {"f32_of_f16", "static inline float f32_of_f16(uint16_t x)\n"
                       "{\n"
                       "    const uint32_t size = x & 0x7fffu, number = bits_of_f32(f32_of_f16_size(size));\n"
                       "    const uint32_t out = size < 0x7c00u ? number : size << 13 | 0x7f800000u;\n"
                       "    return f32_of_bits(out | (uint32_t)(x & 0x8000u) << 16);\n"
                       "}\n"},
        {"f16_of_f32", "/* A size added to a power of two whose last bit is worth the code's last bit is rounded\n"
                       " * there.  The low bits of the sum are the code, but for the exponent: that is added, and the\n"
                       " * power's own low bits correct for the bias. */\n"
                       "static inline uint16_t f16_of_f32(float x)\n"
                       "{\n"
                       "    const uint32_t bits = bits_of_f32(x), size = bits & 0x7fffffffu;\n"
                       "    const float at = f32_of_bits(size) > 0x1p16f ? 0x1p16f : f32_of_bits(size);\n"
                       "    const uint32_t found = bits_of_f32(at) & 0x7f800000u, least = 113u << 23;\n"
                       "    const uint32_t exponent = found < least ? least : found;\n"
                       "    const float unit = f32_of_bits(exponent + (13u << 23 | 0x3c00u));\n"
                       "    const uint32_t number = bits_of_f32(at + unit) + (exponent >> 13);\n"
                       "    const uint32_t code = size > 0x7f800000u ? 0x7e00u : number;\n"
                       "    return (uint16_t)((code & 0x7fffu) | (bits >> 16 & 0x8000u));\n"
                       "}\n"},
        {"fp8e4m3_of_size",
            "/* The code of a number that is not negative, and less than halfway past the largest.  Added\n"
            " * to a power of two whose last bit is worth the code's last bit, it is rounded there.  The\n"
            " * low bits of the sum are the code, but for the exponent: that is added, and the power's own\n"
            " * low bits correct for the bias. */\n"
            "static inline uint32_t fp8e4m3_of_size(float size)\n"
            "{\n"
            "    const uint32_t found = bits_of_f32(size) & 0x7f800000u, least = 121u << 23;\n"
            "    const uint32_t exponent = found < least ? least : found;\n"
            "    const float sum = MULTIPLY_ADD(f32_of_bits(exponent), 0x1.00007p20f, size);\n"
            "    return (bits_of_f32(sum) + (exponent >> 20)) & 0x7fu;\n"
            "}\n"},
        {"fp8e4m3_of_number", "/* Of what is not NaN; past limit it is as limit: 448 to saturate, or 480 for NaN. */\n"
                              "static inline uint8_t fp8e4m3_of_number(float x, float limit)\n"
                              "{\n"
                              "    const float size = fabsf(x), at = size > limit ? limit : size;\n"
                              "    return (uint8_t)(fp8e4m3_of_size(at) | (bits_of_f32(x) >> 24 & 0x80u));\n"
                              "}\n"},
        {"fp8e4m3_of_f32", "static inline uint8_t fp8e4m3_of_f32(float x)\n"
                           "{\n"
                           "    const float limit = FP8_OVERFLOW ? 480.0f : 448.0f;\n"
                           "    return (uint8_t)(fp8e4m3_of_number(x, limit) | (x != x ? 0x7fu : 0u));\n"
                           "}\n"},
        {"fp8e5m2_of_size", "/* As fp8e4m3_of_size. */\n"
                            "static inline uint32_t fp8e5m2_of_size(float size)\n"
                            "{\n"
                            "    const uint32_t found = bits_of_f32(size) & 0x7f800000u, least = 113u << 23;\n"
                            "    const uint32_t exponent = found < least ? least : found;\n"
                            "    const float sum = MULTIPLY_ADD(f32_of_bits(exponent), 0x1.000078p21f, size);\n"
                            "    return (bits_of_f32(sum) + (exponent >> 21)) & 0x7fu;\n"
                            "}\n"},
        {"fp8e5m2_of_number",
            "/* Of what is not NaN; past limit it is as limit: 57344 to saturate, or 65536 for infinity. */\n"
            "static inline uint8_t fp8e5m2_of_number(float x, float limit)\n"
            "{\n"
            "    const float size = fabsf(x), at = size > limit ? limit : size;\n"
            "    return (uint8_t)(fp8e5m2_of_size(at) | (bits_of_f32(x) >> 24 & 0x80u));\n"
            "}\n"},
        {"fp8e5m2_of_f32", "static inline uint8_t fp8e5m2_of_f32(float x)\n"
                           "{\n"
                           "    const float limit = FP8_OVERFLOW ? 65536.0f : 57344.0f;\n"
                           "    return (uint8_t)(fp8e5m2_of_number(x, limit) | (x != x ? 0x7fu : 0u));\n"
                           "}\n"},
        {"f32_of_fp8e4m3", "static inline float f32_of_fp8e4m3(uint8_t x)\n"
                           "{\n"
                           "    const uint32_t size = x & 0x7fu, bits = size << 20;\n"
                           "    const uint32_t small = bits_of_f32(f32_of_bits(bits + (121u << 23)) - 0x1p-6f);\n"
                           "    const uint32_t number = size < 0x08u ? small : bits + (120u << 23);\n"
                           "    const uint32_t out = size < 0x7fu ? number : 0x7fc00000u;\n"
                           "    return f32_of_bits(out | (uint32_t)(x & 0x80u) << 24);\n"
                           "}\n"},
        {"f32_of_fp8e5m2", "static inline float f32_of_fp8e5m2(uint8_t x)\n"
                           "{\n"
                           "    const uint32_t size = x & 0x7fu, bits = size << 21;\n"
                           "    const uint32_t small = bits_of_f32(f32_of_bits(bits + (113u << 23)) - 0x1p-14f);\n"
                           "    const uint32_t number = size < 0x04u ? small : bits + (112u << 23);\n"
                           "    const uint32_t out = size < 0x7cu ? number : bits | 0x7f800000u;\n"
                           "    return f32_of_bits(out | (uint32_t)(x & 0x80u) << 24);\n"
                           "}\n"},
        {"quotient", "/* size / by, of which reciprocal is 1 / by.  Where a product and a sum are one operation, two\n"
                     " * corrections give the bits of the division in less time: the first leaves it one of the two\n"
                     " * floats beside the true quotient, and the second, whose remainder is exact then, the nearer\n"
                     " * one.  by is from 2^-80 to 2^100; what is less than 2^-20 may stay a last bit off. */\n"
                     "static inline float quotient(float size, float by, float reciprocal)\n"
                     "{\n"
                     "    const float first = size * reciprocal;\n"
                     "    const float second = MULTIPLY_ADD(MULTIPLY_ADD(-first, by, size), reciprocal, first);\n"
                     "    const float third = MULTIPLY_ADD(MULTIPLY_ADD(-second, by, size), reciprocal, second);\n"
                     "    return FAST_FMA ? third : size / by;\n"
                     "}\n"},
        {"quotient_16", "/* As quotient, of a size that was bf16 or f16: one correction does, for each of their\n"
                        " * significands by each of f32's. */\n"
                        "static inline float quotient_16(float size, float by, float reciprocal)\n"
                        "{\n"
                        "    const float first = size * reciprocal;\n"
                        "    const float second = MULTIPLY_ADD(MULTIPLY_ADD(-first, by, size), reciprocal, first);\n"
                        "    return FAST_FMA ? second : size / by;\n"
                        "}\n"},
        {"largest_16",
            "/* The largest of the sizes of n bf16 or f16 numbers: sizes order as their bits do, NaN last. */\n"
            "static inline uint16_t largest_16(const uint16_t *x, size_t n)\n"
            "{\n"
            "    uint16_t largest = 0;\n"
            "    OMP(simd reduction(max : largest))\n"
            "    for (size_t i = 0; i < n; i++) {\n"
            "        const uint16_t size = x[i] & 0x7fff;\n"
            "        largest = size > largest ? size : largest;\n"
            "    }\n"
            "    return largest;\n"
            "}\n"},
        {"largest_32", "/* The bits of the largest of the sizes of n f32 numbers, NaN last. */\n"
                       "static inline uint32_t largest_32(const float *x, size_t n)\n"
                       "{\n"
                       "    uint32_t largest = 0;\n"
                       "    OMP(simd reduction(max : largest))\n"
                       "    for (size_t i = 0; i < n; i++) {\n"
                       "        const uint32_t size = bits_of_f32(x[i]) & 0x7fffffffu;\n"
                       "        largest = size > largest ? size : largest;\n"
                       "    }\n"
                       "    return largest;\n"
                       "}\n"},
    };
    *n = sizeof(parts) / sizeof(*parts);
    return parts;
}

/* Whether text calls the function. */
static inline int cp_calls(const char *text, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = text; (at = strstr(at, name)) != NULL; at += n) {
        char before = at == text ? ' ' : at[-1];
        int inside = (before >= 'a' && before <= 'z') || (before >= '0' && before <= '9') || before == '_';
        if (!inside && at[n] == '(')
            return 1;
    }
    return 0;
}

/* The parts that body calls, and those that they call, in an order in which C takes them. */
static inline void cp_add(struct pk_text *out, const char *body)
{
    size_t n;
    const struct cp_part *parts = cp_parts(&n);
    char *wanted = tf_host->alloc(out->ctx, n);
    for (size_t i = n; i-- > 0;) {
        wanted[i] = (char)cp_calls(body, parts[i].name);
        for (size_t k = i + 1; k < n; k++)
            wanted[i] = (char)(wanted[i] || (wanted[k] && cp_calls(parts[k].text, parts[i].name)));
    }
    for (size_t i = 0; i < n; i++)
        if (wanted[i])
            pk_add(out, "\n%s", parts[i].text);
}

/* The type of C that holds an element of a float dtype; NULL for others. */
static inline const char *cp_type(uint32_t dtype)
{
    switch (dtype) {
    case TF_DTYPE_F32: return "float";
    case TF_DTYPE_F16:
    case TF_DTYPE_BF16: return "uint16_t";
    case TF_DTYPE_FP8E4M3:
    case TF_DTYPE_FP8E5M2: return "uint8_t";
    default: return NULL;
    }
}

/* An element's number in f32, and an element of a number: expressions of C. */
static inline const char *cp_number(tf_ctx *ctx, uint32_t dtype, const char *element)
{
    return dtype == TF_DTYPE_F32 ? element
                                 : tf_host->format(ctx, "f32_of_%s(%s)", tf_host->dtype(dtype)->name, element);
}

static inline const char *cp_element(tf_ctx *ctx, uint32_t dtype, const char *number)
{
    return dtype == TF_DTYPE_F32 ? number : tf_host->format(ctx, "%s_of_f32(%s)", tf_host->dtype(dtype)->name, number);
}

#endif

/* SPDX-License-Identifier: MIT
 * Functions that the made code calls, beyond those that kernels of paths share.
 */
#include "cpuparts.h"
#include "lower.h"

static const struct cp_part helpers[] = {
    {"bf16_uncut",
        "/* The bits of the nearest number of bf16, with others below them; a NaN may have none of those. */\n"
        "static inline uint32_t bf16_uncut(float x)\n"
        "{\n"
        "    const uint32_t bits = bits_of_f32(x);\n"
        "    return bits + 0x7fffu + (bits >> 16 & 1);\n"
        "}\n"},
    {"bf16_nearest", "static inline float bf16_nearest(float x)\n"
                     "{\n"
                     "    return f32_of_bits(bf16_uncut(x) & 0xffff0000u);\n"
                     "}\n"},
    {"first_bf16", "/* Of two neighbours in memory. */\n"
                   "static inline float first_bf16(uint32_t pair)\n"
                   "{\n"
                   "#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__\n"
                   "    return f32_of_bits(pair & 0xffff0000u);\n"
                   "#else\n"
                   "    return f32_of_bits(pair << 16);\n"
                   "#endif\n"
                   "}\n"},
    {"second_bf16", "static inline float second_bf16(uint32_t pair)\n"
                    "{\n"
                    "#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__\n"
                    "    return f32_of_bits(pair << 16);\n"
                    "#else\n"
                    "    return f32_of_bits(pair & 0xffff0000u);\n"
                    "#endif\n"
                    "}\n"},
    {"fp8e4m3_within",
        "/* The code, with bits above it, of a number from 0 to less than halfway past the largest.  A power\n"
        " * of two whose last bit is worth the code's is added, so that the sum is rounded there and ends in\n"
        " * the code but for its exponent; its own last bits correct for the bias. */\n"
        "static inline uint32_t fp8e4m3_within(float x)\n"
        "{\n"
        "    const uint32_t found = bits_of_f32(x) & 0x7f800000u, least = 121u << 23;\n"
        "    const uint32_t exponent = found < least ? least : found;\n"
        "    return bits_of_f32(fmaf(f32_of_bits(exponent), 0x1.00007p20f, x)) + (exponent >> 20);\n"
        "}\n"},
    {"fp8e5m2_within", "/* As fp8e4m3_within. */\n"
                       "static inline uint32_t fp8e5m2_within(float x)\n"
                       "{\n"
                       "    const uint32_t found = bits_of_f32(x) & 0x7f800000u, least = 113u << 23;\n"
                       "    const uint32_t exponent = found < least ? least : found;\n"
                       "    return bits_of_f32(fmaf(f32_of_bits(exponent), 0x1.000078p21f, x)) + (exponent >> 21);\n"
                       "}\n"},
    {"f8e8m0_of_f32",
        "/* The exponent of the nearest power of two, halves up; there is no 0. */\n"
        "static inline uint8_t f8e8m0_of_f32(float x)\n"
        "{\n"
        "    const uint32_t size = bits_of_f32(x) & 0x7fffffffu, near = (size >> 23) + (size >> 22 & 1);\n"
        "    const uint32_t code = size <= 0x400000u ? 0 : size < 0x800000u ? 1 : near;\n"
        "    return (uint8_t)(code > 255 ? 255 : code);\n"
        "}\n"},
    {"f32_of_f8e8m0", "static inline float f32_of_f8e8m0(uint8_t x)\n"
                      "{\n"
                      "    const uint32_t bits = x == 0 ? 0x00400000u : (uint32_t)x << 23;\n"
                      "    return f32_of_bits(x == 255 ? 0x7fc00000u : bits);\n"
                      "}\n"},
    {"odd_of_f64", "/* A float that rounds on as the double does: one that is not exact ends in a 1. */\n"
                   "static inline float odd_of_f64(double x)\n"
                   "{\n"
                   "    const float near = (float)x;\n"
                   "    const uint32_t bits = bits_of_f32(near);\n"
                   "    if ((double)near == x || x != x || bits & 1)\n"
                   "        return near;\n"
                   "    return f32_of_bits(fabs((double)near) < fabs(x) ? bits + 1 : bits - 1);\n"
                   "}\n"},
    {"at_least", "static inline float at_least(float x, float y)\n"
                 "{\n"
                 "    return x < y ? y : x;\n"
                 "}\n"},
    {"at_most", "static inline float at_most(float x, float y)\n"
                "{\n"
                "    return x > y ? y : x;\n"
                "}\n"},
    {"smaller", "static inline float smaller(float x, float y)\n"
                "{\n"
                "    return x != x ? x : y != y ? y : x < y ? x : y;\n"
                "}\n"},
    {"larger", "static inline float larger(float x, float y)\n"
               "{\n"
               "    return x != x ? x : y != y ? y : x > y ? x : y;\n"
               "}\n"},
    {"sum_of_eight", "static inline float sum_of_eight(const float *x)\n"
                     "{\n"
                     "    return 0.0f + x[0] + x[1] + x[2] + x[3] + x[4] + x[5] + x[6] + x[7];\n"
                     "}\n"},
    {"total_of", "static double total_of(const float *part, size_t n)\n"
                 "{\n"
                 "    double total = 0;\n"
                 "    for (size_t k = 0; k < n; k++)\n"
                 "        total += (double)part[k];\n"
                 "    return total;\n"
                 "}\n"},
    {"mean_between",
        "/* The parts, each added after the one before it, by count.  They were added in some order: where\n"
        " * none could give another float, that is the one. */\n"
        "static float mean_between(const float *part, size_t n, double count, double total, double size)\n"
        "{\n"
        "    const double error = size * (double)n * 0x1p-51;\n"
        "    const float low = (float)((total - error) / count), high = (float)((total + error) / count);\n"
        "    if (low == high && bits_of_f32(low) == bits_of_f32(high))\n"
        "        return low;\n"
        "    return (float)(total_of(part, n) / count);\n"
        "}\n"},
    {"mean_of", "static float mean_of(const float *part, size_t n, double count)\n"
                "{\n"
                "    double total = 0, size = 0;\n"
                "    OMP(simd reduction(+ : total, size))\n"
                "    for (size_t k = 0; k < n; k++) {\n"
                "        total += (double)part[k];\n"
                "        size += (double)fabsf(part[k]);\n"
                "    }\n"
                "    return mean_between(part, n, count, total, size);\n"
                "}\n"},
    {"mean_of_squares", "/* Of parts that are not negative. */\n"
                        "static float mean_of_squares(const float *part, size_t n, double count)\n"
                        "{\n"
                        "    double total = 0;\n"
                        "    OMP(simd reduction(+ : total))\n"
                        "    for (size_t k = 0; k < n; k++)\n"
                        "        total += (double)part[k];\n"
                        "    return mean_between(part, n, count, total, total);\n"
                        "}\n"},
    {"ask_for", "static inline void ask_for(uintptr_t at, size_t bytes)\n"
                "{\n"
                "    for (size_t k = 0; k < bytes; k += 64)\n"
                "        PREFETCH(at + k);\n"
                "}\n"},
    {"divides_quickly", "/* Whether products with the reciprocal and with what that lacks give the quotient's code.  "
                        "Of a quotient next to\n"
                        " * where codes change they do for all divisors but those just below a power of two; nothing "
                        "may underflow that\n"
                        " * matters, or be past the largest code. */\n"
                        "static inline int divides_quickly(float by, float most, float largest)\n"
                        "{\n"
                        "#if defined(FP_FAST_FMAF) || defined(__FMA__)\n"
                        "    const int is_below = (bits_of_f32(by) & 0x7fffffu) == 0x7fffffu;\n"
                        "    return by >= 0x1p-60f && by <= 0x1p60f && most < largest * by && !is_below;\n"
                        "#else\n"
                        "    return by != by && most > largest; /* no: fmaf would be slower than division is */\n"
                        "#endif\n"
                        "}\n"},
};
#define HELPERS (sizeof(helpers) / sizeof(*helpers))

/* Later functions call earlier ones only. */
void numbers_add(struct pk_text *out, const char *code)
{
    uint8_t is_called[HELPERS] = {0};
    struct pk_text own = {.ctx = out->ctx};
    for (size_t i = HELPERS; i-- > 0;) {
        is_called[i] = (uint8_t)cp_calls(code, helpers[i].name);
        for (size_t k = i + 1; k < HELPERS; k++)
            is_called[i] |= (uint8_t)(is_called[k] && cp_calls(helpers[k].text, helpers[i].name));
    }
    for (size_t i = 0; i < HELPERS; i++)
        if (is_called[i])
            pk_add(&own, "%s\n", helpers[i].text);
    pk_add(&own, "%s", code);
    cp_add(out, own.at);
    pk_add(out, "\n%s", own.at);
}

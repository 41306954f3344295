/* SPDX-License-Identifier: MIT
 * Exact conversions.  One formula serves every narrow float: a normal result is the source's bits, rounded at the place
 * where they are cut and moved to the other bias; a subnormal one falls out of adding a number whose last place is the
 * format's least step, so that the addition rounds.  Both are computed and one is selected, without a branch, so that
 * loops over them are vectorised.
 */
#include "plugin/numbers.h"

#include <string.h>

#define F32_INFINITY UINT32_C(0x7f800000)
#define F64_INFINITY UINT64_C(0x7ff0000000000000)

/* X(NAME, storage type, exponent bits, fraction bits, bias, largest code, code past it, code of NaN): formats with a
 * sign.  The code past the largest is what overflow gives where it does not saturate; f16 and bf16 never do. */
#define NARROW_FLOATS(X)                                                                                               \
    X(F16, uint16_t, 5, 10, 15, 0x7c00, 0x7c00, 0x7e00)                                                                \
    X(BF16, uint16_t, 8, 7, 127, 0x7f80, 0x7f80, 0x7fc0)                                                               \
    X(FP8E4M3, uint8_t, 4, 3, 7, 0x7e, 0x7f, 0x7f)                                                                     \
    X(FP8E5M2, uint8_t, 5, 2, 15, 0x7b, 0x7c, 0x7f)                                                                    \
    X(F4E2M1, uint8_t, 2, 1, 1, 0x7, 0x7, 0x7)

#define PLAIN_NUMBERS(X)                                                                                               \
    X(F32, float)                                                                                                      \
    X(F64, double)                                                                                                     \
    X(I8, int8_t)                                                                                                      \
    X(I32, int32_t)                                                                                                    \
    X(I64, int64_t)                                                                                                    \
    X(U8, uint8_t)                                                                                                     \
    X(BOOL, uint8_t)

static inline uint32_t bits_of_f32(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof(bits));
    return bits;
}

static inline float f32_of_bits(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof(x));
    return x;
}

static inline uint64_t bits_of_f64(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof(bits));
    return bits;
}

static inline double f64_of_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof(x));
    return x;
}

/* ---- narrow floats ------------------------------------------------------------------------------------------------*/

struct format {
    unsigned exponent, fraction, bias;
    uint32_t top, nan;
};

static inline uint32_t encode_f32(float x, struct format f)
{
    uint32_t bits = bits_of_f32(x), magnitude = bits & ~(UINT32_C(1) << 31);
    unsigned cut = 23 - f.fraction;
    uint32_t rounded = magnitude + ((UINT32_C(1) << (cut - 1)) - 1) + (magnitude >> cut & 1);
    uint32_t normal = (rounded >> cut) - ((127 - f.bias) << f.fraction);
    float step = f32_of_bits((127 + 23 + 1 - f.bias - f.fraction) << 23);
    uint32_t subnormal = bits_of_f32(f32_of_bits(magnitude) + step) - bits_of_f32(step);
    uint32_t code = magnitude < (127 + 1 - f.bias) << 23 ? subnormal : normal;
    code = code > f.top ? f.top : code;
    code = magnitude > F32_INFINITY ? f.nan : code;
    return code | bits >> 31 << (f.exponent + f.fraction);
}

static inline uint32_t encode_f64(double x, struct format f)
{
    uint64_t bits = bits_of_f64(x), magnitude = bits & ~(UINT64_C(1) << 63);
    unsigned cut = 52 - f.fraction;
    uint64_t rounded = magnitude + ((UINT64_C(1) << (cut - 1)) - 1) + (magnitude >> cut & 1);
    uint64_t normal = (rounded >> cut) - ((uint64_t)(1023 - f.bias) << f.fraction);
    double step = f64_of_bits((uint64_t)(1023 + 52 + 1 - f.bias - f.fraction) << 52);
    uint64_t subnormal = bits_of_f64(f64_of_bits(magnitude) + step) - bits_of_f64(step);
    uint64_t code = magnitude < (uint64_t)(1023 + 1 - f.bias) << 52 ? subnormal : normal;
    code = code > f.top ? f.top : code;
    code = magnitude > F64_INFINITY ? f.nan : code;
    return (uint32_t)code | (uint32_t)(bits >> 63) << (f.exponent + f.fraction);
}

/* The code's bits at f32's places, multiplied to f32's bias, which is exact; then what is no number. */
static inline float decode(uint32_t code, struct format f)
{
    unsigned width = f.exponent + f.fraction;
    uint32_t magnitude = code & ((UINT32_C(1) << width) - 1);
    uint32_t bits = magnitude << (23 - f.fraction);
    float value = f32_of_bits(bits) * f32_of_bits((127 + 127 - f.bias) << 23);
    uint32_t is_special =
        f.nan == f.top + 1 || f.bias == 1 ? 0u : (uint32_t)(magnitude >> f.fraction == (UINT32_C(1) << f.exponent) - 1);
    uint32_t out = is_special ? bits | F32_INFINITY : bits_of_f32(value);
    out = f.bias == 7 && magnitude == 0x7f ? UINT32_C(0x7fc00000) : out;
    return f32_of_bits(out | (code >> width & 1) << 31);
}

#define X(NAME, type, e, m, bias, top, past, nan)                                                                      \
    static inline float decode_##NAME(type code)                                                                       \
    {                                                                                                                  \
        return decode(code, (struct format){e, m, bias, top, nan});                                                    \
    }                                                                                                                  \
    static inline type encode_f32_##NAME(float x, uint32_t fp8_overflow)                                               \
    {                                                                                                                  \
        return (type)encode_f32(x, (struct format){e, m, bias, fp8_overflow ? past : top, nan});                       \
    }                                                                                                                  \
    static inline type encode_f64_##NAME(double x, uint32_t fp8_overflow)                                              \
    {                                                                                                                  \
        return (type)encode_f64(x, (struct format){e, m, bias, fp8_overflow ? past : top, nan});                       \
    }
NARROW_FLOATS(X)
#undef X

/* ---- f8e8m0: powers of two, without a sign; 0 is 2^-127, ties go up ----------------------------------------------*/

static inline float decode_F8E8M0(uint8_t code)
{
    uint32_t bits = (uint32_t)code << 23;
    bits = code == 0 ? UINT32_C(0x00400000) : bits;
    return f32_of_bits(code == 255 ? UINT32_C(0x7fc00000) : bits);
}

static inline uint8_t encode_f64_F8E8M0(double x, uint32_t fp8_overflow)
{
    (void)fp8_overflow;
    uint64_t magnitude = bits_of_f64(x) & ~(UINT64_C(1) << 63);
    int64_t exponent = (int64_t)(magnitude >> 52) - (1023 - 127) + (int64_t)(magnitude >> 51 & 1);
    exponent = magnitude <= bits_of_f64(0x1p-127) ? 0 : magnitude < bits_of_f64(0x1p-126) ? 1 : exponent;
    return (uint8_t)(exponent > 255 ? 255 : exponent);
}

static inline uint8_t encode_f32_F8E8M0(float x, uint32_t fp8_overflow)
{
    return encode_f64_F8E8M0((double)x, fp8_overflow);
}

/* ---- plain numbers ------------------------------------------------------------------------------------------------*/

#define SIGNED_FROM_FLOAT(NAME, type, least, past)                                                                     \
    static inline type encode_f64_##NAME(double x, uint32_t fp8_overflow)                                              \
    {                                                                                                                  \
        (void)fp8_overflow;                                                                                            \
        return x > (least)-1.0 && x < (past) ? (type)x : (type)(least);                                                \
    }
SIGNED_FROM_FLOAT(I8, int8_t, -0x1p7, 0x1p7)
SIGNED_FROM_FLOAT(I32, int32_t, -0x1p31, 0x1p31)
SIGNED_FROM_FLOAT(U8, uint8_t, 0.0, 0x1p8)

static inline int64_t encode_f64_I64(double x, uint32_t fp8_overflow)
{
    (void)fp8_overflow;
    return x >= -0x1p63 && x < 0x1p63 ? (int64_t)x : INT64_MIN;
}

static inline uint8_t encode_f64_BOOL(double x, uint32_t fp8_overflow)
{
    (void)fp8_overflow;
    return x != 0;
}

static inline float encode_f64_F32(double x, uint32_t fp8_overflow)
{
    (void)fp8_overflow;
    return (float)x;
}

static inline double encode_f64_F64(double x, uint32_t fp8_overflow)
{
    (void)fp8_overflow;
    return x;
}

#define X(NAME, type)                                                                                                  \
    static inline type encode_f32_##NAME(float x, uint32_t fp8_overflow)                                               \
    {                                                                                                                  \
        return encode_f64_##NAME((double)x, fp8_overflow);                                                             \
    }                                                                                                                  \
    static inline type decode_##NAME(type x)                                                                           \
    {                                                                                                                  \
        return x;                                                                                                      \
    }
PLAIN_NUMBERS(X)
#undef X

/* ---- from integers ------------------------------------------------------------------------------------------------*/

/* A double that rounds to every narrower format as the integer does: what does not fit is left as an odd last bit. */
static inline double sticky_f64(int64_t x)
{
    uint64_t magnitude = x < 0 ? 0 - (uint64_t)x : (uint64_t)x;
    unsigned used = magnitude ? 64 - (unsigned)__builtin_clzll(magnitude) : 0;
    if (used > 53) {
        uint64_t lost = (UINT64_C(1) << (used - 53)) - 1;
        magnitude = (magnitude & ~lost) | (magnitude & lost ? lost + 1 : 0);
    }
    return x < 0 ? -(double)magnitude : (double)magnitude;
}

#define X(NAME, type, ...)                                                                                             \
    static inline type encode_i64_##NAME(int64_t x, uint32_t fp8_overflow)                                             \
    {                                                                                                                  \
        return encode_f64_##NAME(sticky_f64(x), fp8_overflow);                                                         \
    }
NARROW_FLOATS(X)
X(F8E8M0, uint8_t)
#undef X

#define X(NAME, type)                                                                                                  \
    static inline type encode_i64_##NAME(int64_t x, uint32_t fp8_overflow)                                             \
    {                                                                                                                  \
        (void)fp8_overflow;                                                                                            \
        return (type)x;                                                                                                \
    }
X(F32, float)
X(F64, double)
X(I8, int8_t)
X(I32, int32_t)
X(I64, int64_t)
X(U8, uint8_t)
#undef X

static inline uint8_t encode_i64_BOOL(int64_t x, uint32_t fp8_overflow)
{
    (void)fp8_overflow;
    return x != 0;
}

/* A float goes to i64 as to any integer; integers as they are. */
#define i64_of(x)                                                                                                      \
    _Generic((x), float                                                                                                \
             : encode_f64_I64((double)(x), 0), double                                                                  \
             : encode_f64_I64((double)(x), 0), default                                                                 \
             : (int64_t)(x))

/* ---- arrays -------------------------------------------------------------------------------------------------------*/

#define ALL_DTYPES(X)                                                                                                  \
    NARROW_FLOATS(X)                                                                                                   \
    X(F8E8M0, uint8_t)                                                                                                 \
    PLAIN_NUMBERS(X)

#define INLINE static inline __attribute__((always_inline)) /* into what is compiled for a processor */

/* Whole blocks have a length that the compiler knows, which is when it vectorises at -O2. */
#define BLOCK 64
#define EACH(n, statement)                                                                                             \
    do {                                                                                                               \
        size_t at_ = 0;                                                                                                \
        for (; (n)-at_ >= BLOCK; at_ += BLOCK)                                                                         \
            for (size_t k_ = 0; k_ < BLOCK; k_++) {                                                                    \
                size_t i = at_ + k_;                                                                                   \
                statement;                                                                                             \
            }                                                                                                          \
        for (size_t i = at_; i < (n); i++)                                                                             \
            statement;                                                                                                 \
    } while (0)

#define X(NAME, type, ...)                                                                                             \
    INLINE void load_f32_##NAME(size_t n, const type *restrict from, float *restrict to)                               \
    {                                                                                                                  \
        EACH(n, to[i] = (float)decode_##NAME(from[i]));                                                                \
    }                                                                                                                  \
    INLINE void load_f64_##NAME(size_t n, const type *restrict from, double *restrict to)                              \
    {                                                                                                                  \
        EACH(n, to[i] = (double)decode_##NAME(from[i]));                                                               \
    }                                                                                                                  \
    INLINE void load_i64_##NAME(size_t n, const type *restrict from, int64_t *restrict to)                             \
    {                                                                                                                  \
        EACH(n, to[i] = i64_of(decode_##NAME(from[i])));                                                               \
    }                                                                                                                  \
    INLINE void store_f32_##NAME(size_t n, const float *restrict from, type *restrict to, uint32_t fp8_overflow)       \
    {                                                                                                                  \
        EACH(n, to[i] = encode_f32_##NAME(from[i], fp8_overflow));                                                     \
    }                                                                                                                  \
    INLINE void store_f64_##NAME(size_t n, const double *restrict from, type *restrict to, uint32_t fp8_overflow)      \
    {                                                                                                                  \
        EACH(n, to[i] = encode_f64_##NAME(from[i], fp8_overflow));                                                     \
    }                                                                                                                  \
    INLINE void store_i64_##NAME(size_t n, const int64_t *restrict from, type *restrict to, uint32_t fp8_overflow)     \
    {                                                                                                                  \
        EACH(n, to[i] = encode_i64_##NAME(from[i], fp8_overflow));                                                     \
    }
ALL_DTYPES(X)
#undef X

uint32_t number_bytes(uint32_t dtype)
{
    switch (dtype) {
#define X(NAME, type, ...)                                                                                             \
    case TF_DTYPE_##NAME: return sizeof(type);
        ALL_DTYPES(X)
#undef X
    default: return 0;
    }
}

/* The same loops are compiled for processors with wide vectors too; they give the same bits, as each is one conversion. */
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define TARGETS(X)                                                                                                     \
    X(wide, __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl"))))                                             \
    X(half, __attribute__((target("avx2"))))                                                                           \
    X(plain, )
#define CHOOSE(call)                                                                                                   \
    do {                                                                                                               \
        if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&                                 \
            __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))                                  \
            wide_##call;                                                                                               \
        else if (__builtin_cpu_supports("avx2"))                                                                       \
            half_##call;                                                                                               \
        else                                                                                                           \
            plain_##call;                                                                                              \
    } while (0)
#else
#define TARGETS(X) X(plain, )
#define CHOOSE(call) plain_##call
#endif

#define LOAD_CASE_f32(NAME, ...)                                                                                       \
    case TF_DTYPE_##NAME:                                                                                              \
        load_f32_##NAME(n, from, to);                                                                                  \
        break;
#define LOAD_CASE_f64(NAME, ...)                                                                                       \
    case TF_DTYPE_##NAME:                                                                                              \
        load_f64_##NAME(n, from, to);                                                                                  \
        break;
#define LOAD_CASE_i64(NAME, ...)                                                                                       \
    case TF_DTYPE_##NAME:                                                                                              \
        load_i64_##NAME(n, from, to);                                                                                  \
        break;
#define STORE_CASE_f32(NAME, ...)                                                                                      \
    case TF_DTYPE_##NAME:                                                                                              \
        store_f32_##NAME(n, from, to, fp8_overflow);                                                                   \
        break;
#define STORE_CASE_f64(NAME, ...)                                                                                      \
    case TF_DTYPE_##NAME:                                                                                              \
        store_f64_##NAME(n, from, to, fp8_overflow);                                                                   \
        break;
#define STORE_CASE_i64(NAME, ...)                                                                                      \
    case TF_DTYPE_##NAME:                                                                                              \
        store_i64_##NAME(n, from, to, fp8_overflow);                                                                   \
        break;
#define X(processor, attribute)                                                                                        \
    attribute static void processor##_load_f32(uint32_t dtype, size_t n, const void *from, float *to)                  \
    {                                                                                                                  \
        switch (dtype) {                                                                                               \
            ALL_DTYPES(LOAD_CASE_f32)                                                                                  \
        }                                                                                                              \
    }                                                                                                                  \
    attribute static void processor##_load_f64(uint32_t dtype, size_t n, const void *from, double *to)                 \
    {                                                                                                                  \
        switch (dtype) {                                                                                               \
            ALL_DTYPES(LOAD_CASE_f64)                                                                                  \
        }                                                                                                              \
    }                                                                                                                  \
    attribute static void processor##_store_f32(                                                                       \
        uint32_t dtype, size_t n, const float *from, void *to, uint32_t fp8_overflow)                                  \
    {                                                                                                                  \
        switch (dtype) {                                                                                               \
            ALL_DTYPES(STORE_CASE_f32)                                                                                 \
        }                                                                                                              \
    }                                                                                                                  \
    attribute static void processor##_store_f64(                                                                       \
        uint32_t dtype, size_t n, const double *from, void *to, uint32_t fp8_overflow)                                 \
    {                                                                                                                  \
        switch (dtype) {                                                                                               \
            ALL_DTYPES(STORE_CASE_f64)                                                                                 \
        }                                                                                                              \
    }
TARGETS(X)
#undef X

void number_load_f32(uint32_t dtype, size_t n, const void *from, float *to)
{
    CHOOSE(load_f32(dtype, n, from, to));
}

void number_load_f64(uint32_t dtype, size_t n, const void *from, double *to)
{
    CHOOSE(load_f64(dtype, n, from, to));
}

void number_store_f32(uint32_t dtype, size_t n, const float *from, void *to, uint32_t fp8_overflow)
{
    CHOOSE(store_f32(dtype, n, from, to, fp8_overflow));
}

void number_store_f64(uint32_t dtype, size_t n, const double *from, void *to, uint32_t fp8_overflow)
{
    CHOOSE(store_f64(dtype, n, from, to, fp8_overflow));
}

void number_load_i64(uint32_t dtype, size_t n, const void *from, int64_t *to)
{
    switch (dtype) {
        ALL_DTYPES(LOAD_CASE_i64)
    }
}

void number_store_i64(uint32_t dtype, size_t n, const int64_t *from, void *to, uint32_t fp8_overflow)
{
    switch (dtype) {
        ALL_DTYPES(STORE_CASE_i64)
    }
}

/* Rows of a matrix: normed, quantised, or both, each read once.
 *
 * A team of TEAM threads has a row, or CLUSTER teams have equal parts of one; each thread keeps VECTORS times eight
 * neighbours in registers.  What the program says is in the functions above: `sums`, `held`, `scale_of`.
 *
 * Sums are of aligned eights, left to right in f32, and those are folded in f64: no count of threads changes the result.
 * A quotient is that of IEEE 754: a product with the reciprocal, then mended by its own remainder.
 */

/* ---- numbers ------------------------------------------------------------------------------------------------------*/

static __device__ __forceinline__ float low_bf16(unsigned pair) { return __uint_as_float(pair << 16); }
static __device__ __forceinline__ float high_bf16(unsigned pair) { return __uint_as_float(pair & 0xffff0000u); }

static __device__ __forceinline__ unsigned pack_bf16(float low, float high)
{
    unsigned pair;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
    return pair;
}

static __device__ __forceinline__ unsigned multiply_bf16(unsigned a, unsigned b)
{
    unsigned pair;
    asm("mul.rn.bf16x2 %0, %1, %2;" : "=r"(pair) : "r"(a), "r"(b));
    return pair;
}

static __device__ __forceinline__ float low_f16(unsigned pair)
{
    float x;
    asm("{ .reg .b16 l, h; mov.b32 {l, h}, %1; cvt.f32.f16 %0, l; }" : "=f"(x) : "r"(pair));
    return x;
}

static __device__ __forceinline__ float high_f16(unsigned pair)
{
    float x;
    asm("{ .reg .b16 l, h; mov.b32 {l, h}, %1; cvt.f32.f16 %0, h; }" : "=f"(x) : "r"(pair));
    return x;
}

static __device__ __forceinline__ unsigned pack_f16(float low, float high)
{
    unsigned pair;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
    return pair;
}

/* Codes of two numbers, the first in the lower byte; beyond the largest number, the largest. */
static __device__ __forceinline__ unsigned encode(float low, float high)
{
    unsigned short pair;
    asm("cvt.rn.satfinite." CODES "x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(high), "f"(low));
    return pair;
}

/* 1 / sqrt(x), rounded once. */
static __device__ __forceinline__ float rsqrt_rounded(float x)
{
    float guess;
    asm("rsqrt.approx.f32 %0, %1;" : "=f"(guess) : "f"(x));
    if (!(x >= 0x1p-126f && x < 0x1p127f))
        return (float)(1.0 / sqrt((double)x));
    double y = (double)guess, half = 0.5 * (double)x;
    y = y * __fma_rn(-half * y, y, 1.5);
    y = y * __fma_rn(-half * y, y, 1.5);
    return (float)y;
}

/* ---- eights -------------------------------------------------------------------------------------------------------*/

#if IN_BYTES == 2
#define IN_WORDS 4
#else
#define IN_WORDS 8
#endif
#define COUNT (LENGTH / CLUSTER)         /* elements of a row that a team has */
#define EIGHTS ((COUNT + 7) / 8)
#define IS_FULL (TEAM * VECTORS == EIGHTS && COUNT % 8 == 0)
#define IS_ALIGNED (LENGTH % 8 == 0 && COUNT % 8 == 0)

struct eight {
    unsigned word[IN_WORDS];
};

static __device__ __forceinline__ void load_words(const void *from, unsigned *word, int words)
{
    for (int i = 0; i < words; i += 4)
        asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(word[i]), "=r"(word[i + 1]), "=r"(word[i + 2]), "=r"(word[i + 3])
                     : "l"((const char *)from + 4 * i));
}

static __device__ __forceinline__ float low(unsigned pair) { return LOW_IN(pair); }
static __device__ __forceinline__ float high(unsigned pair) { return HIGH_IN(pair); }

/* Rows of a matrix: normed, quantised, or both, each read once.
 *
 * A team of TEAM threads has a row, or CLUSTER teams have equal parts of one; each thread keeps VECTORS times eight
 * neighbours in registers.  What the program says is in the functions above: `held`, `r_of`, `scale_of` and the like.
 *
 * Sums are of aligned eights, left to right in f32, and those are folded in f64: no count of threads changes the result.
 * A quotient is that of IEEE 754: a product with the reciprocal, then mended by its own remainder.
 */

/* ---- numbers ------------------------------------------------------------------------------------------------------*/

__device__ __forceinline__ float low_bf16(unsigned pair) { return __uint_as_float(pair << 16); }
__device__ __forceinline__ float high_bf16(unsigned pair) { return __uint_as_float(pair & 0xffff0000u); }

__device__ __forceinline__ unsigned pack_bf16(float low, float high)
{
    unsigned pair;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
    return pair;
}

__device__ __forceinline__ unsigned multiply_bf16(unsigned a, unsigned b)
{
    unsigned pair;
    asm("mul.rn.bf16x2 %0, %1, %2;" : "=r"(pair) : "r"(a), "r"(b));
    return pair;
}

__device__ __forceinline__ float low_f16(unsigned pair)
{
    float x;
    asm("{ .reg .b16 l, h; mov.b32 {l, h}, %1; cvt.f32.f16 %0, l; }" : "=f"(x) : "r"(pair));
    return x;
}

__device__ __forceinline__ float high_f16(unsigned pair)
{
    float x;
    asm("{ .reg .b16 l, h; mov.b32 {l, h}, %1; cvt.f32.f16 %0, h; }" : "=f"(x) : "r"(pair));
    return x;
}

__device__ __forceinline__ unsigned pack_f16(float low, float high)
{
    unsigned pair;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
    return pair;
}

__device__ __forceinline__ unsigned bf16_of_f32(float x) { return pack_bf16(x, 0.0f) & 0xffffu; }
__device__ __forceinline__ float f32_of_bf16(unsigned x) { return low_bf16(x); }

/* NaN is neither the larger nor the smaller: it stays. */
__device__ __forceinline__ float larger(float x, float y) { return x > y || x != x ? x : y; }
__device__ __forceinline__ float smaller(float x, float y) { return x < y || x != x ? x : y; }
__device__ __forceinline__ float at_least(float x, float low) { return x < low ? low : x; }
__device__ __forceinline__ float at_most(float x, float high) { return x > high ? high : x; }

/* Codes of two numbers, the first in the lower byte; beyond the largest number, the largest, but where FP8_OVERFLOW has
 * them infinite, or NaN. */
__device__ __forceinline__ unsigned encode(float low, float high)
{
    unsigned short pair;
    asm("cvt.rn.satfinite." CODES "x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(high), "f"(low));
#if FP8_OVERFLOW
    if (!(fabsf(low) < CODES_END) && low == low)
        pair = (unsigned short)((pair & 0xff80u) | CODES_BEYOND);
    if (!(fabsf(high) < CODES_END) && high == high)
        pair = (unsigned short)((pair & 0x80ffu) | CODES_BEYOND << 8);
#endif
    return pair;
}

/* Where the short way does not hold. */
__device__ __noinline__ float rsqrt_slowly(float x) { return (float)(1.0 / sqrt((double)x)); }

/* 1 / sqrt(x), rounded once: a guess, mended in f32 by its exact remainder, then in f64. */
__device__ __forceinline__ float rsqrt_rounded(float x)
{
    float y;
    asm("rsqrt.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
    if (!(x > 0x1p-100f && x < 0x1p100f))
        return rsqrt_slowly(x);
    const float p = x * y, lost = __fmaf_rn(x, y, -p);
    y = __fmaf_rn(0.5f * y, __fmaf_rn(-lost, y, __fmaf_rn(-p, y, 1.0f)), y);
    const double d = (double)y, e = __fma_rn(-(double)x * d, d, 1.0);
    return (float)__fma_rn(0.5 * d, e, d);
}

/* 1 / x of IEEE 754, for x between 2^-100 and 2^100. */
__device__ __forceinline__ float reciprocal_rounded(float x)
{
    float y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    y = __fmaf_rn(y, __fmaf_rn(-x, y, 1.0f), y);
    return __fmaf_rn(y, __fmaf_rn(-x, y, 1.0f), y);
}

/* ---- what the sizes come to ---------------------------------------------------------------------------------------*/

#define COUNT (LENGTH / CLUSTER) /* elements of a row that a team has */
#define EIGHTS ((COUNT + 7) / 8)
#define IS_ALIGNED (LENGTH % 8 == 0 && COUNT % 8 == 0)
#define IS_FULL (TEAM * VECTORS == EIGHTS && COUNT % 8 == 0)
#define WARPS (TEAM / 32)
#define IN_WORDS (2 * IN_BYTES) /* of eight elements; elements of two bytes lie in pairs */
#define HELD_WORDS (2 * HELD_BYTES)

struct eight {
    unsigned word[8];
};

struct statistics {
    float mean, r; /* r: what the program makes of the mean of the squares, or of the variance */
};

/* ---- memory -------------------------------------------------------------------------------------------------------*/

__device__ __forceinline__ void load_vector(const void *from, unsigned *word)
{
    asm volatile("ld.global.nc.L1::no_allocate.L2::128B.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(word[0]), "=r"(word[1]), "=r"(word[2]), "=r"(word[3])
                 : "l"(from));
}

/* What all rows read stays in the L1 cache. */
__device__ __forceinline__ void load_kept_vector(const void *from, unsigned *word)
{
    asm volatile("ld.global.nc.L1::evict_last.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(word[0]), "=r"(word[1]), "=r"(word[2]), "=r"(word[3])
                 : "l"(from));
}

/* Eight neighbours that begin at an element; what lies beyond COUNT is 0. */
template <int BYTES, bool IS_KEPT> __device__ __forceinline__ eight load_eight(const void *row, unsigned c)
{
    eight e;
    const char *from = (const char *)row + (size_t)c * 8 * BYTES;
#if IS_ALIGNED
#pragma unroll
    for (int i = 0; i < 2 * BYTES; i++)
        e.word[i] = 0;
    if (IS_FULL || c < EIGHTS) {
        IS_KEPT ? load_kept_vector(from, e.word) : load_vector(from, e.word);
        if (BYTES == 4)
            IS_KEPT ? load_kept_vector(from + 16, e.word + 4) : load_vector(from + 16, e.word + 4);
    }
#else
#pragma unroll
    for (int i = 0; i < 8; i++) {
        const bool there = 8 * c + i < COUNT;
        if (BYTES == 4) {
            e.word[i] = there ? ((const unsigned *)from)[i] : 0;
        } else {
            unsigned x = there ? ((const unsigned short *)from)[i] : 0;
            e.word[i / 2] = i % 2 ? e.word[i / 2] | x << 16 : x;
        }
    }
#endif
    return e;
}

template <int BYTES> __device__ __forceinline__ void store_eight(void *row, unsigned c, const eight &e)
{
    char *to = (char *)row + (size_t)c * 8 * BYTES;
#if IS_ALIGNED
    if (!IS_FULL && c >= EIGHTS)
        return;
    if (BYTES == 1) {
        *(uint2 *)to = make_uint2(e.word[0], e.word[1]);
    } else {
        *(uint4 *)to = make_uint4(e.word[0], e.word[1], e.word[2], e.word[3]);
        if (BYTES == 4)
            *(uint4 *)(to + 16) = make_uint4(e.word[4], e.word[5], e.word[6], e.word[7]);
    }
#else
#pragma unroll
    for (int i = 0; i < 8; i++)
        if (8 * c + i < COUNT) {
            if (BYTES == 1)
                to[i] = (char)(e.word[i / 4] >> 8 * (i % 4));
            else if (BYTES == 2)
                ((unsigned short *)to)[i] = (unsigned short)(e.word[i / 2] >> 16 * (i % 2));
            else
                ((unsigned *)to)[i] = e.word[i];
        }
#endif
}

/* ---- one element of eight -----------------------------------------------------------------------------------------*/

__device__ __forceinline__ float in_at(const eight &e, int i)
{
    return IN_BYTES == 4 ? __uint_as_float(e.word[i]) : i % 2 ? HIGH_IN(e.word[i / 2]) : LOW_IN(e.word[i / 2]);
}

__device__ __forceinline__ float held_at(const eight &e, int i)
{
    return HELD_BYTES == 4 ? __uint_as_float(e.word[i]) : i % 2 ? HIGH_HELD(e.word[i / 2]) : LOW_HELD(e.word[i / 2]);
}

/* ---- across threads -----------------------------------------------------------------------------------------------*/

__device__ __forceinline__ double warp_sum(double x)
{
#pragma unroll
    for (int lanes = 16; lanes; lanes /= 2)
        x += __shfl_xor_sync(~0u, x, lanes);
    return x;
}

__device__ __forceinline__ double block_sum(double x, double *room)
{
    x = warp_sum(x);
    if (WARPS == 1)
        return x;
    if (threadIdx.x % 32 == 0)
        room[threadIdx.x / 32] = x;
    __syncthreads();
    if (WARPS > 8)
        return warp_sum(threadIdx.x % 32 < WARPS ? room[threadIdx.x % 32] : 0.0);
    x = room[0];
#if WARPS > 1 && WARPS <= 8
#pragma unroll
    for (int i = 1; i < WARPS; i++)
        x += room[i];
#endif
    return x;
}

__device__ __forceinline__ unsigned block_most(unsigned x, unsigned *room)
{
    x = __reduce_max_sync(~0u, x);
    if (WARPS == 1)
        return x;
    if (threadIdx.x % 32 == 0)
        room[threadIdx.x / 32] = x;
    __syncthreads();
    return __reduce_max_sync(~0u, threadIdx.x % 32 < WARPS ? room[threadIdx.x % 32] : 0u);
}

#if CLUSTER > 1
__device__ __forceinline__ void cluster_barrier()
{
    asm volatile("barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

__device__ __forceinline__ unsigned rank_in_cluster()
{
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

/* Where a CTA of the cluster has what lies here at `room`. */
__device__ __forceinline__ unsigned peer_address(const void *room, unsigned rank)
{
    unsigned address;
    asm("mapa.shared::cluster.u32 %0, %1, %2;"
        : "=r"(address)
        : "r"((unsigned)__cvta_generic_to_shared(room)), "r"(rank));
    return address;
}
#else
__device__ __forceinline__ unsigned rank_in_cluster() { return 0; }
#endif

/* Of the whole row: each in the order of the ranks, so that all have the same bits. */
__device__ __forceinline__ double row_sum(double x, double *room)
{
    x = block_sum(x, room);
#if CLUSTER > 1
    double sum = 0;
    if (threadIdx.x == 0)
        room[32] = x;
    cluster_barrier();
    for (unsigned rank = 0; rank < CLUSTER; rank++) {
        asm volatile("ld.shared::cluster.f64 %0, [%1];" : "=d"(x) : "r"(peer_address(room + 32, rank)));
        sum += x;
    }
    x = sum;
#endif
    return x;
}

__device__ __forceinline__ unsigned row_most(unsigned x, unsigned *room)
{
    x = block_most(x, room);
#if CLUSTER > 1
    unsigned most = 0;
    if (threadIdx.x == 0)
        room[32] = x;
    cluster_barrier();
    for (unsigned rank = 0; rank < CLUSTER; rank++) {
        asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(x) : "r"(peer_address(room + 32, rank)));
        most = x > most ? x : most;
    }
    x = most;
#endif
    return x;
}

/* ---- sums ---------------------------------------------------------------------------------------------------------*/

__device__ __forceinline__ float total_of(double sum) { return (float)sum; }

/* A mean is divided in f64; the quotient by a constant, mended by its remainder, is that of a division. */
__device__ __forceinline__ float mean_of(double sum)
{
    const double over = 1.0 / LENGTH;
    const double q = sum * over, mended = __fma_rn(__fma_rn(-q, (double)LENGTH, sum), over, q);
    return (float)(mended - mended == 0 ? mended : q);
}

__device__ __forceinline__ float eight_sum(const eight &e)
{
    float s = in_at(e, 0);
#pragma unroll
    for (int i = 1; i < 8; i++)
        s += in_at(e, i);
    return s;
}

/* Squares of numbers of two bytes are exact in f32, so that one rounding, of the sum, is all there is. */
__device__ __forceinline__ float eight_squares(const eight &e, float mean, unsigned c)
{
    float s = 0;
#pragma unroll
    for (int i = 0; i < 8; i++) {
        const float x = NORM == 2 ? in_at(e, i) - mean : in_at(e, i);
        const float square = x * x;
        if (NORM == 2 && !(IS_ALIGNED && IS_FULL) && 8 * c + i >= COUNT)
            continue;
        s = i == 0 ? square : IN_BYTES == 2 && NORM == 1 ? __fmaf_rn(x, x, s) : s + square;
    }
    return s;
}

/* ---- quantisation -------------------------------------------------------------------------------------------------*/

#define LANES (GROUP / 8) /* that share a group, where they do */
#define IS_ROW_GROUP (GROUP == LENGTH)
#define IS_LANE_GROUP (!IS_ROW_GROUP && GROUP % 8 == 0 && LANES <= 32 && (LANES & (LANES - 1)) == 0)

/* Sizes order as their bits do, NaN last. */
__device__ __forceinline__ unsigned eight_most(const eight &e)
{
    unsigned most = 0;
#if HELD_BYTES == 2
    unsigned pair = e.word[0] & 0x7fff7fffu;
#pragma unroll
    for (int i = 1; i < 4; i++)
        asm("max.u16x2 %0, %1, %2;" : "=r"(pair) : "r"(pair), "r"(e.word[i] & 0x7fff7fffu));
    most = pair >> 16 > (pair & 0xffffu) ? pair >> 16 : pair & 0xffffu;
#else
#pragma unroll
    for (int i = 0; i < 8; i++)
        most = (e.word[i] & 0x7fffffffu) > most ? e.word[i] & 0x7fffffffu : most;
#endif
    return most;
}

__device__ __forceinline__ float most_value(unsigned most)
{
    return HELD_BYTES == 4 ? __uint_as_float(most) : LOW_HELD(most);
}

/* Whether a quotient may be made from the reciprocal: neither that nor the remainder leaves the normal
 * numbers, and the reciprocal is rounded right (of a significand of ones it might not be). */
__device__ __forceinline__ bool is_plain(float scale)
{
    return scale > 0x1p-100f && scale < 0x1p100f && (~__float_as_uint(scale) & 0x7fffffu);
}

__device__ __forceinline__ eight encode_eight(const float *q)
{
    eight e;
#pragma unroll
    for (int i = 0; i < 2; i++)
        e.word[i] = encode(q[4 * i], q[4 * i + 1]) | encode(q[4 * i + 2], q[4 * i + 3]) << 16;
    return e;
}

#if DIVIDES
__device__ __noinline__ eight codes_slowly(eight h, float scale)
{
    float q[8];
    for (int i = 0; i < 8; i++)
        q[i] = __fdiv_rn(held_at(h, i), scale);
    return encode_eight(q);
}

__device__ __forceinline__ eight codes_of(const eight &h, float scale, float)
{
    float q[8];
    if (!is_plain(scale))
        return codes_slowly(h, scale);
    const float over = reciprocal_rounded(scale);
#pragma unroll
    for (int i = 0; i < 8; i++) {
        const float x = held_at(h, i), near = x * over;
        q[i] = __fmaf_rn(__fmaf_rn(-near, scale, x), over, near);
    }
    return encode_eight(q);
}
#else
__device__ float inverse_of(float most);

__device__ __forceinline__ eight codes_of(const eight &h, float, float most)
{
    float q[8];
    const float over = inverse_of(most);
#pragma unroll
    for (int i = 0; i < 8; i++)
        q[i] = held_at(h, i) * over;
    return encode_eight(q);
}
#endif

/* The largest of the lanes that share a group. */
__device__ __forceinline__ unsigned lanes_most(unsigned m)
{
#pragma unroll
    for (int lanes = LANES / 2; lanes; lanes /= 2) {
        const unsigned other = __shfl_xor_sync(~0u, m, lanes);
#if HELD_BYTES == 2
        asm("max.u16x2 %0, %1, %2;" : "=r"(m) : "r"(m), "r"(other)); /* of two groups at once */
#else
        m = other > m ? other : m;
#endif
    }
    return m;
}

__device__ __forceinline__ void store_scale(SCALE_TYPE *scales, size_t at, float scale)
{
    scales[at] = SCALE_BYTES == 4 ? (SCALE_TYPE)scale : (SCALE_TYPE)pack_bf16(scale, 0.0f);
}

/* ---- the kernel ---------------------------------------------------------------------------------------------------*/

#define ROW_THREADS (TEAM * TEAMS)

/* Which row, and which part of it, a team has; a team of many warps is the whole block. */
__device__ __forceinline__ unsigned team_index() { return TEAMS > 1 ? threadIdx.x / TEAM : 0; }
__device__ __forceinline__ unsigned lane_of_team() { return TEAMS > 1 ? threadIdx.x % TEAM : threadIdx.x; }

#if LOOPS
#define NEXT_ROW(row) ((row) + (size_t)(gridDim.x / CLUSTER) * TEAMS)
#define WHILE_ROWS for (unsigned turn = 0;; turn ^= 1)
#else
#define WHILE_ROWS constexpr unsigned turn = 0;
#endif
#define KEEPS_WEIGHT (LOOPS || VECTORS <= 2) /* as registers, from the beginning */

#define AT_ONCE (HELD_BYTES == 2 && VECTORS > 1 ? 2 : 1) /* groups whose largest go through the lanes together */

#if !WEIGHT_BYTES
#define WEIGHT(i) eight()
#elif KEEPS_WEIGHT
#define WEIGHT(i) w[i]
#else
#define WEIGHT(i)                                                                                                      \
    load_eight<WEIGHT_BYTES, true>((const char *)weight + rank * COUNT * WEIGHT_BYTES, (i) * TEAM + t)
#endif
#if !BIAS_BYTES
#define BIAS(i) eight()
#elif KEEPS_WEIGHT
#define BIAS(i) b[i]
#else
#define BIAS(i) load_eight<BIAS_BYTES, true>((const char *)bias + rank * COUNT * BIAS_BYTES, (i) * TEAM + t)
#endif

__device__ __forceinline__ void load_part(const void *in, size_t begin, unsigned t, eight *x)
{
#pragma unroll
    for (int i = 0; i < VECTORS; i++)
        x[i] = load_eight<IN_BYTES, false>((const char *)in + begin * IN_BYTES, i * TEAM + t);
}

extern "C" __global__ void __launch_bounds__(ROW_THREADS, BLOCKS_AN_SM) KERNEL(ROW_PARAMETERS)
{
#if NORM
    __shared__ double room_of_sums[2 * NORM][34];
#endif
#if GROUP && IS_ROW_GROUP
    __shared__ unsigned room_of_most[2][34];
#endif
    const unsigned rank = rank_in_cluster(), t = lane_of_team();
    size_t row = (size_t)(blockIdx.x / CLUSTER) * TEAMS + team_index();
    eight x[VECTORS], h[VECTORS];
#if OVERLAPS
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
#define ROW_BEGIN(row) ((TEAMS == 1 || ROWS % TEAMS == 0 || (row) < ROWS ? (row) : ROWS - 1) * (size_t)LENGTH + rank * COUNT)
    load_part(in, ROW_BEGIN(row), t, x);
#if WEIGHT_BYTES && KEEPS_WEIGHT
    eight w[VECTORS];
#pragma unroll
    for (int i = 0; i < VECTORS; i++)
        w[i] = load_eight<WEIGHT_BYTES, true>((const char *)weight + rank * COUNT * WEIGHT_BYTES, i * TEAM + t);
#endif
#if BIAS_BYTES && KEEPS_WEIGHT
    eight b[VECTORS];
#pragma unroll
    for (int i = 0; i < VECTORS; i++)
        b[i] = load_eight<BIAS_BYTES, true>((const char *)bias + rank * COUNT * BIAS_BYTES, i * TEAM + t);
#endif
    WHILE_ROWS
    {
        /* a team too many does the last row again and keeps it to itself */
        const bool is_row = TEAMS == 1 || ROWS % TEAMS == 0 || row < ROWS;
        const size_t begin = ROW_BEGIN(row);
        statistics s = {0, 0};
#if LOOPS
        eight next[VECTORS];
        const size_t next_row = NEXT_ROW(row);
        const bool goes_on = NEXT_ROW(row - team_index()) < ROWS;
        if (goes_on)
            load_part(in, ROW_BEGIN(next_row), t, next);
#endif
#if ADDS
#pragma unroll
        for (int i = 0; i < VECTORS; i++) {
            const eight a = load_eight<IN_BYTES, false>((const char *)added + begin * IN_BYTES, i * TEAM + t);
#pragma unroll
            for (int k = 0; k < IN_WORDS; k++)
                x[i].word[k] = sum_of(x[i].word[k], a.word[k]);
#if KEEPS_SUM
            if (is_row)
                store_eight<IN_BYTES>((char *)kept + begin * IN_BYTES, i * TEAM + t, x[i]);
#endif
        }
#endif
#if NORM
        double sum = 0;
#if NORM == 2
#pragma unroll
        for (int i = 0; i < VECTORS; i++)
            sum += (double)eight_sum(x[i]);
        s.mean = middle_of(row_sum(sum, room_of_sums[2 + turn]));
        sum = 0;
#endif
#pragma unroll
        for (int i = 0; i < VECTORS; i++)
            sum += (double)eight_squares(x[i], s.mean, i * TEAM + t);
#if NORM == 2
        s.r = r_of(row_sum(sum, room_of_sums[turn]), s.mean);
#else
        s.r = r_of(row_sum(sum, room_of_sums[turn]));
#endif
#endif
#if OVERLAPS
        asm volatile("griddepcontrol.launch_dependents;");
#endif
#if !GROUP || IS_ROW_GROUP
#pragma unroll
        for (int i = 0; i < VECTORS; i++)
            h[i] = held(x[i], s, WEIGHT(i), BIAS(i));
#endif
#if !GROUP
#pragma unroll
        for (int i = 0; i < VECTORS; i++)
            if (is_row)
                store_eight<HELD_BYTES>((char *)values + begin * HELD_BYTES, i * TEAM + t, h[i]);
#elif IS_ROW_GROUP
        unsigned most = 0;
#pragma unroll
        for (int i = 0; i < VECTORS; i++) {
            const unsigned m = eight_most(h[i]);
            most = m > most ? m : most;
        }
        most = row_most(most, room_of_most[turn]);
        const float scale = scale_of(most_value(most));
        if (is_row && rank == 0 && t == 0)
            store_scale(scales, row, scale);
#pragma unroll
        for (int i = 0; i < VECTORS; i++)
            if (is_row)
                store_eight<1>((char *)codes + begin, i * TEAM + t, codes_of(h[i], scale, most_value(most)));
#else
#pragma unroll
        for (int i = 0; i < VECTORS; i += AT_ONCE) {
            unsigned most = 0, m[AT_ONCE];
#pragma unroll
            for (int k = 0; k < AT_ONCE; k++)
                if (i + k < VECTORS) {
                    h[i + k] = held(x[i + k], s, WEIGHT(i + k), BIAS(i + k));
                    most |= eight_most(h[i + k]) << 16 * k;
                }
            most = lanes_most(most);
            m[0] = AT_ONCE == 1 ? most : most & 0xffffu;
            m[AT_ONCE - 1] = AT_ONCE == 1 ? most : most >> 16;
#pragma unroll
            for (int k = 0; k < AT_ONCE; k++) {
                const unsigned c = (i + k) * TEAM + t;
                if (i + k >= VECTORS || !is_row || !(IS_FULL || c < EIGHTS))
                    continue;
                const float scale = scale_of(most_value(m[k]));
                if (c % LANES == 0)
                    store_scale(scales, begin / GROUP + c / LANES, scale);
                store_eight<1>((char *)codes + begin, c, codes_of(h[i + k], scale, most_value(m[k])));
            }
        }
#endif
#if LOOPS
        if (!goes_on)
            break;
        row = next_row;
#pragma unroll
        for (int i = 0; i < VECTORS; i++)
            x[i] = next[i];
#if CLUSTER > 1
        cluster_barrier();
#endif
#endif
    }
#if CLUSTER > 1
    cluster_barrier(); /* a CTA's shared memory is read by others until here */
#endif
}

/* Rows of a matrix: normed, quantised, or both, each read once.
 *
 * A team of TEAM threads has a row, or CLUSTER teams have equal parts of one; each thread keeps VECTORS times eight
 * neighbours in registers.  What the program says is in the functions above: `sums`, `held`, `scale_of`.
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

/* Codes of two numbers, the first in the lower byte; beyond the largest number, the largest. */
__device__ __forceinline__ unsigned encode(float low, float high)
{
    unsigned short pair;
    asm("cvt.rn.satfinite." CODES "x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(high), "f"(low));
    return pair;
}

/* 1 / sqrt(x), rounded once. */
__device__ __forceinline__ float rsqrt_rounded(float x)
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

/* Eight neighbours that begin at an element; what lies beyond COUNT is 0. */
template <int BYTES> __device__ __forceinline__ eight load_eight(const void *row, unsigned c)
{
    eight e;
    const char *from = (const char *)row + (size_t)c * 8 * BYTES;
#if IS_ALIGNED
#pragma unroll
    for (int i = 0; i < 2 * BYTES; i++)
        e.word[i] = 0;
    if (IS_FULL || c < EIGHTS) {
        load_vector(from, e.word);
        if (BYTES == 4)
            load_vector(from + 16, e.word + 4);
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

/* Whether a quotient may be made from the reciprocal: neither that nor the remainder leaves the normal numbers. */
__device__ __forceinline__ bool is_plain(float scale) { return scale > 0x1p-100f && scale < 0x1p100f; }

__device__ __forceinline__ eight codes_of(const eight &h, float scale)
{
    eight e;
    float q[8];
#if DIVIDES
    if (is_plain(scale)) {
        const float over = __frcp_rn(scale);
#pragma unroll
        for (int i = 0; i < 8; i++) {
            const float x = held_at(h, i), near = x * over;
            q[i] = __fmaf_rn(__fmaf_rn(-near, scale, x), over, near);
        }
    } else {
        for (int i = 0; i < 8; i++)
            q[i] = __fdiv_rn(held_at(h, i), scale);
    }
#else
    const float over = reciprocal_of(scale);
#pragma unroll
    for (int i = 0; i < 8; i++)
        q[i] = held_at(h, i) * over;
#endif
#pragma unroll
    for (int i = 0; i < 2; i++)
        e.word[i] = encode(q[4 * i], q[4 * i + 1]) | encode(q[4 * i + 2], q[4 * i + 3]) << 16;
    return e;
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

extern "C" __global__ void __launch_bounds__(ROW_THREADS, BLOCKS_AN_SM) KERNEL(ROW_PARAMETERS)
{
#if NORM
    __shared__ double room_of_sums[NORM][34];
#endif
#if GROUP && IS_ROW_GROUP
    __shared__ unsigned room_of_most[34];
    unsigned most = 0;
#endif
    const size_t block = blockIdx.x / CLUSTER;
    size_t row = block * TEAMS + team_index();
    const unsigned rank = rank_in_cluster(), t = lane_of_team();
    const bool is_row = TEAMS == 1 || ROWS % TEAMS == 0 || row < ROWS;
    row = is_row ? row : ROWS - 1; /* a team too many does the last row again and keeps it to itself */
    eight x[VECTORS];
    statistics s = {0, 0};
#if OVERLAPS
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
#pragma unroll
    for (int i = 0; i < VECTORS; i++)
        x[i] = load_eight<IN_BYTES>((const char *)in + (row * LENGTH + rank * COUNT) * IN_BYTES, i * TEAM + t);
#if ADDS
#pragma unroll
    for (int i = 0; i < VECTORS; i++) {
        const size_t begin = row * LENGTH + rank * COUNT;
        const eight a = load_eight<IN_BYTES>((const char *)added + begin * IN_BYTES, i * TEAM + t);
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
    s.mean = mean_of(row_sum(sum, room_of_sums[0]));
    sum = 0;
#endif
#pragma unroll
    for (int i = 0; i < VECTORS; i++)
        sum += (double)eight_squares(x[i], s.mean, i * TEAM + t);
    s.r = r_of(mean_of(row_sum(sum, room_of_sums[NORM - 1])));
#endif
#if OVERLAPS
    asm volatile("griddepcontrol.launch_dependents;");
#endif
    /* what is held takes the place of what was read */
    eight h[VECTORS];
#pragma unroll
    for (int i = 0; i < VECTORS; i++) {
        [[maybe_unused]] const unsigned c = i * TEAM + t;
#if WEIGHT_BYTES
        const eight w = load_eight<WEIGHT_BYTES>((const char *)weight + rank * COUNT * WEIGHT_BYTES, c);
#else
        const eight w = {};
#endif
#if BIAS_BYTES
        const eight b = load_eight<BIAS_BYTES>((const char *)bias + rank * COUNT * BIAS_BYTES, c);
#else
        const eight b = {};
#endif
        h[i] = held(x[i], s, w, b);
#if !GROUP
        if (is_row)
            store_eight<HELD_BYTES>((char *)values + (row * LENGTH + rank * COUNT) * HELD_BYTES, c, h[i]);
#elif IS_ROW_GROUP
        const unsigned m = eight_most(h[i]);
        most = m > most ? m : most;
#else
        unsigned m = eight_most(h[i]);
#pragma unroll
        for (int lanes = LANES / 2; lanes; lanes /= 2) {
            const unsigned other = __shfl_xor_sync(~0u, m, lanes);
            m = other > m ? other : m;
        }
        const float scale = scale_of(most_value(m));
        if (is_row && (IS_FULL || c < EIGHTS)) {
            if (c % LANES == 0)
                store_scale(scales, (row * LENGTH + rank * COUNT) / GROUP + c / LANES, scale);
            store_eight<1>((char *)codes + row * LENGTH + rank * COUNT, c, codes_of(h[i], scale));
        }
#endif
    }
#if GROUP && IS_ROW_GROUP
    most = row_most(most, room_of_most);
    const float scale = scale_of(most_value(most));
    if (is_row && rank == 0 && t == 0)
        store_scale(scales, row, scale);
#pragma unroll
    for (int i = 0; i < VECTORS; i++)
        if (is_row)
            store_eight<1>((char *)codes + row * LENGTH + rank * COUNT, i * TEAM + t, codes_of(h[i], scale));
#endif
#if CLUSTER > 1
    cluster_barrier(); /* a CTA's shared memory is read by others until here */
#endif
}

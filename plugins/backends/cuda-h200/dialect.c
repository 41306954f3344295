/* SPDX-License-Identifier: MIT
 *
 * The dialect of CUDA C++: who of a grid does what of the loops that docs/lowering.md describes.
 *
 * A turn of a nest is a block's, items are a thread's, a warp's or a block's.  Where nothing stands between the nests,
 * each is a kernel; else the program is one kernel of as many blocks as run at once, with barriers between its nests.
 */
#include "dialect.h"

#define WARP 32u
#define MOST_SHARED ((size_t)200 << 10) /* bytes of a block's own memory that rows and scratch may take */
#define RESIDENT_THREADS 512u           /* of a block, where all blocks have to run at once */
#define BLOCKS_EACH 8u                  /* a multiprocessor's share of a grid that walks over its turns */

static struct cuda_text *own(struct lower *l)
{
    return own_text(l);
}

static struct cuda_kernel *kernel(struct lower *l)
{
    return &own(l)->kernels[own(l)->n_kernels - 1];
}

/* ---- kernels -------------------------------------------------------------------------------------------------------*/

/* Whole warps, each thread with eight neighbours or some times as many; of many turns several are at work at once, so that
 * one can wait for memory while another computes. */
static unsigned threads_for(size_t elements, size_t most)
{
    size_t threads = (elements + 7) / 8;
    for (size_t parts = 2; threads > most; parts++)
        threads = (elements + 8 * parts - 1) / (8 * parts);
    return (unsigned)((threads + WARP - 1) / WARP * WARP);
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static void choose_launch(struct lower *l, struct cuda_kernel *k, const struct nest *nest)
{
    const size_t most = (size_t)own(l)->units * BLOCKS_EACH;
    k->threads = nest->axes ? threads_for(nest->inner, nest->turns > own(l)->units ? 512 : 1024) : 256;
    k->threads = k->threads ? k->threads : WARP;
    k->blocks = (unsigned)least(nest->axes ? nest->turns : (nest->work + 255) / 256, most);
    k->blocks = k->blocks ? k->blocks : 1;
}

static void begin_kernel(struct lower *l)
{
    struct cuda_text *t = own(l);
    t->kernels = grown(l, t->kernels, t->n_kernels, &t->room, sizeof(*t->kernels));
    t->kernels[t->n_kernels++] =
        (struct cuda_kernel){.threads = RESIDENT_THREADS, .blocks = t->units, .began = l->time};
    l->body = (struct text){0};
}

/* The buffers that were named since it began. */
static void note_buffers(struct lower *l, struct cuda_kernel *k)
{
    size_t room = 0;
    for (size_t i = 0; i < l->n_buffers; i++) {
        if (own(l)->is_apart && l->buffers[i]->last < k->began)
            continue;
        k->used = grown(l, k->used, k->n_used, &room, sizeof(*k->used));
        k->used[k->n_used++] = l->buffers[i];
    }
}

static void end_kernel(struct lower *l)
{
    struct cuda_kernel *k = kernel(l);
    k->body = l->body;
    note_buffers(l, k);
}

static void barrier(struct lower *l)
{
    own(l)->barrier_from = l->body.n;
    line(l, "grid_barrier();");
    own(l)->barrier_to = l->body.n;
}

/* The rest of a nest without axes, in a kernel of its own. */
static void divide_kernel(struct lower *l)
{
    struct cuda_kernel before = *kernel(l);
    end_kernel(l);
    begin_kernel(l);
    kernel(l)->threads = before.threads;
    kernel(l)->blocks = before.blocks;
    kernel(l)->began = before.began;
}

/* The indices of axes that are counted by one number. */
static void write_indices(struct lower *l, const struct axes *axes, const char *number)
{
    size_t below = 1;
    for (uint32_t i = axes->n; i-- > 0;) {
        size_t n = axes->count[i] ? axes->count[i] : 1; /* of none there is no turn */
        const char *part = below == 1 ? number : fmt(l, "%s / %zu", number, below);
        line(l, i ? "const size_t %s = %s %% %zu;" : "const size_t %s = %s;", axes->name[i], part, n);
        below *= n;
    }
}

static void open_nest_text(struct lower *l, const struct nest *nest)
{
    if (own(l)->is_apart) {
        begin_kernel(l);
        choose_launch(l, kernel(l), nest);
    }
    own(l)->shared = own(l)->spilled = 0;
    text_add(l, &l->body, "\n");
    if (!nest->axes)
        return;
    open_brace(l, "for (size_t row = blockIdx.x; row < %zu; row += gridDim.x)", nest->turns);
    struct axes axes = {.n = nest->axes};
    for (uint32_t i = 0; i < nest->axes; i++) {
        axes.name[i] = fmt(l, "r%u", i);
        axes.count[i] = (size_t)extent(nest->type, i);
    }
    write_indices(l, &axes, "row");
}

static void close_nest_text(struct lower *l, const struct nest *nest)
{
    if (nest->axes)
        close_brace(l);
    if (own(l)->is_apart)
        end_kernel(l);
    else
        barrier(l);
}

/* ---- loops ---------------------------------------------------------------------------------------------------------*/

static const char *const TEAM_NAME[] = {"thread", "warp", "block"};

/* In a turn: one item alone is the block's.  In a nest without axes: a long item is a block's. */
static enum cuda_team team_for(const struct lower *l, size_t items, size_t lanes)
{
    if (lanes < WARP && !(l->rows && items == 1))
        return TEAM_THREAD;
    if (l->rows ? items == 1 || lanes >= 1024 : lanes >= 256)
        return TEAM_BLOCK;
    return lanes ? TEAM_WARP : TEAM_THREAD;
}

/* Neighbours that one thread has: as many as make up accesses of 16 bytes, if there is enough for all. */
static size_t neighbours(size_t inner, size_t all, size_t lanes)
{
    size_t n = 8;
    while (n > 1 && (inner % n || all < n * lanes))
        n /= 2;
    return n;
}

static const char *first_item(const struct lower *l, enum cuda_team team)
{
    static const char *const in_turn[] = {"threadIdx.x", "threadIdx.x / 32", "0"};
    static const char *const in_grid[] = {"blockIdx.x * (size_t)blockDim.x + threadIdx.x",
        "(blockIdx.x * (size_t)blockDim.x + threadIdx.x) / 32", "blockIdx.x"};
    return l->rows ? in_turn[team] : in_grid[team];
}

static const char *next_item(struct lower *l, enum cuda_team team)
{
    static const char *const in_grid[] = {
        "gridDim.x * (size_t)blockDim.x", "gridDim.x * (size_t)blockDim.x / 32", "gridDim.x"};
    const unsigned in_turn[] = {kernel(l)->threads, kernel(l)->threads / WARP, 1};
    return l->rows ? fmt(l, "%u", in_turn[team]) : in_grid[team];
}

static size_t count_axes(const struct axes *axes)
{
    size_t n = 1;
    for (uint32_t i = 0; i < axes->n; i++)
        n *= axes->count[i];
    return n;
}

/* for (NAME = FIRST; NAME < n; NAME += NEXT), of `each` neighbours, whose loop is unrolled so that their accesses join. */
static void open_shared_loop(
    struct lower *l, struct axes *axes, const char *first, const char *next, size_t each, const char *number)
{
    size_t n = count_axes(axes);
    const char *name = axes->n == 1 ? axes->name[0] : number;
    axes->opened = 1;
    if (each == 1) {
        open_brace(l, "for (size_t %s = %s; %s < %zu; %s += %s)", name, first, name, n, name, next);
    } else {
        open_brace(l, "for (size_t %s_from = %zu * (size_t)(%s); %s_from < %zu; %s_from += %zu * (size_t)(%s))", name,
            each, first, name, n, name, each, next);
        line(l, "#pragma unroll");
        open_brace(l, "for (size_t part = 0; part < %zu; part++)", each);
        line(l, "const size_t %s = %s_from + part;", name, name);
        axes->opened = 2;
    }
    if (axes->n != 1)
        write_indices(l, axes, name);
}

static void open_items_text(struct lower *l, struct axes *axes, size_t lanes)
{
    size_t n = count_axes(axes), inner = axes->n ? axes->count[axes->n - 1] : 1;
    struct cuda_text *t = own(l);
    t->team = axes->is_flat || !lanes ? TEAM_THREAD : team_for(l, n, lanes);
    t->below = t->shared;
    axes->is_items = 1;
    if (t->team == TEAM_BLOCK && l->rows && n == 1) {
        axes->opened = 1;
        open_brace(l, "%s", "");
        write_indices(l, axes, "0");
        return;
    }
    size_t side = kernel(l)->threads * (size_t)(l->rows ? 1 : own(l)->units);
    open_shared_loop(
        l, axes, first_item(l, t->team), next_item(l, t->team), axes->is_flat ? neighbours(inner, n, side) : 1, "item");
}

static void open_lanes_text(struct lower *l, struct axes *axes)
{
    static const char *const lane[] = {"0", "threadIdx.x % 32", "threadIdx.x"};
    enum cuda_team team = own(l)->team;
    const size_t lanes[] = {1, WARP, kernel(l)->threads};
    size_t n = count_axes(axes), inner = axes->n ? axes->count[axes->n - 1] : 1;
    if (axes->step > 1) { /* the body's own groups */
        const char *name = axes->name[0];
        axes->opened = 1;
        open_brace(l, "for (size_t %s = %zu * (size_t)(%s); %s < %zu; %s += %zu)", name, axes->step, lane[team], name,
            n, name, axes->step * lanes[team]);
        return;
    }
    open_shared_loop(l, axes, lane[team], fmt(l, "%zu", lanes[team]), neighbours(inner, n, lanes[team]), "lane");
}

static void join_team(struct lower *l)
{
    if (own(l)->team == TEAM_BLOCK)
        line(l, "__syncthreads();");
    else if (own(l)->team == TEAM_WARP)
        line(l, "__syncwarp();");
}

/* Items: the next one uses the same scratch. */
static void close_items_text(struct lower *l)
{
    if (own(l)->shared != own(l)->below)
        join_team(l);
    own(l)->shared = own(l)->below;
}

static void close_axes_text(struct lower *l, const struct axes *axes)
{
    if (axes->is_items)
        close_items_text(l);
    for (uint32_t i = 0; i < axes->opened; i++)
        close_brace(l);
}

static void open_once_text(struct lower *l)
{
    static const char *const first[] = {"", "if (threadIdx.x % 32 == 0)", "if (threadIdx.x == 0)"};
    open_brace(l, "%s", first[own(l)->team]);
}

static void fold_text(struct lower *l, const char *kind, const char *type, const char *variable)
{
    (void)type;
    if (own(l)->team != TEAM_THREAD)
        line(l, "%s = fold_%s(%s, %s());", variable, TEAM_NAME[own(l)->team], variable, kind);
}

static void join_text(struct lower *l, enum join what)
{
    if (what == JOIN_LANES)
        join_team(l);
    else if (what == JOIN_STEP && l->rows)
        line(l, "__syncthreads();");
    else if (own(l)->is_apart)
        divide_kernel(l);
    else
        barrier(l);
}

/* ---- memory --------------------------------------------------------------------------------------------------------*/

/* Bytes of the block: in shared memory while that lasts, else in a part of gmem. */
static const char *block_bytes(struct lower *l, size_t bytes)
{
    struct cuda_text *t = own(l);
    struct cuda_kernel *k = kernel(l);
    size_t *at = t->shared + bytes <= MOST_SHARED ? &t->shared : &t->spilled;
    size_t *most = at == &t->shared ? &k->shared : &k->spilled;
    const char *text = at == &t->shared ? fmt(l, "shared + %zu", *at) : fmt(l, "spill + blockIdx.x * SPILL + %zu", *at);
    *at += (bytes + 15) / 16 * 16;
    *most = *at > *most ? *at : *most;
    return text;
}

static void row_text(struct lower *l, const struct buffer *buffer, size_t n)
{
    const char *type = c_type(buffer->dtype);
    line(l, "%s *const %s = (%s *)(%s);", type, buffer->name, type,
        block_bytes(l, n * tf_host->element_bytes(buffer->dtype)));
}

static const char *scratch_text(struct lower *l, const char *type, const char *name, size_t n)
{
    size_t bytes = n * (*type == 'f' ? 4 : 8);
    enum cuda_team team = own(l)->team;
    if (team == TEAM_THREAD)
        line(l, "%s %s[%zu];", type, name, n);
    else if (team == TEAM_BLOCK)
        line(l, "%s *const %s = (%s *)(%s);", type, name, type, block_bytes(l, bytes));
    else
        line(l, "%s *const %s = (%s *)(%s) + threadIdx.x / 32 * %zu;", type, name, type,
            block_bytes(l, bytes * (kernel(l)->threads / WARP)), n);
    return name;
}

const struct dialect cuda_dialect = {
    .name = "cuda-h200",
    .code = "cuda-operator",
    .function = "static __device__ __forceinline__",
    .leave = "__trap();",
    .skip = "__trap();",
    .is_shared = 1,
    .open_nest = open_nest_text,
    .close_nest = close_nest_text,
    .open_items = open_items_text,
    .open_lanes = open_lanes_text,
    .close_axes = close_axes_text,
    .open_once = open_once_text,
    .fold = fold_text,
    .join = join_text,
    .row = row_text,
    .scratch = scratch_text,
};

void cuda_kernels_begin(struct lower *l)
{
    own(l)->is_apart = is_straight(l->program);
    if (!own(l)->is_apart)
        begin_kernel(l);
}

void cuda_kernels_end(struct lower *l)
{
    if (own(l)->is_apart)
        return;
    if (own(l)->barrier_to == l->body.n && l->body.n) /* nothing comes after it */
        l->body.at[l->body.n = own(l)->barrier_from] = 0;
    end_kernel(l);
}

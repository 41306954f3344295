/* SPDX-License-Identifier: MIT */
#include "sets.h"

/* More spans of one axis, or products of one union, are not followed. */
#define MAX_SPANS 65536
/* Spans of different steps are compared by their residues; more residues are not followed. */
#define MAX_RESIDUES 4096

/* ---- memory --------------------------------------------------------------------------------------------------------*/

struct pool_chunk {
    struct pool_chunk *next;
    size_t size;
    _Alignas(16) char at[];
};

static struct pool_chunk *chunk_new(size_t size)
{
    struct pool_chunk *chunk = malloc(sizeof(*chunk) + size);
    if (!chunk)
        abort(); /* as the host's own memory does, but it cannot be asked for what is given back */
    chunk->next = NULL;
    chunk->size = size;
    return chunk;
}

void *pool_take(struct pool *pool, size_t size)
{
    size = (size + 15) & ~(size_t)15;
    while (!pool->now || pool->used + size > pool->now->size) {
        struct pool_chunk **next = pool->now ? &pool->now->next : &pool->first;
        if (!*next)
            *next = chunk_new(size > 65536 ? size : 65536);
        pool->now = *next;
        pool->used = 0;
    }
    void *at = pool->now->at + pool->used;
    pool->used += size;
    return memset(at, 0, size);
}

void pool_reset(struct pool *pool)
{
    pool->now = pool->first;
    pool->used = 0;
}

void pool_free(struct pool *pool)
{
    while (pool->first) {
        struct pool_chunk *next = pool->first->next;
        free(pool->first);
        pool->first = next;
    }
    pool->now = NULL;
}

/* ---- one axis ------------------------------------------------------------------------------------------------------*/

static coord floor_div(coord a, coord b) /* b > 0 */
{
    return a >= 0 ? a / b : -((-a + b - 1) / b);
}

static struct span clip(struct span s, coord lo, coord hi)
{
    coord first = s.lo < lo ? -floor_div(s.lo - lo, s.step) : 0, last = floor_div(hi - 1 - s.lo, s.step);
    if (last > (coord)s.n - 1)
        last = (coord)s.n - 1;
    return (struct span){s.lo + first * s.step, s.step, last >= first ? (uint64_t)(last - first + 1) : 0};
}

/* Positive strides, ascending, those without effect dropped. */
static uint32_t order_digits(coord *base, uint32_t n, struct digit *digits)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n; i++) {
        struct digit d = digits[i];
        if (d.extent == 1 || d.stride == 0)
            continue;
        if (d.stride < 0) {
            *base += d.stride * (coord)(d.extent - 1);
            d.stride = -d.stride;
        }
        uint32_t at = kept++;
        for (; at > 0 && digits[at - 1].stride > d.stride; at--)
            digits[at] = digits[at - 1];
        digits[at] = d;
    }
    return kept;
}

/* Digits that leave no gap become one: a coarse step that is no longer than the run of the finer one. */
static int merge_digits(uint32_t *n_digits, struct digit *digits)
{
    uint32_t n = *n_digits;
    uint32_t kept = n != 0;
    for (uint32_t i = 1; i < n; i++) {
        struct digit *fine = &digits[0], d = digits[i];
        if (d.stride % fine->stride || d.stride / fine->stride > (coord)fine->extent)
            digits[kept++] = d;
        else if (count_add(&fine->extent, (uint64_t)(d.stride / fine->stride), d.extent - 1))
            return SET_TOO_MUCH;
    }
    *n_digits = kept;
    return SET_OK;
}

int spans_make(struct pool *pool, coord base, uint32_t n, struct digit *digits, coord lo, coord hi, struct spans *set)
{
    *set = (struct spans){0, NULL};
    for (uint32_t i = 0; i < n; i++)
        if (digits[i].extent == 0)
            return SET_OK;
    n = order_digits(&base, n, digits);
    if (merge_digits(&n, digits))
        return SET_TOO_MUCH;
    uint64_t many = 1;
    for (uint32_t i = 1; i < n; i++)
        if (digits[i].extent > MAX_SPANS || (many *= digits[i].extent) > MAX_SPANS)
            return SET_TOO_MUCH;
    struct span run = {base, n ? digits[0].stride : 1, n ? digits[0].extent : 1};
    set->at = pool_take(pool, many * sizeof(*set->at));
    for (uint64_t k = 0; k < many; k++) {
        uint64_t rest = k;
        struct span s = run;
        for (uint32_t i = 1; i < n; i++) {
            s.lo += digits[i].stride * (coord)(rest % digits[i].extent);
            rest /= digits[i].extent;
        }
        s = clip(s, lo, hi);
        if (s.n)
            set->at[set->n++] = s;
    }
    return SET_OK;
}

/* ---- unions --------------------------------------------------------------------------------------------------------
 * Along an axis, coordinates are ordered by residue and then by quotient of a common multiple of all steps, so that every
 * span is a few intervals.  Between two neighbouring edges the same products are there, and their other axes are counted
 * once for the whole stretch. */

struct edge {
    coord residue, at;
    uint32_t product;
    int opens;
};

struct sweep {
    struct pool *pool;
    uint32_t rank;
    struct spans *const *at;
};

static int by_place(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;
    if (x->residue != y->residue)
        return x->residue < y->residue ? -1 : 1;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return x->opens - y->opens;
}

static coord common_divisor(coord a, coord b)
{
    while (b) {
        coord rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* The least common multiple of the steps that matter, or 0 when it is too large. */
static coord common_step(const struct sweep *w, const uint32_t *chosen, uint32_t n, uint32_t axis)
{
    coord step = 1;
    for (uint32_t i = 0; i < n; i++) {
        const struct spans *set = &w->at[chosen[i]][axis];
        for (uint32_t k = 0; k < set->n; k++) {
            if (set->at[k].n == 1)
                continue;
            coord wider = step / common_divisor(step, set->at[k].step) * set->at[k].step;
            if (wider != set->at[k].step && wider > MAX_RESIDUES)
                return 0;
            step = wider;
        }
    }
    return step;
}

static uint64_t classes_of(const struct span *s, coord step)
{
    coord classes = s->n == 1 ? 1 : step / s->step;
    return (uint64_t)(classes < (coord)s->n ? classes : (coord)s->n);
}

/* The intervals of one span: its coordinates apart by residue. */
static uint64_t add_edges(const struct span *s, coord step, uint32_t product, struct edge *edges)
{
    uint64_t classes = classes_of(s, step), n = 0;
    for (uint64_t j = 0; j < classes; j++) {
        coord first = s->lo + s->step * (coord)j, quotient = floor_div(first, step);
        coord count = ((coord)(s->n - j) + (coord)classes - 1) / (coord)classes;
        edges[n++] = (struct edge){first - quotient * step, quotient, product, 1};
        edges[n++] = (struct edge){first - quotient * step, quotient + count, product, 0};
    }
    return n;
}

static int make_edges(const struct sweep *w, const uint32_t *chosen, uint32_t n, uint32_t axis, coord step,
    struct edge **edges, uint64_t *n_edges)
{
    uint64_t many = 0;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < w->at[chosen[i]][axis].n; k++)
            many += 2 * classes_of(&w->at[chosen[i]][axis].at[k], step);
    if (many > 16 * (uint64_t)MAX_SPANS)
        return SET_TOO_MUCH;
    *edges = pool_take(w->pool, many * sizeof(**edges));
    *n_edges = 0;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < w->at[chosen[i]][axis].n; k++)
            *n_edges += add_edges(&w->at[chosen[i]][axis].at[k], step, i, *edges + *n_edges);
    qsort(*edges, *n_edges, sizeof(**edges), by_place);
    return SET_OK;
}

static int sweep_axis(const struct sweep *w, const uint32_t *chosen, uint32_t n, uint32_t axis, uint64_t *count);

/* Products that are open, each once: a product may have spans that overlap. */
struct open {
    uint32_t *depth, *where, *list, n; /* by product; places in list; indices into chosen */
};

static void step_edge(struct open *open, const struct edge *edge)
{
    uint32_t p = edge->product;
    if (edge->opens) {
        if (open->depth[p]++ == 0) {
            open->where[p] = open->n;
            open->list[open->n++] = p;
        }
    } else if (--open->depth[p] == 0) {
        uint32_t moved = open->list[--open->n];
        open->list[open->where[p]] = moved;
        open->where[moved] = open->where[p];
    }
}

static int count_stretch(const struct sweep *w, const uint32_t *chosen, const struct open *open, uint32_t *now,
    uint32_t axis, coord length, uint64_t *count)
{
    uint64_t rest = 1;
    int rc = SET_OK;
    if (axis + 1 < w->rank) {
        for (uint32_t i = 0; i < open->n; i++)
            now[i] = chosen[open->list[i]];
        rc = sweep_axis(w, now, open->n, axis + 1, &rest);
    }
    if (!rc && count_add(count, rest, (uint64_t)length))
        rc = SET_OVERFLOW;
    return rc;
}

static int sweep_edges(const struct sweep *w, const uint32_t *chosen, uint32_t n, uint32_t axis,
    const struct edge *edges, uint64_t n_edges, uint64_t *count)
{
    uint32_t *room = pool_take(w->pool, 4 * (size_t)n * sizeof(*room));
    struct open open = {room, room + n, room + 2 * n, 0};
    int rc = SET_OK;
    for (uint64_t e = 0; e + 1 < n_edges && !rc; e++) {
        step_edge(&open, &edges[e]);
        coord length = edges[e + 1].residue == edges[e].residue ? edges[e + 1].at - edges[e].at : 0;
        if (open.n && length)
            rc = count_stretch(w, chosen, &open, room + 3 * n, axis, length, count);
    }
    return rc;
}

static int sweep_axis(const struct sweep *w, const uint32_t *chosen, uint32_t n, uint32_t axis, uint64_t *count)
{
    struct edge *edges;
    uint64_t n_edges;
    *count = 0;
    if (n == 1 && w->at[chosen[0]][axis].n == 1) { /* one span: its length, and the other axes once */
        uint64_t rest = 1;
        int rc = axis + 1 < w->rank ? sweep_axis(w, chosen, 1, axis + 1, &rest) : SET_OK;
        return !rc && count_add(count, rest, w->at[chosen[0]][axis].at[0].n) ? SET_OVERFLOW : rc;
    }
    coord step = common_step(w, chosen, n, axis);
    int rc = step ? make_edges(w, chosen, n, axis, step, &edges, &n_edges) : SET_TOO_MUCH;
    return rc ? rc : sweep_edges(w, chosen, n, axis, edges, n_edges, count);
}

int products_count(struct pool *pool, uint32_t rank, uint32_t n, struct spans *const *at, uint64_t *count)
{
    struct sweep w = {pool, rank, at};
    *count = n != 0;
    if (n == 0 || rank == 0)
        return SET_OK;
    if (n > MAX_SPANS)
        return SET_TOO_MUCH;
    uint32_t *chosen = pool_take(pool, n * sizeof(*chosen));
    for (uint32_t i = 0; i < n; i++)
        chosen[i] = i;
    return sweep_axis(&w, chosen, n, 0, count);
}

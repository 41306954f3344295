/* SPDX-License-Identifier: MIT
 * A value varies only in loops around it, so a set of loops is kept as bits by depth.  What varies alike shares a cell: a
 * graph of cells, in which a change runs along the edges until nothing changes any more.  Tuples have a cell for each leaf,
 * since an item of one varies as that item does.  Cell 0 stands for what never varies.
 */
#include "ir/varies.h"

#include "util/vec.h"

#include <string.h>

struct leaves { /* a value's cells: all its n leaves the same one, or one each */
    uint32_t n, cell;
    const uint32_t *each; /* NULL: `cell` for all */
};

struct edge {
    uint32_t from, to;
};

struct cell {
    uint32_t stops; /* depth that does not pass into it (a loop's result), or NO_DEPTH */
    uint32_t seed;  /* depth that it varies in by itself (loop variable, carried value), or NO_DEPTH */
};
#define NO_DEPTH UINT32_MAX

struct variation {
    tf_ctx *ctx;
    const struct varies_input *in;
    uint32_t words;        /* of a set */
    struct leaves *leaves; /* by node id */
    VEC(struct cell) cells;
    VEC(struct edge) edges;
    uint64_t *masks; /* of cells, words each */
};

/* ---- cells ---------------------------------------------------------------------------------------------------------*/

static uint32_t add_cell(struct variation *v, uint32_t stops, uint32_t seed)
{
    VEC_PUSH(&v->cells, ((struct cell){stops, seed}));
    return (uint32_t)v->cells.n - 1;
}

static void add_edge(struct variation *v, uint32_t from, uint32_t to)
{
    if (from)
        VEC_PUSH(&v->edges, ((struct edge){from, to}));
}

static uint32_t leaf(const struct leaves *l, uint32_t i)
{
    return l->each ? l->each[i] : l->cell;
}

static struct leaves *of(struct variation *v, const struct tf_node *node)
{
    return &v->leaves[node->id];
}

static uint32_t depth_of(const struct variation *v, const struct tf_node *loop)
{
    return v->in->loops[v->in->loop_of[loop->id]].depth;
}

static uint32_t count_leaves(const struct tf_type *type)
{
    return type->kind == TF_TYPE_TUPLE ? (uint32_t)type_leaves(type, NULL, 0) : 1;
}

/* The one cell that all operands come down to, when there is one: 0 where nothing varies.  Else a fresh one. */
static uint32_t united(struct variation *v, const struct tf_node *node)
{
    uint32_t one = 0, several = 0;
    for (uint32_t i = 0; i < node->n_in; i++) {
        const struct leaves *l = of(v, node->in[i]);
        for (uint32_t k = 0; k < (l->each ? l->n : 1); k++) {
            uint32_t cell = leaf(l, k);
            several |= cell && one && cell != one;
            one = cell ? cell : one;
        }
    }
    if (!several)
        return one;
    one = add_cell(v, NO_DEPTH, NO_DEPTH);
    for (uint32_t i = 0; i < node->n_in; i++) {
        const struct leaves *l = of(v, node->in[i]);
        for (uint32_t k = 0; k < (l->each ? l->n : 1); k++)
            add_edge(v, leaf(l, k), one);
    }
    return one;
}

static struct leaves united_leaves(struct variation *v, const struct tf_node *node)
{
    return (struct leaves){.n = count_leaves(node->type), .cell = united(v, node)};
}

/* ---- nodes ---------------------------------------------------------------------------------------------------------*/

static struct leaves joined(struct variation *v, const struct tf_node *const *parts, uint32_t n_parts)
{
    struct leaves out = {0};
    uint32_t uniform = 1;
    if (n_parts == 1)
        return *of(v, parts[0]);
    for (uint32_t i = 0; i < n_parts; i++) {
        const struct leaves *l = of(v, parts[i]);
        uniform &= !l->each && !l->cell;
        out.n += l->n;
    }
    if (uniform)
        return out;
    uint32_t *each = CTX_ARRAY(v->ctx, uint32_t, out.n), next = 0;
    for (uint32_t i = 0; i < n_parts; i++)
        for (uint32_t k = 0; k < of(v, parts[i])->n; k++)
            each[next++] = leaf(of(v, parts[i]), k);
    out.each = each;
    return out;
}

/* The item of a tuple that an operator of TF_OP_ITEM takes out. */
static struct leaves item(struct variation *v, const struct tf_node *node)
{
    const struct leaves *tuple = of(v, node->in[0]);
    const struct tf_type *type = node->in[0]->type;
    int64_t index = node->n_attrs && node->attrs[0].kind == TF_VAL_INT ? node->attrs[0].u.i : -1;
    struct leaves out = {.n = count_leaves(node->type), .cell = tuple->cell};
    if (!tuple->each || type->kind != TF_TYPE_TUPLE || index < 0 || index >= (int64_t)type->rank)
        return tuple->each ? united_leaves(v, node) : out;
    uint32_t skipped = 0;
    for (int64_t i = 0; i < index; i++)
        skipped += count_leaves(type->fields[i]);
    out.each = tuple->each + skipped;
    return out;
}

/* A cell for each leaf of a carried value or of a loop's result, which varies as `from` does. */
static struct leaves fresh_leaves(struct variation *v, const struct leaves *from, uint32_t stops, uint32_t seed)
{
    uint32_t *each = CTX_ARRAY(v->ctx, uint32_t, from->n);
    for (uint32_t i = 0; i < from->n; i++) {
        each[i] = add_cell(v, stops, seed);
        add_edge(v, leaf(from, i), each[i]);
    }
    return (struct leaves){.n = from->n, .each = each};
}

static void join_leaves(struct variation *v, const struct leaves *from, const struct leaves *to)
{
    for (uint32_t i = 0; i < to->n; i++)
        add_edge(v, leaf(from, i), leaf(to, i));
}

/* An outermost loop's result varies in nothing; another's as what it takes over, less the loop. */
static struct leaves loop_result(struct variation *v, const struct tf_node *node)
{
    const struct tf_loop *loop = node->loop;
    uint32_t depth = depth_of(v, node);
    if (depth == 0)
        return (struct leaves){.n = count_leaves(node->type)};
    if (!loop->n_carries)
        return fresh_leaves(v, of(v, loop->body), depth, NO_DEPTH);
    struct leaves initial = joined(v, node->in, node->n_in), yielded = joined(v, loop->yields, loop->n_carries);
    struct leaves out = fresh_leaves(v, &initial, depth, NO_DEPTH);
    join_leaves(v, &yielded, &out);
    return out;
}

static int visit(void *data, const struct tf_node *node)
{
    struct variation *v = data;
    switch (node->kind) {
    case TF_NODE_TUPLE: *of(v, node) = joined(v, node->in, node->n_in); break;
    case TF_NODE_CALL: *of(v, node) = node->op->flags & TF_OP_ITEM ? item(v, node) : united_leaves(v, node); break;
    case TF_NODE_FCALL: *of(v, node) = united_leaves(v, node); break;
    case TF_NODE_REGION: *of(v, node) = *of(v, node->region->body); break;
    case TF_NODE_LOOP: *of(v, node) = loop_result(v, node); break;
    case TF_NODE_PARAM:
    case TF_NODE_CONST: of(v, node)->n = count_leaves(node->type); break;
    default: break; /* set when their owner was entered */
    }
    return 0;
}

static int enter(void *data, const struct tf_node *owner)
{
    struct variation *v = data;
    if (owner->kind == TF_NODE_REGION) {
        for (uint32_t i = 0; i < owner->n_in; i++)
            *of(v, owner->region->params[i]) = *of(v, owner->in[i]);
        return 0;
    }
    uint32_t depth = depth_of(v, owner);
    *of(v, owner->loop->var) = (struct leaves){.n = 1, .cell = add_cell(v, NO_DEPTH, depth)};
    for (uint32_t i = 0; i < owner->loop->n_carries; i++)
        *of(v, owner->loop->carries[i]) = fresh_leaves(v, of(v, owner->in[i]), NO_DEPTH, depth);
    return 0;
}

static int leave(void *data, const struct tf_node *owner)
{
    struct variation *v = data;
    if (owner->kind == TF_NODE_LOOP)
        for (uint32_t i = 0; i < owner->loop->n_carries; i++)
            join_leaves(v, of(v, owner->loop->yields[i]), of(v, owner->loop->carries[i]));
    return 0;
}

/* ---- the fixed point -----------------------------------------------------------------------------------------------*/

static uint64_t *mask_of(const struct variation *v, uint32_t cell)
{
    return &v->masks[(size_t)cell * v->words];
}

static int absorb(struct variation *v, uint32_t from, uint32_t to)
{
    const uint64_t *more = mask_of(v, from);
    uint64_t *mask = mask_of(v, to);
    uint32_t stops = v->cells.at[to].stops;
    int grown = 0;
    for (uint32_t w = 0; w < v->words; w++) {
        uint64_t bits = more[w];
        if (stops != NO_DEPTH && stops / 64 == w)
            bits &= ~(UINT64_C(1) << (stops % 64));
        grown |= (bits & ~mask[w]) != 0;
        mask[w] |= bits;
    }
    return grown;
}

/* Edges by the cell that they leave: those of cell c are out[first[c]] up to out[first[c + 1]]. */
static void sort_edges(const struct variation *v, uint32_t *first, uint32_t *out)
{
    for (size_t i = 0; i < v->edges.n; i++)
        first[v->edges.at[i].from + 1]++;
    for (size_t c = 0; c < v->cells.n; c++)
        first[c + 1] += first[c];
    for (size_t i = v->edges.n; i-- > 0;)
        out[--first[v->edges.at[i].from + 1]] = v->edges.at[i].to;
    for (size_t c = 0; c < v->cells.n; c++)
        first[c] = first[c + 1];
    first[v->cells.n] = (uint32_t)v->edges.n;
}

static void spread(struct variation *v)
{
    uint32_t n = (uint32_t)v->cells.n;
    uint32_t *first = CTX_ARRAY(v->ctx, uint32_t, (size_t)n + 1), *out = CTX_ARRAY(v->ctx, uint32_t, v->edges.n);
    uint8_t *queued = CTX_ARRAY(v->ctx, uint8_t, n);
    VEC(uint32_t) queue = {0};
    sort_edges(v, first, out);
    for (uint32_t c = n; c-- > 1;) {
        if (v->cells.at[c].seed == NO_DEPTH)
            continue;
        mask_of(v, c)[v->cells.at[c].seed / 64] |= UINT64_C(1) << (v->cells.at[c].seed % 64);
        queued[c] = 1;
        VEC_PUSH(&queue, c);
    }
    while (queue.n) {
        uint32_t from = queue.at[--queue.n];
        queued[from] = 0;
        for (uint32_t i = first[from]; i < first[from + 1]; i++) {
            if (!absorb(v, from, out[i]) || queued[out[i]])
                continue;
            queued[out[i]] = 1;
            VEC_PUSH(&queue, out[i]);
        }
    }
    VEC_FREE(&queue);
}

/* ---- lists ---------------------------------------------------------------------------------------------------------*/

/* Lists that end at one innermost loop, by their mask. */
struct list {
    struct list *next;
    const uint64_t *mask;
    uint32_t *loops;
};

static int has(const uint64_t *mask, uint32_t depth)
{
    return mask[depth / 64] >> (depth % 64) & 1;
}

static uint32_t *list_make(struct variation *v, const uint64_t *mask, uint32_t loop)
{
    uint32_t *loops = CTX_ARRAY(v->ctx, uint32_t, (size_t)v->in->loops[loop].depth + 2), n = 0;
    for (; loop != TF_NO_LOOP; loop = v->in->loops[loop].parent)
        if (has(mask, v->in->loops[loop].depth))
            loops[n++] = loop;
    loops[n] = TF_NO_LOOP;
    return loops;
}

static const uint32_t *list_find(struct variation *v, struct list **lists, const uint64_t *mask, uint32_t loop)
{
    static const uint32_t none[] = {TF_NO_LOOP};
    while (loop != TF_NO_LOOP && !has(mask, v->in->loops[loop].depth))
        loop = v->in->loops[loop].parent;
    if (loop == TF_NO_LOOP)
        return none;
    for (struct list *l = lists[loop]; l; l = l->next)
        if (!memcmp(l->mask, mask, v->words * sizeof(*mask)))
            return l->loops;
    struct list *fresh = CTX_NEW(v->ctx, struct list);
    fresh->mask = arena_copy(&v->ctx->arena, mask, v->words * sizeof(*mask));
    fresh->loops = list_make(v, mask, loop);
    fresh->next = lists[loop];
    lists[loop] = fresh;
    return fresh->loops;
}

static const uint32_t *const *lists_make(struct variation *v)
{
    uint32_t n = v->in->function->n_nodes;
    const uint32_t **out = CTX_ARRAY(v->ctx, const uint32_t *, n);
    struct list **lists = CTX_ARRAY(v->ctx, struct list *, v->in->n_loops);
    uint64_t *mask = CTX_ARRAY(v->ctx, uint64_t, v->words);
    for (uint32_t id = 0; id < n; id++) {
        const struct leaves *l = &v->leaves[id];
        memset(mask, 0, v->words * sizeof(*mask));
        for (uint32_t k = 0; k < (l->each ? l->n : 1); k++)
            for (uint32_t w = 0; w < v->words; w++)
                mask[w] |= mask_of(v, leaf(l, k))[w];
        out[id] = list_find(v, lists, mask, v->in->loop_around[id]);
    }
    return out;
}

const uint32_t *const *varies_find(tf_ctx *ctx, const struct varies_input *input)
{
    struct variation v = {.ctx = ctx, .in = input};
    const struct walk walk = {&v, visit, enter, leave};
    uint32_t deepest = 0;
    for (uint32_t i = 0; i < input->n_loops; i++)
        deepest = input->loops[i].depth > deepest ? input->loops[i].depth : deepest;
    v.words = deepest / 64 + 1;
    v.leaves = CTX_ARRAY(ctx, struct leaves, input->function->n_nodes);
    add_cell(&v, NO_DEPTH, NO_DEPTH);
    walk_function(ctx, input->function, &walk);
    v.masks = CTX_ARRAY(ctx, uint64_t, v.cells.n * v.words);
    spread(&v);
    const uint32_t *const *lists = lists_make(&v);
    VEC_FREE(&v.cells);
    VEC_FREE(&v.edges);
    return lists;
}

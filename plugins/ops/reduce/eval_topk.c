/* SPDX-License-Identifier: MIT
 * Evaluation of argmax and topk.  NaN counts as largest, -0 as +0; of equal values the one of the lower index comes first.
 */
#include "bound_reduce.h"
#include "eval_fold.h"

#include <stdlib.h>

/* ---- argmax --------------------------------------------------------------------------------------------------------*/

struct best {
    int64_t key, index, seen;
};

static void start_best(const struct fold *fold, void *state)
{
    (void)fold;
    *(struct best *)state = (struct best){0};
}

static void feed_best(const struct fold *fold, void *state, const void *data, size_t n)
{
    const int64_t *key = data;
    struct best *best = state;
    (void)fold;
    for (size_t i = 0; i < n; i++, best->seen++) {
        if (best->seen && key[i] <= best->key)
            continue;
        best->key = key[i];
        best->index = best->seen;
    }
}

static int finish_best(const struct fold *fold, void *state, size_t at)
{
    ak_store_int(fold->eval, fold->eval->results[0], at, ((struct best *)state)->index);
    return TF_OK;
}

int reduce_eval_argmax(tf_ctx *ctx, const struct tf_eval *eval)
{
    const struct tf_tensor *x = eval->args[0];
    uint32_t axis = ak_axis(&eval->call->attrs[0], x->rank);
    struct best states[FOLD_COLUMNS];
    struct fold fold = {.ctx = ctx,
        .eval = eval,
        .lane = FOLD_KEY,
        .states = states,
        .state_size = sizeof(*states),
        .start = start_best,
        .feed = feed_best,
        .finish = finish_best};
    if (x->extents[axis] == 0 && ak_count(eval->results[0]))
        return OK_REFUSE(
            ctx, eval->call, OK_CODE_NOTHING, "argmax: axis %u of x has no elements, so none is the largest", axis);
    if (eval->mode == TF_EVAL_BOUND)
        return ok_is_float(x->dtype) ? reduce_bound_argmax(eval, axis) : TF_E_UNSUPPORTED;
    int rc = ak_begin(eval);
    if (rc)
        return rc;
    return fold_run(&fold, (uint64_t)1 << axis);
}

/* ---- topk ----------------------------------------------------------------------------------------------------------*/

enum { K, AXIS, LARGEST, SORTED }; /* the attributes */

struct entry {
    int64_t key, index;
};

/* The best entries so far as a heap, the worst of them on top. */
struct heap {
    struct entry *entries;
    size_t room, n;
    int64_t seen;
};

static int is_worse(const struct entry *a, const struct entry *b)
{
    return a->key != b->key ? a->key < b->key : a->index > b->index;
}

/* Puts an entry into the place `at` of n, or below it. */
static void sink(struct entry *entries, size_t n, size_t at, struct entry entry)
{
    for (;;) {
        size_t child = 2 * at + 1;
        if (child + 1 < n && is_worse(&entries[child + 1], &entries[child]))
            child++;
        if (child >= n || !is_worse(&entries[child], &entry))
            break;
        entries[at] = entries[child];
        at = child;
    }
    entries[at] = entry;
}

static void rise(struct entry *entries, size_t at, struct entry entry)
{
    for (; at && is_worse(&entry, &entries[(at - 1) / 2]); at = (at - 1) / 2)
        entries[at] = entries[(at - 1) / 2];
    entries[at] = entry;
}

static void start_heap(const struct fold *fold, void *state)
{
    struct heap *heap = state;
    (void)fold;
    heap->n = 0;
    heap->seen = 0;
}

static void feed_heap(const struct fold *fold, void *state, const void *data, size_t n)
{
    const int64_t *key = data;
    struct heap *heap = state;
    int largest = ok_bool(fold->eval->call, LARGEST);
    for (size_t i = 0; i < n; i++) {
        struct entry entry = {.key = largest ? key[i] : ~key[i], .index = heap->seen++};
        if (heap->n < heap->room)
            rise(heap->entries, heap->n++, entry);
        else if (heap->n && is_worse(&heap->entries[0], &entry))
            sink(heap->entries, heap->n, 0, entry);
    }
}

/* Best first: the worst of those left goes to the end. */
static void sort_heap(struct heap *heap)
{
    for (size_t n = heap->n; n > 1; n--) {
        struct entry last = heap->entries[n - 1];
        heap->entries[n - 1] = heap->entries[0];
        sink(heap->entries, n - 1, 0, last);
    }
}

static int finish_heap(const struct fold *fold, void *state, size_t at)
{
    const struct tf_eval *eval = fold->eval;
    const struct tf_tensor *x = eval->args[0], *values = eval->results[0], *indices = eval->results[1];
    const struct ak_box one = {0};
    struct heap *heap = state;
    uint32_t axis = ak_axis(&eval->call->attrs[AXIS], x->rank);
    size_t inner = ak_span(x, axis + 1, x->rank), outer = at / inner;
    sort_heap(heap);
    for (size_t i = 0; i < heap->n; i++) {
        size_t to = (outer * heap->n + i) * inner + at % inner;
        size_t from = (outer * fold->count + (size_t)heap->entries[i].index) * inner + at % inner;
        ak_move(eval, &one, values, to, x, from);
        ak_store_int(eval, indices, to, heap->entries[i].index);
    }
    return TF_OK;
}

int reduce_eval_topk(tf_ctx *ctx, const struct tf_eval *eval)
{
    const struct tf_tensor *x = eval->args[0];
    uint32_t axis = ak_axis(&eval->call->attrs[AXIS], x->rank);
    size_t k = (size_t)eval->results[0]->extents[axis];
    struct heap states[FOLD_COLUMNS];
    struct fold fold = {.ctx = ctx,
        .eval = eval,
        .lane = FOLD_KEY,
        .states = states,
        .state_size = sizeof(*states),
        .start = start_heap,
        .feed = feed_heap,
        .finish = finish_heap};
    if (eval->mode == TF_EVAL_BOUND)
        return !ok_is_float(x->dtype)
                   ? TF_E_UNSUPPORTED
                   : reduce_bound_topk(eval, axis, ok_bool(eval->call, LARGEST), ok_bool(eval->call, SORTED));
    int rc = ak_begin(eval);
    if (rc || k == 0)
        return rc;
    size_t rows = ak_count(eval->results[0]) / k, columns = rows < FOLD_COLUMNS ? rows : FOLD_COLUMNS;
    struct entry *entries = calloc(k, (columns ? columns : 1) * sizeof(*entries));
    if (!entries)
        return TF_E_NOMEM;
    for (size_t i = 0; i < columns; i++)
        states[i] = (struct heap){.entries = entries + i * k, .room = k};
    rc = fold_run(&fold, (uint64_t)1 << axis);
    free(entries);
    return rc;
}

/* SPDX-License-Identifier: MIT */
#include "eval/row_blocks.h"

#include "eval/bound.h"
#include "eval/origin.h"
#include "eval/points.h"
#include "ir/call.h"
#include "plugin/numbers.h"
#include "plugin/registry.h"
#include "util/diag.h"
#include "util/parallel.h"
#include "util/progress.h"

#include <pthread.h>
#include <string.h>

/* ---- memory of a block --------------------------------------------------------------------------------------------*/

/* Leaves that are not there at the same time share a slot. */
struct row_slots {
    uint32_t *root, *output,
        *last; /* by leaf: whose elements it has, itself or an earlier one that is only passed on; of
                                       such a one: the leaf of the result that it goes to, and the last step that reads it */
    uint32_t *slot_of, *delivered; /* by leaf: its slot, and that of what was delivered in its place; ROWS_NONE */
    VEC(uint64_t) bytes;           /* by slot: of one row */
    VEC(uint32_t) free;
    struct arena memory; /* what is the same for all workers */
    struct tf_call *calls;
    const char **plugins;
    pthread_mutex_t lock;
    VEC(struct row_worker *) idle;
};

/* What a block needs of a leaf: elements, and in BOUND mode upper ends, products and doubts. */
struct parts {
    size_t width;
    int has_ends, has_raw;
};

static struct parts parts_of(const struct row_blocks *b, const struct rows_leaf *leaf)
{
    uint32_t dtype = leaf->type->dtype;
    int is_float = dtype_info(dtype)->cls == TF_CLASS_FLOAT;
    if (b->mode == TF_EVAL_BOUND)
        return (struct parts){sizeof(double), 1, b->request->declared->fma && dtype == TF_DTYPE_F32};
    return (struct parts){b->mode == TF_EVAL_EXACT && is_float ? sizeof(double) : number_bytes(dtype), 0, 0};
}

static uint64_t bytes_of(const struct row_blocks *b, const struct rows_leaf *leaf)
{
    struct parts parts = parts_of(b, leaf);
    return leaf->elements *
           (parts.width + (parts.has_ends ? sizeof(double) + 1 : 0) + (parts.has_raw ? 2 * sizeof(double) : 0));
}

/* A parameter is given in its own dtype, and read as the mode has it block by block. */
static int is_loaded(const struct row_blocks *b, const struct rows_leaf *leaf)
{
    return leaf->is_sliced && !leaf->is_step && leaf->node->kind == TF_NODE_PARAM && b->mode != TF_EVAL_DECLARED;
}

static int is_delivered(const struct row_blocks *b, const struct rows_leaf *leaf)
{
    return b->request && b->request->delivered && leaf->output != ROWS_NONE && b->request->delivered[leaf->output];
}

/* What only passes elements on is the same memory under other extents, unless both sides are to be kept. */
static void find_roots(struct row_blocks *b)
{
    struct row_slots *slots = b->slots;
    for (uint32_t i = 0; i < b->plan->leaves.n; i++) {
        slots->root[i] = i;
        slots->output[i] = b->plan->leaves.at[i].output;
        slots->last[i] = b->plan->leaves.at[i].last;
    }
    for (size_t i = 0; i < b->plan->steps.n && b->mode == TF_EVAL_DECLARED; i++) {
        const struct rows_step *step = &b->plan->steps.at[i];
        uint32_t at = step->first_result, root = slots->root[step->args[0]];
        if (!step->is_copy || (!b->plan->leaves.at[root].is_step && slots->output[at] != ROWS_NONE))
            continue; /* what was computed before is only looked at */
        if (slots->output[root] != ROWS_NONE && slots->output[at] != ROWS_NONE)
            continue;
        slots->root[at] = root;
        slots->output[root] = slots->output[root] == ROWS_NONE ? slots->output[at] : slots->output[root];
        slots->last[root] = slots->last[root] > slots->last[at] ? slots->last[root] : slots->last[at];
    }
}

static int is_passed_on(const struct row_slots *slots, const struct rows_step *step)
{
    return slots->root[step->first_result] != step->first_result;
}

static uint32_t take_slot(struct row_slots *slots, uint64_t bytes)
{
    size_t best = slots->free.n;
    for (size_t i = 0; i < slots->free.n; i++)
        if (best == slots->free.n || slots->bytes.at[slots->free.at[i]] >= bytes)
            best = i;
    if (best == slots->free.n) {
        VEC_PUSH(&slots->bytes, bytes);
        return (uint32_t)slots->bytes.n - 1;
    }
    uint32_t slot = slots->free.at[best];
    slots->free.at[best] = slots->free.at[--slots->free.n];
    slots->bytes.at[slot] = slots->bytes.at[slot] > bytes ? slots->bytes.at[slot] : bytes;
    return slot;
}

static void give_slots(struct row_blocks *b, uint32_t step)
{
    const struct rows_step *s = &b->plan->steps.at[step];
    for (uint32_t i = 0; i < s->n_args + s->n_results; i++) {
        struct row_slots *slots = b->slots;
        uint32_t at = slots->root[i < s->n_args ? s->args[i] : s->first_result + i - s->n_args];
        if (!b->plan->leaves.at[at].is_step || slots->last[at] != step || slots->output[at] != ROWS_NONE)
            continue;
        slots->last[at] = ROWS_NONE; /* it is given back once */
        VEC_PUSH(&slots->free, slots->slot_of[at]);
    }
}

static void assign_slots(struct row_blocks *b)
{
    const struct rows_plan *plan = b->plan;
    for (size_t i = 0; i < plan->leaves.n; i++)
        if (is_loaded(b, &plan->leaves.at[i]))
            b->slots->slot_of[i] = take_slot(b->slots, bytes_of(b, &plan->leaves.at[i]));
    for (size_t i = 0; i < plan->steps.n; i++) {
        const struct rows_step *step = &plan->steps.at[i];
        for (uint32_t k = step->first_result; k < step->first_result + step->n_results; k++) {
            const struct rows_leaf *leaf = &plan->leaves.at[k];
            if (b->slots->root[k] == k && (b->mode != TF_EVAL_DECLARED || b->slots->output[k] == ROWS_NONE))
                b->slots->slot_of[k] = take_slot(b->slots, bytes_of(b, leaf));
            if (is_delivered(b, leaf))
                b->slots->delivered[k] = take_slot(b->slots, bytes_of(b, leaf));
        }
        give_slots(b, (uint32_t)i);
    }
}

#define ALIGNMENT ((uint64_t)64)
#define MOST_PARTS 4

static uint64_t row_bytes(const struct row_slots *slots)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < slots->bytes.n; i++)
        bytes += slots->bytes.at[i];
    return bytes;
}

void row_blocks_begin(struct row_blocks *b, uint64_t budget, uint64_t rows)
{
    struct row_slots *slots = b->slots = xrealloc(NULL, sizeof(*slots));
    size_t n = b->plan->leaves.n;
    *slots = (struct row_slots){0};
    arena_init(&slots->memory);
    pthread_mutex_init(&slots->lock, NULL);
    slots->root = ARENA_ARRAY(&slots->memory, uint32_t, n);
    slots->output = ARENA_ARRAY(&slots->memory, uint32_t, n);
    slots->last = ARENA_ARRAY(&slots->memory, uint32_t, n);
    slots->slot_of = ARENA_ARRAY(&slots->memory, uint32_t, n);
    slots->delivered = ARENA_ARRAY(&slots->memory, uint32_t, n);
    memset(slots->slot_of, 0xff, n * sizeof(*slots->slot_of));
    memset(slots->delivered, 0xff, n * sizeof(*slots->delivered));
    slots->calls = ARENA_ARRAY(&slots->memory, struct tf_call, b->plan->steps.n);
    slots->plugins = ARENA_ARRAY(&slots->memory, const char *, b->plan->steps.n);
    for (size_t i = 0; i < b->plan->steps.n; i++) {
        const struct tf_node *node = b->plan->steps.at[i].node;
        const struct plugin *owner = registry_owner(b->ctx, node->op);
        slots->plugins[i] = owner ? owner->descriptor.name : NULL;
        slots->calls[i] = call_whole(&slots->memory, node);
    }
    find_roots(b);
    assign_slots(b);
    uint64_t bytes = row_bytes(slots), fits = budget / (bytes ? bytes : 1);
    b->rows = rows ? rows : fits ? fits : 1;
    if (b->rows > b->plan->n_rows)
        b->rows = b->plan->n_rows;
    number_math(b->ctx); /* loaded before there is more than one thread */
}

/* ---- one that computes blocks -------------------------------------------------------------------------------------*/

struct row_view {
    struct tf_tensor pub;
    int64_t extents[TF_MAX_RANK];
    int64_t leading; /* coordinates of axis 0 in one row */
};

struct row_worker {
    tf_ctx ctx; /* its own memory and diagnostics, everything else shared and only read */
    const struct row_blocks *b;
    struct tensor_memory memory;
    char *room;
    uint64_t bytes;
    struct row_view *views, *judged; /* by leaf; judged: what was found where something else was delivered */
    const struct tf_tensor ***args;  /* by step */
    struct tf_tensor ***results;
};

static uint64_t slot_bytes(const struct row_blocks *b, size_t slot)
{
    return (b->slots->bytes.at[slot] * b->rows + MOST_PARTS * ALIGNMENT) & ~(ALIGNMENT - 1);
}

static char *slot_at(const struct row_worker *w, uint32_t slot)
{
    char *at = w->room;
    for (uint32_t i = 0; i < slot; i++)
        at += slot_bytes(w->b, i);
    return at;
}

static char *take_part(char **at, uint64_t bytes)
{
    char *part = *at;
    *at += (bytes + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
    return part;
}

static void place_view(const struct row_worker *w, const struct rows_leaf *leaf, uint32_t slot, struct row_view *view)
{
    struct parts parts = parts_of(w->b, leaf);
    uint64_t n = leaf->elements * w->b->rows;
    char *at = slot_at(w, slot);
    view->pub.data = take_part(&at, n * parts.width);
    if (parts.has_ends)
        view->pub.bound = (double *)(void *)take_part(&at, n * sizeof(double));
    if (parts.has_raw)
        view->pub.raw = (double *)(void *)take_part(&at, 2 * n * sizeof(double));
    if (parts.has_ends)
        view->pub.doubt = (uint8_t *)take_part(&at, n);
}

static void make_view(struct row_worker *w, uint32_t index)
{
    const struct rows_leaf *leaf = &w->b->plan->leaves.at[index];
    struct row_view *view = &w->views[index];
    uint32_t slot = w->b->slots->slot_of[index], delivered = w->b->slots->delivered[index];
    for (uint32_t i = 0; i < leaf->type->rank; i++)
        view->extents[i] = leaf->type->shape[i]->value;
    view->pub = (struct tf_tensor){.struct_size = sizeof(view->pub),
        .dtype = leaf->type->dtype,
        .rank = leaf->type->rank,
        .extents = view->extents};
    if (leaf->is_sliced)
        view->leading = view->extents[0] / (int64_t)w->b->plan->n_rows;
    if (slot != ROWS_NONE)
        place_view(w, leaf, slot, view);
    else if (!leaf->is_sliced && w->b->whole[index])
        view->pub = w->b->whole[index]->pub;
    if (delivered == ROWS_NONE)
        return;
    w->judged[index] = *view;
    w->judged[index].pub.extents = w->judged[index].extents;
    place_view(w, leaf, delivered, view);
}

static void list_views(struct row_worker *w, struct arena *arena, size_t step)
{
    const struct rows_step *s = &w->b->plan->steps.at[step];
    w->args[step] = ARENA_ARRAY(arena, const struct tf_tensor *, s->n_args);
    w->results[step] = ARENA_ARRAY(arena, struct tf_tensor *, s->n_results);
    for (uint32_t i = 0; i < s->n_args; i++)
        w->args[step][i] = &w->views[s->args[i]].pub;
    for (uint32_t i = 0; i < s->n_results; i++) {
        uint32_t at = s->first_result + i;
        w->results[step][i] = w->b->slots->delivered[at] == ROWS_NONE ? &w->views[at].pub : &w->judged[at].pub;
    }
}

static void account(const struct row_blocks *b, uint64_t bytes)
{
    b->memory->now += bytes;
    if (b->memory->peak < b->memory->now)
        b->memory->peak = b->memory->now;
}

/* Called with the lock held, or while there is one thread.  NULL where there is no memory. */
static struct row_worker *worker_new(const struct row_blocks *b)
{
    struct row_slots *slots = b->slots;
    struct row_worker *w = ARENA_NEW(&slots->memory, struct row_worker);
    size_t n = b->plan->leaves.n;
    w->b = b;
    for (size_t i = 0; i < slots->bytes.n; i++)
        w->bytes += slot_bytes(b, i);
    w->room = aligned_alloc(ALIGNMENT, w->bytes + ALIGNMENT);
    if (!w->room)
        return NULL;
    account(b, w->bytes);
    w->ctx = *b->ctx;
    w->ctx.diag = NULL;
    arena_init(&w->ctx.arena);
    arena_init(&w->ctx.relations);
    w->views = ARENA_ARRAY(&slots->memory, struct row_view, n);
    w->judged = ARENA_ARRAY(&slots->memory, struct row_view, n);
    w->args = ARENA_ARRAY(&slots->memory, const struct tf_tensor **, b->plan->steps.n);
    w->results = ARENA_ARRAY(&slots->memory, struct tf_tensor **, b->plan->steps.n);
    for (size_t i = 0; i < n; i++)
        make_view(w, (uint32_t)i);
    for (size_t i = 0; i < b->plan->steps.n; i++)
        list_views(w, &slots->memory, i);
    return w;
}

static void worker_free(struct row_worker *w)
{
    w->b->memory->now -= w->bytes;
    arena_finish(&w->ctx.arena);
    arena_finish(&w->ctx.relations);
    free(w->room);
}

/* ---- a block ------------------------------------------------------------------------------------------------------*/

/* The view of these rows of a whole value. */
static void slice(struct row_view *view, const struct tensor *whole, size_t width, uint64_t first)
{
    view->pub.data = (char *)whole->pub.data + first * width;
    if (!whole->pub.bound)
        return;
    view->pub.bound = whole->pub.bound + first;
    view->pub.doubt = whole->pub.doubt + first;
    view->pub.raw = NULL; /* of one product as a whole */
}

static void clear_doubts(struct tf_tensor *tensor, size_t n)
{
    if (tensor->doubt)
        memset(tensor->doubt, 0, n);
    if (tensor->raw)
        tensor->raw[0] = __builtin_nan("");
}

static void load(const struct row_worker *w, const struct rows_leaf *leaf, struct row_view *view, uint64_t first,
    size_t n, const struct tensor *whole)
{
    const char *from = (const char *)whole->pub.data + first * number_bytes(leaf->type->dtype);
    clear_doubts(&view->pub, n);
    if (w->b->mode == TF_EVAL_BOUND)
        points_set(&view->pub, n, from);
    else if (dtype_info(leaf->type->dtype)->cls == TF_CLASS_FLOAT)
        number_load_f64(leaf->type->dtype, n, from, view->pub.data);
    else
        memcpy(view->pub.data, from, n * number_bytes(leaf->type->dtype));
}

static void begin_block(struct row_worker *w, uint64_t first, uint64_t rows)
{
    const struct row_blocks *b = w->b;
    for (size_t i = 0; i < b->plan->leaves.n; i++) {
        const struct rows_leaf *leaf = &b->plan->leaves.at[i];
        struct row_view *view = &w->views[i];
        uint64_t at = first * leaf->elements;
        if (!leaf->is_sliced)
            continue;
        view->extents[0] = w->judged[i].extents[0] = view->leading * (int64_t)rows;
        if (is_loaded(b, leaf))
            load(w, leaf, view, at, rows * leaf->elements, b->whole[i]);
        else if (!leaf->is_step)
            slice(view, b->whole[i], parts_of(b, leaf).width, at);
        else if (b->slots->root[i] != i)
            view->pub.data = w->views[b->slots->root[i]].pub.data;
        else if (b->slots->slot_of[i] == ROWS_NONE)
            slice(view, b->to[b->slots->output[i]], parts_of(b, leaf).width, at);
    }
}

static void deliver(struct row_worker *w, uint32_t at, uint64_t first, uint64_t rows)
{
    const struct rows_leaf *leaf = &w->b->plan->leaves.at[at];
    const struct tensor *given = w->b->request->delivered[leaf->output];
    const char *from = (const char *)given->pub.data + first * leaf->elements * number_bytes(leaf->type->dtype);
    clear_doubts(&w->views[at].pub, rows * leaf->elements);
    points_deliver(&w->views[at].pub, rows * leaf->elements, &w->judged[at].pub, from);
}

static int run_step(struct row_worker *w, size_t at, uint64_t first, uint64_t rows)
{
    const struct row_blocks *b = w->b;
    const struct rows_step *step = &b->plan->steps.at[at];
    struct tf_eval eval = {.struct_size = sizeof(eval),
        .call = &b->slots->calls[at],
        .args = w->args[at],
        .results = w->results[at],
        .n_args = step->n_args,
        .n_results = step->n_results,
        .mode = b->mode,
        .fp8_overflow = b->fp8_overflow};
    if (b->request)
        bound_eval_init(&eval, b->request, b->function, step->node);
    for (uint32_t i = 0; i < step->n_results; i++)
        clear_doubts(w->results[at][i], rows * b->plan->leaves.at[step->first_result + i].elements);
    w->ctx.plugin = b->slots->plugins[at];
    w->ctx.at = &step->node->loc;
    int rc = b->mode == TF_EVAL_BOUND ? bound_call(&w->ctx, &w->memory, &eval) : step->node->op->eval(&w->ctx, &eval);
    for (uint32_t i = step->first_result; !rc && i < step->first_result + step->n_results; i++)
        if (b->slots->delivered[i] != ROWS_NONE)
            deliver(w, i, first, rows);
    return rc ? rc : diag_errors(&w->ctx) ? TF_E_REFUSED : TF_OK;
}

/* *failed: the step that could not be computed. */
static int run_block(struct row_worker *w, uint64_t first, uint64_t rows, size_t *failed)
{
    int rc = TF_OK;
    begin_block(w, first, rows);
    for (size_t i = 0; i < w->b->plan->steps.n && rc == TF_OK; i++) {
        *failed = i;
        if (is_passed_on(w->b->slots, &w->b->plan->steps.at[i]))
            continue;
        rc = run_step(w, i, first, rows);
        if (rc == TF_OK)
            arena_reset(&w->ctx.arena);
    }
    return rc;
}

static uint64_t rows_of_block(const struct row_blocks *b, uint64_t first)
{
    return b->plan->n_rows - first < b->rows ? b->plan->n_rows - first : b->rows;
}

/* ---- all blocks ---------------------------------------------------------------------------------------------------*/

struct filling {
    struct row_blocks *b;
    pthread_t first; /* the thread that says how far it is */
    uint64_t done;   /* blocks, under the lock */
    int rc;
};

static struct row_worker *take_worker(struct filling *f)
{
    struct row_slots *slots = f->b->slots;
    struct row_worker *w = NULL;
    pthread_mutex_lock(&slots->lock);
    if (!f->rc && slots->idle.n)
        w = slots->idle.at[--slots->idle.n];
    else if (!f->rc && !(w = worker_new(f->b)))
        f->rc = TF_E_NOMEM;
    pthread_mutex_unlock(&slots->lock);
    return w;
}

static void give_worker(struct filling *f, struct row_worker *w, int rc)
{
    struct row_slots *slots = f->b->slots;
    pthread_mutex_lock(&slots->lock);
    VEC_PUSH(&slots->idle, w);
    f->rc = f->rc ? f->rc : rc;
    pthread_mutex_unlock(&slots->lock);
}

static void count_block(struct filling *f)
{
    pthread_mutex_lock(&f->b->slots->lock);
    uint64_t done = ++f->done;
    pthread_mutex_unlock(&f->b->slots->lock);
    if (pthread_equal(pthread_self(), f->first))
        progress_tell(f->b->ctx, "evaluating", done * f->b->rows, f->b->plan->n_rows);
}

static void fill_blocks(void *data, size_t first, size_t end)
{
    struct filling *f = data;
    struct row_worker *w = take_worker(f);
    int rc = TF_OK;
    size_t failed;
    if (!w)
        return;
    for (size_t i = first; i < end && rc == TF_OK; i++) {
        rc = run_block(w, i * f->b->rows, rows_of_block(f->b, i * f->b->rows), &failed);
        count_block(f);
    }
    give_worker(f, w, rc);
}

int row_blocks_fill(struct row_blocks *b)
{
    struct filling f = {.b = b, .first = pthread_self()};
    parallel_for((size_t)((b->plan->n_rows - 1) / b->rows + 1), 1, fill_blocks, &f);
    return f.rc;
}

/* Says what a worker could not do, which has said it to nobody yet. */
static int explain(const struct row_blocks *b, struct row_worker *w, size_t step, int rc)
{
    const struct tf_node *node = b->plan->steps.at[step].node;
    const char *code, *text = diag_first_error(&w->ctx, 0, &code);
    if (text)
        ERROR(b->ctx, &node->loc, code, "%s", text);
    else
        eval_explain(b->ctx, node, b->slots->plugins[step], b->mode, rc);
    return rc;
}

/* Views that stay what they are from block to block but for their extents, which they point to.  What is held in f64
 * says so. */
static const struct tf_tensor *const *list_results(const struct row_blocks *b, const struct row_worker *w)
{
    uint32_t n = b->plan->n_outputs;
    struct tf_tensor *views = ARENA_ARRAY(&b->slots->memory, struct tf_tensor, n);
    const struct tf_tensor **results = ARENA_ARRAY(&b->slots->memory, const struct tf_tensor *, n);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = b->plan->outputs[i];
        views[i] = b->slots->delivered[at] == ROWS_NONE ? w->views[at].pub : w->judged[at].pub;
        if (b->mode == TF_EVAL_EXACT && dtype_info(views[i].dtype)->cls == TF_CLASS_FLOAT)
            views[i].dtype = TF_DTYPE_F64;
        results[i] = &views[i];
    }
    return results;
}

int row_blocks_each(struct row_blocks *b, eval_rows_fn *fn, void *data)
{
    struct row_worker *w = worker_new(b);
    if (!w)
        return ERROR(b->ctx, NULL, "tensor-size", "no memory was left for a block of rows"), TF_E_NOMEM;
    VEC_PUSH(&b->slots->idle, w);
    const struct tf_tensor *const *results = list_results(b, w);
    int rc = TF_OK;
    size_t failed;
    for (uint64_t first = 0; first < b->plan->n_rows && rc == TF_OK; first += b->rows) {
        uint64_t rows = rows_of_block(b, first);
        rc = run_block(w, first, rows, &failed);
        if (rc)
            return explain(b, w, failed, rc);
        rc = fn(data, first, first + rows, b->plan->n_rows, results);
    }
    return rc;
}

void row_blocks_end(struct row_blocks *b)
{
    for (size_t i = 0; i < b->slots->idle.n; i++)
        worker_free(b->slots->idle.at[i]);
    VEC_FREE(&b->slots->idle);
    VEC_FREE(&b->slots->bytes);
    VEC_FREE(&b->slots->free);
    pthread_mutex_destroy(&b->slots->lock);
    arena_finish(&b->slots->memory);
    free(b->slots);
    b->slots = NULL;
}

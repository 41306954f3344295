/* SPDX-License-Identifier: MIT
 * Enclosures of argmax and topk.  An index lies between the least and the greatest of those that can be chosen.  Numbers
 * become integers of the same order, of which NaN is the largest, as it is where largest elements are looked for.
 */
#include "bound_reduce.h"

struct range {
    int64_t lo, hi; /* keys */
};

static int64_t key_of(double number)
{
    int64_t bits;
    number += 0.0; /* -0 becomes +0 */
    memcpy(&bits, &number, sizeof(bits));
    return bits < 0 ? bits ^ INT64_MAX : bits;
}

static double number_of(int64_t key)
{
    double number;
    key = key < 0 ? key ^ INT64_MAX : key;
    memcpy(&number, &key, sizeof(number));
    return number;
}

static struct range keys_of(struct bk x)
{
    if (bk_is_nan(x))
        return (struct range){INT64_MAX, INT64_MAX};
    return (struct range){key_of(x.lo), x.doubt ? INT64_MAX : key_of(x.hi)};
}

/* ---- argmax -------------------------------------------------------------------------------------------------------*/

/* Of what is surely as large as anything is, the first: before it an element can be chosen that may be as large, after it
 * one that may be larger. */
static struct bk choices(const struct tf_tensor *x, size_t first, size_t n, size_t step)
{
    struct range best = keys_of(bk_at(x, first));
    size_t at = 0, least = n, greatest = 0;
    for (size_t i = 1; i < n; i++) {
        struct range keys = keys_of(bk_at(x, first + i * step));
        if (keys.lo > best.lo) {
            best = keys;
            at = i;
        }
    }
    for (size_t i = 0; i < n; i++) {
        struct range keys = keys_of(bk_at(x, first + i * step));
        if (i <= at ? keys.hi < best.lo : keys.hi <= best.lo)
            continue;
        least = i < least ? i : least;
        greatest = i;
    }
    return (struct bk){(double)least, (double)greatest, 0};
}

int reduce_bound_argmax(const struct tf_eval *e, uint32_t axis)
{
    const struct tf_tensor *x = e->args[0];
    size_t n = (size_t)x->extents[axis], step = ek_extent(x, axis + 1, x->rank), outer = ek_extent(x, 0, axis);
    for (size_t o = 0; o < outer; o++)
        for (size_t i = 0; i < step; i++)
            bk_put(e->results[0], o * step + i, choices(x, o * n * step + i, n, step));
    return TF_OK;
}

/* ---- topk ---------------------------------------------------------------------------------------------------------*/

struct top {
    const struct tf_eval *e;
    size_t n, k, step;
    int largest, sorted;
    struct range *keys;    /* n: in the order that is asked for, the best the greatest */
    int64_t *lows, *highs; /* n: ends of the keys, greatest first */
    struct bk *indices;    /* k */
    double most;           /* the largest number that there may be */
};

static int by_falling_key(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x < y) - (x > y);
}

static void load_keys(struct top *t, size_t first)
{
    t->most = -BK_INFINITY;
    for (size_t i = 0; i < t->n; i++) {
        struct bk x = bk_at(t->e->args[0], first + i * t->step);
        struct range keys = keys_of(x);
        t->most = !bk_is_nan(x) && x.hi > t->most ? x.hi : t->most;
        t->keys[i] = t->largest ? keys : (struct range){~keys.hi, ~keys.lo};
        t->lows[i] = t->keys[i].lo;
        t->highs[i] = t->keys[i].hi;
    }
    qsort(t->lows, t->n, sizeof(*t->lows), by_falling_key);
    qsort(t->highs, t->n, sizeof(*t->highs), by_falling_key);
}

/* Places of falling keys, at the front, that are greater than the key; equal ones too where asked for. */
static size_t places_above(const int64_t *keys, size_t n, int64_t key, int equal_too)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (keys[middle] > key || (equal_too && keys[middle] == key))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The j-th place can go to what is as good as the j-th best of the lower ends, and no better than that of the upper. */
static void find_indices(struct top *t)
{
    for (size_t j = 0; j < t->k; j++)
        t->indices[j] = (struct bk){BK_INFINITY, -BK_INFINITY, 0};
    for (size_t i = 0; i < t->n; i++) {
        size_t first = places_above(t->lows, t->n, t->keys[i].hi, 0);
        size_t end = places_above(t->highs, t->n, t->keys[i].lo, 1);
        if (!t->sorted && first < t->k && end > 0) {
            first = 0;
            end = t->k;
        }
        for (size_t j = first; j < end && j < t->k; j++)
            t->indices[j] = bk_hull(t->indices[j], (struct bk){(double)i, (double)i, 0});
    }
}

/* What lies in the j-th place; anywhere where their order is free. */
static struct bk value_at(const struct top *t, size_t j)
{
    int64_t worst = t->lows[t->sorted ? j : t->k - 1], best = t->highs[t->sorted ? j : 0];
    int64_t low = t->largest ? worst : ~best, high = t->largest ? best : ~worst;
    if (low == INT64_MAX)
        return bk_nan();
    if (high == INT64_MAX)
        return (struct bk){number_of(low), t->most, TF_DOUBT_MAY_NAN};
    return (struct bk){number_of(low), number_of(high), 0};
}

static void put_top(struct top *t, size_t first, size_t to)
{
    load_keys(t, first);
    find_indices(t);
    for (size_t j = 0; j < t->k; j++) {
        bk_put(t->e->results[0], to + j * t->step, value_at(t, j));
        bk_put(t->e->results[1], to + j * t->step, t->indices[j]);
    }
}

int reduce_bound_topk(const struct tf_eval *e, uint32_t axis, int largest, int sorted)
{
    const struct tf_tensor *x = e->args[0];
    size_t outer = ek_extent(x, 0, axis);
    struct top t = {.e = e,
        .n = (size_t)x->extents[axis],
        .k = (size_t)e->results[0]->extents[axis],
        .step = ek_extent(x, axis + 1, x->rank),
        .largest = largest,
        .sorted = sorted};
    t.keys = ek_scratch(t.n, sizeof(*t.keys));
    t.lows = ek_scratch(t.n, sizeof(*t.lows));
    t.highs = ek_scratch(t.n, sizeof(*t.highs));
    t.indices = ek_scratch(t.k, sizeof(*t.indices));
    int rc = t.keys && t.lows && t.highs && t.indices ? TF_OK : TF_E_NOMEM;
    for (size_t o = 0; rc == TF_OK && t.k && o < outer; o++)
        for (size_t i = 0; i < t.step; i++)
            put_top(&t, o * t.n * t.step + i, o * t.k * t.step + i);
    free(t.keys);
    free(t.lows);
    free(t.highs);
    free(t.indices);
    return rc;
}

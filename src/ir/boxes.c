/* SPDX-License-Identifier: MIT
 * A unit's iterations as a list of disjoint boxes, for calls where one box does not serve; counting a boundary is
 * counting the union of the boxes' images.
 */
#include "ir/amounts.h"

#include <stdlib.h>
#include <string.h>

/* A list that grows past this is not followed; the call is refused by name. */
#define MAX_BOXES 4096

static int box_empty(const struct reach *r, const struct box *box)
{
    for (uint32_t k = 0; k < r->n_iter; k++)
        if (box->lo[k] >= box->hi[k])
            return 1;
    return 0;
}

static int push(struct reach *r, const struct box *box)
{
    if (box_empty(r, box))
        return TF_OK;
    if (r->boxes.n >= MAX_BOXES)
        return reach_refuse(r, "a unit's share is in too many pieces");
    VEC_PUSH(&r->boxes, *box);
    return TF_OK;
}

/* Replaces every box by what `cut` pushes for it. */
static int each_box(
    struct reach *r, int (*cut)(struct reach *r, const struct box *box, const void *with), const void *with)
{
    size_t n = r->boxes.n;
    struct box *old = r->boxes.at;
    memset(&r->boxes, 0, sizeof(r->boxes));
    int rc = TF_OK;
    for (size_t i = 0; i < n && !rc; i++)
        rc = cut(r, &old[i], with);
    free(old);
    return rc;
}

/* ---- restricting --------------------------------------------------------------------------------------------------*/

static int64_t count_of(const struct box *box, uint32_t axis)
{
    return box->hi[axis] - box->lo[axis];
}

/* One tap at a time, so that the form has one term that varies. */
static int cut_taps(struct reach *r, const struct box *box, const void *with)
{
    const struct form *form = with;
    if (form->n < 2 || count_of(box, form->iter[0]) == 1 || count_of(box, form->iter[1]) == 1)
        return push(r, box);
    uint32_t k = form->iter[count_of(box, form->iter[1]) <= count_of(box, form->iter[0])];
    int rc = TF_OK;
    for (int64_t i = box->lo[k]; i < box->hi[k] && !rc; i++) {
        struct box one = *box;
        one.lo[k] = i;
        one.hi[k] = i + 1;
        rc = push(r, &one);
    }
    return rc;
}

/* The part of the box where the form lies in [lo, hi). */
static struct box narrowed(const struct form *form, const struct box *box, wide lo, wide hi)
{
    struct box part = *box;
    wide least, most;
    form_range(form, box, &least, &most);
    if (least >= lo && most < hi)
        return part;
    uint32_t t = 0;
    while (t < form->n && count_of(box, form->iter[t]) == 1)
        t++;
    if (t == form->n)
        part.hi[0] = part.lo[0]; /* one coordinate, outside */
    else
        form_narrow(form, t, lo, hi, &part);
    return part;
}

/* Of the iterations whose coordinates are all within the value only those held; of the others, all. */
static int cut_side(struct reach *r, const struct box *box, const void *with)
{
    const struct side *side = with;
    const wide far = (wide)1 << 120;
    struct box inside = *box;
    for (uint32_t a = 0; a < side->rank; a++) {
        const struct form *form = &side->axis[a];
        if (form->any)
            continue;
        struct box below = narrowed(form, &inside, -far, 0), above = narrowed(form, &inside, form->whole, far);
        int rc = push(r, &below);
        if (!rc)
            rc = push(r, &above);
        if (rc)
            return rc;
        inside = narrowed(form, &inside, 0, form->whole);
        if (box_empty(r, &inside))
            return TF_OK;
    }
    for (uint32_t a = 0; a < side->rank && !box_empty(r, &inside); a++)
        if (!side->axis[a].any)
            inside = narrowed(&side->axis[a], &inside, 0, side->axis[a].held);
    return push(r, &inside);
}

static int side_restricts(const struct side *side)
{
    for (uint32_t a = 0; a < side->rank; a++)
        if (!side->axis[a].any && side->axis[a].held < side->axis[a].whole)
            return 1;
    return 0;
}

static int restrict_boxes(struct reach *r)
{
    int rc = push(r, &r->box);
    for (uint32_t s = 0; s < r->n_sides && !rc; s++) {
        if (!side_restricts(&r->side[s]))
            continue;
        for (uint32_t a = 0; a < r->side[s].rank && !rc; a++)
            rc = each_box(r, cut_taps, &r->side[s].axis[a]);
        if (!rc)
            rc = each_box(r, cut_side, &r->side[s]);
    }
    return rc;
}

/* ---- counting a union of images -----------------------------------------------------------------------------------*/

struct image { /* of one box at one boundary: a product of spans */
    struct span axis[TF_MAX_RANK];
};

struct edge {
    wide at;
    size_t image;
    int opens;
};

static int by_place(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return x->opens - y->opens;
}

static int count_union(struct reach *r, const struct image *images, const size_t *chosen, size_t n, uint32_t axis,
    uint32_t rank, uint64_t *count);

static int same_span(const struct span *a, const struct span *b)
{
    return a->lo == b->lo && a->n == b->n && (a->step == b->step || a->n == 1);
}

static int all_same(const struct image *images, const size_t *chosen, size_t n, uint32_t axis)
{
    for (size_t i = 1; i < n; i++)
        if (!same_span(&images[chosen[0]].axis[axis], &images[chosen[i]].axis[axis]))
            return 0;
    return 1;
}

static int common_step(const struct image *images, const size_t *chosen, size_t n, uint32_t axis, wide *step)
{
    *step = 0;
    for (size_t i = 0; i < n; i++) {
        const struct span *s = &images[chosen[i]].axis[axis];
        if (s->n == 1)
            continue;
        if (*step && *step != s->step)
            return 0;
        *step = s->step;
    }
    if (*step == 0)
        *step = 1;
    return 1;
}

/* Edges along an axis with coordinates of one residue together: residue * far + quotient orders them. */
static void make_edges(
    const struct image *images, const size_t *chosen, size_t n, uint32_t axis, wide step, struct edge *edges)
{
    const wide far = (wide)1 << 62;
    for (size_t i = 0; i < n; i++) {
        const struct span *s = &images[chosen[i]].axis[axis]; /* lo >= 0: clipped to the value */
        wide at = s->lo % step * far + s->lo / step;
        edges[2 * i] = (struct edge){at, i, 1};
        edges[2 * i + 1] = (struct edge){at + (wide)s->n, i, 0};
    }
    qsort(edges, 2 * n, sizeof(*edges), by_place);
}

/* Between two edges the same images are there: their other axes are counted once for the whole stretch. */
static int count_stretches(struct reach *r, const struct image *images, const size_t *chosen, size_t n, uint32_t axis,
    uint32_t rank, wide step, uint64_t *count)
{
    struct edge *edges = xrealloc(NULL, 2 * n * sizeof(*edges));
    unsigned char *open = xrealloc(NULL, n);
    size_t *now = xrealloc(NULL, n * sizeof(*now));
    int rc = TF_OK;
    memset(open, 0, n);
    make_edges(images, chosen, n, axis, step, edges);
    *count = 0;
    for (size_t e = 0; e + 1 < 2 * n && !rc; e++) {
        open[edges[e].image] = (unsigned char)edges[e].opens;
        wide length = edges[e + 1].at - edges[e].at;
        size_t m = 0;
        for (size_t i = 0; i < n && length > 0; i++)
            if (open[i])
                now[m++] = chosen[i];
        if (m == 0)
            continue;
        uint64_t part = 0;
        rc = count_union(r, images, now, m, axis + 1, rank, &part);
        if (!rc && (product(&part, (uint64_t)length) || __builtin_add_overflow(*count, part, count)))
            rc = reach_overflow(r);
    }
    free(now);
    free(open);
    free(edges);
    return rc;
}

static int count_union(struct reach *r, const struct image *images, const size_t *chosen, size_t n, uint32_t axis,
    uint32_t rank, uint64_t *count)
{
    uint64_t factor = 1;
    while (axis < rank && all_same(images, chosen, n, axis))
        if (product(&factor, images[chosen[0]].axis[axis++].n))
            return reach_overflow(r);
    *count = factor;
    if (axis == rank)
        return TF_OK;
    wide step;
    if (!common_step(images, chosen, n, axis, &step))
        return reach_refuse(r, "the pieces of a unit's share interleave");
    uint64_t rest;
    int rc = count_stretches(r, images, chosen, n, axis, rank, step, &rest);
    if (!rc && product(count, rest))
        rc = reach_overflow(r);
    return rc;
}

static int image_of(struct reach *r, const struct side *side, const struct box *box, struct image *image, int *empty)
{
    *empty = 0;
    for (uint32_t a = 0; a < side->rank; a++) {
        if (!form_span(&side->axis[a], box, &image->axis[a]))
            return reach_refuse(r, "a unit's share of a window has gaps");
        if (image->axis[a].n == 0)
            *empty = 1;
    }
    return TF_OK;
}

static int count_boxes(struct reach *r, const struct side *side, uint64_t *elements)
{
    struct image *images = xrealloc(NULL, r->boxes.n * sizeof(*images));
    size_t *chosen = xrealloc(NULL, r->boxes.n * sizeof(*chosen)), n = 0;
    int rc = TF_OK, empty;
    for (size_t i = 0; i < r->boxes.n && !rc; i++) {
        rc = image_of(r, side, &r->boxes.at[i], &images[n], &empty);
        if (!empty) {
            chosen[n] = n;
            n++;
        }
    }
    *elements = 0;
    if (!rc && n)
        rc = count_union(r, images, chosen, n, 0, side->rank, elements);
    free(chosen);
    free(images);
    return rc;
}

/* Windows with gaps are followed tap by tap from the start, so that every box has spans for images. */
static int split_gaps(struct reach *r)
{
    int rc = TF_OK;
    for (uint32_t s = 0; s < r->n_sides && !rc; s++)
        for (uint32_t a = 0; a < r->side[s].rank && !rc; a++) {
            struct span span;
            if (r->side[s].counted && !form_span(&r->side[s].axis[a], &r->box, &span))
                rc = each_box(r, cut_taps, &r->side[s].axis[a]);
        }
    return rc;
}

int reach_by_boxes(struct reach *r, uint64_t *elements)
{
    int rc = restrict_boxes(r);
    if (!rc)
        rc = split_gaps(r);
    for (uint32_t s = 0; s < r->n_sides && !rc; s++)
        if (r->side[s].counted)
            rc = count_boxes(r, &r->side[s], &elements[r->side[s].index]);
    return rc;
}

/* SPDX-License-Identifier: MIT
 * How many distinct elements a call reaches at each boundary.
 *
 * A unit's iterations are a box almost always: then every axis of a boundary is counted by itself, in closed form, and
 * the amounts are products.  Where they are not (a split window of a convolution, a padded operand with a split of its
 * own) boxes.c goes over a list of boxes.
 */
#include "ir/amounts.h"

#include "util/diag.h"

#include <stdlib.h>

/* Taps of a window that are gone through one by one. */
#define MAX_TAPS (1 << 20)

int reach_refuse(struct reach *r, const char *why)
{
    ERROR(r->ctx, &r->step->node->loc, "amounts-unknown", "how much %s moves here cannot be established: %s",
        r->step->node->op->name, why);
    return TF_E_REFUSED;
}

int reach_overflow(struct reach *r)
{
    ERROR(r->ctx, &r->step->node->loc, "overflow", "the elements that %s reaches here pass 2^63 - 1",
        r->step->node->op->name);
    return TF_E_OVERFLOW;
}

int product(uint64_t *into, uint64_t by)
{
    return __builtin_mul_overflow(*into, by, into) || *into > INT64_MAX;
}

/* ---- coordinates of one axis --------------------------------------------------------------------------------------*/

static wide floor_div(wide a, wide b) /* b > 0 */
{
    return a >= 0 ? a / b : -((-a + b - 1) / b);
}

static wide ceil_div(wide a, wide b)
{
    return -floor_div(-a, b);
}

void form_range(const struct form *form, const struct box *box, wide *lo, wide *hi)
{
    *lo = *hi = form->offset;
    for (uint32_t t = 0; t < form->n; t++) {
        wide first = form->scale[t] * box->lo[form->iter[t]], last = form->scale[t] * (box->hi[form->iter[t]] - 1);
        *lo += first < last ? first : last;
        *hi += first < last ? last : first;
    }
}

void form_narrow(const struct form *form, uint32_t term, wide lo, wide hi, struct box *box)
{
    uint32_t k = form->iter[term];
    wide base = form->offset, scale = form->scale[term];
    if (form->n == 2)
        base += form->scale[1 - term] * box->lo[form->iter[1 - term]];
    wide from = scale > 0 ? ceil_div(lo - base, scale) : ceil_div(base - hi + 1, -scale);
    wide to = scale > 0 ? floor_div(hi - 1 - base, scale) : floor_div(base - lo, -scale);
    if (from > box->lo[k])
        box->lo[k] = from < box->hi[k] ? (int64_t)from : box->hi[k];
    if (to + 1 < box->hi[k])
        box->hi[k] = to + 1 > box->lo[k] ? (int64_t)(to + 1) : box->lo[k];
}

static struct span span_clip(struct span span, wide limit)
{
    wide first = span.lo < 0 ? ceil_div(-span.lo, span.step) : 0;
    wide last = floor_div(limit - 1 - span.lo, span.step);
    if (last > (wide)span.n - 1)
        last = (wide)span.n - 1;
    return (struct span){span.lo + first * span.step, span.step, first <= last ? (uint64_t)(last - first + 1) : 0};
}

static wide magnitude(wide a)
{
    return a < 0 ? -a : a;
}

/* The form's coordinates over the box as one span, whether or not the value has them; 0 when they are not one. */
static int form_run(const struct form *form, const struct box *box, struct span *span)
{
    wide lo, hi;
    form_range(form, box, &lo, &hi);
    struct {
        wide scale, n;
    } term[2] = {{1, 1}, {1, 1}};
    uint32_t n = 0;
    for (uint32_t t = 0; t < form->n; t++) {
        wide count = (wide)box->hi[form->iter[t]] - box->lo[form->iter[t]];
        if (count == 1)
            continue;
        term[n].scale = magnitude(form->scale[t]);
        term[n++].n = count;
    }
    if (n == 2) { /* coarse steps that leave no gap between runs of fine ones */
        uint32_t fine = term[1].scale <= term[0].scale;
        wide coarse = term[1 - fine].scale;
        if (coarse % term[fine].scale || coarse > term[fine].scale * term[fine].n)
            return 0;
        term[0].scale = term[fine].scale;
        term[0].n = (hi - lo) / term[0].scale + 1;
    }
    *span = (struct span){lo, term[0].scale, (uint64_t)term[0].n};
    return 1;
}

int form_span(const struct form *form, const struct box *box, struct span *span)
{
    if (form->any) {
        *span = (struct span){0, 1, (uint64_t)form->held};
        return 1;
    }
    if (!form_run(form, box, span))
        return 0;
    *span = span_clip(*span, form->held);
    return 1;
}

static wide residue_of(const struct span *s)
{
    wide r = s->lo % s->step;
    return r < 0 ? r + s->step : r;
}

static int by_residue(const void *a, const void *b)
{
    const struct span *x = a, *y = b;
    wide rx = residue_of(x), ry = residue_of(y);
    if (rx != ry)
        return rx < ry ? -1 : 1;
    return (x->lo > y->lo) - (x->lo < y->lo);
}

uint64_t spans_count(struct span *spans, size_t n)
{
    uint64_t total = 0;
    wide residue = -1, next = 0; /* next: first coordinate of this residue not counted yet */
    qsort(spans, n, sizeof(*spans), by_residue);
    for (size_t i = 0; i < n; i++) {
        struct span s = spans[i];
        if (s.n == 0)
            continue;
        if (residue_of(&s) != residue) {
            residue = residue_of(&s);
            next = s.lo;
        }
        wide end = s.lo + s.step * (wide)s.n;
        wide from = s.lo > next ? s.lo : next;
        if (end > from)
            total += (uint64_t)((end - from) / s.step);
        if (end > next)
            next = end;
    }
    return total;
}

/* A two-term axis with gaps, tap by tap: the shorter of its iteration axes is gone through.  How many taps there are, or
 * 0 when they are too many. */
static uint64_t count_taps(const struct form *form, const struct box *box, uint32_t *axis)
{
    wide n0 = (wide)box->hi[form->iter[0]] - box->lo[form->iter[0]];
    wide n1 = (wide)box->hi[form->iter[1]] - box->lo[form->iter[1]];
    uint32_t few = n1 <= n0;
    wide n = few ? n1 : n0;
    *axis = form->iter[few];
    return n > MAX_TAPS ? 0 : (uint64_t)n;
}

static void find_taps(const struct form *form, const struct box *box, uint32_t axis, struct span *spans)
{
    struct box one = *box;
    for (int64_t i = box->lo[axis]; i < box->hi[axis]; i++) {
        one.lo[axis] = i;
        one.hi[axis] = i + 1;
        form_run(form, &one, &spans[i - box->lo[axis]]);
    }
}

static int unite_taps(struct reach *r, const struct form *form, uint64_t *count)
{
    uint32_t axis;
    uint64_t n = count_taps(form, &r->box, &axis);
    if (n == 0)
        return reach_refuse(r, "its window has too many taps");
    struct span *spans = xrealloc(NULL, (size_t)n * sizeof(*spans));
    find_taps(form, &r->box, axis, spans);
    for (uint64_t i = 0; i < n; i++)
        spans[i] = span_clip(spans[i], form->held);
    *count = spans_count(spans, (size_t)n);
    free(spans);
    return TF_OK;
}

static int count_side(struct reach *r, const struct side *side, uint64_t *elements)
{
    uint64_t total = 1;
    for (uint32_t a = 0; a < side->rank; a++) {
        struct span span;
        uint64_t n;
        if (form_span(&side->axis[a], &r->box, &span))
            n = span.n;
        else if (unite_taps(r, &side->axis[a], &n))
            return TF_E_REFUSED;
        if (product(&total, n))
            return reach_overflow(r);
    }
    *elements = total;
    return TF_OK;
}

/* ---- one unit's iterations ----------------------------------------------------------------------------------------*/

static int is_split(const struct form *form)
{
    return !form->any && form->held < form->whole;
}

/* Whether the box narrows to exactly the iterations whose coordinate is held; it is narrowed then. */
static int narrow_to_held(const struct form *form, struct box *box)
{
    wide lo, hi;
    form_range(form, box, &lo, &hi);
    if (lo >= 0 && hi < form->held)
        return 1;
    if (form->n == 0) {
        box->hi[0] = box->lo[0]; /* a coordinate that another unit has: nothing is performed here */
        return 1;
    }
    if (form->n == 1) {
        form_narrow(form, 0, 0, form->held, box);
        return 1;
    }
    for (uint32_t t = 0; t < 2; t++) { /* mixed radix: the coarse digit alone says who holds it */
        uint32_t fine = form->iter[1 - t];
        wide radix = form->scale[1 - t] * (box->hi[fine] - box->lo[fine]);
        if (form->scale[1 - t] > 0 && form->scale[t] == radix && form->held % radix == 0 && lo == 0) {
            form_narrow(form, t, 0, form->held, box);
            return 1;
        }
    }
    return 0;
}

static int box_is_empty(const struct reach *r)
{
    for (uint32_t k = 0; k < r->n_iter; k++)
        if (r->box.lo[k] >= r->box.hi[k])
            return 1;
    return 0;
}

/* Narrows the box by every split; 0 when the iterations are a box. */
static int restrict_box(struct reach *r)
{
    struct box whole = r->box;
    int boxy = 1;
    for (uint32_t s = 0; s < r->n_sides && !box_is_empty(r); s++)
        for (uint32_t a = 0; a < r->side[s].rank && !r->side[s].partial; a++)
            if (is_split(&r->side[s].axis[a]) && !narrow_to_held(&r->side[s].axis[a], &r->box))
                boxy = 0;
    for (uint32_t s = 0; s < r->n_sides && boxy && !box_is_empty(r); s++)
        for (uint32_t a = 0; a < r->side[s].rank && r->side[s].partial; a++) {
            wide lo, hi;
            form_range(&r->side[s].axis[a], &r->box, &lo, &hi);
            if (is_split(&r->side[s].axis[a]) && (lo < 0 || hi >= r->side[s].axis[a].held))
                boxy = 0;
        }
    if (!boxy)
        r->box = whole;
    return boxy ? 0 : 1;
}

/* ---- reading the relation -----------------------------------------------------------------------------------------*/

static int read_form(struct reach *r, const struct tf_axis *axis, int64_t whole, int64_t held, struct form *form)
{
    *form = (struct form){.any = axis->kind == TF_AXIS_ANY, .offset = axis->offset, .whole = whole, .held = held};
    for (int t = 0; t < 2 && !form->any; t++) {
        int32_t k = axis->iter[t];
        if (k < 0 || axis->scale[t] == 0)
            continue;
        if ((uint32_t)k >= r->n_iter)
            return reach_refuse(r, "its relation names an axis that it does not go over");
        if (r->box.hi[k] == 1)
            continue;
        form->iter[form->n] = (uint32_t)k;
        form->scale[form->n++] = axis->scale[t];
    }
    return TF_OK;
}

static int read_side(struct reach *r, const struct tf_boundary *boundary, const struct tf_type *whole,
    const struct tf_type *held, uint32_t index)
{
    if (whole->kind != TF_TYPE_TENSOR || whole->rank != boundary->rank)
        return reach_refuse(r, "its relation does not have the axes of its values");
    struct side *side = &r->side[r->n_sides++];
    side->rank = boundary->rank;
    side->index = index;
    side->partial = 0;
    side->counted = boundary->flow != TF_FLOW_NONE;
    for (uint32_t a = 0; a < side->rank; a++) {
        wide lo, hi;
        struct form *form = &side->axis[a];
        int rc = read_form(r, &boundary->axes[a], whole->shape[a]->value, held->shape[a]->value, form);
        if (rc)
            return rc;
        form_range(form, &r->box, &lo, &hi);
        if (!form->any && (lo < 0 || hi >= form->whole))
            side->partial = 1;
    }
    return TF_OK;
}

/* A boundary without axes: the value whole, all its leaves. */
static int count_whole(struct reach *r, const struct tf_type *type, uint64_t *elements)
{
    if (type->kind == TF_TYPE_TENSOR)
        return type_elements(type, elements) ? reach_overflow(r) : TF_OK;
    size_t n = type_leaves(type, NULL, 0);
    const struct tf_type **leaves = xrealloc(NULL, n * sizeof(*leaves));
    type_leaves(type, leaves, n);
    int rc = TF_OK;
    *elements = 0;
    for (size_t i = 0; i < n && !rc; i++) {
        uint64_t one = 0;
        if (type_elements(leaves[i], &one) || __builtin_add_overflow(*elements, one, elements))
            rc = reach_overflow(r);
    }
    free(leaves);
    return rc;
}

static int read_boundary(struct reach *r, const struct tf_boundary *boundary, const struct tf_type *whole,
    const struct tf_type *held, uint32_t index, uint64_t *elements)
{
    elements[index] = 0;
    if (boundary->axes)
        return read_side(r, boundary, whole, held, index);
    return boundary->flow == TF_FLOW_NONE ? TF_OK : count_whole(r, held, &elements[index]);
}

static int read_relation(struct reach *r, const struct tf_relation *relation, int unit, uint64_t *elements)
{
    const struct tf_call *whole = r->step->whole, *held = unit ? r->step->unit : whole;
    int rc = TF_OK;
    for (uint32_t i = 0; i < relation->n_in && !rc; i++)
        rc = read_boundary(r, &relation->in[i], whole->arg_types[i], held->arg_types[i], i, elements);
    if (rc || relation->n_out == 0)
        return rc;
    const struct tf_type *one[2] = {whole->type, held->type}, **leaves = one;
    uint32_t n = relation->n_out;
    if (whole->type->kind == TF_TYPE_TUPLE) {
        if (type_leaves(whole->type, NULL, 0) != n || type_leaves(held->type, NULL, 0) != n)
            return reach_refuse(r, "its relation does not have its results");
        leaves = xrealloc(NULL, 2 * (size_t)n * sizeof(*leaves));
        type_leaves(whole->type, leaves, n);
        type_leaves(held->type, leaves + n, n);
    }
    for (uint32_t i = 0; i < n && !rc; i++)
        rc = read_boundary(r, &relation->out[i], leaves[i], leaves[n + i], relation->n_in + i, elements);
    if (leaves != one)
        free(leaves);
    return rc;
}

static int count_all(struct reach *r, int unit, uint64_t *elements)
{
    if (unit && restrict_box(r))
        return reach_by_boxes(r, elements);
    if (box_is_empty(r))
        return TF_OK;
    for (uint32_t s = 0; s < r->n_sides; s++) {
        int rc = r->side[s].counted ? count_side(r, &r->side[s], &elements[r->side[s].index]) : TF_OK;
        if (rc)
            return rc;
    }
    return TF_OK;
}

/* Reads the relation for the asker; *nothing when no iteration is performed at all. */
static int reach_begin(struct reach *r, const struct tf_relation *relation, int unit, uint64_t *elements, int *nothing)
{
    *nothing = (relation->flags & TF_RELATION_EMPTY) != 0;
    if (relation->n_iter > RELATION_MAX_ITER)
        return reach_refuse(r, "it goes over too many axes");
    for (uint32_t k = 0; k < relation->n_iter; k++) {
        if (relation->extent[k]->kind != TF_DIM_CONST)
            return reach_refuse(r, "an extent is open");
        r->box.lo[k] = 0;
        r->box.hi[k] = relation->extent[k]->value;
        *nothing |= r->box.hi[k] <= 0;
    }
    if (r->n_iter == 0) { /* one iteration */
        r->n_iter = 1;
        r->box.hi[0] = 1;
    }
    for (uint32_t i = 0; i < relation->n_in + relation->n_out; i++)
        elements[i] = 0;
    if (*nothing && !(relation->flags & TF_RELATION_INPLACE))
        return TF_OK;
    return read_relation(r, relation, unit, elements); /* where an empty window would go is still asked */
}

#define FEW_SIDES 8 /* that stand on the stack */

int relation_amounts(tf_ctx *ctx, const struct tf_program *program, const struct tf_step *step,
    const struct tf_relation *relation, int unit, uint64_t *elements)
{
    (void)program;
    struct side few[FEW_SIDES], *many = NULL;
    struct reach r = {.ctx = ctx, .step = step, .n_iter = relation->n_iter, .side = few};
    uint32_t n = relation->n_in + relation->n_out;
    int nothing;
    if (n > FEW_SIDES)
        r.side = many = xrealloc(NULL, n * sizeof(*many));
    int rc = reach_begin(&r, relation, unit, elements, &nothing);
    if (!rc && !nothing)
        rc = count_all(&r, unit, elements);
    VEC_FREE(&r.boxes);
    free(many);
    return rc;
}

/* ---- where, not how much -------------------------------------------------------------------------------------------*/

static void set_spans(struct reach *r, struct tf_reach_axis *axis, const struct span *spans, uint64_t n)
{
    axis->n = (uint32_t)n;
    axis->spans = CTX_ARRAY(r->ctx, struct tf_span, n);
    for (uint64_t i = 0; i < n; i++)
        axis->spans[i] = (struct tf_span){.lo = (int64_t)spans[i].lo, .step = (int64_t)spans[i].step, .n = spans[i].n};
}

static int reach_axis(struct reach *r, const struct form *form, struct tf_reach_axis *axis)
{
    struct span one = {0, 1, (uint64_t)form->held};
    if (form->any || form_run(form, &r->box, &one)) {
        set_spans(r, axis, &one, 1);
        return TF_OK;
    }
    uint32_t tap;
    uint64_t n = count_taps(form, &r->box, &tap);
    if (n == 0)
        return TF_E_UNSUPPORTED;
    struct span *spans = xrealloc(NULL, (size_t)n * sizeof(*spans));
    find_taps(form, &r->box, tap, spans);
    set_spans(r, axis, spans, n);
    free(spans);
    return TF_OK;
}

int relation_reach(tf_ctx *ctx, const struct tf_program *program, const struct tf_step *step,
    const struct tf_relation *relation, int unit, uint32_t boundary, struct tf_reach_axis *axes)
{
    (void)program;
    uint32_t n = relation->n_in + relation->n_out;
    struct reach r = {.ctx = ctx, .step = step, .n_iter = relation->n_iter};
    uint64_t *elements = xrealloc(NULL, n * sizeof(*elements));
    int nothing, rc;
    r.side = xrealloc(NULL, n * sizeof(*r.side));
    rc = reach_begin(&r, relation, unit, elements, &nothing);
    if (!rc && !nothing && unit && restrict_box(&r))
        rc = TF_E_UNSUPPORTED;
    nothing = nothing || box_is_empty(&r);
    for (uint32_t s = 0; s < r.n_sides && !rc; s++)
        for (uint32_t a = 0; a < r.side[s].rank && r.side[s].index == boundary && !rc; a++)
            rc = nothing ? (set_spans(&r, &axes[a], NULL, 0), TF_OK) : reach_axis(&r, &r.side[s].axis[a], &axes[a]);
    free(r.side);
    free(elements);
    return rc;
}

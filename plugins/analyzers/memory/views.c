/* SPDX-License-Identifier: MIT
 * Views folded onto their roots.
 *
 * A coordinate along an axis of a view is spread over digits, outermost first, each a stride along one axis of the root;
 * what starts at run time moves a base.  Coordinates are the asker's: a unit's are those of its share, which is the first
 * along every split axis, so that its windows are the whole's.
 */
#include "views.h"

/* A chain of views longer than this is not followed. */
#define MAX_CHAIN 4096
#define MAX_DIGITS 64

struct view_digit {
    uint32_t axis; /* of the root */
    coord stride;
    uint64_t extent;
};

struct view {
    uint32_t root_rank, rank;
    coord root_extent[TF_MAX_RANK];
    uint64_t full[TF_MAX_RANK];      /* extents of its type */
    uint64_t extent[TF_MAX_RANK];    /* what of them is left after windows that pass the end */
    uint32_t first[TF_MAX_RANK + 1]; /* digits of axis a: first[a] up to first[a + 1] */
    struct view_digit digit[MAX_DIGITS];
    struct moving base[TF_MAX_RANK]; /* along the root's axes */
    coord lo[TF_MAX_RANK], hi[TF_MAX_RANK];
    uint32_t is_opaque; /* axes do not go by digits; all of the view is all of its digits */
    uint32_t is_empty;
};

/* ---- finding the root ----------------------------------------------------------------------------------------------*/

/* What lies between a value and its root: views to apply, and loops that have ended when the value is used. */
struct link {
    const struct tf_step *view; /* NULL: the loop's variable stands at its last value */
    uint32_t loop;
};

struct chain {
    struct link *at;
    uint32_t n, room, n_views;
    uint32_t item[TF_MAX_RANK], n_items; /* tuple items asked for, last first */
    struct standing standing;
};

static int add_link(struct asker *a, struct chain *chain, struct link link)
{
    if (chain->n == MAX_CHAIN)
        return VIEW_UPPER;
    if (chain->n == chain->room) {
        uint32_t room = chain->room ? 2 * chain->room : 8;
        struct link *at = pool_take(a->pool, room * sizeof(*at));
        if (chain->n)
            memcpy(at, chain->at, chain->n * sizeof(*at));
        chain->at = at;
        chain->room = room;
    }
    chain->at[chain->n++] = link;
    chain->n_views += link.view != NULL;
    return VIEW_OK;
}

const struct tf_type *leaf_of(const struct tf_type *type, uint32_t index)
{
    if (type->kind == TF_TYPE_TENSOR)
        return index == 0 ? type : NULL;
    for (uint32_t i = 0; i < type->rank; i++) {
        uint32_t leaves = 0;
        while (leaf_of(type->fields[i], leaves))
            leaves++;
        if (index < leaves)
            return leaf_of(type->fields[i], index);
        index -= leaves;
    }
    return NULL;
}

static uint32_t count_leaves(const struct tf_type *type)
{
    uint32_t n = 0;
    if (type->kind == TF_TYPE_TENSOR)
        return 1;
    for (uint32_t i = 0; i < type->rank; i++)
        n += count_leaves(type->fields[i]);
    return n;
}

/* The leaf of a call's tuple that the items asked for name. */
static uint32_t item_leaf(const struct tf_type *type, struct chain *chain)
{
    uint32_t leaf = 0;
    while (chain->n_items && type->kind == TF_TYPE_TUPLE) {
        uint32_t item = chain->item[--chain->n_items];
        if (item >= type->rank)
            break;
        for (uint32_t i = 0; i < item; i++)
            leaf += count_leaves(type->fields[i]);
        type = type->fields[item];
    }
    return leaf;
}

static int ask_item(struct chain *chain, uint32_t item)
{
    if (chain->n_items == TF_MAX_RANK)
        return VIEW_UPPER;
    chain->item[chain->n_items++] = item;
    return VIEW_OK;
}

static uint32_t take_item(struct chain *chain)
{
    return chain->n_items ? chain->item[--chain->n_items] : 0;
}

/* A carried view of a buffer of which the next one is yielded stands elsewhere in later trips. */
struct carried {
    const struct tf_node *node;
    uint32_t views; /* how many lay outside it */
};
#define MAX_CARRIED 32

static int stands_on(const struct roots *roots, uint32_t root)
{
    if (roots->root != ROOT_NONE)
        return roots->root == root;
    for (uint32_t i = 0; i < roots->n; i++)
        if (stands_on(roots->field[i], root))
            return 1;
    return 0;
}

static void note_unsteady(struct asker *a, struct chain *chain, const struct carried *carried, uint32_t n)
{
    const struct tf_program *program = a->m->program;
    uint32_t *unsteady = &chain->standing.unsteady;
    for (uint32_t i = 0; i < n; i++) {
        const struct tf_node *carry = carried[i].node, *next = carry->owner->loop->yields[carry->index];
        uint32_t index = program->loop_of[carry->owner->id];
        if (chain->n_views == carried[i].views || next == carry ||
            !stands_on(roots_of(a->m, next), chain->standing.root))
            continue;
        if (*unsteady == TF_NO_LOOP || loop_within(program, index, *unsteady))
            *unsteady = index;
    }
}

/* One step from a value towards its root; *node becomes NULL at the root. */
static int step_down(struct asker *a, struct chain *chain, const struct tf_node **node)
{
    const struct tf_program *program = a->m->program;
    const struct tf_node *at = *node;
    switch (at->kind) {
    case TF_NODE_RPARAM:
    case TF_NODE_CARRY: *node = at->owner->in[at->index]; return VIEW_OK;
    case TF_NODE_REGION: *node = at->region->body; return VIEW_OK;
    case TF_NODE_TUPLE: {
        uint32_t item = take_item(chain);
        *node = item < at->n_in ? at->in[item] : NULL;
        return *node ? VIEW_OK : VIEW_UPPER;
    }
    case TF_NODE_LOOP: {
        uint32_t index = program->loop_of[at->id];
        uint32_t item = at->loop->n_carries > 1 ? take_item(chain) : 0;
        if (at->loop->n_carries == 0)
            *node = at->loop->body;
        else
            *node = program->loops[index].trips ? at->loop->yields[item] : at->in[item];
        return program->loops[index].trips ? add_link(a, chain, (struct link){NULL, index}) : VIEW_OK;
    }
    case TF_NODE_PARAM:
    case TF_NODE_CALL: break;
    default: return VIEW_UPPER;
    }
    uint32_t position = program->step_of[at->id];
    if (position == TF_NO_POSITION)
        return VIEW_UPPER;
    if (a->m->is_root[position]) {
        chain->standing.root = position;
        chain->standing.leaf = item_leaf(at->type, chain);
        *node = NULL;
        return VIEW_OK;
    }
    *node = at->in[0];
    if (at->op->flags & TF_OP_ITEM)
        return ask_item(chain, (uint32_t)at->attrs[0].u.i);
    return add_link(a, chain, (struct link){&program->steps[position], 0});
}

static int find_chain(struct asker *a, const struct tf_node *node, struct chain *chain)
{
    struct carried carried[MAX_CARRIED];
    uint32_t n = 0;
    memset(chain, 0, sizeof(*chain));
    chain->standing.unsteady = TF_NO_LOOP;
    while (node) {
        if (node->kind == TF_NODE_CARRY) {
            if (n == MAX_CARRIED)
                return VIEW_UPPER;
            carried[n++] = (struct carried){node, chain->n_views};
        }
        int rc = step_down(a, chain, &node);
        if (rc)
            return rc;
    }
    chain->standing.direct = chain->n == 0;
    note_unsteady(a, chain, carried, n);
    return VIEW_OK;
}

int find_standing(struct asker *a, const struct tf_node *node, struct standing *standing)
{
    struct chain chain;
    int rc = find_chain(a, node, &chain);
    *standing = chain.standing;
    return rc;
}

/* ---- views ---------------------------------------------------------------------------------------------------------*/

const struct tf_type *step_type(struct memory *m, const struct tf_step *step, int unit)
{
    if (!unit)
        return step->node->type;
    return step->unit ? step->unit->type : tf_host->unit_type(m->ctx, m->program, &step->node->loc, step->node->type);
}

/* The root as a view of itself: one digit an axis, or in flat coordinates its row-major strides. */
static int root_view(const struct asker *a, const struct tf_type *type, struct view *view)
{
    memset(view, 0, sizeof(*view));
    view->rank = type->rank;
    view->root_rank = a->flat ? 1 : type->rank;
    coord stride = 1;
    for (uint32_t i = type->rank; i-- > 0;) {
        view->full[i] = view->extent[i] = (uint64_t)type->shape[i]->value;
        view->digit[i] = (struct view_digit){a->flat ? 0 : i, a->flat ? stride : 1, view->extent[i]};
        stride *= (coord)view->extent[i]; /* the elements were counted: they fit */
        view->root_extent[i] = (coord)view->extent[i];
    }
    for (uint32_t i = 0; i <= type->rank; i++)
        view->first[i] = i;
    if (a->flat)
        view->root_extent[0] = stride;
    for (uint32_t i = 0; i < view->root_rank; i++)
        view->hi[i] = view->root_extent[i];
    return VIEW_OK;
}

static uint32_t digits_of(const struct view *view, uint32_t axis)
{
    return view->first[axis + 1] - view->first[axis];
}

/* The only digit of the view along that axis of the root. */
static int is_alone(const struct view *view, uint32_t digit)
{
    for (uint32_t i = 0; i < view->first[view->rank]; i++)
        if (i != digit && view->digit[i].axis == view->digit[digit].axis && view->digit[i].extent != 1)
            return 0;
    return 1;
}

/* A window along one axis: where it starts, how far apart and how many its coordinates are. */
struct window {
    struct moving start;
    coord step;
    uint64_t n;
    int may_pass; /* its start is known only at run time */
};

/* Cuts off what lies past the axis.  The cut must stand still along the root. */
static int cut(const struct asker *a, struct view *view, uint32_t axis, struct window *w)
{
    coord lo, hi, extent = (coord)view->extent[axis];
    moving_range(a, &w->start, &lo, &hi);
    if (w->n && w->start.n == 0 && lo >= 0) { /* known: only what is there is left of it */
        uint64_t left = lo < extent ? (uint64_t)((extent - 1 - lo) / w->step + 1) : 0;
        w->n = left < w->n ? left : w->n;
        return VIEW_OK;
    }
    if (!w->may_pass || w->n == 0 || (lo >= 0 && hi + w->step * (coord)(w->n - 1) < extent))
        return VIEW_OK;
    uint32_t first = view->first[axis];
    const struct view_digit *digit = &view->digit[first];
    if (digits_of(view, axis) != 1 || !is_alone(view, first) || view->base[digit->axis].n)
        return VIEW_HOLD;
    coord from = view->base[digit->axis].at, to = from + digit->stride * ((coord)digit->extent - 1) + 1;
    if (from > view->lo[digit->axis])
        view->lo[digit->axis] = from;
    if (to < view->hi[digit->axis])
        view->hi[digit->axis] = to;
    return VIEW_OK;
}

/* Puts the digits of a window along an axis of several digits into `out`; the window is whole blocks, or within one. */
static int block_digits(
    struct view *view, uint32_t first, uint32_t n, coord start, uint64_t count, struct view_digit *out, uint32_t *n_out)
{
    for (uint32_t i = 0; i < n; i++) {
        const struct view_digit *digit = &view->digit[first + i];
        coord block = 1;
        for (uint32_t k = i + 1; k < n; k++)
            block *= (coord)view->digit[first + k].extent;
        coord at = start / block;
        view->base[digit->axis].at += at * digit->stride;
        start -= at * block;
        if (start == 0 && count % (uint64_t)block == 0) {
            out[(*n_out)++] = (struct view_digit){digit->axis, digit->stride, count / (uint64_t)block};
            for (uint32_t k = i + 1; k < n; k++)
                out[(*n_out)++] = view->digit[first + k];
            return VIEW_OK;
        }
        if (start + (coord)count > block)
            return VIEW_HOLD;
    }
    return VIEW_OK;
}

/* The digits of a window along an axis; the view's base moves to its start. */
static int window_digits(
    const struct asker *a, struct view *view, uint32_t axis, struct window *w, struct view_digit *out, uint32_t *n_out)
{
    uint32_t first = view->first[axis], n = digits_of(view, axis);
    int rc = cut(a, view, axis, w);
    if (rc)
        return rc;
    if (w->n == 0) { /* nothing is left */
        view->is_empty = 1;
        return VIEW_OK;
    }
    if (n == 1) {
        struct view_digit digit = view->digit[first];
        out[(*n_out)++] = (struct view_digit){digit.axis, digit.stride * w->step, w->n};
        return moving_add(&view->base[digit.axis], &w->start, digit.stride);
    }
    if (w->start.n)
        return VIEW_HOLD;
    if (n == 0)
        return w->start.at == 0 ? VIEW_OK : VIEW_HOLD; /* an axis of one element */
    return w->step == 1 || w->n == 1 ? block_digits(view, first, n, w->start.at, w->n, out, n_out) : VIEW_HOLD;
}

/* ---- reshape -------------------------------------------------------------------------------------------------------*/

/* All digits in order, those of extent 1 dropped, neighbours that run on joined. */
static uint32_t join_digits(const struct view *view, struct view_digit *out)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < view->first[view->rank]; i++) {
        struct view_digit d = view->digit[i];
        if (d.extent == 1)
            continue;
        if (n && out[n - 1].axis == d.axis && out[n - 1].stride == d.stride * (coord)d.extent) {
            out[n - 1].extent *= d.extent;
            out[n - 1].stride = d.stride;
        } else {
            out[n++] = d;
        }
    }
    return n;
}

static int is_nothing(const struct view *view)
{
    for (uint32_t i = 0; i < view->rank; i++)
        if (view->extent[i] == 0)
            return 1;
    return 0;
}

/* Deals the digits out to the new axes; one that straddles two is split where it divides. */
static int deal_digits(struct view *view, struct view_digit *from, uint32_t n)
{
    uint32_t at = 0, made = 0;
    for (uint32_t axis = 0; axis < view->rank; axis++) {
        uint64_t need = view->extent[axis];
        view->first[axis] = made;
        while (need > 1) {
            if (at == n || made == MAX_DIGITS)
                return 0;
            struct view_digit *d = &from[at];
            if (need % d->extent == 0) {
                need /= d->extent;
                view->digit[made++] = *d;
                at++;
            } else if (d->extent % need == 0) {
                d->extent /= need;
                view->digit[made++] = (struct view_digit){d->axis, d->stride * (coord)d->extent, need};
                need = 1;
            } else {
                return 0;
            }
        }
    }
    view->first[view->rank] = made;
    return at == n;
}

static int is_cut(const struct view *view)
{
    for (uint32_t i = 0; i < view->rank; i++)
        if (view->extent[i] != view->full[i])
            return 1;
    return 0;
}

/* Axes of one element come or go, and the others stay as they are: so does what is left of them. */
static int keep_axes(struct view *view, const struct tf_type *to)
{
    struct view from = *view;
    uint32_t axis = 0, made = 0;
    view->rank = to->rank;
    for (uint32_t i = 0; i < to->rank; i++) {
        view->full[i] = view->extent[i] = (uint64_t)to->shape[i]->value;
        view->first[i] = made;
        if (view->full[i] == 1)
            continue;
        while (axis < from.rank && from.full[axis] == 1)
            axis++;
        if (axis == from.rank || from.full[axis] != view->full[i])
            return 0;
        view->extent[i] = from.extent[axis];
        for (uint32_t k = from.first[axis]; k < from.first[axis + 1]; k++)
            view->digit[made++] = from.digit[k];
        axis++;
    }
    view->first[to->rank] = made;
    while (axis < from.rank && from.full[axis] == 1)
        axis++;
    return axis == from.rank;
}

static int reshape(struct view *view, const struct tf_type *to)
{
    struct view_digit digits[MAX_DIGITS], spare[MAX_DIGITS];
    struct view kept = *view;
    if (!view->is_opaque && is_cut(view) && keep_axes(&kept, to)) {
        *view = kept;
        return VIEW_OK;
    }
    uint32_t n = join_digits(view, digits);
    view->rank = to->rank;
    for (uint32_t i = 0; i < to->rank; i++)
        view->full[i] = view->extent[i] = (uint64_t)to->shape[i]->value;
    memcpy(spare, digits, n * sizeof(*digits));
    if (!view->is_opaque && !is_nothing(view) && deal_digits(view, spare, n))
        return VIEW_OK;
    view->is_opaque = 1;
    memcpy(view->digit, digits, n * sizeof(*digits));
    for (uint32_t i = 0; i <= view->rank; i++)
        view->first[i] = i < view->rank ? 0 : n;
    return VIEW_OK;
}

/* ---- other views ---------------------------------------------------------------------------------------------------*/

/* `local` names the share of whichever unit asks: for the device, every share. */
static int add_shares(struct asker *a, const struct tf_step *step, uint64_t have, struct window *w)
{
    if (a->unit || strcmp(step->node->op->name, "local") != 0 || w->n == 0 || have <= w->n || have % w->n)
        return VIEW_OK;
    struct moving shares = {0};
    uint32_t var = unit_var(a, have / w->n);
    int held = holding_find(&a->held, var);
    if (held >= 0) {
        shares.at = a->held.value[held];
    } else {
        shares.n = 1;
        shares.term[0].var = var;
        shares.term[0].coef = 1;
    }
    return moving_add(&w->start, &shares, (coord)w->n);
}

/* The window of the source's axis that the relation reaches over n_k iterations of the axis that it walks. */
static int source_window(struct asker *a, const struct tf_axis *axis, uint64_t n, struct window *w)
{
    memset(w, 0, sizeof(*w));
    w->start.at = axis->offset;
    w->step = 1;
    w->n = 1;
    if (axis->kind != TF_AXIS_WALK || (axis->iter[1] >= 0 && axis->scale[1] != 0))
        return VIEW_HOLD;
    if (axis->iter[0] >= 0) {
        if (axis->scale[0] <= 0)
            return VIEW_HOLD;
        w->step = axis->scale[0];
        w->n = n;
    }
    if (!axis->moved)
        return VIEW_OK;
    struct moving moved;
    int rc = start_of(a, axis->moved, &moved);
    w->may_pass = 1;
    return rc ? rc : moving_add(&w->start, &moved, 1);
}

/* Axis of the result that walks an iteration axis, or rank. */
static uint32_t result_axis(const struct tf_boundary *out, int32_t iter)
{
    uint32_t axis = 0;
    while (axis < out->rank && out->axes[axis].iter[0] != iter)
        axis++;
    return axis;
}

static int apply_windows(struct asker *a, struct view *view, const struct tf_step *step,
    const struct tf_relation *relation, const struct tf_type *to)
{
    const struct tf_boundary *in = &relation->in[0], *out = &relation->out[0];
    struct view_digit digits[TF_MAX_RANK][MAX_DIGITS];
    uint64_t extents[TF_MAX_RANK];
    uint32_t n[TF_MAX_RANK] = {0};
    if (view->is_opaque || !in->axes || !out->axes || in->rank != view->rank || out->rank != to->rank)
        return VIEW_HOLD;
    for (uint32_t axis = 0; axis < to->rank; axis++)
        extents[axis] = (uint64_t)to->shape[axis]->value;
    for (uint32_t axis = 0; axis < in->rank; axis++) {
        uint32_t target = in->axes[axis].iter[0] >= 0 ? result_axis(out, in->axes[axis].iter[0]) : out->rank;
        struct view_digit dropped[MAX_DIGITS];
        uint32_t n_dropped = 0;
        struct window w;
        if (in->axes[axis].iter[0] >= 0 && target == out->rank)
            return VIEW_HOLD;
        int rc = source_window(a, &in->axes[axis], target < out->rank ? extents[target] : 1, &w);
        if (!rc)
            rc = add_shares(a, step, view->extent[axis], &w);
        if (!rc)
            rc = target < out->rank ? window_digits(a, view, axis, &w, digits[target], &n[target])
                                    : window_digits(a, view, axis, &w, dropped, &n_dropped);
        if (rc || view->is_empty)
            return rc;
        if (target < out->rank)
            extents[target] = w.n;
    }
    uint32_t made = 0;
    view->rank = to->rank;
    for (uint32_t axis = 0; axis < to->rank; axis++) {
        view->first[axis] = made;
        view->full[axis] = (uint64_t)to->shape[axis]->value;
        view->extent[axis] = extents[axis];
        for (uint32_t k = 0; k < n[axis]; k++) {
            if (made == MAX_DIGITS)
                return VIEW_HOLD;
            view->digit[made++] = digits[axis][k];
        }
    }
    view->first[to->rank] = made;
    return VIEW_OK;
}

static void hold_loop(const struct asker *a, struct view *view, uint32_t loop)
{
    for (uint32_t i = 0; i < view->root_rank; i++)
        moving_hold(&view->base[i], loop, var_last(&a->vars->at[loop]));
}

static int find_view(struct asker *a, const struct chain *chain, struct view *view)
{
    const struct tf_step *root = &a->m->program->steps[chain->standing.root];
    const struct tf_type *type = step_type(a->m, root, a->unit);
    const struct tf_type *leaf = type ? leaf_of(type, chain->standing.leaf) : NULL;
    if (!leaf)
        return type ? VIEW_UPPER : VIEW_FAILED;
    int rc = root_view(a, leaf, view);
    for (uint32_t i = chain->n; i-- > 0 && !rc && !view->is_empty;) {
        const struct tf_step *step = chain->at[i].view;
        if (!step) {
            hold_loop(a, view, chain->at[i].loop);
            continue;
        }
        const struct tf_relation *relation = a->m->relations[step->position];
        const struct tf_type *to = step_type(a->m, step, a->unit);
        if (relation->flags & TF_RELATION_RELABEL)
            rc = reshape(view, to);
        else
            rc = apply_windows(a, view, step, relation, to);
    }
    return rc;
}

/* ---- accesses ------------------------------------------------------------------------------------------------------*/

static int is_all(const struct tf_reach_axis *axis, uint64_t extent)
{
    return axis->n == 1 && axis->spans[0].lo <= 0 && axis->spans[0].step == 1 &&
           (__int128)axis->spans[0].lo + axis->spans[0].n >= extent;
}

static struct part *make_part(struct asker *a, const struct view *view, const struct view_digit *digits, uint32_t n)
{
    struct part *part = pool_take(a->pool, sizeof(*part));
    part->rank = view->root_rank;
    part->n_digits = n;
    part->base = pool_take(a->pool, view->root_rank * sizeof(*part->base));
    part->lo = pool_take(a->pool, view->root_rank * sizeof(*part->lo));
    part->hi = pool_take(a->pool, view->root_rank * sizeof(*part->hi));
    part->digit = pool_take(a->pool, n * sizeof(*part->digit));
    memcpy(part->base, view->base, view->root_rank * sizeof(*part->base));
    memcpy(part->lo, view->lo, view->root_rank * sizeof(*part->lo));
    memcpy(part->hi, view->hi, view->root_rank * sizeof(*part->hi));
    for (uint32_t i = 0; i < n; i++) {
        part->digit[i].axis = digits[i].axis;
        part->digit[i].digit = (struct digit){digits[i].stride, digits[i].extent};
    }
    return part;
}

/* The whole view. */
static int part_all(struct asker *a, const struct view *view, struct part **parts, uint32_t *n_parts)
{
    *n_parts = !is_nothing(view);
    parts[0] = make_part(a, view, view->digit, view->first[view->rank]);
    return VIEW_OK;
}

/* One choice of a span for every axis. */
static int part_spans(struct asker *a, const struct view *whole, const struct tf_axis *axes,
    const struct tf_span *const *spans, struct part **part)
{
    struct view view = *whole;
    struct view_digit digits[MAX_DIGITS * 2];
    uint32_t n = 0;
    *part = NULL;
    for (uint32_t axis = 0; axis < view.rank; axis++) {
        struct window w = {.start = {.at = spans[axis]->lo}, .step = spans[axis]->step, .n = spans[axis]->n};
        int rc = VIEW_OK;
        if (axes[axis].moved) {
            struct moving moved;
            w.may_pass = 1;
            rc = start_of(a, axes[axis].moved, &moved);
            if (!rc)
                rc = moving_add(&w.start, &moved, 1);
        } else { /* what the value does not have is not reached */
            coord first = w.start.at < 0 ? (-w.start.at + w.step - 1) / w.step : 0;
            coord last = w.n ? ((coord)view.extent[axis] - 1 - w.start.at) : -1;
            last = last < 0 ? -1 : last / w.step;
            last = last > (coord)w.n - 1 ? (coord)w.n - 1 : last;
            w.start.at += first * w.step;
            w.n = last >= first ? (uint64_t)(last - first + 1) : 0;
        }
        if (w.n == 0)
            return VIEW_OK;
        if (!rc && n > MAX_DIGITS)
            rc = VIEW_HOLD;
        if (!rc)
            rc = window_digits(a, &view, axis, &w, digits, &n);
        if (rc || view.is_empty)
            return rc;
    }
    *part = make_part(a, &view, digits, n);
    return VIEW_OK;
}

/* Windows with gaps have several spans an axis: every choice of them is a part. */
static int part_choices(struct asker *a, const struct view *view, const struct tf_boundary *boundary,
    const struct tf_reach_axis *reach, struct part **parts, uint32_t room, uint32_t *n_parts)
{
    const struct tf_span *spans[TF_MAX_RANK];
    uint64_t choices = 1;
    for (uint32_t axis = 0; axis < view->rank; axis++)
        if (reach[axis].n > room || (choices *= reach[axis].n) > room)
            return VIEW_UPPER;
    for (uint64_t c = 0; c < choices; c++) {
        uint64_t rest = c;
        for (uint32_t axis = 0; axis < view->rank; axis++) {
            spans[axis] = &reach[axis].spans[rest % reach[axis].n];
            rest /= reach[axis].n;
        }
        int rc = part_spans(a, view, boundary->axes, spans, &parts[*n_parts]);
        if (rc)
            return rc;
        *n_parts += parts[*n_parts] != NULL;
    }
    return VIEW_OK;
}

int find_part(struct asker *a, const struct tf_step *step, uint32_t boundary, const struct tf_node *value,
    uint32_t leaf, struct part **parts, uint32_t *n_parts)
{
    const struct tf_relation *relation = a->m->relations[step->position];
    const struct tf_boundary *stated =
        boundary < relation->n_in ? &relation->in[boundary] : &relation->out[boundary - relation->n_in];
    struct tf_reach_axis reach[TF_MAX_RANK];
    struct chain chain;
    struct view view;
    uint32_t room = *n_parts;
    *n_parts = 0;
    int rc = find_chain(a, value, &chain);
    chain.standing.leaf += leaf;
    if (!rc)
        rc = find_view(a, &chain, &view);
    if (rc || view.is_empty)
        return rc;
    if (!stated->axes)
        return part_all(a, &view, parts, n_parts);
    if (stated->rank != view.rank)
        return VIEW_UPPER;
    rc = tf_host->reach(a->m->ctx, a->m->program, step, relation, a->unit, boundary, reach);
    if (rc)
        return rc == TF_E_UNSUPPORTED ? VIEW_UPPER : VIEW_FAILED;
    int all = 1;
    for (uint32_t axis = 0; axis < view.rank; axis++)
        all &= is_all(&reach[axis], view.extent[axis]) && !stated->axes[axis].moved;
    if (all)
        return part_all(a, &view, parts, n_parts);
    return view.is_opaque ? VIEW_HOLD : part_choices(a, &view, stated, reach, parts, room, n_parts);
}

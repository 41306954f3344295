/* SPDX-License-Identifier: MIT
 * What a loop reaches, by root buffer: by one unit in one trip, by the device over all trips, and one unit's trips
 * summed.
 *
 * The inner loops run whole, the outer ones stand at their first trip.  Trips and units are followed in closed form: a
 * window that moves is one more digit of its coordinates.  Where that does not serve, variables are held one value after
 * another, up to a limit; beyond it, and where data decide, the whole root is taken and the row says so.
 */
#include "views.h"

/* Sets that are counted for one root in one loop before it is taken whole. */
#define MAX_SETS 65536
/* Parts of one access, and of one set. */
#define MAX_PARTS 256
#define MAX_UNION 65536

struct access {
    const struct tf_step *step;
    const struct tf_node *value;
    uint32_t boundary, leaf;
    struct access *next;
};

struct group { /* one leaf of one root in one loop */
    uint32_t root, leaf;
    uint32_t is_whole; /* some access reaches all of it in every trip */
    uint32_t is_upper;
    struct access *first, *last;
    struct group *same_root, *next;
    uint64_t bytes, device, repeated;
};

struct loop_run {
    struct memory *m;
    const struct tf_prog_loop *loop;
    uint32_t index;
    struct vars vars;
    struct pool accesses, sets; /* of a loop; of one measurement */
    struct group **group_of;    /* by root; those of this loop only */
    struct group *first, *last;
    uint64_t patience; /* sets that may still be counted for the root at hand */
};

/* ---- parts of a group ----------------------------------------------------------------------------------------------*/

struct union_of {
    struct part **at;
    uint32_t n, room;
};

static int add_parts(struct asker *a, struct union_of *set, struct part **parts, uint32_t n)
{
    if (set->n + n > MAX_UNION)
        return VIEW_UPPER;
    if (set->n + n > set->room) {
        uint32_t room = 2 * (set->n + n) + 16;
        struct part **at = pool_take(a->pool, room * sizeof(struct part *));
        if (set->n)
            memcpy(at, set->at, set->n * sizeof(struct part *));
        set->at = at;
        set->room = room;
    }
    for (uint32_t i = 0; i < n; i++)
        set->at[set->n++] = parts[i];
    return VIEW_OK;
}

static int group_parts(struct asker *a, const struct group *group, struct union_of *set)
{
    struct part **parts = pool_take(a->pool, MAX_PARTS * sizeof(struct part *));
    int rc = VIEW_OK;
    for (const struct access *access = group->first; access && !rc; access = access->next) {
        uint32_t n = MAX_PARTS;
        rc = find_part(a, access->step, access->boundary, access->value, access->leaf, parts, &n);
        if (!rc)
            rc = add_parts(a, set, parts, n);
    }
    return rc;
}

/* ---- counting one set ----------------------------------------------------------------------------------------------*/

/* The trips that a set is of: all of the loop's, or one. */
struct trip {
    int is_all;
    uint64_t at;
};

/* Whether a variable takes all its values in the set; else the one value that it has. */
static int is_free(const struct loop_run *r, const struct trip *trip, uint32_t var, coord *value)
{
    const struct var *v = &r->vars.at[var];
    *value = v->first;
    if (var >= r->m->program->n_loops)
        return 1;
    if (var == r->index) {
        *value = v->first + v->step * (coord)trip->at;
        return trip->is_all;
    }
    return loop_within(r->m->program, var, r->index);
}

/* The part's coordinates, axis by axis; a variable that moves two axes at once makes it no product. */
static int part_spans(struct loop_run *r, const struct part *part, const struct trip *trip, struct spans *axes)
{
    uint32_t used[TF_MAX_RANK * MAX_TERMS], n_used = 0;
    for (uint32_t axis = 0; axis < part->rank; axis++) {
        const struct moving *base = &part->base[axis];
        struct digit *digits = pool_take(&r->sets, (part->n_digits + MAX_TERMS) * sizeof(*digits));
        coord at = base->at, value;
        uint32_t n = 0;
        for (uint32_t i = 0; i < part->n_digits; i++)
            if (part->digit[i].axis == axis || part->digit[i].digit.extent == 0)
                digits[n++] = part->digit[i].digit;
        for (uint32_t i = 0; i < base->n; i++) {
            uint32_t var = base->term[i].var;
            if (!is_free(r, trip, var, &value)) {
                at += base->term[i].coef * value;
                continue;
            }
            for (uint32_t u = 0; u < n_used; u++)
                if (used[u] == var)
                    return VIEW_HOLD;
            used[n_used++] = var;
            at += base->term[i].coef * r->vars.at[var].first;
            digits[n++] = (struct digit){base->term[i].coef * r->vars.at[var].step, r->vars.at[var].count};
        }
        if (spans_make(&r->sets, at, n, digits, part->lo[axis], part->hi[axis], &axes[axis]))
            return VIEW_UPPER;
    }
    return VIEW_OK;
}

static int count_parts(struct loop_run *r, const struct union_of *set, const struct trip *trip, uint64_t *elements)
{
    struct spans **products = pool_take(&r->sets, set->n * sizeof(struct spans *));
    uint32_t n = 0, rank = set->n ? set->at[0]->rank : 0;
    if (r->patience == 0)
        return VIEW_UPPER;
    r->patience--;
    for (uint32_t i = 0; i < set->n; i++) {
        struct spans *axes = pool_take(&r->sets, (rank + 1) * sizeof(*axes));
        int rc = part_spans(r, set->at[i], trip, axes), empty = 0;
        if (rc)
            return rc;
        for (uint32_t axis = 0; axis < rank; axis++)
            empty |= axes[axis].n == 0;
        if (!empty)
            products[n++] = axes;
    }
    return products_count(&r->sets, rank, n, products, elements) ? VIEW_UPPER : VIEW_OK;
}

/* ---- variables held one value after another ------------------------------------------------------------------------*/

/* Every choice of values for the variables in `hold` that the set leaves free; the others have their one value. */
static int count_held(struct loop_run *r, struct asker *a, const struct group *group, const struct holding *hold,
    const struct trip *trip, uint64_t *elements)
{
    struct union_of set = {0};
    uint64_t choices = 1, counts[MAX_HELD];
    a->held = *hold;
    for (uint32_t i = 0; i < hold->n; i++) {
        coord value;
        counts[i] = is_free(r, trip, hold->var[i], &value) ? r->vars.at[hold->var[i]].count : 1;
        if (counts[i] > MAX_SETS || (choices *= counts[i]) > r->patience)
            return VIEW_UPPER;
    }
    r->patience -= choices;
    for (uint64_t c = 0; c < choices; c++) {
        uint64_t rest = c;
        for (uint32_t i = 0; i < hold->n; i++) {
            const struct var *var = &r->vars.at[hold->var[i]];
            if (!is_free(r, trip, hold->var[i], &a->held.value[i]))
                continue;
            a->held.value[i] = var->first + var->step * (coord)(rest % counts[i]);
            rest /= counts[i];
        }
        int rc = group_parts(a, group, &set);
        if (rc)
            return rc;
    }
    return count_parts(r, &set, trip, elements);
}

/* ---- one half of a row ---------------------------------------------------------------------------------------------*/

/* How the device's set, or a unit's trips, come out, in bytes. */
struct half {
    const struct tf_type *leaf;
    uint64_t most, sum; /* the largest trip's (the device's set); all trips' together */
};

static int add_trips(struct half *half, uint64_t elements, uint64_t trips)
{
    uint64_t bytes = leaf_bytes(half->leaf, elements);
    if (bytes == UINT64_MAX)
        return 1;
    if (bytes > half->most)
        half->most = bytes;
    return count_add(&half->sum, bytes, trips);
}

/* Coefficient of the loop's variable along an axis of a part. */
static coord motion(const struct loop_run *r, const struct part *part, uint32_t axis)
{
    for (uint32_t i = 0; i < part->base[axis].n; i++)
        if (part->base[axis].term[i].var == r->index)
            return part->base[axis].term[i].coef;
    return 0;
}

/* Where a part lies along an axis before anything is cut off, at trip 0. */
static void part_range(struct loop_run *r, const struct part *part, uint32_t axis, coord *lo, coord *hi)
{
    const struct trip first = {0, 0};
    *lo = *hi = part->base[axis].at;
    for (uint32_t i = 0; i < part->n_digits; i++)
        if (part->digit[i].axis == axis) {
            coord far = part->digit[i].digit.stride * ((coord)part->digit[i].digit.extent - 1);
            *lo += far < 0 ? far : 0;
            *hi += far > 0 ? far : 0;
        }
    for (uint32_t i = 0; i < part->base[axis].n; i++) {
        const struct var *var = &r->vars.at[part->base[axis].term[i].var];
        coord coef = part->base[axis].term[i].coef, value;
        int free = is_free(r, &first, part->base[axis].term[i].var, &value);
        coord x = coef * (free ? var->first : value), y = coef * (free ? var_last(var) : value);
        *lo += x < y ? x : y;
        *hi += x < y ? y : x;
    }
}

/* Trips [*from, *to) in which all parts move alike and nothing is cut off: each reaches as much as any other. */
static void steady_trips(struct loop_run *r, const struct union_of *set, uint64_t *from, uint64_t *to)
{
    coord first = 0, end = (coord)r->loop->trips;
    for (uint32_t i = 0; i < set->n; i++)
        for (uint32_t axis = 0; axis < set->at[i]->rank; axis++) {
            coord step = motion(r, set->at[i], axis) * r->loop->step, lo, hi;
            if (step != motion(r, set->at[0], axis) * r->loop->step) {
                *from = *to = 0;
                return;
            }
            if (step == 0)
                continue;
            part_range(r, set->at[i], axis, &lo, &hi);
            coord low = set->at[i]->lo[axis] - lo, high = set->at[i]->hi[axis] - 1 - hi; /* room on either side */
            coord t0 = step > 0 ? low : -high, t1 = step > 0 ? high : -low, pace = step > 0 ? step : -step;
            t0 = t0 <= 0 ? 0 : (t0 + pace - 1) / pace;
            t1 = t1 < 0 ? 0 : t1 / pace + 1;
            first = t0 > first ? t0 : first;
            end = t1 < end ? t1 : end;
        }
    *from = first < end ? (uint64_t)first : 0;
    *to = first < end ? (uint64_t)end : 0;
}

static int count_trips(
    struct loop_run *r, struct asker *a, const struct group *group, const struct holding *hold, struct half *half)
{
    struct union_of set = {0};
    uint64_t from = 0, to = 0, elements;
    int rc = hold->n ? VIEW_OK : group_parts(a, group, &set);
    if (!rc && !hold->n)
        steady_trips(r, &set, &from, &to);
    for (uint64_t t = 0; t < r->loop->trips && !rc;) {
        uint64_t times = t == from && to > from ? to - from : 1;
        const struct trip one = {0, t};
        if (hold->n)
            pool_reset(&r->sets);
        rc = hold->n ? count_held(r, a, group, hold, &one, &elements) : count_parts(r, &set, &one, &elements);
        if (!rc && add_trips(half, elements, times))
            rc = VIEW_UPPER;
        t += times;
    }
    return rc;
}

static int count_device(
    struct loop_run *r, struct asker *a, const struct group *group, const struct holding *hold, struct half *half)
{
    const struct trip all = {1, 0};
    struct union_of set = {0};
    uint64_t elements;
    int rc = hold->n ? count_held(r, a, group, hold, &all, &elements) : group_parts(a, group, &set);
    if (!rc && !hold->n)
        rc = count_parts(r, &set, &all, &elements);
    return !rc && add_trips(half, elements, 1) ? VIEW_UPPER : rc;
}

/* With no variable held, then with those held that stood in the way. */
static int count_half(struct loop_run *r, const struct group *group, int unit, int flat, struct half *half)
{
    struct asker a = {.m = r->m, .vars = &r->vars, .pool = &r->sets, .unit = unit, .flat = flat};
    struct holding hold = {.n = 0};
    for (;;) {
        pool_reset(&r->sets);
        half->most = half->sum = 0;
        a.held.n = 0;
        int rc = unit ? count_trips(r, &a, group, &hold, half) : count_device(r, &a, group, &hold, half);
        if (rc != VIEW_HOLD || a.touched.n == hold.n)
            return rc;
        hold = a.touched;
    }
}

/* ---- rows ----------------------------------------------------------------------------------------------------------*/

static const struct tf_type *group_leaf(struct loop_run *r, const struct group *group, int unit)
{
    const struct tf_type *type = step_type(r->m, &r->m->program->steps[group->root], unit);
    return type ? leaf_of(type, group->leaf) : NULL;
}

static uint64_t elements_of(const struct tf_type *leaf)
{
    uint64_t n = 1;
    for (uint32_t a = 0; a < leaf->rank; a++)
        n *= (uint64_t)leaf->shape[a]->value; /* counted before: it fits */
    return n;
}

static int take_whole(struct loop_run *r, struct group *group)
{
    const struct tf_type *unit = group_leaf(r, group, 1), *whole = group_leaf(r, group, 0);
    if (!unit || !whole)
        return TF_E_REFUSED;
    group->bytes = leaf_bytes(unit, elements_of(unit));
    group->device = leaf_bytes(whole, elements_of(whole));
    group->repeated = 0;
    if (group->bytes == UINT64_MAX || group->device == UINT64_MAX ||
        count_add(&group->repeated, group->bytes, r->loop->trips))
        return count_overflow(r->m->ctx, r->m->program, NULL, "bytes that a loop reaches");
    return TF_OK;
}

static int measure(struct loop_run *r, struct group *group)
{
    struct half unit = {.leaf = group_leaf(r, group, 0)}, device = unit;
    int rc = group->is_upper ? VIEW_UPPER : VIEW_HOLD;
    if (group->is_whole)
        return take_whole(r, group);
    for (int flat = 0; flat <= 1 && rc == VIEW_HOLD; flat++) {
        r->patience = MAX_SETS;
        rc = count_half(r, group, 1, flat, &unit);
        if (!rc)
            rc = count_half(r, group, 0, flat, &device);
    }
    if (rc == VIEW_FAILED)
        return TF_E_REFUSED;
    group->is_upper = rc != VIEW_OK;
    if (group->is_upper)
        return take_whole(r, group);
    group->bytes = unit.most;
    group->device = device.most;
    group->repeated = unit.sum;
    return TF_OK;
}

/* ---- which accesses there are --------------------------------------------------------------------------------------*/

static struct group *group_for(struct loop_run *r, uint32_t root, uint32_t leaf)
{
    struct group *group = r->group_of[root];
    while (group && group->leaf != leaf)
        group = group->same_root;
    if (group)
        return group;
    group = pool_take(&r->accesses, sizeof(*group));
    group->root = root;
    group->leaf = leaf;
    group->same_root = r->group_of[root];
    r->group_of[root] = group;
    if (r->last)
        r->last->next = group;
    else
        r->first = group;
    r->last = group;
    return group;
}

/* An access to all of a root, by itself and not by way of a view, in every trip. */
static int reaches_all(
    struct loop_run *r, const struct tf_step *step, uint32_t boundary, const struct tf_boundary *stated)
{
    struct tf_reach_axis reach[TF_MAX_RANK];
    const struct tf_call *unit = step->unit;
    if (!stated->axes)
        return 1;
    for (uint32_t a = 0; a < stated->rank; a++)
        if (stated->axes[a].moved)
            return 0;
    for (int half = 0; half < 2; half++) {
        const struct tf_call *call = half ? unit : step->whole;
        const struct tf_type *type = boundary < call->n_args ? call->arg_types[boundary] : call->type;
        if (boundary >= call->n_args)
            type = leaf_of(type, boundary - call->n_args);
        if (!type || tf_host->reach(r->m->ctx, r->m->program, step, r->m->relations[step->position], half, boundary,
                         reach) != TF_OK)
            return 0;
        for (uint32_t a = 0; a < stated->rank; a++) {
            const struct tf_span *s = reach[a].spans;
            if (reach[a].n != 1 || s->lo > 0 || s->step != 1 || (coord)s->lo + (coord)s->n < type->shape[a]->value)
                return 0;
        }
    }
    return 1;
}

static int add_access(struct loop_run *r, const struct tf_step *step, uint32_t boundary,
    const struct tf_boundary *stated, const struct tf_node *value, uint32_t leaf, const struct tf_type *type)
{
    struct asker a = {.m = r->m, .vars = &r->vars, .pool = &r->accesses};
    struct standing standing;
    uint64_t capacity;
    if (type->storage == TF_STORAGE_UMAT ||
        tf_host->target_level(r->m->program->target, type->storage, &capacity) != TF_OK)
        return TF_OK;
    int is_known = find_standing(&a, value, &standing) == VIEW_OK;
    if (!is_known) { /* too long a way: the root is known all the same */
        standing = (struct standing){.root = roots_of(r->m, value)->root, .unsteady = TF_NO_LOOP};
        leaf = 0;
    }
    if (standing.root == ROOT_NONE) {
        tf_host->error(r->m->ctx, &step->node->loc, "amounts-unknown",
            "which buffer %s reaches here cannot be established", call_word(step->node));
        return TF_E_REFUSED;
    }
    struct group *group = group_for(r, standing.root, standing.leaf + leaf);
    group->is_upper |= !is_known;
    if (standing.unsteady != TF_NO_LOOP && loop_within(r->m->program, standing.unsteady, r->index))
        group->is_upper = 1;
    if (group->is_whole || group->is_upper)
        return TF_OK;
    if (standing.direct && reaches_all(r, step, boundary, stated)) {
        group->is_whole = 1;
        return TF_OK;
    }
    struct access *access = pool_take(&r->accesses, sizeof(*access));
    *access = (struct access){step, value, boundary, leaf, NULL};
    if (group->last)
        group->last->next = access;
    else
        group->first = access;
    group->last = access;
    return TF_OK;
}

/* A whole value may be a tuple, the author's or a call's: every leaf of it is reached. */
static int add_whole(struct loop_run *r, const struct tf_step *step, uint32_t boundary,
    const struct tf_boundary *stated, const struct tf_node *value)
{
    int rc = TF_OK;
    if (value->kind == TF_NODE_TUPLE) {
        for (uint32_t i = 0; i < value->n_in && !rc; i++)
            rc = add_whole(r, step, boundary, stated, value->in[i]);
        return rc;
    }
    const struct tf_type *type;
    for (uint32_t leaf = 0; !rc && (type = leaf_of(value->type, leaf)); leaf++)
        rc = add_access(r, step, boundary, stated, value, leaf, type);
    return rc;
}

static int add_call(struct loop_run *r, const struct tf_step *step)
{
    const struct tf_relation *relation = r->m->relations[step->position];
    const struct tf_call *call = step->whole;
    int rc = TF_OK;
    if (relation->flags & TF_RELATION_EMPTY)
        return TF_OK;
    for (uint32_t i = 0; i < relation->n_in && !rc; i++)
        if (relation->in[i].flow != TF_FLOW_NONE)
            rc = add_whole(r, step, i, &relation->in[i], call->args[i]);
    for (uint32_t i = 0; i < relation->n_out && !rc; i++) {
        const struct tf_type *leaf = leaf_of(call->type, i);
        if (relation->out[i].flow != TF_FLOW_NONE && leaf)
            rc = add_access(r, step, relation->n_in + i, &relation->out[i], step->node, i, leaf);
    }
    return rc;
}

/* ---- records -------------------------------------------------------------------------------------------------------*/

struct row {
    const char *buffer;
    uint32_t level, is_upper;
    uint64_t bytes, device, repeated;
};

static int by_label(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    int order = strcmp(x->buffer, y->buffer);
    if (order)
        return order;
    if (x->level != y->level)
        return x->level < y->level ? -1 : 1;
    return (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

/* Leaves of one root at one level are one row. */
static int add_rows(struct loop_run *r, uint32_t root, struct row *rows, uint32_t *n)
{
    struct row of[TF_MAX_LEVELS] = {0};
    int over = 0;
    for (struct group *leaf = r->group_of[root]; leaf; leaf = leaf->same_root) {
        struct row *row = &of[group_leaf(r, leaf, 0)->storage];
        row->buffer = root_label(r->m, root);
        row->is_upper |= leaf->is_upper;
        over |= count_add(&row->bytes, leaf->bytes, 1);
        over |= count_add(&row->device, leaf->device, 1);
        over |= count_add(&row->repeated, leaf->repeated, 1);
    }
    for (uint32_t level = 0; level < TF_MAX_LEVELS; level++)
        if (of[level].buffer) {
            of[level].level = level;
            rows[(*n)++] = of[level];
        }
    r->group_of[root] = NULL;
    return over ? count_overflow(r->m->ctx, r->m->program, NULL, "bytes that a loop reaches") : TF_OK;
}

static struct row *gather_rows(struct loop_run *r, uint32_t *n)
{
    uint32_t many = 0;
    *n = 0;
    for (struct group *g = r->first; g; g = g->next)
        many++;
    struct row *rows = pool_take(&r->accesses, many * sizeof(*rows));
    for (struct group *g = r->first; g; g = g->next)
        if (r->group_of[g->root] && add_rows(r, g->root, rows, n))
            return NULL;
    qsort(rows, *n, sizeof(*rows), by_label);
    return rows;
}

static void text_rows(struct memory *m, struct tf_record *record, const struct row *rows, uint32_t n)
{
    struct text *text = &m->text;
    int is_upper = 0;
    text_clear(text);
    for (uint32_t i = 0; i < n; i++) {
        text_add(text, i ? "," : "");
        text_add(text, rows[i].buffer);
        text_add(text, "@");
        text_add(text, tf_host->storage(rows[i].level));
        text_add(text, ":");
        text_number(text, rows[i].bytes);
        text_add(text, "/");
        text_number(text, rows[i].device);
        text_add(text, "/");
        text_number(text, rows[i].repeated);
        is_upper |= rows[i].is_upper != 0;
    }
    if (n)
        tf_host->record_text(record, "footprints", text->at);
    tf_host->record_text(record, "status", is_upper ? "upper-bound" : "complete");
}

static void json_rows(struct tf_record *record, const struct row *rows, uint32_t n)
{
    struct tf_json *json = tf_host->record_json(record), *list = tf_host->json_array(json, "footprints");
    tf_host->json_bool(json, "known", 1);
    for (uint32_t i = 0; i < n; i++) {
        struct tf_json *row = tf_host->json_object(list, NULL);
        tf_host->json_text(row, "buffer", rows[i].buffer);
        tf_host->json_text(row, "level", tf_host->storage(rows[i].level));
        tf_host->json_uint(row, "bytes", rows[i].bytes);
        tf_host->json_uint(row, "device_bytes", rows[i].device);
        tf_host->json_uint(row, "repeated_bytes", rows[i].repeated);
        if (rows[i].is_upper)
            tf_host->json_bool(row, "upper", 1);
    }
}

/* What the loop reaches behind a cache, all units together, against what the cache holds. */
static int record_pressure(struct loop_run *r, const struct row *rows, uint32_t n)
{
    struct memory *m = r->m;
    struct tf_json *list = NULL;
    struct tf_cache cache;
    for (uint32_t c = 0; tf_host->target_cache(m->program->target, c, &cache) == TF_OK; c++) {
        uint64_t bytes = 0;
        int any = 0, over = 0;
        for (uint32_t i = 0; i < n; i++)
            if (rows[i].level == cache.backing) {
                any = 1;
                over |= count_add(&bytes, rows[i].device, 1);
            }
        if (over)
            return count_overflow(m->ctx, m->program, NULL, "bytes that a loop reaches");
        if (!any)
            continue;
        if (!list)
            list = tf_host->record_array(tf_host->record(m->ctx, FAMILY, "cache-pressure", TF_SCOPE_LOOP, r->index));
        struct tf_json *row = tf_host->json_object(list, NULL);
        tf_host->json_text(row, "cache_level", cache.name);
        tf_host->json_text(row, "backing_level", tf_host->storage(cache.backing));
        tf_host->json_uint(row, "device_bytes", bytes);
        if (cache.is_stated)
            tf_host->json_uint(row, "capacity_bytes", cache.capacity);
        else
            tf_host->json_null(row, "capacity_bytes");
        tf_host->json_text(row, "status", !cache.is_stated ? "unknown" : bytes > cache.capacity ? "exceeds" : "fits");
    }
    return TF_OK;
}

/* ---- all loops -----------------------------------------------------------------------------------------------------*/

static int find_accesses(struct loop_run *r)
{
    const struct tf_program *program = r->m->program;
    int rc = TF_OK;
    if (r->loop->trips == 0 || r->loop->first_position == TF_NO_POSITION)
        return TF_OK;
    for (uint32_t i = r->loop->first_position; i <= r->loop->end_position && !rc; i++) {
        const struct tf_step *step = &program->steps[i];
        if (kit_is_call(step) && step->runs && tf_varies_in(program, step->node, r->index))
            rc = add_call(r, step);
    }
    return rc;
}

static int run_loop(struct loop_run *r, uint32_t index)
{
    struct memory *m = r->m;
    uint32_t n;
    r->index = index;
    r->loop = &m->program->loops[index];
    r->first = r->last = NULL;
    pool_reset(&r->accesses);
    int rc = find_accesses(r);
    for (struct group *g = r->first; g && !rc; g = g->next)
        rc = measure(r, g);
    struct row *rows = rc ? NULL : gather_rows(r, &n);
    if (!rows)
        return TF_E_REFUSED;
    struct tf_record *record = tf_host->record(m->ctx, FAMILY, "loop-footprint", TF_SCOPE_LOOP, index);
    text_rows(m, record, rows, n);
    if (!m->json)
        return TF_OK;
    json_rows(record, rows, n);
    return record_pressure(r, rows, n);
}

int memory_footprints(struct memory *m)
{
    struct loop_run r = {.m = m};
    int rc = TF_OK;
    vars_init(m, &r.vars);
    r.group_of = tf_host->alloc(m->ctx, m->program->n_steps * sizeof(struct group *));
    for (uint32_t i = 0; i < m->program->n_loops && !rc; i++)
        rc = run_loop(&r, i);
    pool_free(&r.accesses);
    pool_free(&r.sets);
    return rc;
}

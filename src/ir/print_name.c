/* SPDX-License-Identifier: MIT
 * What values are called (language.md 18.3, naming): parameters, loop variables and carried values first, then the lines
 * in order.  A name stands for one value in the whole function, so that nothing is carried, captured or handed out of a
 * region by accident; only names of loop variables and meshes come again once their suite has ended.
 */
#include "ir/printer.h"

#include <stdio.h>
#include <string.h>

/* ---- the pool -----------------------------------------------------------------------------------------------------*/

static int is_name_char(char c, int first)
{
    return ((c | 32) >= 'a' && (c | 32) <= 'z') || c == '_' || (unsigned char)c >= 0x80 ||
           (!first && c >= '0' && c <= '9');
}

/* The name as an identifier, interned. */
static const char *identifier(struct printer *p, const char *name)
{
    struct buf text = {0};
    if (!is_name_char(name[0], 1))
        buf_char(&text, '_');
    for (const char *c = name; *c; c++)
        buf_char(&text, is_name_char(*c, 0) ? *c : '_');
    const char *result = ctx_intern(p->ctx, buf_text(&text));
    buf_free(&text);
    return result;
}

void name_reserve(struct printer *p, const char *name, uint32_t how)
{
    uint32_t *known = ptr_map_put(&p->globals, ctx_intern(p->ctx, name), how);
    if (*known < how)
        *known = how;
}

static int is_taken(const struct printer *p, const char *name)
{
    return ptr_map_get(&p->globals, name) || ptr_map_get(&p->plan.names, name);
}

static const char *with_suffix(struct printer *p, const char *base)
{
    uint32_t *known = ptr_map_put(&p->plan.names, base, 1), n = *known;
    char suffix[16];
    struct buf text = {0};
    const char *name;
    do {
        text.n = 0;
        snprintf(suffix, sizeof(suffix), "_%u", ++n);
        buf_str(&text, base);
        buf_str(&text, suffix);
        name = ctx_intern(p->ctx, buf_text(&text));
    } while (is_taken(p, name));
    buf_free(&text);
    *ptr_map_put(&p->plan.names, base, 1) = n;
    ptr_map_put(&p->plan.names, name, 1);
    return name;
}

const char *name_claim(struct printer *p, const char *wanted)
{
    const char *base = identifier(p, wanted);
    if (is_taken(p, base))
        return with_suffix(p, base);
    ptr_map_put(&p->plan.names, base, 1);
    return base;
}

void note_number(struct printer *p, const char *name)
{
    if (name && name[0] == 'v' && name[1] && !name[1 + strspn(name + 1, "0123456789")])
        ptr_map_put(&p->plan.numbers, ctx_intern(p->ctx, name), 1);
}

/* What the author called v7 keeps that name, however many unnamed values come before it. */
const char *name_number(struct printer *p)
{
    char text[16];
    const char *name;
    do {
        snprintf(text, sizeof(text), "v%u", p->plan.unnamed++);
        name = ctx_intern(p->ctx, text);
    } while (is_taken(p, name) || ptr_map_get(&p->plan.numbers, name));
    ptr_map_put(&p->plan.names, name, 1);
    return name;
}

/* A parameter keeps its name where it can: callers' files and weights go by it.  What the function itself calls is
 * not hidden by it, or the author could not have called it either. */
static const char *claim_param(struct printer *p, const char *wanted)
{
    const char *base = identifier(p, wanted);
    const uint32_t *global = ptr_map_get(&p->globals, base);
    if ((global && *global == NAME_NEEDED) || ptr_map_get(&p->plan.names, base))
        return with_suffix(p, base);
    ptr_map_put(&p->plan.names, base, 1);
    return base;
}

static const char *claim_for(struct printer *p, const char *wanted)
{
    return wanted ? name_claim(p, wanted) : name_number(p);
}

/* For a loop variable or a mesh: as long as its suite is open. */
static const char *name_open(struct printer *p, const char *wanted)
{
    const char *base = identifier(p, wanted);
    const uint32_t *open = ptr_map_get(&p->plan.loose, base);
    const char *name = open && *open == 0 ? base : name_claim(p, wanted);
    *ptr_map_put(&p->plan.loose, name, 1) = 1;
    return name;
}

static void name_close(struct printer *p, const char *name)
{
    *ptr_map_put(&p->plan.loose, name, 0) = 0;
}

const char *name_of(struct printer *p, const struct tf_node *node)
{
    return item_of(p, origin(node))->name;
}

/* ---- carried values -----------------------------------------------------------------------------------------------*/

int64_t result_of(const struct tf_node *node, const struct tf_node *from)
{
    if (node == from)
        return from->loop->n_carries == 1 ? 0 : -1;
    return is_item(node) && node->in[0] == from ? node->attrs[0].u.i : -1;
}

/* Whether the loop inside, carrying `node` on, is the last to read it and yields what the loop around does. */
static int carries_on(
    struct printer *p, const struct tf_node *outer, const struct tf_node *inner, uint32_t j, uint32_t *k)
{
    const struct tf_node *from = inner->in[j];
    if (from->kind != TF_NODE_CARRY || from->owner != outer)
        return 0;
    *k = from->index;
    return item_of(p, from)->last == item_of(p, inner)->line && result_of(outer->loop->yields[*k], inner) == (int64_t)j;
}

/* Whether the loop that stands last starts from all values that no loop above it carries on, and assigns them in order:
 * then nothing has to be assigned before it. */
static int starts_from_carries(struct printer *p, const struct tf_node *loop, const struct tf_node *last)
{
    int64_t before = -1;
    for (uint32_t k = 0; k < loop->loop->n_carries; k++) {
        int64_t j = result_of(loop->loop->yields[k], last);
        if (item_of(p, loop->loop->carries[k])->covered)
            continue;
        if (j <= before || last->in[j] != loop->loop->carries[k])
            return 0;
        before = j;
    }
    return 1;
}

/* The loop that stands last carries on what the next trip takes from it; it starts from a line above it. */
static void cover_by_tail(struct printer *p, const struct tf_node *loop)
{
    uint32_t tail = p->plan.suites.at[item_of(p, loop)->inside].tail;
    if (tail == NO_NODE)
        return;
    const struct tf_node *last = p->plan.item[tail].node;
    uint8_t all = (uint8_t)starts_from_carries(p, loop, last);
    for (uint32_t k = 0; k < loop->loop->n_carries; k++) {
        int64_t j = result_of(loop->loop->yields[k], last);
        item_of(p, loop->loop->carries[k])->covered |= all;
        if (j >= 0)
            item_of(p, last->loop->carries[j])->shared = loop->loop->carries[k]->id;
    }
}

/* A loop directly inside may carry values of this one on under their names, as long as the names are then assigned in
 * the order in which they are carried. */
static void cover(struct printer *p, const struct tf_node *loop)
{
    uint32_t expected = 0, k;
    for (uint32_t id = p->plan.suites.at[item_of(p, loop)->inside].first; id != NO_NODE; id = p->plan.item[id].next) {
        const struct tf_node *inner = p->plan.item[id].node;
        for (uint32_t j = 0; inner->kind == TF_NODE_LOOP && j < inner->n_in; j++) {
            if (!carries_on(p, loop, inner, j, &k) || k != expected)
                continue;
            item_of(p, loop->loop->carries[k])->covered = 1;
            item_of(p, inner->loop->carries[j])->shared = loop->loop->carries[k]->id;
            expected++;
        }
    }
}

static int same_name(const char *a, const char *b)
{
    return a && b && (a == b || strcmp(a, b) == 0);
}

static int source_is_region(const struct tf_node *node)
{
    return node->kind == TF_NODE_REGION || (is_item(node) && node->in[0]->kind == TF_NODE_REGION);
}

/* Whether the initial value's own name may be assigned in the loop: it was bound in the same suite, under this name, and
 * nothing reads it after the loop began. */
static int may_share(struct printer *p, const struct tf_node *loop, const struct tf_node *carry,
    const struct tf_node *initial, const char *name)
{
    const struct item *it = item_of(p, initial);
    const struct item *source = item_of(p, origin(initial));
    uint32_t suite = item_of(p, loop)->home, bound = it->home;
    if (initial->kind == TF_NODE_PARAM)
        bound = 0;
    else if (initial->kind == TF_NODE_RPARAM)
        bound = item_of(p, initial->owner)->inside;
    else if (it->form == FORM_PART)
        bound = item_of(p, initial->in[0])->home;
    else if (it->form != FORM_LINE)
        return 0;
    if (bound != suite || it->last > item_of(p, loop)->line)
        return 0;
    /* a region hands out only what is read after it, so a value that the loop overwrites unread must be read before */
    if (source_is_region(source->node) && item_of(p, carry)->uses <= item_of(p, carry)->covered)
        return 0;
    return source->name ? same_name(source->name, name) : !source->node->name || same_name(source->node->name, name);
}

static const char *carry_name(struct printer *p, const struct tf_node *loop, uint32_t i)
{
    const struct tf_node *initial = loop->in[i], *carry = loop->loop->carries[i];
    struct item *it = item_of(p, carry), *source = item_of(p, origin(initial));
    if (it->shared != NO_NODE)
        return p->plan.item[it->shared].name;
    const char *wanted = carry->name ? identifier(p, carry->name) : NULL;
    if (wanted && may_share(p, loop, carry, initial, wanted)) {
        if (!source->name)
            source->name = name_claim(p, wanted);
        return source->name;
    }
    it->fresh = 1;
    return claim_for(p, wanted);
}

static void name_carries(struct printer *p, const struct tf_node *loop)
{
    struct item *it = item_of(p, loop);
    for (uint32_t i = 0; i < loop->loop->n_carries; i++) {
        struct item *carry = item_of(p, loop->loop->carries[i]);
        carry->name = carry_name(p, loop, i);
        if (loop->loop->n_carries == 1)
            it->name = carry->name;
    }
    for (uint32_t id = loop->loop->n_carries > 1 ? it->part : NO_NODE; id != NO_NODE; id = p->plan.item[id].next_part) {
        int64_t index = p->plan.item[id].node->attrs[0].u.i;
        p->plan.item[id].name = item_of(p, loop->loop->carries[index])->name;
    }
}

/* ---- handles: loop variables, meshes, carried values --------------------------------------------------------------*/

static void name_handles(struct printer *p, uint32_t suite);

static const char *mesh_handle(struct printer *p, const struct tf_node *region)
{
    const struct tf_mesh *mesh = region->region->mesh;
    const char *wanted = region->region->name;
    if (!wanted)
        wanted = mesh->n_levels ? mesh->levels[mesh->n_levels - 1].name : "m";
    return name_open(p, wanted);
}

static void name_handle(struct printer *p, struct item *it)
{
    const struct tf_node *node = it->node;
    if (node->kind == TF_NODE_REGION) {
        if (!it->handle)
            it->handle = mesh_handle(p, node);
        name_handles(p, it->inside);
        name_close(p, it->handle);
    } else if (node->kind == TF_NODE_LOOP) {
        struct item *var = item_of(p, node->loop->var);
        cover(p, node);
        cover_by_tail(p, node);
        var->name = name_open(p, node->loop->var->name ? node->loop->var->name : "i");
        name_carries(p, node);
        name_handles(p, it->inside);
        name_close(p, var->name);
    }
}

static void name_handles(struct printer *p, uint32_t suite)
{
    for (uint32_t id = p->plan.suites.at[suite].first; id != NO_NODE; id = p->plan.item[id].next)
        name_handle(p, &p->plan.item[id]);
    if (p->plan.suites.at[suite].tail != NO_NODE)
        name_handle(p, &p->plan.item[p->plan.suites.at[suite].tail]);
}

/* ---- values -------------------------------------------------------------------------------------------------------*/

static void name_lines(struct printer *p, uint32_t suite);

static void name_value(struct printer *p, struct item *it)
{
    if (!it->name)
        it->name = claim_for(p, it->node->name ? it->node->name : it->hint);
}

/* Whether a loop starts from a line of the suite; loops may follow each other, carrying one name on. */
static int starts_here(struct printer *p, const struct tf_node *loop, uint32_t suite)
{
    while (!item_of(p, loop->loop->carries[0])->fresh) {
        const struct item *first = item_of(p, loop->in[0]);
        if (first->form != FORM_LINE || first->home != suite)
            return 0;
        if (first->node->kind != TF_NODE_LOOP)
            return first->node->kind != TF_NODE_REGION;
        if (first->node->loop->n_carries != 1)
            return 0;
        loop = first->node;
    }
    return 1;
}

/* Where in a region's suite the name of a value is first assigned, as a number that grows; 0 when it is not assigned
 * directly there. */
static uint64_t assigned_at(struct printer *p, const struct tf_node *value, uint32_t suite)
{
    const struct item *it = item_of(p, value);
    if (value->kind == TF_NODE_REGION)
        return 0;
    if (value->kind == TF_NODE_LOOP) {
        if (it->form != FORM_LINE || it->home != suite || value->loop->n_carries != 1)
            return 0;
        return starts_here(p, value, suite) ? (uint64_t)it->line << 32 : 0;
    }
    if (it->form == FORM_LINE && it->home == suite)
        return (uint64_t)it->line << 32;
    const struct item *parent = it->form == FORM_PART ? item_of(p, value->in[0]) : NULL;
    if (!parent || parent->home != suite || parent->node->kind == TF_NODE_REGION || parent->node->kind == TF_NODE_LOOP)
        return 0;
    return ((uint64_t)parent->line << 32) + (uint32_t)value->attrs[0].u.i;
}

/* Whether the value inside is assigned under the name of the region's result: then it hands itself out.  Results must
 * be assigned in their order, so after one that needs a line of its own all the others need one too. */
static int hand_out(
    struct printer *p, struct item *result, const struct tf_node *value, uint32_t suite, uint64_t *after)
{
    struct item *it = item_of(p, value);
    uint64_t at = assigned_at(p, value, suite);
    const char *outer = result->name ? result->name : result->node->name, *inner = it->name ? it->name : value->name;
    if (!at || at <= *after || it->shared != NO_NODE || (outer && inner && !same_name(outer, inner)) ||
        (result->name && it->name && result->name != it->name)) {
        *after = UINT64_MAX;
        return 0;
    }
    *after = at;
    if (!it->name)
        it->name = result->name ? result->name : claim_for(p, outer ? outer : inner);
    result->name = it->name;
    it->shared = result->node->id;
    result->direct = 1;
    return 1;
}

static void name_results(struct printer *p, struct item *it)
{
    const struct tf_node *body = it->node->region->body;
    uint64_t after = 0;
    if (it->form == FORM_LINE) {
        hand_out(p, it, body, it->inside, &after);
        return;
    }
    for (uint32_t i = 0; i < body->n_in; i++)
        hand_out(p, item_of(p, part_of(p, it, i)), body->in[i], it->inside, &after);
}

static void name_parts(struct printer *p, const struct item *it)
{
    for (uint32_t i = 0; i < it->node->type->rank; i++) {
        const struct tf_node *part = part_of(p, it, i);
        if (part)
            name_value(p, item_of(p, part));
    }
}

static void name_line(struct printer *p, struct item *it)
{
    if (it->node->kind == TF_NODE_LOOP) {
        name_lines(p, it->inside);
        return;
    }
    if (it->node->kind == TF_NODE_REGION) {
        if (!it->returns && !it->function)
            name_results(p, it);
        name_lines(p, it->inside);
        if (it->returns)
            return;
    }
    if (it->form == FORM_PARTS)
        name_parts(p, it);
    else
        name_value(p, it);
}

static void name_lines(struct printer *p, uint32_t suite)
{
    for (uint32_t id = p->plan.suites.at[suite].first; id != NO_NODE; id = p->plan.item[id].next)
        name_line(p, &p->plan.item[id]);
    if (p->plan.suites.at[suite].tail != NO_NODE)
        name_line(p, &p->plan.item[p->plan.suites.at[suite].tail]);
}

void names_make(struct printer *p, const struct tf_function *f)
{
    for (uint32_t i = 0; i < f->n_params; i++)
        item_of(p, f->params[i])->name = claim_param(p, f->params[i]->name);
    if (!f->body)
        return;
    outline_find(p);
    name_handles(p, 0);
    name_lines(p, 0);
}

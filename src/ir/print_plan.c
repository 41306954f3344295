/* SPDX-License-Identifier: MIT
 * Where each value of a function stands, and in what form.
 *
 * A graph has no order of lines.  Values stand in visit order, each in the innermost suite that holds all its uses: what
 * only a loop's body reads stands there, what is read after the loop as well stands before it.
 */
#include "ir/printer.h"

#include <string.h>

struct item *item_of(struct printer *p, const struct tf_node *node)
{
    return &p->plan.item[node->id];
}

const struct tf_node *origin(const struct tf_node *node)
{
    while (node->kind == TF_NODE_RPARAM)
        node = node->owner->in[node->index];
    return node;
}

int is_item(const struct tf_node *node)
{
    return node->kind == TF_NODE_CALL && (node->op->flags & TF_OP_ITEM);
}

/* ---- suites and order ---------------------------------------------------------------------------------------------*/

static uint32_t suite_open(struct plan *plan, const struct tf_node *owner, uint32_t rank)
{
    struct suite suite = {.parent = NO_SUITE, .owner = owner, .rank = rank, .outer = NO_SUITE};
    suite.first = suite.last = suite.tail = NO_NODE;
    VEC_PUSH(&plan->suites, suite);
    return (uint32_t)plan->suites.n - 1;
}

/* What a node is made of.  A captured value is reached where the body first reads it: the order in which a region lists
 * its captures is that of their names, which printing may change.  Those that nothing reads come last. */
uint32_t count_parts(const struct tf_node *node)
{
    switch (node->kind) {
    case TF_NODE_RPARAM: return 1;
    case TF_NODE_REGION: return 1 + node->n_in;
    case TF_NODE_LOOP: return node->n_in + 3 + 1 + node->loop->n_carries;
    default: return node->n_in;
    }
}

const struct tf_node *part_at(const struct item *it, uint32_t i)
{
    const struct tf_node *node = it->node;
    uint32_t n = node->n_in;
    switch (node->kind) {
    case TF_NODE_RPARAM: return node->owner->in[node->index];
    case TF_NODE_REGION: return i == 0 ? node->region->body : it->unread ? it->unread[i - 1] : node->in[i - 1];
    case TF_NODE_LOOP: break;
    default: return node->in[i];
    }
    if (i < n)
        return node->in[i];
    if (i < n + 3)
        return node->loop->bound_value[i - n];
    return i == n + 3 ? node->loop->body : node->loop->yields[i - n - 4];
}

struct step {
    struct item *item;
    uint32_t next;
    uint32_t rank; /* suites that are open around it */
};

/* Whether part i is of the inside. */
static uint32_t is_inside(const struct tf_node *node, uint32_t i)
{
    return node->kind == TF_NODE_REGION ? i == 0 : node->kind == TF_NODE_LOOP && i >= node->n_in + 3;
}

static void reach(struct printer *p, const struct tf_node *node, uint32_t rank)
{
    struct item *it = item_of(p, node);
    it->node = node;
    if (node->kind == TF_NODE_REGION || node->kind == TF_NODE_LOOP)
        it->inside = suite_open(&p->plan, node, rank + 1);
}

/* Parts before wholes, from left to right, each once. */
static void find_order(struct printer *p, const struct tf_function *f)
{
    struct plan *plan = &p->plan;
    VEC(struct step) stack = {0};
    suite_open(plan, NULL, 0);
    reach(p, f->body, 0);
    VEC_PUSH(&stack, ((struct step){item_of(p, f->body), 0, 0}));
    while (stack.n) {
        struct step *top = &stack.at[stack.n - 1];
        const struct tf_node *whole = top->item->node;
        if (top->next == count_parts(whole)) {
            VEC_PUSH(&plan->order, whole->id);
            stack.n--;
            continue;
        }
        if (whole->kind == TF_NODE_REGION && top->next == 1)
            order_unread(p, top->item);
        uint32_t rank = top->rank + is_inside(whole, top->next);
        const struct tf_node *part = part_at(top->item, top->next++);
        if (!part || item_of(p, part)->node)
            continue;
        reach(p, part, rank);
        VEC_PUSH(&stack, ((struct step){item_of(p, part), 0, rank}));
    }
    VEC_FREE(&stack);
}

/* ---- what depends on which suite -----------------------------------------------------------------------------------*/

static uint32_t rank_of(const struct plan *plan, uint32_t suite)
{
    return suite == NO_SUITE ? 0 : plan->suites.at[suite].rank;
}

/* The inner of two needs; it is noted that its suite lies in the other's. */
static uint32_t inner_need(struct plan *plan, uint32_t a, uint32_t b)
{
    if (a == b || b == NO_SUITE)
        return a;
    if (a == NO_SUITE)
        return b;
    uint32_t inner = rank_of(plan, a) > rank_of(plan, b) ? a : b, outer = inner == a ? b : a;
    if (rank_of(plan, plan->suites.at[inner].outer) < rank_of(plan, outer))
        plan->suites.at[inner].outer = outer;
    return inner;
}

static uint32_t find_need(struct printer *p, const struct item *it)
{
    const struct tf_node *node = it->node;
    uint32_t need = NO_SUITE;
    if (node->kind == TF_NODE_LOOPVAR || node->kind == TF_NODE_CARRY || node->kind == TF_NODE_RPARAM)
        return item_of(p, node->owner)->inside;
    for (uint32_t i = 0; i < count_parts(node); i++) {
        const struct tf_node *part = part_at(it, i);
        if (part && item_of(p, part)->need != it->inside)
            need = inner_need(&p->plan, need, item_of(p, part)->need);
    }
    return it->inside == NO_SUITE ? need : inner_need(&p->plan, need, p->plan.suites.at[it->inside].outer);
}

static void find_needs(struct printer *p)
{
    for (size_t i = 0; i < p->plan.order.n; i++) {
        struct item *it = &p->plan.item[p->plan.order.at[i]];
        it->need = find_need(p, it);
    }
}

/* ---- homes and uses -----------------------------------------------------------------------------------------------*/

static uint32_t common(const struct plan *plan, uint32_t a, uint32_t b)
{
    const struct suite *s = plan->suites.at;
    if (a == NO_SUITE)
        return b;
    while (a != b) {
        if (s[a].depth >= s[b].depth)
            a = s[a].parent;
        else
            b = s[b].parent;
    }
    return a;
}

static struct item *read_from(struct printer *p, const struct tf_node *node, uint32_t suite)
{
    struct item *it = item_of(p, node);
    it->home = common(&p->plan, it->home, suite);
    it->uses++;
    return it;
}

static void take_part(struct item *tuple, struct item *part)
{
    part->next_part = tuple->part;
    tuple->part = part->node->id;
    tuple->taken++;
}

/* A loop may be reached first from within another that does not hold it: its suite lies where it stands itself. */
static void settle_suite(struct plan *plan, struct item *it)
{
    const struct tf_node *around = plan->suites.at[it->home].owner;
    /* a mesh is not opened in a loop that it does not depend on, whoever reads what it gives */
    while (it->node->kind == TF_NODE_REGION && around && around->kind == TF_NODE_LOOP && it->home != it->need) {
        it->home = plan->suites.at[it->home].parent;
        around = plan->suites.at[it->home].owner;
    }
    struct suite *suite = &plan->suites.at[it->inside];
    suite->parent = it->home;
    suite->depth = plan->suites.at[it->home].depth + 1;
}

static void read_operands(struct printer *p, struct item *it)
{
    const struct tf_node *node = it->node;
    if (it->inside != NO_SUITE)
        settle_suite(&p->plan, it);
    for (uint32_t i = 0; i < node->n_in; i++) {
        struct item *operand = read_from(p, node->in[i], it->home);
        if (node->kind == TF_NODE_REGION) {
            operand->captured = 1;
            operand->hint = node->region->params[i]->name;
        }
        if (is_item(node))
            take_part(operand, it);
    }
    if (node->kind == TF_NODE_REGION)
        read_from(p, node->region->body, it->inside);
    if (node->kind != TF_NODE_LOOP)
        return;
    for (uint32_t i = 0; i < 3; i++)
        if (node->loop->bound_value[i])
            read_from(p, node->loop->bound_value[i], it->home)->captured = 1;
    read_from(p, node->loop->body, it->inside)->yielded = 1;
    for (uint32_t i = 0; i < node->loop->n_carries; i++)
        read_from(p, node->loop->yields[i], it->inside)->yielded = 1;
}

/* Users come before what they use, so that a home is final when it is handed on. */
static void find_homes(struct printer *p, const struct tf_function *f)
{
    struct plan *plan = &p->plan;
    read_from(p, f->body, 0);
    for (size_t i = plan->order.n; i-- > 0;)
        read_operands(p, &plan->item[plan->order.at[i]]);
}

/* ---- forms --------------------------------------------------------------------------------------------------------*/

const struct tf_node *part_of(struct printer *p, const struct item *it, int64_t index)
{
    for (uint32_t id = it->part; id != NO_NODE; id = p->plan.item[id].next_part)
        if (p->plan.item[id].node->attrs[0].u.i == index)
            return p->plan.item[id].node;
    return NULL;
}

int is_taken_apart(struct printer *p, const struct item *it)
{
    uint32_t n = it->node->type->rank;
    uint64_t seen = 0;
    if (it->node->type->kind != TF_TYPE_TUPLE || it->taken != it->uses || it->taken != n || n == 0 || n > 64)
        return 0;
    for (uint32_t id = it->part; id != NO_NODE; id = p->plan.item[id].next_part) {
        const struct tf_val *index = p->plan.item[id].node->attrs;
        if (index->kind == TF_VAL_INT && index->u.i >= 0 && index->u.i < 64)
            seen |= UINT64_C(1) << index->u.i;
    }
    return n == 64 ? seen == UINT64_MAX : seen == (UINT64_C(1) << n) - 1;
}

static int takes_parts(struct printer *p, const struct item *it)
{
    const struct tf_node *node = it->node;
    switch (node->kind) {
    case TF_NODE_LOOP: return node->loop->n_carries > 1;
    case TF_NODE_REGION: return node->region->body->kind == TF_NODE_TUPLE && is_taken_apart(p, it);
    case TF_NODE_CALL:
    case TF_NODE_FCALL: return is_taken_apart(p, it);
    default: return 0;
    }
}

static uint8_t find_form(struct printer *p, const struct item *it)
{
    const struct tf_node *node = it->node;
    int alone = it->uses == 1 && !it->captured && !node->where;
    switch (node->kind) {
    case TF_NODE_PARAM:
    case TF_NODE_RPARAM:
    case TF_NODE_LOOPVAR:
    case TF_NODE_CARRY: return FORM_LEAF;
    case TF_NODE_CONST: return alone ? FORM_INLINE : FORM_LINE;
    case TF_NODE_TUPLE: return alone && !it->yielded ? FORM_INLINE : FORM_LINE;
    default: break;
    }
    if (takes_parts(p, it))
        return FORM_PARTS;
    return is_item(node) && item_of(p, node->in[0])->form == FORM_PARTS ? FORM_PART : FORM_LINE;
}

/* Nothing but the next trip takes what the loop leaves, each value once. */
static int only_yields(struct printer *p, const struct item *it, const struct tf_loop *outer)
{
    for (uint32_t id = it->part; id != NO_NODE; id = p->plan.item[id].next_part) {
        int yielded = 0;
        for (uint32_t i = 0; i < outer->n_carries; i++)
            yielded |= outer->yields[i]->id == id;
        if (!yielded || p->plan.item[id].uses != 1)
            return 0;
    }
    return it->uses == it->taken + 1;
}

/* The value of a suite's last line is the loop's own.  A loop that carries one value can be named for that, any other
 * has to be the last line. */
static int is_tail(struct printer *p, const struct item *it, const struct suite *suite)
{
    const struct tf_node *owner = suite->owner;
    return it->node->kind == TF_NODE_LOOP && it->node->loop->n_carries != 1 && owner && owner->kind == TF_NODE_LOOP &&
           owner->loop->body == it->node && only_yields(p, it, owner->loop);
}

static void add_line(struct printer *p, struct item *it)
{
    struct plan *plan = &p->plan;
    struct suite *suite = &plan->suites.at[it->home];
    uint32_t id = it->node->id;
    if (is_tail(p, it, suite)) {
        suite->tail = id;
        return;
    }
    if (suite->first == NO_NODE)
        suite->first = id;
    else
        plan->item[suite->last].next = id;
    suite->last = id;
}

/* With records each call has a line of its own; else an index that drops axes is one line. */
static void join_index(struct printer *p, struct item *it)
{
    if (!p->hooks && it->node->kind == TF_NODE_CALL && can_drop(p, it->node) && !it->node->in[0]->where)
        item_of(p, it->node->in[0])->form = FORM_INSIDE;
}

static void find_forms(struct printer *p)
{
    struct plan *plan = &p->plan;
    for (size_t i = 0; i < plan->order.n; i++) {
        struct item *it = &plan->item[plan->order.at[i]];
        it->form = find_form(p, it);
        if (it->form == FORM_LINE)
            join_index(p, it);
    }
    for (size_t i = 0; i < plan->order.n; i++) {
        struct item *it = &plan->item[plan->order.at[i]];
        if (it->form == FORM_LINE || it->form == FORM_PARTS)
            add_line(p, it);
    }
}

/* Names like v7 are taken only where they are printed: what is read back has no others. */
static void note_numbers(struct printer *p, const struct tf_function *f)
{
    for (const struct tf_node *value = f->body; value->kind == TF_NODE_REGION; value = value->region->body)
        item_of(p, value)->returns = 1;
    for (size_t i = 0; i < p->plan.order.n; i++) {
        const struct item *it = &p->plan.item[p->plan.order.at[i]];
        int silent = it->form == FORM_INLINE || it->form == FORM_INSIDE || it->returns;
        if (!silent && it->node->kind != TF_NODE_RPARAM) /* it goes by another's name */
            note_number(p, it->node->name);
    }
}

/* ---- numbers of lines ---------------------------------------------------------------------------------------------*/

static void number_suite(struct printer *p, uint32_t suite);

/* The line reads node, and whatever stands inline in it. */
static void note_read(struct printer *p, const struct tf_node *node, uint32_t line)
{
    struct item *it = item_of(p, node);
    if (it->last < line)
        it->last = line;
    if (it->form != FORM_INLINE && it->form != FORM_INSIDE)
        return;
    for (uint32_t i = 0; i < node->n_in; i++)
        note_read(p, node->in[i], line);
}

static void number_line(struct printer *p, struct item *it);

static void number_inside(struct printer *p, const struct item *it)
{
    const struct tf_node *node = it->node;
    uint32_t tail = p->plan.suites.at[it->inside].tail;
    number_suite(p, it->inside);
    uint32_t end = p->plan.suites.at[it->inside].end = ++p->plan.lines;
    if (node->kind == TF_NODE_REGION) {
        note_read(p, node->region->body, end);
        return;
    }
    note_read(p, node->loop->body, end);
    for (uint32_t i = 0; i < node->loop->n_carries; i++)
        note_read(p, node->loop->yields[i], end);
    if (tail != NO_NODE)
        number_line(p, &p->plan.item[tail]);
}

static void number_line(struct printer *p, struct item *it)
{
    const struct tf_node *node = it->node;
    it->line = ++p->plan.lines;
    for (uint32_t i = 0; i < node->n_in; i++)
        note_read(p, node->in[i], it->line);
    for (uint32_t i = 0; node->kind == TF_NODE_LOOP && i < 3; i++)
        if (node->loop->bound_value[i])
            note_read(p, node->loop->bound_value[i], it->line);
    if (node->kind == TF_NODE_REGION || node->kind == TF_NODE_LOOP)
        number_inside(p, it);
}

static void number_suite(struct printer *p, uint32_t suite)
{
    for (uint32_t id = p->plan.suites.at[suite].first; id != NO_NODE; id = p->plan.item[id].next)
        number_line(p, &p->plan.item[id]);
}

/* ---- the whole ----------------------------------------------------------------------------------------------------*/

void plan_order(struct printer *p, const struct tf_function *f)
{
    struct plan *plan = &p->plan;
    *plan = (struct plan){.n_items = f->n_nodes};
    plan->item = xrealloc(NULL, (size_t)f->n_nodes * sizeof(*plan->item));
    for (uint32_t i = 0; i < f->n_nodes; i++)
        plan->item[i] = (struct item){.home = NO_SUITE,
            .inside = NO_SUITE,
            .need = NO_SUITE,
            .next = NO_NODE,
            .part = NO_NODE,
            .next_part = NO_NODE,
            .shared = NO_NODE};
    if (f->body)
        find_order(p, f);
}

void plan_make(struct printer *p, const struct tf_function *f)
{
    plan_order(p, f);
    if (!f->body)
        return;
    find_needs(p);
    find_homes(p, f);
    find_forms(p);
    note_numbers(p, f);
    number_suite(p, 0);
    note_read(p, f->body, ++p->plan.lines);
}

void plan_free(struct plan *plan)
{
    free(plan->item);
    VEC_FREE(&plan->order);
    VEC_FREE(&plan->suites);
    VEC_FREE(&plan->frames);
    VEC_FREE(&plan->mesh_names);
    ptr_map_free(&plan->meshes);
    ptr_map_free(&plan->names);
    ptr_map_free(&plan->numbers);
    ptr_map_free(&plan->loose);
}

/* SPDX-License-Identifier: MIT
 * The lines of a function.
 */
#include "ir/printer.h"

#include <stdlib.h>
#include <string.h>

/* ---- lines --------------------------------------------------------------------------------------------------------*/

/* What came in with a call is headed by a comment that says which. */
static void note_site(struct printer *p, const struct tf_node *node)
{
    const struct ir_site *at = site_of(p, node);
    if (at == p->plan.site)
        return;
    p->plan.site = at;
    if (!at)
        return;
    line_start(p);
    buf_printf(&p->out, "# %s(..), called on line %u", at->callee->pub.name, at->loc.line);
    line_end(p);
}

static void place_parts(struct printer *p, const struct item *it)
{
    for (uint32_t id = it->part; id != NO_NODE; id = p->plan.item[id].next_part)
        line_placed(p, p->plan.item[id].node, p->plan.item[id].name);
}

static void print_targets(struct printer *p, const struct item *it)
{
    uint32_t n = it->node->type->rank;
    for (uint32_t i = 0; i < n; i++)
        buf_printf(&p->out, "%s%s%s", i ? ", " : "", name_of(p, part_of(p, it, i)), n == 1 ? "," : "");
}

static void print_plain(struct printer *p, const struct item *it)
{
    const struct tf_node *node = it->node;
    line_start(p);
    if (it->form == FORM_PARTS) {
        print_targets(p, it);
        line_placed(p, node, name_of(p, part_of(p, it, 0)));
        place_parts(p, it);
    } else {
        buf_str(&p->out, it->name);
        line_placed(p, node, it->name);
        if (node->where && !it->function)
            print_where(p, node->where);
    }
    buf_str(&p->out, " = ");
    if (it->function)
        outline_call(p, it);
    else
        print_call(p, node);
    line_note(p, node);
}

/* name = value, for a value that has a name or is written where it stands. */
static void print_alias(struct printer *p, const char *name, const struct tf_node *value)
{
    line_start(p);
    buf_printf(&p->out, "%s = ", name);
    print_operand(p, value);
    line_end(p);
}

/* ---- regions ------------------------------------------------------------------------------------------------------*/

void frame_open(struct printer *p, const struct tf_node *region, const char *name)
{
    struct frame frame = {.mesh = region->region->mesh, .scope = region->region->scope, .name = name};
    VEC_PUSH(&p->plan.frames, frame);
    *ptr_map_put(&p->plan.meshes, frame.mesh, 0) = (uint32_t)p->plan.mesh_names.n;
    *ptr_map_put(&p->plan.meshes, frame.scope, 0) = (uint32_t)p->plan.mesh_names.n;
    VEC_PUSH(&p->plan.mesh_names, name);
}

void frame_close(struct printer *p)
{
    p->plan.frames.n--;
}

static void print_results(struct printer *p, const struct item *it)
{
    const struct tf_node *body = it->node->region->body;
    if (it->form == FORM_LINE) {
        if (!it->direct)
            print_alias(p, it->name, body);
        return;
    }
    for (uint32_t i = 0; i < body->n_in; i++) {
        const struct item *result = item_of(p, part_of(p, it, i));
        if (!result->direct)
            print_alias(p, result->name, body->in[i]);
    }
}

static void print_opening(struct printer *p, const struct tf_mesh *mesh)
{
    const char *base = mesh->base ? open_mesh(p, mesh->base) : NULL;
    if (!mesh->base) {
        print_mesh(p, mesh);
    } else if (!base) {
        buf_str(&p->out, mesh_constant(p, mesh));
    } else {
        buf_str(&p->out, base);
        for (uint32_t i = 0; i < mesh->rank; i++)
            buf_printf(&p->out, "%s%lld:%lld", i ? ", " : "[", (long long)mesh->offset[i],
                (long long)(mesh->offset[i] + mesh->shape[i]->value));
        buf_char(&p->out, ']');
    }
}

static int by_name(const void *a, const void *b)
{
    const char *const *x = a, *const *y = b;
    return strcmp(*x, *y);
}

/* A capture is there because the suite reads it.  One that nothing reached reads is read by a line of its own. */
static void read_captures(struct printer *p, const struct tf_node *region)
{
    const char **names = ARENA_ARRAY(&p->ctx->arena, const char *, region->n_in);
    size_t n = 0;
    for (uint32_t i = 0; i < region->n_in; i++)
        if (!item_of(p, region->region->params[i])->uses && name_of(p, region->in[i]))
            names[n++] = name_of(p, region->in[i]);
    if (n > 1)
        qsort(names, n, sizeof(*names), by_name);
    for (size_t i = 0; i < n; i++) {
        line_start(p);
        buf_printf(&p->out, "%s = %s", name_number(p), names[i]);
        line_end(p);
    }
}

void print_region(struct printer *p, const struct item *it)
{
    line_start(p);
    buf_str(&p->out, "with ");
    print_opening(p, it->node->region->mesh);
    buf_printf(&p->out, " as %s:", it->handle);
    line_note(p, it->node);
    p->indent++;
    frame_open(p, it->node, it->handle);
    read_captures(p, it->node);
    for (uint32_t i = 0; i < it->node->n_in; i++)
        wish_on(p, it->node->region->params[i]);
    print_suite(p, it->inside);
    if (it->returns || it->function)
        print_return(p, it->node->region->body, it->inside);
    else
        print_results(p, it);
    frame_close(p);
    p->indent--;
}

/* ---- loops --------------------------------------------------------------------------------------------------------*/

static void print_bound(struct printer *p, const struct tf_dim *dim, const struct tf_node *value)
{
    if (value)
        print_operand(p, value);
    else
        print_dim(p, dim);
}

static void print_header(struct printer *p, const struct tf_node *node)
{
    const struct tf_loop *loop = node->loop;
    int has_start = !loop->start || !dim_is(loop->start, 0), has_step = !loop->step || !dim_is(loop->step, 1);
    int is_tile = loop->is_tile && !has_start;
    buf_printf(&p->out, "for %s in %s(", name_of(p, loop->var), is_tile ? "tile" : "range");
    if (!is_tile && (has_start || has_step)) {
        print_bound(p, loop->start, loop->bound_value[0]);
        buf_str(&p->out, ", ");
    }
    print_bound(p, loop->extent, loop->bound_value[1]);
    if (is_tile || has_step) {
        buf_str(&p->out, ", ");
        print_bound(p, loop->step, loop->bound_value[2]);
    }
    buf_str(&p->out, "):");
}

static int is_covered(struct printer *p, const struct tf_loop *loop, uint32_t i)
{
    return item_of(p, loop->carries[i])->covered;
}

/* What a carried value is given at the end of a trip: what the loop yields, or what the loop that stands last starts from
 * where that one carries it on. */
static const struct tf_node *given(const struct tf_loop *loop, uint32_t k, const struct tf_node *tail)
{
    int64_t j = tail ? result_of(loop->yields[k], tail) : -1;
    return j >= 0 ? tail->in[j] : loop->yields[k];
}

/* A carried value whose name a line above gives to the next trip is kept under another name first. */
static int is_overwritten(struct printer *p, const struct tf_loop *loop, uint32_t k, const struct tf_node *tail)
{
    const struct tf_node *value = given(loop, k, tail);
    if (value->kind != TF_NODE_CARRY || value->index >= k || loop->carries[value->index] != value)
        return 0;
    return !is_covered(p, loop, value->index) && given(loop, value->index, tail) != value;
}

static void print_yields(struct printer *p, const struct tf_loop *loop, const struct tf_node *tail)
{
    const char **kept = ARENA_ARRAY(&p->ctx->arena, const char *, loop->n_carries);
    for (uint32_t i = 0; i < loop->n_carries; i++) {
        if (is_covered(p, loop, i) || !is_overwritten(p, loop, i, tail))
            continue;
        kept[i] = name_number(p);
        print_alias(p, kept[i], given(loop, i, tail));
    }
    for (uint32_t i = 0; i < loop->n_carries; i++) {
        if (is_covered(p, loop, i))
            continue;
        const char *name = name_of(p, loop->carries[i]);
        line_start(p);
        buf_printf(&p->out, "%s = ", name);
        if (kept[i])
            buf_str(&p->out, kept[i]);
        else
            print_operand(p, given(loop, i, tail));
        line_end(p);
    }
}

/* The value of the suite's last line: it must be the loop's own. */
static const struct tf_node *last_value(struct printer *p, const struct item *it)
{
    const struct tf_loop *loop = it->node->loop;
    uint32_t last = p->plan.suites.at[it->inside].last;
    if (loop->n_carries && !is_covered(p, loop, loop->n_carries - 1))
        return loop->yields[loop->n_carries - 1];
    return last == NO_NODE || has_wishes(p, &p->plan.item[last]) ? NULL : p->plan.item[last].node;
}

/* Whether the loop that stands last reads a value of this trip other than to carry it on. */
static int reads_carry(struct printer *p, const struct tf_loop *loop, uint32_t i, const struct tf_node *tail)
{
    const struct item *it = item_of(p, loop->carries[i]);
    int64_t j = result_of(loop->yields[i], tail);
    int carried_on = j >= 0 && tail->in[j] == loop->carries[i];
    return it->last > p->plan.suites.at[item_of(p, tail)->home].end && !(carried_on && it->uses == 1);
}

/* What stands after the lines that give values to the next trip reads those of this one by other names. */
static const char **keep_carries(struct printer *p, const struct tf_loop *loop, const struct tf_node *tail)
{
    const char **kept = ARENA_ARRAY(&p->ctx->arena, const char *, loop->n_carries);
    for (uint32_t i = 0; i < loop->n_carries; i++) {
        if (!reads_carry(p, loop, i, tail))
            continue;
        kept[i] = name_number(p);
        print_alias(p, kept[i], loop->carries[i]);
    }
    return kept;
}

static void swap_names(struct printer *p, const struct tf_loop *loop, const char **names)
{
    for (uint32_t i = 0; i < loop->n_carries; i++) {
        struct item *it = item_of(p, loop->carries[i]);
        const char *name = it->name;
        if (!names[i])
            continue;
        it->name = names[i];
        names[i] = name;
    }
}

static void print_loop(struct printer *p, const struct item *it);

static void print_plain_ending(struct printer *p, const struct item *it)
{
    const struct tf_loop *loop = it->node->loop;
    const struct tf_node *body = loop->body;
    const char *kept = NULL;
    int is_carry = body->kind == TF_NODE_CARRY && body->owner == it->node;
    if (is_carry && !is_covered(p, loop, body->index) && loop->yields[body->index] != body) {
        kept = name_number(p);
        print_alias(p, kept, body);
    }
    print_yields(p, loop, NULL);
    if (kept) {
        line_start(p);
        buf_printf(&p->out, "%s = %s", name_number(p), kept);
        line_end(p);
    } else if (last_value(p, it) != body) {
        print_alias(p, name_number(p), body);
    }
}

static void print_ending(struct printer *p, const struct item *it)
{
    const struct tf_loop *loop = it->node->loop;
    uint32_t tail = p->plan.suites.at[it->inside].tail;
    if (tail == NO_NODE) {
        print_plain_ending(p, it);
        return;
    }
    const struct tf_node *last = p->plan.item[tail].node;
    const char **kept = keep_carries(p, loop, last);
    print_yields(p, loop, last);
    swap_names(p, loop, kept);
    print_loop(p, &p->plan.item[tail]);
    swap_names(p, loop, kept);
}

static void print_loop(struct printer *p, const struct item *it)
{
    const struct tf_node *node = it->node;
    const struct tf_loop *loop = node->loop;
    for (uint32_t i = 0; i < loop->n_carries; i++)
        if (item_of(p, loop->carries[i])->fresh)
            print_alias(p, name_of(p, loop->carries[i]), node->in[i]);
    line_start(p);
    print_header(p, node);
    line_placed(p, node, name_of(p, loop->var));
    line_note(p, node);
    p->indent++;
    for (uint32_t i = 0; i < loop->n_carries; i++)
        wish_on(p, loop->carries[i]);
    print_suite(p, it->inside);
    print_ending(p, it);
    p->indent--;
}

/* ---- suites -------------------------------------------------------------------------------------------------------*/

void print_suite(struct printer *p, uint32_t suite)
{
    for (uint32_t id = p->plan.suites.at[suite].first; id != NO_NODE; id = p->plan.item[id].next) {
        const struct item *it = &p->plan.item[id];
        if (p->hooks)
            note_site(p, it->node);
        if (it->node->kind == TF_NODE_REGION && !it->function)
            print_region(p, it);
        else if (it->node->kind == TF_NODE_LOOP)
            print_loop(p, it);
        else
            print_plain(p, it);
        wish_on_parts(p, it);
    }
}

/* A region gives its value by its own last line; a loop whose value has no one name, by standing last. */
void print_return(struct printer *p, const struct tf_node *value, uint32_t suite)
{
    const struct item *it = item_of(p, value);
    if (value->kind == TF_NODE_REGION)
        return;
    if (value->kind == TF_NODE_LOOP && value->loop->n_carries != 1 && it->home == suite)
        return;
    line_start(p);
    buf_str(&p->out, "return ");
    if (it->form == FORM_INLINE && value->kind == TF_NODE_TUPLE && value->n_in > 1) {
        for (uint32_t i = 0; i < value->n_in; i++) {
            buf_str(&p->out, i ? ", " : "");
            print_operand(p, value->in[i]);
        }
    } else {
        print_operand(p, value);
    }
    line_end(p);
}

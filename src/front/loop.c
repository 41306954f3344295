/* SPDX-License-Identifier: MIT
 * `for i in tile(..)` and `for i in range(..)` (language.md section 8).
 */
#include "front/lower.h"

#include "util/diag.h"

#include <inttypes.h>
#include <string.h>

/* ---- header ------------------------------------------------------------------------------------------------------*/

static int refuse(struct lower *l, const struct stmt *s, const char *text)
{
    ERROR(l->ctx, &s->loc, "loop", "%s", text);
    return 0;
}

static int header_fits(struct lower *l, const struct stmt *s)
{
    const struct expr *iter = s->value;
    if (s->is_async)
        return refuse(l, s, "an async loop is not part of the language");
    if (s->n_targets != 1 || s->targets[0]->kind != EXPR_NAME)
        return refuse(l, s, "the target of a loop is one plain name");
    if (iter->kind != EXPR_CALL || iter->left->kind != EXPR_NAME ||
        (strcmp(iter->left->name, "tile") != 0 && strcmp(iter->left->name, "range") != 0))
        return refuse(l, s, "a loop goes over tile(extent, step) or range(..)");
    int is_tile = iter->left->name[0] == 't';
    if (iter->n_keywords)
        return refuse(l, s, "tile and range take positional arguments only");
    if (is_tile && iter->n_items == 1)
        return refuse(l, s, "tile needs a step: tile(extent, step); without one, write range(extent)");
    if (is_tile && iter->n_items != 2)
        return refuse(l, s, "tile takes two arguments, tile(extent, step)");
    if (!is_tile && (iter->n_items < 1 || iter->n_items > 3))
        return refuse(l, s, "range takes one to three arguments");
    if (s->n_orelse)
        return refuse(l, s, "a loop has no 'else'");
    return 1;
}

static int is_integer_scalar(const struct tf_type *type)
{
    return type->kind == TF_TYPE_TENSOR && type->rank == 0 &&
           (type->dtype == TF_DTYPE_I64 || type->dtype == TF_DTYPE_I32);
}

/* A bound that the program computes, or one that is known; into slot k of the loop. */
static int read_bound(struct lower *l, const struct expr *e, int k, struct tf_loop *loop)
{
    struct eval ev = lower_eval(l);
    const struct tf_dim **slot[3] = {&loop->start, &loop->extent, &loop->step};
    const struct value *v = eval_expr(&ev, e);
    if (v)
        v = lower_static(&ev, v);
    else if (!ev.fail.reported && is_expression_form(l, e)) {
        const struct tf_node *node = lower_expr(l, e, NULL);
        if (!node)
            return 0;
        v = node_value(l, node);
    }
    if (!v) {
        eval_report(&ev);
        return 0;
    }
    if (v->kind == VALUE_NODE || v->kind == VALUE_WINDOW) {
        const struct tf_node *node = lower_here(l, v, e->kind == EXPR_NAME ? e->name : NULL);
        if (!node)
            return 0;
        if (!is_integer_scalar(node->type)) {
            ERROR(l->ctx, &e->loc, "loop", "a bound of a loop is an integer, and this is %s",
                type_text(l->ctx, node->type));
            return 0;
        }
        loop->bound_value[k] = node;
        return 1;
    }
    *slot[k] = value_as_dim(l->ctx, v);
    if (!*slot[k])
        ERROR(l->ctx, &e->loc, "loop", "a bound of a loop is an int or a dimension, not %s", value_kind_text(v->kind));
    return *slot[k] != NULL;
}

static int read_bounds(struct lower *l, const struct stmt *s, struct tf_loop *loop)
{
    const struct expr *iter = s->value;
    int64_t step;
    loop->is_tile = iter->left->name[0] == 't';
    loop->start = dim_const(l->ctx, 0);
    loop->step = dim_const(l->ctx, 1);
    int slot = loop->is_tile || iter->n_items == 1 ? 1 : 0;
    for (uint32_t i = 0; i < iter->n_items; i++) {
        int k = slot + (int)i;
        if (k == 0)
            loop->start = NULL;
        if (k == 2)
            loop->step = NULL;
        if (!read_bound(l, iter->items[i], k, loop))
            return 0;
    }
    if (loop->step && dim_is_const(loop->step, &step) && step < 1) {
        ERROR(l->ctx, &s->loc, "loop-step", "the step of a loop must be 1 or more, and this one is %" PRId64, step);
        return 0;
    }
    if (loop->is_tile && !loop->step)
        return refuse(l, s, "the step of tile is the length of its window and must be known");
    return 1;
}

/* ---- what is carried -----------------------------------------------------------------------------------------------*/

struct carry {
    const char *name;
    struct tf_node *node; /* inside the loop */
};

struct carries {
    struct name_map seen;
    struct carry *at;
    size_t n, room;
};

static void note_target(struct lower *l, struct carries *c, const struct expr *target)
{
    if (target->kind != EXPR_NAME)
        return;
    uint32_t *seen = name_map_put(l->ctx, &c->seen, target->name);
    if (*seen)
        return;
    *seen = 1;
    const struct value *v = local_lookup(l, target->name);
    if (!v || v->kind != VALUE_NODE)
        return;
    c->at = front_grow(l->ctx, c->at, c->n, &c->room, sizeof(*c->at));
    c->at[c->n++] = (struct carry){.name = target->name};
}

/* Names assigned anywhere in the loop that hold a value already, in order of first assignment. */
static void find_carries(struct lower *l, struct carries *c, struct stmt *const *body, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const struct stmt *s = body[i];
        if (s->kind == STMT_FOR)
            find_carries(l, c, s->body, s->n_body);
        if (s->kind != STMT_ASSIGN || s->n_targets != 1)
            continue;
        const struct expr *target = s->targets[0];
        if (target->kind == EXPR_TUPLE)
            for (uint32_t k = 0; k < target->n_items; k++)
                note_target(l, c, target->items[k]);
        else
            note_target(l, c, target);
    }
}

static int open_carries(struct lower *l, struct tf_node *loop, struct carries *c)
{
    for (size_t i = 0; i < c->n; i++) {
        const struct tf_node *initial = lower_here(l, local_lookup(l, c->at[i].name), c->at[i].name);
        c->at[i].node = initial ? ir_loop_carry(&l->b, loop, c->at[i].name, initial) : NULL;
        if (!c->at[i].node)
            return 0;
    }
    for (size_t i = 0; i < c->n; i++)
        local_define(l, c->at[i].name, node_value(l, c->at[i].node));
    return 1;
}

/* ---- body and result -----------------------------------------------------------------------------------------------*/

static void define_variable(struct lower *l, const char *name, const struct tf_node *loop)
{
    struct value *v = value_new(l->ctx, loop->loop->is_tile ? VALUE_WINDOW : VALUE_NODE);
    v->u.node = loop->loop->var;
    v->level = (uint32_t)l->n_regions;
    if (loop->loop->is_tile) {
        struct window_value *w = CTX_NEW(l->ctx, struct window_value);
        *w = (struct window_value){.loop = loop, .size = loop->loop->step};
        v->window = w;
    }
    local_define(l, name, v);
}

/* The value of the last statement; NULL when something was refused. */
static const struct tf_node *lower_body(struct lower *l, const struct stmt *s)
{
    const struct tf_node *last = NULL;
    for (uint32_t i = 0; i < s->n_body; i++) {
        const struct stmt *in = s->body[i];
        last = NULL;
        if (in->kind == STMT_FOR) {
            last = lower_loop(l, in);
        } else if (in->kind == STMT_ASSIGN || in->kind == STMT_ANNOTATE) {
            lower_assignment(l, in, &last);
        } else {
            const char *what =
                in->kind == STMT_RETURN    ? "'return' does not stand in a loop"
                : in->kind == STMT_WITH    ? "'with' does not stand in a loop; call a function that opens the mesh"
                : in->kind == STMT_AUGMENT ? "assignments of the += kind are not part of the language; write x = x + .."
                                           : "a loop holds assignments and loops only";
            ERROR(l->ctx, &in->loc, "loop-body", "%s", what);
        }
    }
    return last;
}

static const struct tf_node *last_value(
    struct lower *l, const struct stmt *s, const struct tf_node *value, size_t errors)
{
    if (!value && diag_errors(l->ctx) == errors)
        ERROR(l->ctx, &s->loc, "loop-body", "the last statement of a loop must give a value");
    return value;
}

static void poison_carries(struct lower *l, const struct carries *c)
{
    for (size_t i = 0; i < c->n; i++)
        local_define(l, c->at[i].name, &value_poison);
}

static int bind_results(struct lower *l, const struct stmt *s, struct tf_node *loop, const struct carries *c)
{
    if (c->n == 1) {
        loop->name = c->at[0].name;
        local_define(l, c->at[0].name, node_value(l, loop));
        return 1;
    }
    for (size_t i = 0; i < c->n; i++) {
        struct sugar_attr attr = {"index", {.kind = TF_VAL_INT, .u.i = (int64_t)i}};
        const struct tf_node *from = loop;
        const struct tf_node *item = sugar_call(l, &s->loc, c->at[i].name, sugar_op("[i]", 1), &from, 1, &attr, 1);
        local_define(l, c->at[i].name, node_value(l, item));
        if (!item)
            return 0;
    }
    return 1;
}

/* Yields of the carried names; where one was refused, the carry itself, so that the loop can be closed. */
static int find_yields(struct lower *l, const struct carries *c, const struct tf_node **yields)
{
    int whole = 1;
    for (size_t i = 0; i < c->n; i++) {
        const struct value *v = local_lookup(l, c->at[i].name);
        const struct tf_node *node = v->kind == VALUE_NODE ? lower_here(l, v, c->at[i].name) : NULL;
        if (!node && v->kind != VALUE_POISON)
            ERROR(l->ctx, &c->at[i].node->loc, "not-a-value", "'%s' is carried by the loop and ends as %s",
                c->at[i].name, value_kind_text(v->kind));
        whole &= node != NULL;
        yields[i] = node ? node : c->at[i].node;
    }
    return whole;
}

static const struct tf_node *lower_open_loop(
    struct lower *l, const struct stmt *s, struct tf_node *loop, struct carries *c)
{
    struct local *dropped;
    size_t errors = diag_errors(l->ctx);
    const struct tf_node **yields = CTX_ARRAY(l->ctx, const struct tf_node *, c->n + 1);
    const struct tf_node *value = NULL;
    locals_push(l);
    int whole = open_carries(l, loop, c);
    if (whole) {
        define_variable(l, s->targets[0]->name, loop);
        value = last_value(l, s, lower_body(l, s), errors);
        whole = find_yields(l, c, yields) && value;
    }
    locals_pop(l, &dropped);
    if (!value)
        value = loop->loop->var;
    if (!whole && loop->loop->n_carries < c->n) { /* carries were refused: nothing to close properly */
        poison_carries(l, c);
        l->b.depth--;
        return NULL;
    }
    if (ir_loop_close(&l->b, loop, yields, value) != TF_OK || !whole || diag_errors(l->ctx) != errors) {
        poison_carries(l, c);
        return NULL;
    }
    return bind_results(l, s, loop, c) ? loop : NULL;
}

const struct tf_node *lower_loop(struct lower *l, const struct stmt *s)
{
    struct tf_loop bounds = {0};
    struct carries c = {0};
    find_carries(l, &c, s->body, s->n_body);
    int fits = header_fits(l, s) && read_bounds(l, s, &bounds);
    struct tf_node *loop = fits ? ir_loop_open(&l->b, &s->loc, s->targets[0]->name, &bounds) : NULL;
    if (!loop) {
        poison_carries(l, &c);
        return NULL;
    }
    return lower_open_loop(l, s, loop, &c);
}

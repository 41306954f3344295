/* SPDX-License-Identifier: MIT */
#include "front/host.h"

#include <inttypes.h>
#include <string.h>

/* What a comprehension has made so far. */
struct collected {
    const struct value **items;
    size_t n, room;
};

static int collect(struct eval *ev, const struct tf_loc *loc, struct collected *c, const struct value *v)
{
    tf_ctx *ctx = ev->front->ctx;
    if (c->n >= ctx->limits.elements)
        return eval_size(ev, loc, c->n + 1); /* says so */
    c->items = front_grow(ctx, c->items, c->n, &c->room, sizeof(*c->items));
    c->items[c->n++] = v;
    return 1;
}

static int bind_target(struct eval *ev, struct env *env, const struct expr *target, const struct value *v)
{
    if (target->kind == EXPR_NAME) {
        env_put(ev->front, env, target->name, v);
        return 1;
    }
    if ((target->kind != EXPR_TUPLE && target->kind != EXPR_LIST) || !value_is_sequence(v) || v->n != target->n_items) {
        eval_fail(
            ev, &target->loc, "assignment", "%s cannot be taken apart into these names", value_kind_text(v->kind));
        return 0;
    }
    for (uint32_t i = 0; i < v->n; i++)
        if (!bind_target(ev, env, target->items[i], v->u.items[i]))
            return 0;
    return 1;
}

/* 1 to go on with the element, 0 to skip it, -1 when a condition cannot be evaluated. */
static int conditions_hold(struct eval *ev, const struct clause *clause)
{
    for (uint32_t i = 0; i < clause->n_conditions; i++) {
        const struct value *v = eval_expr(ev, clause->conditions[i]);
        if (!v)
            return -1;
        if (!value_truth(v))
            return 0;
    }
    return 1;
}

static int add_element(struct eval *ev, const struct expr *e, struct collected *c)
{
    const struct value *v = eval_expr(ev, e->left);
    if (!v || !collect(ev, &e->loc, c, v))
        return 0;
    if (e->op[0] != 'd')
        return 1;
    v = eval_expr(ev, e->third);
    return v && collect(ev, &e->loc, c, v);
}

/* Recursion is over the clauses of one comprehension. */
static int run_clauses(struct eval *ev, const struct expr *e, uint32_t k, struct collected *c)
{
    if (k == e->n_clauses)
        return add_element(ev, e, c);
    const struct clause *clause = &e->clauses[k];
    if (clause->is_async) {
        eval_fail(ev, &e->loc, "not-static", "an async comprehension is not evaluated");
        return 0;
    }
    const struct value *over = eval_expr(ev, clause->iter);
    const struct value *items = over ? eval_iterate(ev, &clause->iter->loc, over) : NULL;
    if (!items)
        return 0;
    struct env *outer = ev->locals;
    int going = 1;
    ev->locals = env_new(ev->front, outer, HOST_END, ev->env->file);
    for (uint32_t i = 0; going && i < items->n; i++) {
        going = bind_target(ev, ev->locals, clause->target, items->u.items[i]);
        int holds = going ? conditions_hold(ev, clause) : -1;
        if (holds == 1)
            going = run_clauses(ev, e, k + 1, c);
        else if (holds < 0)
            going = 0;
    }
    ev->locals = outer;
    return going;
}

/* Without what stands in it already; the first of equals stays. */
const struct value *eval_set(struct eval *ev, const struct tf_loc *loc, const struct value *from)
{
    if (from->n > 4096)
        return eval_fail(ev, loc, "limit", "sets of more than 4096 items are not evaluated");
    const struct value **items = CTX_ARRAY(ev->front->ctx, const struct value *, from->n + 1);
    uint32_t n = 0;
    for (uint32_t i = 0; i < from->n; i++) {
        uint32_t k = 0;
        while (k < n && !value_equal(items[k], from->u.items[i]))
            k++;
        if (k == n)
            items[n++] = from->u.items[i];
    }
    return value_items(ev->front->ctx, VALUE_SET, items, n);
}

const struct value *eval_comprehension(struct eval *ev, const struct expr *e)
{
    struct collected c = {0};
    if (!run_clauses(ev, e, 0, &c))
        return NULL;
    struct value *v = value_new(ev->front->ctx, VALUE_TUPLE);
    v->kind = e->op[0] == 'd' ? VALUE_DICT : e->op[0] == 's' ? VALUE_SET : e->op[0] == 'l' ? VALUE_LIST : VALUE_TUPLE;
    v->n = (uint32_t)c.n;
    v->u.items = c.items;
    return v->kind == VALUE_SET ? eval_set(ev, &e->loc, v) : v;
}

const struct value *eval_iterate(struct eval *ev, const struct tf_loc *loc, const struct value *v)
{
    if (value_is_sequence(v) || v->kind == VALUE_SET)
        return v;
    if (v->kind == VALUE_DICT) {
        if (!eval_size(ev, loc, v->n / 2))
            return NULL;
        const struct value **keys = CTX_ARRAY(ev->front->ctx, const struct value *, v->n / 2 + 1);
        for (uint32_t i = 0; i < v->n; i += 2)
            keys[i / 2] = v->u.items[i];
        return value_items(ev->front->ctx, VALUE_TUPLE, keys, v->n / 2);
    }
    return eval_fail(ev, loc, "arithmetic", "%s has no items to go through", value_kind_text(v->kind));
}

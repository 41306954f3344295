/* SPDX-License-Identifier: MIT
 * Expressions of a function: what the program computes when it runs.
 */
#include "front/lower.h"

#include "util/diag.h"
#include "util/vec.h"

#include <string.h>

/* ---- numbers and names -------------------------------------------------------------------------------------------*/

const struct tf_node *lower_number(struct lower *l, const struct tf_loc *loc, const struct value *v)
{
    struct tf_val val = {0};
    value_as_val(l->ctx, v, &val);
    return ir_const(&l->b, loc, &val);
}

const struct tf_node *lower_value(struct lower *l, const struct expr *e, const struct value *v)
{
    switch (v->kind) {
    case VALUE_POISON: return NULL;
    case VALUE_NODE: return lower_here(l, v, e->kind == EXPR_NAME ? e->name : NULL);
    case VALUE_WINDOW: return lower_here(l, v, NULL);
    case VALUE_BOOL:
    case VALUE_INT:
    case VALUE_FLOAT: return lower_number(l, &e->loc, v);
    case VALUE_OPAQUE: opaque_report(l->front, &e->loc, expr_text(l->ctx, e), v); return NULL;
    case VALUE_DIM:
        ERROR(l->ctx, &e->loc, "not-a-value",
            "'%s' is a dimension, not a value of the program; dimensions stand in shapes, attributes and loop bounds",
            expr_text(l->ctx, e));
        return NULL;
    default: break;
    }
    ERROR(l->ctx, &e->loc, "not-a-value", "'%s' is %s, not a value of the program", expr_text(l->ctx, e),
        value_kind_text(v->kind));
    return NULL;
}

static const char *suggest(struct lower *l, const char *name)
{
    size_t n = 0, room = 0;
    const char **names = NULL;
    if (l->front->suggestions++ >= 64)
        return NULL;
    for (size_t i = 0; i < l->locals.n && n < 2000; i++) {
        names = front_grow(l->ctx, names, n, &room, sizeof(*names));
        names[n++] = l->locals.at[i].name;
    }
    const char *near = n ? did_you_mean(name, names, n) : NULL;
    return near ? near : env_suggest(l->front, l->f->env, name);
}

static const struct tf_node *undefined(struct lower *l, const struct expr *e)
{
    const char *near = suggest(l, e->name);
    if (near)
        ERROR(l->ctx, &e->loc, "undefined-name", "'%s' has no value here; did you mean '%s'?", e->name, near);
    else
        ERROR(l->ctx, &e->loc, "undefined-name", "'%s' has no value here", e->name);
    return NULL;
}

/* Functions and Modules are no values, so a value's name skips the module's members. */
static const struct tf_node *lower_name(struct lower *l, const struct expr *e)
{
    const struct value *v = local_lookup(l, e->name);
    if (!v)
        v = env_find_from_function(l->f->env, e->name, l->f->at);
    return v ? lower_value(l, e, v) : undefined(l, e);
}

static const struct tf_node *lower_int(struct lower *l, const struct expr *e)
{
    if (e->fits64)
        return lower_number(l, &e->loc, value_int(l->ctx, e->i));
    ERROR(l->ctx, &e->loc, "overflow", "the integer %.40s%s does not fit in 64 bits", e->name,
        strlen(e->name) > 40 ? "..." : "");
    return NULL;
}

static const struct tf_node *lower_tuple(struct lower *l, const struct expr *e)
{
    const struct tf_node **items = CTX_ARRAY(l->ctx, const struct tf_node *, e->n_items + 1);
    int whole = 1;
    for (uint32_t i = 0; i < e->n_items; i++)
        whole &= (items[i] = lower_expr(l, e->items[i], NULL)) != NULL;
    return whole ? ir_tuple(&l->b, &e->loc, items, e->n_items) : NULL;
}

/* ---- attributes --------------------------------------------------------------------------------------------------*/

static const struct coordinate *known_coordinate(const struct lower *l, const struct tf_mesh *mesh, uint32_t axis)
{
    for (size_t i = 0; i < l->n_coordinates; i++) {
        const struct coordinate *c = &l->coordinates[i];
        int open = c->level == 0 || (c->level <= l->n_regions && l->regions[c->level - 1] == c->region);
        if (c->mesh == mesh && c->axis == axis && open)
            return c;
    }
    return NULL;
}

static const struct tf_node *make_coordinate(
    struct lower *l, const struct expr *e, const struct tf_mesh *mesh, uint32_t axis)
{
    const struct tf_node *index = lower_number(l, &e->loc, value_int(l->ctx, axis));
    struct sugar_attr attr = {"mesh", {.kind = TF_VAL_MESH, .u.mesh = mesh}};
    const struct tf_node *node =
        index ? sugar_call(l, &e->loc, NULL, sugar_op("m.axis", 1), &index, 1, &attr, 1) : NULL;
    if (!node)
        return NULL;
    l->coordinates =
        front_grow(l->ctx, l->coordinates, l->n_coordinates, &l->room_coordinates, sizeof(*l->coordinates));
    l->coordinates[l->n_coordinates++] = (struct coordinate){
        mesh, axis, (uint32_t)l->n_regions, l->n_regions ? l->regions[l->n_regions - 1] : NULL, node};
    return node;
}

const struct tf_node *lower_coordinate(struct lower *l, const struct expr *e, const struct value *v)
{
    const struct tf_mesh *mesh = v->u.mesh->mesh;
    int axis = mesh_axis(mesh, e->name, 1);
    if (axis < 0) {
        struct buf list = {0};
        for (uint32_t i = 0; i < mesh->rank; i++)
            if (mesh->names[i])
                buf_printf(&list, "%s%s", list.n ? ", " : "", mesh->names[i]);
        ERROR(l->ctx, &e->loc, "attribute", "the mesh has no axis '%s'; it has %s", e->name,
            list.n ? buf_text(&list) : "axes without names");
        buf_free(&list);
        return NULL;
    }
    if (mesh->shape[axis]->kind != TF_DIM_CONST) {
        ERROR(l->ctx, &e->loc, "mesh", "a coordinate needs an axis of known extent");
        return NULL;
    }
    const struct coordinate *known = known_coordinate(l, mesh, (uint32_t)axis);
    if (!known)
        return make_coordinate(l, e, mesh, (uint32_t)axis);
    struct value at = {.kind = VALUE_NODE, .level = known->level, .u.node = known->node};
    return lower_here(l, &at, NULL);
}

static const struct tf_node *lower_attribute(struct lower *l, const struct expr *e)
{
    const struct value *local = e->left->kind == EXPR_NAME ? local_lookup(l, e->left->name) : NULL;
    if (local && local->kind == VALUE_POISON)
        return NULL;
    if (local && local->kind == VALUE_MESH)
        return lower_coordinate(l, e, local);
    if (local && (local->kind == VALUE_NODE || local->kind == VALUE_WINDOW)) {
        ERROR(l->ctx, &e->loc, "attribute",
            "'%s' is a value of the program and has no attribute '%s'; operators are called as tf.NAME(%s, ..)",
            e->left->name, e->name, e->left->name);
        return NULL;
    }
    struct eval ev = lower_eval(l);
    const struct value *v = eval_expr(&ev, e);
    if (v)
        return lower_value(l, e, v);
    eval_report(&ev);
    return NULL;
}

/* ---- operators ---------------------------------------------------------------------------------------------------*/

const char *sugar_op(const char *symbol, int operands)
{
    static const struct {
        const char *symbol;
        int operands;
        const char *op;
    } table[] = {
#define SUGAR(symbol, operands, op) {symbol, operands, op},
#include "ir/sugar.def"
#undef SUGAR
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].operands == operands && strcmp(table[i].symbol, symbol) == 0)
            return table[i].op;
    return NULL;
}

static const struct tf_node *no_form(struct lower *l, const struct expr *e, const char *what)
{
    ERROR(l->ctx, &e->loc, "expression", "%s", what);
    return NULL;
}

static const struct tf_node *lower_two(struct lower *l, const struct expr *e, const char *name, const char *symbol,
    const struct tf_node *left, const struct expr *right)
{
    const struct tf_node *args[2] = {left, lower_expr(l, right, NULL)};
    return left && args[1] ? sugar_call(l, &e->loc, name, sugar_op(symbol, 2), args, 2, NULL, 0) : NULL;
}

static const struct tf_node *lower_compare(struct lower *l, const struct expr *e, const char *name)
{
    if (e->n_items != 1)
        return no_form(l, e, "comparisons are not chained in a function; write two and join them with 'and'");
    if (!sugar_op(e->ops[0], 2))
        return no_form(l, e, "'is' and 'in' are no operators on values of the program");
    return lower_two(l, e, name, e->ops[0], lower_expr(l, e->left, NULL), e->items[0]);
}

static const struct tf_node *lower_logic(struct lower *l, const struct expr *e, const char *name)
{
    if (e->n_items != 2)
        return no_form(l, e, "'and' and 'or' join exactly two values; put parentheses around pairs");
    return lower_two(l, e, name, e->op, lower_expr(l, e->items[0], NULL), e->items[1]);
}

static const struct tf_node *lower_unary(struct lower *l, const struct expr *e, const char *name)
{
    if (!sugar_op(e->op, 1))
        return no_form(l, e,
            e->op[0] == '+' ? "unary '+' is no operator on values of the program"
                            : "'~' is no operator on values of the program");
    const struct tf_node *arg = lower_expr(l, e->left, NULL);
    return arg ? sugar_call(l, &e->loc, name, sugar_op(e->op, 1), &arg, 1, NULL, 0) : NULL;
}

static const char *refusal(const struct expr *e)
{
    switch (e->kind) {
    case EXPR_STRING:
    case EXPR_FSTRING:
    case EXPR_FORMAT: return "a string is not a value of the program";
    case EXPR_NONE: return "None is not a value of the program";
    case EXPR_LIST: return "a list is not a value of the program; a tuple (a, b) is";
    case EXPR_SET:
    case EXPR_DICT: return "sets and dicts are not values of the program";
    case EXPR_COMP:
        return "a comprehension stands in a function only as the one input of an operator that takes several";
    case EXPR_IFEXP: return "a conditional expression is not a value of the program; tf.where chooses by element";
    case EXPR_LAMBDA: return "a function has no lambdas";
    case EXPR_STAR: return "* is not expanded in a function";
    case EXPR_NAMED: return ":= does not stand in a function";
    case EXPR_ELLIPSIS: return "... is not a value of the program";
    case EXPR_SLICE: return "a slice stands in a subscript only";
    default: return "this expression has no meaning in a function";
    }
}

static const struct tf_node *lower_leaf(struct lower *l, const struct expr *e, const char *name)
{
    switch (e->kind) {
    case EXPR_NAME: return lower_name(l, e);
    case EXPR_INT: return lower_int(l, e);
    case EXPR_FLOAT: return lower_number(l, &e->loc, value_float(l->ctx, e->f));
    case EXPR_TRUE: return lower_number(l, &e->loc, &value_true);
    case EXPR_FALSE: return lower_number(l, &e->loc, &value_false);
    case EXPR_TUPLE: return lower_tuple(l, e);
    case EXPR_CALL: return lower_call(l, e, name);
    case EXPR_ATTR: return lower_attribute(l, e);
    case EXPR_COMPARE: return lower_compare(l, e, name);
    case EXPR_BOOL: return lower_logic(l, e, name);
    case EXPR_UNARY: return lower_unary(l, e, name);
    case EXPR_BINARY:
        ERROR(l->ctx, &e->loc, "expression", "'%s' is no operator on values of the program", e->op);
        return NULL;
    default: return no_form(l, e, refusal(e));
    }
}

/* a + b + c + ... and x[i][j]... may be long: gone down by a loop. */
static int is_spine(const struct expr *e)
{
    return e->kind == EXPR_SUBSCRIPT || (e->kind == EXPR_BINARY && sugar_op(e->op, 2));
}

const struct tf_node *lower_expr(struct lower *l, const struct expr *e, const char *name)
{
    VEC(const struct expr *) spine = {0};
    for (; is_spine(e); e = e->left)
        VEC_PUSH(&spine, e);
    const struct tf_node *node = lower_leaf(l, e, spine.n ? NULL : name);
    while (spine.n) {
        e = spine.at[--spine.n];
        const char *own = spine.n ? NULL : name;
        if (e->kind == EXPR_BINARY)
            node = lower_two(l, e, own, e->op, node, e->right);
        else
            node = node ? lower_subscript(l, e, node, own) : NULL;
    }
    VEC_FREE(&spine);
    return node;
}

/* Whether an assignment's right side is an expression of the program; the first form that fits decides, so a name is one
 * whatever it stands for. */
int is_expression_form(struct lower *l, const struct expr *e)
{
    switch (e->kind) {
    case EXPR_BINARY: return sugar_op(e->op, 2) != NULL;
    case EXPR_UNARY: return sugar_op(e->op, 1) != NULL;
    case EXPR_NAME:
    case EXPR_INT:
    case EXPR_FLOAT:
    case EXPR_TRUE:
    case EXPR_FALSE:
    case EXPR_TUPLE:
    case EXPR_ATTR:
    case EXPR_COMPARE:
    case EXPR_BOOL: return 1;
    case EXPR_SUBSCRIPT: {
        const struct value *v = e->left->kind == EXPR_NAME ? local_lookup(l, e->left->name) : NULL;
        return !(v && v->kind == VALUE_MESH);
    }
    case EXPR_CALL: {
        struct eval ev = lower_eval(l);
        const struct value *callee = eval_expr(&ev, e->left);
        return !callee || callee->kind != VALUE_BUILTIN;
    }
    default: return 0;
    }
}

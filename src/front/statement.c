/* SPDX-License-Identifier: MIT
 * Statements of a function (language.md section 7).
 */
#include "front/region.h"

#include "front/types.h"
#include "util/diag.h"

#include <string.h>

/* ---- assignments -------------------------------------------------------------------------------------------------*/

static void poison_target(struct lower *l, const struct expr *target)
{
    if (target->kind == EXPR_NAME)
        local_define(l, target->name, &value_poison);
    if (target->kind == EXPR_TUPLE || target->kind == EXPR_LIST)
        for (uint32_t i = 0; i < target->n_items; i++)
            poison_target(l, target->items[i]);
}

static void poison_targets(struct lower *l, const struct stmt *s)
{
    for (uint32_t i = 0; i < s->n_targets; i++)
        poison_target(l, s->targets[i]);
}

static int refuse(struct lower *l, const struct stmt *s, const char *text)
{
    ERROR(l->ctx, &s->loc, "assignment", "%s", text);
    poison_targets(l, s);
    return 0;
}

/* name = something that is known before the program runs */
static void assign_static(struct lower *l, const struct expr *target, const struct expr *e)
{
    struct eval ev = lower_eval(l);
    const struct value *v = eval_expr(&ev, e);
    if (v && v->kind == VALUE_MESH)
        v = lower_mesh_value(&ev, v, &e->loc);
    if (!v)
        eval_report(&ev);
    local_define(l, target->name, v ? v : &value_poison);
}

static const struct tf_node *assign_value(struct lower *l, const struct expr *target, const struct expr *e)
{
    const struct tf_node *node = lower_expr(l, e, target->name);
    local_define(l, target->name, node_value(l, node));
    return node;
}

/* The call of a tuple assignment is named after its operator, or after all that it is taken apart into. */
static const char *parent_name(struct lower *l, const struct expr *targets, const struct expr *e)
{
    if (e->kind == EXPR_CALL) {
        struct eval ev = lower_eval(l);
        const struct value *callee = eval_expr(&ev, e->left);
        if (callee && callee->kind == VALUE_OP)
            return callee->u.op->name;
    }
    struct buf name = {0};
    for (uint32_t i = 0; i < targets->n_items; i++)
        buf_printf(&name, "%s%s", i ? ", " : "", targets->items[i]->name);
    const char *text = ctx_intern(l->ctx, buf_text(&name));
    buf_free(&name);
    return text;
}

static const struct tf_node *assign_tuple(struct lower *l, const struct stmt *s, const struct expr *targets)
{
    for (uint32_t i = 0; i < targets->n_items; i++)
        if (targets->items[i]->kind != EXPR_NAME) {
            refuse(l, s, "a value is taken apart into plain names");
            return NULL;
        }
    const struct tf_node *value = lower_expr(l, s->value, parent_name(l, targets, s->value));
    if (value && value->type->kind != TF_TYPE_TUPLE)
        refuse(l, s, "only a tuple is taken apart, and this value is a tensor");
    else if (value && value->type->rank != targets->n_items)
        refuse(l, s, arena_format(&l->ctx->arena, "%u names for a tuple of %u", targets->n_items, value->type->rank));
    else if (!value)
        poison_targets(l, s);
    if (!value || value->type->kind != TF_TYPE_TUPLE || value->type->rank != targets->n_items)
        return NULL;
    for (uint32_t i = 0; i < targets->n_items; i++) {
        const struct expr *target = targets->items[i];
        struct sugar_attr attr = {"index", {.kind = TF_VAL_INT, .u.i = i}};
        const struct tf_node *item = sugar_call(l, &target->loc, target->name, sugar_op("[i]", 1), &value, 1, &attr, 1);
        local_define(l, target->name, node_value(l, item));
    }
    return value;
}

static int is_where(const struct expr *e)
{
    return e->kind == EXPR_CALL && e->left->kind == EXPR_NAME && strcmp(e->left->name, "where") == 0;
}

/* where(..) says where a value should be; one stands on a value. */
static void note_where(struct lower *l, const struct stmt *s, const struct tf_node *node, const struct tf_where *where)
{
    if (node->type->kind != TF_TYPE_TENSOR)
        ERROR(l->ctx, &s->loc, "where", "where(..) stands on a tensor value of the program");
    else if (node->where)
        ERROR(l->ctx, &s->loc, "where", "the value of '%s' has a where(..) already", s->targets[0]->name);
    else
        l->b.nodes.at[node->id]->where = where;
}

static const struct tf_node *assign_annotated(struct lower *l, const struct stmt *s)
{
    const struct expr *target = s->targets[0];
    const struct tf_type *type = NULL;
    const struct tf_where *where = NULL;
    int fits = 1;
    if (target->kind != EXPR_NAME || !s->value) {
        refuse(l, s, s->value ? "an annotated target is a plain name" : "an assignment needs a value");
        return NULL;
    }
    if (is_where(s->annotation)) {
        where = where_read(l, s->annotation);
        fits = where != NULL;
    } else {
        struct eval ev = lower_eval(l);
        type = type_read(&ev, s->annotation, NULL);
        if (!type)
            eval_report(&ev);
        fits = type != NULL;
    }
    if (!is_expression_form(l, s->value)) {
        assign_static(l, target, s->value);
        if (fits && local_lookup(l, target->name)->kind != VALUE_POISON)
            ERROR(l->ctx, &s->loc, type ? "annotation-type" : "where", "the value is not one of the program");
        return NULL;
    }
    const struct tf_node *node = assign_value(l, target, s->value);
    if (node && type && !type_equal(type, node->type))
        ERROR(l->ctx, &s->loc, "annotation-type", "the annotation says %s, the value is %s", type_text(l->ctx, type),
            type_text(l->ctx, node->type));
    else if (node && !type && fits)
        note_where(l, s, node, where);
    return node;
}

void lower_assignment(struct lower *l, const struct stmt *s, const struct tf_node **result)
{
    const struct expr *target = s->targets[0];
    *result = NULL;
    if (s->kind == STMT_ANNOTATE)
        *result = assign_annotated(l, s);
    else if (s->n_targets != 1)
        refuse(l, s, "assignments are not chained in a function");
    else if (target->kind == EXPR_TUPLE)
        *result = assign_tuple(l, s, target);
    else if (target->kind != EXPR_NAME)
        refuse(l, s, "a function assigns to plain names only");
    else if (is_expression_form(l, s->value))
        *result = assign_value(l, target, s->value);
    else
        assign_static(l, target, s->value);
}

/* ---- blocks ------------------------------------------------------------------------------------------------------*/

static int has_value(const struct stmt *s)
{
    return s->kind == STMT_RETURN || s->kind == STMT_FOR ||
           (s->kind == STMT_WITH && block_has_value(s->body, s->n_body));
}

int block_has_value(struct stmt *const *body, uint32_t n)
{
    for (uint32_t i = n; i > 0; i--)
        if (has_value(body[i - 1]))
            return 1;
    return 0;
}

static void refuse_statement(struct lower *l, const struct stmt *s)
{
    const char *what = "this statement has no meaning in a function";
    switch (s->kind) {
    case STMT_EXPR:
        what = s->value->kind == EXPR_STRING ? "a docstring is the first statement of a function only"
                                             : "a value that nothing takes is no statement of a function";
        break;
    case STMT_AUGMENT: what = "assignments of the += kind are not part of the language; write x = x + .."; break;
    case STMT_IF:
        what = "'if' is not part of the language; tf.where chooses by element, variants choose by dimension";
        break;
    case STMT_WHILE: what = "'while' is not part of the language; loops go over tile(..) or range(..)"; break;
    case STMT_DEF:
    case STMT_CLASS: what = "a function holds no definitions"; break;
    case STMT_BREAK:
    case STMT_CONTINUE: what = "a loop runs all its trips: there is no 'break' and no 'continue'"; break;
    case STMT_IMPORT:
    case STMT_FROM: what = "imports stand at the top of the file"; break;
    case STMT_OTHER:
        what = arena_format(&l->ctx->arena, "'%s' is not part of the language", s->name ? s->name : "this");
        break;
    default: break;
    }
    ERROR(l->ctx, &s->loc, "statement", "%s", what);
    poison_targets(l, s);
}

static const struct tf_node *lower_return(struct lower *l, const struct stmt *s)
{
    if (s->value)
        return lower_expr(l, s->value, NULL);
    ERROR(l->ctx, &s->loc, "return", "'return' needs a value");
    return NULL;
}

struct later {
    tf_ctx *ctx;
    struct name_map names;
};

static void note_later(void *data, const char *name)
{
    struct later *later = data;
    *name_map_put(later->ctx, &later->names, name) = 1;
}

static void escape_target(
    struct lower *l, const struct expr *target, const struct name_map *later, struct name_map *escaping)
{
    if (target->kind == EXPR_NAME && name_map_get(later, target->name))
        *name_map_put(l->ctx, escaping, target->name) = 1;
    if (target->kind == EXPR_TUPLE)
        for (uint32_t i = 0; i < target->n_items; i++)
            escape_target(l, target->items[i], later, escaping);
}

/* For each `with` of the block, the names that it assigns directly and that a later statement reads. */
static struct name_map *find_escapes(struct lower *l, struct stmt *const *body, uint32_t n)
{
    uint32_t first = 0;
    struct later later = {.ctx = l->ctx};
    while (first < n && body[first]->kind != STMT_WITH)
        first++;
    if (first == n)
        return NULL;
    struct name_map *escaping = CTX_ARRAY(l->ctx, struct name_map, n);
    for (uint32_t i = n; i > first; i--) {
        const struct stmt *s = body[i - 1];
        if (s->kind == STMT_WITH)
            for (uint32_t k = 0; k < s->n_body; k++)
                for (uint32_t t = 0; t < s->body[k]->n_targets && s->body[k]->kind != STMT_FOR; t++)
                    escape_target(l, s->body[k]->targets[t], &later.names, &escaping[i - 1]);
        if (i - 1 > first)
            names_read(s, note_later, &later);
    }
    return escaping;
}

const struct tf_node *lower_block(struct lower *l, struct stmt *const *body, uint32_t n, int want)
{
    const struct tf_node *result = NULL, *ignored;
    uint32_t last = n;
    while (want && last > 0 && !has_value(body[last - 1]))
        last--;
    struct name_map *escaping = find_escapes(l, body, n);
    for (uint32_t i = 0; i < n; i++) {
        const struct stmt *s = body[i];
        const struct tf_node *value = NULL;
        switch (s->kind) {
        case STMT_ASSIGN:
        case STMT_ANNOTATE: lower_assignment(l, s, &ignored); break;
        case STMT_FOR: value = lower_loop(l, s); break;
        case STMT_WITH: value = lower_region(l, s, &escaping[i], want && i + 1 == last); break;
        case STMT_RETURN: value = lower_return(l, s); break;
        case STMT_PASS: break;
        default: refuse_statement(l, s); break;
        }
        if (want && i + 1 == last)
            result = value;
    }
    return result;
}

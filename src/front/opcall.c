/* SPDX-License-Identifier: MIT
 * Calls in a function: of operators, Functions and Modules.
 */
#include "front/lower.h"

#include "util/diag.h"

#include <inttypes.h>
#include <string.h>

/* ---- operators ---------------------------------------------------------------------------------------------------*/

static const struct value *sugar_value(struct lower *l, const struct tf_loc *loc, const char *op)
{
    const struct value *v = op ? library_op(l->front, ctx_intern(l->ctx, op)) : NULL;
    if (!v)
        ERROR(l->ctx, loc, "operator-missing", "no plugin provides the operator '%s', which this form means",
            op ? op : "?");
    return v;
}

/* R11: a tuple is no operand where a tensor is declared. */
static int operands_fit(
    struct lower *l, const struct tf_loc *loc, const struct op_value *op, const struct tf_node *const *args, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const struct tf_input *input = &op->op->inputs[i < op->op->n_inputs ? i : op->op->n_inputs - 1];
        if (args[i]->type->kind != TF_TYPE_TUPLE)
            continue;
        if (input->kind == TF_INPUT_TENSOR || input->kind == TF_INPUT_VARIADIC) {
            ERROR(l->ctx, loc, "tuple-operand", "operand '%s' of %s is a tuple; take it apart first, as in a, b = ..",
                input->name, op->name);
            return 0;
        }
    }
    return 1;
}

static struct tf_val *default_attributes(struct lower *l, const struct op_value *op)
{
    struct tf_val *attrs = CTX_ARRAY(l->ctx, struct tf_val, op->op->n_attrs + 1);
    for (size_t i = 0; i < op->op->n_attrs; i++) {
        attrs[i] = op->op->attrs[i].fallback;
        if (op->alias && strcmp(op->alias->attr, op->op->attrs[i].name) == 0)
            attrs[i] = (struct tf_val){.kind = TF_VAL_STRING, .u.s = ctx_intern(l->ctx, op->alias->value)};
    }
    return attrs;
}

const struct tf_node *sugar_call(struct lower *l, const struct tf_loc *loc, const char *name, const char *op,
    const struct tf_node *const *args, uint32_t n_args, const struct sugar_attr *given, uint32_t n_given)
{
    const struct value *v = sugar_value(l, loc, op);
    if (!v || !operands_fit(l, loc, v->u.op, args, n_args))
        return NULL;
    struct tf_val *attrs = default_attributes(l, v->u.op);
    for (uint32_t i = 0; i < n_given; i++)
        for (size_t k = 0; k < v->u.op->op->n_attrs; k++)
            if (strcmp(v->u.op->op->attrs[k].name, given[i].name) == 0)
                attrs[k] = given[i].val;
    return ir_call(&l->b, loc, name, v->u.op->op, args, n_args, attrs);
}

static int is_variadic(const struct op_value *op)
{
    return op->op->n_inputs == 1 && op->op->inputs[0].kind == TF_INPUT_VARIADIC;
}

/* ---- the one sequence of an operator that takes several ------------------------------------------------------------*/

struct inputs {
    const struct tf_node **at;
    size_t n, room;
    int refused;
};

static void add_input(struct lower *l, struct inputs *in, const struct tf_node *node)
{
    if (!node) {
        in->refused = 1;
        return;
    }
    in->at = front_grow(l->ctx, in->at, in->n, &in->room, sizeof(*in->at));
    in->at[in->n++] = node;
}

static void refuse_inputs(struct lower *l, struct inputs *in, const struct tf_loc *loc, const char *what)
{
    ERROR(l->ctx, loc, "variadic", "%s", what);
    in->refused = 1;
}

/* range(...) of a comprehension: start, stop, step. */
static int comprehension_range(struct lower *l, const struct expr *iter, int64_t *bound)
{
    int fits = iter->kind == EXPR_CALL && iter->left->kind == EXPR_NAME && strcmp(iter->left->name, "range") == 0 &&
               !iter->n_keywords && iter->n_items >= 1 && iter->n_items <= 3;
    bound[0] = 0;
    bound[2] = 1;
    for (uint32_t i = 0; fits && i < iter->n_items; i++) {
        struct eval ev = lower_eval(l);
        const struct value *v = eval_expr(&ev, iter->items[i]);
        if (!v || v->kind != VALUE_INT) {
            ERROR(l->ctx, &iter->items[i]->loc, "variadic",
                "an argument of range in this comprehension must be a known int");
            return 0;
        }
        bound[iter->n_items == 1 ? 1 : i] = v->u.i;
    }
    if (fits && bound[2] != 0)
        return 1;
    ERROR(l->ctx, &iter->loc, "variadic",
        "this comprehension goes over range(..) with one to three known ints, and a step that is not 0");
    return 0;
}

static void unroll(struct lower *l, struct inputs *in, const struct expr *e)
{
    const struct clause *clause = e->clauses;
    int64_t bound[3];
    if (e->n_clauses != 1) {
        refuse_inputs(l, in, &e->loc, "this comprehension has exactly one 'for'");
        return;
    }
    if (clause->target->kind != EXPR_NAME) {
        refuse_inputs(l, in, &clause->target->loc, "the target of this comprehension is a plain name");
        return;
    }
    if (clause->n_conditions || clause->is_async) {
        refuse_inputs(l, in, &clause->target->loc, "this comprehension has no 'if' and is not async");
        return;
    }
    if (!comprehension_range(l, clause->iter, bound)) {
        in->refused = 1;
        return;
    }
    uint64_t count = 0;
    for (__int128 i = bound[0]; bound[2] > 0 ? i < bound[1] : i > bound[1]; i += bound[2]) {
        if (++count > l->ctx->limits.elements) {
            ERROR(l->ctx, &e->loc, "limit", "more than %" PRIu64 " inputs; --limit elements=N allows more",
                l->ctx->limits.elements);
            in->refused = 1;
            return;
        }
        struct local *dropped;
        locals_push(l);
        local_define(l, clause->target->name, value_int(l->ctx, (int64_t)i));
        add_input(l, in, lower_expr(l, e->left, NULL));
        locals_pop(l, &dropped);
        if (in->refused)
            return;
    }
}

static void read_variadic(struct lower *l, struct inputs *in, const struct expr *call, const struct op_value *op)
{
    const struct expr *e = call->n_items ? call->items[0] : NULL;
    if (call->n_items != 1) {
        refuse_inputs(l, in, &call->loc,
            arena_format(&l->ctx->arena,
                "%s takes exactly one list, tuple or list comprehension; its attributes go by keyword", op->name));
        return;
    }
    if (e->kind == EXPR_COMP && e->op[0] == 'l') {
        unroll(l, in, e);
        return;
    }
    if (e->kind == EXPR_COMP) {
        refuse_inputs(l, in, &e->loc, "a list comprehension is expected here, in brackets");
        return;
    }
    if (e->kind != EXPR_LIST && e->kind != EXPR_TUPLE) {
        refuse_inputs(l, in, &e->loc, "a list, tuple or list comprehension is expected here, written out");
        return;
    }
    for (uint32_t i = 0; i < e->n_items; i++) {
        if (e->items[i]->kind == EXPR_STAR) {
            refuse_inputs(l, in, &e->loc, "* is not expanded here");
            return;
        }
        add_input(l, in, lower_expr(l, e->items[i], NULL));
    }
}

static void read_inputs(struct lower *l, struct inputs *in, const struct expr *call, const struct op_value *op)
{
    uint32_t want = (uint32_t)op->op->n_inputs;
    if (is_variadic(op)) {
        read_variadic(l, in, call, op);
        return;
    }
    for (uint32_t i = 0; i < call->n_items; i++)
        if (call->items[i]->kind == EXPR_STAR) {
            refuse_inputs(l, in, &call->loc, "* is not expanded in the call of an operator");
            return;
        }
    if (call->n_items < want) {
        ERROR(l->ctx, &call->loc, "operator-arity", "%s takes %u input%s by position, not %u", op->name, want,
            want == 1 ? "" : "s", call->n_items);
        in->refused = 1;
        return;
    }
    for (uint32_t i = 0; i < want; i++)
        add_input(l, in, lower_expr(l, call->items[i], NULL));
}

static const struct tf_node *call_operator(
    struct lower *l, const struct expr *e, const struct op_value *op, const char *name)
{
    struct inputs in = {0};
    read_inputs(l, &in, e, op);
    if (in.refused)
        return NULL;
    struct tf_val *attrs = default_attributes(l, op);
    if (!bind_attributes(l, e, op, attrs))
        return NULL;
    if (!operands_fit(l, &e->loc, op, in.at, (uint32_t)in.n))
        return NULL;
    return ir_call(&l->b, &e->loc, name, op->op, in.at, (uint32_t)in.n, attrs);
}

/* ---- Functions and Modules -----------------------------------------------------------------------------------------*/

static const struct tf_node *call_function(
    struct lower *l, const struct expr *e, const struct ir_function *callee, const char *name)
{
    int refused = 0;
    const struct tf_node **args = CTX_ARRAY(l->ctx, const struct tf_node *, e->n_items + 1);
    if (e->n_keywords) {
        ERROR(l->ctx, &e->loc, "call-arguments", "a function is called with positional arguments only");
        return NULL;
    }
    for (uint32_t i = 0; i < e->n_items; i++)
        refused |= (args[i] = lower_expr(l, e->items[i], NULL)) == NULL;
    return refused ? NULL : ir_fcall(&l->b, &e->loc, name, callee, args, e->n_items);
}

static const struct tf_node *call_module(
    struct lower *l, const struct expr *e, struct module_value *m, const char *name)
{
    if (!l->module) {
        ERROR(l->ctx, &e->loc, "module-call", "a Module is called inside a @module class only");
        return NULL;
    }
    struct ir_module *module = module_force(l->front, m);
    if (!module)
        return NULL;
    struct ir_function *entry = module->entry ? module_function(module, module->entry) : NULL;
    if (!entry) {
        ERROR(l->ctx, &e->loc, "module-call",
            "Module '%s' states no entry; call one of its functions, as in %s.NAME(..)", module->name, module->name);
        return NULL;
    }
    return call_function(l, e, entry, name);
}

static int is_unmade(const struct function_value *f)
{
    return f->state == BUILD_NOW || (f->state == BUILD_NOT && !f->of && f->env->is_class);
}

static const struct tf_node *call_made(
    struct lower *l, const struct expr *e, struct function_value *f, const char *name)
{
    if (is_unmade(f)) {
        ERROR(l->ctx, &e->loc, "unsupported-call",
            f->state == BUILD_NOW ? "'%s' calls itself; a function calls only what stands above it"
                                  : "'%s' stands below its caller; a function calls only what stands above it",
            expr_text(l->ctx, e->left));
        return NULL;
    }
    struct ir_function *callee = function_force(l->front, f);
    return callee ? call_function(l, e, callee, name) : NULL;
}

static const struct tf_node *unsupported(struct lower *l, const struct expr *e, const char *why)
{
    ERROR(l->ctx, &e->loc, "unsupported-call", "'%s' cannot be called here: %s", expr_text(l->ctx, e->left), why);
    return NULL;
}

static const struct tf_node *unknown_callee(struct lower *l, const struct expr *e, struct eval *ev)
{
    const struct expr *base = e->left;
    while (base->kind == EXPR_ATTR)
        base = base->left;
    const struct value *local = base->kind == EXPR_NAME ? local_lookup(l, base->name) : NULL;
    if (local && (local->kind == VALUE_NODE || local->kind == VALUE_WINDOW))
        return unsupported(l, e, "values of the program have no methods; operators are called as tf.NAME(x, ..)");
    if (ev->fail.reported)
        return NULL;
    if (base == e->left && base->name == l->f->def->name)
        return unsupported(l, e, "a function does not call itself, only what stands above it");
    if (base == e->left && library_op(l->front, base->name))
        return unsupported(l, e, arena_format(&l->ctx->arena, "the operator is called as tf.%s(..)", base->name));
    return unsupported(l, e, ev->fail.text);
}

const struct tf_node *lower_call(struct lower *l, const struct expr *e, const char *name)
{
    struct eval ev = lower_eval(l);
    if (e->left->kind != EXPR_NAME && e->left->kind != EXPR_ATTR)
        return unsupported(l, e, "what is called must have a name");
    const struct value *callee = eval_expr(&ev, e->left);
    if (!callee)
        return unknown_callee(l, e, &ev);
    switch (callee->kind) {
    case VALUE_OP: return call_operator(l, e, callee->u.op, name);
    case VALUE_FUNCTION: return call_made(l, e, callee->u.function, name);
    case VALUE_MODULE: return call_module(l, e, callee->u.module, name);
    case VALUE_NODE:
    case VALUE_WINDOW: return unsupported(l, e, "it is a value of the program");
    case VALUE_DEF: return unsupported(l, e, "a plain Python function is not part of the program");
    case VALUE_BUILTIN: {
        const struct value *v = eval_expr(&ev, e);
        if (v)
            return lower_value(l, e, v);
        eval_report(&ev);
        return NULL;
    }
    default: break;
    }
    return unsupported(l, e, arena_format(&l->ctx->arena, "it is %s", value_kind_text(callee->kind)));
}

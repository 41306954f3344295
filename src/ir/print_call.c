/* SPDX-License-Identifier: MIT
 * Calls: of operators, by their name or alias with every attribute that is not the default, or by the syntax that means
 * them; and of functions.
 */
#include "ir/printer.h"

#include <inttypes.h>
#include <string.h>

/* ---- what syntax means --------------------------------------------------------------------------------------------*/

static const char *meaning(const char *symbol)
{
#define SUGAR(text, operands, op)                                                                                      \
    if (!strcmp(symbol, (text)))                                                                                       \
        return op;
#include "ir/sugar.def"
#undef SUGAR
    return "";
}

static int means(const struct tf_node *node, const char *symbol)
{
    return node->kind == TF_NODE_CALL && !strcmp(node->op->name, meaning(symbol));
}

/* ---- operands -----------------------------------------------------------------------------------------------------*/

/* A loop that carries several values is read whole only where a function ended in it: as the tuple that it is.  One that
 * carries none has its body's value, which has a name in its last trip only. */
static void print_loop_results(struct printer *p, const struct tf_node *loop)
{
    if (!loop->loop->n_carries) {
        print_operand(p, loop->loop->body);
        return;
    }
    buf_char(&p->out, '(');
    for (uint32_t i = 0; i < loop->loop->n_carries; i++)
        buf_printf(&p->out, "%s%s", i ? ", " : "", name_of(p, loop->loop->carries[i]));
    buf_char(&p->out, ')');
}

void print_operand(struct printer *p, const struct tf_node *node)
{
    const struct item *it = item_of(p, node);
    if (it->form == FORM_INLINE || it->form == FORM_INSIDE)
        print_call(p, node);
    else if (node->kind == TF_NODE_LOOP && node->loop->n_carries != 1)
        print_loop_results(p, node);
    else
        buf_str(&p->out, name_of(p, node));
}

static void print_operands(struct printer *p, const struct tf_node *node)
{
    for (uint32_t i = 0; i < node->n_in; i++) {
        buf_str(&p->out, i ? ", " : "");
        print_operand(p, node->in[i]);
    }
}

static void print_tuple(struct printer *p, const struct tf_node *node)
{
    buf_char(&p->out, '(');
    print_operands(p, node);
    buf_str(&p->out, node->n_in == 1 ? ",)" : ")");
}

/* ---- attributes ---------------------------------------------------------------------------------------------------*/

static int val_equal(const struct tf_val *a, const struct tf_val *b)
{
    if (a->kind != b->kind)
        return 0;
    switch (a->kind) {
    case TF_VAL_NONE: return 1;
    case TF_VAL_FLOAT: return memcmp(&a->u.f, &b->u.f, sizeof(a->u.f)) == 0;
    case TF_VAL_STRING: return !strcmp(a->u.s, b->u.s);
    case TF_VAL_DIM: return a->u.dim == b->u.dim;
    case TF_VAL_TYPE: return type_equal(a->u.type, b->u.type);
    case TF_VAL_LAYOUT: return layout_equal(a->u.layout, b->u.layout);
    case TF_VAL_MESH: return mesh_equal(a->u.mesh, b->u.mesh);
    case TF_VAL_TUPLE:
        for (uint32_t i = 0; i < a->count && a->count == b->count; i++)
            if (!val_equal(&a->u.items[i], &b->u.items[i]))
                return 0;
        return a->count == b->count;
    default: return a->u.i == b->u.i;
    }
}

/* The first alias whose settled attribute has the value that it has here; *settled is the attribute's number. */
static const char *alias_of(const struct tf_node *node, size_t *settled)
{
    const struct tf_op *op = node->op;
    for (size_t i = 0; i < op->n_aliases; i++)
        for (size_t k = 0; k < op->n_attrs; k++) {
            const struct tf_val *val = &node->attrs[k];
            if (strcmp(op->attrs[k].name, op->aliases[i].attr) || val->kind != TF_VAL_STRING ||
                strcmp(val->u.s, op->aliases[i].value))
                continue;
            *settled = k;
            return op->aliases[i].name;
        }
    return NULL;
}

const char *call_word(const struct tf_node *node)
{
    size_t settled;
    const char *alias = alias_of(node, &settled);
    return alias ? alias : node->op->name;
}

static void print_attributes(struct printer *p, const struct tf_node *node, size_t settled)
{
    const struct tf_op *op = node->op;
    int any = node->n_in > 0 || (op->n_inputs == 1 && op->inputs[0].kind == TF_INPUT_VARIADIC);
    for (size_t i = 0; i < op->n_attrs; i++) {
        const struct tf_attr_decl *decl = &op->attrs[i];
        if (i == settled || (!(decl->flags & TF_ATTR_REQUIRED) && val_equal(&node->attrs[i], &decl->fallback)))
            continue;
        buf_str(&p->out, any ? ", " : "");
        if (any || i || decl->kind != TF_ATTR_TYPE) {
            buf_str(&p->out, decl->name);
            buf_char(&p->out, '=');
        }
        print_value(p, &node->attrs[i]);
        any = 1;
    }
}

static void print_op(struct printer *p, const struct tf_node *node)
{
    size_t settled = SIZE_MAX;
    const char *alias = alias_of(node, &settled);
    int spread = node->op->n_inputs == 1 && node->op->inputs[0].kind == TF_INPUT_VARIADIC;
    use(p, USE_TF);
    buf_str(&p->out, "tf.");
    buf_str(&p->out, alias ? alias : node->op->name);
    buf_str(&p->out, spread ? "([" : "(");
    print_operands(p, node);
    buf_str(&p->out, spread ? "]" : "");
    print_attributes(p, node, settled);
    buf_char(&p->out, ')');
}

/* ---- mesh coordinates ---------------------------------------------------------------------------------------------*/

static int is_alone(const struct tf_mesh *mesh, uint32_t axis)
{
    for (uint32_t i = 0; i < mesh->rank; i++)
        if (i != axis && mesh->names[i] && mesh->names[axis] && !strcmp(mesh->names[i], mesh->names[axis]))
            return 0;
    return 1;
}

/* `m.axis`; 0 where the mesh is not open or the axis has no name to say it by. */
static int print_coordinate(struct printer *p, const struct tf_node *node)
{
    static const char *const letters[] = {"x", "y", "z"};
    const struct tf_node *axis = node->n_in == 1 ? node->in[0] : NULL;
    const struct tf_mesh *mesh = node->n_attrs == 1 && node->attrs->kind == TF_VAL_MESH ? node->attrs->u.mesh : NULL;
    const char *open = mesh ? open_mesh(p, mesh) : NULL;
    if (!open || item_of(p, axis)->form != FORM_INLINE || axis->kind != TF_NODE_CONST || axis->val->kind != TF_VAL_INT)
        return 0;
    int64_t k = axis->val->u.i;
    if (k < 0 || k >= mesh->rank || !is_alone(mesh, (uint32_t)k))
        return 0;
    const char *name = mesh->names[k] ? mesh->names[k] : k < 3 ? letters[k] : NULL;
    if (!name || mesh_axis(mesh, name, 1) != (int)k)
        return 0;
    buf_printf(&p->out, "%s.%s", open, name);
    return 1;
}

/* ---- the choice ---------------------------------------------------------------------------------------------------*/

static void print_fcall(struct printer *p, const struct tf_node *node)
{
    /* every callee is the public part of what the IR keeps of it */
    print_name_path(p, (const struct ir_function *)node->callee);
    buf_char(&p->out, '(');
    print_operands(p, node);
    buf_char(&p->out, ')');
}

int can_drop(struct printer *p, const struct tf_node *reshape)
{
    return means(reshape, "[.]") && index_drops(p, reshape, means(reshape->in[0], "[:]"));
}

void print_call(struct printer *p, const struct tf_node *node)
{
    if (node->kind == TF_NODE_CONST)
        print_number(p, node->val);
    else if (node->kind == TF_NODE_TUPLE)
        print_tuple(p, node);
    else if (node->kind == TF_NODE_FCALL)
        print_fcall(p, node);
    else if (means(node, "[.]") && item_of(p, node->in[0])->form == FORM_INSIDE)
        print_index(p, node->in[0], node);
    else if (means(node, "[:]") && can_index(p, node))
        print_index(p, node, NULL);
    else if (!means(node, "m.axis") || !print_coordinate(p, node))
        print_op(p, node);
}

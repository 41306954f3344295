/* SPDX-License-Identifier: MIT
 * where(..) annotations.
 */
#include "ir/printer.h"

#include <string.h>

/* A level is a word, or a path of words; other texts are quoted. */
static void print_level(struct printer *p, const char *level)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789.";
    if (level[0] && level[0] != '.' && (level[0] < '0' || level[0] > '9') && !level[strspn(level, letters)])
        buf_str(&p->out, level);
    else
        print_string(p, level);
}

static void print_axes(struct printer *p, const struct tf_where *where)
{
    buf_char(&p->out, '(');
    for (uint32_t i = 0; i < where->n_axes; i++) {
        const struct tf_where_axis *axis = &where->axes[i];
        buf_str(&p->out, i ? ", " : "");
        if (!axis->extent) {
            buf_char(&p->out, '_');
            continue;
        }
        int is_sum = axis->level && axis->extent->kind == TF_DIM_EXPR;
        buf_str(&p->out, is_sum ? "(" : "");
        print_dim(p, axis->extent);
        buf_str(&p->out, is_sum ? ")" : "");
        if (!axis->level)
            continue;
        buf_str(&p->out, " @ ");
        print_level(p, axis->level);
    }
    buf_str(&p->out, where->n_axes == 1 ? ",)" : ")");
}

static void print_bindings(struct printer *p, const struct tf_where *where)
{
    for (uint32_t i = 0; i < where->n_bindings; i++) {
        const struct tf_where_axis *binding = &where->bindings[i];
        buf_str(&p->out, i ? ", " : "{");
        print_level(p, binding->level);
        if (!binding->reduction) {
            use(p, USE_B);
            buf_str(&p->out, " @ B()");
            continue;
        }
        use(p, USE_P);
        buf_str(&p->out, " @ P(");
        print_string(p, binding->reduction);
        buf_char(&p->out, ')');
    }
    buf_char(&p->out, '}');
}

void print_where(struct printer *p, const struct tf_where *where)
{
    const char *open = where->mesh ? open_mesh(p, where->mesh) : NULL, *comma = "";
    buf_str(&p->out, ": where(");
    if (where->n_axes) {
        buf_str(&p->out, where->n_bindings ? "layout=(" : "layout=");
        print_axes(p, where);
        if (where->n_bindings) {
            buf_str(&p->out, ", ");
            print_bindings(p, where);
            buf_char(&p->out, ')');
        }
        comma = ", ";
    }
    if (where->mesh) {
        buf_printf(&p->out, "%smesh=%s", comma, open ? open : mesh_constant(p, where->mesh));
        comma = ", ";
    }
    if (where->has_storage)
        buf_printf(&p->out, "%sstorage=\"%s\"", comma, storage_name(where->storage));
    buf_char(&p->out, ')');
}

/* ---- values without such a line -----------------------------------------------------------------------------------*/

void wish_on(struct printer *p, const struct tf_node *node)
{
    if (!node->where)
        return;
    line_start(p);
    buf_str(&p->out, name_number(p));
    print_where(p, node->where);
    buf_str(&p->out, " = ");
    print_operand(p, node);
    line_end(p);
}

int has_wishes(struct printer *p, const struct item *it)
{
    const struct tf_node *node = it->node;
    int any = node->where && (node->kind == TF_NODE_REGION || node->kind == TF_NODE_LOOP);
    for (uint32_t id = it->form == FORM_PARTS ? it->part : NO_NODE; id != NO_NODE; id = p->plan.item[id].next_part)
        any |= p->plan.item[id].node->where != NULL;
    return any;
}

void wish_on_parts(struct printer *p, const struct item *it)
{
    if (it->node->kind == TF_NODE_REGION || it->node->kind == TF_NODE_LOOP)
        wish_on(p, it->node);
    for (uint32_t id = it->form == FORM_PARTS ? it->part : NO_NODE; id != NO_NODE; id = p->plan.item[id].next_part)
        wish_on(p, p->plan.item[id].node);
}

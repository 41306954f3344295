/* SPDX-License-Identifier: MIT
 * Regions in loops.  The language opens a mesh in a loop only through a call; a program whose calls were copied in has
 * them there all the same, so each is printed as a function of what it captures, above the one that it stands in.
 */
#include "ir/printer.h"

/* The copied function's name where it is known, and free: nothing in this function may hide it. */
static const char *function_name(struct printer *p, const struct tf_node *region)
{
    const struct ir_site *site = site_of(p, region);
    const char *name = name_claim(p, site ? site->callee->pub.name : "part");
    name_reserve(p, name, NAME_KNOWN);
    return name;
}

static void print_signature(struct printer *p, const struct item *it)
{
    const struct tf_node *node = it->node;
    use(p, USE_FUNC);
    line_start(p);
    buf_str(&p->out, "@func");
    line_end(p);
    line_start(p);
    buf_printf(&p->out, "def %s(", it->function);
    for (uint32_t i = 0; i < node->n_in; i++) {
        buf_printf(&p->out, "%s%s: ", i ? ", " : "", name_of(p, node->in[i]));
        print_type(p, node->in[i]->type, "Tensor", 1);
    }
    buf_str(&p->out, "):");
    line_end(p);
}

static void print_part(struct printer *p, const struct item *it)
{
    print_signature(p, it);
    p->indent++;
    print_region(p, it);
    p->indent--;
    buf_char(&p->out, '\n');
    p->lines++;
}

static int is_in_loop(const struct printer *p, const struct item *it)
{
    const struct tf_node *owner = p->plan.suites.at[it->home].owner;
    return it->node->kind == TF_NODE_REGION && owner && owner->kind == TF_NODE_LOOP;
}

void outline_find(struct printer *p)
{
    for (size_t i = 0; i < p->plan.order.n; i++) {
        struct item *it = &p->plan.item[p->plan.order.at[i]];
        if (is_in_loop(p, it))
            it->function = function_name(p, it->node);
    }
}

/* Visit order has the inner ones first. */
void outline_print(struct printer *p)
{
    for (size_t i = 0; i < p->plan.order.n; i++) {
        const struct item *it = &p->plan.item[p->plan.order.at[i]];
        if (it->function)
            print_part(p, it);
    }
}

void outline_call(struct printer *p, const struct item *it)
{
    buf_printf(&p->out, "%s(", it->function);
    for (uint32_t i = 0; i < it->node->n_in; i++) {
        buf_str(&p->out, i ? ", " : "");
        print_operand(p, it->node->in[i]);
    }
    buf_char(&p->out, ')');
}

/* SPDX-License-Identifier: MIT
 * A function: decorator, signature, body.
 */
#include "ir/printer.h"

/* The region that @func(mesh=..) means: the whole body, on the mesh that the function was declared with. */
static const struct tf_node *mesh_region(struct printer *p, const struct ir_function *f)
{
    const struct tf_node *body = f->pub.body;
    if (!f->mesh || !body || body->kind != TF_NODE_REGION || !mesh_equal(f->mesh, body->region->mesh))
        return NULL;
    const struct suite *outer = &p->plan.suites.at[0];
    return outer->first == body->id && outer->last == body->id ? body : NULL;
}

static void print_decorator(struct printer *p, const char *decorator, const struct tf_node *region)
{
    line_start(p);
    buf_char(&p->out, '@');
    if (decorator) {
        buf_str(&p->out, decorator);
    } else {
        use(p, USE_FUNC);
        buf_str(&p->out, "func");
    }
    if (region) {
        buf_str(&p->out, "(mesh=");
        print_mesh(p, region->region->mesh);
        buf_char(&p->out, ')');
    }
    line_end(p);
}

static void print_signature(struct printer *p, const struct ir_function *f, const char *name)
{
    line_start(p);
    buf_printf(&p->out, "def %s(", name);
    for (uint32_t i = 0; i < f->pub.n_params; i++) {
        const struct tf_node *param = f->pub.params[i];
        buf_printf(&p->out, "%s%s: ", i ? ", " : "", name_of(p, param));
        print_type(p, param->type, param->is_weight ? "ConstTensor" : "Tensor", 1);
    }
    buf_char(&p->out, ')');
    if (!f->pub.body) {
        buf_str(&p->out, " -> ");
        print_type(p, f->declared ? f->declared : f->pub.result, "Tensor", 1);
    }
    buf_char(&p->out, ':');
    line_end(p);
}

static void print_doc(struct printer *p, const char *doc)
{
    line_start(p);
    buf_str(&p->out, "\"\"\"");
    for (; *doc; doc++) {
        if (*doc == '\\' || *doc == '"')
            buf_char(&p->out, '\\');
        if (*doc == '\r')
            buf_str(&p->out, "\\r");
        else
            buf_char(&p->out, *doc);
        p->lines += *doc == '\n';
    }
    buf_str(&p->out, "\"\"\"");
    line_end(p);
}

static void print_body(struct printer *p, const struct ir_function *f, const struct tf_node *region)
{
    if (f->doc)
        print_doc(p, f->doc);
    for (uint32_t i = 0; f->pub.body && i < f->pub.n_params; i++)
        wish_on(p, f->pub.params[i]);
    if (region) {
        uint32_t inside = item_of(p, region)->inside;
        print_suite(p, inside);
        print_return(p, region->region->body, inside);
    } else if (f->pub.body) {
        print_suite(p, 0);
        print_return(p, f->pub.body, 0);
    } else {
        line_start(p);
        buf_str(&p->out, "pass");
        line_end(p);
    }
}

void print_function(struct printer *p, const struct ir_function *f, const char *name, const char *decorator)
{
    p->function = f;
    plan_make(p, &f->pub);
    p->type = NULL;
    const struct tf_node *region = decorator ? NULL : mesh_region(p, f);
    if (region)
        item_of(p, region)->handle = "mesh";
    names_make(p, &f->pub);
    outline_print(p);
    print_decorator(p, decorator, region);
    if (region)
        frame_open(p, region, "mesh");
    print_signature(p, f, name);
    p->indent++;
    print_body(p, f, region);
    p->indent--;
    plan_free(&p->plan);
}

/* SPDX-License-Identifier: MIT
 * Modules with their children and functions, and free functions.
 */
#include "ir/printer.h"

#include <string.h>

/* ---- the way to a function ----------------------------------------------------------------------------------------*/

/* Modules from `from` (left out) down to the one that owns the function. */
static void print_path(struct printer *p, const struct ir_module *from, const struct ir_module *owner)
{
    VEC(const struct ir_module *) way = {0};
    for (; owner && owner != from; owner = owner->parent)
        VEC_PUSH(&way, owner);
    for (size_t i = way.n; i-- > 0;)
        buf_printf(&p->out, "%s%s", way.at[i]->name, i ? "." : "");
    VEC_FREE(&way);
}

void print_name_path(struct printer *p, const struct ir_function *callee)
{
    const struct ir_module *owner = callee->owner;
    if (!owner || owner == p->module || callee->whole) {
        buf_str(&p->out, callee->pub.name);
        return;
    }
    print_path(p, p->module, owner);
    if (!owner->entry || strcmp(owner->entry, callee->pub.name))
        buf_printf(&p->out, ".%s", callee->pub.name);
}

/* ---- functions ----------------------------------------------------------------------------------------------------*/

static void blank(struct printer *p)
{
    buf_char(&p->out, '\n');
    p->lines++;
}

static void print_parts(struct printer *p, const struct ir_parts *parts)
{
    for (uint32_t i = 0; i < parts->n; i++) {
        if (i)
            blank(p);
        print_function(p, parts->at[i], parts->at[i]->pub.name, NULL);
    }
}

static void print_with_variants(struct printer *p, const struct ir_function *f)
{
    if (f->parts) {
        print_parts(p, f->parts);
        return;
    }
    print_function(p, f, f->pub.name, NULL);
    for (uint32_t i = 0; i < f->n_variants; i++) {
        const struct ir_variant *v = &f->variants[i];
        use(p, USE_RANGE_PATTERN);
        blank(p);
        print_function(p, (const struct ir_function *)v->function, v->label,
            arena_format(&p->ctx->arena, "%s.specialize(DimVarRangePat(\"%s\", %lld, %lld))", f->pub.name, v->dim,
                (long long)v->lo, (long long)v->hi));
    }
    for (uint32_t i = 0; i < f->n_converters; i++) {
        const struct ir_converter *c = &f->converters[i];
        blank(p);
        print_function(p, (const struct ir_function *)c->function, "_",
            arena_format(&p->ctx->arena, "%s.converter(\"%s\")", f->pub.name, c->weight));
    }
}

/* ---- modules ------------------------------------------------------------------------------------------------------*/

static void print_target(struct printer *p, const char *target)
{
    if (!strcmp(target, "cpu")) {
        use(p, USE_CPU);
        buf_str(&p->out, "CpuTarget()");
        return;
    }
    int is_apple = !strncmp(target, "apple.", 6);
    use(p, is_apple ? USE_AMX : USE_CUDA);
    buf_str(&p->out, is_apple ? "AmxTarget(" : "CudaTarget(");
    print_string(p, target);
    buf_char(&p->out, ')');
}

static void print_decorator(struct printer *p, const struct ir_module *module)
{
    const char *target = module->target ? module->target : module->target_path;
    const char *comma = "";
    use(p, USE_MODULE);
    line_start(p);
    buf_str(&p->out, "@module(");
    if (module->entry) {
        buf_str(&p->out, "entry=");
        print_string(p, module->entry);
        comma = ", ";
    }
    if (target) {
        buf_printf(&p->out, "%starget=", comma);
        print_target(p, target);
        comma = ", ";
    }
    if (module->has_levels) {
        buf_printf(&p->out, "%stopologies=", comma);
        print_topologies(p, module->levels, module->n_levels);
    }
    buf_char(&p->out, ')');
    line_end(p);
}

/* A class needs a member; of methods only the names are known. */
static void print_methods(struct printer *p, const struct ir_module *module)
{
    for (uint32_t i = 0; i < module->n_methods; i++) {
        if (i)
            blank(p);
        line_start(p);
        buf_printf(&p->out, "def %s(self):", module->methods[i]);
        line_end(p);
        p->indent++;
        line_start(p);
        buf_str(&p->out, "pass");
        line_end(p);
        p->indent--;
    }
}

static void print_module(struct printer *p, const struct ir_module *module)
{
    print_decorator(p, module);
    line_start(p);
    buf_printf(&p->out, "class %s:", module->name);
    line_end(p);
    p->indent++;
    for (uint32_t i = 0; i < module->n_children; i++) {
        if (i)
            blank(p);
        print_module(p, module->children[i]);
    }
    for (uint32_t i = 0; i < module->n_functions; i++) {
        if (i || module->n_children)
            blank(p);
        p->module = module;
        print_with_variants(p, module->functions[i]);
    }
    if (!module->n_children && !module->n_functions)
        print_methods(p, module);
    p->indent--;
}

void print_units(struct printer *p)
{
    for (size_t i = 0; i < p->units.n; i++) {
        const struct unit *unit = &p->units.at[i];
        if (i) {
            blank(p);
            blank(p);
        }
        p->module = NULL;
        if (unit->root)
            print_module(p, unit->root);
        else
            print_with_variants(p, unit->free);
    }
}

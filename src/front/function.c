/* SPDX-License-Identifier: MIT
 * One function: signature, body, result.
 */
#include "front/module.h"
#include "front/region.h"
#include "front/types.h"
#include "util/diag.h"

#include <inttypes.h>
#include <string.h>

/* ---- signature ---------------------------------------------------------------------------------------------------*/

static int param_fits(tf_ctx *ctx, const struct param *p)
{
    const char *what = NULL;
    if (p->kind != PARAM_PLAIN)
        what = "parameters of a function are positional and plain: no *, /, ** and none after them";
    else if (p->fallback)
        what = "a parameter has no default";
    else if (!p->annotation)
        what = "a parameter needs a type: name: Tensor[shape, dtype]";
    if (what)
        ERROR(ctx, &p->loc, "signature", "%s", what);
    return !what;
}

/* Each DimVar of a signature has one range. */
static int dims_agree(struct lower *l, const struct tf_loc *loc, const struct tf_type *type, struct name_map *seen,
    struct dim_var **vars, size_t *n, size_t *room)
{
    if (type->kind == TF_TYPE_TUPLE) {
        for (uint32_t i = 0; i < type->rank; i++)
            if (!dims_agree(l, loc, type->fields[i], seen, vars, n, room))
                return 0;
        return 1;
    }
    for (uint32_t axis = 0; axis < type->rank; axis++) {
        struct dim_var found[16];
        size_t n_found = dim_variables(type->shape[axis], found, 16);
        for (size_t i = 0; i < n_found && i < 16; i++) {
            uint32_t *index = name_map_put(l->ctx, seen, ctx_intern(l->ctx, found[i].name));
            if (!*index) {
                *vars = front_grow(l->ctx, *vars, *n, room, sizeof(**vars));
                (*vars)[(*n)++] = found[i];
                *index = (uint32_t)*n;
            }
            const struct dim_var *known = &(*vars)[*index - 1];
            if (known->lo != found[i].lo || known->hi != found[i].hi) {
                ERROR(l->ctx, loc, "dimension",
                    "DimVar '%s' is declared over [%" PRId64 ", %" PRId64 ") here and over [%" PRId64 ", %" PRId64
                    ") before in this signature",
                    found[i].name, found[i].lo, found[i].hi, known->lo, known->hi);
                return 0;
            }
        }
    }
    return 1;
}

static int lower_params(struct lower *l, const struct stmt *def)
{
    struct name_map seen = {0};
    struct dim_var *vars = NULL;
    size_t n = 0, room = 0;
    int whole = 1;
    for (uint32_t i = 0; i < def->n_params; i++) {
        const struct param *p = &def->params[i];
        struct eval ev = lower_eval(l);
        uint32_t is_weight = 0;
        const struct tf_type *type = param_fits(l->ctx, p) ? type_read(&ev, p->annotation, &is_weight) : NULL;
        eval_report(&ev);
        const struct tf_node *node = type && dims_agree(l, &p->loc, type, &seen, &vars, &n, &room)
                                         ? ir_param(&l->b, &p->loc, p->name, type, (int)is_weight)
                                         : NULL;
        whole &= node != NULL;
        if (p->name)
            local_define(l, p->name, node_value(l, node));
    }
    return whole;
}

/* ---- @func(mesh=M) -------------------------------------------------------------------------------------------------*/

static const struct keyword *decorator_keyword(const struct function_value *f, const char *name)
{
    const struct expr *d = f->decorator;
    if (f->role != ROLE_ROOT || !d || d->kind != EXPR_CALL)
        return NULL;
    for (uint32_t i = 0; i < d->n_keywords; i++)
        if (d->keywords[i].name && strcmp(d->keywords[i].name, name) == 0)
            return &d->keywords[i];
    return NULL;
}

/* The mesh is called `mesh` inside, in the signature too.  1, with *mesh NULL where there is none. */
static int read_mesh(struct lower *l, const struct value **mesh)
{
    const struct keyword *key = decorator_keyword(l->f, "mesh");
    *mesh = NULL;
    if (!key)
        return 1;
    struct eval at_decorator = {.front = l->front, .env = l->f->env, .at = l->f->at};
    struct eval ev = lower_eval(l);
    const struct value *v = eval_expr(&at_decorator, key->value);
    if (!v) {
        eval_report(&at_decorator);
        return 0;
    }
    if (v->kind != VALUE_MESH)
        v = eval_fail(&ev, &key->value->loc, "mesh", "mesh= takes a Mesh, not %s", value_kind_text(v->kind));
    else
        v = lower_mesh_value(&ev, v, &key->value->loc);
    eval_report(&ev);
    *mesh = v;
    return v != NULL;
}

/* ---- body --------------------------------------------------------------------------------------------------------*/

static const struct tf_node *lower_on_mesh(
    struct lower *l, const struct stmt *def, struct stmt *const *body, uint32_t n, const struct value *mesh)
{
    static const struct name_map nothing;
    struct tf_node *region = ir_region_open(&l->b, &def->loc, mesh->u.mesh->mesh, "mesh");
    if (!region)
        return NULL;
    l->fn->mesh = mesh->u.mesh->mesh;
    region_push(l, region, mesh, ctx_intern(l->ctx, "mesh"));
    for (uint32_t i = 0; i < l->fn->pub.n_params; i++)
        ir_region_capture(&l->b, region, l->fn->pub.params[i], l->fn->pub.params[i]->name);
    const struct tf_node *value = lower_block(l, body, n, 1);
    return region_pop(l, def, region, &nothing, value, 1);
}

static const struct tf_node *lower_body(
    struct lower *l, const struct stmt *def, struct stmt *const *body, uint32_t n, const struct value *mesh)
{
    if (!block_has_value(body, n)) {
        lower_block(l, body, n, 0);
        ERROR(l->ctx, &def->loc, "return", "'%s' gives nothing back: its body ends without 'return'", def->name);
        return NULL;
    }
    return mesh ? lower_on_mesh(l, def, body, n, mesh) : lower_block(l, body, n, 1);
}

static int read_declared(struct lower *l, const struct stmt *def)
{
    if (!def->annotation)
        return 1;
    struct eval ev = lower_eval(l);
    l->fn->declared = type_read(&ev, def->annotation, NULL);
    eval_report(&ev);
    return l->fn->declared != NULL;
}

static int result_fits(struct lower *l, const struct stmt *def, const struct tf_type *result)
{
    if (!l->fn->declared || type_accepts(l->fn->declared, result))
        return 1;
    ERROR(l->ctx, &def->loc, "return-type", "'%s' says that it returns %s, and its body returns %s", def->name,
        type_text(l->ctx, l->fn->declared), type_text(l->ctx, result));
    return 0;
}

static int is_docstring(const struct stmt *s)
{
    return s->kind == STMT_EXPR && s->value->kind == EXPR_STRING;
}

static int lower_prototype(struct lower *l, const struct stmt *def)
{
    if (l->f->role != ROLE_ROOT) {
        ERROR(l->ctx, &def->loc, "prototype", "a %s has a body of its own, not 'pass'",
            l->f->role == ROLE_VARIANT ? "variant" : "converter");
        return 0;
    }
    if (!def->annotation) {
        ERROR(l->ctx, &def->loc, "prototype", "a function whose body is 'pass' needs a return type: -> Tensor[..]");
        return 0;
    }
    l->fn->is_prototype = 1;
    l->fn->pub.result = l->fn->declared;
    return 1;
}

static int lower_suite(struct lower *l, const struct stmt *def, int usable, const struct value *mesh)
{
    struct stmt *const *body = def->body;
    uint32_t n = def->n_body;
    if (n && is_docstring(body[0])) {
        l->fn->doc = body[0]->value->name;
        body++;
        n--;
    }
    if (n == 1 && body[0]->kind == STMT_PASS)
        return usable && lower_prototype(l, def);
    const struct tf_node *value = lower_body(l, def, body, n, mesh);
    if (!value || !usable)
        return 0;
    l->fn->pub.body = value;
    l->fn->pub.result = value->type;
    return result_fits(l, def, value->type);
}

static const char *module_path(tf_ctx *ctx, const struct ir_module *m)
{
    if (!m)
        return "";
    const char *path = m->name;
    for (m = m->parent; m; m = m->parent)
        path = arena_format(&ctx->arena, "%s.%s", m->name, path);
    return path;
}

static int is_definition(tf_ctx *ctx, const struct stmt *def)
{
    if (def->is_async)
        ERROR(ctx, &def->loc, "signature", "a function of the program is not async");
    else if (def->skipped)
        ERROR(ctx, &def->loc, "signature",
            "the body of '%s' was not read: its decorator has to be called func, specialize or converter", def->name);
    else
        return 1;
    return 0;
}

int function_lower(struct front *front, struct function_value *f, struct module_scope *scope, struct ir_function *ir)
{
    const struct stmt *def = f->def;
    struct lower l = {.front = front, .ctx = front->ctx, .f = f, .fn = ir, .module = scope};
    const struct value *mesh;
    size_t errors = diag_errors(front->ctx);
    ir->owner = scope ? scope->ir : NULL;
    ir->pub.name = def->name;
    ir->pub.module = module_path(front->ctx, ir->owner);
    ir->pub.loc = def->loc;
    if (!is_definition(front->ctx, def))
        return TF_E_REFUSED;
    if (ir->owner)
        module_levels(ir->owner, &l.levels, &l.n_levels);
    builder_init(&l.b, front->ctx, ir);
    int usable = read_mesh(&l, &mesh);
    if (usable && mesh)
        local_define(&l, ctx_intern(front->ctx, "mesh"), mesh);
    usable = lower_params(&l, def) && usable;
    usable = read_declared(&l, def) && usable;
    int made = lower_suite(&l, def, usable, mesh);
    builder_finish(&l.b);
    return made && diag_errors(front->ctx) == errors ? TF_OK : TF_E_REFUSED;
}

/* SPDX-License-Identifier: MIT
 * Building a Module from its class: members by kind, then functions in source order, then what must hold of the whole
 * (language.md section 2).
 */
#include "front/module.h"

#include "util/diag.h"

#include <inttypes.h>
#include <string.h>

/* ---- scope -------------------------------------------------------------------------------------------------------*/

void scope_define(struct front *front, struct module_scope *scope, const char *name, const struct value *value)
{
    uint32_t *index = name_map_put(front->ctx, &scope->names, name);
    if (!*index) {
        scope->values = front_grow(front->ctx, scope->values, scope->n, &scope->room, sizeof(*scope->values));
        scope->n++;
        *index = (uint32_t)scope->n;
    }
    scope->values[*index - 1] = value;
}

const struct value *scope_lookup(const struct module_scope *scope, const char *name)
{
    uint32_t index = name_map_get(&scope->names, name);
    return index ? scope->values[index - 1] : NULL;
}

const struct value *function_of(struct front *front, struct ir_function *ir)
{
    struct function_value *f = CTX_NEW(front->ctx, struct function_value);
    *f = (struct function_value){.ir = ir, .owner = ir->owner, .state = BUILD_DONE};
    struct value *v = value_new(front->ctx, VALUE_FUNCTION);
    v->u.function = f;
    return v;
}

const struct value *child_value(struct front *front, struct ir_module *ir)
{
    struct module_value *m = CTX_NEW(front->ctx, struct module_value);
    *m = (struct module_value){.name = ir->name, .built = ir, .is_child = 1, .state = BUILD_DONE};
    struct value *v = value_new(front->ctx, VALUE_MODULE);
    v->u.module = m;
    return v;
}

/* ---- what the decorator states -------------------------------------------------------------------------------------*/

/* A module being built. */
struct build {
    struct front *front;
    tf_ctx *ctx;
    struct module_value *value;
    struct ir_module *ir;
    struct module_scope scope;
    struct env *env; /* of the class body */
    struct module_value **children;
    size_t n_children, room_children, room_built;
    size_t room_functions, room_methods;
    struct name_map members; /* names of functions, children and methods */
};

static int wrong(struct build *b, const struct tf_loc *loc, const char *text, const struct value *v)
{
    ERROR(b->ctx, loc, "module-argument", "%s, not %s", text, value_kind_text(v->kind));
    return 0;
}

static int set_target(struct build *b, const struct tf_loc *loc, const struct value *v)
{
    if (v->kind == VALUE_NONE)
        return 1;
    if (v->kind != VALUE_TARGET)
        return wrong(b, loc, "target= takes a target, as in CudaTarget(\"nvidia.h200_sxm\")", v);
    size_t n = strlen(v->u.s);
    if (strchr(v->u.s, '/') || (n > 4 && strcmp(v->u.s + n - 4, ".xml") == 0))
        b->ir->target_path = v->u.s;
    else
        b->ir->target = v->u.s;
    return 1;
}

static int set_levels(struct build *b, const struct tf_loc *loc, const struct value *v)
{
    if (v->kind == VALUE_NONE)
        return 1;
    if (!value_is_sequence(v))
        return wrong(b, loc, "topologies= takes a tuple of Topology values", v);
    b->ir->has_levels = 1;
    b->ir->n_levels = v->n;
    b->ir->levels = CTX_ARRAY(b->ctx, struct tf_topology, v->n + 1);
    for (uint32_t i = 0; i < v->n; i++) {
        if (v->u.items[i]->kind != VALUE_TOPOLOGY)
            return wrong(b, loc, "topologies= takes a tuple of Topology values", v->u.items[i]);
        b->ir->levels[i] = *v->u.items[i]->u.topology;
        for (uint32_t k = 0; k < i; k++)
            if (b->ir->levels[k].name == b->ir->levels[i].name) {
                ERROR(b->ctx, loc, "module-argument", "level '%s' is declared twice", b->ir->levels[i].name);
                return 0;
            }
    }
    return 1;
}

static int set_entry(struct build *b, const struct tf_loc *loc, const struct value *v)
{
    if (v->kind == VALUE_NONE)
        return 1;
    if (v->kind != VALUE_STRING)
        return wrong(b, loc, "entry= takes the name of a function, a string", v);
    b->ir->entry = ctx_intern(b->ctx, v->u.s);
    return 1;
}

static int set_argument(struct build *b, const struct keyword *key, int is_function)
{
    static const char *const known[] = {"entry", "target", "topologies"};
    struct eval ev = {.front = b->front, .env = b->value->env, .at = b->value->at};
    if (is_function && key->name && strcmp(key->name, "mesh") == 0)
        return 1; /* the function's own */
    const char *name = key->name ? key->name : "**";
    int is_entry = strcmp(name, "entry") == 0 && !is_function, is_target = strcmp(name, "target") == 0,
        is_levels = strcmp(name, "topologies") == 0;
    if (!is_entry && !is_target && !is_levels) {
        const char *near = did_you_mean(name, known, 3);
        ERROR(b->ctx, &key->loc, "module-argument", "%s takes no '%s'; %s%s%s", is_function ? "func" : "module", name,
            near ? "did you mean '" : "there are entry, target and topologies", near ? near : "", near ? "'?" : "");
        return 0;
    }
    const struct value *v = eval_expr(&ev, key->value);
    if (!v) {
        eval_report(&ev);
        return 0;
    }
    return is_entry    ? set_entry(b, &key->loc, v)
           : is_target ? set_target(b, &key->loc, v)
                       : set_levels(b, &key->loc, v);
}

/* What replace() put in wins over the decorator. */
static int set_replaced(struct build *b)
{
    const struct module_value *m = b->value;
    if (m->target) {
        b->ir->target = b->ir->target_path = NULL;
        if (!set_target(b, &b->ir->loc, m->target))
            return 0;
    }
    if (m->entry && !set_entry(b, &b->ir->loc, m->entry))
        return 0;
    return !m->levels || set_levels(b, &b->ir->loc, m->levels);
}

static int set_arguments(struct build *b, int is_function)
{
    const struct expr *call = b->value->call;
    int whole = 1;
    if (call && call->n_items) {
        ERROR(b->ctx, &call->items[0]->loc, "module-argument", "the decorator takes keywords only");
        return 0;
    }
    for (uint32_t i = 0; call && i < call->n_keywords; i++)
        whole &= set_argument(b, &call->keywords[i], is_function);
    return whole && set_replaced(b);
}

/* ---- members -----------------------------------------------------------------------------------------------------*/

/* Functions, children and methods of one Module have different names. */
static void claim(struct build *b, const struct tf_loc *loc, const char *name)
{
    uint32_t *taken = name_map_put(b->ctx, &b->members, name);
    if (*taken)
        ERROR(b->ctx, loc, "module-duplicate", "Module '%s' has two members called '%s'", b->ir->name, name);
    else
        *taken = 1;
}

static void add_child(struct build *b, const struct tf_loc *loc, const char *name, const struct module_value *m)
{
    claim(b, loc, name);
    struct module_value *child = CTX_NEW(b->ctx, struct module_value);
    *child = *m;
    child->name = name;
    child->built = NULL;
    child->is_child = 1;
    child->state = BUILD_NOT;
    b->children = front_grow(b->ctx, b->children, b->n_children, &b->room_children, sizeof(*b->children));
    b->children[b->n_children++] = child;
}

static void add_method(struct build *b, const struct tf_loc *loc, const char *name)
{
    claim(b, loc, name);
    b->ir->methods = front_grow(b->ctx, b->ir->methods, b->ir->n_methods, &b->room_methods, sizeof(*b->ir->methods));
    b->ir->methods[b->ir->n_methods++] = name;
}

static int all_modules(const struct value *v)
{
    for (uint32_t i = 0; i < v->n; i++)
        if (v->u.items[i]->kind != VALUE_MODULE)
            return 0;
    return v->n != 0;
}

static void refuse_member(struct build *b, const struct tf_loc *loc, const char *name, const struct value *v)
{
    if (v->kind == VALUE_OPAQUE)
        ERROR(b->ctx, loc, "module-member", "what member '%s' of Module '%s' is, is not known%s%s", name, b->ir->name,
            v->u.s ? ": " : "", v->u.s ? v->u.s : "");
    else
        ERROR(b->ctx, loc, "module-member",
            "member '%s' of Module '%s' is %s: a Module holds functions, Modules and methods; constants stand outside "
            "it",
            name, b->ir->name, value_kind_text(v->kind));
}

static int is_declared_here(const struct build *b, const struct function_value *f)
{
    return f->env == b->env;
}

/* A free function bound in the class: a function of the Module under its own name. */
static void adopt(struct build *b, const struct tf_loc *loc, const struct function_value *f)
{
    claim(b, loc, f->def->name);
    struct function_value *own = CTX_NEW(b->ctx, struct function_value);
    *own = *f;
    own->ir = NULL;
    own->state = BUILD_NOT;
    b->env->declared =
        front_grow(b->ctx, b->env->declared, b->env->n_declared, &b->env->room_declared, sizeof(*b->env->declared));
    b->env->declared[b->env->n_declared++] = own;
}

static void sort_member(struct build *b, const struct binding *first)
{
    const char *name = first->name;
    size_t n = strlen(name);
    const struct value *v = env_here(b->env, name, HOST_END);
    if (strcmp(name, "__call__") == 0) {
        ERROR(b->ctx, &first->loc, "module-member", "__call__ in a Module has no effect; call the method 'forward'");
        return;
    }
    if (n > 4 && strncmp(name, "__", 2) == 0 && strcmp(name + n - 2, "__") == 0)
        return;
    switch (v->kind) {
    case VALUE_MODULE: add_child(b, &first->loc, name, v->u.module); break;
    case VALUE_FUNCTION:
        if (!is_declared_here(b, v->u.function) && v->u.function->def)
            adopt(b, &first->loc, v->u.function);
        break;
    case VALUE_DEF:
    case VALUE_SPACE:
    case VALUE_BUILTIN:
    case VALUE_OP: add_method(b, &first->loc, name); break;
    case VALUE_TUPLE:
    case VALUE_LIST:
        if (all_modules(v)) {
            for (uint32_t i = 0; i < v->n; i++)
                add_child(b, &first->loc, v->u.items[i]->u.module->name, v->u.items[i]->u.module);
            break;
        }
        refuse_member(b, &first->loc, name, v);
        break;
    default: refuse_member(b, &first->loc, name, v); break;
    }
}

/* A function's name is still bound to it when the class ends, and nothing else in the Module has it. */
static void check_name(struct build *b, const struct function_value *f)
{
    const char *name = f->def->name;
    const struct value *v = env_here(b->env, name, HOST_END);
    if (strcmp(name, "_") == 0)
        ERROR(b->ctx, &f->def->loc, "module-member", "a function of a Module needs a name other than '_'");
    else if (v && v->kind == VALUE_FUNCTION && v->u.function == f)
        claim(b, &f->def->loc, name);
    else if (v && v->kind == VALUE_FUNCTION && is_declared_here(b, v->u.function))
        ERROR(b->ctx, &v->u.function->def->loc, "module-duplicate", "Module '%s' has a function '%s' already",
            b->ir->name, name);
    else
        ERROR(b->ctx, &f->def->loc, "module-duplicate", "function '%s' of Module '%s' is bound to something else below",
            name, b->ir->name);
}

static void check_declared(struct build *b)
{
    for (size_t i = 0; i < b->env->n_declared; i++) {
        const struct function_value *f = b->env->declared[i];
        if (f->role != ROLE_CONVERTER && f->role != ROLE_PRIM && is_declared_here(b, f))
            check_name(b, f);
    }
}

static void sort_members(struct build *b)
{
    for (size_t i = 0; i < b->env->n; i++)
        if (!b->env->bindings[i].previous)
            sort_member(b, &b->env->bindings[i]);
    check_declared(b);
}

/* ---- building ----------------------------------------------------------------------------------------------------*/

static struct ir_module *build_module(struct front *front, struct module_value *m, struct ir_module *parent);

static void build_children(struct build *b)
{
    for (size_t i = 0; i < b->n_children; i++) {
        struct module_value *m = b->children[i];
        struct ir_module *child = build_module(b->front, m, b->ir);
        if (!child) {
            scope_define(b->front, &b->scope, m->name, &value_poison);
            continue;
        }
        b->ir->children =
            front_grow(b->ctx, b->ir->children, b->ir->n_children, &b->room_built, sizeof(struct ir_module *));
        b->ir->children[b->ir->n_children++] = child;
        struct value *v = value_new(b->ctx, VALUE_MODULE);
        v->u.module = m;
        scope_define(b->front, &b->scope, m->name, v);
    }
}

static void add_function(struct build *b, struct ir_function *ir)
{
    b->ir->functions =
        front_grow(b->ctx, b->ir->functions, b->ir->n_functions, &b->room_functions, sizeof(*b->ir->functions));
    b->ir->functions[b->ir->n_functions++] = ir;
}

static void build_function(struct build *b, struct function_value *f)
{
    const char *name = ctx_intern(b->ctx, f->def->name);
    f->state = BUILD_NOW;
    f->owner = b->ir;
    f->ir = CTX_NEW(b->ctx, struct ir_function);
    if (function_lower(b->front, f, &b->scope, f->ir) != TF_OK || (f->base && function_attach(b->front, f) != TF_OK))
        f->state = BUILD_FAILED;
    else
        f->state = BUILD_DONE;
    if (f->role == ROLE_CONVERTER)
        return;
    struct value *v = value_new(b->ctx, VALUE_FUNCTION);
    v->u.function = f;
    scope_define(b->front, &b->scope, name, f->state == BUILD_DONE ? v : &value_poison);
    if (f->role == ROLE_ROOT && f->state == BUILD_DONE)
        add_function(b, f->ir);
}

static void build_functions(struct build *b)
{
    for (size_t i = 0; i < b->env->n_declared; i++)
        if (b->env->declared[i]->role != ROLE_PRIM)
            build_function(b, b->env->declared[i]);
}

static void check_entry(struct build *b)
{
    struct buf list = {0};
    size_t n = 0;
    const char **names = CTX_ARRAY(b->ctx, const char *, b->env->n_declared + 1);
    for (size_t i = 0; b->ir->entry && i < b->env->n_declared; i++) {
        const struct function_value *f = b->env->declared[i];
        if (f->role != ROLE_ROOT)
            continue;
        if (strcmp(f->def->name, b->ir->entry) == 0) {
            buf_free(&list);
            return;
        }
        buf_printf(&list, "%s%s", n ? ", " : "", f->def->name);
        names[n++] = f->def->name;
    }
    const char *near = b->ir->entry && n ? did_you_mean(b->ir->entry, names, n) : NULL;
    if (b->ir->entry && near)
        ERROR(b->ctx, &b->ir->loc, "module-entry",
            "the entry of Module '%s' is '%s', which is none of its functions; did you mean '%s'?", b->ir->name,
            b->ir->entry, near);
    else if (b->ir->entry)
        ERROR(b->ctx, &b->ir->loc, "module-entry",
            "the entry of Module '%s' is '%s', which is none of its functions (%s)", b->ir->name, b->ir->entry,
            n ? buf_text(&list) : "it has none");
    buf_free(&list);
}

static void build_class(struct build *b)
{
    const struct stmt *s = b->value->def;
    b->env = env_new(b->front, b->value->env, b->value->at, b->value->env->file);
    b->env->is_class = 1;
    host_run(b->front, b->env, s->body, s->n_body);
    sort_members(b);
    if (b->env->n_declared == 0 && b->n_children == 0 && b->ir->n_methods == 0)
        ERROR(b->ctx, &b->ir->loc, "module-member", "Module '%s' is empty: it needs a function, a Module or a method",
            b->ir->name);
    build_children(b);
    build_functions(b);
    check_entry(b);
}

/* @func(target=.., topologies=..): the function is the entry of a Module of its own. */
static void build_one_function(struct build *b)
{
    struct function_value *f = CTX_NEW(b->ctx, struct function_value);
    *f = (struct function_value){
        .def = b->value->def, .decorator = b->value->call, .env = b->value->env, .at = b->value->at};
    b->ir->entry = ctx_intern(b->ctx, b->value->def->name);
    build_function(b, f);
}

static struct tf_loc decorated_loc(const struct module_value *m)
{
    struct tf_loc loc = m->def->loc;
    for (uint32_t i = 0; i < m->def->n_decorators; i++)
        if (m->def->decorators[i]->loc.line < loc.line) {
            loc = m->def->decorators[i]->loc;
            if (loc.column > 1)
                loc.column--; /* the @ */
            break;
        }
    return loc;
}

static int may_build(struct front *front, const struct module_value *m, const struct tf_loc *loc)
{
    if (front->depth >= front->ctx->limits.depth) {
        ERROR(front->ctx, loc, "limit", "Modules nest more than %" PRIu64 " deep; --limit depth=N allows more",
            front->ctx->limits.depth);
        return 0;
    }
    return m->state != BUILD_FAILED || m->generation != front->generation;
}

static struct ir_module *build_module(struct front *front, struct module_value *m, struct ir_module *parent)
{
    struct tf_loc loc = decorated_loc(m);
    size_t errors = diag_errors(front->ctx);
    if (!may_build(front, m, &loc))
        return NULL;
    struct build b = {.front = front, .ctx = front->ctx, .value = m, .ir = CTX_NEW(front->ctx, struct ir_module)};
    *b.ir = (struct ir_module){.name = m->name, .parent = parent, .loc = loc};
    b.scope.ir = b.ir;
    m->state = BUILD_NOW;
    m->generation = front->generation;
    front->depth++;
    int is_function = m->def->kind == STMT_DEF;
    if (set_arguments(&b, is_function)) {
        if (parent && (b.ir->target || b.ir->target_path))
            ERROR(front->ctx, &loc, "module-target",
                "Module '%s' is part of '%s' and states a target of its own; only the outermost states one", m->name,
                parent->name);
        else if (is_function)
            build_one_function(&b);
        else
            build_class(&b);
    }
    front->depth--;
    m->state = diag_errors(front->ctx) == errors ? BUILD_DONE : BUILD_FAILED;
    m->built = m->state == BUILD_DONE ? b.ir : NULL;
    return m->built;
}

struct ir_module *module_force(struct front *front, struct module_value *m)
{
    if (m->state == BUILD_DONE || m->is_child)
        return m->built;
    return build_module(front, m, NULL);
}

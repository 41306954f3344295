/* SPDX-License-Identifier: MIT
 * Which dimensions a program leaves open: of the function, of all that it calls, and of the levels.
 */
#include "ir/bind.h"
#include "ir/ptr_map.h"
#include "util/vec.h"

struct found {
    tf_ctx *ctx;
    VEC(struct dim_var) vars;
    VEC(const struct tf_function *) functions; /* reached; those before `next` were looked at */
    struct ptr_map known;
};

static void add_var(struct found *f, const struct dim_var *var)
{
    for (size_t i = 0; i < f->vars.n; i++)
        if (f->vars.at[i].name == var->name && f->vars.at[i].lo == var->lo && f->vars.at[i].hi == var->hi)
            return;
    VEC_PUSH(&f->vars, *var);
}

static void of_dim(struct found *f, const struct tf_dim *dim)
{
    struct dim_var few[16];
    if (!dim || dim->kind == TF_DIM_CONST)
        return;
    size_t n = dim_variables(dim, few, 16);
    struct dim_var *vars = few;
    if (n > 16) {
        vars = CTX_ARRAY(f->ctx, struct dim_var, n);
        dim_variables(dim, vars, n);
    }
    for (size_t i = 0; i < n; i++)
        add_var(f, &vars[i]);
}

static void of_dims(struct found *f, const struct tf_dim *const *dims, uint32_t n)
{
    for (uint32_t i = 0; dims && i < n; i++)
        of_dim(f, dims[i]);
}

static void of_mesh(struct found *f, const struct tf_mesh *mesh)
{
    if (!mesh)
        return;
    for (uint32_t i = 0; i < mesh->n_levels; i++)
        of_dim(f, mesh->levels[i].extent);
    of_dims(f, mesh->shape, mesh->rank);
    of_dims(f, mesh->strides, mesh->rank);
}

static void of_layout(struct found *f, const struct tf_layout *layout)
{
    for (; layout; layout = layout->outer) {
        of_dims(f, layout->shape, layout->rank);
        of_dims(f, layout->strides, layout->rank);
        of_dim(f, layout->offset);
        of_mesh(f, layout->mesh);
    }
}

static void of_type(struct found *f, const struct tf_type *type)
{
    if (type->kind == TF_TYPE_TUPLE) {
        for (uint32_t i = 0; i < type->rank; i++)
            of_type(f, type->fields[i]);
        return;
    }
    of_dims(f, type->shape, type->rank);
    of_layout(f, type->layout);
}

static void of_value(struct found *f, const struct tf_val *val)
{
    switch (val->kind) {
    case TF_VAL_DIM: of_dim(f, val->u.dim); break;
    case TF_VAL_TYPE: of_type(f, val->u.type); break;
    case TF_VAL_LAYOUT: of_layout(f, val->u.layout); break;
    case TF_VAL_MESH: of_mesh(f, val->u.mesh); break;
    case TF_VAL_TUPLE:
        for (uint32_t i = 0; i < val->count; i++)
            of_value(f, &val->u.items[i]);
        break;
    default: break;
    }
}

static void reach(struct found *f, const struct tf_function *function)
{
    uint32_t *known = ptr_map_put(&f->known, function, 0);
    if (*known)
        return;
    *known = 1;
    VEC_PUSH(&f->functions, function);
}

/* A node's type follows from what is looked at here. */
static int of_node(void *data, const struct tf_node *node)
{
    struct found *f = data;
    for (uint32_t i = 0; i < node->n_attrs; i++)
        of_value(f, &node->attrs[i]);
    if (node->kind == TF_NODE_CONST)
        of_value(f, node->val);
    if (node->kind == TF_NODE_FCALL)
        reach(f, node->callee);
    return 0;
}

static int of_owner(void *data, const struct tf_node *node)
{
    struct found *f = data;
    if (node->kind == TF_NODE_REGION) {
        of_mesh(f, node->region->mesh);
        return 0;
    }
    of_dim(f, node->loop->start);
    of_dim(f, node->loop->extent);
    of_dim(f, node->loop->step);
    return 0;
}

static void of_function(struct found *f, const struct ir_function *function)
{
    const struct walk walk = {f, of_node, of_owner, NULL};
    for (uint32_t i = 0; i < function->pub.n_params; i++)
        of_type(f, function->pub.params[i]->type);
    walk_function(f->ctx, &function->pub, &walk);
    for (uint32_t i = 0; i < function->n_variants; i++)
        reach(f, function->variants[i].function);
}

static size_t finish(struct found *f, struct dim_var *vars, size_t room)
{
    size_t n = f->vars.n;
    for (size_t i = 0; i < n && i < room; i++)
        vars[i] = f->vars.at[i];
    VEC_FREE(&f->vars);
    VEC_FREE(&f->functions);
    ptr_map_free(&f->known);
    return n;
}

static void of_reached(struct found *f, const struct ir_function *function)
{
    reach(f, &function->pub);
    for (size_t next = 0; next < f->functions.n; next++)
        of_function(f, (const struct ir_function *)f->functions.at[next]);
}

size_t param_dimensions(tf_ctx *ctx, const struct ir_function *function, struct dim_var *vars, size_t room)
{
    struct found found = {.ctx = ctx};
    for (uint32_t i = 0; i < function->pub.n_params; i++)
        of_type(&found, function->pub.params[i]->type);
    return finish(&found, vars, room);
}

size_t ir_dimensions(tf_ctx *ctx, const struct ir_function *function, struct dim_var *vars, size_t room)
{
    return program_dimensions(ctx, function->owner, function, vars, room);
}

size_t program_dimensions(
    tf_ctx *ctx, const struct ir_module *module, const struct ir_function *function, struct dim_var *vars, size_t room)
{
    struct found found = {.ctx = ctx};
    const struct tf_topology *levels = NULL;
    uint32_t n_levels = 0;
    of_reached(&found, function);
    if (module)
        module_levels(module, &levels, &n_levels);
    for (uint32_t i = 0; i < n_levels; i++)
        of_dim(&found, levels[i].extent);
    return finish(&found, vars, room);
}

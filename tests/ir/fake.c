/* SPDX-License-Identifier: MIT */
#include "fake.h"

#include "ir/grow.h"

#include <stdlib.h>
#include <string.h>

/* ---- operators -----------------------------------------------------------------------------------------------------*/

static const struct tf_input ONE[] = {{"x", TF_INPUT_TENSOR, 0}};
static const struct tf_input TWO[] = {{"a", TF_INPUT_TENSOR, 0}, {"b", TF_INPUT_TENSOR, 0}};
static const struct tf_input TUPLE[] = {{"t", TF_INPUT_TUPLE, 0}};
static const struct tf_input MANY[] = {{"xs", TF_INPUT_VARIADIC, 0}};
static const struct tf_attr_decl NUMBER[] = {{.name = "number", .kind = TF_ATTR_INT, .flags = TF_ATTR_REQUIRED}};
static const struct tf_attr_decl TYPE[] = {{.name = "type", .kind = TF_ATTR_TYPE, .flags = TF_ATTR_REQUIRED}};
static const struct tf_attr_decl PLACE[] = {
    {.name = "layout", .kind = TF_ATTR_LAYOUT}, {.name = "storage", .kind = TF_ATTR_STORAGE}};

static int infer_same(tf_ctx *ctx, const struct tf_call *c, const struct tf_type **result)
{
    (void)ctx;
    *result = c->arg_types[0];
    return TF_OK;
}

static int infer_add(tf_ctx *ctx, const struct tf_call *c, const struct tf_type **result)
{
    if (c->arg_types[0]->dtype != c->arg_types[1]->dtype) {
        ERROR(ctx, &c->loc, "fake-dtype", "two dtypes");
        return TF_E_REFUSED;
    }
    *result = c->arg_types[c->arg_types[0]->rank < c->arg_types[1]->rank];
    return TF_OK;
}

static int infer_pair(tf_ctx *ctx, const struct tf_call *c, const struct tf_type **result)
{
    const struct tf_type *fields[] = {c->arg_types[0], c->arg_types[0]};
    *result = type_tuple(ctx, 2, fields);
    return TF_OK;
}

static int infer_item(tf_ctx *ctx, const struct tf_call *c, const struct tf_type **result)
{
    (void)ctx;
    *result = c->arg_types[0]->fields[c->attrs[0].u.i];
    return TF_OK;
}

static int infer_fill(tf_ctx *ctx, const struct tf_call *c, const struct tf_type **result)
{
    (void)ctx;
    *result = c->attrs[0].u.type;
    return TF_OK;
}

static int infer_place(tf_ctx *ctx, const struct tf_call *c, const struct tf_type **result)
{
    const struct tf_type *x = c->arg_types[0];
    *result = type_tensor(ctx, x->dtype, x->rank, x->shape, c->attrs[0].u.layout, (uint32_t)c->attrs[1].u.i);
    return TF_OK;
}

static int infer_deep(tf_ctx *ctx, const struct tf_call *c, const struct tf_type **result)
{
    uint32_t rank = (uint32_t)c->attrs[0].u.i;
    const struct tf_dim **shape = CTX_ARRAY(ctx, const struct tf_dim *, rank);
    for (uint32_t i = 0; i < rank; i++)
        shape[i] = dim_const(ctx, 1);
    *result = type_tensor(ctx, TF_DTYPE_F32, rank, shape, NULL, TF_STORAGE_GMEM);
    return TF_OK;
}

static int infer_mute(tf_ctx *ctx, const struct tf_call *c, const struct tf_type **result)
{
    (void)ctx;
    (void)result;
    return (int)c->attrs[0].u.i;
}

#define OP(symbol, text, ins, n_ins, ats, n_ats, how, bits)                                                            \
    const struct tf_op symbol = {.struct_size = sizeof(symbol),                                                        \
        .name = text,                                                                                                  \
        .n_inputs = n_ins,                                                                                             \
        .inputs = ins,                                                                                                 \
        .n_attrs = n_ats,                                                                                              \
        .attrs = ats,                                                                                                  \
        .infer = how,                                                                                                  \
        .flags = bits}
OP(fake_same, "same", ONE, 1, NULL, 0, infer_same, 0);
OP(fake_add, "add", TWO, 2, NULL, 0, infer_add, 0);
OP(fake_pair, "pair", ONE, 1, NULL, 0, infer_pair, 0);
OP(fake_item, "item", TUPLE, 1, NUMBER, 1, infer_item, TF_OP_ITEM);
OP(fake_fill, "fill", NULL, 0, TYPE, 1, infer_fill, 0);
OP(fake_place, "place", ONE, 1, PLACE, 2, infer_place, TF_OP_PLACES);
OP(fake_many, "many", MANY, 1, NULL, 0, infer_same, 0);
OP(fake_deep, "deep", ONE, 1, NUMBER, 1, infer_deep, 0);
OP(fake_mute, "mute", ONE, 1, NUMBER, 1, infer_mute, 0);

static const struct target_level LEVELS[] = {{"cta", 0}, {"thread", 1024}};
const struct tf_target fake_target = {.id = "fake", .family = "fake", .n_levels = 2, .levels = LEVELS};

/* ---- the fixture ---------------------------------------------------------------------------------------------------*/

void fixture_begin(struct fixture *x)
{
    *x = (struct fixture){.ctx = ctx_create()};
    x->module = CTX_NEW(x->ctx, struct ir_module);
    x->module->name = "M";
}

void fixture_end(struct fixture *x)
{
    ctx_destroy(x->ctx);
}

struct ir_function *fixture_function(struct fixture *x, const char *name)
{
    x->f = CTX_NEW(x->ctx, struct ir_function);
    x->f->pub.name = name;
    x->f->pub.module = x->module->name;
    x->f->owner = x->module;
    builder_init(&x->b, x->ctx, x->f);
    return x->f;
}

struct ir_function *fixture_return(struct fixture *x, const struct tf_node *value)
{
    struct ir_function *f = x->f;
    if (value) {
        f->pub.body = value;
        f->pub.result = value->type;
    }
    builder_finish(&x->b);
    x->module->functions =
        (struct ir_function **)(uintptr_t)pointers_grown(x->ctx, x->module->functions, x->module->n_functions, f);
    x->module->n_functions++;
    return f;
}

struct ir_module *fixture_child(struct fixture *x, const char *name)
{
    struct ir_module *root = x->module->parent ? x->module->parent : x->module;
    struct ir_module *child = CTX_NEW(x->ctx, struct ir_module);
    child->name = name;
    child->parent = root;
    root->children = (struct ir_module **)(uintptr_t)pointers_grown(x->ctx, root->children, root->n_children, child);
    root->n_children++;
    x->module = child;
    return child;
}

void fixture_levels(struct fixture *x, const char *name, int64_t extent)
{
    struct ir_module *m = x->module;
    struct tf_topology *levels = CTX_ARRAY(x->ctx, struct tf_topology, m->n_levels + 1);
    if (m->n_levels)
        memcpy(levels, m->levels, m->n_levels * sizeof(*levels));
    levels[m->n_levels++] = (struct tf_topology){name, dim_const(x->ctx, extent)};
    m->levels = levels;
    m->has_levels = 1;
}

const struct tf_type *tensor(struct fixture *x, int64_t rows, int64_t columns)
{
    const struct tf_dim *shape[] = {dim_const(x->ctx, rows), dim_const(x->ctx, columns)};
    return type_tensor(x->ctx, TF_DTYPE_F32, columns ? 2 : 1, shape, NULL, TF_STORAGE_GMEM);
}

const struct tf_mesh *mesh_of(struct fixture *x, const char *level, int64_t extent)
{
    struct tf_topology *topology = CTX_NEW(x->ctx, struct tf_topology);
    *topology = (struct tf_topology){level, dim_const(x->ctx, extent)};
    const struct tf_dim *shape[] = {topology->extent}, *strides[] = {dim_const(x->ctx, 1)};
    const char *names[] = {"u"};
    return mesh_make(
        x->ctx, &(struct tf_mesh){
                    .n_levels = 1, .rank = 1, .levels = topology, .shape = shape, .strides = strides, .names = names});
}

const struct tf_layout *split_rows(struct fixture *x, const struct tf_mesh *mesh, const struct tf_type *type)
{
    struct tf_shard_attr attr = {.kind = TF_ATTR_SPLIT, .axis = 0};
    return layout_canonical(x->ctx, NULL, type->rank, type->shape, mesh, &attr);
}

/* ---- nodes ---------------------------------------------------------------------------------------------------------*/

struct tf_node *param(struct fixture *x, const char *name, const struct tf_type *type)
{
    return ir_param(&x->b, NULL, name, type, 0);
}

struct tf_node *same(struct fixture *x, const char *name, const struct tf_node *a)
{
    return ir_call(&x->b, NULL, name, &fake_same, &a, 1, NULL);
}

struct tf_node *add(struct fixture *x, const char *name, const struct tf_node *a, const struct tf_node *b)
{
    const struct tf_node *args[] = {a, b};
    return ir_call(&x->b, NULL, name, &fake_add, args, 2, NULL);
}

struct tf_node *call(struct fixture *x, const struct tf_op *op, const struct tf_node *a, int64_t number)
{
    struct tf_val val = {.kind = TF_VAL_INT, .u.i = number};
    return ir_call(&x->b, NULL, NULL, op, &a, 1, &val);
}

struct tf_node *place(struct fixture *x, const struct tf_node *a, const struct tf_layout *layout, uint32_t storage)
{
    struct tf_val attrs[] = {{.kind = TF_VAL_LAYOUT, .u.layout = layout}, {.kind = TF_VAL_STORAGE, .u.i = storage}};
    return ir_call(&x->b, NULL, "placed", &fake_place, &a, 1, attrs);
}

struct tf_node *loop_range(struct fixture *x, const char *name, int64_t start, int64_t extent, int64_t step)
{
    struct tf_loop bounds = {
        .start = dim_const(x->ctx, start), .extent = dim_const(x->ctx, extent), .step = dim_const(x->ctx, step)};
    return ir_loop_open(&x->b, NULL, name, &bounds);
}

/* ---- asking --------------------------------------------------------------------------------------------------------*/

const char *reported(struct fixture *x)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    diag_flush(x->ctx, to, 0);
    fclose(to);
    const char *copy = arena_strndup(&x->ctx->arena, text, size);
    free(text);
    return copy;
}

void expect_text(struct fixture *x, const char *code, const char *part)
{
    const char *text = reported(x);
    const char *bracketed = arena_format(&x->ctx->arena, "[%s]", code);
    ck_assert_msg(strstr(text, bracketed) != NULL, "expected %s, got: %s", bracketed, text);
    ck_assert_msg(strstr(text, part) != NULL, "expected '%s', got: %s", part, text);
}

void expect_error(struct fixture *x, const char *code)
{
    expect_text(x, code, "");
}

struct ir_function *inlined(struct fixture *x, const struct ir_function *f)
{
    struct ir_function *result = ir_inline(x->ctx, x->module, f, NULL, 0);
    ck_assert_msg(result != NULL, "%s", reported(x));
    return result;
}

const struct tf_program *program(struct fixture *x, const struct ir_function *f)
{
    const struct tf_program *p = ir_program_make(x->ctx, x->module, inlined(x, f), &fake_target, NULL);
    ck_assert_msg(p != NULL, "%s", reported(x));
    return p;
}

const struct tf_step *step_named(const struct tf_program *p, const char *name)
{
    for (uint32_t i = 0; i < p->n_steps; i++)
        if (p->steps[i].node->name && !strcmp(p->steps[i].node->name, name))
            return &p->steps[i];
    ck_abort_msg("no step named %s", name);
    return NULL;
}

/* SPDX-License-Identifier: MIT
 * The result of a function whose parameters get other types than the declared ones: a parameter without a layout takes any,
 * and the result follows.  Each combination is typed once and kept with the function.
 */
#include "ir/copy.h"

#include "util/diag.h"

struct ir_instance {
    struct ir_instance *next;
    const struct tf_type *const *types;
    const struct tf_type *result;
};

const struct tf_type *instance_known(const struct ir_function *callee, const struct tf_type *const *types)
{
    for (const struct ir_instance *i = callee->instances; i; i = i->next) {
        uint32_t same = 0;
        while (same < callee->pub.n_params && type_equal(i->types[same], types[same]))
            same++;
        if (same == callee->pub.n_params)
            return i->result;
    }
    return NULL;
}

static void instance_keep(
    tf_ctx *ctx, const struct ir_function *function, const struct tf_type *const *types, const struct tf_type *result)
{
    struct ir_function *f = (struct ir_function *)(uintptr_t)function; /* what is kept changes nothing that is seen */
    struct ir_instance *instance = CTX_NEW(ctx, struct ir_instance);
    *instance = (struct ir_instance){f->instances, types, result};
    f->instances = instance;
}

/* A frame that types `callee`, in a function of its own that is thrown away. */
static int open_typing(struct copier *copier, const struct tf_loc *loc, const struct ir_function *callee,
    const struct tf_type **types, const struct tf_node *call)
{
    struct ir_function *scratch = CTX_NEW(copier->ctx, struct ir_function);
    struct ir_builder *b = CTX_NEW(copier->ctx, struct ir_builder);
    scratch->pub.name = callee->pub.name;
    scratch->owner = callee->owner;
    builder_init(b, copier->ctx, scratch);
    struct copy_frame *frame = copy_open(copier, loc, callee, b);
    if (!frame)
        return TF_E_REFUSED;
    frame->types = types;
    frame->call = call;
    for (uint32_t i = 0; i < callee->pub.n_params; i++) {
        const struct tf_node *param = callee->pub.params[i];
        struct tf_node *copy = ir_param(b, &param->loc, param->name, types[i], (int)param->is_weight);
        if (!copy)
            return TF_E_REFUSED;
        frame->env[param->id] = (struct copied){copy, types[i], types[i]};
    }
    return TF_OK;
}

/* Types of all parameters in a call, those that it does not give as declared; *differs, whether it is worth asking. */
static const struct tf_type **types_given(struct copier *copier, const struct copy_frame *frame,
    const struct tf_node *node, const struct ir_function *callee, int *differs)
{
    int with_weights = call_gives_weights(frame->from, callee);
    const struct tf_type **types = CTX_ARRAY(copier->ctx, const struct tf_type *, callee->pub.n_params);
    uint32_t next = 0;
    for (uint32_t i = 0; i < callee->pub.n_params; i++) {
        const struct tf_node *param = callee->pub.params[i];
        types[i] = param->is_weight && !with_weights ? param->type : frame->env[node->in[next++]->id].type;
        *differs |= !type_equal(types[i], param->type);
    }
    return types;
}

static int type_call(struct copier *copier, struct copy_frame *frame, const struct tf_node *node)
{
    const struct ir_function *callee = (const struct ir_function *)node->callee;
    int differs = 0;
    const struct tf_type **types = types_given(copier, frame, node, callee, &differs);
    if (differs && callee->pub.body && !callee->n_variants && !instance_known(callee, types))
        return open_typing(copier, &node->loc, callee, types, node);
    const struct copies args = copy_values(copier, frame, node->in, node->n_in);
    struct tf_node *copy = ir_fcall(frame->b, &node->loc, node->name, callee, args.nodes, node->n_in);
    if (!copy)
        return TF_E_REFUSED;
    frame->env[node->id] = (struct copied){copy, copy->type, copy->type};
    return TF_OK;
}

/* The call that waited is looked at again: its answer is known now. */
static int typed(struct copier *copier, struct copy_frame *frame, const struct copied *value)
{
    instance_keep(copier->ctx, frame->from, frame->types, value->type);
    builder_finish(frame->b);
    frame->b = NULL;
    return frame->call ? type_call(copier, copier->top, frame->call) : TF_OK;
}

const struct tf_type *instance_result(
    tf_ctx *ctx, const struct tf_loc *loc, const struct ir_function *callee, const struct tf_type *const *types)
{
    const struct tf_type *result = instance_known(callee, types);
    if (result)
        return result;
    struct binding none = {.ctx = ctx};
    struct copier copier = {.ctx = ctx, .binding = &none, .call = type_call, .done = typed};
    const struct tf_type **own = arena_copy(&ctx->arena, types, callee->pub.n_params * sizeof(*types));
    int rc = open_typing(&copier, loc, callee, own, NULL);
    if (!rc)
        rc = copy_run(&copier);
    for (struct copy_frame *frame = copier.top; frame; frame = frame->outer)
        builder_finish(frame->b);
    copy_finish(&copier);
    return rc ? NULL : instance_known(callee, types);
}

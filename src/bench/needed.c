/* SPDX-License-Identifier: MIT
 * Bytes that no implementation can do without.  From the last step to the first: what a step reads of each argument,
 * through views of it, is a lower bound of what the argument's own memory is read for.  What an index chooses counts as
 * nothing, and what a loop walks over as the whole of its steps, as far as the argument goes.
 */
#include "bench/bench.h"

#include "ir/relation.h"
#include "type/type.h"

struct least {
    tf_ctx *ctx;
    const struct tf_program *program;
    uint64_t *least; /* elements, by position */
};

static uint64_t elements_of(const struct tf_type *type)
{
    uint64_t n = type->kind == TF_TYPE_TENSOR;
    for (uint32_t i = 0; n && i < type->rank; i++)
        n *= (uint64_t)type->shape[i]->value;
    return n;
}

static int is_looked_up(const struct tf_boundary *boundary)
{
    for (uint32_t i = 0; boundary->axes && i < boundary->rank; i++)
        if (boundary->axes[i].kind == TF_AXIS_ANY)
            return 1;
    return 0;
}

/* What a name stands for: a region's value, and what a region captured. */
static const struct tf_node *meant(const struct tf_node *node)
{
    while (node->kind == TF_NODE_RPARAM || node->kind == TF_NODE_REGION)
        node = node->kind == TF_NODE_REGION ? node->region->body : node->owner->in[node->index];
    return node;
}

static void read_argument(struct least *w, const struct tf_step *step, uint32_t index, uint64_t elements)
{
    uint32_t at = w->program->step_of[meant(step->whole->args[index])->id];
    uint64_t most = elements_of(step->whole->arg_types[index]), times = step->runs;
    if (at == TF_NO_POSITION)
        return;
    if (__builtin_mul_overflow(elements, times, &elements) || elements > most)
        elements = most;
    if (elements > w->least[at])
        w->least[at] = elements;
}

static int read_step(struct least *w, const struct tf_step *step)
{
    const struct tf_op *op = step->node->op;
    struct tf_relation relation = {0};
    uint64_t *elements = CTX_ARRAY(w->ctx, uint64_t, step->whole->n_args + 64);
    if (!op->relate || op->relate(w->ctx, step->whole, &relation) || relation.n_out > 64 ||
        relation_amounts(w->ctx, w->program, step, &relation, 0, elements))
        return TF_E_UNSUPPORTED;
    for (uint32_t i = 0; i < relation.n_in; i++) {
        const struct tf_boundary *boundary = &relation.in[i];
        int is_view = relation.flags & TF_RELATION_VIEW && i == 0;
        if (is_view)
            read_argument(w, step, i, w->least[step->position]);
        else if (boundary->flow == TF_FLOW_READ && !is_looked_up(boundary))
            read_argument(w, step, i, elements[i]);
    }
    relation_done(w->ctx);
    return TF_OK;
}

static double bytes_of(const struct tf_type *type, uint64_t elements)
{
    return type->kind == TF_TYPE_TENSOR ? (double)elements * dtype_info(type->dtype)->bits / 8 : 0;
}

double needed_bytes(tf_ctx *ctx, const struct tf_program *program)
{
    struct least w = {ctx, program, CTX_ARRAY(ctx, uint64_t, program->n_steps)};
    const struct tf_type *result = program->function->body->type;
    size_t n = type_leaves(result, NULL, 0);
    const struct tf_type **leaves = CTX_ARRAY(ctx, const struct tf_type *, n);
    double bytes = 0;
    type_leaves(result, leaves, n);
    for (size_t i = 0; i < n; i++)
        bytes += bytes_of(leaves[i], elements_of(leaves[i]));
    for (uint32_t i = program->n_steps; i-- > 0;)
        if (program->steps[i].node->kind == TF_NODE_CALL)
            read_step(&w, &program->steps[i]);
    for (uint32_t i = 0; i < program->n_steps; i++)
        if (program->steps[i].node->kind == TF_NODE_PARAM)
            bytes += bytes_of(program->steps[i].node->type, w.least[i]);
    return bytes;
}

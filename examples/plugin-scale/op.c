/* SPDX-License-Identifier: MIT
 * tf.scale(x, factor): every element times a number that is known before the program runs.
 */
#include "scale.h"

#include <string.h>

/* A partial sum may be scaled before it is summed; a partial maximum may not, since the factor's sign decides. */
static int scales_partials(const struct tf_type *type)
{
    const struct tf_layout *shard = tf_host->shard_of(type->layout);
    for (uint32_t i = 0; shard && i < shard->mesh->rank; i++)
        if (shard->attrs[i].kind == TF_ATTR_PARTIAL && strcmp(shard->attrs[i].reduction, "sum") != 0)
            return 0;
    return 1;
}

static int infer(tf_ctx *ctx, const struct tf_call *call, const struct tf_type **result)
{
    const struct tf_type *x = call->arg_types[0];
    if (x->kind != TF_TYPE_TENSOR || tf_host->dtype(x->dtype)->cls != TF_CLASS_FLOAT) {
        tf_host->error(ctx, &call->loc, "scale-operand",
            "scale: x is %s; a tensor of floating-point numbers is expected", tf_host->type_text(ctx, x));
        return TF_E_REFUSED;
    }
    if (!scales_partials(x)) {
        tf_host->error(ctx, &call->loc, "scale-partial", "scale: x still waits for a maximum or minimum over the mesh");
        return TF_E_REFUSED;
    }
    *result = x;
    return TF_OK;
}

static int cost(tf_ctx *ctx, const struct tf_call *call, struct tf_work *work)
{
    uint64_t flops = 1;
    (void)ctx;
    for (uint32_t i = 0; i < call->type->rank; i++) {
        uint64_t extent = (uint64_t)call->type->shape[i]->value;
        if (extent && flops > INT64_MAX / extent)
            return TF_E_OVERFLOW;
        flops *= extent;
    }
    work->n = 1;
    work->item[0].pipe = TF_WORK_VECTOR;
    work->item[0].key = call->type->dtype;
    work->item[0].amount = flops;
    return TF_OK;
}

/* Element i of the result is made of element i of x. */
static int relate(tf_ctx *ctx, const struct tf_call *call, struct tf_relation *relation)
{
    const struct tf_type *x = call->arg_types[0];
    int rc = tf_host->relation_box(ctx, call, relation, x->rank, x->shape, 1);
    if (rc != TF_OK)
        return rc;
    tf_host->relation_walk(ctx, &relation->in[0], x->rank, 0);
    tf_host->relation_walk(ctx, &relation->out[0], x->rank, 0);
    return TF_OK;
}

static const struct tf_input inputs[] = {{.name = "x", .kind = TF_INPUT_TENSOR}};

static const struct tf_attr_decl attrs[] = {{.name = "factor", .kind = TF_ATTR_FLOAT, .flags = TF_ATTR_REQUIRED}};

const struct tf_op op_scale = {
    .struct_size = sizeof(op_scale),
    .name = "scale",
    .summary = "every element times a known number",
    .n_inputs = 1,
    .inputs = inputs,
    .n_attrs = 1,
    .attrs = attrs,
    .infer = infer,
    .cost = cost,
    .relate = relate,
};

/* SPDX-License-Identifier: MIT
 * cast: the same elements in another dtype.
 */
#include "elementwise.h"
#include "eval.h"

static int infer_cast(tf_ctx *ctx, const struct tf_call *call, const struct tf_type **result)
{
    int rc = ok_tensors(ctx, call);
    if (rc)
        return rc;
    const struct tf_type *x = ok_arg(call, 0);
    const struct tf_layout *layout = NULL;
    if (ok_is_sharded(x)) {
        struct tf_relation relation = {0};
        rc = ok_relate_elementwise(ctx, call, &relation);
        if (rc == TF_OK)
            rc = ok_derive(ctx, call, &relation, x->rank, x->shape, 0, 0, 0, &layout);
        if (rc)
            return rc;
    }
    *result = ok_like(ctx, x, ok_dtype(call, 0), x->rank, x->shape, layout ? layout : x->layout, x->storage);
    return TF_OK;
}

static const struct tf_input inputs[] = {{.name = "x"}};

static const struct tf_attr_decl attrs[] = {
    {.name = "dtype", .kind = TF_ATTR_DTYPE, .flags = TF_ATTR_REQUIRED},
};

const struct tf_op op_cast = {
    .struct_size = sizeof(op_cast),
    .name = "cast",
    .summary = "the same values in another dtype, rounded to nearest even",
    .n_inputs = OK_COUNT(inputs),
    .inputs = inputs,
    .n_attrs = OK_COUNT(attrs),
    .attrs = attrs,
    .infer = infer_cast,
    .cost = cost_per_result,
    .relate = ok_relate_elementwise,
    .eval = eval_cast,
    .flags = TF_OP_ROWS,
};

/* SPDX-License-Identifier: MIT
 * Evaluation of placements: a program is run as one, so every value is there whole and nothing moves.
 */
#include "placement.h"

#include "arraykit.h"

int eval_reshard(tf_ctx *ctx, const struct tf_eval *eval)
{
    (void)ctx;
    int rc = ak_begin(eval);
    if (rc == TF_OK)
        ak_move_all(eval, eval->results[0], eval->args[0]);
    return rc;
}

/* What every unit has alike is the value itself. */
int eval_local(tf_ctx *ctx, const struct tf_eval *eval)
{
    const struct tf_layout *shard = tf_host->shard_of(eval->call->arg_types[0]->layout);
    for (uint32_t i = 0; i < shard->mesh->rank; i++)
        if (shard->attrs[i].kind == TF_ATTR_SPLIT)
            return OK_REFUSE(ctx, eval->call, PLACE_CODE_UNIT,
                "local: x is split over the mesh, and a program is evaluated as one, not as its units");
    return eval_reshard(ctx, eval);
}

int eval_meshcoord(tf_ctx *ctx, const struct tf_eval *eval)
{
    return OK_REFUSE(ctx, eval->call, PLACE_CODE_UNIT,
        "meshcoord: a program is evaluated as one, not as its units, so there is no coordinate");
}

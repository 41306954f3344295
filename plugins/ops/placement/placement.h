/* SPDX-License-Identifier: MIT
 * Private to the placement operators: where values are, and which unit this is.
 */
#ifndef TF_OPS_PLACEMENT_H
#define TF_OPS_PLACEMENT_H

#include "opkit.h"

/* Positions of a factored layout: each axis may be divided by every mesh axis. */
#define MAX_POSITIONS (TF_MAX_RANK + TF_MAX_MESH)

#define PLACE_CODE_UNIT "needs-units"

extern const struct tf_op op_reshard, op_local, op_meshcoord;

int eval_reshard(tf_ctx *ctx, const struct tf_eval *eval);
int eval_local(tf_ctx *ctx, const struct tf_eval *eval);
int eval_meshcoord(tf_ctx *ctx, const struct tf_eval *eval);

/* What one unit has of an extent that is divided among this many: NULL after a diagnostic. */
const struct tf_dim *share_of(
    tf_ctx *ctx, const struct tf_call *call, const struct tf_dim *extent, const struct tf_dim *units);
/* The shape of one unit's share, every split divided. */
int share_shape(tf_ctx *ctx, const struct tf_call *call, const struct tf_type *type, const struct tf_dim **shape);

#endif

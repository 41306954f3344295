/* SPDX-License-Identifier: MIT
 * Parameters as the mode has them.
 */
#include "eval/points.h"
#include "eval/runner.h"
#include "plugin/numbers.h"

/* A parameter's tensor, or in EXACT and BOUND mode its elements in f64. */
static struct tensor *param_value(struct runner *r, uint32_t i)
{
    const struct tf_type *type = r->function->params[i]->type;
    uint32_t held = held_dtype(r, type);
    if (r->mode == TF_EVAL_BOUND) {
        struct tensor *points = runner_tensor(r, type);
        if (points)
            points_set(&points->pub, points->count, r->params[i]->pub.data);
        return points;
    }
    if (held == type->dtype)
        return tensor_hold(r->params[i]);
    struct tensor *wide = runner_tensor(r, type);
    if (wide)
        number_load_f64(type->dtype, wide->count, r->params[i]->pub.data, wide->pub.data);
    return wide;
}

/* Blocks load what they read of a parameter themselves: it is wanted whole where something else reads it, too. */
int run_params(struct runner *r)
{
    for (uint32_t i = 0; i < r->function->n_params; i++) {
        if (r->rows.n_rows && r->mode != TF_EVAL_DECLARED && !r->rows.is_whole[r->function->params[i]->id])
            continue;
        struct tensor **to = value_room(value_of(r, r->function->params[i]), 1);
        *to = param_value(r, i);
        if (!*to)
            return TF_E_NOMEM;
    }
    return TF_OK;
}

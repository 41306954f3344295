/* SPDX-License-Identifier: MIT
 * Loops, as they are written.
 */
#include "eval/origin.h"
#include "eval/runner.h"
#include "plugin/numbers.h"
#include "util/diag.h"

#include <inttypes.h>
#include <string.h>

/* 0 where it is one number. */
static int loop_bound(struct runner *r, const struct tf_node *loop, uint32_t which, int64_t *number)
{
    const struct tf_loop *l = loop->loop;
    const struct tf_dim *dims[] = {l->start, l->extent, l->step};
    const struct tf_node *value = l->bound_value[which];
    if (!value) {
        *number = dims[which]->value;
        return TF_OK;
    }
    const struct tensor *tensor = value_of(r, value)->one;
    if (r->mode == TF_EVAL_BOUND && *(const double *)tensor->pub.data != *tensor->pub.bound) {
        ERROR(r->ctx, &loop->loc, "bound-open", "a legal implementation may take more than one count of trips here");
        return TF_E_REFUSED;
    }
    number_load_i64(r->mode == TF_EVAL_BOUND ? TF_DTYPE_F64 : tensor->pub.dtype, 1, tensor->pub.data, number);
    return TF_OK;
}

/* What a trip leaves: the values of the next trip's carries, or, of a loop that carries nothing, its value. */
static void keep_trip(struct runner *r, const struct tf_node *loop, struct value *kept, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        struct value *from = value_of(r, loop->loop->n_carries ? loop->loop->yields[i] : loop->loop->body);
        value_share(&kept[i], from, 0, from->n);
    }
}

static void drop_block(struct runner *r, uint32_t block)
{
    const struct schedule_block *b = &r->plan.blocks[block];
    for (size_t i = 0; i < b->nodes.n; i++)
        value_drop(value_of(r, b->nodes.at[i]));
}

static int run_trip(struct runner *r, const struct tf_node *loop, int64_t at, struct value *kept, uint32_t n)
{
    uint32_t block = r->plan.block_of[loop->id];
    for (uint32_t i = 0; i < loop->loop->n_carries; i++)
        value_share(value_of(r, loop->loop->carries[i]), &kept[i], 0, kept[i].n);
    for (uint32_t i = 0; i < n; i++)
        value_drop(&kept[i]);
    int rc = run_number(r, loop->loop->var, at);
    if (rc == TF_OK)
        rc = run_nodes(r, block);
    if (rc == TF_OK)
        keep_trip(r, loop, kept, n);
    drop_block(r, block);
    value_drop(value_of(r, loop->loop->var));
    for (uint32_t i = 0; i < loop->loop->n_carries; i++)
        value_drop(value_of(r, loop->loop->carries[i]));
    return rc;
}

static int run_trips(struct runner *r, const struct tf_node *loop, struct value *kept, uint32_t n)
{
    int64_t start, extent, step;
    if (loop_bound(r, loop, 0, &start) || loop_bound(r, loop, 1, &extent) || loop_bound(r, loop, 2, &step))
        return TF_E_REFUSED;
    if (step <= 0) {
        ERROR(r->ctx, &loop->loc, "loop-step", "the step of this loop is %" PRId64 "; it has to be positive", step);
        return TF_E_REFUSED;
    }
    if (start >= extent && !loop->loop->n_carries) {
        ERROR(r->ctx, &loop->loc, "no-trips", "this loop carries nothing and has no trips, so that it has no value");
        return TF_E_REFUSED;
    }
    int rc = TF_OK;
    for (int64_t at = start; rc == TF_OK && at < extent;) {
        rc = run_trip(r, loop, at, kept, n);
        if (__builtin_add_overflow(at, step, &at))
            break;
    }
    return rc;
}

int run_loop(struct runner *r, const struct tf_node *loop)
{
    uint32_t n = loop->loop->n_carries ? loop->loop->n_carries : 1;
    struct value *kept = xrealloc(NULL, n * sizeof(*kept));
    memset(kept, 0, n * sizeof(*kept));
    for (uint32_t i = 0; i < loop->loop->n_carries; i++)
        value_share(&kept[i], value_of(r, loop->in[i]), 0, value_of(r, loop->in[i])->n);
    int rc = run_trips(r, loop, kept, n);
    if (rc == TF_OK) {
        struct tensor **to = value_room(value_of(r, loop), leaf_count(loop->type));
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t k = 0; k < kept[i].n; k++)
                *to++ = tensor_hold(value_leaves(&kept[i])[k]);
    }
    for (uint32_t i = 0; i < n; i++)
        value_drop(&kept[i]);
    free(kept);
    return rc;
}

/* SPDX-License-Identifier: MIT
 * Numbers that are written in the program, and those that loops count with.
 */
#include "eval/points.h"
#include "eval/runner.h"
#include "plugin/numbers.h"
#include "util/diag.h"

#include <inttypes.h>
#include <string.h>

static int fits(uint32_t dtype, int64_t number)
{
    const struct tf_dtype_info *info = dtype_info(dtype);
    if (info->cls == TF_CLASS_FLOAT || info->bits == 64)
        return 1;
    if (info->cls == TF_CLASS_INT)
        return number >= -(INT64_C(1) << (info->bits - 1)) && number < INT64_C(1) << (info->bits - 1);
    return number >= 0 && number < INT64_C(1) << info->bits;
}

/* A single number, in memory as its dtype has it. */
static int set_element(struct runner *r, const struct tf_node *node, const void *element)
{
    struct tensor **to = value_room(value_of(r, node), 1);
    *to = runner_tensor(r, node->type);
    if (!*to)
        return TF_E_NOMEM;
    if (r->mode == TF_EVAL_BOUND)
        points_set(&(*to)->pub, 1, element);
    else
        memcpy((*to)->pub.data, element, number_bytes(held_dtype(r, node->type)));
    return TF_OK;
}

int run_number(struct runner *r, const struct tf_node *node, int64_t number)
{
    char element[8];
    number_store_i64(held_dtype(r, node->type), 1, &number, element, r->fp8_overflow);
    return set_element(r, node, element);
}

int run_const(struct runner *r, const struct tf_node *node)
{
    const struct tf_val *val = node->val;
    char element[8];
    if (val->kind == TF_VAL_FLOAT) {
        number_store_f64(held_dtype(r, node->type), 1, &val->u.f, element, r->fp8_overflow);
        return set_element(r, node, element);
    }
    if (fits(node->type->dtype, val->u.i))
        return run_number(r, node, val->u.i);
    ERROR(r->ctx, &node->loc, "constant-range", "%" PRId64 " is no %s", val->u.i, dtype_info(node->type->dtype)->name);
    return TF_E_REFUSED;
}

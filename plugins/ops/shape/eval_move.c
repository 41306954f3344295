/* SPDX-License-Identifier: MIT
 * Evaluation of what turns, joins and cuts values: elements are copied, none is changed.
 */
#include "shape.h"

#include "arraykit.h"

int shape_eval_reshape(tf_ctx *ctx, const struct tf_eval *eval)
{
    (void)ctx;
    int rc = ak_begin(eval);
    if (rc == TF_OK)
        ak_move_all(eval, eval->results[0], eval->args[0]);
    return rc;
}

int shape_eval_transpose(tf_ctx *ctx, const struct tf_eval *eval)
{
    (void)ctx;
    const struct tf_tensor *x = eval->args[0], *result = eval->results[0];
    const struct tf_val *perm = &eval->call->attrs[0];
    struct ak_box box = {0};
    int rc = ak_begin(eval);
    if (rc)
        return rc;
    for (uint32_t i = 0; i < x->rank; i++) {
        uint32_t axis = ak_axis(&perm->u.items[i], x->rank);
        ak_box_axis(&box, (size_t)x->extents[axis], ak_span(result, i + 1, x->rank), ak_span(x, axis + 1, x->rank));
    }
    ak_move(eval, &box, result, 0, x, 0);
    return TF_OK;
}

/* ---- side by side --------------------------------------------------------------------------------------------------*/

/* A part and a whole that agree but for their extent on an axis: the part is rows of `part` elements, which stand in
 * the whole's rows of `whole` elements. */
static struct ak_box rows_of(const struct tf_tensor *part, uint32_t axis, size_t part_row, size_t whole_row, int into)
{
    struct ak_box box = {0};
    ak_box_axis(&box, ak_span(part, 0, axis), into ? whole_row : part_row, into ? part_row : whole_row);
    ak_box_axis(&box, part_row, 1, 1);
    return box;
}

int shape_eval_concat(tf_ctx *ctx, const struct tf_eval *eval)
{
    (void)ctx;
    const struct tf_tensor *result = eval->results[0];
    uint32_t axis = ak_axis(&eval->call->attrs[0], result->rank);
    size_t whole = ak_span(result, axis, result->rank), at = 0;
    int rc = ak_begin(eval);
    for (uint32_t i = 0; rc == TF_OK && i < eval->n_args; i++) {
        const struct tf_tensor *part = eval->args[i];
        size_t row = ak_span(part, axis, part->rank);
        struct ak_box box = rows_of(part, axis, row, whole, 1);
        ak_move(eval, &box, result, at, part, 0);
        at += row;
    }
    return rc;
}

int shape_eval_stack(tf_ctx *ctx, const struct tf_eval *eval)
{
    (void)ctx;
    const struct tf_tensor *result = eval->results[0];
    uint32_t axis = ak_axis(&eval->call->attrs[0], result->rank);
    size_t whole = ak_span(result, axis, result->rank);
    int rc = ak_begin(eval);
    for (uint32_t i = 0; rc == TF_OK && i < eval->n_args; i++) {
        const struct tf_tensor *part = eval->args[i];
        size_t row = ak_span(part, axis, part->rank);
        struct ak_box box = rows_of(part, axis, row, whole, 1);
        ak_move(eval, &box, result, i * row, part, 0);
    }
    return rc;
}

int shape_eval_split(tf_ctx *ctx, const struct tf_eval *eval)
{
    (void)ctx;
    const struct tf_tensor *x = eval->args[0];
    uint32_t axis = ak_axis(&eval->call->attrs[0], x->rank);
    size_t whole = ak_span(x, axis, x->rank);
    int rc = ak_begin(eval);
    for (uint32_t i = 0; rc == TF_OK && i < eval->n_results; i++) {
        const struct tf_tensor *part = eval->results[i];
        size_t row = ak_span(part, axis, part->rank);
        struct ak_box box = rows_of(part, axis, row, whole, 0);
        ak_move(eval, &box, part, 0, x, i * row);
    }
    return rc;
}

/* Leaves of a tuple before one of its items. */
static uint32_t leaves_before(const struct tf_type *type, uint32_t item)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < item; i++) {
        const struct tf_type *field = type->fields[i];
        n += field->kind == TF_TYPE_TENSOR ? 1 : leaves_before(field, field->rank);
    }
    return n;
}

int shape_eval_tuple_get_item(tf_ctx *ctx, const struct tf_eval *eval)
{
    (void)ctx;
    uint32_t first = leaves_before(eval->call->arg_types[0], (uint32_t)ak_number(&eval->call->attrs[0]));
    int rc = ak_begin(eval);
    for (uint32_t i = 0; rc == TF_OK && i < eval->n_results; i++)
        ak_move_all(eval, eval->results[i], eval->args[first + i]);
    return rc;
}

int shape_eval_repeat_interleave(tf_ctx *ctx, const struct tf_eval *eval)
{
    (void)ctx;
    const struct tf_tensor *x = eval->args[0];
    size_t repeats = (size_t)ak_number(&eval->call->attrs[0]);
    uint32_t axis = ak_axis(&eval->call->attrs[1], x->rank);
    size_t row = ak_span(x, axis + 1, x->rank);
    struct ak_box box = {0};
    int rc = ak_begin(eval);
    if (rc)
        return rc;
    ak_box_axis(&box, ak_span(x, 0, axis + 1), repeats * row, row);
    ak_box_axis(&box, repeats, row, 0);
    ak_box_axis(&box, row, 1, 1);
    ak_move(eval, &box, eval->results[0], 0, x, 0);
    return TF_OK;
}

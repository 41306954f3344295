/* SPDX-License-Identifier: MIT
 *
 * Over what the steps vary, and that operands which are repeated are repeated along rows or groups and not across them.
 */
#include "rows.h"

#include "pathkit.h"

/* Of the operand, seen along the result's axis, which it stands against at the right. */
static size_t extent_along(const struct tf_type *result, const struct tf_type *operand, uint32_t axis)
{
    size_t n = 1;
    uint32_t lead = result->rank - operand->rank;
    return axis < lead || !pk_extent(operand, axis - lead, &n) ? 1 : n;
}

/* Whether the result's last axes have `inner` elements, and the operand is whole on one side of them and of one element
 * on the other. */
static int is_repeated(const struct tf_type *result, const struct tf_type *operand, size_t inner, int along_inner)
{
    size_t n, product = 1;
    uint32_t axis = result->rank;
    if (operand->rank > result->rank)
        return 0;
    while (axis && (product < inner || (pk_extent(result, axis - 1, &n) && n == 1))) {
        axis--;
        if (!pk_extent(result, axis, &n) || extent_along(result, operand, axis) != (along_inner ? 1 : n))
            return 0;
        product *= n;
    }
    while (product == inner && axis) {
        axis--;
        if (!pk_extent(result, axis, &n) || extent_along(result, operand, axis) != (along_inner ? n : 1))
            return 0;
    }
    return product == inner;
}

static int fits(const struct rows *r, const struct step *step, uint32_t k)
{
    const struct tf_type *result = step->node->type, *operand = step->node->in[k]->type;
    enum span span = r->steps[step->in[k]].span;
    size_t n = 0, m = 0;
    if (!pk_elements(result, &m) || !pk_elements(operand, &n))
        return 0;
    if (span == step->span)
        return n == m;
    if (span == SPAN_ONE)
        return n == 1;
    if (step->span != SPAN_EACH || m != r->count * r->length)
        return 0;
    if (span == SPAN_LANE)
        return is_repeated(result, operand, r->length, 0);
    return is_repeated(result, operand, span == SPAN_ROW ? r->length : r->group, 1);
}

static int measure_param(struct rows *r, struct step *step)
{
    size_t n;
    if (!pk_elements(step->node->type, &n))
        return rows_refuse(r, step->node, "an extent is not known, or is 0");
    if (n != r->count * r->length && n != r->length)
        return rows_refuse(r, step->node, "a parameter has neither the rows' elements nor those of one row");
    step->span = n == r->count * r->length ? SPAN_EACH : SPAN_LANE;
    return TF_OK;
}

static int measure_reduction(struct rows *r, struct step *step)
{
    int is_row = step->op == STEP_SUM || step->op == STEP_MEAN;
    if (r->steps[step->in[0]].span != SPAN_EACH)
        return rows_refuse(r, step->node, "it reduces something other than rows");
    if (!is_row && r->length % r->group != 0)
        return rows_refuse(r, step->node, "its groups do not make up a row");
    step->span = is_row ? SPAN_ROW : SPAN_GROUP;
    return TF_OK;
}

static int measure_operation(struct rows *r, struct step *step)
{
    step->span = SPAN_ONE;
    for (uint32_t i = 0; i < step->n_in; i++)
        step->span = r->steps[step->in[i]].span > step->span ? r->steps[step->in[i]].span : step->span;
    for (uint32_t i = 0; step->is_written && i < step->n_in; i++)
        if (!fits(r, step, i))
            return rows_refuse(r, step->node, "its operands do not stand beside each other as rows and weights do");
    return TF_OK;
}

int rows_measure(struct rows *r)
{
    int status = TF_OK;
    if (!r->length)
        return rows_refuse(r, NULL, "nothing is summed along rows");
    for (uint32_t i = 0; status == TF_OK && i < r->n_steps; i++) {
        struct step *step = &r->steps[i];
        if (step->op == STEP_PARAM)
            status = measure_param(r, step);
        else if (step->op == STEP_NUMBER)
            step->span = SPAN_ONE;
        else if (step->op >= STEP_SUM)
            status = measure_reduction(r, step);
        else
            status = measure_operation(r, step);
    }
    return status;
}

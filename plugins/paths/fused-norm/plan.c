/* SPDX-License-Identifier: MIT
 * Which loop computes what.
 */
#include "lower.h"

#define MOST_IN_TILE 2048 /* floats */

static int is_sum(const struct step *step)
{
    return step->op == STEP_SUM || step->op == STEP_MEAN;
}

static void find_stages(struct plan *p)
{
    const struct rows *r = p->rows;
    for (uint32_t i = 0; i < r->n_steps; i++) {
        const struct step *step = &r->steps[i];
        for (uint32_t k = 0; k < step->n_in; k++)
            if (p->stage[step->in[k]] > p->stage[i])
                p->stage[i] = p->stage[step->in[k]];
        p->stage[i] += step->op >= STEP_SUM;
        if (is_sum(step) && p->stage[i] > p->last)
            p->last = p->stage[i];
    }
}

/* A sum of inputs would else be added up in each loop; all others are cheaper to make anew than to keep. */
static void find_kept(struct plan *p)
{
    const struct rows *r = p->rows;
    p->kept = NO_STEP;
    for (uint32_t i = 0; i < r->n_steps; i++)
        if (is_sum(&r->steps[i]) && r->steps[r->steps[i].base].op == STEP_ADD)
            p->kept = r->steps[i].base;
}

static void note_use(struct plan *p, const struct step *step, uint32_t from, uint32_t stage)
{
    const struct step *source = &p->rows->steps[from];
    int is_far = stage > p->last && p->stage[from] <= p->last,
        is_wide = source->op == STEP_PARAM && source->dtype == TF_DTYPE_F32;
    if (step->span != SPAN_EACH)
        return;
    if (is_far && source->span == SPAN_EACH && !p->is_held[from]) {
        p->is_held[from] = 1;
        p->n_held++;
    }
    if (source->span == SPAN_LANE && !is_wide && !p->is_made[from]) {
        p->is_made[from] = 1;
        p->n_made++;
    }
}

/* A NaN of bf16 has zeros where its bits are cut off again, and so has what makes a new one. */
static int all_bf16(const struct rows *r)
{
    for (uint32_t i = 0; i < r->n_steps; i++) {
        const struct step *step = &r->steps[i];
        if ((step->op == STEP_PARAM && step->dtype != TF_DTYPE_BF16) ||
            (step->op == STEP_NUMBER && step->number != step->number))
            return 0;
    }
    return 1;
}

static int is_clamp_to(const struct step *step, double limit)
{
    return step->op == STEP_CLAMP && step->high == limit && step->low == -limit;
}

static uint32_t only_codes(const struct plan *p)
{
    uint32_t found = NO_STEP;
    for (uint32_t i = 0; i < p->rows->n_steps; i++)
        if (p->is_output[i] && p->rows->steps[i].span == SPAN_EACH && p->stage[i] > p->last) {
            if (found != NO_STEP || !(p->rows->steps[i].roles & ROLE_CODES))
                return NO_STEP;
            found = i;
        }
    return found;
}

static void find_quotient(struct plan *p)
{
    const struct rows *r = p->rows;
    uint32_t codes = only_codes(p);
    p->codes = p->divided = p->scale = NO_STEP;
    if (codes == NO_STEP || p->largest == NO_STEP)
        return;
    const struct step *step = &r->steps[r->steps[codes].in[0]];
    if (is_clamp_to(step, r->steps[codes].dtype == TF_DTYPE_FP8E4M3 ? 448 : 57344))
        step = &r->steps[step->in[0]];
    if (step->op != STEP_DIV || step->dtype != TF_DTYPE_F32 || r->steps[step->in[1]].span != SPAN_GROUP ||
        step->in[0] != r->steps[p->largest].in[0])
        return;
    p->codes = codes;
    p->divided = step->in[0];
    p->scale = step->in[1];
}

/* It is rounded to bf16, and only for codes. */
static int only_divided(const struct plan *p)
{
    const struct rows *r = p->rows;
    const struct step *divided = &r->steps[p->divided];
    int rounds = divided->op == STEP_MUL || divided->op == STEP_ADD || divided->op == STEP_DIV ||
                 (divided->op == STEP_CAST && r->steps[divided->in[0]].dtype != TF_DTYPE_BF16);
    for (uint32_t i = 0; i < r->n_steps; i++)
        for (uint32_t k = 0; k < r->steps[i].n_in; k++)
            if (r->steps[i].in[k] == p->divided && p->stage[i] <= p->last)
                return 0;
    return p->is_bf16 && divided->dtype == TF_DTYPE_BF16 && rounds && !p->is_output[p->divided];
}

/* As many groups as lie in the nearest cache. */
static size_t find_tile(const struct rows *r)
{
    size_t groups = r->group ? r->length / r->group : 1, tile = groups;
    while (groups % tile != 0 || (tile > 1 && tile * r->group > MOST_IN_TILE))
        tile--;
    return tile;
}

void plan_make(struct plan *p, const struct rows *rows)
{
    *p = (struct plan){.rows = rows, .is_bf16 = all_bf16(rows)};
    find_stages(p);
    find_kept(p);
    for (uint32_t i = 0; i < rows->n_steps; i++)
        for (uint32_t k = 0; k < rows->steps[i].n_in; k++)
            note_use(p, &rows->steps[i], rows->steps[i].in[k], p->stage[i]);
    for (uint32_t i = 0; i < rows->n_outputs; i++)
        p->is_output[rows->outputs[i]] = 1;
    p->largest = NO_STEP;
    for (uint32_t i = 0; i < rows->n_steps; i++)
        if (rows->steps[i].op == STEP_LARGEST || rows->steps[i].op == STEP_ABS_MAX)
            p->largest = i;
    find_quotient(p);
    p->is_uncut = p->divided != NO_STEP && only_divided(p);
    p->tile = find_tile(rows);
}

void plan_needs(const struct plan *p, enum loop loop, uint32_t stage, const uint8_t *wanted, uint8_t *needed)
{
    const struct rows *r = p->rows;
    memset(needed, 0, MOST_STEPS);
    for (uint32_t i = r->n_steps; i-- > 0;) {
        const struct step *step = &r->steps[i];
        if (step->span != SPAN_EACH || !(needed[i] || wanted[i])) {
            needed[i] = 0;
            continue;
        }
        int is_filled = i == p->kept && !(loop == LOOP_FILL && stage == p->stage[i]);
        needed[i] = is_filled || (loop == LOOP_CODES && p->is_held[i]) ? AT_HAND : 1;
        for (uint32_t k = 0; needed[i] == 1 && k < step->n_in; k++)
            needed[step->in[k]] = 1;
    }
}

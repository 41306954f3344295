/* SPDX-License-Identifier: MIT
 * Which loop computes what.
 */
#include "lower.h"

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

static int is_clamp_to(const struct step *step, double limit)
{
    return step->op == STEP_CLAMP && step->high == limit && step->low == -limit;
}

int plan_quotient(const struct plan *p, uint32_t *codes, uint32_t *divided, uint32_t *scale)
{
    const struct rows *r = p->rows;
    const struct step *step = NULL;
    uint32_t n = 0;
    for (uint32_t i = 0; i < r->n_steps; i++)
        if (p->is_output[i] && r->steps[i].span == SPAN_EACH && p->stage[i] > p->last) {
            *codes = i;
            step = &r->steps[i];
            n++;
        }
    if (n != 1 || !(step->roles & ROLE_CODES))
        return 0;
    double limit = step->dtype == TF_DTYPE_FP8E4M3 ? 448 : 57344;
    step = &r->steps[step->in[0]];
    if (is_clamp_to(step, limit))
        step = &r->steps[step->in[0]];
    if (step->op != STEP_DIV || step->dtype != TF_DTYPE_F32 || r->steps[step->in[1]].span != SPAN_GROUP ||
        !p->is_held[step->in[0]])
        return 0;
    *divided = step->in[0];
    *scale = step->in[1];
    return 1;
}

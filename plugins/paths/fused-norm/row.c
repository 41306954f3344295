/* SPDX-License-Identifier: MIT
 * The function of one row: loops over what plan.c says.
 */
#include "lower.h"

#define EIGHT 8

static void add_line(struct pk_text *out, uint32_t depth, const char *text)
{
    pk_add(out, "%*s%s\n", (int)(4 * depth), "", text);
}

/* Computes what is needed; what is at hand is read. */
static void add_steps(struct pk_text *out, const struct plan *p, const uint8_t *needed, uint32_t depth)
{
    tf_ctx *ctx = out->ctx;
    for (uint32_t i = 0; i < p->rows->n_steps; i++) {
        const struct step *step = &p->rows->steps[i];
        const char *text = !needed[i]             ? NULL
                           : needed[i] != AT_HAND ? compute_text(ctx, p, i)
                           : i == p->kept         ? "kept[i]"
                                                  : tf_host->format(ctx, "held%u[j]", i);
        if (text)
            add_line(out, depth,
                tf_host->format(ctx, "const %s v%u = %s;", step->roles & ROLE_CODES ? "uint8_t" : "float", i, text));
    }
}

static void store_outputs(
    struct pk_text *out, const struct plan *p, const uint8_t *wanted, const char *place, uint32_t depth)
{
    for (uint32_t k = 0; k < p->rows->n_outputs; k++) {
        uint32_t at = p->rows->outputs[k];
        const struct step *step = &p->rows->steps[at];
        const char *value = value_text(out->ctx, p, at);
        if (!wanted[at])
            continue;
        if (!(step->roles & ROLE_CODES))
            value = stored_text(out->ctx, p->rows->output_dtypes[k], value);
        add_line(out, depth, tf_host->format(out->ctx, "out%u[%s] = %s;", k, place, value));
    }
}

/* ---- loops of sums ------------------------------------------------------------------------------------------------*/

static int is_sum_at(const struct plan *p, uint32_t at, uint32_t stage)
{
    const struct step *step = &p->rows->steps[at];
    return (step->op == STEP_SUM || step->op == STEP_MEAN) && p->stage[at] == stage + 1;
}

static void add_fill(struct pk_text *out, const struct plan *p, uint32_t stage)
{
    uint8_t wanted[MOST_STEPS] = {0}, needed[MOST_STEPS];
    int any = 0;
    for (uint32_t i = 0; i < p->rows->n_steps; i++) {
        int is_here = p->rows->steps[i].span == SPAN_EACH && p->stage[i] == stage;
        wanted[i] = (uint8_t)(is_here && (i == p->kept || p->is_output[i]));
        any |= wanted[i];
    }
    if (!any)
        return;
    plan_needs(p, LOOP_FILL, stage, wanted, needed);
    pk_add(out, "    OMP(simd)\n    for (size_t i = 0; i < %zu; i++) {\n", p->rows->length);
    add_steps(out, p, needed, 2);
    if (p->kept != NO_STEP && wanted[p->kept])
        pk_add(out, "        kept[i] = v%u;\n", p->kept);
    store_outputs(out, p, wanted, "i", 2);
    pk_add(out, "    }\n");
}

/* One turn adds the elements of a group of eight, from left to right. */
static void add_eight(struct pk_text *out, const struct plan *p, uint32_t stage, size_t n, const char *group)
{
    uint8_t wanted[MOST_STEPS] = {0}, needed[MOST_STEPS];
    for (uint32_t i = 0; i < p->rows->n_steps; i++)
        if (is_sum_at(p, i, stage)) {
            wanted[p->rows->steps[i].in[0]] = 1;
            pk_add(out, "        float sum%u = 0;\n", i);
        }
    plan_needs(p, LOOP_SUM, stage, wanted, needed);
    pk_add(out, "        for (size_t k = 0; k < %zu; k++) {\n            const size_t i = %d * %s + k;\n", n, EIGHT,
        group);
    add_steps(out, p, needed, 3);
    for (uint32_t i = 0; i < p->rows->n_steps; i++)
        if (is_sum_at(p, i, stage))
            pk_add(out, "            sum%u += v%u;\n", i, p->rows->steps[i].in[0]);
    pk_add(out, "        }\n");
    for (uint32_t i = 0; i < p->rows->n_steps; i++)
        if (is_sum_at(p, i, stage))
            pk_add(out, "        part%u[%s] = sum%u;\n", i, group, i);
}

static void add_sums(struct pk_text *out, const struct plan *p, uint32_t stage)
{
    size_t whole = p->rows->length / EIGHT, rest = p->rows->length % EIGHT;
    if (whole) {
        pk_add(out, "    OMP(simd)\n    for (size_t e = 0; e < %zu; e++) {\n", whole);
        add_eight(out, p, stage, EIGHT, "e");
        pk_add(out, "    }\n");
    }
    if (rest) {
        pk_add(out, "    {\n        const size_t e = %zu;\n", whole);
        add_eight(out, p, stage, rest, "e");
        pk_add(out, "    }\n");
    }
}

/* Steps of one value for a row, or for a group, once what they are of is known. */
static void add_few(struct pk_text *out, const struct plan *p, enum span span, uint32_t stage, uint32_t depth)
{
    for (uint32_t i = 0; i < p->rows->n_steps; i++)
        if (p->rows->steps[i].span == span && p->stage[i] == stage)
            add_line(out, depth,
                tf_host->format(
                    out->ctx, "const float %s = %s;", value_text(out->ctx, p, i), compute_text(out->ctx, p, i)));
}

/* ---- the loops after all sums -------------------------------------------------------------------------------------*/

static uint32_t largest_step(const struct plan *p)
{
    for (uint32_t i = 0; i < p->rows->n_steps; i++)
        if (p->rows->steps[i].op == STEP_LARGEST || p->rows->steps[i].op == STEP_ABS_MAX)
            return i;
    return NO_STEP;
}

static void wanted_outputs(const struct plan *p, uint32_t stage, uint8_t *wanted)
{
    for (uint32_t i = 0; i < p->rows->n_steps; i++)
        wanted[i] |= (uint8_t)(p->is_output[i] && p->rows->steps[i].span == SPAN_EACH && p->stage[i] == stage);
}

static void add_whole(struct pk_text *out, const struct plan *p)
{
    uint8_t wanted[MOST_STEPS] = {0}, needed[MOST_STEPS];
    wanted_outputs(p, p->last, wanted);
    plan_needs(p, LOOP_WHOLE, p->last, wanted, needed);
    pk_add(out, "    OMP(simd)\n    for (size_t i = 0; i < %zu; i++) {\n", p->rows->length);
    add_steps(out, p, needed, 2);
    store_outputs(out, p, wanted, "i", 2);
    pk_add(out, "    }\n");
}

/* A group's numbers, and the largest magnitude among them: sizes of floats order as their bits do, NaN last. */
static void add_largest(struct pk_text *out, const struct plan *p, uint32_t largest)
{
    uint8_t wanted[MOST_STEPS] = {0}, needed[MOST_STEPS];
    uint32_t of = p->rows->steps[largest].in[0];
    wanted_outputs(p, p->last, wanted);
    for (uint32_t i = 0; i < p->rows->n_steps; i++)
        wanted[i] |= (uint8_t)(p->is_held[i] || i == of);
    plan_needs(p, LOOP_WHOLE, p->last, wanted, needed);
    pk_add(out,
        "        uint32_t most = 0;\n        OMP(simd reduction(max : most))\n"
        "        for (size_t j = 0; j < %zu; j++) {\n            const size_t i = q * %zu + j;\n",
        p->rows->group, p->rows->group);
    add_steps(out, p, needed, 3);
    for (uint32_t i = 0; i < p->rows->n_steps; i++)
        if (p->is_held[i])
            pk_add(out, "            held%u[j] = v%u;\n", i, i);
    store_outputs(out, p, wanted, "i", 3);
    pk_add(out,
        "            const uint32_t size = bits_of_f32(v%u) & 0x7fffffffu;\n"
        "            most = size > most ? size : most;\n        }\n",
        of);
}

static void add_codes(struct pk_text *out, const struct plan *p, uint32_t depth)
{
    uint8_t wanted[MOST_STEPS] = {0}, needed[MOST_STEPS];
    wanted_outputs(p, p->last + 1, wanted);
    plan_needs(p, LOOP_CODES, p->last + 1, wanted, needed);
    add_line(out, depth, "OMP(simd)");
    add_line(out, depth, tf_host->format(out->ctx, "for (size_t j = 0; j < %zu; j++) {", p->rows->group));
    add_line(out, depth + 1, tf_host->format(out->ctx, "const size_t i = q * %zu + j;", p->rows->group));
    add_steps(out, p, needed, depth + 1);
    store_outputs(out, p, wanted, "i", depth + 1);
    add_line(out, depth, "}");
}

static uint32_t output_of(const struct plan *p, uint32_t step)
{
    uint32_t k = 0;
    while (p->rows->outputs[k] != step)
        k++;
    return k;
}

static const char QUICK[] =
    "        if (divides_quickly(%2$s, g%7$u, %3$s)) {\n"
    "            const float inverse = 1 / %2$s;\n            OMP(simd)\n"
    "            for (size_t j = 0; j < %1$zu; j++) {\n"
    "                const uint32_t bits = bits_of_f32(held%4$u[j]);\n"
    "                const float size = f32_of_bits(bits & 0x7fffffffu), near = size * inverse;\n"
    "                const float quotient = fmaf(fmaf(-near, %2$s, size), inverse, near);\n"
    "                code[j] = %5$s_within(quotient) | (bits >> 24 & 0x80);\n            }\n            OMP(simd)\n"
    "            for (size_t j = 0; j < %1$zu; j++)\n                out%6$u[q * %1$zu + j] = (uint8_t)code[j];\n"
    "            continue;\n        }\n";

/* What no conversion saturates or loses: less than halfway past the largest code. */
static const char *largest_quotient(uint32_t dtype)
{
    return dtype == TF_DTYPE_FP8E4M3 ? "460.0f" : "59392.0f";
}

static void add_quick(struct pk_text *out, const struct plan *p, uint32_t largest)
{
    uint32_t codes, divided, scale;
    if (!plan_quotient(p, &codes, &divided, &scale))
        return;
    uint32_t dtype = p->rows->steps[codes].dtype;
    pk_add(out, QUICK, p->rows->group, value_text(out->ctx, p, scale), largest_quotient(dtype), divided,
        tf_host->dtype(dtype)->name, output_of(p, codes), largest);
}

static void add_groups(struct pk_text *out, const struct plan *p, uint32_t largest)
{
    const struct rows *r = p->rows;
    uint8_t wanted[MOST_STEPS] = {0}, divided[MOST_STEPS] = {0};
    int any = 0;
    for (uint32_t i = 0; i < r->n_steps; i++)
        wanted[i] = (uint8_t)(p->is_output[i] && r->steps[i].span == SPAN_GROUP);
    wanted_outputs(p, p->last + 1, divided);
    for (uint32_t i = 0; i < r->n_steps; i++)
        any |= divided[i];
    pk_add(out, "    for (size_t q = 0; q < %zu; q++) {\n", r->length / r->group);
    add_largest(out, p, largest);
    add_few(out, p, SPAN_GROUP, p->last + 1, 2);
    store_outputs(out, p, wanted, "q", 2);
    if (any) {
        add_quick(out, p, largest);
        add_codes(out, p, 2);
    }
    pk_add(out, "    }\n");
}

/* ---- the function -------------------------------------------------------------------------------------------------*/

static size_t lined(size_t n)
{
    return (n + 15) / 16 * 16;
}

static int has_codes(const struct plan *p)
{
    uint32_t codes, divided, scale;
    return plan_quotient(p, &codes, &divided, &scale);
}

size_t row_room(const struct plan *p)
{
    const struct rows *r = p->rows;
    size_t n = p->kept != NO_STEP ? lined(r->length) : 0;
    for (uint32_t i = 0; i < r->n_steps; i++)
        n += r->steps[i].op == STEP_SUM || r->steps[i].op == STEP_MEAN ? lined((r->length + 7) / 8) : 0;
    return n + (p->n_held + (size_t)has_codes(p)) * lined(r->group);
}

static void add_room(struct pk_text *out, const struct plan *p)
{
    const struct rows *r = p->rows;
    size_t at = 0;
    if (p->kept != NO_STEP) {
        pk_add(out, "    float *const kept = room;\n");
        at += lined(r->length);
    }
    for (uint32_t i = 0; i < r->n_steps; i++) {
        int is_sum = r->steps[i].op == STEP_SUM || r->steps[i].op == STEP_MEAN;
        if (is_sum || p->is_held[i])
            pk_add(out, "    float *const %s%u = room + %zu;\n", is_sum ? "part" : "held", i, at);
        at += is_sum ? lined((r->length + 7) / 8) : p->is_held[i] ? lined(r->group) : 0;
    }
    if (has_codes(p))
        pk_add(out, "    uint32_t *const code = (uint32_t *)(void *)(room + %zu);\n", at);
}

static void add_pointers(struct pk_text *out, const struct plan *p)
{
    const struct rows *r = p->rows;
    uint32_t made = 0;
    for (uint32_t i = 0; i < r->n_steps; i++) {
        const struct step *step = &r->steps[i];
        const char *type = element_type(step->dtype);
        if (step->op == STEP_PARAM && step->span == SPAN_EACH)
            pk_add(out, "    const %s *const x%u = (const %s *)args[%u] + r * %zu;\n", type, step->param, type,
                step->param, r->length);
        if (p->is_made[i])
            pk_add(out, "    const float *const w%u = weights + %zu;\n", i, made++ * lined(r->length));
        else if (step->op == STEP_PARAM && step->span == SPAN_LANE && step->dtype == TF_DTYPE_F32)
            pk_add(out, "    const float *const in%u = args[%u];\n", step->param, step->param);
    }
    for (uint32_t k = 0; k < r->n_outputs; k++) {
        const struct step *step = &r->steps[r->outputs[k]];
        size_t n = step->span == SPAN_EACH ? r->length : step->span == SPAN_ROW ? 1 : r->length / r->group;
        const char *type = element_type(r->output_dtypes[k]);
        pk_add(out, "    %s *const out%u = (%s *)results[%u] + r * %zu;\n", type, k, type, k, n);
    }
}

void row_add(struct pk_text *out, const struct plan *p)
{
    uint8_t wanted[MOST_STEPS] = {0};
    uint32_t largest = largest_step(p);
    pk_add(out,
        "static void make_row(const void *const *args, void *const *results, const float *weights, float *room, size_t "
        "r)\n{\n");
    add_pointers(out, p);
    add_room(out, p);
    if (!p->n_made)
        pk_add(out, "    (void)weights;\n");
    for (uint32_t stage = 0; stage < p->last; stage++) {
        add_fill(out, p, stage);
        add_sums(out, p, stage);
        add_few(out, p, SPAN_ROW, stage + 1, 1);
    }
    for (uint32_t i = 0; i < p->rows->n_steps; i++)
        wanted[i] = (uint8_t)(p->is_output[i] && p->rows->steps[i].span == SPAN_ROW);
    store_outputs(out, p, wanted, "0", 1);
    if (largest == NO_STEP)
        add_whole(out, p);
    else
        add_groups(out, p, largest);
    pk_add(out, "}\n");
}

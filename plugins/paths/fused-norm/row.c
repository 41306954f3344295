/* SPDX-License-Identifier: MIT
 * The function of one row: loops over what plan.c says.
 */
#include "lower.h"

#define EIGHT 8   /* elements that are added in f32 */
#define BESIDE 16 /* groups of them at once */
#define PIECE 256 /* elements before which memory is asked for others */

static void add_line(struct pk_text *out, uint32_t depth, const char *text)
{
    pk_add(out, "%*s%s\n", (int)(4 * depth), "", text);
}

static const char *at_hand_text(tf_ctx *ctx, const struct plan *p, uint32_t at)
{
    if (at == p->kept)
        return "kept[i]";
    if (at != p->divided)
        return tf_host->format(ctx, "held%u[k]", at);
    return tf_host->format(ctx, p->is_uncut ? "f32_of_bits(bits%u[k] & 0xffff0000u)" : "f32_of_bits(bits%u[k])", at);
}

static void add_step(struct pk_text *out, const struct plan *p, uint32_t at, const char *text, uint32_t depth)
{
    const char *type = p->rows->steps[at].roles & ROLE_CODES ? "uint8_t" : "float";
    add_line(out, depth, tf_host->format(out->ctx, "const %s v%u = %s;", type, at, text));
}

/* Computes what is needed; what is at hand is read. */
static void add_steps(struct pk_text *out, const struct plan *p, const uint8_t *needed, uint32_t depth)
{
    for (uint32_t i = 0; i < p->rows->n_steps; i++)
        if (needed[i])
            add_step(
                out, p, i, needed[i] == AT_HAND ? at_hand_text(out->ctx, p, i) : compute_text(out->ctx, p, i), depth);
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

/* What the sums of a stage need of each element. */
static void need_sums(const struct plan *p, uint32_t stage, uint8_t *needed)
{
    uint8_t wanted[MOST_STEPS] = {0};
    for (uint32_t i = 0; i < p->rows->n_steps; i++)
        if (is_sum_at(p, i, stage))
            wanted[p->rows->steps[i].in[0]] = 1;
    plan_needs(p, LOOP_SUM, stage, wanted, needed);
}

static void add_to_sums(struct pk_text *out, const struct plan *p, uint32_t stage, uint32_t depth)
{
    for (uint32_t i = 0; i < p->rows->n_steps; i++)
        if (is_sum_at(p, i, stage))
            add_line(out, depth, tf_host->format(out->ctx, "sum%u += v%u;", i, p->rows->steps[i].in[0]));
}

/* Before and after a group of eight is added up from left to right. */
static void begin_eight(struct pk_text *out, const struct plan *p, uint32_t stage, uint32_t depth)
{
    for (uint32_t i = 0; i < p->rows->n_steps; i++)
        if (is_sum_at(p, i, stage))
            add_line(out, depth, tf_host->format(out->ctx, "float sum%u = 0;", i));
}

static void end_eight(struct pk_text *out, const struct plan *p, uint32_t stage, const char *group, uint32_t depth)
{
    for (uint32_t i = 0; i < p->rows->n_steps; i++)
        if (is_sum_at(p, i, stage))
            add_line(out, depth, tf_host->format(out->ctx, "part%u[%s] = sum%u;", i, group, i));
}

/* What a block of a row adds up, then its sums of eight.  The last eight are filled up with zeros, which change nothing:
 * a sum that begins at +0 is never -0. */
static void add_block(struct pk_text *out, const struct plan *p, uint32_t stage, const char *first, size_t n)
{
    tf_ctx *ctx = out->ctx;
    uint8_t needed[MOST_STEPS];
    need_sums(p, stage, needed);
    for (uint32_t i = 0; i < p->rows->n_steps; i++)
        if (is_sum_at(p, i, stage))
            add_line(out, 2, tf_host->format(ctx, "float term%u[%d]%s;", i, BESIDE * EIGHT, n % EIGHT ? " = {0}" : ""));
    add_line(out, 2, "OMP(simd)");
    add_line(out, 2, tf_host->format(ctx, "for (size_t k = 0; k < %zu; k++) {", n));
    add_line(out, 3, tf_host->format(ctx, "const size_t i = %s + k;", first));
    add_steps(out, p, needed, 3);
    for (uint32_t i = 0; i < p->rows->n_steps; i++)
        if (is_sum_at(p, i, stage))
            add_line(out, 3, tf_host->format(ctx, "term%u[k] = v%u;", i, p->rows->steps[i].in[0]));
    add_line(out, 2, "}");
    add_line(out, 2, "OMP(simd)");
    add_line(out, 2, tf_host->format(ctx, "for (size_t e = 0; e < %zu; e++) {", (n + EIGHT - 1) / EIGHT));
    for (uint32_t i = 0; i < p->rows->n_steps; i++)
        if (is_sum_at(p, i, stage))
            add_line(out, 3, tf_host->format(ctx, "part%u[%s / 8 + e] = sum_of_eight(term%u + 8 * e);", i, first, i));
    add_line(out, 2, "}");
}

/* Whether all that is added up comes from numbers of bf16 as they lie in memory. */
static int is_of_pairs(const struct plan *p, const uint8_t *needed)
{
    int any = 0;
    for (uint32_t i = 0; i < p->rows->n_steps; i++) {
        const struct step *step = &p->rows->steps[i];
        if (needed[i] == AT_HAND || (needed[i] && step->op == STEP_PARAM && step->dtype != TF_DTYPE_BF16))
            return 0;
        for (uint32_t k = 0; needed[i] && k < step->n_in; k++)
            if (p->rows->steps[step->in[k]].span == SPAN_LANE)
                return 0;
        any |= needed[i];
    }
    return any;
}

/* One element of a pair after the other. */
static void add_half(struct pk_text *out, const struct plan *p, const uint8_t *needed, uint32_t stage, const char *half)
{
    add_line(out, 4, "{");
    for (uint32_t i = 0; i < p->rows->n_steps; i++) {
        const struct step *step = &p->rows->steps[i];
        const char *text = needed[i] && step->op == STEP_PARAM
                               ? tf_host->format(out->ctx, "%s_bf16(pair%u[%d * e + k])", half, step->param, EIGHT / 2)
                               : NULL;
        if (needed[i])
            add_step(out, p, i, text ? text : compute_text(out->ctx, p, i), 5);
    }
    add_to_sums(out, p, stage, 5);
    add_line(out, 4, "}");
}

/* Groups of eight side by side, in vectors: of neighbours that are read as one number, half as many have to change
 * places. */
static void add_pairs(struct pk_text *out, const struct plan *p, const uint8_t *needed, uint32_t stage, size_t blocks)
{
    pk_add(out, "    for (size_t b = 0; b < %zu; b++) {\n", blocks);
    for (uint32_t i = 0; i < p->rows->n_steps; i++)
        if (needed[i] && p->rows->steps[i].op == STEP_PARAM)
            pk_add(out,
                "        uint32_t pair%1$u[%2$d];\n        memcpy(pair%1$u, x%1$u + %3$d * b, sizeof(pair%1$u));\n",
                p->rows->steps[i].param, BESIDE * EIGHT / 2, BESIDE * EIGHT);
    pk_add(out, "        OMP(simd)\n        for (size_t e = 0; e < %d; e++) {\n", BESIDE);
    begin_eight(out, p, stage, 3);
    pk_add(out, "            for (size_t k = 0; k < %d; k++) {\n", EIGHT / 2);
    add_half(out, p, needed, stage, "first");
    add_half(out, p, needed, stage, "second");
    pk_add(out, "            }\n");
    end_eight(out, p, stage, tf_host->format(out->ctx, "%d * b + e", BESIDE), 3);
    pk_add(out, "        }\n    }\n");
}

static void add_sums(struct pk_text *out, const struct plan *p, uint32_t stage)
{
    size_t n = p->rows->length, block = BESIDE * EIGHT, whole = n / block;
    uint8_t needed[MOST_STEPS];
    need_sums(p, stage, needed);
    if (whole && is_of_pairs(p, needed))
        add_pairs(out, p, needed, stage, whole);
    else if (whole) {
        pk_add(out, "    for (size_t b = 0; b < %zu; b += %zu) {\n", whole * block, block);
        add_block(out, p, stage, "b", block);
        pk_add(out, "    }\n");
    }
    if (n % block) {
        pk_add(out, "    {\n");
        add_block(out, p, stage, tf_host->format(out->ctx, "%zu", whole * block), n % block);
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

static void wanted_outputs(const struct plan *p, uint32_t stage, uint8_t *wanted)
{
    for (uint32_t i = 0; i < p->rows->n_steps; i++)
        wanted[i] |= (uint8_t)(p->is_output[i] && p->rows->steps[i].span == SPAN_EACH && p->stage[i] == stage);
}

/* Memory is asked for what the next row reads and writes while this one is computed: n elements from `from` on. */
static void ask_ahead(struct pk_text *out, const struct plan *p, const char *from, size_t n, uint32_t depth)
{
    const struct rows *r = p->rows;
    for (uint32_t i = 0; i < r->n_steps; i++) {
        uint32_t bytes = tf_host->element_bytes(r->steps[i].dtype);
        if (r->steps[i].op == STEP_PARAM && r->steps[i].span == SPAN_EACH)
            add_line(out, depth,
                tf_host->format(out->ctx, "ask_for((uintptr_t)x%u + %zu + %u * %s, %zu);", r->steps[i].param,
                    bytes * r->length, bytes, from, bytes * n));
    }
    for (uint32_t k = 0; k < r->n_outputs; k++) {
        uint32_t bytes = tf_host->element_bytes(r->output_dtypes[k]);
        if (r->steps[r->outputs[k]].span == SPAN_EACH)
            add_line(out, depth,
                tf_host->format(out->ctx, "ask_for((uintptr_t)out%u + %zu + %u * %s, %zu);", k, bytes * r->length,
                    bytes, from, bytes * n));
    }
}

static void add_whole(struct pk_text *out, const struct plan *p)
{
    uint8_t wanted[MOST_STEPS] = {0}, needed[MOST_STEPS];
    wanted_outputs(p, p->last, wanted);
    plan_needs(p, LOOP_WHOLE, p->last, wanted, needed);
    pk_add(out, "    for (size_t b = 0; b < %1$zu; b += %2$d) {\n", p->rows->length, PIECE);
    ask_ahead(out, p, "b", PIECE, 2);
    pk_add(out,
        "        const size_t end = %1$zu - b < %2$d ? %1$zu : b + %2$d;\n        OMP(simd)\n"
        "        for (size_t i = b; i < end; i++) {\n",
        p->rows->length, PIECE);
    add_steps(out, p, needed, 3);
    store_outputs(out, p, wanted, "i", 3);
    pk_add(out, "        }\n    }\n");
}

static const char *place_text(tf_ctx *ctx, const struct plan *p)
{
    return tf_host->format(ctx, "const size_t i = q * %1$zu + j, k = (q - t) * %1$zu + j;", p->rows->group);
}

/* A step is at hand for the loop that divides: what is divided as its bits and its size. */
static void hold_step(struct pk_text *out, const struct plan *p, uint32_t at)
{
    tf_ctx *ctx = out->ctx;
    if (at != p->divided) {
        if (p->is_held[at])
            add_line(out, 4, tf_host->format(ctx, "held%u[k] = v%u;", at, at));
        return;
    }
    add_line(out, 4, tf_host->format(ctx, "bits%u[k] = bits;", at));
    add_line(out, 4, tf_host->format(ctx, "size%u[k] = f32_of_bits(size);", at));
}

/* The largest magnitude of a group: sizes of floats order as their bits do, NaN last. */
static void add_size(struct pk_text *out, const struct plan *p, uint32_t of)
{
    tf_ctx *ctx = out->ctx;
    if (!p->is_uncut)
        add_line(
            out, 4, tf_host->format(ctx, "const uint32_t bits = bits_of_f32(v%u), size = bits & 0x7fffffffu;", of));
    else /* compute_text rounds by bf16_nearest */
        add_line(out, 4,
            tf_host->format(ctx, "const uint32_t bits = bf16_uncut%s, size = bits & 0x7fff0000u;",
                strchr(compute_text(ctx, p, of), '(')));
    add_line(out, 4, "most = size > most ? size : most;");
}

static void add_largest(struct pk_text *out, const struct plan *p)
{
    uint8_t wanted[MOST_STEPS] = {0}, needed[MOST_STEPS];
    uint32_t of = p->rows->steps[p->largest].in[0];
    wanted_outputs(p, p->last, wanted);
    for (uint32_t i = 0; i < p->rows->n_steps; i++)
        wanted[i] |= (uint8_t)(p->is_held[i] || i == of);
    plan_needs(p, LOOP_WHOLE, p->last, wanted, needed);
    needed[of] = (uint8_t)(needed[of] && !p->is_uncut);
    pk_add(out, "            uint32_t most = 0;\n");
    ask_ahead(out, p, tf_host->format(out->ctx, "q * %zu", p->rows->group), p->rows->group, 3);
    add_line(out, 3, "OMP(simd reduction(max : most))");
    add_line(out, 3, tf_host->format(out->ctx, "for (size_t j = 0; j < %zu; j++) {", p->rows->group));
    add_line(out, 4, place_text(out->ctx, p));
    add_steps(out, p, needed, 4);
    add_size(out, p, of);
    for (uint32_t i = 0; i < p->rows->n_steps; i++)
        hold_step(out, p, i);
    store_outputs(out, p, wanted, "i", 4);
    pk_add(out, "            }\n            largest[q - t] = most;\n");
}

static void add_codes(struct pk_text *out, const struct plan *p)
{
    uint8_t wanted[MOST_STEPS] = {0}, needed[MOST_STEPS];
    wanted_outputs(p, p->last + 1, wanted);
    plan_needs(p, LOOP_CODES, p->last + 1, wanted, needed);
    add_line(out, 3, "OMP(simd)");
    add_line(out, 3, tf_host->format(out->ctx, "for (size_t j = 0; j < %zu; j++) {", p->rows->group));
    add_line(out, 4, place_text(out->ctx, p));
    add_steps(out, p, needed, 4);
    store_outputs(out, p, wanted, "i", 4);
    add_line(out, 3, "}");
}

static const char QUICK[] =
    "            if (divides_quickly(%2$s, g%7$u, %3$s)) {\n"
    "                const float inverse = 1 / %2$s, rest = fmaf(-%2$s, inverse, 1) * inverse;\n"
    "                OMP(simd)\n"
    "                for (size_t j = 0; j < %1$zu; j++) {\n"
    "                    const size_t k = (q - t) * %1$zu + j;\n"
    "                    const float size = size%4$u[k], quotient = fmaf(size, inverse, size * rest);\n"
    "                    code[j] = %5$s_within(quotient) | (bits%4$u[k] >> 24 & 0x80);\n                }\n"
    "                OMP(simd)\n"
    "                for (size_t j = 0; j < %1$zu; j++)\n"
    "                    out%6$u[q * %1$zu + j] = (uint8_t)code[j];\n"
    "                continue;\n            }\n";

/* What no conversion saturates or loses: less than halfway past the largest code. */
static const char *largest_quotient(uint32_t dtype)
{
    return dtype == TF_DTYPE_FP8E4M3 ? "460.0f" : "59392.0f";
}

static void add_quick(struct pk_text *out, const struct plan *p)
{
    uint32_t k = 0, dtype = p->rows->steps[p->codes].dtype;
    while (p->rows->outputs[k] != p->codes)
        k++;
    pk_add(out, QUICK, p->rows->group, value_text(out->ctx, p, p->scale), largest_quotient(dtype), p->divided,
        tf_host->dtype(dtype)->name, k, p->largest);
}

static void add_scales(struct pk_text *out, const struct plan *p)
{
    const struct rows *r = p->rows;
    uint8_t wanted[MOST_STEPS] = {0}, divided[MOST_STEPS] = {0};
    for (uint32_t i = 0; i < r->n_steps; i++)
        wanted[i] = (uint8_t)(p->is_output[i] && r->steps[i].span == SPAN_GROUP);
    add_few(out, p, SPAN_GROUP, p->last + 1, 3);
    store_outputs(out, p, wanted, "q", 3);
    wanted_outputs(p, p->last + 1, divided);
    if (p->codes != NO_STEP)
        add_quick(out, p);
    if (memchr(divided, 1, r->n_steps))
        add_codes(out, p);
}

/* Some groups' largest magnitudes first, then what they scale: neither waits for the other. */
static void add_groups(struct pk_text *out, const struct plan *p)
{
    pk_add(out,
        "    for (size_t t = 0; t < %1$zu; t += %2$zu) {\n        uint32_t largest[%2$zu];\n"
        "        for (size_t q = t; q < t + %2$zu; q++) {\n",
        p->rows->length / p->rows->group, p->tile);
    add_largest(out, p);
    pk_add(out, "        }\n        for (size_t q = t; q < t + %zu; q++) {\n", p->tile);
    add_scales(out, p);
    pk_add(out, "        }\n    }\n");
}

/* ---- the function -------------------------------------------------------------------------------------------------*/

static size_t lined(size_t n)
{
    return (n + 15) / 16 * 16;
}

static size_t sum_room(const struct plan *p, uint32_t at)
{
    const struct step *step = &p->rows->steps[at];
    return step->op == STEP_SUM || step->op == STEP_MEAN ? lined((p->rows->length + EIGHT - 1) / EIGHT) : 0;
}

size_t row_room(const struct plan *p)
{
    const struct rows *r = p->rows;
    size_t n = p->kept != NO_STEP ? lined(r->length) : 0, held = lined(p->tile * r->group);
    for (uint32_t i = 0; i < r->n_steps; i++)
        n += sum_room(p, i) + (p->is_held[i] ? held : 0);
    return p->codes == NO_STEP ? n : n + held + lined(r->group);
}

static void add_room(struct pk_text *out, const struct plan *p)
{
    const struct rows *r = p->rows;
    size_t at = 0, held = lined(p->tile * r->group);
    if (p->kept != NO_STEP) {
        pk_add(out, "    float *const kept = room;\n");
        at += lined(r->length);
    }
    for (uint32_t i = 0; i < r->n_steps; i++) {
        const char *name = sum_room(p, i) ? "part" : i == p->divided ? "size" : "held";
        if (sum_room(p, i) || p->is_held[i])
            pk_add(out, "    float *const %s%u = room + %zu;\n", name, i, at);
        at += sum_room(p, i) ? sum_room(p, i) : p->is_held[i] ? held : 0;
    }
    if (p->codes == NO_STEP)
        return;
    pk_add(out, "    uint32_t *const bits%u = (uint32_t *)(void *)(room + %zu);\n", p->divided, at);
    pk_add(out, "    uint32_t *const code = (uint32_t *)(void *)(room + %zu);\n", at + held);
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
    if (p->largest == NO_STEP)
        add_whole(out, p);
    else
        add_groups(out, p);
    pk_add(out, "}\n");
}

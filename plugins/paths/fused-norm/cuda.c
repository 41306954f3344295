/* SPDX-License-Identifier: MIT
 *
 * The kernel of a normalisation for cuda-h200: what of the steps is one number of a row, and what is done to each pair
 * of its elements.  Two neighbours of two bytes lie in one register; where a step's value is wanted as two floats it is
 * taken apart, and put together again by the step that rounds.
 */
#include "lower.h"

#include "rowscu.h"

struct device {
    tf_ctx *ctx;
    const struct plan *plan;
    const struct rows *rows;
    uint32_t input, sums[2], n_sums; /* steps: what is normed, the sums over it */
    uint32_t scalar;                 /* the number of a row that elements are computed from, besides the mean */
    uint32_t held, weights[2], n_weights;
    uint8_t wanted[MOST_STEPS]; /* steps that `held` needs */
    uint8_t is_packed[MOST_STEPS], is_apart[MOST_STEPS];
    struct pk_text body;
};

static const struct step *step_at(const struct device *d, uint32_t i)
{
    return &d->rows->steps[i];
}

static int is_narrow(uint32_t dtype)
{
    return dtype == TF_DTYPE_BF16 || dtype == TF_DTYPE_F16;
}

/* ---- what is what -------------------------------------------------------------------------------------------------*/

/* Behind exact conversions to f32. */
static uint32_t widened(const struct device *d, uint32_t i)
{
    while (step_at(d, i)->op == STEP_CAST && step_at(d, i)->dtype == TF_DTYPE_F32)
        i = step_at(d, i)->in[0];
    return i;
}

/* A sum in f32 of the input itself, of its squares, or of squares about the mean. */
static int take_sum(struct device *d, uint32_t i)
{
    const struct step *s = step_at(d, i), *of = step_at(d, s->in[0]);
    if (d->n_sums == 2 || s->dtype != TF_DTYPE_F32)
        return 0;
    d->sums[d->n_sums++] = i;
    if (of->roles & (ROLE_SQUARED | ROLE_SPREAD))
        return of->dtype == TF_DTYPE_F32 && d->n_sums == ((of->roles & ROLE_SPREAD) ? 2u : 1u);
    d->input = widened(d, s->in[0]);
    return d->n_sums == 1 && (of->roles & ROLE_INPUT);
}

/* What is squared is the value itself, or it less its mean, both in f32. */
static int is_square(struct device *d)
{
    const struct step *square = step_at(d, step_at(d, d->sums[d->n_sums - 1])->in[0]);
    uint32_t of = square->in[0];
    if (!(square->roles & (ROLE_SQUARED | ROLE_SPREAD)))
        return 0;
    if (square->roles & ROLE_SQUARED) {
        d->input = widened(d, of);
        return d->n_sums == 1;
    }
    const struct step *less = step_at(d, of);
    return less->dtype == TF_DTYPE_F32 && less->op == STEP_SUB && widened(d, less->in[0]) == d->input &&
           step_at(d, less->in[1])->span == SPAN_ROW;
}

static int find_sums(struct device *d)
{
    d->input = NO_STEP;
    for (uint32_t i = 0; i < d->rows->n_steps; i++) {
        const struct step *s = step_at(d, i);
        if ((s->op == STEP_SUM || s->op == STEP_MEAN) && !take_sum(d, i))
            return 0;
    }
    return d->n_sums && is_square(d) && d->input != NO_STEP;
}

/* The parameter that is read, or two that are added and rounded to what they are of. */
static int is_readable(const struct device *d)
{
    const struct step *s = step_at(d, d->input);
    if (s->op == STEP_PARAM)
        return s->span == SPAN_EACH && (is_narrow(s->dtype) || s->dtype == TF_DTYPE_F32);
    if (s->op != STEP_ADD)
        return 0;
    for (uint32_t k = 0; k < 2; k++)
        if (step_at(d, s->in[k])->op != STEP_PARAM || step_at(d, s->in[k])->span != SPAN_EACH ||
            step_at(d, s->in[k])->dtype != s->dtype)
            return 0;
    return is_narrow(s->dtype) || s->dtype == TF_DTYPE_F32;
}

static int find_held(struct device *d)
{
    const struct plan *p = d->plan;
    d->held = p->divided;
    for (uint32_t i = 0; d->held == NO_STEP && !d->rows->group && i < d->rows->n_outputs; i++)
        if (step_at(d, d->rows->outputs[i])->roles & ROLE_NORMED)
            d->held = d->rows->outputs[i];
    return d->held != NO_STEP &&
           (is_narrow(step_at(d, d->held)->dtype) || step_at(d, d->held)->dtype == TF_DTYPE_F32) &&
           step_at(d, d->held)->span == SPAN_EACH;
}

static uint32_t mean_step(const struct device *d)
{
    const struct step *less = step_at(d, step_at(d, step_at(d, d->sums[d->n_sums - 1])->in[0])->in[0]);
    return d->n_sums == 2 ? less->in[1] : NO_STEP;
}

static int take_scalar(struct device *d, uint32_t i)
{
    if (step_at(d, i)->dtype != TF_DTYPE_F32)
        return 0;
    if (i == mean_step(d) || i == d->scalar)
        return 1;
    int is_first = d->scalar == NO_STEP;
    d->scalar = i;
    return is_first;
}

/* Of a single row a weight has as many elements as the input. */
static int is_weight(const struct device *d, uint32_t i)
{
    const struct step *s = step_at(d, i);
    return s->op == STEP_PARAM && i != d->input && (s->span == SPAN_LANE || d->rows->count == 1);
}

static int take_weight(struct device *d, uint32_t i)
{
    const struct step *s = step_at(d, i);
    if (!is_weight(d, i))
        return 1;
    if (d->n_weights == 2 || (!is_narrow(s->dtype) && s->dtype != TF_DTYPE_F32))
        return 0;
    d->weights[d->n_weights++] = i;
    return 1;
}

/* All that `held` is made of, from the input on. */
static int find_wanted(struct device *d)
{
    d->wanted[d->held] = 1;
    d->scalar = NO_STEP;
    for (uint32_t i = d->rows->n_steps; i-- > 0;) {
        const struct step *s = step_at(d, i);
        if (!d->wanted[i] || i == d->input || s->span == SPAN_ROW || s->span == SPAN_ONE)
            continue;
        if (s->op >= STEP_SUM || s->span == SPAN_GROUP ||
            (s->op == STEP_PARAM && s->span == SPAN_EACH && !is_weight(d, i)))
            return 0;
        for (uint32_t k = 0; k < s->n_in; k++)
            d->wanted[s->in[k]] = 1;
    }
    for (uint32_t i = 0; i < d->rows->n_steps; i++)
        if (d->wanted[i] && ((step_at(d, i)->span == SPAN_ROW && !take_scalar(d, i)) || !take_weight(d, i)))
            return 0;
    return d->wanted[d->input];
}

/* ---- numbers of a row, and of a group -----------------------------------------------------------------------------*/

static const char *row_value(struct device *d, uint32_t i)
{
    if (d->n_sums == 2 && i == mean_step(d))
        return "mean";
    return value_text(d->ctx, d->plan, i);
}

static const char *scalar_text(struct device *d, uint32_t i)
{
    const struct step *s = step_at(d, i);
    const char *in[3] = {NULL, NULL, NULL};
    for (uint32_t k = 0; k < s->n_in; k++)
        in[k] = row_value(d, s->in[k]);
    if (s->op == STEP_RSQRT && s->dtype == TF_DTYPE_F32)
        return tf_host->format(d->ctx, "rsqrt_rounded(%s)", in[0]);
    if (s->op == STEP_DIV && s->dtype == TF_DTYPE_F32)
        return tf_host->format(d->ctx, "__fdiv_rn(%s, %s)", in[0], in[1]);
    if (s->op == STEP_SUM || s->op == STEP_MEAN)
        return s->op == STEP_MEAN ? "mean_of(sum)" : "total_of(sum)";
    return rounded_step_text(d->ctx, d->plan, i, in);
}

/* The steps from `from`, which is known, to `until`; 0: one of them is not in f32, or there is another beginning. */
static int add_chain(struct device *d, uint32_t from, uint32_t until, enum span span)
{
    uint8_t needed[MOST_STEPS] = {0};
    needed[until] = 1;
    for (uint32_t i = until + 1; i-- > 0;) {
        const struct step *s = step_at(d, i);
        if (!needed[i] || i == from || s->span == SPAN_ONE || (d->n_sums == 2 && i == mean_step(d) && i != until))
            continue;
        if (s->span != span || s->op >= STEP_SUM ||
            (s->dtype != TF_DTYPE_F32 && s->dtype != TF_DTYPE_BOOL && s->dtype != TF_DTYPE_BF16))
            return 0;
        for (uint32_t k = 0; k < s->n_in; k++)
            needed[s->in[k]] = 1;
    }
    for (uint32_t i = 0; i <= until; i++)
        if (needed[i] && i != from && step_at(d, i)->span == span &&
            !(d->n_sums == 2 && i == mean_step(d) && i != until))
            pk_add(&d->body, "    const float %s = %s;\n", value_text(d->ctx, d->plan, i), scalar_text(d, i));
    return 1;
}

static int add_row_function(struct device *d, const char *name, uint32_t sum, uint32_t until, int with_mean)
{
    pk_add(&d->body, "__device__ __forceinline__ float %s(double sum%s)\n{\n", name, with_mean ? ", float mean" : "");
    pk_add(&d->body, "    const float %s = %s;\n", value_text(d->ctx, d->plan, sum), scalar_text(d, sum));
    if (!add_chain(d, sum, until, SPAN_ROW))
        return 0;
    pk_add(&d->body, "    return %s;\n}\n\n", value_text(d->ctx, d->plan, until));
    return 1;
}

static int add_row_functions(struct device *d)
{
    if (d->scalar == NO_STEP)
        return 0;
    if (d->n_sums == 2) {
        pk_add(&d->body, "/* What is taken from the elements of a row with this sum. */\n");
        if (!add_row_function(d, "middle_of", d->sums[0], mean_step(d), 0))
            return 0;
    }
    pk_add(&d->body, "/* What a row with this sum of squares is multiplied by, or divided. */\n");
    return add_row_function(d, "r_of", d->sums[d->n_sums - 1], d->scalar, d->n_sums == 2);
}

static int add_scale_function(struct device *d)
{
    if (!d->rows->group)
        return 1;
    const char *most = value_text(d->ctx, d->plan, d->plan->largest);
    pk_add(&d->body,
        "/* The scale of a group whose largest magnitude is %s. */\n__device__ __forceinline__ float "
        "scale_of(float %s)\n{\n",
        most, most);
    if (!add_chain(d, d->plan->largest, d->plan->scale, SPAN_GROUP))
        return 0;
    pk_add(&d->body, "    return %s;\n}\n\n", value_text(d->ctx, d->plan, d->plan->scale));
    return 1;
}

/* ---- pairs of elements --------------------------------------------------------------------------------------------*/

static const char *narrow_name(uint32_t dtype)
{
    return dtype == TF_DTYPE_F16 ? "f16" : "bf16";
}

/* Makes the floats of a pair that is packed so far. */
static void take_apart(struct device *d, uint32_t i)
{
    const char *name = narrow_name(step_at(d, i)->dtype);
    if (d->is_apart[i])
        return;
    pk_add(&d->body, "        const float l%u = low_%s(p%u), h%u = high_%s(p%u);\n", i, name, i, i, name, i);
    d->is_apart[i] = 1;
}

static const char *half_text(struct device *d, uint32_t i, char half)
{
    const struct step *s = step_at(d, i);
    if (s->span == SPAN_ONE)
        return value_text(d->ctx, d->plan, i);
    if (s->span == SPAN_ROW)
        return d->n_sums == 2 && i == mean_step(d) ? "s.mean" : "s.r";
    take_apart(d, i);
    return tf_host->format(d->ctx, "%c%u", half, i);
}

static void add_read(struct device *d, uint32_t i, const char *from)
{
    uint32_t dtype = step_at(d, i)->dtype;
    if (is_narrow(dtype)) {
        pk_add(&d->body, "        const unsigned p%u = %s.word[i];\n", i, from);
        d->is_packed[i] = 1;
        return;
    }
    pk_add(&d->body,
        "        const float l%u = __uint_as_float(%s.word[2 * i]), h%u = __uint_as_float(%s.word[2 * i + 1]);\n", i,
        from, i, from);
    d->is_apart[i] = 1;
}

/* Conversions that change nothing have their operand's registers. */
static int add_same(struct device *d, uint32_t i)
{
    const struct step *s = step_at(d, i);
    uint32_t from = s->in[0];
    if (s->op != STEP_CAST)
        return 0;
    if (step_at(d, from)->dtype == s->dtype && d->is_packed[from]) {
        pk_add(&d->body, "        const unsigned p%u = p%u;\n", i, from);
        d->is_packed[i] = 1;
        return 1;
    }
    if (s->dtype != TF_DTYPE_F32)
        return 0;
    const char *low = half_text(d, from, 'l'), *high = half_text(d, from, 'h');
    pk_add(&d->body, "        const float l%u = %s, h%u = %s;\n", i, low, i, high);
    d->is_apart[i] = 1;
    return 1;
}

static int is_packed_product(const struct device *d, const struct step *s)
{
    return s->op == STEP_MUL && s->dtype == TF_DTYPE_BF16 && d->is_packed[s->in[0]] && d->is_packed[s->in[1]];
}

static int add_pair(struct device *d, uint32_t i)
{
    const struct step *s = step_at(d, i);
    const char *low[3] = {NULL, NULL, NULL}, *high[3] = {NULL, NULL, NULL};
    if (add_same(d, i))
        return 1;
    if (is_packed_product(d, s)) {
        pk_add(&d->body, "        const unsigned p%u = multiply_bf16(p%u, p%u);\n", i, s->in[0], s->in[1]);
        d->is_packed[i] = 1;
        return 1;
    }
    for (uint32_t k = 0; k < s->n_in; k++) {
        low[k] = half_text(d, s->in[k], 'l');
        high[k] = half_text(d, s->in[k], 'h');
    }
    const char *l = device_text(d->ctx, d->plan, i, low), *h = device_text(d->ctx, d->plan, i, high);
    if (!l || !h)
        return 0;
    if (is_narrow(s->dtype)) {
        pk_add(&d->body, "        const unsigned p%u = pack_%s(%s, %s);\n", i, narrow_name(s->dtype), l, h);
        d->is_packed[i] = 1;
        return 1;
    }
    pk_add(&d->body, "        const float l%u = %s, h%u = %s;\n", i, l, i, h);
    d->is_apart[i] = 1;
    return s->dtype == TF_DTYPE_F32 || s->dtype == TF_DTYPE_BOOL;
}

static int add_held(struct device *d)
{
    int is_fine = 1;
    pk_add(&d->body,
        "/* Eight elements as they are %s. */\n__device__ __forceinline__ eight held(const eight &x, const "
        "statistics &s, const eight &w, const eight &b)\n{\n    eight held;\n#pragma unroll\n"
        "    for (int i = 0; i < 4; i++) {\n",
        d->rows->group ? "before they are quantised" : "stored");
    for (uint32_t i = 0; i < d->rows->n_steps && is_fine; i++) {
        const struct step *s = step_at(d, i);
        if (!d->wanted[i] || s->span == SPAN_ONE || s->span == SPAN_ROW)
            continue;
        if (i == d->input)
            add_read(d, i, "x");
        else if (s->op == STEP_PARAM)
            add_read(d, i, i == d->weights[0] ? "w" : "b");
        else
            is_fine = add_pair(d, i);
    }
    if (is_narrow(step_at(d, d->held)->dtype))
        pk_add(&d->body, "        held.word[i] = p%u;\n", d->held);
    else
        pk_add(&d->body,
            "        held.word[2 * i] = __float_as_uint(l%u);\n        held.word[2 * i + 1] = "
            "__float_as_uint(h%u);\n",
            d->held, d->held);
    pk_add(&d->body, "    }\n    return held;\n}\n");
    return is_fine;
}

static void add_residual(struct device *d)
{
    uint32_t dtype = step_at(d, d->input)->dtype;
    const char *name = narrow_name(dtype);
    if (step_at(d, d->input)->op != STEP_ADD)
        return;
    pk_add(&d->body, "/* A pair, or a number, of the row with what is added to it. */\n"
                     "__device__ __forceinline__ unsigned sum_of(unsigned x, unsigned a)\n{\n");
    if (dtype == TF_DTYPE_F32)
        pk_add(&d->body, "    return __float_as_uint(__uint_as_float(x) + __uint_as_float(a));\n}\n\n");
    else
        pk_add(&d->body, "    return pack_%s(low_%s(x) + low_%s(a), high_%s(x) + high_%s(a));\n}\n\n", name, name, name,
            name, name);
}

/* ---- the whole ----------------------------------------------------------------------------------------------------*/

/* The result that a step is; MOST_STEPS: none. */
static uint32_t result_of(const struct device *d, uint32_t step)
{
    for (uint32_t i = 0; i < d->rows->n_outputs; i++)
        if (d->rows->outputs[i] == step)
            return i;
    return MOST_STEPS;
}

/* Every result is one that the kernel stores, as it stores it. */
static int has_results(const struct device *d)
{
    const struct rows *r = d->rows;
    for (uint32_t i = 0; i < r->n_outputs; i++) {
        uint32_t at = r->outputs[i], dtype = r->output_dtypes[i];
        int is_sum = at == d->input && step_at(d, at)->op == STEP_ADD && dtype == step_at(d, at)->dtype;
        int is_codes = r->group && at == d->plan->codes && dtype == step_at(d, at)->dtype;
        int is_scale = r->group && at == d->plan->scale && (dtype == TF_DTYPE_F32 || dtype == TF_DTYPE_BF16);
        int is_held = !r->group && at == d->held && dtype == step_at(d, at)->dtype;
        if (!is_sum && !is_codes && !is_scale && !is_held)
            return 0;
        for (uint32_t k = 0; k < i; k++)
            if (r->outputs[k] == at)
                return 0;
    }
    if (!r->group)
        return result_of(d, d->held) != MOST_STEPS;
    return result_of(d, d->plan->codes) != MOST_STEPS && result_of(d, d->plan->scale) != MOST_STEPS;
}

struct lists {
    struct pk_text declared, with;
};

static void add_parameter(struct lists *l, const char *declared, char kind, uint32_t index)
{
    pk_add(&l->declared, "%s%s", l->declared.n ? ", " : "", declared);
    pk_add(&l->with, "%s%c%u", l->with.n ? " " : "", kind, index);
}

static void add_parameters(const struct device *d, struct lists *l)
{
    const struct step *input = step_at(d, d->input);
    uint32_t sum = result_of(d, d->input);
    int adds = input->op == STEP_ADD;
    add_parameter(l, "const void *in", 'a', adds ? step_at(d, input->in[0])->param : input->param);
    if (adds)
        add_parameter(l, "const void *added", 'a', step_at(d, input->in[1])->param);
    if (d->n_weights > 0)
        add_parameter(l, "const void *weight", 'a', step_at(d, d->weights[0])->param);
    if (d->n_weights > 1)
        add_parameter(l, "const void *bias", 'a', step_at(d, d->weights[1])->param);
    if (adds && sum != MOST_STEPS)
        add_parameter(l, "void *kept", 'r', sum);
    if (!d->rows->group) {
        add_parameter(l, "void *values", 'r', result_of(d, d->held));
        return;
    }
    add_parameter(l, "void *codes", 'r', result_of(d, d->plan->codes));
    add_parameter(l, "SCALE_TYPE *scales", 'r', result_of(d, d->plan->scale));
}

static const char *title(const struct device *d, const char *name)
{
    struct pk_text out = {.ctx = d->ctx};
    const struct tf_function *f = d->rows->program->function;
    pk_add(&out, "/* %s: made by tilefoundry, path fused-norm.\n *\n * %zu rows of %zu%s\n *\n", name, d->rows->count,
        d->rows->length, d->rows->group ? tf_host->format(d->ctx, ", in groups of %zu", d->rows->group) : "");
    for (uint32_t i = 0; i < f->n_params; i++)
        pk_add(&out, " * a%u  %s  %s\n", i, pk_type(d->ctx, f->params[i]->type),
            f->params[i]->name ? f->params[i]->name : "");
    for (uint32_t i = 0; i < d->rows->n_outputs; i++)
        pk_add(&out, " * r%u  %s\n", i, tf_host->dtype(d->rows->output_dtypes[i])->name);
    pk_add(&out, " *\n * Sums are of eight elements at a time in f32, added in f64.\n");
    return out.at;
}

static int analyse(struct device *d)
{
    return find_sums(d) && is_readable(d) && find_held(d) && find_wanted(d) && has_results(d);
}

int norm_lower_cuda(tf_ctx *ctx, const struct plan *plan, struct tf_artifact *artifact)
{
    struct device d = {.ctx = ctx, .plan = plan, .rows = plan->rows, .body = {.ctx = ctx}};
    struct lists l = {{.ctx = ctx}, {.ctx = ctx}};
    if (!analyse(&d))
        return TF_E_UNSUPPORTED;
    add_residual(&d);
    if (!add_row_functions(&d) || !add_scale_function(&d) || !add_held(&d))
        return TF_E_UNSUPPORTED;
    add_parameters(&d, &l);
    const char *name = pk_entry(ctx, plan->rows->program);
    const struct step *input = step_at(&d, d.input), *held = step_at(&d, d.held);
    uint32_t scale = d.rows->group ? result_of(&d, plan->scale) : 0;
    const struct cu_rows rows = {.ctx = ctx,
        .name = name,
        .title = title(&d, name),
        .rows = d.rows->count,
        .length = d.rows->length,
        .group = d.rows->group,
        .in = input->dtype,
        .held = held->dtype,
        .codes = d.rows->group ? step_at(&d, plan->codes)->dtype : 0,
        .norm = d.n_sums,
        .weight_bytes = d.n_weights > 0 ? cu_bytes(step_at(&d, d.weights[0])->dtype) : 0,
        .bias_bytes = d.n_weights > 1 ? cu_bytes(step_at(&d, d.weights[1])->dtype) : 0,
        .scale_bytes = d.rows->group && d.rows->output_dtypes[scale] == TF_DTYPE_BF16 ? 2 : 4,
        .adds = input->op == STEP_ADD,
        .keeps_sum = input->op == STEP_ADD && result_of(&d, d.input) != MOST_STEPS,
        .divides = 1,
        .parameters = l.declared.at,
        .with = l.with.at,
        .functions = d.body.at};
    return cu_rows_text(&rows, artifact);
}

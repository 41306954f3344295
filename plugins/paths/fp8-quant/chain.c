/* SPDX-License-Identifier: MIT
 *
 * How a program makes a scale of a largest magnitude: read from the scale back, step by step.
 */
#include "quant.h"

/* What is on the way back: the value, and the step that made it; the last value is the largest magnitude. */
struct way {
    uint32_t n;
    const struct tf_node *value[QUANT_STEPS + 1], *tested[QUANT_STEPS];
    struct quant_step step[QUANT_STEPS];
};

static int is_reduction(const struct tf_node *node)
{
    return pk_is_op(node, "reduce");
}

static int is_f32(const struct tf_node *node)
{
    return pk_is_tensor(node, TF_DTYPE_F32);
}

/* exp2(ceil(log2(v))) */
static const struct tf_node *of_power(const struct tf_node *node)
{
    static const char *const kinds[] = {"exp2", "ceil", "log2"};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
        if (!pk_is_kind(node, "unary", kinds[i]) || !is_f32(node))
            return NULL;
        node = quant_through(node->in[0]);
    }
    return node;
}

/* f32(bf16(v)) of a v in f32 */
static const struct tf_node *of_rounding(const struct tf_node *node)
{
    if (!pk_is_op(node, "cast") || !is_f32(node))
        return NULL;
    node = quant_through(node->in[0]);
    if (!pk_is_op(node, "cast") || !pk_is_tensor(node, TF_DTYPE_BF16))
        return NULL;
    node = quant_through(node->in[0]);
    return is_f32(node) ? node : NULL;
}

static int is_number(const struct tf_node *node, double number)
{
    double found;
    return pk_literal(node, &found) && found == number;
}

/* clamp(v, floor) is max(v, floor) */
static int has_floor(const struct tf_node *node, const struct tf_node **rest, float *number)
{
    double least;
    if (pk_with_constant(node, "max", rest, number))
        return 1;
    if (!pk_is_op(node, "clamp") || !is_f32(node) || !pk_number(pk_attr(node, "min_val"), &least) ||
        pk_attr(node, "max_val")->kind != TF_VAL_NONE)
        return 0;
    *rest = node->in[0];
    *number = (float)least;
    return 1;
}

/* where(t == 0, 1, v) and its like; *tested is t. */
static const struct tf_node *of_one(const struct tf_node *node, struct quant_step *step, const struct tf_node **tested)
{
    static const struct {
        const char *test;
        int keeps; /* v is what stands where the test is true */
        enum quant_step_kind kind;
    } forms[] = {
        {"eq", 0, STEP_ONE_ZERO}, {"ne", 1, STEP_ONE_ZERO}, {"le", 0, STEP_ONE_ZERO}, {"gt", 1, STEP_ONE_ELSE}};
    if (!pk_is_op(node, "where") || !is_f32(node))
        return NULL;
    const struct tf_node *test = quant_through(node->in[0]);
    for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
        const struct tf_node *one = node->in[forms[i].keeps ? 2 : 1], *rest = node->in[forms[i].keeps ? 1 : 2];
        if (!pk_is_kind(test, "binary", forms[i].test) || !is_number(test->in[1], 0) || !is_number(one, 1))
            continue;
        step->kind = forms[i].kind;
        *tested = quant_widened(test->in[0]);
        return quant_through(rest);
    }
    return NULL;
}

/* The value that node was made of, and how; NULL: by no step that is known. */
static const struct tf_node *step_back(
    const struct tf_node *node, struct quant_step *step, const struct tf_node **tested)
{
    const struct tf_node *rest;
    if ((rest = of_power(node)) != NULL)
        step->kind = STEP_POWER;
    else if ((rest = of_rounding(node)) != NULL)
        step->kind = STEP_BF16;
    else if ((rest = of_one(node, step, tested)) != NULL)
        return rest;
    else if (pk_with_constant(node, "mul", &rest, &step->number))
        step->kind = STEP_MUL;
    else if (pk_with_constant(node, "div", &rest, &step->number))
        step->kind = STEP_DIV;
    else if (has_floor(node, &rest, &step->number))
        step->kind = STEP_FLOOR;
    return rest ? quant_through(rest) : NULL;
}

static int go_back(struct quant *q, const struct tf_node *node, struct way *way)
{
    for (way->n = 0;; way->n++) {
        const struct tf_node *widened = quant_widened(node);
        way->value[way->n] = is_reduction(widened) ? widened : node;
        if (is_reduction(widened))
            return 1;
        if (way->n == QUANT_STEPS)
            return quant_not(q, node, "its scale takes more steps than a path knows");
        way->tested[way->n] = NULL;
        node = step_back(node, &way->step[way->n], &way->tested[way->n]);
        if (!node)
            return quant_not(q, way->value[way->n], "this is no step from a largest magnitude to a scale");
    }
}

/* Each step as it is once in a quantisation. */
static int is_scaling(struct quant *q, const struct tf_node *const *values)
{
    float limit = quant_limit(q->codes);
    uint32_t factors = 0, powers = 0;
    for (uint32_t i = 0; i < q->n_steps; i++) {
        const struct quant_step *step = &q->steps[i];
        const struct tf_node *at = values[i + 1];
        factors += step->kind == STEP_MUL || step->kind == STEP_DIV;
        powers += step->kind == STEP_POWER;
        if ((step->kind == STEP_DIV && step->number != limit) || (step->kind == STEP_MUL && step->number != 1 / limit))
            return quant_not(q, at, "the factor is not the codes' largest number, or one over it in f32");
        if (step->kind == STEP_FLOOR && !(step->number > 0 && step->number < __builtin_inff()))
            return quant_not(q, at, "the floor is not above 0");
        if (step->kind == STEP_POWER && !factors)
            return quant_not(q, at, "a power of two is taken before the factor");
    }
    return (factors == 1 && powers < 2) || quant_not(q, values[q->n_steps], "the scale does not have one factor");
}

int quant_chain(struct quant *q, const struct tf_node *top, const struct tf_node **values)
{
    struct way way = {0};
    if (!go_back(q, top, &way))
        return 0;
    q->n_steps = way.n;
    for (uint32_t i = 0; i <= way.n; i++)
        values[i] = way.value[way.n - i];
    for (uint32_t i = 0; i < way.n; i++) {
        const struct tf_node *tested = way.tested[way.n - 1 - i];
        struct quant_step *step = &q->steps[i];
        *step = way.step[way.n - 1 - i];
        while (tested && step->tested <= i && values[step->tested] != tested)
            step->tested++;
        if (tested && step->tested > i)
            return quant_not(q, tested, "what is compared with 0 is not on the way to the scale");
    }
    return is_scaling(q, values);
}

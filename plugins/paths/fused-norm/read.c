/* SPDX-License-Identifier: MIT
 *
 * Programs as steps.  Regions, placement and changes of shape are looked through, as a row's elements stay in order;
 * operators that are formulas become what they are made of.
 */
#include "rows.h"

#include "pathkit.h"

#define LARGEST_CODE 448 /* of fp8e4m3, in which `quant` gives its codes */

struct reader {
    struct rows *rows;
    const struct tf_node **stack;
    size_t n, room;
    uint32_t *step_of, *scale_of; /* by node id: 1 + the step; scale_of of a call of `quant` */
};

int rows_refuse(struct rows *r, const struct tf_node *node, const char *why)
{
    r->why = why;
    r->loc = node && node->loc.line ? &node->loc : NULL;
    return TF_E_UNSUPPORTED;
}

double rows_rounded(uint32_t dtype, double number)
{
    uint64_t room = 0;
    tf_host->store_f64(dtype, 1, &number, &room, 0);
    tf_host->load_f64(dtype, 1, &room, &number);
    return number;
}

/* ---- making steps -------------------------------------------------------------------------------------------------*/

static int is_known(uint32_t dtype)
{
    return dtype == TF_DTYPE_F32 || dtype == TF_DTYPE_BF16 || dtype == TF_DTYPE_F16;
}

static uint32_t add(struct rows *r, enum step_op op, uint32_t dtype, const struct tf_node *node)
{
    if (r->n_steps >= MOST_STEPS)
        return NO_STEP;
    struct step *step = &r->steps[r->n_steps];
    *step = (struct step){.op = op, .dtype = dtype, .node = node, .low = -__builtin_inf(), .high = __builtin_inf()};
    return r->n_steps++;
}

static uint32_t add_of(
    struct rows *r, enum step_op op, uint32_t dtype, const struct tf_node *node, uint32_t n, const uint32_t *in)
{
    for (uint32_t i = 0; i < n; i++)
        if (in[i] == NO_STEP)
            return NO_STEP;
    uint32_t at = add(r, op, dtype, node);
    if (at == NO_STEP)
        return at;
    r->steps[at].n_in = n;
    memcpy(r->steps[at].in, in, n * sizeof(*in));
    return at;
}

static uint32_t add_1(struct rows *r, enum step_op op, uint32_t dtype, const struct tf_node *node, uint32_t a)
{
    return add_of(r, op, dtype, node, 1, &a);
}

static uint32_t add_2(
    struct rows *r, enum step_op op, uint32_t dtype, const struct tf_node *node, uint32_t a, uint32_t b)
{
    const uint32_t in[] = {a, b};
    return add_of(r, op, dtype, node, 2, in);
}

static uint32_t add_number(struct rows *r, uint32_t dtype, const struct tf_node *node, double number)
{
    uint32_t at = add(r, STEP_NUMBER, dtype, node);
    if (at != NO_STEP)
        r->steps[at].number = rows_rounded(dtype, number);
    return at;
}

/* What a float of 16 bits is in f32 it is already: that needs no step. */
static uint32_t add_cast(struct rows *r, uint32_t dtype, const struct tf_node *node, uint32_t from)
{
    if (from != NO_STEP && is_known(r->steps[from].dtype) && (dtype == TF_DTYPE_F32 || dtype == r->steps[from].dtype))
        return from;
    return add_1(r, STEP_CAST, dtype, node, from);
}

/* ---- formulas -----------------------------------------------------------------------------------------------------*/

static int read_length(struct rows *r, const struct tf_node *node, const struct tf_type *x, uint32_t first)
{
    size_t all, n, length = 1;
    if (!pk_elements(x, &all))
        return rows_refuse(r, node, "an extent is not known, or is 0");
    for (uint32_t axis = first; axis < x->rank; axis++)
        length *= pk_extent(x, axis, &n) ? n : 1;
    if (r->length && (r->length != length || r->count != all / length))
        return rows_refuse(r, node, "its rows are of another length than those before");
    r->length = length;
    r->count = all / length;
    return TF_OK;
}

static int read_group(struct rows *r, const struct tf_node *node, size_t group)
{
    if (r->group && r->group != group)
        return rows_refuse(r, node, "there are groups of two lengths");
    r->group = group;
    return TF_OK;
}

/* x brought to f32, times the reciprocal root of the mean of its squares and of eps. */
static uint32_t add_normed(struct rows *r, const struct tf_node *node, uint32_t x, const char *eps_name)
{
    double eps = 0;
    pk_number(pk_attr(node, eps_name), &eps);
    uint32_t squares = add_1(r, STEP_SQUARE, TF_DTYPE_F32, node, x);
    uint32_t power = add_1(r, STEP_MEAN, TF_DTYPE_F32, node, squares);
    uint32_t above = add_2(r, STEP_ADD, TF_DTYPE_F32, node, power, add_number(r, TF_DTYPE_F32, node, eps));
    uint32_t inverse = add_1(r, STEP_RSQRT, TF_DTYPE_F32, node, above);
    return add_2(r, STEP_MUL, TF_DTYPE_F32, node, x, inverse);
}

static int read_rms_norm(struct rows *r, const struct tf_node *node, const uint32_t *in, uint32_t *out)
{
    const struct tf_type *x = node->in[0]->type;
    int status = read_length(r, node, x, x->rank - 1);
    uint32_t wide = add_cast(r, TF_DTYPE_F32, node, in[0]);
    uint32_t weight = add_cast(r, TF_DTYPE_F32, node, in[1]);
    uint32_t normed = add_2(r, STEP_MUL, TF_DTYPE_F32, node, add_normed(r, node, wide, "eps"), weight);
    *out = add_cast(r, node->type->dtype, node, normed);
    return status;
}

static int read_layer_norm(struct rows *r, const struct tf_node *node, const uint32_t *in, uint32_t *out)
{
    const struct tf_type *x = node->in[0]->type;
    const struct tf_val *axis = pk_attr(node, "axis");
    int64_t first = axis && axis->kind == TF_VAL_INT ? axis->u.i : 0;
    int status = read_length(r, node, x, (uint32_t)(first < 0 ? first + (int64_t)x->rank : first));
    uint32_t wide = add_cast(r, TF_DTYPE_F32, node, in[0]);
    uint32_t weight = add_cast(r, TF_DTYPE_F32, node, in[1]);
    uint32_t bias = add_cast(r, TF_DTYPE_F32, node, in[2]);
    uint32_t mean = add_1(r, STEP_MEAN, TF_DTYPE_F32, node, wide);
    uint32_t centered = add_2(r, STEP_SUB, TF_DTYPE_F32, node, wide, mean);
    uint32_t normed = add_2(r, STEP_MUL, TF_DTYPE_F32, node, add_normed(r, node, centered, "eps"), weight);
    *out = add_cast(r, node->type->dtype, node, add_2(r, STEP_ADD, TF_DTYPE_F32, node, normed, bias));
    return status;
}

/* A group whose scale would be 0 has scale 1. */
static int read_quant(struct rows *r, const struct tf_node *node, const uint32_t *in, uint32_t *codes, uint32_t *scale)
{
    double group = 0;
    pk_number(pk_attr(node, "group"), &group);
    if (!(group >= 1) || node->type->kind != TF_TYPE_TUPLE || node->type->rank != 2)
        return rows_refuse(r, node, "its groups are not known");
    uint32_t wide = add_cast(r, TF_DTYPE_F32, node, in[0]);
    uint32_t largest = add_1(r, STEP_ABS_MAX, TF_DTYPE_F32, node, wide);
    uint32_t limit = add_number(r, TF_DTYPE_F32, node, LARGEST_CODE);
    uint32_t part = add_2(r, STEP_DIV, TF_DTYPE_F32, node, largest, limit);
    uint32_t is_zero = add_2(r, STEP_EQ, TF_DTYPE_BOOL, node, part, add_number(r, TF_DTYPE_F32, node, 0));
    const uint32_t choice[] = {is_zero, add_number(r, TF_DTYPE_F32, node, 1), part};
    *scale = add_of(r, STEP_WHERE, TF_DTYPE_F32, node, 3, choice);
    uint32_t held = add_1(r, STEP_CLAMP, TF_DTYPE_F32, node, add_2(r, STEP_DIV, TF_DTYPE_F32, node, wide, *scale));
    if (held != NO_STEP) {
        r->steps[held].low = -LARGEST_CODE;
        r->steps[held].high = LARGEST_CODE;
    }
    *codes = add_cast(r, node->type->fields[0]->dtype, node, held);
    return read_group(r, node, (size_t)group);
}

/* ---- single operators ---------------------------------------------------------------------------------------------*/

struct named {
    const char *name;
    enum step_op op;
};

static const struct named unary_kinds[] = {{"square", STEP_SQUARE}, {"abs", STEP_ABS}, {"rsqrt", STEP_RSQRT},
    {"exp2", STEP_EXP2}, {"log2", STEP_LOG2}, {"ceil", STEP_CEIL}, {"round", STEP_ROUND}};
static const struct named binary_kinds[] = {{"add", STEP_ADD}, {"sub", STEP_SUB}, {"mul", STEP_MUL}, {"div", STEP_DIV},
    {"min", STEP_MIN}, {"max", STEP_MAX}, {"eq", STEP_EQ}};
static const struct named reduce_kinds[] = {
    {"sum", STEP_SUM}, {"mean", STEP_MEAN}, {"max", STEP_LARGEST}, {"abs_max", STEP_ABS_MAX}};
#define KINDS(table) table, sizeof(table) / sizeof(*(table))

static int find_kind(const struct tf_node *node, const struct named *kinds, size_t n, enum step_op *op)
{
    const struct tf_val *kind = pk_attr(node, "kind");
    for (size_t i = 0; kind && kind->kind == TF_VAL_STRING && i < n; i++)
        if (strcmp(kinds[i].name, kind->u.s) == 0) {
            *op = kinds[i].op;
            return 1;
        }
    return 0;
}

/* Of a reduction: the axes are the last ones, but for those of one element. */
static int read_axes(struct rows *r, const struct tf_node *node, enum step_op op)
{
    const struct tf_type *x = node->in[0]->type;
    uint32_t set = pk_axes(node, x->rank), first = 0;
    size_t n, group = 1;
    while (first < x->rank && !(set >> first & 1))
        first++;
    for (uint32_t axis = first; axis < x->rank; axis++) {
        if (!pk_extent(x, axis, &n))
            return rows_refuse(r, node, "an extent is not known, or is 0");
        if (!(set >> axis & 1) && n != 1)
            return rows_refuse(r, node, "it does not go along the last axes, so rows are not what it reduces");
        group *= n;
    }
    if (!set)
        return rows_refuse(r, node, "its axes are not known");
    return op == STEP_SUM || op == STEP_MEAN ? read_length(r, node, x, first) : read_group(r, node, group);
}

static uint32_t fold_numbers(struct rows *r, const struct tf_node *node, enum step_op op, const uint32_t *in)
{
    double a = r->steps[in[0]].number, b = r->steps[in[1]].number;
    double value = op == STEP_ADD ? a + b : op == STEP_SUB ? a - b : op == STEP_MUL ? a * b : a / b;
    return add_number(r, node->type->dtype, node, value);
}

static int read_clamp(struct rows *r, const struct tf_node *node, const uint32_t *in, uint32_t *out)
{
    double bound;
    *out = add_of(r, STEP_CLAMP, node->type->dtype, node, 1, in);
    if (*out == NO_STEP)
        return TF_OK;
    if (pk_number(pk_attr(node, "min_val"), &bound))
        r->steps[*out].low = rows_rounded(node->type->dtype, bound);
    if (pk_number(pk_attr(node, "max_val"), &bound))
        r->steps[*out].high = rows_rounded(node->type->dtype, bound);
    return TF_OK;
}

static int is_number(const struct rows *r, uint32_t step)
{
    return r->steps[step].op == STEP_NUMBER;
}

static int read_binary(struct rows *r, const struct tf_node *node, const uint32_t *in, enum step_op op, uint32_t *out)
{
    if (is_number(r, in[0]) && is_number(r, in[1]) && op >= STEP_ADD && op <= STEP_DIV)
        *out = fold_numbers(r, node, op, in);
    else
        *out = add_of(r, op, node->type->dtype, node, 2, in);
    return TF_OK;
}

static int read_single(struct rows *r, const struct tf_node *node, const uint32_t *in, uint32_t *out)
{
    enum step_op op;
    if (node->type->kind != TF_TYPE_TENSOR || node->in[0]->type->kind != TF_TYPE_TENSOR)
        return rows_refuse(r, node, "it is no tensor");
    if (pk_is_op(node, "cast") && is_number(r, in[0]))
        *out = add_number(r, node->type->dtype, node, r->steps[in[0]].number);
    else if (pk_is_op(node, "cast"))
        *out = add_cast(r, node->type->dtype, node, in[0]);
    else if (pk_is_op(node, "clamp"))
        return read_clamp(r, node, in, out);
    else if (pk_is_op(node, "where"))
        *out = add_of(r, STEP_WHERE, node->type->dtype, node, 3, in);
    else if (pk_is_op(node, "unary") && find_kind(node, KINDS(unary_kinds), &op))
        *out = add_1(r, op, node->type->dtype, node, in[0]);
    else if (pk_is_op(node, "binary") && find_kind(node, KINDS(binary_kinds), &op))
        return read_binary(r, node, in, op, out);
    else if (pk_is_op(node, "reduce") && find_kind(node, KINDS(reduce_kinds), &op)) {
        *out = add_1(r, op, node->type->dtype, node, in[0]);
        return read_axes(r, node, op);
    } else
        return rows_refuse(
            r, node, tf_host->format(r->ctx, "'%s' is no step of a normalisation", node->op ? node->op->name : "this"));
    return TF_OK;
}

/* ---- leaves -------------------------------------------------------------------------------------------------------*/

static int read_param(struct rows *r, const struct tf_node *node, uint32_t *out)
{
    const struct tf_function *f = r->program->function;
    uint32_t index = 0;
    while (index < f->n_params && f->params[index] != node)
        index++;
    if (index == f->n_params || node->type->kind != TF_TYPE_TENSOR || !is_known(node->type->dtype))
        return rows_refuse(r, node, "a parameter is neither f32 nor bf16 nor f16");
    *out = add(r, STEP_PARAM, node->type->dtype, node);
    if (*out != NO_STEP)
        r->steps[*out].param = index;
    return TF_OK;
}

static int read_number(struct rows *r, const struct tf_node *node, uint32_t *out)
{
    double number;
    if (node->type->kind != TF_TYPE_TENSOR || !is_known(node->type->dtype) || !pk_number(node->val, &number))
        return rows_refuse(r, node, "a number is no float");
    *out = add_number(r, node->type->dtype, node, number);
    return TF_OK;
}

/* ---- the walk -----------------------------------------------------------------------------------------------------*/

static void push(struct reader *w, const struct tf_node *node)
{
    if (w->n == w->room) {
        size_t room = 2 * w->room + 64;
        const struct tf_node **stack = tf_host->alloc(w->rows->ctx, room * sizeof(*stack));
        for (size_t i = 0; i < w->n; i++)
            stack[i] = w->stack[i];
        w->stack = stack;
        w->room = room;
    }
    w->stack[w->n++] = node;
}

/* The call that gives a value, and which of its results that is. */
static const struct tf_node *giver(const struct tf_node *value, uint32_t *index)
{
    const struct tf_node *node = pk_through(value, PK_SHAPES), *call = pk_item_of(node, index);
    if (!call)
        *index = 0;
    return call ? call : node;
}

static uint32_t step_of(const struct reader *w, const struct tf_node *value)
{
    uint32_t index;
    const struct tf_node *node = giver(value, &index);
    uint32_t found = index ? w->scale_of[node->id] : w->step_of[node->id];
    return index > 1 || !found ? NO_STEP : found - 1;
}

static int read_node(struct reader *w, const struct tf_node *node, uint32_t *out)
{
    struct rows *r = w->rows;
    uint32_t in[3] = {NO_STEP, NO_STEP, NO_STEP}, scale = NO_STEP, before = r->n_steps;
    int status;
    if (node->kind == TF_NODE_PARAM)
        return read_param(r, node, out);
    if (node->kind == TF_NODE_CONST)
        return read_number(r, node, out);
    if (node->kind != TF_NODE_CALL || !node->n_in || node->n_in > 3)
        return rows_refuse(r, node, "there is a loop, or a value that is no tensor");
    for (uint32_t i = 0; i < node->n_in; i++) {
        in[i] = step_of(w, node->in[i]);
        if (in[i] == NO_STEP)
            return rows_refuse(r, node, "it takes a value that is no step of a normalisation");
    }
    if (pk_is_op(node, "rms_norm"))
        return read_rms_norm(r, node, in, out);
    if (pk_is_op(node, "layer_norm"))
        return read_layer_norm(r, node, in, out);
    if (pk_is_op(node, "quant")) {
        status = read_quant(r, node, in, out, &scale);
        w->scale_of[node->id] = scale == NO_STEP ? 0 : scale + 1;
        return status;
    }
    status = read_single(r, node, in, out);
    if (!status && *out != NO_STEP && *out >= before)
        r->steps[*out].is_written = 1;
    return status;
}

static int read_from(struct reader *w, const struct tf_node *root)
{
    uint32_t index;
    push(w, giver(root, &index));
    while (w->n) {
        const struct tf_node *node = w->stack[w->n - 1];
        uint32_t out = NO_STEP, waits = 0;
        if (w->step_of[node->id]) {
            w->n--;
            continue;
        }
        for (uint32_t i = 0; node->kind == TF_NODE_CALL && i < node->n_in && node->n_in <= 3; i++) {
            const struct tf_node *from = giver(node->in[i], &index);
            if (!w->step_of[from->id]) {
                push(w, from);
                waits = 1;
            }
        }
        if (waits && w->n > 4 * MOST_STEPS)
            return rows_refuse(w->rows, node, "it has more steps than a normalisation has");
        if (waits)
            continue;
        int status = read_node(w, node, &out);
        if (!status && out == NO_STEP)
            status = rows_refuse(w->rows, node, "it has more steps than a normalisation has");
        if (status)
            return status;
        w->step_of[node->id] = out + 1;
        w->n--;
    }
    return TF_OK;
}

/* A result: an item of the tuple that the body is, or that the call gives which it is, or the body itself. */
static int read_output(struct reader *w, const struct tf_node *body, uint32_t i)
{
    struct rows *r = w->rows;
    int is_call = body->kind != TF_NODE_TUPLE && body->type->kind == TF_TYPE_TUPLE;
    const struct tf_node *output = body->kind == TF_NODE_TUPLE ? body->in[i] : body;
    const struct tf_type *type = is_call ? body->type->fields[i] : output->type;
    int status = read_from(w, output);
    if (status)
        return status;
    r->output_dtypes[i] = type->dtype;
    r->outputs[i] = is_call && i ? w->scale_of[body->id] - 1 : step_of(w, output);
    if (r->outputs[i] == NO_STEP || type->kind != TF_TYPE_TENSOR)
        return rows_refuse(r, output, "what it gives is no step of a normalisation");
    return TF_OK;
}

int rows_read(struct rows *r)
{
    const struct tf_function *f = r->program->function;
    const struct tf_node *body = f->body ? pk_through(f->body, PK_PLACES) : NULL;
    struct reader w = {.rows = r};
    if (!body)
        return rows_refuse(r, NULL, "it has no body");
    for (uint32_t i = 0; i < f->n_params; i++)
        if (f->params[i]->type->kind != TF_TYPE_TENSOR)
            return rows_refuse(r, f->params[i], "a parameter is a tuple");
    w.step_of = tf_host->alloc(r->ctx, (f->n_nodes + 1) * sizeof(*w.step_of));
    w.scale_of = tf_host->alloc(r->ctx, (f->n_nodes + 1) * sizeof(*w.scale_of));
    r->steps = tf_host->alloc(r->ctx, MOST_STEPS * sizeof(*r->steps));
    r->n_outputs = body->type->kind == TF_TYPE_TUPLE ? body->type->rank : 1;
    r->outputs = tf_host->alloc(r->ctx, (r->n_outputs + 1) * sizeof(*r->outputs));
    r->output_dtypes = tf_host->alloc(r->ctx, (r->n_outputs + 1) * sizeof(*r->output_dtypes));
    for (uint32_t i = 0; i < r->n_outputs; i++) {
        int status = read_output(&w, body, i);
        if (status)
            return status;
    }
    return TF_OK;
}

/* SPDX-License-Identifier: MIT
 * What goes along rows: reductions, softmax, the normalisations, quantisation.  Sums keep the order that the language
 * states: groups of eight in f32, added in double.
 */
#include "bodies.h"

/* One group, as numbers of the count by j or k. */
static void write_group(struct lower *l, const char *type, const char *loop, const char *item)
{
    line(l, "%s group = 0;", type);
    open_brace(l, "%s", loop);
    line(l, "group += %s;", item);
    close_brace(l);
    line(l, *type == 'f' ? "total += (double)group;" : "total += group;");
}

/* A sum of n numbers, each an expression of k, into `total`. */
static void write_sum(
    struct lower *l, const char *type, size_t n, const char *(*at)(struct lower *, void *, const char *), void *data)
{
    size_t whole = n / 8 * 8;
    line(l, "double total = 0;");
    if (whole) {
        struct axes groups = open_lanes(l, "k", whole, 8);
        write_group(l, type, "for (size_t j = 0; j < 8; j++)", at(l, data, "k + j"));
        close_axes(l, &groups);
    }
    if (n > whole) {
        l->dialect->open_once(l);
        write_group(l, type, fmt(l, "for (size_t k = %zu; k < %zu; k++)", whole, n), at(l, data, "k"));
        close_brace(l);
    }
    fold(l, "sum", "double", "total");
}

/* What one lane does, where lanes share the item. */
static void open_one(struct lower *l)
{
    if (l->dialect->is_shared)
        l->dialect->open_once(l);
}

static void close_one(struct lower *l)
{
    if (l->dialect->is_shared)
        close_brace(l);
}

/* Room for the numbers of a row. */
static const char *scratch(struct lower *l, const char *type, const char *name, size_t n)
{
    l->is_kept = 1;
    return l->dialect->scratch(l, type, name, n ? n : 1);
}

struct run {
    const struct view *view;
    const char **ix;
    uint64_t set;
};

static const char *run_at(struct lower *l, void *data, const char *number)
{
    struct run *run = data;
    count_axes(l, run->view->type, run->set, number, run->ix);
    return element(l, run->view, run->ix);
}

static const char *array_at(struct lower *l, void *data, const char *number)
{
    return fmt(l, "%s[%s]", (const char *)data, number);
}

/* ---- reduce --------------------------------------------------------------------------------------------------------*/

static uint64_t axes_of(const struct tf_node *node)
{
    const struct tf_val *named = &node->attrs[0];
    uint64_t set = 0;
    for (uint32_t i = 0; i < named->count; i++)
        set |= UINT64_C(1) << axis_of(&named->u.items[i], node->in[0]->type->rank);
    return set;
}

static uint32_t reduce_depth(const struct tf_node *node)
{
    uint64_t set = axes_of(node);
    uint32_t depth = 0;
    while (depth < node->in[0]->type->rank && !(set >> depth & 1))
        depth++;
    return depth;
}

/* Indices of the result from those of x: axes that are reduced are gone, or of one element. */
static const char **result_indices(struct lower *l, const struct tf_node *node, uint64_t set, const char *const *ix)
{
    const char **out = tf_host->alloc(l->ctx, (TF_MAX_RANK + 1) * sizeof(*out));
    uint32_t rank = node->in[0]->type->rank, n = 0;
    int keeps = node->type->rank == rank;
    for (uint32_t i = 0; i < rank; i++)
        if (keeps)
            out[i] = set >> i & 1 ? NULL : ix[i];
        else if (!(set >> i & 1))
            out[n++] = ix[i];
    return out;
}

/* Elements that follow each other evenly in the set's last axes, and whether they lie side by side. */
static size_t even_run(const struct tf_type *x, uint64_t set, int *beside)
{
    size_t n = 1, step = 1;
    uint32_t i = x->rank;
    while (i && (!(set >> (i - 1) & 1) || extent(x, i - 1) == 1)) {
        step *= (size_t)extent(x, i - 1);
        i--;
    }
    for (; i && (set >> (i - 1) & 1 || extent(x, i - 1) == 1); i--)
        n *= (size_t)extent(x, i - 1);
    *beside = step == 1;
    return n;
}

static double least_real(uint32_t dtype)
{
    switch (dtype) {
    case TF_DTYPE_FP8E4M3: return -448;
    case TF_DTYPE_F4E2M1: return -6;
    case TF_DTYPE_F8E8M0: return 0x1p-127;
    default: return -__builtin_inf();
    }
}

static const char *larger(struct lower *l, const char *a, const char *b, int is_abs, uint32_t dtype)
{
    return fmt(l, "larger%s_%s(%s, %s)", is_abs ? "_abs" : "", dtype == TF_DTYPE_F64 ? "f64" : "f32", a, b);
}

/* In eight places that are joined after each run, so that of +0 and -0 the one is chosen that the language's evaluator
 * chooses. */
static void write_largest_run(
    struct lower *l, uint32_t dtype, int is_abs, size_t n, size_t most, const char *base, struct run *run)
{
    const char *type = step_type(dtype);
    open_brace(l, "for (size_t first = 0; first < %zu; first += %zu)", n, most);
    line(l, "const size_t n = %zu - first < %zu ? %zu - first : %zu;", n, most, n, most);
    line(l, "%s lane[8];", type);
    line(l, "size_t k = 0;");
    open_brace(l, "for (size_t j = 0; j < 8; j++)");
    line(l, "lane[j] = largest;");
    close_brace(l);
    if (n >= 8) {
        open_brace(l, "for (; n - k >= 8; k += 8)");
        open_brace(l, "for (size_t j = 0; j < 8; j++)");
        line(l, "lane[j] = %s;", larger(l, "lane[j]", run_at(l, run, fmt(l, "%s + j", base)), is_abs, dtype));
        close_brace(l);
        close_brace(l);
    }
    open_brace(l, "for (size_t j = 0; j < 8 && k < n; k++, j++)");
    line(l, "lane[j] = %s;", larger(l, "lane[j]", run_at(l, run, base), is_abs, dtype));
    close_brace(l);
    open_brace(l, "for (size_t j = 1; j < 8; j++)");
    line(l, "lane[0] = %s;", larger(l, "lane[0]", "lane[j]", 0, dtype));
    close_brace(l);
    line(l, "largest = lane[0];");
    close_brace(l);
}

/* Sizes are in the order of their bits, NaN last: an integer's maximum, which may be taken in any order. */
static void write_largest_size(struct lower *l, size_t n, struct run *run)
{
    line(l, "uint32_t most = 0;");
    open_brace(l, "for (size_t k = 0; k < %zu; k++)", n);
    line(l, "const uint32_t size = bits_of_f32(%s) & 0x7fffffffu;", run_at(l, run, "k"));
    line(l, "most = size > most ? size : most;");
    close_brace(l);
    line(l, "const float largest = f32_of_bits(most);");
}

static void write_largest(struct lower *l, uint32_t dtype, int is_abs, size_t n, struct run *run)
{
    int beside;
    size_t even = even_run(run->view->type, run->set, &beside), most = beside ? 256 : 64;
    const char *type = step_type(dtype);
    if (is_abs && dtype != TF_DTYPE_F64 && !l->dialect->is_shared) {
        write_largest_size(l, n, run);
        return;
    }
    line(l, "%s largest = %s;", type, literal(l, type, is_abs ? 0 : least_real(dtype)));
    if (!n)
        return;
    if (l->dialect->is_shared) {
        struct axes lanes = open_lanes(l, "k", n, 1);
        line(l, "largest = %s;", larger(l, "largest", run_at(l, run, "k"), is_abs, dtype));
        close_axes(l, &lanes);
        fold(l, "larger", type, "largest");
        return;
    }
    if (even != n)
        open_brace(l, "for (size_t run = 0; run < %zu; run += %zu)", n, even);
    write_largest_run(l, dtype, is_abs, even, most, even != n ? "run + first + k" : "first + k", run);
    if (even != n)
        close_brace(l);
}

static void write_int_fold(
    struct lower *l, const struct tf_node *node, const char *kind, size_t n, struct run *run, const char **to)
{
    uint32_t dtype = node->type->dtype;
    const struct tf_dtype_info *info = tf_host->dtype(dtype);
    int is_signed = info->cls == TF_CLASS_INT;
    int64_t most = (int64_t)((UINT64_C(1) << (info->bits - (uint32_t)is_signed)) - 1);
    struct tf_val least = {.kind = TF_VAL_INT, .u.i = is_signed ? -most - 1 : 0};
    uint32_t from = node->in[0]->type->dtype;
    const struct tf_dtype_info *source = tf_host->dtype(from);
    int is_sum = strcmp(kind, "sum") == 0, is_max = strcmp(kind, "max") == 0;
    struct tf_val start = {.kind = TF_VAL_INT};
    if (is_max && source->cls == TF_CLASS_INT)
        start.u.i = -(int64_t)((UINT64_C(1) << (source->bits - 1)) - 1) - 1;
    line(l, "int64_t high = %s;", constant(l, TF_DTYPE_I64, &start));
    line(l, "uint64_t low = 0;");
    open_brace(l, "for (size_t k = 0; k < %zu; k++)", n);
    line(l, "const int64_t x = %s;", run_at(l, run, "k"));
    if (is_sum) {
        line(l, "low += (uint64_t)x & 0xffffffff;");
        line(l, "high += (x - (x & 0xffffffff)) / INT64_C(4294967296);");
    } else if (is_max) {
        line(l, "high = x > high ? x : high;");
    } else {
        line(l, "const uint64_t magnitude = x < 0 ? 0 - (uint64_t)x : (uint64_t)x;");
        line(l, "low = magnitude > low ? magnitude : low;");
    }
    close_brace(l);
    if (is_sum) {
        line(l, "high += (int64_t)(low >> 32);");
        line(l, "low &= 0xffffffff;");
        line(l, "const int fits = high >= -INT64_C(2147483648) && high < INT64_C(2147483648);");
        line(l, "const int64_t number = fits ? high * INT64_C(4294967296) + (int64_t)low : 0;");
    } else {
        line(l, is_max ? "const int fits = low == 0;" : "const int fits = low <= INT64_MAX && high == 0;");
        line(l, is_max ? "const int64_t number = high;" : "const int64_t number = fits ? (int64_t)low : 0;");
    }
    line(l, "if (!fits || number < %s || number > INT64_C(%" PRId64 "))", constant(l, TF_DTYPE_I64, &least), most);
    line(l, "    status = 2; /* it does not fit %s */", info->name);
    put(l, result(l, node), to, "int64_t", "number");
}

static void emit_reduce(struct lower *l, const struct tf_node *node)
{
    const struct view *x = arg(l, node, 0);
    const char *kind = node->attrs[2].u.s, **ix = indices(l, x->type->rank);
    uint64_t set = axes_of(node);
    uint32_t dtype = x->type->dtype;
    size_t n = count_of(x->type, set);
    struct axes items = open_items(l, x->type, l->rows, x->type->rank, set, ix, is_real(dtype) ? n : 0);
    struct run run = {x, ix, set};
    const char **to = result_indices(l, node, set, ix), *type = step_type(dtype);
    open_brace(l, "%s", "");
    if (!is_real(dtype)) {
        write_int_fold(l, node, kind, n, &run, to);
    } else if (strcmp(kind, "sum") == 0 || strcmp(kind, "mean") == 0) {
        write_sum(l, type, n, run_at, &run);
        open_one(l);
        put(l, result(l, node), to, "double", *kind == 'm' ? fmt(l, "total / %zu.0", n) : "total");
        close_one(l);
    } else {
        write_largest(l, dtype, strcmp(kind, "max") != 0, n, &run);
        if (node->type->dtype == TF_DTYPE_FP8E5M2)
            line(l, "%s[%s] = fp8e5m2_kept_of_f32(largest);", result(l, node)->buffer->name,
                place_of(l, result(l, node), to));
        else
            put(l, result(l, node), to, type, "largest");
    }
    close_brace(l);
    close_axes(l, &items);
}

/* ---- softmax -------------------------------------------------------------------------------------------------------*/

static uint32_t softmax_depth(const struct tf_node *node)
{
    return axis_of(&node->attrs[0], node->type->rank);
}

static void emit_softmax(struct lower *l, const struct tf_node *node)
{
    const struct view *x = arg(l, node, 0);
    const char **ix = indices(l, x->type->rank), *type = step_type(x->type->dtype);
    uint32_t axis = softmax_depth(node);
    uint64_t set = UINT64_C(1) << axis;
    size_t n = (size_t)extent(x->type, axis);
    struct axes items = open_items(l, x->type, l->rows, x->type->rank, set, ix, n), lanes;
    const char *item = run_at(l, &(struct run){x, ix, set}, "k"), *row = fmt(l, "%s_e", result(l, node)->buffer->name);
    open_brace(l, "%s", "");
    row = scratch(l, type, row, n);
    line(l, "%s most = %s;", type, n ? run_at(l, &(struct run){x, ix, set}, "0") : "0");
    lanes = open_lanes(l, "k", n, 1);
    line(l, "%s[k] = %s;", row, item);
    line(l, "most = %s[k] != %s[k] || %s[k] > most ? %s[k] : most;", row, row, row, row);
    close_axes(l, &lanes);
    fold(l, "larger", type, "most");
    lanes = open_lanes(l, "k", n, 1);
    line(l, *type == 'f' ? "%s[k] = (float)exp((double)(%s[k] - most));" : "%s[k] = exp(%s[k] - most);", row, row);
    close_axes(l, &lanes);
    join(l, JOIN_LANES);
    write_sum(l, type, n, array_at, (void *)(uintptr_t)row);
    line(l, "const %s sum = (%s)total;", type, type);
    lanes = open_lanes(l, "k", n, 1);
    ix[axis] = "k";
    put(l, result(l, node), ix, type, fmt(l, "%s[k] / sum", row));
    close_axes(l, &lanes);
    close_brace(l);
    close_axes(l, &items);
}

/* ---- rms_norm, layer_norm ------------------------------------------------------------------------------------------*/

static uint32_t norm_depth(const struct tf_node *node)
{
    int64_t axis = is_op(node, "layer_norm") ? axis_of(&node->attrs[0], node->type->rank) : node->type->rank - 1;
    return (uint32_t)axis;
}

static void write_mean(struct lower *l, const char *type, size_t n)
{
    line(l, "const %s mean = (%s)(total / %zu.0);", type, type, n);
}

/* What the row is multiplied by; one lane's work, where lanes share it. */
static void write_factor(struct lower *l, const char *type, size_t n, const char *epsilon)
{
    const char *factor = fmt(l, "(%s)(1 / sqrt((double)(mean + %s)))", type, epsilon);
    if (!l->dialect->is_shared) {
        write_mean(l, type, n);
        line(l, "const %s factor = %s;", type, factor);
        return;
    }
    const char *one = scratch(l, type, "one", 1);
    open_one(l);
    write_mean(l, type, n);
    line(l, "%s[0] = %s;", one, factor);
    close_one(l);
    join(l, JOIN_LANES);
    line(l, "const %s factor = %s[0];", type, one);
}

static const char *square_at(struct lower *l, void *data, const char *number)
{
    return fmt(l, "%s[%s] * %s[%s]", (const char *)data, number, (const char *)data, number);
}

/* An element of a parameter, which is of one row. */
static const char *parameter(struct lower *l, const struct view *view)
{
    const char *ix[TF_MAX_RANK] = {NULL};
    uint32_t rows = l->rows;
    l->rows = 0;
    count_axes(l, view->type, (UINT64_C(1) << view->type->rank) - 1, "k", ix);
    const char *text = element(l, view, ix);
    l->rows = rows;
    return text;
}

static void emit_norm(struct lower *l, const struct tf_node *node)
{
    const struct view *x = arg(l, node, 0);
    int is_layer = is_op(node, "layer_norm");
    uint32_t rank = x->type->rank, depth = norm_depth(node), dtype = x->type->dtype;
    const struct tf_val *eps = &node->attrs[is_layer ? 1 : 0];
    uint64_t set = 0;
    const char **ix = indices(l, rank), *type = step_type(dtype), *row = fmt(l, "%s_x", result(l, node)->buffer->name);
    for (uint32_t i = depth; i < rank; i++)
        set |= UINT64_C(1) << i;
    size_t n = count_of(x->type, set);
    struct axes items = open_items(l, x->type, l->rows, depth, 0, ix, n), lanes;
    double epsilon = eps->kind == TF_VAL_FLOAT ? eps->u.f : (double)eps->u.i;
    epsilon = dtype == TF_DTYPE_F64 ? epsilon : (double)(float)epsilon;
    open_brace(l, "%s", "");
    row = scratch(l, type, row, n);
    lanes = open_lanes(l, "k", n, 1);
    line(l, "%s[k] = %s;", row, run_at(l, &(struct run){x, ix, set}, "k"));
    close_axes(l, &lanes);
    join(l, JOIN_LANES);
    if (is_layer) {
        open_brace(l, "%s", "");
        write_sum(l, type, n, array_at, (void *)(uintptr_t)row);
        write_mean(l, type, n);
        lanes = open_lanes(l, "k", n, 1);
        line(l, "%s[k] -= mean;", row);
        close_axes(l, &lanes);
        join(l, JOIN_LANES);
        close_brace(l);
    }
    write_sum(l, type, n, square_at, (void *)(uintptr_t)row);
    write_factor(l, type, n, literal(l, type, epsilon));
    lanes = open_lanes(l, "k", n, 1);
    const char *w = parameter(l, arg(l, node, 1));
    const char *number = fmt(l, "%s[k] * factor * %s", row, *type == 'd' ? fmt(l, "(double)%s", w) : w);
    if (node->n_in > 2)
        number = fmt(l, "%s + %s", number, parameter(l, arg(l, node, 2)));
    count_axes(l, x->type, set, "k", ix);
    put(l, result(l, node), ix, type, number);
    close_axes(l, &lanes);
    close_brace(l);
    close_axes(l, &items);
}

/* ---- quant ---------------------------------------------------------------------------------------------------------*/

static uint32_t quant_depth(const struct tf_node *node)
{
    return node->in[0]->type->rank - 1;
}

static void emit_quant(struct lower *l, const struct tf_node *node)
{
    const struct view *x = arg(l, node, 0), *codes = result(l, node), *scales = codes + 1;
    uint32_t rank = x->type->rank, last = rank - 1;
    const char **ix = indices(l, rank);
    size_t size = (size_t)number_of(&node->attrs[1]), groups = (size_t)extent(x->type, last) / size;
    struct axes items = axes_but(l, x->type, l->rows, last, 0, ix), lanes;
    add_axis(&items, "g", groups);
    l->dialect->open_items(l, &items, size);
    line(l, "float largest = 0;");
    ix[last] = fmt(l, "g * %zu + k", size);
    const char *item = element(l, x, ix);
    const char *lane = x->type->dtype == TF_DTYPE_F64 ? "(float)" : "";
    lanes = open_lanes(l, "k", size, 1);
    line(l, "largest = larger_abs_f32(largest, %s%s);", lane, item);
    close_axes(l, &lanes);
    fold(l, "larger", "float", "largest");
    line(l, "const float scale = largest / 448 == 0 ? 1 : largest / 448;");
    lanes = open_lanes(l, "k", size, 1);
    line(l, "const float code = at_least_f32(at_most_f32(%s%s / scale, 448), -448);", lane, item);
    put(l, codes, ix, "float", "code");
    close_axes(l, &lanes);
    ix[last] = "g";
    put(l, scales, ix, "float", "scale");
    close_axes(l, &items);
}

/* ---- argmax, topk --------------------------------------------------------------------------------------------------*/

static uint32_t argmax_depth(const struct tf_node *node)
{
    return axis_of(&node->attrs[is_op(node, "topk") ? 1 : 0], node->in[0]->type->rank);
}

static const char *key_of(struct lower *l, const struct view *x, const char *item)
{
    return is_real(x->type->dtype) ? fmt(l, "key_of(%s%s)", x->type->dtype == TF_DTYPE_F64 ? "" : "(double)", item)
                                   : item;
}

static void emit_argmax(struct lower *l, const struct tf_node *node)
{
    const struct view *x = arg(l, node, 0);
    uint64_t set = UINT64_C(1) << argmax_depth(node);
    const char **ix = indices(l, x->type->rank);
    struct axes items = open_items(l, x->type, l->rows, x->type->rank, set, ix, 0);
    const char **to = result_indices(l, node, set, ix);
    open_brace(l, "%s", "");
    line(l, "int64_t best = 0, at = 0;");
    open_brace(l, "for (size_t k = 0; k < %zu; k++)", count_of(x->type, set));
    line(l, "const int64_t key = %s;", key_of(l, x, run_at(l, &(struct run){x, ix, set}, "k")));
    line(l, "at = k == 0 || key > best ? (int64_t)k : at;");
    line(l, "best = k == 0 || key > best ? key : best;");
    close_brace(l);
    put(l, result(l, node), to, "int64_t", "at");
    close_brace(l);
    close_axes(l, &items);
}

/* The best are put in order as they are met; of equal ones the first stays first. */
static void emit_topk(struct lower *l, const struct tf_node *node)
{
    const struct view *x = arg(l, node, 0), *values = result(l, node), *places = values + 1;
    uint32_t axis = argmax_depth(node);
    uint64_t set = UINT64_C(1) << axis;
    const char **ix = indices(l, x->type->rank);
    size_t k = (size_t)extent(values->type, axis);
    if (!k)
        return;
    struct axes items = open_items(l, x->type, l->rows, x->type->rank, set, ix, 0);
    open_brace(l, "%s", "");
    line(l, "int64_t *const keys = %s, *const at = keys + %zu;", scratch(l, "int64_t", "best", 2 * k), k);
    line(l, "size_t n = 0;");
    open_brace(l, "for (size_t k = 0; k < %zu; k++)", count_of(x->type, set));
    line(l, "const int64_t key = %s%s;", node->attrs[2].u.i ? "" : "~",
        key_of(l, x, run_at(l, &(struct run){x, ix, set}, "k")));
    open_brace(l, "if (n == %zu && key <= keys[n - 1])", k);
    line(l, "continue;");
    close_brace(l);
    line(l, "size_t to = n < %zu ? n++ : n - 1;", k);
    open_brace(l, "for (; to && key > keys[to - 1]; to--)");
    line(l, "keys[to] = keys[to - 1];");
    line(l, "at[to] = at[to - 1];");
    close_brace(l);
    line(l, "keys[to] = key;");
    line(l, "at[to] = (int64_t)k;");
    close_brace(l);
    open_brace(l, "for (size_t k = 0; k < %zu; k++)", k);
    ix[axis] = "(size_t)at[k]";
    const char *from = item_code(l, x, ix);
    ix[axis] = "k";
    line(l, "%s[%s] = %s;", values->buffer->name, place_of(l, values, ix), from);
    put(l, places, ix, "int64_t", "at[k]");
    close_brace(l);
    close_brace(l);
    close_axes(l, &items);
}

const struct body row_bodies[] = {
    {"reduce", reduce_depth, 0, emit_reduce},
    {"softmax", softmax_depth, 0, emit_softmax},
    {"rms_norm", norm_depth, 6, emit_norm},
    {"layer_norm", norm_depth, 6, emit_norm},
    {"quant", quant_depth, 0, emit_quant},
    {"argmax", argmax_depth, 0, emit_argmax},
    {"topk", argmax_depth, 0, emit_topk},
    {NULL, NULL, 0, NULL},
};

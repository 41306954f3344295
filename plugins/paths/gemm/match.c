/* SPDX-License-Identifier: MIT
 *
 * Which programs are a product with what follows it.  From the result backwards, each value has one element for each of
 * the result's, until it is the product, a parameter that is broadcast, or a number.
 */
#include "gemm.h"

#include "pathkit.h"

#define DTYPES                                                                                                         \
    (1u << TF_DTYPE_F32 | 1u << TF_DTYPE_F16 | 1u << TF_DTYPE_BF16 | 1u << TF_DTYPE_FP8E4M3 | 1u << TF_DTYPE_FP8E5M2)

/* A node as the result's elements see it: the box that they are counted by, and which of its axes each of the node's
 * goes along; -1: it stands at 0. */
struct sight {
    const struct tf_node *node;
    struct gemm_walk box; /* strides unused */
    int32_t axis[TF_MAX_RANK];
    uint32_t *to; /* which value it is */
};

struct matching {
    struct gemm *gemm;
    const struct tf_node *product;
    const char *why;
    const struct tf_loc *loc;
    struct sight pending[2 * GEMM_VALUES], seen[GEMM_VALUES];
    uint32_t n_pending, root;
};

static int refuse(struct matching *m, const struct tf_node *node, const char *why)
{
    m->why = m->why ? m->why : why;
    m->loc = m->loc ? m->loc : &node->loc;
    return 0;
}

static int is_float(uint32_t dtype)
{
    return DTYPES >> dtype & 1;
}

/* ---- views --------------------------------------------------------------------------------------------------------*/

/* A parameter under other axes: extents and strides of each. */
struct view {
    uint32_t param, dtype;
    struct gemm_walk axes;
};

static int dense(struct view *view, const struct tf_type *type)
{
    size_t stride = 1;
    view->axes.rank = type->rank;
    for (uint32_t axis = type->rank; axis-- > 0; stride *= view->axes.extent[axis]) {
        if (!pk_extent(type, axis, &view->axes.extent[axis]))
            return 0;
        view->axes.stride[axis] = stride;
    }
    return 1;
}

static int is_dense(const struct gemm_walk *axes)
{
    size_t stride = 1;
    for (uint32_t axis = axes->rank; axis-- > 0; stride *= axes->extent[axis])
        if (axes->extent[axis] != 1 && axes->stride[axis] != stride)
            return 0;
    return 1;
}

/* Whether each number of one dtype is one of the other. */
static int widens(uint32_t from, uint32_t to)
{
    int is_8 = from == TF_DTYPE_FP8E4M3 || from == TF_DTYPE_FP8E5M2;
    return from == to || (to == TF_DTYPE_F32 && is_float(from)) ||
           (is_8 && (to == TF_DTYPE_BF16 || to == TF_DTYPE_F16));
}

static int transposed(struct view *view, const struct tf_node *node)
{
    struct gemm_walk from = view->axes;
    const struct tf_val *order = pk_attr(node, "perm");
    if (!order || order->kind != TF_VAL_TUPLE || order->count != from.rank)
        return 0;
    for (uint32_t i = 0; i < from.rank; i++) {
        int64_t axis = order->u.items[i].kind == TF_VAL_INT ? order->u.items[i].u.i : -1 - (int64_t)from.rank;
        axis += axis < 0 ? (int64_t)from.rank : 0;
        if (axis < 0 || axis >= (int64_t)from.rank)
            return 0;
        view->axes.extent[i] = from.extent[axis];
        view->axes.stride[i] = from.stride[axis];
    }
    return 1;
}

/* What is below a node that only counts its operand's elements anew, with `casts` one that widens them as well. */
static const struct tf_node *viewed(const struct tf_node *node, int casts)
{
    int is_view = pk_is_op(node, "reshape") || pk_is_op(node, "transpose") ||
                  (casts && pk_is_op(node, "cast") && widens(node->in[0]->type->dtype, node->type->dtype));
    return is_view ? pk_through(node->in[0], PK_PLACES) : NULL;
}

#define VIEWS 16

static int view_of(const struct matching *m, const struct tf_node *node, int casts, struct view *view)
{
    const struct tf_node *chain[VIEWS], *next;
    const struct tf_function *f = m->gemm->program->function;
    uint32_t n = 0;
    node = pk_through(node, PK_PLACES);
    for (; (next = viewed(node, casts)) != NULL; node = next) {
        if (n == VIEWS)
            return 0;
        chain[n++] = node;
    }
    for (view->param = 0; view->param < f->n_params && f->params[view->param] != node;)
        view->param++;
    view->dtype = node->type->dtype;
    if (view->param == f->n_params || node->type->kind != TF_TYPE_TENSOR || !dense(view, node->type))
        return 0;
    while (n-- > 0) {
        if (pk_is_op(chain[n], "transpose") && !transposed(view, chain[n]))
            return 0;
        if (pk_is_op(chain[n], "reshape") && (!is_dense(&view->axes) || !dense(view, chain[n]->type)))
            return 0;
    }
    return 1;
}

/* ---- rows that are quantised first ---------------------------------------------------------------------------------*/

/* The scale's steps, from the last one back to the row's largest magnitude. */
static const struct tf_node *scale_steps(struct gemm_quant *q, const struct tf_node *node)
{
    static const char *const kinds[] = {"mul", "div", "max"};
    const struct tf_node *rest;
    float number;
    for (uint32_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
        if (q->n_steps == GEMM_STEPS || !pk_with_constant(node, kinds[i], &rest, &number))
            continue;
        q->steps[q->n_steps].kind = kinds[i];
        q->steps[q->n_steps++].number = number;
        node = pk_through(rest, PK_PLACES);
        i = UINT32_MAX; /* from the first again */
    }
    return node;
}

static int is_rows_largest(const struct tf_node *node, const struct tf_node *rows)
{
    uint32_t rank = rows->type->rank;
    return pk_is_kind(node, "reduce", "abs_max") && pk_through(node->in[0], PK_PLACES) == rows &&
           pk_axes(node, rank) == 1u << (rank - 1) && node->type->rank == rank;
}

/* A clamp to what the codes can hold. */
static const struct tf_node *unclamped(struct gemm_quant *q, const struct tf_node *node)
{
    double least, most;
    if (!pk_is_op(node, "clamp") || !pk_number(pk_attr(node, "min_val"), &least) ||
        !pk_number(pk_attr(node, "max_val"), &most) || most != (double)gemm_limit(q->codes) || least != -most)
        return node;
    q->is_clamped = 1;
    return pk_through(node->in[0], PK_PLACES);
}

/* Whether the left operand is rows of a parameter, quantised; then *view is of the parameter. */
static int quantised(struct matching *m, const struct tf_node *product, struct view *view)
{
    struct gemm_quant *q = &m->gemm->quant;
    const struct tf_node *codes = pk_through(product->in[0], PK_PLACES);
    if (!pk_is_op(codes, "cast") || pk_attr_is(product, "a_layout", "KM") ||
        (codes->type->dtype != TF_DTYPE_FP8E4M3 && codes->type->dtype != TF_DTYPE_FP8E5M2))
        return 0;
    q->codes = codes->type->dtype;
    const struct tf_node *quotient = unclamped(q, pk_through(codes->in[0], PK_PLACES));
    if (!pk_is_kind(quotient, "binary", "div") || !pk_is_tensor(quotient, TF_DTYPE_F32))
        return 0;
    const struct tf_node *rows = pk_through(quotient->in[0], PK_PLACES);
    q->scale = pk_through(quotient->in[1], PK_PLACES);
    m->gemm->quantises = rows->type->rank && is_rows_largest(scale_steps(q, q->scale), rows) &&
                         view_of(m, rows, 1, view) && is_dense(&view->axes) && view->dtype != TF_DTYPE_FP8E4M3 &&
                         view->dtype != TF_DTYPE_FP8E5M2;
    return m->gemm->quantises;
}

/* ---- the product ---------------------------------------------------------------------------------------------------*/

/* Batches of an operand against the result's. */
static void batches(struct gemm_walk *matrix, const struct view *view, const struct tf_type *result)
{
    matrix->rank = result->rank - 2;
    for (uint32_t axis = 0; axis < matrix->rank; axis++) {
        int32_t own = (int32_t)axis - (int32_t)(result->rank - view->axes.rank);
        pk_extent(result, axis, &matrix->extent[axis]);
        matrix->stride[axis] = own < 0 || view->axes.extent[own] == 1 ? 0 : view->axes.stride[own];
    }
}

static int operand(struct matching *m, const struct tf_node *product, uint32_t which, const char *turned)
{
    struct gemm_operand *to = which ? &m->gemm->right : &m->gemm->left;
    struct view view;
    if (!view_of(m, product->in[which], 1, &view) && (which || !quantised(m, product, &view)))
        return refuse(m, product->in[which], "an operand of the product is no parameter, nor a view of one");
    if (!is_float(view.dtype))
        return refuse(m, product->in[which], "an operand is not f32, f16, bf16 or fp8");
    uint32_t last = view.axes.rank - 1,
             is_turned = (uint32_t)pk_attr_is(product, which ? "b_layout" : "a_layout", turned);
    uint32_t along_k = which ^ is_turned ? last - 1 : last, along_line = 2 * last - 1 - along_k;
    *to = (struct gemm_operand){.param = view.param,
        .dtype = view.dtype,
        .line = view.axes.stride[along_line],
        .step = view.axes.stride[along_k]};
    batches(&to->matrix, &view, product->type);
    *(which ? &m->gemm->n : &m->gemm->m) = view.axes.extent[along_line];
    m->gemm->k = view.axes.extent[along_k];
    return 1;
}

static int take_product(struct matching *m, const struct tf_node *node)
{
    const struct tf_type *type = node->type;
    size_t count;
    m->product = node;
    if (type->kind != TF_TYPE_TENSOR || !is_float(type->dtype))
        return refuse(m, node, "the product is not f32, f16, bf16 or fp8");
    if (!pk_elements(type, &count))
        return refuse(m, node, "an extent is 0, or not known");
    if (!operand(m, node, 0, "KM") || !operand(m, node, 1, "NK"))
        return 0;
    m->gemm->batches = count / m->gemm->m / m->gemm->n;
    return 1;
}

/* The product comes first: what follows may use the scales that it is made with. */
static int find_product(struct matching *m)
{
    const struct tf_program *program = m->gemm->program;
    const struct tf_node *found = NULL;
    for (uint32_t i = 0; i < program->n_steps; i++) {
        const struct tf_node *node = program->steps[i].node;
        if (!pk_is_op(node, "matmul"))
            continue;
        if (found)
            return refuse(m, node, "there is more than one product");
        found = node;
    }
    return found ? take_product(m, found) : refuse(m, program->function->body, "it has no product of matrices");
}

/* ---- values --------------------------------------------------------------------------------------------------------*/

const char *gemm_word(const struct tf_node *node)
{
    static const char *const words[] = {"add", "sub", "mul", "div", "min", "max", "neg", "abs", "relu", "square",
        "cast", "silu", "sigmoid", "tanh", "gelu-tanh", "gelu-erf", "clamp"};
    const struct tf_val *kind = pk_is_op(node, "binary") || pk_is_op(node, "unary") ? pk_attr(node, "kind") : NULL;
    const char *word = kind && kind->kind == TF_VAL_STRING ? kind->u.s : node->op->name;
    if (pk_is_op(node, "gelu"))
        word = node->n_attrs && node->attrs[0].kind == TF_VAL_STRING && strcmp(node->attrs[0].u.s, "tanh") == 0
                   ? "gelu-tanh"
                   : "gelu-erf";
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
        if (strcmp(word, words[i]) == 0)
            return words[i];
    return NULL;
}

/* Whether the sight is of one element of the node for each of the box, in the same order. */
static int is_whole(const struct sight *s)
{
    for (uint32_t i = 0; i < s->box.rank; i++)
        if (s->axis[i] != (int32_t)i && s->box.extent[i] != 1)
            return 0;
    return s->node->type->rank == s->box.rank;
}

static int whole_sight(struct sight *s, const struct tf_node *node)
{
    s->node = node;
    s->box.rank = node->type->rank;
    for (uint32_t i = 0; i < s->box.rank; i++) {
        s->axis[i] = (int32_t)i;
        if (!pk_extent(node->type, i, &s->box.extent[i]))
            return 0;
    }
    return 1;
}

/* Placements and, where all elements are seen in order, reshapes do not change what is seen. */
static int see_through(struct sight *s)
{
    for (;;) {
        s->node = pk_through(s->node, PK_PLACES);
        if (s->node->type->kind != TF_TYPE_TENSOR)
            return 0;
        if (!pk_is_op(s->node, "reshape") || !is_whole(s))
            return 1;
        if (!whole_sight(s, s->node->in[0]))
            return 0;
    }
}

static int same_sight(const struct sight *a, const struct sight *b)
{
    size_t n = a->box.rank * sizeof(*a->box.extent);
    return a->node == b->node && a->box.rank == b->box.rank && memcmp(a->box.extent, b->box.extent, n) == 0 &&
           memcmp(a->axis, b->axis, a->node->type->rank * sizeof(*a->axis)) == 0;
}

static int is_in_memory(const struct matching *m, const struct sight *s, struct gemm_value *value)
{
    struct view view = {.dtype = TF_DTYPE_F32};
    int is_scale = m->gemm->quantises && s->node == m->gemm->quant.scale && dense(&view, s->node->type);
    if (!is_scale && !view_of(m, s->node, 0, &view))
        return 0;
    *value = (struct gemm_value){
        .kind = is_scale ? GEMM_SCALE : GEMM_PARAM, .dtype = view.dtype, .param = view.param, .walk = s->box};
    memset(value->walk.stride, 0, sizeof(value->walk.stride));
    for (uint32_t i = 0; i < view.axes.rank; i++)
        if (s->axis[i] >= 0)
            value->walk.stride[s->axis[i]] = view.axes.stride[i];
    return 1;
}

/* An operand of an operation is seen right-aligned against it, and broadcast where its extent is 1. */
static int look_at(struct matching *m, const struct sight *user, const struct tf_node *node, uint32_t *to)
{
    struct sight s = {.node = node, .box = user->box, .to = to};
    uint32_t rank = user->node->type->rank, own = node->type->rank;
    size_t extent, whole;
    if (node->type->kind != TF_TYPE_TENSOR || own > rank)
        return refuse(m, node, "an operand is no tensor");
    for (uint32_t i = 0; i < own; i++) {
        if (!pk_extent(node->type, i, &extent) || !pk_extent(user->node->type, i + rank - own, &whole))
            return refuse(m, node, "an extent is 0, or not known");
        s.axis[i] = extent == 1 && whole != 1 ? -1 : user->axis[i + rank - own];
    }
    m->pending[m->n_pending++] = s;
    return 1;
}

static int take_number(struct matching *m, const struct tf_node *node, struct gemm_value *value)
{
    uint64_t room = 0;
    *value = (struct gemm_value){.kind = GEMM_NUMBER, .dtype = node->type->dtype};
    if (!pk_number(node->val, &value->number) || !is_float(value->dtype))
        return refuse(m, node, "a number is not f32");
    tf_host->store_f64(value->dtype, 1, &value->number, &room, 0);
    tf_host->load_f64(value->dtype, 1, &room, &value->number);
    return 1;
}

static int take_operation(struct matching *m, const struct sight *s, struct gemm_value *value)
{
    const struct tf_node *node = s->node;
    if (node->kind != TF_NODE_CALL || !gemm_word(node) || node->n_in < 1 || node->n_in > 2)
        return refuse(m, node, "what is made of the product is not element by element, or by an operator without code");
    if (!is_float(node->type->dtype))
        return refuse(m, node, "what is made of the product is not f32, f16, bf16 or fp8");
    if (pk_is_op(node, "cast") && node->in[0]->type->dtype == node->type->dtype)
        return refuse(m, node, "a value is cast to the dtype that it has");
    *value = (struct gemm_value){.kind = GEMM_OPERATION, .dtype = node->type->dtype, .node = node, .n_in = node->n_in};
    for (uint32_t i = 0; i < node->n_in; i++)
        if (!look_at(m, s, node->in[i], &value->in[i]))
            return 0;
    return 1;
}

static int take(struct matching *m, struct sight *s)
{
    struct gemm *g = m->gemm;
    if (!see_through(s))
        return refuse(m, s->node, "a value is no tensor of known extents");
    for (uint32_t i = 0; i < g->n_values; i++)
        if (same_sight(s, &m->seen[i])) {
            *s->to = i;
            return 1;
        }
    if (g->n_values == GEMM_VALUES)
        return refuse(m, s->node, "too many operations follow the product");
    struct gemm_value *value = &g->values[g->n_values];
    *s->to = g->n_values;
    m->seen[g->n_values++] = *s;
    if (pk_is_op(s->node, "matmul")) {
        *value = (struct gemm_value){.kind = GEMM_PRODUCT, .dtype = s->node->type->dtype};
        return is_whole(s) ? 1 : refuse(m, s->node, "the product is broadcast");
    }
    if (s->node->kind == TF_NODE_CONST)
        return take_number(m, s->node, value);
    if (is_in_memory(m, s, value))
        return is_float(value->dtype) ? 1 : refuse(m, s->node, "a parameter is not f32, f16, bf16 or fp8");
    return take_operation(m, s, value);
}

/* ---- the whole -----------------------------------------------------------------------------------------------------*/

/* Values were found before those that they are of, but for those that more than one is of. */
static void put_in_order(struct gemm *g)
{
    struct gemm_value ordered[GEMM_VALUES];
    uint32_t place[GEMM_VALUES], n = 0;
    memset(place, 0xff, sizeof(place));
    while (n < g->n_values)
        for (uint32_t i = 0; i < g->n_values; i++) {
            struct gemm_value *value = &g->values[i];
            int is_ready = place[i] == UINT32_MAX;
            for (uint32_t k = 0; k < value->n_in; k++)
                is_ready &= place[value->in[k]] != UINT32_MAX;
            if (!is_ready)
                continue;
            ordered[n] = *value;
            for (uint32_t k = 0; k < value->n_in; k++)
                ordered[n].in[k] = place[value->in[k]];
            place[i] = n++;
        }
    memcpy(g->values, ordered, g->n_values * sizeof(*ordered));
}

/* Code goes along rows: the axes of what is broadcast have to meet where rows of the result do. */
static int goes_along_rows(struct matching *m)
{
    for (uint32_t i = 0; i < m->gemm->n_values; i++) {
        const struct gemm_value *value = &m->gemm->values[i];
        if ((value->kind == GEMM_PARAM || value->kind == GEMM_SCALE) &&
            gemm_columns(&value->walk, m->gemm->n) > value->walk.rank)
            return refuse(m, m->product, "what the product is combined with is not laid along its rows");
    }
    return 1;
}

static int match(struct matching *m)
{
    const struct tf_function *f = m->gemm->program->function;
    struct sight root = {.to = &m->root};
    if (!f->body || f->body->type->kind != TF_TYPE_TENSOR)
        return m->why = "it gives more than one tensor", 0;
    if (!whole_sight(&root, f->body))
        return refuse(m, f->body, "an extent is 0, or not known");
    if (!find_product(m))
        return 0;
    m->pending[m->n_pending++] = root;
    while (m->n_pending) {
        struct sight s = m->pending[--m->n_pending];
        if (!take(m, &s))
            return 0;
    }
    if (!goes_along_rows(m))
        return 0;
    put_in_order(m->gemm);
    return 1;
}

static struct matching *matched(tf_ctx *ctx, const struct tf_program *program)
{
    struct matching *m = tf_host->alloc(ctx, sizeof(*m));
    m->gemm = tf_host->alloc(ctx, sizeof(*m->gemm));
    m->gemm->program = program;
    if (match(m))
        m->why = NULL;
    else if (!m->why)
        m->why = "it is no product with what follows it element by element";
    return m;
}

int gemm_match(tf_ctx *ctx, const struct tf_program *program, void **match_)
{
    struct matching *m = matched(ctx, program);
    *match_ = m->gemm;
    return m->why ? TF_E_UNSUPPORTED : TF_OK;
}

const char *gemm_why(tf_ctx *ctx, const struct tf_program *program, const struct tf_loc **loc)
{
    struct matching *m = matched(ctx, program);
    if (m->why && m->loc)
        *loc = m->loc;
    return m->why;
}

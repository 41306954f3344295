/* SPDX-License-Identifier: MIT
 * Products: matmul, conv2d, rope.  A product's sum is folded in double in ascending order and rounded once.
 */
#include "bodies.h"

#define COLUMNS 64u /* of a result's row that are summed side by side */

/* ---- matmul --------------------------------------------------------------------------------------------------------*/

static int is_turned(const struct tf_node *node, uint32_t attr, const char *name)
{
    return node->attrs[attr].u.s && strcmp(node->attrs[attr].u.s, name) == 0;
}

/* With its rows by rows the left operand goes along with the result's; so does what is a batch of its own. */
static uint32_t matmul_depth(const struct tf_node *node)
{
    uint32_t rank = node->type->rank;
    return is_turned(node, 0, "KM") ? rank - 2 : rank - 1;
}

/* Indices of an operand's batch axes, of those of the result. */
static const char **batch_indices(struct lower *l, const struct view *view, uint32_t rank, const char *const *ix)
{
    const char **own = tf_host->alloc(l->ctx, (TF_MAX_RANK + 1) * sizeof(*own));
    uint32_t lead = rank - view->type->rank;
    for (uint32_t i = 0; i + 2 < view->type->rank; i++)
        own[i] = extent(view->type, i) == 1 ? NULL : ix[i + lead];
    return own;
}

struct factors {
    const char *lane, *left, *right;
    size_t k, n;
};

static const char *added(const struct factors *f, const char *sum, struct lower *l)
{
    if (*f->lane == 'd')
        return fmt(l, "%s += left * %s;", sum, f->right);
    return fmt(l, "%s = (int64_t)((uint64_t)%s + (uint64_t)left * (uint64_t)%s);", sum, sum, f->right);
}

/* Each lane has a column. */
static void write_column(struct lower *l, const struct factors *f, const struct view *c, const char *const *ix)
{
    struct axes lanes = open_lanes(l, "n", f->n, 1);
    line(l, "%s sum = 0;", f->lane);
    open_brace(l, "for (size_t k = 0; k < %zu; k++)", f->k);
    line(l, "const %s left = %s;", f->lane, f->left);
    line(l, "%s", added(f, "sum", l));
    close_brace(l);
    put(l, c, ix, f->lane, "sum");
    close_axes(l, &lanes);
}

/* Some columns side by side, so that the other operand's rows are read along. */
static void write_columns(struct lower *l, const struct factors *f, const struct view *c, const char *const *ix)
{
    open_brace(l, "for (size_t n = 0; n < %zu; n += %u)", f->n, COLUMNS);
    line(l, "const size_t columns = %zu - n < %u ? %zu - n : %u;", f->n, COLUMNS, f->n, COLUMNS);
    line(l, "%s sum[%u] = {0};", f->lane, COLUMNS);
    open_brace(l, "for (size_t k = 0; k < %zu; k++)", f->k);
    line(l, "const %s left = %s;", f->lane, f->left);
    line(l, "SIMD");
    open_brace(l, "for (size_t j = 0; j < columns; j++)");
    line(l, "%s", added(f, "sum[j]", l));
    close_brace(l);
    close_brace(l);
    open_brace(l, "for (size_t j = 0; j < columns; j++)");
    put(l, c, ix, f->lane, "sum[j]");
    close_brace(l);
    close_brace(l);
}

static void emit_matmul(struct lower *l, const struct tf_node *node)
{
    const struct view *a = arg(l, node, 0), *b = arg(l, node, 1), *c = result(l, node);
    uint32_t rank = node->type->rank, ra = a->type->rank, rb = b->type->rank;
    int km = is_turned(node, 0, "KM"), nk = is_turned(node, 1, "NK"), real = is_real(a->type->dtype);
    const char **ix = indices(l, rank), *lane = real ? "double" : "int64_t";
    size_t k = (size_t)extent(a->type, ra - (km ? 2 : 1)), n = (size_t)extent(node->type, rank - 1);
    struct axes items = open_items(l, node->type, l->rows, rank - 1, 0, ix, n);
    const char **ia = batch_indices(l, a, rank, ix), **ib = batch_indices(l, b, rank, ix);
    const char *column = l->dialect->is_shared ? "n" : "n + j";
    ia[ra - (km ? 1 : 2)] = ix[rank - 2];
    ia[ra - (km ? 2 : 1)] = "k";
    ib[rb - (nk ? 2 : 1)] = column;
    ib[rb - (nk ? 1 : 2)] = "k";
    ix[rank - 1] = column;
    struct factors f = {lane, element(l, a, ia), element(l, b, ib), k, n};
    if (real && a->type->dtype != TF_DTYPE_F64)
        f.left = fmt(l, "(double)%s", f.left);
    if (real && b->type->dtype != TF_DTYPE_F64)
        f.right = fmt(l, "(double)%s", f.right);
    if (l->dialect->is_shared)
        write_column(l, &f, c, ix);
    else
        write_columns(l, &f, c, ix);
    close_axes(l, &items);
}

/* ---- conv2d --------------------------------------------------------------------------------------------------------*/

static uint32_t conv2d_depth(const struct tf_node *node)
{
    (void)node;
    return 1; /* images */
}

static int64_t pair(const struct tf_node *node, uint32_t attr, uint32_t which)
{
    return number_of(&node->attrs[attr].u.items[which]);
}

static const char *wide(struct lower *l, const struct view *view, const char *const *ix)
{
    const char *number = element(l, view, ix);
    return view->type->dtype == TF_DTYPE_F64 ? number : fmt(l, "(double)%s", number);
}

static void emit_conv2d(struct lower *l, const struct tf_node *node)
{
    const struct view *x = arg(l, node, 0), *w = arg(l, node, 1), *bias = arg(l, node, 2);
    const char **ix = indices(l, 4);
    int64_t groups = number_of(&node->attrs[3]), each = extent(w->type, 1), outputs = extent(node->type, 1);
    const char *names[] = {"y", "x"}, *taps[] = {"r", "s"};
    struct axes items = open_items(l, node->type, l->rows, 4, 0, ix, 0);
    const char *in[TF_MAX_RANK] = {ix[0], NULL, "(size_t)y", "(size_t)x"};
    const char *weight[TF_MAX_RANK] = {ix[1], "c", "r", "s"}, *channel[TF_MAX_RANK] = {ix[1]};
    line(l, "double sum = 0;");
    open_brace(l, "for (size_t c = 0; c < %" PRId64 "; c++)", each);
    for (uint32_t i = 0; i < 2; i++) {
        const char *t = taps[i], *at = names[i];
        open_brace(l, "for (size_t %s = 0; %s < %" PRId64 "; %s++)", t, t, extent(w->type, 2 + i), t);
        line(l, "const int64_t %s = (int64_t)%s * %" PRId64 " - %" PRId64 " + (int64_t)%s * %" PRId64 ";", at,
            ix[2 + i], pair(node, 0, i), pair(node, 1, i), t, pair(node, 2, i));
        open_brace(l, "if (%s < 0 || %s >= %" PRId64 ")", at, at, extent(x->type, 2 + i));
        line(l, "continue;");
        close_brace(l);
    }
    in[1] = groups == 1
                ? "c"
                : fmt(l, "%s / %" PRId64 " * %" PRId64 " + c", ix[1], outputs / groups ? outputs / groups : 1, each);
    line(l, "sum += %s * %s;", wide(l, x, in), wide(l, w, weight));
    for (uint32_t i = 0; i < 3; i++)
        close_brace(l);
    uint32_t rows = l->rows;
    l->rows = 0;
    const char *added = wide(l, bias, channel);
    l->rows = rows;
    put(l, result(l, node), ix, "double", fmt(l, "sum + %s", added));
    close_axes(l, &items);
}

/* ---- rope ----------------------------------------------------------------------------------------------------------*/

enum { Q, K, COS, SIN, POS };

/* A row of a table: its leading axes are counted as one. */
static const char *table_item(struct lower *l, const struct view *table, const char *k)
{
    const char *ix[TF_MAX_RANK] = {NULL};
    uint32_t rank = table->type->rank;
    if (rank > 1)
        count_axes(l, table->type, (UINT64_C(1) << (rank - 1)) - 1, "(size_t)row", ix);
    ix[rank - 1] = k;
    return element(l, table, ix);
}

/* The item's row of the tables. */
static void write_table_row(struct lower *l, const struct tf_node *node, const char *position)
{
    const struct view *pos = arg(l, node, POS);
    const char *at[TF_MAX_RANK] = {NULL};
    size_t positions = span(pos->type, 0, pos->type->rank), rows = SIZE_MAX;
    for (uint32_t table = COS; table <= SIN; table++) {
        const struct tf_type *t = arg(l, node, table)->type;
        rows = span(t, 0, t->rank - 1) < rows ? span(t, 0, t->rank - 1) : rows;
    }
    count_axes(l, pos->type, (UINT64_C(1) << pos->type->rank) - 1, position, at);
    if (positions)
        line(l, "const int64_t row = (size_t)%s < %zu ? %s : 0;", position, positions, element(l, pos, at));
    else
        line(l, "const int64_t row = 0;");
    open_brace(l, "if (row < 0 || row >= %zu)", rows);
    fail(l, l->dialect->skip, "no row of the tables");
}

/* n elements from the first on, each turned against one of the other half. */
static void write_turn(
    struct lower *l, const struct tf_node *node, uint32_t which, const char **ix, size_t n, size_t first, size_t other)
{
    const struct view *x = arg(l, node, which), *out = &result(l, node)[which];
    const char *type = step_type(x->type->dtype);
    uint32_t last = x->type->rank - 1;
    struct axes lanes = open_lanes(l, "j", n, 1);
    if (first)
        line(l, "const size_t k = j + %zu;", first);
    ix[last] = first ? "k" : "j";
    line(l, "const %s x = %s;", type, element(l, x, ix));
    const char *straight = table_item(l, arg(l, node, COS), ix[last]);
    const char *turned = table_item(l, arg(l, node, SIN), ix[last]);
    ix[last] = other ? fmt(l, "j + %zu", other) : "j";
    line(l, "const %s partner = %s%s;", type, first ? "" : "-", element(l, x, ix));
    ix[last] = first ? "k" : "j";
    line(l, "const %s straight = (%s)((double)x * (double)%s);", type, type, straight);
    line(l, "const %s turned = (%s)((double)partner * (double)%s);", type, type, turned);
    put(l, out, ix, type, "straight + turned");
    close_axes(l, &lanes);
}

/* In halves: of one loop whose partner's place depends on a test gcc 12 makes loads past the row's end. */
static void rotate(struct lower *l, const struct tf_node *node, uint32_t which)
{
    const struct tf_type *type = arg(l, node, which)->type;
    uint32_t rank = type->rank, last = rank - 1;
    const char **ix = indices(l, rank);
    size_t n = (size_t)extent(type, last), half = n / 2;
    struct axes items = open_items(l, type, 0, last, 0, ix, n);
    write_table_row(l, node, rank < 2 ? "0" : ix[rank >= 3 ? rank - 3 : 0]);
    write_turn(l, node, which, ix, half, 0, half);
    write_turn(l, node, which, ix, n - half, half, 0);
    close_axes(l, &items);
}

static void emit_rope(struct lower *l, const struct tf_node *node)
{
    rotate(l, node, Q);
    rotate(l, node, K);
}

const struct body product_bodies[] = {
    {"matmul", matmul_depth, 2, emit_matmul},
    {"conv2d", conv2d_depth, 6, emit_conv2d},
    {"rope", NULL, 31, emit_rope},
    {NULL, NULL, 0, NULL},
};

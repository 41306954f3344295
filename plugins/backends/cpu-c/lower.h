/* SPDX-License-Identifier: MIT
 * Making C of a program: what the parts of it share.
 *
 * The nodes are put in order, each in the block of the innermost loop that its value varies in (order.c).  What is
 * computed element by element, and what goes along rows, is collected into groups with common outer axes, and each group
 * becomes one loop nest (rows.c); what a group alone uses stays in a row's scratch.  Views are ways of counting (views.c).
 */
#ifndef TF_CPU_C_LOWER_H
#define TF_CPU_C_LOWER_H

#include "cpu_c.h"

#include <stdarg.h>
#include <string.h>

struct text {
    char *at;
    size_t n, room;
};

/* Memory of a value. */
enum place { PLACE_ARG, PLACE_RESULT, PLACE_ARENA, PLACE_ROW, PLACE_NONE };
struct buffer {
    const char *name;
    uint32_t dtype;
    enum place place;
    size_t count, index;      /* elements; of an argument or a result: which */
    size_t first, last;       /* statements between which it is held */
    size_t at;                /* in the arena */
    uint32_t group, cluster;  /* that compute it; 0: none */
    int is_used, is_stored;   /* in its cluster; outside of it */
    const struct tf_node *of; /* the value that it is of; NULL: of none */
};

/* A tensor: how its elements are found. */
struct view {
    const struct tf_type *type;
    struct buffer *buffer; /* NULL: a number */
    const char *number;    /* a C expression, of rank 0 */
    const char *offset;    /* a C expression; NULL: 0 */
    size_t stride[TF_MAX_RANK];
};
struct value {
    uint32_t n;
    struct view *leaf;
};

struct block {
    const struct tf_node *loop; /* NULL: the function's */
    uint32_t outer, depth, needs;
    const struct tf_node **nodes;
    size_t n, room;
};

struct lower {
    tf_ctx *ctx;
    const struct tf_function *function;
    struct block *blocks;
    uint32_t n_blocks;
    uint32_t *home, *block_of;
    const struct tf_node ***users; /* by node id, NULL-terminated */
    struct value *values;
    struct buffer **buffers;
    size_t n_buffers, room_buffers, time, arena;
    struct text body, out;
    uint32_t indent, groups, clusters;
    /* the group that is being collected */
    const struct tf_node **members;
    size_t n_members, room_members;
    uint32_t depth;
    uint32_t *group_of, *cluster_of; /* by node id */
    uint32_t rows;                   /* axes of the loops around what is being written */
    uint32_t is_serial, may_fail;
};

/* text.c */
void text_add(struct lower *l, struct text *text, const char *format, ...) TF_PRINTF(3, 4);
void line(struct lower *l, const char *format, ...) TF_PRINTF(2, 3); /* a line of the body */
void open_brace(struct lower *l, const char *format, ...) TF_PRINTF(2, 3);
void close_brace(struct lower *l);
const char *fmt(struct lower *l, const char *format, ...) TF_PRINTF(2, 3);
void *grown(struct lower *l, void *array, size_t n, size_t *room, size_t size);
void prelude_add(struct lower *l, const struct text *body);

/* order.c */
void order_make(struct lower *l);

/* numbers.c: elements in memory and in C's numbers */
const char *c_type(uint32_t dtype);  /* of an element in memory */
const char *lane_of(uint32_t dtype); /* "float", "double", "int64_t": what computes with it */
int is_real(uint32_t dtype);
const char *loaded(struct lower *l, uint32_t dtype, const char *element);
const char *loaded_f64(struct lower *l, uint32_t dtype, const char *element);
const char *stored(struct lower *l, uint32_t dtype, const char *lane, const char *number);
const char *literal(struct lower *l, const char *lane, double number);
const char *constant(struct lower *l, uint32_t dtype, const struct tf_val *val);
double rounded(struct lower *l, uint32_t dtype, double number);

/* views.c */
int64_t extent(const struct tf_type *type, uint32_t axis);
size_t span(const struct tf_type *type, uint32_t first, uint32_t end);
struct value *value_of(struct lower *l, const struct tf_node *node);
struct view *arg(struct lower *l, const struct tf_node *node, uint32_t i);
struct value *fresh(struct lower *l, const struct tf_node *node); /* a buffer for each leaf */
struct view new_view(struct lower *l, const struct tf_node *node, const struct tf_type *type, const char *name);
int is_dense(const struct view *view);
void hold(struct lower *l, const struct view *view); /* until now */
void copy_view(struct lower *l, const struct view *to, const struct view *from);
struct view dense(struct lower *l, const struct tf_node *node, const struct view *view);
/* The element of a view at ix[axis]: NULL and "0" are 0.  Axes of rows count only where memory is not of one row. */
const char *place_of(struct lower *l, const struct view *view, const char *const *ix);
const char *element(struct lower *l, const struct view *view, const char *const *ix);
/* One that lies `index` elements from the row's first, dense. */
const char *element_at(struct lower *l, const struct view *view, const char *index);
/* Whether the node is a way of counting what is there; then its value is made. */
int lower_view(struct lower *l, const struct tf_node *node);

/* rows.c */
void flush(struct lower *l);
int join_group(struct lower *l, const struct tf_node *node);
const char *const *row_indices(struct lower *l, uint32_t rank);

/* elements.c: one element of what is computed so */
int is_elementwise(const struct tf_node *node);
/* The number, of *lane, from the operands' (of their lanes). */
const char *compute(struct lower *l, const struct tf_node *node, const char *const *in, const char **lane);

/* bodies.c, products.c, moves.c: what is no element by element */
struct body {
    const char *op;
    uint32_t (*depth)(const struct tf_node *node); /* leading axes, alike in result and aligned operands */
    uint64_t whole;                                /* operands that are read whole */
    void (*emit)(struct lower *l, const struct tf_node *node);
};
extern const struct body row_bodies[], product_bodies[], move_bodies[];
const struct body *body_of(const struct tf_node *node);

static inline int is_op(const struct tf_node *node, const char *name)
{
    return node->kind == TF_NODE_CALL && strcmp(node->op->name, name) == 0;
}

static inline int64_t number_of(const struct tf_val *val)
{
    return val->kind == TF_VAL_DIM ? val->u.dim->value : val->u.i;
}

static inline uint32_t axis_of(const struct tf_val *val, uint32_t rank)
{
    int64_t axis = number_of(val);
    return (uint32_t)(axis < 0 ? axis + (int64_t)rank : axis);
}

#endif

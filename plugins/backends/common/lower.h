/* SPDX-License-Identifier: MIT
 * Making the text of kernels of a program: what no language is in.  docs/lowering.md has the whole of it.
 *
 * The nodes are put in order, each in the block of the innermost loop that its value varies in (order.c).  What is
 * computed element by element, and what goes along rows, is collected into groups with common outer axes, and each group
 * becomes one loop nest (nests.c); what a group alone uses stays in a row's own memory.  Views are ways of counting
 * (views.c).  A backend's dialect says how loops are opened, who shares them, and where a row's memory is.
 */
#ifndef TF_BACKENDS_LOWER_H
#define TF_BACKENDS_LOWER_H

#include <tilefoundry/plugin.h>

#include <stdarg.h>
#include <string.h>

struct text {
    char *at;
    size_t n, room;
};

/* Memory of a value. */
#define USED_NUMBER 1
#define USED_CODE 2
enum place { PLACE_ARG, PLACE_RESULT, PLACE_ARENA, PLACE_ROW, PLACE_NONE };
struct buffer {
    const char *name;
    uint32_t dtype;
    enum place place;
    size_t count, index;      /* elements; of an argument or a result: which */
    size_t first, last;       /* statements between which it is held */
    size_t at;                /* in the arena */
    uint32_t group, cluster;  /* that compute it; 0: none */
    int is_used, is_stored;   /* in its cluster: USED_*; outside of it */
    const struct tf_node *of; /* the value that it is of; NULL: of none */
};

/* A tensor: how its elements are found.  One of f32 may be read from a buffer of narrower floats. */
struct view {
    const struct tf_type *type;
    struct buffer *buffer; /* NULL: a number */
    const char *number;    /* an expression, of rank 0 */
    int is_literal;        /* which names nothing */
    const char *offset;    /* an expression; NULL: 0 */
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

/* One loop nest, before its body is written. */
struct nest {
    uint32_t axes;              /* leading ones, of independent turns, counted by r0, r1, ...; 0: none */
    const struct tf_type *type; /* that has their extents */
    size_t turns;               /* their product */
    size_t work;                /* elements that it reads */
    size_t inner;               /* elements that one turn has of its longest value */
    size_t scratch;             /* bytes of the longest row that a body keeps beside its operands */
    int may_fail;               /* it may find fault with the data */
};

/* Loops of independent turns, outermost first. */
struct axes {
    uint32_t n;
    const char *name[TF_MAX_RANK];
    size_t count[TF_MAX_RANK];
    size_t step;     /* of the last one; 0 is 1 */
    int is_flat;     /* of items: their body is straight-line code */
    uint32_t opened; /* the dialect's own, as the next */
    int is_items;
};

/* What must have been written before something is read. */
enum join {
    JOIN_LANES, /* between loops over one item */
    JOIN_STEP,  /* between the steps of a nest's turn, or, in a nest without axes, of the whole nest */
    JOIN_ALL    /* before the next nest, which writes what numbers of the program were read from */
};

/* How a language says it.  The text between uses C's operators, the names of <stdint.h> and <math.h>, INT64_C, NAN and
 * INFINITY, memcpy, and an lvalue `status`. */
struct lower;
struct dialect {
    const char *name;     /* the backend's */
    const char *code;     /* of the diagnostic for a call that has no code */
    const char *function; /* what the definition of a helper begins with: "static inline" */
    const char *leave;    /* the statement that ends the whole, where every thread meets it: "goto done;" */
    const char *skip;     /* and where one item is at fault: it ends all, or goes on with the next item */
    int is_shared;        /* an item's loops are shared among lanes, so that folds have to be joined */
    void (*open_nest)(struct lower *l, const struct nest *nest);
    void (*close_nest)(struct lower *l, const struct nest *nest);
    /* Items of a nest's turn.  lanes: length of the loops that the body has for sharing; 0: none. */
    void (*open_items)(struct lower *l, struct axes *axes, size_t lanes);
    void (*open_lanes)(struct lower *l, struct axes *axes); /* a loop of an item that its lanes share */
    void (*close_axes)(struct lower *l, const struct axes *axes);
    void (*open_once)(struct lower *l); /* what one lane does for all: closed by close_brace */
    /* "sum" or "larger" of what each lane has in a variable, into that variable of every lane; is_shared only. */
    void (*fold)(struct lower *l, const char *kind, const char *type, const char *variable);
    void (*join)(struct lower *l, enum join what);
    /* Memory of one turn: of a value, and n elements for an item's own use; the expression that points to them. */
    void (*row)(struct lower *l, const struct buffer *buffer, size_t n);
    const char *(*scratch)(struct lower *l, const char *type, const char *name, size_t n);
};

struct lower {
    tf_ctx *ctx;
    const struct dialect *dialect;
    void *own; /* the dialect's */
    const struct tf_program *program;
    const struct tf_function *function;
    struct block *blocks;
    uint32_t n_blocks;
    uint32_t *home, *block_of;
    const struct tf_node ***users; /* by node id, NULL-terminated */
    struct value *values;
    struct buffer **buffers;
    size_t n_buffers, room_buffers, time, arena;
    struct text body;
    uint32_t indent, groups, clusters;
    /* the group that is being collected */
    const struct tf_node **members;
    size_t n_members, room_members;
    uint32_t depth;
    uint32_t *group_of, *cluster_of; /* by node id */
    uint8_t *is_widened;             /* by node id: a cast that is a way of reading its operand */
    uint32_t rows;                   /* axes of the nest around what is being written */
    int is_placed;                   /* the program says where values are kept */
    uint32_t in_nest;                /* whether one is open */
    uint32_t may_fail;               /* `leave` or `skip` is used */
    uint32_t is_read;                /* a number of the program was read from memory since the last JOIN_ALL */
    uint32_t is_kept;                /* the nest has memory of its turns */
    uint32_t is_serial;              /* the dialect's: loops of this nest are not to be shared */
};

/* lower.c: all of the program, up to l->body, l->buffers and l->arena; TF_OK, or TF_E_REFUSED after a diagnostic.  l
 * has ctx, dialect, program and indent, and is zero otherwise. */
int lower_body(struct lower *l);
const char *lower_obstacle(const struct tf_node *node); /* why a call has no code; NULL: it has */
/* Whether nothing stands between the nests: no loop, no number, no window's start that the program computes.  Then each
 * nest may as well be a kernel of its own. */
int is_straight(const struct tf_program *program);

/* head.c: for comments */
const char *entry_name(struct lower *l);
const char *comment_text(struct lower *l, const struct tf_node *node); /* after a space */
void describe_values(struct lower *l, struct text *out);               /* args and results, a line each */
void describe_work(struct lower *l, struct text *out);                 /* the bytes and flops that it should take */

/* text.c */
void text_add(struct lower *l, struct text *text, const char *format, ...) TF_PRINTF(3, 4);
void line(struct lower *l, const char *format, ...) TF_PRINTF(2, 3); /* a line of the body */
void open_brace(struct lower *l, const char *format, ...) TF_PRINTF(2, 3);
void close_brace(struct lower *l);
/* What an open `if` has found: status is set, the statement (dialect's leave or skip) follows, and the brace is closed. */
void fail(struct lower *l, const char *statement, const char *why);
const char *fmt(struct lower *l, const char *format, ...) TF_PRINTF(2, 3);
void *grown(struct lower *l, void *array, size_t n, size_t *room, size_t size);

/* helpers.c: the helpers that the body names */
void helpers_add(struct lower *l, struct text *out, const struct text *body);

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
struct view new_array(struct lower *l, uint32_t dtype, size_t n, const char *name); /* in the arena, of rank 1 */
int is_dense(const struct view *view);
void hold(struct lower *l, const struct view *view); /* until now */
/* A nest of its own, or, inside of one without axes, a step of it. */
void copy_view(struct lower *l, const struct view *to, const struct view *from);
struct view dense(struct lower *l, const struct tf_node *node, const struct view *view);
/* The element of a view at ix[axis]: NULL and "0" are 0.  Axes of rows count only where memory is not of one row. */
const char *place_of(struct lower *l, const struct view *view, const char *const *ix);
const char *element(struct lower *l, const struct view *view, const char *const *ix);
const char *item_code(struct lower *l, const struct view *view, const char *const *ix); /* as it is stored */
/* Whether the node is a way of counting what is there; then its value is made. */
int lower_view(struct lower *l, const struct tf_node *node);

/* nests.c */
void flush(struct lower *l);
int is_boundary(const struct lower *l, const struct view *view); /* read from memory, not from the nest that made it */
int join_group(struct lower *l, const struct tf_node *node);
const char *const *row_indices(struct lower *l, uint32_t rank);
void open_nest(struct lower *l, const struct nest *nest); /* JOIN_ALL before it, where that is due */
void close_nest(struct lower *l, const struct nest *nest);
void join_all(struct lower *l); /* where it is due */

/* An elementwise node that is computed: not one that lower_view took. */
int is_made(const struct lower *l, const struct tf_node *node);

/* elements.c: one element of what is computed so */
int is_elementwise(const struct tf_node *node);
/* Whether it only passes elements on, which then keep every bit: NaN has its payload, fp8e5m2 its infinities. */
int copies_codes(const struct tf_node *node);
/* The code, from the operands' codes; the first of three is a truth. */
const char *copied_code(struct lower *l, const struct tf_node *node, const char *const *in);
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

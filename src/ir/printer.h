/* SPDX-License-Identifier: MIT
 * What the printer's files share.  A file is printed in this order of passes:
 *   print_gather.c  which modules and free functions there are, callees first; which names they take
 *   print_module.c  modules and functions, one after the other
 *   print_plan.c    per function: which suite each value stands in, and in what form
 *   print_name.c    per function: what each value is called
 *   print_body.c    lines, loops and regions; print_call.c and print_value.c what stands on a line
 *   print.c         the header, which needs all that was found on the way
 * Recursion goes into suites, tuples and modules only, whose nesting is limited; along values it never goes.
 */
#ifndef TF_IR_PRINTER_H
#define TF_IR_PRINTER_H

#include "ir/ir.h"
#include "ir/ptr_map.h"
#include "util/vec.h"

/* ---- the plan of a function ---------------------------------------------------------------------------------------*/

#define FORM_LEAF 0u   /* a parameter, capture, carried or loop variable: a name, no line */
#define FORM_INLINE 1u /* written where it is used: a number or a tuple used once */
#define FORM_LINE 2u   /* `name = ...` */
#define FORM_PARTS 3u  /* a tuple taken apart where it is made: `a, b = ...`, or what a loop or region leaves */
#define FORM_PART 4u   /* an item of it, whose name stands there */
#define FORM_INSIDE 5u /* a slice that the reshape of its index drops axes of: part of that line */

#define NO_SUITE UINT32_MAX
#define NO_NODE UINT32_MAX

struct suite {
    uint32_t parent;
    uint32_t depth;
    const struct tf_node *owner; /* its region or loop; NULL for the function */
    uint32_t first, last;        /* lines: node ids, chained by item.next */
    uint32_t end;                /* number of its last line */
    uint32_t rank;               /* how many suites were open when its owner was reached */
    uint32_t outer;              /* the innermost suite around it that its values depend on; or NO_SUITE */
    uint32_t tail;               /* of a loop: a loop whose value has no name and is this one's, so it stands last */
};

struct item {
    const struct tf_node *node;
    const char *name; /* as printed */
    uint32_t home;    /* the suite that it stands in: the innermost that holds all its uses */
    uint32_t inside;  /* of a region or loop: its own suite */
    uint32_t need;    /* the innermost suite whose variables it depends on; or NO_SUITE */
    uint32_t uses;    /* times that it is an operand, result or yield */
    uint32_t taken;   /* of a tuple: uses that take an item */
    uint32_t next;    /* in the suite */
    uint32_t line;    /* number of its line, in print order */
    uint32_t last;    /* number of the last line that reads it */
    uint32_t part;    /* of a tuple: its first taken item, chained by next_part */
    uint32_t next_part;
    uint32_t shared;      /* an item whose name it takes, or NO_NODE */
    uint32_t seen, below; /* by which region's search last, and from above: print_capture.c */
    uint8_t form;
    uint8_t captured;              /* a region reads it */
    uint8_t yielded;               /* a loop's next trip or its value */
    uint8_t direct;                /* of a region's result: its value is assigned under its name inside */
    uint8_t fresh;                 /* of a carried value: its name is bound in a line before the loop */
    uint8_t covered;               /* of a carried value: a loop inside carries it on under the same name */
    uint8_t returns;               /* of a region: it gives the function's value */
    const struct tf_node **unread; /* of a region: what it captures, when its body is done, in the order to follow */
    const char *hint;              /* what a region that captures it calls it, where it has no name of its own */
    const char *handle;            /* of a region: what `as` calls its mesh */
    const char *function;          /* of a region in a loop: the function that it is printed as */
};

struct frame { /* a mesh that is open */
    const struct tf_mesh *mesh, *scope;
    const char *name;
};

struct plan {
    struct item *item; /* by node id */
    uint32_t n_items;
    VEC(uint32_t) order; /* visit order */
    VEC(struct suite) suites;
    VEC(struct frame) frames;
    struct ptr_map meshes; /* a mesh that was open, to the number of its name */
    VEC(const char *) mesh_names;
    struct ptr_map names;   /* every name in use, to the last suffix given for it */
    struct ptr_map loose;   /* names of loop variables and meshes: to how many of them are open */
    struct ptr_map numbers; /* names like v<N> that the author gave */
    uint32_t unnamed;       /* the next v<N> */
    uint32_t lines;
    uint64_t searched;          /* steps of print_capture.c */
    const struct ir_site *site; /* of the line before */
};

/* ---- the file -----------------------------------------------------------------------------------------------------*/

#define USES(X)                                                                                                        \
    X(LAYOUT, "tilefoundry", "Layout")                                                                                 \
    X(SHARD_LAYOUT, "tilefoundry", "ShardLayout")                                                                      \
    X(FUNC, "tilefoundry", "func")                                                                                     \
    X(MODULE, "tilefoundry", "module")                                                                                 \
    X(B, "tilefoundry.dsl", "B")                                                                                       \
    X(CONST_TENSOR, "tilefoundry.dsl", "ConstTensor")                                                                  \
    X(DIM_VAR, "tilefoundry.dsl", "DimVar")                                                                            \
    X(RANGE_PATTERN, "tilefoundry.dsl", "DimVarRangePat")                                                              \
    X(MESH, "tilefoundry.dsl", "Mesh")                                                                                 \
    X(P, "tilefoundry.dsl", "P")                                                                                       \
    X(S, "tilefoundry.dsl", "S")                                                                                       \
    X(TENSOR, "tilefoundry.dsl", "Tensor")                                                                             \
    X(TOPOLOGY, "tilefoundry.dsl", "Topology")                                                                         \
    X(TF, "tilefoundry.dsl", "tf")                                                                                     \
    X(DIM_MAX, "tilefoundry.ir.types.dim", "dim_max")                                                                  \
    X(DIM_MIN, "tilefoundry.ir.types.dim", "dim_min")                                                                  \
    X(AMX, "tilefoundry.target", "AmxTarget")                                                                          \
    X(CPU, "tilefoundry.target", "CpuTarget")                                                                          \
    X(CUDA, "tilefoundry.target", "CudaTarget")

enum use {
#define X(name, module, text) USE_##name,
    USES(X)
#undef X
};

struct constant { /* bound above the modules */
    const char *name, *text;
};

struct placed_line {
    const struct tf_node *node;
    const char *name;
    size_t line; /* of the body, from 1 */
};

struct unit { /* a module that has no parent, or a free function */
    const struct ir_module *root;
    const struct ir_function *free;
};

struct printer {
    tf_ctx *ctx;
    const struct print_hooks *hooks; /* or NULL */
    struct buf out;
    size_t lines; /* ended so far */
    uint32_t indent;
    uint64_t uses;        /* bit set of enum use */
    int placed_signature; /* a signature that Python cannot evaluate */
    VEC(struct unit) units;
    VEC(struct dim_var) dims;
    VEC(struct constant) constants;
    uint32_t next_number, next_layout, next_mesh; /* K, L, M */
    struct ptr_map known;                         /* texts of constants, to their number */
    struct ptr_map globals;                       /* names of the module level */
    struct ptr_map authors;                       /* names of values that look like a constant's */
    VEC(struct placed_line) placed;
    const struct ir_function *function; /* the one that is printed */
    const struct ir_module *module;     /* whose function is printed; NULL for a free one */
    struct plan plan;
    const struct tf_type *type; /* of the last comment, its text, and how many meshes had been open */
    struct buf type_text;
    size_t type_meshes;
};

/* print_module.c */
void gather_units(struct printer *p, const struct ir_module *module); /* print_gather.c */
void print_units(struct printer *p);
void print_name_path(struct printer *p, const struct ir_function *callee);

/* print_parts.c */
void parts_order(struct printer *p, const struct ir_function *f, const struct ir_module *owner);

/* print_function.c */
/* name: as its def says; decorator: NULL for func */
void print_function(struct printer *p, const struct ir_function *f, const char *name, const char *decorator);

/* print_plan.c */
void plan_order(struct printer *p, const struct tf_function *f); /* only the order of visits */
void plan_make(struct printer *p, const struct tf_function *f);
void plan_free(struct plan *plan);
struct item *item_of(struct printer *p, const struct tf_node *node);
const struct tf_node *origin(const struct tf_node *node); /* through captures */
int is_item(const struct tf_node *node);                  /* takes a field of a tuple */
uint32_t count_parts(const struct tf_node *node);
const struct tf_node *part_at(const struct item *it, uint32_t i); /* or NULL */

/* print_capture.c */
void order_unread(struct printer *p, struct item *region);

/* All items of a tuple are taken, each once, and nothing reads it whole. */
int is_taken_apart(struct printer *p, const struct item *it);

/* print_name.c */
void note_number(struct printer *p, const char *name); /* v<N>, if it is one, is the author's */
void names_make(struct printer *p, const struct tf_function *f);
const char *name_claim(struct printer *p, const char *wanted);
const char *name_number(struct printer *p); /* v<N> */
/* For the whole file. */
#define NAME_KNOWN 1u  /* of a function or module */
#define NAME_NEEDED 2u /* what any function may have to write */
void name_reserve(struct printer *p, const char *name, uint32_t how);
/* What a value is read by: its own name, or the one of what a region captured. */
const char *name_of(struct printer *p, const struct tf_node *node);
int64_t result_of(const struct tf_node *node, const struct tf_node *from); /* which result of loop `from`; -1: none */
/* The k-th value that a loop leaves or a region gives, where it is read by itself; NULL. */
const struct tf_node *part_of(struct printer *p, const struct item *it, int64_t index);

/* print_body.c */
void print_suite(struct printer *p, uint32_t suite);
/* The value of a function or of a region that gives it, at the end of its suite. */
void print_return(struct printer *p, const struct tf_node *value, uint32_t suite);
void frame_open(struct printer *p, const struct tf_node *region, const char *name);
void frame_close(struct printer *p);

void print_region(struct printer *p, const struct item *it);

/* print_where.c */
void print_where(struct printer *p, const struct tf_where *where); /* with the colon before it */
/* Lines of their own for the wishes about values that have no line where one could stand. */
void wish_on(struct printer *p, const struct tf_node *node);
void wish_on_parts(struct printer *p, const struct item *it);
int has_wishes(struct printer *p, const struct item *it); /* whether wish_on_parts prints anything */

/* print_outline.c */
void outline_find(struct printer *p);
void outline_print(struct printer *p);
void outline_call(struct printer *p, const struct item *it);

/* print_call.c */
void print_call(struct printer *p, const struct tf_node *node);
int can_drop(struct printer *p, const struct tf_node *reshape); /* a reshape that an index does */
void print_operand(struct printer *p, const struct tf_node *node);

/* print_index.c: slices as subscripts */
int can_index(struct printer *p, const struct tf_node *slice);
/* Whether the reshape only drops axes of one element from its operand, a slice that nothing else reads. */
int index_drops(struct printer *p, const struct tf_node *reshape, int of_slice);
void print_index(struct printer *p, const struct tf_node *slice, const struct tf_node *reshape); /* reshape or NULL */

/* print_value.c */
void print_dim(struct printer *p, const struct tf_dim *dim);
void print_dims(struct printer *p, const struct tf_dim *const *dims, uint32_t n);
void print_number(struct printer *p, const struct tf_val *val);
int number_is_literal(const struct tf_val *val);
void print_value(struct printer *p, const struct tf_val *val);
void print_string(struct printer *p, const char *text);
void print_type(struct printer *p, const struct tf_type *type, const char *head, int signature);
void print_layout(struct printer *p, const struct tf_layout *layout, int signature);
void print_mesh(struct printer *p, const struct tf_mesh *mesh);
const char *mesh_constant(struct printer *p, const struct tf_mesh *mesh);
const char *open_mesh(const struct printer *p, const struct tf_mesh *mesh); /* its name, or NULL */
void print_topologies(struct printer *p, const struct tf_topology *levels, uint32_t n);
void note_dims(struct printer *p, const struct tf_dim *dim);

/* print.c */
void use(struct printer *p, enum use what);
const char *constant_named(struct printer *p, char letter, const char *text);
void line_start(struct printer *p);
void line_end(struct printer *p);
/* The analysed function's node: of a part, the one that the hooks know it as; NULL where there is none. */
const struct tf_node *known_node(const struct printer *p, const struct tf_node *node);
/* The call that a node was copied in with, or NULL. */
const struct ir_site *site_of(const struct printer *p, const struct tf_node *node);
/* The type, what the hook adds, and the end of the line. */
void line_note(struct printer *p, const struct tf_node *node);
void line_placed(struct printer *p, const struct tf_node *node, const char *name);

#endif

/* SPDX-License-Identifier: MIT
 * Lowering the body of one function to HIR.
 *
 * A name stands for a value: a node of the program, a window of a tile loop, a mesh, or anything known before the program
 * runs.  A node keeps the number of regions that were open where it was made; read inside deeper ones it is captured
 * through each of them.  What was refused is bound as poison, so that one fault is told once.
 */
#ifndef TF_FRONT_LOWER_H
#define TF_FRONT_LOWER_H

#include "front/host.h"
#include "front/module.h"

/* One name in force. */
struct local {
    const char *name;
    const struct value *value;
    uint32_t previous; /* index + 1 of what it hides, or 0 */
    uint32_t frame;
};

struct locals {
    struct name_map map; /* name to index + 1 */
    struct local *at;
    size_t n, room;
    uint32_t frame; /* number of frames that are open */
};

/* A mesh coordinate that was made already: one node a mesh and axis, as long as its region is open. */
struct coordinate {
    const struct tf_mesh *mesh;
    uint32_t axis, level;
    const struct tf_node *region; /* innermost when it was made */
    const struct tf_node *node;
};

struct lower {
    struct front *front;
    tf_ctx *ctx;
    struct function_value *f;
    struct ir_function *fn;
    struct module_scope *module; /* NULL for a free function */
    const struct tf_topology *levels;
    uint32_t n_levels;
    struct ir_builder b;
    struct locals locals;
    struct tf_node **regions;    /* open ones, outermost first */
    const struct value **meshes; /* what each was opened with */
    size_t n_regions, room_regions, room_meshes;
    struct coordinate *coordinates;
    size_t n_coordinates, room_coordinates;
};

/* locals.c */
void local_define(struct lower *l, const char *name, const struct value *value);
const struct value *local_lookup(const struct lower *l, const char *name); /* NULL */
void locals_push(struct lower *l);
size_t locals_pop(struct lower *l, struct local **first); /* what the frame held, in order of definition */
const struct value *node_value(struct lower *l, const struct tf_node *node);

/* lower.c: for the evaluator and the readers of types */
const struct value *lower_static_name(struct lower *l, const struct expr *e); /* NULL: not a name of the function */
/* A constant of the program as the number that it is; anything else as it was. */
const struct value *lower_static(struct eval *ev, const struct value *v);
/* The mesh with its levels resolved and checked; NULL after ev->fail. */
const struct value *lower_mesh_value(struct eval *ev, const struct value *v, const struct tf_loc *loc);
const struct value *const *lower_open_meshes(const struct lower *l, uint32_t *n);
struct eval lower_eval(struct lower *l);
/* A node as it is seen here, captured where that is needed; NULL when that fails. */
const struct tf_node *lower_here(struct lower *l, const struct value *v, const char *name);

/* expr.c: a value of the program, or NULL when it was refused (and told).  name: the author's, for the outermost call. */
const struct tf_node *lower_expr(struct lower *l, const struct expr *e, const char *name);
const struct tf_node *lower_number(struct lower *l, const struct tf_loc *loc, const struct value *v);
/* The value that a host name or a local stands for, as a node; NULL after a diagnostic. */
const struct tf_node *lower_value(struct lower *l, const struct expr *e, const struct value *v);
/* Whether the form is one of expressions at all, so that an assignment tries it first. */
int is_expression_form(struct lower *l, const struct expr *e);
const struct tf_node *lower_coordinate(struct lower *l, const struct expr *e, const struct value *mesh);

/* opcall.c */
const struct tf_node *lower_call(struct lower *l, const struct expr *e, const char *name);
/* A call of an operator that syntax means, with these arguments; attribute `attr` (or NULL) gets `val`. */
struct sugar_attr {
    const char *name;
    struct tf_val val;
};
const struct tf_node *sugar_call(struct lower *l, const struct tf_loc *loc, const char *name, const char *op,
    const struct tf_node *const *args, uint32_t n_args, const struct sugar_attr *attrs, uint32_t n_attrs);
/* The operator of a symbol: sugar.def; NULL for none. */
const char *sugar_op(const char *symbol, int unary);

/* bind.c: the attributes of a call */
struct tf_val *bind_attributes(struct lower *l, const struct expr *e, const struct op_value *op, struct tf_val *attrs);

/* subscript.c, endpoint.c */
const struct tf_node *lower_subscript(
    struct lower *l, const struct expr *e, const struct tf_node *owner, const char *name);

/* statement.c */
/* Lowers a suite; gives the node of its value where want is set and there is one. */
const struct tf_node *lower_block(struct lower *l, struct stmt *const *body, uint32_t n, int want);
int block_has_value(struct stmt *const *body, uint32_t n);
void lower_assignment(struct lower *l, const struct stmt *s, const struct tf_node **result);
/* loop.c */
const struct tf_node *lower_loop(struct lower *l, const struct stmt *s);

/* uses.c: names read, in statements and expressions, without recursion along what leans left */
typedef void (*name_use_fn)(void *data, const char *name);
void names_read_expr(const struct expr *e, name_use_fn use, void *data);
void names_read(const struct stmt *s, name_use_fn use, void *data);

/* where.c */
const struct tf_where *where_read(struct lower *l, const struct expr *e);

#endif

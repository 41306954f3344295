/* SPDX-License-Identifier: MIT
 *
 * The typed program.  A function is a graph of nodes, each visited once however many use it.  All of it belongs to the
 * host and is read-only for plugins.  Include <tilefoundry/plugin.h>.
 */
#ifndef TILEFOUNDRY_HIR_H
#define TILEFOUNDRY_HIR_H

#ifndef TILEFOUNDRY_PLUGIN_H
#error "include <tilefoundry/plugin.h> instead"
#endif

struct tf_op;
struct tf_node;

#define TF_NODE_PARAM 0u   /* a parameter of the function */
#define TF_NODE_CONST 1u   /* a number: val; umat, rank 0 */
#define TF_NODE_CALL 2u    /* an operator applied: op, attrs, in */
#define TF_NODE_TUPLE 3u   /* in */
#define TF_NODE_FCALL 4u   /* another function called: callee, in */
#define TF_NODE_REGION 5u  /* a `with Mesh` suite: region; in are what it captures */
#define TF_NODE_RPARAM 6u  /* a captured value inside its region: owner, index */
#define TF_NODE_LOOP 7u    /* a `for`: loop; in are the initial values of what it carries */
#define TF_NODE_LOOPVAR 8u /* its induction variable: owner */
#define TF_NODE_CARRY 9u   /* a carried value inside its loop: owner, index */

struct tf_region {
    const struct tf_mesh *mesh;          /* as written */
    const struct tf_mesh *scope;         /* composed with the regions around it */
    const char *name;                    /* what `as` calls it */
    const struct tf_node *const *params; /* RPARAM, one for each of the node's in */
    const struct tf_node *body;          /* its value: what the suite returns, or the tuple of what escapes */
};

struct tf_loop {
    const struct tf_node *var;
    const struct tf_dim *start, *extent, *step; /* static bounds; NULL where bound_value says what it is instead */
    const struct tf_node *bound_value[3];       /* start, extent, step computed by the program, else NULL */
    uint32_t is_tile;                           /* written as tile(): the variable is a window of step elements */
    uint32_t n_carries;
    const struct tf_node *const *carries; /* CARRY, one for each of the node's in */
    const struct tf_node *const *yields;
    const struct tf_node *body; /* value of the last statement; of a loop that carries nothing, its value */
};

/* A dimension of where(layout=..), or one of the bindings that follow the dimensions. */
struct tf_where_axis {
    const struct tf_dim *extent; /* NULL: any, and in a binding */
    const char *level;           /* that it is split over or bound to, as a word; or NULL */
    const char *reduction;       /* of a binding: "sum" of P("sum"); NULL: B() */
};

/* name: where(..) = value: what the author wishes of the value. */
struct tf_where {
    const struct tf_mesh *mesh;    /* or NULL */
    uint32_t has_storage, storage; /* TF_STORAGE_* */
    uint32_t n_axes, n_bindings;   /* 0 axes: no layout */
    const struct tf_where_axis *axes;
    const struct tf_where_axis *bindings;
};

struct tf_function {
    const char *name;
    const char *module; /* dotted path of the module that owns it, "" for a free function */
    uint32_t n_params, n_nodes;
    const struct tf_node *const *params;
    const struct tf_node *body;   /* NULL for a prototype */
    const struct tf_type *result; /* the body's type, or the prototype's stated one */
    struct tf_loc loc;
};

struct tf_node {
    uint32_t kind;
    uint32_t id; /* dense within the function, from 0 */
    const struct tf_type *type;
    const char *name; /* the author's name for it, or NULL */
    struct tf_loc loc;
    uint32_t n_in, n_attrs;
    const struct tf_node *const *in;
    const struct tf_op *op;
    const struct tf_val *attrs;  /* one for each attribute that op declares, defaults filled in */
    const struct tf_mesh *scope; /* the composed mesh in force where it stands, or NULL */
    const struct tf_val *val;    /* CONST */
    const struct tf_function *callee;
    const struct tf_region *region;
    const struct tf_loop *loop;
    const struct tf_node *owner; /* of an RPARAM, LOOPVAR, CARRY */
    uint32_t index;
    uint32_t is_weight;           /* a ConstTensor parameter */
    const struct tf_where *where; /* or NULL */
};

/* One operator call as its callbacks see it. */
struct tf_call {
    uint64_t struct_size;
    const struct tf_node *node; /* NULL while types are inferred */
    const struct tf_op *op;
    uint32_t n_args, n_attrs;
    const struct tf_node *const *args;
    const struct tf_type *const *arg_types; /* whole types, or one unit's share: see the callback */
    const struct tf_val *attrs;
    const struct tf_type *type; /* NULL while types are inferred */
    const struct tf_mesh *scope;
    struct tf_loc loc;
    const char *name; /* the author's name for the result, or NULL */
};

#endif

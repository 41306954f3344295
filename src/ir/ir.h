/* SPDX-License-Identifier: MIT
 * HIR: building it, checking it, going over it.  The structs are the public ones (tilefoundry/hir.h); while a function is
 * being built its nodes are written through the non-const pointers that the builder returns.
 *
 * A chain of values may be a hundred thousand long: nothing here or above recurses along operands (walk_* keeps its own
 * stack).  Recursion goes only into regions and loops, whose nesting the parser limits.
 */
#ifndef TF_IR_IR_H
#define TF_IR_IR_H

#include "type/type.h"

/* ---- modules -------------------------------------------------------------------------------------------------------*/

/* A variant: `base.specialize(DimVarRangePat(dim, lo, hi))`. */
struct ir_variant {
    const struct tf_function *function;
    const char *label; /* the variant's own def name */
    const char *dim;
    int64_t lo, hi;
};

struct ir_converter {
    const struct tf_function *function;
    const char *weight;
};

/* What the IR keeps of a function beyond the public part. */
struct ir_function {
    struct tf_function pub;  /* first: the two pointers convert */
    struct ir_module *owner; /* NULL for a free function */
    uint32_t n_variants, n_converters;
    struct ir_variant *variants;
    struct ir_converter *converters;
    const struct tf_mesh *mesh;     /* @func(mesh=..), else NULL */
    const struct tf_type *declared; /* return annotation, else NULL */
    uint32_t is_prototype;
    const char *doc; /* docstring, else NULL */
    /* Of what ir_inline made: the calls that were copied in, and which of them each node came from. */
    uint32_t n_sites;
    const struct ir_site *sites;
    uint32_t *site_of;             /* by node id: index in sites, or IR_NO_SITE for the function's own */
    struct ir_instance *instances; /* results for argument types other than the declared (instance.c) */
    struct ir_parts *parts;        /* of what ir_inline made: how it is written, where that is not as one function */
    /* Of a part: the function that it is one of, and the node there that each of its own is, by id; NULL for its
     * parameters and calls. */
    const struct ir_function *whole;
    const struct tf_node **node_of;
};

/* The same program as functions that call one another.  What a callee's values are follows from what its parameters
 * declare; the text of one function cannot say that where a call gives something else, nor can it read what a loop
 * leaves that carries nothing.  Such callees stay functions, one for each call; the last part is the selected function. */
struct ir_parts {
    uint32_t n, is_ordered; /* ordered as they are printed, those that are called first, and named (print_parts.c) */
    struct ir_function **at;
};

/* A call that was copied in. */
#define IR_NO_SITE UINT32_MAX
struct ir_site {
    const struct ir_function *callee; /* the variant, where there are some */
    struct tf_loc loc;                /* of the call */
    const char *name;                 /* what the author named its result, or NULL */
    uint32_t outer;                   /* the site that the call itself came from */
};

struct ir_module {
    const char *name;
    struct ir_module *parent;
    const char *entry;       /* or NULL */
    const char *target;      /* id of the target document, or NULL to inherit */
    const char *target_path; /* document named by path in the source, or NULL */
    uint32_t has_levels;     /* topologies= was given */
    uint32_t n_levels, n_functions, n_children, n_methods;
    struct tf_topology *levels;
    struct ir_function **functions; /* in source order */
    struct ir_module **children;    /* in class-body order */
    const char **methods;
    struct tf_loc loc;
};

/* A loaded source: what the selector chooses from. */
struct ir_program {
    uint32_t file;
    uint32_t n_modules;
    struct ir_module **modules; /* distinct Modules bound at module level */
};

const char *call_word(const struct tf_node *node);         /* how a call is written: the operator's name or alias */
const char *module_target(const struct ir_module *module); /* own or inherited; NULL */
void module_levels(const struct ir_module *module, const struct tf_topology **levels, uint32_t *n);
struct ir_function *module_function(const struct ir_module *module, const char *name); /* NULL */
struct ir_module *module_child(const struct ir_module *module, const char *name);      /* NULL */

/* ---- building (build.c) --------------------------------------------------------------------------------------------
 * A builder makes the nodes of one function.  Every ir_* returns NULL after a diagnostic when the thing is refused. */

struct ir_builder {
    tf_ctx *ctx;
    struct ir_function *function;
    const struct tf_mesh *scope; /* composed mesh in force */
    struct {
        struct tf_node **at;
        size_t n, room;
    } nodes;
    uint32_t depth;         /* regions and loops that are open */
    uint32_t refused;       /* the limit of nodes was passed and reported */
    const struct tf_op *op; /* the operator asked last, and its plugin */
    const char *plugin;
};

void builder_init(struct ir_builder *b, tf_ctx *ctx, struct ir_function *function);
void builder_finish(struct ir_builder *b); /* sets n_nodes; frees what the builder holds */

struct tf_node *ir_param(
    struct ir_builder *b, const struct tf_loc *loc, const char *name, const struct tf_type *type, int is_weight);
struct tf_node *ir_const(struct ir_builder *b, const struct tf_loc *loc, const struct tf_val *val);
/* Infers the type: asks op->infer, after shard_scope_check where the op does not place values. */
struct tf_node *ir_call(struct ir_builder *b, const struct tf_loc *loc, const char *name, const struct tf_op *op,
    const struct tf_node *const *args, uint32_t n_args, const struct tf_val *attrs);
struct tf_node *ir_tuple(
    struct ir_builder *b, const struct tf_loc *loc, const struct tf_node *const *items, uint32_t n);
struct tf_node *ir_fcall(struct ir_builder *b, const struct tf_loc *loc, const char *name,
    const struct ir_function *callee, const struct tf_node *const *args, uint32_t n_args);
/* Opens a region: composes scopes; close gives it its value and captures. */
struct tf_node *ir_region_open(
    struct ir_builder *b, const struct tf_loc *loc, const struct tf_mesh *mesh, const char *name);
struct tf_node *ir_region_capture(struct ir_builder *b, struct tf_node *region, const struct tf_node *outer,
    const char *name); /* the RPARAM; the same outer value gives the same one */
int ir_region_close(struct ir_builder *b, struct tf_node *region, const struct tf_node *body);
/* Opens a loop: var is made; carries are added; close gives the yields. */
struct tf_node *ir_loop_open(
    struct ir_builder *b, const struct tf_loc *loc, const char *var, const struct tf_loop *bounds);
struct tf_node *ir_loop_carry(
    struct ir_builder *b, struct tf_node *loop, const char *name, const struct tf_node *initial);
int ir_loop_close(
    struct ir_builder *b, struct tf_node *loop, const struct tf_node *const *yields, const struct tf_node *body);

/* ---- going over a graph (walk.c) -----------------------------------------------------------------------------------*/

/* Post-order from the function's body, operands left to right, each node once: a region's captures, then its body; a
 * loop's initial values (and run-time bounds), then the value of its body, then the yields; then the node itself.
 * Parameters are visited where they are first reached.  enter/leave are called around regions' and loops' insides; either
 * may be NULL.  Returns the first non-zero that a callback returns. */
struct walk {
    void *data;
    int (*visit)(void *data, const struct tf_node *node);
    int (*enter)(void *data, const struct tf_node *owner);
    int (*leave)(void *data, const struct tf_node *owner);
};
int walk_function(tf_ctx *ctx, const struct tf_function *function, const struct walk *walk);

/* The same walk one step at a time, for those who interleave several. */
#define WALK_END 0u
#define WALK_VISIT 1u
#define WALK_ENTER 2u
#define WALK_LEAVE 3u
struct walker {
    struct {
        struct walk_frame *at;
        size_t n, room;
    } stack;
    uint64_t *seen;                                            /* bit set by node id */
    unsigned (*skip)(void *data, const struct tf_node *owner); /* whether its inside is left out; or NULL */
    void *data;
};
void walker_init(struct walker *walker, const struct tf_function *function);
unsigned walker_next(struct walker *walker, const struct tf_node **node);
void walker_finish(struct walker *walker);

/* ---- checking, specialising, printing ------------------------------------------------------------------------------*/

int ir_verify(tf_ctx *ctx, const struct ir_module *module); /* verify.c; 0, or TF_E_REFUSED after diagnostics */

/* inline.c: the selected function alone, dimensions bound, variants chosen, callees copied in.  Node names of inlined
 * parts keep the author's.  Types are inferred anew, each function's from what its parameters declare.  Refuses extents
 * that are unknown, out of range or missing.  The result's owner is a module of its own, which states the levels (bound)
 * and the target that `module` has. */
struct ir_function *ir_inline(tf_ctx *ctx, const struct ir_module *module, const struct ir_function *function,
    const struct dim_binding *bound, size_t n);
/* Likewise for evaluation alone, which looks at no level: a child module may declare other levels than its caller. */
struct ir_function *ir_inline_values(tf_ctx *ctx, const struct ir_module *module, const struct ir_function *function,
    const struct dim_binding *bound, size_t n);
/* Open dimensions of a function, in order of first appearance. */
size_t ir_dimensions(tf_ctx *ctx, const struct ir_function *function, struct dim_var *vars, size_t room);

/* program.c: steps, loops, multiplicity (R1) for analyzers.  NULL after a diagnostic. */
const struct tf_program *ir_program_make(tf_ctx *ctx, const struct ir_module *module, const struct ir_function *inlined,
    const struct tf_target *target, const char *level);
/* Likewise of a function that ir_inline_values made, for what looks at values alone: no levels, no target. */
const struct tf_program *ir_program_values(
    tf_ctx *ctx, const struct ir_module *module, const struct ir_function *inlined);

/* print.c: language.md 18.3.  A whole program as authored, or the analysed function with records after its lines. */
struct print_hooks {
    void *data;
    /* text after "# TYPE" for a node's line, or NULL for none */
    const char *(*note)(void *data, const struct tf_node *node);
    /* told, when a call's line is begun, the name that it is printed under and the line (from 1) of the text; or NULL */
    void (*placed)(void *data, const struct tf_node *node, const char *name, size_t line);
};
void ir_print_module(tf_ctx *ctx, struct buf *out, const struct ir_module *module, const struct print_hooks *hooks);

#endif

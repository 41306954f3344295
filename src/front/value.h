/* SPDX-License-Identifier: MIT
 * Values of the host level: what a name of the file, an attribute or an annotation stands for before the program runs,
 * and, inside a function, the program's own values.  All live in the context's arena and never change once made.
 */
#ifndef TF_FRONT_VALUE_H
#define TF_FRONT_VALUE_H

#include "front/ast.h"
#include "ir/ir.h"

/* X(NAME, what a message calls it) */
#define VALUE_KINDS(X)                                                                                                 \
    X(NONE, "None")                                                                                                    \
    X(BOOL, "a bool")              /* i */                                                                             \
    X(INT, "an int")               /* i */                                                                             \
    X(FLOAT, "a float")            /* f */                                                                             \
    X(STRING, "a string")          /* s; enumeration when it is an enum's member */                                    \
    X(TUPLE, "a tuple")            /* items */                                                                         \
    X(LIST, "a list")              /* items */                                                                         \
    X(SET, "a set")                /* items */                                                                         \
    X(DICT, "a dict")              /* items: key, value, key, value ... */                                             \
    X(SLICE, "a slice")            /* items: lower, upper, step; NULL where left out */                                \
    X(DTYPE, "a dtype")            /* i */                                                                             \
    X(STORAGE, "a storage")        /* i */                                                                             \
    X(DIM, "a dimension")          /* dim, not a constant */                                                           \
    X(TYPE, "a type")              /* type */                                                                          \
    X(LAYOUT, "a layout")          /* layout */                                                                        \
    X(MESH, "a Mesh")              /* mesh */                                                                          \
    X(TOPOLOGY, "a Topology")      /* topology */                                                                      \
    X(TARGET, "a target")          /* s: id or path of its document */                                                 \
    X(SPLIT, "a placement")        /* shard: S(), B(), P() */                                                          \
    X(PATTERN, "a DimVarRangePat") /* pattern */                                                                       \
    X(MODULE, "a Module")          /* module */                                                                        \
    X(FUNCTION, "a Function")      /* function */                                                                      \
    X(OP, "an operator")           /* op */                                                                            \
    X(ENUM, "an enumeration")      /* s */                                                                             \
    X(BUILTIN, "a callable")       /* builtin; self for a bound method */                                              \
    X(DEF, "a Python function")    /* s: its name; known by name only */                                               \
    X(SPACE, "a namespace")        /* space: a class, or a module of the file system */                                \
    X(LIBRARY, "a tilefoundry module")                                                                                 \
    X(NODE, "a value of the program") /* node, level */                                                                \
    X(WINDOW, "a tile window")        /* node: the loop's variable; window */                                          \
    X(POISON, "a refused value")                                                                                       \
    X(OPAQUE, "an unknown value") /* s: why it is not known; where */

enum value_kind {
#define X(name, text) VALUE_##name,
    VALUE_KINDS(X)
#undef X
        VALUE_KIND_COUNT
};

/* A Mesh as written: levels by name wait for the function that uses it. */
struct mesh_value {
    struct tf_mesh fields;              /* levels[i].extent NULL where only its name is known */
    const struct tf_mesh *mesh;         /* made, or NULL */
    const struct tf_topology *made_for; /* the declared levels that it was made for */
    struct tf_loc loc;
    uint32_t checked; /* against its levels */
};

struct pattern_value {
    const char *dim;
    int64_t lo, hi;
};

/* A window of a tile loop: node's value moved by `move`, `size` long. */
struct window_value {
    const struct tf_node *loop;
    const struct tf_dim *size;
    const struct tf_dim *move; /* static part */
    uint32_t moved;            /* written with an offset */
};

struct op_value {
    const struct tf_op *op;
    const struct tf_alias *alias; /* NULL for the op's own name */
    const char *name;             /* as written after tf. */
};

struct module_value;   /* module.h */
struct function_value; /* module.h */
struct env;            /* host.h */

struct value {
    enum value_kind kind;
    uint32_t n;     /* items */
    uint32_t level; /* NODE: how many regions are open where it was made */
    uint32_t builtin;
    union {
        int64_t i;
        double f;
        const char *s;
        const struct value *const *items;
        const struct tf_dim *dim;
        const struct tf_type *type;
        const struct tf_layout *layout;
        struct mesh_value *mesh;
        const struct tf_topology *topology;
        struct tf_shard_attr shard;
        const struct pattern_value *pattern;
        struct module_value *module;
        struct function_value *function;
        const struct op_value *op;
        struct env *space;
        const struct tf_node *node;
    } u;
    union {                                /* what a few kinds have beside that */
        const char *enumeration;           /* STRING: the enum that it is a member of, or NULL */
        const struct value *self;          /* BUILTIN: of a bound method, or NULL */
        const struct window_value *window; /* WINDOW */
        const struct tf_loc *where;        /* OPAQUE */
        const struct value *twin_of;       /* SPACE: the Module that a class implements in Python, or NULL */
    };
};

extern const struct value value_none, value_true, value_false, value_poison;

const char *value_kind_text(enum value_kind kind);
const struct value *value_bool(int truth);
const struct value *value_int(tf_ctx *ctx, int64_t i);
const struct value *value_float(tf_ctx *ctx, double f);
const struct value *value_string(tf_ctx *ctx, const char *s);
const struct value *value_dim(tf_ctx *ctx, const struct tf_dim *dim); /* an INT when it is a constant */
const struct value *value_items(tf_ctx *ctx, enum value_kind kind, const struct value *const *items, uint32_t n);
struct value *value_new(tf_ctx *ctx, enum value_kind kind);

int value_is_number(const struct value *v);   /* BOOL, INT or FLOAT */
int value_is_sequence(const struct value *v); /* TUPLE or LIST */
/* What Python's bool() gives; 1 for kinds that have no size. */
int value_truth(const struct value *v);
int value_equal(const struct value *a, const struct value *b);
/* The number of a BOOL, INT, FLOAT. */
double value_number(const struct value *v);
/* INT (not BOOL) or DIM as a dimension, else NULL. */
const struct tf_dim *value_as_dim(tf_ctx *ctx, const struct value *v);
/* As an attribute's value; 0 when the kind has no such form. */
int value_as_val(tf_ctx *ctx, const struct value *v, struct tf_val *val);
/* A plain layout whose strides were left out is in C order where it stands for itself. */
const struct tf_layout *layout_finished(tf_ctx *ctx, const struct tf_layout *layout);
/* As a format field or an error message shows it. */
void value_print(struct buf *out, const struct value *v);
const char *value_text(tf_ctx *ctx, const struct value *v);

#endif

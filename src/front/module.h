/* SPDX-License-Identifier: MIT
 * Modules and functions as recipes, and building them.
 */
#ifndef TF_FRONT_MODULE_H
#define TF_FRONT_MODULE_H

#include "front/host.h"

/* A Module as the file defines it.  Each place that binds it builds its own: a child has its own name, and levels and
 * target from the module around it. */
struct module_value {
    const struct stmt *def;  /* a class, or the def of a one-function Module */
    const struct expr *call; /* the decorator's call, or NULL */
    struct env *env;         /* where it is defined */
    uint32_t at;
    const char *name;
    const struct value *target, *entry, *levels; /* what replace() put in, or NULL */
    struct ir_module *built;                     /* standing alone, or as the child that this value is */
    uint32_t is_child;                           /* of a module that is being built: `built` is it */
    uint32_t state;                              /* BUILD_* */
    uint32_t generation;                         /* of the front end when it was last tried */
};

#define BUILD_NOT 0u
#define BUILD_NOW 1u
#define BUILD_DONE 2u
#define BUILD_FAILED 3u

#define ROLE_ROOT 0u
#define ROLE_VARIANT 1u
#define ROLE_CONVERTER 2u
#define ROLE_PRIM 3u

struct function_value {
    const struct stmt *def;
    const struct expr *decorator;
    struct env *env;
    uint32_t at;
    uint32_t role;
    struct function_value *base;      /* of a variant or converter */
    struct function_value **attached; /* variants and converters of a free function */
    size_t n_attached, room_attached;
    struct ir_function *ir;
    struct ir_module *owner; /* the built module that it belongs to */
    struct module_value *of; /* of a function taken from a Module that is not built yet: that, */
    const char *member;      /* and its name, NULL for the entry */
    uint32_t state;
    uint32_t generation; /* of the front end when it was last tried */
};

/* What functions of the module that is being built see of it. */
struct module_scope {
    struct ir_module *ir;
    struct name_map names; /* index + 1 into values */
    const struct value **values;
    size_t n, room;
};
void scope_define(struct front *front, struct module_scope *scope, const char *name, const struct value *value);
const struct value *scope_lookup(const struct module_scope *scope, const char *name); /* NULL */

const struct value *module_recipe(struct front *front, struct env *env, const struct stmt *s, const struct expr *call);
/* The value of a def under this decorator; NULL when the decorator makes no program function of it. */
const struct value *function_recipe(
    struct front *front, struct env *env, const struct stmt *s, const struct expr *decorator);

/* The Module standing alone; NULL after diagnostics. */
struct ir_module *module_force(struct front *front, struct module_value *m);
/* A free function; NULL after diagnostics, or while it is being made (it calls itself). */
struct ir_function *function_force(struct front *front, struct function_value *f);
const struct value *function_of(struct front *front, struct ir_function *ir);
const struct value *child_value(struct front *front, struct ir_module *ir);

const struct value *module_attribute(struct eval *ev, const struct value *owner, const struct expr *e);
const struct value *module_replaced(struct eval *ev, const struct arguments *args);
const struct value *module_method(struct eval *ev, const struct arguments *args, const struct value *callee);

/* function.c: lowers one function into ir; 0, or TF_E_REFUSED after diagnostics. */
int function_lower(struct front *front, struct function_value *f, struct module_scope *scope, struct ir_function *ir);
/* variant.c: attaches a lowered variant or converter to its base. */
int function_attach(struct front *front, struct function_value *f);

#endif

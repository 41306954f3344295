/* SPDX-License-Identifier: MIT
 * The host level of a source file: names and what they stand for, found by reading, never by executing.  A statement that
 * cannot be evaluated binds an opaque value that keeps the reason; it is told only when a program needs the name.
 * Classes that are Modules and functions of the program are recipes, built when something asks for them.
 */
#ifndef TF_FRONT_HOST_H
#define TF_FRONT_HOST_H

#include "front/names.h"
#include "front/value.h"

struct front;
struct lower;
struct host_file;

/* A name is bound by the statement numbered `at`; what reads it sees the newest binding from before itself. */
struct binding {
    const char *name;
    const struct value *value;
    struct tf_loc loc; /* of the statement that binds it */
    uint32_t at;
    uint32_t previous; /* index + 1 of the binding that this one hides, or 0 */
};

struct env {
    struct env *outer;
    uint32_t outer_at; /* the statement of outer in which this one is */
    struct host_file *file;
    struct name_map latest; /* name to index + 1 */
    struct binding *bindings;
    size_t n, room;
    struct function_value **declared; /* functions of the program that are defined here, in order */
    size_t n_declared, room_declared;
    uint32_t star_operators; /* `from ...tf import *` stands here */
    uint32_t star_library;   /* `from tilefoundry... import *` */
    struct tf_loc loc;       /* of the statement that is being read */
    uint32_t clock;          /* statements read so far */
    uint32_t is_class;
};

struct host_file {
    uint32_t file;
    uint32_t is_loading; /* its statements are being read: an import of it is a cycle */
    const char *path, *directory, *name;
    struct ast *ast; /* NULL when it could not be parsed */
    struct env *env;
};

struct front {
    tf_ctx *ctx;
    struct host_file **files;
    size_t n_files, room_files;
    uint64_t steps;
    uint32_t depth;       /* of Modules being built inside one another */
    uint32_t generation;  /* raised when refusals were taken back: what had failed may be tried again */
    uint32_t suggestions; /* near names that were looked for; each looks at many names */
    struct name_map op_index;
    const struct value **ops; /* operators that were asked for */
    size_t n_ops, room_ops;
};

/* Why an evaluation gave nothing. */
struct failure {
    struct tf_loc loc;
    const char *code, *text;
    const char *root; /* where it is that a name is not known: why it is not */
    struct tf_loc root_loc;
    uint32_t reported; /* a diagnostic has been issued already */
};

/* One place that evaluates: a statement of env, or an attribute inside the function `lower`. */
struct eval {
    struct front *front;
    struct env *env;
    uint32_t at;
    struct env *locals; /* targets of the comprehensions around */
    struct lower *lower;
    struct failure fail;
};

#define HOST_END UINT32_MAX /* sees every binding */

/* env.c */
void *front_grow(tf_ctx *ctx, void *old, size_t n, size_t *room, size_t size);
struct env *env_new(struct front *front, struct env *outer, uint32_t outer_at, struct host_file *file);
void env_bind(struct front *front, struct env *env, const char *name, const struct value *value, uint32_t at);
void env_put(struct front *front, struct env *env, const char *name, const struct value *value);
/* Here only: the newest binding from before at; NULL. */
const struct binding *env_binding(const struct env *env, const char *name, uint32_t at);
const struct value *env_here(const struct env *env, const char *name, uint32_t at);
/* Here, then outwards. */
const struct value *env_find(const struct env *env, const char *name, uint32_t at);
/* As a function sees names that it does not bind: the file's, then those of the classes around it. */
const struct value *env_find_from_function(const struct env *env, const char *name, uint32_t at);
const struct env *env_file(const struct env *env);
const char *env_suggest(
    struct front *front, const struct env *env, const char *name); /* NULL: none, or asked too often */

/* library.c: names of the language that imports bring.  What a LIBRARY value (its u.i) gives its attributes: */
#define LIBRARY_PACKAGE 0
#define LIBRARY_OPERATORS 1
#define LIBRARY_MATH 2
#define LIBRARY_DATACLASSES 3
const struct value *library_of(struct front *front, int64_t which);
const struct value *library_value(struct front *front, const char *name);   /* NULL: no such name */
const struct value *library_package(struct front *front, const char *path); /* of "tilefoundry.dsl.tf" and so on */
const struct value *library_math(struct front *front, const char *name);
const struct value *library_python(struct front *front, const char *name); /* int, range, ... at the host level */
const struct value *library_op(struct front *front, const char *name);     /* an operator of the registry; NULL */
int library_is_package(const char *module);                                /* tilefoundry or below */

/* eval.c */
const struct value *eval_expr(struct eval *ev, const struct expr *e); /* NULL: ev->fail says why */
const struct value *eval_fail(struct eval *ev, const struct tf_loc *loc, const char *code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void eval_report(struct eval *ev); /* issues ev->fail as a diagnostic, once */
const struct value *eval_attribute(struct eval *ev, const struct value *owner, const struct expr *e);
/* Whether a value of n elements may be made: it counts as that many steps. */
int eval_size(struct eval *ev, const struct tf_loc *loc, uint64_t n);
/* The file's own words for an expression: a dotted name, else "an expression". */
const char *expr_text(tf_ctx *ctx, const struct expr *e);

/* arith.c */
double double_floor(double f);
const struct value *eval_binary(
    struct eval *ev, const struct tf_loc *loc, const char *op, const struct value *a, const struct value *b);
const struct value *eval_unary(struct eval *ev, const struct tf_loc *loc, const char *op, const struct value *a);
const struct value *eval_compare(
    struct eval *ev, const struct tf_loc *loc, const char *op, const struct value *a, const struct value *b);
const struct value *eval_subscript(struct eval *ev, const struct expr *e, const struct value *owner);

/* comprehension.c */
const struct value *eval_comprehension(struct eval *ev, const struct expr *e);
const struct value *eval_set(struct eval *ev, const struct tf_loc *loc, const struct value *from);
/* The items of a value that can be gone through, as a TUPLE; NULL. */
const struct value *eval_iterate(struct eval *ev, const struct tf_loc *loc, const struct value *v);

/* call.c: calls of what library.def lists */
struct arguments {
    const struct expr *call;
    uint32_t n, n_named;
    const struct value **values; /* n positional, then n_named */
    const char **names;
    const struct tf_loc *locs;
};
const struct value *eval_call(struct eval *ev, const struct expr *e, const struct value *callee);
const struct value *call_mesh(struct eval *ev, const struct arguments *args);
const struct value *call_layout(struct eval *ev, const struct arguments *args);
const struct value *call_shard_layout(struct eval *ev, const struct arguments *args);
/* The argument for a slot by position or name; NULL when it was left out. */
const struct value *argument(const struct arguments *args, uint32_t position, const char *name);
int arguments_check(struct eval *ev, const struct arguments *args, const char *what, uint32_t at_least,
    uint32_t at_most, const char *const *names); /* names: NULL-terminated, one a slot */

/* exec.c: statements */
void host_run(struct front *front, struct env *env, struct stmt *const *body, uint32_t n);
/* The decorator of d, called or bare, when it is one of the library's; builtin is its number, *call its call or NULL. */
int decorator_builtin(struct eval *ev, const struct expr *d, uint32_t *builtin, const struct expr **call);
/* Says why a name is not known, where it is needed. */
void opaque_report(struct front *front, const struct tf_loc *loc, const char *name, const struct value *opaque);

/* file.c */
struct host_file *host_open(struct front *front, const char *path); /* NULL after a diagnostic */
struct host_file *host_sibling(struct front *front, const struct host_file *from, const char *module, int *missing);

/* library.def's numbers */
enum builtin {
#define BUILTIN(name, text) BUILTIN_##name,
#include "front/library.def"
    BUILTIN_COUNT
};

#endif

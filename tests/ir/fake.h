/* SPDX-License-Identifier: MIT
 * What the tests of the IR build their programs with: a few operators of their own, and short words for the builder.
 */
#ifndef TF_TESTS_IR_FAKE_H
#define TF_TESTS_IR_FAKE_H

#include "ir/ir.h"
#include "target/target.h"
#include "util/diag.h"

#include <check.h>

extern const struct tf_op fake_same;  /* x: its type */
extern const struct tf_op fake_add;   /* a, b: the type of the one of higher rank */
extern const struct tf_op fake_pair;  /* x: a tuple of two */
extern const struct tf_op fake_item;  /* a tuple; index: TF_OP_ITEM */
extern const struct tf_op fake_fill;  /* nothing; type */
extern const struct tf_op fake_place; /* x; layout, storage: TF_OP_PLACES */
extern const struct tf_op fake_many;  /* any number of tensors: the first one's type */
extern const struct tf_op fake_deep;  /* x; n: a value of n axes */
extern const struct tf_op fake_mute;  /* x; code: fails with that code and says nothing */

/* One program that is being built, in a context of its own. */
struct fixture {
    tf_ctx *ctx;
    struct ir_module *module;
    struct ir_function *f;
    struct ir_builder b;
};

void fixture_begin(struct fixture *x);
void fixture_end(struct fixture *x);
/* The function that is built from now on; the one before must have been returned. */
struct ir_function *fixture_function(struct fixture *x, const char *name);
/* Ends the function with this value and adds it to the module. */
struct ir_function *fixture_return(struct fixture *x, const struct tf_node *value);
struct ir_module *fixture_child(struct fixture *x, const char *name); /* of the root module; functions go there now */
void fixture_levels(struct fixture *x, const char *name, int64_t extent);

const struct tf_type *tensor(struct fixture *x, int64_t rows, int64_t columns); /* columns 0: one axis */
const struct tf_mesh *mesh_of(struct fixture *x, const char *level, int64_t extent);
const struct tf_layout *split_rows(struct fixture *x, const struct tf_mesh *mesh, const struct tf_type *type);

struct tf_node *param(struct fixture *x, const char *name, const struct tf_type *type);
struct tf_node *same(struct fixture *x, const char *name, const struct tf_node *a);
struct tf_node *add(struct fixture *x, const char *name, const struct tf_node *a, const struct tf_node *b);
struct tf_node *call(struct fixture *x, const struct tf_op *op, const struct tf_node *a, int64_t number);
struct tf_node *place(struct fixture *x, const struct tf_node *a, const struct tf_layout *layout, uint32_t storage);
struct tf_node *loop_range(struct fixture *x, const char *name, int64_t start, int64_t extent, int64_t step);

/* Everything reported since the last time, as it would be printed. */
const char *reported(struct fixture *x);
void expect_error(struct fixture *x, const char *code);
void expect_text(struct fixture *x, const char *code, const char *part);

struct ir_function *inlined(struct fixture *x, const struct ir_function *f);
const struct tf_program *program(struct fixture *x, const struct ir_function *f);
const struct tf_step *step_named(const struct tf_program *p, const char *name);
extern const struct tf_target fake_target; /* cta without a limit, thread up to 1024 */

Suite *build_suite(void);
Suite *walk_suite(void);
Suite *inline_suite(void);
Suite *program_suite(void);
Suite *verify_suite(void);

#endif

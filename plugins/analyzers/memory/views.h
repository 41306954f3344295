/* SPDX-License-Identifier: MIT
 * Where accesses through views reach in their roots, as products that move with loop variables and mesh coordinates.
 */
#ifndef MEMORY_VIEWS_H
#define MEMORY_VIEWS_H

#include "memory.h"
#include "sets.h"

/* What makes windows move: a loop's variable, a mesh coordinate, the unit whose share `local` names. */
struct var {
    coord first, step;
    uint64_t count;
    const struct tf_mesh *mesh; /* of a coordinate */
    uint32_t axis;
};
struct vars {
    struct var *at; /* the program's loops first */
    uint32_t n, room;
};

#define MAX_TERMS 8
struct moving { /* at + sum of coefficient times variable */
    coord at;
    uint32_t n;
    struct {
        uint32_t var;
        coord coef;
    } term[MAX_TERMS];
};

#define MAX_HELD 16
struct holding { /* a few variables, and what they are held at */
    uint32_t n;
    uint32_t var[MAX_HELD];
    coord value[MAX_HELD];
};

/* Who asks: one unit, or the device; in which coordinates of the roots; with which variables held. */
struct asker {
    struct memory *m;
    struct vars *vars;
    struct pool *pool;
    int unit, flat;
    struct holding held, touched; /* touched: those met that are not held */
    uint32_t patience;            /* how much more arithmetic is looked at */
};

#define VIEW_OK 0
#define VIEW_HOLD 1   /* not in this form; perhaps with the touched variables held, or in flat coordinates */
#define VIEW_UPPER 2  /* depends on data, or on more than is followed */
#define VIEW_FAILED 3 /* a diagnostic was given */

/* Part of a root: along axis a of it base[a] + sums of its digits, cut to [lo[a], hi[a]). */
struct part {
    uint32_t rank, n_digits;
    struct moving *base;
    coord *lo, *hi;
    struct {
        uint32_t axis;
        struct digit digit;
    } * digit;
};

/* starts.c */
int start_of(struct asker *a, const struct tf_node *node, struct moving *start);
int moving_add(struct moving *into, const struct moving *more, coord times);
int holding_find(const struct holding *holding, uint32_t var); /* its place, or -1 */
void moving_hold(struct moving *moving, uint32_t var, coord value);
void moving_range(const struct asker *a, const struct moving *moving, coord *lo, coord *hi);
uint32_t unit_var(struct asker *a, uint64_t units);
void vars_init(struct memory *m, struct vars *vars);
coord var_last(const struct var *var);

/* views.c: on which root's leaf a value stands */
struct standing {
    uint32_t root, leaf;
    uint32_t direct;   /* it is the root itself */
    uint32_t unsteady; /* outermost loop in whose later trips it stands elsewhere, or TF_NO_LOOP */
};
int find_standing(struct asker *a, const struct tf_node *node, struct standing *standing);
/* What a boundary of the step reaches of the root on which the value stands. */
int find_part(struct asker *a, const struct tf_step *step, uint32_t boundary, const struct tf_node *value,
    uint32_t leaf, struct part **parts, uint32_t *n_parts);
const struct tf_type *leaf_of(const struct tf_type *type, uint32_t index);
const struct tf_type *step_type(struct memory *m, const struct tf_step *step, int unit);

#endif

/* SPDX-License-Identifier: MIT
 * Inside the memory analyzer.
 */
#ifndef MEMORY_H
#define MEMORY_H

#include "kit.h"

#define FAMILY "memory"

/* Storages that a report names as levels, in the order of their names. */
#define N_LEVELS 5
extern const uint32_t level_order[N_LEVELS];

/* One boundary's bytes: elements reached, by leaf where it has several. */
struct moved {
    uint64_t read, written; /* bytes of the boundary, umat included */
};

/* What a value stands on: one root, the roots of its fields, or nothing. */
#define ROOT_NONE UINT32_MAX
struct roots {
    uint32_t root; /* position of the step whose buffer it is; of a tuple, ROOT_NONE */
    uint32_t n;
    struct roots **field;
};

/* Lists of roots, each once, for going over. */
struct root_list {
    uint32_t *at;
    uint32_t n, room;
};

struct memory {
    tf_ctx *ctx;
    const struct tf_program *program;
    uint32_t wanted, json;
    struct text text;
    struct tf_call_traffic *traffic; /* by step */
    struct tf_relation **relations;  /* by step; of views, and of what a loop is around */
    struct tf_call_traffic total;
    struct moved *operands; /* of the call at hand */
    uint32_t n_operands;
    uint64_t *elements; /* of its boundaries */
    uint32_t n_elements;
    struct roots **roots;   /* by node id */
    unsigned char *is_root; /* by step: has a buffer of its own */
    uint32_t *last;         /* by step: last position at which the root lives */
    uint64_t peak[TF_MAX_LEVELS], persistent[TF_MAX_LEVELS];
    uint32_t has_root; /* levels with a root */
};

/* traffic.c: amounts of every call, their records, the function's totals */
int memory_traffic(struct memory *m);
/* Bytes of n elements of a leaf; UINT64_MAX when they pass 2^63 - 1. */
uint64_t leaf_bytes(const struct tf_type *leaf, uint64_t elements);

/* What a report calls a buffer: a parameter's name, or name and line of the call that makes it. */
const char *root_label(struct memory *m, uint32_t position);

/* roots.c: on which buffers every value stands */
int memory_roots(struct memory *m);
const struct roots *roots_of(const struct memory *m, const struct tf_node *node);
void roots_list(const struct roots *roots, struct root_list *list);
/* Whether the call gives its operand's bytes under other coordinates, and no buffer. */
int is_view(const struct tf_call *unit, const struct tf_relation *relation);
/* Whether loop is `around`, or lies in it. */
int loop_within(const struct tf_program *program, uint32_t loop, uint32_t around);

/* lifetime.c: how long buffers live, peaks, capacities */
int memory_lifetimes(struct memory *m);

/* footprint.c: what loops reach */
int memory_footprints(struct memory *m);

#endif

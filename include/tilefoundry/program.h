/* SPDX-License-Identifier: MIT
 *
 * A program as analyzers see it: one function, callees inlined, dimensions bound, each step with how often it runs.
 * Host-owned and read-only.  Include <tilefoundry/plugin.h>.
 */
#ifndef TILEFOUNDRY_PROGRAM_H
#define TILEFOUNDRY_PROGRAM_H

#ifndef TILEFOUNDRY_PLUGIN_H
#error "include <tilefoundry/plugin.h> instead"
#endif

#define TF_NO_LOOP UINT32_MAX
#define TF_NO_POSITION UINT32_MAX

/* One `for`.  Loops are listed in visit order of their ends: innermost first. */
struct tf_prog_loop {
    const struct tf_node *node;
    uint32_t parent; /* index of the loop around it, or TF_NO_LOOP */
    uint32_t depth;  /* 0 for an outermost one */
    int64_t start, step;
    uint64_t trips;          /* max(0, ceil((extent - start) / step)) */
    uint32_t first_position; /* positions visited in it, nested loops included: [first, end] */
    uint32_t end_position;   /* TF_NO_POSITION for both when it holds none */
    const char *name;        /* of the induction variable, unique within the program's loops or not */
};

/* One position: a parameter, an operator call or a constant, in visit order. */
struct tf_step {
    const struct tf_node *node;
    uint32_t position;
    uint32_t loop;  /* innermost loop around its first visit, or TF_NO_LOOP */
    uint32_t inner; /* innermost loop that it runs in (varies in), or TF_NO_LOOP */
    uint32_t _reserved;
    uint64_t runs;               /* product of the trips of the loops that it runs in; 0 when one of them has none */
    uint64_t units;              /* positions of the mesh in force at the selected level or coarser; 1 outside any */
    const struct tf_call *whole; /* of a call: with whole types */
    const struct tf_call *unit;  /* of a call: with one unit's share */
};

struct tf_program {
    uint64_t struct_size;
    const struct tf_function *function;
    const char *module; /* name of the selected module */
    const struct tf_target *target;
    uint32_t n_levels;
    uint32_t selected;                /* index of the selected level, or n_levels when there is none */
    const struct tf_topology *levels; /* as declared, coarsest first */
    uint32_t n_steps, n_loops;
    const struct tf_step *steps; /* steps[i].position == i */
    const struct tf_prog_loop *loops;
    const uint32_t *step_of; /* by node id: its position, or TF_NO_POSITION */
    const uint32_t *loop_of; /* by node id, of LOOP nodes: index in loops; else TF_NO_LOOP */
    /* By node id: the loops that the node's value varies in (R1), innermost first, ended by TF_NO_LOOP.  They are among
     * the loops around the node.  For a tuple, those of all its items. */
    const uint32_t *const *varies_in;
};

/* Whether a node's value varies in a loop. */
static inline int tf_varies_in(const struct tf_program *program, const struct tf_node *node, uint32_t loop)
{
    const uint32_t *at = program->varies_in[node->id];
    while (*at != TF_NO_LOOP && *at != loop)
        at++;
    return *at != TF_NO_LOOP;
}

#endif

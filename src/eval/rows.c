/* SPDX-License-Identifier: MIT */
#include "eval/rows.h"

#include "eval/origin.h"
#include "ir/call.h"
#include "ir/relation.h"
#include "plugin/numbers.h"
#include "util/diag.h"

#include <string.h>

#define LEAST_ROWS 2
#define LARGEST_WHOLE ((uint64_t)1 << 20) /* bytes of an operand that each block reads as a whole */

enum reads { READS_ROWS, READS_WHOLE };

/* How a call reads its arguments, if rows of its results follow from rows of what it reads. */
struct reading {
    int is_by_rows, is_copy;
    uint8_t *args; /* enum reads, one for each argument */
};

struct maker {
    tf_ctx *ctx;
    struct rows_plan *plan;
    const struct tf_function *function;
    const struct schedule *schedule;
    struct arena memory;
    struct reading *readings; /* by node id */
    uint8_t *is_used;         /* by node id: some part of it is read by rows */
    uint8_t *is_result;       /* by node id: it is in the chain of what names the results */
    uint64_t rows;
};

static int64_t extent(const struct tf_type *type, uint32_t axis)
{
    return type->shape[axis]->value;
}

static uint64_t bytes_of(const struct tf_type *type)
{
    uint64_t n = 0;
    return type_elements(type, &n) ? UINT64_MAX : n * number_bytes(type->dtype);
}

/* ---- one call -----------------------------------------------------------------------------------------------------*/

/* Whether axis 0 goes with iteration axis k one by one. */
static int walks(const struct tf_boundary *boundary, int32_t k)
{
    const struct tf_axis *axis = boundary->axes;
    return boundary->rank && axis->kind == TF_AXIS_WALK && axis->iter[0] == k && axis->iter[1] == -1 &&
           axis->scale[0] == 1 && axis->offset == 0 && !axis->moved;
}

static int uses(const struct tf_boundary *boundary, uint32_t first, int32_t k)
{
    for (uint32_t i = first; boundary->axes && i < boundary->rank; i++)
        if (boundary->axes[i].iter[0] == k || boundary->axes[i].iter[1] == k)
            return 1;
    return 0;
}

/* Axis 0 of every result is iteration axis k, and of that extent; -1 when there is none. */
static int32_t rows_axis(const struct tf_relation *relation, const struct tf_type *const *results)
{
    int32_t k = -1;
    for (uint32_t i = 0; i < relation->n_out; i++) {
        const struct tf_boundary *out = &relation->out[i];
        if (!out->axes || !out->rank || results[i]->rank != out->rank)
            return -1;
        k = i ? k : out->axes[0].iter[0];
        if (k < 0 || !walks(out, k) || uses(out, 1, k) || extent(results[i], 0) != relation->extent[k]->value)
            return -1;
    }
    return k;
}

/* What is read whole has to leave it open how many rows there are, as what broadcasts does: an operator that takes the
 * extents of its result from such an argument (a softmax along axis 0) would not know that it is to give a part. */
static int leaves_rows_open(const struct tf_type *type, uint32_t rank)
{
    return type->rank < rank || !type->rank || extent(type, 0) == 1;
}

/* Whether all arguments suit; how each is read is kept. */
static int read_arguments(
    struct reading *reading, const struct tf_node *node, const struct tf_relation *relation, int32_t k, int64_t rows)
{
    int n = 0;
    for (uint32_t i = 0; i < node->n_in; i++) {
        const struct tf_boundary *in = &relation->in[i];
        const struct tf_type *type = node->in[i]->type;
        if (type->kind != TF_TYPE_TENSOR || (in->axes && in->rank != type->rank))
            return 0;
        reading->args[i] = READS_WHOLE;
        if (!uses(in, 0, k)) {
            if (!leaves_rows_open(type, relation->out[0].rank))
                return 0;
            continue;
        }
        if (!walks(in, k) || uses(in, 1, k) || extent(type, 0) != rows)
            return 0;
        reading->args[i] = READS_ROWS;
        n++;
    }
    return n != 0;
}

/* The same elements in the same order: rows of one are rows of the other, if both have as many. */
static int read_relabelled(struct reading *reading, const struct tf_node *node)
{
    reading->args[0] = READS_ROWS;
    return node->n_in == 1 && node->in[0]->type->kind == TF_TYPE_TENSOR && node->in[0]->type->rank &&
           node->type->kind == TF_TYPE_TENSOR && node->type->rank;
}

/* Every axis of the result is the same one of the argument. */
static int is_identity(const struct tf_relation *relation)
{
    const struct tf_boundary *in = &relation->in[0], *out = &relation->out[0];
    if (relation->n_in != 1 || relation->n_out != 1 || !in->axes || !out->axes || in->rank != out->rank)
        return 0;
    for (uint32_t i = 0; i < in->rank; i++) {
        const struct tf_boundary from = {.rank = 1, .axes = &in->axes[i]}, to = {.rank = 1, .axes = &out->axes[i]};
        if (in->axes[i].iter[0] < 0 || !walks(&from, in->axes[i].iter[0]) || !walks(&to, in->axes[i].iter[0]))
            return 0;
    }
    return 1;
}

/* Whether all that an operator does is to pass elements on; where to, its relation says. */
static int copies(const struct tf_node *node, const struct tf_relation *relation)
{
    return node->op->moves == 1 && node->n_in == 1 && node->type->kind == TF_TYPE_TENSOR &&
           node->in[0]->type->kind == TF_TYPE_TENSOR && node->in[0]->type->dtype == node->type->dtype &&
           bytes_of(node->type) == bytes_of(node->in[0]->type) &&
           (relation->flags & TF_RELATION_RELABEL || is_identity(relation));
}

static int relate(struct maker *m, const struct tf_node *node, struct tf_relation *relation)
{
    struct tf_call call = call_whole(&m->memory, node);
    size_t mark = diag_mark(m->ctx);
    int rc = node->op->relate(m->ctx, &call, relation);
    diag_drop(m->ctx, mark);
    return rc == TF_OK && relation->n_in == node->n_in && relation->n_out == leaf_count(node->type) &&
           !(relation->flags & (TF_RELATION_EMPTY | TF_RELATION_INPLACE));
}

static void read_call(struct maker *m, const struct tf_node *node)
{
    struct reading *reading = &m->readings[node->id];
    struct tf_relation relation = {0};
    uint32_t n = leaf_count(node->type);
    if (!(node->op->flags & TF_OP_ROWS) || !node->op->relate || !node->op->eval || !node->n_in)
        return;
    const struct tf_type **results = ARENA_ARRAY(&m->memory, const struct tf_type *, n);
    type_leaves(node->type, results, n);
    reading->args = ARENA_ARRAY(&m->memory, uint8_t, node->n_in);
    if (relate(m, node, &relation)) {
        int32_t k = relation.flags & TF_RELATION_RELABEL ? -1 : rows_axis(&relation, results);
        reading->is_by_rows = relation.flags & TF_RELATION_RELABEL
                                  ? read_relabelled(reading, node)
                                  : k >= 0 && read_arguments(reading, node, &relation, k, relation.extent[k]->value);
        reading->is_copy = reading->is_by_rows && copies(node, &relation);
    }
    relation_done(m->ctx);
}

/* ---- which calls are steps ----------------------------------------------------------------------------------------*/

static uint64_t divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static int divides(uint64_t rows, const struct tf_type *type)
{
    const struct tf_type *leaves[16];
    size_t n = type_leaves(type, leaves, 16);
    for (size_t i = 0; i < n && i < 16; i++)
        if (!leaves[i]->rank || extent(leaves[i], 0) <= 0 || (uint64_t)extent(leaves[i], 0) % rows)
            return 0;
    return n <= 16;
}

static int reads_little(const struct reading *reading, const struct tf_node *node)
{
    for (uint32_t i = 0; i < node->n_in; i++)
        if (reading->args[i] == READS_WHOLE && bytes_of(node->in[i]->type) > LARGEST_WHOLE)
            return 0;
    return 1;
}

static int is_step(const struct maker *m, const struct tf_node *node)
{
    const struct reading *reading = &m->readings[node->id];
    if (node->kind != TF_NODE_CALL || !reading->is_by_rows || m->plan->is_whole[node->id] || !m->is_used[node->id])
        return 0;
    if (!divides(m->rows, node->type) || !reads_little(reading, node))
        return 0;
    for (uint32_t i = 0; i < node->n_in; i++)
        if (reading->args[i] == READS_ROWS && !divides(m->rows, node->in[i]->type))
            return 0;
    return 1;
}

static void mark_origins(const struct tf_node *node, uint8_t *marks)
{
    uint32_t n = leaf_count(node->type);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t leaf = i;
        marks[value_origin(node, &leaf)->id] = 1;
    }
}

/* What is not computed by rows takes what it reads as a whole. */
static void mark_sources(struct maker *m, const struct tf_node *node)
{
    if (is_naming(node)) {
        if (leaf_count(node->type) > 1 && !m->is_result[node->id])
            mark_origins(node, m->plan->is_whole);
        return;
    }
    for (uint32_t i = 0, n = schedule_sources(node); i < n; i++)
        if (schedule_source(node, i))
            mark_origins(schedule_source(node, i), m->plan->is_whole);
}

static void mark_loops(struct maker *m)
{
    for (uint32_t b = 1; b < m->schedule->n_blocks; b++) {
        const struct schedule_block *block = &m->schedule->blocks[b];
        for (size_t i = 0; i < block->nodes.n; i++)
            mark_sources(m, block->nodes.at[i]);
        for (uint32_t i = 0; i < block->loop->loop->n_carries; i++)
            mark_origins(block->loop->loop->yields[i], m->plan->is_whole);
        mark_origins(block->loop->loop->body, m->plan->is_whole);
    }
}

static void mark_step(struct maker *m, const struct tf_node *node)
{
    for (uint32_t i = 0; i < node->n_in; i++)
        mark_origins(node->in[i], m->readings[node->id].args[i] == READS_WHOLE ? m->plan->is_whole : m->is_used);
}

/* With this many rows: from the last node to the first, as what reads a value says whether rows of it will do. */
static size_t choose_steps(struct maker *m)
{
    const struct schedule_block *block = &m->schedule->blocks[SCHEDULE_FUNCTION];
    size_t n = m->function->n_nodes, steps = 0;
    memset(m->plan->is_whole, 0, n);
    memset(m->is_used, 0, n);
    mark_origins(m->function->body, m->is_used);
    mark_loops(m);
    for (size_t i = block->nodes.n; i-- > 0;) {
        const struct tf_node *node = block->nodes.at[i];
        m->plan->is_left[node->id] = (uint8_t)is_step(m, node);
        steps += m->plan->is_left[node->id];
        if (m->plan->is_left[node->id])
            mark_step(m, node);
        else
            mark_sources(m, node);
    }
    return steps;
}

/* Rows that the calls which otherwise could be steps have all. */
static uint64_t common_rows(const struct maker *m)
{
    const struct schedule_block *block = &m->schedule->blocks[SCHEDULE_FUNCTION];
    uint64_t rows = m->rows;
    for (size_t i = 0; i < block->nodes.n; i++) {
        const struct tf_node *node = block->nodes.at[i];
        const struct tf_type *leaves[16];
        if (node->kind != TF_NODE_CALL || !m->readings[node->id].is_by_rows || !m->is_used[node->id])
            continue;
        size_t n = type_leaves(node->type, leaves, 16);
        for (size_t k = 0; k < n && k < 16; k++) {
            uint64_t common = divisor(rows, (uint64_t)extent(leaves[k], 0));
            rows = common >= LEAST_ROWS ? common : rows;
        }
    }
    return rows;
}

static uint64_t rows_of_largest(const struct tf_function *function)
{
    uint32_t n = leaf_count(function->body->type);
    const struct tf_type **leaves = xrealloc(NULL, (n ? n : 1) * sizeof(*leaves));
    uint64_t rows = 0, most = 0;
    type_leaves(function->body->type, leaves, n);
    for (uint32_t i = 0; i < n; i++)
        if (leaves[i]->rank && bytes_of(leaves[i]) > most) {
            most = bytes_of(leaves[i]);
            rows = (uint64_t)extent(leaves[i], 0);
        }
    free(leaves);
    return rows;
}

/* ---- the plan -----------------------------------------------------------------------------------------------------*/

static uint32_t add_leaf(struct maker *m, struct rows_leaf leaf)
{
    uint64_t n = 0;
    type_elements(leaf.type, &n);
    leaf.elements = leaf.is_sliced ? n / m->rows : n;
    leaf.next = m->plan->first_leaf[leaf.node->id];
    leaf.output = ROWS_NONE;
    m->plan->first_leaf[leaf.node->id] = (uint32_t)m->plan->leaves.n;
    VEC_PUSH(&m->plan->leaves, leaf);
    return (uint32_t)m->plan->leaves.n - 1;
}

static uint32_t find_leaf(struct maker *m, const struct tf_node *node, uint32_t leaf, int is_sliced)
{
    struct rows_plan *plan = m->plan;
    node = value_origin(node, &leaf);
    for (uint32_t i = plan->first_leaf[node->id]; i != ROWS_NONE; i = plan->leaves.at[i].next)
        if (plan->leaves.at[i].leaf == leaf &&
            (plan->leaves.at[i].is_step || plan->leaves.at[i].is_sliced == is_sliced))
            return i;
    uint32_t n = leaf_count(node->type);
    const struct tf_type **types = ARENA_ARRAY(&m->memory, const struct tf_type *, n);
    type_leaves(node->type, types, n);
    return add_leaf(m, (struct rows_leaf){.node = node, .leaf = leaf, .type = types[leaf], .is_sliced = is_sliced});
}

static void add_step(struct maker *m, const struct tf_node *node)
{
    struct rows_plan *plan = m->plan;
    uint32_t at = (uint32_t)plan->steps.n, n = leaf_count(node->type);
    struct rows_step step = {
        .node = node, .n_args = node->n_in, .n_results = n, .is_copy = m->readings[node->id].is_copy};
    const struct tf_type **types = ARENA_ARRAY(&m->memory, const struct tf_type *, n);
    step.args = xrealloc(NULL, node->n_in * sizeof(*step.args));
    for (uint32_t i = 0; i < node->n_in; i++) {
        step.args[i] = find_leaf(m, node->in[i], 0, m->readings[node->id].args[i] == READS_ROWS);
        plan->leaves.at[step.args[i]].last = at;
    }
    step.first_result = (uint32_t)plan->leaves.n;
    type_leaves(node->type, types, n);
    for (uint32_t i = 0; i < n; i++)
        add_leaf(
            m, (struct rows_leaf){.node = node, .leaf = i, .type = types[i], .is_step = 1, .is_sliced = 1, .last = at});
    VEC_PUSH(&plan->steps, step);
}

/* What only names a step's result has no value before the steps are run. */
static void leave_names(struct maker *m, const struct tf_node *node)
{
    uint32_t n = leaf_count(node->type);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t leaf = i;
        const struct tf_node *from = value_origin(node, &leaf);
        m->plan->is_left[node->id] |= from->kind == TF_NODE_CALL && m->plan->is_left[from->id];
    }
}

static void make_plan(struct maker *m)
{
    const struct schedule_block *block = &m->schedule->blocks[SCHEDULE_FUNCTION];
    struct rows_plan *plan = m->plan;
    plan->n_rows = m->rows;
    for (size_t i = 0; i < block->nodes.n; i++) {
        const struct tf_node *node = block->nodes.at[i];
        if (plan->is_left[node->id])
            add_step(m, node);
        else if (is_naming(node))
            leave_names(m, node);
    }
    plan->n_outputs = leaf_count(m->function->body->type);
    plan->outputs = xrealloc(NULL, (plan->n_outputs + 1) * sizeof(*plan->outputs));
    for (uint32_t i = 0; i < plan->n_outputs; i++) {
        plan->outputs[i] = find_leaf(m, m->function->body, i, 0);
        struct rows_leaf *leaf = &plan->leaves.at[plan->outputs[i]];
        leaf->output = leaf->output == ROWS_NONE ? i : leaf->output;
    }
}

/* The nodes through which the function's result is named. */
static void mark_result(struct maker *m)
{
    const struct tf_node *node = m->function->body;
    for (m->is_result[node->id] = 1; node->kind == TF_NODE_REGION; m->is_result[node->id] = 1)
        node = node->region->body;
}

void rows_plan_make(
    tf_ctx *ctx, struct rows_plan *plan, const struct tf_function *function, const struct schedule *schedule)
{
    uint32_t n = function->n_nodes;
    struct maker m = {.ctx = ctx, .plan = plan, .function = function, .schedule = schedule};
    *plan = (struct rows_plan){0};
    m.rows = rows_of_largest(function);
    if (m.rows < LEAST_ROWS)
        return;
    arena_init(&m.memory);
    plan->is_left = xrealloc(NULL, n);
    plan->first_leaf = xrealloc(NULL, n * sizeof(*plan->first_leaf));
    memset(plan->is_left, 0, n);
    memset(plan->first_leaf, 0xff, n * sizeof(*plan->first_leaf));
    m.readings = ARENA_ARRAY(&m.memory, struct reading, n);
    plan->is_whole = xrealloc(NULL, n);
    m.is_used = ARENA_ARRAY(&m.memory, uint8_t, n);
    m.is_result = ARENA_ARRAY(&m.memory, uint8_t, n);
    mark_result(&m);
    const struct schedule_block *block = &schedule->blocks[SCHEDULE_FUNCTION];
    for (size_t i = 0; i < block->nodes.n; i++)
        if (block->nodes.at[i]->kind == TF_NODE_CALL && !is_naming(block->nodes.at[i]))
            read_call(&m, block->nodes.at[i]);
    size_t steps = choose_steps(&m);
    uint64_t rows = common_rows(&m);
    if (rows != m.rows) {
        m.rows = rows;
        steps = choose_steps(&m);
    }
    if (steps)
        make_plan(&m);
    arena_finish(&m.memory);
}

void rows_plan_free(struct rows_plan *plan)
{
    for (size_t i = 0; i < plan->steps.n; i++)
        free(plan->steps.at[i].args);
    VEC_FREE(&plan->steps);
    VEC_FREE(&plan->leaves);
    free(plan->is_left);
    free(plan->is_whole);
    free(plan->first_leaf);
    free(plan->outputs);
    *plan = (struct rows_plan){0};
}

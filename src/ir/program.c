/* SPDX-License-Identifier: MIT
 * A program as analyzers see it: positions in visit order, loops, how often each step runs and for how many units.
 */
#include "ir/ir.h"

#include "ir/call.h"
#include "ir/levels.h"
#include "ir/varies.h"
#include "util/diag.h"
#include "util/vec.h"

#include <inttypes.h>
#include <string.h>

struct making {
    tf_ctx *ctx;
    const struct ir_module *module;
    const struct tf_function *function;
    struct tf_program *program;
    VEC(struct tf_step) steps;
    VEC(struct tf_prog_loop) loops; /* as they are entered; `order` says where each ends up */
    VEC(uint32_t) order;
    uint32_t open;                             /* innermost loop that is open, as entered */
    uint32_t n_ended;                          /* loops that were left */
    uint32_t *step_of, *loop_of, *loop_around; /* by node id */
    const struct tf_type **local;              /* by node id: one unit's share, once asked */
    int any_levels;                            /* levels are not looked at: one unit does all */
};

/* ---- loops ---------------------------------------------------------------------------------------------------------*/

static int static_bound(
    struct making *m, const struct tf_node *node, int which, const struct tf_dim *dim, int64_t *value)
{
    static const char *const NAME[] = {"start", "extent", "step"};
    if (!node->loop->bound_value[which] && dim && dim_is_const(dim, value))
        return 1;
    const struct tf_node *bound = node->loop->bound_value[which];
    if (bound && bound->name)
        ERROR(m->ctx, &node->loc, "loop-bound",
            "the %s of loop '%s' is '%s', which is known only when the program runs", NAME[which],
            node->loop->var->name, bound->name);
    else
        ERROR(m->ctx, &node->loc, "loop-bound",
            "the %s of loop '%s' is computed when the program runs; a count of trips needs a number", NAME[which],
            node->loop->var->name);
    return 0;
}

static uint64_t count_trips(int64_t start, int64_t extent, int64_t step)
{
    __extension__ __int128 distance = (__int128)extent - start;
    return distance <= 0 ? 0 : (uint64_t)((distance + step - 1) / step);
}

static int open_loop(void *data, const struct tf_node *node)
{
    struct making *m = data;
    if (node->kind != TF_NODE_LOOP)
        return TF_OK;
    struct tf_prog_loop loop = {.node = node, .parent = m->open, .name = node->loop->var->name};
    int64_t extent;
    if (!static_bound(m, node, 0, node->loop->start, &loop.start) ||
        !static_bound(m, node, 1, node->loop->extent, &extent) ||
        !static_bound(m, node, 2, node->loop->step, &loop.step))
        return TF_E_REFUSED;
    if (loop.step <= 0) {
        ERROR(m->ctx, &node->loc, "loop-step", "the step of loop '%s' is %" PRId64 "; it must be positive", loop.name,
            loop.step);
        return TF_E_REFUSED;
    }
    loop.trips = count_trips(loop.start, extent, loop.step);
    loop.depth = m->open == TF_NO_LOOP ? 0 : m->loops.at[m->open].depth + 1;
    loop.first_position = (uint32_t)m->steps.n;
    m->open = m->loop_of[node->id] = (uint32_t)m->loops.n;
    m->loop_around[node->loop->var->id] = m->open;
    for (uint32_t i = 0; i < node->loop->n_carries; i++)
        m->loop_around[node->loop->carries[i]->id] = m->open;
    VEC_PUSH(&m->loops, loop);
    VEC_PUSH(&m->order, 0);
    return TF_OK;
}

static int close_loop(void *data, const struct tf_node *node)
{
    struct making *m = data;
    if (node->kind != TF_NODE_LOOP)
        return TF_OK;
    struct tf_prog_loop *loop = &m->loops.at[m->open];
    if (loop->first_position == m->steps.n)
        loop->first_position = loop->end_position = TF_NO_POSITION;
    else
        loop->end_position = (uint32_t)m->steps.n - 1;
    m->order.at[m->open] = m->n_ended++;
    m->open = loop->parent;
    return TF_OK;
}

/* ---- steps ---------------------------------------------------------------------------------------------------------*/

static void add_step(struct making *m, const struct tf_node *node)
{
    struct tf_step step = {
        .node = node,
        .position = (uint32_t)m->steps.n,
        .loop = m->open,
        .inner = TF_NO_LOOP,
        .runs = 1,
        .units = 1,
    };
    m->step_of[node->id] = step.position;
    VEC_PUSH(&m->steps, step);
}

static int visit(void *data, const struct tf_node *node)
{
    struct making *m = data;
    if (m->loop_around[node->id] == TF_NO_LOOP)
        m->loop_around[node->id] = m->open;
    if (node->kind == TF_NODE_CALL || node->kind == TF_NODE_CONST)
        add_step(m, node);
    return TF_OK;
}

static uint32_t in_order(const struct making *m, uint32_t entered)
{
    return entered == TF_NO_LOOP ? TF_NO_LOOP : m->order.at[entered];
}

/* Loops are numbered as they were entered until now; from here on, as they end. */
static void renumber(struct making *m)
{
    struct tf_prog_loop *loops = CTX_ARRAY(m->ctx, struct tf_prog_loop, m->loops.n);
    for (size_t i = 0; i < m->loops.n; i++) {
        m->loops.at[i].parent = in_order(m, m->loops.at[i].parent);
        loops[m->order.at[i]] = m->loops.at[i];
    }
    for (size_t i = 0; i < m->steps.n; i++)
        m->steps.at[i].loop = in_order(m, m->steps.at[i].loop);
    for (uint32_t id = 0; id < m->function->n_nodes; id++) {
        m->loop_around[id] = in_order(m, m->loop_around[id]);
        m->loop_of[id] = in_order(m, m->loop_of[id]);
    }
    m->program->loops = loops;
    m->program->n_loops = (uint32_t)m->loops.n;
}

static uint32_t *filled(tf_ctx *ctx, uint32_t n, uint32_t value)
{
    uint32_t *array = CTX_ARRAY(ctx, uint32_t, n);
    for (uint32_t i = 0; i < n; i++)
        array[i] = value;
    return array;
}

static int find_steps(struct making *m)
{
    const struct walk walk = {m, visit, open_loop, close_loop};
    uint32_t n = m->function->n_nodes;
    m->step_of = filled(m->ctx, n, TF_NO_POSITION);
    m->loop_of = filled(m->ctx, n, TF_NO_LOOP);
    m->loop_around = filled(m->ctx, n, TF_NO_LOOP);
    m->open = TF_NO_LOOP;
    for (uint32_t i = 0; i < m->function->n_params; i++)
        add_step(m, m->function->params[i]);
    int rc = walk_function(m->ctx, m->function, &walk);
    if (!rc)
        renumber(m);
    return rc;
}

/* ---- how often, and for how many -----------------------------------------------------------------------------------*/

static int count_runs(struct making *m, struct tf_step *step)
{
    const uint32_t *in = m->program->varies_in[step->node->id];
    step->inner = *in;
    for (; *in != TF_NO_LOOP; in++)
        if (__builtin_mul_overflow(step->runs, m->program->loops[*in].trips, &step->runs) || step->runs > INT64_MAX) {
            ERROR(m->ctx, &step->node->loc, "overflow", "how often this runs passes 2^63 - 1");
            return TF_E_OVERFLOW;
        }
    return TF_OK;
}

static unsigned never_runs(void *data, const struct tf_node *owner)
{
    const struct making *m = data;
    return owner->kind == TF_NODE_LOOP && m->program->loops[m->loop_of[owner->id]].trips == 0;
}

/* What only the bodies of loops without trips reach runs never, whatever it varies in. */
static void drop_unreached(struct making *m)
{
    struct walker walker;
    const struct tf_node *node;
    uint8_t *reached = CTX_ARRAY(m->ctx, uint8_t, m->function->n_nodes);
    walker_init(&walker, m->function);
    walker.skip = never_runs;
    walker.data = m;
    for (unsigned event; (event = walker_next(&walker, &node)) != WALK_END;)
        reached[node->id] = 1;
    walker_finish(&walker);
    for (size_t i = 0; i < m->steps.n; i++)
        if (m->steps.at[i].node->kind != TF_NODE_PARAM && !reached[m->steps.at[i].node->id])
            m->steps.at[i].runs = 0;
}

static int has_empty_loop(const struct making *m)
{
    for (uint32_t i = 0; i < m->program->n_loops; i++)
        if (m->program->loops[i].trips == 0)
            return 1;
    return 0;
}

static int count_steps(struct making *m)
{
    const struct varies_input input = {m->function, m->program->loops, m->program->n_loops, m->loop_around, m->loop_of};
    int rc = TF_OK;
    m->program->varies_in = varies_find(m->ctx, &input);
    for (size_t i = 0; !rc && i < m->steps.n; i++) {
        struct tf_step *step = &m->steps.at[i];
        rc = count_runs(m, step);
        step->units = 1;
        if (!rc && !m->any_levels)
            rc = levels_units(
                m->ctx, &step->node->loc, m->module, m->program->selected, step->node->scope, &step->units);
    }
    if (!rc && has_empty_loop(m))
        drop_unreached(m);
    return rc;
}

/* ---- calls as their callbacks see them -----------------------------------------------------------------------------*/

static const struct tf_type *local_type(struct making *m, const struct tf_loc *loc, const struct tf_node *node)
{
    if (m->program->selected >= m->program->n_levels)
        return node->type;
    if (!m->local[node->id])
        m->local[node->id] =
            type_local(m->ctx, loc, node->type, m->program->levels, m->program->n_levels, m->program->selected);
    return m->local[node->id];
}

/* The same call for one unit; the whole one itself where every share is whole. */
static const struct tf_call *unit_call(struct making *m, const struct tf_call *whole)
{
    const struct tf_node *node = whole->node;
    const struct tf_type *type = local_type(m, &node->loc, node);
    int differs = type != node->type;
    for (uint32_t i = 0; i < node->n_in; i++) {
        const struct tf_type *arg = local_type(m, &node->loc, node->in[i]);
        if (!arg)
            return NULL;
        differs |= arg != node->in[i]->type;
    }
    if (!type || !differs)
        return type ? whole : NULL;
    struct tf_call *call = arena_copy(&m->ctx->arena, whole, sizeof(*whole));
    const struct tf_type **types = CTX_ARRAY(m->ctx, const struct tf_type *, node->n_in);
    for (uint32_t i = 0; i < node->n_in; i++)
        types[i] = local_type(m, &node->loc, node->in[i]);
    call->arg_types = types;
    call->type = type;
    return call;
}

static int make_calls(struct making *m)
{
    m->local = CTX_ARRAY(m->ctx, const struct tf_type *, m->function->n_nodes);
    for (size_t i = 0; i < m->steps.n; i++) {
        struct tf_step *step = &m->steps.at[i];
        if (step->node->kind != TF_NODE_CALL)
            continue;
        struct tf_call whole = call_whole(&m->ctx->arena, step->node);
        step->whole = arena_copy(&m->ctx->arena, &whole, sizeof(whole));
        step->unit = unit_call(m, step->whole);
        if (!step->unit)
            return TF_E_REFUSED;
    }
    return TF_OK;
}

/* ---- the program ---------------------------------------------------------------------------------------------------*/

static int find_levels(struct making *m, const char *level)
{
    struct tf_program *p = m->program;
    if (m->any_levels)
        return TF_OK;
    module_levels(m->module, &p->levels, &p->n_levels);
    p->selected = levels_select(m->ctx, m->module, level);
    return levels_check(m->ctx, m->module, p->target) || p->selected > p->n_levels ? TF_E_REFUSED : TF_OK;
}

static int make(struct making *m, const char *level)
{
    struct tf_program *p = m->program;
    int rc = find_levels(m, level);
    if (rc)
        return rc;
    rc = find_steps(m);
    if (!rc)
        rc = count_steps(m);
    if (!rc)
        rc = make_calls(m);
    p->steps = arena_copy(&m->ctx->arena, m->steps.at, m->steps.n * sizeof(*m->steps.at));
    p->n_steps = (uint32_t)m->steps.n;
    p->step_of = m->step_of;
    p->loop_of = m->loop_of;
    return rc;
}

static const struct tf_program *program_make(
    struct making *m, const struct ir_module *module, const struct tf_target *target, const char *level)
{
    struct tf_program *program = CTX_NEW(m->ctx, struct tf_program);
    *program = (struct tf_program){
        .struct_size = sizeof(*program), .function = m->function, .module = module->name, .target = target};
    m->program = program;
    int rc = make(m, level);
    VEC_FREE(&m->steps);
    VEC_FREE(&m->loops);
    VEC_FREE(&m->order);
    return rc ? NULL : program;
}

const struct tf_program *ir_program_make(tf_ctx *ctx, const struct ir_module *module, const struct ir_function *inlined,
    const struct tf_target *target, const char *level)
{
    struct making m = {
        .ctx = ctx,
        .module = inlined->owner ? inlined->owner : module, /* the copy that ir_inline made states bound levels */
        .function = &inlined->pub,
    };
    return program_make(&m, module, target, level);
}

const struct tf_program *ir_program_values(
    tf_ctx *ctx, const struct ir_module *module, const struct ir_function *inlined)
{
    struct making m = {.ctx = ctx, .module = module, .function = &inlined->pub, .any_levels = 1};
    return program_make(&m, module, NULL, NULL);
}

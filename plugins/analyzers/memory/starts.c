/* SPDX-License-Identifier: MIT
 * Run-time starts of windows as sums of loop variables and mesh coordinates.
 */
#include "views.h"

/* Integer arithmetic nested deeper than this, or larger, counts as data. */
#define MAX_DEPTH 64
#define MAX_NODES 4096

/* ---- variables -----------------------------------------------------------------------------------------------------*/

static uint32_t add_var(struct memory *m, struct vars *vars, struct var var)
{
    if (vars->n == vars->room) {
        uint32_t room = vars->room ? 2 * vars->room : 16;
        struct var *at = tf_host->alloc(m->ctx, room * sizeof(*at));
        if (vars->n)
            memcpy(at, vars->at, vars->n * sizeof(*at));
        vars->at = at;
        vars->room = room;
    }
    vars->at[vars->n] = var;
    return vars->n++;
}

void vars_init(struct memory *m, struct vars *vars)
{
    for (uint32_t i = 0; i < m->program->n_loops; i++) {
        const struct tf_prog_loop *loop = &m->program->loops[i];
        add_var(m, vars, (struct var){.first = loop->start, .step = loop->step, .count = loop->trips});
    }
}

coord var_last(const struct var *var)
{
    return var->first + var->step * ((coord)var->count - 1);
}

static uint32_t mesh_var(struct asker *a, const struct tf_mesh *mesh, uint32_t axis)
{
    for (uint32_t i = a->m->program->n_loops; i < a->vars->n; i++)
        if (a->vars->at[i].mesh == mesh && a->vars->at[i].axis == axis)
            return i;
    return add_var(a->m, a->vars,
        (struct var){.step = 1, .count = (uint64_t)mesh->shape[axis]->value, .mesh = mesh, .axis = axis});
}

/* Which share of a split axis `local` names: units with the same number of shares move alike. */
uint32_t unit_var(struct asker *a, uint64_t units)
{
    for (uint32_t i = a->m->program->n_loops; i < a->vars->n; i++)
        if (!a->vars->at[i].mesh && a->vars->at[i].count == units)
            return i;
    return add_var(a->m, a->vars, (struct var){.step = 1, .count = units});
}

/* ---- sums ----------------------------------------------------------------------------------------------------------*/

/* No start or stride that matters is near these; beyond them nothing is followed, so that products with a variable's
 * value, which has 64 bits, stay within 128. */
#define FAR ((coord)1 << 100)
#define STEEP ((coord)1 << 60)

static int passes(coord c, coord limit)
{
    return c > limit || c < -limit;
}

static int add_term(struct moving *into, uint32_t var, coord coef)
{
    uint32_t i = 0;
    while (i < into->n && into->term[i].var != var)
        i++;
    if (i == into->n) {
        if (i == MAX_TERMS)
            return VIEW_UPPER;
        into->term[i].var = var;
        into->term[i].coef = 0;
        into->n++;
    }
    into->term[i].coef += coef;
    if (passes(into->term[i].coef, STEEP))
        return VIEW_UPPER;
    if (into->term[i].coef == 0)
        into->term[i] = into->term[--into->n];
    return VIEW_OK;
}

int moving_add(struct moving *into, const struct moving *more, coord times)
{
    coord size = times < 0 ? -times : times;
    if (passes(times, (coord)1 << 63) || (size && passes(more->at, FAR / size)))
        return VIEW_UPPER;
    into->at += more->at * times;
    for (uint32_t i = 0; i < more->n; i++)
        if (passes(more->term[i].coef, STEEP) || (size && passes(more->term[i].coef, STEEP / size)) ||
            add_term(into, more->term[i].var, more->term[i].coef * times))
            return VIEW_UPPER;
    return passes(into->at, FAR) ? VIEW_UPPER : VIEW_OK;
}

void moving_hold(struct moving *moving, uint32_t var, coord value)
{
    for (uint32_t i = 0; i < moving->n; i++)
        if (moving->term[i].var == var) {
            moving->at += moving->term[i].coef * value;
            moving->term[i] = moving->term[--moving->n];
            return;
        }
}

void moving_range(const struct asker *a, const struct moving *moving, coord *lo, coord *hi)
{
    *lo = *hi = moving->at;
    for (uint32_t i = 0; i < moving->n; i++) {
        const struct var *var = &a->vars->at[moving->term[i].var];
        coord first = moving->term[i].coef * var->first, last = moving->term[i].coef * var_last(var);
        *lo += first < last ? first : last;
        *hi += first < last ? last : first;
    }
}

/* ---- what a start is -----------------------------------------------------------------------------------------------*/

int holding_find(const struct holding *holding, uint32_t var)
{
    for (uint32_t i = 0; i < holding->n; i++)
        if (holding->var[i] == var)
            return (int)i;
    return -1;
}

static int of_var(struct asker *a, uint32_t var, struct moving *start)
{
    int held = holding_find(&a->held, var);
    *start = (struct moving){0};
    if (held >= 0) {
        start->at = a->held.value[held];
        return VIEW_OK;
    }
    if (holding_find(&a->touched, var) < 0) {
        if (a->touched.n == MAX_HELD)
            return VIEW_UPPER;
        a->touched.var[a->touched.n++] = var;
    }
    return add_term(start, var, 1);
}

static const char *word_attr(const struct tf_node *call, const char *name)
{
    for (uint32_t i = 0; i < call->n_attrs; i++)
        if (strcmp(call->op->attrs[i].name, name) == 0 && call->attrs[i].kind == TF_VAL_STRING)
            return call->attrs[i].u.s;
    return "";
}

static coord floor_div(coord a, coord b)
{
    coord q = a / b;
    return q - (a % b != 0 && (a < 0) != (b < 0));
}

/* Of two numbers that are known; others wait until their variables are held. */
static int of_numbers(const char *kind, coord x, coord y, struct moving *start)
{
    *start = (struct moving){0};
    if (strcmp(kind, "min") == 0)
        start->at = x < y ? x : y;
    else if (strcmp(kind, "max") == 0)
        start->at = x > y ? x : y;
    else if (y != 0 && strcmp(kind, "floor_div") == 0)
        start->at = floor_div(x, y);
    else if (y != 0 && strcmp(kind, "mod") == 0)
        start->at = x - y * floor_div(x, y);
    else
        return VIEW_UPPER;
    return VIEW_OK;
}

static int of_node(struct asker *a, const struct tf_node *node, unsigned depth, struct moving *start);

static int of_binary(struct asker *a, const struct tf_node *node, unsigned depth, struct moving *start)
{
    const char *kind = word_attr(node, "kind");
    struct moving x, y;
    int rc = of_node(a, node->in[0], depth, &x);
    if (!rc)
        rc = of_node(a, node->in[1], depth, &y);
    if (rc)
        return rc;
    *start = x;
    if (strcmp(kind, "add") == 0)
        return moving_add(start, &y, 1);
    if (strcmp(kind, "sub") == 0)
        return moving_add(start, &y, -1);
    if (strcmp(kind, "mul") == 0 && (x.n == 0 || y.n == 0)) {
        *start = (struct moving){0};
        return x.n == 0 ? moving_add(start, &y, x.at) : moving_add(start, &x, y.at);
    }
    if (x.n == 0 && y.n == 0)
        return of_numbers(kind, x.at, y.at, start);
    return VIEW_HOLD;
}

static int of_call(struct asker *a, const struct tf_node *node, unsigned depth, struct moving *start)
{
    const char *name = node->op->name;
    struct moving x;
    int64_t axis;
    if (strcmp(name, "binary") == 0 && node->n_in == 2)
        return of_binary(a, node, depth, start);
    if (strcmp(name, "meshcoord") == 0) {
        const struct tf_mesh *mesh = node->attrs[0].kind == TF_VAL_MESH ? node->attrs[0].u.mesh : NULL;
        if (!mesh || tf_host->value_int(node->in[0], &axis) != TF_OK || axis < 0 || axis >= mesh->rank)
            return VIEW_UPPER;
        *start = (struct moving){0};
        return a->unit ? VIEW_OK : of_var(a, mesh_var(a, mesh, (uint32_t)axis), start);
    }
    uint32_t dtype = node->type->kind == TF_TYPE_TENSOR ? node->type->dtype : TF_DTYPE_F32;
    int is_neg = strcmp(name, "unary") == 0 && strcmp(word_attr(node, "kind"), "neg") == 0;
    int is_same =
        (strcmp(name, "cast") == 0 && (dtype == TF_DTYPE_I32 || dtype == TF_DTYPE_I64)) || strcmp(name, "reshape") == 0;
    if (!is_neg && !is_same)
        return VIEW_UPPER;
    int rc = of_node(a, node->in[0], depth, &x);
    *start = (struct moving){0};
    return rc ? rc : moving_add(start, &x, is_neg ? -1 : 1);
}

static int of_node(struct asker *a, const struct tf_node *node, unsigned depth, struct moving *start)
{
    int64_t number;
    if (depth > MAX_DEPTH || a->patience == 0)
        return VIEW_UPPER;
    a->patience--;
    while (node->kind == TF_NODE_RPARAM || node->kind == TF_NODE_REGION)
        node = node->kind == TF_NODE_RPARAM ? node->owner->in[node->index] : node->region->body;
    if (node->kind == TF_NODE_LOOPVAR)
        return of_var(a, a->m->program->loop_of[node->owner->id], start);
    if (node->kind == TF_NODE_CALL)
        return of_call(a, node, depth + 1, start);
    *start = (struct moving){0};
    if (tf_host->value_int(node, &number) != TF_OK)
        return VIEW_UPPER;
    start->at = number;
    return VIEW_OK;
}

int start_of(struct asker *a, const struct tf_node *node, struct moving *start)
{
    a->patience = MAX_NODES;
    return of_node(a, node, 0, start);
}

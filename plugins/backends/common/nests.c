/* SPDX-License-Identifier: MIT
 * Groups: what shares its leading axes and goes along the others becomes one loop nest over those axes.  A value that the
 * group alone uses is a row in the nest, or, where its users stand in the same inner loop, a number.
 */
#include "lower.h"

#include <inttypes.h>

#define MOST_ROW_BYTES ((size_t)1 << 18) /* of the rows that one turn of the nest keeps */

const struct body *body_of(const struct tf_node *node)
{
    const struct body *const tables[] = {row_bodies, product_bodies, move_bodies};
    for (size_t t = 0; t < sizeof(tables) / sizeof(*tables); t++)
        for (const struct body *body = tables[t]; body->op; body++)
            if (is_op(node, body->op))
                return body;
    return NULL;
}

static const struct tf_type *first_leaf(const struct tf_type *type)
{
    while (type->kind == TF_TYPE_TUPLE)
        type = type->fields[0];
    return type;
}

int is_made(const struct lower *l, const struct tf_node *node)
{
    return is_elementwise(node) && !l->is_widened[node->id];
}

/* ---- joining -------------------------------------------------------------------------------------------------------*/

static uint32_t alike(const struct tf_type *a, const struct tf_type *b, uint32_t most)
{
    uint32_t n = 0;
    while (n < most && n < a->rank && n < b->rank && extent(a, n) == extent(b, n))
        n++;
    return n;
}

static int in_group(const struct lower *l, const struct view *view)
{
    return view->buffer && l->n_members && view->buffer->group == l->groups;
}

/* Leading axes that the node could share with itself alone. */
static uint32_t own_depth(const struct tf_node *node)
{
    const struct body *body = body_of(node);
    if (body)
        return body->depth ? body->depth(node) : 0;
    return node->type->rank ? node->type->rank - 1 : 0;
}

/* What goes from one function to another, or has been put in gmem by a program that places its values, lies in a buffer
 * before it is read. */
int is_boundary(const struct lower *l, const struct view *view)
{
    return l->is_placed && view->type->storage == TF_STORAGE_GMEM;
}

static int same_function(const struct lower *l, const struct tf_node *a, const struct tf_node *b)
{
    return tf_host->call_site(l->program, a) == tf_host->call_site(l->program, b);
}

/* Leading axes that it can share with the group; UINT32_MAX: it cannot join at all. */
static uint32_t shared_depth(struct lower *l, const struct tf_node *node)
{
    const struct tf_type *type = first_leaf(node->type);
    const struct body *body = body_of(node);
    uint32_t depth = alike(first_leaf(l->members[0]->type), type, l->depth);
    if (!same_function(l, l->members[0], node))
        return UINT32_MAX;
    if (body && own_depth(node) < depth)
        depth = own_depth(node);
    for (uint32_t i = 0; i < node->n_in; i++)
        for (uint32_t k = 0; k < value_of(l, node->in[i])->n; k++) {
            const struct view *view = &value_of(l, node->in[i])->leaf[k];
            if (!in_group(l, view))
                continue;
            if (is_boundary(l, view) || (body && body->whole >> i & 1) || (!body && view->type->rank != type->rank))
                return UINT32_MAX;
            depth = alike(view->type, type, depth);
        }
    return depth;
}

static int all_alike(struct lower *l, const struct tf_node *node)
{
    for (size_t i = 0; i < l->n_members; i++) {
        const struct tf_node *member = l->members[i];
        if (!is_made(l, member) || member->type->rank != node->type->rank ||
            alike(member->type, node->type, node->type->rank) != node->type->rank)
            return 0;
    }
    return is_made(l, node);
}

static size_t row_bytes(struct lower *l, uint32_t depth)
{
    size_t bytes = 0;
    for (size_t i = 0; i < l->n_members; i++)
        for (uint32_t k = 0; k < value_of(l, l->members[i])->n; k++) {
            const struct buffer *buffer = value_of(l, l->members[i])->leaf[k].buffer;
            size_t rows = span(first_leaf(l->members[0]->type), 0, depth);
            if (buffer && buffer->of == l->members[i])
                bytes += buffer->count / (rows ? rows : 1) * tf_host->element_bytes(buffer->dtype);
        }
    return bytes;
}

static void add_member(struct lower *l, const struct tf_node *node)
{
    l->members = grown(l, l->members, l->n_members, &l->room_members, sizeof(*l->members));
    l->members[l->n_members++] = node;
    l->group_of[node->id] = l->groups;
}

/* A view of what the group computes is part of it, as long as it keeps the leading axes. */
static void join_view(struct lower *l, const struct tf_node *node)
{
    const struct value *value = value_of(l, node);
    uint32_t touches = 0, depth = l->depth;
    for (uint32_t k = 0; k < value->n; k++)
        if (in_group(l, &value->leaf[k])) {
            touches = 1;
            depth = alike(first_leaf(l->members[0]->type), value->leaf[k].type, depth);
        }
    if (touches && depth && depth == l->depth && same_function(l, l->members[0], node))
        add_member(l, node);
}

int join_group(struct lower *l, const struct tf_node *node)
{
    if (!body_of(node) && !is_made(l, node)) {
        join_view(l, node);
        return 1;
    }
    if (l->n_members) {
        uint32_t depth = shared_depth(l, node);
        int joins = depth == UINT32_MAX ? 0 : depth ? row_bytes(l, depth) < MOST_ROW_BYTES : all_alike(l, node);
        if (!joins)
            flush(l);
        else
            l->depth = depth;
    }
    if (!l->n_members) {
        l->groups++;
        l->depth = own_depth(node);
    }
    struct value *value = fresh(l, node);
    for (uint32_t k = 0; k < value->n; k++)
        value->leaf[k].buffer->group = l->groups;
    add_member(l, node);
    return 1;
}

/* ---- clusters: elementwise nodes of one inner loop -----------------------------------------------------------------*/

static int same_shape(const struct tf_type *a, const struct tf_type *b)
{
    return a->rank == b->rank && alike(a, b, a->rank) == a->rank;
}

static int fits_cluster(struct lower *l, const struct tf_node *first, const struct tf_node *node, uint32_t cluster)
{
    if (!first || !same_shape(first->type, node->type))
        return 0;
    for (uint32_t i = 0; i < node->n_in; i++) {
        const struct view *view = arg(l, node, i);
        if (view->buffer && view->buffer->cluster == cluster && !same_shape(view->type, node->type))
            return 0;
    }
    return 1;
}

static void make_clusters(struct lower *l)
{
    const struct tf_node *first = NULL;
    for (size_t i = 0; i < l->n_members; i++) {
        const struct tf_node *node = l->members[i];
        if (!is_made(l, node) && !body_of(node))
            continue;
        if (!is_made(l, node) || !fits_cluster(l, first, node, l->clusters)) {
            l->clusters++;
            first = is_made(l, node) ? node : NULL;
        }
        l->cluster_of[node->id] = l->clusters;
        for (uint32_t k = 0; k < value_of(l, node)->n; k++)
            value_of(l, node)->leaf[k].buffer->cluster = l->clusters;
    }
}

/* What an elementwise user asks of one of its operands: its number, its code, or both. */
static int use_of(const struct tf_node *user, const struct tf_node *operand)
{
    int use = 0;
    for (uint32_t i = 0; i < user->n_in; i++)
        if (user->in[i] == operand)
            use |= copies_codes(user) && (i || user->n_in == 1) ? USED_CODE : USED_NUMBER;
    return use;
}

/* Who uses what a member's value is made of: its cluster, its group, others. */
static void note_buffer_users(struct lower *l, const struct tf_node *member, struct buffer *buffer, int leaves)
{
    if (leaves) {
        buffer->place = PLACE_ARENA;
        buffer->is_stored = 1;
    }
    for (const struct tf_node *const *user = l->users[member->id]; *user; user++) {
        uint32_t cluster = l->cluster_of[(*user)->id];
        if (cluster && cluster == buffer->cluster && is_made(l, *user))
            buffer->is_used |= use_of(*user, member);
        else if (cluster) /* a view is a member as well, and has users of its own */
            buffer->is_stored = 1;
    }
}

static void note_users(struct lower *l, const struct tf_node *member)
{
    const struct value *value = value_of(l, member);
    int leaves = member == l->function->body;
    for (const struct tf_node *const *user = l->users[member->id]; *user; user++)
        leaves |= l->group_of[(*user)->id] != l->groups;
    for (uint32_t k = 0; k < value->n; k++)
        if (value->leaf[k].buffer && value->leaf[k].buffer->group == l->groups)
            note_buffer_users(l, member, value->leaf[k].buffer, leaves);
}

static void place_members(struct lower *l)
{
    for (size_t i = 0; i < l->n_members; i++)
        for (uint32_t k = 0; k < value_of(l, l->members[i])->n; k++) {
            struct buffer *buffer = value_of(l, l->members[i])->leaf[k].buffer;
            if (buffer && buffer->group == l->groups)
                buffer->place = l->depth ? PLACE_ROW : PLACE_ARENA;
        }
    for (size_t i = 0; i < l->n_members; i++)
        note_users(l, l->members[i]);
    for (size_t i = 0; i < l->n_members; i++) {
        struct buffer *buffer = is_made(l, l->members[i]) ? value_of(l, l->members[i])->leaf->buffer : NULL;
        if (buffer && !buffer->is_stored)
            buffer->place = PLACE_NONE; /* a variable */
    }
}

/* ---- writing -------------------------------------------------------------------------------------------------------*/

const char *const *row_indices(struct lower *l, uint32_t rank)
{
    const char **ix = tf_host->alloc(l->ctx, (TF_MAX_RANK + 1) * sizeof(*ix));
    for (uint32_t i = 0; i < rank && i < l->rows; i++)
        ix[i] = fmt(l, "r%u", i);
    return ix;
}

static void comment(struct lower *l, const struct tf_node *node)
{
    line(l, "%s", comment_text(l, node) + 1);
}

/* An operand's stride along an axis of the result, against which it stands at the right. */
static size_t stride_along(const struct view *view, uint32_t rank, uint32_t axis)
{
    uint32_t lead = rank - view->type->rank;
    if (!view->buffer || axis < lead || extent(view->type, axis - lead) == 1)
        return 0;
    return view->stride[axis - lead];
}

struct cluster {
    const struct tf_node **nodes;
    size_t n;
    const struct tf_type *type;
    uint32_t loops;                 /* axes with a loop */
    const char *index[TF_MAX_RANK]; /* of an axis; NULL: it has none */
    size_t length[TF_MAX_RANK];     /* of the axes' loops */
    uint32_t id;
};

static int is_number_here(const struct cluster *c, const struct view *view)
{
    return view->buffer && view->buffer->cluster == c->id;
}

/* Whether every value walks over two neighbouring axes as over one. */
static int merges(struct lower *l, const struct cluster *c, uint32_t axis)
{
    uint32_t rank = c->type->rank;
    size_t n = (size_t)extent(c->type, axis + 1);
    for (size_t i = 0; i < c->n; i++)
        for (uint32_t k = 0; k < c->nodes[i]->n_in; k++) {
            const struct view *view = arg(l, c->nodes[i], k);
            if (!is_number_here(c, view) && stride_along(view, rank, axis) != n * stride_along(view, rank, axis + 1))
                return 0;
        }
    return 1;
}

static void choose_loops(struct lower *l, struct cluster *c)
{
    size_t length = 1;
    for (uint32_t axis = l->rows; axis < c->type->rank; axis++) {
        length *= (size_t)extent(c->type, axis);
        c->index[axis] = NULL;
        if (axis + 1 < c->type->rank && merges(l, c, axis))
            continue;
        c->index[axis] = fmt(l, "i%u", axis);
        c->length[axis] = length;
        if (length == 1)
            c->index[axis] = NULL;
        length = 1;
    }
}

static const char *operand_place(struct lower *l, const struct cluster *c, const struct view *view)
{
    const char *ix[TF_MAX_RANK] = {NULL};
    uint32_t lead = c->type->rank - view->type->rank;
    const char *const *rows = row_indices(l, c->type->rank);
    for (uint32_t i = 0; i < view->type->rank; i++)
        ix[i] = i + lead < l->rows ? rows[i + lead] : c->index[i + lead];
    /* axes of one element are not counted; a merged run is counted by its last axis */
    return fmt(l, "%s[%s]", view->buffer->name, place_of(l, view, ix));
}

/* A variable holds it where a member is known to use it; what is only met through a view may have to be read again. */
static const char *operand(struct lower *l, const struct cluster *c, const struct view *view)
{
    if (view->number)
        return view->number;
    const struct buffer *buffer = view->buffer;
    int is_plain = strcmp(lane_of(buffer->dtype), c_type(buffer->dtype)) == 0;
    if (!is_number_here(c, view) || !buffer->is_used)
        return loaded(l, buffer->dtype, operand_place(l, c, view));
    if (is_plain || buffer->is_used & USED_NUMBER)
        return fmt(l, "%s_n", buffer->name);
    return loaded(l, buffer->dtype, fmt(l, "%s_c", buffer->name));
}

static const char *operand_code(struct lower *l, const struct cluster *c, const struct view *view)
{
    if (view->number)
        return stored(l, view->type->dtype, lane_of(view->type->dtype), view->number);
    return is_number_here(c, view) && view->buffer->is_used ? fmt(l, "%s_c", view->buffer->name)
                                                            : operand_place(l, c, view);
}

/* What is stored for one element of the node. */
static const char *element_code(struct lower *l, const struct cluster *c, const struct tf_node *node)
{
    const char *in[3] = {NULL}, *lane;
    int copies = copies_codes(node);
    for (uint32_t i = 0; i < node->n_in && i < 3; i++)
        in[i] = copies && (i || node->n_in == 1) ? operand_code(l, c, arg(l, node, i)) : operand(l, c, arg(l, node, i));
    if (copies)
        return copied_code(l, node, in);
    const char *number = compute(l, node, in, &lane);
    return stored(l, node->type->dtype, lane, number);
}

static void store_element(struct lower *l, const struct cluster *c, const struct view *result, const char *code)
{
    const char *ix[TF_MAX_RANK] = {NULL};
    const char *const *rows = row_indices(l, c->type->rank);
    for (uint32_t i = 0; i < c->type->rank; i++)
        ix[i] = i < l->rows ? rows[i] : c->index[i];
    line(l, "%s[%s] = %s;", result->buffer->name, place_of(l, result, ix), code);
}

static void write_element(struct lower *l, const struct cluster *c, const struct tf_node *node)
{
    const struct view *result = value_of(l, node)->leaf;
    uint32_t dtype = node->type->dtype;
    const char *code = element_code(l, c, node), *own = lane_of(dtype), *name = result->buffer->name;
    int is_plain = strcmp(own, c_type(dtype)) == 0;
    comment(l, node);
    if (result->buffer->is_used) {
        if (!is_plain)
            line(l, "const %s %s_c = %s;", c_type(dtype), name, code);
        if (is_plain || result->buffer->is_used & USED_NUMBER)
            line(l, "const %s %s_n = %s;", own, name, is_plain ? code : loaded(l, dtype, fmt(l, "%s_c", name)));
        code = fmt(l, "%s_%s", name, is_plain ? "n" : "c");
    }
    if (result->buffer->is_stored)
        store_element(l, c, result, code);
}

static struct axes cluster_axes(struct lower *l, const struct cluster *c)
{
    struct axes axes = {.is_flat = 1};
    for (uint32_t axis = l->rows; axis < c->type->rank; axis++) {
        if (!c->index[axis])
            continue;
        axes.name[axes.n] = c->index[axis];
        axes.count[axes.n++] = c->length[axis];
    }
    return axes;
}

static void write_cluster(struct lower *l, struct cluster *c)
{
    choose_loops(l, c);
    struct axes axes = cluster_axes(l, c);
    l->dialect->open_items(l, &axes, 0);
    for (size_t i = 0; i < c->n; i++)
        write_element(l, c, c->nodes[i]);
    l->dialect->close_axes(l, &axes);
}

static void declare_rows(struct lower *l)
{
    for (size_t i = 0; i < l->n_members; i++)
        for (uint32_t k = 0; k < value_of(l, l->members[i])->n; k++) {
            const struct buffer *b = value_of(l, l->members[i])->leaf[k].buffer;
            size_t rows = span(first_leaf(l->members[0]->type), 0, l->depth);
            size_t n = b && rows ? b->count / rows : 0;
            if (!b || b->of != l->members[i] || b->place != PLACE_ROW || !(b->is_stored || body_of(b->of)))
                continue;
            l->is_kept = 1;
            l->dialect->row(l, b, n ? n : 1);
        }
}

static void write_body(struct lower *l, const struct tf_node *node)
{
    comment(l, node);
    body_of(node)->emit(l, node);
}

/* Members from the i-th on that are of its cluster; those between that are of none are views. */
static size_t take_cluster(struct lower *l, size_t i, struct cluster *c)
{
    c->nodes = tf_host->alloc(l->ctx, (l->n_members - i) * sizeof(*c->nodes));
    for (; i < l->n_members; i++) {
        uint32_t id = l->cluster_of[l->members[i]->id];
        if (id && id != c->id)
            break;
        if (id)
            c->nodes[c->n++] = l->members[i];
    }
    return i;
}

static void write_members(struct lower *l)
{
    int steps = 0;
    for (size_t i = 0; i < l->n_members;) {
        const struct tf_node *node = l->members[i];
        struct cluster c = {.type = node->type, .id = l->cluster_of[node->id]};
        if (!c.id) {
            i++;
            continue;
        }
        if (steps++)
            l->dialect->join(l, JOIN_STEP);
        if (body_of(node)) {
            write_body(l, node);
            i++;
        } else {
            i = take_cluster(l, i, &c);
            write_cluster(l, &c);
        }
    }
    if (l->is_kept) /* the next turn overwrites it */
        l->dialect->join(l, JOIN_STEP);
}

static size_t work_of(struct lower *l)
{
    size_t work = 0;
    for (size_t i = 0; i < l->n_members; i++)
        for (uint32_t k = 0; k < l->members[i]->n_in; k++) {
            const struct value *value = value_of(l, l->members[i]->in[k]);
            for (uint32_t j = 0; j < value->n; j++)
                work += span(value->leaf[j].type, 0, value->leaf[j].type->rank);
        }
    return work;
}

/* The longest row that it keeps beside its operands; twice over, in the widest numbers. */
static size_t scratch_of(const struct tf_node *node)
{
    const char *const keeping[] = {"softmax", "rms_norm", "layer_norm", "topk"};
    for (size_t i = 0; i < sizeof(keeping) / sizeof(*keeping); i++)
        if (is_op(node, keeping[i]))
            return span(node->in[0]->type, own_depth(node), node->in[0]->type->rank) * 16;
    return 0;
}

static int is_faulty(const struct tf_node *node)
{
    if (is_op(node, "reduce") && !is_real(node->type->dtype))
        return 1;
    return is_op(node, "binary") &&
           (strcmp(node->attrs[0].u.s, "floor_div") == 0 || strcmp(node->attrs[0].u.s, "mod") == 0);
}

/* The elements of one turn that the member reads or makes, of the longest. */
static size_t inner_of(struct lower *l, const struct tf_node *member)
{
    size_t most = 0;
    for (uint32_t k = 0; k <= member->n_in; k++) {
        const struct tf_type *type = first_leaf(k < member->n_in ? member->in[k]->type : member->type);
        size_t n = type->rank > l->depth ? span(type, l->depth, type->rank) : 1;
        most = n > most ? n : most;
    }
    return most;
}

static struct nest nest_of(struct lower *l)
{
    const struct tf_type *lead = first_leaf(l->members[0]->type);
    struct nest nest = {.axes = l->depth, .type = lead, .turns = span(lead, 0, l->depth), .work = work_of(l)};
    for (size_t i = 0; i < l->n_members; i++) {
        size_t scratch = scratch_of(l->members[i]);
        nest.scratch = scratch > nest.scratch ? scratch : nest.scratch;
        nest.may_fail |= is_faulty(l->members[i]);
        size_t inner = inner_of(l, l->members[i]);
        nest.inner = inner > nest.inner ? inner : nest.inner;
    }
    return nest;
}

void join_all(struct lower *l)
{
    if (l->is_read)
        l->dialect->join(l, JOIN_ALL);
    l->is_read = 0;
}

void open_nest(struct lower *l, const struct nest *nest)
{
    join_all(l);
    l->in_nest = 1;
    l->is_kept = 0;
    l->dialect->open_nest(l, nest);
    l->rows = nest->axes;
}

void close_nest(struct lower *l, const struct nest *nest)
{
    l->rows = 0;
    l->dialect->close_nest(l, nest);
    l->in_nest = 0;
}

void flush(struct lower *l)
{
    if (!l->n_members)
        return;
    struct nest nest = nest_of(l);
    l->time++;
    make_clusters(l);
    place_members(l);
    open_nest(l, &nest);
    declare_rows(l);
    write_members(l);
    close_nest(l, &nest);
    l->n_members = 0;
    l->time++;
}

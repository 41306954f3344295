/* SPDX-License-Identifier: MIT
 * Bytes that calls move, by level.  Elements come from the access relation; the level is the storage of the value that
 * is reached.  A number that is nowhere yet (umat) is read from registers, and written to no level.
 */
#include "memory.h"

const uint32_t level_order[N_LEVELS] = {
    TF_STORAGE_GMEM, TF_STORAGE_HOST, TF_STORAGE_RMEM, TF_STORAGE_SMEM, TF_STORAGE_TMEM};

uint64_t leaf_bytes(const struct tf_type *leaf, uint64_t elements)
{
    wide bytes = ((wide)elements * tf_host->dtype(leaf->dtype)->bits + 7) / 8;
    return bytes > INT64_MAX ? UINT64_MAX : (uint64_t)bytes;
}

static int elements_of(const struct tf_type *leaf, uint64_t *elements)
{
    *elements = 1;
    for (uint32_t a = 0; a < leaf->rank; a++)
        if (__builtin_mul_overflow(*elements, (uint64_t)leaf->shape[a]->value, elements))
            return 1;
    return 0;
}

/* ---- one boundary --------------------------------------------------------------------------------------------------*/

struct side {               /* one half of a call's traffic: whole, or one unit's */
    struct tf_bytes *level; /* TF_MAX_LEVELS */
    uint32_t levels;
};

static int charge(struct side *side, struct moved *moved, const struct tf_type *leaf, uint64_t elements, uint32_t flow)
{
    uint64_t bytes = leaf_bytes(leaf, elements);
    if (bytes == UINT64_MAX)
        return 1;
    uint64_t *total = flow == TF_FLOW_READ ? &moved->read : &moved->written;
    int over = count_add(total, bytes, 1);
    uint32_t storage = leaf->storage;
    if (storage == TF_STORAGE_UMAT) {
        if (flow == TF_FLOW_WRITE)
            return over;
        storage = TF_STORAGE_RMEM;
    }
    struct tf_bytes *level = &side->level[storage];
    side->levels |= 1u << storage;
    return over | count_add(flow == TF_FLOW_READ ? &level->read : &level->written, bytes, 1);
}

/* A value whole: every leaf at its own width and storage.  Nesting of tuples is the author's, and shallow. */
static int charge_whole(struct side *side, struct moved *moved, const struct tf_type *type, uint32_t flow)
{
    uint64_t elements;
    if (type->kind == TF_TYPE_TENSOR)
        return elements_of(type, &elements) || charge(side, moved, type, elements, flow);
    int over = 0;
    for (uint32_t i = 0; i < type->rank; i++)
        over |= charge_whole(side, moved, type->fields[i], flow);
    return over;
}

static int charge_boundary(struct side *side, struct moved *moved, const struct tf_boundary *boundary,
    const struct tf_type *type, uint64_t elements)
{
    if (boundary->flow == TF_FLOW_NONE)
        return 0;
    if (!boundary->axes && type->kind == TF_TYPE_TUPLE) /* whole, unless there is no iteration that reaches it */
        return elements && charge_whole(side, moved, type, boundary->flow);
    return charge(side, moved, type, elements, boundary->flow);
}

static const struct tf_type *leaf_at(const struct tf_type *type, uint32_t *index)
{
    if (type->kind == TF_TYPE_TENSOR)
        return (*index)-- == 0 ? type : NULL;
    for (uint32_t i = 0; i < type->rank; i++) {
        const struct tf_type *leaf = leaf_at(type->fields[i], index);
        if (leaf)
            return leaf;
    }
    return NULL;
}

/* ---- one call ------------------------------------------------------------------------------------------------------*/

static int charge_half(struct memory *m, const struct tf_call *call, const struct tf_relation *relation,
    const uint64_t *elements, struct side *side)
{
    int over = 0;
    for (uint32_t i = 0; i <= call->n_args; i++)
        m->operands[i] = (struct moved){0, 0};
    for (uint32_t i = 0; i < relation->n_in; i++)
        over |= charge_boundary(side, &m->operands[i], &relation->in[i], call->arg_types[i], elements[i]);
    for (uint32_t i = 0; i < relation->n_out; i++) {
        uint32_t at = i;
        const struct tf_type *leaf =
            relation->n_out == 1 && !relation->out[i].axes ? call->type : leaf_at(call->type, &at);
        if (leaf)
            over |= charge_boundary(
                side, &m->operands[call->n_args], &relation->out[i], leaf, elements[relation->n_in + i]);
    }
    return over;
}

/* A call that moves nothing at all names no level. */
static int moves(const struct memory *m, uint32_t n)
{
    for (uint32_t i = 0; i <= n; i++)
        if (m->operands[i].read || m->operands[i].written)
            return 1;
    return 0;
}

static int same_share(const struct tf_step *step)
{
    if (step->whole == step->unit)
        return 1;
    for (uint32_t i = 0; i < step->whole->n_args; i++)
        if (step->whole->arg_types[i] != step->unit->arg_types[i])
            return 0;
    return step->whole->type == step->unit->type;
}

static int count_half(struct memory *m, const struct tf_step *step, const struct tf_relation *relation, int unit,
    struct tf_call_traffic *traffic)
{
    struct side side = {.level = unit ? traffic->unit : traffic->whole};
    int rc = tf_host->amounts(m->ctx, m->program, step, relation, unit, m->elements);
    if (rc)
        return rc;
    if (charge_half(m, unit ? step->unit : step->whole, relation, m->elements, &side))
        return count_overflow(m->ctx, m->program, step, "bytes");
    if (moves(m, step->whole->n_args))
        traffic->levels |= side.levels;
    return TF_OK;
}

static void make_room(struct memory *m, const struct tf_relation *relation, uint32_t n_args)
{
    if (n_args + 1 > m->n_operands) {
        m->n_operands = 2 * n_args + 8;
        m->operands = tf_host->alloc(m->ctx, m->n_operands * sizeof(*m->operands));
    }
    uint32_t n = relation->n_in + relation->n_out;
    if (n > m->n_elements) {
        m->n_elements = 2 * n + 8;
        m->elements = tf_host->alloc(m->ctx, m->n_elements * sizeof(*m->elements));
    }
}

static int relate(struct memory *m, const struct tf_step *step, struct tf_relation *relation)
{
    const struct tf_op *op = step->node->op;
    if (!op->relate) {
        tf_host->error(m->ctx, &step->node->loc, "amounts-unknown",
            "the operator %s does not say what it reaches, so nothing says what it moves here", op->name);
        return TF_E_REFUSED;
    }
    int rc = op->relate(m->ctx, step->whole, relation);
    if (rc == TF_E_OVERFLOW)
        return count_overflow(m->ctx, m->program, step, "coordinates");
    if (!rc && relation->n_in != step->whole->n_args && !(relation->flags & TF_RELATION_EMPTY)) {
        tf_host->error(m->ctx, &step->node->loc, "amounts-unknown",
            "the operator %s says what %u of its %u operands reach, so nothing says what it moves here", op->name,
            relation->n_in, step->whole->n_args);
        return TF_E_REFUSED;
    }
    return rc;
}

/* What footprints look at again, out of the memory that is given back. */
static struct tf_relation *keep_relation(struct memory *m, const struct tf_relation *relation)
{
    uint32_t n = relation->n_in + relation->n_out;
    struct tf_relation *kept = tf_host->alloc(m->ctx, sizeof(*kept) + n * sizeof(struct tf_boundary));
    struct tf_boundary *boundaries = (struct tf_boundary *)(kept + 1);
    *kept = *relation;
    kept->in = boundaries;
    kept->out = boundaries + relation->n_in;
    kept->extent = tf_host->alloc(m->ctx, relation->n_iter * sizeof(struct tf_dim *));
    for (uint32_t k = 0; k < relation->n_iter; k++)
        kept->extent[k] = relation->extent[k];
    for (uint32_t i = 0; i < n; i++) {
        boundaries[i] = i < relation->n_in ? relation->in[i] : relation->out[i - relation->n_in];
        if (!boundaries[i].axes)
            continue;
        size_t size = (boundaries[i].rank ? boundaries[i].rank : 1) * sizeof(struct tf_axis);
        struct tf_axis *axes = tf_host->alloc(m->ctx, size);
        if (boundaries[i].rank)
            memcpy(axes, boundaries[i].axes, boundaries[i].rank * sizeof(*axes));
        boundaries[i].axes = axes;
    }
    return kept;
}

/* ---- records -------------------------------------------------------------------------------------------------------*/

static void text_moved(struct text *text, uint64_t read, uint64_t written)
{
    text_add(text, "r");
    text_number(text, read);
    text_add(text, "/w");
    text_number(text, written);
}

static const char *text_traffic(struct memory *m, const struct tf_call_traffic *traffic)
{
    struct text *text = &m->text;
    text_clear(text);
    for (uint32_t i = 0; i < N_LEVELS; i++) {
        uint32_t level = level_order[i];
        if (!(traffic->levels >> level & 1))
            continue;
        if (text->n)
            text_add(text, ",");
        text_add(text, tf_host->storage(level));
        text_add(text, ":");
        text_moved(text, traffic->whole[level].read, traffic->whole[level].written);
        text_add(text, "@");
        text_moved(text, traffic->unit[level].read, traffic->unit[level].written);
    }
    return text->at;
}

static const char *text_operands(struct memory *m, uint32_t n_args)
{
    struct text *text = &m->text;
    text_clear(text);
    for (uint32_t i = 0; i <= n_args; i++) {
        if (i)
            text_add(text, ",");
        if (i < n_args)
            text_number(text, i);
        else
            text_add(text, "result");
        text_add(text, ":");
        text_moved(text, m->operands[i].read, m->operands[i].written);
    }
    return text->at;
}

static void json_levels(struct tf_json *in, const char *key, uint32_t levels, const struct tf_bytes *bytes)
{
    struct tf_json *map = tf_host->json_object(in, key);
    for (uint32_t i = 0; i < N_LEVELS; i++)
        if (levels >> level_order[i] & 1) {
            struct tf_json *level = tf_host->json_object(map, tf_host->storage(level_order[i]));
            tf_host->json_uint(level, "read", bytes[level_order[i]].read);
            tf_host->json_uint(level, "write", bytes[level_order[i]].written);
        }
}

static void json_halves(struct tf_json *in, const struct tf_call_traffic *traffic)
{
    json_levels(in, "whole", traffic->levels, traffic->whole);
    json_levels(in, "per_unit", traffic->levels, traffic->unit);
}

static const struct tf_type *first_leaf(const struct tf_type *type)
{
    while (type->kind == TF_TYPE_TUPLE && type->rank)
        type = type->fields[0];
    return type->kind == TF_TYPE_TENSOR ? type : NULL;
}

/* bf16[128,512] gmem; a tuple's first leaf, and + before the storage for the others */
static const char *short_type(struct memory *m, const struct tf_type *type)
{
    struct text *text = &m->text;
    const struct tf_type *leaf = first_leaf(type);
    text_clear(text);
    if (!leaf)
        return "()";
    text_add(text, tf_host->dtype(leaf->dtype)->name);
    text_add(text, "[");
    for (uint32_t a = 0; a < leaf->rank; a++) {
        if (a)
            text_add(text, ",");
        text_number(text, (uint64_t)leaf->shape[a]->value);
    }
    text_add(text, type->kind == TF_TYPE_TUPLE && (type->rank > 1 || leaf != type->fields[0]) ? "]+ " : "] ");
    text_add(text, tf_host->storage(leaf->storage));
    return text->at;
}

static const char *operand_name(const struct tf_node *node)
{
    static const char *const kinds[] = {
        "parameter", "constant", "call", "tuple", "call", "region", "captured", "loop", "index", "carried"};
    if (node->name)
        return node->name;
    if (node->op)
        return call_word(node);
    return node->kind < sizeof(kinds) / sizeof(*kinds) ? kinds[node->kind] : "value";
}

static void json_operands(struct memory *m, struct tf_json *in, const struct tf_step *step)
{
    struct tf_json *list = tf_host->json_array(in, "operands");
    uint32_t n = step->whole->n_args;
    for (uint32_t i = 0; i <= n; i++) {
        struct tf_json *row = tf_host->json_object(list, NULL);
        const struct tf_node *node = i < n ? step->whole->args[i] : step->node;
        if (i < n)
            tf_host->json_uint(row, "arg", i);
        else
            tf_host->json_text(row, "arg", "result");
        tf_host->json_text(row, "name", operand_name(node));
        tf_host->json_text(row, "type", short_type(m, i < n ? step->whole->arg_types[i] : step->whole->type));
        tf_host->json_uint(row, "read", m->operands[i].read);
        tf_host->json_uint(row, "write", m->operands[i].written);
    }
}

static void record_call(struct memory *m, const struct tf_step *step)
{
    const struct tf_call_traffic *traffic = &m->traffic[step->position];
    struct tf_record *record = tf_host->record(m->ctx, FAMILY, "traffic", TF_SCOPE_CALL, step->position);
    if (traffic->levels)
        tf_host->record_text(record, "traffic", text_traffic(m, traffic));
    tf_host->record_operands(record, "operands", text_operands(m, step->whole->n_args));
    if (m->json) {
        struct tf_json *json = tf_host->record_json(record);
        json_halves(json, traffic);
        json_operands(m, json, step);
    }
}

static void record_function(struct memory *m)
{
    if (m->wanted) {
        tf_host->line(m->ctx, FAMILY, m->total.levels ? "traffic traffic=%s" : "traffic%s", text_traffic(m, &m->total));
        struct tf_record *record = tf_host->record(m->ctx, FAMILY, "traffic", TF_SCOPE_FUNCTION, 0);
        if (m->json)
            json_halves(tf_host->record_json(record), &m->total);
    }
    if (m->json && (m->wanted || tf_host->wants(m->ctx, "compute-cost") || tf_host->wants(m->ctx, "roofline"))) {
        struct tf_json *totals = tf_host->record_json(tf_host->record(m->ctx, FAMILY, "totals", TF_SCOPE_REPORT, 0));
        json_levels(totals, "traffic", m->total.levels, m->total.whole);
    }
}

/* ---- all calls -----------------------------------------------------------------------------------------------------*/

static int add_total(struct memory *m, const struct tf_call_traffic *traffic, uint64_t runs)
{
    int over = 0;
    m->total.levels |= traffic->levels;
    for (uint32_t level = 0; level < TF_MAX_LEVELS; level++) {
        over |= count_add(&m->total.whole[level].read, traffic->whole[level].read, runs);
        over |= count_add(&m->total.whole[level].written, traffic->whole[level].written, runs);
        over |= count_add(&m->total.unit[level].read, traffic->unit[level].read, runs);
        over |= count_add(&m->total.unit[level].written, traffic->unit[level].written, runs);
    }
    return over;
}

/* The unit's half first: what `operands` says afterwards is the whole's. */
static int count_call(struct memory *m, const struct tf_step *step)
{
    struct tf_call_traffic *traffic = &m->traffic[step->position];
    struct tf_relation stated = {0}, *relation = &stated;
    int rc = relate(m, step, relation), same = same_share(step);
    if (rc)
        return rc;
    m->is_root[step->position] = !is_view(step->unit, relation);
    if (m->relations && (step->loop != TF_NO_LOOP || !m->is_root[step->position]))
        m->relations[step->position] = keep_relation(m, relation);
    make_room(m, relation, step->whole->n_args);
    if (!same)
        rc = count_half(m, step, relation, 1, traffic);
    if (!rc)
        rc = count_half(m, step, relation, 0, traffic);
    if (rc)
        return rc;
    if (same)
        memcpy(traffic->unit, traffic->whole, sizeof(traffic->unit));
    if (add_total(m, traffic, step->runs))
        return count_overflow(m->ctx, m->program, step, "bytes");
    if (m->wanted)
        record_call(m, step);
    tf_host->relation_done(m->ctx);
    return TF_OK;
}

int memory_traffic(struct memory *m)
{
    const struct tf_program *program = m->program;
    m->traffic = tf_host->alloc(m->ctx, program->n_steps * sizeof(*m->traffic));
    m->is_root = tf_host->alloc(m->ctx, program->n_steps);
    if (program->n_loops)
        m->relations = tf_host->alloc(m->ctx, program->n_steps * sizeof(*m->relations));
    for (uint32_t i = 0; i < program->n_steps; i++) {
        const struct tf_step *step = &program->steps[i];
        int rc = kit_is_call(step) ? count_call(m, step) : TF_OK;
        if (rc)
            return rc;
        if (step->node->kind == TF_NODE_PARAM)
            m->is_root[i] = 1;
    }
    record_function(m);
    return TF_OK;
}

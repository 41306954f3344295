/* SPDX-License-Identifier: MIT
 * How long buffers live, by positions, and what that makes at the peak of each level.
 *
 * A buffer that a loop uses and does not make is needed again in the next trip: such a use lasts to the end of the
 * outermost loop that the user repeats in and the maker does not.
 */
#include "memory.h"

static void extend(struct memory *m, uint32_t root, uint32_t to)
{
    if (to != TF_NO_POSITION && to > m->last[root])
        m->last[root] = to;
}

/* The outermost loop that `varies` names, from `innermost` outward, and that the root's call does not run in. */
static uint32_t outermost_foreign(const struct memory *m, const struct tf_node *varies, uint32_t root)
{
    const struct tf_node *maker = m->program->steps[root].node;
    uint32_t found = TF_NO_LOOP;
    for (const uint32_t *loop = m->program->varies_in[varies->id]; *loop != TF_NO_LOOP; loop++)
        if (!tf_varies_in(m->program, maker, *loop))
            found = *loop; /* innermost first: the last one is the outermost */
    return found;
}

static void use_by_call(
    struct memory *m, const struct tf_step *step, const struct tf_node *value, struct root_list *list)
{
    list->n = 0;
    roots_list(roots_of(m, value), list);
    for (uint32_t i = 0; i < list->n; i++) {
        uint32_t loop = outermost_foreign(m, step->node, list->at[i]);
        extend(m, list->at[i], loop == TF_NO_LOOP ? step->position : m->program->loops[loop].end_position);
    }
}

/* A carried value: what it begins as and what is yielded for it are needed to the loop's end. */
static void use_by_loop(
    struct memory *m, uint32_t index, const struct tf_node *carry, const struct tf_node *value, struct root_list *list)
{
    list->n = 0;
    roots_list(roots_of(m, value), list);
    for (uint32_t i = 0; i < list->n; i++) {
        uint32_t loop = outermost_foreign(m, carry, list->at[i]);
        if (loop == TF_NO_LOOP || loop_within(m->program, loop, index))
            loop = index;
        extend(m, list->at[i], m->program->loops[loop].end_position);
    }
}

static void find_uses(struct memory *m)
{
    const struct tf_program *program = m->program;
    struct root_list list = {0};
    for (uint32_t i = 0; i < program->n_steps; i++) {
        const struct tf_step *step = &program->steps[i];
        m->last[i] = i;
        if (step->runs)
            for (uint32_t k = 0; k < step->node->n_in; k++)
                use_by_call(m, step, step->node->in[k], &list);
    }
    for (uint32_t i = 0; i < program->n_loops; i++) {
        const struct tf_prog_loop *loop = &program->loops[i];
        const struct tf_loop *body = loop->node->loop;
        for (uint32_t k = 0; k < body->n_carries && loop->trips; k++) {
            use_by_loop(m, i, body->carries[k], loop->node->in[k], &list);
            use_by_loop(m, i, body->carries[k], body->yields[k], &list);
        }
    }
    list.n = 0;
    roots_list(roots_of(m, program->function->body), &list);
    for (uint32_t i = 0; i < list.n; i++)
        extend(m, list.at[i], program->n_steps - 1);
    free(list.at);
}

/* ---- bytes ---------------------------------------------------------------------------------------------------------*/

static int add_leaf(const struct tf_type *leaf, uint64_t *bytes, uint32_t *levels)
{
    uint64_t n = 1;
    for (uint32_t a = 0; a < leaf->rank; a++)
        if (__builtin_mul_overflow(n, (uint64_t)leaf->shape[a]->value, &n))
            return 1;
    uint64_t size = leaf_bytes(leaf, n);
    *levels |= 1u << leaf->storage;
    return size == UINT64_MAX || count_add(&bytes[leaf->storage], size, 1);
}

static int add_leaves(const struct tf_type *type, uint64_t *bytes, uint32_t *levels)
{
    if (type->kind == TF_TYPE_TENSOR)
        return add_leaf(type, bytes, levels);
    int over = 0;
    for (uint32_t i = 0; i < type->rank; i++)
        over |= add_leaves(type->fields[i], bytes, levels);
    return over;
}

/* A unit's share, by storage. */
static const struct tf_type *share(const struct memory *m, const struct tf_step *step)
{
    return step->unit ? step->unit->type : tf_host->unit_type(m->ctx, m->program, &step->node->loc, step->node->type);
}

/* ---- rows and peaks ------------------------------------------------------------------------------------------------*/

const char *root_label(struct memory *m, uint32_t position)
{
    const struct tf_node *node = m->program->steps[position].node;
    if (node->kind == TF_NODE_PARAM)
        return node->name;
    return tf_host->format(m->ctx, "%s:%u", node->name ? node->name : call_word(node), node->loc.line);
}

struct lives {
    struct tf_json *rows;
    int64_t *change[TF_MAX_LEVELS]; /* by position: bytes that begin less those that ended */
};

static int add_row(struct memory *m, struct lives *lives, const struct tf_step *step, uint32_t level, uint64_t bytes)
{
    int is_param = step->node->kind == TF_NODE_PARAM;
    uint32_t from = is_param ? 0 : step->position, to = is_param ? m->program->n_steps - 1 : m->last[step->position];
    uint64_t capacity;
    m->has_root |= 1u << level;
    if (tf_host->target_level(m->program->target, level, &capacity) == TF_OK && capacity && bytes > capacity) {
        tf_host->error(m->ctx, &step->node->loc, "capacity",
            "%s needs %llu B in %s, above the %llu B that %s states for that level", root_label(m, step->position),
            (unsigned long long)bytes, tf_host->storage(level), (unsigned long long)capacity,
            tf_host->target_id(m->program->target));
        return TF_E_REFUSED;
    }
    if (!lives->change[level])
        lives->change[level] = tf_host->alloc(m->ctx, ((size_t)m->program->n_steps + 1) * sizeof(int64_t));
    if (__builtin_add_overflow(lives->change[level][from], (int64_t)bytes, &lives->change[level][from]) ||
        __builtin_sub_overflow(lives->change[level][to + 1], (int64_t)bytes, &lives->change[level][to + 1]) ||
        (is_param && count_add(&m->persistent[level], bytes, 1)))
        return count_overflow(m->ctx, m->program, NULL, "bytes that live");
    if (lives->rows) {
        struct tf_json *row = tf_host->json_object(lives->rows, NULL);
        tf_host->json_text(row, "binding", root_label(m, step->position));
        tf_host->json_text(row, "level", tf_host->storage(level));
        tf_host->json_uint(row, "bytes", bytes);
        tf_host->json_uint(row, "defined_at", from);
        tf_host->json_uint(row, "last_used_at", to);
        tf_host->json_bool(row, "persistent", is_param);
    }
    return TF_OK;
}

static int add_root(struct memory *m, struct lives *lives, const struct tf_step *step)
{
    uint64_t bytes[TF_MAX_LEVELS] = {0}, capacity;
    uint32_t levels = 0;
    const struct tf_type *type = share(m, step);
    if (!type)
        return TF_E_REFUSED;
    if (add_leaves(type, bytes, &levels))
        return count_overflow(m->ctx, m->program, NULL, "bytes of a value");
    for (uint32_t i = 0; i < N_LEVELS; i++) {
        uint32_t level = level_order[i];
        if (!(levels >> level & 1) || tf_host->target_level(m->program->target, level, &capacity) != TF_OK)
            continue;
        int rc = add_row(m, lives, step, level, bytes[level]);
        if (rc)
            return rc;
    }
    return TF_OK;
}

static int sum_peaks(struct memory *m, const struct lives *lives)
{
    for (uint32_t level = 0; level < TF_MAX_LEVELS; level++) {
        int64_t now = 0;
        for (uint32_t i = 0; lives->change[level] && i < m->program->n_steps; i++) {
            if (__builtin_add_overflow(now, lives->change[level][i], &now))
                return count_overflow(m->ctx, m->program, NULL, "bytes that live");
            if ((uint64_t)now > m->peak[level])
                m->peak[level] = (uint64_t)now;
        }
    }
    return TF_OK;
}

/* ---- the function's record -----------------------------------------------------------------------------------------*/

static void record_level(struct memory *m, struct tf_json *footprint, struct tf_json *advisories, uint32_t level)
{
    uint64_t capacity = 0;
    int is_stated = tf_host->target_level(m->program->target, level, &capacity) == TF_OK && capacity;
    const char *name = tf_host->storage(level);
    if (footprint) {
        struct tf_json *row = tf_host->json_object(footprint, NULL);
        tf_host->json_text(row, "level", name);
        tf_host->json_uint(row, "peak_bytes", m->peak[level]);
        tf_host->json_uint(row, "persistent_bytes", m->persistent[level]);
        if (is_stated)
            tf_host->json_uint(row, "capacity_bytes", capacity);
        else
            tf_host->json_null(row, "capacity_bytes");
    }
    if (!is_stated || m->peak[level] <= capacity)
        return;
    const char *text = tf_host->format(m->ctx, "%s peak %llu B is above the %llu B of that level", name,
        (unsigned long long)m->peak[level], (unsigned long long)capacity);
    tf_host->advisory(m->ctx, FAMILY, "%s", text);
    if (advisories)
        tf_host->json_text(advisories, NULL, text);
}

static void record_function(struct memory *m, struct tf_json *json)
{
    struct text *line = &m->text;
    uint32_t listed = m->has_root | m->total.levels;
    struct tf_json *footprint = json ? tf_host->json_array(json, "footprint") : NULL;
    struct tf_json *advisories = json ? tf_host->json_array(json, "advisories") : NULL;
    text_clear(line);
    for (uint32_t i = 0; i < N_LEVELS; i++) {
        if (!(listed >> level_order[i] & 1))
            continue;
        text_add(line, line->n ? "," : "=");
        text_add(line, tf_host->storage(level_order[i]));
        text_add(line, ":");
        text_number(line, m->peak[level_order[i]]);
    }
    tf_host->line(m->ctx, FAMILY, "peak-footprint%s", line->at);
    for (uint32_t i = 0; i < N_LEVELS; i++)
        if (listed >> level_order[i] & 1)
            record_level(m, footprint, advisories, level_order[i]);
}

int memory_lifetimes(struct memory *m)
{
    const struct tf_program *program = m->program;
    struct lives lives = {0};
    struct tf_record *record = m->wanted ? tf_host->record(m->ctx, FAMILY, FAMILY, TF_SCOPE_FUNCTION, 0) : NULL;
    struct tf_json *json = record && m->json ? tf_host->record_json(record) : NULL;
    lives.rows = json ? tf_host->json_array(json, "lifetimes") : NULL;
    m->last = tf_host->alloc(m->ctx, program->n_steps * sizeof(*m->last));
    find_uses(m);
    int rc = TF_OK;
    for (uint32_t i = 0; i < program->n_steps && !rc; i++) {
        const struct tf_step *step = &program->steps[i];
        if (m->is_root[i] && step->runs)
            rc = add_root(m, &lives, step);
    }
    if (!rc)
        rc = sum_peaks(m, &lives);
    if (!rc && m->wanted)
        record_function(m, json);
    return rc;
}

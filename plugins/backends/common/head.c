/* SPDX-License-Identifier: MIT
 * What is said of a program beside its text: names, places, values, work.
 */
#include "lower.h"

#include <inttypes.h>

const char *entry_name(struct lower *l)
{
    const char *module = l->function->module, *name = l->function->name;
    char *text = tf_host->alloc(l->ctx, strlen(module) + strlen(name) + 4);
    const char *made = fmt(l, "%s%s%s", module, *module ? "_" : "", name);
    for (size_t i = 0; made[i]; i++)
        text[i] = (made[i] >= 'a' && made[i] <= 'z') || (made[i] >= 'A' && made[i] <= 'Z') ||
                          (i && made[i] >= '0' && made[i] <= '9')
                      ? made[i]
                      : '_';
    return text;
}

/* ---- comments ------------------------------------------------------------------------------------------------------*/

/* ", step.py:37": the file without its folders, so that the text does not depend on where it lies. */
static const char *place_text(struct lower *l, const struct tf_loc *loc)
{
    const char *path = loc->line ? tf_host->source_path(l->ctx, loc->file) : NULL;
    const char *slash = path ? strrchr(path, '/') : NULL;
    return path ? fmt(l, ", %s:%u", slash ? slash + 1 : path, loc->line) : "";
}

static const char *operator_text(const struct tf_node *node)
{
    if (node->kind == TF_NODE_LOOP)
        return "loop";
    return is_op(node, "unary") || is_op(node, "binary") ? node->attrs[0].u.s : node->op->name;
}

const char *comment_text(struct lower *l, const struct tf_node *node)
{
    const char *place = place_text(l, &node->loc);
    return node->name ? fmt(l, " /* %s = %s%s */", node->name, operator_text(node), place)
                      : fmt(l, " /* %s%s */", operator_text(node), place);
}

/* ---- values and work -----------------------------------------------------------------------------------------------*/

static size_t bytes_of(const struct tf_type *type)
{
    return span(type, 0, type->rank) * tf_host->element_bytes(type->dtype);
}

void describe_values(struct lower *l, struct text *out)
{
    const struct tf_function *f = l->function;
    const struct value *body = value_of(l, f->body);
    for (uint32_t i = 0; i < f->n_params; i++)
        text_add(l, out, " * args[%u]     %s: %s %s\n", i, f->params[i]->name ? f->params[i]->name : "",
            tf_host->dtype(f->params[i]->type->dtype)->name,
            tf_host->shape_text(l->ctx, f->params[i]->type->shape, f->params[i]->type->rank));
    for (uint32_t i = 0; i < body->n; i++)
        text_add(l, out, " * results[%u]  %s %s\n", i, tf_host->dtype(body->leaf[i].type->dtype)->name,
            tf_host->shape_text(l->ctx, body->leaf[i].type->shape, body->leaf[i].type->rank));
}

struct tally {
    uint64_t vector[TF_DTYPE_COUNT], tensor[TF_DTYPE_COUNT];
};

static void add_call(struct lower *l, const struct tf_step *step, struct tally *tally)
{
    struct tf_work work = {0};
    if (step->node->kind != TF_NODE_CALL || !step->whole || !step->node->op->cost ||
        step->node->op->cost(l->ctx, step->whole, &work) != TF_OK)
        return;
    for (uint32_t i = 0; i < work.n && i < TF_MAX_WORK; i++) {
        const struct tf_work_item *item = &work.item[i];
        if (item->pipe == TF_WORK_VECTOR && item->key < TF_DTYPE_COUNT)
            tally->vector[item->key] += item->amount * step->runs;
        else if (item->pipe == TF_WORK_TENSOR && item->key < TF_DTYPE_COUNT)
            tally->tensor[item->key] += item->amount * step->runs;
    }
}

void describe_work(struct lower *l, struct text *out)
{
    const struct value *body = value_of(l, l->function->body);
    struct tally tally = {0};
    size_t in = 0, made = 0, n = 0;
    for (uint32_t i = 0; i < l->function->n_params; i++)
        in += bytes_of(l->function->params[i]->type);
    for (uint32_t i = 0; i < body->n; i++)
        made += bytes_of(body->leaf[i].type);
    for (uint32_t i = 0; i < l->program->n_steps; i++)
        add_call(l, &l->program->steps[i], &tally);
    text_add(l, out, " * It has to read %zu bytes and write %zu; flops:", in, made);
    for (uint32_t i = 0; i < TF_DTYPE_COUNT; i++) {
        const char *name = tf_host->dtype(i)->name;
        if (tally.vector[i])
            text_add(l, out, "%s %" PRIu64 " in %s", n++ ? "," : "", tally.vector[i], name);
        if (tally.tensor[i])
            text_add(l, out, "%s %" PRIu64 " in products of %s", n++ ? "," : "", tally.tensor[i], name);
    }
    text_add(l, out, n ? ".\n" : " none.\n");
}

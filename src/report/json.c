/* SPDX-License-Identifier: MIT
 * The report as JSON: the keys of `json.dumps(indent=2, sort_keys=True)`, written piece by piece.
 */
#include "report/store.h"
#include "target/target.h"
#include "util/diag.h"

#include <stdlib.h>
#include <string.h>

struct writer;

/* One key of an object: its value as a tree, as text, or as what a function writes. */
struct entry {
    const char *key;
    const struct tf_json *value;
    const char *text;
    size_t length;
    void (*write)(struct writer *w);
};

struct writer {
    struct report *report;
    struct buf *out;
    struct buf source;
    int failed;
};

static int by_key(const void *a, const void *b)
{
    return strcmp(((const struct entry *)a)->key, ((const struct entry *)b)->key);
}

static void indent(struct buf *out, unsigned depth)
{
    buf_char(out, '\n');
    for (unsigned i = 0; i < depth; i++)
        buf_str(out, "  ");
}

static void write_value(struct writer *w, const struct tf_json *value, unsigned depth)
{
    if (!w->report->json || w->report->json->write(value, depth, json_to_buf, w->out))
        w->failed = 1;
}

static void write_object(struct writer *w, struct entry *entries, size_t n, unsigned depth)
{
    if (n == 0) {
        buf_str(w->out, "{}");
        return;
    }
    qsort(entries, n, sizeof(*entries), by_key);
    for (size_t i = 0; i < n; i++) {
        buf_char(w->out, i ? ',' : '{');
        indent(w->out, depth + 1);
        buf_printf(w->out, "\"%s\": ", entries[i].key);
        if (entries[i].write)
            entries[i].write(w);
        else if (entries[i].value)
            write_value(w, entries[i].value, depth + 1);
        else
            buf_add(w->out, entries[i].text, entries[i].length);
    }
    indent(w->out, depth);
    buf_char(w->out, '}');
}

#define MAX_KEYS 64 /* of one row: a record for each family, and what we say of the value */
struct row {
    struct entry entry[MAX_KEYS];
    size_t n;
};

static void row_records(struct row *row, const struct tf_record *record)
{
    for (; record && row->n < MAX_KEYS; record = record->next)
        if (record->json)
            row->entry[row->n++] = (struct entry){.key = record->name, .value = record->json};
}

static void row_sealed(struct row *row, const struct sealed *record)
{
    for (; record && row->n < MAX_KEYS; record = record->next)
        if (record->json_length)
            row->entry[row->n++] = (struct entry){
                .key = record->name, .text = record->text + strlen(record->text) + 1, .length = record->json_length};
}

static struct tf_json *row_value(struct writer *w, struct row *row, const char *key, enum tree_kind kind)
{
    struct tf_json *value = json_new(&w->report->scratch, kind);
    if (row->n < MAX_KEYS)
        row->entry[row->n++] = (struct entry){.key = key, .value = value};
    return value;
}

static void row_text(struct writer *w, struct row *row, const char *key, const char *text)
{
    row_value(w, row, key, text ? TREE_TEXT : TREE_NULL)->value.text = text;
}

static void row_place(struct writer *w, struct row *row, const struct tf_node *node)
{
    row_value(w, row, "line", TREE_UINT)->value.u = node->loc.line;
    row_value(w, row, "column", TREE_UINT)->value.u = node->loc.column;
}

static void write_call(struct writer *w, const struct tf_step *step)
{
    struct report *report = w->report;
    struct row row = {.n = 0};
    row_sealed(&row, report->calls[step->position]);
    const char *name = report->printed_name[step->position];
    row_text(w, &row, "value",
        name ? arena_format(&report->scratch, "%s:%zu", name, report->printed_line[step->position])
             : arena_format(&report->scratch, "v%u", step->position));
    row_text(w, &row, "type", type_text(report->ctx, step->node->type));
    if (step->node->name)
        row_text(w, &row, "name", step->node->name);
    row_place(w, &row, step->node);
    write_object(w, row.entry, row.n, 2);
}

static void write_loop(struct writer *w, uint32_t index)
{
    struct report *report = w->report;
    const struct tf_prog_loop *loop = &report->program->loops[index];
    struct row row = {.n = 0};
    row_records(&row, report->loops[index]);
    row_text(w, &row, "value", loop->name ? loop->name : "");
    row_place(w, &row, loop->node);
    write_object(w, row.entry, row.n, 2);
}

/* An item of what a loop or a region gives is a name that escapes from it, and no statement of its own. */
static int is_statement(const struct tf_node *node)
{
    uint32_t from = node->op->flags & TF_OP_ITEM ? node->in[0]->kind : TF_NODE_CALL;
    return from != TF_NODE_LOOP && from != TF_NODE_REGION;
}

/* Before each row of an array, and after the last. */
static void begin_row(struct writer *w, uint32_t n)
{
    buf_char(w->out, n ? ',' : '[');
    indent(w->out, 2);
}

static void end_rows(struct writer *w, uint32_t n)
{
    if (n == 0)
        buf_char(w->out, '[');
    else
        indent(w->out, 1);
    buf_char(w->out, ']');
}

static void write_calls(struct writer *w)
{
    const struct tf_program *program = w->report->program;
    uint32_t n = 0;
    for (uint32_t i = 0; i < program->n_steps && !w->failed; i++) {
        if (!w->report->calls[i] || !is_statement(program->steps[i].node))
            continue;
        begin_row(w, n++);
        write_call(w, &program->steps[i]);
        arena_finish(&w->report->scratch);
    }
    end_rows(w, n);
}

static void write_loops(struct writer *w)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < w->report->program->n_loops && !w->failed; i++) {
        if (!w->report->loops[i])
            continue;
        begin_row(w, n++);
        write_loop(w, i);
        arena_finish(&w->report->scratch);
    }
    end_rows(w, n);
}

static void write_function_records(struct writer *w)
{
    struct row row = {.n = 0};
    row_records(&row, w->report->function);
    write_object(w, row.entry, row.n, 1);
}

static void write_source(struct writer *w)
{
    struct tf_json source = {.kind = TREE_TEXT, .value.text = buf_text(&w->source)};
    write_value(w, &source, 1);
}

/* ---- the report ---------------------------------------------------------------------------------------------------*/

static void note_place(void *data, const struct tf_node *node, const char *name, size_t line)
{
    struct report *report = data;
    uint32_t position = report->program->step_of[node->id];
    if (position == TF_NO_POSITION)
        return;
    report->printed_name[position] = ctx_intern(report->ctx, name);
    report->printed_line[position] = line;
}

static void print_source(struct writer *w, const struct ir_module *module)
{
    struct report *report = w->report;
    report->printed_name = CTX_ARRAY(report->ctx, const char *, report->program->n_steps);
    report->printed_line = CTX_ARRAY(report->ctx, size_t, report->program->n_steps);
    struct print_hooks hooks = {.data = report, .note = report_note, .placed = note_place};
    ir_print_module(report->ctx, &w->source, module, &hooks);
}

static struct tf_json *add_list(struct report *report, struct row *row, const char *key)
{
    struct tf_json *list = json_new(&report->ctx->arena, TREE_ARRAY);
    row->entry[row->n++] = (struct entry){.key = key, .value = list};
    return list;
}

static void add_text(struct report *report, struct row *row, const char *key, const char *text)
{
    struct tf_json *value = json_new(&report->ctx->arena, text ? TREE_TEXT : TREE_NULL);
    value->value.text = text;
    row->entry[row->n++] = (struct entry){.key = key, .value = value};
}

static void add_selection(struct report *report, struct row *row)
{
    struct tf_json *requested = add_list(report, row, "requested"), *executed = add_list(report, row, "executed");
    for (size_t i = 0; i < report->options.n_requested; i++)
        json_add(requested, NULL, TREE_TEXT)->value.text = report->options.requested[i];
    struct tf_json *plugins = json_new(&report->ctx->arena, TREE_OBJECT);
    row->entry[row->n++] = (struct entry){.key = "plugins", .value = plugins};
    for (size_t i = 0; i < report->families.n; i++) {
        const struct family *family = report->families.at[i];
        json_add(executed, NULL, TREE_TEXT)->value.text = family->name;
        if (family->plugin)
            json_add(plugins, family->name, TREE_TEXT)->value.text =
                arena_format(&report->ctx->arena, "%s %s", family->plugin, family->version ? family->version : "");
    }
}

int report_json(tf_ctx *ctx, struct buf *out, const struct ir_module *module)
{
    struct report *report = ctx->report;
    const struct tf_program *program = report->program;
    struct writer w = {.report = report, .out = out};
    struct row row = {.n = 0};
    if (!report_json_module(report))
        return TF_E_REFUSED;
    report_seal(report);
    print_source(&w, module);
    add_text(report, &row, "target", program->target->id);
    add_text(report, &row, "module", program->module);
    add_text(report, &row, "function", program->function->name);
    add_text(report, &row, "topology",
        program->selected < program->n_levels ? program->levels[program->selected].name : NULL);
    add_selection(report, &row);
    row.entry[row.n++] = (struct entry){.key = "calls", .write = write_calls};
    row.entry[row.n++] = (struct entry){.key = "loops", .write = write_loops};
    row.entry[row.n++] = (struct entry){.key = "function_records", .write = write_function_records};
    row.entry[row.n++] = (struct entry){.key = "source", .write = write_source};
    row_records(&row, report->whole);
    write_object(&w, row.entry, row.n, 0);
    buf_char(out, '\n');
    buf_free(&w.source);
    if (w.failed) {
        struct tf_loc nowhere = {0};
        ERROR(ctx, &nowhere, "internal", "the report cannot be written as JSON");
        return TF_E_INTERNAL;
    }
    return TF_OK;
}

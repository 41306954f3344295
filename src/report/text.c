/* SPDX-License-Identifier: MIT
 * The report as text: summary lines, an empty one, the annotated program.
 */
#include "report/store.h"
#include "target/target.h"

#include <string.h>

static void add_record(struct buf *out, const struct tf_record *record, int operands)
{
    buf_str(out, "; ");
    buf_str(out, record->name);
    for (const struct field *field = record->first; field; field = field->next) {
        if (field->is_operands && !operands)
            continue;
        if (field->key) {
            buf_char(out, ' ');
            buf_str(out, field->key);
        }
        buf_char(out, '=');
        buf_str(out, field->value);
    }
}

static const char *note(struct report *report, const struct tf_node *node, int operands)
{
    const struct tf_program *program = report->program;
    const struct tf_record *record = NULL;
    if (node->kind == TF_NODE_LOOP && program->loop_of[node->id] != TF_NO_LOOP)
        record = report->loops[program->loop_of[node->id]];
    else if (program->step_of[node->id] != TF_NO_POSITION)
        record = report->calls[program->step_of[node->id]];
    report->text.n = 0;
    for (; record; record = record->next)
        if (record->first || record->scope == TF_SCOPE_CALL)
            add_record(&report->text, record, operands);
    return report->text.n ? buf_text(&report->text) : NULL;
}

const char *report_note(void *data, const struct tf_node *node)
{
    return note(data, node, 0);
}

const char *report_note_operands(void *data, const struct tf_node *node)
{
    return note(data, node, 1);
}

static void print_selection(const struct report *report, struct buf *out)
{
    buf_str(out, "# selection requested=");
    for (size_t i = 0; i < report->options.n_requested; i++)
        buf_printf(out, "%s%s", i ? "," : "", report->options.requested[i]);
    buf_str(out, " executed=");
    for (size_t i = 0; i < report->families.n; i++)
        buf_printf(out, "%s%s", i ? "," : "", report->families.at[i]->name);
    buf_char(out, '\n');
}

void report_text(tf_ctx *ctx, struct buf *out, const struct ir_module *module)
{
    struct report *report = ctx->report;
    const struct tf_program *program = report->program;
    buf_printf(out, "# analysis target=%s module=%s function=%s", program->target->id, program->module,
        program->function->name);
    if (program->selected < program->n_levels)
        buf_printf(out, " topology=%s", program->levels[program->selected].name);
    buf_char(out, '\n');
    print_selection(report, out);
    struct family *const *families = report_sorted(report);
    for (size_t i = 0; i < report->families.n; i++)
        for (const struct line *line = families[i]->first; line; line = line->next)
            buf_printf(out, "# %s\n", line->text);
    for (const struct line *line = report->extra; line; line = line->next)
        buf_printf(out, "# %s\n", line->text);
    buf_char(out, '\n');
    struct print_hooks hooks = {.data = report, .note = report->options.operands ? report_note_operands : report_note};
    ir_print_module(ctx, out, module, &hooks);
}

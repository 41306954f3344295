/* SPDX-License-Identifier: MIT
 * The report as text: summary lines, an empty one, the annotated program.
 */
#include "report/store.h"
#include "target/target.h"

#include <string.h>

static void note_loop(struct report *report, const struct tf_record *record)
{
    for (; record; record = record->next) {
        if (!record->first)
            continue;
        buf_str(&report->text, "; ");
        buf_str(&report->text, record->name);
        for (const struct field *field = record->first; field; field = field->next)
            record_print_field(&report->text, field->key, field->value);
    }
}

static void note_call(struct report *report, const struct sealed *record)
{
    for (; record; record = record->next) {
        buf_str(&report->text, "; ");
        buf_str(&report->text, record->text);
    }
}

const char *report_note(void *data, const struct tf_node *node)
{
    struct report *report = data;
    const struct tf_program *program = report->program;
    report->text.n = 0;
    if (node->kind == TF_NODE_LOOP && program->loop_of[node->id] != TF_NO_LOOP)
        note_loop(report, report->loops[program->loop_of[node->id]]);
    else if (program->step_of[node->id] != TF_NO_POSITION)
        note_call(report, report->calls[program->step_of[node->id]]);
    return report->text.n ? buf_text(&report->text) : NULL;
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
    struct print_hooks hooks = {.data = report, .note = report_note};
    ir_print_module(ctx, out, module, &hooks);
}

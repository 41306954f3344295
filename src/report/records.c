/* SPDX-License-Identifier: MIT
 * The record store, as analyzers fill it.
 */
#include "plugin/records.h"
#include "report/store.h"
#include "util/diag.h"
#include "util/place.h"

#include <string.h>

static struct report *report_of(tf_ctx *ctx)
{
    return ctx->report;
}

static struct family *find_family(struct report *report, const char *name)
{
    if (report->last && (report->last_family == name || strcmp(report->last->name, name) == 0))
        return report->last;
    for (size_t i = 0; i < report->families.n; i++)
        if (strcmp(report->families.at[i]->name, name) == 0) {
            report->last_family = name;
            return report->last = report->families.at[i];
        }
    return NULL;
}

int report_wants_json(tf_ctx *ctx)
{
    return report_of(ctx) && report_of(ctx)->options.json;
}

int report_wants(tf_ctx *ctx, const char *name)
{
    struct family *family = report_of(ctx) ? find_family(report_of(ctx), name) : NULL;
    return family && family->is_wanted;
}

void report_publish(tf_ctx *ctx, const char *name, const void *data)
{
    struct family *family = report_of(ctx) ? find_family(report_of(ctx), name) : NULL;
    if (family)
        family->published = data;
}

const void *report_published(tf_ctx *ctx, const char *name)
{
    struct family *family = report_of(ctx) ? find_family(report_of(ctx), name) : NULL;
    return family ? family->published : NULL;
}

/* ---- summary lines ------------------------------------------------------------------------------------------------*/

static void add_line(struct report *report, const char *name, struct buf *text)
{
    struct family *family = find_family(report, name);
    if (family) {
        struct line *line = CTX_NEW(report->ctx, struct line);
        line->text = arena_strndup(&report->ctx->arena, buf_text(text), text->n);
        if (family->last)
            family->last->next = line;
        else
            family->first = line;
        family->last = line;
    }
    buf_free(text);
}

void report_line(tf_ctx *ctx, const char *family, const char *format, ...)
{
    if (!report_of(ctx))
        return;
    struct buf text = {0};
    va_list args;
    va_start(args, format);
    buf_vprintf(&text, format, args);
    va_end(args);
    add_line(report_of(ctx), family, &text);
}

void report_advisory(tf_ctx *ctx, const char *family, const char *format, ...)
{
    if (!report_of(ctx))
        return;
    struct buf text = {0};
    va_list args;
    va_start(args, format);
    buf_str(&text, "advisory=\"");
    buf_vprintf(&text, format, args);
    buf_char(&text, '"');
    va_end(args);
    add_line(report_of(ctx), family, &text);
}

void report_extra_line(tf_ctx *ctx, const char *text)
{
    struct report *report = report_of(ctx);
    struct line *line = CTX_NEW(ctx, struct line);
    line->text = arena_strndup(&ctx->arena, text, strlen(text));
    if (report->last_extra)
        report->last_extra->next = line;
    else
        report->extra = line;
    report->last_extra = line;
}

/* ---- records ------------------------------------------------------------------------------------------------------*/

static void append(struct tf_record **list, struct tf_record *record)
{
    while (*list)
        list = &(*list)->next;
    *list = record;
}

static struct tf_record **list_of(struct report *report, uint32_t scope, uint32_t index)
{
    const struct tf_program *program = report->program;
    switch (scope) {
    case TF_SCOPE_FUNCTION: return &report->function;
    case TF_SCOPE_LOOP: return index < program->n_loops ? &report->loops[index] : NULL;
    default: return NULL;
    }
}

static struct tf_record *new_record(struct report *report, const char *name, uint32_t scope)
{
    struct tf_record *record = CTX_NEW(report->ctx, struct tf_record);
    record->report = report;
    record->name = ctx_intern(report->ctx, name);
    record->scope = scope;
    return record;
}

static struct tf_record *record_of_report(struct report *report, const char *name)
{
    for (struct tf_record *record = report->whole; record; record = record->next)
        if (strcmp(record->name, name) == 0)
            return record;
    struct tf_record *record = new_record(report, name, TF_SCOPE_REPORT);
    append(&report->whole, record);
    return record;
}

/* A call's record can be filled until the next record is begun.  One that nobody asked for is filled and forgotten, so
 * that analyzers need not ask before each. */
static struct tf_record *open_call(struct report *report, const char *name, int is_wanted, uint32_t index)
{
    report->open = (struct tf_record){.report = report, .name = name, .scope = TF_SCOPE_CALL, .index = index};
    if (!is_wanted || index >= report->program->n_steps)
        report->open.index = TF_NO_POSITION;
    report->open_text.n = 0;
    buf_str(&report->open_text, name);
    return &report->open;
}

struct tf_record *report_record(tf_ctx *ctx, const char *family, const char *name, uint32_t scope, uint32_t index)
{
    struct report *report = report_of(ctx);
    if (scope == TF_SCOPE_REPORT)
        return record_of_report(report, name);
    report_seal(report);
    int is_wanted = report_wants(ctx, family);
    if (scope == TF_SCOPE_CALL)
        return open_call(report, ctx_intern(ctx, name), is_wanted, index);
    struct tf_record *record = new_record(report, name, scope);
    struct tf_record **list = is_wanted ? list_of(report, scope, index) : NULL;
    if (list)
        append(list, record);
    return record;
}

void record_print_field(struct buf *out, const char *key, const char *value)
{
    if (key) {
        buf_char(out, ' ');
        buf_str(out, key);
    }
    buf_char(out, '=');
    buf_str(out, value);
}

static void add_field(struct tf_record *record, const char *key, const char *value, uint32_t is_operands)
{
    tf_ctx *ctx = record->report->ctx;
    if (record == &record->report->open) {
        record_print_field(&record->report->open_text, key, value);
        return;
    }
    struct field *field = CTX_NEW(ctx, struct field);
    field->key = key ? ctx_intern(ctx, key) : NULL;
    field->value = arena_strndup(&ctx->arena, value, strlen(value));
    field->is_operands = is_operands;
    if (record->last)
        record->last->next = field;
    else
        record->first = field;
    record->last = field;
}

void record_text(struct tf_record *record, const char *key, const char *value)
{
    add_field(record, key, value, 0);
}

void record_operands(struct tf_record *record, const char *key, const char *value)
{
    if (record->report->options.operands && !record->report->options.json)
        add_field(record, key, value, 1);
}

static struct tf_json *root_of(struct tf_record *record, enum tree_kind kind)
{
    struct report *report = record->report;
    if (!record->json)
        record->json = json_new(record == &report->open ? &report->scratch : &report->ctx->arena, kind);
    return record->json;
}

struct tf_json *record_json(struct tf_record *record)
{
    return root_of(record, TREE_OBJECT);
}

struct tf_json *record_array(struct tf_record *record)
{
    return root_of(record, TREE_ARRAY);
}

/* ---- a call's JSON as text -----------------------------------------------------------------------------------------
 * A call's record becomes text as soon as the next record is begun: trees for all calls at once would take gigabytes.
 */

#define CALL_DEPTH 3 /* { "calls": [ { FAMILY: */

const struct json_module *report_json_module(struct report *report)
{
    if (!report->json && !report->failed)
        report->json = module_symbol(report->ctx, "json", JSON_MODULE_SYMBOL);
    if (!report->json)
        report->failed = 1;
    return report->json;
}

void report_seal(struct report *report)
{
    struct tf_record *record = &report->open;
    struct buf *text = &report->open_text;
    const char *name = record->name;
    size_t length = text->n;
    record->name = NULL;
    if (!name || record->index == TF_NO_POSITION) {
        arena_finish(&report->scratch);
        return;
    }
    buf_char(text, 0);
    if (record->json) {
        const struct json_module *json = report_json_module(report);
        if (json && json->write(record->json, CALL_DEPTH, json_to_buf, text))
            report->failed = 1;
        arena_finish(&report->scratch);
    }
    struct sealed *sealed = arena_alloc(&report->ctx->arena, offsetof(struct sealed, text) + text->n);
    sealed->name = name;
    sealed->json_length = (uint32_t)(text->n - length - 1);
    memcpy(sealed->text, text->at, text->n);
    struct sealed **list = &report->calls[record->index];
    while (*list)
        list = &(*list)->next;
    *list = sealed;
}

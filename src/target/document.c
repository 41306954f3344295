/* SPDX-License-Identifier: MIT */
#include "target/document.h"

#include "target/sha256.h"
#include "target/xml.h"
#include "util/buf.h"
#include "util/diag.h"
#include "util/file.h"
#include "util/place.h"
#include "util/vec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct complaint {
    uint32_t line;
    const char *message; /* NULL once a better one was given */
};

struct reader {
    tf_ctx *ctx;
    struct document *document;
    uint32_t file; /* of the source, for places */
    VEC(struct target_fact) facts;
    VEC(struct model_row) rows;
    VEC(struct complaint) complaints;
    uint32_t explained; /* line of the last element that on_invalid had something to say of */
};

static void refuse(struct reader *r, uint32_t line, const char *code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static void refuse(struct reader *r, uint32_t line, const char *code, const char *format, ...)
{
    struct tf_loc loc = {.file = r->file, .line = line, .column = 1};
    va_list args;
    va_start(args, format);
    diag_v(r->ctx, &loc, DIAG_ERROR, code, format, args);
    va_end(args);
}

static const char *attribute(const char *const *attributes, const char *name)
{
    for (; *attributes; attributes += 2)
        if (!strcmp(attributes[0], name))
            return attributes[1];
    return NULL;
}

static const char *kept(struct reader *r, const char *const *attributes, const char *name)
{
    const char *value = attribute(attributes, name);
    return value ? ctx_intern(r->ctx, value) : NULL;
}

/* ---- facts --------------------------------------------------------------------------------------------------------*/

/* Units whose values are words or pairs rather than counts. */
static int unit_is_text(const char *unit)
{
    return !strcmp(unit, "name") || !strcmp(unit, "element");
}

/* A positive decimal integer below 2^63; says what is wrong otherwise. */
static int read_number(const char *text, uint64_t *number, const char **wrong)
{
    char *end;
    if (*text == '-')
        return *wrong = "must be positive", -1;
    if (*text < '0' || *text > '9')
        return *wrong = "must be a whole number", -1;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (*end)
        return *wrong = "must be a whole number", -1;
    if (errno || value > (unsigned long long)INT64_MAX)
        return *wrong = "must be below 2^63", -1;
    if (!value)
        return *wrong = "must be positive", -1;
    *number = value;
    return 0;
}

static void read_fact(struct reader *r, const char *const *attributes, uint32_t line)
{
    struct target_fact fact = {
        .path = kept(r, attributes, "path"),
        .value = kept(r, attributes, "value"),
        .unit = kept(r, attributes, "unit"),
        .origin = kept(r, attributes, "origin"),
        .line = line,
    };
    const char *wrong = NULL;
    if (fact.value && !unit_is_text(fact.unit)) {
        fact.is_number = 1;
        if (read_number(fact.value, &fact.number, &wrong))
            refuse(r, line, "target-value", "fact '%s': a value in %s %s, got '%s'", fact.path, fact.unit, wrong,
                fact.value);
    }
    VEC_PUSH(&r->facts, fact);
}

/* ---- the model ----------------------------------------------------------------------------------------------------*/

static void read_row(struct reader *r, const char *what, const char *const *attributes, uint32_t line)
{
    struct model_row row = {.what = ctx_intern(r->ctx, what), .line = line, .scale = 1};
    const char *kind = attribute(attributes, "kind"), *scale = attribute(attributes, "scale");
    const char *wrong, *per = attribute(attributes, "per");
    row.name = kept(r, attributes, !strcmp(what, "level") ? "name" : "level");
    row.pipe = kept(r, attributes, "pipe");
    if (!strcmp(what, "rate"))
        row.name = kept(r, attributes, !strcmp(row.pipe, "service") ? "service" : "dtype");
    row.scope = kept(r, attributes, "scope");
    row.owner = kept(r, attributes, "owner");
    row.caches = kept(r, attributes, "caches");
    row.fact = kept(r, attributes, !strcmp(what, "level") ? "limit" : !strcmp(what, "memory") ? "capacity" : "fact");
    row.bandwidth = kept(r, attributes, "bandwidth");
    row.is_explicit = kind && !strcmp(kind, "explicit");
    row.per_unit = per && !strcmp(per, "unit");
    if (scale && read_number(scale, &row.scale, &wrong))
        refuse(r, line, "target-value", "scale %s, got '%s'", wrong, scale);
    VEC_PUSH(&r->rows, row);
}

/* ---- the sink -----------------------------------------------------------------------------------------------------*/

static void on_element(void *data, const char *name, const char *const *attributes, uint32_t line)
{
    struct reader *r = data;
    struct document *d = r->document;
    if (!strcmp(name, "target")) {
        d->id = kept(r, attributes, "id");
        d->kind = kept(r, attributes, "kind");
        d->family = kept(r, attributes, "family");
        d->architecture = kept(r, attributes, "architecture");
        if (d->architecture && strcmp(d->kind, "device"))
            refuse(
                r, line, "target-architecture", "only a device names an architecture; this document is an %s", d->kind);
    } else if (!strcmp(name, "fact")) {
        read_fact(r, attributes, line);
    } else if (!strcmp(name, "level") || !strcmp(name, "units") || !strcmp(name, "memory") || !strcmp(name, "rate")) {
        read_row(r, name, attributes, line);
    }
}

static void on_text(void *data, const char *name, const char *text)
{
    struct reader *r = data;
    struct target_fact *fact = r->facts.n ? &r->facts.at[r->facts.n - 1] : NULL;
    if (!strcmp(name, "title"))
        r->document->title = ctx_intern(r->ctx, text);
    else if (fact && !strcmp(name, "source"))
        fact->source = ctx_intern(r->ctx, text);
    else if (fact && !strcmp(name, "conditions"))
        fact->conditions = ctx_intern(r->ctx, text);
}

/* The grammar's messages wait: on_invalid may have a better one for the same line. */
static void on_error(void *data, uint32_t line, const char *message)
{
    struct reader *r = data;
    struct complaint complaint = {line, ctx_intern(r->ctx, message)};
    VEC_PUSH(&r->complaints, complaint);
}

static void check_word(
    struct reader *r, const char *const *attributes, uint32_t line, const char *name, const char *const *words)
{
    const char *value = attribute(attributes, name);
    struct buf list = {0};
    for (size_t i = 0; value && words[i]; i++) {
        if (!strcmp(value, words[i]))
            value = NULL;
        else
            buf_printf(&list, "%s%s", i ? ", " : "", words[i]);
    }
    if (value) {
        refuse(r, line, "target-schema", "%s '%s': expected one of %s", name, value, buf_text(&list));
        r->explained = line;
    }
    buf_free(&list);
}

static void on_invalid(void *data, const char *name, const char *const *attributes, uint32_t line)
{
    struct reader *r = data;
    static const char *const UNITS[] = {
        "byte", "byte/s", "flop/s", "op/s", "count", "name", "thread", "register", "element", "Hz", "ns", "bit", NULL};
    static const char *const ORIGINS[] = {"vendor", "derived", "measured", "reference", "estimated", NULL};
    static const char *const KINDS[] = {"device", "architecture", NULL}, *const LEVELS[] = {
                                                                             "explicit", "implicit", NULL};
    r->explained = 0;
    check_word(r, attributes, line, "unit", UNITS);
    check_word(r, attributes, line, "origin", ORIGINS);
    check_word(r, attributes, line, "kind", strcmp(name, "target") ? LEVELS : KINDS);
    if (r->explained == line)
        for (size_t i = 0; i < r->complaints.n; i++)
            if (r->complaints.at[i].line == line)
                r->complaints.at[i].message = NULL;
}

static void put_complaints(struct reader *r)
{
    for (size_t i = 0; i < r->complaints.n; i++)
        if (r->complaints.at[i].message)
            refuse(r, r->complaints.at[i].line, "target-schema", "%s", r->complaints.at[i].message);
}

void document_error(tf_ctx *ctx, struct document *document, uint32_t line, const char *code, const char *format, ...)
{
    struct file_text text;
    va_list args;
    if (!document->file && !file_read(ctx, document->path, DOCUMENT_BYTES, &text))
        document->file = source_add(ctx, document->path, text.text, text.length);
    struct tf_loc loc = {.file = document->file, .line = line, .column = 1};
    va_start(args, format);
    diag_v(ctx, &loc, DIAG_ERROR, code, format, args);
    va_end(args);
}

/* ---- reading ------------------------------------------------------------------------------------------------------*/

static int by_path(const void *a, const void *b)
{
    const struct target_fact *x = a, *y = b;
    int order = strcmp(x->path, y->path);
    return order ? order : (x->line > y->line) - (x->line < y->line);
}

static void check_duplicates(struct reader *r)
{
    for (size_t i = 1; i < r->facts.n; i++)
        if (r->facts.at[i].path == r->facts.at[i - 1].path)
            refuse(r, r->facts.at[i].line, "target-duplicate", "fact '%s' is stated twice, first at line %u",
                r->facts.at[i].path, r->facts.at[i - 1].line);
    for (size_t i = 0; i < r->rows.n; i++)
        for (size_t j = 0; j < i; j++) {
            const struct model_row *a = &r->rows.at[i], *b = &r->rows.at[j];
            if (a->what == b->what && a->pipe == b->pipe && (a->name == b->name || !strcmp(a->what, "units")))
                refuse(r, a->line, "target-duplicate", "%s '%s' is stated twice, first at line %u", a->what, a->name,
                    b->line);
        }
}

static void check_names(struct reader *r)
{
    uint32_t key;
    for (size_t i = 0; i < r->rows.n; i++) {
        const struct model_row *row = &r->rows.at[i];
        if (row->pipe && work_key(row->pipe, row->name, &key))
            refuse(r, row->line, "target-name", "unknown %s '%s'", strcmp(row->pipe, "service") ? "dtype" : "service",
                row->name);
    }
}

struct document *document_read(tf_ctx *ctx, const char *path)
{
    struct file_text file;
    size_t before = diag_errors(ctx);
    if (file_read(ctx, path, DOCUMENT_BYTES, &file))
        return NULL;
    xml_read_fn read_xml = (xml_read_fn)module_symbol(ctx, XML_MODULE, XML_ENTRY);
    if (!read_xml)
        return NULL;
    struct document *d = CTX_NEW(ctx, struct document);
    struct reader r = {
        .ctx = ctx, .document = d, .file = source_add(ctx, ctx_intern(ctx, path), file.text, file.length)};
    struct xml_sink sink = {&r, on_element, on_text, on_error, on_invalid};
    d->path = ctx_intern(ctx, path);
    if (!read_xml(file.text, file.length, target_schema, target_schema_length, &sink)) {
        if (r.facts.n)
            qsort(r.facts.at, r.facts.n, sizeof(*r.facts.at), by_path);
        check_duplicates(&r);
        check_names(&r);
    }
    put_complaints(&r);
    d->file = r.file;
    char digest[65];
    sha256_hex(file.text, file.length, digest);
    d->digest = ctx_intern(ctx, digest);
    d->n_facts = (uint32_t)r.facts.n;
    d->facts = arena_copy(&ctx->arena, r.facts.at, r.facts.n * sizeof(*r.facts.at));
    d->n_rows = (uint32_t)r.rows.n;
    d->rows = arena_copy(&ctx->arena, r.rows.at, r.rows.n * sizeof(*r.rows.at));
    VEC_FREE(&r.facts);
    VEC_FREE(&r.rows);
    VEC_FREE(&r.complaints);
    return diag_errors(ctx) > before ? NULL : d;
}

/* SPDX-License-Identifier: MIT
 * The compiled form of a document: what document_read made of it, as lines of fields, so that the next run needs no XML
 * parser.  It is bound to the document's content by a hash and to this program by a version; anything that does not fit
 * is passed over and the document read again.
 */
#include "target/document.h"

#include "util/buf.h"
#include "util/vec.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC "tilefoundry target 1"
#define FIELD '\x1f'
#define LINE '\x1e'

/* 64-bit FNV-1a over the content: it guards against edits, not against an attacker, who could write the file itself. */
static uint64_t content_key(const char *text, size_t length)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * UINT64_C(1099511628211);
    return hash;
}

static void put(struct buf *out, const char *field)
{
    buf_str(out, field ? field : "");
    buf_char(out, FIELD);
}

static void put_number(struct buf *out, uint64_t number)
{
    buf_printf(out, "%" PRIu64 "%c", number, FIELD);
}

const char *document_compiled(tf_ctx *ctx, const struct document *d, const char *text, size_t length)
{
    struct buf out = {0};
    buf_printf(&out, MAGIC "%c%016" PRIx64 "%c%zu%c%c", FIELD, content_key(text, length), FIELD, length, FIELD, LINE);
    const char *head[] = {d->id, d->kind, d->family, d->architecture, d->title, d->digest};
    for (size_t i = 0; i < sizeof(head) / sizeof(*head); i++)
        put(&out, head[i]);
    put_number(&out, d->n_facts);
    put_number(&out, d->n_rows);
    buf_char(&out, LINE);
    for (uint32_t i = 0; i < d->n_facts; i++) {
        const struct target_fact *f = &d->facts[i];
        const char *fields[] = {f->path, f->value, f->unit, f->origin, f->source, f->conditions};
        for (size_t k = 0; k < sizeof(fields) / sizeof(*fields); k++)
            put(&out, fields[k]);
        put_number(&out, f->number);
        put_number(&out, f->is_number);
        put_number(&out, f->line);
        buf_char(&out, LINE);
    }
    for (uint32_t i = 0; i < d->n_rows; i++) {
        const struct model_row *r = &d->rows[i];
        const char *fields[] = {r->what, r->name, r->pipe, r->scope, r->owner, r->caches, r->fact, r->bandwidth};
        for (size_t k = 0; k < sizeof(fields) / sizeof(*fields); k++)
            put(&out, fields[k]);
        put_number(&out, r->scale);
        put_number(&out, r->is_explicit);
        put_number(&out, r->per_unit);
        put_number(&out, r->line);
        buf_char(&out, LINE);
    }
    const char *kept = arena_strndup(&ctx->arena, buf_text(&out), out.n);
    buf_free(&out);
    return kept;
}

/* ---- reading it back ----------------------------------------------------------------------------------------------*/

struct cursor {
    char *at, *end;
    int failed;
};

/* The next field, terminated in place; NULL for an empty one. */
static const char *take(struct cursor *c)
{
    char *field = c->at;
    char *stop = c->failed ? NULL : memchr(field, FIELD, (size_t)(c->end - field));
    if (!stop) {
        c->failed = 1;
        return NULL;
    }
    *stop = '\0';
    c->at = stop + 1;
    return *field ? field : NULL;
}

static uint64_t take_number(struct cursor *c)
{
    const char *field = take(c);
    return field ? strtoull(field, NULL, 10) : 0;
}

static void take_end(struct cursor *c)
{
    if (c->failed || c->at >= c->end || *c->at != LINE)
        c->failed = 1;
    else
        c->at++;
}

static void take_fact(struct cursor *c, struct target_fact *f)
{
    f->path = take(c);
    f->value = take(c);
    f->unit = take(c);
    f->origin = take(c);
    f->source = take(c);
    f->conditions = take(c);
    f->number = take_number(c);
    f->is_number = (uint32_t)take_number(c);
    f->line = (uint32_t)take_number(c);
    take_end(c);
    c->failed |= !f->path;
}

static void take_row(struct cursor *c, struct model_row *r)
{
    r->what = take(c);
    r->name = take(c);
    r->pipe = take(c);
    r->scope = take(c);
    r->owner = take(c);
    r->caches = take(c);
    r->fact = take(c);
    r->bandwidth = take(c);
    r->scale = take_number(c);
    r->is_explicit = (uint32_t)take_number(c);
    r->per_unit = (uint32_t)take_number(c);
    r->line = (uint32_t)take_number(c);
    take_end(c);
    c->failed |= !r->what || !r->name;
}

static int head_fits(struct cursor *c, const char *text, size_t length)
{
    char key[17];
    snprintf(key, sizeof(key), "%016" PRIx64, content_key(text, length));
    const char *magic = take(c), *stated = take(c);
    uint64_t size = take_number(c);
    take_end(c);
    return !c->failed && magic && stated && !strcmp(magic, MAGIC) && !strcmp(stated, key) && size == length;
}

/* Each fact and row takes at least this many bytes: a bound on what the counts may claim. */
#define LEAST_LINE 10

struct document *document_from_compiled(
    tf_ctx *ctx, const char *path, const char *text, size_t length, char *compiled, size_t compiled_length)
{
    struct cursor c = {compiled, compiled + compiled_length, 0};
    if (!head_fits(&c, text, length))
        return NULL;
    struct document *d = CTX_NEW(ctx, struct document);
    d->path = ctx_intern(ctx, path);
    d->id = take(&c);
    d->kind = take(&c);
    d->family = take(&c);
    d->architecture = take(&c);
    d->title = take(&c);
    d->digest = take(&c);
    uint64_t n_facts = take_number(&c), n_rows = take_number(&c);
    take_end(&c);
    if (c.failed || !d->id || !d->kind || !d->family || n_facts > compiled_length / LEAST_LINE ||
        n_rows > compiled_length / LEAST_LINE)
        return NULL;
    d->id = ctx_intern(ctx, d->id);
    d->family = ctx_intern(ctx, d->family);
    d->n_facts = (uint32_t)n_facts;
    d->n_rows = (uint32_t)n_rows;
    d->facts = CTX_ARRAY(ctx, struct target_fact, n_facts);
    d->rows = CTX_ARRAY(ctx, struct model_row, n_rows);
    for (uint64_t i = 0; i < n_facts && !c.failed; i++)
        take_fact(&c, &d->facts[i]);
    for (uint64_t i = 0; i < n_rows && !c.failed; i++)
        take_row(&c, &d->rows[i]);
    return c.failed ? NULL : d;
}

/* SPDX-License-Identifier: MIT
 * One document as it stands, before its architecture is joined to it.
 */
#ifndef TF_TARGET_DOCUMENT_H
#define TF_TARGET_DOCUMENT_H

#include "target/target.h"

/* A line of the model, by the paths of the facts that it reads; NULL where it does not state one. */
struct model_row {
    const char *what; /* level, units, memory, rate */
    const char *name; /* of a level or memory; of a rate: the dtype or service */
    const char *pipe, *scope, *owner, *caches, *fact, *bandwidth;
    uint64_t scale;
    uint32_t is_explicit, per_unit, line;
};

struct document {
    const char *path, *id, *kind, *family, *architecture, *title, *digest;
    uint32_t n_facts, n_rows;
    uint32_t file; /* of its source, once it was registered for a diagnostic */
    uint32_t _reserved;
    struct target_fact *facts; /* sorted by path */
    struct model_row *rows;    /* in document order */
};

/* The schema's text, made from schemas/target.rng by the build. */
extern const char target_schema[];
extern const size_t target_schema_length;

/* The key of a rate by its pipe and name: a dtype or a service; 0 when it is known. */
int work_key(const char *pipe, const char *name, uint32_t *key);

#define DOCUMENT_BYTES ((size_t)1 << 20)

/* Reads, validates and checks what the grammar cannot say; NULL after diagnostics with lines. */
struct document *document_read(tf_ctx *ctx, const char *path);
/* Joins a device with its architecture (NULL where it names none); NULL after diagnostics. */
struct tf_target *document_join(tf_ctx *ctx, struct document *device, struct document *architecture);

/* An error at a line of the document; the text is read when it was not (a compiled form keeps lines only). */
void document_error(tf_ctx *ctx, struct document *document, uint32_t line, const char *code, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* The compiled form: the same as text lines, keyed by the document's content. */
const char *document_compiled(tf_ctx *ctx, const struct document *document, const char *text, size_t length);
struct document *document_from_compiled(tf_ctx *ctx, const char *path, const char *document_text,
    size_t document_length, char *compiled,
    size_t compiled_length); /* NULL, silently, when it is not of this content or this version */

#endif

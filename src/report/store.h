/* SPDX-License-Identifier: MIT
 * Inside the report: families, lines and records, and what prints them.
 */
#ifndef TF_REPORT_STORE_H
#define TF_REPORT_STORE_H

#include "report/report.h"
#include "report/tree.h"
#include "util/buf.h"
#include "util/vec.h"

struct field { /* of a record's text */
    const char *key, *value;
    uint32_t is_operands;
    struct field *next;
};

struct tf_record {
    struct report *report;
    const char *name;
    struct field *first, *last;
    struct tf_json *json;
    uint32_t scope, index;
    struct tf_record *next; /* of the same function or loop */
};

/* A call's record, complete: there are hundreds of thousands, so it is text.  The JSON text follows the other's end. */
struct sealed {
    struct sealed *next; /* of the same call */
    const char *name;
    uint32_t json_length;
    char text[]; /* name and fields, as a note shows them */
};

struct line {
    const char *text;
    struct line *next;
};

struct family {
    const char *name;
    uint32_t order, is_wanted;
    const void *published;
    struct line *first, *last;          /* summary lines */
    const struct tf_analyzer *analyzer; /* NULL until it runs */
    const char *plugin, *version;
};

struct report {
    tf_ctx *ctx;
    struct report_options options;
    const struct tf_program *program;
    VEC(struct family *) families; /* executed order */
    const char *last_family;       /* the one that was asked for last: a call's records come in runs */
    struct family *last;
    struct line *extra, *last_extra;    /* lines that no family gave */
    struct tf_record *function, *whole; /* records of the function, of the report */
    struct sealed **calls;              /* by position */
    struct tf_record **loops;           /* by loop */
    struct tf_record open;              /* the call's record that is being filled; no name: none is */
    struct buf open_text;               /* what is in it so far */
    struct arena scratch;               /* its JSON */
    struct buf text;                    /* of a note */
    const struct json_module *json;
    int failed;
    /* where calls stand in the printed program */
    const char **printed_name;
    size_t *printed_line;
};

/* Families by their order among all families: the order of lines and records. */
struct family *const *report_sorted(struct report *report);
/* Completes the record that is open. */
void report_seal(struct report *report);
const struct json_module *report_json_module(struct report *report);

/* "; a; b" after a type: records of a node, or NULL. */
const char *report_note(void *data, const struct tf_node *node);
/* ` key=value`, or `=value` without a key */
void record_print_field(struct buf *out, const char *key, const char *value);

#endif

/* SPDX-License-Identifier: MIT
 * What the host table's report functions are: implemented by the report (report/records.c), declared here because the
 * report stands above the plugin host.  All of them do nothing (or say no) outside a run of analyzers.
 */
#ifndef TF_PLUGIN_RECORDS_H
#define TF_PLUGIN_RECORDS_H

#include "util/ctx.h"

#include <stdarg.h>

int report_wants_json(tf_ctx *ctx);
int report_wants(tf_ctx *ctx, const char *family);
void report_publish(tf_ctx *ctx, const char *family, const void *data);
const void *report_published(tf_ctx *ctx, const char *family);

void report_line(tf_ctx *ctx, const char *family, const char *format, ...) TF_PRINTF(3, 4);
void report_advisory(tf_ctx *ctx, const char *family, const char *format, ...) TF_PRINTF(3, 4);

struct tf_record *report_record(tf_ctx *ctx, const char *family, const char *name, uint32_t scope, uint32_t index);
void record_text(struct tf_record *record, const char *key, const char *value);
void record_operands(struct tf_record *record, const char *key, const char *value);
struct tf_json *record_json(struct tf_record *record);
struct tf_json *record_array(struct tf_record *record);

struct tf_json *json_object(struct tf_json *in, const char *key);
struct tf_json *json_array(struct tf_json *in, const char *key);
void json_int(struct tf_json *in, const char *key, int64_t value);
void json_uint(struct tf_json *in, const char *key, uint64_t value);
void json_text(struct tf_json *in, const char *key, const char *value);
void json_bool(struct tf_json *in, const char *key, int value);
void json_null(struct tf_json *in, const char *key);

#endif

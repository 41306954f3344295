/* SPDX-License-Identifier: MIT
 * The report as JSON: two columns a level, keys in the order in which they are written, numbers as Python shows them.
 */
#include "check/check.h"

#include "type/type.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- writing ------------------------------------------------------------------------------------------------------*/

struct writer {
    struct buf *out;
    unsigned depth;
    int is_empty; /* of the object or array that is open */
};

static void put_utf16(struct buf *out, uint32_t point)
{
    if (point >= 0x10000)
        buf_printf(out, "\\u%04x\\u%04x", 0xd800 + ((point - 0x10000) >> 10), 0xdc00 + ((point - 0x10000) & 0x3ff));
    else
        buf_printf(out, "\\u%04x", point);
}

/* One character of UTF-8; bytes that are none become U+FFFD. */
static const char *put_character(struct buf *out, const char *at)
{
    unsigned char first = (unsigned char)*at++;
    unsigned more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : first >= 0xc0 ? 1 : 0;
    if (first < 0x80) {
        const char *escape = first == '"' ? "\\\"" : first == '\\' ? "\\\\" : first == '\n' ? "\\n" : NULL;
        if (escape)
            buf_str(out, escape);
        else if (first < 0x20 || first == 0x7f)
            put_utf16(out, first);
        else
            buf_char(out, (char)first);
        return at;
    }
    uint32_t point = more ? first & (0x3fu >> more) : 0xfffd;
    for (unsigned i = 0; i < more; i++, at++) {
        if (((unsigned char)*at & 0xc0) != 0x80) {
            point = 0xfffd;
            break;
        }
        point = point << 6 | ((unsigned char)*at & 0x3f);
    }
    put_utf16(out, point > 0x10ffff ? 0xfffd : point);
    return at;
}

static void put_text(struct buf *out, const char *text)
{
    buf_char(out, '"');
    while (*text)
        text = put_character(out, text);
    buf_char(out, '"');
}

/* What stands before a value: the comma, the line, the key. */
static void begin_value(struct writer *w, const char *key)
{
    if (w->depth)
        buf_printf(w->out, "%s\n%*s", w->is_empty ? "" : ",", (int)(2 * w->depth), "");
    w->is_empty = 0;
    if (key) {
        put_text(w->out, key);
        buf_str(w->out, ": ");
    }
}

static void open_value(struct writer *w, const char *key, char bracket)
{
    begin_value(w, key);
    buf_char(w->out, bracket);
    w->depth++;
    w->is_empty = 1;
}

static void close_value(struct writer *w, char bracket)
{
    w->depth--;
    if (!w->is_empty)
        buf_printf(w->out, "\n%*s", (int)(2 * w->depth), "");
    buf_char(w->out, bracket);
    w->is_empty = 0;
}

static void text_value(struct writer *w, const char *key, const char *text)
{
    begin_value(w, key);
    if (text)
        put_text(w->out, text);
    else
        buf_str(w->out, "null");
}

static void whole_value(struct writer *w, const char *key, int64_t value)
{
    begin_value(w, key);
    buf_printf(w->out, "%" PRId64, value);
}

static void truth_value(struct writer *w, const char *key, int value)
{
    begin_value(w, key);
    buf_str(w->out, value ? "true" : "false");
}

/* The fewest digits that read back as the value: 0.1, 12548.9, 1e-06, 2.0 */
static void number_text(char *text, size_t room, double value)
{
    char digits[40];
    int precision = 0;
    if (!isfinite(value)) {
        snprintf(text, room, "%s", isnan(value) ? "NaN" : value < 0 ? "-Infinity" : "Infinity");
        return;
    }
    do
        snprintf(digits, sizeof(digits), "%.*e", precision++, value);
    while (strtod(digits, NULL) != value && precision < 17);
    int exponent = atoi(strchr(digits, 'e') + 1);
    if (exponent < -4 || exponent >= 16) {
        snprintf(text, room, "%.*g", precision, value);
        return;
    }
    int decimals = precision - 1 - exponent;
    snprintf(text, room, "%.*f", decimals > 0 ? decimals : 1, value);
}

static void number_value(struct writer *w, const char *key, double value)
{
    char text[64];
    number_text(text, sizeof(text), value);
    begin_value(w, key);
    buf_str(w->out, text);
}

/* ---- parts of the report ------------------------------------------------------------------------------------------*/

static void put_shape(struct writer *w, const struct tensor_shape *shape)
{
    open_value(w, "shape", '[');
    for (uint32_t i = 0; i < shape->rank; i++)
        whole_value(w, NULL, shape->extents[i]);
    close_value(w, ']');
}

static void put_finding(struct writer *w, const struct output_finding *output, const struct finding *finding)
{
    const struct tf_predicate *predicate = finding->asked->predicate;
    const struct tf_judgement *judgement = &finding->judgement;
    open_value(w, NULL, '{');
    text_value(w, "fn", predicate->name);
    for (size_t i = 0; i < predicate->n_bounds; i++)
        number_value(w, predicate->bounds[i].name, finding->asked->bounds[i]);
    for (uint32_t i = 0; i < judgement->n_values; i++)
        number_value(w, judgement->keys[i], judgement->values[i]);
    truth_value(w, "passed", (int)judgement->passed);
    if (judgement->note)
        text_value(w, "note", judgement->note);
    if (judgement->detail)
        text_value(w, "detail", judgement->detail);
    if (finding->where) {
        open_value(w, "worst", '{');
        begin_value(w, "index");
        buf_str(w->out, finding->where);
        number_value(w, "candidate", finding->candidate);
        if (output->has_reference)
            number_value(w, "reference", finding->reference);
        if (finding->has_enclosure) {
            number_value(w, "lo", finding->lo);
            number_value(w, "hi", finding->hi);
        }
        close_value(w, '}');
    }
    close_value(w, '}');
}

static void put_arbiter(struct writer *w, const struct arbiter_finding *arbiter)
{
    open_value(w, "arbiter", '{');
    number_value(w, "candidate_error", arbiter->candidate_error);
    number_value(w, "reference_error", arbiter->reference_error);
    text_value(w, "nearer", arbiter->nearer);
    open_value(w, "worst", '[');
    for (size_t i = 0; i < arbiter->n_worst; i++) {
        const struct arbiter_worst *worst = &arbiter->worst[i];
        open_value(w, NULL, '{');
        begin_value(w, "index");
        buf_str(w->out, worst->where);
        number_value(w, "candidate", worst->candidate);
        number_value(w, "reference", worst->reference);
        number_value(w, "truth", worst->truth);
        begin_value(w, "codes");
        buf_printf(w->out, "%" PRIu64, worst->codes);
        close_value(w, '}');
    }
    close_value(w, ']');
    close_value(w, '}');
}

static void put_output(struct writer *w, const struct output_finding *output)
{
    open_value(w, NULL, '{');
    text_value(w, "path", output->path);
    put_shape(w, &output->shape);
    text_value(w, "dtype", dtype_info(output->shape.dtype)->name);
    if (output->has_reference)
        number_value(w, "ref_norm", output->norm);
    else
        text_value(w, "ref_norm", NULL);
    open_value(w, "fns", '[');
    for (size_t i = 0; i < output->n_findings; i++)
        put_finding(w, output, &output->findings[i]);
    close_value(w, ']');
    if (output->has_reference) {
        open_value(w, "mutants", '[');
        for (size_t i = 0; i < output->n_mutants; i++) {
            open_value(w, NULL, '{');
            text_value(w, "name", output->mutants[i].name);
            truth_value(w, "gross", (int)output->mutants[i].is_gross);
            text_value(w, "killed_by", output->mutants[i].killed_by);
            close_value(w, '}');
        }
        close_value(w, ']');
    }
    if (output->arbiter)
        put_arbiter(w, output->arbiter);
    close_value(w, '}');
}

static void put_variant(struct writer *w, const struct variant_shown *variant)
{
    if (!variant) {
        text_value(w, "variant", NULL);
        return;
    }
    open_value(w, "variant", '{');
    text_value(w, "display_name", variant->label);
    text_value(w, "signature", variant->signature);
    open_value(w, "ranges", '[');
    open_value(w, NULL, '{');
    text_value(w, "dim", variant->dim);
    whole_value(w, "lo", variant->lo);
    whole_value(w, "hi", variant->hi);
    close_value(w, '}');
    close_value(w, ']');
    close_value(w, '}');
}

static void put_names(struct writer *w, const char *key, const char *const *names, size_t n)
{
    open_value(w, key, '[');
    for (size_t i = 0; i < n; i++)
        text_value(w, NULL, names[i]);
    close_value(w, ']');
}

static void put_file(struct writer *w, const struct file_shown *file)
{
    open_value(w, NULL, '{');
    text_value(w, "path", file->path);
    whole_value(w, "tensor_count", (int64_t)file->n);
    open_value(w, "structure", '[');
    for (size_t i = 0; i < file->n; i++) {
        open_value(w, NULL, '{');
        begin_value(w, "path");
        buf_printf(w->out, file->n > 1 ? "\"output[%zu]\"" : "\"output\"", i);
        text_value(w, "dtype", dtype_info(file->tensors[i].dtype)->name);
        put_shape(w, &file->tensors[i]);
        close_value(w, '}');
    }
    close_value(w, ']');
    close_value(w, '}');
}

static void put_inputs(struct writer *w, tf_ctx *ctx, const struct run_finding *run)
{
    const char *source = run->inputs ? run->inputs : "none";
    if (run->seed >= 0)
        source = arena_format(&ctx->arena, "%s (seed %" PRId64 ")", source, run->seed);
    open_value(w, "inputs", '{');
    open_value(w, "activations", '{');
    text_value(w, "source", source);
    put_names(w, "actual_dtypes", run->actual, run->n_actual);
    put_names(w, "declared_dtypes", run->declared, run->n_declared);
    open_value(w, "files", '[');
    for (size_t i = 0; i < run->n_files; i++)
        put_file(w, &run->files[i]);
    close_value(w, ']');
    close_value(w, '}');
    close_value(w, '}');
}

static void put_conduct(struct writer *w, const struct run_finding *run)
{
    open_value(w, "candidate", '{');
    text_value(w, "kind", run->candidate_kind);
    text_value(w, "name", run->candidate_name);
    text_value(w, "plugin", run->candidate_plugin);
    if (run->candidate_declared)
        text_value(w, "declared", run->candidate_declared);
    close_value(w, '}');
    if (run->memory) {
        open_value(w, "memory", '{');
        whole_value(w, "unwritten", (int64_t)run->memory->unwritten);
        whole_value(w, "canaries", run->memory->canaries);
        truth_value(w, "inputs_changed", (int)run->memory->inputs_changed);
        truth_value(w, "stale", (int)run->memory->stale);
        close_value(w, '}');
    }
    if (run->repeats) {
        open_value(w, "repeats", '{');
        whole_value(w, "runs", run->repeats);
        whole_value(w, "different", run->different);
        close_value(w, '}');
    }
}

static void put_run(struct writer *w, tf_ctx *ctx, const struct run_finding *run)
{
    open_value(w, NULL, '{');
    truth_value(w, "passed", run->verdict == VERDICT_PASS);
    open_value(w, "outputs", '[');
    for (size_t i = 0; i < run->n_outputs; i++)
        put_output(w, &run->outputs[i]);
    close_value(w, ']');
    open_value(w, "dims", '{');
    for (size_t i = 0; i < run->n_dims; i++)
        whole_value(w, run->dims[i].name, run->dims[i].value);
    close_value(w, '}');
    text_value(w, "reference", run->reference);
    put_variant(w, run->variant);
    put_inputs(w, ctx, run);
    text_value(w, "verdict", verdict_text(run->verdict));
    if (run->error) {
        text_value(w, "error", run->error);
        text_value(w, "code", run->error_code);
    }
    if (run->seed >= 0)
        whole_value(w, "seed", run->seed);
    if (run->input_class)
        text_value(w, "class", run->input_class);
    put_conduct(w, run);
    close_value(w, '}');
}

void check_json(tf_ctx *ctx, struct buf *out, const char *source, const struct run_finding *runs, size_t n)
{
    struct writer w = {.out = out};
    enum verdict verdict = worst_verdict(runs, n);
    const char *const *warnings = check_warnings(runs, n);
    open_value(&w, NULL, '{');
    text_value(&w, "target", source);
    open_value(&w, "runs", '[');
    for (size_t i = 0; i < n; i++)
        put_run(&w, ctx, &runs[i]);
    close_value(&w, ']');
    truth_value(&w, "passed", verdict == VERDICT_PASS);
    if (*warnings) {
        open_value(&w, "warnings", '[');
        for (; *warnings; warnings++)
            text_value(&w, NULL, *warnings);
        close_value(&w, ']');
    }
    text_value(&w, "verdict", verdict_text(verdict));
    close_value(&w, '}');
    buf_char(out, '\n');
}

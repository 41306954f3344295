/* SPDX-License-Identifier: MIT
 * The report as JSON.
 */
#include "check/check.h"

#include "type/type.h"
#include "util/json_text.h"

#include <inttypes.h>

/* ---- parts of the report ------------------------------------------------------------------------------------------*/

static void put_shape(struct json_writer *w, const struct tensor_shape *shape)
{
    json_open(w, "shape", '[');
    for (uint32_t i = 0; i < shape->rank; i++)
        json_whole(w, NULL, shape->extents[i]);
    json_close(w, ']');
}

static void put_finding(struct json_writer *w, const struct output_finding *output, const struct finding *finding)
{
    const struct tf_predicate *predicate = finding->asked->predicate;
    const struct tf_judgement *judgement = &finding->judgement;
    json_open(w, NULL, '{');
    json_string(w, "fn", predicate->name);
    for (size_t i = 0; i < predicate->n_bounds; i++)
        json_number(w, predicate->bounds[i].name, finding->asked->bounds[i]);
    for (uint32_t i = 0; i < judgement->n_values; i++)
        json_number(w, judgement->keys[i], judgement->values[i]);
    if (output->walks && output->walks->rows && predicate->judge_enclosed)
        json_whole(w, "walked_rows", (int64_t)output->walks->walked);
    json_truth(w, "passed", (int)judgement->passed);
    if (judgement->note)
        json_string(w, "note", judgement->note);
    if (judgement->detail)
        json_string(w, "detail", judgement->detail);
    if (finding->where) {
        json_open(w, "worst", '{');
        json_begin(w, "index");
        buf_str(w->out, finding->where);
        json_number(w, "candidate", finding->candidate);
        if (output->has_reference)
            json_number(w, "reference", finding->reference);
        if (finding->has_enclosure) {
            json_number(w, "lo", finding->lo);
            json_number(w, "hi", finding->hi);
        }
        json_close(w, '}');
    }
    json_close(w, '}');
}

static void put_arbiter(struct json_writer *w, const struct arbiter_finding *arbiter)
{
    json_open(w, "arbiter", '{');
    json_number(w, "candidate_error", arbiter->candidate_error);
    json_number(w, "reference_error", arbiter->reference_error);
    json_string(w, "nearer", arbiter->nearer);
    json_open(w, "worst", '[');
    for (size_t i = 0; i < arbiter->n_worst; i++) {
        const struct arbiter_worst *worst = &arbiter->worst[i];
        json_open(w, NULL, '{');
        json_begin(w, "index");
        buf_str(w->out, worst->where);
        json_number(w, "candidate", worst->candidate);
        json_number(w, "reference", worst->reference);
        json_number(w, "truth", worst->truth);
        json_begin(w, "codes");
        buf_printf(w->out, "%" PRIu64, worst->codes);
        json_close(w, '}');
    }
    json_close(w, ']');
    json_close(w, '}');
}

static void put_explained(struct json_writer *w, const struct explained *explained)
{
    json_open(w, "explained", '{');
    json_begin(w, "index");
    buf_str(w->out, explained->where);
    json_number(w, "candidate", explained->candidate);
    if (explained->has_reference)
        json_number(w, "reference", explained->reference);
    json_number(w, "lo", explained->lo);
    json_number(w, "hi", explained->hi);
    json_whole(w, "single", (int64_t)explained->single);
    json_open(w, "operations", '[');
    for (size_t i = 0; i < explained->n; i++) {
        const struct explained_line *line = &explained->lines[i];
        json_open(w, NULL, '{');
        json_string(w, "operation", line->operation);
        json_string(w, "place", line->place);
        json_begin(w, "index");
        buf_str(w->out, line->where);
        json_whole(w, "elements", (int64_t)line->elements);
        json_whole(w, "trips", (int64_t)line->trips);
        json_number(w, "lo", line->lo);
        json_number(w, "hi", line->hi);
        json_number(w, "added", line->added);
        json_truth(w, "may_be_nan", line->may_be_nan);
        json_close(w, '}');
    }
    json_close(w, ']');
    json_close(w, '}');
}

static void put_output(struct json_writer *w, const struct output_finding *output)
{
    json_open(w, NULL, '{');
    json_string(w, "path", output->path);
    put_shape(w, &output->shape);
    json_string(w, "dtype", dtype_info(output->shape.dtype)->name);
    if (output->has_reference)
        json_number(w, "ref_norm", output->norm);
    else
        json_string(w, "ref_norm", NULL);
    json_open(w, "fns", '[');
    for (size_t i = 0; i < output->n_findings; i++)
        put_finding(w, output, &output->findings[i]);
    json_close(w, ']');
    if (output->has_reference) {
        json_open(w, "mutants", '[');
        for (size_t i = 0; i < output->n_mutants; i++) {
            json_open(w, NULL, '{');
            json_string(w, "name", output->mutants[i].name);
            json_truth(w, "gross", (int)output->mutants[i].is_gross);
            json_string(w, "killed_by", output->mutants[i].killed_by);
            json_close(w, '}');
        }
        json_close(w, ']');
    }
    if (output->arbiter)
        put_arbiter(w, output->arbiter);
    if (output->explained)
        put_explained(w, output->explained);
    json_close(w, '}');
}

static void put_variant(struct json_writer *w, const struct variant_shown *variant)
{
    if (!variant) {
        json_string(w, "variant", NULL);
        return;
    }
    json_open(w, "variant", '{');
    json_string(w, "display_name", variant->label);
    json_string(w, "signature", variant->signature);
    json_open(w, "ranges", '[');
    json_open(w, NULL, '{');
    json_string(w, "dim", variant->dim);
    json_whole(w, "lo", variant->lo);
    json_whole(w, "hi", variant->hi);
    json_close(w, '}');
    json_close(w, ']');
    json_close(w, '}');
}

static void put_names(struct json_writer *w, const char *key, const char *const *names, size_t n)
{
    json_open(w, key, '[');
    for (size_t i = 0; i < n; i++)
        json_string(w, NULL, names[i]);
    json_close(w, ']');
}

static void put_file(struct json_writer *w, const struct file_shown *file)
{
    json_open(w, NULL, '{');
    json_string(w, "path", file->path);
    json_whole(w, "tensor_count", (int64_t)file->n);
    json_open(w, "structure", '[');
    for (size_t i = 0; i < file->n; i++) {
        json_open(w, NULL, '{');
        json_begin(w, "path");
        buf_printf(w->out, file->n > 1 ? "\"output[%zu]\"" : "\"output\"", i);
        json_string(w, "dtype", dtype_info(file->tensors[i].dtype)->name);
        put_shape(w, &file->tensors[i]);
        json_close(w, '}');
    }
    json_close(w, ']');
    json_close(w, '}');
}

static void put_inputs(struct json_writer *w, tf_ctx *ctx, const struct run_finding *run)
{
    const char *source = run->inputs ? run->inputs : "none";
    if (run->seed >= 0)
        source = arena_format(&ctx->arena, "%s (seed %" PRId64 ")", source, run->seed);
    json_open(w, "inputs", '{');
    json_open(w, "activations", '{');
    json_string(w, "source", source);
    put_names(w, "actual_dtypes", run->actual, run->n_actual);
    put_names(w, "declared_dtypes", run->declared, run->n_declared);
    json_open(w, "files", '[');
    for (size_t i = 0; i < run->n_files; i++)
        put_file(w, &run->files[i]);
    json_close(w, ']');
    json_close(w, '}');
    json_close(w, '}');
}

static void put_conduct(struct json_writer *w, const struct run_finding *run)
{
    json_open(w, "candidate", '{');
    json_string(w, "kind", run->candidate_kind);
    json_string(w, "name", run->candidate_name);
    json_string(w, "plugin", run->candidate_plugin);
    if (run->candidate_declared)
        json_string(w, "declared", run->candidate_declared);
    json_close(w, '}');
    if (run->memory) {
        json_open(w, "memory", '{');
        json_whole(w, "unwritten", (int64_t)run->memory->unwritten);
        json_whole(w, "canaries", run->memory->canaries);
        json_truth(w, "inputs_changed", (int)run->memory->inputs_changed);
        json_truth(w, "stale", (int)run->memory->stale);
        json_close(w, '}');
    }
    if (run->repeats) {
        json_open(w, "repeats", '{');
        json_whole(w, "runs", run->repeats);
        json_whole(w, "different", run->different);
        json_close(w, '}');
    }
}

static void put_run(struct json_writer *w, tf_ctx *ctx, const struct run_finding *run)
{
    json_open(w, NULL, '{');
    json_truth(w, "passed", run->verdict == VERDICT_PASS);
    json_open(w, "outputs", '[');
    for (size_t i = 0; i < run->n_outputs; i++)
        put_output(w, &run->outputs[i]);
    json_close(w, ']');
    json_open(w, "dims", '{');
    for (size_t i = 0; i < run->n_dims; i++)
        json_whole(w, run->dims[i].name, run->dims[i].value);
    json_close(w, '}');
    json_string(w, "reference", run->reference);
    put_variant(w, run->variant);
    put_inputs(w, ctx, run);
    json_string(w, "verdict", verdict_text(run->verdict));
    if (run->error) {
        json_string(w, "error", run->error);
        json_string(w, "code", run->error_code);
    }
    if (run->seed >= 0)
        json_whole(w, "seed", run->seed);
    if (run->input_class)
        json_string(w, "class", run->input_class);
    put_conduct(w, run);
    json_close(w, '}');
}

void check_json(tf_ctx *ctx, struct buf *out, const char *source, const struct run_finding *runs, size_t n)
{
    struct json_writer w = {.out = out};
    enum verdict verdict = worst_verdict(runs, n);
    const char *const *warnings = check_warnings(runs, n);
    json_open(&w, NULL, '{');
    json_string(&w, "target", source);
    json_open(&w, "runs", '[');
    for (size_t i = 0; i < n; i++)
        put_run(&w, ctx, &runs[i]);
    json_close(&w, ']');
    json_truth(&w, "passed", verdict == VERDICT_PASS);
    if (*warnings) {
        json_open(&w, "warnings", '[');
        for (; *warnings; warnings++)
            json_string(&w, NULL, *warnings);
        json_close(&w, ']');
    }
    json_string(&w, "verdict", verdict_text(verdict));
    json_close(&w, '}');
    buf_char(out, '\n');
}

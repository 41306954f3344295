/* SPDX-License-Identifier: MIT
 * The report as text.
 */
#include "check/check.h"

#include "type/type.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define WRAP_COLUMNS 74

/* As %g shows it, NaN without the sign that it has by chance. */
static void put_number(struct buf *out, int digits, double value)
{
    if (isnan(value))
        buf_str(out, "nan");
    else
        buf_printf(out, "%.*g", digits, value);
}

static void put_dtypes(struct buf *out, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        buf_printf(out, "%s%s", i ? ", " : "", names[i]);
    if (!n)
        buf_str(out, "none");
}

/* f32[2, 7168] */
static void put_shape(struct buf *out, const struct tensor_shape *shape, const char *separator)
{
    buf_printf(out, "%s[", dtype_info(shape->dtype)->name);
    for (uint32_t i = 0; i < shape->rank; i++)
        buf_printf(out, "%s%" PRId64, i ? separator : "", shape->extents[i]);
    buf_char(out, ']');
}

static void put_file(struct buf *out, const struct file_shown *file)
{
    const char *slash = strrchr(file->path, '/');
    buf_printf(out, "; %s: %zu tensor(s) %s", slash ? slash + 1 : file->path, file->n, file->n > 1 ? "(" : "");
    for (size_t i = 0; i < file->n; i++) {
        buf_str(out, i ? ", " : "");
        put_shape(out, &file->tensors[i], ", ");
    }
    buf_str(out, file->n > 1 ? ")" : "");
}

static void put_inputs(struct buf *out, const struct run_finding *run)
{
    if (!run->inputs) {
        buf_str(out, "  inputs:    none\n");
        return;
    }
    buf_printf(out, "  inputs:    %s", run->inputs);
    if (run->seed >= 0)
        buf_printf(out, " (seed %" PRId64 ")", run->seed);
    buf_str(out, "; activations actual ");
    put_dtypes(out, run->actual, run->n_actual);
    buf_str(out, " (declared ");
    put_dtypes(out, run->declared, run->n_declared);
    buf_char(out, ')');
    struct buf files = {0};
    for (size_t i = 0; i < run->n_files; i++)
        put_file(&files, &run->files[i]);
    if (files.n)
        buf_printf(out, "; files %s", buf_text(&files) + 2);
    buf_free(&files);
    buf_char(out, '\n');
}

static void put_head(tf_ctx *ctx, struct buf *out, const struct run_finding *run)
{
    for (size_t i = 0; i < run->n_dims; i++)
        buf_printf(out, "%s%s=%" PRId64, i ? ", " : "\n  ", run->dims[i].name, run->dims[i].value);
    buf_str(out, run->n_dims ? "\n" : "");
    if (run->input_class)
        buf_printf(out, "%s  class:     %s\n", run->n_dims ? "" : "\n", run->input_class);
    if (ctx->verbose > 0 && run->candidate_kind)
        buf_printf(out, "  candidate: %s %s\n", run->candidate_kind, run->candidate_name);
    if (ctx->verbose > 0 && run->candidate_declared)
        buf_printf(out, "  declared:  %s\n", run->candidate_declared);
    if (run->reference)
        buf_printf(out, "  reference: %s\n", run->reference);
    if (run->inputs || !run->error)
        put_inputs(out, run);
    const struct variant_shown *variant = run->variant;
    if (variant)
        buf_printf(out, "  variant:   %s%s%s  (%s in [%" PRId64 ", %" PRId64 "))\n",
            variant->label ? variant->label : "", variant->label ? "  " : "", variant->signature, variant->dim,
            variant->lo, variant->hi);
    buf_char(out, '\n');
}

static void put_finding(
    tf_ctx *ctx, struct buf *out, const struct output_finding *output, const struct finding *finding)
{
    const struct tf_predicate *predicate = finding->asked->predicate;
    const struct tf_judgement *judgement = &finding->judgement;
    struct buf stated = {0}, values = {0};
    buf_str(&stated, predicate->name);
    for (size_t i = 0; i < predicate->n_bounds; i++) {
        buf_printf(&stated, "%s%s=", i ? " " : "(", predicate->bounds[i].name);
        put_number(&stated, 6, finding->asked->bounds[i]);
    }
    buf_str(&stated, predicate->n_bounds ? ")" : "");
    for (uint32_t i = 0; i < judgement->n_values; i++) {
        buf_printf(&values, "%s%s ", i ? " " : "", judgement->keys[i]);
        put_number(&values, 6, judgement->values[i]);
    }
    buf_printf(out, "    %-34s %-26s %s\n", buf_text(&stated), buf_text(&values), judgement->passed ? "PASS" : "FAIL");
    buf_free(&stated);
    buf_free(&values);
    if (judgement->note)
        buf_printf(out, "      %s\n", judgement->note);
    if (judgement->detail && ctx->verbose > 0)
        buf_printf(out, "      %s\n", judgement->detail);
    if (predicate->judge_enclosed && output->walks && output->walks->walked < output->walks->rows)
        buf_printf(out,
            "      products: %" PRIu64 " of %" PRIu64 " rows walked step by step, the others bounded coarsely\n",
            output->walks->walked, output->walks->rows);
    if (!finding->where)
        return;
    buf_printf(out, "      at %s: candidate ", finding->where);
    put_number(out, 9, finding->candidate);
    if (output->has_reference) {
        buf_str(out, ", reference ");
        put_number(out, 9, finding->reference);
    }
    if (finding->has_enclosure) {
        buf_str(out, ", admissible [");
        put_number(out, 9, finding->lo);
        buf_str(out, ", ");
        put_number(out, 9, finding->hi);
        buf_char(out, ']');
    }
    buf_char(out, '\n');
}

/* Why the verdict is VACUOUS: the gross mutants that nothing found, or, when fine ones count as well, those. */
static void put_survivors(struct buf *out, const struct output_finding *output)
{
    struct buf names[2] = {{0}, {0}};
    for (size_t i = 0; i < output->n_mutants; i++) {
        struct buf *list = &names[!output->mutants[i].is_gross];
        if (!output->mutants[i].killed_by)
            buf_printf(list, "%s%s", list->n ? ", " : "", output->mutants[i].name);
    }
    buf_printf(out, "      vacuous: these pass as well: %s (the largest magnitude of the reference is %.3g)\n",
        buf_text(&names[!names[0].n]), output->largest);
    buf_free(&names[0]);
    buf_free(&names[1]);
}

static void put_mutants(struct buf *out, const struct output_finding *output)
{
    for (size_t i = 0; i < output->n_mutants; i++) {
        const struct mutant_finding *mutant = &output->mutants[i];
        buf_printf(out, "      mutant %-18s %s%s\n", mutant->name, mutant->killed_by ? "fails " : "passes",
            mutant->killed_by ? mutant->killed_by : "");
    }
}

static void put_arbiter(struct buf *out, const struct arbiter_finding *arbiter)
{
    const char *words = !strcmp(arbiter->nearer, "candidate")   ? "the candidate is more accurate than the reference"
                        : !strcmp(arbiter->nearer, "reference") ? "the reference is more accurate than the candidate"
                                                                : "both are equally accurate";
    buf_str(out, "      against the truth: candidate ");
    put_number(out, 4, arbiter->candidate_error);
    buf_str(out, ", reference ");
    put_number(out, 4, arbiter->reference_error);
    buf_printf(out, "; %s\n", words);
    for (size_t i = 0; i < arbiter->n_worst; i++) {
        const struct arbiter_worst *worst = &arbiter->worst[i];
        buf_printf(out, "      at %s: candidate ", worst->where);
        put_number(out, 9, worst->candidate);
        buf_str(out, ", reference ");
        put_number(out, 9, worst->reference);
        buf_str(out, ", truth ");
        put_number(out, 9, worst->truth);
        buf_printf(out, "; %" PRIu64 " codes apart\n", worst->codes);
    }
}

static void put_interval(struct buf *out, double lo, double hi)
{
    buf_char(out, '[');
    put_number(out, 9, lo);
    buf_str(out, ", ");
    put_number(out, 9, hi);
    buf_char(out, ']');
}

static void put_explained_line(struct buf *out, const struct explained_line *line)
{
    buf_printf(out, "        %-20s %-10s ", line->place, line->operation);
    put_interval(out, line->lo, line->hi);
    buf_printf(out, "%s at %s", line->may_be_nan ? " or NaN" : "", line->where);
    if (line->elements > 1)
        buf_printf(out, ", the widest of %" PRIu64, line->elements);
    if (line->trips > 1)
        buf_printf(out, ", in %" PRIu64 " trips", line->trips);
    buf_str(out, ": width ");
    put_number(out, 4, line->hi > line->lo ? line->hi - line->lo : 0);
    buf_str(out, ", added ");
    if (isnan(line->added))
        buf_str(out, "unknown");
    else
        put_number(out, 4, line->added);
    buf_char(out, '\n');
}

static void put_explained(struct buf *out, const struct explained *explained)
{
    buf_printf(out, "      explained at %s: candidate ", explained->where);
    put_number(out, 9, explained->candidate);
    if (explained->has_reference) {
        buf_str(out, ", reference ");
        put_number(out, 9, explained->reference);
    }
    buf_str(out, ", admissible ");
    put_interval(out, explained->lo, explained->hi);
    buf_char(out, '\n');
    for (size_t i = 0; i < explained->n; i++)
        put_explained_line(out, &explained->lines[i]);
    buf_printf(out, "        and %" PRIu64 " operators on the way give single values\n", explained->single);
}

static void put_output(tf_ctx *ctx, struct buf *out, const struct output_finding *output)
{
    buf_printf(out, "  %s   ", output->path);
    put_shape(out, &output->shape, ",");
    if (output->has_reference) {
        buf_str(out, "   ref_norm ");
        put_number(out, 6, output->norm);
    }
    buf_char(out, '\n');
    for (size_t i = 0; i < output->n_findings; i++)
        put_finding(ctx, out, output, &output->findings[i]);
    if (output->verdict == VERDICT_VACUOUS)
        put_survivors(out, output);
    if (output->arbiter)
        put_arbiter(out, output->arbiter);
    if (output->explained)
        put_explained(out, output->explained);
    if (ctx->verbose > 0)
        put_mutants(out, output);
}

/* What the candidate did with memory, and from run to run: only what is wrong. */
static void put_conduct(struct buf *out, const struct run_finding *run)
{
    for (size_t i = 0; run->memory && i < 4 && run->memory->note[i]; i++)
        buf_printf(out, "  memory:    %s\n", run->memory->note[i]);
    if (run->error)
        buf_printf(out, "  error:     %s [%s]\n", run->error, run->error_code);
    if (run->different)
        buf_printf(out, "  repeats:   %" PRIu32 " of %" PRIu32 " runs on the same inputs gave other bits\n",
            run->different, run->repeats);
}

static void put_warning(struct buf *out, const char *text)
{
    size_t column = 0;
    buf_str(out, "\n  warning: ");
    while (*text) {
        size_t length = strcspn(text, " ");
        if (column && column + 1 + length > WRAP_COLUMNS) {
            buf_str(out, "\n           ");
            column = 0;
        }
        buf_str(out, column ? " " : "");
        buf_add(out, text, length);
        column += length + (column != 0);
        text += length + strspn(text + length, " ");
    }
    buf_char(out, '\n');
}

const char *const *check_warnings(const struct run_finding *runs, size_t n)
{
    static const char *const DRAWN[] = {
        "the inputs are drawn independently of each other.  Where a program expects one to be a function of another, "
        "correct implementations can differ in the last places.  Decide by inputs that belong together: --inputs "
        "files:...",
        "a FAIL says that the two sides differ, not which of them is nearer to the truth: the reference rounds too.",
        NULL};
    int has_reference = 0, is_drawn = 0, has_failed = 0;
    for (size_t i = 0; i < n; i++) {
        has_reference |= runs[i].has_reference;
        is_drawn |= runs[i].seed >= 0;
        for (size_t k = 0; k < runs[i].n_outputs; k++)
            has_failed |= runs[i].outputs[k].verdict == VERDICT_FAIL && runs[i].outputs[k].elements;
    }
    return !has_failed || !has_reference ? DRAWN + 2 : is_drawn ? DRAWN : DRAWN + 1;
}

void check_text(tf_ctx *ctx, struct buf *out, const char *source, const struct run_finding *runs, size_t n)
{
    size_t passed = 0;
    buf_printf(out, "%s\n", source);
    for (size_t i = 0; i < n; i++) {
        put_head(ctx, out, &runs[i]);
        for (size_t k = 0; k < runs[i].n_outputs; k++)
            put_output(ctx, out, &runs[i].outputs[k]);
        put_conduct(out, &runs[i]);
        buf_char(out, '\n');
        passed += runs[i].verdict == VERDICT_PASS;
    }
    buf_str(out, verdict_text(worst_verdict(runs, n)));
    if (n > 1)
        buf_printf(out, "  %zu/%zu", passed, n);
    buf_char(out, '\n');
    for (const char *const *warning = check_warnings(runs, n); *warning; warning++)
        put_warning(out, *warning);
}

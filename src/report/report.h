/* SPDX-License-Identifier: MIT
 * One report: records by family, summary lines, the annotated program; rendered as text or as JSON.
 */
#ifndef TF_REPORT_REPORT_H
#define TF_REPORT_REPORT_H

#include "ir/ir.h"

struct report_options {
    int json, operands;
    const char *const *requested; /* families, in their order */
    size_t n_requested;
};

struct report *report_create(tf_ctx *ctx, const struct report_options *options);
void report_finish(tf_ctx *ctx); /* frees what does not lie in the context's memory */
/* A summary line after those of all families, without the leading "# ". */
void report_extra_line(tf_ctx *ctx, const char *text);

/* Runs the requested analyzers and what they require; 0, or TF_E_* after a diagnostic. */
int report_run(tf_ctx *ctx, const struct tf_program *program);
/* cli.md 3.2, 3.3 and rules.md "Printing", "Output". */
/* Both print `module`, whose one function is the program's. */
void report_text(tf_ctx *ctx, struct buf *out, const struct ir_module *module);
int report_json(tf_ctx *ctx, struct buf *out, const struct ir_module *module);

#endif

/* SPDX-License-Identifier: MIT
 * Measuring a lowered program: how long its launches take, beside others in turn, and what that means for the bytes and
 * operations that it has to do with.
 */
#ifndef TF_BENCH_BENCH_H
#define TF_BENCH_BENCH_H

#include "eval/inputs.h"
#include "front/front.h"
#include "plugin/lowered.h"
#include "util/buf.h"

struct bench_job {
    struct selection selected;
    const char *source, *inputs; /* as typed */
    struct input_plan plan;
    const struct dim_binding *dims;
    size_t n_dims;
    struct lowering_request lowering;
    const char *const *against; /* "path:NAME", a program, or what a twin runs */
    size_t n_against;
    const struct tf_target *target; /* NULL: nothing states rates */
    uint32_t samples;
    int warm, no_check;
};

struct spread {
    double least, low, median, high; /* low and high: quartiles */
};

struct side_finding { /* of one implementation */
    const char *label;
    const char *agreement; /* "the same bits", or the comparison that it passes; NULL: it was not looked at */
    uint32_t n;
    double *ns;
    struct spread time, ratio;      /* ratio: its time by that of the first, round for round */
    const struct tf_timing *timing; /* of the last round */
};

struct bench_finding {
    const char *inputs;
    int64_t seed; /* below 0: nothing was drawn */
    int warm;
    uint32_t rounds;
    size_t n_sides;
    struct side_finding *sides; /* the first is what was asked for */
    double needed, copy;        /* bytes; bytes a second, 0: not known */
    double floor_ns;            /* no launch is faster; 0: nothing says */
    struct tf_figures figures;
    const char *target, *unanalysed; /* id, or NULL; why figures lack, or NULL */
    int is_implausible;
};

/* 0, or TF_E_* after a diagnostic. */
int bench_run(tf_ctx *ctx, const struct bench_job *job, struct bench_finding *finding);
void bench_text(struct buf *out, const struct bench_job *job, const struct bench_finding *finding);
void bench_json(struct buf *out, const struct bench_job *job, const struct bench_finding *finding);

/* From here on the program is a child of itself, so that what runs inside of it may crash: -1 in the child; else the
 * child's exit status, after a diagnostic where it was ended by a signal. */
int bench_apart(tf_ctx *ctx);
/* In between, what is written to stdout goes to stderr. */
int bench_mute(void);
void bench_unmute(int kept);

/* ---- parts --------------------------------------------------------------------------------------------------------*/

struct spread spread_of(tf_ctx *ctx, const double *values, size_t n); /* spread.c; n at least 1 */

/* Bytes that any implementation has to move: what is read of each parameter at least once, and the results
 * (needed.c). */
double needed_bytes(tf_ctx *ctx, const struct tf_program *program);
/* What all analyzers together say; *why: the first reason of one that does not, or NULL (figures.c). */
struct tf_figures figures_of(tf_ctx *ctx, const struct bench_job *job, const char **why);

/* One implementation, open (side.c). */
struct side {
    const char *label;
    const char *declared; /* of its arithmetic, or NULL */
    const struct tf_backend *backend;
    void *module;
    const struct tf_twin *twin;
    void *opened;
    struct tensor **results; /* ends with NULL */
};
/* 0, or TF_E_* after a diagnostic. */
int side_open_lowered(
    tf_ctx *ctx, const struct tf_program *program, const struct lowering_request *request, struct side *side);
int side_open_twin(tf_ctx *ctx, const struct tf_twin *twin, const char *source, struct side *side);
int side_measure(tf_ctx *ctx, struct side *side, const struct tf_tensor *const *args, struct tf_tensor *const *results,
    struct tf_timing *timing); /* the lists end with NULL */
void side_close(tf_ctx *ctx, struct side *side);

/* Whether results are what the function says: bit for bit, else by every comparison that computes its bound itself.
 * 0 with *agreement set, or TF_E_* after a diagnostic (agree.c). */
struct truth {
    const struct tf_function *function;
    const struct ir_module *module;
    uint64_t seed;
    struct tensor *const *params;
    struct tensor_memory *memory;
    uint32_t fp8_overflow;
    struct tensor **reference;
    size_t n;
};
int agree(tf_ctx *ctx, const struct truth *truth, const struct side *side, const char **agreement);

#endif

/* SPDX-License-Identifier: MIT
 *
 * A program that works row by row, as a list of steps: what each is made of, over what it varies, and what it is in a
 * normalisation.  Steps come after those that they use.
 */
#ifndef FUSED_NORM_ROWS_H
#define FUSED_NORM_ROWS_H

#include <tilefoundry/plugin.h>

#include <stddef.h>

#define MOST_STEPS 96
#define NO_STEP UINT32_MAX

enum step_op {
    STEP_PARAM,
    STEP_NUMBER,
    STEP_CAST,
    STEP_SQUARE,
    STEP_ABS,
    STEP_RSQRT,
    STEP_EXP2,
    STEP_LOG2,
    STEP_CEIL,
    STEP_ROUND,
    STEP_CLAMP,
    STEP_ADD,
    STEP_SUB,
    STEP_MUL,
    STEP_DIV,
    STEP_MIN,
    STEP_MAX,
    STEP_EQ,
    STEP_WHERE,
    STEP_SUM,
    STEP_MEAN,
    STEP_LARGEST,
    STEP_ABS_MAX
};

/* What a value differs over; the order is that of width: an operation on two gives the wider. */
enum span {
    SPAN_ONE,   /* a number */
    SPAN_LANE,  /* an element of a row, for all rows alike: weights */
    SPAN_ROW,   /* one for each row */
    SPAN_GROUP, /* one for each group of a row */
    SPAN_EACH   /* every element */
};

struct step {
    enum step_op op;
    enum span span;
    uint32_t n_in, in[3];
    uint32_t dtype;
    uint32_t param;           /* PARAM: its index */
    double number, low, high; /* NUMBER; CLAMP: its bounds, infinite where there is none */
    int is_written;           /* stands in the program, so that node's operands are this step's */
    const struct tf_node *node;
    uint64_t roles; /* bit set: what it may be in a normalisation */
    uint32_t base;  /* the step that it is but for rounding, or that a statistic is of */
};

struct rows {
    tf_ctx *ctx;
    const struct tf_program *program;
    struct step *steps;
    uint32_t n_steps, n_outputs, *outputs, *output_dtypes; /* step of each result, and what it is given as */
    size_t count, length, group; /* rows, their elements, those of a group (0: there are no groups) */
    const char *why;             /* the reason of a refusal */
    const struct tf_loc *loc;
};

int rows_refuse(struct rows *r, const struct tf_node *node, const char *why);
/* Reads the program's function as steps, without their roles; TF_E_UNSUPPORTED with the reason in r->why. */
int rows_read(struct rows *r);
/* Over what each step varies, and that operands stand beside each other as that says. */
int rows_measure(struct rows *r);
/* What each is in a normalisation; refuses what is none. */
int rows_judge(struct rows *r);
/* The number as a number of the dtype. */
double rows_rounded(uint32_t dtype, double number);

int norm_match(tf_ctx *ctx, const struct tf_program *program, void **match);
int norm_eval(tf_ctx *ctx, void *match, const struct tf_eval *eval);
int norm_lower(tf_ctx *ctx, void *match, const char *backend, struct tf_artifact *artifact);
const char *norm_declares(tf_ctx *ctx, void *match, const char *backend);
const char *norm_why(tf_ctx *ctx, const struct tf_program *program, const struct tf_loc **loc);

/* Roles of steps. */
#define ROLE_INPUT (UINT64_C(1) << 0)     /* what is normalised */
#define ROLE_WEIGHT (UINT64_C(1) << 1)    /* of a row, for all rows */
#define ROLE_NUMBER (UINT64_C(1) << 2)    /* written in the program */
#define ROLE_TOTAL (UINT64_C(1) << 3)     /* sum of the input */
#define ROLE_MEAN (UINT64_C(1) << 4)      /* its mean */
#define ROLE_CENTERED (UINT64_C(1) << 5)  /* the input less its mean */
#define ROLE_SQUARED (UINT64_C(1) << 6)   /* squares of the input */
#define ROLE_SPREAD (UINT64_C(1) << 7)    /* squares of what is centered */
#define ROLE_SQUARES (UINT64_C(1) << 8)   /* sum of squares of the input */
#define ROLE_SPREADS (UINT64_C(1) << 9)   /* sum of squares of what is centered */
#define ROLE_POWER (UINT64_C(1) << 10)    /* mean of the squares of the input */
#define ROLE_SHIFT (UINT64_C(1) << 11)    /* the mean squared */
#define ROLE_VARIANCE (UINT64_C(1) << 12) /* mean of the squares of what is centered */
#define ROLE_INVERSE (UINT64_C(1) << 13)  /* 1 by the root of the power */
#define ROLE_STEEP (UINT64_C(1) << 14)    /* 1 by the root of the variance */
#define ROLE_RMS (UINT64_C(1) << 15)      /* root of the power */
#define ROLE_DEVIATION (UINT64_C(1) << 16)
#define ROLE_NORMED (UINT64_C(1) << 17)
#define ROLE_SIZE (UINT64_C(1) << 18)    /* magnitude of what is normed */
#define ROLE_LARGEST (UINT64_C(1) << 19) /* of a group */
#define ROLE_SCALE (UINT64_C(1) << 20)
#define ROLE_ZERO (UINT64_C(1) << 21) /* whether a group is nothing */
#define ROLE_RECIPROCAL (UINT64_C(1) << 22)
#define ROLE_QUOTIENT (UINT64_C(1) << 23)
#define ROLE_CODES (UINT64_C(1) << 24)

#endif

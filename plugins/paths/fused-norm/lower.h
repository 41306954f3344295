/* SPDX-License-Identifier: MIT
 *
 * Writing the kernel of a normalisation: what is computed in which loop, and how it is written.
 *
 * In the made code v4 is step 4 of one element, s4 of a row, g4 of a group; i counts a row's elements, j a group's.
 */
#ifndef FUSED_NORM_LOWER_H
#define FUSED_NORM_LOWER_H

#include "pathkit.h"
#include "rows.h"

/* A row is gone over once for each sum that has to be known before the next, then once whole, or group by group. */
struct plan {
    const struct rows *rows;
    uint32_t stage[MOST_STEPS]; /* how many loops of sums go before the step */
    uint32_t last;              /* the stage after all sums */
    uint32_t kept;              /* step that is held in memory between the loops, or NO_STEP */
    uint8_t is_output[MOST_STEPS];
    uint8_t is_held[MOST_STEPS]; /* of a group, from the loop that finds its largest to the one that divides */
    uint8_t is_made[MOST_STEPS]; /* weights that are made into floats beforehand */
    uint32_t n_held, n_made;
    uint32_t largest; /* step that is the largest magnitude of a group, or NO_STEP */
    uint32_t divided,
        codes; /* the step that is divided by a group's scale, and what it ends as: NO_STEP where the loop for
                              * codes is of more than a quotient, clamped or not */
    uint32_t scale;
    int is_uncut; /* divided is held without its last bits cut off, which only it needs */
    size_t tile;  /* groups whose largest are found before the first is divided */
    int is_bf16;  /* NaN, where there is one, has none of the bits that bf16 cuts off */
};

enum loop {
    LOOP_FILL,  /* what is kept, and outputs that need no sum more */
    LOOP_SUM,   /* groups of eight added up */
    LOOP_WHOLE, /* what is normed */
    LOOP_CODES  /* what is divided by the group's scale */
};

#define AT_HAND 2

void plan_make(struct plan *plan, const struct rows *rows);
/* For a loop that computes the wanted steps: of all steps, 1 those to compute, AT_HAND those to read from memory. */
void plan_needs(const struct plan *plan, enum loop loop, uint32_t stage, const uint8_t *wanted, uint8_t *needed);

/* How a step is computed from its operands, and the element that is stored for a value of the dtype. */
const char *compute_text(tf_ctx *ctx, const struct plan *plan, uint32_t step);
const char *value_text(tf_ctx *ctx, const struct plan *plan, uint32_t step);
const char *stored_text(tf_ctx *ctx, uint32_t dtype, const char *value);
const char *element_type(uint32_t dtype);

/* The same in CUDA C++, of operands that are named, without the rounding to the step's dtype (NULL: there is none) and
 * with it. */
const char *device_text(tf_ctx *ctx, const struct plan *plan, uint32_t step, const char *const *in);
const char *rounded_step_text(tf_ctx *ctx, const struct plan *plan, uint32_t step, const char *const *in);
/* The kernel for cuda-h200; TF_E_UNSUPPORTED: rows.cu has no place for something in the program. */
int norm_lower_cuda(tf_ctx *ctx, const struct plan *plan, struct tf_artifact *artifact);

/* Adds the code after the functions that it calls. */
void numbers_add(struct pk_text *out, const char *code);

/* The function of one row. */
void row_add(struct pk_text *out, const struct plan *plan);
/* Floats that it works in. */
size_t row_room(const struct plan *plan);

#endif

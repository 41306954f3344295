/* SPDX-License-Identifier: MIT
 * Random inputs as PyTorch's CUDA generator makes them: Philox 4x32 with 10 rounds, counted by thread, so that the stream
 * depends on how many threads the device runs at once.  Words, integers and uniforms are the device's bit for bit; normal
 * draws use exact logarithms, sines and cosines where the device has approximations, and differ in their last places.
 */
#ifndef TF_EVAL_DRAW_H
#define TF_EVAL_DRAW_H

#include "eval/tensor.h"

struct generator {
    uint64_t seed, offset;
    uint64_t threads; /* that the device runs at once; 0: as many as there are elements */
};

enum draw_kind { DRAW_DEFAULT, DRAW_NORMAL, DRAW_UNIFORM, DRAW_INT, DRAW_CONST, DRAW_ADVERSARIAL };

struct draw {
    enum draw_kind kind;
    double low, high; /* of uniform: [low, high) */
    int64_t from, to; /* of int: [from, to) */
    double value;     /* of const */
    /* of adversarial: which class, elements that share a scale (0: not known), and the dtype that outputs round to */
    uint32_t adversary, rounded_to;
    int64_t group;
};

/* Reads "normal", "uniform(a,b)", "int(a,b)", "const(v)", "adversarial", "adversarial:CLASS"; not 0 when the text is
 * none of them. */
int draw_parse(const char *text, struct draw *draw);

/* Fills the tensor.  By default floats are normal, integers 0 to 7, bool 0 or 1.  Numbers are drawn in f32 (integers in
 * i64) and converted.  An empty tensor, or a constant, draws nothing.  0, or TF_E_* after a diagnostic. */
int draw_fill(
    tf_ctx *ctx, struct generator *generator, const struct draw *draw, struct tensor *tensor, uint32_t fp8_overflow);

#endif

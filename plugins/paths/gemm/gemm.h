/* SPDX-License-Identifier: MIT
 *
 * Products of matrices with what follows them element by element: what a match says, and its halves.
 */
#ifndef GEMM_H
#define GEMM_H

#include <tilefoundry/plugin.h>

#include <stddef.h>

/* Where a tensor's element lies, by an index that counts a box of extents in row-major order: along axis i it goes on by
 * stride[i], 0 where it is broadcast. */
struct gemm_walk {
    uint32_t rank;
    size_t extent[TF_MAX_RANK], stride[TF_MAX_RANK];
};

struct gemm_operand {
    uint32_t param, dtype;   /* as it lies in memory */
    size_t line, step;       /* from a row of the left one, or a column of the right one, to the next; and along K */
    struct gemm_walk matrix; /* by the batch: the first element of its matrix */
};

/* How rows of the left operand become codes before the product, where they do: x / scale is clamped and cast, and the
 * scale comes of the row's largest magnitude by steps of f32. */
#define GEMM_STEPS 4
struct gemm_quant {
    uint32_t codes; /* dtype */
    int is_clamped; /* to the largest code, and its negative */
    const struct tf_node *scale;
    uint32_t n_steps;
    struct {
        const char *kind; /* "mul", "div", "max" */
        float number;
    } steps[GEMM_STEPS];
};

#define GEMM_VALUES 32

enum gemm_kind { GEMM_PRODUCT, GEMM_PARAM, GEMM_SCALE, GEMM_NUMBER, GEMM_OPERATION };

/* A value of which each element of the result has one. */
struct gemm_value {
    enum gemm_kind kind;
    uint32_t dtype;
    const struct tf_node *node; /* of an operation */
    uint32_t n_in, in[2];       /* the values that it is of */
    uint32_t param;             /* of a parameter, by walk over the result, as of scales */
    struct gemm_walk walk;
    double number;
};

struct gemm {
    const struct tf_program *program;
    struct gemm_operand left, right;
    size_t batches, m, n, k;
    int quantises; /* rows of the left operand */
    struct gemm_quant quant;
    uint32_t n_values;
    struct gemm_value values[GEMM_VALUES]; /* each after those that it is of; the last one is the result */
};

int gemm_match(tf_ctx *ctx, const struct tf_program *program, void **match);
const char *gemm_why(tf_ctx *ctx, const struct tf_program *program, const struct tf_loc **loc);
int gemm_eval(tf_ctx *ctx, void *match, const struct tf_eval *eval);
int gemm_lower(tf_ctx *ctx, void *match, const char *backend, struct tf_artifact *artifact);
int gemm_lower_f32(tf_ctx *ctx, void *match, const char *backend, struct tf_artifact *artifact);
const char *gemm_declares(tf_ctx *ctx, void *match, const char *backend);
const char *gemm_declares_f32(tf_ctx *ctx, void *match, const char *backend);

/* The operation's word: "add", "relu", "gelu-erf"; NULL: none that the path has. */
const char *gemm_word(const struct tf_node *node);

/* The largest number of a dtype of codes. */
static inline float gemm_limit(uint32_t codes)
{
    return codes == TF_DTYPE_FP8E4M3 ? 448.0f : 57344.0f;
}

/* The walk's element at an index. */
static inline size_t gemm_at(const struct gemm_walk *walk, size_t index)
{
    size_t at = 0;
    for (uint32_t axis = walk->rank; axis-- > 0; index /= walk->extent[axis])
        at += index % walk->extent[axis] * walk->stride[axis];
    return at;
}

/* The first axis of those that a row of `n` elements is made of; past the last one where no axes are. */
static inline uint32_t gemm_columns(const struct gemm_walk *walk, size_t n)
{
    size_t size = 1;
    uint32_t axis = walk->rank;
    while (axis > 0 && size < n)
        size *= walk->extent[--axis];
    return size == n ? axis : walk->rank + 1;
}

#endif

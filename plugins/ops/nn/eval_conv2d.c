/* SPDX-License-Identifier: MIT
 * Values of conv2d: for each element the products in the order of channel, row and column of the weight, then the bias,
 * folded in f64 and rounded once; of integers in 64 bits, to wrap.
 */
#include "conv2d_taps.h"
#include "eval.h"

/* Integers are folded in 64 bits and wrap, which is what unsigned ones do. */
#define CONVOLVE(kind, type, load, store)                                                                              \
    static type window_##kind(const struct taps *t, const type *image, const type *weight, size_t y, size_t x)         \
    {                                                                                                                  \
        type sum = 0;                                                                                                  \
        size_t at;                                                                                                     \
        for (size_t c = 0; c < t->each; c++)                                                                           \
            for (size_t r = 0; r < t->rows; r++)                                                                       \
                for (size_t k = 0; k < t->columns; k++)                                                                \
                    if (taps_reach(t, c, y, r, x, k, &at))                                                             \
                        sum += image[at] * weight[(c * t->rows + r) * t->columns + k];                                 \
        return sum;                                                                                                    \
    }                                                                                                                  \
    static void convolve_##kind(const struct tf_eval *e, const struct taps *t, type *input, type *weight, type *row)   \
    {                                                                                                                  \
        const struct tf_tensor *out = e->results[0];                                                                   \
        size_t images = (size_t)out->extents[0], outputs = (size_t)out->extents[1], height = (size_t)out->extents[2],  \
               width = (size_t)out->extents[3], at = 0;                                                                \
        load(e, e->args[0], 0, ek_count(e->args[0]), (void *)input);                                                   \
        load(e, e->args[1], 0, ek_count(e->args[1]), (void *)weight);                                                  \
        for (size_t image = 0; image < images; image++)                                                                \
            for (size_t o = 0; o < outputs; o++) {                                                                     \
                size_t group = o / (outputs / t->groups);                                                              \
                const type *from = input + (image * t->channels + group * t->each) * t->height * t->width;             \
                type bias;                                                                                             \
                load(e, e->args[2], o, 1, (void *)&bias);                                                              \
                for (size_t y = 0; y < height; y++, at += width) {                                                     \
                    for (size_t x = 0; x < width; x++)                                                                 \
                        row[x] = window_##kind(t, from, weight + o * t->each * t->rows * t->columns, y, x) + bias;     \
                    store(e, out, at, width, (const void *)row);                                                       \
                }                                                                                                      \
            }                                                                                                          \
    }
CONVOLVE(f64, double, ek_load, ek_store)
CONVOLVE(i64, uint64_t, ek_load_i64, ek_store_i64)

int eval_conv2d(tf_ctx *ctx, const struct tf_eval *eval)
{
    const struct tf_tensor *input = eval->args[0], *weight = eval->args[1];
    struct taps t = taps_of(eval);
    int is_float = ok_is_float(input->dtype);
    if (eval->mode == TF_EVAL_BOUND && is_float)
        return bound_conv2d(ctx, eval);
    int begun = ak_begin(eval);
    if (begun)
        return begun;
    void *values = ek_scratch(ek_count(input), sizeof(double)), *taps = ek_scratch(ek_count(weight), sizeof(double)),
         *row = ek_scratch((size_t)eval->results[0]->extents[3], sizeof(double));
    int rc = values && taps && row ? TF_OK : TF_E_NOMEM;
    if (rc == TF_OK && ek_count(eval->results[0])) {
        if (is_float)
            convolve_f64(eval, &t, values, taps, row);
        else
            convolve_i64(eval, &t, values, taps, row);
    }
    free(values);
    free(taps);
    free(row);
    return rc;
}

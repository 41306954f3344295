/* SPDX-License-Identifier: MIT
 * Values of conv2d: for each element the products in the order of channel, row and column of the weight, then the bias,
 * folded in f64 and rounded once.
 */
#include "conv2d_taps.h"
#include "eval.h"

static double window(const struct taps *t, const double *image, const double *weight, size_t y, size_t x)
{
    double sum = 0;
    size_t at;
    for (size_t c = 0; c < t->each; c++)
        for (size_t r = 0; r < t->rows; r++)
            for (size_t k = 0; k < t->columns; k++)
                if (taps_reach(t, c, y, r, x, k, &at))
                    sum += image[at] * weight[(c * t->rows + r) * t->columns + k];
    return sum;
}

static void convolve(
    const struct tf_eval *e, const struct taps *t, const double *input, const double *weight, double *row)
{
    const struct tf_tensor *out = e->results[0];
    size_t images = (size_t)out->extents[0], outputs = (size_t)out->extents[1], height = (size_t)out->extents[2],
           width = (size_t)out->extents[3], at = 0;
    for (size_t image = 0; image < images; image++)
        for (size_t o = 0; o < outputs; o++) {
            size_t group = o / (outputs / t->groups);
            const double *from = input + (image * t->channels + group * t->each) * t->height * t->width;
            double bias;
            ek_load(e, e->args[2], o, 1, &bias);
            for (size_t y = 0; y < height; y++, at += width) {
                for (size_t x = 0; x < width; x++)
                    row[x] = window(t, from, weight + o * t->each * t->rows * t->columns, y, x) + bias;
                ek_store(e, out, at, width, row);
            }
        }
}

int eval_conv2d(tf_ctx *ctx, const struct tf_eval *eval)
{
    const struct tf_tensor *input = eval->args[0], *weight = eval->args[1];
    struct taps t = taps_of(eval);
    if (!ok_is_float(input->dtype))
        return TF_E_UNSUPPORTED;
    if (eval->mode == TF_EVAL_BOUND)
        return bound_conv2d(ctx, eval);
    int begun = ak_begin(eval);
    if (begun)
        return begun;
    double *values = ek_scratch(ek_count(input), sizeof(double)), *taps = ek_scratch(ek_count(weight), sizeof(double)),
           *row = ek_scratch((size_t)eval->results[0]->extents[3], sizeof(double));
    int rc = values && taps && row ? TF_OK : TF_E_NOMEM;
    if (rc == TF_OK && ek_count(eval->results[0])) {
        ek_load(eval, input, 0, ek_count(input), values);
        ek_load(eval, weight, 0, ek_count(weight), taps);
        convolve(eval, &t, values, taps, row);
    }
    free(values);
    free(taps);
    free(row);
    return rc;
}

/* SPDX-License-Identifier: MIT
 * Values of conv2d: for each element the products in the order of channel, row and column of the weight, then the bias,
 * folded in f64 and rounded once.
 */
#include "eval.h"

struct taps {
    size_t channels, height, width; /* of the input */
    size_t each, rows, columns;     /* of the weight: input channels of a group, taps */
    int64_t stride[2], padding[2], dilation[2];
};

static double window(const struct taps *t, const double *image, const double *weight, size_t y, size_t x)
{
    double sum = 0;
    for (size_t c = 0; c < t->each; c++)
        for (size_t r = 0; r < t->rows; r++) {
            int64_t row = (int64_t)y * t->stride[0] - t->padding[0] + (int64_t)r * t->dilation[0];
            for (size_t k = 0; k < t->columns; k++) {
                int64_t column = (int64_t)x * t->stride[1] - t->padding[1] + (int64_t)k * t->dilation[1];
                if (row >= 0 && row < (int64_t)t->height && column >= 0 && column < (int64_t)t->width)
                    sum += image[(c * t->height + (size_t)row) * t->width + (size_t)column] *
                           weight[(c * t->rows + r) * t->columns + k];
            }
        }
    return sum;
}

static void read_pair(const struct tf_call *call, uint32_t attr, int64_t pair[2])
{
    pair[0] = call->attrs[attr].u.items[0].u.i;
    pair[1] = call->attrs[attr].u.items[1].u.i;
}

static void convolve(const struct tf_eval *e, const struct taps *t, size_t groups, const double *input,
    const double *weight, double *row)
{
    const struct tf_tensor *out = e->results[0];
    size_t images = (size_t)out->extents[0], outputs = (size_t)out->extents[1], height = (size_t)out->extents[2],
           width = (size_t)out->extents[3], at = 0;
    for (size_t image = 0; image < images; image++)
        for (size_t o = 0; o < outputs; o++) {
            size_t group = o / (outputs / groups);
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
    (void)ctx;
    const struct tf_tensor *input = eval->args[0], *weight = eval->args[1];
    struct taps t = {(size_t)input->extents[1], (size_t)input->extents[2], (size_t)input->extents[3],
        (size_t)weight->extents[1], (size_t)weight->extents[2], (size_t)weight->extents[3], {0}, {0}, {0}};
    int begun = ak_begin(eval);
    if (begun)
        return begun;
    if (!ok_is_float(input->dtype))
        return TF_E_UNSUPPORTED;
    read_pair(eval->call, 0, t.stride);
    read_pair(eval->call, 1, t.padding);
    read_pair(eval->call, 2, t.dilation);
    double *values = ek_scratch(ek_count(input), sizeof(double)), *taps = ek_scratch(ek_count(weight), sizeof(double)),
           *row = ek_scratch((size_t)eval->results[0]->extents[3], sizeof(double));
    int rc = values && taps && row ? TF_OK : TF_E_NOMEM;
    if (rc == TF_OK && ek_count(eval->results[0])) {
        ek_load(eval, input, 0, ek_count(input), values);
        ek_load(eval, weight, 0, ek_count(weight), taps);
        convolve(eval, &t, (size_t)ok_int(eval->call, 3), values, taps, row);
    }
    free(values);
    free(taps);
    free(row);
    return rc;
}

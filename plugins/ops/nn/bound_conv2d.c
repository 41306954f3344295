/* SPDX-License-Identifier: MIT
 * Enclosure of conv2d: of each element the sum of its products and of the bias, in any order.
 */
#include "boundsteps.h"
#include "conv2d_taps.h"
#include "eval.h"

struct convolution {
    const struct tf_eval *e;
    struct taps taps;
    double lost, underflow, limit;
};

/* The products of one element of the result; `image` and `weight` are where its group's channels begin. */
static struct bk_sum window(const struct convolution *c, size_t image, size_t weight, size_t y, size_t x)
{
    const struct taps *t = &c->taps;
    struct bk_sum sum = {0};
    for (size_t channel = 0; channel < t->each; channel++)
        for (size_t r = 0; r < t->rows; r++)
            for (size_t k = 0; k < t->columns; k++) {
                size_t at;
                if (taps_reach(t, channel, y, r, x, k, &at))
                    bk_sum_feed(&sum, bk_mul(bk_at(c->e->args[0], image + at),
                                          bk_at(c->e->args[1], weight + (channel * t->rows + r) * t->columns + k)));
            }
    return sum;
}

static struct bk taken(const struct convolution *c, const struct bk_sum *sum)
{
    struct bk x = bk_sum_take(sum, c->lost, c->underflow, c->limit);
    return bk_is_nan(x) ? x : bk_result(c->e, x);
}

/* The bias is one more addend, or is added to what the sum without it is rounded to, as libraries do. */
static struct bk with_bias(const struct convolution *c, struct bk_sum sum, struct bk bias)
{
    struct bk apart = bk_add(taken(c, &sum), bias);
    bk_sum_feed(&sum, bias);
    struct bk at_once = taken(c, &sum);
    return bk_hull(at_once, bk_is_nan(apart) ? apart : bk_result(c->e, apart));
}

static void elements(void *data, size_t first, size_t end)
{
    const struct convolution *c = data;
    const struct taps *t = &c->taps;
    const struct tf_tensor *out = c->e->results[0];
    size_t outputs = (size_t)out->extents[1], height = (size_t)out->extents[2], width = (size_t)out->extents[3];
    for (size_t i = first; i < end; i++) {
        size_t x = i % width, y = i / width % height, o = i / width / height % outputs,
               image = i / width / height / outputs;
        size_t from = (image * t->channels + o / (outputs / t->groups) * t->each) * t->height * t->width;
        struct bk_sum sum = window(c, from, o * t->each * t->rows * t->columns, y, x);
        bk_put(out, i, with_bias(c, sum, bk_at(c->e->args[2], o)));
    }
}

int bound_conv2d(tf_ctx *ctx, const struct tf_eval *e)
{
    uint32_t dtype = e->args[0]->dtype;
    const char *accumulator = e->declared->accumulator;
    struct convolution c = {.e = e, .taps = taps_of(e)};
    double products = (double)(c.taps.each * c.taps.rows * c.taps.columns);
    int is_wide = dtype == TF_DTYPE_F64 || !strcmp(accumulator, "f64");
    int rounded = !bk_is_16(dtype) || (strcmp(accumulator, "f32") != 0 && !is_wide);
    c.lost = bk_sum_error(ctx, e, dtype, products, rounded);
    c.underflow = is_wide ? 0 : products * (e->declared->ftz ? 0x1p-126 : 0x1p-150);
    c.limit = bk_sum_limit(e, dtype);
    if (c.lost < 0)
        return TF_E_REFUSED;
    tf_host->parallel(ek_count(e->results[0]), EK_GRAIN / 8 / ((size_t)products + 1) + 1, elements, &c);
    return TF_OK;
}

/* SPDX-License-Identifier: MIT */
#include "eval_fold.h"

#define RUN 256u   /* elements handed over at once */
#define GATHER 64u /* of each result, where they do not lie in a row */

/* The axes that are folded, or those that are kept, outermost first; neighbours are one. */
struct axes {
    uint32_t n;
    size_t extent[TF_MAX_RANK + 1], step[TF_MAX_RANK + 1];
};

static void add_axis(struct axes *axes, size_t extent, size_t step)
{
    uint32_t last = axes->n - 1;
    if (extent == 1)
        return;
    if (axes->n && axes->step[last] == extent * step) {
        axes->extent[last] *= extent;
        axes->step[last] = step;
        return;
    }
    axes->extent[axes->n] = extent;
    axes->step[axes->n++] = step;
}

/* Always at least one axis, the last, along which runs go. */
static struct axes choose_axes(const struct tf_tensor *x, uint64_t set)
{
    struct axes axes = {0};
    for (uint32_t i = 0; i < x->rank; i++)
        if (set >> i & 1)
            add_axis(&axes, (size_t)x->extents[i], ak_span(x, i + 1, x->rank));
    if (axes.n == 0) {
        axes.extent[0] = 1;
        axes.step[0] = 1;
        axes.n = 1;
    }
    return axes;
}

static size_t outer_count(const struct axes *axes)
{
    size_t n = 1;
    for (uint32_t i = 0; i + 1 < axes->n; i++)
        n *= axes->extent[i];
    return n;
}

/* Where the i-th run along the last axis begins. */
static size_t outer_offset(const struct axes *axes, size_t i)
{
    size_t at = 0;
    for (uint32_t k = axes->n - 1; k-- > 0; i /= axes->extent[k])
        at += i % axes->extent[k] * axes->step[k];
    return at;
}

/* ---- one run -------------------------------------------------------------------------------------------------------*/

union lanes {
    float f32[RUN];
    double f64[RUN];
    int64_t i64[RUN];
};

static void make_keys(size_t n, union lanes *lanes)
{
    for (size_t i = 0; i < n; i++) {
        double value = lanes->f64[i] + 0.0; /* -0 becomes +0 */
        int64_t bits;
        memcpy(&bits, &value, sizeof(bits));
        lanes->i64[i] = value != value ? INT64_MAX : bits < 0 ? bits ^ INT64_MAX : bits;
    }
}

static void feed_run(const struct fold *fold, void *state, const void *from, size_t n)
{
    const struct tf_tensor *x = fold->eval->args[0];
    uint32_t held = ak_held(fold->eval, x);
    union lanes lanes;
    if (fold->lane == FOLD_F32) {
        tf_host->load_f32(held, n, from, lanes.f32);
    } else if (fold->lane == FOLD_F64) {
        tf_host->load_f64(held, n, from, lanes.f64);
    } else if (fold->lane == FOLD_I64 || !ok_is_float(x->dtype)) {
        tf_host->load_i64(held, n, from, lanes.i64);
    } else {
        tf_host->load_f64(held, n, from, lanes.f64);
        make_keys(n, &lanes);
    }
    fold->feed(fold, state, &lanes, n);
}

/* ---- several results at a time -------------------------------------------------------------------------------------*/

static void *state_of(const struct fold *fold, size_t column)
{
    return (char *)fold->states + column * fold->state_size;
}

/* n elements of each of `columns` results; those that do not lie in a row are gathered first, all columns together. */
static void feed_tile(const struct fold *fold, size_t at, size_t columns, size_t kept_step, size_t n, size_t step)
{
    const struct tf_tensor *x = fold->eval->args[0];
    uint64_t raw[FOLD_COLUMNS * GATHER];
    struct ak_box box = {0};
    size_t width = ak_width(fold->eval, x), row = kept_step;
    const char *from = ak_at(fold->eval, x, at);
    if (step != 1) {
        ak_box_axis(&box, n, 1, step);
        ak_box_axis(&box, columns, n, kept_step);
        ak_copy(&box, width, (char *)raw, from);
        from = (const char *)raw;
        row = n;
    }
    for (size_t i = 0; i < columns; i++)
        feed_run(fold, state_of(fold, i), from + i * row * width, n);
}

static int fold_columns(const struct fold *fold, const struct axes *kept, const struct axes *folded, size_t base,
    size_t columns, size_t result)
{
    uint32_t last = folded->n - 1;
    size_t extent = folded->extent[last], step = folded->step[last], runs = outer_count(folded);
    size_t most = step == 1 ? RUN : GATHER;
    int rc = TF_OK;
    for (size_t i = 0; i < columns; i++)
        fold->start(fold, state_of(fold, i));
    for (size_t run = 0; run < runs; run++) {
        size_t at = base + outer_offset(folded, run);
        for (size_t i = 0; i < extent; i += most)
            feed_tile(
                fold, at + i * step, columns, kept->step[kept->n - 1], extent - i < most ? extent - i : most, step);
    }
    for (size_t i = 0; rc == TF_OK && i < columns; i++)
        rc = fold->finish(fold, state_of(fold, i), result + i);
    return rc;
}

int fold_run(struct fold *fold, uint64_t axes)
{
    const struct tf_tensor *x = fold->eval->args[0];
    struct axes folded = choose_axes(x, axes), kept = choose_axes(x, ~axes);
    size_t rows = outer_count(&kept), extent = kept.extent[kept.n - 1], step = kept.step[kept.n - 1], result = 0;
    int rc = TF_OK;
    fold->count = outer_count(&folded) * folded.extent[folded.n - 1];
    for (size_t row = 0; row < rows; row++) {
        size_t base = outer_offset(&kept, row);
        for (size_t i = 0; rc == TF_OK && i < extent; i += FOLD_COLUMNS) {
            size_t columns = extent - i < FOLD_COLUMNS ? extent - i : FOLD_COLUMNS;
            rc = fold_columns(fold, &kept, &folded, base + i * step, columns, result);
            result += columns;
        }
    }
    return rc;
}

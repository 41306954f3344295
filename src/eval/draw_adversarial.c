/* SPDX-License-Identifier: MIT
 * Every class starts from the normal numbers that the parameter would have got, and changes them where it has a point to
 * make, so that what it leaves alone is still compared.
 */
#include "eval/draw_adversarial.h"

#include "plugin/numbers.h"
#include "type/type.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *name;
    int makes_nan;
} CLASSES[] = {
#define X(NAME, text, nan) {text, nan},
    ADVERSARIAL_CLASSES(X)
#undef X
        {"adversarial", 1},
};

const char *adversarial_name(uint32_t which)
{
    return CLASSES[which].name;
}

int adversarial_makes_nan(uint32_t which)
{
    return CLASSES[which].makes_nan;
}

int adversarial_parse(const char *text, uint32_t *which)
{
    size_t n = strlen("adversarial");
    *which = ADVERSARIAL_COUNT;
    if (strncmp(text, "adversarial", n) != 0 || (text[n] && text[n] != ':'))
        return -1;
    for (uint32_t i = 0; text[n] && *which == ADVERSARIAL_COUNT && i < ADVERSARIAL_COUNT; i++)
        if (!strcmp(text + n + 1, CLASSES[i].name))
            *which = i;
    return text[n] && *which == ADVERSARIAL_COUNT ? -1 : 0;
}

/* ---- what the program tells ---------------------------------------------------------------------------------------*/

static int64_t extent_of(const struct tf_type *type, uint32_t axis)
{
    int64_t extent;
    return axis < type->rank && dim_is_const(type->shape[axis], &extent) ? extent : 0;
}

/* How many of the parameter's elements have one of `scale`, whose rows are the parameter's; 0 when it is no scale. */
static int64_t group_by(const struct tf_type *param, const struct tf_type *scale)
{
    int64_t rows = 1, scale_rows = 1;
    if (param->rank == 0 || scale->rank == 0)
        return 0;
    for (uint32_t i = 0; i + 1 < param->rank; i++)
        rows *= extent_of(param, i);
    for (uint32_t i = 0; i + 1 < scale->rank; i++)
        scale_rows *= extent_of(scale, i);
    int64_t all = extent_of(param, param->rank - 1), groups = extent_of(scale, scale->rank - 1);
    return rows == scale_rows && groups > 0 && groups < all && all % groups == 0 ? all / groups : 0;
}

/* The narrowest dtype with a fraction that an output has is what ties are made for. */
static uint32_t narrower(uint32_t a, uint32_t b)
{
    const struct tf_dtype_info *info = dtype_info(b);
    return info->cls == TF_CLASS_FLOAT && info->fraction_bits && info->bits < dtype_info(a)->bits ? b : a;
}

void adversarial_suit(const struct tf_function *function, const struct tf_type *param, struct draw *draw)
{
    enum { MOST = 64 };
    const struct tf_type *leaves[MOST];
    size_t n = type_leaves(function->body->type, leaves, MOST);
    draw->group = 0;
    draw->rounded_to = TF_DTYPE_F64;
    for (size_t i = 0; i < n && i < MOST; i++) {
        draw->rounded_to = narrower(draw->rounded_to, leaves[i]->dtype);
        if (!draw->group && dtype_info(leaves[i]->dtype)->cls == TF_CLASS_FLOAT)
            draw->group = group_by(param, leaves[i]);
    }
}

/* ---- a dtype's numbers --------------------------------------------------------------------------------------------*/

struct range {
    double largest, normal, least; /* finite; the least normal and the least of all, above 0 */
    uint64_t codes;                /* the code of the largest */
};

static int holds(uint32_t dtype, double value)
{
    uint64_t code = 0;
    double back;
    number_store_f64(dtype, 1, &value, &code, FP8_NAN);
    number_load_f64(dtype, 1, &code, &back);
    return isfinite(value) && back == value;
}

static struct range range_of(uint32_t dtype)
{
    struct range range = {.largest = 1, .least = 1};
    while (holds(dtype, range.largest * 2))
        range.largest *= 2;
    for (double step = range.largest / 2; step > 0 && holds(dtype, range.largest + step); step /= 2)
        range.largest += step;
    while (range.least / 2 > 0 && holds(dtype, range.least / 2))
        range.least /= 2;
    range.normal = ldexp(range.least, (int)dtype_info(dtype)->fraction_bits);
    number_store_f64(dtype, 1, &range.largest, &range.codes, FP8_NAN);
    return range;
}

static double value_of(uint32_t dtype, uint64_t code)
{
    double value;
    number_load_f64(dtype, 1, &code, &value);
    return value;
}

/* ---- the classes --------------------------------------------------------------------------------------------------*/

struct filler {
    uint32_t dtype, rounded_to; /* of the parameter; of the outputs */
    struct range range, codes;  /* of these two */
    uint64_t seed;
};

struct group { /* a part of a row */
    double *at;
    size_t n;
    uint64_t row, index; /* index in its row */
};

/* A number that depends on the place alone (splitmix64). */
static uint64_t scatter(const struct filler *f, const struct group *g, uint64_t i)
{
    uint64_t z = f->seed + UINT64_C(0x9E3779B97F4A7C15) * (1 + i + (g->row << 40) + (g->index << 20));
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

static double signed_by(uint64_t word, double value)
{
    return word >> 63 ? -value : value;
}

static uint64_t code_of(uint32_t dtype, double value)
{
    uint64_t code = 0;
    number_store_f64(dtype, 1, &value, &code, FP8_NAN);
    return code;
}

/* The middle between two neighbours: of a narrow dtype every one in turn, of others some within [1/16, 16). */
static double boundary(const struct filler *f, const struct group *g, uint64_t i)
{
    uint64_t first = 0, end = f->codes.codes;
    if (dtype_info(f->rounded_to)->bits > 8) {
        first = code_of(f->rounded_to, 1.0 / 16);
        end = code_of(f->rounded_to, 16);
    }
    uint64_t k = dtype_info(f->rounded_to)->bits > 8 ? scatter(f, g, i) >> 1 : i + 37 * g->index + 11 * g->row;
    uint64_t code = first + k % (end - first);
    return (value_of(f->rounded_to, code) + value_of(f->rounded_to, code + 1)) / 2;
}

/* The scale that a quantisation comes to for the group: a power of two, or what division by the largest code, or
 * multiplication with its reciprocal, gives in f32.  Parameters of few bits could not hold the products of the latter. */
static double group_scale(const struct filler *f, const struct group *g)
{
    uint64_t word = scatter(f, g, UINT32_MAX), how = (g->row + g->index) % 3;
    float amax = 1 + 7 * (float)(word >> 40) * 0x1p-24f, largest = (float)f->codes.largest;
    if (dtype_info(f->rounded_to)->bits > 8)
        return 1;
    if (!how || dtype_info(f->dtype)->fraction_bits < 12)
        return ldexp(1, (int)(word % 5) - 2);
    return how == 1 ? (double)(amax / largest) : (double)(amax * (1 / largest));
}

static void fill_ties(const struct filler *f, const struct group *g)
{
    double scale = group_scale(f, g);
    for (size_t i = 0; i < g->n; i++)
        g->at[i] = signed_by(scatter(f, g, i), boundary(f, g, i) * scale);
    if (g->n > 1 && dtype_info(f->rounded_to)->bits <= 8)
        g->at[g->n / 2] = f->codes.largest * scale; /* so that the group's scale is this one */
}

/* Every other group, of both signs, and all of them where there is one. */
static void fill_zeros(const struct filler *f, const struct group *g)
{
    uint64_t which = g->row + g->index;
    (void)f;
    for (size_t i = 0; i < g->n && which % 2 == 0; i++)
        g->at[i] = which % 4 ? -0.0 : 0.0;
}

/* The least numbers that there are, the least normal ones, and ones of 1e-9. */
static void fill_tiny(const struct filler *f, const struct group *g)
{
    uint64_t which = (g->row + g->index) % 3;
    for (size_t i = 0; i < g->n; i++) {
        uint64_t word = scatter(f, g, i);
        if (!which)
            g->at[i] = signed_by(word, f->range.least * (double)(word % 4));
        else
            g->at[i] *= which == 1 || f->range.least > 1e-9 ? f->range.normal : 1e-9;
    }
}

/* One in a group; of four groups, as of four rows, one stays as it is. */
static void fill_nonfinite(const struct group *g, size_t place)
{
    uint64_t which = (g->row + g->index) % 4;
    if (g->row % 4 != 3 && which != 3)
        g->at[place] = which == 0 ? (double)NAN : which == 1 ? (double)INFINITY : (double)-INFINITY;
}

static void fill_outliers(const struct filler *f, const struct group *g)
{
    uint64_t word = scatter(f, g, 0);
    double far = fmin(f->range.largest, 1000 * (1 + (double)(word % 8)));
    if ((g->row + g->index) % 2 == 0)
        g->at[word / 8 % g->n] = signed_by(word, far);
}

/* Distinct for neighbours in a row, and for rows. */
static void fill_magnitudes(const struct filler *f, const struct group *g)
{
    int most = f->range.largest < 1e4 ? 4 : 8;
    uint64_t span = 2 * (uint64_t)most + 1;
    double factor = ldexp(1 + (double)(g->row % 61) / 64, (int)((3 * g->index + g->row) % span) - most);
    for (size_t i = 0; i < g->n; i++)
        g->at[i] *= factor;
}

/* What stands at one end comes back with the other sign at the other, between small numbers that a sum is made of. */
static void fill_cancelling(const struct filler *f, const struct group *g)
{
    double big = fmin(0x1p26, f->range.largest / 8);
    for (size_t i = 0; i < g->n / 2; i++)
        if (i % 3) {
            g->at[i] = fmin(fmax(g->at[i] * big, -f->range.largest), f->range.largest);
            g->at[g->n - 1 - i] = -g->at[i];
        }
}

static void fill_largest(const struct filler *f, const struct group *g)
{
    for (size_t i = 0; i < g->n && (g->row + g->index) % 2 == 0; i++)
        g->at[i] = signed_by(scatter(f, g, i), f->range.largest);
}

static void fill_group(const struct filler *f, const struct group *g, uint32_t which)
{
    switch (which) {
    case ADVERSARIAL_TIES: fill_ties(f, g); break;
    case ADVERSARIAL_ZERO_GROUPS: fill_zeros(f, g); break;
    case ADVERSARIAL_TINY_GROUPS: fill_tiny(f, g); break;
    case ADVERSARIAL_NONFINITE_FIRST: fill_nonfinite(g, 0); break;
    case ADVERSARIAL_NONFINITE_MIDDLE: fill_nonfinite(g, g->n / 2); break;
    case ADVERSARIAL_NONFINITE_LAST: fill_nonfinite(g, g->n - 1); break;
    case ADVERSARIAL_OUTLIERS: fill_outliers(f, g); break;
    case ADVERSARIAL_MAGNITUDES: fill_magnitudes(f, g); break;
    case ADVERSARIAL_CANCELLING: fill_cancelling(f, g); break;
    default: fill_largest(f, g);
    }
}

/* ---- tensors ------------------------------------------------------------------------------------------------------*/

static void fill_row(const struct filler *f, const struct draw *draw, double *row, size_t n, uint64_t index)
{
    size_t each = draw->group > 0 ? (size_t)draw->group : ADVERSARIAL_GROUP;
    for (size_t at = 0; at < n; at += each) {
        struct group g = {row + at, n - at < each ? n - at : each, index, at / each};
        uint32_t mixed = (uint32_t)((index + g.index) % ADVERSARIAL_COUNT);
        fill_group(f, &g, draw->adversary == ADVERSARIAL_COUNT ? mixed : draw->adversary);
    }
}

int adversarial_fill(
    tf_ctx *ctx, struct generator *generator, const struct draw *draw, struct tensor *tensor, uint32_t fp8_overflow)
{
    uint32_t dtype = tensor->pub.dtype, to = draw->rounded_to == TF_DTYPE_F64 ? dtype : draw->rounded_to;
    struct filler f = {dtype, to, range_of(dtype), range_of(to), generator->seed};
    struct draw normal = {.kind = DRAW_NORMAL};
    size_t n = tensor->pub.rank ? (size_t)tensor->extents[tensor->pub.rank - 1] : 1;
    struct tensor *numbers = tensor_new(ctx, tensor->memory, TF_DTYPE_F64, tensor->pub.rank, tensor->extents);
    if (!numbers)
        return TF_E_NOMEM;
    int status = draw_fill(ctx, generator, &normal, numbers, fp8_overflow);
    double *data = numbers->pub.data;
    for (size_t row = 0; !status && row < tensor->count / n; row++)
        fill_row(&f, draw, data + row * n, n, row);
    if (!status)
        number_store_f64(dtype, tensor->count, data, tensor->pub.data, fp8_overflow);
    tensor_release(numbers);
    return status;
}

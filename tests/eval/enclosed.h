/* SPDX-License-Identifier: MIT
 * A function of a file beside the tests, what its parameters are drawn to be, its values and their enclosures.
 */
#ifndef TF_TESTS_EVAL_ENCLOSED_H
#define TF_TESTS_EVAL_ENCLOSED_H

#include "context.h"
#include "eval/draw.h"
#include "eval/run.h"
#include "front/front.h"
#include "plugin/numbers.h"
#include "type/type.h"

#include <math.h>
#include <string.h>

extern const struct tf_math tilefoundry_math;

static inline void set_up(void)
{
    begin_context(&tilefoundry_math);
}

#define MOST_PARAMS 6
struct subject {
    const struct tf_function *function;
    struct tensor *params[MOST_PARAMS];
    struct eval_result declared, bound;
};

/* where: "bound.py:Bound" */
static inline const struct tf_function *function_named(const char *where, const char *name)
{
    struct selection selected;
    const char *source = getenv("TF_SRC");
    source = arena_format(&ctx->arena, "%s/tests/eval/%s.%s", source ? source : ".", where, name);
    ck_assert_msg(front_load(ctx, source, &selected) == 0, "%s", told());
    const struct ir_function *inlined = ir_inline_values(ctx, selected.module, selected.function, NULL, 0);
    ck_assert_ptr_nonnull(inlined);
    return &inlined->pub;
}

/* Parameters are normal variables, of integers numbers below 8. */
static inline void open_subject(struct subject *s, const char *where, const char *name)
{
    struct generator generator = {.seed = 7, .threads = 270336};
    struct draw draw = {.kind = DRAW_DEFAULT};
    *s = (struct subject){.function = function_named(where, name)};
    ck_assert_uint_le(s->function->n_params, MOST_PARAMS);
    for (uint32_t i = 0; i < s->function->n_params; i++) {
        s->params[i] = tensor_of_type(ctx, &memory, s->function->params[i]->type);
        ck_assert_int_eq(draw_fill(ctx, &generator, &draw, s->params[i], 0), 0);
    }
}

static inline int find_bound(struct subject *s, const struct tf_declared *declared, struct tensor *const *delivered)
{
    struct bound_request request = {.declared = declared, .delivered = delivered};
    eval_result_free(&s->bound);
    return eval_bound(ctx, s->function, s->params, &memory, &request, &s->bound);
}

static inline void run_subject(struct subject *s, const struct tf_declared *declared)
{
    eval_result_free(&s->declared);
    ck_assert_int_eq(eval_function(ctx, s->function, s->params, &memory, 0, &s->declared), 0);
    ck_assert_int_eq(find_bound(s, declared, NULL), 0);
}

static inline void close_subject(struct subject *s)
{
    for (uint32_t i = 0; i < MOST_PARAMS; i++)
        tensor_release(s->params[i]);
    eval_result_free(&s->declared);
    eval_result_free(&s->bound);
}

static inline double low_end(const struct tensor *bound, size_t i)
{
    return ((const double *)bound->pub.data)[i];
}

static inline int holds(const struct tensor *bound, size_t i, double value)
{
    if (value != value)
        return bound->pub.doubt[i] != 0;
    return low_end(bound, i) <= value && value <= bound->pub.bound[i];
}

static inline int is_open(const struct tensor *bound, size_t i)
{
    return low_end(bound, i) != bound->pub.bound[i];
}

static inline double element(const struct tensor *t, size_t i)
{
    double number;
    number_load_f64(t->pub.dtype, 1, (const char *)t->pub.data + i * number_bytes(t->pub.dtype), &number);
    return number;
}

/* What the evaluator gives is a legal result; how many elements have more than one. */
static inline size_t count_open(const struct subject *s, uint32_t leaf)
{
    const struct tensor *value = s->declared.leaves[leaf], *bound = s->bound.leaves[leaf];
    size_t open = 0;
    for (size_t i = 0; i < value->count; i++) {
        double number = element(value, i);
        ck_assert_msg(holds(bound, i, number), "leaf %u, element %zu: %a is outside of [%a, %a]", leaf, i, number,
            low_end(bound, i), bound->pub.bound[i]);
        open += (size_t)is_open(bound, i);
    }
    return open;
}

static inline const float *floats(const struct tensor *t)
{
    float *to = CTX_ARRAY(ctx, float, t->count);
    number_load_f32(t->pub.dtype, t->count, t->pub.data, to);
    return to;
}

/* ---- orders -------------------------------------------------------------------------------------------------------*/

static uint32_t random_state = 1;

static inline uint32_t random_below(uint32_t n)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % n;
}

static inline void shuffle(size_t n, size_t *order)
{
    for (size_t i = 0; i < n; i++)
        order[i] = i;
    for (size_t i = n; i-- > 1;) {
        size_t k = random_below((uint32_t)i + 1), kept = order[i];
        order[i] = order[k];
        order[k] = kept;
    }
}

/* The sum of a[i] * b[i] (b NULL: of a[i]) as some legal kernel takes it: any order, in 1 to 64 parts, with FMA or a
 * product that is rounded, in f32 or wider. */
static inline float summed(size_t n, const float *a, const float *b)
{
    enum { MOST = 4096 };
    size_t order[MOST], parts = (size_t)1 << random_below(7), with_fma = random_below(2), wide = random_below(3) == 0;
    double part[64] = {0};
    ck_assert_uint_le(n, MOST);
    shuffle(n, order);
    for (size_t i = 0; i < n; i++) {
        double *to = &part[i % parts];
        float x = a[order[i]], y = b ? b[order[i]] : 1;
        if (wide)
            *to += (double)x * (double)y;
        else
            *to = (double)(with_fma ? fmaf(x, y, (float)*to) : (float)*to + (float)(x * y));
    }
    for (size_t width = parts; width > 1; width /= 2)
        for (size_t i = 0; i < width / 2; i++)
            part[i] = wide ? part[i] + part[i + width / 2] : (double)((float)part[i] + (float)part[i + width / 2]);
    return (float)part[0];
}

#endif

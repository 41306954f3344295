/* SPDX-License-Identifier: MIT */
#include "eval/draw.h"

#include "eval/draw_adversarial.h"
#include "plugin/numbers.h"
#include "type/type.h"
#include "util/diag.h"
#include "util/parallel.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK_THREADS 256
#define UNROLL 4 /* numbers that a thread makes of one counter */

/* ---- words --------------------------------------------------------------------------------------------------------*/

static void philox(uint64_t seed, uint64_t low, uint64_t high, uint32_t out[4])
{
    uint32_t key0 = (uint32_t)seed, key1 = (uint32_t)(seed >> 32);
    uint32_t c0 = (uint32_t)low, c1 = (uint32_t)(low >> 32), c2 = (uint32_t)high, c3 = (uint32_t)(high >> 32);
    for (int round = 0; round < 10; round++) {
        uint64_t a = (uint64_t)c0 * UINT32_C(0xD2511F53), b = (uint64_t)c2 * UINT32_C(0xCD9E8D57);
        c0 = (uint32_t)(b >> 32) ^ c1 ^ key0;
        c1 = (uint32_t)b;
        c2 = (uint32_t)(a >> 32) ^ c3 ^ key1;
        c3 = (uint32_t)a;
        key0 += UINT32_C(0x9E3779B9);
        key1 += UINT32_C(0xBB67AE85);
    }
    out[0] = c0, out[1] = c1, out[2] = c2, out[3] = c3;
}

/* How the elements of one draw lie among threads. */
struct stream {
    uint64_t seed, offset, threads;
};

static struct stream stream_begin(struct generator *g, uint64_t n)
{
    uint64_t needed = (n + BLOCK_THREADS - 1) / BLOCK_THREADS * BLOCK_THREADS;
    struct stream stream = {g->seed, g->offset, g->threads && g->threads < needed ? g->threads : needed};
    g->offset += UNROLL * ((n - 1) / (UNROLL * stream.threads) + 1);
    return stream;
}

/* The words of the counter that element i is made of, and which of its numbers it is. */
static unsigned stream_words(const struct stream *s, uint64_t i, uint32_t words[4])
{
    uint64_t q = i / s->threads;
    philox(s->seed, s->offset / UNROLL + q / UNROLL, i % s->threads, words);
    return (unsigned)(q % UNROLL);
}

/* ---- numbers ------------------------------------------------------------------------------------------------------*/

#define TO_UNIT 0x1p-32f
#define TO_CIRCLE (0x1p-32f * 6.2831855f)

/* Two numbers of two words. */
static void normal_pair(const struct tf_math *m, const uint32_t words[2], float to[2])
{
    float u = m->fma_f32((float)words[0], TO_UNIT, TO_UNIT / 2);
    float v = m->fma_f32((float)words[1], TO_CIRCLE, TO_CIRCLE / 2);
    float length = (float)m->sqrt((double)(-2 * (float)m->log((double)u)));
    to[0] = length * (float)m->sin((double)v) + 0.0f; /* -0 becomes 0 */
    to[1] = length * (float)m->cos((double)v) + 0.0f;
}

/* (0, 1] moved to [low, high): what comes to the upper end is the lower one. */
static float uniform(const struct tf_math *m, uint32_t word, float low, float high)
{
    float value = m->fma_f32(m->fma_f32((float)word, TO_UNIT, TO_UNIT / 2), high - low, low);
    return value == high ? low : value;
}

/* ---- tensors ------------------------------------------------------------------------------------------------------*/

enum { BLOCK = 512 };

/* A counter's words make UNROLL elements, which lie a stride of `threads` apart. */
struct filling {
    const struct tf_math *math;
    struct stream stream;
    const struct draw *draw;
    struct tensor *tensor;
    uint32_t fp8_overflow;
};

static void make_floats(const struct filling *f, const uint32_t words[UNROLL], float to[UNROLL])
{
    for (unsigned k = 0; f->draw->kind == DRAW_UNIFORM && k < UNROLL; k++)
        to[k] = uniform(f->math, words[k], (float)f->draw->low, (float)f->draw->high);
    for (unsigned k = 0; f->draw->kind != DRAW_UNIFORM && k < UNROLL; k += 2)
        normal_pair(f->math, words + k, to + k);
}

static void store_floats(const struct filling *f, uint64_t at, size_t n, const float *from)
{
    uint64_t left = at < f->tensor->count ? f->tensor->count - at : 0;
    char *to = (char *)f->tensor->pub.data + (left ? at * number_bytes(f->tensor->pub.dtype) : 0);
    if (left)
        number_store_f32(f->tensor->pub.dtype, left < n ? (size_t)left : n, from, to, f->fp8_overflow);
}

/* n counters of one round, from thread t on. */
static void fill_run(const struct filling *f, uint64_t round, uint64_t t, size_t n)
{
    float block[UNROLL][BLOCK];
    uint64_t threads = f->stream.threads, first = round * UNROLL * threads + t;
    unsigned used = 1;
    while (used < UNROLL && first + used * threads < f->tensor->count)
        used++;
    for (size_t i = 0; i < n; i++) {
        uint32_t words[UNROLL];
        float made[UNROLL];
        philox(f->stream.seed, f->stream.offset / UNROLL + round, t + i, words);
        make_floats(f, words, made);
        for (unsigned k = 0; k < used; k++)
            block[k][i] = made[k];
    }
    for (unsigned k = 0; k < used; k++)
        store_floats(f, first + k * threads, n, block[k]);
}

static void fill_counters(void *data, size_t first, size_t end)
{
    const struct filling *f = data;
    while (first < end) {
        uint64_t t = first % f->stream.threads, left = f->stream.threads - t;
        size_t n = end - first < BLOCK ? end - first : BLOCK;
        n = left < n ? (size_t)left : n;
        fill_run(f, first / f->stream.threads, t, n);
        first += n;
    }
}

static void fill_floats(
    const struct tf_math *m, struct generator *g, const struct draw *draw, struct tensor *tensor, uint32_t fp8_overflow)
{
    struct filling f = {m, stream_begin(g, tensor->count), draw, tensor, fp8_overflow};
    uint64_t threads = f.stream.threads, rounds = (tensor->count - 1) / threads / UNROLL, last = tensor->count - 1;
    last -= rounds * UNROLL * threads; /* in its round; the counters of whole rounds are all needed */
    parallel_for((size_t)(rounds * threads + (last < threads ? last + 1 : threads)), BLOCK, fill_counters, &f);
}

static void fill_integers(struct generator *g, const struct draw *draw, struct tensor *tensor, uint32_t fp8_overflow)
{
    struct stream stream = stream_begin(g, tensor->count);
    size_t width = number_bytes(tensor->pub.dtype);
    uint64_t range = (uint64_t)draw->to - (uint64_t)draw->from;
    for (size_t i = 0; i < tensor->count; i++) {
        uint32_t words[4];
        unsigned which = stream_words(&stream, i, words);
        int64_t number = (int64_t)((uint64_t)draw->from + words[which] % range);
        number_store_i64(tensor->pub.dtype, 1, &number, (char *)tensor->pub.data + i * width, fp8_overflow);
    }
}

static void fill_constant(const struct draw *draw, struct tensor *tensor, uint32_t fp8_overflow)
{
    size_t width = number_bytes(tensor->pub.dtype);
    char *data = tensor->pub.data;
    if (tensor->count)
        number_store_f64(tensor->pub.dtype, 1, &draw->value, data, fp8_overflow);
    for (size_t i = 1; i < tensor->count; i++)
        memcpy(data + i * width, data, width);
}

static struct draw settled(const struct draw *draw, uint32_t dtype)
{
    uint32_t cls = dtype_info(dtype)->cls;
    if (draw->kind != DRAW_DEFAULT && (draw->kind != DRAW_ADVERSARIAL || cls == TF_CLASS_FLOAT))
        return *draw;
    if (cls == TF_CLASS_FLOAT)
        return (struct draw){.kind = DRAW_NORMAL};
    return (struct draw){.kind = DRAW_INT, .to = cls == TF_CLASS_BOOL ? 2 : 8};
}

int draw_fill(
    tf_ctx *ctx, struct generator *generator, const struct draw *draw, struct tensor *tensor, uint32_t fp8_overflow)
{
    struct draw how = settled(draw, tensor->pub.dtype);
    const struct tf_math *math = number_math(ctx);
    if (!math)
        return TF_E_REFUSED;
    if (how.kind == DRAW_CONST)
        fill_constant(&how, tensor, fp8_overflow);
    else if (tensor->count && how.kind == DRAW_ADVERSARIAL)
        return adversarial_fill(ctx, generator, &how, tensor, fp8_overflow);
    else if (tensor->count && how.kind == DRAW_INT)
        fill_integers(generator, &how, tensor, fp8_overflow);
    else if (tensor->count)
        fill_floats(math, generator, &how, tensor, fp8_overflow);
    return TF_OK;
}

/* ---- as written ---------------------------------------------------------------------------------------------------*/

/* NAME(NUMBER) or NAME(NUMBER,NUMBER), with nothing after it. */
static int read_call(const char *text, const char *name, int n, double *numbers)
{
    size_t length = strlen(name);
    if (strncmp(text, name, length) || text[length] != '(')
        return -1;
    text += length + 1;
    for (int i = 0; i < n; i++) {
        char *end;
        numbers[i] = strtod(text, &end);
        if (end == text || *end != (i + 1 < n ? ',' : ')'))
            return -1;
        text = end + 1;
    }
    return *text ? -1 : 0;
}

int draw_parse(const char *text, struct draw *draw)
{
    double numbers[2];
    uint32_t adversary;
    if (!adversarial_parse(text, &adversary)) {
        *draw = (struct draw){.kind = DRAW_ADVERSARIAL, .adversary = adversary};
        return 0;
    }
    if (!strcmp(text, "normal")) {
        *draw = (struct draw){.kind = DRAW_NORMAL};
        return 0;
    }
    if (!read_call(text, "uniform", 2, numbers)) {
        *draw = (struct draw){.kind = DRAW_UNIFORM, .low = numbers[0], .high = numbers[1]};
        return numbers[0] < numbers[1] ? 0 : -1;
    }
    if (!read_call(text, "const", 1, numbers)) {
        *draw = (struct draw){.kind = DRAW_CONST, .value = numbers[0]};
        return 0;
    }
    if (read_call(text, "int", 2, numbers) || !(numbers[0] >= -0x1p53 && numbers[1] <= 0x1p53))
        return -1;
    *draw = (struct draw){.kind = DRAW_INT, .from = (int64_t)numbers[0], .to = (int64_t)numbers[1]};
    int whole = (double)draw->from == numbers[0] && (double)draw->to == numbers[1];
    return whole && draw->from < draw->to && draw->to - draw->from <= UINT32_MAX ? 0 : -1;
}

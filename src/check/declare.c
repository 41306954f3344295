/* SPDX-License-Identifier: MIT
 * What a candidate declares of its arithmetic, as it is written: "accumulator=f32 div=0.5 fma=no".
 */
#include "check/declare.h"

#include "type/type.h"
#include "util/diag.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const APPROXIMATE[TF_APPROX_COUNT] = {
    [TF_APPROX_DIV] = "div",
    [TF_APPROX_SQRT] = "sqrt",
    [TF_APPROX_RSQRT] = "rsqrt",
    [TF_APPROX_EXP] = "exp",
    [TF_APPROX_EXP2] = "exp2",
    [TF_APPROX_LOG] = "log",
    [TF_APPROX_LOG2] = "log2",
    [TF_APPROX_TANH] = "tanh",
    [TF_APPROX_SIGMOID] = "sigmoid",
    [TF_APPROX_ERF] = "erf",
    [TF_APPROX_SIN] = "sin",
    [TF_APPROX_COS] = "cos",
    [TF_APPROX_OTHER] = "other",
};
static const char *const OTHERS[] = {"accumulator", "fma", "ftz", "intermediates", "cast-via", "depth", "splits"};
#define N_OTHERS (sizeof(OTHERS) / sizeof(*OTHERS))

#define MOST_ULP 1e6
#define MOST_COUNT 4294967295.0

/* One NAME=VALUE that is being read, and who wrote it. */
struct reading {
    tf_ctx *ctx;
    struct tf_declared *to;
    const char *by, *name, *value;
};

static int refuse(const struct reading *r, const char *wants)
{
    ERROR(r->ctx, NULL, "check-declared", "%s: %s takes %s, got '%s'", r->by, r->name, wants, r->value);
    return CHECK_USAGE;
}

static int refuse_name(const struct reading *r)
{
    const char *names[TF_APPROX_COUNT + N_OTHERS], *list = "";
    size_t n = 0;
    for (size_t i = 0; i < N_OTHERS; i++)
        names[n++] = OTHERS[i];
    for (size_t i = 0; i < TF_APPROX_COUNT; i++)
        names[n++] = APPROXIMATE[i];
    const char *near = did_you_mean(r->name, names, n);
    for (size_t i = 0; i < n; i++)
        list = arena_format(&r->ctx->arena, "%s%s%s", list, i ? ", " : "", names[i]);
    if (near)
        ERROR(r->ctx, NULL, "check-declared", "%s: there is no %s to declare: did you mean %s?", r->by, r->name, near);
    else
        ERROR(r->ctx, NULL, "check-declared", "%s: there is no %s to declare; there are %s", r->by, r->name, list);
    return CHECK_USAGE;
}

/* ---- values -------------------------------------------------------------------------------------------------------*/

static int read_ulp(const struct reading *r, double *ulp)
{
    char *end;
    *ulp = strtod(r->value, &end);
    if (end == r->value || *end || !(*ulp >= 0.5 && *ulp <= MOST_ULP))
        return refuse(r, "its greatest error in units in the last place, from 0.5 (correctly rounded) to 1e6");
    return 0;
}

/* One of two words; 0 or 1 in *which. */
static int read_word(const struct reading *r, const char *zero, const char *one, const char *wants, uint32_t *which)
{
    if (strcmp(r->value, zero) != 0 && strcmp(r->value, one) != 0)
        return refuse(r, wants);
    *which = !strcmp(r->value, one);
    return 0;
}

static int read_whole(const struct reading *r, uint32_t *number)
{
    char *end;
    double value = strtod(r->value, &end);
    if (end == r->value || *end || !(value >= 0 && value <= MOST_COUNT) || value != floor(value))
        return refuse(r, "a whole number, 0 for none");
    *number = (uint32_t)value;
    return 0;
}

static int read_accumulator(const struct reading *r)
{
    if (!*r->value || strspn(r->value, "abcdefghijklmnopqrstuvwxyz0123456789-+") != strlen(r->value))
        return refuse(r, "f32, f64, f16, bf16, tensor-core, tf32 or an accumulator of the target's");
    r->to->accumulator = ctx_intern(r->ctx, r->value);
    return 0;
}

static int read_via(const struct reading *r)
{
    uint32_t dtype = 0;
    if (!strcmp(r->value, "none"))
        return r->to->cast_via = 0, 0;
    while (dtype < TF_DTYPE_COUNT && strcmp(dtype_info(dtype)->name, r->value) != 0)
        dtype++;
    if (dtype == TF_DTYPE_COUNT || dtype_info(dtype)->cls != TF_CLASS_FLOAT)
        return refuse(r, "a floating dtype, or none");
    r->to->cast_via = 1 + dtype;
    return 0;
}

static int read_one(const struct reading *r)
{
    struct tf_declared *to = r->to;
    for (size_t i = 0; i < TF_APPROX_COUNT; i++)
        if (!strcmp(r->name, APPROXIMATE[i]))
            return read_ulp(r, &to->ulp[i]);
    if (!strcmp(r->name, "accumulator"))
        return read_accumulator(r);
    if (!strcmp(r->name, "fma"))
        return read_word(r, "no", "yes", "yes or no", &to->fma);
    if (!strcmp(r->name, "ftz"))
        return read_word(r, "no", "yes", "yes or no", &to->ftz);
    if (!strcmp(r->name, "intermediates"))
        return read_word(r, "declared", "wider", "declared or wider", &to->wider_intermediates);
    if (!strcmp(r->name, "cast-via"))
        return read_via(r);
    if (!strcmp(r->name, "depth"))
        return read_whole(r, &to->depth);
    if (!strcmp(r->name, "splits"))
        return read_whole(r, &to->splits);
    return refuse_name(r);
}

int declare(tf_ctx *ctx, struct tf_declared *to, const char *by, const char *text)
{
    static const char BLANKS[] = " \t\r\n";
    int status = 0;
    for (text += strspn(text, BLANKS); *text && !status; text += strspn(text, BLANKS)) {
        size_t length = strcspn(text, BLANKS);
        const char *word = ctx_intern_n(ctx, text, length), *equals = strchr(word, '=');
        text += length;
        if (!equals || equals == word) {
            ERROR(ctx, NULL, "check-declared", "%s: a declaration is NAME=VALUE, got '%s'", by, word);
            return CHECK_USAGE;
        }
        status = read_one(&(struct reading){
            ctx, to, by, ctx_intern_n(ctx, word, (size_t)(equals - word)), ctx_intern(ctx, equals + 1)});
    }
    return status;
}

const char *declared_name(uint32_t approximation)
{
    return APPROXIMATE[approximation];
}

const char *declared_text(tf_ctx *ctx, const struct tf_declared *declared)
{
    const char *text = arena_format(&ctx->arena, "accumulator=%s", declared->accumulator);
    for (size_t i = 0; i < TF_APPROX_COUNT; i++)
        text = arena_format(&ctx->arena, "%s %s=%.6g", text, APPROXIMATE[i], declared->ulp[i]);
    text = arena_format(&ctx->arena, "%s fma=%s ftz=%s intermediates=%s", text, declared->fma ? "yes" : "no",
        declared->ftz ? "yes" : "no", declared->wider_intermediates ? "wider" : "declared");
    if (declared->cast_via)
        text = arena_format(&ctx->arena, "%s cast-via=%s", text, dtype_info(declared->cast_via - 1)->name);
    if (declared->depth)
        text = arena_format(&ctx->arena, "%s depth=%u", text, declared->depth);
    return declared->splits ? arena_format(&ctx->arena, "%s splits=%u", text, declared->splits) : text;
}

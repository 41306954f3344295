/* SPDX-License-Identifier: MIT
 * The kernel of a quantisation for cuda-h200, where a group is a row or a run of one.
 */
#include "quant.h"

#include "rowscu.h"

/* A division is rounded once whatever nvcc is told. */
static const char *step_text(tf_ctx *ctx, const struct quant_step *step, uint32_t i)
{
    if (step->kind == STEP_DIV)
        return tf_host->format(ctx, "__fdiv_rn(v%u, %s)", i, pk_f32(ctx, step->number));
    if (step->kind == STEP_FLOOR)
        return tf_host->format(ctx, "at_least(v%u, %s)", i, pk_f32(ctx, step->number));
    return quant_step_text(ctx, step, i);
}

static void add_steps(struct pk_text *out, const struct quant *q, const char *name, uint32_t n, const char *result)
{
    pk_add(out, "__device__ float %s(float v0)\n{\n", name);
    for (uint32_t i = 0; i < n; i++)
        pk_add(out, "    const float v%u = %s;\n", i + 1, step_text(out->ctx, &q->steps[i], i));
    pk_add(out, "    return %s;\n}\n\n", result);
}

static const char *functions(tf_ctx *ctx, const struct quant *q)
{
    struct pk_text out = {.ctx = ctx};
    pk_add(&out, "/* The scale of a group whose largest magnitude is v0. */\n");
    add_steps(&out, q, "scale_of", q->n_steps, tf_host->format(ctx, "v%u", q->n_steps));
    if (q->inverts) {
        pk_add(&out, "/* What the group is multiplied by. */\n");
        add_steps(&out, q, "inverse_of", q->inverted,
            tf_host->format(ctx, "__fdiv_rn(%s, v%u)", pk_f32(ctx, q->numerator), q->inverted));
    }
    pk_add(&out,
        "__device__ __forceinline__ eight held(const eight &x, const statistics &, const eight &, const eight &)\n"
        "{\n    return x;\n}\n");
    return out.at;
}

static const char *title(tf_ctx *ctx, const struct quant *q, const char *name)
{
    size_t n = q->a * q->c * q->d, groups = q->a * q->c;
    size_t bytes = n * (cu_bytes(q->x->type->dtype) + 1) + groups * (q->stored == TF_DTYPE_BF16 ? 2 : 4);
    return tf_host->format(ctx,
        "/* %s: made by tilefoundry, path fp8-quant.\n *\n * a0  %s  %s\n * r%u  %s codes\n * r%u  %s, a scale for "
        "each of "
        "%zu groups of %zu\n *\n * It moves %zu bytes.\n",
        name, pk_type(ctx, q->x->type), q->x->name ? q->x->name : "", q->codes_at, tf_host->dtype(q->codes)->name,
        q->scale_at, tf_host->dtype(q->stored)->name, groups, q->d, bytes);
}

/* The function's parameter that x is; there may be others, which it leaves alone. */
static uint32_t argument_of(const struct quant *q)
{
    uint32_t i = 0;
    while (i < q->program->function->n_params && q->program->function->params[i] != q->x)
        i++;
    return i;
}

int quant_lower_cuda(tf_ctx *ctx, const struct quant *q, struct tf_artifact *artifact)
{
    const char *name = pk_entry(ctx, q->program);
    if (q->b != 1 || (q->stored != TF_DTYPE_F32 && q->stored != TF_DTYPE_BF16))
        return TF_E_UNSUPPORTED;
    const struct cu_rows rows = {.ctx = ctx,
        .name = name,
        .title = title(ctx, q, name),
        .rows = q->a,
        .length = q->c * q->d,
        .group = q->d,
        .in = q->x->type->dtype,
        .held = q->x->type->dtype,
        .codes = q->codes,
        .scale_bytes = q->stored == TF_DTYPE_BF16 ? 2 : 4,
        .divides = !q->inverts,
        .parameters = "const void *in, void *codes, SCALE_TYPE *scales",
        .with = tf_host->format(ctx, "a%u r%u r%u", argument_of(q), q->codes_at, q->scale_at),
        .functions = functions(ctx, q)};
    return cu_rows_text(&rows, artifact);
}

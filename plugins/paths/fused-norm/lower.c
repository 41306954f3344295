/* SPDX-License-Identifier: MIT
 * The source of a normalisation for cpu-c: its head, the weights as floats, and a function that does all rows.
 */
#include "cpuparts.h"
#include "lower.h"

/* Loops follow each other as a row's values do; what a path's matcher takes is of that kind, but for sums of what is
 * normed already. */
static int is_in_order(const struct plan *p)
{
    const struct rows *r = p->rows;
    for (uint32_t i = 0; i < r->n_steps; i++) {
        const struct step *step = &r->steps[i];
        int is_group = step->span == SPAN_GROUP, is_late = p->stage[i] > p->last;
        if ((is_group && p->stage[i] != p->last + 1) || (is_late && p->stage[i] != p->last + 1) ||
            (step->roles & ROLE_NORMED && step->span == SPAN_EACH && p->stage[i] != p->last))
            return 0;
    }
    return 1;
}

static void add_head(struct pk_text *out, const struct rows *r, const char *name)
{
    const struct tf_function *f = r->program->function;
    pk_add(out, "/* %s: made by tilefoundry, path fused-norm.\n *\n * %zu rows of %zu", name, r->count, r->length);
    if (r->group)
        pk_add(out, ", in groups of %zu", r->group);
    pk_add(out, ".\n *\n");
    for (uint32_t i = 0; i < f->n_params; i++)
        pk_add(out, " * args[%u]     %s  %s\n", i, pk_type(out->ctx, f->params[i]->type),
            f->params[i]->name ? f->params[i]->name : "");
    for (uint32_t i = 0; i < r->n_outputs; i++) {
        const struct tf_type *type =
            r->n_outputs > 1 || f->body->type->kind == TF_TYPE_TUPLE ? f->body->type->fields[i] : f->body->type;
        pk_add(out, " * results[%u]  %s\n", i, pk_type(out->ctx, type));
    }
    pk_add(out,
        " *\n * Dense, in C order.  Sums are those of eight elements at a time in f32, added in f64.\n"
        " * Returns 0, or 1 when there is not enough memory.\n *\n"
        " *     cc -std=c17 -O3 -march=native -ffp-contract=off -fopenmp -shared -fPIC -o FILE.so FILE.c -lm\n */\n");
}

static size_t lined(size_t n)
{
    return (n + 15) / 16 * 16;
}

/* Weights as floats, for all rows. */
static void add_weights(struct pk_text *out, const struct plan *p)
{
    const struct rows *r = p->rows;
    struct plan anew = *p;
    uint32_t made = 0;
    if (!p->n_made)
        return;
    memset(anew.is_made, 0, sizeof(anew.is_made));
    pk_add(out, "static void make_weights(const void *const *args, float *weights)\n{\n");
    for (uint32_t i = 0; i < r->n_steps; i++) {
        const struct step *step = &r->steps[i];
        const char *type = element_type(step->dtype);
        if (step->op == STEP_PARAM && step->span == SPAN_LANE)
            pk_add(out, "    const %s *const in%u = args[%u];\n", type, step->param, step->param);
        if (p->is_made[i])
            pk_add(out, "    float *const w%u = weights + %zu;\n", i, made++ * lined(r->length));
    }
    pk_add(out, "    OMP(simd)\n    for (size_t i = 0; i < %zu; i++) {\n", r->length);
    for (uint32_t i = 0; i < r->n_steps; i++)
        if (r->steps[i].span == SPAN_LANE) {
            pk_add(out, "        const float v%u = %s;\n", i, compute_text(out->ctx, &anew, i));
            if (p->is_made[i])
                pk_add(out, "        w%u[i] = v%u;\n", i, i);
        }
    pk_add(out, "    }\n}\n\n");
}

static const char ENTRY[] = "\nint %1$s(const void *const *args, void *const *results);\n"
                            "int %1$s(const void *const *args, void *const *results)\n{\n    int status = 0;\n%2$s"
                            "    OMP(parallel reduction(max : status))\n    {\n"
                            "        float *const room = aligned_alloc(64, %3$zu);\n        status = !room;\n"
                            "        OMP(for)\n        for (size_t r = 0; r < %4$zu; r++)\n            if (room)\n"
                            "                make_row(args, results, weights, room, r);\n        free(room);\n    "
                            "}\n%5$s    return status;\n}\n";

static void add_entry(struct pk_text *out, const struct plan *p, const char *name)
{
    tf_ctx *ctx = out->ctx;
    size_t bytes = p->n_made * lined(p->rows->length) * sizeof(float);
    const char *before =
        p->n_made ? tf_host->format(ctx,
                        "    float *const weights = aligned_alloc(64, %zu);\n    if (!weights)\n        return 1;\n"
                        "    make_weights(args, weights);\n",
                        bytes)
                  : "    const float *const weights = NULL;\n";
    pk_add(
        out, ENTRY, name, before, row_room(p) * sizeof(float), p->rows->count, p->n_made ? "    free(weights);\n" : "");
}

int norm_lower(tf_ctx *ctx, void *match, const char *backend, struct tf_artifact *artifact)
{
    struct plan plan;
    struct pk_text code = {.ctx = ctx}, out = {.ctx = ctx};
    plan_make(&plan, match);
    if (!is_in_order(&plan))
        return TF_E_UNSUPPORTED;
    if (strcmp(backend, "cuda-h200") == 0)
        return norm_lower_cuda(ctx, &plan, artifact);
    if (strcmp(backend, "cpu-c") != 0)
        return TF_E_UNSUPPORTED;
    const char *name = pk_entry(ctx, plan.rows->program);
    add_weights(&code, &plan);
    row_add(&code, &plan);
    add_entry(&code, &plan, name);
    add_head(&out, plan.rows, name);
    pk_add(&out, CP_HEAD);
    numbers_add(&out, code.at);
    return pk_finish(&out, name, artifact);
}

/* All operations are rounded once and as written; a sum passes through at most seven additions in f32, and those in
 * double that follow lose less than one more would. */
const char *norm_declares(tf_ctx *ctx, void *match, const char *backend)
{
    (void)ctx;
    (void)match;
    (void)backend;
    return "accumulator=f32 depth=8 div=0.5 sqrt=0.5 rsqrt=0.5 exp2=0.5 log2=0.5 fma=no";
}

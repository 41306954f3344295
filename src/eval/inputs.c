/* SPDX-License-Identifier: MIT */
#include "eval/inputs.h"

#include "eval/draw_adversarial.h"
#include "eval/files.h"
#include "plugin/numbers.h"
#include "util/diag.h"
#include "util/progress.h"

#include <string.h>

struct maker {
    tf_ctx *ctx;
    const struct tf_function *function;
    const struct input_plan *plan;
    struct tensor_memory *memory;
    struct tensor_file inputs, weights; /* of INPUT_TENSORS */
};

/* ---- what was asked for -------------------------------------------------------------------------------------------*/

static const char *after(const char *text, const char *prefix)
{
    size_t n = strlen(prefix);
    return !strncmp(text, prefix, n) && text[n] ? text + n : NULL;
}

static int split_files(tf_ctx *ctx, struct input_plan *plan, const char *text)
{
    plan->files.n = 0;
    for (;;) {
        size_t n = strcspn(text, ",");
        if (!n)
            return -1;
        VEC_PUSH(&plan->files, ctx_intern_n(ctx, text, n));
        if (!text[n])
            return 0;
        text += n + 1;
    }
}

int input_source_parse(tf_ctx *ctx, struct input_plan *plan, const char *text, int of_weights)
{
    enum input_source *source = of_weights ? &plan->weights : &plan->inputs;
    const char **path = of_weights ? &plan->weights_path : &plan->inputs_path, *rest;
    *source = INPUT_TENSORS;
    if (!strcmp(text, "random"))
        *source = INPUT_RANDOM;
    else if (!strcmp(text, "zeros"))
        *source = INPUT_ZEROS;
    else if (!of_weights && !strcmp(text, "all"))
        *source = INPUT_ALL;
    else if (!of_weights && !adversarial_parse(text, &plan->adversary))
        *source = INPUT_ADVERSARIAL;
    else if (!of_weights && (rest = after(text, "files:"))) {
        *source = INPUT_FILES;
        return split_files(ctx, plan, rest);
    } else if ((rest = after(text, "tensors:")) || (of_weights && (rest = after(text, "ckpt:"))))
        *path = rest;
    else
        return -1;
    return 0;
}

/* ---- one parameter ------------------------------------------------------------------------------------------------*/

static int is_same_name(const char *stored, const char *name)
{
    for (; *stored && *name; stored++, name++)
        if (*stored != *name && !(*stored == '.' && *name == '_'))
            return 0;
    return *stored == *name;
}

/* By its name, `in.` before it, or with the dots of a checkpoint where a weight of a child has `_`. */
static const struct file_tensor *find_tensor(struct maker *m, const struct tensor_file *file, const char *name)
{
    const struct file_tensor *found = tensor_file_find(file, name);
    if (!found)
        found = tensor_file_find(file, arena_format(&m->ctx->arena, "in.%s", name));
    for (size_t i = 0; !found && i < file->tensors.n; i++)
        if (file->tensors.at[i].name && is_same_name(file->tensors.at[i].name, name))
            found = &file->tensors.at[i];
    return found;
}

static int refuse_missing(struct maker *m, const struct tensor_file *file, const struct tf_node *param)
{
    VEC(const char *) known = {0};
    for (size_t i = 0; i < file->tensors.n; i++)
        if (file->tensors.at[i].name)
            VEC_PUSH(&known, file->tensors.at[i].name);
    const char *near = did_you_mean(param->name, known.at, known.n);
    ERROR(m->ctx, &param->loc, "input-missing", "%s: has no tensor '%s' for this parameter%s%s%s", file->path,
        param->name, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    VEC_FREE(&known);
    return TF_E_REFUSED;
}

/* Elements of another dtype are converted, as a value is that enters the program. */
static int convert(struct maker *m, struct tensor *from, const struct tf_type *type, struct tensor **to)
{
    enum { BLOCK = 512 };
    *to = tensor_of_type(m->ctx, m->memory, type);
    if (!*to)
        return TF_E_NOMEM;
    size_t from_width = number_bytes(from->pub.dtype), to_width = number_bytes(type->dtype);
    int is_float = dtype_info(from->pub.dtype)->cls == TF_CLASS_FLOAT;
    union {
        double f64[BLOCK];
        int64_t i64[BLOCK];
    } block;
    for (size_t at = 0; at < from->count; at += BLOCK) {
        size_t n = from->count - at < BLOCK ? from->count - at : BLOCK;
        const char *source = (const char *)from->pub.data + at * from_width;
        char *target = (char *)(*to)->pub.data + at * to_width;
        if (is_float) {
            number_load_f64(from->pub.dtype, n, source, block.f64);
            number_store_f64(type->dtype, n, block.f64, target, m->plan->fp8_overflow);
        } else {
            number_load_i64(from->pub.dtype, n, source, block.i64);
            number_store_i64(type->dtype, n, block.i64, target, m->plan->fp8_overflow);
        }
    }
    return TF_OK;
}

static int take_from_file(
    struct maker *m, const struct tf_node *param, const struct file_tensor *from, struct tensor **to)
{
    struct tensor *tensor = tensor_file_read(m->ctx, m->memory, from);
    if (!tensor)
        return TF_E_REFUSED;
    int rc = TF_OK;
    uint32_t dtype = tensor->pub.dtype;
    tensor->pub.dtype = param->type->dtype;
    int has_shape = tensor_has_type(tensor, param->type);
    tensor->pub.dtype = dtype;
    if (!has_shape) {
        ERROR(m->ctx, &param->loc, "input-type", "%s: the tensor for '%s' is %s, and the parameter is %s", from->path,
            param->name, tensor_text(m->ctx, tensor), type_text(m->ctx, param->type));
        rc = TF_E_REFUSED;
    } else if (dtype == param->type->dtype) {
        *to = tensor_hold(tensor);
    } else {
        rc = convert(m, tensor, param->type, to);
    }
    tensor_release(tensor);
    return rc;
}

static int take_by_name(
    struct maker *m, const struct tf_node *param, const struct tensor_file *file, struct tensor **to)
{
    const struct file_tensor *found = find_tensor(m, file, param->name);
    return found ? take_from_file(m, param, found, to) : refuse_missing(m, file, param);
}

static int take_file(struct maker *m, const struct tf_node *param, const char *path, struct tensor **to)
{
    struct tensor_file file;
    int rc = tensor_file_open(m->ctx, path, &file);
    if (rc == TF_OK && file.tensors.n != 1) {
        rc = file_refuse(
            m->ctx, path, "has %zu tensors; files: takes one a file, tensors: takes them by name", file.tensors.n);
    }
    if (rc == TF_OK)
        rc = take_from_file(m, param, file.tensors.at, to);
    tensor_file_close(&file);
    return rc;
}

static const struct named_draw *draw_named(const struct input_plan *plan, const char *name)
{
    for (size_t i = plan->draws.n; i-- > 0;)
        if (!strcmp(plan->draws.at[i].name, name))
            return &plan->draws.at[i];
    return NULL;
}

static struct draw unnamed_draw(const struct maker *m, const struct tf_node *param)
{
    enum input_source source = param->is_weight ? m->plan->weights : m->plan->inputs;
    if (source == INPUT_ADVERSARIAL)
        return (struct draw){.kind = DRAW_ADVERSARIAL, .adversary = m->plan->adversary};
    return (struct draw){.kind = source == INPUT_ZEROS ? DRAW_CONST : DRAW_DEFAULT};
}

static int draw_param(struct maker *m, const struct tf_node *param, struct generator *generator, struct tensor **to)
{
    const struct named_draw *named = draw_named(m->plan, param->name);
    struct draw draw = named ? named->draw : unnamed_draw(m, param);
    if (draw.kind == DRAW_DEFAULT && param->type->dtype == TF_DTYPE_F4E2M1) {
        ERROR(m->ctx, &param->loc, "draw", "'%s' is f4e2m1, which has no drawing of its own; say --draw %s=...",
            param->name, param->name);
        return TF_E_REFUSED;
    }
    if (draw.kind == DRAW_ADVERSARIAL)
        adversarial_suit(m->function, param->type, &draw);
    *to = tensor_of_type(m->ctx, m->memory, param->type);
    return *to ? draw_fill(m->ctx, generator, &draw, *to, m->plan->fp8_overflow) : TF_E_NOMEM;
}

/* ---- all of them --------------------------------------------------------------------------------------------------*/

static uint32_t count_inputs(const struct tf_function *function)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < function->n_params; i++)
        n += !function->params[i]->is_weight;
    return n;
}

static int check_plan(struct maker *m)
{
    const struct input_plan *plan = m->plan;
    uint32_t n = count_inputs(m->function);
    if (plan->inputs == INPUT_FILES && plan->files.n != n) {
        ERROR(m->ctx, NULL, "input-missing", "'%s' has %u parameter%s that %s no weight%s, and files: names %zu",
            m->function->name, n, n == 1 ? "" : "s", n == 1 ? "is" : "are", n == 1 ? "" : "s", plan->files.n);
        return TF_E_REFUSED;
    }
    for (size_t i = 0; i < plan->draws.n; i++) {
        uint32_t k = 0;
        while (k < m->function->n_params && strcmp(m->function->params[k]->name, plan->draws.at[i].name))
            k++;
        if (k == m->function->n_params) {
            ERROR(m->ctx, NULL, "draw", "--draw %s=%s: '%s' has no parameter of that name", plan->draws.at[i].name,
                plan->draws.at[i].text, m->function->name);
            return TF_E_REFUSED;
        }
    }
    return TF_OK;
}

static int make_inputs(struct maker *m, struct tensor **params)
{
    struct generator generator = {.seed = m->plan->seed, .threads = m->plan->threads};
    size_t next = 0;
    int rc = TF_OK;
    for (uint32_t i = 0; i < m->function->n_params && rc == TF_OK; i++) {
        const struct tf_node *param = m->function->params[i];
        if (param->is_weight)
            continue;
        progress_tell(m->ctx, "making inputs", i, m->function->n_params);
        if (m->plan->inputs == INPUT_FILES)
            rc = take_file(m, param, m->plan->files.at[next++], &params[i]);
        else if (m->plan->inputs == INPUT_TENSORS && !draw_named(m->plan, param->name))
            rc = take_by_name(m, param, &m->inputs, &params[i]);
        else
            rc = draw_param(m, param, &generator, &params[i]);
    }
    return rc;
}

static int make_weights(struct maker *m, struct tensor **params)
{
    struct generator generator = {.seed = m->plan->seed, .threads = m->plan->threads};
    int beside = m->plan->weights == INPUT_DEFAULT && m->plan->inputs == INPUT_TENSORS;
    const struct tensor_file *file = beside ? &m->inputs : &m->weights;
    int rc = TF_OK;
    for (uint32_t i = 0; i < m->function->n_params && rc == TF_OK; i++) {
        const struct tf_node *param = m->function->params[i];
        if (!param->is_weight)
            continue;
        if ((beside || m->plan->weights == INPUT_TENSORS) && !draw_named(m->plan, param->name))
            rc = take_by_name(m, param, file, &params[i]);
        else
            rc = draw_param(m, param, &generator, &params[i]);
    }
    return rc;
}

int inputs_make(tf_ctx *ctx, const struct tf_function *function, const struct input_plan *plan,
    struct tensor_memory *memory, struct tensor **params)
{
    struct maker m = {.ctx = ctx, .function = function, .plan = plan, .memory = memory};
    int rc = check_plan(&m);
    if (rc == TF_OK && plan->inputs == INPUT_TENSORS)
        rc = tensor_file_open(ctx, plan->inputs_path, &m.inputs);
    if (rc == TF_OK && plan->weights == INPUT_TENSORS)
        rc = tensor_file_open(ctx, plan->weights_path, &m.weights);
    if (rc == TF_OK)
        rc = make_inputs(&m, params);
    if (rc == TF_OK)
        rc = make_weights(&m, params);
    tensor_file_close(&m.inputs);
    tensor_file_close(&m.weights);
    return rc;
}

void inputs_free(const struct tf_function *function, struct tensor **params)
{
    for (uint32_t i = 0; i < function->n_params; i++)
        tensor_release(params[i]);
}

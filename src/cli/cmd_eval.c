/* SPDX-License-Identifier: MIT
 * `tilefoundry eval`: the values that a program computes.
 */
#include "cli/cli.h"

#include "cli/input_options.h"
#include "eval/files.h"
#include "eval/run.h"
#include "front/front.h"
#include "plugin/lowered.h"
#include "util/diag.h"
#include "util/vec.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct request {
    const char *source, *out, *path;
    struct input_plan plan;
    struct dim_bindings bound;
    int exact;
};

static int print_help(tf_ctx *ctx)
{
    (void)ctx;
    puts("usage: tilefoundry eval SOURCE --inputs HOW [OPTION]...\n"
         "\n"
         "Runs a program through its operators' own evaluations.  Without -o prints each output's shape, dtype and "
         "norm.\n"
         "SOURCE is FILE.py[:Module[.child]...[.function]].\n"
         "\n"
         "options:\n" INPUT_OPTIONS_HELP "\n"
         "  --dim NAME=EXTENT    bind an open dimension; may be repeated\n"
         "  --exact              in f64, without the roundings that the program states\n"
         "  --path NAME          as this fused path computes it, instead of the operators\n"
         "  -o OUT               OUT.safetensors, or a directory (existing, or with a / at its end) of .npy and .raw\n"
         "  -h, --help           print this help");
    return EXIT_OK;
}

/* ---- arguments ----------------------------------------------------------------------------------------------------*/

static int read_option(tf_ctx *ctx, struct args *args, void *request)
{
    struct request *r = request;
    static const char *const KNOWN[] = {
        "--inputs", "--weights", "--draw", "--dim", "--seed", "--fp8-overflow", "--exact", "--path", "-o", "--help"};
    const char *name = args->name, *value;
    int is_dim = !strcmp(name, "--dim"), is_out = !strcmp(name, "-o"), is_path = !strcmp(name, "--path");
    if (!strcmp(name, "--exact")) {
        r->exact = 1;
        return args_no_value(ctx, args);
    }
    if (!is_dim && !is_out && !is_path && !is_input_option(name))
        return usage_unknown(ctx, args, KNOWN, sizeof(KNOWN) / sizeof(*KNOWN));
    if (!(value = args_value(ctx, args)))
        return EXIT_USAGE;
    if (is_dim)
        return add_dim(ctx, &r->bound, value);
    if (!is_out && !is_path)
        return read_input_option(ctx, &r->plan, name, value);
    *(is_out ? &r->out : &r->path) = value;
    return 0;
}

/* -1 to go on, else the exit status. */
static int read_arguments(tf_ctx *ctx, int argc, char **argv, struct request *r)
{
    const struct args_of_source of = {.help = print_help, .option = read_option, .source = &r->source};
    int status = args_read(ctx, argc, argv, &of, r);
    if (status >= 0)
        return status;
    if (r->plan.inputs == INPUT_DEFAULT)
        return usage_error(ctx, "--inputs is needed: random, zeros, files:A,B or tensors:X");
    if (r->plan.inputs == INPUT_ALL)
        return usage_error(ctx, "--inputs all is for check; one run takes adversarial:CLASS");
    if (r->exact && r->path)
        return usage_error(ctx, "--exact is of the operators, and --path leaves them out: give one");
    return -1;
}

/* ---- outputs ------------------------------------------------------------------------------------------------------*/

/* out, or of a tuple out[0], out[1][0], ...: one name for each leaf. */
static void name_outputs(tf_ctx *ctx, const struct tf_type *type, const char *name, struct named_tensor **at)
{
    if (type->kind == TF_TYPE_TENSOR)
        (*at)++->name = name;
    for (uint32_t i = 0; type->kind == TF_TYPE_TUPLE && i < type->rank; i++)
        name_outputs(ctx, type->fields[i], arena_format(&ctx->arena, "%s[%" PRIu32 "]", name, i), at);
}

static int write_outputs(tf_ctx *ctx, const char *out, const struct named_tensor *outputs, uint32_t n)
{
    size_t length = strlen(out);
    if (length > 12 && !strcmp(out + length - 12, ".safetensors"))
        return safetensors_write(ctx, out, outputs, n) ? EXIT_FAILED : EXIT_OK;
    return tensors_write_directory(ctx, out, outputs, n) ? EXIT_FAILED : EXIT_OK;
}

static int give_outputs(
    tf_ctx *ctx, const struct request *r, const struct tf_function *function, const struct eval_result *result)
{
    struct named_tensor *outputs = CTX_ARRAY(ctx, struct named_tensor, result->n);
    struct named_tensor *at = outputs;
    name_outputs(ctx, function->body->type, "out", &at);
    for (uint32_t i = 0; i < result->n; i++)
        outputs[i].tensor = result->leaves[i];
    if (r->out)
        return write_outputs(ctx, r->out, outputs, result->n);
    for (uint32_t i = 0; i < result->n; i++) {
        double norm = tensor_norm(ctx, outputs[i].tensor);
        const char *text = norm == norm ? arena_format(&ctx->arena, "%.6g", norm) : "nan"; /* whatever its sign */
        printf("%s: %s norm=%s\n", outputs[i].name, tensor_text(ctx, outputs[i].tensor), text);
    }
    return EXIT_OK;
}

/* ---- the pipeline -------------------------------------------------------------------------------------------------*/

/* Tensors for the outputs, which nobody has computed yet. */
static int make_outputs(
    tf_ctx *ctx, const struct tf_type *type, struct tensor_memory *memory, struct eval_result *result)
{
    result->n = (uint32_t)type_leaves(type, NULL, 0);
    const struct tf_type **types = CTX_ARRAY(ctx, const struct tf_type *, result->n);
    result->leaves = calloc(result->n ? result->n : 1, sizeof(struct tensor *)); /* eval_result_free frees it */
    type_leaves(type, types, result->n);
    for (uint32_t i = 0; result->leaves && i < result->n; i++)
        if (!(result->leaves[i] = tensor_of_type(ctx, memory, types[i])))
            return TF_E_NOMEM;
    result->n = result->leaves ? result->n : 0;
    return result->leaves ? TF_OK : TF_E_NOMEM;
}

/* A fused path computes the whole function. */
static int evaluate_path(tf_ctx *ctx, const struct request *r, const struct tf_program *program,
    struct tensor *const *params, struct tensor_memory *memory, struct eval_result *result)
{
    const struct tf_function *function = program->function;
    const struct tf_path *path;
    void *match;
    size_t errors = diag_errors(ctx);
    int rc = path_find(ctx, program, r->path, &path, &match);
    if (!rc)
        rc = make_outputs(ctx, function->body->type, memory, result);
    if (rc)
        return rc;
    const struct tf_tensor **args = CTX_ARRAY(ctx, const struct tf_tensor *, function->n_params);
    struct tf_tensor **results = CTX_ARRAY(ctx, struct tf_tensor *, result->n);
    for (uint32_t i = 0; i < function->n_params; i++)
        args[i] = &params[i]->pub;
    for (uint32_t i = 0; i < result->n; i++)
        results[i] = &result->leaves[i]->pub;
    const struct tf_eval eval = {.struct_size = sizeof(eval),
        .args = args,
        .results = results,
        .n_args = function->n_params,
        .n_results = result->n,
        .fp8_overflow = r->plan.fp8_overflow};
    rc = path->eval ? path->eval(ctx, match, &eval) : TF_E_UNSUPPORTED;
    if (rc && diag_errors(ctx) == errors)
        ERROR(ctx, NULL, "no-evaluation", "path %s does not compute this program", r->path);
    return rc;
}

static int evaluate(
    tf_ctx *ctx, struct request *r, const struct tf_function *function, const struct tf_program *program)
{
    struct tensor **params = CTX_ARRAY(ctx, struct tensor *, function->n_params);
    struct tensor_memory memory = {0};
    struct eval_result result = {0};
    int status = EXIT_FAILED;
    int rc = inputs_make(ctx, function, &r->plan, &memory, params);
    if (rc == TF_OK)
        rc = program    ? evaluate_path(ctx, r, program, params, &memory, &result)
             : r->exact ? eval_exact(ctx, function, params, &memory, &result)
                        : eval_function(ctx, function, params, &memory, r->plan.fp8_overflow, &result);
    if (rc == TF_OK)
        status = give_outputs(ctx, r, function, &result);
    if (ctx->verbose > 0 && status == EXIT_OK)
        fprintf(stderr, "tilefoundry eval: at most %" PRIu64 " bytes of values at once\n", memory.peak);
    eval_result_free(&result);
    inputs_free(function, params);
    return status;
}

/* An extent for a dimension that the function does not have has no effect on values: it is told, and left out. */
static void leave_out_unknown(tf_ctx *ctx, struct request *r, const struct ir_function *function)
{
    size_t n = ir_dimensions(ctx, function, NULL, 0), kept = 0;
    struct dim_var *vars = CTX_ARRAY(ctx, struct dim_var, n);
    ir_dimensions(ctx, function, vars, n);
    for (size_t i = 0; i < r->bound.n; i++) {
        size_t k = 0;
        while (k < n && strcmp(vars[k].name, r->bound.at[i].name))
            k++;
        if (k < n)
            r->bound.at[kept++] = r->bound.at[i];
        else
            diag(ctx, NULL, DIAG_WARNING, "dimension-unknown", "'%s' has no dimension named '%s'; --dim %s is left out",
                function->pub.name, r->bound.at[i].name, r->bound.at[i].name);
    }
    r->bound.n = kept;
}

static int load_and_evaluate(tf_ctx *ctx, struct request *r)
{
    struct selection selected;
    if (front_load(ctx, r->source, &selected))
        return EXIT_FAILED;
    if (!selected.function)
        return refuse_no_entry(ctx, selected.module);
    if (input_plan_draws(&r->plan) && input_plan_threads(ctx, &r->plan, selected.module))
        return EXIT_FAILED;
    leave_out_unknown(ctx, r, selected.function);
    const struct ir_function *inlined =
        ir_inline_values(ctx, selected.module, selected.function, r->bound.at, r->bound.n);
    const struct tf_program *program = inlined && r->path ? ir_program_values(ctx, selected.module, inlined) : NULL;
    if (!inlined || (r->path && !program))
        return EXIT_FAILED;
    return evaluate(ctx, r, &inlined->pub, program);
}

int cmd_eval(tf_ctx *ctx, int argc, char **argv)
{
    struct request r = {0};
    int status = read_arguments(ctx, argc, argv, &r);
    if (status < 0)
        status = load_and_evaluate(ctx, &r);
    VEC_FREE(&r.plan.files);
    VEC_FREE(&r.plan.draws);
    VEC_FREE(&r.bound);
    return status;
}

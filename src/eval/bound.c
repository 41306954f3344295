/* SPDX-License-Identifier: MIT */
#include "eval/bound.h"

#include "plugin/numbers.h"
#include "type/type.h"
#include "util/diag.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What f64 holds of an integer past the first may be off by as much as the second. */
#define EXACT_INTEGERS 0x1p53
#define FAR_INTEGERS 0x1p10

void bound_settle(struct tensor *tensor, size_t i)
{
    double *lo = tensor->pub.data;
    if (tensor->pub.dtype == TF_DTYPE_I64 && fabs(lo[i]) > EXACT_INTEGERS) {
        lo[i] -= FAR_INTEGERS;
        tensor->pub.bound[i] += FAR_INTEGERS;
    }
    if (lo[i] == lo[i])
        return;
    lo[i] = (double)INFINITY;
    tensor->pub.bound[i] = -(double)INFINITY;
    tensor->pub.doubt[i] = TF_DOUBT_MAY_NAN | TF_DOUBT_MUST_NAN;
}

static size_t count_of(const struct tf_tensor *tensor)
{
    size_t n = 1;
    for (uint32_t i = 0; i < tensor->rank; i++)
        n *= (size_t)tensor->extents[i];
    return n;
}

/* Index of the first element that is no single number, or the count. */
static size_t first_open(const struct tf_tensor *tensor)
{
    const double *lo = tensor->data;
    size_t n = count_of(tensor), i = 0;
    while (i < n && lo[i] == tensor->bound[i] && !tensor->doubt[i])
        i++;
    return i;
}

/* Which argument of the call a leaf belongs to: a tuple has several. */
static uint32_t argument_of(const struct tf_eval *eval, uint32_t leaf)
{
    uint32_t arg = 0;
    for (size_t n; arg + 1 < eval->call->n_args; arg++, leaf -= (uint32_t)n) {
        n = type_leaves(eval->call->arg_types[arg], NULL, 0);
        if (leaf < n)
            break;
    }
    return arg;
}

static int refuse_open(tf_ctx *ctx, const struct tf_eval *eval, uint32_t arg)
{
    ERROR(ctx, &eval->call->loc, "bound-open",
        "%s: argument %u is not known to a single value here, and what it picks out depends on it",
        eval->call->op->name, argument_of(eval, arg));
    return TF_E_REFUSED;
}

/* ---- moving -------------------------------------------------------------------------------------------------------*/

enum part { LOWER, UPPER, DOUBTS };

/* The doubts of a tensor as numbers. */
static double *doubts_of(const struct tf_tensor *tensor)
{
    size_t n = count_of(tensor);
    double *numbers = malloc((n ? n : 1) * sizeof(*numbers));
    for (size_t i = 0; numbers && i < n; i++)
        numbers[i] = tensor->doubt[i];
    return numbers;
}

/* Of an operator with one input that takes any number of arguments, they are all that. */
static int is_moved(const struct tf_eval *eval, uint32_t leaf)
{
    const struct tf_op *op = eval->call->op;
    uint32_t input = op->n_inputs == 1 ? 0 : argument_of(eval, leaf);
    return op->moves >> input & 1;
}

/* Arguments of which the data are that part of the enclosure; what is no element moved stays what it is. */
static int take_part(const struct tf_eval *eval, enum part part, struct tf_tensor *views)
{
    for (uint32_t i = 0; i < eval->n_args; i++) {
        views[i] = *eval->args[i];
        if (!is_moved(eval, i) || part == LOWER)
            continue;
        views[i].data = part == UPPER ? (void *)eval->args[i]->bound : doubts_of(eval->args[i]);
        if (!views[i].data)
            return TF_E_NOMEM;
    }
    return TF_OK;
}

static void drop_part(const struct tf_eval *eval, enum part part, struct tf_tensor *views)
{
    for (uint32_t i = 0; part == DOUBTS && i < eval->n_args; i++)
        if (is_moved(eval, i))
            free(views[i].data);
}

static int has_doubts(const struct tf_eval *eval)
{
    for (uint32_t i = 0; i < eval->n_args; i++) {
        size_t n = count_of(eval->args[i]);
        for (size_t k = 0; k < n; k++)
            if (eval->args[i]->doubt[k])
                return 1;
    }
    return 0;
}

static int move_part(tf_ctx *ctx, const struct tf_eval *eval, enum part part)
{
    struct tf_eval once = *eval;
    struct tf_tensor *views = CTX_ARRAY(ctx, struct tf_tensor, eval->n_args);
    struct tf_tensor *outs = CTX_ARRAY(ctx, struct tf_tensor, eval->n_results);
    const struct tf_tensor **args = CTX_ARRAY(ctx, const struct tf_tensor *, eval->n_args);
    struct tf_tensor **results = CTX_ARRAY(ctx, struct tf_tensor *, eval->n_results);
    int rc = take_part(eval, part, views);
    for (uint32_t i = 0; i < eval->n_args; i++)
        args[i] = &views[i];
    for (uint32_t i = 0; i < eval->n_results; i++) {
        outs[i] = *eval->results[i];
        outs[i].data = part == LOWER ? outs[i].data : part == UPPER ? (void *)outs[i].bound : doubts_of(&outs[i]);
        results[i] = &outs[i];
        rc = outs[i].data ? rc : TF_E_NOMEM;
    }
    once.args = args;
    once.results = results;
    if (rc == TF_OK)
        rc = eval->call->op->eval(ctx, &once);
    for (uint32_t i = 0; part == DOUBTS && i < eval->n_results; i++) {
        const double *numbers = outs[i].data;
        size_t n = count_of(&outs[i]);
        for (size_t k = 0; rc == TF_OK && k < n; k++)
            eval->results[i]->doubt[k] = (uint8_t)numbers[k];
        free(outs[i].data);
    }
    drop_part(eval, part, views);
    return rc;
}

static int move(tf_ctx *ctx, const struct tf_eval *eval)
{
    int rc = TF_OK;
    for (uint32_t i = 0; i < eval->n_args; i++)
        if (!is_moved(eval, i) && first_open(eval->args[i]) < count_of(eval->args[i]))
            return refuse_open(ctx, eval, i);
    for (int part = LOWER; part <= (has_doubts(eval) ? DOUBTS : UPPER) && rc == TF_OK; part++)
        rc = move_part(ctx, eval, (enum part)part);
    return rc;
}

/* ---- points -------------------------------------------------------------------------------------------------------*/

static int all_integers(const struct tf_eval *eval)
{
    for (uint32_t i = 0; i < eval->n_args; i++)
        if (dtype_info(eval->args[i]->dtype)->cls == TF_CLASS_FLOAT)
            return 0;
    for (uint32_t i = 0; i < eval->n_results; i++)
        if (dtype_info(eval->results[i]->dtype)->cls == TF_CLASS_FLOAT)
            return 0;
    return 1;
}

/* A tensor of elements of its own dtype, with the numbers that the enclosures hold. */
static struct tensor *typed(tf_ctx *ctx, struct tensor_memory *memory, const struct tf_tensor *from)
{
    struct tensor *to = tensor_new(ctx, memory, from->dtype, from->rank, from->extents);
    if (to)
        number_store_f64(from->dtype, to->count, from->data, to->pub.data, 0);
    return to;
}

static void lift(const struct tensor *from, struct tf_tensor *to)
{
    number_load_f64(from->pub.dtype, from->count, from->pub.data, to->data);
    memcpy(to->bound, to->data, from->count * sizeof(double));
    for (size_t i = 0; i < from->count; i++)
        bound_settle((struct tensor *)to, i); /* the evaluator made it */
}

/* As the program declares it: results have no freedom where neither arguments nor the operator has one. */
static int run_points(tf_ctx *ctx, struct tensor_memory *memory, const struct tf_eval *eval)
{
    struct tf_eval once = *eval;
    struct tensor **args = CTX_ARRAY(ctx, struct tensor *, eval->n_args);
    struct tensor **results = CTX_ARRAY(ctx, struct tensor *, eval->n_results);
    int rc = TF_OK;
    once.mode = TF_EVAL_DECLARED;
    for (uint32_t i = 0; i < eval->n_args; i++)
        if (!(args[i] = typed(ctx, memory, eval->args[i])))
            rc = TF_E_NOMEM;
    for (uint32_t i = 0; i < eval->n_results; i++)
        if (!(results[i] = tensor_new(
                  ctx, memory, eval->results[i]->dtype, eval->results[i]->rank, eval->results[i]->extents)))
            rc = TF_E_NOMEM;
    once.args = (const struct tf_tensor *const *)args;
    once.results = (struct tf_tensor *const *)results;
    if (rc == TF_OK)
        rc = eval->call->op->eval(ctx, &once);
    for (uint32_t i = 0; rc == TF_OK && i < eval->n_results; i++)
        lift(results[i], eval->results[i]);
    for (uint32_t i = 0; i < eval->n_args; i++)
        tensor_release(args[i]);
    for (uint32_t i = 0; i < eval->n_results; i++)
        tensor_release(results[i]);
    return rc;
}

/* Of integers that are all known there is no freedom; of others the operator may know what becomes of them. */
static int integers(tf_ctx *ctx, struct tensor_memory *memory, const struct tf_eval *eval)
{
    uint32_t open = 0;
    while (open < eval->n_args && first_open(eval->args[open]) == count_of(eval->args[open]))
        open++;
    if (open == eval->n_args)
        return run_points(ctx, memory, eval);
    int rc = eval->call->op->eval(ctx, eval);
    return rc == TF_E_UNSUPPORTED ? refuse_open(ctx, eval, open) : rc;
}

int bound_call(tf_ctx *ctx, struct tensor_memory *memory, const struct tf_eval *eval)
{
    if (eval->call->op->moves)
        return move(ctx, eval);
    if (!eval->n_args)
        return run_points(ctx, memory, eval);
    if (!all_integers(eval))
        return eval->call->op->eval(ctx, eval);
    return integers(ctx, memory, eval);
}

/* SPDX-License-Identifier: MIT
 * Outputs that lie in tensor files.
 */
#include "check/run.h"

#include "eval/files.h"
#include "type/type.h"
#include "util/diag.h"

#include <string.h>

void leaves_release(struct leaves *leaves)
{
    for (size_t i = 0; i < leaves->n; i++)
        tensor_release(leaves->at[i].tensor);
    leaves->n = 0;
}

struct found {
    VEC(struct file_tensor) tensors;
};

/* "output[0]", or "out[0]" as eval writes it */
static const struct file_tensor *find_output(tf_ctx *ctx, const struct found *found, const char *path)
{
    const char *eval_name = arena_format(&ctx->arena, "out%s", path + strlen("output"));
    for (size_t i = 0; i < found->tensors.n; i++) {
        const char *name = found->tensors.at[i].name;
        if (name && (!strcmp(name, path) || !strcmp(name, eval_name)))
            return &found->tensors.at[i];
    }
    return NULL;
}

static int read_leaf(tf_ctx *ctx, struct tensor_memory *memory, const struct file_tensor *from, struct leaf *leaf)
{
    leaf->tensor = tensor_file_read(ctx, memory, from);
    return leaf->tensor ? 0 : CHECK_ERROR;
}

/* One tensor by the name of each output, or, when some output has none, all tensors in their order. */
static int choose(tf_ctx *ctx, struct tensor_memory *memory, const struct found *found, const char *files,
    const struct leaves *named, struct leaves *leaves)
{
    int by_name = 1, status = 0;
    for (size_t i = 0; i < named->n; i++)
        by_name &= find_output(ctx, found, named->at[i].path) != NULL;
    if (!by_name && found->tensors.n != named->n) {
        ERROR(ctx, NULL, "check-mismatch", "%s: %zu tensor%s for %zu output%s, and not one of the name of each", files,
            found->tensors.n, found->tensors.n == 1 ? "" : "s", named->n, named->n == 1 ? "" : "s");
        return CHECK_ERROR;
    }
    *leaves = (struct leaves){.n = named->n, .at = CTX_ARRAY(ctx, struct leaf, named->n)};
    for (size_t i = 0; i < named->n && !status; i++) {
        const char *path = named->at[i].path;
        leaves->at[i].path = path;
        status =
            read_leaf(ctx, memory, by_name ? find_output(ctx, found, path) : &found->tensors.at[i], &leaves->at[i]);
    }
    return status;
}

int leaves_from_files(tf_ctx *ctx, struct tensor_memory *memory, const char *const *files, size_t n,
    const struct leaves *named, struct leaves *leaves)
{
    struct found found = {0};
    struct tensor_file *open = CTX_ARRAY(ctx, struct tensor_file, n);
    const char *list = "";
    int status = 0;
    for (size_t i = 0; i < n && !status; i++) {
        list = arena_format(&ctx->arena, "%s%s%s", list, i ? ", " : "", files[i]);
        status = tensor_file_open(ctx, files[i], &open[i]) ? CHECK_ERROR : 0;
        for (size_t k = 0; k < open[i].tensors.n && !status; k++)
            VEC_PUSH(&found.tensors, open[i].tensors.at[k]);
    }
    if (!status)
        status = choose(ctx, memory, &found, list, named, leaves);
    for (size_t i = 0; i < n; i++)
        tensor_file_close(&open[i]);
    VEC_FREE(&found.tensors);
    return status;
}

static void show_file(tf_ctx *ctx, const struct tensor_file *file, const char *path, struct file_shown *shown)
{
    struct tensor_shape *shapes = CTX_ARRAY(ctx, struct tensor_shape, file->tensors.n);
    for (size_t i = 0; i < file->tensors.n; i++) {
        const struct file_tensor *tensor = &file->tensors.at[i];
        shapes[i] = (struct tensor_shape){tensor->dtype, tensor->rank,
            arena_copy(&ctx->arena, tensor->extents, tensor->rank * sizeof(*tensor->extents))};
    }
    *shown = (struct file_shown){.path = path, .n = file->tensors.n, .tensors = shapes};
}

int files_shown(tf_ctx *ctx, const struct input_plan *plan, struct run_finding *run)
{
    struct file_shown *files = CTX_ARRAY(ctx, struct file_shown, plan->files.n);
    const char **dtypes = CTX_ARRAY(ctx, const char *, plan->files.n);
    for (size_t i = 0; i < plan->files.n; i++) {
        struct tensor_file file = {0};
        int refused = tensor_file_open(ctx, plan->files.at[i], &file);
        if (!refused)
            show_file(ctx, &file, plan->files.at[i], &files[i]);
        tensor_file_close(&file);
        if (refused)
            return CHECK_ERROR;
        dtypes[i] = files[i].n ? dtype_info(files[i].tensors[0].dtype)->name : "none";
    }
    run->files = files;
    run->n_files = run->n_actual = plan->files.n;
    run->actual = dtypes;
    return 0;
}

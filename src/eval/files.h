/* SPDX-License-Identifier: MIT
 * Tensors in files: .safetensors, .npy, raw elements with a sidecar, and checkpoint directories.
 */
#ifndef TF_EVAL_FILES_H
#define TF_EVAL_FILES_H

#include "eval/json.h"
#include "eval/tensor.h"
#include "util/vec.h"

/* One tensor in a file: what the header says, checked against the file's size. */
struct file_tensor {
    const char *name; /* NULL in a form that holds one tensor without a name */
    const char *path;
    uint32_t dtype, rank;
    int64_t extents[TF_MAX_RANK];
    uint64_t offset, bytes;
    int is_packed; /* two elements a byte, the first in the low half */
};

struct tensor_file {
    const char *path;
    VEC(struct file_tensor) tensors;
};

/* A file of any of the forms, by the end of its name, or a directory of .safetensors with or without an index.  Reads
 * headers only.  0, or TF_E_REFUSED after a diagnostic; tensor_file_close in either case. */
int tensor_file_open(tf_ctx *ctx, const char *path, struct tensor_file *file);
void tensor_file_close(struct tensor_file *file);
const struct file_tensor *tensor_file_find(const struct tensor_file *file, const char *name); /* NULL: none */
/* The elements, in the dtype of the file.  NULL after a diagnostic. */
struct tensor *tensor_file_read(tf_ctx *ctx, struct tensor_memory *memory, const struct file_tensor *from);

struct named_tensor {
    const char *name;
    const struct tensor *tensor;
};
int safetensors_write(tf_ctx *ctx, const char *path, const struct named_tensor *tensors, size_t n);
/* DIRECTORY/NAME.npy, or, of a dtype that .npy has no word for, NAME.raw with the sidecar NAME.raw.json. */
int tensors_write_directory(tf_ctx *ctx, const char *directory, const struct named_tensor *tensors, size_t n);

/* ---- the forms (safetensors.c, npy.c, raw.c); `file` gets what is found ------------------------------------------*/

struct open_file { /* being read */
    tf_ctx *ctx;
    const char *path;
    int fd;
    uint64_t size;
};
#define REFUSE_FILE(from, ...) file_refuse((from)->ctx, (from)->path, __VA_ARGS__)
int file_refuse(tf_ctx *ctx, const char *path, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Exactly n bytes from offset; not 0 after a diagnostic. */
int file_bytes(const struct open_file *from, uint64_t offset, size_t n, void *to);
/* Bytes of elements of this shape; not 0 when they pass 64 bits. */
int shape_bytes(uint32_t dtype, uint32_t rank, const int64_t *extents, uint64_t *bytes);
/* Extents from a JSON list of numbers; not 0 when it is none, or has too many. */
int shape_from_json(const struct json_item *list, uint32_t *rank, int64_t *extents);
const struct json_item *json_parse(const struct open_file *from, const char *text, size_t length);
const struct json_item *json_get(const struct json_item *map, const char *key); /* NULL: not there */
uint32_t dtype_named(const char *name); /* by our own names; TF_DTYPE_COUNT: none */

int safetensors_open(const struct open_file *from, struct tensor_file *file);
int npy_open(const struct open_file *from, struct tensor_file *file);
int raw_open(const struct open_file *from, struct tensor_file *file);
int npy_write(tf_ctx *ctx, const char *path, const struct tensor *tensor); /* TF_E_UNSUPPORTED: no word for the dtype */
int raw_write(tf_ctx *ctx, const char *path, const struct tensor *tensor);

#endif

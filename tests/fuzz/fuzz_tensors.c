/* SPDX-License-Identifier: MIT
 * A tensor file: after a first byte of 1 a .npy, else a .safetensors.  What is accepted is read whole.
 */
#include "fuzz/fuzz.h"

#include "eval/files.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static void read_all(tf_ctx *ctx, const struct tensor_file *file)
{
    struct tensor_memory memory = {0};
    for (size_t i = 0; i < file->tensors.n; i++) {
        struct tensor *tensor = tensor_file_read(ctx, &memory, &file->tensors.at[i]);
        if (!tensor || tensor->bytes != file->tensors.at[i].bytes)
            abort(); /* headers are held to the file's size before anything is read */
        tensor_release(tensor);
    }
    if (memory.now)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size)
        return 0;
    tf_ctx *ctx = fuzz_ctx();
    const char *path = fuzz_file(data + 1, size - 1);
    struct open_file from = {.ctx = ctx, .path = path, .fd = open(path, O_RDONLY | O_CLOEXEC), .size = size - 1};
    struct tensor_file file = {.path = path};
    if (from.fd < 0)
        abort();
    int rc = data[0] == 1 ? npy_open(&from, &file) : safetensors_open(&from, &file);
    if (rc == TF_OK)
        read_all(ctx, &file);
    tensor_file_close(&file);
    close(from.fd);
    fuzz_file_close();
    fuzz_done(ctx);
    return 0;
}

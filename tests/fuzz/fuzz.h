/* SPDX-License-Identifier: MIT
 * What the fuzz targets share.  Each defines LLVMFuzzerTestOneInput; libFuzzer drives it, or stub_main.c replays files.
 */
#ifndef TF_TESTS_FUZZ_H
#define TF_TESTS_FUZZ_H

#include "util/ctx.h"

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A context with limits that keep one input to a fraction of a second, and the build tree's plugins. */
tf_ctx *fuzz_ctx(void);
void fuzz_done(tf_ctx *ctx);

/* The bytes as a file that can be opened by path; closed by fuzz_file_close. */
const char *fuzz_file(const uint8_t *data, size_t size);
void fuzz_file_close(void);

#endif

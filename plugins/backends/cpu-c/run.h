/* SPDX-License-Identifier: MIT
 * cpu-c: from source to code that runs.  What compiles it is $CC, in a process that tidies up even when this one is
 * killed (compile.c); what was compiled once is kept (cache.c).
 */
#ifndef TF_CPU_C_RUN_H
#define TF_CPU_C_RUN_H

#include "cpu_c.h"

#define NO_COMPILER "cpu-c-compiler"
#define NOT_COMPILED "cpu-c-compile"
#define NOT_LOADED "cpu-c-load"
#define KERNEL_REFUSED "cpu-c-run"
#define CACHE_UNSAFE "cpu-c-cache"

#define CPU_C_VERSION "0.1"

/* Arguments of a command, NULL-terminated. */
struct words {
    const char *at[64];
    size_t n;
};

struct compiler {
    struct words command, flags; /* flags: as wanted, of $TILEFOUNDRY_CFLAGS at the end */
    const char *identity;        /* what its --version says */
};
int compiler_find(
    tf_ctx *ctx, struct compiler *compiler, uint32_t fp8_overflow); /* TF_OK, or TF_E_REFUSED after a diagnostic */

/* Compiles the text into the file `kept`, or, where that is NULL, into one that is gone as soon as `use` has returned.
 * use: given the file's name; what it gives is given back. */
int compile_text(tf_ctx *ctx, const struct compiler *compiler, const struct tf_artifact *artifact, const char *kept,
    int (*use)(void *data, const char *file), void *data);

/* The file that keeps what this compiler makes of this source; NULL where nothing is kept. */
const char *cache_file(tf_ctx *ctx, const struct compiler *compiler, const struct tf_artifact *artifact);
const char *cpu_text(tf_ctx *ctx, const char *key); /* of /proc/cpuinfo; NULL: it has none */

/* 64 hexadecimal digits of the SHA-256 of some pieces of text, whose ends count. */
struct piece {
    const char *at;
    size_t n;
};
const char *digest_text(tf_ctx *ctx, const struct piece *pieces, size_t n);

int cpu_c_compile(tf_ctx *ctx, const struct tf_artifact *artifact, void **module);
int cpu_c_launch(tf_ctx *ctx, void *module, const struct tf_tensor *const *args, struct tf_tensor *const *results);
int cpu_c_time(tf_ctx *ctx, void *module, const struct tf_tensor *const *args, struct tf_tensor *const *results,
    uint32_t repeats, double *nanoseconds);
void cpu_c_release(tf_ctx *ctx, void *module);
int cpu_c_measure(tf_ctx *ctx, void *module, const struct tf_tensor *const *args, struct tf_tensor *const *results,
    struct tf_timing *timing);
int cpu_threads(void); /* that OpenMP will use */
int cpu_c_calibrate(tf_ctx *ctx, const struct tf_calibration *to);
int cpu_c_probe(tf_ctx *ctx, const char **text);

#endif

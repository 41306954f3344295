/* SPDX-License-Identifier: MIT
 * Evaluation of quant: of each group, scale = absmax / 448, and codes of clamp(x / scale, -448, 448); all in f32.
 * A group whose scale would be 0 has scale 1, so that its codes are 0 and not what 0 / 0 is.  NaN makes its group NaN.
 */
#include "eval_fold.h"

#define LARGEST 448
#define BLOCK 256u

enum { GROUP = 1 }; /* among the attributes */

/* One group, in the type that it is computed in. */
#define QUANT(name, type, load, store, ABS)                                                                            \
    static void name(const struct tf_eval *eval, size_t at, size_t n, size_t group)                                    \
    {                                                                                                                  \
        const struct tf_tensor *x = eval->args[0], *codes = eval->results[0], *scales = eval->results[1];              \
        type block[BLOCK], largest = 0, scale;                                                                         \
        for (size_t i = 0; i < n; i += BLOCK) {                                                                        \
            size_t m = n - i < BLOCK ? n - i : BLOCK;                                                                  \
            tf_host->load(ak_held(eval, x), m, ak_at(eval, x, at + i), block);                                         \
            for (size_t k = 0; k < m; k++) {                                                                           \
                type magnitude = ABS(block[k]);                                                                        \
                largest = magnitude > largest || magnitude != magnitude ? magnitude : largest;                         \
            }                                                                                                          \
        }                                                                                                              \
        scale = largest / LARGEST;                                                                                     \
        scale = scale == 0 ? 1 : scale;                                                                                \
        for (size_t i = 0; i < n; i += BLOCK) {                                                                        \
            size_t m = n - i < BLOCK ? n - i : BLOCK;                                                                  \
            tf_host->load(ak_held(eval, x), m, ak_at(eval, x, at + i), block);                                         \
            for (size_t k = 0; k < m; k++) {                                                                           \
                type q = block[k] / scale;                                                                             \
                q = q > LARGEST ? LARGEST : q;                                                                         \
                block[k] = q < -LARGEST ? -LARGEST : q;                                                                \
            }                                                                                                          \
            tf_host->store(ak_held(eval, codes), m, block, ak_at(eval, codes, at + i), eval->fp8_overflow);            \
        }                                                                                                              \
        tf_host->store(ak_held(eval, scales), 1, &scale, ak_at(eval, scales, group), eval->fp8_overflow);              \
    }
QUANT(quant_f32, float, load_f32, store_f32, __builtin_fabsf)
QUANT(quant_f64, double, load_f64, store_f64, __builtin_fabs)

int reduce_eval_quant(tf_ctx *ctx, const struct tf_eval *eval)
{
    (void)ctx;
    size_t n = (size_t)ak_number(&eval->call->attrs[GROUP]), groups = ak_count(eval->results[1]);
    int rc = ak_begin(eval);
    for (size_t i = 0; rc == TF_OK && i < groups; i++)
        (eval->mode == TF_EVAL_EXACT ? quant_f64 : quant_f32)(eval, i * n, n, i);
    return rc;
}

/* SPDX-License-Identifier: MIT
 * Evaluation of quant: of each group, scale = absmax / 448, and codes of clamp(x / scale, -448, 448); all in f32.
 * A group whose scale would be 0 has scale 1, so that its codes are 0 and not what 0 / 0 is.  NaN makes its group NaN.
 */
#include "bound_reduce.h"
#include "eval_fold.h"

#define LARGEST 448
#define BLOCK 256u /* a multiple of LANES */
#define LANES 16u  /* a number that the compiler knows, so that it vectorises; the block ends in zeros */

enum { GROUP = 1 }; /* among the attributes */

/* What a group takes, in the type that it is computed in. */
#define QUANT(suffix, type, ABS)                                                                                       \
    static void load_block_##suffix(const struct tf_eval *eval, size_t at, size_t n, type *block)                      \
    {                                                                                                                  \
        const struct tf_tensor *x = eval->args[0];                                                                     \
        tf_host->load_##suffix(ak_held(eval, x), n, ak_at(eval, x, at), block);                                        \
        for (size_t i = n; i % LANES; i++)                                                                             \
            block[i] = 0;                                                                                              \
    }                                                                                                                  \
                                                                                                                       \
    static type largest_##suffix(size_t n, const type *block, type largest)                                            \
    {                                                                                                                  \
        type lane[LANES] = {largest};                                                                                  \
        for (size_t i = 0; i < n; i += LANES)                                                                          \
            for (size_t k = 0; k < LANES; k++) {                                                                       \
                type magnitude = ABS(block[i + k]);                                                                    \
                lane[k] = magnitude > lane[k] || magnitude != magnitude ? magnitude : lane[k];                         \
            }                                                                                                          \
        for (size_t k = 1; k < LANES; k++)                                                                             \
            lane[0] = lane[k] > lane[0] || lane[k] != lane[k] ? lane[k] : lane[0];                                     \
        return lane[0];                                                                                                \
    }                                                                                                                  \
                                                                                                                       \
    static void divide_##suffix(size_t n, type *block, type scale)                                                     \
    {                                                                                                                  \
        for (size_t i = 0; i < n; i += LANES)                                                                          \
            for (size_t k = 0; k < LANES; k++) {                                                                       \
                type quotient = block[i + k] / scale;                                                                  \
                quotient = quotient > LARGEST ? LARGEST : quotient;                                                    \
                block[i + k] = quotient < -LARGEST ? -LARGEST : quotient;                                              \
            }                                                                                                          \
    }                                                                                                                  \
                                                                                                                       \
    static void quant_##suffix(const struct tf_eval *eval, size_t at, size_t n, size_t group)                          \
    {                                                                                                                  \
        const struct tf_tensor *codes = eval->results[0], *scales = eval->results[1];                                  \
        type block[BLOCK], largest = 0, scale;                                                                         \
        for (size_t i = 0; i < n; i += BLOCK) {                                                                        \
            size_t m = n - i < BLOCK ? n - i : BLOCK;                                                                  \
            load_block_##suffix(eval, at + i, m, block);                                                               \
            largest = largest_##suffix(m, block, largest);                                                             \
        }                                                                                                              \
        scale = largest / LARGEST;                                                                                     \
        scale = scale == 0 ? 1 : scale;                                                                                \
        for (size_t i = 0; i < n; i += BLOCK) {                                                                        \
            size_t m = n - i < BLOCK ? n - i : BLOCK;                                                                  \
            if (n > BLOCK)                                                                                             \
                load_block_##suffix(eval, at + i, m, block);                                                           \
            divide_##suffix(m, block, scale);                                                                          \
            tf_host->store_##suffix(ak_held(eval, codes), m, block, ak_at(eval, codes, at + i), eval->fp8_overflow);   \
        }                                                                                                              \
        tf_host->store_##suffix(ak_held(eval, scales), 1, &scale, ak_at(eval, scales, group), eval->fp8_overflow);     \
    }
QUANT(f32, float, __builtin_fabsf)
QUANT(f64, double, __builtin_fabs)

int reduce_eval_quant(tf_ctx *ctx, const struct tf_eval *eval)
{
    (void)ctx;
    if (eval->mode == TF_EVAL_BOUND)
        return reduce_bound_quant(eval);
    size_t n = (size_t)ak_number(&eval->call->attrs[GROUP]), groups = ak_count(eval->results[1]);
    int rc = ak_begin(eval);
    for (size_t i = 0; rc == TF_OK && i < groups; i++)
        (eval->mode == TF_EVAL_EXACT ? quant_f64 : quant_f32)(eval, i * n, n, i);
    return rc;
}

/* SPDX-License-Identifier: MIT
 * Numbers of every dtype to and from those that C computes with (eval/convert.c), and the functions of real numbers
 * (eval/math.c): what evaluation lends to plugins, declared here for the host table.
 *
 * In memory an element of bool is a byte, 0 or 1, and one of f4e2m1 is a byte with the code in its low four bits; all
 * others have the bytes of their dtype.  Conversions round to nearest, ties to even.  A float becomes an integer by
 * truncation; what is out of range, and NaN, becomes the least integer.  Integers wrap into narrower ones.
 */
#ifndef TF_PLUGIN_NUMBERS_H
#define TF_PLUGIN_NUMBERS_H

#include "util/ctx.h"

/* What an fp8 dtype makes of magnitudes past its largest, infinities included (fp8_overflow of tf_eval). */
#define FP8_SATURATE 0u
#define FP8_NAN 1u /* the non-saturating conversion: e4m3 NaN, e5m2 infinity */

uint32_t number_bytes(uint32_t dtype); /* of one element in memory */

void number_load_f32(uint32_t dtype, size_t n, const void *from, float *to);
void number_load_f64(uint32_t dtype, size_t n, const void *from, double *to);
void number_load_i64(uint32_t dtype, size_t n, const void *from, int64_t *to);
void number_store_f32(uint32_t dtype, size_t n, const float *from, void *to, uint32_t fp8_overflow);
void number_store_f64(uint32_t dtype, size_t n, const double *from, void *to, uint32_t fp8_overflow);
void number_store_i64(uint32_t dtype, size_t n, const int64_t *from, void *to, uint32_t fp8_overflow);

/* Opens modules/math.so on first use; NULL after a diagnostic. */
const struct tf_math *number_math(tf_ctx *ctx);

#endif

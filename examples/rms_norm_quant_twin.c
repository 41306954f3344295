/* SPDX-License-Identifier: MIT
 * The step of rms_norm_quant.py by hand: a row at a time, normalized, scaled and quantized block by block.
 *
 *     cc -O2 -shared -fPIC -I PREFIX/include -o twin.so rms_norm_quant_twin.c -lm
 *     tilefoundry check rms_norm_quant.py:Fused --twin twin.so --inputs random --weights random \
 *         --out 'output[0]' --fn equal --out 'output[1]' --fn allclose --atol 1e-6 --rtol 1e-6
 */
#include <tilefoundry/twin.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK 128
#define EPS 1e-6f
#define FP8_MAX 448.0f

static float from_bf16(uint16_t code)
{
    uint32_t bits = (uint32_t)code << 16;
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

/* Rounded to bf16, ties to even; finite values only. */
static float to_bf16(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    bits += 0x7fff + (bits >> 16 & 1);
    return from_bf16((uint16_t)(bits >> 16));
}

/* The e4m3 code of a magnitude up to 448, ties to even; codes of a sign lie in the order of their values. */
static uint8_t to_e4m3(float value)
{
    int exponent;
    float magnitude = fabsf(value);
    frexpf(magnitude, &exponent);
    exponent = exponent - 1 < -6 ? -6 : exponent - 1;
    int steps = (int)rintf(ldexpf(magnitude, 3 - exponent)); /* 8 to 16 of this binade; below 8: subnormal */
    return (uint8_t)((signbit(value) ? 0x80 : 0) | ((exponent + 6) * 8 + steps));
}

/* Groups of eight in f32, the groups in f64. */
static float mean_of_squares(const float *x, int64_t n)
{
    double sum = 0;
    for (int64_t at = 0; at < n; at += 8) {
        float group = x[at] * x[at];
        for (int64_t i = at + 1; i < at + 8 && i < n; i++)
            group += x[i] * x[i];
        sum += (double)group;
    }
    return (float)(sum / (double)n);
}

static void quantize_block(const float *x, uint8_t *codes, float *scale)
{
    float amax = 0;
    for (int i = 0; i < BLOCK; i++)
        amax = fmaxf(amax, fabsf(x[i]));
    *scale = amax * (1.0f / FP8_MAX);
    for (int i = 0; i < BLOCK; i++)
        codes[i] = to_e4m3(fminf(fmaxf(x[i] / *scale, -FP8_MAX), FP8_MAX));
}

TF_TWIN(tilefoundry_twin)
{
    int64_t rows = call->args[0]->extents[0], width = call->args[0]->extents[1], blocks = width / BLOCK;
    const uint16_t *a = call->args[0]->data, *gamma = call->args[1]->data;
    uint8_t *codes = call->results[0]->data;
    float *scales = call->results[1]->data, *x = malloc((size_t)width * sizeof(*x));
    for (int64_t row = 0; row < rows; row++) {
        for (int64_t i = 0; i < width; i++)
            x[i] = from_bf16(a[row * width + i]);
        float rsqrt = (float)(1 / sqrt((double)(mean_of_squares(x, width) + EPS)));
        for (int64_t i = 0; i < width; i++)
            x[i] = to_bf16(to_bf16(x[i] * rsqrt) * from_bf16(gamma[i]));
        for (int64_t b = 0; b < blocks; b++)
            quantize_block(x + b * BLOCK, codes + row * width + b * BLOCK, &scales[row * blocks + b]);
    }
    free(x);
    return 0;
}

/* SPDX-License-Identifier: MIT
 * Implementations with a fault that random inputs, or memory that happens to hold the right thing, do not show.
 */
#include <tilefoundry/twin.h>

#include <math.h>
#include <stdint.h>
#include <string.h>

/* To bf16 by adding half a step: ties go away from zero instead of to even. */
TF_TWIN(away)
{
    const uint32_t *x = call->args[0]->data;
    uint16_t *y = call->results[0]->data;
    for (int64_t i = 0; i < 16 * 32; i++) {
        int is_nan = (x[i] & 0x7fffffff) > 0x7f800000, is_infinite = (x[i] & 0x7fffffff) == 0x7f800000;
        y[i] = (uint16_t)(is_nan || is_infinite ? (x[i] >> 16) | (is_nan ? 0x40u : 0) : (x[i] + 0x8000) >> 16);
    }
    return 0;
}

/* A sum that leaves NaN out. */
TF_TWIN(drops_nan)
{
    const float *x = call->args[0]->data;
    float *y = call->results[0]->data;
    for (int64_t r = 0; r < 4; r++) {
        double sum = 0;
        for (int64_t i = 0; i < 128; i += 8) {
            float group = 0;
            for (int k = 0; k < 8; k++)
                group += isnan(x[r * 128 + i + k]) ? 0 : x[r * 128 + i + k];
            sum += (double)group;
        }
        y[r] = (float)sum;
    }
    return 0;
}

/* Steps of 32 in k, of which the last is cut off only where `even` says that it may not be whole. */
static int multiply(const struct tf_twin_call *call, int64_t even)
{
    const float *a = call->args[0]->data, *b = call->args[1]->data;
    float *c = call->results[0]->data;
    int64_t n = call->args[0]->extents[1], end = n % even ? n : (n + 31) / 32 * 32;
    for (int64_t i = 0; i < 32; i++)
        for (int64_t j = 0; j < 32; j++) {
            double sum = 0;
            for (int64_t k = 0; k < end; k++)
                sum += (double)a[i * n + k] * (double)b[k * 32 + j];
            c[i * 32 + j] = (float)sum;
        }
    return 0;
}

TF_TWIN(whole_steps)
{
    return multiply(call, 32);
}

TF_TWIN(even_steps)
{
    return multiply(call, 2);
}

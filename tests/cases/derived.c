/* SPDX-License-Identifier: MIT
 * Legal results that are not the reference's, and wrong ones beside them.
 */
#include <tilefoundry/twin.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- a dot that cancels: what an order gives, and what none does --------------------------------------------------*/

static int give(const struct tf_twin_call *call, float value)
{
    *(float *)call->results[0]->data = value;
    return 0;
}

/* a[0] and a[2] first, or the small one lost in a large one; the inputs in reverse order give the same */
TF_TWIN(one)
{
    const float *a = call->args[0]->data;
    return give(call, (a[0] + a[2]) + a[1]);
}

TF_TWIN(nothing)
{
    const float *a = call->args[0]->data;
    volatile float sum = a[0] + a[1];
    return give(call, sum + a[2]);
}

TF_TWIN(forty)
{
    const float *a = call->args[0]->data;
    return give(call, 40 * a[1]);
}

/* ---- one product of 448 squared, and ones: as an H200 gave them ---------------------------------------------------*/

static double code(const struct tf_tensor *t, int64_t i)
{
    unsigned c = ((const uint8_t *)t->data)[i], exponent = c >> 3 & 15, fraction = c & 7;
    double magnitude = exponent ? ldexp(8 + fraction, (int)exponent - 10) : ldexp(fraction, -9);
    return c & 0x80 ? -magnitude : magnitude;
}

static double cut(double x, double largest)
{
    double unit = ldexp(1, ilogb(largest) - 13);
    return trunc(x / unit) * unit;
}

/* promoted: products after which the sum is added to another in f32; 0: never */
static int multiply(const struct tf_twin_call *call, int64_t promoted)
{
    int64_t k = call->args[0]->extents[1];
    double sum = 0;
    float all = 0;
    for (int64_t at = 0; at < k; at += 32) {
        double largest = fabs(sum), total = 0;
        for (int64_t i = at; i < k && i < at + 32; i++)
            largest = fmax(largest, fabs(code(call->args[0], i) * code(call->args[1], i)));
        for (int64_t i = at; i < k && i < at + 32; i++)
            total += cut(code(call->args[0], i) * code(call->args[1], i), largest);
        total += cut(sum, largest);
        sum = cut(total, total);
        if (promoted && (at + 32) % promoted == 0)
            all += (float)sum, sum = 0;
    }
    return give(call, all + (float)sum);
}

TF_TWIN(plain)
{
    return multiply(call, 0);
}

TF_TWIN(promoted)
{
    return multiply(call, 128);
}

/* Every addend of the last steps lost. */
TF_TWIN(stops)
{
    int64_t k = call->args[0]->extents[1];
    double sum = 0;
    for (int64_t i = 0; i < k / 2; i++)
        sum += code(call->args[0], i) * code(call->args[1], i);
    return give(call, (float)(0.99 * sum));
}

/* ---- a step with another order of its sum -------------------------------------------------------------------------*/

static float of_bf16(uint16_t bits)
{
    uint32_t wide = (uint32_t)bits << 16;
    float x;
    memcpy(&x, &wide, sizeof(x));
    return x;
}

static float to_bf16(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof(bits));
    return of_bf16((uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16));
}

/* Ties to even; |x| <= 448. */
static uint8_t to_fp8(float x)
{
    double magnitude = fabs((double)x);
    int exponent = magnitude < ldexp(1, -6) ? -6 : ilogb(magnitude);
    int steps = (int)nearbyint(ldexp(magnitude, 3 - exponent)), sign = signbit(x) ? 0x80 : 0;
    return (uint8_t)(sign | (((exponent + 6) << 3) + steps));
}

static int norm(const struct tf_twin_call *call, int fault)
{
    const struct tf_tensor *x = call->args[0];
    int64_t rows = x->extents[0], n = x->extents[1];
    float *v = malloc((size_t)n * sizeof(*v)), *scales = call->results[1]->data;
    uint8_t *codes = call->results[0]->data;
    for (int64_t row = 0; row < rows; row++) {
        float lanes[32] = {0}, amax = 0;
        for (int64_t i = 0; i < n; i++) {
            v[i] = of_bf16(((const uint16_t *)x->data)[row * n + i]);
            lanes[i % 32] = fmaf(v[i], v[i], lanes[i % 32]);
        }
        for (int width = 16; width; width /= 2)
            for (int i = 0; i < width; i++)
                lanes[i] += lanes[i + width];
        float r = 1 / sqrtf(lanes[0] / (float)n + 1e-6f);
        for (int64_t i = 0; i < n; i++) {
            v[i] = to_bf16(v[i] * r);
            amax = fmaxf(amax, fabsf(v[i]));
        }
        scales[row] = amax / 448;
        float inverse = 1 / scales[row]; /* a division that is off by 2 in the last place at most */
        for (int64_t i = 0; i < n; i++)
            codes[row * n + i] = to_fp8(v[i] * inverse);
    }
    for (int64_t i = 0; fault && i < 1; i++)
        codes[rows * n / 2] ^= 1; /* one code off */
    free(v);
    return 0;
}

TF_TWIN(lanes)
{
    return norm(call, 0);
}

TF_TWIN(lanes_off)
{
    return norm(call, 1);
}

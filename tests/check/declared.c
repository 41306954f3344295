/* SPDX-License-Identifier: MIT
 * Products as a tensor core adds them.
 */
#include <tilefoundry/twin.h>

#include <math.h>

static double value(const struct tf_tensor *t, int64_t i)
{
    unsigned code = ((const uint8_t *)t->data)[i], exponent = code >> 3 & 15, fraction = code & 7;
    double magnitude = exponent ? ldexp(8 + fraction, (int)exponent - 10) : ldexp(fraction, -9);
    return code & 0x80 ? -magnitude : magnitude;
}

static double cut(double x, double largest, int bits)
{
    double unit = ldexp(1, ilogb(largest) - bits);
    return trunc(x / unit) * unit;
}

/* `step` products at once, and the sum so far: what lies that many bits below the largest is cut off. */
static double add(
    const struct tf_twin_call *call, int64_t row, int64_t column, int64_t from, int64_t to, int bits, double sum)
{
    int64_t k = call->args[0]->extents[1], n = call->args[1]->extents[1];
    double largest = fabs(sum), total = 0, product[32];
    for (int64_t i = from; i < to; i++) {
        product[i - from] = value(call->args[0], row * k + i) * value(call->args[1], i * n + column);
        largest = fmax(largest, fabs(product[i - from]));
    }
    for (int64_t i = from; i < to; i++)
        total += largest > 0 ? cut(product[i - from], largest, bits) : 0;
    total += largest > 0 ? cut(sum, largest, bits) : 0;
    return total == 0 ? 0 : cut(total, total, bits);
}

static int multiply(const struct tf_twin_call *call, int bits)
{
    float *to = call->results[0]->data;
    int64_t m = call->args[0]->extents[0], k = call->args[0]->extents[1], n = call->args[1]->extents[1];
    for (int64_t row = 0; row < m; row++)
        for (int64_t column = 0; column < n; column++) {
            double sum = 0;
            for (int64_t at = 0; at < k; at += 32)
                sum = add(call, row, column, at, k - at < 32 ? k : at + 32, bits, sum);
            to[row * n + column] = (float)sum;
        }
    return 0;
}

TF_TWIN(thirteen)
{
    return multiply(call, 13);
}

TF_TWIN(nine)
{
    return multiply(call, 9);
}

#ifdef DECLARES
TF_TWIN_DECLARES(DECLARES);
#endif

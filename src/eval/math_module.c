/* SPDX-License-Identifier: MIT
 * modules/math.so: what needs the mathematical library, apart, so that only a run that evaluates loads it.
 */
#include <tilefoundry/plugin.h>

#include <math.h>

__attribute__((visibility("default"))) extern const struct tf_math tilefoundry_math;
const struct tf_math tilefoundry_math = {
    .struct_size = sizeof(struct tf_math),
    .exp = exp,
    .exp2 = exp2,
    .expm1 = expm1,
    .log = log,
    .log2 = log2,
    .log1p = log1p,
    .sqrt = sqrt,
    .tanh = tanh,
    .erf = erf,
    .erfc = erfc,
    .sin = sin,
    .cos = cos,
    .floor = floor,
    .ceil = ceil,
    .rint = rint,
    .fmod = fmod,
    .fma = fma,
    .fma_f32 = fmaf,
};

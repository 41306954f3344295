# SPDX-License-Identifier: MIT
# Each function is nearly a quantisation, and the path does not take it.
from tilefoundry import func, module
from tilefoundry.dsl import Mesh, ReduceKind, Tensor, Topology, tf
from tilefoundry.target import CudaTarget


@module(entry="other_bound", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 1),))
class Q:
    @func
    def other_bound(a: Tensor[(6, 384), "bf16"]):
        x = tf.cast(a, "f32")
        scale = tf.reduce(x, (-1,), True, ReduceKind.ABS_MAX) / 448.0
        q = x / scale
        codes = tf.cast(tf.clamp(q, -447.0, 448.0), "fp8e4m3")
        return (codes, scale)

    @func
    def narrow_bounds(a: Tensor[(6, 384), "bf16"]):
        x = tf.cast(a, "f32")
        scale = tf.reduce(x, (-1,), True, ReduceKind.ABS_MAX) / 448.0
        q = x / scale
        codes = tf.cast(tf.clamp(q, -240.0, 240.0), "fp8e4m3")
        return (codes, scale)

    @func
    def upper_bound_only(a: Tensor[(6, 384), "bf16"]):
        x = tf.cast(a, "f32")
        scale = tf.reduce(x, (-1,), True, ReduceKind.ABS_MAX) / 448.0
        q = x / scale
        codes = tf.cast(tf.minimum(q, 448.0), "fp8e4m3")
        return (codes, scale)

    @func
    def other_factor(a: Tensor[(6, 384), "bf16"]):
        x = tf.cast(a, "f32")
        scale = tf.reduce(x, (-1,), True, ReduceKind.ABS_MAX) / 447.0
        q = x / scale
        codes = tf.cast(tf.clamp(q, -448.0, 448.0), "fp8e4m3")
        return (codes, scale)

    @func
    def other_inverse_factor(a: Tensor[(6, 384), "bf16"]):
        x = tf.cast(a, "f32")
        scale = tf.reduce(x, (-1,), True, ReduceKind.ABS_MAX) * (1.0 / 447.0)
        q = x / scale
        codes = tf.cast(tf.clamp(q, -448.0, 448.0), "fp8e4m3")
        return (codes, scale)

    @func
    def bounds_of_e4m3(a: Tensor[(6, 384), "bf16"]):
        x = tf.cast(a, "f32")
        scale = tf.reduce(x, (-1,), True, ReduceKind.ABS_MAX) / 448.0
        q = x / scale
        codes = tf.cast(tf.clamp(q, -448.0, 448.0), "fp8e5m2")
        return (codes, scale)

    @func
    def factor_of_e4m3(a: Tensor[(6, 384), "bf16"]):
        x = tf.cast(a, "f32")
        scale = tf.reduce(x, (-1,), True, ReduceKind.ABS_MAX) / 448.0
        q = x / scale
        codes = tf.cast(tf.clamp(q, -57344.0, 57344.0), "fp8e5m2")
        return (codes, scale)

    @func
    def two_factors(a: Tensor[(6, 384), "bf16"]):
        x = tf.cast(a, "f32")
        scale = tf.reduce(x, (-1,), True, ReduceKind.ABS_MAX) * (1.0 / 448.0) * (1.0 / 448.0)
        q = x / scale
        codes = tf.cast(tf.clamp(q, -448.0, 448.0), "fp8e4m3")
        return (codes, scale)

    @func
    def no_factor(a: Tensor[(6, 384), "bf16"]):
        x = tf.cast(a, "f32")
        scale = tf.reduce(x, (-1,), True, ReduceKind.ABS_MAX)
        q = x / scale
        codes = tf.cast(tf.clamp(q, -448.0, 448.0), "fp8e4m3")
        return (codes, scale)

    @func
    def largest_not_magnitude(a: Tensor[(6, 384), "bf16"]):
        x = tf.cast(a, "f32")
        scale = tf.reduce(x, (-1,), True, ReduceKind.MAX) / 448.0
        q = x / scale
        codes = tf.cast(tf.clamp(q, -448.0, 448.0), "fp8e4m3")
        return (codes, scale)

    @func
    def mean(a: Tensor[(6, 384), "bf16"]):
        x = tf.cast(a, "f32")
        scale = tf.reduce(tf.abs(x), (-1,), True, ReduceKind.MEAN) / 448.0
        q = x / scale
        codes = tf.cast(tf.clamp(q, -448.0, 448.0), "fp8e4m3")
        return (codes, scale)

    @func
    def largest_of_another(a: Tensor[(6, 384), "bf16"]):
        x = tf.cast(a, "f32")
        scale = tf.reduce(x + 1.0, (-1,), True, ReduceKind.ABS_MAX) / 448.0
        q = x / scale
        codes = tf.cast(tf.clamp(q, -448.0, 448.0), "fp8e4m3")
        return (codes, scale)

    @func
    def quotient_of_another(a: Tensor[(6, 384), "bf16"]):
        x = tf.cast(a, "f32")
        scale = tf.reduce(x, (-1,), True, ReduceKind.ABS_MAX) / 448.0
        q = (x + 1.0) / scale
        codes = tf.cast(tf.clamp(q, -448.0, 448.0), "fp8e4m3")
        return (codes, scale)

    @func
    def rounded_input(a: Tensor[(6, 384), "f32"]):
        x = tf.cast(tf.cast(a, "bf16"), "f32")
        scale = tf.reduce(x, (-1,), True, ReduceKind.ABS_MAX) / 448.0
        q = x / scale
        codes = tf.cast(tf.clamp(q, -448.0, 448.0), "fp8e4m3")
        return (codes, scale)

    @func
    def columns(a: Tensor[(6, 384), "bf16"]):
        x = tf.cast(a, "f32")
        scale = tf.reduce(x, (0,), True, ReduceKind.ABS_MAX) / 448.0
        q = x / scale
        codes = tf.cast(tf.clamp(q, -448.0, 448.0), "fp8e4m3")
        return (codes, scale)

    @func
    def other_groups(a: Tensor[(64, 64), "bf16"]):
        x = tf.reshape(tf.cast(a, "f32"), (2, 32, 2, 32))
        scale = tf.reshape(tf.reduce(x, (1, 3), True, ReduceKind.ABS_MAX) / 448.0, (4, 1))
        codes = tf.cast(tf.clamp(tf.reshape(x, (4, 1024)) / scale, -448.0, 448.0), "fp8e4m3")
        return (codes, scale)

    @func
    def turned_about(a: Tensor[(6, 384), "bf16"]):
        x = tf.cast(a, "f32")
        scale = tf.reduce(x, (-1,), True, ReduceKind.ABS_MAX) / 448.0
        q = scale / x
        codes = tf.cast(tf.clamp(q, -448.0, 448.0), "fp8e4m3")
        return (codes, scale)

    @func
    def times_scale(a: Tensor[(6, 384), "bf16"]):
        x = tf.cast(a, "f32")
        scale = tf.reduce(x, (-1,), True, ReduceKind.ABS_MAX) / 448.0
        q = x * scale
        codes = tf.cast(tf.clamp(q, -448.0, 448.0), "fp8e4m3")
        return (codes, scale)

    @func
    def times_other_inverse(a: Tensor[(6, 384), "bf16"]):
        x = tf.cast(a, "f32")
        scale = tf.reduce(x, (-1,), True, ReduceKind.ABS_MAX) / 448.0
        inverse = 2.0 / scale
        q = x * inverse
        codes = tf.cast(tf.clamp(q, -448.0, 448.0), "fp8e4m3")
        return (codes, scale)

    @func
    def power_of_scale_only(a: Tensor[(6, 384), "bf16"]):
        x = tf.cast(a, "f32")
        scale = tf.reduce(x, (-1,), True, ReduceKind.ABS_MAX) / 448.0
        q = x / scale
        codes = tf.cast(tf.clamp(q, -448.0, 448.0), "fp8e4m3")
        return (codes, tf.exp2(tf.ceil(tf.log2(scale))))

    @func
    def nearest_power(a: Tensor[(6, 384), "bf16"]):
        x = tf.cast(a, "f32")
        scale = tf.exp2(tf.round(tf.log2(tf.reduce(x, (-1,), True, ReduceKind.ABS_MAX) / 448.0)))
        q = x / scale
        codes = tf.cast(tf.clamp(q, -448.0, 448.0), "fp8e4m3")
        return (codes, scale)

    @func
    def power_before_factor(a: Tensor[(6, 384), "bf16"]):
        x = tf.cast(a, "f32")
        scale = tf.exp2(tf.ceil(tf.log2(tf.reduce(x, (-1,), True, ReduceKind.ABS_MAX)))) / 448.0
        q = x / scale
        codes = tf.cast(tf.clamp(q, -448.0, 448.0), "fp8e4m3")
        return (codes, scale)

    @func
    def floor_of_divisor_only(a: Tensor[(6, 384), "bf16"]):
        x = tf.cast(a, "f32")
        scale = tf.reduce(x, (-1,), True, ReduceKind.ABS_MAX) / 448.0
        q = x / tf.maximum(scale, 1e-12)
        codes = tf.cast(tf.clamp(q, -448.0, 448.0), "fp8e4m3")
        return (codes, scale)

    @func
    def floor_below_zero(a: Tensor[(6, 384), "bf16"]):
        x = tf.cast(a, "f32")
        scale = tf.maximum(tf.reduce(x, (-1,), True, ReduceKind.ABS_MAX) / 448.0, -1.0)
        q = x / scale
        codes = tf.cast(tf.clamp(q, -448.0, 448.0), "fp8e4m3")
        return (codes, scale)

    @func
    def two_for_zero(a: Tensor[(6, 384), "bf16"]):
        x = tf.cast(a, "f32")
        made = tf.reduce(x, (-1,), True, ReduceKind.ABS_MAX) / 448.0
        scale = tf.where(made == 0.0, 2.0, made)
        q = x / scale
        codes = tf.cast(tf.clamp(q, -448.0, 448.0), "fp8e4m3")
        return (codes, scale)

    @func
    def one_for_small(a: Tensor[(6, 384), "bf16"]):
        x = tf.cast(a, "f32")
        made = tf.reduce(x, (-1,), True, ReduceKind.ABS_MAX) / 448.0
        scale = tf.where(made > 0.001, made, 1.0)
        q = x / scale
        codes = tf.cast(tf.clamp(q, -448.0, 448.0), "fp8e4m3")
        return (codes, scale)

    @func
    def test_of_another(a: Tensor[(6, 384), "bf16"]):
        x = tf.cast(a, "f32")
        made = tf.reduce(x, (-1,), True, ReduceKind.ABS_MAX) / 448.0
        scale = tf.where(made * 2.0 == 0.0, 1.0, made)
        q = x / scale
        codes = tf.cast(tf.clamp(q, -448.0, 448.0), "fp8e4m3")
        return (codes, scale)

    @func
    def scale_through_f16(a: Tensor[(6, 384), "bf16"]):
        x = tf.cast(a, "f32")
        narrow = tf.cast(tf.reduce(x, (-1,), True, ReduceKind.ABS_MAX) / 448.0, "f16")
        scale = tf.cast(tf.cast(narrow, "bf16"), "f32")
        q = x / scale
        codes = tf.cast(tf.clamp(q, -448.0, 448.0), "fp8e4m3")
        return (codes, scale)

    @func
    def rounded_twice(a: Tensor[(6, 384), "bf16"]):
        x = tf.cast(a, "f32")
        scale = tf.reduce(x, (-1,), True, ReduceKind.ABS_MAX) / 448.0
        q = x / scale
        codes = tf.cast(tf.cast(tf.clamp(q, -448.0, 448.0), "bf16"), "fp8e4m3")
        return (codes, scale)

    @func
    def in_f16(a: Tensor[(6, 384), "f16"]):
        x = a
        limit = tf.cast(448.0, "f16")
        scale = tf.reduce(x, (-1,), True, ReduceKind.ABS_MAX) / limit
        q = x / scale
        codes = tf.cast(tf.clamp(q, -448.0, 448.0), "fp8e4m3")
        return (codes, scale)

    @func
    def scale_in_f16(a: Tensor[(6, 384), "bf16"]):
        x = tf.cast(a, "f32")
        scale = tf.reduce(x, (-1,), True, ReduceKind.ABS_MAX) / 448.0
        q = x / scale
        codes = tf.cast(tf.clamp(q, -448.0, 448.0), "fp8e4m3")
        return (codes, tf.cast(scale, "f16"))

    @func
    def integers(a: Tensor[(6, 384), "bf16"]):
        x = tf.cast(a, "f32")
        scale = tf.reduce(x, (-1,), True, ReduceKind.ABS_MAX) / 448.0
        q = x / scale
        codes = tf.cast(tf.clamp(q, -128.0, 127.0), "i8")
        return (codes, scale)

    @func
    def codes_alone(a: Tensor[(6, 384), "bf16"]):
        x = tf.cast(a, "f32")
        scale = tf.reduce(x, (-1,), True, ReduceKind.ABS_MAX) / 448.0
        q = x / scale
        codes = tf.cast(tf.clamp(q, -448.0, 448.0), "fp8e4m3")
        return codes

    @func
    def three_results(a: Tensor[(6, 384), "bf16"]):
        x = tf.cast(a, "f32")
        scale = tf.reduce(x, (-1,), True, ReduceKind.ABS_MAX) / 448.0
        q = x / scale
        codes = tf.cast(tf.clamp(q, -448.0, 448.0), "fp8e4m3")
        return (codes, scale, scale)

    @func
    def transposed_codes(a: Tensor[(6, 384), "bf16"]):
        x = tf.cast(a, "f32")
        scale = tf.reduce(x, (-1,), True, ReduceKind.ABS_MAX) / 448.0
        q = x / scale
        codes = tf.cast(tf.clamp(q, -448.0, 448.0), "fp8e4m3")
        return (tf.transpose(codes, (1, 0)), scale)

    @func
    def another_parameter(a: Tensor[(6, 384), "f32"], b: Tensor[(6, 384), "f32"]):
        scale = tf.reduce(a, (-1,), True, ReduceKind.ABS_MAX) / 448.0
        return (tf.cast(tf.clamp(a / scale, -448.0, 448.0), "fp8e4m3"), scale)

    @func
    def scale_given(a: Tensor[(6, 384), "f32"], scale: Tensor[(6, 1), "f32"]):
        return (tf.cast(tf.clamp(a / scale, -448.0, 448.0), "fp8e4m3"), scale)

    @func
    def operator_of_sum(a: Tensor[(6, 256), "bf16"]):
        return tf.quant(a + a)

    @func
    def operators_mixed(a: Tensor[(6, 256), "bf16"]):
        codes, scale = tf.quant(a)
        others, more = tf.quant(a, group=64)
        return (codes, more)

# SPDX-License-Identifier: MIT
# Each function is a quantisation that the path takes.
from tilefoundry import func, module
from tilefoundry.dsl import Mesh, ReduceKind, Tensor, Topology, tf
from tilefoundry.target import CudaTarget


@module(entry="row", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 1),))
class Q:
    @func
    def row(a: Tensor[(6, 384), "bf16"]):
        x = tf.cast(a, "f32")
        scale = tf.reduce(x, (-1,), True, ReduceKind.ABS_MAX) / 448.0
        q = x / scale
        codes = tf.cast(tf.clamp(q, -448.0, 448.0), "fp8e4m3")
        return (codes, scale)

    @func
    def row_f32(a: Tensor[(6, 384), "f32"]):
        x = a
        scale = tf.reduce(x, (-1,), True, ReduceKind.ABS_MAX) * (1.0 / 448.0)
        q = x / scale
        codes = tf.cast(tf.clamp(q, -448.0, 448.0), "fp8e4m3")
        return (codes, scale)

    @func
    def row_f16(a: Tensor[(6, 1027), "f16"]):
        x = tf.cast(a, "f32")
        scale = tf.maximum(tf.reduce(x, (-1,), True, ReduceKind.ABS_MAX) * (1.0 / 448.0), 1e-12)
        q = x / scale
        codes = tf.cast(tf.clamp(q, -448.0, 448.0), "fp8e4m3")
        return (codes, scale)

    @func
    def amax_floor(a: Tensor[(6, 200), "f16"]):
        x = tf.cast(a, "f32")
        scale = tf.maximum(tf.reduce(x, (-1,), True, ReduceKind.ABS_MAX), 1e-4) / 448.0
        q = x / scale
        codes = tf.cast(tf.clamp(q, -448.0, 448.0), "fp8e4m3")
        return (codes, scale)

    @func
    def clamped_floor(a: Tensor[(6, 384), "bf16"]):
        x = tf.cast(a, "f32")
        scale = tf.clamp(tf.reduce(x, (-1,), True, ReduceKind.ABS_MAX), 1e-4, None) / 448.0
        q = x / scale
        codes = tf.cast(tf.maximum(tf.minimum(q, 448.0), -448.0), "fp8e4m3")
        return (codes, scale)

    @func
    def one_for_zero(a: Tensor[(6, 384), "f32"]):
        x = a
        largest = tf.reduce(x, (-1,), True, ReduceKind.ABS_MAX)
        scale = tf.where(largest == 0.0, 1.0, largest / 448.0)
        q = x / scale
        codes = tf.cast(tf.clamp(q, -448.0, 448.0), "fp8e4m3")
        return (codes, scale)

    @func
    def one_for_zero_scale(a: Tensor[(6, 384), "bf16"]):
        x = tf.cast(a, "f32")
        made = tf.reduce(x, (-1,), True, ReduceKind.ABS_MAX) * (1.0 / 448.0)
        scale = tf.where(made > 0.0, made, 1.0)
        q = x / scale
        codes = tf.cast(tf.clamp(q, -448.0, 448.0), "fp8e4m3")
        return (codes, scale)

    @func
    def power(a: Tensor[(6, 384), "bf16"]):
        x = tf.cast(a, "f32")
        scale = tf.exp2(tf.ceil(tf.log2(tf.maximum(tf.reduce(x, (-1,), True, ReduceKind.ABS_MAX), 1e-10) / 448.0)))
        q = x / scale
        codes = tf.cast(tf.clamp(q, -448.0, 448.0), "fp8e4m3")
        return (codes, scale)

    @func
    def power_bare(a: Tensor[(6, 384), "f32"]):
        x = a
        scale = tf.exp2(tf.ceil(tf.log2(tf.reduce(x, (-1,), True, ReduceKind.ABS_MAX) * (1.0 / 448.0))))
        q = x / scale
        codes = tf.cast(tf.clamp(q, -448.0, 448.0), "fp8e4m3")
        return (codes, scale)

    @func
    def stored_bf16(a: Tensor[(6, 384), "bf16"]):
        x = tf.cast(a, "f32")
        scale = tf.reduce(x, (-1,), True, ReduceKind.ABS_MAX) / 448.0
        q = x / scale
        codes = tf.cast(tf.clamp(q, -448.0, 448.0), "fp8e4m3")
        return (codes, tf.cast(scale, "bf16"))

    @func
    def divided_by_bf16(a: Tensor[(6, 384), "bf16"]):
        x = tf.cast(a, "f32")
        stored = tf.cast(tf.reduce(x, (-1,), True, ReduceKind.ABS_MAX) / 448.0, "bf16")
        scale = tf.cast(stored, "f32")
        q = x / scale
        codes = tf.cast(tf.clamp(q, -448.0, 448.0), "fp8e4m3")
        return (codes, stored)

    @func
    def reciprocal(a: Tensor[(6, 384), "bf16"]):
        x = tf.cast(a, "f32")
        scale = tf.maximum(tf.reduce(x, (-1,), True, ReduceKind.ABS_MAX) / 448.0, 1e-12)
        inverse = 1.0 / scale
        q = x * inverse
        codes = tf.cast(tf.clamp(q, -448.0, 448.0), "fp8e4m3")
        return (codes, scale)

    @func
    def limit_over(a: Tensor[(6, 384), "f16"]):
        x = tf.cast(a, "f32")
        largest = tf.maximum(tf.reduce(x, (-1,), True, ReduceKind.ABS_MAX), 1e-6)
        scale = largest * (1.0 / 448.0)
        inverse = 448.0 / largest
        q = inverse * x
        codes = tf.cast(tf.clamp(q, -448.0, 448.0), "fp8e4m3")
        return (codes, scale)

    @func
    def unclamped(a: Tensor[(6, 384), "f32"]):
        x = a
        scale = tf.reduce(x, (-1,), True, ReduceKind.ABS_MAX) / 448.0
        q = x / scale
        codes = tf.cast(q, "fp8e4m3")
        return (codes, scale)

    @func
    def unclamped_bf16(a: Tensor[(6, 384), "bf16"]):
        x = tf.cast(a, "f32")
        scale = tf.reduce(x, (-1,), True, ReduceKind.ABS_MAX) * (1.0 / 448.0)
        q = x / scale
        codes = tf.cast(q, "fp8e4m3")
        return (codes, scale)

    @func
    def e5m2(a: Tensor[(6, 384), "f32"]):
        x = a
        scale = tf.reduce(x, (-1,), True, ReduceKind.ABS_MAX) / 57344.0
        q = x / scale
        codes = tf.cast(tf.clamp(q, -57344.0, 57344.0), "fp8e5m2")
        return (codes, scale)

    @func
    def e5m2_unclamped(a: Tensor[(6, 384), "bf16"]):
        x = tf.cast(a, "f32")
        scale = tf.reduce(x, (-1,), True, ReduceKind.ABS_MAX) * (1.0 / 57344.0)
        q = x / scale
        codes = tf.cast(q, "fp8e5m2")
        return (codes, scale)

    @func
    def scale_first(a: Tensor[(6, 384), "f16"]):
        x = tf.cast(a, "f32")
        scale = tf.reduce(x, (-1,), True, ReduceKind.ABS_MAX) / 448.0
        q = x / scale
        codes = tf.cast(tf.clamp(q, -448.0, 448.0), "fp8e4m3")
        return (scale, codes)

    @func
    def abs_then_max(a: Tensor[(6, 384), "f32"]):
        x = a
        scale = tf.reduce(tf.abs(x), (-1,), True, ReduceKind.MAX) / 448.0
        q = x / scale
        codes = tf.cast(tf.clamp(q, -448.0, 448.0), "fp8e4m3")
        return (codes, scale)

    @func
    def narrow_largest(a: Tensor[(5, 256), "bf16"]):
        largest = tf.cast(tf.reduce(a, (-1,), True, ReduceKind.ABS_MAX), "f32")
        scale = largest / 448.0
        return (tf.cast(tf.clamp(tf.cast(a, "f32") / scale, -448.0, 448.0), "fp8e4m3"), scale)

    @func
    def block(a: Tensor[(5, 384), "bf16"]):
        x = tf.reshape(tf.cast(a, "f32"), (5, 3, 128))
        scale = tf.maximum(tf.reduce(x, (-1,), True, ReduceKind.ABS_MAX) * (1.0 / 448.0), 1e-12)
        codes = tf.cast(tf.clamp(x / scale, -448.0, 448.0), "fp8e4m3")
        return (tf.reshape(codes, (5, 384)), tf.reshape(scale, (5, 3)))

    @func
    def block_small(a: Tensor[(5, 96), "f16"]):
        x = tf.reshape(tf.cast(a, "f32"), (5, 6, 16))
        scale = tf.reduce(x, (2,), False, ReduceKind.ABS_MAX) / 448.0
        codes = tf.cast(tf.clamp(x / tf.reshape(scale, (5, 6, 1)), -448.0, 448.0), "fp8e4m3")
        return (tf.reshape(codes, (5, 96)), scale)

    @func
    def square(a: Tensor[(64, 96), "bf16"]):
        x = tf.reshape(tf.cast(a, "f32"), (2, 32, 3, 32))
        scale = tf.reduce(x, (1, 3), True, ReduceKind.ABS_MAX) / 448.0
        codes = tf.cast(tf.clamp(x / scale, -448.0, 448.0), "fp8e4m3")
        return (tf.reshape(codes, (64, 96)), tf.reshape(scale, (2, 3)))

    @func
    def square_odd(a: Tensor[(15, 21), "bf16"]):
        x = tf.reshape(tf.cast(a, "f32"), (3, 5, 3, 7))
        scale = tf.reduce(x, (1, 3), True, ReduceKind.ABS_MAX) * (1.0 / 448.0)
        codes = tf.cast(tf.clamp(x / scale, -448.0, 448.0), "fp8e4m3")
        return (tf.reshape(codes, (15, 21)), tf.reshape(scale, (9,)))

    @func
    def square_f32(a: Tensor[(64, 96), "f32"]):
        x = tf.reshape(a, (4, 16, 2, 48))
        scale = tf.exp2(tf.ceil(tf.log2(tf.maximum(tf.reduce(x, (1, 3), True, ReduceKind.ABS_MAX), 1e-4) * (1.0 / 448.0))))
        codes = tf.cast(tf.clamp(x * (1.0 / scale), -448.0, 448.0), "fp8e4m3")
        return (tf.reshape(codes, (64, 96)), tf.reshape(scale, (4, 2)))

    @func
    def whole(a: Tensor[(33, 41), "bf16"]):
        x = tf.cast(a, "f32")
        scale = tf.reduce(x, (0, 1), True, ReduceKind.ABS_MAX) / 448.0
        codes = tf.cast(tf.clamp(x / scale, -448.0, 448.0), "fp8e4m3")
        return (codes, tf.reshape(scale, (1,)))

    @func
    def whole_large(a: Tensor[(520, 300), "f32"]):
        scale = tf.reduce(a, (-2, -1), False, ReduceKind.ABS_MAX) * (1.0 / 448.0)
        codes = tf.cast(tf.clamp(a / scale, -448.0, 448.0), "fp8e4m3")
        return (codes, scale)

    @func
    def operator(a: Tensor[(6, 256), "bf16"]):
        return tf.quant(a)

    @func
    def operator_f16(a: Tensor[(6, 64), "f16"]):
        codes, scale = tf.quant(a, group=32)
        return (codes, tf.cast(scale, "bf16"))

    @func
    def operator_f32(a: Tensor[(2, 3, 64), "f32"]):
        codes, scale = tf.quant(tf.cast(a, "f32"), group=64)
        return (scale, tf.reshape(codes, (6, 64)))

    @func
    def placed(a: Tensor[(4, 256), "bf16"]):
        with Mesh(("cta",), (1,), ("tile",)) as m:
            held = tf.reshard(a, (4, 256), "rmem")
            x = tf.reshape(tf.cast(held, "f32"), (4, 2, 128))
            scale = tf.reduce(x, (-1,), True, ReduceKind.ABS_MAX) / 448.0
            codes = tf.cast(tf.clamp(x / scale, -448.0, 448.0), "fp8e4m3")
            return (tf.reshard(tf.reshape(codes, (4, 256)), (4, 256), "gmem"), tf.reshard(scale, (4, 2, 1), "gmem"))

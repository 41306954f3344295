# SPDX-License-Identifier: MIT
# Normalisations that the path has a kernel for cuda-h200 for.
from tilefoundry import func, module
from tilefoundry.dsl import DimVar, Mesh, ReduceKind, Tensor, Topology, tf
from tilefoundry.target import CudaTarget

_H200 = CudaTarget("nvidia.h200_sxm")
_CTA = Topology("cta", 1)
R = DimVar("R", 1, 70000)


@module(entry="rms", target=_H200, topologies=(_CTA,))
class N:
    @func
    def rms(a: Tensor[(R, 4096), "bf16"], w: Tensor[(4096,), "bf16"]):
        rows = tf.cast(a, "f32")
        mean = tf.reduce(tf.square(rows), (-1,), True, ReduceKind.MEAN)
        normed = tf.cast(rows * tf.rsqrt(mean + 1e-6), "bf16") * w
        return normed

    @func
    def bare(a: Tensor[(R, 1000), "f32"]):
        rows = a
        mean = tf.reduce(tf.square(rows), (-1,), True, ReduceKind.MEAN)
        normed = rows * tf.rsqrt(mean + 1e-6)
        return normed

    @func
    def half(a: Tensor[(R, 7168), "f16"], w: Tensor[(7168,), "f16"]):
        rows = tf.cast(a, "f32")
        mean = tf.reduce(tf.square(rows), (-1,), True, ReduceKind.MEAN)
        normed = tf.cast(rows * tf.rsqrt(mean + 1e-6), "f16") * w
        return normed

    @func
    def wide(a: Tensor[(R, 300), "f32"], w: Tensor[(300,), "f32"]):
        rows = a
        mean = tf.reduce(tf.square(rows), (-1,), True, ReduceKind.MEAN)
        normed = rows * tf.rsqrt(mean + 1e-6) * w
        return normed

    @func
    def odd(a: Tensor[(R, 7169), "bf16"], w: Tensor[(7169,), "f32"]):
        rows = tf.cast(a, "f32")
        mean = tf.reduce(tf.square(rows), (-1,), True, ReduceKind.MEAN)
        normed = tf.cast(rows * tf.rsqrt(mean + 1e-6) * w, "bf16")
        return normed

    @func
    def short(a: Tensor[(R, 64), "bf16"], w: Tensor[(64,), "bf16"]):
        rows = tf.cast(a, "f32")
        mean = tf.reduce(tf.square(rows), (-1,), True, ReduceKind.MEAN)
        normed = tf.cast(rows * tf.rsqrt(mean + 1e-6), "bf16") * w
        return normed

    @func
    def residual(a: Tensor[(R, 4096), "bf16"], more: Tensor[(R, 4096), "bf16"], w: Tensor[(4096,), "bf16"]):
        total = a + more
        rows = tf.cast(total, "f32")
        mean = tf.reduce(tf.square(rows), (-1,), True, ReduceKind.MEAN)
        normed = tf.cast(rows * tf.rsqrt(mean + 1e-6), "bf16") * w
        return normed

    @func
    def residual_kept(a: Tensor[(R, 5120), "bf16"], more: Tensor[(R, 5120), "bf16"], w: Tensor[(5120,), "bf16"]):
        total = a + more
        rows = tf.cast(total, "f32")
        mean = tf.reduce(tf.square(rows), (-1,), True, ReduceKind.MEAN)
        normed = tf.cast(rows * tf.rsqrt(mean + 1e-6), "bf16") * w
        return (normed, total)

    @func
    def long(a: Tensor[(R, 65536), "bf16"], w: Tensor[(65536,), "bf16"]):
        rows = tf.cast(a, "f32")
        mean = tf.reduce(tf.square(rows), (-1,), True, ReduceKind.MEAN)
        normed = tf.cast(rows * tf.rsqrt(mean + 1e-6), "bf16") * w
        return normed

    @func
    def layer(a: Tensor[(R, 4096), "bf16"], w: Tensor[(4096,), "f32"], b: Tensor[(4096,), "f32"]):
        rows = tf.cast(a, "f32")
        mean = tf.reduce(rows, (-1,), True, ReduceKind.MEAN)
        centered = rows - mean
        variance = tf.reduce(tf.square(centered), (-1,), True, ReduceKind.MEAN)
        return tf.cast(centered * tf.rsqrt(variance + 1e-5) * w + b, "bf16")

    @func
    def layer_odd(a: Tensor[(R, 333), "f32"], w: Tensor[(333,), "f32"], b: Tensor[(333,), "f32"]):
        rows = a
        mean = tf.reduce(rows, (-1,), True, ReduceKind.MEAN)
        centered = rows - mean
        variance = tf.reduce(tf.square(centered), (-1,), True, ReduceKind.MEAN)
        return centered * tf.rsqrt(variance + 1e-5) * w + b

    @func
    def layer_half(a: Tensor[(R, 2048), "f16"], w: Tensor[(2048,), "f32"], b: Tensor[(2048,), "f32"]):
        rows = tf.cast(a, "f32")
        mean = tf.reduce(rows, (-1,), True, ReduceKind.MEAN)
        centered = rows - mean
        variance = tf.reduce(tf.square(centered), (-1,), True, ReduceKind.MEAN)
        return tf.cast(centered * tf.rsqrt(variance + 1e-5) * w + b, "f16")

    @func
    def quant128(a: Tensor[(R, 7168), "bf16"], w: Tensor[(1, 7168), "bf16"]):
        rows = tf.cast(a, "f32")
        mean = tf.reduce(tf.square(rows), (-1,), True, ReduceKind.MEAN)
        normed = tf.cast(rows * tf.rsqrt(mean + 1e-6), "bf16") * w
        blocks = tf.reshape(tf.cast(normed, "f32"), (R, 56, 128))
        scale = tf.maximum(tf.reduce(blocks, (-1,), True, ReduceKind.ABS_MAX) * (1.0 / 448.0), 1e-10)
        codes = tf.cast(tf.clamp(blocks / scale, -448.0, 448.0), "fp8e4m3")
        return (tf.reshape(codes, (R, 7168)), tf.reshape(scale, (R, 56)))

    @func
    def quant64(a: Tensor[(R, 4096), "bf16"], w: Tensor[(1, 4096), "bf16"]):
        rows = tf.cast(a, "f32")
        mean = tf.reduce(tf.square(rows), (-1,), True, ReduceKind.MEAN)
        normed = tf.cast(rows * tf.rsqrt(mean + 1e-6), "bf16") * w
        blocks = tf.reshape(tf.cast(normed, "f32"), (R, 64, 64))
        scale = tf.maximum(tf.reduce(blocks, (-1,), True, ReduceKind.ABS_MAX) * (1.0 / 448.0), 1e-10)
        codes = tf.cast(tf.clamp(blocks / scale, -448.0, 448.0), "fp8e4m3")
        return (tf.reshape(codes, (R, 4096)), tf.reshape(scale, (R, 64)))

    @func
    def quant_row(a: Tensor[(R, 5120), "bf16"], w: Tensor[(1, 5120), "bf16"]):
        rows = tf.cast(a, "f32")
        mean = tf.reduce(tf.square(rows), (-1,), True, ReduceKind.MEAN)
        normed = tf.cast(rows * tf.rsqrt(mean + 1e-6), "bf16") * w
        blocks = tf.reshape(tf.cast(normed, "f32"), (R, 1, 5120))
        scale = tf.maximum(tf.reduce(blocks, (-1,), True, ReduceKind.ABS_MAX) * (1.0 / 448.0), 1e-10)
        codes = tf.cast(tf.clamp(blocks / scale, -448.0, 448.0), "fp8e4m3")
        return (tf.reshape(codes, (R, 5120)), tf.reshape(scale, (R, 1)))

    @func
    def quant_half(a: Tensor[(R, 2048), "f16"], w: Tensor[(1, 2048), "f16"]):
        rows = tf.cast(a, "f32")
        mean = tf.reduce(tf.square(rows), (-1,), True, ReduceKind.MEAN)
        normed = tf.cast(rows * tf.rsqrt(mean + 1e-6), "f16") * w
        blocks = tf.reshape(tf.cast(normed, "f32"), (R, 16, 128))
        scale = tf.maximum(tf.reduce(blocks, (-1,), True, ReduceKind.ABS_MAX) * (1.0 / 448.0), 1e-10)
        codes = tf.cast(tf.clamp(blocks / scale, -448.0, 448.0), "fp8e4m3")
        return (tf.reshape(codes, (R, 2048)), tf.reshape(scale, (R, 16)))

    @func
    def quant_e5m2(a: Tensor[(R, 1024), "bf16"], w: Tensor[(1, 1024), "bf16"]):
        rows = tf.cast(a, "f32")
        mean = tf.reduce(tf.square(rows), (-1,), True, ReduceKind.MEAN)
        normed = tf.cast(rows * tf.rsqrt(mean + 1e-6), "bf16") * w
        blocks = tf.reshape(tf.cast(normed, "f32"), (R, 8, 128))
        scale = tf.maximum(tf.reduce(blocks, (-1,), True, ReduceKind.ABS_MAX) * (1.0 / 57344.0), 1e-10)
        codes = tf.cast(tf.clamp(blocks / scale, -57344.0, 57344.0), "fp8e5m2")
        return (tf.reshape(codes, (R, 1024)), tf.reshape(scale, (R, 8)))

    @func
    def quant_long(a: Tensor[(R, 65536), "bf16"], w: Tensor[(1, 65536), "bf16"]):
        rows = tf.cast(a, "f32")
        mean = tf.reduce(tf.square(rows), (-1,), True, ReduceKind.MEAN)
        normed = tf.cast(rows * tf.rsqrt(mean + 1e-6), "bf16") * w
        blocks = tf.reshape(tf.cast(normed, "f32"), (R, 512, 128))
        scale = tf.maximum(tf.reduce(blocks, (-1,), True, ReduceKind.ABS_MAX) * (1.0 / 448.0), 1e-10)
        codes = tf.cast(tf.clamp(blocks / scale, -448.0, 448.0), "fp8e4m3")
        return (tf.reshape(codes, (R, 65536)), tf.reshape(scale, (R, 512)))

    @func
    def quant_short(a: Tensor[(R, 256), "bf16"], w: Tensor[(1, 256), "bf16"]):
        rows = tf.cast(a, "f32")
        mean = tf.reduce(tf.square(rows), (-1,), True, ReduceKind.MEAN)
        normed = tf.cast(rows * tf.rsqrt(mean + 1e-6), "bf16") * w
        blocks = tf.reshape(tf.cast(normed, "f32"), (R, 8, 32))
        scale = tf.maximum(tf.reduce(blocks, (-1,), True, ReduceKind.ABS_MAX) * (1.0 / 448.0), 1e-10)
        codes = tf.cast(tf.clamp(blocks / scale, -448.0, 448.0), "fp8e4m3")
        return (tf.reshape(codes, (R, 256)), tf.reshape(scale, (R, 8)))

"""Normalisations as they are written, each a module; tests/paths/fused-norm.sh runs them all."""
from tilefoundry import func, module
from tilefoundry.dsl import ConstTensor, Mesh, ReduceKind, Tensor, Topology, tf
from tilefoundry.target import CudaTarget

_H200 = CudaTarget("nvidia.h200_sxm")
_CTA = Topology("cta", 1)


@module(entry="f", target=_H200, topologies=(_CTA,))
class Rms:
    @func
    def f(a: Tensor[(3, 5, 37), "bf16"], w: ConstTensor[(37,), "bf16"]):
        rows = tf.cast(a, "f32")
        mean = tf.reduce(tf.square(rows), (-1,), True, ReduceKind.MEAN)
        return tf.cast(rows * tf.rsqrt(mean + 1e-6), "bf16") * w


@module(entry="f", target=_H200, topologies=(_CTA,))
class Bare:
    @func
    def f(a: Tensor[(9, 200), "f32"]):
        mean = tf.reduce(a * a, (1,), True, ReduceKind.SUM) / 200.0
        root = 1.0 / tf.rsqrt(mean + 0.00001)
        return a / root


@module(entry="f", target=_H200, topologies=(_CTA,))
class Half:
    @func
    def f(a: Tensor[(2, 2, 64), "f16"], w: ConstTensor[(1, 64), "f16"], b: ConstTensor[(64,), "f16"]):
        mean = tf.reduce(tf.square(a), (-1,), True, ReduceKind.MEAN)
        return a * tf.rsqrt(mean + tf.cast(0.001, "f16")) * w + b


@module(entry="f", target=_H200, topologies=(_CTA,))
class Brain:
    @func
    def f(a: Tensor[(40, 130), "bf16"], w: ConstTensor[(130,), "bf16"]):
        mean = tf.reduce(tf.square(a), (-1,), True, ReduceKind.SUM) * tf.cast(1.0 / 130.0, "bf16")
        return a * tf.rsqrt(mean + tf.cast(0.001, "bf16")) * (w + tf.cast(1.0, "bf16"))


@module(entry="f", target=_H200, topologies=(_CTA,))
class Layer:
    @func
    def f(a: Tensor[(6, 333), "bf16"], w: ConstTensor[(333,), "f32"], b: ConstTensor[(1, 333), "f32"]):
        rows = tf.cast(a, "f32")
        mean = tf.reduce(rows, (-1,), True, ReduceKind.MEAN)
        centered = rows - mean
        variance = tf.reduce(centered * centered, (-1,), True, ReduceKind.MEAN)
        inverse = tf.rsqrt(variance + 1e-5)
        return (tf.cast(centered * inverse * w + b, "f16"), mean, tf.reshape(inverse, (6,)))


@module(entry="f", target=_H200, topologies=(_CTA,))
class Moments:
    @func
    def f(a: Tensor[(7, 4, 32), "f32"], w: ConstTensor[(4, 32), "f32"]):
        mean = tf.reduce(a, (1, 2), True, ReduceKind.MEAN)
        power = tf.reduce(tf.square(a), (1, 2), True, ReduceKind.MEAN)
        variance = tf.maximum(power - mean * mean, 0.0)
        return (a - mean) * tf.rsqrt(variance + 1e-5) * w


@module(entry="f", target=_H200, topologies=(_CTA,))
class RmsOp:
    @func
    def f(a: Tensor[(5, 2, 77), "bf16"], w: ConstTensor[(77,), "f32"]):
        return tf.rms_norm(a, w, 1e-5)


@module(entry="f", target=_H200, topologies=(_CTA,))
class LayerOp:
    @func
    def f(a: Tensor[(40, 6, 11), "f16"], w: ConstTensor[(6, 11), "f16"], b: ConstTensor[(6, 11), "f16"]):
        return tf.layer_norm(a, w, b, 1, 1e-5)


@module(entry="f", target=_H200, topologies=(_CTA,))
class OpQuant:
    @func
    def f(a: Tensor[(3, 2, 96), "bf16"], w: ConstTensor[(96,), "bf16"]):
        return tf.quant(tf.rms_norm(a, w, 1e-6), group=32)


@module(entry="f", target=_H200, topologies=(_CTA,))
class Residual:
    @func
    def f(a: Tensor[(8, 256), "bf16"], r: Tensor[(8, 256), "bf16"], w: ConstTensor[(256,), "bf16"]):
        total = a + r
        rows = tf.cast(total, "f32")
        mean = tf.reduce(tf.square(rows), (-1,), True, ReduceKind.MEAN)
        normed = tf.cast(rows * tf.rsqrt(mean + 1e-6) * tf.cast(w, "f32"), "bf16")
        blocks = tf.reshape(tf.cast(normed, "f32"), (8, 2, 128))
        scale = tf.maximum(tf.reduce(blocks, (-1,), True, ReduceKind.ABS_MAX) / 448.0, 1e-10)
        codes = tf.cast(tf.clamp(blocks / scale, -448.0, 448.0), "fp8e4m3")
        return (tf.reshape(codes, (8, 256)), tf.reshape(scale, (8, 2)), total)


@module(entry="f", target=_H200, topologies=(_CTA,))
class Wide:
    @func
    def f(a: Tensor[(4, 100), "bf16"], r: Tensor[(4, 100), "f32"], w: ConstTensor[(100,), "f32"], b: ConstTensor[(100,), "f32"]):
        total = tf.cast(a, "f32") + r
        mean = tf.reduce(total, (-1,), True, ReduceKind.MEAN)
        centered = total - mean
        variance = tf.reduce(tf.square(centered), (-1,), True, ReduceKind.MEAN)
        normed = centered * tf.rsqrt(variance + 1e-5) * w + b
        scale = tf.reduce(tf.abs(normed), (-1,), True, ReduceKind.MAX) / 57344.0
        return (tf.cast(normed / scale, "fp8e5m2"), tf.cast(scale, "bf16"), tf.cast(total, "bf16"))


@module(entry="f", target=_H200, topologies=(_CTA,))
class Powers:
    @func
    def f(a: Tensor[(6, 160), "f16"], w: ConstTensor[(160,), "f16"]):
        rows = tf.reshape(tf.cast(a, "f32"), (6, 5, 32))
        mean = tf.reduce(tf.square(rows), (1, 2), True, ReduceKind.MEAN)
        normed = rows * tf.rsqrt(mean + 1e-6) * tf.reshape(tf.cast(w, "f32"), (5, 32))
        largest = tf.maximum(tf.reduce(normed, (-1,), True, ReduceKind.ABS_MAX), 1e-4)
        scale = tf.exp2(tf.ceil(tf.log2(largest / 448.0)))
        codes = tf.cast(tf.clamp(normed / scale, -448.0, 448.0), "fp8e4m3")
        return (codes, tf.cast(scale, "f8e8m0"))


@module(entry="f", target=_H200, topologies=(_CTA,))
class Reciprocal:
    @func
    def f(a: Tensor[(5, 48), "f32"], w: ConstTensor[(48,), "f32"]):
        mean = tf.reduce(tf.square(a), (-1,), True, ReduceKind.MEAN)
        normed = tf.reshape(a * tf.rsqrt(mean + 1e-6) * w, (5, 3, 16))
        largest = tf.reduce(normed, (-1,), True, ReduceKind.ABS_MAX)
        part = largest * (1.0 / 448.0)
        scale = tf.where(tf.cmp_eq(part, 0.0), 1.0, part)
        codes = tf.cast(tf.clamp(normed * (1.0 / scale), -448.0, 448.0), "fp8e4m3")
        return (tf.reshape(codes, (5, 48)), tf.reshape(tf.cast(scale, "bf16"), (5, 3)))


@module(entry="f", target=_H200, topologies=(_CTA,))
class OneRow:
    @func
    def f(a: Tensor[(1, 72), "bf16"], w: Tensor[(1, 72), "bf16"], b: Tensor[(72,), "bf16"]):
        rows = tf.cast(a, "f32")
        mean = tf.reduce(tf.square(rows), (-1,), True, ReduceKind.MEAN)
        return tf.cast(rows * tf.rsqrt(mean + 1e-6), "bf16") * w + b


@module(entry="f", target=_H200, topologies=(_CTA,))
class Static:
    @func
    def f(a: Tensor[(4, 3, 3), "bf16"], w: ConstTensor[(3,), "f32"]):
        normed = tf.cast(tf.rms_norm(a, w, 0.0), "f32")
        return (tf.cast(tf.clamp(normed / 0.03125, -448.0, 448.0), "fp8e4m3"), normed)

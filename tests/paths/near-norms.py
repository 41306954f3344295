"""Programs that are nearly normalisations; each is refused at the place where it departs."""
from tilefoundry import func, module
from tilefoundry.dsl import ConstTensor, Mesh, ReduceKind, Tensor, Topology, tf
from tilefoundry.target import CudaTarget

_H200 = CudaTarget("nvidia.h200_sxm")
_CTA = Topology("cta", 1)


@module(entry="f", target=_H200, topologies=(_CTA,))
class OtherInput:
    @func
    def f(a: Tensor[(4, 64), "f32"], b: Tensor[(4, 64), "f32"]):
        mean = tf.reduce(tf.square(a), (-1,), True, ReduceKind.MEAN)
        return b * tf.rsqrt(mean + 1e-6)


@module(entry="f", target=_H200, topologies=(_CTA,))
class WrongLength:
    @func
    def f(a: Tensor[(4, 64), "f32"]):
        mean = tf.reduce(tf.square(a), (-1,), True, ReduceKind.SUM) / 63.0
        return a * tf.rsqrt(mean + 1e-6)


@module(entry="f", target=_H200, topologies=(_CTA,))
class Columns:
    @func
    def f(a: Tensor[(4, 64), "f32"]):
        mean = tf.reduce(tf.square(a), (0,), True, ReduceKind.MEAN)
        return a * tf.rsqrt(mean + 1e-6)


@module(entry="f", target=_H200, topologies=(_CTA,))
class NotCentered:
    @func
    def f(a: Tensor[(4, 64), "f32"]):
        mean = tf.reduce(a, (-1,), True, ReduceKind.MEAN)
        centered = a - mean
        variance = tf.reduce(tf.square(centered), (-1,), True, ReduceKind.MEAN)
        return a * tf.rsqrt(variance + 1e-6)


@module(entry="f", target=_H200, topologies=(_CTA,))
class WeightAcross:
    @func
    def f(a: Tensor[(8, 8), "f32"], w: ConstTensor[(8, 1), "f32"]):
        mean = tf.reduce(tf.square(a), (-1,), True, ReduceKind.MEAN)
        return a * tf.rsqrt(mean + 1e-6) * w


@module(entry="f", target=_H200, topologies=(_CTA,))
class Activated:
    @func
    def f(a: Tensor[(4, 64), "f32"]):
        mean = tf.reduce(tf.square(a), (-1,), True, ReduceKind.MEAN)
        return tf.silu(a * tf.rsqrt(mean + 1e-6))


@module(entry="f", target=_H200, topologies=(_CTA,))
class OtherScale:
    @func
    def f(a: Tensor[(4, 64), "f32"], w: ConstTensor[(64,), "f32"]):
        mean = tf.reduce(tf.square(a), (-1,), True, ReduceKind.MEAN)
        normed = a * tf.rsqrt(mean + 1e-6)
        scale = tf.reduce(normed, (-1,), True, ReduceKind.ABS_MAX) / 448.0
        return (tf.cast((normed * w) / scale, "fp8e4m3"), scale)


@module(entry="f", target=_H200, topologies=(_CTA,))
class Wider:
    @func
    def f(a: Tensor[(4, 64), "f64"]):
        mean = tf.reduce(tf.square(a), (-1,), True, ReduceKind.MEAN)
        return a * tf.rsqrt(mean)


@module(entry="f", target=_H200, topologies=(_CTA,))
class NothingSummed:
    @func
    def f(a: Tensor[(4, 64), "f32"], w: ConstTensor[(64,), "f32"]):
        return a * w


@module(entry="f", target=_H200, topologies=(_CTA,))
class OnlyScale:
    @func
    def f(a: Tensor[(4, 64), "f32"]):
        mean = tf.reduce(tf.square(a), (-1,), True, ReduceKind.MEAN)
        return tf.reduce(a * tf.rsqrt(mean + 1e-6), (-1,), True, ReduceKind.ABS_MAX)


@module(entry="f", target=_H200, topologies=(_CTA,))
class Loop:
    @func
    def f(a: Tensor[(4, 64), "f32"]):
        mean = tf.reduce(tf.square(a), (-1,), True, ReduceKind.MEAN)
        normed = a * tf.rsqrt(mean + 1e-6)
        for _ in range(3):
            normed = normed * 0.5
        return normed

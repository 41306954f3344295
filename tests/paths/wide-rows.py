"""Rows whose sums cancel but for what rounding leaves, so that the order of adding decides."""
from tilefoundry import func, module
from tilefoundry.dsl import ReduceKind, Tensor, Topology, tf
from tilefoundry.target import CudaTarget

_H200 = CudaTarget("nvidia.h200_sxm")
_CTA = Topology("cta", 1)


@module(entry="f", target=_H200, topologies=(_CTA,))
class Maker:
    @func
    def f(x: Tensor[(40, 500), "f32"]):
        far = x * tf.square(tf.square(tf.square(tf.square(tf.square(x)))))
        return tf.concat([far, 0.0 - far], axis=1)


@module(entry="f", target=_H200, topologies=(_CTA,))
class Center:
    @func
    def f(a: Tensor[(40, 1000), "f32"]):
        mean = tf.reduce(a, (-1,), True, ReduceKind.MEAN)
        centered = a - mean
        variance = tf.reduce(tf.square(centered), (-1,), True, ReduceKind.MEAN)
        return (centered * tf.rsqrt(variance + 1e-6), mean)

# SPDX-License-Identifier: MIT
"""Steps whose right results are more than one."""

from tilefoundry import func, module
from tilefoundry.dsl import DimVar, DimVarRangePat, ReduceKind, Tensor, Topology, tf
from tilefoundry.target import CudaTarget

_H200 = CudaTarget("nvidia.h200_sxm")
_CTA = Topology("cta", 1)
K = DimVar("K", 1, 65536)


@module(entry="dot", target=_H200, topologies=(_CTA,))
class Cancel:
    @func
    def dot(a: Tensor[(1, 3), "f32"], b: Tensor[(3, 1), "f32"]):
        return tf.matmul(a, b)


@module(entry="dot", target=_H200, topologies=(_CTA,))
class Fp8:
    @func
    def dot(a: Tensor[(1, K), "fp8e4m3"], b: Tensor[(K, 1), "fp8e4m3"]) -> Tensor[(1, 1), "f32"]:
        return tf.matmul(a, b, out_dtype="f32")


@module(entry="step", target=_H200, topologies=(_CTA,))
class Norm:
    @func
    def step(x: Tensor[(256, 1024), "bf16"]):
        v = tf.cast(x, "f32")
        mean = tf.reduce(tf.square(v), (-1,), True, ReduceKind.MEAN)
        n = tf.cast(v * tf.rsqrt(mean + 1e-6), "bf16")
        amax = tf.reduce(tf.cast(n, "f32"), (-1,), True, ReduceKind.ABS_MAX)
        scale = amax / 448.0
        return tf.cast(tf.cast(n, "f32") / scale, "fp8e4m3"), scale

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


@module(entry="paths", target=_H200, topologies=(_CTA,))
class Paths:
    @func
    def paths(x: Tensor[(4, 8), "f32"], i: Tensor[(3,), "i64"]):
        r = tf.rsqrt(tf.abs(x))
        y = tf.reshape(tf.transpose(r, (1, 0)), (4, 8))
        z = tf.concat([y[1:3, 0:8], x], axis=0)
        s = r[0:1, :]
        for k in range(3):
            s = s * r[0:1, :] + x[1:2, :]
        return z, tf.index_select(tf.reshape(s, (8,)), i, 0)
